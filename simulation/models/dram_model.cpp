// SPDX-License-Identifier: Apache-2.0

#include "models/dram_model.h"

#include <algorithm>
#include <stdexcept>

namespace toehold {

namespace {

constexpr std::uint64_t kBoundary = 4096;  // no AXI4 burst crosses it

}  // namespace

DramModel::DramModel(const DramSettings& settings)
    : settings_(settings), memory_(settings.noise_seed) {
  const unsigned width = settings.axi_bytes;
  if (width == 0 || width > kAxiMaximumBytes || (width & (width - 1)) != 0) {
    throw std::invalid_argument("the AXI4 data bus must have 1 to 64 bytes, a power of two");
  }
  if (settings.outstanding == 0) {
    throw std::invalid_argument("the DRAM model must take at least one request");
  }
  if (settings.channels == 0) throw std::invalid_argument("the DRAM model needs a channel");
  channels_.assign(settings.channels, DramChannel(settings.timing));
  pins_.aw_ready = pins_.ar_ready = true;
}

void DramModel::complain(const std::string& what) {
  if (protocol_error_.empty()) protocol_error_ = what;
}

std::uint64_t DramModel::beat_address(const AxiAddress& request, unsigned beat) const {
  const std::uint64_t bytes = std::uint64_t{1} << request.size;
  const std::uint64_t aligned = request.address / bytes * bytes;
  if (beat == 0 || request.burst == AxiBurst::kFixed) return request.address;
  const std::uint64_t next = aligned + beat * bytes;
  if (request.burst == AxiBurst::kIncrementing) return next;
  const std::uint64_t span = bytes * (request.length + 1u);
  const std::uint64_t base = request.address / span * span;
  return base + (next - base) % span;
}

void DramModel::accept_address(const AxiAddress& address, bool write) {
  const std::uint64_t tag = next_tag_++;
  Request request;
  request.address = address;
  request.write = write;

  const std::uint64_t bytes = std::uint64_t{1} << address.size;
  const std::uint64_t first = address.address / bytes * bytes;
  const std::uint64_t span = bytes * (address.length + 1u);
  if (bytes > settings_.axi_bytes) complain("a beat is wider than the AXI4 bus");
  if (address.burst == AxiBurst::kIncrementing &&
      first / kBoundary != (first + span - 1) / kBoundary) {
    complain("a burst crosses a 4 KiB boundary");
    request.response = AxiResponse::kSlaveError;
  }
  if (address.burst == AxiBurst::kWrapping && address.address % bytes != 0) {
    complain("a wrapping burst is not aligned");
    request.response = AxiResponse::kSlaveError;
  }
  if (first + span > settings_.size_bytes) {
    complain("a burst reaches beyond the end of the memory");
    request.response = AxiResponse::kDecodeError;
  }

  (write ? writes_ : reads_).push_back(tag);
  requests_.emplace(tag, std::move(request));
  if (write) {
    without_data_.push_back(tag);
  } else {
    schedule(tag);
  }
}

void DramModel::accept_data(const AxiMasterPins& master) {
  Request& request = requests_.at(without_data_.front());
  request.beats.push_back(master.w_data);
  request.strobes.push_back(master.w_strobe);
  const bool last = request.beats.size() == request.address.length + 1u;
  if (master.w_last != last) {
    complain("WLAST is not on the last beat of a burst");
    request.response = AxiResponse::kSlaveError;
  }
  if (last) {
    schedule(without_data_.front());
    without_data_.pop_front();
  }
}

// Lists the DRAM bursts that a request touches, each once.
void DramModel::schedule(std::uint64_t tag) {
  Request& request = requests_.at(tag);
  if (request.response == AxiResponse::kOkay) {
    const std::uint64_t burst = timing().burst_bytes();
    for (unsigned beat = 0; beat <= request.address.length; beat++) {
      const std::uint64_t from = beat_address(request.address, beat);
      const std::uint64_t bytes = std::uint64_t{1} << request.address.size;
      const std::uint64_t end = from / bytes * bytes + bytes;
      for (std::uint64_t at = from / burst * burst; at < end; at += burst) {
        auto& list = request.bursts_to_issue;
        if (std::find(list.begin(), list.end(), at) == list.end()) list.push_back(at);
      }
    }
  }
  request.bursts_left = static_cast<unsigned>(request.bursts_to_issue.size());
  if (request.bursts_left == 0) {
    if (!request.write) load(request);
  } else {
    to_issue_.push_back(tag);
  }
}

DramChannel& DramModel::channel_of(std::uint64_t address) {
  return channels_[address / kStripeBytes % channels_.size()];
}

// In the order of the requests: a channel that is full holds up the others.
void DramModel::issue(std::uint64_t now_ps) {
  while (!to_issue_.empty()) {
    const std::uint64_t tag = to_issue_.front();
    Request& request = requests_.at(tag);
    const std::uint64_t address = request.bursts_to_issue.front();
    DramChannel& channel = channel_of(address);
    if (channel.full()) return;
    // A channel knows its own stripes, which follow each other there.
    const std::uint64_t stripe = address / kStripeBytes / channels_.size();
    channel.put({stripe * kStripeBytes + address % kStripeBytes, request.write, tag}, now_ps);
    request.bursts_to_issue.erase(request.bursts_to_issue.begin());
    if (request.bursts_to_issue.empty()) to_issue_.pop_front();
  }
}

void DramModel::finish(std::uint64_t now_ps) {
  const auto later = std::stable_partition(
      completions_.begin(), completions_.end(),
      [now_ps](const DramChannel::Completion& done) { return done.time_ps > now_ps; });
  for (auto done = later; done != completions_.end(); ++done) {
    Request& request = requests_.at(done->tag);
    if (--request.bursts_left != 0) continue;
    if (request.write) {
      store(request);
    } else {
      load(request);
    }
  }
  completions_.erase(later, completions_.end());
}

void DramModel::store(const Request& request) {
  const std::uint64_t bytes = std::uint64_t{1} << request.address.size;
  for (unsigned beat = 0; beat < request.beats.size(); beat++) {
    const std::uint64_t from = beat_address(request.address, beat);
    const std::uint64_t end = from / bytes * bytes + bytes;
    for (std::uint64_t at = from; at < end; at++) {
      const unsigned lane = at % settings_.axi_bytes;
      if ((request.strobes[beat] >> lane) & 1) memory_.write(at, request.beats[beat][lane]);
    }
  }
}

void DramModel::load(Request& request) {
  const std::uint64_t bytes = std::uint64_t{1} << request.address.size;
  request.beats.assign(request.address.length + 1u, AxiData{});
  if (request.response != AxiResponse::kOkay) return;
  for (unsigned beat = 0; beat < request.beats.size(); beat++) {
    const std::uint64_t from = beat_address(request.address, beat);
    const std::uint64_t end = from / bytes * bytes + bytes;
    for (std::uint64_t at = from; at < end; at++) {
      request.beats[beat][at % settings_.axi_bytes] = memory_.read(at);
    }
  }
}

// The first request that is done and has no earlier one with its ID before it (or none at all,
// when answers keep their order).
std::deque<std::uint64_t>::iterator DramModel::ready_answer(std::deque<std::uint64_t>& order) {
  std::vector<std::uint32_t> blocked;
  for (auto tag = order.begin(); tag != order.end(); ++tag) {
    const Request& request = requests_.at(*tag);
    const bool done = request.bursts_left == 0 && request.beats.size() == request.address.length + 1u;
    const std::uint32_t id = request.address.id;
    if (done && std::find(blocked.begin(), blocked.end(), id) == blocked.end()) return tag;
    if (!settings_.out_of_order) break;
    blocked.push_back(id);
  }
  return order.end();
}

void DramModel::present_read() {
  if (pins_.r_valid) return;
  if (!read_active_) {
    const auto answer = ready_answer(reads_);
    if (answer == reads_.end()) return;
    active_read_ = *answer;
    read_active_ = true;
    reads_.erase(answer);
  }
  const Request& request = requests_.at(active_read_);
  pins_.r_id = request.address.id;
  pins_.r_data = request.beats[request.beats_sent];
  pins_.r_response = request.response;
  pins_.r_last = request.beats_sent == request.address.length;
  pins_.r_valid = true;
}

void DramModel::present_write() {
  if (pins_.b_valid) return;
  const auto answer = ready_answer(writes_);
  if (answer == writes_.end()) return;
  const Request& request = requests_.at(*answer);
  pins_.b_id = request.address.id;
  pins_.b_response = request.response;
  pins_.b_valid = true;
  requests_.erase(*answer);
  writes_.erase(answer);
}

DramCounters DramModel::counters() const {
  DramCounters sum;
  for (const DramChannel& channel : channels_) sum += channel.counters();
  return sum;
}

void DramModel::clock(const AxiMasterPins& master, std::uint64_t now_ps) {
  if (pins_.r_valid && master.r_ready) {
    pins_.r_valid = false;
    requests_.at(active_read_).beats_sent++;
    if (pins_.r_last) {
      requests_.erase(active_read_);
      read_active_ = false;
    }
  }
  if (pins_.b_valid && master.b_ready) pins_.b_valid = false;
  if (pins_.w_ready && master.w_valid) accept_data(master);
  if (pins_.aw_ready && master.aw_valid) accept_address(master.aw, true);
  if (pins_.ar_ready && master.ar_valid) accept_address(master.ar, false);

  issue(now_ps);
  for (DramChannel& channel : channels_) channel.advance(now_ps, completions_);
  finish(now_ps);
  present_read();
  present_write();
  pins_.aw_ready = writes_.size() < settings_.outstanding;
  pins_.ar_ready = reads_.size() < settings_.outstanding;
  pins_.w_ready = !without_data_.empty();
}

}  // namespace toehold
