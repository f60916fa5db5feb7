// SPDX-License-Identifier: Apache-2.0

// Walks the options of a TCP header and reports those that the engine uses.
//
//   kind 0                             end of the list
//   kind 1                             no operation, one byte
//   kind 2, length 4, 2 bytes          maximum segment size
//   kind 3, length 3, shift            window scale; more than 14 counts as 14 (RFC 7323 2.3)
//   kind 4, length 2                   SACK permitted (RFC 2018 section 2)
//   kind 5, length 2 + 8 n, n blocks   SACK (section 3), n from 1 to 4: left edge, right edge
//   kind 8, length 10, TSval, TSecr    time stamps (RFC 7323 section 3.2)
//   kind k, length n, n-2 bytes        anything else: skipped
//
// A length of 0 or 1, or one that leads past the end of the header, ends the list: the options
// before it count, the rest is ignored. An option of a kind above with a length not above is skipped
// like an unknown one. Of two options of a kind the later counts.
//
// m_options.ts_* mean nothing without has_timestamps, nor does m_sack from m_sack_count on.
//
// Latency    number of option words + 2 clocks.
// Throughput a segment takes a clock for each word of options, and one for each that its result is
//            valid: nothing moves meanwhile, but the next segment may come in.
// Paths      all m_* and s_ready are registers.
module tcp_options_parser
  import net_headers_pkg::*;
  import tcp_pkg::*;
#(
  localparam int MaxWords = 10
) (
  input  logic                        clk,
  input  logic                        rst,

  input  logic [     MaxWords*32-1:0] s_options,  // the first byte on the wire in [7:0]
  input  logic [                 3:0] s_words,    // 1 to MaxWords
  input  logic                        s_valid,
  output logic                        s_ready,

  output logic [                15:0] m_mss,      // 0: there was none
  output tcp_options_t                m_options,
  output logic [                 2:0] m_sack_count,
  output seq_range_t [SackBlocks-1:0] m_sack,     // [0] is the first in the option
  output logic                        m_valid,
  input  logic                        m_ready
);

  // One word of options a clock, in three stages: what would each of its bytes mean if an option
  // began there; where do options begin; then the words of a long value one by one, of which the
  // last passes with the word it ends in. Distances are in bytes; no option that fits is longer than
  // 40.
  typedef logic [5:0] distance_t;

  typedef struct packed {
    logic [3:1]  stays;   // the next option begins so many bytes further, in this word
    logic        leaves;   // it begins in a later word, or never
    logic        ends;     // the list ends here
    distance_t   next;     // if not, so many bytes from the next word's first
    logic        mss;
    logic        window_scale;
    logic        sack_permitted;
    logic        timestamps;
    logic        sack;
    logic [2:0]  blocks;
    logic [15:0] value;    // of an MSS option
    logic [3:0]  shift;    // of a window scale option
  } option_t;

  // Bit by bit, as a carry chain would take longer.
  function automatic logic is_below(input logic [3:0] a, input logic [3:0] b);
    logic below;
    below = 1'b0;
    for (int i = 0; i < 4; i++) below = (a[i] == b[i]) ? below : b[i];
    return below;
  endfunction

  logic moves, moves_next, accepts;
  assign moves   = !m_valid;
  assign accepts = s_valid && s_ready;

  // First stage: decode.

  logic scanning_q, first_q;
  logic [MaxWords*32-1:0] options_q;
  logic [47:0] before_q;   // the 6 bytes before options_q
  logic [3:0] words_q, behind_q;  // words to the end of the header, with this one and without
  logic last_word_q;  // there is none behind
  logic scanning, last_word;  // in the next clock

  option_t [3:0] option, option_q;
  logic decoded_q, decoded_first_q, decoded_last_q;

  // s_ready is known a clock ahead, as so many bits load by it: in a clock in which nothing is scanned, or
  // the last word leaves.
  always_comb begin
    scanning  = accepts || (scanning_q && !(moves && last_word_q));
    last_word = moves ? words_q <= 4'd2 : last_word_q;
    if (s_ready) last_word = s_words <= 4'd1;
  end

  always_comb begin
    for (int i = 0; i < 4; i++) begin
      logic [7:0] kind, length, shift;
      logic [2:0] low;
      logic nop, fits, counts;

      kind   = options_q[i*8+:8];
      length = options_q[(i+1)*8+:8];
      shift  = options_q[(i+2)*8+:8];
      nop    = kind == TcpOptionNop;
      // Its last byte is in this word or in one behind it; more than its kind and its length does not
      // begin there.
      low    = {1'b0, length[1:0]} + 3'(i);
      if (low == '0) fits = !is_below(words_q, length[5:2]);
      else if (low <= 3'd4) fits = !is_below(behind_q, length[5:2]);
      else fits = is_below(length[5:2], behind_q);
      counts = length[7:6] == '0 && length[5:0] >= 6'd2 && fits;

      option[i].ends   = kind == TcpOptionEnd || (!nop && !counts);
      option[i].next   = distance_t'(i - 4) + (nop ? 6'd1 : length[5:0]);
      option[i].leaves = 1'b1;
      for (int further = 1; further < 4; further++) begin
        option[i].stays[further] = i + further < 4 && !option[i].ends
            && (nop ? further == 1 : length[5:0] == 6'(further));
        if (option[i].stays[further]) option[i].leaves = 1'b0;
      end
      option[i].blocks         = length[5:3];
      option[i].value          = {shift, options_q[(i+3)*8+:8]};
      option[i].shift          = (shift > 8'(WindowScaleMax)) ? WindowScaleMax : shift[3:0];
      option[i].mss            = counts && kind == TcpOptionMss && length[5:0] == 6'd4;
      option[i].window_scale   = counts && kind == TcpOptionWindowScale && length[5:0] == 6'd3;
      option[i].sack_permitted = counts && kind == TcpOptionSackPermitted && length[5:0] == 6'd2;
      option[i].timestamps     = counts && kind == TcpOptionTimestamps && length[5:0] == 6'd10;
      option[i].sack           = counts && kind == TcpOptionSack && length[2:0] == 3'd2
          && length[5:3] >= 3'd1 && length[5:3] <= 3'(SackBlocks);
    end
  end

  always_ff @(posedge clk) begin
    if (moves) begin
      decoded_q       <= scanning_q;
      decoded_first_q <= first_q;
      decoded_last_q  <= last_word_q;
      option_q        <= option;

      before_q    <= {options_q[31:0], before_q[47:32]};
      options_q   <= options_q >> 32;
      words_q     <= behind_q;
      behind_q    <= behind_q - 1'b1;
      first_q     <= 1'b0;
    end
    // What is there is loaded before it is known to be valid, as so many bits would wait for that.
    if (s_ready) begin
      options_q <= s_options;
      words_q   <= s_words;
      behind_q  <= s_words - 1'b1;
    end
    if (accepts) first_q <= 1'b1;
    scanning_q  <= scanning;
    last_word_q <= last_word;
    s_ready     <= !scanning || (moves_next && last_word);

    if (rst) begin
      s_ready    <= 1'b1;
      scanning_q <= 1'b0;
      decoded_q  <= 1'b0;
    end
  end

  // Second stage: follow the list through the word. No two long values begin in the same one.

  distance_t next_q, next_d;  // where the next option begins, from this word's first byte
  logic ended_q, ended_d;  // nowhere
  logic [3:0] begins;
  logic [15:0] mss_d;
  logic window_scale_d, sack_permitted_d, timestamps_d;
  logic [3:0] shift_d;
  logic [2:0] blocks_d;
  logic timestamps_begin, sack_begins;
  logic [1:0] lane;

  always_comb begin
    for (int i = 0; i < 4; i++) begin
      begins[i] = !ended_q && next_q == distance_t'(i);
      for (int earlier = 0; earlier < i; earlier++) begin
        begins[i] |= begins[earlier] && option_q[earlier].stays[i-earlier];
      end
    end

    next_d           = next_q - distance_t'(4);
    ended_d          = ended_q;
    mss_d            = decoded_first_q ? '0 : m_mss;
    window_scale_d   = !decoded_first_q && m_options.has_window_scale;
    shift_d          = decoded_first_q ? '0 : m_options.window_scale;
    sack_permitted_d = !decoded_first_q && m_options.sack_permitted;
    timestamps_d     = !decoded_first_q && m_options.has_timestamps;
    blocks_d         = decoded_first_q ? '0 : m_sack_count;
    timestamps_begin = 1'b0;
    sack_begins      = 1'b0;
    lane             = '0;
    for (int i = 0; i < 4; i++) begin
      if (begins[i]) begin
        if (option_q[i].leaves) next_d = option_q[i].next;
        if (option_q[i].ends) ended_d = 1'b1;
        if (option_q[i].mss) mss_d = option_q[i].value;
        if (option_q[i].window_scale) shift_d = option_q[i].shift;
        window_scale_d |= option_q[i].window_scale;
        sack_permitted_d |= option_q[i].sack_permitted;
        timestamps_d |= option_q[i].timestamps;
        timestamps_begin |= option_q[i].timestamps;
        sack_begins |= option_q[i].sack;
        if (option_q[i].sack) blocks_d = option_q[i].blocks;
        if (option_q[i].timestamps || option_q[i].sack) lane = 2'(i);
      end
    end
  end

  // Third stage: a long value's words, the first a clock after its option's. Behind the last byte of
  // a value come two more of the next option before another value begins, so one ends in time. An
  // edge of a SACK block has an even number if it is the left one.

  logic timestamps_q, sack_q;  // a value of this kind is on its way
  logic [1:0] lane_q;  // its option begins there
  logic [2:0] index_q, last_q;  // of this word of it, and of its last
  logic [55:0] window;          // from the first byte that a value may begin with
  logic [31:0] value;

  assign window = {options_q[7:0], before_q};

  always_comb begin
    for (int i = 0; i < 4; i++) value[(3-i)*8+:8] = window[(i+32'(lane_q))*8+:8];
  end

  assign moves_next = moves ? !(decoded_q && decoded_last_q) : m_ready;

  always_ff @(posedge clk) begin
    if (moves) begin
      if (decoded_q) begin
        next_q                     <= decoded_last_q ? '0 : next_d;
        ended_q                    <= !decoded_last_q && ended_d;
        m_mss                      <= mss_d;
        m_options.has_window_scale <= window_scale_d;
        m_options.window_scale     <= shift_d;
        m_options.sack_permitted   <= sack_permitted_d;
        m_options.has_timestamps   <= timestamps_d;
        m_sack_count               <= blocks_d;
      end

      index_q <= index_q + 1'b1;
      if (index_q == last_q) begin
        timestamps_q <= 1'b0;
        sack_q       <= 1'b0;
      end
      if (decoded_q && (timestamps_begin || sack_begins)) begin
        timestamps_q <= timestamps_begin;
        sack_q       <= sack_begins;
        lane_q       <= lane;
        index_q      <= '0;
        last_q       <= timestamps_begin ? 3'd1 : {2'(blocks_d - 1'b1), 1'b1};
      end

      if (timestamps_q && !index_q[0]) m_options.ts_value <= value;
      if (timestamps_q && index_q[0]) m_options.ts_echo <= value;
      for (int i = 0; i < SackBlocks; i++) begin
        if (sack_q && index_q == {2'(i), 1'b0}) m_sack[i].left <= value;
        if (sack_q && index_q == {2'(i), 1'b1}) m_sack[i].right <= value;
      end
    end

    m_valid <= !moves_next;

    if (rst) begin
      timestamps_q <= 1'b0;
      sack_q       <= 1'b0;
      next_q       <= '0;
      ended_q      <= 1'b0;
      m_valid      <= 1'b0;
    end
  end

endmodule
