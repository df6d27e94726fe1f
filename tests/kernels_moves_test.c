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
    if (index) {
      weft_store_i64(t->dtype, t->data, (size_t)i,
                     c->least + (int64_t)(z % (uint64_t)(c->most - c->least + 1)));
    } else if (t->dtype == WEFT_BOOL)
      ((uint8_t *)t->data)[i] = z & 1;
    else if (!c->numbers) {
      for (size_t k = 0, n = weft_dtype_bits(t->dtype) / 8; k < n; k++)
        ((uint8_t *)t->data)[(size_t)i * n + k] = (uint8_t)next(state);
    } else if (!weft_dtype_is_float(t->dtype))
      weft_store_i64(t->dtype, t->data, (size_t)i, (int64_t)(z % 1000) - 300);
    else {
      weft_store_f64(t->dtype, t->data, (size_t)i,
                     strstr(c->text, "mul") ? factors[z % 8] : (double)(z % 13) / 4 - 1);
    }
  }
}

static bool by_kernels(run_fixture *f, const one_case *c) {
  const weft_launch_record *r;
  size_t n = weft_exec_profile(f->x, &r);
  size_t fast = 0;
  for (size_t i = 0; i < n; i++)
    fast += strcmp(r[i].kernel, "reference") != 0;
  if (c->reference ? !fast : fast == n)
    return true;
  check_failed(__FILE__, __LINE__, "%zu of %zu launches by kernels", fast, n);
  return false;
}

static bool hold(run_fixture *f, const one_case *c, const char *text, uint32_t threads, uint64_t seed) {
  const weft_exec_options o = {.size = sizeof o, .profile = true, .threads = threads};
  weft_tensor in[4];
  const weft_tensor *ins[4];
  if (!run_load(f, text, &o))
    return false;
  size_t n = weft_graph_n_inputs(f->g);
  bool ok = true;
  for (size_t i = 0; i < n; i++) {
    weft_tensor_desc desc;
    const weft_value *v = weft_graph_input_at(f->g, i);
    weft_value_desc(v, &desc);
    weft_tensor_init(&in[i], NULL);
    ins[i] = &in[i];
    ok = ok &&
         !weft_tensor_alloc(&in[i], desc.dtype, desc.layout.origin.dim, desc.layout.origin.rank, &f->r.d);
    const bool whole = desc.dtype == WEFT_INT64 || desc.dtype == WEFT_INT32;
    if (ok)
      fill(&in[i], c, whole && weft_value_name(v)[0] == 'i', &seed);
  }
  ok = ok && run_same_tensors(f, ins, n, __FILE__, __LINE__) && by_kernels(f, c);
  if (!ok)
    check_failed(__FILE__, __LINE__, "%u threads: %s", threads, text);
  for (size_t i = 0; i < n; i++)
    weft_tensor_deinit(&in[i]);
  run_drop(f);
  return ok;
}

#ifdef WEFT_GUARDED
enum { MOST_THREADS = 1 };  // there each kernel is run by hand, block by block, whatever the threads
#else
enum { MOST_THREADS = 3 };
#endif

static void all(const one_case *c, size_t n, const char *const *dtypes, size_t n_dtypes) {
  run_fixture f = {.passes = false};
  char text[1024];
  int bad = 0;
  if (!rows_open(&f.r, ""))
    return;
  for (size_t i = 0; i < n; i++) {
    for (size_t t = 0; t < n_dtypes && bad < 5; t++) {
      run_retype(c[i].text, dtypes[t], false, text, sizeof text);
      for (uint32_t threads = 1; threads <= MOST_THREADS; threads += 2)
        bad += !hold(&f, &c[i], text, threads, i * 7 + t);
    }
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
    ONE("[2,3,4,10]", "SpaceToDepth(x) {block_size=2, data_format=\"NCHW\", mode=\"CRD\"}"),
    ONE("[2,6,9,5]", "SpaceToDepth(x) {block_size=3, mode=\"CRD\"}"),
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
    {G("input x: f32[5,70] input i: i64[5,70] node n: GatherElements(x, i) {dim=1} -> y"), -70, 69},
    {G("input x: f32[5,9] input i: i32[300,9] node n: GatherElements(x, i) -> y"), -5, 4},
    {G("input x: f32[3,5,4,7] input i: i64[2,5,3,6] node n: GatherElements(x, i) {dim=2} -> y"), 0, 3},
    {G("input x: f32[40,9] input i: i64[40,1] node n: GatherElements(x, i) {dim=-1} -> y"), 0, 8},
    {G("input x: f32[3] input i: i32[1] node n: GatherElements(x, i) -> y"), 0, 2},
    {G("input x: f32[3,4] input i: i64[0,4] node n: GatherElements(x, i) -> y"), 0, 2},
    {G("input x: f32[3,9] input i: i64[3,300] node n: GatherElements(x, i) {dim=1} -> y"), -9, 9},
    {G("input x: f32[3,9] input i: i32[3,300] node n: GatherElements(x, i) {dim=1} -> y"), -10, 8},
    {G("input x: f32[5,9] input i: i64[300,2] node n: GatherNd(x, i) -> y"), 0, 4},
    {G("input x: f32[5,9] input i: i32[7,3,1] node n: GatherNd(x, i) {negative_index_support=true} -> y"), -5,
     4},
    {G("input x: f32[4,3,5,2] input i: i64[4,9,2] node n: GatherNd(x, i) {batch_dims=1} -> y"), 0, 2},
    {G("input x: f32[4,3,5,6] input i: i64[4,3,300,2] node n: GatherNd(x, i) {batch_dims=2} -> y"), 0, 4},
    {G("input x: f32[3,4,5] input i: i64[20,3] node n: GatherNd(x, i) -> y"), 0, 2},
    {G("input x: f32[3,0] input i: i64[20,1] node n: GatherNd(x, i) -> y"), 0, 2},
    {G("input x: f32[3,4] input i: i64[20,2] node n: GatherNd(x, i) -> y"), -1, 2},
    {G("input x: f32[3,4] input i: i64[20,2] node n: GatherNd(x, i) -> y"), 0, 3},
    {G("input x: f32[3,4] input i: i64[20,0] node n: GatherNd(x, i) -> y"), 0, 3, .reference = true},
};
TEST(places_that_data_say) {
  all(by_data, WEFT_COUNT(by_data), any, WEFT_COUNT(any));
}

// Bit by bit, whatever the sign.
static const one_case bits[] = {
    {G("input x: f32[3,70] input z: f32[70] node n: BitwiseAnd(x, z) -> y")},
    {G("input x: f32[] input z: f32[3,7] node n: BitwiseOr(x, z) -> y")},
    {G("input x: f32[3,70] input z: f32[3,1] node n: BitwiseXor(x, z) -> y")},
    {G("input x: f32[2100] node n: BitwiseNot(x) -> y")},
    {G("input x: f32[3,70] node n: Invert(x) -> y")},
    {G("input x: f32[30,70] input z: f32[30,70] node n: LeftShift(x, z) -> y"), .numbers = true},
    {G("input x: f32[30,70] input z: f32[30,1] node n: RightShift(x, z) -> y"), .numbers = true},
    {G("input x: f32[30,70] input z: f32[] node n: RightShift(x, z) -> y"), .numbers = true},
    {G("input c: bool[3,1] input x: f32[3,70] input z: f32[] node n: SelectV2(c, x, z) -> y")},
    {G("input x: f32[3,70] node n: Identity(x) -> y")},
    {G("input x: f32[3,7] input z: f32[3,7] node n: Greater(x, z) -> y")},
    {G("input x: f32[1100] input z: f32[1100] node n: LessEqual(x, z) -> y")},
    {G("input x: f32[3,70] input z: f32[70] node n: Mul(x, z) -> y")},
    {G("input x: f32[3,70] input z: f32[3,1] node n: Sub(x, z) -> y")},
    {G("input x: f32[1100] input z: f32[] node n: Minimum(x, z) -> y")},
    {G("input x: f32[1100] node n: Abs(x) -> y")},
    {G("input x: f32[1100] node n: Sign(x) -> y")},
    {G("input x: f32[0,7] input z: f32[7] node n: BitwiseAnd(x, z) -> y")},
};
TEST(bits_of_integers) {
  static const char *const dtypes[] = {"u8", "i8", "u16", "i16", "u32", "u64"};
  static const char *const wide[] = {"i32", "i64"};
  all(bits, WEFT_COUNT(bits), dtypes, WEFT_COUNT(dtypes));
  all(bits, 8, wide, WEFT_COUNT(wide));
}

// Any bits: numbers of all sizes, ties, NaN and infinities among them. WEFT_UINT32 is 8, UINT64 10 and so on.
#define CAST(from, to) \
  { G("input x: " from "[4100] node n: Cast(x) {dst_type=" to "} -> y") }
#define CASTS(from)                                                                                     \
  CAST(from, "0"), CAST(from, "1"), CAST(from, "2"), CAST(from, "3"), CAST(from, "4"), CAST(from, "6"), \
      CAST(from, "7"), CAST(from, "8"), CAST(from, "9"), CAST(from, "10"), CAST(from, "11"),            \
      CAST(from, "12"), CAST(from, "27")
static const one_case casts[] = {CASTS("u32"),      CASTS("u64"),      CAST("i32", "10"), CAST("i64", "10"),
                                 CAST("f32", "8"),  CAST("f32", "10"), CAST("f64", "2"),  CAST("f64", "4"),
                                 CAST("f64", "6"),  CAST("f64", "7"),  CAST("f64", "8"),  CAST("f64", "9"),
                                 CAST("f64", "10"), CAST("f64", "12"), CAST("u8", "10"),  CAST("bool", "10")};
TEST(casts_of_wide_integers_and_doubles) {
  static const char *const same[] = {"f32"};
  all(casts, WEFT_COUNT(casts), same, 1);
}

#define ELEMENTS(x, i, axis)                                                                           \
  "input x: f32" x " input i: i64" i " input u: f32" i " node n: ScatterElements(x, i, u) {axis=" axis \
  ", reduction=\"%s\"} -> y"
#define SLICES(x, i, u)                                \
  "input x: f32" x " input i: i32" i " input u: f32" u \
  " node n: TensorScatterUpdate(x, i, u) {reduction=\"%s\"} -> y"
static const one_case scatters[] = {
    {G(ELEMENTS("[5,70]", "[5,70]", "1")), -70, 69},
    {G(ELEMENTS("[5,300]", "[400,300]", "0")), -5, 4},
    {G(ELEMENTS("[3,5,4,7]", "[2,5,3,6]", "2")), 0, 3},
    {G(ELEMENTS("[4,200]", "[2,130]", "0")), 0, 3},
    {G(ELEMENTS("[40,9]", "[40,1]", "-1")), 0, 8},
    {G(ELEMENTS("[7]", "[900]", "0")), -7, 6},
    {G(ELEMENTS("[3,4]", "[0,4]", "0")), 0, 2},
    {G(ELEMENTS("[3,9]", "[3,300]", "1")), -9, 9},
    {G(SLICES("[50,9]", "[20,2]", "[20]")), -9, 8},
    {G(SLICES("[5,9]", "[300,2]", "[300]")), -5, 4},
    {G(SLICES("[5,150]", "[33,1]", "[33,150]")), -5, 4},
    {G(SLICES("[4,5,3]", "[2,6,2]", "[2,6,3]")), 0, 3},
    {G(SLICES("[4,0]", "[6,1]", "[6,0]")), 0, 3},
    {G(SLICES("[4,3]", "[6,1]", "[6,3]")), 0, 4},
    // Data that are the updates, too, and that nobody needs afterwards.
    {G("input z: f32[7,5] node m: TransposeD(z) {perm=[1,0]} -> x input i: i64[5,7] node n: "
       "ScatterElements(x, i, x) {axis=1, reduction=\"%s\"} -> y"),
     0, 6},
    {G("input i: i64[30,1] input u: f32[30,7] const s: i64[2]{9,7} node n: ScatterNd(i, u, s) -> y"), 0, 8},
    {G("input i: i32[300,2] input u: f32[300] const s: i64[2]{9,7} node n: ScatterNd(i, u, s) -> y"), 0, 6},
};
TEST(updates_at_places) {
  static const char *const ways[] = {"none", "add", "mul", "max", "min"};
  static const char *const numbers[] = {"f32",  "u8",  "i8",  "f16", "u16", "i16",
                                        "bf16", "u32", "i32", "i64", "u64", "f64"};
  for (size_t w = 0; w < WEFT_COUNT(ways); w++) {
    char text[WEFT_COUNT(scatters)][320];
    one_case c[WEFT_COUNT(scatters)];
    for (size_t i = 0; i < WEFT_COUNT(scatters); i++) {
      c[i] = scatters[i];
      c[i].text = text[i];
      c[i].numbers = w > 0 || strstr(scatters[i].text, "ScatterNd(");
      snprintf(text[i], sizeof text[i], scatters[i].text, ways[w]);
    }
    all(c, WEFT_COUNT(scatters), w ? numbers : any, w ? WEFT_COUNT(numbers) : WEFT_COUNT(any));
  }
}

// What is wrong with an index is said as the reference says it, and the data are as they were.
TEST(indices_outside) {
  static const struct {
    const char *graph;
    const char *inputs;
    const char *says;
  } wrong[] = {
      {G("input x: f32[3] input i: i64[2] node n: GatherElements(x, i) -> y"), "f32[3]{1,2,3}; i64[2]{0,3}",
       "E_RANGE: input 'index': element 1 is 3, outside [-3, 2]"},
      {G("input x: f32[2,2] input i: i32[2,2] node n: GatherNd(x, i) -> y"),
       "f32[2,2]{1,2,3,4}; i32[2,2]{0,1,-1,0}", "E_RANGE: input 'indices': element 2 is -1, outside [0, 1]"},
      {G("input x: f32[2,2] input i: i64[1,2] input u: f32[1] node n: TensorScatterUpdate(x, i, u) -> y"),
       "f32[2,2]{1,2,3,4}; i64[1,2]{0,-3}; f32[1]{7}",
       "E_RANGE: input 'indices': element 1 is -3, outside [-2, 1]"},
      {G("input z: f32[2] node m: Neg(z) -> x input i: i64[2] input u: f32[2] node n: "
         "ScatterElements(x, i, u) {reduction=\"add\"} -> y"),
       "f32[2]{1,2}; i64[2]{0,9223372036854775807}; f32[2]{7,8}",
       "E_RANGE: input 'indices': element 1 is 9223372036854775807, outside [-2, 1]"},
      {G("input x: f32[2,3] input i: i32[2] node n: ReverseSequence(x, i) {seq_dim=1} -> y"),
       "f32[2,3]{1,2,3,4,5,6}; i32[2]{3,4}", "E_RANGE: input 'seq_lengths': element 1 is 4, outside [0, 3]"},
  };
  for (size_t i = 0; i < WEFT_COUNT(wrong); i++) {
    run_fixture f;
    if (!run_open(&f, wrong[i].graph, NULL, NULL))
      continue;
    const char *got = run_text(&f, wrong[i].inputs);
    if (strncmp(got, wrong[i].says, strlen(wrong[i].says)))
      check_failed(__FILE__, __LINE__, "%s: expected %s", got, wrong[i].says);
    run_close(&f);
  }
}
// SPDX-License-Identifier: Apache-2.0
