// SPDX-License-Identifier: Apache-2.0

// arp_request_limiter: no address is asked for twice within the interval, whichever it is and
// whatever else is asked for.
module arp_request_limiter_props #(
  parameter int Slots = 2
) (
  input logic        clk,
  input logic        rst,
  input logic [31:0] now_us,
  input logic        ask_i,
  input logic [31:0] ask_ip_i,
  input logic        m_request_ready,
  input logic [31:0] watched_ip  // an arbitrary address; does not change
);

  // An interval is 98 ticks; the clock that is compared is a clock behind.
  localparam logic [15:0] Guaranteed = 16'd97;

  logic [31:0] m_request;
  logic m_request_valid;

  arp_request_limiter #(.Slots(Slots)) dut (.*);

  logic started = 1'b0;
  logic [31:0] ip_q, now_us_q;
  logic [15:0] now, now_q;

  assign now   = now_us[25:10];
  assign now_q = now_us_q[25:10];

  always_ff @(posedge clk) begin
    started  <= 1'b1;
    ip_q     <= watched_ip;
    now_us_q <= now_us;
    if (!started) begin
      assume (rst);
    end else begin
      assume (watched_ip == ip_q);
      // Time passes, by less than a tick in a clock.
      assume (32'(now_us - now_us_q) < 32'd1024);
    end
  end

  // The last request for it.
  logic asked_q, taking;
  logic [15:0] asked_at_q, since;
  logic [1:0] requests_q;

  assign taking = dut.asks_q && dut.taken_ip_q == watched_ip;
  assign since  = now - asked_at_q;

  always_ff @(posedge clk) begin
    if (taking) begin
      asked_q    <= 1'b1;
      asked_at_q <= now;
      requests_q <= requests_q + 2'(requests_q != '1);
    end else if (asked_q && since >= 16'd200) begin
      asked_q <= 1'b0;  // long ago; before the counter of ticks wraps
    end

    if (rst) begin
      asked_q    <= 1'b0;
      requests_q <= '0;
    end
  end

  logic [Slots-1:0] kept, remembered;
  always_comb begin
    for (int i = 0; i < Slots; i++) begin
      kept[i] = dut.valid_q[i] && dut.slot_q[i].ip == watched_ip
          && dut.slot_q[i].asked == asked_at_q;
      remembered[i] = kept[i] && dut.age_q[i] <= since;
    end
  end


  always_ff @(posedge clk) begin
    if (started && !rst) begin
      if (taking && asked_q) assert (since >= Guaranteed);

      // Helpers for induction: as long as it matters a slot remembers it, and a question that is
      // being answered has been compared with that slot.
      assert (!asked_q || since <= 16'd201);
      if (asked_q && since < Guaranteed) assert (remembered != '0);
      if (asked_q && since < Guaranteed && dut.ask_q && dut.ip_q == watched_ip)
        assert (dut.match_q != '0);
      assert (!(dut.ask_q && dut.asks_q) && dut.asks_q == (dut.take_q != '0));
      assert (!dut.asks_q || !m_request_valid);
      for (int i = 0; i < Slots; i++) assert (!(dut.take_q[i] && dut.valid_q[i]));
      assert ($onehot0(dut.take_q));
    end

    cover (started && !rst && requests_q == 2'd1 && dut.valid_q == '1);
    cover (started && !rst && dut.ask_q && asked_q && dut.ip_q == watched_ip && !dut.asks
           && !m_request_valid);
  end

endmodule
