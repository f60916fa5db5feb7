// SPDX-License-Identifier: Apache-2.0

// Checks received frames and strips their Ethernet header.
//
// Latency    0 clocks behind the beat that completes an output beat: the part of the beat before
//            that shares it is the only thing that is stored. A tail that fits no more into the
//            last output beat follows one clock later.
// Throughput 1 beat a clock; a tail leaves while the next frame's header comes in.
// Paths      s_* to m_*, and m_ready to s_ready, are combinational (wires for data, two levels of
//            logic for the rest). The next block must register.
//
// Wire format: destination (6 bytes), source (6), type (2), then what leaves here.
//
// Frames for another address and those whose type is neither ARP nor IPv4 do not leave at all.
// Other bad ones (FCS, too short, too long) leave with m_error at m_last and have been counted
// then; one that is too long is cut off where it gets too long. Every frame that begins while
// enable_i is set raises count_rx_frames_o once and, unless it leaves whole and good, exactly one
// count_drop_*_o. Lanes outside m_keep are undefined.
module ethernet_receive
  import net_headers_pkg::*;
#(
  parameter  int DataWidth = 64,
  parameter  int Mtu       = EthernetMtu,
  localparam int Lanes     = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  input  logic                 enable_i,  // otherwise frames vanish, and are not counted
  input  mac_address_t         mac_i,

  input  logic [DataWidth-1:0] s_data,
  input  logic [    Lanes-1:0] s_keep,
  input  logic                 s_last,
  input  logic                 s_error,   // with s_last: the MAC found the frame bad
  input  logic                 s_valid,
  output logic                 s_ready,

  output logic [DataWidth-1:0] m_data,
  output logic [    Lanes-1:0] m_keep,
  output logic                 m_last,
  output logic                 m_error,
  output logic                 m_arp,        // ARP; otherwise IPv4
  output logic                 m_broadcast,  // sent to all
  output logic                 m_valid,
  input  logic                 m_ready,

  output logic                 count_rx_frames_o,
  output logic [         15:0] count_rx_bytes_o,
  output logic                 count_drop_fcs_o,
  output logic                 count_drop_runt_o,
  output logic                 count_drop_giant_o,
  output logic                 count_drop_mac_address_o,
  output logic                 count_drop_ethertype_o
);

  if (!stream_pkg::supports(DataWidth) || DataWidth < 64) begin : gen_check_data_width
    $error("DataWidth must be a power of two from 64 to 512.");
  end
  if (Mtu < EthernetMinBytes || Mtu > 65535 - EthernetHeaderBytes) begin : gen_check_mtu
    $error("Mtu must be from 60 to 65521.");
  end

  // Beat and lane of byte 14 (the first that leaves), of byte 59 (the last that must exist), and of
  // the first byte that must not exist.
  localparam int HeaderBeat = EthernetHeaderBytes / Lanes;
  localparam int Split = EthernetHeaderBytes % Lanes;
  localparam int MinBeat = (EthernetMinBytes - 1) / Lanes;
  localparam int MinLane = (EthernetMinBytes - 1) % Lanes;
  localparam int GiantBeat = (Mtu + EthernetHeaderBytes) / Lanes;
  localparam int GiantLane = (Mtu + EthernetHeaderBytes) % Lanes;
  localparam int TypeLane = (EthernetHeaderBytes - 2) % Lanes;
  localparam int BeatWidth = $clog2(GiantBeat + 1);
  localparam int HoldLanes = Lanes - Split;

  logic accept;
  assign accept = s_valid && s_ready;

  // Where in the frame this beat is. A frame that is too long stops at GiantBeat.
  logic [BeatWidth-1:0] beat_q;
  logic cut_q;  // the rest of a frame that was too long
  logic first, giant, runt;

  assign first = beat_q == '0;
  assign giant = !cut_q && beat_q == BeatWidth'(GiantBeat) && s_keep[GiantLane];
  assign runt  = s_last && beat_q <= BeatWidth'(MinBeat)
      && !(beat_q == BeatWidth'(MinBeat) && s_keep[MinLane]);

  // The header.
  mac_address_t destination;
  logic [15:0] ether_type;
  logic off, off_q, wrong_mac, wrong_mac_q, wrong_type, wrong_type_q, arp_q, broadcast_q;

  always_comb begin
    for (int i = 0; i < 6; i++) destination[(5-i)*8+:8] = s_data[i*8+:8];
  end
  assign ether_type = {s_data[TypeLane*8+:8], s_data[(TypeLane+1)*8+:8]};

  assign off       = first ? !enable_i : off_q;
  assign wrong_mac = first ? destination != mac_i && destination != BroadcastMac : wrong_mac_q;
  assign wrong_type = (beat_q == BeatWidth'(HeaderBeat))
      ? ether_type != EtherTypeArp && ether_type != EtherTypeIpv4 : wrong_type_q;

  // What was found in an earlier beat is a register: the address where the header ends, and both where a
  // frame ends that is not too short.
  logic header_mac_wrong, frame_mac_wrong, frame_type_wrong;

  assign header_mac_wrong = HeaderBeat > 0 ? wrong_mac_q : wrong_mac;
  assign frame_mac_wrong  = MinBeat > 0 ? wrong_mac_q : wrong_mac;
  assign frame_type_wrong = MinBeat > HeaderBeat ? wrong_type_q : wrong_type;

  // What a beat holds from lane Split on waits for the next one, or leaves as the tail.
  logic passing_q;  // the header is over, and the frame is one to pass on
  logic tail_q;
  logic tail_error_q;
  logic [HoldLanes*8-1:0] hold_data_q;
  logic [HoldLanes-1:0] hold_keep_q;

  assign s_ready     = m_ready || !(passing_q || tail_q);
  assign m_valid     = tail_q || (passing_q && s_valid);
  assign m_data      = {s_data[Split*8-1:0], hold_data_q};
  assign m_keep      = {tail_q ? Split'(0) : s_keep[Split-1:0], hold_keep_q};
  assign m_last      = tail_q || (s_last && !s_keep[Split]) || giant;
  assign m_error     = tail_q ? tail_error_q : (s_last && s_error) || runt || giant;
  assign m_arp       = arp_q;
  assign m_broadcast = broadcast_q;

  always_ff @(posedge clk) begin
    if (tail_q && m_ready) tail_q <= 1'b0;

    if (accept) begin
      hold_data_q <= s_data[DataWidth-1:Split*8];
      hold_keep_q <= s_keep[Lanes-1:Split];

      off_q       <= off;
      wrong_mac_q <= wrong_mac;
      if (first) broadcast_q <= destination == BroadcastMac;
      if (beat_q == BeatWidth'(HeaderBeat)) begin
        wrong_type_q <= wrong_type;
        arp_q        <= ether_type == EtherTypeArp;
      end

      tail_error_q <= s_error || runt;
      if (beat_q == BeatWidth'(HeaderBeat)) begin
        passing_q <= !s_last && !off && !header_mac_wrong && !wrong_type;
        tail_q    <= s_last && s_keep[Split] && !off && !header_mac_wrong && !wrong_type;
      end else if (s_last || giant) begin
        passing_q <= 1'b0;
        tail_q    <= passing_q && s_keep[Split] && !giant;
      end

      if (s_last) begin
        beat_q <= '0;
        cut_q  <= 1'b0;
      end else if (giant) begin
        cut_q <= 1'b1;
      end else if (!cut_q) begin
        beat_q <= beat_q + 1'b1;
      end
    end

    if (rst) begin
      beat_q    <= '0;
      cut_q     <= 1'b0;
      passing_q <= 1'b0;
      tail_q    <= 1'b0;
    end
  end

  // One cause a frame: the first that applies, at its last beat; "too long" where it gets so.
  logic judge, good_so_far;

  assign judge       = accept && s_last && !off && !cut_q && !giant;
  assign good_so_far = judge && !s_error && !runt;

  always_ff @(posedge clk) begin
    count_rx_frames_o        <= accept && s_last && !off;
    count_rx_bytes_o         <= (accept && !off)
        ? 16'(stream_pkg::lanes_used(stream_pkg::lanes_t'(s_keep))) : '0;
    count_drop_giant_o       <= accept && giant && !off;
    count_drop_fcs_o         <= judge && s_error;
    count_drop_runt_o        <= judge && !s_error && runt;
    count_drop_mac_address_o <= good_so_far && frame_mac_wrong;
    count_drop_ethertype_o   <= good_so_far && !frame_mac_wrong && frame_type_wrong;

    if (rst) begin
      count_rx_frames_o        <= 1'b0;
      count_rx_bytes_o         <= '0;
      count_drop_giant_o       <= 1'b0;
      count_drop_fcs_o         <= 1'b0;
      count_drop_runt_o        <= 1'b0;
      count_drop_mac_address_o <= 1'b0;
      count_drop_ethertype_o   <= 1'b0;
    end
  end

endmodule
