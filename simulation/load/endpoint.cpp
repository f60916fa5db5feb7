// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>

#include "load/load.h"

namespace toehold {

namespace {

constexpr std::uint32_t kFirstAddress = 16;  // in the engine's network of 256
constexpr std::uint32_t kFirstPort = 1024;
constexpr unsigned kMostRetries = 12;

MacAddress mac_of(std::uint32_t ip) {
  return {0x02, 0, 0, 0, 0, static_cast<std::uint8_t>(ip - kFirstAddress + 1)};
}

}  // namespace

// Neighbouring clients have different addresses.
std::uint32_t Load::address(std::uint32_t number) const {
  return (engine_ip_ & ~0xffu) + kFirstAddress + number % addresses_;
}

std::uint16_t Load::port(std::uint32_t number) const {
  return static_cast<std::uint16_t>(kFirstPort + number / addresses_);
}

std::optional<std::uint32_t> Load::client_at(std::uint32_t ip, std::uint16_t port) const {
  const std::uint32_t row = ip - address(0);
  if (row >= addresses_ || port < kFirstPort) return std::nullopt;
  const std::uint64_t number = std::uint64_t{port - kFirstPort} * addresses_ + row;
  if (number >= clients_.size()) return std::nullopt;
  return static_cast<std::uint32_t>(number);
}

void Load::queue(std::uint32_t number) {
  if (clients_[number].queued) return;
  clients_[number].queued = true;
  ready_.push_back(number);
}

std::uint64_t Load::window_left(const Client& client) const {
  const std::uint64_t end =
      client.kind == TOEHOLD_LOAD_RECEIVE ? client.edge : client.rcv + settings_.window;
  return std::min<std::uint64_t>(end - std::min(end, client.rcv), settings_.window);
}

// ---- Sending

bool Load::has_more(const Client& client) const {
  if (client.send_syn || client.send_rst || client.send_ack || client.probe) return true;
  if (!client.connected()) return false;
  if (client.nxt < client.goal) return client.nxt < client.una + client.window;
  return client.fin_wanted && !client.fin_sent;
}

bool Load::build_next(std::uint32_t number, std::vector<std::uint8_t>& frame) {
  Client& client = clients_[number];
  Segment segment;
  segment.source_ip = address(number);
  segment.destination_ip = engine_ip_;
  segment.source_port = port(number);
  segment.destination_port = client.port;
  segment.window = static_cast<std::uint16_t>(window_left(client));
  segment.seq = client.iss + 1 + static_cast<std::uint32_t>(client.nxt) + client.fin_sent;
  segment.ack = client.irs + 1 + static_cast<std::uint32_t>(client.rcv) + client.fin_received;
  segment.flags = kAck;

  bool reset = false;
  if (client.send_syn) {
    client.send_syn = false;
    segment.flags = kSyn;
    segment.seq = client.iss;
    segment.ack = 0;
    segment.mss = static_cast<std::uint16_t>(mss(number));
    arm_retransmission(number);
  } else if (client.send_rst) {
    segment.flags = kRst | kAck;
    reset = true;
  } else if (client.connected() && client.nxt < client.goal &&
             (client.nxt < client.una + client.window || client.probe)) {
    const std::uint64_t room =
        client.probe ? 1 : client.una + client.window - client.nxt;
    segment.length = std::min<std::uint64_t>(
        {client.goal - client.nxt, room, std::min<std::uint64_t>(client.mss, mss(number))});
    segment.payload = patterns_.of_client(number, client.nxt);
    client.nxt += segment.length;
    client.probe = false;
    if (client.nxt == client.goal) segment.flags |= kPsh;
    arm_retransmission(number);
  } else if (client.connected() && client.fin_wanted && !client.fin_sent &&
             client.nxt == client.goal) {
    segment.flags |= kFin;
    client.fin_sent = true;
    arm_retransmission(number);
  } else if (!client.send_ack) {
    return false;
  }
  client.send_ack = false;
  client.segments = 0;
  client.told = client.rcv;
  build(segment, mac_of(segment.source_ip & 0xff), engine_mac_, frame);
  if (reset) closed(number, false);
  return true;
}

void Load::acknowledge_soon(std::uint32_t number, bool now) {
  Client& client = clients_[number];
  if (now) {
    client.send_ack = true;
    queue(number);
  } else if (!client.ack_timer) {
    client.ack_timer = true;
    acknowledgements_.push_back({now_us() + settings_.ack_delay_us, number, 0, client.iss});
  }
}

// ---- Timers. All of one sort take equally long, so each sort is a queue.

void Load::arm_retransmission(std::uint32_t number) {
  Client& client = clients_[number];
  if (client.retransmit_timer) return;
  client.retransmit_timer = true;
  retransmissions_.push_back(
      {now_us() + settings_.retransmit_us, number, client.acknowledged(), client.iss});
}

void Load::run_timers() {
  if (acknowledgements_.empty() && retransmissions_.empty()) return;
  const std::uint64_t now = now_us();
  while (!acknowledgements_.empty() && acknowledgements_.front().time_us <= now) {
    const std::uint32_t number = acknowledgements_.front().client;
    acknowledgements_.pop_front();
    clients_[number].ack_timer = false;
    if (clients_[number].segments != 0) acknowledge_soon(number, true);
  }
  while (!retransmissions_.empty() && retransmissions_.front().time_us <= now) {
    const Deadline deadline = retransmissions_.front();
    retransmissions_.pop_front();
    Client& client = clients_[deadline.client];
    client.retransmit_timer = false;
    const bool waits = client.state == ClientState::kOpening || client.una < client.goal ||
                       (client.fin_sent && !client.fin_acked);
    if (client.state == ClientState::kClosed || !waits) continue;
    if (client.acknowledged() == deadline.acknowledged && client.iss == deadline.iss) {
      retransmit(deadline.client);
    }
    if (client.state != ClientState::kClosed) arm_retransmission(deadline.client);
  }
}

// Everything from the first byte that is not acknowledged on.
void Load::retransmit(std::uint32_t number) {
  Client& client = clients_[number];
  if (++client.retries > kMostRetries) {
    closed(number, true);
    return;
  }
  if (client.queued && client.nxt == client.una) return;  // has not had its turn on the wire
  counters_.retransmissions++;
  client.timed = client.timing = false;
  client.send_syn = client.state == ClientState::kOpening;
  client.nxt = client.una;
  if (!client.fin_acked) client.fin_sent = false;
  client.probe = client.window == 0 && client.nxt < client.goal;
  queue(number);
}

// ---- Receiving

void Load::receive(const std::uint8_t* bytes, std::size_t length, std::uint64_t first_clock) {
  if (const auto arp = parse_arp(bytes, length)) {
    if (arp->reply) {
      engine_mac_ = arp->sender_mac;
      engine_known_ = engine_known_ || arp->sender_ip == engine_ip_;
    } else if (arp->target_ip - address(0) < addresses_) {
      ArpPacket answer;
      answer.reply = true;
      answer.sender_mac = mac_of(arp->target_ip & 0xff);
      answer.sender_ip = arp->target_ip;
      answer.target_mac = arp->sender_mac;
      answer.target_ip = arp->sender_ip;
      urgent_.emplace_back();
      build(answer, arp->sender_mac, urgent_.back());
    }
    return;
  }
  const auto segment = parse_segment(bytes, length);
  const auto number = segment ? client_at(segment->destination_ip, segment->destination_port)
                              : std::nullopt;
  if (!number || segment->source_ip != engine_ip_ ||
      segment->source_port != clients_[*number].port) {
    counters_.bad_frames++;
    return;
  }
  receive(*number, *segment, first_clock);
}

void Load::receive(std::uint32_t number, const Segment& segment, std::uint64_t first_clock) {
  Client& client = clients_[number];
  if (segment.flags & kRst) {
    if (client.state == ClientState::kClosed) return;
    if (client.state == ClientState::kOpening) counters_.refused++;
    closed(number, true);
    return;
  }
  if (client.state == ClientState::kClosed) {
    if (segment.flags & kFin) acknowledge_soon(number, true);  // ours to its FIN was lost
    return;
  }
  if (client.state == ClientState::kOpening) {
    if (!(segment.flags & kSyn) || !(segment.flags & kAck) || segment.ack != client.iss + 1) return;
    client.irs = segment.seq;
    client.window = segment.window;
    client.mss = segment.mss != 0 ? segment.mss : 536;
    client.state = ClientState::kOpen;
    client.retries = 0;
    client.send_ack = true;
    answered(client, first_clock);
    counters_.established++;
    counters_.connected++;
    if (!pushes(number)) opened(number);  // else when the application has been told of it
    queue(number);
    return;
  }
  if (segment.flags & kSyn) {  // ours to its SYN was lost
    acknowledge_soon(number, true);
    return;
  }
  const bool timed = client.timed && (segment.length != 0 || client.kind == TOEHOLD_LOAD_SEND ||
                                      client.state == ClientState::kClosing);
  if (timed) answered(client, first_clock);
  if (segment.flags & kAck) take_acknowledgement(number, segment);
  if (segment.length != 0 || (segment.flags & kFin)) take_payload(number, segment);
  if (client.state == ClientState::kClosing && client.fin_acked && client.fin_received) {
    closed(number, false);
    return;
  }
  advanced(number);
  if (has_more(client)) queue(number);
}

void Load::take_acknowledgement(std::uint32_t number, const Segment& segment) {
  Client& client = clients_[number];
  const std::uint32_t wire_una = client.iss + 1 + static_cast<std::uint32_t>(client.una);
  const auto forward = static_cast<std::int32_t>(segment.ack - wire_una);
  if (forward < 0) return;
  // The acknowledgement of the FIN is one beyond the last byte.
  const std::uint64_t bytes = std::min<std::uint64_t>(forward, client.goal - client.una);
  const std::uint64_t beyond = static_cast<std::uint64_t>(forward) - bytes;
  if (beyond > 1 || (beyond == 1 && !client.fin_wanted)) {
    counters_.bad_frames++;
    return;
  }
  if (beyond == 1) client.fin_sent = client.fin_acked = true;
  client.una += bytes;
  client.nxt = std::max(client.nxt, client.una);
  client.window = segment.window;
  counters_.bytes_sent += bytes;
  if (forward > 0) client.retries = 0;
}

void Load::take_payload(std::uint32_t number, const Segment& segment) {
  Client& client = clients_[number];
  const std::uint32_t wire_next = client.irs + 1 + static_cast<std::uint32_t>(client.rcv) +
                                  client.fin_received;
  const auto behind = static_cast<std::int32_t>(wire_next - segment.seq);
  if (behind < 0) {
    counters_.out_of_order++;
    acknowledge_soon(number, true);
    return;
  }
  if (static_cast<std::size_t>(behind) >= segment.length + ((segment.flags & kFin) != 0)) {
    acknowledge_soon(number, true);  // had it already
    return;
  }
  const std::size_t length = segment.length - std::min<std::size_t>(behind, segment.length);
  if (length > window_left(client)) {
    counters_.beyond_window++;
    acknowledge_soon(number, true);
    return;
  }
  const std::uint8_t* const came = segment.payload + (segment.length - length);
  const bool generated = client.kind == TOEHOLD_LOAD_RECEIVE || pushes(number);
  const std::uint8_t* const wanted =
      generated ? patterns_.of_generator(client.rcv) : patterns_.of_client(number, client.rcv);
  const std::uint64_t all = generated ? client.edge : client.goal;
  const bool too_much = client.rcv + length > all;
  if (too_much || std::memcmp(came, wanted, length) != 0) {
    for (std::size_t i = 0; i < length; i++) counters_.wrong_bytes += too_much || came[i] != wanted[i];
  }
  client.rcv += length;
  counters_.bytes_received += length;
  if (segment.flags & kFin) client.fin_received = true;
  if (client.segments < 255) client.segments++;
  acknowledge_soon(number, client.segments >= settings_.ack_every || client.fin_received);
}

}  // namespace toehold
