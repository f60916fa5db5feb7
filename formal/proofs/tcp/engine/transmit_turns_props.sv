// SPDX-License-Identifier: Apache-2.0

// transmit_turns: who is pushed is offered once for it, with the credit that is due; while one watched
// is at its turn and the line is busy, no other begins more than one.
module transmit_turns_props
  import tcp_pkg::*;
#(
  parameter  int Connections = 4,
  parameter  int MaxBytes    = 200,
  parameter  int UnderWay    = 2,
  // Ids are names: who comes first may be called 0, and who comes next 1.
  parameter  bit InOrder     = 1'b1,
  parameter  bit Registers   = 1'b0,
  parameter  bit BlockRam    = 1'b0,
  localparam int IdWidth     = $clog2(Connections)
) (
  input logic               clk,
  input logic [IdWidth-1:0] push_id,
  input logic               push_valid,
  input logic               comes_back,  // from its turn, and is pushed again if push_valid
  input logic [       15:0] push_length,
  input logic               line_busy_i,
  input logic               m_ready,
  input logic [IdWidth-1:0] watched,     // arbitrary constants
  input logic [IdWidth-1:0] other
);

  localparam line_blocks_t Quantum = line_blocks(16'(MaxBytes));

  typedef enum logic [1:0] {
    Out,     // nothing to send
    Waits,   // in the queue
    Away,    // offered and taken
    Again    // its turn goes on
  } place_e;

  logic rst = 1'b1, started = 1'b0;
  logic [IdWidth-1:0] watched_q, other_q;
  always_ff @(posedge clk) begin
    rst       <= 1'b0;
    started   <= 1'b1;
    watched_q <= watched;
    other_q   <= other;
    if (started) assume (watched == watched_q && other == other_q);
    assume (watched != other);
  end

  place_e [Connections-1:0] place_q;
  line_blocks_t [Connections-1:0] credit_q;  // left over, that of the turn, or what is left of that

  logic [IdWidth-1:0] m_id;
  line_blocks_t m_credit, left;
  logic m_valid, taken, decided, goes_on;

  // What was pushed one and two clocks ago, with Registers; it is in its place a clock later.
  typedef struct packed {
    logic               decided;
    logic               valid;
    logic               goes_on;
    logic [IdWidth-1:0] id;
    line_blocks_t       left;
  } pushed_t;

  pushed_t pushed_now, pushed;
  pushed_t [1:0] pushed_q;
  logic pending;  // the one that is pushed now is on its way already

  always_comb begin
    pending = 1'b0;
    for (int i = 0; i < 2; i++) begin
      if (Registers && (pushed_q[i].valid || pushed_q[i].decided) && pushed_q[i].id == push_id)
        pending = 1'b1;
    end
  end
  assign pushed_now = '{decided, push_valid, goes_on, push_id, left};
  assign pushed = Registers ? pushed_q[1] : pushed_now;

  always_ff @(posedge clk) pushed_q <= rst ? '0 : {pushed_q[0], pushed_now};

  assign decided = comes_back && place_q[push_id] == Away && !pending;
  assign left = credit_q[push_id] > line_blocks(push_length)
      ? credit_q[push_id] - line_blocks(push_length) : '0;
  assign goes_on = decided && push_valid && left >= line_blocks(push_length);
  assign taken = m_valid && m_ready;

  transmit_turns #(
    .Connections(Connections),
    .MaxBytes   (MaxBytes),
    .UnderWay   (UnderWay),
    .Registers  (Registers),
    .BlockRam   (BlockRam)
  ) dut (
    .clk,
    .rst,
    .push_id,
    .push_valid,
    .push_turn  (decided),
    .push_credit(credit_q[push_id]),
    .push_length,
    .decided_i  (decided),
    .line_busy_i,
    .m_id,
    .m_credit,
    .m_valid,
    .m_ready
  );

  // Turns that the other has begun while the one watched is at its own and the line is busy.
  logic [1:0] begun_q;
  logic at_turn;
  assign at_turn = place_q[watched] == Away || place_q[watched] == Again;

  always_ff @(posedge clk) begin
    if (taken) begin
      place_q[m_id]  <= Away;
      credit_q[m_id] <= m_credit;
    end
    if (pushed.decided || pushed.valid) begin
      place_q[pushed.id]  <= !pushed.valid ? Out : pushed.goes_on ? Again : Waits;
      credit_q[pushed.id] <= pushed.valid && pushed.decided ? pushed.left : '0;
    end

    if (!at_turn || !line_busy_i) begun_q <= '0;
    else if (taken && m_id == other && place_q[other] == Waits && begun_q != '1)
      begun_q <= begun_q + 1'b1;

    if (rst) begin
      place_q  <= '0;
      credit_q <= '0;
      begun_q  <= '0;
    end
  end

  logic [IdWidth:0] waiting, turns;
  always_comb begin
    waiting = '0;
    turns = '0;
    for (int i = 0; i < Connections; i++) begin
      waiting += (IdWidth + 1)'(place_q[i] == Waits);
      turns += (IdWidth + 1)'(place_q[i] == Away || place_q[i] == Again);
    end
  end

  // One may begin: there is a turn for it, and the round is over, or the line idle. Behind block RAM it is
  // offered a clock later.
  localparam int Late = BlockRam ? 1 : 0;
  logic due;
  logic [1:0] late_q;
  assign due = waiting != '0 && (turns == '0 || turns < (IdWidth + 1)'(UnderWay) && !line_busy_i);
  always_ff @(posedge clk) late_q <= rst || !due || m_valid ? '0 : late_q + 1'b1;

  logic [IdWidth:0] seen_q;
  always_ff @(posedge clk) begin
    if (push_valid && seen_q == (IdWidth + 1)'(push_id)) seen_q <= seen_q + 1'b1;
    if (rst) seen_q <= '0;
  end

  always_ff @(posedge clk) begin
    assume (push_length <= 16'(MaxBytes));
    if (started && !rst) begin
      if (InOrder && push_valid) assume ((IdWidth + 1)'(push_id) <= seen_q);
      if (push_valid) assume (decided || (place_q[push_id] == Out && !pending));

      // Who is offered waits, and has what is due: a longest segment at least for a new turn.
      if (m_valid) begin
        assert (place_q[m_id] == Waits || place_q[m_id] == Again);
        assert (m_credit == credit_q[m_id] + (place_q[m_id] == Waits ? Quantum : '0));
        assert (m_credit != '0 && m_credit < 2 * Quantum);
      end

      // Somebody is, unless all turns there may be are under way, or a round ends.
      assert (turns <= (IdWidth + 1)'(UnderWay));
      if (due && late_q == 2'(Late)) assert (m_valid);
      for (int i = 0; i < Connections; i++) begin
        if (place_q[i] == Again) assert (m_valid && place_q[m_id] == Again);
      end

      // Rounds.
      assert (begun_q <= 2'd1);
    end

    cover (started && !rst && begun_q == 2'd1 && taken && place_q[m_id] == Again);
    cover (started && !rst && taken && place_q[m_id] == Waits && credit_q[m_id] != '0);
    cover (started && !rst && waiting == (IdWidth + 1)'(Connections - UnderWay)
        && turns == (IdWidth + 1)'(UnderWay) && pushed.goes_on);
  end

endmodule
