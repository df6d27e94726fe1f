// bench_registry.c - registry look-up, context accessors, Follow against a callback, start of an environment
// (P4, P7, P13, P16, P18).
#include "bench.h"
#include "op/proto.h"

enum { ROUNDS = 15, CALLS = 100000 };

typedef struct fixture {
  weft_env *env;
  const weft_proto *proto;
  weft_desc_full desc;
  weft_frame frame;
  weft_fact fact;
  const weft_fact *in[1];
  weft_arena arena;
} fixture;

static weft_status same_shape(weft_infer *it) {
  const weft_shape *x = weft_in_shape(it, 0);
  return weft_set_out_shape(it, 0, x->dim, x->rank);
}

static void row(const char *what, double *ns, size_t n, double calls) {
  bench_result r = bench_summary(ns, n);
  printf("%-52s %9.1f %9.1f\n", what, r.min / calls, r.median / calls);
}

static void fixture_init(fixture *f, weft_env *e, const char *name) {
  static const weft_dim dims[] = {8, 64, 32, 32};
  weft_diag d = {0};
  memset(f, 0, sizeof *f);
  f->env = e;
  f->proto = weft_find(e, name);
  weft__arena_init(&f->arena, weft_env_allocator(e));
  if (!f->proto || weft__desc_make(&f->arena, f->proto, NULL, f->proto->n_in, &f->desc, &d))
    bench_die(&d);
  weft__frame_init(&f->frame, e, NULL);
  f->fact = (weft_fact){
      .dtype = WEFT_FLOAT, .set = true, .rank = 4, .dims = dims, .format = WEFT_ND, .origin_format = WEFT_ND};
  f->in[0] = &f->fact;
}

static void fixture_deinit(fixture *f) {
  weft__frame_deinit(&f->frame);
  weft__arena_deinit(&f->arena);
}

static void bench_node(weft_env *e, const char *name, const char *what) {
  fixture f;
  double ns[ROUNDS];
  weft_diag d = {0};
  fixture_init(&f, e, name);
  for (int r = 0; r < ROUNDS; r++) {
    double t = bench_now_ns();
    for (int i = 0; i < CALLS; i++) {
      if (weft__infer_node(&f.frame, f.proto, &f.desc.pub, f.in, WEFT_STAGE_BUILD, &d))
        bench_die(&d);
    }
    ns[r] = bench_now_ns() - t;
  }
  row(what, ns, ROUNDS, CALLS);
  fixture_deinit(&f);
}

static void bench_find(weft_env *e) {
  static const char *const names[] = {"Relu",     "Conv2D",         "SoftmaxV2", "AGLU",
                                      "ConcatV2", "NoSuchOperator", "Add",       "Reshape"};
  double built_in[ROUNDS], catalogue[ROUNDS], absent[ROUNDS];
  for (int r = 0; r < ROUNDS; r++) {
    double t = bench_now_ns();
    for (int i = 0; i < CALLS; i++)
      BENCH_KEEP(weft_find(e, names[i & 1 ? 0 : 6]));
    built_in[r] = bench_now_ns() - t;
    t = bench_now_ns();
    for (int i = 0; i < CALLS; i++)
      BENCH_KEEP(weft_find(e, names[3]));
    catalogue[r] = bench_now_ns() - t;
    t = bench_now_ns();
    for (int i = 0; i < CALLS; i++)
      BENCH_KEEP(weft_find(e, names[5]));
    absent[r] = bench_now_ns() - t;
  }
  row("find a built-in operator", built_in, ROUNDS, CALLS);
  row("find a catalogue operator (made before)", catalogue, ROUNDS, CALLS);
  row("find nothing", absent, ROUNDS, CALLS);
}

static void bench_accessors(weft_env *e) {
  const weft_proto *p = weft_find(e, "DynamicRNNV3");
  weft_desc_full desc;
  weft_arena arena;
  weft_diag d = {0};
  uint32_t counts[12] = {1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  weft__arena_init(&arena, weft_env_allocator(e));
  if (!p || weft__desc_make(&arena, p, &(weft_use){.in_counts = counts}, 4, &desc, &d))
    bench_die(&d);
  double by_index[ROUNDS], by_name[ROUNDS];
  for (int r = 0; r < ROUNDS; r++) {
    double t = bench_now_ns();
    for (int i = 0; i < CALLS; i++)
      BENCH_KEEP(weft_port_in(&desc.pub, 11, 0));
    by_index[r] = bench_now_ns() - t;
    t = bench_now_ns();
    for (int i = 0; i < CALLS; i++)
      BENCH_KEEP(weft_port_in(&desc.pub, (uint32_t)weft_proto_find_in(p, "project"), 0));
    by_name[r] = bench_now_ns() - t;
  }
  row("instance of input 11 of 12, by index", by_index, ROUNDS, CALLS);
  row("instance of input 'project', by name", by_name, ROUNDS, CALLS);
  weft__arena_deinit(&arena);
}

static void bench_start(void) {
  double ns[ROUNDS];
  weft_diag d = {0};
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  for (int r = 0; r < ROUNDS; r++) {
    weft_env *e;
    double t = bench_now_ns();
    if (weft_env_create(&o, &e, &d))
      bench_die(&d);
    ns[r] = bench_now_ns() - t;
    weft_env_destroy(e);
  }
  row("start an environment (goal: 1000000 ns)", ns, ROUNDS, 1);
}

static const weft_column col[] = {{WEFT_FLOAT, WEFT_ND}};
static const weft_op follow = {
    WEFT_OP_HEAD, .name = "BenchFollow", .in = WEFT_PORTS({"x", .columns = col}),
    .out = WEFT_PORTS({"y", .columns = col, .follow = "x", .follow_what = WEFT_FOLLOW_SHAPE}),
    .n_columns = 1};
static const weft_op callback = {WEFT_OP_HEAD,
                                 .name = "BenchCallback",
                                 .in = WEFT_PORTS({"x", .columns = col}),
                                 .out = WEFT_PORTS({"y", .columns = col}),
                                 .n_columns = 1,
                                 .infer = same_shape};

int main(void) {
  weft_diag d = {0};
  weft_env *e;
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  if (weft_env_create(&o, &e, &d))
    bench_die(&d);
  printf("%zu operators with code, %zu known\n", weft_proto_count(e, false), weft_proto_count(e, true));
  if (weft_register(e, &follow, 0, &d) || weft_register(e, &callback, 0, &d))
    bench_die(&d);
  printf("%-52s %9s %9s\n", "", "min ns", "median ns");
  bench_find(e);
  bench_accessors(e);
  bench_node(e, "BenchFollow", "infer one node: shape by Follow");
  bench_node(e, "BenchCallback", "infer one node: shape by callback");
  bench_node(e, "Relu", "infer one node: built-in Relu");
  bench_start();
  weft_env_destroy(e);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
