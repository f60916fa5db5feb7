// SPDX-License-Identifier: Apache-2.0

// Movers that work side by side, so that while one waits for far memory others go on. Tasks whose
// buckets are not all different come one after the other.
//
// Throughput Movers tasks in the time of one; a request in each clock that m_ready allows.
//
// After KickBudget exchanges without a tuple that found a vacant place the table counts as full:
// inserting_o falls, until there is a new tuple, or a removal makes room.
module tuple_movers
  import app_pkg::*;
  import tcp_pkg::*;
  import tuple_index_pkg::*;
#(
  parameter  int SlotWidth   = 5,
  parameter  int BucketWidth = 18,
  parameter  int Movers      = 4,
  parameter  int KickBudget  = 500,
  localparam int MoverWidth  = Movers > 1 ? $clog2(Movers) : 1
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

  // One read for each mover, answered by its number, and writes of one entry.
  output logic                      m_write,
  output logic [    MoverWidth-1:0] m_mover,
  output logic [   BucketWidth-1:0] m_bucket,
  output place_t                    m_place,
  output bucket_entry_t             m_entry,
  output logic                      m_valid,
  input  logic                      m_ready,
  input  bucket_t                   bucket_i,
  input  logic [    MoverWidth-1:0] bucket_mover_i,
  input  logic                      bucket_valid_i,

  // Into the pipeline, and the next one only after that was judged.
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

  input  logic                      inserted_i,        // there is a new tuple
  output logic                      inserting_o,
  output logic                      kick_o
);

  localparam int BudgetWidth = $clog2(KickBudget + 1);

  if (Movers < 1) begin : gen_check_movers
    $error("Movers must be at least 1.");
  end

  typedef logic [Movers-1:0] set_t;

  typedef struct packed {
    logic                   write;
    logic [BucketWidth-1:0] bucket;
    place_t                 place;
    bucket_entry_t          entry;
  } request_t;

  typedef struct packed {
    tuple_t                    tuple;
    logic [SessionIdWidth-1:0] id;
  } victim_t;

  typedef struct packed {
    logic [SlotWidth-1:0] slot;
    logic                 in_memory;
  } done_t;

  set_t ready, takes, working, placed, kick;
  logic [BucketWidth-1:0] first[Movers], second[Movers];
  request_t request, requests[Movers];
  set_t requests_valid, requests_ready;
  victim_t victim, victims[Movers];
  set_t victims_valid, victims_ready;
  done_t done, dones[Movers];
  set_t dones_valid, dones_ready;

  // The victim that is being judged.
  logic judging_q;
  logic [MoverWidth-1:0] judged_q, victim_mover;

  assign task_ready_o = ready != '0;
  assign takes        = task_valid_i ? ready & (~ready + 1'b1) : '0;

  for (genvar i = 0; i < Movers; i++) begin : gen_movers
    set_t meets;  // movers at work on one of its buckets

    always_comb begin
      for (int j = 0; j < Movers; j++) begin
        meets[j] = j != i && working[j] && (first[j] == first[i] || first[j] == second[i]
            || second[j] == first[i] || second[j] == second[i]);
      end
    end

    tuple_mover #(
      .SlotWidth  (SlotWidth),
      .BucketWidth(BucketWidth),
      .Seed       (16'(16'h1d0b + 16'h2b67 * i))
    ) mover (
      .clk,
      .rst,
      .task_slot_i,
      .task_tuple_i,
      .task_id_i,
      .task_remove_i,
      .task_first_i,
      .task_second_i,
      .task_valid_i    (takes[i]),
      .task_ready_o    (ready[i]),
      .m_write         (requests[i].write),
      .m_bucket        (requests[i].bucket),
      .m_place         (requests[i].place),
      .m_entry         (requests[i].entry),
      .m_valid         (requests_valid[i]),
      .m_ready         (requests_ready[i]),
      .bucket_i,
      .bucket_valid_i  (bucket_valid_i && bucket_mover_i == MoverWidth'(i)),
      .victim_tuple_o  (victims[i].tuple),
      .victim_id_o     (victims[i].id),
      .victim_valid_o  (victims_valid[i]),
      .victim_ready_i  (victims_ready[i]),
      .victim_judged_i (victim_judged_i && judged_q == MoverWidth'(i)),
      .victim_taken_i,
      .victim_slot_i,
      .done_slot_o     (dones[i].slot),
      .done_in_memory_o(dones[i].in_memory),
      .done_valid_o    (dones_valid[i]),
      .done_ready_i    (dones_ready[i]),
      .hold_i          (meets != '0),
      .working_o       (working[i]),
      .first_bucket_o  (first[i]),
      .second_bucket_o (second[i]),
      .placed_o        (placed[i]),
      .kick_o          (kick[i])
    );
  end

  stream_arbiter #(
    .T(request_t),
    .N(Movers)
  ) request_merge (
    .clk,
    .rst,
    .s_data (requests),
    .s_valid(requests_valid),
    .s_ready(requests_ready),
    .m_data (request),
    .m_index(m_mover),
    .m_valid,
    .m_ready
  );

  assign m_write  = request.write;
  assign m_bucket = request.bucket;
  assign m_place  = request.place;
  assign m_entry  = request.entry;

  stream_arbiter #(
    .T(victim_t),
    .N(Movers)
  ) victim_merge (
    .clk,
    .rst,
    .s_data (victims),
    .s_valid(judging_q ? '0 : victims_valid),
    .s_ready(victims_ready),
    .m_data (victim),
    .m_index(victim_mover),
    .m_valid(victim_valid_o),
    .m_ready(victim_ready_i)
  );

  assign victim_tuple_o = victim.tuple;
  assign victim_id_o    = victim.id;

  stream_arbiter #(
    .T(done_t),
    .N(Movers)
  ) done_merge (
    .clk,
    .rst,
    .s_data (dones),
    .s_valid(dones_valid),
    .s_ready(dones_ready),
    .m_data (done),
    .m_index(),
    .m_valid(done_valid_o),
    .m_ready(done_ready_i)
  );

  assign done_slot_o      = done.slot;
  assign done_in_memory_o = done.in_memory;

  logic [BudgetWidth-1:0] budget_q;

  assign inserting_o = budget_q != '0;
  assign kick_o      = kick != '0;  // one a clock: a write each

  always_ff @(posedge clk) begin
    if (victim_valid_o && victim_ready_i) begin
      judging_q <= 1'b1;
      judged_q  <= victim_mover;
    end else if (victim_judged_i) begin
      judging_q <= 1'b0;
    end

    if (placed != '0 || inserted_i) budget_q <= BudgetWidth'(KickBudget);
    else if (kick_o && inserting_o) budget_q <= budget_q - 1'b1;

    if (rst) begin
      judging_q <= 1'b0;
      budget_q  <= BudgetWidth'(KickBudget);
    end
  end

endmodule
