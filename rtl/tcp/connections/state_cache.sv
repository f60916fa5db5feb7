// SPDX-License-Identifier: Apache-2.0

// Connection state in two levels: a set-associative cache on chip for Entries connections, and lines
// in DRAM for all Connections. Stands between the event arbiter and the connection pipeline, and is
// the pipeline's memory.
//
//   s --> state_lookup --hit--------------> +---> [ two places ] --> m, to the pipeline
//              | miss                       |
//              +--> state_misses --replay---+          pipeline's reads and writes --> state RAM
//              |                                                                          ^ |
//              +--> state_mover <-- lines in DRAM --> ------------------ fill, vacate ----+-+
//
// To the pipeline it is one memory: every event finds its connection's state as the event before it
// left it. Events of one connection stay in order, those of different ones do not.
//
// Latency    4 clocks from s to m for a hit; for a miss, what memory takes and 18 clocks more.
// Throughput one event a clock while they hit. A miss costs 5 clocks in which no event passes, one
//            for its victim and one for its replay. Misses of different connections overlap.
// Reads      the pipeline reads what m offers in the clock in which it takes it (read_enable_i); the
//            state comes 2 clocks later. CommitLatency clocks after it took an event it may write.
// Lines      as state_codec_pkg has them, from line 0 of the client's memory on.
module state_cache
  import tcp_pkg::*;
  import line_memory_pkg::*;
  import toe_config_pkg::*;
#(
  parameter  int Connections   = 64,
  parameter  int Entries       = 16,
  parameter  int Ways          = 4,
  parameter  int Policy        = int'(PolicyHeat),  // of cache_policy_e
  parameter  int Misses        = 16,
  parameter  int Parked        = 64,
  parameter  int CommitLatency = 6,
  localparam int IdWidth       = $clog2(Connections)
) (
  input  logic               clk,
  input  logic               rst,
  output logic               init_done_o,

  input  tcp_event_t         s_event,
  input  logic [IdWidth-1:0] s_id,
  input  logic               s_valid,
  output logic               s_ready,

  output tcp_event_t         m_event,
  output logic [IdWidth-1:0] m_id,
  output logic               m_valid,
  input  logic               m_ready,

  input  logic               read_enable_i,
  output connection_t        read_connection_o,
  input  logic               write_enable_i,
  input  connection_t        write_connection_i,

  output line_request_t      m_request,
  output logic               m_request_valid,
  input  logic               m_request_ready,
  input  line_response_t     s_response,
  input  logic               s_response_valid,

  output cache_counts_t      counts_o,
  output logic [15:0]        parked_o,       // events that wait for a state now
  output logic [15:0]        parked_most_o,  // and at most since reset
  output logic [15:0]        lines_most_o    // lines that a miss has read, at most
);

  if (!state_codec_pkg::ExtensionFits) begin : gen_check_gaps
    $error("TOEHOLD_GAPS is too large for state in DRAM: its line has room for 4 gaps each way.");
  end

  localparam int SlotWidth = $clog2(Entries);
  localparam int MissWidth = $clog2(Misses);
  // Events that may still write: in the two places before the pipeline, and in it.
  localparam int Live = CommitLatency + 3;
  localparam int LiveWidth = $clog2(Live + 1);

  typedef logic [SlotWidth-1:0] slot_t;

  typedef struct packed {
    tcp_event_t         ev;
    logic [IdWidth-1:0] id;
    slot_t              slot;
    logic               named;
  } entry_t;

  typedef struct packed {
    logic        changed;
    connection_t connection;
  } word_t;

  logic lookup_done, mover_done;
  assign init_done_o = lookup_done && mover_done;

  // ---------------------------------------------------------------- lookup

  entry_t found, replayed, next, offered;
  logic found_valid, found_ready, replayed_valid, next_valid, next_ready, offered_valid;
  logic [IdWidth-1:0] match_id, victim_id;
  logic [Misses-1:0] match, parking, busy, park_match;
  logic [Misses-1:0][SlotWidth-1:0] busy_slot;
  logic [Misses-1:0][IdWidth-1:0] busy_id;
  slot_t live_slot, begin_slot;
  logic live, park_valid, park_ready, begin_valid, victim_valid;
  logic misses_ready, mover_ready, hit, lookup_ready;
  logic [MissWidth-1:0] begin_miss;

  assign s_ready = lookup_ready && mover_done;

  state_lookup #(
    .Connections(Connections),
    .Entries    (Entries),
    .Ways       (Ways),
    .Policy     (Policy),
    .Misses     (Misses)
  ) lookup (
    .clk,
    .rst,
    .init_done_o   (lookup_done),
    .s_event,
    .s_id,
    .s_valid       (s_valid && mover_done),
    .s_ready       (lookup_ready),
    .m_event       (found.ev),
    .m_id          (found.id),
    .m_slot        (found.slot),
    .m_named       (found.named),
    .m_valid       (found_valid),
    .m_ready       (found_ready),
    .match_id_o    (match_id),
    .match_i       (match),
    .parking_i     (parking),
    .busy_i        (busy),
    .busy_slot_i   (busy_slot),
    .live_slot_o   (live_slot),
    .live_i        (live),
    .park_match_o  (park_match),
    .park_valid_o  (park_valid),
    .begin_valid_o (begin_valid),
    .begin_slot_o  (begin_slot),
    .victim_id_o   (victim_id),
    .victim_valid_o(victim_valid),
    .park_ready_i  (park_ready),
    .begin_ready_i (misses_ready && mover_ready),
    .hit_o         (hit)
  );

  // ---------------------------------------------------------------- misses

  logic [Misses-1:0] filled, settled;
  logic [$clog2(Parked):0] parked;

  state_misses #(
    .Connections(Connections),
    .Entries    (Entries),
    .Misses     (Misses),
    .Parked     (Parked)
  ) misses (
    .clk,
    .rst,
    .park_event_i (found.ev),
    .park_match_i (park_match),
    .park_valid_i (park_valid),
    .begin_valid_i(begin_valid),
    .begin_id_i   (found.id),
    .begin_slot_i (begin_slot),
    .begin_miss_o (begin_miss),
    .park_ready_o (park_ready),
    .begin_ready_o(misses_ready),
    .match_id_i   (match_id),
    .match_o      (match),
    .parking_o    (parking),
    .busy_o       (busy),
    .slot_o       (busy_slot),
    .id_o         (busy_id),
    .filled_i     (filled),
    .settled_i    (settled),
    .m_event      (replayed.ev),
    .m_id         (replayed.id),
    .m_slot       (replayed.slot),
    .m_valid      (replayed_valid),
    .m_ready      (next_ready),
    .parked_o     (parked)
  );

  assign replayed.named = 1'b1;
  assign parked_o = 16'(parked);

  // ---------------------------------------------------------------- to the pipeline

  // What waited goes first.
  assign next = replayed_valid ? replayed : found;
  assign next_valid = replayed_valid || found_valid;
  assign found_ready = next_ready && !replayed_valid;

  stream_register #(
    .T   (entry_t),
    .Wide(1'b1)
  ) output_register (
    .clk,
    .rst,
    .s_data (next),
    .s_valid(next_valid),
    .s_ready(next_ready),
    .m_data (offered),
    .m_valid(offered_valid),
    .m_ready(m_ready && m_valid)
  );

  // A clock in which the pipeline takes nothing: the state RAM's read port is the mover's now, or its
  // write port will be CommitLatency from now.
  logic vacate, pause;

  assign m_event = offered.ev;
  assign m_id = offered.id;
  assign m_valid = offered_valid && !vacate && !pause;

  // Which slot the pipeline's event of so many clocks ago has.
  slot_t slot_q[CommitLatency];
  logic [CommitLatency-1:0] named_q;

  always_ff @(posedge clk) begin
    slot_q[0] <= offered.slot;
    for (int i = 1; i < CommitLatency; i++) slot_q[i] <= slot_q[i-1];
    named_q <= {named_q[CommitLatency-2:0], read_enable_i && offered.named};

    if (rst) named_q <= '0;
  end

  // The slots of the latest events, and how many of them may still be written.
  slot_t recent_q[Live];
  logic [LiveWidth-1:0] live_q;
  logic enters;

  assign enters = next_valid && next_ready && next.named;

  always_comb begin
    live = 1'b0;
    for (int i = 0; i < Live; i++) begin
      if (LiveWidth'(i) < live_q && recent_q[i] == live_slot) live = 1'b1;
    end
  end

  always_ff @(posedge clk) begin
    if (enters) begin
      recent_q[0] <= next.slot;
      for (int i = 1; i < Live; i++) recent_q[i] <= recent_q[i-1];
    end
    live_q <= live_q + LiveWidth'(enters) - LiveWidth'(named_q[CommitLatency-1]);

    if (rst) live_q <= '0;
  end

  // ---------------------------------------------------------------- state on chip

  slot_t vacate_slot;
  word_t read, filling;
  logic [MissWidth-1:0] fill_miss;
  logic fill, fill_now, paused_q, fetch, line, write_back, forgotten;

  assign fill_now = fill && !write_enable_i;
  // The port is busy: it will be free after a pause, so one is enough.
  assign pause = fill && write_enable_i && !paused_q;

  always_ff @(posedge clk) begin
    paused_q <= fill && !fill_now;

    if (rst) paused_q <= 1'b0;
  end

  ram_simple_dual_port #(
    .Width      ($bits(word_t)),
    .Depth      (Entries),
    .ReadLatency(2)
  ) states (
    .clk,
    .write_enable_i (write_enable_i || fill),
    .write_address_i(write_enable_i ? slot_q[CommitLatency-1] : busy_slot[fill_miss]),
    .write_data_i   (write_enable_i ? word_t'{changed: 1'b1, connection: write_connection_i}
                                    : filling),
    .read_enable_i  (read_enable_i || vacate),
    .read_address_i (vacate ? vacate_slot : offered.slot),
    .read_data_o    (read)
  );

  assign read_connection_o = read.connection;
  assign filling.changed = 1'b0;

  always_comb begin
    filled = '0;
    filled[fill_miss] = fill_now;
  end

  state_mover #(
    .Connections(Connections),
    .Entries    (Entries),
    .Misses     (Misses)
  ) mover (
    .clk,
    .rst,
    .init_done_o        (mover_done),
    .begin_miss_i       (begin_miss),
    .begin_id_i         (found.id),
    .begin_slot_i       (begin_slot),
    .victim_id_i        (victim_id),
    .victim_valid_i     (victim_valid),
    .begin_valid_i      (begin_valid),
    .begin_ready_o      (mover_ready),
    .id_i               (busy_id),
    .vacate_valid_o     (vacate),
    .vacate_slot_o      (vacate_slot),
    .vacate_connection_i(read.connection),
    .vacate_changed_i   (read.changed),
    .fill_miss_o        (fill_miss),
    .fill_connection_o  (filling.connection),
    .fill_valid_o       (fill),
    .fill_ready_i       (fill_now),
    .settled_o          (settled),
    .m_request,
    .m_request_valid,
    .m_request_ready,
    .s_response,
    .s_response_valid,
    .fetch_o            (fetch),
    .line_o             (line),
    .write_back_o       (write_back),
    .forgotten_o        (forgotten)
  );

  // ---------------------------------------------------------------- statistics

  logic [15:0] lines_q;

  always_ff @(posedge clk) begin
    if (parked_o > parked_most_o) parked_most_o <= parked_o;
    // A state's lines are asked for one after the other.
    if (fetch) lines_q <= '0;
    else if (line) lines_q <= lines_q + 1'b1;
    if (lines_q > lines_most_o) lines_most_o <= lines_q;

    if (rst) begin
      parked_most_o <= '0;
      lines_most_o  <= '0;
      lines_q       <= '0;
    end
  end

  assign counts_o = '{
          hit: hit,
          miss: begin_valid,
          merged: park_valid,
          fetch: fetch,
          line: line,
          write_back: write_back,
          forgotten: forgotten
      };

endmodule
