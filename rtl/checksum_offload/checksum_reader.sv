// SPDX-License-Identifier: Apache-2.0

// Reads the bytes of a job from memory and returns their checksum.
//
// Latency    from the job to ar_valid 2 clocks; from the last beat to m_result_valid
//            checksum_pkg::tree_latency(DataWidth) + 4 (5 at 64 bits, 7 at 512).
// Throughput 1 beat a clock; one job at a time, and the next when its result has been taken.
// Cuts       every path from and to memory, but for ar_ready, which loads the next address.
//
// Bursts start at the job's first beat or at a multiple of BurstBytes, and end at its last beat or
// before the next multiple, so they never cross 4 KiB and read no beat without a byte of the job.
// Addresses wrap at 2^32. r_ready is always high: nothing is asked for that has no place.
//
// A job of length 0, one that comes with s_job_fault, and one of which a beat comes with an error
// get a result that says so.
//
// fetch reads a descriptor in between: fetch_address_i is held until fetched_valid_o, which is high
// for one clock.
module checksum_reader
  import checksum_offload_pkg::*;
#(
  parameter int DataWidth  = 64,
  parameter int BurstBytes = 4 * DataWidth,  // 32 beats
  // Bursts that may be on their way.
  parameter int Bursts     = 4
) (
  input logic clk,
  input logic rst,

  input  job_t s_job_data,
  input  logic s_job_fault,
  input  logic s_job_valid,
  output logic s_job_ready,

  output result_t m_result_data,
  output logic    m_result_valid,
  input  logic    m_result_ready,

  input  descriptor_address_t fetch_address_i,
  input  logic     fetch_valid_i,
  output logic     fetch_ready_o,
  output job_t     fetched_o,
  output logic     fetched_fault_o,
  output logic     fetched_valid_o,

  output address_t             m_axi_araddr,
  output logic [          7:0] m_axi_arlen,
  output logic                 m_axi_arvalid,
  input  logic                 m_axi_arready,
  input  logic [DataWidth-1:0] m_axi_rdata,
  input  logic [          1:0] m_axi_rresp,
  input  logic                 m_axi_rlast,
  input  logic                 m_axi_rvalid,
  output logic                 m_axi_rready
);

  localparam int Lanes = DataWidth / 8;
  localparam int LaneBits = $clog2(Lanes);
  localparam int BlockBits = $clog2(BurstBytes);
  localparam int BeatBits = BlockBits - LaneBits;
  // Blocks of BurstBytes that a job can touch beside its first.
  localparam int BlocksBits = 17 - BlockBits;

  if (DataWidth < 64 || DataWidth > 512 || 2 ** LaneBits != Lanes) begin : gen_check_width
    $error("DataWidth must be 64, 128, 256 or 512.");
  end
  if (2 ** BlockBits != BurstBytes || BurstBytes > 4096 || BeatBits < 1 || BeatBits > 8)
  begin : gen_check_burst
    $error("BurstBytes must be a power of two, 2 to 256 beats and at most 4,096.");
  end

  typedef logic [LaneBits-1:0] lane_t;
  typedef logic [BeatBits-1:0] beat_t;

  // ---- The job ------------------------------------------------------------------------------

  logic active_q;  // from the job to its result's handing over
  logic asking_q;  // there are blocks left to ask for
  logic [AddressWidth-BlockBits-1:0] block_q;
  logic [BlocksBits-1:0] blocks_left_q;  // after the one of block_q
  beat_t first_beat_q;  // in the block of block_q
  beat_t last_beat_q;  // in the job's last block
  lane_t first_lane_q, last_lane_q;
  logic [15:0] seed_q;
  logic odd_q;  // the first byte is in an odd lane
  logic faulty_q, empty_q;

  logic take, issue_block, last_block;
  logic [16:0] last_offset;  // of the job's last byte, from the beginning of its first block

  assign s_job_ready = !active_q;
  assign take = s_job_valid && s_job_ready;
  assign last_offset = 17'(s_job_data.address[BlockBits-1:0]) + 17'(s_job_data.length) - 17'd1;
  assign last_block = blocks_left_q == '0;

  // ---- What is asked for --------------------------------------------------------------------

  typedef struct packed {
    logic fetch;  // a descriptor, not data
    logic ends;   // the job ends with this burst
  } burst_t;

  burst_t asked, burst;
  logic ask, may_ask, bursts_ready;
  beat_t final_beat;  // of the burst, in its block

  assign may_ask       = bursts_ready && (!m_axi_arvalid || m_axi_arready);
  assign fetch_ready_o = may_ask;
  assign issue_block   = may_ask && !fetch_valid_i && asking_q;
  assign ask           = may_ask && (fetch_valid_i || asking_q);
  assign final_beat    = last_block ? last_beat_q : '1;
  assign asked         = '{fetch: fetch_valid_i, ends: last_block};

  always_ff @(posedge clk) begin
    if (may_ask) begin
      m_axi_arvalid <= ask;
      if (fetch_valid_i) begin
        m_axi_araddr <= {fetch_address_i, 4'b0} & ~address_t'(Lanes - 1);
        m_axi_arlen  <= '0;
      end else begin
        m_axi_araddr <= {block_q, first_beat_q, LaneBits'(0)};
        m_axi_arlen  <= 8'(final_beat - first_beat_q);
      end
    end else if (m_axi_arready) begin
      m_axi_arvalid <= 1'b0;
    end

    if (take) begin
      block_q       <= s_job_data.address[AddressWidth-1:BlockBits];
      first_beat_q  <= s_job_data.address[BlockBits-1:LaneBits];
      blocks_left_q <= last_offset[16:BlockBits];
      last_beat_q   <= last_offset[BlockBits-1:LaneBits];
      first_lane_q  <= s_job_data.address[LaneBits-1:0];
      last_lane_q   <= last_offset[LaneBits-1:0];
      odd_q         <= s_job_data.address[0];
      // The sum of a job that starts in an odd lane has its bytes exchanged until it is complete.
      seed_q        <= s_job_data.address[0]
                       ? {s_job_data.seed[7:0], s_job_data.seed[15:8]} : s_job_data.seed;
      asking_q      <= s_job_data.length != '0 && !s_job_fault;
    end else if (issue_block) begin
      block_q       <= block_q + 1'b1;
      first_beat_q  <= '0;
      blocks_left_q <= blocks_left_q - 1'b1;
      asking_q      <= !last_block;
    end

    if (rst) begin
      m_axi_arvalid <= 1'b0;
      asking_q      <= 1'b0;
    end
  end

  // Bursts that memory has not finished, in their order.
  stream_fifo #(
    .T       (burst_t),
    .Depth   (Bursts),
    .BlockRam(0)
  ) bursts (
    .clk,
    .rst,
    .s_data (asked),
    .s_valid(ask),
    .s_ready(bursts_ready),
    .m_data (burst),
    .m_valid(),
    .m_ready(m_axi_rvalid && m_axi_rlast),
    .count_o()
  );

  // ---- What comes ---------------------------------------------------------------------------

  logic first_q;  // the next beat of data is the job's first
  logic last, beat_q, last_q, error;
  logic [DataWidth-1:0] data_q;
  logic [15:0] sum, sum_in_order;
  logic sum_valid;

  assign m_axi_rready    = 1'b1;
  assign last            = burst.ends && m_axi_rlast;
  assign error           = m_axi_rresp != '0;

  assign fetched_valid_o = m_axi_rvalid && burst.fetch;
  assign fetched_fault_o = error;
  if (DataWidth <= 8 * DescriptorBytes) begin : gen_first_part
    assign fetched_o = m_axi_rdata[$bits(job_t)-1:0];
  end else begin : gen_any_part
    // A descriptor's second half is for the result.
    assign fetched_o = m_axi_rdata[fetch_address_i[LaneBits-1:4]*8*DescriptorBytes+:$bits(job_t)];
  end

  always_ff @(posedge clk) begin
    beat_q <= m_axi_rvalid && !burst.fetch;
    last_q <= last;
    // Cleared here, where it is the reset of a flip-flop, and not in front of the first adder.
    for (int lane = 0; lane < Lanes; lane++) begin
      data_q[8*lane+:8] <= m_axi_rdata[8*lane+:8];
      if ((first_q && lane_t'(lane) < first_lane_q) || (last && lane_t'(lane) > last_lane_q)) begin
        data_q[8*lane+:8] <= '0;
      end
    end

    if (take) first_q <= 1'b1;
    else if (m_axi_rvalid && !burst.fetch) first_q <= 1'b0;

    if (rst) beat_q <= 1'b0;
  end

  checksum_stream #(
    .DataWidth(DataWidth)
  ) summing (
    .clk,
    .rst,
    .beat_i     (beat_q),
    .data_i     (data_q),
    .keep_i     ('1),
    .last_i     (last_q),
    .seed_i     (seed_q),
    .sum_o      (sum),
    .ones_o     (),
    .sum_valid_o(sum_valid)
  );

  // ---- The result ---------------------------------------------------------------------------

  assign sum_in_order = odd_q ? {sum[7:0], sum[15:8]} : sum;

  always_ff @(posedge clk) begin
    if (take) begin
      active_q <= 1'b1;
      faulty_q <= s_job_fault;
      empty_q  <= s_job_data.length == '0 && !s_job_fault;
    end else if (m_axi_rvalid && !burst.fetch && error) begin
      faulty_q <= 1'b1;
    end

    // A job that asks for nothing has its result in the clock after it was taken.
    if (active_q && !m_result_valid && (sum_valid || empty_q || (faulty_q && first_q))) begin
      m_result_valid             <= 1'b1;
      m_result_data.checksum     <= (faulty_q || empty_q) ? '1 : ~sum_in_order;
      m_result_data.bus_error    <= faulty_q;
      m_result_data.length_error <= empty_q;
    end else if (m_result_ready && m_result_valid) begin
      m_result_valid <= 1'b0;
      active_q       <= 1'b0;
    end

    if (rst) begin
      active_q       <= 1'b0;
      m_result_valid <= 1'b0;
    end
  end

endmodule
