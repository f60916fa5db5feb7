// SPDX-License-Identifier: Apache-2.0

// checksum_offload: no start is lost. However writes of the address and starts follow each other,
// also while a checksum runs, and however memory stalls: when the peripheral is at rest again, or
// shows a result, it has read from the address that the last start found. Every access of a register
// is answered once, and an answer waits unchanged.
module checksum_offload_props
  import checksum_offload_pkg::*;
(
  input logic        clk,
  input logic        rst,
  input logic [ 5:0] awaddr,
  input logic [31:0] wdata,
  input logic        awvalid,
  input logic        wvalid,
  input logic        bready,
  input logic        arvalid,
  input logic        rready,
  input logic        memory_arready,
  input logic        memory_rvalid,
  input logic [ 1:0] memory_rresp
);

  localparam logic [5:0] Address = 6'h00;
  localparam logic [5:0] ByteCount = 6'h04;
  localparam logic [5:0] Control = 6'h08;
  localparam logic [5:0] Result = 6'h10;

  logic started = 1'b0;
  logic awready, wready, bvalid, arready, rvalid;
  logic [31:0] rdata;
  address_t memory_araddr;
  logic [7:0] memory_arlen;
  logic memory_arvalid, memory_rready, busy, irq;

  checksum_offload #(
    .DataWidth(64)
  ) dut (
    .clk,
    .rst,
    .s_axil_awaddr (awaddr),
    .s_axil_awprot ('0),
    .s_axil_awvalid(awvalid),
    .s_axil_awready(awready),
    .s_axil_wdata  (wdata),
    .s_axil_wstrb  ('1),
    .s_axil_wvalid (wvalid),
    .s_axil_wready (wready),
    .s_axil_bresp  (),
    .s_axil_bvalid (bvalid),
    .s_axil_bready (bready),
    .s_axil_araddr (Result),
    .s_axil_arprot ('0),
    .s_axil_arvalid(arvalid),
    .s_axil_arready(arready),
    .s_axil_rdata  (rdata),
    .s_axil_rresp  (),
    .s_axil_rvalid (rvalid),
    .s_axil_rready (rready),
    .m_axi_awid    (),
    .m_axi_awaddr  (),
    .m_axi_awlen   (),
    .m_axi_awsize  (),
    .m_axi_awburst (),
    .m_axi_awvalid (),
    .m_axi_awready (1'b0),
    .m_axi_wdata   (),
    .m_axi_wstrb   (),
    .m_axi_wlast   (),
    .m_axi_wvalid  (),
    .m_axi_wready  (1'b0),
    .m_axi_bid     ('0),
    .m_axi_bresp   ('0),
    .m_axi_bvalid  (1'b0),
    .m_axi_bready  (),
    .m_axi_arid    (),
    .m_axi_araddr  (memory_araddr),
    .m_axi_arlen   (memory_arlen),
    .m_axi_arsize  (),
    .m_axi_arburst (),
    .m_axi_arvalid (memory_arvalid),
    .m_axi_arready (memory_arready),
    .m_axi_rid     ('0),
    .m_axi_rdata   ('0),
    .m_axi_rresp   (memory_rresp),
    .m_axi_rlast   (1'b1),
    .m_axi_rvalid  (memory_rvalid),
    .m_axi_rready  (memory_rready),
    .irq_o         (irq),
    .busy_o        (busy)
  );

  // ---- What software does: eight bytes or fewer in one beat, from any address -------------------

  logic write, counted_q;

  assign write = awvalid && awready;

  always_ff @(posedge clk) begin
    started <= 1'b1;
    assume (rst == !started);
    assume (awaddr == Address || awaddr == ByteCount || awaddr == Control);
    if (awaddr == Address) assume (wdata[2:0] == '0);
    if (awaddr == ByteCount) assume (wdata == 32'd8);
    if (awaddr == Control) assume (counted_q || !awvalid);
    counted_q <= !rst && (counted_q || (write && awaddr == ByteCount));
  end

  stream_contract #(
    .Width(38),
    .Assume(1'b1)
  ) aw_rule (
    .clk,
    .rst,
    .data({awaddr, wdata}),
    .valid(awvalid),
    .ready(awready)
  );
  stream_contract #(
    .Width(32),
    .Assume(1'b1)
  ) w_rule (
    .clk,
    .rst,
    .data(wdata),
    .valid(wvalid),
    .ready(wready)
  );
  stream_contract #(
    .Width(1),
    .Assume(1'b1)
  ) ar_rule (
    .clk,
    .rst,
    .data(1'b0),
    .valid(arvalid),
    .ready(arready)
  );
  stream_contract b_rule (
    .clk,
    .rst,
    .data(1'b0),
    .valid(bvalid),
    .ready(bready)
  );
  stream_contract #(
    .Width(32)
  ) r_rule (
    .clk,
    .rst,
    .data(rdata),
    .valid(rvalid),
    .ready(rready)
  );
  stream_contract #(
    .Width(40)
  ) memory_rule (
    .clk,
    .rst,
    .data({memory_araddr, memory_arlen}),
    .valid(memory_arvalid),
    .ready(memory_arready)
  );

  // ---- What memory does -------------------------------------------------------------------------

  logic [2:0] pending_q;
  always_ff @(posedge clk) begin
    assume (!memory_rvalid || pending_q != '0);
    if (rst) pending_q <= '0;
    else pending_q <= pending_q + 3'(memory_arvalid && memory_arready) - 3'(memory_rvalid);
  end

  // ---- The last start, and what was read last ---------------------------------------------------

  logic owed_q;  // the address was not changed since the last start
  address_t address_q, expected_q, read_q;
  logic [1:0] starts_q;  // since the peripheral was last at rest
  logic writes_q, reads_q;  // an access that was not answered

  always_ff @(posedge clk) begin
    if (memory_arvalid && memory_arready) read_q <= memory_araddr;
    if (write && awaddr == Address) begin
      address_q <= wdata;
      owed_q    <= 1'b0;
    end
    if (write && awaddr == Control && wdata[0]) begin
      expected_q <= address_q;
      owed_q     <= 1'b1;
    end
    if (!busy) starts_q <= '0;
    if (write && awaddr == Control && wdata[0] && starts_q != '1) starts_q <= starts_q + 1'b1;

    if (bvalid && bready) writes_q <= 1'b0;
    if (write) writes_q <= 1'b1;
    if (rvalid && rready) reads_q <= 1'b0;
    if (arvalid && arready) reads_q <= 1'b1;
    if (rst) begin
      address_q <= '0;
      owed_q    <= 1'b0;
      starts_q  <= '0;
      writes_q  <= 1'b0;
      reads_q   <= 1'b0;
    end
  end

  // A start came after the read was taken, so its answer is about the one before.
  logic started_after_q;
  always_ff @(posedge clk) begin
    if (arvalid && arready) started_after_q <= 1'b0;
    else if (write && awaddr == Control) started_after_q <= 1'b1;
    if (rst) started_after_q <= 1'b0;
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      assert (awready == wready);
      assert (bvalid == writes_q);
      assert (rvalid == reads_q);
      if (owed_q && !busy) assert (read_q == expected_q);
      if (owed_q && rvalid && rdata[31] && !$past(write)) begin
        // What was read while the last start waited did not say that it was ready.
        assert (read_q == expected_q || started_after_q);
      end
      cover (starts_q == 2'd2 && owed_q && expected_q == 32'h8000 && read_q == 32'h1000);
      cover (!busy && owed_q && expected_q == 32'h8000 && $past(starts_q == 2'd2));
      cover (rvalid && rdata[31] && !rdata[30]);
      cover (rvalid && rdata[31] && rdata[30]);
    end
  end

endmodule
