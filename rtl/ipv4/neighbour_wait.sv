// SPDX-License-Identifier: Apache-2.0

// Keeps a packet without payload while ARP asks for its next hop, and sends it when the answer has
// come: the first SYN to a neighbour does not wait for its retransmission (RFC 1122 section 2.3.2.2).
//
// Latency    8 clocks from learnt_i to m_packet_valid: the cache has the answer by then.
// Throughput one packet at a time. Of several to the same next hop the latest is kept; one to another
//            is dropped, unless what is there has waited for a second. After that it is not sent
//            any more: its connection may be gone when the neighbour comes back.
// Paths      none: every output is a register.
//
// What is not kept is counted. A packet that misses again comes back by missed_i.
//
// Registers: the packet and its next hop have been there for a clock before missed_i, and stay for one more, in which
// it is taken: what says so then is a register, and goes to hundreds of others.
module neighbour_wait
  import net_headers_pkg::*;
#(
  parameter bit Registers = 1'b0
) (
  input  logic         clk,
  input  logic         rst,

  input  logic [31:0]  now_us,

  // A packet whose next hop is not known.
  input  ip_transmit_t missed_packet_i,
  input  ip_address_t  missed_next_hop_i,
  input  logic         missed_i,

  // ARP has learnt an address.
  input  ip_address_t  learnt_ip_i,
  input  logic         learnt_i,

  output ip_transmit_t m_packet,
  output logic         m_packet_valid,
  input  logic         m_packet_ready,

  output logic         count_drop_arp_miss_o
);

  localparam int PatienceUs = 1_000_000;
  localparam int LearnClocks = 8;

  typedef enum logic [1:0] {
    StEmpty,
    StWait,   // for ARP's answer
    StLearn,  // for the cache to have it
    StOffer
  } state_e;

  state_e state_q;
  ip_address_t next_hop_q;
  logic [31:0] last_us_q;  // in which it is not old
  logic [$clog2(LearnClocks)-1:0] clocks_q;
  logic old_q, same, same_known, keep, load, answered;

  assign answered = learnt_i && learnt_ip_i == next_hop_q;
  assign same     = missed_next_hop_i == next_hop_q;
  assign keep     = state_q == StEmpty || (state_q == StWait && (old_q || same_known));

  if (Registers) begin : gen_load_register
    logic same_q, load_q;

    assign same_known = same_q;
    assign load       = load_q;

    always_ff @(posedge clk) begin
      same_q <= same;
      load_q <= missed_i && keep;

      if (rst) load_q <= 1'b0;
    end
  end else begin : gen_load
    assign same_known = same;
    assign load       = missed_i && keep;
  end
  assign m_packet_valid = state_q == StOffer;

  always_ff @(posedge clk) begin
    old_q    <= old_q || seq_pkg::seq_lt(last_us_q, now_us);  // and stays so when the time wraps
    clocks_q <= state_q == StLearn ? clocks_q + 1'b1 : '0;
    count_drop_arp_miss_o <= (missed_i && state_q != StEmpty)
        || (state_q == StWait && answered && old_q && !load);

    unique case (state_q)
      StWait:  if (answered) state_q <= old_q ? StEmpty : StLearn;
      StLearn: if (clocks_q == '1) state_q <= StOffer;
      StOffer: if (m_packet_ready) state_q <= StEmpty;
      default: ;
    endcase

    // The answer may come beside it, and with Registers a clock before.
    if (load) begin
      m_packet   <= missed_packet_i;
      next_hop_q <= missed_next_hop_i;
      last_us_q  <= now_us + 32'(PatienceUs - 1);
      old_q      <= 1'b0;
      state_q    <= state_q == StLearn || (state_q == StWait && answered && same_known) ? StLearn
                                                                                        : StWait;
    end

    if (rst) begin
      state_q               <= StEmpty;
      count_drop_arp_miss_o <= 1'b0;
    end
  end

endmodule
