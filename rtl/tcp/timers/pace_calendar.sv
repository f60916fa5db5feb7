// SPDX-License-Identifier: Apache-2.0

// Connections that wait for their next segment, each at most once, and come out when their time has come.
//
// A calendar: for each time there is a list of those that wait for it. Times are told by Levels wheels of
// 2^SlotsLog2 lists; a list of the first one stands for a microsecond, of each further one for
// four times as many. Who waits longer than a wheel reaches goes to the next one, so a list of
// it stands for an eighth of the wait at most.
//
//   push --> wheel, list --> heads (LUT RAM), links (RAM: who follows in the list) --> scan --> m
//
// push        always accepted, one a clock, from init_done_o on. The user's care: an id is in it once.
// Accuracy    up to an eighth of the wait early, a microsecond exactly up to 2^SlotsLog2 - 1; late by
//             4 * Levels clocks, and 4 for each id that comes out before it. While the scan is behind the
//             time, what waits as long as a whole wheel is early by as much. No wait at all: the next visit.
// Order       of those that come at the same time, none is promised.
// Throughput  an id in three clocks.
// Time        now_us may jump forward and goes round.
// Paths       m_ready goes no further than a register.
// Start       init_done_o a clock for each list after reset.
module pace_calendar #(
  parameter  int Connections = 64,
  parameter  int Levels      = 6,
  parameter  int SlotsLog2   = 5,
  localparam int IdWidth     = $clog2(Connections),
  localparam int WaitWidth   = SlotsLog2 + 2 * (Levels - 1)
) (
  input  logic                 clk,
  input  logic                 rst,

  input  logic [         31:0] now_us,
  output logic                 init_done_o,

  input  logic [  IdWidth-1:0] push_id,
  input  logic [WaitWidth-1:0] push_wait_us,
  input  logic                 push_valid,

  output logic [  IdWidth-1:0] m_id,
  output logic                 m_valid,
  input  logic                 m_ready
);

  // One more for those that do not wait, a list of its own.
  localparam int LevelWidth = $clog2(Levels + 1);
  localparam int PlaceWidth = LevelWidth + SlotsLog2;

  typedef logic [LevelWidth-1:0] level_t;
  typedef logic [SlotsLog2-1:0] slot_t;
  typedef logic [PlaceWidth-1:0] place_t;

  localparam level_t NoWait = level_t'(Levels);

  if (Connections < 2 || Connections != 2 ** IdWidth) begin : gen_check_connections
    $error("Connections must be a power of two and at least 2.");
  end
  if (SlotsLog2 < 3 || Levels < 2) begin : gen_check_wheels
    $error("There must be two wheels of eight lists at least.");
  end

  typedef struct packed {
    logic               valid;
    logic [IdWidth-1:0] id;
  } head_t;

  typedef struct packed {
    logic               last;
    logic [IdWidth-1:0] next;
  } link_t;

  // Times are kept in microseconds; a wheel counts in its own unit.
  function automatic logic [31:0] unit_of(input level_t level);
    return 32'd1 << {level, 1'b0};
  endfunction

  function automatic logic [31:0] align(input logic [31:0] time_us, input level_t level);
    return time_us & ~(unit_of(level) - 32'd1);
  endfunction

  function automatic slot_t slot_of(input logic [31:0] time_us, input level_t level);
    return slot_t'(time_us >> {level, 1'b0});
  endfunction

  // ---- Start: all lists are empty --------------------------------------------------------------------

  place_t sweep_q;

  always_ff @(posedge clk) begin
    if (!init_done_o) begin
      sweep_q     <= sweep_q + 1'b1;
      init_done_o <= sweep_q == '1;
    end

    if (rst) begin
      sweep_q     <= '0;
      init_done_o <= 1'b0;
    end
  end

  // ---- Going in: when, in which list, and in front of whom ---------------------------------------------

  typedef struct packed {
    logic [IdWidth-1:0] id;
    level_t             level;
  } entry_t;

  entry_t entry_1_q, entry_2_q;
  logic [31:0] due_1_q;
  logic [31:0] ahead_2_q;  // of where the wheel stands
  slot_t due_slot_2_q, stands_slot_2_q;
  logic [IdWidth-1:0] id_3_q;
  place_t place_3_q;
  logic valid_1_q, valid_2_q, valid_3_q, going_in;
  logic [31:0] stands_put;

  assign going_in = push_valid || valid_1_q || valid_2_q || valid_3_q;

  function automatic level_t level_for(input logic [WaitWidth-1:0] wait_us);
    level_for = '0;
    if (wait_us == '0) return NoWait;
    for (int n = 1; n < Levels; n++) begin
      if (|(wait_us >> (SlotsLog2 + 2 * (n - 1)))) level_for = level_t'(n);
    end
  endfunction

  always_ff @(posedge clk) begin
    valid_1_q <= push_valid && init_done_o;
    entry_1_q <= '{id: push_id, level: level_for(push_wait_us)};
    due_1_q   <= now_us + 32'(push_wait_us);

    valid_2_q       <= valid_1_q;
    entry_2_q       <= entry_1_q;
    ahead_2_q       <= align(due_1_q, entry_1_q.level) - stands_put;
    due_slot_2_q    <= slot_of(due_1_q, entry_1_q.level);
    stands_slot_2_q <= slot_of(stands_put, entry_1_q.level);

    valid_3_q <= valid_2_q;
    id_3_q    <= entry_2_q.id;
    // Further than the wheel goes: where it stands, to which it comes last.
    if (entry_2_q.level == NoWait) place_3_q <= {NoWait, slot_t'(0)};
    else if (ahead_2_q >> {entry_2_q.level, 1'b0} > 32'(2 ** SlotsLog2))
      place_3_q <= {entry_2_q.level, stands_slot_2_q};
    else place_3_q <= {entry_2_q.level, due_slot_2_q};

    if (rst) begin
      valid_1_q <= 1'b0;
      valid_2_q <= 1'b0;
      valid_3_q <= 1'b0;
    end
  end

  // ---- Coming out: wheel after wheel is turned on by a list, which is then emptied ---------------------

  typedef enum logic [2:0] {
    Look,   // where a wheel stands
    Judge,  // how far it is behind
    Turn,   // by a list, until it is where it was to be at the look; nobody goes in meanwhile
    Read,   // who follows
    Wait,   // for the memory
    Offer
  } state_e;

  state_e state_q;
  level_t level_q;
  logic [31:0] now_q, stands_q, behind_q, stands_look, turned_q;
  logic [IdWidth-1:0] walker_q;
  place_t turned_place;
  head_t head_put, head_turned;
  link_t follower;
  logic turn, far, list_ends;
  logic [31:0] units_behind;

  assign units_behind = behind_q >> {level_q, 1'b0};
  assign far          = units_behind > 32'(2 ** SlotsLog2);
  assign turn         = state_q == Turn && !going_in;
  assign turned_place = level_q == NoWait ? {NoWait, slot_t'(0)}
                                          : {level_q, slot_of(turned_q, level_q)};

  assign list_ends = (turn && !head_turned.valid) || (m_valid && m_ready && follower.last);

  always_ff @(posedge clk) begin
    unique case (state_q)
      Look: begin
        now_q    <= align(now_us, level_q);
        stands_q <= stands_look;
        behind_q <= align(now_us, level_q) - stands_look;
        state_q  <= init_done_o ? Judge : Look;
      end
      Judge: begin
        // All lists are due after so long: each is visited once.
        turned_q <= far ? now_q - (32'(2 ** SlotsLog2 - 1) << {level_q, 1'b0}) : stands_q + unit_of(
            level_q
        );
        if (level_q == NoWait || behind_q != '0) begin
          state_q <= Turn;
        end else begin
          state_q <= Look;
          level_q <= level_q + 1'b1;
        end
      end
      Turn:
      if (turn) begin
        walker_q <= head_turned.id;
        stands_q <= turned_q;
        behind_q <= now_q - turned_q;
        state_q  <= Read;
      end
      Read: state_q <= Wait;
      Wait: state_q <= Offer;
      default:  // Offer
      if (m_ready) begin
        walker_q <= follower.next;
        state_q  <= Read;
      end
    endcase

    if (list_ends) begin
      state_q <= level_q == NoWait ? Look : Judge;
      if (level_q == NoWait) level_q <= '0;
    end

    if (rst) begin
      state_q <= Look;
      level_q <= '0;
    end
  end

  assign m_id    = walker_q;
  assign m_valid = state_q == Offer;

  // ---- Memories -------------------------------------------------------------------------------------------

  logic stands_write, heads_write;
  level_t stands_write_level;
  logic [31:0] stands_next;
  place_t heads_write_place;
  head_t head_next;

  assign stands_write       = !init_done_o || (turn && level_q != NoWait);
  assign stands_write_level = init_done_o ? level_q : level_t'(sweep_q);
  assign stands_next        = init_done_o ? turned_q : align(now_us, level_t'(sweep_q));

  assign heads_write        = !init_done_o || turn || valid_3_q;
  assign heads_write_place  = !init_done_o ? sweep_q : valid_3_q ? place_3_q : turned_place;
  assign head_next          = init_done_o && valid_3_q ? '{valid: 1'b1, id: id_3_q} : '0;

  ram_distributed #(
    .Width(32),
    .Depth(2 ** LevelWidth)
  ) stands_for_push (
    .clk,
    .write_enable_i (stands_write),
    .write_address_i(stands_write_level),
    .write_data_i   (stands_next),
    .read_address_i (entry_1_q.level),
    .read_data_o    (stands_put)
  );

  ram_distributed #(
    .Width(32),
    .Depth(2 ** LevelWidth)
  ) stands_for_scan (
    .clk,
    .write_enable_i (stands_write),
    .write_address_i(stands_write_level),
    .write_data_i   (stands_next),
    .read_address_i (level_q),
    .read_data_o    (stands_look)
  );

  ram_distributed #(
    .Width($bits(head_t)),
    .Depth(2 ** PlaceWidth)
  ) heads_for_push (
    .clk,
    .write_enable_i (heads_write),
    .write_address_i(heads_write_place),
    .write_data_i   (head_next),
    .read_address_i (place_3_q),
    .read_data_o    (head_put)
  );

  ram_distributed #(
    .Width($bits(head_t)),
    .Depth(2 ** PlaceWidth)
  ) heads_for_scan (
    .clk,
    .write_enable_i (heads_write),
    .write_address_i(heads_write_place),
    .write_data_i   (head_next),
    .read_address_i (turned_place),
    .read_data_o    (head_turned)
  );

  // Who is read is in a list that nobody joins any more, so it is not written meanwhile.
  ram_simple_dual_port #(
    .Width      ($bits(link_t)),
    .Depth      (Connections),
    .ReadLatency(2)
  ) links (
    .clk,
    .write_enable_i (valid_3_q),
    .write_address_i(id_3_q),
    .write_data_i   (link_t'({!head_put.valid, head_put.id})),
    .read_enable_i  (state_q == Read),
    .read_address_i (walker_q),
    .read_data_o    (follower)
  );

endmodule
