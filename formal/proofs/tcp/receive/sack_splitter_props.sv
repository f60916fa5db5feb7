// SPDX-License-Identifier: Apache-2.0

// sack_splitter: each segment becomes a record for each of its blocks, the last one first, with
// sack_only, without payload, FIN and PSH, and then one of its own;
// nothing else comes out, and nothing is lost, however the neighbours take their time. Of the fields
// that are handed on there are but the lowest bits: wide ones make the run that can be looked at
// short.
module sack_splitter_props
  import tcp_pkg::*;
#(
  parameter bit Registers = 1'b0
) (
  input logic              clk,
  input logic              rst,
  input received_segment_t received_any,
  input logic              s_valid,
  input logic              m_ready,
  input logic [       2:0] watched     // an arbitrary constant: the record that is followed
);

  received_segment_t s_received;

  always_comb begin
    s_received = '0;
    s_received.segment.tuple.local_port = 16'(received_any.segment.tuple.local_port[0]);
    s_received.segment.seq = 32'(received_any.segment.seq[0]);
    s_received.segment.flags = received_any.segment.flags;
    s_received.segment.payload_length = 16'(received_any.segment.payload_length[0]);
    s_received.segment.options.ts_echo = 32'(received_any.segment.options.ts_echo[0]);
    s_received.sack_count = received_any.sack_count;
    for (int i = 0; i < SackBlocks; i++) begin
      s_received.sack[i].left  = 32'(received_any.sack[i].left[0]);
      s_received.sack[i].right = 32'(received_any.sack[i].right[0]);
    end
  end

  logic s_ready, m_valid;
  tcp_segment_t m_segment;

  sack_splitter #(.Registers(Registers)) dut (.*);

  stream_contract #(
    .Width ($bits(received_segment_t)),
    .Assume(1'b1)
  ) s_contract (
    .clk,
    .rst,
    .data (s_received),
    .valid(s_valid),
    .ready(s_ready)
  );
  stream_contract #(
    .Width($bits(tcp_segment_t))
  ) m_contract (
    .clk,
    .rst,
    .data (m_segment),
    .valid(m_valid),
    .ready(m_ready)
  );

  logic started = 1'b0;
  logic [2:0] watched_q;

  always_ff @(posedge clk) begin
    started   <= 1'b1;
    watched_q <= watched;
    if (!started) assume (rst);
    if (started) assume (watched == watched_q && !rst);
    assume (s_received.sack_count <= 3'(SackBlocks));
  end

  // How many records a segment is, and the one that has number n of them.
  logic [2:0] records, number;
  logic has_blocks;
  tcp_segment_t expected;

  assign has_blocks = s_received.sack_count != '0;
  assign records = has_blocks ? s_received.sack_count + 3'd1 : 3'd1;

  // Records of the segments taken; out of the module.
  logic [3:0] before_q = '0, out_q = '0;
  logic known_q = 1'b0, offered;
  tcp_segment_t watched_record_q;

  assign number  = 3'(4'(watched) - before_q);
  assign offered = s_valid && 4'(watched) >= before_q && 4'(watched) < before_q + 4'(records);

  always_comb begin
    expected           = s_received.segment;
    expected.sack_only = number + 3'd1 != records;
    expected.sack      = s_received.sack[2'(records - 3'd2 - number)];
    if (expected.sack_only) begin
      expected.payload_length = '0;
      expected.flags.fin      = 1'b0;
      expected.flags.psh      = 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (!rst) begin
      if (offered) begin
        watched_record_q <= expected;
        known_q          <= 1'b1;
      end
      if (s_valid && s_ready) before_q <= before_q + 4'(records);
      if (m_valid && m_ready) out_q <= out_q + 1'b1;
      assume (!before_q[3] && !out_q[3]);
    end
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      if (m_valid && out_q == 4'(watched)) begin
        assert (known_q);
        assert (m_segment == watched_record_q);
      end
      // No more than was offered; all of it when nothing waits.
      if (m_valid) assert (out_q < before_q + (s_valid ? 4'(records) : 4'd0));
      if (!m_valid && !s_valid) assert (out_q == before_q);
    end

    cover (started && !rst && known_q && m_valid && m_ready && out_q == 4'(watched)
        && m_segment.sack_only && watched == 3'd2);
    cover (started && !rst && known_q && m_valid && m_ready && out_q == 4'(watched)
        && !m_segment.sack_only && watched == 3'd4);
    cover (started && !rst && m_valid && m_ready && !m_segment.sack_only && out_q == 4'd3);
  end

endmodule
