// SPDX-License-Identifier: Apache-2.0

// From the tuple of a segment to the id of its connection, for more connections than a chip has room
// for: connection_lookup with the table in far memory.
//
//   s_tuple -> tuple_hash -> tuple_cache --> tuple_slots --> answers, with the tag of their lookup
//                 (3)           (2)             |  ^  ^
//               hit: at once             misses |  |  | inserts, removals, relocation
//                                               v  |  v
//                                      tuple_buckets  tuple_movers
//                                               |        free_ids
//                                            m_line <------ +
//
// The table is one of buckets, a line of five entries each, and a tuple may be in one of two: a lookup
// that misses on chip reads two lines at most, however full the table is. A new tuple is found at
// once, as it has a slot until it has a place. What a slot promises is in tuple_slots.
//
// s_open, m_result, m_id, removals and releases are those of connection_lookup. LookupNoRoom: no id, or
// the table is full and so is the stash; or tuples are coming faster than they find places, and so
// many wait that known connections would suffer.
//
// Latency    7 clocks for a tuple on chip; else those of one or two reads and about 20 more.
// Throughput one lookup a clock on chip; each that misses takes four to six clocks of others.
// Order      of lookups of the same tuple as asked; of others any. Whatever is asked after a removal
//            was taken does not find the tuple.
// Tags       of lookups that are not answered must differ. Answers never wait for each other, for
//            there is room for as many as there are tags.
// Start      after reset on-chip memories are cleared, init_done_o tells when. Far memory is not.
//
// hash_key_i is taken over while there is no connection. It must not be 0.
module tuple_index
  import app_pkg::*;
  import tcp_pkg::*;
  import line_memory_pkg::*;
  import tuple_index_pkg::*;
#(
  parameter  int Connections  = 65536,
  parameter  int Buckets      = Connections / 4,  // a power of two
  parameter  int CacheSets    = 1024,
  parameter  int CacheWays    = 4,
  parameter  int Slots        = 32,  // tuples that it can be busy with; a power of two
  parameter  int StashEntries = 12,
  parameter  int Movers       = 4,   // tuples that find or leave their places at the same time
  parameter  int TagWidth     = 6,
  localparam int IdWidth      = $clog2(Connections),
  localparam int SlotWidth    = $clog2(Slots),
  localparam int MoverWidth   = Movers > 1 ? $clog2(Movers) : 1
) (
  input  logic                clk,
  input  logic                rst,
  output logic                init_done_o,

  input  logic [       127:0] hash_key_i,

  input  tuple_t              s_tuple,
  input  logic                s_open,
  input  logic [TagWidth-1:0] s_tag,
  input  logic                s_valid,
  output logic                s_ready,

  output lookup_e             m_result,
  output logic [ IdWidth-1:0] m_id,
  output logic [TagWidth-1:0] m_tag,
  output logic                m_valid,
  input  logic                m_ready,

  // A tuple that is there, with its id.
  input  tuple_t              s_remove_tuple,
  input  logic [ IdWidth-1:0] s_remove_id,
  input  logic                s_remove_valid,
  output logic                s_remove_ready,

  // Waits for the removals before it.
  input  logic [ IdWidth-1:0] s_release_id,
  input  logic                s_release_valid,
  output logic                s_release_ready,

  output line_request_t       m_line,
  output logic                m_line_valid,
  input  logic                m_line_ready,
  input  line_response_t      s_line,
  input  logic                s_line_valid,

  output logic [   IdWidth:0] free_count_o,  // ids
  output logic [ SlotWidth:0] stash_o,       // tuples without a place
  output index_counts_t       counts_o
);

  localparam int BucketWidth = $clog2(Buckets);
  localparam int SetWidth = $clog2(CacheSets);
  localparam int WayWidth = (CacheWays > 1) ? $clog2(CacheWays) : 1;
  localparam int Stages = 6;  // from acceptance to the slots
  localparam logic [1:0] TagIds = 2'b01;  // on top of a line's tag: the list of ids; no slot has it

  if (Connections < 4 || Connections != 2 ** IdWidth || IdWidth > SessionIdWidth)
  begin : gen_check_connections
    $error("Connections must be a power of two, from 4 on, and ids must fit into a session's.");
  end
  if (Buckets < 2 || Buckets != 2 ** BucketWidth) begin : gen_check_buckets
    $error("Buckets must be a power of two and at least 2.");
  end
  if (SlotWidth > LineTagWidth - 2) begin : gen_check_slots
    $error("Slots must leave two bits of the line memory's tag.");
  end
  if (BucketWidth + SetWidth > 32) begin : gen_check_hash
    $error("Buckets and CacheSets take more bits than the hash has.");
  end

  typedef struct packed {
    index_op_e                 op;
    tuple_t                    tuple;
    logic [SessionIdWidth-1:0] id;
    logic [TagWidth-1:0]       tag;
    logic                      open;
    logic [SlotWidth-1:0]      slot;
  } operation_t;

  // ---- What enters ---------------------------------------------------------------------------------

  logic cache_done, buckets_done;
  logic [Stages-1:0] valid_q, removes_q, fills_q;
  operation_t operation, operation_q[Stages];
  logic slots_busy, entered_q, may_enter, enter;
  logic [SlotWidth:0] free_slots, taken;
  logic lookup_room_q, remove_room_q, victim_room_q;

  tuple_t victim_tuple, fill_tuple;
  logic [SessionIdWidth-1:0] victim_id, fill_id;
  logic [SlotWidth-1:0] fill_slot;
  logic victim_valid, victim_ready, fill_valid, fill_ready;

  assign init_done_o = cache_done && buckets_done;

  // Every other clock is left to the slots' own work when there is some.
  assign may_enter = init_done_o && !(slots_busy && entered_q);

  // Each that enters may need a slot when it comes through. Lookups leave some to the others, which
  // make slots free again; removals leave one to the mover.
  always_comb begin
    taken = '0;
    for (int i = 0; i < Stages; i++) taken += (SlotWidth + 1)'(valid_q[i]);
    taken += (SlotWidth + 1)'(enter);
  end

  always_ff @(posedge clk) begin
    lookup_room_q <= free_slots > taken + 3;
    remove_room_q <= free_slots > taken + 1;
    victim_room_q <= free_slots > taken;
    entered_q     <= enter;

    if (rst) begin
      lookup_room_q <= 1'b0;
      remove_room_q <= 1'b0;
      victim_room_q <= 1'b0;
      entered_q     <= 1'b0;
    end
  end

  // A fill and a removal are never under way together: what one writes the other would not have seen.
  logic remove_wanted;

  assign remove_wanted   = s_remove_valid && remove_room_q && fills_q == '0;
  assign victim_ready    = may_enter && victim_room_q;
  assign fill_ready      = may_enter && !(victim_valid && victim_room_q) && removes_q == '0
      && !(s_remove_valid && remove_room_q);
  assign s_remove_ready  = may_enter && !(victim_valid && victim_room_q) && remove_room_q
      && fills_q == '0;
  assign s_ready         = may_enter && !(victim_valid && victim_room_q) && !remove_wanted
      && !(fill_valid && fill_ready) && lookup_room_q;

  assign enter = (victim_valid && victim_ready) || (fill_valid && fill_ready)
      || (s_remove_valid && s_remove_ready) || (s_valid && s_ready);

  always_comb begin
    operation = '{
        op: OpLookup,
        tuple: s_tuple,
        id: '0,
        tag: s_tag,
        open: s_open,
        slot: fill_slot
    };
    if (victim_valid && victim_ready) begin
      operation.op    = OpVictim;
      operation.tuple = victim_tuple;
      operation.id    = victim_id;
    end else if (s_remove_valid && s_remove_ready) begin
      operation.op    = OpRemove;
      operation.tuple = s_remove_tuple;
      operation.id    = SessionIdWidth'(s_remove_id);
    end else if (fill_valid && fill_ready) begin
      operation.op    = OpFill;
      operation.tuple = fill_tuple;
      operation.id    = fill_id;
    end
  end

  always_ff @(posedge clk) begin
    operation_q[0] <= operation;
    for (int i = 1; i < Stages; i++) operation_q[i] <= operation_q[i-1];
    valid_q   <= {valid_q[Stages-2:0], enter};
    removes_q <= {removes_q[Stages-2:0], enter && operation.op == OpRemove};
    fills_q   <= {fills_q[Stages-2:0], enter && operation.op == OpFill};

    if (rst) begin
      valid_q   <= '0;
      removes_q <= '0;
      fills_q   <= '0;
    end
  end

  // ---- Hash and cache ----------------------------------------------------------------------------------

  logic [127:0] hash_key_q;
  logic [63:0] hash, hash_4_q, hash_5_q;
  logic [CacheWays-1:0] match, vacant_ways, write_ways;
  logic [SessionIdWidth-1:0] cached_id;
  logic [WayWidth-1:0] turn_q;
  logic fill_now;
  operation_t last;

  assign last = operation_q[Stages-1];

  tuple_hash tuple_hash (
    .clk,
    .key_i  (hash_key_q),
    .tuple_i(operation_q[0].tuple),
    .hash_o (hash)
  );

  function automatic logic [CacheWays-1:0] lowest(input logic [CacheWays-1:0] set);
    for (int i = 0; i < CacheWays; i++)
    lowest[i] = set[i] && (set & CacheWays'((1 << i) - 1)) == '0;
  endfunction

  always_comb begin
    write_ways = '0;
    if (valid_q[Stages-1] && last.op == OpRemove) write_ways = match;
    if (fill_now) begin
      if (match != '0) write_ways = lowest(match);
      else if (vacant_ways != '0) write_ways = lowest(vacant_ways);
      else write_ways = CacheWays'(1) << turn_q;
    end
  end

  tuple_cache #(
    .Sets(CacheSets),
    .Ways(CacheWays)
  ) cache (
    .clk,
    .rst,
    .init_done_o  (cache_done),
    .read_set_i   (hash[31-:SetWidth]),
    .read_tuple_i (operation_q[3].tuple),
    .match_o      (match),
    .vacant_o     (vacant_ways),
    .id_o         (cached_id),
    .write_ways_i (write_ways),
    .write_set_i  (hash_5_q[31-:SetWidth]),
    .write_valid_i(last.op == OpFill),
    .write_tuple_i(last.tuple),
    .write_id_i   (last.id)
  );

  logic nothing_known;

  assign nothing_known = free_count_o == (IdWidth + 1)'(Connections)
      && free_slots == (SlotWidth + 1)'(Slots) && valid_q == '0 && !entered_q;

  always_ff @(posedge clk) begin
    hash_4_q <= hash;
    hash_5_q <= hash_4_q;
    if (fill_now) turn_q <= turn_q == WayWidth'(CacheWays - 1) ? '0 : turn_q + 1'b1;
    if (nothing_known && !enter) hash_key_q <= hash_key_i;

    if (rst) turn_q <= '0;
  end

  // ---- Ids -------------------------------------------------------------------------------------------------

  logic [IdWidth-1:0] free_id;
  logic free_valid, free_ready;

  logic release_room;
  line_request_t bucket_line, id_line, ids_line, lines[2];
  line_response_t ids_response;
  logic [1:0] lines_valid, lines_ready;

  assign s_release_ready = release_room && !s_remove_valid && removes_q == '0;

  free_ids #(
    .Connections(Connections)
  ) free_ids (
    .clk,
    .rst,
    .push_id     (s_release_id),
    .push_valid  (s_release_valid && s_release_ready),
    .room_o      (release_room),
    .m_id        (free_id),
    .m_valid     (free_valid),
    .m_ready     (free_ready),
    .count_o     (free_count_o),
    .m_line      (ids_line),
    .m_line_valid(lines_valid[1]),
    .m_line_ready(lines_ready[1]),
    .s_line      (ids_response),
    .s_line_valid(s_line_valid && s_line.tag[LineTagWidth-1-:2] == TagIds)
  );

  // Lines of ids lie behind the buckets.
  always_comb begin
    id_line = ids_line;
    id_line.address = ids_line.address + 32'(Buckets);
    id_line.tag[LineTagWidth-1-:2] = TagIds;
    ids_response = s_line;
    ids_response.tag[LineTagWidth-1-:2] = '0;
  end

  assign lines[0] = bucket_line;
  assign lines[1] = id_line;

  stream_arbiter #(
    .T(line_request_t),
    .N(2)
  ) line_merge (
    .clk,
    .rst,
    .s_data (lines),
    .s_valid(lines_valid),
    .s_ready(lines_ready),
    .m_data (m_line),
    .m_valid(m_line_valid),
    .m_ready(m_line_ready),
    .m_index()
  );

  // ---- Slots, buckets, mover ---------------------------------------------------------------------------------

  typedef struct packed {
    lookup_e             result;
    logic [IdWidth-1:0]  id;
    logic [TagWidth-1:0] tag;
  } answer_t;

  lookup_e answer;
  logic [SessionIdWidth-1:0] answer_id;
  logic [TagWidth-1:0] answer_tag;
  logic answer_valid;
  answer_t m_answer;

  logic [SlotWidth-1:0] read_slot, found_slot, asked_slot, task_slot, victim_slot, done_slot;
  logic [BucketWidth-1:0] read_bucket, task_first, task_second, move_bucket;
  logic read_valid, found_valid, found_ready;
  finding_t found;
  tuple_t asked_tuple, task_tuple;
  logic [SessionIdWidth-1:0] task_id;
  logic task_remove, task_valid, task_ready;
  logic missed, inserting, inserted, victim_taken, done_in_memory, done_valid, done_ready;
  logic move_write, move_valid, move_ready, moved_valid;
  place_t move_place;
  bucket_entry_t move_entry;
  logic [MoverWidth-1:0] move_mover, moved_mover;
  bucket_t moved_bucket;

  tuple_slots #(
    .Slots       (Slots),
    .TagWidth    (TagWidth),
    .BucketWidth (BucketWidth),
    .StashEntries(StashEntries)
  ) slots (
    .clk,
    .rst,
    .op_i            (last.op),
    .op_tuple_i      (last.tuple),
    .op_id_i         (last.id),
    .op_tag_i        (last.tag),
    .op_open_i       (last.open),
    .op_slot_i       (last.slot),
    .op_hash_i       (hash_5_q),
    .op_cached_i     ('{found: match != '0, id: cached_id}),
    .op_valid_i      (valid_q[Stages-1]),
    .busy_o          (slots_busy),
    .free_slots_o    (free_slots),
    .answer_o        (answer),
    .answer_id_o     (answer_id),
    .answer_tag_o    (answer_tag),
    .answer_valid_o  (answer_valid),
    .s_free_id       (SessionIdWidth'(free_id)),
    .s_free_valid    (free_valid),
    .s_free_ready    (free_ready),
    .free_soon_i     (free_count_o != '0 && !free_valid),
    .read_slot_o     (read_slot),
    .read_bucket_o   (read_bucket),
    .read_valid_o    (read_valid),
    .found_slot_i    (found_slot),
    .found_i         (found),
    .found_valid_i   (found_valid),
    .found_ready_o   (found_ready),
    .asked_slot_i    (asked_slot),
    .asked_tuple_o   (asked_tuple),
    .fill_slot_o     (fill_slot),
    .fill_tuple_o    (fill_tuple),
    .fill_id_o       (fill_id),
    .fill_valid_o    (fill_valid),
    .fill_ready_i    (fill_ready),
    .fill_now_o      (fill_now),
    .task_slot_o     (task_slot),
    .task_tuple_o    (task_tuple),
    .task_id_o       (task_id),
    .task_remove_o   (task_remove),
    .task_first_o    (task_first),
    .task_second_o   (task_second),
    .task_valid_o    (task_valid),
    .task_ready_i    (task_ready),
    .insert_allowed_i(inserting),
    .victim_taken_o  (victim_taken),
    .victim_slot_o   (victim_slot),
    .done_slot_i     (done_slot),
    .done_in_memory_i(done_in_memory),
    .done_valid_i    (done_valid),
    .done_ready_o    (done_ready),
    .inserted_o      (inserted),
    .missed_o        (missed),
    .second_read_o   (counts_o.second_read),
    .refused_o       (counts_o.refused),
    .stash_o
  );

  tuple_buckets #(
    .Slots      (Slots),
    .BucketWidth(BucketWidth),
    .Movers     (Movers)
  ) buckets (
    .clk,
    .rst,
    .init_done_o  (buckets_done),
    .s_read_slot  (read_slot),
    .s_read_bucket(read_bucket),
    .s_read_valid (read_valid),
    .asked_slot_o (asked_slot),
    .asked_tuple_i(asked_tuple),
    .m_found_slot (found_slot),
    .m_found      (found),
    .m_found_valid(found_valid),
    .m_found_ready(found_ready),
    .s_move_write (move_write),
    .s_move_mover (move_mover),
    .s_move_bucket(move_bucket),
    .s_move_place (move_place),
    .s_move_entry (move_entry),
    .s_move_valid (move_valid),
    .s_move_ready (move_ready),
    .move_bucket_o(moved_bucket),
    .move_mover_o (moved_mover),
    .move_valid_o (moved_valid),
    .m_line       (bucket_line),
    .m_line_valid (lines_valid[0]),
    .m_line_ready (lines_ready[0]),
    .s_line,
    .s_line_valid (s_line_valid && s_line.tag[LineTagWidth-1-:2] != TagIds),
    .read_o       (counts_o.read)
  );

  tuple_movers #(
    .SlotWidth  (SlotWidth),
    .BucketWidth(BucketWidth),
    .Movers     (Movers)
  ) movers (
    .clk,
    .rst,
    .task_slot_i     (task_slot),
    .task_tuple_i    (task_tuple),
    .task_id_i       (task_id),
    .task_remove_i   (task_remove),
    .task_first_i    (task_first),
    .task_second_i   (task_second),
    .task_valid_i    (task_valid),
    .task_ready_o    (task_ready),
    .m_write         (move_write),
    .m_mover         (move_mover),
    .m_bucket        (move_bucket),
    .m_place         (move_place),
    .m_entry         (move_entry),
    .m_valid         (move_valid),
    .m_ready         (move_ready),
    .bucket_i        (moved_bucket),
    .bucket_mover_i  (moved_mover),
    .bucket_valid_i  (moved_valid),
    .victim_tuple_o  (victim_tuple),
    .victim_id_o     (victim_id),
    .victim_valid_o  (victim_valid),
    .victim_ready_i  (victim_ready),
    .victim_judged_i (valid_q[Stages-1] && last.op == OpVictim),
    .victim_taken_i  (victim_taken),
    .victim_slot_i   (victim_slot),
    .done_slot_o     (done_slot),
    .done_in_memory_o(done_in_memory),
    .done_valid_o    (done_valid),
    .done_ready_i    (done_ready),
    .inserted_i      (inserted),
    .inserting_o     (inserting),
    .kick_o          (counts_o.kick)
  );

  assign counts_o.hit = valid_q[Stages-1] && last.op == OpLookup && !missed;
  assign counts_o.miss = missed;

  // ---- Answers: one place for each lookup that there may be --------------------------------------------------

  stream_fifo #(
    .T    (answer_t),
    .Depth(2 ** TagWidth)
  ) answers (
    .clk,
    .rst,
    .s_data ('{result: answer, id: answer_id[IdWidth-1:0], tag: answer_tag}),
    .s_valid(answer_valid),
    .s_ready(),
    .m_data (m_answer),
    .m_valid,
    .m_ready,
    .count_o()
  );

  if (SessionIdWidth > IdWidth) begin : gen_unused_id
    logic [SessionIdWidth-1:IdWidth] unused_id;
    assign unused_id = answer_id[SessionIdWidth-1:IdWidth];
  end

  assign m_result = m_answer.result;
  assign m_id     = m_answer.id;
  assign m_tag    = m_answer.tag;

endmodule
