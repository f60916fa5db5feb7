// SPDX-License-Identifier: Apache-2.0

// timer_spill, seen from an arbitrary class: each entry that goes in comes out once and in order, with its
// id and its time, by whichever way it takes: straight on, or through a line of far memory. It never
// gives the queue more than that has room for, and a tail that is told of too late has room for Slack.
//
// Proven by induction for one entry that the solver chooses when it is armed, by counting those before
// it. A line has Entries, fewer than in the engine, and there are two classes.
//
// Assumed of the user: a class has at most Connections entries, no more than Slack are armed without
// room, and what leaves a queue was in it. Of the memory: line_memory_pkg, with responses at any time;
// one line is followed, which the solver chooses, and is the one that the entry goes to, if to any.
module timer_spill_props
  import line_memory_pkg::*;
  import tcp_pkg::timer_us_t;
#(
  parameter  int Connections = 8,
  parameter  int Depth       = 2,
  parameter  int Slack       = 2,
  parameter  int Classes     = 2,
  parameter  int Entries     = 2,
  localparam int IdWidth     = $clog2(Connections),
  localparam int ClassWidth  = $clog2(Classes)
) (
  input logic                  clk,
  input timer_us_t             now_us,
  input logic [   IdWidth-1:0] arm_id,
  input logic [ClassWidth-1:0] arm_class,
  input logic                  arm_valid,
  input logic [ClassWidth-1:0] taken_class,
  input logic                  taken_valid,
  input logic                  choose,        // what is armed now is the entry
  input logic                  m_line_ready,
  input logic                  answers,
  input logic [           2:0] answered,      // tag
  input logic [          95:0] noise,         // in lines that nobody follows
  // Arbitrary constants: the class, and the line.
  input logic [ClassWidth-1:0] watched,
  input logic [           7:0] followed
);

  localparam int EntryBits = IdWidth + $bits(timer_us_t);
  localparam int DataBits = Entries * EntryBits;
  localparam int TailDepth = 2 ** $clog2(Slack + 2 * Entries);
  localparam int TailWidth = $clog2(TailDepth);
  localparam int ClassLines = Connections / Entries + 1;
  localparam int LineWidth = $clog2(ClassLines);
  localparam logic [2:0] ReadTag = 3'd4;
  // As the mover's states are numbered.
  localparam logic [1:0] Look = 2'd0, Move = 2'd1, Gather = 2'd2, Unpack = 2'd3;
  localparam int CountWidth = $clog2(Connections + 1) + 1;

  typedef logic [EntryBits-1:0] entry_t;
  typedef logic [DataBits-1:0] data_t;
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [$clog2(Entries+1)-1:0] fill_t;

  logic rst = 1'b1;
  logic [ClassWidth-1:0] watched_q;
  logic [7:0] followed_q;

  always_ff @(posedge clk) begin
    rst        <= 1'b0;
    watched_q  <= watched;
    followed_q <= followed;
    if (!rst) assume (watched == watched_q && followed == followed_q);
    assume (followed < 8'(ClassLines));
  end

  logic room_o, m_valid, m_line_valid, s_line_valid;
  logic [IdWidth-1:0] m_id;
  logic [ClassWidth-1:0] m_class;
  timer_us_t m_us;
  line_request_t m_line;
  line_response_t s_line;

  timer_spill #(
    .Connections(Connections),
    .Depth      (Depth),
    .Slack      (Slack),
    .Classes    (Classes),
    .Entries    (Entries)
  ) dut (
    .*
  );

  // ---------------------------------------------------------------- the memory

  // The followed line of the watched class; what a read has found, and whether it is answered.
  data_t line_q, found_q;
  logic [4:0] pending_q;
  logic [31:0] address;
  logic goes;

  assign address = 32'({watched, LineWidth'(followed)});
  assign goes    = m_line_valid && m_line_ready;

  always_comb begin
    s_line         = '0;
    s_line.write   = answered != ReadTag;
    s_line.tag     = LineTagWidth'(answered);
    s_line.data    = LineBits'(found_q);
    s_line_valid   = answers && answered <= ReadTag && pending_q[answered];
  end

  always_ff @(posedge clk) begin
    if (s_line_valid) pending_q[answered] <= 1'b0;
    if (goes) begin
      pending_q[m_line.tag[2:0]] <= 1'b1;
      if (m_line.write && m_line.address == address) line_q <= data_t'(m_line.data);
      if (!m_line.write) found_q <= m_line.address == address ? line_q : data_t'(noise);
    end

    if (rst) pending_q <= '0;
  end

  // ---------------------------------------------------------------- the user

  // Of the watched class: entries that are inside; and those in timer_queues.
  count_t inside_q, queued_q;
  logic arm, out, taken;
  logic [$clog2(Slack+1):0] late_q;  // armed since room_o fell

  assign arm   = arm_valid && arm_class == watched && !rst;
  assign out   = m_valid && m_class == watched;
  assign taken = taken_valid && taken_class == watched;

  always_ff @(posedge clk) begin
    inside_q <= inside_q + count_t'(arm) - count_t'(out);
    queued_q <= queued_q + count_t'(out) - count_t'(taken);
    late_q   <= room_o ? '0 : late_q + ($bits(late_q))'(arm_valid);

    if (rst) begin
      inside_q <= '0;
      queued_q <= '0;
      late_q   <= '0;
    end else begin
      if (taken) assume (queued_q != '0);
      // Of other classes alike, as far as it matters here: what the module counts does not go below 0.
      if (taken_valid) assume (dut.held_q[taken_class] != '0);
      if (arm) assume (inside_q + queued_q < count_t'(Connections));
      if (arm_valid) assume (room_o || late_q < ($bits(late_q))'(Slack));
    end
  end

  // ---------------------------------------------------------------- the entry

  logic chosen_q, gone_q;
  entry_t entry_q;
  count_t before_q;  // that have to come out first

  always_ff @(posedge clk) begin
    if (arm && choose && !chosen_q) begin
      chosen_q <= 1'b1;
      entry_q  <= {arm_id, now_us};
      before_q <= inside_q - count_t'(out);
    end
    if (chosen_q && !gone_q && out) begin
      before_q <= before_q - 1'b1;
      if (before_q == '0) gone_q <= 1'b1;
    end

    if (rst) begin
      chosen_q <= 1'b0;
      gone_q   <= 1'b0;
    end else begin
      // What is promised.
      if (out) assert (inside_q != '0);
      if (out && chosen_q && !gone_q && before_q == '0) assert ({m_id, m_us} == entry_q);
      assert (queued_q <= count_t'(Depth));
    end
  end

  // ---------------------------------------------------------------- where the entries are

  // From the one that comes out next on: at the output, in the line that has come back or is asked
  // for, in lines of memory, on the way to one, in the tail.
  logic here, reading, gathering, reads, reads_followed;
  count_t at_output, in_read, in_lines, in_gather, in_tail, place;
  logic [LineWidth-1:0] lines;
  logic [TailWidth:0] tail;
  data_t memory_line;  // the followed line as it will be
  data_t read_line;
  line_request_t spare;
  logic spare_valid;
  logic [$clog2(Entries+1)-1:0] unpack_left;

  assign spare       = dut.line_register.gen_spare.spare_q;
  assign spare_valid = dut.line_register.gen_spare.spare_valid_q;
  assign here        = dut.line_here_q && dut.read_class_q == watched;
  assign reading     = dut.reading_q && dut.read_class_q == watched;
  assign gathering   = dut.state_q == Gather && dut.class_q == watched;
  assign lines       = dut.lines_q[watched];
  assign tail        = dut.tail_end_q[watched] - dut.tail_begin_q[watched];
  assign unpack_left = dut.state_q == Unpack ? dut.left_q : ($clog2(Entries + 1))'(Entries);

  assign at_output = count_t'(out);
  assign in_read   = here ? count_t'(unpack_left) : reading ? count_t'(Entries) : '0;
  assign in_lines  = count_t'(lines) * count_t'(Entries);
  assign in_gather = gathering ? count_t'(Entries) - count_t'(dut.left_q) : '0;
  assign in_tail   = count_t'(tail);

  always_comb begin
    memory_line = line_q;
    if (m_line_valid && m_line.write && m_line.address == address)
      memory_line = data_t'(m_line.data);
    if (spare_valid && spare.write && spare.address == address) memory_line = data_t'(spare.data);
    // A read is on its way, or has found what it has found.
    read_line = pending_q[ReadTag] ? found_q : memory_line;
    if (here) read_line = data_t'(dut.line_in_q);
  end

  // Lines are a ring.
  function automatic logic [LineWidth-1:0] in_ring(input logic [7:0] line);
    return LineWidth'(line < 8'(ClassLines) ? line : line - 8'(ClassLines));
  endfunction

  function automatic logic [LineWidth-1:0] line_before(input logic [LineWidth-1:0] line);
    return line == '0 ? LineWidth'(ClassLines - 1) : line - 1'b1;
  endfunction

  // Of the entry, with everything before it taken off.
  logic is_out, is_read, is_line, is_gather, is_tail;
  entry_t stored;
  logic [LineWidth-1:0] line_of;
  count_t in_line;

  always_comb begin
    place      = before_q - at_output;
    is_out     = before_q < at_output;
    is_read    = !is_out && place < in_read;
    is_line    = !is_out && !is_read && place < in_read + in_lines;
    is_gather  = !is_out && !is_read && !is_line && place < in_read + in_lines + in_gather;
    is_tail    = !is_out && !is_read && !is_line && !is_gather;
    line_of    = '0;
    in_line    = '0;
    stored     = {m_id, m_us};
    if (is_read) begin
      line_of = line_before(dut.line_begin_q[watched]);
      in_line = place;
      stored  = entry_t'(read_line >> (place * EntryBits));
    end
    if (is_line) begin
      line_of = in_ring(8'(dut.line_begin_q[watched]) + 8'((place - in_read) / count_t'(Entries)));
      in_line = (place - in_read) % count_t'(Entries);
      stored  = entry_t'(memory_line >> (in_line * EntryBits));
    end
    if (is_gather) begin
      in_line = place - in_read - in_lines;
      // The last one is still in the register of the RAM.
      if (dut.gather_q && in_line == in_gather - 1'b1) stored = dut.tail_entry;
      else stored = entry_t'(dut.line_out_q >> ((in_line + count_t'(dut.gathering_q)) * EntryBits));
    end
    if (is_tail)
      stored = dut.tails.memory[{
        watched,
        TailWidth'(dut.tail_begin_q[watched]+(TailWidth+1)'(place-in_read-in_lines-in_gather))
      }];
  end

  // Of the watched class.
  function automatic logic [LineWidth-1:0] place_of(input line_request_t request);
    return request.address[LineWidth-1:0];
  endfunction

  logic m_writes, m_reads, spare_writes, spare_reads;
  logic [LineWidth-1:0] latest;

  assign m_writes     = m_line_valid && m_line.write && is_watched(m_line);
  assign m_reads      = m_line_valid && !m_line.write && is_watched(m_line);
  assign spare_writes = spare_valid && spare.write && is_watched(spare);
  assign spare_reads  = spare_valid && !spare.write && is_watched(spare);
  assign latest       = line_before(dut.line_end_q[watched]);

  function automatic logic is_watched(input line_request_t request);
    return request.address[31:LineWidth] == (32 - LineWidth)'(watched);
  endfunction

  logic [TailWidth:0] tail_of_mover;
  assign tail_of_mover = dut.tail_end_q[dut.class_q] - dut.tail_begin_q[dut.class_q];

  logic [TailWidth:0] length[Classes];

  always_comb begin
    for (int i = 0; i < Classes; i++) length[i] = dut.tail_end_q[i] - dut.tail_begin_q[i];
  end

  // One read is on its way at most, in the register or in the memory.
  assign reads          = (m_line_valid && !m_line.write) || (spare_valid && !spare.write);
  assign reads_followed = (m_line_valid && !m_line.write && m_line.address == address)
      || (spare_valid && !spare.write && spare.address == address);

  always_ff @(posedge clk) begin
    if (!rst) begin
      assert (inside_q == at_output + in_read + in_lines + in_gather + in_tail);
      assert (count_t'(dut.held_q[watched]) == queued_q + at_output);
      for (int i = 0; i < Classes; i++) assert (count_t'(dut.held_q[i]) <= count_t'(Depth));
      assert (inside_q + queued_q <= count_t'(Connections));
      assert (lines < LineWidth'(ClassLines));
      assert (dut.line_begin_q[watched] < LineWidth'(ClassLines));
      assert (dut.line_end_q[watched] == in_ring(8'(dut.line_begin_q[watched]) + 8'(lines)));
      // Tails.
      assert (late_q <= ($bits(late_q))'(Slack));
      for (int i = 0; i < Classes; i++) begin
        if (room_o)
          assert (length[i] <= (TailWidth + 1)'(TailDepth - Slack - 1));
          else assert (length[i] <= (TailWidth + 1)'(TailDepth - Slack) + (TailWidth + 1)'(late_q));
      end
      // The mover.
      assert (!(dut.reading_q && dut.line_here_q));
      assert (!(dut.from_tail_q && dut.unpacked_valid_q));
      assert (dut.left_q <= dut.gathering_q || dut.state_q != Gather);
      assert (dut.gathering_q <= fill_t'(Entries) || dut.state_q == Look);
      assert (dut.left_q <= fill_t'(Entries) || dut.state_q == Look);
      if (dut.state_q == Gather) begin
        assert (dut.gathering_q == dut.left_q + fill_t'(dut.gather_q));
        assert (count_t'(dut.left_q) <= count_t'(tail_of_mover));
      end else begin
        assert (!dut.gather_q);
      end
      if (dut.state_q == Unpack) assert (dut.line_here_q && dut.read_class_q == dut.class_q);
      if (dut.state_q == Unpack)
        assert (count_t'(dut.held_q[dut.class_q]) + count_t'(dut.left_q) <= count_t'(Depth));
      if (dut.reading_q || (dut.line_here_q && dut.state_q != Unpack))
        assert (count_t'(dut.held_q[dut.read_class_q]) + count_t'(Entries) <= count_t'(Depth));
      // Nothing goes straight on beside a line.
      if (dut.state_q == Move)
        assert (dut.lines_q[dut.class_q] == '0
                && !((dut.reading_q || dut.line_here_q) && dut.read_class_q == dut.class_q));
      if (dut.from_tail_q) assert (dut.state_q == Move && dut.class_q == dut.put_class_q);
      // Requests.
      assert (m_line_valid || !spare_valid);
      assert (dut.reading_q == (reads || pending_q[ReadTag]));
      assert (!(reads && pending_q[ReadTag]));
      assert (!(m_line_valid && spare_valid && !m_line.write && !spare.write));
      if (m_line_valid && !m_line.write) assert (m_line.tag == LineTagWidth'(ReadTag));
      if (spare_valid && !spare.write) assert (spare.tag == LineTagWidth'(ReadTag));
      if (m_line_valid && m_line.write) assert (m_line.tag < LineTagWidth'(ReadTag));
      if (spare_valid && spare.write) assert (spare.tag < LineTagWidth'(ReadTag));
      // Lines that are written and have not reached the memory are the latest, and behind what is read.
      if (m_writes && spare_writes)
        assert (lines >= 2 && place_of(m_line) == line_before(latest) && place_of(spare) == latest);
        else if (m_writes)
          assert ((lines != '0 || spare_reads) && place_of(m_line) == latest);
          else if (spare_writes) assert (lines != '0 && place_of(spare) == latest);
      if (m_reads) assert (place_of(m_line) == line_before(dut.line_begin_q[watched]));
      if (spare_reads) assert (place_of(spare) == line_before(dut.line_begin_q[watched]));
      assert ((m_reads || spare_reads) == (reading && !pending_q[ReadTag]));
      // The entry.
      if (chosen_q && !gone_q) begin
        assert (before_q < inside_q);
        assert (stored == entry_q);
        if (is_line || (is_read && !here)) assert (line_of == LineWidth'(followed));
        if (is_read && reads) assert (reads_followed);
      end
    end
  end

  // The followed line is that which the entry goes to.
  always_ff @(posedge clk) begin
    if (!rst && chosen_q && !gone_q && is_gather)
      assume (dut.line_end_q[watched] == LineWidth'(followed));
  end

  // ---------------------------------------------------------------- covers

  logic spilled_q;
  always_ff @(posedge clk) begin
    if (chosen_q && is_line) spilled_q <= 1'b1;
    if (rst) spilled_q <= 1'b0;
    else begin
      cover (gone_q && !spilled_q);
      cover (gone_q && spilled_q);
      cover (out && chosen_q && before_q == '0 && spilled_q && in_tail != '0);
      cover (!room_o && late_q == ($bits(late_q))'(Slack));
      cover (lines == LineWidth'(2));
    end
  end

endmodule
