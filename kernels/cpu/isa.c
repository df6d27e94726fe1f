// isa.c - asks the processor. Elsewhere than on x86 the plain files run, which the compiler vectorises for
// the machine's base instruction set.
#include "cpu/isa.h"
#include "device/device.h"

#include <stdlib.h>

#if defined(__aarch64__)
#define BASE "neon"  // the plain files, in its vectors
#else
#define BASE "plain"
#endif
static const char *const names[WEFT__ISA_COUNT] = {BASE, "avx2", "avx512"};

#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
#include <cpuid.h>
static bool has_f16c(void) {  // not every compiler's __builtin_cpu_supports knows the name
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c >> 29 & 1);
}
#endif
#if defined(WEFT_KERNELS_VNNI)
static bool has_avx_vnni(void) {  // compilers of today do not know the name everywhere
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a >> 4 & 1);
}
#endif

static int found(void) {
#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !has_f16c())
    return WEFT__ISA_PLAIN;
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

bool weft__cpu_vnni(int isa) {
  const char *wish = getenv("WEFT_VNNI");
  if (wish && *wish == '0') return false;
#if defined(WEFT_KERNELS_VNNI)
  if (isa == WEFT__ISA_AVX512) return __builtin_cpu_supports("avx512vnni") != 0;
  if (isa == WEFT__ISA_AVX2) return has_avx_vnni();
#endif
  (void)isa;
  return false;
}

bool weft__cpu_bf16(int isa) {
  const char *wish = getenv("WEFT_BF16");
  if (wish && *wish == '0') return false;
#if defined(WEFT_KERNELS_BF16)
  unsigned a, b, c, d;
  if (isa == WEFT__ISA_AVX512) return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a >> 5 & 1);
#endif
  (void)isa;
  return false;
}

bool weft__cpu_bf16_always(void) {
  const char *wish = getenv("WEFT_BF16");
  return wish && *wish && wish[1] == '!';
}

const char *weft__cpu_isa_name(int isa) {
  return isa >= 0 && isa < WEFT__ISA_COUNT ? names[isa] : "?";
}

const char *weft__cpu_layouts(void) {
  static const char *const texts[WEFT__ISA_COUNT][2] = {
      [WEFT__ISA_PLAIN] = {"plain, layouts 2", "plain, layouts 2"},
      [WEFT__ISA_AVX2] = {"avx2, layouts 2", "avx2 vnni, layouts 2"},
      [WEFT__ISA_AVX512] = {"avx512, layouts 2", "avx512 vnni, layouts 2"}};
  int isa = weft__cpu_isa();
  const char *text = texts[isa][weft__cpu_vnni(isa)];
  return text ? text : weft__cpu_isa_name(isa);
}
