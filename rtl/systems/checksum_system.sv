// SPDX-License-Identifier: Apache-2.0

// Memory, bus and checksum offload peripheral for a small processor: what the peripheral needs to be
// of use to one that keeps its own TCP stack.
//
// The processor's port is PicoRV32's (valid, address, data, strobes; ready and data) with its look at
// the next access a clock ahead; simulation/rtl has both together. Local memory holds program and stack, so that fetching instructions does not
// compete with the peripheral for the shared one, in which segments and descriptors are.
//
//   0x0000_0000  local memory
//   0x2000_0000  a word written here leaves by console_*; read as zero
//   0x4000_0000  registers of the peripheral
//   0x8000_0000  shared memory
//
// Latency  a local access is answered in the clock of its request, one to shared memory or to a
//          register in the clock behind it.
//
// While rst is high, load_* writes local memory, a word a clock.
module checksum_system #(
  parameter int DataWidth   = 64,
  parameter int LocalBytes  = 16 * 1024,
  parameter int SharedBytes = 256 * 1024
) (
  input logic clk,
  input logic rst,

  input  logic        cpu_valid_i,
  input  logic [31:0] cpu_address_i,
  input  logic [31:0] cpu_data_i,
  input  logic [ 3:0] cpu_strobe_i,
  input  logic        cpu_next_reads_i,    // a read comes in the next clock ...
  input  logic [31:0] cpu_next_address_i,  // ... of this address
  output logic        cpu_ready_o,
  output logic [31:0] cpu_data_o,

  input logic        load_valid_i,
  input logic [31:0] load_address_i,
  input logic [31:0] load_data_i,

  output logic        console_valid_o,
  output logic [31:0] console_data_o,
  output logic        irq_o,
  output logic        checksum_busy_o
);

  localparam int RegisterBits =
      checksum_offload_registers_pkg::CHECKSUM_OFFLOAD_REGISTERS_MIN_ADDR_WIDTH;

  // Selected by the two address bits that differ, and by the console's.
  logic local_select, console_select, register_select, shared_select;
  logic write;

  assign shared_select   = cpu_valid_i && cpu_address_i[31];
  assign register_select = cpu_valid_i && !cpu_address_i[31] && cpu_address_i[30];
  assign console_select  = cpu_valid_i && cpu_address_i[31:30] == '0 && cpu_address_i[29];
  assign local_select    = cpu_valid_i && cpu_address_i[31:29] == '0;
  assign write           = cpu_strobe_i != '0;

  // ---- Local memory and console -------------------------------------------------------------

  logic local_ready;
  logic [31:0] local_data;

  assign local_ready = local_select || console_select;

  local_memory #(
    .Bytes(LocalBytes)
  ) memory (
    .clk,
    .cpu_select_i(local_select),
    .cpu_address_i,
    .cpu_data_i,
    .cpu_strobe_i,
    .cpu_next_reads_i,
    .cpu_next_address_i,
    .cpu_data_o  (local_data),
    .load_valid_i,
    .load_address_i,
    .load_data_i
  );

  always_ff @(posedge clk) begin
    console_valid_o <= console_select && write;
    console_data_o  <= cpu_data_i;

    if (rst) console_valid_o <= 1'b0;
  end

  // ---- Bus to the registers -----------------------------------------------------------------

  logic aw_done_q, w_done_q, ar_done_q;  // taken, and not answered yet
  logic awvalid, awready, wvalid, wready, bvalid, arvalid, arready, rvalid;
  logic [31:0] register_data;
  logic register_ready;

  assign awvalid        = register_select && write && !aw_done_q;
  assign wvalid         = register_select && write && !w_done_q;
  assign arvalid        = register_select && !write && !ar_done_q;
  assign register_ready = bvalid || rvalid;

  always_ff @(posedge clk) begin
    if (awvalid && awready) aw_done_q <= 1'b1;
    if (wvalid && wready) w_done_q <= 1'b1;
    if (arvalid && arready) ar_done_q <= 1'b1;
    if (rst || register_ready) begin
      aw_done_q <= 1'b0;
      w_done_q  <= 1'b0;
      ar_done_q <= 1'b0;
    end
  end

  // ---- Shared memory and the peripheral -----------------------------------------------------

  logic shared_ready;
  logic [31:0] shared_data;
  logic [31:0] axi_awaddr, axi_araddr;
  logic [DataWidth-1:0] axi_wdata, axi_rdata;
  logic [DataWidth/8-1:0] axi_wstrb;
  logic [7:0] axi_arlen;
  logic [1:0] axi_bresp, axi_rresp;
  logic axi_awvalid, axi_awready, axi_wvalid, axi_wready, axi_bvalid, axi_bready;
  logic axi_arvalid, axi_arready, axi_rlast, axi_rvalid;

  shared_memory #(
    .DataWidth(DataWidth),
    .Bytes    (SharedBytes)
  ) shared (
    .clk,
    .rst,
    .cpu_valid_i  (shared_select),
    .cpu_address_i,
    .cpu_data_i,
    .cpu_strobe_i,
    .cpu_ready_o  (shared_ready),
    .cpu_data_o   (shared_data),
    .s_axi_awaddr (axi_awaddr),
    .s_axi_awvalid(axi_awvalid),
    .s_axi_awready(axi_awready),
    .s_axi_wdata  (axi_wdata),
    .s_axi_wstrb  (axi_wstrb),
    .s_axi_wvalid (axi_wvalid),
    .s_axi_wready (axi_wready),
    .s_axi_bresp  (axi_bresp),
    .s_axi_bvalid (axi_bvalid),
    .s_axi_bready (axi_bready),
    .s_axi_araddr (axi_araddr),
    .s_axi_arlen  (axi_arlen),
    .s_axi_arvalid(axi_arvalid),
    .s_axi_arready(axi_arready),
    .s_axi_rdata  (axi_rdata),
    .s_axi_rresp  (axi_rresp),
    .s_axi_rlast  (axi_rlast),
    .s_axi_rvalid (axi_rvalid)
  );

  checksum_offload #(
    .DataWidth(DataWidth)
  ) peripheral (
    .clk,
    .rst,
    .s_axil_awaddr (cpu_address_i[RegisterBits-1:0]),
    .s_axil_awprot ('0),
    .s_axil_awvalid(awvalid),
    .s_axil_awready(awready),
    .s_axil_wdata  (cpu_data_i),
    .s_axil_wstrb  (cpu_strobe_i),
    .s_axil_wvalid (wvalid),
    .s_axil_wready (wready),
    .s_axil_bresp  (),
    .s_axil_bvalid (bvalid),
    .s_axil_bready (1'b1),
    .s_axil_araddr (cpu_address_i[RegisterBits-1:0]),
    .s_axil_arprot ('0),
    .s_axil_arvalid(arvalid),
    .s_axil_arready(arready),
    .s_axil_rdata  (register_data),
    .s_axil_rresp  (),
    .s_axil_rvalid (rvalid),
    .s_axil_rready (1'b1),
    .m_axi_awid    (),
    .m_axi_awaddr  (axi_awaddr),
    .m_axi_awlen   (),
    .m_axi_awsize  (),
    .m_axi_awburst (),
    .m_axi_awvalid (axi_awvalid),
    .m_axi_awready (axi_awready),
    .m_axi_wdata   (axi_wdata),
    .m_axi_wstrb   (axi_wstrb),
    .m_axi_wlast   (),
    .m_axi_wvalid  (axi_wvalid),
    .m_axi_wready  (axi_wready),
    .m_axi_bid     ('0),
    .m_axi_bresp   (axi_bresp),
    .m_axi_bvalid  (axi_bvalid),
    .m_axi_bready  (axi_bready),
    .m_axi_arid    (),
    .m_axi_araddr  (axi_araddr),
    .m_axi_arlen   (axi_arlen),
    .m_axi_arsize  (),
    .m_axi_arburst (),
    .m_axi_arvalid (axi_arvalid),
    .m_axi_arready (axi_arready),
    .m_axi_rid     ('0),
    .m_axi_rdata   (axi_rdata),
    .m_axi_rresp   (axi_rresp),
    .m_axi_rlast   (axi_rlast),
    .m_axi_rvalid  (axi_rvalid),
    .m_axi_rready  (),
    .irq_o,
    .busy_o        (checksum_busy_o)
  );

  // ---- The answer ---------------------------------------------------------------------------

  assign cpu_ready_o = local_ready || register_ready || shared_ready;

  always_comb begin
    cpu_data_o = local_data;
    if (shared_select) cpu_data_o = shared_data;
    if (register_select) cpu_data_o = register_data;
    if (console_select) cpu_data_o = '0;
  end

endmodule
