// SPDX-License-Identifier: Apache-2.0

// page_ledger as receive_buffer uses it, with the rule of the pipeline for what takes pages and what leaves
// them (tcp_receive_pages_pkg): whatever connections receive in order and beyond gaps, forget, have read
// and lose by a reset,
//   - a page of memory is in the pool, on its way back to it, or some ring's, and never two of these;
//   - a byte that is unread, stored beyond a gap or being read has its page, once its write has begun;
//   - what goes back was its ring's;
//   - what is accepted finds its pages in the pool;
//   - a connection of which nothing is unread, stored or being read has none.
//
// Around it: a pool that gives any page that it has, a table that answers when it likes, a writer that
// takes its time, commands that wait in a queue, and two connections, one event of which goes through
// the pipeline in a clock. Pages are 2 bytes, rings 4, windows 2.
module receive_ledger_props
  import seq_pkg::*;
  import page_pkg::*;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import tcp_receive_pages_pkg::*;
(
  input logic clk,
  input logic rst,

  // What happens in this clock, and to whom.
  input logic       who,
  input logic [2:0] what,
  input logic       beyond,
  input logic [1:0] amount,
  input logic       pages_short,
  // When others are ready, and what they choose.
  input logic       writer_ready,
  input logic       writer_done,
  input logic       s_page,
  input logic       s_page_valid,
  input logic       pool_room,
  input logic       m_update_ready,
  input logic       answers
);

  localparam int Pages = 2;  // as many as one ring can have
  localparam int Queue = 2;
  localparam tcp_limits_t Limits = '{
      tx_ring_bytes: 2,
      tx_page_bits: 0,
      rx_window: 2,
      rx_page_bits: 1,
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

  number_t read_q[2], nxt_q[2];
  logic [1:0] piece_q = '0;       // the byte at nxt_q is missing, and the next one is there
  logic [1:0] delivering_q = '0;  // all that was unread is offered,
  logic [1:0] offered_q = '0;     // and its command has passed
  logic [1:0] offer_q[2];
  logic [1:0] discarded_q = '0;
  page_count_t held_q[2];

  initial begin
    for (int i = 0; i < 2; i++)
    assume (read_q[i] == nxt_q[i] && read_q[i] < 5'd4 && held_q[i] == '0);
  end

  typedef struct packed {
    logic        who;
    logic        store;
    logic        deliver;
    logic        takes;
    page_range_t pages;
    number_t     from;
    number_t     to;
  } entry_t;

  entry_t queue_q[Queue], entry;
  logic [1:0] count_q = '0;
  logic room;

  // The event: at most one of these.
  logic store, deliver, delivered, discard, forget, begins;
  number_t from, to, unread;
  connection_t connection;
  tcp_event_t ev;
  tcp_verdict_t v;
  tcp_preparation_t p;
  tcp_differences_t d;
  receive_pages_t moves;
  logic wanted;
  logic [2:0] available_q = 3'(Pages);

  assign room      = count_q < 2'(Queue);
  assign unread    = nxt_q[who] - read_q[who];
  assign from      = nxt_q[who] + 5'(beyond);
  assign to        = from + 5'(amount);
  // To the edge at most; a piece is a byte, and there is one at most.
  assign wanted    = started && room && what == 3'd1 && !discarded_q[who] && amount != '0
      && amount != 2'd3 && 5'(to - read_q[who]) <= 5'd2
      && !(beyond && (piece_q[who] || amount != 2'd1));
  assign store     = wanted && !lacks_receive_pages(connection, ev, d, 1'b0, Limits);
  assign deliver   = started && room && what == 3'd2 && !discarded_q[who] && unread != '0
      && !delivering_q[who];
  assign delivered = started && room && what == 3'd3 && delivering_q[who] && offered_q[who]
      && amount <= offer_q[who];
  assign discard   = started && room && what == 3'd4 && !discarded_q[who];
  assign forget    = started && what == 3'd5;
  assign begins    = started && what == 3'd6 && discarded_q[who] && !delivering_q[who];

  always_comb begin
    connection = '0;
    connection.state = discarded_q[who] ? TcpClosed : TcpEstablished;
    connection.rcv_read = 32'(read_q[who]);
    connection.rcv_nxt = 32'(nxt_q[who]);
    connection.rcv_edge = 32'(read_q[who]) + 32'd2;
    connection.rcv_pages = held_q[who];
    connection.stored[0].valid = piece_q[who];
    connection.delivering = delivering_q[who];
    connection.discarded = discarded_q[who];
    ev = '0;
    ev.kind = store ? EvSegment : EvDelivered;
    ev.segment.payload_length = 16'(amount);
    ev.pages = available_q > 3'd2 ? page_count_t'(2) : page_count_t'(available_q);
    ev.pages_short = pages_short;
    d = '0;
    d.checks.has_new_bytes = 1'b1;
    d.nxt_minus_seq = 32'd0 - 32'(beyond);
    d.edge_minus_nxt = connection.rcv_edge - connection.rcv_nxt;
    d.pages_to_end = pages_between(connection.rcv_read,
                                   32'(read_q[who]) + 32'(5'(to - read_q[who])), Limits);
    d.pages_read = pages_passed(connection.rcv_read, 16'(amount), Limits);
    v = '0;
    v.is_event_of = store || deliver || delivered || discard;
    v.accept_payload = store;
    v.in_order = store && !beyond;
    v.store = store && beyond;
    v.deliver = deliver;
    v.delivered = delivered;
    v.discard = discard;
    p = '0;
    p.new_payload = 16'(amount);
    p.deliver_all = unread == 5'(amount);
    p.nothing_unread = unread == '0;
    moves = move_pages(connection, ev, d, v, p, Limits);
    entry = '{
        who: who,
        store: store,
        deliver: deliver,
        takes: moves.takes,
        pages: moves.moved,
        from: from,
        to: to
    };
  end

  // ---- As receive_buffer has it ----------------------------------------------------------------------

  entry_t head;
  logic head_valid, takes, frees, taken, passes, announced_q = 1'b0, reported, frees_room;
  logic [15:0] taken_bytes, announced_bytes_q;

  assign head        = queue_q[0];
  assign head_valid  = count_q != '0;
  assign takes       = head.takes && head.pages.count != '0;
  assign frees       = !head.takes && head.pages.count != '0;
  assign passes      = started && head_valid && (!frees || frees_room) && (!takes || taken)
      && (!head.store || writer_ready);
  assign taken_bytes = 16'(17'(head.pages.count) << 1) - 1'b1;

  logic [3:0] begun_q = '0, done_q = '0;
  logic write_done;

  assign write_done = started && writer_done && begun_q != done_q;

  // ---- Pool and table ------------------------------------------------------------------------------

  function automatic logic [2:0] count(input logic [3:0] bits);
    return 3'(bits[0]) + 3'(bits[1]) + 3'(bits[2]) + 3'(bits[3]);
  endfunction

  logic [Pages-1:0] pool_q = '1;
  logic [3:0] mapped_q = '0;  // places: {connection, page of its ring}
  logic page_q[4];
  logic [1:0] update_place, lookup_place;
  logic update_page, freed_page;
  logic s_page_ready, came_back, freed, update_valid, lookup_valid, answer, answered_q = 1'b0;
  logic update, offered_valid_q = 1'b0, in_transit_q = 1'b0;
  logic shown_q;

  assign answer = started && lookup_valid && answers && !answered_q;
  assign freed  = started && came_back;
  assign update = started && update_valid && m_update_ready;

  always_ff @(posedge clk) begin
    assume (!s_page_valid || pool_q[s_page]);
    if (offered_valid_q) assume (s_page_valid && s_page == shown_q);
    offered_valid_q <= started && s_page_valid && !s_page_ready;
    shown_q         <= s_page;
  end

  page_ledger #(
    .Connections(2),
    .RingBytes  (4),
    .PageBytes  (2),
    .Pages      (Pages),
    .Packets    (2),
    .Frees      (2),
    .Slack      (1)
  ) dut (
    .clk,
    .rst,
    .s_write_id      (head.who),
    .s_write_offset  (2'(head.pages.first) << 1),
    .s_write_length  (taken_bytes),
    .s_write_there   (1'b0),
    .s_write_valid   (started && head_valid && takes && !announced_q),
    .s_write_ready   (),
    .m_write_valid   (taken),
    .m_write_ready   (writer_ready),
    .s_written_length(announced_bytes_q),
    .s_written_valid (announced_q),
    .s_written_ready (reported),
    .m_written_valid (),
    .m_written_ready (1'b1),
    .free_id_i       (head.who),
    .free_range_i    (head.pages),
    .free_i          (passes && frees),
    .read_begun_i    (passes && head.store),
    .read_done_i     (write_done),
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
    .s_lookup_page   (page_q[lookup_place]),
    .s_lookup_valid  (answer)
  );

  // Of whom something waits in the queue that has not passed.
  logic [1:0] waits;

  always_comb begin
    waits = '0;
    for (int i = 0; i < Queue; i++) if (2'(i) < count_q) waits[queue_q[i].who] = 1'b1;
  end

  logic push, event_q = 1'b0, who_q;
  assign push = v.is_event_of && (store || deliver || moves.moved.count != '0);

  always_ff @(posedge clk) begin
    if (store) begin
      if (beyond) begin
        piece_q[who] <= 1'b1;
      end else begin
        nxt_q[who] <= piece_q[who] ? nxt_q[who] + 5'd2 : to;
        piece_q[who] <= 1'b0;
      end
    end
    if (deliver) begin
      delivering_q[who] <= 1'b1;
      offer_q[who]      <= 2'(unread);
    end
    if (delivered) begin
      delivering_q[who] <= 1'b0;
      offered_q[who]    <= 1'b0;
      if (!discarded_q[who]) read_q[who] <= read_q[who] + 5'(amount);
    end
    if (discard) discarded_q[who] <= 1'b1;
    if (forget) piece_q[who] <= 1'b0;
    // The id's next connection: its numbers are others, its ring and its pages are the same.
    if (begins) begin
      discarded_q[who] <= 1'b0;
      piece_q[who]     <= 1'b0;
      read_q[who]      <= nxt_q[who] + 5'd1;
      nxt_q[who]       <= nxt_q[who] + 5'd1;
    end
    if (v.is_event_of) held_q[who] <= moves.held;
    event_q <= v.is_event_of;
    who_q   <= who;
    available_q <= available_q - (moves.takes ? 3'(moves.moved.count) : 3'd0) + 3'(freed);

    if (passes) for (int i = 1; i < Queue; i++) queue_q[i-1] <= queue_q[i];
    if (push) queue_q[1'(count_q-2'(passes))] <= entry;
    count_q <= count_q + 2'(push) - 2'(passes);
    if (passes && head.deliver) offered_q[head.who] <= 1'b1;

    if (!announced_q && passes && takes) begin
      announced_q       <= 1'b1;
      announced_bytes_q <= taken_bytes;
    end else if (reported) begin
      announced_q <= 1'b0;
    end

    begun_q    <= begun_q + 4'(passes && head.store);
    done_q     <= done_q + 4'(write_done);
    answered_q <= answer;
    if (update) begin
      mapped_q[update_place] <= 1'b1;
      page_q[update_place]   <= update_page;
      pool_q[update_page]    <= 1'b0;
    end
    if (answer) begin
      mapped_q[lookup_place] <= 1'b0;
      in_transit_q           <= 1'b1;
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
      if (answer) assert (mapped_q[lookup_place]);
      assert (freed == in_transit_q);
      if (freed) assert (!pool_q[freed_page]);
      for (int i = 0; i < 4; i++) begin
        if (mapped_q[i]) assert (!pool_q[page_q[i]] && !(freed && freed_page == page_q[i]));
        for (int k = 0; k < i; k++) if (mapped_q[i] && mapped_q[k]) assert (page_q[i] != page_q[k]);
      end
      assert (count(4'(pool_q)) + count(mapped_q) + 3'(freed) == 3'(Pages));
      // What is promised is in the pool.
      assert (available_q <= count(4'(pool_q)));
      // What is written has its pages when it begins, and when all of a connection has begun, all that is
      // there; what is read has them until it has been read.
      if (passes && head.store)
        for (int n = 0; n < 2; n++)
        if (5'(n) < 5'(head.to - head.from))
          assert (mapped_q[{head.who, 1'((head.from+5'(n))>>1)}]);
      for (int i = 0; i < 2; i++) begin
        for (int n = 0; n < 2; n++) begin
          if (!waits[i] && !discarded_q[i]) begin
            if (read_q[i] + 5'(n) < nxt_q[i]
                || (piece_q[i] && 5'(n) == nxt_q[i] + 5'd1 - read_q[i]))
              assert (mapped_q[{1'(i), 1'((read_q[i]+5'(n))>>1)}]);
          end
          if (offered_q[i] && n < int'(offer_q[i]))
            assert (mapped_q[{1'(i), 1'((read_q[i]+5'(n))>>1)}]);
        end
        // After an event, for what is forgotten is known with the next one.
        if (event_q && who_q == 1'(i) && !delivering_q[i]
            && (discarded_q[i] || (nxt_q[i] == read_q[i] && !piece_q[i])))
          assert (held_q[i] == '0);
      end
    end

    // A page comes back and is another connection's; a gap's; one that was forgotten; one that was being read.
    cover (started && update && update_place[1] && $past(freed));
    cover (started && store && piece_q[who] && !beyond && moves.moved.count == '0);
    cover (started && store && beyond && moves.moved.count == 5'd2);
    cover (started && delivered && discarded_q[who] && moves.moved.count != '0);
    cover (started && wanted && !store && available_q == '0);
    cover (started && freed && count(4'(pool_q)) == 3'd1 && done_q == 4'd2);
  end

endmodule
