// kernels_around_test.c - the CPU's kernels around products against the interpreter, operator by operator,
// for each instruction set: every elementwise operator in every dtype it has with every kind of broadcasting,
// and pooling, normalisation, softmax, reductions and moves over many shapes, odd and empty ones among them;
// NaN, infinities and both zeros in every second run. Bit for bit where the kernel promises it.
#include "base/base.h"
#include "check.h"
#include "run_util.h"
#include "weft/weft.h"

static const char *const isas[] = {"plain", "avx2", "avx512"};

typedef struct one_case {
  const char *text;  // of the graph
  double rtol;       // of an element, and of the largest one; 0: bit for bit
  bool reference;    // no kernel takes it
  bool finite;       // no NaN and no infinities among the inputs
} one_case;

static uint64_t next(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return *state >> 33;
}

static void fill(weft_tensor *t, uint64_t *state, bool special) {
  static const double odd[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1.0, -1.0, 100};
  for (int64_t i = 0; i < weft_tensor_elems(t); i++) {
    double v = (double)next(state) / (double)(UINT64_C(1) << 31) * 8 - 4;
    uint64_t z = next(state);
    if (special && z % 5 == 0) v = odd[z / 5 % 8];
    if (t->dtype == WEFT_BOOL)
      ((uint8_t *)t->data)[i] = z & 1;
    else if (weft_dtype_is_float(t->dtype))
      weft_store_f64(t->dtype, t->data, (size_t)i, v);
    else
      weft_store_i64(t->dtype, t->data, (size_t)i, (int64_t)(z % 1000) - 300);
  }
}

static bool alike(const weft_tensor *a, const weft_tensor *b, double rtol, weft_diag *d) {
  double most = 0;
  if (!rtol || !weft_dtype_is_float(b->dtype)) return weft_tensor_compare(a, b, 0, 0, d) == 0;
  for (int64_t i = 0; i < weft_tensor_elems(b); i++) {
    double v = fabs(weft_load_f64(b->dtype, b->data, (size_t)i));
    if (isfinite(v) && v > most) most = v;
  }
  return weft_tensor_compare(a, b, rtol, rtol * WEFT_MIN(most, 10), d) == 0;
}

enum { MAX_IN = 8, MAX_OUT = 8 };
// Compiles the graph as it stands (g is given away) and runs it beside the interpreter (h).
static bool run_case(weft_graph *g, weft_graph *h, const one_case *c, const char *isa, uint64_t seed,
                     weft_diag *d) {
  const weft_compile_options plain = {
      .size = sizeof plain, .options = (const char *const[]){"passes=0"}, .n_options = 1};
  const weft_exec_options profile = {.size = sizeof profile, .profile = true};
  weft_program *p = NULL;
  weft_exec *x = NULL;
  weft_tensor in[MAX_IN], want[MAX_OUT], got[MAX_OUT], *out[MAX_OUT];
  const weft_tensor *ins[MAX_IN];
  size_t n_in = weft_graph_n_inputs(h), n_out = weft_graph_n_outputs(h);
  weft_status s = weft_compile(g, &plain, &p, d);
  if (!s) s = weft_exec_create(p, &profile, &x, d);
  bool ok = !s;
  for (uint64_t round = 0; ok && round < 2; round++) {
    uint64_t state = seed * 31 + round;
    for (size_t i = 0; i < n_in && !s; i++) {
      weft_tensor_desc desc;
      weft_value_desc(weft_graph_input_at(h, i), &desc);
      weft_tensor_init(&in[i], NULL), ins[i] = &in[i];
      s = weft_tensor_alloc(&in[i], desc.dtype, desc.layout.origin.dim, desc.layout.origin.rank, d);
      in[i].format = desc.format, in[i].origin_format = desc.origin_format;
      if (!s) fill(&in[i], &state, round == 1 && !c->finite);
    }
    weft_diag e = {0};
    weft_status expected = weft_interp_run(h, NULL, ins, n_in, want, n_out, &e);
    for (size_t i = 0; i < n_out; i++) weft_tensor_init(&got[i], NULL), out[i] = &got[i];
    s = weft_exec_run(x, ins, n_in, out, n_out, d);
    ok = s == expected;
    if (!ok)
      check_failed(__FILE__, __LINE__, "%s: gave %d, the interpreter %d (%s)", isa, (int)s, (int)expected,
                   e.text);
    for (size_t i = 0; i < n_out && ok && !s; i++) ok = alike(&got[i], &want[i], c->rtol, d);
    const weft_launch_record *r;
    size_t n = weft_exec_profile(x, &r), by_kernel = 0;
    for (size_t i = 0; i < n; i++) by_kernel += strcmp(r[i].kernel, "reference") != 0;
    if (ok && !s && n && !c->reference != (by_kernel == n)) {
      ok = false;
      weft_fail(d, WEFT_E_STATE, "%zu of %zu launches by kernels", by_kernel, n);
    }
    for (size_t i = 0; i < n_in; i++) weft_tensor_deinit(&in[i]);
    for (size_t i = 0; i < n_out; i++) weft_tensor_deinit(&want[i]), weft_tensor_deinit(&got[i]);
  }
  weft_exec_destroy(x);
  weft_program_release(p);
  return ok;
}

// E_DTYPE: the operator does not have the dtype. Anything else that fails is reported.
static weft_status hold(weft_env *e, const one_case *c, uint64_t seed) {
  weft_status s = WEFT_OK;
  for (size_t k = 0; k < WEFT_COUNT(isas) && !s; k++) {
    weft_diag d = {0};
    weft_graph *g = NULL, *h = NULL;
    if (!lower_isa(isas[k])) continue;
    s = weft_graph_parse(e, c->text, strlen(c->text), "case", &g, &d);
    if (!s) s = weft_graph_parse(e, c->text, strlen(c->text), "case", &h, &d);
    if (!s) s = weft_graph_infer(h, NULL, NULL, &d);
    if (s) {
      weft_graph_destroy(g);
      if (s != WEFT_E_DTYPE) check_failed(__FILE__, __LINE__, "%s\n%s", d.text, c->text);
    } else if (!run_case(g, h, c, isas[k], seed, &d)) {
      check_failed(__FILE__, __LINE__, "%s: %s\n%s", isas[k], d.text, c->text);
      s = WEFT_E_DIFFERENT;
    }
    weft_graph_destroy(h);
  }
  unsetenv("WEFT_ISA");
  return s;
}

static weft_env *open_env(void) {
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  weft_env *e = NULL;
  weft_diag d = {0};
  if (weft_env_create(&o, &e, &d)) check_failed(__FILE__, __LINE__, "%s", d.text);
  return e;
}

// ---- elementwise ----
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
    {"Div", "", 2, true, true},
    {"DivNoNan", "", 2, true, true},
    {"Elu", "{alpha=1.5}", 1, false, true},
    {"Equal", "", 2, true, false},
    {"Erf", "", 1, false, true},
    {"Exp", "", 1, false, true},
    {"Expm1", "", 1, false, true},
    {"Floor", "", 1, true, true},
    {"Gelu", "", 1, false, true},
    {"Gelu", "{approximate=\"tanh\"}", 1, false, true},
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
    {"Mod", "", 2, true, true},
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
  if (!strcmp(dtype, "f64")) return o->exact ? 0 : 1e-15;
  if (o->exact && !strcmp(dtype, "f32")) return 0;
  return !strcmp(dtype, "f16") ? 2e-3 : !strcmp(dtype, "bf16") ? 1.6e-2 : !strcmp(dtype, "f32") ? 2e-6 : 0;
}

TEST(elementwise_operators_in_all_dtypes_and_broadcasts) {
  weft_env *e = open_env();
  char text[1024];
  int bad = 0, ran = 0;
  for (size_t i = 0; e && i < WEFT_COUNT(ops); i++)
    for (size_t t = 0; t < WEFT_COUNT(dtypes); t++)
      for (size_t s = 0; s < WEFT_COUNT(shapes) && bad < 5; s++) {
        if (ops[i].floats_only && t > 3) continue;
        size_t at = (size_t)snprintf(text, sizeof text, "graph \"g\" { ");
        for (int k = 0; k < ops[i].inputs; k++)
          at +=
              (size_t)snprintf(text + at, sizeof text - at, "input x%d: %s[%s] ", k, dtypes[t], shapes[s][k]);
        at += (size_t)snprintf(text + at, sizeof text - at, "node n: %s(", ops[i].op);
        for (int k = 0; k < ops[i].inputs; k++)
          at += (size_t)snprintf(text + at, sizeof text - at, "%sx%d", k ? ", " : "", k);
        snprintf(text + at, sizeof text - at, ") %s -> y output y }", ops[i].attrs);
        one_case c = {.text = text, .rtol = tolerance(&ops[i], dtypes[t])};
        // bool: added and multiplied by the reference, and not ordered
        c.reference = t == 6 && strcmp(ops[i].op, "Identity") && strncmp(ops[i].op, "Logical", 7) &&
                      strcmp(ops[i].op, "Equal") && strcmp(ops[i].op, "NotEqual");
        c.reference |= t != 6 && !strcmp(ops[i].op, "LogicalOr");
        weft_status got = hold(e, &c, i * 1000 + t * 100 + s);
        bad += got && got != WEFT_E_DTYPE;
        ran += !got;
      }
  if (ran < 5400) check_failed(__FILE__, __LINE__, "%d cases", ran);
  weft_env_destroy(e);
}

// Numbers that fit and numbers that do not: floats up to 4, 400 and 4e10, integers to the fourth.
TEST(casts_between_all_dtypes) {
  static const int numbers[] = {0, 11, 1, 27, 3, 9, 12, 2, 4, 6, 7, 8, 10};  // DT_ of dtypes
  static const char *const before[] = {
      "node b: Muls(x) {value=1.0} -> b", "node b: Muls(x) {value=100.0} -> b",
      "node b: Muls(x) {value=1e10} -> b", "node a: Square(x) -> a node b: Square(a) -> b"};
  weft_env *e = open_env();
  char text[256];
  for (size_t from = 0; e && from < WEFT_COUNT(dtypes); from++)
    for (size_t to = 0; to < WEFT_COUNT(dtypes); to++)
      for (size_t k = from < 4 ? 0 : 3; k < (from < 4 ? 3 : 4); k++) {
        bool flag = from == 6;
        snprintf(text, sizeof text,
                 "graph \"g\" { input x: %s[1100] %s node n: Cast(%s) {dst_type=%d} -> y output y }",
                 dtypes[from], flag ? "" : before[k], flag ? "x" : "b", numbers[to]);
        CHECK_INT(hold(e, &(one_case){.text = text}, from * 100 + to), WEFT_OK);
      }
  weft_env_destroy(e);
}

// ---- the others ----
#define G(...) "graph \"g\" { " __VA_ARGS__ " output y }"
#define TEN    "a, b, a, a, b, a, a, b, a, a"
#define MANY   TEN ", " TEN ", " TEN ", " TEN ", " TEN ", " TEN
static const one_case cases[] = {
    // ---- elementwise ones of another form ----
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
    // ---- softmax ----
    {G("input x: f32[3,128] node n: SoftmaxV2(x) -> y"), 1e-6},
    {G("input x: f32[3,7,5] node n: SoftmaxV2(x) {axes=[1]} -> y"), 1e-6},
    {G("input x: f32[2,3,700] node n: SoftmaxV2(x) {axes=[1]} -> y"), 1e-6},
    {G("input x: f32[4,9,37] node n: SoftmaxV2(x) {axes=[1,-1]} -> y"), 1e-6},
    {G("input x: f32[1,1] node n: SoftmaxV2(x) -> y"), 1e-6},
    {G("input x: f32[3,0] node n: SoftmaxV2(x) -> y"), 1e-6},
    {G("input x: f32[0,3] node n: SoftmaxV2(x) -> y"), 1e-6},
    {G("input x: f32[2,3,4] node n: SoftmaxV2(x) {axes=[0,2]} -> y"), 1e-6, .reference = true},
    {G("input x: f32[5,1000] node n: LogSoftmaxV2(x) -> y"), 1e-6},
    {G("input x: f32[5,33,17] node n: LogSoftmaxV2(x) {axes=[1]} -> y"), 2e-6},
    // ---- normalisation ----
    {G("input x: f32[6,768] input g: f32[768] input b: f32[768] node n: LayerNorm(x, g, b) "
       "{begin_norm_axis=1, begin_params_axis=1} -> y, m, v output m output v"),
     3e-6},
    {G("input x: f32[6,3,5] input g: f32[3,5] input b: f32[3,5] node n: LayerNorm(x, g, b) "
       "{begin_norm_axis=1, begin_params_axis=-2, epsilon=0.1} -> y, m, v output m output v"),
     3e-6},
    {G("input x: f32[2,3,33] input g: f32[3] input b: f32[3] node n: InstanceNorm(x, g, b) "
       "{data_format=\"NCHW\"} -> y, m, v output m output v"),
     3e-6},
    {G("input x: f32[2,6,5,7] input g: f32[6] input b: f32[6] node n: GroupNorm(x, g, b) {num_groups=3} -> "
       "y, m, v "
       "output m output v"),
     3e-6},
    {G("input x: f32[2,6,5,7] input g: f32[6] input b: f32[6] input m: f32[6] const v: f32[6]{1,2,3,4,5,6} "
       "node n: "
       "BatchNorm(x, g, b, m, v) {is_training=false, data_format=\"NCHW\"} -> y, bm, bv, r1, r2, r3 output "
       "bm "
       "output bv output r1 output r2 output r3"),
     3e-6},
    {G("input x: f32[2,5,7,300] input g: f32[300] input b: f32[300] input m: f32[300] const v: "
       "f32[300]{*1.5} node n: "
       "BatchNorm(x, g, b, m, v) {is_training=false} -> y, bm, bv, r1, r2, r3"),
     3e-6},
    {G("input x: f32[2,9,5,70] node n: LRN(x) {size=5, alpha=0.01, beta=0.75, data_format=\"NCHW\"} -> y"),
     2e-6},
    {G("input x: f32[1,3,300] node n: LRN(x) {size=4, alpha=0.1, beta=0.5, bias=2.0, data_format=\"NCHW\"} "
       "-> y"),
     2e-6},
    {G("input x: f32[1,7,3] node n: LRN(x) {depth_radius=2, beta=0.6, data_format=\"NCHW\"} -> y"), 2e-6},
    // ---- reductions ----
    {G("input x: f32[5,333] const a: i64[1]{-1} node n: ReduceSum(x, a) -> y"), 3e-7},
    {G("input x: f32[5,333] const a: i64[1]{0} node n: ReduceMean(x, a) {keep_dims=true} -> y"), 3e-7},
    {G("input x: f32[3,4,5,6] const a: i64[2]{0,2} node n: ReduceSum(x, a) -> y"), 3e-7},
    {G("input x: f32[3,4,5,6] const a: i64[2]{1,3} node n: ReduceMax(x, a) -> y"), 0},
    {G("input x: f32[3,4,5,6] const a: i64[3]{0,1,3} node n: ReduceMin(x, a) -> y"), 0},
    {G("input x: f32[2,3,300] const a: i64[1]{1} node n: ReduceMax(x, a) -> y"), 0},
    {G("input x: f32[7,40] const a: i64[0]{} node n: ReduceMean(x, a) {noop_with_empty_axes=false} -> y"),
     3e-7},
    {G("input x: f32[7,40] const a: i64[0]{} node n: ReduceSum(x, a) -> y"), 0},
    {G("input x: f32[] const a: i64[0]{} node n: ReduceMin(x, a) {noop_with_empty_axes=false} -> y"), 0},
    {G("input x: f32[3,0] const a: i64[1]{1} node n: ReduceSum(x, a) -> y"), 0},
    {G("input x: f32[0,300] const a: i64[1]{0} node n: ReduceSum(x, a) {keep_dims=true} -> y"), 0},
    {G("input x: f32[0,3] const a: i64[1]{1} node n: ReduceSum(x, a) -> y"), 0},
    {G("input x: f32[2,0,5] const a: i64[2]{0,1} node n: ReduceMean(x, a) -> y"), 0},
    {G("input x: f32[0,3] const a: i64[1]{1} node n: ReduceMax(x, a) -> y"), 0, .reference = true},
    {G("input x: f32[67,101] const a: i64[1]{0} node n: ReduceSum(x, a) -> y"), 3e-7},
    {G("input x: f32[4,9,3,70] const a: i64[2]{0,2} node n: ReduceMean(x, a) -> y"), 3e-7},
    {G("input x: f32[2,9,7,7] node n: GlobalAveragePool(x) -> y"), 3e-7},
    {G("input x: f32[5,333] const a: i64[1]{1} node n: ReduceProd(x, a) -> y"), 3e-7},
    {G("input x: f32[9,3,270] const a: i64[1]{0} node n: ReduceProd(x, a) {keep_dims=true} -> y"), 3e-7},
    {G("input x: f32[0,3] const a: i64[1]{0} node n: ReduceProd(x, a) -> y"), 0},
    {G("input x: f32[2,3,4,35] const a: i64[2]{1,3} node n: EuclideanNorm(x, a) -> y"), 3e-7},
    {G("input x: f32[17,301] const a: i64[1]{0} node n: EuclideanNorm(x, a) -> y"), 3e-7},
    {G("input x: f32[2,0,3] const a: i64[1]{1} node n: EuclideanNorm(x, a) -> y"), 0},
    {G("input x: f32[6,100] const a: i64[1]{1} node n: ReduceLogSum(x, a) -> y"), 1e-6},
    {G("input x: f32[6,100] const a: i64[1]{0} node n: ReduceLogSum(x, a) -> y"), 1e-6},
    {G("input x: f32[0,3] const a: i64[1]{0} node n: ReduceLogSum(x, a) -> y"), 0},
    {G("input x: f32[3,5,517] const a: i64[2]{0,2} node n: ReduceLogSumExp(x, a) -> y"), 1e-6},
    {G("input x: f32[9,4,270] const a: i64[1]{0} node n: ReduceLogSumExp(x, a) {keep_dims=true} -> y"), 1e-6},
    {G("input x: f32[4,0] const a: i64[1]{1} node n: ReduceLogSumExp(x, a) -> y"), 0, .reference = true},
    {G("input x: f32[6,70] const a: i64[]{1} node n: Cumsum(x, a) {exclusive=true} -> y"), 1e-6},
    {G("input x: f32[6,70] const a: i64[]{0} node n: Cumsum(x, a) {reverse=true} -> y"), 1e-6},
    // ---- pooling ----
    {G("input x: f32[2,3,17,19] node n: MaxPoolV3(x) {ksize=[3,3], strides=[2,2], pads=[1,1,1,1]} -> y"), 0},
    {G("input x: f32[1,2,40,41] node n: MaxPoolV3(x) {ksize=[3,2], strides=[1,1], pads=[0,2,1,0]} -> y"), 0},
    {G("input x: f32[1,2,23,50] node n: MaxPoolV3(x) {ksize=[2,3], strides=[3,2], dilations=[2,3], "
       "pads=[2,2,5,5]} "
       "-> y"),
     0},
    {G("input x: f32[1,2,9,33] node n: MaxPoolV3(x) {ksize=[4,4], strides=[3,3], ceil_mode=true} -> y"), 0},
    {G("input x: f32[1,2,9,33] node n: MaxPoolV3(x) {ksize=[3,5], strides=[2,2], "
       "padding_mode=\"SAME_LOWER\"} -> y"),
     0},
    {G("input x: f32[1,2,33] node n: MaxPoolV3(x) {ksize=[5], strides=[1]} -> y"), 0},
    {G("input x: f32[3,2,9,33] node n: MaxPoolV3(x) {ksize=[1,1], strides=[1,1], global_pooling=true} -> y"),
     0},
    {G("input x: f32[1,1,3,3] node n: MaxPoolV3(x) {ksize=[1,1], strides=[1,1], pads=[2,2,2,2]} -> y"), 0},
    {G("input x: f32[1,2,9,33] NCHW node n: MaxPool(x) {ksize=[2,2], strides=[2,2], padding=\"SAME\", "
       "data_format=\"NCHW\"} -> y"),
     0},
    {G("input x: f32[2,3,17,39] node n: AvgPoolV2(x) {ksize=[3,3], strides=[1,1], pads=[1,1,1,1]} -> y"),
     5e-7},
    {G("input x: f32[2,3,17,39] node n: AvgPoolV2(x) {ksize=[3,3], strides=[2,2], pads=[1,0,1,2], "
       "exclusive=false} "
       "-> y"),
     5e-7},
    {G("input x: f32[2,3,17,39] node n: AvgPoolV2(x) {ksize=[3,3], strides=[2,2], ceil_mode=true, "
       "exclusive=false, "
       "pads=[1,1,1,1]} -> y"),
     5e-7},
    {G("input x: f32[2,3,17,39] node n: AvgPoolV2(x) {ksize=[2,4], strides=[3,1], divisor_override=5} -> y"),
     5e-7},
    {G("input x: f32[2,3,17,39] node n: AvgPoolV2(x) {ksize=[16,20], strides=[1,1]} -> y"), 5e-7},
    {G("input x: f32[2,3,17,39] node n: AvgPoolV2(x) {ksize=[1,1], strides=[1,1], global_pooling=true} -> y"),
     5e-7},
    {G("input x: f32[2,3,4,5] node n: AvgPoolV2(x) {ksize=[4,5], strides=[1,1], exclusive=false} -> y"),
     5e-7},
    {G("input x: f32[2,3,17,39] node n: AvgPoolV2(x) {ksize=[15,2], strides=[1,5], dilations=[1,3], "
       "pads=[7,7,1,3]} -> y"),
     5e-7},
    {G("input x: f32[3,2,70,9] node n: AvgPoolV2(x) {ksize=[65,3], strides=[2,3], pads=[9,9,1,1]} -> y"),
     5e-7},
    {G("input x: f32[2,3,9,39] node n: AvgPoolV2(x) {ksize=[3,3], strides=[3,3], pads=[0,0,1,1]} -> y"),
     5e-7},
    {G("input x: f32[2,3,9,99] node n: AvgPoolV2(x) {ksize=[2,3], strides=[1,3], dilations=[2,1]} -> y"),
     5e-7},
    {G("input x: f32[1,3,300] node n: MaxPoolV3(x) {ksize=[5], strides=[4]} -> y"), 0},
    {G("input x: f32[2,3,4,17] node n: MaxPoolV3(x) {ksize=[1,3], strides=[1,9], pads=[0,0,2,2]} -> y"), 0},
    // rows that are cut, and windows that reach further
    {G("input x: f32[1,3,2500] node n: MaxPoolV3(x) {ksize=[3], strides=[1], pads=[1,1]} -> y"), 0},
    {G("input x: f32[1,2,3,2500] node n: AvgPoolV2(x) {ksize=[2,3], strides=[1,2], pads=[1,1,1,1], "
       "exclusive=false} -> y"),
     5e-7},
    {G("input x: f32[1,2,3,2500] node n: MaxPoolV3(x) {ksize=[2,5], strides=[2,7], dilations=[1,200]} -> y"),
     0},
    {G("input x: f32[1,3,2500] node n: MaxPoolV3(x) {ksize=[3], strides=[1], dilations=[700], pads=[0,9]} "
       "-> y"),
     0},
    {G("input x: f32[1,3,2500] node n: AvgPoolV2(x) {ksize=[1100], strides=[300], pads=[100,30]} -> y"),
     5e-7},
    {G("input x: f32[1,2,1500] node n: AvgPoolV2(x) {ksize=[70], strides=[40], dilations=[20], "
       "divisor_override=9} -> y"),
     5e-7},
    // three axes
    {G("input x: f32[2,3,5,9,19] node n: MaxPoolV3(x) {ksize=[3,3,3], strides=[2,2,2], pads=[1,1,1,1,1,1]} "
       "-> y"),
     0},
    {G("input x: f32[1,17,4,6,33] node n: MaxPoolV3(x) {ksize=[2,3,4], strides=[1,2,1], "
       "pads=[0,1,2,1,3,0]} -> y"),
     0},
    {G("input x: f32[1,2,7,5,21] node n: MaxPoolV3(x) {ksize=[2,1,3], strides=[3,1,3], dilations=[3,2,4], "
       "pads=[2,1,0,0,4,4], ceil_mode=true} -> y"),
     0},
    {G("input x: f32[3,2,4,5,6] node n: MaxPoolV3(x) {ksize=[1,1,1], strides=[1,1,1], global_pooling=true} "
       "-> y"),
     0},
    {G("input x: f32[1,1,3,3,3] node n: MaxPoolV3(x) {ksize=[1,1,1], strides=[1,1,1], "
       "pads=[2,2,2,2,2,2]} -> y"),
     0},
    {G("input x: f32[2,3,5,9,19] node n: AvgPoolV2(x) {ksize=[3,3,3], strides=[1,1,1], "
       "pads=[1,1,1,1,1,1]} -> y"),
     5e-7},
    {G("input x: f32[2,3,5,9,19] node n: AvgPoolV2(x) {ksize=[2,2,2], strides=[2,2,2], ceil_mode=true, "
       "exclusive=false, pads=[1,0,1,1,0,1]} -> y"),
     5e-7},
    {G("input x: f32[1,2,9,9,9] node n: AvgPoolV2(x) {ksize=[5,5,5], strides=[4,3,3], "
       "padding_mode=\"SAME_LOWER\"} -> y"),
     5e-7},
    {G("input x: f32[1,2,9,9,9] node n: AvgPoolV2(x) {ksize=[9,9,2], strides=[1,1,1], dilations=[1,1,3]} "
       "-> y"),
     5e-7},
    {G("input x: f32[2,3,4,5,6] node n: AvgPoolV2(x) {ksize=[1,1,1], strides=[1,1,1], global_pooling=true} "
       "-> y"),
     5e-7},
    // with places
    {G("input x: f32[2,3,18,40] node n: MaxPoolWithArgmaxV3(x) {ksize=[2,2], strides=[2,2], pads=[0,0,0,0], "
       "dtype=9, index_base=\"tensor\"} -> y, i output i"),
     0},
    {G("input x: f32[2,3,17,39] node n: MaxPoolWithArgmaxV3(x) {ksize=[3,3], strides=[2,2], pads=[1,1,1,1]} "
       "-> y, i output i"),
     0},
    {G("input x: f32[1,2,600] node n: MaxPoolWithArgmaxV3(x) {ksize=[3], strides=[1], pads=[2,2], "
       "dilation=[2], dtype=9, index_base=\"tensor\"} -> y, i output i"),
     0},
    {G("input x: f32[2,2,9,50] node n: MaxPoolWithArgmaxV3(x) {ksize=[4,3], strides=[3,3], pads=[2,3,1,1], "
       "dilation=[1,2], ceil_mode=true, dtype=9, index_base=\"tensor_column_major\"} -> y, i output i"),
     0},
    {G("input x: f32[1,3,5,6,19] node n: MaxPoolWithArgmaxV3(x) {ksize=[2,3,3], strides=[1,2,2], "
       "pads=[1,0,1,1,2,0], dilation=[1,1,1], dtype=9, index_base=\"tensor_column_major\"} -> y, i output i"),
     0},
    {G("input x: f32[1,3,5,6,19] node n: MaxPoolWithArgmaxV3(x) {ksize=[3,3,3], strides=[2,1,1], "
       "pads=[1,1,1,1,1,1], dilation=[2,1,1]} -> y, i output i"),
     0},
    {G("input x: f32[1,1,3,3] node n: MaxPoolWithArgmaxV3(x) {ksize=[1,1], strides=[1,1], pads=[2,2,2,2]} -> "
       "y, i output i"),
     0},
    {G("input x: f32[1,2,4,5] node n: MaxPoolWithArgmaxV3(x) {ksize=[9,9], strides=[1,1], pads=[8,8,8,8]} -> "
       "y, i output i"),
     0},
    // ---- resampling ----
    {G("input x: f32[2,3,7,5] const s: f32[4]{1,1,2,2} node n: Resize(x, _, s, _) -> y"), 0},
    {G("input x: f32[2,3,5,17] const s: f32[4]{1,1,2,2} node n: Resize(x, _, s, _) {mode=\"nearest\", "
       "coordinate_transformation_mode=\"asymmetric\", nearest_mode=\"floor\"} -> y"),
     0},
    {G("input x: f32[2,3,5,33] const s: f32[4]{1,1,1.6,2} node n: Resize(x, _, s, _) -> y"), 0},
    {G("input x: u8[2,5,9,4] const s: f32[4]{1,2,2,1} node n: Resize(x, _, s, _) -> y"), 0},
    {G("input x: f32[2,3,7,5] const s: f32[4]{1,1,0.6,1.7} node n: Resize(x, _, s, _) "
       "{nearest_mode=\"ceil\", "
       "coordinate_transformation_mode=\"asymmetric\"} -> y"),
     0},
    {G("input x: f32[2,3,7,5] const z: i64[4]{2,3,4,11} node n: Resize(x, _, _, z) "
       "{coordinate_transformation_mode=\"align_corners\"} -> y"),
     0},
    {G("input x: f32[1,1,7,300] const s: f32[4]{1,1,2,2} node n: Resize(x, _, s, _) {mode=\"linear\"} -> y"),
     1e-6},
    {G("input x: f32[2,3,7,5] const z: i64[4]{2,3,4,11} node n: Resize(x, _, _, z) {mode=\"linear\", "
       "coordinate_transformation_mode=\"align_corners\"} -> y"),
     1e-6},
    {G("input x: f32[7,5] const z: i64[2]{1,1} node n: Resize(x, _, _, z) {mode=\"linear\", "
       "coordinate_transformation_mode=\"pytorch_half_pixel\"} -> y"),
     1e-6},
    {G("input x: f32[2,7,5] const z: i64[3]{4,7,5} node n: Resize(x, _, _, z) -> y"), 0},
    {G("input x: f32[2,3,4,7,5] const s: f32[5]{1,1,2,1.5,2} node n: Resize(x, _, s, _) "
       "{nearest_mode=\"floor\", "
       "coordinate_transformation_mode=\"asymmetric\"} -> y"),
     0},
    {G("input x: f32[2,7,5,3] const s: f32[4]{1,0.6,1.7,1} node n: Resize(x, _, s, _) "
       "{coordinate_transformation_mode=\"half_pixel_symmetric\"} -> y"),
     0},
    {G("input x: f32[5,3,70] const s: f32[1]{1.7} node n: Resize(x, _, s, _) {axes=[0], "
       "coordinate_transformation_mode=\"tf_half_pixel_for_nn\"} -> y"),
     0},
    {G("input x: f32[2,3,2,2,2] const z: i64[5]{3,3,2,2,4} node n: Resize(x, _, _, z) -> y"), 0,
     .reference = true},
    {G("input x: f32[2,3,4,7,5] const s: f32[5]{1,1,2,1.5,2} node n: Resize(x, _, s, _) {mode=\"linear\"} -> "
       "y"),
     1e-6},
    {G("input x: f32[1,2,9,40,37] const z: i64[5]{1,2,4,13,50} node n: Resize(x, _, _, z) {mode=\"linear\", "
       "coordinate_transformation_mode=\"align_corners\"} -> y"),
     1e-6},
    {G("input x: f32[2,7,5,3] const s: f32[4]{1,2,2,1} node n: Resize(x, _, s, _) {mode=\"linear\"} -> y"),
     1e-6},
    {G("input x: f32[7,5,37] const z: i64[2]{3,11} node n: Resize(x, _, _, z) {mode=\"linear\", axes=[-3,1], "
       "coordinate_transformation_mode=\"half_pixel_symmetric\"} -> y"),
     1e-6},
    {G("input x: f32[9] const s: f32[1]{2.5} node n: Resize(x, _, s, _) {mode=\"linear\"} -> y"), 1e-6},
    {G("input x: f32[2,3,40,31] const s: f32[4]{1,1,0.3,0.45} node n: Resize(x, _, s, _) {mode=\"linear\", "
       "antialias=1} -> y"),
     1e-6},
    {G("input x: f32[2,3,40,31] const s: f32[4]{1,1,0.3,2} node n: Resize(x, _, s, _) {mode=\"cubic\", "
       "antialias=1, cubic_coeff_a=-0.5} -> y"),
     1e-6},
    {G("input x: f32[2,3,7,11] const s: f32[4]{1,1,2,1.3} node n: Resize(x, _, s, _) {mode=\"cubic\"} -> y"),
     1e-6},
    {G("input x: f32[2,3,7,11] const s: f32[4]{1,1,2,0.3} node n: Resize(x, _, s, _) {mode=\"cubic\", "
       "exclude_outside=1} -> y"),
     1e-6},
    {G("input x: f32[3,7,5] const z: i64[3]{6,3,9} node n: Resize(x, _, _, z) {mode=\"cubic\"} -> y"), 1e-6},
    {G("input x: f32[2,3,7,9] input g: f32[2,5,30,2] node n: GridSample(x, g) -> y"), 2e-6},
    {G("input x: f32[2,3,7,9] input g: f32[2,5,13,2] node n: GridSample(x, g) {padding_mode=\"border\", "
       "align_corners=true} -> y"),
     2e-6},
    {G("input x: f32[1,17,7,9] input g: f32[1,5,13,2] node n: GridSample(x, g) {padding_mode=\"reflection\", "
       "interpolation_mode=\"bicubic\"} -> y"),
     2e-6, .finite = true},
    {G("input x: f32[1,2,7,9] input g: f32[1,5,13,2] node n: GridSample(x, g) {align_corners=true, "
       "interpolation_mode=\"nearest\"} -> y"),
     2e-6},
    {G("input x: f32[1,3,4,5,6] input g: f32[1,3,4,7,3] node n: GridSample(x, g) "
       "{padding_mode=\"reflection\"} "
       "-> y"),
     2e-6},
    {G("input x: f32[2,3,9] input g: f32[2,70,1] node n: GridSample(x, g) -> y"), 2e-6},
    {G("input x: f32[2,5,12,9] const r: f32[4,4]{0,0,8,9,-3,2,30,11,5,5,4,4,1.5,0.3,7.7,20} const i: "
       "i64[4]{0,1,1,0} node n: RoiAlign(x, r, i) {output_height=3, output_width=5, sampling_ratio=2, "
       "spatial_scale=0.7} -> y"),
     2e-6},
    {G("input x: f32[1,2,40,50] const r: f32[3,4]{0,0,45,38,2,3,9,60,7,7,6,6} const i: i32[3]{0,0,0} node n: "
       "RoiAlign(x, r, i) {output_height=9, output_width=8, "
       "coordinate_transformation_mode=\"output_half_pixel\"} -> y"),
     2e-6},
    {G("input x: f32[1,17,12,9] const r: f32[2,4]{0,0,8,9,-30,2,3,70} const i: i64[2]{0,0} node n: "
       "RoiAlign(x, r, i) {output_height=9, output_width=8, mode=\"max\"} -> y"),
     2e-6},
    {G("input x: f32[1,2,4,4] const r: f32[1,4]{3,3,1,1} const i: i64[1]{0} node n: RoiAlign(x, r, i) -> y"),
     2e-6},
    {G("input x: f32[2,12,20] const z: i64[2]{6,5} const k: i64[2]{2,3} node n: Col2Im(x, z, k) "
       "{pads=[0,1,0,0]} -> y"),
     2e-6},
    {G("input x: f32[1,18,21] const z: i64[2]{11,9} const k: i64[2]{3,2} node n: Col2Im(x, z, k) "
       "{pads=[1,2,3,1], strides=[2,3], dilations=[1,3]} -> y"),
     2e-6},
    {G("input x: f32[1,8,27] const z: i64[3]{4,4,4} const k: i64[3]{2,2,2} node n: Col2Im(x, z, k) -> y"),
     2e-6},
    {G("input x: f32[3,10,50] const z: i64[1]{103} const k: i64[1]{5} node n: Col2Im(x, z, k) {strides=[2]} "
       "-> "
       "y"),
     2e-6},
    // ---- moves ----
    {G("input x: f32[5,9] const i: i64[2,2]{4,-5,0,1} const a: i64[]{0} node n: GatherV2(x, i, a) "
       "{negative_index_support=true} -> y"),
     0},
    {G("input x: f16[3,5,2] const i: i32[3]{4,0,1} const a: i64[]{1} node n: GatherV2(x, i, a) -> y"), 0},
    {G("input x: f32[3,5] input i: i64[2] const a: i64[]{1} node n: GatherV2(x, i, a) -> y"), 0},
    {G("input x: f32[20,33] const p: i64[2]{1,0} node n: Transpose(x, p) -> y"), 0},
    {G("input x: f32[2,7,12,64] const p: i64[4]{0,2,1,3} node n: Transpose(x, p) -> y"), 0},
    {G("input x: f32[3,8,40,5] node n: TransposeD(x) {perm=[0,2,3,1]} -> y"), 0},
    {G("input x: f32[3,9,11] node n: TransposeD(x) {perm=[2,1,0]} -> y"), 0},
    {G("input x: f16[5,9,11] node n: TransposeD(x) {perm=[1,2,0]} -> y"), 0},
    {G("input x: i64[5,9,11] node n: TransposeD(x) {perm=[2,0,1]} -> y"), 0},
    {G("input x: i8[33,17] node n: TransposeD(x) {perm=[1,0]} -> y"), 0},
    {G("input x: i8[131,2048] node n: TransposeD(x) {perm=[1,0]} -> y"), 0},  // lines that meet in the cache
    {G("input x: f16[1024,75] node n: TransposeD(x) {perm=[1,0]} -> y"), 0},
    {G("input x: i16[2,70,512] node n: TransposeD(x) {perm=[0,2,1]} -> y"), 0},
    {G("input x: f32[2,2,2,2,2,2] node n: TransposeD(x) {perm=[5,3,1,0,2,4]} -> y"), 0},
    {G("input x: f32[0,4] node n: TransposeD(x) {perm=[1,0]} -> y"), 0},
    {G("input a: f32[2,3,5] input b: f32[2,1,5] input c: f32[2,0,5] node n: ConcatD([a, b, c]) "
       "{concat_dim=1, N=3} -> "
       "y"),
     0},
    {G("input a: i64[3,7] input b: i64[3,2] const d: i32[]{1} node n: ConcatV2([a, b], d) {N=2} -> y"), 0},
    {G("input a: f32[5,1] input b: f32[5,2] const d: i32[]{1} node n: ConcatV2([" MANY "], d) {N=60} -> y"),
     0},
    {G("input x: f32[2,7,5] const z: i64[2]{3,4} const d: i32[]{1} node n: SplitV(x, z, d) {num_split=2} -> "
       "[y, w] output w"),
     0},
    {G("input x: f16[2,6] node n: SplitD(x) {split_dim=-1, num_split=3} -> [y, w, v] output w output v"), 0},
    {G("input x: f32[4,9] const o: i64[2]{1,2} const z: i64[2]{2,5} node n: Slice(x, o, z) -> y"), 0},
    {G("input x: f32[4,9] const b: i64[1]{-1} const e: i64[1]{-20} const a: i64[1]{1} const s: i64[1]{-2} "
       "node n: "
       "StridedSliceV2(x, b, e, a, s) -> y"),
     0},
    {G("input x: u8[4,9,3] const b: i64[2]{1,0} const e: i64[2]{4,9} const a: i64[2]{0,1} const s: "
       "i64[2]{2,4} node n: "
       "StridedSliceV2(x, b, e, a, s) -> y"),
     0},
    {G("input x: f32[4,9] const p: i64[2,2]{1,2,0,3} node n: Pad(x, p) -> y"), 0},
    {G("input x: f64[4,9] const p: i64[4]{1,2,0,3} input c: f64[] node n: PadV3(x, p, c) -> y"), 0},
    {G("input x: f32[4,9] const p: i64[4]{1,2,0,-3} node n: PadV3(x, p, _) -> y"), 0},
    {G("input x: f32[3,1] const s: i64[3]{2,3,70} node n: Expand(x, s) -> y"), 0},
    {G("input x: bool[5] const s: i64[2]{3,5} node n: BroadcastTo(x, s) -> y"), 0},
    {G("input x: f32[2,3] const t: i64[2]{2,3} node n: Tile(x, t) -> y"), 0},
    {G("input x: i16[1,3] const t: i64[2]{4,1} node n: Tile(x, t) -> y"), 0},
};

TEST(other_operators) {
  weft_env *e = open_env();
  for (size_t i = 0; e && i < WEFT_COUNT(cases); i++) CHECK_INT(hold(e, &cases[i], i), 0);
  weft_env_destroy(e);
}

// Operators that hand numbers on as they are.
static bool only_moves(const char *text) {
  static const char *const names[] = {"GatherV2", "Transpose", "Concat",   "Split", "Slice",
                                      "Pad(",     "PadV3",     "Expand",   "Broad", "Tile(",
                                      "MaxPool",  "ReduceM",   "SelectV2", "Resize"};
  if (strstr(text, "ReduceMean") || strstr(text, "linear") || strstr(text, "cubic")) return false;
  for (size_t i = 0; i < WEFT_COUNT(names); i++)
    if (strstr(text, names[i])) return true;
  return false;
}

// The scales of Resize, constants, stay f32; those of other operators are of the dtype of the inputs.
TEST(other_operators_in_other_dtypes) {
  static const char *const types[] = {"f16", "bf16", "f64", "bool", "i8", "u8", "i16", "i32", "i64"};
  weft_env *e = open_env();
  int bad = 0, ran[WEFT_COUNT(types)] = {0};
  char text[1024];
  for (size_t i = 0; e && i < WEFT_COUNT(cases) && bad < 5; i++)
    for (size_t t = 0; t < WEFT_COUNT(types); t++) {
      one_case c = cases[i];
      bool moves = only_moves(c.text);
      if (!strstr(c.text, "f32[") ||
          (t > 1 && (!moves || c.reference || strstr(c.text, "Pool") || strstr(c.text, "ReduceM") ||
                     strstr(c.text, "PadV3") || strstr(c.text, "Select"))))
        continue;
      c.text = text, c.rtol = moves ? 0 : WEFT_MAX(c.rtol, t ? 1.6e-2 : 2e-3);
      weft_status got = WEFT_E_DTYPE;
      for (int only = strstr(cases[i].text, "Resize") != NULL; only < 2 && got == WEFT_E_DTYPE; only++) {
        run_retype(cases[i].text, types[t], only, text, sizeof text);
        got = hold(e, &c, i * 10 + t);
      }
      bad += got && got != WEFT_E_DTYPE;
      ran[t] += !got;
    }
  for (size_t t = 0; t < WEFT_COUNT(types); t++)
    if (ran[t] < (t < 2 ? 80 : 12)) check_failed(__FILE__, __LINE__, "%d cases of %s", ran[t], types[t]);
  weft_env_destroy(e);
}
