// bench_plan.c - the memory plan: how far its arena is above the lower bound, on random graphs of several
// kinds, and how long planning takes (P2; goal: 1.02 in the mean). Seeds are fixed: the ratios are the same
// on every machine.
#include <math.h>

#include "bench.h"
#include "plan/plan.h"

enum { GRAPHS = 1000, MOST = 200 * 1000, ROUNDS = 5 };

static weft_span span[MOST];
static uint32_t n;
static uint64_t state;

static uint32_t draw(uint32_t below) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(((state >> 33) * below) >> 31);
}

static uint64_t draw_bytes(void) {  // 256 B to 4 MiB, all magnitudes alike
  return (uint64_t)exp2(8 + 14 * (draw(1 << 20) / (double)(1 << 20))) & ~UINT64_C(3);
}

// A node's result; its inputs are told by `use`.
static uint32_t node(uint64_t bytes) {
  span[n] = (weft_span){.bytes = bytes, .first = n, .last = n, .into = WEFT_NO_SPAN, .fixed = -1};
  return n++;
}

static uint32_t use(uint32_t input, uint32_t by) {
  if (span[input].last < by)
    span[input].last = by;
  return by;
}

static void dag(uint32_t nodes) {  // each reads one to three earlier results, mostly late ones
  while (n < nodes) {
    uint32_t x = node(draw_bytes());
    uint32_t inputs = 1 + draw(3);
    for (uint32_t i = 0; i < inputs && x; i++) {
      uint32_t back = draw(4) ? 1 + draw(8) : 1 + draw(x);
      use(x - (back > x ? x : back), x);
    }
  }
}

static void lifetimes(uint32_t nodes) {  // any first and last step: harder than graphs
  for (uint32_t i = 0; i < nodes; i++) {
    uint32_t x = node(draw_bytes());
    span[x].first = draw(nodes);
    span[x].last = span[x].first + draw(nodes - span[x].first);
  }
}

static void chain(uint32_t nodes) {
  while (n < nodes) {
    uint32_t x = node(draw_bytes());
    if (x)
      use(x - 1, x);
  }
}

static void ladder(uint32_t nodes) {  // blocks of a few results; the input of a block is added to its output
  uint32_t in = node(draw_bytes());
  while (n < nodes) {
    uint32_t x = in;
    uint32_t depth = 1 + draw(4);
    while (depth--)
      x = use(x, node(draw_bytes()));
    in = use(in, x);
  }
}

static void u_net(uint32_t nodes) {  // halves the size going down, joins the same level going up
  uint32_t levels = 3 + draw(4);
  uint32_t skip[8];
  uint32_t x = 0;
  uint32_t each = nodes / (2 * levels) + 1;
  uint64_t bytes = (draw_bytes() | 1 << 20) & ~UINT64_C(63);
  x = node(bytes);
  for (uint32_t l = 0; l < levels; l++, bytes = bytes / 2 & ~UINT64_C(63)) {
    for (uint32_t i = 0; i < each; i++)
      x = use(x, node(bytes));
    skip[l] = x;
    x = use(x, node(bytes / 4));
  }
  for (uint32_t l = levels; l-- > 0;) {
    bytes *= 2;
    x = use(x, node(bytes));
    x = use(skip[l], use(x, node(2 * bytes)));
    for (uint32_t i = 0; i < each; i++)
      x = use(x, node(bytes));
  }
}

static void inception(uint32_t nodes) {  // branches of different depth, all joined
  uint32_t in = node(draw_bytes());
  while (n < nodes) {
    uint32_t branches = 2 + draw(4);
    uint32_t end[6];
    for (uint32_t b = 0; b < branches; b++) {
      uint32_t depth = 1 + draw(3);
      uint32_t x = in;
      while (depth--)
        x = use(x, node(draw_bytes()));
      end[b] = x;
    }
    in = node(draw_bytes());
    for (uint32_t b = 0; b < branches; b++)
      use(end[b], in);
  }
}

static double plan(weft_plan_result *r) {
  weft_diag d = {0};
  uint32_t steps = 0;
  for (uint32_t i = 0; i < n; i++)
    steps = span[i].last >= steps ? span[i].last + 1 : steps;
  weft_plan_input in = {.span = span, .n_spans = n, .n_steps = steps};
  double t = bench_now_ns();
  if (weft__plan_memory(&in, NULL, r, &d))
    bench_die(&d);
  t = bench_now_ns() - t;
  if (weft__plan_check(&in, r, NULL, &d))
    bench_die(&d);
  return t;
}

typedef struct family {
  const char *name;
  void (*make)(uint32_t nodes);
} family;
static const family families[] = {{"random graphs", dag}, {"random lifetimes", lifetimes},
                                  {"chains", chain},      {"ladders", ladder},
                                  {"U-nets", u_net},      {"inception", inception}};

static void ratios(const family *f) {
  double sum = 0, worst = 0, reuse = 0, ns = 0, longest = 0;
  int at_bound = 0;
  int worst_seed = 0;
  for (int seed = 0; seed < GRAPHS; seed++) {
    weft_plan_result r;
    state = (uint64_t)seed * 7919 + 1;
    n = 0;
    f->make(20 + draw(381));
    double t = plan(&r), ratio = (double)r.peak_bytes / (double)r.bound_bytes;
    ns += t;
    longest = t > longest ? t : longest;
    sum += ratio;
    reuse += (double)r.peak_bytes / (double)r.sum_bytes;
    at_bound += ratio < 1.001;
    if (ratio > worst) {
      worst = ratio;
      worst_seed = seed;
    }
  }
  printf("%-18s %8.4f %8.4f (%3d) %7.1f%% %8.1f%% %10.2f %9.2f\n", f->name, sum / GRAPHS, worst, worst_seed,
         100.0 * at_bound / GRAPHS, 100 * reuse / GRAPHS, ns / GRAPHS * 1e-6, longest * 1e-6);
}

static void times(const char *what, void (*make)(uint32_t), uint32_t nodes) {
  double ns[ROUNDS];
  weft_plan_result r = {0};
  for (int i = 0; i < ROUNDS; i++) {
    state = 1;
    n = 0;
    make(nodes);
    ns[i] = plan(&r);
  }
  bench_result b = bench_summary(ns, ROUNDS);
  printf("%-18s %8u %9.2f %9.2f %9.4f\n", what, (unsigned)n, b.min * 1e-6, b.median * 1e-6,
         (double)r.peak_bytes / (double)r.bound_bytes);
}

int main(void) {
  printf("memory plan, %d graphs of each kind, 20 to 400 spans of 256 B to 4 MiB\n", GRAPHS);
  printf("%-18s %8s %14s %8s %9s %10s %9s\n", "peak / bound:", "mean", "worst (seed)", "at bound", "of sum",
         "ms mean", "ms worst");
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    ratios(&families[i]);
  printf("\n%-18s %8s %9s %9s %9s\n", "plan times:", "spans", "min ms", "median", "ratio");
  times("chain", chain, 20000);
  times("ladder", ladder, 20000);
  times("inception", inception, 20000);
  times("random graph", dag, 20000);
  times("random lifetimes", lifetimes, 5000);
  times("chain", chain, 100000);
  times("ladder", ladder, 100000);
  times("inception", inception, 100000);
  times("random graph", dag, 100000);
  times("random lifetimes", lifetimes, 100000);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
