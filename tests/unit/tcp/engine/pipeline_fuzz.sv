// SPDX-License-Identifier: Apache-2.0

// The connection pipeline, or the sequencer, with its memory, and every field of an event, of the committed state and
// of the actions as a port of its own, for the C++ driver of test_pipeline_fuzz.py.
module pipeline_fuzz
  import net_headers_pkg::*;
  import seq_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import toe_config_pkg::tcp_settings_t;
  import state_codec_pkg::*;
#(
  parameter  int Connections  = 4,
  parameter  int DecideClocks = 4,
  parameter  int CubicFriendly = 0,
  parameter  int StoreDirect  = 0,
  parameter  int TxPageBytes  = 0,
  parameter  int RxPageBytes  = 0,
  localparam int IdWidth     = $clog2(Connections)
) (
  input  logic               clk,
  input  logic               rst,
  output logic               init_done_o,

  input  logic [        3:0] ev_kind,
  input  logic [       31:0] ev_now_us,
  input  logic [        1:0] ev_lookup,
  input  logic [       31:0] ev_seq,
  input  logic [       31:0] ev_ack,
  input  logic               ev_direct,
  input  logic [        7:0] ev_flags,
  input  logic [       15:0] ev_window,
  input  logic [       15:0] ev_payload_length,
  input  logic [       15:0] ev_mss,
  input  logic [       15:0] ev_remote_port,
  input  logic [       31:0] ev_isn,
  input  logic [        3:0] ev_app,
  input  logic [        3:0] ev_timer_class,
  input  logic               ev_opening,
  input  logic               ev_tx_backlog,
  input  logic               ev_in_range,
  input  logic [        3:0] ev_generation,
  input  logic [        3:0] ev_op,
  input  logic [        7:0] ev_tag,
  input  logic [       15:0] ev_length,
  input  logic               ev_tentative,
  input  logic               ev_partial,
  input  logic [       31:0] ev_value,
  input  logic [        4:0] ev_pages,
  input  logic               ev_pages_short,
  input  logic               ev_forget,    // pieces beyond gaps are gone when it is read
  input  logic               ev_may_open,
  input  logic               ev_has_scale,
  input  logic [        3:0] ev_scale,
  input  logic               ev_sack_permitted,
  input  logic               ev_has_ts,
  input  logic [       31:0] ev_ts_value,
  input  logic [       31:0] ev_ts_echo,
  input  logic [       31:0] ev_sack_left,
  input  logic [       31:0] ev_sack_right,
  input  logic [       31:0] ev_urgent,
  input  logic [        7:0] ev_icmp,
  input  logic               pacing_i,
  output logic               pacing_o,  // and it is built in

  input  logic [IdWidth-1:0] ev_id,
  input  logic               ev_valid,
  output logic               ev_ready,

  output logic               store_direct_o,
  output logic               c_valid,
  output logic [IdWidth-1:0] c_id,
  output logic [        3:0] c_state,
  output logic [        3:0] c_generation,
  output logic [       15:0] c_remote_port,
  output logic               c_active,
  output logic [       31:0] c_snd_una,
  output logic [       31:0] c_snd_nxt,
  output logic [       31:0] c_snd_max,
  output logic [       31:0] c_snd_end,
  output logic [       31:0] c_snd_limit,
  output logic [       15:0] c_mss,
  output logic               c_fin_queued,
  output logic               c_fin_sent,
  output logic [       31:0] c_cwnd,
  output logic [       31:0] c_rcv_nxt,
  output logic [       31:0] c_rcv_read,
  output logic [       31:0] c_rcv_edge,
  output logic [       31:0] c_rcv_up,
  output logic [        2:0] c_notices,
  output logic               c_fin_received,
  output logic [       31:0] c_rto,
  output logic [        3:0] c_unanswered,
  output logic [        2:0] c_timer,
  output logic [       31:0] c_deadline,
  output logic [       15:0] c_timer_entries,
  output logic               c_report_accepted,
  output logic               c_report_acked,
  output logic               c_report_peer_closed,
  output logic [        1:0] c_report_final,
  output logic               c_final_reported,
  output logic               c_discarded,
  output logic               c_delivering,
  output logic               c_writing,
  output logic               c_rtx_queued,
  output logic               c_in_transmit_queue,
  output logic               c_paced,
  output logic               c_rtt_known,
  output logic               c_in_deliver_queue,
  output logic               c_in_report_queue,
  output logic               c_in_wait_queue,
  output logic               c_in_opening_queue,
  output logic               c_opening_entry_old,
  output logic [        3:0] c_snd_scale,
  output logic               c_sack_ok,
  output logic               c_ts_ok,
  output logic [       31:0] c_ts_recent,
  output logic               c_recovering,
  output logic               c_ack_pending,
  output logic [       31:0] c_ack_deadline,
  output logic               c_no_delay,
  output logic               c_quick_ack,
  output logic [   Gaps-1:0] c_stored_valid,
  output logic [Gaps*32-1:0] c_stored_left,
  output logic [Gaps*32-1:0] c_stored_right,
  output logic [   Gaps-1:0] c_sacked_valid,
  output logic [Gaps*32-1:0] c_sacked_left,
  output logic [Gaps*32-1:0] c_sacked_right,

  output logic               a_valid,
  output logic [IdWidth-1:0] a_id,
  output logic               a_tx_valid,
  output logic [        1:0] a_tx_kind,
  output logic [       31:0] a_tx_seq,
  output logic [       31:0] a_tx_ack,
  output logic [        7:0] a_tx_flags,
  output logic [       15:0] a_tx_window,
  output logic [       15:0] a_tx_mss,
  output logic [       15:0] a_tx_length,
  output logic [       15:0] a_tx_remote_port,
  output logic [       31:0] a_tx_write_seq,
  output logic               a_tx_has_ts,
  output logic [       31:0] a_tx_ts_echo,
  output logic [        2:0] a_tx_sack_count,
  output logic [      127:0] a_tx_sack_left,
  output logic [      127:0] a_tx_sack_right,
  output logic               a_rx_valid,
  output logic [        1:0] a_rx_kind,
  output logic [       31:0] a_rx_seq,
  output logic [       15:0] a_rx_skip,
  output logic [       15:0] a_rx_length,
  output logic [        3:0] a_rx_generation,
  output logic               a_event_valid,
  output logic [        3:0] a_event_kind,
  output logic [        7:0] a_event_tag,
  output logic [        3:0] a_event_result,
  output logic [        3:0] a_event_generation,
  output logic [       31:0] a_event_value,
  output logic               a_status_valid,
  output logic [        1:0] a_status_error,
  output logic [       31:0] a_status_space,
  output logic [       31:0] a_write_seq,
  output logic               a_write_early,
  output logic               a_write_there,
  output logic [        3:0] a_freed_first,
  output logic [        4:0] a_freed_count,
  output logic [       15:0] page_bytes_o,   // of a transmit ring; 0: it has no pages
  output logic               a_takes_pages,
  output logic [        3:0] a_rx_pages_first,
  output logic [        4:0] a_rx_pages_count,
  output logic [        4:0] a_pages_left,
  output logic               a_no_page,
  output logic [       15:0] rx_page_bytes_o,  // of a receive ring
  output logic               a_push_transmit,
  output logic               a_turn,
  output logic [        8:0] a_turn_credit,
  output logic               a_paced,
  output logic               a_push_deliver,
  output logic               a_push_report,
  output logic               a_push_wait,
  output logic               a_push_opening,
  output logic               a_push_pages,
  output logic               a_opening_done,
  output logic               a_timer_valid,
  output logic [        3:0] a_timer_class,
  output logic               a_remove,
  output logic               a_deliver_done,
  output logic [       15:0] a_bytes_in,
  output logic [       15:0] a_bytes_out,
  output logic [        3:0] a_drops           // how many drop_* counters
);

  localparam tcp_limits_t Limits = '{
      tx_ring_bytes: 2048 - TxPageBytes,
      tx_page_bits: TxPageBytes != 0 ? 5'($clog2(TxPageBytes)) : '0,
      rx_window: 2048 - RxPageBytes,
      rx_page_bits: RxPageBytes != 0 ? 5'($clog2(RxPageBytes)) : '0,
      rx_scale: 0,
      mss: 1460,
      store_direct: StoreDirect != 0,
      early_bytes: TxPageBytes != 0 ? 0 : 1000
  };
  localparam tcp_settings_t Settings = '{
      rto_initial_us: 32'd10_000,
      rto_min_us: 32'd2_000,
      rto_max_us: 32'd160_000,
      time_wait_us: 32'd50_000,
      delayed_ack_us: 32'd500,
      user_timeout_us: 32'd0,
      keepalive_tick_us: 32'd20_000,
      keepalive_idle: 8'd3,
      keepalive_interval_us: 32'd10_000,
      keepalive_probes: 4'd3,
      challenge_interval_us: 32'd1000,
      syn_retries: 4'd3,
      syn_ack_retries: 4'd3,
      data_retries: 4'd5,
      window_scale: 1'b1,
      timestamps: 1'b1,
      sack: 1'b1,
      no_delay: 1'b0,
      keepalive: 1'b0,
      cubic_friendly: CubicFriendly != 0,
      pacing: 1'b0
  };

  tcp_settings_t settings;

  always_comb begin
    settings = Settings;
    settings.pacing = pacing_i;
  end

  assign pacing_o = HasPacing && pacing_i;

  assign store_direct_o = Limits.store_direct;

  tcp_event_t ev;

  always_comb begin
    ev = '0;
    ev.kind = tcp_event_e'(ev_kind);
    ev.now_us = ev_now_us;
    ev.ts_now = ev_now_us >> 10;
    ev.lookup = lookup_e'(ev_lookup);
    ev.segment.tuple.remote_ip = 32'h0a4d_0001;
    ev.segment.tuple.remote_port = ev_remote_port;
    ev.segment.tuple.local_port = 16'd7;
    ev.segment.seq = ev_seq;
    ev.segment.ack = ev_ack;
    ev.segment.direct = ev_direct;
    ev.segment.flags = ev_flags;
    ev.segment.window = ev_window;
    ev.segment.payload_length = ev_payload_length;
    ev.segment.mss = ev_mss;
    ev.segment_end = ev_seq + 32'(ev_payload_length) + 32'(ev_flags[1]) + 32'(ev_flags[0]);
    ev.segment.options = '{
        has_window_scale: ev_has_scale,
        window_scale: ev_scale,
        sack_permitted: ev_sack_permitted,
        has_timestamps: ev_has_ts,
        ts_value: ev_ts_value,
        ts_echo: ev_ts_echo
    };
    ev.segment.sack = '{left: ev_sack_left, right: ev_sack_right};
    ev.segment.urgent = ev_urgent;
    ev.icmp = ev_icmp;
    ev.may_open = ev_may_open;
    ev.option = app_option_e'(ev_value[31:24]);
    ev.value = ev_value[23:0];
    ev.isn = ev_isn;
    ev.app = ev_app;
    ev.timer_class = ev_timer_class;
    ev.opening = ev_opening;
    ev.tx_backlog = ev_tx_backlog;
    ev.session_in_range = ev_in_range;
    ev.generation = ev_generation;
    ev.op = app_command_e'(ev_op);
    ev.tag = ev_tag;
    ev.length = ev_length;
    ev.tentative = ev_tentative;
    ev.partial = ev_partial;
    ev.pages = ev_pages;
    ev.pages_short = ev_pages_short;
  end

  logic read_enable;
  logic [IdWidth-1:0] read_id;
  connection_t remembered, read_connection, c;
  tcp_actions_t a;

  localparam bit OneEvent = DecideClocks == toe_config_pkg::OneEventClocks;

  logic commit_valid;
  logic [IdWidth-1:0] commit_id;
  connection_t commit;

  // The driver sees a state a clock before the actions that go with it.
  if (OneEvent) begin : gen_later
    always_ff @(posedge clk) begin
      c_valid <= commit_valid && !rst;
      c_id    <= commit_id;
      c       <= commit;
    end
  end else begin : gen_as_it_is
    assign c_valid = commit_valid;
    assign c_id    = commit_id;
    assign c       = commit;
  end

  if (OneEvent) begin : gen_sequencer
    connection_sequencer #(
      .Connections(Connections),
      .Limits     (Limits)
    ) sequencer (
      .clk,
      .rst,
      .settings_i        (settings),
      .s_event           (ev),
      .s_id              (ev_id),
      .s_valid           (ev_valid),
      .s_ready           (ev_ready),
      .read_enable_o     (read_enable),
      .read_id_o         (read_id),
      .read_connection_i (read_connection),
      .write_enable_o    (commit_valid),
      .write_id_o        (commit_id),
      .write_connection_o(commit),
      .actions_valid_o   (a_valid),
      .actions_id_o      (a_id),
      .actions_o         (a),
      .state_before_o    (),
      .state_after_o     ()
    );
  end else begin : gen_pipeline
    connection_pipeline #(
      .Connections (Connections),
      .DecideClocks(DecideClocks),
      .Limits      (Limits)
    ) pipeline (
      .clk,
      .rst,
      .settings_i        (settings),
      .s_event           (ev),
      .s_id              (ev_id),
      .s_valid           (ev_valid),
      .s_ready           (ev_ready),
      .read_enable_o     (read_enable),
      .read_id_o         (read_id),
      .read_connection_i (read_connection),
      .write_enable_o    (commit_valid),
      .write_id_o        (commit_id),
      .write_connection_o(commit),
      .actions_valid_o   (a_valid),
      .actions_id_o      (a_id),
      .actions_o         (a),
      .state_before_o    (),
      .state_after_o     (),
      .forwarded_o       ()
    );
  end

  connection_memory #(
    .Connections(Connections),
    .ReadLatency(OneEvent ? 4 : 2),
    .Narrow     (OneEvent)
  ) memory (
    .clk,
    .rst,
    .init_done_o,
    .read_enable_i     (read_enable),
    .read_id_i         (read_id),
    .read_connection_o (remembered),
    .write_enable_i    (commit_valid),
    .write_id_i        (commit_id),
    .write_connection_i(commit)
  );

  // As from a state whose extension another connection took (state_codec_pkg).
  logic [1:0] forget_q;

  always_ff @(posedge clk) forget_q <= {forget_q[0], ev_forget && ev_valid && ev_ready};

  always_comb begin
    read_connection = remembered;
    if (forget_q[1]) read_connection.stored = '0;
  end

  assign c_state = c.state;
  assign c_generation = c.generation;
  assign c_remote_port = c.tuple.remote_port;
  assign c_active = c.active;
  assign c_snd_una = c.snd_una;
  assign c_snd_nxt = c.snd_nxt;
  assign c_snd_max = c.snd_max;
  assign c_snd_end = c.snd_end;
  assign c_snd_limit = c.snd_limit;
  assign c_mss = c.mss;
  assign c_fin_queued = c.fin_queued;
  assign c_fin_sent = c.fin_sent;
  assign c_cwnd = 32'(c.cwnd);
  assign c_rcv_nxt = c.rcv_nxt;
  assign c_rcv_read = c.rcv_read;
  assign c_rcv_edge = c.rcv_edge;
  assign c_rcv_up = c.rcv_up;
  assign c_notices = {c.report_icmp, c.report_retries, c.report_urgent};
  assign c_fin_received = c.fin_received;
  assign c_rto = c.rto;
  assign c_unanswered = c.unanswered;
  assign c_timer = c.timer;
  assign c_deadline = c.deadline;
  assign c_timer_entries = c.timer_entries;
  assign c_report_accepted = c.report_accepted;
  assign c_report_acked = c.report_acked;
  assign c_report_peer_closed = c.report_peer_closed;
  assign c_report_final = c.report_final;
  assign c_final_reported = c.final_reported;
  assign c_discarded = c.discarded;
  assign c_delivering = c.delivering;
  assign c_writing = c.writing;
  assign c_rtx_queued = c.rtx_queued;
  assign c_in_transmit_queue = c.in_transmit_queue;
  assign c_paced = c.paced;
  assign c_rtt_known = c.rtt_known;
  assign c_in_deliver_queue = c.in_deliver_queue;
  assign c_in_report_queue = c.in_report_queue;
  assign c_in_wait_queue = c.in_wait_queue;
  assign c_in_opening_queue = c.in_opening_queue;
  assign c_opening_entry_old = c.opening_entry_old;

  assign c_snd_scale = c.snd_scale;
  assign c_sack_ok = c.sack_ok;
  assign c_ts_ok = c.ts_ok;
  assign c_ts_recent = c.ts_recent;
  assign c_recovering = c.recovering;
  assign c_ack_pending = c.ack_pending;
  assign c_ack_deadline = c.ack_deadline;
  assign c_no_delay = c.no_delay;
  assign c_quick_ack = c.quick_ack;

  always_comb begin
    for (int i = 0; i < Gaps; i++) begin
      c_stored_valid[i] = c.stored[i].valid;
      c_stored_left[i*32+:32] = c.stored[i].left;
      c_stored_right[i*32+:32] = c.stored[i].right;
      c_sacked_valid[i] = c.sacked[i].valid;
      c_sacked_left[i*32+:32] = c.sacked[i].left;
      c_sacked_right[i*32+:32] = c.sacked[i].right;
    end
    for (int i = 0; i < SackBlocks; i++) begin
      a_tx_sack_left[i*32+:32] = a.tx.sack[i].left;
      a_tx_sack_right[i*32+:32] = a.tx.sack[i].right;
    end
  end

  assign a_tx_has_ts = a.tx.options.has_timestamps;
  assign a_tx_ts_echo = a.tx.options.ts_echo;
  assign a_tx_sack_count = a.tx.sack_count;

  assign a_tx_valid = a.tx_valid;
  assign a_tx_kind = a.tx.kind;
  assign a_tx_seq = a.tx.seq;
  assign a_tx_ack = a.tx.ack;
  assign a_tx_flags = a.tx.flags;
  assign a_tx_window = a.tx.window;
  assign a_tx_mss = a.tx.mss;
  assign a_tx_length = a.tx.payload_length;
  assign a_tx_remote_port = a.tx.tuple.remote_port;
  assign a_tx_write_seq = a.tx.write_seq;
  assign a_rx_valid = a.rx_valid;
  assign a_rx_kind = a.rx.kind;
  assign a_rx_seq = a.rx.seq;
  assign a_rx_skip = a.rx.skip;
  assign a_rx_length = a.rx.length;
  assign a_rx_generation = a.rx.session.generation;
  assign a_event_valid = a.event_valid;
  assign a_event_kind = a.app_event.kind;
  assign a_event_tag = a.app_event.tag;
  assign a_event_result = a.app_event.result;
  assign a_event_generation = a.app_event.session.generation;
  assign a_event_value = a.app_event.value;
  assign a_status_valid = a.status_valid;
  assign a_status_error = a.status.error;
  assign a_status_space = a.status.space;
  assign a_write_seq = a.write_seq;
  assign a_write_early = a.write_early;
  // As it comes out of the builder's queue, where it goes through that.
  tx_command_t unfolded;
  assign unfolded = unfold_tx(fold_tx(a.tx));
  assign a_write_there = a.tx.kind == TxStatus ? unfolded.write_there : a.write_there;
  assign a_freed_first = a.freed.first;
  assign a_takes_pages = a.rx_valid && a.rx.takes_pages;
  assign a_rx_pages_first = a.rx.pages.first;
  assign a_rx_pages_count = a.rx_valid ? a.rx.pages.count : '0;
  assign a_pages_left = a.pages_left;
  assign a_no_page = a.counts.no_page;
  assign rx_page_bytes_o = 16'(RxPageBytes);
  assign a_freed_count = a.freed.count;
  assign page_bytes_o = 16'(TxPageBytes);
  assign a_push_transmit = a.push_transmit;
  assign a_turn = a.turn;
  assign a_turn_credit = a.turn_credit;
  assign a_paced = a.pace.valid;
  assign a_push_deliver = a.push_deliver;
  assign a_push_report = a.push_report;
  assign a_push_wait = a.push_wait;
  assign a_push_opening = a.push_opening;
  assign a_push_pages = a.push_pages;
  assign a_opening_done = a.opening_done;
  assign a_timer_valid = a.timer_valid;
  assign a_timer_class = a.timer_class;
  assign a_remove = a.remove;
  assign a_deliver_done = a.deliver_done;
  assign a_bytes_in = a.bytes_in;
  assign a_bytes_out = a.bytes_out;
  assign a_drops = 4'(a.counts.no_connection) + 4'(a.counts.no_room) + 4'(a.counts.out_of_window)
      + 4'(a.counts.out_of_order) + 4'(a.counts.duplicate) + 4'(a.counts.bad_ack)
      + 4'(a.counts.no_ack) + 4'(a.counts.syn) + 4'(a.counts.closed) + 4'(a.counts.timestamp)
      + 4'(a.counts.no_page);

  // What goes through DRAM comes back as it was, as far as it means something.
  connection_t wanted, back;

  always_comb begin
    back = unpack_state(pack_state(c), 1'b1, pack_extension(c, SessionIdWidth'(c_id)));
    wanted = c;
    wanted.challenge_us[15:0] = '0;
    wanted.round_flight = '0;
    wanted.rtt_timing = c.rtt_timing && !c.ack_pending;
    if (!wanted.rtt_timing) wanted.rtt_seq = back.rtt_seq;
    if (!wanted.rtt_timing) wanted.rtt_start = back.rtt_start;
    if (!c.ack_pending) wanted.ack_deadline = back.ack_deadline;
    if (!c.recovering && c.recover != back.recover) wanted.recover = c.snd_una;
    if (!c.recovering) wanted.rtx_next = back.rtx_next;
    if (seq_le(c.rcv_up, c.rcv_read)) wanted.rcv_up = c.rcv_read;
    // Far away they are cut.
    if (cut(c.snd_limit - c.snd_una, 24) != c.snd_limit - c.snd_una)
      wanted.snd_limit = back.snd_limit;
    if (cut(c.rcv_nxt - c.snd_wl1, Near) != c.rcv_nxt - c.snd_wl1) wanted.snd_wl1 = back.snd_wl1;
    // Of what is not older than snd_una, it tells as much.
    wanted.snd_wl2 = c.snd_una;
    for (int i = 0; i < Gaps; i++) begin
      if (!c.stored[i].valid) wanted.stored[i] = '0;
      if (!c.sacked[i].valid) wanted.sacked[i] = '0;
    end
  end

  always_ff @(posedge clk) begin
    if (c_valid && c.state != TcpClosed && back != wanted)
      $fatal(1, "state_codec_pkg changes a state: %h instead of %h", back, wanted);
    // So what is not older than snd_una is not older than it.
    if (c_valid && c.state != TcpClosed && !seq_le(c.snd_wl2, c.snd_una))
      $fatal(1, "SND.WL2 %h is beyond snd_una %h", c.snd_wl2, c.snd_una);
  end

endmodule
