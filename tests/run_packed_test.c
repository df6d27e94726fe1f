// run_packed_test.c - constants that kernels have packed: which belong to whom when tensors share memory,
// when values are known only to a plan, and when plans for other shapes take other kernels.
#include "base/base.h"
#include "run_util.h"

typedef struct text {
  char v[1 << 16];
  size_t n;
} text;

static void put_numbers(text *t, int n, int seed) {
  for (int i = 0; i < n; i++) {
    t->n += (size_t)snprintf(t->v + t->n, sizeof t->v - t->n, "%s%g", i ? "," : "",
                             (double)((i * 37 + seed) % 65 - 32) / 32);
  }
}

static void ones(run_fixture *f, weft_dim height, weft_dim width, float *out, size_t n_out) {
  weft_tensor x;
  weft_tensor y;
  weft_tensor *got[1] = {&y};
  const weft_tensor *in[1] = {&x};
  weft_tensor_init(&x, NULL);
  weft_tensor_init(&y, NULL);
  CHECK_OK(weft_tensor_alloc(&x, WEFT_FLOAT, (weft_dim[]){height, width}, 2, &f->r.d), &f->r.d);
  for (size_t i = 0; i < x.bytes / sizeof(float); i++)
    ((float *)x.data)[i] = 1;
  CHECK_OK(weft_exec_run(f->x, in, 1, got, 1, &f->r.d), &f->r.d);
  CHECK_INT(y.bytes, n_out * sizeof *out);
  memcpy(out, y.data, n_out * sizeof *out);
  weft_tensor_deinit(&x);
  weft_tensor_deinit(&y);
}

// w and its Reshape are the same bytes, and packed they take the same room.
TEST(a_view_of_weights_is_packed_for_itself) {
  static run_fixture f;
  static text t;
  for (int passes = 0; passes < 2; passes++) {
    memset(&f, 0, sizeof f);
    f.passes = passes;
    t.n = (size_t)snprintf(t.v, sizeof t.v,
                           "graph \"g\" {\ninput x: f32[1,64] input z: f32[1,32] const w: f32[64,32]{");
    put_numbers(&t, 2048, 5);
    snprintf(t.v + t.n, sizeof t.v - t.n,
             "} const s: i64[2]{32,64}\nnode r: Reshape(w, s) -> r node a: MatMulV2(x, w) -> a node b: "
             "MatMulV2(z, r) -> b output a output b\n}\n");
    if (!rows_open(&f.r, ""))
      return;
    if (run_load(&f, t.v, NULL)) {
      RUN_SAME(&f, "f32[1,64]{1..}; f32[1,32]{1..}");  // whole numbers times quarters: exact
      run_drop(&f);
    }
    rows_close(&f.r);
  }
}

// Memory that was freed is what is given next.
typedef struct last_freed {
  void *v;
  size_t bytes, align;
} last_freed;
static void *reusing(void *ctx, void *p, size_t old_bytes, size_t new_bytes, size_t align) {
  last_freed *list = ctx;
  void *q = NULL;
  for (int i = 0; new_bytes && !q && i < 64; i++) {
    if (list[i].v && list[i].bytes == new_bytes && list[i].align == align) {
      q = list[i].v;
      list[i].v = NULL;
    }
  }
  if (new_bytes && !q && posix_memalign(&q, WEFT_MAX(align, sizeof(void *)), new_bytes))
    return NULL;
  if (p && new_bytes)
    memcpy(q, p, WEFT_MIN(old_bytes, new_bytes));
  int at = 0;
  while (p && at < 63 && list[at].v)
    at++;
  if (p && list[at].v)
    free(list[at].v);
  if (p)
    list[at] = (last_freed){p, old_bytes, align};
  return q;
}

// The weights of each plan are its own: they are as many numbers as the input has rows.
TEST(weights_that_a_plan_finds_out_stay_its_own) {
  static run_fixture f;
  static last_freed list[64];
  float y[16 * 9];
  memset(&f, 0, sizeof f);
  weft_env_options e = {.package_path = "", .allocator = {reusing, list}};
  CHECK_OK(weft_env_create(&e, &f.r.env, &f.r.d), &f.r.d);
  if (!run_load(&f,
                "graph \"g\" {\ninput x: f32[N,16] const at: i64[1]{0} const one: i64[1]{1} const z: "
                "i64[2]{16,16}\nnode s: Shape(x) -> s node n: Slice(s, at, one) -> n node c: Cast(n) "
                "{dst_type=0} -> c node w: BroadcastTo(c, z) -> w node y: MatMulV2(x, w) -> y output y\n}\n",
                NULL))
    return;
  for (int turn = 0; turn < 3; turn++) {
    for (weft_dim n = 1; n < 9; n++) {
      ones(&f, n, 16, y, (size_t)n * 16);
      CHECK_F64(y[0], 16.0 * (double)n, 0);
      if (turn == 0)
        continue;
      weft_exec_destroy(f.x);
      CHECK_OK(weft_exec_create(f.p, NULL, &f.x, &f.r.d), &f.r.d);
    }
  }
  run_drop(&f);
  weft_env_destroy(f.r.env);
  for (int i = 0; i < 64; i++)
    free(list[i].v);
}

// Filters with a normalisation folded into them: one kernel reads them in place, the one for long rows packs
// them. What the first plan reads must stay.
TEST(what_one_plan_reads_in_place_another_may_pack) {
  static run_fixture f;
  static float narrow[2][40];
  static float wide[5000 * 2];
  memset(&f, 0, sizeof f);
  f.passes = true;
  if (!rows_open(&f.r, ""))
    return;
  if (run_load(
          &f,
          "graph \"g\" {\ninput v: f32[2,N] const z: i64[4]{1,2,1,-1} const w: "
          "f32[2,1,1,3]{1,2,3,4,5,6} const b: f32[2]{0.5,1} const m: f32[2]{0.25,2} const s: f32[2]{1,4}\n"
          "node x: Reshape(v, z) -> x node c: Conv(x, w) {pads=[0,1,0,1], group=2} -> c node n: "
          "BatchNorm(c, b, b, m, s) {is_training=false, data_format=\"NCHW\"} -> y, p, q, r, o, u "
          "output y\n}\n",
          NULL)) {
    ones(&f, 2, 20, narrow[0], 40);
    ones(&f, 2, 5000, wide, 10000);
    ones(&f, 2, 20, narrow[1], 40);
    CHECK(!memcmp(narrow[0], narrow[1], sizeof narrow[0]));
    CHECK_F64(wide[1], narrow[0][1], 1e-5);
    run_drop(&f);
  }
  rows_close(&f.r);
}
// SPDX-License-Identifier: Apache-2.0
