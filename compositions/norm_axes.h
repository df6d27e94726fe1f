// compositions/norm_axes.h - along which axes normalisations go, and how their parameters lie there: names
// for texts. Layer: compositions.
#pragma once
#include "compose/compose.h"

static inline weft_status norms_name_axes(weft__composing *c, const char *name, const int64_t *axes,
                                          size_t n) {
  weft__compose_name(c, name, front_list(c->o, axes, n));
  return c->o->failed;
}

// "inner": the last `n` axes of x; "outer": those before.
static inline weft_status norms_split_axes(weft__composing *c, const char *x, int n) {
  int64_t axes[WEFT_MAX_RANK];
  int rank = front_rank_of(c->o, weft__composed(c, x));
  if (c->o->failed)
    return c->o->failed;
  if (n < 0 || n > rank)
    return front_fail(c->o, WEFT_E_SHAPE, "input '%s' has rank %d, the parameters have %d axes", x, rank, n);
  for (int i = 0; i < rank; i++)
    axes[i] = i;
  WEFT_TRY(norms_name_axes(c, "outer", axes, (size_t)(rank - n)));
  return norms_name_axes(c, "inner", axes + rank - n, (size_t)n);
}
static inline weft_status norms_axes_of(weft__composing *c, const char *x, const char *params) {
  int rank = front_rank_of(c->o, weft__composed(c, params));
  return c->o->failed ? c->o->failed : norms_split_axes(c, x, rank);
}

// "outer": all axes but the channels'; "around": how a parameter is broadcast over them.
static inline weft_status norms_channel_axes(weft__composing *c, const char *x, int channel) {
  int64_t axes[WEFT_MAX_RANK];
  size_t n = 0;
  int rank = front_rank_of(c->o, weft__composed(c, x));
  if (c->o->failed)
    return c->o->failed;
  if (rank < 2)
    return front_fail(c->o, WEFT_E_SHAPE, "input '%s': rank %d, expected at least 2", x, rank);
  channel = channel < 0 ? channel + rank : channel;
  for (int i = 0; i < rank; i++) {
    if (i != channel)
      axes[n++] = i;
  }
  return norms_name_axes(c, "outer", axes, n);
}
// A parameter of the channels as one of x: [C] with axes of 1 around.
static inline weft_status norms_spread(weft__composing *c, const char *name, const char *x, int channel) {
  weft_value *v = weft__composed(c, name);
  int rank = front_rank_of(c->o, weft__composed(c, x));
  channel = channel < 0 ? channel + rank : channel;
  if (!v || front_rank(v) != 1)
    return WEFT_OK;
  for (int i = 0; i < channel; i++)
    v = front_unsqueezed(c->o, v, 0);
  for (int i = channel + 1; i < rank; i++)
    v = front_unsqueezed(c->o, v, front_rank(v));
  weft__compose_name(c, name, v);
  return c->o->failed;
}
static inline int norms_channel_of(const char *format) {
  return !strcmp(format, "NHWC") || !strcmp(format, "NDHWC") ? -1 : 1;
}

static inline weft_status norms_affine(weft__composing *c, const char *gamma, const char *beta) {
  char text[96];
  if (weft__composed(c, gamma)) {
    snprintf(text, sizeof text, "y = Mul(y, %s)", gamma);
    WEFT_TRY(weft__compose_text(c, text));
  }
  if (weft__composed(c, beta)) {
    snprintf(text, sizeof text, "y = Add(y, %s)", beta);
    WEFT_TRY(weft__compose_text(c, text));
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
