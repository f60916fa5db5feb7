// SPDX-License-Identifier: Apache-2.0

// The rules of a packet stream: stable while stalled (on the lanes that are kept), at least one
// byte in a beat, keep contiguous and full except in the last beat, starting at lane 0; with Leads
// = 1 the first beat of a packet may start at any lane.
//
// Assume = 1 imposes them on the inputs of the module under proof, Assume = 0 demands them of its
// outputs. Error is looked at with last alone. first_o: the next beat is the first of a packet.
module packet_contract #(
  parameter  int DataWidth = 64,
  parameter  bit Assume    = 1'b0,
  parameter  bit Leads     = 1'b0,
  localparam int Lanes     = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,
  input  logic [DataWidth-1:0] data,
  input  logic [    Lanes-1:0] keep,
  input  logic                 last,
  input  logic                 error,
  input  logic                 valid,
  input  logic                 ready,
  output logic                 first_o
);

  logic [DataWidth-1:0] kept;
  logic first_q = 1'b1;
  logic [Lanes-1:0] ascending;
  logic good;

  always_comb begin
    for (int lane = 0; lane < Lanes; lane++) begin
      kept[lane*8+:8] = keep[lane] ? data[lane*8+:8] : '0;
    end
  end

  stream_contract #(
    .Width (DataWidth + Lanes + 2),
    .Assume(Assume)
  ) stable (
    .clk,
    .rst,
    .data({error && last, last, keep, kept}),
    .valid,
    .ready
  );

  // Filling up below the lowest lane kept gives a keep from lane 0: contiguous if that has the form
  // 2^n - 1.
  assign ascending = keep | (keep - 1'b1);

  assign good = keep != '0
      && (ascending & (ascending + 1'b1)) == '0
      && (last || keep[Lanes-1])
      && (keep[0] || (Leads && first_q));

  assign first_o = first_q;

  always_ff @(posedge clk) begin
    if (rst) first_q <= 1'b1;
    else if (valid && ready) first_q <= last;

    if (valid && !rst) begin
      if (Assume) begin
        assume (good);
      end else begin
        assert (good);
      end
    end
  end

endmodule
