// The sort family beside std::stable_sort: pairs of floats and of halves, merges of two to four lists with
// and without an early end, repeats, proposals, values with indices, the first k of rows.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "check.h"
#include "kernel_operator.h"

using namespace AscendC;

namespace {
constexpr uint32_t kMost = 4096;

// One block with four tensors of kMost elements of 4 bytes; what `body` does in it.
template <typename Body>
void InBlock(Body body) {
  static Body *now;
  now = &body;
  void (*kernel)() = [] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffers[4];
    LocalTensor<float> t[4];
    for (int i = 0; i < 4; i++) {
      pipe.InitBuffer(buffers[i], kMost * 4);
      t[i] = buffers[i].Get<float>();
    }
    (*now)(t);
  };
  CHECK_EQ(weft_asc::call("sort", __FILE__, __LINE__, kernel, 1, nullptr, nullptr)(), 0);
}

// Many equal ones, so that the order of equal values is seen.
std::vector<float> Values(size_t n, uint32_t seed) {
  std::vector<float> x(n);
  for (size_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    x[i] = static_cast<float>(seed >> 24) - 100.0f;
  }
  return x;
}
std::vector<uint32_t> Order(const float *x, size_t n, bool larger = true) {
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return larger ? x[a] > x[b] : x[a] < x[b]; });
  return order;
}
template <typename T>
void Fill(const LocalTensor<T> &t, const std::vector<float> &x) {
  for (uint32_t i = 0; i < x.size(); i++)
    t.SetValue(i, static_cast<T>(x[i]));
}
void Count(const LocalTensor<uint32_t> &t, uint32_t n, uint32_t first) {
  for (uint32_t i = 0; i < n; i++)
    t.SetValue(i, first + i);
}
void Settle() {
  PipeBarrier<PIPE_ALL>();
}

// Values `x` sorted by Sort32 and Sort in pairs of T, taken apart by Extract.
template <typename T, bool full>
void PairsOf(int32_t repeats) {
  const std::vector<float> x = Values(static_cast<size_t>(repeats) * 32, 7);
  InBlock([&](LocalTensor<float> *t) {
    LocalTensor<T> values = t[0].ReinterpretCast<T>();
    LocalTensor<T> pairs = t[2].ReinterpretCast<T>();
    LocalTensor<T> work = t[3].ReinterpretCast<T>();
    LocalTensor<uint32_t> numbers = t[1].ReinterpretCast<uint32_t>();
    Fill(values, x);
    Count(numbers, static_cast<uint32_t>(x.size()), 1000);
    Settle();
    LocalTensor<T> concat;
    Concat(concat, values, work, repeats);
    if (full)
      Sort<T, true>(pairs, concat, numbers, work, repeats);
    else
      Sort32(pairs, concat, numbers, repeats);
    Settle();
    Extract(values, numbers, pairs, repeats);
    Settle();
    const size_t list = full ? x.size() : 32;
    for (size_t at = 0; at < x.size(); at += list) {
      const std::vector<uint32_t> order = Order(x.data() + at, list);
      for (size_t i = 0; i < list; i++) {
        const auto place = static_cast<uint32_t>(at + i);
        CHECK_EQ(static_cast<float>(values.GetValue(place)), x[at + order[i]]);
        CHECK_EQ(numbers.GetValue(place), 1000 + at + order[i]);
      }
    }
  });
}

struct Pair {
  float value;
  uint32_t number;
};
std::vector<Pair> SortedPairs(uint32_t n, uint32_t seed, uint32_t first) {
  const std::vector<float> x = Values(n, seed);
  std::vector<Pair> pairs;
  for (const uint32_t i : Order(x.data(), n))
    pairs.push_back({x[i], first + i});
  return pairs;
}
void Put(const LocalTensor<float> &t, const std::vector<Pair> &pairs) {
  const LocalTensor<uint32_t> bits = t.ReinterpretCast<uint32_t>();
  for (uint32_t i = 0; i < pairs.size(); i++) {
    t.SetValue(2 * i, pairs[i].value);
    bits.SetValue(2 * i + 1, pairs[i].number);
  }
}
// The plain model: the first of the largest heads, until all or, with `stop`, one list is used up.
std::vector<Pair> Merged(const std::vector<std::vector<Pair>> &lists, bool stop, uint32_t *taken) {
  std::vector<Pair> out;
  std::fill(taken, taken + 4, 0u);
  for (;;) {
    int best = -1;
    for (size_t i = 0; i < lists.size(); i++) {
      if (taken[i] < lists[i].size() &&
          (best < 0 || lists[i][taken[i]].value > lists[static_cast<size_t>(best)][taken[best]].value))
        best = static_cast<int>(i);
    }
    if (best < 0)
      return out;
    out.push_back(lists[static_cast<size_t>(best)][taken[best]++]);
    if (stop && taken[best] == lists[static_cast<size_t>(best)].size())
      return out;
  }
}
}  // namespace

TEST(SortPairs) {
  for (const int32_t repeats : {1, 2, 5, 16}) {
    PairsOf<float, false>(repeats);
    PairsOf<float, true>(repeats);
    PairsOf<half, false>(repeats);
    PairsOf<half, true>(repeats);
  }
  CHECK_EQ(GetSortLen<float>(32), 64u);
  CHECK_EQ(GetSortOffset<half>(32), 128u);
}

TEST(SortMerges) {
  const uint16_t lengths[4] = {5, 64, 33, 1};
  for (uint32_t n = 2; n <= 4; n++) {
    for (const bool stop : {false, true}) {
      std::vector<std::vector<Pair>> lists;
      for (uint32_t i = 0; i < n; i++)
        lists.push_back(SortedPairs(lengths[i], 3 + i, 100 * i));
      uint32_t wanted[4];
      const std::vector<Pair> all = Merged(lists, stop, wanted);
      InBlock([&](LocalTensor<float> *t) {
        MrgSortSrcList<float> from;
        LocalTensor<float> *const place[4] = {&from.src1, &from.src2, &from.src3, &from.src4};
        for (uint32_t i = 0; i < n; i++) {
          *place[i] = t[0][i * 256];
          Put(*place[i], lists[i]);
        }
        Settle();
        const auto valid = static_cast<uint16_t>((1u << n) - 1);
        MrgSort(t[1], from, MrgSort4Info(lengths, stop, valid, 1));
        uint16_t taken[4];
        GetMrgSortResult(taken[0], taken[1], taken[2], taken[3]);
        uint32_t sorted[4];
        if (stop)
          MrgSort<float, true>(t[2], from, lengths, sorted, valid, 1);
        else
          MrgSort<float, false>(t[2], from, lengths, sorted, valid, 1);
        Settle();
        for (uint32_t i = 0; i < 4; i++) {
          CHECK_EQ(taken[i], wanted[i]);
          CHECK_EQ(sorted[i], wanted[i]);
        }
        for (uint32_t i = 0; i < all.size(); i++) {
          CHECK_EQ(t[1].GetValue(2 * i), all[i].value);
          CHECK_EQ(t[1].ReinterpretCast<uint32_t>().GetValue(2 * i + 1), all[i].number);
          CHECK_EQ(t[2].GetValue(2 * i), all[i].value);
        }
      });
    }
  }
}

// Two repeats: four lists of 32 each, one behind the other.
TEST(SortMergeRepeats) {
  const uint16_t lengths[4] = {32, 32, 32, 32};
  const std::vector<float> x = Values(256, 11);
  InBlock([&](LocalTensor<float> *t) {
    LocalTensor<uint32_t> numbers = t[1].ReinterpretCast<uint32_t>();
    Fill(t[0], x);
    Count(numbers, 256, 0);
    Settle();
    Sort32(t[2], t[0], numbers, 8);
    Settle();
    MrgSort(t[3], MrgSortSrcList<float>(t[2], t[2][64], t[2][128], t[2][192]),
            MrgSort4Info(lengths, false, 15, 2));
    Settle();
    Extract(t[0], numbers, t[3], 8);
    Settle();
    for (uint32_t half_of = 0; half_of < 2; half_of++) {
      const std::vector<uint32_t> order = Order(x.data() + half_of * 128, 128);
      for (uint32_t i = 0; i < 128; i++)
        CHECK_EQ(numbers.GetValue(half_of * 128 + i), half_of * 128 + order[i]);
    }
  });
}

TEST(SortProposals) {
  const std::vector<float> x = Values(32, 5);
  InBlock([&](LocalTensor<float> *t) {
    LocalTensor<half> scores = t[0].ReinterpretCast<half>();
    LocalTensor<half> proposals = t[1].ReinterpretCast<half>();
    LocalTensor<half> sorted = t[2].ReinterpretCast<half>();
    LocalTensor<half> out = t[3].ReinterpretCast<half>();
    Fill(scores, x);
    Duplicate(proposals, static_cast<half>(0.0f), 32 * 8);
    Duplicate(out, static_cast<half>(0.0f), 32 * 8);
    Settle();
    ProposalConcat(proposals, scores, 2, 4);
    Settle();
    RpSort16(sorted, proposals, 2);
    Settle();
    const uint16_t lengths[4] = {16, 16, 0, 0};
    MrgSort4(proposals, MrgSortSrcList<half>(sorted, sorted[128], sorted, sorted),
             MrgSort4Info(lengths, false, 3, 1));
    Settle();
    ProposalExtract(out, proposals, 2, 4);
    Settle();
    const std::vector<uint32_t> order = Order(x.data(), 32);
    for (uint32_t i = 0; i < 32; i++)
      CHECK_EQ(static_cast<float>(out.GetValue(i)), x[order[i]]);
  });
}

static constexpr SortConfig kDown = {SortType::RADIX_SORT, true};
TEST(SortValuesWithIndices) {
  for (const uint32_t n : {1u, 7u, 64u, 1000u}) {
    const std::vector<float> x = Values(n, n);
    InBlock([&](LocalTensor<float> *t) {
      LocalTensor<uint32_t> numbers = t[2].ReinterpretCast<uint32_t>();
      LocalTensor<int32_t> whole = t[3].ReinterpretCast<int32_t>();
      Fill(t[0], x);
      Fill(whole, x);
      Settle();
      Sort<float, false, kDown>(t[1], numbers, t[0], n);
      Sort(whole, whole, n);  // in place, smaller ones first
      Settle();
      const std::vector<uint32_t> down = Order(x.data(), n);
      const std::vector<uint32_t> up = Order(x.data(), n, false);
      for (uint32_t i = 0; i < n; i++) {
        CHECK_EQ(t[1].GetValue(i), x[down[i]]);
        CHECK_EQ(numbers.GetValue(i), down[i]);
        CHECK_EQ(whole.GetValue(i), static_cast<int32_t>(x[up[i]]));
      }
    });
  }
}

TEST(SortTopK) {
  constexpr int32_t kRows = 3, kInner = 64, kValid = 50, kFirst = 5;
  const std::vector<float> x = Values(kRows * kInner, 9);
  for (const bool largest : {true, false}) {
    InBlock([&](LocalTensor<float> *t) {
      LocalTensor<int32_t> indices = t[2].ReinterpretCast<int32_t>();
      LocalTensor<bool> finish = t[3].ReinterpretCast<bool>();
      Fill(t[0], x);
      for (uint32_t i = 0; i < kRows; i++)
        finish.SetValue(i, i == 1);
      Settle();
      const TopKInfo info = {kRows, kInner, kValid};
      TopK<float, false, true>(t[1], indices, t[0], indices, finish, kFirst, 0, info, largest);
      Settle();
      for (uint32_t row = 0; row < kRows; row++) {
        const std::vector<uint32_t> order = Order(x.data() + row * kInner, kValid, largest);
        for (uint32_t i = 0; i < kFirst; i++) {
          CHECK_EQ(t[1].GetValue(row * 8 + i), x[row * kInner + order[i]]);
          CHECK_EQ(indices.GetValue(row * 8 + i), row == 1 ? kValid : static_cast<int32_t>(order[i]));
        }
      }
    });
  }
}

TEST(SortNanAndZeros) {
  InBlock([&](LocalTensor<float> *t) {
    const float x[5] = {0.0f, -0.0f, NAN, INFINITY, -INFINITY};
    LocalTensor<uint32_t> numbers = t[2].ReinterpretCast<uint32_t>();
    for (uint32_t i = 0; i < 5; i++)
      t[0].SetValue(i, x[i]);
    Settle();
    Sort<float, false, kDown>(t[1], numbers, t[0], 5);
    Settle();
    const uint32_t order[5] = {2, 3, 0, 1, 4};
    for (uint32_t i = 0; i < 5; i++)
      CHECK_EQ(numbers.GetValue(i), order[i]);
  });
}

// What would be wrong on the chip ends the launch with a text.
TEST(SortRefuses) {
  static uint16_t lengths[4] = {4, 4, 4, 4};
  void (*kernel)() = [] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> b;
    pipe.InitBuffer(b, 4096);
    LocalTensor<float> t = b.Get<float>();
    MrgSort(t, MrgSortSrcList<float>(t, t, t, t), MrgSort4Info(lengths, true, 15, 2));
  };
  CHECK(weft_asc::call("sort", __FILE__, __LINE__, kernel, 1, nullptr, nullptr)() != 0);
  CHECK(strstr(weft_asc_error(), "2 repeats take four lists of one length"));
}
// SPDX-License-Identifier: Apache-2.0
