// SPDX-License-Identifier: Apache-2.0

// How many pages of the receive rings' pool an event may use. A segment with payload that enters the
// pipeline has some kept for it, as many as a ring can have if there are so many; its decision takes
// those that it needs and leaves the others. So what is accepted finds its pages.
//
// keep_i is the entry of such a segment, pages_o what it gets. taken_i and left_i come with the actions
// of an event, and are 0 at other times; together they are what was kept for it. freed_i says that the
// pool has a page again.
//
// Latency    pages_o and short_o are those after the events before this clock and the one before it.
// Paths      every output is a function of registers.
module receive_pages
  import page_pkg::*;
#(
  parameter  int RingPages  = 8,
  parameter  int Pages      = 64,
  localparam int CountWidth = $clog2(Pages + 1)
) (
  input  logic                  clk,
  input  logic                  rst,

  input  logic                  keep_i,
  output page_count_t           pages_o,
  output logic                  short_o,  // less than a quarter is free

  input  page_count_t           taken_i,
  input  page_count_t           left_i,
  input  logic                  freed_i,

  output logic [CountWidth-1:0] free_o,   // that nobody uses
  output logic [CountWidth-1:0] least_o   // since reset
);

  typedef logic [CountWidth-1:0] count_t;

  count_t available_q;  // free, and not kept for an event

  assign pages_o = available_q < count_t'(RingPages) ? page_count_t'(available_q)
                                                     : page_count_t'(RingPages);

  always_ff @(posedge clk) begin
    available_q <= available_q - (keep_i ? count_t'(pages_o) : '0) + count_t'(left_i)
        + count_t'(freed_i);
    free_o  <= free_o - count_t'(taken_i) + count_t'(freed_i);
    short_o <= free_o < count_t'(Pages / 4);
    if (free_o < least_o) least_o <= free_o;

    if (rst) begin
      available_q <= count_t'(Pages);
      free_o      <= count_t'(Pages);
      least_o     <= count_t'(Pages);
      short_o     <= 1'b0;
    end
  end

endmodule
