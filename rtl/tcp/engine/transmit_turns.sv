// SPDX-License-Identifier: Apache-2.0

// Transmit queue: whose turn it is to send, by deficit round robin.
//
//   push --+-- its turn goes on ---> [ again ] ------------+--> m
//          +-- else -----> [ queue, credit left over ] ----+   first those whose turn goes on
//
// A connection whose turn begins has credit for the longest segment and what its last turn left over,
// in blocks of 64 bytes (line_blocks). It sends a segment, and another as long as the credit is enough
// for one like the last; then its turn ends, and the next one is after all others. So connections with
// short segments get as much of the line as those with long ones. Who has nothing more to send loses
// what is left.
//
// A round is a turn for each that was in the queue when it began. While there is enough for the line,
// a round begins when all turns of the last one have ended; if there is not, who has had its turn
// may have the next one while others are still at theirs: the line goes before.
//
// An id is in here at most once (the user's care), so a push is always accepted.
//
// Latency    1 clock from push to m; 2 from the queue in block RAM. With Registers
//            3 clocks, two of them before and behind what is found of a push; 4 from an empty queue in block RAM.
// Throughput one push and one turn a clock; with Registers and block RAM a turn begins every second clock.
// Paths      none from push to m or from m_ready to m. What is offered may change until it is taken.
module transmit_turns
  import tcp_pkg::*;
#(
  parameter  int Connections = 64,
  parameter  int MaxBytes    = 1460,  // payload of a segment
  parameter  int UnderWay    = 32,    // turns that have begun and not ended, at most
  parameter  bit Registers   = 1'b0,
  parameter  bit BlockRam    = Connections > 64,  // for the queue
  localparam int IdWidth     = $clog2(Connections)
) (
  input  logic               clk,
  input  logic               rst,

  input  logic [IdWidth-1:0] push_id,
  input  logic               push_valid,
  // It comes back from m: with its credit, and the bytes of payload that it has sent.
  input  logic               push_turn,
  input  line_blocks_t       push_credit,
  input  logic [       15:0] push_length,

  input  logic               decided_i,    // one that m gave has come through, pushed again or not
  input  logic               line_busy_i,  // there is enough for the line until more can come

  output logic [IdWidth-1:0] m_id,
  output line_blocks_t       m_credit,
  output logic               m_valid,
  input  logic               m_ready
);

  localparam line_blocks_t Quantum = line_blocks(16'(MaxBytes));
  // A turn ends with less than its last segment took.
  localparam int LeftWidth = $clog2(int'(Quantum));

  typedef struct packed {
    logic [IdWidth-1:0]   id;
    logic [LeftWidth-1:0] left;
  } waiting_t;

  typedef struct packed {
    logic [IdWidth-1:0] id;
    line_blocks_t       credit;
  } turn_t;

  typedef struct packed {
    logic                 goes_on;
    logic                 waits;
    logic                 ended;  // a turn
    logic [IdWidth-1:0]   id;
    line_blocks_t         left;
  } pushed_t;

  // What is pushed, and what it cost.
  typedef struct packed {
    logic                 valid;
    logic                 turn;
    logic                 decided;
    logic [IdWidth-1:0]   id;
    line_blocks_t         credit;
    line_blocks_t         cost;
  } push_t;

  push_t push_now, push;
  pushed_t pushed_now, pushed;

  assign push_now = '{
          valid: push_valid,
          turn: push_turn,
          decided: decided_i,
          id: push_id,
          credit: push_credit,
          cost: line_blocks(push_length)
      };

  always_comb begin
    pushed_now.id = push.id;
    pushed_now.left = push.turn && push.credit > push.cost ? push.credit - push.cost : '0;
    // What is left is enough for another one: beside the difference, and not behind it.
    pushed_now.goes_on = push.valid && push.turn && {1'b0, push.credit} >= {push.cost, 1'b0};
    pushed_now.waits = push.valid && !pushed_now.goes_on;
    pushed_now.ended = push.decided && !pushed_now.goes_on;
  end

  if (Registers) begin : gen_registers
    always_ff @(posedge clk) begin
      push   <= push_now;
      pushed <= pushed_now;

      if (rst) begin
        push.valid     <= 1'b0;
        push.decided   <= 1'b0;
        pushed.goes_on <= 1'b0;
        pushed.waits   <= 1'b0;
        pushed.ended   <= 1'b0;
      end
    end
  end else begin : gen_no_registers
    assign push   = push_now;
    assign pushed = pushed_now;
  end

  // Block RAM stands where the part has it, and the choice where it is needed: a register behind the queue
  // keeps whose turn it is from the queue's addresses.
  localparam bit Apart = BlockRam && Registers;

  waiting_t head, next;
  logic head_valid, head_ready, next_valid, next_ready, unused_next;
  logic [IdWidth:0] waiting;

  stream_fifo #(
    .T       (waiting_t),
    .Depth   (Connections),
    .BlockRam(BlockRam ? (Registers ? 2 : 1) : 0)
  ) queue (
    .clk,
    .rst,
    .s_data ('{id: pushed.id, left: LeftWidth'(pushed.left)}),
    .s_valid(pushed.waits),
    .s_ready(unused_next),
    .m_data (head),
    .m_valid(head_valid),
    .m_ready(head_ready),
    .count_o(waiting)
  );

  stream_stage #(
    .T     (waiting_t),
    .Places(Apart ? 1 : 0)
  ) stage (
    .clk,
    .rst,
    .s_data (head),
    .s_valid(head_valid),
    .s_ready(head_ready),
    .m_data (next),
    .m_valid(next_valid),
    .m_ready(next_ready)
  );

  turn_t again;
  logic again_valid, unused_again;
  logic [$clog2(UnderWay+1)-1:0] unused_count;

  stream_fifo #(
    .T       (turn_t),
    .Depth   (UnderWay),
    .BlockRam(0)
  ) turns (
    .clk,
    .rst,
    .s_data ('{id: pushed.id, credit: pushed.left}),
    .s_valid(pushed.goes_on),
    .s_ready(unused_again),
    .m_data (again),
    .m_valid(again_valid),
    .m_ready(m_ready),
    .count_o(unused_count)
  );

  // Those whose turn in this round is still to come, and how many they are if `next` begins it or goes on.
  logic [IdWidth:0] round_q, round_next;
  logic [$clog2(UnderWay+1)-1:0] under_way_q;
  logic may_begin;

  // With the register all that the queue counts are behind `next`.
  if (Apart) begin : gen_next_apart
    assign round_next = round_q != '0 ? round_q - 1'b1 : waiting;
  end else begin : gen_next_counted
    assign round_next = (round_q != '0 ? round_q : waiting) - 1'b1;
  end

  assign may_begin = under_way_q != ($bits(under_way_q))'(UnderWay)
      && (round_q != '0 || under_way_q == '0 || !line_busy_i);

  assign m_valid = again_valid || (next_valid && may_begin);
  assign m_id = again_valid ? again.id : next.id;
  assign m_credit = again_valid ? again.credit : Quantum + line_blocks_t'(next.left);
  assign next_ready = m_ready && may_begin && !again_valid;

  always_ff @(posedge clk) begin
    if (next_valid && next_ready) round_q <= round_next;
    under_way_q <= under_way_q + ($bits(
        under_way_q
    ))'(next_valid && next_ready) - ($bits(
        under_way_q
    ))'(pushed.ended);

    if (rst) begin
      round_q     <= '0;
      under_way_q <= '0;
    end
  end

endmodule
