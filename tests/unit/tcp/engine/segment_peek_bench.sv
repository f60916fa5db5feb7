// SPDX-License-Identifier: Apache-2.0

// segment_peek with the fields that it reads of a connection's state as ports of their own, for
// test_segment_peek.py, and what must hold of its count of the segments that are ahead.
module segment_peek_bench
  import app_pkg::*;
  import seq_pkg::*;
  import tcp_pkg::*;
  import tcp_peek_pkg::*;
#(
  parameter  int Connections = 8,
  parameter  int Patience    = 48,
  localparam int IdWidth     = $clog2(Connections)
) (
  input  logic               clk,
  input  logic               rst,

  input  logic               s_head_asked,
  input  peeked_t            s_head,
  input  logic               s_head_valid,
  output logic               s_head_ready,
  input  logic               found_valid_i,
  input  logic               found_hit_i,
  input  logic [IdWidth-1:0] found_id_i,
  input  logic               ended_i,
  input  logic               ended_bad_i,
  input  logic               summed_i,
  input  logic               summed_good_i,

  input  logic               write_enable_i,
  input  logic [IdWidth-1:0] write_id_i,
  input  logic               established_i,
  input  logic               delivering_i,
  input  app_id_t            app_i,
  input  logic [        3:0] generation_i,
  input  seq_t               rcv_nxt_i,
  input  seq_t               rcv_read_i,
  input  seq_t               rcv_edge_i,
  input  logic               committed_i,

  input  logic               allowed_i,
  input  logic               room_i,

  output logic               m_go,
  output logic               m_go_valid,
  input  logic               m_go_ready,
  output logic               m_verdict_good,
  output logic               m_verdict_valid,
  output logic               m_revoke_valid,
  input  logic               m_revoke_ready,
  output logic               m_flag,
  output logic               m_flag_valid,
  input  logic               m_flag_ready,

  output app_offer_t         m_query,
  output logic               m_query_valid,
  input  logic               m_query_ready,
  input  logic               withdrawn_i,
  input  logic [       15:0] s_grant_length,
  input  logic               s_grant_valid,
  output logic               asking_o
);

  connection_t connection;

  always_comb begin
    connection            = '0;
    connection.state      = established_i ? TcpEstablished : TcpClosed;
    connection.delivering = delivering_i;
    connection.app        = app_i;
    connection.generation = generation_i;
    connection.rcv_nxt    = rcv_nxt_i;
    connection.rcv_read   = rcv_read_i;
    connection.rcv_edge   = rcv_edge_i;
  end

  segment_peek #(
    .Connections(Connections),
    .Patience   (Patience)
  ) dut (
    .*,
    .write_connection_i(connection)
  );

  // Of those that were good and are not committed each is in the list, whose places fill from the
  // first on, or unknown.
  int outstanding_q;

  always_ff @(posedge clk) begin
    outstanding_q <= outstanding_q + int'(dut.push) - int'(committed_i);
    if (!rst) begin
      assert (outstanding_q == int'(dut.unknown_q) + $countones(dut.ahead_valid_q));
      assert (!committed_i || outstanding_q != 0);
      assert ((dut.ahead_valid_q & (dut.ahead_valid_q + 1'b1)) == '0);
      assert (!dut.ask || dut.unknown_q == '0);
    end

    if (rst) outstanding_q <= 0;
  end

endmodule
