// SPDX-License-Identifier: Apache-2.0

// Pages of payload rings: what a ring's bytes lie in where its memory is taken from a pool on demand.
package page_pkg;

  localparam int RingPagesMost = 16;
  localparam int PageEntryBytes = 4;  // in the table that says where they are (page_table)

  typedef logic [$clog2(RingPagesMost+1)-1:0] page_count_t;  // of one ring

  // Some of a ring's pages, one after the other, around its end.
  typedef struct packed {
    logic [$clog2(RingPagesMost)-1:0]   first;  // its place in the ring, modulo the ring's pages
    page_count_t                        count;
  } page_range_t;

  // What a request may have of the pool: so many pages are reserved for it. Few are left, or next to none.
  typedef struct packed {
    logic        scarce;
    logic        few;
    page_count_t count;
  } page_offer_t;

endpackage
