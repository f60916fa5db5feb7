// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace toehold {

/// Bytes that exist once written. What was never written reads as noise that depends on the seed
/// and the address alone, as DRAM after power-up would; seed 0 reads as zeros.
class SparseMemory {
 public:
  explicit SparseMemory(std::uint64_t noise_seed = 0) : noise_seed_(noise_seed) {}

  std::uint8_t read(std::uint64_t address);
  void write(std::uint64_t address, std::uint8_t value);

  /// Memory of the host in use, in bytes.
  std::size_t allocated() const { return pages_.size() * kPageBytes; }
  /// The same of the addresses below `end`.
  std::size_t allocated_below(std::uint64_t end) const {
    std::size_t pages = 0;
    for (const auto& [number, page] : pages_) pages += number * kPageBytes < end;
    return pages * kPageBytes;
  }

 private:
  // Rings of many connections are touched at their beginnings alone.
  static constexpr std::size_t kPageBytes = 512;
  using Page = std::array<std::uint8_t, kPageBytes>;

  std::unique_ptr<Page> noise(std::uint64_t number) const;
  Page* find(std::uint64_t number);

  std::uint64_t noise_seed_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;

  // The page used last: most bytes are near the one before.
  std::uint64_t last_number_ = 0;
  Page* last_ = nullptr;
};

}  // namespace toehold
