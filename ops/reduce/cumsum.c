// ops/reduce/cumsum.c - y[i] = x[0] + ... + x[i] along an axis.   AscendIR Cumsum, ONNX CumSum-14.
// exclusive leaves x[i] out, reverse sums from the end. Floats are summed in double and each sum is rounded
// once; integers wrap; NaN stays from where it is on.
#include "arrays.h"
#include "lanes.h"

enum { EXCLUSIVE, REVERSE };

static weft_status infer(weft_infer *it) {
  size_t axis;
  bool known;
  WEFT_TRY(weft__in_axis(it, 1, it->in[0], &axis, &known));
  return weft__same(it, 0, 0);
}

typedef struct sums {
  double f, z[2];
  uint64_t u;
} sums;

static void add(weft_dtype t, const void *x, size_t i, sums *s) {
  if (weft_dtype_is_complex(t)) {
    double z[2];
    weft__load_complex(t, x, i, z);
    s->z[0] += z[0], s->z[1] += z[1];
  } else if (weft_dtype_is_float(t))
    s->f += weft_load_f64(t, x, i);
  else if (weft__is_unsigned(t))
    s->u += weft_load_u64(t, x, i);
  else
    s->u += (uint64_t)weft_load_i64(t, x, i);
}

static void put(weft_dtype t, void *y, size_t i, const sums *s) {
  if (weft_dtype_is_complex(t))
    weft__store_complex(t, y, i, s->z);
  else if (weft_dtype_is_float(t))
    weft_store_f64(t, y, i, s->f);
  else
    weft_store_u64(t, y, i, s->u);
}

static weft_status ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  bool exclusive = weft_node_bool(c->desc, EXCLUSIVE), reverse = weft_node_bool(c->desc, REVERSE);
  int64_t named;
  size_t n, axis;
  if (!y) return WEFT_OK;
  WEFT_TRY(weft__read_ints(c, 1, &named, 1, &n));
  WEFT_TRY(weft__axis(c->d, "input 'axis'", named, x->layout.origin.rank, &axis));
  weft_lanes l;
  weft__lanes_init(&l, &x->layout.origin, UINT32_C(1) << axis);
  for (size_t i = 0; i < l.n && l.elems; i++) {
    size_t start = weft__lane_start(&l, i);
    sums s = {0};
    for (size_t k = 0; k < l.elems; k++) {
      size_t at = start + weft__lane_step(&l, reverse ? l.elems - 1 - k : k);
      if (exclusive) put(x->dtype, y->data, at, &s);
      add(x->dtype, x->data, at, &s);
      if (!exclusive) put(x->dtype, y->data, at, &s);
    }
  }
  return WEFT_OK;
}

WEFT_OP(cumsum) = {
    WEFT_OP_HEAD,
    .name = "Cumsum",
    .summary = "cumulative sum along an axis",
    .in = PORTS({"x", "T"}, {"axis", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_NUMBERS | WEFT_DT(COMPLEX64) | WEFT_DT(COMPLEX128)}),
    .attrs = ATTRS({"exclusive", "Bool", "false"}, {"reverse", "Bool", "false"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_KEEP_FORMAT,
    .infer = infer,
    .ref = ref,
    .examples = WEFT_EXAMPLES("f32[4]{1,2,3,4}, i32[]{0} -> f32[4]{1,3,6,10}",
                              "f32[4]{1,2,3,4}, i64[]{-1} exclusive=true -> f32[4]{0,1,3,6}",
                              "f32[4]{1,2,3,4}, i64[]{0} reverse=true -> f32[4]{10,9,7,4}",
                              "f32[4]{1,2,3,4}, i64[1]{0} reverse=true exclusive=true -> f32[4]{9,7,4,0}",
                              "f32[2,2]{1,2,nan,4}, i64[]{0} -> f32[2,2]{1,2,nan,6}",
                              "i8[2]{127,1}, i64[]{0} -> i8[2]{127,-128}",
                              "u64[2]{18446744073709551615,1}, i64[]{0} -> u64[2]{18446744073709551615,0}",
                              "c64[2]{(1,2),(3,4)}, i64[]{0} -> c64[2]{(1,2),(4,6)}",
                              "f16[0,3]{}, i64[]{1} -> f16[0,3]{}", "f32[-1,3], i64[] -> f32[-1,3]",
                              "f32[2], i64[]{1} !! E_RANGE input 'axis'", "f32[], i64[]{0} !! E_RANGE scalar",
                              "f32[2], f32[]{0} !! E_DTYPE input 'axis'"),
};
