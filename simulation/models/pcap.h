// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include "models/frame.h"

namespace toehold {

/// Writes a classic pcap file of Ethernet frames with nanosecond time stamps. Errors are
/// `std::runtime_error` with a sentence for the user.
class PcapWriter {
 public:
  explicit PcapWriter(const std::string& path);

  /// `time_ns` counts from the epoch that the reader of the file shall see.
  void write(const Frame& frame, std::uint64_t time_ns);

  void flush();

 private:
  std::string path_;
  std::ofstream file_;
};

/// Reads classic pcap files of Ethernet frames: either byte order, micro- or nanoseconds.
class PcapReader {
 public:
  explicit PcapReader(const std::string& path);

  /// The next frame, its time in `time_ns`; nothing at the end of the file. A record cut short or
  /// longer than any Ethernet frame is an error.
  std::optional<Frame> next();

 private:
  std::uint32_t field(const unsigned char* bytes) const;

  std::string path_;
  std::ifstream file_;
  bool big_endian_ = false;
  bool nanoseconds_ = false;
};

}  // namespace toehold
