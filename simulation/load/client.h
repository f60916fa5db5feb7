// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace toehold {

enum class ClientState : std::uint8_t { kClosed, kOpening, kOpen, kClosing };

/// What an emulated client remembers; there may be millions. Places in the two byte streams count
/// from 0: the sequence number of place p is iss + 1 + p, and irs + 1 + p the other way.
struct Client {
  static constexpr std::uint32_t kNoSession = UINT32_MAX;

  std::uint64_t una = 0, nxt = 0;  // sent: acknowledged, and at all
  std::uint64_t goal = 0;          // to be sent up to here
  std::uint64_t rcv = 0;           // received in order
  std::uint64_t edge = 0;          // of the window that is told; of what is to be pushed
  std::uint64_t pushed = 0;        // to the engine, of that
  std::uint64_t told = 0;          // of `rcv` when it was last told
  std::uint64_t turn_end = 0;      // place at which the present exchange is done
  std::uint64_t began_clock = 0;   // first beat of the frame that began a turn
  std::uint32_t iss = 0, irs = 0;
  std::uint32_t turns = 0;         // under way
  std::uint32_t window = 0;        // the engine's
  std::uint32_t session = kNoSession;  // the engine's name of a connection that is pushed to
  std::uint16_t mss = 536;         // the engine's
  std::uint16_t port = 0;          // the engine's
  std::uint8_t task = 0;
  std::uint8_t kind = 0;
  std::uint8_t retries = 0;
  std::uint8_t segments = 0;       // received since the last acknowledgement
  ClientState state = ClientState::kClosed;

  // What is to be sent, or waits.
  bool queued : 1, send_syn : 1, send_ack : 1, send_rst : 1, probe : 1;
  bool fin_wanted : 1, fin_sent : 1, fin_acked : 1, fin_received : 1;
  bool retransmit_timer : 1, ack_timer : 1;
  bool timing : 1, timed : 1;      // the next frame begins a turn; it has gone and is not answered
  bool pushing : 1, more_acked : 1;  // a message has no status yet; and room may have grown since

  Client()
      : queued(false), send_syn(false), send_ack(false), send_rst(false), probe(false),
        fin_wanted(false), fin_sent(false), fin_acked(false), fin_received(false),
        retransmit_timer(false), ack_timer(false), timing(false), timed(false), pushing(false),
        more_acked(false) {}

  bool connected() const { return state == ClientState::kOpen || state == ClientState::kClosing; }

  /// Sequence numbers of ours that are acknowledged, with those of SYN and FIN.
  std::uint64_t acknowledged() const {
    return state == ClientState::kOpening ? 0 : 1 + una + fin_acked;
  }
};

}  // namespace toehold
