// SPDX-License-Identifier: Apache-2.0

// In front of timer_queues, for more connections than a chip has room for: what a queue cannot hold
// waits in far memory, line by line and in order, behind what it holds.
//
//   arm --> tails, one for each class --+----------------------------> m --> timer_queues
//            (block RAM)                |                              ^     Depth entries a class
//                                       +--> line --> far memory --> line
//
// One mover looks at the classes in turn. Entries go straight on while their queue has room and
// nothing of their class is in memory. Otherwise a tail gives away what fills a line, and as soon as a
// line's worth is free in the queue, the oldest line comes back.
//
// arm         accepted always; room_o falls while there is place for Slack more in a class.
// Latency     19 clocks at most to m for what is alone, and while lines move as many as they take.
// Throughput  an entry a clock in bursts; of one class in far memory, a line in the time of a read and
//             twice as many clocks as it has entries.
// taken       a pulse for each entry that has left timer_queues, with its class.
// Far memory  Lines lines from 0 on. It need not be cleared.
// Start       arm from reset on.
module timer_spill
  import line_memory_pkg::*;
  import tcp_pkg::*;
#(
  parameter  int Connections = 262144,
  parameter  int Depth       = 512,  // of each class in timer_queues; a power of two
  parameter  int Slack       = 96,   // arms that may come after room_o has fallen
  parameter  int Classes     = TimerClasses,  // a power of two
  localparam int IdWidth     = $clog2(Connections),
  localparam int ClassWidth  = $clog2(Classes),
  localparam int EntryBits   = IdWidth + $bits(timer_us_t),
  parameter  int Entries     = LineBits / EntryBits  // of a line; a proof takes fewer
) (
  input  logic                  clk,
  input  logic                  rst,

  input  timer_us_t             now_us,

  input  logic [   IdWidth-1:0] arm_id,
  input  logic [ClassWidth-1:0] arm_class,
  input  logic                  arm_valid,
  output logic                  room_o,

  output logic [   IdWidth-1:0] m_id,
  output logic [ClassWidth-1:0] m_class,
  output timer_us_t             m_us,
  output logic                  m_valid,

  input  logic [ClassWidth-1:0] taken_class,
  input  logic                  taken_valid,

  output line_request_t         m_line,
  output logic                  m_line_valid,
  input  logic                  m_line_ready,
  // verilator lint_off UNUSEDSIGNAL
  input  line_response_t        s_line,  // nothing is read but tag and entries
  // verilator lint_on UNUSEDSIGNAL
  input  logic                  s_line_valid
);

  typedef struct packed {
    logic [IdWidth-1:0] id;
    timer_us_t          armed_us;
  } entry_t;

  localparam int TailDepth = 2 ** $clog2(Slack + 2 * Entries);
  // Those of one class are a ring, whose lines are all used sooner or later: no more than can be full
  // at the same time, and one.
  localparam int ClassLines = Connections / Entries + 1;
  localparam int LineWidth = $clog2(ClassLines);
  localparam int Lines = Classes << LineWidth;
  localparam int TailWidth = $clog2(TailDepth);
  localparam int DepthWidth = $clog2(Depth);
  localparam int FillWidth = $clog2(Entries + 1);
  localparam int WriteTags = 4;
  localparam logic [LineTagWidth-1:0] ReadTag = LineTagWidth'(WriteTags);

  if (Depth < Entries || Depth != 2 ** DepthWidth) begin : gen_check_depth
    $error("Depth must be a power of two and at least as large as a line has entries.");
  end
  if (Lines > LinesPerConnection * Connections) begin : gen_check_lines
    $error("Timers take more lines of far memory than there are for queues: LinesPerConnection.");
  end

  typedef logic [ClassWidth-1:0] class_t;
  typedef logic [TailWidth:0] tail_t;  // with one bit more to tell full from empty
  typedef logic [LineWidth-1:0] line_t;
  typedef logic [Entries-1:0][EntryBits-1:0] entries_t;

  function automatic line_t line_after(input line_t line);
    return line == line_t'(ClassLines - 1) ? '0 : line + 1'b1;
  endfunction

  // ---- Where each class has its entries ----------------------------------------------------------------

  tail_t tail_end_q[Classes], tail_begin_q[Classes];
  line_t line_end_q[Classes], line_begin_q[Classes], lines_q[Classes];  // and how many between
  logic [DepthWidth:0] held_q[Classes];  // in timer_queues, or on the way there

  // ---- The mover --------------------------------------------------------------------------------------

  typedef enum logic [1:0] {
    Look,    // which class has something to be done
    Move,    // from its tail to its queue
    Gather,  // from its tail to a line
    Unpack   // from a line to its queue
  } state_e;

  state_e state_q;
  class_t class_q, read_class_q;
  logic [FillWidth-1:0] left_q;       // of a line
  logic [FillWidth-1:0] gathering_q;  // of these, what has not come out of the tail yet
  logic reading_q, line_here_q;
  entries_t line_in_q, line_out_q;
  logic [WriteTags-1:0] tags_busy_q;
  logic [$clog2(WriteTags)-1:0] write_tag;
  logic line_free, write, read, read_done;
  logic spilled, tail_some, tail_line, queue_room, queue_line;
  tail_t in_tail;
  logic [DepthWidth:0] held;
  logic take, from_tail_q, gather_q, unpack, put;
  entry_t tail_entry;
  line_request_t request;

  assign in_tail    = tail_end_q[class_q] - tail_begin_q[class_q];
  assign held       = held_q[class_q];
  assign spilled    = lines_q[class_q] != '0
      || ((reading_q || line_here_q) && read_class_q == class_q);
  assign tail_some  = in_tail != '0;
  assign tail_line  = in_tail >= tail_t'(Entries);
  assign queue_room = held != (DepthWidth + 1)'(Depth);
  assign queue_line = held <= (DepthWidth + 1)'(Depth - Entries);

  always_comb begin
    write_tag = '0;
    for (int i = WriteTags - 1; i >= 0; i--) if (!tags_busy_q[i]) write_tag = $bits(write_tag)'(i);
  end

  assign take   = (state_q == Move && tail_some && queue_room)
      || (state_q == Gather && left_q != '0);
  assign unpack = state_q == Unpack && left_q != '0;
  assign put    = unpack || (state_q == Move && take);
  assign write  = state_q == Gather && gathering_q == '0 && tags_busy_q != '1 && line_free;
  assign read   = state_q == Look && !line_here_q && lines_q[class_q] != '0
      && !reading_q && queue_line && line_free;
  assign read_done = s_line_valid && s_line.tag == ReadTag;

  always_ff @(posedge clk) begin
    unique case (state_q)
      Look: begin
        left_q      <= FillWidth'(Entries);
        gathering_q <= FillWidth'(Entries);
        if (line_here_q) begin
          state_q <= Unpack;
          class_q <= read_class_q;
        end else if (tail_some && !spilled && queue_room) begin
          state_q <= Move;
        end else if (tail_line) begin
          state_q <= Gather;
        end else begin
          class_q <= class_q + 1'b1;
        end
      end
      Move: if (!take) state_q <= Look;
      Gather: begin
        left_q      <= left_q - FillWidth'(take);
        gathering_q <= gathering_q - FillWidth'(gather_q);
        if (write) state_q <= Look;
      end
      default: begin  // Unpack
        left_q <= left_q - FillWidth'(unpack);
        if (!unpack) state_q <= Look;
      end
    endcase

    if (rst) begin
      state_q <= Look;
      class_q <= '0;
    end
  end

  // ---- Lines ---------------------------------------------------------------------------------------------

  always_comb begin
    request         = '0;
    request.write   = write;
    request.address = write ? 32'({class_q, line_end_q[class_q]})
                            : 32'({class_q, line_begin_q[class_q]});
    request.tag     = write ? LineTagWidth'(write_tag) : ReadTag;
    request.strobe  = '1;
    request.data    = LineBits'(line_out_q);
  end

  stream_register #(
    .T(line_request_t)
  ) line_register (
    .clk,
    .rst,
    .s_data (request),
    .s_valid(read || write),
    .s_ready(line_free),
    .m_data (m_line),
    .m_valid(m_line_valid),
    .m_ready(m_line_ready)
  );

  always_ff @(posedge clk) begin
    // Never both.
    if (write) begin
      line_end_q[class_q] <= line_after(line_end_q[class_q]);
      lines_q[class_q]    <= lines_q[class_q] + 1'b1;
    end
    if (read) begin
      line_begin_q[class_q] <= line_after(line_begin_q[class_q]);
      lines_q[class_q]      <= lines_q[class_q] - 1'b1;
      read_class_q          <= class_q;
    end
    reading_q   <= (reading_q && !read_done) || read;
    line_here_q <= (line_here_q && !(state_q == Unpack && !unpack)) || read_done;

    if (read_done) line_in_q <= entries_t'(s_line.data[$bits(entries_t)-1:0]);
    else if (unpack) line_in_q <= line_in_q >> EntryBits;
    if (gather_q) line_out_q <= {tail_entry, line_out_q[Entries-1:1]};

    for (int i = 0; i < WriteTags; i++) begin
      if (s_line_valid && s_line.tag == LineTagWidth'(i)) tags_busy_q[i] <= 1'b0;
      if (write && write_tag == $bits(write_tag)'(i)) tags_busy_q[i] <= 1'b1;
    end

    if (rst) begin
      line_end_q   <= '{default: '0};
      line_begin_q <= '{default: '0};
      lines_q      <= '{default: '0};
      reading_q    <= 1'b0;
      line_here_q  <= 1'b0;
      tags_busy_q  <= '0;
    end
  end

  // ---- Tails ---------------------------------------------------------------------------------------------

  ram_simple_dual_port #(
    .Width(EntryBits),
    .Depth(Classes * TailDepth)
  ) tails (
    .clk,
    .write_enable_i (arm_valid),
    .write_address_i({arm_class, tail_end_q[arm_class][TailWidth-1:0]}),
    .write_data_i   ({arm_id, now_us}),
    .read_enable_i  (take),
    .read_address_i ({class_q, tail_begin_q[class_q][TailWidth-1:0]}),
    .read_data_o    (tail_entry)
  );

  logic [Classes-1:0] long;  // tails without place for Slack more

  always_comb begin
    for (int i = 0; i < Classes; i++) begin
      long[i] = tail_t'(tail_end_q[i] - tail_begin_q[i]) >= tail_t'(TailDepth - Slack - 1);
    end
  end

  always_ff @(posedge clk) begin
    if (arm_valid) tail_end_q[arm_class] <= tail_end_q[arm_class] + 1'b1;
    if (take) tail_begin_q[class_q] <= tail_begin_q[class_q] + 1'b1;
    room_o <= long == '0;

    if (rst) begin
      tail_end_q   <= '{default: '0};
      tail_begin_q <= '{default: '0};
      room_o       <= 1'b0;
    end
  end

  // ---- To timer_queues --------------------------------------------------------------------------------------

  class_t put_class_q;
  entry_t unpacked_q, m_entry;
  logic unpacked_valid_q;

  assign m_entry = from_tail_q ? tail_entry : unpacked_q;
  assign m_id    = m_entry.id;
  assign m_us    = m_entry.armed_us;
  assign m_class = put_class_q;
  assign m_valid = from_tail_q || unpacked_valid_q;

  always_ff @(posedge clk) begin
    from_tail_q      <= state_q == Move && take;
    gather_q         <= state_q == Gather && take;
    unpacked_valid_q <= unpack;
    unpacked_q       <= line_in_q[0];
    put_class_q      <= class_q;
    for (int i = 0; i < Classes; i++) begin
      held_q[i] <= held_q[i] + (DepthWidth + 1)'(put && class_q == class_t'(i))
          - (DepthWidth + 1)'(taken_valid && taken_class == class_t'(i));
    end

    if (rst) begin
      from_tail_q      <= 1'b0;
      gather_q         <= 1'b0;
      unpacked_valid_q <= 1'b0;
      held_q           <= '{default: '0};
    end
  end

endmodule
