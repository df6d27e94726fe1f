// The register interface, each name against a plain loop. Outside of a launch registers load from any memory.
#include <cmath>
#include <vector>

#include "check.h"
#include "kernel_operator.h"

namespace {
namespace Reg = AscendC::Reg;
using AscendC::CMPMODE;
using AscendC::ReduceType;
using Reg::MaskReg;
using Reg::RegTensor;
using Reg::StoreDist;
using F32 = RegTensor<float>;
using F16 = RegTensor<half>;
using I32 = RegTensor<int32_t>;
using U32 = RegTensor<uint32_t>;
using U16 = RegTensor<uint16_t>;
using U8 = RegTensor<uint8_t>;

template <typename U>
U Counting(int first, int step = 1) {
  U r;
  for (uint32_t i = 0; i < U::kLanes; i++)
    r.Set(i, static_cast<Reg::LaneOf<U>>(first + step * static_cast<int>(i)));
  return r;
}
MaskReg First(uint32_t n) {
  return Reg::UpdateMask<float>(n);
}

// ---- arithmetic ----

template <typename U>
struct Binary {
  const char *name;
  void (*run)(U &, U &, U &, MaskReg &);
  double (*model)(double, double);
};
template <typename U, size_t n>
void CheckBinary(const Binary<U> (&table)[n], U a, U b, MaskReg mask) {
  for (const Binary<U> &row : table) {
    U dst = Counting<U>(100);
    row.run(dst, a, b, mask);
    for (uint32_t i = 0; i < U::kLanes; i++) {
      const double x = static_cast<double>(a.Get(i)), y = static_cast<double>(b.Get(i));
      const auto want = Reg::LaneOn<U>(mask, i) ? static_cast<Reg::LaneOf<U>>(row.model(x, y))
                                                : static_cast<Reg::LaneOf<U>>(0);
      if (!(dst.Get(i) == want))
        printf("%s, lane %u\n", row.name, i);
      CHECK_EQ(static_cast<double>(dst.Get(i)), static_cast<double>(want));
    }
  }
}
#define BINARY(name, expression)                                                  \
  {                                                                               \
#name, Reg::name < >, [](double x, double y) -> double { return expression; } \
  }
}  // namespace

TEST(RegBinaryFloat) {
  const Binary<F32> table[] = {
      BINARY(Add, x + y),
      BINARY(Sub, x - y),
      BINARY(Mul, x * y),
      BINARY(Max, x > y ? x : y),
      BINARY(Min, x < y ? x : y),
      BINARY(AbsSub, std::fabs(x - y)),
      BINARY(Prelu, x > 0 ? x : x * y),
      {"Div", [](F32 &d, F32 &a, F32 &b, MaskReg &m) { Reg::Div(d, a, b, m); },
       [](double x, double y) -> double { return static_cast<float>(x) / static_cast<float>(y); }},
  };
  CheckBinary(table, Counting<F32>(-30), Counting<F32>(1, 3), First(50));
}
TEST(RegBinaryInteger) {
  const Binary<I32> table[] = {
      BINARY(Add, x + y),
      BINARY(Sub, x - y),
      BINARY(Mul, x * y),
      BINARY(Max, x > y ? x : y),
      BINARY(Min, x < y ? x : y),
      BINARY(And, static_cast<int32_t>(x) & static_cast<int32_t>(y)),
      BINARY(Or, static_cast<int32_t>(x) | static_cast<int32_t>(y)),
      BINARY(Xor, static_cast<int32_t>(x) ^ static_cast<int32_t>(y)),
      {"Div", [](I32 &d, I32 &a, I32 &b, MaskReg &m) { Reg::Div(d, a, b, m); },
       [](double x, double y) { return y == 0 ? 0 : std::trunc(x / y); }},
  };
  CheckBinary(table, Counting<I32>(-30, 7), Counting<I32>(-5), First(64));
}
TEST(RegBinaryHalf) {
  const Binary<F16> table[] = {BINARY(Add, x + y), BINARY(Mul, x * y), BINARY(Max, x > y ? x : y)};
  CheckBinary(table, Counting<F16>(-64), Counting<F16>(3), Reg::CreateMask<half, Reg::MaskPattern::M3>());
}
TEST(RegMerging) {
  F32 dst = Counting<F32>(1000), a = Counting<F32>(1), b = Counting<F32>(2);
  MaskReg mask = First(3);
  Reg::Add<float, Reg::MaskMergeMode::MERGING>(dst, a, b, mask);
  CHECK_EQ(dst.Get(2), 7.0f);
  CHECK_EQ(dst.Get(3), 1003.0f);
  Reg::MulAddDst(dst, a, b, mask);
  CHECK_EQ(dst.Get(1), 2.0f * 3 + 5);
  CHECK_EQ(dst.Get(3), 0.0f);
}
TEST(RegScalarAndUnary) {
  F32 a = Counting<F32>(-32), d;
  MaskReg all = Reg::CreateMask<float>();
  Reg::Adds(d, a, 2, all);
  CHECK_EQ(d.Get(0), -30.0f);
  Reg::Muls(d, a, 0.5f, all);
  CHECK_EQ(d.Get(1), -15.5f);
  Reg::Maxs(d, a, 3.0f, all);
  CHECK_EQ(d.Get(5), 3.0f);
  Reg::LeakyRelu(d, a, 0.25f, all);
  CHECK_EQ(d.Get(0), -8.0f);
  Reg::Abs(d, a, all);
  CHECK_EQ(d.Get(0), 32.0f);
  Reg::Neg(d, a, all);
  CHECK_EQ(d.Get(40), -8.0f);
  Reg::Exp(d, a, all);
  CHECK_EQ(d.Get(33), expf(1));
  Reg::Sqrt(d, a, all);
  CHECK_EQ(d.Get(48), 4.0f);
  I32 i = Counting<I32>(-4), j;
  Reg::ShiftLefts(j, i, (int16_t)3, all);
  CHECK_EQ(j.Get(0), -32);
  Reg::ShiftRights(j, i, (int16_t)1, all);
  CHECK_EQ(j.Get(1), -2);
  Reg::ShiftRights(j, i, (int16_t)40, all);
  CHECK_EQ(j.Get(0), -1);
  Reg::Not(j, i, all);
  CHECK_EQ(j.Get(0), 3);
}

// ---- masks ----

TEST(RegMasks) {
  uint32_t n = 130;
  MaskReg m = Reg::UpdateMask<half>(n);
  CHECK_EQ(n, 2u);
  CHECK_EQ((int)m.on[254], 1);
  m = Reg::UpdateMask<half>(n);
  CHECK_EQ(n, 0u);
  CHECK_EQ((int)m.on[2], 1);
  CHECK_EQ((int)m.on[4], 0);
  m = Reg::CreateMask<float, Reg::MaskPattern::H>();
  CHECK_EQ((int)m.on[31 * 4], 1);
  CHECK_EQ((int)m.on[32 * 4], 0);
  m = Reg::CreateMask<int64_t, Reg::MaskPattern::VL1, Reg::RegTraitNumTwo>();
  CHECK_EQ((int)m.on[0], 1);
  CHECK_EQ((int)m.on[4], 0);
  MaskReg wide = Reg::CreateMask<float, Reg::MaskPattern::VL8>(), narrow, back;
  Reg::Pack(narrow, wide);
  CHECK_EQ((int)narrow.on[14], 1);
  CHECK_EQ((int)narrow.on[16], 0);
  Reg::UnPack(back, narrow);
  CHECK_EQ(memcmp(back.on, wide.on, sizeof back.on), 0);
  uint8_t bits[32];
  Reg::StoreAlign(bits, wide);
  CHECK_EQ((int)bits[0], 0x11);
  CHECK_EQ((int)bits[4], 0);
  Reg::LoadAlign(back, bits);
  CHECK_EQ(memcmp(back.on, wide.on, sizeof back.on), 0);
}
TEST(RegCompareAndSelect) {
  F32 a = Counting<F32>(0), b = Counting<F32>(63, -1), d;
  MaskReg all = Reg::CreateMask<float>(), m;
  Reg::Compare<float, CMPMODE::LT>(m, a, b, all);
  Reg::Select(d, a, b, m);
  for (uint32_t i = 0; i < 64; i++)
    CHECK_EQ(d.Get(i), i < 32 ? (float)i : (float)(63 - i));
  Reg::Compares<float, CMPMODE::GE>(m, a, 60, all);
  CHECK_EQ((int)m.on[59 * 4], 0);
  CHECK_EQ((int)m.on[60 * 4], 1);
  Reg::Squeeze(d, a, m);
  CHECK_EQ(d.Get(3), 63.0f);
  CHECK_EQ(d.Get(4), 0.0f);
}

// ---- loads and stores ----

namespace {
alignas(32) uint16_t words[512];
void FillWords() {
  for (int i = 0; i < 512; i++)
    words[i] = static_cast<uint16_t>(1000 + i);
}
template <Reg::LoadDist dist>
uint16_t WordAt(uint32_t lane) {
  U16 r;
  Reg::LoadAlign<uint16_t, dist>(r, words);
  return r.Get(lane);
}
}  // namespace

TEST(RegLoads) {
  using D = Reg::LoadDist;
  FillWords();
  CHECK_EQ((int)WordAt<D::DIST_NORM>(127), 1127);
  CHECK_EQ((int)WordAt<D::DIST_BRC_B16>(127), 1000);
  CHECK_EQ((int)WordAt<D::DIST_US_B16>(7), 1003);
  CHECK_EQ((int)WordAt<D::DIST_DS_B16>(7), 1014);
  CHECK_EQ((int)WordAt<D::DIST_UNPACK_B16>(8), 1004);
  CHECK_EQ((int)WordAt<D::DIST_UNPACK_B16>(9), 0);
  CHECK_EQ((int)WordAt<D::DIST_BLK>(17), 1001);
  CHECK_EQ((int)WordAt<D::DIST_E2B_B16>(17), 1001);
  U16 even, odd;
  Reg::LoadAlign<uint16_t, D::DIST_DINTLV_B16>(even, odd, words);
  CHECK_EQ((int)even.Get(127), 1254);
  CHECK_EQ((int)odd.Get(127), 1255);
  uint16_t *at = words;
  Reg::LoadAlign<uint16_t, Reg::PostLiteral::POST_MODE_UPDATE>(even, at, 128);
  CHECK_EQ(at == words + 128, true);
  Reg::UnalignReg u;
  at = words + 3;
  Reg::LoadUnAlignPre(u, at);
  Reg::LoadUnAlign(even, u, at, 5);
  CHECK_EQ((int)even.Get(0), 1003);
  CHECK_EQ(at == words + 8, true);
  MaskReg blocks = Reg::CreateMask<uint16_t>();
  Reg::LoadAlign<uint16_t, Reg::DataCopyMode::DATA_BLOCK_COPY>(even, words, 2u, blocks);
  CHECK_EQ((int)even.Get(17), 1033);
}
TEST(RegStores) {
  alignas(32) uint16_t out[512] = {};
  U32 r = Counting<U32>(70000);
  MaskReg mask = First(5);
  Reg::StoreAlign<uint16_t, StoreDist::DIST_PACK_B32>(out, r, mask);
  CHECK_EQ((int)out[4], (70004 & 0xffff));
  CHECK_EQ((int)out[5], 0);
  alignas(32) uint32_t wide[256] = {};
  Reg::StoreAlign<uint32_t, StoreDist::DIST_FIRST_ELEMENT_B32>(wide + 7, r, mask);
  CHECK_EQ(wide[7], 70000u);
  CHECK_EQ(wide[8], 0u);
  U32 other = Counting<U32>(5);
  MaskReg all = Reg::CreateMask<uint32_t>();
  Reg::StoreAlign<uint32_t, StoreDist::DIST_INTLV_B32>(wide, r, other, all);
  CHECK_EQ(wide[126], 70063u);
  CHECK_EQ(wide[127], 68u);
  uint32_t *at = wide + 1;
  Reg::UnalignReg u;
  Reg::StoreUnAlign(at, other, u, 3);
  Reg::StoreUnAlignPost(at, u, 0);
  CHECK_EQ(wide[3], 7u);
  CHECK_EQ(wide[4], 70002u);
  CHECK_EQ(at == wide + 4, true);
}
TEST(RegGatherAndScatter) {
  FillWords();
  U16 index = Counting<U16>(0, 3), d;
  MaskReg mask = Reg::CreateMask<uint16_t, Reg::MaskPattern::VL16>();
  Reg::Gather(d, words, index, mask);
  CHECK_EQ((int)d.Get(15), 1045);
  CHECK_EQ((int)d.Get(16), 0);
  uint16_t out[64] = {};
  Reg::Scatter(out, d, index, mask);
  CHECK_EQ((int)out[45], 1045);
  CHECK_EQ((int)out[44], 0);
  U16 from = Counting<U16>(7);
  Reg::Gather(d, from, index);
  CHECK_EQ((int)d.Get(10), 37);
}

// ---- conversions and rearrangements ----

TEST(RegCast) {
  using Reg::CastTrait;
  static constexpr CastTrait kOdd = {Reg::RegLayout::ONE, Reg::SatMode::UNKNOWN, Reg::MaskMergeMode::ZEROING,
                                     AscendC::RoundMode::UNKNOWN};
  static constexpr CastTrait kNarrow = {Reg::RegLayout::ZERO, Reg::SatMode::SAT, Reg::MaskMergeMode::ZEROING,
                                        AscendC::RoundMode::CAST_RINT};
  static constexpr CastTrait kWrap = {Reg::RegLayout::TWO, Reg::SatMode::NO_SAT, Reg::MaskMergeMode::ZEROING,
                                      AscendC::RoundMode::CAST_TRUNC};
  F16 h = Counting<F16>(0);
  F32 f;
  MaskReg all = Reg::CreateMask<float>();
  Reg::Cast<float, half, kOdd>(f, h, all);
  CHECK_EQ(f.Get(10), 21.0f);
  f.Set(3, 1e30f);
  Reg::Cast<half, float, kNarrow>(h, f, all);
  CHECK_EQ((float)h.Get(20), 21.0f);
  CHECK_EQ((float)h.Get(21), 0.0f);
  CHECK_EQ((float)h.Get(6), 65504.0f);
  I32 i = Counting<I32>(250);
  U8 b;
  Reg::Cast<uint8_t, int32_t, kWrap>(b, i, all);
  CHECK_EQ((int)b.Get(4 * 6 + 2), 0);
  CHECK_EQ((int)b.Get(4 * 7 + 2), 1);
  U16 packed;
  U32 wide = Counting<U32>(65530);
  Reg::Pack<uint16_t, uint32_t, Reg::HighLowPart::HIGHEST>(packed, wide);
  CHECK_EQ((int)packed.Get(64 + 7), 1);
  CHECK_EQ((int)packed.Get(0), 0);
  U32 unpacked;
  Reg::UnPack<uint32_t, uint16_t, Reg::HighLowPart::HIGHEST>(unpacked, packed);
  CHECK_EQ(unpacked.Get(7), 1u);
}
TEST(RegFloat8) {
  static const float numbers[] = {0,     1,     -1.5f, 448, 464, 465, 0.001953125f, 0.0009765625f,
                                  57344, 61440, 1e9f};
  static const int e4m3[] = {0, 0x38, 0xbc, 0x7e, 0x7e, 0x7f, 1, 0, 0x7f, 0x7f, 0x7f};
  static const int e5m2[] = {0, 0x3c, 0xbe, 0x5f, 0x5f, 0x5f, 0x18, 0x14, 0x7b, 0x7c, 0x7c};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    CHECK_EQ(static_cast<int>(fp8_e4m3fn_t(numbers[i]).bits), e4m3[i]);
    CHECK_EQ(static_cast<int>(fp8_e5m2_t(numbers[i]).bits), e5m2[i]);
  }
  for (int bits = 0; bits < 0x7f; bits++) {
    fp8_e4m3fn_t x;
    x.bits = static_cast<uint8_t>(bits);
    CHECK_EQ(static_cast<int>(fp8_e4m3fn_t(static_cast<float>(x)).bits), bits);
  }
  static constexpr Reg::CastTrait kSat = {Reg::RegLayout::ONE, Reg::SatMode::SAT, Reg::MaskMergeMode::ZEROING,
                                          AscendC::RoundMode::CAST_RINT};
  F32 f = Counting<F32>(500), back;
  RegTensor<fp8_e4m3fn_t> small;
  MaskReg all = Reg::CreateMask<float>();
  Reg::Cast<fp8_e4m3fn_t, float, kSat>(small, f, all);
  Reg::Cast<float, fp8_e4m3fn_t, kSat>(back, small, all);
  CHECK_EQ(back.Get(9), 448.0f);
}
TEST(RegReduce) {
  F32 a = Counting<F32>(-10), d;
  MaskReg mask = First(20);
  Reg::Reduce<ReduceType::SUM>(d, a, mask);
  CHECK_EQ(d.Get(0), -10.0f);
  CHECK_EQ(d.Get(1), 0.0f);
  Reg::Reduce<ReduceType::MAX>(d, a, mask);
  CHECK_EQ(d.Get(0), 9.0f);
  CHECK_EQ(Reg::ToBits(d.Get(1)), 19u);
  MaskReg all = Reg::CreateMask<float>();
  Reg::ReduceDataBlock<ReduceType::MIN>(d, a, all);
  CHECK_EQ(d.Get(7), 46.0f);
  Reg::PairReduceElem(d, a, all);
  CHECK_EQ(d.Get(1), -15.0f);
}
TEST(RegRearrange) {
  U16 a = Counting<U16>(0), b = Counting<U16>(1000), lo, hi;
  Reg::Interleave(lo, hi, a, b);
  CHECK_EQ((int)lo.Get(127), 1063);
  CHECK_EQ((int)hi.Get(0), 64);
  Reg::DeInterleave(a, b, lo, hi);
  CHECK_EQ((int)a.Get(127), 127);
  CHECK_EQ((int)b.Get(127), 1127);
  I32 i;
  Reg::Arange<int32_t, Reg::IndexOrder::DECREASE_ORDER>(i, 5);
  CHECK_EQ(i.Get(0), 68);
  CHECK_EQ(i.Get(63), 5);
  U8 bytes;
  for (uint32_t k = 0; k < 256; k++)
    bytes.Set(k, static_cast<uint8_t>(k < 100 ? 3 : 200));
  MaskReg all = Reg::CreateMask<uint8_t>();
  U16 counts, below;
  Reg::Histograms<uint8_t, uint16_t, Reg::HistogramsBinType::BIN0, Reg::HistogramsType::FREQUENCY>(
      counts, bytes, all);
  CHECK_EQ((int)counts.Get(3), 100);
  Reg::Histograms<uint8_t, uint16_t, Reg::HistogramsBinType::BIN1, Reg::HistogramsType::ACCUMULATE>(
      below, bytes, all);
  CHECK_EQ((int)below.Get(71), 100);
  CHECK_EQ((int)below.Get(72), 256);
}
TEST(RegCarries) {
  U32 a, b, d;
  Reg::Duplicate(a, 0xffffffffu);
  Reg::Duplicate(b, 2u);
  MaskReg all = Reg::CreateMask<uint32_t>(), carry;
  Reg::Add(carry, d, a, b, all);
  CHECK_EQ(d.Get(0), 1u);
  CHECK_EQ((int)carry.on[0], 1);
  Reg::AddC(carry, d, b, b, carry, all);
  CHECK_EQ(d.Get(0), 5u);
  CHECK_EQ((int)carry.on[0], 0);
  U32 high;
  Reg::Mull(d, high, a, b, all);
  CHECK_EQ(d.Get(9), 0xfffffffeu);
  CHECK_EQ(high.Get(9), 1u);
}

// ---- in a launch ----

namespace {
__simd_vf__ inline void AddOne(__ubuf__ float *x, uint32_t n) {
  F32 r;
  for (uint32_t i = 0; n; i++) {
    MaskReg mask = Reg::UpdateMask<float>(n);
    Reg::LoadAlign(r, x + i * 64);
    Reg::Adds(r, r, 1.0f, mask);
    Reg::StoreAlign(x + i * 64, r, mask);
  }
}
__global__ __aicore__ void add_one(GM_ADDR x, uint32_t n) {
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 1024);
  AscendC::LocalTensor<float> t = buffer.Get<float>();
  AscendC::GlobalTensor<float> g;
  g.SetGlobalBuffer((__gm__ float *)x, n);
  AscendC::DataCopyPad(t, g, {1, static_cast<uint32_t>(n * sizeof(float)), 0, 0, 0},
                       AscendC::DataCopyPadExtParams<float>());
  AscendC::PipeBarrier<PIPE_ALL>();
  asc_vf_call<AddOne>((__ubuf__ float *)t.GetPhyAddr(), n);
  AscendC::PipeBarrier<PIPE_ALL>();
  AscendC::DataCopyPad(g, t, {1, static_cast<uint32_t>(n * sizeof(float)), 0, 0, 0});
}
__global__ __aicore__ void load_nothing() {
  F32 r;
  static float outside[64];
  Reg::LoadAlign(r, outside);
}
}  // namespace

TEST(RegKernel) {
  std::vector<float> x(101, 1.5f);
  CHECK_EQ(weft_asc::call("add_one", __FILE__, __LINE__, add_one, 1, nullptr, nullptr)(
               reinterpret_cast<GM_ADDR>(x.data()), 100u),
           0);
  CHECK_EQ(x[99], 2.5f);
  CHECK_EQ(x[100], 1.5f);
  CHECK_EQ(weft_asc::call("load", __FILE__, __LINE__, load_nothing, 1, nullptr, nullptr)(), WEFT_ASC_KERNEL);
  CHECK_EQ(strstr(weft_asc_error(), "in no on-chip memory") != nullptr, true);
}
// SPDX-License-Identifier: Apache-2.0
