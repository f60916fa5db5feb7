// SPDX-License-Identifier: Apache-2.0

// What state_cache and state_mover promise each other. Each one's proof assumes the other's part
// and asserts its own.
//
// The cache   begins a miss for a connection that is away, with a victim that is cached or without
//             one, at an entry whose last miss is over: filled, and settled. It writes a connection
//             only while it is cached. What it shows of the victim two clocks after vacate_i is
//             what was written last, and whether it was written since it was filled. id_i of an
//             entry stays until its fill.
// The mover   reads each victim once, from the place of its job, before the job is over
//             (begin_ready_i); fills each miss once, after its victim was read, with what was
//             written last of its connection; and does not call an entry settled during its job.
//
// For one connection, whose state is a number; what of a state must be that number is the proof's
// to say (*_fits_i, about number_o). At reset all are away, and it is 0.
module state_mover_contract #(
  parameter  bit AssumeCache = 1'b0,
  parameter  bit AssumeMover = 1'b0,
  parameter  int IdWidth     = 4,
  parameter  int SlotWidth   = 2,
  parameter  int Misses      = 2,
  localparam int MissWidth   = $clog2(Misses),
  localparam int NumberWidth = 4
) (
  input  logic                           clk,
  input  logic                           rst,
  input  logic [IdWidth-1:0]             chosen_i,          // an arbitrary constant

  input  logic                           begin_i,           // valid, and ready
  input  logic                           begin_ready_i,
  input  logic [MissWidth-1:0]           begin_miss_i,
  input  logic [IdWidth-1:0]             begin_id_i,
  input  logic [SlotWidth-1:0]           begin_slot_i,
  input  logic [IdWidth-1:0]             victim_id_i,
  input  logic                           victim_valid_i,
  input  logic [Misses-1:0][IdWidth-1:0] id_i,

  input  logic                           vacate_i,
  input  logic [SlotWidth-1:0]           vacate_slot_i,
  input  logic                           vacate_fits_i,
  input  logic                           vacate_changed_i,

  input  logic                           fill_i,            // offered,
  input  logic                           fill_ready_i,      // and taken
  input  logic [MissWidth-1:0]           fill_miss_i,
  input  logic                           fill_fits_i,
  input  logic [Misses-1:0]              settled_i,

  input  logic                           written_i,         // the chosen connection
  input  logic [NumberWidth-1:0]         written_number_i,
  output logic [NumberWidth-1:0]         number_o
);

  typedef enum logic [1:0] {
    Away,     // not in the cache: in DRAM, or blank
    Fetched,
    Cached,
    Leaving   // has not been read yet
  } where_e;

  typedef enum logic [2:0] {
    JobNone,
    JobVacate,  // the victim is to be read
    JobWait,
    JobTake,    // it is there
    JobRest
  } job_e;

  // The chosen connection.
  where_e where_q;
  logic [NumberWidth-1:0] number_q;  // written last
  logic changed_q;                   // since it was filled
  // The latest job.
  job_e job_q;
  logic [MissWidth-1:0] job_miss_q;
  logic [SlotWidth-1:0] job_slot_q;
  // Entries.
  logic [Misses-1:0] coming_q;   // to be filled
  logic [Misses-1:0] vacated_q;  // nothing is in the way
  logic [Misses-1:0] open_q;     // not settled
  logic [Misses-1:0][IdWidth-1:0] id_q;

  logic ends, fills, leaves, fetches;

  assign number_o = number_q;
  assign ends     = job_q == JobRest && begin_ready_i;
  assign fills    = fill_i && fill_ready_i;
  assign leaves   = begin_i && victim_valid_i && victim_id_i == chosen_i;
  assign fetches  = begin_i && begin_id_i == chosen_i;

  always_ff @(posedge clk) begin
    unique case (job_q)
      JobVacate: if (vacate_i) job_q <= JobWait;
      JobWait:   job_q <= JobTake;
      JobTake: begin
        job_q                 <= JobRest;
        vacated_q[job_miss_q] <= 1'b1;
        if (where_q == Leaving) where_q <= Away;
      end
      default:   if (ends) job_q <= JobNone;
    endcase
    open_q <= open_q & ~settled_i;
    if (fills) begin
      coming_q[fill_miss_i] <= 1'b0;
      if (id_q[fill_miss_i] == chosen_i) begin
        where_q   <= Cached;
        changed_q <= 1'b0;
      end
    end
    if (written_i) begin
      number_q  <= written_number_i;
      changed_q <= 1'b1;
    end
    if (leaves) where_q <= Leaving;
    if (fetches) where_q <= Fetched;
    if (begin_i) begin
      job_q                   <= victim_valid_i ? JobVacate : JobRest;
      job_miss_q              <= begin_miss_i;
      job_slot_q              <= begin_slot_i;
      coming_q[begin_miss_i]  <= 1'b1;
      vacated_q[begin_miss_i] <= !victim_valid_i;
      open_q[begin_miss_i]    <= 1'b1;
      id_q[begin_miss_i]      <= begin_id_i;
    end

    if (rst) begin
      where_q  <= Away;
      number_q <= '0;
      job_q    <= JobNone;
      coming_q <= '0;
      open_q   <= '0;
    end
  end

  // ---------------------------------------------------------------- what is promised

  logic unused, away, victim, cached, shown, kept;
  logic ready, vacates, fillable, newest, settles;

  assign unused = !begin_i || !(coming_q[begin_miss_i]
                                || (open_q[begin_miss_i] && !settled_i[begin_miss_i]));
  assign away   = !fetches || where_q == Away;
  assign victim = !leaves || (where_q == Cached && !fetches);
  assign cached = !written_i || where_q == Cached;
  assign shown  = !(job_q == JobTake && where_q == Leaving)
      || (vacate_fits_i && vacate_changed_i == changed_q);

  always_comb begin
    kept = 1'b1;
    for (int i = 0; i < Misses; i++) if (coming_q[i] && id_i[i] != id_q[i]) kept = 1'b0;
  end

  assign ready    = !begin_ready_i || job_q == JobNone || job_q == JobRest;
  assign vacates  = !vacate_i || (job_q == JobVacate && vacate_slot_i == job_slot_q);
  assign fillable = !fill_i || (coming_q[fill_miss_i] && vacated_q[fill_miss_i]);
  assign newest   = !(fill_i && where_q == Fetched && id_q[fill_miss_i] == chosen_i) || fill_fits_i;
  assign settles  = job_q == JobNone || ends || !settled_i[job_miss_q];

  if (AssumeCache) begin : gen_assume_cache
    always_ff @(posedge clk) if (!rst) assume (unused && away && victim && cached && shown && kept);
  end else begin : gen_assert_cache
    always_ff @(posedge clk) begin
      if (!rst) begin
        cache_unused : assert (unused);
        cache_away : assert (away);
        cache_victim : assert (victim);
        cache_cached : assert (cached);
        cache_shown : assert (shown);
        cache_kept : assert (kept);
      end
    end
  end

  if (AssumeMover) begin : gen_assume_mover
    always_ff @(posedge clk) if (!rst) assume (ready && vacates && fillable && newest && settles);
  end else begin : gen_assert_mover
    always_ff @(posedge clk) begin
      if (!rst) begin
        mover_ready : assert (ready);
        mover_vacates : assert (vacates);
        mover_fillable : assert (fillable);
        mover_newest : assert (newest);
        mover_settles : assert (settles);
      end
    end
  end

endmodule
