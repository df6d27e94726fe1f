// kernels_elementwise_test.c - the tile machine against the interpreter, for each instruction set: every
// elementwise operator in every dtype it has with every kind of broadcasting, and all casts.
#include "base/base.h"
#include "check.h"
#include "kernel_case.h"

typedef struct elementwise {
  const char *op, *attrs;
  int inputs;
  bool exact;  // in f32
  bool floats_only;
} elementwise;
static const elementwise ops[] = {
    {"Abs", "", 1, true, false},
    {"Acos", "", 1, false, true},
    {"Acosh", "", 1, false, true},
    {"Add", "", 2, true, false},
    {"Adds", "{value=0.7}", 1, true, true},
    {"Asin", "", 1, false, true},
    {"Asinh", "", 1, false, true},
    {"Atan", "", 1, false, true},
    {"Atanh", "", 1, false, true},
    {"Axpy", "{alpha=0.3}", 2, true, true},
    {"Ceil", "", 1, true, true},
    {"ClipByValueV2", "", 3, true, false},
    {"Cos", "", 1, false, true},
    {"Cosh", "", 1, false, true},
    {"Div", "", 2, true, false},
    {"DivNoNan", "", 2, true, true},
    {"Elu", "{alpha=1.5}", 1, false, true},
    {"Equal", "", 2, true, false},
    {"Erf", "", 1, false, true},
    {"Exp", "", 1, false, true},
    {"Expm1", "", 1, false, true},
    {"Floor", "", 1, true, true},
    {"FloorDiv", "", 2, true, false},
    {"FloorMod", "", 2, true, false},
    {"Gelu", "", 1, false, true},
    {"Gelu", "{approximate=\"none\"}", 1, false, true},
    {"Greater", "", 2, true, false},
    {"GreaterEqual", "", 2, true, false},
    {"HardSigmoid", "", 1, true, true},
    {"HardSwish", "", 1, true, true},
    {"Identity", "", 1, true, false},
    {"IsInf", "", 1, true, true},
    {"IsInf", "{detect_positive=false}", 1, true, true},
    {"IsInf", "{detect_negative=false}", 1, true, true},
    {"IsNan", "", 1, true, true},
    {"LeakyRelu", "{negative_slope=0.3}", 1, true, true},
    {"Less", "", 2, true, false},
    {"LessEqual", "", 2, true, false},
    {"Log", "", 1, false, true},
    {"Log1p", "", 1, false, true},
    {"LogicalAnd", "", 2, true, false},
    {"LogicalNot", "", 1, true, false},
    {"LogicalOr", "", 2, true, false},
    {"Maximum", "", 2, true, false},
    {"Minimum", "", 2, true, false},
    {"Mish", "", 1, false, true},
    {"Mod", "", 2, true, false},
    {"Mul", "", 2, true, false},
    {"Muls", "{value=0.7}", 1, true, true},
    {"Neg", "", 1, true, false},
    {"NotEqual", "", 2, true, false},
    {"Pow", "", 2, true, true},
    {"RealDiv", "", 2, true, true},
    {"Reciprocal", "", 1, true, true},
    {"Relu", "", 1, true, false},
    {"Relu6", "", 1, true, true},
    {"Rint", "", 1, true, true},
    {"Round", "", 1, true, true},
    {"Rsqrt", "", 1, false, true},
    {"Selu", "", 1, false, true},
    {"Shrink", "{lambd=0.5, bias=0.25}", 1, true, true},
    {"Sigmoid", "", 1, false, true},
    {"Sign", "", 1, true, false},
    {"Sin", "", 1, false, true},
    {"Sinh", "", 1, false, true},
    {"Softplus", "", 1, false, true},
    {"Softsign", "", 1, false, true},
    {"Sqrt", "", 1, true, true},
    {"Square", "", 1, true, false},
    {"SquaredDifference", "", 2, true, true},
    {"Sub", "", 2, true, false},
    {"Swish", "{scale=1.2}", 1, false, true},
    {"Tan", "", 1, false, true},
    {"Tanh", "", 1, false, true},
    {"ThresholdedRelu", "{alpha=0.4}", 1, true, true},
    {"TruncateMod", "", 2, true, false},
};
static const char *const dtypes[] = {"f32", "f64", "f16", "bf16", "i32", "i64", "bool",
                                     "i8",  "u8",  "i16", "u16",  "u32", "u64"};
static const char *const shapes[][3] = {
    // of three inputs
    {"5,6,7", "5,6,7", "5,6,7"},
    {"", "", ""},
    {"0,3", "3", ""},
    {"4,130", "", "130"},
    {"", "3,50", "3,50"},
    {"3,70", "70", "3,1"},
    {"2,3,80", "3,1", "2,1,80"},
    {"2,3,4", "3,1", "4"},
    {"5,1,3", "1,7,3", "7,1"},
    {"2,1,3,1,70", "1,4,1,5,1", "70"},
    {"1200", "1", "1200"},
    {"1,1", "1", ""},
};

static double tolerance(const elementwise *o, const char *dtype) {
  if (!strcmp(dtype, "f64"))
    return o->exact ? 0 : 1e-15;
  if (o->exact && !strcmp(dtype, "f32"))
    return 0;
  return !strcmp(dtype, "f16") ? 2e-3 : !strcmp(dtype, "bf16") ? 1.6e-2 : !strcmp(dtype, "f32") ? 2e-6 : 0;
}

// In guarded memory each operator and dtype takes a third of the shapes, others for each.
#ifdef WEFT_GUARDED
enum { PART = 3 };
#else
enum { PART = 1 };
#endif
static bool in_part(size_t i) {
  return check_long() || i % PART == check_seed() % PART;
}

TEST(elementwise_operators_in_all_dtypes_and_broadcasts) {
  weft_env *e = case_env();
  char text[1024];
  int bad = 0;
  int ran = 0;
  for (size_t i = 0; e && i < WEFT_COUNT(ops); i++) {
    for (size_t t = 0; t < WEFT_COUNT(dtypes); t++) {
      for (size_t s = 0; s < WEFT_COUNT(shapes) && bad < 5; s++) {
        if ((ops[i].floats_only && t > 3) || !in_part(i + t + s))
          continue;
        size_t at = (size_t)snprintf(text, sizeof text, "graph \"g\" { ");
        for (int k = 0; k < ops[i].inputs; k++) {
          at +=
              (size_t)snprintf(text + at, sizeof text - at, "input x%d: %s[%s] ", k, dtypes[t], shapes[s][k]);
        }
        at += (size_t)snprintf(text + at, sizeof text - at, "node n: %s(", ops[i].op);
        for (int k = 0; k < ops[i].inputs; k++)
          at += (size_t)snprintf(text + at, sizeof text - at, "%sx%d", k ? ", " : "", k);
        snprintf(text + at, sizeof text - at, ") %s -> y output y }", ops[i].attrs);
        one_case c = {.text = text, .rtol = tolerance(&ops[i], dtypes[t])};
        // bool: added and multiplied by the reference, and not ordered
        c.reference = t == 6 && strcmp(ops[i].op, "Identity") && strncmp(ops[i].op, "Logical", 7) &&
                      strcmp(ops[i].op, "Equal") && strcmp(ops[i].op, "NotEqual");
        c.reference |= t != 6 && !strcmp(ops[i].op, "LogicalOr");
        c.reference |= t < 4 && !strncmp(ops[i].op, "Floor", 5) && ops[i].inputs == 2;
        weft_status got = case_hold(e, &c, i * 1000 + t * 100 + s);
        bad += got && got != WEFT_E_DTYPE;
        ran += !got;
      }
    }
  }
  if (ran < 5900 / (check_long() ? 1 : PART))
    check_failed(__FILE__, __LINE__, "%d cases", ran);
  weft_env_destroy(e);
}

// Numbers that fit and numbers that do not: floats up to 4, 400 and 4e10, integers to the fourth.
TEST(casts_between_all_dtypes) {
  static const int numbers[] = {0, 11, 1, 27, 3, 9, 12, 2, 4, 6, 7, 8, 10};  // DT_ of dtypes
  static const char *const before[] = {
      "node b: Muls(x) {value=1.0} -> b", "node b: Muls(x) {value=100.0} -> b",
      "node b: Muls(x) {value=1e10} -> b", "node a: Square(x) -> a node b: Square(a) -> b"};
  weft_env *e = case_env();
  char text[256];
  for (size_t from = 0; e && from < WEFT_COUNT(dtypes); from++) {
    for (size_t to = 0; to < WEFT_COUNT(dtypes); to++) {
      for (size_t k = from < 4 ? 0 : 3; k < (from < 4 ? 3 : 4); k++) {
        bool flag = from == 6;
        snprintf(text, sizeof text,
                 "graph \"g\" { input x: %s[1100] %s node n: Cast(%s) {dst_type=%d} -> y output y }",
                 dtypes[from], flag ? "" : before[k], flag ? "x" : "b", numbers[to]);
        CHECK_INT(case_hold(e, &(one_case){.text = text}, from * 100 + to), WEFT_OK);
      }
    }
  }
  weft_env_destroy(e);
}

// ---- others of another form ----
#define G GRAPH
static const one_case cases[] = {
    {G("input c: bool[3,1] input a: f32[3,70] input b: f32[] node n: SelectV2(c, a, b) -> y"), 0},
    {G("input c: bool[4] input a: i64[] input b: i64[2,4] node n: SelectV2(c, a, b) -> y"), 0},
    {G("input c: bool[] input a: bf16[9] input b: bf16[9] node n: SelectV2(c, a, b) -> y"), 0},
    {G("input x: f32[2,3,5,7] input b: f32[3] node n: BiasAdd(x, b) {data_format=\"NCHW\"} -> y"), 0},
    {G("input x: f32[2,5,7,3] input b: f32[3] node n: BiasAdd(x, b) -> y"), 0},
    {G("input x: f32[2,3,5,17] input b: f32[3] node n: PRelu(x, b) -> y"), 0},
    {G("input x: f32[2,3,90] input b: f32[3,1] node n: PRelu(x, b) -> y"), 0},
    {G("input x: f32[5] input b: f32[1] node n: PRelu(x, b) -> y"), 0},
    {G("input a: f32[3,4] input b: f32[3,4] input c: f32[4] node n: AddN([a, b, c]) {N=3} -> y"), 2e-7},
    {G("input a: f32[9] node n: AddN([a]) {N=1} -> y"), 0},
    {G("input x: f32[6,50] const e: f32[]{2} node n: Pow(x, e) -> y"), 0},
    {G("input x: f32[6,50] const e: f32[1]{0.5} node n: Pow(x, e) -> y"), 0},
    {G("input x: f32[6,50] const e: f32[]{3} node n: Pow(x, e) -> y"), 0},
    {G("input x: f32[6,50] const e: f32[]{-1} node n: Pow(x, e) -> y"), 0},
    {G("input x: f32[77] node n: Cast(x) {dst_type=1} -> y"), 0},
    {G("input x: f32[77] node n: Cast(x) {dst_type=3} -> y"), 0},
    {G("input x: f32[77] node n: Cast(x) {dst_type=9} -> y"), 0},
    {G("input x: f32[77] node n: Cast(x) {dst_type=12} -> y"), 0},
    {G("input x: f32[77] node n: Cast(x) {dst_type=27} -> y"), 0},
    {G("input x: f32[77] node n: Cast(x) {dst_type=11} -> y"), 0},
    {G("input x: f16[77] node n: Cast(x) {dst_type=0} -> y"), 0},
    {G("input x: f16[77] node n: Cast(x) {dst_type=9} -> y"), 0},
    {G("input x: bf16[77] node n: Cast(x) {dst_type=1} -> y"), 0},
    {G("input x: i64[77] node n: Cast(x) {dst_type=0} -> y"), 0},
    {G("input x: i64[77] node n: Cast(x) {dst_type=3} -> y"), 0},
    {G("input x: i64[77] node n: Cast(x) {dst_type=12} -> y"), 0},
    {G("input x: i32[77] node n: Cast(x) {dst_type=9} -> y"), 0},
    {G("input x: i32[77] node n: Cast(x) {dst_type=1} -> y"), 0},
    {G("input x: bool[77] node n: Cast(x) {dst_type=0} -> y"), 0},
    {G("input x: f64[77] node n: Cast(x) {dst_type=0} -> y"), 0},
    {G("input x: f64[77] node n: Cast(x) {dst_type=3} -> y"), 0},
    {G("input x: u8[1100] node n: Cast(x) {dst_type=0} -> y"), 0},
    {G("input x: u8[1100] node n: Cast(x) {dst_type=1} -> y"), 0},
    {G("input x: i8[1100] node n: Cast(x) {dst_type=27} -> y"), 0},
    {G("input x: u16[1100] node n: Cast(x) {dst_type=0} -> y"), 0},
    {G("input x: i16[1100] node n: Cast(x) {dst_type=1} -> y"), 0},
    {G("input x: i16[1100] node n: Cast(x) {dst_type=27} -> y"), 0},
    {G("input x: u8[1100] node n: Cast(x) {dst_type=2} -> y"), 0},
    {G("input x: i8[1100] node n: Cast(x) {dst_type=7} -> y"), 0},
    {G("input x: u8[1100] node n: Cast(x) {dst_type=3} -> y"), 0},
    {G("input x: i8[1100] node n: Cast(x) {dst_type=8} -> y"), 0},
    {G("input x: i8[1100] node n: Cast(x) {dst_type=9} -> y"), 0},
    {G("input x: i16[1100] node n: Cast(x) {dst_type=10} -> y"), 0},
    {G("input x: u16[1100] node n: Cast(x) {dst_type=9} -> y"), 0},
    {G("input x: bool[1100] node n: Cast(x) {dst_type=4} -> y"), 0},
    {G("input x: u8[1100] node n: Cast(x) {dst_type=12} -> y"), 0},
    {G("input x: i16[1100] node n: Cast(x) {dst_type=12} -> y"), 0},
    {G("input x: i32[1100] node n: Cast(x) {dst_type=4} -> y"), 0},
    {G("input x: i32[1100] node n: Cast(x) {dst_type=6} -> y"), 0},
    {G("input x: u32[1100] node n: Cast(x) {dst_type=2} -> y"), 0},
    {G("input x: i32[1100] node n: Cast(x) {dst_type=8} -> y"), 0},
    {G("input x: u32[1100] node n: Cast(x) {dst_type=3} -> y"), 0},
    {G("input x: i64[1100] node n: Cast(x) {dst_type=4} -> y"), 0},
    {G("input x: i64[1100] node n: Cast(x) {dst_type=6} -> y"), 0},
    {G("input x: u64[1100] node n: Cast(x) {dst_type=8} -> y"), 0},
    {G("input x: i64[1100] node n: Cast(x) {dst_type=8} -> y"), 0},
    {G("input x: f32[1100] node n: Cast(x) {dst_type=4} -> y"), 0},
    {G("input x: f32[1100] node n: Cast(x) {dst_type=2} -> y"), 0},
    {G("input x: f32[1100] node n: Cast(x) {dst_type=7} -> y"), 0},
    {G("input x: f16[1100] node n: Cast(x) {dst_type=6} -> y"), 0},
    {G("input x: bf16[1100] node n: Cast(x) {dst_type=4} -> y"), 0},
    {G("input x: f16[1100] node n: Cast(x) {dst_type=2} -> y"), 0},
    {G("input x: u8[3,0] node n: Cast(x) {dst_type=0} -> y"), 0},
    {G("input x: u8[] node n: Cast(x) {dst_type=0} -> y"), 0},
    // the smallest numbers by -1
    {G("input x: i8[300] const c: i8[]{64} const m: i8[]{-1} node a: Mul(x, c) -> a node n: Div(a, m) -> y")},
    {G("input x: i16[300] const c: i16[]{16384} const m: i16[]{-1} node a: Mul(x, c) -> a node n: "
       "FloorDiv(a, m) -> y")},
    {G("input x: i32[300] const c: i32[]{1073741824} const m: i32[1]{-1} node a: Mul(x, c) -> a node n: "
       "Div(a, m) -> y")},
    {G("input x: i32[300] const c: i32[]{1073741824} const m: i32[1]{-1} node a: Mul(x, c) -> a node n: "
       "Mod(a, m) -> y")},
    {G("input x: i64[300] const c: i64[]{4611686018427387904} const m: i64[300]{*-1} node a: Mul(x, c) -> a "
       "node n: Div(a, m) -> y")},
    {G("input x: i64[300] const c: i64[]{4611686018427387904} const m: i64[300]{*-1} node a: Mul(x, c) -> a "
       "node n: FloorMod(a, m) -> y")},
    // numbers of all sizes
    {G("input x: i32[900] input z: i32[900] const c: i32[]{7654321} node a: Mul(x, c) -> a node n: Div(a, z) "
       "-> y")},
    {G("input x: u32[900] input z: u32[900] const c: u32[]{4007654321} node a: Mul(x, c) -> a node n: Mod(a, "
       "z) -> y")},
    {G("input x: i32[900] input z: i32[900] const c: i32[]{7654321} const u: i32[]{17} node a: Mul(x, c) -> "
       "a node b: Mul(z, u) -> b node n: FloorMod(a, b) -> y")},
};

TEST(other_forms) {
  cases_hold(cases, WEFT_COUNT(cases));
}
TEST(other_forms_in_other_dtypes) {
  cases_hold_in_other_dtypes(cases, WEFT_COUNT(cases), 20, 0);
}
// SPDX-License-Identifier: Apache-2.0
