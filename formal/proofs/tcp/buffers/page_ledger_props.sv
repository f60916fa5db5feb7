// SPDX-License-Identifier: Apache-2.0

// page_ledger with the rule of the pipeline for what it frees (tcp_pages_pkg): whatever connections write,
// take back, have acknowledged and lose by a reset,
//   - a page of memory is in the pool, on its way back to it, or some ring's, and never two of these;
//   - a page that holds a byte which the peer has not acknowledged is its ring's;
//   - what goes back was its ring's, and holds nothing that is still to be read;
//   - what is announced to the writer has its pages.
//
// Around it: a pool that gives any page that it has, a table that answers when it likes, and two
// connections, one event of which goes through the pipeline in a clock. A connection writes when it is
// not writing already and the pool has the pages it needs, counting as transmit_admission does.
module page_ledger_props
  import seq_pkg::*;
  import page_pkg::*;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import tcp_pages_pkg::*;
(
  input logic clk,
  input logic rst,

  // What happens in this clock, and to whom.
  input logic       who,
  input logic       grants,
  input logic [2:0] amount,
  input logic       acknowledges,
  input logic       closes,
  input logic       begins_read,
  input logic       ends_read,
  // When others are ready, and what they choose.
  input logic       m_write_ready,
  input logic       reports,
  input logic [2:0] stored,
  input logic       m_written_ready,
  input logic [1:0] s_page,
  input logic       s_page_valid,
  input logic       pool_room,
  input logic       m_update_ready,
  input logic       answers
);

  localparam int Pages = 4;
  localparam int RingPages = 2;
  localparam tcp_limits_t Limits = '{
      tx_ring_bytes: 2,
      tx_page_bits: 1,
      rx_window: 4,
      rx_page_bits: 0,
      rx_scale: 0,
      mss: 2,
      store_direct: 0,
      early_bytes: 0
  };

  typedef logic [4:0] number_t;  // of a byte; a run is short

  logic started = 1'b0;

  always_ff @(posedge clk) begin
    started <= 1'b1;
    assume (rst == !started);
  end

  // ---- Connections -----------------------------------------------------------------------------------

  number_t una_q[2], end_q[2];
  logic [1:0] writing_q = '0, closed_q = '0;
  logic [2:0] length_q[2];        // granted
  logic [1:0] announcing_q = '0;  // granted and not announced
  logic [1:0] announced_q = '0;   // and not reported
  logic first_q;                  // of two that are, the one that was the first
  logic [1:0] written_q = '0;     // reported: to be an event
  logic [2:0] stored_q[2];

  initial begin
    for (int i = 0; i < 2; i++) assume (una_q[i] == end_q[i] && una_q[i] < 5'd4);
  end

  // The event: at most one of these.
  logic grant, acknowledge, close, written, there, frees_room;
  connection_t connection;
  tcp_event_t ev;
  tcp_verdict_t v;
  tcp_differences_t d;
  page_range_t range;
  number_t una_after;
  logic [2:0] needed;
  logic [2:0] free_q = 3'(Pages);  // and not promised

  function automatic logic [2:0] pages_between(input number_t from, input number_t to);
    return 3'((to + 5'd1) >> 1) - 3'(from >> 1);
  endfunction

  assign una_after   = una_q[who] + 5'(amount);
  assign needed      = pages_between(end_q[who], end_q[who] + 5'(amount)) - 3'(there);
  assign grant       = started && grants && !writing_q[who] && !closed_q[who] && amount != '0
      && 5'(end_q[who] - una_q[who]) + 5'(amount) <= 5'd2 && needed <= free_q && frees_room;
  assign written     = started && written_q[who] && !grants && frees_room;
  assign acknowledge = started && acknowledges && !grants && !written && !closed_q[who]
      && amount != '0 && una_after <= end_q[who] && frees_room;
  assign close       = started && closes && !grants && !written && !acknowledges && !closed_q[who]
      && frees_room;

  always_comb begin
    connection = '0;
    connection.state = closed_q[who] ? TcpClosed : TcpEstablished;
    connection.snd_una = 32'(una_q[who]);
    connection.snd_end = 32'(end_q[who]);
    connection.writing = writing_q[who];
    ev = '0;
    v = '0;
    v.is_event_of = grant || written || acknowledge || close;
    v.state = close ? TcpClosed : connection.state;
    if (acknowledge) begin
      ev.kind = EvSegment;
      ev.segment.ack = 32'(una_after);
      v.advance_una = 1'b1;
    end
    if (grant) begin
      ev.kind = EvTxRequest;
      v.grant_tx = 1'b1;
    end
    if (written) begin
      ev.kind = EvTxWritten;
      ev.length = 16'(stored_q[who]);
      v.written = !closed_q[who];
    end
    d = '0;
    d.unacked = connection.snd_end - connection.snd_una;
    range = pages_freed(connection, ev, v, Limits);
    there = is_page_there(connection, d, Limits);
  end

  // ---- What is announced and reported --------------------------------------------------------------

  logic s_write_valid, s_write_ready, m_write_valid, s_written_valid, s_written_ready;
  logic m_written_valid, announce_q, there_q[2], reporting_q = 1'b0, report_who;
  logic writer;  // who announces: one after the other
  logic [2:0] report_q;

  assign writer          = announcing_q[announce_q] ? announce_q : !announce_q;
  assign s_write_valid   = |announcing_q;
  assign report_who      = announced_q == 2'b11 ? first_q : announced_q[1];
  assign s_written_valid = |announced_q && reporting_q;

  // A stream's data stays.
  logic held_q = 1'b0;
  always_ff @(posedge clk) begin
    held_q <= started && s_write_valid && !s_write_ready;
    if (held_q) assume (writer == $past(writer));
    announce_q <= writer;
  end

  function automatic logic [2:0] count(input logic [3:0] bits);
    return 3'(bits[0]) + 3'(bits[1]) + 3'(bits[2]) + 3'(bits[3]);
  endfunction

  // ---- Pool and table ------------------------------------------------------------------------------

  logic [Pages-1:0] pool_q = '1;
  logic [3:0] mapped_q = '0;  // places: {connection, page of its ring}
  logic [1:0] page_q[4];
  logic [1:0] update_place, lookup_place, update_page, freed_page, lookup_page;
  logic s_page_ready, came_back, freed, update_valid, lookup_valid, answer, answered_q = 1'b0;
  logic [1:0] offered_q;
  logic offered_valid_q = 1'b0;
  logic in_transit_q = 1'b0;

  assign answer      = started && lookup_valid && answers && !answered_q;
  assign lookup_page = page_q[lookup_place];

  always_ff @(posedge clk) begin
    assume (!s_page_valid || pool_q[s_page]);
    if (offered_valid_q) assume (s_page_valid && s_page == offered_q);
    offered_valid_q <= started && s_page_valid && !s_page_ready;
    offered_q       <= s_page;
  end

  // ---- Reads: those that were begun by the time of a free end before its page goes -----------------------

  logic [3:0] begun_q = '0, done_q = '0;
  logic [3:0] mark_q[4];  // of places that are freed
  logic [3:0] marked_q = '0;
  logic begin_read, end_read;

  assign begin_read = started && begins_read && begun_q - done_q < 4'd3;
  assign end_read   = started && ends_read && begun_q != done_q;

  page_ledger #(
    .Connections(2),
    .RingBytes  (4),
    .PageBytes  (2),
    .Pages      (Pages),
    .Packets    (2),
    .Frees      (4),
    .Slack      (2)
  ) dut (
    .clk,
    .rst,
    .s_write_id      (writer),
    .s_write_offset  (end_q[writer][1:0]),
    .s_write_length  (16'(length_q[writer])),
    .s_write_there   (there_q[writer]),
    .s_write_valid,
    .s_write_ready,
    .m_write_valid,
    .m_write_ready,
    .s_written_length(16'(report_q)),
    .s_written_valid,
    .s_written_ready,
    .m_written_valid,
    .m_written_ready,
    .free_id_i       (who),
    .free_range_i    (range),
    .free_i          (started),
    .read_begun_i    (begin_read),
    .read_done_i     (end_read),
    .room_o          (frees_room),
    .s_page,
    .s_page_valid,
    .s_page_ready,
    .freed_page_o    (freed_page),
    .freed_o         (came_back),
    .pool_room_i     (pool_room),
    .m_update_place  (update_place),
    .m_update_page   (update_page),
    .m_update_valid  (update_valid),
    .m_update_ready,
    .m_lookup_place  (lookup_place),
    .m_lookup_valid  (lookup_valid),
    .s_lookup_page   (lookup_page),
    .s_lookup_valid  (answer)
  );

  logic announce, report, update;

  assign announce = started && s_write_valid && s_write_ready;
  assign report   = started && s_written_valid && s_written_ready;
  assign freed    = started && came_back;
  assign update   = started && update_valid && m_update_ready;

  always_ff @(posedge clk) begin
    if (grant) begin
      writing_q[who]    <= 1'b1;
      announcing_q[who] <= 1'b1;
      length_q[who]     <= amount;
      there_q[who]      <= there;
    end
    if (acknowledge) una_q[who] <= una_after;
    if (close) closed_q[who] <= 1'b1;
    if (written) begin
      writing_q[who] <= 1'b0;
      written_q[who] <= 1'b0;
      if (!closed_q[who]) end_q[who] <= end_q[who] + 5'(stored_q[who]);
    end
    // The id's next connection.
    if (started && closed_q[who] && !writing_q[who] && grants) begin
      closed_q[who] <= 1'b0;
      una_q[who]    <= end_q[who];
    end
    free_q <= free_q - (grant ? needed : 3'd0) + 3'(freed);

    if (announce) begin
      announcing_q[writer] <= 1'b0;
      announced_q[writer]  <= 1'b1;
      if (announced_q == '0 || (report && announced_q != 2'b11)) first_q <= writer;
      else if (report) first_q <= !report_who;
    end else if (report) begin
      first_q <= !report_who;
    end
    if (!s_written_valid && |announced_q && reports) begin
      reporting_q <= 1'b1;
      report_q    <= stored < length_q[report_who] ? stored : length_q[report_who];
    end
    if (report) begin
      reporting_q             <= 1'b0;
      announced_q[report_who] <= announce && writer == report_who;
      written_q[report_who]   <= 1'b1;
      stored_q[report_who]    <= report_q;
    end

    begun_q <= begun_q + 4'(begin_read);
    done_q  <= done_q + 4'(end_read);
    answered_q <= answer;
    for (int i = 0; i < RingPages; i++) begin
      if (i < int'(range.count)) begin
        mark_q[{who, range.first[0]^1'(i)}]   <= begun_q + 4'(begin_read);
        marked_q[{who, range.first[0]^1'(i)}] <= 1'b1;
      end
    end

    if (update) begin
      mapped_q[update_place] <= 1'b1;
      page_q[update_place]   <= update_page;
      pool_q[update_page]    <= 1'b0;
    end
    if (answer) begin
      mapped_q[lookup_place] <= 1'b0;
      in_transit_q           <= 1'b1;
      marked_q[lookup_place] <= 1'b0;
    end
    if (freed) begin
      pool_q[freed_page] <= 1'b1;
      in_transit_q       <= answer;
    end

    if (started) begin
      if (update) begin
        assert (!mapped_q[update_place]);
        assert (update_page == s_page && s_page_valid && s_page_ready);
      end else begin
        assert (!(s_page_valid && s_page_ready));
      end
      if (answer) begin
        assert (mapped_q[lookup_place]);
        assert (!marked_q[lookup_place] || done_q - mark_q[lookup_place] < 4'd8);
      end
      assert (freed == in_transit_q);
      if (freed) assert (!pool_q[freed_page]);
      for (int i = 0; i < 4; i++) begin
        if (mapped_q[i]) assert (!pool_q[page_q[i]] && !(freed && freed_page == page_q[i]));
        for (int k = 0; k < i; k++) if (mapped_q[i] && mapped_q[k]) assert (page_q[i] != page_q[k]);
      end
      assert (count(pool_q) + count(mapped_q) + 3'(freed) == 3'(Pages));
      // Bytes that are there, and those that a packet is announced for.
      for (int i = 0; i < 2; i++) begin
        for (int n = 0; n < 2; n++) begin
          if (!closed_q[i] && una_q[i] + 5'(n) < end_q[i])
            assert (mapped_q[{1'(i), 1'((una_q[i]+5'(n))>>1)}]);
          if (announced_q[i] && n < int'(length_q[i]))
            assert (mapped_q[{1'(i), 1'((end_q[i]+5'(n))>>1)}]);
        end
      end
      if (announce) begin
        assert (m_write_valid && m_write_ready);
        for (int n = 0; n < 2; n++)
        if (n < int'(length_q[writer])) assert (mapped_q[{writer, 1'((end_q[writer]+5'(n))>>1)}]);
      end
      // What is promised is in the pool.
      assert (free_q <= count(pool_q));
    end

    // A page comes back and is another connection's; what was mapped and not reached comes back; all do.
    cover (started && update && update_place[1] && $past(freed));
    cover (started && freed && closed_q == 2'b01);
    cover (started && written && stored_q[who] == '0 && length_q[who] == 3'd2);
    cover (started && announce && there_q[writer]);
    cover (started && freed && count(pool_q) == 3'd3 && una_q[0] == 5'd5);
    cover (started && acknowledge && range.count == 5'd1 && writing_q[who]);
  end

endmodule
