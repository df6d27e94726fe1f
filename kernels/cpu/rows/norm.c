// norm.c - LayerNorm, InstanceNorm, GroupNorm and BatchNorm (not training) of f32, f16 and bf16. Mean and
// variance of a lane are made in double in two passes over it, which lies in cache; the order of sums depends
// on its length alone. Lanes are contiguous: channels come first, or BatchNorm's last.
#include <math.h>

#include "cpu/rows/rows.h"
#include "axis.rule.h"
#include "norm.rule.h"
#include "op_slots.h"

enum { PIECE = 4096 };  // halves that are widened at a time where rows are not needed whole
// Lanes that go through each step together, so that their divisions and roots do not wait for one another,
// and the numbers that they have together at most.
enum { LANES = 8, LANES_ROOM = 4096 };

typedef struct plan {
  size_t lanes, n;  // of contiguous numbers
  size_t per;       // lanes of a block
  weft_norm_groups by;
  size_t spots;  // elements of a channel
  size_t channels;
  double epsilon;
  bool by_element;  // gamma and beta by element; otherwise by channel
  bool last;        // BatchNorm: channels last
  bool has[2];      // outputs 1 and 2: mean and variance
  uint32_t outputs;
  uint8_t in[5], to;      // WEFT__STORE_*
  weft_dtype statistics;  // of the outputs behind the first
  bool widens;
  size_t params;  // numbers of each parameter, widened by each block; 0: none
  const weft__rows_ops *vec;
} plan;

static const char *three_outputs(const weft_tiling *t) {
  for (uint32_t i = 1; i < t->n_out; i++) {
    if (weft__store_of(t->out_dtype[i]) == WEFT__STORE_NONE || t->out_dtype[i] != t->out_dtype[1])
      return "needs f32, f16 or bf16";
  }
  return NULL;
}
// The rank itself where it is outside.
static size_t axis_at(const weft_tiling *t, uint32_t slot) {
  const size_t rank = t->in[0]->origin.rank;
  int64_t a = weft_node_int(t->desc, slot);
  return weft__axis_inside(&a, rank) ? (size_t)a : rank;
}
// room: numbers that are widened at a time.
static weft_status norm_finish(weft_tiling *t, plan *p, double ns_element, size_t room) {
  p->vec = weft__rows_find(t->host);
  p->to = weft__store_of(t->out_dtype[0]);
  p->statistics = t->n_out > 1 ? t->out_dtype[1] : WEFT_FLOAT;
  size_t n_params = WEFT_MIN(t->n_in, 5) - 1;
  for (size_t i = 0; i <= n_params; i++)
    p->in[i] = weft__store_of(t->in_dtype[i]);
  for (size_t i = 1; i <= n_params; i++) {
    if (p->in[i])
      p->params = p->by_element ? p->n : p->channels;
  }
  p->widens = p->in[0] || p->to || p->params;
  if (p->widens)
    t->scratch_bytes = (room + n_params * p->params) * sizeof(float);
  t->blocks = weft__rows_blocks(p->lanes, 20 + ns_element * (double)p->n, &p->per);
  t->data_bytes = sizeof *p;
  t->overwrite = t->n_out == 1 && p->in[0] == p->to;
  t->skips = ~1u;
  p->outputs = t->n_out;
  for (uint32_t i = 0; i < 2; i++)
    p->has[i] = t->n_out > i + 1;
  return WEFT_OK;
}

// ---- over rows ----
static const char *refuse_layer_norm(const weft_tiling *t) {
  const char *why = weft__rows_floats(t, 3);
  if (why || (why = three_outputs(t)) != NULL)
    return why;
  size_t rank = t->in[0]->origin.rank;
  size_t norm = axis_at(t, WEFT_SLOT_LAYER_NORM_BEGIN_NORM_AXIS);
  size_t params = axis_at(t, WEFT_SLOT_LAYER_NORM_BEGIN_PARAMS_AXIS);
  if (norm >= rank || params >= rank)
    return "an axis outside the rank";
  if (!weft__rows_prod(&t->in[0]->origin, norm, rank))
    return "nothing to normalise";
  return norm == params ? NULL : "gamma and beta do not begin at the axis that is normalised";
}
static weft_status tile_layer_norm(weft_tiling *t) {
  plan *p = t->data;
  const weft_shape *s = &t->in[0]->origin;
  size_t axis = axis_at(t, WEFT_SLOT_LAYER_NORM_BEGIN_NORM_AXIS);
  *p = (plan){.lanes = weft__rows_prod(s, 0, axis),
              .n = weft__rows_prod(s, axis, s->rank),
              .epsilon = (double)weft_node_float(t->desc, WEFT_SLOT_LAYER_NORM_EPSILON),
              .by_element = true};
  return norm_finish(t, p, 0.15, p->n);
}

// What is left of the shift when the mean is taken off as a float.
static float shift_of(double beta, double mean, double by) {
  double lost = (mean - (double)(float)mean) * by;
  return (float)(isfinite(lost) ? beta - lost : beta);
}

// Parameter i, from 1 on, as floats; those of halves lie at the scratch's beginning.
static const float *param(const plan *p, const weft_block *b, uint32_t i) {
  float *room = p->params ? (float *)b->scratch + (i - 1) * p->params : NULL;
  if (!b->arg[i])
    return NULL;
  return weft__rows_load(p->vec, p->in[i], b->arg[i], 0, p->params, room);
}

// What a lane's numbers become: (x - mean) * scale, times gamma, plus beta.
typedef struct lane_norm {
  double mean, scale;
  const float *gamma, *beta;
} lane_norm;

static void normalise_lane(const plan *p, size_t lane, const float *x, float *y, const lane_norm *to) {
  const double mean = to->mean;
  if (p->by_element) {
    const weft__norm_by by = {.mean = (float)mean,
                              .rest = (float)(mean - (double)(float)mean),
                              .scale = (float)to->scale,
                              .gamma = to->gamma,
                              .beta = to->beta};
    p->vec->normalise(x, y, p->n, &by);
    return;
  }
  for (size_t k = 0; k < p->by.members; k++) {
    const size_t channel = weft__norm_channel(p->by, lane, k);
    double by = to->scale * (double)to->gamma[channel];
    p->vec->affine(x + k * p->spots, y + k * p->spots, p->spots, (float)mean, (float)by,
                   shift_of((double)to->beta[channel], mean, by));
  }
}
// Lanes from `first` on, `lanes` of them; one where something is widened, into the room for p->n numbers.
static void some_lanes(const plan *p, const weft_block *b, size_t first, size_t lanes, const float *gamma,
                       const float *beta, float *room) {
  const float *x = weft__rows_load(p->vec, p->in[0], b->arg[0], first * p->n, p->n, room);
  float *y = weft__rows_room(p->to, b->arg[3], first * p->n, room);
  double n = (double)p->n, mean[LANES], variance[LANES];
  lane_norm to[LANES];
  for (size_t i = 0; i < lanes; i++)
    mean[i] = p->vec->sum(x + i * p->n, p->n) / n;
  for (size_t i = 0; i < lanes; i++)
    variance[i] = p->vec->sum_squares(x + i * p->n, p->n, mean[i]) / n;
  for (size_t i = 0; i < lanes; i++) {
    if (p->has[0] && b->arg[4])
      weft_store_f64(p->statistics, b->arg[4], first + i, mean[i]);
    if (p->has[1] && b->arg[5])
      weft_store_f64(p->statistics, b->arg[5], first + i, variance[i]);
  }
  for (size_t i = 0; i < lanes; i++)
    to[i] = (lane_norm){mean[i], 1 / weft__norm_root(variance[i], p->epsilon), gamma, beta};
  for (size_t i = 0; i < lanes; i++)
    normalise_lane(p, first + i, x + i * p->n, y + i * p->n, &to[i]);
  weft__rows_store(p->vec, p->to, b->arg[3], first * p->n, p->n, y);
}
static weft_status run_layer_norm(const weft_block *b) {
  const plan *p = b->data;
  size_t first = b->block * p->per;
  size_t last = WEFT_MIN(first + p->per, p->lanes);
  const float *gamma = param(p, b, 1);
  const float *beta = param(p, b, 2);
  float *room = p->widens ? (float *)b->scratch + 2 * p->params : NULL;
  const size_t most = p->widens ? 1 : WEFT_MAX(WEFT_MIN(LANES_ROOM / WEFT_MAX(p->n, 1), LANES), 1);
  for (size_t i = first; i < last; i += most)
    some_lanes(p, b, i, WEFT_MIN(most, last - i), gamma, beta, room);
  return WEFT_OK;
}

// ---- over channels of images ----
static const char *refuse_channels(const weft_tiling *t, uint32_t format) {
  const char *why = weft__rows_floats(t, 3);
  if (why || (why = three_outputs(t)) != NULL)
    return why;
  if (t->in[0]->origin.rank < 2)
    return "needs channels";
  for (size_t i = 0; i < t->in[0]->origin.rank; i++) {
    if (!t->in[0]->origin.dim[i])
      return "nothing to normalise";
  }
  return weft__channels_last(weft_node_str(t->desc, format)) ? "channels are last" : NULL;
}
static weft_status tile_channels(weft_tiling *t, size_t groups, double epsilon) {
  plan *p = t->data;
  const weft_shape *s = &t->in[0]->origin;
  size_t channels = (size_t)s->dim[1];
  size_t spots = weft__rows_prod(s, 2, s->rank);
  *p = (plan){.lanes = (size_t)s->dim[0] * groups,
              .by = weft__norm_split(channels, groups),
              .spots = spots,
              .channels = channels,
              .epsilon = epsilon};
  p->n = p->by.members * spots;
  return norm_finish(t, p, 0.15, p->n);
}
static const char *refuse_instance_norm(const weft_tiling *t) {
  return refuse_channels(t, WEFT_SLOT_INSTANCE_NORM_DATA_FORMAT);
}
static weft_status tile_instance_norm(weft_tiling *t) {
  return tile_channels(t, (size_t)t->in[0]->origin.dim[1],
                       (double)weft_node_float(t->desc, WEFT_SLOT_INSTANCE_NORM_EPSILON));
}
static const char *refuse_group_norm(const weft_tiling *t) {
  const char *why = refuse_channels(t, WEFT_SLOT_GROUP_NORM_DATA_FORMAT);
  if (why)
    return why;
  int64_t groups = weft_node_int(t->desc, WEFT_SLOT_GROUP_NORM_NUM_GROUPS);
  return groups > 0 && t->in[0]->origin.dim[1] % groups == 0 ? NULL
                                                             : "groups that do not divide the channels";
}
static weft_status tile_group_norm(weft_tiling *t) {
  return tile_channels(t, (size_t)weft_node_int(t->desc, WEFT_SLOT_GROUP_NORM_NUM_GROUPS),
                       (double)weft_node_float(t->desc, WEFT_SLOT_GROUP_NORM_EPS));
}
#define run_instance_norm run_layer_norm
#define run_group_norm    run_layer_norm

// ---- by given statistics ----
static const char *refuse_batch_norm(const weft_tiling *t) {
  const char *why = weft__rows_floats(t, 3);
  if (why || (why = three_outputs(t)) != NULL)
    return why;
  if (weft_node_bool(t->desc, WEFT_SLOT_BATCH_NORM_IS_TRAINING))
    return "training";
  if (t->n_in != 5)
    return "mean or variance is missing";
  for (uint32_t i = 3; i < 5; i++) {
    if (weft__store_of(t->in_dtype[i]) == WEFT__STORE_NONE)
      return "needs f32, f16 or bf16";
  }
  for (uint32_t i = 1; i < 5; i++) {
    if (t->in[i]->origin.rank != 1)
      return "parameters that are no vectors";
  }
  if (t->in[0]->origin.rank < 2)
    return "needs channels";
  return NULL;
}
static weft_status tile_batch_norm(weft_tiling *t) {
  plan *p = t->data;
  const weft_shape *s = &t->in[0]->origin;
  const char *format = weft_node_str(t->desc, WEFT_SLOT_BATCH_NORM_DATA_FORMAT);
  bool last = weft__channels_last(format);
  size_t axis = weft__channel_axis(format, s->rank);
  size_t inner = weft__rows_prod(s, axis + 1, s->rank);
  *p = (plan){.channels = (size_t)s->dim[axis],
              .last = last,
              .epsilon = (double)weft_node_float(t->desc, WEFT_SLOT_BATCH_NORM_EPSILON)};
  p->lanes = weft__rows_prod(s, 0, axis) * (last ? 1 : p->channels);
  p->n = last ? p->channels : inner;
  if (!p->n)
    p->lanes = 0;  // as many as the shape claims
  return norm_finish(t, p, last ? 0.3 : 0.06, last ? 256 : WEFT_MIN(p->n, PIECE));
}
// What was given, twice, and zeros.
static void statistics(const plan *p, const weft_block *b, const float *mean, const float *variance) {
  for (uint32_t i = 1; i < p->outputs; i++) {
    for (size_t c = 0; b->arg[5 + i] && c < p->channels; c++)
      weft_store_f64(p->statistics, b->arg[5 + i], c, i == 5 ? 0 : (double)(i % 2 ? mean[c] : variance[c]));
  }
}
static void channels_last(const plan *p, const weft_block *b, size_t first, size_t last,
                          const float *const *by, float *room) {
  for (size_t c = 0; c < p->channels; c += 256) {
    float scale[256];
    size_t n = WEFT_MIN(p->channels - c, 256);
    for (size_t k = 0; k < n; k++)
      scale[k] = (float)((double)by[0][c + k] / weft__norm_root((double)by[3][c + k], p->epsilon));
    for (size_t i = first; i < last; i++) {
      size_t at = i * p->channels + c;
      float *y = weft__rows_room(p->to, b->arg[5], at, room);
      p->vec->affine_by(weft__rows_load(p->vec, p->in[0], b->arg[0], at, n, room), y, n, by[2] + c, scale,
                        by[1] + c);
      weft__rows_store(p->vec, p->to, b->arg[5], at, n, y);
    }
  }
}
static weft_status run_batch_norm(const weft_block *b) {
  const plan *p = b->data;
  const float *by[4];  // gamma, beta, mean, variance
  for (uint32_t i = 0; i < 4; i++)
    by[i] = param(p, b, i + 1);
  float *room = p->widens ? (float *)b->scratch + 4 * p->params : NULL;
  if (b->block == 0)
    statistics(p, b, by[2], by[3]);
  size_t first = b->block * p->per;
  size_t last = WEFT_MIN(first + p->per, p->lanes);
  if (p->last)
    return channels_last(p, b, first, last, by, room), WEFT_OK;
  const size_t piece = p->widens ? PIECE : WEFT_MAX(p->n, 1);
  for (size_t i = first; i < last; i++) {
    size_t c = i % p->channels;
    double scale = (double)by[0][c] / weft__norm_root((double)by[3][c], p->epsilon);
    for (size_t done = 0; done < p->n; done += piece) {
      size_t at = i * p->n + done;
      size_t n = WEFT_MIN(p->n - done, piece);
      float *y = weft__rows_room(p->to, b->arg[5], at, room);
      p->vec->affine(weft__rows_load(p->vec, p->in[0], b->arg[0], at, n, room), y, n, by[2][c], (float)scale,
                     by[1][c]);
      weft__rows_store(p->vec, p->to, b->arg[5], at, n, y);
    }
  }
  return WEFT_OK;
}

WEFT_ROWS_KERNEL(layer_norm, "LayerNorm", "rows", 256);
WEFT_ROWS_KERNEL(instance_norm, "InstanceNorm", "rows", 256);
WEFT_ROWS_KERNEL(group_norm, "GroupNorm", "rows", 256);
WEFT_ROWS_KERNEL(batch_norm, "BatchNorm", "affine", 256);
// SPDX-License-Identifier: Apache-2.0
