// SPDX-License-Identifier: Apache-2.0

// Store-and-forward FIFO for packets: a packet leaves only when it is wholly stored and good.
//
// Latency    3 clocks from the last beat in to the first beat out, when empty.
// Throughput 1 beat a clock on both sides.
// Paths      every output is a register, or a function of two registers (s_ready); nothing
//            combinational leads from s to m; m_ready reaches the RAM's read enable.
//
// s_error with s_last takes the packet back as if it had never come; dropped_o pulses. When a
// packet does not fit, overflow_o pulses once, when the last beat of that packet has gone by:
//   DropWhenFull = 1  s_ready is constantly 1; the packet that meets a full memory is lost as a
//                     whole.
//   DropWhenFull = 0  s_ready falls while the memory is full; only a packet of more than Depth
//                     beats, which could never leave, is lost.
// A packet that has both faults pulses dropped_o alone: it was bad before it was too long.
// packets_o counts the packets that are stored whole and whose last beat has not yet left.
module packet_fifo #(
  parameter  int DataWidth    = 64,
  parameter  int Depth        = 512,
  parameter  bit DropWhenFull = 1'b0,
  localparam int Lanes        = DataWidth / 8,
  localparam int CountWidth   = $clog2(Depth + 1)
) (
  input  logic                  clk,
  input  logic                  rst,

  input  logic [ DataWidth-1:0] s_data,
  input  logic [     Lanes-1:0] s_keep,
  input  logic                  s_last,
  input  logic                  s_error,
  input  logic                  s_valid,
  output logic                  s_ready,

  output logic [ DataWidth-1:0] m_data,
  output logic [     Lanes-1:0] m_keep,
  output logic                  m_last,
  output logic                  m_valid,
  input  logic                  m_ready,

  output logic [CountWidth-1:0] packets_o,
  output logic                  dropped_o,
  output logic                  overflow_o
);

  if (!stream_pkg::supports(DataWidth)) begin : gen_check_data_width
    $error("DataWidth must be a power of two from 16 to 512.");
  end
  if (Depth < 2 || 2 ** $clog2(Depth) != Depth) begin : gen_check_depth
    $error("Depth must be a power of two, at least 2.");
  end

  localparam int AddressWidth = $clog2(Depth);
  localparam int LaneWidth = $clog2(Lanes);

  // keep is stored as the index of the last lane: the word stays within the RAM's parity bits.
  typedef struct packed {
    logic                 last;
    logic [LaneWidth-1:0] last_lane;
    logic [DataWidth-1:0] data;
  } word_t;

  // One bit more than the address tells full from empty.
  typedef logic [AddressWidth:0] pointer_t;

  // read_q <= commit_q <= write_q, modulo 2 * Depth. What lies between commit_q and write_q belongs
  // to the packet that is coming in and may still be taken back.
  pointer_t write_q, write_d, commit_q, commit_d, read_q;
  logic full_q, full_d;
  logic too_long_q;  // full, and nothing in the memory can leave
  logic discard_q, discard_d;  // the rest of this packet goes nowhere
  logic beat, lost, keep_packet;
  word_t write_word, read_word;

  assign s_ready = DropWhenFull || !full_q || discard_q;
  assign beat    = s_valid && s_ready;
  assign lost    = discard_q || full_q;

  assign keep_packet = beat && s_last && !lost && !s_error;

  assign write_word.data      = s_data;
  assign write_word.last      = s_last;
  assign write_word.last_lane =
      LaneWidth'(stream_pkg::lanes_used(stream_pkg::lanes_t'(s_keep)) - 1'b1);

  always_comb begin
    write_d   = write_q;
    commit_d  = commit_q;
    discard_d = discard_q || too_long_q;
    if (beat) begin
      discard_d = !s_last && lost;
      if (keep_packet) begin
        write_d  = write_q + 1'b1;
        commit_d = write_q + 1'b1;
      end else if (s_last) begin
        write_d = commit_q;
      end else if (!lost) begin
        write_d = write_q + 1'b1;
      end
    end
  end

  // A read in this clock is seen one clock later: full_q may hold on for a clock too long, never
  // too short. too_long_q is exact, for then there is nothing to read. Each place that write_q may
  // go to is compared beforehand: s_last and s_error come late.
  pointer_t end_of_room, last_of_room_q;  // and the place before it
  logic full_if_stay, full_if_next, full_if_back, nothing_to_read;

  assign end_of_room     = {~read_q[AddressWidth], read_q[AddressWidth-1:0]};
  assign full_if_stay    = write_q == end_of_room;
  assign full_if_next    = write_q == last_of_room_q;
  assign full_if_back    = commit_q == end_of_room;
  assign nothing_to_read = commit_q == read_q;

  always_comb begin
    full_d = full_if_stay;
    if (beat && !lost && !(s_last && s_error)) full_d = full_if_next;
    else if (beat && s_last) full_d = full_if_back;
  end

  always_ff @(posedge clk) begin
    write_q    <= write_d;
    commit_q   <= commit_d;
    discard_q  <= discard_d;
    full_q     <= full_d;
    too_long_q <= !DropWhenFull && full_d && nothing_to_read && !keep_packet;
    dropped_o  <= beat && s_last && s_error;
    overflow_o <= beat && s_last && !s_error && lost;

    if (rst) begin
      write_q    <= '0;
      commit_q   <= '0;
      discard_q  <= 1'b0;
      full_q     <= 1'b0;
      too_long_q <= 1'b0;
      dropped_o  <= 1'b0;
      overflow_o <= 1'b0;
    end
  end

  // Read side: RAM output, then the output register, each with its own valid.
  logic fetch, ram_valid_q, ram_load, output_load;

  logic [Lanes-1:0] read_keep;

  assign output_load = m_ready || !m_valid;
  assign ram_load    = output_load || !ram_valid_q;
  assign fetch       = ram_load && read_q != commit_q;

  // Blocks of RAM have parity bits for what is beside the data, but not where they are so deep that
  // they are few bits wide: there it has a RAM of its own, or else the data would lie in shallower
  // blocks with a multiplexer behind them.
  localparam int Flags = $bits(word_t) - DataWidth;
  localparam int Rams = (Depth > 2048) ? 2 : 1;

  for (genvar i = 0; i < Rams; i++) begin : gen_ram
    localparam int Low = (i == 0) ? 0 : DataWidth;
    localparam int Width = (Rams == 1) ? $bits(word_t) : (i == 0) ? DataWidth : Flags;

    ram_simple_dual_port #(
      .Width(Width),
      .Depth(Depth)
    ) ram (
      .clk,
      .write_enable_i (beat && !lost),
      .write_address_i(write_q[AddressWidth-1:0]),
      .write_data_i   (write_word[Low+:Width]),
      .read_enable_i  (fetch),
      .read_address_i (read_q[AddressWidth-1:0]),
      .read_data_o    (read_word[Low+:Width])
    );
  end

  assign read_keep = Lanes'(stream_pkg::lanes_below(
      stream_pkg::lane_count_t'(read_word.last_lane) + 1'b1
  ));

  always_ff @(posedge clk) begin
    if (fetch) begin
      read_q         <= read_q + 1'b1;
      last_of_room_q <= last_of_room_q + 1'b1;
    end
    if (ram_load) ram_valid_q <= fetch;
    if (output_load) begin
      m_valid <= ram_valid_q;
      m_data  <= read_word.data;
      m_last  <= read_word.last;
      m_keep  <= read_keep;
    end
    packets_o <= packets_o + CountWidth'(keep_packet) - CountWidth'(m_valid && m_ready && m_last);

    if (rst) begin
      read_q         <= '0;
      last_of_room_q <= {1'b0, {AddressWidth{1'b1}}};
      ram_valid_q    <= 1'b0;
      m_valid        <= 1'b0;
      packets_o      <= '0;
    end
  end

endmodule
