// weft_cann/op_util.h - what operator code calls for arithmetic, shapes, known values, and the shape rules of
// element-wise, broadcasting and reducing operators (namespace Ops::Base).
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "weft_cann/log.h"

namespace Ops {
namespace Base {
struct SplitResult {
  int32_t splitCount = 0;
  int64_t splitFactor = 0;
  int64_t splitTailFactor = 0;
};

// Rounded up; x where y is 0.
template <typename T>
typename std::enable_if<std::is_signed<T>::value, T>::type CeilDiv(T x, T y) {
  if (y == 0)
    return x;
  const T quotient = static_cast<T>(x / y);
  const bool more = x % y != 0 && (x < 0) == (y < 0);
  return static_cast<T>(quotient + (more ? 1 : 0));
}
template <typename T>
typename std::enable_if<std::is_unsigned<T>::value, T>::type CeilDiv(T x, T y) {
  if (y == 0)
    return x;
  return static_cast<T>(x / y + (x % y ? 1 : 0));
}
template <typename T1, typename T2>
typename std::enable_if<!std::is_same<T1, T2>::value, typename std::common_type<T1, T2>::type>::type CeilDiv(
    T1 x, T2 y) {
  using T = typename std::common_type<T1, T2>::type;
  return CeilDiv<T>(static_cast<T>(x), static_cast<T>(y));
}
// Truncated, as the real library does it; x where y is 0.
template <typename T>
typename std::enable_if<std::is_integral<T>::value, T>::type FloorDiv(T x, T y) {
  if (y == 0)
    return x;
  return static_cast<T>(x / y);
}
// To the next multiple; 0 where align is 0.
template <typename T>
typename std::enable_if<std::is_integral<T>::value, T>::type CeilAlign(T x, T align) {
  return align == 0 ? 0 : static_cast<T>(CeilDiv(x, align) * align);
}
template <typename T>
typename std::enable_if<std::is_integral<T>::value, T>::type FloorAlign(T x, T align) {
  return align == 0 ? 0 : static_cast<T>(x / align * align);
}
template <typename T>
typename std::enable_if<std::is_floating_point<T>::value, bool>::type IsFloatEqual(T a, T b) {
  const T eps = std::numeric_limits<T>::epsilon();
  return std::fabs(a - b) <= eps * std::max(std::max(std::fabs(a), std::fabs(b)), static_cast<T>(1));
}
// The greatest power of two that is not greater; 0 for 0.
inline uint64_t LastPow2(uint64_t n) {
  return n ? uint64_t{1} << (63 - __builtin_clzll(n)) : 0;
}

// A hash of bytes (MurmurHash3, 32 bits): keys of tilings that are kept.
inline uint32_t MurmurHash(const void *src, uint32_t srcLen, uint32_t seed = 271828) {
  const auto *bytes = static_cast<const unsigned char *>(src);
  const auto turn = [](uint32_t v, int by) { return v << by | v >> (32 - by); };
  const auto mix = [&turn](uint32_t v) { return turn(v * 0xcc9e2d51U, 15) * 0x1b873593U; };
  uint32_t hash = seed;
  uint32_t i = 0;
  for (; srcLen - i >= sizeof(uint32_t); i += sizeof(uint32_t)) {
    uint32_t word;
    memcpy(&word, bytes + i, sizeof word);
    hash = turn(hash ^ mix(word), 13) * 5 + 0xe6546b64U;
  }
  uint32_t last = 0;
  for (uint32_t k = srcLen; k > i; k--)
    last = last << 8 | bytes[k - 1];
  hash ^= srcLen > i ? mix(last) : 0;
  hash ^= srcLen;
  hash = (hash ^ hash >> 16) * 0x85ebca6bU;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35U;
  return hash ^ hash >> 16;
}

inline bool IsUnknownRank(const gert::Shape &shape) {
  return shape.GetDimNum() == 1 && shape.GetDim(0) == ge::UNKNOWN_DIM_NUM;
}
// A dim of -1 is among them.
inline bool IsUnknownShape(const gert::Shape &shape) {
  for (size_t i = 0; i < shape.GetDimNum(); i++) {
    if (shape.GetDim(i) == ge::UNKNOWN_DIM)
      return true;
  }
  return false;
}
inline void SetUnknownRank(gert::Shape &shape) {
  shape.SetDimNum(0);
  shape.AppendDim(ge::UNKNOWN_DIM_NUM);
}
inline void SetUnknownShape(int64_t rank, gert::Shape &shape) {
  shape.SetDimNum(0);
  for (int64_t i = 0; i < rank; i++)
    shape.AppendDim(ge::UNKNOWN_DIM);
}
// axis in [-rank, rank); a scalar counts as rank 1 for axis 0 alone.
template <typename T1, typename T2>
bool CheckAxisBounds(const T1 rank, const T2 axis) {
  const int64_t least = -static_cast<int64_t>(rank);
  const int64_t most = rank ? static_cast<int64_t>(rank) - 1 : 0;
  const int64_t at = static_cast<int64_t>(axis);
  return at >= least && at <= most;
}

// The elements of a known tensor as dims.
template <typename T>
bool GetValueToShape(const gert::Tensor *tensor, gert::Shape &shape) {
  const T *value = tensor ? tensor->GetData<T>() : nullptr;
  if (!value)
    return false;
  const int64_t n = tensor->GetShapeSize();
  shape.SetDimNum(0);
  for (int64_t i = 0; i < n && i < static_cast<int64_t>(gert::Shape::kMaxDimNum); i++)
    shape.AppendDim(static_cast<int64_t>(value[i]));
  return n <= static_cast<int64_t>(gert::Shape::kMaxDimNum);
}
// Input i as dims, of 32 or 64 bit integers; false: its values are not known, or of another type.
template <typename Context>
bool GetConstIntToShape(const Context *context, int64_t i, gert::Shape &shape) {
  const gert::Tensor *tensor = context->GetInputTensor(static_cast<size_t>(i));
  if (!tensor)
    return false;
  switch (tensor->GetDataType()) {
    case ge::DT_INT32:
      return GetValueToShape<int32_t>(tensor, shape);
    case ge::DT_INT64:
      return GetValueToShape<int64_t>(tensor, shape);
    case ge::DT_UINT32:
      return GetValueToShape<uint32_t>(tensor, shape);
    case ge::DT_UINT64:
      return GetValueToShape<uint64_t>(tensor, shape);
    default:
      return false;
  }
}
// The first element of input i.
template <typename Context, typename T>
bool GetConstInt(const Context *context, int64_t i, T &value) {
  const gert::Tensor *tensor = context->GetInputTensor(static_cast<size_t>(i));
  const void *at = tensor ? tensor->GetAddr() : nullptr;
  if (!at)
    return false;
  switch (tensor->GetDataType()) {
    case ge::DT_INT32:
      value = static_cast<T>(*static_cast<const int32_t *>(at));
      return true;
    case ge::DT_INT64:
      value = static_cast<T>(*static_cast<const int64_t *>(at));
      return true;
    case ge::DT_UINT32:
      value = static_cast<T>(*static_cast<const uint32_t *>(at));
      return true;
    case ge::DT_UINT64:
      value = static_cast<T>(*static_cast<const uint64_t *>(at));
      return true;
    default:
      return false;
  }
}

inline ge::graphStatus InferShape4Elewise(gert::InferShapeContext *context) {
  const gert::Shape *x = context->GetInputShape(0);
  OP_CHECK_NULL_WITH_CONTEXT(context, x);
  gert::Shape *y = context->GetOutputShape(0);
  OP_CHECK_NULL_WITH_CONTEXT(context, y);
  if (IsUnknownRank(*x))
    SetUnknownRank(*y);
  else
    *y = *x;
  return ge::GRAPH_SUCCESS;
}

namespace detail {
// What two dims broadcast to: an unknown one gives way to a known one above 1. False: they do not fit.
inline bool BroadcastDim(int64_t a, int64_t b, int64_t &out) {
  if (a == b || b == 1) {
    out = a;
    return true;
  }
  if (a == 1) {
    out = b;
    return true;
  }
  const bool a_unknown = a == ge::UNKNOWN_DIM;
  if (!a_unknown && b != ge::UNKNOWN_DIM)
    return false;
  out = a_unknown ? b : a;
  return true;
}
}  // namespace detail

// Where dims do not fit, `out` is left as the longer shape (a, of equal ones) with what fitted before: users'
// tests look at it.
inline bool BroadcastShape(const gert::Shape *a, const gert::Shape *b, gert::Shape *out) {
  if (!a || !b || !out)
    return false;
  if (IsUnknownRank(*a) || IsUnknownRank(*b)) {
    SetUnknownRank(*out);
    return true;
  }
  const gert::Shape left = *a;  // `out` may be one of them
  const gert::Shape right = *b;
  const size_t rank = std::max(left.GetDimNum(), right.GetDimNum());
  *out = left.GetDimNum() < right.GetDimNum() ? right : left;
  for (size_t i = 0; i < rank; i++) {
    const size_t left_from = rank - left.GetDimNum();
    const size_t right_from = rank - right.GetDimNum();
    const int64_t x = i < left_from ? 1 : left.GetDim(i - left_from);
    const int64_t y = i < right_from ? 1 : right.GetDim(i - right_from);
    int64_t dim = 0;
    if (!detail::BroadcastDim(x, y, dim))
      return false;
    out->SetDim(i, dim);
  }
  return true;
}
inline bool BroadcastShape(const std::vector<const gert::Shape *> &shapes, gert::Shape *out) {
  if (shapes.empty() || !shapes[0] || !out)
    return false;
  gert::Shape all = *shapes[0];
  for (size_t i = 1; i < shapes.size(); i++) {
    if (!BroadcastShape(&all, shapes[i], &all))
      return false;
  }
  *out = all;
  return true;
}
inline ge::graphStatus InferShape4Broadcast(gert::InferShapeContext *context, size_t inputs) {
  std::vector<const gert::Shape *> shapes;
  for (size_t i = 0; i < inputs; i++) {
    shapes.push_back(context->GetInputShape(i));
    OP_CHECK_NULL_WITH_CONTEXT(context, shapes.back());
  }
  gert::Shape *y = context->GetOutputShape(0);
  OP_CHECK_NULL_WITH_CONTEXT(context, y);
  OP_CHECK_IF(!BroadcastShape(shapes, y),
              OP_LOGE(context, "the inputs do not broadcast: %s", ToString(shapes).c_str()),
              return ge::GRAPH_FAILED);
  return ge::GRAPH_SUCCESS;
}
inline ge::graphStatus InferShape4Broadcast(gert::InferShapeContext *context) {
  return InferShape4Broadcast(context, 2);
}

namespace detail {
// The axes as non-negative numbers, one flag a dim; false: one is outside.
template <typename T>
bool MarkAxes(const gert::Shape &x, const T *axes, int32_t n, std::vector<bool> &out) {
  const auto rank = static_cast<int64_t>(x.GetDimNum());
  out.assign(static_cast<size_t>(rank), false);
  if (!axes && n > 0)  // their values are not known
    return false;
  for (int32_t i = 0; i < n; i++) {
    const int64_t axis = static_cast<int64_t>(axes[i]);
    if (!CheckAxisBounds(rank, axis))
      return false;
    if (rank)
      out[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  return true;
}
}  // namespace detail

template <typename T>
ge::graphStatus ReduceDimsWithKeepDims(const gert::Shape *x, const T *axes, int32_t n, gert::Shape *y) {
  std::vector<bool> reduced;
  if (!detail::MarkAxes(*x, axes, n, reduced))
    return ge::GRAPH_FAILED;
  const gert::Shape from = *x;
  y->SetDimNum(0);
  for (size_t i = 0; i < from.GetDimNum(); i++)
    y->AppendDim(reduced[i] ? 1 : from.GetDim(i));
  return ge::GRAPH_SUCCESS;
}
template <typename T>
ge::graphStatus ReduceDimsWithoutKeepDims(const gert::Shape *x, const T *axes, int32_t n, gert::Shape *y) {
  std::vector<bool> reduced;
  if (!detail::MarkAxes(*x, axes, n, reduced))
    return ge::GRAPH_FAILED;
  const gert::Shape from = *x;
  y->SetDimNum(0);
  for (size_t i = 0; i < from.GetDimNum(); i++) {
    if (!reduced[i])
      y->AppendDim(from.GetDim(i));
  }
  return ge::GRAPH_SUCCESS;
}
template <typename T>
ge::graphStatus ReduceDims(const gert::Shape *x, const gert::Tensor *axes, int32_t n, const bool keep_dims,
                           gert::Shape *y) {
  const T *values = axes->GetData<T>();
  if (keep_dims)
    return ReduceDimsWithKeepDims<T>(x, values, n, y);
  return ReduceDimsWithoutKeepDims<T>(x, values, n, y);
}
// Input 0 reduced along the axes that input 1 holds; attribute 0 says whether the dims stay as 1. Axes that
// are not known leave dims, or the rank, unknown.
inline ge::graphStatus InferShape4Reduce(gert::InferShapeContext *context) {
  const gert::Shape *x = context->GetInputShape(0);
  OP_CHECK_NULL_WITH_CONTEXT(context, x);
  const gert::Tensor *axes = context->GetInputTensor(1);
  OP_CHECK_NULL_WITH_CONTEXT(context, axes);
  gert::Shape *y = context->GetOutputShape(0);
  OP_CHECK_NULL_WITH_CONTEXT(context, y);
  const gert::RuntimeAttrs *attrs = context->GetAttrs();
  OP_CHECK_NULL_WITH_CONTEXT(context, attrs);
  const bool *keep_dims = attrs->GetAttrPointer<bool>(0);
  OP_CHECK_NULL_WITH_CONTEXT(context, keep_dims);
  const auto n = static_cast<int32_t>(axes->GetShapeSize());
  if (IsUnknownRank(*x)) {
    SetUnknownRank(*y);
    return ge::GRAPH_SUCCESS;
  }
  if (n == 0) {
    *y = *x;
    return ge::GRAPH_SUCCESS;
  }
  if (!axes->GetAddr()) {
    if (*keep_dims)
      SetUnknownShape(static_cast<int64_t>(x->GetDimNum()), *y);
    else
      SetUnknownRank(*y);
    return ge::GRAPH_SUCCESS;
  }
  const bool wide = axes->GetDataType() == ge::DT_INT64;
  OP_CHECK_IF(
      !wide && axes->GetDataType() != ge::DT_INT32,
      OP_LOGE(context, "axes are %s, expected DT_INT32 or DT_INT64", ToString(axes->GetDataType()).c_str()),
      return ge::GRAPH_FAILED);
  const ge::graphStatus status =
      wide ? ReduceDims<int64_t>(x, axes, n, *keep_dims, y) : ReduceDims<int32_t>(x, axes, n, *keep_dims, y);
  OP_CHECK_IF(status != ge::GRAPH_SUCCESS,
              OP_LOGE(context, "an axis is outside the rank of %s", ToString(*x).c_str()), return status);
  return ge::GRAPH_SUCCESS;
}
}  // namespace Base
}  // namespace Ops
// SPDX-License-Identifier: Apache-2.0
