// ops/image/deformable_attention.c - sums of what few points of maps of several sizes hold, and the
// gradients.   AscendIR MultiScaleDeformableAttnFunction, MultiScaleDeformableAttentionGrad (Deformable
// DETR's). value is [batch, keys, heads, channels], the keys those of all levels, row by row, a level's from
// its start on; spatial_shapes are height and width of each. Locations [batch, queries, heads, levels,
// points, 2] are x, y in parts of a level, weights have them without the last axis. y is [batch, queries,
// heads * channels].
#include "arrays.h"
#include "dims_move.h"
#include "op/air_rows.h"

enum { DEFORM_VALUE, DEFORM_SHAPES, DEFORM_STARTS, DEFORM_PLACES, DEFORM_WEIGHTS, DEFORM_G };

static bool deform_back(const weft_op_desc *n) {
  return n->op->user != NULL;
}
static weft_status deform_places(weft_infer *it) {
  const weft_shape *v = it->in[DEFORM_VALUE];
  const weft_shape *at = it->in[DEFORM_PLACES];
  const weft_shape *w = it->in[DEFORM_WEIGHTS];
  weft_dim same;
  if (weft_shape_is_unknown_rank(at))
    return WEFT_OK;
  WEFT_TRY(weft__merge_dim(it, 2, at->dim[5], "axis 5 of input 'sampling_locations'", &same));
  for (size_t i = 0; i < 5 && !weft_shape_is_unknown_rank(w); i++)
    WEFT_TRY(
        weft__merge_dim(it, at->dim[i], w->dim[i], "'sampling_locations' and 'attention_weights'", &same));
  if (!weft_shape_is_unknown_rank(v)) {
    WEFT_TRY(weft__merge_dim(it, at->dim[0], v->dim[0], "batches of 'value' and of locations", &same));
    WEFT_TRY(weft__merge_dim(it, at->dim[2], v->dim[2], "heads of 'value' and of locations", &same));
  }
  if (!weft_shape_is_unknown_rank(it->in[DEFORM_SHAPES]))
    WEFT_TRY(weft__merge_dim(it, at->dim[3], it->in[DEFORM_SHAPES]->dim[0], "levels", &same));
  if (!weft_shape_is_unknown_rank(it->in[DEFORM_STARTS]))
    WEFT_TRY(weft__merge_dim(it, at->dim[3], it->in[DEFORM_STARTS]->dim[0], "levels", &same));
  return WEFT_OK;
}
static weft_status deform_infer(weft_infer *it) {
  static const size_t ranks[5] = {4, 2, 1, 6, 5};
  const weft_shape *v = it->in[DEFORM_VALUE];
  const weft_shape *at = it->in[DEFORM_PLACES];
  weft_dim same;
  weft_dim dims[3] = {-1, -1, -1};
  for (uint32_t i = 0; i < 5; i++)
    WEFT_TRY(weft__expect_rank(it, i, ranks[i], ranks[i]));
  WEFT_TRY(deform_places(it));
  if (!weft_shape_is_unknown_rank(it->in[DEFORM_SHAPES]))
    WEFT_TRY(
        weft__merge_dim(it, 2, it->in[DEFORM_SHAPES]->dim[1], "axis 1 of 'value_spatial_shapes'", &same));
  if (!weft_shape_is_unknown_rank(v)) {
    dims[0] = v->dim[0];
    dims[2] = weft_dims_mul(it, v->dim[2], v->dim[3]);
  }
  if (!weft_shape_is_unknown_rank(at))
    dims[1] = at->dim[1];
  if (!deform_back(it->desc))
    return weft_set_out_shape(it, 0, dims, 3);
  weft_shape_copy(it->out[0], v);
  weft_shape_copy(it->out[1], at);
  weft_shape_copy(it->out[2], it->in[DEFORM_WEIGHTS]);
  WEFT_TRY(weft__expect_rank(it, DEFORM_G, 3, 3));
  for (size_t i = 0; i < 3 && !weft_shape_is_unknown_rank(it->in[DEFORM_G]); i++)
    WEFT_TRY(weft__merge_dim(it, dims[i], it->in[DEFORM_G]->dim[i], "the sums and 'grad_output'", &same));
  return WEFT_OK;
}

typedef struct deform_run {
  const weft_call *c;
  bool back;
  size_t keys, heads, channels, queries, levels, points;
  const double *value, *places, *weights, *g;
  double *out[3];  // sums; or gradients of value, places, weights
  size_t work;
} deform_run;
typedef struct deform_level {
  int64_t h, w;
  size_t start;
} deform_level;

static weft_status deform_level_of(const deform_run *r, size_t level, deform_level *out) {
  const weft_tensor *shapes = r->c->in[DEFORM_SHAPES];
  const weft_tensor *starts = r->c->in[DEFORM_STARTS];
  int64_t size;
  out->h = weft_load_i64(shapes->dtype, shapes->data, 2 * level);
  out->w = weft_load_i64(shapes->dtype, shapes->data, 2 * level + 1);
  int64_t start = weft_load_i64(starts->dtype, starts->data, level);
  bool fits = out->h >= 0 && out->w >= 0 && start >= 0 && weft__mul_i64(out->h, out->w, &size);
  if (!fits || (uint64_t)start > r->keys || (uint64_t)size > r->keys - (uint64_t)start)
    return weft_fail(r->c->d, WEFT_E_RANGE,
                     "level %zu, %lld by %lld from key %lld on, is not within %zu keys", level,
                     (long long)out->h, (long long)out->w, (long long)start, r->keys);
  out->start = (size_t)start;
  return WEFT_OK;
}

// One point of one query: at is its number among all.
static weft_status deform_point(deform_run *r, const deform_level *l, size_t batch, size_t query, size_t head,
                                size_t at) {
  const double x = r->places[2 * at] * (double)l->w - 0.5;
  const double y = r->places[2 * at + 1] * (double)l->h - 0.5;
  const double weight = r->weights[at];
  const size_t out = ((batch * r->queries + query) * r->heads + head) * r->channels;
  WEFT_TRY(weft__poll_work(r->c, &r->work, 4 * r->channels + 1));
  if (!(y > -1 && x > -1 && y < (double)l->h && x < (double)l->w))
    return WEFT_OK;
  for (int i = 0; i < 4; i++) {
    int64_t row = (int64_t)floor(y) + i / 2;
    int64_t column = (int64_t)floor(x) + i % 2;
    if (row < 0 || row >= l->h || column < 0 || column >= l->w)
      continue;
    double wy = i / 2 ? y - floor(y) : 1 - (y - floor(y));
    double wx = i % 2 ? x - floor(x) : 1 - (x - floor(x));
    size_t key = l->start + (size_t)(row * l->w + column);
    size_t from = ((batch * r->keys + key) * r->heads + head) * r->channels;
    for (size_t k = 0; k < r->channels; k++) {
      double v = r->value[from + k];
      if (!r->back) {
        r->out[0][out + k] += weight * wy * wx * v;
        continue;
      }
      double g = r->g[out + k];
      r->out[0][from + k] += g * weight * wy * wx;
      r->out[1][2 * at] += g * weight * v * wy * (i % 2 ? 1 : -1) * (double)l->w;
      r->out[1][2 * at + 1] += g * weight * v * wx * (i / 2 ? 1 : -1) * (double)l->h;
      r->out[2][at] += g * v * wy * wx;
    }
  }
  return WEFT_OK;
}

static weft_status deform_begin(const weft_call *c, deform_run *r) {
  const weft_shape *v = &c->in[DEFORM_VALUE]->layout.origin;
  const weft_shape *at = &c->in[DEFORM_PLACES]->layout.origin;
  double *data;
  *r = (deform_run){.c = c, .back = deform_back(c->desc), .keys = (size_t)v->dim[1]};
  r->heads = (size_t)v->dim[2];
  r->channels = (size_t)v->dim[3];
  r->queries = (size_t)at->dim[1];
  r->levels = (size_t)at->dim[3];
  r->points = (size_t)at->dim[4];
  WEFT_TRY(weft__load_f64s(c, c->in[DEFORM_VALUE], &data));
  r->value = data;
  WEFT_TRY(weft__load_f64s(c, c->in[DEFORM_PLACES], &data));
  r->places = data;
  WEFT_TRY(weft__load_f64s(c, c->in[DEFORM_WEIGHTS], &data));
  r->weights = data;
  if (r->back)
    WEFT_TRY(weft__load_f64s(c, c->in[DEFORM_G], &data));
  r->g = data;
  const weft_tensor *like[3] = {c->in[DEFORM_VALUE], c->in[DEFORM_PLACES], c->in[DEFORM_WEIGHTS]};
  for (int i = 0; i < (r->back ? 3 : 1); i++) {
    void *space;
    size_t n = r->back ? weft__elems(&like[i]->layout.origin)
                       : (size_t)v->dim[0] * r->queries * r->heads * r->channels;
    WEFT_TRY(weft__scratch(c, n, &space));
    r->out[i] = memset(space, 0, n * sizeof(double));
  }
  return WEFT_OK;
}

static weft_status deform_ref(const weft_call *c) {
  deform_run r;
  size_t at = 0;
  if (!deform_back(c->desc) && (!c->out[0] || !weft__elems(&c->out[0]->layout.origin)))
    return WEFT_OK;
  WEFT_TRY(deform_begin(c, &r));
  size_t all = weft__elems(&c->in[DEFORM_WEIGHTS]->layout.origin);
  for (at = 0; at < all; at++) {
    deform_level l;
    size_t level = at / r.points % r.levels;
    size_t head = at / r.points / r.levels % r.heads;
    size_t query = at / r.points / r.levels / r.heads % r.queries;
    WEFT_TRY(deform_level_of(&r, level, &l));
    WEFT_TRY(deform_point(&r, &l, at / r.points / r.levels / r.heads / r.queries, query, head, at));
  }
  for (uint32_t k = 0; k < c->n_out; k++) {
    weft_tensor *y = c->out[k];
    for (size_t i = 0, n = y ? weft__elems(&y->layout.origin) : 0; i < n; i++) {
      WEFT_TRY(weft__poll_at(c, i));
      weft_store_f64(y->dtype, y->data, i, r.out[k][i]);
    }
  }
  return WEFT_OK;
}

#define DEFORM(op_name, says, back, ...)                                             \
  {                                                                                  \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = deform_infer, \
    .ref = deform_ref, .user = back, .like = "value", .examples = WEFT_EXAMPLES(__VA_ARGS__) \
  }
#define ONE_POINT "f32[1,2,1,1]{2,4}, i32[1,2]{1,2}, i32[1]{0}, f32[1,1,1,1,1,2]{0.5,0.5}, f32[1,1,1,1,1]{3}"

WEFT_ROWS(deformable_attention) = {
    DEFORM("MultiScaleDeformableAttnFunction", "sums of few points of maps of several sizes", NULL,
           ONE_POINT " -> f32[1,1,1]{9}",
           "f32[1,2,1,1]{2,4}, i32[1,2]{1,3}, i32[1]{0}, f32[1,1,1,1,1,2]{0.5,0.5}, f32[1,1,1,1,1]{3} "
           "!! E_RANGE level 0"),
    DEFORM("MultiScaleDeformableAttentionGrad", "gradients of sums of few points", "back",
           ONE_POINT ", f32[1,1,1]{1} -> f32[1,2,1,1]{1.5,1.5}, f32[1,1,1,1,1,2]{12,-9}, f32[1,1,1,1,1]{3}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
