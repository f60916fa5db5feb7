// SPDX-License-Identifier: Apache-2.0

// The applications of the server: echo, discard, source, HTTP and a key-value store, and one port for
// another application (software, or a user's own logic), all behind one application interface.
//
// enable_i turns each hardware application on or off: {key_value, http, source, discard, echo}; one that is
// turned off listens no more, its connections live on. The external port (`ext`) has the same
// channels; it is number ExternalApp, and its application cannot stall the others (app_guard).
module server_apps
  import app_pkg::*;
  import apps_pkg::*;
#(
  parameter  int DataWidth   = 64,
  parameter  int Connections = 64,
  parameter  bit CutThrough  = 1'b0,  // s_rx_error may come; the external port is Straight
  parameter  int SourceChunk = 1460,  // bytes that the source writes at once
  parameter  int SourceLargeChunk = SourceChunk,  // and on few connections
  parameter  int Keys        = 256,   // of the key-value store; 0: it is left out
  localparam int Lanes       = DataWidth / 8
) (
  input  logic                    clk,
  input  logic                    rst,

  input  logic [HardwareApps-1:0] enable_i,
  input  app_statistics_t         statistics_i,
  output logic                    ext_event_lost_o,

  // Engine.
  output app_command_t            m_command,
  output logic                    m_command_valid,
  input  logic                    m_command_ready,

  input  app_event_t              s_event,
  input  logic                    s_event_valid,
  output logic                    s_event_ready,

  input  app_offer_t              s_query,
  input  logic                    s_query_valid,
  output logic                    s_query_ready,

  output logic [            15:0] m_grant_length,
  output logic                    m_grant_valid,
  input  logic                    m_grant_ready,

  input  session_t                s_rx_session,
  // The query before the packet has told the application already.
  // verilator lint_off UNUSEDSIGNAL
  input  app_id_t                 s_rx_app,
  // verilator lint_on UNUSEDSIGNAL
  input  logic [   DataWidth-1:0] s_rx_data,
  input  logic [       Lanes-1:0] s_rx_keep,
  input  logic                    s_rx_last,
  input  logic                    s_rx_error,
  input  logic                    s_rx_valid,
  output logic                    s_rx_ready,

  output app_offer_t              m_tx_request,
  output logic                    m_tx_request_valid,
  input  logic                    m_tx_request_ready,

  input  tx_status_t              s_tx_status,
  input  logic                    s_tx_status_valid,
  output logic                    s_tx_status_ready,

  output logic [   DataWidth-1:0] m_tx_data,
  output logic [       Lanes-1:0] m_tx_keep,
  output logic                    m_tx_last,
  output logic                    m_tx_error,
  output logic                    m_tx_valid,
  input  logic                    m_tx_ready,

  // External application.
  input  app_command_t            s_ext_command,
  input  logic                    s_ext_command_valid,
  output logic                    s_ext_command_ready,

  output app_event_t              m_ext_event,
  output logic                    m_ext_event_valid,
  input  logic                    m_ext_event_ready,

  output app_offer_t              m_ext_query,
  output logic                    m_ext_query_valid,
  input  logic                    m_ext_query_ready,

  input  logic [            15:0] s_ext_grant_length,
  input  logic                    s_ext_grant_valid,
  output logic                    s_ext_grant_ready,

  output session_t                m_ext_rx_session,
  output logic [   DataWidth-1:0] m_ext_rx_data,
  output logic [       Lanes-1:0] m_ext_rx_keep,
  output logic                    m_ext_rx_last,
  output logic                    m_ext_rx_error,
  output logic                    m_ext_rx_valid,
  input  logic                    m_ext_rx_ready,

  input  app_offer_t              s_ext_tx_request,
  input  logic                    s_ext_tx_request_valid,
  output logic                    s_ext_tx_request_ready,

  output tx_status_t              m_ext_tx_status,
  output logic                    m_ext_tx_status_valid,
  input  logic                    m_ext_tx_status_ready,

  input  logic [   DataWidth-1:0] s_ext_tx_data,
  input  logic [       Lanes-1:0] s_ext_tx_keep,
  input  logic                    s_ext_tx_last,
  input  logic                    s_ext_tx_valid,
  output logic                    s_ext_tx_ready
);

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256 && DataWidth != 512) begin : gen_check
    $error("DataWidth must be 64, 128, 256 or 512.");
  end
  if (Connections < 2 || 2 ** $clog2(Connections) != Connections) begin : gen_check_connections
    $error("Connections must be a power of two, at least 2.");
  end

  localparam int Echo = int'(EchoApp);
  localparam int Discard = int'(DiscardApp);
  localparam int Source = int'(SourceApp);
  localparam int Http = int'(HttpApp);
  localparam int KeyValue = int'(KeyValueApp);
  localparam int External = int'(ExternalApp);

  // Between the switch and the applications, seen from the applications.
  app_command_t [Applications-1:0] command;
  logic [Applications-1:0] command_valid, command_ready;
  app_event_t app_event;
  logic [Applications-1:0] event_valid, event_ready;
  app_offer_t query;
  logic [Applications-1:0] query_valid, query_ready;
  logic [Applications-1:0][15:0] grant_length;
  logic [Applications-1:0] grant_valid, grant_ready;
  session_t rx_session;
  logic [DataWidth-1:0] rx_data;
  logic [Lanes-1:0] rx_keep;
  logic rx_last, rx_error;
  logic [Applications-1:0] rx_valid, rx_ready;
  app_offer_t [Applications-1:0] tx_request;
  logic [Applications-1:0] tx_request_valid, tx_request_ready;
  tx_status_t tx_status;
  logic [Applications-1:0] tx_status_valid, tx_status_ready;
  logic [Applications-1:0][DataWidth-1:0] tx_data;
  logic [Applications-1:0][Lanes-1:0] tx_keep;
  logic [Applications-1:0] tx_last, tx_error, tx_valid, tx_ready;

  app_switch #(
    .DataWidth   (DataWidth),
    .Applications(Applications)
  ) switch (
    .clk,
    .rst,
    .m_command,
    .m_command_valid,
    .m_command_ready,
    .s_event,
    .s_event_valid,
    .s_event_ready,
    .s_query,
    .s_query_valid,
    .s_query_ready,
    .m_grant_length,
    .m_grant_valid,
    .m_grant_ready,
    .s_rx_session,
    .s_rx_data,
    .s_rx_keep,
    .s_rx_last,
    .s_rx_error,
    .s_rx_valid,
    .s_rx_ready,
    .m_tx_request,
    .m_tx_request_valid,
    .m_tx_request_ready,
    .s_tx_status,
    .s_tx_status_valid,
    .s_tx_status_ready,
    .m_tx_data,
    .m_tx_keep,
    .m_tx_last,
    .m_tx_error,
    .m_tx_valid,
    .m_tx_ready,
    .s_command         (command),
    .s_command_valid   (command_valid),
    .s_command_ready   (command_ready),
    .m_event           (app_event),
    .m_event_valid     (event_valid),
    .m_event_ready     (event_ready),
    .m_query           (query),
    .m_query_valid     (query_valid),
    .m_query_ready     (query_ready),
    .s_grant_length    (grant_length),
    .s_grant_valid     (grant_valid),
    .s_grant_ready     (grant_ready),
    .m_rx_session      (rx_session),
    .m_rx_data         (rx_data),
    .m_rx_keep         (rx_keep),
    .m_rx_last         (rx_last),
    .m_rx_error        (rx_error),
    .m_rx_valid        (rx_valid),
    .m_rx_ready        (rx_ready),
    .s_tx_request      (tx_request),
    .s_tx_request_valid(tx_request_valid),
    .s_tx_request_ready(tx_request_ready),
    .m_tx_status       (tx_status),
    .m_tx_status_valid (tx_status_valid),
    .m_tx_status_ready (tx_status_ready),
    .s_tx_data         (tx_data),
    .s_tx_keep         (tx_keep),
    .s_tx_last         (tx_last),
    .s_tx_error        (tx_error),
    .s_tx_valid        (tx_valid),
    .s_tx_ready        (tx_ready)
  );

  app_echo #(
    .DataWidth  (DataWidth),
    .Connections(Connections)
  ) echo (
    .clk,
    .rst,
    .enable_i          (enable_i[Echo]),
    .m_command         (command[Echo]),
    .m_command_valid   (command_valid[Echo]),
    .m_command_ready   (command_ready[Echo]),
    .s_event           (app_event),
    .s_event_valid     (event_valid[Echo]),
    .s_event_ready     (event_ready[Echo]),
    .s_query           (query),
    .s_query_valid     (query_valid[Echo]),
    .s_query_ready     (query_ready[Echo]),
    .m_grant_length    (grant_length[Echo]),
    .m_grant_valid     (grant_valid[Echo]),
    .m_grant_ready     (grant_ready[Echo]),
    .s_rx_data         (rx_data),
    .s_rx_keep         (rx_keep),
    .s_rx_last         (rx_last),
    .s_rx_error        (rx_error),
    .s_rx_valid        (rx_valid[Echo]),
    .s_rx_ready        (rx_ready[Echo]),
    .m_tx_request      (tx_request[Echo]),
    .m_tx_request_valid(tx_request_valid[Echo]),
    .m_tx_request_ready(tx_request_ready[Echo]),
    .s_tx_status       (tx_status),
    .s_tx_status_valid (tx_status_valid[Echo]),
    .s_tx_status_ready (tx_status_ready[Echo]),
    .m_tx_data         (tx_data[Echo]),
    .m_tx_keep         (tx_keep[Echo]),
    .m_tx_last         (tx_last[Echo]),
    .m_tx_error        (tx_error[Echo]),
    .m_tx_valid        (tx_valid[Echo]),
    .m_tx_ready        (tx_ready[Echo])
  );

  app_discard #(
    .Connections(Connections)
  ) discard (
    .clk,
    .rst,
    .enable_i       (enable_i[Discard]),
    .m_command      (command[Discard]),
    .m_command_valid(command_valid[Discard]),
    .m_command_ready(command_ready[Discard]),
    .s_event        (app_event),
    .s_event_valid  (event_valid[Discard]),
    .s_event_ready  (event_ready[Discard]),
    .s_query        (query),
    .s_query_valid  (query_valid[Discard]),
    .s_query_ready  (query_ready[Discard]),
    .m_grant_length (grant_length[Discard]),
    .m_grant_valid  (grant_valid[Discard]),
    .m_grant_ready  (grant_ready[Discard]),
    .s_rx_ready     (rx_ready[Discard])
  );

  assign tx_request[Discard]       = '0;
  assign tx_request_valid[Discard] = 1'b0;
  assign tx_status_ready[Discard]  = 1'b1;
  assign tx_data[Discard]          = '0;
  assign tx_keep[Discard]          = '0;
  assign tx_last[Discard]          = 1'b0;
  assign tx_error[Discard]         = 1'b0;
  assign tx_error[Source]          = 1'b0;
  assign tx_error[Http]            = 1'b0;
  assign tx_error[KeyValue]        = 1'b0;
  assign tx_error[External]        = 1'b0;
  assign tx_valid[Discard]         = 1'b0;

  app_source #(
    .DataWidth  (DataWidth),
    .Connections(Connections),
    .ChunkBytes (SourceChunk),
    .LargeChunkBytes(SourceLargeChunk)
  ) source (
    .clk,
    .rst,
    .enable_i          (enable_i[Source]),
    .m_command         (command[Source]),
    .m_command_valid   (command_valid[Source]),
    .m_command_ready   (command_ready[Source]),
    .s_event           (app_event),
    .s_event_valid     (event_valid[Source]),
    .s_event_ready     (event_ready[Source]),
    .s_query           (query),
    .s_query_valid     (query_valid[Source]),
    .s_query_ready     (query_ready[Source]),
    .m_grant_length    (grant_length[Source]),
    .m_grant_valid     (grant_valid[Source]),
    .m_grant_ready     (grant_ready[Source]),
    .s_rx_ready        (rx_ready[Source]),
    .m_tx_request      (tx_request[Source]),
    .m_tx_request_valid(tx_request_valid[Source]),
    .m_tx_request_ready(tx_request_ready[Source]),
    .s_tx_status       (tx_status),
    .s_tx_status_valid (tx_status_valid[Source]),
    .s_tx_status_ready (tx_status_ready[Source]),
    .m_tx_data         (tx_data[Source]),
    .m_tx_keep         (tx_keep[Source]),
    .m_tx_last         (tx_last[Source]),
    .m_tx_valid        (tx_valid[Source]),
    .m_tx_ready        (tx_ready[Source])
  );

  app_http #(
    .DataWidth  (DataWidth),
    .Connections(Connections),
    .CutThrough (CutThrough)
  ) http (
    .clk,
    .rst,
    .enable_i          (enable_i[Http]),
    .statistics_i,
    .m_command         (command[Http]),
    .m_command_valid   (command_valid[Http]),
    .m_command_ready   (command_ready[Http]),
    .s_event           (app_event),
    .s_event_valid     (event_valid[Http]),
    .s_event_ready     (event_ready[Http]),
    .s_query           (query),
    .s_query_valid     (query_valid[Http]),
    .s_query_ready     (query_ready[Http]),
    .m_grant_length    (grant_length[Http]),
    .m_grant_valid     (grant_valid[Http]),
    .m_grant_ready     (grant_ready[Http]),
    .s_rx_data         (rx_data),
    .s_rx_keep         (rx_keep),
    .s_rx_last         (rx_last),
    .s_rx_error        (rx_error),
    .s_rx_valid        (rx_valid[Http]),
    .s_rx_ready        (rx_ready[Http]),
    .m_tx_request      (tx_request[Http]),
    .m_tx_request_valid(tx_request_valid[Http]),
    .m_tx_request_ready(tx_request_ready[Http]),
    .s_tx_status       (tx_status),
    .s_tx_status_valid (tx_status_valid[Http]),
    .s_tx_status_ready (tx_status_ready[Http]),
    .m_tx_data         (tx_data[Http]),
    .m_tx_keep         (tx_keep[Http]),
    .m_tx_last         (tx_last[Http]),
    .m_tx_valid        (tx_valid[Http]),
    .m_tx_ready        (tx_ready[Http])
  );

  if (Keys != 0) begin : gen_key_value
    app_key_value #(
      .DataWidth  (DataWidth),
      .Connections(Connections),
      .CutThrough (CutThrough),
      .Entries    (Keys)
    ) key_value (
      .clk,
      .rst,
      .enable_i          (enable_i[KeyValue]),
      .m_command         (command[KeyValue]),
      .m_command_valid   (command_valid[KeyValue]),
      .m_command_ready   (command_ready[KeyValue]),
      .s_event           (app_event),
      .s_event_valid     (event_valid[KeyValue]),
      .s_event_ready     (event_ready[KeyValue]),
      .s_query           (query),
      .s_query_valid     (query_valid[KeyValue]),
      .s_query_ready     (query_ready[KeyValue]),
      .m_grant_length    (grant_length[KeyValue]),
      .m_grant_valid     (grant_valid[KeyValue]),
      .m_grant_ready     (grant_ready[KeyValue]),
      .s_rx_data         (rx_data),
      .s_rx_keep         (rx_keep),
      .s_rx_last         (rx_last),
      .s_rx_error        (rx_error),
      .s_rx_valid        (rx_valid[KeyValue]),
      .s_rx_ready        (rx_ready[KeyValue]),
      .m_tx_request      (tx_request[KeyValue]),
      .m_tx_request_valid(tx_request_valid[KeyValue]),
      .m_tx_request_ready(tx_request_ready[KeyValue]),
      .s_tx_status       (tx_status),
      .s_tx_status_valid (tx_status_valid[KeyValue]),
      .s_tx_status_ready (tx_status_ready[KeyValue]),
      .m_tx_data         (tx_data[KeyValue]),
      .m_tx_keep         (tx_keep[KeyValue]),
      .m_tx_last         (tx_last[KeyValue]),
      .m_tx_valid        (tx_valid[KeyValue]),
      .m_tx_ready        (tx_ready[KeyValue])
    );
  end else begin : gen_no_key_value
    logic unused_key_value;

    assign command[KeyValue]          = '0;
    assign command_valid[KeyValue]    = 1'b0;
    assign event_ready[KeyValue]      = 1'b1;
    assign query_ready[KeyValue]      = 1'b1;
    assign grant_length[KeyValue]     = '0;
    assign grant_valid[KeyValue]      = 1'b0;
    assign rx_ready[KeyValue]         = 1'b1;
    assign tx_request[KeyValue]       = '0;
    assign tx_request_valid[KeyValue] = 1'b0;
    assign tx_status_ready[KeyValue]  = 1'b1;
    assign tx_data[KeyValue]          = '0;
    assign tx_keep[KeyValue]          = '0;
    assign tx_last[KeyValue]          = 1'b0;
    assign tx_valid[KeyValue]         = 1'b0;
    assign unused_key_value           = enable_i[KeyValue];
  end

  app_guard #(
    .DataWidth (DataWidth),
    .EventDepth(4 * Connections),
    .Straight  (CutThrough)
  ) guard (
    .clk,
    .rst,
    .event_lost_o      (ext_event_lost_o),
    .m_command         (command[External]),
    .m_command_valid   (command_valid[External]),
    .m_command_ready   (command_ready[External]),
    .s_event           (app_event),
    .s_event_valid     (event_valid[External]),
    .s_event_ready     (event_ready[External]),
    .s_query           (query),
    .s_query_valid     (query_valid[External]),
    .s_query_ready     (query_ready[External]),
    .m_grant_length    (grant_length[External]),
    .m_grant_valid     (grant_valid[External]),
    .m_grant_ready     (grant_ready[External]),
    .s_rx_session      (rx_session),
    .s_rx_data         (rx_data),
    .s_rx_keep         (rx_keep),
    .s_rx_last         (rx_last),
    .s_rx_error        (rx_error),
    .s_rx_valid        (rx_valid[External]),
    .s_rx_ready        (rx_ready[External]),
    .m_tx_request      (tx_request[External]),
    .m_tx_request_valid(tx_request_valid[External]),
    .m_tx_request_ready(tx_request_ready[External]),
    .s_tx_status       (tx_status),
    .s_tx_status_valid (tx_status_valid[External]),
    .s_tx_status_ready (tx_status_ready[External]),
    .m_tx_data         (tx_data[External]),
    .m_tx_keep         (tx_keep[External]),
    .m_tx_last         (tx_last[External]),
    .m_tx_valid        (tx_valid[External]),
    .m_tx_ready        (tx_ready[External]),
    .s_command         (s_ext_command),
    .s_command_valid   (s_ext_command_valid),
    .s_command_ready   (s_ext_command_ready),
    .m_event           (m_ext_event),
    .m_event_valid     (m_ext_event_valid),
    .m_event_ready     (m_ext_event_ready),
    .m_query           (m_ext_query),
    .m_query_valid     (m_ext_query_valid),
    .m_query_ready     (m_ext_query_ready),
    .s_grant_length    (s_ext_grant_length),
    .s_grant_valid     (s_ext_grant_valid),
    .s_grant_ready     (s_ext_grant_ready),
    .m_rx_session      (m_ext_rx_session),
    .m_rx_data         (m_ext_rx_data),
    .m_rx_keep         (m_ext_rx_keep),
    .m_rx_last         (m_ext_rx_last),
    .m_rx_error        (m_ext_rx_error),
    .m_rx_valid        (m_ext_rx_valid),
    .m_rx_ready        (m_ext_rx_ready),
    .s_tx_request      (s_ext_tx_request),
    .s_tx_request_valid(s_ext_tx_request_valid),
    .s_tx_request_ready(s_ext_tx_request_ready),
    .m_tx_status       (m_ext_tx_status),
    .m_tx_status_valid (m_ext_tx_status_valid),
    .m_tx_status_ready (m_ext_tx_status_ready),
    .s_tx_data         (s_ext_tx_data),
    .s_tx_keep         (s_ext_tx_keep),
    .s_tx_last         (s_ext_tx_last),
    .s_tx_valid        (s_ext_tx_valid),
    .s_tx_ready        (s_ext_tx_ready)
  );

  // Discard sends nothing, and neither it nor source looks at what it receives.
  logic unused;
  assign unused = ^{tx_request_ready[Discard], tx_status_valid[Discard], tx_ready[Discard],
                    rx_valid[Discard], rx_valid[Source]};

endmodule
