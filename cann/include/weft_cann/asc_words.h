// weft_cann/asc_words.h - what tiling functions and kernels name alike, so that one file may be both.
#pragma once
#include <cstdint>

namespace AscendC {
enum class DataFormat : uint8_t {
  ND = 0,
  NZ = 1,
  NCHW = 2,
  NC1HWC0 = 3,
  NHWC = 4,
  NCDHW = 5,
  NDC1HWC0 = 6,
  FRACTAL_Z_3D = 7
};
constexpr uint32_t ONE_BLK_SIZE = 32;  // bytes
constexpr uint32_t ONE_BLOCK_SIZE = 32;
constexpr uint32_t BLOCK_CUBE = 16;  // elements
enum class ReducePattern : uint32_t {
  AR = 0,
  RA = 1,
  R = 2,
  ARA = 3,
  ARAR = 4,
  ARARA = 5,
  ARARAR = 6,
  ARARARA = 7,
  ARARARAR = 8,
  ARARARARA = 9,
  RAR = 10,
  RARA = 11,
  RARAR = 12,
  RARARA = 13,
  RARARAR = 14,
  RARARARA = 15,
};
enum class SortType { RADIX_SORT = 0, MERGE_SORT = 1 };
struct SortConfig {
  SortType type = SortType::RADIX_SORT;
  bool isDescend = false;
  bool hasSrcIndex = false;
  bool hasDstIndex = false;
};
enum class TopKAlgo { RADIX_SELECT = 0, MERGE_SORT = 1 };
enum class TopKMode { TOPK_NORMAL = 0, TOPK_NSMALL = 1 };
enum class TopKOrder { UNSET = 0, LARGEST = 1, SMALLEST = 2 };
struct TopKConfig {
  TopKAlgo algo = TopKAlgo::MERGE_SORT;
  TopKOrder order = TopKOrder::UNSET;
  bool sorted = true;
};
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
