// weft_cann/asc_tensor.h - GlobalTensor and LocalTensor: typed views that own nothing. Their addresses are
// the process's own, so that a debugger and AddressSanitizer see them.
#pragma once
#include "weft_cann/asc_types.h"

namespace AscendC {
template <typename T>
class LocalTensor {
 public:
  using PrimType = PrimT<T>;
  LocalTensor() = default;
  LocalTensor(uint8_t *address, uint32_t elements, TPosition position)
      : address_(address), elements_(elements), position_(position) {}
  // `addr` bytes into the memory of a position.
  LocalTensor(TPosition position, uint32_t addr, uint32_t tileSize, weft_asc_at at = weft_asc::Here())
      : address_(weft_asc_region_at(weft_asc::RegionOf(position), addr, uint64_t{tileSize} * sizeof(T), at)),
        elements_(tileSize),
        position_(position) {}
  explicit LocalTensor(uint32_t addr, weft_asc_at at = weft_asc::Here())
      : address_(weft_asc_region_at(WEFT_ASC_UB, addr, 0, at)), position_(TPosition::VECCALC) {
    const weft_asc_core *core = weft_asc_current();
    elements_ = core ? (core->capacity[WEFT_ASC_UB] - addr) / static_cast<uint32_t>(sizeof(T)) : 0;
  }
  // dst = a + b: what operators of whole tensors give is carried out where it is assigned.
  template <typename Later>
  auto operator=(const Later &later) -> decltype(later.AssignTo(*this), *this) {
    later.AssignTo(*this);
    return *this;
  }
  uint64_t GetPhyAddr() const { return GetPhyAddr(0); }
  uint64_t GetPhyAddr(const uint32_t offset) const {
    weft_asc_pointers();
    return reinterpret_cast<uint64_t>(Data() + offset);
  }
  PrimType GetValue(const uint32_t index, weft_asc_at at = weft_asc::Here()) const {
    weft_asc_scalar(Data() + index, sizeof(T), false, false, at);
    return Data()[index];
  }
  template <typename S>
  void SetValue(const uint32_t index, const S value, weft_asc_at at = weft_asc::Here()) const {
    weft_asc_scalar(Data() + index, sizeof(T), true, false, at);
    Data()[index] = static_cast<PrimType>(value);
  }
  PrimType &operator()(const uint32_t offset, weft_asc_at at = weft_asc::Here()) const {
    weft_asc_scalar(Data() + offset, sizeof(T), false, false, at);
    weft_asc_pointers();
    return Data()[offset];
  }
  // The tensor from element `offset` on, not a value.
  LocalTensor<T> operator[](const uint32_t offset) const {
    LocalTensor<T> rest = *this;
    rest.address_ += uint64_t{offset} * sizeof(T);
    rest.elements_ = offset < elements_ ? elements_ - offset : 0;
    return rest;
  }
  template <typename U>
  LocalTensor<U> ReinterpretCast() const {
    return LocalTensor<U>(address_, static_cast<uint32_t>(uint64_t{elements_} * sizeof(T) / sizeof(U)),
                          position_);
  }
  template <typename S>
  void SetAddrWithOffset(LocalTensor<S> &src, uint32_t offset) {
    address_ = reinterpret_cast<uint8_t *>(src.Data()) + uint64_t{offset} * sizeof(T);
    elements_ = static_cast<uint32_t>(uint64_t{src.GetSize()} * sizeof(S) / sizeof(T));
    position_ = static_cast<TPosition>(src.GetPosition());
  }
  int32_t GetPosition() const { return static_cast<int32_t>(position_); }
  void SetSize(const uint32_t size) { elements_ = size; }
  uint32_t GetSize() const { return elements_; }
  uint32_t GetLength() const { return elements_ * static_cast<uint32_t>(sizeof(T)); }
  void SetBufferLen(uint32_t dataLen) { elements_ = dataLen / static_cast<uint32_t>(sizeof(T)); }
  void SetUserTag(const TTagType tag) { tag_ = tag; }
  TTagType GetUserTag() const { return tag_; }
  void SetShapeInfo(const ShapeInfo &shapeInfo) {
    shape_ = static_cast<const ShapeInfo *>(weft_asc_keep(&shapeInfo, sizeof shapeInfo));
  }
  ShapeInfo GetShapeInfo() const { return shape_ ? *shape_ : ShapeInfo(); }
  PrimType *Data() const { return reinterpret_cast<PrimType *>(address_); }

 private:
  uint8_t *address_ = nullptr;
  uint32_t elements_ = 0;
  TPosition position_ = TPosition::VECCALC;
  TTagType tag_ = 0;
  const ShapeInfo *shape_ = nullptr;  // few kernels say one, and tensors are copied all the time
};

template <typename T>
class GlobalTensor {
 public:
  using PrimType = PrimT<T>;
  void SetGlobalBuffer(PrimType *buffer, uint64_t bufferSize) {
    address_ = buffer;
    bufferSize_ = bufferSize;
    known_ = true;
  }
  void SetGlobalBuffer(PrimType *buffer) {
    address_ = buffer;
    bufferSize_ = 0;
    known_ = false;
  }
  const PrimType *GetPhyAddr() const { return address_; }
  PrimType *GetPhyAddr(const uint64_t offset) const { return address_ + offset; }
  PrimType GetValue(const uint64_t offset, weft_asc_at at = weft_asc::Here()) const {
    Check(offset, at);
    weft_asc_scalar(address_ + offset, sizeof(T), false, true, at);
    return address_[offset];
  }
  void SetValue(const uint64_t offset, PrimType value, weft_asc_at at = weft_asc::Here()) const {
    Check(offset, at);
    weft_asc_scalar(address_ + offset, sizeof(T), true, true, at);
    address_[offset] = value;
  }
  PrimType &operator()(const uint64_t offset, weft_asc_at at = weft_asc::Here()) const {
    Check(offset, at);
    weft_asc_scalar(address_ + offset, sizeof(T), false, true, at);
    weft_asc_pointers();
    return address_[offset];
  }
  GlobalTensor<T> operator[](const uint64_t offset) const {
    GlobalTensor<T> rest = *this;
    rest.address_ += offset;
    if (known_)
      rest.bufferSize_ = offset < bufferSize_ ? bufferSize_ - offset : 0;
    return rest;
  }
  uint64_t GetSize() const { return bufferSize_; }
  void SetShapeInfo(const ShapeInfo &shapeInfo) { shapeInfo_ = shapeInfo; }
  ShapeInfo GetShapeInfo() const { return shapeInfo_; }
  template <CacheRwMode rwMode = CacheRwMode::RW>
  void SetL2CacheHint(CacheMode mode) {
    cacheMode_ = mode;
  }
  template <typename U>
  GlobalTensor<U> ReinterpretCast() const {
    GlobalTensor<U> other;
    other.SetGlobalBuffer(reinterpret_cast<U *>(address_));
    if (known_)
      other.SetGlobalBuffer(reinterpret_cast<U *>(address_), bufferSize_ * sizeof(T) / sizeof(U));
    return other;
  }
  // That may be touched from the address on; ~0: nobody said.
  uint64_t KnownBytes() const { return known_ ? bufferSize_ * sizeof(T) : ~0ull; }

  uint64_t bufferSize_ = 0;
  ShapeInfo shapeInfo_;
  CacheMode cacheMode_ = CacheMode::CACHE_MODE_NORMAL;

 private:
  void Check(uint64_t offset, weft_asc_at at) const {
    if (known_ && offset >= bufferSize_ && weft_asc_checked())
      weft_asc_fail(at, "element %llu of a GlobalTensor that has %llu",
                    static_cast<unsigned long long>(offset), static_cast<unsigned long long>(bufferSize_));
  }
  PrimType *address_ = nullptr;
  bool known_ = false;
};
}  // namespace AscendC

namespace weft_asc {
template <typename T>
weft_asc_operand Operand(const AscendC::LocalTensor<T> &t, uint32_t block = 1, uint32_t repeat = 8) {
  return {t.Data(), block, repeat, AscendC::DtypeOf<AscendC::PrimT<T>>::kValue};
}
// The bits of a scalar.
template <typename T>
uint64_t Bits(const T &value) {
  static_assert(sizeof(T) <= 8, "a scalar has at most 64 bits");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}
// The mask of the first `count` elements.
inline void MaskOf(uint64_t count, uint64_t (&mask)[2]) {
  mask[0] = count >= 64 ? ~0ull : (1ull << count) - 1;
  mask[1] = count >= 128 ? ~0ull : count > 64 ? (1ull << (count - 64)) - 1 : 0;
}
}  // namespace weft_asc
// SPDX-License-Identifier: Apache-2.0
