// weft_cann/asc_random.h - PhiloxRandom: Philox4x32, a counter-based generator (Salmon et al., Parallel
// random numbers: as easy as 1, 2, 3). Number 4 i + j is word j of what the counter `i` steps on gives.
#pragma once
#include <array>

#include "weft_cann/asc_vector.h"

namespace AscendC {
using PhiloxKey = std::array<uint32_t, 2>;
using PhiloxCounter = std::array<uint32_t, 4>;  // the lowest word first
}  // namespace AscendC

namespace weft_asc {
inline AscendC::PhiloxCounter Philox(AscendC::PhiloxCounter c, AscendC::PhiloxKey k, uint32_t rounds) {
  for (uint32_t i = 0; i < rounds; i++) {
    const uint64_t a = uint64_t{0xD2511F53u} * c[0];
    const uint64_t b = uint64_t{0xCD9E8D57u} * c[2];
    c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ k[0], static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ c[3] ^ k[1], static_cast<uint32_t>(a)};
    k[0] += 0x9E3779B9u;
    k[1] += 0xBB67AE85u;
  }
  return c;
}
inline void PhiloxStep(AscendC::PhiloxCounter &c) {
  for (uint32_t &word : c) {
    if (++word)
      return;
  }
}
// 32 bits as they are; a float: the upper 24 bits as a fraction of [0, 1).
template <typename T>
T PhiloxValue(uint32_t bits) {
  if constexpr (sizeof(T) == sizeof(float) && !std::is_integral_v<T>)
    return static_cast<T>(bits >> 8) * static_cast<T>(0x1p-24);
  else
    return static_cast<T>(bits);
}
}  // namespace weft_asc

namespace AscendC {
template <uint16_t Rounds = 7, typename T>
void PhiloxRandom(const LocalTensor<T> &dstLocal, const PhiloxKey &philoxKey,
                  const PhiloxCounter &philoxCounter, uint16_t count, weft_asc_at at = weft_asc::Here()) {
  static_assert(sizeof(T) == 4, "PhiloxRandom fills a tensor of uint32_t, int32_t or float");
  PhiloxCounter counter = philoxCounter;
  Duplicate(dstLocal, T(), static_cast<int32_t>(count), at);
  for (uint32_t i = 0; i < count; i += 4) {
    const PhiloxCounter bits = weft_asc::Philox(counter, philoxKey, Rounds);
    for (uint32_t j = 0; j < 4 && i + j < count; j++)
      dstLocal.Data()[i + j] = weft_asc::PhiloxValue<T>(bits[j]);
    weft_asc::PhiloxStep(counter);
  }
}
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
