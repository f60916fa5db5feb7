// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace toehold {

/// Byte streams without end that are known at every place, so that none has to be kept.
class Patterns {
 public:
  explicit Patterns(std::uint64_t seed);

  /// At least `kContiguous` bytes of a client's own stream from `place` on.
  const std::uint8_t* of_client(std::uint32_t client, std::uint64_t place) const;

  /// At least `kContiguous` bytes of the character generator (RFC 864), the same for all clients.
  const std::uint8_t* of_generator(std::uint64_t place) const;

  static constexpr std::size_t kContiguous = 65536;

 private:
  std::vector<std::uint8_t> noise_, lines_;
};

}  // namespace toehold
