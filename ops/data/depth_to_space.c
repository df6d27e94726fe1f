// ops/data/depth_to_space.c - b*b channels become b x b pixels.  AscendIR DepthToSpace, ONNX DepthToSpace-13.
// mode DCR: the block counts in the slow channels; CRD: in the fast ones. ONNX's layout is data_format NCHW.
#include "dims_move.h"
#include "space.rule.h"

enum { BLOCK_SIZE, MODE, DATA_FORMAT };

static weft_status depth_to_space_infer(weft_infer *it) {
  weft_image a = weft__image_axes(weft_node_str(it->desc, DATA_FORMAT));
  int64_t b = weft_node_int(it->desc, BLOCK_SIZE);
  const weft_shape *x = it->in[0];
  WEFT_TRY(weft__expect_rank(it, 0, 4, 4));
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_dims(it, 0, 4);
  if (x->dim[a.c] >= 0 && x->dim[a.c] % (b * b)) {
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'x': %lld channels are no multiple of block_size^2, %lld",
                     (long long)x->dim[a.c], (long long)(b * b));
  }
  WEFT_TRY(weft__same(it, 0, 0));
  it->out[0]->dim[a.c] = weft__dim_part(it, x->dim[a.c], b * b);
  it->out[0]->dim[a.h] = weft_dim_mul(it->symbols, x->dim[a.h], b);
  it->out[0]->dim[a.w] = weft_dim_mul(it->symbols, x->dim[a.w], b);
  return WEFT_OK;
}

static weft_status depth_to_space_ref(const weft_call *c) {
  weft_image a = weft__image_axes(weft_node_str(c->desc, DATA_FORMAT));
  int64_t b = weft_node_int(c->desc, BLOCK_SIZE);
  int64_t depth = c->in[0]->layout.origin.dim[a.c] / (b * b);
  const bool crd = weft__block_is_fast(weft_node_str(c->desc, MODE));
  const weft_block_steps steps = weft__block_steps((size_t)b, (size_t)depth, crd);
  weft_view x;
  weft_view v;
  weft__view_init(&x, &c->in[0]->layout.origin);
  int64_t fast = x.step[a.c];
  memset(&v, 0, sizeof v);
  for (size_t k = 0; k < 4; k++) {
    bool pixel = k == a.h || k == a.w;
    v.dim[v.rank] = k == a.c ? depth : x.dim[k];
    v.step[v.rank++] = k == a.c ? weft__view_times(fast, (int64_t)steps.channel) : x.step[k];
    if (pixel) {
      v.dim[v.rank] = b;
      v.step[v.rank++] = weft__view_times(fast, (int64_t)(k == a.h ? steps.row : steps.column));
    }
  }
  return weft__view_move(c, 0, 0, &v);
}

WEFT_OP(depth_to_space) = {
    WEFT_OP_HEAD,
    .name = "DepthToSpace",
    .summary = "channels become blocks of pixels",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"block_size", "Int", NULL, "min 1;max 46340"},
                   {"mode", "String", "\"DCR\"", "one of DCR|CRD"},
                   {"data_format", "String", "\"NHWC\"", "one of NHWC|NCHW"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = depth_to_space_infer,
    .ref = depth_to_space_ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,1,1,4]{1,2,3,4} block_size=2 -> f32[1,2,2,1]{1,2,3,4}",
        "f32[1,8,1,1]{0,1,2,3,4,5,6,7} block_size=2 data_format=\"NCHW\" -> f32[1,2,2,2]{0,2,4,6,1,3,5,7}",
        "f32[1,8,1,1]{0,1,2,3,4,5,6,7} block_size=2 mode=\"CRD\" data_format=\"NCHW\" -> "
        "f32[1,2,2,2]{0,1,2,3,4,5,6,7}",
        "f32[1,1,2,4]{0,1,2,3,4,5,6,7} block_size=2 -> f32[1,2,4,1]{0,1,4,5,2,3,6,7}",
        "f32[1,1,1,8]{0,1,2,3,4,5,6,7} block_size=2 mode=\"CRD\" -> f32[1,2,2,2]{0,4,1,5,2,6,3,7}",
        "f32[0,2,2,4] block_size=2 -> f32[0,4,4,1]", "f32[N,-1,2,8] block_size=2 -> f32[N,-1,4,2]",
        "f32[1,2,2,C] block_size=2 -> f32[1,4,4,floordiv(C,4)]",
        "f32[?] block_size=2 -> f32[-1,-1,-1,-1]", "f32[1,1,1,3] block_size=2 !! E_SHAPE 3 channels",
        "f32[1,1,4] block_size=2 !! E_SHAPE expected rank 4",
        "f32[1,1,1,4] block_size=0 !! E_RANGE block_size"),
};
// SPDX-License-Identifier: Apache-2.0
