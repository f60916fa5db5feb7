// SPDX-License-Identifier: Apache-2.0

// State of every connection, by id. Narrow: half as wide and twice as deep, for who reads one state after
// the other. RAM blocks are wide rather than deep enough for few connections: half of them do.
//
// Latency    ReadLatency clocks from read_enable_i to read_connection_o, which keeps its value until the
//            next read's; narrow ones need 4, and half of it is the next read's a clock before.
// Throughput one read and one write a clock, or in 2 clocks where narrow: they take write_connection_i
//            in the two clocks after write_enable_i.
// Collision  a read of the id that is written in the same clock returns undefined data: the
//            connection pipeline forwards instead. A clock later it returns what was written.
// Wires      narrow ones have registers for addresses and write enables, for each slice of a word
//            (ram_sliced).
// Start      after reset every connection is written to zero (TcpClosed), a word a clock, until
//            init_done_o; nothing may be written before.
module connection_memory
  import tcp_pkg::*;
#(
  parameter  int Connections = 64,
  parameter  int ReadLatency = 2,
  parameter  bit Narrow      = 0,
  localparam int IdWidth     = $clog2(Connections)
) (
  input  logic               clk,
  input  logic               rst,

  output logic               init_done_o,

  input  logic               read_enable_i,
  input  logic [IdWidth-1:0] read_id_i,
  output connection_t        read_connection_o,

  input  logic               write_enable_i,
  input  logic [IdWidth-1:0] write_id_i,
  input  connection_t        write_connection_i
);

  if (Connections < 2 || Connections != 2 ** IdWidth) begin : gen_check_connections
    $error("Connections must be a power of two and at least 2.");
  end
  if (Narrow && ReadLatency != 4) begin : gen_check_narrow
    $error("A narrow memory has a ReadLatency of 4.");
  end

  localparam int Parts = Narrow ? 2 : 1;
  localparam int Words = Parts * Connections;
  localparam int Width = ($bits(connection_t) + Parts - 1) / Parts;

  // Of two RAM blocks where they are as wide as they can be.
  localparam int SliceWidth = 72;
  localparam int Slices = (Width + SliceWidth - 1) / SliceWidth;

  typedef logic [$clog2(Words)-1:0] address_t;
  typedef logic [Width-1:0] word_t;

  address_t sweep_q;
  word_t read_word, write_word;
  logic write, swept_q, sweeps_q, clears_q;

  always_ff @(posedge clk) begin
    if (sweeps_q && !swept_q) begin
      sweep_q <= sweep_q + 1'b1;
      swept_q <= sweep_q == '1;
    end
    // The zeros are wanted a clock after their address, all over the memory: a register of their own.
    sweeps_q    <= !swept_q;
    clears_q    <= sweeps_q;
    init_done_o <= swept_q && !sweeps_q && !clears_q;

    if (rst) begin
      swept_q     <= 1'b0;
      sweeps_q    <= 1'b0;
      clears_q    <= 1'b0;
      init_done_o <= 1'b0;
      sweep_q     <= '0;
    end
  end

  if (Narrow) begin : gen_halves
    // The lower half goes first, both ways.
    logic reads_upper_q, loads_lower_q, loads_upper_q, writes_upper_q, gives_upper_q;
    logic [IdWidth-1:0] read_id_q, write_id_q;
    address_t read_address, write_address;
    word_t lower_q, upper_q;

    assign read_address      = reads_upper_q ? {read_id_q, 1'b1} : {read_id_i, 1'b0};
    assign read_connection_o = connection_t'({upper_q, lower_q});
    assign write             = write_enable_i || writes_upper_q || sweeps_q;
    assign write_address     = sweeps_q ? sweep_q
                             : writes_upper_q ? {write_id_q, 1'b1} : {write_id_i, 1'b0};
    assign write_word        = gives_upper_q ? word_t'(write_connection_i >> Width)
                                             : word_t'(write_connection_i);

    ram_sliced #(
      .Width      (Width),
      .Depth      (Words),
      .StrobeWidth(SliceWidth),
      .SliceWidth (SliceWidth),
      .ReadLatency(2)
    ) ram (
      .clk,
      .write_address_i(write_address),
      .write_enable_i ({Slices{write}}),
      .write_data_i   (clears_q ? '0 : write_word),
      .read_address_i (read_address),
      .read_data_o    (read_word)
    );

    always_ff @(posedge clk) begin
      reads_upper_q  <= read_enable_i && !reads_upper_q;
      writes_upper_q <= write_enable_i && !writes_upper_q;
      gives_upper_q  <= writes_upper_q;
      read_id_q      <= read_id_i;
      write_id_q     <= write_id_i;
      loads_lower_q  <= reads_upper_q;
      loads_upper_q  <= loads_lower_q;
      if (loads_lower_q) lower_q <= read_word;
      if (loads_upper_q) upper_q <= read_word;

      if (rst) begin
        reads_upper_q  <= 1'b0;
        loads_lower_q  <= 1'b0;
        loads_upper_q  <= 1'b0;
        writes_upper_q <= 1'b0;
      end
    end
  end else begin : gen_whole
    assign read_connection_o = read_word;
    assign write             = write_enable_i || sweeps_q;
    assign write_word        = write_connection_i;

    ram_simple_dual_port #(
      .Width      (Width),
      .Depth      (Words),
      .ReadLatency(ReadLatency)
    ) ram (
      .clk,
      .write_enable_i (write),
      .write_address_i(sweeps_q ? sweep_q : write_id_i),
      .write_data_i   (sweeps_q ? '0 : write_word),
      .read_enable_i  (read_enable_i),
      .read_address_i (read_id_i),
      .read_data_o    (read_word)
    );
  end

endmodule
