// SPDX-License-Identifier: Apache-2.0

// The same hash as siphash, 16 bits a clock: a fifth of the logic, and no place where 256 bits are each
// a choice of sums and rotations from all over them, which is what does not route.
//
// Latency    16 W + 42 clocks from s to m for a message of W = MessageBytes / 8 + 1 words, rounded
//            down: 74 clocks for 8 to 15 bytes.
// Throughput one hash at a time.
// Paths      none from one side to the other; m_hash is registers. key_i is to be held from when the message
//            is taken until 5 clocks after.
module siphash_narrow #(
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

  typedef logic [15:0] slice_t;

  // The message, its length in the last byte of the last word.
  logic [Words*64-1:0] padded;
  always_comb begin
    padded = (Words * 64)'(s_message);
    padded[Words*64-1-:8] = 8'(MessageBytes);
  end

  // StHalf0 and StHalf1 are the halves of a round, as in siphash: v1 and v3 change places after each.
  // Each of these states but the first and the last takes a clock for each slice, the lowest first.
  typedef enum logic [2:0] {
    StIdle,
    StLoad,
    StHalf0,
    StHalf1,
    StFold,
    StResult
  } state_e;

  state_e               state_q;
  logic [1:0]           slice_q;
  logic [WordWidth-1:0] words_left_q;   // with the one at work; 0 in the final rounds
  logic [1:0]           rounds_left_q;  // after this one

  // A register, and half of the way of a message that is taken: the first state ends a clock later.
  logic ready_q;

  // The word at work, then those that follow. While the first one comes in there is none at work.
  logic [(Words+1)*64-1:0] words_q;

  // New slices come in at the top and move down. Place 2 has the one whose turn it is: those above
  // come next, those below were before. Of the value that is being replaced all slices are there: what
  // has left at the bottom has come back at the top.
  typedef slice_t [5:0] ring_t;

  ring_t v0_q, va_q, v2_q, vb_q;

  // One slice below the one whose turn it is, and two below: the same as two above, as there are four.
  slice_t va, va_1, vb, vb_1;
  logic [15:11] va_2;
  logic [15:15] vb_2;

  assign va   = va_q[2];
  assign va_1 = slice_q == 2'd0 ? va_q[5] : va_q[1];
  assign va_2 = slice_q[1] ? va_q[0][15:11] : va_q[4][15:11];
  assign vb   = vb_q[2];
  assign vb_1 = slice_q == 2'd0 ? vb_q[5] : vb_q[1];
  assign vb_2 = slice_q[1] ? vb_q[0][15] : vb_q[4][15];

  // v0 is rotated by 32 after the first half, v2 after the second: it is only read so.
  slice_t v0, v2;

  assign v0 = state_q != StHalf1 ? v0_q[2] : slice_q[1] ? v0_q[0] : v0_q[4];
  assign v2 = state_q == StHalf1 ? v2_q[2] : slice_q[1] ? v2_q[0] : v2_q[4];

  slice_t sum0, sum2;
  logic carry0, carry2, carry0_q, carry2_q;

  assign {carry0, sum0} = 17'(v0) + 17'(va) + 17'(carry0_q);
  assign {carry2, sum2} = 17'(v2) + 17'(vb) + 17'(carry2_q);

  // With the last half of a word's rounds, the word is folded into v0 and the next one into v3, or
  // the mark of the end into v2.
  logic last_slice, last_round, fold_word, fold_end;
  slice_t this_word, next_word;

  assign last_slice = slice_q == 2'd3;
  assign last_round = rounds_left_q == '0;
  assign fold_word  = last_round && words_left_q != '0;
  assign fold_end   = last_round && words_left_q == WordWidth'(1);
  assign this_word  = fold_word ? words_q[15:0] : '0;
  assign next_word  = fold_word && !fold_end ? words_q[79:64] : '0;

  localparam logic [63:0] Initial0 = 64'h736f6d6570736575;
  localparam logic [63:0] Initial1 = 64'h646f72616e646f6d;
  localparam logic [63:0] Initial2 = 64'h6c7967656e657261;
  localparam logic [63:0] Initial3 = 64'h7465646279746573;

  function automatic slice_t slice_of(input logic [63:0] value, input logic [1:0] slice);
    return value[{slice, 4'd0}+:16];
  endfunction

  assign s_ready = ready_q;
  assign m_valid = state_q == StResult;
  assign m_hash  = v0_q[5:2];

  // Whether the words move on, known a clock before: whether one is folded changes between halves alone.
  logic shifts_q;

  always_ff @(posedge clk) begin
    unique case (state_q)
      StIdle:  shifts_q <= !ready_q;
      StLoad:  shifts_q <= !last_slice;
      StHalf0: shifts_q <= last_slice && fold_word;
      StHalf1: shifts_q <= !last_slice && fold_word;
      default: shifts_q <= 1'b0;
    endcase
  end

  slice_t v0_d, va_d, v2_d, vb_d;

  always_comb begin
    v0_d = sum0;
    va_d = vb_1 ^ sum2;                        // rotated left by 16
    v2_d = sum2;
    vb_d = {va[2:0], va_1[15:3]} ^ sum0;       // 13
    unique case (state_q)
      StLoad: begin
        v0_d = slice_of(key_i[63:0] ^ Initial0, slice_q);
        va_d = slice_of(key_i[127:64] ^ Initial1, slice_q);
        v2_d = slice_of(key_i[63:0] ^ Initial2, slice_q + 2'd2);
        vb_d = slice_of(key_i[127:64] ^ Initial3, slice_q) ^ words_q[79:64];
      end
      StHalf1: begin
        v0_d = sum0 ^ this_word;
        va_d = {vb_1[14:0], vb_2} ^ sum2;  // 17
        v2_d = sum2 ^ (fold_end && slice_q == 2'd2 ? 16'hff : '0);
        vb_d = {va_1[10:0], va_2} ^ sum0 ^ next_word;  // 21
      end
      StFold: v0_d = v0 ^ va ^ v2 ^ vb;
      default: ;
    endcase
  end

  always_ff @(posedge clk) begin
    if (ready_q) words_q <= {padded, 64'd0};
    else if (shifts_q) words_q <= words_q >> 16;

    if (state_q != StResult) begin
      v0_q     <= {v0_d, v0_q[5:1]};
      va_q     <= {va_d, va_q[5:1]};
      v2_q     <= {v2_d, v2_q[5:1]};
      vb_q     <= {vb_d, vb_q[5:1]};
      carry0_q <= carry0 && !last_slice;
      carry2_q <= carry2 && !last_slice;
      slice_q  <= slice_q + 1'b1;
    end

    unique case (state_q)
      StIdle: begin
        slice_q       <= '0;
        words_left_q  <= WordWidth'(Words);
        rounds_left_q <= 2'(CompressionRounds - 1);
        if (s_valid) ready_q <= 1'b0;
        if (!ready_q) state_q <= StLoad;
      end
      StLoad: begin
        carry0_q <= 1'b0;
        carry2_q <= 1'b0;
        if (last_slice) state_q <= StHalf0;
      end
      StHalf0: if (last_slice) state_q <= StHalf1;
      StHalf1: begin
        if (last_slice) begin
          rounds_left_q <= rounds_left_q - 1'b1;
          state_q       <= StHalf0;
          if (last_round) begin
            rounds_left_q <= fold_end ? 2'(FinalRounds - 1) : 2'(CompressionRounds - 1);
            words_left_q  <= words_left_q - 1'b1;
            if (!fold_word) state_q <= StFold;
          end
        end
      end
      StFold: if (last_slice) state_q <= StResult;
      StResult: begin
        if (m_ready) begin
          state_q <= StIdle;
          ready_q <= 1'b1;
        end
      end
      default: state_q <= StIdle;
    endcase

    if (rst) begin
      state_q <= StIdle;
      ready_q <= 1'b1;
    end
  end

endmodule
