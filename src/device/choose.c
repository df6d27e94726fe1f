// choose.c - which kernel runs a node: of those that do not refuse, the one of least cost; the first among
// equals. A region of one operator in packed formats is offered to that operator's own kernels, too: so a
// package brings kernels for NC1HWC0 without knowing about regions.
#include "device/device.h"

#include "op/infer_node.h"
#include "op/package.h"

enum { CANDIDATES = 64 };

static void add(const weft_kernel *k, const char *op, const char *device, const weft_kernel **out,
                uint32_t cap, uint32_t *n) {
  if (!k || !k->op || !k->device || strcmp(k->op, op) || strcmp(k->device, device)) return;
  if (*n < cap) out[*n] = k;
  ++*n;
}

typedef struct table {
  const char *device;
  const weft_kernel *const *kernel;
  const unsigned *n;
} table;
static const table builtin[] = {{"cpu", weft__cpu_kernels, &weft__cpu_kernel_count},
                                {"npusim", weft__npusim_kernels, &weft__npusim_kernel_count}};

static uint32_t first_builtin(const table *t, const char *op) {
  uint32_t lo = 0, hi = *t->n;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (strcmp(t->kernel[mid]->op, op) < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

uint32_t weft__kernels_find(const weft_env *e, const char *op, const char *device, const weft_kernel **out,
                            uint32_t cap) {
  uint32_t n = 0;
  for (size_t i = 0; i < e->kernels.n; i++) add(e->kernels.v[i], op, device, out, cap, &n);
  for (size_t p = 0; p < e->packages.n; p++) {
    size_t count;
    const weft_section *s = weft__package_section(e, p, WEFT_SECTION_KERNEL, &count);
    for (size_t i = 0; s && i < count; i++)
      add(s->stride ? (const weft_kernel *)((const char *)s->items + i * s->stride)
                    : ((const weft_kernel *const *)s->items)[i],
          op, device, out, cap, &n);
  }
  const weft_proto *p = weft_find(e, op);
  bool ours =
      p &&
      p->source == WEFT_FROM_BUILTIN;  // weft's kernels are for weft's operators, not for one of their name
  for (size_t k = 0; ours && k < WEFT_COUNT(builtin); k++) {
    const table *t = &builtin[k];
    if (strcmp(t->device, device)) continue;
    for (uint32_t i = first_builtin(t, op); i < *t->n && !strcmp(t->kernel[i]->op, op); i++)
      add(t->kernel[i], op, device, out, cap, &n);
  }
  return n < cap ? n : cap;
}

static bool any_packed(const weft_tiling *t) {
  for (uint32_t i = 0; t->in_format && i < t->n_in; i++)
    if (weft__format_packed(t->in_format[i])) return true;
  for (uint32_t i = 0; t->out_format && i < t->n_out; i++)
    if (weft__format_packed(t->out_format[i])) return true;
  return false;
}

// Why a kernel does not take a node; NULL: it does.
static const char *refusal(const weft_kernel *k, const weft_tiling *t) {
  const char *wanted = t->desc->op->kernel;
  if (wanted && (!k->name || strcmp(k->name, wanted))) return "is not the kernel that the operator names";
  if (!k->run) return "has no function for a block";
  if (!weft__kernel_tile(k, t->desc)) return "has no tiling function";
  return k->refuse ? k->refuse(t) : NULL;
}

// The operator that is alone in a region and takes its inputs as they come; NULL: there are more.
static const weft_op_desc *alone(const weft_tiling *t) {
  const weft_region *r = t->region;
  if (!r || r->n_nodes != 1 || r->n_out != 1 || r->node[0].desc->n_in != t->n_in) return NULL;
  for (uint32_t i = 0; i < t->n_in; i++)
    if (r->node[0].in[i] != -1 - (int32_t)i) return NULL;
  return r->node[0].desc;
}

// Those of one operator, asked about t. `told`: only why they refuse.
static void offer(const weft_env *e, const weft_tiling *t, const char *device, size_t *told,
                  weft__choice *out) {
  const weft_kernel *list[CANDIDATES];
  uint32_t n = weft__kernels_find(e, t->desc->type, device, list, CANDIDATES);
  bool packed = any_packed(t);
  if (!told) out->n_tried += n;
  for (uint32_t i = 0; i < n; i++) {
    if (packed && !(list[i]->flags & WEFT_KERNEL_PACKED)) continue;  // it takes plain formats alone
    const char *no = refusal(list[i], t);
    if (told)
      weft__append(out->why, sizeof out->why, told, "%s%s: %s", *told ? "; " : "",
                   list[i]->name ? list[i]->name : "?", no ? no : "takes it");
    if (told || no) continue;
    double cost = list[i]->cost_ns ? list[i]->cost_ns(t) : 0;
    if (out->kernel && cost >= out->cost_ns) continue;
    out->kernel = list[i], out->cost_ns = cost, out->desc = t->desc;
  }
}

bool weft__op_names_device(const weft_op *op, const char *device) {
  for (const char *const *t = op->targets; t && *t; t++)
    if (!strcmp(*t, device)) return true;
  return false;
}

void weft__kernel_choose(const weft_env *e, const weft_tiling *t, const char *device, weft__choice *out) {
  const weft_op_desc *one = any_packed(t) ? alone(t) : NULL;
  weft_tiling inner = *t;
  size_t told = 0;
  if (one) inner.desc = one, inner.region = NULL;
  *out = (weft__choice){.n_tried = 0};
  offer(e, t, device, NULL, out);
  if (one) offer(e, &inner, device, NULL, out);
  if (out->kernel) return;
  offer(e, t, device, &told, out);  // the texts, now that they are needed
  if (one) offer(e, &inner, device, &told, out);
}
