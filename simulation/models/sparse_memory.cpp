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

SparseMemory::Page* SparseMemory::find(std::uint64_t number) {
  if (last_ != nullptr && last_number_ == number) return last_;
  const auto found = pages_.find(number);
  if (found == pages_.end()) return nullptr;
  last_number_ = number;
  return last_ = found->second.get();
}

std::uint8_t SparseMemory::read(std::uint64_t address) {
  const std::uint64_t number = address / kPageBytes;
  const Page* page = find(number);
  if (page == nullptr) {
    if (noise_seed_ == 0) return 0;
    page = pages_.emplace(number, noise(number)).first->second.get();
  }
  return (*page)[address % kPageBytes];
}

void SparseMemory::write(std::uint64_t address, std::uint8_t value) {
  const std::uint64_t number = address / kPageBytes;
  Page* page = find(number);
  if (page == nullptr) page = pages_.emplace(number, noise(number)).first->second.get();
  (*page)[address % kPageBytes] = value;
}

}  // namespace toehold
