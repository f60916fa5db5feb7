// SPDX-License-Identifier: Apache-2.0

// Reads the headers of TCP segments as they pass, for whoever cannot wait for their ends.
//
//   word  0       IP: version, header length, total length (from ip_i)
//         3       IP: source
//         5       ports                     6 sequence number    7 acknowledgement number
//         8       offset, flags, window    10 options: 01 01 08 0A, then 11 TSval
//
// The beats watched are those of tcp_receive_parser. For each packet, in order:
//   ask_o, tuple_o  in the clock of the beat that has the ports, if the IP header has no options;
//   m_head          when the rest has come (in the beat that has word 8, or 11 if there are time
//                   stamps), or else with the last beat; asked tells whether ask_o was.
//
// Latency    m_head one clock behind that beat, when nothing waits before it.
// Throughput as its stream; hold_o asks for a stop while there is room for fewer than two packets.
// Paths      ask_o and tuple_o follow the beat; m_head is a register.
module peek_header
  import net_headers_pkg::*;
  import tcp_pkg::*;
  import tcp_peek_pkg::*;
#(
  parameter  int DataWidth = 64,
  localparam int Lanes     = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  input  logic                 beat_i,  // valid && ready of the stream watched
  input  logic [DataWidth-1:0] data_i,
  input  logic [    Lanes-1:0] keep_i,
  input  logic                 last_i,
  // Addresses are read where they stand.
  // verilator lint_off UNUSEDSIGNAL
  input  ip_receive_t          ip_i,
  // verilator lint_on UNUSEDSIGNAL
  output logic                 hold_o,

  output logic                 ask_o,
  output tuple_t               tuple_o,

  output logic                 m_head_asked,
  output peeked_t              m_head,
  output logic                 m_head_valid,
  input  logic                 m_head_ready
);

  localparam int Words = DataWidth / 32;
  localparam int Depth = 8;
  localparam int First = 3, Ports = 5, Seq = 6, Ack = 7, Flags = 8, Option = 10, Stamp = 11;
  localparam int IndexWidth = 4;
  localparam logic [31:0] TwoNopsTimestamps = {
    TcpOptionNop, TcpOptionNop, TcpOptionTimestamps, 8'd10
  };

  // Each word as it is now: of this beat, or kept.
  logic [IndexWidth-1:0] index_q;
  logic [Stamp:First][31:0] word, word_q;
  logic [Stamp:First] have;

  always_comb begin
    for (int i = First; i <= Stamp; i++) begin
      logic here;
      here = index_q == IndexWidth'(i / Words);
      word[i] = word_q[i];
      if (here) begin
        for (int b = 0; b < 4; b++) word[i][(3-b)*8+:8] = data_i[((i%Words)*4+b)*8+:8];
      end
      have[i] = here ? keep_i[(i%Words)*4+3] : index_q > IndexWidth'(i / Words);
    end
  end

  // PSH and what belongs to ECN may be there or not.
  // verilator lint_off UNUSEDSIGNAL
  tcp_flags_t flags;
  // verilator lint_on UNUSEDSIGNAL
  logic [3:0] offset;
  logic no_options, has_timestamps, complete, plain, asked, asked_q, told_q, push;

  assign offset         = word[Flags][31:28];
  assign flags          = tcp_flags_t'(word[Flags][23:16]);
  assign no_options     = offset == 4'd5;
  assign has_timestamps = offset == 4'd8 && word[Option] == TwoNopsTimestamps;
  assign complete       = have[Flags] && (offset != 4'd8 || have[Stamp]);
  assign plain          = (no_options || has_timestamps) && flags.ack && !flags.syn && !flags.fin
      && !flags.rst && !flags.urg;

  assign ask_o = beat_i && ip_i.header_words == 4'd5 && index_q == IndexWidth'(Ports / Words)
      && have[Ports];
  assign tuple_o = '{
      remote_ip: word[First],
      remote_port: word[Ports][31:16],
      local_port: word[Ports][15:0]
  };
  assign asked = asked_q || ask_o;
  assign push  = beat_i && !told_q && (complete || last_i);

  always_ff @(posedge clk) begin
    if (beat_i) begin
      word_q  <= word;
      asked_q <= asked && !last_i;
      told_q  <= (told_q || push) && !last_i;
      if (last_i) index_q <= '0;
      else if (index_q != '1) index_q <= index_q + 1'b1;
    end

    if (rst) begin
      index_q <= '0;
      asked_q <= 1'b0;
      told_q  <= 1'b0;
    end
  end

  typedef struct packed {
    logic    asked;
    peeked_t peeked;
  } head_t;

  head_t head, head_out;
  logic unused_ready;
  logic [$clog2(Depth+1)-1:0] count;

  always_comb begin
    head.asked = asked;
    head.peeked.readable = asked && complete;
    head.peeked.plain = plain;
    head.peeked.tuple = tuple_o;
    head.peeked.seq = word[Seq];
    head.peeked.ack = word[Ack];
    head.peeked.has_timestamps = has_timestamps;
    head.peeked.ts_value = word[Stamp];
    head.peeked.length = ip_i.total_length - (no_options ? 16'd40 : 16'd52);
  end

  stream_fifo #(
    .T       (head_t),
    .Depth   (Depth),
    .BlockRam(0)
  ) heads (
    .clk,
    .rst,
    .s_data (head),
    .s_valid(push),
    .s_ready(unused_ready),
    .m_data (head_out),
    .m_valid(m_head_valid),
    .m_ready(m_head_ready),
    .count_o(count)
  );

  // A packet of one beat may come in the clock in which the room is found to have gone.
  assign hold_o       = count > ($clog2(Depth+1))'(Depth - 2);
  assign m_head_asked = head_out.asked;
  assign m_head       = head_out.peeked;

endmodule
