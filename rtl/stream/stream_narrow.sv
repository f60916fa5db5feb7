// SPDX-License-Identifier: Apache-2.0

// Cuts the wide beats of a packet into narrow ones, from the lowest lanes up.
//
// Latency    1 clock.
// Throughput 1 narrow beat a clock, from packet to packet too.
// Paths      m_* are registers; m_ready reaches s_ready through three levels of logic.
//
// NarrowWidth may be 8. What is not kept of a packet's last wide beat makes no narrow beats. Lanes
// outside m_keep are undefined. With NarrowWidth = WideWidth it is a register.
module stream_narrow #(
  parameter  int WideWidth   = 32,
  parameter  int NarrowWidth = 8,
  localparam int WideLanes   = WideWidth / 8,
  localparam int NarrowLanes = NarrowWidth / 8
) (
  input  logic                   clk,
  input  logic                   rst,

  input  logic [  WideWidth-1:0] s_data,
  input  logic [  WideLanes-1:0] s_keep,
  input  logic                   s_last,
  input  logic                   s_valid,
  output logic                   s_ready,

  output logic [NarrowWidth-1:0] m_data,
  output logic [NarrowLanes-1:0] m_keep,
  output logic                   m_last,
  output logic                   m_valid,
  input  logic                   m_ready
);

  if (NarrowWidth < 8 || 2 ** $clog2(NarrowWidth) != NarrowWidth) begin : gen_check_narrow_width
    $error("NarrowWidth must be a power of two, at least 8.");
  end
  if (!stream_pkg::supports(WideWidth) || WideWidth < NarrowWidth) begin : gen_check_wide_width
    $error("WideWidth must be a power of two from 16 to 512, and not below NarrowWidth.");
  end

  // The beat that is cut moves down as it goes: m_* are its lowest lanes.
  logic [WideWidth-1:0] data_q;
  logic [WideLanes-1:0] keep_q;
  logic last_q, final_d;

  if (NarrowWidth < WideWidth) begin : gen_cut
    assign final_d = !keep_q[NarrowLanes];  // nothing of this beat follows
  end else begin : gen_register
    assign final_d = 1'b1;
  end

  assign m_data  = data_q[NarrowWidth-1:0];
  assign m_keep  = keep_q[NarrowLanes-1:0];
  assign m_last  = last_q && final_d;
  assign s_ready = !m_valid || (m_ready && final_d);

  always_ff @(posedge clk) begin
    if (s_ready) begin
      m_valid <= s_valid;
      data_q  <= s_data;
      keep_q  <= s_keep;
      last_q  <= s_last;
    end else if (m_ready) begin
      data_q <= data_q >> NarrowWidth;
      keep_q <= keep_q >> NarrowLanes;
    end

    if (rst) m_valid <= 1'b0;
  end

endmodule
