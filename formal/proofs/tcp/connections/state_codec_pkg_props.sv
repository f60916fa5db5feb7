// SPDX-License-Identifier: Apache-2.0

// state_codec_pkg: a state that went through DRAM is the one it was, whatever it was, as far as what TCP
// keeps to: distances within the rings, a window of less than 8 MiB beside what is acknowledged.
//
// Without its extension nothing changes but gaps, recovery, notices and statistics.
module state_codec_pkg_props
  import tcp_pkg::*;
  import app_pkg::*;
  import seq_pkg::seq_t;
  import state_codec_pkg::*;
(
  input logic                      clk,
  input connection_t               c,
  input logic [SessionIdWidth-1:0] id
);

  localparam seq_t Ring = 32'd1 << 20;

  // What there can be.
  logic possible;
  always_comb begin
    possible = c.snd_nxt - c.snd_una <= Ring + 2 && c.snd_max - c.snd_una <= Ring + 2
        && c.snd_end - c.snd_una + 32'd1 <= Ring + 3
        && c.snd_limit - c.snd_una + 32'd1000 < 32'h80_0000
        && c.rcv_nxt - c.rcv_read <= Ring + 2 && c.rcv_edge - c.rcv_nxt + 32'd1 <= Ring
        && c.rcv_nxt - c.snd_wl1 + 32'hf_ffff < 32'h1f_fffe
        && c.rcv_nxt - c.rcv_acked <= Ring + 2 && c.rtt_seq - c.snd_una <= Ring + 2
        && c.recover - c.snd_una <= Ring + 2 && c.rtx_next - c.snd_una <= Ring + 2
        && (c.rcv_up - c.rcv_read <= Ring + 32'hffff || c.rcv_read - c.rcv_up < 32'h4000_0000)
        && c.mss[15:14] == '0 && c.rto[31:26] == '0
        && c.cwnd <= CwndMax && c.ssthresh <= CwndMax && c.cwnd_credit <= CwndMax
        && c.state != TcpClosed;
    for (int i = 0; i < Gaps; i++) begin
      if (c.stored[i].valid ? c.stored[i].right - c.rcv_nxt > Ring + 2
          || c.stored[i].left - c.rcv_nxt >= c.stored[i].right - c.rcv_nxt : c.stored[i] != '0)
        possible = 1'b0;
      if (c.sacked[i].valid ? c.sacked[i].right - c.snd_una > Ring + 2
          || c.sacked[i].left - c.snd_una >= c.sacked[i].right - c.snd_una : c.sacked[i] != '0)
        possible = 1'b0;
    end
  end

  // What it is afterwards, said without the codec. `near` numbers that say the same are the same.
  function automatic connection_t after(input connection_t was, input logic extended);
    connection_t a;
    logic urgent = was.rcv_up - was.rcv_read <= Ring + 32'hffff;
    a = was;
    a.challenge_us[15:0] = '0;
    a.round_flight = '0;
    a.snd_wl2 = was.snd_una;
    // Urgent data that the application has taken is none any more.
    if (!urgent || !extended) a.rcv_up = was.rcv_read;
    if (was.ack_pending) begin
      a.rtt_timing = 1'b0;
      a.rtt_seq = was.snd_una;
      a.rtt_start = '0;
    end else begin
      a.rcv_acked = was.rcv_nxt;
      a.ack_deadline = '0;
    end
    // 4 MiB and a byte less are one for a congestion window.
    if (was.cwnd >= CwndMax - 1) a.cwnd = CwndMax;
    if (was.ssthresh >= CwndMax - 1) a.ssthresh = CwndMax;
    if (was.cwnd_credit >= CwndMax - 1) a.cwnd_credit = CwndMax;
    if (!extended) begin
      a.stored = '0;
      a.sacked = '0;
      a.recovering = 1'b0;
      a.una_lost = 1'b0;
      a.recover = was.snd_una;
      a.rtx_next = was.snd_una;
      a.report_icmp = 1'b0;
      a.report_retries = 1'b0;
      a.report_urgent = 1'b0;
      a.icmp = '0;
      a.retransmitted = '0;
      a.stored_count = '0;
      a.timeouts = '0;
    end
    return a;
  endfunction

  connection_t back, alone;
  logic gaps, notices;
  assign back = unpack_state(pack_state(c), 1'b1, pack_extension(c, id));
  assign alone = unpack_state(pack_state(c), 1'b0, pack_extension(c, id));

  assign notices = c.report_icmp || c.report_retries || c.report_urgent;

  always_comb begin
    gaps = 1'b0;
    for (int i = 0; i < Gaps; i++) gaps = gaps || c.stored[i].valid || c.sacked[i].valid;
  end

  always_ff @(posedge clk) begin
    assume (possible);
    whole : assert (back == after(c, 1'b1));
    without : assert (alone == after(c, 1'b0));
    owner : assert (owner_of(pack_extension(c, id)) == id);
    // What has no extension loses nothing that TCP goes by.
    needed :
    assert (needs_extension(
        c
    ) || (!gaps && !c.recovering && c.recover == c.snd_una && !notices &&
          back.rcv_up == back.rcv_read));
    cover (needs_extension(c) && c.ack_pending && c.stored[3].valid && c.sacked[3].valid);
    cover (!needs_extension(c) && c.rtt_timing && !c.ack_pending);
    cover (c.rcv_edge == c.rcv_nxt - 32'd1 && c.snd_end == c.snd_una - 32'd1);
  end

endmodule
