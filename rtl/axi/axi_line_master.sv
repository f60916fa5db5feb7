// SPDX-License-Identifier: Apache-2.0

// Puts the line requests of several clients on one AXI4 memory port (line_memory_pkg says what a
// client may expect).
//
// A line is one burst of LineBits / DataWidth beats; up to Outstanding of them are under way, reads
// and writes together, each with an ID of its own, so the memory answers them in any order. AXI4
// orders nothing between reads and writes, so a request waits while another one for its line is under
// way and one of the two is a write. Lines are compared by their client and low address bits: a
// line whose neighbour 2^ConflictBits lines away is written may wait for nothing.
//
// Latency    3 clocks from a request to its address, 2 from the last answer to the response, 3 with
//            more than one beat.
// Throughput one line a clock at 512 bits, and one response a clock.
// Paths      m_axi_* outputs are registers, but m_axi_rready follows m_axi_rvalid and m_axi_bvalid
//            through an arbiter; s_request_ready follows s_request_valid through an arbiter.
//            m_response_* are a register and a look-up in LUT RAM behind it.
//
// base_i says where each client's part of memory begins, in bytes and on a line.
// An error response counts as done, its data are noise: read_error_o or write_error_o pulses.
module axi_line_master
  import line_memory_pkg::*;
#(
  parameter  int Clients      = 2,
  parameter  int DataWidth    = 512,
  parameter  int AddressWidth = 40,
  parameter  int Outstanding  = 32,
  parameter  int ConflictBits = 10,
  parameter  int IdWidth      = $clog2(Outstanding)
) (
  input  logic                                        clk,
  input  logic                                        rst,

  input  logic           [Clients-1:0][AddressWidth-1:0] base_i,

  input  line_request_t  [Clients-1:0]                s_request,
  input  logic           [Clients-1:0]                s_request_valid,
  output logic           [Clients-1:0]                s_request_ready,

  output line_response_t                              m_response,        // to all clients,
  output logic           [Clients-1:0]                m_response_valid,  // and whose it is

  output logic                                        read_error_o,
  output logic                                        write_error_o,

  output logic           [IdWidth-1:0]                m_axi_awid,
  output logic           [AddressWidth-1:0]           m_axi_awaddr,
  output logic           [7:0]                        m_axi_awlen,
  output logic           [2:0]                        m_axi_awsize,
  output logic           [1:0]                        m_axi_awburst,
  output logic                                        m_axi_awvalid,
  input  logic                                        m_axi_awready,
  output logic           [DataWidth-1:0]              m_axi_wdata,
  output logic           [DataWidth/8-1:0]            m_axi_wstrb,
  output logic                                        m_axi_wlast,
  output logic                                        m_axi_wvalid,
  input  logic                                        m_axi_wready,
  input  logic           [IdWidth-1:0]                m_axi_bid,
  input  logic           [1:0]                        m_axi_bresp,
  input  logic                                        m_axi_bvalid,
  output logic                                        m_axi_bready,
  output logic           [IdWidth-1:0]                m_axi_arid,
  output logic           [AddressWidth-1:0]           m_axi_araddr,
  output logic           [7:0]                        m_axi_arlen,
  output logic           [2:0]                        m_axi_arsize,
  output logic           [1:0]                        m_axi_arburst,
  output logic                                        m_axi_arvalid,
  input  logic                                        m_axi_arready,
  input  logic           [IdWidth-1:0]                m_axi_rid,
  input  logic           [DataWidth-1:0]              m_axi_rdata,
  input  logic           [1:0]                        m_axi_rresp,
  input  logic                                        m_axi_rlast,
  input  logic                                        m_axi_rvalid,
  output logic                                        m_axi_rready
);

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256 && DataWidth != 512) begin : gen_check
    $error("DataWidth must be 64, 128, 256 or 512.");
  end
  if (Outstanding < 4 || 2 ** $clog2(Outstanding) != Outstanding) begin : gen_check_outstanding
    $error("Outstanding must be a power of two, at least 4.");
  end
  if (IdWidth < $clog2(Outstanding)) begin : gen_check_ids
    $error("IdWidth must have a number for each of Outstanding requests.");
  end
  if (Clients < 1) begin : gen_check_clients
    $error("Clients must be at least 1.");
  end

  localparam int Beats = LineBits / DataWidth;
  localparam int BeatBits = (Beats > 1) ? $clog2(Beats) : 1;
  localparam int ClientBits = (Clients > 1) ? $clog2(Clients) : 1;
  localparam int OffsetBits = $clog2(LineBytes);
  localparam logic [7:0] BurstLength = 8'(Beats - 1);
  localparam logic [2:0] BeatSize = 3'($clog2(DataWidth / 8));
  localparam logic [1:0] Incrementing = 2'b01;

  typedef logic [$clog2(Outstanding)-1:0] id_t;
  typedef logic [ClientBits-1:0] client_t;
  typedef logic [BeatBits-1:0] beat_t;

  // ---- Which client's request is next

  typedef struct packed {
    client_t       client;
    line_request_t request;
  } chosen_t;

  line_request_t offered[Clients];
  chosen_t picked, chosen;
  logic picked_valid, picked_ready, chosen_valid, issue;

  for (genvar i = 0; i < Clients; i++) begin : gen_offered
    assign offered[i] = s_request[i];
  end

  stream_arbiter #(
    .T(line_request_t),
    .N(Clients)
  ) choice (
    .clk,
    .rst,
    .s_data (offered),
    .s_valid(s_request_valid),
    .s_ready(s_request_ready),
    .m_data (picked.request),
    .m_index(picked.client),
    .m_valid(picked_valid),
    .m_ready(picked_ready)
  );

  stream_register #(
    .T   (chosen_t),
    .Wide(1'b1)
  ) chosen_register (
    .clk,
    .rst,
    .s_data (picked),
    .s_valid(picked_valid),
    .s_ready(picked_ready),
    .m_data (chosen),
    .m_valid(chosen_valid),
    .m_ready(issue)
  );

  // ---- IDs: each new one once, then those that come back

  logic [$clog2(Outstanding):0] fresh_q;
  id_t id, returned, done_id_q;
  logic fresh, id_valid, returned_valid, unused_return_ready, done_q;
  logic [$clog2(Outstanding+1)-1:0] unused_returned_count;

  assign fresh    = !fresh_q[$bits(id_t)];
  assign id       = fresh ? id_t'(fresh_q) : returned;
  assign id_valid = fresh || returned_valid;

  stream_fifo #(
    .T       (id_t),
    .Depth   (Outstanding),
    .BlockRam(0)
  ) returns (
    .clk,
    .rst,
    .s_data (done_id_q),
    .s_valid(done_q),
    .s_ready(unused_return_ready),
    .m_data (returned),
    .m_valid(returned_valid),
    .m_ready(issue && !fresh),
    .count_o(unused_returned_count)
  );

  // ---- What is under way, for the order of requests to one line

  typedef struct packed {
    client_t                 client;
    logic [ConflictBits-1:0] line;
  } place_t;

  place_t place;
  place_t places_q[Outstanding];
  logic [Outstanding-1:0] active_q, writes_q;
  logic conflict;

  assign place = '{client: chosen.client, line: chosen.request.address[ConflictBits-1:0]};

  always_comb begin
    conflict = 1'b0;
    for (int i = 0; i < Outstanding; i++) begin
      conflict |= active_q[i] && places_q[i] == place && (writes_q[i] || chosen.request.write);
    end
  end

  // ---- Addresses and data to write

  typedef struct packed {
    id_t                     id;
    logic [AddressWidth-1:0] address;
  } address_t;

  typedef struct packed {
    logic [LineBytes-1:0] strobe;
    logic [LineBits-1:0]  data;
  } payload_t;

  address_t address, aw, ar;
  payload_t payload;
  logic aw_ready, ar_ready, w_ready, payload_valid, payload_taken;

  assign address = '{
      id: id,
      address: base_i[chosen.client]
          + AddressWidth'({chosen.request.address, OffsetBits'(0)})
  };
  assign issue = chosen_valid && id_valid && !conflict
      && (chosen.request.write ? aw_ready && w_ready : ar_ready);

  stream_register #(
    .T(address_t)
  ) aw_register (
    .clk,
    .rst,
    .s_data (address),
    .s_valid(issue && chosen.request.write),
    .s_ready(aw_ready),
    .m_data (aw),
    .m_valid(m_axi_awvalid),
    .m_ready(m_axi_awready)
  );

  stream_register #(
    .T(address_t)
  ) ar_register (
    .clk,
    .rst,
    .s_data (address),
    .s_valid(issue && !chosen.request.write),
    .s_ready(ar_ready),
    .m_data (ar),
    .m_valid(m_axi_arvalid),
    .m_ready(m_axi_arready)
  );

  stream_register #(
    .T   (payload_t),
    .Wide(1'b1)
  ) w_register (
    .clk,
    .rst,
    .s_data ('{strobe: chosen.request.strobe, data: chosen.request.data}),
    .s_valid(issue && chosen.request.write),
    .s_ready(w_ready),
    .m_data (payload),
    .m_valid(payload_valid),
    .m_ready(payload_taken)
  );

  assign m_axi_awid    = IdWidth'(aw.id);
  assign m_axi_awaddr  = aw.address;
  assign m_axi_awlen   = BurstLength;
  assign m_axi_awsize  = BeatSize;
  assign m_axi_awburst = Incrementing;
  assign m_axi_arid    = IdWidth'(ar.id);
  assign m_axi_araddr  = ar.address;
  assign m_axi_arlen   = BurstLength;
  assign m_axi_arsize  = BeatSize;
  assign m_axi_arburst = Incrementing;

  assign m_axi_wvalid  = payload_valid;
  assign payload_taken = m_axi_wready && m_axi_wlast;

  if (Beats == 1) begin : gen_whole_lines
    assign m_axi_wdata = payload.data;
    assign m_axi_wstrb = payload.strobe;
    assign m_axi_wlast = 1'b1;
  end else begin : gen_beats
    beat_t beat_q;

    assign m_axi_wdata = payload.data[beat_q*DataWidth+:DataWidth];
    assign m_axi_wstrb = payload.strobe[beat_q*(DataWidth/8)+:DataWidth/8];
    assign m_axi_wlast = beat_q == beat_t'(Beats - 1);

    always_ff @(posedge clk) begin
      if (m_axi_wvalid && m_axi_wready) beat_q <= beat_q + 1'b1;

      if (rst) beat_q <= '0;
    end
  end

  // ---- Answers: a read's last beat or a write's response, one a clock

  id_t ended[2];
  id_t done_id;
  logic [1:0] ended_valid, ended_ready;
  logic done, done_write, done_write_q;
  logic [LineBits-1:0] read_data;

  assign ended[1]       = id_t'(m_axi_bid);
  assign ended_valid[1] = m_axi_bvalid;
  assign m_axi_bready   = ended_ready[1];

  stream_arbiter #(
    .T(id_t),
    .N(2)
  ) endings (
    .clk,
    .rst,
    .s_data (ended),
    .s_valid(ended_valid),
    .s_ready(ended_ready),
    .m_data (done_id),
    .m_index(done_write),
    .m_valid(done),
    .m_ready(1'b1)
  );

  if (Beats == 1) begin : gen_direct
    assign ended[0]       = id_t'(m_axi_rid);
    assign ended_valid[0] = m_axi_rvalid;
    assign m_axi_rready   = ended_ready[0];

    always_ff @(posedge clk) read_data <= m_axi_rdata;

    logic unused;
    assign unused = m_axi_rlast;
  end else begin : gen_collect
    // Beats of different reads may alternate, so each read has a counter and a place of its own.
    beat_t beats_q[Outstanding];
    id_t rid;
    logic unused_whole_ready;
    logic [$clog2(Outstanding+1)-1:0] unused_whole_count;

    assign rid          = id_t'(m_axi_rid);
    assign m_axi_rready = 1'b1;

    stream_fifo #(
      .T       (id_t),
      .Depth   (Outstanding),
      .BlockRam(0)
    ) whole (
      .clk,
      .rst,
      .s_data (rid),
      .s_valid(m_axi_rvalid && m_axi_rlast),
      .s_ready(unused_whole_ready),
      .m_data (ended[0]),
      .m_valid(ended_valid[0]),
      .m_ready(ended_ready[0]),
      .count_o(unused_whole_count)
    );

    for (genvar i = 0; i < Beats; i++) begin : gen_beat
      ram_simple_dual_port #(
        .Width(DataWidth),
        .Depth(Outstanding)
      ) beats (
        .clk,
        .write_enable_i (m_axi_rvalid && beats_q[rid] == beat_t'(i)),
        .write_address_i(rid),
        .write_data_i   (m_axi_rdata),
        .read_enable_i  (done),
        .read_address_i (done_id),
        .read_data_o    (read_data[i*DataWidth+:DataWidth])
      );
    end

    always_ff @(posedge clk) begin
      if (m_axi_rvalid) beats_q[rid] <= beats_q[rid] + 1'b1;

      if (rst) begin
        for (int i = 0; i < Outstanding; i++) beats_q[i] <= '0;
      end
    end
  end

  typedef struct packed {
    client_t                 client;
    logic [LineTagWidth-1:0] tag;
  } owner_t;

  owner_t owner;

  ram_distributed #(
    .Width($bits(owner_t)),
    .Depth(Outstanding)
  ) owners (
    .clk,
    .write_enable_i (issue),
    .write_address_i(id),
    .write_data_i   ({chosen.client, chosen.request.tag}),
    .read_address_i (done_id_q),
    .read_data_o    (owner)
  );

  assign m_response = '{write: done_write_q, tag: owner.tag, data: read_data};

  always_comb begin
    m_response_valid = '0;
    for (int i = 0; i < Clients; i++) m_response_valid[i] = done_q && owner.client == client_t'(i);
  end

  always_ff @(posedge clk) begin
    if (issue) begin
      places_q[id] <= place;
      writes_q[id] <= chosen.request.write;
      active_q[id] <= 1'b1;
      if (fresh) fresh_q <= fresh_q + 1'b1;
    end
    if (done_q) active_q[done_id_q] <= 1'b0;
    done_q        <= done;
    done_id_q     <= done_id;
    done_write_q  <= done_write;
    read_error_o  <= m_axi_rvalid && m_axi_rready && m_axi_rresp[1];
    write_error_o <= m_axi_bvalid && m_axi_bready && m_axi_bresp[1];

    if (rst) begin
      fresh_q       <= '0;
      active_q      <= '0;
      done_q        <= 1'b0;
      read_error_o  <= 1'b0;
      write_error_o <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{m_axi_rresp[0], m_axi_bresp[0], m_axi_rid, m_axi_bid};

endmodule
