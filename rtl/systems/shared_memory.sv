// SPDX-License-Identifier: Apache-2.0

// Memory on chip that a processor and one AXI4 master share, DataWidth bits wide.
//
// Processor  32 bits; granted and answered in the next clock, and always first.
// AXI4       INCR bursts of whole beats. The first beat of a read comes 2 clocks after its address,
//            then one a clock, but for those that the processor takes; addresses that wait follow
//            without a gap. One write at a time, one beat long. There is no rready: a master takes
//            what it asked for at once, as checksum_offload does.
// Paths      awready and wready follow their valids and the processor's.
module shared_memory #(
  parameter  int DataWidth = 64,
  parameter  int Bytes     = 256 * 1024,
  localparam int Lanes     = DataWidth / 8
) (
  input logic clk,
  input logic rst,

  input  logic        cpu_valid_i,
  input  logic [31:0] cpu_address_i,
  input  logic [31:0] cpu_data_i,
  input  logic [ 3:0] cpu_strobe_i,   // none: a read
  output logic        cpu_ready_o,
  output logic [31:0] cpu_data_o,

  input  logic [         31:0] s_axi_awaddr,
  input  logic                 s_axi_awvalid,
  output logic                 s_axi_awready,
  input  logic [DataWidth-1:0] s_axi_wdata,
  input  logic [    Lanes-1:0] s_axi_wstrb,
  input  logic                 s_axi_wvalid,
  output logic                 s_axi_wready,
  output logic [          1:0] s_axi_bresp,
  output logic                 s_axi_bvalid,
  input  logic                 s_axi_bready,
  input  logic [         31:0] s_axi_araddr,
  input  logic [          7:0] s_axi_arlen,
  input  logic                 s_axi_arvalid,
  output logic                 s_axi_arready,
  output logic [DataWidth-1:0] s_axi_rdata,
  output logic [          1:0] s_axi_rresp,
  output logic                 s_axi_rlast,
  output logic                 s_axi_rvalid
);

  localparam int Depth = Bytes / Lanes;
  localparam int LaneBits = $clog2(Lanes);
  localparam int IndexBits = $clog2(Depth);

  typedef logic [IndexBits-1:0] index_t;

  // ---- Reads --------------------------------------------------------------------------------

  logic cpu_read, axi_read;
  logic reading_q;
  index_t index_q, read_index;
  logic [7:0] left_q;
  logic [DataWidth-1:0] read_data;

  assign cpu_read      = cpu_valid_i && cpu_strobe_i == '0 && !cpu_ready_o;
  assign axi_read      = reading_q && !cpu_read;
  assign read_index    = cpu_read ? cpu_address_i[LaneBits+:IndexBits] : index_q;
  assign s_axi_arready = !reading_q || (axi_read && left_q == '0);

  always_ff @(posedge clk) begin
    if (s_axi_arready) begin
      reading_q <= s_axi_arvalid;
      index_q   <= s_axi_araddr[LaneBits+:IndexBits];
      left_q    <= s_axi_arlen;
    end else if (axi_read) begin
      index_q <= index_q + 1'b1;
      left_q  <= left_q - 1'b1;
    end
    s_axi_rvalid <= axi_read;
    s_axi_rlast  <= left_q == '0;

    if (rst) begin
      reading_q    <= 1'b0;
      s_axi_rvalid <= 1'b0;
    end
  end

  assign s_axi_rdata = read_data;
  assign s_axi_rresp = '0;

  // ---- Writes -------------------------------------------------------------------------------

  logic cpu_write, axi_write;
  logic [Lanes-1:0] write_strobe;

  assign cpu_write     = cpu_valid_i && cpu_strobe_i != '0 && !cpu_ready_o;
  assign axi_write     = s_axi_awvalid && s_axi_wvalid && !cpu_write && !s_axi_bvalid;
  assign s_axi_awready = axi_write;
  assign s_axi_wready  = axi_write;
  assign s_axi_bresp   = '0;

  always_comb begin
    write_strobe = axi_write ? s_axi_wstrb : '0;
    if (cpu_write) write_strobe[{cpu_address_i[LaneBits-1:2], 2'b00}+:4] = cpu_strobe_i;
  end

  always_ff @(posedge clk) begin
    if (axi_write) s_axi_bvalid <= 1'b1;
    else if (s_axi_bready) s_axi_bvalid <= 1'b0;

    if (rst) s_axi_bvalid <= 1'b0;
  end

  ram_simple_dual_port #(
    .Width      (DataWidth),
    .Depth      (Depth),
    .StrobeWidth(8)
  ) ram (
    .clk,
    .write_enable_i (write_strobe),
    .write_address_i(cpu_write ? cpu_address_i[LaneBits+:IndexBits]
                                : s_axi_awaddr[LaneBits+:IndexBits]),
    .write_data_i   (cpu_write ? {(DataWidth / 32) {cpu_data_i}} : s_axi_wdata),
    .read_enable_i  (cpu_read || axi_read),
    .read_address_i (read_index),
    .read_data_o    (read_data)
  );

  // ---- The processor ------------------------------------------------------------------------

  always_ff @(posedge clk) begin
    cpu_ready_o <= cpu_read || cpu_write;

    if (rst) cpu_ready_o <= 1'b0;
  end

  assign cpu_data_o = read_data[{cpu_address_i[LaneBits-1:2], 5'b0}+:32];

  // verilator lint_off UNUSEDSIGNAL  // memory repeats in the address space
  logic unused;
  assign unused = &{cpu_address_i, s_axi_awaddr, s_axi_araddr};
  // verilator lint_on UNUSEDSIGNAL

endmodule
