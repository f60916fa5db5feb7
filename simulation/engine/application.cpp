// SPDX-License-Identifier: Apache-2.0

#include "engine/application.h"

#include <algorithm>
#include <utility>

namespace toehold {

Application::Application(unsigned lanes) : payload_(lanes), sink_(lanes) {}

void Application::send(std::uint32_t session, std::vector<std::uint8_t> bytes) {
  messages_.push_back({session, std::move(bytes)});
}

void Application::clear() {
  commands_.clear();
  grants_.clear();
  messages_.clear();
  asked_.clear();
  payload_.clear();
  sink_.clear();
  events.clear();
  statuses.clear();
  received.clear();
}

AppInputs Application::inputs() const {
  AppInputs inputs;
  if (!commands_.empty()) {
    inputs.command_valid = true;
    inputs.command = commands_.front();
  }
  if (!grants_.empty()) {
    inputs.grant_valid = true;
    inputs.grant_length = grants_.front();
  }
  if (!messages_.empty() && asked_.size() + payload_.pending() < requests_) {
    inputs.request_valid = true;
    inputs.request_session = messages_.front().session;
    inputs.request_length = static_cast<std::uint16_t>(messages_.front().bytes.size());
  }
  if (!payload_.empty()) {
    inputs.data_valid = true;
    inputs.data = &payload_.beat();
  }
  return inputs;
}

void Application::take_status(const AppTransmitStatus& status, std::uint64_t clock) {
  statuses.push_back(status);
  statuses.back().clock = clock;
  if (asked_.empty()) return;  // not ours: the caller sees it in the queue

  Message message = std::move(asked_.front());
  asked_.pop_front();
  statuses.back().length = static_cast<std::uint32_t>(message.bytes.size());
  if (status.error != 0) return;
  Frame payload;
  payload.bytes = std::move(message.bytes);
  payload_.put(std::move(payload));
}

bool Application::has_no_work() const {
  return commands_.empty() && messages_pending() == 0 &&
         std::all_of(grants_.begin(), grants_.end(), [](std::uint16_t length) { return length == 0; });
}

AppMoved Application::clock(const AppInputs& inputs, const AppOutputs& outputs,
                            std::uint64_t clock, std::uint64_t time_ns) {
  AppMoved moved;
  bool refused = false;
  if (inputs.command_valid && outputs.command_ready) {
    commands_.pop_front();
    command_count++;
    moved.input = true;
  }
  if (inputs.grant_valid && outputs.grant_ready) {
    (grants_.front() == 0 ? refused : moved.input) = true;
    grants_.pop_front();
  }
  if (inputs.request_valid && outputs.request_ready) {
    asked_.push_back(std::move(messages_.front()));
    messages_.pop_front();
    moved.input = true;
  }
  if (inputs.data_valid && outputs.data_ready) {
    payload_.taken(clock, time_ns);
    moved.input = true;
  }
  if (outputs.event_valid) {
    events.push_back(outputs.event);
    events.back().clock = clock;
    event_count++;
    moved.work = true;
  }
  if (outputs.query_valid) {
    const std::uint16_t length = outputs.query_length;
    grants_.push_back(grant_ ? grant_(outputs.query_session, length) : length);
    (grants_.back() == 0 ? refused : moved.work) = true;
  }
  if (outputs.status_valid) {
    take_status(outputs.status, clock);
    moved.work = true;
  }
  if (outputs.data_valid) {
    if (sink_.put(outputs.data, clock, time_ns)) {
      Frame data = sink_.take();
      // Handed on before its checksum was known, and bad: as if it had not been granted.
      if (outputs.data.user) {
        taken_back_count++;
      } else {
        received.push_back({outputs.data_session, std::move(data)});
      }
    }
    moved.work = true;
  }
  moved.work = moved.work || moved.input;
  moved.anything = moved.work || refused;
  return moved;
}

}  // namespace toehold
