// Forms of one name beside plain loops: numbers first and last, work tensors with and without a count, shifts
// that round, destinations and offsets of one tensor, choices by bytes and by the compare register.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "check.h"
#include "kernel_operator.h"

using namespace AscendC;

namespace {
constexpr uint32_t kBytes = 8192;
// One block with six tensors of 8 KB; what `body` does in it.
template <typename Body>
void InOneBlock(Body body) {
  static Body *now;
  now = &body;
  void (*kernel)() = [] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffers[6];
    LocalTensor<uint8_t> t[6];
    for (int i = 0; i < 6; i++) {
      pipe.InitBuffer(buffers[i], kBytes);
      t[i] = buffers[i].Get<uint8_t>();
    }
    (*now)(t);
  };
  const int status = weft_asc::call("overloads", __FILE__, __LINE__, kernel, 1, nullptr, nullptr)();
  CHECK_EQ(std::string(status ? weft_asc_error() : ""), std::string());
}
// What the scalar unit wrote is there for the vector unit, and the other way.
void Meet() {
  PipeBarrier<PIPE_ALL>();
  SetFlag<HardEvent::V_S>(EVENT_ID0);
  WaitFlag<HardEvent::V_S>(EVENT_ID0);
  SetFlag<HardEvent::S_V>(EVENT_ID0);
  WaitFlag<HardEvent::S_V>(EVENT_ID0);
}
template <typename T>
LocalTensor<T> Filled(LocalTensor<uint8_t> &room, uint32_t n, const std::function<double(uint32_t)> &value) {
  LocalTensor<T> t = room.ReinterpretCast<T>();
  for (uint32_t i = 0; i < n; i++)
    t.SetValue(i, static_cast<T>(static_cast<float>(value(i))));
  return t;
}
double Step(uint32_t i) {
  return static_cast<double>(i * 37 % 101) - 50;
}
template <typename T>
double AsDouble(T x) {
  if constexpr (std::is_integral<T>::value)
    return static_cast<double>(x);
  else
    return static_cast<double>(static_cast<float>(x));
}
// The first `n` of t are what `want` says.
template <typename T>
void CheckAll(const char *what, const LocalTensor<T> &t, uint32_t n,
              const std::function<double(uint32_t)> &want, double tolerance = 0) {
  Meet();
  for (uint32_t i = 0; i < n; i++) {
    const double got = AsDouble(t.GetValue(i)), expected = want(i);
    if (std::fabs(got - expected) <= tolerance * std::fabs(expected) || got == expected)
      continue;
    std::cerr << what << ", element " << i << ": " << got << ", expected " << expected << "\n";
    CHECK_EQ(std::string("another number"), "");
    return;
  }
  Meet();
}

template <typename T>
void CheckNamedTypes() {
  InOneBlock([](LocalTensor<uint8_t> *t) {
    const LocalTensor<T> a = Filled<T>(t[0], 256, Step), d = t[1].ReinterpretCast<T>();
    const uint64_t all = 256 / sizeof(T);
    const auto repeats = static_cast<uint8_t>(256 / all);
    uint64_t bits[2] = {~0ull, ~0ull};
    Meet();
    Adds<T, T>(d, a, static_cast<T>(3.0f), 256);
    CheckAll("Adds", d, 256, [](uint32_t i) { return Step(i) + 3; });
    Muls<T, T>(d, a, static_cast<T>(2.0f), all, repeats, {1, 1, 8, 8});
    CheckAll("Muls", d, 256, [](uint32_t i) { return Step(i) * 2; });
    Maxs<T, T>(d, a, static_cast<T>(3.0f), bits, repeats, {1, 1, 8, 8});
    CheckAll("Maxs", d, 256, [](uint32_t i) { return std::max(Step(i), 3.0); });
    Mins<T, T, true>(d, a, static_cast<T>(3.0f), 256);
    CheckAll("Mins", d, 256, [](uint32_t i) { return std::min(Step(i), 3.0); });
  });
}

// floor(x / 2^n + 1/2) with roundEn, else floor(x / 2^n).
template <typename T>
void CheckShifts() {
  for (const int by : {0, 1, 3, 15}) {
    InOneBlock([by](LocalTensor<uint8_t> *t) {
      const auto value = [](uint32_t i) { return Step(i) * 7; };
      const LocalTensor<T> a = Filled<T>(t[0], 256, value), d = t[1].ReinterpretCast<T>();
      const uint64_t all = 256 / sizeof(T);
      const auto repeats = static_cast<uint8_t>(256 / all);
      uint64_t bits[2] = {~0ull, ~0ull};
      const auto shifted = [&](bool rounded) {
        return [=](uint32_t i) {
          const double x = value(i) / std::ldexp(1, by);
          return std::floor(rounded && by ? x + 0.5 : x);
        };
      };
      Meet();
      ShiftRight(d, a, static_cast<T>(by), all, repeats, {1, 1, 8, 8}, true);
      CheckAll("ShiftRight with rounding", d, 256, shifted(true));
      ShiftRight<T, T>(d, a, static_cast<T>(by), bits, repeats, {1, 1, 8, 8}, true);
      CheckAll("ShiftRight with rounding", d, 256, shifted(true));
      ShiftRight(d, a, static_cast<T>(by), bits, repeats, {1, 1, 8, 8}, false);
      CheckAll("ShiftRight without", d, 256, shifted(false));
    });
  }
}

template <typename T>
void CheckPlaces(uint32_t n) {
  InOneBlock([n](LocalTensor<uint8_t> *t) {
    const LocalTensor<T> a = Filled<T>(t[0], n, Step), d0 = t[1].ReinterpretCast<T>(),
                         d1 = t[2].ReinterpretCast<T>();
    Meet();
    DeInterleave(d0, d1, a, static_cast<int32_t>(n));
    CheckAll("DeInterleave", d0, n / 2, [](uint32_t i) { return Step(2 * i); });
    CheckAll("DeInterleave", d1, n / 2, [](uint32_t i) { return Step(2 * i + 1); });
  });
}
}  // namespace

TEST(OverloadsWithBothTypesNamed) {
  CheckNamedTypes<float>();
  CheckNamedTypes<half>();
  CheckNamedTypes<int16_t>();
  CheckNamedTypes<int32_t>();
}

TEST(OverloadsOfShiftsThatRound) {
  CheckShifts<int16_t>();
  CheckShifts<int32_t>();
}

TEST(OverloadsOfOneSourceApart) {
  CheckPlaces<float>(256);
  CheckPlaces<half>(384);
  CheckPlaces<int32_t>(64);
}

TEST(OverloadsOfScatterByBits) {
  InOneBlock([](LocalTensor<uint8_t> *t) {
    const auto place = [](uint32_t i) { return (i * 5 + 3) % 64; };
    const LocalTensor<float> a = Filled<float>(t[0], 64, Step);
    const LocalTensor<float> d = Filled<float>(t[1], 80, [](uint32_t) { return 7; });
    const LocalTensor<uint32_t> where = t[2].ReinterpretCast<uint32_t>();
    for (uint32_t i = 0; i < 64; i++)
      where.SetValue(i, place(i) * 4);
    uint64_t bits[2] = {0x123456789abcdef0ull, 0};
    Meet();
    Scatter(d, a, where, 32, bits, 1, 8);
    std::vector<double> want(80, 7.0);
    for (uint32_t i = 0; i < 64; i++) {
      if (bits[0] >> i & 1)
        want[place(i) + 8] = Step(i);
    }
    CheckAll("Scatter", d, 80, [&](uint32_t i) { return want[i]; });
  });
}

TEST(OverloadsOfRowsByAddress) {
  InOneBlock([](LocalTensor<uint8_t> *t) {
    const LocalTensor<half> a = Filled<half>(t[0], 256, Step), d = t[1].ReinterpretCast<half>();
    const LocalTensor<uint64_t> from = t[2].ReinterpretCast<uint64_t>(),
                                to = t[3].ReinterpretCast<uint64_t>();
    for (uint32_t i = 0; i < 16; i++) {
      from.SetValue(i, reinterpret_cast<uint64_t>(a[i * 16].GetPhyAddr()));
      to.SetValue(i, reinterpret_cast<uint64_t>(d[i * 16].GetPhyAddr()));
    }
    Meet();
    TransDataTo5HD<half>(to, from, TransDataTo5HDParams());
    CheckAll("TransDataTo5HD", d, 256, [](uint32_t i) { return Step(i % 16 * 16 + i / 16); });
  });
}

TEST(OverloadsOfPowersAndBits) {
  InOneBlock([](LocalTensor<uint8_t> *t) {
    const auto base = [](uint32_t i) { return 0.5 + i % 13 / 4.0; };
    const auto exponent = [](uint32_t i) { return Step(i) / 25; };
    const LocalTensor<float> a = Filled<float>(t[0], 128, base)[0], b = Filled<float>(t[1], 128, exponent);
    const LocalTensor<float> d = t[2].ReinterpretCast<float>();
    LocalTensor<float> x = a, y = b;
    x.SetSize(128);
    y.SetSize(128);
    const auto both = [&](uint32_t i) { return std::pow(base(i), exponent(i)); };
    const auto of_number = [&](uint32_t i) { return std::pow(1.5, exponent(i)); };
    const auto to_number = [&](uint32_t i) { return std::pow(base(i), 2.5); };
    Meet();
    Power(d, x, y, t[3]);
    CheckAll("Power", d, 128, both, 1e-5);
    Power<float>(d, 1.5f, y, t[3], 128);
    CheckAll("Power of a number", d, 128, of_number, 1e-5);
    Power<float>(d, 1.5f, y, 128);
    CheckAll("Power of a number", d, 128, of_number, 1e-5);
    Power<float>(d, 1.5f, y, t[3]);
    CheckAll("Power of a number", d, 128, of_number, 1e-5);
    Power<float>(d, 1.5f, y);
    CheckAll("Power of a number", d, 128, of_number, 1e-5);
    Power<float>(d, x, 2.5f, t[3]);
    CheckAll("Power by a number", d, 128, to_number, 1e-5);
    Power<float>(d, x, 2.5f);
    CheckAll("Power by a number", d, 128, to_number, 1e-5);
  });
  InOneBlock([](LocalTensor<uint8_t> *t) {
    LocalTensor<int16_t> a = Filled<int16_t>(t[0], 128, Step);
    LocalTensor<int16_t> b = Filled<int16_t>(t[1], 128, [](uint32_t i) { return Step(i + 5); });
    const LocalTensor<int16_t> d = t[2].ReinterpretCast<int16_t>();
    a.SetSize(128);
    b.SetSize(128);
    const auto want = [](uint32_t i) {
      return static_cast<double>(static_cast<int>(Step(i)) ^ static_cast<int>(Step(i + 5)));
    };
    Meet();
    Xor(d, a, b, t[3]);
    CheckAll("Xor", d, 128, want);
    Xor(d, a, b);
    CheckAll("Xor", d, 128, want);
  });
}

TEST(OverloadsOfProducts) {
  InOneBlock([](LocalTensor<uint8_t> *t) {
    const LocalTensor<int32_t> a = t[0].ReinterpretCast<int32_t>(), b = t[1].ReinterpretCast<int32_t>();
    const LocalTensor<int32_t> low = t[2].ReinterpretCast<int32_t>(), high = t[3].ReinterpretCast<int32_t>();
    const auto first = [](uint32_t i) { return static_cast<int32_t>(i * 2654435761u); };
    const auto second = [](uint32_t i) { return static_cast<int32_t>(i * 40503u * 65537u + 9); };
    for (uint32_t i = 0; i < 100; i++) {
      a.SetValue(i, first(i));
      b.SetValue(i, second(i));
    }
    const auto product = [&](uint32_t i) { return int64_t{first(i)} * second(i); };
    Meet();
    Mull(low, high, a, b, 100);
    CheckAll("Mull", low, 100,
             [&](uint32_t i) { return static_cast<double>(static_cast<int32_t>(product(i))); });
    CheckAll("Mull", high, 100,
             [&](uint32_t i) { return static_cast<double>(static_cast<int32_t>(product(i) >> 32)); });
  });
  InOneBlock([](LocalTensor<uint8_t> *t) {
    const LocalTensor<float> a = Filled<float>(t[0], 100, [](uint32_t i) { return Step(i) / 3; });
    const LocalTensor<half> d = t[1].ReinterpretCast<half>();
    Meet();
    MulsCast(d, a, 0.3f, 100);
    CheckAll("MulsCast", d, 100, [](uint32_t i) {
      const float product = static_cast<float>(Step(i) / 3) * 0.3f;
      return AsDouble(half(product));
    });
  });
  InOneBlock([](LocalTensor<uint8_t> *t) {
    const LocalTensor<float> a = Filled<float>(t[0], 100, [](uint32_t i) { return Step(i) / 3; });
    const LocalTensor<float> b = Filled<float>(t[1], 100, [](uint32_t i) { return Step(i + 7) / 7; });
    const LocalTensor<float> c =
        Filled<float>(t[2], 100, [](uint32_t i) { return -Step(i) * Step(i + 7) / 21; });
    const LocalTensor<float> d = t[3].ReinterpretCast<float>();
    const auto want = [&](uint32_t i) {
      return static_cast<double>(std::fma(static_cast<float>(Step(i) / 3),
                                          static_cast<float>(Step(i + 7) / 7),
                                          static_cast<float>(-Step(i) * Step(i + 7) / 21)));
    };
    Meet();
    Fma(d, a, b, c, 100);
    CheckAll("Fma", d, 100, want);
    Fma(d, a, b, c, t[4], 100);
    CheckAll("Fma", d, 100, want);
  });
}

namespace {
double Odd(uint32_t i) {
  return i % 5 == 0 ? NAN : i % 5 == 1 ? INFINITY : i % 5 == 2 ? -INFINITY : Step(i);
}
template <typename T, typename U>
void CheckTruth() {
  InOneBlock([](LocalTensor<uint8_t> *t) {
    const LocalTensor<U> a = Filled<U>(t[0], 100, Odd);
    const LocalTensor<T> d = t[1].ReinterpretCast<T>();
    Meet();
    IsNan(d, a, 100);
    CheckAll("IsNan", d, 100, [](uint32_t i) { return std::isnan(Odd(i)) ? 1 : 0; });
    IsNan(d, a, t[2], 100);
    CheckAll("IsNan", d, 100, [](uint32_t i) { return std::isnan(Odd(i)) ? 1 : 0; });
    IsInf(d, a, 100);
    CheckAll("IsInf", d, 100, [](uint32_t i) { return std::isinf(Odd(i)) ? 1 : 0; });
    IsFinite(d, a, 100);
    CheckAll("IsFinite", d, 100, [](uint32_t i) { return std::isfinite(Odd(i)) ? 1 : 0; });
  });
}

template <typename T, typename U>
void CheckBytes(uint32_t rows, uint32_t columns, uint32_t mask_columns) {
  InOneBlock([=](LocalTensor<uint8_t> *t) {
    const uint32_t n = rows * columns;
    const auto bit = [](uint32_t row, uint32_t column) { return (row * 7 + column * 3) % 4; };
    const LocalTensor<T> a = Filled<T>(t[0], n, Step), d = t[1].ReinterpretCast<T>();
    const LocalTensor<U> mask = t[2].ReinterpretCast<U>();
    for (uint32_t i = 0; i < rows * mask_columns; i++)
      mask.SetValue(i, static_cast<U>(bit(i / mask_columns, i % mask_columns)));
    const SelectWithBytesMaskShapeInfo info = {rows, columns, mask_columns};
    Meet();
    Select(d, a, static_cast<T>(9.0f), mask, t[3], info);
    CheckAll("Select by bytes", d, n,
             [&](uint32_t i) { return bit(i / columns, i % columns) ? 9 : Step(i); });
    Select(d, static_cast<T>(9.0f), a, mask, t[3], info);
    CheckAll("Select by bytes", d, n,
             [&](uint32_t i) { return bit(i / columns, i % columns) ? Step(i) : 9; });
  });
}
}  // namespace

TEST(OverloadsOfWiderResults) {
  InOneBlock([](LocalTensor<uint8_t> *t) {
    const auto second = [](uint32_t i) { return Step(i + 3) / 16; };
    const LocalTensor<half> a = Filled<half>(t[0], 100, [](uint32_t i) { return Step(i) / 16; });
    const LocalTensor<half> b = Filled<half>(t[1], 100, second);
    const LocalTensor<float> d = t[2].ReinterpretCast<float>();
    const auto want = [&](uint32_t i) { return std::exp(Step(i) / 16 - second(i)); };
    Meet();
    ExpSub(d, a, b, 100);
    CheckAll("ExpSub", d, 100, want, 1e-6);
    FusedExpSub<float, half>(d, a, b, 100);
    CheckAll("FusedExpSub", d, 100, want, 1e-6);
  });
}

TEST(OverloadsOfTruth) {
  CheckTruth<uint8_t, float>();
  CheckTruth<uint8_t, half>();
  CheckTruth<float, float>();
}

TEST(OverloadsOfSelectByBytes) {
  CheckBytes<float, uint8_t>(3, 32, 32);
  CheckBytes<half, uint8_t>(4, 48, 64);
  CheckBytes<half, int16_t>(2, 32, 48);
  CheckBytes<float, int32_t>(5, 24, 24);
}

TEST(OverloadsOfSelectByTheRegister) {
  InOneBlock([](LocalTensor<uint8_t> *t) {
    const LocalTensor<float> a = Filled<float>(t[0], 128, Step), d = t[1].ReinterpretCast<float>();
    const LocalTensor<float> number = Filled<float>(t[3], 4, [](uint32_t) { return 4.5; });
    for (uint32_t i = 0; i < 16; i++)
      t[2].SetValue(i, static_cast<uint8_t>(i * 73 + 5));
    Meet();
    SetCmpMask(number);
    Select(d, t[2], a, 2, {1, 1, 1, 8, 8, 8});
    CheckAll("Select", d, 128,
             [](uint32_t i) { return static_cast<uint8_t>(i / 8 * 73 + 5) >> i % 8 & 1 ? Step(i) : 4.5; });
  });
}

TEST(OverloadsOfReducedValues) {
  InOneBlock([](LocalTensor<uint8_t> *t) {
    const LocalTensor<float> a = Filled<float>(t[0], 64, Step), d = t[1].ReinterpretCast<float>();
    Meet();
    ReduceMax(d, a, t[2].ReinterpretCast<float>(), 64, true);
    Meet();
    float largest = 0;
    GetReduceMaxMinCount(largest);
    double want = Step(0);
    for (uint32_t i = 0; i < 64; i++)
      want = std::max(want, Step(i));
    CHECK_EQ(AsDouble(largest), want);
  });
}

TEST(OverloadsOfScalars) {
  CHECK_EQ(Std::sqrt(2.25f), 1.5f);
  CHECK_EQ(Std::sqrt(2.0), std::sqrt(2.0));
  CHECK_EQ(static_cast<float>(Std::sqrt(half(6.25f))), 2.5f);
  CHECK_EQ(Ceil(7u, uint64_t{2}), 4);
  CHECK((Std::IsSame<half, half>::value && !Std::IsSame<half, float>::value));
  const uint32_t dims[] = {3, 4, 5};
  CHECK_EQ(GetShapeSize(ShapeInfo(3, dims)), uint64_t{60});
  CHECK_EQ((Simt::Cast<int32_t, float, RoundMode::CAST_RINT>(2.5f)), 2);
  CHECK_EQ((Simt::Cast<int32_t, float, RoundMode::CAST_CEIL>(2.25f)), 3);
  CHECK_EQ((Simt::Cast<int32_t, float, RoundMode::CAST_TRUNC>(-2.75f)), -2);
  CHECK_EQ((Simt::Cast<uint8_t, float, RoundMode::CAST_RINT, Reg::SatMode::SAT>(300.0f)), 255);
}
// SPDX-License-Identifier: Apache-2.0
