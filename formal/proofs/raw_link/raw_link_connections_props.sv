// SPDX-License-Identifier: Apache-2.0

// raw_link_connections: no two entries in use have the same key; what is delivered of a connection
// has ever higher numbers, each once, and without a gap where acknowledgement was asked for; a Last
// that is delivered leaves no active entry of its key; each frame ends under one counter.
//
// The frames of one key are watched. In the network they have numbers that do not wrap, of which
// Seq has the lowest nine bits, and none is further from what is expected than the specification
// allows (docs/raw_link.md).
module raw_link_connections_props
  import raw_link_pkg::*;
#(
  parameter int Connections = 4
) (
  input logic            clk,
  input logic            rst,
  input logic            forget_i,
  input frame_t          s_frame,
  input logic            s_valid,
  input logic            m_delivery_ready,
  input logic            m_response_ready,
  input handle_t         s_lookup_handle,
  input logic            s_lookup_valid,
  input connection_key_t watched_key,
  input logic     [12:0] number       // of the frame that is judged
);

  localparam int IndexWidth = $clog2(Connections);
  localparam int NumberWidth = 13;
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [NumberWidth-1:0] number_t;

  logic s_ready, m_delivery_valid, m_response_valid, m_acknowledged_valid, s_lookup_ready;
  logic m_lookup_found;
  delivery_t m_delivery;
  response_t m_response;
  acknowledged_t m_acknowledged;
  connection_key_t m_lookup_key;
  raw_seq_t m_lookup_seq;
  raw_link_counters_t counts_o;

  raw_link_connections #(
    .Connections(Connections),
    .Apps       (3)
  ) dut (
    .*
  );

  logic started = 1'b0;
  logic key_known_q = 1'b0;
  connection_key_t watched_key_q;

  logic asked_q = 1'b0;  // for a lookup, without an answer yet

  always_ff @(posedge clk) begin
    started <= 1'b1;
    asked_q <= !rst && s_lookup_valid && !s_lookup_ready;
    if (asked_q) assume (s_lookup_valid || rst);
    if (!started) assume (rst);
    if (key_known_q) assume (watched_key == watched_key_q);
    watched_key_q <= watched_key;
    key_known_q   <= 1'b1;
  end

  // ---- The table -------------------------------------------------------------------------------

  logic [Connections-1:0] mine;  // entries of the frame that is looked at
  logic [Connections-1:0] visited;
  logic [Connections-1:0] known, active;
  logic [Connections-1:0][$bits(connection_key_t)-1:0] keys;
  logic [Connections-1:0][GenerationWidth+1:0] entries;
  raw_seq_t [Connections-1:0] expected;
  logic scanning, deciding, writing;

  assign scanning = dut.state_q == 2'd1;
  assign deciding = dut.state_q == 2'd2;
  assign writing  = dut.open_q || dut.move_q || dut.close_q;

  index_t start, at;  // the entry that is compared first, and next
  assign start = dut.newest_q + 1'b1;
  assign at    = dut.looked_q ? dut.looked_index_q : dut.scan_q;

  always_comb begin
    for (int i = 0; i < Connections; i++) begin
      keys[i]    = dut.key_ram.memory[i];
      entries[i] = dut.entry_ram.memory[i];
      // The table as it will be: with what was decided, without what is being forgotten.
      known[i]    = entries[i][GenerationWidth+1] && !(dut.clear_q && !deciding && !writing);
      active[i]   = entries[i][GenerationWidth] && !(dut.clear_q && !deciding && !writing);
      expected[i] = dut.expected_ram.memory[i];
      if (dut.found_q == index_t'(i)) begin
        if (dut.open_q) keys[i] = dut.frame_q.key;
        if (dut.open_q || dut.close_q) {known[i], active[i]} = {1'b1, dut.open_q};
        if (dut.move_q) expected[i] = dut.frame_q.seq + 1'b1;
      end
      mine[i]    = known[i] && keys[i] == dut.frame_q.key;
      visited[i] = index_t'(index_t'(i) - start) < index_t'(at - start);
    end
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      for (int i = 0; i < Connections; i++) begin
        assert (!active[i] || known[i]);
        for (int j = i + 1; j < Connections; j++) begin
          assert (!(known[i] && known[j] && keys[i] == keys[j]));
        end
        // What is forgotten already; nothing is while a decision is made or written.
        if (dut.clear_q && index_t'(i) < dut.clear_index_q) assert (entries[i] == '0);
      end
      if (deciding || writing) assert (!dut.clear_q || dut.clear_index_q == '0);
      assert (!writing || dut.state_q == 2'd3);
      assert (!(dut.open_q && dut.close_q));
      assert (!dut.open_q || dut.move_q);

      // A lookup has the ports of the table for itself.
      if (s_lookup_ready) assert (s_lookup_valid && !deciding && !writing);
      if (m_lookup_found)
        assert (!dut.open_q && m_lookup_seq == dut.next_ram.memory[dut.lookup_index]);

      // What a scan has found out by now.
      if (scanning && dut.clear_q) assert (!dut.looked_q || dut.clear_index_q == '0);
      if (scanning && !dut.clear_q) begin
        assert (!dut.all_read_q || dut.looked_q);
        if (dut.looked_q) begin
          assert (dut.scan_q == index_t'(dut.looked_index_q + 1'b1));
          assert (dut.all_read_q == dut.looked_last_q);
          assert (dut.looked_last_q == (dut.scan_q == start));
          assert (&dut.looked_same_q == (dut.frame_q.key == keys[dut.looked_index_q]));
          assert (dut.looked_entry_q == entries[dut.looked_index_q]);
          assert (dut.looked_expected_q == expected[dut.looked_index_q]);
        end
        assert (!dut.match_q && (mine & visited) == '0);
        if (!dut.room_q) assert ((visited & ~active) == '0);
      end
      if (((scanning && !dut.clear_q) || deciding) && (dut.room_q || dut.match_q)) begin
        assert (dut.found_active_q == entries[dut.found_q][GenerationWidth]);
        assert (dut.found_generation_q == entries[dut.found_q][GenerationWidth-1:0]);
        assert (dut.found_expected_q == expected[dut.found_q]);
        assert (dut.found_difference_q == dut.frame_q.seq - dut.found_expected_q);
      end
      if (((scanning && !dut.clear_q) || deciding) && dut.room_q && !dut.match_q) begin
        assert (!active[dut.found_q]);
      end
      if (deciding) begin
        if (dut.match_q)
          assert (mine[dut.found_q]);
          else assert (mine == '0);
      end
    end
  end

  // ---- One key ---------------------------------------------------------------------------------

  number_t expected_q;  // behind the last that was delivered
  logic watching, later;
  logic signed [NumberWidth-1:0] distance;
  logic [1:0] delivered_q = '0;
  logic skipped_q = 1'b0, repeated_q = 1'b0, reopened_q = 1'b0;

  assign watching = deciding && dut.frame_q.key == watched_key;
  assign distance = $signed(number - expected_q);
  assign later    = watching && dut.match_q && dut.frame_q.action == ActionData;

  always_ff @(posedge clk) begin
    if (watching) assume (number[8:0] == dut.frame_q.seq);
    if (later) assume (distance >= -256 && distance <= 255);

    if (watching && dut.verdict.deliver && dut.verdict.connected) begin
      expected_q <= number + 1'b1;
      if (delivered_q != '1) delivered_q <= delivered_q + 1'b1;
      if (dut.match_q && distance > 0 && !dut.verdict.open) skipped_q <= 1'b1;
      if (dut.match_q && dut.verdict.open) reopened_q <= 1'b1;
    end
    if (later && distance < 0) repeated_q <= 1'b1;

    if (rst) begin
      delivered_q <= '0;
      skipped_q   <= 1'b0;
      repeated_q  <= 1'b0;
      reopened_q  <= 1'b0;
    end

    if (started && !rst) begin
      // The entry of the key, while there is one, expects what comes next.
      for (int i = 0; i < Connections; i++) begin
        if (known[i] && keys[i] == watched_key) assert (expected[i] == expected_q[8:0]);
      end
      if (watching && dut.match_q) assert (dut.found_expected_q == expected_q[8:0]);

      // At most once and in order; with Ack nothing is left out.
      if (later && dut.verdict.deliver) begin
        assert (distance >= 0);
        if (dut.frame_q.ack && dut.found_active_q) assert (distance == 0);
        if (dut.found_active_q) assert (dut.verdict.counts.lost == 8'(distance));
      end
    end
  end

  // ---- What comes of a frame -------------------------------------------------------------------

  logic tell_q = 1'b0, opened_q = 1'b0;
  frame_t told_q;
  verdict_t verdict_q;
  logic [15:0] ends;

  assign ends = {
    counts_o.drop_action,
    counts_o.drop_no_app,
    counts_o.drop_no_connection,
    counts_o.drop_table_full,
    counts_o.drop_duplicate,
    counts_o.drop_gap,
    counts_o.drop_in_use,
    counts_o.acknowledgements_in,
    counts_o.refusals_in,
    counts_o.delivered,
    6'b0
  };

  always_ff @(posedge clk) begin
    tell_q    <= deciding && !rst;
    told_q    <= dut.frame_q;
    verdict_q <= dut.verdict;

    if (started && !rst) begin
      if (tell_q) begin
        assert ($countones(ends) == 1);
        assert (counts_o.delivered == verdict_q.deliver);
        assert (m_delivery_valid == (verdict_q.deliver || told_q.size != '0));
        if (m_delivery_valid) begin
          assert (m_delivery.deliver == verdict_q.deliver && m_delivery.size == told_q.size);
        end
        // Last frees; and an entry that a delivery names has its key.
        if (verdict_q.deliver && told_q.last) assert ((mine & active) == '0);
        if (verdict_q.deliver && verdict_q.connected) begin
          assert (keys[m_delivery.handle.index[IndexWidth-1:0]] == told_q.key);
        end
        // An answer only to who asked for it, and a refusal never for what was delivered.
        if (m_response_valid) assert (told_q.ack && told_q.action == ActionData);
        if (m_response_valid && verdict_q.deliver) begin
          assert (m_response.action == ActionAck && m_response.seq == told_q.seq);
        end
        if (told_q.ack && told_q.action == ActionData) assert (m_response_valid);
      end else begin
        assert (ends == '0);
      end
      if (dut.state_q == 2'd0 || scanning || deciding) begin
        assert (!m_delivery_valid && !m_response_valid);
      end
      assert (!m_acknowledged_valid || tell_q);
    end

    cover (started && !rst && delivered_q == 2'd3 && skipped_q && repeated_q);
    cover (started && !rst && reopened_q && tell_q);
    cover (started && !rst && tell_q && counts_o.drop_table_full);
    cover (started && !rst && tell_q && counts_o.drop_gap && told_q.key == watched_key);
    cover (started && !rst && tell_q && counts_o.closed && told_q.last && mine != '0);
    cover (started && !rst && scanning && dut.clearing && delivered_q == 2'd1);
    cover (started && !rst && m_lookup_found && m_lookup_key == watched_key && delivered_q == 2'd1);
  end

endmodule
