// SPDX-License-Identifier: Apache-2.0

// tuple_index with what is looked up parked beside it, so that it comes out with its answer: in order
// for each tuple, and past those that wait for memory otherwise.
//
// Latency    9 clocks for a tuple on chip.
// Throughput that of tuple_index; 2^TagWidth lookups wait at most.
// Paths      m_* are registers or the RAM's own output; s_ready is a function of registers.
module segment_index
  import tcp_pkg::*;
  import line_memory_pkg::*;
  import tuple_index_pkg::*;
#(
  parameter  int Connections  = 65536,
  parameter  int CacheEntries = 4096,  // tuples on chip; a power of two, at least 8
  parameter  int Width        = 32,    // bits that are parked
  parameter  int Slots        = 32,
  parameter  int StashEntries = 12,
  localparam int IdWidth      = $clog2(Connections),
  localparam int SlotWidth    = $clog2(Slots)
) (
  input  logic               clk,
  input  logic               rst,

  input  logic [      127:0] hash_key_i,

  input  logic [  Width-1:0] s_data,
  input  tuple_t             s_tuple,
  input  logic               s_open,
  input  logic               s_valid,
  output logic               s_ready,

  output logic [  Width-1:0] m_data,
  output lookup_e            m_result,
  output logic [IdWidth-1:0] m_id,
  output logic               m_valid,
  input  logic               m_ready,

  input  tuple_t             s_remove_tuple,
  input  logic [IdWidth-1:0] s_remove_id,
  input  logic               s_remove_valid,
  output logic               s_remove_ready,
  input  logic [IdWidth-1:0] s_release_id,
  input  logic               s_release_valid,
  output logic               s_release_ready,

  output line_request_t      m_line,
  output logic               m_line_valid,
  input  logic               m_line_ready,
  input  line_response_t     s_line,
  input  logic               s_line_valid,

  output logic [  IdWidth:0] free_count_o,
  output logic [SlotWidth:0] stash_o,
  output index_counts_t      counts_o
);

  localparam int TagWidth = 6;
  localparam int CacheWays = 4;

  typedef logic [TagWidth-1:0] tag_t;

  if (CacheEntries < 2 * CacheWays || CacheEntries != 2 ** $clog2(
          CacheEntries
      )) begin : gen_check_cache_entries
    $error("CacheEntries must be a power of two and at least 8.");
  end

  tag_t free_tag, answer_tag;
  logic tag_valid, index_ready, accept;
  lookup_e answer;
  logic [IdWidth-1:0] answer_id;
  logic answer_valid, load;

  assign s_ready = index_ready && tag_valid;
  assign accept  = s_valid && s_ready;
  assign load    = m_ready || !m_valid;

  id_queue #(
    .Connections(2 ** TagWidth),
    .FullAtReset(1'b1)
  ) free_tags (
    .clk,
    .rst,
    .push_id   (answer_tag),
    .push_valid(answer_valid && load),
    .m_id      (free_tag),
    .m_valid   (tag_valid),
    .m_ready   (accept),
    .count_o   ()
  );

  // A tag is used again after the clock in which what is parked under it is read.
  ram_simple_dual_port #(
    .Width(Width),
    .Depth(2 ** TagWidth)
  ) parked (
    .clk,
    .write_enable_i (accept),
    .write_address_i(free_tag),
    .write_data_i   (s_data),
    .read_enable_i  (answer_valid && load),
    .read_address_i (answer_tag),
    .read_data_o    (m_data)
  );

  tuple_index #(
    .Connections (Connections),
    .Buckets     (Connections / 4),
    .CacheSets   (CacheEntries / CacheWays),
    .CacheWays   (CacheWays),
    .Slots       (Slots),
    .StashEntries(StashEntries),
    .TagWidth    (TagWidth)
  ) index (
    .clk,
    .rst,
    .init_done_o (),
    .hash_key_i,
    .s_tuple,
    .s_open,
    .s_tag       (free_tag),
    .s_valid     (s_valid && tag_valid),
    .s_ready     (index_ready),
    .m_result    (answer),
    .m_id        (answer_id),
    .m_tag       (answer_tag),
    .m_valid     (answer_valid),
    .m_ready     (load),
    .s_remove_tuple,
    .s_remove_id,
    .s_remove_valid,
    .s_remove_ready,
    .s_release_id,
    .s_release_valid,
    .s_release_ready,
    .m_line,
    .m_line_valid,
    .m_line_ready,
    .s_line,
    .s_line_valid,
    .free_count_o,
    .stash_o,
    .counts_o
  );

  always_ff @(posedge clk) begin
    if (load) begin
      m_result <= answer;
      m_id     <= answer_id;
      m_valid  <= answer_valid;
    end

    if (rst) m_valid <= 1'b0;
  end

endmodule
