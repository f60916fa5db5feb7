// SPDX-License-Identifier: Apache-2.0

// What the encoders write is decoded here by readers made from the format alone.

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"
#include "lz4.h"
#include "models/random.h"
#include "zlib.h"

namespace {

using Bytes = std::vector<unsigned char>;

Bytes unpack_lz4(const std::vector<char>& block) {
  Bytes out;
  std::size_t at = 0;
  const auto byte = [&] { return static_cast<unsigned char>(block.at(at++)); };
  const auto length = [&](unsigned nibble) {
    std::size_t result = nibble;
    for (unsigned more = 255; nibble == 15 && more == 255;) result += more = byte();
    return result;
  };
  while (at < block.size()) {
    const unsigned token = byte();
    for (std::size_t n = length(token >> 4); n > 0; n--) out.push_back(byte());
    if (at == block.size()) break;
    std::size_t offset = byte();
    offset |= std::size_t{byte()} << 8;
    CHECK(offset > 0 && offset <= out.size());
    for (std::size_t n = length(token & 15) + 4; n > 0; n--) out.push_back(out[out.size() - offset]);
  }
  return out;
}

Bytes pack_and_unpack(const Bytes& bytes, std::size_t* packed_size) {
  const int size = static_cast<int>(bytes.size());
  std::vector<char> packed(LZ4_compressBound(size));
  const int used = LZ4_compress_default(reinterpret_cast<const char*>(bytes.data()), packed.data(),
                                        size, static_cast<int>(packed.size()));
  CHECK(used > 0);
  packed.resize(used);
  *packed_size = packed.size();
  return unpack_lz4(packed);
}

}  // namespace

TEST(lz4_round_trips) {
  toehold::Random random(3);
  for (unsigned round = 0; round < 300; round++) {
    Bytes bytes(random.below(5000));
    const std::uint64_t alphabet = 1 + random.below(round % 2 ? 4 : 256);
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random.below(alphabet));
    std::size_t packed = 0;
    CHECK(pack_and_unpack(bytes, &packed) == bytes);
  }
}

TEST(lz4_shrinks_what_repeats) {
  Bytes bytes;
  for (unsigned i = 0; i < 100000; i++) bytes.push_back("signal_name_"[i % 12]);
  std::size_t packed = 0;
  CHECK(pack_and_unpack(bytes, &packed) == bytes);
  CHECK(packed < bytes.size() / 100);
}

TEST(lz4_says_when_there_is_no_room) {
  const char text[] = "abcdefghijklmnopqrstuvwxyz";
  char packed[8];
  CHECK_EQUAL(LZ4_compress_default(text, packed, sizeof text, sizeof packed), 0);
}

TEST(zlib_streams_are_stored) {
  Bytes bytes(70000);
  toehold::Random random(4);
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random.next());
  Bytes packed(compressBound(bytes.size()));
  uLongf used = packed.size();
  CHECK_EQUAL(compress2(packed.data(), &used, bytes.data(), bytes.size(), 9), Z_OK);

  CHECK_EQUAL((packed[0] * 256 + packed[1]) % 31, 0);
  Bytes out;
  std::size_t at = 2;
  bool last = false;
  while (!last) {
    last = packed.at(at) == 1;
    const int count = packed[at + 1] | packed[at + 2] << 8;
    CHECK_EQUAL(count ^ 0xffff, packed[at + 3] | packed[at + 4] << 8);
    out.insert(out.end(), packed.begin() + at + 5, packed.begin() + at + 5 + count);
    at += 5 + count;
  }
  CHECK(out == bytes);
  CHECK_EQUAL(uLong{at + 4}, used);

  // Adler-32 of "Wikipedia" is 0x11e60398.
  const char text[] = "Wikipedia";
  used = packed.size();
  compress2(packed.data(), &used, reinterpret_cast<const Bytef*>(text), 9, 1);
  const Bytes sum(packed.begin() + used - 4, packed.begin() + used);
  CHECK(sum == Bytes({0x11, 0xe6, 0x03, 0x98}));
}

int main() { return run_tests(); }
