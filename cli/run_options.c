// run_options.c - options that `weft run` and `weft bisect` share: where inputs come from, how near is near
// enough.
#include "run.h"

bool run_number(const char *text, double *out) {
  char *end;
  *out = strtod(text, &end);
  return *text && !*end && *out >= 0;
}

bool run_count(const char *text, uint64_t *out) {
  double x;
  if (!run_number(text, &x) || x >= 9e15)
    return false;
  *out = (uint64_t)x;
  return true;
}

bool run_named(named *list, size_t *n, size_t cap, const char *text) {
  const char *eq = strchr(text, '=');
  if (!eq || eq == text || *n == cap)
    return false;
  list[(*n)++] = (named){text, eq + 1, (size_t)(eq - text)};
  return true;
}

int run_take_input(void *ctx, const char *usage, const char *v) {
  job *j = ctx;
  if (run_named(j->inputs, &j->n_inputs, 256, v))
    return EXIT_OK;
  return usage_error(usage, "--input '%s': expected NAME=VALUE", v);
}

int run_take_archive(void *ctx, const char *usage, const char *v) {
  job *j = ctx;
  if (j->n_archives == 16)
    return usage_error(usage, "more than 16 --inputs options");
  j->archives[j->n_archives++] = v;
  return EXIT_OK;
}

int run_take_random(void *ctx, const char *usage, const char *v) {
  job *j = ctx;
  j->random = run_count(v, &j->seed);
  return j->random ? EXIT_OK : usage_error(usage, "--random '%s': expected a number", v);
}

int run_take_rtol(void *ctx, const char *usage, const char *v) {
  job *j = ctx;
  return run_number(v, &j->rtol) ? EXIT_OK : usage_error(usage, "--rtol '%s': expected a number", v);
}

int run_take_atol(void *ctx, const char *usage, const char *v) {
  job *j = ctx;
  return run_number(v, &j->atol) ? EXIT_OK : usage_error(usage, "--atol '%s': expected a number", v);
}
// SPDX-License-Identifier: Apache-2.0
