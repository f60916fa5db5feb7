// SPDX-License-Identifier: Apache-2.0

// event_arbiter: each event taken from a source comes out once, in the order of taking, as what it
// was; none is made up; none is let in without room; none of the sources starves.
//
// Nothing is assumed of the sources or of the pipeline. The bound on waiting holds for as long as a
// source asks and has the room that it alone needs; room_i may come and go meanwhile.
module event_arbiter_props
  import app_pkg::*;
  import page_pkg::*;
  import tcp_pkg::*;
#(
  parameter  int Connections = 4,
  parameter  int Places      = 2,
  localparam int IdWidth     = $clog2(Connections)
) (
  input logic               clk,
  input logic [       31:0] now_us,
  input logic [       31:0] ts_now,
  input logic               tx_backlog_i,
  input logic               room_i,
  input logic               report_room_i,
  input logic               deliver_room_i,
  input tcp_event_t         segment_event,
  input app_command_t       command,
  input app_offer_t         tx_request,
  input page_offer_t        tx_request_pages,
  input session_t           tx_written_session,
  input session_t           delivered_session,
  input logic [       15:0] tx_written_length,
  input logic [       15:0] delivered_length,
  input logic [        3:0] timer_class,
  input line_blocks_t       transmit_credit,
  input logic               recycle_opening,
  // In the order of the indices below.
  input logic [       10:0] valid,
  input logic [IdWidth-1:0] id[11],
  input logic               m_ready,
  input logic [        3:0] watched       // a source: an arbitrary constant
);

  localparam int Segment = 0, Timer = 1, Command = 2, TxRequest = 3, TxWritten = 4, Delivered = 5,
      Transmit = 6, Report = 7, Deliver = 8, Recycle = 9, Pages = 10, Sources = 11;

  // The order in which the sources take turns is that of the RTL, behind the segments.
  localparam int Turns = Sources - 1;

  logic rst = 1'b1, started = 1'b0;
  logic [3:0] watched_q;
  always_ff @(posedge clk) begin
    rst       <= 1'b0;
    started   <= 1'b1;
    watched_q <= watched;
    if (started) assume (watched == watched_q);
    assume (int'(watched) < Sources);
  end

  logic [Sources-1:0] ready, taken;
  tcp_event_t segment, m_event;
  logic [IdWidth-1:0] m_id;
  logic m_valid;

  always_comb begin
    segment = segment_event;
    segment.kind = EvSegment;
  end

  event_arbiter #(
    .Connections(Connections),
    .Places     (Places)
  ) dut (
    .clk,
    .rst,
    .now_us,
    .ts_now,
    .tx_backlog_i,
    .room_i,
    .report_room_i,
    .deliver_room_i,
    .s_segment_event     (segment),
    .s_segment_id        (id[Segment]),
    .s_segment_valid     (valid[Segment]),
    .s_segment_ready     (ready[Segment]),
    .s_timer_id          (id[Timer]),
    .s_timer_class       (timer_class),
    .s_timer_valid       (valid[Timer]),
    .s_timer_ready       (ready[Timer]),
    .s_command           (command),
    .s_command_valid     (valid[Command]),
    .s_command_ready     (ready[Command]),
    .s_tx_request        (tx_request),
    .s_tx_request_pages  (tx_request_pages),
    .s_tx_request_valid  (valid[TxRequest]),
    .s_tx_request_ready  (ready[TxRequest]),
    .s_tx_written_session(tx_written_session),
    .s_tx_written_length (tx_written_length),
    .s_tx_written_valid  (valid[TxWritten]),
    .s_tx_written_ready  (ready[TxWritten]),
    .s_delivered_session (delivered_session),
    .s_delivered_length  (delivered_length),
    .s_delivered_valid   (valid[Delivered]),
    .s_delivered_ready   (ready[Delivered]),
    .s_transmit_id       (id[Transmit]),
    .s_transmit_credit   (transmit_credit),
    .s_transmit_valid    (valid[Transmit]),
    .s_transmit_ready    (ready[Transmit]),
    .s_report_id         (id[Report]),
    .s_report_valid      (valid[Report]),
    .s_report_ready      (ready[Report]),
    .s_deliver_id        (id[Deliver]),
    .s_deliver_valid     (valid[Deliver]),
    .s_deliver_ready     (ready[Deliver]),
    .s_recycle_id        (id[Recycle]),
    .s_recycle_opening   (recycle_opening),
    .s_recycle_valid     (valid[Recycle]),
    .s_recycle_ready     (ready[Recycle]),
    .s_pages_id          (id[Pages]),
    .s_pages_valid       (valid[Pages]),
    .s_pages_ready       (ready[Pages]),
    .m_event,
    .m_id,
    .m_valid,
    .m_ready
  );

  assign taken = valid & ready;

  typedef struct packed {
    logic [IdWidth-1:0] id;
    tcp_event_t         ev;
  } entry_t;

  // The event that each source stands for.
  tcp_event_t expected;
  logic [IdWidth-1:0] expected_id;
  session_t session;

  always_comb begin
    expected = '0;
    session  = '0;
    if (taken[Timer]) begin
      expected.kind = EvTimer;
      expected.timer_class = timer_class;
    end
    if (taken[Command]) begin
      expected.kind = EvCommand;
      expected.op = command.op;
      expected.tag = command.tag;
      expected.app = command.app;
      expected.option = app_option_e'(command.value[31:24]);
      expected.value = command.value[23:0];
      session = command.session;
    end
    if (taken[TxRequest]) begin
      expected.kind = EvTxRequest;
      expected.length = tx_request.length;
      expected.tentative = tx_request.tentative;
      expected.partial = tx_request.partial;
      expected.app = tx_request.app;
      expected.value = 24'(tx_request_pages);
      session = tx_request.session;
    end
    if (taken[TxWritten]) begin
      expected.kind = EvTxWritten;
      expected.length = tx_written_length;
      session = tx_written_session;
    end
    if (taken[Delivered]) begin
      expected.kind = EvDelivered;
      expected.length = delivered_length;
      session = delivered_session;
    end
    if (taken[Transmit]) begin
      expected.kind = EvTransmit;
      expected.length = 16'(transmit_credit);
    end
    if (taken[Report]) expected.kind = EvReport;
    if (taken[Deliver]) expected.kind = EvDeliver;
    if (taken[Recycle]) begin
      expected.kind = EvRecycle;
      expected.opening = recycle_opening;
    end
    if (taken[Pages]) expected.kind = EvPages;

    for (int s = 0; s < Sources; s++) begin
      if (taken[s] && (s == Timer || s > Delivered)) session.id = SessionIdWidth'(id[s]);
    end
    expected.generation = session.generation;
    expected.session_in_range = session.id < SessionIdWidth'(Connections);
    expected_id = session.id[IdWidth-1:0];

  end

  // Events that have been taken and have not come out: so many wait beside the segments, and so
  // many in the output, which have got their time.
  entry_t chosen;
  entry_t beside_q[2];
  entry_t waiting_q[2];
  logic [1:0] beside_count_q;
  logic [1:0] count_q;
  logic take, other_taken, other_chosen, leave;
  assign other_taken  = taken[Sources-1:1] != '0;
  assign other_chosen = dut.other_leaves;
  assign take         = taken[Segment] || other_chosen;
  assign leave        = m_valid && m_ready;

  always_comb begin
    chosen = other_chosen ? beside_q[0] : '{ev: segment, id: id[Segment]};
    chosen.ev.now_us = now_us;
    chosen.ev.ts_now = ts_now;
    chosen.ev.tx_backlog = tx_backlog_i;
  end

  always_ff @(posedge clk) begin
    if (other_chosen) beside_q[0] <= beside_q[1];
    if (other_taken)
      beside_q[1'(beside_count_q-2'(other_chosen))] <= '{ev: expected, id: expected_id};
    beside_count_q <= beside_count_q + 2'(other_taken) - 2'(other_chosen);
    if (leave) waiting_q[0] <= waiting_q[1];
    if (take) waiting_q[1'(count_q-2'(leave))] <= chosen;
    count_q <= count_q + 2'(take) - 2'(leave);
    if (rst) begin
      beside_count_q <= '0;
      count_q        <= '0;
    end
  end

  // How often others were served since the source watched has asked, and has had room of its own.
  logic [4:0] segments_q, others_q;
  logic asks;
  assign asks = valid[watched]
      && (report_room_i || (watched != 4'(Report) && watched != 4'(Command)))
      && (deliver_room_i || watched != 4'(Deliver))
      && (!tx_backlog_i || watched != 4'(Transmit));

  // Whether the others' turn is next; with one place that is found a clock ahead, and only then do they go.
  // So is which of them is taken.
  logic others_turn, others_ready, granted, report_room, deliver_room, tx_backlog;

  if (Places == 1) begin : gen_ahead
    assign others_turn  = dut.gen_insert.insert.rare_q;
    assign others_ready = others_turn;

    assign granted      = dut.gen_granted_register.granted_q != '0;

    // Whoever asks goes on until taken.
    logic [Sources-1:0] asking_q;
    always_ff @(posedge clk) begin
      asking_q <= rst ? '0 : valid & ~taken;
      if (!rst && started) assume ((asking_q & ~valid) == '0);
    end

    // What decided a clock ago.
    always_ff @(posedge clk) begin
      report_room  <= report_room_i;
      deliver_room <= deliver_room_i;
      tx_backlog   <= tx_backlog_i;
    end

    logic asked_q;  // and there was room
    always_ff @(posedge clk) begin
      asked_q <= asks && watched != 4'(Segment) && beside_count_q == '0 && !granted && !rst;
      if (!rst && started) begin
        if (others_turn) assert (beside_count_q != '0);
        assert ($onehot0(dut.gen_granted_register.granted_q));
        for (int s = 0; s < Turns; s++)
        if (dut.gen_granted_register.granted_q[s]) assert (valid[s+1] && beside_count_q == '0);
        if (asked_q) assert (granted);
      end
    end
  end else begin : gen_at_once
    assign others_turn  = dut.gen_turns.others_turn_q;
    assign others_ready = beside_count_q != '0;
    assign granted      = 1'b0;
    assign report_room  = report_room_i;
    assign deliver_room = deliver_room_i;
    assign tx_backlog   = tx_backlog_i;
  end

  always_ff @(posedge clk) begin
    if (taken[watched] || !asks || rst) begin
      segments_q <= '0;
      others_q   <= '0;
    end else begin
      if (taken[Segment]) segments_q <= segments_q + 1'b1;
      // A segment waits for others that go out, the others for those that go beside it.
      if (watched == 4'(Segment) ? other_chosen : other_taken) others_q <= others_q + 1'b1;
    end
  end

  // Turns until that of the source watched, at most.
  logic [4:0] first, distance;
  always_comb begin
    first = '0;
    for (int s = Turns - 1; s >= 0; s--) if (dut.first_q[s] == '0) first = 5'(s);
    distance = (5'(watched) - 5'd1 + 5'(Turns) - first) % 5'(Turns);
  end

  always_ff @(posedge clk) begin
    if (!rst && started) begin
      // What is taken comes out, once, as what it was, with the time of its taking.
      assert (m_valid == (count_q != '0));
      if (m_valid) assert ({m_id, m_event} == waiting_q[0]);

      // One at a time, only with room, and at once if there is.
      assert (!(taken[Segment] && other_chosen));
      assert ((taken[Sources-1:1] & (taken[Sources-1:1] - 1'b1)) == '0);
      if (!room_i) assert (!take);
      if (!report_room) assert (!taken[Command] && !taken[Report]);
      if (!deliver_room) assert (!taken[Deliver]);
      if (tx_backlog) assert (!taken[Transmit]);
      if (count_q == 2'(Places))
        assert (!take);
        else if (room_i && (others_ready || valid[Segment])) assert (take);
      if (beside_count_q == 2'(Places))
        assert (!other_taken);
        else if (Places == 2 ? asks && watched != 4'(Segment) : granted) assert (other_taken);
      if (other_chosen) assert (beside_count_q != '0);

      // No source starves: a segment lets one other pass, any other source each of the others once
      // and one segment more than that, as a place beside the segments is filled a clock after it
      // has become free; where there is one place, in two clocks, two segments for each of the others.
      if (watched == 4'(Segment)) begin
        assert (segments_q == '0);
        assert (others_q + 5'(others_turn) <= 5'd1);
      end else begin
        assert (others_q < 5'(Turns) - distance);
        if (Places == 2) begin
          assert (segments_q <= others_q + 5'(others_turn) + 5'(beside_count_q != 2'd2));
          assert (segments_q <= 5'(Turns) + 5'd1);
        end else begin
          assert (segments_q <= 2 * others_q
              + 5'(others_turn || granted || (beside_count_q == '0 && count_q == 2'd1)));
          assert (segments_q <= 2 * 5'(Turns) + 5'd1);
        end
      end
      // Of the state, for the induction.
      assert (beside_count_q <= 2'(Places) && dut.other_free == (beside_count_q != 2'(Places)));
      assert (dut.other_valid == (beside_count_q != '0));
      if (dut.other_valid) assert (dut.other_next == beside_q[0]);
      assert (count_q <= 2'(Places) && dut.register_ready == (count_q != 2'(Places)));
      assert (dut.id_register.m_valid == m_valid);
      // All are asked in order from one on.
      for (int i = 0; i < Turns; i++) begin
        for (int j = 0; j < Turns; j++) begin
          assert (dut.first_q[i][j] == ((5'(j) + 5'(Turns) - first) % 5'(Turns)
                                        < (5'(i) + 5'(Turns) - first) % 5'(Turns)));
        end
      end
    end
  end

  // Of the second places, for the induction.
  if (Places == 2) begin : gen_second
    always_ff @(posedge clk) begin
      if (!rst && started) begin
        if (beside_count_q == 2'd2)
          assert (dut.other_register.gen_turns.place_q[!dut.other_register.gen_turns.read_q]
                  == beside_q[1]);
        assert (dut.other_register.gen_turns.write_q
                == (dut.other_register.gen_turns.read_q ^ beside_count_q[0]));
        if (count_q == 2'd2)
          assert (dut.event_register.gen_turns.place_q[!dut.event_register.gen_turns.read_q]
                  == waiting_q[1]);
        assert (dut.id_register.gen_spare.spare_valid_q == (count_q == 2'd2));
        if (count_q == 2'd2) assert (dut.id_register.gen_spare.spare_q == waiting_q[1].id);
        assert (dut.event_register.gen_turns.write_q
                == (dut.event_register.gen_turns.read_q ^ count_q[0]));
      end
    end
  end

  for (genvar s = 0; s < Sources; s++) begin : gen_cover
    always_ff @(posedge clk) cover (!rst && taken[s] && valid == '1 && watched == 4'(Segment));
  end
  always_ff @(posedge clk) begin
    cover (!rst && others_q == 5'(Turns - 1) && segments_q == 5'(Turns) && taken[watched]);
    cover (!rst && watched == 4'(Segment) && others_q == 5'd1 && taken[watched]);
    cover (!rst && count_q == 2'(Places) && leave && room_i && valid != '0);
  end

endmodule
