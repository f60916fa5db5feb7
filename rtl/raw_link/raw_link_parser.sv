// SPDX-License-Identifier: Apache-2.0

// Receiver, first half: checks frames, takes their headers off and cuts padding away.
//
// Latency    from the last beat of a frame to m_end: 1 clock, or 2.
// Throughput 1 beat a clock; s_ready is constantly 1.
// Paths      m_* are registers, but for m_valid, which s_valid reaches.
//
// Wire format: destination (6 bytes), source (6), type (2), control header (5, raw_link_pkg), Size
// bytes of data, padding. The data leaves from lane 0; whoever takes it cannot stall.
//
// m_end pulses once for each frame that has at least 20 bytes: m_frame is what its headers say,
// m_error that it is bad and was counted. A frame with Size > 0 has its last beat of data, with
// m_valid and m_last, in that clock. Shorter frames are counted and leave nothing. Every frame
// raises counts_o.rx_frames and, if it is bad, exactly one drop.
module raw_link_parser
  import net_headers_pkg::*;
  import raw_link_pkg::*;
#(
  parameter  int          DataWidth = 32,
  parameter  logic [15:0] EtherType = EtherTypeRawLink,
  localparam int          Lanes     = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  input  mac_address_t         mac_i,

  input  logic [DataWidth-1:0] s_data,
  input  logic [    Lanes-1:0] s_keep,
  input  logic                 s_last,
  input  logic                 s_error,  // with s_last: the MAC found the frame bad
  input  logic                 s_valid,
  output logic                 s_ready,

  output logic [DataWidth-1:0] m_data,
  output logic [    Lanes-1:0] m_keep,
  output logic                 m_last,
  output logic                 m_valid,

  output frame_t               m_frame,
  output logic                 m_error,
  output logic                 m_end,

  output raw_link_counters_t   counts_o
);

  if (!stream_pkg::supports(DataWidth)) begin : gen_check_data_width
    $error("DataWidth must be a power of two from 16 to 512.");
  end

  localparam int HeaderBeat = HeaderBytes / Lanes;  // with the first byte of data
  localparam int Skip = HeaderBytes % Lanes;
  localparam int MinBeat = (EthernetMinBytes - 1) / Lanes;
  localparam int MinLane = (EthernetMinBytes - 1) % Lanes;
  localparam int BeatWidth = $clog2(MinBeat + 2);

  // ---- The header, byte by byte ----------------------------------------------------------------

  logic [BeatWidth-1:0] beat_q;  // stays behind MinBeat
  logic [HeaderBytes*8-1:0] header_q, header, whole_header;
  // verilator lint_off UNUSEDSIGNAL
  ethernet_header_t ethernet;
  control_header_t  control;  // Reserved is not looked at
  // verilator lint_on UNUSEDSIGNAL
  logic at_header, has_data, past_header;
  logic sized_q;  // Size of the header that is stored is not 0

  always_comb begin
    header = header_q;
    for (int b = 0; b < HeaderBytes; b++) begin
      if (beat_q == BeatWidth'(b / Lanes)) begin
        header[(HeaderBytes-1-b)*8+:8] = s_data[(b%Lanes)*8+:8];
      end
    end
  end

  // A frame that is long enough ends behind its header, but where a beat holds all of a short one:
  // that is judged by the beat itself.
  assign whole_header = (MinBeat > HeaderBeat) ? header_q : header;
  assign {ethernet, control} = whole_header;
  assign at_header           = beat_q == BeatWidth'(HeaderBeat);
  assign past_header         = beat_q > BeatWidth'(HeaderBeat);
  assign has_data            = at_header && s_keep[Skip];

  // ---- What is wrong, at the last beat; too few bytes are seen at the data ---------------------

  logic long_enough, bad;
  raw_link_counters_t counts, counts_q;
  logic short, short_q;  // less data came than Size says

  assign long_enough =
      beat_q > BeatWidth'(MinBeat) || (beat_q == BeatWidth'(MinBeat) && s_keep[MinLane]);

  always_comb begin
    counts = '0;
    bad    = 1'b1;
    counts.rx_frames = 1'b1;
    if (s_error) counts.drop_fcs = 1'b1;
    else if (!long_enough) counts.drop_runt = 1'b1;
    else if (ethernet.destination != mac_i) counts.drop_mac_address = 1'b1;
    else if (ethernet.ether_type != EtherType) counts.drop_ethertype = 1'b1;
    else bad = 1'b0;
  end

  always_ff @(posedge clk) begin
    counts_q <= '0;
    short_q  <= short;
    if (s_valid && s_ready) begin
      header_q <= header;
      sized_q  <= header[$bits(raw_size_t)-1:0] != '0;
      if (s_last) begin
        beat_q   <= '0;
        counts_q <= counts;
      end else begin
        if (beat_q <= BeatWidth'(MinBeat)) beat_q <= beat_q + 1'b1;
      end
    end

    if (rst) begin
      beat_q   <= '0;
      counts_q <= '0;
      short_q  <= 1'b0;
    end
  end

  always_comb begin
    counts_o           = counts_q;
    counts_o.drop_size = short_q;
  end

  // ---- The data, from lane 0 -------------------------------------------------------------------

  // Every beat behind the header completes the lanes that the one before could not fill; what it
  // has too much of waits in carry_q. A frame that ends with something waiting takes one clock
  // more, in which the next frame has nothing but header.
  logic [(Lanes-Skip)*8-1:0] carry_q;
  logic [Lanes-Skip-1:0] carry_keep_q;
  logic tail_q, bad_q, taken, body;
  logic [DataWidth-1:0] moved_data;
  logic [Lanes-1:0] moved_keep;
  logic moved_last, moved_valid, moved_bad;
  // verilator lint_off UNUSEDSIGNAL
  ethernet_header_t stored_ethernet;
  control_header_t stored_control;
  // verilator lint_on UNUSEDSIGNAL
  logic moved_end;
  frame_t frame;  // of the data that is moved

  assign s_ready = 1'b1;
  assign taken   = s_valid && (past_header || has_data);
  assign body    = s_valid && past_header;

  always_ff @(posedge clk) begin
    if (taken) begin
      carry_q      <= s_data[DataWidth-1:Skip*8];
      carry_keep_q <= s_keep[Lanes-1:Skip];
      bad_q        <= bad;
    end
    tail_q <= taken && s_last && s_keep[Skip];
    if (rst) tail_q <= 1'b0;
  end

  assign moved_valid = body || tail_q;
  assign moved_data  = {s_data[Skip*8-1:0], carry_q};
  assign moved_keep  = {tail_q ? Skip'(0) : s_keep[Skip-1:0], carry_keep_q};
  assign moved_last  = tail_q || (s_last && !s_keep[Skip]);
  assign moved_bad   = tail_q ? bad_q : bad;
  assign moved_end   = moved_valid && moved_last;

  assign {stored_ethernet, stored_control} = header_q;
  assign frame = '{
      key: '{mac: stored_ethernet.source, cid: stored_control.cid},
      first: stored_control.first,
      ack: stored_control.ack,
      action: stored_control.action,
      ui_app: stored_control.ui_app,
      last: stored_control.last,
      seq: {stored_control.seq_high, stored_control.seq_low},
      size: stored_control.size
  };

  // ---- Only Size bytes of it -------------------------------------------------------------------

  // The last beat of data waits for the end of the frame, which says whether it is good.
  logic first_q, held_q, end_q;
  raw_size_t left_q, left;
  logic more_q;  // left_q is not 0
  logic useful;
  logic [Lanes-1:0] left_keep;

  assign left   = first_q ? frame.size : left_q;
  assign useful = moved_valid && (first_q ? sized_q : more_q);
  assign left_keep = (left >= raw_size_t'(Lanes)) ? '1
      : Lanes'(stream_pkg::lanes_below(stream_pkg::lane_count_t'(left)));

  assign short  = moved_end && !moved_bad
      && (left > raw_size_t'(Lanes) || |(left_keep & ~moved_keep));

  assign m_valid = held_q && (end_q || useful);
  assign m_last  = end_q;
  assign m_end   = end_q;

  always_ff @(posedge clk) begin
    end_q <= moved_end;
    if (moved_valid) begin
      first_q <= moved_last;
      left_q  <= (left >= raw_size_t'(Lanes)) ? left - raw_size_t'(Lanes) : '0;
      more_q  <= left > raw_size_t'(Lanes);
    end
    if (moved_end) begin
      m_frame <= frame;
      m_error <= moved_bad || short;
    end
    if (useful) begin
      m_data <= moved_data;
      m_keep <= moved_keep & left_keep;
    end
    held_q <= useful || (held_q && !end_q);

    if (rst) begin
      first_q <= 1'b1;
      held_q  <= 1'b0;
      end_q   <= 1'b0;
    end
  end

endmodule
