// SPDX-License-Identifier: Apache-2.0

// Which connection gives up its id when ids are short. Connections in TIME_WAIT go first, the longest
// waiting first, as soon as fewer than SpareIds are free. When there is none of them and a SYN or an
// open was refused, the oldest half-open connection of a peer goes, one for each that was refused;
// from then on one for each last free id that is taken, as long as ids are short and SpareIds of them
// half-open. So a flood of SYNs takes ids from itself, and the next SYN finds one free unless it comes
// faster than one is given up; and where all others are open, a newcomer does not go for the next one.
//
// Latency    2 clocks from a push to m_valid, 3 from free_count_i and refused_i.
// Throughput one id a clock from TIME_WAIT; of half-open ones the next when done_i tells what became
//            of the last: an entry may be of a connection that is open by now.
// Offers     are withdrawn when ids are free again: m_valid may fall before m_ready.
// Paths      from m_ready to no output.
module connection_recycler #(
  parameter  int Connections = 64,
  parameter  int SpareIds    = 8,
  localparam int IdWidth     = $clog2(Connections)
) (
  input  logic               clk,
  input  logic               rst,

  input  logic [IdWidth-1:0] push_id,
  input  logic               push_wait_valid,     // it is in TIME_WAIT
  input  logic               push_opening_valid,  // a peer's SYN was answered

  input  logic [  IdWidth:0] free_count_i,
  input  logic [  IdWidth:0] opening_count_i,     // half-open ones
  input  logic               refused_i,           // there was no room for a connection
  input  logic               done_i,              // the last half-open one was judged,
  input  logic               dropped_i,           // and its id will be free

  output logic [IdWidth-1:0] m_id,
  output logic               m_opening,           // half-open
  output logic               m_valid,
  input  logic               m_ready
);

  logic [IdWidth-1:0] wait_id, opening_id;
  logic wait_valid, opening_valid;
  logic few_ids_q, many_opening_q;
  logic few_ids, none_free, none_free_q, refused_q;
  logic pressed_q;  // somebody was refused, and ids are short since
  logic wanted_q;   // an id is to be given up, and nobody has gone for it
  logic judging_q;

  id_queue #(
    .Connections(Connections)
  ) wait_queue (
    .clk,
    .rst,
    .push_id,
    .push_valid(push_wait_valid),
    .m_id      (wait_id),
    .m_valid   (wait_valid),
    .m_ready   (m_ready && few_ids_q),
    .count_o   ()
  );

  id_queue #(
    .Connections(Connections)
  ) opening_queue (
    .clk,
    .rst,
    .push_id,
    .push_valid(push_opening_valid),
    .m_id      (opening_id),
    .m_valid   (opening_valid),
    .m_ready   (m_ready && m_opening),
    .count_o   ()
  );

  assign m_opening = !wait_valid && wanted_q && !judging_q;
  assign m_id      = wait_valid ? wait_id : opening_id;
  assign m_valid   = wait_valid ? few_ids_q : m_opening && opening_valid;

  // What is told from far away has a register, and a clock for the way.
  always_ff @(posedge clk) begin
    none_free <= free_count_i == '0;
    few_ids   <= free_count_i < (IdWidth + 1)'(SpareIds);
    refused_q <= refused_i;

    if (rst) begin
      none_free <= 1'b1;
      few_ids   <= 1'b0;
      refused_q <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    none_free_q <= none_free;
    few_ids_q   <= few_ids;
    pressed_q   <= refused_q || (pressed_q && few_ids_q);
    wanted_q    <= none_free && (refused_q || (pressed_q && many_opening_q && !none_free_q)
                                 || (wanted_q && !(done_i && dropped_i)));
    judging_q   <= (judging_q && !done_i) || (m_opening && m_valid && m_ready);
    many_opening_q <= opening_count_i >= (IdWidth + 1)'(SpareIds);

    if (rst) begin
      none_free_q <= 1'b1;
      few_ids_q   <= 1'b0;
      many_opening_q <= 1'b0;
      pressed_q   <= 1'b0;
      wanted_q    <= 1'b0;
      judging_q   <= 1'b0;
    end
  end

endmodule
