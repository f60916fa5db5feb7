// SPDX-License-Identifier: Apache-2.0

#include "load/patterns.h"

#include "models/random.h"

namespace toehold {

namespace {

// A prime number of bytes: clients and places that differ by a power of two have other bytes.
constexpr std::size_t kNoisePeriod = 65521;

// 95 lines of 72 printable characters and an end of line, each a character further.
constexpr std::size_t kPrintable = 95, kLineCharacters = 72, kLineBytes = kLineCharacters + 2;
constexpr std::size_t kLinesPeriod = kPrintable * kLineBytes;

std::uint8_t generated(std::size_t place) {
  const std::size_t column = place % kLineBytes;
  if (column >= kLineCharacters) return column == kLineCharacters ? '\r' : '\n';
  return static_cast<std::uint8_t>(' ' + (place / kLineBytes + column) % kPrintable);
}

}  // namespace

Patterns::Patterns(std::uint64_t seed)
    : noise_(kNoisePeriod + kContiguous), lines_(kLinesPeriod + kContiguous) {
  Random random(seed);
  for (std::size_t i = 0; i < noise_.size(); i++) {
    noise_[i] = i < kNoisePeriod ? static_cast<std::uint8_t>(random.next() >> 56)
                                 : noise_[i - kNoisePeriod];
  }
  for (std::size_t i = 0; i < lines_.size(); i++) lines_[i] = generated(i % kLinesPeriod);
}

const std::uint8_t* Patterns::of_client(std::uint32_t client, std::uint64_t place) const {
  return &noise_[(std::uint64_t{client} * 7919 + place) % kNoisePeriod];
}

const std::uint8_t* Patterns::of_generator(std::uint64_t place) const {
  return &lines_[place % kLinesPeriod];
}

}  // namespace toehold
