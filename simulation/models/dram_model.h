// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "models/axi4.h"
#include "models/dram_channel.h"
#include "models/random.h"
#include "models/sparse_memory.h"

namespace toehold {

struct DramSettings {
  DramTiming timing = ddr3_1600();
  std::uint64_t size_bytes = std::uint64_t{1} << 32;
  unsigned axi_bytes = 8;  // width of the AXI4 data bus

  /// Answers with different IDs may overtake each other, as AXI4 allows. Off: answers of a
  /// direction come in the order of the requests.
  bool out_of_order = true;

  /// Content before the first write; see SparseMemory.
  std::uint64_t noise_seed = 1;

  /// Requests that may be under way in each direction.
  unsigned outstanding = 32;

  /// Channels of that timing behind the port, which have `kStripeBytes` each in turn.
  unsigned channels = 1;
};

/// A DRAM behind an AXI4 slave port. Bursts of all three kinds, narrow and unaligned beats, and
/// outstanding requests; data becomes visible to reads in the order in which a channel serves
/// its bursts. What AXI4 forbids (a burst across 4 KiB, a late WLAST, an address beyond the end)
/// is kept in `protocol_error()`, the first one only, and answered with an error.
class DramModel {
 public:
  explicit DramModel(const DramSettings& settings);

  static constexpr std::uint64_t kStripeBytes = 256;

  /// What the slave drives in this clock: sample before the edge.
  const AxiSlavePins& pins() const { return pins_; }

  /// One clock edge at `now_ps`; `master` as it stood before the edge, together with `pins()`.
  /// Time must not run backwards.
  void clock(const AxiMasterPins& master, std::uint64_t now_ps);

  /// Nothing is under way: without a request, a clock changes nothing that can be seen.
  bool idle() const { return requests_.empty() && !pins_.b_valid && !pins_.r_valid; }

  /// Of all channels together: with several of them the buses may be busy for longer than it took.
  DramCounters counters() const;
  const DramTiming& timing() const { return settings_.timing; }
  const std::string& protocol_error() const { return protocol_error_; }

  /// Looks at or changes the content without taking time.
  SparseMemory& memory() { return memory_; }
  const SparseMemory& memory() const { return memory_; }

 private:
  struct Request {
    AxiAddress address;
    bool write = false;
    AxiResponse response = AxiResponse::kOkay;
    unsigned bursts_left = 0;      // DRAM bursts not finished yet
    std::vector<std::uint64_t> bursts_to_issue;
    std::vector<AxiData> beats;    // of a write, or read when done
    std::vector<std::uint64_t> strobes;
    unsigned beats_sent = 0;
  };

  void accept_address(const AxiAddress& address, bool write);
  void accept_data(const AxiMasterPins& master);
  void schedule(std::uint64_t tag);
  DramChannel& channel_of(std::uint64_t address);
  void issue(std::uint64_t now_ps);
  void finish(std::uint64_t now_ps);
  void store(const Request& request);
  void load(Request& request);
  std::uint64_t beat_address(const AxiAddress& address, unsigned beat) const;
  std::deque<std::uint64_t>::iterator ready_answer(std::deque<std::uint64_t>& order);
  void present_read();
  void present_write();
  void complain(const std::string& what);

  DramSettings settings_;
  std::vector<DramChannel> channels_;
  SparseMemory memory_;
  AxiSlavePins pins_;
  std::string protocol_error_;

  std::map<std::uint64_t, Request> requests_;    // by tag
  std::uint64_t next_tag_ = 0;
  std::deque<std::uint64_t> reads_, writes_;     // tags in order of their requests
  std::deque<std::uint64_t> without_data_;       // writes that still take data
  std::deque<std::uint64_t> to_issue_;
  std::vector<DramChannel::Completion> completions_;
  bool read_active_ = false;                     // a read answer is being sent
  std::uint64_t active_read_ = 0;
};

}  // namespace toehold
