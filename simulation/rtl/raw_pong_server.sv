// SPDX-License-Identifier: Apache-2.0

// raw_pong with the ports of toe_server, so that the simulator can run it in place of the engine. With
// Firmware = 1 it is picorv32_raw_link instead, a pong by program; with 2 picorv32_frames, a program
// with a stack of its own, which has no counters.
//
// DataWidth is that of the MAC; inside it is 32 bits, or as wide as the MAC. The registers are the
// counters of raw_link_counters_t in their order, a word each; toehold.simulator_build reads that
// order from the struct.
//
// With Firmware there are two registers more, to be written: each word to 0x800 is the next one of the
// program, from address 0 on, and anything to 0x804 starts the processor. 0x808, read: it trapped.
module raw_pong_server
  import net_headers_pkg::*;
  import raw_link_pkg::*;
#(
  parameter  int           Preset    = 0,  // there is one configuration
  parameter  int           DataWidth = 8,
  parameter  int           Firmware  = 0,
  localparam int           Lanes     = DataWidth / 8,
  localparam mac_address_t Mac       = 48'h02_54_4f_45_00_01
) (
  input  logic                 clk,
  input  logic                 rst,

  input  logic [         31:0] now_us,

  input  logic [DataWidth-1:0] s_axis_rx_tdata,
  input  logic [    Lanes-1:0] s_axis_rx_tkeep,
  input  logic                 s_axis_rx_tlast,
  input  logic                 s_axis_rx_tuser,
  input  logic                 s_axis_rx_tvalid,
  output logic                 s_axis_rx_tready,
  output logic [DataWidth-1:0] m_axis_tx_tdata,
  output logic [    Lanes-1:0] m_axis_tx_tkeep,
  output logic                 m_axis_tx_tlast,
  output logic                 m_axis_tx_tvalid,
  input  logic                 m_axis_tx_tready,

  input  logic [         11:0] s_axil_awaddr,
  input  logic [          2:0] s_axil_awprot,
  input  logic                 s_axil_awvalid,
  output logic                 s_axil_awready,
  input  logic [         31:0] s_axil_wdata,
  input  logic [          3:0] s_axil_wstrb,
  input  logic                 s_axil_wvalid,
  output logic                 s_axil_wready,
  output logic [          1:0] s_axil_bresp,
  output logic                 s_axil_bvalid,
  input  logic                 s_axil_bready,
  input  logic [         11:0] s_axil_araddr,
  input  logic [          2:0] s_axil_arprot,
  input  logic                 s_axil_arvalid,
  output logic                 s_axil_arready,
  output logic [         31:0] s_axil_rdata,
  output logic [          1:0] s_axil_rresp,
  output logic                 s_axil_rvalid,
  input  logic                 s_axil_rready
);

  raw_link_counters_t counts;

  logic write, load, run_q, trap, write_found_q;
  logic [31:0] load_address_q;

  assign write = s_axil_awvalid && s_axil_awready;
  assign load  = Firmware != 0 && write && s_axil_awaddr == 12'h800;

  always_ff @(posedge clk) begin
    if (load) load_address_q <= load_address_q + 32'd4;
    if (write && s_axil_awaddr == 12'h804) run_q <= Firmware != 0;

    if (rst) begin
      load_address_q <= '0;
      run_q          <= 1'b0;
    end
  end

  if (Firmware == 1) begin : gen_firmware
    picorv32_raw_link #(
      .MacWidth(DataWidth)
    ) system (
      .clk,
      .rst,
      .mac_i         (Mac),
      .s_axis_rx_tdata,
      .s_axis_rx_tkeep,
      .s_axis_rx_tlast,
      .s_axis_rx_tuser,
      .s_axis_rx_tvalid,
      .s_axis_rx_tready,
      .m_axis_tx_tdata,
      .m_axis_tx_tkeep,
      .m_axis_tx_tlast,
      .m_axis_tx_tvalid,
      .m_axis_tx_tready,
      .run_i         (run_q),
      .load_valid_i  (load),
      .load_address_i(load_address_q),
      .load_data_i   (s_axil_wdata),
      .trap_o        (trap),
      .counts_o      (counts)
    );
  end else if (Firmware == 2) begin : gen_frames
    picorv32_frames #(
      .MacWidth(DataWidth)
    ) system (
      .clk,
      .rst,
      .s_axis_rx_tdata,
      .s_axis_rx_tkeep,
      .s_axis_rx_tlast,
      .s_axis_rx_tvalid,
      .s_axis_rx_tready,
      .m_axis_tx_tdata,
      .m_axis_tx_tkeep,
      .m_axis_tx_tlast,
      .m_axis_tx_tvalid,
      .m_axis_tx_tready,
      .run_i         (run_q),
      .load_valid_i  (load),
      .load_address_i(load_address_q),
      .load_data_i   (s_axil_wdata),
      .trap_o        (trap)
    );
    assign counts = '0;
  end else begin : gen_hardware
    raw_pong #(
      .MacWidth (DataWidth),
      .DataWidth((DataWidth > 32) ? DataWidth : 32)
    ) pong (
      .clk,
      .rst,
      .mac_i   (Mac),
      .forget_i(1'b0),
      .s_axis_rx_tdata,
      .s_axis_rx_tkeep,
      .s_axis_rx_tlast,
      .s_axis_rx_tuser,
      .s_axis_rx_tvalid,
      .s_axis_rx_tready,
      .m_axis_tx_tdata,
      .m_axis_tx_tkeep,
      .m_axis_tx_tlast,
      .m_axis_tx_tvalid,
      .m_axis_tx_tready,
      .counts_o(counts)
    );
    assign trap = 1'b0;
  end

  localparam int Counters = 25;

  logic [7:0] increments[Counters];
  logic [31:0] counters_q[Counters];

  assign increments = '{
      8'(counts.rx_frames),
      8'(counts.drop_fcs),
      8'(counts.drop_runt),
      8'(counts.drop_mac_address),
      8'(counts.drop_ethertype),
      8'(counts.drop_size),
      8'(counts.drop_overflow),
      8'(counts.drop_action),
      8'(counts.drop_no_app),
      8'(counts.drop_no_connection),
      8'(counts.drop_table_full),
      8'(counts.drop_duplicate),
      8'(counts.drop_gap),
      8'(counts.drop_in_use),
      8'(counts.acknowledgements_in),
      8'(counts.refusals_in),
      8'(counts.delivered),
      counts.lost,
      8'(counts.opened),
      8'(counts.closed),
      8'(counts.tx_frames),
      8'(counts.acknowledgements_out),
      8'(counts.refusals_out),
      8'(counts.drop_tx_closed),
      8'(counts.drop_tx_size)
  };

  assign s_axil_arready = !s_axil_rvalid;
  assign s_axil_rresp   = '0;
  assign s_axil_awready = s_axil_awvalid && s_axil_wvalid && !s_axil_bvalid;
  assign s_axil_wready  = s_axil_awready;
  assign s_axil_bresp   = write_found_q ? 2'b00 : 2'b10;

  always_ff @(posedge clk) begin
    for (int i = 0; i < Counters; i++) begin
      counters_q[i] <= rst ? '0 : counters_q[i] + 32'(increments[i]);
    end
    if (s_axil_rready) s_axil_rvalid <= 1'b0;
    if (s_axil_arvalid && s_axil_arready) begin
      s_axil_rvalid <= 1'b1;
      s_axil_rdata  <= '0;
      for (int i = 0; i < Counters; i++) begin
        if (s_axil_araddr[11:2] == 10'(i)) s_axil_rdata <= counters_q[i];
      end
      if (s_axil_araddr == 12'h808) s_axil_rdata <= 32'(trap);
    end
    if (s_axil_bready) s_axil_bvalid <= 1'b0;
    if (s_axil_awready) begin
      s_axil_bvalid <= 1'b1;
      write_found_q <= Firmware != 0 && s_axil_awaddr inside {12'h800, 12'h804};
    end

    if (rst) begin
      s_axil_rvalid <= 1'b0;
      s_axil_bvalid <= 1'b0;
    end
  end

endmodule
