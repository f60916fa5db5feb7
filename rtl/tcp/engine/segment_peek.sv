// SPDX-License-Identifier: Apache-2.0

// Decides which segments go straight to the application, while they come in (tcp_peek_pkg), and
// asks the application for room for them.
//
//   head, found ---> look --> judge --> ask --> end: checksum ---> m_flag (to the event)
//                     |         ^        |                 \----> ahead: until it is committed
//   commits --> state by id ----+        +--> m_go, m_query, s_grant
//
// For each packet that tcp_receive_parser is given there is one m_go, in order: high if its payload
// goes straight. Each good one has one m_flag in the end: the same. m_verdict comes for each packet
// with m_go high: whether it was good.
//
// What the peek knows of a connection is the state as last committed, and what went straight since:
// the segments ahead, between their last byte and their commit. One ahead of the same connection
// that did not go straight forbids it to those behind: who knows what it changes.
//
// An application that takes longer than Patience to answer loses its turn: the segment goes to
// the ring. It is owed a packet still if it grants something then, or less than it was asked for:
// m_revoke asks for an empty one, marked as bad.
//
// Latency    from found to m_query 3 clocks; from the grant to m_go 1.
// Throughput a packet in 3 clocks, one that is asked for in 5 and what the application takes.
// Paths      outputs are registers, or functions of them.
module segment_peek
  import app_pkg::*;
  import seq_pkg::*;
  import tcp_pkg::*;
  import tcp_peek_pkg::*;
#(
  parameter  int Connections = 64,
  parameter  int Patience    = 48,
  localparam int IdWidth     = $clog2(Connections)
) (
  input  logic               clk,
  input  logic               rst,

  // Headers, and what the lookup made of those that were asked for.
  input  logic               s_head_asked,
  input  peeked_t            s_head,
  input  logic               s_head_valid,
  output logic               s_head_ready,
  input  logic               found_valid_i,
  input  logic               found_hit_i,
  input  logic [IdWidth-1:0] found_id_i,

  // Of every packet: a header or frame that is bad; the checksum.
  input  logic               ended_i,
  input  logic               ended_bad_i,
  input  logic               summed_i,
  input  logic               summed_good_i,

  // Commits of the pipeline; one clock later the actions, and whether they are of a segment.
  input  logic               write_enable_i,
  input  logic [IdWidth-1:0] write_id_i,
  input  connection_t        write_connection_i,
  input  logic               committed_i,

  input  logic               allowed_i,  // otherwise nothing goes straight
  input  logic               room_i,     // for one of the largest, where it goes

  output logic               m_go,
  output logic               m_go_valid,
  input  logic               m_go_ready,
  output logic               m_verdict_good,
  output logic               m_verdict_valid,
  output logic               m_revoke_valid,
  input  logic               m_revoke_ready,
  output logic               m_flag,
  output logic               m_flag_valid,
  input  logic               m_flag_ready,

  // withdrawn_i: something else is being asked; the query has not been seen.
  output app_offer_t         m_query,
  output logic               m_query_valid,
  input  logic               m_query_ready,
  input  logic               withdrawn_i,
  input  logic [       15:0] s_grant_length,
  input  logic               s_grant_valid,

  output logic               asking_o  // m_query's session is, or has not answered, or is owed
);

  localparam int Heads = 16;  // packets between their headers and their ends, at most
  localparam int Ahead = 8;
  localparam int PatienceWidth = $clog2(Patience + 1);

  typedef logic [IdWidth-1:0] id_t;

  typedef struct packed {
    logic hit;
    id_t  id;
  } found_t;

  typedef enum logic [1:0] {
    StLook,   // wait for a header's connection, read its state
    StJudge,  // may it go straight?
    StAsk,    // the application's answer
    StEnd     // the packet's end, and whether it was good
  } state_e;

  state_e state_q, state_d;

  // ---- What waits for its packet's turn ----------------------------------------------------------

  found_t found_in, found_next, found;
  logic found_waiting, found_valid, head_taken, end_bad, end_valid, sum_good, sum_valid;
  logic sum_next, sum_waiting, sum_passes;
  logic [2:0] unused_ready;
  logic [$clog2(Heads+1)-1:0] unused_count[3];

  // A sum that is waited for does not go through its queue: the last beat waits with it.
  assign sum_good   = sum_waiting ? sum_next : summed_good_i;
  assign sum_valid  = sum_waiting || summed_i;
  assign sum_passes = !sum_waiting && head_taken;

  assign found_in    = '{hit: found_hit_i, id: found_id_i};
  assign found       = found_waiting ? found_next : found_in;
  assign found_valid = found_waiting || found_valid_i;

  stream_fifo #(
    .T       (found_t),
    .Depth   (Heads),
    .BlockRam(0)
  ) founds (
    .clk,
    .rst,
    .s_data (found_in),
    .s_valid(found_valid_i),
    .s_ready(unused_ready[0]),
    .m_data (found_next),
    .m_valid(found_waiting),
    .m_ready(head_taken && s_head_asked),
    .count_o(unused_count[0])
  );

  stream_fifo #(
    .T       (logic),
    .Depth   (Heads),
    .BlockRam(0)
  ) ends (
    .clk,
    .rst,
    .s_data (ended_bad_i),
    .s_valid(ended_i),
    .s_ready(unused_ready[1]),
    .m_data (end_bad),
    .m_valid(end_valid),
    .m_ready(head_taken),
    .count_o(unused_count[1])
  );

  stream_fifo #(
    .T       (logic),
    .Depth   (Heads),
    .BlockRam(0)
  ) sums (
    .clk,
    .rst,
    .s_data (summed_good_i),
    .s_valid(summed_i && !sum_passes),
    .s_ready(unused_ready[2]),
    .m_data (sum_next),
    .m_valid(sum_waiting),
    .m_ready(head_taken),
    .count_o(unused_count[2])
  );

  assign s_head_ready = head_taken;

  // ---- State as last committed -------------------------------------------------------------------

  logic clearing_q, write_q, fresh, fresh_q;
  id_t write_id_q;
  peek_entry_t write_entry_q, entry;

  ram_simple_dual_port #(
    .Width($bits(peek_entry_t)),
    .Depth(Connections)
  ) states (
    .clk,
    .write_enable_i (write_q),
    .write_address_i(write_id_q),
    .write_data_i   (write_entry_q),
    .read_enable_i  (1'b1),
    .read_address_i (found.id),
    .read_data_o    (entry)
  );

  // Written while it was read, or now: to be read again.
  assign fresh = fresh_q && !(write_q && write_id_q == found.id);

  always_ff @(posedge clk) begin
    write_q       <= write_enable_i;
    write_id_q    <= write_id_i;
    write_entry_q <= peek_entry(write_connection_i);
    fresh_q       <= !(write_q && write_id_q == found.id);
    if (clearing_q) begin
      write_q       <= 1'b1;
      write_id_q    <= write_id_q + 1'b1;
      write_entry_q <= '0;
      if (write_q && write_id_q == '1) clearing_q <= 1'b0;
    end

    if (rst) begin
      clearing_q <= 1'b1;
      write_q    <= 1'b0;
      write_id_q <= '1;
    end
  end

  // ---- Segments ahead: good, and not committed ---------------------------------------------------

  typedef struct packed {
    logic   readable;
    logic   direct;
    tuple_t tuple;
    seq_t   after;  // its last byte
  } ahead_t;

  // When there are more than places, all of them are forgotten and only counted (unknown_q), and the
  // list begins anew behind them. Nothing goes straight until they are committed.
  localparam int CountWidth = 7;

  ahead_t ahead_q[Ahead];
  logic [Ahead-1:0] ahead_valid_q;
  logic [CountWidth-1:0] unknown_q;
  logic good, go_q, push, leave, overflow, blocked;
  seq_t next;

  assign good     = !end_bad && sum_good;
  assign push     = head_taken && good;
  assign leave    = committed_i && unknown_q == '0 && ahead_valid_q[0];
  assign overflow = push && ahead_valid_q[Ahead-1] && !leave;

  always_comb begin
    blocked = unknown_q != '0;
    next    = entry.rcv_nxt;
    for (int i = 0; i < Ahead; i++) begin  // the last is the newest
      if (ahead_valid_q[i]) begin
        if (!ahead_q[i].readable) blocked = 1'b1;
        if (ahead_q[i].tuple == s_head.tuple) begin
          next = ahead_q[i].after;
          if (!ahead_q[i].direct) blocked = 1'b1;
        end
      end
    end
  end

  // The place behind the last one, after the first has left.
  logic [Ahead-1:0] last_here, free_here, new_here;

  assign last_here = ahead_valid_q & ~(ahead_valid_q >> 1);
  assign free_here = ~ahead_valid_q & ((ahead_valid_q << 1) | Ahead'(1));
  assign new_here  = !push ? '0 : overflow ? Ahead'(1) : leave ? last_here : free_here;

  always_ff @(posedge clk) begin
    for (int i = 0; i < Ahead; i++) begin
      if (new_here[i]) begin
        ahead_q[i] <= '{
            readable: s_head.readable,
            direct: go_q,
            tuple: s_head.tuple,
            after: s_head.seq + 32'(s_head.length)
        };
        ahead_valid_q[i] <= 1'b1;
      end else if (leave) begin
        ahead_q[i]       <= ahead_q[(i+1)%Ahead];
        ahead_valid_q[i] <= i != Ahead - 1 && ahead_valid_q[(i+1)%Ahead];
      end else if (overflow) begin
        ahead_valid_q[i] <= 1'b0;
      end
    end
    unknown_q <= unknown_q + (overflow ? CountWidth'(Ahead) : '0)
        - CountWidth'(committed_i && unknown_q != '0);

    if (rst) begin
      ahead_valid_q <= '0;
      unknown_q     <= '0;
    end
  end

  // ---- The question to the application -----------------------------------------------------------

  typedef enum logic [1:0] {
    StQuiet,
    StQuery,  // it is to see the query
    StGrant,  // it has seen it
    StOwed    // it granted something, and gets nothing for it
  } ask_e;

  ask_e ask_q;
  app_offer_t query_q;
  logic [PatienceWidth-1:0] patience_q;
  logic late_q;  // the segment has gone to the ring
  logic ask, answered, enough, expired, withdrawn;

  assign expired        = patience_q == '0;
  assign withdrawn      = ask_q == StQuery && withdrawn_i;
  assign answered       = ask_q == StGrant && s_grant_valid;
  assign enough         = answered && s_grant_length >= query_q.length;
  assign m_query        = query_q;
  assign m_query_valid  = ask_q == StQuery;
  assign m_revoke_valid = ask_q == StOwed;
  assign asking_o       = ask_q != StQuiet;

  always_ff @(posedge clk) begin
    unique case (ask_q)
      StQuiet: if (ask) ask_q <= StQuery;
      StQuery: begin
        if (withdrawn) ask_q <= StQuiet;
        else if (m_query_ready) ask_q <= StGrant;
      end
      StGrant:
      if (answered) begin
        if (s_grant_length == '0 || (enough && !late_q)) ask_q <= StQuiet;
        else ask_q <= StOwed;
      end
      default: if (m_revoke_ready) ask_q <= StQuiet;
    endcase

    if (ask) begin
      query_q <= '{
          tentative: 1'b1,
          partial: 1'b0,
          app: entry.app,
          session: '{generation: entry.generation, id: SessionIdWidth'(found.id)},
          length: s_head.length
      };
      patience_q <= PatienceWidth'(Patience);
      late_q     <= 1'b0;
    end else begin
      if (!expired) patience_q <= patience_q - 1'b1;
      if (state_q == StAsk && state_d != StAsk) late_q <= 1'b1;
    end

    if (rst) ask_q <= StQuiet;
  end

  // ---- One packet after the other ----------------------------------------------------------------

  logic flag_ready;
  logic [$clog2(Heads+1)-1:0] unused_flags;

  always_comb begin
    state_d    = state_q;
    ask        = 1'b0;
    m_go       = 1'b0;
    m_go_valid = 1'b0;
    head_taken = 1'b0;

    unique case (state_q)
      StLook: begin
        // Without a lookup there is nothing to wait for but the header itself.
        if (found_valid || (s_head_valid && !s_head_asked)) state_d = StJudge;
      end

      StJudge:
      if (s_head_valid && fresh) begin
        if (s_head_asked && found.hit && m_go_ready && allowed_i && room_i && !clearing_q
            && ask_q == StQuiet && !blocked && tcp_peek(
                entry, s_head, next
            )) begin
          ask     = 1'b1;
          state_d = StAsk;
        end else begin
          m_go_valid = 1'b1;
          if (m_go_ready) state_d = StEnd;
        end
      end

      StAsk: begin
        m_go       = enough;
        m_go_valid = answered || expired || withdrawn;
        if (m_go_valid) state_d = StEnd;
      end

      StEnd: begin
        head_taken = end_valid && sum_valid && flag_ready;
        if (head_taken) state_d = StLook;
      end

      default: state_d = StLook;
    endcase
  end

  assign m_verdict_good  = good;
  assign m_verdict_valid = head_taken && go_q;

  always_ff @(posedge clk) begin
    state_q <= state_d;
    if (m_go_valid) go_q <= m_go;

    if (rst) state_q <= StLook;
  end

  stream_fifo #(
    .T       (logic),
    .Depth   (Heads),
    .BlockRam(0)
  ) flags (
    .clk,
    .rst,
    .s_data (go_q),
    .s_valid(push),
    .s_ready(flag_ready),
    .m_data (m_flag),
    .m_valid(m_flag_valid),
    .m_ready(m_flag_ready),
    .count_o(unused_flags)
  );

endmodule
