// SPDX-License-Identifier: Apache-2.0

// AXI4-Lite in front of a register file that PeakRDL generates with its plain interface, for large
// register files whose accesses take clocks of their own (small ones: axil_register_port).
//
// Latency    2 clocks from the address (and data) to the request, 1 from the answer to the response.
// Throughput one access at a time; reads and writes that wait take turns.
// Errors     none are signalled.
// Paths      awready, wready and arready follow awvalid, wvalid and arvalid; the request and the
//            responses are registers, so that decoding has a clock for itself, and the way to where
//            it is done another.
module axil_access_port #(
  parameter int AddressWidth = 10
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

  // Addresses are those of words. The request stays until it is not stalled; its answer comes in that
  // clock or later, and until then its address stays.
  output logic                    request_o,
  output logic                    request_writes_o,
  output logic [AddressWidth-1:0] request_address_o,
  output logic [            31:0] request_data_o,
  output logic [            31:0] request_enable_o,      // the bits that are written
  input  logic                    request_stall_write_i,
  input  logic                    request_stall_read_i,
  input  logic                    answer_write_i,
  input  logic                    answer_read_i,
  input  logic [            31:0] answer_data_i
);

  logic busy_q;  // from the request to the clock in which its response is taken
  logic read_first_q;  // the last access was a write
  logic write, read, stall, unused_bytes;
  logic [AddressWidth-3:0] word;
  logic begin_q, writes_q;
  logic [AddressWidth-1:0] address_q;
  logic [31:0] data_q;
  logic [3:0] strobes_q, request_strobes_q;

  assign write = !busy_q && s_axil_awvalid && s_axil_wvalid && !(s_axil_arvalid && read_first_q);
  assign read = !busy_q && s_axil_arvalid && !(s_axil_awvalid && s_axil_wvalid && !read_first_q);
  assign word = write ? s_axil_awaddr[AddressWidth-1:2] : s_axil_araddr[AddressWidth-1:2];
  assign unused_bytes = ^{s_axil_awaddr[1:0], s_axil_araddr[1:0]};
  assign stall = request_writes_o ? request_stall_write_i : request_stall_read_i;

  assign s_axil_awready = write;
  assign s_axil_wready = write;
  assign s_axil_arready = read;
  assign s_axil_bresp = '0;
  assign s_axil_rresp = '0;

  always_comb begin
    for (int i = 0; i < 4; i++) request_enable_o[i*8+:8] = {8{request_strobes_q[i]}};
  end

  always_ff @(posedge clk) begin
    if (!busy_q) begin
      writes_q  <= write;
      address_q <= {word, 2'b00};
      data_q    <= s_axil_wdata;
      strobes_q <= s_axil_wstrb;
    end
    begin_q <= write || read;
    if (write || read) begin
      busy_q       <= 1'b1;
      read_first_q <= write;
    end
    request_writes_o  <= writes_q;
    request_address_o <= address_q;
    request_data_o    <= data_q;
    request_strobes_q <= strobes_q;
    if (begin_q) request_o <= 1'b1;
    else if (!stall) request_o <= 1'b0;

    if (answer_write_i) s_axil_bvalid <= 1'b1;
    if (answer_read_i) begin
      s_axil_rvalid <= 1'b1;
      s_axil_rdata  <= answer_data_i;
    end
    if (s_axil_bvalid && s_axil_bready || s_axil_rvalid && s_axil_rready) begin
      busy_q        <= 1'b0;
      s_axil_bvalid <= 1'b0;
      s_axil_rvalid <= 1'b0;
    end

    if (rst) begin
      busy_q        <= 1'b0;
      begin_q       <= 1'b0;
      request_o     <= 1'b0;
      read_first_q  <= 1'b0;
      s_axil_bvalid <= 1'b0;
      s_axil_rvalid <= 1'b0;
    end
  end

endmodule
