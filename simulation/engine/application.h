// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "engine/stream.h"

namespace toehold {

struct AppCommand {
  std::uint8_t op = 0, tag = 0;
  std::uint32_t session = 0;
  std::uint16_t local_port = 0, remote_port = 0;
  std::uint32_t remote_ip = 0, value = 0;
};

struct AppEvent {
  std::uint8_t kind = 0, tag = 0, result = 0;
  std::uint32_t session = 0;
  std::uint16_t local_port = 0, remote_port = 0;
  std::uint32_t remote_ip = 0, value = 0;
  std::uint64_t clock = 0;
};

struct AppTransmitStatus {
  std::uint32_t session = 0, error = 0, space = 0, length = 0;
  std::uint64_t clock = 0;
};

struct AppReceived {
  std::uint32_t session = 0;
  Frame data;  // a piece of the byte stream, not an Ethernet frame
};

/// What the application drives, as it stands before a clock edge. All events, queries, statuses
/// and data are taken at once.
struct AppInputs {
  bool command_valid = false;
  AppCommand command;
  bool grant_valid = false;
  std::uint16_t grant_length = 0;
  bool request_valid = false;
  std::uint32_t request_session = 0;
  std::uint16_t request_length = 0;
  bool data_valid = false;
  const StreamBeat* data = nullptr;
};

/// What the engine drives, as it stands before a clock edge.
struct AppOutputs {
  bool command_ready = false;
  bool event_valid = false;
  AppEvent event;
  bool query_valid = false;
  std::uint32_t query_session = 0;
  std::uint16_t query_length = 0;
  bool grant_ready = false;
  bool data_valid = false;
  std::uint32_t data_session = 0;
  StreamBeat data;
  bool request_ready = false;
  bool status_valid = false;
  AppTransmitStatus status;
  bool data_ready = false;
};

/// What took place at the application's ports in a clock.
struct AppMoved {
  bool anything = false;
  /// More than an offer that was refused: that is made again and again until it is taken.
  bool work = false;
  /// Something went into the engine.
  bool input = false;
};

/// An application beside the engine: queues of commands and messages on the way in, of events,
/// statuses and received data on the way out.
class Application {
 public:
  /// Bytes of an offer that are taken now.
  using Grant = std::function<std::uint16_t(std::uint32_t session, std::uint16_t length)>;

  explicit Application(unsigned lanes);

  void put_command(const AppCommand& command) { commands_.push_back(command); }
  void send(std::uint32_t session, std::vector<std::uint8_t> bytes);

  /// For how many messages room may be asked ahead of their payload, at least 1.
  void set_requests(unsigned requests) { requests_ = requests; }
  void set_grant(Grant grant) { grant_ = std::move(grant); }
  void clear();

  std::deque<AppEvent> events;
  std::deque<AppTransmitStatus> statuses;
  std::deque<AppReceived> received;

  std::size_t messages_pending() const {
    return messages_.size() + asked_.size() + payload_.pending();
  }
  const Frame& last_message() const { return payload_.last_taken(); }

  /// Nothing waits to be driven but refusals.
  bool has_no_work() const;

  /// Nothing waits to be driven.
  bool idle() const { return commands_.empty() && grants_.empty() && messages_pending() == 0; }

  AppInputs inputs() const;

  /// Takes what stood before the edge, with the inputs of the same clock.
  AppMoved clock(const AppInputs& inputs, const AppOutputs& outputs, std::uint64_t clock,
             std::uint64_t time_ns);

  std::uint64_t command_count = 0, event_count = 0, taken_back_count = 0;
  std::uint64_t bytes_received() const { return sink_.bytes; }
  std::uint64_t bytes_sent() const { return payload_.bytes; }

 private:
  struct Message {
    std::uint32_t session;
    std::vector<std::uint8_t> bytes;
  };

  void take_status(const AppTransmitStatus& status, std::uint64_t clock);

  Grant grant_;
  std::deque<AppCommand> commands_;
  std::deque<std::uint16_t> grants_;
  // Those that wait, and those whose status has not come; with it their bytes go to payload_.
  std::deque<Message> messages_, asked_;
  unsigned requests_ = 1;
  StreamSource payload_;
  StreamSink sink_;
};

}  // namespace toehold
