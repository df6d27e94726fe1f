// sized_test.c - every public struct that begins with its size (weft/base.h, "Structs that grow"), with a
// size of 0, of less, of exactly what weft knows, and of more. Each lies in a block of its own that ends
// where the struct ends, so that AddressSanitizer sees a byte too many. tools/check_abi.py looks here for
// every struct that grows.
//
// The contract with packages is held elsewhere. Made by weft, read by packages, which look at the size before
// they read what a later version added: weft_infer, weft_described, weft_op_desc, weft_region, weft_tiling,
// weft_tiling_said, weft_tiling_target, weft_tiled, weft_packing, weft_block, weft_call, weft_host,
// weft_pass_host, weft_device_setup, weft_device_launch, weft_saving, weft_carried. Made by packages: weft_op
// is copied as far as its size reaches, and refused with less than it needs (op_registry_test.c);
// weft_package, weft_kernel, weft_pass and weft_device are refused when they are smaller than weft knows
// (package_test.c); of weft_call_launch the members of weft 0.1 are read.
#include "base/base.h"
#include "models.h"
#include "op/package.h"
#include "run_util.h"

static const char graph_text[] =
    "graph \"g\" { input x: f32[4] node a: Relu(x) -> v node b: Neg(v) -> y output y }";
enum { MORE = 64, FILL = 0xA5 };

// One struct: how large it is, and a call that reads or fills the one at `s`.
typedef struct sized_case {
  const char *name;
  size_t bytes;
  bool out;
  weft_status (*call)(run_fixture *f, void *s);
} sized_case;

static weft_status parse(void *ctx, weft_graph **out, weft_diag *d) {
  run_fixture *f = ctx;
  return weft_graph_parse(f->r.env, graph_text, strlen(graph_text), "test", out, d);
}
static weft_status nowhere(void *ctx, const char *text, size_t bytes) {
  (void)ctx;
  (void)text;
  (void)bytes;
  return WEFT_OK;
}
static weft_status no_file(void *ctx, const char *path, const char *text, size_t bytes, bool executable) {
  (void)path;
  (void)executable;
  return nowhere(ctx, text, bytes);
}

static weft_status env_options(run_fixture *f, void *s) {
  weft_env *e;
  WEFT_TRY(weft_env_create(s, &e, &f->r.d));
  weft_env_destroy(e);
  return WEFT_OK;
}
static weft_status limits(run_fixture *f, void *s) {
  const weft_infer_options o = {.size = sizeof o, .limits = s};
  return weft_graph_infer(f->g, &o, NULL, &f->r.d);
}
static weft_status infer_options(run_fixture *f, void *s) {
  return weft_graph_infer(f->g, s, NULL, &f->r.d);
}
static weft_status interp_options(run_fixture *f, void *s) {
  rows_tensors in;
  weft_tensor out;
  if (!rows_read(&f->r, "f32[4]{1,2,3,4}", &in))
    return WEFT_E_STATE;
  weft_status status = weft_interp_run(f->g, s, in.in, 1, &out, 1, &f->r.d);
  weft_tensor_deinit(&out);
  rows_free(&in);
  return status;
}
static weft_status optimise(run_fixture *f, const void *options, void *summary) {
  weft_graph *g = NULL;
  WEFT_TRY(parse(f, &g, &f->r.d));
  weft_status status = weft_graph_optimize(g, 0, options, summary, &f->r.d);
  weft_graph_destroy(g);
  return status;
}
static weft_status optimize_options(run_fixture *f, void *s) {
  return optimise(f, s, NULL);
}
static weft_status optimize_summary(run_fixture *f, void *s) {
  return optimise(f, NULL, s);
}
static weft_status compile_options(run_fixture *f, void *s) {
  weft_graph *g = NULL;
  weft_program *p = NULL;
  WEFT_TRY(parse(f, &g, &f->r.d));
  WEFT_TRY(weft_compile(g, s, &p, &f->r.d));
  weft_program_release(p);
  return WEFT_OK;
}
static weft_status compile_passes(run_fixture *f, void *s) {
  return compile_options(f, &(weft_compile_options){.size = sizeof(weft_compile_options), .passes = s});
}
static weft_status exec_options(run_fixture *f, void *s) {
  weft_exec *x;
  WEFT_TRY(weft_exec_create(f->p, s, &x, &f->r.d));
  weft_exec_destroy(x);
  return WEFT_OK;
}
static weft_status session(run_fixture *f, const weft_session_options *o) {
  weft_session *s;
  WEFT_TRY(weft_session_create(f->r.env, o, &s, &f->r.d));
  weft_session_destroy(s);
  return WEFT_OK;
}
static weft_status session_options(run_fixture *f, void *s) {
  return session(f, s);
}
static weft_status session_exec(run_fixture *f, void *s) {
  return session(f, &(weft_session_options){.size = sizeof(weft_session_options), .exec = s});
}
static weft_status laws_options(run_fixture *f, void *s) {
  weft_laws_result r;
  return weft_op_laws(f->r.env, weft_find(f->r.env, "Relu"), s, &r, &f->r.d);
}
static weft_status kernel_laws(run_fixture *f, const weft_laws_options *o, weft_kernel_laws_result *r) {
  return weft_op_kernel_laws(f->r.env, weft_find(f->r.env, "Relu"), o, r, &f->r.d);
}
static weft_status kernel_laws_options(run_fixture *f, void *s) {
  return kernel_laws(f, s, NULL);
}
static weft_status kernel_laws_result(run_fixture *f, void *s) {
  weft_laws_options o = {.size = sizeof o, .rounds = 1};
  return kernel_laws(f, &o, s);
}
static weft_status bisect(run_fixture *f, const weft_bisect_options *o, weft_bisect_result *r) {
  rows_tensors in;
  if (!rows_read(&f->r, "f32[4]{1,2,3,4}", &in))
    return WEFT_E_STATE;
  weft_status status = weft_bisect(parse, f, in.in, 1, o, r, &f->r.d);
  rows_free(&in);
  return status;
}
static weft_status bisect_options(run_fixture *f, void *s) {
  weft_bisect_result r = {.size = sizeof r};
  return bisect(f, s, &r);
}
static weft_status bisect_result(run_fixture *f, void *s) {
  return bisect(f, NULL, s);
}
static weft_status convert_options(run_fixture *f, void *s) {
  static model m;
  WEFT_TRY(model_make(&m, "lrn", &f->r.d) ? WEFT_OK : WEFT_E_STATE);
  weft_status status = weft_onnx_convert(f->r.env, m.text.v, m.text.n, "lrn", s, nowhere, NULL, &f->r.d);
  model_free(&m);
  return status;
}
static weft_status onnx_options(run_fixture *f, void *s) {
  static model m;
  weft_graph *g = NULL;
  WEFT_TRY(model_make(&m, "lrn", &f->r.d) ? WEFT_OK : WEFT_E_STATE);
  weft_status status = weft_onnx_read_with(f->r.env, m.text.v, m.text.n, "lrn", s, &g, &f->r.d);
  weft_graph_destroy(g);
  model_free(&m);
  return status;
}
static weft_status project_options(run_fixture *f, void *s) {
  static const char json[] =
      "[{\"op\": \"MyOp\", \"input_desc\": [{\"name\": \"x\", \"format\": [\"ND\"], \"type\": [\"float\"]}],"
      " \"output_desc\": [{\"name\": \"y\", \"format\": [\"ND\"], \"type\": [\"float\"]}]}]";
  return weft_op_project(f->r.env, json, strlen(json), NULL, s, no_file, NULL, &f->r.d);
}
static weft_status memory_plan(run_fixture *f, void *s) {
  return weft_exec_prepare(f->x, NULL, 0, s, &f->r.d);
}
static weft_status memory_plan_largest(run_fixture *f, void *s) {
  return weft_exec_prepare_largest(f->x, s, &f->r.d);
}
static weft_status exec_stats(run_fixture *f, void *s) {
  weft_exec_get_stats(f->x, s);
  return WEFT_OK;
}
static weft_status device_properties(run_fixture *f, void *s) {
  for (size_t i = 0; weft_device_at(f->r.env, i); i++) {
    uint32_t size = *(uint32_t *)s;
    weft_device_at(f->r.env, i)->properties(s);
    if (weft_device_at(f->r.env, i + 1))
      *(uint32_t *)s = size;
  }
  return WEFT_OK;
}

static const sized_case cases[] = {
    {"weft_env_options", sizeof(weft_env_options), false, env_options},
    {"weft_limits", sizeof(weft_limits), false, limits},
    {"weft_infer_options", sizeof(weft_infer_options), false, infer_options},
    {"weft_interp_options", sizeof(weft_interp_options), false, interp_options},
    {"weft_optimize_options", sizeof(weft_optimize_options), false, optimize_options},
    {"weft_compile_options", sizeof(weft_compile_options), false, compile_options},
    {"weft_optimize_options of compiling", sizeof(weft_optimize_options), false, compile_passes},
    {"weft_exec_options", sizeof(weft_exec_options), false, exec_options},
    {"weft_exec_options of a session", sizeof(weft_exec_options), false, session_exec},
    {"weft_session_options", sizeof(weft_session_options), false, session_options},
    {"weft_laws_options", sizeof(weft_laws_options), false, laws_options},
    {"weft_laws_options of kernels", sizeof(weft_laws_options), false, kernel_laws_options},
    {"weft_kernel_laws_result", sizeof(weft_kernel_laws_result), true, kernel_laws_result},
    {"weft_bisect_options", sizeof(weft_bisect_options), false, bisect_options},
    {"weft_onnx_options", sizeof(weft_onnx_options), false, onnx_options},
    {"weft_convert_options", sizeof(weft_convert_options), false, convert_options},
    {"weft_project_options", sizeof(weft_project_options), false, project_options},
    {"weft_optimize_summary", sizeof(weft_optimize_summary), true, optimize_summary},
    {"weft_bisect_result", sizeof(weft_bisect_result), true, bisect_result},
    {"weft_memory_plan", sizeof(weft_memory_plan), true, memory_plan},
    {"weft_memory_plan of the largest", sizeof(weft_memory_plan), true, memory_plan_largest},
    {"weft_exec_stats", sizeof(weft_exec_stats), true, exec_stats},
    {"weft_device_properties", sizeof(weft_device_properties), true, device_properties},
};

// The struct in memory of `bytes`, saying that it has `size`.
static void try_size(run_fixture *f, const sized_case *c, size_t bytes, uint32_t size) {
  uint8_t *s = malloc(bytes);
  CHECK(s != NULL);
  if (!s)
    return;
  memset(s, c->out ? FILL : 0, bytes);
  memcpy(s, &size, sizeof size);
  weft_diag_clear(&f->r.d);
  weft_status status = c->call(f, s);
  if (status)
    check_failed(__FILE__, __LINE__, "%s of size %u: %s", c->name, size, f->r.d.text);
  uint32_t filled;
  memcpy(&filled, s, sizeof filled);
  size_t most = WEFT_MIN(size ? size : c->bytes, c->bytes);
  if (c->out && (filled > most || (size && filled != most))) {
    check_failed(__FILE__, __LINE__, "%s of size %u: %u bytes filled, expected %zu", c->name, size, filled,
                 most);
  }
  for (size_t i = c->out ? most : bytes; i < bytes; i++) {
    if (s[i] != FILL)
      check_failed(__FILE__, __LINE__, "%s of size %u: byte %zu written", c->name, size, i);
  }
  free(s);
}

TEST(options_and_results) {
  run_fixture f;
  if (!run_open(&f, graph_text, NULL, NULL))
    return;
  for (size_t i = 0; i < WEFT_COUNT(cases); i++) {
    const sized_case *c = &cases[i];
    const size_t sizes[] = {4, 8, c->bytes / 2, c->bytes - 1, c->bytes};
    for (size_t k = 0; k < WEFT_COUNT(sizes); k++)
      try_size(&f, c, sizes[k], (uint32_t)sizes[k]);
    try_size(&f, c, c->bytes, 0);
    try_size(&f, c, c->bytes, (uint32_t)c->bytes + MORE);  // says more than there is: nobody looks there
    try_size(&f, c, c->bytes, UINT32_MAX);
    try_size(&f, c, c->bytes + MORE, (uint32_t)c->bytes + MORE);
  }
  run_close(&f);
}

// What a size leaves out keeps its default.
TEST(members_beyond_the_size_are_not_read) {
  run_fixture f;
  if (!run_open(&f, graph_text, NULL, NULL))
    return;
  weft_session *s;
  weft_session_options o = {.size = offsetof(weft_session_options, max_execs), .max_execs = 1u << 30};
  CHECK_INT(weft_session_create(f.r.env, &o, &s, &f.r.d), WEFT_OK);
  weft_session_destroy(s);
  o.size = sizeof o;
  CHECK_INT(weft_session_create(f.r.env, &o, &s, &f.r.d), WEFT_E_LIMIT);
  run_close(&f);
}

// ---- descriptions ----

// A description in a block of its own, of `bytes`, as a caller with another header has it.
static weft_tensor_desc *desc_of(const weft_tensor_desc *from, size_t bytes, uint32_t size, size_t n) {
  char *all = malloc(bytes * n);
  for (size_t i = 0; all && i < n; i++) {
    memset(all + i * bytes, FILL, bytes);
    memcpy(all + i * bytes, from, WEFT_MIN(bytes, sizeof *from));
    memcpy(all + i * bytes, &size, sizeof size);
  }
  CHECK(all != NULL);
  return (weft_tensor_desc *)(void *)all;
}

static void check_filled(const weft_tensor_desc *d, size_t bytes, const char *call) {
  uint32_t size;
  memcpy(&size, d, sizeof size);
  if (size != WEFT_MIN(bytes, sizeof *d))
    check_failed(__FILE__, __LINE__, "%s: %u bytes filled of %zu", call, size, bytes);
  for (size_t i = sizeof *d; i < bytes; i++) {
    if (((const uint8_t *)d)[i] != FILL)
      check_failed(__FILE__, __LINE__, "%s wrote byte %zu", call, i);
  }
}

TEST(descriptions_are_filled_as_far_as_they_reach) {
  static const size_t sizes[] = {8, 24, offsetof(weft_tensor_desc, min), sizeof(weft_tensor_desc),
                                 sizeof(weft_tensor_desc) + MORE};
  run_fixture f;
  if (!run_open(&f, graph_text, NULL, NULL))
    return;
  weft_tensor_desc all;
  CHECK(weft_program_input(f.p, 0, &all));
  size_t bytes;
  size_t used;
  char blob[2048];
  CHECK_OK(weft_desc_save(&all, 2, blob, sizeof blob, &bytes, &f.r.d), &f.r.d);
  for (size_t i = 0; i < WEFT_COUNT(sizes); i++) {
    weft_tensor_desc *d = desc_of(&all, sizes[i], 0, 1);
    if (!d)
      break;
    weft_desc_init_sized(d, sizes[i]);
    check_filled(d, sizes[i], "weft_desc_init_sized");
    weft_value_desc_sized(weft_graph_input_at(f.g, 0), d, sizes[i]);
    check_filled(d, sizes[i], "weft_value_desc_sized");
    weft_value_expected_sized(weft_graph_input_at(f.g, 0), d, sizes[i]);
    check_filled(d, sizes[i], "weft_value_expected_sized");
    CHECK(weft_program_input_sized(f.p, 0, d, sizes[i]));
    check_filled(d, sizes[i], "weft_program_input_sized");
    CHECK(weft_program_output_sized(f.p, 0, d, sizes[i]));
    check_filled(d, sizes[i], "weft_program_output_sized");
    CHECK(!weft_program_output_sized(f.p, 1, d, sizes[i]));
    CHECK_OK(weft_desc_load_sized(blob, bytes, d, sizes[i], &used, NULL, &f.r.d), &f.r.d);
    check_filled(d, sizes[i], "weft_desc_load_sized");
    free(d);
  }
  run_close(&f);
}

TEST(arrays_of_descriptions_have_the_callers_stride) {
  static const char two[] = "graph \"g\" { input x: f32[4] input y: f32[4] node a: Add(x, y) -> z output z }";
  run_fixture f;
  if (!run_open(&f, two, NULL, NULL))
    return;
  weft_tensor_desc one;
  CHECK(weft_program_input(f.p, 0, &one));
  size_t larger = sizeof one + MORE;
  size_t exact = sizeof one;
  weft_tensor_desc *list = desc_of(&one, larger, (uint32_t)larger, 2);
  weft_tensor_desc *zero = desc_of(&one, exact, 0, 2);
  CHECK_OK(weft_exec_prepare(f.x, list, 2, NULL, &f.r.d), &f.r.d);
  CHECK_OK(weft_exec_prepare(f.x, zero, 2, NULL, &f.r.d), &f.r.d);
  zero->size = 12;
  CHECK_INT(weft_exec_prepare(f.x, zero, 2, NULL, &f.r.d), WEFT_E_INVALID);
  CHECK_HAS(f.r.d.text, "set its size to sizeof(weft_tensor_desc)");
  weft_diag_clear(&f.r.d);
  zero->size = (uint32_t)exact + 1;
  CHECK_INT(weft_exec_prepare(f.x, zero, 2, NULL, &f.r.d), WEFT_E_INVALID);
  weft_diag_clear(&f.r.d);

  rows_tensors in;
  weft_tensor out;
  CHECK(rows_read(&f.r, "f32[4]{1,2,3,4}; f32[4]{1,2,3,4}", &in));
  const weft_proto *add = rows_find(&f.r, "Add");
  CHECK_OK(weft_infer_op_sized(f.r.env, add, NULL, in.in, 2, list, larger, 1, &f.r.d), &f.r.d);
  check_filled(list, larger, "weft_infer_op_sized");
  CHECK_OK(weft_run_op(f.r.env, add, NULL, in.in, 2, &out, 1, list, &f.r.d), &f.r.d);
  weft_tensor_deinit(&out);
  list->size = 16;
  CHECK_INT(weft_run_op(f.r.env, add, NULL, in.in, 2, &out, 1, list, &f.r.d), WEFT_E_INVALID);
  weft_tensor_deinit(&out);
  rows_free(&in);
  free(list);
  free(zero);
  run_close(&f);
}

TEST(a_description_that_is_too_small_is_refused) {
  run_fixture f;
  if (!run_open(&f, graph_text, NULL, NULL))
    return;
  weft_tensor_desc one;
  CHECK(weft_program_input(f.p, 0, &one));
  weft_tensor_desc *small = desc_of(&one, 24, 24, 1);
  CHECK(!weft_graph_input_desc(f.g, "z", small, &f.r.d));
  CHECK_INT(f.r.d.status, WEFT_E_INVALID);
  weft_diag_clear(&f.r.d);
  CHECK_INT(weft_graph_input_reshape(weft_graph_input_at(f.g, 0), small, &f.r.d), WEFT_E_INVALID);
  free(small);
  run_close(&f);
}

// ---- records ----

TEST(launch_records_have_the_callers_stride) {
  static const size_t sizes[] = {8, offsetof(weft_launch_record, source), sizeof(weft_launch_record),
                                 sizeof(weft_launch_record) + MORE};
  run_fixture f;
  if (!run_open(&f, graph_text, &(weft_exec_options){.size = sizeof(weft_exec_options), .profile = true},
                NULL))
    return;
  RUN_SAME(&f, "f32[4]{-1,2,-3,4}");
  for (size_t i = 0; i < WEFT_COUNT(sizes); i++) {
    const weft_launch_record *r;
    size_t n = weft_exec_profile_sized(f.x, &r, sizes[i]);
    CHECK_INT(n, 2);
    for (size_t k = 0; k < n; k++) {
      const char *at = (const char *)r + k * sizes[i];
      weft_launch_record own = {0};
      memcpy(&own, at, WEFT_MIN(sizes[i], sizeof own));
      CHECK_INT(own.size, WEFT_MIN(sizes[i], sizeof own));
      if (sizes[i] > offsetof(weft_launch_record, node))
        CHECK_STR(own.node, k ? "b" : "a");
    }
  }
  run_close(&f);
}

TEST(package_infos_are_filled_as_far_as_they_reach) {
  static const size_t sizes[] = {4, 8, 16, sizeof(weft_package_info), sizeof(weft_package_info) + MORE};
  rows r;
  if (!rows_open(&r, ""))
    return;
  for (size_t i = 0; i < WEFT_COUNT(sizes); i++) {
    weft_package_info *info = malloc(sizes[i]);
    CHECK(info != NULL);
    if (!info)
      break;
    memset(info, FILL, sizes[i]);
    weft_package_at_sized(r.env, 0, info, sizes[i]);
    CHECK_INT(*(const uint32_t *)info, WEFT_MIN(sizes[i], sizeof *info));
    for (size_t k = sizeof *info; k < sizes[i]; k++)
      CHECK_INT(((const uint8_t *)info)[k], FILL);
    free(info);
  }
  CHECK_STR(weft_package_at(r.env, 0).problem, "no such package");
  rows_close(&r);
}
// SPDX-License-Identifier: Apache-2.0
