// SPDX-License-Identifier: Apache-2.0

// First-in first-out queue of connection ids.
//
// An id is in the queue at most once (the user's care), so Connections places are enough and a push
// is always accepted.
//
// Latency    1 clock from push to m when empty, 2 when the queue is large enough for block RAM. With
//            Registers there is one behind that RAM, and it takes 1 clock; 3 for what comes while m waits.
// Throughput 1 push and 1 pop a clock.
// Paths      none from push to m or from m_ready to m.
//
// FullAtReset: begins with every id in it, lowest first (a list of free ids). These are counted out,
// so that nothing has to be written after reset.
module id_queue #(
  parameter  int Connections = 64,
  parameter  bit FullAtReset = 1'b0,
  parameter  bit Registers   = 1'b0,
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

  if (Connections < 2 || Connections != 2 ** IdWidth) begin : gen_check_connections
    $error("Connections must be a power of two and at least 2.");
  end

  logic [IdWidth-1:0] stored_id;
  logic stored_valid, stored_ready, unused_ready;
  logic [IdWidth:0] stored_count;

  stream_fifo #(
    .T         (logic [IdWidth-1:0]),
    .Depth     (Connections),
    .Registered(Registers)
  ) fifo (
    .clk,
    .rst,
    .s_data (push_id),
    .s_valid(push_valid),
    .s_ready(unused_ready),
    .m_data (stored_id),
    .m_valid(stored_valid),
    .m_ready(stored_ready),
    .count_o(stored_count)
  );

  if (FullAtReset) begin : gen_full
    // The ids that have not been used since reset: those from fresh_q on.
    logic [IdWidth:0] fresh_q;
    logic fresh;

    assign fresh        = !fresh_q[IdWidth];
    assign m_id         = fresh ? fresh_q[IdWidth-1:0] : stored_id;
    assign m_valid      = fresh || stored_valid;
    assign stored_ready = m_ready && !fresh;

    always_ff @(posedge clk) begin
      if (m_ready && fresh) fresh_q <= fresh_q + 1'b1;
      count_o <= count_o + (IdWidth + 1)'(push_valid) - (IdWidth + 1)'(m_valid && m_ready);

      if (rst) begin
        fresh_q <= '0;
        count_o <= (IdWidth + 1)'(Connections);
      end
    end

    logic [IdWidth:0] unused_count;
    assign unused_count = stored_count;
  end else begin : gen_empty
    assign m_id         = stored_id;
    assign m_valid      = stored_valid;
    assign stored_ready = m_ready;
    assign count_o      = stored_count;
  end

endmodule
