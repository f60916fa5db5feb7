// SPDX-License-Identifier: Apache-2.0

// write_splitter: of each command, each byte of its pieces is stored by the command that its piece gets
// at the place where the whole command has it, or not at all if that leaves it out; a command becomes
// as many as it has pieces, RxDeliver one without any, and nothing comes without its cause.
//
// For any neighbours; commands follow the rule of streams. Numbers are small ones.
module write_splitter_props
  import seq_pkg::*;
  import tcp_pkg::*;
(
  input logic        clk,
  input logic        rst,
  input logic [ 4:0] piece_length,
  input logic        piece_last,
  input logic        piece_valid,
  input rx_command_t command_any,
  input logic [ 1:0] s_id,
  input logic        s_valid,
  input logic        m_ready,
  input logic [ 6:0] watched        // an arbitrary byte of the command
);

  rx_command_t s_command, m_command;
  logic piece_ready, s_ready, m_valid;
  logic [1:0] m_id;

  always_comb begin
    s_command        = '0;
    s_command.kind   = command_any.kind;
    s_command.seq    = 32'(command_any.seq[3:0]);
    s_command.skip   = 16'(command_any.skip[6:0]);
    s_command.length = 16'(command_any.length[6:0]);
  end

  write_splitter #(
    .Connections(4),
    .Pieces     (4)
  ) dut (
    .clk,
    .rst,
    .s_piece_length(16'(piece_length)),
    .s_piece_last  (piece_last),
    .s_piece_valid (piece_valid),
    .s_piece_ready (piece_ready),
    .s_command,
    .s_id,
    .s_valid,
    .s_ready,
    .m_command,
    .m_id,
    .m_valid,
    .m_ready
  );

  stream_contract #(
    .Width ($bits(rx_command_t) + 2),
    .Assume(1'b1)
  ) s_contract (
    .clk,
    .rst,
    .data ({s_command, s_id}),
    .valid(s_valid),
    .ready(s_ready)
  );
  stream_contract #(
    .Width($bits(rx_command_t) + 2)
  ) m_contract (
    .clk,
    .rst,
    .data ({m_command, m_id}),
    .valid(m_valid),
    .ready(m_ready)
  );

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started)
      assume (rst);
      else assume (!rst);
    if (s_valid)
      assume (s_command.kind == RxDrop || s_command.kind == RxWrite || s_command.kind == RxDeliver);
  end

  // Bytes of the command's earlier pieces, and how many of them it stored.
  logic [15:0] before_q, done;
  logic deliver, goes;
  assign deliver = s_command.kind == RxDeliver;
  assign goes    = m_valid && m_ready;

  always_comb begin
    done = before_q > s_command.skip ? before_q - s_command.skip : '0;
    if (done > s_command.length) done = s_command.length;
  end

  always_ff @(posedge clk) begin
    if (goes && !deliver) before_q <= s_ready ? '0 : before_q + dut.entry.length;
    if (rst) before_q <= '0;
    // As many as fit into an event.
    assume (before_q < 16'd96);
  end

  // The watched byte, where this piece has it.
  logic here, stored, wanted;
  logic [15:0] offset;
  seq_t place, right;
  assign offset = 16'(watched) - before_q;
  assign here   = 16'(watched) >= before_q && offset < dut.entry.length;
  assign stored = m_command.kind == RxWrite && offset >= m_command.skip
      && offset - m_command.skip < m_command.length;
  assign place  = m_command.seq + 32'(offset - m_command.skip);
  assign wanted = s_command.kind == RxWrite && 16'(watched) >= s_command.skip
      && 16'(watched) - s_command.skip < s_command.length;
  assign right  = s_command.seq + 32'(16'(watched) - s_command.skip);

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      // What is left of a command.
      if (dut.inner_q) begin
        assert (s_valid && !deliver);
        assert (dut.rest_q.skip == (s_command.skip > before_q ? s_command.skip - before_q : 16'd0));
        assert (dut.rest_q.seq == s_command.seq + 32'(done));
        assert (dut.rest_q.length == s_command.length - done);
      end else begin
        assert (before_q == '0);
      end

      if (m_valid) assert (s_valid && m_id == s_id && m_command.kind == s_command.kind);
      if (m_valid && deliver) assert (m_command == s_command && s_ready == m_ready);
      if (m_valid && !deliver) begin
        assert (dut.entry_valid && s_ready == (m_ready && dut.entry.last));
        if (here) assert (stored == wanted && (!stored || place == right));
      end
      if (s_ready) assert (!s_valid || goes);
      assert (dut.entry_taken == (goes && !deliver));
    end

    cover (started && !rst && goes && dut.inner_q && here && stored && m_command.skip != '0);
    cover (started && !rst && goes && dut.inner_q && dut.entry.last && m_command.length == '0);
    cover (started && !rst && goes && deliver && dut.entry_valid);
    cover (started && !rst && s_valid && !deliver && !m_valid && dut.inner_q);
  end

endmodule
