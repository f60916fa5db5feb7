// SPDX-License-Identifier: Apache-2.0

// The ids that nobody has, for engines with more of them than a list on chip has room for. Ids that
// were never used are counted out, lowest first; what is released goes through a spill_queue and comes
// out behind those, the longest unused first.
//
// m_valid may be low while count_o is not 0: then ids are on their way from memory.
//
// Latency    those of spill_queue.
// Throughput one id out a clock, one in while room_o is high.
module free_ids
  import line_memory_pkg::*;
#(
  parameter  int Connections = 65536,
  localparam int IdWidth     = $clog2(Connections)
) (
  input  logic               clk,
  input  logic               rst,

  input  logic [IdWidth-1:0] push_id,
  input  logic               push_valid,
  output logic               room_o,

  output logic [IdWidth-1:0] m_id,
  output logic               m_valid,
  input  logic               m_ready,

  output logic [  IdWidth:0] count_o,

  output line_request_t      m_line,
  output logic               m_line_valid,
  input  logic               m_line_ready,
  input  line_response_t     s_line,
  input  logic               s_line_valid
);

  logic [IdWidth:0] fresh_q;  // the ids from here on have not been used since reset
  logic fresh, released_valid;
  logic [IdWidth-1:0] released_id;

  assign fresh   = !fresh_q[IdWidth];
  assign m_id    = fresh ? fresh_q[IdWidth-1:0] : released_id;
  assign m_valid = fresh || released_valid;

  always_ff @(posedge clk) begin
    if (m_ready && fresh) fresh_q <= fresh_q + 1'b1;
    count_o <= count_o + (IdWidth + 1)'(push_valid) - (IdWidth + 1)'(m_valid && m_ready);

    if (rst) begin
      fresh_q <= '0;
      count_o <= (IdWidth + 1)'(Connections);
    end
  end

  spill_queue #(
    .Width   (IdWidth),
    .Capacity(Connections)
  ) released (
    .clk,
    .rst,
    .push_data (push_id),
    .push_valid,
    .room_o,
    .m_data    (released_id),
    .m_valid   (released_valid),
    .m_ready   (m_ready && !fresh),
    .count_o   (),
    .m_line,
    .m_line_valid,
    .m_line_ready,
    .s_line,
    .s_line_valid
  );

endmodule
