// isa_util.c - see isa_util.h.
#include "isa_util.h"

#include <stdlib.h>

#include "base/base.h"
#include "cpu/simd/isa.h"
#include "op/proto.h"

#if defined(WEFT_AVX512_EMULATED)
static const char emulated[] = "";  // a build for AVX-512 alone: others run the rest
#elif defined(__x86_64__)
static const char emulated[] = "amx-emulated";  // in plain C
#else
static const char emulated[] = "";  // its tiles are x86's
#endif

const weft_host *asked_host(void) {
  static struct weft_machine machine;
  static const weft_host host = {.size = sizeof host, .machine = &machine};
  (void)weft__machine_read(NULL, &machine, NULL);
  return &host;
}

void isa_again(weft_env *e) {
  (void)weft__machine_read(NULL, &e->machine, NULL);
}

bool lower_isa(const char *isa) {
  setenv("WEFT_ISA", isa, 1);
  if (!strcmp(isa, "plain") || !strcmp(isa, emulated))
    return true;
  if (!strcmp(isa, weft__cpu_isa_name(weft__cpu_isa(asked_host()))))
    return true;
  unsetenv("WEFT_ISA");
  return false;
}
// SPDX-License-Identifier: Apache-2.0
