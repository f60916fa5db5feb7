// SPDX-License-Identifier: Apache-2.0

// Makes commands for each payload packet of those for whole events, some of which segment_merge has
// made of several segments.
//
//   s_command --------------+--> m_command: RxDeliver as it is, RxWrite and RxDrop once for each piece
//   s_piece ---> [ queue ] -+
//
// A command's pieces come before it, in the order of commands.
//
// Latency    0 clocks.
// Throughput one command a clock.
// Paths      s_command to m_command is a choice of two; s_ready follows m_ready and registers.
module write_splitter
  import seq_pkg::*;
  import tcp_pkg::*;
#(
  parameter  int Connections = 64,
  parameter  int Pieces      = 64,  // that have their place in the queue; more than one command's
  localparam int IdWidth     = $clog2(Connections)
) (
  input  logic               clk,
  input  logic               rst,

  input  logic [       15:0] s_piece_length,
  input  logic               s_piece_last,    // of its command
  input  logic               s_piece_valid,
  output logic               s_piece_ready,

  input  rx_command_t        s_command,
  input  logic [IdWidth-1:0] s_id,
  input  logic               s_valid,
  output logic               s_ready,

  output rx_command_t        m_command,
  output logic [IdWidth-1:0] m_id,
  output logic               m_valid,
  input  logic               m_ready
);

  typedef struct packed {
    logic        last;
    logic [15:0] length;
  } piece_entry_t;

  // What is left of a command behind its first pieces.
  typedef struct packed {
    seq_t        seq;
    logic [15:0] skip;
    logic [15:0] length;
  } rest_t;

  piece_entry_t entry;
  logic entry_valid, entry_taken, is_deliver;
  logic [$clog2(Pieces+1)-1:0] unused_count;
  logic inner_q;  // not the command's first piece
  rest_t rest_q, now;
  logic [15:0] skipped, behind, stored;

  stream_fifo #(
    .T       (piece_entry_t),
    .Depth   (Pieces),
    .BlockRam(0)
  ) piece_queue (
    .clk,
    .rst,
    .s_data ('{last: s_piece_last, length: s_piece_length}),
    .s_valid(s_piece_valid),
    .s_ready(s_piece_ready),
    .m_data (entry),
    .m_valid(entry_valid),
    .m_ready(entry_taken),
    .count_o(unused_count)
  );

  assign is_deliver = s_command.kind == RxDeliver;
  assign now        = inner_q ? rest_q
      : '{seq: s_command.seq, skip: s_command.skip, length: s_command.length};

  // Whoever writes takes of a packet what there is.
  always_comb begin
    m_command        = s_command;
    m_command.seq    = now.seq;
    m_command.skip   = now.skip;
    m_command.length = now.length;
  end

  assign m_id        = s_id;
  assign m_valid     = s_valid && (is_deliver || entry_valid);
  assign entry_taken = m_valid && m_ready && !is_deliver;
  assign s_ready     = m_ready && (is_deliver || (entry_valid && entry.last));

  assign skipped = now.skip < entry.length ? now.skip : entry.length;
  assign behind  = entry.length - skipped;
  assign stored  = now.length < behind ? now.length : behind;

  always_ff @(posedge clk) begin
    if (entry_taken) begin
      inner_q <= !entry.last;
      rest_q  <= '{
          seq: now.seq + 32'(stored),
          skip: now.skip - skipped,
          length: now.length - stored
      };
    end

    if (rst) inner_q <= 1'b0;
  end

endmodule
