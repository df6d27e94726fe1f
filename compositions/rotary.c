// compositions/rotary.c - positions as rotations: y = x cos + turned(x) sin. What is turned: halves
// (-second, first), pairs (-odd, even), or quarters (halves of each half). Layer: compositions.
#include "air_slots.h"
#include "compose/compose.h"

enum { ROTARY_HALF, ROTARY_PAIRS, ROTARY_QUARTERS, ROTARY_UNTANGLED };  // pairs become halves first

// "a", "b": the halves of `name`.
static weft_status rotary_halves(weft__composing *c, const char *name, const char *text) {
  char line[256];
  snprintf(line, sizeof line, "a, b = SplitD(%s, split_dim=-1, num_split=2); %s", name, text);
  return weft__compose_text(c, line);
}
// Pairs behind one another: [.., n] as [.., n / 2, 2].
static weft_status rotary_pairs(weft__composing *c, const char *name, const char *to) {
  weft_value *v = weft__composed(c, name);
  int rank = front_rank_of(c->o, v);
  weft_dim n = front_dim(v, rank - 1);
  int64_t dims[WEFT_MAX_RANK + 1] = {0};
  if (c->o->failed)
    return c->o->failed;
  if (rank < 1 || rank >= WEFT_MAX_RANK || n < 0 || n % 2)
    return front_fail(c->o, n < 0 ? WEFT_E_UNKNOWN : WEFT_E_SHAPE,
                      "the last dim of rank %d has to be even and known, got %lld", rank, front_shown(n));
  dims[rank - 1] = n / 2;
  dims[rank] = 2;
  weft_value *shape = front_list(c->o, dims, (size_t)rank + 1);
  front_set_bool(c->o, "allowzero", false);
  weft__compose_name(c, to, front_do(c->o, "Reshape", v, shape, NULL));
  return c->o->failed;
}
// Back: the last two axes of `name` become one, as long as before.
static weft_status rotary_joined(weft__composing *c, const char *name, weft_value *like) {
  weft__compose_name(c, "shape", front_shape(c->o, like));
  char line[96];
  snprintf(line, sizeof line, "%s = Reshape(%s, shape, allowzero=true)", name, name);
  return weft__compose_text(c, line);
}
// Even elements in front, odd ones behind.
static weft_status rotary_untangled(weft__composing *c, const char *name) {
  weft_value *like = weft__composed(c, name);
  int rank = front_rank_of(c->o, like);
  WEFT_TRY(rotary_pairs(c, name, "two"));
  weft__compose_name(c, name, front_swapped(c->o, weft__composed(c, "two"), rank - 1, rank));
  return rotary_joined(c, name, like);
}
// "t": x turned by a quarter circle; back: the other way.
static weft_status rotary_turned(weft__composing *c, const char *name, int mode, bool back) {
  weft_value *like = weft__composed(c, name);
  const char *of = name;
  if (mode == ROTARY_PAIRS) {
    WEFT_TRY(rotary_pairs(c, name, "two"));
    of = "two";
  } else if (mode == ROTARY_QUARTERS) {
    int rank = front_rank_of(c->o, like);
    weft_dim n = front_dim(like, rank - 1);
    int64_t dims[WEFT_MAX_RANK + 1] = {0};
    if (c->o->failed || rank < 1 || rank >= WEFT_MAX_RANK || n < 0 || n % 4)
      return front_fail(c->o, n < 0 ? WEFT_E_UNKNOWN : WEFT_E_SHAPE,
                        "the last dim of rank %d has to be a multiple of 4, got %lld", rank, front_shown(n));
    dims[rank - 1] = 2;
    dims[rank] = n / 2;
    weft_value *shape = front_list(c->o, dims, (size_t)rank + 1);
    front_set_bool(c->o, "allowzero", false);
    weft__compose_name(c, "two", front_do(c->o, "Reshape", like, shape, NULL));
    of = "two";
  }
  WEFT_TRY(
      rotary_halves(c, of, back ? "t = ConcatV2({b, Neg(a)}, [-1])" : "t = ConcatV2({Neg(b), a}, [-1])"));
  return of == name ? WEFT_OK : rotary_joined(c, "t", like);
}
// `to`: x turned by the angles whose cos and sin are given.
static weft_status rotary_apply(weft__composing *c, const char *name, const char *to, int mode) {
  char line[96];
  if (mode == ROTARY_UNTANGLED)
    WEFT_TRY(rotary_untangled(c, name));
  WEFT_TRY(rotary_turned(c, name, mode == ROTARY_UNTANGLED ? ROTARY_HALF : mode, false));
  snprintf(line, sizeof line, "%s = Add(Mul(%s, cos), Mul(t, sin))", to, name);
  return weft__compose_text(c, line);
}

static weft_status apply_rotary_build(weft__composing *c) {
  static const char *const modes[] = {"half", "interleave", "quarter"};
  const char *mode = weft_node_str(c->desc, WEFT_SLOT_APPLY_ROTARY_POS_EMB_ROTARY_MODE);
  int i = 0;
  while (i < (int)WEFT_COUNT(modes) && strcmp(modes[i], mode) != 0)
    i++;
  if (i == (int)WEFT_COUNT(modes))
    return front_fail(c->o, WEFT_E_INVALID,
                      "attribute 'rotary_mode': '%s' is none of half, interleave and quarter", mode);
  WEFT_TRY(rotary_apply(c, "query", "query", i));
  return rotary_apply(c, "key", "key", i);
}
static weft_status rotary_mode(weft__composing *c, int64_t mode) {
  return mode < 0 || mode > 2
             ? front_fail(c->o, WEFT_E_UNSUPPORTED, "attribute 'mode': %lld is not computed, 0 to 2 are",
                          (long long)mode)
             : WEFT_OK;
}
static weft_status rotary_position_build(weft__composing *c) {
  int64_t mode = weft_node_int(c->desc, WEFT_SLOT_ROTARY_POSITION_EMBEDDING_MODE);
  WEFT_TRY(rotary_mode(c, mode));
  return rotary_apply(c, "x", "y", (int)mode);
}
static weft_status rotary_position_grad_build(weft__composing *c) {
  int64_t mode = weft_node_int(c->desc, WEFT_SLOT_ROTARY_POSITION_EMBEDDING_GRAD_MODE);
  WEFT_TRY(rotary_mode(c, mode));
  WEFT_TRY(weft__compose_text(c, "s = Mul(dy, sin)"));
  WEFT_TRY(rotary_turned(c, "s", (int)mode, true));
  WEFT_TRY(weft__compose_text(c, "dx = Add(Mul(dy, cos), t)"));
  if (!weft__composed(c, "x"))
    return weft__compose_text(c, "dcos = ZerosLike(cos); dsin = ZerosLike(sin)");
  WEFT_TRY(rotary_turned(c, "x", (int)mode, false));
  return weft__compose_text(c, "dcos = onto(Mul(dy, x), cos); dsin = onto(Mul(dy, t), sin)");
}
static weft_status interleave_rope_build(weft__composing *c) {
  return rotary_apply(c, "x", "y", ROTARY_UNTANGLED);
}

#define W COMPOSED_WIDE_BY
// clang-format off
WEFT_ROWS(rotary) = {
  W("ApplyRotaryPosEmb", "query and key turned by angles of their places", apply_rotary_build,
    "f32[1,1,1,2]{1,2}, f32[1,1,1,2]{3,4}, f32[1,1,1,2]{0,0}, f32[1,1,1,2]{1,1} -> f32[1,1,1,2]{-2,1}, "
    "f32[1,1,1,2]{-4,3}",
    "f16[B,S,4,8], f16[B,S,1,8], f16[B,S,1,8], f16[B,S,1,8] rotary_mode=\"interleave\" -> "
    "f16[B,S,4,8], f16[B,S,1,8]",
    "f32[1,1,1,2], f32[1,1,1,2], f32[1,1,1,2], f32[1,1,1,2] rotary_mode=\"third\" -> _, _ !! E_INVALID half"),
  W("RotaryPositionEmbedding", "x turned by angles of its places", rotary_position_build,
    "f32[1,1,1,4]{1,2,3,4}, f32[1,1,1,4]{0,0,0,0}, f32[1,1,1,4]{1,1,1,1} -> f32[1,1,1,4]{-3,-4,1,2}",
    "f32[1,1,1,4]{1,2,3,4}, f32[1,1,1,4]{0,0,0,0}, f32[1,1,1,4]{1,1,1,1} mode=1 -> f32[1,1,1,4]{-2,1,-4,3}",
    "f32[1,1,1,8]{1,2,3,4,5,6,7,8}, f32[1,1,1,8]{0,0,0,0,0,0,0,0}, f32[1,1,1,8]{1,1,1,1,1,1,1,1} mode=2 -> "
    "f32[1,1,1,8]{-3,-4,1,2,-7,-8,5,6}",
    "f16[B,S,4,8], f16[1,S,1,8], f16[1,S,1,8] -> f16[B,S,4,8]",
    "f32[1,1,1,4], f32[1,1,1,4], f32[1,1,1,4] mode=7 -> _ !! E_UNSUPPORTED attribute 'mode'"),
  W("RotaryPositionEmbeddingGrad", "the gradients of RotaryPositionEmbedding", rotary_position_grad_build,
    "f32[1,1,1,2]{1,1}, f32[1,1,1,2]{1,1}, f32[1,1,1,2]{1,1}, f32[1,1,1,2]{1,2} -> f32[1,1,1,2]{2,0}, "
    "f32[1,1,1,2]{1,2}, f32[1,1,1,2]{-2,1}",
    "f16[B,S,4,8], f16[1,S,1,8], f16[1,S,1,8] mode=1 -> f16[B,S,4,8], f16[1,S,1,8], f16[1,S,1,8]"),
  W("InterleaveRope", "x turned by angles of its places, its pairs as halves", interleave_rope_build,
    "f16[1,1,1,4]{1,2,3,4}, f16[1,1,1,4]{0,0,0,0}, f16[1,1,1,4]{1,1,1,1} -> f16[1,1,1,4]{-2,-4,1,3}",
    "f16[B,N,1,8], f16[B,1,1,8], f16[B,1,1,8] -> f16[B,N,1,8]"),
  {0},
};
// SPDX-License-Identifier: Apache-2.0
