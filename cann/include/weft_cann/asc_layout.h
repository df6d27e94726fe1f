// weft_cann/asc_layout.h - shapes, strides and coordinates as tuples, and a layout that says where a
// coordinate lies: the sum of each of its parts times that part's stride.
#pragma once
#include "weft_cann/asc_types.h"

namespace AscendC {
template <typename... Ts>
using Shape = Std::tuple<Ts...>;
template <typename... Ts>
using Stride = Std::tuple<Ts...>;
template <typename... Ts>
using Coord = Std::tuple<Ts...>;
template <typename... Ts>
constexpr Shape<Ts...> MakeShape(const Ts &...t) {
  return {t...};
}
template <typename... Ts>
constexpr Stride<Ts...> MakeStride(const Ts &...t) {
  return {t...};
}
template <typename... Ts>
constexpr Coord<Ts...> MakeCoord(const Ts &...t) {
  return {t...};
}
}  // namespace AscendC

namespace weft_asc {
template <typename C, typename S>
constexpr auto PlaceIn(const C &coord, const S &stride);
template <typename C, typename S, size_t... i>
constexpr auto PlaceInAll(const C &coord, const S &stride, std::index_sequence<i...>) {
  return (PlaceIn(std::get<i>(coord), std::get<i>(stride)) + ... + 0);
}
template <typename T>
struct IsTuple : std::false_type {};
template <typename... T>
struct IsTuple<std::tuple<T...>> : std::true_type {};
template <typename C, typename S>
constexpr auto PlaceIn(const C &coord, const S &stride) {
  if constexpr (IsTuple<C>::value)
    return PlaceInAll(coord, stride, std::make_index_sequence<std::tuple_size<C>::value>());
  else
    return static_cast<int64_t>(coord) * static_cast<int64_t>(stride);
}
}  // namespace weft_asc

namespace AscendC {
template <typename ShapeType, typename StrideType>
class Layout {
 public:
  constexpr Layout(const ShapeType &shape = {}, const StrideType &stride = {})
      : shape_(shape), stride_(stride) {}
  constexpr decltype(auto) GetShape() { return (shape_); }
  constexpr decltype(auto) GetShape() const { return (shape_); }
  constexpr decltype(auto) GetStride() { return (stride_); }
  constexpr decltype(auto) GetStride() const { return (stride_); }
  template <typename CoordType>
  constexpr auto operator()(const CoordType &coord) const {
    return weft_asc::PlaceIn(coord, stride_);
  }

 private:
  ShapeType shape_;
  StrideType stride_;
};
template <typename T, typename U>
constexpr Layout<T, U> MakeLayout(const T &shape, const U &stride) {
  return {shape, stride};
}
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
