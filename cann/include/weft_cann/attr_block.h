// weft_cann/attr_block.h - makes the block of attributes that a RuntimeAttrs is the head of.
#pragma once
#include <vector>

#include "weft_cann/attrs.h"

namespace gert {
namespace detail {
// Attributes one after another, as RuntimeAttrs reads them.
class AttrBlock {
 public:
  template <typename T>
  void Value(const T value) {
    Begin();
    Bytes(&value, sizeof value);
  }
  void Text(const char *text) {
    Begin();
    Bytes(text, strlen(text) + 1);
  }
  template <typename T>
  void List(const std::vector<T> &values) {
    Begin();
    Vector(values);
  }
  void Bools(const std::vector<bool> &values) { List(std::vector<uint8_t>(values.begin(), values.end())); }
  // As many as there are strings; their bytes, each with its zero, follow.
  void Texts(const std::vector<ge::AscendString> &values) {
    Begin();
    std::vector<uint8_t> all;
    for (const ge::AscendString &text : values)
      all.insert(all.end(), text.GetString(), text.GetString() + text.GetLength() + 1);
    Head(values.size());
    Bytes(all.data(), all.size());
  }
  template <typename T>
  void Lists(const std::vector<std::vector<T>> &values) {
    Begin();
    size_t bytes = ContinuousVectorVector::GetOverHeadLength(values.size());
    for (const std::vector<T> &inner : values)
      bytes += sizeof(ContinuousVector) + (inner.size() * sizeof(T) + 7) / 8 * 8;
    std::vector<uint64_t> block((bytes + 7) / 8);
    auto *lists = reinterpret_cast<ContinuousVectorVector *>(block.data());
    lists->Init(values.size());
    for (const std::vector<T> &inner : values)
      memcpy(lists->Add<T>(inner.size())->MutableData(), inner.data(), inner.size() * sizeof(T));
    Bytes(block.data(), bytes);
  }
  size_t Size() const { return sizeof(RuntimeAttrsDef) + from_.size() * sizeof(size_t) + bytes_.size(); }
  void Write(void *to) const {
    auto *head = static_cast<RuntimeAttrsDef *>(to);
    memset(head, 0, sizeof *head);
    head->attr_num = from_.size();
    const size_t values = sizeof *head + from_.size() * sizeof(size_t);
    for (size_t i = 0; i < from_.size(); i++) {
      const size_t at = values + from_[i];
      memcpy(reinterpret_cast<uint8_t *>(to) + sizeof *head + i * sizeof at, &at, sizeof at);
    }
    if (!bytes_.empty())
      memcpy(static_cast<uint8_t *>(to) + values, bytes_.data(), bytes_.size());
  }

 private:
  void Begin() { from_.push_back(bytes_.size()); }
  void Bytes(const void *data, size_t n) {
    const auto *bytes = static_cast<const uint8_t *>(data);
    bytes_.insert(bytes_.end(), bytes, bytes + n);
  }
  void Head(size_t count) {
    uint64_t head[sizeof(ContinuousVector) / 8] = {count, count};
    Bytes(head, sizeof head - 8);
  }
  template <typename T>
  void Vector(const std::vector<T> &values) {
    Head(values.size());
    Bytes(values.data(), values.size() * sizeof(T));
  }
  std::vector<size_t> from_;
  std::vector<uint8_t> bytes_;
};
}  // namespace detail
}  // namespace gert
// SPDX-License-Identifier: Apache-2.0
