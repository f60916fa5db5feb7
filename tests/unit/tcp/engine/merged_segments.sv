// SPDX-License-Identifier: Apache-2.0

// segment_merge, a register behind it as in event_arbiter, and write_splitter, with the fields that
// matter, for their tests.
module merged_segments
  import net_headers_pkg::*;
  import seq_pkg::*;
  import tcp_pkg::*;
#(
  parameter int MaxBytes  = 40,
  parameter int MaxPieces = 15
) (
  input  logic        clk,
  input  logic        rst,

  input  logic [ 3:0] s_kind,
  input  logic        s_hit,
  input  logic [ 1:0] s_id,
  input  seq_t        s_seq,
  input  seq_t        s_ack,
  input  tcp_flags_t  s_flags,
  input  logic [15:0] s_window,
  input  logic [15:0] s_length,
  input  logic [31:0] s_stamp,
  input  logic        s_valid,
  output logic        s_ready,

  output logic [ 3:0] m_kind,
  output logic        m_hit,
  output logic [ 1:0] m_id,
  output seq_t        m_seq,
  output seq_t        m_ack,
  output tcp_flags_t  m_flags,
  output logic [15:0] m_window,
  output logic [15:0] m_length,
  output logic [31:0] m_stamp,
  output seq_t        m_end,
  output logic        m_valid,
  input  logic        m_ready,

  input  logic [ 1:0] s_command_kind,
  input  seq_t        s_command_seq,
  input  logic [15:0] s_command_skip,
  input  logic [15:0] s_command_length,
  input  logic [ 1:0] s_command_id,
  input  logic        s_command_valid,
  output logic        s_command_ready,

  output logic [ 1:0] m_command_kind,
  output seq_t        m_command_seq,
  output logic [15:0] m_command_skip,
  output logic [15:0] m_command_length,
  output logic [ 1:0] m_command_id,
  output logic        m_command_valid,
  input  logic        m_command_ready
);

  typedef struct packed {
    logic [1:0] id;
    tcp_event_t ev;
  } entry_t;

  // What the tests do not look at.
  // verilator lint_off UNUSEDSIGNAL
  entry_t merged, out;
  rx_command_t m_command;
  // verilator lint_on UNUSEDSIGNAL
  tcp_event_t s_event;
  rx_command_t s_command;
  logic merged_valid, merged_ready;
  logic [15:0] piece_length;
  logic piece_last, piece_valid, piece_ready;

  always_comb begin
    s_event = '0;
    s_event.kind = tcp_event_e'(s_kind);
    s_event.lookup = s_hit ? LookupHit : LookupMiss;
    s_event.segment.seq = s_seq;
    s_event.segment.ack = s_ack;
    s_event.segment.flags = s_flags;
    s_event.segment.window = s_window;
    s_event.segment.payload_length = s_length;
    s_event.segment.options.has_timestamps = 1'b1;
    s_event.segment.options.ts_value = s_stamp;
    s_event.segment_end = s_seq + 32'(s_length) + 32'(s_flags.syn) + 32'(s_flags.fin);
  end

  segment_merge #(
    .Connections(4),
    .MaxBytes   (MaxBytes),
    .MaxPieces  (MaxPieces)
  ) merge (
    .clk,
    .rst,
    .s_event,
    .s_id,
    .s_valid,
    .s_ready,
    .m_event       (merged.ev),
    .m_id          (merged.id),
    .m_valid       (merged_valid),
    .m_ready       (merged_ready),
    .m_piece_length(piece_length),
    .m_piece_last  (piece_last),
    .m_piece_valid (piece_valid),
    .m_piece_ready (piece_ready)
  );

  stream_register #(
    .T   (entry_t),
    .Wide(1'b1)
  ) event_register (
    .clk,
    .rst,
    .s_data (merged),
    .s_valid(merged_valid),
    .s_ready(merged_ready),
    .m_data (out),
    .m_valid,
    .m_ready
  );

  assign m_kind   = out.ev.kind;
  assign m_hit    = out.ev.lookup == LookupHit;
  assign m_id     = out.id;
  assign m_seq    = out.ev.segment.seq;
  assign m_ack    = out.ev.segment.ack;
  assign m_flags  = out.ev.segment.flags;
  assign m_window = out.ev.segment.window;
  assign m_length = out.ev.segment.payload_length;
  assign m_stamp  = out.ev.segment.options.ts_value;
  assign m_end    = out.ev.segment_end;

  always_comb begin
    s_command = '0;
    s_command.kind = rx_kind_e'(s_command_kind);
    s_command.seq = s_command_seq;
    s_command.skip = s_command_skip;
    s_command.length = s_command_length;
  end

  write_splitter #(
    .Connections(4),
    .Pieces     (16)
  ) splitter (
    .clk,
    .rst,
    .s_piece_length(piece_length),
    .s_piece_last  (piece_last),
    .s_piece_valid (piece_valid),
    .s_piece_ready (piece_ready),
    .s_command,
    .s_id          (s_command_id),
    .s_valid       (s_command_valid),
    .s_ready       (s_command_ready),
    .m_command,
    .m_id          (m_command_id),
    .m_valid       (m_command_valid),
    .m_ready       (m_command_ready)
  );

  assign m_command_kind   = m_command.kind;
  assign m_command_seq    = m_command.seq;
  assign m_command_skip   = m_command.skip;
  assign m_command_length = m_command.length;

endmodule
