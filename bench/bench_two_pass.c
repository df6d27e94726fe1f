// bench_two_pass.c - an operator whose output is as large as its data say, both ways: memory for the most
// there can be, one pass, and the shape read back (R148, R152); or one pass that counts, memory for just
// that, and a second one that fills. On the CPU, and on npusim, where a wait is one. What each part of a run
// costs is measured inside the execute function, on the host.
#include "bench_program.h"

enum { SHAPE_WORDS = 3 };  // rank and dims: 24 bytes
typedef enum part { ALLOCATE, LAUNCH, WAIT, READ, SHAPE, PARTS } part;
static const char *const part_names[PARTS] = {"allocate", "launch", "wait", "read back", "set shape"};
static double part_ns[PARTS];
static uint64_t n_waits, n_calls, given_bytes;

typedef struct task {
  uint64_t n, only_count;
} task;

static weft_status positions(const weft_block *b) {
  const task *t = b->data;
  const uint8_t *x = b->arg[0];
  int64_t *y = b->arg[1];
  uint64_t *shape = b->arg[2];
  uint64_t count = 0;
  for (uint64_t i = 0; i < t->n; i++) {
    if (!x[i])
      continue;
    if (!t->only_count)
      y[count] = (int64_t)i;
    count++;
  }
  shape[0] = 2;
  shape[1] = count;
  shape[2] = 1;
  return WEFT_OK;
}

static weft_status add_time(part p, double *since, weft_status s) {
  double now = bench_now_ns();
  part_ns[p] += now - *since;
  *since = now;
  return s;
}

static weft_status allocate(const weft_call *c, uint64_t n, double *t) {
  weft_layout l = {.origin = {.rank = 2, .dim = {(weft_dim)n, 1}}};
  l.storage = l.origin;
  given_bytes = n * sizeof(int64_t);
  return add_time(ALLOCATE, t, c->host->out_alloc(c, 0, WEFT_INT64, &l, WEFT_ND));
}

// Launches, waits and reads the shape back.
static weft_status pass(const weft_call *c, bool only_count, void *found, uint64_t *shape, double *t) {
  const weft_host *h = c->host;
  const task what = {(uint64_t)c->in[0]->layout.origin.dim[0], only_count};
  void *arg[] = {c->in[0]->data, only_count ? found : c->out[0]->data, found};
  const weft_call_launch l = {.size = sizeof l,
                              .blocks = 1,
                              .n_args = 3,
                              .run = positions,
                              .arg = arg,
                              .data = &what,
                              .data_bytes = sizeof what,
                              .name = "positions"};
  WEFT_TRY(add_time(LAUNCH, t, h->launch(c, &l)));
  n_waits++;
  WEFT_TRY(add_time(WAIT, t, h->sync(c)));
  return add_time(READ, t, h->copy_to_host(c, shape, found, SHAPE_WORDS * sizeof *shape));
}

static weft_status execute(const weft_call *c, bool two) {
  uint64_t shape[SHAPE_WORDS];
  void *found;
  double t = bench_now_ns();
  n_calls++;
  WEFT_TRY(add_time(ALLOCATE, &t, c->host->workspace(c, sizeof shape, &found)));
  if (two)
    WEFT_TRY(pass(c, true, found, shape, &t));
  WEFT_TRY(allocate(c, two ? shape[1] : (uint64_t)c->in[0]->layout.origin.dim[0], &t));
  WEFT_TRY(pass(c, false, found, shape, &t));
  const weft_shape is = {.rank = 2, .dim = {(weft_dim)shape[1], 1}};
  return add_time(SHAPE, &t, c->host->out_set_shape(c, 0, &is));
}
static weft_status at_most(const weft_call *c) {
  return execute(c, false);
}
static weft_status in_two(const weft_call *c) {
  return execute(c, true);
}

static weft_status infer(weft_infer *it) {
  WEFT_TRY(weft_set_out_dtype(it, 0, WEFT_INT64));
  return weft_set_out_shape(it, 0, (weft_dim[]){-1, 1}, 2);
}

static weft_status infer_range(weft_infer *it) {
  *it->out_min[0] = (weft_shape){.rank = 2, .dim = {0, 1}};
  *it->out_max[0] = (weft_shape){.rank = 2, .dim = {it->in_max[0]->dim[0], 1}};
  return WEFT_OK;
}

#define OPERATOR(symbol, type, fn)                                               \
  static const weft_op symbol = {WEFT_OP_HEAD,                                   \
                                 .name = type,                                   \
                                 .in = WEFT_PORTS({"x", NULL, WEFT_DT(BOOL)}),   \
                                 .out = WEFT_PORTS({"y", NULL, WEFT_DT(INT64)}), \
                                 .traits = WEFT_DATA_DEPENDENT,                  \
                                 .infer = infer,                                 \
                                 .infer_range = infer_range,                     \
                                 .execute = fn,                                  \
                                 .targets = WEFT_NAMES("cpu", "npusim")}
OPERATOR(one_pass, "PositionsAtMost", at_most);
OPERATOR(two_pass, "PositionsInTwo", in_two);

static weft_graph *graph(const char *type, int64_t n) {
  char text[256];
  weft_graph *g = NULL;
  int bytes = snprintf(text, sizeof text, "graph \"g\" { input x: bool[%lld] node p: %s(x) -> y output y }",
                       (long long)n, type);
  MUST(weft_graph_parse(env, text, (size_t)bytes, "bench", &g, &d));
  return g;
}

static double line(const char *device, const char *type, int64_t n, int64_t every) {
  weft_compile_options o = {.size = sizeof o, .device = device};
  weft_program *p;
  size_t runs;
  MUST(weft_compile(graph(type, n), &o, &p, &d));
  bed *b = open_bed(p, 1, false);
  shape_bed(b, 1);
  uint8_t *x = b->in[0].data;
  for (int64_t i = 0; i < n; i++)
    x[i] = i % every == 0;
  run(b);
  run(b);
  memset(part_ns, 0, sizeof part_ns);
  n_waits = n_calls = 0;
  bench_result r = time_runs(b, 5e7, &runs);
  int64_t true_n = (n + every - 1) / every;
  bool right = b->out[0].layout.origin.dim[0] == true_n;
  for (int64_t i = 0; right && i < true_n; i++)
    right = ((int64_t *)b->out[0].data)[i] == i * every;
  printf("%-10s %8lld %5lld  %-10s %10.2f", device, (long long)n, (long long)every,
         strcmp(type, "PositionsInTwo") ? "at most" : "two passes", r.median / 1e3);
  for (int k = 0; k < PARTS; k++)
    printf(" %9.2f", part_ns[k] / 1e3 / (double)n_calls);
  printf(" %6.2f %9.2f  %s\n", (double)n_waits / (double)n_calls, (double)given_bytes / 8 / (double)true_n,
         right ? "right" : "WRONG");
  close_bed(b);
  return r.median;
}

int main(void) {
  static const char *const devices[] = {"cpu", "npusim,cpu"};
  open_env();
  MUST(weft_register(env, &one_pass, 0, &d));
  MUST(weft_register(env, &two_pass, 0, &d));
  printf(
      "P14: positions of true elements of bool[N], one of EVERY is true: memory for N and the shape read "
      "back "
      "(24 bytes), beside\ncounting first; us a run (median) and, within execute, us a part; waits of the "
      "host a run; "
      "elements allocated / found.\nDevices in order of preference: of npusim,cpu a small one runs on the "
      "CPU.\n");
  printf("%-10s %8s %5s  %-10s %10s", "device", "N", "every", "way", "us a run");
  for (int k = 0; k < PARTS; k++)
    printf(" %9s", part_names[k]);
  printf(" %6s %9s\n", "waits", "allocated");
  for (size_t v = 0; v < 2; v++) {
    for (int64_t n = 64; n <= 262144; n *= 64) {
      for (int64_t every = 2; every <= 32; every *= 16) {
        double one = line(devices[v], "PositionsAtMost", n, every),
               two = line(devices[v], "PositionsInTwo", n, every);
        printf("%-10s %8s %5s  two passes / at most: %.2f\n", "", "", "", two / one);
      }
    }
  }
  weft_env_destroy(env);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
