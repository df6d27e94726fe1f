// ops/elementwise/add_n.c - y = the sum of all x, with broadcasting.   AscendIR AddN, ONNX Sum-13.
// Floats are summed in double from the first to the last and rounded once; integers wrap. N is the number of
// inputs.
#include "numeric.h"

enum { N };
typedef union sum {
  double z[2];
  uint64_t u;
} sum;

static weft_status add_n_ref(const weft_call *c) {
  weft_tensor *y = c->out[0];
  weft_dtype t = y->dtype;
  bool integer = !weft_dtype_is_float(t) && !weft_dtype_is_complex(t);
  size_t n = weft__elems(&y->layout.origin);
  size_t bytes;
  void *space;
  if (t == WEFT_VARIANT)
    return weft__no_kernel(c, t);
  if (!weft_mul_size(n, sizeof(sum), &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu sums of %zu bytes", n, sizeof(sum));
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  sum *acc = space;
  for (uint32_t k = 0; k < c->n_in; k++) {
    const void *x = c->in[k]->data;
    weft_walk w;
    weft__walk_init(&w, &y->layout.origin);
    weft__walk_operand(&w, 0, &c->in[k]->layout.origin);
    for (; w.i < w.n; weft__walk_next(&w)) {
      double z[2];
      WEFT_TRY(weft__poll_at(c, w.i));
      if (integer) {
        acc[w.i].u +=
            weft__is_unsigned(t) ? weft_load_u64(t, x, w.at[0]) : (uint64_t)weft_load_i64(t, x, w.at[0]);
        continue;
      }
      weft__load_number(t, x, w.at[0], z);
      acc[w.i].z[0] = k ? acc[w.i].z[0] + z[0] : z[0];  // no 0 to start from: -0 stays
      acc[w.i].z[1] = k ? acc[w.i].z[1] + z[1] : z[1];
    }
  }
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    if (integer)
      weft_store_u64(t, y->data, i, acc[i].u);
    else
      weft__store_number(t, y->data, i, acc[i].z);
  }
  return WEFT_OK;
}

static weft_status add_n_infer(weft_infer *it) {
  int64_t n = weft_node_int(it->desc, N);
  if (n != (int64_t)it->n_in) {
    return weft_fail(it->d, WEFT_E_INVALID, "attribute 'N': expected %u, the number of inputs, got %lld",
                     it->n_in, (long long)n);
  }
  return weft__infer_broadcast(it);
}

WEFT_OP(add_n) = {
    WEFT_OP_HEAD,
    .name = "AddN",
    .summary = "y = the sum of all x, with broadcasting",
    .in = PORTS({"x", "T", .kind = WEFT_DYNAMIC, .min_count = 1}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_SET_NUMBER | WEFT_DT(VARIANT)}),
    .attrs = ATTRS({"N", "Int", NULL, "min 1"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE | WEFT_COMMUTATIVE,
    .infer = add_n_infer,
    .ref = add_n_ref,
    .examples = WEFT_EXAMPLES(
        "[f32[2]{1,2}, f32[2]{3,4}, f32[2]{5,nan}] N=3 -> f32[2]{9,nan}",
        "[f32[1]{-0.0}] N=1 -> f32[1]{-0.0}", "[f16[1]{2048}, f16[1]{1}, f16[1]{1}] N=3 -> f16[1]{2050}",
        "[f32[2,1]{1,2}, f32[2]{10,20}] N=2 -> f32[2,2]{11,21,12,22}",
        "[i8[1]{127}, i8[1]{1}] N=2 -> i8[1]{-128}", "[u8[1]{200}, u8[]{100}] N=2 -> u8[1]{44}",
        "[c64[1]{(1,2)}, c64[1]{(3,4)}] N=2 -> c64[1]{(4,6)}", "[f16[0,3], f16[3]] N=2 -> f16[0,3]",
        "[f32[-1,3], f32[5,3]] N=2 -> f32[5,3]", "[f32[2], f32[3]] N=2 !! E_SHAPE do not broadcast",
        "[f32[2], f32[2]] N=3 !! E_INVALID attribute 'N': expected 2, the number of inputs, got 3",
        "[f32[2], i32[2]] N=2 !! E_DTYPE"),
};
// SPDX-License-Identifier: Apache-2.0
