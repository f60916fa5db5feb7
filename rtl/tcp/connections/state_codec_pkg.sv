// SPDX-License-Identifier: Apache-2.0

// Connection state as it lies in DRAM: 96 bytes for each connection, which is a line and a half, and a
// line of extension for those in trouble.
//
// A state takes StateHalves halves of a line, one after the other by id. With an odd number every
// second state begins in the middle of a line; all touch LinesPerState.
//
// What lies near to something else is kept as the distance to it. It is less than the largest ring,
// 2^20 bytes, and SYN and FIN; the distances to the peer's window and to the segment that told it are
// cut where they cannot matter. Beyond that, this much changes on the way through DRAM, all of it
// allowed at any time:
//
//   the acknowledgement of the segment that last told a window (SND.WL2)      is snd_una: of what is not
//                                                older than that, none is older than the one was
//   a round trip that is being timed, while an acknowledgement is pending     is not measured
//   the time of the last challenge ACK                                        up to 66 ms earlier
//   an RTO above 67 s                                                         67 s
//   statistics of a connection that has no extension                          begin again
//   the most that was in flight in this round trip                            begins again
//   notices, and where urgent data ends, if another connection took it        are forgotten
//   gaps, if the extension was taken by another connection                    are forgotten (RFC 2018:
//                                                the receiver may renege, the sender asks again), and
//                                                a recovery ends: the retransmission timer goes on
//
// Connections share the lines of extension by the low bits of their ids: the last one that was written
// has it, and its id is in it.
package state_codec_pkg;

  import net_headers_pkg::icmp_reason_t;
  import app_pkg::*;
  import tcp_pkg::*;
  import seq_pkg::seq_t;
  import page_pkg::page_count_t;
  import line_memory_pkg::*;

  localparam int HalfBits = LineBits / 2;
  localparam int StateHalves = 3;
  localparam int StateBits = StateHalves * HalfBits;
  localparam int LinesPerState = (StateHalves + 1) / 2;
  localparam int MostLines = LinesPerState + 1;  // with the extension
  localparam int ConnectionsPerExtension = 8;

  localparam int Near = 21;  // bits of a distance within a ring, SYN and FIN
  localparam int Cwnd = 22;
  localparam logic [Cwnd-1:0] CwndTop = '1;  // stands for this and all above, which is as good as:
  localparam logic [23:0] CwndMax = 24'h40_0000;

  typedef logic [Near-1:0] near_t;
  typedef logic [Near:0] signed_t;  // or before

  // Of a round trip that is timed, or of an acknowledgement that is pending.
  typedef struct packed {
    near_t       distance;  // rtt_seq - snd_una, rcv_nxt - rcv_acked
    logic [31:0] time_us;   // rtt_start, ack_deadline
  } pending_t;

  typedef struct packed {
    tcp_state_e  state;
    logic [GenerationWidth-1:0] generation;
    app_id_t     app;
    logic        active;
    tuple_t      tuple;
    seq_t        snd_una;
    near_t       nxt;            // all from snd_una
    near_t       max;
    signed_t     given;          // snd_end; one less than snd_una when the FIN is acknowledged
    logic [23:0] limit;          // signed
    logic [13:0] mss;
    logic [3:0]  snd_scale;
    logic        scale_ok;
    logic        ts_ok;
    logic        sack_ok;
    logic        fin_queued;
    logic        fin_sent;
    logic [Cwnd-1:0] cwnd;
    logic [Cwnd-1:0] ssthresh;
    logic [Cwnd-1:0] cwnd_credit;
    logic [1:0]  duplicate_acks;
    logic [1:0]  limited_sent;
    logic        sack_news;
    logic        rtx_queued;
    seq_t        rcv_nxt;
    near_t       unread;         // before rcv_nxt
    signed_t     window;         // from it on: a FIN needs none
    near_t       wl1;            // before it; signed: a segment may lie ahead
    page_count_t pages;          // of the receive ring
    logic        fin_received;
    logic        ack_pending;
    pending_t    pending;
    logic [31:0] ts_offset;
    logic [31:0] ts_recent;
    logic [11:0] ts_recent_age;
    logic        rtt_known;
    logic        rtt_timing;
    logic        rtt_spoiled;
    logic [23:0] srtt;
    logic [23:0] rttvar;
    logic [25:0] rto;
    logic [3:0]  unanswered;
    tcp_timer_e  timer;
    logic [31:0] deadline;
    logic [31:0] progress_us;
    logic [31:16] challenge_us;
    logic [7:0]  idle_ticks;
    logic        no_delay;
    logic        keepalive;
    logic        quick_ack;
    logic        no_notices;
    logic [5:0]  dscp;
    logic [13:0] user_timeout;
    logic [TimerClasses-1:0] timer_entries;
    logic        report_accepted;
    logic        report_acked;
    logic        report_peer_closed;
    tcp_final_e  report_final;
    logic        final_reported;
    logic        discarded;
    logic        delivering;
    logic        writing;
    logic        in_transmit_queue;
    logic        paced;
    logic        in_deliver_queue;
    logic        in_report_queue;
    logic        in_wait_queue;
    logic        in_opening_queue;
    logic        opening_entry_old;
  } stored_state_t;

  typedef logic [StateBits-1:0] state_bits_t;

  typedef struct packed {
    logic  fin;
    near_t left;   // from snd_una or rcv_nxt
    near_t right;  // the same as left: there is no piece
  } stored_piece_t;

  typedef struct packed {
    logic [SessionIdWidth-1:0] owner;
    stored_piece_t [Gaps-1:0]  stored;
    stored_piece_t [Gaps-1:0]  sacked;
    logic        recovering;
    near_t       recover;        // from snd_una
    near_t       rtx_next;
    logic        una_lost;
    near_t       urgent;         // rcv_up, from rcv_read
    logic        report_icmp;
    logic        report_retries;
    logic        report_urgent;
    icmp_reason_t icmp;
    logic [15:0] retransmitted;
    logic [15:0] stored_count;
    logic [15:0] timeouts;
  } extension_t;

  typedef logic [LineBits-1:0] extension_bits_t;

  // More gaps than there is room for are for engines whose state is on chip.
  localparam logic ExtensionFits = $bits(extension_t) <= LineBits;

  // No more than fits; as signed numbers, what does not is cut.
  function automatic logic [31:0] cut(input logic [31:0] distance, input int bits);
    logic [31:0] most = (32'd1 << (bits - 1)) - 32'd1;
    if (distance[31]) return distance < ~most ? ~most : distance;
    return distance > most ? most : distance;
  endfunction

  function automatic logic [31:0] whole(input signed_t distance);
    return {{(31 - Near) {distance[Near]}}, distance};
  endfunction

  function automatic logic [Cwnd-1:0] cut_cwnd(input logic [23:0] bytes);
    return bytes >= 24'(CwndTop) ? CwndTop : bytes[Cwnd-1:0];
  endfunction

  function automatic logic [23:0] whole_cwnd(input logic [Cwnd-1:0] bytes);
    return bytes == CwndTop ? CwndMax : 24'(bytes);
  endfunction

  function automatic state_bits_t pack_state(input connection_t c);
    stored_state_t s;
    s.state = c.state;
    s.generation = c.generation;
    s.app = c.app;
    s.active = c.active;
    s.tuple = c.tuple;
    s.snd_una = c.snd_una;
    s.nxt = near_t'(c.snd_nxt - c.snd_una);
    s.max = near_t'(c.snd_max - c.snd_una);
    s.given = signed_t'(c.snd_end - c.snd_una);
    s.limit = 24'(cut(c.snd_limit - c.snd_una, 24));
    s.mss = 14'(c.mss);
    s.snd_scale = c.snd_scale;
    s.scale_ok = c.scale_ok;
    s.ts_ok = c.ts_ok;
    s.sack_ok = c.sack_ok;
    s.fin_queued = c.fin_queued;
    s.fin_sent = c.fin_sent;
    s.cwnd = cut_cwnd(c.cwnd);
    s.ssthresh = cut_cwnd(c.ssthresh);
    s.cwnd_credit = cut_cwnd(c.cwnd_credit);
    s.duplicate_acks = c.duplicate_acks;
    s.limited_sent = c.limited_sent;
    s.sack_news = c.sack_news;
    s.rtx_queued = c.rtx_queued;
    s.rcv_nxt = c.rcv_nxt;
    s.unread = near_t'(c.rcv_nxt - c.rcv_read);
    s.window = signed_t'(c.rcv_edge - c.rcv_nxt);
    s.wl1 = near_t'(cut(c.rcv_nxt - c.snd_wl1, Near));
    s.pages = c.rcv_pages;
    s.fin_received = c.fin_received;
    s.ack_pending = c.ack_pending;
    s.rtt_timing = c.rtt_timing && !c.ack_pending;
    s.pending = c.ack_pending
        ? '{distance: near_t'(c.rcv_nxt - c.rcv_acked), time_us: c.ack_deadline}
        : '{distance: near_t'(c.rtt_seq - c.snd_una), time_us: c.rtt_start};
    s.ts_offset = c.ts_offset;
    s.ts_recent = c.ts_recent;
    s.ts_recent_age = c.ts_recent_age;
    s.rtt_known = c.rtt_known;
    s.rtt_spoiled = c.rtt_spoiled;
    s.srtt = c.srtt;
    s.rttvar = c.rttvar;
    s.rto = c.rto[31:26] != '0 ? '1 : c.rto[25:0];
    s.unanswered = c.unanswered;
    s.timer = c.timer;
    s.deadline = c.deadline;
    s.progress_us = c.progress_us;
    s.challenge_us = c.challenge_us[31:16];
    s.idle_ticks = c.idle_ticks;
    s.no_delay = c.no_delay;
    s.keepalive = c.keepalive;
    s.quick_ack = c.quick_ack;
    s.no_notices = c.no_notices;
    s.dscp = c.dscp;
    s.user_timeout = c.user_timeout;
    s.timer_entries = c.timer_entries;
    s.report_accepted = c.report_accepted;
    s.report_acked = c.report_acked;
    s.report_peer_closed = c.report_peer_closed;
    s.report_final = c.report_final;
    s.final_reported = c.final_reported;
    s.discarded = c.discarded;
    s.delivering = c.delivering;
    s.writing = c.writing;
    s.in_transmit_queue = c.in_transmit_queue;
    s.paced = c.paced;
    s.in_deliver_queue = c.in_deliver_queue;
    s.in_report_queue = c.in_report_queue;
    s.in_wait_queue = c.in_wait_queue;
    s.in_opening_queue = c.in_opening_queue;
    s.opening_entry_old = c.opening_entry_old;
    return StateBits'(s);
  endfunction

  // How far `recover` is ahead. Behind, or ahead of all that was ever sent, it says nothing any more.
  function automatic near_t ahead_of_una(input connection_t c);
    seq_t distance = c.recover - c.snd_una;
    return distance[31:Near] != '0 ? '0 : near_t'(distance);
  endfunction

  // How much of what the application has not taken is urgent.
  function automatic near_t urgent_bytes(input connection_t c);
    seq_t distance = c.rcv_up - c.rcv_read;
    return !HasUrgent || distance[31:Near] != '0 ? '0 : near_t'(distance);
  endfunction

  // Is there more to remember than a state holds?
  function automatic logic needs_extension(input connection_t c);
    logic pieces = 1'b0;
    near_t ahead = ahead_of_una(c);
    for (int i = 0; i < Gaps; i++) pieces = pieces || c.stored[i].valid || c.sacked[i].valid;
    return c.state != TcpClosed && (pieces || c.recovering || c.una_lost || ahead != '0
                                     || c.report_icmp || c.report_retries || c.report_urgent
                                     || urgent_bytes(
        c
    ) != '0);
  endfunction

  function automatic stored_piece_t [Gaps-1:0] pack_pieces(input piece_t [Gaps-1:0] pieces,
                                                           input seq_t from);
    stored_piece_t [Gaps-1:0] s;
    s = '0;
    for (int i = 0; i < Gaps; i++) begin
      if (pieces[i].valid)
        s[i] = '{
            fin: pieces[i].fin,
            left: near_t'(pieces[i].left - from),
            right: near_t'(pieces[i].right - from)
        };
    end
    return s;
  endfunction

  function automatic piece_t [Gaps-1:0] unpack_pieces(input stored_piece_t [Gaps-1:0] s,
                                                      input seq_t from);
    piece_t [Gaps-1:0] pieces;
    pieces = '0;
    for (int i = 0; i < Gaps; i++) begin
      if (s[i].left != s[i].right)
        pieces[i] = '{
            valid: 1'b1,
            fin: s[i].fin,
            left: from + 32'(s[i].left),
            right: from + 32'(s[i].right)
        };
    end
    return pieces;
  endfunction

  function automatic extension_bits_t pack_extension(input connection_t c,
                                                     input logic [SessionIdWidth-1:0] id);
    extension_t e;
    e.owner = id;
    e.stored = pack_pieces(c.stored, c.rcv_nxt);
    e.sacked = pack_pieces(c.sacked, c.snd_una);
    e.recovering = c.recovering;
    e.recover = ahead_of_una(c);
    e.rtx_next = near_t'(c.rtx_next - c.snd_una);
    e.una_lost = c.una_lost;
    e.urgent = urgent_bytes(c);
    e.report_icmp = c.report_icmp;
    e.report_retries = c.report_retries;
    e.report_urgent = c.report_urgent;
    e.icmp = c.icmp;
    e.retransmitted = c.retransmitted;
    e.stored_count = c.stored_count;
    e.timeouts = c.timeouts;
    return LineBits'(e);
  endfunction

  function automatic logic [SessionIdWidth-1:0] owner_of(input extension_bits_t bits);
    extension_t e = extension_t'($bits(extension_t)'(bits));
    return e.owner;
  endfunction

  // `extended`: the extension is its own.
  function automatic connection_t unpack_state(input state_bits_t bits, input logic extended,
                                               input extension_bits_t extension);
    stored_state_t s = stored_state_t'(bits[$bits(stored_state_t)-1:0]);
    extension_t e = extension_t'($bits(extension_t)'(extension));
    connection_t c;
    c = '0;
    c.state = s.state;
    c.generation = s.generation;
    c.app = s.app;
    c.active = s.active;
    c.tuple = s.tuple;
    c.snd_una = s.snd_una;
    c.snd_nxt = s.snd_una + 32'(s.nxt);
    c.snd_max = s.snd_una + 32'(s.max);
    c.snd_end = s.snd_una + whole(s.given);
    c.snd_limit = s.snd_una + {{8{s.limit[23]}}, s.limit};
    c.snd_wl2 = s.snd_una;
    c.mss = 16'(s.mss);
    c.snd_scale = s.snd_scale;
    c.scale_ok = s.scale_ok;
    c.ts_ok = s.ts_ok;
    c.sack_ok = s.sack_ok;
    c.fin_queued = s.fin_queued;
    c.fin_sent = s.fin_sent;
    c.cwnd = whole_cwnd(s.cwnd);
    c.ssthresh = whole_cwnd(s.ssthresh);
    c.cwnd_credit = whole_cwnd(s.cwnd_credit);
    c.duplicate_acks = s.duplicate_acks;
    c.limited_sent = s.limited_sent;
    c.sack_news = s.sack_news;
    c.rtx_queued = s.rtx_queued;
    c.rcv_nxt = s.rcv_nxt;
    c.rcv_read = s.rcv_nxt - 32'(s.unread);
    c.rcv_edge = s.rcv_nxt + whole(s.window);
    c.snd_wl1 = s.rcv_nxt - {{(32 - Near) {s.wl1[Near-1]}}, s.wl1};
    c.rcv_pages = s.pages;
    c.fin_received = s.fin_received;
    c.ack_pending = s.ack_pending;
    c.rcv_acked = s.rcv_nxt;
    c.rtt_seq = s.snd_una;
    if (s.ack_pending) begin
      c.rcv_acked = s.rcv_nxt - 32'(s.pending.distance);
      c.ack_deadline = s.pending.time_us;
    end else begin
      c.rtt_seq = s.snd_una + 32'(s.pending.distance);
      c.rtt_start = s.pending.time_us;
    end
    c.ts_offset = s.ts_offset;
    c.ts_recent = s.ts_recent;
    c.ts_recent_age = s.ts_recent_age;
    c.rtt_known = s.rtt_known;
    c.rtt_timing = s.rtt_timing;
    c.rtt_spoiled = s.rtt_spoiled;
    c.srtt = s.srtt;
    c.rttvar = s.rttvar;
    c.rto = 32'(s.rto);
    c.unanswered = s.unanswered;
    c.timer = s.timer;
    c.deadline = s.deadline;
    c.progress_us = s.progress_us;
    c.challenge_us = {s.challenge_us, 16'b0};
    c.idle_ticks = s.idle_ticks;
    c.no_delay = s.no_delay;
    c.keepalive = s.keepalive;
    c.quick_ack = s.quick_ack;
    c.no_notices = s.no_notices;
    c.dscp = s.dscp;
    c.user_timeout = s.user_timeout;
    c.timer_entries = s.timer_entries;
    c.report_accepted = s.report_accepted;
    c.report_acked = s.report_acked;
    c.report_peer_closed = s.report_peer_closed;
    c.report_final = s.report_final;
    c.final_reported = s.final_reported;
    c.discarded = s.discarded;
    c.delivering = s.delivering;
    c.writing = s.writing;
    c.in_transmit_queue = s.in_transmit_queue;
    c.paced = s.paced;
    c.in_deliver_queue = s.in_deliver_queue;
    c.in_report_queue = s.in_report_queue;
    c.in_wait_queue = s.in_wait_queue;
    c.in_opening_queue = s.in_opening_queue;
    c.opening_entry_old = s.opening_entry_old;
    c.recover = s.snd_una;
    c.rtx_next = s.snd_una;
    c.rcv_up = c.rcv_read;
    if (extended) begin
      c.stored = unpack_pieces(e.stored, s.rcv_nxt);
      c.sacked = unpack_pieces(e.sacked, s.snd_una);
      c.recovering = e.recovering;
      c.recover = s.snd_una + 32'(e.recover);
      c.rtx_next = s.snd_una + 32'(e.rtx_next);
      c.una_lost = e.una_lost;
      c.rcv_up = c.rcv_read + 32'(e.urgent);
      c.report_icmp = e.report_icmp;
      c.report_retries = e.report_retries;
      c.report_urgent = e.report_urgent;
      c.icmp = e.icmp;
      c.retransmitted = e.retransmitted;
      c.stored_count = e.stored_count;
      c.timeouts = e.timeouts;
    end
    return c;
  endfunction

  // What is left of a connection that is closed, when nobody waits for it and nothing names it: its
  // generation. The next one of the id begins with the rest zero.
  function automatic logic is_blank(input connection_t c);
    return c.state == TcpClosed && c.timer_entries == '0 && c.report_final == FinalNone
        && !(c.in_transmit_queue || c.in_deliver_queue || c.in_report_queue || c.in_wait_queue
             || c.in_opening_queue || c.opening_entry_old || c.report_accepted || c.report_acked
             || c.report_peer_closed || c.report_icmp || c.report_retries || c.report_urgent
             || c.delivering || c.writing || c.rtx_queued);
  endfunction

  function automatic connection_t blank_state(input logic [GenerationWidth-1:0] generation);
    connection_t c;
    c = '0;
    c.generation = generation;
    return c;
  endfunction

endpackage
