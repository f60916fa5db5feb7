// SPDX-License-Identifier: Apache-2.0

// tuple_movers: an entry of a bucket is overwritten only if it is vacant, if it is the one to be
// removed, or if its tuple got a slot for it (OpVictim) after the bucket was read, and nobody wrote the
// bucket in between. So no tuple is lost, whatever the movers do at the same time.
//
// For a bucket and a place that the solver chooses. Memory returns what was written there.
module tuple_movers_props
  import app_pkg::*;
  import tcp_pkg::*;
  import tuple_index_pkg::*;
#(
  parameter  int SlotWidth   = 2,
  parameter  int BucketWidth = 2,
  parameter  int Movers      = 2,
  localparam int MoverWidth  = Movers > 1 ? $clog2(Movers) : 1
) (
  input logic                      clk,
  input logic                      rst,
  input logic [     SlotWidth-1:0] task_slot_i,
  input tuple_t                    task_tuple_i,
  input logic [SessionIdWidth-1:0] task_id_i,
  input logic                      task_remove_i,
  input logic [   BucketWidth-1:0] task_first_i,
  input logic [   BucketWidth-1:0] task_second_i,
  input logic                      task_valid_i,
  input logic                      m_ready,
  input bucket_t                   bucket_i,
  input logic [    MoverWidth-1:0] bucket_mover_i,
  input logic                      bucket_valid_i,
  input logic                      victim_ready_i,
  input logic                      victim_judged_i,
  input logic                      victim_taken_i,
  input logic [     SlotWidth-1:0] victim_slot_i,
  input logic                      done_ready_i,
  input logic                      inserted_i,
  // The place that is watched.
  input logic [   BucketWidth-1:0] watched_bucket,
  input place_t                    watched_place
);

  logic task_ready_o, m_write, m_valid, victim_valid_o, done_in_memory_o, done_valid_o;
  logic inserting_o, kick_o;
  logic [MoverWidth-1:0] m_mover;
  logic [BucketWidth-1:0] m_bucket;
  place_t m_place;
  bucket_entry_t m_entry;
  tuple_t victim_tuple_o;
  logic [SessionIdWidth-1:0] victim_id_o;
  logic [SlotWidth-1:0] done_slot_o;

  tuple_movers #(
    .SlotWidth  (SlotWidth),
    .BucketWidth(BucketWidth),
    .Movers     (Movers),
    .KickBudget (1)
  ) dut (
    .*
  );

  typedef enum logic [3:0] {
    StIdle,
    StRead,
    StWait,
    StChoose,
    StVictim,
    StJudge,
    StWrite,
    StDone,
    StVictimDone
  } state_e;

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started) assume (rst);
    assume (watched_bucket == $past(watched_bucket) || !started);
    assume (watched_place == $past(watched_place) || !started);
    assume (watched_place < place_t'(BucketEntries));
    assume (task_first_i != task_second_i);
  end

  // ---- What the movers hold ---------------------------------------------------------------------------

  bucket_entry_t stored_q;  // at the watched place
  state_e state[Movers];
  logic [Movers-1:0] at_watched, working, removes, kicking, kicked;
  tuple_t tuple[Movers];
  logic [SessionIdWidth-1:0] id[Movers];
  bucket_entry_t read[Movers], chosen[Movers];
  place_t place[Movers];

  for (genvar i = 0; i < Movers; i++) begin : gen_look
    assign state[i]      = state_e'(dut.gen_movers[i].mover.state_q);
    assign at_watched[i] = dut.gen_movers[i].mover.m_bucket == watched_bucket;
    assign working[i]    = dut.working[i];
    assign removes[i]    = dut.gen_movers[i].mover.remove_q;
    assign kicking[i]    = dut.gen_movers[i].mover.kicking_q;
    assign kicked[i]     = dut.gen_movers[i].mover.kicked_q;
    assign tuple[i]      = dut.gen_movers[i].mover.tuple_q;
    assign id[i]         = dut.gen_movers[i].mover.id_q;
    assign place[i]      = dut.gen_movers[i].mover.place_q;
    assign read[i]       = dut.gen_movers[i].mover.bucket_q.entry[watched_place];
    assign chosen[i]     = dut.gen_movers[i].mover.victim;
  end

  // ---- The memory, and who judges -----------------------------------------------------------------------

  logic write_watched;
  assign write_watched = m_valid && m_ready && m_write && m_bucket == watched_bucket
      && m_place == watched_place;

  always_ff @(posedge clk) begin
    if (write_watched) stored_q <= m_entry;
    if (rst) stored_q <= '0;
  end

  logic judging_q;
  always_ff @(posedge clk) begin
    if (victim_valid_o && victim_ready_i) judging_q <= 1'b1;
    else if (victim_judged_i) judging_q <= 1'b0;
    if (rst) judging_q <= 1'b0;
  end

  // What a mover was told about its victim.
  logic [Movers-1:0] taken_q;
  bucket_entry_t taken_entry_q[Movers];

  for (genvar i = 0; i < Movers; i++) begin : gen_taken
    always_ff @(posedge clk) begin
      if (victim_judged_i && state[i] == StJudge) begin
        taken_q[i]       <= victim_taken_i;
        taken_entry_q[i] <= chosen[i];
      end
      if (state[i] == StIdle) taken_q[i] <= 1'b0;
      if (rst) taken_q[i] <= 1'b0;
    end
  end

  always_comb begin
    for (int i = 0; i < Movers; i++) begin
      if (bucket_valid_i && bucket_mover_i == MoverWidth'(i)) begin
        // Answers to those who asked, a clock later at least, with what is there.
        assume (state[i] == StWait);
        if (at_watched[i]) assume (bucket_i.entry[watched_place] == stored_q);
      end
    end
    if (bucket_valid_i) assume (int'(bucket_mover_i) < Movers);
    if (victim_judged_i) assume (judging_q);
    if (task_valid_i) assume (task_ready_o);
  end

  // ---- The promise --------------------------------------------------------------------------------------

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      if (write_watched) begin
        assert (!stored_q.valid
            || (removes[m_mover] && stored_q.tuple == tuple[m_mover] && stored_q.id == id[m_mover])
            || (!removes[m_mover] && taken_q[m_mover] && taken_entry_q[m_mover] == stored_q));
        assert (m_entry.valid == !removes[m_mover]);
      end

      for (int i = 0; i < Movers; i++) begin
        for (int j = 0; j < i; j++) begin
          if (working[i] && working[j]) begin
            assert (dut.first[i] != dut.first[j] && dut.first[i] != dut.second[j]);
            assert (dut.second[i] != dut.first[j] && dut.second[i] != dut.second[j]);
          end
          assert (!(state[i] == StJudge && state[j] == StJudge));
        end

        // For induction.
        assert (state[i] <= StVictimDone);
        assert (working[i] || !(state[i] inside {StWait, StChoose, StVictim, StJudge, StWrite}));
        if (working[i]) assert (!(state[i] inside {StIdle, StDone, StVictimDone}));
        assert (state[i] != StJudge || (judging_q && dut.judged_q == MoverWidth'(i)));
        if (state[i] inside {StChoose, StVictim, StJudge, StWrite} && at_watched[i])
          assert (read[i] == stored_q);
        if (state[i] inside {StVictim, StJudge, StWrite})
          assert (place[i] < place_t'(BucketEntries));
        if (state[i] == StVictim || state[i] == StJudge) assert (!removes[i]);
        if (state[i] inside {StRead, StWait, StChoose, StVictim, StJudge})
          assert (!kicked[i] && !taken_q[i] && !(kicking[i] && removes[i]));
        if (removes[i] && state[i] != StIdle) assert (!kicked[i]);
        if (state[i] == StWrite) begin
          if (removes[i]) begin
            assert (chosen[i].valid && chosen[i].tuple == tuple[i] && chosen[i].id == id[i]);
          end else begin
            assert (!chosen[i].valid || (taken_q[i] && taken_entry_q[i] == chosen[i]));
          end
        end
      end
      // Whom an arbiter has chosen still asks.
      assert ($onehot0(dut.request_merge.choice.owner_q));
      assert ((dut.request_merge.choice.owner_q & ~dut.requests_valid) == '0);
      assert ($onehot0(dut.victim_merge.choice.owner_q));
      assert ((dut.victim_merge.choice.owner_q & ~dut.victims_valid) == '0);
      assert (!judging_q || dut.victim_merge.choice.owner_q == '0);
      assert ($onehot0(dut.done_merge.choice.owner_q));
      assert ((dut.done_merge.choice.owner_q & ~dut.dones_valid) == '0);
      assert (judging_q == dut.judging_q);
      if (judging_q) begin
        assert (int'(dut.judged_q) < Movers);
        assert (state[dut.judged_q] == StJudge);
      end
    end
  end

  // ---- Reached --------------------------------------------------------------------------------------------

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      cover (write_watched && stored_q.valid && !removes[m_mover] && working == '1);
      cover (write_watched && stored_q.valid && removes[m_mover]);
      cover (working == '1);
      // One waits for the other's bucket.
      cover (state[0] == StRead && !working[0] && working[1] && dut.first[0] == dut.second[1]);
      cover (!inserting_o);
    end
  end

endmodule
