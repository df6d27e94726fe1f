// precision.c - see precision.h; docs/precision.md says what each mode does and how far its results may be
// off.
#include "op/precision.h"

#include "weft/op.h"

typedef struct mode {
  const char *name;
  uint32_t precision;
} mode;
static const mode modes[] = {{"must_keep_origin_dtype", WEFT_PRECISION_ORIGIN},
                             {"force_fp32", WEFT_PRECISION_ORIGIN},
                             {"allow_hf32", WEFT_PRECISION_HF32},
                             {"allow_fp32_to_bf16", WEFT_PRECISION_BF16},
                             {"allow_mix_precision", WEFT_PRECISION_BF16},
                             {"allow_mix_precision_bf16", WEFT_PRECISION_BF16}};

const char *weft__precision_name(const char *option) {
  static const char prefix[] = "precision_mode=";
  return strncmp(option, prefix, sizeof prefix - 1) ? NULL : option + sizeof prefix - 1;
}

weft_status weft__precision_read(const char *name, uint32_t *out, weft_diag *d) {
  for (size_t i = 0; i < WEFT_COUNT(modes); i++) {
    if (!strcmp(modes[i].name, name))
      return *out = modes[i].precision, WEFT_OK;
  }
  char text[256];
  size_t at = 0;
  for (size_t i = 0; i < WEFT_COUNT(modes); i++)
    weft__append(text, sizeof text, &at, "%s%s", i ? ", " : "", modes[i].name);
  return weft_fail(d, WEFT_E_INVALID, "option 'precision_mode': expected one of %s, got '%s'", text, name);
}
// SPDX-License-Identifier: Apache-2.0
