// SPDX-License-Identifier: Apache-2.0

// The raw link with pong as each of its applications: whatever comes on a connection goes back.
//
// Latency    as raw_link, and raw_link_pong between.
// Throughput MacWidth bits a clock each way at once.
// Paths      as raw_link.
//
// This is what `toehold run --app raw-pong` simulates and what a board's top wraps.
module raw_pong
  import net_headers_pkg::*;
  import raw_link_pkg::*;
#(
  parameter  int MacWidth    = 8,
  parameter  int DataWidth   = 32,
  parameter  int Connections = 16,
  parameter  int Apps        = MaxApps,
  parameter  int BufferBytes = 16384,
  parameter  int Frames      = 256,
  localparam int MacLanes    = MacWidth / 8
) (
  input  logic                clk,
  input  logic                rst,

  input  mac_address_t        mac_i,
  input  logic                forget_i,

  input  logic [MacWidth-1:0] s_axis_rx_tdata,
  input  logic [MacLanes-1:0] s_axis_rx_tkeep,
  input  logic                s_axis_rx_tlast,
  input  logic                s_axis_rx_tuser,
  input  logic                s_axis_rx_tvalid,
  output logic                s_axis_rx_tready,

  output logic [MacWidth-1:0] m_axis_tx_tdata,
  output logic [MacLanes-1:0] m_axis_tx_tkeep,
  output logic                m_axis_tx_tlast,
  output logic                m_axis_tx_tvalid,
  input  logic                m_axis_tx_tready,

  output raw_link_counters_t  counts_o
);

  localparam int Lanes = DataWidth / 8;

  delivery_t in_head;
  logic [Apps-1:0] in_head_valid, in_head_ready, in_valid, in_ready;
  logic [DataWidth-1:0] in_data;
  logic [Lanes-1:0] in_keep;
  logic in_last;
  transmit_t [Apps-1:0] out_head;
  logic [Apps-1:0] out_head_valid, out_head_ready, out_last, out_valid, out_ready;
  logic [Apps-1:0][DataWidth-1:0] out_data;
  logic [Apps-1:0][Lanes-1:0] out_keep;
  // Pong does not ask for acknowledgements.
  acknowledged_t unused_acknowledged;
  logic unused_acknowledged_valid;

  raw_link #(
    .MacWidth   (MacWidth),
    .DataWidth  (DataWidth),
    .Connections(Connections),
    .Apps       (Apps),
    .BufferBytes(BufferBytes),
    .Frames     (Frames)
  ) link (
    .clk,
    .rst,
    .mac_i,
    .forget_i,
    .s_axis_rx_tdata,
    .s_axis_rx_tkeep,
    .s_axis_rx_tlast,
    .s_axis_rx_tuser,
    .s_axis_rx_tvalid,
    .s_axis_rx_tready,
    .m_axis_tx_tdata,
    .m_axis_tx_tkeep,
    .m_axis_tx_tlast,
    .m_axis_tx_tvalid,
    .m_axis_tx_tready,
    .m_app_head          (in_head),
    .m_app_head_valid    (in_head_valid),
    .m_app_head_ready    (in_head_ready),
    .m_app_data          (in_data),
    .m_app_keep          (in_keep),
    .m_app_last          (in_last),
    .m_app_valid         (in_valid),
    .m_app_ready         (in_ready),
    .s_app_head          (out_head),
    .s_app_head_valid    (out_head_valid),
    .s_app_head_ready    (out_head_ready),
    .s_app_data          (out_data),
    .s_app_keep          (out_keep),
    .s_app_last          (out_last),
    .s_app_valid         (out_valid),
    .s_app_ready         (out_ready),
    .m_acknowledged      (unused_acknowledged),
    .m_acknowledged_valid(unused_acknowledged_valid),
    .counts_o
  );

  for (genvar a = 0; a < Apps; a++) begin : gen_pong
    raw_link_pong #(
      .DataWidth(DataWidth)
    ) pong (
      .clk,
      .rst,
      .m_app_head      (in_head),
      .m_app_head_valid(in_head_valid[a]),
      .m_app_head_ready(in_head_ready[a]),
      .m_app_data      (in_data),
      .m_app_keep      (in_keep),
      .m_app_last      (in_last),
      .m_app_valid     (in_valid[a]),
      .m_app_ready     (in_ready[a]),
      .s_app_head      (out_head[a]),
      .s_app_head_valid(out_head_valid[a]),
      .s_app_head_ready(out_head_ready[a]),
      .s_app_data      (out_data[a]),
      .s_app_keep      (out_keep[a]),
      .s_app_last      (out_last[a]),
      .s_app_valid     (out_valid[a]),
      .s_app_ready     (out_ready[a])
    );
  end

endmodule
