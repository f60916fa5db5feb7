// SPDX-License-Identifier: Apache-2.0

// Puts a header before a payload packet, without a gap: the payload starts in the lane behind the
// header's last byte. A header without payload makes a packet of its own.
//
// Latency    2 clocks from the header to its first beat out. Where the header ends in its first
//            beat and payload follows, 3 clocks plus the latency of stream_realign, and one more if
//            headers can have four beats.
// Throughput 1 beat a clock; no gap between header and payload, nor between packets whose headers
//            and payloads wait at the inputs, as long as the header has no more beats than the
//            payload has latency (see README).
// Paths      m_* are registers; nothing combinational leads from s to m or from m to s.
//
// s_header holds the wire's byte 0 in [7:0]. s_header_length is 1 to MaxHeaderBytes. Headers and
// payloads pair up in order: each header with s_has_payload takes the next payload packet, which is
// contiguous from lane 0 and has at least one byte. Lanes outside m_keep are undefined.
//
// Of a header with s_header_late the bytes at FieldAt and behind it come later, by s_field, high byte
// first: what is known of the payload only when all of it has been seen. Its payload need not wait for
// that, and nothing of the packet leaves before.
module header_prepend #(
  parameter  int DataWidth      = 64,
  parameter  int MaxHeaderBytes = 64,
  parameter  int FieldAt        = 0,  // even
  localparam int Lanes          = DataWidth / 8,
  localparam int LengthWidth    = $clog2(MaxHeaderBytes + 1)
) (
  input  logic                        clk,
  input  logic                        rst,

  input  logic [MaxHeaderBytes*8-1:0] s_header,
  input  logic [     LengthWidth-1:0] s_header_length,
  input  logic                        s_has_payload,
  input  logic                        s_header_late,
  input  logic                        s_header_valid,
  output logic                        s_header_ready,

  input  logic [                15:0] s_field,
  input  logic                        s_field_valid,
  output logic                        s_field_ready,

  input  logic [       DataWidth-1:0] s_data,
  input  logic [           Lanes-1:0] s_keep,
  input  logic                        s_last,
  input  logic                        s_valid,
  output logic                        s_ready,

  output logic [       DataWidth-1:0] m_data,
  output logic [           Lanes-1:0] m_keep,
  output logic                        m_last,
  output logic                        m_valid,
  input  logic                        m_ready
);

  if (!stream_pkg::supports(DataWidth)) begin : gen_check_data_width
    $error("DataWidth must be a power of two from 16 to 512.");
  end
  if (MaxHeaderBytes < 1) begin : gen_check_max_header_bytes
    $error("MaxHeaderBytes must be at least 1.");
  end
  if (FieldAt < 0 || FieldAt % 2 != 0 || FieldAt + 2 > MaxHeaderBytes) begin : gen_check_field
    $error("FieldAt must be even and lie in the header.");
  end

  localparam int LaneBits = $clog2(Lanes);
  localparam int HeaderBeats = (MaxHeaderBytes + Lanes - 1) / Lanes;
  localparam int IndexWidth = (HeaderBeats > 1) ? $clog2(HeaderBeats) : 1;

  // A header of few beats is gone before its payload has passed the realigner: others queue behind
  // it.
  localparam int QueueDepth = 8;
  localparam bit LongHeaders = HeaderBeats >= 4;

  typedef struct packed {
    logic             has_payload;
    logic             joins;        // its last beat is shared with payload
    logic             late;
    logic [Lanes-1:0] keep;         // the lanes of its last beat
  } note_t;

  typedef struct packed {
    logic                 last;
    logic [    Lanes-1:0] keep;
    logic [DataWidth-1:0] data;
  } beat_t;

  // A header goes to the queue, and the lane in which its payload starts to the realigner.

  note_t new_note, note;
  logic [LaneBits-1:0] tail;  // bytes in the beat in which the header ends; 0: all lanes
  logic [HeaderBeats-1:0][DataWidth-1:0] new_beats;
  logic [IndexWidth-1:0] new_last_index;
  logic [DataWidth-1:0] stored_beat;
  logic new_header_valid, header_queue_ready, header_valid, header_taken;
  logic [IndexWidth-1:0] index_q;  // of the header's beat that leaves next
  logic ends;  // the header, in this beat
  logic lead_ready, lead_queue_ready, lead_valid, lead_done;
  logic [LaneBits-1:0] new_lead, lead;
  logic new_lead_valid;
  logic [$clog2(QueueDepth+1)-1:0] unused_lead_count;

  assign s_header_ready   = header_queue_ready && lead_ready;
  assign new_header_valid = s_header_valid && s_header_ready;

  assign new_note = '{
          has_payload: s_has_payload,
          joins: s_has_payload && tail != '0,
          late: s_header_late,
          keep: Lanes'(stream_pkg::lanes_below(stream_pkg::lane_count_t'({tail == '0, tail})))
      };
  assign tail             = LaneBits'(s_header_length);
  assign new_beats        = (HeaderBeats * DataWidth)'(s_header);
  assign new_last_index   = IndexWidth'((s_header_length - 1'b1) >> LaneBits);

  if (LongHeaders) begin : gen_shift
    header_beats #(
      .Note     (note_t),
      .DataWidth(DataWidth),
      .MaxBeats (HeaderBeats)
    ) beats (
      .clk,
      .rst,
      .s_header    (new_beats),
      .s_last_index(new_last_index),
      .s_note      (new_note),
      .s_valid     (new_header_valid),
      .s_ready     (header_queue_ready),
      .m_beat      (stored_beat),
      .m_last      (ends),
      .m_note      (note),
      .m_valid     (header_valid),
      .m_ready     (header_taken)
    );
  end else begin : gen_fifo
    typedef struct packed {
      note_t                                 note;
      logic                                  one_beat;    // the header ends in its first beat
      logic [IndexWidth-1:0]                 last_index;  // the beat in which it ends
      logic [HeaderBeats-1:0][DataWidth-1:0] beats;
    } header_t;

    header_t header;
    logic inside_q, last_q;  // beyond the first beat; in the one where the header ends
    logic [$clog2(QueueDepth+1)-1:0] unused_header_count;

    stream_fifo #(
      .T       (header_t),
      .Depth   (QueueDepth),
      .BlockRam(0)
    ) header_queue (
      .clk,
      .rst,
      .s_data ('{
          note: new_note,
          one_beat: 32'(s_header_length) <= Lanes,
          last_index: new_last_index,
          beats: new_beats
      }),
      .s_valid(new_header_valid),
      .s_ready(header_queue_ready),
      .m_data (header),
      .m_valid(header_valid),
      .m_ready(header_taken && ends),
      .count_o(unused_header_count)
    );

    assign note        = header.note;
    assign stored_beat = header.beats[index_q];
    assign ends        = inside_q ? last_q : header.one_beat;

    always_ff @(posedge clk) begin
      if (header_taken) begin
        inside_q <= !ends;
        last_q   <= index_q + 1'b1 == header.last_index;
      end

      if (rst) inside_q <= 1'b0;
    end
  end

  // Who offers a header may be far away. A header of many beats leaves time for one more clock.
  if (LongHeaders) begin : gen_lead_register
    stream_register #(
      .T   (logic [LaneBits-1:0]),
      .Half(1)
    ) lead_register (
      .clk,
      .rst,
      .s_data (tail),
      .s_valid(new_header_valid && s_has_payload),
      .s_ready(lead_ready),
      .m_data (new_lead),
      .m_valid(new_lead_valid),
      .m_ready(lead_queue_ready)
    );
  end else begin : gen_no_lead_register
    assign new_lead       = tail;
    assign new_lead_valid = new_header_valid && s_has_payload;
    assign lead_ready     = lead_queue_ready;
  end

  stream_fifo #(
    .T       (logic [LaneBits-1:0]),
    .Depth   (QueueDepth),
    .BlockRam(0)
  ) lead_queue (
    .clk,
    .rst,
    .s_data (new_lead),
    .s_valid(new_lead_valid),
    .s_ready(lead_queue_ready),
    .m_data (lead),
    .m_valid(lead_valid),
    .m_ready(lead_done),
    .count_o(unused_lead_count)
  );

  logic realign_ready, payload_valid, payload_done;
  beat_t payload;

  assign s_ready   = realign_ready && lead_valid;
  assign lead_done = s_valid && s_ready && s_last;

  stream_realign #(
    .DataWidth(DataWidth)
  ) realign (
    .clk,
    .rst,
    .s_skip ('0),
    .s_lead (lead),
    .s_data,
    .s_keep,
    .s_last,
    .s_valid(s_valid && lead_valid),
    .s_ready(realign_ready),
    .m_data (payload.data),
    .m_keep (payload.keep),
    .m_last (payload.last),
    .m_valid(payload_valid),
    .m_ready(payload_done)
  );

  // Header beats, the beat they share with the payload, the payload's others.

  logic in_payload_q;  // the header of this packet has left
  logic joins, complete, beat_valid, output_ready, advance;
  logic [DataWidth-1:0] header_beat;
  logic [Lanes-1:0] header_keep;
  beat_t beat, result;

  always_comb begin
    header_beat = stored_beat;
    if (note.late && index_q == IndexWidth'(FieldAt / Lanes))
      header_beat[FieldAt%Lanes*8+:16] = {s_field[7:0], s_field[15:8]};
  end

  assign joins = ends && note.joins;
  assign header_keep = ends ? note.keep : '1;

  assign complete      = header_valid && (!joins || payload_valid);
  assign s_field_ready = complete && note.late && !in_payload_q && ends && output_ready;

  always_comb begin
    if (in_payload_q) begin
      beat       = payload;
      beat_valid = payload_valid;
    end else begin
      for (int lane = 0; lane < Lanes; lane++) begin
        beat.data[lane*8+:8] = header_keep[lane] ? header_beat[lane*8+:8] : payload.data[lane*8+:8];
      end
      beat.keep  = joins ? header_keep | payload.keep : header_keep;
      beat.last  = joins ? payload.last : ends && !note.has_payload;
      beat_valid = complete && (!note.late || s_field_valid);
    end
  end

  assign advance      = beat_valid && output_ready;
  assign header_taken = advance && !in_payload_q;
  assign payload_done = advance && (in_payload_q || joins);

  always_ff @(posedge clk) begin
    if (advance) begin
      if (in_payload_q) in_payload_q <= !payload.last;
      else if (ends) in_payload_q <= !beat.last;
      if (header_taken) index_q <= ends ? '0 : index_q + 1'b1;
    end

    if (rst) begin
      in_payload_q <= 1'b0;
      index_q      <= '0;
    end
  end

  stream_register #(
    .T(beat_t)
  ) output_register (
    .clk,
    .rst,
    .s_data (beat),
    .s_valid(beat_valid),
    .s_ready(output_ready),
    .m_data (result),
    .m_valid,
    .m_ready
  );

  assign m_data = result.data;
  assign m_keep = result.keep;
  assign m_last = result.last;

endmodule
