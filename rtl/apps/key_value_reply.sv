// SPDX-License-Identifier: Apache-2.0

// Writes a reply: a text, and perhaps the bytes of a bulk string or of an integer behind it.
// It is kept until it is sent or the next one begins.
//
//   a text; ":", bytes, end of line (has_bytes_i); or
//   "$", length_i in decimal, end of line, bytes, end of line (has_length_i, too)
//
// bytes_start_o pulses when the bytes are wanted; from the clock after it on bytes_busy_i says that
// some are still to come. done_o stays high from the end of the writing to the next start_i.
//
// Latency    2 clocks and one for each byte from start_i to done_o, and 3 more for each part.
// Throughput a byte a clock; the reply leaves at a beat a clock.
module key_value_reply
  import key_value_pkg::*;
#(
  parameter  int DataWidth   = 64,
  parameter  int ReplyBytes  = 128,
  parameter  int ValueWidth  = 7,              // of length_i
  localparam int Lanes       = DataWidth / 8,
  localparam int LengthWidth = $clog2(ReplyBytes + 1)
) (
  input  logic                   clk,
  input  logic                   rst,

  input  logic                   start_i,
  input  logic                   has_bytes_i,   // an integer, or a bulk string
  input  logic                   has_length_i,  // a bulk string
  input  text_address_t          text_i,
  input  logic [ ValueWidth-1:0] length_i,

  output logic                   bytes_start_o,
  input  logic                   bytes_busy_i,
  input  logic [            7:0] byte_i,
  input  logic                   byte_valid_i,

  output logic                   done_o,
  output logic [LengthWidth-1:0] length_o,

  input  logic                   send_i,
  output logic                   sent_o,

  output logic [  DataWidth-1:0] m_data,
  output logic [      Lanes-1:0] m_keep,
  output logic                   m_last,
  output logic                   m_valid,
  input  logic                   m_ready
);

  localparam int Digits = 4;  // of a length

  typedef enum logic [3:0] {
    StIdle,
    StRead,    // the text's first byte is on the way
    StText,
    StLength,  // is being converted
    StDigits,  // of the length
    StCr0,     // end of line behind the length
    StLf0,
    StStart,   // bytes are wanted
    StBytes,
    StCr1,     // end of line behind the bytes
    StLf1,
    StFlush,
    StDone
  } state_e;

  state_e state_q, state_d;
  logic has_bytes_q, has_length_q, converted, converted_q;
  logic [Digits-1:0][7:0] digits;
  logic [$clog2(Digits)-1:0] digit_q;

  // ---- The texts, in order

  text_address_t address_q, address_d;
  logic [7:0] text_q;

  assign address_d = start_i ? text_i : address_q + 1'b1;

  always_ff @(posedge clk) begin
    address_q <= address_d;
    text_q    <= Text[8*(TextBytes-1-int'(address_q))+:8];
  end

  // ---- The length

  decimal_converter #(
    .Width (ValueWidth),
    .Digits(Digits)
  ) converter (
    .clk,
    .rst,
    .value_i (length_i),
    .start_i,
    .done_o  (converted),
    .digits_o(digits)
  );

  // ---- Writing

  logic write;
  logic [7:0] write_byte;

  assign bytes_start_o = state_q == StStart;
  assign done_o        = state_q == StDone;

  always_comb begin
    state_d    = state_q;
    write      = 1'b0;
    write_byte = text_q;

    unique case (state_q)
      StIdle, StDone: ;

      StRead: state_d = StText;

      StText:
      if (text_q != '0) begin
        write = 1'b1;
      end else begin
        state_d = has_length_q ? StLength : has_bytes_q ? StStart : StFlush;
      end

      StLength: if (converted_q) state_d = StDigits;

      StDigits: begin
        write_byte = digits[digit_q];
        write      = write_byte != " ";
        if (digit_q == '0) state_d = StCr0;
      end

      StCr0, StCr1: begin
        write_byte = 8'h0d;
        write      = 1'b1;
        state_d    = state_q == StCr0 ? StLf0 : StLf1;
      end

      StLf0, StLf1: begin
        write_byte = 8'h0a;
        write      = 1'b1;
        state_d    = state_q == StLf0 ? StStart : StFlush;
      end

      StStart: state_d = StBytes;

      StBytes: begin
        write_byte = byte_i;
        write      = byte_valid_i;
        if (!bytes_busy_i) state_d = StCr1;
      end

      StFlush: state_d = StDone;

      default: state_d = StIdle;
    endcase
    if (start_i) state_d = StRead;
  end

  always_ff @(posedge clk) begin
    state_q     <= state_d;
    digit_q     <= state_q == StDigits ? digit_q - 1'b1 : '1;
    converted_q <= (converted_q || converted) && !start_i;
    if (start_i) begin
      has_bytes_q  <= has_bytes_i;
      has_length_q <= has_length_i;
    end

    if (rst) state_q <= StIdle;
  end

  byte_packer #(
    .DataWidth  (DataWidth),
    .PacketBytes(ReplyBytes)
  ) packer (
    .clk,
    .rst,
    .clear_i (start_i),
    .write_i (write),
    .byte_i  (write_byte),
    .flush_i (state_q == StFlush),
    .length_o,
    .send_i,
    .sent_o,
    .m_data,
    .m_keep,
    .m_last,
    .m_valid,
    .m_ready
  );

endmodule
