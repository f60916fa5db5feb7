// SPDX-License-Identifier: Apache-2.0

// What app_source has under way, oldest first: requests, each from the clock in which it is made to its
// refusal, or to the end of the packet that it was granted.
//
//   s ----> [ asked, told, begun ] ----> m
//                ^           |
//           s_tx_status      +--> chargen --> m_tx
//
// So the next sessions are asked for while a packet passes, and packets follow each other. Whose turn
// comes again before its end (note_i) is told so by it. An end of a session whose id belongs to another
// one by now (accepted_i) is void.
//
// Latency    4 clocks from a status to the first beat, and 1 from the last beat to m.
// Throughput 1 beat a clock, and a clock between packets.
// Paths      under_way_o and held_o follow look_session_i; m_tx_* and m_* are registers.
module source_packets
  import app_pkg::*;
#(
  parameter  int DataWidth     = 64,
  parameter  int Requests      = 2,    // a power of two
  parameter  int SmallestBytes = 256,  // below which room is not worth a request
  localparam int Lanes         = DataWidth / 8,
  localparam int PositionWidth = 14
) (
  input  logic                     clk,
  input  logic                     rst,

  // Goes out in this clock.
  input  session_t                 request_session_i,
  input  logic [PositionWidth-1:0] request_position_i,  // in the pattern
  input  logic [             15:0] request_length_i,
  input  logic                     request_smaller_i,   // than was refused just before
  input  logic                     request_noted_i,
  input  logic                     request_void_i,
  input  logic                     request_i,
  output logic                     room_o,
  output logic                     few_o,               // less than half of it is in use

  // Messages are whole structs; not every field matters here.
  // verilator lint_off UNUSEDSIGNAL
  input  tx_status_t               s_tx_status,
  // verilator lint_on UNUSEDSIGNAL
  input  logic                     s_tx_status_valid,
  output logic                     s_tx_status_ready,

  output logic [    DataWidth-1:0] m_tx_data,
  output logic [        Lanes-1:0] m_tx_keep,
  output logic                     m_tx_last,
  output logic                     m_tx_valid,
  input  logic                     m_tx_ready,

  // The end of the oldest: sent, or there is room for m_length, or neither.
  output session_t                 m_session,
  output logic [PositionWidth-1:0] m_position,          // where its pattern goes on
  output logic [             15:0] m_length,
  output logic                     m_sent,
  output logic                     m_smaller,
  output logic                     m_noted,
  output logic                     m_void,
  output logic                     m_valid,
  input  logic                     m_ready,

  input  session_t                 look_session_i,
  output logic                     under_way_o,         // it can be noted
  output logic                     held_o,              // not now: it ends, or its id is another's
  input  logic                     note_i,

  input  logic [SessionIdWidth-1:0] accepted_id_i,  // belongs to another session now
  input  logic                     accepted_i
);

  if (Requests < 2 || 2 ** $clog2(Requests) != Requests) begin : gen_check_requests
    $error("Requests must be a power of two, at least 2.");
  end

  typedef logic [$clog2(Requests)-1:0] place_t;

  session_t session_q[Requests];
  logic [PositionWidth-1:0] position_q[Requests];
  logic [15:0] length_q[Requests];
  logic [Requests-1:0] open_q, told_q, begun_q;
  logic [Requests-1:0] granted_q, refused_q;  // refused_q: even the smaller one
  logic [Requests-1:0] smaller_q, noted_q, void_q;
  logic [Requests-1:0] same, same_id, renamed;
  place_t in_q, tell_q, begin_q, run_q, end_q;
  logic [$clog2(Requests+1)-1:0] open_count_q;
  logic [$clog2(Requests+1)-1:0] sent_q;  // packets whose ends have not been taken
  logic told, begin_now, start_valid, start_ready, running_q, sent, ended;
  logic [PositionWidth-1:0] position;

  assign room_o            = !open_q[in_q];
  assign few_o             = open_count_q < ($bits(open_count_q))'(Requests / 2);
  assign s_tx_status_ready = open_q[tell_q] && !told_q[tell_q];
  assign told              = s_tx_status_valid && s_tx_status_ready;

  // Refused ones pass beside the generator.
  assign start_valid       = open_q[begin_q] && told_q[begin_q] && !begun_q[begin_q]
      && granted_q[begin_q];
  assign begin_now         = open_q[begin_q] && told_q[begin_q] && !begun_q[begin_q]
      && (!granted_q[begin_q] || start_ready);
  assign sent              = m_tx_valid && m_tx_ready && m_tx_last;

  chargen #(
    .DataWidth(DataWidth)
  ) generator (
    .clk,
    .rst,
    .position_i   (position_q[begin_q]),
    .length_i     (length_q[begin_q]),
    .s_start_valid(start_valid),
    .s_start_ready(start_ready),
    .position_o   (position),
    .m_data       (m_tx_data),
    .m_keep       (m_tx_keep),
    .m_last       (m_tx_last),
    .m_valid      (m_tx_valid),
    .m_ready      (m_tx_ready)
  );

  assign m_session  = session_q[end_q];
  assign m_position = position_q[end_q];
  assign m_length   = length_q[end_q];
  assign m_sent     = granted_q[end_q];
  assign m_smaller  = !granted_q[end_q] && !refused_q[end_q];
  assign m_noted    = noted_q[end_q];
  assign m_void     = void_q[end_q];
  assign m_valid    = open_q[end_q] && begun_q[end_q] && (!granted_q[end_q] || sent_q != '0);
  assign ended      = m_valid && m_ready;

  always_comb begin
    for (int i = 0; i < Requests; i++) begin
      same_id[i]     = open_q[i] && session_q[i].id == look_session_i.id;
      same[i]        = same_id[i] && session_q[i].generation == look_session_i.generation;
      renamed[i] = open_q[i] && session_q[i].id == accepted_id_i;
    end
  end

  assign under_way_o = |same && !m_valid;
  assign held_o      = |same_id && !under_way_o;

  always_ff @(posedge clk) begin
    for (int i = 0; i < Requests; i++) begin
      if (note_i && same[i]) noted_q[i] <= 1'b1;
      if (accepted_i && renamed[i]) void_q[i] <= 1'b1;
      if (told && tell_q == place_t'(i)) begin
        told_q[i]    <= 1'b1;
        granted_q[i] <= s_tx_status.error == TxOk;
        refused_q[i] <= s_tx_status.error != TxNoSpace || smaller_q[i]
            || s_tx_status.space < 32'(SmallestBytes);
        if (s_tx_status.error == TxNoSpace && s_tx_status.space < 32'(length_q[i]))
          length_q[i] <= s_tx_status.space[15:0];
      end
      if (begin_now && begin_q == place_t'(i)) begun_q[i] <= 1'b1;
      if (running_q && start_ready && run_q == place_t'(i)) position_q[i] <= position;
      if (ended && end_q == place_t'(i)) open_q[i] <= 1'b0;
      if (request_i && in_q == place_t'(i)) begin
        session_q[i]  <= request_session_i;
        position_q[i] <= request_position_i;
        length_q[i]   <= request_length_i;
        smaller_q[i]  <= request_smaller_i;
        noted_q[i]    <= request_noted_i;
        void_q[i]     <= request_void_i;
        open_q[i]     <= 1'b1;
        told_q[i]     <= 1'b0;
        begun_q[i]    <= 1'b0;
      end
    end

    // The generator says where the pattern goes on when it could begin the next packet.
    if (start_valid && start_ready) begin
      running_q <= 1'b1;
      run_q     <= begin_q;
    end else if (start_ready) begin
      running_q <= 1'b0;
    end

    if (request_i) in_q <= in_q + 1'b1;
    if (told) tell_q <= tell_q + 1'b1;
    if (begin_now) begin_q <= begin_q + 1'b1;
    if (ended) end_q <= end_q + 1'b1;
    open_count_q <= open_count_q + ($bits(open_count_q))'(request_i)
        - ($bits(open_count_q))'(ended);
    sent_q       <= sent_q + ($bits(sent_q))'(sent) - ($bits(sent_q))'(ended && m_sent);

    if (rst) begin
      open_q       <= '0;
      in_q         <= '0;
      tell_q       <= '0;
      begin_q      <= '0;
      end_q        <= '0;
      open_count_q <= '0;
      sent_q       <= '0;
      running_q    <= 1'b0;
    end
  end

endmodule
