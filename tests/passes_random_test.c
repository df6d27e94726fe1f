// passes_random_test.c - random small graphs over some 40 operators before and after passes: all of them,
// each alone, random halves, a limited number of changes (R287). Passes that promise it keep every bit; the
// others stay within 1e-5 of the largest element. The seed of a failure is printed with the graph.
#include "check.h"
#include "ir/ir.h"
#include "passes_util.h"

enum { GRAPHS = 120, VALUES = 64 };

typedef struct gen {
  uint64_t state;
  char text[16384];
  size_t n, count;
  struct {
    char name[12];
    int64_t dim[4];
    int rank;
    bool known;  // a constant
  } v[VALUES];
} gen;

static uint64_t pick(gen *g, uint64_t n) {
  return passes_random(&g->state) % n;
}
static void put(gen *g, const char *fmt, ...) WEFT_PRINTF(2, 3);
static void put(gen *g, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  int k = vsnprintf(g->text + g->n, sizeof g->text - g->n, fmt, ap);
  va_end(ap);
  if (k > 0 && (size_t)k < sizeof g->text - g->n)
    g->n += (size_t)k;
}
static size_t value(gen *g, const int64_t *dim, int rank) {
  size_t i = g->count++;
  snprintf(g->v[i].name, sizeof g->v[i].name, "v%zu", i);
  g->v[i].rank = rank;
  g->v[i].known = false;
  for (int k = 0; k < 4; k++)
    g->v[i].dim[k] = k < rank ? dim[k] : 1;
  return i;
}
static void put_dims(gen *g, const int64_t *dim, int rank) {
  put(g, "[");
  for (int i = 0; i < rank; i++)
    put(g, "%s%lld", i ? "," : "", (long long)dim[i]);
  put(g, "]");
}
static int64_t elems(const gen *g, size_t v) {
  int64_t n = 1;
  for (int i = 0; i < g->v[v].rank; i++)
    n *= g->v[v].dim[i];
  return n;
}

// A constant that is often something special: 0, -0, 1, a power of two.
static size_t constant(gen *g, const char *dtype, const int64_t *dim, int rank) {
  static const char *const special[] = {"0", "-0", "1", "2", "0.5", "6", "3", "-1"};
  static const char *const whole[] = {"0", "1", "2", "-1"};
  bool real = dtype[0] == 'f';
  size_t c = value(g, dim, rank);
  g->v[c].known = true;
  put(g, "const %s: %s", g->v[c].name, dtype);
  put_dims(g, dim, rank);
  if (pick(g, 2) || elems(g, c) == 0) {
    put(g, "{*%s}\n", real ? special[pick(g, 8)] : whole[pick(g, 4)]);
    return c;
  }
  put(g, "{");
  for (int64_t i = 0; i < elems(g, c); i++)
    put(g, real ? "%s%.3f" : "%s%.0f", i ? "," : "", (double)pick(g, 4000) / 1000 - 2);
  put(g, "}\n");
  return c;
}

static size_t any(gen *g) {
  size_t i;
  do {
    i = (size_t)pick(g, g->count);
    if (pick(g, 2))
      i = g->count - 1 - (size_t)pick(g, g->count < 4 ? g->count : 4);
  } while (g->v[i].known && pick(g, 3));
  return i;
}

// A second operand: the same shape, or a constant that broadcasts.
static size_t partner(gen *g, size_t a, const char *dtype) {
  int64_t dim[4];
  int rank = g->v[a].rank;
  memcpy(dim, g->v[a].dim, sizeof dim);
  for (size_t i = g->count; i-- > 0;) {
    if (i != a && g->v[i].rank == rank && !memcmp(g->v[i].dim, dim, (size_t)rank * sizeof *dim) && pick(g, 2))
      return i;
  }
  if (pick(g, 2))
    return constant(g, dtype, dim, 0);
  for (int i = 0; i < rank; i++) {
    if (pick(g, 2))
      dim[i] = 1;
  }
  int drop = rank ? (int)pick(g, (uint64_t)rank) : 0;
  return constant(g, dtype, dim + drop, rank - drop);
}

static void shuffle(gen *g, int *p, int rank) {
  for (int i = 0; i < rank; i++)
    p[i] = i;
  for (int i = rank; i-- > 1;) {
    int k = (int)pick(g, (uint64_t)i + 1);
    int t = p[i];
    p[i] = p[k];
    p[k] = t;
  }
}

static void emit_view(gen *g, size_t a) {
  int64_t dim[4] = {elems(g, a), 1, 1, 1};
  int rank = 1 + (int)pick(g, 3);
  for (int i = 1; i < rank; i++) {
    int64_t f = dim[0] % 3 == 0 && pick(g, 2) ? 3 : dim[0] % 2 == 0 ? 2 : 1;
    dim[i] = f;
    dim[0] /= f;
  }
  if (pick(g, 3) == 0 && g->v[a].rank < 4) {
    memcpy(dim, g->v[a].dim, sizeof dim);
    rank = g->v[a].rank + 1;
    memmove(dim + 1, g->v[a].dim, 3 * sizeof *dim);
    dim[0] = 1;
    size_t y = value(g, dim, rank);
    put(g, "node n%zu: Unsqueeze(%s) {axes=[0]} -> %s\n", y, g->v[a].name, g->v[y].name);
    return;
  }
  size_t s = g->count;
  put(g, "const s%zu: i64[%d]{", s, rank);
  for (int i = 0; i < rank; i++)
    put(g, "%s%lld", i ? "," : "", (long long)dim[i]);
  put(g, "}\n");
  size_t y = value(g, dim, rank);
  put(g, "node n%zu: Reshape(%s, s%zu) -> %s\n", y, g->v[a].name, s, g->v[y].name);
}

static void emit_transpose(gen *g, size_t a) {
  int p[4];
  int64_t dim[4] = {1, 1, 1, 1};
  shuffle(g, p, g->v[a].rank);
  for (int i = 0; i < g->v[a].rank; i++)
    dim[i] = g->v[a].dim[p[i]];
  size_t y = value(g, dim, g->v[a].rank);
  put(g, "node n%zu: TransposeD(%s) {perm=[", y, g->v[a].name);
  for (int i = 0; i < g->v[a].rank; i++)
    put(g, "%s%d", i ? "," : "", p[i]);
  put(g, "]} -> %s\n", g->v[y].name);
}

static void emit_product(gen *g, size_t a) {
  int64_t dim[4];
  int64_t inner = g->v[a].dim[g->v[a].rank - 1];
  int64_t wide[4] = {inner, 1 + (int64_t)pick(g, 4), 1, 1};
  bool turn = pick(g, 2);
  memcpy(dim, g->v[a].dim, sizeof dim);
  dim[g->v[a].rank - 1] = wide[1];
  if (turn) {
    wide[0] = wide[1];
    wide[1] = inner;
  }
  size_t w = constant(g, "f32", wide, 2);
  size_t y = value(g, dim, g->v[a].rank);
  put(g, "node n%zu: BatchMatMulV2(%s, %s) {adj_x2=%s} -> %s\n", y, g->v[a].name, g->v[w].name,
      turn ? "true" : "false", g->v[y].name);
}

static void emit_reduce(gen *g, size_t a) {
  static const char *const ops[] = {"ReduceMean", "ReduceSum", "ReduceMax"};
  int64_t dim[4];
  int axis = (int)pick(g, (uint64_t)g->v[a].rank);
  memcpy(dim, g->v[a].dim, sizeof dim);
  dim[axis] = 1;
  size_t y = value(g, dim, g->v[a].rank);
  put(g, "const ax%zu: i64[1]{%d}\nnode n%zu: %s(%s, ax%zu) {keep_dims=true} -> %s\n", y, axis, y,
      ops[pick(g, 3)], g->v[a].name, y, g->v[y].name);
}

static void emit_moves(gen *g, size_t a) {
  int64_t dim[4];
  memcpy(dim, g->v[a].dim, sizeof dim);
  int rank = g->v[a].rank;
  int axis = (int)pick(g, (uint64_t)rank);
  size_t y;
  if (pick(g, 2)) {
    size_t b = partner(g, a, "f32");
    if (g->v[b].rank != rank || memcmp(g->v[b].dim, dim, (size_t)rank * sizeof *dim))
      b = a;
    dim[axis] *= 2;
    y = value(g, dim, rank);
    put(g, "const ax%zu: i32[]{%d}\nnode n%zu: ConcatV2([%s, %s], ax%zu) {N=2} -> %s\n", y, axis, y,
        g->v[a].name, g->v[b].name, y, g->v[y].name);
    return;
  }
  int64_t begin = (int64_t)pick(g, 2) && dim[axis] > 1 ? 1 : 0;
  dim[axis] -= begin;
  y = value(g, dim, rank);
  put(g, "const b%zu: i64[1]{%lld} const e%zu: i64[1]{9223372036854775807} const ax%zu: i64[1]{%d}\n", y,
      (long long)begin, y, y, axis);
  put(g, "node n%zu: StridedSliceV2(%s, b%zu, e%zu, ax%zu) -> %s\n", y, g->v[a].name, y, y, y, g->v[y].name);
}

static void emit(gen *g, const char *dtype) {
  static const char *const unary[] = {"Neg", "Abs", "Relu", "Identity", "Sign", "Square"};
  static const char *const real[] = {"Tanh",     "Sigmoid", "Floor",       "Relu6",
                                     "Softplus", "Erf",     "HardSigmoid", "Ceil"};
  static const char *const binary[] = {"Add", "Sub", "Mul", "Maximum", "Minimum", "Div"};
  bool is_real = dtype[0] == 'f';
  size_t a = any(g);
  size_t b;
  size_t y;
  uint64_t what = pick(g, 20);
  if (what < 5) {
    bool more = is_real && pick(g, 2);
    y = value(g, g->v[a].dim, g->v[a].rank);
    put(g, "node n%zu: %s(%s) -> %s\n", y, more ? real[pick(g, 8)] : unary[pick(g, 6)], g->v[a].name,
        g->v[y].name);
  } else if (what < 11) {
    b = partner(g, a, dtype);
    const char *op = binary[pick(g, is_real ? 6 : 5)];
    bool swap = pick(g, 2);
    y = value(g, g->v[a].dim, g->v[a].rank);
    put(g, "node n%zu: %s(%s, %s) -> %s\n", y, op, g->v[swap ? b : a].name, g->v[swap ? a : b].name,
        g->v[y].name);
  } else if (what < 14 && elems(g, a) > 0) {
    emit_view(g, a);
  } else if (what < 16 && g->v[a].rank > 1) {
    emit_transpose(g, a);
  } else if (what < 17 && is_real && g->v[a].rank > 1) {
    emit_product(g, a);
  } else if (what < 18 && is_real && g->v[a].rank > 0) {
    emit_reduce(g, a);
  } else if (g->v[a].rank > 0 && elems(g, a) < 200) {
    emit_moves(g, a);
  }
}

static void generate(gen *g, uint64_t seed, const char *dtype) {
  g->state = seed * 977 + 5;
  g->n = g->count = 0;
  put(g, "graph \"g\" {\n");
  for (int i = 0; i < 2; i++) {
    int64_t dim[4];
    int rank = 1 + (int)pick(g, 3);
    for (int k = 0; k < 4; k++)
      dim[k] = pick(g, 12) ? 1 + (int64_t)pick(g, 4) : 0;
    size_t x = value(g, dim, rank);
    put(g, "input %s: %s", g->v[x].name, dtype);
    put_dims(g, dim, rank);
    put(g, "\n");
  }
  for (int i = 0; i < 14 && g->count < VALUES - 8; i++)
    emit(g, dtype);
  bool given[VALUES] = {false};
  for (int i = 0; i < 3; i++) {
    size_t y = i ? any(g) : g->count - 1;
    if (!given[y])
      put(g, "output %s\n", g->v[y].name);
    given[y] = true;
  }
  put(g, "}\n");
}

static const char *const exact[] = {"fold-constants",   "drop-dead",   "merge-equal",
                                    "simplify-algebra", "merge-views", "move-transposes",
                                    "simplify-control"};

static void one(passes_fixture *f, uint64_t seed, const char *const *options, size_t n, double rtol,
                const char *what) {
  weft_diag_clear(&f->d);
  if (passes_optimize(f, options, n) || passes_same_results(f, rtol, 2)) {
    check_failed(__FILE__, __LINE__, "seed %llu, %s: %s\n%s\n%s", (unsigned long long)seed, what, f->d.text,
                 f->log, f->text);
  }
}

// Returns how many changes all passes together made; -1: no graph.
static long check_graph(uint64_t seed, const char *dtype) {
  static gen g;
  passes_fixture f;
  double rtol = dtype[0] == 'f' ? 1e-5 : 0;
  generate(&g, seed, dtype);
  if (passes_open(&f, g.text)) {  // what cannot be inferred (an integer division by 0) is no graph
    passes_close(&f);
    return -1;
  }
  one(&f, seed, NULL, 0, rtol, "all passes");
  size_t changes = f.sum.changes;
  const char *only[2] = {"passes=0", NULL};
  const char *half[1];
  const char *limit[1];
  char text[64];
  for (size_t i = 0; weft_pass_at(f.env, i); i++) {
    const char *name = weft_pass_at(f.env, i)->name;
    bool bits = false;
    for (size_t k = 0; k < sizeof exact / sizeof *exact; k++)
      bits |= !strcmp(exact[k], name);
    snprintf(text, sizeof text, "%s=1", name);
    only[1] = text;
    one(&f, seed, only, 2, bits ? 0 : rtol, name);
  }
  half[0] = text;
  for (unsigned k = 0; k < 3; k++) {
    snprintf(text, sizeof text, "passes-seed=%u", (unsigned)seed * 3 + k);
    one(&f, seed, half, 1, rtol, text);
  }
  limit[0] = text;
  for (size_t k = 0; k < changes && k < 4; k++) {
    snprintf(text, sizeof text, "passes-limit=%zu", k);
    one(&f, seed, limit, 1, rtol, text);
    if (f.sum.changes > k + 1) {
      check_failed(__FILE__, __LINE__, "seed %llu: %zu changes with %s", (unsigned long long)seed,
                   f.sum.changes, text);
    }
  }
  passes_close(&f);
  return (long)changes;
}

// Most graphs must be ones, and give passes something to do.
static void check_graphs(uint64_t first, const char *even, const char *odd) {
  long graphs = 0;
  long changes = 0;
  const char *more = getenv("WEFT_TEST_GRAPHS");
  uint64_t n = more ? strtoull(more, NULL, 10) : GRAPHS;
  for (uint64_t i = 0; i < n; i++) {
    long made = check_graph(first + i, i % 4 == 3 ? odd : even);
    graphs += made >= 0;
    changes += made > 0 ? made : 0;
  }
  CHECK(graphs * 10 > (long)n * 8);
  CHECK(changes > 2 * (long)n);
}

TEST(r287_floats) {
  check_graphs(0, "f32", "f64");
}
TEST(r287_integers) {
  check_graphs(100000, "i32", "i8");
}
// SPDX-License-Identifier: Apache-2.0
