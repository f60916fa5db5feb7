// SPDX-License-Identifier: Apache-2.0

// Which entry of a set of the state cache goes when another needs its place.
//
// Heat   each entry has a rank, the hottest the highest. A hit makes its entry the hottest and those
//        that were hotter one colder; the coldest goes. Ways * log2(Ways) bits a set.
// Recent each entry has a bit that a hit sets; when all would be set, only the last hit's stays. The
//        lowest entry without it goes: cheaper, and nearly as good. Ways bits a set.
//
// Combinational. An entry that may not go (excluded_i) is passed over.
module state_policy
  import toe_config_pkg::*;
#(
  parameter  int Ways      = 4,
  parameter  int Policy    = int'(PolicyHeat),  // of cache_policy_e
  localparam int WayWidth  = (Ways > 1) ? $clog2(Ways) : 1,
  localparam int HeatWidth = Ways * WayWidth
) (
  input  logic [HeatWidth-1:0] heat_i,     // what is remembered of the set
  input  logic [ WayWidth-1:0] way_i,      // the way of a hit
  output logic [HeatWidth-1:0] heat_o,     // what is remembered after it
  output logic [HeatWidth-1:0] start_o,    // what is remembered of an empty set

  input  logic [     Ways-1:0] vacant_i,   // these go first
  input  logic [     Ways-1:0] excluded_i,
  output logic [ WayWidth-1:0] victim_o,
  output logic                 victim_valid_o
);

  typedef logic [WayWidth-1:0] way_t;

  logic [Ways-1:0] cold;  // those that may go by what is remembered

  if (Policy == int'(PolicyHeat)) begin : gen_heat
    way_t rank[Ways];
    way_t coldest;
    logic found;

    always_comb begin
      for (int i = 0; i < Ways; i++) begin
        rank[i] = heat_i[i*WayWidth+:WayWidth];
        start_o[i*WayWidth+:WayWidth] = way_t'(i);
      end
      for (int i = 0; i < Ways; i++) begin
        if (way_i == way_t'(i)) heat_o[i*WayWidth+:WayWidth] = way_t'(Ways - 1);
        else heat_o[i*WayWidth+:WayWidth] = rank[i] - way_t'(rank[i] > rank[way_i]);
      end
      coldest = '0;
      found = 1'b0;
      for (int i = 0; i < Ways; i++) begin
        if (!excluded_i[i] && (!found || rank[i] < coldest)) begin
          coldest = rank[i];
          found = 1'b1;
        end
      end
      for (int i = 0; i < Ways; i++) cold[i] = !excluded_i[i] && rank[i] == coldest;
    end
  end else begin : gen_recent
    logic [Ways-1:0] recent;
    logic [HeatWidth-Ways:0] unused_heat;

    assign unused_heat = heat_i[HeatWidth-1:Ways-1];

    always_comb begin
      start_o = '0;
      recent = heat_i[Ways-1:0];
      cold = ~recent & ~excluded_i;
      if (cold == '0) cold = ~excluded_i;
      recent[way_i] = 1'b1;
      if (recent == '1) begin
        recent = '0;
        recent[way_i] = 1'b1;
      end
      heat_o = HeatWidth'(recent);
    end
  end

  logic [Ways-1:0] chosen;

  always_comb begin
    chosen = (vacant_i & ~excluded_i) != '0 ? vacant_i & ~excluded_i : cold;
    victim_o = '0;
    for (int i = Ways - 1; i >= 0; i--) begin
      if (chosen[i]) victim_o = way_t'(i);
    end
  end

  assign victim_valid_o = excluded_i != '1;

endmodule
