// SPDX-License-Identifier: Apache-2.0

// TCP between IP packets and the application: parser, connections, the event pipeline, buffers and
// segment builder (see README.md for the picture).
module tcp_engine
  import net_headers_pkg::*;
  import seq_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import toe_config_pkg::*;
  import toe_counters_pkg::*;
  import toe_registers_pkg::*;
  import line_memory_pkg::*;
  import page_pkg::page_offer_t;
  import tuple_index_pkg::*;
  import burst_memory_pkg::*;
  import page_pkg::page_count_t;
#(
  parameter  toe_config_t Config    = SmallConfig,
  localparam int          DataWidth = Config.DataWidth,
  localparam int          Lanes     = DataWidth / 8,
  localparam bit          Paged     = Config.TxPageBytes != 0,
  localparam bit          RxPaged   = Config.RxPageBytes != 0,
  localparam int          LinePorts = line_clients(Config.TxPageBytes, Config.RxPageBytes)
) (
  input  logic                       clk,
  input  logic                       rst,

  input  logic [               31:0] now_us,
  // Addresses of the layers below are among them.
  // verilator lint_off UNUSEDSIGNAL
  input  toe_settings_t              settings_i,
  // verilator lint_on UNUSEDSIGNAL

  // IP packets that carry TCP.
  input  ip_receive_t                s_ip,
  input  logic [      DataWidth-1:0] s_data,
  input  logic [          Lanes-1:0] s_keep,
  input  logic                       s_last,
  input  logic                       s_error,
  input  logic                       s_valid,
  output logic                       s_ready,

  // ICMP errors about segments that we sent.
  input  icmp_error_t                s_icmp,
  input  logic                       s_icmp_valid,
  output logic                       s_icmp_ready,

  output ip_transmit_t               m_ip_packet,
  output logic                       m_ip_valid,
  input  logic                       m_ip_ready,
  output logic [      DataWidth-1:0] m_payload_data,
  output logic [          Lanes-1:0] m_payload_keep,
  output logic                       m_payload_last,
  output logic                       m_payload_valid,
  input  logic                       m_payload_ready,
  output logic [               15:0] m_checksum,
  output logic                       m_checksum_valid,
  input  logic                       m_checksum_ready,

  // Application.
  input  app_command_t               s_app_command,
  input  logic                       s_app_command_valid,
  output logic                       s_app_command_ready,
  output app_event_t                 m_app_event,
  output logic                       m_app_event_valid,
  input  logic                       m_app_event_ready,
  output app_offer_t                 m_app_query,
  output logic                       m_app_query_valid,
  input  logic                       m_app_query_ready,
  input  logic [               15:0] s_app_grant_length,
  input  logic                       s_app_grant_valid,
  output logic                       s_app_grant_ready,
  output app_id_t                    m_app_rx_app,
  output session_t                   m_app_rx_session,
  output logic [      DataWidth-1:0] m_app_rx_data,
  output logic [          Lanes-1:0] m_app_rx_keep,
  output logic                       m_app_rx_last,
  output logic                       m_app_rx_error,
  output logic                       m_app_rx_valid,
  input  logic                       m_app_rx_ready,
  input  app_offer_t                 s_app_tx_request,
  input  logic                       s_app_tx_request_valid,
  output logic                       s_app_tx_request_ready,
  output tx_status_t                 m_app_tx_status,
  output logic                       m_app_tx_status_valid,
  input  logic                       m_app_tx_status_ready,
  input  logic [      DataWidth-1:0] s_app_tx_data,
  input  logic [          Lanes-1:0] s_app_tx_keep,
  input  logic                       s_app_tx_last,
  input  logic                       s_app_tx_error,
  input  logic                       s_app_tx_valid,
  output logic                       s_app_tx_ready,

  // Lines of memory, where Config.StateInDram.
  output line_request_t [LinePorts-1:0] m_line_request,
  output logic [LinePorts-1:0]       m_line_request_valid,
  // verilator lint_off UNUSEDSIGNAL
  input  logic [LinePorts-1:0]       m_line_request_ready,
  input  line_response_t             s_line_response,
  input  logic [LinePorts-1:0]       s_line_response_valid,
  // verilator lint_on UNUSEDSIGNAL

  // Payload rings in DRAM: those of transmit buffers, and of receive buffers.
  output burst_t [1:0] m_read_burst,
  output logic [1:0] m_read_burst_valid,
  input logic [1:0] m_read_burst_ready,
  input logic [DataWidth-1:0] s_read_data,
  input logic [1:0] s_read_valid,
  output burst_t [1:0] m_write_burst,
  output logic [1:0] m_write_burst_valid,
  input logic [1:0] m_write_burst_ready,
  output logic [1:0][DataWidth-1:0] m_write_data,
  output logic [1:0][Lanes-1:0] m_write_strobe,
  output logic [1:0] m_write_last,
  output logic [1:0] m_write_valid,
  input logic [1:0] m_write_ready,
  input logic [1:0] written_i,

  output toe_counters_t              counters_o,
  output toe_gauges_t                gauges_o
);

  localparam int Connections = Config.Connections;
  localparam int IdWidth = $clog2(Connections);
  localparam bit OneEvent = decides_one(Config);
  localparam int CommandDepth = OneEvent ? 16 : 32;
  localparam int EventDepth = OneEvent ? 16 : 32;
  // Events between the arbiter's choice and the count of what they caused: one at a time, those that wait
  // in front, one whose actions are on their way, and the one behind it.
  localparam int InFlight = OneEvent ? 8 : Config.DecideClocks + 9;
  // From a turn to its segment; another event may be before it.
  localparam int TurnClocks = OneEvent ? 2 * Config.DecideClocks + 10 : InFlight;
  // Of each class, on chip.
  localparam int TimerDepth = Config.StateInDram == 0 ? Connections
      : Connections < 2048 ? Connections / 4 : 512;
  // A key of zeros, which is what the register holds until software writes it, would put every
  // tuple into the same place. These are random bits.
  localparam logic [127:0] HashKeyBase = 128'h9a3c_57e1_0bd2_68f4_c51e_92b7_4d0f_e683;
  // Where rings are in DRAM, those of the receive buffers lie behind these.
  localparam int TxRingsMiB = 1 + (Paged ? Config.TxPages / 32 * (Config.TxPageBytes / 128) / 256
                                         : Connections / 32 * (Config.TxRingBytes / 128) / 256);
  localparam int FifoBytes = packet_fifo_bytes(
      Config
  );  // payload on its way in, and on its way out
  // Payload that waits for its turn where segments overtake each other.
  localparam bit Reorders = Config.ReorderPackets != 0;
  localparam int ReorderPackets = Reorders ? Config.ReorderPackets : 2;
  localparam int ReorderBytes = ReorderPackets > 8 ? FifoBytes / 2 * ReorderPackets : 4 * FifoBytes;
  // Small segments come faster than the pipeline takes those of one connection. What follows segments
  // one by one, because they overtake each other or go straight, needs them as they are.
  localparam bit Merges = DataWidth >= 256 && Config.ReorderPackets == 0 && Config.CutThrough == 0;
  // What is acknowledged at once is no more than a segment of those who know no jumbo frames.
  localparam int MergeBytes = max_segment(Config) < 1460 ? max_segment(Config) : 1460;
  localparam int SpareIds = Connections / 8;
  localparam int Pages = Paged ? Config.TxPages : 1;
  // What small messages of many connections have under way at once.
  localparam bit Wide = DataWidth >= 256;
  // Between what queues events and the arbiter, among others.
  localparam bit Registers = has_slow_parts(Config);
  // What waits for one of these is delivered together: with 16 each segment of a byte or two would be
  // by itself, and cost the pipeline more events than a full line of them leaves.
  localparam int Deliveries = Wide ? 8 : 4;  // that the receive buffer holds
  localparam int TxRequests = Wide ? 8 : 2;  // that have no status
  localparam int TxPackets = Wide ? 16 : 4;  // that are asked for and not stored
  localparam int RxScale = receive_scale(Config);
  localparam int RxRoom = receive_room(Config);
  localparam int RxWindow = RxRoom > (65535 << RxScale) ? 65535 << RxScale : RxRoom;
  // An application that sends on what it receives would let the line wait for DRAM.
  // Where events overtake each other, a segment could wait for payload behind a status that is behind it.
  // Pages are given back behind reads, and a read that is early would wait for its write.
  localparam bit Early = Config.TransmitWindow != 0 && Config.RxRingsInDram == 0
      && Config.StateCacheEntries == 0 && !Paged;
  localparam tcp_limits_t Limits = '{
      tx_ring_bytes: 21'(transmit_room(Config)),
      tx_page_bits: Paged ? 5'($clog2(Config.TxPageBytes)) : '0,
      rx_window: 21'(RxWindow),
      rx_page_bits: RxPaged ? 5'($clog2(Config.RxPageBytes)) : '0,
      rx_scale: 4'(RxScale),
      mss: 16'(max_segment(Config)),
      store_direct: Config.StoreDirect != 0,
      early_bytes: Early ? 16'(max_segment(Config)) : '0
  };

  typedef logic [IdWidth-1:0] id_t;

  typedef struct packed {
    id_t        id;
    tx_folded_t command;
  } tx_entry_t;

  typedef struct packed {
    id_t         id;
    rx_command_t command;
  } rx_entry_t;

  typedef struct packed {
    id_t    id;
    tuple_t tuple;
  } remove_entry_t;

  // ---------------------------------------------------------------- receive parser and lookup

  localparam bit CutThrough = Config.CutThrough != 0;

  // Its peek knows the state a clock before it hears of the segment, and no earlier.
  if (CutThrough && OneEvent) begin : gen_check_cut_through
    $error("CutThrough needs the pipeline: DecideClocks must be 4 to 7.");
  end

  received_segment_t parsed, received;
  logic parsed_valid, parsed_ready, received_valid, received_ready;
  logic peek_hold, parser_ready;
  logic direct, direct_valid, direct_taken;  // of each good segment: its payload went straight
  logic [DataWidth-1:0] tap_data;
  logic [Lanes-1:0] tap_keep;
  logic tap_last, tap_valid, tap_ready, kind_payload, kind_valid;
  logic ended_bad, ended, summed_good, summed;
  tcp_segment_t split, segment;
  logic split_valid, split_ready, segment_valid, segment_ready;
  logic [DataWidth-1:0] arrived_data, payload_data;
  logic [Lanes-1:0] arrived_keep, payload_keep;
  logic arrived_last, arrived_valid, arrived_ready;
  logic payload_last, payload_valid, payload_ready;
  logic count_segments_in, count_checksum, count_header;

  tcp_receive_parser #(
    .DataWidth       (DataWidth),
    .PayloadFifoBeats(FifoBytes / Lanes),
    .Half            (OneEvent),
    .Tap             (CutThrough)
  ) parser (
    .clk,
    .rst,
    .s_ip,
    .s_data,
    .s_keep,
    .s_last,
    .s_error,
    .s_valid        (s_valid && !peek_hold),
    .s_ready        (parser_ready),
    .m_segment      (parsed),
    .m_segment_valid(parsed_valid),
    .m_segment_ready(parsed_ready),
    .m_payload_data (arrived_data),
    .m_payload_keep (arrived_keep),
    .m_payload_last (arrived_last),
    .m_payload_valid(arrived_valid),
    .m_payload_ready(arrived_ready),
    .m_tap_data     (tap_data),
    .m_tap_keep     (tap_keep),
    .m_tap_last     (tap_last),
    .m_tap_valid    (tap_valid),
    .m_tap_ready    (tap_ready),
    .kind_payload_o (kind_payload),
    .kind_valid_o   (kind_valid),
    .ended_bad_o    (ended_bad),
    .ended_valid_o  (ended),
    .summed_good_o  (summed_good),
    .summed_valid_o (summed),
    .count_tcp_segments_in_o  (count_segments_in),
    .count_drop_tcp_checksum_o(count_checksum),
    .count_drop_tcp_header_o  (count_header)
  );

  // A segment learns here whether its payload has gone straight to the application.
  assign s_ready        = parser_ready && !peek_hold;
  assign received_valid = parsed_valid && direct_valid;
  assign parsed_ready   = received_ready && direct_valid;
  assign direct_taken   = parsed_valid && received_ready;

  always_comb begin
    received                = parsed;
    received.segment.direct = direct;
  end

  sack_splitter #(
    .Registers(Registers)
  ) splitter (
    .clk,
    .rst,
    .s_received(received),
    .s_valid   (received_valid),
    .s_ready   (received_ready),
    .m_segment (split),
    .m_valid   (split_valid),
    .m_ready   (split_ready)
  );

  logic [PayloadTagWidth-1:0] segment_tag;

  always_comb begin
    segment = split;
    segment.payload_tag = segment_tag;
  end

  port_t listen_port;
  logic listening;
  app_id_t listen_app;
  tcp_event_t found_segment, segment_event;
  id_t found_id, segment_id;
  logic found_segment_valid, found_segment_ready, segment_event_valid, segment_event_ready;
  remove_entry_t remove;
  logic remove_valid, remove_ready;
  id_t release_id, built_release_id;
  logic release_valid, release_ready, built_release_valid, built_release_ready;
  logic [IdWidth:0] free_ids;

  app_command_t open_command;
  logic open_valid, open_ready;
  logic room, report_room;

  if (Config.TupleCacheEntries != 0 && (Config.StateInDram == 0 || Config.ReorderPackets == 0))
  begin : gen_check_index
    $error("A cache of tuples needs StateInDram and ReorderPackets.");
  end

  tuple_t peek_tuple;
  logic peek_hit;
  id_t peek_id;
  index_counts_t index_counts;
  logic [7:0] index_stash;

  segment_lookup #(
    .Connections (Connections),
    .CacheEntries(Config.TupleCacheEntries),
    .Peek        (CutThrough),
    .Registers   (Registers),
    .Chained     (OneEvent)
  ) segment_lookup (
    .clk,
    .rst,
    .now_us,
    .ip_i           (settings_i.ip_address),
    .broadcast_ip_i (settings_i.ip_address | ~settings_i.netmask),
    .isn_secret_i   (settings_i.isn_secret),
    .hash_key_i     ({settings_i.hash_key, settings_i.hash_key} ^ HashKeyBase),
    .reset_unknown_i(settings_i.reset_unknown),
    .reset_full_i   (settings_i.reset_full),
    .s_segment      (segment),
    .s_valid        (segment_valid),
    .s_ready        (segment_ready),
    .listen_port_o  (listen_port),
    .listening_i    (listening),
    .listen_app_i   (listen_app),
    .s_icmp,
    .s_icmp_valid,
    .s_icmp_ready,
    .s_open         (open_command),
    .s_open_valid   (open_valid),
    .s_open_ready   (open_ready),
    .open_room_i    (report_room),
    .m_event        (found_segment),
    .m_id           (found_id),
    .m_valid        (found_segment_valid),
    .m_ready        (found_segment_ready),
    .s_remove_tuple (remove.tuple),
    .s_remove_id    (remove.id),
    .s_remove_valid (remove_valid),
    .s_remove_ready (remove_ready),
    .s_release_id   (release_id),
    .s_release_valid(release_valid),
    .s_release_ready(release_ready),
    .peek_tuple_i   (peek_tuple),
    .peek_hit_o     (peek_hit),
    .peek_id_o      (peek_id),
    .m_line         (m_line_request[IndexClient]),
    .m_line_valid   (m_line_request_valid[IndexClient]),
    .m_line_ready   (m_line_request_ready[IndexClient]),
    .s_line         (s_line_response),
    .s_line_valid   (s_line_response_valid[IndexClient]),
    .free_count_o   (free_ids),
    .stash_o        (index_stash),
    .index_counts_o (index_counts)
  );

  // ---------------------------------------------------------------- small segments in a row

  rx_entry_t rx_entry, rx_packet_entry;  // of an event, and of one payload packet
  logic rx_valid, rx_ready, rx_packet_valid, rx_packet_ready;

  if (Merges) begin : gen_merge
    logic [15:0] piece_length;
    logic piece_last, piece_valid, piece_ready;

    segment_merge #(
      .Connections(Connections),
      .MaxBytes   (MergeBytes)
    ) segment_merge (
      .clk,
      .rst,
      .s_event       (found_segment),
      .s_id          (found_id),
      .s_valid       (found_segment_valid),
      .s_ready       (found_segment_ready),
      .m_event       (segment_event),
      .m_id          (segment_id),
      .m_valid       (segment_event_valid),
      .m_ready       (segment_event_ready),
      .m_piece_length(piece_length),
      .m_piece_last  (piece_last),
      .m_piece_valid (piece_valid),
      .m_piece_ready (piece_ready)
    );

    write_splitter #(
      .Connections(Connections)
    ) write_splitter (
      .clk,
      .rst,
      .s_piece_length(piece_length),
      .s_piece_last  (piece_last),
      .s_piece_valid (piece_valid),
      .s_piece_ready (piece_ready),
      .s_command     (rx_entry.command),
      .s_id          (rx_entry.id),
      .s_valid       (rx_valid),
      .s_ready       (rx_ready),
      .m_command     (rx_packet_entry.command),
      .m_id          (rx_packet_entry.id),
      .m_valid       (rx_packet_valid),
      .m_ready       (rx_packet_ready)
    );
  end else begin : gen_one_by_one
    assign segment_event       = found_segment;
    assign segment_id          = found_id;
    assign segment_event_valid = found_segment_valid;
    assign found_segment_ready = segment_event_ready;
    assign rx_packet_entry     = rx_entry;
    assign rx_packet_valid     = rx_valid;
    assign rx_ready            = rx_packet_ready;
  end

  // ---------------------------------------------------------------- commands and requests

  app_command_t app_command, command;
  logic app_command_valid, app_command_ready, command_valid, command_ready;
  logic app_open_valid, app_open_ready;
  app_event_t listen_result;
  logic listen_result_valid, listen_result_ready;
  logic [15:0] listen_ports;

  command_dispatcher #(
    .ListenPorts(Config.ListenPorts),
    .Opens      (HasOpens)
  ) dispatcher (
    .clk,
    .rst,
    .s_command     (s_app_command),
    .s_valid       (s_app_command_valid),
    .s_ready       (s_app_command_ready),
    .m_command     (app_command),
    .m_valid       (app_command_valid),
    .m_ready       (app_command_ready),
    .m_open_valid  (app_open_valid),
    .m_open_ready  (app_open_ready),
    .m_result      (listen_result),
    .m_result_valid(listen_result_valid),
    .m_result_ready(listen_result_ready),
    .lookup_port_i (listen_port),
    .listening_o   (listening),
    .app_o         (listen_app),
    .ports_o       (listen_ports)
  );

  stream_register #(
    .T   (app_command_t),
    .Half(Registers)
  ) command_register (
    .clk,
    .rst,
    .s_data (app_command),
    .s_valid(app_command_valid),
    .s_ready(app_command_ready),
    .m_data (command),
    .m_valid(command_valid),
    .m_ready(command_ready)
  );

  stream_register #(
    .T(app_command_t)
  ) open_register (
    .clk,
    .rst,
    .s_data (app_command),
    .s_valid(app_open_valid),
    .s_ready(app_open_ready),
    .m_data (open_command),
    .m_valid(open_valid),
    .m_ready(open_ready)
  );

  logic actions_valid, actions_segment;
  id_t actions_id;
  tcp_actions_t actions;

  typedef struct packed {
    tx_status_t status;
    seq_t       write_seq;
    logic       write_there;
  } answer_t;

  app_offer_t tx_request;
  logic tx_request_valid, tx_request_ready;
  // An answer to a request: from the pipeline, or late, from the segment builder.
  answer_t answer_now, answer, late_now, late;
  logic answer_valid_now, answer_valid, answer_early, late_valid_now, late_valid;
  logic tx_written_valid, tx_written_ready;
  session_t write_session;
  seq_t write_seq;
  logic [15:0] write_length;
  logic write_there, write_early, write_valid, write_ready;
  logic page_freed, frees_room;
  page_offer_t tx_request_pages;
  logic [$clog2(Pages+1)-1:0] pages_free, pages_least;

  id_t read_ring_id;
  seq_t read_ring_seq;
  logic [15:0] read_ring_length;
  logic read_waits;
  logic written;  // EvTxWritten goes into the pipeline, or went

  assign answer_now = '{
      status: actions.status,
      write_seq: actions.write_seq,
      write_there: actions.write_there
  };
  assign answer_valid_now = actions.status_valid;

  if (Registers) begin : gen_answer_registers
    always_ff @(posedge clk) begin
      answer       <= answer_now;
      answer_early <= actions.write_early;
      answer_valid <= answer_valid_now && !rst;
      late         <= late_now;
      late_valid   <= late_valid_now && !rst;
    end
  end else begin : gen_no_answer_registers
    assign answer       = answer_now;
    assign answer_early = actions.write_early;
    assign answer_valid = answer_valid_now;
    assign late         = late_now;
    assign late_valid   = late_valid_now;
  end

  transmit_admission #(
    .Connections(Connections),
    .Requests   (TxRequests),
    .Writes     (TxPackets),
    .RingBytes  (Config.TxRingBytes),
    .PageBytes  (Config.TxPageBytes),
    .Pages      (Pages)
  ) admission (
    .clk,
    .rst,
    .s_request         (s_app_tx_request),
    .s_request_valid   (s_app_tx_request_valid),
    .s_request_ready   (s_app_tx_request_ready),
    .m_request         (tx_request),
    .m_request_pages   (tx_request_pages),
    .m_request_valid   (tx_request_valid),
    .m_request_ready   (tx_request_ready),
    .status_valid_i    (answer_valid),
    .status_i          (answer.status),
    .status_write_seq_i(answer.write_seq),
    .status_write_there_i(Paged && answer.write_there),
    .status_write_early_i(Early && answer_early),
    .s_late_status     (late.status),
    .s_late_write_seq  (late.write_seq),
    .s_late_write_there(Paged && late.write_there),
    .s_late_valid      (late_valid),
    .s_late_ready      (),  // always
    .written_i         (written),
    .m_status          (m_app_tx_status),
    .m_status_valid    (m_app_tx_status_valid),
    .m_status_ready    (m_app_tx_status_ready),
    .m_write_session   (write_session),
    .m_write_seq       (write_seq),
    .m_write_length    (write_length),
    .m_write_there     (write_there),
    .m_write_early     (write_early),
    .m_write_valid     (write_valid),
    .m_write_ready     (write_ready),
    .page_freed_i      (page_freed),
    .pages_free_o      (pages_free),
    .pages_least_o     (pages_least),
    .read_id_i         (read_ring_id),
    .read_seq_i        (read_ring_seq),
    .read_length_i     (read_ring_length),
    .read_waits_o      (read_waits)
  );

  // ---------------------------------------------------------------- the pipeline

  logic started;  // memories are clear
  logic tx_backlog, line_busy;
  logic tags_room, timer_room;
  logic memory_done, timers_done, pacer_done, waiters_done, waiters_room;
  logic [$clog2(CommandDepth+1)-1:0] tx_count, rx_count, remove_count;
  logic [$clog2(EventDepth+1)-1:0] event_count;
  logic [$clog2(Deliveries+1)-1:0] deliveries_q;
  logic [7:0] reports_parked_q;  // events that may have something for the application, and wait
  cache_counts_t cache_counts;
  logic [15:0] parked, parked_most, lines_most;

  id_t timer_id, transmit_id, report_id, deliver_id, recycle_id, pages_id;
  line_blocks_t transmit_credit;
  logic recycle_opening, recycle_valid, recycle_ready;
  logic pages_valid, pages_ready;
  logic [3:0] timer_class;
  logic timer_valid, transmit_valid, report_valid, deliver_valid;
  logic timer_ready, transmit_ready, report_ready, deliver_ready;
  session_t tx_written_session, delivered_session;
  logic [15:0] tx_written_length, delivered_length;
  logic delivered_valid, delivered_ready;
  tcp_event_t next_event;
  id_t next_id;
  logic next_valid, next_ready;

  assign started = memory_done && timers_done && pacer_done && waiters_done;

  always_ff @(posedge clk) begin
    room <= started && timer_room && tags_room && frees_room && waiters_room
        && tx_count <= ($bits(tx_count))'(CommandDepth - InFlight - 1)
        && rx_count <= ($bits(rx_count))'(CommandDepth - InFlight - 1)
        && remove_count <= ($bits(remove_count))'(CommandDepth - InFlight - 1);
    // Two places more: an open that began while there was room may end when there is none, and an event
    // may wait behind another in front of the pipeline.
    report_room <= reports_parked_q <= 8'(EventDepth - InFlight - 3)
        && 8'(event_count) + reports_parked_q <= 8'(EventDepth - InFlight - 3);

    if (rst) begin
      room        <= 1'b0;
      report_room <= 1'b0;
    end
  end

  // The clock of time stamps: 1024 us, in as many bits as they have.
  logic [31:0] now_q, ts_now;
  logic [9:0] turns_q;  // of now_us

  assign ts_now = HasTimestamps ? {turns_q, now_q[31:10]} : '0;

  always_ff @(posedge clk) begin
    now_q <= now_us;
    if (now_us < now_q) turns_q <= turns_q + 1'b1;

    if (rst) begin
      now_q   <= now_us;
      turns_q <= '0;
    end
  end

  // What asks for its turn: each source by itself, so that the choice among them ends at these registers.
  id_t asking_timer_id, asking_transmit_id, asking_report_id, asking_deliver_id, asking_recycle_id;
  logic [3:0] asking_timer_class;
  line_blocks_t asking_transmit_credit;
  logic asking_recycle_opening;
  app_offer_t asking_tx_request;
  page_offer_t asking_tx_request_pages;
  session_t asking_tx_written_session, asking_delivered_session;
  logic [15:0] asking_tx_written_length, asking_delivered_length;
  logic asking_timer_valid, asking_timer_ready;
  logic asking_tx_request_valid, asking_tx_request_ready;
  logic asking_tx_written_valid, asking_tx_written_ready;
  logic asking_delivered_valid, asking_delivered_ready;
  logic asking_transmit_valid, asking_transmit_ready;
  logic asking_report_valid, asking_report_ready;
  logic asking_deliver_valid, asking_deliver_ready;
  logic asking_recycle_valid, asking_recycle_ready;
  id_t asking_pages_id;
  logic asking_pages_valid, asking_pages_ready;

  stream_stage #(
    .T     (logic [IdWidth+3:0]),
    .Places(Registers ? 1 : 0)
  ) timer_stage (
    .clk,
    .rst,
    .s_data ({timer_id, timer_class}),
    .s_valid(timer_valid),
    .s_ready(timer_ready),
    .m_data ({asking_timer_id, asking_timer_class}),
    .m_valid(asking_timer_valid),
    .m_ready(asking_timer_ready)
  );

  stream_stage #(
    .T     (logic [$bits(page_offer_t)+$bits(app_offer_t)-1:0]),
    .Places(Registers ? 1 : 0)
  ) tx_request_stage (
    .clk,
    .rst,
    .s_data ({tx_request_pages, tx_request}),
    .s_valid(tx_request_valid),
    .s_ready(tx_request_ready),
    .m_data ({asking_tx_request_pages, asking_tx_request}),
    .m_valid(asking_tx_request_valid),
    .m_ready(asking_tx_request_ready)
  );

  stream_stage #(
    .T     (logic [$bits(session_t)+15:0]),
    .Places(Registers ? 1 : 0)
  ) tx_written_stage (
    .clk,
    .rst,
    .s_data ({tx_written_session, tx_written_length}),
    .s_valid(tx_written_valid),
    .s_ready(tx_written_ready),
    .m_data ({asking_tx_written_session, asking_tx_written_length}),
    .m_valid(asking_tx_written_valid),
    .m_ready(asking_tx_written_ready)
  );

  stream_stage #(
    .T     (logic [$bits(session_t)+15:0]),
    .Places(Registers ? 1 : 0)
  ) delivered_stage (
    .clk,
    .rst,
    .s_data ({delivered_session, delivered_length}),
    .s_valid(delivered_valid),
    .s_ready(delivered_ready),
    .m_data ({asking_delivered_session, asking_delivered_length}),
    .m_valid(asking_delivered_valid),
    .m_ready(asking_delivered_ready)
  );

  stream_stage #(
    .T     (logic [IdWidth+$bits(line_blocks_t)-1:0]),
    .Places(Registers ? 1 : 0)
  ) transmit_stage (
    .clk,
    .rst,
    .s_data ({transmit_id, transmit_credit}),
    .s_valid(transmit_valid),
    .s_ready(transmit_ready),
    .m_data ({asking_transmit_id, asking_transmit_credit}),
    .m_valid(asking_transmit_valid),
    .m_ready(asking_transmit_ready)
  );

  stream_stage #(
    .T     (id_t),
    .Places(Registers ? 1 : 0)
  ) report_stage (
    .clk,
    .rst,
    .s_data (report_id),
    .s_valid(report_valid),
    .s_ready(report_ready),
    .m_data (asking_report_id),
    .m_valid(asking_report_valid),
    .m_ready(asking_report_ready)
  );

  stream_stage #(
    .T     (id_t),
    .Places(Registers ? 1 : 0)
  ) deliver_stage (
    .clk,
    .rst,
    .s_data (deliver_id),
    .s_valid(deliver_valid),
    .s_ready(deliver_ready),
    .m_data (asking_deliver_id),
    .m_valid(asking_deliver_valid),
    .m_ready(asking_deliver_ready)
  );

  stream_stage #(
    .T     (logic [IdWidth:0]),
    .Places(Registers ? 1 : 0)
  ) recycle_stage (
    .clk,
    .rst,
    .s_data ({recycle_id, recycle_opening}),
    .s_valid(recycle_valid),
    .s_ready(recycle_ready),
    .m_data ({asking_recycle_id, asking_recycle_opening}),
    .m_valid(asking_recycle_valid),
    .m_ready(asking_recycle_ready)
  );

  stream_stage #(
    .T     (id_t),
    .Places(Registers ? 1 : 0)
  ) pages_stage (
    .clk,
    .rst,
    .s_data (pages_id),
    .s_valid(pages_valid),
    .s_ready(pages_ready),
    .m_data (asking_pages_id),
    .m_valid(asking_pages_valid),
    .m_ready(asking_pages_ready)
  );

  // Both are counted by what only has to wait longer if they come later.
  logic segment_left;  // for IP

  if (Registers) begin : gen_late_counts
    always_ff @(posedge clk) begin
      written      <= asking_tx_written_valid && asking_tx_written_ready;
      segment_left <= m_ip_valid && m_ip_ready;

      if (rst) begin
        written      <= 1'b0;
        segment_left <= 1'b0;
      end
    end
  end else begin : gen_counts
    assign written      = asking_tx_written_valid && asking_tx_written_ready;
    assign segment_left = m_ip_valid && m_ip_ready;
  end

  event_arbiter #(
    .Connections(Connections),
    .Places     (OneEvent ? 1 : 2)
  ) arbiter (
    .clk,
    .rst,
    .now_us,
    .ts_now,
    .tx_backlog_i        (tx_backlog),
    .room_i              (room),
    .report_room_i       (report_room),
    .deliver_room_i      (deliveries_q != ($bits(deliveries_q))'(Deliveries)),
    .s_segment_event     (segment_event),
    .s_segment_id        (segment_id),
    .s_segment_valid     (segment_event_valid),
    .s_segment_ready     (segment_event_ready),
    .s_timer_id          (asking_timer_id),
    .s_timer_class       (asking_timer_class),
    .s_timer_valid       (asking_timer_valid),
    .s_timer_ready       (asking_timer_ready),
    .s_command           (command),
    .s_command_valid     (command_valid),
    .s_command_ready     (command_ready),
    .s_tx_request        (asking_tx_request),
    .s_tx_request_pages  (asking_tx_request_pages),
    .s_tx_request_valid  (asking_tx_request_valid),
    .s_tx_request_ready  (asking_tx_request_ready),
    .s_tx_written_session(asking_tx_written_session),
    .s_tx_written_length (asking_tx_written_length),
    .s_tx_written_valid  (asking_tx_written_valid),
    .s_tx_written_ready  (asking_tx_written_ready),
    .s_delivered_session (asking_delivered_session),
    .s_delivered_length  (asking_delivered_length),
    .s_delivered_valid   (asking_delivered_valid),
    .s_delivered_ready   (asking_delivered_ready),
    .s_transmit_id       (asking_transmit_id),
    .s_transmit_credit   (asking_transmit_credit),
    .s_transmit_valid    (asking_transmit_valid),
    .s_transmit_ready    (asking_transmit_ready),
    .s_report_id         (asking_report_id),
    .s_report_valid      (asking_report_valid),
    .s_report_ready      (asking_report_ready),
    .s_deliver_id        (asking_deliver_id),
    .s_deliver_valid     (asking_deliver_valid),
    .s_deliver_ready     (asking_deliver_ready),
    .s_recycle_id        (asking_recycle_id),
    .s_recycle_opening   (asking_recycle_opening),
    .s_recycle_valid     (asking_recycle_valid),
    .s_recycle_ready     (asking_recycle_ready),
    .s_pages_id          (asking_pages_id),
    .s_pages_valid       (asking_pages_valid),
    .s_pages_ready       (asking_pages_ready),
    .m_event             (next_event),
    .m_id                (next_id),
    .m_valid             (next_valid),
    .m_ready             (next_ready)
  );

  tcp_event_t fetch_event;
  id_t fetch_id;
  logic fetch_valid, fetch_ready;
  logic read_enable, write_enable;
  id_t read_id, write_id;
  connection_t read_connection, write_connection;
  tcp_state_e state_before, state_after;
  logic forwarded;

  // What the pool of receive pages has for an event, as it enters the pipeline.
  tcp_event_t entering_event;
  logic rx_page_freed;
  logic [GaugeWidth-1:0] rx_pages_free, rx_pages_least;

  if (RxPaged) begin : gen_receive_pages
    localparam int CountWidth = $clog2(Config.RxPages + 1);

    page_count_t pages;
    logic [CountWidth-1:0] free, least;
    logic stores, few;

    assign stores = fetch_event.kind == EvSegment && fetch_event.lookup == LookupHit
        && fetch_event.segment.payload_length != '0;

    receive_pages #(
      .RingPages(Config.RxRingBytes / Config.RxPageBytes),
      .Pages    (Config.RxPages)
    ) receive_pages (
      .clk,
      .rst,
      .keep_i (fetch_valid && fetch_ready && stores),
      .pages_o(pages),
      .short_o(few),
      .taken_i(actions_valid && actions.rx.takes_pages ? actions.rx.pages.count : '0),
      .left_i (actions_valid ? actions.pages_left : '0),
      .freed_i(rx_page_freed),
      .free_o (free),
      .least_o(least)
    );

    always_comb begin
      entering_event             = fetch_event;
      entering_event.pages       = stores ? pages : '0;
      entering_event.pages_short = few;
    end

    assign rx_pages_free  = GaugeWidth'(free);
    assign rx_pages_least = GaugeWidth'(least);
  end else begin : gen_no_receive_pages
    logic unused_pages;
    assign unused_pages = &{1'b0, rx_page_freed, actions.pages_left};

    always_comb begin
      entering_event             = fetch_event;
      entering_event.pages       = '0;
      entering_event.pages_short = 1'b0;
    end

    assign rx_pages_free  = '0;
    assign rx_pages_least = '0;
  end

  if (OneEvent) begin : gen_sequencer
    // All that hears of it is all over the part: a register more on the way.
    logic done_valid, done_segment;
    id_t done_id;
    tcp_actions_t done;
    tcp_state_e done_before, done_after;

    always_ff @(posedge clk) begin
      actions_valid   <= done_valid;
      actions_id      <= done_id;
      actions         <= actions_if(done_valid && !rst, done);
      actions_segment <= done_segment;
      state_before    <= done_before;
      state_after     <= done_after;

      if (rst) actions_valid <= 1'b0;
    end

    connection_sequencer #(
      .Connections(Connections),
      .Limits     (Limits)
    ) sequencer (
      .clk,
      .rst,
      .settings_i        (settings_i.tcp),
      .s_event           (entering_event),
      .s_id              (fetch_id),
      .s_valid           (fetch_valid),
      .s_ready           (fetch_ready),
      .read_enable_o     (read_enable),
      .read_id_o         (read_id),
      .read_connection_i (read_connection),
      .write_enable_o    (write_enable),
      .write_id_o        (write_id),
      .write_connection_o(write_connection),
      .actions_valid_o   (done_valid),
      .actions_id_o      (done_id),
      .actions_o         (done),
      .actions_segment_o (done_segment),
      .state_before_o    (done_before),
      .state_after_o     (done_after)
    );

    assign forwarded = 1'b0;
  end else begin : gen_pipeline
    tcp_actions_t done;

    assign actions = actions_if(actions_valid, done);

    connection_pipeline #(
      .Connections (Connections),
      .DecideClocks(Config.DecideClocks),
      .Limits      (Limits)
    ) pipeline (
      .clk,
      .rst,
      .settings_i        (settings_i.tcp),
      .s_event           (entering_event),
      .s_id              (fetch_id),
      .s_valid           (fetch_valid),
      .s_ready           (fetch_ready),
      .read_enable_o     (read_enable),
      .read_id_o         (read_id),
      .read_connection_i (read_connection),
      .write_enable_o    (write_enable),
      .write_id_o        (write_id),
      .write_connection_o(write_connection),
      .actions_valid_o   (actions_valid),
      .actions_id_o      (actions_id),
      .actions_o         (done),
      .actions_segment_o (actions_segment),
      .state_before_o    (state_before),
      .state_after_o     (state_after),
      .forwarded_o       (forwarded)
    );
  end

  // ---------------------------------------------------------------- state

  if (Config.StateCacheEntries == 0) begin : gen_state_on_chip
    assign fetch_event = next_event;
    assign fetch_id    = next_id;
    assign fetch_valid = next_valid;
    assign next_ready  = fetch_ready;

    connection_memory #(
      .Connections(Connections),
      .ReadLatency(OneEvent ? 4 : 2),
      .Narrow     (OneEvent)
    ) memory (
      .clk,
      .rst,
      .init_done_o       (memory_done),
      .read_enable_i     (read_enable),
      .read_id_i         (read_id),
      .read_connection_o (read_connection),
      .write_enable_i    (write_enable),
      .write_id_i        (write_id),
      .write_connection_i(write_connection)
    );

    assign reports_parked_q   = '0;
    assign cache_counts       = '0;
    assign parked             = '0;
    assign parked_most        = '0;
    assign lines_most         = '0;
    assign m_line_request[StateClient]       = '0;
    assign m_line_request_valid[StateClient] = 1'b0;
  end else begin : gen_state_cache
    // An event may wait for its state for long: room for what it causes is looked for when it goes on.
    tcp_event_t found_event;
    logic found_valid, reports_begin, reports_end;
    connection_t found_state;

    if (Config.StateInDram == 0) begin : gen_check_dram
      $error("A cache of connection state needs StateInDram.");
    end
    if (Config.ReorderPackets == 0) begin : gen_check_reorder
      $error("A cache of connection state needs ReorderPackets: segments overtake each other.");
    end

    state_cache #(
      .Connections  (Connections),
      .Entries      (Config.StateCacheEntries),
      .Ways         (Config.StateCacheWays),
      .Policy       (Config.StateCachePolicy),
      .CommitLatency(commit_latency(Config))
    ) cache (
      .clk,
      .rst,
      .init_done_o       (memory_done),
      .s_event           (next_event),
      .s_id              (next_id),
      .s_valid           (next_valid),
      .s_ready           (next_ready),
      .m_event           (found_event),
      .m_id              (fetch_id),
      .m_valid           (found_valid),
      .m_ready           (fetch_ready && room),
      .read_enable_i     (read_enable),
      .read_connection_o (found_state),
      .write_enable_i    (write_enable),
      .write_connection_i(write_connection),
      .m_request         (m_line_request[StateClient]),
      .m_request_valid   (m_line_request_valid[StateClient]),
      .m_request_ready   (m_line_request_ready[StateClient]),
      .s_response        (s_line_response),
      .s_response_valid  (s_line_response_valid[StateClient]),
      .counts_o          (cache_counts),
      .parked_o          (parked),
      .parked_most_o     (parked_most),
      .lines_most_o      (lines_most)
    );

    assign fetch_event = found_event;
    assign fetch_valid = found_valid && room;

    // Those that may tell the application something, and are still before the pipeline.
    assign reports_begin = next_valid && next_ready && tells_application(next_event);
    assign reports_end = fetch_valid && fetch_ready && tells_application(fetch_event);

    always_ff @(posedge clk) begin
      reports_parked_q <= reports_parked_q + 8'(reports_begin) - 8'(reports_end);

      if (rst) reports_parked_q <= '0;
    end

    if (OneEvent) begin : gen_keep_state
      // The sequencer's, until it reads the next one.
      logic [1:0] reads_q;
      connection_t kept_q;

      assign read_connection = kept_q;

      always_ff @(posedge clk) begin
        reads_q <= {reads_q[0], read_enable};
        if (reads_q[1]) kept_q <= found_state;

        if (rst) reads_q <= '0;
      end
    end else begin : gen_pass_state
      assign read_connection = found_state;
    end

    logic unused_ids;
    assign unused_ids = &{read_id, write_id};
  end

  // ---------------------------------------------------------------- what the actions feed

  id_t arm_id;
  logic [3:0] arm_class;
  timer_us_t now_timers, arm_us;
  logic arm_valid;

  assign now_timers = $bits(timer_us_t)'(now_us);

  if (Config.StateInDram != 0) begin : gen_spill_timers
    timer_spill #(
      .Connections(Connections),
      .Depth      (TimerDepth),
      .Slack      (InFlight + 2)
    ) timer_spill (
      .clk,
      .rst,
      .now_us      (now_timers),
      .arm_id      (actions_id),
      .arm_class   (actions.timer_class),
      .arm_valid   (actions.timer_valid),
      .room_o      (timer_room),
      .m_id        (arm_id),
      .m_class     (arm_class),
      .m_us        (arm_us),
      .m_valid     (arm_valid),
      .taken_class (timer_class),
      .taken_valid (timer_valid && timer_ready),
      .m_line      (m_line_request[QueueClient]),
      .m_line_valid(m_line_request_valid[QueueClient]),
      .m_line_ready(m_line_request_ready[QueueClient]),
      .s_line      (s_line_response),
      .s_line_valid(s_line_response_valid[QueueClient])
    );
  end else begin : gen_all_timers
    assign arm_id     = actions_id;
    assign arm_class  = actions.timer_class;
    assign arm_us     = now_timers;
    assign arm_valid  = actions.timer_valid;
    assign timer_room = 1'b1;

    assign m_line_request[QueueClient]       = '0;
    assign m_line_request_valid[QueueClient] = 1'b0;
  end

  timer_queues #(
    .Connections(Connections),
    .Depth      (TimerDepth)
  ) timers (
    .clk,
    .rst,
    .now_us     (now_timers),
    .init_done_o(timers_done),
    .arm_id,
    .arm_class,
    .arm_us,
    .arm_valid,
    .m_id       (timer_id),
    .m_class    (timer_class),
    .m_valid    (timer_valid),
    .m_ready    (timer_ready)
  );

  id_t ready_id;
  logic ready_valid;

  if (HasPacing) begin : gen_pacer
    transmit_pacer #(
      .Connections(Connections)
    ) transmit_pacer (
      .clk,
      .rst,
      .now_us,
      .init_done_o(pacer_done),
      .push_id    (actions_id),
      .push_pace  (actions.pace),
      .push_length(actions.tx.payload_length),
      .push_valid (actions.push_transmit),
      .m_id       (ready_id),
      .m_valid    (ready_valid)
    );
  end else begin : gen_no_pacer
    logic unused_pace;
    assign unused_pace = &{1'b0, actions.pace};

    assign ready_id    = actions_id;
    assign ready_valid = actions.push_transmit;
    assign pacer_done  = 1'b1;
  end

  transmit_turns #(
    .Connections(Connections),
    .MaxBytes   (max_segment(Config)),
    .UnderWay   (Config.StateInDram != 0 ? 128 : 32),  // an event may wait for its state
    .Registers  (Registers)
  ) transmit_queue (
    .clk,
    .rst,
    .push_id    (ready_id),
    .push_valid (ready_valid),
    .push_turn  (actions.turn && actions.push_transmit && !actions.pace.valid),
    .push_credit(actions.turn_credit),
    .push_length(actions.tx.payload_length),
    .decided_i  (actions.turn),
    .line_busy_i(line_busy),
    .m_id       (transmit_id),
    .m_credit   (transmit_credit),
    .m_valid    (transmit_valid),
    .m_ready    (transmit_ready)
  );

  // What joins queues of ids, and commands to the receive buffer. Where one event follows the other slowly
  // there is a clock more to get there.
  typedef struct packed {
    id_t  id;
    logic report;
    logic deliver;
    logic waits;
    logic opening;
    logic refused;
    logic opening_done;
    logic dropped;
  } pushes_t;

  pushes_t pushes_now, pushes;
  rx_entry_t rx_pushed;
  logic rx_pushed_valid;

  assign pushes_now = '{
          id: actions_id,
          report: actions.push_report,
          deliver: actions.push_deliver,
          waits: actions.push_wait,
          opening: actions.push_opening,
          refused: actions.refused,
          opening_done: actions.opening_done,
          dropped: actions.counts.half_open_dropped
      };

  tx_entry_t tx_now, tx_pushed;
  logic tx_pushed_valid;

  assign tx_now = '{id: actions_id, command: fold_tx(actions.tx)};

  if (OneEvent) begin : gen_push_register
    always_ff @(posedge clk) begin
      pushes          <= pushes_now;
      rx_pushed       <= '{id: actions_id, command: actions.rx};
      rx_pushed_valid <= actions.rx_valid;
      tx_pushed       <= tx_now;
      tx_pushed_valid <= actions.tx_valid;

      if (rst) begin
        pushes          <= '0;
        rx_pushed_valid <= 1'b0;
        tx_pushed_valid <= 1'b0;
      end
    end
  end else begin : gen_no_push_register
    assign pushes          = pushes_now;
    assign rx_pushed       = '{id: actions_id, command: actions.rx};
    assign rx_pushed_valid = actions.rx_valid;
    assign tx_pushed       = tx_now;
    assign tx_pushed_valid = actions.tx_valid;
  end

  id_queue #(
    .Connections(Connections)
  ) report_queue (
    .clk,
    .rst,
    .push_id   (pushes.id),
    .push_valid(pushes.report),
    .m_id      (report_id),
    .m_valid   (report_valid),
    .m_ready   (report_ready),
    .count_o   ()
  );

  id_queue #(
    .Connections(Connections)
  ) deliver_queue (
    .clk,
    .rst,
    .push_id   (pushes.id),
    .push_valid(pushes.deliver),
    .m_id      (deliver_id),
    .m_valid   (deliver_valid),
    .m_ready   (deliver_ready),
    .count_o   ()
  );

  logic [TcpStates-1:0][IdWidth:0] states;

  connection_recycler #(
    .Connections(Connections),
    .SpareIds   (SpareIds)
  ) recycler (
    .clk,
    .rst,
    .push_id           (pushes.id),
    .push_wait_valid   (pushes.waits),
    .push_opening_valid(pushes.opening),
    .free_count_i      (free_ids),
    .opening_count_i   (states[TcpSynReceived]),
    .refused_i         (pushes.refused),
    .done_i            (pushes.opening_done),
    .dropped_i         (pushes.dropped),
    .m_id              (recycle_id),
    .m_opening         (recycle_opening),
    .m_valid           (recycle_valid),
    .m_ready           (recycle_ready)
  );

  // EvDeliver that the receive buffer has not finished.
  logic deliver_begins, deliver_ends;
  assign deliver_begins = asking_deliver_valid && asking_deliver_ready;
  assign deliver_ends = actions.deliver_done;

  always_ff @(posedge clk) begin
    deliveries_q <= deliveries_q + ($bits(
        deliveries_q
    ))'(deliver_begins) - ($bits(
        deliveries_q
    ))'(deliver_ends);

    if (rst) deliveries_q <= '0;
  end

  tx_entry_t tx_stored, tx_entry;
  logic tx_stored_valid, tx_stored_ready, tx_valid, tx_ready;

  // Hundreds of bits. Where one event follows the other slowly, what comes next is loaded into an empty
  // place: a ready that loads as many bits is a long way.
  stream_fifo #(
    .T       (tx_entry_t),
    .Depth   (CommandDepth),
    .BlockRam(OneEvent ? 1 : 2),
    .Half    (OneEvent)
  ) tx_fifo (
    .clk,
    .rst,
    .s_data (tx_pushed),
    .s_valid(tx_pushed_valid),
    .s_ready(),
    .m_data (tx_stored),
    .m_valid(tx_stored_valid),
    .m_ready(tx_stored_ready),
    .count_o(tx_count)
  );

  stream_stage #(
    .T     (tx_entry_t),
    .Places(OneEvent ? 1 : 0)
  ) tx_stage (
    .clk,
    .rst,
    .s_data (tx_stored),
    .s_valid(tx_stored_valid),
    .s_ready(tx_stored_ready),
    .m_data (tx_entry),
    .m_valid(tx_valid),
    .m_ready(tx_ready)
  );

  // verilator lint_off UNUSEDSIGNAL
  tx_command_t tx_pushed_command;  // its kind and length are looked at
  // verilator lint_on UNUSEDSIGNAL
  assign tx_pushed_command = unfold_tx(tx_pushed.command);

  transmit_backlog #(
    .Queued    (OneEvent ? 3 : 4),  // with Half one that leaves is not counted
    .BusyBytes (TurnClocks * Lanes),
    .CountWidth($bits(tx_count))
  ) transmit_backlog (
    .clk,
    .rst,
    .push_length_i(tx_pushed_command.payload_length),
    .push_i       (tx_pushed_valid && tx_pushed_command.kind == TxSegment),
    .pop_i        (segment_left),
    .queued_i     (tx_count),
    .backlog_o    (tx_backlog),
    .line_busy_o  (line_busy)
  );

  stream_fifo #(
    .T    (rx_entry_t),
    .Depth(CommandDepth),
    .Half (OneEvent)
  ) rx_fifo (
    .clk,
    .rst,
    .s_data (rx_pushed),
    .s_valid(rx_pushed_valid),
    .s_ready(),
    .m_data (rx_entry),
    .m_valid(rx_valid),
    .m_ready(rx_ready),
    .count_o(rx_count)
  );

  stream_fifo #(
    .T    (remove_entry_t),
    .Depth(CommandDepth),
    .Half (OneEvent)
  ) remove_fifo (
    .clk,
    .rst,
    .s_data ('{id: actions_id, tuple: actions.tx.tuple}),
    .s_valid(actions.remove),
    .s_ready(),
    .m_data (remove),
    .m_valid(remove_valid),
    .m_ready(remove_ready),
    .count_o(remove_count)
  );

  // Application events: the pipeline's, and results of port commands.
  app_event_t events[2];
  logic [1:0] events_valid, events_ready;

  assign events[1] = listen_result;
  assign events_valid[1] = listen_result_valid;
  assign listen_result_ready = events_ready[1];

  stream_fifo #(
    .T    (app_event_t),
    .Depth(EventDepth),
    .Half (OneEvent)
  ) event_fifo (
    .clk,
    .rst,
    .s_data (actions.app_event),
    .s_valid(actions.event_valid),
    .s_ready(),
    .m_data (events[0]),
    .m_valid(events_valid[0]),
    .m_ready(events_ready[0]),
    .count_o(event_count)
  );

  app_event_t merged_event;
  logic merged_event_valid, merged_event_ready;

  stream_arbiter #(
    .T(app_event_t),
    .N(2)
  ) event_merge (
    .clk,
    .rst,
    .s_data (events),
    .s_valid(events_valid),
    .s_ready(events_ready),
    .m_data (merged_event),
    .m_valid(merged_event_valid),
    .m_ready(merged_event_ready),
    .m_index()
  );

  // ---------------------------------------------------------------- buffers and builder

  // Payload in the order in which the pipeline asks for it: that of reception, unless segments
  // overtake each other. Each packet is asked for by the command that stores it or drops it.
  if (Reorders) begin : gen_reorder
    logic [PayloadTagWidth-1:0] tag;
    logic tag_waits, tag_taken;
    logic [$clog2(CommandDepth+1)-1:0] tag_count;

    payload_reorder #(
      .DataWidth  (DataWidth),
      .Packets    (ReorderPackets),
      .Depth      (ReorderBytes / Lanes),
      .PacketBeats(FifoBytes / Lanes)
    ) reorder (
      .clk,
      .rst,
      .s_segment_payload(split.payload_length != '0),
      .s_segment_valid  (split_valid),
      .s_segment_ready  (split_ready),
      .m_segment_tag    (segment_tag),
      .m_segment_valid  (segment_valid),
      .m_segment_ready  (segment_ready),
      .s_data           (arrived_data),
      .s_keep           (arrived_keep),
      .s_last           (arrived_last),
      .s_valid          (arrived_valid),
      .s_ready          (arrived_ready),
      .s_tag            (tag),
      .s_tag_valid      (tag_waits),
      .s_tag_ready      (tag_taken),
      .m_data           (payload_data),
      .m_keep           (payload_keep),
      .m_last           (payload_last),
      .m_valid          (payload_valid),
      .m_ready          (payload_ready)
    );

    stream_fifo #(
      .T    (logic [PayloadTagWidth-1:0]),
      .Depth(CommandDepth)
    ) tag_fifo (
      .clk,
      .rst,
      .s_data (actions.payload_tag),
      .s_valid(actions.rx_valid
               && (actions.rx.kind == RxWrite || actions.rx.kind == RxDrop)),
      .s_ready(),
      .m_data (tag),
      .m_valid(tag_waits),
      .m_ready(tag_taken),
      .count_o(tag_count)
    );

    assign tags_room = tag_count <= ($bits(tag_count))'(CommandDepth - InFlight - 1);
  end else begin : gen_in_order
    assign segment_tag   = '0;
    assign segment_valid = split_valid;
    assign split_ready   = segment_ready;
    assign payload_data  = arrived_data;
    assign payload_keep  = arrived_keep;
    assign payload_last  = arrived_last;
    assign payload_valid = arrived_valid;
    assign arrived_ready = payload_ready;
    assign tags_room     = 1'b1;

    logic [PayloadTagWidth-1:0] unused_tag;
    assign unused_tag = actions.payload_tag;
  end

  id_t delivered_id;
  assign delivered_session.id = SessionIdWidth'(delivered_id);

  logic [DataWidth-1:0] stored_data;
  logic [Lanes-1:0] stored_keep;
  logic stored_last, stored_valid, stored_ready;

  stream_stage #(
    .T     (logic [DataWidth+Lanes:0]),
    .Places(Registers ? 2 : 0)
  ) payload_stage (
    .clk,
    .rst,
    .s_data ({payload_last, payload_keep, payload_data}),
    .s_valid(payload_valid),
    .s_ready(payload_ready),
    .m_data ({stored_last, stored_keep, stored_data}),
    .m_valid(stored_valid),
    .m_ready(stored_ready)
  );

  app_offer_t ring_query;
  logic ring_query_valid, ring_query_ready, ring_grant_valid, ring_grant_ready;
  app_id_t ring_app;
  session_t ring_session;
  logic [DataWidth-1:0] ring_out_data;
  logic [Lanes-1:0] ring_out_keep;
  logic ring_out_last, ring_out_valid, ring_out_ready;

  // Of the table of receive pages, and of their pool.
  line_request_t [1:0] rx_page_line;
  logic [1:0] rx_page_line_valid, rx_page_line_ready, rx_page_response_valid;

  if (RxPaged) begin : gen_rx_page_lines
    assign m_line_request[RxPageTableClient]       = rx_page_line[0];
    assign m_line_request[RxPagePoolClient]        = rx_page_line[1];
    assign m_line_request_valid[RxPageTableClient] = rx_page_line_valid[0];
    assign m_line_request_valid[RxPagePoolClient]  = rx_page_line_valid[1];
    assign rx_page_line_ready     = {m_line_request_ready[RxPagePoolClient],
                                     m_line_request_ready[RxPageTableClient]};
    assign rx_page_response_valid = {s_line_response_valid[RxPagePoolClient],
                                     s_line_response_valid[RxPageTableClient]};
    if (!Paged) begin : gen_no_tx_clients
      assign m_line_request[PageTableClient]       = '0;
      assign m_line_request[PagePoolClient]        = '0;
      assign m_line_request_valid[PageTableClient] = 1'b0;
      assign m_line_request_valid[PagePoolClient]  = 1'b0;
    end
  end else begin : gen_no_rx_page_lines
    logic unused_page_lines;
    assign unused_page_lines = &{1'b0, rx_page_line, rx_page_line_valid};

    assign rx_page_line_ready     = '0;
    assign rx_page_response_valid = '0;
  end

  if (RxPaged && (Config.RxRingsInDram == 0 || Config.StateInDram == 0)) begin : gen_check_rx_paged
    $error("RxPageBytes needs RxRingsInDram, and StateInDram for the table of pages.");
  end
  if (RxPaged && CutThrough) begin : gen_check_rx_direct
    $error("RxPageBytes and CutThrough do not go together: what goes straight has no page kept.");
  end

  receive_buffer #(
    .DataWidth  (DataWidth),
    .Connections(Connections),
    .RingBytes  (Config.RxRingBytes),
    .InDram     (Config.RxRingsInDram),
    .BaseMiB    (TxRingsMiB),
    .Offers     (Deliveries),
    .PageBytes  (Config.RxPageBytes),
    .Pages      (Config.RxPages)
  ) receive_buffer (
    .clk,
    .rst,
    .s_command      (rx_packet_entry.command),
    .s_command_id   (rx_packet_entry.id),
    .s_command_valid(rx_packet_valid),
    .s_command_ready(rx_packet_ready),
    .s_payload_data (stored_data),
    .s_payload_keep (stored_keep),
    .s_payload_last (stored_last),
    .s_payload_valid(stored_valid),
    .s_payload_ready(stored_ready),
    .m_query        (ring_query),
    .m_query_valid  (ring_query_valid),
    .m_query_ready  (ring_query_ready),
    .s_grant_length (s_app_grant_length),
    .s_grant_valid  (ring_grant_valid),
    .s_grant_ready  (ring_grant_ready),
    .m_app_app      (ring_app),
    .m_app_session  (ring_session),
    .m_app_data     (ring_out_data),
    .m_app_keep     (ring_out_keep),
    .m_app_last     (ring_out_last),
    .m_app_valid    (ring_out_valid),
    .m_app_ready    (ring_out_ready),
    .m_delivered_id        (delivered_id),
    .m_delivered_generation(delivered_session.generation),
    .m_delivered_length    (delivered_length),
    .m_delivered_valid     (delivered_valid),
    .m_delivered_ready     (delivered_ready),
    .page_freed_o     (rx_page_freed),
    .m_page_line      (rx_page_line),
    .m_page_line_valid(rx_page_line_valid),
    .m_page_line_ready(rx_page_line_ready),
    .s_page_line      (s_line_response),
    .s_page_line_valid(rx_page_response_valid),
    .m_ring_read_burst(m_read_burst[1]),
    .m_ring_read_valid(m_read_burst_valid[1]),
    .m_ring_read_ready(m_read_burst_ready[1]),
    .s_ring_data(s_read_data),
    .s_ring_valid(s_read_valid[1]),
    .m_ring_write_burst(m_write_burst[1]),
    .m_ring_write_valid(m_write_burst_valid[1]),
    .m_ring_write_ready(m_write_burst_ready[1]),
    .m_ring_data(m_write_data[1]),
    .m_ring_strobe(m_write_strobe[1]),
    .m_ring_last(m_write_last[1]),
    .m_ring_valid(m_write_valid[1]),
    .m_ring_ready(m_write_ready[1]),
    .ring_written_i(written_i[1])
  );

  // ---------------------------------------------------------------- straight to the application

  if (CutThrough) begin : gen_cut_through
    direct_receive #(
      .DataWidth  (DataWidth),
      .Connections(Connections),
      .MaxBytes   (max_segment(Config)),
      .QueueBytes (FifoBytes),
      .Queries    (Deliveries)
    ) direct_receive (
      .clk,
      .rst,
      .beat_i            (s_valid && s_ready),
      .data_i            (s_data),
      .keep_i            (s_keep),
      .last_i            (s_last),
      .ip_i              (s_ip),
      .hold_o            (peek_hold),
      .peek_tuple_o      (peek_tuple),
      .peek_hit_i        (peek_hit),
      .peek_id_i         (peek_id),
      .s_tap_data        (tap_data),
      .s_tap_keep        (tap_keep),
      .s_tap_last        (tap_last),
      .s_tap_valid       (tap_valid),
      .s_tap_ready       (tap_ready),
      .kind_payload_i    (kind_payload),
      .kind_valid_i      (kind_valid),
      .ended_bad_i       (ended_bad),
      .ended_i           (ended),
      .summed_good_i     (summed_good),
      .summed_i          (summed),
      .m_direct          (direct),
      .m_direct_valid    (direct_valid),
      .m_direct_ready    (direct_taken),
      .write_enable_i    (write_enable),
      .write_id_i        (write_id),
      .write_connection_i(write_connection),
      .committed_i       (actions_valid && actions_segment),
      .s_event_queued    (actions.app_event),
      .event_queued_i    (actions.event_valid),
      .s_event           (merged_event),
      .s_event_valid     (merged_event_valid),
      .s_event_ready     (merged_event_ready),
      .m_event           (m_app_event),
      .m_event_valid     (m_app_event_valid),
      .m_event_ready     (m_app_event_ready),
      .s_ring_query      (ring_query),
      .s_ring_query_valid(ring_query_valid),
      .s_ring_query_ready(ring_query_ready),
      .ring_grant_valid_o(ring_grant_valid),
      .ring_grant_ready_i(ring_grant_ready),
      .m_query           (m_app_query),
      .m_query_valid     (m_app_query_valid),
      .m_query_ready     (m_app_query_ready),
      .s_grant_length    (s_app_grant_length),
      .s_grant_valid     (s_app_grant_valid),
      .s_grant_ready     (s_app_grant_ready),
      .s_ring_data       (ring_out_data),
      .s_ring_keep       (ring_out_keep),
      .s_ring_last       (ring_out_last),
      .s_ring_valid      (ring_out_valid),
      .s_ring_ready      (ring_out_ready),
      .m_app_app         (m_app_rx_app),
      .m_app_session     (m_app_rx_session),
      .m_app_data        (m_app_rx_data),
      .m_app_keep        (m_app_rx_keep),
      .m_app_last        (m_app_rx_last),
      .m_app_error       (m_app_rx_error),
      .m_app_valid       (m_app_rx_valid),
      .m_app_ready       (m_app_rx_ready)
    );

    logic unused_ring;
    assign unused_ring = &{1'b0, ring_app, ring_session};
  end else begin : gen_store_and_forward
    logic unused_tap;
    assign unused_tap = &{1'b0, tap_data, tap_keep, tap_last, tap_valid, kind_payload, kind_valid,
                          ended_bad, ended, summed_good, summed, direct_taken, peek_hit, peek_id,
                          actions_segment};

    assign peek_hold          = 1'b0;
    assign peek_tuple         = '0;
    assign tap_ready          = 1'b1;
    assign direct             = 1'b0;
    assign direct_valid       = 1'b1;
    assign m_app_event        = merged_event;
    assign m_app_event_valid  = merged_event_valid;
    assign merged_event_ready = m_app_event_ready;
    assign m_app_query        = ring_query;
    assign m_app_query_valid  = ring_query_valid;
    assign ring_query_ready   = m_app_query_ready;
    assign ring_grant_valid   = s_app_grant_valid;
    assign s_app_grant_ready  = ring_grant_ready;
    assign m_app_rx_app       = ring_app;
    assign m_app_rx_session   = ring_session;
    assign m_app_rx_data      = ring_out_data;
    assign m_app_rx_keep      = ring_out_keep;
    assign m_app_rx_last      = ring_out_last;
    assign m_app_rx_error     = 1'b0;
    assign m_app_rx_valid     = ring_out_valid;
    assign ring_out_ready     = m_app_rx_ready;
  end

  // Where payload of the application goes. What is sent while it comes must not wait.
  localparam int WriteBits = $bits(session_t) + 32 + 16 + 2;

  session_t announced_session;
  seq_t announced_seq;
  logic [15:0] announced_length;
  logic announced_early, announced_there, announced_valid, announced_ready;

  stream_stage #(
    .T     (logic [WriteBits-1:0]),
    .Places(Registers && Config.TransmitWindow == 0 ? 1 : 0)
  ) write_stage (
    .clk,
    .rst,
    .s_data ({write_session, write_seq, write_length, write_early, write_there}),
    .s_valid(write_valid),
    .s_ready(write_ready),
    .m_data ({
      announced_session, announced_seq, announced_length, announced_early, announced_there
    }),
    .m_valid(announced_valid),
    .m_ready(announced_ready)
  );

  logic read_ring_valid, read_ring_ready, read_ring_taken;
  logic [DataWidth-1:0] ring_data;
  logic [Lanes-1:0] ring_keep;
  logic ring_last, ring_valid, ring_ready;

  assign read_ring_ready = read_ring_taken && !read_waits;

  // Of the table of pages, of the pool, and who waits for some.
  line_request_t [1:0] page_line;
  logic [1:0] page_line_valid, page_line_ready, page_response_valid;

  if (Paged) begin : gen_page_lines
    page_waiters #(
      .Connections(Connections),
      .Slack      (InFlight + 2)
    ) waiters (
      .clk,
      .rst,
      .init_done_o (waiters_done),
      .push_id     (actions_id),
      .push_valid  (actions.push_pages),
      .room_o      (waiters_room),
      .pages_free_i(pages_free != '0),
      .page_freed_i(page_freed),
      .m_id        (pages_id),
      .m_valid     (pages_valid),
      .m_ready     (pages_ready),
      .m_line      (m_line_request[PageWaitClient]),
      .m_line_valid(m_line_request_valid[PageWaitClient]),
      .m_line_ready(m_line_request_ready[PageWaitClient]),
      .s_line      (s_line_response),
      .s_line_valid(s_line_response_valid[PageWaitClient])
    );

    assign m_line_request[PageTableClient]       = page_line[0];
    assign m_line_request[PagePoolClient]        = page_line[1];
    assign m_line_request_valid[PageTableClient] = page_line_valid[0];
    assign m_line_request_valid[PagePoolClient]  = page_line_valid[1];
    assign page_line_ready     = {m_line_request_ready[PagePoolClient],
                                  m_line_request_ready[PageTableClient]};
    assign page_response_valid = {s_line_response_valid[PagePoolClient],
                                  s_line_response_valid[PageTableClient]};
  end else begin : gen_no_page_lines
    logic unused_page_lines;
    assign unused_page_lines = &{1'b0, page_line, page_line_valid, pages_ready, actions.push_pages};

    assign page_line_ready     = '0;
    assign page_response_valid = '0;
    assign waiters_done        = 1'b1;
    assign waiters_room        = 1'b1;
    assign pages_id            = '0;
    assign pages_valid         = 1'b0;
  end

  if (Paged && (Config.TxRingsInDram == 0 || Config.StateInDram == 0)) begin : gen_check_paged
    $error("TxPageBytes needs TxRingsInDram, and StateInDram for the table of pages.");
  end
  if (Paged && transmit_room(Config) < max_segment(Config)) begin : gen_check_page_room
    $error("TxRingBytes less a page must hold a segment of the largest size (Mtu - 40).");
  end

  transmit_buffer #(
    .DataWidth  (DataWidth),
    .Connections(Connections),
    .RingBytes  (Config.TxRingBytes),
    .InDram     (Config.TxRingsInDram),
    .Messages   (Config.TransmitWindow),
    .Packets    (TxPackets),
    .PageBytes  (Config.TxPageBytes),
    .Pages      (Config.TxPages),
    .FreeSlack  (InFlight + 2)
  ) transmit_buffer (
    .clk,
    .rst,
    .s_write_id       (id_t'(announced_session.id)),
    .s_write_session  (announced_session),
    .s_write_seq      (announced_seq),
    .s_write_length   (announced_length),
    .s_write_early    (announced_early),
    .s_write_there    (announced_there),
    .s_write_valid    (announced_valid),
    .s_write_ready    (announced_ready),
    .s_data           (s_app_tx_data),
    .s_keep           (s_app_tx_keep),
    .s_last           (s_app_tx_last),
    .s_error          (s_app_tx_error),
    .s_valid          (s_app_tx_valid),
    .s_ready          (s_app_tx_ready),
    .m_written_id     (),
    .m_written_session(tx_written_session),
    .m_written_length (tx_written_length),
    .m_written_valid  (tx_written_valid),
    .m_written_ready  (tx_written_ready),
    .s_read_id        (read_ring_id),
    .s_read_seq       (read_ring_seq),
    .s_read_length    (read_ring_length),
    .s_read_valid     (read_ring_valid && !read_waits),
    .s_read_ready     (read_ring_taken),
    .m_read_data      (ring_data),
    .m_read_keep      (ring_keep),
    .m_read_last      (ring_last),
    .m_read_valid     (ring_valid),
    .m_read_ready     (ring_ready),
    .release_id_i     (release_id),
    .release_i        (release_valid && release_ready),
    .free_id_i        (actions_id),
    .free_range_i     (actions.freed),
    .free_i           (Paged && actions_valid),
    .read_begun_i     (actions.tx_valid && actions.tx.kind == TxSegment
                       && actions.tx.payload_length != '0),
    .read_done_i      (m_checksum_valid && m_checksum_ready),
    .free_room_o      (frees_room),
    .page_freed_o     (page_freed),
    .m_page_line      (page_line),
    .m_page_line_valid(page_line_valid),
    .m_page_line_ready(page_line_ready),
    .s_page_line      (s_line_response),
    .s_page_line_valid(page_response_valid),
    .m_ring_read_burst(m_read_burst[0]),
    .m_ring_read_valid(m_read_burst_valid[0]),
    .m_ring_read_ready(m_read_burst_ready[0]),
    .s_ring_data(s_read_data),
    .s_ring_valid(s_read_valid[0]),
    .m_ring_write_burst(m_write_burst[0]),
    .m_ring_write_valid(m_write_burst_valid[0]),
    .m_ring_write_ready(m_write_burst_ready[0]),
    .m_ring_data(m_write_data[0]),
    .m_ring_strobe(m_write_strobe[0]),
    .m_ring_last(m_write_last[0]),
    .m_ring_valid(m_write_valid[0]),
    .m_ring_ready(m_write_ready[0]),
    .ring_written_i(written_i[0])
  );

  logic count_segments_out;

  if (Registers) begin : gen_release_register
    stream_register #(
      .T   (id_t),
      .Half(1'b1)
    ) release_register (
      .clk,
      .rst,
      .s_data (built_release_id),
      .s_valid(built_release_valid),
      .s_ready(built_release_ready),
      .m_data (release_id),
      .m_valid(release_valid),
      .m_ready(release_ready)
    );
  end else begin : gen_no_release_register
    assign release_id          = built_release_id;
    assign release_valid       = built_release_valid;
    assign built_release_ready = release_ready;
  end

  segment_builder #(
    .DataWidth       (DataWidth),
    .Connections     (Connections),
    .PayloadFifoBeats(FifoBytes / Lanes),
    .Half            (OneEvent)
  ) segment_builder (
    .clk,
    .rst,
    .ip_i           (settings_i.ip_address),
    .s_command      (unfold_tx(tx_entry.command)),
    .s_command_id   (tx_entry.id),
    .s_command_valid(tx_valid),
    .s_command_ready(tx_ready),
    .m_read_id      (read_ring_id),
    .m_read_seq     (read_ring_seq),
    .m_read_length  (read_ring_length),
    .m_read_valid   (read_ring_valid),
    .m_read_ready   (read_ring_ready),
    .s_read_data    (ring_data),
    .s_read_keep    (ring_keep),
    .s_read_last    (ring_last),
    .s_read_valid   (ring_valid),
    .s_read_ready   (ring_ready),
    .m_release_id   (built_release_id),
    .m_release_valid(built_release_valid),
    .m_release_ready(built_release_ready),
    .m_status       (late_now.status),
    .m_status_id    (),
    .m_status_write_seq(late_now.write_seq),
    .m_status_write_there(late_now.write_there),
    .m_status_valid (late_valid_now),
    .m_status_ready (1'b1),
    .m_ip_packet,
    .m_ip_packet_valid(m_ip_valid),
    .m_ip_packet_ready(m_ip_ready),
    .m_payload_data,
    .m_payload_keep,
    .m_payload_last,
    .m_payload_valid,
    .m_payload_ready,
    .m_checksum,
    .m_checksum_valid,
    .m_checksum_ready,
    .count_tcp_segments_out_o(count_segments_out)
  );

  // ---------------------------------------------------------------- statistics

  state_gauges #(
    .Width(IdWidth + 1)
  ) gauges (
    .clk,
    .rst,
    .valid_i (actions_valid),
    .before_i(state_before),
    .after_i (state_after),
    .count_o (states)
  );

  always_comb begin
    for (int state = 0; state < TcpStates; state++) gauges_o[state] = GaugeWidth'(states[state]);
    gauges_o[GaugeListen]       = GaugeWidth'(listen_ports);
    gauges_o[GaugeParked]       = GaugeWidth'(parked);
    gauges_o[GaugeParkedMost]   = GaugeWidth'(parked_most);
    gauges_o[GaugeLinesMost]    = GaugeWidth'(lines_most);
    gauges_o[GaugeStash]        = GaugeWidth'(index_stash);
    gauges_o[GaugeRxPagesFree]  = rx_pages_free;
    gauges_o[GaugeRxPagesLeast] = rx_pages_least;
    gauges_o[GaugeTxPagesFree]  = GaugeWidth'(pages_free);
    gauges_o[GaugeTxPagesLeast] = GaugeWidth'(pages_least);
  end

  always_comb begin
    counters_o = '0;
    counters_o.tcp_segments_in = count_segments_in;
    counters_o.tcp_segments_out = count_segments_out;
    counters_o.drop_tcp_checksum = count_checksum;
    counters_o.drop_tcp_header = count_header;
    counters_o.index_hits = index_counts.hit;
    counters_o.index_misses = index_counts.miss;
    counters_o.index_reads = index_counts.read;
    counters_o.index_second_reads = index_counts.second_read;
    counters_o.index_kicks = index_counts.kick;
    counters_o.index_refused = index_counts.refused;
    // The first level of three, where there are three.
    counters_o.state_forwarded = forwarded && Config.StateCacheEntries != 0;
    counters_o.state_hits = cache_counts.hit;
    counters_o.state_misses = cache_counts.miss;
    counters_o.state_merged = cache_counts.merged;
    counters_o.state_reads = cache_counts.fetch;
    counters_o.state_lines_read = cache_counts.line;
    counters_o.state_write_backs = cache_counts.write_back;
    counters_o.state_forgotten = cache_counts.forgotten;
    if (actions_valid) begin
      counters_o.drop_tcp_no_connection = actions.counts.no_connection;
      counters_o.drop_tcp_no_room = actions.counts.no_room;
      counters_o.drop_tcp_out_of_window = actions.counts.out_of_window;
      counters_o.drop_tcp_out_of_order = actions.counts.out_of_order;
      counters_o.drop_tcp_duplicate = actions.counts.duplicate;
      counters_o.drop_tcp_bad_ack = actions.counts.bad_ack;
      counters_o.drop_tcp_no_ack = actions.counts.no_ack;
      counters_o.drop_tcp_syn = actions.counts.syn;
      counters_o.drop_tcp_closed = actions.counts.closed;
      counters_o.tcp_resets_in = actions.counts.resets_in;
      counters_o.tcp_resets_out = actions.counts.resets_out;
      counters_o.tcp_retransmit_timeouts = actions.counts.retransmit_timeouts;
      counters_o.tcp_fast_retransmits = actions.counts.fast_retransmits;
      counters_o.tcp_retransmitted_segments = actions.counts.retransmitted_segments;
      counters_o.tcp_window_probes = actions.counts.window_probes;
      counters_o.drop_tcp_timestamp = actions.counts.timestamp;
      counters_o.drop_tcp_no_page = actions.counts.no_page;
      counters_o.tcp_keepalive_probes = actions.counts.keepalive_probes;
      counters_o.tcp_challenge_acks = actions.counts.challenge_acks;
      counters_o.tcp_delayed_acks = actions.counts.delayed_acks;
      counters_o.tcp_stored_segments = actions.counts.stored;
      counters_o.tcp_sack_blocks_in = actions.counts.sacked;
      counters_o.tcp_accepted = actions.counts.accepted;
      counters_o.tcp_opened = actions.counts.opened;
      counters_o.tcp_closed = actions.counts.closed_connections;
      counters_o.tcp_reset = actions.counts.reset_connections;
      counters_o.tcp_timed_out = actions.counts.timed_out;
      counters_o.tcp_half_open_dropped = actions.counts.half_open_dropped;
      counters_o.page_refused = actions.counts.page_refused;
      counters_o.icmp_errors_in = actions.counts.icmp_errors;
      counters_o.drop_icmp_stale = actions.counts.icmp_stale;
      counters_o.tcp_bytes_in = actions.bytes_in;
      counters_o.tcp_bytes_out = actions.bytes_out;
    end
  end

endmodule
