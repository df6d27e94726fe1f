// weft_cann/base.h - what the rest of CANN's C++ interface stands on: status codes and strings.
// Everything under weft_cann/ is inline: an operator library that is built with these headers links nothing
// of weft's. The names, values and layouts are those of CANN's headers; the files that users include
// (graph/types.h, register/op_impl_registry.h, ...) are one line each and lead here.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>

// What belongs to one shared object: the registrations of two operator libraries in a process stay apart.
#define WEFT_CANN_OWN __attribute__((visibility("hidden")))

#ifndef VAR_UNUSED
#define VAR_UNUSED __attribute__((unused))
#endif
#ifndef GE_FUNC_VISIBILITY
#define GE_FUNC_VISIBILITY
#endif

using UINT32 = unsigned int;

namespace ge {
using char_t = char;
using float32_t = float;
using float64_t = double;

using graphStatus = uint32_t;
using Status = uint32_t;
constexpr graphStatus GRAPH_SUCCESS = 0;
constexpr graphStatus GRAPH_FAILED = 0xFFFFFFFF;
constexpr graphStatus GRAPH_NOT_CHANGED = 1343242304;
constexpr graphStatus GRAPH_NULL_PTR = 50331538;
constexpr graphStatus GRAPH_PARAM_INVALID = 50331649;
constexpr graphStatus GRAPH_PARAM_OUT_OF_RANGE = 50331644;
constexpr Status SUCCESS = 0;
constexpr Status FAILED = 0xFFFFFFFF;

// A string that is handed between libraries: copies share the text. Without a text it equals only another
// one without.
class AscendString {
 public:
  AscendString() noexcept = default;
  AscendString(const char_t *name) : text_(name ? std::make_shared<std::string>(name) : nullptr) {}
  AscendString(const char_t *name, size_t length)
      : text_(name ? std::make_shared<std::string>(name, length) : nullptr) {}

  const char_t *GetString() const { return text_ ? text_->c_str() : ""; }
  size_t GetLength() const { return text_ ? text_->size() : 0; }
  size_t Hash() const { return std::hash<std::string>()(text_ ? *text_ : std::string()); }
  size_t Find(const AscendString &part) const {
    return text_ && part.text_ ? text_->find(*part.text_) : std::string::npos;
  }

  bool operator==(const AscendString &other) const { return Compare(other) == 0; }
  bool operator!=(const AscendString &other) const { return Compare(other) != 0; }
  bool operator<(const AscendString &other) const { return Compare(other) < 0; }
  bool operator>(const AscendString &other) const { return Compare(other) > 0; }
  bool operator<=(const AscendString &other) const { return Compare(other) <= 0; }
  bool operator>=(const AscendString &other) const { return Compare(other) >= 0; }
  bool operator==(const char_t *other) const { return *this == AscendString(other); }
  bool operator!=(const char_t *other) const { return *this != AscendString(other); }

 private:
  int Compare(const AscendString &other) const {
    if (!text_ || !other.text_)
      return (text_ ? 1 : 0) - (other.text_ ? 1 : 0);
    return text_->compare(*other.text_);
  }
  std::shared_ptr<std::string> text_;
};
}  // namespace ge

template <>
struct std::hash<ge::AscendString> {
  size_t operator()(const ge::AscendString &text) const { return text.Hash(); }
};
// SPDX-License-Identifier: Apache-2.0
