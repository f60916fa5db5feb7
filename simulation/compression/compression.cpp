// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "lz4.h"
#include "zlib.h"

namespace {

// The LZ4 block format: sequences of a token (literal count in the high nibble, match length less 4
// in the low one; 15 goes on in bytes of 255), literals, and a 16-bit offset back. The last
// sequence has literals only, the last 5 bytes are literals, and no match starts in the last 12.
constexpr std::size_t kMinimumMatch = 4;
constexpr std::size_t kLastLiterals = 5;
constexpr std::size_t kMatchLimit = 12;
constexpr std::size_t kFarthest = 65535;
constexpr unsigned kHashBits = 14;

class Lz4Block {
 public:
  Lz4Block(char* to, std::size_t capacity) : to_(to), capacity_(capacity) {}

  void sequence(const char* literals, std::size_t count, std::size_t offset, std::size_t match) {
    const std::size_t extra = match == 0 ? 0 : match - kMinimumMatch;
    byte(std::min<std::size_t>(count, 15) << 4 | std::min<std::size_t>(extra, 15));
    if (count >= 15) tail(count - 15);
    for (std::size_t i = 0; i < count; i++) byte(static_cast<unsigned char>(literals[i]));
    if (match == 0) return;
    byte(offset & 0xff);
    byte(offset >> 8);
    if (extra >= 15) tail(extra - 15);
  }

  /// 0 when the capacity was too small.
  std::size_t size() const { return overflow_ ? 0 : size_; }

 private:
  void byte(std::size_t value) {
    if (size_ == capacity_) {
      overflow_ = true;
      return;
    }
    to_[size_++] = static_cast<char>(value);
  }

  void tail(std::size_t rest) {
    for (; rest >= 255; rest -= 255) byte(255);
    byte(rest);
  }

  char* to_;
  std::size_t capacity_;
  std::size_t size_ = 0;
  bool overflow_ = false;
};

std::uint32_t word_at(const char* bytes) {
  std::uint32_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

}  // namespace

extern "C" {

int LZ4_compressBound(int size) { return size + size / 255 + 16; }

int LZ4_compress_default(const char* from, char* to, int signed_size, int capacity) {
  const auto size = static_cast<std::size_t>(signed_size);
  Lz4Block block(to, static_cast<std::size_t>(capacity));
  std::vector<std::size_t> last_seen(std::size_t{1} << kHashBits, 0);  // position + 1
  std::size_t anchor = 0;  // first byte not written yet

  for (std::size_t at = 0; at + kMatchLimit < size;) {
    const std::uint32_t word = word_at(from + at);
    std::size_t& seen = last_seen[(word * 2654435761u) >> (32 - kHashBits)];
    const std::size_t candidate = seen;
    seen = at + 1;
    if (candidate == 0 || at + 1 - candidate > kFarthest ||
        word_at(from + candidate - 1) != word) {
      at++;
      continue;
    }
    const std::size_t offset = at + 1 - candidate;
    std::size_t match = kMinimumMatch;
    while (at + match + kLastLiterals < size && from[at + match] == from[at + match - offset]) {
      match++;
    }
    block.sequence(from + anchor, at - anchor, offset, match);
    at += match;
    anchor = at;
  }
  block.sequence(from + anchor, size - anchor, 0, 0);
  return static_cast<int>(block.size());
}

// zlib: a two-byte header, stored blocks of at most 65535 bytes (last flag, length, its
// complement, bytes), and Adler-32.

uLong compressBound(uLong size) { return size + (size / 65535 + 1) * 5 + 6; }

int compress2(Bytef* to, uLongf* to_size, const Bytef* from, uLong size, int) {
  if (*to_size < compressBound(size)) return Z_BUF_ERROR;
  Bytef* out = to;
  *out++ = 0x78;
  *out++ = 0x01;
  std::uint32_t low = 1, high = 0;
  uLong at = 0;
  do {
    const uLong count = std::min<uLong>(size - at, 65535);
    *out++ = at + count == size;
    *out++ = count & 0xff;
    *out++ = static_cast<Bytef>(count >> 8);
    *out++ = ~count & 0xff;
    *out++ = static_cast<Bytef>(~count >> 8);
    for (uLong i = 0; i < count; i++) {
      *out++ = from[at + i];
      low = (low + from[at + i]) % 65521;
      high = (high + low) % 65521;
    }
    at += count;
  } while (at < size);
  for (const std::uint32_t part : {high, low}) {
    *out++ = static_cast<Bytef>(part >> 8);
    *out++ = part & 0xff;
  }
  *to_size = static_cast<uLongf>(out - to);
  return Z_OK;
}

}  // extern "C"
