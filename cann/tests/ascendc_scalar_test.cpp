// ascendc_scalar_test.cpp - arithmetic, comparisons and Select of a tensor and a number where either operand
// is the number, as a value or as a tensor's first element, beside plain loops.
#include "ascendc_conformance.h"

using namespace conformance;

namespace {
constexpr BinaryConfig kNumberFirst = {0};
constexpr BinaryConfig kNumberSecond = {1};

template <typename T>
double NumberOfB() {
  return ToDouble(Sample<T>(0, 2, Domain::kPositive));
}
template <typename T>
double Loose() {
  return kWhole<T> ? 0 : sizeof(T) == 2 ? 1e-3 : 1e-6;
}
UnaryRepeatParams Strided(const Form &f) {
  return UnaryRepeatParams(f.dst.block, f.a.block, f.dst.repeat, f.a.repeat);
}

// A call in the form's own way. The first arguments are template arguments of the call, in parentheses.
#define SCALAR_STRIP(...) __VA_ARGS__
#define SCALAR_CALL(Call, p, ...)                                                                          \
  uint64_t mask[2];                                                                                        \
  constexpr auto lanes = static_cast<uint32_t>(256 / sizeof(T));                                           \
  MaskBits(f, lanes, mask);                                                                                \
  const auto repeats = static_cast<uint8_t>(f.repeats);                                                    \
  if (f.by == By::kCount) {                                                                                \
    SCALAR_STRIP Call(__VA_ARGS__, static_cast<int32_t>(f.n));                                             \
  } else if (f.by == By::kNumber) {                                                                        \
    SCALAR_STRIP Call(__VA_ARGS__, static_cast<uint64_t>(f.n ? std::min(f.n, lanes) : lanes), repeats, p); \
  } else {                                                                                                 \
    SCALAR_STRIP Call(__VA_ARGS__, mask, repeats, p);                                                      \
  }

#define SCALAR_OP(Name, first, second)                                                            \
  template <typename T>                                                                           \
  void Check##Name() {                                                                            \
    const double n = NumberOfB<T>();                                                              \
    const auto number_second = [=](double a, double, double) { return second; };                  \
    const auto number_first = [=](double a, double, double) { return first; };                    \
    using L = LocalTensor<T>;                                                                     \
    for (const Form &f : kForms) {                                                                \
      if (f.by == By::kRegister)                                                                  \
        continue;                                                                                 \
      const UnaryRepeatParams p = Strided(f);                                                     \
      const auto check = [&](const char *how, auto model, auto call) {                            \
        CheckForm<T, T>(std::string(#Name) + how, f, Domain::kPositive, Loose<T>(), model, call); \
      };                                                                                          \
      check(", a tensor's number", number_second,                                                 \
            [&](const Form &, L &d, L &a, L &b) { SCALAR_CALL((Name), p, d, a, b) });             \
      check(", named", number_second, [&](const Form &, L &d, L &a, L &b) {                       \
        SCALAR_CALL((Name<BinaryDefaultType, true, kNumberSecond>), p, d, a, b)                   \
      });                                                                                         \
      check(", a value named", number_second, [&](const Form &, L &d, L &a, L &) {                \
        SCALAR_CALL((Name<BinaryDefaultType, true, kNumberSecond>), p, d, a, Of<T>(n))            \
      });                                                                                         \
      check(", a tensor's number first", number_first, [&](const Form &, L &d, L &a, L &b) {      \
        SCALAR_CALL((Name<BinaryDefaultType, true, kNumberFirst>), p, d, b, a)                    \
      });                                                                                         \
      check(", a value first", number_first,                                                      \
            [&](const Form &, L &d, L &a, L &) { SCALAR_CALL((Name), p, d, Of<T>(n), a) });       \
    }                                                                                             \
  }
template <typename T>
double Quotient(double a, double b) {
  return kWhole<T> ? std::trunc(a / b) : a / b;
}
double AndOf(double a, double b) {
  return static_cast<double>(static_cast<int64_t>(a) & static_cast<int64_t>(b));
}
double OrOf(double a, double b) {
  return static_cast<double>(static_cast<int64_t>(a) | static_cast<int64_t>(b));
}
SCALAR_OP(Adds, n + a, a + n)
SCALAR_OP(Subs, n - a, a - n)
SCALAR_OP(Muls, n *a, a *n)
SCALAR_OP(Divs, Quotient<T>(n, a), Quotient<T>(a, n))
SCALAR_OP(Maxs, std::max(n, a), std::max(a, n))
SCALAR_OP(Mins, std::min(n, a), std::min(a, n))
SCALAR_OP(Ands, AndOf(n, a), AndOf(a, n))
SCALAR_OP(Ors, OrOf(n, a), OrOf(a, n))

// 128 floats of `a`, and a number among them.
constexpr uint32_t kCompared = 128;
using Kernel = std::function<void(LocalTensor<float> &a, LocalTensor<float> &b, LocalTensor<uint8_t> &bits)>;
void InBits(const Kernel &kernel) {
  std::vector<float> dst(kElems);
  const std::vector<float> a = Samples<float>(1, Domain::kPositive), b = Samples<float>(2, Domain::kPositive);
  const Body<float, float> body = [&](LocalTensor<float> &d, LocalTensor<float> &x, LocalTensor<float> &y) {
    LocalTensor<uint8_t> bits = d.ReinterpretCast<uint8_t>();
    kernel(x, y, bits);
  };
  InKernel<float, float>({&dst, &a, &b, &body}, false);
}
bool Holds(CMPMODE mode, float a, float b) {
  switch (mode) {
    case CMPMODE::LT:
      return a < b;
    case CMPMODE::GT:
      return a > b;
    case CMPMODE::LE:
      return a <= b;
    case CMPMODE::GE:
      return a >= b;
    case CMPMODE::EQ:
      return a == b;
    default:
      return a != b;
  }
}
void SameBits(LocalTensor<uint8_t> &bits, LocalTensor<float> &a, CMPMODE mode, float number, bool first) {
  PipeBarrier<PIPE_ALL>();
  for (uint32_t i = 0; i < kCompared; i++) {
    const bool want = first ? Holds(mode, number, a.GetValue(i)) : Holds(mode, a.GetValue(i), number);
    CHECK_EQ(bits.GetValue(i / 8) >> (i % 8) & 1, static_cast<int>(want));
  }
  PipeBarrier<PIPE_ALL>();
}
void CheckModes(CMPMODE mode) {
  InBits([&](LocalTensor<float> &a, LocalTensor<float> &b, LocalTensor<uint8_t> &bits) {
    const float number = a.GetValue(17);
    b.SetValue(0, number);
    PipeBarrier<PIPE_ALL>();
    const UnaryRepeatParams p(1, 1, 8, 8);
    Compares(bits, a, b, mode, kCompared);
    SameBits(bits, a, mode, number, false);
    CompareScalar(bits, number, a, mode, kCompared);
    SameBits(bits, a, mode, number, true);
    Compares<BinaryDefaultType, BinaryDefaultType, true, kNumberFirst>(bits, b, a, mode, kCompared);
    SameBits(bits, a, mode, number, true);
    CompareScalar(bits, a, b, mode, uint64_t{64}, static_cast<uint8_t>(2), p);
    SameBits(bits, a, mode, number, false);
    Compares<BinaryDefaultType, BinaryDefaultType, true, kNumberFirst>(bits, number, a, mode, uint64_t{64},
                                                                       static_cast<uint8_t>(2), p);
    SameBits(bits, a, mode, number, true);
  });
}

void SameChosen(LocalTensor<float> &d, LocalTensor<float> &a, LocalTensor<uint8_t> &bits, float number,
                bool first) {
  PipeBarrier<PIPE_ALL>();
  for (uint32_t i = 0; i < kCompared; i++) {
    const bool on = bits.GetValue(i / 8) >> (i % 8) & 1;
    CHECK_EQ(d.GetValue(i), on == first ? number : a.GetValue(i));
  }
  PipeBarrier<PIPE_ALL>();
}
}  // namespace

TEST(ScalarArithmeticOfFloats) {
  CheckAdds<float>();
  CheckSubs<float>();
  CheckMuls<float>();
  CheckDivs<float>();
  CheckMaxs<float>();
  CheckMins<float>();
  CheckSubs<half>();
  CheckDivs<half>();
  CheckMaxs<half>();
}
TEST(ScalarArithmeticOfIntegers) {
  CheckAdds<int32_t>();
  CheckSubs<int16_t>();
  CheckMuls<int32_t>();
  CheckMins<int16_t>();
  CheckAnds<int16_t>();
  CheckOrs<uint16_t>();
}
TEST(ScalarComparisonsOfEitherSide) {
  for (const CMPMODE mode : {CMPMODE::LT, CMPMODE::GT, CMPMODE::EQ, CMPMODE::LE, CMPMODE::GE, CMPMODE::NE})
    CheckModes(mode);
}
TEST(ScalarSelectedFromEitherSide) {
  InBits([](LocalTensor<float> &a, LocalTensor<float> &b, LocalTensor<uint8_t> &bits) {
    const SELMODE mode = SELMODE::VSEL_TENSOR_SCALAR_MODE;
    const float number = b.GetValue(0);
    LocalTensor<float> d = b[256];
    for (uint32_t i = 0; i < kCompared / 8; i++)
      bits.SetValue(i, static_cast<uint8_t>(i * 37 + 5));
    PipeBarrier<PIPE_ALL>();
    const BinaryRepeatParams p(1, 1, 1, 8, 8, 8);
    Select(d, bits, number, a, mode, kCompared);
    SameChosen(d, a, bits, number, true);
    Select(d, bits, number, a, mode, uint64_t{64}, static_cast<uint8_t>(2), p);
    SameChosen(d, a, bits, number, true);
    Select<BinaryDefaultType, uint8_t, kNumberSecond>(d, bits, a, b, mode, kCompared);
    SameChosen(d, a, bits, number, false);
    Select<BinaryDefaultType, uint8_t, true, kNumberFirst>(d, bits, b, a, mode, uint64_t{64},
                                                           static_cast<uint8_t>(2), p);
    SameChosen(d, a, bits, number, true);
  });
}
// SPDX-License-Identifier: Apache-2.0
