// SPDX-License-Identifier: Apache-2.0

// A bus peripheral that reads a TCP segment, or any other bytes, from memory and returns the
// Internet checksum (source system S5).
//
// Single   Software writes address and byte count and starts; it polls, or waits for irq_o.
// Batch    Software fills descriptors in a ring (checksum_offload_pkg) and writes their number to
//          the doorbell; results are written into the descriptors, with one interrupt when all are
//          done.
// Both may be in use at once: a start goes before the next descriptor.
//
// Throughput  1 beat of DataWidth bits a clock: 0.125 clocks a byte at 64 bits, 1/64 at 512.
// Latency     from start to result 7 clocks at 64 bits, 9 at 512, memory's own, and one a beat.
// Memory      AXI4, INCR bursts of whole beats up to BurstBytes that start at the range's first
//             beat or at a multiple of BurstBytes, so none crosses 4 KiB; one beat to write a
//             result. rready is always high. One ID.
// Cuts        every path between the registers, memory and the sum.
//
// The registers are those of registers/checksum_offload.rdl. An error of memory or a byte count of
// 0 is flagged, and the checksum then reads as all ones, which no intact packet has.
module checksum_offload
  import checksum_offload_pkg::*;
#(
  parameter  int DataWidth            = 64,
  parameter  int BurstBytes           = 4 * DataWidth,  // 32 beats
  parameter  int Bursts               = 4,              // reads that may be on their way
  localparam int RegisterAddressWidth = checksum_offload_registers_pkg::
      CHECKSUM_OFFLOAD_REGISTERS_MIN_ADDR_WIDTH
) (
  input logic clk,
  input logic rst,

  input  logic [RegisterAddressWidth-1:0] s_axil_awaddr,
  input  logic [                     2:0] s_axil_awprot,
  input  logic                            s_axil_awvalid,
  output logic                            s_axil_awready,
  input  logic [                    31:0] s_axil_wdata,
  input  logic [                     3:0] s_axil_wstrb,
  input  logic                            s_axil_wvalid,
  output logic                            s_axil_wready,
  output logic [                     1:0] s_axil_bresp,
  output logic                            s_axil_bvalid,
  input  logic                            s_axil_bready,
  input  logic [RegisterAddressWidth-1:0] s_axil_araddr,
  input  logic [                     2:0] s_axil_arprot,
  input  logic                            s_axil_arvalid,
  output logic                            s_axil_arready,
  output logic [                    31:0] s_axil_rdata,
  output logic [                     1:0] s_axil_rresp,
  output logic                            s_axil_rvalid,
  input  logic                            s_axil_rready,

  output logic [                   0:0] m_axi_awid,
  output logic [      AddressWidth-1:0] m_axi_awaddr,
  output logic [                   7:0] m_axi_awlen,
  output logic [                   2:0] m_axi_awsize,
  output logic [                   1:0] m_axi_awburst,
  output logic                          m_axi_awvalid,
  input  logic                          m_axi_awready,
  output logic [         DataWidth-1:0] m_axi_wdata,
  output logic [       DataWidth/8-1:0] m_axi_wstrb,
  output logic                          m_axi_wlast,
  output logic                          m_axi_wvalid,
  input  logic                          m_axi_wready,
  input  logic [                   0:0] m_axi_bid,
  input  logic [                   1:0] m_axi_bresp,
  input  logic                          m_axi_bvalid,
  output logic                          m_axi_bready,
  output logic [                   0:0] m_axi_arid,
  output logic [      AddressWidth-1:0] m_axi_araddr,
  output logic [                   7:0] m_axi_arlen,
  output logic [                   2:0] m_axi_arsize,
  output logic [                   1:0] m_axi_arburst,
  output logic                          m_axi_arvalid,
  input  logic                          m_axi_arready,
  input  logic [                   0:0] m_axi_rid,
  input  logic [         DataWidth-1:0] m_axi_rdata,
  input  logic [                   1:0] m_axi_rresp,
  input  logic                          m_axi_rlast,
  input  logic                          m_axi_rvalid,
  output logic                          m_axi_rready,

  output logic irq_o,
  // From the start that software has written to the result that it can read.
  output logic busy_o
);

  localparam logic [2:0] BeatSize = 3'($clog2(DataWidth / 8));
  localparam logic [1:0] BurstIncrementing = 2'b01;

  checksum_offload_registers_pkg::checksum_offload__in_t  shown;
  checksum_offload_registers_pkg::checksum_offload__out_t set;

  logic request, request_writes;
  logic [RegisterAddressWidth-1:0] request_address;
  logic [31:0] request_data, answer_data;

  axil_register_port #(
    .AddressWidth(RegisterAddressWidth)
  ) register_port (
    .clk,
    .rst,
    .s_axil_awaddr,
    .s_axil_awvalid,
    .s_axil_awready,
    .s_axil_wdata,
    .s_axil_wstrb,
    .s_axil_wvalid,
    .s_axil_wready,
    .s_axil_bresp,
    .s_axil_bvalid,
    .s_axil_bready,
    .s_axil_araddr,
    .s_axil_arvalid,
    .s_axil_arready,
    .s_axil_rdata,
    .s_axil_rresp,
    .s_axil_rvalid,
    .s_axil_rready,
    .request_o        (request),
    .request_writes_o (request_writes),
    .request_address_o(request_address),
    .request_data_o   (request_data),
    .answer_data_i    (answer_data)
  );

  checksum_offload_registers register_file (
    .clk,
    .rst,
    .s_cpuif_req         (request),
    .s_cpuif_req_is_wr   (request_writes),
    .s_cpuif_addr        (request_address),
    .s_cpuif_wr_data     (request_data),
    .s_cpuif_wr_biten    ('1),
    .s_cpuif_req_stall_wr(),
    .s_cpuif_req_stall_rd(),
    .s_cpuif_rd_ack      (),
    .s_cpuif_rd_err      (),
    .s_cpuif_rd_data     (answer_data),
    .s_cpuif_wr_ack      (),
    .s_cpuif_wr_err      (),
    .hwif_in             (shown),
    .hwif_out            (set)
  );

  // ---- Who has the reader -------------------------------------------------------------------

  job_t single_job, ring_job, job;
  logic ring_job_fault, ring_job_valid;
  descriptor_address_t fetch_address;
  job_t fetched;
  logic fetch_valid, fetch_ready, fetched_fault, fetched_valid;
  logic job_valid, job_ready;
  result_t result;
  logic result_valid, result_ready, ring_result_ready;

  logic start;  // asked for and not begun
  logic begin_single, single_done;
  logic of_ring_q;  // the job being read is the ring's
  logic single_q;  // a single job is being read
  logic ready_q;
  result_t result_q;

  assign start = set.control.start.value;
  assign single_job = '{
      seed: set.seed.value.value,
      length: set.byte_count.value.value,
      address: set.address.value.value
  };
  assign job          = start ? single_job : ring_job;
  assign job_valid    = start || ring_job_valid;
  assign begin_single = start && job_ready;
  assign result_ready = !of_ring_q || ring_result_ready;
  assign single_done  = result_valid && !of_ring_q;

  always_ff @(posedge clk) begin
    if (job_valid && job_ready) of_ring_q <= !start;
    if (single_done) begin
      single_q <= 1'b0;
      ready_q  <= 1'b1;
      result_q <= result;
    end
    if (begin_single) begin
      single_q <= 1'b1;
      ready_q  <= 1'b0;
    end

    if (rst) begin
      single_q <= 1'b0;
      ready_q  <= 1'b0;
    end
  end

  checksum_reader #(
    .DataWidth (DataWidth),
    .BurstBytes(BurstBytes),
    .Bursts    (Bursts)
  ) reader (
    .clk,
    .rst,
    .s_job_data     (job),
    .s_job_fault    (!start && ring_job_fault),
    .s_job_valid    (job_valid),
    .s_job_ready    (job_ready),
    .m_result_data  (result),
    .m_result_valid (result_valid),
    .m_result_ready (result_ready),
    .fetch_address_i(fetch_address),
    .fetch_valid_i  (fetch_valid),
    .fetch_ready_o  (fetch_ready),
    .fetched_o      (fetched),
    .fetched_fault_o(fetched_fault),
    .fetched_valid_o(fetched_valid),
    .m_axi_araddr,
    .m_axi_arlen,
    .m_axi_arvalid,
    .m_axi_arready,
    .m_axi_rdata,
    .m_axi_rresp,
    .m_axi_rlast,
    .m_axi_rvalid,
    .m_axi_rready
  );

  // ---- The ring -----------------------------------------------------------------------------

  logic ring_drained, ring_error, ring_error_q;
  logic [15:0] ring_completed;

  checksum_ring #(
    .DataWidth(DataWidth)
  ) ring (
    .clk,
    .rst,
    .enable_i       (set.ring_control.enable.value),
    .base_i         (set.ring_base.value.value),
    .mask_i         (set.ring_control.mask.value),
    .produced_i     (set.ring_produced.value.value),
    .completed_o    (ring_completed),
    .drained_o      (ring_drained),
    .error_o        (ring_error),
    .fetch_address_o(fetch_address),
    .fetch_valid_o  (fetch_valid),
    .fetch_ready_i  (fetch_ready),
    .fetched_i      (fetched),
    .fetched_fault_i(fetched_fault),
    .fetched_valid_i(fetched_valid),
    .m_job_data     (ring_job),
    .m_job_fault    (ring_job_fault),
    .m_job_valid    (ring_job_valid),
    .m_job_ready    (job_ready && !start),
    .s_result_data  (result),
    .s_result_valid (result_valid && of_ring_q),
    .s_result_ready (ring_result_ready),
    .m_axi_awaddr,
    .m_axi_awvalid,
    .m_axi_awready,
    .m_axi_wdata,
    .m_axi_wstrb,
    .m_axi_wvalid,
    .m_axi_wready,
    .m_axi_bresp,
    .m_axi_bvalid,
    .m_axi_bready
  );

  always_ff @(posedge clk) begin
    if (ring_error) ring_error_q <= 1'b1;
    else if (!set.ring_control.enable.value) ring_error_q <= 1'b0;

    if (rst) ring_error_q <= 1'b0;
  end

  // ---- What software sees -------------------------------------------------------------------

  logic ready;

  // A start that waits hides the result before it: who polls never takes an old one for the new.
  assign ready  = ready_q && !start;
  assign busy_o = single_q || start;

  always_comb begin
    shown.control.start.hwclr           = begin_single;
    shown.status.ready.next             = ready;
    shown.status.busy.next              = busy_o;
    shown.status.length_error.next      = result_q.length_error;
    shown.status.bus_error.next         = result_q.bus_error;
    shown.status.ring_error.next        = ring_error_q;
    shown.result.checksum.next          = result_q.checksum;
    shown.result.length_error.next      = result_q.length_error;
    shown.result.bus_error.next         = result_q.bus_error;
    shown.result.ready.next             = ready;
    shown.interrupt_pending.done.hwset  = single_done;
    shown.interrupt_pending.batch.hwset = ring_drained;
    shown.ring_completed.value.next     = ring_completed;
  end

  always_ff @(posedge clk) begin
    irq_o <= (set.interrupt_pending.done.value && set.interrupt_enable.done.value)
             || (set.interrupt_pending.batch.value && set.interrupt_enable.batch.value);

    if (rst) irq_o <= 1'b0;
  end

  // ---- Constants of AXI4 --------------------------------------------------------------------

  assign m_axi_awid    = '0;
  assign m_axi_awlen   = '0;
  assign m_axi_awsize  = BeatSize;
  assign m_axi_awburst = BurstIncrementing;
  assign m_axi_wlast   = 1'b1;
  assign m_axi_arid    = '0;
  assign m_axi_arsize  = BeatSize;
  assign m_axi_arburst = BurstIncrementing;

  // verilator lint_off UNUSEDSIGNAL  // one ID: what comes back has it; no protection either
  logic unused;
  assign unused = &{m_axi_bid, m_axi_rid, s_axil_awprot, s_axil_arprot};
  // verilator lint_on UNUSEDSIGNAL

endmodule
