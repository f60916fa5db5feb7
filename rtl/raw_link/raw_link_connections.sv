// SPDX-License-Identifier: Apache-2.0

// Connection manager: the table of connections, and the decision on every frame that came in.
//
// Latency    from a frame to its delivery: 4 clocks plus the number of entries before its own; a
//            frame of no connection looks at all of them.
// Throughput a frame in Connections + 5 clocks at worst, less one lookup per frame sent.
// Paths      every output is a register but s_ready and s_lookup_ready, which are functions of
//            registers.
//
// An entry is active, or remembers a connection that was closed, or was never used. The table is
// RAM and is scanned, from a pointer that goes round behind the entry opened last: so a frame of no
// connection meets the entry that was closed longest ago first, and takes that. No two entries that
// are in use have the same key.
//
// s_lookup asks for the address and the next number of a connection, to send a frame; the number is
// used up. It is answered in the next clock; found is 0 if the handle is of a connection whose
// entry belongs to another one by now. A closed connection is still found: its application may
// answer the Last. Lookups wait for one clock at most: also while what came of a frame is not taken,
// or else a sender that waits for its lookup and a manager that waits for the sender would do so for
// good.
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

  typedef struct packed {
    logic [GenerationWidth-1:0] generation;
    raw_seq_t                   expected;
  } receive_state_t;

  typedef enum logic [1:0] {
    StIdle,    // no frame
    StScan,    // look at one entry after the other
    StDecide,  // judge the frame and change its entry
    StTell     // wait until what comes of it is taken
  } state_e;

  state_e state_q;
  frame_t frame_q;
  logic [Connections-1:0] active_q, known_q;
  index_t start_q;  // where scans begin
  index_t scan_q;  // entry that is looked at
  index_t found_q;  // the frame's entry, or else the one that it could take
  index_t free_q;
  // An entry is read in one clock and compared in the next.
  logic looked_q, looked_last_q, all_read_q;
  index_t looked_index_q;
  receive_state_t looked_state_q;
  logic match_q, match_active_q, room_q;
  receive_state_t found_state_q;
  logic advanced;

  // One read port for scans and lookups; lookups come first.
  logic lookup, lookup_found, scanning, hit;
  index_t read_index, lookup_index, write_index;
  connection_key_t read_key;
  receive_state_t read_state, write_state;
  raw_seq_t read_next, write_next;
  logic [IndexWidth-1:0] next_write_index;
  logic write_key, write_receive, write_transmit;

  assign s_ready        = state_q == StIdle;
  assign s_lookup_ready = state_q != StDecide;
  assign lookup         = s_lookup_valid && s_lookup_ready;
  assign lookup_index   = s_lookup_handle.index[IndexWidth-1:0];
  assign scanning       = state_q == StScan && !lookup && !all_read_q;
  assign read_index     = lookup ? lookup_index : scan_q;
  assign hit            = looked_q && known_q[looked_index_q] && m_lookup_key == frame_q.key;
  assign advanced       = scan_q + 1'b1 == start_q;

  // The decision.
  verdict_t verdict;
  index_t entry;

  assign verdict = judge(
      frame_q,
      32'(frame_q.ui_app) < Apps,
      match_q,
      match_q && match_active_q,
      found_state_q.expected,
      room_q
  );
  assign entry = match_q ? found_q : free_q;

  handle_t handle;
  logic [GenerationWidth-1:0] generation;

  // An entry that changes hands gets another generation: what is still to be sent to the connection
  // before does not go to the new one.
  assign generation = verdict.open ? found_state_q.generation + 1'b1 : found_state_q.generation;
  assign handle     = '{generation: generation, index: $bits(handle.index)'(entry)};

  assign write_index         = entry;
  assign write_key           = state_q == StDecide && verdict.open;
  assign write_receive       = state_q == StDecide && verdict.move;
  assign write_state         = '{generation: generation, expected: frame_q.seq + 1'b1};
  assign write_transmit      = write_key || (lookup && lookup_found);
  assign next_write_index    = lookup ? lookup_index : entry;
  assign write_next          = lookup ? read_next + 1'b1 : frame_q.seq;

  assign lookup_found = known_q[lookup_index]
      && read_state.generation == s_lookup_handle.generation
      && s_lookup_handle.index == $bits(
      handle.index
  )'(lookup_index);

  ram_distributed #(
    .Width($bits(connection_key_t)),
    .Depth(Connections)
  ) key_ram (
    .clk,
    .write_enable_i (write_key),
    .write_address_i(write_index),
    .write_data_i   (frame_q.key),
    .read_address_i (read_index),
    .read_data_o    (read_key)
  );

  ram_distributed #(
    .Width($bits(receive_state_t)),
    .Depth(Connections)
  ) receive_ram (
    .clk,
    .write_enable_i (write_receive),
    .write_address_i(write_index),
    .write_data_i   (write_state),
    .read_address_i (read_index),
    .read_data_o    (read_state)
  );

  ram_distributed #(
    .Width($bits(raw_seq_t)),
    .Depth(Connections)
  ) transmit_ram (
    .clk,
    .write_enable_i (write_transmit),
    .write_address_i(next_write_index),
    .write_data_i   (write_next),
    .read_address_i (read_index),
    .read_data_o    (read_next)
  );

  always_ff @(posedge clk) begin
    counts_o             <= '0;
    m_acknowledged_valid <= 1'b0;
    if (m_delivery_ready) m_delivery_valid <= 1'b0;
    if (m_response_ready) m_response_valid <= 1'b0;
    m_lookup_found <= lookup_found;
    m_lookup_key   <= read_key;
    m_lookup_seq   <= read_next;
    looked_q       <= scanning;
    looked_last_q  <= advanced;
    looked_index_q <= scan_q;
    looked_state_q <= read_state;

    unique case (state_q)
      StIdle: begin
        frame_q <= s_frame;
        scan_q  <= start_q;
        match_q <= 1'b0;
        room_q  <= 1'b0;
        all_read_q <= 1'b0;
        if (s_valid) state_q <= StScan;
      end
      StScan: begin
        if (scanning) begin
          scan_q     <= scan_q + 1'b1;
          all_read_q <= advanced;
        end
        if (hit) begin
          match_q        <= 1'b1;
          match_active_q <= active_q[looked_index_q];
          found_q        <= looked_index_q;
        end
        if (looked_q && !active_q[looked_index_q] && !room_q) begin
          room_q <= 1'b1;
          free_q <= looked_index_q;
        end
        // The state of the entry that the frame would have, whichever it is.
        if (hit || (looked_q && !active_q[looked_index_q] && !room_q)) begin
          found_state_q <= looked_state_q;
        end
        if (hit || (looked_q && looked_last_q)) state_q <= StDecide;
      end
      StDecide: begin
        counts_o             <= verdict.counts;
        m_acknowledged_valid <= verdict.acknowledged;
        m_delivery_valid     <= verdict.deliver || frame_q.size != '0;
        m_response_valid     <= verdict.respond;
        if (verdict.open) begin
          active_q[entry] <= 1'b1;
          known_q[entry]  <= 1'b1;
          start_q         <= entry + 1'b1;
        end
        if (verdict.close) active_q[entry] <= 1'b0;
        state_q <= StTell;
      end
      default: begin
        if ((!m_delivery_valid || m_delivery_ready)
            && (!m_response_valid || m_response_ready)) begin
          state_q <= StIdle;
        end
      end
    endcase

    if (state_q == StDecide) begin
      m_delivery <= '{
          deliver: verdict.deliver,
          connected: verdict.connected,
          handle: handle,
          ui_app: frame_q.ui_app,
          first: frame_q.first,
          last: frame_q.last,
          size: frame_q.size
      };
      m_response     <= verdict.response;
      m_acknowledged <= '{handle: handle, seq: frame_q.seq};
    end

    if (forget_i) begin
      active_q <= '0;
      known_q  <= '0;
    end
    if (rst) begin
      state_q              <= StIdle;
      active_q             <= '0;
      known_q              <= '0;
      start_q              <= '0;
      looked_q             <= 1'b0;
      m_delivery_valid     <= 1'b0;
      m_response_valid     <= 1'b0;
      m_acknowledged_valid <= 1'b0;
      counts_o             <= '0;
    end
  end

endmodule
