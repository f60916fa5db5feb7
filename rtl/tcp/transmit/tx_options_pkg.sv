// SPDX-License-Identifier: Apache-2.0

// Options of a segment to send: which there are, and where they stand.
//
// A SYN, which is a command with an MSS:
//
//   2       4       mss                      always
//   4       2       8       10               time stamps; 1, 1 in place of 4, 2 if SACK is not
//   TSval                                    permitted
//   TSecr
//   1       1       4       2                SACK permitted, without time stamps
//   1       3       3       shift            window scale
//
// Any other segment:
//
//   1       1       8       10               time stamps
//   TSval
//   TSecr
//   1       1       5       2 + 8 n          n blocks of SACK
//   left edge                                for each
//   right edge
//
// Every option begins at an even byte, so the checksum needs no more than its values and the sum of
// all kinds and lengths.
package tx_options_pkg;

  import net_headers_pkg::*;
  import tcp_pkg::*;
  import checksum_pkg::*;

  localparam int MaxOptionWords = 10;

  // Values of 8 bytes: time stamps first, then blocks in order.
  localparam int MaxPairs = 4;
  typedef logic [63:0] pair_t;

  typedef struct packed {
    logic       syn;
    logic       sack_permitted;  // SYN
    logic       window_scale;    // SYN
    logic       timestamps;
    logic [2:0] blocks;          // no SYN; with time stamps at most 3
  } option_shape_t;

  localparam int Shapes = 2 ** $bits(option_shape_t);

  typedef logic [3:0] option_words_t;

  function automatic option_shape_t option_shape(input tx_command_t command);
    logic syn = command.mss != '0;
    return
    '{
        syn: syn,
        sack_permitted: syn && command.options.sack_permitted,
        window_scale: syn && command.options.has_window_scale,
        timestamps: command.options.has_timestamps,
        blocks: syn ? '0 : command.sack_count
    }
    ;
  endfunction

  function automatic logic [2:0] option_pairs(input option_shape_t shape);
    return shape.blocks + 3'(shape.timestamps);
  endfunction

  // The pairs of a command, [0] first; zero where there is none.
  function automatic pair_t [MaxPairs-1:0] option_values(input tx_command_t command);
    option_shape_t shape = option_shape(command);
    pair_t [MaxPairs-1:0] pairs = '0;
    for (int i = 0; i < MaxPairs; i++) begin
      if (3'(i) < shape.blocks) pairs[i] = command.sack[i];
    end
    if (shape.timestamps)
      pairs = {pairs[MaxPairs-2:0], command.options.ts_value, command.options.ts_echo};
    return pairs;
  endfunction

  // Words of options.
  function automatic option_words_t option_words(input option_shape_t shape);
    option_words_t words = '0;
    if (shape.syn) words += 4'd1;
    if (shape.timestamps) words += 4'd3;
    if (shape.sack_permitted && !shape.timestamps) words += 4'd1;
    if (shape.window_scale) words += 4'd1;
    if (shape.blocks != '0) words += {shape.blocks, 1'b1};
    return words;
  endfunction

  // Sum of all that is known of header and pseudo-header from the shape alone: protocol, the
  // header's part of the TCP length, kinds and lengths of options.
  function automatic sum_t shape_sum(input option_shape_t shape);
    sum_t sum = 16'(IpProtocolTcp) + 16'(TcpHeaderBytes) + 16'({option_words(shape), 2'b00});
    if (shape.syn) sum += {TcpOptionMss, 8'd4};
    if (shape.timestamps) sum += {TcpOptionTimestamps, 8'd10};
    if (shape.sack_permitted) sum += {TcpOptionSackPermitted, 8'd2};
    if (shape.timestamps != shape.sack_permitted) sum += {TcpOptionNop, TcpOptionNop};
    if (shape.window_scale) sum += {TcpOptionNop, TcpOptionWindowScale};
    if (shape.blocks != '0) begin
      sum += {TcpOptionNop, TcpOptionNop};
      sum += {TcpOptionSack, 2'b00, shape.blocks, 3'd2};
    end
    return sum;
  endfunction

  // The same for all shapes: a table costs less than the sums.
  function automatic sum_t [Shapes-1:0] shape_sums();
    sum_t [Shapes-1:0] sums;
    for (int shape = 0; shape < Shapes; shape++) begin
      sums[shape] = shape_sum(option_shape_t'(shape));
    end
    return sums;
  endfunction

  // The words, [0] first, each as it is read; what is behind the last one does not matter.
  function automatic logic [MaxOptionWords-1:0][31:0] lay_out_options(
      input option_shape_t shape, input logic [15:0] mss, input logic [3:0] window_scale,
      input pair_t [MaxPairs-1:0] pairs);
    logic [MaxOptionWords-1:0][31:0] words = '0;
    logic [15:0] nops = {TcpOptionNop, TcpOptionNop};
    logic [15:0] permitted = {TcpOptionSackPermitted, 8'd2};
    logic [15:0] timestamps = {TcpOptionTimestamps, 8'd10};
    logic [31:0] scale = {TcpOptionNop, TcpOptionWindowScale, 8'd3, 4'd0, window_scale};
    logic [31:0] sack = {nops, TcpOptionSack, 2'b00, shape.blocks, 3'd2};
    if (shape.syn) begin
      words[0] = {TcpOptionMss, 8'd4, mss};
      if (shape.timestamps) begin
        words[1] = {shape.sack_permitted ? permitted : nops, timestamps};
        {words[2], words[3]} = pairs[0];
        words[4] = scale;
      end else begin
        words[1] = shape.sack_permitted ? {nops, permitted} : scale;
        words[2] = scale;
      end
    end else if (shape.timestamps) begin
      words[0] = {nops, timestamps};
      {words[1], words[2]} = pairs[0];
      words[3] = sack;
      for (int i = 1; i < MaxPairs; i++) {words[2+2*i], words[3+2*i]} = pairs[i];
    end else begin
      words[0] = sack;
      for (int i = 0; i < MaxPairs; i++) {words[1+2*i], words[2+2*i]} = pairs[i];
    end
    return words;
  endfunction

endpackage
