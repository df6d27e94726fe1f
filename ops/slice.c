// slice.c - see slice.h. A specification becomes a list of cuts; shape and view come from the cuts.
#include "slice.h"

// ---- one axis ----

// Clamped begin and the number of elements of begin:end:step along an axis of `dim` elements. All known; step
// not 0.
static void clamp(const weft_cut *k, int64_t dim, int64_t *out_begin, int64_t *out_n) {
  int64_t low = k->step > 0 ? 0 : -1;
  int64_t high = k->step > 0 ? dim : dim - 1;
  int64_t b = k->begin;
  int64_t e = k->end;
  int64_t step = k->step;
  if (b < 0)
    b = WEFT_MAX(b, -dim - 1) + dim;  // never below INT64_MIN
  if (e < 0)
    e = WEFT_MAX(e, -dim - 1) + dim;
  b = k->from_first ? (step > 0 ? low : high) : WEFT_MIN(WEFT_MAX(b, low), high);
  e = k->to_last ? (step > 0 ? high : low) : WEFT_MIN(WEFT_MAX(e, low), high);
  *out_begin = b;
  if (step > 0)
    *out_n = e > b ? (e - b - 1) / step + 1 : 0;
  else
    *out_n = b > e ? (int64_t)((uint64_t)(b - e - 1) / (0 - (uint64_t)step)) + 1 : 0;
}

// A place along an axis of unknown size, counted from its begin: min(v, dim), or dim + v for a negative v.
static weft_dim slice_place(weft_symbols *p, weft_dim dim, int64_t v) {
  if (v == WEFT_DIM_INVALID)
    return -1;
  if (weft__is_literal(v) && v < 0)
    return weft_dim_max(p, weft_dim_sub(p, dim, -v), 0);
  if (v >= INT32_MAX)
    return dim;  // how "up to the end" is written
  return v == 0 ? 0 : weft_dim_min(p, dim, v);
}

static weft_dim cut_dim(weft_symbols *p, const weft_cut *k, weft_dim dim) {
  bool literal = weft__is_literal(k->begin) && weft__is_literal(k->end) && weft__is_literal(k->step);
  int64_t begin;
  int64_t n;
  if (k->step == WEFT_DIM_INVALID)
    return dim == 0 ? 0 : -1;
  if (dim >= 0 && literal) {
    clamp(k, dim, &begin, &n);
    return n;
  }
  bool first = k->from_first;
  bool last = k->to_last;
  if (k->step < 0) {  // only the whole axis, backwards
    first = first || k->begin == -1 || (weft__is_literal(k->begin) && k->begin >= INT32_MAX);
    last = last || (weft__is_literal(k->end) && k->end <= -INT32_MAX);
    return first && last ? weft_dim_ceildiv(p, dim, -k->step) : -1;
  }
  first = first || k->begin == 0;
  if (!first && !last && literal && k->begin >= 0 && k->end >= 0 && k->end <= k->begin)
    return 0;
  weft_dim b = first ? 0 : slice_place(p, dim, k->begin);
  weft_dim e = last ? dim : slice_place(p, dim, k->end);
  if (b == 0)
    return weft_dim_ceildiv(p, e, k->step);
  if (b >= 0 && e >= 0)
    return b >= e ? 0 : weft_dim_ceildiv(p, e - b, k->step);
  return weft_dim_ceildiv(p, weft_dim_max(p, weft_dim_sub(p, e, b), 0), k->step);
}

static weft_status single_place(weft_diag *d, int64_t begin, weft_dim dim, size_t axis) {
  if (dim < 0 || !weft__is_literal(begin) || (begin >= -dim && begin < dim))
    return WEFT_OK;
  return weft_fail(d, WEFT_E_RANGE, "input 'begin': %lld picks one element of axis %zu, which has %lld",
                   (long long)begin, axis, (long long)dim);
}

// ---- all axes ----

weft_status weft__cuts_shape(weft_diag *d, weft_symbols *p, const weft_cuts *cuts, const weft_shape *x,
                             weft_shape *out) {
  weft_shape y;
  y.rank = 0;
  for (size_t i = 0, axis = 0; i < cuts->n; i++) {
    const weft_cut *k = &cuts->cut[i];
    if (k->single)
      WEFT_TRY(single_place(d, k->begin, x->dim[axis], axis));
    if (!k->single && y.rank == WEFT_MAX_RANK)
      return weft_fail(d, WEFT_E_LIMIT, "the output rank is over the limit of %d", WEFT_MAX_RANK);
    if (k->fresh)
      y.dim[y.rank++] = 1;
    else if (k->single)
      axis++;
    else
      y.dim[y.rank++] = cut_dim(p, k, x->dim[axis++]);
  }
  weft_shape_copy(out, &y);
  return WEFT_OK;
}

weft_status weft__cuts_view(weft_diag *d, const weft_cuts *cuts, const weft_shape *x, weft_view *out) {
  weft_view from;
  weft__view_init(&from, x);
  memset(out, 0, sizeof *out);
  for (size_t i = 0, axis = 0; i < cuts->n; i++) {
    const weft_cut *k = &cuts->cut[i];
    int64_t begin = 0;
    int64_t n = 1;
    if (k->fresh) {
      out->dim[out->rank++] = 1;
      continue;
    }
    if (k->single) {
      WEFT_TRY(single_place(d, k->begin, x->dim[axis], axis));
      begin = k->begin < 0 ? k->begin + x->dim[axis] : k->begin;
    } else {
      clamp(k, x->dim[axis], &begin, &n);
    }
    weft__view_shift(&from, axis, n ? begin : 0);
    if (!k->single) {
      out->dim[out->rank] = n;
      // with one element no step is taken; a long one need not fit
      out->step[out->rank++] = n > 1 ? weft__view_times(from.step[axis], k->step) : 0;
    }
    axis++;
  }
  out->base = from.base;
  return WEFT_OK;
}

static weft_cut whole(void) {
  return (weft_cut){.step = 1, .from_first = true, .to_last = true};
}

static bool bit(int64_t mask, size_t i) {
  return i < 63 && (mask >> i & 1);
}

static weft_status check_step(weft_diag *d, int64_t step, size_t i) {
  return step ? WEFT_OK : weft_fail(d, WEFT_E_INVALID, "input 'strides': element %zu is 0", i);
}

static weft_cut spec_cut(const weft_stride_spec *s, size_t i) {
  return (weft_cut){.begin = s->begin[i],
                    .end = s->end[i],
                    .step = s->strides ? s->strides[i] : 1,
                    .from_first = bit(s->begin_mask, i),
                    .to_last = bit(s->end_mask, i),
                    .single = bit(s->shrink_axis_mask, i)};
}

// Entries with named axes: every other axis is kept whole.
static weft_status cuts_by_axes(weft_diag *d, const weft_stride_spec *s, size_t rank, weft_cuts *out) {
  uint32_t mask;
  if (s->ellipsis_mask || s->new_axis_mask) {
    return weft_fail(d, WEFT_E_UNSUPPORTED,
                     "attributes 'ellipsis_mask' and 'new_axis_mask' have no meaning with input 'axes'");
  }
  WEFT_TRY(weft__axes(d, "input 'axes'", s->axes, s->n, rank, &mask));
  out->n = rank;
  for (size_t i = 0; i < rank; i++)
    out->cut[i] = whole();
  for (size_t i = 0; i < s->n; i++) {
    size_t axis = (size_t)(s->axes[i] < 0 ? s->axes[i] + (int64_t)rank : s->axes[i]);
    out->cut[axis] = spec_cut(s, i);
    WEFT_TRY(check_step(d, out->cut[axis].step, i));
  }
  return WEFT_OK;
}

weft_status weft__cuts_of_spec(weft_diag *d, const weft_stride_spec *s, size_t rank, weft_cuts *out) {
  size_t used = 0;
  size_t axis = 0;
  bool ellipsis = false;
  out->n = 0;
  if (s->axes)
    return cuts_by_axes(d, s, rank, out);
  for (size_t i = 0; i < s->n; i++) {
    bool dots = bit(s->ellipsis_mask, i);
    if (dots && ellipsis)
      return weft_fail(d, WEFT_E_INVALID, "attribute 'ellipsis_mask': two bits are set, one is allowed");
    ellipsis = ellipsis || dots;
    used += !dots && !bit(s->new_axis_mask, i);
  }
  if (used > rank)
    return weft_fail(d, WEFT_E_SHAPE, "input 'begin': %zu axes are cut, x has rank %zu", used, rank);
  for (size_t i = 0; i < s->n; i++) {
    if (bit(s->ellipsis_mask, i)) {
      for (size_t k = 0; k < rank - used; k++, axis++)
        out->cut[out->n++] = whole();
    } else if (bit(s->new_axis_mask, i)) {
      out->cut[out->n++] = (weft_cut){.fresh = true};
    } else {
      out->cut[out->n] = spec_cut(s, i);
      WEFT_TRY(check_step(d, out->cut[out->n++].step, i));
      axis++;
    }
  }
  for (; axis < rank; axis++)
    out->cut[out->n++] = whole();
  return WEFT_OK;
}

// ---- StridedSlice and its later versions ----

enum { BEGIN_MASK, END_MASK, ELLIPSIS_MASK, NEW_AXIS_MASK, SHRINK_AXIS_MASK };
typedef struct lists {  // begin, end, axes, strides
  int64_t v[4][WEFT_MAX_RANK];
  int64_t n[4];
  bool known[4];
} lists;

static const char *const list_names[4] = {"begin", "end", "axes", "strides"};

static weft_stride_spec masks(const weft_op_desc *n) {
  return (weft_stride_spec){.begin_mask = weft_node_int(n, BEGIN_MASK),
                            .end_mask = weft_node_int(n, END_MASK),
                            .ellipsis_mask = weft_node_int(n, ELLIPSIS_MASK),
                            .new_axis_mask = weft_node_int(n, NEW_AXIS_MASK),
                            .shrink_axis_mask = weft_node_int(n, SHRINK_AXIS_MASK)};
}

static bool list_input(const weft_op_desc *n, int k, int axes_port, int strides_port, uint32_t *out) {
  int port = k < 2 ? k + 1 : k == 2 ? axes_port : strides_port;
  return port >= 0 && weft__has_in(n, (uint32_t)port, out);
}

// Makes a specification of the lists. Entries that are not known become WEFT_DIM_INVALID; *out_n -1: no
// length known.
static weft_status spec_of_lists(weft_diag *d, lists *l, weft_stride_spec *s, int64_t *out_n) {
  *out_n = -1;
  for (int k = 0; k < 4; k++) {
    if (l->n[k] < 0)
      continue;
    if (*out_n >= 0 && *out_n != l->n[k]) {
      return weft_fail(d, WEFT_E_SHAPE, "input '%s' has %lld elements, the lists before it have %lld",
                       list_names[k], (long long)l->n[k], (long long)*out_n);
    }
    *out_n = l->n[k];
  }
  for (int k = 0; k < 4; k++) {
    for (int64_t i = 0; !l->known[k] && i < *out_n && i < WEFT_MAX_RANK; i++)
      l->v[k][i] = WEFT_DIM_INVALID;
  }
  s->begin = l->v[0];
  s->end = l->v[1];
  s->n = (size_t)WEFT_MAX(*out_n, 0);
  if (s->n > WEFT_MAX_RANK) {
    return weft_fail(d, WEFT_E_LIMIT, "input 'begin': %zu elements, the rank is limited to %d", s->n,
                     WEFT_MAX_RANK);
  }
  return WEFT_OK;
}

static weft_status read_infer(weft_infer *it, int axes_port, int strides_port, lists *l, weft_stride_spec *s,
                              int64_t *out_n) {
  uint32_t in;
  for (int k = 0; k < 4; k++) {
    l->n[k] = -1;
    l->known[k] = false;
    if (!list_input(it->desc, k, axes_port, strides_port, &in))
      continue;
    WEFT_TRY(weft__in_ints(it, in, l->v[k], WEFT_MAX_RANK, &l->n[k], &l->known[k]));
    if (k == 2)
      s->axes = l->v[2];
    if (k == 3)
      s->strides = l->v[3];
  }
  return spec_of_lists(it->d, l, s, out_n);
}

static bool literals(const int64_t *v, size_t n) {
  for (size_t i = 0; v && i < n; i++) {
    if (!weft__is_literal(v[i]))
      return false;
  }
  return true;
}

weft_status weft__strided_slice_infer(weft_infer *it, int axes_port, int strides_port) {
  lists l;
  weft_cuts cuts;
  weft_stride_spec s = masks(it->desc);
  int64_t n;
  const weft_shape *x = it->in[0];
  WEFT_TRY(read_infer(it, axes_port, strides_port, &l, &s, &n));
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  bool same_rank = !s.ellipsis_mask && !s.new_axis_mask && !s.shrink_axis_mask;
  if (n < 0 || (s.axes && !literals(s.axes, s.n)))
    return same_rank ? weft__unknown_dims(it, 0, x->rank) : weft__unknown_rank(it, 0);
  for (size_t i = 0; s.strides && i < s.n; i++) {
    if (!weft__is_literal(l.v[3][i]))
      l.v[3][i] = WEFT_DIM_INVALID;
  }
  WEFT_TRY(weft__cuts_of_spec(it->d, &s, x->rank, &cuts));
  return weft__cuts_shape(it->d, it->symbols, &cuts, x, it->out[0]);
}

weft_status weft__strided_slice_elems(weft_infer *it, int axes_port, int strides_port) {
  lists l;
  weft_cuts cuts;
  weft_view v;
  weft_stride_spec s = masks(it->desc);
  int64_t n;
  WEFT_TRY(read_infer(it, axes_port, strides_port, &l, &s, &n));
  if (n < 0 || !weft_shape_is_known(it->in[0]) || !weft_shape_is_known(it->out[0]) ||
      !literals(s.begin, s.n) || !literals(s.end, s.n) || !literals(s.axes, s.n) || !literals(s.strides, s.n))
    return WEFT_OK;
  WEFT_TRY(weft__cuts_of_spec(it->d, &s, it->in[0]->rank, &cuts));
  WEFT_TRY(weft__cuts_view(it->d, &cuts, it->in[0], &v));
  weft__view_elems(it, 0, 0, &v);
  return WEFT_OK;
}

weft_status weft__strided_slice_ref(const weft_call *c, int axes_port, int strides_port) {
  lists l;
  weft_cuts cuts;
  weft_view v;
  weft_stride_spec s = masks(c->desc);
  int64_t n;
  for (int k = 0; k < 4; k++) {
    uint32_t in;
    size_t length;
    l.n[k] = -1;
    l.known[k] = true;
    if (!list_input(c->desc, k, axes_port, strides_port, &in))
      continue;
    WEFT_TRY(weft__read_ints(c, in, l.v[k], WEFT_MAX_RANK, &length));
    l.n[k] = (int64_t)length;
    if (k == 2)
      s.axes = l.v[2];
    if (k == 3)
      s.strides = l.v[3];
  }
  WEFT_TRY(spec_of_lists(c->d, &l, &s, &n));
  WEFT_TRY(weft__cuts_of_spec(c->d, &s, c->in[0]->layout.origin.rank, &cuts));
  WEFT_TRY(weft__cuts_view(c->d, &cuts, &c->in[0]->layout.origin, &v));
  return weft__view_move(c, 0, 0, &v);
}
// SPDX-License-Identifier: Apache-2.0
