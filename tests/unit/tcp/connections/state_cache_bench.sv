// SPDX-License-Identifier: Apache-2.0

// state_cache with a stand-in for the connection pipeline that counts: the n-th event of a connection
// must find n - 1 and the mark of the event before it.
module state_cache_bench
  import tcp_pkg::*;
  import line_memory_pkg::*;
  import toe_config_pkg::*;
#(
  parameter  int Connections   = 64,
  parameter  int Entries       = 16,
  parameter  int Ways          = 4,
  parameter  int Policy        = 0,
  parameter  int Misses        = 16,
  parameter  int Parked        = 64,
  parameter  int CommitLatency = 6,
  localparam int IdWidth       = $clog2(Connections)
) (
  input  logic               clk,
  input  logic               rst,
  output logic               init_done_o,

  // Of the event: 0 count on, 1 only look, 2 close, 3 count on and remember a gap.
  input  logic [        1:0] s_op,
  input  logic               s_named,   // it is of a connection
  input  logic [IdWidth-1:0] s_id,
  input  logic [       15:0] s_mark,
  input  logic               s_valid,
  output logic               s_ready,
  input  logic               stall_i,   // the pipeline takes nothing

  output logic               done_valid,
  output logic [        1:0] done_op,
  output logic               done_named,
  output logic [IdWidth-1:0] done_id,
  output logic [       15:0] done_mark,
  output logic [       31:0] done_count,  // found
  output logic [       15:0] done_before,
  output logic [        3:0] done_generation,
  output logic               done_open,
  output logic               done_gap,
  output logic               done_whole,  // the rest belongs to it

  output line_request_t      m_request,
  output logic               m_request_valid,
  input  logic               m_request_ready,
  input  line_response_t     s_response,
  input  logic               s_response_valid,

  output cache_counts_t      counts_o,
  output logic [       15:0] parked_o,
  output logic [       15:0] parked_most_o,
  output logic [       15:0] lines_most_o
);

  tcp_event_t s_event, m_event;
  logic [IdWidth-1:0] m_id;
  logic m_valid, m_ready, accept, conflict;
  connection_t found, left;
  logic write;

  always_comb begin
    s_event = '0;
    s_event.kind = EvSegment;
    s_event.lookup = s_named ? LookupHit : LookupMiss;
    s_event.length = s_mark;
    s_event.tag = 8'(s_op);
  end

  state_cache #(
    .Connections  (Connections),
    .Entries      (Entries),
    .Ways         (Ways),
    .Policy       (Policy),
    .Misses       (Misses),
    .Parked       (Parked),
    .CommitLatency(CommitLatency)
  ) dut (
    .clk,
    .rst,
    .init_done_o,
    .s_event,
    .s_id,
    .s_valid,
    .s_ready,
    .m_event,
    .m_id,
    .m_valid,
    .m_ready,
    .read_enable_i     (accept),
    .read_connection_o (found),
    .write_enable_i    (write),
    .write_connection_i(left),
    .m_request,
    .m_request_valid,
    .m_request_ready,
    .s_response,
    .s_response_valid,
    .counts_o,
    .parked_o,
    .parked_most_o,
    .lines_most_o
  );

  // The pipeline: two events of one connection so far apart that nothing need be forwarded.
  typedef struct packed {
    logic               valid;
    logic               named;
    logic [1:0]         op;
    logic [IdWidth-1:0] id;
    logic [15:0]        mark;
  } step_t;

  step_t steps_q[CommitLatency];
  connection_t states_q[CommitLatency];

  always_comb begin
    conflict = 1'b0;
    for (int i = 0; i < CommitLatency; i++) begin
      if (steps_q[i].valid && steps_q[i].named && steps_q[i].id == m_id) conflict = 1'b1;
    end
  end

  assign m_ready = !stall_i && !(conflict && names_connection(m_event));
  assign accept = m_valid && m_ready;

  // A number that is different for each state of each connection.
  function automatic logic [63:0] token(input logic [IdWidth-1:0] id, input logic [31:0] count);
    return {count, 32'(id)} ^ 64'h9e37_79b9_7f4a_7c15;
  endfunction

  always_ff @(posedge clk) begin
    steps_q[0] <= '{
        valid: accept,
        named: names_connection(m_event),
        op: m_event.tag[1:0],
        id: m_id,
        mark: m_event.length
    };
    states_q[2] <= found;
    for (int i = 1; i < CommitLatency; i++) begin
      steps_q[i] <= steps_q[i-1];
      if (i != 2) states_q[i] <= states_q[i-1];
    end
    if (rst) for (int i = 0; i < CommitLatency; i++) steps_q[i].valid <= 1'b0;
  end

  function automatic piece_t gap_of(input connection_t c);
    return
    '{
        valid: 1'b1,
        fin: c.rcv_nxt[0],
        left: c.rcv_nxt + 32'd100,
        right: c.rcv_nxt + 32'd200 + c.snd_una
    }
    ;
  endfunction

  step_t last;
  connection_t state;
  assign last = steps_q[CommitLatency-1];
  assign state = states_q[CommitLatency-1];

  assign write = last.valid && last.named && last.op != 2'd1;

  always_comb begin
    left = '0;
    left.generation = state.generation;
    if (last.op == 2'd2) begin
      left.generation = state.generation + 1'b1;
    end else begin
      left.state = TcpEstablished;
      left.snd_una = state.snd_una + 32'd1;
      left.snd_nxt = left.snd_una;
      left.snd_max = left.snd_una;
      left.snd_end = left.snd_una;
      left.ts_recent = 32'(last.mark);
      left.tuple = token(last.id, left.snd_una);
      left.rcv_nxt = left.tuple[31:0];
      left.rcv_read = left.rcv_nxt;
      left.rcv_edge = left.rcv_nxt;
      left.recover = left.snd_una;
      if (last.op == 2'd3) begin
        left.recovering = 1'b1;
        left.retransmitted = last.mark;
        left.stored[1] = gap_of(left);
      end
    end
  end

  assign done_valid = last.valid;
  assign done_op = last.op;
  assign done_named = last.named;
  assign done_id = last.id;
  assign done_mark = last.mark;
  assign done_count = state.snd_una;
  assign done_before = state.ts_recent[15:0];
  assign done_generation = state.generation;
  assign done_open = state.state == TcpEstablished;
  assign done_gap = state.recovering;

  always_comb begin
    done_whole = state.stored[0] == '0;
    if (state.state == TcpEstablished) begin
      if (state.tuple != token(last.id, state.snd_una)) done_whole = 1'b0;
      if (state.rcv_nxt != state.tuple[31:0] || state.snd_end != state.snd_una) done_whole = 1'b0;
    end else if (state.tuple != '0) begin
      done_whole = 1'b0;
    end
    if (state.recovering ? state.stored[1] != gap_of(
            state
        ) || state.retransmitted != done_before : state.stored[1] != '0)
      done_whole = 1'b0;
  end

endmodule
