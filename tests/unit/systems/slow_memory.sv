// SPDX-License-Identifier: Apache-2.0

// Memory behind AXI4 as large as its address space, in order, one beat a clock each way while its gates are open.
module slow_memory #(
  parameter  int DataWidth    = 64,
  parameter  int AddressWidth = 40,
  parameter  int IdWidth      = 6,
  localparam int Lanes        = DataWidth / 8
) (
  input logic clk,
  input logic rst,

  input logic read_open_i,
  input logic write_open_i,

  input  logic [     IdWidth-1:0] s_awid,
  input  logic [AddressWidth-1:0] s_awaddr,
  input  logic                    s_awvalid,
  output logic                    s_awready,
  input  logic [   DataWidth-1:0] s_wdata,
  input  logic [       Lanes-1:0] s_wstrb,
  input  logic                    s_wlast,
  input  logic                    s_wvalid,
  output logic                    s_wready,
  output logic [     IdWidth-1:0] s_bid,
  output logic                    s_bvalid,
  input  logic                    s_bready,
  input  logic [     IdWidth-1:0] s_arid,
  input  logic [AddressWidth-1:0] s_araddr,
  input  logic [             7:0] s_arlen,
  input  logic                    s_arvalid,
  output logic                    s_arready,
  output logic [     IdWidth-1:0] s_rid,
  output logic [   DataWidth-1:0] s_rdata,
  output logic                    s_rlast,
  output logic                    s_rvalid,
  input  logic                    s_rready
);

  localparam int LaneBits = $clog2(Lanes);

  typedef logic [AddressWidth-LaneBits-1:0] word_t;

  typedef struct packed {
    logic [IdWidth-1:0] id;
    word_t              word;
    logic [7:0]         length;
  } burst_t;

  logic [DataWidth-1:0] memory[word_t];

  burst_t reads[$], writes[$];
  logic [IdWidth-1:0] answers[$];
  logic [DataWidth-1:0] word;
  burst_t burst;

  assign s_arready = 1'b1;
  assign s_awready = 1'b1;

  always @(posedge clk) begin
    if (s_arvalid) begin
      reads.push_back('{id: s_arid, word: s_araddr[AddressWidth-1:LaneBits], length: s_arlen});
    end
    if (s_awvalid) begin
      writes.push_back('{id: s_awid, word: s_awaddr[AddressWidth-1:LaneBits], length: '0});
    end

    // Writes; their data may come before their address.
    if (s_wvalid && s_wready) begin
      burst = writes.pop_front();
      word  = memory.exists(burst.word) ? memory[burst.word] : '0;
      for (int i = 0; i < Lanes; i++) if (s_wstrb[i]) word[8*i+:8] = s_wdata[8*i+:8];
      memory[burst.word] = word;
      burst.word = burst.word + 1'b1;
      if (s_wlast) answers.push_back(burst.id);
      else writes.push_front(burst);
    end
    s_wready <= write_open_i && writes.size() != 0;

    if (!s_bvalid || s_bready) begin
      s_bvalid <= write_open_i && answers.size() != 0;
      if (write_open_i && answers.size() != 0) s_bid <= answers.pop_front();
    end

    if (!s_rvalid || s_rready) begin
      s_rvalid <= read_open_i && reads.size() != 0;
      if (read_open_i && reads.size() != 0) begin
        burst = reads.pop_front();
        s_rid   <= burst.id;
        s_rdata <= memory.exists(burst.word) ? memory[burst.word] : '0;
        s_rlast <= burst.length == '0;
        if (burst.length != '0) begin
          burst.word   = burst.word + 1'b1;
          burst.length = burst.length - 1'b1;
          reads.push_front(burst);
        end
      end
    end

    if (rst) begin
      s_wready <= 1'b0;
      s_bvalid <= 1'b0;
      s_rvalid <= 1'b0;
    end
  end

endmodule
