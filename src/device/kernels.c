// kernels.c - the kernels there are: the program's, those of packages, and weft's own, whose tables the build
// makes of the files in kernels/ (tools/gen_kernel_table.py).
#include "device/device.h"

#include "op/package.h"
#include "weft/kernels.h"

// ---- weft's own ----
typedef struct own_table {
  const char *device;
  const weft_kernel *const *kernel;
  const unsigned *n;
  const char *(*layouts)(const weft_host *host);  // NULL: nothing is packed for it
} own_table;
static const own_table own_tables[] = {{"cpu", weft__cpu_kernels, &weft__cpu_kernel_count, weft__cpu_layouts},
                                       {"npusim", weft__npusim_kernels, &weft__npusim_kernel_count, NULL}};

static const own_table *own_table_of(const char *device) {
  for (size_t i = 0; i < WEFT_COUNT(own_tables); i++) {
    if (!strcmp(own_tables[i].device, device))
      return &own_tables[i];
  }
  return NULL;
}

// The first of an operator, or where it would stand.
static uint32_t first_of(const own_table *t, const char *op) {
  uint32_t low = 0;
  uint32_t high = *t->n;
  while (low < high) {
    uint32_t mid = low + (high - low) / 2;
    if (strcmp(t->kernel[mid]->op, op) < 0)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

const weft_kernel *weft__kernel_own(const char *device, const char *op, const char *name) {
  const own_table *t = own_table_of(device);
  if (!t)
    return NULL;
  for (uint32_t i = first_of(t, op); i < *t->n && !strcmp(t->kernel[i]->op, op); i++) {
    if (!strcmp(t->kernel[i]->name, name))
      return t->kernel[i];
  }
  return NULL;
}

bool weft__kernel_is_own(const weft_kernel *k) {
  const own_table *t = own_table_of(k->device);
  if (!t)
    return false;
  for (uint32_t i = first_of(t, k->op); i < *t->n && !strcmp(t->kernel[i]->op, k->op); i++) {
    if (t->kernel[i] == k)
      return true;
  }
  return false;
}

const char *weft__kernel_layouts(const weft_env *e, const char *device) {
  const own_table *t = own_table_of(device);
  return t && t->layouts ? t->layouts(weft_env_host(e)) : "";
}

// ---- all of them ----
static void kernels_take(const weft_kernel *k, const char *op, const char *device, weft__kernel_fn fn,
                         void *ctx) {
  if (!k || !k->op || !k->device)
    return;
  if (!strcmp(k->op, op) && (!device || !strcmp(k->device, device)))
    fn(ctx, k);
}

static const weft_kernel *package_kernel(const weft_section *s, size_t i) {
  return s->stride ? (const weft_kernel *)((const char *)s->items + i * s->stride)
                   : ((const weft_kernel *const *)s->items)[i];
}

static void each_of_package(const weft_env *e, size_t package, const char *op, const char *device,
                            weft__kernel_fn fn, void *ctx) {
  size_t n;
  const weft_section *s = weft__package_section(e, package, WEFT_SECTION_KERNEL, &n);
  for (size_t i = 0; s && i < n; i++)
    kernels_take(package_kernel(s, i), op, device, fn, ctx);
}

void weft__kernels_each(const weft_env *e, const char *op, const char *device, weft__kernel_fn fn,
                        void *ctx) {
  for (size_t i = 0; i < e->kernels.n; i++)
    kernels_take(e->kernels.v[i], op, device, fn, ctx);
  for (size_t i = 0; i < e->packages.n; i++)
    each_of_package(e, i, op, device, fn, ctx);
  const weft_proto *p = weft_find(e, op);
  if (!p || p->source != WEFT_FROM_BUILTIN)
    return;  // weft's kernels are for weft's operators alone
  for (size_t k = 0; k < WEFT_COUNT(own_tables); k++) {
    const own_table *t = &own_tables[k];
    if (device && strcmp(t->device, device))
      continue;
    for (uint32_t i = first_of(t, op); i < *t->n && !strcmp(t->kernel[i]->op, op); i++)
      fn(ctx, t->kernel[i]);
  }
}

typedef struct kernel_list {
  const weft_kernel **out;
  uint32_t cap, n;
} kernel_list;

static void list_one(void *ctx, const weft_kernel *k) {
  kernel_list *l = ctx;
  if (l->n < l->cap)
    l->out[l->n] = k;
  l->n++;
}

uint32_t weft__kernels_find(const weft_env *e, const char *op, const char *device, const weft_kernel **out,
                            uint32_t cap) {
  kernel_list l = {out, cap, 0};
  weft__kernels_each(e, op, device, list_one, &l);
  return l.n;
}

// ---- for looking ----
typedef struct kernel_nth {
  const weft_kernel *found;
  size_t left;
} kernel_nth;

static void kernel_count_down(void *ctx, const weft_kernel *k) {
  kernel_nth *n = ctx;
  if (!n->found && !n->left--)
    n->found = k;
}

const weft_kernel *weft_kernel_at(const weft_env *e, const char *op, const char *device, size_t i) {
  kernel_nth n = {NULL, i};
  if (e && op)
    weft__kernels_each(e, op, device, kernel_count_down, &n);
  return n.found;
}

static bool package_has(const weft_env *e, size_t package, const weft_kernel *k) {
  size_t n;
  const weft_section *s = weft__package_section(e, package, WEFT_SECTION_KERNEL, &n);
  for (size_t i = 0; s && i < n; i++) {
    if (package_kernel(s, i) == k)
      return true;
  }
  return false;
}

const char *weft_kernel_origin(const weft_env *e, const weft_kernel *k) {
  if (!e || !k)
    return NULL;
  for (size_t i = 0; i < e->kernels.n; i++) {
    if (e->kernels.v[i] == k)
      return "program";
  }
  for (size_t i = 0; i < e->packages.n; i++) {
    if (package_has(e, i, k))
      return weft_package_at(e, i).path;
  }
  return k->op && k->device && k->name && weft__kernel_is_own(k) ? "built-in" : NULL;
}
// SPDX-License-Identifier: Apache-2.0
