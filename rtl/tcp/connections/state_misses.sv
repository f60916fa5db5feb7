// SPDX-License-Identifier: Apache-2.0

// Misses of the state cache: the events that wait for a state, in order for each connection, and what
// is known of each state on its way.
//
//   park, begin --> event RAM, one list for each miss --> m, when its state is there
//
// A miss entry is in use from begin until its state is in the cache, its list is empty, and its
// victim has arrived in memory.
//
// Latency    3 clocks from filled_i to m.
// Throughput one event in or out of the lists a clock, in; one in 3 clocks, out. Misses whose state
//            is there take turns.
module state_misses
  import tcp_pkg::*;
#(
  parameter  int Connections = 64,
  parameter  int Entries     = 16,
  parameter  int Misses      = 16,   // at once
  parameter  int Parked      = 64,   // events in all lists
  localparam int IdWidth     = $clog2(Connections),
  localparam int SlotWidth   = $clog2(Entries),
  localparam int MissWidth   = $clog2(Misses)
) (
  input  logic                             clk,
  input  logic                             rst,

  // An event waits: behind others, or as the first of a new miss.
  input  tcp_event_t                       park_event_i,
  input  logic [Misses-1:0]                park_match_i,    // one-hot
  input  logic                             park_valid_i,
  input  logic                             begin_valid_i,
  input  logic [IdWidth-1:0]               begin_id_i,
  input  logic [SlotWidth-1:0]             begin_slot_i,
  output logic [MissWidth-1:0]             begin_miss_o,    // its number
  output logic                             park_ready_o,    // there is a place for an event,
  output logic                             begin_ready_o,   // and an entry for a miss

  input  logic [IdWidth-1:0]               match_id_i,
  output logic [Misses-1:0]                match_o,
  output logic [Misses-1:0]                parking_o,
  output logic [Misses-1:0]                busy_o,
  output logic [Misses-1:0][SlotWidth-1:0] slot_o,
  output logic [Misses-1:0][IdWidth-1:0]   id_o,

  input  logic [Misses-1:0]                filled_i,        // its state is in the cache now
  input  logic [Misses-1:0]                settled_i,       // and its victim in memory

  output tcp_event_t                       m_event,
  output logic [IdWidth-1:0]               m_id,
  output logic [SlotWidth-1:0]             m_slot,
  output logic                             m_valid,
  input  logic                             m_ready,

  output logic [$clog2(Parked):0]          parked_o
);

  localparam int PlaceWidth = $clog2(Parked);

  if (Misses < 2 || Misses != 2 ** MissWidth) begin : gen_check_misses
    $error("Misses must be a power of two and at least 2.");
  end
  if (Parked < Misses || Parked != 2 ** PlaceWidth) begin : gen_check_parked
    $error("Parked must be a power of two and at least Misses.");
  end

  typedef logic [PlaceWidth-1:0] place_t;
  typedef logic [PlaceWidth:0] count_t;
  typedef logic [MissWidth-1:0] miss_t;

  logic [Misses-1:0] busy_q, filled_q;
  logic [Misses-1:0][IdWidth-1:0] id_q;
  logic [Misses-1:0][SlotWidth-1:0] slot_q;
  place_t [Misses-1:0] head_q, tail_q;
  count_t [Misses-1:0] count_q;

  // ---------------------------------------------------------------- in

  place_t place, next;
  logic place_valid, push, pop;
  count_t free_places;
  miss_t pushed, vacant_q, chosen_q;
  logic vacant_valid_q;
  place_t tail;

  assign push = park_valid_i || begin_valid_i;
  assign park_ready_o = place_valid;
  assign begin_ready_o = vacant_valid_q;
  assign begin_miss_o = vacant_q;
  assign parked_o = (PlaceWidth + 1)'(Parked) - free_places;

  always_comb begin
    pushed = vacant_q;
    for (int i = 0; i < Misses; i++) if (park_valid_i && park_match_i[i]) pushed = miss_t'(i);
    for (int i = 0; i < Misses; i++) begin
      parking_o[i] = count_q[i] != '0;
      match_o[i]   = parking_o[i] && id_q[i] == match_id_i;
    end
  end

  assign busy_o = busy_q;
  assign slot_o = slot_q;
  assign id_o = id_q;
  assign tail = tail_q[pushed];

  id_queue #(
    .Connections(Parked),
    .FullAtReset(1'b1)
  ) places (
    .clk,
    .rst,
    .push_id   (head_q[chosen_q]),
    .push_valid(pop),
    .m_id      (place),
    .m_valid   (place_valid),
    .m_ready   (push),
    .count_o   (free_places)
  );

  // Who comes behind whom.
  ram_distributed #(
    .Width(PlaceWidth),
    .Depth(Parked)
  ) links (
    .clk,
    .write_enable_i (push && count_q[pushed] != '0),
    .write_address_i(tail),
    .write_data_i   (place),
    .read_address_i (head_q[chosen_q]),
    .read_data_o    (next)
  );

  // ---------------------------------------------------------------- out

  typedef enum logic [1:0] {
    StChoose,  // a list whose state is there
    StRead,    // its first event
    StOffer
  } state_e;

  state_e state_q;
  logic [Misses-1:0] ready, grant;

  always_comb begin
    for (int i = 0; i < Misses; i++) ready[i] = filled_q[i] && parking_o[i];
  end

  arbiter #(
    .N(Misses)
  ) turns (
    .clk,
    .rst,
    .request_i(state_q == StChoose ? ready : '0),
    .done_i   (1'b1),
    .grant_o  (grant)
  );

  ram_simple_dual_port #(
    .Width      ($bits(tcp_event_t)),
    .Depth      (Parked),
    .ReadLatency(1)
  ) events (
    .clk,
    .write_enable_i (push),
    .write_address_i(place),
    .write_data_i   (park_event_i),
    .read_enable_i  (state_q == StRead),
    .read_address_i (head_q[chosen_q]),
    .read_data_o    (m_event)
  );

  assign m_valid = state_q == StOffer;
  assign m_id = id_q[chosen_q];
  assign m_slot = slot_q[chosen_q];
  assign pop = m_valid && m_ready;

  always_ff @(posedge clk) begin
    unique case (state_q)
      StChoose: begin
        for (int i = 0; i < Misses; i++) if (grant[i]) chosen_q <= miss_t'(i);
        if (ready != '0) state_q <= StRead;
      end
      StRead:  state_q <= StOffer;
      default: if (m_ready) state_q <= StChoose;
    endcase

    if (push) tail_q[pushed] <= place;
    // The first of a list; or the only one leaves while another comes.
    if (push && (count_q[pushed] == '0
                 || (pop && pushed == chosen_q && count_q[pushed] == count_t'(1))))
      head_q[pushed] <= place;
    if (pop && !(push && pushed == chosen_q && count_q[chosen_q] == count_t'(1)))
      head_q[chosen_q] <= next;

    for (int i = 0; i < Misses; i++) begin
      count_q[i] <= count_q[i] + count_t'(push && pushed == miss_t'(i))
          - count_t'(pop && chosen_q == miss_t'(i));
      if (filled_i[i]) filled_q[i] <= 1'b1;
      if (busy_q[i] && filled_q[i] && settled_i[i] && !parking_o[i]) busy_q[i] <= 1'b0;
    end

    // An entry for the next miss; the one that begins is not known as busy before the next clock.
    vacant_valid_q <= 1'b0;
    for (int i = Misses - 1; i >= 0; i--) begin
      if (!busy_q[i] && !(begin_valid_i && vacant_q == miss_t'(i))) begin
        vacant_q       <= miss_t'(i);
        vacant_valid_q <= 1'b1;
      end
    end

    if (begin_valid_i) begin
      busy_q[vacant_q]   <= 1'b1;
      filled_q[vacant_q] <= 1'b0;
      id_q[vacant_q]     <= begin_id_i;
      slot_q[vacant_q]   <= begin_slot_i;
    end

    if (rst) begin
      state_q        <= StChoose;
      busy_q         <= '0;
      count_q        <= '0;
      vacant_valid_q <= 1'b0;
    end
  end

endmodule
