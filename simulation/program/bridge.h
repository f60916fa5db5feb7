// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <csignal>
#include <memory>
#include <optional>

#include "engine/engine.h"
#include "models/link_model.h"
#include "models/pcap.h"
#include "program/options.h"
#include "program/outside.h"
#include "program/statistics.h"

namespace toehold {

/// Carries frames between the outside and the engine, through the link model, and simulates.
///
/// While anything moves, clocks run flat out. When nothing has moved for a while, the thread sleeps
/// until a frame comes, at most a millisecond, and simulates just enough clocks for timers. With
/// time by cycles it never sleeps; a replayed capture then skips over the gaps between its frames.
class Bridge {
 public:
  explicit Bridge(const Options& options);

  /// Until the end of the capture or the duration, or until `stop` is set.
  void run(const volatile std::sig_atomic_t& stop);

  /// The counters of the whole run as JSON.
  std::string summary();

 private:
  void take_from_outside();
  void take_from_engine();
  void settle();
  bool idle() const;
  bool finished() const;
  void rest();
  void skip_gap();
  void capture(const Frame& frame, std::uint64_t time_ns);

  Options options_;
  Engine engine_;
  std::unique_ptr<Outside> outside_;
  LinkModel to_engine_;
  LinkModel from_engine_;
  OutsideCounters counters_;
  std::optional<PcapWriter> pcap_;
  std::uint64_t pcap_epoch_ns_ = 0;
  Statistics statistics_;
};

}  // namespace toehold
