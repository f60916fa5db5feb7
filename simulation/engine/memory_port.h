// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>

#include "models/dram_model.h"

namespace toehold {

/// The DRAM behind one AXI4 port of the engine. Made at the first request, so that an engine without
/// DRAM costs nothing, and on a time of its own that follows the clocks whatever the engine is told.
class MemoryPort {
 public:
  explicit MemoryPort(unsigned axi_bytes) { settings_.axi_bytes = axi_bytes; }

  /// Takes effect with the first request, and later after the next `clear`.
  void set(const DramTiming& timing) { settings_.timing = timing; }

  /// The same; at least 1.
  void set_channels(unsigned channels) { settings_.channels = channels; }

  void clear() { dram_.reset(); }

  bool idle() const { return dram_ == nullptr || dram_->idle(); }
  const DramModel* dram() const { return dram_.get(); }
  const AxiSlavePins& pins() const { return dram_ ? dram_->pins() : quiet_; }

  /// One clock edge; see DramModel.
  void clock(const AxiMasterPins& master, std::uint64_t now_ps) {
    if (dram_) {
      dram_->clock(master, now_ps);
    } else {
      dram_ = std::make_unique<DramModel>(settings_);  // ready from the next clock on
    }
  }

 private:
  DramSettings settings_ = [] {
    DramSettings settings;
    settings.timing = ddr4_2400();
    settings.size_bytes = std::uint64_t{1} << 40;
    settings.outstanding = 64;
    return settings;
  }();
  AxiSlavePins quiet_;
  std::unique_ptr<DramModel> dram_;
};

}  // namespace toehold
