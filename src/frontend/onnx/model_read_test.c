#include "frontend/onnx/model.h"
#include <dirent.h>
#include "check.h"
#include "frontend/onnx/writer.h"

#ifndef WEFT_SOURCE_DIR
#define WEFT_SOURCE_DIR "."
#endif

#define CHECK_VIEW(view, expected)                                                                          \
  (onnx_str_is((view), (expected)) ? (void)0                                                                \
                                   : check_failed(__FILE__, __LINE__, "%s is '%.*s', expected '%s'", #view, \
                                                  (int)(view).bytes, (view).text, expected))

typedef struct fixture {
  weft_arena arena;
  weft_text text;
  weft_diag d;
  onnxw w;
} fixture;

static void setup(fixture *f) {
  weft_allocator a = weft_allocator_default();
  memset(f, 0, sizeof *f);
  weft__arena_init(&f->arena, &a);
  weft__text_init(&f->text, &a);
}

static void teardown(fixture *f) {
  weft__arena_deinit(&f->arena);
  weft__text_deinit(&f->text);
}

static weft_status read_model(fixture *f, const onnx_model **out) {
  WEFT_TRY(onnxw_finish(&f->w, &f->d));
  return weft__onnx_read_model(f->text.v, f->text.n, &f->arena, out, &f->d);
}

static void write_branches(onnxw *w) {
  onnxw_op(w, "If", "choose", "cond", "y");
  onnxw_attr_graph(w, "then_branch", "then");
  onnxw_op(w, "Relu", "r", "h", "then_y");
  onnxw_output(w, "then_y", ONNX_FLOAT, -1, NULL, NULL);
  onnxw_attr_graph_end(w);
  onnxw_attr_graph(w, "else_branch", "else");
  onnxw_op(w, "Neg", "n", "h", "else_y");
  onnxw_output(w, "else_y", ONNX_FLOAT, -1, NULL, NULL);
  onnxw_attr_graph_end(w);
  onnxw_attr_int(w, "after", -7);  // the If is open again
}

// A model with one of everything the builder knows.
static void write_all(onnxw *w, weft_text *text) {
  onnxw_begin(w, text, 8, 17);
  onnxw_opset(w, "com.example", 2);
  onnxw_metadata(w, "author", "test");
  onnxw_graph(w, "main");
  onnxw_input(w, "x", ONNX_FLOAT, 3, (int64_t[]){-1, 4, -1}, (const char *[]){"batch", NULL, NULL});
  onnxw_input(w, "cond", ONNX_BOOL, 0, NULL, NULL);
  onnxw_init_f32(w, "b", 1, (int64_t[]){4}, (float[]){1, -2, 0.5f, 4});
  onnxw_init_i64(w, "shape", 1, (int64_t[]){2}, (int64_t[]){-1, INT64_MIN});
  onnxw_init_external(w, "big", ONNX_FLOAT16, 2, (int64_t[]){1000, 1000},
                      &(onnxw_external){.location = "big.bin", .offset = 4096, .bytes = 2000000});
  onnxw_op(w, "Add", "add1", "x,,b", "h");
  onnxw_domain(w, "com.example");
  onnxw_attr_float(w, "alpha", 0.1f);
  onnxw_attr_str(w, "mode", "edge");
  onnxw_attr_ints(w, "pads", (int64_t[]){0, -1, 300}, 3);
  onnxw_attr_floats(w, "scales", (float[]){1.5f, -0.0f}, 2);
  onnxw_attr_strs(w, "keys", (const char *[]){"a", "", "c"}, 3);
  onnxw_attr_tensor(w, "value", ONNX_UINT8, 1, (int64_t[]){3}, "\1\2\3", 3);
  write_branches(w);
  onnxw_output(w, "y", ONNX_FLOAT, -1, NULL, NULL);
  onnxw_value_info(w, "h", ONNX_FLOAT, 1, (int64_t[]){0}, NULL);
  onnxw_function(w, "com.example", "Twice", "a", "c,d", "k");
  onnxw_opset(w, "", 17);
  onnxw_op(w, "Mul", "m", "a,a", "c");
  onnxw_attr_ref(w, "gain", ONNX_ATTR_FLOAT, "k");
  onnxw_function_end(w);
}

static void check_add(const onnx_node *n) {
  CHECK_VIEW(n->op_type, "Add");
  CHECK_VIEW(n->name, "add1");
  CHECK_VIEW(n->domain, "com.example");
  CHECK_INT(n->inputs.n, 3);
  CHECK_VIEW(n->inputs.v[1], "");
  CHECK_VIEW(n->inputs.v[2], "b");
  CHECK_INT(n->attributes.n, 6);
  const onnx_attr *a = n->attributes.v;
  CHECK_INT(a[0].type, ONNX_ATTR_FLOAT);
  CHECK(a[0].f == 0.1f);
  CHECK_VIEW(a[1].s, "edge");
  CHECK_INT(a[2].ints.n, 3);
  CHECK_INT(a[2].ints.v[1], -1);
  CHECK_INT(a[2].ints.v[2], 300);
  CHECK_INT(a[3].floats.n, 2);
  CHECK(a[3].floats.v[1] == 0 && signbit(a[3].floats.v[1]));
  CHECK_INT(a[4].strings.n, 3);
  CHECK_VIEW(a[4].strings.v[2], "c");
  CHECK_INT(a[5].t->data_type, ONNX_UINT8);
  CHECK_INT(a[5].t->raw.bytes, 3);
  CHECK_INT(a[5].t->raw.text[2], 3);
}

static void check_values(const onnx_graph *g) {
  const onnx_tensor_type *t = onnx_value_tensor(&g->inputs.v[0]);
  CHECK_INT(g->inputs.n, 2);
  CHECK_INT(t->elem_type, ONNX_FLOAT);
  CHECK_INT(t->shape->dims.n, 3);
  CHECK_INT(t->shape->dims.v[0].which, ONNX_DIM_PARAM);
  CHECK_VIEW(t->shape->dims.v[0].param, "batch");
  CHECK_INT(t->shape->dims.v[1].which, ONNX_DIM_VALUE);
  CHECK_INT(t->shape->dims.v[1].value, 4);
  CHECK_INT(t->shape->dims.v[2].which, ONNX_DIM_UNKNOWN);
  CHECK_INT(onnx_value_tensor(&g->inputs.v[1])->shape->dims.n, 0);  // a scalar
  CHECK(!onnx_value_tensor(&g->outputs.v[0])->shape);               // rank unknown
  CHECK_INT(onnx_value_tensor(&g->value_infos.v[0])->shape->dims.v[0].which, ONNX_DIM_VALUE);
}

static void check_initializers(const onnx_graph *g, const weft_text *text) {
  float f[4];
  int64_t i[2];
  const onnx_tensor *t = g->initializers.v;
  CHECK_INT(g->initializers.n, 3);
  CHECK_VIEW(t[0].name, "b");
  CHECK_INT(t[0].raw.bytes, sizeof f);
  CHECK(t[0].raw.text > text->v && t[0].raw.text + 16 < text->v + text->n);  // in place
  memcpy(f, t[0].raw.text, sizeof f);
  CHECK(f[1] == -2 && f[2] == 0.5f);
  CHECK(t[0].offset > 0 && t[0].offset < text->n);
  memcpy(i, t[1].raw.text, sizeof i);
  CHECK(i[0] == -1 && i[1] == INT64_MIN);
  CHECK(!t[2].has_raw);
  CHECK_INT(t[2].data_location, ONNX_LOCATION_EXTERNAL);
  CHECK_INT(t[2].dims.v[1], 1000);
  CHECK_INT(t[2].external_data.n, 3);
  CHECK_VIEW(t[2].external_data.v[0].value, "big.bin");
  CHECK_VIEW(t[2].external_data.v[2].key, "length");
  CHECK_VIEW(t[2].external_data.v[2].value, "2000000");
}

TEST(what_was_written_reads_back) {
  fixture f;
  setup(&f);
  const onnx_model *m = NULL;
  write_all(&f.w, &f.text);
  weft_status s = read_model(&f, &m);
  CHECK_STR(f.d.text, "");
  if (!s) {
    CHECK_INT(m->ir_version, 8);
    CHECK_VIEW(m->producer_name, "weft");
    CHECK_INT(m->opset_imports.n, 2);
    CHECK_INT(m->opset_imports.v[0].version, 17);
    CHECK_VIEW(m->opset_imports.v[1].domain, "com.example");
    CHECK_VIEW(m->metadata_props.v[0].value, "test");
    CHECK_VIEW(m->graph->name, "main");
    CHECK_INT(m->graph->nodes.n, 2);
    check_add(&m->graph->nodes.v[0]);
    check_values(m->graph);
    check_initializers(m->graph, &f.text);
    const onnx_node *choose = &m->graph->nodes.v[1];
    CHECK_INT(choose->attributes.n, 3);
    CHECK_VIEW(choose->attributes.v[1].g->name, "else");
    CHECK_VIEW(choose->attributes.v[1].g->nodes.v[0].op_type, "Neg");
    CHECK_VIEW(choose->attributes.v[0].g->outputs.v[0].name, "then_y");
    CHECK_INT(choose->attributes.v[2].i, -7);
    CHECK_INT(m->functions.n, 1);
    CHECK_VIEW(m->functions.v[0].outputs.v[1], "d");
    CHECK_VIEW(m->functions.v[0].attributes.v[0], "k");
    CHECK_INT(m->functions.v[0].opset_imports.n, 1);
    CHECK_VIEW(m->functions.v[0].nodes.v[0].attributes.v[0].ref_attr_name, "k");
  }
  teardown(&f);
}

// Reads a copy that ends where the heap block ends, so that ASan sees one byte too far.
static weft_status read_copy(fixture *f, const char *bytes, size_t n) {
  const onnx_model *m = NULL;
  char *copy = malloc(n + !n);
  if (n)
    memcpy(copy, bytes, n);
  weft_diag_clear(&f->d);
  weft_status s = weft__onnx_read_model(copy, n, &f->arena, &m, &f->d);
  CHECK(!s == !!m);
  CHECK(!s == !f->d.text[0]);
  weft_allocator a = f->arena.alloc;
  weft__arena_deinit(&f->arena);
  weft__arena_init(&f->arena, &a);
  free(copy);
  return s;
}

TEST(every_prefix_fails_or_reads) {
  fixture f;
  setup(&f);
  write_all(&f.w, &f.text);
  CHECK_INT(onnxw_finish(&f.w, &f.d), WEFT_OK);
  size_t good = 0;
  for (size_t n = 0; n < f.text.n; n++)
    good += !read_copy(&f, f.text.v, n);
  CHECK_INT(good, 1);  // cut between graph and function
  CHECK_INT(read_copy(&f, f.text.v, f.text.n), WEFT_OK);
  teardown(&f);
}

TEST(every_flipped_bit_fails_or_reads) {
  fixture f;
  setup(&f);
  write_all(&f.w, &f.text);
  CHECK_INT(onnxw_finish(&f.w, &f.d), WEFT_OK);
  size_t bad = 0;
  for (size_t bit = 0; bit < f.text.n * 8; bit++) {
    f.text.v[bit / 8] = (char)(f.text.v[bit / 8] ^ (1 << bit % 8));
    bad += !!read_copy(&f, f.text.v, f.text.n);
    f.text.v[bit / 8] = (char)(f.text.v[bit / 8] ^ (1 << bit % 8));
  }
  CHECK(bad > f.text.n);
  teardown(&f);
}

TEST(every_allocation_failed_once) {
  fixture f;
  setup(&f);
  write_all(&f.w, &f.text);
  CHECK_INT(onnxw_finish(&f.w, &f.d), WEFT_OK);
  for (long at = 1; at < 1000; at++) {
    check_alloc c = {.fail_at = at};
    weft_allocator a = check_allocator(&c);
    weft_arena arena;
    const onnx_model *m = NULL;
    weft_diag_clear(&f.d);
    weft__arena_init(&arena, &a);
    weft_status s = weft__onnx_read_model(f.text.v, f.text.n, &arena, &m, &f.d);
    weft__arena_deinit(&arena);
    CHECK_INT(c.live_blocks, 0);
    if (!s)
      break;
    CHECK_INT(s, WEFT_E_NOMEM);
    CHECK(at < 999);
  }
  teardown(&f);
}

TEST(writer_allocation_failed_once) {
  for (long at = 1; at < 1000; at++) {
    check_alloc c = {.fail_at = at};
    weft_allocator a = check_allocator(&c);
    weft_text text;
    onnxw w;
    weft_diag d = {0};
    weft__text_init(&text, &a);
    write_all(&w, &text);
    weft_status s = onnxw_finish(&w, &d);
    weft__text_deinit(&text);
    CHECK_INT(c.live_blocks, 0);
    if (!s)
      break;
    CHECK_INT(s, WEFT_E_NOMEM);
    CHECK(at < 999);
  }
}

TEST(packed_and_unpacked_numbers_mix) {
  fixture f;
  setup(&f);
  onnxw *w = &f.w;
  onnxw_begin(w, &f.text, 8, 17);
  onnxw_graph(w, "g");
  onnxw_open(w, 5);
  onnxw_int(w, 2, ONNX_FLOAT);
  onnxw_int(w, 1, 2);  // dims, unpacked and packed
  onnxw_ints(w, 1, (int64_t[]){3, 1000}, 2);
  onnxw_floats(w, 4, (float[]){1, 2}, 2);
  onnxw_float(w, 4, 3);
  onnxw_floats(w, 4, (float[]){4}, 1);
  onnxw_ints(w, 5, (int64_t[]){-1, 65535, INT64_C(0x100000007)}, 3);
  onnxw_int(w, 5, 5);
  onnxw_ints(w, 7, (int64_t[]){INT64_MIN, -1}, 2);
  onnxw_double(w, 10, 0.1);
  onnxw_double(w, 10, -2);
  onnxw_int(w, 11, -1);
  onnxw_str(w, 6, "s");
  onnxw_bytes(w, 6, "a\0b", 3);
  onnxw_bytes(w, 99, "unknown", 7);
  onnxw_bytes(w, 9, "", 0);
  onnxw_close(w);
  const onnx_model *m = NULL;
  weft_status s = read_model(&f, &m);
  CHECK_STR(f.d.text, "");
  if (!s) {
    const onnx_tensor *t = &m->graph->initializers.v[0];
    CHECK_INT(t->dims.n, 3);
    CHECK_INT(t->dims.v[2], 1000);
    CHECK_INT(t->float_data.n, 4);
    CHECK(t->float_data.v[2] == 3 && t->float_data.v[3] == 4);
    CHECK_INT(t->int32_data.n, 4);
    CHECK_INT(t->int32_data.v[0], -1);
    CHECK_INT(t->int32_data.v[2], 7);  // the low half
    CHECK_INT(t->int64_data.v[0], INT64_MIN);
    CHECK_INT(t->double_data.n, 2);
    CHECK(t->double_data.v[0] == 0.1);
    CHECK(t->uint64_data.v[0] == UINT64_MAX);
    CHECK_INT(t->string_data.v[1].bytes, 3);
    CHECK_INT(t->has_raw, 1);
    CHECK_INT(t->raw.bytes, 0);
  }
  teardown(&f);
}

TEST(the_last_of_a_singular_field_wins) {
  fixture f;
  setup(&f);
  onnxw *w = &f.w;
  onnxw_begin(w, &f.text, 3, 0);
  onnxw_int(w, 1, 9);
  for (int i = 0; i < 2; i++) {
    onnxw_open(w, 7);
    onnxw_str(w, 2, i ? "second" : "first");
    for (int k = 0; k < 3 - i; k++)
      onnxw_str(w, 1, "");  // empty nodes
    onnxw_open(w, 11);
    onnxw_open(w, 2);
    onnxw_str(w, 1, "");  // tensor_type, then sequence_type: the last of the oneof
    onnxw_open(w, 4);
    onnxw_close(w);
    onnxw_close(w);
    onnxw_close(w);
    onnxw_close(w);
  }
  const onnx_model *m = NULL;
  weft_status s = read_model(&f, &m);
  CHECK_STR(f.d.text, "");
  if (!s) {
    CHECK_INT(m->ir_version, 9);
    CHECK_VIEW(m->graph->name, "second");
    CHECK_INT(m->graph->nodes.n, 2);
    CHECK_INT(m->graph->inputs.v[0].type->which, ONNX_TYPE_SEQUENCE);
    CHECK(!onnx_value_tensor(&m->graph->inputs.v[0]));
  }
  teardown(&f);
}

TEST(attributes_without_type_tell_it_by_their_field) {
  fixture f;
  setup(&f);
  onnxw *w = &f.w;
  onnxw_begin(w, &f.text, 1, 0);
  onnxw_graph(w, "g");
  onnxw_op(w, "Conv", "c", "x,w", "y");
  onnxw_open(w, 5);
  onnxw_ints(w, 8, (int64_t[]){3, 3}, 2);  // packed, as newer writers do
  onnxw_close(w);
  const onnx_model *m = NULL;
  weft_status s = read_model(&f, &m);
  CHECK_STR(f.d.text, "");
  if (!s)
    CHECK_INT(onnx_attr_kind(&m->graph->nodes.v[0].attributes.v[0]), ONNX_ATTR_INTS);
  if (!s)
    CHECK_INT(m->graph->nodes.v[0].attributes.v[0].ints.n, 2);
  teardown(&f);
}

static weft_status nested_graphs(int depth, weft_diag *d) {
  fixture f;
  const onnx_model *m;
  setup(&f);
  onnxw_begin(&f.w, &f.text, 8, 17);
  onnxw_graph(&f.w, "g");
  for (int i = 0; i < depth; i++) {
    onnxw_op(&f.w, "Loop", "l", "", "");
    onnxw_attr_graph(&f.w, "body", "b");
  }
  weft_status s = read_model(&f, &m);
  *d = f.d;
  teardown(&f);
  return s;
}

TEST(depth_of_graphs_is_bounded) {
  weft_diag d;
  CHECK_INT(nested_graphs(ONNX_MAX_GRAPH_DEPTH, &d), WEFT_OK);
  CHECK_INT(nested_graphs(ONNX_MAX_GRAPH_DEPTH + 1, &d), WEFT_E_LIMIT);
  CHECK_HAS(d.text, "ModelProto...attribute[0].g.node[0].attribute[0].g.node[0]");
  CHECK_HAS(d.text, "GraphProto nested 33 deep, at most 32 allowed");
}

static weft_status nested_types(int depth, int32_t *out_elem, weft_diag *d) {
  fixture f;
  const onnx_model *m;
  setup(&f);
  onnxw_begin(&f.w, &f.text, 8, 17);
  onnxw_graph(&f.w, "g");
  onnxw_open(&f.w, 11);
  onnxw_open(&f.w, 2);
  for (int i = 0; i < depth; i++) {
    onnxw_open(&f.w, i % 3 == 0 ? 4 : i % 3 == 1 ? 5 : 9);
    onnxw_open(&f.w, i % 3 == 1 ? 2 : 1);
  }
  onnxw_open(&f.w, 1);
  onnxw_int(&f.w, 1, ONNX_INT8);
  weft_status s = read_model(&f, &m);
  if (!s) {
    const onnx_type *t = m->graph->inputs.v[0].type;
    for (; t->nested; t = t->nested->elem)
      CHECK(t->which == ONNX_TYPE_SEQUENCE || t->which >= ONNX_TYPE_MAP);
    *out_elem = t->tensor->elem_type;
  }
  *d = f.d;
  teardown(&f);
  return s;
}

TEST(depth_of_types_is_bounded) {
  weft_diag d;
  int32_t elem = 0;
  CHECK_INT(nested_types(ONNX_MAX_TYPE_DEPTH, &elem, &d), WEFT_OK);
  CHECK_INT(elem, ONNX_INT8);
  CHECK_INT(nested_types(ONNX_MAX_TYPE_DEPTH + 1, &elem, &d), WEFT_E_LIMIT);
  CHECK_HAS(d.text, "TypeProto nested 17 deep, at most 16 allowed");
}

TEST(wrong_wire_types_name_the_field) {
  fixture f;
  const onnx_model *m;
  setup(&f);
  onnxw_begin(&f.w, &f.text, 8, 0);
  onnxw_graph(&f.w, "g");
  onnxw_op(&f.w, "A", "a", "x", "y");
  onnxw_op(&f.w, "B", "b", "x", "z");
  onnxw_attr_int(&f.w, "k", 1);
  onnxw_open(&f.w, 5);
  onnxw_str(&f.w, 3, "not a number");
  CHECK_INT(read_model(&f, &m), WEFT_E_TYPE);
  CHECK_HAS(f.d.text, "ModelProto.graph.node[1].attribute[1].i at byte ");
  CHECK_HAS(f.d.text, ": wire type 2 (length-delimited), expected 0 (varint)");
  teardown(&f);
}

// A name that goes on behind a zero byte would be another one where it is a zero-terminated text.
TEST(names_hold_no_zero_byte) {
  static const struct {
    const char *field;
    uint32_t number;
  } names[] = {{"input", 1}, {"output", 2}, {"name", 3}, {"op_type", 4}, {"domain", 7}, {"overload", 8}};
  for (size_t i = 0; i < WEFT_COUNT(names); i++) {
    fixture f;
    const onnx_model *m;
    char path[64];
    setup(&f);
    onnxw_begin(&f.w, &f.text, 8, 17);
    onnxw_graph(&f.w, "g");
    onnxw_op(&f.w, "A", "a", "x", "y");
    onnxw_bytes(&f.w, names[i].number, "go\0od", 5);
    CHECK_INT(read_model(&f, &m), WEFT_E_CORRUPT);
    snprintf(path, sizeof path, "ModelProto.graph.node[0].%s", names[i].field);
    CHECK_HAS(f.d.text, path);
    CHECK_HAS(f.d.text, "a zero byte in a name of 5 bytes, after 'go'");
    teardown(&f);
  }
}

TEST(other_files_are_not_onnx_models) {
  static const struct {
    const char *bytes;
    size_t n;
    const char *text;
  } cases[] = {
      {"", 0, "not an ONNX model: the file is empty"},
      {"hello world", 11, "not an ONNX model: ModelProto.(field 13) at byte 2: wire type 4 (group end)"},
      {"\0\0\0\0\0\0\0\0", 8, "not an ONNX model: ModelProto at byte 0: field number 0"},
      {"PK\x03\x04\x14\0\0\0", 8, "not an ONNX model: it is a zip archive"},
      {"\x89HDF\r\n\x1a\n", 8, "not an ONNX model: it is an HDF5 file"},
      {"\x1c\0\0\0TFL3\0\0", 10, "not an ONNX model: it is a TensorFlow Lite file"},
      {"version https://git-lfs.github.com/spec/v1\n", 43, "not an ONNX model: it is a Git LFS pointer"},
      {"{\"a\": 1}", 8, "not an ONNX model: it is JSON text"},
      {"\x0a\x03zzz", 5,
       "not an ONNX model: ModelProto.ir_version at byte 0: wire type 2"},  // TensorFlow's nodes
      {"\x08\x02\x10\x01", 4,
       "not an ONNX model: ModelProto.producer_name at byte 2: wire type 0"},  // a tensor
      {"\x08\x08", 2, "not an ONNX model: no graph (field 7) in its 2 bytes"},
      {"\x12\x7fzz", 4, "not an ONNX model: ModelProto.producer_name at byte 0: length 127 passes the end"},
  };
  for (size_t i = 0; i < WEFT_COUNT(cases); i++) {
    fixture f;
    setup(&f);
    CHECK(read_copy(&f, cases[i].bytes, cases[i].n));
    CHECK_HAS(f.d.text, cases[i].text);
    teardown(&f);
  }
  fixture f;
  setup(&f);
  CHECK_INT(read_copy(&f, "\x08\x08\x3a\x7fzz", 6), WEFT_E_TRUNCATED);  // begins well: a cut model
  CHECK_STR(f.d.text, "ModelProto.graph at byte 2: length 127 passes the end, 2 bytes away");
  teardown(&f);
}

TEST(a_tensor_alone) {
  fixture f;
  setup(&f);
  const onnx_tensor *t = NULL;
  onnxw_init(&f.w, &f.text);
  onnxw_tensor_file(&f.w, "in", ONNX_INT16, 2, (int64_t[]){1, 2}, "\1\0\2\0", 4);
  CHECK_INT(onnxw_finish(&f.w, &f.d), WEFT_OK);
  CHECK_INT(weft__onnx_read_tensor(f.text.v, f.text.n, &f.arena, &t, &f.d), WEFT_OK);
  if (t) {
    CHECK_VIEW(t->name, "in");
    CHECK_INT(t->dims.v[1], 2);
    CHECK_INT(t->raw.bytes, 4);
  }
  for (size_t n = 0; n < f.text.n; n++) {  // cut between fields it reads, with less in it
    weft_diag_clear(&f.d);
    weft_status s = weft__onnx_read_tensor(f.text.v, n, &f.arena, &t, &f.d);
    if (s)
      CHECK_HAS(f.d.text, "not an ONNX tensor: ");
  }
  teardown(&f);
}

TEST(sequences_and_optionals_alone) {
  fixture f;
  setup(&f);
  onnxw *w = &f.w;
  const onnx_sequence *q = NULL;
  const onnx_optional *o = NULL;
  onnxw_init(w, &f.text);
  onnxw_str(w, 1, "opt");
  onnxw_int(w, 2, 3);
  onnxw_open(w, 5);
  onnxw_int(w, 2, 1);
  for (int i = 0; i < 2; i++) {
    onnxw_open(w, 3);
    onnxw_int(w, 2, ONNX_BOOL + i);
    onnxw_close(w);
  }
  CHECK_INT(onnxw_finish(w, &f.d), WEFT_OK);
  CHECK_INT(weft__onnx_read_optional(f.text.v, f.text.n, &f.arena, &o, &f.d), WEFT_OK);
  if (o)
    CHECK_INT(o->sequence->tensors.n, 2);
  if (o)
    CHECK_INT(o->sequence->tensors.v[1].data_type, ONNX_FLOAT16);
  CHECK_INT(weft__onnx_read_sequence(NULL, 0, &f.arena, &q, &f.d), WEFT_OK);
  if (q)
    CHECK_INT(q->tensors.n, 0);
  char deep[64];  // sequences in sequences, each as long as the rest
  for (size_t i = 0; i < sizeof deep; i += 2) {
    deep[i] = 5 << 3 | 2;
    deep[i + 1] = (char)(sizeof deep - i - 2);
  }
  CHECK_INT(weft__onnx_read_sequence(deep, sizeof deep, &f.arena, &q, &f.d), WEFT_E_LIMIT);
  CHECK_HAS(f.d.text, "SequenceProto nested 9 deep, at most 8 allowed");
  teardown(&f);
}

// Models and expected outputs handed around with ONNX; not in the repository, so absence is no failure.
TEST(light_models) {
  static const char folder[] = WEFT_SOURCE_DIR "/../shared/data/onnx/light";
  DIR *dir = opendir(folder);
  if (!dir)
    return;
  for (struct dirent *e; (e = readdir(dir));) {
    const char *dot = strrchr(e->d_name, '.');
    if (!dot || (strcmp(dot, ".onnx") && strcmp(dot, ".pb")))
      continue;
    fixture f;
    weft_file file;
    char path[1024];
    const onnx_model *m = NULL;
    const onnx_tensor *t = NULL;
    setup(&f);
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    weft_status s = weft__file_map(path, &file, &f.d);
    if (!s) {
      s = dot[1] == 'o' ? weft__onnx_read_model(file.data, file.bytes, &f.arena, &m, &f.d)
                        : weft__onnx_read_tensor(file.data, file.bytes, &f.arena, &t, &f.d);
      CHECK(s || !m || (m->graph->nodes.n && m->graph->outputs.n == 1 && m->opset_imports.n));
      CHECK(s || !t || t->dims.n);
      weft__file_unmap(&file);
    }
    if (s)
      check_failed(__FILE__, __LINE__, "%s: %s", path, f.d.text);
    teardown(&f);
  }
  closedir(dir);
}
// SPDX-License-Identifier: Apache-2.0
