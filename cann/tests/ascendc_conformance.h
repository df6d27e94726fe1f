// ascendc_conformance.h - one instruction of the vector unit beside a plain loop over its lanes: the forms
// that the names share (a count; repeats with a mask as a number, as bits or in the register; strides of
// blocks and of repeats; in place), and a kernel that holds the operands.
#pragma once
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "check.h"
#include "kernel_operator.h"

namespace conformance {
using namespace AscendC;

struct Strides {
  uint32_t block, repeat;  // in blocks of 32 bytes
};
enum class By { kCount, kNumber, kBits, kRegister };
struct Form {
  By by;
  uint32_t n;  // elements; or lanes of the mask, 0: all
  uint32_t repeats;
  Strides dst, a, b;
  bool in_place;
};
// All that is not by a count has operands within `kElems` elements of 4 bytes.
constexpr uint32_t kElems = 1024;
const Form kForms[] = {
    {By::kCount, 1, 0, {}, {}, {}, false},
    {By::kCount, 7, 0, {}, {}, {}, false},
    {By::kCount, 64, 0, {}, {}, {}, false},
    {By::kCount, 257, 0, {}, {}, {}, false},
    {By::kCount, 129, 0, {}, {}, {}, true},
    {By::kNumber, 0, 3, {1, 8}, {1, 8}, {1, 8}, false},
    {By::kNumber, 5, 2, {1, 8}, {1, 8}, {1, 8}, false},
    {By::kNumber, 33, 4, {1, 8}, {1, 8}, {1, 8}, true},
    {By::kNumber, 0, 3, {2, 16}, {1, 8}, {1, 0}, false},
    {By::kNumber, 0, 3, {1, 8}, {2, 16}, {1, 9}, false},
    {By::kNumber, 0, 1, {1, 8}, {0, 8}, {1, 8}, false},
    {By::kBits, 0, 3, {1, 8}, {1, 8}, {1, 8}, false},
    {By::kBits, 0, 2, {1, 10}, {2, 16}, {1, 8}, false},
    {By::kBits, 0, 2, {1, 8}, {1, 8}, {1, 8}, true},
    {By::kRegister, 0, 2, {1, 8}, {1, 8}, {1, 8}, false},
};

// Which lanes of `width` bytes take part.
inline bool LaneIsOn(const Form &f, uint32_t lane, uint32_t lanes) {
  if (f.by == By::kNumber)
    return lane < (f.n ? f.n : lanes);
  return lane % 3 != 1 && lane < lanes;
}
inline void MaskBits(const Form &f, uint32_t lanes, uint64_t (&mask)[2]) {
  mask[0] = mask[1] = 0;
  for (uint32_t lane = 0; lane < lanes; lane++) {
    if (LaneIsOn(f, lane, lanes))
      mask[lane / 64] |= uint64_t{1} << lane % 64;
  }
}
inline uint32_t PlaceOf(Strides s, uint32_t repeat, uint32_t lane, size_t bytes) {
  const auto in_block = static_cast<uint32_t>(32 / bytes);
  return (repeat * s.repeat + lane / in_block * s.block) * in_block + lane % in_block;
}
// each(dst, a, b): where a lane's elements are. Types: of the destination and the sources.
template <typename T, typename U, typename F>
void EachLane(const Form &f, F each) {
  const auto lanes = static_cast<uint32_t>(256 / std::max(sizeof(T), sizeof(U)));
  for (uint32_t i = 0; f.by == By::kCount && i < f.n; i++)
    each(i, i, i);
  for (uint32_t r = 0; f.by != By::kCount && r < f.repeats; r++) {
    for (uint32_t lane = 0; lane < lanes; lane++) {
      if (LaneIsOn(f, lane, lanes))
        each(PlaceOf(f.dst, r, lane, sizeof(T)), PlaceOf(f.a, r, lane, sizeof(U)),
             PlaceOf(f.b, r, lane, sizeof(U)));
    }
  }
}

// ---- numbers ----

template <typename T>
constexpr bool kWhole = std::is_integral<T>::value;
template <typename T>
T Of(double x) {
  if constexpr (kWhole<T>)
    return static_cast<T>(static_cast<int64_t>(x));
  else
    return T(static_cast<float>(x));
}
template <typename T>
double ToDouble(T x) {
  if constexpr (kWhole<T>)
    return static_cast<double>(x);
  else
    return static_cast<double>(static_cast<float>(x));
}
// Small numbers: whole ones add and multiply without a carry.
enum class Domain { kAny, kPositive, kShift };
template <typename T>
T Sample(size_t i, uint32_t seed, Domain domain) {
  const auto step = static_cast<int>((i * 37 + seed * 13) % 101);
  if (domain == Domain::kShift)
    return Of<T>(step % 5);
  if (domain == Domain::kPositive || std::is_unsigned<T>::value)
    return Of<T>(kWhole<T> ? step + 1 : (step + 1) / 8.0);
  return Of<T>(kWhole<T> ? step - 50 : (step - 50) / 8.0 + 0.0625);
}
template <typename T>
std::vector<T> Samples(uint32_t seed, Domain domain) {
  std::vector<T> all(kElems);
  for (size_t i = 0; i < all.size(); i++)
    all[i] = Sample<T>(i, seed, domain);
  return all;
}
inline bool Near(double got, double want, double tolerance) {
  if (std::isnan(want) || std::isinf(want))
    return (std::isnan(want) && std::isnan(got)) || got == want;
  return std::fabs(got - want) <= tolerance * std::fabs(want);
}

// ---- the kernel ----

template <typename T, typename U>
using Body = std::function<void(LocalTensor<T> &dst, LocalTensor<U> &a, LocalTensor<U> &b)>;
template <typename T, typename U>
struct Operands {
  std::vector<T> *dst;
  const std::vector<U> *a, *b;
  const Body<T, U> *body;
};
template <typename T>
void Fill(LocalTensor<T> &t, const std::vector<T> &from) {
  for (uint32_t i = 0; i < from.size(); i++)
    t.SetValue(i, from[i]);
}
// `in_place`: the destination's memory is that of a, and holds a's numbers.
template <typename T, typename U>
void InKernel(Operands<T, U> operands, bool in_place) {
  static Operands<T, U> now;
  static bool one;
  now = operands;
  one = in_place;
  void (*kernel)() = [] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer_d, buffer_a, buffer_b;
    pipe.InitBuffer(buffer_d, kElems * sizeof(T));
    pipe.InitBuffer(buffer_a, kElems * sizeof(U));
    pipe.InitBuffer(buffer_b, kElems * sizeof(U));
    LocalTensor<U> a = buffer_a.Get<U>(), b = buffer_b.Get<U>();
    LocalTensor<T> d = one ? buffer_a.Get<T>() : buffer_d.Get<T>();
    Fill(a, *now.a);
    Fill(b, *now.b);
    if (!one)
      Fill(d, *now.dst);
    PipeBarrier<PIPE_ALL>();
    (*now.body)(d, a, b);
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = 0; i < kElems; i++)
      (*now.dst)[i] = d.GetValue(i);
  };
  if (weft_asc::call("conformance", __FILE__, __LINE__, kernel, 1, nullptr, nullptr)()) {
    std::cerr << weft_asc_error() << "\n";
    CHECK_EQ(std::string("no kernel that fails"), "");
  }
}

// `model` makes of a's, b's and dst's elements the new one. Elements of no lane stay as they are.
template <typename T, typename U, typename Model, typename Call>
void CheckForm(const std::string &name, const Form &f, Domain domain, double tolerance, Model model,
               Call call) {
  const std::vector<U> a = Samples<U>(1, domain), b = Samples<U>(2, domain);
  std::vector<T> got = Samples<T>(3, domain);
  if constexpr (std::is_same<T, U>::value) {
    if (f.in_place)
      got = a;
  }
  std::vector<T> want = got;
  EachLane<T, U>(f, [&](uint32_t d, uint32_t i, uint32_t k) {
    if (!f.in_place)
      want[d] = Of<T>(model(ToDouble(a[i]), ToDouble(b[k]), ToDouble(want[d])));
    else
      want[d] = Of<T>(model(ToDouble(want[i]), ToDouble(b[k]), ToDouble(want[d])));
  });
  const Body<T, U> body = [&](LocalTensor<T> &d, LocalTensor<U> &x, LocalTensor<U> &y) { call(f, d, x, y); };
  InKernel<T, U>({&got, &a, &b, &body}, f.in_place);
  for (uint32_t i = 0; i < kElems; i++) {
    if (Near(ToDouble(got[i]), ToDouble(want[i]), tolerance))
      continue;
    std::cerr << name << " of " << sizeof(T) << " bytes, form " << &f - kForms << ", element " << i << ": "
              << ToDouble(got[i]) << ", expected " << ToDouble(want[i]) << "\n";
    CHECK_EQ(std::string("another number"), "");
    return;
  }
}
template <typename T, typename Model, typename Call>
void CheckForms(const std::string &name, Domain domain, double tolerance, Model model, Call call) {
  for (const Form &f : kForms)
    CheckForm<T, T>(name, f, domain, tolerance, model, call);
}
}  // namespace conformance
// SPDX-License-Identifier: Apache-2.0
