// ascendc_convert_test.cpp - conversions with every rounding, comparisons and selections beside plain loops
// written from their description.
#include "ascendc_conformance.h"

using namespace conformance;

namespace {
// ---- rounding ----

const RoundMode kModes[] = {RoundMode::CAST_RINT, RoundMode::CAST_FLOOR, RoundMode::CAST_CEIL,
                            RoundMode::CAST_ROUND, RoundMode::CAST_TRUNC};
double Rounded(double x, RoundMode mode) {
  switch (mode) {
    case RoundMode::CAST_FLOOR:
      return std::floor(x);
    case RoundMode::CAST_CEIL:
      return std::ceil(x);
    case RoundMode::CAST_ROUND:
      return std::round(x);
    case RoundMode::CAST_TRUNC:
      return std::trunc(x);
    default:
      return std::nearbyint(x);
  }
}
// Within the type's limits; whole numbers go to their nearest one.
template <typename T>
double Limited(double x) {
  const auto low = static_cast<double>(std::numeric_limits<T>::min());
  const auto high = static_cast<double>(std::numeric_limits<T>::max());
  return x < low ? low : x > high ? high : x;
}
// The neighbours of x among numbers with `bits` of precision and exponents from `least` on, then one of them.
double Nearby(double x, int bits, int least, RoundMode mode) {
  int exponent = 0;
  std::frexp(x, &exponent);
  const double unit = std::exp2(std::max(exponent - bits, least - bits + 1));
  return Rounded(x / unit, mode) * unit;
}
template <typename T>
double ToFloats(double x, RoundMode mode) {
  return std::is_same<T, half>::value ? Nearby(x, 11, -14, mode) : Nearby(x, 8, -126, mode);
}

// Numbers with halves between whole ones, and others.
template <typename U>
std::vector<U> Fractions() {
  std::vector<U> all(kElems);
  for (size_t i = 0; i < all.size(); i++) {
    const int step = static_cast<int>(i * 37 % 401) - 200;
    all[i] = Of<U>(kWhole<U>    ? step
                   : i % 3 == 0 ? step / 2.0
                   : i % 3 == 1 ? step / 8.0
                                : step * 1.00390625 / 3);
  }
  return all;
}
template <typename T, typename U, typename Model>
void CheckCast(const char *name, RoundMode mode, const Form &f, Model model) {
  const std::vector<U> a = Fractions<U>();
  std::vector<T> got = Samples<T>(3, Domain::kAny);
  std::vector<T> want = got;
  EachLane<T, U>(f, [&](uint32_t d, uint32_t i, uint32_t) { want[d] = Of<T>(model(ToDouble(a[i]))); });
  const Body<T, U> body = [&](LocalTensor<T> &d, LocalTensor<U> &x, LocalTensor<U> &) {
    const UnaryRepeatParams p(1, 1, static_cast<uint8_t>(f.dst.repeat), static_cast<uint8_t>(f.a.repeat));
    if (f.by == By::kCount)
      Cast(d, x, mode, f.n);
    else
      Cast(d, x, mode, uint64_t{f.n}, static_cast<uint8_t>(f.repeats), p);
  };
  InKernel<T, U>({&got, &a, &a, &body}, false);
  for (uint32_t i = 0; i < kElems; i++) {
    if (ToDouble(got[i]) == ToDouble(want[i]))
      continue;
    std::cerr << name << ", rounding " << static_cast<int>(mode) << ", element " << i << ": "
              << ToDouble(got[i]) << ", expected " << ToDouble(want[i]) << "\n";
    CHECK_EQ(std::string("another number"), "");
    return;
  }
}
// A count with a tail; all lanes; some lanes. A repeat has as many as the wider type has in 256 bytes.
template <typename T, typename U, typename Model>
void EachCast(const char *name, RoundMode mode, Model model) {
  const auto lanes = static_cast<uint32_t>(256 / std::max(sizeof(T), sizeof(U)));
  const auto of_t = static_cast<uint32_t>(lanes * sizeof(T) / 32),
             of_u = static_cast<uint32_t>(lanes * sizeof(U) / 32);
  const Form forms[] = {{By::kCount, 77, 0, {}, {}, {}, false},
                        {By::kNumber, lanes, 3, {1, of_t}, {1, of_u}, {}, false},
                        {By::kNumber, 9, 2, {1, of_t + 1}, {1, of_u}, {}, false}};
  for (const Form &f : forms)
    CheckCast<T, U>(name, mode, f, model);
}
template <typename T, typename U>
void CastsToWhole(const char *name) {
  for (const RoundMode mode : kModes)
    EachCast<T, U>(name, mode, [mode](double x) { return Limited<T>(Rounded(x, mode)); });
}
template <typename T, typename U>
void CastsToFloats(const char *name) {
  for (const RoundMode mode : kModes)
    EachCast<T, U>(name, mode, [mode](double x) { return ToFloats<T>(x, mode); });
}
template <typename T, typename U>
void CastsAsItIs(const char *name) {
  EachCast<T, U>(name, RoundMode::CAST_NONE, [](double x) { return x; });
}

// ---- comparisons ----

const CMPMODE kCompares[] = {CMPMODE::LT, CMPMODE::GT, CMPMODE::EQ, CMPMODE::LE, CMPMODE::GE, CMPMODE::NE};
bool Holds(CMPMODE mode, double a, double b) {
  switch (mode) {
    case CMPMODE::LT:
      return a < b;
    case CMPMODE::GT:
      return a > b;
    case CMPMODE::EQ:
      return a == b;
    case CMPMODE::LE:
      return a <= b;
    case CMPMODE::GE:
      return a >= b;
    default:
      return a != b;
  }
}
template <typename T>
using CompareCall = std::function<void(LocalTensor<uint8_t> &, LocalTensor<T> &, LocalTensor<T> &)>;
// `call` compares n elements; `number`: with the scalar 3.
template <typename T>
void CheckCompare(const char *name, CMPMODE mode, uint32_t n, bool number, const CompareCall<T> &call) {
  std::vector<T> a = Samples<T>(1, Domain::kAny), b = Samples<T>(2, Domain::kAny);
  for (size_t i = 0; i < a.size(); i += 5)
    a[i] = b[i] = Of<T>(3);
  std::vector<uint8_t> got(kElems, 0xa5);
  std::vector<uint8_t> want = got;
  for (uint32_t i = 0; i < n; i++) {
    const bool holds = Holds(mode, ToDouble(a[i]), number ? 3 : ToDouble(b[i]));
    want[i / 8] = static_cast<uint8_t>((want[i / 8] & ~(1 << i % 8)) | holds << i % 8);
  }
  const Body<uint8_t, T> body = call;
  InKernel<uint8_t, T>({&got, &a, &b, &body}, false);
  if (got != want)
    std::cerr << name << ", mode " << static_cast<int>(mode) << ", " << n << " elements of " << sizeof(T)
              << " bytes\n";
  CHECK_EQ(got == want, true);
}
template <typename T>
void Compares() {
  constexpr auto lanes = static_cast<uint32_t>(256 / sizeof(T));
  for (const CMPMODE mode : kCompares) {
    const uint32_t n = lanes * 3;
    CheckCompare<T>("Compare by a count", mode, n, false,
                    [=](auto &d, auto &a, auto &b) { Compare(d, a, b, mode, n); });
    CheckCompare<T>("Compare in repeats", mode, n, false, [=](auto &d, auto &a, auto &b) {
      Compare(d, a, b, mode, uint64_t{lanes}, 3, BinaryRepeatParams(1, 1, 1, 8, 8, 8));
    });
    CheckCompare<T>("CompareScalar by a count", mode, n, true,
                    [=](auto &d, auto &a, auto &) { CompareScalar(d, a, Of<T>(3), mode, n); });
    CheckCompare<T>("CompareScalar in repeats", mode, n, true, [=](auto &d, auto &a, auto &) {
      CompareScalar(d, a, Of<T>(3), mode, uint64_t{lanes}, 3, UnaryRepeatParams(1, 1, 8, 8));
    });
  }
}

// ---- selections ----

// Bit i of the mask takes element i of the first source, or else of the second.
bool BitOf(uint32_t i) {
  return i % 3 == 0 || i % 7 == 1;
}
template <typename T, typename Call>
void CheckSelect(const char *name, uint32_t n, bool number, Call call) {
  const std::vector<T> a = Samples<T>(1, Domain::kAny), b = Samples<T>(2, Domain::kAny);
  std::vector<T> got = Samples<T>(3, Domain::kAny);
  std::vector<T> want = got;
  for (uint32_t i = 0; i < n; i++)
    want[i] = BitOf(i) ? a[i] : number ? Of<T>(3) : b[i];
  const Body<T, T> body = [&](LocalTensor<T> &d, LocalTensor<T> &x, LocalTensor<T> &y) {
    TBuf<TPosition::VECCALC> buffer;
    GetTPipePtr()->InitBuffer(buffer, kElems / 8);
    LocalTensor<uint8_t> bits = buffer.Get<uint8_t>();
    for (uint32_t i = 0; i < kElems / 8; i++) {
      int byte = 0;
      for (uint32_t k = 0; k < 8; k++)
        byte |= BitOf(i * 8 + k) << k;
      bits.SetValue(i, static_cast<uint8_t>(byte));
    }
    PipeBarrier<PIPE_ALL>();
    call(d, bits, x, y);
  };
  InKernel<T, T>({&got, &a, &b, &body}, false);
  bool same = true;
  for (uint32_t i = 0; i < kElems; i++)
    same = same && ToDouble(got[i]) == ToDouble(want[i]);
  if (!same)
    std::cerr << name << ", " << n << " elements of " << sizeof(T) << " bytes\n";
  CHECK_EQ(same, true);
}
template <typename T>
void Selects() {
  constexpr auto lanes = static_cast<uint32_t>(256 / sizeof(T));
  const BinaryRepeatParams p(1, 1, 1, 8, 8, 8);
  for (const uint32_t n : {lanes, lanes * 2, lanes + 5}) {
    CheckSelect<T>("Select of two", n, false, [=](auto &d, auto &bits, auto &a, auto &b) {
      Select(d, bits, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, n);
    });
    CheckSelect<T>("Select of one and a number", n, true, [=](auto &d, auto &bits, auto &a, auto &) {
      Select(d, bits, a, Of<T>(3), SELMODE::VSEL_TENSOR_SCALAR_MODE, n);
    });
  }
  CheckSelect<T>("Select of two in repeats", lanes * 3, false, [=](auto &d, auto &bits, auto &a, auto &b) {
    Select(d, bits, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, uint64_t{lanes}, 3, p);
  });
  CheckSelect<T>("Select of one and a number in repeats", lanes * 3, true,
                 [=](auto &d, auto &bits, auto &a, auto &) {
                   Select(d, bits, a, Of<T>(3), SELMODE::VSEL_TENSOR_SCALAR_MODE, uint64_t{lanes}, 3, p);
                 });
}
}  // namespace

TEST(CastToWholeNumbers) {
  CastsToWhole<int32_t, float>("float to int32_t");
  CastsToWhole<int16_t, float>("float to int16_t");
  CastsToWhole<int64_t, float>("float to int64_t");
  CastsToWhole<int32_t, half>("half to int32_t");
  CastsToWhole<int16_t, half>("half to int16_t");
  CastsToWhole<int8_t, half>("half to int8_t");
  CastsToWhole<uint8_t, half>("half to uint8_t");
  CastsToWhole<int32_t, bfloat16_t>("bfloat16_t to int32_t");
}
TEST(CastToNarrowFloats) {
  CastsToFloats<half, float>("float to half");
  CastsToFloats<bfloat16_t, float>("float to bfloat16_t");
}
TEST(CastWithinFloats) {
  for (const RoundMode mode : kModes)
    EachCast<float, float>("float to float", mode, [mode](double x) { return Rounded(x, mode); });
}
TEST(CastThatNeedsNoRounding) {
  CastsAsItIs<float, half>("half to float");
  CastsAsItIs<float, bfloat16_t>("bfloat16_t to float");
  CastsAsItIs<float, int32_t>("int32_t to float");
  CastsAsItIs<float, int16_t>("int16_t to float");
  CastsAsItIs<half, int16_t>("int16_t to half");
  CastsAsItIs<half, int8_t>("int8_t to half");
  CastsAsItIs<half, uint8_t>("uint8_t to half");
  CastsAsItIs<int64_t, int32_t>("int32_t to int64_t");
  CastsAsItIs<int32_t, int64_t>("int64_t to int32_t");
  CastsAsItIs<int16_t, int32_t>("int32_t to int16_t");
  CastsAsItIs<float, int64_t>("int64_t to float");
}
TEST(CompareAll) {
  Compares<float>();
  Compares<half>();
}
TEST(SelectAll) {
  Selects<float>();
  Selects<half>();
}
// SPDX-License-Identifier: Apache-2.0
