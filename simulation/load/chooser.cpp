// SPDX-License-Identifier: Apache-2.0

#include "load/chooser.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace toehold {

Chooser::Chooser(Choice choice, std::uint32_t count, double exponent, std::uint64_t seed)
    : choice_(choice), count_(count), random_(seed) {
  if (choice != Choice::kZipf && choice != Choice::kShuffled) return;
  client_.resize(count);
  std::iota(client_.begin(), client_.end(), 0u);
  shuffle();
  if (choice == Choice::kShuffled) return;
  double sum = 0;
  below_.reserve(count);
  for (std::uint32_t rank = 1; rank <= count; rank++) {
    below_.push_back(sum += std::pow(rank, -exponent));
  }
}

void Chooser::shuffle() {
  for (std::uint32_t i = count_ - 1; i > 0; i--) {
    std::swap(client_[i], client_[random_.below(i + 1u)]);
  }
}

std::uint32_t Chooser::next() {
  switch (choice_) {
    case Choice::kUniform:
      return static_cast<std::uint32_t>(random_.below(count_));
    case Choice::kZipf: {
      const double unit = static_cast<double>(random_.next() >> 11) / 9007199254740992.0;  // 2^53
      const auto rank = std::upper_bound(below_.begin(), below_.end(), unit * below_.back());
      return client_[std::min<std::size_t>(rank - below_.begin(), count_ - 1)];
    }
    case Choice::kShuffled: {
      const std::uint32_t client = client_[turn_++];
      if (turn_ == count_) {
        turn_ = 0;
        shuffle();
      }
      return client;
    }
    default: {
      const std::uint32_t client = turn_;
      turn_ = turn_ + 1 == count_ ? 0 : turn_ + 1;
      return client;
    }
  }
}

}  // namespace toehold
