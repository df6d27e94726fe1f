// pass_match_attention_test.c - attention of exporters and what match-attention makes of it: the operators
// that are left, what it says of those that it leaves, the same results on random inputs (with NaN and
// infinities), nothing to do the second time, and nothing done when it is switched off.
#include "check.h"
#include "ir/ir.h"
#include "passes_util.h"
#include "tensor/tensor.h"

typedef struct attention_case {
  const char *want;  // operators afterwards
  const char *text;
  const char *said;  // part of the report; NULL: anything
} attention_case;

#define G(...)  "graph \"g\" {\n" __VA_ARGS__ "\n}\n"
#define QKV     "input q: f32[2,3,4,5] input k: f32[2,3,6,5] input v: f32[2,3,6,7] "
#define QK      "node a: BatchMatMulV2(q, k) {adj_x2=true} -> a "
#define SOFTMAX "node p: SoftmaxV2(s) {axes=[-1]} -> p "
#define PV      "node o: BatchMatMulV2(p, v) -> o output o"
#define SCALE   "const c: f32[]{0.5} node s: Mul(a, c) -> s "
#define SHAPES  "const swap: i64[4]{0,2,1,3} const turn: i64[4]{0,2,3,1} const last: i64[4]{0,1,3,2} "

static const attention_case cases[] = {
    // ---- scales, masks ----
    {"PromptFlashAttention", G(QKV QK SCALE SOFTMAX PV)},
    {"PromptFlashAttention", G(QKV QK "const c: f32[1]{2} node s: Div(a, c) -> s " SOFTMAX PV)},
    {"PromptFlashAttention",  // no scale
     G(QKV "node a: BatchMatMulV2(q, k) {adj_x2=true} -> s " SOFTMAX PV)},
    {"PromptFlashAttention",  // both operands scaled
     G(QKV "const c: f32[]{0.5} node b: Mul(q, c) -> b node d: Mul(c, k) -> d node a: BatchMatMulV2(b, d) "
           "{adj_x2=true} "
           "-> s " SOFTMAX PV),
     NULL},
    {"Mul,PromptFlashAttention",  // a scale that makes the rank: it stays where it is
     G("input q: f32[3,4,5] input k: f32[2,3,6,5] input v: f32[2,3,6,7] const c: f32[1,1,1,1]{0.5} node b: "
       "Mul(q, c) -> b node a: BatchMatMulV2(b, k) {adj_x2=true} -> s " SOFTMAX PV)},
    {"PromptFlashAttention",
     G("input m: f32[2,1,1,6] " QKV QK "const c: f32[]{0.5} node b: Mul(a, c) -> b node s: Add(b, m) "
       "-> s " SOFTMAX PV)},
    {"PromptFlashAttention", G("input m: f32[4,6] " QKV QK "node s: Add(m, a) -> s " SOFTMAX PV)},
    {"Unsqueeze,PromptFlashAttention", G("input m: f32[3,4,6] " QKV QK "node s: Add(m, a) -> s " SOFTMAX PV)},
    {"Unsqueeze,PromptFlashAttention", G("input m: f32[] " QKV QK "node s: Add(m, a) -> s " SOFTMAX PV)},
    {"PromptFlashAttention",
     G("input m: bool[4,6] " QKV QK "const n: f32[]{-inf} node s: SelectV2(m, n, a) -> s " SOFTMAX PV)},
    {"LogicalNot,PromptFlashAttention",
     G("input m: bool[2,1,4,6] " QKV QK "const n: f32[]{-1e9} node s: SelectV2(m, a, n) -> s " SOFTMAX PV)},
    {"LogicalNot,PromptFlashAttention",  // both
     G("input m: bool[4,6] input t: f32[1,3,4,6] " QKV QK
       "const n: f32[]{-1e9} node b: Add(a, t) -> b node s: SelectV2(m, b, n) "
       "-> s " SOFTMAX PV)},
    {"PromptFlashAttention",  // as ONNX Attention is written
     G("input m: f32[4,6] " QKV QK
       "const x: i64[1]{-1} const n: f32[]{-inf} const z: f32[]{0} node s: Add(a, m) -> s " SOFTMAX
       "node r: ReduceMax(m, x) {keep_dims=true} -> r node e: Equal(r, n) -> e node w: SelectV2(e, z, p) -> "
       "w "
       "node o: BatchMatMulV2(w, v) -> o output o")},
    // ---- layouts ----
    {"PromptFlashAttention",
     G(SHAPES QKV "node t: Transpose(k, last) -> t node a: BatchMatMulV2(q, t) -> s " SOFTMAX PV)},
    {"PromptFlashAttention",  // keys that come turned over
     G("input q: f32[2,3,4,5] input k: f32[2,3,5,6] input v: f32[2,3,6,7] node a: BatchMatMulV2(q, k) -> "
       "s " SOFTMAX PV)},
    {"PromptFlashAttention",
     G(SHAPES
       "input q: f32[2,4,3,5] input k: f32[2,6,3,5] input v: f32[2,6,3,7] node tq: Transpose(q, swap) -> tq "
       "node tk: "
       "Transpose(k, turn) -> tk node tv: Transpose(v, swap) -> tv node a: BatchMatMulV2(tq, tk) -> a " SCALE
           SOFTMAX "node o: BatchMatMulV2(p, tv) -> o node to: Transpose(o, swap) -> to output to")},
    {"PromptFlashAttention",
     G("input q: f32[6,4,5] input k: f32[6,7,5] input v: f32[6,7,3] " QK SCALE SOFTMAX PV)},
    {"Unsqueeze,PromptFlashAttention",
     G("input q: f32[6,4,5] input k: f32[6,7,5] input v: f32[6,7,3] input m: f32[6,1,7] " QK
       "node s: Add(a, m) -> s " SOFTMAX PV)},
    {"PromptFlashAttention",  // heads of keys and values repeated
     G("input q: f32[2,4,5,8] input k: f32[2,2,6,8] input v: f32[2,2,6,8] const y: i64[5]{2,2,2,6,8} const "
       "z: i64[4]{2,4,6,8} "
       "node uk: Unsqueeze(k) {axes=[2]} -> uk node ek: Expand(uk, y) -> ek node rk: Reshape(ek, z) -> rk "
       "node uv: Unsqueeze(v) {axes=[2]} -> uv node ev: Expand(uv, y) -> ev node rv: Reshape(ev, z) -> rv "
       "node a: BatchMatMulV2(q, rk) {adj_x2=true} -> a " SCALE SOFTMAX
       "node o: BatchMatMulV2(p, rv) -> o output o")},
    // ---- no keys, no queries, dims of 1 ----
    {"PromptFlashAttention", G("input q: f32[1,1,1,1] input k: f32[1,1,0,1] input v: f32[1,1,0,3] node a: "
                               "BatchMatMulV2(q, k) {adj_x2=true} -> s " SOFTMAX PV)},
    {"PromptFlashAttention", G("input q: f32[1,1,0,2] input k: f32[1,1,3,2] input v: f32[1,1,3,3] node a: "
                               "BatchMatMulV2(q, k) {adj_x2=true} -> s " SOFTMAX PV)},
    {"PromptFlashAttention",  // a mask with more queries than there are
     G("input m: f32[4,6] input q: f32[1,1,1,5] input k: f32[1,1,1,5] input v: f32[2,1,6,7] " QK
       "node s: Add(a, m) -> s " SOFTMAX PV)},
    // ---- what is left ----
    {"BatchMatMulV2,Mul,SoftmaxV2,BatchMatMulV2", G(QKV QK SCALE SOFTMAX "output p " PV),
     "others read its scores or probabilities"},
    {"BatchMatMulV2,Mul,SoftmaxV2,BatchMatMulV2", G(QKV QK SCALE "output s " SOFTMAX PV), "others read"},
    {"BatchMatMulV2,Mul,SoftmaxV2,Relu,BatchMatMulV2",
     G(QKV QK SCALE SOFTMAX "node x: Relu(a) -> x output x " PV), "others read"},
    {"BatchMatMulV2,Mul,SoftmaxV2,BatchMatMulV2",
     G("input q: f32[2,3,4,5] input k: f32[2,3,6,5] input v: f32[2,3,6,7] " QK SCALE
       "node p: SoftmaxV2(s) {axes=[1]} -> p " PV),
     "not over the keys"},
    {"BatchMatMulV2,Add,Mul,SoftmaxV2,BatchMatMulV2",
     G("input m: f32[4,6] " QKV QK
       "const c: f32[]{0.5} node b: Add(a, m) -> b node s: Mul(b, c) -> s " SOFTMAX PV),
     "its scores are no product"},
    {"BatchMatMulV2,SoftmaxV2,BatchMatMulV2",
     G("input q: f32[1,3,4,5] input k: f32[1,1,6,5] input v: f32[1,3,6,7] node a: BatchMatMulV2(q, k) "
       "{adj_x2=true} -> s " SOFTMAX PV),
     "its heads are broadcast"},
    {"BatchMatMulV2,SoftmaxV2,BatchMatMulV2",
     G("input q: f32[4,5] input k: f32[6,5] input v: f32[6,7] node a: BatchMatMulV2(q, k) {adj_x2=true} -> "
       "s " SOFTMAX PV),
     "rank"},
    {"BatchMatMulV2,SoftmaxV2,BatchMatMulV2",
     G("input q: f64[1,1,4,5] input k: f64[1,1,6,5] input v: f64[1,1,6,7] node a: BatchMatMulV2(q, k) "
       "{adj_x2=true} -> s " SOFTMAX PV),
     "another type than float"},
    {"Relu,SoftmaxV2,BatchMatMulV2",
     G("input x: f32[1,1,4,6] input v: f32[1,1,6,7] node r: Relu(x) -> s " SOFTMAX PV),
     "its scores are no product"},
};

static void run_case(const attention_case *c, size_t i) {
  char got[512];
  const char *only[2] = {"passes=0", "match-attention=1"};
  const char *off[1] = {"match-attention=0"};
  passes_fixture f;
  if (passes_open(&f, c->text)) {
    check_failed(__FILE__, __LINE__, "case %zu: %s\n%s", i, f.d.text, c->text);
    passes_close(&f);
    return;
  }
  if (passes_optimize(&f, only, 2) || (passes_types(f.g, got), strcmp(got, c->want))) {
    check_failed(__FILE__, __LINE__, "case %zu: got %s, expected %s\n%s%s\n%s", i, got, c->want, f.d.text,
                 f.log, c->text);
  }
  if (c->said && !strstr(f.log, c->said))
    check_failed(__FILE__, __LINE__, "case %zu: the report does not say '%s':\n%s", i, c->said, f.log);
  if (passes_same_results(&f, 1e-5, 11))
    check_failed(__FILE__, __LINE__, "case %zu: %s\n%s", i, f.d.text, c->text);
  if (passes_again(&f, only, 2) || f.sum.changes)
    check_failed(__FILE__, __LINE__, "case %zu: a second run makes %zu changes: %s", i, f.sum.changes, f.log);
  if (passes_optimize(&f, off, 1) || (passes_types(f.g, got), strstr(got, "Attention") != NULL))
    check_failed(__FILE__, __LINE__, "case %zu: switched off: %s %s", i, got, f.d.text);
  passes_close(&f);
}

TEST(r287_r290_attention) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    run_case(&cases[i], i);
}

// Of symbols and dims that nobody knows; the output keeps its name.
TEST(attention_of_unknown_dims) {
  passes_fixture f;
  char got[512];
  CHECK_OK(
      passes_open(
          &f,
          G(SHAPES
            "symbol b symbol s symbol t input q: f32[b,s,3,8] input k: f32[b,3,t,8] input v: f32[b,3,t,8] "
            "input m: f32[b,1,1,t] node tq: Transpose(q, swap) -> tq "
            "node a: BatchMatMulV2(tq, k) {adj_x2=true} -> a const c: f32[]{0.5} node d: Mul(a, c) -> d "
            "node e: Add(d, m) -> s2 node p: SoftmaxV2(s2) {axes=[3]} -> p node o: BatchMatMulV2(p, v) -> o "
            "node y: Transpose(o, swap) -> result output result")),
      &f.d);
  CHECK_OK(passes_optimize(&f, NULL, 0), &f.d);
  passes_types(f.g, got);
  CHECK_STR(got, "PromptFlashAttention");
  CHECK_STR(weft_value_name(weft_graph_output_at(f.g, 0)), "result");
  passes_close(&f);
}
// SPDX-License-Identifier: Apache-2.0
