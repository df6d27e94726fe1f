// weft_cann/checker.h - GE_ASSERT and its kin: a condition that does not hold is logged, with the place, and
// ends the function, whatever it returns: a status, a bool, a pointer, an empty text.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "weft_cann/log.h"

// What a failed assertion returns, as each type says that something failed.
struct ErrorResult {
  operator bool() const { return false; }
  operator uint32_t() const { return ge::GRAPH_FAILED; }
  template <typename T>
  operator T *() const {
    return nullptr;
  }
  template <typename T>
  operator std::unique_ptr<T>() const {
    return nullptr;
  }
  template <typename T>
  operator std::shared_ptr<T>() const {
    return nullptr;
  }
  template <typename T>
  operator std::vector<T>() const {
    return {};
  }
  operator std::string() const { return ""; }
};

namespace weft_cann {
// The user's words, or none.
inline std::string AssertText() {
  return "";
}
template <typename... T>
std::string AssertText(const char *format, T... values) {
  char text[1024];
  const int n = snprintf(text, sizeof text, format, values...);
  return n > 0 ? std::string(": ") + text : "";
}
inline std::string AssertText(const char *text) {
  return std::string(": ") + (text ? text : "");
}
}  // namespace weft_cann

#define WEFT_CANN_ASSERT(holds, says, ...)                                        \
  do {                                                                            \
    if (unlikely(!(holds))) {                                                     \
      ::weft_cann::Log(DLOG_ERROR, __FILE__, __LINE__, "assertion", "%s%s", says, \
                       ::weft_cann::AssertText(__VA_ARGS__).c_str());             \
      return ::ErrorResult();                                                     \
    }                                                                             \
  } while (0)
#define GE_ASSERT(exp, ...)       WEFT_CANN_ASSERT(exp, #exp " does not hold", ##__VA_ARGS__)
#define GE_ASSERT_TRUE(v, ...)    WEFT_CANN_ASSERT(v, #v " is false", ##__VA_ARGS__)
#define GE_ASSERT_NOTNULL(v, ...) WEFT_CANN_ASSERT((v) != nullptr, #v " is a null pointer", ##__VA_ARGS__)
#define GE_ASSERT_SUCCESS(v, ...) WEFT_CANN_ASSERT((v) == 0, #v " failed", ##__VA_ARGS__)
#define GE_ASSERT_GRAPH_SUCCESS(v, ...) \
  WEFT_CANN_ASSERT((v) == ::ge::GRAPH_SUCCESS, #v " failed", ##__VA_ARGS__)
#define GE_ASSERT_EQ(x, y) WEFT_CANN_ASSERT((x) == (y), #x " and " #y " differ")
// SPDX-License-Identifier: Apache-2.0
