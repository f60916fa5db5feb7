// SPDX-License-Identifier: Apache-2.0

// The few entries of a cuckoo_table that have no place in its ways right now: a small associative
// memory in registers.
//
// Matching is combinational from the registers and match_key_i; a write is seen from the next clock
// on. Several entries may be written in the same clock, with the same contents.
module cuckoo_stash #(
  parameter int KeyWidth   = 64,
  parameter int ValueWidth = 6,
  parameter int Entries    = 4
) (
  input  logic                  clk,
  input  logic                  rst,

  input  logic [   Entries-1:0] write_enable_i,
  input  logic                  write_valid_i,  // 0 clears the entry
  input  logic [  KeyWidth-1:0] write_key_i,
  input  logic [ValueWidth-1:0] write_value_i,

  input  logic [  KeyWidth-1:0] match_key_i,
  output logic [   Entries-1:0] match_o,

  output logic [   Entries-1:0] valid_o,
  output logic [  KeyWidth-1:0] key_o  [Entries],
  output logic [ValueWidth-1:0] value_o[Entries]
);

  for (genvar slot = 0; slot < Entries; slot++) begin : gen_slot
    assign match_o[slot] = valid_o[slot] && key_o[slot] == match_key_i;

    always_ff @(posedge clk) begin
      if (write_enable_i[slot]) begin
        valid_o[slot] <= write_valid_i;
        key_o[slot]   <= write_key_i;
        value_o[slot] <= write_value_i;
      end

      if (rst) valid_o[slot] <= 1'b0;
    end
  end

endmodule
