// dims_move.c - see dims_move.h. A view walks its indexes like an odometer, so that moving costs O(1) an
// element.
#include "dims_move.h"

weft_status weft__in_flat(const weft_infer *it, uint32_t in, int64_t *out, size_t cap, int64_t *out_n,
                          bool *out_known) {
  const weft_tensor *value = it->value[in];
  weft_ints v = it->in_dims[in];
  weft_dtype t = it->in_dtype[in];
  const char *name = weft__in_name(it->desc, in);
  *out_n = -1;
  *out_known = false;
  if (t != WEFT_INT32 && t != WEFT_INT64) {
    return weft_fail(it->d, WEFT_E_DTYPE, "input '%s': expected DT_INT32 or DT_INT64, got %s", name,
                     weft_dtype_serial(t));
  }
  if (weft_shape_is_known(it->in[in])) {
    if (weft_shape_elems(it->in[in], out_n))
      return weft_fail(it->d, WEFT_E_OVERFLOW, "input '%s': its element count overflows", name);
  }
  size_t n = v.v ? v.n : value->data ? (size_t)WEFT_MAX(weft_tensor_elems(value), 0) : 0;
  if (!v.v && !value->data)
    return WEFT_OK;
  if (n > cap)
    return weft_fail(it->d, WEFT_E_LIMIT, "input '%s': %zu elements, at most %zu are allowed", name, n, cap);
  for (size_t i = 0; i < n; i++)
    out[i] = v.v ? v.v[i] : WEFT_MAX(weft_load_i64(t, value->data, i), WEFT_DIM_SYMBOL_LIMIT);
  *out_n = (int64_t)n;
  *out_known = true;
  return WEFT_OK;
}

static weft_status one_expected(weft_diag *d, const weft_op_desc *desc, uint32_t in, int64_t n) {
  return weft_fail(d, WEFT_E_SHAPE, "input '%s': expected one element, got %lld", weft__in_name(desc, in),
                   (long long)n);
}

weft_status weft__in_int(const weft_infer *it, uint32_t in, int64_t *out, bool *out_known) {
  int64_t n;
  WEFT_TRY(weft__in_ints(it, in, out, 1, &n, out_known));
  if (n >= 0 && n != 1)
    return one_expected(it->d, it->desc, in, n);
  *out_known = *out_known && weft__is_literal(*out);
  return WEFT_OK;
}

weft_status weft__read_int(const weft_call *c, uint32_t in, int64_t *out) {
  size_t n;
  WEFT_TRY(weft__read_ints(c, in, out, 1, &n));
  return n == 1 ? WEFT_OK : one_expected(c->d, c->desc, in, (int64_t)n);
}

weft_status weft__axis_of_input(weft_diag *d, const weft_op_desc *n, uint32_t in, int64_t axis, size_t rank,
                                size_t *out) {
  char what[80];
  snprintf(what, sizeof what, "input '%s'", weft__in_name(n, in));
  return weft__axis(d, what, axis, rank, out);
}

weft_status weft__in_target(const weft_infer *it, uint32_t in, weft_shape *out) {
  int64_t elem[WEFT_MAX_RANK];
  int64_t n;
  bool known;
  WEFT_TRY(weft__in_ints(it, in, elem, WEFT_MAX_RANK, &n, &known));
  const char *name = weft__in_name(it->desc, in);
  if (n < 0) {
    weft_shape_set_unknown_rank(out);
    return WEFT_OK;
  }
  if (n > WEFT_MAX_RANK) {
    return weft_fail(it->d, WEFT_E_LIMIT, "input '%s': %lld elements, the rank is limited to %d", name,
                     (long long)n, WEFT_MAX_RANK);
  }
  out->rank = (size_t)n;
  for (size_t i = 0; i < out->rank; i++) {
    out->dim[i] = known ? weft__elem_dim(elem[i]) : -1;
    if (known && weft__is_literal(elem[i]) && elem[i] < 0) {
      return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': element %zu is %lld, expected 0 or more", name, i,
                       (long long)elem[i]);
    }
  }
  return WEFT_OK;
}

weft_status weft__expect_count(const weft_infer *it, uint32_t slot, bool always, uint32_t have,
                               const char *what) {
  const weft_attr *a = weft_attr_at(it->desc, slot, WEFT_VT_INT);
  if (!a || (a->is_default && !always) || a->u.i == have)
    return WEFT_OK;
  return weft_fail(it->d, WEFT_E_INVALID, "attribute '%s': %lld, but the node has %u %.*s",
                   weft__attr_name(it->desc, slot), (long long)a->u.i, have, (int)strlen(what) - (have == 1),
                   what);
}

// ---- views ----

void weft__view_init(weft_view *v, const weft_shape *source) {
  memset(v, 0, sizeof *v);
  v->rank = source->rank;
  int64_t step = 1;
  for (size_t i = v->rank; i-- > 0;) {
    v->dim[i] = source->dim[i];
    v->step[i] = step;
    if (!weft__mul_i64(step, source->dim[i], &step))
      step = 0;  // another dim is 0: nothing is moved
  }
}

void weft__view_shift(weft_view *v, size_t axis, int64_t by) {
  int64_t at;
  if (weft__mul_i64(v->step[axis], by, &at) && weft__add_i64(v->base, at, &at))
    v->base = at;  // else: moves nothing
}

static void view_restart(weft_view *v) {
  v->next = 0;
  v->at = v->base;
  memset(v->index, 0, sizeof v->index);
}

static int64_t view_map(void *ctx, size_t i) {
  weft_view *v = ctx;
  if (i != v->next)
    view_restart(v);
  int64_t at = v->at;
  v->next++;
  for (size_t k = v->rank; k-- > 0;) {
    v->at += v->step[k];
    if (++v->index[k] < v->dim[k])
      break;
    v->at -= v->step[k] * v->dim[k];
    v->index[k] = 0;
  }
  return at;
}

#define VIEW_LINE(bytes)                                              \
  case bytes:                                                         \
    for (size_t i = 0; i < n; i++, from += step, to += (bytes))       \
      memcpy(to, from, bytes);                                        \
    break;
// n elements of so many bytes, `step` bytes apart.
static void view_line(size_t bytes, const char *from, int64_t step, size_t n, char *to) {
  switch (bytes) {
    VIEW_LINE(1)
    VIEW_LINE(2)
    VIEW_LINE(4)
    VIEW_LINE(8)
    default:
      break;
  }
}

// Line by line of the last axis: constants of hundreds of megabytes are turned while a model is compiled.
static weft_status view_lines(const weft_call *c, const weft_tensor *in, weft_tensor *out, weft_view *v) {
  const size_t last = v->rank - 1;
  const size_t bytes = weft_dtype_bits(in->dtype) / 8;
  const size_t n = (size_t)v->dim[last];
  const size_t all = weft__elems(&out->layout.origin);
  char *to = out->data;
  int64_t at = v->base;
  int64_t index[WEFT_MAX_RANK] = {0};
  size_t work = 0;
  for (size_t done = 0; done < all; done += n, to += n * bytes) {
    WEFT_TRY(weft__poll_work(c, &work, n));
    view_line(bytes, (const char *)in->data + at * (int64_t)bytes, v->step[last] * (int64_t)bytes, n, to);
    for (size_t k = last; k-- > 0;) {
      at += v->step[k];
      if (++index[k] < v->dim[k])
        break;
      at -= v->step[k] * v->dim[k];
      index[k] = 0;
    }
  }
  return WEFT_OK;
}

weft_status weft__view_move(const weft_call *c, uint32_t in, uint32_t out, weft_view *v) {
  if (!c->out[out])
    return WEFT_OK;
  view_restart(v);
  uint32_t bits = weft_dtype_bits(c->in[in]->dtype);
  bool plain = bits == 8 || bits == 16 || bits == 32 || bits == 64;
  if (plain && c->in[in]->dtype != WEFT_STRING && v->rank && v->dim[v->rank - 1] > 0)
    return view_lines(c, c->in[in], c->out[out], v);
  return weft__move(c, c->in[in], c->out[out], view_map, v, NULL);
}

void weft__view_elems(weft_infer *it, uint32_t in, uint32_t out, weft_view *v) {
  size_t n = 1;
  for (size_t i = 0; i < v->rank; i++) {
    if (v->dim[i] < 0 || !weft_mul_size(n, (size_t)v->dim[i], &n))
      return;
  }
  view_restart(v);
  weft__elems_map(it, in, out, n, view_map, v);
}

weft_status weft__sized_pictures(weft_infer *it, uint32_t in) {
  const weft_shape *x = it->in[0];
  const char *name = weft__in_name(it->desc, in);
  weft_shape *y = it->out[0];
  int64_t size[2];
  int64_t n;
  bool known;
  WEFT_TRY(weft__expect_rank(it, 0, 4, 4));
  WEFT_TRY(weft__in_ints(it, in, size, 2, &n, &known));
  if (n >= 0 && n != 2)
    return weft_fail(it->d, WEFT_E_SHAPE, "input '%s' has %lld elements, expected 2", name, (long long)n);
  WEFT_TRY(weft__unknown_dims(it, 0, 4));
  for (size_t i = 0; i < 2 && known; i++) {
    if (weft__is_literal(size[i]) && size[i] < 1)
      return weft_fail(it->d, WEFT_E_RANGE, "input '%s': element %zu is %lld, expected at least 1", name, i,
                       (long long)size[i]);
    y->dim[1 + i] = weft__elem_dim(size[i]);
  }
  if (weft_shape_is_unknown_rank(x))
    return WEFT_OK;
  y->dim[0] = x->dim[0];
  y->dim[3] = x->dim[3];
  return WEFT_OK;
}

// ---- movement ----

static int64_t same_map(void *ctx, size_t i) {
  (void)ctx;
  return (int64_t)i;
}

weft_status weft__copy_all(const weft_call *c) {
  const weft_tensor *in = c->in[0];
  weft_tensor *out = c->out[0];
  if (!out)
    return WEFT_OK;
  if (in->dtype == WEFT_STRING)
    return weft__move(c, in, out, same_map, NULL, NULL);
  if (in->bytes < out->bytes)
    return weft_fail(c->d, WEFT_E_SHAPE, "output 0 has %zu bytes, input 0 only %zu", out->bytes, in->bytes);
  if (out->bytes)
    memcpy(out->data, in->data, out->bytes);
  return WEFT_OK;
}

void weft__copy_run(weft_dtype t, void *dst, size_t di, const void *src, size_t si, size_t n) {
  size_t bytes = weft_dtype_bits(t) / 8;
  if (weft_dtype_bits(t) % 8 == 0) {
    if (n)
      memcpy((char *)dst + di * bytes, (const char *)src + si * bytes, n * bytes);
    return;
  }
  for (size_t i = 0; i < n; i++)
    weft__copy_elem(t, dst, di + i, src, si + i);
}

typedef struct blocks {
  size_t block;
  weft_map_fn map;
  void *ctx;
} blocks;

static int64_t block_map(void *ctx, size_t i) {
  const blocks *b = ctx;
  int64_t j = b->map(b->ctx, i / b->block);
  return j < 0 ? -1 : j * (int64_t)b->block + (int64_t)(i % b->block);
}

weft_status weft__move_blocks(const weft_call *c, const weft_tensor *in, weft_tensor *out, size_t block,
                              weft_map_fn map, void *ctx) {
  size_t n = weft__elems(&out->layout.origin);
  size_t work = 0;
  uint32_t bits = weft_dtype_bits(in->dtype);
  if (!n || !block)
    return in->dtype == WEFT_STRING ? weft__move(c, in, out, same_map, NULL, NULL) : WEFT_OK;
  if (in->dtype == WEFT_STRING || bits % 8 || !bits)
    return weft__move(c, in, out, block_map, &(blocks){block, map, ctx}, NULL);
  for (size_t j = 0; j < n / block; j++) {
    WEFT_TRY(weft__poll_work(c, &work, block + 16));
    int64_t from = map(ctx, j);
    if (from >= 0)
      weft__copy_run(in->dtype, out->data, j * block, in->data, (size_t)from * block, block);
    else
      memset((char *)out->data + j * block * (bits / 8), 0, block * (bits / 8));
  }
  return WEFT_OK;
}

static weft_status pick_strings(const weft_call *c, weft_tensor *out, size_t n, weft_pick_fn pick,
                                void *ctx) {
  size_t bytes;
  size_t from = 0;
  void *space;
  if (!weft_mul_size(n, sizeof(char *) + sizeof(size_t), &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu strings overflow memory", n);
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  const char **text = space;
  size_t *lengths = (size_t *)(text + n);
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    const weft_tensor *t = pick(ctx, i, &from);
    WEFT_TRY(weft_tensor_string(t, from, &text[i], &lengths[i], c->d));
  }
  return weft__call_set_strings(c, out, &out->layout.origin, text, lengths);
}

weft_status weft__pick(const weft_call *c, weft_tensor *out, weft_pick_fn pick, void *ctx) {
  size_t n = weft__elems(&out->layout.origin);
  size_t from = 0;
  if (out->dtype == WEFT_STRING)
    return pick_strings(c, out, n, pick, ctx);
  if (!weft_dtype_bits(out->dtype))
    return weft__no_kernel(c, out->dtype);
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    const weft_tensor *t = pick(ctx, i, &from);
    weft__copy_elem(out->dtype, out->data, i, t->data, from);
  }
  return WEFT_OK;
}

// ---- partly known values ----

void weft__elems_map(weft_infer *it, uint32_t in, uint32_t out, size_t n, weft_map_fn map, void *ctx) {
  weft_ints v = it->in_dims[in];
  if (!v.v || n > it->out_dims_cap)
    return;
  for (size_t i = 0; i < n; i++) {
    int64_t k = map(ctx, i);
    if (k >= 0 && (size_t)k >= v.n)
      return;
    it->out_dims[out][i] = k < 0 ? 0 : v.v[k];
  }
  it->out_dims_n[out] = (int64_t)n;
}

weft_status weft__elems_same(weft_infer *it) {
  weft__elems_map(it, 0, 0, it->in_dims[0].n, same_map, NULL);
  return WEFT_OK;
}

bool weft__elems_known_shapes(const weft_infer *it) {
  for (uint32_t i = 0; i < it->n_in; i++) {
    if (!weft_shape_is_known(it->in[i]))
      return false;
  }
  for (uint32_t i = 0; i < it->n_out; i++) {
    if (!weft_shape_is_known(it->out[i]))
      return false;
  }
  return true;
}
// SPDX-License-Identifier: Apache-2.0
