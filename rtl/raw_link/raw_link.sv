// SPDX-License-Identifier: Apache-2.0

// The raw link: connections, order and acknowledgement straight on Ethernet (docs/raw_link.md).
//
//   s_axis_rx ─▶ stream_widen ─▶ parser ─▶ receive_buffer ─▶ connections ─▶ receiver ─▶ m_app_*
//                                                              │ responses     │ lookups
//   m_axis_tx ◀─ stream_narrow ◀─────────── sender ◀───────────┴─ transmit_buffer ◀──── s_app_*
//
// Latency    from a frame's last beat in to its head at the application: 15 clocks plus the entries
//            of the table before its own; from the end of its data to the first beat of the frame
//            that carries it out: 13 clocks. Both with MacWidth < DataWidth.
// Throughput MacWidth bits a clock each way at once; DataWidth bits a clock inside. Frames of no
//            connection, Connections + 5 clocks each.
// Paths      m_axis_tx_* are registers; s_axis_rx_tready never falls.
//
// The MAC gives frames without FCS, tuser with tlast: bad. Applications are numbered as UIApp; each
// has a head and a data channel each way (raw_link_receiver, raw_link_transmit_buffer).
// BufferBytes is each half of the buffer: what waits for the applications, and what they have sent.
module raw_link
  import net_headers_pkg::*;
  import raw_link_pkg::*;
#(
  parameter  int          MacWidth    = 8,      // bits a clock to and from the MAC
  parameter  int          DataWidth   = 32,     // bits a clock inside: 32 to 512
  parameter  int          Connections = 16,     // at once; a power of two from 2 to 256
  parameter  int          Apps        = 4,      // 1 to 4
  parameter  int          BufferBytes = 16384,  // of data in each direction; a power of two
  parameter  int          Frames      = 256,    // waiting in each direction, with data or without
  parameter  logic [15:0] EtherType   = EtherTypeRawLink,
  localparam int          MacLanes    = MacWidth / 8,
  localparam int          Lanes       = DataWidth / 8
) (
  input  logic                           clk,
  input  logic                           rst,

  input  mac_address_t                   mac_i,
  input  logic                           forget_i,          // all connections

  input  logic [MacWidth-1:0]            s_axis_rx_tdata,
  input  logic [MacLanes-1:0]            s_axis_rx_tkeep,
  input  logic                           s_axis_rx_tlast,
  input  logic                           s_axis_rx_tuser,
  input  logic                           s_axis_rx_tvalid,
  output logic                           s_axis_rx_tready,

  output logic [MacWidth-1:0]            m_axis_tx_tdata,
  output logic [MacLanes-1:0]            m_axis_tx_tkeep,
  output logic                           m_axis_tx_tlast,
  output logic                           m_axis_tx_tvalid,
  input  logic                           m_axis_tx_tready,

  output delivery_t                      m_app_head,
  output logic [Apps-1:0]                m_app_head_valid,
  input  logic [Apps-1:0]                m_app_head_ready,
  output logic [DataWidth-1:0]           m_app_data,
  output logic [Lanes-1:0]               m_app_keep,
  output logic                           m_app_last,
  output logic [Apps-1:0]                m_app_valid,
  input  logic [Apps-1:0]                m_app_ready,

  input  transmit_t [Apps-1:0]           s_app_head,
  input  logic [Apps-1:0]                s_app_head_valid,
  output logic [Apps-1:0]                s_app_head_ready,
  input  logic [Apps-1:0][DataWidth-1:0] s_app_data,
  input  logic [Apps-1:0][Lanes-1:0]     s_app_keep,
  input  logic [Apps-1:0]                s_app_last,
  input  logic [Apps-1:0]                s_app_valid,
  output logic [Apps-1:0]                s_app_ready,

  // A frame that asked for it has been acknowledged, and all before it.
  output acknowledged_t                  m_acknowledged,
  output logic                           m_acknowledged_valid,

  output raw_link_counters_t             counts_o
);

  if (!stream_pkg::supports(DataWidth) || DataWidth < 32) begin : gen_check_data_width
    $error("DataWidth must be a power of two from 32 to 512.");
  end
  if (MacWidth < 8 || MacWidth > DataWidth || 2 ** $clog2(
          MacWidth
      ) != MacWidth) begin : gen_check_mac
    $error("MacWidth must be a power of two from 8 to DataWidth.");
  end
  if (BufferBytes < 256 || 2 ** $clog2(BufferBytes) != BufferBytes) begin : gen_check_buffer
    $error("BufferBytes must be a power of two, at least 256.");
  end
  if (Frames < 8) begin : gen_check_frames
    $error("Frames must be at least 8.");
  end

  // ---- In --------------------------------------------------------------------------------------

  logic [DataWidth-1:0] wide_data, parsed_data, stored_data;
  logic [Lanes-1:0] wide_keep, parsed_keep, stored_keep;
  logic wide_last, wide_error, wide_valid, wide_ready;
  logic parsed_last, parsed_valid, parsed_error, parsed_end;
  logic stored_last, stored_valid, stored_ready;
  frame_t parsed_frame, stored_frame;
  logic stored_frame_valid, stored_frame_ready;
  delivery_t delivery;
  logic delivery_valid, delivery_ready;
  response_t response;
  logic response_valid, response_ready;
  handle_t lookup_handle;
  logic lookup_valid, lookup_ready, lookup_found;
  connection_key_t lookup_key;
  raw_seq_t lookup_seq;
  raw_link_counters_t parser_counts, connection_counts, sender_counts, buffer_counts;
  logic drop_overflow, drop_tx_size;

  stream_widen #(
    .NarrowWidth(MacWidth),
    .WideWidth  (DataWidth)
  ) widen (
    .clk,
    .rst,
    .s_data (s_axis_rx_tdata),
    .s_keep (s_axis_rx_tkeep),
    .s_last (s_axis_rx_tlast),
    .s_error(s_axis_rx_tuser),
    .s_valid(s_axis_rx_tvalid),
    .s_ready(s_axis_rx_tready),
    .m_data (wide_data),
    .m_keep (wide_keep),
    .m_last (wide_last),
    .m_error(wide_error),
    .m_valid(wide_valid),
    .m_ready(wide_ready)
  );

  raw_link_parser #(
    .DataWidth(DataWidth),
    .EtherType(EtherType)
  ) parser (
    .clk,
    .rst,
    .mac_i,
    .s_data  (wide_data),
    .s_keep  (wide_keep),
    .s_last  (wide_last),
    .s_error (wide_error),
    .s_valid (wide_valid),
    .s_ready (wide_ready),
    .m_data  (parsed_data),
    .m_keep  (parsed_keep),
    .m_last  (parsed_last),
    .m_valid (parsed_valid),
    .m_frame (parsed_frame),
    .m_error (parsed_error),
    .m_end   (parsed_end),
    .counts_o(parser_counts)
  );

  raw_link_receive_buffer #(
    .DataWidth  (DataWidth),
    .BufferBytes(BufferBytes),
    .Frames     (Frames)
  ) receive_buffer (
    .clk,
    .rst,
    .s_data               (parsed_data),
    .s_keep               (parsed_keep),
    .s_last               (parsed_last),
    .s_valid              (parsed_valid),
    .s_frame              (parsed_frame),
    .s_error              (parsed_error),
    .s_end                (parsed_end),
    .m_frame              (stored_frame),
    .m_frame_valid        (stored_frame_valid),
    .m_frame_ready        (stored_frame_ready),
    .m_data               (stored_data),
    .m_keep               (stored_keep),
    .m_last               (stored_last),
    .m_valid              (stored_valid),
    .m_ready              (stored_ready),
    .count_drop_overflow_o(drop_overflow)
  );

  raw_link_connections #(
    .Connections(Connections),
    .Apps       (Apps)
  ) connections (
    .clk,
    .rst,
    .forget_i,
    .s_frame             (stored_frame),
    .s_valid             (stored_frame_valid),
    .s_ready             (stored_frame_ready),
    .m_delivery          (delivery),
    .m_delivery_valid    (delivery_valid),
    .m_delivery_ready    (delivery_ready),
    .m_response          (response),
    .m_response_valid    (response_valid),
    .m_response_ready    (response_ready),
    .m_acknowledged,
    .m_acknowledged_valid,
    .s_lookup_handle     (lookup_handle),
    .s_lookup_valid      (lookup_valid),
    .s_lookup_ready      (lookup_ready),
    .m_lookup_found      (lookup_found),
    .m_lookup_key        (lookup_key),
    .m_lookup_seq        (lookup_seq),
    .counts_o            (connection_counts)
  );

  raw_link_receiver #(
    .DataWidth(DataWidth),
    .Apps     (Apps)
  ) receiver (
    .clk,
    .rst,
    .s_delivery      (delivery),
    .s_delivery_valid(delivery_valid),
    .s_delivery_ready(delivery_ready),
    .s_data          (stored_data),
    .s_keep          (stored_keep),
    .s_last          (stored_last),
    .s_valid         (stored_valid),
    .s_ready         (stored_ready),
    .m_app_head,
    .m_app_head_valid,
    .m_app_head_ready,
    .m_app_data,
    .m_app_keep,
    .m_app_last,
    .m_app_valid,
    .m_app_ready
  );

  // ---- Out -------------------------------------------------------------------------------------

  transmit_t waiting_head;
  raw_size_t waiting_size;
  logic waiting_head_valid, waiting_head_ready;
  logic [DataWidth-1:0] waiting_data, framed_data;
  logic [Lanes-1:0] waiting_keep, framed_keep;
  logic waiting_last, waiting_valid, waiting_ready;
  logic framed_last, framed_valid, framed_ready;

  raw_link_transmit_buffer #(
    .DataWidth  (DataWidth),
    .Apps       (Apps),
    .BufferBytes(BufferBytes),
    .Frames     (Frames)
  ) transmit_buffer (
    .clk,
    .rst,
    .s_app_head,
    .s_app_head_valid,
    .s_app_head_ready,
    .s_app_data,
    .s_app_keep,
    .s_app_last,
    .s_app_valid,
    .s_app_ready,
    .m_head              (waiting_head),
    .m_size              (waiting_size),
    .m_head_valid        (waiting_head_valid),
    .m_head_ready        (waiting_head_ready),
    .m_data              (waiting_data),
    .m_keep              (waiting_keep),
    .m_last              (waiting_last),
    .m_valid             (waiting_valid),
    .m_ready             (waiting_ready),
    .count_drop_tx_size_o(drop_tx_size)
  );

  raw_link_sender #(
    .DataWidth(DataWidth),
    .EtherType(EtherType)
  ) sender (
    .clk,
    .rst,
    .mac_i,
    .s_response      (response),
    .s_response_valid(response_valid),
    .s_response_ready(response_ready),
    .s_head          (waiting_head),
    .s_size          (waiting_size),
    .s_head_valid    (waiting_head_valid),
    .s_head_ready    (waiting_head_ready),
    .s_data          (waiting_data),
    .s_keep          (waiting_keep),
    .s_last          (waiting_last),
    .s_valid         (waiting_valid),
    .s_ready         (waiting_ready),
    .m_lookup_handle (lookup_handle),
    .m_lookup_valid  (lookup_valid),
    .m_lookup_ready  (lookup_ready),
    .s_lookup_found  (lookup_found),
    .s_lookup_key    (lookup_key),
    .s_lookup_seq    (lookup_seq),
    .m_data          (framed_data),
    .m_keep          (framed_keep),
    .m_last          (framed_last),
    .m_valid         (framed_valid),
    .m_ready         (framed_ready),
    .counts_o        (sender_counts)
  );

  stream_narrow #(
    .WideWidth  (DataWidth),
    .NarrowWidth(MacWidth)
  ) narrow (
    .clk,
    .rst,
    .s_data (framed_data),
    .s_keep (framed_keep),
    .s_last (framed_last),
    .s_valid(framed_valid),
    .s_ready(framed_ready),
    .m_data (m_axis_tx_tdata),
    .m_keep (m_axis_tx_tkeep),
    .m_last (m_axis_tx_tlast),
    .m_valid(m_axis_tx_tvalid),
    .m_ready(m_axis_tx_tready)
  );

  always_comb begin
    buffer_counts               = '0;
    buffer_counts.drop_overflow = drop_overflow;
    buffer_counts.drop_tx_size  = drop_tx_size;
  end

  // Each field has one owner.
  assign counts_o = parser_counts | connection_counts | sender_counts | buffer_counts;

endmodule
