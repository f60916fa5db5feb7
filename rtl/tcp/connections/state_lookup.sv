// SPDX-License-Identifier: Apache-2.0

// Front of the state cache: where on chip an event's connection is, and the choice of a place for one
// that is not there.
//
//   s --> [ first ] tags of its set --> [ second ] compare --> [ third ] --+--> m      hit
//                                                                          +--> park   being fetched
//                                                                          +--> begin  miss: also parks
//
// A connection whose state is on its way, or whose parked events are not all gone, is not a hit yet:
// its events queue behind those that wait. So events of one connection stay in order.
//
// Latency    3 clocks from s to m for a hit, without a stall.
// Throughput one event a clock while they hit or merge. A miss takes 5 clocks: a victim is chosen, then
//            the tags of the two events behind are read again.
// Stalls     everything waits while the event in front has no place: m, a miss entry, a parking place
//            or an entry of its set is missing. All of them come back without help from behind.
// Victims    never one that is being fetched or vacated (busy_i), and none that an event on its way
//            through the pipeline may still write (live_i).
module state_lookup
  import tcp_pkg::*;
  import toe_config_pkg::*;
#(
  parameter  int Connections = 64,
  parameter  int Entries     = 16,
  parameter  int Ways        = 4,
  parameter  int Policy      = int'(PolicyHeat),
  parameter  int Misses      = 16,
  localparam int IdWidth     = $clog2(Connections),
  localparam int SlotWidth   = $clog2(Entries)
) (
  input  logic                             clk,
  input  logic                             rst,
  output logic                             init_done_o,

  input  tcp_event_t                       s_event,
  input  logic [IdWidth-1:0]               s_id,
  input  logic                             s_valid,
  output logic                             s_ready,

  output tcp_event_t                       m_event,
  output logic [IdWidth-1:0]               m_id,
  output logic [SlotWidth-1:0]             m_slot,
  output logic                             m_named,        // it is of a connection
  output logic                             m_valid,
  input  logic                             m_ready,

  // Misses under way, one bit each.
  output logic [IdWidth-1:0]               match_id_o,
  input  logic [Misses-1:0]                match_i,        // events of match_id_o are parked there
  input  logic [Misses-1:0]                parking_i,      // events are parked there
  input  logic [Misses-1:0]                busy_i,
  input  logic [Misses-1:0][SlotWidth-1:0] busy_slot_i,
  output logic [SlotWidth-1:0]             live_slot_o,
  input  logic                             live_i,         // of live_slot_o

  // m_event waits for a state: behind others, or it begins a miss.
  output logic [Misses-1:0]                park_match_o,
  output logic                             park_valid_o,
  output logic                             begin_valid_o,
  output logic [SlotWidth-1:0]             begin_slot_o,
  output logic [IdWidth-1:0]               victim_id_o,    // who leaves that slot
  output logic                             victim_valid_o,
  input  logic                             park_ready_i,
  input  logic                             begin_ready_i,

  output logic                             hit_o
);

  localparam int WayWidth = $clog2(Ways);
  localparam int Sets = Entries / Ways;
  localparam int SetWidth = $clog2(Sets);
  localparam int TagWidth = IdWidth - SetWidth;
  localparam int HeatWidth = Ways * WayWidth;

  if (Ways < 2 || Ways != 2 ** WayWidth) begin : gen_check_ways
    $error("Ways must be a power of two and at least 2.");
  end
  if (Sets < 2 || Entries != Ways * 2 ** SetWidth) begin : gen_check_entries
    $error("Entries must be a power of two and at least twice Ways.");
  end
  if (Entries >= Connections) begin : gen_check_connections
    $error("Entries must be fewer than Connections: with a place for each no cache is needed.");
  end

  typedef logic [SetWidth-1:0] set_t;
  typedef logic [WayWidth-1:0] way_t;

  typedef struct packed {
    logic                valid;
    logic [TagWidth-1:0] tag;
  } place_t;

  typedef place_t [Ways-1:0] places_t;

  typedef struct packed {
    tcp_event_t         ev;
    logic [IdWidth-1:0] id;
  } entry_t;

  typedef enum logic [2:0] {
    StSweep,   // after reset: empty every set
    StRun,
    StChoose,  // who leaves the set
    StBegin,   // it is no longer in use: its place is taken
    StAgain,   // tags of the second event are read again,
    StAgain2   // and of the first
  } state_e;

  state_e state_q;
  set_t sweep_q, third_set;
  entry_t first_q, second_q, third_q;
  logic first_valid_q, second_valid_q, third_valid_q, third_named_q;
  places_t places, places_q, third_places_q;
  logic [Ways-1:0] hits, hits_q, pending_q;
  logic [Misses-1:0] match_q;
  logic hit, parks, misses, leaves, move;

  // ---------------------------------------------------------------- tags

  logic read_tags;
  set_t read_set;
  logic [Ways-1:0] tag_write;

  always_comb begin
    unique case (state_q)
      StAgain: begin
        read_tags = 1'b1;
        read_set  = second_q.id[SetWidth-1:0];
      end
      StAgain2: begin
        read_tags = 1'b1;
        read_set  = first_q.id[SetWidth-1:0];
      end
      default: begin
        read_tags = move;
        read_set  = s_id[SetWidth-1:0];
      end
    endcase
  end

  ram_simple_dual_port #(
    .Width      ($bits(places_t)),
    .Depth      (Sets),
    .StrobeWidth($bits(place_t)),
    .ReadLatency(1)
  ) tag_ram (
    .clk,
    .write_enable_i (init_done_o ? tag_write : '1),
    .write_address_i(init_done_o ? third_set : sweep_q),
    .write_data_i   (init_done_o ? {Ways{1'b1, third_q.id[IdWidth-1:SetWidth]}} : '0),
    .read_enable_i  (read_tags),
    .read_address_i (read_set),
    .read_data_o    (places)
  );

  always_comb begin
    for (int i = 0; i < Ways; i++)
    hits[i] = places_q[i].valid && places_q[i].tag == second_q.id[IdWidth-1:SetWidth];
  end

  // ---------------------------------------------------------------- what becomes of the third

  way_t hit_way, victim, victim_q;
  logic victim_found;

  assign third_set = third_q.id[SetWidth-1:0];
  assign match_id_o = second_q.id;
  assign park_match_o = match_q & parking_i;

  assign hit = hits_q != '0;
  assign parks = third_valid_q && third_named_q && hit && park_match_o != '0;
  assign misses = third_valid_q && third_named_q && !hit;

  assign m_event = third_q.ev;
  assign m_id = third_q.id;
  assign m_slot = {third_set, hit_way};
  assign m_named = third_named_q;
  assign m_valid = state_q == StRun && third_valid_q && !parks && !misses;

  assign park_valid_o = state_q == StRun && parks && park_ready_i;
  assign leaves = (m_valid && m_ready) || park_valid_o;
  assign move = state_q == StRun && (!third_valid_q || leaves);
  assign s_ready = move;
  assign hit_o = m_valid && m_ready && third_named_q;

  always_comb begin
    hit_way = '0;
    for (int i = 0; i < Ways; i++) if (hits_q[i]) hit_way = way_t'(i);
  end

  assign live_slot_o = {third_set, victim_q};
  assign begin_valid_o = state_q == StBegin && !live_i && begin_ready_i && park_ready_i;
  assign begin_slot_o = live_slot_o;
  assign victim_valid_o = third_places_q[victim_q].valid;
  assign victim_id_o = {third_places_q[victim_q].tag, third_set};

  always_comb begin
    tag_write = '0;
    tag_write[victim_q] = begin_valid_o;
  end

  // ---------------------------------------------------------------- heat

  logic [HeatWidth-1:0] heat, heat_after, heat_start;
  logic [Ways-1:0] vacant;

  always_comb begin
    for (int i = 0; i < Ways; i++) vacant[i] = !third_places_q[i].valid;
  end

  ram_distributed #(
    .Width(HeatWidth),
    .Depth(Sets)
  ) heat_ram (
    .clk,
    .write_enable_i (!init_done_o || begin_valid_o || (leaves && third_named_q)),
    .write_address_i(init_done_o ? third_set : sweep_q),
    .write_data_i   (init_done_o ? heat_after : heat_start),
    .read_address_i (third_set),
    .read_data_o    (heat)
  );

  state_policy #(
    .Ways  (Ways),
    .Policy(Policy)
  ) policy (
    .heat_i        (heat),
    .way_i         (state_q == StBegin ? victim_q : hit_way),
    .heat_o        (heat_after),
    .start_o       (heat_start),
    .vacant_i      (vacant),
    .excluded_i    (pending_q),
    .victim_o      (victim),
    .victim_valid_o(victim_found)
  );

  // ---------------------------------------------------------------- moving on

  always_ff @(posedge clk) begin
    // Entries of the third event's set that are not at rest.
    pending_q <= '0;
    for (int i = 0; i < Misses; i++) begin
      if (busy_i[i] && busy_slot_i[i][SlotWidth-1:WayWidth] == third_set)
        pending_q[busy_slot_i[i][WayWidth-1:0]] <= 1'b1;
    end

    unique case (state_q)
      StSweep: begin
        sweep_q <= sweep_q + 1'b1;
        if (sweep_q == '1) state_q <= StRun;
      end
      StRun: if (misses) state_q <= StChoose;
      StChoose: begin
        victim_q <= victim;
        if (victim_found) state_q <= StBegin;
      end
      StBegin: if (begin_valid_o) state_q <= StAgain;
      StAgain: state_q <= StAgain2;
      default: state_q <= StRun;
    endcase

    if (move) begin
      first_q.ev     <= s_event;
      first_q.id     <= s_id;
      first_valid_q  <= s_valid;
      second_q       <= first_q;
      second_valid_q <= first_valid_q;
      places_q       <= places;
      third_q        <= second_q;
      third_valid_q  <= second_valid_q;
      third_named_q  <= names_connection(second_q.ev);
      third_places_q <= places_q;
      hits_q         <= hits;
      match_q        <= match_i;
    end
    if (begin_valid_o) third_valid_q <= 1'b0;
    if (state_q == StAgain2) places_q <= places;

    if (rst) begin
      state_q        <= StSweep;
      sweep_q        <= '0;
      first_valid_q  <= 1'b0;
      second_valid_q <= 1'b0;
      third_valid_q  <= 1'b0;
    end
  end

  assign init_done_o = state_q != StSweep;

endmodule
