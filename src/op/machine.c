// machine.c - see machine.h.
#include "op/machine.h"

#include <limits.h>
#include <stdlib.h>

#define KNOWN "plain, neon, avx2, avx512 or amx-emulated, and behind it ,vnni=0, ,vnni=1 or ,bf16=0"

// One word of the text: a set, or what is left out of it.
static bool take_isa(struct weft_machine *m, const char *word, size_t n) {
  static const char *const names[] = {"plain", "neon", "avx2", "avx512", "amx-emulated"};
  for (size_t i = 0; i < WEFT_COUNT(names); i++) {
    if (strlen(names[i]) != n || memcmp(names[i], word, n))
      continue;
    m->isa = names[i];
    return true;
  }
  return false;
}

static bool take_vnni(struct weft_machine *m, const char *word, size_t n) {
  if (n != 1 || *word < '0' || *word > '2')
    return false;
  m->most_bytes = *word - '0';
  return true;
}

// "0", "1", and with "!" behind them kernels of bf16 wherever they may.
static bool take_bf16(struct weft_machine *m, const char *word, size_t n) {
  if (n < 1 || n > 2 || *word < '0' || *word > '1')
    return false;
  if (n == 2 && word[1] != '!')
    return false;
  m->no_bf16 = *word == '0';
  m->bf16_always = n == 2;
  return true;
}

static const struct {
  const char *variable;
  const char *key;
  bool (*take)(struct weft_machine *m, const char *word, size_t n);
} parts[] = {
    {"WEFT_ISA", "", take_isa}, {"WEFT_VNNI", "vnni=", take_vnni}, {"WEFT_BF16", "bf16=", take_bf16}};

static bool machine_take(struct weft_machine *m, const char *word, size_t n) {
  for (size_t i = 0; i < WEFT_COUNT(parts); i++) {
    size_t key = strlen(parts[i].key);
    if (n >= key && !memcmp(word, parts[i].key, key) && parts[i].take(m, word + key, n - key))
      return true;
  }
  return false;
}

static void read_variables(struct weft_machine *m) {
  for (size_t i = 0; i < WEFT_COUNT(parts); i++) {
    const char *v = getenv(parts[i].variable);
    if (v)
      (void)parts[i].take(m, v, strlen(v));
  }
}

weft_status weft__machine_read(const char *text, struct weft_machine *out, weft_diag *d) {
  *out = (struct weft_machine){.most_bytes = INT_MAX};
  if (!text)
    read_variables(out);
  for (const char *at = text; at && *at;) {
    size_t n = strcspn(at, ",");
    if (!machine_take(out, at, n)) {
      return weft_fail(d, WEFT_E_INVALID, "instruction set '%s': '%.*s' is not known; it is " KNOWN, text,
                       (int)WEFT_MIN(n, 60), at);
    }
    at += n + (at[n] == ',');
  }
  return WEFT_OK;
}

const char *weft__machine_strange(char *buf, size_t cap) {
  struct weft_machine m;
  for (size_t i = 0; i < WEFT_COUNT(parts); i++) {
    const char *v = getenv(parts[i].variable);
    if (!v || !*v || parts[i].take(&m, v, strlen(v)))
      continue;
    snprintf(buf, cap, "%s=%s", parts[i].variable, v);
    return buf;
  }
  return NULL;
}
// SPDX-License-Identifier: Apache-2.0
