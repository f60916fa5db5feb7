// SPDX-License-Identifier: Apache-2.0

// Words of rings to words of memory, by the page that each lies in. It holds the page of the last word;
// a word of another one waits until page_table has told it.
//
// Latency    none within a page; 4 clocks and more with a page's first word.
// Throughput 1 word a clock.
// Paths      m_* follow s_*, s_ready follows s_address and m_ready, all combinationally: a word that was
//            taken is the memory's, so what the memory promises of its order holds.
//
// update_i says that a place has another page from the next clock on.
module page_translator #(
  parameter int PlaceWidth = 9,
  parameter int PageWidth  = 6,
  parameter int WordWidth  = 5   // of a word in its page
) (
  input  logic                            clk,
  input  logic                            rst,

  input  logic [PlaceWidth+WordWidth-1:0] s_address,
  input  logic                            s_valid,
  output logic                            s_ready,

  output logic [ PageWidth+WordWidth-1:0] m_address,
  output logic                            m_valid,
  input  logic                            m_ready,

  output logic [          PlaceWidth-1:0] m_lookup_place,
  output logic                            m_lookup_valid,
  input  logic [           PageWidth-1:0] s_page,
  input  logic [          PlaceWidth-1:0] s_page_place,
  input  logic                            s_page_valid,

  input  logic [          PlaceWidth-1:0] update_place_i,
  input  logic                            update_i
);

  logic [PlaceWidth-1:0] place, place_q;
  logic [PageWidth-1:0] page_q;
  logic held_q, hit;

  assign place          = s_address[PlaceWidth+WordWidth-1:WordWidth];
  assign hit            = held_q && place == place_q;
  assign m_address      = {page_q, s_address[WordWidth-1:0]};
  assign m_valid        = s_valid && hit;
  assign s_ready        = m_ready && hit;
  assign m_lookup_place = place;
  assign m_lookup_valid = s_valid && !hit;

  always_ff @(posedge clk) begin
    if (s_page_valid) begin
      place_q <= s_page_place;
      page_q  <= s_page;
      held_q  <= 1'b1;
    end else if (update_i && update_place_i == place_q) begin
      held_q <= 1'b0;
    end

    if (rst) held_q <= 1'b0;
  end

endmodule
