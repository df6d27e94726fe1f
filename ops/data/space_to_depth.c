// ops/data/space_to_depth.c - b x b pixels become b*b channels.  AscendIR SpaceToDepth, ONNX SpaceToDepth-28.
// mode (ext) DCR: the block counts in the slow channels; CRD: in the fast ones. ONNX's layout is data_format
// NCHW.
#include "dims_move.h"
#include "space.rule.h"

enum { BLOCK_SIZE, DATA_FORMAT, MODE };

static weft_status space_to_depth_infer(weft_infer *it) {
  weft_image a = weft__image_axes(weft_node_str(it->desc, DATA_FORMAT));
  int64_t b = weft_node_int(it->desc, BLOCK_SIZE);
  const weft_shape *x = it->in[0];
  WEFT_TRY(weft__expect_rank(it, 0, 4, 4));
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_dims(it, 0, 4);
  WEFT_TRY(weft__same(it, 0, 0));
  for (size_t k = 0; k < 4; k++) {
    if (k == a.c)
      it->out[0]->dim[k] = weft_dim_mul(it->symbols, x->dim[k], b * b);
    if (k != a.h && k != a.w)
      continue;
    if (x->dim[k] >= 0 && x->dim[k] % b) {
      return weft_fail(it->d, WEFT_E_SHAPE, "input 'x': dim %zu is %lld, no multiple of block_size, %lld", k,
                       (long long)x->dim[k], (long long)b);
    }
    it->out[0]->dim[k] = weft__dim_part(it, x->dim[k], b);
  }
  return WEFT_OK;
}

// Rows and columns of a block as the next two axes.
static void add_block(weft_view *v, const weft_view *x, weft_image a, int64_t b) {
  v->dim[v->rank] = b;
  v->step[v->rank++] = x->step[a.h];
  v->dim[v->rank] = b;
  v->step[v->rank++] = x->step[a.w];
}

static weft_status space_to_depth_ref(const weft_call *c) {
  weft_image a = weft__image_axes(weft_node_str(c->desc, DATA_FORMAT));
  int64_t b = weft_node_int(c->desc, BLOCK_SIZE);
  bool crd = weft__block_is_fast(weft_node_str(c->desc, MODE));
  weft_view x;
  weft_view v;
  weft__view_init(&x, &c->in[0]->layout.origin);
  memset(&v, 0, sizeof v);
  for (size_t k = 0; k < 4; k++) {
    bool pixel = k == a.h || k == a.w;
    if (k == a.c && !crd)
      add_block(&v, &x, a, b);  // (row in the block, column in the block, channel)
    v.dim[v.rank] = pixel ? x.dim[k] / b : x.dim[k];
    v.step[v.rank++] = pixel ? weft__view_times(x.step[k], b) : x.step[k];
    if (k == a.c && crd)
      add_block(&v, &x, a, b);  // (channel, row, column)
  }
  return weft__view_move(c, 0, 0, &v);
}

WEFT_OP(space_to_depth) = {
    WEFT_OP_HEAD,
    .name = "SpaceToDepth",
    .summary = "blocks of pixels become channels",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"block_size", "Int", NULL, "min 1;max 46340"},
                   {"data_format", "String", "\"NHWC\"", "one of NHWC|NCHW"},
                   {"mode", "String", "\"DCR\"", "one of DCR|CRD", .ext = 1}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = space_to_depth_infer,
    .ref = space_to_depth_ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,2,2,1]{1,2,3,4} block_size=2 -> f32[1,1,1,4]{1,2,3,4}",
        "f32[1,2,4,1]{0,1,4,5,2,3,6,7} block_size=2 -> f32[1,1,2,4]{0,1,2,3,4,5,6,7}",
        "f32[1,2,2,2]{0,2,4,6,1,3,5,7} block_size=2 data_format=\"NCHW\" -> f32[1,8,1,1]{0,1,2,3,4,5,6,7}",
        "f32[1,2,2,2]{0,1,2,3,4,5,6,7} block_size=2 data_format=\"NCHW\" mode=\"CRD\" -> "
        "f32[1,8,1,1]{0,1,2,3,4,5,6,7}",
        "f32[1,2,2,2]{0,4,1,5,2,6,3,7} block_size=2 mode=\"CRD\" -> f32[1,1,1,8]{0,1,2,3,4,5,6,7}",
        "f32[1,2,2,1] block_size=2 mode=\"DRC\" !! E_RANGE mode",
        "f32[1,0,2,1] block_size=2 -> f32[1,0,1,4]", "f32[N,2*H,2,3] block_size=2 -> f32[N,H,1,12]",
        "f32[N,2,W,3] block_size=2 -> f32[N,1,floordiv(W,2),12]",
        "f32[?] block_size=2 -> f32[-1,-1,-1,-1]", "f32[1,3,2,1] block_size=2 !! E_SHAPE dim 1 is 3",
        "f32[2,2,1] block_size=2 !! E_SHAPE expected rank 4"),
};
// SPDX-License-Identifier: Apache-2.0
