// tiling_test.c - kernels of the program's own: their tiling (group Y), and which of several runs a node
// (R282, R295).
#include "check.h"
#include "weft/weft.h"

typedef struct record {  // what MyOp's tiling tells its kernel (R303)
  int64_t tile_size;
  int64_t n_tiles;
  int64_t elems;
} record;

static int tiled;           // calls of the tiling function
static char seen[256];      // what it read
static uint64_t last_key;   // what the kernel saw
static weft_status answer;  // of the tiling function
static char order[256];     // i: inferred, t: tiled (R300)
static uint64_t checksum;   // of the record that the kernel read (R304)
static bool zeroed;         // the record, before the tiling function wrote it

static void note_order(char what) {
  size_t n = strlen(order);
  if (n + 1 < sizeof order) {
    order[n] = what;
    order[n + 1] = 0;
  }
}

static weft_status infer_same(weft_infer *it) {
  note_order('i');
  *it->out[0] = *it->in[0];
  it->out_dtype[0] = it->in_dtype[0];
  return WEFT_OK;
}

static weft_status my_ref(const weft_call *c) {
  const float *x = c->in[0]->data;
  float *y = c->out[0]->data;
  for (int64_t i = 0; i < weft_tensor_elems(c->in[0]); i++)
    y[i] = 2 * x[i];
  return WEFT_OK;
}

static weft_status my_tile(weft_tiling *t) {
  const weft_op_desc *n = t->desc;
  record *r = t->data;
  tiled++;
  note_order('t');
  zeroed = true;
  for (size_t i = 0; i < t->data_cap; i++)
    zeroed &= !((const char *)t->data)[i];
  if (answer)
    return t->host->fail(t->d, answer, "tiling of block_size %lld failed", (long long)weft_node_int(n, 0));
  snprintf(seen, sizeof seen,
           "key %llu blocks %u phases %u workspaces %u clean %u block_size %lld precision %s optional %lld "
           "rank %zu",
           (unsigned long long)t->key, t->blocks, t->phases, t->n_workspaces, t->atomic_clean,
           (long long)weft_node_int(n, 0), weft_node_str(n, 1), (long long)weft_port_in(n, 1, 0),
           t->in[0]->origin.rank);
  r->tile_size = weft_node_int(n, 0);
  int64_t elems = 1;
  for (size_t i = 0; i < t->in[0]->origin.rank; i++)
    elems *= t->in[0]->origin.dim[i];
  r->n_tiles = (elems + r->tile_size - 1) / r->tile_size;
  r->elems = elems;
  t->data_bytes = sizeof *r;
  t->key = 7;
  t->blocks = r->n_tiles > 0 ? (uint32_t)r->n_tiles : 1;
  t->n_workspaces = 1;
  t->workspace_bytes[0] = 64 * (size_t)t->blocks;
  return WEFT_OK;
}

static weft_status my_run(const weft_block *b) {
  const record *r = b->data;
  const float *x = b->arg[0];
  float *y = b->arg[1];
  float *room = (float *)((char *)b->workspace[0] + 64 * (size_t)b->block);
  if (!b->block) {
    last_key = b->key;
    checksum = 0;
    for (size_t i = 0; i < sizeof *r; i++)
      checksum = checksum * 31 + ((const unsigned char *)r)[i];
  }
  room[0] = 2;
  for (int64_t i = b->block * r->tile_size; i < ((int64_t)b->block + 1) * r->tile_size && i < r->elems; i++)
    y[i] = room[0] * x[i];
  return WEFT_OK;
}

// R301: block_size (Int, 32) and precision (String, "high"); an optional input for R306.
static const weft_op my_op = {
    WEFT_OP_HEAD,
    .name = "MyOp",
    .in = WEFT_PORTS({"x", NULL, WEFT_DT(FLOAT)}, {"scale", NULL, WEFT_DT(FLOAT), .kind = WEFT_OPTIONAL}),
    .out = WEFT_PORTS({"y", NULL, WEFT_DT(FLOAT)}),
    .attrs = WEFT_ATTRS({"block_size", "Int", "32", "min 1"}, {"precision", "String", "\"high\""}),
    .infer = infer_same,
    .ref = my_ref};
static const weft_kernel my_kernel = {.size = sizeof my_kernel,
                                      .op = "MyOp",
                                      .device = "cpu",
                                      .name = "my-blocks",
                                      .tile = my_tile,
                                      .run = my_run};

typedef struct fixture {
  weft_env *e;
  weft_program *p;
  weft_exec *x;
  weft_diag d;
} fixture;

static bool open_graph(fixture *f, const char *text, const weft_kernel *const *kernels, size_t n) {
  weft_graph *g;
  *f = (fixture){0};
  tiled = 0;
  answer = WEFT_OK;
  last_key = 0;
  seen[0] = 0;
  order[0] = 0;
  CHECK(!(weft_env_create(&(weft_env_options){.package_path = ""}, &f->e, &f->d)));
  CHECK(!(weft_register(f->e, &my_op, 0, &f->d)));
  for (size_t i = 0; i < n; i++)
    CHECK(!(weft_register_kernel(f->e, kernels[i], &f->d)));
  weft_status s = weft_graph_parse(f->e, text, strlen(text), "tiling", &g, &f->d);
  if (!s)
    s = weft_compile(g, NULL, &f->p, &f->d);
  if (!s)
    s = weft_exec_create(f->p, NULL, &f->x, &f->d);
  CHECK(!(s));
  return !s;
}

static void close_graph(fixture *f) {
  weft_exec_destroy(f->x);
  weft_program_release(f->p);
  weft_env_destroy(f->e);
}

static weft_status run_n(fixture *f, int64_t n) {
  weft_tensor in;
  weft_tensor out;
  weft_tensor_init(&in, NULL);
  weft_tensor_init(&out, NULL);
  CHECK(!(weft_tensor_alloc(&in, WEFT_FLOAT, &n, 1, NULL)));
  for (int64_t i = 0; i < n; i++)
    ((float *)in.data)[i] = (float)i;
  weft_status s = weft_exec_run(f->x, (const weft_tensor *[]){&in}, 1, (weft_tensor *[]){&out}, 1, &f->d);
  for (int64_t i = 0; !s && i < n; i++) {
    if (((float *)out.data)[i] != 2 * (float)i)
      CHECK_INT(i, -1);
  }
  weft_tensor_deinit(&in);
  weft_tensor_deinit(&out);
  return s;
}

static const char static_graph[] = "graph \"g\" { input x: f32[100] node m: MyOp(x) -> y output y }";

TEST(r298_r299_r301_r302_r303_r304_r305_r306_tiling_context) {
  fixture f;
  const weft_kernel *k = &my_kernel;
  if (!open_graph(&f, static_graph, &k, 1))
    return;
  CHECK_OK(run_n(&f, 100), &f.d);
  CHECK_STR(seen,
            "key 0 blocks 0 phases 1 workspaces 0 clean 1 block_size 32 precision high optional -1 rank 1");
  CHECK_INT(last_key, 7);
  CHECK(
      zeroed);  // R304: what the tiling function leaves out has a value, and the record is the same each time
  uint64_t first = checksum;
  close_graph(&f);
  if (!open_graph(&f, static_graph, &k, 1))
    return;
  CHECK_OK(run_n(&f, 100), &f.d);
  CHECK(first && checksum == first);
  close_graph(&f);
  weft_diag d = {0};
  weft_graph *g;
  weft_env *e;
  CHECK_OK(weft_env_create(&(weft_env_options){.package_path = ""}, &e, &d), &d);
  CHECK_OK(weft_register(e, &my_op, 0, &d), &d);
  const char zero[] = "graph \"g\" { input x: f32[8] node m: MyOp(x) {block_size=0} -> y output y }";
  CHECK_FAILS(weft_graph_parse(e, zero, sizeof zero - 1, "z", &g, &d), WEFT_E_RANGE);
  weft_env_destroy(e);
}

TEST(r309_p8_tiling_is_done_once_a_shape) {
  fixture f;
  const weft_kernel *k = &my_kernel;
  if (!open_graph(&f, static_graph, &k, 1))
    return;
  for (int i = 0; i < 5; i++)
    CHECK_OK(run_n(&f, 100), &f.d);
  CHECK_INT(tiled, 1);
  close_graph(&f);
  if (!open_graph(&f, "graph \"g\" { input x: f32[-1] node m: MyOp(x) -> y output y }", &k, 1))
    return;
  static const int64_t sizes[] = {10, 100, 10, 33, 100, 33, 10};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    CHECK_OK(run_n(&f, sizes[i]), &f.d);
  CHECK_INT(tiled, 3);
  close_graph(&f);
}

TEST(r300_r308_a_failed_tiling_names_the_node_and_nothing_runs) {
  fixture f;
  const weft_kernel *k = &my_kernel;
  if (!open_graph(&f, static_graph, &k, 1))
    return;
  answer = 1001;
  CHECK_FAILS(run_n(&f, 100), 1001);
  CHECK_HAS(f.d.text, "tiling of block_size 32 failed");
  CHECK_HAS(f.d.text, "node 'm' (MyOp)");
  CHECK_INT(last_key, 0);
  answer = WEFT_OK;
  f.d = (weft_diag){0};
  CHECK_OK(run_n(&f, 100), &f.d);  // usable afterwards
  CHECK_INT(last_key, 7);
  close_graph(&f);
}

static weft_status too_much(weft_tiling *t) {
  t->data_bytes = t->data_cap + 1;
  return WEFT_OK;
}

TEST(r300_inference_comes_before_tiling_for_every_shape) {
  fixture f;
  const weft_kernel *k = &my_kernel;
  if (!open_graph(&f, "graph \"g\" { input x: f32[-1] node m: MyOp(x) -> y output y }", &k, 1))
    return;
  CHECK(strchr(order, 'i') && !strchr(order, 't'));  // compiling infers; the shape is not there yet
  static const int64_t sizes[] = {10, 100, 33, 10};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    CHECK_OK(run_n(&f, sizes[i]), &f.d);
  unsigned tilings = 0;
  for (const char *at = order; *at; at++) {
    if (*at == 't') {
      CHECK(at > order && at[-1] == 'i');
      tilings++;
    }
  }
  CHECK_INT(tilings, 3);
  close_graph(&f);
}

TEST(r303_a_record_over_its_size_is_refused) {
  static const weft_kernel greedy = {.size = sizeof greedy,
                                     .op = "MyOp",
                                     .device = "cpu",
                                     .name = "greedy",
                                     .tile = too_much,
                                     .run = my_run};
  fixture f;
  const weft_kernel *k = &greedy;
  if (!open_graph(&f, static_graph, &k, 1))
    return;
  CHECK_FAILS(run_n(&f, 100), WEFT_E_LIMIT);
  CHECK_HAS(f.d.text, "kernel 'greedy': tiling of 2049 bytes");
  close_graph(&f);
}

// ---- choice ----
static uint64_t ran;
static weft_status tile_one(weft_tiling *t) {
  t->blocks = 1;
  return WEFT_OK;
}
static weft_status run_as(const weft_block *b, uint64_t who) {
  const float *x = b->arg[0];
  float *y = b->arg[1];
  ran = who;
  for (int i = 0; i < 100; i++)
    y[i] = 2 * x[i];
  return WEFT_OK;
}
static weft_status run_dear(const weft_block *b) {
  return run_as(b, 10);
}
static weft_status run_cheap(const weft_block *b) {
  return run_as(b, 3);
}
static double cost_10(const weft_tiling *t) {
  (void)t;
  return 10;
}
static double cost_3(const weft_tiling *t) {
  (void)t;
  return 3;
}
static const char *only_f16(const weft_tiling *t) {
  return t->in_dtype[0] == WEFT_FLOAT16 ? NULL : "takes f16 only";
}

#define MY_KERNEL(kernel, runs, more)                                                                   \
  {                                                                                                     \
    .size = sizeof(weft_kernel), .op = "MyOp", .device = "cpu", .name = kernel, .tile = tile_one, more, \
    .run = runs                                                                                         \
  }
TEST(r282_r295_p11_the_cheapest_that_takes_it_runs) {
  static const weft_kernel dear = MY_KERNEL("dear", run_dear, .cost_ns = cost_10);
  static const weft_kernel cheap = MY_KERNEL("cheap", run_cheap, .cost_ns = cost_3);
  static const weft_kernel half = MY_KERNEL("half", run_cheap, .refuse = only_f16);
  const weft_kernel *both[] = {&dear, &cheap, &half};
  const weft_kernel *some[] = {&half, &dear};
  const weft_kernel *none[] = {&half};
  fixture f;
  if (!open_graph(&f, static_graph, both, 3))
    return;
  CHECK_OK(run_n(&f, 100), &f.d);
  CHECK_INT(ran, 3);
  close_graph(&f);
  if (!open_graph(&f, static_graph, some, 2))
    return;
  CHECK_OK(run_n(&f, 100), &f.d);
  CHECK_INT(ran, 10);
  close_graph(&f);
  ran = 0;
  if (!open_graph(&f, static_graph, none, 1))
    return;  // the reference is left
  CHECK_OK(run_n(&f, 100), &f.d);
  CHECK_INT(ran, 0);
  weft_diag d = {0};
  CHECK_FAILS(weft_register_kernel(f.e, &half, &d), WEFT_E_EXISTS);
  weft_kernel bad = half;
  bad.run = NULL;
  CHECK_FAILS(weft_register_kernel(f.e, &bad, &d), WEFT_E_INVALID);
  close_graph(&f);
}
// SPDX-License-Identifier: Apache-2.0
