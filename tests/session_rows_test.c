// session_rows_test.c - groups K and L end to end: the sample operator's package in a session, many sizes and
// masks, outputs that outlive everything, state that goes from run to run without a copy.
#include "check.h"
#include "rows.h"
#include "run/guard.h"
#include "run_util.h"

typedef struct fixture {
  rows r;
  weft_session *s;
} fixture;

static bool open_where(fixture *f) {
  memset(f, 0, sizeof *f);
  if (!rows_open(&f->r, ROWS_PACKAGES "/where_like_custom"))
    return false;
  if (!weft_session_create(f->r.env, NULL, &f->s, &f->r.d))
    return true;
  check_failed(__FILE__, __LINE__, "%s", f->r.d.text);
  return false;
}
static void close_where(fixture *f) {
  weft_session_destroy(f->s);
  rows_close(&f->r);
}
static weft_status add(fixture *f, uint32_t id, const char *text) {
  weft_graph *g;
  WEFT_TRY(weft_graph_parse(f->r.env, text, strlen(text), "test", &g, &f->r.d));
  return weft_session_add_graph(f->s, id, g, NULL, &f->r.d);
}

// Runs a mask; `out` must have been initialised.
static weft_status run_mask(fixture *f, uint32_t id, const bool *mask, int64_t n, weft_tensor *out) {
  weft_tensor in;
  weft_tensor_init(&in, NULL);
  weft_diag_clear(&f->r.d);
  WEFT_TRY(weft_tensor_borrow(&in, WEFT_BOOL, &n, 1, (void *)(uintptr_t)mask, (size_t)n, &f->r.d));
  return weft_session_run(f->s, id, (const weft_tensor *[]){&in}, 1, (weft_tensor *[]){out}, 1, &f->r.d);
}

static const char fixed[] = "graph \"where\" { input x: bool[8] node w: WhereLikeCustom(x) -> y output y }";
static const char open_shape[] =
    "graph \"where\" { input x: bool[N] node w: WhereLikeCustom(x) -> y output y }";
static const bool sample[8] = {1, 0, 1, 0, 1, 0, 0, 1};

TEST(r140_r141_r153_r158_r160_r170_the_sample) {
  static const char *const graphs[] = {fixed, open_shape};
  for (int i = 0; i < 2; i++) {
    fixture f;
    weft_tensor y;
    char text[256];
    size_t at = 0;
    if (!open_where(&f))
      return;
    weft_tensor_init(&y, NULL);
    CHECK_OK(add(&f, 0, graphs[i]), &f.r.d);
    CHECK_OK(run_mask(&f, 0, sample, 8, &y), &f.r.d);
    at += (size_t)snprintf(text, sizeof text,
                           "output shape: [%lld, %lld]\noutput values:", (long long)y.layout.origin.dim[0],
                           (long long)y.layout.origin.dim[1]);
    for (int64_t k = 0; k < weft_tensor_elems(&y); k++)
      at += (size_t)snprintf(text + at, sizeof text - at, " %lld", (long long)weft_tensor_i64(&y)[k]);
    CHECK_STR(text, "output shape: [4, 1]\noutput values: 0 2 4 7");
    CHECK(y.layout.origin.rank == 2 && weft_shape_equal(&y.layout.origin, &y.layout.storage));
    CHECK_INT(y.bytes, 32);   // the valid size
    CHECK(y.capacity >= 64);  // the allocation stays maximal
    CHECK_INT(y.dtype, WEFT_INT64);
    close_where(&f);
    CHECK_INT(weft_tensor_i64(&y)[3], 7);  // R170: under ASan, session and program are gone
    weft_tensor_deinit(&y);
  }
}

TEST(r144_r145_r157_edges_and_ranks) {
  fixture f;
  if (!open_where(&f))
    return;
  CHECK_OK(add(&f, 1, open_shape), &f.r.d);
  weft_program *p = weft_session_program(f.s, 1);
  weft_tensor_desc desc;
  CHECK(weft_program_output(p, 0, &desc));
  CHECK(desc.layout.origin.dim[0] < 0 && desc.layout.origin.dim[1] == 1);
  weft_program_release(p);
  static const bool all[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  static const bool none[8] = {0};
  static const struct {
    const bool *mask;
    int64_t n;
    int64_t count;
  } cases[] = {{none, 8, 0}, {all, 8, 8}, {all, 0, 0}, {all, 1, 1}, {none, 1, 0}, {sample, 8, 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    weft_tensor y;
    weft_tensor_init(&y, NULL);
    CHECK_OK(run_mask(&f, 1, cases[i].mask, cases[i].n, &y), &f.r.d);
    CHECK_INT(y.layout.origin.dim[0], cases[i].count);
    CHECK_INT(y.layout.origin.dim[1], 1);
    CHECK_INT(y.bytes, 8 * cases[i].count);
    if (cases[i].mask == all) {
      for (int64_t k = 0; k < cases[i].count; k++)
        CHECK_INT(weft_tensor_i64(&y)[k], k);
    }
    weft_tensor_deinit(&y);
  }
  close_where(&f);
}

TEST(r162_a_thousand_runs_in_one_session) {
  fixture f;
  if (!open_where(&f))
    return;
  CHECK_OK(add(&f, 0,
               "graph \"w\" { input x: bool[N] node w: WhereLikeCustom(x) -> y node c: Cast(y) {dst_type=3} "
               "-> z output z }"),
           &f.r.d);
  uint64_t state = 5;
  for (int run = 0; run < 1000; run++) {
    bool mask[64];
    int64_t n = (int64_t)((state = state * 6364136223846793005u + 1442695040888963407u) >> 58);
    int64_t count = 0;
    int32_t want[64];
    for (int64_t i = 0; i < n; i++) {
      mask[i] = (state = state * 6364136223846793005u + 1442695040888963407u) >> 63;
      if (mask[i])
        want[count++] = (int32_t)i;
    }
    weft_tensor y;
    weft_tensor_init(&y, NULL);
    CHECK_OK(run_mask(&f, 0, mask, n, &y), &f.r.d);
    CHECK_INT(y.layout.origin.dim[0], count);  // R161: Cast saw the actual shape
    CHECK(!count || !memcmp(y.data, want, (size_t)count * 4));
    weft_tensor_deinit(&y);
  }
  close_where(&f);
}

TEST(r169_r138_refused_before_anything_runs) {
  fixture f;
  weft_tensor y;
  weft_tensor in;
  bool mask[8] = {1};
  if (!open_where(&f))
    return;
  weft_tensor_init(&y, NULL);
  weft_tensor_init(&in, NULL);
  CHECK_OK(add(&f, 0, fixed), &f.r.d);
  CHECK_FAILS(weft_session_run(f.s, 0, NULL, 0, (weft_tensor *[]){&y}, 1, &f.r.d), WEFT_E_INVALID);
  CHECK_FAILS(run_mask(&f, 0, sample, 7, &y), WEFT_E_SHAPE);  // bool[7] on Data[8]
  CHECK_HAS(f.r.d.text, "graph input 'x': dim 0 is 7, the graph has 8");
  weft_diag_clear(&f.r.d);
  CHECK_OK(weft_tensor_borrow(&in, WEFT_BOOL, (weft_dim[]){8}, 1, mask, 8, &f.r.d), &f.r.d);
  in.bytes = 4;  // data size 4 for [8] bool
  CHECK_FAILS(weft_session_run(f.s, 0, (const weft_tensor *[]){&in}, 1, (weft_tensor *[]){&y}, 1, &f.r.d),
              WEFT_E_SHAPE);
  CHECK_HAS(f.r.d.text, "needs 8 bytes, the tensor has 4");
  in.bytes = 8;
  in.dtype = WEFT_INT8;
  CHECK_FAILS(weft_session_run(f.s, 0, (const weft_tensor *[]){&in}, 1, (weft_tensor *[]){&y}, 1, NULL),
              WEFT_E_DTYPE);
  CHECK_OK(run_mask(&f, 0, sample, 8, &y), &f.r.d);
  weft_tensor_deinit(&y);
  close_where(&f);
}

TEST(r142_r155_what_does_not_compile_is_not_added) {
  fixture f;
  if (!open_where(&f))
    return;
  CHECK_FAILS(add(&f, 0, "graph \"g\" { input x: f32[8] node w: WhereLikeCustom(x) -> y output y }"),
              WEFT_E_DTYPE);
  CHECK_HAS(f.r.d.text, "WhereLikeCustom");
  CHECK_INT(weft_session_count(f.s), 0);
  close_where(&f);
}

TEST(r167_a_hundred_lives) {
  for (int i = 0; i < 100; i++) {
    check_alloc c = {0};
    weft_env_options o = {.package_path = ROWS_PACKAGES "/where_like_custom",
                          .allocator = check_allocator(&c),
                          .no_catalogue = true,
                          .no_builtin = i % 10 != 0};
    fixture f;
    weft_tensor y;
    memset(&f, 0, sizeof f);
    CHECK_OK(weft_env_create(&o, &f.r.env, &f.r.d), &f.r.d);
    CHECK_OK(weft_session_create(f.r.env, NULL, &f.s, &f.r.d), &f.r.d);
    weft_tensor_init(&y, weft_env_allocator(f.r.env));
    CHECK_OK(add(&f, 0, fixed), &f.r.d);
    CHECK_OK(run_mask(&f, 0, sample, 8, &y), &f.r.d);
    if (i % 2)
      CHECK_OK(weft_session_remove(f.s, 0, &f.r.d), &f.r.d);
    weft_session_destroy(f.s);
    CHECK_INT(weft_tensor_i64(&y)[2], 4);
    weft_tensor_deinit(&y);
    weft_env_destroy(f.r.env);
    CHECK_INT(c.live_blocks, 0);
  }
}

// ---- a state that goes round ----
static const void *read_at, *wrote_at;
static const weft_column f32[] = {{WEFT_FLOAT, WEFT_ND}};
static weft_status probe_infer(weft_infer *it) {
  WEFT_TRY(weft_set_out_dtype(it, 0, it->in_dtype[0]));
  return weft_set_out_shape(it, 0, it->in[0]->dim, it->in[0]->rank);
}
static weft_status probe_ref(const weft_call *c) {  // y = x + 1
  read_at = c->in[0]->data;
  wrote_at = c->out[0]->data;
  for (int64_t i = 0; i < weft_tensor_elems(c->in[0]); i++)
    ((float *)c->out[0]->data)[i] = ((const float *)c->in[0]->data)[i] + 1;
  return WEFT_OK;
}
static const weft_op probe = {WEFT_OP_HEAD,
                              .name = "TestProbe",
                              .in = WEFT_PORTS({"x", .columns = f32}),
                              .n_columns = 1,
                              .out = WEFT_PORTS({"y", .columns = f32}),
                              .infer = probe_infer,
                              .ref = probe_ref,
                              .traits = WEFT_SIDE_EFFECT};

// What a launch writes lies elsewhere while it runs (run/guard.h).
#if defined(WEFT_CHECKED) && !defined(WEFT__BY_ASAN)
#define SET_APART true
#else
#define SET_APART false
#endif
TEST(an_output_is_the_next_runs_input_without_a_copy) {
  fixture f;
  float a[4] = {0};
  float b[4] = {0};
  weft_tensor state[2];
  if (!open_where(&f))
    return;
  CHECK_OK(weft_register(f.r.env, &probe, 0, &f.r.d), &f.r.d);
  CHECK_OK(
      add(&f, 0, "graph \"cache\" { input past: f32[N] node p: TestProbe(past) -> present output present }"),
      &f.r.d);
  for (int i = 0; i < 2; i++) {
    weft_tensor_init(&state[i], NULL);
    CHECK_OK(weft_tensor_borrow(&state[i], WEFT_FLOAT, (weft_dim[]){4}, 1, i ? b : a, sizeof a, &f.r.d),
             &f.r.d);
  }
  for (int step = 0; step < 10; step++) {
    const weft_tensor *past = &state[step % 2];
    weft_tensor *present = &state[1 - step % 2];
    CHECK_OK(weft_session_run(f.s, 0, &past, 1, &present, 1, &f.r.d), &f.r.d);
    CHECK(read_at == past->data && (SET_APART || wrote_at == present->data));
    CHECK(present->data == (step % 2 ? a : b));
  }
  CHECK_F64(a[3], 10, 0);
  // An output that the session allocated is read where it lies, too.
  weft_tensor made;
  weft_tensor_init(&made, NULL);
  CHECK_OK(
      weft_session_run(f.s, 0, (const weft_tensor *[]){&state[0]}, 1, (weft_tensor *[]){&made}, 1, &f.r.d),
      &f.r.d);
  const void *where = made.data;
  CHECK(SET_APART || wrote_at == where);
  CHECK_OK(
      weft_session_run(f.s, 0, (const weft_tensor *[]){&made}, 1, (weft_tensor *[]){&state[1]}, 1, &f.r.d),
      &f.r.d);
  CHECK(read_at == where && made.data == where && b[0] == 12);
  weft_tensor_deinit(&made);
  close_where(&f);
}
// SPDX-License-Identifier: Apache-2.0
