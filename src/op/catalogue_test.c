// Tests of the catalogue: AscendIR's prototypes as they come out of the generated table. Expected values are
// those of catalogue/air_ops.txt (1,890 operators, 8,078 ports, 3,960 attributes) and of cann-facts 1.1
// (dtype sets).
#include "check.h"

#include "op/proto.h"

static const weft_op *get(weft_arena *arena, const char *name) {
  const weft_op *op = NULL;
  int64_t i = weft__catalogue_find(name);
  if (i < 0 || weft__catalogue_op((size_t)i, arena, &op))
    check_failed(__FILE__, __LINE__, "no entry '%s'", name);
  return op;
}

static size_t count_ports(const weft_port *p) {
  size_t n = 0;
  while (p[n].name)
    n++;
  return n;
}

static size_t count_attrs(const weft_attr_decl *a) {
  size_t n = 0;
  while (a[n].name)
    n++;
  return n;
}

static const weft_attr_decl *attr(const weft_op *op, const char *name) {
  int i = weft_op_find_attr(op, name);
  if (i < 0)
    check_failed(__FILE__, __LINE__, "%s has no attribute '%s'", op->name, name);
  return i < 0 ? NULL : &op->attrs[i];
}

TEST(count_and_order) {
  CHECK_INT(weft__catalogue_count(), 1890);
  CHECK_STR(weft__catalogue_name(0), "AGLU");
  CHECK_STR(weft__catalogue_name(1889), "_While");
  CHECK(weft__catalogue_name(1890) == NULL);
  CHECK(weft__catalogue_name(SIZE_MAX) == NULL);
  for (size_t i = 0; i < weft__catalogue_count(); i++) {
    const char *name = weft__catalogue_name(i);
    if (i && strcmp(weft__catalogue_name(i - 1), name) >= 0)
      check_failed(__FILE__, __LINE__, "'%s' is not after '%s'", name, weft__catalogue_name(i - 1));
    CHECK_INT(weft__catalogue_find(name), i);
  }
}

TEST(absent_names) {
  const char *absent[] = {"", "A", "Conv", "Conv2", "Conv2D ", "conv2d", "Conv2DX", "~", "\xff"};
  for (size_t i = 0; i < WEFT_COUNT(absent); i++)
    CHECK_INT(weft__catalogue_find(absent[i]), -1);
}

TEST(index_outside) {
  weft_arena arena;
  weft__arena_init(&arena, NULL);
  const weft_op *op = NULL;
  CHECK_FAILS(weft__catalogue_op(1890, &arena, &op), WEFT_E_RANGE);
  CHECK_FAILS(weft__catalogue_op(SIZE_MAX, &arena, &op), WEFT_E_RANGE);
  CHECK(op == NULL);
  weft__arena_deinit(&arena);
}

TEST(conv2d) {
  weft_arena arena;
  weft__arena_init(&arena, NULL);
  const weft_op *op = get(&arena, "Conv2D");
  CHECK_STR(op->name, "Conv2D");
  CHECK_INT(op->size, sizeof(weft_op));
  CHECK_INT(op->port_bytes, sizeof(weft_port));
  CHECK(!op->infer && !op->ref && !op->execute && !op->graphs && !op->types && !op->n_columns && !op->traits);
  const char *names[] = {"x", "filter", "bias", "offset_w"};
  CHECK_INT(count_ports(op->in), 4);
  for (size_t i = 0; i < 4; i++) {
    CHECK_STR(op->in[i].name, names[i]);
    CHECK_INT(op->in[i].kind, i < 2 ? WEFT_REQUIRED : WEFT_OPTIONAL);
    CHECK(op->in[i].type == NULL);
  }
  CHECK_INT(count_ports(op->out), 1);
  CHECK_STR(op->out[0].name, "y");
  CHECK_INT(op->out[0].ref, 0);
  weft_dtype_set x = WEFT_DT(FLOAT16) | WEFT_DT(FLOAT) | WEFT_DT(INT8) | WEFT_DT(BF16) | WEFT_DT(HIFLOAT8);
  CHECK_INT(op->in[0].dtypes, x);
  CHECK_INT(op->in[2].dtypes, WEFT_DT(FLOAT16) | WEFT_DT(FLOAT) | WEFT_DT(BF16) | WEFT_DT(INT32));
  CHECK_INT(op->in[3].dtypes, WEFT_DT(INT8));
  const char *attrs[][3] = {{"strides", "ListInt", NULL},          {"pads", "ListInt", NULL},
                            {"dilations", "ListInt", "[1,1,1,1]"}, {"groups", "Int", "1"},
                            {"data_format", "String", "\"NHWC\""}, {"offset_x", "Int", "0"}};
  CHECK_INT(count_attrs(op->attrs), 6);
  for (size_t i = 0; i < 6; i++) {
    CHECK_STR(op->attrs[i].name, attrs[i][0]);
    CHECK_STR(op->attrs[i].type, attrs[i][1]);
    if (attrs[i][2])
      CHECK_STR(op->attrs[i].dflt, attrs[i][2]);
    else
      CHECK(op->attrs[i].dflt == NULL);
    CHECK(op->attrs[i].check == NULL && !op->attrs[i].ext);
  }
  weft__arena_deinit(&arena);
}

// R112 read together with If and While: dynamic ports of the catalogue have at least 0 instances.
TEST(r112_dynamic_ports) {
  weft_arena arena;
  weft__arena_init(&arena, NULL);
  const weft_op *op = get(&arena, "ConcatV2");
  CHECK_INT(op->in[0].kind, WEFT_DYNAMIC);
  CHECK_INT(op->in[0].min_count, 0);
  CHECK_INT(op->in[1].kind, WEFT_REQUIRED);
  CHECK_INT(op->in[1].dtypes, WEFT_SET_INDEX);
  // A list that holds the name of a set beside DT_ names.
  CHECK_INT(op->in[0].dtypes, WEFT_SET_BASIC | WEFT_DT(BOOL) | WEFT_DT(STRING) | WEFT_DT(FLOAT8_E4M3FN) |
                                  WEFT_DT(FLOAT8_E5M2) | WEFT_DT(HIFLOAT8) | WEFT_DT(FLOAT8_E8M0));
  CHECK_STR(op->attrs[0].name, "N");
  CHECK_STR(op->attrs[0].dflt, "1");
  weft__arena_deinit(&arena);
}

TEST(graphs) {
  weft_arena arena;
  weft__arena_init(&arena, NULL);
  const weft_op *op = get(&arena, "If");
  CHECK(op->graphs != NULL);
  CHECK_STR(op->graphs[0], "then_branch");
  CHECK_STR(op->graphs[1], "else_branch");
  CHECK(op->graphs[2] == NULL);
  CHECK_INT(op->in[1].kind, WEFT_DYNAMIC);
  CHECK_INT(op->out[0].kind, WEFT_DYNAMIC);
  CHECK_INT(op->out[0].min_count, 0);
  op = get(&arena, "Case");
  CHECK_STR(op->graphs[0], "*branches");
  CHECK(op->graphs[1] == NULL);
  op = get(&arena, "While");
  CHECK_STR(op->graphs[0], "cond");
  CHECK_STR(op->graphs[1], "body");
  weft__arena_deinit(&arena);
}

TEST(dtype_symbols) {
  weft_arena arena;
  weft__arena_init(&arena, NULL);
  const weft_op *op = get(&arena, "Abs");
  CHECK_STR(op->types[0].name, "T");
  CHECK(op->types[1].name == NULL);
  CHECK_INT(op->types[0].set, WEFT_FLOATS | WEFT_DT(UINT8) | WEFT_DT(BOOL) | WEFT_DT(INT8) | WEFT_DT(INT16) |
                                  WEFT_DT(INT32) | WEFT_DT(INT64) | WEFT_DT(COMPLEX32) | WEFT_DT(COMPLEX64));
  CHECK(op->types[0].promote == NULL);
  CHECK_STR(op->in[0].type, "T");
  CHECK_STR(op->out[0].type, "T");
  CHECK_INT(op->in[0].dtypes, 0);
  op = get(&arena, "AxpyV2");
  CHECK_STR(op->types[3].name, "T4");
  CHECK_STR(op->types[3].promote, "T1,T2,T3");
  CHECK_INT(op->types[3].set, 0);
  CHECK_STR(op->in[2].type, "T3");
  CHECK_STR(op->out[0].type, "T4");
  op = get(&arena, "Mul");
  CHECK_STR(op->types[2].promote, "T1,T2");
  CHECK_STR(get(&arena, "Pow")->types[2].promote, "T1,T2");
  CHECK_STR(get(&arena, "Sxpy")->types[3].promote, "T1,T2,T3");
  op = get(&arena, "Fill");  // a set name and a symbol side by side
  CHECK(op->in[0].type == NULL);
  CHECK_INT(op->in[0].dtypes, WEFT_SET_INDEX);
  CHECK_STR(op->in[1].type, "T");
  op = get(&arena, "ReduceMeanWithCast");  // a symbol that is a named set
  CHECK_INT(op->types[0].set, WEFT_SET_NUMBER);
  CHECK_INT(op->types[1].set, WEFT_SET_INDEX);
  weft__arena_deinit(&arena);
}

// The sets of cann-facts 1.1 under their AscendIR names.
TEST(named_sets) {
  static const struct {
    const char *op;
    int in;
    weft_dtype_set set;
  } rows[] = {
      {"Data", 0, WEFT_SET_ALL},
      {"ResizeGrad", 0, WEFT_SET_ORDINARY | WEFT_DT(STRING)},
      {"AssignAdd", 0, WEFT_SET_BASIC},
      {"ApplyAdaMax", 0, WEFT_SET_NUMBER},
      {"ExtractImagePatches", 0, WEFT_SET_REAL},
      {"BitwiseAnd", 0, WEFT_SET_INTEGER},
      {"ArgMin", 1, WEFT_SET_INDEX},
      {"Acosh", 0, WEFT_SET_UNARY},
      {"BNLL", 0, WEFT_DT(DOUBLE) | WEFT_DT(FLOAT) | WEFT_DT(FLOAT16)},  // FloatingDataType has no BF16
      {"ApplyAdamWV2", 0, WEFT_DT(FLOAT) | WEFT_DT(FLOAT16) | WEFT_DT(BF16)},
  };
  weft_arena arena;
  weft__arena_init(&arena, NULL);
  for (size_t i = 0; i < WEFT_COUNT(rows); i++)
    CHECK_INT(get(&arena, rows[i].op)->in[rows[i].in].dtypes, rows[i].set);
  CHECK_INT(get(&arena, "RefData")->types[0].set, WEFT_SET_ALL);
  weft__arena_deinit(&arena);
}

// C++ literals of the prototypes, in the text of weft_attr_parse.
TEST(defaults_rewritten) {
  static const char *const rows[][3] = {
      {"BatchNormV3", "epsilon", "1e-5"},            // 1e-5f
      {"TopKTopPSample", "eps", "1e-8"},             // 1E-8
      {"LpNormUpdate", "epsilon", "1.0e-12"},        // 1.0e-12f
      {"MatMulV3", "opImplMode", "1"},               // 0x1
      {"AdjacentDifference", "y_dtype", "3"},        // DT_INT32, an Int
      {"DynamicBlockMxQuant", "dst_type", "40"},     // DT_FLOAT4_E2M1, an Int
      {"ReduceMeanWithCast", "dtype", "undefined"},  // DT_UNDEFINED, a Type
      {"ArgMin", "dtype", "i64"},                    // DT_INT64, a Type
      {"AdpGetNext", "output_shapes", "[[],[]]"},    // {{}, {}}
      {"DropoutWithMulsAndSoftmaxGrad", "axes", "[-1]"},
      {"RoiExtractor", "spatial_scale", "[0.25,0.125,0.0625,0.03125]"},  // {1.f / 4, 1.f / 8, ...}
      {"SampleDistortedBoundingBox", "aspect_ratio_range", "[0.75,1.33]"},
      {"BatchNormGrad", "output_mask", "[true,false,false]"},
      {"EmbeddingTableFindAndInit", "initializer_mode", "[\"random_uniform\"]"},
      {"DecodeCSV", "field_delim", "\",\""},
      {"PartitionedCall", "config", "\"\""},
      {"AGLU", "activate_left", "false"},
      {"Const", "value", "f32[0]{}"},  // Tensor()
  };
  weft_arena arena;
  weft__arena_init(&arena, NULL);
  for (size_t i = 0; i < WEFT_COUNT(rows); i++) {
    const weft_attr_decl *a = attr(get(&arena, rows[i][0]), rows[i][1]);
    if (a)
      CHECK_STR(a->dflt, rows[i][2]);
  }
  weft__arena_deinit(&arena);
}

typedef struct totals {
  size_t inputs, outputs, kind[3], attrs, required, types, graphs, refs, ops_with_ref;
} totals;

static void check_entry(const weft_op *op, totals *t) {
  size_t n_in = count_ports(op->in);
  size_t n_out = count_ports(op->out);
  t->inputs += n_in;
  t->outputs += n_out;
  for (size_t i = 0; i < n_in + n_out; i++) {
    const weft_port *p = i < n_in ? &op->in[i] : &op->out[i - n_in];
    if (p->kind > WEFT_DYNAMIC || p->min_count || (p->type != NULL) == (p->dtypes != 0))
      check_failed(__FILE__, __LINE__, "%s: port '%s' is broken", op->name, p->name);
    else
      t->kind[p->kind]++;
    if (i < n_in)
      CHECK_INT(p->ref, 0);
    for (weft_dtype_set s = p->dtypes, k = 0; s; s >>= 1, k++) {
      if ((s & 1) && !weft_dtype_known((int64_t)k))
        check_failed(__FILE__, __LINE__, "%s: port '%s' allows dtype %d", op->name, p->name, (int)k);
    }
  }
  bool any = false;
  for (size_t i = 0; i < n_out; i++) {
    int k = weft_op_find_port(op, op->in, op->out[i].name);
    CHECK_INT(op->out[i].ref, k + 1);
    t->refs += k >= 0;
    any |= k >= 0;
  }
  t->ops_with_ref += any;
  for (const weft_symbol *s = op->types; s && s->name; s++, t->types++)
    CHECK((s->promote != NULL) == (s->set == 0));
  for (const char *const *g = op->graphs; g && *g; g++)
    t->graphs++;
}

// Every default is read by the attribute parser, to its end, and gives the declared type.
static void check_attrs(const weft_op *op, weft_arena *arena, totals *t) {
  for (const weft_attr_decl *a = op->attrs; a->name; a++, t->attrs++) {
    weft_attr_type type = weft_attr_type_parse(a->type, strlen(a->type));
    if (type == WEFT_VT_NONE)
      check_failed(__FILE__, __LINE__, "%s.%s: type '%s'", op->name, a->name, a->type);
    t->required += a->dflt == NULL;
    if (!a->dflt)
      continue;
    weft_diag d = {0};
    weft_attr v;
    size_t used = 0;
    weft_status s = weft_attr_parse(type, a->dflt, strlen(a->dflt), arena, &v, &used, &d);
    if (s || used != strlen(a->dflt) || v.type != type) {
      check_failed(__FILE__, __LINE__, "%s.%s: default '%s' (%s): %s, %zu bytes read: %s", op->name, a->name,
                   a->dflt, a->type, weft_status_name(s), used, d.text);
    }
  }
}

TEST(every_entry) {
  totals t = {0};
  for (size_t i = 0; i < weft__catalogue_count(); i++) {
    weft_arena arena;
    weft__arena_init(&arena, NULL);
    const weft_op *op = NULL;
    weft_status s = weft__catalogue_op(i, &arena, &op);
    if (s) {
      check_failed(__FILE__, __LINE__, "%s: %s", weft__catalogue_name(i), weft_status_name(s));
    } else {
      CHECK_STR(op->name, weft__catalogue_name(i));
      check_entry(op, &t);
      check_attrs(op, &arena, &t);
    }
    weft__arena_deinit(&arena);
  }
  CHECK_INT(t.inputs + t.outputs, 8078);
  CHECK_INT(t.kind[WEFT_REQUIRED], 7046);
  CHECK_INT(t.kind[WEFT_OPTIONAL], 651);
  CHECK_INT(t.kind[WEFT_DYNAMIC], 381);
  CHECK_INT(t.attrs, 3960);
  CHECK_INT(t.required, 935);
  CHECK_INT(t.types, 78);
  CHECK_INT(t.graphs, 17);
  CHECK_INT(t.ops_with_ref, 143);  // operators; they have 252 such outputs
  CHECK_INT(t.refs, 252);
}

TEST(allocations_failed_once) {
  for (size_t i = 0; i < weft__catalogue_count(); i += 37) {
    for (long n = 1; n < 100; n++) {
      check_alloc counter = {.fail_at = n};
      weft_allocator alloc = check_allocator(&counter);
      weft_arena arena;
      weft__arena_init(&arena, &alloc);
      const weft_op *op = NULL;
      weft_status s = weft__catalogue_op(i, &arena, &op);
      weft__arena_deinit(&arena);
      CHECK_INT(counter.live_blocks, 0);
      CHECK_INT(counter.live_bytes, 0);
      if (!s) {
        CHECK(n > 1);
        break;
      }
      CHECK_INT(s, WEFT_E_NOMEM);
      CHECK(op == NULL);
    }
  }
}
// SPDX-License-Identifier: Apache-2.0
