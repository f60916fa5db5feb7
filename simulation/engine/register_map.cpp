// SPDX-License-Identifier: Apache-2.0

#include "engine/register_map.h"

#include <cstring>

namespace toehold {

const RegisterField* find_register(const char* name) {
  for (std::size_t i = 0; i < kRegisterMapSize; i++) {
    if (std::strcmp(kRegisterMap[i].name, name) == 0) return &kRegisterMap[i];
  }
  return nullptr;
}

}  // namespace toehold
