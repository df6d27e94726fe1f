// weft_cann/soc.h - the processors that tiling functions are asked about by name: a table of weft's.
// Documented: the names and numbers of NpuArch. Weft's assumption, after product figures in public: every
// number of the table (a generation has products with more and with fewer cores), the workspaces of
// libraries, and all of "npusim" and "cpu", which are weft's own devices.
#pragma once
#include <cctype>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

enum class NpuArch : uint32_t {
  DAV_1001 = 1001,
  DAV_1002 = 1002,
  DAV_1003 = 1003,
  DAV_1004 = 1004,
  DAV_1999 = 1999,
  DAV_2002 = 2002,
  DAV_2003 = 2003,
  DAV_2004 = 2004,
  DAV_2006 = 2006,
  DAV_2102 = 2102,
  DAV_2103 = 2103,
  DAV_2104 = 2104,
  DAV_2201 = 2201,
  DAV_3002 = 3002,
  DAV_3003 = 3003,
  DAV_3004 = 3004,
  DAV_3102 = 3102,
  DAV_3103 = 3103,
  DAV_3113 = 3113,
  DAV_3502 = 3502,
  DAV_3505 = 3505,
  DAV_3510 = 3510,
  DAV_3801 = 3801,
  DAV_5101 = 5101,
  DAV_5102 = 5102,
  DAV_5161 = 5161,
  DAV_9201 = 9201,
  DAV_9202 = 9202,
  DAV_9301 = 9301,
  DAV_RESV = 65535
};

namespace weft_cann {
constexpr uint64_t kKiB = 1024;
constexpr uint64_t kMiB = 1024 * kKiB;

// A processor. Vector cores beside the others are `split`; otherwise a core does both kinds of work.
struct Soc {
  const char *name;  // as AddConfig has it
  const char *short_name;
  NpuArch arch;
  uint32_t cube_cores;
  uint32_t vector_cores;
  bool split;
  uint64_t ub;
  uint64_t l1;
  uint64_t l0_a;
  uint64_t l0_b;
  uint64_t l0_c;
  uint64_t l2;
  uint64_t memory;
  uint64_t library_workspace;
};

inline const std::vector<Soc> &Socs() {
  static const std::vector<Soc> socs = {
      {"ascend310", "Ascend310", NpuArch::DAV_RESV, 2, 2, false, 256 * kKiB, kMiB, 64 * kKiB, 64 * kKiB,
       256 * kKiB, 8 * kMiB, 8 * kKiB * kMiB, 2 * kMiB},
      {"ascend310b", "Ascend310B", NpuArch::DAV_3002, 1, 1, false, 256 * kKiB, kMiB, 64 * kKiB, 64 * kKiB,
       128 * kKiB, 4 * kMiB, 8 * kKiB * kMiB, 2 * kMiB},
      {"ascend310p", "Ascend310P", NpuArch::DAV_2002, 8, 8, false, 256 * kKiB, kMiB, 64 * kKiB, 64 * kKiB,
       256 * kKiB, 16 * kMiB, 24 * kKiB * kMiB, 2 * kMiB},
      {"ascend910", "Ascend910", NpuArch::DAV_1001, 32, 32, false, 256 * kKiB, kMiB, 64 * kKiB, 64 * kKiB,
       256 * kKiB, 32 * kMiB, 32 * kKiB * kMiB, 2 * kMiB},
      {"ascend910b", "Ascend910B", NpuArch::DAV_2201, 24, 48, true, 192 * kKiB, 512 * kKiB, 64 * kKiB,
       64 * kKiB, 128 * kKiB, 192 * kMiB, 64 * kKiB * kMiB, 16 * kMiB},
      {"ascend910_93", "Ascend910_93", NpuArch::DAV_2201, 24, 48, true, 192 * kKiB, 512 * kKiB, 64 * kKiB,
       64 * kKiB, 128 * kKiB, 192 * kMiB, 64 * kKiB * kMiB, 16 * kMiB},
      {"ascend950", "Ascend950", NpuArch::DAV_3510, 32, 64, true, 248 * kKiB, 512 * kKiB, 64 * kKiB,
       64 * kKiB, 256 * kKiB, 128 * kMiB, 128 * kKiB * kMiB, 16 * kMiB},
      {"npusim", "npusim", NpuArch::DAV_RESV, 8, 8, false, 256 * kKiB, kMiB, 64 * kKiB, 64 * kKiB, 256 * kKiB,
       16 * kMiB, kKiB * kMiB, 0},
      {"cpu", "cpu", NpuArch::DAV_RESV, 1, 1, false, 256 * kKiB, kMiB, 64 * kKiB, 64 * kKiB, 256 * kKiB,
       32 * kMiB, 16 * kKiB * kMiB, 0},
  };
  return socs;
}

// Upper and lower case are alike, and products are found by what their name begins with: Ascend910B3 is an
// ascend910b. nullptr: none is called so.
inline const Soc *FindSoc(const std::string &name) {
  std::string low;
  for (char c : name)
    low += static_cast<char>(tolower(static_cast<unsigned char>(c)));
  if (low.compare(0, 12, "ascend910_95") == 0)
    low = "ascend950";
  const Soc *best = nullptr;
  for (const Soc &soc : Socs()) {
    const size_t n = strlen(soc.name);
    const bool named = low.compare(0, n, soc.name) == 0;
    const bool product = named && (low.size() == n || low[n] != '0');
    if (product && (!best || n > strlen(best->name)))
      best = &soc;
  }
  return best;
}
}  // namespace weft_cann
// SPDX-License-Identifier: Apache-2.0
