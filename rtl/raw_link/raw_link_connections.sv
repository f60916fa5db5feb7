// SPDX-License-Identifier: Apache-2.0

// Connection manager: the table of connections, and the decision on every frame that came in.
//
// Latency    from a frame to its delivery: 4 clocks plus the number of entries before its own; a
//            frame of no connection looks at all of them.
// Throughput a frame in Connections + 5 clocks at worst, less one lookup per frame sent.
// Paths      every output is a register but s_ready and m_lookup_found, which are functions of
//            registers.
//
// To forget all, after reset too, takes Connections clocks, in which frames and lookups wait.
//
// An entry is active, or remembers a connection that was closed, or was never used. The table is
// RAM and is scanned, from a pointer that goes round behind the entry opened last: so a frame of no
// connection meets the entry that was closed longest ago first, and takes that. No two entries that
// are in use have the same key.
//
// s_lookup asks for the address and the next number of a connection, to send a frame; the number is
// used up. s_lookup_valid stays until s_lookup_ready, which takes a clock at least; the handle counts in
// that clock. It is answered in the next one; found is 0 if the handle is of a connection whose
// entry belongs to another one by now. A closed connection is still found: its application may
// answer the Last. A lookup waits two clocks more while the table is changed, or while all is
// forgotten, but not until what came of a frame is taken: or else a sender that waits for its lookup and
// a manager that waits for the sender would do so for good.
//
// s_frame is judged by raw_link_pkg::judge. A frame with data always makes a delivery, so that
// whoever holds the data knows what to do with it; one without only if it is delivered. Outputs
// wait for each other: a stalled one stops all.
module raw_link_connections
  import raw_link_pkg::*;
#(
  parameter int Connections = 16,
  parameter int Apps        = MaxApps
) (
  input  logic               clk,
  input  logic               rst,

  input  logic               forget_i,  // all connections

  input  frame_t             s_frame,
  input  logic               s_valid,
  output logic               s_ready,

  output delivery_t          m_delivery,
  output logic               m_delivery_valid,
  input  logic               m_delivery_ready,

  output response_t          m_response,
  output logic               m_response_valid,
  input  logic               m_response_ready,

  output acknowledged_t      m_acknowledged,
  output logic               m_acknowledged_valid,  // without ready: a pulse

  input  handle_t            s_lookup_handle,
  input  logic               s_lookup_valid,
  output logic               s_lookup_ready,
  output logic               m_lookup_found,
  output connection_key_t    m_lookup_key,
  output raw_seq_t           m_lookup_seq,

  output raw_link_counters_t counts_o
);

  if (Connections < 2 || Connections > MaxConnections || 2 ** $clog2(
          Connections
      ) != Connections) begin : gen_check_connections
    $error("Connections must be a power of two from 2 to 256.");
  end
  if (Apps < 1 || Apps > MaxApps) begin : gen_check_apps
    $error("Apps must be from 1 to 4.");
  end

  localparam int IndexWidth = $clog2(Connections);
  typedef logic [IndexWidth-1:0] index_t;

  // known and not active: the entry remembers a connection that was closed.
  typedef struct packed {
    logic                       known;
    logic                       active;
    logic [GenerationWidth-1:0] generation;
  } entry_t;

  typedef enum logic [1:0] {
    StIdle,    // no frame
    StScan,    // look at one entry after the other
    StDecide,  // judge the frame
    StTell     // change its entry; wait until what comes of it is taken
  } state_e;

  state_e state_q;
  frame_t frame_q;  // stays while it is told
  index_t newest_q;  // entry opened last: a scan begins behind it and ends with it
  index_t scan_q;  // entry that is read
  // An entry is read and compared in one clock, two bits at a time; whether all are the same is for the
  // next.
  localparam int Pairs = $bits(connection_key_t) / 2;
  logic looked_q, looked_last_q, all_read_q;
  logic [Pairs-1:0] looked_same_q;
  index_t looked_index_q;
  entry_t looked_entry_q;
  raw_seq_t looked_expected_q;
  // The frame's entry, or else the first that it could take.
  logic match_q, room_q;
  index_t found_q;
  logic found_active_q;
  logic [GenerationWidth-1:0] found_generation_q;
  raw_seq_t found_expected_q, found_difference_q;
  // What was decided is written a clock later.
  logic open_q, move_q, close_q;
  // All is forgotten, entry by entry.
  logic clear_q, clearing;
  index_t clear_index_q;

  // One read port for scans and lookups; lookups come first.
  logic scanning, scanned, hit, free, writing;
  logic looked_up_q;
  handle_t lookup_q;
  index_t read_index, lookup_index;
  connection_key_t read_key, frame_key;
  entry_t read_entry, write_entry;
  raw_seq_t read_expected, read_next;

  assign s_ready        = state_q == StIdle && !clear_q;
  assign lookup_index   = lookup_q.index[IndexWidth-1:0];
  assign m_lookup_found = looked_up_q && looked_entry_q.known
      && looked_entry_q.generation == lookup_q.generation
      && lookup_q.index == $bits(
      lookup_q.index
  )'(lookup_index);

  assign frame_key  = frame_q.key;
  assign scanning   = state_q == StScan && !s_lookup_ready && !all_read_q && !clear_q;
  assign scanned    = state_q == StScan && !clear_q && (hit || (looked_q && looked_last_q));
  assign read_index = s_lookup_ready ? s_lookup_handle.index[IndexWidth-1:0] : scan_q;
  assign hit        = looked_q && looked_entry_q.known && &looked_same_q;
  assign free       = looked_q && !looked_entry_q.active && !room_q;

  // ---- The decision ----------------------------------------------------------------------------

  verdict_t verdict;

  assign verdict = judge(
      frame_q,
      32'(frame_q.ui_app) < Apps,
      match_q,
      match_q && found_active_q,
      found_expected_q,
      found_difference_q,
      room_q
  );

  logic deliver_q, connected_q;
  logic [GenerationWidth-1:0] generation_q;
  logic [1:0] action_q;
  raw_app_t answer_app_q;
  raw_seq_t answer_seq_q;
  handle_t handle;

  assign handle         = '{generation: generation_q, index: $bits(handle.index)'(found_q)};
  assign m_delivery = '{
      deliver: deliver_q,
      connected: connected_q,
      handle: handle,
      ui_app: frame_q.ui_app,
      first: frame_q.first,
      last: frame_q.last,
      size: frame_q.size
  };
  assign m_response =
      '{key: frame_q.key, action: action_q, ui_app: answer_app_q, seq: answer_seq_q};
  assign m_acknowledged = '{handle: handle, seq: frame_q.seq};

  // ---- The table -------------------------------------------------------------------------------

  // A decision that was made is written before all is forgotten.
  assign writing  = open_q || move_q || close_q;
  assign clearing = clear_q && state_q != StDecide && !writing;
  assign write_entry = clearing ? '0
      : '{known: 1'b1, active: open_q, generation: generation_q};

  ram_distributed #(
    .Width($bits(connection_key_t)),
    .Depth(Connections)
  ) key_ram (
    .clk,
    .write_enable_i (open_q),
    .write_address_i(found_q),
    .write_data_i   (frame_q.key),
    .read_address_i (read_index),
    .read_data_o    (read_key)
  );

  ram_distributed #(
    .Width($bits(entry_t)),
    .Depth(Connections)
  ) entry_ram (
    .clk,
    .write_enable_i (open_q || close_q || clearing),
    .write_address_i(clearing ? clear_index_q : found_q),
    .write_data_i   (write_entry),
    .read_address_i (read_index),
    .read_data_o    (read_entry)
  );

  ram_distributed #(
    .Width($bits(raw_seq_t)),
    .Depth(Connections)
  ) expected_ram (
    .clk,
    .write_enable_i (move_q),
    .write_address_i(found_q),
    .write_data_i   (frame_q.seq + 1'b1),
    .read_address_i (read_index),
    .read_data_o    (read_expected)
  );

  // The number of the next frame to be sent. That of a lookup is written in the clock with its answer,
  // which is never the one in which a connection is opened.
  index_t next_index;

  assign next_index = m_lookup_found ? lookup_index : found_q;

  ram_distributed #(
    .Width($bits(raw_seq_t)),
    .Depth(Connections)
  ) next_ram (
    .clk,
    .write_enable_i (open_q || m_lookup_found),
    .write_address_i(next_index),
    .write_data_i   (m_lookup_found ? m_lookup_seq + 1'b1 : frame_q.seq),
    .read_address_i (read_index),
    .read_data_o    (read_next)
  );

  always_ff @(posedge clk) begin
    s_lookup_ready    <= s_lookup_valid && !s_lookup_ready && !clear_q
        && !scanned && state_q != StDecide;
    looked_up_q       <= s_lookup_ready;
    lookup_q          <= s_lookup_handle;
    m_lookup_key      <= read_key;
    m_lookup_seq      <= read_next;
    looked_q          <= scanning;
    looked_last_q     <= scan_q == newest_q;
    for (int i = 0; i < Pairs; i++) begin
      looked_same_q[i] <= read_key[2*i+:2] == frame_key[2*i+:2];
    end
    looked_index_q    <= scan_q;
    looked_entry_q    <= read_entry;
    looked_expected_q <= read_expected;

    counts_o             <= '0;
    m_acknowledged_valid <= 1'b0;
    open_q               <= 1'b0;
    move_q               <= 1'b0;
    close_q              <= 1'b0;
    if (m_delivery_ready) m_delivery_valid <= 1'b0;
    if (m_response_ready) m_response_valid <= 1'b0;

    unique case (state_q)
      StIdle: begin
        frame_q <= s_frame;
        if (s_valid && s_ready) state_q <= StScan;
      end
      StScan: begin
        if (scanning) begin
          scan_q     <= scan_q + 1'b1;
          all_read_q <= scan_q == newest_q;
        end
        if (hit || free) begin
          found_q            <= looked_index_q;
          found_active_q     <= looked_entry_q.active;
          found_generation_q <= looked_entry_q.generation;
          found_expected_q   <= looked_expected_q;
          found_difference_q <= frame_q.seq - looked_expected_q;
        end
        if (hit) match_q <= 1'b1;
        if (free) room_q <= 1'b1;
        if (scanned) state_q <= StDecide;
      end
      StDecide: begin
        counts_o             <= verdict.counts;
        m_acknowledged_valid <= verdict.acknowledged;
        m_delivery_valid     <= verdict.deliver || frame_q.size != '0;
        m_response_valid     <= verdict.respond;
        deliver_q            <= verdict.deliver;
        connected_q          <= verdict.connected;
        action_q             <= verdict.response.action;
        answer_app_q         <= verdict.response.ui_app;
        answer_seq_q         <= verdict.response.seq;
        open_q               <= verdict.open;
        move_q               <= verdict.move;
        close_q              <= verdict.close;
        // An entry that changes hands gets another generation: what is still to be sent to the
        // connection before does not go to the new one.
        generation_q <= found_generation_q + GenerationWidth'(verdict.open);
        state_q <= StTell;
      end
      default: begin
        if (open_q) newest_q <= found_q;
        if ((!m_delivery_valid || m_delivery_ready)
            && (!m_response_valid || m_response_ready)) begin
          state_q <= StIdle;
        end
      end
    endcase

    // A scan begins, or begins again behind the forgetting.
    if (state_q == StIdle || clear_q) begin
      scan_q     <= newest_q + 1'b1;
      all_read_q <= 1'b0;
      match_q    <= 1'b0;
      room_q     <= 1'b0;
    end

    if (clearing) begin
      clear_index_q <= clear_index_q + 1'b1;
      if (&clear_index_q) clear_q <= 1'b0;
    end
    if (forget_i) begin
      clear_q       <= 1'b1;
      clear_index_q <= '0;
    end

    if (rst) begin
      state_q              <= StIdle;
      newest_q             <= '1;
      looked_q             <= 1'b0;
      open_q               <= 1'b0;
      move_q               <= 1'b0;
      close_q              <= 1'b0;
      clear_q              <= 1'b1;
      clear_index_q        <= '0;
      m_delivery_valid     <= 1'b0;
      m_response_valid     <= 1'b0;
      m_acknowledged_valid <= 1'b0;
      s_lookup_ready       <= 1'b0;
      looked_up_q          <= 1'b0;
      counts_o             <= '0;
    end
  end

endmodule
