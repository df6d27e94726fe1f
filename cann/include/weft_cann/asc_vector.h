// weft_cann/asc_vector.h - the vector unit, element by element. Each name has the forms of the interface:
// `count` elements one after another; or repeats of 256 bytes, with the elements that take part as a number
// or as bits, and strides of blocks and repeats.
#pragma once
#include "weft_cann/asc_copy.h"

namespace weft_asc {
// What the forms of one instruction share. Inlined, so that of a plain form the compiler leaves a call
// without the record.
class Vector {
 public:
  [[gnu::always_inline]] explicit Vector(weft_asc_vector_op op) {
    v_ = {};
    v_.op = op;
  }
  template <typename T>
  [[gnu::always_inline]] Vector &To(const AscendC::LocalTensor<T> &t, uint32_t block = 1,
                                    uint32_t repeat = 8) {
    v_.dst = Operand(t, block, repeat);
    return *this;
  }
  template <typename T>
  [[gnu::always_inline]] Vector &From(const AscendC::LocalTensor<T> &t, uint32_t block = 1,
                                      uint32_t repeat = 8) {
    v_.src[v_.n_sources++] = Operand(t, block, repeat);
    return *this;
  }
  template <typename T>
  [[gnu::always_inline]] Vector &Scalar(const T &value) {
    if (!v_.n_sources)
      v_.src[0].dtype = v_.dst.dtype;
    v_.n_sources++;
    v_.scalar = true;
    v_.value = Bits(value);
    return *this;
  }
  Vector &ScalarFirst() {
    v_.value_first = true;
    return *this;
  }
  Vector &Round(AscendC::RoundMode mode) {
    v_.round = static_cast<int>(mode);
    return *this;
  }
  // The result is converted to dst's type.
  Vector &Converts(AscendC::RoundMode mode = AscendC::RoundMode::CAST_NONE) {
    v_.converts = true;
    return Round(mode);
  }
  [[gnu::always_inline]] Vector &Count(int64_t count) {
    v_.count = count > 0 ? static_cast<uint32_t>(count) : 0;
    return *this;
  }
  // `set`: isSetMask; otherwise the mask is what SetVectorMask said.
  Vector &Repeats(uint64_t mask, uint32_t repeats, bool set) {
    MaskOf(mask, v_.mask);
    return InRepeats(repeats, set);
  }
  Vector &Repeats(const uint64_t *mask, uint32_t repeats, bool set) {
    v_.mask[0] = mask[0];
    v_.mask[1] = mask[1];
    return InRepeats(repeats, set);
  }
  void Touch(const char *name, weft_asc_at at) const { weft_asc_vector_touch(&v_, name, at); }
  void Read(const char *name, weft_asc_at at) const { weft_asc_vector_read(&v_, name, at); }
  [[gnu::always_inline]] void Run(weft_asc_at at) const {
    const uint32_t tensors = v_.n_sources - (v_.scalar ? 1u : 0u);
    const bool alike = v_.src[0].dtype == v_.dst.dtype && (tensors < 2 || v_.src[1].dtype == v_.dst.dtype);
    const bool plain = !v_.in_repeats && !v_.converts && !v_.value_first && tensors;
    if (plain && !alike && v_.op == WEFT_ASC_COPY && v_.n_sources == 1)
      weft_asc_cast(v_.dst.dtype, v_.src[0].dtype, v_.round, v_.dst.at, v_.src[0].at, v_.count, at);
    else if (plain && alike && v_.scalar && tensors == 1)
      weft_asc_with_number(v_.op, v_.dst.dtype, v_.dst.at, v_.src[0].at, v_.value, v_.count, at);
    else if (plain && alike && !v_.scalar && tensors == 1)
      weft_asc_unary(v_.op, v_.dst.dtype, v_.dst.at, v_.src[0].at, v_.count, at);
    else if (plain && alike && !v_.scalar)
      weft_asc_binary(v_.op, v_.dst.dtype, v_.dst.at, v_.src[0].at, v_.src[1].at, v_.count, at);
    else
      weft_asc_vector_run(&v_, at);
  }
  void Compare(AscendC::CMPMODE mode, weft_asc_at at) const {
    weft_asc_compare_run(&v_, static_cast<weft_asc_compare>(mode), at);
  }
  void Select(const void *bits, AscendC::SELMODE mode, weft_asc_at at) const {
    weft_asc_select_run(&v_, bits, static_cast<int>(mode), at);
  }
  const weft_asc_vector &Record() const { return v_; }

 private:
  Vector &InRepeats(uint32_t repeats, bool set) {
    v_.in_repeats = true;
    v_.repeats = repeats;
    v_.mask_register = !set;
    return *this;
  }
  weft_asc_vector v_;
};
}  // namespace weft_asc

namespace AscendC {
// dst = op(src0, src1)
#define WEFT_ASC_BINARY(Name, OP)                                                              \
  template <typename T, bool isSetMask = true>                                                 \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, \
            const uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams &p,      \
            weft_asc_at at = weft_asc::Here()) {                                               \
    weft_asc::Vector(WEFT_ASC_##OP)                                                            \
        .To(dst, p.dstBlkStride, p.dstRepStride)                                               \
        .From(src0, p.src0BlkStride, p.src0RepStride)                                          \
        .From(src1, p.src1BlkStride, p.src1RepStride)                                          \
        .Repeats(mask, repeatTime, isSetMask)                                                  \
        .Run(at);                                                                              \
  }                                                                                            \
  template <typename T, bool isSetMask = true>                                                 \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, \
            uint64_t mask, const uint8_t repeatTime, const BinaryRepeatParams &p,              \
            weft_asc_at at = weft_asc::Here()) {                                               \
    weft_asc::Vector(WEFT_ASC_##OP)                                                            \
        .To(dst, p.dstBlkStride, p.dstRepStride)                                               \
        .From(src0, p.src0BlkStride, p.src0RepStride)                                          \
        .From(src1, p.src1BlkStride, p.src1RepStride)                                          \
        .Repeats(mask, repeatTime, isSetMask)                                                  \
        .Run(at);                                                                              \
  }                                                                                            \
  template <typename T>                                                                        \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, \
            const int32_t &count, weft_asc_at at = weft_asc::Here()) {                         \
    weft_asc::Vector(WEFT_ASC_##OP).To(dst).From(src0).From(src1).Count(count).Run(at);        \
  }
WEFT_ASC_BINARY(Add, ADD)
WEFT_ASC_BINARY(Sub, SUB)
WEFT_ASC_BINARY(Mul, MUL)
WEFT_ASC_BINARY(Div, DIV)
WEFT_ASC_BINARY(Max, MAX)
WEFT_ASC_BINARY(Min, MIN)
WEFT_ASC_BINARY(And, AND)
WEFT_ASC_BINARY(Or, OR)
WEFT_ASC_BINARY(Xor, XOR)
WEFT_ASC_BINARY(AddRelu, ADD_RELU)
WEFT_ASC_BINARY(SubRelu, SUB_RELU)
WEFT_ASC_BINARY(Prelu, PRELU)
WEFT_ASC_BINARY(AbsSub, ABS_SUB)
WEFT_ASC_BINARY(FusedAbsSub, ABS_SUB)
WEFT_ASC_BINARY(ExpSub, EXP_SUB)
WEFT_ASC_BINARY(FusedExpSub, EXP_SUB)
WEFT_ASC_BINARY(FusedMulAdd, FUSED_MUL_ADD)
WEFT_ASC_BINARY(FusedMulAddRelu, FUSED_MUL_ADD_RELU)
WEFT_ASC_BINARY(ShiftLeft, SHIFT_LEFT)
WEFT_ASC_BINARY(ShiftRight, SHIFT_RIGHT)
#undef WEFT_ASC_BINARY

// dst += src0 * src1; dst may be wider than they are.
template <typename T, typename U, bool isSetMask = true, typename Mask>
void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,
               const Mask mask, const uint8_t repeatTime, const BinaryRepeatParams &p,
               weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_MUL_ADD)
      .To(dst, p.dstBlkStride, p.dstRepStride)
      .From(src0, p.src0BlkStride, p.src0RepStride)
      .From(src1, p.src1BlkStride, p.src1RepStride)
      .Repeats(mask, repeatTime, isSetMask)
      .Run(at);
}
template <typename T, typename U>
void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,
               const int32_t &count, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_MUL_ADD).To(dst).From(src0).From(src1).Count(count).Run(at);
}

// dst = op(src)
#define WEFT_ASC_UNARY(Name, OP)                                                                           \
  template <typename T, bool isSetMask = true>                                                             \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask[],                   \
            const uint8_t repeatTime, const UnaryRepeatParams &p, weft_asc_at at = weft_asc::Here()) {     \
    weft_asc::Vector(WEFT_ASC_##OP)                                                                        \
        .To(dst, p.dstBlkStride, p.dstRepStride)                                                           \
        .From(src, p.srcBlkStride, p.srcRepStride)                                                         \
        .Repeats(mask, repeatTime, isSetMask)                                                              \
        .Run(at);                                                                                          \
  }                                                                                                        \
  template <typename T, bool isSetMask = true>                                                             \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask, const uint8_t repeatTime, \
            const UnaryRepeatParams &p, weft_asc_at at = weft_asc::Here()) {                               \
    weft_asc::Vector(WEFT_ASC_##OP)                                                                        \
        .To(dst, p.dstBlkStride, p.dstRepStride)                                                           \
        .From(src, p.srcBlkStride, p.srcRepStride)                                                         \
        .Repeats(mask, repeatTime, isSetMask)                                                              \
        .Run(at);                                                                                          \
  }                                                                                                        \
  template <typename T>                                                                                    \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count,                    \
            weft_asc_at at = weft_asc::Here()) {                                                           \
    weft_asc::Vector(WEFT_ASC_##OP).To(dst).From(src).Count(count).Run(at);                                \
  }
WEFT_ASC_UNARY(Abs, ABS)
WEFT_ASC_UNARY(Exp, EXP)
WEFT_ASC_UNARY(Ln, LN)
WEFT_ASC_UNARY(Sqrt, SQRT)
WEFT_ASC_UNARY(Rsqrt, RSQRT)
WEFT_ASC_UNARY(Reciprocal, RECIPROCAL)
WEFT_ASC_UNARY(Relu, RELU)
WEFT_ASC_UNARY(Not, NOT)
WEFT_ASC_UNARY(Neg, NEG)
#undef WEFT_ASC_UNARY

// dst = op(src, a number)
#define WEFT_ASC_SCALAR(Name, OP)                                                                       \
  template <typename T, bool isSetMask = true>                                                          \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const weft_asc::Same<T> &scalarValue, \
            const uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams &p,                \
            weft_asc_at at = weft_asc::Here()) {                                                        \
    weft_asc::Vector(WEFT_ASC_##OP)                                                                     \
        .To(dst, p.dstBlkStride, p.dstRepStride)                                                        \
        .From(src, p.srcBlkStride, p.srcRepStride)                                                      \
        .Scalar(scalarValue)                                                                            \
        .Repeats(mask, repeatTime, isSetMask)                                                           \
        .Run(at);                                                                                       \
  }                                                                                                     \
  template <typename T, bool isSetMask = true>                                                          \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const weft_asc::Same<T> &scalarValue, \
            uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams &p,                        \
            weft_asc_at at = weft_asc::Here()) {                                                        \
    weft_asc::Vector(WEFT_ASC_##OP)                                                                     \
        .To(dst, p.dstBlkStride, p.dstRepStride)                                                        \
        .From(src, p.srcBlkStride, p.srcRepStride)                                                      \
        .Scalar(scalarValue)                                                                            \
        .Repeats(mask, repeatTime, isSetMask)                                                           \
        .Run(at);                                                                                       \
  }                                                                                                     \
  template <typename T, bool isSetMask = true>                                                          \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const weft_asc::Same<T> &scalarValue, \
            const int32_t &count, weft_asc_at at = weft_asc::Here()) {                                  \
    weft_asc::Vector(WEFT_ASC_##OP).To(dst).From(src).Scalar(scalarValue).Count(count).Run(at);         \
  }
WEFT_ASC_SCALAR(Adds, ADD)
WEFT_ASC_SCALAR(Subs, SUB)
WEFT_ASC_SCALAR(Muls, MUL)
WEFT_ASC_SCALAR(Divs, DIV)
WEFT_ASC_SCALAR(Maxs, MAX)
WEFT_ASC_SCALAR(Mins, MIN)
WEFT_ASC_SCALAR(Ands, AND)
WEFT_ASC_SCALAR(Ors, OR)
WEFT_ASC_SCALAR(LeakyRelu, LEAKY_RELU)
WEFT_ASC_SCALAR(ShiftLeft, SHIFT_LEFT)
WEFT_ASC_SCALAR(ShiftRight, SHIFT_RIGHT)
WEFT_ASC_SCALAR(ShiftLefts, SHIFT_LEFT)
WEFT_ASC_SCALAR(ShiftRights, SHIFT_RIGHT)
#undef WEFT_ASC_SCALAR
// Both types named, of which the second is the number's.
#define WEFT_ASC_SCALAR_NAMED(Name)                                                                     \
  template <typename T, typename U, bool isSetMask = true, typename Mask>                               \
  auto Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const weft_asc::Same<U> &scalarValue, \
            Mask mask, const uint8_t repeatTime, const UnaryRepeatParams &p,                            \
            weft_asc_at at = weft_asc::Here())                                                          \
      ->std::enable_if_t<std::is_same<PrimT<T>, U>::value> {                                            \
    Name<T, isSetMask>(dst, src, scalarValue, mask, repeatTime, p, at);                                 \
  }                                                                                                     \
  template <typename T, typename U, bool isSetMask = true>                                              \
  auto Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const weft_asc::Same<U> &scalarValue, \
            const int32_t &count, weft_asc_at at = weft_asc::Here())                                    \
      ->std::enable_if_t<std::is_same<PrimT<T>, U>::value> {                                            \
    Name<T, isSetMask>(dst, src, scalarValue, count, at);                                               \
  }
WEFT_ASC_SCALAR_NAMED(Adds)
WEFT_ASC_SCALAR_NAMED(Muls)
WEFT_ASC_SCALAR_NAMED(Maxs)
WEFT_ASC_SCALAR_NAMED(Mins)
WEFT_ASC_SCALAR_NAMED(LeakyRelu)
WEFT_ASC_SCALAR_NAMED(ShiftLeft)
WEFT_ASC_SCALAR_NAMED(ShiftRight)
#undef WEFT_ASC_SCALAR_NAMED
// roundEn: the bit that goes out last is added.
template <typename T, bool isSetMask = true, typename Mask>
void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src, const weft_asc::Same<T> &scalarValue,
                Mask mask, const uint8_t repeatTime, const UnaryRepeatParams &p, bool roundEn,
                weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(roundEn ? WEFT_ASC_SHIFT_RIGHT_ROUND : WEFT_ASC_SHIFT_RIGHT)
      .To(dst, p.dstBlkStride, p.dstRepStride)
      .From(src, p.srcBlkStride, p.srcRepStride)
      .Scalar(scalarValue)
      .Repeats(mask, repeatTime, isSetMask)
      .Run(at);
}
template <typename T, typename U, bool isSetMask = true, typename Mask>
auto ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src, const weft_asc::Same<U> &scalarValue,
                Mask mask, const uint8_t repeatTime, const UnaryRepeatParams &p, bool roundEn,
                weft_asc_at at = weft_asc::Here()) -> std::enable_if_t<std::is_same<PrimT<T>, U>::value> {
  ShiftRight<T, isSetMask>(dst, src, scalarValue, mask, repeatTime, p, roundEn, at);
}

// dst += src * a number; dst may be wider than src.
template <typename T, typename U, bool isSetMask = true, typename Mask>
void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const weft_asc::Same<U> &scalarValue,
          const Mask mask, const uint8_t repeatTime, const UnaryRepeatParams &p,
          weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_AXPY)
      .To(dst, p.dstBlkStride, p.dstRepStride)
      .From(src, p.srcBlkStride, p.srcRepStride)
      .Scalar(scalarValue)
      .Repeats(mask, repeatTime, isSetMask)
      .Run(at);
}
template <typename T, typename U>
void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const weft_asc::Same<U> &scalarValue,
          const int32_t &count, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_AXPY).To(dst).From(src).Scalar(scalarValue).Count(count).Run(at);
}

template <typename T, bool isSetMask = true, typename Mask>
void Duplicate(const LocalTensor<T> &dst, const weft_asc::Same<T> &scalarValue, const Mask mask,
               const uint8_t repeatTime, const uint16_t dstBlockStride, const uint8_t dstRepeatStride,
               weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_DUPLICATE)
      .To(dst, dstBlockStride, dstRepeatStride)
      .Scalar(scalarValue)
      .Repeats(mask, repeatTime, isSetMask)
      .Run(at);
}
template <typename T>
void Duplicate(const LocalTensor<T> &dst, const weft_asc::Same<T> &scalarValue, const int32_t &count,
               weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_DUPLICATE).To(dst).Scalar(scalarValue).Count(count).Run(at);
}
template <typename T>
void Duplicate(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count,
               weft_asc_at at = weft_asc::Here()) {
  Duplicate(dst, src.GetValue(0, at), count, at);
}

template <typename T, bool isSetMask = true, typename Mask>
void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Mask mask, const uint8_t repeatTime,
          const CopyRepeatParams &p, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_COPY)
      .To(dst, p.dstStride, p.dstRepeatSize)
      .From(src, p.srcStride, p.srcRepeatSize)
      .Repeats(mask, repeatTime, isSetMask)
      .Run(at);
}
template <typename T, bool isSetMask = true>
void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count,
          weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_COPY).To(dst).From(src).Count(count).Run(at);
}

// ---- conversions ----

// Rounding within a type is an operation of its own.
constexpr weft_asc_vector_op RoundingOp(RoundMode mode) {
  return mode == RoundMode::CAST_FLOOR   ? WEFT_ASC_FLOOR
         : mode == RoundMode::CAST_CEIL  ? WEFT_ASC_CEIL
         : mode == RoundMode::CAST_ROUND ? WEFT_ASC_ROUND
         : mode == RoundMode::CAST_TRUNC ? WEFT_ASC_TRUNC
                                         : WEFT_ASC_RINT;
}
template <typename T, typename U>
weft_asc::Vector CastVector(RoundMode mode) {
  if (std::is_same<T, U>::value && mode != RoundMode::CAST_NONE)
    return weft_asc::Vector(RoundingOp(mode));
  return weft_asc::Vector(WEFT_ASC_COPY).Round(mode);
}
template <typename T, typename U, bool isSetMask = true, typename Mask>
void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &roundMode, const Mask mask,
          const uint8_t repeatTime, const UnaryRepeatParams &p, weft_asc_at at = weft_asc::Here()) {
  CastVector<T, U>(roundMode)
      .To(dst, p.dstBlkStride, p.dstRepStride)
      .From(src, p.srcBlkStride, p.srcRepStride)
      .Repeats(mask, repeatTime, isSetMask)
      .Run(at);
}
template <typename T, typename U>
void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &roundMode,
          const uint32_t count, weft_asc_at at = weft_asc::Here()) {
  CastVector<T, U>(roundMode).To(dst).From(src).Count(count).Run(at);
}
// A factor of Cast from int32_t to half.
inline void SetDeqScale(half scale) {
  if (weft_asc_core *core = weft_asc_current())
    core->deq_scale = static_cast<double>(static_cast<float>(scale));
}
template <typename T, RoundMode roundMode>
void Truncate(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count,
              weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(RoundingOp(roundMode)).To(dst).From(src).Count(count).Run(at);
}

// ---- comparisons ----

template <typename T, typename U, bool isSetMask = true, typename Mask>
void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
             CMPMODE cmpMode, const Mask mask, uint8_t repeatTime, const BinaryRepeatParams &p,
             weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_COPY)
      .To(dst)
      .From(src0, p.src0BlkStride, p.src0RepStride)
      .From(src1, p.src1BlkStride, p.src1RepStride)
      .Repeats(mask, repeatTime, isSetMask)
      .Compare(cmpMode, at);
}
// Into the compare register, which Select without a mask reads.
template <typename T, bool isSetMask = true, typename Mask>
void Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE cmpMode, const Mask mask,
             const BinaryRepeatParams &p, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_COPY)
      .From(src0, p.src0BlkStride, p.src0RepStride)
      .From(src1, p.src1BlkStride, p.src1RepStride)
      .Repeats(mask, 1, isSetMask)
      .Compare(cmpMode, at);
}
template <typename T, typename U>
void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
             CMPMODE cmpMode, uint32_t count, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_COPY).To(dst).From(src0).From(src1).Count(count).Compare(cmpMode, at);
}
#define WEFT_ASC_COMPARE_SCALAR(Name)                                                                        \
  template <typename T, typename U, bool isSetMask = true, typename Mask>                                    \
  void Name(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const weft_asc::Same<T> src1Scalar,       \
            CMPMODE cmpMode, const Mask mask, uint8_t repeatTime, const UnaryRepeatParams &p,                \
            weft_asc_at at = weft_asc::Here()) {                                                             \
    weft_asc::Vector(WEFT_ASC_COPY)                                                                          \
        .To(dst)                                                                                             \
        .From(src0, p.srcBlkStride, p.srcRepStride)                                                          \
        .Scalar(src1Scalar)                                                                                  \
        .Repeats(mask, repeatTime, isSetMask)                                                                \
        .Compare(cmpMode, at);                                                                               \
  }                                                                                                          \
  template <typename T, typename U>                                                                          \
  void Name(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const weft_asc::Same<T> src1Scalar,       \
            CMPMODE cmpMode, uint32_t count, weft_asc_at at = weft_asc::Here()) {                            \
    weft_asc::Vector(WEFT_ASC_COPY).To(dst).From(src0).Scalar(src1Scalar).Count(count).Compare(cmpMode, at); \
  }
WEFT_ASC_COMPARE_SCALAR(CompareScalar)
WEFT_ASC_COMPARE_SCALAR(Compares)
#undef WEFT_ASC_COMPARE_SCALAR
// With the types of the tensors as they are, whatever T0 and T1 say: kernels name the result's type first.
#define WEFT_ASC_COMPARE_NAMED(Name)                                                                  \
  template <typename T0, typename T1 = T0, bool isSetMask = true, typename U, typename T, typename S, \
            typename Mask>                                                                            \
  auto Name(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const S &src1, CMPMODE cmpMode,    \
            const Mask mask, uint8_t repeatTime, const UnaryRepeatParams &p,                          \
            weft_asc_at at = weft_asc::Here())                                                        \
      ->std::enable_if_t<!std::is_same<T0, T>::value> {                                               \
    Name<T, U, isSetMask>(dst, src0, static_cast<T>(src1), cmpMode, mask, repeatTime, p, at);         \
  }                                                                                                   \
  template <typename T0, typename T1 = T0, typename U, typename T, typename S>                        \
  auto Name(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const S &src1, CMPMODE cmpMode,    \
            uint32_t count, weft_asc_at at = weft_asc::Here())                                        \
      ->std::enable_if_t<!std::is_same<T0, T>::value> {                                               \
    Name<T, U>(dst, src0, static_cast<T>(src1), cmpMode, count, at);                                  \
  }
WEFT_ASC_COMPARE_NAMED(CompareScalar)
WEFT_ASC_COMPARE_NAMED(Compares)
#undef WEFT_ASC_COMPARE_NAMED

template <typename T, typename U, bool isSetMask = true, typename Mask>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
            const LocalTensor<T> &src1, SELMODE selMode, const Mask mask, uint8_t repeatTime,
            const BinaryRepeatParams &p, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_COPY)
      .To(dst, p.dstBlkStride, p.dstRepStride)
      .From(src0, p.src0BlkStride, p.src0RepStride)
      .From(src1, p.src1BlkStride, p.src1RepStride)
      .Repeats(mask, repeatTime, isSetMask)
      .Select(selMask.Data(), selMode, at);
}
template <typename T, typename U, bool isSetMask = true, typename Mask>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
            const weft_asc::Same<T> src1, SELMODE selMode, const Mask mask, uint8_t repeatTime,
            const BinaryRepeatParams &p, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_COPY)
      .To(dst, p.dstBlkStride, p.dstRepStride)
      .From(src0, p.src0BlkStride, p.src0RepStride)
      .Scalar(src1)
      .Repeats(mask, repeatTime, isSetMask)
      .Select(selMask.Data(), selMode, at);
}
template <typename T, typename U>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
            const LocalTensor<T> &src1, SELMODE selMode, uint32_t count, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_COPY)
      .To(dst)
      .From(src0)
      .From(src1)
      .Count(count)
      .Select(selMask.Data(), selMode, at);
}
template <typename T, typename U>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
            const weft_asc::Same<T> src1, SELMODE selMode, uint32_t count,
            weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_COPY)
      .To(dst)
      .From(src0)
      .Scalar(src1)
      .Count(count)
      .Select(selMask.Data(), selMode, at);
}
// By the compare register.
template <typename T, SELMODE selMode>
void Select(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
            uint8_t repeatTime, const BinaryRepeatParams &p, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_COPY)
      .To(dst, p.dstBlkStride, p.dstRepStride)
      .From(src0, p.src0BlkStride, p.src0RepStride)
      .From(src1, p.src1BlkStride, p.src1RepStride)
      .Repeats(uint64_t{256 / sizeof(T)}, repeatTime, true)
      .Select(nullptr, selMode, at);
}

// src0 or, where the bit is 0, the number at the beginning of the compare register.
template <typename T, typename U>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
            uint8_t repeatTime, const BinaryRepeatParams &p, weft_asc_at at = weft_asc::Here()) {
  T number{};
  if (const weft_asc_core *core = weft_asc_current())
    memcpy(&number, core->compared, sizeof number);
  Select(dst, selMask, src0, number, SELMODE::VSEL_TENSOR_SCALAR_MODE, uint64_t{256 / sizeof(T)}, repeatTime,
         p, at);
}

// ---- operators of whole tensors ----

// dst = a + b takes as many elements as dst has, dst = a < b as many as a has.
template <typename T>
struct LaterBinary {
  weft_asc_vector_op op;
  LocalTensor<T> src0, src1;
  weft_asc_at at;
  void AssignTo(const LocalTensor<T> &dst) const {
    weft_asc::Vector(op).To(dst).From(src0).From(src1).Count(dst.GetSize()).Run(at);
  }
};
template <typename T>
struct LaterCompare {
  CMPMODE mode;
  LocalTensor<T> src0, src1;
  weft_asc_at at;
  template <typename U>
  void AssignTo(const LocalTensor<U> &dst) const {
    weft_asc::Vector(WEFT_ASC_COPY).To(dst).From(src0).From(src1).Count(src0.GetSize()).Compare(mode, at);
  }
};
#define WEFT_ASC_OPERATOR(sign, Later, which)                                      \
  template <typename T>                                                            \
  Later<T> operator sign(const LocalTensor<T> &src0, const LocalTensor<T> &src1) { \
    return {which, src0, src1, {"an operator of tensors", 0}};                     \
  }
WEFT_ASC_OPERATOR(+, LaterBinary, WEFT_ASC_ADD)
WEFT_ASC_OPERATOR(-, LaterBinary, WEFT_ASC_SUB)
WEFT_ASC_OPERATOR(*, LaterBinary, WEFT_ASC_MUL)
WEFT_ASC_OPERATOR(/, LaterBinary, WEFT_ASC_DIV)
WEFT_ASC_OPERATOR(&, LaterBinary, WEFT_ASC_AND)
WEFT_ASC_OPERATOR(|, LaterBinary, WEFT_ASC_OR)
WEFT_ASC_OPERATOR(<, LaterCompare, CMPMODE::LT)
WEFT_ASC_OPERATOR(>, LaterCompare, CMPMODE::GT)
WEFT_ASC_OPERATOR(<=, LaterCompare, CMPMODE::LE)
WEFT_ASC_OPERATOR(>=, LaterCompare, CMPMODE::GE)
WEFT_ASC_OPERATOR(==, LaterCompare, CMPMODE::EQ)
WEFT_ASC_OPERATOR(!=, LaterCompare, CMPMODE::NE)
#undef WEFT_ASC_OPERATOR

// ---- the mask register ----

template <typename T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow) {
  if (weft_asc_core *core = weft_asc_current()) {
    core->mask[0] = maskLow;
    core->mask[1] = maskHigh;
    core->mask_counts = mode == MaskMode::COUNTER || core->mask_counts;
  }
}
template <typename T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(int32_t len) {
  weft_asc_core *core = weft_asc_current();
  if (!core)
    return;
  if (mode == MaskMode::COUNTER || core->mask_counts) {
    core->mask[0] = static_cast<uint64_t>(len);
    return;
  }
  weft_asc::MaskOf(static_cast<uint64_t>(len), core->mask);
}
inline void ResetMask() {
  if (weft_asc_core *core = weft_asc_current())
    core->mask[0] = core->mask[1] = ~0ull;
}
inline void SetMaskCount() {
  if (weft_asc_core *core = weft_asc_current())
    core->mask_counts = true;
}
inline void SetMaskNorm() {
  if (weft_asc_core *core = weft_asc_current())
    core->mask_counts = false;
}
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
