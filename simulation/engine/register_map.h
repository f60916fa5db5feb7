// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>

namespace toehold {

/// A field of a register; generated from registers/*.rdl for the build.
struct RegisterField {
  const char* name;  // "counters_rx_frames", or "identity_version.major" where there are several
  std::uint32_t address;
  unsigned low_bit;
  unsigned bits;
  bool readable;
  bool writable;
};

/// Those that software can read come first, in order of address, then those that it can only write.
extern const RegisterField kRegisterMap[];
extern const std::size_t kRegisterMapSize;
extern const std::size_t kReadableFields;

/// The field of that name, readable or not, or nullptr.
const RegisterField* find_register(const char* name);

}  // namespace toehold
