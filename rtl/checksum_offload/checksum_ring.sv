// SPDX-License-Identifier: Apache-2.0

// A ring of descriptors in memory: fetches them in order, hands out their jobs, and writes the
// results back to where they came from.
//
// Throughput  a job is fetched while the one before is being read, and a result written meanwhile;
//             at most one of each is on its way.
// Counting    produced_i and completed_o count descriptors modulo 65,536 from the time when the
//             ring was enabled; the descriptor of count n is at base + 16 * (n & mask). base is
//             aligned to the ring's size. completed_o moves when memory has confirmed a result.
// Events      drained_o: a result was written and no descriptor is left; error_o: memory answered
//             the fetch of a descriptor or the write of a result with an error. One clock each. A
//             descriptor that could not be fetched becomes a job with m_job_fault, and so gets a
//             result.
// Disabled    nothing is fetched any more; when what had begun is done the counts become 0.
module checksum_ring
  import checksum_offload_pkg::*;
#(
  parameter int DataWidth = 64
) (
  input logic clk,
  input logic rst,

  input  logic        enable_i,
  input  logic [31:4] base_i,
  input  logic [11:0] mask_i,
  input  logic [15:0] produced_i,
  output logic [15:0] completed_o,
  output logic        drained_o,
  output logic        error_o,

  output descriptor_address_t fetch_address_o,
  output logic     fetch_valid_o,
  input  logic     fetch_ready_i,
  input  job_t     fetched_i,
  input  logic     fetched_fault_i,
  input  logic     fetched_valid_i,

  output job_t m_job_data,
  output logic m_job_fault,
  output logic m_job_valid,
  input  logic m_job_ready,

  input  result_t s_result_data,
  input  logic    s_result_valid,
  output logic    s_result_ready,

  output address_t               m_axi_awaddr,
  output logic                   m_axi_awvalid,
  input  logic                   m_axi_awready,
  output logic [  DataWidth-1:0] m_axi_wdata,
  output logic [DataWidth/8-1:0] m_axi_wstrb,
  output logic                   m_axi_wvalid,
  input  logic                   m_axi_wready,
  input  logic [            1:0] m_axi_bresp,
  input  logic                   m_axi_bvalid,
  output logic                   m_axi_bready
);

  localparam int LaneBits = $clog2(DataWidth / 8);

  function automatic descriptor_address_t descriptor(input logic [11:0] index);
    return {base_i[31:16], base_i[15:4] | (index & mask_i)};
  endfunction

  // ---- Fetch --------------------------------------------------------------------------------

  typedef enum logic [1:0] {
    StIdle,   // compares the counts
    StAsk,    // the read has not been accepted
    StWait,   // it is on its way
    StOffer   // the job has not been taken
  } fetch_state_e;

  fetch_state_e state_q;
  logic [15:0] fetched_q;  // descriptors whose job was handed out
  logic resting;

  assign fetch_address_o = descriptor(fetched_q[11:0]);
  assign fetch_valid_o = state_q == StAsk;
  assign m_job_valid = state_q == StOffer;
  assign resting = !enable_i && state_q == StIdle && fetched_q == completed_o;

  always_ff @(posedge clk) begin
    unique case (state_q)
      StIdle: if (enable_i && fetched_q != produced_i) state_q <= StAsk;
      StAsk: if (fetch_ready_i) state_q <= StWait;
      StWait: if (fetched_valid_i) state_q <= StOffer;
      StOffer: if (m_job_ready) state_q <= StIdle;
    endcase
    if (state_q == StWait) begin
      m_job_data  <= fetched_i;
      m_job_fault <= fetched_fault_i;
    end
    if (m_job_valid && m_job_ready) fetched_q <= fetched_q + 1'b1;
    if (resting) fetched_q <= '0;

    if (rst) begin
      state_q   <= StIdle;
      fetched_q <= '0;
    end
  end

  // ---- Write back ---------------------------------------------------------------------------

  result_t result_q;
  logic writing_q;
  logic written, last_written_q, failed_q;

  assign s_result_ready = !writing_q;
  assign written        = m_axi_bvalid && m_axi_bready;
  // The result is the third word of four.
  assign m_axi_awaddr   = {descriptor(completed_o[11:0]), 4'h8};
  assign m_axi_wdata    = {(DataWidth / 32) {result_word(1'b1, result_q)}};
  assign m_axi_bready   = writing_q && !m_axi_awvalid && !m_axi_wvalid;

  always_comb begin
    m_axi_wstrb = '0;
    m_axi_wstrb[{m_axi_awaddr[LaneBits-1:2], 2'b00}+:4] = '1;
  end

  always_ff @(posedge clk) begin
    if (s_result_valid && s_result_ready) begin
      result_q      <= s_result_data;
      writing_q     <= 1'b1;
      m_axi_awvalid <= 1'b1;
      m_axi_wvalid  <= 1'b1;
    end else begin
      if (m_axi_awready) m_axi_awvalid <= 1'b0;
      if (m_axi_wready) m_axi_wvalid <= 1'b0;
      if (written) writing_q <= 1'b0;
    end
    last_written_q <= written;
    failed_q       <= (written && m_axi_bresp != '0)
                      || (state_q == StWait && fetched_valid_i && fetched_fault_i);
    if (written) completed_o <= completed_o + 1'b1;
    else if (resting) completed_o <= '0;

    if (rst) begin
      writing_q      <= 1'b0;
      m_axi_awvalid  <= 1'b0;
      m_axi_wvalid   <= 1'b0;
      last_written_q <= 1'b0;
      failed_q       <= 1'b0;
      completed_o    <= '0;
    end
  end

  assign drained_o = last_written_q && completed_o == produced_i;
  assign error_o   = failed_q;

endmodule
