// kernels_moves_test.c - the CPU's kernels that put elements elsewhere - in the order that attributes or
// data say, around a tensor, or combined where they meet - against the interpreter, bit for bit: for each
// dtype, with one thread and three, over odd and empty shapes. Elements are any bits where they are only
// moved.
#include "base/base.h"
#include "check.h"
#include "run_util.h"

typedef struct one_case {
  const char *text;     // of the graph; an integer input whose name begins with i holds indices
  int64_t least, most;  // of indices, both inclusive
  bool numbers;         // elements are combined: numbers whose sums and products are exact
  bool reference;       // no kernel takes it
} one_case;

static uint64_t next(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return *state >> 33;
}

static void fill(weft_tensor *t, const one_case *c, bool index, uint64_t *state) {
  static const double factors[] = {1, -1, 2, 0.5, 1, 1, -0.0, 1};
  for (int64_t i = 0; i < weft_tensor_elems(t); i++) {
    const uint64_t z = next(state);
    if (index)
      weft_store_i64(t->dtype, t->data, (size_t)i,
                     c->least + (int64_t)(z % (uint64_t)(c->most - c->least + 1)));
    else if (t->dtype == WEFT_BOOL)
      ((uint8_t *)t->data)[i] = z & 1;
    else if (!c->numbers)
      for (size_t k = 0, n = weft_dtype_bits(t->dtype) / 8; k < n; k++)
        ((uint8_t *)t->data)[(size_t)i * n + k] = (uint8_t)next(state);
    else if (!weft_dtype_is_float(t->dtype))
      weft_store_i64(t->dtype, t->data, (size_t)i, (int64_t)(z % 1000) - 300);
    else
      weft_store_f64(t->dtype, t->data, (size_t)i,
                     strstr(c->text, "mul") ? factors[z % 8] : (double)(z % 13) / 4 - 1);
  }
}

static bool by_kernels(run_fixture *f, const one_case *c) {
  const weft_launch_record *r;
  size_t n = weft_exec_profile(f->x, &r), fast = 0;
  for (size_t i = 0; i < n; i++) fast += strcmp(r[i].kernel, "reference") != 0;
  if (c->reference ? !fast : fast == n) return true;
  check_failed(__FILE__, __LINE__, "%zu of %zu launches by kernels", fast, n);
  return false;
}

static bool hold(run_fixture *f, const one_case *c, const char *text, uint32_t threads, uint64_t seed) {
  const weft_exec_options o = {.size = sizeof o, .profile = true, .threads = threads};
  weft_tensor in[4];
  const weft_tensor *ins[4];
  if (!run_load(f, text, &o)) return false;
  size_t n = weft_graph_n_inputs(f->g);
  bool ok = true;
  for (size_t i = 0; i < n; i++) {
    weft_tensor_desc desc;
    const weft_value *v = weft_graph_input_at(f->g, i);
    weft_value_desc(v, &desc);
    weft_tensor_init(&in[i], NULL), ins[i] = &in[i];
    ok = ok &&
         !weft_tensor_alloc(&in[i], desc.dtype, desc.layout.origin.dim, desc.layout.origin.rank, &f->r.d);
    const bool whole = desc.dtype == WEFT_INT64 || desc.dtype == WEFT_INT32;
    if (ok) fill(&in[i], c, whole && weft_value_name(v)[0] == 'i', &seed);
  }
  ok = ok && run_same_tensors(f, ins, n, __FILE__, __LINE__) && by_kernels(f, c);
  if (!ok) check_failed(__FILE__, __LINE__, "%u threads: %s", threads, text);
  for (size_t i = 0; i < n; i++) weft_tensor_deinit(&in[i]);
  run_drop(f);
  return ok;
}

static void all(const one_case *c, size_t n, const char *const *dtypes, size_t n_dtypes) {
  run_fixture f = {.passes = false};
  char text[1024];
  int bad = 0;
  if (!rows_open(&f.r, "")) return;
  for (size_t i = 0; i < n; i++)
    for (size_t t = 0; t < n_dtypes && bad < 5; t++) {
      run_retype(c[i].text, dtypes[t], false, text, sizeof text);
      for (uint32_t threads = 1; threads <= 3; threads += 2)
        bad += !hold(&f, &c[i], text, threads, i * 7 + t);
    }
  rows_close(&f.r);
}

#define G(...) "graph \"g\" { " __VA_ARGS__ " output y }"
static const char *const any[] = {"f32", "u8", "bool", "f16", "i16", "bf16", "u32", "i64", "f64"};

#define PAD(x, paddings, mode) \
  { G("input x: f32" x " const p: i64" paddings " node n: PadV3(x, p, _) {mode=\"" mode "\"} -> y") }
#define PADS(mode)                                                                          \
  PAD("[7]", "[2]{3,2}", mode), PAD("[2,3,9,11]", "[8]{0,0,0,0,3,2,1,4}", mode),            \
      PAD("[3,5,2]", "[6]{1,2,4,0,1,1}", mode), PAD("[4,9]", "[4]{2,1,0,0}", mode),         \
      PAD("[2,9,3]", "[6]{0,0,5,7,0,0}", mode), PAD("[3,4,150]", "[6]{2,2,1,3,0,0}", mode), \
      PAD("[1,1]", "[4]{2,2,3,1}", mode), PAD("[2,70,90]", "[6]{0,0,3,3,3,3}", mode),       \
      PAD("[6,9]", "[4]{-2,1,3,-4}", mode), PAD("[5,2]", "[4]{0,0,5,3}", mode),             \
      PAD("[0,3]", "[4]{0,0,1,1}", mode)
static const one_case pads[] = {
    PADS("constant"),
    PADS("reflect"),
    PADS("edge"),
    PADS("symmetric"),
    PADS("wrap"),
    {G("input x: f32[3,5] const p: i64[4]{1,0,2,2} input c: f32[] node n: PadV3(x, p, c) "
       "{paddings_contiguous=false} -> y")},
    {G("input x: f32[3,2] const p: i64[4]{0,0,40,40} node n: PadV3(x, p, _) {mode=\"reflect\"} -> y"),
     .reference = true},
};
TEST(padding_in_every_mode) {
  all(pads, WEFT_COUNT(pads), any, WEFT_COUNT(any));
}

#define ONE(inputs, node) \
  { G("input x: f32" inputs " node n: " node " -> y") }
static const one_case orders[] = {
    ONE("[2,12,5,7]", "DepthToSpace(x) {block_size=2, data_format=\"NCHW\"}"),
    ONE("[2,12,5,70]", "DepthToSpace(x) {block_size=2, mode=\"CRD\", data_format=\"NCHW\"}"),
    ONE("[1,18,3,4]", "DepthToSpace(x) {block_size=3, data_format=\"NCHW\"}"),
    ONE("[2,3,5,12]", "DepthToSpace(x) {block_size=2}"),
    ONE("[2,3,5,18]", "DepthToSpace(x) {block_size=3, mode=\"CRD\"}"),
    ONE("[1,0,2,4]", "DepthToSpace(x) {block_size=2}"),
    ONE("[2,3,4,10]", "SpaceToDepth(x) {block_size=2, data_format=\"NCHW\"}"),
    ONE("[2,6,9,5]", "SpaceToDepth(x) {block_size=3}"),
    ONE("[7,130]", "Trilu(x)"),
    ONE("[2,9,5]", "Trilu(x) {upper=1}"),
    ONE("[3,3] input k: i64[]", "Trilu(x, k)"),
    ONE("[2,5,9] const k: i32[1]{3}", "Trilu(x, k) {upper=1}"),
    ONE("[5,9] const k: i64[]{-40}", "Trilu(x, k)"),
    ONE("[2,0,4]", "Trilu(x)"),
    ONE("[6,5]", "Tril(x) {diagonal=-2}"),
    ONE("[6,5]", "Triu(x) {diagonal=1}"),
    ONE("[33] const a: i64[1]{0}", "ReverseV2(x, a)"),
    ONE("[3,5,7] const a: i64[2]{-1,0}", "ReverseV2(x, a)"),
    ONE("[3,5,7] const a: i64[1]{1}", "ReverseV2(x, a)"),
    ONE("[3,0] const a: i64[2]{0,1}", "ReverseV2(x, a)"),
};
TEST(orders_that_attributes_say) {
  static const char *const dtypes[] = {"f32", "u8", "f16", "i64"};
  all(orders, WEFT_COUNT(orders), dtypes, WEFT_COUNT(dtypes));
}

static const one_case by_data[] = {
    {G("input x: f32[5,9] input il: i64[5] node n: ReverseSequence(x, il) {seq_dim=1} -> y"), 0, 9},
    {G("input x: f32[9,5] input il: i32[5] node n: ReverseSequence(x, il) {seq_dim=0, batch_dim=1} -> y"), 0,
     9},
    {G("input x: f32[2,9,3,5,2] input il: i64[5] node n: ReverseSequence(x, il) {seq_dim=1, batch_dim=3} -> "
       "y"),
     0, 9},
    {G("input x: f32[2,5,3,9] input il: i64[5] node n: ReverseSequence(x, il) {seq_dim=-1, batch_dim=1} -> "
       "y"),
     0, 9},
    {G("input x: f32[5,0] input il: i64[5] node n: ReverseSequence(x, il) {seq_dim=1} -> y"), 0, 0},
    {G("input x: f32[5,9] input il: i64[5] node n: ReverseSequence(x, il) {seq_dim=1} -> y"), 8, 11},
    {G("input x: f32[5,9] input il: i64[5] node n: ReverseSequence(x, il) {seq_dim=1} -> y"), -1, 3},
};
TEST(places_that_data_say) {
  all(by_data, WEFT_COUNT(by_data), any, WEFT_COUNT(any));
}
