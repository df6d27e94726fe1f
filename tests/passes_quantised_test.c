// passes_quantised_test.c - fold-quantised, fuse-quantised and fuse-fixed: what becomes an operator on bytes
// and what is left and why, that products differ from the float operators by one step of the result at most
// and the rest by nothing, and that a second run finds nothing left to do.
#include "check.h"
#include "passes_util.h"

typedef struct quantised_case {
  const char *pass, *want;  // operators afterwards
  int steps;                // that the result may differ by; 0: not a bit
  const char *text;
  const char *said;  // part of the report; NULL: anything
} quantised_case;

#define G(...) "graph \"g\" {\n" __VA_ARGS__ "\n}\n"
#define NUMBERS \
  "const s: f32[]{0.02} const z: u8[]{7} const t: f32[]{0.5} const tz: i8[]{-3} const o: i8[]{0}\n"
#define IMAGE NUMBERS "input x: u8[1,2,4,5]\nnode d: DequantizeLinear(x, s, z) -> d\n"
#define FILTERS                                                                                     \
  "const w: i8[3,2,2,2]{1,-2,3,127,-128,5,6,7,-8,9,10,-11,12,13,-14,15,16,17,18,19,20,21,-22,23}\n" \
  "const ws: f32[3]{0.01,0.02,0.03} const wz: i8[3]{0,0,1}\n"                                       \
  "node e: DequantizeLinear(w, ws, wz) {axis=0} -> e\n"
#define ONE_FILTER_SCALE                                                                            \
  "const w: i8[3,2,2,2]{1,-2,3,127,-128,5,6,7,-8,9,10,-11,12,13,-14,15,16,17,18,19,20,21,-22,23}\n" \
  "const ws: f32[1]{0.01} const wz: i8[1]{2}\nnode e: DequantizeLinear(w, ws, wz) -> e\n"
#define ROWS NUMBERS "input x: u8[4,3]\nnode d: DequantizeLinear(x, s, z) -> d\n"
#define COLUMNS                                                                             \
  "const w: i8[3,2]{1,-2,3,127,-128,5} const ws: f32[2]{0.01,0.02} const wz: i8[2]{0,-1}\n" \
  "node e: DequantizeLinear(w, ws, wz) {axis=1} -> e\n"
#define TURNED                                                                              \
  "const w: i8[2,3]{1,-2,3,127,-128,5} const ws: f32[2]{0.01,0.02} const wz: i8[2]{0,-1}\n" \
  "node e: DequantizeLinear(w, ws, wz) {axis=0} -> e\n"
#define ROUND(v) "node y: QuantizeLinear(" v ", t, tz) -> y\noutput y"
#define SAME(v)  "node y: QuantizeLinear(" v ", s, z) -> y\noutput y"
#define FOLD     "fold-quantised"
#define FUSE     "fuse-quantised"
#define FIXED    "fuse-fixed"
#define BYTES    "input x: i8[2,3] input v: u8[2,3] const m: i32[]{1500000000} const s: i32[]{-2}\n"
#define SIDES                                                                                      \
  BYTES                                                                                            \
  "const z: i32[]{3} const u: i32[]{1024} node a: Cast(x) {dst_type=3} -> a node b: Cast(v) "      \
  "{dst_type=3} -> b node c: Sub(b, z) -> c node d: Mul(c, u) -> d node e: FixedRequant(d, m, s) " \
  "{twice=true} -> e\n"
#define TO_BYTES(v, s) \
  "node y: FixedRequant(" v ", m, " s ") {low=-128, high=127, zero_point=3, output_dtype=2} -> y output y"

static const quantised_case cases[] = {
    {FOLD, "ConvInteger", 1, G(IMAGE FILTERS "node c: Conv(d, e) {pads=[1,1,0,0]} -> c\n" ROUND("c")),
     "a convolution of bytes"},
    {FOLD, "ConvInteger", 1, G(IMAGE ONE_FILTER_SCALE "node c: Conv(d, e) -> c\n" ROUND("c"))},
    {FOLD, "ConvInteger", 1,
     G(IMAGE FILTERS
       "node c: Conv2D(d, e) {strides=[1,1,2,1], pads=[1,0,0,1], data_format=\"NCHW\"} -> c\n" ROUND("c"))},
    {FOLD, "DequantizeLinear,DequantizeLinear,BatchMatMulV2,QuantizeLinear", 0,  // a bias of rows
     G(NUMBERS "input x: u8[2,3]\nnode d: DequantizeLinear(x, s, z) -> d\n" COLUMNS
               "const b: f32[2,1]{1,20}\nnode c: BatchMatMulV2(d, e, b) -> c\n" ROUND("c"))},
    {FOLD, "MatMulInteger", 1,  // no columns
     G(ROWS
       "const w: i8[3,0]{} const ws: f32[]{0.01} const b: f32[0]{}\nnode e: DequantizeLinear(w, ws) -> e\n"
       "node c: MatMulV2(d, e, b) -> c\n" ROUND("c"))},
    // a bias of sums, in numbers, and activations
    {FOLD, "ConvInteger", 1,
     G(IMAGE FILTERS "const b: i32[3]{100,-2000,30} const bs: f32[3]{0.0002,0.0004,0.0006}\n"
                     "node f: DequantizeLinear(b, bs) {axis=0} -> f\nnode c: Conv(d, e, f) -> c\n"
                     "node r: Relu(c) -> r\n" ROUND("r"))},
    {FOLD, "ConvInteger", 1,
     G(IMAGE FILTERS "const b: f32[3]{1.23456,-2,0.001}\nnode c: Conv(d, e, b) -> c\n"
                     "const lo: f32[]{-3.3} const hi: f32[]{4.4}\n"
                     "node r: ClipByValueV2(c, lo, hi) -> r node q: Relu6(r) -> q\n" ROUND("q"))},
    // a bias that exporters share with another product
    {FOLD, "ConvInteger", 1,
     G(IMAGE FILTERS "const b: f32[3]{1.23456,-2,0.001}\nnode i: Identity(b) -> i\n"
                     "node c: Conv(d, e, i) -> c\n" ROUND("c"))},
    {FOLD, "MatMulInteger", 1, G(ROWS COLUMNS "node c: BatchMatMulV2(d, e) -> c\n" ROUND("c")),
     "a product of bytes"},
    {FOLD, "MatMulInteger", 1,
     G(ROWS TURNED "const b: f32[2]{1,2}\nnode c: MatMulV2(d, e, b) {transpose_x2=true} -> c\n" ROUND("c"))},
    {FOLD, "MatMulInteger", 1,
     G(ROWS TURNED "const b: f32[1,2]{1,2} const one: f32[]{1}\n"
                   "node c: GEMM(d, e, b, one, one) {transpose_b=true} -> c\n" ROUND("c"))},
    {FOLD, "MatMulInteger", 1,
     G(ROWS TURNED "const b: f32[2]{1,2}\nnode c: MatMulV2(d, e) {transpose_x2=true} -> c\n"
                   "node a: Add(b, c) -> a node r: Relu(a) -> r\n" ROUND("r"))},
    {FOLD, "MatMulInteger", 1,
     G(ROWS COLUMNS "const b: i32[2]{100,-2000} const bs: f32[2]{0.0002,0.0004}\n"
                    "node f: DequantizeLinear(b, bs) {axis=0} -> f node c: MatMulV2(d, e) -> c\n"
                    "node a: Add(c, f) -> a\n" ROUND("a"))},
    {FOLD, "DequantizeLinear,DequantizeLinear,MatMulV2,Add,QuantizeLinear", 0,  // a bias of rows
     G(ROWS COLUMNS
       "const b: f32[4,1]{1,2,3,4}\nnode c: MatMulV2(d, e) -> c node a: Add(c, b) -> a\n" ROUND("a"))},
    {FOLD, "ConvInteger", 1,
     G(NUMBERS "input x: u8[N,2,H,5]\nnode d: DequantizeLinear(x, s, z) -> d\n" FILTERS
               "node c: Conv(d, e) -> c\n" ROUND("c"))},
    // moves
    {FOLD, "MaxPoolV3", 0, G(IMAGE "node m: MaxPoolV3(d) {ksize=[2,2], strides=[1,1]} -> m\n" SAME("m")),
     "moves bytes"},
    {FOLD, "TransposeD", 0, G(IMAGE "node m: TransposeD(d) {perm=[0,2,3,1]} -> m\n" SAME("m"))},
    {FOLD, "ConcatV2", 0,
     G(IMAGE "input v: u8[1,1,4,5] const axis: i64[]{1} node f: DequantizeLinear(v, s, z) -> f\n"
             "node m: ConcatV2([d, f], axis) -> m\n" SAME("m"))},
    {FOLD, "DequantizeLinear,Identity,Abs", 0,
     G(IMAGE
       "node p: QuantizeLinear(d, s, z) -> p node i: Identity(p) -> i node q: Abs(d) -> q output i output q"),
     "the bytes that were dequantised"},
    // left
    {FOLD, "DequantizeLinear,DequantizeLinear,Conv,Abs,QuantizeLinear", 0,
     G(IMAGE FILTERS "node c: Conv(d, e) -> c\nnode a: Abs(c) -> a\noutput a\n" ROUND("c")),
     "the sums are read elsewhere"},
    {FOLD, "DequantizeLinear,DequantizeLinear,Conv,QuantizeLinear", 0,
     G(IMAGE FILTERS "node c: Conv(d, e) -> c\noutput c\n" ROUND("c")), "the sums are read elsewhere"},
    {FOLD, "DequantizeLinear,MaxPoolV3,QuantizeLinear", 0,
     G(IMAGE "node m: MaxPoolV3(d) {ksize=[2,2], strides=[1,1]} -> m\n" ROUND("m")),
     "a move between other scales or zero points"},
    {FOLD, "DequantizeLinear,DequantizeLinear,Conv,QuantizeLinear", 0,
     G(IMAGE FILTERS "const u: f32[]{1e-9}\nnode c: Conv(d, e) -> c\n"
                     "node y: QuantizeLinear(c, u, tz) -> y\noutput y"),
     "could differ by more than a step"},
    {FOLD, "DequantizeLinear,DequantizeLinear,Conv,QuantizeLinear", 0,
     G(IMAGE
       "input w: i8[3,2,2,2]\nnode e: DequantizeLinear(w, t, o) -> e\nnode c: Conv(d, e) -> c\n" ROUND("c")),
     "weights that are not constant bytes"},
    // regions
    {FUSE, "Fused", 0,
     G(IMAGE "input v: i8[1,2,4,5] node f: DequantizeLinear(v, t, tz) -> f node a: Add(d, f) -> a\n"
             "node r: Relu(a) -> r\n" ROUND("r")),
     "5 operators in one region"},
    {FUSE, "Fused", 0, G(IMAGE "node r: Relu(d) -> r\n" ROUND("r"))},
    {FUSE, "DequantizeLinear,DequantizeLinear,Add,QuantizeLinear", 0,
     G(IMAGE "input v: i8[5] node f: DequantizeLinear(v, t, tz) -> f node a: Add(d, f) -> a\n" ROUND("a")),
     "broadcasts"},
    {FUSE, "DequantizeLinear,Relu,QuantizeLinear", 0, G(IMAGE "node r: Relu(d) -> r\noutput r\n" ROUND("r")),
     "a number before it is read elsewhere"},
    // whole numbers
    {FIXED, "Fused", 0, G(SIDES "node f: Add(a, e) -> f\n" TO_BYTES("f", "s")), "7 operators in one region"},
    {FIXED, "Fused", 0, G(SIDES "node f: Sub(e, a) -> f\n" TO_BYTES("f", "s"))},
    {FIXED, "Fused", 0,
     G(BYTES "node a: Cast(x) {dst_type=3} -> a node b: Cast(v) {dst_type=3} -> b node f: Mul(a, b) -> "
             "f\n" TO_BYTES("f", "s"))},
    {FIXED, "Cast,Fused", 0, G(SIDES TO_BYTES("e", "s"))},
    {FIXED, "Fused", 0,
     G(BYTES "const w: i8[3,2]{1,-2,3,127,-128,5} const o: i8[]{0} node c: MatMulInteger(x, w, _, o) -> "
             "c\n" TO_BYTES("c", "s"))},
    {FIXED, "Cast,Cast,Sub,Mul,FixedRequant,Add,FixedRequant", 0,
     G(SIDES "node f: Add(a, e) -> f output f\n" TO_BYTES("f", "s")), "a number before it is read elsewhere"},
    {FIXED, "Cast,Cast,Sub,Mul,FixedRequant,Add,FixedRequant", 0,
     G(SIDES "node f: Add(a, e) -> f const l: i32[]{1}\n" TO_BYTES("f", "l")), "shifts to the left"},
    {FIXED, "Cast,Cast,Sub,Mul,FixedRequant,Add,FixedRequant", 0,
     G(SIDES "node f: Add(d, e) -> f\n" TO_BYTES("f", "s")), "a number before it is read elsewhere"},
    {FIXED, "Fused", 0,
     G("input x: i8[1,2,4,5] const m: i32[]{1500000000} const s: i32[]{-2} const e: i64[2]{2,3} "
       "node a: Cast(x) {dst_type=3} -> a node f: ReduceSum(a, e) -> f\n" TO_BYTES("f", "s"))},
    {FIXED, "Cast,ReduceSum,FixedRequant", 0,
     G("input x: i8[1,2,4,5] const m: i32[]{1500000000} const s: i32[]{-2} const e: i64[2]{1,3} "
       "node a: Cast(x) {dst_type=3} -> a node f: ReduceSum(a, e) -> f\n" TO_BYTES("f", "s")),
     "is over other axes"},
    {FIXED, "Fused", 0,
     G("input x: i8[2,3] const m: i32[]{1500000000} const s: i32[]{-9} node a: Cast(x) {dst_type=3} -> a "
       "node f: Mul(a, a) -> f\n" TO_BYTES("f", "s"))},
    {FIXED, "Cast,Fused", 0, G(SIDES "node f: Add(a, e) -> f output a\n" TO_BYTES("f", "s")),
     "7 operators in one region"},
    {FIXED, "ConvInteger,FixedRequant", 0,  // formats decide
     G("input x: i8[1,2,4,5] const w: i8[3,2,1,1]{1,-2,3,127,-128,5} const o: i8[]{0} const m: "
       "i32[]{1500000000} const s: i32[]{-2} node c: ConvInteger(x, w, _, o) -> c\n" TO_BYTES("c", "s"))},
};

// Both graphs on random bytes: how far apart the results may be.
static weft_status near(passes_fixture *f, double steps, uint64_t *state) {
  weft_tensor in;
  weft_tensor x;
  weft_tensor y;
  weft_tensor_desc desc;
  const weft_tensor *given[1] = {&in};
  weft_value_desc(weft_graph_input_at(f->before, 0), &desc);
  weft_shape s = desc.layout.origin;
  for (size_t i = 0; i < s.rank; i++) {
    if (s.dim[i] < 0)
      s.dim[i] = 3;
  }
  weft_tensor_init(&in, NULL);
  weft_tensor_init(&x, NULL);
  weft_tensor_init(&y, NULL);
  weft_status st = weft_tensor_alloc(&in, desc.dtype, s.dim, s.rank, &f->d);
  for (size_t i = 0; !st && i < in.bytes; i++)
    ((uint8_t *)in.data)[i] = (uint8_t)(passes_random(state) >> 20);
  if (!st)
    st = weft_interp_run(f->before, NULL, given, 1, &x, 1, &f->d);
  if (!st)
    st = weft_interp_run(f->g, NULL, given, 1, &y, 1, &f->d);
  if (!st && weft_tensor_elems(&x) != weft_tensor_elems(&y))
    st = weft_fail(&f->d, WEFT_E_DIFFERENT, "another number of elements");
  size_t n = st ? 0 : (size_t)weft_tensor_elems(&x);
  for (size_t i = 0; !st && i < n; i++) {
    double got = weft_load_f64(y.dtype, y.data, i), want = weft_load_f64(x.dtype, x.data, i);
    if (got - want > steps || want - got > steps) {
      st =
          weft_fail(&f->d, WEFT_E_DIFFERENT, "element %zu is %g, expected %g within %g", i, got, want, steps);
    }
  }
  weft_tensor_deinit(&in);
  weft_tensor_deinit(&x);
  weft_tensor_deinit(&y);
  return st;
}

static void one(const quantised_case *c) {
  char types[512];
  char option[64];
  passes_fixture f;
  snprintf(option, sizeof option, "%s=1", c->pass);
  const char *options[] = {"passes=0", option};
  CHECK_OK(passes_open(&f, c->text), &f.d);
  CHECK_OK(passes_optimize(&f, options, 2), &f.d);
  passes_types(f.g, types);
  if (strcmp(types, c->want))
    check_failed(__FILE__, __LINE__, "operators %s, expected %s\n%s%s", types, c->want, c->text, f.log);
  if (c->said)
    CHECK_HAS(f.log, c->said);
  uint64_t state = 1;
  for (int i = 0; c->steps && i < 20; i++)
    CHECK_OK(near(&f, c->steps, &state), &f.d);
  if (!c->steps)
    CHECK_OK(passes_same_results(&f, 0, 5), &f.d);
  CHECK_OK(passes_again(&f, options, 2), &f.d);
  CHECK_INT(f.sum.changes, 0);
  passes_close(&f);
}

TEST(quantised_operators) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    one(&cases[i]);
}

TEST(quantised_operators_are_left_when_switched_off) {
  char types[512];
  passes_fixture f;
  const char *options[] = {"passes=0", "fold-quantised=0"};
  CHECK_OK(passes_open(&f, cases[0].text), &f.d);
  CHECK_OK(passes_optimize(&f, options, 2), &f.d);
  passes_types(f.g, types);
  CHECK_STR(types, "DequantizeLinear,DequantizeLinear,Conv,QuantizeLinear");
  passes_close(&f);
}

// A convolution with what scales its sums is one region where it is packed.
TEST(a_convolution_and_its_scaling_are_packed_together) {
  static const char *const text =
      G("input x: i8[1,32,4,5] const v: i8[1,1,1,1]{3} const e: i64[4]{32,32,1,1} const o: "
        "i8[]{0} const m: i32[]{1500000000} const s: i32[]{-9} node f: Expand(v, e) -> f "
        "node c: ConvInteger(x, f, _, o) -> c\n" TO_BYTES("c", "s"));
  static const char *const options[] = {"passes=0", "fold-constants=1", "assign-formats=1",
                                        "assign-formats.choose=packed"};
  char types[512];
  passes_fixture f;
  CHECK_OK(passes_open(&f, text), &f.d);
  CHECK_OK(passes_optimize(&f, (const char **)(uintptr_t)options, 4), &f.d);
  passes_types(f.g, types);
  CHECK_STR(types, "TransData,Fused,TransData");
  CHECK_OK(passes_same_results(&f, 0, 5), &f.d);
  passes_close(&f);
}
// SPDX-License-Identifier: Apache-2.0
