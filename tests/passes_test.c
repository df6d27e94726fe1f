// passes_test.c - what passes do to graphs and what they leave, pass by pass (R280, R281, R287-R290): each
// case runs one pass alone, compares the operators that are left, and runs the graph before and after it on
// random inputs with NaN, infinities and both zeros among them: bit for bit where the pass promises it.
#include "check.h"
#include "ir/ir.h"
#include "passes_util.h"
#include "tensor/tensor.h"

typedef struct pass_case {
  const char *pass;
  double rtol;       // 0: bit for bit
  const char *want;  // operators afterwards
  const char *text;
  const char *said;  // part of the report; NULL: anything
  const char *set;   // one more option; NULL: none
} pass_case;

#define G(...) "graph \"g\" {\n" __VA_ARGS__ "\n}\n"
#define X      "input x: f32[2,3]\n"

static const pass_case cases[] = {
    // ---- fold-constants ----
    {"fold-constants", 0, "", G("const a: i32[]{4} const b: i32[]{6} node n: Add(a, b) -> y output y")},
    {"fold-constants", 0, "Reshape",  // R280: the result used by Reshape
     G("input x: f32[10] const a: i64[1]{4} const b: i64[1]{1} node n: Add(a, b) -> s const two: i64[1]{2}"
       " node m: ConcatV2([two, s], axis) {N=2} -> c const axis: i32[]{0} node r: Reshape(x, c) -> y output "
       "y")},
    {"fold-constants", 0, "Reshape",  // the shape of a static tensor
     G("input x: f32[4,5] input z: f32[20] node s: Shape(x) {dtype=9} -> s node r: Reshape(z, s) -> y output "
       "y")},
    {"fold-constants", 0, "Add",
     G(X "const c: f32[3]{1,2,3} node n: Neg(c) -> m node a: Add(x, m) -> y output y")},
    {"fold-constants", 0, "RandomUniform",
     G("const s: i64[1]{4} node n: RandomUniform(s) {dtype=f32, seed=3} -> y output y")},
    {"fold-constants", 0, "Div",  // fails later as it would have
     G("const a: i32[2000]{*4} const b: i32[2000]{*0} node n: Div(a, b) -> y output y"), "its kernel fails"},
    {"fold-constants", 0,
     "Transpose,BatchMatMulV2,GatherV2",  // two layouts of one weight: left to the product
     G("input x: f32[2,4] input i: i64[2] const w: f32[500,4]{*1} const s: i64[2]{1,0} const z: i64[]{0} "
       "node t: "
       "Transpose(w, s) -> t node m: BatchMatMulV2(x, t) -> m output m node g: GatherV2(w, i, z) -> g output "
       "g")},
    {"fold-constants", 0, "Identity", G("const a: f32[2000]{*1} node n: Identity(a) -> y output y")},
    {"fold-constants", 0, "Add",
     G("input x: f32[6,2] const a: f32[2,6]{0..} const s: i64[2]{6,2} node r: Reshape(a, s) -> b node n: "
       "Add(x, b) -> y output y")},
    {"fold-constants", 0, "Add",  // a view of what is made when it is wanted
     G("input x: f32[200,100] const v: f32[]{3} const d: i64[1]{20000} const s: i64[2]{200,100} node f: "
       "Fill(d, "
       "v) -> a node r: Reshape(a, s) -> b node n: Add(x, b) -> y output y")},
    // ---- drop-dead ----
    {"drop-dead", 0, "Neg", G(X "node a: Abs(x) -> a node b: Exp(a) -> b node n: Neg(x) -> y output y"),
     "removed with 1 nodes"},
    {"drop-dead", 0, "Neg,Abs", G(X "node n: Neg(x) -> y node a: Abs(y) -> z output y output z")},
    // ---- merge-equal ----
    {"merge-equal", 0, "Abs,Add",
     G(X "node a: Abs(x) -> a node b: Abs(x) -> b node n: Add(a, b) -> y output y")},
    {"merge-equal", 0, "Abs,Add,Neg,Mul",  // the order of a commutative operator does not matter
     G(X "node p: Abs(x) -> p node a: Add(x, p) -> a node b: Add(p, x) -> b node m: Neg(a) -> m node n: "
         "Mul(m, b) -> y output y")},
    {"merge-equal", 0, "Abs,Sub,Sub,Mul",
     G(X
       "node p: Abs(x) -> p node a: Sub(x, p) -> a node b: Sub(p, x) -> b node n: Mul(a, b) -> y output y")},
    {"merge-equal", 0, "Elu,Elu,Add",
     G(X "node a: Elu(x) -> a node b: Elu(x) {alpha=2.0} -> b node n: Add(a, b) -> y output y")},
    {"merge-equal", 0, "Add,Mul",  // equal constants, then equal nodes
     G(X "const c: f32[3]{1,2,3} const d: f32[3]{1,2,3} node a: Add(x, c) -> a node b: Add(x, d) -> b node "
         "n: Mul(a, b) -> y output y")},
    {"merge-equal", 0, "Add,Add,Mul",  // -0 is not 0
     G(X "const c: f32[3]{1,2,0} const d: f32[3]{1,2,-0} node a: Add(x, c) -> a node b: Add(x, d) -> b node "
         "n: Mul(a, b) -> y output y")},
    {"merge-equal", 0, "Abs,Abs",  // two outputs keep their names
     G(X "node a: Abs(x) -> a node b: Abs(x) -> b output a output b"), "an output of the graph stays"},
    {"merge-equal", 0, "RandomUniform,RandomUniform,Add",
     G("const s: i64[1]{4} node a: RandomUniform(s) {dtype=f32, seed=3} -> a node b: RandomUniform(s) "
       "{dtype=f32, seed=3} -> b"
       " node n: Add(a, b) -> y output y")},
    {"merge-equal", 0, "TransData,TransData",  // R238, R290
     G("input x: f32[1,32,2,2] NCHW node a: TransData(x) {src_format=\"NCHW\", "
       "dst_format=\"NC1HWC0(C0=16)\"} -> a"
       " node b: TransData(x) {src_format=\"NCHW\", dst_format=\"NC1HWC0(C0=32)\"} -> b output a output b"),
     "its bytes lie differently"},
    // ---- simplify-algebra ----
    {"simplify-algebra", 0, "Neg",
     G(X "const c: f32[]{1} node a: Mul(x, c) -> a node n: Neg(a) -> y output y")},
    {"simplify-algebra", 0, "Neg",
     G(X "const c: f32[3]{*1} node a: Mul(c, x) -> a node n: Neg(a) -> y output y")},
    {"simplify-algebra", 0, "Mul,Neg",  // the constant makes it larger
     G(X "const c: f32[4,2,3]{*1} node a: Mul(x, c) -> a node n: Neg(a) -> y output y")},
    {"simplify-algebra", 0, "Mul,Neg",  // it might: -1 may be 1
     G("input x: f32[-1] const c: f32[3]{*1} node a: Mul(x, c) -> a node n: Neg(a) -> y output y")},
    {"simplify-algebra", 0, "Neg",
     G("input x: f32[-1] const c: f32[1]{1} node a: Mul(x, c) -> a node n: Neg(a) -> y output y")},
    {"simplify-algebra", 0, "Add,Neg",
     G(X "const c: f32[]{0} node a: Add(x, c) -> a node n: Neg(a) -> y output y")},
    {"simplify-algebra", 0, "Neg",
     G(X "const c: f32[]{-0} node a: Add(x, c) -> a node n: Neg(a) -> y output y")},
    {"simplify-algebra", 0, "Neg",
     G(X "const c: f32[]{0} node a: Sub(x, c) -> a node n: Neg(a) -> y output y")},
    {"simplify-algebra", 0, "Sub,Neg",
     G(X "const c: f32[]{-0} node a: Sub(x, c) -> a node n: Neg(a) -> y output y")},
    {"simplify-algebra", 0, "Neg",
     G("input x: i32[4] const c: i32[]{0} node a: Add(c, x) -> a node n: Neg(a) -> y output y")},
    {"simplify-algebra", 0, "Neg",
     G("input x: i8[4] const c: i8[]{1} node a: Div(x, c) -> a node n: Neg(a) -> y output y")},
    {"simplify-algebra", 0, "Mul", G(X "const c: f32[]{4} node a: Div(x, c) -> y output y")},
    {"simplify-algebra", 0, "Div", G(X "const c: f32[]{3} node a: Div(x, c) -> y output y")},
    {"simplify-algebra", 0, "Mul", G(X "const c: f32[3]{*2.5} node a: Mul(c, x) -> y output y"),
     "one number instead of as many"},
    {"simplify-algebra", 0, "Sub", G(X "const c: f32[2,3]{*2.5} node a: Sub(c, x) -> y output y"),
     "one number instead of as many"},
    {"simplify-algebra", 0, "Maximum", G(X "const c: f32[3]{*inf} node a: Maximum(x, c) -> y output y"),
     "one number instead of as many"},
    {"simplify-algebra", 0, "Abs",
     G(X "node i: Identity(x) -> a node n: Abs(a) -> b node j: Identity(b) -> y output y")},
    {"simplify-algebra", 0, "Identity", G(X "node i: Identity(x) -> y output y"), "stays a value of its own"},
    {"simplify-algebra", 0, "Abs",
     G(X "node a: Neg(x) -> a node b: Neg(a) -> b node n: Abs(b) -> y output y")},
    {"simplify-algebra", 0, "Relu", G(X "node a: Relu(x) -> a node b: Relu(a) -> y output y")},
    {"simplify-algebra", 0, "Abs",
     G("input x: f16[5] node a: Cast(x) {dst_type=0} -> a node b: Cast(a) {dst_type=1} -> b node n: Abs(b) "
       "-> y output y")},
    {"simplify-algebra", 0, "Cast",
     G("input x: f16[5] node a: Cast(x) {dst_type=0} -> a node b: Cast(a) {dst_type=11} -> y output y")},
    {"simplify-algebra", 0, "Cast,Cast",  // 300 as a byte wraps one way and saturates the other
     G("input x: i32[5] node a: Cast(x) {dst_type=11} -> a node b: Cast(a) {dst_type=2} -> y output y")},
    {"simplify-algebra", 0, "Cast,Cast",
     G("input x: f32[5] node a: Cast(x) {dst_type=1} -> a node b: Cast(a) {dst_type=0} -> y output y")},
    {"simplify-algebra", 0, "Neg",
     G("input x: i32[5] node a: Cast(x) {dst_type=11} -> a node b: Cast(a) {dst_type=3} -> b node n: Neg(b) "
       "-> y output y")},
    {"simplify-algebra", 0, "Abs",
     G(X "const p: i64[4]{0,0,0,0} node a: PadV3(x, p) -> a node n: Abs(a) -> y output y")},
    {"simplify-algebra", 0, "PadV3,Abs",
     G(X "const p: i64[4]{0,0,0,1} node a: PadV3(x, p) -> a node n: Abs(a) -> y output y")},
    {"simplify-algebra", 0, "Abs",
     G("input x: f32[-1,3] const b: i64[1]{0} const e: i64[1]{9223372036854775807} const ax: i64[1]{0}"
       " node a: StridedSliceV2(x, b, e, ax) -> a node n: Abs(a) -> y output y")},
    {"simplify-algebra", 0, "StridedSliceV2,Abs",
     G("input x: f32[4,3] const b: i64[1]{3} const e: i64[1]{-9} const ax: i64[1]{0} const st: i64[1]{-1}"
       " node a: StridedSliceV2(x, b, e, ax, st) -> a node n: Abs(a) -> y output y")},
    {"simplify-algebra", 0, "Abs",
     G(X "const s: i64[2]{2,3} node a: Expand(x, s) -> a node n: Abs(a) -> y output y")},
    {"simplify-algebra", 0, "Abs",
     G(X "const s: i64[2]{1,1} node a: Tile(x, s) -> a node n: Abs(a) -> y output y")},
    {"simplify-algebra", 0, "Tile,Abs",
     G(X "const s: i64[2]{1,2} node a: Tile(x, s) -> a node n: Abs(a) -> y output y")},
    {"simplify-algebra", 0, "Abs",
     G(X "const s: i32[]{0} node a: ConcatV2([x], s) {N=1} -> a node n: Abs(a) -> y output y")},
    {"simplify-algebra", 0, "Abs",
     G(X "node a: SplitD(x) {split_dim=0, num_split=1} -> [a] node n: Abs(a) -> y output y")},
    {"simplify-algebra", 0, "Maximum,Maximum",  // of the two constants, to be folded
     G(X
       "const c: f32[]{1} const d: f32[]{2} node a: Maximum(x, c) -> a node b: Maximum(d, a) -> y output y"),
     "two bounds"},
    {"simplify-algebra", 0, "Abs",
     G(X "input z: f32[2,3] const c: bool[]{1} node a: SelectV2(c, x, z) -> a node n: Abs(a) -> y output y")},
    {"simplify-algebra", 0, "Abs", G(X "node a: RandomDropout(x) -> a, m node n: Abs(a) -> y output y")},
    // ---- merge-views ----
    {"merge-views", 0, "Reshape",
     G("input x: f32[2,3,4] const a: i64[2]{6,4} const b: i64[2]{3,8} node p: Reshape(x, a) -> p node q: "
       "Reshape(p, b) -> y output y")},
    {"merge-views", 0, "Abs",
     G("input x: f32[2,1,4] node p: Squeeze(x) {axis=[1]} -> p node q: Unsqueeze(p) {axes=[1]} -> q node n: "
       "Abs(q) -> y output y")},
    {"merge-views", 0, "Reshape",
     G("input x: f32[N,3,4] node p: Flatten(x) -> p const b: i64[3]{-1,6,2} node q: Reshape(p, b) -> y "
       "output y")},
    {"merge-views", 0, "Reshape,Reshape,Abs,Add",  // the first view has another reader
     G("input x: f32[2,3] const a: i64[1]{6} const b: i64[2]{3,2} node p: Reshape(x, a) -> p node q: "
       "Reshape(p, b) -> q"
       " const c: i64[1]{6} node r: Reshape(q, c) -> r node m: Abs(p) -> m node n: Add(m, r) -> y output y")},
    {"merge-views", 0, "Reshape,Abs,Reshape",
     G("input x: f32[2,3,4] const a: i64[2]{6,4} const b: i64[2]{3,8} node p: Reshape(x, a) -> p node m: "
       "Abs(p) -> m node q: Reshape(m, b) -> y output y")},
    // ---- channels-first, sink-transposes ----
    {"channels-first", 1e-5, "TransposeD,TransposeD,Conv2D,TransposeD",
     G("input x: f32[1,5,6,2] const f: f32[3,3,2,4]{0..} node n: Conv2D(x, f) {strides=[1,1,2,1], "
       "pads=[1,1,1,1]} -> y output y")},
    {"channels-first", 1e-5, "TransposeD,TransposeD,Conv2D,TransposeD",
     G("input x: f32[N,5,6,4] const f: f32[3,3,1,4]{0..} node n: Conv2D(x, f) {strides=[1,1,1,1], "
       "pads=[0,0,0,0], dilations=[1,1,2,1], groups=4, pad_mode=\"SAME_UPPER\"} -> y output y")},
    {"channels-first", 1e-6, "TransposeD,MaxPoolV3,TransposeD",
     G("input x: f32[1,5,6,2] node n: MaxPoolV3(x) {ksize=[1,3,2,1], strides=[1,2,1,1], "
       "data_format=\"NHWC\"} -> y output y")},
    {"channels-first", 1e-5, "TransposeD,AvgPoolV2,TransposeD",
     G("input x: f32[1,3,5,6,2] node n: AvgPoolV2(x) {ksize=[1,2,3,2,1], strides=[1,1,2,1,1], "
       "data_format=\"NDHWC\"} -> y output y")},
    {"channels-first", 0, "Conv2D",  // they are first
     G("input x: f32[1,2,5,6] const f: f32[4,2,3,3]{0..} node n: Conv2D(x, f) {strides=[1,1,1,1], "
       "pads=[1,1,1,1], data_format=\"NCHW\"} -> y output y")},
    {"sink-transposes", 0, "Relu,TransposeD",
     G("input x: f32[2,3,4,5] node t: TransposeD(x) {perm=[0,2,3,1]} -> t node n: Relu(t) -> y "
       "output y")},
    {"sink-transposes", 0, "Reshape,Reshape,Mul,TransposeD",  // the constant turns the other way
     G("input x: f32[2,3,4,5] const c: f32[3]{1,2,3} node t: TransposeD(x) {perm=[0,2,3,1]} -> t "
       "node n: Mul(t, c) -> y output y")},
    {"sink-transposes", 0, "Reshape,Mul,TransposeD",  // axes of one element
     G("input x: f32[2,3,4,5] input s: f32[2,1,1,3] node t: TransposeD(x) {perm=[0,2,3,1]} -> t node "
       "n: Mul(t, s) -> y output y")},
    {"sink-transposes", 0, "TransposeD,Mul",  // the other side would have to be turned
     G("input x: f32[2,3,4,5] input s: f32[2,4,5,3] node t: TransposeD(x) {perm=[0,2,3,1]} -> t node "
       "n: Mul(t, s) -> y output y")},
    {"sink-transposes", 0, "ConcatV2,TransposeD",
     G("input x: f32[2,3,4,5] node t: TransposeD(x) {perm=[0,2,3,1]} -> t const a: i32[]{-1} node n: "
       "ConcatV2([t, t], a) {N=2} -> y output y")},
    {"sink-transposes", 0, "PadV3,TransposeD",
     G("input x: f32[2,3,4,5] node t: TransposeD(x) {perm=[0,2,3,1]} -> t const p: "
       "i64[4,2]{0,0,1,2,0,3,0,1} node n: PadV3(t, p) -> y output y")},
    {"sink-transposes", 1e-5, "ReduceMean,Reshape",
     G("input x: f32[2,3,4,5] node t: TransposeD(x) {perm=[0,2,3,1]} -> t const a: i64[2]{1,2} node "
       "n: ReduceMean(t, a) {keep_dims=true} -> y output y")},
    {"sink-transposes", 1e-5, "ReduceMean",  // what is left has its order
     G("input x: f32[2,3,4,5] node t: TransposeD(x) {perm=[0,2,3,1]} -> t const a: i64[2]{1,2} node "
       "n: ReduceMean(t, a) -> y output y")},
    {"sink-transposes", 0, "ReduceMax,TransposeD",
     G("input x: f32[2,3,4,5] node t: TransposeD(x) {perm=[0,2,3,1]} -> t const a: i64[1]{1} node n: "
       "ReduceMax(t, a) -> y output y")},
    {"sink-transposes", 0, "StridedSliceV2,TransposeD",
     G("input x: f32[2,3,4,5] node t: TransposeD(x) {perm=[0,2,3,1]} -> t const b: i64[2]{1,1} const "
       "e: i64[2]{4,5} const k: i64[2]{1,2} node n: StridedSliceV2(t, b, e, k) -> y output y")},
    {"sink-transposes", 0, "BiasAdd,TransposeD",
     G("input x: f32[2,3,4,5] const c: f32[3]{1,2,3} node t: TransposeD(x) {perm=[0,2,3,1]} -> t "
       "node n: BiasAdd(t, c) -> y output y")},
    {"sink-transposes", 0, "Reshape,Abs",  // a view
     G("input x: f32[2,3,1,1] node t: TransposeD(x) {perm=[0,2,3,1]} -> t  node n: Abs(t) -> y "
       "output y")},
    {"sink-transposes", 0, "TransposeD,Relu,SoftmaxV2,Add",  // SoftmaxV2 needs it
     G("input x: f32[2,3,4,5] node t: TransposeD(x) {perm=[0,2,3,1]} -> t node r: Relu(t) -> r node "
       "m: SoftmaxV2(t) -> m node n: Add(r, m) -> y output y")},
    {"sink-transposes", 0, "TransposeD,Relu",  // no image
     G("input x: f32[2,3] node t: TransposeD(x) {perm=[1,0]} -> t node n: Relu(t) -> y output y")},
    // ---- move-transposes ----
    {"move-transposes", 0, "Abs",
     G("input x: f32[2,3,4] node p: TransposeD(x) {perm=[0,2,1]} -> p node q: TransposeD(p) {perm=[0,2,1]} "
       "-> q node n: Abs(q) -> y output y")},
    {"move-transposes", 0, "TransposeD",
     G("input x: f32[2,3,4] node p: TransposeD(x) {perm=[1,2,0]} -> p node q: TransposeD(p) {perm=[1,2,0]} "
       "-> y output y")},
    {"move-transposes", 0, "Abs,TransposeD,Mul,Relu",  // the chain's side input turns the other way
     G("input x: f32[2,3,4] const c: f32[4,2,1]{0..} node a: Abs(x) -> a node p: TransposeD(a) "
       "{perm=[2,0,1]} -> p node m: Mul(p, c) -> m"
       " node r: Relu(m) -> r node q: TransposeD(r) {perm=[1,2,0]} -> y output y")},
    {"move-transposes", 0, "TransposeD,Abs,Neg,Add,TransposeD",  // Abs is read by two
     G("input x: f32[2,3] node p: TransposeD(x) {perm=[1,0]} -> p node a: Abs(p) -> a node q: TransposeD(a) "
       "{perm=[1,0]} -> q"
       " node n: Neg(a) -> n node t: TransposeD(n) {perm=[1,0]} -> t node s: Add(q, t) -> y output y")},
    {"move-transposes", 0, "Add,TransposeD",
     G("input x: f32[2,3] input z: f32[2,3] node p: TransposeD(x) {perm=[1,0]} -> p node q: TransposeD(z) "
       "{perm=[1,0]} -> q node n: Add(p, q) -> y output y")},
    {"move-transposes", 0, "BatchMatMulV2",
     G("input x: f32[2,4,3] input z: f32[2,4,5] node p: TransposeD(x) {perm=[0,2,1]} -> p node n: "
       "BatchMatMulV2(p, z) -> y output y")},
    {"move-transposes", 0, "MatMulV2",
     G("input x: f32[3,4] input z: f32[5,4] const o: i32[2]{1,0} node q: Transpose(z, o) -> q node n: "
       "MatMulV2(x, q) -> y output y")},
    {"move-transposes", 0, "TransposeD,BatchMatMulV2",
     G("input x: f32[4,2,3] input z: f32[2,3,5] node p: TransposeD(x) {perm=[1,0,2]} -> p node n: "
       "BatchMatMulV2(p, z) -> y output y")},
    // ---- fold-weights ----
    {"fold-weights", 1e-5, "Conv",
     G("input x: f32[1,2,5,5] const w: f32[3,2,3,3]{0..} const b: f32[3]{1,2,3} node c: Conv(x, w, b) -> c"
       " const s: f32[3]{1,0.5,2} const o: f32[3]{0,1,2} const m: f32[3]{1,2,3} const v: f32[3]{1,4,9}"
       " node n: BatchNorm(c, s, o, m, v) {data_format=\"NCHW\", is_training=false} -> y, p, q, r, s1, s2 "
       "output y")},
    {"fold-weights", 1e-5, "Conv",
     G("input x: f32[1,4,5] const w: f32[4,1,3]{0..} const k: f32[4,1]{1,2,3,4} node c: Conv(x, w) {group=4} "
       "-> c node n: Mul(c, k) -> y output y")},
    {"fold-weights", 1e-5, "ConvTranspose",
     G("input x: f32[1,4,5] const w: f32[4,3,3]{0..} const k: f32[6,1]{1,2,3,4,5,6} node c: ConvTranspose(x, "
       "w) {group=2} -> c node n: Mul(c, k) -> y output y")},
    {"fold-weights", 1e-5, "Conv2D",
     G("input x: f32[1,4,4,2] NHWC const w: f32[1,1,2,3]{0..} const k: f32[3]{1,2,3} node c: Conv2D(x, w)"
       " {strides=[1,1,1,1], pads=[0,0,0,0], data_format=\"NHWC\"} -> c node n: BiasAdd(c, k) "
       "{data_format=\"NHWC\"} -> y output y")},
    {"fold-weights", 1e-5, "MatMulV2",
     G("input x: f32[4,3] const w: f32[3,5]{0..} const k: f32[5]{1,2,3,4,5} node c: MatMulV2(x, w) -> c node "
       "n: Add(k, c) -> y output y")},
    {"fold-weights", 1e-5, "MatMulV2",
     G("input x: f32[4,3] const w: f32[5,3]{0..} const k: f32[1,5]{1,2,3,4,5} node c: MatMulV2(x, w) "
       "{transpose_x2=true} -> c"
       " node n: Div(c, k) -> d node s: Sub(k, d) -> y output y")},
    {"fold-weights", 1e-5, "BatchMatMulV2",
     G("input x: f32[2,4,3] const w: f32[3,5]{0..} const k: f32[]{0.125} node c: BatchMatMulV2(x, w) -> c "
       "node n: Mul(c, k) -> y output y")},
    {"fold-weights", 1e-5, "BatchMatMulV2,Mul",
     G("input x: f32[2,4,3] const w: f32[3,5]{0..} const k: f32[4,1]{1,2,3,4} node c: BatchMatMulV2(x, w) -> "
       "c node n: Mul(c, k) -> y output y")},
    {"fold-weights", 1e-5, "MatMulV2,Mul",
     G("input x: f32[4,3] const w: f32[3,5]{0..} const k: f32[5]{1,2,inf,4,5} node c: MatMulV2(x, w) -> c "
       "node n: Mul(c, k) -> y output y"),
     "would not be finite"},
    {"fold-weights", 1e-5, "MatMulV2,Mul",  // one channel that becomes larger
     G("input x: f32[4,3] const w: f32[3,2]{1,1,2,2,3,3e38} const k: f32[2]{4,4} node c: MatMulV2(x, w) -> c "
       "node n: Mul(c, k) -> y output y"),
     "would not be finite"},
    {"fold-weights", 1e-5, "MatMulV2",  // what becomes smaller is not looked at
     G("input x: f32[4,3] const w: f32[3,3]{1,1,inf,2,nan,2,3,3,4} const k: f32[3]{4,-0.5,-1} node c: "
       "MatMulV2(x, w) -> c node n: Mul(c, k) -> y output y")},
    {"fold-weights", 1e-5, "Conv,Mul",  // rows that are looked at, and others, read in pieces
     G("input x: f32[1,700,1] const w: f32[40,700,1]{*2e38} const k: "
       "f32[40,1]{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
       "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2} node c: Conv(x, w) -> c node n: Mul(c, k) -> y "
       "output y"),
     "would not be finite"},
    {"fold-weights", 2e-3, "MatMulV2",
     G("input x: f16[4,3] const w: f16[3,5]{0..} const k: f16[5]{1,2,0.3,4,5} node c: MatMulV2(x, w) -> c "
       "node n: Mul(c, k) -> y output y")},
    {"fold-weights", 2e-3, "MatMulV2,Mul",  // denormals
     G("input x: f16[4,3] const w: f16[3,2]{1,0.3,2,0.3,3,0.3} const k: f16[2]{2,0.0000003} node c: "
       "MatMulV2(x, w) -> c node n: Mul(c, k) -> y output y"),
     "would lose too much"},
    {"fold-weights", 1e-5, "MatMulV2,Mul,Add",
     G("input x: f32[4,3] const w: f32[3,5]{0..} const k: f32[]{2} node c: MatMulV2(x, w) -> c node n: "
       "Mul(c, k) -> m node a: Add(c, m) -> y output y"),
     "which others read"},
    {"fold-weights", 1e-5, "MatMulV2,Mul",
     G("input x: f32[4,3] input w: f32[3,5] const k: f32[]{2} node c: MatMulV2(x, w) -> c node n: Mul(c, k) "
       "-> y output y"),
     "weights are no constant"},
    {"fold-weights", 0, "Conv",
     G("input x: f32[1,1,4] const w: f32[2,1,3]{1,2,3,4,5,6} const p: i64[6]{0,0,0,0,1,2} node a: PadV3(x, "
       "p) -> a node c: Conv(a, w) {pads=[1,0]} -> y output y")},
    {"fold-weights", 0, "PadV3,Conv",
     G("input x: f32[1,1,4] const w: f32[2,1,3]{1,2,3,4,5,6} const p: i64[6]{0,0,0,0,1,2} const v: f32[]{7} "
       "node a: PadV3(x, p, v) -> a node c: Conv(a, w) -> y output y")},
    // ---- match-affine ----
    {"match-affine", 1e-5, "Mul,Add",
     G("input x: f32[1,3,5] const s: f32[3]{1,0.5,2} const o: f32[3]{0,1,2} const m: f32[3]{1,2,3} const v: "
       "f32[3]"
       "{1,4,9} node n: BatchNorm(x, s, o, m, v) {data_format=\"NCHW\", is_training=false} -> y, p, q, r, "
       "s1, s2 "
       "output y")},
    {"match-affine", 1e-5, "Mul,Add,Relu",
     G("input x: f32[2,3,4] const k: f32[3,1]{1,2,3} const b: f32[3,1]{4,5,6} const t: f32[]{2} node m: "
       "Mul(x, k) -> m"
       " node a: Add(b, m) -> a node d: Sub(t, a) -> d node r: Relu(d) -> y output y")},
    {"match-affine", 0, "Mul,Add",  // as short as it gets
     G("input x: f32[2,3,4] const k: f32[3,1]{1,2,3} const b: f32[3,1]{4,5,6} node m: Mul(x, k) -> m"
       " node a: Add(m, b) -> y output y")},
    {"match-affine", 1e-5, "Mul,Add,Mul",  // what comes behind has two operands that nobody knows
     G("input x: f32[2,3] input z: f32[2,3] const k: f32[3]{1,2,3} node a: Mul(x, k) -> a node b: Add(a, k) "
       "-> b "
       "node c: Add(b, k) -> c node d: Mul(c, z) -> y output y")},
    {"match-affine", 0, "Mul,Mul,Mul,Abs,Add",  // others read what lies between
     G("input x: f32[2,3] const k: f32[3]{1,2,inf} node a: Mul(x, k) -> a node b: Mul(a, k) -> b node c: "
       "Mul(b, k)"
       " -> c node e: Abs(b) -> e node f: Add(c, e) -> y output y")},
    {"match-affine", 0, "Mul,Mul,Mul",
     G("input x: f32[2,3] const k: f32[3]{1,2,inf} node a: Mul(x, k) -> a node b: Mul(a, k) -> b node c: "
       "Mul(b, k)"
       " -> y output y"),
     "would not be finite"},
// ---- assign-formats ----
#define PACKED "assign-formats.choose=packed"  // which of them is cheaper depends on the machine
#if !defined(__aarch64__)                      // where 22 places are no three tiles of 10
    {"assign-formats", 1e-4, "TransData,Fused,Fused,Fused,TransData",  // R256: two conversions, not four
     G("input x: f32[1,64,32,32] const w: f32[64,64,3,3]{0..} const u: f32[48,64,1,1]{0..} node c: Conv(x, "
       "w) -> c"
       " node r: Relu(c) -> r node d: Conv(r, u) -> y output y"),
     "nodes with NC1HWC0", PACKED},
    {"assign-formats", 1e-4, "Fused,Fused,Fused,TransData",  // the first layer reads what is plain
     G("input x: f32[1,3,64,64] const w: f32[64,3,7,7]{0..} const u: f32[64,64,3,3]{0..}"
       " node c: Conv(x, w) {strides=[2,2]} -> c"
       " node p: MaxPoolV3(c) {ksize=[1,1,2,2], strides=[1,1,2,2], padding_mode=\"CALCULATED\", "
       "pads=[0,0,0,0],"
       " data_format=\"NCHW\"} -> p node d: Conv(p, u) -> y output y")},
#endif
    {"assign-formats", 0, "Conv",  // R282: what is converted costs more than the kernel saves
     G("input x: f32[1,16,3,3] const w: f32[16,16,1,1]{0..} node c: Conv(x, w) -> y output y")},
    {"assign-formats", 0, "Conv",  // groups that are no multiples of 16 channels
     G("input x: f32[1,24,24,24] const w: f32[48,12,3,3]{0..} node c: Conv(x, w) {group=2} -> y output y"),
     "groups"},
    // ---- simplify-control ----
    {"simplify-control", 0, "Neg",
     G(X "const c: bool[]{1} node i: If(c, [x]) {then_branch=graph \"t\" { input a: f32[2,3] node n: Neg(a) "
         "-> y output y },"
         " else_branch=graph \"e\" { input a: f32[2,3] node n: Abs(a) -> y output y }} -> [y] output y")},
    {"simplify-control", 0, "Identity",  // the branch hands its input on, and the output keeps its name
     G(X "const c: bool[]{0} node i: If(c, [x]) {then_branch=graph \"t\" { input a: f32[2,3] node n: Neg(a) "
         "-> y output y },"
         " else_branch=graph \"e\" { input a: f32[2,3] output a }} -> [y] output y")},
    {"simplify-control", 0, "If",
     G(X "input c: bool[] node i: If(c, [x]) {then_branch=graph \"t\" { input a: f32[2,3] node n: Neg(a) -> "
         "y output y },"
         " else_branch=graph \"e\" { input a: f32[2,3] node n: Abs(a) -> y output y }} -> [y] output y")},
    {"simplify-control", 0, "If",  // one output and one input less
     G(X "input c: bool[] input z: f32[2] node i: If(c, [x, z]) {then_branch=graph \"t\" { input a: f32[2,3] "
         "input b: f32[2] node n: Neg(a) -> y node m: Neg(b) -> w output y output w },"
         " else_branch=graph \"e\" { input a: f32[2,3] input b: f32[2] node n: Abs(a) -> y output y output b "
         "}} -> [y, w] output y"),
     "that nothing reads"},
    {"simplify-control", 0, "Abs,Add,Unsqueeze",
     G(X "const m: i64[]{1} node k: Abs(x) -> k node l: Loop(m, _, [x], [k]) {body=graph \"b\" { input t: "
         "i64[] input c: bool[] input v: f32[2,3] input q: f32[2,3]"
         " node a: Add(v, q) -> w output c output w output w }} -> [y], [s] output y output s")},
    {"simplify-control", 0, "Abs",
     G(X "const m: i64[]{0} node k: Abs(x) -> k node l: Loop(m, _, [k]) {body=graph \"b\" { input t: i64[] "
         "input c: bool[] input v: f32[2,3]"
         " node a: Add(v, v) -> w output c output w output w }} -> [y], [s] output y output s")},
    {"simplify-control", 0, "Loop",
     G(X "const m: i64[]{3} node l: Loop(m, _, [x]) {body=graph \"b\" { input t: i64[] input c: bool[] input "
         "v: f32[2,3]"
         " node a: Add(v, v) -> w output c output w }} -> [y] output y")},
    // ---- patterns ----
    {"match-activation", 1e-6, "Swish", G(X "node a: Sigmoid(x) -> a node n: Mul(a, x) -> y output y")},
    {"match-activation", 1e-6, "Swish",
     G(X
       "const k: f32[]{1.5} node p: Mul(x, k) -> p node a: Sigmoid(p) -> a node n: Mul(x, a) -> y output y")},
    {"match-activation", 1e-6, "HardSwish",
     G(X "const k: f32[]{3} const s: f32[]{6} node p: Add(x, k) -> p node a: Relu6(p) -> a node n: Mul(x, a) "
         "-> m node d: Div(m, s) -> y output y")},
    {"match-activation", 1e-6, "HardSwish",
     G(X "node a: HardSigmoid(x) -> a node n: Mul(x, a) -> y output y")},
    {"match-activation", 1e-6, "HardSigmoid,Mul",
     G(X "node a: HardSigmoid(x) {alpha=0.2} -> a node n: Mul(x, a) -> y output y")},
    {"match-activation", 1e-6, "Relu6",
     G(X "const a: f32[]{0} const b: f32[]{6} node n: ClipByValueV2(x, a, b) -> y output y")},
    {"match-activation", 1e-6, "ClipByValueV2",
     G(X "const a: f32[]{0} const b: f32[]{5} node n: ClipByValueV2(x, a, b) -> y output y")},
    {"match-activation", 1e-6, "Square", G(X "const k: f32[]{2} node n: Pow(x, k) -> y output y")},
    {"match-activation", 1e-6, "Rsqrt",
     G(X "const k: f32[]{1} node s: Sqrt(x) -> s node n: Div(k, s) -> y output y")},
    {"match-gelu", 1e-5, "Gelu",
     G(X "const r: f32[]{1.4142135} const o: f32[]{1} const h: f32[]{0.5} node d: Div(x, r) -> d node e: "
         "Erf(d) -> e node a: Add(e, o) -> a"
         " node m: Mul(x, a) -> m node n: Mul(m, h) -> y output y")},
    {"match-gelu", 1e-5, "Gelu",
     G(X "const r: f32[]{0.70710677} const o: f32[]{1} const h: f32[]{0.5} node d: Mul(x, r) -> d node e: "
         "Erf(d) -> e node a: Add(o, e) -> a"
         " node m: Mul(x, h) -> m node n: Mul(m, a) -> y output y")},
    {"match-gelu", 1e-5, "Gelu",
     G(X "const c: f32[]{0.044715} const t: f32[]{3} const r: f32[]{0.7978846} const o: f32[]{1} const h: "
         "f32[]{0.5} node p: Pow(x, t) -> p"
         " node q: Mul(p, c) -> q node s: Add(x, q) -> s node u: Mul(s, r) -> u node v: Tanh(u) -> v node a: "
         "Add(v, o) -> a node m: Mul(x, a) -> m node n: Mul(m, h) -> y output y")},
    {"match-gelu", 1e-5, "Div,Erf,Add,Mul,Mul",  // another root
     G(X "const r: f32[]{1.5} const o: f32[]{1} const h: f32[]{0.5} node d: Div(x, r) -> d node e: Erf(d) -> "
         "e node a: Add(e, o) -> a"
         " node m: Mul(x, a) -> m node n: Mul(m, h) -> y output y")},
#define NORM(axis)                                                                                    \
  "input x: f32[2,4,6] const ax: i64[1]{" axis                                                        \
  "} const e: f32[]{1e-5} const two: f32[]{2} node m: ReduceMean(x, ax)"                              \
  " {keep_dims=true} -> m node d: Sub(x, m) -> d node p: Pow(d, two) -> p node v: ReduceMean(p, ax) " \
  "{keep_dims=true} -> v"                                                                             \
  " node a: Add(v, e) -> a node s: Sqrt(a) -> s node n: Div(d, s) -> n "
    {"match-norm", 1e-5, "LayerNorm",
     G(NORM("-1") "const g: f32[6]{1,2,3,4,5,6} const b: f32[6]{0..} node k: Mul(n, g) -> k node l: Add(k, "
                  "b) -> y output y")},
    {"match-norm", 1e-5, "LayerNorm,Relu", G(NORM("2") "node r: Relu(n) -> y output y")},
    {"match-norm", 1e-5, "LayerNorm,Mul",  // not the shape of a gamma
     G(NORM("2") "const g: f32[4,1]{1,2,3,4} node k: Mul(n, g) -> y output y")},
    {"match-norm", 1e-5, "ReduceMean,Sub,Pow,ReduceMean,Add,Sqrt,Div,Relu",
     G(NORM("1") "node r: Relu(n) -> y output y"), "other axes than the last"},
    {"match-softmax", 1e-5, "SoftmaxV2",
     G(X "const ax: i64[1]{-1} node m: ReduceMax(x, ax) {keep_dims=true} -> m node d: Sub(x, m) -> d node e: "
         "Exp(d) -> e"
         " node s: ReduceSum(e, ax) {keep_dims=true} -> s node n: Div(e, s) -> y output y")},
    {"match-softmax", 1e-5, "Exp,ReduceSum,Div",
     G(X "const ax: i64[1]{-1} node e: Exp(x) -> e node s: ReduceSum(e, ax) {keep_dims=true} -> s node n: "
         "Div(e, s) -> y output y"),
     "without the maximum"},
};

static void run_case(const pass_case *c, size_t i) {
  char on[64];
  char got[512];
  const char *only[3] = {"passes=0", on, c->set};
  const char *off[1] = {"passes=0"};
  const char *all_but[1] = {on};
  snprintf(on, sizeof on, "%s=1", c->pass);
  passes_fixture f;
  if (passes_open(&f, c->text)) {
    check_failed(__FILE__, __LINE__, "case %zu (%s): %s\n%s", i, c->pass, f.d.text, c->text);
    passes_close(&f);
    return;
  }
  passes_types(f.before, got);
  char untouched[512];
  snprintf(untouched, sizeof untouched, "%s", got);
  if (passes_optimize(&f, off, 1) || (passes_types(f.g, got), strcmp(got, untouched)))  // R289
    check_failed(__FILE__, __LINE__, "case %zu (%s): all switched off: %s is left of %s %s", i, c->pass, got,
                 untouched, f.d.text);
  if (passes_optimize(&f, only, c->set ? 3 : 2) || (passes_types(f.g, got), strcmp(got, c->want))) {
    check_failed(__FILE__, __LINE__, "case %zu (%s): got %s, expected %s\n%s%s\n%s", i, c->pass, got, c->want,
                 f.d.text, f.log, c->text);
  }
  if (c->said && !strstr(f.log, c->said)) {
    check_failed(__FILE__, __LINE__, "case %zu (%s): the report does not say '%s':\n%s", i, c->pass, c->said,
                 f.log);
  }
  if (passes_same_results(&f, c->rtol, 11))
    check_failed(__FILE__, __LINE__, "case %zu (%s): %s\n%s", i, c->pass, f.d.text, c->text);
  size_t changes = f.sum.changes;  // a second run changes nothing
  if (passes_again(&f, only, c->set ? 3 : 2) || f.sum.changes) {
    check_failed(__FILE__, __LINE__, "case %zu (%s): a second run makes %zu changes after %zu: %s", i,
                 c->pass, f.sum.changes, changes, f.log);
  }
  snprintf(on, sizeof on, "%s=0", c->pass);  // R289: the others alone do not do it
  if (passes_optimize(&f, all_but, 1))
    check_failed(__FILE__, __LINE__, "case %zu: all but %s: %s", i, c->pass, f.d.text);
  else if (passes_same_results(&f, 1e-5, 5))
    check_failed(__FILE__, __LINE__, "case %zu: all but %s: %s\n%s", i, c->pass, f.d.text, c->text);
  passes_close(&f);
}

TEST(r238_r280_r281_r287_r289_r290_each_pass) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    run_case(&cases[i], i);
}

// R280 to the letter: three things, Const{4}, Const{6} and their sum, become one, Const{10}.
TEST(r280_constants_fold) {
  passes_fixture f;
  CHECK_OK(passes_open(&f, G("const a: i32[]{4} const b: i32[]{6} node n: Add(a, b) -> y output y")), &f.d);
  CHECK_INT(weft_graph_n_nodes(f.g) + weft_graph_n_consts(f.g), 3);
  CHECK_OK(passes_optimize(&f, NULL, 0), &f.d);
  CHECK_INT(weft_graph_n_nodes(f.g) + weft_graph_n_consts(f.g), 1);
  const weft_value *y = weft_graph_output_at(f.g, 0);
  CHECK_STR(weft_value_name(y), "y");
  CHECK_INT(weft_load_i64(WEFT_INT32, weft_value_data(y)->data, 0), 10);
  passes_close(&f);
}

// R281: nodes with side effects stay, with what they need.
static weft_status effect_infer(weft_infer *it) {
  it->out_dtype[0] = it->in_dtype[0];
  weft_shape_copy(it->out[0], it->in[0]);
  return WEFT_OK;
}
static weft_status effect_ref(const weft_call *c) {
  memcpy(c->out[0]->data, c->in[0]->data, c->in[0]->bytes);
  return WEFT_OK;
}
static const weft_op effect = {WEFT_OP_HEAD,
                               .name = "Tell",
                               .summary = "tells",
                               .in = WEFT_PORTS({"x", NULL, WEFT_FLOATS}),
                               .out = WEFT_PORTS({"y", NULL, WEFT_FLOATS}),
                               .traits = WEFT_SIDE_EFFECT,
                               .infer = effect_infer,
                               .ref = effect_ref};
TEST(r281_side_effects_stay) {
  passes_fixture f;
  char got[128];
  CHECK_OK(
      passes_open_with(
          &f,
          G(X "node a: Abs(x) -> a node t: Tell(a) -> t node u: Tell(a) -> u node n: Neg(x) -> y output y"),
          &effect),
      &f.d);
  CHECK_OK(passes_optimize(&f, NULL, 0), &f.d);
  passes_types(f.g, got);
  CHECK_STR(got, "Abs,Tell,Tell,Neg");
  CHECK_HAS(f.log, "has a side effect");
  passes_close(&f);
}

// Sub-graphs are simplified from the inside out, with what inference says of their inputs.
TEST(passes_run_inside_sub_graphs) {
  passes_fixture f;
  char got[128];
  CHECK_OK(
      passes_open(
          &f, G(X "input c: bool[] node i: If(c, [x]) {then_branch=graph \"t\" { input a: f32[2,3] const k: "
                  "f32[]{1} node m: Mul(a, k) -> m node n: Neg(m) -> y output y },"
                  " else_branch=graph \"e\" { input a: f32[2,3] const s: i64[2]{3,2} const u: i64[2]{2,3} "
                  "node p: Reshape(a, s) -> p node q: Reshape(p, u) -> y output y }} -> [y] output y")),
      &f.d);
  CHECK_OK(passes_optimize(&f, NULL, 0), &f.d);
  const weft_node *i = weft_graph_first(f.g);
  passes_types(weft_node_graph_at(i, 0), got);
  CHECK_STR(got, "Neg");
  passes_types(weft_node_graph_at(i, 1), got);
  CHECK_STR(got, "");
  CHECK_OK(passes_same_results(&f, 0, 3), &f.d);
  passes_close(&f);
}
// SPDX-License-Identifier: Apache-2.0
