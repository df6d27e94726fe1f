// promise_test.c - the memory that is promised for the largest inputs before any run: no run within the
// ranges takes more, and one at the largest size takes it, within a tenth.
#include "base/apart.h"
#include "check.h"
#include "rows.h"
#include "weft/weft.h"

typedef struct promise {
  rows r;
  weft_program *p;
  weft_exec *x;
  weft_memory_plan plan;
} promise;

static bool promise_of(promise *c, weft_graph *g) {
  weft_diag *d = &c->r.d;
  weft_status s = weft_compile(g, NULL, &c->p, d);
  c->plan = (weft_memory_plan){.size = sizeof c->plan};
  c->x = NULL;
  if (!s)
    s = weft_exec_create(c->p, NULL, &c->x, d);
  if (!s)
    s = weft_exec_prepare_largest(c->x, &c->plan, d);
  if (s)
    check_failed(__FILE__, __LINE__, "%s", d->text);
  return !s;
}

static void promise_end(promise *c) {
  weft_exec_destroy(c->x);
  weft_program_release(c->p);
  c->p = NULL;
}

// Bytes of intermediate tensors at the peak of a run, in an exec of its own; inputs are filled with
// `element`.
static uint64_t promise_peak(promise *c, const int64_t *dims, int64_t element) {
  const weft_graph *g = weft_program_graph(c->p);
  weft_tensor in[8];
  weft_tensor out[4];
  weft_tensor *outs[4];
  const weft_tensor *ins[8];
  weft_exec *x = NULL;
  weft_diag d = {0};
  weft_exec_stats stats = {.size = sizeof stats};
  size_t n_in = weft_graph_n_inputs(g);
  size_t n_out = weft_graph_n_outputs(g);
  size_t at = 0;
  weft_status s = n_in > 8 || n_out > 4 ? WEFT_E_LIMIT : weft_exec_create(c->p, NULL, &x, &d);
  for (size_t i = 0; !s && i < n_in; i++) {
    weft_tensor_desc desc;
    weft_value_desc(weft_graph_input_at(g, i), &desc);
    weft_shape *shape = &desc.layout.origin;
    for (size_t k = 0; k < shape->rank; k++) {
      if (shape->dim[k] < 0)
        shape->dim[k] = dims[at++];
    }
    weft_tensor_init(&in[i], NULL);
    s = weft_tensor_alloc(&in[i], desc.dtype, shape->dim, shape->rank, &d);
    for (int64_t k = 0; !s && k < weft_tensor_elems(&in[i]); k++) {
      weft_dtype_is_integer(desc.dtype) ? weft_store_i64(desc.dtype, in[i].data, (size_t)k, element)
                                        : weft_store_f64(desc.dtype, in[i].data, (size_t)k, (double)element);
    }
    ins[i] = &in[i];
  }
  for (size_t i = 0; !s && i < n_out; i++) {
    weft_tensor_init(&out[i], NULL);
    outs[i] = &out[i];
  }
  if (!s)
    s = weft_exec_run(x, ins, n_in, outs, n_out, &d);
  if (s)
    check_failed(__FILE__, __LINE__, "%s", d.text);
  if (!s)
    weft_exec_get_stats(x, &stats);
  for (size_t i = 0; !s && i < n_in; i++)
    weft_tensor_deinit(&in[i]);
  for (size_t i = 0; !s && i < n_out; i++)
    weft_tensor_deinit(&out[i]);
  weft_exec_destroy(x);
  return stats.peak_bytes;
}

// Checked builds without AddressSanitizer keep a margin behind each output that a call makes.
#if defined(WEFT_CHECKED) && !defined(WEFT__BY_ASAN)
enum { MARGINS = 4 * WEFT_APART_MARGIN };
#else
enum { MARGINS = 0 };
#endif

// The promise covers these sizes, the last of which are the largest.
static void promise_holds(promise *c, const int64_t (*dims)[8], size_t n, int64_t element) {
  uint64_t all = c->plan.arena_bytes + c->plan.open_bytes;
  uint64_t peak = 0;
  CHECK(c->plan.whole);
  for (size_t i = 0; i < n; i++) {
    peak = promise_peak(c, dims[i], element);
    if (peak > all + MARGINS) {
      check_failed(__FILE__, __LINE__, "sizes %zu: %llu bytes, promised are %llu", i,
                   (unsigned long long)peak, (unsigned long long)all);
    }
  }
  if (!c->plan.open_value)
    CHECK(all <= peak + peak / 10 + 64);
}

static void promise_text(const char *text, const int64_t (*dims)[8], size_t n, const char *open) {
  promise c = {.p = NULL};
  weft_graph *g = NULL;
  if (!rows_open(&c.r, ""))
    return;
  if (weft_graph_parse(c.r.env, text, strlen(text), NULL, &g, &c.r.d))
    check_failed(__FILE__, __LINE__, "%s", c.r.d.text);
  else if (promise_of(&c, g)) {
    promise_holds(&c, dims, n, 1);
    CHECK_STR(c.plan.open_value ? c.plan.open_value : "", open);
  }
  promise_end(&c);
  rows_close(&c.r);
}

// Positions, masks and slices whose arguments are arithmetic on dims depend on no data.
TEST(arithmetic_on_dims_is_no_data) {
  promise_text(
      "graph \"g\" { symbol B [1,8] symbol S [4,32] input x: f32[B,S,16]\n"
      "const one: i64[]{1} const zero: i64[]{0} const l0: i64[1]{0} const l1: i64[1]{1} const table: "
      "f32[64,16]{*1}\n"
      "node s: Shape(x) {dtype=9} -> shape: i64[3]\n"
      "node n: GatherV2(shape, one, zero) -> len: i64[]\n"
      "node r: Range(zero, len, one) -> places: i64[S]\n"
      "node e: GatherV2(table, places, zero) -> rows\n"
      "node u: UnsqueezeV3(len, l0) -> end\n"
      "node c: StridedSliceV2(table, l0, end, l0, l1) -> some\n"
      "node a: Add(x, rows) -> a node b: Mul(a, some) -> b\n"
      "node t: Expand(rows, shape) -> t node k: Mul(t, b) -> k node z: ReduceSum(k, l0) -> y output y }",
      (const int64_t[][8]){{1, 4}, {3, 17}, {8, 5}, {8, 32}}, 4, "");
}

// The data decide how many there are; inference knows how many at most.
TEST(what_data_decide_is_bounded_and_named) {
  promise_text(
      "graph \"g\" { symbol N [1,100] input x: f32[N]\n"
      "node z: NonZero(x) {transpose=true} -> i node c: Cast(i) {dst_type=0} -> f node n: Neg(f) -> g\n"
      "node m: Mul(g, f) -> y output y }",
      (const int64_t[][8]){{1}, {50}, {100}}, 3, "i");
}

// Exporters of Expand ask whether a dim is -1, which a size never is; those of einsum multiply dims up.
TEST(questions_to_dims_are_no_data) {
  promise_text(
      "graph \"g\" { symbol B [1,8] symbol S [4,32] input x: f32[B,S,16]\n"
      "const minus: i64[2]{-1,-1} const ones: i64[2]{1,1} const l0: i64[1]{0} const l2: i64[1]{2} const l1: "
      "i64[1]{1} const row: f32[1,1]{7}\n"
      "node s: Shape(x) {dtype=9} -> shape: i64[3]\n"
      "node t: StridedSliceV2(shape, l0, l2, l0, l1) -> two: i64[2]\n"
      "node q: Equal(two, minus) -> asked node w: SelectV2(asked, ones, two) -> target\n"
      "node e: Expand(row, target) -> rows\n"
      "node p: ReduceProd(two, l0) {keep_dims=true} -> count: i64[1] const wide: i64[1]{16}\n"
      "const ax: i32[]{0} node c: ConcatV2([count, wide], ax) {N=2} -> flat\n"
      "node r: Reshape(x, flat) -> y0 node n: Neg(y0) -> y1 node z: Exp(y1) -> y output y\n"
      "node u: Neg(rows) -> r1 node v: Exp(r1) -> r output r }",
      (const int64_t[][8]){{1, 4}, {3, 17}, {8, 32}}, 3, "");
}

TEST(a_program_without_intermediates_takes_nothing) {
  promise_text("graph \"g\" { symbol N [1,100] input x: f32[N] node n: Neg(x) -> y output y }",
               (const int64_t[][8]){{1}, {100}}, 2, "");
}

// A body runs in an exec of its own: what that takes is on top. The shape after it is known in symbols.
TEST(bodies_of_control_flow_are_counted) {
  promise_text(
      "graph \"g\" { symbol N [1,40] input s: f32[9] input x: f32[N,9]\n"
      "node c: Scan([s], [x], []) {num_scan_inputs=1, body=graph \"b\" { input s: f32[9] input e: f32[9]\n"
      "const ax: i32[]{0} node a: Add(s, e) -> t node w: ConcatV2([t, e, s], ax) {N=3} -> w\n"
      "node m: ReduceSum(w, ax) -> m node o: Mul(e, m) -> o output t output o }} -> [f], [y]\n"
      "node n: Neg(y) -> p node q: Exp(p) -> q output f output q }",
      (const int64_t[][8]){{1}, {7}, {40}}, 3, "f");
}

// A network as exporters write it, where it is at hand.
TEST(bert_with_open_batch_and_length) {
  promise c = {.p = NULL};
  weft_graph *g = NULL;
  const char *path = WEFT_SOURCE_DIR "/../shared/data/nets/bert/model.onnx";
  FILE *there = fopen(path, "rb");
  if (!there)
    return;
  fclose(there);
  if (!rows_open(&c.r, ""))
    return;
  weft_symbols *symbols = NULL;
  if (weft_model_load(c.r.env, path, &g, &c.r.d))
    check_failed(__FILE__, __LINE__, "%s", c.r.d.text);
  if (g) {
    symbols = weft_graph_symbols(g);
    weft_dim_symbol(symbols, "batch", 5, 1, 4);
    weft_dim_symbol(symbols, "sequence", 8, 2, 24);
    if (promise_of(&c, g)) {
      promise_holds(&c, (const int64_t[][8]){{1, 2, 1, 2, 1, 2}, {2, 9, 2, 9, 2, 9}, {4, 24, 4, 24, 4, 24}},
                    3, 1);
    }
  }
  promise_end(&c);
  rows_close(&c.r);
}
// SPDX-License-Identifier: Apache-2.0
