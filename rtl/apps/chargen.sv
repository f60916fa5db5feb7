// SPDX-License-Identifier: Apache-2.0

// The pattern of the character generator protocol (RFC 864): lines of 72 printable characters and
// CR LF, each line beginning one character later in the ring of 95.
//
// Latency    2 clocks from s_start to the first beat.
// Throughput 1 beat a clock within a packet; the next packet starts when the last beat of one has
//            entered the pipeline.
//
// A packet of length_i bytes starts at the position given; position_o is where the next one goes on,
// valid from the clock in which s_start_ready is high again.
module chargen #(
  parameter  int DataWidth     = 64,
  localparam int Lanes         = DataWidth / 8,
  localparam int PositionWidth = 14
) (
  input  logic                     clk,
  input  logic                     rst,

  input  logic [PositionWidth-1:0] position_i,     // {line, column}
  input  logic [             15:0] length_i,
  input  logic                     s_start_valid,
  output logic                     s_start_ready,
  output logic [PositionWidth-1:0] position_o,

  output logic [    DataWidth-1:0] m_data,
  output logic [        Lanes-1:0] m_keep,
  output logic                     m_last,
  output logic                     m_valid,
  input  logic                     m_ready
);

  if (Lanes < 2 || Lanes > 64) begin : gen_check_data_width
    $error("DataWidth must be from 16 to 512.");
  end

  localparam logic [6:0] Printable = 7'd95;
  localparam logic [6:0] LineChars = 7'd72;
  localparam logic [6:0] LineBytes = 7'd74;
  localparam logic [7:0] FirstChar = 8'h20;
  localparam logic [7:0] CarriageReturn = 8'h0d;
  localparam logic [7:0] LineFeed = 8'h0a;

  typedef struct packed {
    logic [6:0] line;    // 0 to 94, the first character of the line
    logic [6:0] column;  // 0 to 73
  } position_t;

  // The position `count` bytes on: at most one line further.
  function automatic position_t advance(input position_t position, input logic [6:0] count);
    logic [7:0] column = 8'(position.column) + 8'(count);
    logic wrapped = column >= 8'(LineBytes);
    position_t result;
    result.column = wrapped ? 7'(column - 8'(LineBytes)) : column[6:0];
    result.line   = position.line;
    if (wrapped) result.line = position.line == Printable - 7'd1 ? '0 : position.line + 7'd1;
    return result;
  endfunction

  function automatic logic [7:0] char_at(input position_t position);
    logic [7:0] ring = 8'(position.line) + 8'(position.column);
    if (position.column == LineChars) return CarriageReturn;
    if (position.column == LineChars + 7'd1) return LineFeed;
    if (ring >= 8'(Printable)) ring -= 8'(Printable);
    return FirstChar + ring;
  endfunction

  position_t position_q;
  logic [15:0] remaining_q;
  logic active_q, move, ending;
  logic [6:0] count;

  position_t [Lanes-1:0] places_q;
  logic [Lanes-1:0] keep_q;
  logic last_q, valid_q;

  assign move          = !m_valid || m_ready;
  assign ending        = remaining_q <= 16'(Lanes);
  assign count         = ending ? remaining_q[6:0] : 7'(Lanes);
  assign s_start_ready = !active_q;
  assign position_o    = position_q;

  always_ff @(posedge clk) begin
    if (s_start_valid && s_start_ready) begin
      position_q  <= position_i;
      remaining_q <= length_i;
      active_q    <= 1'b1;
    end else if (active_q && move) begin
      position_q  <= advance(position_q, count);
      remaining_q <= remaining_q - 16'(Lanes);
      if (ending) active_q <= 1'b0;
    end

    if (move) begin
      valid_q <= active_q;
      last_q  <= ending;
      keep_q  <= Lanes'(stream_pkg::lanes_below(count));
      for (int lane = 0; lane < Lanes; lane++) places_q[lane] <= advance(position_q, 7'(lane));

      m_valid <= valid_q;
      m_last  <= last_q;
      m_keep  <= keep_q;
      for (int lane = 0; lane < Lanes; lane++) m_data[8*lane+:8] <= char_at(places_q[lane]);
    end

    if (rst) begin
      active_q <= 1'b0;
      valid_q  <= 1'b0;
      m_valid  <= 1'b0;
    end
  end

endmodule
