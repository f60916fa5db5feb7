// SPDX-License-Identifier: Apache-2.0

// Decides which unknown addresses to ask for: each at most once in about 100 ms, and at most Slots
// of them in that time.
//
// Latency    3 clocks from ask_i to m_request.
// Throughput one question in 3 clocks. What cannot be asked now is forgotten: whoever needs the answer
//            sends again.
module arp_request_limiter
  import net_headers_pkg::*;
#(
  parameter int Slots = 4
) (
  input  logic        clk,
  input  logic        rst,

  input  logic [31:0] now_us,

  input  logic        ask_i,
  input  ip_address_t ask_ip_i,

  output ip_address_t m_request,
  output logic        m_request_valid,
  input  logic        m_request_ready
);

  // Time in units of 1,024 us.
  typedef logic [15:0] tick_t;
  localparam tick_t Interval = 16'd98;

  // Those asked for in the last interval.
  typedef struct packed {
    ip_address_t ip;
    tick_t       asked;
  } slot_t;

  slot_t [Slots-1:0] slot_q;
  logic [Slots-1:0] valid_q, match_q, take_q;
  logic [Slots-1:0][15:0] age_q;
  logic ask_q, asks, asks_q;
  ip_address_t ip_q, taken_ip_q;
  tick_t now;

  assign now = now_us[25:10];

  logic unused_now;
  assign unused_now = ^{now_us[31:26], now_us[9:0]};

  // Compare, decide, take. A question close behind another one sees the slots before it: rather none than
  // two.
  assign asks = ask_q && match_q == '0 && valid_q != '1 && !m_request_valid;

  always_ff @(posedge clk) begin
    ask_q      <= ask_i && !ask_q && !asks_q;
    ip_q       <= ask_ip_i;
    asks_q     <= asks;
    take_q     <= asks ? ~valid_q & (valid_q + 1'b1) : '0;
    taken_ip_q <= ip_q;

    for (int i = 0; i < Slots; i++) begin
      match_q[i] <= valid_q[i] && slot_q[i].ip == ask_ip_i;
      age_q[i]   <= now - slot_q[i].asked;
      if (age_q[i] >= Interval) valid_q[i] <= 1'b0;
      if (take_q[i]) begin
        slot_q[i]  <= '{ip: taken_ip_q, asked: now};
        age_q[i]   <= '0;
        valid_q[i] <= 1'b1;
      end
    end

    m_request_valid <= asks_q || (m_request_valid && !m_request_ready);
    if (!m_request_valid) m_request <= taken_ip_q;

    if (rst) begin
      ask_q           <= 1'b0;
      asks_q          <= 1'b0;
      take_q          <= '0;
      valid_q         <= '0;
      m_request_valid <= 1'b0;
    end
  end

endmodule
