// SPDX-License-Identifier: Apache-2.0

// Puts the bursts of two clients (ring_memory_axi) on one AXI4 memory port.
//
// Latency    1 clock for an address, none for data.
// Throughput one beat a clock each way.
// Paths      m_axi_aw* and m_axi_ar* are registers. m_axi_w* and the clients' ready follow each other
//            through a multiplexer; what comes back goes straight through.
//
// Each client has one ID, so its answers come in order. Data to write follow their addresses. A client
// takes all it has asked for at once.
module axi_burst_port
  import burst_memory_pkg::*;
#(
  parameter  int DataWidth    = 64,
  parameter  int AddressWidth = 40,
  parameter  int IdWidth      = 6,
  localparam int Lanes        = DataWidth / 8,
  localparam int Clients      = 2
) (
  input  logic clk,
  input  logic rst,

  input  burst_t [Clients-1:0] s_read_burst,
  input  logic [Clients-1:0] s_read_burst_valid,
  output logic [Clients-1:0] s_read_burst_ready,
  output logic [DataWidth-1:0] m_read_data,                 // to both clients,
  output logic [Clients-1:0] m_read_valid,                  // and whose it is

  input  burst_t [Clients-1:0] s_write_burst,
  input  logic [Clients-1:0] s_write_burst_valid,
  output logic [Clients-1:0] s_write_burst_ready,
  input  logic [Clients-1:0][DataWidth-1:0] s_write_data,
  input  logic [Clients-1:0][Lanes-1:0] s_write_strobe,
  input  logic [Clients-1:0] s_write_last,
  input  logic [Clients-1:0] s_write_valid,
  output logic [Clients-1:0] s_write_ready,
  output logic [Clients-1:0] written_o,

  output logic error_o,

  output logic [IdWidth-1:0] m_axi_awid,
  output logic [AddressWidth-1:0] m_axi_awaddr,
  output logic [7:0] m_axi_awlen,
  output logic [2:0] m_axi_awsize,
  output logic [1:0] m_axi_awburst,
  output logic  m_axi_awvalid,
  input  logic  m_axi_awready,
  output logic [DataWidth-1:0] m_axi_wdata,
  output logic [DataWidth/8-1:0] m_axi_wstrb,
  output logic  m_axi_wlast,
  output logic  m_axi_wvalid,
  input  logic  m_axi_wready,
  input  logic [IdWidth-1:0] m_axi_bid,
  input  logic [1:0] m_axi_bresp,
  input  logic  m_axi_bvalid,
  output logic  m_axi_bready,
  output logic [IdWidth-1:0] m_axi_arid,
  output logic [AddressWidth-1:0] m_axi_araddr,
  output logic [7:0] m_axi_arlen,
  output logic [2:0] m_axi_arsize,
  output logic [1:0] m_axi_arburst,
  output logic  m_axi_arvalid,
  input  logic  m_axi_arready,
  input  logic [IdWidth-1:0] m_axi_rid,
  input  logic [DataWidth-1:0] m_axi_rdata,
  input  logic [1:0] m_axi_rresp,
  input  logic  m_axi_rlast,
  input  logic  m_axi_rvalid,
  output logic  m_axi_rready
);

  localparam logic [2:0] BeatSize = 3'($clog2(Lanes));
  localparam logic [1:0] Incrementing = 2'b01;
  localparam int Orders = 8;  // bursts whose data has not gone

  typedef struct packed {
    logic   client;
    burst_t burst;
  } chosen_t;

  burst_t reads[Clients];
  burst_t writes[Clients];
  chosen_t read, write, ar, aw;
  logic read_valid, read_ready, write_valid, write_ready, aw_ready, order_ready;
  logic order, order_valid, order_taken;
  logic [$clog2(Orders+1)-1:0] unused_order_count;

  for (genvar i = 0; i < Clients; i++) begin : gen_clients
    assign reads[i]  = s_read_burst[i];
    assign writes[i] = s_write_burst[i];
  end

  // ---- Reads

  stream_arbiter #(
    .T(burst_t),
    .N(Clients)
  ) read_choice (
    .clk,
    .rst,
    .s_data (reads),
    .s_valid(s_read_burst_valid),
    .s_ready(s_read_burst_ready),
    .m_data (read.burst),
    .m_index(read.client),
    .m_valid(read_valid),
    .m_ready(read_ready)
  );

  stream_register #(
    .T(chosen_t)
  ) ar_register (
    .clk,
    .rst,
    .s_data (read),
    .s_valid(read_valid),
    .s_ready(read_ready),
    .m_data (ar),
    .m_valid(m_axi_arvalid),
    .m_ready(m_axi_arready)
  );

  assign m_axi_arid    = IdWidth'(ar.client);
  assign m_axi_araddr  = AddressWidth'(ar.burst.address);
  assign m_axi_arlen   = ar.burst.length;
  assign m_axi_arsize  = BeatSize;
  assign m_axi_arburst = Incrementing;
  assign m_axi_rready  = 1'b1;
  assign m_read_data   = m_axi_rdata;

  // ---- Writes

  stream_arbiter #(
    .T(burst_t),
    .N(Clients)
  ) write_choice (
    .clk,
    .rst,
    .s_data (writes),
    .s_valid(s_write_burst_valid),
    .s_ready(s_write_burst_ready),
    .m_data (write.burst),
    .m_index(write.client),
    .m_valid(write_valid),
    .m_ready(write_ready)
  );

  assign write_ready = aw_ready && order_ready;

  stream_register #(
    .T(chosen_t)
  ) aw_register (
    .clk,
    .rst,
    .s_data (write),
    .s_valid(write_valid && order_ready),
    .s_ready(aw_ready),
    .m_data (aw),
    .m_valid(m_axi_awvalid),
    .m_ready(m_axi_awready)
  );

  stream_fifo #(
    .T       (logic),
    .Depth   (Orders),
    .BlockRam(0)
  ) orders (
    .clk,
    .rst,
    .s_data (write.client),
    .s_valid(write_valid && aw_ready),
    .s_ready(order_ready),
    .m_data (order),
    .m_valid(order_valid),
    .m_ready(order_taken),
    .count_o(unused_order_count)
  );

  assign m_axi_awid    = IdWidth'(aw.client);
  assign m_axi_awaddr  = AddressWidth'(aw.burst.address);
  assign m_axi_awlen   = aw.burst.length;
  assign m_axi_awsize  = BeatSize;
  assign m_axi_awburst = Incrementing;
  assign m_axi_wdata   = s_write_data[order];
  assign m_axi_wstrb   = s_write_strobe[order];
  assign m_axi_wlast   = s_write_last[order];
  assign m_axi_wvalid  = order_valid && s_write_valid[order];
  assign m_axi_bready  = 1'b1;
  assign order_taken   = m_axi_wvalid && m_axi_wready && m_axi_wlast;

  always_comb begin
    for (int i = 0; i < Clients; i++) begin
      s_write_ready[i] = order_valid && order == 1'(i) && m_axi_wready;
      m_read_valid[i]  = m_axi_rvalid && m_axi_rid[0] == 1'(i);
      written_o[i]     = m_axi_bvalid && m_axi_bid[0] == 1'(i);
    end
  end

  always_ff @(posedge clk) begin
    error_o <= (m_axi_rvalid && m_axi_rresp[1]) || (m_axi_bvalid && m_axi_bresp[1]);

    if (rst) error_o <= 1'b0;
  end

  logic unused;
  assign unused = &{m_axi_rlast, m_axi_rid, m_axi_bid, m_axi_rresp[0], m_axi_bresp[0]};

endmodule
