// choose.c - which kernel runs a node: of those that do not refuse, the one of least cost; the first among
// equals.
#include "device/device.h"

#include "op/package.h"

enum { CANDIDATES = 32 };

static void add(const weft_kernel *k, const char *op, const char *device, const weft_kernel **out,
                uint32_t cap, uint32_t *n) {
  if (!k || !k->op || !k->device || strcmp(k->op, op) || strcmp(k->device, device)) return;
  if (*n < cap) out[*n] = k;
  ++*n;
}

static uint32_t first_builtin(const char *op) {
  uint32_t lo = 0, hi = weft__cpu_kernel_count;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (strcmp(weft__cpu_kernels[mid]->op, op) < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

uint32_t weft__kernels_find(const weft_env *e, const char *op, const char *device, const weft_kernel **out,
                            uint32_t cap) {
  uint32_t n = 0;
  for (size_t p = 0; p < e->packages.n; p++) {
    size_t count;
    const weft_section *s = weft__package_section(e, p, WEFT_SECTION_KERNEL, &count);
    for (size_t i = 0; s && i < count; i++)
      add(s->stride ? (const weft_kernel *)((const char *)s->items + i * s->stride)
                    : ((const weft_kernel *const *)s->items)[i],
          op, device, out, cap, &n);
  }
  for (uint32_t i = first_builtin(op); i < weft__cpu_kernel_count && !strcmp(weft__cpu_kernels[i]->op, op);
       i++)
    add(weft__cpu_kernels[i], op, device, out, cap, &n);
  return n < cap ? n : cap;
}

void weft__kernel_choose(const weft_env *e, const weft_tiling *t, const char *device, weft__choice *out) {
  const weft_kernel *list[CANDIDATES];
  uint32_t n = weft__kernels_find(e, t->desc->type, device, list, CANDIDATES);
  double best = 0;
  size_t at = 0;
  out->kernel = NULL, out->why[0] = 0;
  for (uint32_t i = 0; i < n; i++) {
    const char *no = list[i]->refuse ? list[i]->refuse(t) : NULL;
    if (no) {
      weft__append(out->why, sizeof out->why, &at, "%s%s: %s", at ? "; " : "", list[i]->name, no);
      continue;
    }
    double cost = list[i]->cost_ns ? list[i]->cost_ns(t) : 0;
    if (out->kernel && cost >= best) continue;
    out->kernel = list[i], best = cost;
  }
}
