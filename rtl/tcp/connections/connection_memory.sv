// SPDX-License-Identifier: Apache-2.0

// State of every connection, by id.
//
// Latency    ReadLatency clocks from read_enable_i to read_connection_o, which keeps its value until the
//            next read's.
// Throughput one read and one write a clock.
// Collision  a read of the id that is written in the same clock returns undefined data: the
//            connection pipeline forwards instead.
// Start      after reset every connection is written to zero (TcpClosed), one a clock, until
//            init_done_o; nothing may be written before.
module connection_memory
  import tcp_pkg::*;
#(
  parameter  int Connections = 64,
  parameter  int ReadLatency = 2,
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

  logic [IdWidth-1:0] sweep_q;

  always_ff @(posedge clk) begin
    if (!init_done_o) begin
      sweep_q     <= sweep_q + 1'b1;
      init_done_o <= sweep_q == '1;
    end

    if (rst) begin
      init_done_o <= 1'b0;
      sweep_q     <= '0;
    end
  end

  ram_simple_dual_port #(
    .Width      ($bits(connection_t)),
    .Depth      (Connections),
    .ReadLatency(ReadLatency)
  ) ram (
    .clk,
    .write_enable_i (write_enable_i || !init_done_o),
    .write_address_i(init_done_o ? write_id_i : sweep_q),
    .write_data_i   (init_done_o ? write_connection_i : '0),
    .read_enable_i,
    .read_address_i (read_id_i),
    .read_data_o    (read_connection_o)
  );

endmodule
