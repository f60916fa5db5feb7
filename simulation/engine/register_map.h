// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>

namespace toehold {

/// A field that software can read without an effect; generated from registers/*.rdl for the build.
struct RegisterField {
  const char* name;  // "counters_rx_frames", or "identity_version.major" where there are several
  std::uint32_t address;
  unsigned low_bit;
  unsigned bits;
  bool writable;
};

extern const RegisterField kRegisterMap[];
extern const std::size_t kRegisterMapSize;

/// The field of that name, or nullptr.
const RegisterField* find_register(const char* name);

}  // namespace toehold
