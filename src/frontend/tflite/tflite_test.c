// tflite_test.c - models of TFLite, written here by a flatbuffer writer of a few lines: read and run, cut at
// every place, each byte changed, every allocation failed once. What operators compute is checked by
// `weft cases`.
#include "base/base.h"
#include "check.h"
#include "frontend/tflite/numbers.h"
#include "weft/weft.h"

// ---- a flatbuffer, written from front to back: a table comes first, what it shows behind it ----
typedef struct bytes {
  uint8_t v[8192];
  size_t n;
} bytes;

static void put(bytes *b, uint64_t x, size_t n) {
  for (size_t i = 0; i < n; i++)
    b->v[b->n++] = (uint8_t)(x >> (8 * i));
}
static void patch(bytes *b, size_t at, uint64_t x, size_t n) {
  size_t end = b->n;
  b->n = at;
  put(b, x, n);
  b->n = end;
}

// A table of so many fields of four bytes, all left out so far: where it stands, which `place` shows.
static size_t put_table(bytes *b, size_t place, size_t fields) {
  size_t vtable = b->n;
  put(b, 4 + 2 * fields, 2);
  put(b, 4 + 4 * fields, 2);
  for (size_t i = 0; i < fields; i++)
    put(b, 0, 2);
  size_t at = b->n;
  patch(b, place, at - place, 4);
  put(b, at - vtable, 4);
  for (size_t i = 0; i < fields; i++)
    put(b, 0, 4);
  return at;
}
// A field of a table: its place.
static size_t set(bytes *b, size_t table, size_t field, uint64_t x) {
  size_t vtable = table - (size_t)(b->v[table] | b->v[table + 1] << 8);
  patch(b, vtable + 4 + 2 * field, 4 + 4 * field, 2);
  patch(b, table + 4 + 4 * field, x, 4);
  return table + 4 + 4 * field;
}
// The field shows what comes next.
static void set_here(bytes *b, size_t table, size_t field) {
  set(b, table, field, b->n - (table + 4 + 4 * field));
}
static void put_data(bytes *b, size_t table, size_t field, const void *data, size_t n, size_t count) {
  set_here(b, table, field);
  put(b, count, 4);
  memcpy(b->v + b->n, data, n);
  b->n += n;
}
static void put_text(bytes *b, size_t table, size_t field, const char *text) {
  put_data(b, table, field, text, strlen(text), strlen(text));
}
static void put_ints(bytes *b, size_t table, size_t field, const int32_t *v, size_t n) {
  put_data(b, table, field, v, 4 * n, n);
}
// A list of tables: the place of its first.
static size_t put_list(bytes *b, size_t table, size_t field, size_t n) {
  set_here(b, table, field);
  put(b, n, 4);
  size_t at = b->n;
  for (size_t i = 0; i < n; i++)
    put(b, 0, 4);
  return at;
}

// ---- a model ----
typedef struct model_tensor {
  const char *name;
  int type;         // of the schema: 0 float, 2 int32, 6 bool, 9 int8
  int32_t dims[2];  // of rank 2, or 1 where the second is 0
  const void *data;
  size_t bytes;
  float scale;
  int64_t zero;
} model_tensor;
typedef struct model_op {
  int code;
  const char *custom;
  int32_t in[6], n_in, out, n_out;
  int32_t options[3];  // numbers of its table
} model_op;
typedef struct model_part {
  model_tensor tensors[8];
  model_op ops[3];
  int32_t in, out, n_tensors, n_ops;
} model_part;

static void put_tensor(bytes *b, size_t place, const model_tensor *t, uint32_t buffer) {
  size_t at = put_table(b, place, 5);
  set(b, at, 1, (uint64_t)t->type);
  set(b, at, 2, buffer);
  put_ints(b, at, 0, t->dims, t->dims[1] ? 2 : 1);
  put_text(b, at, 3, t->name);
  if (!(t->scale > 0))
    return;
  size_t q = put_table(b, set(b, at, 4, 0), 4);
  put_data(b, q, 2, &t->scale, 4, 1);
  put_data(b, q, 3, &t->zero, 8, 1);
}

static void put_op(bytes *b, size_t place, const model_op *op, uint32_t code) {
  size_t at = put_table(b, place, 5);
  set(b, at, 0, code);
  set(b, at, 3, 1);
  put_ints(b, at, 1, op->in, (size_t)op->n_in);
  put_ints(b, at, 2, &op->out, (size_t)op->n_out);
  size_t options = put_table(b, set(b, at, 4, 0), 3);
  for (size_t i = 0; i < 3; i++)
    set(b, options, i, (uint32_t)op->options[i]);
}

static void put_part(bytes *b, size_t place, const model_part *p, uint32_t *buffer, uint32_t *code) {
  size_t at = put_table(b, place, 5);
  put_ints(b, at, 1, &p->in, 1);
  put_ints(b, at, 2, &p->out, 1);
  size_t tensors = put_list(b, at, 0, (size_t)p->n_tensors);
  for (size_t i = 0; i < (size_t)p->n_tensors; i++)
    put_tensor(b, tensors + 4 * i, &p->tensors[i], p->tensors[i].data ? ++*buffer : 0);
  size_t ops = put_list(b, at, 3, (size_t)p->n_ops);
  for (size_t i = 0; i < (size_t)p->n_ops; i++)
    put_op(b, ops + 4 * i, &p->ops[i], (*code)++);
  put_text(b, at, 4, "part");
}

static void put_buffers(bytes *b, size_t root, const model_part *p, size_t n, size_t n_buffers) {
  size_t list = put_list(b, root, 4, n_buffers + 1);
  put_table(b, list, 1);
  for (size_t k = 0; k < n; k++) {
    for (size_t i = 0; i < (size_t)p[k].n_tensors; i++) {
      const model_tensor *t = &p[k].tensors[i];
      if (!t->data)
        continue;
      list += 4;
      size_t at = put_table(b, list, 1);
      put_data(b, at, 0, t->data, t->bytes, t->bytes);
    }
  }
}

static void put_codes(bytes *b, size_t root, const model_part *p, size_t n, size_t n_codes) {
  size_t list = put_list(b, root, 1, n_codes);
  for (size_t k = 0; k < n; k++) {
    for (size_t i = 0; i < (size_t)p[k].n_ops; i++, list += 4) {
      const model_op *op = &p[k].ops[i];
      size_t at = put_table(b, list, 4);
      set(b, at, 3, (uint64_t)op->code);
      if (op->custom)
        put_text(b, at, 1, op->custom);
    }
  }
}

static bytes model_of(const model_part *p, size_t n) {
  bytes b = {.n = 0};
  uint32_t buffer = 0;
  uint32_t code = 0;
  put(&b, 0, 4);
  put(&b, 0x334C4654, 4);  // TFL3
  size_t root = put_table(&b, 0, 5);
  set(&b, root, 0, 3);
  size_t parts = put_list(&b, root, 2, n);
  for (size_t i = 0; i < n; i++)
    put_part(&b, parts + 4 * i, &p[i], &buffer, &code);
  put_buffers(&b, root, p, n, buffer);
  put_codes(&b, root, p, n, code);
  return b;
}

// relu(x + {1, -5})
static bytes model_small(int code, const char *custom) {
  static const float numbers[2] = {1, -5};
  const model_part p = {
      .tensors = {{.name = "x", .dims = {2}},
                  {.name = "c", .dims = {2}, .data = numbers, .bytes = sizeof numbers},
                  {.name = "y", .dims = {2}}},
      .n_tensors = 3,
      .ops =
          {{.code = code, .custom = custom, .in = {0, 1}, .n_in = 2, .out = 2, .n_out = 1, .options = {1}}},
      .n_ops = 1,
      .out = 2};
  return model_of(&p, 1);
}

// ---- runs ----
static void runs(const bytes *b, weft_dtype t, const void *in, weft_dim n, const void *want, size_t n_want) {
  weft_env *e;
  weft_graph *g = NULL;
  weft_program *p = NULL;
  weft_exec *x = NULL;
  weft_diag d = {0};
  weft_tensor from, to;
  const size_t size = weft_dtype_bits(t) / 8;
  CHECK(!weft_env_create(NULL, &e, &d));
  CHECK_STR(weft_model_kind(b->v, b->n, "any"), "tflite");
  CHECK_OK(weft_model_read(e, b->v, b->n, "any", &g, &d), &d);
  CHECK_OK(g ? weft_compile(g, NULL, &p, &d) : WEFT_E_STATE, &d);
  CHECK_OK(p ? weft_exec_create(p, NULL, &x, &d) : WEFT_E_STATE, &d);
  weft_tensor_init(&from, NULL);
  weft_tensor_init(&to, NULL);
  CHECK_OK(weft_tensor_borrow(&from, t, &n, 1, (void *)(uintptr_t)in, (size_t)n * size, &d), &d);
  if (x)
    CHECK_OK(weft_exec_run(x, (const weft_tensor *[]){&from}, 1, (weft_tensor *[]){&to}, 1, &d), &d);
  CHECK(to.data && !memcmp(to.data, want, n_want));
  weft_tensor_deinit(&to);
  weft_tensor_deinit(&from);
  weft_exec_destroy(x);
  weft_program_release(p);
  weft_env_destroy(e);
}

TEST(tflite_float_model_runs) {
  const bytes b = model_small(TL_ADD, NULL);
  runs(&b, WEFT_FLOAT, (const float[]){3, 4}, 2, (const float[]){4, 0}, 8);
}

// (x + 3) + (c - 1) on scales 0.5, 0.25 and 0.5: a quarter of a step away from zero is cut, half is rounded
// up.
TEST(tflite_quantised_sum_is_the_interpreters) {
  static const int8_t numbers[4] = {1, 3, 2, 0};
  const model_part p = {
      .tensors =
          {{.name = "x", .type = 9, .dims = {4}, .scale = 0.5f, .zero = -3},
           {.name = "c", .type = 9, .dims = {4}, .data = numbers, .bytes = 4, .scale = 0.25f, .zero = 1},
           {.name = "y", .type = 9, .dims = {4}, .scale = 0.5f, .zero = 0}},
      .n_tensors = 3,
      .ops = {{.code = TL_ADD, .in = {0, 1}, .n_in = 2, .out = 2, .n_out = 1}},
      .n_ops = 1,
      .out = 2};
  const bytes b = model_of(&p, 1);
  runs(&b, WEFT_INT8, (const int8_t[]){10, 127, 0, 0}, 4, (const int8_t[]){13, 127, 4, 3}, 4);
}

// while (x < 100) x = x + x
TEST(tflite_loop_runs) {
  static const float limit[1] = {100};
  const model_part p[3] = {
      {.tensors = {{.name = "x", .dims = {1}}, {.name = "y", .dims = {1}}},
       .n_tensors = 2,
       .ops = {{.code = TL_WHILE, .in = {0}, .n_in = 1, .out = 1, .n_out = 1, .options = {1, 2}}},
       .n_ops = 1,
       .out = 1},
      {.tensors = {{.name = "x", .dims = {1}},
                   {.name = "limit", .dims = {1}, .data = limit, .bytes = 4},
                   {.name = "less", .type = 6, .dims = {1}}},
       .n_tensors = 3,
       .ops = {{.code = TL_LESS, .in = {0, 1}, .n_in = 2, .out = 2, .n_out = 1}},
       .n_ops = 1,
       .out = 2},
      {.tensors = {{.name = "x", .dims = {1}}, {.name = "twice", .dims = {1}}},
       .n_tensors = 2,
       .ops = {{.code = TL_ADD, .in = {0, 0}, .n_in = 2, .out = 1, .n_out = 1}},
       .n_ops = 1,
       .out = 1}};
  const bytes b = model_of(p, 3);
  runs(&b, WEFT_FLOAT, (const float[]){3}, 1, (const float[]){192}, 4);
  runs(&b, WEFT_FLOAT, (const float[]){300}, 1, (const float[]){300}, 4);
}

// ---- refused ----
static void refused(const bytes *b, weft_status s, const char *why) {
  weft_env *e;
  weft_graph *g = NULL;
  weft_diag d = {0};
  CHECK(!weft_env_create(NULL, &e, &d));
  CHECK_INT(weft_model_read(e, b->v, b->n, "any", &g, &d), s);
  CHECK_HAS(d.text, why);
  weft_diag_clear(&d);
  weft_env_destroy(e);
}

TEST(tflite_refused_operators_are_named) {
  const bytes custom = model_small(TL_CUSTOM, "NobodyKnows");
  const bytes unknown = model_small(TL_SVDF, NULL);
  const bytes later = model_small(177, NULL);
  refused(&custom, WEFT_E_UNSUPPORTED, "custom NobodyKnows: 1 node, first operator 0 of subgraph 0 'part'");
  refused(&unknown, WEFT_E_UNSUPPORTED, "SVDF: 1 node");
  refused(&later, WEFT_E_UNSUPPORTED, "operator 177: 1 node");
}

TEST(tflite_what_is_wrong_has_its_place) {
  static const float numbers[3] = {1, 2, 3};
  model_part p = {.tensors = {{.name = "x", .dims = {2}},
                              {.name = "c", .dims = {2}, .data = numbers, .bytes = sizeof numbers},
                              {.name = "y", .dims = {2}}},
                  .n_tensors = 3,
                  .ops = {{.code = TL_ADD, .in = {0, 1}, .n_in = 2, .out = 2, .n_out = 1}},
                  .n_ops = 1,
                  .out = 2};
  bytes b = model_of(&p, 1);
  refused(&b, WEFT_E_SHAPE, "constant 'c' needs 8 bytes, its buffer has 12");
  refused(&b, WEFT_E_SHAPE, "operator 0 of subgraph 0 'part'");
  p.ops[0].in[1] = 7;
  b = model_of(&p, 1);
  refused(&b, WEFT_E_RANGE, "an input of operator 0 of subgraph 0 names tensor 7 of 3");
  p.ops[0].in[1] = 2;
  b = model_of(&p, 1);
  refused(&b, WEFT_E_MISSING, "input 1, 'y', is made by no operator before this one");
  p.ops[0].in[1] = -1;
  b = model_of(&p, 1);
  refused(&b, WEFT_E_MISSING, "input 1 is not given");
}

// An input that is to be one number has none.
TEST(tflite_number_without_elements_is_refused) {
  static const float none;
  const model_part p = {
      .tensors = {{.name = "x", .dims = {2, 4}},
                  {.name = "scores", .dims = {2}, .data = (const float[2]){1, 2}, .bytes = 8},
                  {.name = "one", .type = 2, .data = (const int32_t[1]){1}, .bytes = 4, .dims = {1}},
                  {.name = "sigma", .dims = {0}, .data = &none},
                  {.name = "y", .type = 2, .dims = {1}}},
      .n_tensors = 5,
      .ops = {{.code = TL_NON_MAX_SUPPRESSION_V5, .in = {0, 1, 2, 3, 3, 3}, .n_in = 6, .out = 4, .n_out = 1}},
      .n_ops = 1,
      .out = 4};
  const bytes b = model_of(&p, 1);
  refused(&b, WEFT_E_UNSUPPORTED, "soft_nms_sigma is not a constant 0");
}

// A loop whose body is the loop again.
TEST(tflite_loop_of_itself_is_refused) {
  const model_part p = {.tensors = {{.name = "x", .dims = {1}}, {.name = "y", .dims = {1}}},
                        .n_tensors = 2,
                        .ops = {{.code = TL_WHILE, .in = {0}, .n_in = 1, .out = 1, .n_out = 1}},
                        .n_ops = 1,
                        .out = 1};
  const bytes b = model_of(&p, 1);
  refused(&b, WEFT_E_LIMIT, "nested deeper than");
}

// ---- any bytes ----
// Whatever comes out, nothing is read beyond the bytes, and nothing is left behind.
TEST(tflite_cut_and_changed) {
  weft_env *e;
  const bytes b = model_small(TL_ADD, NULL);
  weft_diag d = {0};
  CHECK(!weft_env_create(NULL, &e, &d));
  for (size_t i = 0; i < 3 * b.n; i++) {
    const size_t n = i < b.n ? i : b.n;
    uint8_t *copy = malloc(n + !n);
    weft_graph *g = NULL;
    memcpy(copy, b.v, n);
    if (i >= b.n)
      copy[i % b.n] ^= (uint8_t)(i < 2 * b.n ? 1u << (i % 8) : 0xFF);
    weft_diag_clear(&d);
    const weft_status s = weft_model_read(e, copy, n, "any", &g, &d);
    CHECK(!s == (g != NULL));
    weft_graph_destroy(g);
    free(copy);
  }
  weft_diag_clear(&d);
  weft_env_destroy(e);
}

TEST(tflite_every_allocation_failed_once) {
  const bytes b = model_small(TL_ADD, NULL);
  check_alloc count = {.fail_at = 0};
  weft_env_options o = {.size = sizeof o, .package_path = "", .allocator = check_allocator(&count)};
  weft_env *e;
  weft_diag d = {0};
  CHECK(!weft_env_create(&o, &e, &d));
  for (long k = 1;; k++) {
    weft_graph *g = NULL;
    weft_diag_clear(&d);
    count.fail_at = count.calls + k;
    const weft_status s = weft_model_read(e, b.v, b.n, "any", &g, &d);
    const bool failed = count.calls >= count.fail_at;
    count.fail_at = 0;
    CHECK(s == WEFT_OK || (failed && s == WEFT_E_NOMEM));
    weft_graph_destroy(g);
    if (!failed)
      break;
  }
  weft_env_destroy(e);
  CHECK_INT(count.live_blocks, 0);
}
// SPDX-License-Identifier: Apache-2.0
