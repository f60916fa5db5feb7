// SPDX-License-Identifier: Apache-2.0

// checksum_reader: whatever memory holds, however it stalls, and wherever the job begins, what is
// summed is the job's bytes, each once and in its place, and the result is of that sum or says that
// a beat failed; nothing is asked for beside the job's beats, in order and once, and no burst crosses
// a multiple of BurstBytes. Descriptors are read in between. What the adders make of it is proven of
// checksum_tree (formal/proofs/checksum) and tested of checksum_stream.
module checksum_reader_props
  import checksum_offload_pkg::*;
#(
  parameter  int DataWidth  = 64,
  parameter  int MaxLength  = 18,
  parameter  int BurstBytes = 2 * DataWidth / 8,
  localparam int Lanes      = DataWidth / 8,
  localparam int LaneBits   = $clog2(Lanes),
  // Beats that a job can touch.
  localparam int Beats      = (MaxLength + Lanes - 2) / Lanes + 1
) (
  input logic              clk,
  input logic              rst,
  input logic [Beats-1:0][DataWidth-1:0] any_memory,
  input job_t any_job,
  input logic job_valid,
  input logic              job_fault,
  input logic              result_ready,
  input descriptor_address_t fetch_address,
  input logic              fetch_wanted,
  input logic              arready,
  input logic              rvalid,
  input logic [       1:0] rresp,
  input logic [DataWidth-1:0] descriptor
);

  // ---- The job: one, which stays. Memory: any, which stays too. --------------------------------

  logic started = 1'b0;
  logic [Beats-1:0][DataWidth-1:0] memory;
  job_t the_job;

  always_ff @(posedge clk) begin
    started <= 1'b1;
    assume (rst == !started);
    if (!started) begin
      memory  <= any_memory;
      the_job <= any_job;
    end
  end

  logic taken_q = 1'b0;
  logic job_ready;

  always_ff @(posedge clk) begin
    // High bits of an address do nothing that lower ones do not.
    if (started) assume (the_job.length <= MaxLength && the_job.address[31:13] == 19'h40000);
    if (rst) taken_q <= 1'b0;
    else if (job_valid && job_ready) taken_q <= 1'b1;
    if (taken_q) assume (!job_valid);
  end

  // ---- What it should give ----------------------------------------------------------------------

  logic [Beats*Lanes-1:0][7:0] bytes;
  logic [15:0] word, expected;

  assign bytes = memory;

  // By exclusive or, as checksum_stream.sv here has it.
  always_comb begin
    expected = the_job.seed;
    for (int i = 0; i < MaxLength; i++) begin
      word = 16'(bytes[the_job.address[LaneBits-1:0]+i]);
      if (i % 2 == 0) word <<= 8;
      if (i < the_job.length) expected ^= word;
    end
  end

  // ---- The side of memory -----------------------------------------------------------------------

  result_t result;
  logic result_valid;
  logic fetch_valid, fetch_ready, fetched_fault, fetched_valid;
  job_t fetched;
  address_t araddr;
  logic [7:0] arlen;
  logic arvalid, rready;
  logic [DataWidth-1:0] rdata;
  logic rlast;

  // Bursts that were accepted, in order, and whether the one on AR is a descriptor's.
  typedef struct packed {
    logic       fetch;
    logic [7:0] length;
  } burst_t;
  burst_t queue_q[8];
  logic [2:0] in_q = '0, out_q = '0;
  logic ar_fetches_q;
  logic [7:0] beat_q;  // in the burst
  logic [3:0] asked_q = '0, read_q = '0;  // beats of the job
  logic fault_q = 1'b0;
  logic current_fetches;

  assign current_fetches = queue_q[out_q].fetch;
  assign rdata = current_fetches ? descriptor : memory[read_q];
  assign rlast = beat_q == queue_q[out_q].length;

  always_ff @(posedge clk) begin
    if (fetch_ready) ar_fetches_q <= fetch_valid;
    if (arvalid && arready) begin
      queue_q[in_q] <= '{fetch: ar_fetches_q, length: arlen};
      in_q          <= in_q + 1'b1;
      if (!ar_fetches_q) asked_q <= asked_q + 4'(arlen) + 1'b1;
    end
    assume (!rvalid || in_q != out_q);
    if (rvalid) begin
      beat_q <= rlast ? '0 : beat_q + 1'b1;
      if (rlast) out_q <= out_q + 1'b1;
      if (!current_fetches) begin
        read_q <= read_q + 1'b1;
        if (rresp != '0) fault_q <= 1'b1;
      end
    end
    if (rst) begin
      in_q    <= '0;
      out_q   <= '0;
      beat_q  <= '0;
      asked_q <= '0;
      read_q  <= '0;
      fault_q <= 1'b0;
    end
  end

  // ---- A descriptor at a time -------------------------------------------------------------------

  logic fetching_q = 1'b0;
  logic fetch_valid_q = 1'b0, fetch_ready_q = 1'b0;
  assign fetch_valid = fetch_wanted && !fetching_q;
  always_ff @(posedge clk) begin
    if (fetched_valid) fetching_q <= 1'b0;
    else if (fetch_valid && fetch_ready) fetching_q <= 1'b1;
    if (rst) fetching_q <= 1'b0;
    // The address is held from the asking on.
    if (fetching_q || (fetch_valid_q && !fetch_ready_q)) assume ($stable(fetch_address));
    if (fetch_valid_q && !fetch_ready_q) assume (fetch_wanted);
  end
  always_ff @(posedge clk) begin
    fetch_valid_q <= fetch_valid && !rst;
    fetch_ready_q <= fetch_ready;
  end

  checksum_reader #(
    .DataWidth (DataWidth),
    .BurstBytes(BurstBytes),
    .Bursts    (3)
  ) dut (
    .clk,
    .rst,
    .s_job_data     (the_job),
    .s_job_fault    (job_fault),
    .s_job_valid    (job_valid),
    .s_job_ready    (job_ready),
    .m_result_data  (result),
    .m_result_valid (result_valid),
    .m_result_ready (result_ready),
    .fetch_address_i(fetch_address),
    .fetch_valid_i  (fetch_valid),
    .fetch_ready_o  (fetch_ready),
    .fetched_o      (fetched),
    .fetched_fault_o(fetched_fault),
    .fetched_valid_o(fetched_valid),
    .m_axi_araddr   (araddr),
    .m_axi_arlen    (arlen),
    .m_axi_arvalid  (arvalid),
    .m_axi_arready  (arready),
    .m_axi_rdata    (rdata),
    .m_axi_rresp    (rresp),
    .m_axi_rlast    (rlast),
    .m_axi_rvalid   (rvalid),
    .m_axi_rready   (rready)
  );

  // ---- What holds -------------------------------------------------------------------------------

  logic [16:0] job_beats;
  logic empty_or_fault, fault_given_q;
  assign job_beats = ((17'(the_job.address[LaneBits-1:0]) + 17'(the_job.length) - 17'd1)
                      >> LaneBits) + 17'd1;

  address_t burst_end, job_begin;
  assign job_begin = {the_job.address[31:LaneBits], LaneBits'(0)};
  assign burst_end = araddr + (32'(arlen) << LaneBits);
  assign empty_or_fault = the_job.length == '0 || fault_given_q;

  logic result_given_q = 1'b0;

  always_ff @(posedge clk) begin
    if (job_valid && job_ready) fault_given_q <= job_fault;
    result_given_q <= !rst && (result_given_q || (result_valid && result_ready));

    if (!rst) begin
      assert (rready);
      if (arvalid) begin
        assert (araddr[LaneBits-1:0] == '0);
        assert (araddr / BurstBytes == burst_end / BurstBytes);
      end
      if (arvalid && ar_fetches_q) begin
        assert (arlen == '0);
        assert (araddr >> LaneBits == {fetch_address, 4'b0} >> LaneBits);
      end
      if (arvalid && !ar_fetches_q) begin
        // The job's beats, in order, none past its end, and none for a job that has no bytes.
        assert (taken_q && !empty_or_fault);
        assert (araddr == job_begin + (32'(asked_q) << LaneBits));
        assert (17'(asked_q) + 17'(arlen) + 17'd1 <= job_beats);
        assert (asked_q == '0 || araddr % BurstBytes == '0);
      end
      if (result_valid) begin
        assert (taken_q && !result_given_q);
        assert (empty_or_fault || 17'(read_q) == job_beats);
        assert (result.bus_error == (fault_q || fault_given_q));
        assert (result.length_error == (the_job.length == '0 && !fault_given_q));
        if (fault_q || empty_or_fault)
          assert (result.checksum == '1);
          else assert (result.checksum == ~expected);
      end
      if (fetched_valid) begin
        assert (fetching_q);
        assert (fetched_fault == (rresp != '0));
        assert (fetched == descriptor[(DataWidth>128?128*fetch_address[4] : 0)+:64]);
      end

      cover (result_valid && the_job.length == MaxLength && the_job.address[LaneBits-1:0] == '1);
      cover (result_valid && result.bus_error && !fault_given_q);
      cover (result_valid && result.length_error);
      cover (fetched_valid && read_q != '0 && 17'(read_q) != job_beats);
      cover (result_valid && result.checksum == '0 && the_job.length == 3);
    end
  end

endmodule
