// SPDX-License-Identifier: Apache-2.0

// Neighbours' MAC addresses: four ways, the set chosen by the last bits of the IP address, so that
// the hosts of one subnet spread evenly.
//
// Latency    hit_o, mac_o and refresh_o belong to lookup_ip_i of the clock before with lookup_i, with Registers
//            to that of 3 clocks before, and stay until the next lookup. What is learnt is found 4 clocks later, and 1 clock more
//            for each lookup meanwhile.
// Throughput one lookup a clock; learning then waits, so leave a clock free now and then. With Registers
//            an answer stands whole until the next lookup is made, and no longer.
// Paths      the outputs are one level of logic behind registers; s_learn_ready follows lookup_i, with Registers
//            a register: one before the table is read, and one between reading and comparing.
//
// An entry that nobody has renewed for ageing_s_i seconds is forgotten (0: never). In the last
// quarter of that time refresh_o asks for a new request while the entry is still good, so that an
// active neighbour is never lost. A new entry takes a free way, else one due for renewal, else the
// ways in turn.
module arp_cache
  import net_headers_pkg::*;
  import arp_pkg::*;
#(
  parameter int Entries   = 16,
  parameter bit Registers = 1'b0
) (
  input  logic         clk,
  input  logic         rst,

  input  logic [31:0]  now_us,
  input  logic [15:0]  ageing_s_i,

  input  logic         lookup_i,
  input  ip_address_t  lookup_ip_i,
  output logic         hit_o,
  output mac_address_t mac_o,
  output logic         refresh_o,

  input  arp_learn_t   s_learn,
  input  logic         s_learn_valid,
  output logic         s_learn_ready,

  // What was taken from s_learn in the clock before.
  output ip_address_t  learnt_ip_o,
  output logic         learnt_o
);

  localparam int Ways = 4;
  localparam int Sets = Entries / Ways;
  localparam int SetBits = $clog2(Sets);

  if (Entries < 2 * Ways || 2 ** $clog2(Entries) != Entries) begin : gen_check_entries
    $error("Entries must be a power of two, at least 8.");
  end

  typedef logic [SetBits-1:0] set_t;

  typedef struct packed {
    neighbour_t  neighbour;
    logic [15:0] seen_s;     // when we heard of it last
  } entry_t;

  logic [15:0] now_s;

  seconds_counter seconds (
    .clk,
    .rst,
    .now_us,
    .seconds_o(now_s)
  );

  // One operation at a time beside the lookups: learning, or else looking through the sets for
  // entries that have got old.
  typedef enum logic [1:0] {
    StRead,     // the set, in a clock without lookup
    StCompare,
    StJudge,
    StApply
  } state_e;

  state_e state_q;
  arp_learn_t learn_q;
  logic learning_q;
  set_t sweep_q, set_q, read_set;
  logic [15:0] due_age_q;  // from here on renewal is due

  logic [Ways-1:0] write_way_q;  // in StApply, and none otherwise: it is the RAM's own enable
  entry_t write_entry;
  entry_t [Ways-1:0] read_entry, entry_q;
  logic [Ways-1:0][Sets-1:0] valid_q, due_q;

  logic lookup;
  set_t lookup_set;

  assign s_learn_ready = state_q == StRead && !lookup;
  assign learnt_ip_o   = learn_q.neighbour.ip;
  assign learnt_o      = state_q == StCompare && learning_q;

  always_comb begin
    if (lookup) read_set = lookup_set;
    else if (s_learn_valid) read_set = set_t'(s_learn.neighbour.ip);
    else read_set = sweep_q;
  end

  for (genvar way = 0; way < Ways; way++) begin : gen_way
    ram_distributed #(
      .Width($bits(entry_t)),
      .Depth(Sets)
    ) ram (
      .clk,
      .write_enable_i (write_way_q[way]),
      .write_address_i(set_q),
      .write_data_i   (write_entry),
      .read_address_i (read_set),
      .read_data_o    (read_entry[way])
    );
  end

  // Lookup.

  logic [Ways-1:0] hit_q, refresh_q;
  mac_address_t [Ways-1:0] mac_q;

  if (Registers) begin : gen_registers
    logic lookup_q, read_q;
    ip_address_t lookup_ip_q, ip_q;
    ip_address_t [Ways-1:0] found_ip_q;
    logic [Ways-1:0] found_q;

    assign lookup     = lookup_q;
    assign lookup_set = set_t'(lookup_ip_q);

    always_ff @(posedge clk) begin
      lookup_q    <= lookup_i;
      lookup_ip_q <= lookup_ip_i;
      read_q      <= lookup_q;
      if (lookup_q) begin
        ip_q <= lookup_ip_q;
        for (int way = 0; way < Ways; way++) begin
          found_q[way]    <= valid_q[way][read_set];
          found_ip_q[way] <= read_entry[way].neighbour.ip;
          refresh_q[way]  <= due_q[way][read_set];
          mac_q[way]      <= read_entry[way].neighbour.mac;
        end
      end
      if (read_q) begin
        for (int way = 0; way < Ways; way++) hit_q[way] <= found_q[way] && found_ip_q[way] == ip_q;
      end

      if (rst) begin
        lookup_q <= 1'b0;
        read_q   <= 1'b0;
      end
    end
  end else begin : gen_at_once
    assign lookup     = lookup_i;
    assign lookup_set = set_t'(lookup_ip_i);

    always_ff @(posedge clk) begin
      if (lookup_i) begin
        for (int way = 0; way < Ways; way++) begin
          hit_q[way]     <= valid_q[way][read_set] && read_entry[way].neighbour.ip == lookup_ip_i;
          refresh_q[way] <= due_q[way][read_set];
          mac_q[way]     <= read_entry[way].neighbour.mac;
        end
      end
    end
  end

  assign hit_o     = |hit_q;
  assign refresh_o = |(hit_q & refresh_q);

  always_comb begin
    mac_o = '0;
    for (int way = 0; way < Ways; way++) if (hit_q[way]) mac_o |= mac_q[way];
  end

  // Learning and ageing.

  logic [Ways-1:0] valid_in_set_q, due_in_set_q, match_q, expired_q, old_q;
  logic [Ways-1:0][15:0] age_q;
  logic [Sets-1:0][$clog2(Ways)-1:0] turn_q;
  logic [Ways-1:0] victim;

  function automatic logic [Ways-1:0] lowest(input logic [Ways-1:0] ways);
    return ways & (~ways + 1'b1);
  endfunction

  always_comb begin
    if (valid_in_set_q != '1) victim = lowest(~valid_in_set_q);
    else if (due_in_set_q != '0) victim = lowest(due_in_set_q);
    else victim = Ways'(1) << turn_q[set_q];
  end

  assign write_entry = '{neighbour: learn_q.neighbour, seen_s: now_s};

  always_ff @(posedge clk) begin
    due_age_q <= ageing_s_i - (ageing_s_i >> 2);

    unique case (state_q)
      StRead: begin
        if (!lookup) begin
          state_q    <= StCompare;
          learning_q <= s_learn_valid;
          learn_q    <= s_learn;
          set_q      <= read_set;
          entry_q    <= read_entry;
        end
      end
      StCompare: begin
        state_q <= StJudge;
        for (int way = 0; way < Ways; way++) begin
          valid_in_set_q[way] <= valid_q[way][set_q];
          due_in_set_q[way]   <= due_q[way][set_q];
          match_q[way]        <= valid_q[way][set_q]
              && entry_q[way].neighbour.ip == learn_q.neighbour.ip;
          age_q[way]          <= now_s - entry_q[way].seen_s;
        end
      end
      StJudge: begin
        state_q <= StApply;
        if (!learning_q) write_way_q <= '0;
        else if (match_q != '0) write_way_q <= match_q;
        else write_way_q <= learn_q.insert ? victim : '0;
        for (int way = 0; way < Ways; way++) begin
          expired_q[way] <= age_q[way] >= ageing_s_i && ageing_s_i != '0;
          old_q[way]     <= age_q[way] >= due_age_q && ageing_s_i != '0;
        end
      end
      StApply: begin
        state_q     <= StRead;
        write_way_q <= '0;
        if (learning_q) begin
          for (int way = 0; way < Ways; way++) begin
            if (write_way_q[way]) begin
              valid_q[way][set_q] <= 1'b1;
              due_q[way][set_q]   <= 1'b0;
            end
          end
          if (match_q == '0 && learn_q.insert) turn_q[set_q] <= turn_q[set_q] + 1'b1;
        end else begin
          for (int way = 0; way < Ways; way++) begin
            if (expired_q[way]) valid_q[way][set_q] <= 1'b0;
            due_q[way][set_q] <= old_q[way];
          end
          sweep_q <= sweep_q + 1'b1;
        end
      end
      default: state_q <= StRead;
    endcase

    if (rst) begin
      state_q     <= StRead;
      write_way_q <= '0;
      sweep_q <= '0;
      valid_q <= '0;
      due_q   <= '0;
      turn_q  <= '0;
    end
  end

endmodule
