// isa.c - asks the processor. Elsewhere than on x86 the plain files run, which the compiler vectorises for
// the machine's base instruction set.
#include "cpu/isa.h"

#include <stdlib.h>

static const char *const names[WEFT__ISA_COUNT] = {"plain", "avx2", "avx512"};

static int found(void) {
#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return WEFT__ISA_PLAIN;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
    return WEFT__ISA_AVX2;
  return WEFT__ISA_AVX512;
#else
  return WEFT__ISA_PLAIN;
#endif
}

int weft__cpu_isa(void) {
  const char *wish = getenv("WEFT_ISA");
  int isa = found();
  for (int i = 0; wish && i < isa; i++)
    if (!strcmp(wish, names[i])) isa = i;
  return isa;
}

const char *weft__cpu_isa_name(int isa) {
  return isa >= 0 && isa < WEFT__ISA_COUNT ? names[isa] : "?";
}
