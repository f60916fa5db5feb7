// SPDX-License-Identifier: Apache-2.0

// The arithmetic of icmp: whenever an echo request's checksum is right, the reply's is, too,
// for every content of the message, one of zeros alone included.
//
// rest_sum is the sum (not inverted) of all words behind the checksum.
module icmp_reply_checksum_props (
  input logic        clk,
  input logic [15:0] checksum,
  input logic [15:0] rest_sum
);

  import net_headers_pkg::*;

  localparam logic [15:0] Request = {IcmpEchoRequest, 8'd0};
  localparam logic [15:0] Reply = {IcmpEchoReply, 8'd0};

  // Ones' complement addition in the plainest way.
  function automatic logic [15:0] add(input logic [15:0] a, input logic [15:0] b);
    logic [31:0] sum;
    sum = 32'(a) + 32'(b);
    sum = 32'(sum[31:16]) + 32'(sum[15:0]);
    return sum[15:0] + sum[31:16];
  endfunction

  logic request_good, reply_good;
  logic [15:0] reply_checksum;

  assign request_good   = add(add(Request, checksum), rest_sum) == 16'hffff;
  assign reply_checksum = checksum_pkg::ones_add16(checksum, Request);
  assign reply_good     = add(add(Reply, reply_checksum), rest_sum) == 16'hffff;

  always_ff @(posedge clk) begin
    if (request_good) begin
      assert (reply_good);
      // It is what a sender would compute, but for the two forms of zero.
      assert (reply_checksum == ~rest_sum || (reply_checksum == '1 && rest_sum == '1));
    end
    cover (request_good && rest_sum == '0);
    cover (request_good && rest_sum == '1);
    cover (request_good && checksum == '0);
    cover (request_good && checksum > 16'hf7ff);
  end

endmodule
