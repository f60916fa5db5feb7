// SPDX-License-Identifier: Apache-2.0

// Timers of all connections: one queue for each of TimerClasses durations. An entry of class k comes
// out 2^(k + TimerClassMinLog2) microseconds or more after it was put in. As all entries of a queue
// wait equally long, they come out in the order in which they went in, and only the heads are looked
// at: in turn, one class a clock. There is no cancelling: who takes an entry out sees in the
// connection whether its deadline has moved.
//
// arm         always accepted, one a clock, from init_done_o on, with the time from which it waits: now,
//             or before. There are Depth places in a queue. A connection is in a queue at most once (the
//             user's care; from m on it is no longer in it), so none can overflow with one for each, and
//             timer_spill in front needs fewer.
// Accuracy    never early. Late by 32 clocks at most when m is ready and the entry is alone; a class
//             gives one entry every TimerClasses clocks, all together one a clock.
// Fairness    a class that is due waits for one entry of each other class at most.
// Time        now_us may jump forward and goes round; an entry must be taken before 2^31 us have
//             passed.
// Paths       m_* are registers; arm_* lead into LUT RAM.
// Start       init_done_o TimerClasses clocks after reset.
module timer_queues
  import tcp_pkg::*;
#(
  parameter  int Connections = 64,
  parameter  int Depth       = Connections,
  localparam int IdWidth     = $clog2(Connections),
  localparam int ClassWidth  = $clog2(TimerClasses)
) (
  input  logic                  clk,
  input  logic                  rst,

  input  timer_us_t             now_us,
  output logic                  init_done_o,

  input  logic [   IdWidth-1:0] arm_id,
  input  logic [ClassWidth-1:0] arm_class,
  input  timer_us_t             arm_us,
  input  logic                  arm_valid,

  output logic [   IdWidth-1:0] m_id,
  output logic [ClassWidth-1:0] m_class,
  output logic                  m_valid,
  input  logic                  m_ready
);

  localparam int DepthWidth = $clog2(Depth);

  if (Connections < 2 || Connections != 2 ** IdWidth) begin : gen_check_connections
    $error("Connections must be a power of two and at least 2.");
  end
  if (Depth < 2 || Depth != 2 ** DepthWidth) begin : gen_check_depth
    $error("Depth must be a power of two and at least 2.");
  end
  // A visit to a class must have ended when its next one begins.
  if (TimerClasses < 8 || TimerClasses != 2 ** ClassWidth) begin : gen_check_classes
    $error("TimerClasses must be a power of two and at least 8.");
  end

  typedef logic [IdWidth-1:0] id_t;
  typedef logic [ClassWidth-1:0] class_t;
  // Place in a queue, with one bit more to tell full from empty.
  typedef logic [DepthWidth:0] place_t;

  typedef struct packed {
    id_t       id;
    timer_us_t armed_us;
  } entry_t;

  typedef struct packed {
    id_t    id;
    class_t timer_class;
  } expiry_t;

  // Start: empty the queues.
  class_t sweep_q;

  always_ff @(posedge clk) begin
    if (!init_done_o) begin
      sweep_q     <= sweep_q + 1'b1;
      init_done_o <= sweep_q == class_t'(TimerClasses - 1);
    end

    if (rst) begin
      sweep_q     <= '0;
      init_done_o <= 1'b0;
    end
  end

  // The queues: entries in one memory, where each begins and ends in small ones. The end is needed in
  // two places at once.
  place_t arm_tail, arm_tail_next, scan_tail, scan_head;
  class_t scan_q;

  class_t tail_write_class, head_write_class;
  place_t head_next;
  logic tail_write, head_write;

  assign arm_tail_next    = init_done_o ? arm_tail + 1'b1 : '0;
  assign tail_write       = arm_valid || !init_done_o;
  assign tail_write_class = init_done_o ? arm_class : sweep_q;

  ram_distributed #(
    .Width(DepthWidth + 1),
    .Depth(TimerClasses)
  ) arm_tails (
    .clk,
    .write_enable_i (tail_write),
    .write_address_i(tail_write_class),
    .write_data_i   (arm_tail_next),
    .read_address_i (arm_class),
    .read_data_o    (arm_tail)
  );

  ram_distributed #(
    .Width(DepthWidth + 1),
    .Depth(TimerClasses)
  ) scan_tails (
    .clk,
    .write_enable_i (tail_write),
    .write_address_i(tail_write_class),
    .write_data_i   (arm_tail_next),
    .read_address_i (scan_q),
    .read_data_o    (scan_tail)
  );

  ram_distributed #(
    .Width(DepthWidth + 1),
    .Depth(TimerClasses)
  ) heads (
    .clk,
    .write_enable_i (head_write),
    .write_address_i(head_write_class),
    .write_data_i   (head_next),
    .read_address_i (scan_q),
    .read_data_o    (scan_head)
  );

  // Arming: the entry is in the memory one clock after the tail says so; the scan reads it later.
  logic   put_q;
  class_t put_class_q;
  logic [DepthWidth-1:0] put_place_q;
  entry_t put_entry_q;

  always_ff @(posedge clk) begin
    put_q       <= arm_valid && init_done_o;
    put_class_q <= arm_class;
    put_place_q <= arm_tail[DepthWidth-1:0];
    put_entry_q <= '{id: arm_id, armed_us: arm_us};
  end

  // The scan, one class a clock: a) its head, b) and c) the entry there, d) how long it has waited,
  // e) whether that is enough, f) if so, take it out.
  typedef struct packed {
    logic   valid;        // b to e: the queue holds an entry; f: which is due
    class_t timer_class;
    place_t head;
  } visit_t;

  localparam int WaitedWidth = $bits(timer_us_t) - TimerClassMinLog2;

  visit_t visit_b_q, visit_c_q, visit_d_q, visit_e_q, visit_f_q;
  entry_t entry_d;
  id_t id_e_q, id_f_q;
  logic [WaitedWidth-1:0] waited_d, waited_e_q;  // in units of the shortest class
  logic [TimerClassMinLog2-1:0] unused_waited;

  ram_simple_dual_port #(
    .Width      ($bits(entry_t)),
    .Depth      (TimerClasses * Depth),
    .ReadLatency(2)
  ) entries (
    .clk,
    .write_enable_i (put_q),
    .write_address_i({put_class_q, put_place_q}),
    .write_data_i   (put_entry_q),
    .read_enable_i  (visit_b_q.valid),
    .read_address_i ({visit_b_q.timer_class, visit_b_q.head[DepthWidth-1:0]}),
    .read_data_o    (entry_d)
  );

  assign {waited_d, unused_waited} = now_us - entry_d.armed_us;

  expiry_t m_expiry;
  logic expiry_ready, take, blocked;

  assign take    = visit_f_q.valid && expiry_ready;
  // The scan goes back to a class that is due when there is no room: none is passed over.
  assign blocked = visit_f_q.valid && !expiry_ready;

  always_ff @(posedge clk) begin
    scan_q <= scan_q + 1'b1;

    visit_b_q  <= '{valid: init_done_o && scan_head != scan_tail,
                    timer_class: scan_q, head: scan_head};
    visit_c_q  <= visit_b_q;
    visit_d_q  <= visit_c_q;
    visit_e_q  <= visit_d_q;
    id_e_q     <= entry_d.id;
    waited_e_q <= waited_d;
    visit_f_q  <= visit_e_q;
    id_f_q     <= id_e_q;
    visit_f_q.valid <= visit_e_q.valid && (waited_e_q >> visit_e_q.timer_class) != '0;

    if (blocked) scan_q <= visit_f_q.timer_class;

    if (rst || blocked) begin
      visit_b_q.valid <= 1'b0;
      visit_c_q.valid <= 1'b0;
      visit_d_q.valid <= 1'b0;
      visit_e_q.valid <= 1'b0;
      visit_f_q.valid <= 1'b0;
    end
    if (rst) scan_q <= '0;
  end

  assign head_write       = take || !init_done_o;
  assign head_write_class = init_done_o ? visit_f_q.timer_class : sweep_q;
  assign head_next        = init_done_o ? visit_f_q.head + 1'b1 : '0;

  stream_register #(
    .T(expiry_t)
  ) expiries (
    .clk,
    .rst,
    .s_data ('{id: id_f_q, timer_class: visit_f_q.timer_class}),
    .s_valid(visit_f_q.valid),
    .s_ready(expiry_ready),
    .m_data (m_expiry),
    .m_valid,
    .m_ready
  );

  assign m_id    = m_expiry.id;
  assign m_class = m_expiry.timer_class;

endmodule
