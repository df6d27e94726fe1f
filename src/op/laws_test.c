// Tests of the laws (weft/laws.h): one operator that keeps every law, and operators that each break one.
#include <check.h>  // the tests'; src/op has a check.h of its own

#include "op/laws.h"
#include "weft/laws.h"

enum { SCALE_AXIS, SCALE_FACTOR, SCALE_NAMES };

typedef struct collected {
  int n;
  char text[8192];
} collected;

static void collect(void *ctx, const char *text) {
  collected *c = ctx;
  c->n++;
  strncat(c->text, text, sizeof c->text - strlen(c->text) - 2);
  strcat(c->text, "\n");
}

static weft_env *make_env(void) {
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.no_builtin = true, .package_path = ""};
  if (weft_env_create(&o, &e, &d))
    check_failed(__FILE__, __LINE__, "no environment: %s", d.text);
  return e;
}

static const weft_proto *add(weft_env *e, const weft_op *op) {
  weft_diag d = {0};
  if (weft_register(e, op, 0, &d))
    check_failed(__FILE__, __LINE__, "not registered: %s", d.text);
  return weft_find(e, op->name);
}

// ---- y = x * factor, with checks: keeps every law ----

static weft_status same_infer(weft_infer *it) {
  weft_shape_copy(it->out[0], it->in[0]);
  return WEFT_OK;
}

static weft_status scale_infer(weft_infer *it) {
  int64_t axis = weft_node_int(it->desc, SCALE_AXIS);
  if (!weft_shape_is_unknown_rank(it->in[0]) && (axis < 0 || axis > (int64_t)it->in[0]->rank)) {
    return weft_fail(it->d, WEFT_E_RANGE, "attribute 'axis': %lld is outside [0, %zu]", (long long)axis,
                     it->in[0]->rank);
  }
  return same_infer(it);
}

static weft_status scale_ref(const weft_call *c) {
  float factor = weft_node_float(c->desc, SCALE_FACTOR);
  int64_t n = weft_tensor_elems(c->out[0]);
  for (int64_t i = 0; i < n; i++) {
    weft_store_f64(c->out[0]->dtype, c->out[0]->data, (size_t)i,
                   weft_load_f64(c->in[0]->dtype, c->in[0]->data, (size_t)i) * (double)factor);
  }
  return WEFT_OK;
}

#define SCALE                                                                                               \
  WEFT_OP_HEAD,                                                                                             \
      .in = WEFT_PORTS({"x", "T"}), .out = WEFT_PORTS({"y", "T"}), .types = WEFT_TYPES({"T", WEFT_FLOATS}), \
      .attrs =                                                                                              \
          WEFT_ATTRS({"axis", "Int", "0"}, {"factor", "Float", "2", "max 100"}, {"names", "ListInt", "[]"})
#define SCALE_TRAITS (WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE | WEFT_INPLACE)
#define LINES(...)   .examples = ((const char *const[]){__VA_ARGS__, NULL})

static const weft_op scale = {
    SCALE,
    .name = "Scale",
    .traits = SCALE_TRAITS,
    .infer = scale_infer,
    .ref = scale_ref,
    LINES("f32[3]{1,-2,nan} -> f32[3]{2,-4,nan}", "f32[2,2]{1..} factor=0.5 -> f32[2,2]{0.5,1,1.5,2}",
          "f16[0,4] -> f16[0,4]", "f32[-1,3] -> f32[-1,3]", "f32[N,3] axis=1 -> f32[N,3]", "f32[?] -> f32[?]",
          "f32[0,N] -> f32[0,N]", "f32[1]{1} factor=0.1 -> f32[1]{0.1} ~1e-6",
          "f32[2]{1,2} axis=1 factor=1 names=[1,2] _private=3 -> f32[2]",
          "f32[3] axis=7 !! E_RANGE attribute 'axis': 7 is outside [0, 1]",
          "i32[2]{1,2} !! E_DTYPE input 'x'", "f32[2] factor=101 !! E_RANGE factor must <= 100",
          "f32[2] factor=[1] !! E_TYPE", "f32[2] bogus=1 !! E_NOT_FOUND attribute 'bogus'",
          "!! E_MISSING required input 'x'")};

TEST(keeps_every_law) {
  weft_env *e = make_env();
  const weft_proto *p = add(e, &scale);
  collected c = {0};
  weft_laws_result r;
  weft_laws_options o = {.report = collect, .report_ctx = &c};
  weft_diag d = {0};
  CHECK_INT(weft_op_laws(e, p, &o, &r, &d), WEFT_OK);
  CHECK_STR(c.text, "");
  CHECK_STR(d.text, "");
  CHECK_INT(r.examples, 15);
  CHECK_INT(r.failed, 0);
  CHECK(r.checks > 500);
  weft_env_destroy(e);
}

TEST(nothing_is_kept_in_the_allocator) {
  check_alloc count = {0};
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.allocator = check_allocator(&count), .no_builtin = true, .package_path = ""};
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  const weft_proto *p = add(e, &scale);
  long before = count.live_blocks;
  CHECK_OK(weft_op_laws(e, p, NULL, NULL, &d), &d);
  CHECK_INT(count.live_blocks, before);
  weft_env_destroy(e);
  CHECK_INT(count.live_blocks, 0);
}

TEST(same_seed_same_checks) {
  weft_env *e = make_env();
  const weft_proto *p = add(e, &scale);
  weft_laws_result a;
  weft_laws_result b;
  weft_laws_options o = {.seed = 42, .rounds = 3};
  CHECK_INT(weft_op_laws(e, p, &o, &a, NULL), WEFT_OK);
  CHECK_INT(weft_op_laws(e, p, &o, &b, NULL), WEFT_OK);
  CHECK_INT(a.checks, b.checks);
  weft_env_destroy(e);
}

TEST(no_examples) {
  weft_env *e = make_env();
  weft_op bare = scale;
  bare.name = "Bare";
  bare.examples = NULL;
  const weft_proto *p = add(e, &bare);
  weft_diag d = {0};
  weft_laws_result r;
  CHECK_FAILS(weft_op_laws(e, p, NULL, &r, &d), WEFT_E_MISSING);
  CHECK_STR(d.text, "operator 'Bare' has no examples");
  CHECK_INT(r.examples, 0);
  weft_env_destroy(e);
}

// ---- values that are inferred ----

static weft_status dims_infer(weft_infer *it) {
  const weft_shape *s = it->in[0];
  weft_dim n = weft_shape_is_unknown_rank(s) ? -1 : (weft_dim)s->rank;
  it->out_dtype[0] = WEFT_INT64;
  return weft_set_out_shape(it, 0, &n, 1);
}
static weft_status dims_value(weft_infer *it) {
  const weft_shape *s = it->in[0];
  if (weft_shape_is_unknown_rank(s))
    return WEFT_OK;
  for (size_t k = 0; k < s->rank; k++)
    it->out_dims[0][k] = s->dim[k] == -1 ? WEFT_DIM_INVALID : s->dim[k];
  it->out_dims_n[0] = (int64_t)s->rank;
  return WEFT_OK;
}
static weft_status dims_value_wrong(weft_infer *it) {
  weft_status s = dims_value(it);
  if (it->out_dims_n[0] > 0 && it->out_dims[0][0] == WEFT_DIM_INVALID)
    it->out_dims[0][0] = 77;
  return s;
}
static weft_status dims_ref(const weft_call *c) {
  for (size_t k = 0; k < c->in[0]->layout.origin.rank; k++)
    ((int64_t *)c->out[0]->data)[k] = c->in[0]->layout.origin.dim[k];
  return WEFT_OK;
}
#define DIMS                                                                                   \
  WEFT_OP_HEAD,                                                                                \
      .in = WEFT_PORTS({"x", NULL, WEFT_ANY}), .out = WEFT_PORTS({"y", NULL, WEFT_DT(INT64)}), \
      .infer = dims_infer, .ref = dims_ref, .traits = WEFT_SYMBOLIC,                           \
      LINES("f32[2,3] -> i64[2]{2,3}", "i8[1]{4} -> i64[1]{1}", "f32[?] -> i64[-1]", "f32[] -> i64[0]")

// ---- operators that break one law each ----

static void breaks_some(const weft_op *op, const char *law, const char *part, bool only) {
  weft_env *e = make_env();
  const weft_proto *p = add(e, op);
  collected c = {0};
  weft_laws_result r;
  weft_laws_options o = {.report = collect, .report_ctx = &c};
  weft_diag d = {0};
  CHECK_FAILS(weft_op_laws(e, p, &o, &r, &d), WEFT_E_DIFFERENT);
  CHECK(r.failed > 0);
  CHECK_INT(r.failed, c.n);
  CHECK_HAS(c.text, law);
  CHECK_HAS(c.text, part);
  for (const char *line = c.text, *end; only && *line; line = end + 1) {  // it breaks no other law
    end = strchr(line, '\n');
    char one[2048];
    snprintf(one, sizeof one, "%.*s", (int)(end - line), line);
    if (strstr(one, "operator '") == one && !strstr(one, law))
      check_failed(__FILE__, __LINE__, "expected %s only, got %s", law, one);
  }
  CHECK_HAS(d.text, "checks failed over");
  weft_env_destroy(e);
}

static void breaks(const weft_op *op, const char *law, const char *part) {
  breaks_some(op, law, part, true);
}

static const weft_op dims_right = {DIMS, .name = "Dims", .infer_value = dims_value};
static const weft_op dims_wrong = {DIMS, .name = "DimsWrong", .infer_value = dims_value_wrong};

TEST(inferred_values) {
  weft_env *e = make_env();
  weft_diag d = {0};
  CHECK_OK(weft_op_laws(e, add(e, &dims_right), NULL, NULL, &d), &d);
  weft_env_destroy(e);
  breaks_some(&dims_wrong, "law 3 (a dim unknown)", "value 0 inferred as 77, with everything known 2", false);
}

static const weft_op law1 = {SCALE, .name = "Wrong", .infer = same_infer, .ref = scale_ref,
                             LINES("f32[1]{1} -> f32[1]{3}")};
TEST(r2_law1_result) {
  breaks(&law1, "law 1 (the example holds)", "element [0] is 2, expected 3");
}

static weft_status staged_infer(weft_infer *it) {
  weft_shape_copy(it->out[0], it->in[0]);
  if (it->stage == WEFT_STAGE_RUN)
    it->out_dtype[0] = WEFT_DOUBLE;
  return WEFT_OK;
}
static const weft_op law2 = {WEFT_OP_HEAD,
                             .name = "Staged",
                             .in = WEFT_PORTS({"x", NULL, WEFT_DT(FLOAT)}),
                             .out = WEFT_PORTS({"y", NULL, WEFT_DT(FLOAT) | WEFT_DT(DOUBLE), .follow = "x",
                                                .follow_what = WEFT_FOLLOW_DTYPE}),
                             .infer = staged_infer,
                             LINES("f32[2] -> f32[2]")};
TEST(law2_stages) {
  breaks(&law2, "law 2 (build and run agree)", "output 0 is f64[2] at run time, f32[2] at build");
}

static weft_status lazy_ref(const weft_call *c) {  // leaves the last element unwritten
  weft_tensor *y = c->out[0];
  for (int64_t i = 0; i + 1 < weft_tensor_elems(y); i++)
    weft_store_f64(y->dtype, y->data, (size_t)i, 1);
  return WEFT_OK;
}
static const weft_op law2_lazy = {SCALE, .name = "Lazy", .infer = same_infer, .ref = lazy_ref,
                                  LINES("f32[3]{1,1,1} -> f32[3]")};
TEST(law2_unwritten) {
  breaks(&law2_lazy, "law 2 (every output element is written)", "output 0 depends on");
}

static weft_status wide_ref(const weft_call *c) {  // one element too many, of rows that are longer than two
  weft_tensor *y = c->out[0];
  const int64_t n = weft_tensor_elems(y);
  for (int64_t i = 0; i < n + (n > 2); i++)
    weft_store_f64(y->dtype, y->data, (size_t)i, 1);
  return WEFT_OK;
}
static const weft_op law10_wide = {SCALE, .name = "Wide", .infer = same_infer, .ref = wide_ref,
                                   LINES("f32[3]{1,1,1} -> f32[3]{1,1,1}")};
static const weft_op law10_later = {SCALE, .name = "WideLater", .infer = same_infer, .ref = wide_ref,
                                    LINES("f32[2]{1,1} -> f32[2]{1,1}")};
TEST(law10_a_reference_that_writes_past_its_output_is_named) {
  breaks_some(&law10_wide, "law 10 (kernels write what is theirs)",
              "the reference kernel wrote 4 bytes past the end of output 0, which has 12", false);
  breaks(&law10_later, "law 10 (kernels write what is theirs)",
         "the reference kernel wrote 4 bytes past the end of output 0, which has ");
}

static weft_status rude_ref(const weft_call *c) {
  memset(c->in[0]->data, 0, c->in[0]->bytes);
  memset(c->out[0]->data, 0, c->out[0]->bytes);
  return WEFT_OK;
}
static const weft_op law2_rude = {SCALE, .name = "Rude", .infer = same_infer, .ref = rude_ref,
                                  LINES("f32[3]{1,1,1} -> f32[3]{0,0,0}")};
TEST(law2_inputs_are_read_only) {
  breaks(&law2_rude, "law 2 (inputs are read-only)", "the kernel changed an input");
}

static weft_status bold_infer(weft_infer *it) {  // takes an unknown dim for 7
  weft_shape_copy(it->out[0], it->in[0]);
  if (it->out[0]->rank && it->out[0]->dim[0] == -1)
    it->out[0]->dim[0] = 7;
  return WEFT_OK;
}
static const weft_op law3 = {SCALE, .name = "Bold", .infer = bold_infer, .traits = WEFT_SYMBOLIC,
                             LINES("f32[2,3] -> f32[2,3]")};
TEST(law3_unknown_dim) {
  breaks_some(
      &law3, "law 3 (a dim unknown)",
      "with input 0 dim 0 unknown output 0 is inferred as f32[7,3], but with everything known as f32[2,3]",
      false);
}

static weft_status strict_infer(weft_infer *it) {
  if (weft_shape_is_unknown_rank(it->in[0]))
    return weft_fail(it->d, WEFT_E_SHAPE, "rank must be known");
  return same_infer(it);
}
static const weft_op law3_rank = {SCALE, .name = "Strict", .infer = strict_infer, LINES("f32[2] -> f32[2]")};
TEST(law3_unknown_rank) {
  breaks(&law3_rank, "law 3 (a rank unknown)", "inference fails: E_SHAPE rank must be known");
}

static weft_status sum_infer(weft_infer *it) {  // a symbolic sum that is off by one
  weft_shape_set_scalar(it->out[0]);
  if (weft_shape_is_unknown_rank(it->in[0]) || it->in[0]->rank != 1)
    return WEFT_E_SHAPE;
  weft_dim n = it->in[0]->dim[0];
  return weft_shape_append(
      it->out[0], weft_dim_is_symbol(n) ? weft_dim_add(it->symbols, n, 2) : weft_dim_add(it->symbols, n, 1));
}
static const weft_op law3_symbol = {SCALE, .name = "Sum", .infer = sum_infer, .traits = WEFT_SYMBOLIC,
                                    LINES("f32[2] -> f32[3]")};
TEST(law3_symbols_and_silent_failures) {
  weft_env *e = make_env();
  collected c = {0};
  weft_laws_options o = {.report = collect, .report_ctx = &c};
  CHECK_INT(weft_op_laws(e, add(e, &law3_symbol), &o, NULL, NULL), WEFT_E_DIFFERENT);
  CHECK_HAS(
      c.text,
      "law 3 (dims symbolic): with every dim a symbol of its own output 0 is inferred as f32[law100_2+2]");
  CHECK_HAS(c.text, "law 5 (random uses fail with a message)");  // WEFT_E_SHAPE without a text
  CHECK_HAS(c.text, "returned 3 (E_SHAPE) without a message");
  weft_env_destroy(e);
}

static weft_status narrow_range(weft_infer *it) {
  weft_shape_copy(it->out_min[0], it->in_max[0]);
  weft_shape_copy(it->out_max[0], it->in_max[0]);
  for (size_t k = 0; k < it->in[0]->rank; k++) {
    if (it->in[0]->dim[k] < 0)
      it->out_min[0]->dim[k] = it->out_max[0]->dim[k] = 1000;
  }
  return WEFT_OK;
}
static const weft_op law4 = {SCALE, .name = "Narrow", .infer = same_infer, .infer_range = narrow_range,
                             LINES("f32[2] -> f32[2]")};
// It finds all elements where its range allows one.
static weft_status found_infer(weft_infer *it) {
  const weft_dim open = WEFT_DIM_UNKNOWN;
  return weft_set_out_shape(it, 0, &open, 1);
}
static weft_status found_range(weft_infer *it) {
  weft_shape_set_scalar(it->out_min[0]);
  weft_shape_set_scalar(it->out_max[0]);
  it->out_min[0]->rank = it->out_max[0]->rank = 1;
  it->out_min[0]->dim[0] = 0;
  it->out_max[0]->dim[0] = 1;
  return WEFT_OK;
}
static weft_status found_execute(const weft_call *c) {
  weft_status s = c->host->out_alloc(c, 0, WEFT_FLOAT, &c->in[0]->layout, WEFT_ND);
  if (!s)
    memcpy(c->out[0]->data, c->in[0]->data, c->in[0]->bytes);
  return s;
}
static const weft_op law2_found = {WEFT_OP_HEAD,
                                   .name = "Found",
                                   .in = WEFT_PORTS({"x", NULL, WEFT_DT(FLOAT)}),
                                   .out = WEFT_PORTS({"y", NULL, WEFT_DT(FLOAT)}),
                                   .traits = WEFT_DATA_DEPENDENT,
                                   .infer = found_infer,
                                   .infer_range = found_range,
                                   .execute = found_execute,
                                   LINES("f32[2]{1,2} -> f32[2]{1,2}")};
TEST(law1_what_is_found_lies_in_the_range) {
  breaks_some(&law2_found, "law 1 (the example holds)",
              "output 0: executed with shape [2], and inference said that dim 0 lies in [0, 1]", false);
}

TEST(law4_range) {
  weft_env *e = make_env();
  collected c = {0};
  weft_laws_options o = {.report = collect, .report_ctx = &c};
  CHECK_INT(weft_op_laws(e, add(e, &law4), &o, NULL, NULL), WEFT_E_DIFFERENT);
  CHECK_HAS(c.text, "law 4 (outputs lie in the range)");
  weft_env_destroy(e);
}

static weft_status turning_infer(weft_infer *it) {  // claims to be monotone
  weft_shape_set_scalar(it->out[0]);
  if (weft_shape_is_unknown_rank(it->in[0])) {
    weft_shape_set_unknown_rank(it->out[0]);
    return WEFT_OK;
  }
  weft_dim n = it->in[0]->rank ? it->in[0]->dim[0] : 1;
  return weft_shape_append(it->out[0], n < 0 ? -1 : n > 10 ? 0 : 10 - n);
}
static const weft_op turning = {SCALE, .name = "Turning", .infer = turning_infer, .traits = WEFT_MONOTONE,
                                LINES("f32[4] -> f32[6]")};
TEST(law7_monotone) {
  weft_env *e = make_env();
  collected c = {0};
  weft_laws_options o = {.report = collect, .report_ctx = &c};
  CHECK_INT(weft_op_laws(e, add(e, &turning), &o, NULL, NULL), WEFT_E_DIFFERENT);
  CHECK_HAS(c.text, "law 7 (MONOTONE): larger inputs turn output 0 from f32[");
  weft_env_destroy(e);
}

static weft_status hurried_ref(const weft_call *c) {  // takes memory without telling that there was none
  const weft_tensor *t = c->out[0];
  void *block = t->alloc.fn(t->alloc.ctx, NULL, 0, 16, 16);
  if (!block)
    return WEFT_E_CORRUPT;
  t->alloc.fn(t->alloc.ctx, block, 16, 0, 16);
  return scale_ref(c);
}
static const weft_op law6 = {SCALE, .name = "Hurried", .infer = same_infer, .ref = hurried_ref,
                             LINES("f32[2]{1,2} -> f32[2]{2,4}")};
TEST(law6_failure_of_another_kind) {
  breaks(&law6, "law 6 (every allocation failed once)",
         "E_CORRUPT the kernel returned 17 (E_CORRUPT) without a message");
}

static void *kept[1024];
static size_t n_kept;
static weft_status leaky_ref(const weft_call *c) {
  const weft_tensor *t = c->out[0];
  void *block = n_kept < WEFT_COUNT(kept) ? t->alloc.fn(t->alloc.ctx, NULL, 0, 16, 16) : NULL;
  if (!block)
    return weft_fail(c->d, WEFT_E_NOMEM, "no memory");
  kept[n_kept++] = block;
  return scale_ref(c);
}
static const weft_op leaky = {SCALE, .name = "Leaky", .infer = same_infer, .ref = leaky_ref,
                              LINES("f32[2]{1,2} -> f32[2]{2,4}")};
TEST(law6_leak) {
  breaks(&leaky, "law 6 (nothing leaks)", "1 blocks stay allocated after the call");
  for (size_t i = 0; i < n_kept; i++)
    free(kept[i]);  // the default allocator is malloc
}

static weft_status noisy_ref(const weft_call *c) {  // looks at its neighbour
  const float *x = c->in[0]->data;
  float *y = c->out[0]->data;
  for (int64_t i = 0; i < weft_tensor_elems(c->out[0]); i++)
    y[i] = i ? x[i] + x[i - 1] : x[i];
  return WEFT_OK;
}
#define F32_PORTS \
  WEFT_OP_HEAD, .in = WEFT_PORTS({"x", NULL, WEFT_DT(FLOAT)}), .out = WEFT_PORTS({"y", NULL, WEFT_DT(FLOAT)})
#define F32 F32_PORTS, .infer = same_infer
static const weft_op law7 = {F32, .name = "Neighbour", .traits = WEFT_ELEMENTWISE, .ref = noisy_ref,
                             LINES("f32[3]{1,2,3} -> f32[3]{1,3,5}")};
TEST(law7_elementwise) {
  breaks(&law7, "law 7 (ELEMENTWISE)", "inputs reversed, output reversed back");
}

static const weft_op no_view = {F32, .name = "NoView", .traits = WEFT_VIEW, .ref = noisy_ref,
                                LINES("f32[3]{1,2,3} -> f32[3]{1,3,5}")};
TEST(law7_view) {
  breaks(&no_view, "law 7 (VIEW)", "output 0 (12 bytes) has not the bytes of input 0 (12 bytes)");
}

static weft_status sub_ref(const weft_call *c) {
  const float *a = c->in[0]->data;
  const float *b = c->in[1]->data;
  for (int64_t i = 0; i < weft_tensor_elems(c->out[0]); i++)
    ((float *)c->out[0]->data)[i] = a[i] - b[i];
  return WEFT_OK;
}
static weft_status pair_infer(weft_infer *it) {
  if (it->in[0]->rank == it->in[1]->rank && !weft_shape_is_unknown_rank(it->in[0]) &&
      !weft_shape_is_unknown_rank(it->in[1])) {
    for (size_t k = 0; k < it->in[0]->rank; k++) {
      if (it->in[0]->dim[k] >= 0 && it->in[1]->dim[k] >= 0 && it->in[0]->dim[k] != it->in[1]->dim[k])
        return weft_fail(it->d, WEFT_E_SHAPE, "dim %zu differs", k);
    }
  }
  bool open = weft_shape_is_unknown_rank(it->in[0]) || weft_shape_is_unknown_rank(it->in[1]);
  if (!open && it->in[0]->rank != it->in[1]->rank)
    return weft_fail(it->d, WEFT_E_SHAPE, "ranks differ");
  weft_shape_copy(it->out[0], it->in[0]);
  if (open)
    weft_shape_set_unknown_rank(it->out[0]);
  return WEFT_OK;
}
static const weft_op law7_swap = {WEFT_OP_HEAD,
                                  .name = "Minus",
                                  .in = WEFT_PORTS({"a", NULL, WEFT_DT(FLOAT)}, {"b", NULL, WEFT_DT(FLOAT)}),
                                  .out = WEFT_PORTS({"y", NULL, WEFT_DT(FLOAT)}),
                                  .traits = WEFT_COMMUTATIVE,
                                  .infer = pair_infer,
                                  .ref = sub_ref,
                                  LINES("f32[2]{1,2}, f32[2]{1,2} -> f32[2]{0,0}")};
TEST(law7_commutative) {
  breaks(&law7_swap, "law 7 (COMMUTATIVE)", "inputs 0 and 1 swapped");
}

static weft_status widen_infer(weft_infer *it) {
  it->out_dtype[0] = WEFT_DOUBLE;
  return same_infer(it);
}
static weft_status widen_ref(const weft_call *c) {
  for (int64_t i = 0; i < weft_tensor_elems(c->out[0]); i++)
    ((double *)c->out[0]->data)[i] = (double)((const float *)c->in[0]->data)[i];
  return WEFT_OK;
}
static const weft_op law7_place = {WEFT_OP_HEAD,
                                   .name = "Widen",
                                   .in = WEFT_PORTS({"x", NULL, WEFT_DT(FLOAT)}),
                                   .out = WEFT_PORTS({"y", NULL, WEFT_DT(DOUBLE)}),
                                   .traits = WEFT_INPLACE,
                                   .infer = widen_infer,
                                   .ref = widen_ref,
                                   LINES("f32[2]{1,2} -> f64[2]{1,2}")};
TEST(law7_in_place) {
  breaks(&law7_place, "law 7 (INPLACE)", "output 0 has 16 bytes, input 0 has 8");
}

// ---- law 8 ----

static void law8(const weft_op *op, const char *part) {
  weft_env *e = make_env();
  weft_proto *p = (weft_proto *)add(e, op);
  collected c = {0};
  weft_laws_options o = {.report = collect, .report_ctx = &c};
  p->source = WEFT_FROM_BUILTIN;
  weft_status s = weft_op_laws(e, p, &o, NULL, NULL);
  CHECK_INT(s, part ? WEFT_E_DIFFERENT : WEFT_OK);
  if (part)
    CHECK_HAS(c.text, part);
  else
    CHECK_STR(c.text, "");
  weft_env_destroy(e);
}

TEST(law8_catalogue) {
#define RELU                                                                                  \
  WEFT_OP_HEAD, .name = "Relu", .types = WEFT_TYPES({"T", WEFT_FLOATS}), .infer = same_infer, \
                LINES("f32[2] -> f32[2]")
  const weft_op good = {RELU, .in = WEFT_PORTS({"x", "T"}), .out = WEFT_PORTS({"y", "T"})},
                renamed = {RELU, .in = WEFT_PORTS({"input", "T"}), .out = WEFT_PORTS({"y", "T"})},
                optional = {RELU, .in = WEFT_PORTS({"x", "T"}),
                            .out = WEFT_PORTS({"y", "T", .kind = WEFT_OPTIONAL})},
                more = {RELU, .in = WEFT_PORTS({"x", "T"}, {"z", "T"}), .out = WEFT_PORTS({"y", "T"})},
                attr = {RELU, .in = WEFT_PORTS({"x", "T"}), .out = WEFT_PORTS({"y", "T"}),
                        .attrs = WEFT_ATTRS({"a", "Int", "1"})},
                ext = {RELU, .in = WEFT_PORTS({"x", "T"}), .out = WEFT_PORTS({"y", "T"}),
                       .attrs = WEFT_ATTRS({"a", "Int", "1", .ext = 1})};
  law8(&good, NULL);
  law8(&ext, NULL);
  law8(&renamed, "input 0 is required 'input', expected required 'x'");
  law8(&optional, "output 0 is optional 'y', expected required 'y'");
  law8(&more, "input 1 'z' is required, AscendIR has 1 of them");
  law8(&attr, "attribute 'a' is not AscendIR's and not marked .ext");
}
// SPDX-License-Identifier: Apache-2.0
