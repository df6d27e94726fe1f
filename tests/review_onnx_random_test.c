// review_onnx_random_test.c - every operator that the importer knows against random nodes: a graph or a
// message, and bounded work.
#include "check.h"
#include "frontend/onnx/import.h"
#include "models.h"
#include "weft/weft.h"

static weft_env *open_env(const weft_allocator *a) {
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  if (a)
    o.allocator = *a;
  if (weft_env_create(&o, &e, &d))
    check_failed(__FILE__, __LINE__, "%s", d.text);
  return e;
}

typedef struct made {
  weft_text text;
  onnxw w;
} made;

static onnxw *begin(made *m, int64_t opset) {
  weft_allocator a = weft_allocator_default();
  memset(m, 0, sizeof *m);
  weft__text_init(&m->text, &a);
  onnxw_begin(&m->w, &m->text, 8, opset);
  onnxw_graph(&m->w, "g");
  return &m->w;
}

// ---- every operator of the table against random nodes ----
typedef struct dice {
  uint64_t state;
} dice;
static uint64_t roll(dice *r) {  // splitmix64
  uint64_t z = r->state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}
static uint64_t below(dice *r, uint64_t n) {
  return roll(r) % n;
}

static const char *const attr_names[] = {"allowzero",
                                         "alpha",
                                         "auto_pad",
                                         "axes",
                                         "axis",
                                         "beta",
                                         "bias",
                                         "blocksize",
                                         "broadcast",
                                         "ceil_mode",
                                         "count_include_pad",
                                         "direction",
                                         "dtype",
                                         "end",
                                         "epsilon",
                                         "fmod",
                                         "group",
                                         "ignore_index",
                                         "is_test",
                                         "k",
                                         "keepdims",
                                         "kernel_shape",
                                         "mode",
                                         "momentum",
                                         "noop_with_empty_axes",
                                         "num_groups",
                                         "num_outputs",
                                         "num_scan_inputs",
                                         "p",
                                         "pads",
                                         "perm",
                                         "reduction",
                                         "round_mode",
                                         "saturate",
                                         "scan_input_axes",
                                         "select_last_index",
                                         "shape",
                                         "size",
                                         "sorted",
                                         "spatial",
                                         "start",
                                         "stash_type",
                                         "storage_order",
                                         "to",
                                         "training_mode",
                                         "transA",
                                         "transB",
                                         "value",
                                         "split",
                                         "starts",
                                         "ends",
                                         "dilations",
                                         "strides",
                                         "output_padding",
                                         "output_shape",
                                         "exclusive",
                                         "reverse",
                                         "num_heads",
                                         "hidden_size",
                                         "activations",
                                         "clip",
                                         "min",
                                         "max",
                                         "lambd",
                                         "gamma",
                                         "largest",
                                         "upper",
                                         "value_ints",
                                         "coordinate_transformation_mode",
                                         "nearest_mode",
                                         "align_corners",
                                         "num_scan_outputs",
                                         "body",
                                         "then_branch",
                                         "scales",
                                         "equation",
                                         "batch_axis",
                                         "time_axis",
                                         "detect_negative",
                                         "cubic_coeff_a"};
static const int64_t ints[] = {0,   1,       -1,        2,         3,         -2, 5,  25, 26,
                               -26, 1 << 20, INT64_MAX, INT64_MIN, INT32_MAX, 7,  10, 11, -7};
static int64_t some_int(dice *r) {
  return below(r, 3) ? (int64_t)below(r, 5) - 1 : ints[below(r, WEFT_COUNT(ints))];
}

static void random_attr(onnxw *w, const char *name, dice *r) {
  static const char *const strs[] = {"",        "NOTSET", "SAME_UPPER", "VALID",   "constant", "reflect",
                                     "nearest", "linear", "mean",       "forward", "ij,jk->ik"};
  int64_t list[30];
  float floats[4] = {0, -1, NAN, INFINITY};
  size_t n = below(r, below(r, 8) ? 5 : 30);
  for (size_t i = 0; i < n; i++)
    list[i] = some_int(r);
  switch (below(r, 9)) {
    case 0:
    case 1:
    case 2:
      onnxw_attr_int(w, name, some_int(r));
      return;
    case 3:
    case 4:
      onnxw_attr_ints(w, name, list, n);
      return;
    case 5:
      onnxw_attr_float(w, name, floats[below(r, 4)]);
      return;
    case 6:
      onnxw_attr_str(w, name, strs[below(r, WEFT_COUNT(strs))]);
      return;
    case 7:
      onnxw_attr_floats(w, name, floats, below(r, 5));
      return;
    default: {
      int64_t zero[1] = {(int64_t)below(r, 3)};
      onnxw_attr_tensor(w, name, below(r, 2) ? ONNX_INT64 : ONNX_FLOAT, 1, zero, list, 0);
    }
  }
}

enum { POOL = 22 };
static void pool_of_values(onnxw *w, dice *r) {  // p0 .. p21
  static const int32_t types[] = {ONNX_FLOAT,  ONNX_INT64, ONNX_INT32,   ONNX_BOOL,      ONNX_STRING,
                                  ONNX_DOUBLE, ONNX_UINT8, ONNX_FLOAT16, ONNX_COMPLEX64, ONNX_INT4};
  char name[16];
  int64_t dims[6];
  int64_t data[8];
  float real[64];
  for (int i = 0; i < 64; i++)
    real[i] = (float)i - 7;
  for (int i = 0; i < POOL; i++) {
    snprintf(name, sizeof name, "p%d", i);
    int rank = below(r, 4) ? (int)(r->state >> 20 & 3) + 1 : (int)below(r, 6);
    for (int k = 0; k < rank; k++)
      dims[k] = below(r, 3) ? 2 : (int64_t)below(r, 4);
    if (i < 8) {  // small integer constants: axes, shapes, pads, indices
      int64_t n = (int64_t)below(r, 7);
      for (int k = 0; k < n; k++)
        data[k] = below(r, 6) ? (int64_t)below(r, 5) - 1 : ints[below(r, WEFT_COUNT(ints))];
      data[0] = n ? data[0] : 0;
      onnxw_init_i64(w, name, i < 2 ? 0 : 1, i < 2 ? NULL : (int64_t[]){n}, data);
      if (i < 2)
        continue;
    } else if (i < 12) {
      rank = rank > 3 ? 3 : rank;
      onnxw_init_f32(w, name, rank, dims, real);
    } else {
      for (int k = 0; k < rank; k++)
        dims[k] = below(r, 6) ? dims[k] : -1;
      onnxw_input(w, name, below(r, 3) ? ONNX_FLOAT : types[below(r, WEFT_COUNT(types))], i == 12 ? -1 : rank,
                  dims, NULL);
    }
  }
}

static void random_node(onnxw *w, const onnx_mapping *map, dice *r) {
  char names[8][16];
  char outs[4][16];
  const char *in[8];
  const char *out[4];
  size_t n = below(r, 3) ? 1 + below(r, 3) : below(r, 7);
  size_t n_out = below(r, 8) ? 1 : below(r, 4);
  for (size_t i = 0; i < n; i++) {
    snprintf(names[i], sizeof names[i], "p%d",
             (int)(i && below(r, 2) ? below(r, 8) : 8 + below(r, POOL - 8)));
    in[i] = below(r, 12) ? names[i] : "";
  }
  for (size_t i = 0; i < n_out; i++) {
    snprintf(outs[i], sizeof outs[i], "o%d", (int)i);
    out[i] = below(r, 9) ? outs[i] : "";
  }
  onnxw_node(w, map->name, "node", in, n, out, n_out);
  if (map->domain)
    onnxw_domain(w, map->domain);
  for (size_t i = below(r, 30), step = 1 + below(r, 15); i < WEFT_COUNT(attr_names);
       i += step + below(r, 20)) {
    if (below(r, 2))
      random_attr(w, attr_names[i], r);
  }
  for (size_t i = 0; i < n_out; i++) {
    if (*out[i])
      onnxw_output(w, out[i], 0, -1, NULL, NULL);
  }
}

static void run_random(weft_graph *g, dice *r) {
  weft_tensor in[POOL];
  weft_tensor out[8];
  const weft_tensor *ptr[POOL];
  size_t n = weft_graph_n_inputs(g);
  size_t n_out = weft_graph_n_outputs(g);
  weft_diag d = {0};
  weft_status s = WEFT_OK;
  for (size_t i = 0; i < n; i++) {
    weft_tensor_desc desc;
    weft_dim dims[WEFT_MAX_RANK] = {0};
    weft_value_desc(weft_graph_input_at(g, i), &desc);
    size_t rank = weft_shape_is_unknown_rank(&desc.layout.origin) ? 2 : desc.layout.origin.rank;
    for (size_t k = 0; k < rank; k++)
      dims[k] = desc.layout.origin.dim[k] >= 0 ? desc.layout.origin.dim[k] : (int64_t)below(r, 3);
    weft_tensor_init(&in[i], NULL);
    ptr[i] = &in[i];
    if (!s)
      s = weft_tensor_alloc(&in[i], desc.dtype, dims, rank, &d);
  }
  weft_interp_options o = {.size = sizeof o, .memory_limit_bytes = 64 << 20};
  if (!s) {
    s = weft_interp_run(g, &o, ptr, n, out, n_out, &d);
    CHECK(!s || d.length);
    for (size_t i = 0; i < n_out; i++)
      weft_tensor_deinit(&out[i]);
  }
  for (size_t i = 0; i < n; i++)
    weft_tensor_deinit(&in[i]);
}

static void random_round(weft_env *e, const onnx_mapping *map, int round) {
  dice r = {weft__hash(map->name, strlen(map->name)) + (uint64_t)round * 977 + (uint64_t)map->first};
  made m;
  weft_diag d = {0};
  weft_graph *g = NULL;
  onnxw *w = begin(&m, map->last ? map->last : 22);
  pool_of_values(w, &r);
  random_node(w, map, &r);
  if (onnxw_finish(w, &d))
    check_failed(__FILE__, __LINE__, "%s: %s", map->name, d.text);
  weft_status s = weft_onnx_read(e, m.text.v, m.text.n, "random.onnx", &g, &d);
  CHECK(!s || d.length);
  if (s && s != WEFT_E_DUPLICATE)
    CHECK_HAS(d.text, "node");
  if (!s && weft_graph_n_outputs(g) && (s = weft_graph_verify(g, NULL, NULL, &d)))
    check_failed(__FILE__, __LINE__, "%s round %d: %s", map->name, round, d.text);
  if (!s)
    s = weft_graph_infer(g, NULL, NULL, &d);
  if (!s)
    run_random(g, &r);
  weft_graph_destroy(g);
  weft__text_deinit(&m.text);
}

TEST(every_operator_survives_random_nodes) {
  weft_env *e = open_env(NULL);
  const char *one = getenv("REVIEW_OP");
  const char *rounds = getenv("REVIEW_ROUNDS");
  for (size_t t = 0; t < weft__onnx_table_count; t++) {
    const onnx_mappings *table = weft__onnx_tables[t];
    for (size_t i = 0; i < table->n; i++) {
      if (one && strcmp(one, table->rows[i].name))
        continue;
      for (int round = 0; round < (rounds ? atoi(rounds) : 12); round++) {
        if (one && rounds)
          fprintf(stderr, "%s round %d\n", one, round);
        random_round(e, &table->rows[i], round);
      }
    }
  }
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
