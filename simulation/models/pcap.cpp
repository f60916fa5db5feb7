// SPDX-License-Identifier: Apache-2.0

#include "models/pcap.h"

#include <array>
#include <stdexcept>

namespace toehold {

namespace {

// File header: magic, version 2.4, zone, accuracy, snapshot length, link type.
constexpr std::uint32_t kMagicNanoseconds = 0xa1b23c4d;
constexpr std::uint32_t kMagicMicroseconds = 0xa1b2c3d4;
constexpr std::uint32_t kVersion = 2 | (4 << 16);
constexpr std::uint32_t kLinkTypeEthernet = 1;
constexpr std::uint32_t kLongestFrame = 65536 + 256;
constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;

template <std::size_t count>
void write_little_endian(std::ofstream& file, const std::array<std::uint32_t, count>& words) {
  std::array<char, count * 4> bytes;
  for (std::size_t i = 0; i < bytes.size(); i++) {
    bytes[i] = static_cast<char>(words[i / 4] >> (8 * (i % 4)));
  }
  file.write(bytes.data(), bytes.size());
}

}  // namespace

PcapWriter::PcapWriter(const std::string& path)
    : path_(path), file_(path, std::ios::binary | std::ios::trunc) {
  if (!file_) throw std::runtime_error("cannot write the capture " + path);
  write_little_endian<6>(file_,
                         {kMagicNanoseconds, kVersion, 0, 0, kLongestFrame, kLinkTypeEthernet});
}

void PcapWriter::write(const Frame& frame, std::uint64_t time_ns) {
  const auto length = static_cast<std::uint32_t>(frame.bytes.size());
  write_little_endian<4>(file_, {static_cast<std::uint32_t>(time_ns / kNanosecondsPerSecond),
                                 static_cast<std::uint32_t>(time_ns % kNanosecondsPerSecond),
                                 length, length});
  file_.write(reinterpret_cast<const char*>(frame.bytes.data()), length);
  if (!file_) throw std::runtime_error("cannot write the capture " + path_);
}

void PcapWriter::flush() { file_.flush(); }

PcapReader::PcapReader(const std::string& path) : path_(path), file_(path, std::ios::binary) {
  if (!file_) throw std::runtime_error("cannot read the capture " + path);

  unsigned char header[24];
  file_.read(reinterpret_cast<char*>(header), sizeof header);
  if (file_.gcount() != sizeof header) throw std::runtime_error(path + " is not a pcap file");

  std::uint32_t magic = field(header);
  if (magic != kMagicMicroseconds && magic != kMagicNanoseconds) {
    big_endian_ = true;
    magic = field(header);
  }
  if (magic != kMagicMicroseconds && magic != kMagicNanoseconds) {
    throw std::runtime_error(path + " is not a pcap file (pcapng is not supported; convert it " +
                             "with `editcap -F pcap`)");
  }
  nanoseconds_ = magic == kMagicNanoseconds;
  if ((field(header + 20) & 0xffff) != kLinkTypeEthernet) {
    throw std::runtime_error(path + " does not hold Ethernet frames");
  }
}

std::optional<Frame> PcapReader::next() {
  unsigned char header[16];
  file_.read(reinterpret_cast<char*>(header), sizeof header);
  if (file_.gcount() == 0) return std::nullopt;
  if (file_.gcount() != sizeof header) throw std::runtime_error(path_ + " ends within a record");

  const std::uint32_t captured = field(header + 8);
  if (captured > kLongestFrame) throw std::runtime_error(path_ + " has an impossible record");

  Frame frame;
  frame.time_ns = field(header) * kNanosecondsPerSecond +
                  std::uint64_t{field(header + 4)} * (nanoseconds_ ? 1 : 1000);
  frame.bytes.resize(captured);
  file_.read(reinterpret_cast<char*>(frame.bytes.data()), captured);
  if (file_.gcount() != static_cast<std::streamsize>(captured)) {
    throw std::runtime_error(path_ + " ends within a record");
  }
  return frame;
}

std::uint32_t PcapReader::field(const unsigned char* bytes) const {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; i++) {
    value |= std::uint32_t{bytes[i]} << (8 * (big_endian_ ? 3 - i : i));
  }
  return value;
}

}  // namespace toehold
