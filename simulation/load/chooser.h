// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "models/random.h"

namespace toehold {

enum class Choice { kRoundRobin = 0, kUniform = 1, kZipf = 2, kShuffled = 3 };

/// Whose turn is next, of `count` clients. Shuffled: each once in every round, in a new order. By Zipf's law the client of rank r is chosen in proportion
/// to 1 / r^exponent; ranks are dealt out at random, so that neighbours are not alike.
class Chooser {
 public:
  Chooser(Choice choice, std::uint32_t count, double exponent, std::uint64_t seed);

  std::uint32_t next();

 private:
  void shuffle();

  Choice choice_;
  std::uint32_t count_, turn_ = 0;
  Random random_;
  std::vector<double> below_;         // by rank: the sum of all weights up to it
  std::vector<std::uint32_t> client_;  // by rank, or in the round's order
};

}  // namespace toehold
