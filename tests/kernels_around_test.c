// kernels_around_test.c - the CPU's kernels around products against the interpreter, operator by operator,
// for each instruction set: pooling, normalisation, softmax, reductions and moves over many shapes, odd and
// empty ones among them.
#include "base/base.h"
#include "check.h"
#include "kernel_case.h"

#define G    GRAPH
#define TEN  "a, b, a, a, b, a, a, b, a, a"
#define MANY TEN ", " TEN ", " TEN ", " TEN ", " TEN ", " TEN
static const one_case cases[] = {
    // ---- softmax ----
    {G("input x: f32[3,128] node n: SoftmaxV2(x) -> y"), 1e-6},
    {G("input x: f32[3,7,5] node n: SoftmaxV2(x) {axes=[1]} -> y"), 1e-6},
    {G("input x: f32[2,3,700] node n: SoftmaxV2(x) {axes=[1]} -> y"), 1e-6},
    {G("input x: f32[4,9,37] node n: SoftmaxV2(x) {axes=[1,-1]} -> y"), 1e-6},
    {G("input x: f32[1,1] node n: SoftmaxV2(x) -> y"), 1e-6},
    {G("input x: f32[3,0] node n: SoftmaxV2(x) -> y"), 1e-6},
    {G("input x: f32[0,3] node n: SoftmaxV2(x) -> y"), 1e-6},
    {G("input x: f32[2,3,4] node n: SoftmaxV2(x) {axes=[0,2]} -> y"), 1e-6, .reference = true},
    {G("input x: f32[5,1000] node n: LogSoftmaxV2(x) -> y"), 1e-6},
    {G("input x: f32[5,33,17] node n: LogSoftmaxV2(x) {axes=[1]} -> y"), 2e-6},
    // ---- normalisation ----
    {G("input x: f32[6,768] input g: f32[768] input b: f32[768] node n: LayerNorm(x, g, b) "
       "{begin_norm_axis=1, begin_params_axis=1} -> y, m, v output m output v"),
     3e-6},
    {G("input x: f32[6,3,5] input g: f32[3,5] input b: f32[3,5] node n: LayerNorm(x, g, b) "
       "{begin_norm_axis=1, begin_params_axis=-2, epsilon=0.1} -> y, m, v output m output v"),
     3e-6},
    {G("input x: f32[2,3,33] input g: f32[3] input b: f32[3] node n: InstanceNorm(x, g, b) "
       "{data_format=\"NCHW\"} -> y, m, v output m output v"),
     3e-6},
    {G("input x: f32[2,6,5,7] input g: f32[6] input b: f32[6] node n: GroupNorm(x, g, b) {num_groups=3} -> "
       "y, m, v "
       "output m output v"),
     3e-6},
    {G("input x: f32[2,6,5,7] input g: f32[6] input b: f32[6] input m: f32[6] const v: f32[6]{1,2,3,4,5,6} "
       "node n: "
       "BatchNorm(x, g, b, m, v) {is_training=false, data_format=\"NCHW\"} -> y, bm, bv, r1, r2, r3 output "
       "bm "
       "output bv output r1 output r2 output r3"),
     3e-6},
    {G("input x: f32[2,5,7,300] input g: f32[300] input b: f32[300] input m: f32[300] const v: "
       "f32[300]{*1.5} node n: "
       "BatchNorm(x, g, b, m, v) {is_training=false} -> y, bm, bv, r1, r2, r3"),
     3e-6},
    {G("input x: f32[2,9,5,70] node n: LRN(x) {size=5, alpha=0.01, beta=0.75, data_format=\"NCHW\"} -> y"),
     2e-6},
    {G("input x: f32[1,3,300] node n: LRN(x) {size=4, alpha=0.1, beta=0.5, bias=2.0, data_format=\"NCHW\"} "
       "-> y"),
     2e-6},
    {G("input x: f32[1,7,3] node n: LRN(x) {depth_radius=2, beta=0.6, data_format=\"NCHW\"} -> y"), 2e-6},
    // ---- reductions ----
    {G("input x: f32[5,333] const a: i64[1]{-1} node n: ReduceSum(x, a) -> y"), 3e-7},
    {G("input x: f32[5,333] const a: i64[1]{0} node n: ReduceMean(x, a) {keep_dims=true} -> y"), 3e-7},
    {G("input x: f32[3,4,5,6] const a: i64[2]{0,2} node n: ReduceSum(x, a) -> y"), 3e-7},
    {G("input x: f32[3,4,5,6] const a: i64[2]{1,3} node n: ReduceMax(x, a) -> y"), 0},
    {G("input x: f32[3,4,5,6] const a: i64[3]{0,1,3} node n: ReduceMin(x, a) -> y"), 0},
    {G("input x: f32[2,3,300] const a: i64[1]{1} node n: ReduceMax(x, a) -> y"), 0},
    {G("input x: f32[7,40] const a: i64[0]{} node n: ReduceMean(x, a) {noop_with_empty_axes=false} -> y"),
     3e-7},
    {G("input x: f32[7,40] const a: i64[0]{} node n: ReduceSum(x, a) -> y"), 0},
    {G("input x: f32[] const a: i64[0]{} node n: ReduceMin(x, a) {noop_with_empty_axes=false} -> y"), 0},
    {G("input x: f32[3,0] const a: i64[1]{1} node n: ReduceSum(x, a) -> y"), 0},
    {G("input x: f32[0,300] const a: i64[1]{0} node n: ReduceSum(x, a) {keep_dims=true} -> y"), 0},
    {G("input x: f32[0,3] const a: i64[1]{1} node n: ReduceSum(x, a) -> y"), 0},
    {G("input x: f32[2,0,5] const a: i64[2]{0,1} node n: ReduceMean(x, a) -> y"), 0},
    {G("input x: f32[0,3] const a: i64[1]{1} node n: ReduceMax(x, a) -> y"), 0, .reference = true},
    {G("input x: f32[67,101] const a: i64[1]{0} node n: ReduceSum(x, a) -> y"), 3e-7},
    {G("input x: f32[4,9,3,70] const a: i64[2]{0,2} node n: ReduceMean(x, a) -> y"), 3e-7},
    {G("input x: f32[2,9,7,7] node n: GlobalAveragePool(x) -> y"), 3e-7},
    {G("input x: f32[5,333] const a: i64[1]{1} node n: ReduceProd(x, a) -> y"), 3e-7},
    {G("input x: f32[9,3,270] const a: i64[1]{0} node n: ReduceProd(x, a) {keep_dims=true} -> y"), 3e-7},
    {G("input x: f32[0,3] const a: i64[1]{0} node n: ReduceProd(x, a) -> y"), 0},
    {G("input x: f32[2,3,4,35] const a: i64[2]{1,3} node n: EuclideanNorm(x, a) -> y"), 3e-7},
    {G("input x: f32[17,301] const a: i64[1]{0} node n: EuclideanNorm(x, a) -> y"), 3e-7},
    {G("input x: f32[2,0,3] const a: i64[1]{1} node n: EuclideanNorm(x, a) -> y"), 0},
    {G("input x: f32[6,100] const a: i64[1]{1} node n: ReduceLogSum(x, a) -> y"), 1e-6},
    {G("input x: f32[6,100] const a: i64[1]{0} node n: ReduceLogSum(x, a) -> y"), 1e-6},
    {G("input x: f32[0,3] const a: i64[1]{0} node n: ReduceLogSum(x, a) -> y"), 0},
    {G("input x: f32[3,5,517] const a: i64[2]{0,2} node n: ReduceLogSumExp(x, a) -> y"), 1e-6},
    {G("input x: f32[9,4,270] const a: i64[1]{0} node n: ReduceLogSumExp(x, a) {keep_dims=true} -> y"), 1e-6},
    {G("input x: f32[4,0] const a: i64[1]{1} node n: ReduceLogSumExp(x, a) -> y"), 0, .reference = true},
    {G("input x: f32[6,70] const a: i64[]{1} node n: Cumsum(x, a) {exclusive=true} -> y"), 1e-6},
    {G("input x: f32[6,70] const a: i64[]{0} node n: Cumsum(x, a) {reverse=true} -> y"), 1e-6},
    // ---- pooling ----
    {G("input x: f32[2,3,17,19] node n: MaxPoolV3(x) {ksize=[3,3], strides=[2,2], pads=[1,1,1,1]} -> y"), 0},
    {G("input x: f32[1,2,40,41] node n: MaxPoolV3(x) {ksize=[3,2], strides=[1,1], pads=[0,2,1,0]} -> y"), 0},
    {G("input x: f32[1,2,23,50] node n: MaxPoolV3(x) {ksize=[2,3], strides=[3,2], dilations=[2,3], "
       "pads=[2,2,5,5]} "
       "-> y"),
     0},
    {G("input x: f32[1,2,9,33] node n: MaxPoolV3(x) {ksize=[4,4], strides=[3,3], ceil_mode=true} -> y"), 0},
    {G("input x: f32[1,2,9,33] node n: MaxPoolV3(x) {ksize=[3,5], strides=[2,2], "
       "padding_mode=\"SAME_LOWER\"} -> y"),
     0},
    {G("input x: f32[1,2,33] node n: MaxPoolV3(x) {ksize=[5], strides=[1]} -> y"), 0},
    {G("input x: f32[3,2,9,33] node n: MaxPoolV3(x) {ksize=[1,1], strides=[1,1], global_pooling=true} -> y"),
     0},
    {G("input x: f32[1,1,3,3] node n: MaxPoolV3(x) {ksize=[1,1], strides=[1,1], pads=[2,2,2,2]} -> y"), 0},
    {G("input x: f32[1,2,9,33] NCHW node n: MaxPool(x) {ksize=[2,2], strides=[2,2], padding=\"SAME\", "
       "data_format=\"NCHW\"} -> y"),
     0},
    {G("input x: f32[2,3,17,39] node n: AvgPoolV2(x) {ksize=[3,3], strides=[1,1], pads=[1,1,1,1]} -> y"),
     5e-7},
    {G("input x: f32[2,3,17,39] node n: AvgPoolV2(x) {ksize=[3,3], strides=[2,2], pads=[1,0,1,2], "
       "exclusive=false} "
       "-> y"),
     5e-7},
    {G("input x: f32[2,3,17,39] node n: AvgPoolV2(x) {ksize=[3,3], strides=[2,2], ceil_mode=true, "
       "exclusive=false, "
       "pads=[1,1,1,1]} -> y"),
     5e-7},
    {G("input x: f32[2,3,17,39] node n: AvgPoolV2(x) {ksize=[2,4], strides=[3,1], divisor_override=5} -> y"),
     5e-7},
    {G("input x: f32[2,3,17,39] node n: AvgPoolV2(x) {ksize=[16,20], strides=[1,1]} -> y"), 5e-7},
    {G("input x: f32[2,3,17,39] node n: AvgPoolV2(x) {ksize=[1,1], strides=[1,1], global_pooling=true} -> y"),
     5e-7},
    {G("input x: f32[2,3,4,5] node n: AvgPoolV2(x) {ksize=[4,5], strides=[1,1], exclusive=false} -> y"),
     5e-7},
    {G("input x: f32[2,3,17,39] node n: AvgPoolV2(x) {ksize=[15,2], strides=[1,5], dilations=[1,3], "
       "pads=[7,7,1,3]} -> y"),
     5e-7},
    {G("input x: f32[3,2,70,9] node n: AvgPoolV2(x) {ksize=[65,3], strides=[2,3], pads=[9,9,1,1]} -> y"),
     5e-7},
    {G("input x: f32[2,3,9,39] node n: AvgPoolV2(x) {ksize=[3,3], strides=[3,3], pads=[0,0,1,1]} -> y"),
     5e-7},
    {G("input x: f32[2,3,9,99] node n: AvgPoolV2(x) {ksize=[2,3], strides=[1,3], dilations=[2,1]} -> y"),
     5e-7},
    {G("input x: f32[1,3,300] node n: MaxPoolV3(x) {ksize=[5], strides=[4]} -> y"), 0},
    {G("input x: f32[2,3,4,17] node n: MaxPoolV3(x) {ksize=[1,3], strides=[1,9], pads=[0,0,2,2]} -> y"), 0},
    // rows that are cut, and windows that reach further
    {G("input x: f32[1,3,2500] node n: MaxPoolV3(x) {ksize=[3], strides=[1], pads=[1,1]} -> y"), 0},
    {G("input x: f32[1,2,3,2500] node n: AvgPoolV2(x) {ksize=[2,3], strides=[1,2], pads=[1,1,1,1], "
       "exclusive=false} -> y"),
     5e-7},
    {G("input x: f32[1,2,3,2500] node n: MaxPoolV3(x) {ksize=[2,5], strides=[2,7], dilations=[1,200]} -> y"),
     0},
    {G("input x: f32[1,3,2500] node n: MaxPoolV3(x) {ksize=[3], strides=[1], dilations=[700], pads=[0,9]} "
       "-> y"),
     0},
    {G("input x: f32[1,3,2500] node n: AvgPoolV2(x) {ksize=[1100], strides=[300], pads=[100,30]} -> y"),
     5e-7},
    {G("input x: f32[1,2,1500] node n: AvgPoolV2(x) {ksize=[70], strides=[40], dilations=[20], "
       "divisor_override=9} -> y"),
     5e-7},
    // three axes
    {G("input x: f32[2,3,5,9,19] node n: MaxPoolV3(x) {ksize=[3,3,3], strides=[2,2,2], pads=[1,1,1,1,1,1]} "
       "-> y"),
     0},
    {G("input x: f32[1,17,4,6,33] node n: MaxPoolV3(x) {ksize=[2,3,4], strides=[1,2,1], "
       "pads=[0,1,2,1,3,0]} -> y"),
     0},
    {G("input x: f32[1,2,7,5,21] node n: MaxPoolV3(x) {ksize=[2,1,3], strides=[3,1,3], dilations=[3,2,4], "
       "pads=[2,1,0,0,4,4], ceil_mode=true} -> y"),
     0},
    {G("input x: f32[3,2,4,5,6] node n: MaxPoolV3(x) {ksize=[1,1,1], strides=[1,1,1], global_pooling=true} "
       "-> y"),
     0},
    {G("input x: f32[1,1,3,3,3] node n: MaxPoolV3(x) {ksize=[1,1,1], strides=[1,1,1], "
       "pads=[2,2,2,2,2,2]} -> y"),
     0},
    {G("input x: f32[2,3,5,9,19] node n: AvgPoolV2(x) {ksize=[3,3,3], strides=[1,1,1], "
       "pads=[1,1,1,1,1,1]} -> y"),
     5e-7},
    {G("input x: f32[2,3,5,9,19] node n: AvgPoolV2(x) {ksize=[2,2,2], strides=[2,2,2], ceil_mode=true, "
       "exclusive=false, pads=[1,0,1,1,0,1]} -> y"),
     5e-7},
    {G("input x: f32[1,2,9,9,9] node n: AvgPoolV2(x) {ksize=[5,5,5], strides=[4,3,3], "
       "padding_mode=\"SAME_LOWER\"} -> y"),
     5e-7},
    {G("input x: f32[1,2,9,9,9] node n: AvgPoolV2(x) {ksize=[9,9,2], strides=[1,1,1], dilations=[1,1,3]} "
       "-> y"),
     5e-7},
    {G("input x: f32[2,3,4,5,6] node n: AvgPoolV2(x) {ksize=[1,1,1], strides=[1,1,1], global_pooling=true} "
       "-> y"),
     5e-7},
    // with places
    {G("input x: f32[2,3,18,40] node n: MaxPoolWithArgmaxV3(x) {ksize=[2,2], strides=[2,2], pads=[0,0,0,0], "
       "dtype=9, index_base=\"tensor\"} -> y, i output i"),
     0},
    {G("input x: f32[2,3,17,39] node n: MaxPoolWithArgmaxV3(x) {ksize=[3,3], strides=[2,2], pads=[1,1,1,1]} "
       "-> y, i output i"),
     0},
    {G("input x: f32[1,2,600] node n: MaxPoolWithArgmaxV3(x) {ksize=[3], strides=[1], pads=[2,2], "
       "dilation=[2], dtype=9, index_base=\"tensor\"} -> y, i output i"),
     0},
    {G("input x: f32[2,2,9,50] node n: MaxPoolWithArgmaxV3(x) {ksize=[4,3], strides=[3,3], pads=[2,3,1,1], "
       "dilation=[1,2], ceil_mode=true, dtype=9, index_base=\"tensor_column_major\"} -> y, i output i"),
     0},
    {G("input x: f32[1,3,5,6,19] node n: MaxPoolWithArgmaxV3(x) {ksize=[2,3,3], strides=[1,2,2], "
       "pads=[1,0,1,1,2,0], dilation=[1,1,1], dtype=9, index_base=\"tensor_column_major\"} -> y, i output i"),
     0},
    {G("input x: f32[1,3,5,6,19] node n: MaxPoolWithArgmaxV3(x) {ksize=[3,3,3], strides=[2,1,1], "
       "pads=[1,1,1,1,1,1], dilation=[2,1,1]} -> y, i output i"),
     0},
    {G("input x: f32[1,1,3,3] node n: MaxPoolWithArgmaxV3(x) {ksize=[1,1], strides=[1,1], pads=[2,2,2,2]} -> "
       "y, i output i"),
     0},
    {G("input x: f32[1,2,4,5] node n: MaxPoolWithArgmaxV3(x) {ksize=[9,9], strides=[1,1], pads=[8,8,8,8]} -> "
       "y, i output i"),
     0},
    // ---- resampling ----
    {G("input x: f32[2,3,7,5] const s: f32[4]{1,1,2,2} node n: Resize(x, _, s, _) -> y"), 0},
    {G("input x: f32[2,3,5,17] const s: f32[4]{1,1,2,2} node n: Resize(x, _, s, _) {mode=\"nearest\", "
       "coordinate_transformation_mode=\"asymmetric\", nearest_mode=\"floor\"} -> y"),
     0},
    {G("input x: f32[2,3,5,33] const s: f32[4]{1,1,1.6,2} node n: Resize(x, _, s, _) -> y"), 0},
    {G("input x: u8[2,5,9,4] const s: f32[4]{1,2,2,1} node n: Resize(x, _, s, _) -> y"), 0},
    {G("input x: f32[2,3,7,5] const s: f32[4]{1,1,0.6,1.7} node n: Resize(x, _, s, _) "
       "{nearest_mode=\"ceil\", "
       "coordinate_transformation_mode=\"asymmetric\"} -> y"),
     0},
    {G("input x: f32[2,3,7,5] const z: i64[4]{2,3,4,11} node n: Resize(x, _, _, z) "
       "{coordinate_transformation_mode=\"align_corners\"} -> y"),
     0},
    {G("input x: f32[1,1,7,300] const s: f32[4]{1,1,2,2} node n: Resize(x, _, s, _) {mode=\"linear\"} -> y"),
     1e-6},
    {G("input x: f32[2,3,7,5] const z: i64[4]{2,3,4,11} node n: Resize(x, _, _, z) {mode=\"linear\", "
       "coordinate_transformation_mode=\"align_corners\"} -> y"),
     1e-6},
    {G("input x: f32[7,5] const z: i64[2]{1,1} node n: Resize(x, _, _, z) {mode=\"linear\", "
       "coordinate_transformation_mode=\"pytorch_half_pixel\"} -> y"),
     1e-6},
    {G("input x: f32[2,7,5] const z: i64[3]{4,7,5} node n: Resize(x, _, _, z) -> y"), 0},
    {G("input x: f32[2,3,4,7,5] const s: f32[5]{1,1,2,1.5,2} node n: Resize(x, _, s, _) "
       "{nearest_mode=\"floor\", "
       "coordinate_transformation_mode=\"asymmetric\"} -> y"),
     0},
    {G("input x: f32[2,7,5,3] const s: f32[4]{1,0.6,1.7,1} node n: Resize(x, _, s, _) "
       "{coordinate_transformation_mode=\"half_pixel_symmetric\"} -> y"),
     0},
    {G("input x: f32[5,3,70] const s: f32[1]{1.7} node n: Resize(x, _, s, _) {axes=[0], "
       "coordinate_transformation_mode=\"tf_half_pixel_for_nn\"} -> y"),
     0},
    {G("input x: f32[2,3,2,2,2] const z: i64[5]{3,3,2,2,4} node n: Resize(x, _, _, z) -> y"), 0,
     .reference = true},
    {G("input x: f32[2,3,4,7,5] const s: f32[5]{1,1,2,1.5,2} node n: Resize(x, _, s, _) {mode=\"linear\"} -> "
       "y"),
     1e-6},
    {G("input x: f32[1,2,9,40,37] const z: i64[5]{1,2,4,13,50} node n: Resize(x, _, _, z) {mode=\"linear\", "
       "coordinate_transformation_mode=\"align_corners\"} -> y"),
     1e-6},
    {G("input x: f32[2,7,5,3] const s: f32[4]{1,2,2,1} node n: Resize(x, _, s, _) {mode=\"linear\"} -> y"),
     1e-6},
    {G("input x: f32[7,5,37] const z: i64[2]{3,11} node n: Resize(x, _, _, z) {mode=\"linear\", axes=[-3,1], "
       "coordinate_transformation_mode=\"half_pixel_symmetric\"} -> y"),
     1e-6},
    {G("input x: f32[9] const s: f32[1]{2.5} node n: Resize(x, _, s, _) {mode=\"linear\"} -> y"), 1e-6},
    {G("input x: f32[2,3,40,31] const s: f32[4]{1,1,0.3,0.45} node n: Resize(x, _, s, _) {mode=\"linear\", "
       "antialias=1} -> y"),
     1e-6},
    {G("input x: f32[2,3,40,31] const s: f32[4]{1,1,0.3,2} node n: Resize(x, _, s, _) {mode=\"cubic\", "
       "antialias=1, cubic_coeff_a=-0.5} -> y"),
     1e-6},
    {G("input x: f32[2,3,7,11] const s: f32[4]{1,1,2,1.3} node n: Resize(x, _, s, _) {mode=\"cubic\"} -> y"),
     1e-6},
    {G("input x: f32[2,3,7,11] const s: f32[4]{1,1,2,0.3} node n: Resize(x, _, s, _) {mode=\"cubic\", "
       "exclude_outside=1} -> y"),
     1e-6},
    {G("input x: f32[3,7,5] const z: i64[3]{6,3,9} node n: Resize(x, _, _, z) {mode=\"cubic\"} -> y"), 1e-6},
    {G("input x: f32[2,3,7,9] input g: f32[2,5,30,2] node n: GridSample(x, g) -> y"), 2e-6},
    {G("input x: f32[2,3,7,9] input g: f32[2,5,13,2] node n: GridSample(x, g) {padding_mode=\"border\", "
       "align_corners=true} -> y"),
     2e-6},
    {G("input x: f32[1,17,7,9] input g: f32[1,5,13,2] node n: GridSample(x, g) {padding_mode=\"reflection\", "
       "interpolation_mode=\"bicubic\"} -> y"),
     2e-6, .finite = true},
    {G("input x: f32[1,2,7,9] input g: f32[1,5,13,2] node n: GridSample(x, g) {align_corners=true, "
       "interpolation_mode=\"nearest\"} -> y"),
     2e-6},
    {G("input x: f32[1,3,4,5,6] input g: f32[1,3,4,7,3] node n: GridSample(x, g) "
       "{padding_mode=\"reflection\"} "
       "-> y"),
     2e-6},
    {G("input x: f32[2,3,9] input g: f32[2,70,1] node n: GridSample(x, g) -> y"), 2e-6},
    {G("input x: f32[2,3,7,1] input g: f32[2,5,30,2] node n: GridSample(x, g) -> y"), 2e-6},
    {G("input x: f32[2,3,1,9] input g: f32[2,5,13,2] node n: GridSample(x, g) {align_corners=true} -> y"),
     2e-6},
    {G("input x: f32[1,3,1,5,2] input g: f32[1,3,4,7,3] node n: GridSample(x, g) {padding_mode=\"border\"} "
       "-> y"),
     2e-6},
    {G("input x: f32[2,5,12,9] const r: f32[4,4]{0,0,8,9,-3,2,30,11,5,5,4,4,1.5,0.3,7.7,20} const i: "
       "i64[4]{0,1,1,0} node n: RoiAlign(x, r, i) {output_height=3, output_width=5, sampling_ratio=2, "
       "spatial_scale=0.7} -> y"),
     2e-6},
    {G("input x: f32[1,2,40,50] const r: f32[3,4]{0,0,45,38,2,3,9,60,7,7,6,6} const i: i32[3]{0,0,0} node n: "
       "RoiAlign(x, r, i) {output_height=9, output_width=8, "
       "coordinate_transformation_mode=\"output_half_pixel\"} -> y"),
     2e-6},
    {G("input x: f32[1,17,12,9] const r: f32[2,4]{0,0,8,9,-30,2,3,70} const i: i64[2]{0,0} node n: "
       "RoiAlign(x, r, i) {output_height=9, output_width=8, mode=\"max\"} -> y"),
     2e-6},
    {G("input x: f32[1,2,1,50] const r: f32[3,4]{0,0,45,38,2,3,99,60,-7,-7,6,6} const i: i32[3]{0,0,0} node "
       "n: "
       "RoiAlign(x, r, i) {output_height=3, output_width=3, mode=\"max\"} -> y"),
     2e-6},
    {G("input x: f32[1,2,4,1] const r: f32[1,4]{0,0,3,1} const i: i64[1]{0} node n: RoiAlign(x, r, i) -> y"),
     2e-6, .reference = true},
    {G("input x: f32[1,2,4,4] const r: f32[1,4]{3,3,1,1} const i: i64[1]{0} node n: RoiAlign(x, r, i) -> y"),
     2e-6},
    {G("input x: f32[2,12,20] const z: i64[2]{6,5} const k: i64[2]{2,3} node n: Col2Im(x, z, k) "
       "{pads=[0,1,0,0]} -> y"),
     2e-6},
    {G("input x: f32[1,18,21] const z: i64[2]{11,9} const k: i64[2]{3,2} node n: Col2Im(x, z, k) "
       "{pads=[1,2,3,1], strides=[2,3], dilations=[1,3]} -> y"),
     2e-6},
    {G("input x: f32[1,8,27] const z: i64[3]{4,4,4} const k: i64[3]{2,2,2} node n: Col2Im(x, z, k) -> y"),
     2e-6},
    {G("input x: f32[3,10,50] const z: i64[1]{103} const k: i64[1]{5} node n: Col2Im(x, z, k) {strides=[2]} "
       "-> "
       "y"),
     2e-6},
    // ---- moves ----
    {G("input x: f32[5,9] const i: i64[2,2]{4,-5,0,1} const a: i64[]{0} node n: GatherV2(x, i, a) "
       "{negative_index_support=true} -> y"),
     0},
    {G("input x: f32[2,3,5,4] const i: i64[2,2]{4,-5,0,1} const a: i64[]{2} node n: GatherV2(x, i, a) "
       "{batch_dims=1, negative_index_support=true} -> y"),
     0},
    {G("input x: f16[3,5,2] const i: i32[3]{4,0,1} const a: i64[]{1} node n: GatherV2(x, i, a) -> y"), 0},
    {G("input x: f32[3,5] input i: i64[2] const a: i64[]{1} node n: GatherV2(x, i, a) -> y"), 0},
    {G("input x: f32[20,33] const p: i64[2]{1,0} node n: Transpose(x, p) -> y"), 0},
    {G("input x: f32[2,7,12,64] const p: i64[4]{0,2,1,3} node n: Transpose(x, p) -> y"), 0},
    {G("input x: f32[3,8,40,5] node n: TransposeD(x) {perm=[0,2,3,1]} -> y"), 0},
    {G("input x: f32[3,9,11] node n: TransposeD(x) {perm=[2,1,0]} -> y"), 0},
    {G("input x: f16[5,9,11] node n: TransposeD(x) {perm=[1,2,0]} -> y"), 0},
    {G("input x: i64[5,9,11] node n: TransposeD(x) {perm=[2,0,1]} -> y"), 0},
    {G("input x: i8[33,17] node n: TransposeD(x) {perm=[1,0]} -> y"), 0},
    {G("input x: i8[131,2048] node n: TransposeD(x) {perm=[1,0]} -> y"), 0},  // lines that meet in the cache
    {G("input x: f16[1024,75] node n: TransposeD(x) {perm=[1,0]} -> y"), 0},
    {G("input x: i16[2,70,512] node n: TransposeD(x) {perm=[0,2,1]} -> y"), 0},
    {G("input x: f32[2,2,2,2,2,2] node n: TransposeD(x) {perm=[5,3,1,0,2,4]} -> y"), 0},
    {G("input x: f32[0,4] node n: TransposeD(x) {perm=[1,0]} -> y"), 0},
    {G("input a: f32[2,3,5] input b: f32[2,1,5] input c: f32[2,0,5] node n: ConcatD([a, b, c]) "
       "{concat_dim=1, N=3} -> "
       "y"),
     0},
    {G("input a: i64[3,7] input b: i64[3,2] const d: i32[]{1} node n: ConcatV2([a, b], d) {N=2} -> y"), 0},
    {G("input a: f32[5,1] input b: f32[5,2] const d: i32[]{1} node n: ConcatV2([" MANY "], d) {N=60} -> y"),
     0},
    {G("input x: f32[2,7,5] const z: i64[2]{3,4} const d: i32[]{1} node n: SplitV(x, z, d) {num_split=2} -> "
       "[y, w] output w"),
     0},
    {G("input x: f16[2,6] node n: SplitD(x) {split_dim=-1, num_split=3} -> [y, w, v] output w output v"), 0},
    {G("input x: f32[4,9] const o: i64[2]{1,2} const z: i64[2]{2,5} node n: Slice(x, o, z) -> y"), 0},
    {G("input x: f32[4,9] const b: i64[1]{-1} const e: i64[1]{-20} const a: i64[1]{1} const s: i64[1]{-2} "
       "node n: "
       "StridedSliceV2(x, b, e, a, s) -> y"),
     0},
    {G("input x: u8[4,9,3] const b: i64[2]{1,0} const e: i64[2]{4,9} const a: i64[2]{0,1} const s: "
       "i64[2]{2,4} node n: "
       "StridedSliceV2(x, b, e, a, s) -> y"),
     0},
    {G("input x: f32[4,9] const p: i64[2,2]{1,2,0,3} node n: Pad(x, p) -> y"), 0},
    {G("input x: f64[4,9] const p: i64[4]{1,2,0,3} input c: f64[] node n: PadV3(x, p, c) -> y"), 0},
    {G("input x: f32[4,9] const p: i64[4]{1,2,0,-3} node n: PadV3(x, p, _) -> y"), 0},
    {G("input x: f32[3,1] const s: i64[3]{2,3,70} node n: Expand(x, s) -> y"), 0},
    {G("input x: bool[5] const s: i64[2]{3,5} node n: BroadcastTo(x, s) -> y"), 0},
    {G("input x: f32[2,3] const t: i64[2]{2,3} node n: Tile(x, t) -> y"), 0},
    {G("input x: i16[1,3] const t: i64[2]{4,1} node n: Tile(x, t) -> y"), 0},
};

TEST(other_operators) {
  cases_hold(cases, WEFT_COUNT(cases));
}
TEST(other_operators_in_other_dtypes) {
  cases_hold_in_other_dtypes(cases, WEFT_COUNT(cases), 60, 12);
}
// SPDX-License-Identifier: Apache-2.0
