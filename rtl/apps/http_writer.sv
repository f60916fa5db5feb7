// SPDX-License-Identifier: Apache-2.0

// Writes a slice of a response: from a place in the text to its end, or as much as fits the limit.
// Numbers are never cut. The slice is kept until it is sent or begun anew.
//
// start_i (idle, or a finished slice that was sent or is to be forgotten) begins at position_i.
// Then done_o stays high, with the slice's length_o, the place where the next slice goes on, and
// whether the response has ended. A slice of no bytes has nothing to send: the response had ended,
// or the limit is less than a number. send_i streams it out; sent_o pulses with its last beat.
//
// Latency    1 clock for each byte of text, 45 for a number, and 6 more.
// Throughput the slice leaves at 1 beat a clock.
module http_writer
  import apps_pkg::*;
  import http_text_pkg::*;
#(
  parameter  int DataWidth   = 64,
  parameter  int SliceBytes  = 1024,
  localparam int Lanes       = DataWidth / 8,
  localparam int LengthWidth = $clog2(SliceBytes + 1)
) (
  input  logic                   clk,
  input  logic                   rst,

  input  app_statistics_t        statistics_i,

  input  logic                   start_i,
  input  text_address_t          position_i,
  input  logic [LengthWidth-1:0] limit_i,       // at most SliceBytes
  input  logic                   head_i,        // the header alone
  input  logic                   last_i,        // of this connection

  output logic                   done_o,
  output logic [LengthWidth-1:0] length_o,
  output text_address_t          position_o,
  output logic                   ended_o,

  input  logic                   send_i,
  output logic                   sent_o,

  output logic [  DataWidth-1:0] m_data,
  output logic [      Lanes-1:0] m_keep,
  output logic                   m_last,
  output logic                   m_valid,
  input  logic                   m_ready
);

  localparam int NumberWidth = $clog2(Statistics);

  if (SliceBytes < 256) begin : gen_check_slice
    $error("SliceBytes must be at least 256.");
  end

  typedef enum logic [2:0] {
    StIdle,
    StText,     // write bytes, and do what the marks say
    StConvert,  // a number is being converted
    StDigits,   // write it
    StFlush,    // the last beat is not full
    StDone
  } state_e;

  state_e state_q, state_d;
  text_address_t position_q;
  logic [LengthWidth-1:0] length_q;
  logic skip_q, skip_d;  // until the next Else or End
  logic ended_q, ended_d;
  logic [3:0] digit_q;

  http_token_t token;
  logic token_valid, token_taken;

  logic write;
  logic [7:0] write_byte;
  logic room, room_for_number;

  logic convert, converted;
  logic [31:0] number;
  logic [NumberBytes-1:0][7:0] digits;

  assign room            = length_q != limit_i;
  assign room_for_number = limit_i - length_q >= LengthWidth'(NumberBytes);

  http_text reader (
    .clk,
    .rst,
    .start_i,
    .address_i(position_i),
    .m_token  (token),
    .m_valid  (token_valid),
    .m_ready  (token_taken)
  );

  // Counter 0 is the first field, the most significant word.
  always_comb begin
    number = '0;
    for (int i = 0; i < Statistics; i++) begin
      if (token.code[NumberWidth-1:0] == NumberWidth'(i)) begin
        number |= statistics_i[32*(Statistics-1-i)+:32];
      end
    end
  end

  decimal_converter #(
    .Width (32),
    .Digits(NumberBytes)
  ) converter (
    .clk,
    .rst,
    .value_i (number),
    .start_i (convert),
    .done_o  (converted),
    .digits_o(digits)
  );

  always_comb begin
    state_d     = state_q;
    skip_d      = skip_q;
    ended_d     = ended_q;
    token_taken = 1'b0;
    convert     = 1'b0;
    write       = 1'b0;
    write_byte  = token.code;

    unique case (state_q)
      StIdle, StDone:
      if (start_i) begin
        skip_d  = 1'b0;
        ended_d = 1'b0;
        state_d = StText;
      end

      StText:
      if (token_valid) begin
        token_taken = 1'b1;
        if (token.is_if_last) begin
          skip_d = !last_i;
        end else if (token.is_else) begin
          skip_d = last_i;
        end else if (token.is_end) begin
          skip_d = 1'b0;
        end else if (!skip_q) begin
          if (token.is_end_of_response || (token.is_end_of_header && head_i)) begin
            ended_d = 1'b1;
            state_d = StFlush;
          end else if (token.is_number) begin
            token_taken = room_for_number;
            convert     = room_for_number;
            state_d     = room_for_number ? StConvert : StFlush;
          end else if (!token.is_end_of_header) begin
            token_taken = room;
            write       = room;
            if (!room) state_d = StFlush;
          end
        end
      end

      StConvert: if (converted) state_d = StDigits;

      StDigits: begin
        write      = 1'b1;
        write_byte = digits[digit_q];
        if (digit_q == '0) state_d = StText;
      end

      StFlush: state_d = StDone;

      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk) begin
    state_q <= state_d;
    skip_q  <= skip_d;
    ended_q <= ended_d;
    digit_q <= state_q == StDigits ? digit_q - 1'b1 : 4'(NumberBytes - 1);

    if (start_i) position_q <= position_i;
    else if (token_taken) position_q <= position_q + 1'b1;

    if (rst) state_q <= StIdle;
  end

  assign done_o     = state_q == StDone;
  assign length_o   = length_q;
  assign position_o = position_q;
  assign ended_o    = ended_q;

  byte_packer #(
    .DataWidth  (DataWidth),
    .PacketBytes(SliceBytes)
  ) slice (
    .clk,
    .rst,
    .clear_i (start_i),
    .write_i (write),
    .byte_i  (write_byte),
    .flush_i (state_q == StFlush),
    .length_o(length_q),
    .send_i,
    .sent_o,
    .m_data,
    .m_keep,
    .m_last,
    .m_valid,
    .m_ready
  );

endmodule
