// SPDX-License-Identifier: Apache-2.0

// Which pages of a receive ring have memory, where rings get it by pages: those from that of the first
// byte which the application has not taken to that of the last byte which was ever accepted, the
// pages of gaps between included. So the bytes of a gap find their pages, whatever the pool has:
// nobody keeps pages for what cannot become complete. A connection of which nothing is unread, and
// nothing stored beyond a gap, has none.
//
// An event takes pages for what it stores, or leaves some without use, and never both.
package tcp_receive_pages_pkg;

  import seq_pkg::*;
  import page_pkg::*;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;

  // A window that waits for pages is looked at again after so long. What peers do by themselves is to
  // probe it, after 200 ms at the soonest.
  localparam logic [31:0] HeldUs = 32'd32768;
  localparam logic [3:0] HeldClass = timer_class_of(HeldUs);

  // UsedState, without the pages where there are none.
  function automatic connection_t used_with(input tcp_limits_t limits);
    used_with = UsedState;
    if (limits.rx_page_bits == '0) used_with.rcv_pages = '0;
  endfunction

  // Pages from that of `from` to that of the byte before `to`.
  function automatic page_count_t pages_between(input seq_t from, input seq_t to,
                                                input tcp_limits_t limits);
    seq_t first = from >> limits.rx_page_bits;
    seq_t last = (to - 32'd1) >> limits.rx_page_bits;
    if (limits.rx_page_bits == '0) return '0;
    return page_count_t'(last) - page_count_t'(first) + 1'b1;
  endfunction

  // Pages behind `length` bytes more.
  function automatic page_count_t pages_passed(input seq_t from, input logic [15:0] length,
                                               input tcp_limits_t limits);
    seq_t last = (32'd1 << limits.rx_page_bits) - 32'd1;
    if (limits.rx_page_bits == '0) return '0;
    return page_count_t'(((from & last) + 32'(length)) >> limits.rx_page_bits);
  endfunction

  // There are not the pages that the segment needs. When they are short, they are for those who have
  // none, and for what is in order: peers that leave gaps, or connections that nobody reads, do not
  // get the last ones.
  function automatic logic lacks_receive_pages(input connection_t connection, input tcp_event_t ev,
                                               input tcp_differences_t d, input logic past_edge,
                                               input tcp_limits_t limits);
    page_count_t wanted = past_edge ? d.pages_to_edge : d.pages_to_end;
    page_count_t more = wanted - connection.rcv_pages;
    logic gap = is_negative(d.nxt_minus_seq);
    return limits.rx_page_bits != '0 && d.checks.has_new_bytes && wanted > connection.rcv_pages
        && (more > ev.pages || (ev.pages_short && (gap || connection.rcv_pages != '0)));
  endfunction

  typedef struct packed {
    page_count_t held;   // after the event
    logic        takes;  // these get memory,
    page_range_t moved;  // or hold nothing any more
  } receive_pages_t;

  function automatic receive_pages_t move_pages(
      input connection_t connection, input tcp_event_t ev, input tcp_differences_t d,
      input tcp_verdict_t v, input tcp_preparation_t p, input tcp_limits_t limits);
    receive_pages_t r;
    seq_t first = connection.rcv_read >> limits.rx_page_bits;
    page_count_t held = connection.rcv_pages;
    page_count_t wanted = v.accept_to_edge ? d.pages_to_edge : d.pages_to_end;
    logic stores = v.accept_payload
        && (v.store || (v.accept_to_edge ? d.edge_minus_nxt != '0 : p.new_payload != '0));
    logic delivering = v.deliver || (connection.delivering && !v.delivered);
    logic unread = v.delivered ? !p.deliver_all : !p.nothing_unread;
    logic used = delivering || (!connection.discarded && !v.discard
                                && (unread || connection.stored[0].valid));
    r = '{held: held, default: '0};
    if (limits.rx_page_bits == '0) return '0;
    if (!v.is_event_of) return r;
    r.moved.first = ($bits(r.moved.first))'(first);
    if (stores) begin
      r.takes = 1'b1;
      r.moved.first = ($bits(r.moved.first))'(first + 32'(held));
      if (wanted > held) begin
        r.held = wanted;
        r.moved.count = wanted - held;
      end
    end else if (!used || v.create) begin
      r.held = '0;
      r.moved.count = held;
    end else if (v.delivered && !connection.discarded) begin
      r.held = held - d.pages_read;
      r.moved.count = d.pages_read;
    end
    return r;
  endfunction

  // The peer may be told of more room: its text is still to come.
  function automatic logic takes_text(input tcp_state_e state);
    return state == TcpEstablished || state == TcpFinWait1 || state == TcpFinWait2;
  endfunction

  // An event with which the window's right edge may move on. That is what takes room out of the ring; with
  // pages, as the edge stood still while they were short, also any other that can tell the peer.
  function automatic logic may_open_window(input connection_t connection, input tcp_event_t ev,
                                           input tcp_verdict_t v, input tcp_preparation_t p,
                                           input tcp_limits_t limits);
    logic tells = v.may_send || v.reply == ReplyProbe
        || (v.reply == ReplyAck && (!v.challenge || p.challenge_allowed));
    if (limits.rx_page_bits == '0) return v.delivered;
    return !ev.pages_short && (v.delivered || (v.is_event_of && tells && takes_text(
        connection.state
    ) && takes_text(
        v.state
    )));
  endfunction

  // The same, but pages are short.
  function automatic logic may_hold_window(input connection_t connection, input tcp_event_t ev,
                                           input tcp_verdict_t v, input tcp_limits_t limits);
    return limits.rx_page_bits != '0 && ev.pages_short && v.is_event_of && !v.accept_fin
        && !connection.fin_received && takes_text(connection.state) && takes_text(v.state);
  endfunction

endpackage
