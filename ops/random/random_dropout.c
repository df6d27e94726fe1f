// ops/random/random_dropout.c - y = x / (1 - ratio) where the mask holds, otherwise 0; the mask holds with
// probability 1 - ratio.   ONNX Dropout-22; AscendIR's Dropout and DropoutV2 are other operators, so the name
// is weft's. Not training, or ratio 0: y = x and the mask holds everywhere. ratio 1 drops all. The numbers
// are MT19937's of `seed` (its low 32 bits; 0 when it is not given), one of [0, 1) for each element in order,
// kept where >= ratio. NaN and infinity that are dropped give NaN.
#include "mersenne.h"
#include "op.h"

enum { X, RATIO, TRAINING };
enum { SEED };

static weft_status random_dropout_infer(weft_infer *it) {
  uint32_t in;
  for (uint32_t port = RATIO; port <= TRAINING; port++) {
    if (weft__has_in(it->desc, port, &in))
      WEFT_TRY(weft__expect_rank(it, in, 0, 1));
  }
  WEFT_TRY(weft__same(it, 0, 0));
  weft_shape_copy(it->out[1], it->in[0]);
  return WEFT_OK;
}

static weft_status random_dropout_scalar(const weft_call *c, uint32_t port, double absent, double *out) {
  uint32_t in;
  *out = absent;
  if (!weft__has_in(c->desc, port, &in))
    return WEFT_OK;
  if (weft__elems(&c->in[in]->layout.origin) != 1)
    return weft_fail(c->d, WEFT_E_SHAPE, "input '%s': expected one element", weft__in_name(c->desc, in));
  *out = weft_load_f64(c->in[in]->dtype, c->in[in]->data, 0);
  return WEFT_OK;
}

static weft_status random_dropout_ref(const weft_call *c) {
  const weft_tensor *x = c->in[X];
  weft_tensor *y = c->out[0];
  weft_tensor *mask = c->out[1];
  size_t n = weft__elems(&x->layout.origin);
  double ratio, training;
  weft_mersenne m;
  WEFT_TRY(random_dropout_scalar(c, RATIO, 0.5, &ratio));
  WEFT_TRY(random_dropout_scalar(c, TRAINING, 0, &training));
  if (!(ratio >= 0 && ratio <= 1))
    return weft_fail(c->d, WEFT_E_RANGE, "input 'ratio' is %g, outside [0, 1]", ratio);
  if (training == 0)
    ratio = 0;
  weft__mersenne_seed(&m, (uint32_t)weft_node_int(c->desc, SEED));
  double scale = ratio == 1 ? 1 : 1 / (1 - ratio);
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    bool kept = weft__mersenne_f64(&m) >= ratio;
    if (y)
      weft_store_f64(y->dtype, y->data, i, weft_load_f64(x->dtype, x->data, i) * (kept ? scale : 0));
    if (mask)
      weft_store_i64(mask->dtype, mask->data, i, kept);
  }
  return WEFT_OK;
}

WEFT_OP(random_dropout) = {
    WEFT_OP_HEAD,
    .name = "RandomDropout",
    .summary = "drops elements at random and scales the others",
    .in = PORTS({"x", "T"}, {"ratio", NULL, WEFT_FLOATS, .kind = WEFT_OPTIONAL},
                {"training_mode", NULL, WEFT_DT(BOOL), .kind = WEFT_OPTIONAL}),
    .out = PORTS({"y", "T"}, {"mask", NULL, WEFT_DT(BOOL)}),
    .types = TYPES({"T", WEFT_FLOATS}),
    .attrs = ATTRS({"seed", "Int", "0"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_RANDOM,
    .infer = random_dropout_infer,
    .ref = random_dropout_ref,
    .examples = WEFT_EXAMPLES(
        "f32[3]{1,nan,3} -> f32[3]{1,nan,3}, bool[3]{1,1,1}",
        // the first numbers of seed 0: 0.549 0.715 0.603 0.545 0.424 0.646 0.438 0.892 0.964 0.383
        "f32[10]{1,2,3,4,5,6,7,8,9,10}, f32[]{0.75}, bool[]{1} -> f32[10]{0,0,0,0,0,0,0,32,36,0}, "
        "bool[10]{0,0,0,0,0,0,0,1,1,0}",
        "f16[2]{1,2}, f64[1]{0}, bool[1]{1} seed=7 -> f16[2]{1,2}, bool[2]{1,1}",
        "f32[2]{1,2}, f32[]{1}, bool[]{1} -> f32[2]{0,0}, bool[2]{0,0}",
        "f32[-1,3], f32[], bool[] -> f32[-1,3], bool[-1,3]", "bf16[0,4] -> bf16[0,4], bool[0,4]",
        "f32[2]{1,2}, f32[]{1.5}, bool[]{1} -> _, _ !! E_RANGE input 'ratio' is 1.5",
        "i32[2]{1,2} -> _, _ !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
