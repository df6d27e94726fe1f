// bench_kernels.c - one thread, kernels called without an executor: the best tile beside the worst (P8), what
// kernels say they cost beside what they take, and what choosing by cost is worth (P11); programs in packed
// and plain formats (P9).
#include "cpu/elementwise/tile_program.h"
#include "device/node_tiling.h"
#include "device/device.h"
#include "program/program.h"

#include "bench_program.h"

// ---- a node that a kernel of choice runs ----
typedef struct job {
  weft_program *p;
  const weft_node *node;
  weft_layout layout[16];
  const weft_layout *list[16];
  weft_dtype dtype[16];
  weft_format format[16];
  const weft_tensor *value[16];
  void *arg[16], *own[16];  // own: memory of what is no constant
} job;

static weft_program *program_of(const char *text, const char *option) {
  weft_graph *g;
  MUST(weft_graph_parse(env, text, strlen(text), "bench", &g, &d));
  return compile(g, option);
}

static void open_job(job *j, weft_program *p) {
  const weft__fn *f = &p->fn[0];
  memset(j, 0, sizeof *j);
  j->p = p;
  j->node = f->node[f->n_nodes - 1];
  const weft_op_desc *desc = &j->node->desc.pub;
  for (uint32_t i = 0; i < desc->n_in + desc->n_out; i++) {
    const weft_fact *fact = i < desc->n_in ? &j->node->in[i].value->fact : &j->node->out[i - desc->n_in].fact;
    weft_tensor_desc full;
    weft_tensor t;
    weft__fact_desc(fact, "", &full);
    j->layout[i] = full.layout;
    j->list[i] = &j->layout[i];
    j->dtype[i] = fact->dtype;
    j->format[i] = fact->format;
    j->value[i] = fact->value;
    weft_tensor_init(&t, NULL);
    MUST(weft_tensor_alloc_layout(&t, fact->dtype, &full.layout, fact->origin_format, fact->format, &d));
    j->own[i] = j->arg[i] = aligned_alloc(64, (t.bytes + 127) / 64 * 64);
    fill(&t);
    memcpy(j->arg[i], t.data, t.bytes);
    if (fact->value)
      j->arg[i] = fact->value->data;
    weft_tensor_deinit(&t);
  }
}

static void close_job(job *j) {
  for (int i = 0; i < 16; i++)
    free(j->own[i]);
}

static weft_tiling tiling_of(job *j) {
  const weft__fn *f = &j->p->fn[0];
  const weft__node_args args = {j->list, j->dtype, j->value, j->format};
  weft_tiling t = weft__tiling_of_node(&j->node->desc.pub, weft_env_host(env), &args);
  t.d = &d;
  t.region = f->region[f->n_nodes - 1];
  return t;
}

typedef struct ready {  // a kernel tiled for a job
  weft_tiling t;
  weft_block block;
  weft_block_fn run;
  void *arg[16];
  void *packed[8];
  void *workspace[16];
} ready;

static void make_ready(ready *r, job *j, const weft_kernel *k) {
  memset(r, 0, sizeof *r);
  r->t = tiling_of(j);
  r->run = k->run;
  r->t.data_cap = k->tiling_bytes_max ? k->tiling_bytes_max : 2048;
  r->t.data = aligned_alloc(64, (r->t.data_cap + 63) / 64 * 64);
  memset(r->t.data, 0, r->t.data_cap);
  MUST(weft__kernel_tile(k, r->t.desc)(&r->t));
  memcpy(r->arg, j->arg, sizeof r->arg);
  for (uint32_t i = 0; i < WEFT_MIN(r->t.n_in, 8u); i++) {
    size_t bytes = r->t.pack_bytes[i];
    if (!bytes)
      continue;
    r->packed[i] = r->arg[i] = aligned_alloc(64, (bytes + 63) / 64 * 64);
    weft_packing p = {sizeof p,      i,         r->t.desc, r->t.host,       &d,
                      r->t.value[i], r->arg[i], bytes,     r->t.pack_key[i]};
    MUST(k->pack(&p));
  }
  for (uint32_t i = 0; i < r->t.n_workspaces; i++)
    r->workspace[i] = aligned_alloc(64, (r->t.workspace_bytes[i] + 127) / 64 * 64);
  r->block = (weft_block){.size = sizeof r->block,
                          .blocks = r->t.blocks ? r->t.blocks : 1,
                          .key = r->t.key,
                          .data = r->t.data,
                          .arg = r->arg,
                          .workspace = r->workspace};
  if (r->t.scratch_bytes)
    r->block.scratch = aligned_alloc(64, (r->t.scratch_bytes + 63) / 64 * 64);
}

static void free_ready(ready *r) {
  free(r->t.data);
  free(r->block.scratch);
  for (int i = 0; i < 8; i++)
    free(r->packed[i]);
  for (int i = 0; i < 16; i++)
    free(r->workspace[i]);
}

static void run_ready(const ready *r) {
  weft_block b = r->block;
  for (b.phase = 0; b.phase < WEFT_MAX(r->t.phases, 1u); b.phase++) {
    for (b.block = 0; b.block < b.blocks; b.block++) {
      if (r->run(&b))
        exit(1);
    }
  }
}

// The least of many rounds, in which all take turns: what else the machine does hits all alike.
static void measure(const ready *r, size_t n, double *out_ns) {
  for (size_t i = 0; i < n; i++) {
    out_ns[i] = 1e18;
    run_ready(&r[i]);
  }
  double begun = bench_now_ns();
  for (int round = 0; round < 5 || bench_now_ns() - begun < 3e8; round++) {
    for (size_t i = 0; i < n; i++) {
      double t = bench_now_ns();
      run_ready(&r[i]);
      t = bench_now_ns() - t;
      out_ns[i] = t < out_ns[i] ? t : out_ns[i];
    }
  }
}

// ---- P8 ----
static const weft_kernel *kernel_named(const char *op, const char *name) {
  const weft_kernel *list[32];
  uint32_t n = WEFT_MIN(weft__kernels_find(env, op, "cpu", list, 32), 32u);
  for (uint32_t i = 0; i < n; i++) {
    if (!strcmp(list[i]->name, name))
      return list[i];
  }
  return NULL;
}

static size_t most_tile(const weft__tile *t) {
  return WEFT__TILE_STACK / 4 / (t->n_slots ? t->n_slots : 1u);
}

static void tiles(const char *what, const char *graph) {
  enum { SIZES = 7 };
  ready r[SIZES + 1];
  double ns[SIZES + 1];
  job j;
  weft_program *p = program_of(graph, NULL);
  open_job(&j, p);
  const weft_kernel *k = kernel_named(j.node->desc.pub.type, "tile");
  if (!k)
    exit(1);
  make_ready(&r[0], &j, k);
  size_t n = 0;
  size_t chosen = ((weft__tile *)r[0].t.data)->tile;
  size_t most = most_tile(r[0].t.data);
  size_t sizes[SIZES + 1] = {chosen};
  for (size_t tile = 64; tile <= most && n < SIZES; tile *= 2) {
    if (tile == chosen)
      continue;
    make_ready(&r[++n], &j, k);
    weft__tile *t = r[n].t.data;
    size_t per = (t->n + t->blocks - 1) / t->blocks;
    t->tile = sizes[n] = tile;
    t->slot_bytes = tile * 4;
    t->per_block = (per + tile - 1) / tile * tile;
  }
  measure(r, n + 1, ns);
  size_t best = 0;
  size_t worst = 0;
  for (size_t i = 0; i <= n; i++) {
    best = ns[i] < ns[best] ? i : best;
    worst = ns[i] > ns[worst] ? i : worst;
  }
  int calls = 2000;
  static char record[WEFT__TILE_BYTES];
  double begun = bench_now_ns();
  for (int i = 0; i < calls; i++) {
    weft_tiling t = tiling_of(&j);
    t.data = record;
    t.data_cap = sizeof record;
    MUST(weft__kernel_tile(k, t.desc)(&t));
  }
  double each = (bench_now_ns() - begun) / calls;
  printf(
      "%-34s chosen %5zu %9.1f us, best %5zu %9.1f, worst %5zu %9.1f (%.2f x the chosen); tiling %.0f ns a "
      "call\n",
      what, chosen, ns[0] / 1e3, sizes[best], ns[best] / 1e3, sizes[worst], ns[worst] / 1e3,
      ns[worst] / ns[0], each);
  for (size_t i = 0; i <= n; i++)
    free_ready(&r[i]);
  close_job(&j);
  weft_program_release(p);
}

// The whole tensor as one tile: what is run one operator after the other.
static void unfused(const char *what, const char *graph) {
  bed *b[2];
  double least[2] = {1e18, 1e18};
  for (int k = 0; k < 2; k++) {
    b[k] = open_bed(program_of(graph, k ? "passes=0" : NULL), 1, false);
    shape_bed(b[k], 1);
    run(b[k]);
  }
  for (int i = 0; i < 20; i++) {
    for (int k = 0; k < 2; k++) {
      double t = bench_now_ns();
      run(b[k]);
      t = bench_now_ns() - t;
      least[k] = t < least[k] ? t : least[k];
    }
  }
  uint64_t tilings = stats(b[0]).tilings;
  run(b[0]);
  printf("%-34s in tiles %9.1f us, the whole tensor at a time %9.1f (%.2f x); tilings in a run: %llu\n", what,
         least[0] / 1e3, least[1] / 1e3, least[1] / least[0],
         (unsigned long long)(stats(b[0]).tilings - tilings));
  close_bed(b[0]);
  close_bed(b[1]);
}

static void p8(void) {
  static const char light[] =
      "graph \"g\" { input x: f32[4194304] input z: f32[4194304] node a: Add(x, z) -> a node b: Relu(a) -> b "
      "node c: "
      "Mul(b, z) -> c node e: Sub(c, a) -> e node f: Maximum(e, b) -> y output y }";
  static const char heavy[] =
      "graph \"g\" { input x: f32[1048576] node a: Tanh(x) -> a node b: Sigmoid(a) -> b node c: Mul(a, b) -> "
      "c node e: "
      "Exp(c) -> e node f: Add(e, x) -> y output y }";
  static const char rows[] =
      "graph \"g\" { input x: f32[4096,256] input z: f32[256] node a: Mul(x, z) -> a node b: Add(a, z) -> b "
      "node c: "
      "Relu(b) -> y output y }";
  printf("\nP8: a fused chain, by elements of a tile, one thread\n");
  tiles("Add Relu Mul Sub Max, f32[4194304]", light);
  tiles("Tanh Sigm Mul Exp Add, f32[2^20]", heavy);
  tiles("Mul Add Relu by rows, f32[4096,256]", rows);
  unfused("Add Relu Mul Sub Max, f32[4194304]", light);
  unfused("Tanh Sigm Mul Exp Add, f32[2^20]", heavy);
}

// ---- P11 ----
typedef struct sums {
  double predicted[3], measured[3];  // of the chosen, the first that takes it, the best
} sums;

static void table_row(const char *op, const char *attrs, const char *x, const char *w, sums *s) {
  enum { MOST_KERNELS = 8 };
  char text[1024];
  const weft_kernel *list[32];
  const weft_kernel *take[MOST_KERNELS];
  double cost[MOST_KERNELS], ns[MOST_KERNELS];
  ready r[MOST_KERNELS];
  size_t n = 0;
  size_t chosen = 0;
  size_t best = 0;
  job j;
  snprintf(text, sizeof text,
           "graph \"g\" { input x: f32[%s] const w: f32[%s]{*0.01} node n: %s(x, w)%s -> y output y }", x, w,
           op, attrs);
  weft_program *p = program_of(text, "passes=0");
  open_job(&j, p);
  weft_tiling t = tiling_of(&j);
  uint32_t all = WEFT_MIN(weft__kernels_find(env, op, "cpu", list, 32), 32u);
  for (uint32_t i = 0; i < all && n < MOST_KERNELS; i++) {
    if (!list[i]->refuse || !list[i]->refuse(&t)) {
      take[n] = list[i];
      cost[n] = list[i]->cost_ns(&t);
      make_ready(&r[n], &j, list[i]);
      n++;
    }
  }
  measure(r, n, ns);
  for (size_t i = 0; i < n; i++) {
    chosen = cost[i] < cost[chosen] ? i : chosen;
    best = ns[i] < ns[best] ? i : best;
  }
  snprintf(text, sizeof text, "%s %s * %s", op, x, w);
  printf("%-44s", text);
  for (size_t i = 0; i < n; i++)
    printf(" %s%s %.1f/%.1f", take[i]->name, i == chosen ? "*" : "", cost[i] / 1e3, ns[i] / 1e3);
  printf("%s\n", chosen == best ? "" : "  (not the best)");
  const size_t who[3] = {chosen, 0, best};
  for (int k = 0; k < 3; k++) {
    s->predicted[k] += cost[who[k]];
    s->measured[k] += ns[who[k]];
  }
  for (size_t i = 0; i < n; i++)
    free_ready(&r[i]);
  close_job(&j);
  weft_program_release(p);
}

static void p11(void) {
  static const char *const row[][4] = {
      {"Conv", " {strides=[2,2], pads=[3,3,3,3]}", "1,3,224,224", "64,3,7,7"},
      {"Conv", " {strides=[2,2], pads=[1,1,1,1]}", "1,3,224,224", "32,3,3,3"},
      {"Conv", " {pads=[1,1,1,1]}", "1,64,56,56", "64,64,3,3"},
      {"Conv", "", "1,64,56,56", "256,64,1,1"},
      {"Conv", " {strides=[2,2], pads=[1,1,1,1]}", "1,128,56,56", "128,128,3,3"},
      {"Conv", " {pads=[1,1,1,1]}", "1,512,7,7", "512,512,3,3"},
      {"Conv", " {pads=[1,1,1,1], group=32}", "1,32,112,112", "32,1,3,3"},
      {"Conv", " {strides=[2,2], pads=[1,1,1,1], group=144}", "1,144,56,56", "144,1,3,3"},
      {"Conv", " {pads=[1,1,1,1], group=576}", "1,576,14,14", "576,1,3,3"},
      {"Conv", " {pads=[2,2,2,2]}", "1,1,28,28", "8,1,5,5"},
      {"Conv", " {pads=[2,2,2,2]}", "1,8,14,14", "16,8,5,5"},
      {"Conv", "", "1,2,8,8", "4,2,3,3"},
      {"Conv", " {pads=[1,1,1,1], group=4}", "1,64,28,28", "64,16,3,3"}};
  sums s = {{0}, {0}};
  printf(
      "\nP11: kernels that take a node, predicted/measured us, one thread (*: chosen; the first: first "
      "match)\n");
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    table_row(row[i][0], row[i][1], row[i][2], row[i][3], &s);
  printf(
      "sums, predicted/measured us: chosen %.0f/%.0f, first match %.0f/%.0f, the best of each %.0f/%.0f; "
      "regret %.1f %%, of first "
      "match %.1f %%\n",
      s.predicted[0] / 1e3, s.measured[0] / 1e3, s.predicted[1] / 1e3, s.measured[1] / 1e3,
      s.predicted[2] / 1e3, s.measured[2] / 1e3, 100 * (s.measured[0] / s.measured[2] - 1),
      100 * (s.measured[1] / s.measured[2] - 1));
}

// ---- P9 ----
static void count_conversions(const weft_program *p, int *n, size_t *bytes) {
  for (const weft_node *k = weft_graph_first(weft_program_graph(p)); k; k = weft_node_next(k)) {
    weft_tensor_desc desc;
    int64_t elems;
    if (strcmp(weft_node_type(k), "TransData"))
      continue;
    weft_value_desc(weft_node_out(k, 0), &desc);
    MUST(weft_shape_elems(&desc.layout.storage, &elems));
    ++*n;
    *bytes += (size_t)elems * 4;
  }
}

static void formats(int channels, int places) {
  enum { WAYS = 4, PARTS = 2 };
  static const char *const name[WAYS] = {"each pair by itself, packed", "propagated, packed", "plain",
                                         "as chosen"};
  static const char *const option[WAYS] = {"assign-formats.choose=packed", "assign-formats.choose=packed",
                                           "assign-formats=0", NULL};
  char half[512];
  char whole[1024];
  bed *b[WAYS][PARTS] = {{NULL}};
  double least[WAYS];
  snprintf(half, sizeof half,
           "graph \"g\" { input x: f32[1,%d,%d,%d] const w: f32[%d,%d,3,3]{*0.01} node c: Conv(x, w) "
           "{pads=[1,1,1,1]} -> c node "
           "r: Relu(c) -> y output y }",
           channels, places, places, channels, channels);
  snprintf(whole, sizeof whole,
           "graph \"g\" { input x: f32[1,%d,%d,%d] const w: f32[%d,%d,3,3]{*0.01} node c: Conv(x, w) "
           "{pads=[1,1,1,1]} -> c node "
           "r: Relu(c) -> r node e: Conv(r, w) {pads=[1,1,1,1]} -> e node s: Relu(e) -> y output y }",
           channels, places, places, channels, channels);
  for (int k = 0; k < WAYS; k++) {
    for (int i = 0; i < (k ? 1 : PARTS); i++) {
      b[k][i] = open_bed(program_of(k ? whole : half, option[k]), 1, false);
      shape_bed(b[k][i], 1);
      run(b[k][i]);
      least[k] = 1e18;
    }
  }
  for (int i = 0; i < 60; i++) {
    for (int k = 0; k < WAYS; k++) {
      double t = bench_now_ns();
      run(b[k][0]);
      if (!k)
        run(b[k][1]);
      t = bench_now_ns() - t;
      least[k] = t < least[k] ? t : least[k];
    }
  }
  for (int k = 0; k < WAYS; k++) {
    int n = 0;
    size_t bytes = 0;
    for (int i = 0; i < PARTS && b[k][i]; i++)
      count_conversions(b[k][i]->p, &n, &bytes);
    printf("[1,%d,%d,%d] %-30s %d TransData, %8zu bytes, %9.1f us\n", channels, places, places, name[k], n,
           bytes, least[k] / 1e3);
    for (int i = 0; i < PARTS && b[k][i]; i++)
      close_bed(b[k][i]);
  }
}

static void p9(void) {
  printf("\nP9: conv-relu-conv-relu, 3x3, NC1HWC0 with C0 = 16, one thread\n");
  formats(64, 56), formats(128, 28), formats(32, 112);
  printf("storage overhead:");
  for (int c = 3; c <= 32; c += 29) {
    weft_shape s;
    weft_shape packed;
    int64_t plain;
    int64_t stored;
    MUST(weft_shape_init(&s, (const weft_dim[]){1, c, 56, 56}, 4));
    MUST(weft_format_storage_shape(&s, WEFT_NCHW, weft_format_make(WEFT_NC1HWC0, 0, 5), 16, &packed, &d));
    MUST(weft_shape_elems(&s, &plain));
    MUST(weft_shape_elems(&packed, &stored));
    printf(" C=%d %.2f x", c, (double)stored / (double)plain);
  }
  printf("\n");
}

int main(void) {
  open_env();
  printf("kernels, least of rounds in which all take turns\n");
  p8();
  p11();
  p9();
  weft_env_destroy(env);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
