// bench_program.h - what the benchmarks of programs share: an environment that counts allocations, a program
// with its tensors, times of runs.
#pragma once
#include "base/base.h"
#include "bench.h"

static weft_allocator system_allocator;
static uint64_t n_allocs;  // of the environment

static void *counted(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes, size_t align) {
  (void)ctx;
  n_allocs += new_bytes != 0;
  return system_allocator.fn(system_allocator.ctx, ptr, old_bytes, new_bytes, align);
}

static weft_env *env;
static weft_diag d;
#define MUST(e)      \
  do {               \
    if (e)           \
      bench_die(&d); \
  } while (0)

static inline weft_program *compile_with(weft_graph *g, const char *const *options, size_t n) {
  weft_program *p = NULL;
  weft_compile_options o = {.size = sizeof o, .options = options, .n_options = n};
  MUST(weft_compile(g, &o, &p, &d));
  return p;
}
static inline weft_program *compile(weft_graph *g, const char *option) {
  return compile_with(g, &option, option ? 1 : 0);
}

// ---- a program and its tensors ----
enum { MOST = 64 };
typedef struct bed {
  weft_program *p;
  weft_exec *x;
  weft_tensor in[MOST], out[MOST], *outs[MOST];
  const weft_tensor *ins[MOST];
  size_t n_in, n_out;
} bed;

static inline void fill(weft_tensor *t) {
  uint64_t state = 7;
  for (int64_t i = 0, n = weft_tensor_elems(t); i < n; i++) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    if (t->dtype == WEFT_FLOAT)
      ((float *)t->data)[i] = (float)(state >> 40) / (1 << 23) - 1;
    if (t->dtype == WEFT_INT64)
      ((int64_t *)t->data)[i] = (int64_t)(state >> 33) % 1000;
    if (t->dtype == WEFT_BOOL)
      ((uint8_t *)t->data)[i] = state >> 63;
  }
}

static inline bed *open_bed(weft_program *p, uint32_t threads, bool profile) {
  bed *b = calloc(1, sizeof *b);
  weft_exec_options o = {.size = sizeof o, .threads = threads, .profile = profile};
  b->p = p;
  b->n_in = weft_program_n_inputs(p);
  b->n_out = weft_program_n_outputs(p);
  if (b->n_in > MOST || b->n_out > MOST)
    exit(1);
  MUST(weft_exec_create(p, &o, &b->x, &d));
  for (size_t i = 0; i < MOST; i++) {
    weft_tensor_init(&b->in[i], NULL);
    weft_tensor_init(&b->out[i], NULL);
    b->ins[i] = &b->in[i];
    b->outs[i] = &b->out[i];
  }
  return b;
}

// Dims that are not known become `dim`.
static inline void shape_bed(bed *b, int64_t dim) {
  for (size_t i = 0; i < b->n_in; i++) {
    weft_tensor_desc desc;
    weft_dim dims[WEFT_MAX_RANK];
    weft_program_input(b->p, i, &desc);
    for (size_t k = 0; k < desc.layout.origin.rank; k++)
      dims[k] = desc.layout.origin.dim[k] < 0 ? dim : desc.layout.origin.dim[k];
    MUST(weft_tensor_alloc(&b->in[i], desc.dtype, dims, desc.layout.origin.rank, &d));
    fill(&b->in[i]);
  }
}

static inline void run(bed *b) {
  MUST(weft_exec_run(b->x, b->ins, b->n_in, b->outs, b->n_out, &d));
}

static inline void close_bed(bed *b) {
  weft_exec_destroy(b->x);
  weft_program_release(b->p);
  for (size_t i = 0; i < MOST; i++) {
    weft_tensor_deinit(&b->in[i]);
    weft_tensor_deinit(&b->out[i]);
  }
  free(b);
}

// Times of single runs, for at least `ns` and 5 runs.
static double times[20000];
static inline bench_result time_runs(bed *b, double ns, size_t *out_n) {
  size_t n = 0;
  double begun = bench_now_ns();
  while (n < sizeof times / sizeof *times && (n < 5 || bench_now_ns() - begun < ns)) {
    double t = bench_now_ns();
    run(b);
    times[n++] = bench_now_ns() - t;
  }
  if (out_n)
    *out_n = n;
  return bench_summary(times, n);
}

static inline weft_exec_stats stats(const bed *b) {
  weft_exec_stats s = {.size = sizeof s};
  weft_exec_get_stats(b->x, &s);
  return s;
}
static inline void open_env(void) {
  system_allocator = weft_allocator_default();
  weft_env_options o = {.package_path = "", .allocator = {counted, NULL}};
  MUST(weft_env_create(&o, &env, &d));
}
// SPDX-License-Identifier: Apache-2.0
