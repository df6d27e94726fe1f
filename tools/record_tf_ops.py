#!/usr/bin/env python3
"""record_tf_ops.py [NAME...]: runs operators of TensorFlow, each in a graph of its own, and writes their graphs, inputs
and outputs to tests/data/tf_ops.json, which tests/tf_ops.py makes cases of. Needs a Python with tensorflow (2.21); the
recipes below say what an operator is given: arrays are inputs of the graph, C(..) constants in it, the rest attributes."""
import base64
import io
import json
import os
import sys

os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

PATH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "data", "tf_ops.json")


class C:
    def __init__(self, v, dtype=np.int32):
        self.v = np.array(v, dtype)


R = np.random.RandomState(7)
f = lambda *s: R.standard_normal(s).astype(np.float32)
u = lambda *s, lo=0.1, hi=2.0: R.uniform(lo, hi, s).astype(np.float32)
i32 = lambda *v: np.array(v, np.int32)
i64 = lambda *v: np.array(v, np.int64)
spd = lambda n: (lambda a: a @ a.T + n * np.eye(n, dtype=np.float32))(f(n, n))
L, I8 = (lambda v: C(v, np.int64)), [[0, 1], [1, 0], [1, 3], [2, 2]]
SP = dict(indices=C(I8, np.int64), values=f(4), shape=C([3, 4], np.int64))
IMG = lambda *s: R.uniform(0, 1, s).astype(np.float32)
NHWC = dict(ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")


def recipes():
    one = lambda name, x, **k: (name, dict({"x": x}, **k))
    for n in ("BesselI0", "BesselI1", "BesselI0e", "BesselI1e", "Dawsn", "Expint", "FresnelCos", "FresnelSin", "Spence"):
        yield one(n, u(12))
    yield one("Erfinv", u(12, lo=-0.9, hi=0.9))
    yield one("Ndtri", u(12, lo=0.05, hi=0.95))
    yield "Betainc", dict(a=u(8), b=u(8), x=u(8, lo=0.1, hi=0.9))
    yield "Igamma", dict(a=u(8), x=u(8))
    yield "Igammac", dict(a=u(8), x=u(8))
    yield "IgammaGradA", dict(a=u(8), x=u(8))
    yield "RandomGammaGrad", dict(alpha=u(8), sample=u(8))
    yield "Zeta", dict(x=u(8, lo=1.5, hi=4.0), q=u(8))
    yield "Polygamma", dict(a=np.array([1, 2, 3, 1, 2, 3, 1, 2], np.float32), x=u(8, lo=0.5))
    yield "Xlog1py", dict(x=f(8), y=u(8))
    yield "NextAfter", dict(x1=f(8), x2=f(8))
    yield "PopulationCount", dict(x=i32(0, 1, 255, -1, 77, 1 << 20))
    yield "ApproximateEqual", dict(x=np.float32([1, 2, 3, 4]), y=np.float32([1.0001, 2.1, 3, 4.2]), tolerance=0.15)
    # segments
    ids = C([0, 0, 1, 3, 3])
    for n in ("SegmentSum", "SegmentMax", "SegmentMin", "SegmentMean", "SegmentProd"):
        yield n, dict(data=f(5, 3), segment_ids=ids)
    for n in ("UnsortedSegmentSum", "UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd"):
        yield n, dict(data=f(5, 3), segment_ids=C([3, 0, 1, 3, 0]), num_segments=C(4))
    yield "SparseSegmentMean", dict(data=f(4, 3), indices=C([0, 2, 3, 1]), segment_ids=C([0, 0, 1, 2]))
    yield "SparseSegmentSum", dict(data=f(4, 3), indices=C([0, 2, 3, 1]), segment_ids=C([0, 0, 1, 2]))
    yield "SparseSegmentSqrtN", dict(data=f(4, 3), indices=C([0, 2, 3, 1]), segment_ids=C([0, 0, 1, 2]))
    # chosen and moved
    yield "UniqueV2", dict(x=np.float32([[1, 2], [1, 2], [0, 5]]), axis=C([0]))
    yield "UniqueWithCountsV2", dict(x=np.float32([[1, 2], [1, 2], [0, 5]]), axis=C([0]))
    yield "ShapeN", dict(input=[f(2, 3), f(4), f(1, 1, 2)])
    yield "Roll", dict(input=f(3, 4), shift=C([1, -2]), axis=C([0, 1]))
    yield "Bitcast", dict(input=f(4), type=tf.int32)
    yield "Bitcast", dict(input=f(4), type=tf.uint8)
    yield "Bitcast", dict(input=R.randint(0, 255, (3, 4)).astype(np.uint8), type=tf.float32)
    yield "DynamicStitch", dict(indices=[C([0, 2]), C([[1, 4], [3, 5]])], data=[f(2, 3), f(2, 2, 3)])
    yield "ParallelDynamicStitch", dict(indices=[C([0, 2]), C([1, 3])], data=[f(2, 3), f(2, 3)])
    yield "DynamicPartition", dict(data=f(5, 2), partitions=i32(1, 0, 1, 2, 0), num_partitions=3)
    yield "InvertPermutation", dict(x=i32(2, 0, 1, 3))
    yield "ListDiff", dict(x=i32(1, 2, 3, 4, 5), y=i32(2, 4))
    yield "UnravelIndex", dict(indices=i32(3, 7, 11), dims=C([3, 4]))
    yield "LowerBound", dict(sorted_inputs=np.sort(f(2, 6)), values=f(2, 4))
    yield "UpperBound", dict(sorted_inputs=np.sort(f(2, 6)), values=f(2, 4))
    yield "InTopKV2", dict(predictions=f(4, 5), targets=i32(0, 3, 2, 4), k=C(2))
    yield "InTopK", dict(predictions=f(4, 5), targets=i32(0, 3, 2, 4), k=2)
    yield "NthElement", dict(input=f(3, 6), n=C(2), reverse=True)
    yield "ConjugateTranspose", dict(x=(f(2, 3) + 1j * f(2, 3)).astype(np.complex64), perm=C([1, 0]))
    yield "DiagPart", dict(input=f(3, 3))
    yield "Bincount", dict(arr=i32(1, 2, 1, 4), size=C(5), weights=f(4))
    yield "Bucketize", dict(input=f(8), boundaries=[-1.0, 0.0, 0.5])
    yield "HistogramFixedWidth", dict(values=f(20), value_range=C([-1, 1], np.float32), nbins=C(5))
    yield "DataFormatDimMap", dict(x=i32(0, 1, 2, 3))
    yield "DataFormatVecPermute", dict(x=i32(10, 20, 30, 40))
    yield "ConcatOffset", dict(concat_dim=C(1), shape=[C([2, 2, 5]), C([2, 3, 5]), C([2, 1, 5])])
    yield "BroadcastGradientArgs", dict(s0=C([2, 3, 5]), s1=C([3, 1]))
    yield "AccumulateNV2", dict(inputs=[f(2, 3), f(2, 3), f(2, 3)], shape=[2, 3])
    yield "InplaceAdd", dict(x=f(4, 2), i=C([1, 3]), v=f(2, 2))
    yield "InplaceSub", dict(x=f(4, 2), i=C([1, 3]), v=f(2, 2))
    yield "InplaceUpdate", dict(x=f(4, 2), i=C([1, 3]), v=f(2, 2))
    yield "ScatterNdNonAliasingAdd", dict(input=f(6), indices=C([[4], [1], [1]]), updates=f(3))
    yield "BatchToSpace", dict(input=f(4, 2, 2, 3), crops=C([[0, 1], [0, 0]]), block_size=2)
    yield "SpaceToBatch", dict(input=f(1, 4, 4, 3), paddings=C([[0, 0], [1, 1]]), block_size=2)
    yield "Reverse", dict(tensor=f(2, 3, 4), dims=C([False, True, True], np.bool_))
    yield "BiasAddV1", dict(value=f(2, 3), bias=f(3))
    yield "SetSize", dict(set_indices=L(I8), set_values=L([1, 2, 3, 4]), set_shape=L([3, 4]))
    yield "GuaranteeConst", dict(input=f(3))
    yield "Empty", dict(shape=C([2, 3]), dtype=tf.float32, init=True)
    yield "ToBool", dict(input=f(1))
    yield "DenseBincount", dict(input=R.randint(0, 5, (3, 4)).astype(np.int32), size=C(4), weights=C([], np.float32), binary_output=True)
    yield "DenseBincount", dict(input=R.randint(0, 5, (3, 4)).astype(np.int32), size=C(4), weights=C([], np.float32))
    yield "DenseBincount", dict(input=R.randint(0, 5, (2, 3)).astype(np.int32), size=C(5), weights=C(f(2, 3), np.float32))
    yield "DenseBincount", dict(input=np.array([[0, 2, 0], [1, 1, 2]], np.int32), size=C(3), weights=C([[1, np.inf, 2], [3, 4, -np.inf]], np.float32))
    yield "FloorDiv", dict(x=np.float32([1, 0.7, -1, np.inf, -3, 5]), y=np.float32([0.1, 0.1, 0.1, 2, np.inf, 0]))
    yield "FloorDiv", dict(x=i32(7, -7, 7, -7), y=i32(2, 2, -2, -2))
    yield "Complex", dict(real=f(4), imag=f(3, 1))
    # matrices
    yield "Svd", dict(input=np.diag(np.float32([3, 2, 1])) + 0.1 * f(3, 3), compute_uv=False)
    yield "Qr", dict(input=f(4, 3))
    yield "Lu", dict(input=spd(4))
    yield "SelfAdjointEigV2", dict(input=spd(3), compute_v=False)
    yield "LogMatrixDeterminant", dict(input=spd(3))
    yield "MatrixSquareRoot", dict(input=spd(3))
    yield "MatrixSolveLs", dict(matrix=f(5, 3), rhs=f(5, 2), l2_regularizer=C(0.1, np.float64), fast=True)
    yield "TridiagonalSolve", dict(diagonals=u(3, 5) + np.float32([[0], [4], [0]]), rhs=f(5, 2))
    yield "BandedTriangularSolve", dict(matrix=u(2, 4) + 1, rhs=f(4, 2))
    yield "CholeskyGrad", dict(l=np.linalg.cholesky(spd(3)).astype(np.float32), grad=f(3, 3))
    yield "Cross", dict(a=f(4, 3), b=f(4, 3))
    yield "CumulativeLogsumexp", dict(x=f(3, 4), axis=C(1), exclusive=False, reverse=True)
    # pictures
    yield "AdjustContrastv2", dict(images=IMG(1, 4, 4, 3), contrast_factor=C(1.5, np.float32))
    yield "AdjustHue", dict(images=IMG(1, 4, 4, 3), delta=C(0.2, np.float32))
    yield "AdjustSaturation", dict(images=IMG(1, 4, 4, 3), scale=C(0.5, np.float32))
    yield "RGBToHSV", dict(images=IMG(1, 4, 4, 3))
    yield "HSVToRGB", dict(images=IMG(1, 4, 4, 3))
    yield "DrawBoundingBoxes", dict(images=IMG(1, 8, 8, 3), boxes=np.float32([[[0.1, 0.2, 0.7, 0.8]]]))
    yield "DrawBoundingBoxesV2", dict(images=IMG(1, 8, 8, 3), boxes=np.float32([[[0.1, 0.2, 0.7, 0.8]]]), colors=np.float32([[1, 0, 0]]))
    yield "ResizeBicubic", dict(images=IMG(1, 4, 5, 2), size=C([7, 3]), half_pixel_centers=True)
    yield "ResizeArea", dict(images=IMG(1, 6, 6, 2), size=C([4, 3]))
    yield "ScaleAndTranslate", dict(images=IMG(1, 6, 6, 2), size=C([4, 5]), scale=C([0.6, 0.8], np.float32),
                                    translation=C([0.5, -0.5], np.float32), kernel_type="triangle", antialias=True)
    yield "ImageProjectiveTransformV3", dict(images=IMG(1, 6, 6, 2), transforms=np.float32([[1, 0.1, 0, 0.1, 1, 0, 0, 0]]),
                                             output_shape=C([5, 5]), fill_value=C(0.5, np.float32), interpolation="BILINEAR")
    yield "ImageProjectiveTransformV2", dict(images=IMG(1, 6, 6, 2), transforms=np.float32([[1, 0.1, 0, 0.1, 1, 0, 0, 0]]),
                                             output_shape=C([5, 5]), interpolation="NEAREST")
    yield "ExtractImagePatches", dict(images=f(1, 6, 6, 2), ksizes=[1, 2, 2, 1], strides=[1, 2, 2, 1], rates=[1, 1, 1, 1], padding="VALID")
    yield "ExtractVolumePatches", dict(input=f(1, 4, 4, 4, 1), ksizes=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1], padding="VALID")
    yield "NonMaxSuppressionWithOverlaps", dict(overlaps=np.float32([[1, .8, 0], [.8, 1, .1], [0, .1, 1]]), scores=np.float32([.9, .8, .7]),
                                                max_output_size=C(3), overlap_threshold=C(0.5, np.float32), score_threshold=C(0.1, np.float32))
    # losses
    yield "SoftmaxCrossEntropyWithLogits", dict(features=f(3, 5), labels=np.eye(5, dtype=np.float32)[[1, 0, 4]])
    yield "SparseSoftmaxCrossEntropyWithLogits", dict(features=f(3, 5), labels=i32(1, 0, 4))
    yield "CTCLoss", dict(inputs=f(5, 2, 4), labels_indices=L([[0, 0], [0, 1], [1, 0]]), labels_values=C([0, 1, 2]),
                          sequence_length=C([5, 4]))
    yield "CTCGreedyDecoder", dict(inputs=f(5, 2, 4), sequence_length=C([5, 4]))
    yield "EditDistance", dict(hypothesis_indices=L([[0, 0], [0, 1], [1, 0]]), hypothesis_values=L([1, 2, 3]), hypothesis_shape=L([2, 2]),
                               truth_indices=L([[0, 0], [1, 0], [1, 1]]), truth_values=L([1, 3, 4]), truth_shape=L([2, 2]))
    # gradients
    yield "ReluGrad", dict(gradients=f(8), features=f(8))
    yield "Relu6Grad", dict(gradients=f(8), features=5 * f(8))
    yield "LeakyReluGrad", dict(gradients=f(8), features=f(8), alpha=0.3)
    for n in ("SoftplusGrad", "SoftsignGrad"):
        yield n, dict(gradients=f(8), features=f(8))
    for n in ("EluGrad", "SeluGrad"):
        yield n, dict(gradients=f(8), outputs=f(8))
    for n in ("InvGrad", "ReciprocalGrad", "RsqrtGrad", "SqrtGrad", "SigmoidGrad", "TanhGrad"):
        yield n, dict(y=u(8), dy=f(8))
    yield "BiasAddGrad", dict(out_backprop=f(2, 3, 4))
    yield "LRNGrad", dict(input_grads=f(1, 2, 2, 6), input_image=f(1, 2, 2, 6), output_image=f(1, 2, 2, 6), depth_radius=2)
    yield "AvgPoolGrad", dict(orig_input_shape=C([1, 6, 6, 2]), grad=f(1, 3, 3, 2), **NHWC)
    x = f(1, 6, 6, 2)
    y = tf.nn.max_pool2d(x, 2, 2, "SAME").numpy()
    yield "MaxPoolGrad", dict(orig_input=x, orig_output=y, grad=f(1, 3, 3, 2), **NHWC)
    yield "MaxPoolGradGrad", dict(orig_input=x, orig_output=y, grad=f(1, 6, 6, 2), **NHWC)
    yield "FakeQuantWithMinMaxArgsGradient", dict(gradients=f(8), inputs=8 * f(8))
    yield "FakeQuantWithMinMaxVarsGradient", dict(gradients=f(8), inputs=8 * f(8), min=C(-6, np.float32), max=C(6, np.float32))
    yield "MirrorPadGrad", dict(input=f(4, 5), paddings=C([[1, 1], [1, 0]]), mode="REFLECT")
    yield "StridedSliceGrad", dict(shape=C([4, 5]), begin=C([1, 0]), end=C([3, 4]), strides=C([1, 2]), dy=f(2, 2))
    yield "ResizeBilinearGrad", dict(grads=f(1, 6, 6, 2), original_image=f(1, 3, 3, 2), half_pixel_centers=True)
    yield "ResizeNearestNeighborGrad", dict(grads=f(1, 6, 6, 2), size=C([3, 3]))
    yield "ResizeBicubicGrad", dict(grads=f(1, 6, 6, 2), original_image=f(1, 3, 3, 2))
    yield "CropAndResizeGradImage", dict(grads=f(2, 2, 2, 3), boxes=np.float32([[0, 0, .7, .8], [.1, .2, 1, 1]]), box_ind=C([0, 0]),
                                         image_size=C([1, 5, 5, 3]), T=tf.float32)
    yield "CropAndResizeGradBoxes", dict(grads=f(2, 2, 2, 3), image=f(1, 5, 5, 3), boxes=np.float32([[0, 0, .7, .8], [.1, .2, 1, 1]]),
                                         box_ind=C([0, 0]))
    yield "Dilation2DBackpropInput", dict(input=f(1, 5, 5, 2), filter=f(2, 2, 2), out_backprop=f(1, 5, 5, 2), strides=[1, 1, 1, 1],
                                          rates=[1, 1, 1, 1], padding="SAME")
    yield "SparseSegmentSumGrad", dict(grad=f(3, 2), indices=C([0, 2, 3, 1]), segment_ids=C([0, 0, 1, 2]), output_dim0=C(4))
    yield "SparseSegmentMeanGrad", dict(grad=f(3, 2), indices=C([0, 2, 3, 1]), segment_ids=C([0, 0, 1, 2]), output_dim0=C(4))
    # sparse ones, as the tensors that they are made of
    s = lambda p: {p + "_" + k: v for k, v in SP.items()}
    for n in ("SparseDenseCwiseAdd", "SparseDenseCwiseMul", "SparseDenseCwiseDiv"):
        yield n, dict(dense=u(3, 4), **s("sp"))
    for n in ("SparseReduceSum", "SparseReduceMax"):
        yield n, dict(reduction_axes=C([1]), **s("input"))
    yield "SparseReorder", dict(input_indices=L([[2, 2], [0, 1], [1, 3]]), input_values=f(3), input_shape=L([3, 4]))
    yield "SparseReshape", dict(input_indices=L(I8), input_shape=L([3, 4]), new_shape=L([2, -1]))
    yield "SparseSoftmax", s("sp")
    yield "SparseTensorDenseAdd", dict(a_indices=SP["indices"], a_values=SP["values"], a_shape=SP["shape"], b=f(3, 4))
    yield "SparseTensorDenseMatMul", dict(a_indices=SP["indices"], a_values=SP["values"], a_shape=SP["shape"], b=f(4, 2))
    yield "SparseToDense", dict(sparse_indices=L(I8), output_shape=L([3, 4]), sparse_values=f(4), default_value=C(0.5, np.float32))
    yield "SparseFillEmptyRows", dict(indices=L([[0, 1], [2, 0]]), values=f(2), dense_shape=L([4, 3]), default_value=C(9, np.float32))
    yield "SparseSparseMaximum", dict(a_indices=L([[0], [2]]), a_values=f(2), a_shape=L([4]), b_indices=L([[1], [2]]), b_values=f(2), b_shape=L([4]))
    yield "DenseToDenseSetOperation", dict(set1=i32(1, 2, 3, 4).reshape(2, 2), set2=i32(2, 9, 4, 3).reshape(2, 2), set_operation="intersection")
    # diagonals off the main one, by what a tensor says
    D = lambda **k: dict(k, padding_value=C(0.5, np.float32))
    for k in ([1], [-2], [-1, 1]):
        yield "MatrixDiagV3", D(diagonal=f(2, k[-1] - k[0] + 1, 4) if len(k) > 1 else f(2, 3), k=C(k), num_rows=C(-1), num_cols=C(-1))
        yield "MatrixDiagPartV3", D(input=f(2, 3, 4), k=C(k))
        yield "MatrixDiagPartV3", dict(D(input=f(2, 3, 4), k=C(k)), align="LEFT_RIGHT")
    yield "MatrixDiagPartV2", D(input=f(3, 5), k=C([-1, 2]))
    yield "MatrixDiagV3", D(diagonal=f(3), k=C(0), num_rows=C(3), num_cols=C(5))
    yield "MatrixSetDiagV3", dict(input=f(2, 3, 4), diagonal=f(2, 3), k=C(1))
    yield "MatrixSetDiagV3", dict(input=f(2, 3, 4), diagonal=f(2, 2, 3), k=C([-1, 0]))
    yield "Roll", dict(input=f(3, 4), shift=i32(1, -2), axis=C([0, -1]))
    # convolutions
    for n, k in (("VALID", 2), ("SAME", 2), ("SAME", 1)):
        size = [1] + [3 * k if n == "SAME" else 2 * k + 3] * 3 + [2]
        yield "Conv3DBackpropInputV2", dict(input_sizes=C(size), filter=f(3, 3, 3, 2, 4), out_backprop=f(1, 3, 3, 3, 4),
                                            strides=[1, k, k, k, 1], padding=n)
    c64 = lambda *s: (f(*s) + 1j * f(*s)).astype(np.complex64)
    yield "MatMul", dict(a=c64(2, 3), b=c64(3, 4))
    yield "MatMul", dict(a=c64(3, 2), b=c64(4, 3), transpose_a=True, transpose_b=True)
    yield "BatchMatMulV2", dict(x=c64(2, 3, 2), y=c64(2, 4, 3), adj_x=True, adj_y=True)
    yield "BatchMatMulV2", dict(x=c64(2, 2, 3), y=c64(3, 4))
    # text
    S = lambda *v: np.array(v, "S")
    yield "Substr", dict(input=S("hello", "world"), pos=C([1, 2]), len=C([3, 1]))
    yield "AsString", dict(input=f(4), precision=3)
    yield "AsString", dict(input=i64(1, -20, 300))
    yield "StringToNumber", dict(string_tensor=S("1.5", "-2e3"), out_type=tf.float32)
    yield "StringToNumber", dict(string_tensor=S("15", "-2"), out_type=tf.int64)
    yield "StringToHashBucket", dict(string_tensor=S("a", "bcd", ""), num_buckets=97)
    yield "StringToHashBucketStrong", dict(input=S("a", "bcd", ""), num_buckets=97, key=[7, 9])
    yield "StaticRegexReplace", dict(input=S("a1b22", "none"), pattern="[0-9]+", rewrite="#")
    yield "RegexReplace", dict(input=S("a1b22", "none"), pattern=C("[0-9]+", "S"), rewrite=C("<\\0>", "S"), replace_global=False)
    yield "RegexFullMatch", dict(input=S("a1", "none"), pattern=C("a[0-9]", "S"))
    yield "StringSplit", dict(input=S("a b  c", "", "d"), delimiter=C(" ", "S"))
    yield "StringSplitV2", dict(input=S("a b  c", "", " d"), sep=C("", "S"))
    yield "StringSplitV2", dict(input=S("a,b,,c", "d"), sep=C(",", "S"), maxsplit=2)
    yield "ReduceJoin", dict(inputs=np.array([["a", "b"], ["c", "d"]], "S"), reduction_indices=C([1]), separator="-")
    yield "EncodeBase64", dict(input=S("hello", "a"), pad=True)
    yield "DecodeBase64", dict(input=S("aGVsbG8", "YQ"))
    yield "UnicodeDecode", dict(input=S("h\u00e4".encode(), "x"), input_encoding="UTF-8")
    yield "UnicodeTranscode", dict(input=S("hi", "x"), input_encoding="UTF-8", output_encoding="UTF-16-BE")
    yield "Add", dict(x=S("a", "b"), y=C("!", "S"))
    # ragged and sparse ones
    yield "RaggedTensorToTensor", dict(shape=L([-1, -1]), values=f(4), default_value=C(9, np.float32), row_partition_tensors=[L([0, 2, 2, 4])],
                                       row_partition_types=["ROW_SPLITS"])
    yield "RaggedTensorToTensor", dict(shape=L([2, 3]), values=f(3), default_value=C(9, np.float32), row_partition_tensors=[L(3), L([0, 0, 2])],
                                       row_partition_types=["FIRST_DIM_SIZE", "VALUE_ROWIDS"])
    yield "RaggedTensorToSparse", dict(rt_nested_splits=[L([0, 2, 2, 4])], rt_dense_values=f(4))
    yield "RaggedRange", dict(starts=i32(0, 5, 3), limits=i32(3, 5, 9), deltas=i32(1, 1, 2))
    yield "RaggedRange", dict(starts=f(2), limits=u(2, lo=3, hi=4), deltas=C(0.5, np.float32), Tsplits=tf.int32)
    yield "RaggedGather", dict(params_nested_splits=[L([0, 2, 2, 5])], params_dense_values=f(5, 2), indices=C([2, 0, 2]), OUTPUT_RAGGED_RANK=1)
    yield "RaggedGather", dict(params_nested_splits=[L([0, 2, 2, 5])], params_dense_values=i32(1, 2, 3, 4, 5), indices=C([[2, 0], [1, 2]]),
                               OUTPUT_RAGGED_RANK=2)
    yield "RaggedBincount", dict(splits=L([0, 2, 2, 5]), values=i32(1, 1, 0, 3, 3), size=C(4), weights=C([], np.float32))
    yield "SparseAdd", dict(a_indices=L([[0], [2]]), a_values=f(2), a_shape=L([4]), b_indices=L([[1], [2]]), b_values=f(2), b_shape=L([4]),
                            thresh=C(0, np.float32))
    yield "SparseSlice", dict(indices=L(I8), values=f(4), shape=L([3, 4]), start=L([0, 1]), size=L([2, 3]))
    yield "SparseConcat", dict(indices=[L(I8), L([[0, 0]])], values=[f(4), f(1)], shapes=[L([3, 4]), L([3, 2])], concat_dim=1)
    # boxes
    boxes = np.float32([[0, 0, 1, 1], [0, .1, 1, 1.1], [0, -.1, 1, .9], [0, 10, 1, 11]])
    yield "NonMaxSuppressionV5", dict(boxes=boxes, scores=np.float32([.9, .75, .6, .95]), max_output_size=C(3), iou_threshold=C(0.5, np.float32),
                                      score_threshold=C(0.1, np.float32), soft_nms_sigma=C(0.5, np.float32))
    yield "CombinedNonMaxSuppression", dict(boxes=boxes[None, :, None] * np.float32(0.05), scores=u(1, 4, 2, lo=0, hi=1), max_output_size_per_class=C(2),
                                            max_total_size=C(3), iou_threshold=C(0.5, np.float32), score_threshold=C(0.1, np.float32))
    # older names, which TensorFlow runs in old graphs alone: OLDER
    yield "BatchCholesky", dict(input=np.stack([spd(3), spd(3)]))
    yield "BatchMatrixDeterminant", dict(input=f(2, 3, 3))
    yield "BatchMatrixDiag", dict(diagonal=f(2, 3))
    yield "BatchMatrixDiagPart", dict(input=f(2, 3, 3))
    yield "BatchMatrixInverse", dict(input=np.stack([spd(3), spd(3)]))
    yield "BatchMatrixSetDiag", dict(input=f(2, 3, 3), diagonal=f(2, 3))
    yield "BatchMatrixSolve", dict(matrix=np.stack([spd(3), spd(3)]), rhs=f(2, 3, 2))
    yield "BatchMatrixTriangularSolve", dict(matrix=np.stack([spd(3), spd(3)]), rhs=f(2, 3, 2))
    yield "CheckNumericsV2", dict(tensor=f(3), message="odd")
    yield "Copy", dict(input=f(3))
    yield "CopyHost", dict(input=f(3))
    yield "DebugIdentity", dict(input=f(3))
    yield "DebugIdentityV2", dict(input=f(3))
    yield "DebugIdentityV3", dict(input=f(3))
    yield "DeepCopy", dict(x=f(3))
    yield "TopK", dict(input=f(3, 6), k=C(2))
    # added later: behind the others, whose random numbers stay the same
    for n in ("BesselJ0", "BesselJ1", "BesselK0", "BesselK0e", "BesselK1", "BesselK1e", "BesselY0", "BesselY1"):
        yield one(n, u(9, lo=0.05, hi=9.0))
    yield "Cross", dict(a=f(3, 3), b=f(3, 3))
    yield "DecodeRaw", dict(bytes=S("abcdefgh", "ijklmnop"), out_type=tf.int16)
    yield "DecodeRaw", dict(bytes=S("abcdefgh", "ijklmnop"), out_type=tf.int32, little_endian=False)
    yield "SobolSample", dict(dim=C(3), num_results=C(5), skip=C(2), dtype=tf.float32)
    yield "UnicodeEncode", dict(input_values=i32(104, 228, 120, 0x1f600), input_splits=L([0, 2, 2, 4]), output_encoding="UTF-8")
    yield "UnicodeEncode", dict(input_values=i32(104, 228), input_splits=L([0, 1, 2]), output_encoding="UTF-16-BE")
    yield "UnicodeDecodeWithOffsets", dict(input=S("h\u00e4".encode(), "x"), input_encoding="UTF-8")
    yield "UnsortedSegmentJoin", dict(inputs=S("a", "b", "c"), segment_ids=C([1, 0, 1]), num_segments=C(3), separator="-")
    yield "StringNGrams", dict(data=S("a", "b", "c", "d"), data_splits=L([0, 3, 4]), separator=" ", ngram_widths=[2, 3], left_pad="<", right_pad=">",
                               pad_width=1, preserve_short_sequences=False)
    yield "IsotonicRegression", dict(input=f(3, 5), output_dtype=tf.float32)
    yield "FakeQuantWithMinMaxVarsPerChannelGradient", dict(gradients=f(4, 3), inputs=f(4, 3) * 2, min=-u(3), max=u(3))
    yield "Dilation2DBackpropFilter", dict(input=f(1, 5, 6, 2), filter=f(2, 2, 2), out_backprop=f(1, 5, 6, 2), strides=[1, 1, 1, 1], rates=[1, 1, 1, 1],
                                           padding="SAME")
    yield "AudioSpectrogram", dict(input=f(40, 2), window_size=16, stride=8, magnitude_squared=True)
    yield "Mfcc", dict(spectrogram=u(1, 4, 65), sample_rate=C(8000), filterbank_channel_count=10, dct_coefficient_count=5)
    yield "ScaleAndTranslateGrad", dict(grads=f(1, 4, 5, 2), original_image=f(1, 6, 6, 2), scale=C([0.7, 0.8], np.float32),
                                        translation=C([0.1, -0.2], np.float32), kernel_type="triangle", antialias=True)
    yield "SparseBincount", dict(indices=L([[0, 0], [0, 2], [1, 1]]), values=i32(1, 3, 1), dense_shape=L([2, 3]), size=C(4),
                                 weights=C([], np.float32))
    yield "SparseCountSparseOutput", dict(indices=L([[0, 0], [0, 2], [1, 1]]), values=i32(1, 1, 3), dense_shape=L([2, 3]), weights=C([], np.float32),
                                          binary_output=False)
    for n in ("SparseReduceMaxSparse", "SparseReduceSumSparse"):
        yield n, dict(input_indices=L(I8), input_values=f(4), input_shape=L([3, 4]), reduction_axes=C([1]))
    yield "SparseSparseMinimum", dict(a_indices=L([[0], [2]]), a_values=f(2), a_shape=L([4]), b_indices=L([[1], [2]]), b_values=f(2), b_shape=L([4]))
    yield "SparseSliceGrad", dict(backprop_val_grad=f(2), input_indices=L(I8), input_start=L([1, 1]), output_indices=L([[0, 2], [1, 1]]))
    yield "SparseAddGrad", dict(backprop_val_grad=f(3), a_indices=L([[0], [2]]), b_indices=L([[1], [2]]), sum_indices=L([[0], [1], [2]]))
    yield "SparseFillEmptyRowsGrad", dict(reverse_index_map=L([0, 2]), grad_values=f(4))
    yield "DenseToSparseSetOperation", dict(set1=i32(1, 2, 5, 7).reshape(2, 2), set2_indices=L([[0, 0], [1, 0]]), set2_values=i32(2, 9), set2_shape=L([2, 1]),
                                            set_operation="union")
    yield "SparseToSparseSetOperation", dict(set1_indices=L([[0, 0], [0, 1], [1, 0]]), set1_values=i32(2, 4, 9), set1_shape=L([2, 2]),
                                             set2_indices=L([[0, 0], [1, 0]]), set2_values=i32(4, 9), set2_shape=L([2, 1]), set_operation="intersection")
    yield "TridiagonalMatMul", dict(superdiag=f(2, 1, 4), maindiag=f(2, 1, 4), subdiag=f(2, 1, 4), rhs=f(2, 4, 3))
    for more in (dict(), dict(signed_input=False), dict(narrow_range=True, round_mode="HALF_UP"), dict(num_bits=4)):
        yield "QuantizeAndDequantizeV2", dict(dict(input=f(3, 4), input_min=C(-0.7, np.float32), input_max=C(1.1, np.float32), range_given=True), **more)
        yield "QuantizeAndDequantizeV4", dict(dict(input=f(3, 4), input_min=C(0, np.float32), input_max=C(0, np.float32)), **more)
    yield "QuantizeAndDequantizeV3", dict(input=f(3, 4), input_min=C(-1, np.float32), input_max=C(0.5, np.float32), num_bits=C(6), range_given=True)
    yield "StringFormat", dict(inputs=[f(2, 2), i32(1, 2)], template="a %s b %s", placeholder="%s", summarize=3)
    yield "RaggedTensorToTensor", dict(shape=L([-1, -1]), values=S("a", "b", "c"), default_value=C("-", "S"), row_partition_tensors=[L([0, 2, 2, 3])],
                                       row_partition_types=["ROW_SPLITS"])
    yield "DecodeCSV", dict(records=S("1,2.5,a", "7,,'b'"), record_defaults=[C([0]), C([0.5], np.float32), C([""], "S")])
    yield "DecodeCSV", dict(records=S("1;2;3", "4;5;6"), record_defaults=[C([0]), C([0], np.int64)], field_delim=";", select_cols=[0, 2])
    yield "XlaDynamicUpdateSlice", dict(input=f(3, 4), update=f(2, 2), indices=i32(0, 1))
    yield "XlaDynamicUpdateSlice", dict(input=f(3, 4), update=f(2, 2), indices=C([5, -3]))
    yield "XlaDynamicSlice", dict(input=f(3, 4), start_indices=i32(2, 1), size_indices=C([2, 2]))


def npy(v):
    out = io.BytesIO()
    v = np.array(v, "S") if np.asarray(v).dtype == object else v
    np.save(out, np.ascontiguousarray(v) if np.ndim(v) else v)
    return base64.b64encode(out.getvalue()).decode()


# What came after them computes the same, by TensorFlow's own words, and is run in their place.
OLDER = dict({n: n[5:] for n in ("BatchCholesky", "BatchMatrixDeterminant", "BatchMatrixDiag", "BatchMatrixDiagPart",
                                 "BatchMatrixInverse", "BatchMatrixSetDiag", "BatchMatrixSolve",
                                 "BatchMatrixTriangularSolve")},
             DebugIdentity="DebugIdentityV2", DebugIdentityV3="DebugIdentityV2", TopK="TopKV2")


def renamed(graph_def, name):
    node = [n for n in graph_def.node if n.name == "op"][0]
    node.op = name
    if name == "TopK":  # its number is an attribute
        number = [n for n in graph_def.node if n.name == node.input[1]][0]
        node.attr["k"].i = int(tf.make_ndarray(number.attr["value"].tensor))
        del node.input[1]


def xla_operator(name):
    from tensorflow.compiler.tf2xla.ops import gen_xla_ops
    return getattr(gen_xla_ops, "".join("_" + c.lower() if c.isupper() else c for c in name)[1:])


def record(name, given, called=False):
    """called: the operator stands in a function, whose results name its outputs by what TensorFlow calls them."""
    inputs, graph = [], tf.Graph()
    with graph.as_default():
        def tensor(v):
            if isinstance(v, C):
                return tf.constant(v.v)
            if isinstance(v, np.ndarray):
                inputs.append(v)
                return tf.compat.v1.placeholder(tf.string if v.dtype.kind == "S" else v.dtype, v.shape, "x%d" % (len(inputs) - 1))
            if isinstance(v, list) and v and isinstance(v[0], (C, np.ndarray)):
                return [tensor(x) for x in v]
            return v
        op = getattr(tf.raw_ops, OLDER.get(name, name), None) or xla_operator(name)
        given = {k: tensor(v) for k, v in given.items()}
        if called:
            y = tf.nest.flatten(tf.function(lambda: op(**given))())
        else:
            op(name="op", **given)
            y = graph.get_operation_by_name("op").outputs
        outs = [tf.identity(t, "y%d" % i) for i, t in enumerate(y)]
    with tf.compat.v1.Session(graph=graph) as s:
        got = s.run(outs, {"x%d:0" % i: v.copy() for i, v in enumerate(inputs)})
    d = graph.as_graph_def()
    d.ClearField("versions")
    if name in OLDER:
        renamed(d, name)
    return {"op": name, "graph": base64.b64encode(d.SerializeToString()).decode(), "inputs": [npy(v) for v in inputs],
            "names": [t.name for t in outs], "outputs": [npy(v) for v in got]}


def main():
    cases, used = [], {}
    for name, given in recipes():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        used[name] = used.get(name, 0) + 1
        plain = name.lower() + ("_%d" % used[name] if used[name] > 1 else "")
        try:
            cases.append(dict({"name": plain}, **record(name, given)))
            if len(cases[-1]["outputs"]) > 1 and used[name] == 1 and name not in OLDER:
                cases.append(dict({"name": plain + "_called"}, **record(name, given, True)))
        except Exception as e:  # noqa: BLE001: what TensorFlow does not run is told and left out
            print(name, type(e).__name__, str(e).split("\n")[0][:150])
    with open(PATH, "w") as out:
        out.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
    print(len(cases), "cases", os.path.getsize(PATH), "bytes")


main()
# SPDX-License-Identifier: Apache-2.0
