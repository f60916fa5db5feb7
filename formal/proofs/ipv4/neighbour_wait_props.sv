// SPDX-License-Identifier: Apache-2.0

// neighbour_wait: whatever is missed leaves, is counted as dropped, or waits, and it leaves unchanged
// and for no other reason than that its next hop has been learnt in time.
module neighbour_wait_props
  import net_headers_pkg::*;
#(
  parameter bit Registers = 1'b0
) (
  input logic         clk,
  input logic         rst,
  input logic [31:0]  now_us,
  input ip_transmit_t missed_packet,
  input ip_address_t  missed_next_hop,
  input logic         missed,
  input ip_address_t  learnt_ip,
  input logic         learnt,
  input logic         ready
);

  ip_transmit_t m_packet;
  logic valid, dropped;

  neighbour_wait #(
    .Registers(Registers)
  ) dut (
    .clk,
    .rst,
    .now_us,
    .missed_packet_i      (missed_packet),
    .missed_next_hop_i    (missed_next_hop),
    .missed_i             (missed),
    .learnt_ip_i          (learnt_ip),
    .learnt_i             (learnt),
    .m_packet,
    .m_packet_valid       (valid),
    .m_packet_ready       (ready),
    .count_drop_arp_miss_o(dropped)
  );

  stream_contract #(
    .Width($bits(ip_transmit_t))
  ) m_contract (
    .clk,
    .rst,
    .data (m_packet),
    .valid(valid),
    .ready(ready)
  );

  logic past_q = 1'b0;
  always_ff @(posedge clk) begin
    past_q <= 1'b1;
    if (!past_q) assume (rst);
  end

  // With Registers a packet is there for a clock before and behind missed, and none comes at once after.
  ip_transmit_t packet_q;
  ip_address_t next_hop_q;
  logic missed_before_q;
  always_ff @(posedge clk) begin
    packet_q        <= missed_packet;
    next_hop_q      <= missed_next_hop;
    missed_before_q <= missed && !rst;
    if (Registers && past_q) begin
      if (missed || missed_before_q)
        assume (missed_packet == packet_q && missed_next_hop == next_hop_q);
      if (missed_before_q) assume (!missed);
      if (rst) assume (!missed);
    end
  end

  // Packets inside: those missed, less those that left or were counted (a clock late).
  logic [7:0] missed_q, left_q, dropped_q;
  ip_transmit_t kept_packet_q;
  ip_address_t kept_next_hop_q;
  logic learnt_q;  // since the packet that is kept came
  logic [7:0] held;

  // What was missed in the clock before is not inside yet, where it replaces nothing.
  logic comes;

  assign comes = Registers && dut.load && dut.state_q == '0;
  assign held  = missed_q - left_q - dropped_q - 8'(dropped) - 8'(comes);

  always_ff @(posedge clk) begin
    missed_q  <= missed_q + 8'(missed);
    left_q    <= left_q + 8'(valid && ready);
    dropped_q <= dropped_q + 8'(dropped);
    if (dut.load) begin
      kept_packet_q   <= missed_packet;
      kept_next_hop_q <= missed_next_hop;
    end
    // One that comes beside or behind the answer to its own question has it, too.
    learnt_q <= (!dut.load || (dut.state_q != '0 && missed_next_hop == kept_next_hop_q))
        && (learnt_q || (learnt && learnt_ip == kept_next_hop_q));

    if (rst) begin
      missed_q  <= '0;
      left_q    <= '0;
      dropped_q <= '0;
    end
  end

  // A packet to the next hop that is waited for already is the latest, and is kept.
  logic same_q;
  always_ff @(posedge clk)
    same_q <= !rst && missed && dut.state_q == 2'd1 && missed_next_hop == kept_next_hop_q;

  always_ff @(posedge clk) begin
    if (past_q && !rst) begin
      assert (held == 8'(dut.state_q != '0));
      if (dut.state_q != '0)
        assert (m_packet == kept_packet_q && dut.next_hop_q == kept_next_hop_q);
      if (dut.state_q == 2'd1) assert (!learnt_q);
      if (dut.state_q > 2'd1) assert (learnt_q);
      if (same_q) assert (dropped);
    end
  end

  always_ff @(posedge clk) begin
    cover (past_q && !rst && left_q == 8'd1 && dropped_q == 8'd1 && missed);
    cover (past_q && !rst && dut.old_q && missed && missed_next_hop != kept_next_hop_q);
    cover (past_q && !rst && valid && missed);
    cover (past_q && !rst && dropped && dut.state_q == '0);
  end

endmodule
