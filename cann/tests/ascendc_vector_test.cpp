// ascendc_vector_test.cpp - the vector unit's instructions beside plain loops written from their description:
// every element type, form, mask, stride, tail, and in place.
#include "ascendc_conformance.h"

using namespace conformance;

namespace {
constexpr double kScalar = 3;

// The forms of a name with two sources, with one, and with one and a number.
#define CONFORM_FORMS(Name, p, ...)                                                    \
  uint64_t mask[2];                                                                    \
  constexpr auto lanes = static_cast<uint32_t>(256 / sizeof(T));                       \
  MaskBits(f, lanes, mask);                                                            \
  if (f.by == By::kCount)                                                              \
    Name(__VA_ARGS__, static_cast<int32_t>(f.n));                                      \
  else if (f.by == By::kNumber)                                                        \
    Name(__VA_ARGS__, static_cast<uint64_t>(f.n ? std::min(f.n, lanes) : lanes),       \
         static_cast<uint8_t>(f.repeats), p);                                          \
  else if (f.by == By::kBits)                                                          \
    Name(__VA_ARGS__, mask, static_cast<uint8_t>(f.repeats), p);                       \
  else {                                                                               \
    SetVectorMask<T>(mask[1], mask[0]);                                                \
    Name<T, false>(__VA_ARGS__, MASK_PLACEHOLDER, static_cast<uint8_t>(f.repeats), p); \
    ResetMask();                                                                       \
  }
template <typename F>
BinaryRepeatParams BinaryOf(const F &f) {
  return BinaryRepeatParams(f.dst.block, f.a.block, f.b.block, f.dst.repeat, f.a.repeat, f.b.repeat);
}
template <typename F>
UnaryRepeatParams UnaryOf(const F &f) {
  return UnaryRepeatParams(f.dst.block, f.a.block, f.dst.repeat, f.a.repeat);
}
#define CONFORM_BINARY(Name)                                                                  \
  struct Do##Name {                                                                           \
    template <typename T>                                                                     \
    static void Run(const Form &f, LocalTensor<T> &d, LocalTensor<T> &a, LocalTensor<T> &b) { \
      const BinaryRepeatParams p = BinaryOf(f);                                               \
      CONFORM_FORMS(Name, p, d, a, b)                                                         \
    }                                                                                         \
  };
#define CONFORM_UNARY(Name)                                                                  \
  struct Do##Name {                                                                          \
    template <typename T>                                                                    \
    static void Run(const Form &f, LocalTensor<T> &d, LocalTensor<T> &a, LocalTensor<T> &) { \
      const UnaryRepeatParams p = UnaryOf(f);                                                \
      CONFORM_FORMS(Name, p, d, a)                                                           \
    }                                                                                        \
  };
#define CONFORM_SCALAR(Name)                                                                 \
  struct Do##Name {                                                                          \
    template <typename T>                                                                    \
    static void Run(const Form &f, LocalTensor<T> &d, LocalTensor<T> &a, LocalTensor<T> &) { \
      const UnaryRepeatParams p = UnaryOf(f);                                                \
      CONFORM_FORMS(Name, p, d, a, Of<T>(kScalar))                                           \
    }                                                                                        \
  };
CONFORM_BINARY(Add)
CONFORM_BINARY(Sub)
CONFORM_BINARY(Mul)
CONFORM_BINARY(Div)
CONFORM_BINARY(Max)
CONFORM_BINARY(Min)
CONFORM_BINARY(And)
CONFORM_BINARY(Or)
CONFORM_BINARY(Xor)
CONFORM_BINARY(AddRelu)
CONFORM_BINARY(SubRelu)
CONFORM_BINARY(Prelu)
CONFORM_BINARY(AbsSub)
CONFORM_BINARY(ExpSub)
CONFORM_BINARY(FusedMulAdd)
CONFORM_BINARY(FusedMulAddRelu)
CONFORM_BINARY(ShiftLeft)
CONFORM_BINARY(ShiftRight)
CONFORM_UNARY(Abs)
CONFORM_UNARY(Exp)
CONFORM_UNARY(Ln)
CONFORM_UNARY(Sqrt)
CONFORM_UNARY(Rsqrt)
CONFORM_UNARY(Reciprocal)
CONFORM_UNARY(Relu)
CONFORM_UNARY(Not)
CONFORM_UNARY(Neg)
CONFORM_SCALAR(Adds)
CONFORM_SCALAR(Subs)
CONFORM_SCALAR(Muls)
CONFORM_SCALAR(Divs)
CONFORM_SCALAR(Maxs)
CONFORM_SCALAR(Mins)
CONFORM_SCALAR(Ands)
CONFORM_SCALAR(Ors)
CONFORM_SCALAR(LeakyRelu)
CONFORM_SCALAR(ShiftLefts)
CONFORM_SCALAR(ShiftRights)

// How far a function may be from the exact result: of float some units in the last place, of the small types
// one.
template <typename T>
double Loose() {
  return std::is_same<T, float>::value ? 1e-6 : std::is_same<T, half>::value ? 1e-3 : 8e-3;
}
template <typename Do, typename... T, typename Model>
void Exact(const char *name, Model model, Domain domain = Domain::kAny) {
  (CheckForms<T>(name, domain, 0, model, [](auto &...x) { Do::template Run<T>(x...); }), ...);
}
template <typename Do, typename... T, typename Model>
void Close(const char *name, Model model, Domain domain = Domain::kAny) {
  (CheckForms<T>(name, domain, Loose<T>(), model, [](auto &...x) { Do::template Run<T>(x...); }), ...);
}
int64_t Whole(double x) {
  return static_cast<int64_t>(x);
}
double Positive(double x) {
  return x > 0 ? x : 0;
}
}  // namespace

TEST(VectorArithmetic) {
  Exact<DoAdd, float, half, bfloat16_t, int32_t, int16_t>("Add",
                                                          [](double a, double b, double) { return a + b; });
  Exact<DoSub, float, half, bfloat16_t, int32_t, int16_t>("Sub",
                                                          [](double a, double b, double) { return a - b; });
  Exact<DoMul, float, half, bfloat16_t, int32_t, int16_t>("Mul",
                                                          [](double a, double b, double) { return a * b; });
  Close<DoDiv, float, half>("Div", [](double a, double b, double) { return a / b; });
  Exact<DoMax, float, half, bfloat16_t, int32_t, int16_t>(
      "Max", [](double a, double b, double) { return std::max(a, b); });
  Exact<DoMin, float, half, bfloat16_t, int32_t, int16_t>(
      "Min", [](double a, double b, double) { return std::min(a, b); });
}
TEST(VectorArithmeticOfTwoSteps) {
  Exact<DoAddRelu, float, half, int16_t>("AddRelu",
                                         [](double a, double b, double) { return Positive(a + b); });
  Exact<DoSubRelu, float, half, int16_t>("SubRelu",
                                         [](double a, double b, double) { return Positive(a - b); });
  Exact<DoPrelu, float, half>("Prelu", [](double a, double b, double) { return a >= 0 ? a : a * b; });
  Exact<DoAbsSub, float, half>("AbsSub", [](double a, double b, double) { return std::fabs(a - b); });
  Close<DoExpSub, float>("ExpSub", [](double a, double b, double) { return std::exp(a - b); });
  // In place the first source is the number that is added, too.
  Close<DoFusedMulAdd, float, half>("FusedMulAdd", [](double a, double b, double d) { return a * d + b; });
  Close<DoFusedMulAddRelu, float, half>("FusedMulAddRelu",
                                        [](double a, double b, double d) { return Positive(a * d + b); });
}
TEST(VectorBits) {
  Exact<DoAnd, int16_t, uint16_t>(
      "And", [](double a, double b, double) { return static_cast<double>(Whole(a) & Whole(b)); });
  Exact<DoOr, int16_t, uint16_t>(
      "Or", [](double a, double b, double) { return static_cast<double>(Whole(a) | Whole(b)); });
  Exact<DoXor, int16_t, uint16_t>(
      "Xor", [](double a, double b, double) { return static_cast<double>(Whole(a) ^ Whole(b)); });
  Exact<DoNot, int16_t, uint16_t>("Not",
                                  [](double a, double, double) { return static_cast<double>(~Whole(a)); });
  Exact<DoAnds, int16_t, uint16_t>(
      "Ands", [](double a, double, double) { return static_cast<double>(Whole(a) & 3); });
  Exact<DoOrs, int16_t, uint16_t>("Ors",
                                  [](double a, double, double) { return static_cast<double>(Whole(a) | 3); });
  Exact<DoShiftLeft, int32_t, uint32_t, int16_t, uint16_t>(
      "ShiftLeft", [](double a, double b, double) { return a * std::exp2(b); }, Domain::kShift);
  Exact<DoShiftRight, int32_t, uint32_t, int16_t, uint16_t>(
      "ShiftRight", [](double a, double b, double) { return std::floor(a / std::exp2(b)); }, Domain::kShift);
  Exact<DoShiftLefts, int32_t, uint32_t, int16_t, uint16_t>("ShiftLefts",
                                                            [](double a, double, double) { return a * 8; });
  Exact<DoShiftRights, int32_t, uint32_t, int16_t, uint16_t>(
      "ShiftRights", [](double a, double, double) { return std::floor(a / 8); });
}
TEST(VectorOfOneSource) {
  Exact<DoAbs, float, half, int16_t>("Abs", [](double a, double, double) { return std::fabs(a); });
  Exact<DoRelu, float, half, int32_t>("Relu", [](double a, double, double) { return Positive(a); });
  Exact<DoNeg, float, half, int32_t>("Neg", [](double a, double, double) { return -a; });
  Close<DoExp, float, half>("Exp", [](double a, double, double) { return std::exp(a); });
  Close<DoLn, float, half>(
      "Ln", [](double a, double, double) { return std::log(a); }, Domain::kPositive);
  Close<DoSqrt, float, half>(
      "Sqrt", [](double a, double, double) { return std::sqrt(a); }, Domain::kPositive);
  Close<DoRsqrt, float, half>(
      "Rsqrt", [](double a, double, double) { return 1 / std::sqrt(a); }, Domain::kPositive);
  Close<DoReciprocal, float, half>("Reciprocal", [](double a, double, double) { return 1 / a; });
}
TEST(VectorAndANumber) {
  Exact<DoAdds, float, half, bfloat16_t, int32_t, int16_t>("Adds",
                                                           [](double a, double, double) { return a + 3; });
  Exact<DoSubs, float, half, int32_t, int16_t>("Subs", [](double a, double, double) { return a - 3; });
  Exact<DoMuls, float, half, bfloat16_t, int32_t, int16_t>("Muls",
                                                           [](double a, double, double) { return a * 3; });
  Close<DoDivs, float, half>("Divs", [](double a, double, double) { return a / 3; });
  Exact<DoMaxs, float, half, int32_t, int16_t>("Maxs",
                                               [](double a, double, double) { return std::max(a, 3.0); });
  Exact<DoMins, float, half, int32_t, int16_t>("Mins",
                                               [](double a, double, double) { return std::min(a, 3.0); });
  Exact<DoLeakyRelu, float, half>("LeakyRelu", [](double a, double, double) { return a >= 0 ? a : a * 3; });
}

// ---- what is added to the destination; numbers and copies ----

namespace {
uint64_t LanesOf(const Form &f, size_t bytes) {
  const auto lanes = static_cast<uint32_t>(256 / bytes);
  return f.n ? std::min(f.n, lanes) : lanes;
}
template <typename T>
void AxpyForm(const Form &f, LocalTensor<T> &d, LocalTensor<T> &a, LocalTensor<T> &) {
  if (f.by == By::kCount)
    Axpy(d, a, Of<T>(kScalar), static_cast<int32_t>(f.n));
  else
    Axpy(d, a, Of<T>(kScalar), LanesOf(f, sizeof(T)), static_cast<uint8_t>(f.repeats), UnaryOf(f));
}
template <typename T>
void MulAddForm(const Form &f, LocalTensor<T> &d, LocalTensor<T> &a, LocalTensor<T> &b) {
  if (f.by == By::kCount)
    MulAddDst(d, a, b, static_cast<int32_t>(f.n));
  else
    MulAddDst(d, a, b, LanesOf(f, sizeof(T)), static_cast<uint8_t>(f.repeats), BinaryOf(f));
}
template <typename T>
void DuplicateForm(const Form &f, LocalTensor<T> &d, LocalTensor<T> &, LocalTensor<T> &) {
  if (f.by == By::kCount)
    Duplicate(d, Of<T>(kScalar), static_cast<int32_t>(f.n));
  else
    Duplicate(d, Of<T>(kScalar), LanesOf(f, sizeof(T)), static_cast<uint8_t>(f.repeats),
              static_cast<uint16_t>(f.dst.block), static_cast<uint8_t>(f.dst.repeat));
}
template <typename T>
void CopyForm(const Form &f, LocalTensor<T> &d, LocalTensor<T> &a, LocalTensor<T> &) {
  if (f.by == By::kCount)
    Copy(d, a, f.n);
  else
    Copy(d, a, LanesOf(f, sizeof(T)), static_cast<uint8_t>(f.repeats),
         CopyRepeatParams(static_cast<uint16_t>(f.dst.block), static_cast<uint16_t>(f.a.block),
                          static_cast<uint16_t>(f.dst.repeat), static_cast<uint16_t>(f.a.repeat)));
}
// Forms without a mask of bits.
template <typename T, typename Model, typename Call>
void Numbered(const char *name, Model model, Call call) {
  for (const Form &f : kForms) {
    if (f.by == By::kCount || f.by == By::kNumber)
      CheckForm<T, T>(name, f, Domain::kAny, 0, model, call);
  }
}
}  // namespace

TEST(VectorAddedToTheDestination) {
  const auto axpy = [](double a, double, double d) { return d + a * kScalar; };
  const auto mul_add = [](double a, double b, double d) { return d + a * b; };
  Numbered<float>("Axpy", axpy, AxpyForm<float>);
  Numbered<half>("Axpy", axpy, AxpyForm<half>);
  Numbered<float>("MulAddDst", mul_add, MulAddForm<float>);
  Numbered<half>("MulAddDst", mul_add, MulAddForm<half>);
}
TEST(VectorNumbersAndCopies) {
  const auto same = [](double a, double, double) { return a; };
  const auto number = [](double, double, double) { return kScalar; };
  Numbered<float>("Duplicate", number, DuplicateForm<float>);
  Numbered<half>("Duplicate", number, DuplicateForm<half>);
  Numbered<bfloat16_t>("Duplicate", number, DuplicateForm<bfloat16_t>);
  Numbered<int32_t>("Duplicate", number, DuplicateForm<int32_t>);
  Numbered<uint16_t>("Duplicate", number, DuplicateForm<uint16_t>);
  Numbered<float>("Copy", same, CopyForm<float>);
  Numbered<half>("Copy", same, CopyForm<half>);
  Numbered<int16_t>("Copy", same, CopyForm<int16_t>);
  Numbered<uint32_t>("Copy", same, CopyForm<uint32_t>);
}
// SPDX-License-Identifier: Apache-2.0
