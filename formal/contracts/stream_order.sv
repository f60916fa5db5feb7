// SPDX-License-Identifier: Apache-2.0

// First in, first out: an arbitrary transfer, counted from reset, comes out in its turn and
// unchanged, and nothing comes out that has not come in.
//
// Proofs by induction tie in_count_o and out_count_o to the state of the module under proof, and
// watched_o, from the moment watched_seen_o is set, to the place where the transfer watched is.
// Counters have CountBits; a run is cut (by assumption) before they wrap.
module stream_order #(
  parameter int Width     = 8,
  parameter int CountBits = 8
) (
  input  logic                 clk,
  input  logic                 rst,
  input  logic [CountBits-1:0] watched_index,    // a free input of the proof
  input  logic                 in_take,
  input  logic [    Width-1:0] in_data,
  input  logic                 out_valid,
  input  logic                 out_take,
  input  logic [    Width-1:0] out_data,
  output logic [CountBits-1:0] in_count_o,
  output logic [CountBits-1:0] out_count_o,
  output logic                 watched_seen_o,
  output logic [    Width-1:0] watched_o
);

  // An arbitrary constant: an input that is assumed not to change.
  logic [CountBits-1:0] index_q;
  logic index_known_q = 1'b0;

  always_ff @(posedge clk) begin
    index_q       <= watched_index;
    index_known_q <= 1'b1;
    if (index_known_q) assume (watched_index == index_q);
  end

  logic [CountBits-1:0] in_count_q = '0, out_count_q = '0;
  logic [Width-1:0] watched_q;
  logic seen_q = 1'b0;

  assign in_count_o      = in_count_q;
  assign out_count_o     = out_count_q;
  assign watched_seen_o  = seen_q;
  assign watched_o       = watched_q;

  always_ff @(posedge clk) begin
    if (in_take) begin
      in_count_q <= in_count_q + 1'b1;
      if (in_count_q == watched_index) begin
        watched_q <= in_data;
        seen_q    <= 1'b1;
      end
    end
    if (out_take) out_count_q <= out_count_q + 1'b1;

    if (rst) begin
      in_count_q  <= '0;
      out_count_q <= '0;
      seen_q      <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (!rst) begin
      assume (in_count_q != '1);
      assert (seen_q == (in_count_q > watched_index));
      assert (out_count_q <= in_count_q);
      if (out_valid) begin
        assert (out_count_q < in_count_q);
        if (out_count_q == watched_index) assert (out_data == watched_q);
      end
    end
  end

endmodule
