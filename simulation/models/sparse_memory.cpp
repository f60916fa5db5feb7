// SPDX-License-Identifier: Apache-2.0

#include "models/sparse_memory.h"

#include "models/random.h"

namespace toehold {

std::unique_ptr<SparseMemory::Page> SparseMemory::noise(std::uint64_t number) const {
  auto page = std::make_unique<Page>();
  page->fill(0);
  if (noise_seed_ == 0) return page;

  Random random(noise_seed_ + number * 0x100000001b3u);
  for (std::uint8_t& byte : *page) byte = static_cast<std::uint8_t>(random.next());
  return page;
}

std::uint8_t SparseMemory::read(std::uint64_t address) {
  const std::uint64_t number = address / kPageBytes;
  auto found = pages_.find(number);
  if (found == pages_.end()) {
    if (noise_seed_ == 0) return 0;
    found = pages_.emplace(number, noise(number)).first;
  }
  return (*found->second)[address % kPageBytes];
}

void SparseMemory::write(std::uint64_t address, std::uint8_t value) {
  const std::uint64_t number = address / kPageBytes;
  auto found = pages_.find(number);
  if (found == pages_.end()) found = pages_.emplace(number, noise(number)).first;
  (*found->second)[address % kPageBytes] = value;
}

}  // namespace toehold
