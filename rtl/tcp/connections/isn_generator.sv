// SPDX-License-Identifier: Apache-2.0

// Initial sequence numbers (RFC 9293 section 3.4.1, RFC 6528): a clock that ticks every 4 us plus a
// keyed hash of the connection's addresses and ports, so that they do not repeat early and an
// outsider cannot guess them.
//
// The hash is SipHash-2-4 of 12 bytes in network order: remote address, remote port, local port,
// local address.
//
// m_hash is of other bits of the hash, without the clock.
//
// Latency    18 clocks from s to m, 75 with NarrowHash.
// Throughput one number in 18 clocks, and in 75.
// Paths      s_ready, m_isn, m_hash and m_valid are registers.
module isn_generator
  import net_headers_pkg::*;
  import seq_pkg::*;
  import tcp_pkg::*;
#(
  parameter bit NarrowHash = 1'b0  // siphash_narrow, where the other does not route
) (
  input  logic         clk,
  input  logic         rst,

  input  logic [ 31:0] now_us,
  input  logic [127:0] secret_i,
  input  ip_address_t  local_ip_i,

  input  tuple_t       s_tuple,
  input  logic         s_valid,
  output logic         s_ready,

  output seq_t         m_isn,
  output logic [ 31:0] m_hash,
  output logic         m_valid,
  input  logic         m_ready
);

  localparam int MessageBytes = 12;

  logic [MessageBytes*8-1:0] wire_order, message;

  assign wire_order = {s_tuple.remote_ip, s_tuple.remote_port, s_tuple.local_port, local_ip_i};

  for (genvar i = 0; i < MessageBytes; i++) begin : gen_byte
    assign message[i*8+:8] = wire_order[(MessageBytes-1-i)*8+:8];
  end

  logic [63:0] hash;
  logic hash_valid, hash_ready;

  if (NarrowHash) begin : gen_narrow
    siphash_narrow #(
      .MessageBytes(MessageBytes)
    ) siphash (
      .clk,
      .rst,
      .key_i    (secret_i),
      .s_message(message),
      .s_valid,
      .s_ready,
      .m_hash   (hash),
      .m_valid  (hash_valid),
      .m_ready  (hash_ready)
    );
  end else begin : gen_wide
    siphash #(
      .MessageBytes(MessageBytes)
    ) siphash (
      .clk,
      .rst,
      .key_i    (secret_i),
      .s_message(message),
      .s_valid,
      .s_ready,
      .m_hash   (hash),
      .m_valid  (hash_valid),
      .m_ready  (hash_ready)
    );
  end

  // now_us goes round in 71 minutes, the clock of sequence numbers in 4.8 hours: count the rounds.
  logic [31:0] now_q;
  logic [ 1:0] rounds_q;

  always_ff @(posedge clk) begin
    now_q <= now_us;
    if (now_q[31] && !now_us[31]) rounds_q <= rounds_q + 1'b1;

    if (rst) rounds_q <= '0;
  end

  logic [1:0] unused_now;
  assign unused_now = now_q[1:0];

  // A narrow hash takes many clocks: to wait for an empty place costs none, and m_ready may come late.
  assign hash_ready = !m_valid || (!NarrowHash && m_ready);

  always_ff @(posedge clk) begin
    if (hash_ready) begin
      m_isn   <= hash[31:0] + {rounds_q, now_q[31:2]};
      m_hash  <= hash[63:32];
      m_valid <= hash_valid;
    end else if (m_ready) begin
      m_valid <= 1'b0;
    end

    if (rst) m_valid <= 1'b0;
  end

endmodule
