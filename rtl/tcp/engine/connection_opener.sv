// SPDX-License-Identifier: Apache-2.0

// Active open, up to the lookup: takes CommandOpen, chooses a local port if the command names none,
// and offers the tuple to the lookup, which inserts it or says why not.
//
// Local port  RFC 6056 section 3.3.3: a keyed hash of both addresses and the remote port plus a count
//             of the ports offered, in 49152 to 65535. A tuple that is in use gets the next port, for
//             PortTries ports in all; then the open fails.
// Room        a command waits for room_i, and no other begins before its outcome: so at most one
//             result comes after room_i went low.
// Throughput  one open at a time: about 25 clocks to the offer with a port to choose, 3 without.
// Paths       s_ready, m_hash_valid, m_valid and what is beside it are registers, or one level of
//             logic behind them.
module connection_opener
  import net_headers_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;
#(
  parameter int PortTries = 16
) (
  input  logic         clk,
  input  logic         rst,

  input  ip_address_t  ip_i,
  input  ip_address_t  broadcast_ip_i,
  input  logic         room_i,

  // Its session and value mean nothing yet.
  // verilator lint_off UNUSEDSIGNAL
  input  app_command_t s_command,
  // verilator lint_on UNUSEDSIGNAL
  input  logic         s_valid,
  output logic         s_ready,

  // The command at work.
  output tuple_t       tuple_o,          // local_port 0 while it is hashed
  output app_id_t      app_o,
  output logic [7:0]   tag_o,

  // Its hash is wanted, and here it is.
  output logic         m_hash_valid,
  input  logic         m_hash_ready,
  input  logic [13:0]  hash_i,
  input  logic         hash_valid_i,

  // Offer to the lookup.
  output logic         m_insert,         // somebody can be at this address
  output logic         m_may_retry,      // if the tuple is in use
  output logic         m_valid,
  input  logic         m_ready,

  // The outcome: the tuple is in use and another port is tried, or the event is on its way.
  input  logic         retry_i,
  input  logic         done_i
);

  localparam int TriesWidth = $clog2(PortTries);

  if (PortTries < 2) begin : gen_check_tries
    $error("PortTries must be at least 2.");
  end

  typedef enum logic [2:0] {
    StIdle,
    StRoom,     // waits for room
    StHash,     // asks for the hash
    StHashing,  // waits for it
    StOffer,    // offers the tuple
    StOutcome   // waits for what became of it
  } state_e;

  state_e                state_q;
  ip_address_t           remote_ip_q;
  port_t                 remote_port_q;
  port_t                 local_port_q;
  logic                  choose_q;      // the port is ours to choose
  logic [TriesWidth-1:0] tries_left_q;  // after this one
  logic [13:0]           offered_q;     // ports
  logic                  was_offered_q;

  assign s_ready      = state_q == StIdle;
  assign m_hash_valid = state_q == StHash;
  assign m_valid      = state_q == StOffer;
  assign m_may_retry  = choose_q && tries_left_q != '0;
  assign tuple_o = '{remote_ip: remote_ip_q, remote_port: remote_port_q, local_port: local_port_q};

  always_ff @(posedge clk) begin
    unique case (state_q)
      StIdle: begin
        remote_ip_q   <= s_command.remote_ip;
        remote_port_q <= s_command.remote_port;
        local_port_q  <= s_command.local_port;
        app_o         <= s_command.app;
        tag_o         <= s_command.tag;
        if (s_valid) state_q <= StRoom;
      end

      StRoom: begin
        choose_q     <= local_port_q == '0;
        tries_left_q <= TriesWidth'(PortTries - 1);
        m_insert     <= is_host(remote_ip_q) && remote_ip_q != ip_i
            && remote_ip_q != broadcast_ip_i && remote_port_q != '0;
        if (room_i) state_q <= local_port_q == '0 ? StHash : StOffer;
      end

      StHash: if (m_hash_ready) state_q <= StHashing;

      StHashing: begin
        local_port_q <= {2'b11, hash_i + offered_q};
        if (hash_valid_i) state_q <= StOffer;
      end

      StOffer: if (m_ready) state_q <= StOutcome;

      StOutcome: begin
        if (retry_i) begin
          local_port_q <= {2'b11, local_port_q[13:0] + 1'b1};
          tries_left_q <= tries_left_q - 1'b1;
          state_q      <= StOffer;
        end
        if (done_i) state_q <= StIdle;
      end

      default: state_q <= StIdle;
    endcase

    // A clock later: it is long until the next hash.
    was_offered_q <= choose_q && (retry_i || done_i);
    if (was_offered_q) offered_q <= offered_q + 1'b1;

    if (rst) begin
      state_q   <= StIdle;
      offered_q <= '0;
    end
  end

endmodule
