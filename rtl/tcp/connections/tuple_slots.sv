// SPDX-License-Identifier: Apache-2.0

// What tuple_index knows of the tuples that it is busy with: an associative memory in which a tuple
// has one slot at most, from the first lookup that misses until memory and cache are right again. All
// that happens to a tuple meanwhile goes through its slot, one thing a clock, so there is no order
// of events to get wrong.
//
//   lookup misses -> Read --found--------------------> Stored --to the cache--> Leaving -> free
//                     |                                  ^  |
//                     +-> Absent --an open takes an id--> New <--> Moving (a tuple_mover writes it)
//                           ^ |                                      |
//                     free <--+------- Removing <--- Remove <--------+-- removed meanwhile
//
// The slots in New and Moving are the stash of the table: known, and found, but without a place in
// memory. Lookups that cannot be answered wait in their slot's list, in order.
//
// op_* is what comes out of the pipeline of tuple_index, and is never refused: whoever lets it in
// sees to it that there is a free slot. In a clock without op_valid_i one of these is done:
// the mover's report, an answer from memory, an answer to one that waits, the mover's next task.
// busy_o asks for such clocks.
//
// Latency 0: answers, requests and what the mover is told follow op_* and the registers.
module tuple_slots
  import app_pkg::*;
  import tcp_pkg::*;
  import tuple_index_pkg::*;
#(
  parameter  int Slots        = 32,
  parameter  int TagWidth     = 6,   // of lookups
  parameter  int BucketWidth  = 18,
  parameter  int StashEntries = 12,
  localparam int SlotWidth    = $clog2(Slots)
) (
  input  logic                      clk,
  input  logic                      rst,

  input  index_op_e                 op_i,
  input  tuple_t                    op_tuple_i,
  input  logic [SessionIdWidth-1:0] op_id_i,        // OpRemove, OpVictim
  input  logic [      TagWidth-1:0] op_tag_i,       // OpLookup
  input  logic                      op_open_i,      // OpLookup
  input  logic [     SlotWidth-1:0] op_slot_i,      // OpFill
  input  logic [              63:0] op_hash_i,
  input  finding_t                  op_cached_i,
  input  logic                      op_valid_i,
  output logic                      busy_o,
  output logic [       SlotWidth:0] free_slots_o,

  output lookup_e                   answer_o,
  output logic [SessionIdWidth-1:0] answer_id_o,
  output logic [      TagWidth-1:0] answer_tag_o,
  output logic                      answer_valid_o,

  input  logic [SessionIdWidth-1:0] s_free_id,
  input  logic                      s_free_valid,
  output logic                      s_free_ready,
  input  logic                      free_soon_i,     // there are ids, but not here yet

  // A bucket is to be read; room for all slots' requests is the receiver's care.
  output logic [     SlotWidth-1:0] read_slot_o,
  output logic [   BucketWidth-1:0] read_bucket_o,
  output logic                      read_valid_o,
  // What was in it, and whose tuple it is.
  input  logic [     SlotWidth-1:0] found_slot_i,
  input  finding_t                  found_i,
  input  logic                      found_valid_i,
  output logic                      found_ready_o,
  input  logic [     SlotWidth-1:0] asked_slot_i,
  output tuple_t                    asked_tuple_o,

  // The next slot that can go to the cache.
  output logic [     SlotWidth-1:0] fill_slot_o,
  output tuple_t                    fill_tuple_o,
  output logic [SessionIdWidth-1:0] fill_id_o,
  output logic                      fill_valid_o,
  input  logic                      fill_ready_i,
  output logic                      fill_now_o,     // OpFill is to write the cache

  // tuple_movers: the next task, what became of a victim, what was done.
  output logic [     SlotWidth-1:0] task_slot_o,
  output tuple_t                    task_tuple_o,
  output logic [SessionIdWidth-1:0] task_id_o,
  output logic                      task_remove_o,
  output logic [   BucketWidth-1:0] task_first_o,
  output logic [   BucketWidth-1:0] task_second_o,
  output logic                      task_valid_o,
  input  logic                      task_ready_i,
  input  logic                      insert_allowed_i,
  output logic                      victim_taken_o,  // with OpVictim: it has a slot now,
  output logic [     SlotWidth-1:0] victim_slot_o,   // this one; else it had one and must stay
  input  logic [     SlotWidth-1:0] done_slot_i,
  input  logic                      done_in_memory_i,
  input  logic                      done_valid_i,
  output logic                      done_ready_o,

  output logic                      inserted_o,      // a new tuple
  output logic                      missed_o,        // a lookup that asks memory
  output logic                      second_read_o,
  output logic                      refused_o,
  output logic [       SlotWidth:0] stash_o          // slots in New and Moving
);

  typedef enum logic [3:0] {
    SlFree,
    SlRead,      // memory is asked
    SlAbsent,    // in no bucket
    SlNew,       // known here alone
    SlMoving,    // a mover has it; it may be in memory or not
    SlStored,    // in its bucket
    SlLeaving,   // in the cache, too; lookups that have passed the cache still look here
    SlRemove,    // removed; to be deleted in memory
    SlRemoving   // a mover does it
  } slot_e;

  typedef logic [SlotWidth-1:0] slot_t;
  typedef logic [TagWidth-1:0] tag_t;
  typedef logic [Slots-1:0] set_t;

  localparam int LeaveClocks = 3;  // what has passed the cache is here by then; nothing newer is

  if (Slots < 16 || Slots != 2 ** SlotWidth) begin : gen_check_slots
    $error("Slots must be a power of two and at least 16.");
  end
  if (StashEntries > Slots / 2) begin : gen_check_stash
    $error("StashEntries must be at most half of Slots.");
  end

  slot_e state_q[Slots];
  tuple_t tuple_q[Slots];
  logic [SessionIdWidth-1:0] id_q[Slots];
  set_t removed_q;    // Read, Moving: it is to be removed, with this id
  logic [SessionIdWidth-1:0] removed_id_q[Slots];
  set_t second_q;     // Read: in its second bucket
  set_t filling_q;    // on its way to the cache
  set_t waits_q;      // its list holds lookups
  set_t first_open_q; // the first in it may open a connection
  tag_t head_q[Slots], tail_q[Slots];
  logic [SlotWidth:0] free_q, stash_q;

  // Index of the lowest bit set.
  function automatic slot_t lowest(input set_t set);
    slot_t index = '0;
    for (int i = Slots - 1; i >= 0; i--) if (set[i]) index = slot_t'(i);
    return index;
  endfunction

  // ---- Which slots can do what --------------------------------------------------------------------

  set_t free, matching, drainable, fillable, insertable, removable;
  logic stash_full, hold, match;
  slot_t vacant, at, drain_at, fill_at, task_at;
  set_t after_q;  // slots behind the last one drained

  assign stash_full = stash_q >= (SlotWidth + 1)'(StashEntries);
  // An open waits for the mover rather than being refused, while that harms no one.
  assign hold = free_soon_i || (stash_full && insert_allowed_i
      && free_q > (SlotWidth + 1)'(Slots * 3 / 8));

  always_comb begin
    for (int i = 0; i < Slots; i++) begin
      free[i] = state_q[i] == SlFree;
      matching[i] = state_q[i] != SlFree && tuple_q[i] == op_tuple_i;
      drainable[i] = waits_q[i] && (state_q[i] == SlNew || state_q[i] == SlStored
          || (state_q[i] == SlMoving && !removed_q[i])
          || (state_q[i] == SlAbsent && !(first_open_q[i] && hold)));
      fillable[i] = state_q[i] == SlStored && !waits_q[i] && !filling_q[i];
      insertable[i] = state_q[i] == SlNew && insert_allowed_i;
      removable[i] = state_q[i] == SlRemove;
    end
  end

  assign match    = matching != '0;
  assign at       = lowest(matching);
  assign vacant   = lowest(free);
  assign drain_at = lowest((drainable & after_q) != '0 ? drainable & after_q : drainable);
  assign fill_at  = lowest(fillable);
  assign task_at  = lowest(removable != '0 ? removable : insertable);

  // ---- What is done in this clock -----------------------------------------------------------------

  logic do_done, do_found, do_drain, do_task, allocate;
  slot_t act;  // the slot of the action, whose hash may be needed

  assign do_done  = !op_valid_i && done_valid_i;
  assign do_found = !op_valid_i && !done_valid_i && found_valid_i;
  assign do_drain = !op_valid_i && !done_valid_i && !found_valid_i && drainable != '0;
  assign do_task  = !op_valid_i && !done_valid_i && !found_valid_i && drainable == '0
      && task_ready_i && (removable != '0 || insertable != '0);

  assign done_ready_o  = !op_valid_i;
  assign found_ready_o = !op_valid_i && !done_valid_i;
  assign busy_o        = done_valid_i || found_valid_i || drainable != '0
      || (task_ready_i && (removable != '0 || insertable != '0));
  assign act           = do_found ? found_slot_i : task_at;

  assign missed_o = op_valid_i && op_i == OpLookup && !match && !op_cached_i.found;
  assign victim_taken_o = op_valid_i && op_i == OpVictim && !match;
  assign victim_slot_o  = vacant;
  assign allocate = missed_o || victim_taken_o || (op_valid_i && op_i == OpRemove && !match);

  // A lookup of a tuple that has a slot: at once, or behind those that wait.
  logic known, answers_now, appends;

  assign known       = state_q[at] == SlNew || state_q[at] == SlStored || state_q[at] == SlLeaving
      || (state_q[at] == SlMoving && !removed_q[at]);
  assign answers_now = op_valid_i && op_i == OpLookup && match && known && !waits_q[at];
  assign appends     = op_valid_i && op_i == OpLookup && match && !(known && !waits_q[at]);

  // ---- Lists of lookups that wait: by tag, the next one and whether it may open a connection ----------

  tag_t next_tag;
  logic next_open;

  ram_distributed #(
    .Width(TagWidth),
    .Depth(2 ** TagWidth)
  ) followers (
    .clk,
    .write_enable_i (appends && waits_q[at]),
    .write_address_i(tail_q[at]),
    .write_data_i   (op_tag_i),
    .read_address_i (head_q[drain_at]),
    .read_data_o    (next_tag)
  );

  ram_distributed #(
    .Width(1),
    .Depth(2 ** TagWidth)
  ) openers (
    .clk,
    .write_enable_i (op_valid_i && op_i == OpLookup),
    .write_address_i(op_tag_i),
    .write_data_i   (op_open_i),
    .read_address_i (next_tag),
    .read_data_o    (next_open)
  );

  // ---- Hashes ---------------------------------------------------------------------------------------

  logic [63:0] act_hash;
  logic [BucketWidth-1:0] act_first, act_second, other;

  ram_distributed #(
    .Width(64),
    .Depth(Slots)
  ) hashes (
    .clk,
    .write_enable_i (allocate),
    .write_address_i(vacant),
    .write_data_i   (op_hash_i),
    .read_address_i (act),
    .read_data_o    (act_hash)
  );

  assign act_first  = act_hash[BucketWidth-1:0];
  // Always another one.
  assign other      = act_hash[32+:BucketWidth];
  assign act_second = act_first == other ? other ^ BucketWidth'(1) : other;

  // The rest is of the cache.
  logic unused_hash;
  assign unused_hash = &{1'b0, act_hash};

  // ---- Answers, requests, tasks -----------------------------------------------------------------------

  logic drain_absent, opens, not_found;

  assign drain_absent = state_q[drain_at] == SlAbsent;
  assign opens        = do_drain && drain_absent && first_open_q[drain_at] && s_free_valid
      && !stash_full;
  assign not_found    = do_found && !found_i.found;

  assign s_free_ready = opens;
  assign inserted_o   = opens;
  assign refused_o    = do_drain && drain_absent && first_open_q[drain_at] && s_free_valid
      && stash_full;

  always_comb begin
    answer_valid_o = do_drain || answers_now
        || (op_valid_i && op_i == OpLookup && !match && op_cached_i.found);
    answer_o       = LookupHit;
    answer_id_o    = match ? id_q[at] : op_cached_i.id;
    answer_tag_o   = op_tag_i;
    if (do_drain) begin
      answer_tag_o = head_q[drain_at];
      answer_id_o  = drain_absent ? s_free_id : id_q[drain_at];
      if (drain_absent) begin
        answer_o = opens ? LookupNew : first_open_q[drain_at] ? LookupNoRoom : LookupMiss;
      end
    end
  end

  assign read_valid_o  = missed_o || (not_found && !second_q[found_slot_i]);
  assign second_read_o = not_found && !second_q[found_slot_i];
  assign read_slot_o   = missed_o ? vacant : found_slot_i;
  assign read_bucket_o = missed_o ? op_hash_i[BucketWidth-1:0] : act_second;
  assign asked_tuple_o = tuple_q[asked_slot_i];

  assign fill_slot_o  = fill_at;
  assign fill_tuple_o = tuple_q[fill_at];
  assign fill_id_o    = id_q[fill_at];
  assign fill_valid_o = fillable != '0;
  assign fill_now_o   = op_valid_i && op_i == OpFill && state_q[op_slot_i] == SlStored
      && !waits_q[op_slot_i];

  assign task_slot_o   = task_at;
  assign task_tuple_o  = tuple_q[task_at];
  assign task_id_o     = id_q[task_at];
  assign task_remove_o = removable != '0;
  assign task_first_o  = act_first;
  assign task_second_o = act_second;
  assign task_valid_o  = do_task;

  // ---- Slots that leave --------------------------------------------------------------------------------

  logic [LeaveClocks-1:0] leaving_q;
  slot_t leaving_slot_q[LeaveClocks];
  logic leaves;

  assign leaves = leaving_q[LeaveClocks-1];

  always_ff @(posedge clk) begin
    leaving_q         <= {leaving_q[LeaveClocks-2:0], fill_now_o};
    leaving_slot_q[0] <= op_slot_i;
    for (int i = 1; i < LeaveClocks; i++) leaving_slot_q[i] <= leaving_slot_q[i-1];

    if (rst) leaving_q <= '0;
  end

  // ---- The slots -----------------------------------------------------------------------------------------

  // A slot in Absent that nobody waits in is free.
  logic freed, stash_more, stash_less;
  slot_e done_state;

  always_comb begin
    done_state = SlAbsent;  // Removing, or removed before it came into memory
    if (state_q[done_slot_i] == SlMoving) begin
      if (done_in_memory_i) done_state = removed_q[done_slot_i] ? SlRemove : SlStored;
      else if (!removed_q[done_slot_i]) done_state = SlNew;
    end
  end

  logic removes_new;  // a tuple that is in no bucket
  assign removes_new = op_valid_i && op_i == OpRemove && match && state_q[at] == SlNew
      && id_q[at] == op_id_i;

  assign freed = (removes_new && !waits_q[at])
      || (do_done && done_state == SlAbsent && !waits_q[done_slot_i])
      || (do_drain && drain_absent && !opens && head_q[drain_at] == tail_q[drain_at]);

  assign stash_more = opens || victim_taken_o;
  assign stash_less = removes_new
      || (do_done && state_q[done_slot_i] == SlMoving && done_state != SlNew);

  always_ff @(posedge clk) begin
    if (allocate) begin
      tuple_q[vacant]      <= op_tuple_i;
      id_q[vacant]         <= op_id_i;
      removed_q[vacant]    <= 1'b0;
      second_q[vacant]     <= 1'b0;
      filling_q[vacant]    <= 1'b0;
      waits_q[vacant]      <= op_i == OpLookup;
      first_open_q[vacant] <= op_open_i;
      head_q[vacant]       <= op_tag_i;
      tail_q[vacant]       <= op_tag_i;
      unique case (op_i)
        OpRemove: state_q[vacant] <= SlRemove;
        OpVictim: state_q[vacant] <= SlMoving;
        default:  state_q[vacant] <= SlRead;
      endcase
    end

    if (appends) begin
      waits_q[at] <= 1'b1;
      tail_q[at]  <= op_tag_i;
      if (!waits_q[at]) begin
        head_q[at]       <= op_tag_i;
        first_open_q[at] <= op_open_i;
      end
    end

    if (op_valid_i && op_i == OpRemove && match) begin
      unique case (state_q[at])
        SlRead: begin
          removed_q[at]    <= 1'b1;
          removed_id_q[at] <= op_id_i;
        end
        SlNew: if (removes_new) state_q[at] <= waits_q[at] ? SlAbsent : SlFree;
        SlMoving: if (id_q[at] == op_id_i) removed_q[at] <= 1'b1;
        SlStored, SlLeaving: if (id_q[at] == op_id_i) state_q[at] <= SlRemove;
        default: ;
      endcase
    end

    if (fill_valid_o && fill_ready_i) filling_q[fill_at] <= 1'b1;
    if (op_valid_i && op_i == OpFill) filling_q[op_slot_i] <= 1'b0;
    if (fill_now_o) state_q[op_slot_i] <= SlLeaving;
    if (leaves) state_q[leaving_slot_q[LeaveClocks-1]] <= SlFree;

    if (do_found) begin
      if (found_i.found) begin
        id_q[found_slot_i]      <= found_i.id;
        removed_q[found_slot_i] <= 1'b0;
        state_q[found_slot_i]   <= removed_q[found_slot_i]
            && removed_id_q[found_slot_i] == found_i.id ? SlRemove : SlStored;
      end else if (second_q[found_slot_i]) begin
        removed_q[found_slot_i] <= 1'b0;
        state_q[found_slot_i]   <= SlAbsent;
      end
      second_q[found_slot_i] <= 1'b1;
    end

    if (do_task) state_q[task_at] <= task_remove_o ? SlRemoving : SlMoving;

    if (do_done) begin
      removed_q[done_slot_i] <= 1'b0;
      state_q[done_slot_i]   <= freed ? SlFree : done_state;
    end

    if (do_drain) begin
      after_q <= ~((set_t'(2) << drain_at) - 1'b1);
      if (opens) begin
        state_q[drain_at] <= SlNew;
        id_q[drain_at]    <= s_free_id;
      end else if (freed) begin
        state_q[drain_at] <= SlFree;
      end
      waits_q[drain_at]      <= head_q[drain_at] != tail_q[drain_at];
      head_q[drain_at]       <= next_tag;
      first_open_q[drain_at] <= next_open;
    end

    free_q  <= free_q - (SlotWidth + 1)'(allocate) + (SlotWidth + 1)'(freed)
        + (SlotWidth + 1)'(leaves);
    stash_q <= stash_q + (SlotWidth + 1)'(stash_more) - (SlotWidth + 1)'(stash_less);

    if (rst) begin
      for (int i = 0; i < Slots; i++) state_q[i] <= SlFree;
      waits_q <= '0;
      after_q <= '0;
      free_q  <= (SlotWidth + 1)'(Slots);
      stash_q <= '0;
    end
  end

  assign free_slots_o = free_q;
  assign stash_o      = stash_q;

endmodule
