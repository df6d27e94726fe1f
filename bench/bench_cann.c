// bench_cann.c - what CANN's C++ costs: inference of a node through its contexts, beside the bare C++
// function and the same rule in C, and registering 1,000 operators. It prints; the goals stand in no test.
#include "bench.h"
#include "op/proto.h"

enum { ROUNDS = 15, CALLS = 20000, OPERATORS = 1000 };

void bench_cann_add(int n);  // bench_cann_ops.cpp
double bench_cann_bare_ns(int calls);
const weft_package *weft_package_entry(const weft_host *host);

static weft_status first_shape(weft_infer *it) {
  const weft_shape *x = weft_in_shape(it, 0);
  return weft_set_out_shape(it, 0, x->dim, x->rank);
}
static weft_status first_dtype(weft_infer *it) {
  weft_set_out_dtype(it, 0, weft_in_dtype(it, 0));
  return WEFT_OK;
}

static double row(const char *what, double *ns, double calls) {
  bench_result r = bench_summary(ns, ROUNDS);
  printf("%-44s %9.1f %9.1f\n", what, r.min / calls, r.median / calls);
  return r.median / calls;
}

// Inference of shape and dtype of one node with two inputs.
static double node(weft_env *e, const char *name, const char *what) {
  static const weft_dim dims[] = {8, 64, 32, 32};
  const weft_fact fact = {
      .dtype = WEFT_FLOAT, .set = true, .rank = 4, .dims = dims, .format = WEFT_ND, .origin_format = WEFT_ND};
  const weft_fact *in[] = {&fact, &fact};
  const weft_proto *proto = weft_find(e, name);
  weft_diag d = {0};
  weft_arena arena;
  weft_desc_full desc;
  weft_frame frame;
  double ns[ROUNDS];
  weft__arena_init(&arena, weft_env_allocator(e));
  if (!proto || weft__desc_make(&arena, proto, NULL, proto->n_in, &desc, &d))
    bench_die(&d);
  weft__frame_init(&frame, e, NULL);
  for (int r = 0; r < ROUNDS; r++) {
    double t = bench_now_ns();
    for (int i = 0; i < CALLS; i++) {
      if (weft__infer_node(&frame, proto, &desc.pub, in, WEFT_STAGE_BUILD, &d))
        bench_die(&d);
    }
    ns[r] = bench_now_ns() - t;
  }
  weft__desc_drop(&desc);
  weft__frame_deinit(&frame);
  weft__arena_deinit(&arena);
  return row(what, ns, CALLS);
}

// Times what a program pays once: tables filled, prototypes made, prototypes taken by the environment.
static void registering(weft_env *e) {
  weft_diag d = {0};
  double t0 = bench_now_ns();
  bench_cann_add(OPERATORS);
  double t1 = bench_now_ns();
  const weft_package *p = weft_package_entry(weft_env_host(e));
  double t2 = bench_now_ns();
  const weft_op *const *ops = p->sections->items;
  for (uint32_t i = 0; i < p->sections->count; i++) {
    if (weft_register(e, ops[i], 0, &d))
      bench_die(&d);
  }
  double t3 = bench_now_ns();
  printf("%u operators, ms: OP_ADD %.2f, prototypes %.2f, weft_register %.2f, together %.2f\n",
         p->sections->count, (t1 - t0) / 1e6, (t2 - t1) / 1e6, (t3 - t2) / 1e6, (t3 - t0) / 1e6);
}

int main(void) {
  static const weft_port in[] = {{.name = "x"}, {.name = "y"}, {0}};
  static const weft_port out[] = {{.name = "z"}, {0}};
  static const weft_attr_decl attrs[] = {{"axis", "Int", "-1"}, {0}};
  static const weft_op plain = {.size = sizeof plain,
                                .port_bytes = sizeof *in,
                                .attr_bytes = sizeof *attrs,
                                .symbol_bytes = sizeof(weft_symbol),
                                .version = 1,
                                .name = "InC",
                                .in = in,
                                .out = out,
                                .attrs = attrs,
                                .infer = first_shape,
                                .infer_dtype = first_dtype};
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  weft_diag d = {0};
  weft_env *e = NULL;
  if (weft_env_create(&o, &e, &d) || weft_register(e, &plain, 0, &d))
    bench_die(&d);
  registering(e);
  printf("%-44s %9s %9s\n", "ns a call", "min", "median");
  double ns[ROUNDS];
  for (int r = 0; r < ROUNDS; r++)
    ns[r] = bench_cann_bare_ns(CALLS);
  double bare = row("the C++ function of InferShape alone", ns, CALLS);
  double in_c = node(e, "InC", "a node, shape and dtype, in C");
  double cann = node(e, "Generated0", "a node, shape and dtype, in CANN's C++");
  printf("the adaptor: %.1f ns over C, %.1f ns with the bare function taken off\n", cann - in_c,
         cann - in_c - bare);
  weft_env_destroy(e);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
