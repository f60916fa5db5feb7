// SPDX-License-Identifier: Apache-2.0

// AXI4-Lite in front of a register file that PeakRDL generates with its plain interface, for small
// register files whose accesses take no clock of their own: a third of the look-up tables that
// PeakRDL's own AXI4-Lite takes, which queues responses.
//
// Latency    1 clock from the address (and data) to the response.
// Throughput one access at a time, each two clocks at best; a write goes before a read.
// Errors     none are signalled: what is not there reads as zero and ignores writes.
// Strobes    a register is written whole, whatever the strobes say, but with none of them not at
//            all; so it needs no logic before its flip-flops.
// Paths      awready, wready and arready follow awvalid and wvalid; responses are registers.
module axil_register_port #(
  parameter int AddressWidth = 6
) (
  input logic clk,
  input logic rst,

  input  logic [AddressWidth-1:0] s_axil_awaddr,
  input  logic                    s_axil_awvalid,
  output logic                    s_axil_awready,
  input  logic [            31:0] s_axil_wdata,
  input  logic [             3:0] s_axil_wstrb,
  input  logic                    s_axil_wvalid,
  output logic                    s_axil_wready,
  output logic [             1:0] s_axil_bresp,
  output logic                    s_axil_bvalid,
  input  logic                    s_axil_bready,
  input  logic [AddressWidth-1:0] s_axil_araddr,
  input  logic                    s_axil_arvalid,
  output logic                    s_axil_arready,
  output logic [            31:0] s_axil_rdata,
  output logic [             1:0] s_axil_rresp,
  output logic                    s_axil_rvalid,
  input  logic                    s_axil_rready,

  output logic                    request_o,
  output logic                    request_writes_o,
  output logic [AddressWidth-1:0] request_address_o,
  output logic [            31:0] request_data_o,
  input  logic [            31:0] answer_data_i       // in the clock of the request
);

  logic idle, write, read;

  assign idle              = !s_axil_bvalid && !s_axil_rvalid;
  assign write             = idle && s_axil_awvalid && s_axil_wvalid;
  assign read              = idle && s_axil_arvalid && !write;

  assign s_axil_awready    = write;
  assign s_axil_wready     = write;
  assign s_axil_arready    = read;
  assign s_axil_bresp      = '0;
  assign s_axil_rresp      = '0;

  assign request_o         = read || (write && s_axil_wstrb != '0);
  assign request_writes_o  = write;
  assign request_address_o = write ? s_axil_awaddr : s_axil_araddr;
  assign request_data_o    = s_axil_wdata;

  always_ff @(posedge clk) begin
    if (write) s_axil_bvalid <= 1'b1;
    else if (s_axil_bready) s_axil_bvalid <= 1'b0;

    if (read) s_axil_rvalid <= 1'b1;
    else if (s_axil_rready) s_axil_rvalid <= 1'b0;
    if (idle) s_axil_rdata <= answer_data_i;

    if (rst) begin
      s_axil_bvalid <= 1'b0;
      s_axil_rvalid <= 1'b0;
    end
  end

endmodule
