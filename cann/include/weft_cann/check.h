// weft_cann/check.h - a test is a function named by TEST; CHECK_EQ says both sides, the file and the line. It
// needs nothing else. weft_cann/test.h adds what tests of operators ask for.
#pragma once
#include <cstring>
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
// How a value is shown in a failure; types that have no << of their own get a specialisation.
template <typename T>
struct Shown {
  static void To(std::ostream &to, const T &value) { to << value; }
};
template <typename A, typename B>
void Equal(const A &got, const B &expected, const char *text, const char *file, int line) {
  if (got == expected)
    return;
  std::cerr << file << ":" << line << ": " << text << " is ";
  Shown<A>::To(std::cerr, got);
  std::cerr << ", expected ";
  Shown<B>::To(std::cerr, expected);
  std::cerr << "\n";
  Failures()++;
}
// Runs every test, or those whose name begins with the first argument. Returns what main returns.
inline int RunTests(int argc, char **argv) {
  for (const Test &test : Tests()) {
    if (argc > 1 && strncmp(test.name, argv[1], strlen(argv[1])) != 0)
      continue;
    std::cout << test.name << std::endl;
    test.run();
  }
  std::cout << Failures() << " failures\n";
  return Failures() != 0;
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
