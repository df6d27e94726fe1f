// norm.c - LayerNorm, InstanceNorm, GroupNorm and BatchNorm (not training) of f32. Mean and variance of a
// lane are made in double in two passes over it, which lies in cache; the order of sums depends on its length
// alone. Lanes are contiguous: channels come first, or BatchNorm's last.
#include <math.h>

#include "cpu/rows.h"

typedef struct plan {
  size_t lanes, n;        // of contiguous numbers
  size_t per;             // lanes of a block
  size_t members, spots;  // of a group: channels, and elements of a channel
  size_t channels;
  double epsilon;
  bool by_element;  // gamma and beta by element; otherwise by channel
  bool last;        // BatchNorm: channels last
  bool has[2];      // outputs 1 and 2: mean and variance
  uint32_t outputs;
  const weft__vec *vec;
} plan;

static const char *three_outputs(const weft_tiling *t) {
  for (uint32_t i = 1; i < t->n_out; i++)
    if (t->out_dtype[i] != WEFT_FLOAT) return "needs f32";
  return NULL;
}
static size_t axis_at(const weft_tiling *t, uint32_t slot) {
  int64_t a = weft_node_int(t->desc, slot);
  return (size_t)(a < 0 ? a + (int64_t)t->in[0]->origin.rank : a);
}
static weft_status finish(weft_tiling *t, plan *p, double ns_element) {
  p->vec = weft__vec_find();
  t->blocks = weft__rows_blocks(p->lanes, 20 + ns_element * (double)p->n, &p->per);
  t->data_bytes = sizeof *p, t->overwrite = t->n_out == 1, t->skips = ~1u, p->outputs = t->n_out;
  for (uint32_t i = 0; i < 2; i++) p->has[i] = t->n_out > i + 1;
  return WEFT_OK;
}

// ---- over rows ----
static const char *refuse_layer_norm(const weft_tiling *t) {
  const char *why = weft__rows_f32(t, 3);
  if (why || (why = three_outputs(t)) != NULL) return why;
  size_t rank = t->in[0]->origin.rank, norm = axis_at(t, 0), params = axis_at(t, 1);
  if (norm >= rank || params >= rank) return "an axis outside the rank";
  if (!weft__rows_prod(&t->in[0]->origin, norm, rank)) return "nothing to normalise";
  return norm == params ? NULL : "gamma and beta do not begin at the axis that is normalised";
}
static weft_status tile_layer_norm(weft_tiling *t) {
  plan *p = t->data;
  const weft_shape *s = &t->in[0]->origin;
  size_t axis = axis_at(t, 0);
  *p = (plan){.lanes = weft__rows_prod(s, 0, axis),
              .n = weft__rows_prod(s, axis, s->rank),
              .epsilon = (double)weft_node_float(t->desc, 2),
              .by_element = true};
  return finish(t, p, 0.15);
}

// What is left of the shift when the mean is taken off as a float.
static float shift_of(double beta, double mean, double by) {
  double lost = (mean - (double)(float)mean) * by;
  return (float)(isfinite(lost) ? beta - lost : beta);
}

static void one_lane(const plan *p, const weft_block *b, size_t lane) {
  const float *x = (const float *)b->arg[0] + lane * p->n, *gamma = b->arg[1], *beta = b->arg[2];
  float *y = (float *)b->arg[3] + lane * p->n;
  double n = (double)p->n, mean = p->vec->sum(x, p->n) / n;
  double variance = p->vec->sum_squares(x, p->n, mean) / n;
  if (p->has[0] && b->arg[4]) ((float *)b->arg[4])[lane] = (float)mean;
  if (p->has[1] && b->arg[5]) ((float *)b->arg[5])[lane] = (float)variance;
  double scale = 1 / sqrt(variance + p->epsilon);
  if (p->by_element) {
    p->vec->normalise(x, y, p->n, (float)mean, (float)(mean - (double)(float)mean), (float)scale, gamma,
                      beta);
    return;
  }
  size_t group = lane % (p->channels / p->members);
  for (size_t k = 0; k < p->members; k++) {
    double by = scale * (double)gamma[group * p->members + k];
    p->vec->affine(x + k * p->spots, y + k * p->spots, p->spots, (float)mean, (float)by,
                   shift_of((double)beta[group * p->members + k], mean, by));
  }
}
static weft_status run_layer_norm(const weft_block *b) {
  const plan *p = b->data;
  size_t first = b->block * p->per, last = WEFT_MIN(first + p->per, p->lanes);
  for (size_t i = first; i < last; i++) one_lane(p, b, i);
  return WEFT_OK;
}

// ---- over channels of images ----
static const char *refuse_channels(const weft_tiling *t, uint32_t format) {
  const char *why = weft__rows_f32(t, 3);
  if (why || (why = three_outputs(t)) != NULL) return why;
  if (t->in[0]->origin.rank < 2) return "needs channels";
  for (size_t i = 0; i < t->in[0]->origin.rank; i++)
    if (!t->in[0]->origin.dim[i]) return "nothing to normalise";
  return weft__rows_channels_last(weft_node_str(t->desc, format)) ? "channels are last" : NULL;
}
static weft_status tile_channels(weft_tiling *t, size_t groups, double epsilon) {
  plan *p = t->data;
  const weft_shape *s = &t->in[0]->origin;
  size_t channels = (size_t)s->dim[1], spots = weft__rows_prod(s, 2, s->rank);
  *p = (plan){.lanes = (size_t)s->dim[0] * groups,
              .members = channels / groups,
              .spots = spots,
              .channels = channels,
              .n = channels / groups * spots,
              .epsilon = epsilon};
  return finish(t, p, 0.15);
}
static const char *refuse_instance_norm(const weft_tiling *t) {
  return refuse_channels(t, 0);
}
static weft_status tile_instance_norm(weft_tiling *t) {
  return tile_channels(t, (size_t)t->in[0]->origin.dim[1], (double)weft_node_float(t->desc, 1));
}
static const char *refuse_group_norm(const weft_tiling *t) {
  const char *why = refuse_channels(t, 1);
  if (why) return why;
  int64_t groups = weft_node_int(t->desc, 0);
  return groups > 0 && t->in[0]->origin.dim[1] % groups == 0 ? NULL
                                                             : "groups that do not divide the channels";
}
static weft_status tile_group_norm(weft_tiling *t) {
  return tile_channels(t, (size_t)weft_node_int(t->desc, 0), (double)weft_node_float(t->desc, 2));
}
#define run_instance_norm run_layer_norm
#define run_group_norm    run_layer_norm

// ---- by given statistics ----
static const char *refuse_batch_norm(const weft_tiling *t) {
  const char *why = weft__rows_f32(t, 3);
  if (why || (why = three_outputs(t)) != NULL) return why;
  if (weft_node_bool(t->desc, 2)) return "training";
  if (t->n_in != 5) return "mean or variance is missing";
  for (uint32_t i = 3; i < 5; i++)
    if (t->in_dtype[i] != WEFT_FLOAT) return "needs f32";
  for (uint32_t i = 1; i < 5; i++)
    if (t->in[i]->origin.rank != 1) return "parameters that are no vectors";
  if (t->in[0]->origin.rank < 2) return "needs channels";
  return NULL;
}
static weft_status tile_batch_norm(weft_tiling *t) {
  plan *p = t->data;
  const weft_shape *s = &t->in[0]->origin;
  bool last = weft__rows_channels_last(weft_node_str(t->desc, 1));
  size_t axis = last ? s->rank - 1 : 1, inner = weft__rows_prod(s, axis + 1, s->rank);
  *p = (plan){.channels = (size_t)s->dim[axis], .last = last, .epsilon = (double)weft_node_float(t->desc, 0)};
  p->lanes = weft__rows_prod(s, 0, axis) * (last ? 1 : p->channels);
  p->n = last ? p->channels : inner;
  return finish(t, p, last ? 0.3 : 0.06);
}
static weft_status run_batch_norm(const weft_block *b) {
  const plan *p = b->data;
  const float *gamma = b->arg[1], *beta = b->arg[2], *mean = b->arg[3], *variance = b->arg[4];
  for (uint32_t i = 1; i < p->outputs && b->block == 0; i++)  // what was given, twice, and zeros
    for (size_t c = 0; b->arg[5 + i] && c < p->channels; c++)
      ((float *)b->arg[5 + i])[c] = i == 5 ? 0 : i % 2 ? mean[c] : variance[c];
  size_t first = b->block * p->per, last = WEFT_MIN(first + p->per, p->lanes);
  for (size_t i = first; i < last && !p->last; i++) {
    size_t c = i % p->channels, at = i * p->n;
    double by = (double)gamma[c] / sqrt((double)variance[c] + p->epsilon);
    p->vec->affine((const float *)b->arg[0] + at, (float *)b->arg[5] + at, p->n, mean[c], (float)by, beta[c]);
  }
  for (size_t c = 0; c < p->channels && p->last; c += 256) {
    float scale[256];
    size_t n = WEFT_MIN(p->channels - c, 256);
    for (size_t k = 0; k < n; k++)
      scale[k] = (float)((double)gamma[c + k] / sqrt((double)variance[c + k] + p->epsilon));
    for (size_t i = first; i < last; i++) {
      size_t at = i * p->channels + c;
      p->vec->affine_by((const float *)b->arg[0] + at, (float *)b->arg[5] + at, n, mean + c, scale, beta + c);
    }
  }
  return WEFT_OK;
}

WEFT_ROWS_KERNEL(layer_norm, "LayerNorm", "rows", 256);
WEFT_ROWS_KERNEL(instance_norm, "InstanceNorm", "rows", 256);
WEFT_ROWS_KERNEL(group_norm, "GroupNorm", "rows", 256);
WEFT_ROWS_KERNEL(batch_norm, "BatchNorm", "affine", 256);
