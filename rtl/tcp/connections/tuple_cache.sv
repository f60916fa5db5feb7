// SPDX-License-Identifier: Apache-2.0

// The latest tuples and their ids on chip: a set-associative cache whose entries are in memory, too,
// so that any of them may be lost.
//
// Latency    2 clocks from read_enable_i to match_o and what is beside it, which keep their values
//            until the next read's. What is written may be seen 1 clock later.
// Throughput one read and one write a clock.
// Collision  an entry that is written in the clock in which its set is read does not match.
// Start      after reset the sets are cleared, one a clock, until init_done_o.
//
// A write changes the ways of write_ways_i: all of them get the same entry, or become free.
module tuple_cache
  import app_pkg::*;
  import tcp_pkg::*;
#(
  parameter  int Sets     = 64,
  parameter  int Ways     = 4,
  localparam int SetWidth = $clog2(Sets)
) (
  input  logic                      clk,
  input  logic                      rst,
  output logic                      init_done_o,

  input  logic [      SetWidth-1:0] read_set_i,
  input  tuple_t                    read_tuple_i,
  output logic [          Ways-1:0] match_o,       // with the tuple
  output logic [          Ways-1:0] vacant_o,
  output logic [SessionIdWidth-1:0] id_o,

  input  logic [          Ways-1:0] write_ways_i,
  input  logic [      SetWidth-1:0] write_set_i,
  input  logic                      write_valid_i,
  input  tuple_t                    write_tuple_i,
  input  logic [SessionIdWidth-1:0] write_id_i
);

  if (Sets < 2 || Sets != 2 ** SetWidth) begin : gen_check_sets
    $error("Sets must be a power of two and at least 2.");
  end

  typedef struct packed {
    logic                      valid;
    tuple_t                    tuple;
    logic [SessionIdWidth-1:0] id;
  } entry_t;

  logic [SetWidth-1:0] sweep_q;

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

  logic [Ways-1:0] write;
  logic [SetWidth-1:0] write_set;
  entry_t write_entry;
  entry_t read_entry[Ways];
  tuple_t tuple_q;
  logic [Ways-1:0] spoiled_q;
  logic [SessionIdWidth-1:0] id;

  assign write       = init_done_o ? write_ways_i : '1;
  assign write_set   = init_done_o ? write_set_i : sweep_q;
  assign write_entry = '{
      valid: write_valid_i && init_done_o,
      tuple: write_tuple_i,
      id: write_id_i
  };

  for (genvar way = 0; way < Ways; way++) begin : gen_way
    ram_simple_dual_port #(
      .Width($bits(entry_t)),
      .Depth(Sets)
    ) ram (
      .clk,
      .write_enable_i (write[way]),
      .write_address_i(write_set),
      .write_data_i   (write_entry),
      .read_enable_i  (1'b1),
      .read_address_i (read_set_i),
      .read_data_o    (read_entry[way])
    );
  end

  always_comb begin
    id = '0;
    for (int way = 0; way < Ways; way++) begin
      if (read_entry[way].valid && !spoiled_q[way] && read_entry[way].tuple == tuple_q)
        id |= read_entry[way].id;
    end
  end

  always_ff @(posedge clk) begin
    tuple_q   <= read_tuple_i;
    spoiled_q <= write & {Ways{write_set == read_set_i}};
    for (int way = 0; way < Ways; way++) begin
      match_o[way]  <= read_entry[way].valid && !spoiled_q[way] && read_entry[way].tuple == tuple_q;
      vacant_o[way] <= !read_entry[way].valid && !spoiled_q[way];
    end
    id_o <= id;
  end

endmodule
