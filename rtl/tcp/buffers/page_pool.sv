// SPDX-License-Identifier: Apache-2.0

// The pages that nobody has. Those that came back go out again first, the longest unused before the
// others, so that no more memory is touched than was ever in use at once; pages that were never used are
// counted out behind them. What does not fit on chip is in far memory (spill_queue).
//
// m_page may be another one while it waits. m_valid may be low while pages are on their way from memory.
//
// Latency    those of spill_queue.
// Throughput one page out a clock, one in while room_o is high.
module page_pool
  import line_memory_pkg::*;
#(
  parameter  int Pages     = 64,  // a power of two
  localparam int PageWidth = $clog2(Pages)
) (
  input  logic                 clk,
  input  logic                 rst,

  input  logic [PageWidth-1:0] push_page,
  input  logic                 push_valid,
  output logic                 room_o,

  output logic [PageWidth-1:0] m_page,
  output logic                 m_valid,
  input  logic                 m_ready,

  output line_request_t        m_line,
  output logic                 m_line_valid,
  input  logic                 m_line_ready,
  input  line_response_t       s_line,
  input  logic                 s_line_valid
);

  if (2 ** PageWidth != Pages || Pages < 2) begin : gen_check_pages
    $error("Pages must be a power of two, at least 2.");
  end

  logic [PageWidth:0] fresh_q;  // the pages from here on have not been used since reset
  logic [PageWidth:0] unused_count;
  logic [PageWidth-1:0] returned;
  logic returned_valid, fresh;

  assign fresh   = !fresh_q[PageWidth];
  assign m_page  = returned_valid ? returned : fresh_q[PageWidth-1:0];
  assign m_valid = returned_valid || fresh;

  always_ff @(posedge clk) begin
    if (m_ready && !returned_valid && fresh) fresh_q <= fresh_q + 1'b1;

    if (rst) fresh_q <= '0;
  end

  spill_queue #(
    .Width   (PageWidth),
    .Capacity(Pages)
  ) queue (
    .clk,
    .rst,
    .push_data (push_page),
    .push_valid,
    .room_o,
    .m_data    (returned),
    .m_valid   (returned_valid),
    .m_ready,
    .count_o   (unused_count),
    .m_line,
    .m_line_valid,
    .m_line_ready,
    .s_line,
    .s_line_valid
  );

endmodule
