// SPDX-License-Identifier: Apache-2.0

// Which pages of a transmit ring are in use, where rings get their memory by pages (page_ledger): those of
// bytes that the application gave and the peer has not acknowledged, and while the application writes,
// that of its next byte. A packet maps the others that it is to be written to when it is announced; those
// that it has not reached are given back when it is reported. So what an event frees follows from the
// connection before and after it alone.
package tcp_pages_pkg;

  import seq_pkg::*;
  import page_pkg::*;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;

  // snd_una to snd_end are bytes of the application, or the FIN behind them.
  function automatic logic has_bytes(input tcp_state_e state);
    return state != TcpClosed && state != TcpSynSent && state != TcpSynReceived;
  endfunction

  // Pages that hold nothing after the event, and did before.
  function automatic page_range_t pages_freed(input connection_t connection, input tcp_event_t ev,
                                              input tcp_verdict_t v, input tcp_limits_t limits);
    logic writes = connection.writing && ev.kind == EvTxWritten;
    seq_t written_end = connection.snd_end + (writes ? 32'(ev.length) : 32'd0);
    seq_t una = v.advance_una ? ev.segment.ack : connection.snd_una;
    seq_t page_last = (32'd1 << limits.tx_page_bits) - 32'd1;
    logic writing = (connection.writing && !writes) || v.grant_tx;
    logic used_before = connection.writing
        || (has_bytes(connection.state) && is_positive(connection.snd_end - connection.snd_una));
    logic used_after = writing
        || (has_bytes(v.state)
            && is_positive((v.written ? written_end : connection.snd_end) - una));
    seq_t first = connection.snd_una >> limits.tx_page_bits;
    seq_t behind = (used_after ? una : written_end + page_last) >> limits.tx_page_bits;
    seq_t count = behind - first;
    if (limits.tx_page_bits == '0 || !v.is_event_of || !used_before) return '0;
    return
    '{first: ($bits(pages_freed.first))'(first), count: ($bits(pages_freed.count))'(count)}
    ;
  endfunction

  // The page of the application's next byte is in use before a packet is announced.
  function automatic logic is_page_there(input connection_t connection, input tcp_differences_t d,
                                         input tcp_limits_t limits);
    seq_t in_page = connection.snd_end & ((32'd1 << limits.tx_page_bits) - 32'd1);
    return limits.tx_page_bits != '0 && d.unacked != '0 && in_page != '0;
  endfunction

  // Bytes from snd_end on that a request may have pages for: those in use, and those that the pool offers.
  // When few are left, whoever has bytes on their way gets no more, and whoever has none gets what the
  // peer's window takes: that goes out at once, and comes back. To a window that is closed goes one page,
  // for the probes that hear of it when it opens; when pages are scarce, none.
  function automatic logic [31:0] page_room(input connection_t connection, input tcp_event_t ev,
                                            input tcp_differences_t d, input tcp_limits_t limits);
    page_offer_t offer = page_offer_t'(ev.value[$bits(page_offer_t)-1:0]);
    logic there = is_page_there(connection, d, limits);
    logic window_open = is_positive(d.limit_minus_nxt);
    seq_t in_page = connection.snd_end & ((32'd1 << limits.tx_page_bits) - 32'd1);
    logic [31:0] pages, room;
    if (offer.few && d.unacked != '0) pages = '0;
    else if (offer.few && !window_open) pages = 32'(offer.count != '0 && !offer.scarce);
    else pages = 32'(offer.count);
    pages += 32'(there);
    room = pages == '0 ? '0 : (pages << limits.tx_page_bits) - in_page;
    if (offer.few && d.unacked == '0 && window_open && d.limit_minus_nxt < room)
      room = d.limit_minus_nxt;
    return limits.tx_page_bits == '0 ? '1 : room;
  endfunction

  // The window of a peer that has acknowledged everything opens: who was refused pages because it was
  // closed is to ask again.
  function automatic logic opens_window(input connection_t connection, input tcp_differences_t d,
                                        input tcp_verdict_t v, input tcp_limits_t limits);
    return limits.tx_page_bits != '0 && has_bytes(connection.state) && v.take_window &&
        !d.checks.window_is_same && d.unacked == '0 && d.limit_minus_nxt == '0;
  endfunction

endpackage
