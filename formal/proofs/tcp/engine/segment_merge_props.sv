// SPDX-License-Identifier: Apache-2.0

// segment_merge: every byte of payload that comes in goes out in an event, in order, and is told of as
// part of a piece, once; the last piece of an event comes with it, and there are never more pieces to
// an event than there may be. What is not plain goes out as it came. An event that is made of several
// ends where its last segment does, and is not larger than allowed.
//
// For any neighbours. Of the fields there are but as many bits as matter.
module segment_merge_props
  import net_headers_pkg::*;
  import seq_pkg::*;
  import tcp_pkg::*;
#(
  localparam int MaxBytes  = 20,
  localparam int MaxPieces = 3
) (
  input logic       clk,
  input logic       rst,
  input tcp_event_t event_any,
  input logic [1:0] s_id,
  input logic       s_valid,
  input logic       m_ready,
  input logic       piece_ready
);

  tcp_event_t s_event, m_event;
  logic [1:0] m_id;
  logic s_ready, m_valid, piece_last, piece_valid;
  logic [15:0] piece_length;

  always_comb begin
    s_event = '0;
    s_event.kind = event_any.kind;
    s_event.lookup = event_any.lookup;
    s_event.segment.seq = 32'(event_any.segment.seq[5:0]);
    s_event.segment.ack = 32'(event_any.segment.ack[0]);
    s_event.segment.flags = event_any.segment.flags;
    s_event.segment.window = 16'(event_any.segment.window[0]);
    s_event.segment.options.ts_value = 32'(event_any.segment.options.ts_value[0]);
    s_event.segment.payload_length = s_event.kind == EvSegment
        ? 16'(event_any.segment.payload_length[3:0]) : '0;
    s_event.segment_end = s_event.segment.seq + 32'(s_event.segment.payload_length)
        + 32'(s_event.segment.flags.syn) + 32'(s_event.segment.flags.fin);
  end

  segment_merge #(
    .Connections(4),
    .MaxBytes   (MaxBytes),
    .MaxPieces  (MaxPieces)
  ) dut (
    .clk,
    .rst,
    .s_event,
    .s_id,
    .s_valid,
    .s_ready,
    .m_event,
    .m_id,
    .m_valid,
    .m_ready,
    .m_piece_length(piece_length),
    .m_piece_last  (piece_last),
    .m_piece_valid (piece_valid),
    .m_piece_ready (piece_ready)
  );

  stream_contract #(
    .Width ($bits(tcp_event_t) + 2),
    .Assume(1'b1)
  ) s_contract (
    .clk,
    .rst,
    .data ({s_event, s_id}),
    .valid(s_valid),
    .ready(s_ready)
  );

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started)
      assume (rst);
      else assume (!rst);
  end

  // Bytes in, out, and told of; events with payload in and out; pieces of the event that waits.
  logic [7:0] bytes_in_q, bytes_out_q, bytes_told_q;
  logic [3:0] segments_q, events_q, pieces_q, lasts_q, inner_q;
  logic came, went, told;
  assign came = s_valid && s_ready;
  assign went = m_valid && m_ready;
  assign told = piece_valid && piece_ready;

  // The last segment that came.
  tcp_event_t latest_q;
  logic [1:0] latest_id_q;

  always_ff @(posedge clk) begin
    if (came) begin
      bytes_in_q  <= bytes_in_q + 8'(s_event.segment.payload_length);
      segments_q  <= segments_q + 4'(s_event.segment.payload_length != '0);
      latest_q    <= s_event;
      latest_id_q <= s_id;
    end
    if (went) begin
      bytes_out_q <= bytes_out_q + 8'(m_event.segment.payload_length);
      events_q    <= events_q + 4'(m_event.segment.payload_length != '0);
    end
    if (told) begin
      bytes_told_q <= bytes_told_q + 8'(piece_length);
      pieces_q     <= pieces_q + 1'b1;
      lasts_q      <= lasts_q + 4'(piece_last);
      inner_q      <= piece_last ? '0 : inner_q + 1'b1;
    end
    if (rst) begin
      bytes_in_q   <= '0;
      bytes_out_q  <= '0;
      bytes_told_q <= '0;
      segments_q   <= '0;
      events_q     <= '0;
      pieces_q     <= '0;
      lasts_q      <= '0;
      inner_q      <= '0;
    end
  end

  tcp_segment_t held;
  logic held_payload;
  assign held         = dut.held_q.ev.segment;
  assign held_payload = dut.held_valid_q && held.payload_length != '0;

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      assert (8'(bytes_in_q - bytes_out_q) == (dut.held_valid_q ? 8'(held.payload_length) : '0));
      assert (8'(bytes_in_q - bytes_told_q) == (held_payload ? 8'(dut.held_piece_q) : '0));
      assert (4'(segments_q - pieces_q) == 4'(held_payload));
      assert (events_q == lasts_q);
      assert (!piece_valid || piece_ready);
      assert (inner_q < 4'(MaxPieces));
      if (dut.held_valid_q) begin
        assert (inner_q == 4'(dut.pieces_q) - 4'd1);
        assert (4'(dut.pieces_q) >= 4'd1 && 4'(dut.pieces_q) <= 4'(MaxPieces));
        assert (held.payload_length == '0 || dut.held_q.ev.kind == EvSegment);
        // What waits ends as the latest did, and says what it said.
        assert (dut.held_q.ev.segment_end == latest_q.segment_end);
        assert (dut.held_q.id == latest_id_q && dut.held_q.ev.kind == latest_q.kind);
        assert (dut.held_piece_q == latest_q.segment.payload_length);
        assert (latest_q.segment_end == latest_q.segment.seq
            + 32'(latest_q.segment.payload_length) + 32'(latest_q.segment.flags.syn)
            + 32'(latest_q.segment.flags.fin));
        assert (held.ack == latest_q.segment.ack && held.window == latest_q.segment.window
            && held.options == latest_q.segment.options);
        if (dut.pieces_q == 2'd1)
          assert (held.payload_length == dut.held_piece_q
            && held.seq == latest_q.segment.seq && held.flags == latest_q.segment.flags);
          else
            assert (held.payload_length <= 16'(MaxBytes) && dut.held_q.ev.kind == EvSegment
            && held.payload_length > dut.held_piece_q && dut.held_piece_q != '0
            && held.seq + 32'(held.payload_length) == latest_q.segment_end
            && held.flags.ack && !held.flags.syn && !held.flags.fin && !held.flags.rst
            && !held.flags.urg);
      end else begin
        assert (inner_q == '0);
        if (m_valid) assert ({m_event, m_id} == {s_event, s_id});
      end
      // Nobody waits for what does not come.
      if (m_valid && m_ready) assert (s_ready);
    end

    cover (started && !rst && went && dut.held_valid_q && dut.pieces_q == 2'd3);
    cover (started && !rst && s_valid && !s_ready && dut.pieces_q == 2'd3 && piece_ready);
    cover (started && !rst && went && held_payload && dut.pieces_q == 2'd2
        && held.payload_length == 16'(MaxBytes));
    cover (started && !rst && s_valid && dut.held_valid_q && s_id != dut.held_q.id && !s_ready);
  end

endmodule
