// warm_test.c - what weft_exec_warm_up leaves for the first run: memory of outputs, plans of what follows a
// shape that only a run tells.
#include "check.h"
#include "run/run.h"
#include "run_util.h"

static const char twice[] =
    "graph \"g\" { input x: f32[N,1000] node a: Neg(x) -> y node b: Abs(x) -> z output y output z }";

typedef struct warmed {
  run_fixture f;
  weft_tensor in, y, z;
  bool open;
} warmed;

// Inputs of 30 rows, planned and warmed up; both outputs without memory.
static void open_warmed(warmed *w) {
  weft_tensor_desc desc;
  w->open = false;
  if (!run_open(&w->f, twice, NULL, NULL))
    return;
  weft_tensor_init(&w->in, NULL);
  weft_tensor_init(&w->y, NULL);
  weft_tensor_init(&w->z, NULL);
  CHECK_OK(weft_tensor_alloc(&w->in, WEFT_FLOAT, (weft_dim[]){30, 1000}, 2, &w->f.r.d), &w->f.r.d);
  for (int i = 0; i < 30000; i++)
    ((float *)w->in.data)[i] = (float)i;
  weft_desc_init(&desc);
  desc.dtype = w->in.dtype;
  desc.layout = w->in.layout;
  CHECK_OK(weft_exec_prepare(w->f.x, &desc, 1, NULL, &w->f.r.d), &w->f.r.d);
  CHECK_OK(weft_exec_warm_up(w->f.x, &w->f.r.d), &w->f.r.d);
  w->open = true;
}

static void run_warmed(warmed *w, int n_rows) {
  w->in.layout.origin.dim[0] = w->in.layout.storage.dim[0] = n_rows;
  w->in.bytes = (size_t)n_rows * 4000;
  CHECK_OK(weft_exec_run(w->f.x, (const weft_tensor *[]){&w->in}, 1, (weft_tensor *[]){&w->y, &w->z}, 2,
                         &w->f.r.d),
           &w->f.r.d);
  size_t last = (size_t)n_rows * 1000 - 1;
  CHECK(weft_tensor_f32(&w->y)[last] == -(float)last && weft_tensor_f32(&w->z)[last] == (float)last);
  CHECK(w->y.bytes == (size_t)n_rows * 4000 && w->y.layout.origin.dim[0] == n_rows);
}

static void close_warmed(warmed *w) {
  weft_tensor_deinit(&w->in);
  weft_tensor_deinit(&w->y);
  weft_tensor_deinit(&w->z);
  run_close(&w->f);
}

TEST(outputs_without_memory_get_what_was_warmed_up) {
  warmed w;
  open_warmed(&w);
  if (!w.open)
    return;
  CHECK_OK(weft_exec_warm_up(w.f.x, &w.f.r.d), &w.f.r.d);  // again: the memory before it goes
  const void *y = w.f.x->spare[0].data;
  const void *z = w.f.x->spare[1].data;
  run_warmed(&w, 30);
  CHECK(y && z && w.y.data == y && w.z.data == z && w.y.owned && w.z.owned);
  CHECK(!w.f.x->spare);
  run_warmed(&w, 30);  // into the same
  CHECK(w.y.data == y && w.z.data == z);
  close_warmed(&w);
}

TEST(other_outputs_have_their_own_memory) {
  enum { OF_THE_CALLER, OTHER_ALLOCATOR, OTHER_SHAPE, CASES };
  for (int i = 0; i < CASES; i++) {
    warmed w;
    check_alloc counter = {0};
    weft_allocator own = check_allocator(&counter);
    open_warmed(&w);
    if (!w.open)
      return;
    if (i == OTHER_ALLOCATOR)
      weft_tensor_init(&w.y, &own);
    if (i == OF_THE_CALLER)
      CHECK_OK(weft_tensor_alloc(&w.y, WEFT_FLOAT, (weft_dim[]){30, 1000}, 2, &w.f.r.d), &w.f.r.d);
    const void *spare = w.f.x->spare[0].data;
    const void *given = w.y.data;
    run_warmed(&w, i == OTHER_SHAPE ? 29 : 30);
    CHECK(!w.f.x->spare && (i == OTHER_SHAPE || w.y.data != spare) && (!given || w.y.data == given));
    CHECK_INT(counter.live_blocks, i == OTHER_ALLOCATOR);
    close_warmed(&w);
    CHECK_INT(counter.live_blocks, 0);
  }
}

// Six rows are the most; a run that finds as many has its plan.
TEST(what_follows_a_found_shape_is_planned_for_the_largest) {
  run_fixture f;
  if (!run_open(&f,
                "graph \"g\" { input x: f32[6] node z: NonZero(x) {transpose=true} -> i node c: Cast(i) "
                "{dst_type=0} -> "
                "y output y }",
                NULL, NULL))
    return;
  CHECK_OK(weft_exec_prepare(f.x, NULL, 0, NULL, &f.r.d), &f.r.d);
  CHECK_INT(run_stats(&f).plans, 1);
  CHECK_OK(weft_exec_warm_up(f.x, &f.r.d), &f.r.d);
  CHECK_INT(run_stats(&f).plans, 2);
  RUN_SAME(&f, "f32[6]{1,2,3,4,5,6}");
  CHECK_INT(run_stats(&f).plans, 2);
  RUN_SAME(&f, "f32[6]{1,0,0,2,0,0}");
  RUN_SAME(&f, "f32[6]{0,0,0,0,0,0}");
  CHECK_INT(run_stats(&f).plans, 4);
  run_close(&f);
}

// Kernels are tried with zeros in place of the caller's tensors; what a run before left of those is not read.
TEST(a_warm_up_reads_no_tensor_of_the_caller) {
  run_fixture f;
  if (!run_open(
          &f,
          "graph \"g\" { input x: f32[4,6] input i: i32[2] const to: i64[2]{6,4} const axis: i64[1]{0}\n"
          "node v: Reshape(x, to) -> a node g: GatherV2(a, i, axis) -> b node r: Relu(b) -> y output y }",
          NULL, NULL))
    return;
  CHECK_OK(weft_exec_prepare(f.x, NULL, 0, NULL, &f.r.d), &f.r.d);
  for (int k = 0; k < 3; k++) {
    CHECK_OK(weft_exec_warm_up(f.x, &f.r.d), &f.r.d);
    CHECK_INT(run_stats(&f).launches, (int64_t)k * 2 * 3);
    RUN_SAME(&f, "f32[4,6]{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24}; i32[2]{5,1}");
  }
  run_close(&f);
}

TEST(what_kernels_say_of_zeros_is_no_error) {
  run_fixture f;
  if (!run_open(&f, "graph \"g\" { input x: i32[3] input z: i32[3] node d: Div(x, z) -> y output y }", NULL,
                NULL))
    return;
  CHECK_OK(weft_exec_prepare(f.x, NULL, 0, NULL, &f.r.d), &f.r.d);
  CHECK_OK(weft_exec_warm_up(f.x, &f.r.d), &f.r.d);
  RUN_SAME(&f, "i32[3]{6,7,8}; i32[3]{1,2,3}");
  CHECK_OK(weft_exec_warm_up(f.x, &f.r.d), &f.r.d);
  RUN_SAME(&f, "i32[3]{6,7,8}; i32[3]{1,2,3}");
  run_close(&f);
}
// SPDX-License-Identifier: Apache-2.0
