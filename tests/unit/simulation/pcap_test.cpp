// SPDX-License-Identifier: Apache-2.0

#include "models/pcap.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.h"

using namespace toehold;

namespace {

// A file that goes with the test.
struct TemporaryFile {
  TemporaryFile() {
    const int descriptor = mkstemp(path);
    if (descriptor < 0) std::abort();
    close(descriptor);
  }
  ~TemporaryFile() { unlink(path); }

  void write(const std::vector<unsigned char>& bytes) const {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

  char path[32] = "/tmp/toehold-pcap-XXXXXX";
};

Frame frame_of(std::vector<std::uint8_t> bytes) {
  Frame frame;
  frame.bytes = std::move(bytes);
  return frame;
}

std::string failure_of(const std::string& path) {
  try {
    PcapReader reader(path);
    while (reader.next()) {
    }
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

// Microseconds, most significant byte first: one frame of 3 bytes at 2.000005 s.
const std::vector<unsigned char> kBigEndian = {
    0xa1, 0xb2, 0xc3, 0xd4, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1,
    0,    0,    0,    2,    0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 3, 7, 8, 9};

}  // namespace

TEST(what_is_written_is_read) {
  const TemporaryFile file;
  {
    PcapWriter writer(file.path);
    writer.write(frame_of({1, 2, 3}), 1'500'000'000'123);
    writer.write(frame_of(std::vector<std::uint8_t>(1514, 0xaa)), 1'500'000'000'124);
  }
  PcapReader reader(file.path);
  const auto first = reader.next();
  CHECK(first && first->bytes == std::vector<std::uint8_t>({1, 2, 3}));
  CHECK(first && first->time_ns == 1'500'000'000'123);
  const auto second = reader.next();
  CHECK(second && second->bytes.size() == 1514);
  CHECK(second && second->time_ns == 1'500'000'000'124);
  CHECK(!reader.next());
}

TEST(reads_the_other_byte_order_and_microseconds) {
  const TemporaryFile file;
  file.write(kBigEndian);
  PcapReader reader(file.path);
  const auto frame = reader.next();
  CHECK(frame && frame->bytes == std::vector<std::uint8_t>({7, 8, 9}));
  CHECK(frame && frame->time_ns == 2'000'005'000);
  CHECK(!reader.next());
}

TEST(says_what_is_wrong_with_a_file) {
  const TemporaryFile file;
  CHECK(failure_of("/nonexistent/file.pcap").find("cannot read") != std::string::npos);

  file.write({1, 2, 3});
  CHECK(failure_of(file.path).find("not a pcap file") != std::string::npos);

  auto bytes = kBigEndian;
  bytes.pop_back();
  file.write(bytes);
  CHECK(failure_of(file.path).find("ends within a record") != std::string::npos);

  bytes = kBigEndian;
  bytes[23] = 113;  // "Linux cooked"
  file.write(bytes);
  CHECK(failure_of(file.path).find("Ethernet") != std::string::npos);

  bytes = kBigEndian;
  bytes[32] = 0xff;  // captured length
  file.write(bytes);
  CHECK(failure_of(file.path).find("impossible") != std::string::npos);
}

TEST(says_that_a_file_cannot_be_written) {
  try {
    PcapWriter writer("/nonexistent/file.pcap");
    CHECK(false);
  } catch (const std::runtime_error&) {
  }
}

int main() { return run_tests(); }
