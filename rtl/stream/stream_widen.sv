// SPDX-License-Identifier: Apache-2.0

// Gathers the narrow beats of a packet into wide ones, the first in the lowest lanes.
//
// Latency    1 clock from the beat that completes a wide one, or ends the packet.
// Throughput 1 narrow beat a clock.
// Paths      m_* are registers; m_ready reaches s_ready through one level of logic.
//
// NarrowWidth may be 8. s_error counts with s_last. Lanes outside m_keep are undefined. With
// WideWidth = NarrowWidth it is a register.
module stream_widen #(
  parameter  int NarrowWidth = 8,
  parameter  int WideWidth   = 32,
  localparam int NarrowLanes = NarrowWidth / 8,
  localparam int WideLanes   = WideWidth / 8
) (
  input  logic                   clk,
  input  logic                   rst,

  input  logic [NarrowWidth-1:0] s_data,
  input  logic [NarrowLanes-1:0] s_keep,
  input  logic                   s_last,
  input  logic                   s_error,
  input  logic                   s_valid,
  output logic                   s_ready,

  output logic [  WideWidth-1:0] m_data,
  output logic [  WideLanes-1:0] m_keep,
  output logic                   m_last,
  output logic                   m_error,
  output logic                   m_valid,
  input  logic                   m_ready
);

  if (NarrowWidth < 8 || 2 ** $clog2(NarrowWidth) != NarrowWidth) begin : gen_check_narrow_width
    $error("NarrowWidth must be a power of two, at least 8.");
  end
  if (!stream_pkg::supports(WideWidth) || WideWidth < NarrowWidth) begin : gen_check_wide_width
    $error("WideWidth must be a power of two from 16 to 512, and not below NarrowWidth.");
  end

  localparam int Slots = WideWidth / NarrowWidth;
  localparam int SlotWidth = (Slots > 1) ? $clog2(Slots) : 1;

  logic [SlotWidth-1:0] slot_q;  // where the next narrow beat goes
  logic beat, complete;

  assign s_ready  = m_ready || !m_valid;
  assign beat     = s_valid && s_ready;
  assign complete = s_last || slot_q == SlotWidth'(Slots - 1);

  // What is gathered is only valid when it is complete: the output register serves for gathering.
  always_ff @(posedge clk) begin
    if (s_ready) m_valid <= s_valid && complete;
    if (beat) begin
      slot_q  <= complete ? '0 : slot_q + 1'b1;
      m_last  <= s_last;
      m_error <= s_error;
      for (int slot = 0; slot < Slots; slot++) begin
        if (slot_q == SlotWidth'(slot)) m_data[slot*NarrowWidth+:NarrowWidth] <= s_data;
        if (slot_q == SlotWidth'(slot)) m_keep[slot*NarrowLanes+:NarrowLanes] <= s_keep;
        else if (slot_q == '0) m_keep[slot*NarrowLanes+:NarrowLanes] <= '0;
      end
    end

    if (rst) begin
      slot_q  <= '0;
      m_valid <= 1'b0;
    end
  end

endmodule
