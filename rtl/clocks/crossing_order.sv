// SPDX-License-Identifier: Apache-2.0

// Keeps the order of two streams that go to another clock side by side: what goes into the second
// comes out only when all that had gone into the first before it, or with it, has come out.
//
//   s: counts the first; the count travels beside each transfer of the second
//   m: counts the first as it comes out; m_open_o lets the second pass when it has got so far
//
// For a first stream of packets, only their ends count. Needed = 0: wires, nothing is counted.
//
// Paths      m_open_o is a comparison of CountWidth bits. The first stream passes through one level
//            of logic on either of m_first_valid_o and m_first_ready_o.
//
// The counts go round, so the first may not run away from a transfer of the second that nobody
// takes: from a quarter of the way round on it waits. Fewer than that must fit between the places
// where the two sides count, and come out while a transfer of the second is on its way.
module crossing_order #(
  parameter int CountWidth = 8,
  parameter bit Needed     = 1'b1
) (
  // Wires need none of what is here but the first stream.
  // verilator lint_off UNUSEDSIGNAL
  input  logic                  s_clk,
  input  logic                  s_rst,
  input  logic                  s_first_i,        // one of the first goes in
  output logic [CountWidth-1:0] s_count_o,        // to go with a transfer of the second

  input  logic                  m_clk,
  input  logic                  m_rst,
  input  logic                  m_first_valid_i,  // the first, from where it has crossed
  input  logic                  m_first_end_i,
  output logic                  m_first_ready_o,
  output logic                  m_first_valid_o,  // and to whoever takes it
  input  logic                  m_first_ready_i,
  input  logic                  m_waiting_i,      // one of the second is there,
  input  logic [CountWidth-1:0] m_count_i,        // and this came with it
  // verilator lint_on UNUSEDSIGNAL
  output logic                  m_open_o
);

  if (CountWidth < 4) begin : gen_check_count_width
    $error("CountWidth must be at least 4.");
  end

  if (Needed) begin : gen_count
    localparam int Quarter = 2 ** (CountWidth - 2);

    logic [CountWidth-1:0] s_count_q, m_count_q, ahead;
    logic hold_q;

    assign s_count_o = s_count_q + CountWidth'(s_first_i);
    assign ahead = m_count_q - m_count_i;
    assign m_open_o = !ahead[CountWidth-1];

    assign m_first_valid_o = m_first_valid_i && !hold_q;
    assign m_first_ready_o = m_first_ready_i && !hold_q;

    always_ff @(posedge s_clk) begin
      s_count_q <= s_count_o;

      if (s_rst) s_count_q <= '0;
    end

    always_ff @(posedge m_clk) begin
      m_count_q <= m_count_q + CountWidth'(m_first_valid_o && m_first_ready_i && m_first_end_i);
      // What has been offered is not withdrawn.
      if (!m_first_valid_o || m_first_ready_i) begin
        hold_q <= m_waiting_i && m_open_o && ahead >= CountWidth'(Quarter);
      end

      if (m_rst) begin
        m_count_q <= '0;
        hold_q    <= 1'b0;
      end
    end
  end else begin : gen_wires
    assign s_count_o       = '0;
    assign m_open_o        = 1'b1;
    assign m_first_valid_o = m_first_valid_i;
    assign m_first_ready_o = m_first_ready_i;
  end

endmodule
