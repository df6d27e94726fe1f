// pass_expand_einsum_test.c - Einsum and what expand-einsum makes of it: the operators that are left, what it
// says of those that it leaves, and the same results on random inputs for many random equations: bit for bit
// where they are integers.
#include "check.h"
#include "passes_util.h"
#include "tensor/tensor.h"

typedef struct einsum_case {
  const char *want;  // operators afterwards
  const char *text;
  const char *said;  // part of the report; NULL: anything
} einsum_case;

#define G(...)          "graph \"g\" {\n" __VA_ARGS__ "\n}\n"
#define ONE(eq)         "node e: Einsum([a]) {equation=\"" eq "\", N=1} -> y output y"
#define TWO(eq)         "node e: Einsum([a, b]) {equation=\"" eq "\", N=2} -> y output y"
#define THREE(eq)       "node e: Einsum([a, b, c]) {equation=\"" eq "\", N=3} -> y output y"
#define MAT             "BatchMatMulV2"
#define HEADS           "input a: f32[2,5,3,4] input b: f32[2,6,3,4] "
#define ONES            "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"
#define I64(name, dims) "input " name ": i64" dims " "

static const einsum_case cases[] = {
    // ---- one operand ----
    {"Identity", G(I64("a", "[2,3]") ONE("ij->ij"))},
    {"TransposeD", G(I64("a", "[2,3]") ONE("ij->ji"))},
    {"TransposeD", G("input a: f32[N,-1] " ONE("ij->ji"))},
    {"ReduceSum,TransposeD", G("input a: i8[2,3,4] " ONE("ijk->ki"))},
    {"ReduceSum", G(I64("a", "[2,3]") ONE("ij->"))},
    {"FlattenV2,StridedSliceV2", G(I64("a", "[4,3,3]") ONE("bii->bi"))},
    {"TransposeD,FlattenV2,StridedSliceV2,ReduceSum", G(I64("a", "[3,4,3]") ONE("ibi->b"))},
    {"Squeeze,ReduceSum", G(I64("a", "[3,4,1]") ONE("ibi->b"))},  // an axis of size 1 is broadcast
    {"FlattenV2,StridedSliceV2,FlattenV2,StridedSliceV2", G(I64("a", "[3,3,3]") ONE("iii->i"))},
    {"Einsum", G(I64("a", "[-1,-1]") ONE("ii->i")), "length of a diagonal"},
    {"Einsum", G("input a: f32[?] " ONE("...i->...")), "rank is not known"},
    {"Einsum", G(I64("a", ONES) ONE("abcdefghijklmnopqrstuvwx->")), "more than 23 letters"},
    // ---- products ----
    {MAT, G(I64("a", "[2,3]") I64("b", "[3,4]") TWO("ij,jk->ik"))},
    {MAT, G(I64("a", "[3,2]") I64("b", "[4,3]") TWO("ji,kj->ik"))},  // flags
    {MAT, G(I64("a", "[2,3]") I64("b", "[3,4]") TWO("ij,jk->ki"))},  // the other way round
    {MAT, G(I64("a", "[5,2,3]") I64("b", "[5,4,3]") TWO("bij,bkj->bik"))},
    {MAT, G(I64("a", "[5,2,3]") I64("b", "[3,4]") TWO("...ij,jk->...ik"))},
    {"TransposeD,TransposeD," MAT, G(HEADS TWO("bqhd,bkhd->bhqk"))},
    {"TransposeD," MAT ",TransposeD",
     G("input a: f32[2,3,5,6] input b: f32[2,6,3,4] " TWO("bhqk,bkhd->bqhd"))},
    {"FlattenV2," MAT ",Reshape", G(I64("a", "[2,3,4]") I64("b", "[4,5,6]") TWO("bsd,dhk->bshk"))},
    {"FlattenV2,FlattenV2," MAT, G(I64("a", "[2,3,4,5]") I64("b", "[4,5,6]") TWO("bshk,hkd->bsd"))},
    {"Unsqueeze," MAT ",Squeeze", G(I64("a", "[3]") I64("b", "[3,4]") TWO("j,jk->k"))},
    {"Unsqueeze,Unsqueeze," MAT ",Squeeze", G(I64("a", "[5,3]") I64("b", "[5,3]") TWO("bj,bj->b"))},
    {"FlattenV2,Unsqueeze," MAT ",Squeeze,Reshape",  // the batch is one, so that nothing is transposed
     G(I64("a", "[2,32,4,5]") I64("b", "[32]") TWO("bchw,c->bhw"))},
    {"Unsqueeze,Mul", G(I64("a", "[3]") I64("b", "[4]") TWO("i,j->ij"))},
    {"Unsqueeze,Mul", G(I64("a", "[2,3,4]") I64("b", "[3]") TWO("bij,i->bij"))},
    {"Cast,Cast,ReduceSum," MAT ",Cast",  // halves are rounded once
     G("input a: f16[2,3] input b: f16[3,4,5] " TWO("ij,jkl->ik"))},
    {MAT, G("input a: bf16[2,3] input b: bf16[3,4] " TWO("ij,jk->ik"))},
    {"Squeeze,ReduceSum,Unsqueeze,Mul", G(I64("a", "[2,1]") I64("b", "[3,4]") TWO("ij,jk->ik"))},
    // ---- more than two ----
    {MAT "," MAT, G(I64("a", "[2,30]") I64("b", "[30,4]") I64("c", "[4,5]") THREE("ij,jk,kl->il"))},
    {MAT "," MAT, G(I64("a", "[20,3]") I64("b", "[3,40]") I64("c", "[40,2]") THREE("ij,jk,kl->il"))},
    // ---- dims that are not known ----
    {MAT, G("input a: f32[-1,8] input b: f32[8,-1] " TWO("ij,jk->ik"))},
    {"TransposeD,TransposeD," MAT, G("input a: f32[B,Q,3,4] input b: f32[B,K,3,4] " TWO("bqhd,bkhd->bhqk"))},
    {"FlattenV2," MAT ",Reshape", G("input a: f32[-1,-1,4] input b: f32[4,5,6] " TWO("bsd,dhk->bshk"))},
    {"FlattenV2,FlattenV2," MAT, G("input a: f32[-1,-1,4,5] input b: f32[4,5,6] " TWO("bshk,hkd->bsd"))},
    {MAT, G("input a: f32[-1,N] input b: f32[N,-1] " TWO("ij,jk->ik"))},
    {"Einsum", G("input a: f32[2,-1] input b: f32[-1,3] " TWO("ij,jk->ik")), "may be broadcast"},
    {"Einsum", G("input a: f32[2,5] input b: f32[-1,3] " TWO("ij,jk->ik")), "may be broadcast"},
    {"Einsum", G("input a: i8[2,5] input b: i8[5,3] " TWO("ij,jk->ik")), "no product"},
};

static void run_case(const char *want, const char *said, const char *text, double rtol, const char *what) {
  static const char *const only[2] = {"passes=0", "expand-einsum=1"};
  passes_fixture f;
  char got[512] = "";
  if (passes_open(&f, text) || passes_optimize(&f, only, 2))
    check_failed(__FILE__, __LINE__, "%s: %s\n%s", what, f.d.text, text);
  else
    passes_types(f.g, got);
  if (want && strcmp(got, want))
    check_failed(__FILE__, __LINE__, "%s: got %s, expected %s\n%s%s", what, got, want, f.log, text);
  if (said && !strstr(f.log, said))
    check_failed(__FILE__, __LINE__, "%s: the report does not say '%s':\n%s%s", what, said, f.log, text);
  if (!f.d.status && passes_same_results(&f, rtol, 5))
    check_failed(__FILE__, __LINE__, "%s: %s\n%s", what, f.d.text, text);
  if (!f.d.status && (passes_again(&f, only, 2) || f.sum.changes))
    check_failed(__FILE__, __LINE__, "%s: a second run makes %zu changes: %s", what, f.sum.changes, f.log);
  passes_close(&f);
}

TEST(r290_expand_einsum) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char what[32];
    snprintf(what, sizeof what, "case %zu", i);
    run_case(cases[i].want, cases[i].said, cases[i].text, 1e-5, what);
  }
}

// ---- random equations of 64-bit integers ----

enum { EQUATIONS = 400 };
typedef struct gen {
  uint64_t state;
  int64_t dim[6];
  char text[2048];
  size_t n;
} gen;
static size_t pick(gen *g, size_t n) {
  return (size_t)(passes_random(&g->state) % n);
}
static void put(gen *g, const char *fmt, ...) WEFT_PRINTF(2, 3);
static void put(gen *g, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(g->text + g->n, sizeof g->text - g->n, fmt, ap);
  va_end(ap);
  if (n > 0)
    g->n += (size_t)n;
}

// A term of up to 4 of 6 letters; unique: none twice.
static size_t term(gen *g, char *out, bool unique, const char *from) {
  size_t n = 0;
  size_t want = pick(g, 5);
  size_t have = strlen(from);
  for (size_t k = 0; k < 12 && n < want && have; k++) {
    char c = from[pick(g, have)];
    out[n] = 0;
    if (!strchr(out, c) || (!unique && pick(g, 3) == 0))
      out[n++] = c;
  }
  out[n] = 0;
  return n;
}

// Twenty letters, most of them in two of four operands: what two of these give has more axes than any of
// them.
TEST(r287_many_letters) {
  static const char equation[] = "abcdefghijk,abcdlmnopqr,efghlmnost,ijkopqrst->";
  gen g = {0};
  put(&g, "graph \"g\" {\n");
  const char *at = equation;
  for (int i = 0; i < 4; i++, at++) {
    put(&g, "input x%d: i64[", i);
    for (const char *from = at; *at >= 'a'; at++)
      put(&g, "%s%d", at == from ? "" : ",", 1 + (*at - 'a') % 2);
    put(&g, "]\n");
  }
  put(&g, "node e: Einsum([x0, x1, x2, x3]) {equation=\"%s\", N=4} -> y output y\n}\n", equation);
  run_case(NULL, NULL, g.text, 0, "many letters");
}

static void dims_of(gen *g, const char *letters, bool named) {
  put(g, "[");
  for (size_t i = 0; letters[i]; i++) {
    size_t at = (size_t)(letters[i] - 'a');
    size_t how = pick(g, 12);
    put(g, i ? "," : "");
    if (named && how < 4)
      put(g, "%c", 'N' + (char)at);
    else
      put(g, "%lld", how == 11 ? 1LL : (long long)g->dim[at]);
  }
  put(g, "]");
}

TEST(r287_random_equations) {
  for (uint64_t seed = 0; seed < EQUATIONS; seed++) {
    gen g = {.state = seed};
    char terms[4][8];
    char all[40] = "";
    char y[8];
    bool named = pick(&g, 3) == 0;  // symbols: the interpreter gives all of them 3
    size_t count = 1 + pick(&g, 4);
    for (size_t i = 0; i < 6; i++)
      g.dim[i] = named ? 3 : pick(&g, 15) ? (int64_t)(1 + pick(&g, 4)) : 0;
    put(&g, "graph \"g\" {\n");
    for (size_t i = 0; i < count; i++) {
      term(&g, terms[i], pick(&g, 4) > 0, "abcdef");
      strcat(all, terms[i]);
      put(&g, "input x%zu: i64", i);
      dims_of(&g, terms[i], named);
      put(&g, "\n");
    }
    term(&g, y, true, all);
    put(&g, "node e: Einsum([");
    for (size_t i = 0; i < count; i++)
      put(&g, "%sx%zu", i ? ", " : "", i);
    put(&g, "]) {equation=\"");
    for (size_t i = 0; i < count; i++)
      put(&g, "%s%s", i ? "," : "", terms[i]);
    put(&g, "->%s\", N=%zu} -> y output y\n}\n", y, count);
    char what[32];
    snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
    run_case(NULL, NULL, g.text, 0, what);
  }
}
// SPDX-License-Identifier: Apache-2.0
