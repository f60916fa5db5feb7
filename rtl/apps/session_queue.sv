// SPDX-License-Identifier: Apache-2.0

// Queue of sessions that want attention: each connection is in it at most once, so it cannot
// overflow, and who pushes never waits for who pops.
//
// Pushing a session whose id is queued already changes nothing but the generation: the newest
// counts. Order is first in, first out.
//
// Latency    5 clocks from push to m_valid, when empty.
// Throughput one push or pop every 2 clocks; where both want to, they take turns.
// Start      the memory is cleared for Connections clocks after reset; s_ready is low so long.
module session_queue
  import app_pkg::*;
#(
  parameter  int Connections = 64,
  localparam int IdWidth     = $clog2(Connections)
) (
  input  logic     clk,
  input  logic     rst,

  input  session_t s_session,
  input  logic     s_valid,
  output logic     s_ready,

  output session_t m_session,
  output logic     m_valid,
  input  logic     m_ready
);

  if (Connections < 2 || 2 ** IdWidth != Connections) begin : gen_check_connections
    $error("Connections must be a power of two, at least 2.");
  end

  typedef logic [IdWidth-1:0] id_t;

  typedef struct packed {
    logic                       queued;
    logic [GenerationWidth-1:0] generation;
  } entry_t;

  typedef enum logic [1:0] {
    StClear,
    StIdle,
    StPush,  // the entry of the session that is pushed has been read
    StPop    // that of the head of the queue
  } state_e;

  state_e state_q, state_d;
  id_t clear_q, read_id, write_id, head_id;
  entry_t entry, new_entry;
  logic read, write, append, head_valid, remove, take;
  logic pushed_q;  // since the last pop: it is the pop's turn
  logic [$clog2(Connections+1)-1:0] unused_count;
  logic unused_ready;

  ram_simple_dual_port #(
    .Width($bits(entry_t)),
    .Depth(Connections)
  ) entries (
    .clk,
    .write_enable_i (write),
    .write_address_i(write_id),
    .write_data_i   (new_entry),
    .read_enable_i  (read),
    .read_address_i (read_id),
    .read_data_o    (entry)
  );

  stream_fifo #(
    .T    (id_t),
    .Depth(Connections)
  ) order (
    .clk,
    .rst,
    .s_data (id_t'(s_session.id)),
    .s_valid(append),
    .s_ready(unused_ready),
    .m_data (head_id),
    .m_valid(head_valid),
    .m_ready(remove),
    .count_o(unused_count)
  );

  assign take = !m_valid || m_ready;

  always_comb begin
    state_d   = state_q;
    read      = 1'b0;
    read_id   = id_t'(s_session.id);
    write     = 1'b0;
    write_id  = id_t'(s_session.id);
    new_entry = '{queued: 1'b1, generation: s_session.generation};
    append    = 1'b0;
    remove    = 1'b0;
    s_ready   = 1'b0;

    unique case (state_q)
      StClear: begin
        write     = 1'b1;
        write_id  = clear_q;
        new_entry = '0;
        if (clear_q == '1) state_d = StIdle;
      end
      StIdle: begin
        read = 1'b1;
        if (head_valid && take && (pushed_q || !s_valid)) begin
          read_id = head_id;
          state_d = StPop;
        end else if (s_valid) begin
          state_d = StPush;
        end
      end
      StPush: begin
        write   = 1'b1;
        append  = !entry.queued;
        s_ready = 1'b1;
        state_d = StIdle;
      end
      StPop: begin
        write     = 1'b1;
        write_id  = head_id;
        new_entry = '{queued: 1'b0, generation: entry.generation};
        remove    = 1'b1;
        state_d   = StIdle;
      end
    endcase
  end

  always_ff @(posedge clk) begin
    state_q <= state_d;
    clear_q <= clear_q + 1'b1;
    if (state_q == StPush) pushed_q <= 1'b1;
    if (state_q == StPop) pushed_q <= 1'b0;
    if (m_ready) m_valid <= 1'b0;
    if (state_q == StPop) begin
      m_valid   <= 1'b1;
      m_session <= '{generation: entry.generation, id: SessionIdWidth'(head_id)};
    end

    if (rst) begin
      state_q  <= StClear;
      clear_q  <= '0;
      pushed_q <= 1'b0;
      m_valid  <= 1'b0;
    end
  end

endmodule
