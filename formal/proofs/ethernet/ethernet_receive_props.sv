// SPDX-License-Identifier: Apache-2.0

// ethernet_receive: what leaves is the frame from byte 14 on, every byte in its place and the length
// right; each frame is counted once and either dropped by one cause or passed good, never both.
module ethernet_receive_props #(
  parameter  int DataWidth = 64,
  parameter  int Mtu       = 60,
  localparam int Lanes     = DataWidth / 8
) (
  input logic                 clk,
  input logic                 rst,
  input logic                 enable_i,
  input logic [DataWidth-1:0] s_data,
  input logic [    Lanes-1:0] s_keep,
  input logic                 s_last,
  input logic                 s_error,
  input logic                 s_valid,
  input logic                 m_ready,
  input logic [          6:0] watched_index  // of a byte in its frame; does not change
);

  localparam net_headers_pkg::mac_address_t Mac = 48'h02544f450001;
  localparam int HeaderBeat = 14 / Lanes;
  localparam int Split = 14 % Lanes;
  localparam int GiantBeat = (Mtu + 14) / Lanes;
  localparam int LaneBits = $clog2(Lanes);

  logic s_ready, m_last, m_error, m_arp, m_broadcast, m_valid;
  logic [DataWidth-1:0] m_data;
  logic [Lanes-1:0] m_keep;
  logic count_rx_frames_o, count_drop_fcs_o, count_drop_runt_o, count_drop_giant_o;
  logic count_drop_mac_address_o, count_drop_ethertype_o;
  logic [15:0] count_rx_bytes_o;

  ethernet_receive #(
    .DataWidth(DataWidth),
    .Mtu      (Mtu)
  ) dut (
    .mac_i(Mac),
    .*
  );

  logic started = 1'b0;
  logic [6:0] index_q;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    index_q <= watched_index;
    if (!started) begin
      assume (rst);
    end else begin
      assume (watched_index == index_q);
    end
  end

  logic s_first, m_first;

  packet_contract #(
    .DataWidth(DataWidth),
    .Assume   (1'b1)
  ) s_contract (
    .clk,
    .rst,
    .data   (s_data),
    .keep   (s_keep),
    .last   (s_last),
    .error  (s_error),
    .valid  (s_valid),
    .ready  (s_ready),
    .first_o(s_first)
  );

  packet_contract #(
    .DataWidth(DataWidth)
  ) m_contract (
    .clk,
    .rst,
    .data   (m_data),
    .keep   (m_keep),
    .last   (m_last),
    .error  (m_error),
    .valid  (m_valid),
    .ready  (m_ready),
    .first_o(m_first)
  );

  // Places in the frame and in the packet. The frame's length is capped by assumption, far beyond
  // the point where the module has stopped looking.
  logic [6:0] in_beat_q, out_beat_q, ended_beat_q;
  logic [Lanes-1:0] ended_keep_q;
  logic [7:0] watched_q;
  logic accept, take, in_watched_beat;
  logic [6:0] out_index;

  assign accept          = s_valid && s_ready;
  assign take            = m_valid && m_ready;
  assign in_watched_beat = in_beat_q == 7'(watched_index >> LaneBits);
  assign out_index       = watched_index - 7'd14;

  always_ff @(posedge clk) begin
    if (accept) begin
      in_beat_q <= s_last ? '0 : in_beat_q + 1'b1;
      if (in_watched_beat) watched_q <= s_data[watched_index[LaneBits-1:0]*8+:8];
      if (s_last) begin
        ended_beat_q <= in_beat_q;
        ended_keep_q <= s_keep;
      end
    end
    if (take) out_beat_q <= m_last ? '0 : out_beat_q + 1'b1;

    if (rst) begin
      in_beat_q  <= '0;
      out_beat_q <= '0;
    end
  end

  // Counts.
  logic [3:0] frames_q, drops_q, passed_q;
  logic [3:0] frames, drops, passed;
  logic [2:0] causes;
  logic passed_now_q;

  assign causes = 3'(count_drop_fcs_o) + 3'(count_drop_runt_o) + 3'(count_drop_giant_o)
      + 3'(count_drop_mac_address_o) + 3'(count_drop_ethertype_o);
  assign frames = frames_q + 4'(count_rx_frames_o);
  assign drops  = drops_q + 4'(causes);
  assign passed = passed_q + 4'(passed_now_q);

  always_ff @(posedge clk) begin
    frames_q     <= frames;
    drops_q      <= drops;
    passed_q     <= passed;
    passed_now_q <= take && m_last && !m_error;

    if (rst) begin
      frames_q     <= '0;
      drops_q      <= '0;
      passed_q     <= '0;
      passed_now_q <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      assume (in_beat_q < 7'd100);

      // Bytes and length.
      if (m_valid && watched_index >= 7'd14 && out_beat_q == out_index >> LaneBits
          && m_keep[out_index[LaneBits-1:0]]) begin
        assert (m_data[out_index[LaneBits-1:0]*8+:8]
            == (in_watched_beat && !dut.tail_q
                ? s_data[watched_index[LaneBits-1:0]*8+:8] : watched_q));
      end
      if (m_valid && m_last && !m_error) begin
        if (dut.tail_q) begin
          assert (m_keep == ended_keep_q >> Split && 7'(out_beat_q + HeaderBeat) == ended_beat_q);
        end else begin
          assert (s_last && m_keep == {s_keep[Split-1:0], {Lanes - Split{1'b1}}}
              && 7'(out_beat_q + HeaderBeat + 1) == in_beat_q && s_keep >> Split == '0);
        end
      end

      // One cause a frame.
      assert (causes <= 3'd1 || (causes == 3'd2 && count_drop_giant_o));
      assert (4'(frames - drops - passed) == 4'(dut.tail_q && !dut.tail_error_q)
          - 4'(dut.cut_q && !dut.off_q));

      // Helpers for induction.
      assert (s_first == (in_beat_q == '0));
      assert (!dut.cut_q || (!dut.passing_q && !dut.tail_q
          && 7'(dut.beat_q) == 7'(GiantBeat) && in_beat_q > 7'(GiantBeat)));
      assert (7'(dut.beat_q) <= 7'(GiantBeat));
      assert (dut.cut_q || 7'(dut.beat_q) == in_beat_q);
      assert (!dut.passing_q || (in_beat_q > 7'(HeaderBeat) && !dut.off_q && !dut.wrong_mac_q
          && !dut.wrong_type_q));
      assert (in_beat_q <= 7'(HeaderBeat) || dut.passing_q || dut.cut_q || dut.off_q
          || dut.wrong_mac_q || dut.wrong_type_q);
      assert (!dut.tail_q || (in_beat_q == '0 && 7'(out_beat_q + HeaderBeat) == ended_beat_q
          && ended_keep_q[Split] && dut.hold_keep_q == ended_keep_q[Lanes-1:Split]));
      assert (!dut.passing_q || (7'(out_beat_q + HeaderBeat + 1) == in_beat_q
          && dut.hold_keep_q == '1));
      assert (dut.passing_q || dut.tail_q || out_beat_q == '0);
      assert (m_first == (out_beat_q == '0));
      if (dut.passing_q && 7'(watched_index >> LaneBits) == in_beat_q - 1'b1
          && watched_index[LaneBits-1:0] >= LaneBits'(Split))
        assert (dut.hold_data_q[(watched_index[LaneBits-1:0]-LaneBits'(Split))*8+:8] == watched_q);
      if (dut.tail_q && 7'(watched_index >> LaneBits) == ended_beat_q
          && watched_index[LaneBits-1:0] >= LaneBits'(Split))
        assert (dut.hold_data_q[(watched_index[LaneBits-1:0]-LaneBits'(Split))*8+:8] == watched_q);
    end

    cover (started && !rst && passed == 4'd2);
    cover (started && !rst && drops == 4'd1 && passed == 4'd1 && dut.tail_q);
    cover (started && !rst && dut.cut_q && !dut.off_q);
    cover (started && !rst && count_drop_mac_address_o);
    cover (started && !rst && count_drop_ethertype_o);
    cover (started && !rst && count_drop_runt_o);
  end

endmodule
