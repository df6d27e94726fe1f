// op_execute_test.c - group K: an operator that decides its own output shape, made by the builder. x
// bool[...] gives the coordinates of its true elements: allocate the bound, launch, wait, read the shape
// buffer back, set the shape.
#include "rows.h"

typedef struct plan {  // what the kernel reads: args and this record, nothing of the host (R352)
  uint64_t elems;
  uint64_t rank;
  uint64_t dim[8];
  uint64_t lie_dims;
  uint64_t lie_count;
} plan;
static plan lie;  // lie_dims, lie_count: what the kernel reports instead
static size_t bound_bytes, runs;
static bool forget_sync, forget_alloc, bad_copy;
static uint64_t read_back[3];

static weft_status kernel(const weft_block *b) {
  const plan *t = b->data;
  const uint8_t *x = b->arg[0];
  int64_t *y = b->arg[1];
  uint64_t *shape = b->arg[2];
  uint64_t count = 0;
  CHECK(b->blocks == 1 && b->block == 0 && b->size >= sizeof *b);
  for (uint64_t i = 0; i < t->elems; i++) {
    uint64_t rest = i;
    if (!x[i])
      continue;
    for (uint64_t k = t->rank; k-- > 0; rest /= t->dim[k])
      y[count * t->rank + k] = (int64_t)(rest % t->dim[k]);
    count++;
  }
  shape[0] = t->lie_dims ? t->lie_dims : 2;
  shape[1] = t->lie_count ? t->lie_count : count;
  shape[2] = t->rank;
  return t->lie_count == 77 ? WEFT_E_KERNEL : WEFT_OK;
}

// The exported wrapper of the kernel file (R156).
static weft_status launch(const weft_call *c, void *y, void *shape_buf, const plan *t) {
  void *arg[] = {c->in[0]->data, y, shape_buf};
  return c->host->launch(c, &(weft_call_launch){.size = sizeof(weft_call_launch),
                                                .blocks = 1,
                                                .n_args = 3,
                                                .run = kernel,
                                                .arg = arg,
                                                .data = t,
                                                .data_bytes = sizeof *t,
                                                .name = "where_like"});
}

static weft_status take_shape(const weft_call *c, const plan *t, void *shape_buf) {
  const weft_host *h = c->host;
  WEFT_TRY(launch(c, c->out[0]->data, shape_buf, t));
  if (!forget_sync)
    WEFT_TRY(h->sync(c));
  WEFT_TRY(h->copy_to_host(c, read_back, shape_buf, bad_copy ? 4096 : sizeof read_back));
  if (read_back[0] != 2)
    return h->fail(c->d, WEFT_E_KERNEL, "invalid output dim num: %llu", (unsigned long long)read_back[0]);
  weft_shape actual = {.rank = 2, .dim = {(weft_dim)read_back[1], (weft_dim)read_back[2]}};
  weft_status s = h->out_set_shape(c, 0, &actual);
  if (s)
    CHECK_INT(c->out[0]->bytes, bound_bytes);  // R154: unchanged
  return s;
}

static weft_status execute(const weft_call *c) {
  const weft_host *h = c->host;
  const weft_shape *x = &c->in[0]->layout.storage;
  plan t = lie;
  void *shape_buf;
  void *more;
  void *none;
  runs++;
  t.elems = 1;
  t.rank = x->rank;
  for (size_t i = 0; i < x->rank; i++) {
    t.dim[i] = (uint64_t)x->dim[i];
    t.elems *= t.dim[i];
  }
  weft_layout most = {.origin = {.rank = 2, .dim = {(weft_dim)t.elems, (weft_dim)t.rank}}};
  most.storage = most.origin;
  CHECK(c->stream != NULL);
  if (forget_alloc)
    return WEFT_OK;
  WEFT_TRY(h->out_alloc(c, 0, WEFT_INT64, &most, WEFT_ND));
  bound_bytes = c->out[0]->bytes;
  CHECK(c->out[0]->data && c->out[0]->capacity >= bound_bytes &&
        bound_bytes == t.elems * t.rank * 8);  // R148
  weft_diag own = {0};
  weft_call copy = *c;
  copy.d = &own;
  CHECK_FAILS(h->out_alloc(&copy, 0, WEFT_INT64, &most, WEFT_ND), WEFT_E_STATE);
  weft_diag_clear(&own);
  CHECK_FAILS(h->out_alloc(&copy, 7, WEFT_INT64, &most, WEFT_ND), WEFT_E_RANGE);
  WEFT_TRY(h->workspace(c, 24, &shape_buf));  // R149: the first one
  WEFT_TRY(h->workspace(c, 1000, &more));
  WEFT_TRY(h->workspace(c, 0, &none));
  CHECK((uintptr_t)shape_buf % 64 == 0 && (uintptr_t)more % 64 == 0 && none && shape_buf != more);  // R173
  return take_shape(c, &t, shape_buf);
}

static weft_status infer_shape(weft_infer *it) {
  const weft_shape *x = weft_in_shape(it, 0);
  const weft_dim y[] = {-1, weft_unknown_rank(x) ? -1 : (weft_dim)x->rank};
  return weft_set_out_shape(it, 0, y, 2);
}
static weft_status infer_dtype(weft_infer *it) {
  return weft_set_out_dtype(it, 0, WEFT_INT64);
}
static weft_status infer_range(weft_infer *it) {
  const weft_shape *max = it->in_max[0];
  int64_t bound = 1;
  int64_t rank = weft_unknown_rank(max) ? -1 : (int64_t)max->rank;
  for (size_t i = 0; rank >= 0 && i < max->rank; i++)
    bound = max->dim[i] < 0 || bound < 0 ? -1 : bound * max->dim[i];
  if (rank < 0)
    bound = -1;
  *it->out_min[0] = (weft_shape){.rank = 2, .dim = {0, rank < 0 ? 0 : rank}};
  *it->out_max[0] = (weft_shape){.rank = 2, .dim = {bound, rank}};
  return WEFT_OK;
}

static bool open_where(rows *r) {
  static const weft_dtype in[] = {WEFT_BOOL};
  static const weft_dtype out[] = {WEFT_INT64};
  static const weft_format nd[] = {WEFT_ND};
  lie = (plan){0};
  forget_sync = forget_alloc = bad_copy = false;
  if (!rows_open(r, ""))
    return false;
  weft_op_builder *b = weft_builder_create(r->env, "WhereLike");
  weft_builder_formats(weft_builder_dtypes(weft_builder_input(b, "x", WEFT_REQUIRED), 1, in), 1, nd);
  weft_builder_formats(weft_builder_dtypes(weft_builder_output(b, "y", WEFT_REQUIRED), 1, out), 1, nd);
  weft_builder_traits(weft_builder_infer_dtype(weft_builder_infer_shape(b, infer_shape), infer_dtype),
                      WEFT_DATA_DEPENDENT);
  weft_builder_kernel(weft_builder_execute(weft_builder_infer_range(b, infer_range), execute), "where_like");
  weft_status s = weft_builder_register(b, 0, &r->d);
  weft_builder_destroy(b);
  if (s)
    check_failed(__FILE__, __LINE__, "%s", r->d.text);
  return !s;
}

#define X8 "bool[8]{1,0,1,0,1,0,0,1}"

TEST(r140_r148_r149_r150_r151_r156_r160_r173_r352_the_sample) {
  rows r;
  if (!open_where(&r))
    return;
  CHECK_STR(rows_run(&r, "WhereLike", NULL, X8, 1), "i64[4,1]{0,2,4,7}");
  CHECK(read_back[0] == 2 && read_back[1] == 4 && read_back[2] == 1);
  CHECK_INT(bound_bytes, 64);  // R143
  rows_close(&r);
}

TEST(r153_valid_size_and_capacity) {
  rows r;
  rows_tensors t;
  weft_tensor out;
  if (!open_where(&r) || !rows_read(&r, X8, &t))
    return;
  CHECK_OK(weft_run_op(r.env, rows_find(&r, "WhereLike"), NULL, t.in, 1, &out, 1, NULL, &r.d), &r.d);
  CHECK(out.bytes == 32 && out.capacity >= 64);
  CHECK(out.layout.origin.rank == 2 && out.layout.origin.dim[0] == 4 && out.layout.origin.dim[1] == 1);
  CHECK(weft_shape_equal(&out.layout.origin, &out.layout.storage));
  weft_tensor_deinit(&out);
  rows_free(&t);
  rows_close(&r);
}

TEST(r142_types_of_the_ports) {
  rows r;
  if (!open_where(&r))
    return;
  CHECK_HAS(rows_infer(&r, "WhereLike", NULL, "f32[8]", 1), "E_DTYPE: input 'x': got DT_FLOAT");
  rows_tensors t;
  weft_tensor_desc out;
  if (!rows_read(&r, "bool[8]", &t))
    return;
  CHECK_OK(weft_infer_op(r.env, rows_find(&r, "WhereLike"), NULL, t.in, 1, &out, 1, &r.d), &r.d);
  CHECK(out.dtype == 9 && out.format == 2);
  rows_free(&t);
  rows_close(&r);
}

TEST(r10_r143_r146_known_before_the_run) {
  rows r;
  if (!open_where(&r))
    return;
  CHECK_STR(rows_infer(&r, "WhereLike", NULL, "bool[8]", 1), "DT_INT64 [-1,1] ND range [0,1]..[8,1]");
  CHECK_STR(rows_infer(&r, "WhereLike", NULL, "bool[2,3]", 1), "DT_INT64 [-1,2] ND range [0,2]..[6,2]");
  CHECK_STR(rows_infer(&r, "WhereLike", NULL, "bool[?]", 1), "DT_INT64 [-1,-1] ND");
  CHECK_STR(rows_infer(&r, "WhereLike", NULL, "bool[-1]", 1), "DT_INT64 [-1,1] ND");
  rows_close(&r);
}

TEST(r144_r145_edges_and_ranks) {
  rows r;
  if (!open_where(&r))
    return;
  CHECK_STR(rows_run(&r, "WhereLike", NULL, "bool[8]{*0}", 1), "i64[0,1]");
  CHECK_STR(rows_run(&r, "WhereLike", NULL, "bool[8]{*1}", 1), "i64[8,1]{0,1,2,3,4,5,6,7}");
  CHECK_STR(rows_run(&r, "WhereLike", NULL, "bool[0]{}", 1), "i64[0,1]");
  CHECK_STR(rows_run(&r, "WhereLike", NULL, "bool[1]{1}", 1), "i64[1,1]{0}");
  CHECK_STR(rows_run(&r, "WhereLike", NULL, "bool[2,3]{1,0,1,0,1,1}", 1), "i64[4,2]{0,0,0,2,1,1,1,2}");
  rows_close(&r);
}

TEST(r151_r154_r139_what_the_kernel_reports_is_checked) {
  rows r;
  if (!open_where(&r))
    return;
  lie.lie_dims = 3;
  CHECK_HAS(rows_run(&r, "WhereLike", NULL, X8, 1), "invalid output dim num: 3");
  lie = (plan){.lie_count = 9};
  CHECK_HAS(rows_run(&r, "WhereLike", NULL, X8, 1), "invalid actual output size: 72, max output size: 64");
  CHECK_HAS(r.d.text, "while running node 'WhereLike' (WhereLike)");
  lie = (plan){.lie_count = UINT64_C(1) << 63};
  CHECK_HAS(rows_run(&r, "WhereLike", NULL, X8, 1), "invalid actual output shape");
  lie = (plan){.lie_count = UINT64_C(1) << 62};
  CHECK_HAS(rows_run(&r, "WhereLike", NULL, X8, 1), "invalid actual output shape");
  rows_close(&r);
}

TEST(r152_r174_r177_a_kernel_failure_comes_out_at_sync) {
  rows r;
  if (!open_where(&r))
    return;
  lie = (plan){.lie_count = 77};  // the kernel fails
  CHECK_HAS(rows_run(&r, "WhereLike", NULL, X8, 1), "E_KERNEL: a kernel failed with 25 (E_KERNEL)");
  lie = (plan){0};
  CHECK_STR(rows_run(&r, "WhereLike", NULL, X8, 1), "i64[4,1]{0,2,4,7}");  // runs again
  rows_close(&r);
}

TEST(r152_reading_back_before_sync_is_caught) {
  rows r;
  if (!open_where(&r))
    return;
  forget_sync = true;
  CHECK_HAS(rows_run(&r, "WhereLike", NULL, X8, 1), "E_STATE: copy to host before sync");
  forget_sync = false;
  CHECK_STR(rows_run(&r, "WhereLike", NULL, X8, 1), "i64[4,1]{0,2,4,7}");
  rows_close(&r);
}

TEST(r179_copies_are_checked) {
  rows r;
  if (!open_where(&r))
    return;
  bad_copy = true;
  CHECK_HAS(rows_run(&r, "WhereLike", NULL, X8, 1),
            "copy to host of 4096 bytes is outside every input, output and workspace");
  rows_close(&r);
}

TEST(r155_outputs_must_be_allocated) {
  rows r;
  if (!open_where(&r))
    return;
  forget_alloc = true;
  CHECK_HAS(rows_run(&r, "WhereLike", NULL, X8, 1), "the execute function did not allocate output 0");
  rows_close(&r);
}

static weft_status two_ones(const weft_call *c) {
  weft_layout l = {.origin = {.rank = 1, .dim = {2}}, .storage = {.rank = 1, .dim = {2}}};
  WEFT_TRY(c->host->out_alloc(c, 0, WEFT_FLOAT, &l, WEFT_ND));
  ((float *)c->out[0]->data)[0] = ((float *)c->out[0]->data)[1] = 1;
  return WEFT_OK;
}

// R155: execute alone is enough when the description is given.
TEST(r155_r33_execute_without_inference) {
  rows r;
  char text[256];
  if (!rows_open(&r, ""))
    return;
  weft_op_builder *b = weft_builder_create(r.env, "OnlyExecute");
  weft_builder_output(weft_builder_input(b, "x", WEFT_REQUIRED), "y", WEFT_REQUIRED);
  CHECK_OK(weft_builder_register(weft_builder_execute(b, two_ones), 0, &r.d), &r.d);
  weft_builder_destroy(b);
  rows_tensors t;
  weft_tensor out;
  weft_tensor_desc desc;
  const weft_dim two[] = {2};
  if (!rows_read(&r, "f32[1]{5}", &t))
    return;
  weft_desc_init(&desc);
  CHECK_INT(weft_desc_set(&desc, WEFT_FLOAT, WEFT_ND, two, 1), WEFT_OK);
  CHECK_OK(weft_run_op(r.env, rows_find(&r, "OnlyExecute"), NULL, t.in, 1, &out, 1, &desc, &r.d), &r.d);
  CHECK(out.bytes == 8 && weft_tensor_f32(&out)[1] == 1);
  weft_tensor_deinit(&out);
  rows_free(&t);
  weft_graph *g = rows_graph(&r, "g");
  weft_value *x = rows_input(&r, g, "x", "f32[1]");
  weft_value *y = rows_node(&r, g, "OnlyExecute", "only", NULL, 0, x, NULL);
  CHECK_FAILS(rows_finish(&r, g, y), WEFT_E_INCOMPLETE);
  weft_diag_clear(&r.d);
  CHECK_OK(weft_value_declare(y, &desc, &r.d), &r.d);
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &r.d), &r.d);
  CHECK_STR(rows_value_text(y, text, sizeof text), "DT_FLOAT [?] ND");  // only the run tells
  weft_value_expected(y, &desc);
  CHECK_STR(rows_desc_text(&desc, text, sizeof text), "DT_FLOAT [2] ND");
  CHECK_STR(rows_run_graph(&r, g, "f32[1]{5}"), "f32[2]{1,1}");
  weft_graph_destroy(g);
  rows_close(&r);
}

TEST(r157_r161_r169_in_a_graph) {
  rows r;
  if (!open_where(&r))
    return;
  for (int open = 0; open < 2; open++) {
    weft_graph *g = rows_graph(&r, "g");
    weft_value *x = rows_input(&r, g, "x", open ? "bool[-1]" : "bool[8]");
    weft_value *y = rows_node(&r, g, "WhereLike", "where", NULL, 0, x, NULL);
    weft_named_attr to[] = {{"dst_type", weft_attr_int(WEFT_INT32)}};
    weft_value *z = rows_node(&r, g, "Cast", "cast", to, 1, y, NULL);
    weft_infer_summary sum;
    CHECK(z != NULL);
    CHECK_OK(weft_graph_output(g, z, &r.d), &r.d);
    CHECK_OK(weft_graph_infer(g, NULL, &sum, &r.d), &r.d);
    CHECK(sum.dynamic);  // R157: also with a known input, because of the output
    CHECK_STR(rows_run_graph(&r, g, X8), "i32[4,1]{0,2,4,7}");
    CHECK_STR(rows_run_graph(&r, g, "bool[8]{*0}"), "i32[0,1]");
    CHECK_HAS(rows_run_graph(&r, g, "f32[8]{*0}"),
              "E_DTYPE: graph input 'x': expected DT_BOOL, got DT_FLOAT");
    if (!open) {
      CHECK_HAS(rows_run_graph(&r, g, "bool[7]{*0}"),
                "E_SHAPE: graph input 'x': dim 0 is 7, the graph has 8");
    }
    CHECK_HAS(rows_run_graph(&r, g, ""), "graph 'g' has 1 inputs, got 0");
    CHECK_HAS(rows_run_graph(&r, g, "bool[8]"), "needs 8 bytes");
    weft_graph_destroy(g);
  }
  rows_close(&r);
}

// R162, R340: a thousand runs with other masks and lengths, each compared with a plain loop.
TEST(r162_r340_a_thousand_runs) {
  rows r;
  if (!open_where(&r))
    return;
  const weft_proto *p = rows_find(&r, "WhereLike");
  uint32_t seed = 1;
  runs = 0;
  for (int k = 0; k < 1000; k++) {
    uint8_t mask[64];
    weft_dim n = k % 64;
    weft_tensor x;
    weft_tensor y;
    const weft_tensor *in = &x;
    for (int i = 0; i < 64; i++)
      mask[i] = (seed = seed * 1664525 + 1013904223) >> 31;
    weft_tensor_init(&x, NULL);
    CHECK_OK(weft_tensor_borrow(&x, WEFT_BOOL, &n, 1, mask, (size_t)n, &r.d), &r.d);
    CHECK_OK(weft_run_op(r.env, p, NULL, &in, 1, &y, 1, NULL, &r.d), &r.d);
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
      if (mask[i])
        CHECK_INT(weft_tensor_i64(&y)[count++], i);
    }
    CHECK_INT(y.layout.origin.dim[0], count);
    weft_tensor_deinit(&y);
  }
  CHECK_INT(runs, 1000);
  rows_close(&r);
}

TEST(r165_the_kernel_has_its_name) {
  rows r;
  if (!open_where(&r))
    return;
  CHECK_STR(weft_proto_op(rows_find(&r, "WhereLike"))->kernel, "where_like");
  rows_close(&r);
}
// SPDX-License-Identifier: Apache-2.0
