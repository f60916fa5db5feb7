// SPDX-License-Identifier: Apache-2.0

// Brings a new tuple into its bucket, or takes a removed one out, in the background: one of
// tuple_movers.
//
// A tuple goes into a vacant place of its first bucket, or else of its second. If there is none it
// takes the place of another one, which gets a slot of its own first, and so is found all the time,
// and is the next to look for a place (cuckoo hashing with buckets). Which one has to go is chosen at
// random.
//
// Throughput one bucket read and one write for most; nothing else waits for them.
//
// Nobody else may write its two buckets from its first read to its write: working_o tells, and hold_i
// keeps that read back.
module tuple_mover
  import app_pkg::*;
  import tcp_pkg::*;
  import tuple_index_pkg::*;
#(
  parameter int SlotWidth   = 5,
  parameter int BucketWidth = 18,
  // The choice at random begins here; not 0, and different for each mover.
  parameter logic [15:0] Seed = 16'h1d0b
) (
  input  logic                      clk,
  input  logic                      rst,

  input  logic [     SlotWidth-1:0] task_slot_i,
  input  tuple_t                    task_tuple_i,
  input  logic [SessionIdWidth-1:0] task_id_i,
  input  logic                      task_remove_i,
  input  logic [   BucketWidth-1:0] task_first_i,
  input  logic [   BucketWidth-1:0] task_second_i,
  input  logic                      task_valid_i,
  output logic                      task_ready_o,

  output logic                      m_write,
  output logic [   BucketWidth-1:0] m_bucket,
  output place_t                    m_place,
  output bucket_entry_t             m_entry,
  output logic                      m_valid,
  input  logic                      m_ready,
  input  bucket_t                   bucket_i,
  input  logic                      bucket_valid_i,

  // Into the pipeline; then taken or not.
  output tuple_t                    victim_tuple_o,
  output logic [SessionIdWidth-1:0] victim_id_o,
  output logic                      victim_valid_o,
  input  logic                      victim_ready_i,
  input  logic                      victim_judged_i,
  input  logic                      victim_taken_i,
  input  logic [     SlotWidth-1:0] victim_slot_i,

  output logic [     SlotWidth-1:0] done_slot_o,
  output logic                      done_in_memory_o,
  output logic                      done_valid_o,
  input  logic                      done_ready_i,

  input  logic                      hold_i,
  output logic                      working_o,
  output logic [   BucketWidth-1:0] first_bucket_o,
  output logic [   BucketWidth-1:0] second_bucket_o,

  output logic                      placed_o,  // a vacant place was taken, or one became vacant
  output logic                      kick_o     // another tuple's place was taken
);

  typedef enum logic [3:0] {
    StIdle,
    StRead,        // asks for a bucket
    StWait,        // waits for it
    StChoose,      // looks at it
    StVictim,      // offers an entry that has to go
    StJudge,       // waits for what becomes of it
    StWrite,       // writes the entry
    StDone,        // reports on the task
    StVictimDone   // and on the tuple that went
  } state_e;

  state_e state_q, state_d;
  logic [SlotWidth-1:0] slot_q, victim_slot_q;
  tuple_t tuple_q;
  logic [SessionIdWidth-1:0] id_q;
  logic remove_q, working_q, second_q, kicking_q, kicked_q, in_memory_q;
  logic [BucketWidth-1:0] first_bucket_q, second_bucket_q;
  bucket_t bucket_q;
  place_t place_q;
  logic [2:0] tries_q;
  logic [15:0] random_q;

  // What is looked for in the bucket: the tuple itself, or a vacant place.
  logic found;
  place_t found_place;

  always_comb begin
    found = 1'b0;
    found_place = '0;
    for (int i = BucketEntries - 1; i >= 0; i--) begin
      if (remove_q ? bucket_q.entry[i].valid && bucket_q.entry[i].tuple == tuple_q
              && bucket_q.entry[i].id == id_q
          : !bucket_q.entry[i].valid) begin
        found = 1'b1;
        found_place = place_t'(i);
      end
    end
  end

  bucket_entry_t victim;

  always_comb begin
    victim = '0;
    for (int i = 0; i < BucketEntries; i++) if (place_q == place_t'(i)) victim = bucket_q.entry[i];
  end

  logic unused_spare;
  assign unused_spare = &{1'b0, bucket_q.reserved, victim};

  assign victim_tuple_o = victim.tuple;
  assign victim_id_o    = victim.id;
  assign victim_valid_o = state_q == StVictim;
  assign task_ready_o   = state_q == StIdle;

  assign m_write  = state_q == StWrite;
  assign m_bucket = second_q ? second_bucket_q : first_bucket_q;
  assign m_place  = place_q;
  assign m_valid  = (state_q == StRead && (working_q || !hold_i)) || state_q == StWrite;
  assign m_entry  = remove_q ? '0 : '{reserved: '0, valid: 1'b1, id: id_q, tuple: tuple_q};

  assign done_valid_o     = state_q == StDone || state_q == StVictimDone;
  assign done_slot_o      = state_q == StDone ? slot_q : victim_slot_q;
  assign done_in_memory_o = state_q == StDone && in_memory_q;

  assign working_o       = working_q;
  assign first_bucket_o  = first_bucket_q;
  assign second_bucket_o = second_bucket_q;

  assign placed_o = state_q == StWrite && m_ready && !kicked_q;
  assign kick_o   = state_q == StWrite && m_ready && kicked_q;

  always_comb begin
    state_d = state_q;

    unique case (state_q)
      StIdle: if (task_valid_i) state_d = StRead;
      StRead: if (m_valid && m_ready) state_d = bucket_valid_i ? StChoose : StWait;
      StWait: if (bucket_valid_i) state_d = StChoose;

      StChoose: begin
        if (kicking_q) state_d = StVictim;
        else if (found) state_d = StWrite;
        else if (!second_q) state_d = StRead;
        else if (remove_q) state_d = StDone;  // it was not there
        else state_d = random_q[0] ? StVictim : StRead;
      end

      StVictim: if (victim_ready_i) state_d = StJudge;

      StJudge: begin
        if (victim_judged_i) begin
          if (victim_taken_i) state_d = StWrite;
          else state_d = tries_q == 3'(BucketEntries - 1) ? StDone : StVictim;
        end
      end

      StWrite: if (m_ready) state_d = StDone;
      StDone: if (done_ready_i) state_d = kicked_q ? StVictimDone : StIdle;
      StVictimDone: if (done_ready_i) state_d = StIdle;
      default: state_d = StIdle;
    endcase
  end

  // A place among five, nearly evenly.
  function automatic place_t some_place(input logic [7:0] bits);
    return place_t'((11'(bits) * 11'd5) >> 8);
  endfunction

  always_ff @(posedge clk) begin
    state_q  <= state_d;
    // A maximal sequence (x^16 + x^14 + x^13 + x^11 + 1).
    random_q <= {random_q[14:0], random_q[15] ^ random_q[13] ^ random_q[12] ^ random_q[10]};

    if (bucket_valid_i) bucket_q <= bucket_i;

    unique case (state_q)
      StIdle: begin
        slot_q          <= task_slot_i;
        tuple_q         <= task_tuple_i;
        id_q            <= task_id_i;
        remove_q        <= task_remove_i;
        first_bucket_q  <= task_first_i;
        second_bucket_q <= task_second_i;
        second_q        <= 1'b0;
        kicking_q       <= 1'b0;
        kicked_q        <= 1'b0;
        in_memory_q     <= 1'b0;
        tries_q         <= '0;
      end

      StChoose: begin
        place_q <= kicking_q || !found ? some_place(random_q[15:8]) : found_place;
        if (!kicking_q && !found) begin
          // The second bucket; or, both are full: one of them, at random.
          kicking_q <= second_q && !remove_q;
          second_q  <= !second_q || (random_q[0] && !remove_q);
        end
      end

      StJudge: begin
        if (victim_judged_i) begin
          kicked_q      <= victim_taken_i;
          victim_slot_q <= victim_slot_i;
          if (!victim_taken_i) begin
            tries_q <= tries_q + 1'b1;
            place_q <= place_q == place_t'(BucketEntries - 1) ? '0 : place_q + 1'b1;
          end
        end
      end

      StWrite: in_memory_q <= 1'b1;

      default: ;
    endcase

    if (state_q == StRead && m_valid && m_ready) working_q <= 1'b1;
    if (state_d == StDone) working_q <= 1'b0;

    if (rst) begin
      state_q   <= StIdle;
      working_q <= 1'b0;
      random_q  <= Seed;
    end
  end

endmodule
