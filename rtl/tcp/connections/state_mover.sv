// SPDX-License-Identifier: Apache-2.0

// Brings connection state from DRAM into the cache, and what must leave for it back.
//
//   begin --> [ job ] --> ask for the lines --> read the victim --> write its lines
//                               |                  (if it changed)
//   lines --> [ one buffer for each miss ] --> unpack --> fill
//
// One job at a time is begun; as many as there are misses are on their way, and end in any order.
// The victim of a job has been read from the cache before its place is filled. Its lines are offered
// before any later job's, so that a state which is wanted again at once comes back as it left
// (requests for the same line stay in order, see line_memory_pkg).
//
// Latency    4 clocks from begin to the first request for a line, 3 from the last line's arrival to
//            fill_valid_o. A state that is not in DRAM comes 8 clocks after begin.
// Throughput one miss in 7 clocks, and one more for each line asked for or written; one fill in 3.
// Paths      m_request is a choice of registers; fill and vacate come straight from registers.
module state_mover
  import tcp_pkg::*;
  import app_pkg::*;
  import line_memory_pkg::*;
  import state_codec_pkg::*;
#(
  parameter  int Connections = 64,
  parameter  int Entries     = 16,
  parameter  int Misses      = 16,
  localparam int IdWidth     = $clog2(Connections),
  localparam int SlotWidth   = $clog2(Entries),
  localparam int MissWidth   = $clog2(Misses)
) (
  input  logic                           clk,
  input  logic                           rst,
  output logic                           init_done_o,

  input  logic [MissWidth-1:0]           begin_miss_i,
  input  logic [IdWidth-1:0]             begin_id_i,
  input  logic [SlotWidth-1:0]           begin_slot_i,
  input  logic [IdWidth-1:0]             victim_id_i,
  input  logic                           victim_valid_i,
  input  logic                           begin_valid_i,
  output logic                           begin_ready_o,

  input  logic [Misses-1:0][IdWidth-1:0] id_i,              // of each miss

  // The victim is read from the cache: always done at once, data two clocks later.
  output logic                           vacate_valid_o,
  output logic [SlotWidth-1:0]           vacate_slot_o,
  input  connection_t                    vacate_connection_i,
  input  logic                           vacate_changed_i,  // since it was filled

  output logic [MissWidth-1:0]           fill_miss_o,
  output connection_t                    fill_connection_o,
  output logic                           fill_valid_o,
  input  logic                           fill_ready_i,

  output logic [Misses-1:0]              settled_o,         // the victim's lines are written

  output line_request_t                  m_request,
  output logic                           m_request_valid,
  input  logic                           m_request_ready,
  // A read and a write have tags of their own.
  // verilator lint_off UNUSEDSIGNAL
  input  line_response_t                 s_response,
  // verilator lint_on UNUSEDSIGNAL
  input  logic                           s_response_valid,

  output logic                           fetch_o,           // a state is asked for,
  output logic                           line_o,            // a line at a time
  output logic                           write_back_o,      // one is written
  output logic                           forgotten_o        // an extension was gone
);

  localparam int LineWidth = $clog2(MostLines);
  localparam int CountWidth = $clog2(MostLines + 1);
  localparam bit Odd = StateHalves % 2 == 1;  // every second state begins in the middle of a line
  localparam int AlignedBits = LinesPerState * LineBits;

  if (1 + MissWidth + LineWidth > LineTagWidth) begin : gen_check_tag
    $error("A tag must hold the miss, the line and the direction: use fewer Misses.");
  end

  typedef logic [MissWidth-1:0] miss_t;
  typedef logic [LineWidth-1:0] line_t;
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [IdWidth-1:0] id_t;

  typedef struct packed {
    logic  write;
    miss_t miss;
    line_t line;
  } tag_t;

  typedef enum logic [3:0] {
    StIdle,
    StLook,    // is the state in DRAM?
    StAsk,     // for its lines
    StVacate,  // read the victim
    StWait,
    StTake,    // it is there
    StPack,
    StWrite    // its lines
  } state_e;

  // States first, then the extensions.
  localparam int FirstExtension = Connections * StateHalves / 2;
  localparam int Extensions = Connections / ConnectionsPerExtension;

  function automatic logic [31:0] line_of(input id_t id, input line_t line);
    if (line == line_t'(LinesPerState))
      return 32'(FirstExtension) + (32'(id) & 32'(Extensions - 1));
    return 32'((IdWidth + 8)'(id) * (IdWidth + 8)'(StateHalves) >> 1) + 32'(line);
  endfunction

  // ---------------------------------------------------------------- jobs

  state_e state_q;
  miss_t miss_q;
  id_t id_q, victim_id_q;
  logic [SlotWidth-1:0] slot_q;
  logic victim_q;
  line_t line_q;
  connection_t leaving_q;
  logic changed_q;
  logic [AlignedBits-1:0] packed_q;
  logic [2*LinesPerState-1:0] halves_q;  // of packed_q
  extension_bits_t extension_q;
  logic extended_q;  // of the job's state, then of its victim

  logic stored, directory_done, note, last_line, blank, extended, grows;
  logic [GenerationWidth-1:0] generation;

  state_directory #(
    .Connections(Connections)
  ) directory (
    .clk,
    .rst,
    .init_done_o   (directory_done),
    .read_enable_i (state_q == StIdle),
    .read_id_i     (begin_id_i),
    .stored_o      (stored),
    .generation_o  (generation),
    .write_enable_i(note),
    .write_id_i    (victim_id_q),
    .stored_i      (!blank),
    .generation_i  (blank ? leaving_q.generation : GenerationWidth'(grows))
  );

  assign init_done_o = directory_done;
  assign begin_ready_o = state_q == StIdle && directory_done;
  // Of a state that is in DRAM its lines tell the generation, and the directory has room for this.
  assign extended = stored && generation[0];
  assign grows = needs_extension(leaving_q);
  assign last_line = line_q == line_t'(extended_q ? LinesPerState : LinesPerState - 1);
  assign blank = is_blank(leaving_q);
  assign note = state_q == StPack && changed_q;
  assign fetch_o = state_q == StLook && stored;
  assign line_o = state_q == StAsk && m_request_ready;
  assign write_back_o = note && !blank;

  assign vacate_valid_o = state_q == StVacate;
  assign vacate_slot_o = slot_q;

  always_comb begin
    m_request = '0;
    m_request.write = state_q == StWrite;
    m_request.tag = LineTagWidth'(tag_t'{write: m_request.write, miss: miss_q, line: line_q});
    m_request.address = line_of(m_request.write ? victim_id_q : id_q, line_q);
    m_request.data = extension_q;
    m_request.strobe = '1;
    for (int i = 0; i < LinesPerState; i++) begin
      if (line_q == line_t'(i)) begin
        m_request.data = packed_q[i*LineBits+:LineBits];
        m_request.strobe = {
          {LineBytes / 2{halves_q[2*i+1]}}, {LineBytes / 2{halves_q[2*i]}}
        };
      end
    end
    m_request_valid = state_q == StAsk || state_q == StWrite;
  end

  always_ff @(posedge clk) begin
    unique case (state_q)
      StIdle: begin
        miss_q      <= begin_miss_i;
        id_q        <= begin_id_i;
        slot_q      <= begin_slot_i;
        victim_id_q <= victim_id_i;
        victim_q    <= victim_valid_i;
        line_q      <= '0;
        if (begin_valid_i && begin_ready_o) state_q <= StLook;
      end
      StLook: begin
        extended_q <= extended;
        state_q    <= stored ? StAsk : victim_q ? StVacate : StIdle;
      end
      StAsk:
      if (m_request_ready) begin
        line_q <= last_line ? '0 : line_q + 1'b1;
        if (last_line) state_q <= victim_q ? StVacate : StIdle;
      end
      StVacate: state_q <= StWait;
      StWait:   state_q <= StTake;
      StTake: begin
        leaving_q <= vacate_connection_i;
        changed_q <= vacate_changed_i;
        state_q   <= StPack;
      end
      StPack: begin
        if (Odd && victim_id_q[0]) begin
          packed_q <= AlignedBits'(pack_state(leaving_q)) << HalfBits;
          halves_q <= {{StateHalves{1'b1}}, {(2 * LinesPerState - StateHalves) {1'b0}}};
        end else begin
          packed_q <= AlignedBits'(pack_state(leaving_q));
          halves_q <= (2 * LinesPerState)'({StateHalves{1'b1}});
        end
        extension_q <= pack_extension(leaving_q, SessionIdWidth'(victim_id_q));
        extended_q  <= grows;
        state_q     <= write_back_o ? StWrite : StIdle;
      end
      default:
      if (m_request_ready) begin
        line_q <= last_line ? '0 : line_q + 1'b1;
        if (last_line) state_q <= StIdle;
      end
    endcase

    if (rst) state_q <= StIdle;
  end

  // ---------------------------------------------------------------- what is on its way

  count_t [Misses-1:0] reads_left_q, writes_left_q;
  logic [Misses-1:0] coming_q;     // not filled yet
  logic [Misses-1:0] vacated_q;
  logic [Misses-1:0] extended_miss_q;
  logic [Misses-1:0] fresh_q;      // not in DRAM: begins with nothing but a generation
  logic [Misses-1:0][GenerationWidth-1:0] generation_q;
  tag_t arrived;
  logic finished;  // with the job's victim
  miss_t fill_choice;
  logic fill_found;

  assign arrived = tag_t'(s_response.tag[$bits(tag_t)-1:0]);

  assign finished = (state_q == StLook && !stored && !victim_q)
      || (state_q == StAsk && m_request_ready && last_line && !victim_q)
      || (state_q == StPack && !write_back_o);

  always_ff @(posedge clk) begin
    if (s_response_valid) begin
      if (arrived.write) writes_left_q[arrived.miss] <= writes_left_q[arrived.miss] - 1'b1;
      else reads_left_q[arrived.miss] <= reads_left_q[arrived.miss] - 1'b1;
    end

    if (begin_valid_i && begin_ready_o) begin
      vacated_q[begin_miss_i]     <= !victim_valid_i;
      writes_left_q[begin_miss_i] <= '1;
    end
    if (state_q == StLook) begin
      coming_q[miss_q]     <= 1'b1;
      fresh_q[miss_q]      <= !stored;
      generation_q[miss_q] <= generation;
      extended_miss_q[miss_q] <= extended;
      reads_left_q[miss_q] <= !stored ? '0 : count_t'(extended ? MostLines : LinesPerState);
    end
    if (state_q == StPack) writes_left_q[miss_q] <= count_t'(grows ? MostLines : LinesPerState);
    if (state_q == StTake) vacated_q[miss_q] <= 1'b1;
    if (finished) writes_left_q[miss_q] <= '0;
    if (fill_found) coming_q[fill_choice] <= 1'b0;

    if (rst) begin
      coming_q <= '0;
    end
  end

  always_comb begin
    for (int i = 0; i < Misses; i++) settled_o[i] = writes_left_q[i] == '0;
  end

  // ---------------------------------------------------------------- fill

  typedef enum logic [1:0] {
    FillChoose,  // a miss that has all its lines
    FillRead,    // them
    FillWrite
  } fill_e;

  fill_e fill_state_q;
  logic [Misses-1:0] arrivals, grant;
  miss_t fill_miss_q;
  logic [AlignedBits-1:0] lines;
  extension_bits_t extension, fill_extension_q;
  state_bits_t state_bits_q;
  logic fill_fresh_q, fill_extended_q, fill_owned_q;

  always_comb begin
    for (int i = 0; i < Misses; i++)
    arrivals[i] = coming_q[i] && vacated_q[i] && reads_left_q[i] == '0;
  end

  arbiter #(
    .N(Misses)
  ) turns (
    .clk,
    .rst,
    .request_i(fill_state_q == FillChoose ? arrivals : '0),
    .done_i   (1'b1),
    .grant_o  (grant)
  );

  always_comb begin
    fill_choice = '0;
    for (int i = 0; i < Misses; i++) if (grant[i]) fill_choice = miss_t'(i);
  end

  assign fill_found = fill_state_q == FillChoose && arrivals != '0;

  for (genvar i = 0; i < LinesPerState; i++) begin : gen_line
    ram_distributed #(
      .Width(LineBits),
      .Depth(Misses)
    ) buffer (
      .clk,
      .write_enable_i (s_response_valid && !arrived.write && arrived.line == line_t'(i)),
      .write_address_i(arrived.miss),
      .write_data_i   (s_response.data),
      .read_address_i (fill_miss_q),
      .read_data_o    (lines[i*LineBits+:LineBits])
    );
  end

  ram_distributed #(
    .Width(LineBits),
    .Depth(Misses)
  ) extension_buffer (
    .clk,
    .write_enable_i (s_response_valid && !arrived.write
                     && arrived.line == line_t'(LinesPerState)),
    .write_address_i(arrived.miss),
    .write_data_i   (s_response.data),
    .read_address_i (fill_miss_q),
    .read_data_o    (extension)
  );

  always_ff @(posedge clk) begin
    unique case (fill_state_q)
      FillChoose: begin
        fill_miss_q <= fill_choice;
        if (arrivals != '0) fill_state_q <= FillRead;
      end
      FillRead: begin
        state_bits_q <= Odd && id_i[fill_miss_q][0] ? lines[AlignedBits-1-:StateBits]
                                                      : lines[StateBits-1:0];
        fill_extension_q <= extension;
        fill_fresh_q <= fresh_q[fill_miss_q];
        fill_extended_q <= extended_miss_q[fill_miss_q];
        fill_owned_q <= owner_of(extension) == SessionIdWidth'(id_i[fill_miss_q]);
        fill_state_q <= FillWrite;
      end
      default: if (fill_ready_i) fill_state_q <= FillChoose;
    endcase

    if (rst) fill_state_q <= FillChoose;
  end

  assign fill_valid_o = fill_state_q == FillWrite;
  assign fill_miss_o = fill_miss_q;
  assign fill_connection_o = fill_fresh_q ? blank_state(generation_q[fill_miss_q])
      : unpack_state(
      state_bits_q, fill_extended_q && fill_owned_q, fill_extension_q
  );
  assign forgotten_o = fill_valid_o && fill_ready_i && fill_extended_q && !fill_fresh_q
      && !fill_owned_q;

endmodule
