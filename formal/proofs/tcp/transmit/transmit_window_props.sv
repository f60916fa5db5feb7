// SPDX-License-Identifier: Apache-2.0

// transmit_window: what is read of any one message is what came of it, beat for beat and in order,
// whatever else comes, goes and is read; and nothing of it is found once its connection is released.
//
// Bounded. One message is watched: any, anywhere. Beats have two lanes, slots eight bytes. The caller
// is that of transmit_buffer: a read waits in one place, and claims its slot there.
module transmit_window_props
  import seq_pkg::*;
(
  input logic clk,

  input logic [ 1:0] write_seq_any,
  input logic        write_id,
  input logic [ 3:0] write_length_any,
  input logic        write,
  input logic [15:0] data,
  input logic [ 1:0] keep,
  input logic        last,
  input logic        error,
  input logic        beat,
  input logic        release_id,
  input logic        released,
  input logic        read_id,
  input logic [ 1:0] read_seq_any,
  input logic [ 3:0] read_length_any,
  input logic        read_any,
  input logic        m_ready,

  // Arbitrary constants: the message watched, and one of its beats.
  input logic       watched_id,
  input logic [1:0] watched_seq,
  input logic [1:0] watched_beat
);

  localparam int Messages = 2;
  localparam int MaxBytes = 8;

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic id_q;
  logic [1:0] seq_q, beat_q;
  always_ff @(posedge clk) begin
    {id_q, seq_q, beat_q} <= {watched_id, watched_seq, watched_beat};
    if (!rst) assume ({id_q, seq_q, beat_q} == {watched_id, watched_seq, watched_beat});
  end

  logic hit, ready, active, m_last, m_valid, claim_q, claim_watched_q, read;
  logic slot, claim_slot_q;
  logic [3:0] claim_length_q;
  logic [15:0] m_data;
  logic [1:0] m_keep;

  transmit_window #(
    .DataWidth   (16),
    .Connections (2),
    .Messages    (Messages),
    .MessageBytes(MaxBytes)
  ) dut (
    .clk,
    .rst,
    .write_id_i    (write_id),
    .write_seq_i   (32'(write_seq_any)),
    .write_length_i(16'(write_length_any)),
    .write_i       (write),
    .data_i        (data),
    .keep_i        (keep),
    .last_i        (last),
    .error_i       (error),
    .beat_i        (beat),
    .release_id_i  (release_id),
    .release_i     (released),
    .read_id_i     (read_id),
    .read_seq_i    (32'(read_seq_any)),
    .read_length_i (16'(read_length_any)),
    .hit_o         (hit),
    .slot_o        (slot),
    .claim_slot_i  (claim_slot_q),
    .claim_i       (claim_q),
    .length_i      (16'(claim_length_q)),
    .read_i        (read),
    .ready_o       (ready),
    .active_o      (active),
    .m_data,
    .m_keep,
    .m_last,
    .m_valid,
    .m_ready
  );

  packet_contract #(
    .DataWidth(16)
  ) m_contract (
    .clk,
    .rst,
    .data (m_data),
    .keep (m_keep),
    .last (m_last),
    .error(1'b0),
    .valid(m_valid),
    .ready(m_ready),
    .first_o()
  );

  // ---- The application: a message is announced, then its beats come. It may be shorter or longer.

  logic coming_q, watched_coming_q, announced_q, ended_q, withdrawn_q, gone_q;
  logic [3:0] came_q;  // beats
  logic announces;

  assign announces = write && write_id == watched_id && write_seq_any == watched_seq;

  always_ff @(posedge clk) begin
    if (!rst) begin
      assume (write_length_any != '0 && read_length_any != '0);
      assume (!write || !coming_q);
      assume (!beat || coming_q);
      assume (keep == 2'b11 || (last && keep == 2'b01));
      // Numbers go on, until the id belongs to another connection or the message was withdrawn.
      for (int i = 0; i < Messages; i++) begin
        assume (!(write && dut.known_q[i] && dut.message_q[i].id == write_id
                  && dut.message_q[i].seq == 32'(write_seq_any)));
      end
      assume (came_q != '1);
      // Neither is released while it is written or read.
      assume (!released || !(coming_q || write || claim_q || active || read_any));
    end else begin
      assume (!write && !beat && !released && !read_any);
    end

    if (write) begin
      coming_q         <= 1'b1;
      came_q           <= '0;
      watched_coming_q <= announces;
    end else if (beat) begin
      coming_q <= !last;
      came_q   <= came_q + 1'b1;
    end
    if (rst) begin
      coming_q         <= 1'b0;
      watched_coming_q <= 1'b0;
    end
  end

  // ---- The message watched

  logic [15:0] watched_data_q;
  logic seen_q;
  logic [3:0] length_q;

  always_ff @(posedge clk) begin
    if (announces) begin
      announced_q <= 1'b1;
      withdrawn_q <= 1'b0;
      gone_q      <= 1'b0;
      seen_q      <= 1'b0;
      length_q    <= write_length_any;
    end
    if (beat && watched_coming_q) begin
      if (came_q == 4'(watched_beat)) begin
        watched_data_q <= data;
        seen_q         <= 1'b1;
      end
      if (last && (error || {came_q, 1'b0} + 5'(keep == 2'b11 ? 2 : 1) != 5'(length_q)))
        withdrawn_q <= 1'b1;
    end
    if (released && release_id == watched_id) begin
      announced_q <= 1'b0;
      gone_q      <= 1'b1;
    end
    if (rst) begin
      announced_q <= 1'b0;
      withdrawn_q <= 1'b0;
      gone_q      <= 1'b0;
      seen_q      <= 1'b0;
    end
  end

  // ---- The reader

  logic asks_watched;
  assign asks_watched = read_id == watched_id && read_seq_any == watched_seq;
  assign read         = claim_q && ready;

  always_ff @(posedge clk) begin
    if (read_any && hit && (!claim_q || read)) begin
      claim_q         <= 1'b1;
      claim_slot_q    <= slot;
      claim_length_q  <= read_length_any;
      claim_watched_q <= asks_watched;
    end else if (read) begin
      claim_q <= 1'b0;
    end
    if (announces) claim_watched_q <= 1'b0;
    if (rst) claim_q <= 1'b0;
  end

  // Packets that are read, in order: three at most, the others begin while the first leaves.
  typedef struct packed {
    logic       watched;
    logic [3:0] length;
  } packet_t;

  packet_t packets_q[3];
  logic [1:0] count_q;
  logic [2:0] out_q;  // beat of the first of them
  logic taken, ends;

  assign taken = m_valid && m_ready;
  assign ends  = taken && m_last;

  always_ff @(posedge clk) begin
    if (ends) for (int i = 1; i < 3; i++) packets_q[i-1] <= packets_q[i];
    if (read) packets_q[2'(count_q-2'(ends))] <= '{claim_watched_q, claim_length_q};
    // What was withdrawn, and is announced again, is another message.
    if (announces) for (int i = 0; i < 3; i++) packets_q[i].watched <= 1'b0;
    count_q <= count_q + 2'(read) - 2'(ends);
    if (taken) out_q <= m_last ? '0 : out_q + 1'b1;
    if (rst) begin
      count_q <= '0;
      out_q   <= '0;
    end
  end

  // The beat watched is there now, or was before.
  logic there;
  logic [15:0] there_data, mask;
  assign there = seen_q || (beat && watched_coming_q && came_q == 4'(watched_beat));
  assign there_data = seen_q ? watched_data_q : data;
  assign mask = {{8{m_keep[1]}}, 8'hff};

  logic [3:0] length, end_q;
  assign length = packets_q[0].length;

  always_ff @(posedge clk) begin
    if (!rst) begin
      assert (active || count_q == '0);
      if (m_valid) begin
        assert (count_q != '0);
        assert (m_last == ({1'b0, out_q} == (length - 4'd1) >> 1));
        if (m_last) assert (m_keep == (length[0] ? 2'b01 : 2'b11));
        if (packets_q[0].watched && out_q == 3'(watched_beat) && !withdrawn_q) begin
          assert (there);
          assert (((m_data ^ there_data) & mask) == '0);
        end
      end
      // None that is gone is found, nor more than there is.
      if (hit && asks_watched) begin
        assert (!gone_q && announced_q);
        assert (read_length_any <= length_q && !(withdrawn_q && !coming_q));
      end
      // Whoever does not wait gets a beat within three clocks.
      if (count_q != '0 && !coming_q) end_q <= m_valid ? '0 : end_q + 1'b1;
      else end_q <= '0;
      assert (end_q <= 4'd2);
    end else begin
      end_q <= '0;
    end
  end

  logic passed_q, stored_q;  // the beat came straight, and from the RAM
  always_ff @(posedge clk) begin
    if (taken && packets_q[0].watched && out_q == 3'(watched_beat) && watched_beat != '0) begin
      if (!seen_q) passed_q <= 1'b1;
      else if (!coming_q) stored_q <= 1'b1;
    end
    if (rst) {passed_q, stored_q} <= '0;

    cover (!rst && passed_q);
    cover (!rst && stored_q && count_q == '0);
    cover (!rst && count_q == 2'd2 && packets_q[1].watched && !packets_q[0].watched);
    cover (!rst && gone_q && !hit && asks_watched && read_any);
    cover (!rst && write && claim_q && dut.taken);
  end

endmodule
