// SPDX-License-Identifier: Apache-2.0

// FIFO for any valid/ready stream.
//
// Latency    1 clock from s to m when empty; 2 with BlockRam 1, and without Straight.
// Throughput 1 transfer a clock, also when full and when empty; with Half one in 2 clocks. With BlockRam 2
//            a transfer that comes while the output stalls is there 3 clocks later at the soonest.
// Paths      s_ready, m_valid and count_o are registers. m_data is one too, but with BlockRam 1 the
//            RAM's own output (slow clock-to-output). Nothing combinational leads from one side to the
//            other.
// Capacity   Depth transfers, the output stage included; count_o is the number held. With Half Depth transfers
//            beside the output stage, and count_o is the number of those.
//
// BlockRam: 0 takes look-up tables, 1 block RAM, 2 block RAM and a register behind it; the default
// decides by depth and size. Registered: where that is block RAM, it takes 2 and not 1. Straight: what finds the
// FIFO empty goes to the output stage; 0 saves the multiplexer for it. Half: a transfer every second clock is
// enough, so the output stage is loaded when it is empty: then m_ready goes to m_valid, and to nothing else. With
// look-up tables it may be Straight, too.
module stream_fifo #(
  parameter  type T          = logic [31:0],
  parameter  int  Depth      = 16,
  parameter  bit  Registered = 1'b0,
  parameter  int  BlockRam   = ($bits(T) * Depth > 1024 && Depth > 32) ? (Registered ? 2 : 1) : 0,
  parameter  bit  Half       = 1'b0,
  parameter  bit  Straight   = BlockRam != 1 && !Half,
  localparam int  CountWidth = $clog2(Depth + 1)
) (
  input  logic                  clk,
  input  logic                  rst,

  input  T                      s_data,
  input  logic                  s_valid,
  output logic                  s_ready,

  output T                      m_data,
  output logic                  m_valid,
  input  logic                  m_ready,

  output logic [CountWidth-1:0] count_o
);

  if (Depth < (BlockRam == 2 ? 4 : Straight || Half ? 2 : 3)) begin : gen_check_depth
    $error(
        "Depth is too small for its clock: 2 at least, 3 without Straight or Half, 4 with BlockRam 2."
    );
  end
  if (Half && BlockRam == 2) begin : gen_check_half
    $error("With Half block RAM has no register behind it.");
  end
  if (BlockRam == 1 && Straight || BlockRam == 2 && !Straight && !Half) begin : gen_check_straight
    $error("What comes goes straight to a register behind block RAM, and to its own output never.");
  end

  localparam int Width = $bits(T);
  localparam int AddressWidth = $clog2(Depth);

  typedef logic [AddressWidth-1:0] address_t;

  function automatic address_t next_address(input address_t address);
    return (address == address_t'(Depth - 1)) ? '0 : address + 1'b1;
  endfunction

  address_t write_q, read_q;
  logic [CountWidth-1:0] count_q;
  logic full_q;
  logic push, pop, load, leaves, waiting, bypass, fetch;
  logic ahead_q;  // BlockRam 2: the RAM's output holds what follows the output stage
  logic next_valid;
  logic [Width-1:0] stored_data;

  assign s_ready = !full_q;
  assign count_o = count_q;

  assign push    = s_valid && s_ready;
  assign pop     = m_valid && m_ready;
  // The output stage takes the next transfer, if any.
  assign load    = !m_valid || (!Half && m_ready);
  // The memory holds something.
  assign waiting = count_q != (Half ? '0 : CountWidth'(m_valid) + CountWidth'(ahead_q));
  assign bypass  = Straight && load && !waiting && !ahead_q && push;  // to the output stage
  assign fetch   = waiting && (load || (BlockRam == 2 && !ahead_q));
  // What is counted goes.
  assign leaves  = Half ? fetch || bypass : pop;

  if (BlockRam == 2) begin : gen_ahead
    assign next_valid = ahead_q;

    always_ff @(posedge clk) begin
      ahead_q <= fetch || (ahead_q && !load);
      if (rst) ahead_q <= 1'b0;
    end
  end else begin : gen_at_once
    assign next_valid = waiting;
    assign ahead_q    = 1'b0;
  end

  // Where there is room the next place may hold anything: with Half it is written whether something comes or
  // not, as that is known late, and the enable goes to every bit.
  if (BlockRam != 0) begin : gen_block
    ram_simple_dual_port #(
      .Width(Width),
      .Depth(Depth)
    ) ram (
      .clk,
      .write_enable_i (Half ? s_ready : push),
      .write_address_i(write_q),
      .write_data_i   (Width'(s_data)),
      .read_enable_i  (Half ? load : fetch),
      .read_address_i (read_q),
      .read_data_o    (stored_data)
    );

  end else begin : gen_distributed
    ram_distributed #(
      .Width(Width),
      .Depth(Depth)
    ) ram (
      .clk,
      .write_enable_i (Half ? s_ready : push),
      .write_address_i(write_q),
      .write_data_i   (Width'(s_data)),
      .read_address_i (read_q),
      .read_data_o    (stored_data)
    );
  end

  if (BlockRam == 1) begin : gen_ram_output
    assign m_data = T'(stored_data);
  end else begin : gen_output
    always_ff @(posedge clk) begin
      if (load) m_data <= next_valid || !Straight ? T'(stored_data) : s_data;
    end
  end

  always_ff @(posedge clk) begin
    // m_ready comes late: it chooses between results.
    if (push && !leaves) begin
      count_q <= count_q + 1'b1;
      full_q  <= count_q == CountWidth'(Depth - 1);
    end else if (leaves && !push) begin
      count_q <= count_q - 1'b1;
      full_q  <= 1'b0;
    end
    // What passes straight is written too, and skipped: so the write side does not wait for m_ready.
    if (push) write_q <= next_address(write_q);
    if (fetch || bypass) read_q <= next_address(read_q);
    if (Half) m_valid <= m_valid ? !m_ready : waiting || bypass;
    else if (load) m_valid <= next_valid || bypass;

    if (rst) begin
      count_q <= '0;
      full_q  <= 1'b0;
      write_q <= '0;
      read_q  <= '0;
      m_valid <= 1'b0;
    end
  end

endmodule
