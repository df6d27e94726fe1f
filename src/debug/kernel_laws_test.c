// kernel_laws_test.c - each law of kernels (weft/laws.h, 9 to 11) is broken by a kernel made for it, and the
// report names operator, kernel, shapes, place and values; good kernels pass; built-in ones do.
#include "check.h"
#include "weft/weft.h"

typedef struct wrong_report {
  char text[4096];
  size_t lines;
} wrong_report;
static void wrong_keep(void *ctx, const char *text) {
  wrong_report *r = ctx;
  if (!r->lines++)
    snprintf(r->text, sizeof r->text, "%s", text);
}

static int64_t elems_of(const weft_shape *s) {
  int64_t n = 0;
  CHECK_INT(weft_shape_elems(s, &n), 0);
  return n;
}

// ---- an operator: z = x + y, f32 and i32, equal shapes ----
static weft_status sum_infer(weft_infer *it) {
  return weft_set_out_shape(it, 0, it->in[0]->dim, it->in[0]->rank);
}
static weft_status sum_ref(const weft_call *c) {
  weft_dtype t = c->out[0]->dtype;
  if (!weft_shape_equal(&c->in[0]->layout.origin, &c->in[1]->layout.origin))
    return c->host->fail(c->d, WEFT_E_SHAPE, "shapes differ");
  for (int64_t i = 0; i < elems_of(&c->out[0]->layout.origin); i++) {
    double v = weft_load_f64(t, c->in[0]->data, (size_t)i) + weft_load_f64(t, c->in[1]->data, (size_t)i);
    weft_store_f64(t, c->out[0]->data, (size_t)i, v);
  }
  return WEFT_OK;
}
static const weft_op sum_op = {WEFT_OP_HEAD,
                               .name = "SumTwo",
                               .in = WEFT_PORTS({"x", "T"}, {"y", "T"}),
                               .out = WEFT_PORTS({"z", "T"}),
                               .types = WEFT_TYPES({"T", WEFT_DT(FLOAT) | WEFT_DT(INT32)}),
                               .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
                               .infer = sum_infer,
                               .ref = sum_ref,
                               .examples = WEFT_NAMES("f32[3]{1,2,3}, f32[3]{4,5,6} -> f32[3]{5,7,9}",
                                                      "i32[]{1}, i32[]{2} -> i32[]{3}")};

typedef struct sum_record {
  uint64_t elems, each;
} sum_record;
static uint32_t sum_over, sum_each;
static size_t sum_workspace, sum_data, sum_scratch;
static weft_status sum_tile(weft_tiling *t) {
  sum_record *r = t->data;
  r->elems = (uint64_t)elems_of(&t->out[0]->storage);
  r->each = sum_each ? sum_each : 8;
  t->data_bytes = sizeof *r + sum_data;
  t->blocks = (uint32_t)((r->elems + r->each - 1) / r->each);
  t->overwrite = sum_over;
  if (sum_workspace) {
    t->n_workspaces = 1;
    t->workspace_bytes[0] = sum_workspace;
  }
  t->scratch_bytes = sum_scratch;
  return WEFT_OK;
}
static const char *sum_refuse(const weft_tiling *t) {
  if (t->in_dtype[0] != WEFT_FLOAT)
    return "takes f32 only";
  return weft_shape_equal(&t->in[0]->origin, &t->in[1]->origin) ? NULL : "shapes differ";
}
static uint64_t sum_end(const weft_block *b) {
  const sum_record *r = b->data;
  uint64_t end = (b->block + UINT64_C(1)) * r->each;
  return end < r->elems ? end : r->elems;
}
static weft_status sum_good(const weft_block *b) {
  const sum_record *r = b->data;
  const float *x = b->arg[0];
  const float *y = b->arg[1];
  float *z = b->arg[2];
  for (uint64_t i = b->block * r->each; i < sum_end(b); i++)
    z[i] = x[i] + y[i];
  return WEFT_OK;
}
static weft_status sum_minus(const weft_block *b) {
  const sum_record *r = b->data;
  const float *x = b->arg[0];
  const float *y = b->arg[1];
  float *z = b->arg[2];
  for (uint64_t i = b->block * r->each; i < sum_end(b); i++)
    z[i] = x[i] - y[i];
  return WEFT_OK;
}
static weft_status sum_four_more(const weft_block *b) {
  const sum_record *r = b->data;
  float *z = b->arg[2];
  weft_status s = sum_good(b);
  for (uint64_t i = 0; b->block + 1 == b->blocks && i < 4; i++)
    z[r->elems + i] = 3.5f;
  return s;
}
static weft_status sum_copies_behind(const weft_block *b) {  // what nobody made, from behind an input
  const sum_record *r = b->data;
  float *z = b->arg[2];
  weft_status s = sum_good(b);
  if (b->block + 1 == b->blocks)
    z[r->elems] = ((const float *)b->arg[0])[r->elems];
  return s;
}
static weft_status sum_first_only(const weft_block *b) {  // other blocks are off by one element
  const sum_record *r = b->data;
  float *z = b->arg[2];
  weft_status s = sum_good(b);
  for (uint64_t i = b->block * r->each; b->block && i < sum_end(b); i++)
    z[i] = ((const float *)b->arg[0])[i - 1] + ((const float *)b->arg[1])[i - 1];
  return s;
}
static weft_status sum_before(const weft_block *b) {
  float *z = b->arg[2];
  z[-1] = 0.5f;
  return sum_good(b);
}
static weft_status sum_last_only(const weft_block *b) {  // the last element of a block, and nothing else
  float *z = b->arg[2];
  if (((const sum_record *)b->data)->elems < 2)
    return sum_good(b);
  z[sum_end(b) - 1] = ((const float *)b->arg[0])[sum_end(b) - 1] + ((const float *)b->arg[1])[sum_end(b) - 1];
  return WEFT_OK;
}
static weft_status sum_in_order(const weft_block *b) {  // relies on what the block before it wrote
  const sum_record *r = b->data;
  float *z = b->arg[2];
  float before = b->block ? z[b->block * r->each - 1] : 0;
  weft_status s = sum_good(b);
  if (b->block && before != z[b->block * r->each - 1] && z[b->block * r->each] == 1)
    return s;
  for (uint64_t i = b->block * r->each; b->block && i < sum_end(b); i++)
    z[i] += before * 1e-6f;
  return s;
}
static weft_status sum_dirty(const weft_block *b) {  // adds what it finds in its workspace
  const sum_record *r = b->data;
  weft_status s = sum_good(b);
  for (uint64_t i = b->block * r->each; i < sum_end(b); i++) {
    if (((const uint8_t *)b->workspace[0])[0] == 0x5A)
      ((float *)b->arg[2])[i] += 1e-6f;
  }
  return s;
}
static weft_status sum_workspace_far(const weft_block *b) {
  ((char *)b->workspace[0])[16] = 1;
  return sum_good(b);
}
static weft_status sum_scratch_far(const weft_block *b) {
  ((char *)b->scratch)[16] = 1;
  return sum_good(b);
}
static weft_status sum_eats_input(const weft_block *b) {
  weft_status s = sum_good(b);
  if (b->block + 1 == b->blocks)
    ((float *)b->arg[0])[0] = 77;
  return s;
}
static weft_status sum_fails(const weft_block *b) {
  return b->blocks > 1 ? 1001 : sum_good(b);
}
static weft_status sum_over_wrong(const weft_block *b) {  // reads x after it wrote z
  const sum_record *r = b->data;
  float *z = b->arg[2];
  const float *x = b->arg[0];
  const float *y = b->arg[1];
  for (uint64_t i = b->block * r->each; i < sum_end(b); i++) {
    z[i] = 0;
    z[i] = x[i] + y[i];
  }
  return WEFT_OK;
}

typedef struct wrong {
  weft_block_fn run;
  const char *law, *says;
  uint32_t over;
  size_t workspace, data, scratch;
  uint32_t each;  // elements of a block; 0: 8
} wrong;

static weft_status wrong_try(const wrong *w, const weft_op *op, const char *device, wrong_report *report,
                             weft_kernel_laws_result *r) {
  weft_kernel k = {.size = sizeof k,
                   .op = op->name,
                   .device = device,
                   .name = "mine",
                   .refuse = sum_refuse,
                   .tile = sum_tile,
                   .run = w->run};
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_laws_options o = {.size = sizeof o, .report = wrong_keep, .report_ctx = report, .rounds = 16};
  sum_over = w->over;
  sum_each = w->each;
  sum_workspace = w->workspace;
  sum_data = w->data;
  sum_scratch = w->scratch;
  weft_status s = weft_env_create(&(weft_env_options){.package_path = ""}, &e, &d);
  if (!s)
    s = weft_register(e, op, 0, &d);
  if (!s)
    s = weft_register_kernel(e, &k, &d);
  *r = (weft_kernel_laws_result){.size = sizeof *r};
  if (!s)
    s = weft_op_kernel_laws(e, weft_find(e, op->name), &o, r, &d);
  if (s && s != WEFT_E_DIFFERENT)
    check_failed(__FILE__, __LINE__, "%s", d.text);
  weft_env_destroy(e);
  return s;
}

TEST(a_good_kernel_keeps_the_laws_on_many_shapes) {
  static const wrong good = {.run = sum_good, .over = 3, .workspace = 16, .scratch = 16};
  wrong_report report = {0};
  weft_kernel_laws_result r;
  CHECK_INT(wrong_try(&good, &sum_op, "cpu", &report, &r), WEFT_OK);
  CHECK_STR(report.text, "");
  CHECK_INT(r.kernels, 1);
  CHECK_INT(r.idle, 0);
  CHECK(r.runs > 40);
  CHECK(r.checks > r.runs);
}

TEST(a_wrong_kernel_is_named_with_shapes_place_and_values) {
  static const wrong all[] = {
      {.run = sum_minus, .law = "law 9", .says = "element [0] is -3, expected 5"},
      {.run = sum_four_more,
       .law = "law 10",
       .says = "writes past the end of output 0 (f32), which has 12 bytes: "
               "bytes 12 to 27; element 3 of 3 was nobody's and is 3.5 now"},
      {.run = sum_copies_behind, .law = "law 10", .says = "writes past the end of output 0"},
      {.run = sum_before, .law = "law 10", .says = "before the begin of output 0"},
      {.run = sum_last_only, .law = "law 9", .says = "element [0] is nan, expected 5"},
      {.run = sum_in_order, .law = "law 11", .says = "with blocks from the last to the first"},
      {.run = sum_dirty, .law = "law 11", .says = "other memory contents", .workspace = 16},
      {.run = sum_workspace_far, .law = "law 10", .says = "past the end of workspace 0", .workspace = 16},
      {.run = sum_scratch_far, .law = "law 10", .says = "past the end of scratch memory", .scratch = 16},
      {.run = sum_eats_input, .law = "law 10", .says = "changes input 0"},
      {.run = sum_fails, .law = "law 9", .says = "fails where the reference does not: 1001"},
      {.run = sum_over_wrong, .law = "law 11", .says = "with its output over an input", .over = 1},
      {.run = sum_good, .law = "law 9", .says = "tiling of 2064 bytes", .data = 2048},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    wrong_report report = {0};
    weft_kernel_laws_result r;
    CHECK_INT(wrong_try(&all[i], &sum_op, "cpu", &report, &r), WEFT_E_DIFFERENT);
    CHECK_INT(report.lines, 1);  // each kernel once
    CHECK_HAS(report.text, "operator 'SumTwo'");
    CHECK_HAS(report.text, "kernel 'mine' on cpu with f32[");
    CHECK_HAS(report.text, all[i].law);
    CHECK_HAS(report.text, all[i].says);
  }
}

// Examples and random uses have fewer elements than a block of it: the use grows until there are two.
TEST(a_kernel_of_large_blocks_is_tested_in_two) {
  static const wrong good = {.run = sum_good, .each = 65536};
  static const wrong first = {.run = sum_first_only, .each = 65536};
  static const wrong one = {.run = sum_good, .each = UINT32_MAX};
  wrong_report report = {0};
  weft_kernel_laws_result r;
  CHECK_INT(wrong_try(&good, &sum_op, "cpu", &report, &r), WEFT_OK);
  CHECK_INT(r.single, 0);
  CHECK_INT(wrong_try(&first, &sum_op, "cpu", &report, &r), WEFT_E_DIFFERENT);
  CHECK_HAS(report.text, "law 9");
  CHECK_HAS(report.text, "element [65536]");
  CHECK_INT(wrong_try(&one, &sum_op, "cpu", &report, &r), WEFT_OK);
  CHECK_INT(r.single, 1);
  CHECK_STR(r.single_text, "kernel 'mine' on cpu");
}

TEST(kernels_of_a_device_are_tested_in_its_memory) {
  static const wrong good = {.run = sum_good};
  static const wrong minus = {.run = sum_minus};
  static const wrong more = {.run = sum_four_more};
  wrong_report report = {0};
  weft_kernel_laws_result r;
  CHECK_INT(wrong_try(&good, &sum_op, "npusim", &report, &r), WEFT_OK);
  CHECK_INT(r.idle, 0);
  CHECK(r.runs > 20);
  CHECK_INT(wrong_try(&minus, &sum_op, "npusim", &report, &r), WEFT_E_DIFFERENT);
  CHECK_HAS(report.text, "kernel 'mine' on npusim");
  CHECK_HAS(report.text, "element [0] is -3, expected 5");
  report = (wrong_report){0};
  CHECK_INT(wrong_try(&more, &sum_op, "npusim", &report, &r), WEFT_E_DIFFERENT);
  CHECK_HAS(report.text, "output 0");
}

// ---- a kernel that takes nothing is named ----
TEST(a_kernel_that_takes_nothing_is_told) {
  static weft_op ints;
  static const wrong good = {.run = sum_good};
  wrong_report report = {0};
  weft_kernel_laws_result r;
  ints = sum_op;
  ints.examples = WEFT_NAMES("i32[]{1}, i32[]{2} -> i32[]{3}");
  ints.types = WEFT_TYPES({"T", WEFT_DT(INT32)});
  CHECK_INT(wrong_try(&good, &ints, "cpu", &report, &r), WEFT_OK);
  CHECK_INT(r.idle, 1);
  CHECK_STR(r.idle_text, "kernel 'mine' on cpu: takes f32 only");
}

// ---- what the reference refuses, kernels refuse ----
static weft_status pick_infer(weft_infer *it) {
  return weft_set_out_shape(it, 0, it->in[1]->dim, it->in[1]->rank);
}
static weft_status pick_ref(const weft_call *c) {
  const int32_t *at = c->in[1]->data;
  int64_t n = elems_of(&c->in[0]->layout.origin);
  for (int64_t i = 0; i < elems_of(&c->in[1]->layout.origin); i++) {
    if (at[i] < 0 || at[i] >= n)
      return c->host->fail(c->d, WEFT_E_RANGE, "index %d is outside [0, %lld)", at[i], (long long)n);
    ((float *)c->out[0]->data)[i] = ((const float *)c->in[0]->data)[at[i]];
  }
  return WEFT_OK;
}
static const weft_op pick_op = {WEFT_OP_HEAD,
                                .name = "PickFlat",
                                .in = WEFT_PORTS({"x", NULL, WEFT_DT(FLOAT)}, {"at", NULL, WEFT_DT(INT32)}),
                                .out = WEFT_PORTS({"y", NULL, WEFT_DT(FLOAT)}),
                                .infer = pick_infer,
                                .ref = pick_ref,
                                .examples = WEFT_NAMES("f32[3]{1,2,3}, i32[2]{2,0} -> f32[2]{3,1}",
                                                       "f32[3]{1,2,3}, i32[1]{3} !! E_RANGE index 3")};
static weft_status pick_tile(weft_tiling *t) {
  uint64_t *n = t->data;
  n[0] = (uint64_t)elems_of(&t->in[0]->storage);
  n[1] = (uint64_t)elems_of(&t->in[1]->storage);
  t->data_bytes = 16;
  t->blocks = 1;
  return WEFT_OK;
}
static weft_status pick_clamped(const weft_block *b) {
  const uint64_t *n = b->data;
  const int32_t *at = b->arg[1];
  for (uint64_t i = 0; i < n[1]; i++) {
    if (at[i] >= 0 && (uint64_t)at[i] < n[0])
      ((float *)b->arg[2])[i] = ((const float *)b->arg[0])[at[i]];
  }
  return WEFT_OK;
}
TEST(a_kernel_that_takes_a_bad_index_is_found) {
  weft_kernel k = {.size = sizeof k,
                   .op = "PickFlat",
                   .device = "cpu",
                   .name = "clamped",
                   .tile = pick_tile,
                   .run = pick_clamped};
  weft_env *e = NULL;
  weft_diag d = {0};
  wrong_report report = {0};
  weft_laws_options o = {.size = sizeof o, .report = wrong_keep, .report_ctx = &report};
  CHECK_OK(weft_env_create(&(weft_env_options){.package_path = ""}, &e, &d), &d);
  CHECK_OK(weft_register(e, &pick_op, 0, &d), &d);
  CHECK_OK(weft_register_kernel(e, &k, &d), &d);
  CHECK_INT(weft_op_kernel_laws(e, weft_find(e, "PickFlat"), &o, NULL, &d), WEFT_E_DIFFERENT);
  CHECK_HAS(report.text, "succeeds where the reference refuses the input");
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
