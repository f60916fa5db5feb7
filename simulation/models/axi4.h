// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstdint>

namespace toehold {

/// The widest AXI4 data bus that the models take, in bytes.
constexpr unsigned kAxiMaximumBytes = 64;

using AxiData = std::array<std::uint8_t, kAxiMaximumBytes>;

enum class AxiBurst : std::uint8_t { kFixed = 0, kIncrementing = 1, kWrapping = 2 };
enum class AxiResponse : std::uint8_t { kOkay = 0, kSlaveError = 2, kDecodeError = 3 };

/// AW or AR.
struct AxiAddress {
  std::uint32_t id = 0;
  std::uint64_t address = 0;
  std::uint8_t length = 0;  // beats - 1
  std::uint8_t size = 0;    // log2 of the bytes in a beat
  AxiBurst burst = AxiBurst::kIncrementing;
};

/// The signals that a master drives, as they stand before a clock edge.
struct AxiMasterPins {
  AxiAddress aw;
  bool aw_valid = false;
  AxiData w_data{};
  std::uint64_t w_strobe = 0;
  bool w_last = false;
  bool w_valid = false;
  bool b_ready = false;
  AxiAddress ar;
  bool ar_valid = false;
  bool r_ready = false;
};

/// The signals that a slave drives, as they stand before a clock edge.
struct AxiSlavePins {
  bool aw_ready = false;
  bool w_ready = false;
  std::uint32_t b_id = 0;
  AxiResponse b_response = AxiResponse::kOkay;
  bool b_valid = false;
  bool ar_ready = false;
  std::uint32_t r_id = 0;
  AxiData r_data{};
  AxiResponse r_response = AxiResponse::kOkay;
  bool r_last = false;
  bool r_valid = false;
};

}  // namespace toehold
