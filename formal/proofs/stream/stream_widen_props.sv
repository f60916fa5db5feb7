// SPDX-License-Identifier: Apache-2.0

// stream_widen and stream_narrow, one behind the other: every byte of every packet comes out once,
// in order, with its packet's end; between them the rules of a packet stream hold.
module stream_widen_props #(
  parameter int WideWidth = 32
) (
  input logic       clk,
  input logic       rst,
  input logic [7:0] s_data,
  input logic       s_last,
  input logic       s_error,
  input logic       s_valid,
  input logic       hold,     // nothing passes from one to the other
  input logic       m_ready,
  input logic [7:0] watched_index
);

  localparam int WideLanes = WideWidth / 8;

  logic s_ready, wide_last, wide_error, wide_valid, narrow_ready, m_keep, m_last, m_valid;
  logic [WideWidth-1:0] wide_data;
  logic [WideLanes-1:0] wide_keep;
  logic [7:0] m_data;

  stream_widen #(
    .NarrowWidth(8),
    .WideWidth  (WideWidth)
  ) widen (
    .clk,
    .rst,
    .s_data,
    .s_keep (1'b1),
    .s_last,
    .s_error,
    .s_valid,
    .s_ready,
    .m_data (wide_data),
    .m_keep (wide_keep),
    .m_last (wide_last),
    .m_error(wide_error),
    .m_valid(wide_valid),
    .m_ready(narrow_ready && !hold)
  );

  stream_narrow #(
    .WideWidth  (WideWidth),
    .NarrowWidth(8)
  ) narrow (
    .clk,
    .rst,
    .s_data (wide_data),
    .s_keep (wide_keep),
    .s_last (wide_last),
    .s_valid(wide_valid && !hold),
    .s_ready(narrow_ready),
    .m_data,
    .m_keep,
    .m_last,
    .m_valid,
    .m_ready
  );

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started) assume (rst);
  end

  logic unused_first, unused_wide_first;

  packet_contract #(
    .DataWidth(8),
    .Assume   (1'b1)
  ) s_contract (
    .clk,
    .rst,
    .data   (s_data),
    .keep   (1'b1),
    .last   (s_last),
    .error  (s_error),
    .valid  (s_valid),
    .ready  (s_ready),
    .first_o(unused_first)
  );

  packet_contract #(
    .DataWidth(WideWidth)
  ) wide_contract (
    .clk,
    .rst,
    .data   (wide_data),
    .keep   (wide_keep),
    .last   (wide_last),
    .error  (wide_error),
    .valid  (wide_valid),
    .ready  (narrow_ready && !hold),
    .first_o(unused_wide_first)
  );

  stream_contract #(
    .Width(9)
  ) m_contract (
    .clk,
    .rst,
    .data ({m_last, m_data}),
    .valid(m_valid),
    .ready(m_ready)
  );

  logic [7:0] in_count, out_count;
  logic [8:0] watched;
  logic watched_seen;

  stream_order #(
    .Width    (9),
    .CountBits(8)
  ) order (
    .clk,
    .rst,
    .watched_index,
    .in_take       (s_valid && s_ready),
    .in_data       ({s_last, s_data}),
    .out_valid     (m_valid),
    .out_take      (m_valid && m_ready),
    .out_data      ({m_last, m_data}),
    .in_count_o    (in_count),
    .out_count_o   (out_count),
    .watched_seen_o(watched_seen),
    .watched_o     (watched)
  );

  // Running at full speed: a byte in and a byte out in every clock.
  logic [3:0] streak_q = '0;
  always_ff @(posedge clk) begin
    if (rst || !(s_valid && s_ready && m_valid && m_ready)) streak_q <= '0;
    else if (streak_q != '1) streak_q <= streak_q + 1'b1;

    if (started && !rst) begin
      if (m_valid) assert (m_keep);
      assert (in_count - out_count <= 8'(2 * WideLanes));
    end
    cover (started && !rst && streak_q == 4'd8);
    cover (started && !rst && out_count == 8'd3 && m_valid && m_last && wide_valid && wide_error);
  end

endmodule
