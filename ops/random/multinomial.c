// ops/random/multinomial.c - numbers of classes, drawn with probabilities exp(logits) of any scale. AscendIR
// Multinomial, ONNX Multinomial-22. logits [batch, classes], y [batch, num_samples]. A class of -inf is never
// drawn; NaN, +inf, or -inf only, is an error. Seeds as in random.h.
#include "random.h"

#include "arrays.h"

enum { DTYPE, SEED, SEED2 };

static weft_status multinomial_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  int64_t n;
  bool known;
  WEFT_TRY(weft__expect_rank(it, 0, 2, 2));
  WEFT_TRY(weft__in_int(it, 1, &n, &known));
  if (known && n < 0)
    return weft_fail(it->d, WEFT_E_RANGE, "input 'num_samples': %lld, expected 0 or more", (long long)n);
  return weft_set_out_shape(it, 0,
                            (weft_dim[2]){weft_shape_is_unknown_rank(x) ? -1 : x->dim[0], known ? n : -1}, 2);
}

static weft_status multinomial_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  weft_random r;
  void *space;
  if (!y || !weft__elems(&y->layout.origin))
    return WEFT_OK;
  size_t rows = (size_t)x->layout.origin.dim[0];
  size_t classes = (size_t)x->layout.origin.dim[1];
  size_t samples = (size_t)y->layout.origin.dim[1];
  size_t work = 0;
  weft__random_init(&r, weft_node_int(c->desc, SEED), weft_node_int(c->desc, SEED2));
  WEFT_TRY(weft__scratch(c, classes, &space));
  for (size_t b = 0; b < rows; b++) {
    WEFT_TRY(weft__poll_work(c, &work, classes));
    double *upto = space, most = -INFINITY, sum = 0;
    for (size_t k = 0; k < classes; k++) {
      upto[k] = weft_load_f64(x->dtype, x->data, b * classes + k);
      if (!(upto[k] <= most) && !isnan(most))
        most = upto[k];
    }
    if (!isfinite(most))
      return weft_fail(c->d, WEFT_E_INVALID, "input 'logits': row %zu has no largest finite value", b);
    for (size_t k = 0; k < classes; k++)
      upto[k] = sum += exp(upto[k] - most);
    for (size_t i = 0; i < samples; i++) {
      WEFT_TRY(weft__poll_work(c, &work, 4));
      double u = weft__random_unit(&r, 53) * sum;
      size_t lo = 0;
      size_t hi = classes - 1;
      while (lo < hi) {  // the first class whose sum passes u
        size_t mid = lo + (hi - lo) / 2;
        if (upto[mid] > u)
          hi = mid;
        else
          lo = mid + 1;
      }
      weft_store_i64(y->dtype, y->data, b * samples + i, (int64_t)lo);
    }
  }
  return WEFT_OK;
}

WEFT_OP(multinomial) = {
    WEFT_OP_HEAD,
    .name = "Multinomial",
    .summary = "classes drawn with given probabilities",
    .in = PORTS({"logits", NULL, WEFT_FLOATS},
                {"num_samples", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"y", "U"}),
    .types = TYPES({"U", WEFT_SET_INDEX, .from_attr = "dtype"}),
    .attrs = ATTRS({"dtype", "Type", "DT_INT64"}, {"seed", "Int", "0"}, {"seed2", "Int", "0"}),
    .traits = WEFT_SYMBOLIC | WEFT_RANDOM,
    .infer = multinomial_infer,
    .ref = multinomial_ref,
    .examples = WEFT_EXAMPLES("f32[2,2]{0,-inf,-inf,5}, i32[]{3} -> i64[2,3]{0,0,0,1,1,1}",
                              "f32[1,3]{1,2,3}, i32[]{4} dtype=i32 seed=3 -> i32[1,4]",
                              "f16[0,3], i32[]{2} -> i64[0,2]", "f32[-1,3], i32[] -> i64[-1,-1]",
                              "f32[?], i32[]{2} -> i64[-1,2]", "f32[3], i32[]{2} !! E_SHAPE expected rank 2",
                              "f32[1,3], i32[]{-2} !! E_RANGE num_samples",
                              "f32[1,2]{nan,0}, i32[]{1} !! E_INVALID row 0"),
};
// SPDX-License-Identifier: Apache-2.0
