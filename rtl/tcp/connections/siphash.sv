// SPDX-License-Identifier: Apache-2.0

// SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed hash of a short message that stays secret as
// long as its key does. Byte 0 of message and key in bits 7:0.
//
// Half a round a clock: two 64-bit additions side by side.
//
// Latency    4 W + 9 clocks from s to m for a message of W = MessageBytes / 8 + 1 words, rounded
//            down: 17 clocks for 8 to 15 bytes.
// Throughput one hash at a time.
// Paths      none from one side to the other; m_hash is one level of logic behind registers. key_i is
//            taken with the message.
module siphash #(
  parameter int MessageBytes = 12
) (
  input  logic                      clk,
  input  logic                      rst,

  input  logic [             127:0] key_i,

  input  logic [MessageBytes*8-1:0] s_message,
  input  logic                      s_valid,
  output logic                      s_ready,

  output logic [              63:0] m_hash,
  output logic                      m_valid,
  input  logic                      m_ready
);

  localparam int Words = MessageBytes / 8 + 1;
  localparam int WordWidth = $clog2(Words + 1);
  localparam int CompressionRounds = 2;
  localparam int FinalRounds = 4;

  if (MessageBytes < 1 || MessageBytes > 255) begin : gen_check_message_bytes
    $error("MessageBytes must be 1 to 255.");
  end

  function automatic logic [63:0] rotate_left(input logic [63:0] value, input int bits);
    return (value << bits) | (value >> (64 - bits));
  endfunction

  // The message, its length in the last byte of the last word.
  logic [Words*64-1:0] padded;
  always_comb begin
    padded = (Words * 64)'(s_message);
    padded[Words*64-1-:8] = 8'(MessageBytes);
  end

  // StHalf0 and StHalf1 are the halves of a round.
  typedef enum logic [1:0] {
    StIdle,
    StHalf0,
    StHalf1,
    StResult
  } state_e;

  state_e                 state_q;
  logic [Words*64-1:0]    words_q;        // the word at work, then those that follow
  logic [WordWidth-1:0]   words_left_q;   // with the one at work; 0 in the final rounds
  logic [1:0]             rounds_left_q;  // after this one

  // v1 and v3 change places after each half, so that the additions are the same in both:
  // v0 + va and v2 + vb. In StHalf0 va is v1 and vb is v3, in StHalf1 va is v3 and vb is v1.
  logic [63:0] v0_q, va_q, v2_q, vb_q;
  logic [63:0] sum0, sum2;

  assign sum0 = v0_q + va_q;
  assign sum2 = v2_q + vb_q;

  // With the last half of a word's rounds, the word is folded into v0 and the next one into v3, or
  // the mark of the end into v2.
  logic last_round, fold_word, fold_end, fold_next;
  logic [63:0] this_word, next_word;

  assign last_round = rounds_left_q == '0;
  assign fold_word  = last_round && words_left_q != '0;
  assign fold_end   = last_round && words_left_q == WordWidth'(1);
  assign fold_next  = fold_word && !fold_end;
  assign this_word  = words_q[63:0];

  if (Words > 1) begin : gen_next_word
    assign next_word = words_q[127:64];
  end else begin : gen_one_word
    assign next_word = '0;
  end

  assign s_ready = state_q == StIdle;
  assign m_valid = state_q == StResult;
  assign m_hash  = v0_q ^ va_q ^ v2_q ^ vb_q;

  always_ff @(posedge clk) begin
    unique case (state_q)
      StIdle: begin
        v0_q          <= key_i[63:0] ^ 64'h736f6d6570736575;
        va_q          <= key_i[127:64] ^ 64'h646f72616e646f6d;
        v2_q          <= key_i[63:0] ^ 64'h6c7967656e657261;
        vb_q          <= key_i[127:64] ^ 64'h7465646279746573 ^ padded[63:0];
        words_q       <= padded;
        words_left_q  <= WordWidth'(Words);
        rounds_left_q <= 2'(CompressionRounds - 1);
        if (s_valid) state_q <= StHalf0;
      end

      StHalf0: begin
        v0_q    <= rotate_left(sum0, 32);
        va_q    <= rotate_left(vb_q, 16) ^ sum2;
        v2_q    <= sum2;
        vb_q    <= rotate_left(va_q, 13) ^ sum0;
        state_q <= StHalf1;
      end

      StHalf1: begin
        v0_q          <= sum0 ^ (fold_word ? this_word : '0);
        va_q          <= rotate_left(vb_q, 17) ^ sum2;
        v2_q          <= rotate_left(sum2, 32) ^ (fold_end ? 64'hff : '0);
        vb_q          <= rotate_left(va_q, 21) ^ sum0 ^ (fold_next ? next_word : '0);
        rounds_left_q <= rounds_left_q - 1'b1;
        state_q       <= StHalf0;
        if (last_round) begin
          rounds_left_q <= fold_end ? 2'(FinalRounds - 1) : 2'(CompressionRounds - 1);
          words_left_q  <= words_left_q - 1'b1;
          words_q       <= words_q >> 64;
          if (!fold_word) state_q <= StResult;
        end
      end

      StResult: if (m_ready) state_q <= StIdle;
    endcase

    if (rst) state_q <= StIdle;
  end

endmodule
