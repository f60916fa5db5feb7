// SPDX-License-Identifier: Apache-2.0

// transmit_buffer with a window: announcements, packets and reports, around abstract writers, readers and
// windows of any speed.
//   Each announcement has one report, in order, with its own connection's name; its length is what was
//   stored, 0 of what was withdrawn or went early.
//   Nobody who does not take reports holds up data or a read: data waits for the writer alone, and a read
//   outside the window for the early packets of its connection that are not stored, never longer.
// Assumed: packets come when they are announced.
module transmit_buffer_props
  import app_pkg::*;
  import seq_pkg::*;
(
  input logic        clk,
  input logic        rst,
  input logic        s_write_id,
  input seq_t        s_write_seq,
  input logic [15:0] s_write_length,
  input session_t    s_write_session,
  input logic        s_write_early,
  input logic        s_write_valid,
  input logic [15:0] s_data,
  input logic        s_last,
  input logic        s_error,
  input logic        s_valid,
  input logic        m_written_ready,
  input logic        s_read_id,
  input seq_t        s_read_seq,
  input logic [15:0] s_read_length,
  input logic        s_read_valid,
  input logic        m_read_ready,
  input logic        release_id_i,
  input logic        release_i
);

  logic s_write_ready, s_ready, m_written_id, m_written_valid, s_read_ready;
  logic m_read_last, m_read_valid;
  logic [15:0] m_written_length, m_read_data;
  logic [1:0] m_read_keep;
  session_t m_written_session;

  // Where the rings lie in DRAM; here they do not.
  burst_memory_pkg::burst_t m_ring_read_burst, m_ring_write_burst;
  logic m_ring_read_valid, m_ring_write_valid, m_ring_last, m_ring_valid;
  logic [15:0] m_ring_data;
  logic [1:0] m_ring_strobe;

  transmit_buffer #(
    .DataWidth  (16),
    .Connections(2),
    .RingBytes  (8),
    .Messages   (4)
  ) dut (
    .*,
    .s_keep            (2'b11),
    .s_write_there     (1'b0),
    .free_id_i         ('0),
    .free_range_i      ('0),
    .free_i            (1'b0),
    .read_begun_i      (1'b0),
    .read_done_i       (1'b0),
    .free_room_o       (),
    .page_freed_o      (),
    .m_page_line       (),
    .m_page_line_valid (),
    .m_page_line_ready ('0),
    .s_page_line       ('0),
    .s_page_line_valid ('0),
    .m_ring_read_ready (1'b0),
    .s_ring_data       (16'd0),
    .s_ring_valid      (1'b0),
    .m_ring_write_ready(1'b0),
    .m_ring_ready      (1'b0),
    .ring_written_i    (1'b0)
  );

  logic started = 1'b0;

  always_ff @(posedge clk) begin
    started <= 1'b1;
    assume (rst == !started);
  end

  stream_contract #(
    .Width ($bits(session_t) + 50),
    .Assume(1'b1)
  ) write_contract (
    .clk,
    .rst,
    .data ({s_write_session, s_write_id, s_write_early, s_write_seq, s_write_length}),
    .valid(s_write_valid),
    .ready(s_write_ready)
  );

  stream_contract #(
    .Width($bits(session_t) + 17)
  ) written_contract (
    .clk,
    .rst,
    .data ({m_written_session, m_written_id, m_written_length}),
    .valid(m_written_valid),
    .ready(m_written_ready)
  );

  // ---- What was announced, and how far each packet has come

  typedef struct packed {
    logic     id;
    logic     early;
    session_t session;
  } write_t;

  write_t [7:0] write_q;
  logic [7:0][15:0] told_q;  // what the report is to tell
  logic [2:0] announced_q = '0, come_q = '0, stored_q = '0, reported_q = '0;

  always_ff @(posedge clk) begin
    if (started) begin
      assume (announced_q != '1);  // a run is short
      assume (s_write_seq == '0 && s_read_seq == '0);
      assume (s_write_length <= 16'd2 && s_read_length <= 16'd3);
      assume (s_read_length != '0);
      assume (!s_valid || come_q != announced_q);
    end
    if (s_write_valid && s_write_ready) begin
      announced_q <= announced_q + 1'b1;
      write_q[announced_q] <= '{
          id: s_write_id, early: s_write_early, session: s_write_session
      };
    end
    if (s_valid && s_ready && s_last) begin
      come_q <= come_q + 1'b1;
      told_q[come_q] <= s_error || write_q[come_q].early ? '0 : s_data;
    end
    if (dut.stored) stored_q <= stored_q + 1'b1;
    if (m_written_valid && m_written_ready) reported_q <= reported_q + 1'b1;
    if (rst) begin
      announced_q <= '0;
      come_q      <= '0;
      stored_q    <= '0;
      reported_q  <= '0;
    end
  end

  // Early packets of the connection that is read.
  logic unstored;

  always_comb begin
    unstored = 1'b0;
    for (int i = 0; i < 8; i++) begin
      if (3'(i) >= stored_q && 3'(i) < announced_q && write_q[i].early) begin
        if (write_q[i].id == s_read_id) unstored = 1'b1;
      end
    end
  end

  logic free;  // for a read: the place that it waits in

  assign free = !dut.gen_window.lookup_valid_q || dut.gen_window.lookup_taken;

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      assert (3'(announced_q - reported_q) <= 3'd4);
      if (m_written_valid) begin
        assert (reported_q != come_q);
        assert (m_written_id == write_q[reported_q].id);
        assert (m_written_session == write_q[reported_q].session);
        assert (m_written_length == told_q[reported_q]);
      end

      // The writer's word is taken at once, and data waits for the writer alone.
      if (dut.done_valid && come_q != stored_q) assert (dut.stored);
      if (come_q != announced_q) assert (s_ready == dut.data_ready);

      if (s_read_valid && free
          && !(s_write_valid && s_write_early && s_write_id == s_read_id)) begin
        assert (s_read_ready == (s_read_length[0] || !unstored));
      end
    end

    cover (started && !rst && announced_q == 3'd4 && stored_q == 3'd4 && reported_q == '0);
    cover (started && !rst && s_read_valid && s_read_ready && !s_read_length[0] && reported_q == '0
        && stored_q == 3'd1 && write_q[0].early && write_q[0].id == s_read_id);
    cover (started && !rst && s_read_valid && !s_read_ready && unstored && free);
    cover (started && !rst && reported_q == 3'd5);
    cover (started && !rst && m_written_valid && told_q[1] == '0 && !write_q[1].early
        && reported_q == 3'd1);
  end


endmodule
