// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace toehold {

/// What an AXI4-Lite master drives and sees, as it stands before a clock edge.
struct AxiLitePins {
  std::uint32_t address = 0;
  std::uint32_t write_data = 0;
  bool aw_valid = false, w_valid = false, b_ready = false;
  bool ar_valid = false, r_ready = false;

  bool aw_ready = false, w_ready = false, b_valid = false;
  bool ar_ready = false, r_valid = false;
  std::uint32_t read_data = 0;
  std::uint8_t response = 0;  // BRESP or RRESP, whichever is valid
};

/// One AXI4-Lite transfer at a time.
class AxiLiteMaster {
 public:
  /// Only when not busy.
  void start_read(std::uint32_t address);
  void start_write(std::uint32_t address, std::uint32_t value);

  bool busy() const { return state_ != State::kIdle; }

  /// Gives up a transfer, for a reset.
  void abandon();

  /// Of the last transfer.
  std::uint32_t read_data() const { return read_data_; }
  bool failed() const { return failed_; }

  /// Drives before the edge; only the inputs of the slave are set.
  void drive(AxiLitePins& pins) const;

  /// Takes what stood before the edge.
  void clock(const AxiLitePins& pins);

 private:
  enum class State { kIdle, kReadAddress, kReadData, kWrite, kWriteResponse };

  State state_ = State::kIdle;
  std::uint32_t address_ = 0;
  std::uint32_t write_data_ = 0;
  std::uint32_t read_data_ = 0;
  bool address_sent_ = false;
  bool data_sent_ = false;
  bool failed_ = false;
};

}  // namespace toehold
