// SPDX-License-Identifier: Apache-2.0

// Moves the bytes of a packet to other lanes: drops its first s_skip bytes and puts the next one at
// lane s_lead of the first beat that leaves. The rest follows without gaps.
//
// Latency    2 clocks below 256 bits, 3 from 256 bits on (the rotator then has two stages), plus
//            one beat where the first beat out needs bytes of the second beat in (s_lead < s_skip).
// Throughput 1 beat a clock. A packet that needs a beat more than it came with takes the input for
//            one clock more, except where the next packet's first beat fills nothing by itself.
// Paths      m_* are registers; s_ready is a function of registers; nothing combinational between.
//
// s_skip and s_lead are sampled with the first beat of a packet. s_skip must be less than the bytes
// in the packet. Out: keep is contiguous, starts at s_lead in the first beat and at lane 0 in all
// others, and reaches the top in every beat but the last. Lanes outside m_keep are undefined.
//
//   s_skip = 3, s_lead = 5:   in  a b c d e f g h | i j k          out  . . . . . d e f | g h i j k
//   s_skip = 5, s_lead = 3:   in  a b c d e f g h | i j k          out  . . . f g h i j | k
module stream_realign #(
  parameter  int DataWidth = 64,
  localparam int Lanes     = DataWidth / 8,
  localparam int LaneBits  = $clog2(Lanes)
) (
  input  logic                 clk,
  input  logic                 rst,

  input  logic [ LaneBits-1:0] s_skip,
  input  logic [ LaneBits-1:0] s_lead,
  input  logic [DataWidth-1:0] s_data,
  input  logic [    Lanes-1:0] s_keep,
  input  logic                 s_last,
  input  logic                 s_valid,
  output logic                 s_ready,

  output logic [DataWidth-1:0] m_data,
  output logic [    Lanes-1:0] m_keep,
  output logic                 m_last,
  output logic                 m_valid,
  input  logic                 m_ready
);

  if (!stream_pkg::supports(DataWidth)) begin : gen_check_data_width
    $error("DataWidth must be a power of two from 16 to 512.");
  end

  // Every beat is rotated by the same number of lanes. What the rotation carries over the top
  // ("wrapped": the lanes below `rotation`) belongs one beat later than what it does not.
  //
  // With s_lead >= s_skip the first beat in makes the first beat out. With s_lead < s_skip
  // ("early") the lanes of the first beat that do not wrap are all skipped; it is only held for the
  // second.

  localparam bit TwoStages = DataWidth >= 256;
  localparam int FineBits = TwoStages ? LaneBits / 2 : LaneBits;

  typedef struct packed {
    logic                 first;
    logic                 last;
    logic                 early;
    logic [ LaneBits-1:0] rotation;
    logic [ LaneBits-1:0] lead;
    logic [    Lanes-1:0] keep;
    logic [DataWidth-1:0] data;
  } turn_t;

  typedef struct packed {
    logic                 only_hold;  // the first, and early
    logic                 last;
    logic [    Lanes-1:0] wrapped;    // lanes below the rotation
    logic [    Lanes-1:0] lead;       // lanes below s_lead, in the first beat
    logic [    Lanes-1:0] keep;
    logic [DataWidth-1:0] data;
  } rotated_t;

  typedef struct packed {
    logic                 last;
    logic [    Lanes-1:0] keep;
    logic [DataWidth-1:0] data;
  } beat_t;

  // Amount of rotation: sampled with the first beat, kept for the others.

  logic first_q;
  logic [LaneBits-1:0] rotation_q;
  logic [LaneBits-1:0] rotation;
  logic [Lanes-1:0] fine_keep;
  logic [DataWidth-1:0] fine_data;
  turn_t taken;

  assign rotation = first_q ? s_lead - s_skip : rotation_q;

  always_ff @(posedge clk) begin
    if (s_valid && s_ready) begin
      first_q    <= s_last;
      rotation_q <= rotation;
    end

    if (rst) first_q <= 1'b1;
  end

  lane_rotate #(
    .Lanes      (Lanes),
    .LaneWidth  (8),
    .AmountWidth(FineBits)
  ) fine_data_rotate (
    .data_i  (s_data),
    .amount_i(rotation[FineBits-1:0]),
    .data_o  (fine_data)
  );

  lane_rotate #(
    .Lanes      (Lanes),
    .LaneWidth  (1),
    .AmountWidth(FineBits)
  ) fine_keep_rotate (
    .data_i  (s_keep),
    .amount_i(rotation[FineBits-1:0]),
    .data_o  (fine_keep)
  );

  assign taken = '{
          first: first_q,
          last: s_last,
          early: s_lead < s_skip,
          rotation: rotation,
          lead: s_lead,
          keep: fine_keep,
          data: fine_data
      };

  // Second half of the rotation, for wide streams behind a register.

  turn_t turned;
  logic turned_valid, turned_ready;

  if (TwoStages) begin : gen_coarse
    turn_t turn_q;
    logic turn_valid_q;

    assign s_ready = !turn_valid_q || turned_ready;

    always_ff @(posedge clk) begin
      if (s_ready) begin
        turn_q       <= taken;
        turn_valid_q <= s_valid;
      end

      if (rst) turn_valid_q <= 1'b0;
    end

    lane_rotate #(
      .Lanes      (Lanes),
      .LaneWidth  (8),
      .AmountWidth(LaneBits - FineBits),
      .Step       (2 ** FineBits)
    ) coarse_data (
      .data_i  (turn_q.data),
      .amount_i(turn_q.rotation[LaneBits-1:FineBits]),
      .data_o  (turned.data)
    );

    lane_rotate #(
      .Lanes      (Lanes),
      .LaneWidth  (1),
      .AmountWidth(LaneBits - FineBits),
      .Step       (2 ** FineBits)
    ) coarse_keep (
      .data_i  (turn_q.keep),
      .amount_i(turn_q.rotation[LaneBits-1:FineBits]),
      .data_o  (turned.keep)
    );

    assign turned.first    = turn_q.first;
    assign turned.last     = turn_q.last;
    assign turned.early    = turn_q.early;
    assign turned.rotation = turn_q.rotation;
    assign turned.lead     = turn_q.lead;
    assign turned_valid    = turn_valid_q;
  end else begin : gen_one_stage
    assign turned       = taken;
    assign turned_valid = s_valid;
    assign s_ready      = turned_ready;
  end

  // The rotated beat.

  rotated_t beat_q;
  logic beat_valid_q, beat_ready;

  assign turned_ready = !beat_valid_q || beat_ready;

  always_ff @(posedge clk) begin
    if (turned_ready) begin
      beat_valid_q     <= turned_valid;
      beat_q.only_hold <= turned.first && turned.early;
      beat_q.last      <= turned.last;
      beat_q.keep      <= turned.keep;
      beat_q.data      <= turned.data;
      beat_q.wrapped   <=
          Lanes'(stream_pkg::lanes_below(stream_pkg::lane_count_t'(turned.rotation)));
      beat_q.lead      <= turned.first
          ? Lanes'(stream_pkg::lanes_below(stream_pkg::lane_count_t'(turned.lead))) : '0;
    end

    if (rst) beat_valid_q <= 1'b0;
  end

  // Merge: below the rotation the beat before, above it this one; one beat more for what is left.

  logic [DataWidth-1:0] held_data_q;
  logic [Lanes-1:0] held_keep_q;  // wrapped lanes only
  logic [Lanes-1:0] held_lead_q;  // lanes below s_lead, while the first beat is still to leave
  logic flush_q;  // the packet has ended, and held bytes have not left
  logic take, emit, more, output_ready;
  beat_t merged, result;

  // A skipped byte is never the lowest wrapped one without a kept one behind it, so this lane tells
  // for the first beat, too.
  assign more       = beat_q.last && beat_q.wrapped[0] && beat_q.keep[0];
  assign beat_ready = output_ready && (!flush_q || beat_q.only_hold);
  assign take       = beat_valid_q && beat_ready;
  assign emit       = flush_q || (beat_valid_q && !beat_q.only_hold);

  always_comb begin
    for (int lane = 0; lane < Lanes; lane++) begin
      merged.data[lane*8+:8] = (flush_q || beat_q.wrapped[lane])
          ? held_data_q[lane*8+:8] : beat_q.data[lane*8+:8];
    end
    if (flush_q) begin
      merged.keep = held_keep_q & ~held_lead_q;
      merged.last = 1'b1;
    end else begin
      merged.keep = ((beat_q.wrapped & held_keep_q) | (~beat_q.wrapped & beat_q.keep))
          & ~(beat_q.lead | held_lead_q);
      merged.last = beat_q.last && !more;
    end
  end

  always_ff @(posedge clk) begin
    if (take) begin
      held_data_q <= beat_q.data;
      held_keep_q <= beat_q.keep & beat_q.wrapped;
    end
    if (output_ready) begin
      if (take) flush_q <= more;
      else flush_q <= 1'b0;
      if (take && beat_q.only_hold) held_lead_q <= beat_q.lead;
      else if (emit) held_lead_q <= '0;
    end

    if (rst) begin
      flush_q     <= 1'b0;
      held_lead_q <= '0;
    end
  end

  stream_register #(
    .T   (beat_t),
    .Wide(1'b1)
  ) output_register (
    .clk,
    .rst,
    .s_data (merged),
    .s_valid(emit),
    .s_ready(output_ready),
    .m_data (result),
    .m_valid,
    .m_ready
  );

  assign m_data = result.data;
  assign m_keep = result.keep;
  assign m_last = result.last;

endmodule
