// map_border.c - borders around tensors, and blocks of pixels that become channels.
#include "frontend/mindspore/tables.h"

// ---- borders ----
// `given` counts pairs from the last axis on; PadV3 takes all begins, then all ends.
static void border_padded(ms_op *o, const int64_t *given, size_t n, const char *mode, weft_value *number) {
  front_op *b = &o->b;
  int64_t all[2 * WEFT_MAX_RANK] = {0};
  weft_value *x = ms_tensor(o, "x");
  size_t rank = (size_t)front_rank_of(b, x);
  if (!b->failed && (n % 2 || n > 2 * rank))
    front_fail(b, WEFT_E_INVALID, "%zu paddings for rank %zu", n, rank);
  if (b->failed)
    return;
  for (size_t i = 0; i < n / 2; i++) {
    all[rank - 1 - i] = given[2 * i];
    all[2 * rank - 1 - i] = given[2 * i + 1];
  }
  bool constant = !strcmp(mode, "constant");
  if (constant && !number)
    number = front_num(b, x->fact.dtype, 0);
  front_set_text(b, "mode", mode);
  front_set_bool(b, "paddings_contiguous", false);
  ms_give(o, front_do(b, "PadV3", x, front_list(b, all, 2 * rank), constant ? number : NULL));
}

static void border_pad_v3(ms_op *o) {
  static const char *const modes[] = {"constant", "reflect", "edge", "circular"};
  int64_t given[MS_MAX_NUMBERS];
  int64_t pairs[MS_MAX_NUMBERS];
  size_t n = ms_ints(o, "paddings", given);
  bool pairwise = ms_bool(o, "paddings_contiguous", true);
  weft_value *x = ms_tensor(o, "x");
  weft_value *number = x && ms_has(o, "value") ? ms_operand(o, "value", x->fact.dtype) : NULL;
  for (size_t i = 0; i < n; i++)
    pairs[i] = pairwise ? given[i] : given[i / 2 + (i % 2) * (n / 2)];
  for (size_t i = 0; i < WEFT_COUNT(modes); i++) {
    if (ms_is(o, "mode", "constant", modes[i])) {
      border_padded(o, pairs, n, modes[i], number);
      return;
    }
  }
  front_fail(&o->b, WEFT_E_UNSUPPORTED, "mode '%.40s' of padding", ms_string(o, "mode", ""));
}
static void border_pad_as(ms_op *o, const char *mode) {
  int64_t given[MS_MAX_NUMBERS];
  weft_value *x = ms_tensor(o, "x");
  size_t n = ms_ints(o, "paddings", given);
  weft_value *number = x && ms_has(o, "value") ? ms_operand(o, "value", x->fact.dtype) : NULL;
  border_padded(o, given, n, mode, number);
}
static void border_pad_constant(ms_op *o) {
  border_pad_as(o, "constant");
}
static void border_pad_reflect(ms_op *o) {
  border_pad_as(o, "reflect");
}
static void border_pad_edge(ms_op *o) {
  border_pad_as(o, "edge");
}

// Pairs for each axis, from the first on: a tuple of pairs, or a constant of [rank, 2].
static void border_pad_pairs(ms_op *o, const char *mode) {
  int64_t pairs[MS_MAX_NUMBERS];
  int64_t turned[MS_MAX_NUMBERS];
  ms_value v;
  size_t n = 0;
  bool nested = ms_find(o, "paddings", &v) && v.kind == MS_TUPLE && v.n && v.items[0].kind == MS_TUPLE;
  if (!nested)
    n = ms_ints(o, "paddings", pairs);
  for (size_t i = 0; nested && i < v.n && n + 2 <= MS_MAX_NUMBERS && v.items[i].n == 2; i++) {
    pairs[n++] = v.items[i].items[0].i;
    pairs[n++] = v.items[i].items[1].i;
  }
  for (size_t i = 0; i < n; i++)
    turned[i] = pairs[n - 2 - i / 2 * 2 + i % 2];
  border_padded(o, turned, n, mode, NULL);
}
static void border_pad(ms_op *o) {
  border_pad_pairs(o, "constant");
}
static void border_mirror_pad(ms_op *o) {
  border_pad_pairs(o, ms_is(o, "mode", "REFLECT", "SYMMETRIC") ? "symmetric" : "reflect");
}

// ---- blocks ----
static void border_blocks(ms_op *o, const char *type, const char *mode) {
  weft_value *x = ms_tensor(o, "x");
  front_set_int(&o->b, "block_size", ms_int(o, "block_size", 1));
  front_set_text(&o->b, "data_format", "NCHW");
  front_set_text(&o->b, "mode", mode);
  ms_give(o, front_do(&o->b, type, x, NULL, NULL));
}
static void border_depth_to_space(ms_op *o) {
  border_blocks(o, "DepthToSpace", "DCR");
}
static void border_space_to_depth(ms_op *o) {
  border_blocks(o, "SpaceToDepth", "DCR");
}
static void border_pixel_shuffle(ms_op *o) {
  border_blocks(o, "DepthToSpace", "CRD");
}

// Zeros behind the last axis, which is of size 1.
static void border_last(ms_op *o) {
  front_op *b = &o->b;
  int64_t pads[2 * WEFT_MAX_RANK] = {0};
  weft_value *x = ms_tensor(o, "x");
  const int rank = front_rank_of(b, x);
  const int64_t n = ms_int(o, "pad_dim_size", 8);
  if (!b->failed && (rank < 1 || n < 1))
    front_fail(b, WEFT_E_RANGE, "rank %d, pad_dim_size %lld", rank, (long long)n);
  if (b->failed)
    return;
  pads[2 * rank - 1] = n - 1;
  ms_give(o, front_do(b, "PadV3", x, front_list(b, pads, 2 * (size_t)rank), NULL));
}

static const ms_row border_rows[] = {
    {"Padding", "x", NULL, 0, border_last},
    {"ConstantPadND", "x paddings value", NULL, 0, border_pad_constant},
    {"DepthToSpace", "x", NULL, 0, border_depth_to_space},
    {"MirrorPad", "x paddings", NULL, 0, border_mirror_pad},
    {"Pad", "x", NULL, 0, border_pad},
    {"PadV3", "x paddings value", NULL, 0, border_pad_v3},
    {"PixelShuffle", "x block_size", NULL, 0, border_pixel_shuffle},
    {"ReflectionPad1D", "x paddings", NULL, 0, border_pad_reflect},
    {"ReflectionPad2D", "x paddings", NULL, 0, border_pad_reflect},
    {"ReflectionPad3D", "x paddings", NULL, 0, border_pad_reflect},
    {"ReplicationPad1D", "x paddings", NULL, 0, border_pad_edge},
    {"ReplicationPad2D", "x paddings", NULL, 0, border_pad_edge},
    {"ReplicationPad3D", "x paddings", NULL, 0, border_pad_edge},
    {"SpaceToDepth", "x", NULL, 0, border_space_to_depth},
};
const ms_rows ms_border = MS_ROWS(border_rows);
// SPDX-License-Identifier: Apache-2.0
