// SPDX-License-Identifier: Apache-2.0

#include "program/json.h"

#include <cstdio>

namespace toehold {

namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      result += escape;
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace

JsonObject& JsonObject::raw(const std::string& name, const std::string& value) {
  if (!members_.empty()) members_ += ", ";
  members_ += quoted(name) + ": " + value;
  return *this;
}

JsonObject& JsonObject::member(const std::string& name, std::uint64_t value) {
  return raw(name, std::to_string(value));
}

JsonObject& JsonObject::member(const std::string& name, double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return raw(name, text);
}

JsonObject& JsonObject::member(const std::string& name, bool value) {
  return raw(name, value ? "true" : "false");
}

JsonObject& JsonObject::member(const std::string& name, const std::string& value) {
  return raw(name, quoted(value));
}

JsonObject& JsonObject::member(const std::string& name, const char* value) {
  return raw(name, quoted(value));
}

JsonObject& JsonObject::member(const std::string& name, const JsonObject& value) {
  return raw(name, value.text());
}

}  // namespace toehold
