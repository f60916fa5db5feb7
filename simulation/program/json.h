// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>

namespace toehold {

/// Writes one JSON object, member by member. Names and texts come from the program and the register
/// map, so that nothing needs escaping but quotes, backslashes and control characters.
class JsonObject {
 public:
  JsonObject& member(const std::string& name, std::uint64_t value);
  JsonObject& member(const std::string& name, double value);
  JsonObject& member(const std::string& name, bool value);
  JsonObject& member(const std::string& name, const std::string& value);
  JsonObject& member(const std::string& name, const char* value);
  JsonObject& member(const std::string& name, const JsonObject& value);

  std::string text() const { return "{" + members_ + "}"; }

 private:
  JsonObject& raw(const std::string& name, const std::string& value);

  std::string members_;
};

}  // namespace toehold
