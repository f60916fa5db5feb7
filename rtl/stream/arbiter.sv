// SPDX-License-Identifier: Apache-2.0

// Chooses one of N requesters and stays with it until its transaction is done.
//
// Latency    grant_o follows request_i combinationally.
// Throughput one decision a clock.
// Fairness   RoundRobin = 1: the search starts behind the last one served, so nobody waits for more
//            than N - 1 transactions of others. RoundRobin = 0: the lowest index first.
//
// grant_o is one-hot or, with nobody asking, zero. It is held from its first clock to the one in
// which done_i is high, whatever the others (and a pausing owner) do meanwhile.
module arbiter #(
  parameter int N          = 2,
  parameter bit RoundRobin = 1'b1
) (
  input  logic         clk,
  input  logic         rst,

  input  logic [N-1:0] request_i,
  input  logic         done_i,     // the transaction of the one granted ends in this clock
  output logic [N-1:0] grant_o
);

  if (N < 1) begin : gen_check_n
    $error("N must be at least 1.");
  end

  function automatic logic [N-1:0] below(input int i);
    return N'((1 << i) - 1);
  endfunction

  function automatic logic [N-1:0] lowest(input logic [N-1:0] requests);
    for (int i = 0; i < N; i++) lowest[i] = requests[i] && (requests & below(i)) == '0;
  endfunction

  logic [N-1:0] behind_q;  // those behind the last one served: they come first
  logic [N-1:0] owner_q;  // zero when the choice is open
  logic [N-1:0] preferred;

  assign preferred = request_i & behind_q;

  always_comb begin
    if (|owner_q) grant_o = owner_q;
    else if (RoundRobin && |preferred) grant_o = lowest(preferred);
    else grant_o = lowest(request_i);
  end

  always_ff @(posedge clk) begin
    owner_q <= done_i ? '0 : grant_o;
    if (done_i && |grant_o) begin
      for (int i = 0; i < N; i++) behind_q[i] <= |(grant_o & below(i));
    end

    if (rst) begin
      owner_q  <= '0;
      behind_q <= '0;
    end
  end

endmodule
