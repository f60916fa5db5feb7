// SPDX-License-Identifier: Apache-2.0

// packet_fifo: what leaves is every beat of every packet kept, in order, and of no other packet;
// nothing of a packet leaves before all of it is stored; each packet is kept, dropped for its
// error, or lost for want of room, and the last only when it had to be; packets_o is exact.
module packet_fifo_props #(
  parameter int Depth        = 4,
  parameter bit DropWhenFull = 1'b0
) (
  input logic        clk,
  input logic        rst,
  input logic [15:0] s_data,
  input logic [ 1:0] s_keep,
  input logic        s_last,
  input logic        s_error,
  input logic        s_valid,
  input logic        m_ready,
  input logic [ 5:0] watched_index
);

  localparam int CountWidth = $clog2(Depth + 1);

  logic s_ready, m_last, m_valid, dropped_o, overflow_o;
  logic [15:0] m_data;
  logic [1:0] m_keep;
  logic [CountWidth-1:0] packets_o;

  packet_fifo #(
    .DataWidth   (16),
    .Depth       (Depth),
    .DropWhenFull(DropWhenFull)
  ) dut (
    .*
  );

  logic started = 1'b0;
  logic watched_known_q = 1'b0;
  logic [5:0] watched_index_q;

  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started) assume (rst);
    if (watched_known_q) assume (watched_index == watched_index_q);
    watched_index_q <= watched_index;
    watched_known_q <= 1'b1;
  end

  logic s_first;

  packet_contract #(
    .DataWidth(16),
    .Assume   (1'b1)
  ) s_contract (
    .clk,
    .rst,
    .data   (s_data),
    .keep   (s_keep),
    .last   (s_last),
    .error  (s_error),
    .valid  (s_valid),
    .ready  (s_ready),
    .first_o(s_first)
  );

  logic m_first;

  packet_contract #(
    .DataWidth(16)
  ) m_contract (
    .clk,
    .rst,
    .data   (m_data),
    .keep   (m_keep),
    .last   (m_last),
    .error  (1'b0),
    .valid  (m_valid),
    .ready  (m_ready),
    .first_o(m_first)
  );

  // The beats that came to stay are numbered; one number is watched. A packet is kept if at its end
  // neither pulse comes up in the next clock: what the module does at its end is compared with
  // that.
  logic beat, ends, kept;
  assign beat = s_valid && s_ready;
  assign ends = beat && s_last;
  assign kept = dut.keep_packet;

  logic [5:0] stored_q = '0;  // beats of kept packets
  logic [5:0] arriving_q = '0;  // beats of the packet that is arriving
  logic [5:0] left_q = '0;  // beats that have left
  logic [5:0] packets_in_q = '0, packets_out_q = '0;
  logic [5:0] room_used;
  logic crowded_q = 1'b0;  // this packet has met a full memory
  logic candidate_q = 1'b0;  // the beat watched is in the packet that is arriving
  logic watching_q = 1'b0;  // it is in a packet that was kept
  logic [17:0] watched_q;  // the beat as the memory has it: last, upper lane kept, data
  logic ends_q = 1'b0, kept_q, error_q, long_q, crowded_end_q;

  assign room_used = stored_q + arriving_q - left_q;

  always_ff @(posedge clk) begin
    ends_q        <= ends && !rst;
    kept_q        <= kept;
    error_q       <= s_error;
    long_q        <= arriving_q >= 6'(Depth);
    crowded_end_q <= crowded_q || room_used >= 6'(Depth);

    if (beat) begin
      arriving_q <= arriving_q + 1'b1;
      crowded_q  <= crowded_q || room_used >= 6'(Depth);
      if (!watching_q && !candidate_q && stored_q + arriving_q == watched_index) begin
        candidate_q <= 1'b1;
        watched_q   <= {s_last, s_keep[1], s_data};
      end
      if (s_last) begin
        arriving_q  <= '0;
        crowded_q   <= 1'b0;
        candidate_q <= 1'b0;
        if (kept) begin
          stored_q     <= stored_q + arriving_q + 1'b1;
          packets_in_q <= packets_in_q + 1'b1;
          if (candidate_q || (!watching_q && stored_q + arriving_q == watched_index))
            watching_q <= 1'b1;
        end
      end
    end
    if (m_valid && m_ready) begin
      left_q <= left_q + 1'b1;
      if (m_last) packets_out_q <= packets_out_q + 1'b1;
    end

    if (rst) begin
      stored_q      <= '0;
      arriving_q    <= '0;
      left_q        <= '0;
      packets_in_q  <= '0;
      packets_out_q <= '0;
      crowded_q     <= 1'b0;
      candidate_q   <= 1'b0;
      watching_q    <= 1'b0;
    end
  end

  // What ties the pointers, the memory and the output stages to these counts.
  logic [3:0] waiting, tentative;  // beats in the memory of packets kept, and of the one arriving
  logic [5:0] ahead, offset;  // of the watched beat, before it in the module and in its packet
  logic [1:0] memory_place, newest;
  logic [17:0] place_word, newest_word;

  assign waiting      = 4'(3'(dut.commit_q - dut.read_q));
  assign tentative    = 4'(3'(dut.write_q - dut.commit_q));
  assign ahead        = watched_index - left_q;
  assign offset       = watched_index - stored_q;
  assign memory_place = candidate_q ? 2'(6'(dut.commit_q) + offset)
      : 2'(6'(dut.read_q) + ahead - 6'(m_valid) - 6'(dut.ram_valid_q));
  assign newest       = 2'(dut.commit_q - 3'd1);
  assign place_word   = dut.gen_ram[0].ram.memory[memory_place];
  assign newest_word  = dut.gen_ram[0].ram.memory[newest];

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      assert (waiting + tentative <= 4'(Depth) && waiting <= 4'(Depth) && tentative <= 4'(Depth));
      assert (stored_q - left_q == 6'(waiting) + 6'(dut.ram_valid_q) + 6'(m_valid));
      assert (dut.last_of_room_q == 3'(dut.end_of_room - 1'b1));
      assert (left_q <= stored_q);
      assert (s_first == (arriving_q == '0));
      if (!dut.discard_q) assert (arriving_q == 6'(tentative));
      if (dut.discard_q)
        assert (arriving_q != '0 && (DropWhenFull ? crowded_q : arriving_q >= 6'(Depth)));
      if (dut.discard_q && !DropWhenFull) assert (tentative == 4'(Depth));
      if (dut.too_long_q) assert (!DropWhenFull && tentative == 4'(Depth));
      if (waiting + tentative == 4'(Depth)) assert (dut.full_q);
      if (dut.full_q)
        assert (waiting + tentative == 4'(Depth)
            || (dut.ram_valid_q && waiting + tentative == 4'(Depth - 1)));

      assert (watching_q == (watched_index < stored_q));
      assert (candidate_q == (!watching_q && offset < arriving_q));
      if (watching_q && watched_index >= left_q) begin
        if (ahead >= 6'(m_valid) + 6'(dut.ram_valid_q))
          assert (place_word == watched_q);
          else if (ahead >= 6'(m_valid)) assert (dut.read_word == watched_q);
      end
      if (candidate_q && !dut.discard_q) assert (place_word == watched_q);

      // Each beat in the module is full or a last one, and the newest kept one is a last one.
      for (int i = 0; i < Depth; i++) begin
        if (4'(2'(2'(i) - dut.read_q[1:0])) < waiting + tentative && waiting + tentative != '0)
          assert (dut.gen_ram[0].ram.memory[i][17:16] != '0);
      end
      if (dut.ram_valid_q) assert (dut.read_word[17:16] != '0);
      if (waiting != '0)
        assert (newest_word[17]);
        else if (dut.ram_valid_q)
          assert (dut.read_word[17]);
          else if (m_valid) assert (m_last);
    end
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      assume (stored_q < 6'd50 && arriving_q < 6'd50);

      // Only wholly stored packets leave, in order, unchanged, and to their end.
      if (m_valid) assert (left_q < stored_q);
      if (m_valid && watching_q && left_q == watched_index) begin
        assert ({m_last, m_keep, m_data} == {watched_q[17:16], 1'b1, watched_q[15:0]});
      end
      assert (packets_o == CountWidth'(packets_in_q - packets_out_q));
      if (stored_q == left_q) assert (m_first);

      // The fate of each packet.
      if (ends_q) begin
        assert (kept_q == (!dropped_o && !overflow_o));
        assert (dropped_o == error_q);
        if (overflow_o) assert (DropWhenFull ? crowded_end_q : long_q);
        if (!error_q && long_q) assert (overflow_o);
      end else begin
        assert (!dropped_o && !overflow_o);
      end
      if (DropWhenFull) assert (s_ready);
    end

    cover (started && !rst && ends_q && dropped_o && left_q == 6'd2);
    cover (started && !rst && ends_q && overflow_o && left_q == 6'd2);
    cover (started && !rst && packets_o == CountWidth'(Depth - 1) && left_q == 6'd2);
    cover (started && !rst && m_valid && watching_q && left_q == watched_index
        && watched_index == 6'd4 && !watched_q[17]);
  end

endmodule
