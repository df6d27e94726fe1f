// weft_cann/attrs.h - attributes as operators read them: by position, in the order of their declaration.
// A RuntimeAttrs is the head of a block: how many, an offset for each, then the values without padding, so
// that an int64_t may stand at an odd address. x86-64 and aarch64 read it there; sanitizers may be told not
// to look.
#pragma once
#include "weft_cann/tensor.h"

struct RuntimeAttrsDef {
  size_t attr_num;
  uint8_t reserved_[40];
  size_t offset[0];  // from the begin of this struct
};

namespace gert {
class RuntimeAttrs {
 public:
  // The value of attribute i, nullptr when there is none: nothing is defaulted here. Reading another type
  // than it has reads its bytes.
  template <typename T>
  const T *GetAttrPointer(size_t i) const {
    return reinterpret_cast<const T *>(At(i));
  }
  const int64_t *GetInt(const size_t i) const { return GetAttrPointer<int64_t>(i); }
  const TypedContinuousVector<int64_t> *GetListInt(const size_t i) const {
    return GetAttrPointer<TypedContinuousVector<int64_t>>(i);
  }
  const ContinuousVectorVector *GetListListInt(const size_t i) const {
    return GetAttrPointer<ContinuousVectorVector>(i);
  }
  const char *GetStr(const size_t i) const { return GetAttrPointer<char>(i); }
  const Tensor *GetTensor(const size_t i) const { return GetAttrPointer<Tensor>(i); }
  const float *GetFloat(const size_t i) const { return GetAttrPointer<float>(i); }
  const bool *GetBool(const size_t i) const { return GetAttrPointer<bool>(i); }
  const TypedContinuousVector<float> *GetListFloat(const size_t i) const {
    return GetAttrPointer<TypedContinuousVector<float>>(i);
  }
  const ContinuousVectorVector *GetListListFloat(const size_t i) const {
    return GetAttrPointer<ContinuousVectorVector>(i);
  }
  size_t GetAttrNum() const { return Head()->attr_num; }

  RuntimeAttrs() = delete;
  RuntimeAttrs(const RuntimeAttrs &) = delete;
  RuntimeAttrs(RuntimeAttrs &&) = delete;
  RuntimeAttrs &operator=(const RuntimeAttrs &) = delete;
  RuntimeAttrs &operator=(RuntimeAttrs &&) = delete;

 private:
  const RuntimeAttrsDef *Head() const { return reinterpret_cast<const RuntimeAttrsDef *>(this); }
  const uint8_t *At(size_t i) const {
    if (i >= GetAttrNum())
      return nullptr;
    return reinterpret_cast<const uint8_t *>(this) + Head()->offset[i];
  }
  [[maybe_unused]] uint64_t placeholder_;
};
static_assert(sizeof(RuntimeAttrsDef) == 48 && sizeof(RuntimeAttrs) == 8, "layouts");
}  // namespace gert
// SPDX-License-Identifier: Apache-2.0
