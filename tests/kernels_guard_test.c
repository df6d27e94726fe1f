// kernels_guard_test.c - each family of the CPU's kernels in memory that is exactly its own (guard_pages.h),
// on odd sizes: channels of 1, 3, 16, 17 and 33, dims of 1, empty tensors; subnormal numbers, NaN and
// infinities among the data; alone, fused, and stored as NC1HWC0; for each instruction set, against the
// interpreter. The tests of the kernels run a second time in such memory, too (tests/guard_pages.cmake): more
// shapes, closer bounds.
#include "base/base.h"
#include "guard_pages.h"
#include "maker.h"

enum { INPUTS = 8, OUTPUTS = 4, PICKS = 6 };

// In a template @N, @C, @H, @W are sizes, @D is twice @C, @P is @H * @W, and {?} behind a constant's shape
// are random numbers.
#define G(...) "graph \"g\" {\n" __VA_ARGS__ "\n}\n"
#define X      "input x: f32[@N,@C,@H,@W] "
#define Y      " -> y output y"

static const char *const products[] = {
    G("input x: f32[@H,@C] const w: f32[@C,@W]{?} input b: f32[@W] node p: MatMulV2(x, w, b) -> p node r: "
      "Relu(p)" Y),
    G("input x: f32[@H,@C] input w: f32[@W,@C] input r: f32[@H,@W] node p: MatMulV2(x, w) "
      "{transpose_x2=true} -> p node s: Add(p, r) -> s node t: Tanh(s)" Y),
    G("input x: f32[@C,@H] const w: f32[@C,@W]{?} node p: MatMulV2(x, w) {transpose_x1=true}" Y),
    G("input x: f32[@N,@H,@C] input w: f32[@N,@C,@W] node p: BatchMatMulV2(x, w) -> p node g: Gelu(p)" Y),
    G("input x: f32[@N,1,@H,@C] input w: f32[3,@W,@C] node p: BatchMatMulV2(x, w) {adj_x2=true}" Y),
    G("input x: f32[@H,@C] const w: f32[@C,@W]{?} input e: f32[1,@W] const al: f32[]{0.5} const be: f32[]{2} "
      "node p: GEMM(x, w, e, al, be)" Y),
    G("input x: f32[@H,@C] const w: f32[@C,160]{?} node p: MatMulV2(x, w)" Y),
    G("input x: f32[4,@C] input w: f32[@C,160] node p: MatMulV2(x, w)" Y),
    G("input x: f64[@H,@C] const w: f64[@C,@W]{?} node p: MatMulV2(x, w)" Y),
    G("input x: i64[@N,@H,@C] input w: i64[@N,@W,@C] node p: BatchMatMulV2(x, w) {adj_x2=true}" Y),
    G("input x: i32[@C,@H] input w: i32[@C,@W] input e: i32[@H,1] const al: i32[]{2} const be: i32[]{-3} "
      "node p: GEMM(x, w, e, al, be) {transpose_a=true}" Y),
    NULL};
static const char *const convolutions[] = {
    G(X "const w: f32[@D,@C,3,3]{?} const b: f32[@D]{?} node c: Conv(x, w, b) {pads=[1,1,1,1]} -> c node r: "
        "Relu(c)" Y),
    G(X "const w: f32[@D,@C,3,3]{?} input r: f32[@N,@D,@H,@W] node c: Conv(x, w) {pads=[1,1,1,1]} -> c node "
        "s: Add(c, r) -> s node t: Sigmoid(s)" Y),
    G(X "const w: f32[@D,@C,1,1]{?} node c: Conv(x, w) -> c node t: HardSwish(c)" Y),
    G(X "const w: f32[@D,@C,1,1]{?} node c: Conv(x, w) {strides=[2,3]}" Y),
    G(X "const w: f32[@C,@C,5,2]{?} node c: Conv(x, w) {pads=[2,1,2,1], strides=[2,1], dilations=[1,2]}" Y),
    G(X "input w: f32[@D,@C,3,3] input b: f32[@D] node c: Conv(x, w, b) {pads=[1,2,2,1]}" Y),
    G(X "const w: f32[@D,1,3,3]{?} node c: Conv(x, w) {pads=[1,1,1,1], group=@C} -> c node t: Relu6(c)" Y),
    G(X "const w: f32[@C,1,3,3]{?} const b: f32[@C]{?} node c: Conv(x, w, b) {pads=[1,1,1,1], strides=[2,2], "
        "group=@C}" Y),
    G(X "const w: f32[@C,1,5,5]{?} input b: f32[@C] node c: Conv(x, w, b) {pads=[2,2,2,2], group=@C} -> c "
        "node t: "
        "Relu(c)" Y),
    G("input x: f32[@N,@C,@P] const w: f32[@D,@C,3]{?} node c: Conv(x, w) {pads=[1,1], strides=[2]}" Y),
    G(X "const w: f32[@C,@D,4,3]{?} const b: f32[@D]{?} node c: ConvTranspose(x, w, b) {strides=[2,3], "
        "pads=[1,0,1,1]}" Y),
    G(X "const w: f32[@C,1,4,4]{?} const b: f32[@C]{?} node c: ConvTranspose(x, w, b) {strides=[2,2], "
        "pads=[1,1,1,1], group=@C} -> c node t: Relu(c)" Y),
    G(X "input w: f32[@C,3,3,4] node c: ConvTranspose(x, w) {strides=[1,3], pads=[0,2,1,1]} -> c node t: "
        "Tanh(c)" Y),
    G("input x: f32[@N,@C,@P] input w: f32[@C,2,7] node c: ConvTranspose(x, w) {strides=[3]}" Y),
    G(X "input w: f32[@C,@D,2,2] node c: ConvTranspose(x, w) {strides=[2,2]}" Y),
    G(X
      "const w: f32[@C,@D,3,2]{?} input b: f32[@D] node c: ConvTranspose(x, w, b) {strides=[2,1]} -> c node "
      "t: Tanh(c)" Y),
    G("input x: f32[@N,@C,3,@H,@W] const w: f32[@D,1,3,3,2]{?} node c: Conv(x, w) {pads=[1,2,0,1,0,1], "
      "strides=[1,2,1], group=@C} -> c node t: Tanh(c)" Y),
    G("input x: f32[@N,@C,3,@H,@W] const w: f32[@D,@C,2,3,1]{?} node c: Conv(x, w) {pads=[0,1,0,1,1,0]}" Y),
    G("input x: f32[@N,48,@H,@W] const w: f32[96,16,3,3]{?} node c: Conv(x, w) {pads=[1,1,1,1], group=3} -> "
      "c node r: "
      "Relu(c)" Y),
    // One to four columns more than whole panels, whatever the instruction set.
    G("input x: f32[@N,14,3,11] input s: f32[@N,26,3,11] const w: f32[26,7,1,1]{?} const b: f32[26]{?} node "
      "c: "
      "Conv(x, w, b) {group=2} -> c node a: Add(c, s) -> a node r: Relu(a)" Y),
    G("input x: f32[@N,@C,17,2] const w: f32[@D,@C,1,1]{?} node c: Conv(x, w)" Y),
    G("input x: f32[@N,@C,5,7] const w: f32[73,@C,3,3]{?} node c: Conv(x, w) {pads=[1,1,1,1]} -> c node r: "
      "Relu6(c)" Y),
    G("input x: f32[@N,@C,6,6] const w: f32[@D,@C,1,1]{?} const b: f32[@D]{?} node c: Conv(x, w, b)" Y),
    NULL};
static const char *const blocked[] = {
    G(X "const w: f32[@D,@C,3,3]{?} const u: f32[@C,@D,1,1]{?} node c: Conv(x, w) {pads=[1,1,1,1]} -> c node "
        "r: Relu(c) -> r "
        "node d: Conv(r, u) -> d node s: Add(d, x) -> s node z: Relu(s)" Y),
    G(X
      "const w: f32[@D,@C,1,1]{?} node c: Conv(x, w) -> c node p: MaxPoolV3(c) {ksize=[3,3], strides=[2,2], "
      "pads=[1,1,1,1]}" Y),
    G(X
      "const w: f32[@D,@C,1,1]{?} node c: Conv(x, w) -> c node p: AvgPoolV2(c) {ksize=[3,2], strides=[1,2], "
      "pads=[1,1,1,1]} -> p node q: Mul(p, p)" Y),
    G(X "const w: f32[@C,@C,1,1]{?} const u: f32[@D,@C,3,3]{?} node c: Conv(x, w) -> c node d: Conv(x, u) "
        "{pads=[1,1,1,1]} -> d node e: ConcatD([c, d, x]) {concat_dim=1, N=3} -> e const v: "
        "f32[@C,@C,1,1]{?} node f: "
        "Conv(c, v) -> f output f output e"),
    G(X "const w: f32[@D,@C,3,3]{?} node c: Conv(x, w) {pads=[1,1,1,1]} -> c node l: LRN(c) {size=5, "
        "alpha=0.01, "
        "beta=0.75, data_format=\"NCHW\"}" Y),
    G(X "const w: f32[@D,@C,1,1]{?} node c: Conv(x, w) -> c node s: Sigmoid(c) -> s node m: Mul(c, s) -> m "
        "node g: "
        "GlobalAveragePool(m)" Y),
    G(X "const w: f32[@D,@C,1,1]{?} const u: f32[@D,1,3,3]{?} const v: f32[@C,@D,1,1]{?} node c: Conv(x, w) "
        "-> c node r: "
        "Relu6(c) -> r node d: Conv(r, u) {pads=[1,1,1,1], strides=[2,2], group=@D} -> d node s: Relu6(d) -> "
        "s node e: "
        "Conv(s, v)" Y),
    G("input x: f32[@N,32,@H,@W] input z: f32[@N,16,@H,@W] input w: f32[@N,@C,@H,@W] node e: ConcatD([x, z, "
      "w]) "
      "{concat_dim=1, N=3} -> e const v: f32[@C,@C,1,1]{?} node f: Conv(w, v) -> f output f output e"),
    NULL};
static const char *const attentions[] = {
    G("input q: f32[@N,2,@H,@C] input k: f32[@N,2,@W,@C] input v: f32[@N,2,@W,@C] node a: "
      "PromptFlashAttention(q, k, v) "
      "{num_heads=2, num_key_value_heads=2, scale_value=0.25, input_layout=\"BNSD\", key_layout=\"BNSD\", "
      "value_layout=\"BNSD\", output_layout=\"BNSD\"}" Y),
    G("input q: f32[@N,@H,@D] input k: f32[@N,@W,@D] input v: f32[@N,@W,@D] input s: f32[@H,@W] input m: "
      "bool[@H,@W] node "
      "a: PromptFlashAttention(q, k, v, s, m) {num_heads=2, num_key_value_heads=2, scale_value=0.25, "
      "input_layout=\"BSH\", key_layout=\"BSH\", value_layout=\"BSH\", output_layout=\"BSH\"}" Y),
    NULL};
static const char *const recurrent[] = {G("input x: f32[@H,@N,@W] const w: f32[1,@C,@W]{?} const r: "
                                          "f32[1,@C,@C]{?} const b: f32[1,@D]{?} node l: CommonRNN(x, "
                                          "w, r, b) {hidden_size=@C} -> y, h output y output h"),
                                        NULL};
static const char *const quantised[] = {
    G("input x: u8[@N,@C,@H,@W] const w: i8[@D,@C,3,3]{?} const b: i32[@D]{?} const xz: u8[]{7} const wz: "
      "i8[]{0} node c: "
      "ConvInteger(x, w, b, xz, wz) {pads=[1,1,1,1]}" Y),
    G("input x: u8[@N,@C,@H,@W] const w: i8[@D,@C,1,1]{?} const b: i32[@D]{?} const xz: u8[]{128} const wz: "
      "i8[]{0} const s: "
      "f32[]{0.01} const yz: u8[]{3} node c: ConvInteger(x, w, b, xz, wz, s, yz) {strides=[2,1]}" Y),
    G("input x: i8[@N,@C,@H,@W] const w: i8[@C,1,3,3]{?} const b: i32[@C]{?} const xz: i8[]{-3} const wz: "
      "i8[]{0} const s: "
      "f32[]{0.01} const yz: i8[]{3} node c: ConvInteger(x, w, b, xz, wz, s, yz) {pads=[1,1,1,1], "
      "group=@C}" Y),
    G("input x: u8[@H,@C] const w: u8[@C,@W]{?} const b: i32[@W]{?} const xz: u8[]{128} const wz: u8[]{127} "
      "node c: "
      "MatMulInteger(x, w, b, xz, wz)" Y),
    G("input x: i8[@N,@H,@C] input w: i8[@N,@C,@W] input b: i32[@W] const xz: i8[]{1} const wz: i8[]{0} "
      "const s: f32[]{0.1} "
      "const yz: u8[]{9} node c: MatMulInteger(x, w, b, xz, wz, s, yz)" Y),
    G("input x: u8[@N,@C,@H,@W] node p: MaxPoolV3(x) {ksize=[3,2], strides=[2,1], pads=[1,1,1,1]}" Y),
    G("input x: f32[@N,@C,@P] const s: f32[]{0.02} const z: u8[]{128} node q: QuantizeLinear(x, s, z) "
      "{axis=1}" Y),
    G("input x: i8[@N,@C,@P] const s: f32[@C]{?} const z: i8[@C]{?} node q: DequantizeLinear(x, s, z) "
      "{axis=1}" Y),
    G("input x: i32[@N,@C,@P] const m: i32[]{1340000000} const s: i32[]{-3} node q: FixedRequant(x, m, s) "
      "{output_dtype=2, low=-128, high=127, zero_point=4}" Y),
    G("input x: i32[@N,@C,@P] input m: i32[@C] input s: i32[] node q: FixedRequant(x, m, s) {axis=1, "
      "output_dtype=6, low=0, high=60000}" Y),
    G("input x: f32[@N,@C,@P] const s: f32[]{0.02} const z: u16[]{300} node q: QuantizeLinear(x, s, z) "
      "{axis=1}" Y),
    G("input x: i16[@N,@C,@P] const s: f32[@C]{?} const z: i16[@C]{?} node q: DequantizeLinear(x, s, z) "
      "{axis=1}" Y),
    G("input x: u8[1,520,2,@N] const w: i8[70,520,1,1]{?} const b: i32[70]{?} const xz: u8[]{3} const wz: "
      "i8[]{0} "
      "node c: ConvInteger(x, w, b, xz, wz)" Y),
    G("input x: u8[@N,@C,@H,@W] input w: i8[@N,@C,@H,@W] const s: f32[]{0.0123} const r: f32[]{0.0345} const "
      "q: "
      "f32[1]{0.02} const sz: u8[]{3} const rz: i8[]{-5} const qz: u8[1]{77} node c: DequantizeLinear(x, s, "
      "sz) -> c "
      "node d: DequantizeLinear(w, r, rz) -> d node e: Add(c, d) -> e node g: QuantizeLinear(e, q, qz)" Y),
    G("input x: u8[@H,@C] const w: i8[@C,@W]{?} const b: i32[@W]{?} const xz: u8[]{5} const wz: i8[]{0} "
      "node c: MatMulInteger(x, w, b, xz, wz)" Y),
    G("input x: i8[@N,@H,@C] const w: u8[@C,@W]{?} input b: i32[@W] const xz: i8[]{5} const wz: u8[]{128} "
      "const s: f32[@W]{?} const yz: u8[]{9} node c: MatMulInteger(x, w, b, xz, wz, s, yz)" Y),
    G("input x: u8[@N,24,@H,@W] const v: i8[24,24,1,1]{?} const w: i8[24,24,3,3]{?} const b: i32[24]{?} "
      "const xz: u8[]{5} const wz: i8[]{0} const s: f32[]{0.002} node c: ConvInteger(x, v, b, xz, wz, s, xz) "
      "-> c node d: ConvInteger(c, w, b, xz, wz, s, xz) {pads=[1,1,1,1]}" Y),
    G("input x: i8[@N,24,@H,@W] const v: i8[24,24,1,1]{?} const w: i8[24,1,3,3]{?} const b: i32[24]{?} "
      "const xz: i8[]{5} const wz: i8[]{0} const m: i32[]{1500000000} const s: i32[]{-9} "
      "node c: ConvInteger(x, v, b, xz, wz) -> c0 node q: FixedRequant(c0, m, s) {axis=1, output_dtype=2, "
      "low=-128, high=127, zero_point=5, twice=true} -> c node d: ConvInteger(c, w, b, xz, wz) "
      "{pads=[1,1,1,1], "
      "group=24} -> d0 node r: FixedRequant(d0, m, s) {axis=1, output_dtype=2, low=-100, high=127}" Y),
    G("input x: u8[@H,@C] const w: i8[@C,@W]{?} const b: i32[@W]{?} const xz: u8[]{5} const wz: i8[]{0} "
      "const m: i32[]{1500000000} const s: i32[]{-9} node c: MatMulInteger(x, w, b, xz, wz) -> c "
      "node q: FixedRequant(c, m, s) {output_dtype=4, low=0, high=255}" Y),
    G("input x: i8[@N,@C,@P] input w: i8[@N,@C,@P] const z: i32[]{3} const m: i32[]{1500000000} const s: "
      "i32[]{-2} node a: Cast(x) {dst_type=3} -> a node b: Cast(w) {dst_type=3} -> b node t: Sub(b, z) -> t "
      "node c: Add(a, t) -> c node q: FixedRequant(c, m, s) {output_dtype=2, low=-128, high=127}" Y),
    G("input x: i8[@N,@C,@H,@W] const z: i32[]{3} const e: i64[2]{2,3} const m: i32[]{1500000000} const s: "
      "i32[]{-4} node a: Cast(x) {dst_type=3} -> a node t: Sub(a, z) -> t node c: ReduceSum(t, e) -> c node "
      "q: "
      "FixedRequant(c, m, s) {output_dtype=2, low=-128, high=127}" Y),
    NULL};
static const char *const few_bits[] = {
    G("input x: f32[@H,33] const w: u8[17,3,8]{?} const s: f32[17,3]{?} node p: MatMulNBits(x, w, s) "
      "{K=33, N=17, block_size=16}" Y),
    G("input x: f32[@N,@H,64] const w: u8[9,2,32]{?} const s: f32[9,2]{?} const z: u8[9,2]{?} input b: "
      "f32[9] "
      "node p: MatMulNBits(x, w, s, z, _, b) {K=64, N=9, bits=8, block_size=32}" Y),
    NULL};
static const char *const rows_of[] = {
    G("input x: f32[@N,@H,@C] input g: f32[@C] input b: f32[@C] node n: LayerNorm(x, g, b) "
      "{begin_norm_axis=2, "
      "begin_params_axis=-1} -> y, m, v output y output m output v"),
    G(X "input g: f32[@C] input b: f32[@C] node n: InstanceNorm(x, g, b) {data_format=\"NCHW\"} -> y, m, v "
        "output y"),
    G("input x: f32[@N,@D,@H,@W] input g: f32[@D] input b: f32[@D] node n: GroupNorm(x, g, b) {num_groups=2} "
      "-> y, m, v "
      "output y"),
    G(X "input g: f32[@C] input b: f32[@C] input m: f32[@C] const v: f32[@C]{*1.5} node n: BatchNorm(x, g, "
        "b, m, v) "
        "{is_training=false, data_format=\"NCHW\"} -> y, q, r, s, t, u output y"),
    G(X "node n: LRN(x) {size=3, alpha=0.1, beta=0.75, data_format=\"NCHW\"}" Y),
    G(X "node n: SoftmaxV2(x)" Y),
    G(X "node n: SoftmaxV2(x) {axes=[1]}" Y),
    G("input x: f16[@N,@C,@P] node n: SoftmaxV2(x) {axes=[1]}" Y),
    G(X "node n: LogSoftmaxV2(x) {axes=[2]}" Y),
    G(X "const a: i64[2]{1,3} node n: ReduceSum(x, a)" Y),
    G(X "const a: i64[1]{-1} node n: ReduceMean(x, a) {keep_dims=true}" Y),
    G(X "const a: i64[1]{1} node n: ReduceMax(x, a)" Y),
    G("input x: f16[@N,@C,@P] const a: i64[1]{2} node n: ReduceMin(x, a)" Y),
    G(X "node n: GlobalAveragePool(x)" Y),
    G(X "const a: i64[2]{1,3} node n: ReduceLogSumExp(x, a)" Y),
    G(X "const a: i64[1]{2} node n: ReduceLogSumExp(x, a)" Y),
    G(X "const a: i64[2]{2,3} node n: EuclideanNorm(x, a)" Y),
    G(X "const a: i64[1]{1} node n: ReduceProd(x, a)" Y),
    G("input x: f64[@N,@C,@P] const a: i64[1]{2} node n: ReduceSum(x, a)" Y),
    G("input x: f64[@N,@C,@P] const a: i64[1]{1} node n: EuclideanNorm(x, a)" Y),
    G("input x: i32[@N,@C,@P] const a: i64[1]{2} node n: ReduceMean(x, a)" Y),
    G("input x: i64[@N,@C,@P] const a: i64[2]{0,2} node n: ReduceProd(x, a)" Y),
    G("input x: i8[@N,@C,@P] const a: i64[1]{2} node n: ReduceMax(x, a)" Y),
    G("input x: bool[@N,@C,@P] const a: i64[1]{1} node n: ReduceAny(x, a)" Y),
    G("input x: f32[@N,@C,@P] const a: i64[]{2} node n: Cumsum(x, a)" Y),
    G("input x: f16[@N,@C,@P] const a: i64[]{1} node n: Cumsum(x, a) {reverse=true}" Y),
    G("input x: i64[@N,@C,@P] const a: i64[]{0} node n: Cumsum(x, a) {exclusive=true}" Y),
    G("input x: i64[@N,@C] input u: f32[] input v: f32[] const d: i64[]{37} node n: OneHot(x, d, u, v)" Y),
    G("input x: i32[@H,@P] input u: i8[] input v: i8[] const d: i64[]{5} node n: OneHot(x, d, u, v) "
      "{axis=1}" Y),
    G(X "node n: MaxPoolV3(x) {ksize=[3,3], strides=[2,2], pads=[1,1,1,1]}" Y),
    G(X "node n: MaxPoolV3(x) {ksize=[2,3], strides=[1,1], pads=[1,2,1,2]}" Y),
    G(X "node n: AvgPoolV2(x) {ksize=[3,2], strides=[1,2], pads=[1,1,1,1]}" Y),
    G(X "node n: MaxPoolV3(x) {ksize=[1,3], strides=[3,3], pads=[0,0,1,1], dilations=[1,2], "
        "ceil_mode=true}" Y),
    G("input x: f32[@N,@C,2,@H,@W] node n: MaxPoolV3(x) {ksize=[2,3,3], strides=[1,2,2], "
      "pads=[1,0,1,1,1,1]}" Y),
    G("input x: f32[@N,@C,2,@H,@W] node n: AvgPoolV2(x) {ksize=[3,3,2], strides=[2,1,1], "
      "pads=[1,1,1,1,1,1]}" Y),
    G("input x: f16[@N,@C,2,@H,@W] node n: AvgPoolV2(x) {ksize=[2,1,3], strides=[1,1,2], "
      "pads=[1,0,0,0,1,1]}" Y),
    G("input x: f32[@N,@C,2,@H,@W] node n: MaxPoolV3(x) {ksize=[1,1,1], strides=[1,1,1], "
      "global_pooling=true}" Y),
    G(X "node n: MaxPoolWithArgmaxV3(x) {ksize=[3,3], strides=[2,2], pads=[1,1,1,1]} -> y, i output y output "
        "i"),
    G("input x: f16[@N,@C,2,@H,@W] node n: MaxPoolWithArgmaxV3(x) {ksize=[2,1,3], strides=[1,1,3], "
      "pads=[0,1,0,0,1,1], dilation=[1,1,1], dtype=9, index_base=\"tensor\"} -> y, i output y output i"),
    NULL};
static const char *const moves[] = {
    G(X "const p: i64[4]{0,2,3,1} node n: Transpose(x, p)" Y),
    G(X "const p: i64[4]{3,2,1,0} node n: Transpose(x, p)" Y),
    G("input x: f16[@H,@C,@W] node n: TransposeD(x) {perm=[1,2,0]}" Y),
    G("input x: u8[@H,@C,@W] node n: TransposeD(x) {perm=[2,1,0]}" Y),
    G(X "input a: f32[@N,1,@H,@W] node n: ConcatD([a, x, a]) {concat_dim=1, N=3}" Y),
    G(X "const z: i64[4]{@N,@C,@H,@W} node n: BroadcastTo(x, z)" Y),
    G("input x: f32[@C,1] const z: i64[3]{@N,@C,@W} node n: Expand(x, z)" Y),
    G(X "const p: i64[8]{0,0,1,0,0,2,1,1} node n: PadV3(x, p)" Y),
    G(X "const p: i64[8]{0,0,1,0,2,2,1,1} node n: PadV3(x, p) {mode=\"edge\"}" Y),
    G("input x: u8[@N,@H,@W] const p: i64[6]{0,0,1,2,3,1} node n: PadV3(x, p) {mode=\"symmetric\"}" Y),
    G("input x: f16[@C,@P] const p: i64[2,2]{0,-1,2,3} node n: Pad(x, p)" Y),
    G("input x: f32[@N,@C,@P] const a: i64[2]{0,2} node n: ReverseV2(x, a)" Y),
    G("input x: u8[@N,@C,@P] const l: i64[@C]{*1} node n: ReverseSequence(x, l) {seq_dim=2, batch_dim=1}" Y),
    G("input x: f32[@P,@C] const l: i32[@C]{*1} node n: ReverseSequence(x, l) {seq_dim=0, batch_dim=1}" Y),
    G("input x: f32[@N,12,@H,@W] node n: DepthToSpace(x) {block_size=2, data_format=\"NCHW\"}" Y),
    G("input x: u8[@N,4,6,@C] node n: SpaceToDepth(x) {block_size=2}" Y),
    G("input x: f32[@N,@C,@W] node n: Trilu(x) {upper=1}" Y),
    G("input x: i64[@C,@H] node n: Tril(x) {diagonal=-1}" Y),
    G("input x: f16[@C,@H] node n: Triu(x) {diagonal=1}" Y),
    G("input x: f32[@P,@C] const i: i64[3]{0,0,0} const a: i64[]{0} node n: GatherV2(x, i, a)" Y),
    G("input x: f32[2,3,@P,@C] const i: i64[2,2]{0,0,0,0} const a: i64[]{2} node n: GatherV2(x, i, a) "
      "{batch_dims=1}" Y),
    G("input x: u8[@N,@C] const r: i64[2]{2,3} node n: Tile(x, r)" Y),
    G(X "const s: f32[4]{1,1,2,3} node n: Resize(x, _, s, _)" Y),
    G(X "const s: f32[4]{1,1,2,2} node n: Resize(x, _, s, _)" Y),
    G(X "const s: f32[4]{1,1,1.7,0.6} node n: Resize(x, _, s, _) {mode=\"linear\"}" Y),
    G(X "const s: f32[4]{1.5,1,0.4,2} node n: Resize(x, _, s, _) {mode=\"linear\"}" Y),
    G(X "const s: f32[4]{1,1,0.4,1.7} node n: Resize(x, _, s, _) {mode=\"cubic\", antialias=1}" Y),
    G("input x: f16[@N,@H,@W,@C] const s: f32[4]{1,0.6,2,1} node n: Resize(x, _, s, _) {mode=\"linear\"}" Y),
    G("input x: u8[@N,@C,@H,@W] const s: f32[4]{1,2,1.5,1} node n: Resize(x, _, s, _)" Y),
    G("input x: f32[@N,@C,@H,@W] input g: f32[@N,3,@P,2] node n: GridSample(x, g)" Y),
    G("input x: f16[@N,@C,@H,@W] input g: f32[@N,3,@W,2] node n: GridSample(x, g) "
      "{interpolation_mode=\"bicubic\", padding_mode=\"border\"}" Y),
    G("input x: f32[2,@C,@H,@W] const r: f32[2,4]{0,0,8,9,-3,2,7,11} const i: i64[2]{0,1} node n: "
      "RoiAlign(x, r, i) {output_height=3, output_width=5}" Y),
    G("input x: f16[2,@C,@H,@W] const r: f16[2,4]{0,0,8,9,-3,2,7,11} const i: i64[2]{0,1} node n: "
      "RoiAlign(x, r, i) {output_height=3, output_width=2, mode=\"max\"}" Y),
    G("input x: f32[@N,@D,@P] const z: i64[2]{@H,@W} const k: i64[2]{1,1} node n: Col2Im(x, z, k)" Y),
    G("input x: f16[@N,@D,@W] const z: i64[1]{@W} const k: i64[1]{2} node n: Col2Im(x, z, k) {pads=[1,1], "
      "dilations=[2]}" Y),
    G("input x: f32[@N,@C,@W,3,@H] input g: f32[@N,2,3,@P,3] node n: GridSample(x, g) "
      "{padding_mode=\"border\", align_corners=true}" Y),
    G("input x: f32[2,@C,@H,@W] const r: f32[2,4]{0,0,28,39,-3,-2,17,31} const i: i64[2]{0,1} node n: "
      "RoiAlign(x, r, i) {output_height=9, output_width=8, mode=\"max\"}" Y),
    G("input x: f32[3,130,1031] input b: f32[3,1,1031] node n: ConcatD([x, b]) {concat_dim=1, N=2}" Y),
    NULL};
static const char *const places[] = {
    G("input x: f32[@H,@C] const i: i64[3,@C]{*0} node n: GatherElements(x, i)" Y),
    G("input x: u8[@N,@C,@W] const i: i32[@N,@C,@W]{*-1} node n: GatherElements(x, i) {dim=2}" Y),
    G("input x: f16[@C,@H,@W] const i: i64[5,2]{*0} node n: GatherNd(x, i)" Y),
    G("input x: f32[@C,@H] const i: i32[@H,2]{*0} node n: GatherNd(x, i)" Y),
    G("input x: f32[@C,@P] const i: i64[@C,@W]{*0} input u: f32[@C,@W] node n: ScatterElements(x, i, u) "
      "{axis=1, reduction=\"add\"}" Y),
    G("input x: f16[@H,@C] const i: i32[@W,@C]{*-1} input u: f16[@W,@C] node n: ScatterElements(x, i, u) "
      "{reduction=\"max\"}" Y),
    G("input x: f32[@C,@P] const i: i64[@W,1]{*0} input u: f32[@W,@P] node n: TensorScatterUpdate(x, i, "
      "u)" Y),
    G("input x: u8[@C,@P] const i: i64[@W,2]{*-1} input u: u8[@W] node n: TensorScatterUpdate(x, i, u) "
      "{reduction=\"mul\"}" Y),
    G("const i: i64[3,1]{*0} input x: f32[3,@P] const z: i64[2]{@C,@P} node n: ScatterNd(i, x, z)" Y),
    NULL};
static const char *const picks[] = {
    G("input x: f32[@N,@P] const k: i64[]{1} node n: TopKV2(x, k) {dim=1} -> y, i output y output i"),
    G("input x: f32[@N,@P] const a: i64[]{1} node n: ArgMaxV2(x, a)" Y),
    G(X "node n: NonZero(x) {transpose=true}" Y),
    G("input x: u8[@N,@C,@P] node n: NonZero(x)" Y),
    G("input x: bool[@C,@P] node n: Where(x)" Y),
    NULL};
static const char *const elementwise[] = {
    G(X "input b: f32[@C,1,1] input c: f32[@W] node s: Add(x, b) -> s node t: Mul(s, c) -> t node u: Tanh(t) "
        "-> u node v: "
        "Sub(u, x) -> v node w: Exp(v)" Y),
    G(X "node s: Sqrt(x) -> s node e: Erf(x) -> e node d: Div(s, e)" Y),
    G("input x: f16[@N,@C,@P] input b: f16[@C,1] node s: Mul(x, b) -> s node t: Sigmoid(s)" Y),
    G("input x: bf16[@C,@P] input b: bf16[] node s: Maximum(x, b) -> s node t: Neg(s)" Y),
    G("input x: f64[@C,@P] input b: f64[@P] node s: Minimum(x, b)" Y),
    G("input x: i64[@C,@P] input b: i64[@C,1] node s: Greater(x, b)" Y),
    G("input c: bool[@C,1] input a: f32[@C,@P] input b: f32[@P] node n: SelectV2(c, a, b)" Y),
    G("input x: i16[@C,@P] input b: i16[@P] node n: RightShift(x, b) -> n node m: BitwiseXor(n, x)" Y),
    G("input x: u8[@C,@P] input b: u8[@C,1] node n: BitwiseAnd(x, b)" Y),
    G(X "input b: f32[@W] node n: Mod(x, b) -> n node m: Asin(n) -> m node o: IsNan(m)" Y),
    G("input x: f32[@C,@P] node n: Cast(x) {dst_type=1} -> m node o: Cast(m) {dst_type=0}" Y),
    G("input x: i32[@C,@P] node n: Cast(x) {dst_type=0}" Y),
    G("input x: u8[@C,@P] node n: Cast(x) {dst_type=0}" Y),
    G("input x: u32[@C,@P] node n: Cast(x) {dst_type=1}" Y),
    G("input x: u8[@N,@H,@C] input b: f32[@C] node n: Cast(x) {dst_type=0} -> m node o: Sub(m, b) -> o "
      "node p: Muls(o) {value=0.25} -> p node q: Cast(p) {dst_type=4}" Y),
    G("input x: i16[@C,@P] input b: i16[@C,1] node n: Add(x, b) -> m node o: Maximum(m, x) -> o "
      "node p: Less(o, b)" Y),
    G("input x: f32[@C,@P] node n: Cast(x) {dst_type=2} -> m node o: Cast(m) {dst_type=6} -> k "
      "node p: Cast(k) {dst_type=1}" Y),
    G(X "const e: f32[]{2} node n: Pow(x, e) -> n node m: Log1p(n) -> m node o: Softplus(m)" Y),
    G("input x: i32[@C,@P] const b: i32[@P]{*-3} node n: Div(x, b) -> n node m: FloorMod(n, b)" Y),
    G("input x: i8[@C,@P] const b: i8[]{7} node n: Mod(x, b)" Y),
    G("input x: f32[@H,@W,3] node n: TransposeD(x) {perm=[2,0,1]}" Y),
    G("input x: u8[3,@H,@W] node n: TransposeD(x) {perm=[1,2,0]}" Y),
    G("input x: i64[@N,@H,3] node n: TransposeD(x) {perm=[0,2,1]}" Y),
    NULL};

// ---- making a graph ----
static int64_t size[128];  // by letter

static double number(maker *m) {
  static const double odd[] = {0, -0.0, 1e-40, -3e-42, 1, -1};
  return pick(m, 8) ? ((double)pick(m, 2001) - 1000) / 1000 : odd[pick(m, 6)];
}

// Behind "name: dtype[dims]" that was just written: so many numbers.
static void values(maker *m) {
  size_t at = m->n;
  while (m->text[at - 1] != ':')
    at--;
  const char *p = m->text + at;
  bool floats = strchr(p, 'f') != NULL;
  bool u = strchr(p, 'u') != NULL;
  bool small = strchr(p, '8') != NULL;
  int64_t n = 1;
  for (p = strchr(p, '[') + 1; *p && *p != ']'; p += *p == ',')
    n *= strtoll(p, (char **)(uintptr_t)&p, 10);
  put(m, "{");
  for (int64_t i = 0; i < n && m->n < MAKER_TEXT - 64; i++) {
    if (i)
      put(m, ",");
    if (floats)
      put(m, "%g", pick(m, 8) ? ((double)pick(m, 2001) - 1000) / 1000 : 0);
    else
      put_decimal(m, small ? (int)pick(m, 256) - (u ? 0 : 128) : (int)pick(m, 2001) - 1000, 0);
  }
  put(m, "}");
}

static void make(maker *m, const char *text) {
  m->n = 0;
  for (const char *p = text; *p; p++) {
    if (*p == '@')
      put(m, "%lld", (long long)size[(unsigned char)*++p]);
    else if (!strncmp(p, "{?}", 3)) {
      values(m);
      p += 2;
    } else
      put(m, "%c", *p);
  }
}

static void sizes(maker *m, uint64_t nth) {
  static const int64_t channels[] = {1, 3, 17, 16, 33, 2};
  static const int64_t sides[] = {1, 2, 3, 5, 9, 16, 18};
  size['C'] = channels[nth % 6];
  size['H'] = sides[pick(m, 7)];
  size['W'] = sides[pick(m, 7)];
  size['N'] = pick(m, 9) ? 1 + (int64_t)pick(m, 2) : 0;
  size['D'] = 2 * size['C'];
  size['P'] = size['H'] * size['W'];
}

// ---- running ----
static void fill(maker *m, weft_tensor *t, bool odd) {
  static const double odds[] = {NAN, INFINITY, -INFINITY, 50};
  int64_t n = weft_tensor_elems(t);
  for (int64_t i = 0; i < n; i++) {
    if (t->dtype == WEFT_BOOL)
      ((uint8_t *)t->data)[i] = (uint8_t)pick(m, 2);
    else if (weft_dtype_is_float(t->dtype))
      weft_store_f64(t->dtype, t->data, (size_t)i, odd && !pick(m, 40) ? odds[pick(m, 4)] : number(m));
    else {
      weft_store_i64(t->dtype, t->data, (size_t)i,
                     (int64_t)pick(m, 256) - (t->dtype == WEFT_UINT8 ? 0 : 128));
    }
  }
}

static const run_float *stored;  // what f32 becomes; NULL: it stays

// The text with another storage type of its floats.
static const char *retyped(const maker *m) {
  static char text[sizeof m->text];
  if (!stored)
    return m->text;
  run_retype(m->text, stored->name, false, text, sizeof text);
  return text;
}

static bool run_case(maker *m, weft_env *e, const char *option, bool odd) {
  const weft_compile_options how = {.size = sizeof how, .options = &option, .n_options = option != NULL};
  const weft_exec_options one = {.size = sizeof one, .threads = 1};
  weft_graph *g = NULL;
  weft_graph *h = NULL;
  weft_program *p = NULL;
  weft_exec *x = NULL;
  weft_diag d = {0};
  weft_tensor in[INPUTS];
  weft_tensor want[OUTPUTS];
  weft_tensor got[OUTPUTS];
  weft_tensor *out[OUTPUTS];
  const weft_tensor *ins[INPUTS];
  size_t n_in = 0;
  size_t n_out = 0;
  const char *text = retyped(m);
  weft_status s = weft_graph_parse(e, text, strlen(text), "case", &g, &d);
  if (!s)
    s = weft_graph_parse(e, text, strlen(text), "case", &h, &d);
  if (!s)
    s = weft_graph_infer(h, NULL, NULL, &d);
  if (!s)
    s = weft_compile(g, &how, &p, &d);
  else
    weft_graph_destroy(g);
  if (!s)
    s = weft_exec_create(p, &one, &x, &d);
  for (; !s && n_in < weft_graph_n_inputs(h); n_in++) {
    weft_tensor_desc desc;
    weft_value_desc(weft_graph_input_at(h, n_in), &desc);
    weft_tensor_init(&in[n_in], NULL);
    ins[n_in] = &in[n_in];
    s = weft_tensor_alloc(&in[n_in], desc.dtype, desc.layout.origin.dim, desc.layout.origin.rank, &d);
    if (!s)
      fill(m, &in[n_in], odd);
  }
  if (!s) {
    n_out = weft_graph_n_outputs(h);
    s = weft_interp_run(h, NULL, ins, n_in, want, n_out, &d);
    if (s)
      n_out = 0;
  }
  for (size_t i = 0; i < n_out; i++) {
    weft_tensor_init(&got[i], NULL);
    out[i] = &got[i];
  }
  if (!s)
    s = weft_exec_run(x, ins, n_in, out, n_out, &d);
  for (size_t i = 0; i < n_out && !s; i++) {
    double most = 0;
    for (int64_t k = 0; weft_dtype_is_float(want[i].dtype) && k < weft_tensor_elems(&want[i]); k++) {
      double v = fabs(weft_load_f64(want[i].dtype, want[i].data, (size_t)k));
      if (isfinite(v) && v > most)
        most = v;
    }
    double rtol = option && strstr(option, "precision")                         ? 5e-2
                  : want[i].dtype == WEFT_FLOAT || want[i].dtype == WEFT_DOUBLE ? 2e-4
                                                                                : 1e-2;
    s = weft_tensor_compare(&got[i], &want[i], rtol, rtol * most + 1e-38, &d);
  }
  for (size_t i = 0; i < n_in; i++)
    weft_tensor_deinit(&in[i]);
  for (size_t i = 0; i < n_out; i++) {
    weft_tensor_deinit(&want[i]);
    weft_tensor_deinit(&got[i]);
  }
  weft_exec_destroy(x);
  weft_program_release(p);
  weft_graph_destroy(h);
  if (s) {
    check_failed(__FILE__, __LINE__, "%s, %s: %s\n%.1500s", getenv("WEFT_ISA"), option ? option : "passes",
                 d.text, text);
  }
  return !s;
}

// How many of the sizes each graph has: all, or one, or two where packed tensors are, so that every kernel
// runs.
static uint64_t some_sizes(const char *const *text) {
  bool packs = text == blocked || text == convolutions || text == elementwise || text == rows_of;
  if (check_long())
    return PICKS;
  return packs ? 2 : 1;
}

// Which of them graph `i` has as its k-th: others than the graph before, so that all sizes appear.
static uint64_t nth_sizes(size_t i, uint64_t k, uint64_t some) {
  return check_long() ? k : (i * some + k) % PICKS;
}

static void all_ways(const char *const *text, const char *const *options, size_t n_options) {
#if defined(WEFT_AVX512_EMULATED)
  static const char *const isas[] = {"avx512"};  // other builds run the rest
#elif defined(__x86_64__)
  static const char *const isas[] = {"plain", "avx2", "avx512", "amx-emulated"};
#else
  static const char *const isas[] = {"plain", "amx-emulated"};
#endif
  static maker m;
  rows r;
  size_t before = guard_pages_runs();
  uint64_t some = some_sizes(text);
  if (!rows_open(&r, ""))
    return;
  for (size_t i = 0; text[i]; i++) {
    int bad = 0;
    for (uint64_t k = 0; k < WEFT_COUNT(isas) * some && bad < 2; k++) {
      uint64_t nth = nth_sizes(i, k / WEFT_COUNT(isas), some);
      m.state = i * 1000 + nth * 977 + 5;
      sizes(&m, nth);
      make(&m, text[i]);
      setenv("WEFT_ISA", isas[k % WEFT_COUNT(isas)], 1);
      isa_again(r.env);
      for (size_t o = 0; o < n_options; o++) {
        bad += !run_case(&m, r.env, options[o],
                         (k + o) % 2 && !stored && !(options[o] && strstr(options[o], "precision")));
      }
    }
  }
  unsetenv("WEFT_ISA");
  rows_close(&r);
  CHECK(guard_pages_runs() > before);
}

static void all(const char *const *text) {
  static const char *const options[] = {"passes=0", NULL, "assign-formats.choose=packed"};
  all_ways(text, options, WEFT_COUNT(options));
}

TEST(products_in_pages) {
  all(products);
}
TEST(convolutions_in_pages) {
  all(convolutions);
}
TEST(r256_blocked_in_pages) {
  all(blocked);
}
TEST(bf16_in_pages) {
  static const char *const options[] = {"precision_mode=allow_fp32_to_bf16", "precision_mode=allow_hf32"};
  setenv("WEFT_BF16", "1!", 1);
  all_ways(products, options, WEFT_COUNT(options));
  all_ways(convolutions, options, WEFT_COUNT(options));
  all_ways(blocked, options, WEFT_COUNT(options));
  unsetenv("WEFT_BF16");
}
// Kernels of float between two conversions (half.c); overflows round elsewhere than in the reference.
TEST(halves_in_pages) {
  static const char *const packed[] = {"assign-formats.choose=packed"};
  static const char *const plain[] = {"passes=0", NULL};
  stored = &run_f16;
  all_ways(products, plain, WEFT_COUNT(plain));
  all_ways(convolutions, plain, WEFT_COUNT(plain));
  all_ways(blocked, packed, WEFT_COUNT(packed));
  all_ways(attentions, plain, WEFT_COUNT(plain));
  all_ways(recurrent, plain, WEFT_COUNT(plain));
  all_ways(picks, plain, WEFT_COUNT(plain));
  all_ways(few_bits, plain, WEFT_COUNT(plain));
  stored = NULL;
}
TEST(attentions_in_pages) {
  all(attentions);
}
TEST(recurrent_layers) {
  all(recurrent);
}
TEST(quantised_ones) {
  all(quantised);
  all(few_bits);
}
TEST(rows_and_windows) {
  all(rows_of);
}
TEST(moves_of_bytes) {
  all(moves);
  all(places);
  all(picks);
}
TEST(elementwise_ones) {
  all(elementwise);
}
#if !defined(WEFT_AVX512_EMULATED)  // leaves out what other builds run
TEST(every_kernel) {
  char text[2048];
  if (guard_pages_runs() && guard_pages_missing(text, sizeof text))  // 0: this test alone
    check_failed(__FILE__, __LINE__, "never in guarded memory: %s", text);
}
#endif
// SPDX-License-Identifier: Apache-2.0
