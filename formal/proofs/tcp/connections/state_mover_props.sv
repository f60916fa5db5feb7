// SPDX-License-Identifier: Apache-2.0

// state_mover: what comes back from DRAM is what left for it. A connection's state is filled as it was
// when it was last vacated, whether it was written, with or without an extension, left as it had not
// changed, or was blank and never written; whatever other connections share its lines.
//
// Proven by induction for one connection that the solver chooses. The contract remembers its number and
// where it is, ghosts what DRAM has of it. The format is a stand-in (abstract/state_codec_pkg.sv).
//
// Assumed of state_cache: its part of state_mover_contract, which state_cache_props proves; the mover's
// part is proven here. Assumed of the memory: line_memory_pkg, with responses at any time and in any
// order.
module state_mover_props
  import tcp_pkg::*;
  import app_pkg::*;
  import line_memory_pkg::*;
  import state_codec_pkg::*;
#(
  parameter  int Connections = 16,
  parameter  int Entries     = 4,
  parameter  int Misses      = 2,
  localparam int IdWidth     = $clog2(Connections),
  localparam int SlotWidth   = $clog2(Entries),
  localparam int MissWidth   = $clog2(Misses)
) (
  input logic                           clk,
  input logic [MissWidth-1:0]           begin_miss,
  input logic [IdWidth-1:0]             begin_id,
  input logic [SlotWidth-1:0]           begin_slot,
  input logic [IdWidth-1:0]             victim_id,
  input logic                           victim_valid,
  input logic                           begin_valid,
  input number_t                        vacate_number,
  input logic                           vacate_changed,
  input logic                           fill_ready,
  input logic [Misses-1:0][IdWidth-1:0] ids,            // of misses
  input logic                           writes,         // the connection's state, in the cache
  input number_t                        written,
  // An arbitrary constant: the connection.
  input logic [IdWidth-1:0]             chosen,
  // The memory: what it answers, and what is in lines that nobody follows.
  input logic                           request_ready,
  input logic                           answers,
  input logic [3:0]                     answered,
  input logic [2*IdWidth-1:0]           noise
);

  localparam int Tags = 16;
  localparam int FirstExtension = Connections * StateHalves / 2;
  localparam int Extensions = Connections / ConnectionsPerExtension;

  logic rst = 1'b1;
  logic [IdWidth-1:0] chosen_q;
  always_ff @(posedge clk) begin
    rst      <= 1'b0;
    chosen_q <= chosen;
    if (!rst) assume (chosen == chosen_q);
  end

  logic init_done, begin_ready, vacate_valid, fill_valid, request_valid, response_valid;
  logic [MissWidth-1:0] fill_miss;
  logic [Misses-1:0] settled;
  connection_t fill_connection;
  line_request_t request;
  line_response_t response;
  logic [SlotWidth-1:0] vacate_slot;
  logic fetch, write_back;

  state_mover #(
    .Connections(Connections),
    .Entries    (Entries),
    .Misses     (Misses)
  ) dut (
    .clk,
    .rst,
    .init_done_o        (init_done),
    .begin_miss_i       (begin_miss),
    .begin_id_i         (begin_id),
    .begin_slot_i       (begin_slot),
    .victim_id_i        (victim_id),
    .victim_valid_i     (victim_valid),
    .begin_valid_i      (begin_valid),
    .begin_ready_o      (begin_ready),
    .id_i               (ids),
    .vacate_valid_o     (vacate_valid),
    .vacate_slot_o      (vacate_slot),
    .vacate_connection_i(at(vacate_number)),
    .vacate_changed_i   (vacate_changed),
    .fill_miss_o        (fill_miss),
    .fill_connection_o  (fill_connection),
    .fill_valid_o       (fill_valid),
    .fill_ready_i       (fill_ready),
    .settled_o          (settled),
    .m_request          (request),
    .m_request_valid    (request_valid),
    .m_request_ready    (request_ready),
    .s_response         (response),
    .s_response_valid   (response_valid),
    .fetch_o            (fetch),
    .line_o             (),
    .write_back_o       (write_back),
    .forgotten_o        ()
  );

  // ---------------------------------------------------------------- the memory

  // Of a line as the stand-in for the format has it: what is not zero.
  typedef struct packed {
    number_t            upper;
    logic [IdWidth-1:0] owner;
    number_t            lower;
  } line_t;

  function automatic line_t line_of(input logic [LineBits-1:0] data);
    return
    '{
        upper: data[HalfBits+:$bits(number_t)],
        owner: IdWidth'(owner_of(data)),
        lower: data[$bits(number_t)-1:0]
    }
    ;
  endfunction

  function automatic logic [LineBits-1:0] data_of(input line_t line);
    logic [LineBits-1:0] data;
    data = '0;
    data[HalfBits+:$bits(number_t)] = line.upper;
    data[$bits(extension_t)-1:0] = {SessionIdWidth'(line.owner), line.lower};
    return data;
  endfunction

  // The lines of the chosen connection; its extension is the last.
  line_t line_q[MostLines];
  logic [31:0] address[MostLines];
  logic [Tags-1:0] pending_q;
  line_t answer_q[Tags/2];  // of reads
  line_t asked;
  logic request_done;
  logic [3:0] request_tag;

  assign request_done = request_valid && request_ready;
  assign request_tag  = request.tag[3:0];
  assign address[0]   = 32'((IdWidth + 2)'(chosen) * (IdWidth + 2)'(StateHalves) >> 1);
  assign address[1]   = address[0] + 32'd1;
  assign address[2]   = 32'(FirstExtension) + 32'(chosen) % 32'(Extensions);

  always_comb begin
    asked = line_t'(noise);
    for (int i = 0; i < MostLines; i++) if (request.address == address[i]) asked = line_q[i];
    response = '{
        write: answered[3],
        tag: LineTagWidth'(answered),
        data: answered[3] ? '0 : data_of(answer_q[answered[2:0]])
    };
    response_valid = answers && pending_q[answered];
  end

  always_ff @(posedge clk) begin
    if (response_valid) pending_q[answered] <= 1'b0;
    if (request_done) begin
      pending_q[request_tag] <= 1'b1;
      if (!request_tag[3]) answer_q[request_tag[2:0]] <= asked;
      for (int i = 0; i < MostLines; i++) begin
        if (request.write && request.address == address[i]) begin
          if (request.strobe[0]) begin
            line_q[i].lower <= line_of(request.data).lower;
            line_q[i].owner <= line_of(request.data).owner;
          end
          if (request.strobe[LineBytes-1]) line_q[i].upper <= line_of(request.data).upper;
        end
      end
    end
    if (rst) pending_q <= '0;
  end

  // ---------------------------------------------------------------- the cache

  // As the contract has them, but that one whose lines are still to be written is leaving, too.
  localparam logic [1:0] Away = 2'd0, Fetched = 2'd1, Cached = 2'd2, Leaving = 2'd3;

  logic [1:0] where;
  number_t number;  // its state
  logic changed;    // since it was filled
  logic [MissWidth-1:0] miss_q;  // that fetches it
  logic [Misses-1:0] open, coming;
  logic [Misses-1:0][IdWidth-1:0] id;
  logic begins, ends, leaving;

  assign begins = begin_valid && begin_ready;

  state_mover_contract #(
    .AssumeCache(1'b1),
    .IdWidth    (IdWidth),
    .SlotWidth  (SlotWidth),
    .Misses     (Misses)
  ) moves (
    .clk,
    .rst,
    .chosen_i        (chosen),
    .begin_i         (begins),
    .begin_ready_i   (begin_ready),
    .begin_miss_i    (begin_miss),
    .begin_id_i      (begin_id),
    .begin_slot_i    (begin_slot),
    .victim_id_i     (victim_id),
    .victim_valid_i  (victim_valid),
    .id_i            (ids),
    .vacate_i        (vacate_valid),
    .vacate_slot_i   (vacate_slot),
    .vacate_fits_i   (vacate_number == number),
    .vacate_changed_i(vacate_changed),
    .fill_i          (fill_valid),
    .fill_ready_i    (fill_ready),
    .fill_miss_i     (fill_miss),
    .fill_fits_i     (is_at(fill_connection, number)),
    .settled_i       (settled),
    .written_i       (writes),
    .written_number_i(written),
    .number_o        (number)
  );

  assign changed = moves.changed_q;
  assign coming  = moves.coming_q;
  assign open    = moves.open_q;
  assign id      = moves.id_q;

  always_ff @(posedge clk) if (begins && begin_id == chosen) miss_q <= begin_miss;

  // ---------------------------------------------------------------- what is known of DRAM

  localparam int Group = 8;  // ids to a word of the directory

  typedef struct packed {
    logic                       stored;
    logic [GenerationWidth-1:0] generation;
  } note_t;

  note_t [Group-1:0] notes;
  note_t note;
  logic in_dram;  // what would be fetched is the state

  assign notes = dut.directory.notes.memory[chosen[IdWidth-1:3]];
  assign note  = notes[chosen[2:0]];

  // A line says what it should; of what belongs to others nothing is asked.
  function automatic logic fits(input line_t line, input int place);
    unique case (place)
      0: return line.upper == number && (chosen[0] || line.lower == number);
      1: return line.lower == number && (!chosen[0] || line.upper == number);
      default: return line.owner != chosen || line.lower == number;
    endcase
  endfunction

  always_comb begin
    in_dram = fits(line_q[0], 0) && fits(line_q[1], 1) &&
        (!note.generation[0] || fits(line_q[2], 2));
    if (!note.stored) in_dram = note.generation == number;
  end

  // ---------------------------------------------------------------- what is proven

  // Of the job, in their order.
  localparam logic [3:0] Idle = 4'd0, Look = 4'd1, Ask = 4'd2, Vacate = 4'd3, Wait = 4'd4,
      Take = 4'd5, Pack = 4'd6, Write = 4'd7;

  // Of the contract's.
  localparam logic [2:0] NoJob = 3'd0, ToVacate = 3'd1, Rest = 3'd4;

  logic [3:0] job;
  logic [2:0] moves_job;
  line_t buffer[MostLines];  // what came for the chosen connection's miss
  line_t packing[MostLines];  // what goes, of the job
  logic looking, asking, filling;
  logic [1:0] fill_state;

  assign job        = 4'(dut.state_q);
  assign leaving    = job != Idle && dut.victim_q && dut.victim_id_q == chosen;
  assign where      = leaving && 2'(moves.where_q) == Away ? Leaving : 2'(moves.where_q);
  assign moves_job  = 3'(moves.job_q);
  assign fill_state = 2'(dut.fill_state_q);
  assign ends       = (job == Pack && !write_back)
      || (job == Write && request_ready && dut.last_line);
  assign buffer[0]  = line_of(dut.gen_line[0].buffer.memory[miss_q]);
  assign buffer[1]  = line_of(dut.gen_line[1].buffer.memory[miss_q]);
  assign buffer[2]  = line_of(dut.extension_buffer.memory[miss_q]);
  assign packing[0] = line_of(dut.packed_q[0+:LineBits]);
  assign packing[1] = line_of(dut.packed_q[LineBits+:LineBits]);
  assign packing[2] = line_of(dut.extension_q);
  assign looking    = job == Look && dut.miss_q == miss_q;
  assign asking     = job == Ask && dut.miss_q == miss_q;
  assign filling    = fill_state != 2'd0 && fill_miss == miss_q;

  function automatic logic [2:0] lines(input logic extended);
    return extended ? 3'd3 : 3'd2;
  endfunction

  always_ff @(posedge clk) begin
    if (!rst) begin
      // What this is about, beside the contract.
      if (fill_valid && where == Fetched && fill_miss == miss_q) begin
        comes_back : assert (is_at(fill_connection, number));
      end
      tags : assert (!request_done || !pending_q[request_tag]);
      tag : assert (!request_valid || (request.tag[7:4] == '0 && request_tag[3] == request.write));

      // Where the connection is.
      if ((where == Away && init_done) || where == Fetched) assert (in_dram);
      // Words of the directory are swept one after the other.
      if (!init_done) begin
        assert (job == Idle && where == Away && number == '0);
        if (dut.directory.sweep_q > chosen[IdWidth-1:3]) assert (note == '0);
      end
      if (where == Cached) assert (changed || in_dram);
      assert ((where == Leaving) == leaving);
      assert ((2'(moves.where_q) == Leaving) == (leaving && job <= Take));
      if (where == Leaving) begin
        if (job != Write) assert (changed || in_dram);
        if (job == Pack) assert (is_at(dut.leaving_q, number) && dut.changed_q == changed);
        if (job == Write) begin
          assert (note.stored && note.generation[0] == dut.extended_q && changed);
          for (int i = 0; i < MostLines; i++) begin
            if (i < 2 || dut.extended_q) assert (fits(packing[i], i));
            if (2'(i) < dut.line_q) assert (fits(line_q[i], i));
          end
        end
      end

      // A miss that fetches it.
      for (int i = 0; i < Misses; i++)
      if (coming[i] && id[i] == chosen) assert (where == Fetched && miss_q == MissWidth'(i));
      if (where == Fetched) begin
        assert (coming[miss_q] && id[miss_q] == chosen);
        assert (2'(looking) + 2'(dut.coming_q[miss_q]) + 2'(filling) == 2'd1);
        if (looking) assert (dut.stored == note.stored && dut.generation == note.generation);
        if (asking)
          assert (note.stored && dut.extended_q == note.generation[0] && dut.coming_q[miss_q]
                  && !dut.fresh_q[miss_q] && dut.extended_miss_q[miss_q] == dut.extended_q);
        if (!looking && fill_state != 2'd2 || !filling) begin
          if (!looking && dut.fresh_q[miss_q]) assert (dut.generation_q[miss_q] == number);
          if (!looking && !dut.fresh_q[miss_q])
            for (int i = 0; i < MostLines; i++)
            if ((i < 2 || dut.extended_miss_q[miss_q]) && (!asking || 2'(i) < dut.line_q))
              assert (pending_q[{1'b0, miss_q, 2'(i)}] ? fits(
                  answer_q[{miss_q, 2'(i)}], i
              ) : fits(
                  buffer[i], i
              ));
        end
      end

      // The job, whoever it is for.
      if (job != Idle) assert (open[dut.miss_q] && job <= Write && dut.line_q <= 2'd2);
      if (job == Idle) assert (moves_job == NoJob || (moves_job == Rest && init_done));
      if (job == Look || job == Ask) assert (moves_job == (dut.victim_q ? ToVacate : Rest));
      if (job >= Vacate && job <= Take) assert (4'(moves_job) == job - Vacate + 4'(ToVacate));
      if (job > Take) assert (moves_job == Rest);
      if (job != Idle)
        assert (init_done && moves.job_miss_q == dut.miss_q && moves.job_slot_q == dut.slot_q);
      if (job == Look || job == Ask) assert (dut.id_q == id[dut.miss_q]);
      if (job == Look || job == Ask) assert (coming[dut.miss_q]);
      if (job >= Vacate) assert (dut.victim_q);
      if (job != Ask && job != Write) assert (job == Idle || dut.line_q == '0);
      if (job == Ask || job == Write) assert (dut.line_q < lines(dut.extended_q));
      if (job == Write) begin
        assert (dut.halves_q == (dut.victim_id_q[0] ? 4'b1110 : 4'b0111));
        assert (owner_of(dut.extension_q) == SessionIdWidth'(dut.victim_id_q));
      end

      // What is on its way, of each miss.
      for (int i = 0; i < Misses; i++) begin
        automatic logic mine = dut.miss_q == MissWidth'(i);
        automatic logic [2:0] reads = '0, writes_out = '0;
        for (int line = 0; line < MostLines; line++) begin
          reads += 3'(pending_q[{1'b0, MissWidth'(i), 2'(line)}]);
          writes_out += 3'(pending_q[{1'b1, MissWidth'(i), 2'(line)}]);
          if (job == Ask && mine && 2'(line) >= dut.line_q)
            assert (!pending_q[{1'b0, MissWidth'(i), 2'(line)}]);
          if (job == Write && mine && 2'(line) >= dut.line_q)
            assert (!pending_q[{1'b1, MissWidth'(i), 2'(line)}]);
        end
        assert (!pending_q[{1'b0, MissWidth'(i), 2'd3}] && !pending_q[{1'b1, MissWidth'(i), 2'd3}]);
        if (dut.coming_q[i])
          assert (3'(dut.reads_left_q[i]) == reads + (job == Ask && mine ? lines(
              dut.extended_q
          ) - 3'(dut.line_q) : 3'd0));
          else assert (reads == '0);
        if (!open[i])
          assert (writes_out == '0);
          else if (job == Write && mine)
            assert (3'(dut.writes_left_q[i]) == writes_out + lines(
                dut.extended_q
            ) - 3'(dut.line_q));
            else if (job != Idle && mine)
              assert (dut.writes_left_q[i] == '1 && writes_out == '0);
              else assert (3'(dut.writes_left_q[i]) == writes_out);
        if (job == Ask && mine) assert (dut.coming_q[i]);
        if (job == Look && mine) assert (!dut.coming_q[i]);
        // One that is not in use, or has its state, is nowhere.
        if (!coming[i])
          assert (!dut.coming_q[i] && !(fill_state != 2'd0 && fill_miss == MissWidth'(i)));
        if (dut.coming_q[i]) assert (!(fill_state != 2'd0 && fill_miss == MissWidth'(i)));
        if (job == Look && mine) assert (!(fill_state != 2'd0 && fill_miss == MissWidth'(i)));
      end
      for (int i = 0; i < Misses; i++)
      if (coming[i]) assert (dut.vacated_q[i] == moves.vacated_q[i]);
      if (fill_state != 2'd0) assert (dut.vacated_q[fill_miss]);
      assert (fill_state <= 2'd2);
      if (where == Fetched && filling && fill_state == 2'd2) begin
        assert (dut.fill_fresh_q ? dut.generation_q[miss_q] == number : is_at(
            fill_connection, number
        ));
        assert (dut.fill_fresh_q == dut.fresh_q[miss_q]);
      end
    end
  end

  // ---------------------------------------------------------------- ways that it takes

  logic left_q, again_q, extended_q, pressed_q;

  always_ff @(posedge clk) begin
    if (where == Leaving && ends) left_q <= 1'b1;
    if (where == Fetched && fetch && dut.id_q == chosen) begin
      again_q    <= left_q;
      extended_q <= dut.extended;
      pressed_q  <= pending_q[15:8] != '0;  // its own lines may still be on their way
    end
    if (rst) {left_q, again_q, extended_q, pressed_q} <= '0;
  end

  always_ff @(posedge clk) begin
    if (!rst && where == Cached) begin
      new_one : cover (!left_q);
      blank : cover (left_q && !again_q);
      back : cover (again_q && !extended_q);
      back_extended : cover (again_q && extended_q);
      back_at_once : cover (again_q && pressed_q);
    end
  end

endmodule
