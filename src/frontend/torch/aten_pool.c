// aten_pool.c - pools over one to three spatial axes, of given windows and adaptive ones, whose windows are
// those that cut the input most evenly: from floor(i * in / out) to ceil((i + 1) * in / out).
#include "base/allocated.h"
#include "frontend/torch/tables.h"

typedef struct window {
  size_t n;     // spatial axes
  size_t lead;  // entries before them: two axes are written [1,1,h,w]
  int64_t kernel[5], stride[5], dilation[5], pads[6];
  bool single;  // one item without a batch
} window;

static window pool_window(pt_op *o, weft_value **v, size_t n) {
  window w = {.n = n, .lead = n == 2 ? 2 : 0};
  int rank = front_rank_of(&o->b, *v);
  for (size_t i = 0; i < 5; i++)
    w.kernel[i] = w.stride[i] = w.dilation[i] = 1;
  if (!o->b.failed && rank != (int)n + 2 && rank != (int)n + 1)
    front_fail(&o->b, WEFT_E_SHAPE, "expected rank %zu or %zu, got %d", n + 1, n + 2, rank);
  w.single = rank == (int)n + 1;
  if (!o->b.failed && weft_dtype_is_integer((*v)->fact.dtype))
    *v = front_as(&o->b, *v, WEFT_DOUBLE);  // exact below 2^53
  if (w.single)
    *v = front_unsqueezed(&o->b, *v, 0);
  return w;
}

static void pool_sizes(pt_op *o, window *w) {
  int64_t pads[3] = {0};
  pt_sizes(o, "kernel_size", w->n, 1, w->kernel + w->lead);
  for (size_t i = 0; i < w->n; i++)
    w->stride[w->lead + i] = w->kernel[w->lead + i];
  int64_t given[PT_MAX_NUMBERS];
  if (pt_find(o, "stride") && pt_ints(o, "stride", given))
    pt_sizes(o, "stride", w->n, 1, w->stride + w->lead);
  pt_sizes(o, "dilation", w->n, 1, w->dilation + w->lead);
  pt_sizes(o, "padding", w->n, 0, pads);
  for (size_t i = 0; i < w->n; i++)
    w->pads[2 * i] = w->pads[2 * i + 1] = pads[i];
}

static void pool_set(front_op *b, const window *w, bool ceil_mode) {
  front_set_ints(b, "ksize", w->kernel, w->n + w->lead);
  front_set_ints(b, "strides", w->stride, w->n + w->lead);
  front_set_text(b, "padding_mode", "CALCULATED");
  front_set_ints(b, "pads", w->pads, 2 * w->n);
  front_set_text(b, "data_format", "NCHW");
  front_set_bool(b, "ceil_mode", ceil_mode);
}

static bool pool_dilated(const window *w) {
  for (size_t i = 0; i < 5; i++) {
    if (w->dilation[i] != 1)
      return true;
  }
  return false;
}

static void pool_give(pt_op *o, size_t i, const window *w, weft_value *v) {
  pt_result(o, i, w->single ? front_squeezed(&o->b, v, 0) : v);
}

// ---- given windows ----
static void pool_max_of(pt_op *o, size_t n, bool places) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  window w = pool_window(o, &v, n);
  pool_sizes(o, &w);
  bool ceil_mode = pt_bool(o, "ceil_mode", false);
  pool_set(b, &w, ceil_mode);
  if (!places) {
    if (pool_dilated(&w))
      front_set_ints(b, "dilations", w.dilation, w.n + w.lead);
    pool_give(o, 0, &w, front_do(b, "MaxPoolV3", v, NULL, NULL));
    return;
  }
  front_set_ints(b, "dilation", w.dilation, w.n + w.lead);
  front_set_int(b, "dtype", WEFT_INT64);
  front_set_text(b, "index_base", "plane");
  weft_value *y = front_do(b, "MaxPoolWithArgmaxV3", v, NULL, NULL);
  pool_give(o, 0, &w, y);
  pool_give(o, 1, &w, y ? y + 1 : NULL);
}
static void pool_max1(pt_op *o) {
  pool_max_of(o, 1, pt_wants(o, 1));
}
static void pool_max2(pt_op *o) {
  pool_max_of(o, 2, pt_wants(o, 1));
}
static void pool_max3(pt_op *o) {
  pool_max_of(o, 3, pt_wants(o, 1));
}

static void pool_avg_of(pt_op *o, size_t n) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  window w = pool_window(o, &v, n);
  pool_sizes(o, &w);
  pool_set(b, &w, pt_bool(o, "ceil_mode", false));
  front_set_bool(b, "exclusive", !pt_bool(o, "count_include_pad", true));
  const int64_t divisor = pt_find(o, "divisor_override") ? pt_int(o, "divisor_override", 0) : 0;
  if (divisor)
    front_set_int(b, "divisor_override", divisor < 0 && divisor > INT64_MIN ? -divisor : divisor);
  v = front_do(b, "AvgPoolV2", v, NULL, NULL);
  pool_give(o, 0, &w, divisor < 0 ? front_do(b, "Neg", v, NULL, NULL) : v);
}
static void pool_avg1(pt_op *o) {
  pool_avg_of(o, 1);
}
static void pool_avg2(pt_op *o) {
  pool_avg_of(o, 2);
}
static void pool_avg3(pt_op *o) {
  pool_avg_of(o, 3);
}

// ---- adaptive ones ----
// The sizes that are wanted: numbers, or values of the program. An absent one is the input's.
typedef struct wanted {
  int64_t want[3];
  weft_value *sizes[3];
} wanted;

// One of the list may stand for all axes.
static void pool_wanted_item(pt_op *o, const weft_json *list, weft_value *all, size_t i, wanted *w) {
  const size_t at = list->n == 1 ? 0 : i;
  const weft_json *item = &list->items[at];
  const weft_json *number = item->kind == WEFT_JSON_NUMBER ? item : weft__json_get(item, "as_int");
  if (weft__json_get(item, "as_name")) {
    w->want[i] = -1;
    w->sizes[i] = front_picked(&o->b, all, 0, front_index(&o->b, (int64_t)at));
  } else if (number)
    w->want[i] = number->i;
  if (number && (number->i < 0 || number->i > INT32_MAX))
    front_fail(&o->b, WEFT_E_RANGE, "argument 'output_size': %lld is no size", (long long)number->i);
}

static wanted pool_wanted(pt_op *o, weft_value *v, size_t n) {
  wanted w = {{0}, {NULL}};
  const char *key;
  const weft_json *list = pt_only(pt_find(o, "output_size"), &key);
  int rank = front_rank_of(&o->b, v);
  for (size_t i = 0; i < n && !o->b.failed; i++)
    w.want[i] = front_dim(v, rank - (int)n + (int)i);
  if (o->b.failed)
    return w;
  if (!list || list->kind != WEFT_JSON_ARRAY) {
    pt_sizes(o, "output_size", n, 0, w.want);
    return w;
  }
  if (list->n != n && list->n != 1) {
    front_fail(&o->b, WEFT_E_SHAPE, "argument 'output_size' has %zu sizes for %zu axes", list->n, n);
    return w;
  }
  bool names = false;
  for (size_t i = 0; i < list->n; i++)
    names |= weft__json_get(&list->items[i], "as_name") != NULL;
  weft_value *all = names ? pt_shape(o, "output_size") : NULL;
  for (size_t i = 0; i < n; i++)
    pool_wanted_item(o, list, all, i, &w);
  return w;
}

// Windows of one size for all places; false: there are none.
static bool pool_even(weft_value *v, size_t n, const int64_t *want, window *w) {
  int rank = front_rank(v);
  for (size_t i = 0; i < n; i++) {
    weft_dim in = front_dim(v, rank - (int)n + (int)i);
    if (in < 0 || want[i] < 1 || in % want[i])
      return false;
    w->kernel[w->lead + i] = w->stride[w->lead + i] = in / want[i];
  }
  return true;
}

static bool pool_to_one(size_t n, const int64_t *want) {
  for (size_t i = 0; i < n; i++) {
    if (want[i] != 1)
      return false;
  }
  return true;
}

static void pool_adaptive_avg(pt_op *o, size_t n) {
  front_op *b = &o->b;
  int64_t axes[3];
  weft_value *v = pt_tensor(o, "self");
  window w = pool_window(o, &v, n);
  wanted to = pool_wanted(o, v, n);
  if (b->failed)
    return;
  for (size_t i = 0; i < n; i++)
    axes[i] = (int64_t)i + 2;
  if (pool_to_one(n, to.want)) {
    pool_give(o, 0, &w, front_reduced(b, "ReduceMean", v, axes, n, true));
    return;
  }
  if (!pool_even(v, n, to.want, &w)) {
    pool_give(o, 0, &w, front_adaptive(b, v, &(front_pooled){.n = n, .want = to.want, .sizes = to.sizes}));
    return;
  }
  pool_set(b, &w, false);
  pool_give(o, 0, &w, front_do(b, "AvgPoolV2", v, NULL, NULL));
}
static void pool_adaptive_avg1(pt_op *o) {
  pool_adaptive_avg(o, 1);
}
static void pool_adaptive_avg2(pt_op *o) {
  pool_adaptive_avg(o, 2);
}
static void pool_adaptive_avg3(pt_op *o) {
  pool_adaptive_avg(o, 3);
}

static void pool_adaptive_max(pt_op *o, size_t n) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  window w = pool_window(o, &v, n);
  wanted to = pool_wanted(o, v, n);
  const front_pooled p = {.n = n, .want = to.want, .sizes = to.sizes, .largest = true};
  if (b->failed)
    return;
  if (!pool_even(v, n, to.want, &w)) {
    weft_value *where = NULL;
    weft_value *y = pt_wants(o, 1) ? front_adaptive_places(b, v, &p, &where) : front_adaptive(b, v, &p);
    pool_give(o, 0, &w, y);
    if (where)
      pool_give(o, 1, &w, where);
    return;
  }
  pool_set(b, &w, false);
  front_set_int(b, "dtype", WEFT_INT64);
  front_set_text(b, "index_base", "plane");
  front_set_ints(b, "dilation", w.dilation, w.n + w.lead);
  weft_value *y = front_do(b, "MaxPoolWithArgmaxV3", v, NULL, NULL);
  pool_give(o, 0, &w, y);
  pool_give(o, 1, &w, y ? y + 1 : NULL);
}
static void pool_adaptive_max1(pt_op *o) {
  pool_adaptive_max(o, 1);
}
static void pool_adaptive_max2(pt_op *o) {
  pool_adaptive_max(o, 2);
}
static void pool_adaptive_max3(pt_op *o) {
  pool_adaptive_max(o, 3);
}

// ---- backwards: elements at the places that they were taken from ----
static void pool_unpool(pt_op *o, size_t n) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  weft_value *at = pt_tensor(o, "indices");
  weft_value *size[WEFT_MAX_RANK] = {NULL};
  size_t given = pt_size_lists(o, "output_size", size);
  (void)pt_find(o, "stride");
  (void)pt_find(o, "padding");
  window w = pool_window(o, &v, n);
  if (w.single)
    at = front_unsqueezed(b, at, 0);
  if (!b->failed && given != n)
    front_fail(b, WEFT_E_SHAPE, "%zu sizes for %zu axes", given, n);
  pool_give(o, 0, &w, front_unpooled(b, v, at, size, n));
}
static void pool_unpool2(pt_op *o) {
  pool_unpool(o, 2);
}
static void pool_unpool3(pt_op *o) {
  pool_unpool(o, 3);
}

static const pt_row pool_rows[] = {
    {"max_pool1d", NULL, 0, pool_max1, 0},
    {"max_pool1d_with_indices", NULL, 0, pool_max1, 0},
    {"max_pool2d", NULL, 0, pool_max2, 0},
    {"max_pool2d_with_indices", NULL, 0, pool_max2, 0},
    {"max_pool3d", NULL, 0, pool_max3, 0},
    {"max_pool3d_with_indices", NULL, 0, pool_max3, 0},
    {"avg_pool1d", NULL, 0, pool_avg1, 0},
    {"avg_pool2d", NULL, 0, pool_avg2, 0},
    {"avg_pool3d", NULL, 0, pool_avg3, 0},
    {"adaptive_avg_pool1d", NULL, 0, pool_adaptive_avg1, 0},
    {"adaptive_avg_pool2d", NULL, 0, pool_adaptive_avg2, 0},
    {"_adaptive_avg_pool2d", NULL, 0, pool_adaptive_avg2, 0},
    {"adaptive_avg_pool3d", NULL, 0, pool_adaptive_avg3, 0},
    {"_adaptive_avg_pool3d", NULL, 0, pool_adaptive_avg3, 0},
    {"adaptive_max_pool1d", NULL, 0, pool_adaptive_max1, 0},
    {"adaptive_max_pool2d", NULL, 0, pool_adaptive_max2, 0},
    {"adaptive_max_pool3d", NULL, 0, pool_adaptive_max3, 0},
    {"max_unpool2d", NULL, 0, pool_unpool2, 0},
    {"max_unpool3d", NULL, 0, pool_unpool3, 0},
};
const pt_rows pt_pool = PT_ROWS(pool_rows);
// SPDX-License-Identifier: Apache-2.0
