// SPDX-License-Identifier: Apache-2.0

// First in, first out, from one clock to another.
//
//   s --> memory -------------------------------------> [ out ] --> m
//         write pointer, Gray --> synchronizer --> m_clk
//         s_clk <-- synchronizer <-- read pointer, Gray
//
// Latency    1 clock of s and 3 to 4 of m, from s to m when empty.
// Throughput a transfer in each clock of the slower side, from a Depth of 16 on.
// Paths      s_ready, m_valid and m_data are registers. The memory is read by m_clk where s_clk has
//            written some clocks before: no path from s_clk to m_clk has to be met but those into
//            the synchronizers (README).
// Capacity   Depth transfers and one in the output register.
//
// Both sides must be in reset at the same time once, for 4 clocks of the slower one; one side alone
// is never reset.
module stream_async_fifo
  import gray_pkg::*;
#(
  parameter type T     = logic [31:0],
  parameter int  Depth = 16             // a power of two
) (
  input  logic s_clk,
  input  logic s_rst,

  input  T     s_data,
  input  logic s_valid,
  output logic s_ready,

  input  logic m_clk,
  input  logic m_rst,

  output T     m_data,
  output logic m_valid,
  input  logic m_ready
);

  if (Depth < 4 || 2 ** $clog2(Depth) != Depth) begin : gen_check_depth
    $error("Depth must be a power of two, at least 4.");
  end

  localparam int Width = $bits(T);
  localparam int AddressWidth = $clog2(Depth);

  // A pointer has one bit more than an address: equal pointers mean empty, a lap between them full.
  typedef logic [AddressWidth:0] pointer_t;

  // Write side.
  pointer_t write_q, write_d, write_gray_q, write_gray_d, read_gray_at_write;
  logic full_q, push;

  assign s_ready = !full_q;
  assign push = s_valid && s_ready;
  assign write_d = write_q + pointer_t'(push);
  assign write_gray_d = pointer_t'(to_gray(32'(write_d)));

  always_ff @(posedge s_clk) begin
    write_q      <= write_d;
    write_gray_q <= write_gray_d;
    // In Gray code a lap inverts the upper two bits.
    full_q       <= write_gray_d == (read_gray_at_write ^ (pointer_t'(3) << (AddressWidth - 1)));

    if (s_rst) begin
      write_q      <= '0;
      write_gray_q <= '0;
      full_q       <= 1'b1;
    end
  end

  // Read side.
  pointer_t read_q, read_d, read_gray_q, write_gray_at_read;
  logic load, waiting;
  logic [Width-1:0] stored;

  assign load = m_ready || !m_valid;
  assign waiting = write_gray_at_read != read_gray_q;
  assign read_d = read_q + pointer_t'(load && waiting);

  always_ff @(posedge m_clk) begin
    read_q      <= read_d;
    read_gray_q <= pointer_t'(to_gray(32'(read_d)));
    if (load) begin
      m_valid <= waiting;
      m_data  <= T'(stored);
    end

    if (m_rst) begin
      read_q      <= '0;
      read_gray_q <= '0;
      m_valid     <= 1'b0;
    end
  end

  synchronizer #(
    .Width(AddressWidth + 1)
  ) write_synchronizer (
    .clk   (m_clk),
    .rst   (m_rst),
    .data_i(write_gray_q),
    .data_o(write_gray_at_read)
  );

  synchronizer #(
    .Width(AddressWidth + 1)
  ) read_synchronizer (
    .clk   (s_clk),
    .rst   (s_rst),
    .data_i(read_gray_q),
    .data_o(read_gray_at_write)
  );

  ram_distributed #(
    .Width(Width),
    .Depth(Depth)
  ) ram (
    .clk            (s_clk),
    .write_enable_i (push),
    .write_address_i(write_q[AddressWidth-1:0]),
    .write_data_i   (Width'(s_data)),
    .read_address_i (read_q[AddressWidth-1:0]),
    .read_data_o    (stored)
  );

endmodule
