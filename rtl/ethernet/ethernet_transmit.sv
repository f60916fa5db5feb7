// SPDX-License-Identifier: Apache-2.0

// Sends frames: Ethernet header, the header of the layers above, payload, padding to 60 bytes.
//
// Latency    3 clocks from s_frame_valid to the first beat out (see header_prepend for headers that
//            end in their first beat, and frame_pad).
// Throughput 1 beat a clock; see header_prepend.
// Paths      m_* are registers; nothing combinational leads from s to m or from m to s.
//
// Each s_frame with has_payload takes one packet of the payload stream, in order, and each with
// late_checksum one of s_checksum; it waits for that before it begins. The FCS is the MAC's part. Lanes
// outside m_keep are zero.
module ethernet_transmit
  import net_headers_pkg::*;
  import ethernet_pkg::*;
#(
  parameter  int DataWidth = 64,
  localparam int Lanes     = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  input  mac_address_t         mac_i,

  input  frame_header_t        s_frame,
  input  logic                 s_frame_valid,
  output logic                 s_frame_ready,

  input  logic [         15:0] s_checksum,
  input  logic                 s_checksum_valid,
  output logic                 s_checksum_ready,

  input  logic [DataWidth-1:0] s_data,
  input  logic [    Lanes-1:0] s_keep,
  input  logic                 s_last,
  input  logic                 s_valid,
  output logic                 s_ready,

  output logic [DataWidth-1:0] m_data,
  output logic [    Lanes-1:0] m_keep,
  output logic                 m_last,
  output logic                 m_valid,
  input  logic                 m_ready,

  output logic                 count_tx_frames_o,
  output logic [         15:0] count_tx_bytes_o
);

  localparam int MaxHeaderBytes = EthernetHeaderBytes + MaxUpperHeaderBytes;
  localparam int LengthWidth = $clog2(MaxHeaderBytes + 1);

  ethernet_header_t ethernet_header;
  logic [EthernetHeaderBytes*8-1:0] ethernet_bytes;

  assign ethernet_header = '{
      destination: s_frame.destination, source: mac_i, ether_type: s_frame.ether_type
  };
  assign ethernet_bytes = swap_bytes_ethernet(ethernet_header);

  logic [DataWidth-1:0] data;
  logic [Lanes-1:0] keep;
  logic last, valid, ready;

  header_prepend #(
    .DataWidth     (DataWidth),
    .MaxHeaderBytes(MaxHeaderBytes),
    .FieldAt       (EthernetHeaderBytes + LateChecksumAt)
  ) prepend (
    .clk,
    .rst,
    .s_header       ({s_frame.header, ethernet_bytes}),
    .s_header_length(LengthWidth'(s_frame.length) + LengthWidth'(EthernetHeaderBytes)),
    .s_has_payload  (s_frame.has_payload),
    .s_header_late  (s_frame.late_checksum),
    .s_header_valid (s_frame_valid),
    .s_header_ready (s_frame_ready),
    .s_field        (s_checksum),
    .s_field_valid  (s_checksum_valid),
    .s_field_ready  (s_checksum_ready),
    .s_data,
    .s_keep,
    .s_last,
    .s_valid,
    .s_ready,
    .m_data         (data),
    .m_keep         (keep),
    .m_last         (last),
    .m_valid        (valid),
    .m_ready        (ready)
  );

  frame_pad #(
    .DataWidth(DataWidth),
    .MinBytes (EthernetMinBytes)
  ) pad (
    .clk,
    .rst,
    .s_data (data),
    .s_keep (keep),
    .s_last (last),
    .s_valid(valid),
    .s_ready(ready),
    .m_data,
    .m_keep,
    .m_last,
    .m_valid,
    .m_ready
  );

  always_ff @(posedge clk) begin
    count_tx_frames_o <= m_valid && m_ready && m_last;
    count_tx_bytes_o  <= (m_valid && m_ready)
        ? 16'(stream_pkg::lanes_used(stream_pkg::lanes_t'(m_keep))) : '0;

    if (rst) begin
      count_tx_frames_o <= 1'b0;
      count_tx_bytes_o  <= '0;
    end
  end

endmodule
