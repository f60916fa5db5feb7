// SPDX-License-Identifier: Apache-2.0

// Stand-in for a list of free places, as a set of which the lowest is next. id_queue_props proves of the
// real one what is made use of: a place is given to one at a time.
module id_queue #(
  parameter  int Connections = 64,
  parameter  bit FullAtReset = 1'b0,
  localparam int IdWidth     = $clog2(Connections)
) (
  input  logic               clk,
  input  logic               rst,

  input  logic [IdWidth-1:0] push_id,
  input  logic               push_valid,

  output logic [IdWidth-1:0] m_id,
  output logic               m_valid,
  input  logic               m_ready,

  output logic [  IdWidth:0] count_o
);

  logic [Connections-1:0] free_q;

  always_comb begin
    m_id = '0;
    count_o = '0;
    for (int i = Connections - 1; i >= 0; i--) begin
      if (free_q[i]) m_id = IdWidth'(i);
      count_o += (IdWidth + 1)'(free_q[i]);
    end
  end

  assign m_valid = free_q != '0;

  always_ff @(posedge clk) begin
    if (m_valid && m_ready) free_q[m_id] <= 1'b0;
    if (push_valid) free_q[push_id] <= 1'b1;
    if (rst) free_q <= {Connections{FullAtReset}};
  end

endmodule
