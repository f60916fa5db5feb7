// SPDX-License-Identifier: Apache-2.0

// Full-throughput register stage ("skid buffer") for any valid/ready stream.
//
// Latency 1 clock, 1 transfer a clock. Cuts every path: s_ready and m_valid are
// both registers. Holds at most two transfers.
//
// Half: a transfer every second clock is enough, so there is but one place.
//
// Wide: 0 m_data is a register, and m_ready tells it to load; 1 two places take turns, so that
// m_ready turns one bit instead of loading hundreds, and m_data is a choice of two registers.
module stream_register #(
  parameter type T    = logic [31:0],
  parameter bit  Wide = 1'b0,
  parameter bit  Half = 1'b0
) (
  input  logic clk,
  input  logic rst,

  input  T     s_data,
  input  logic s_valid,
  output logic s_ready,

  output T     m_data,
  output logic m_valid,
  input  logic m_ready
);

  if (Half) begin : gen_one_place
    assign s_ready = !m_valid;

    always_ff @(posedge clk) begin
      if (s_ready) m_data <= s_data;
      m_valid <= m_valid ? !m_ready : s_valid;

      if (rst) m_valid <= 1'b0;
    end
  end else if (Wide) begin : gen_turns
    T place_q[2];
    logic write_q, read_q;  // the place that is filled and the one that is read next
    logic push, pop;

    assign push   = s_valid && s_ready;
    assign pop    = m_valid && m_ready;
    assign m_data = place_q[read_q];

    always_ff @(posedge clk) begin
      for (int i = 0; i < 2; i++) begin
        if (s_ready && write_q == 1'(i)) place_q[i] <= s_data;
      end
      if (push) write_q <= !write_q;
      if (pop) read_q <= !read_q;
      // Of one held, one more fills and one less empties; of two or none only one can happen.
      if (push && !pop) begin
        m_valid <= 1'b1;
        s_ready <= !m_valid;
      end else if (pop && !push) begin
        m_valid <= !s_ready;
        s_ready <= 1'b1;
      end

      if (rst) begin
        write_q <= 1'b0;
        read_q  <= 1'b0;
        m_valid <= 1'b0;
        s_ready <= 1'b1;
      end
    end
  end else begin : gen_spare
    // The spare holds the one transfer that arrives while the output is stalled.
    T     spare_q;
    logic spare_valid_q;

    assign s_ready = !spare_valid_q;

    always_ff @(posedge clk) begin
      if (m_ready || !m_valid) begin
        m_data        <= spare_valid_q ? spare_q : s_data;
        m_valid       <= spare_valid_q || s_valid;
        spare_valid_q <= 1'b0;
      end else if (s_valid) begin
        spare_valid_q <= 1'b1;
      end
      if (s_ready) spare_q <= s_data;

      if (rst) begin
        m_valid       <= 1'b0;
        spare_valid_q <= 1'b0;
      end
    end
  end

endmodule
