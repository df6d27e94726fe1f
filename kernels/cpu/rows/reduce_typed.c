// reduce_typed.c - ReduceSum, Mean, Prod, Max and Min of double and of integers of 32 and 64 bits, which
// wrap, EuclideanNorm of double, Max and Min of bytes and booleans, ReduceAny and ReduceAll of booleans. Sums
// of doubles are made in an order that depends on the shape alone; the mean of 32-bit integers is that of a
// sum of 64 bits.
#include <math.h>

#include "cpu/rows/reduce_axes.h"
#include "cpu/simd/vector_math.h"

typedef struct plan {
  weft__reduce r;
  const weft__fold *fold;
  uint8_t type, elem, acc;  // WEFT__FOLD_*; bytes of a number, of what is collected
  bool mean, root, flags;   // flags: y is whether what was collected is not 0
  uint64_t none;            // what is collected of nothing, in the type
} plan;

static int reduce_typed_type_of(weft_dtype t) {
  switch (t) {
    case WEFT_DOUBLE:
      return WEFT__FOLD_F64;
    case WEFT_INT32:
      return WEFT__FOLD_I32;
    case WEFT_UINT32:
      return WEFT__FOLD_U32;
    case WEFT_INT64:
      return WEFT__FOLD_I64;
    case WEFT_UINT64:
      return WEFT__FOLD_U64;
    case WEFT_INT8:
      return WEFT__FOLD_I8;
    case WEFT_UINT8:
    case WEFT_BOOL:
      return WEFT__FOLD_U8;
    default:
      return -1;
  }
}

static const struct {
  const char *op;
  int fold;
  bool mean;
  bool root;
  bool flags;
} operators[] = {{"EuclideanNorm", WEFT__FOLD_SQUARES, .root = true},
                 {"ReduceAll", WEFT__FOLD_MIN, .flags = true},
                 {"ReduceAny", WEFT__FOLD_MAX, .flags = true},
                 {"ReduceMax", WEFT__FOLD_MAX},
                 {"ReduceMean", WEFT__FOLD_WIDE, .mean = true},
                 {"ReduceMin", WEFT__FOLD_MIN},
                 {"ReduceProd", WEFT__FOLD_PROD},
                 {"ReduceSum", WEFT__FOLD_SUM}};

// What sums, products and extremes of nothing are.
static void nothing_of(plan *p, weft_dtype t, int fold) {
  const bool most = fold == WEFT__FOLD_MIN;
  const bool least = fold == WEFT__FOLD_MAX;
  if (p->type == WEFT__FOLD_F64) {
    double v = most ? INFINITY : least ? -INFINITY : fold == WEFT__FOLD_PROD;
    memcpy(&p->none, &v, sizeof v);
    return;
  }
  const unsigned bits = 8u * p->elem;
  const bool natural = p->type == WEFT__FOLD_U8 || p->type == WEFT__FOLD_U32 || p->type == WEFT__FOLD_U64;
  const uint64_t all = UINT64_MAX >> (64 - bits);
  const uint64_t top = natural ? 0 : UINT64_C(1) << (bits - 1);
  uint64_t v = most ? all - top : least ? top : fold == WEFT__FOLD_PROD;
  weft_store_u64(t == WEFT_BOOL ? WEFT_UINT8 : t, &p->none, 0, v);
}

static const char *reduce_typed_make(const weft_tiling *t, plan *p) {
  size_t k = 0;
  memset(p, 0, sizeof *p);
  if (t->n_in != 2 || t->n_out != 1)
    return "needs axes";
  int type = reduce_typed_type_of(t->in_dtype[0]);
  while (k < WEFT_COUNT(operators) && strcmp(operators[k].op, t->desc->type))
    k++;
  if (k == WEFT_COUNT(operators))
    return "is no reduction";
  bool flags = operators[k].flags;
  bool is_bool = t->in_dtype[0] == WEFT_BOOL;
  if (type < 0 || (flags && !is_bool) || t->out_dtype[0] != t->in_dtype[0])
    return flags ? "needs booleans" : "needs double, 32- or 64-bit integers, or bytes";
  if (!weft__rows_plain(t))
    return "needs known shapes in plain layouts";
  p->type = (uint8_t)type;
  p->elem = (uint8_t)(weft_dtype_bits(t->in_dtype[0]) / 8);
  p->mean = operators[k].mean;
  p->root = operators[k].root;
  p->flags = is_bool;
  p->fold = &weft__rows_find(t->host)->fold[type][operators[k].fold];
  p->acc = p->mean ? 8 : p->elem;
  if (!p->fold->row)
    return "the bytes are summed by the reference";
  const char *why = weft__reduce_read(t, &p->r);
  if (why)
    return why;
  if (p->mean && type != WEFT__FOLD_F64 && !p->r.count)
    return "the mean of no integers";
  nothing_of(p, t->in_dtype[0], operators[k].fold);
  return NULL;
}

static const char *reduce_typed_refuse(const weft_tiling *t) {
  plan p;
  return reduce_typed_make(t, &p);
}

static weft_status reduce_typed_tile(weft_tiling *t) {
  plan *p = t->data;
  const char *why = reduce_typed_make(t, p);
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  weft__reduce_blocks(t, &p->r, 0.02 * p->elem, 0.02 * p->elem);
  t->data_bytes = sizeof *p;
  return WEFT_OK;
}

// n outputs from what was collected for them.
#define DIVIDE(T, WIDE)               \
  WEFT_LOOP(size_t i = 0; i < n; i++) \
  ((T *)y)[i] = (T)(((const WIDE *)acc)[i] / (WIDE)p->r.count)
static void reduce_typed_finish(const plan *p, const void *acc, void *y, size_t n) {
  if (!p->mean && !p->root && !p->flags) {
    memcpy(y, acc, n * p->elem);
    return;
  }
  if (p->flags) {
    for (size_t i = 0; i < n; i++)
      ((uint8_t *)y)[i] = ((const uint8_t *)acc)[i] != 0;
  } else if (p->root) {
    for (size_t i = 0; i < n; i++)
      ((double *)y)[i] = sqrt(((const double *)acc)[i]);
  } else if (p->type == WEFT__FOLD_F64)
    DIVIDE(double, double);
  else if (p->type == WEFT__FOLD_I32)
    DIVIDE(int32_t, int64_t);
  else if (p->type == WEFT__FOLD_U32)
    DIVIDE(uint32_t, uint64_t);
  else if (p->type == WEFT__FOLD_I64)
    DIVIDE(int64_t, int64_t);
  else
    DIVIDE(uint64_t, uint64_t);
}

static void reduce_typed_collect(const plan *p, const weft__reduce_part *q, const char *x, void *acc) {
  const weft__reduce *r = &p->r;
  const weft__axis inner = r->n_cut && !r->row ? r->cut[r->n_cut - 1] : (weft__axis){1, 0};
  for (size_t i = 0; i < q->n; i++)
    memcpy((char *)acc + i * p->acc, &p->none, p->acc);
  for (size_t k = 0; k < q->rows; k += inner.dim) {
    const char *from = x + (q->at + weft__axis_offset(r->cut, r->n_cut, k)) * p->elem;
    if (r->row)
      p->fold->row(from, r->run, acc);
    else
      p->fold->rows(from, inner.stride, inner.dim, acc, q->n);
  }
}

static weft_status reduce_typed_run(const weft_block *b) {
  const plan *p = b->data;
  uint64_t acc[WEFT__REDUCE_PIECE];
  size_t first = b->block * p->r.per;
  size_t last = WEFT_MIN(first + p->r.per, p->r.outputs * p->r.pieces);
  for (size_t i = first; i < last; i++) {
    const weft__reduce_part q = weft__reduce_part_of(&p->r, i);
    reduce_typed_collect(p, &q, b->arg[0], acc);
    reduce_typed_finish(p, acc, (char *)b->arg[2] + q.to * p->elem, q.n);
  }
  return WEFT_OK;
}

#define KERNEL(symbol, operator)                                            \
  const weft_kernel weft__kernel_##symbol = {.size = sizeof(weft_kernel),   \
                                             .op = operator,                \
                                             .device = "cpu",               \
                                             .name = "rows-typed",          \
                                             .tiling_bytes_max = 512,       \
                                             .refuse = reduce_typed_refuse, \
                                             .tile = reduce_typed_tile,     \
                                             .run = reduce_typed_run}
KERNEL(typed_norm, "EuclideanNorm");
KERNEL(typed_all, "ReduceAll");
KERNEL(typed_any, "ReduceAny");
KERNEL(typed_max, "ReduceMax");
KERNEL(typed_mean, "ReduceMean");
KERNEL(typed_min, "ReduceMin");
KERNEL(typed_prod, "ReduceProd");
KERNEL(typed_sum, "ReduceSum");
// SPDX-License-Identifier: Apache-2.0
