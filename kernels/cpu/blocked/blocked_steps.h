// blocked_steps.h - how a tile of sums goes to an NC1HWC0 output through the steps of its epilogue, compiled
// for each instruction set. The including file includes a vector_*.h.
#pragma once
#include "cpu/gemm/block_steps.h"
#include "cpu/blocked/blocked_block.h"

// ---- on the way out ----
// One vector of channels of the output.
typedef struct lanes {
  size_t channel, at;  // first channel; numbers from the image's first one, at place 0
  size_t n;            // channels that there are, of VEC
} lanes;

// False: behind the last block.
WEFT_INLINE bool lanes_of(const weft__blocked_out *o, size_t v, lanes *out) {
  size_t c = o->channel + v * VEC;
  if (c / WEFT__C0 * WEFT__C0 >= o->end)
    return false;
  out->channel = c;
  out->at = c / WEFT__C0 * o->y_block + c % WEFT__C0;
  out->n = c >= o->channels ? 0 : o->channels - c < VEC ? o->channels - c : VEC;
  return true;
}

WEFT_INLINE ivec mask_of(size_t n) {
  ivec m;
  for (size_t i = 0; i < VEC; i++)
    m[i] = i < n ? -1 : 0;
  return m;
}

WEFT_INLINE vec by_channel(const float *z, const lanes *l) {
  return l->n == VEC ? load(z + l->channel) : l->n ? load_part(z + l->channel, l->n) : (vec){0};
}

// Operand of an addition: by channel, or one number; by place: *out_all is where the first place's is.
WEFT_INLINE vec operand(const weft__blocked_out *o, const weft__step *s, const lanes *l,
                        const float **out_all) {
  const float *z = o->arg[s->arg];
  *out_all = NULL;
  if (s->by_col) {
    size_t image = (o->channels + WEFT__C0 - 1) / WEFT__C0 * o->y_block;
    *out_all = z + (s->by_batch ? o->batch * image : 0) + l->at + o->place * WEFT__C0;
    return (vec){0};
  }
  return s->by_row ? by_channel(z, l) : spread(*z);
}

// The usual steps: at most one addition by channel, one by place, one clip, in this order.
typedef struct usual {
  const weft__step *one, *all;
  vec low, high;
} usual;

WEFT_INLINE bool read_usual(const weft__blocked_out *o, usual *u) {
  const weft__step *s = o->e->step;
  const weft__step *end = s + o->e->n;
  *u = (usual){.low = spread(-__builtin_inff()), .high = spread(__builtin_inff())};
  if (s < end && s->kind == WEFT__STEP_ADD && s->p == 1.0f && !s->by_col)
    u->one = s++;
  if (s < end && s->kind == WEFT__STEP_ADD && s->p == 1.0f && s->by_col)
    u->all = s++;
  if (s < end && s->kind == WEFT__STEP_CLIP) {
    u->low = spread(s->p);
    u->high = spread(s->q);
    s++;
  }
  return s == end;
}

// What is added by channel; *z: by place, or NULL.
WEFT_INLINE vec usual_operands(const weft__blocked_out *o, const usual *u, const lanes *l, const float **z) {
  const float *ignored;
  *z = NULL;
  if (u->all)
    operand(o, u->all, l, z);
  return u->one ? operand(o, u->one, l, &ignored) : (vec){0};
}

WEFT_INLINE vec clip(vec x, const usual *u) {
  return vector_min(u->high, vector_max(u->low, x));
}

static bool finish_usual(const float *tile, const weft__blocked_out *o) {
  usual u;
  lanes l;
  if (!read_usual(o, &u))
    return false;
  for (size_t v = 0; v < 2 && lanes_of(o, v, &l); v++) {
    const float *z;
    const float *t = tile + v * VEC;
    const vec add = usual_operands(o, &u, &l, &z);
    float *y = o->y + l.at + o->place * WEFT__C0;
    const ivec mask = mask_of(l.n);
    for (size_t i = 0; i < o->rows; i++, t += TILE, y += WEFT__C0) {
      vec x = load(t) + add;
      if (z)
        x += load(z + i * WEFT__C0);
      x = clip(x, &u);
      store(y, l.n < VEC ? (vec)((ivec)x & mask) : x);
    }
  }
  return true;
}

static void add(float *tile, const weft__blocked_out *o, const weft__step *s) {
  lanes l;
  for (size_t v = 0; v < 2 && lanes_of(o, v, &l); v++) {
    const float *z;
    vec one = operand(o, s, &l, &z);
    for (size_t i = 0; i < o->rows; i++) {
      float *t = tile + i * TILE + v * VEC;
      store(t, load(t) + (z ? load(z + i * WEFT__C0) : one) * s->p);
    }
  }
}

static void finish(float *tile, const weft__blocked_out *o) {
  static const weft__epilogue none;
  if (finish_usual(tile, o))
    return;
  for (uint32_t k = 0; k < o->e->n; k++) {
    if (o->e->step[k].kind == WEFT__STEP_ADD)
      add(tile, o, &o->e->step[k]);
    else
      activate(tile, o->rows, &o->e->step[k], tile, TILE);
  }
  weft__blocked_out plain = *o;
  plain.e = &none;
  finish_usual(tile, &plain);
}

// What all tiles of a sum share on their way out.
typedef struct way {
  bool straight;  // from registers; the rest is known then
  usual u;
  vec add[2];
  float *y[2];
  const float *z[2];
} way;

WEFT_INLINE way way_of(size_t vecs, const weft__blocked_out *o) {
  way w;
  w.straight = false;
  lanes l;  // of a block of channels that ends in this tile: they become zero
  if (!o || o->channel + vecs * VEC > o->end || (vecs < 2 && lanes_of(o, 1, &l)))
    return w;
  w.straight = read_usual(o, &w.u);
  UNROLL
  for (size_t v = 0; v < vecs; v++) {
    if (!w.straight || !lanes_of(o, v, &l))
      break;
    w.add[v] = usual_operands(o, &w.u, &l, &w.z[v]);
    w.y[v] = o->y + l.at + o->place * WEFT__C0;
  }
  return w;
}

// Where the sums of a tile leave for: added to what is in `tile` when `more`; the tile, or, where there is
// one, the output, `first` places behind it.
typedef struct leaving {
  float *tile;
  bool more;
  const weft__blocked_out *o;
  size_t first;
} leaving;

// Sums on their way from registers.
WEFT_INLINE void leave(size_t rows, size_t vecs, vec (*s)[2], const leaving *to, const way *w) {
  float *out = to->tile;
  const size_t first = to->first;
  if (to->more) {
    UNROLL
    for (size_t i = 0; i < rows; i++) {
      s[i][0] += load(out + i * TILE);
      if (vecs > 1)
        s[i][1] += load(out + i * TILE + VEC);
    }
  }
  if (to->o && w->straight) {
    UNROLL
    for (size_t v = 0; v < vecs; v++) {
      const vec add = w->add[v];
      float *y = w->y[v] + first * WEFT__C0;
      if (w->z[v]) {
        const float *z = w->z[v] + first * WEFT__C0;
        UNROLL
        for (size_t i = 0; i < rows; i++)
          store(y + i * WEFT__C0, clip(s[i][v] + add + load(z + i * WEFT__C0), &w->u));
      } else {
        UNROLL
        for (size_t i = 0; i < rows; i++)
          store(y + i * WEFT__C0, clip(s[i][v] + add, &w->u));
      }
    }
    return;
  }
  UNROLL
  for (size_t i = 0; i < rows; i++) {
    store(out + i * TILE, s[i][0]);
    if (vecs > 1)
      store(out + i * TILE + VEC, s[i][1]);
  }
  if (!to->o)
    return;
  weft__blocked_out here = *to->o;
  here.place += first;
  finish(out, &here);
}
// SPDX-License-Identifier: Apache-2.0
