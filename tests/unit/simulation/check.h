// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

// The least that a test needs: named cases, and checks that say where and what.
//
//   TEST(counts_bytes) { CHECK_EQUAL(count("abc"), 3u); }
//   int main() { return run_tests(); }

struct TestCase {
  const char* name;
  std::function<void()> body;
};

inline std::vector<TestCase>& test_cases() {
  static std::vector<TestCase> cases;
  return cases;
}

inline int& test_failures() {
  static int failures = 0;
  return failures;
}

struct TestRegistration {
  TestRegistration(const char* name, std::function<void()> body) {
    test_cases().push_back({name, std::move(body)});
  }
};

inline void report_failure(const char* file, int line, const std::string& what) {
  std::printf("%s:%d: %s\n", file, line, what.c_str());
  test_failures()++;
}

template <typename A, typename B>
void check_equal(const A& found, const B& wanted, const char* text, const char* file, int line) {
  if (found == wanted) return;
  std::ostringstream sentence;
  sentence << text << " is " << found << ", not " << wanted;
  report_failure(file, line, sentence.str());
}

#define TEST(name)                                                \
  static void test_##name();                                      \
  static const TestRegistration register_##name(#name, test_##name); \
  static void test_##name()

#define CHECK(condition) \
  ((condition) ? void() : report_failure(__FILE__, __LINE__, #condition " does not hold"))

#define CHECK_EQUAL(found, wanted) check_equal((found), (wanted), #found, __FILE__, __LINE__)

inline int run_tests() {
  for (const TestCase& test : test_cases()) {
    const int before = test_failures();
    test.body();
    std::printf("%s %s\n", test_failures() == before ? "ok    " : "FAILED", test.name);
  }
  return test_failures() == 0 && !test_cases().empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}
