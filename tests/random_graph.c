// random_graph.c - see random_graph.h. Values of one class have equal shapes in every run; an operator takes
// operands of one class, or makes a new one.
#include "random_graph.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { VALUES = 48, NODES = 14 };

typedef struct gen {
  uint64_t state;
  random_graph *out;
  size_t n;
  int count;
  int64_t classes;
  struct {
    char name[8];
    char type;  // 'f' f32, 'i' i32, 'l' i64
    int rank;
    int64_t class;  // 8 times a number, or 8 times another class and how it was made from it
  } v[VALUES];
} gen;

static uint64_t next(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}
static int pick(gen *g, int n) {
  return (int)(next(&g->state) % (uint64_t)n);
}

static void put(gen *g, const char *fmt, ...) WEFT_PRINTF(2, 3);
static void put(gen *g, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  int k = vsnprintf(g->out->text + g->n, sizeof g->out->text - g->n, fmt, ap);
  va_end(ap);
  if (k > 0 && (size_t)k < sizeof g->out->text - g->n)
    g->n += (size_t)k;
}

static const char *value(gen *g, const char *name, char type, int rank, int64_t class) {
  int i = g->count++;
  if (name)
    snprintf(g->v[i].name, sizeof g->v[i].name, "%s", name);
  else
    snprintf(g->v[i].name, sizeof g->v[i].name, "v%d", i);
  g->v[i].type = type;
  g->v[i].rank = rank;
  g->v[i].class = class;
  return g->v[i].name;
}

static int any(gen *g) {  // later values more often: long chains
  if (pick(g, 2))
    return g->count - 1 - pick(g, g->count < 4 ? g->count : 4);
  return pick(g, g->count);
}
static int partner(gen *g, int a) {
  int i = pick(g, g->count);
  for (int k = 0; k < g->count; k++, i = (i + 1) % g->count) {
    if (g->v[i].class == g->v[a].class && g->v[i].type == g->v[a].type && g->v[i].rank == g->v[a].rank)
      return i;
  }
  return a;
}

static const char *type_name(char type) {
  return type == 'f' ? "f32" : type == 'i' ? "i32" : "i64";
}

static void emit_elementwise(gen *g, int a) {
  static const char *const unary[] = {"Neg", "Abs", "Sign", "Identity", "Relu"};
  static const char *const binary[] = {"Add", "Sub", "Maximum", "Minimum", "Mul"};
  const char *x = g->v[a].name;
  char t = g->v[a].type;
  int k = g->count;
  int how = pick(g, 4);
  if (how == 0) {
    put(g, "node n%d: %s(%s) -> %s\n", k, unary[pick(g, t == 'f' ? 5 : 4)], x,
        value(g, NULL, t, g->v[a].rank, g->v[a].class));
  } else if (how == 1) {
    put(g, "const c%d: %s[]{%d}\n", k, type_name(t), pick(g, 4) - 1);
    put(g, "node n%d: %s(%s, c%d) -> %s\n", k, binary[pick(g, 5)], x, k,
        value(g, NULL, t, g->v[a].rank, g->v[a].class));
  } else {
    const char *y = g->v[partner(g, a)].name;
    put(g, "node n%d: %s(%s, %s) -> %s\n", k, binary[pick(g, t == 'f' ? 4 : 5)], x, y,
        value(g, NULL, t, g->v[a].rank, g->v[a].class));
  }
}

// What only makes another view, or moves elements.
static void emit_moves(gen *g, int a) {
  const char *x = g->v[a].name;
  char t = g->v[a].type;
  int k = g->count;
  int rank = g->v[a].rank;
  int64_t class = g->v[a].class;
  switch (pick(g, 4)) {
    case 0:
      put(g, "const s%d: i64[1]{-1}\nnode n%d: Reshape(%s, s%d) -> %s\n", k, k, x, k,
          value(g, NULL, t, 1, 8 * class + 1));
      break;
    case 1:
      put(g, "node n%d: Unsqueeze(%s) {axes=[0]} -> %s\n", k, x, value(g, NULL, t, rank + 1, 8 * class + 2));
      break;
    case 2:
      if (rank != 2)
        return;
      put(g, "node n%d: TransposeD(%s) {perm=[1,0]} -> %s\n", k, x, value(g, NULL, t, 2, 8 * class + 3));
      break;
    default: {
      if (!rank)
        return;
      int n = 2 + pick(g, 2);
      int b = partner(g, a);
      int c = partner(g, b);
      put(g, "const x%d: i32[]{%d}\nnode n%d: ConcatV2([%s, %s%s%s], x%d) {N=%d} -> %s\n", k,
          pick(g, 3) ? 0 : rank - 1, k, x, g->v[b].name, n == 3 ? ", " : "", n == 3 ? g->v[c].name : "", k, n,
          value(g, NULL, t, rank, 8 * g->classes++));
    }
  }
}

// Shapes that data decide.
static void emit_found(gen *g, int a) {
  const char *x = g->v[a].name;
  char t = g->v[a].type;
  int k = g->count;
  int rank = g->v[a].rank;
  switch (pick(g, 4)) {
    case 0:
      put(g, "node n%d: NonZero(%s) -> %s\n", k, x, value(g, NULL, 'l', 2, 8 * g->classes++));
      break;
    case 1:
      if (rank != 1)
        return;
      put(g, "node n%d: Unique(%s) -> %s, i%d\n", k, x, value(g, NULL, t, 1, 8 * g->classes++), k);
      break;
    case 2:  // the rows where something is not zero
      if (!rank)
        return;
      put(g,
          "node m%d: NonZero(%s) -> z%d\nconst b%d: i64[2]{0,0} const e%d: i64[2]{9223372036854775807,1}\n",
          k, x, k, k, k);
      put(g,
          "node o%d: StridedSliceV2(z%d, b%d, e%d) -> r%d\nconst s%d: i64[1]{-1}\nnode p%d: Reshape(r%d, "
          "s%d) -> q%d\n",
          k, k, k, k, k, k, k, k, k, k);
      put(g, "const x%d: i64[]{0}\nnode n%d: GatherV2(%s, q%d, x%d) -> %s\n", k, k, x, k, k,
          value(g, NULL, t, rank, 8 * g->classes++));
      break;
    default:  // as many elements as there are: a shape from computed contents
      put(g, "node m%d: Shape(%s) -> s%d\nconst k%d: %s[]{%d}\n", k, x, k, k, type_name(t), pick(g, 5));
      put(g, "node n%d: Fill(s%d, k%d) -> %s\n", k, k, k, value(g, NULL, t, rank, g->v[a].class));
  }
}

static void emit_calls(gen *g, int a) {
  const char *x = g->v[a].name;
  const char *t = type_name(g->v[a].type);
  char type = g->v[a].type;
  int k = g->count;
  int rank = g->v[a].rank;
  int64_t class = g->v[a].class;
  switch (pick(g, 4)) {
    case 0:
      put(g,
          "node n%d: If(c, [%s]) {then_branch=graph \"t%d\" {input a: %s[?] node r: Neg(a) -> y output y}, ",
          k, x, k, t);
      put(g,
          "else_branch=graph \"e%d\" {input a: %s[?] node r: Add(a, a) -> b node s: Abs(b) -> y output y}} "
          "-> [%s]\n",
          k, t, value(g, NULL, type, rank, class));
      break;
    case 1:
      put(g,
          "const m%d: i64[]{%d} const t%d: bool[]{1}\nnode n%d: Loop(m%d, t%d, [%s], []) {body=graph \"b%d\" "
          "{",
          k, pick(g, 4), k, k, k, k, x, k);
      put(g,
          "input i: i64[] input q: bool[] input v: %s[?] node d: Add(v, v) -> w node f: Neg(w) -> u node j: "
          "Identity(q) -> p "
          "output p output u output v}} -> [%s], [l%d]\n",
          t, value(g, NULL, type, rank, class), k);
      break;
    case 2: {
      const char *y = g->v[partner(g, a)].name;
      put(g, "node m%d: SeqConstruct([%s, %s]) -> s%d\nconst p%d: i64[]{%d}\n", k, x, y, k, k, pick(g, 2));
      put(g, "node n%d: SeqAt(s%d, p%d) -> %s\n", k, k, k, value(g, NULL, type, rank, class));
      break;
    }
    default:
      if (type == 'f')
        return;
      put(g, "node n%d: Cast(%s) {dst_type=0} -> %s\n", k, x, value(g, NULL, 'f', rank, class));
  }
}

void random_graph_make(uint64_t seed, random_graph *out) {
  gen g = {.state = seed * 7919 + 1, .out = out, .classes = 10};
  put(&g, "graph \"g\" {\ninput x: f32[N,M]\ninput y: f32[N,M]\ninput k: i32[K]\ninput c: bool[]\n");
  value(&g, "x", 'f', 2, 0);
  value(&g, "y", 'f', 2, 0);
  value(&g, "k", 'i', 1, 8);
  int nodes = 2 + pick(&g, NODES);
  for (int i = 0; i < nodes && g.count < VALUES - 1; i++) {
    int a = any(&g);
    int what = pick(&g, 10);
    if (g.v[a].rank > 5)
      a = 0;
    if (what < 5)
      emit_elementwise(&g, a);
    else if (what < 7)
      emit_moves(&g, a);
    else if (what < 8)
      emit_calls(&g, a);
    else
      emit_found(&g, a);
  }
  out->n_outputs = 1 + (size_t)pick(&g, 4);
  put(&g, "output %s\n", g.v[g.count - 1].name);
  for (size_t i = 1; i < out->n_outputs; i++)
    put(&g, "output %s\n", g.v[any(&g)].name);  // may repeat
  put(&g, "}\n");
}

weft_status random_graph_inputs(uint64_t seed, weft_tensor t[RANDOM_GRAPH_INPUTS], weft_diag *d) {
  uint64_t state = seed * 104729 + 3;
  weft_dim nm[2];
  weft_dim k;
  for (int i = 0; i < 2; i++)
    nm[i] = next(&state) % 6 ? 1 + (weft_dim)(next(&state) % 5) : 0;
  k = (weft_dim)(next(&state) % 6);
  for (int i = 0; i < 2; i++) {
    WEFT_TRY(weft_tensor_alloc(&t[i], WEFT_FLOAT, nm, 2, d));
    for (int64_t e = 0; e < nm[0] * nm[1]; e++)
      ((float *)t[i].data)[e] = (float)(next(&state) % 5) - 2;
  }
  WEFT_TRY(weft_tensor_alloc(&t[2], WEFT_INT32, &k, 1, d));
  for (int64_t e = 0; e < k; e++)
    ((int32_t *)t[2].data)[e] = (int32_t)(next(&state) % 5) - 2;
  WEFT_TRY(weft_tensor_alloc(&t[3], WEFT_BOOL, NULL, 0, d));
  *(uint8_t *)t[3].data = next(&state) & 1;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
