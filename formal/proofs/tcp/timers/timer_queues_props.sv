// SPDX-License-Identifier: Apache-2.0

// timer_queues with two connections, seen from an arbitrary class: what comes out of it was put in,
// comes out once and in order, and not before its time, whatever the other classes do and however
// the time jumps; and a visit of the scan finds what is due. That what is offered stays offered is
// proven of stream_register, which is the output.
module timer_queues_props
  import tcp_pkg::*;
#(
  parameter  int Connections = 2,
  localparam int IdWidth     = $clog2(Connections),
  localparam int ClassWidth  = $clog2(TimerClasses)
) (
  input logic                  clk,
  input logic                  rst,
  input timer_us_t             now_us,
  input logic [   IdWidth-1:0] arm_id,
  input logic [ClassWidth-1:0] arm_class,
  input timer_us_t             arm_us,
  input logic                  arm_valid,
  input logic                  m_ready,
  input logic [ClassWidth-1:0] watched   // an arbitrary constant
);

  logic init_done_o, m_valid;
  logic [IdWidth-1:0] m_id;
  logic [ClassWidth-1:0] m_class;

  timer_queues #(.Connections(Connections)) dut (.*);

  logic started = 1'b0;
  logic [ClassWidth-1:0] watched_q;
  timer_us_t now_q;

  always_ff @(posedge clk) begin
    started   <= 1'b1;
    watched_q <= watched;
    now_q     <= now_us;
    if (!started) begin
      assume (rst);
    end else begin
      assume (watched == watched_q);
    end
  end

  // The entries of the watched class, oldest first, as they were put in.
  typedef struct packed {
    logic [IdWidth-1:0] id;
    timer_us_t          armed;
    timer_us_t          waited;  // up to the last clock
  } model_t;

  logic [1:0] count_q;
  model_t     model_q[2];
  model_t     shown[2];     // with the waiting time up to now
  logic arm, take;
  timer_us_t step;

  assign arm  = arm_valid && arm_class == watched;
  assign take = m_valid && m_ready && m_class == watched;
  assign step = now_us - now_q;

  always_comb begin
    for (int i = 0; i < 2; i++) begin
      shown[i] = model_q[i];
      shown[i].waited = model_q[i].waited + step;
    end
  end

  always_ff @(posedge clk) begin
    count_q <= count_q + 2'(arm) - 2'(take);
    model_q <= shown;
    if (take) model_q[0] <= shown[1];
    if (arm)
      model_q[1'(count_q-2'(take))] <= '{id: arm_id, armed: arm_us, waited: now_us - arm_us};

    if (rst) count_q <= '0;
  end

  timer_us_t duration;
  assign duration = timer_us_t'(1) << (6'(watched) + 6'(TimerClassMinLog2));

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      // The user's part: arming after the start, each id once; the time goes forward, and no entry
      // waits for 2^31 us.
      if (arm_valid) assume (init_done_o);
      if (arm) assume (count_q != 2'd2 && (count_q == '0 || arm_id != model_q[0].id));
      for (int i = 0; i < 2; i++) begin
        if (2'(i) < count_q) assume (shown[i].waited >= model_q[i].waited);
      end

      // What is promised.
      if (m_valid && m_class == watched) begin
        assert (count_q != '0);
        assert (m_id == model_q[0].id);
        assert (shown[0].waited >= duration);
      end
    end
  end

  // Where the module has them, for induction: in the output's two registers, then in the queue.
  logic [IdWidth:0] head, tail, in_queue;
  logic in_output, in_spare;
  logic [1:0] out;

  assign head      = dut.heads.memory[watched];
  assign tail      = dut.arm_tails.memory[watched];
  assign in_queue  = tail - head;
  assign in_output = m_valid && m_class == watched;
  assign in_spare  = dut.expiries.gen_spare.spare_valid_q
      && dut.expiries.gen_spare.spare_q.timer_class == watched;
  assign out       = 2'(in_output) + 2'(in_spare);

  typedef struct packed {
    logic [IdWidth-1:0] id;
    timer_us_t          armed_us;
  } entry_t;

  // The entry at a place: in the memory, or on its way there.
  function automatic entry_t at(input logic [IdWidth:0] place);
    if (dut.put_q && dut.put_class_q == watched && dut.put_place_q == place[IdWidth-1:0])
      at = dut.put_entry_q;
    else at = dut.entries.memory[{watched, place[IdWidth-1:0]}];
  endfunction

  entry_t queued[2];
  model_t first;             // of the queue
  logic in_flight[5], flight_here[5];
  logic [ClassWidth-1:0] flight_class[5];
  logic [IdWidth:0] flight_head[5];

  assign queued[0] = at(head);
  assign queued[1] = at(head + 1'b1);
  assign first = model_q[out[0]];
  assign in_flight = '{dut.visit_b_q.valid, dut.visit_c_q.valid, dut.visit_d_q.valid,
                       dut.visit_e_q.valid, dut.visit_f_q.valid};
  assign flight_class = '{dut.visit_b_q.timer_class, dut.visit_c_q.timer_class,
                          dut.visit_d_q.timer_class, dut.visit_e_q.timer_class,
                          dut.visit_f_q.timer_class};
  assign flight_head = '{dut.visit_b_q.head, dut.visit_c_q.head, dut.visit_d_q.head,
                         dut.visit_e_q.head, dut.visit_f_q.head};
  for (genvar i = 0; i < 5; i++) begin : gen_flight
    assign flight_here[i] = in_flight[i] && flight_class[i] == watched;
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      assert (m_valid || !dut.expiries.gen_spare.spare_valid_q);
      if (!init_done_o) begin
        assert (count_q == '0 && !m_valid);
        for (int i = 0; i < 5; i++) assert (!in_flight[i]);
        if (watched < dut.sweep_q)
          assert (head == '0 && tail == '0 && dut.scan_tails.memory[watched] == '0);
      end else begin
        assert (dut.scan_tails.memory[watched] == tail);
        assert (in_queue <= (IdWidth + 1)'(Connections));
        assert (count_q <= 2'd2);
        assert (count_q == out + 2'(in_queue));
        assert (count_q < 2'd2 || model_q[0].id != model_q[1].id);
        if (dut.put_q && dut.put_class_q == watched)
          assert (dut.put_place_q == IdWidth'(tail - 1'b1) && in_queue != '0);
        for (int i = 0; i < 2; i++) begin
          if (2'(i) < count_q) assert (model_q[i].armed == now_q - model_q[i].waited);
          if (2'(i) < 2'(in_queue)) begin
            assert (queued[i].id == model_q[1'(out+2'(i))].id);
            assert (queued[i].armed_us == model_q[1'(out+2'(i))].armed);
          end
        end
        if (in_output) assert (m_id == model_q[0].id && model_q[0].waited >= duration);
        if (in_spare) begin
          assert (dut.expiries.gen_spare.spare_q.id == model_q[out[1]].id);
          assert (model_q[out[1]].waited >= duration);
        end

        // Visits follow each other by class; one to this class looks at the head of its queue.
        for (int i = 0; i < 5; i++) begin
          if (in_flight[i])
            assert (flight_class[i] == ClassWidth'(dut.scan_q - ClassWidth'(i + 1)));
          if (flight_here[i]) assert (in_queue != '0 && flight_head[i] == head);
        end
        if (flight_here[0])
          assert (!dut.put_q || dut.put_class_q != watched || dut.put_place_q != head[IdWidth-1:0]);
        if (flight_here[1]) assert (dut.entries.read_data_q == queued[0]);
        if (flight_here[2]) assert (dut.entry_d == queued[0]);
        if (flight_here[3]) begin
          assert (dut.id_e_q == first.id);
          assert (dut.waited_e_q == first.waited[$bits(timer_us_t)-1:TimerClassMinLog2]);
        end
        if (flight_here[4]) assert (dut.id_f_q == first.id && first.waited >= duration);
        // Nothing that is due is passed over.
        if (flight_here[3] && !dut.blocked && first.waited >= duration)
          assert ((dut.waited_e_q >> watched) != '0);
      end
    end
  end

endmodule
