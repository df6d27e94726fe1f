// check.h - a test is a function named by TEST; CHECK_EQ says both sides, the file and the line. Operator
// libraries that are tested with weft alone use it, too: it needs nothing.
#pragma once
#include <iostream>
#include <string>
#include <vector>

namespace check {
struct Test {
  const char *name;
  void (*run)();
};
inline std::vector<Test> &Tests() {
  static std::vector<Test> tests;
  return tests;
}
inline int &Failures() {
  static int failures;
  return failures;
}
inline bool Add(const char *name, void (*run)()) {
  Tests().push_back({name, run});
  return true;
}
template <typename A, typename B>
void Equal(const A &got, const B &expected, const char *text, const char *file, int line) {
  if (got == expected)
    return;
  std::cerr << file << ":" << line << ": " << text << " is " << got << ", expected " << expected << "\n";
  Failures()++;
}
}  // namespace check

#define TEST(name)                                          \
  static void name();                                       \
  static const bool name##_added = check::Add(#name, name); \
  static void name()
#define CHECK_EQ(got, expected) check::Equal(got, expected, #got, __FILE__, __LINE__)
// clang-format off
#define CHECK(condition) \
  check::Equal(static_cast<bool>(condition), true, #condition, __FILE__, __LINE__)
// clang-format on
// SPDX-License-Identifier: Apache-2.0
