#!/usr/bin/env python3
"""mindspore_cases.py DIR: makes cases of MindSpore's operators, tuples, closures, choices, loops and parameters, for
`weft cases`. What they give is computed here from the operators' definitions, in plain Python."""
import math
import os
import sys

from mindspore_mindir import SETTING, Model, Tensor, Text, raw, write_case
from torch_pt2 import shape_of

X = [[1.0, -2.0, 3.5], [0.5, 0.0, -1.25]]
Y = [[2.0, 3.0, -1.0], [4.0, 0.25, 2.0]]
INF, NAN = math.inf, math.nan


def each(f, *v):
    if isinstance(v[0], list):
        return [each(f, *x) for x in zip(*v)]
    return f(*v)


class Case:
    def __init__(self, name, inputs, declared=None, params=None, tolerance=1e-5):
        """inputs: {name: (dtype, values)}; declared: other shapes"""
        self.name, self.inputs, self.tolerance = name, inputs, tolerance
        self.model = Model()
        shapes = {k: (t, (declared or {}).get(k, shape_of(v))) for k, (t, v) in inputs.items()}
        self.main = self.model.graph("1_main", shapes, params)

    def write(self, folder, result, outputs):
        self.main.result = result
        write_case(folder, self.name, self.model, list(self.inputs.values()), outputs, self.tolerance)


def one(folder, name, type, inputs, args, outputs, attrs=None, tolerance=1e-5, declared=None):
    """One operator; "$a" among its arguments is input a. outputs: one (dtype, values), or a list of them."""
    c = Case(name, {k: v for k, v in inputs.items()}, declared, tolerance=tolerance)
    g = c.main
    args = [g[a[1:]] if isinstance(a, str) and a[:1] == "$" else a for a in args]
    many = outputs if isinstance(outputs, list) else [outputs]
    types = [(t, shape_of(v)) for t, v in many]
    c.write(folder, g.op(type, args, types if isinstance(outputs, list) else types[0], attrs), many)


def unary(folder, name, type, f, *more, x=X, dtype="f32", out=None, attrs=None):
    one(folder, name, type, {"a": (dtype, x)}, ["$a", *more], (out or dtype, each(f, x)), attrs)


def binary(folder, name, type, f, x=X, y=Y, dtype="f32", out=None, more=()):
    one(folder, name, type, {"a": (dtype, x), "b": (dtype, y)}, ["$a", "$b", *more], (out or dtype, each(f, x, y)))


def elementwise(d):
    unary(d, "erfc", "Erfc", math.erfc)
    unary(d, "lgamma", "Lgamma", math.lgamma, x=[0.5, 2.5])
    binary(d, "gcd", "Gcd", math.gcd, x=[12, 7], y=[18, 0], dtype="i32")
    binary(d, "lcm", "Lcm", math.lcm, x=[4, 0], y=[6, 5], dtype="i32")
    binary(d, "fmax_nan", "Fmax", lambda x, y: x if y != y else y if x != x else max(x, y), x=[NAN, 1.0, 2.0], y=[1.0, NAN, 3.0])
    binary(d, "heaviside", "Heaviside", lambda x, y: y if x == 0 else float(x > 0), x=[0.0, -1.0, 2.0, NAN], y=[0.5] * 4)
    binary(d, "fmin_nan", "Fmin", lambda x, y: x if y != y else y if x != x else min(x, y), x=[NAN, 1.0, 2.0], y=[1.0, NAN, 3.0])
    unary(d, "exp2", "Exp2", lambda x: 2 ** x)
    unary(d, "frac", "Frac", lambda x: x - int(x))
    unary(d, "gelu_tanh", "GeLU", lambda x: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))))
    unary(d, "fast_gelu", "FastGeLU", lambda x: x / (1 + math.exp(-1.702 * abs(x))) * math.exp(0.851 * (x - abs(x))))
    unary(d, "hsigmoid", "HSigmoid", lambda x: min(max(x + 3, 0), 6) / 6)
    unary(d, "hshrink", "HShrink", lambda x: 0.0 if abs(x) <= 0.75 else x, 0.75)
    unary(d, "softshrink", "SoftShrink", lambda x: x - 0.75 if x > 0.75 else x + 0.75 if x < -0.75 else 0.0, 0.75)
    unary(d, "celu", "CeLU", lambda x: x if x > 0 else 2 * math.expm1(x / 2), 2.0)
    unary(d, "mish", "Mish", lambda x: x * math.tanh(math.log1p(math.exp(x))))
    unary(d, "leaky", "LeakyReLUExt", lambda x: x if x >= 0 else 0.125 * x, 0.125)
    unary(d, "softplus_beta", "SoftplusExt", lambda x: math.log1p(math.exp(2 * x)) / 2 if 2 * x <= 3 else x, 2.0, 3.0)
    unary(d, "threshold", "Threshold", lambda x: x if x > 0.25 else 9.0, 0.25, 9.0)
    unary(d, "clamp_least", "ClampScalar", lambda x: max(x, -1.0), -1.0, None)
    unary(d, "clamp_ints", "ClampScalar", lambda x: min(max(x, -1), 2), -1, 2, x=[5, -5, 1], dtype="i32")
    unary(d, "round_decimals", "Round", lambda x: round(x, 1), 1, x=[1.25, -0.55, 2.0])
    unary(d, "cast_ints", "Cast", float, SETTING["f32"], x=[5, -5, 1], dtype="i64", out="f32")
    unary(d, "eq_scalar", "EqScalar", lambda x: x == 2.5, 2.5, x=[2, 3], dtype="i32", out="bool")
    unary(d, "is_finite", "IsFinite", math.isfinite, x=[1.0, INF, NAN], out="bool")
    unary(d, "is_nan_ints", "IsNan", lambda x: False, x=[1, 2], dtype="i32", out="bool")
    unary(d, "nan_to_num", "NanToNum", lambda x: 3.0 if x != x else 5.0 if x == INF else x, 3.0, 5.0, None, x=[1.0, INF, NAN])
    unary(d, "muls_int", "Muls", lambda x: x * 2.5, 2.5, x=[1, -2], dtype="i32", out="f32")
    unary(d, "full_like", "FullLike", lambda x: 7, 7, SETTING["i64"], out="i64")
    unary(d, "zeros_like", "ZerosLike", lambda x: 0.0)
    unary(d, "bitwise_not", "BitwiseNot", lambda x: ~x, x=[5, -6], dtype="i32")
    unary(d, "sinc", "Sinc", lambda x: 1.0 if x == 0 else math.sin(math.pi * x) / (math.pi * x))
    unary(d, "gelu_erf", "GeluExt", lambda x: x / 2 * (1 + math.erf(x / math.sqrt(2))), 0)
    unary(d, "shift_left", "BitwiseLeftShift", lambda x: x << 2, 2, x=[1, 2], dtype="i32")
    one(d, "square_sums", "SquareSumAll", {"a": ("f32", X)}, ["$a", "$a"], [("f32", 19.0625)] * 2)
    one(d, "l2_loss", "L2Loss", {"a": ("f32", X)}, ["$a"], ("f32", 19.0625 / 2))
    binary(d, "add_alpha", "AddExt", lambda x, y: x + 2 * y, more=(2,))
    binary(d, "sub_alpha", "SubExt", lambda x, y: x - 0.5 * y, more=(0.5,))
    binary(d, "div_ints", "Div", lambda x, y: x / y, [7, -7, 8], [2, 2, -3], "i32", "f32")
    binary(d, "div_trunc", "DivMod", lambda x, y: int(x / y), [7, -7, 8], [2, 2, -3], "i32", more=(1,))
    binary(d, "div_floor", "DivMod", lambda x, y: x // y, [7, -7, 8], [2, 2, -3], "i32", more=(2,))
    binary(d, "truncate_mod", "TruncateMod", math.fmod)
    binary(d, "remainder", "RemainderTensorTensor", lambda x, y: x - math.floor(x / y) * y)
    binary(d, "hypot", "Hypot", math.hypot)
    binary(d, "logaddexp", "LogAddExp", lambda x, y: math.log(math.exp(x) + math.exp(y)))
    binary(d, "xor_bools", "LogicalXor", lambda x, y: x != y, [True, False], [True, True], "bool")
    binary(d, "and_bools", "BitwiseAnd", lambda x, y: x and y, [True, False], [True, True], "bool")
    binary(d, "mul_no_nan", "MulNoNan", lambda x, y: 0.0 if y == 0 else x * y, [INF, 2.0], [0.0, 3.0])
    binary(d, "xdivy", "Xdivy", lambda x, y: 0.0 if x == 0 else x / y)
    binary(d, "is_close", "IsClose", lambda x, y: abs(x - y) <= 1e-8 + 0.5 * abs(y), more=(0.5, 1e-8, False), out="bool")
    one(d, "prelu", "PReLU", {"a": ("f32", X)}, ["$a", Tensor("f32", [0.25, 0.5, 0.1])],
        ("f32", [[1.0, -1.0, 3.5], [0.5, 0.0, -0.125]]))
    one(d, "select", "Select", {"c": ("bool", [True, False]), "a": ("f32", [1.0, 2.0])}, ["$c", "$a", Tensor("f32", 9.0)],
        ("f32", [1.0, 9.0]))
    one(d, "addcdiv", "Addcdiv", {"a": ("f32", X), "b": ("f32", Y)}, ["$a", "$a", "$b", Tensor("f32", 2.0)],
        ("f32", each(lambda x, y: x + 2 * x / y, X, Y)))
    one(d, "lerp", "Lerp", {"a": ("f32", X), "b": ("f32", Y)}, ["$a", "$b", 0.25], ("f32", each(lambda x, y: x + (y - x) / 4, X, Y)))
    one(d, "glu", "GLU", {"a": ("f32", [[1.0, 2.0, 0.0, -1.0]])}, ["$a", -1],
        ("f32", [[0.5, 2 / (1 + math.e)]]))


def products(d):
    at = [[1.0, 0.5], [-2.0, 0.0], [3.5, -1.25]]
    mm = lambda x, y: [[sum(a * b for a, b in zip(r, c)) for c in zip(*y)] for r in x]
    one(d, "matmul_transposed", "MatMul", {"a": ("f32", X), "b": ("f32", Y)}, ["$a", "$b", True, False], ("f32", mm(at, Y)))
    one(d, "batch_matmul", "BatchMatMul", {"a": ("f32", [X]), "b": ("f32", [Y])}, ["$a", "$b", False, True],
        ("f32", [mm(X, [list(c) for c in zip(*Y)])]))
    one(d, "dense_no_bias", "Dense", {"a": ("f32", X), "w": ("f32", Y)}, ["$a", "$w", None], ("f32", mm(X, [list(c) for c in zip(*Y)])))
    one(d, "addmm", "Addmm", {"a": ("f32", [1.0, 2.0]), "x": ("f32", X), "y": ("f32", at)}, ["$a", "$x", "$y", 0.5, 2.0],
        ("f32", [[0.5 * b + 2 * v for b, v in zip([1.0, 2.0], r)] for r in mm(X, at)]))
    one(d, "addbmm", "Addbmm", {"a": ("f32", [1.0, 2.0]), "x": ("f32", [X, X]), "y": ("f32", [at, at])}, ["$a", "$x", "$y", 1, 1],
        ("f32", [[b + 2 * v for b, v in zip([1.0, 2.0], r)] for r in mm(X, at)]))
    one(d, "mv", "Mv", {"a": ("f32", X), "b": ("f32", [1.0, 2.0, 3.0])}, ["$a", "$b"], ("f32", [7.5, -3.25]))
    one(d, "dot", "Dot", {"a": ("f32", [1.0, 2.0]), "b": ("f32", [3.0, 4.0])}, ["$a", "$b"], ("f32", 11.0))
    one(d, "cross", "Cross", {"a": ("f32", [X[0]]), "b": ("f32", [Y[0]])}, ["$a", "$b", -65530], ("f32", [[-8.5, 8.0, 7.0]]))
    one(d, "outer", "Outer", {"a": ("f32", [1.0, 2.0]), "b": ("f32", [3.0, 4.0, 5.0])}, ["$a", "$b"],
        ("f32", [[3.0, 4.0, 5.0], [6.0, 8.0, 10.0]]))


def reductions(d):
    one(d, "sum_all", "SumExt", {"a": ("f32", X)}, ["$a", None, True, None], ("f32", [[1.75]]))
    one(d, "sum_ints", "SumExt", {"a": ("i32", [[1, 2], [3, 4]])}, ["$a", (1,), False, None], ("i64", [3, 7]))
    one(d, "mean_axis", "ReduceMean", {"a": ("f32", X)}, ["$a", 0, False], ("f32", [0.75, -1.0, 1.125]))
    one(d, "sum_skip", "ReduceSum", {"a": ("f32", X)}, ["$a", (), False, True], ("f32", X))
    one(d, "any", "ReduceAny", {"a": ("bool", [[True, False], [False, False]])}, ["$a", (1,), True], ("bool", [[True], [False]]))
    one(d, "log_sum_exp", "LogSumExp", {"a": ("f32", X)}, ["$a", (1,), False], ("f32", [math.log(sum(map(math.exp, r))) for r in X]))
    one(d, "argmax_all", "ArgMaxExt", {"a": ("f32", X)}, ["$a", None, False], ("i64", 2))
    one(d, "argmin_i32", "Argmin", {"a": ("f32", X)}, ["$a", -1, SETTING["i32"]], ("i32", [1, 2]))
    one(d, "max_with", "ArgMaxWithValue", {"a": ("f32", X)}, ["$a", 1, True], [("i64", [[2], [0]]), ("f32", [[3.5], [0.5]])])
    one(d, "min_dim", "MinDim", {"a": ("f32", X)}, ["$a", 0, False], [("f32", [0.5, -2.0, -1.25]), ("i64", [1, 0, 1])])
    v = [sum((x - sum(r) / 3) ** 2 for x in r) / 2 for r in X]
    one(d, "var", "Var", {"a": ("f32", X)}, ["$a", (1,), 1, False], ("f32", v))
    one(d, "std_mean", "ReduceStd", {"a": ("f32", X)}, ["$a", (1,), True, False], [("f32", [math.sqrt(x) for x in v]), ("f32", [sum(r) / 3 for r in X])])
    one(d, "norm_3", "LinalgVectorNorm", {"a": ("f32", X)}, ["$a", 3.0, (1,), False, None],
        ("f32", [sum(abs(x) ** 3 for x in r) ** (1 / 3) for r in X]))
    one(d, "softmax_rows", "Softmax", {"a": ("f32", X)}, ["$a", (-1,)],
        ("f32", [[math.exp(x) / sum(map(math.exp, r)) for x in r] for r in X]))
    one(d, "cumsum_reverse", "CumSum", {"a": ("f32", X)}, ["$a", 1, True, True], ("f32", [[1.5, 3.5, 0.0], [-1.25, -1.25, 0.0]]))
    one(d, "sort_down", "Sort", {"a": ("f32", X)}, ["$a"], [("f32", [[3.5, 1.0, -2.0], [0.5, 0.0, -1.25]]), ("i32", [[2, 0, 1], [0, 1, 2]])],
        {"axis": -1, "descending": True})
    one(d, "topk_smallest", "TopkExt", {"a": ("f32", X)}, ["$a", 2, 1, False, True], [("f32", [[-2.0, 1.0], [-1.25, 0.0]]), ("i64", [[1, 0], [2, 1]])])
    one(d, "cummax", "Cummax", {"a": ("f32", X)}, ["$a", 1], [("f32", [[1.0, 1.0, 3.5], [0.5, 0.5, 0.5]]), ("i64", [[0, 0, 2], [0, 0, 0]])])
    one(d, "trace", "Trace", {"a": ("f32", X)}, ["$a"], ("f32", 1.0))
    one(d, "count_nonzero", "CountNonZero", {"a": ("f32", X)}, ["$a", (1,)], ("i64", [3, 2]))
    one(d, "l2_normalize", "L2Normalize", {"a": ("f32", [[3.0, 4.0], [0.0, 0.0]])}, ["$a"], ("f32", [[0.6, 0.8], [0.0, 0.0]]),
        {"axis": (1,), "epsilon": 1e-4})


def data(d):
    v = [[[1.0, 2.0], [3.0, 4.0]]]
    one(d, "flatten_ext", "FlattenExt", {"a": ("f32", v)}, ["$a", 1, 2], ("f32", [[1.0, 2.0, 3.0, 4.0]]))
    one(d, "transpose_ext", "TransposeExt", {"a": ("f32", X)}, ["$a", 0, -1], ("f32", [list(c) for c in zip(*X)]))
    one(d, "stack_axis", "StackExt", {"a": ("f32", [1.0, 2.0])}, ["$a", 0], ("f32", [[1.0, 2.0]]))
    one(d, "split_sizes", "SplitWithSize", {"a": ("f32", [1.0, 2.0, 3.0])}, ["$a", (1, 2), 0], [("f32", [1.0]), ("f32", [2.0, 3.0])])
    one(d, "split_rest", "SplitTensor", {"a": ("f32", [1.0, 2.0, 3.0])}, ["$a", 2, 0], [("f32", [1.0, 2.0]), ("f32", [3.0])])
    one(d, "chunk", "Chunk", {"a": ("f32", [1.0, 2.0, 3.0, 4.0, 5.0])}, ["$a", 3, 0], [("f32", [1.0, 2.0]), ("f32", [3.0, 4.0]), ("f32", [5.0])])
    one(d, "unstack", "UnstackExt", {"a": ("f32", X)}, ["$a", 0], [("f32", X[0]), ("f32", X[1])])
    one(d, "narrow", "Narrow", {"a": ("f32", X)}, ["$a", 1, 1, 2], ("f32", [r[1:] for r in X]))
    one(d, "slice_step", "SliceExt", {"a": ("f32", X)}, ["$a", 1, 0, 3, 2], ("f32", [r[::2] for r in X]))
    one(d, "tile_adds_axes", "Tile", {"a": ("f32", [1.0, 2.0])}, ["$a", (2, 2)], ("f32", [[1.0, 2.0, 1.0, 2.0]] * 2))
    one(d, "broadcast_keeps", "BroadcastTo", {"a": ("f32", [[1.0], [2.0]])}, ["$a", (-1, 2)], ("f32", [[1.0, 1.0], [2.0, 2.0]]))
    one(d, "eye_wide", "Eye", {"a": ("f32", [1.0])}, [2, 3, SETTING["f32"]], ("f32", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    one(d, "arange", "Arange", {"a": ("f32", [1.0])}, [1, 7, 2, SETTING["i64"]], ("i64", [1, 3, 5]))
    one(d, "fill", "FillV2", {"a": ("f32", [1.0])}, [(2, 1), Tensor("f32", 4.0)], ("f32", [[4.0], [4.0]]))
    one(d, "roll", "Roll", {"a": ("f32", X)}, ["$a", (1,), (-1,)], ("f32", [[r[2], r[0], r[1]] for r in X]))
    one(d, "roll_flat", "Roll", {"a": ("f32", X)}, ["$a"], ("f32", [[-1.25, 1.0, -2.0], [3.5, 0.5, 0.0]]), {"shift": 1})
    one(d, "pad_pairs", "Pad", {"a": ("f32", [[1.0, 2.0]])}, ["$a"], ("f32", [[0.0, 1.0, 2.0, 0.0, 0.0], [0.0] * 5]),
        {"paddings": ((0, 1), (1, 2))})
    one(d, "mirror_pad", "MirrorPad", {"a": ("f32", [[1.0, 2.0, 3.0]])}, ["$a", Tensor("i64", [[0, 0], [1, 2]])],
        ("f32", [[1.0, 1.0, 2.0, 3.0, 3.0, 2.0]]), {"mode": "SYMMETRIC"})
    one(d, "band", "MatrixBandPart", {"a": ("f32", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])}, ["$a", 1, 0],
        ("f32", [[1.0, 0.0, 0.0], [4.0, 5.0, 0.0], [0.0, 8.0, 9.0]]))
    one(d, "repeat_each", "RepeatInterleaveInt", {"a": ("f32", X)}, ["$a", 2, 1, None], ("f32", [[v for v in r for _ in (0, 1)] for r in X]))
    one(d, "repeat_flat", "RepeatInterleaveInt", {"a": ("f32", [[1.0], [2.0]])}, ["$a", 2, None, None], ("f32", [1.0, 1.0, 2.0, 2.0]))
    one(d, "reverse_sequence", "ReverseSequence", {"a": ("f32", X)}, ["$a", Tensor("i64", [2, 3])], ("f32", [[-2.0, 1.0, 3.5], [-1.25, 0.0, 0.5]]),
        {"seq_dim": 1, "batch_dim": 0})
    one(d, "one_hot_ext", "OneHotExt", {"a": ("i64", [1, 0])}, ["$a", 3], ("i64", [[0, 1, 0], [1, 0, 0]]))
    one(d, "space_to_depth", "SpaceToDepth", {"a": ("f32", [v])}, ["$a"], ("f32", [[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]]), {"block_size": 2})
    one(d, "pixel_shuffle", "PixelShuffle", {"a": ("f32", [[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]])}, ["$a", 2], ("f32", [v]))
    c = Case("meshgrid_xy", {"a": ("f32", [1.0, 2.0]), "b": ("f32", [3.0, 4.0, 5.0])})
    g, t = c.main, [("f32", [3, 2])] * 2
    y = g.op("Meshgrid", [g.op("MakeTuple", [g["a"], g["b"]], None, {})], t, {"indexing": "xy"})
    c.write(d, y, [("f32", [[1.0, 2.0]] * 3), ("f32", [[3.0, 3.0], [4.0, 4.0], [5.0, 5.0]])])


def places(d):
    one(d, "gather_batch", "Gather", {"a": ("f32", X), "i": ("i32", [[2], [0]])}, ["$a", "$i", 1, 1], ("f32", [[3.5], [0.5]]))
    one(d, "masked_select", "MaskedSelect", {"a": ("f32", X), "m": ("bool", [True, False, True])}, ["$a", "$m"], ("f32", [1.0, 3.5, 0.5, -1.25]))
    one(d, "tensor_scatter_mul", "TensorScatterMul", {"a": ("f32", X)}, ["$a", Tensor("i32", [[1]]), Tensor("f32", [[2.0, 3.0, 4.0]])],
        ("f32", [X[0], [1.0, 0.0, -5.0]]))
    one(d, "tensor_scatter_sub", "TensorScatterSub", {"a": ("f32", X)}, ["$a", Tensor("i32", [[0], [0]]), Tensor("f32", [[1.0, 1.0, 1.0], [2.0, 0.0, 0.0]])],
        ("f32", [[-2.0, -3.0, 2.5], X[1]]))
    one(d, "index_add", "IndexAddExt", {"a": ("f32", X)}, ["$a", 1, Tensor("i64", [2, 0]), Tensor("f32", [[1.0, 2.0], [3.0, 4.0]]), 2],
        ("f32", [[5.0, -2.0, 5.5], [8.5, 0.0, 4.75]]))
    one(d, "scatter_add", "ScatterAddExt", {"a": ("f32", X)}, ["$a", 1, Tensor("i64", [[0, 0], [2, 1]]), Tensor("f32", [[1.0, 2.0], [3.0, 4.0]])],
        ("f32", [[4.0, -2.0, 3.5], [0.5, 4.0, 1.75]]))
    one(d, "segment_sum", "UnsortedSegmentSum", {"a": ("f32", X), "i": ("i32", [2, 2])}, ["$a", "$i", 3], ("f32", [[0.0] * 3, [0.0] * 3, [1.5, -2.0, 2.25]]))
    one(d, "embedding", "Embedding", {"i": ("i64", [1, 0])}, ["$i", Tensor("f32", X), None, None, 2.0, False], ("f32", [X[1], X[0]]))


def written(d):
    """Tensors that are no parameters are written as Python binds names."""
    rows = {"a": ("f32", [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), "b": ("f32", [[10.0, 20.0], [30.0, 40.0]])}
    at = Tensor("i64", [0, 2])
    one(d, "inplace_add", "InplaceAddExt", rows, ["$a", "$a", 2], ("f32", [[3.0, 6.0], [9.0, 12.0], [15.0, 18.0]]))
    one(d, "scatter_update", "ScatterUpdate", rows, ["$a", at, "$b"], ("f32", [[10.0, 20.0], [3.0, 4.0], [30.0, 40.0]]))
    one(d, "scatter_sub", "ScatterSub", rows, ["$a", at, "$b"], ("f32", [[-9.0, -18.0], [3.0, 4.0], [-25.0, -34.0]]))
    one(d, "scatter_nd_add", "ScatterNdAdd", rows, ["$a", Tensor("i64", [[1], [1]]), "$b"],
        ("f32", [[1.0, 2.0], [43.0, 64.0], [5.0, 6.0]]))
    one(d, "copy_slices", "TensorCopySlices", rows, ["$a", "$b", [1], [3], [1]],
        ("f32", [[1.0, 2.0], [10.0, 20.0], [30.0, 40.0]]))
    for name, best in (("Max", [[5.0, 6.0], [3.0, 4.0]]), ("Min", [[1.0, 2.0], [3.0, 4.0]]), ("Prod", [[5.0, 12.0], [3.0, 4.0]])):
        one(d, "segments_" + name.lower(), "UnsortedSegment" + name, {"a": rows["a"]}, ["$a", Tensor("i64", [0, 1, 0]), 2],
            ("f32", best))
    pair = {"a": ("f32", [1.0, 2.0]), "b": ("f32", [3.0, 4.0, 5.0])}
    wide, high = [[1.0, 2.0]] * 3, [[3.0] * 2, [4.0] * 2, [5.0] * 2]
    for number in (0, 1):  # ij, xy
        c = Case("meshgrid_%d" % number, pair)
        g = c.main
        grids = [wide, high] if number else [[list(r) for r in zip(*v)] for v in (wide, high)]
        both = g.op("MakeTuple", [g["a"], g["b"]], [("f32", [2]), ("f32", [3])])
        types = [("f32", shape_of(v)) for v in grids]
        c.write(d, g.op("Meshgrid", [both, number], types), [("f32", v) for v in grids])


def layers(d):
    x = [[[[float(4 * i + k) for k in range(4)] for i in range(4)]]]
    w = [[[[1.0, 2.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 1.0]]]]

    def conv(x, w, top, left, rows, cols, step):
        at = lambda i, k: x[i][k] if 0 <= i < len(x) and 0 <= k < len(x[0]) else 0.0
        return [[[[sum(w[p][q] * at(step * i - top + p, step * k - left + q) for p in range(len(w)) for q in range(len(w[0])))
                   for k in range(cols)] for i in range(rows)]]]
    base = {"kernel_size": (3, 3), "mode": 1, "out_channel": 1, "stride": (1, 1, 1, 1), "dilation": (1, 1, 1, 1), "group": 1,
            "format": "NCHW", "pad": (0, 0, 0, 0)}
    one(d, "conv_same_2", "Conv2D", {"x": ("f32", x), "w": ("f32", w)}, ["$x", "$w"], ("f32", conv(x[0][0], w[0][0], 0, 0, 2, 2, 2)),
        dict(base, pad_mode="same", stride=(1, 1, 2, 2)))
    one(d, "conv_pad", "Conv2D", {"x": ("f32", x), "w": ("f32", w)}, ["$x", "$w"], ("f32", conv(x[0][0], w[0][0], 1, 2, 3, 4, 1)),
        dict(base, pad_mode="pad", pad=(1, 0, 2, 0)))
    mean = lambda v: sum(v) / len(v)
    p = [[mean([x[0][0][i][k] for i in (2 * a, 2 * a + 1) for k in (2 * b, 2 * b + 1)]) for b in (0, 1)] for a in (0, 1)]
    one(d, "avg_pool", "AvgPool", {"x": ("f32", x)}, ["$x", (2, 2), (2, 2), 2, 0], ("f32", [[p]]))
    one(d, "max_pool_same", "MaxPool", {"x": ("f32", x)}, ["$x"], ("f32", [[[[10.0, 11.0], [14.0, 15.0]]]]),
        {"kernel_size": (1, 1, 3, 3), "strides": (1, 1, 2, 2), "pad_mode": "SAME", "format": "NCHW"})
    one(d, "max_pool_mask", "MaxPoolWithIndices", {"x": ("f32", x)}, ["$x", (2, 2), (2, 2), (0, 0), (1, 1), False],
        [("f32", [[[[5.0, 7.0], [13.0, 15.0]]]]), ("i64", [[[[5, 7], [13, 15]]]])])
    one(d, "adaptive_uneven", "AdaptiveAvgPool2D", {"x": ("f32", x)}, ["$x"],
        ("f32", [[[[mean([x[0][0][i][k] for i in range(4) for k in c]) for c in ((0, 1), (1, 2), (2, 3))]]]]), {"output_size": (1, 3)})
    one(d, "bias_add_4d", "BiasAdd", {"x": ("f32", x)}, ["$x", Tensor("f32", [3.0]), 0], ("f32", each(lambda v: v + 3, x)))
    y = [0.6 * (v - 0.5) / math.sqrt(4 + 1e-5) + 0.1 for v in x[0][0][0]]
    one(d, "batch_norm", "BatchNorm", {"x": ("f32", [[[x[0][0][0]]]])},
        ["$x"] + [Tensor("f32", [v]) for v in (0.6, 0.1, 0.5, 4.0)] + [False, 1e-5, 0.1, 0],
        [("f32", [[[y]]])] + [("f32", [v]) for v in (0.5, 4.0, 0.5, 4.0)])
    r = math.sqrt(mean([v * v for v in X[0]]) + 1e-6)
    one(d, "rms_norm", "RmsNorm", {"x": ("f32", [X[0]])}, ["$x", Tensor("f32", [1.0, 2.0, 3.0]), 1e-6],
        [("f32", [[X[0][0] / r, 2 * X[0][1] / r, 3 * X[0][2] / r]]), ("f32", [[1 / r]])])
    one(d, "resize_nearest", "ResizeNearestNeighborV2", {"x": ("f32", [[[[1.0, 2.0]]]])}, ["$x", (2, 4), False, False],
        ("f32", [[[[1.0, 1.0, 2.0, 2.0]] * 2]]))
    v = [[[1.0, 3.0]]]
    for place, y in enumerate(([1.0, 2.0, 3.0, 3.0], [1.0, 5 / 3, 7 / 3, 3.0], [1.0, 1.5, 2.5, 3.0])):
        one(d, "resize_linear_1d_%d" % place, "ResizeLinear1D", {"x": ("f32", v)}, ["$x", (4,), place], ("f32", [[y]]))
    one(d, "conv3d_transpose", "Conv3DTranspose", {"x": ("f32", [[[[[1.0, 2.0]]]]])}, ["$x", Tensor("f32", [[[[[1.0, 10.0]]]]])],
        ("f32", [[[[[1.0, 10.0, 2.0, 20.0]]]]]), {"kernel_size": (1, 1, 2), "stride": (1, 1, 1, 1, 2), "pad_mode": "pad", "pad_list": (0,) * 6,
                                                   "dilation": (1, 1, 1, 1, 1), "group": 1, "output_padding": (0, 0, 0)})
    one(d, "nll", "NLLLoss", {"x": ("f32", X)}, ["$x", Tensor("i32", [2, 0]), Tensor("f32", [0.5, 1.0, 0.25]), 1, -100],
        [("f32", -(0.25 * 3.5 + 0.5 * 0.5) / 0.75), ("f32", 0.75)])
    one(d, "kl_batchmean", "KLDivLoss", {"a": ("f32", X), "b": ("f32", [[0.5, 0.25, 0.25], [0.5, 0.5, 0.0]])}, ["$a", "$b"],
        ("f32", sum((q * math.log(q) if q else 0.0) - q * p for r, s in zip(X, [[0.5, 0.25, 0.25], [0.5, 0.5, 0.0]]) for p, q in zip(r, s)) / 2), {"reduction": "batchmean"})
    one(d, "conv_transposed_ext", "ConvTranspose2D", {"x": ("f32", [[[[1.0, 2.0]]]])}, ["$x", Tensor("f32", [[[[1.0, 10.0]]]]), None, (1, 2), (0, 0), (0, 0), 1, (1, 1)],
        ("f32", [[[[1.0, 10.0, 2.0, 20.0]]]]))
    ce = [math.log(sum(map(math.exp, r))) - r[k] for r, k in zip(X, (2, 0))]
    one(d, "sparse_cross_entropy", "SparseSoftmaxCrossEntropyWithLogits", {"x": ("f32", X)}, ["$x", Tensor("i32", [2, 0])], ("f32", sum(ce) / 2), {"is_grad": False})
    one(d, "mse_mean", "MSELossExt", {"a": ("f32", X), "b": ("f32", Y)}, ["$a", "$b", 1],
        ("f32", mean([(p - q) ** 2 for r, s in zip(X, Y) for p, q in zip(r, s)])))
    sp = lambda v: math.log1p(math.exp(v))
    one(d, "bce_logits_sum", "BCEWithLogitsLoss", {"a": ("f32", X), "b": ("f32", [[0.0, 1.0, 1.0], [0.5, 0.25, 0.0]])}, ["$a", "$b", None, None, 0],
        ("f32", sum((1 - q) * p + sp(-p) for r, s in zip(X, [[0.0, 1.0, 1.0], [0.5, 0.25, 0.0]]) for p, q in zip(r, s))))


def recurrent(d):
    """Two layers in two directions; one flat tensor of weights."""
    rows = lambda n, m, s: [[math.sin(s + 3 * i + k) / 2 for k in range(m)] for i in range(n)]
    sig = lambda v: 1 / (1 + math.exp(-v))
    hidden, xs = 2, [[[0.5, -1.0, 0.25]], [[1.0, 0.5, -0.5]], [[-0.75, 0.0, 1.0]]]
    wi = [rows(8, 3, 0), rows(8, 3, 1), rows(8, 4, 2), rows(8, 4, 3)]
    wh = [rows(8, 2, 4 + i) for i in range(4)]
    bias = [[math.cos(i + k) / 4 for k in range(8)] for i in range(4)]

    def run(x, i, back):
        h, c, out = [0.0] * hidden, [0.0] * hidden, []
        for v in (x[::-1] if back else x):
            g = [sum(a * b for a, b in zip(wi[i][k], v)) + sum(a * b for a, b in zip(wh[i][k], h)) + bias[i][k] for k in range(8)]
            c = [sig(g[2 + k]) * c[k] + sig(g[k]) * math.tanh(g[4 + k]) for k in range(hidden)]
            h = [sig(g[6 + k]) * math.tanh(c[k]) for k in range(hidden)]
            out.append(h)
        return (out[::-1] if back else out), h, c
    x, hs, cs = [v[0] for v in xs], [], []
    for layer in range(2):
        both = [run(x, 2 * layer + k, k) for k in range(2)]
        hs += [[b[1]] for b in both]
        cs += [[b[2]] for b in both]
        x = [p + q for p, q in zip(both[0][0], both[1][0])]
    flat = [v for m in wi + wh for r in m for v in r] + [v for b in bias for v in b]
    c = Case("lstm_layers", {"x": ("f32", xs)})
    zeros = Tensor("f32", [[[0.0, 0.0]]] * 4)
    attrs = {"input_size": 3, "hidden_size": 2, "num_layers": 2, "has_bias": True, "bidirectional": True, "dropout": 0.0, "proj_size": 0}
    types = [("f32", [3, 1, 4]), ("f32", [4, 1, 2]), ("f32", [4, 1, 2])]
    y = c.main.op("LSTM", [c.main["x"], zeros, zeros, Tensor("f32", [[[v]] for v in flat])], types + [("f32", [1, 1])] * 2, attrs)
    parts = [c.main.op("TupleGetItem", [y, i], t, {}) for i, t in enumerate(types)]
    c.write(d, c.main.op("MakeTuple", parts, types, {}), [("f32", [[v] for v in x]), ("f32", hs), ("f32", cs)])


S, V = ("f32", []), ("f32", [2])


def given(folder, name, type, table, more=(), out="f32", front=()):
    """An operator at places where its value is known in closed form, or to nine digits."""
    x, y = [k for k, _ in table], [v for _, v in table]
    one(folder, name, type, {"a": ("f32", x)}, [*front, "$a", *more], (out, y))


def special(d):
    given(d, "erfinv", "Erfinv", [(0.0, 0.0), (math.erf(0.5), 0.5), (1.0, INF)])
    given(d, "digamma", "Digamma", [(1.0, -0.577215665), (2.0, 1 - 0.577215665)])
    given(d, "bessel_i0", "BesselI0", [(0.0, 1.0), (1.0, 1.266065878), (-1.0, 1.266065878)])
    given(d, "bessel_i0e", "BesselI0e", [(0.0, 1.0), (1.0, 1.266065878 / math.e)])
    given(d, "bessel_i1", "BesselI1", [(0.0, 0.0), (1.0, 0.565159104), (-1.0, -0.565159104)])
    given(d, "bessel_i1e", "BesselI1e", [(0.0, 0.0), (1.0, 0.565159104 / math.e)])
    given(d, "dawsn", "Dawsn", [(0.0, 0.0), (1.0, 0.538079507)])
    given(d, "expint", "Expint", [(1.0, 1.895117816)])
    given(d, "spence", "Spence", [(1.0, 0.0), (0.0, math.pi ** 2 / 6)])
    binary(d, "zeta", "Zeta", lambda x, y: math.pi ** 2 / 6 - (y - 1), x=[2.0, 2.0], y=[1.0, 2.0])
    binary(d, "igamma", "Igamma", lambda a, x: 1 - math.exp(-x), x=[1.0, 1.0], y=[0.5, 2.0])
    binary(d, "igammac", "Igammac", lambda a, x: math.exp(-x), x=[1.0, 1.0], y=[0.5, 2.0])
    binary(d, "next_after", "NextAfter", lambda x, y: x + math.copysign(2.0 ** -23, y - x), x=[1.0, 1.5], y=[2.0, 0.0], more=())
    unary(d, "population_count", "PopulationCount", lambda x: bin(x & 0xFFFF).count("1"), x=[0, 7, -1], dtype="i16", out="u8")
    of = {"a": ("f32", [2.0, 1.0]), "b": ("f32", [1.0, 1.0]), "x": ("f32", [0.5, 0.25])}
    one(d, "betainc", "Betainc", of, ["$a", "$b", "$x"], ("f32", [0.25, 0.25]))
    one(d, "cdist", "Cdist", {"a": ("f32", [[0.0, 0.0]]), "b": ("f32", [[3.0, 4.0], [1.0, 0.0]])}, ["$a", "$b"], ("f32", [[5.0, 1.0]]), {"p": 2.0})
    one(d, "matrix_solve", "MatrixSolve", {"a": ("f32", [[2.0, 1.0], [0.0, 4.0]]), "b": ("f32", [[4.0], [8.0]])}, ["$a", "$b"], ("f32", [[1.0], [2.0]]),
        {"adjoint": False})


def linear(d):
    one(d, "log_determinant", "LogMatrixDeterminant", {"a": ("f32", [[2.0, 7.0], [0.0, -3.0]])}, ["$a"], [("f32", -1.0), ("f32", math.log(6))])
    third = [Tensor("i32", 0), Tensor("f32", 0.0)]
    one(d, "matrix_diag_part", "MatrixDiagPartV3", {"a": ("f32", X)}, ["$a", *third], ("f32", [X[0][0], X[1][1]]), {"align": "RIGHT_LEFT"})
    one(d, "matrix_set_diag", "MatrixSetDiagV3", {"a": ("f32", X), "b": ("f32", [8.0, 9.0])}, ["$a", "$b", Tensor("i32", 0)],
        ("f32", [[8.0, *X[0][1:]], [X[1][0], 9.0, X[1][2]]]), {"align": "RIGHT_LEFT"})
    one(d, "log_sums", "CumulativeLogsumexp", {"a": ("f32", [0.0, 0.0, 0.0])}, ["$a", Tensor("i32", 0)], ("f32", [0.0, math.log(2), math.log(3)]),
        {"exclusive": False, "reverse": False})
    one(d, "runs", "UniqueConsecutive", {"a": ("i32", [4, 4, 7, 4])}, ["$a", True, True, None],
        [("i32", [4, 7, 4]), ("i64", [0, 0, 1, 2]), ("i64", [2, 1, 1])])
    one(d, "blocks_to_space", "BatchToSpaceND", {"a": ("f32", [[[[1.0, 3.0]]], [[[2.0, 4.0]]]])}, ["$a"], ("f32", [[[[1.0, 2.0, 3.0]]]]),
        {"block_shape": (1, 2), "crops": ((0, 0), (0, 1))})
    image = [[[[1.0], [2.0]], [[3.0], [4.0]]]]
    one(d, "crop", "CropAndResize", {"a": ("f32", image), "b": ("f32", [[0.0, 0.0, 1.0, 1.0]]), "i": ("i32", [0])}, ["$a", "$b", "$i", (1, 2)],
        ("f32", [[[[2.0], [3.0]]]]), {"method": "bilinear", "extrapolation_value": 0.0})
    A = [[4.0, 2.0], [2.0, 5.0]]
    one(d, "cholesky_upper", "Cholesky", {"a": ("f32", A)}, ["$a", True], ("f32", [[2.0, 1.0], [0.0, 2.0]]))
    one(d, "search_right", "SearchSorted", {"a": ("f32", [1.0, 2.0, 2.0]), "b": ("f32", [2.0, 0.5])},
        ["$a", "$b", None, SETTING["i32"], True], ("i32", [3, 0]))
    one(d, "in_top_k", "InTopK", {"a": ("f32", X), "b": ("i32", [2, 2])}, ["$a", "$b"], ("bool", [True, False]), {"k": 2})
    one(d, "blocks_to_batch", "SpaceToBatchND", {"a": ("f32", [[[[1.0, 2.0, 3.0, 4.0]]]])}, ["$a"], ("f32", [[[[1.0, 3.0]]], [[[2.0, 4.0]]]]),
        {"block_shape": (1, 2), "paddings": ((0, 0), (0, 0))})
    one(d, "diagonal_above", "Diagonal", {"a": ("f32", X)}, ["$a", 1, 0, 1], ("f32", [X[0][1], X[1][2]]))
    one(d, "lp_norm", "LpNorm", {"a": ("f32", [[3.0, -4.0]])}, ["$a"], ("f32", [5.0]), {"axis": (1,), "p": 2, "keep_dims": False, "epsilon": 1e-12})
    one(d, "matrix_diag", "MatrixDiagV3", {"a": ("f32", [1.0, 2.0])},
        ["$a", Tensor("i32", 0), Tensor("i32", -1), Tensor("i32", -1), Tensor("f32", 9.0)], ("f32", [[1.0, 9.0], [9.0, 2.0]]), {"align": "RIGHT_LEFT"})


def control(d):
    # a branch that reads what stands around it: a value, a parameter, the other tuple's item
    for name, x in (("branch_then", [1.0, 2.0]), ("branch_else", [-1.0, -2.0])):
        c = Case(name, {"x": ("f32", x)}, params={"w": Tensor("f32", [10.0, 20.0])})
        g, yes, no = c.main, c.model.graph("2_yes"), c.model.graph("3_no")
        w = g.op("Load", [g["w"], "umonad"], V)
        twice = g.op("Add", [g["x"], g["x"]], V)
        sum_ = g.op("ReduceSum", [g["x"], (), False, False], S)
        big = g.op("Greater", [sum_, Tensor("f32", 0.0)], ("bool", []))
        yes.result = yes.op("Mul", [twice, w], V)
        no.result = no.op("Sub", [g["x"], Tensor("f32", 1.0)], V)
        choice = g.op("Switch", [big, yes.name, no.name], None)
        result = g.call(choice, [], V)
        want = [2 * a * b for a, b in zip(x, [10.0, 20.0])] if sum(x) > 0 else [a - 1 for a in x]
        c.write(d, g.op("Depend", [result, g.op("UpdateState", ["umonad", w], "umonad")], V), [("f32", want)])
    # arguments bound and given, a tuple that comes out, a branch in a branch
    for name, x in (("nested_deep", 3.0), ("nested_shallow", 0.5), ("nested_other", -1.0)):
        c = Case(name, {"x": ("f32", x)})
        g = c.main
        outer, inner, flat, other = (c.model.graph(n, {"a": S, "b": S}) for n in ("2_outer", "3_inner", "4_flat", "5_other"))
        pair = [S, S]
        above = lambda at, v, than: at.op("Greater", [v, Tensor("f32", than)], ("bool", []))
        inner.result = inner.op("MakeTuple", [inner.op("Mul", [inner["a"], inner["b"]], S), inner["a"]], pair, {})
        flat.result = flat.op("MakeTuple", [flat["b"], flat["b"]], pair, {})
        other.result = other.op("MakeTuple", [other["a"], Tensor("f32", 7.0)], pair, {})
        deep = outer.op("Switch", [above(outer, outer["a"], 1.0), inner.name, flat.name], None)
        outer.result = outer.call(deep, [outer["a"], outer["b"]], pair)
        first = g.op("Partial", [outer.name, g["x"]], None)
        second = g.op("Partial", [other.name, g["x"]], None)
        choice = g.op("Switch", [above(g, g["x"], 0.0), first, second], None)
        y = g.call(choice, [Tensor("f32", 5.0)], pair)
        a, b = (g.op("TupleGetItem", [y, i], S, {}) for i in (0, 1))
        want = (5 * x, x) if x > 1 else (5.0, 5.0) if x > 0 else (x, 7.0)
        c.write(d, g.op("MakeTuple", [b, a], pair, {}), [("f32", want[1]), ("f32", want[0])])
    # a condition that is known
    c = Case("known_condition", {"x": ("f32", [1.0, 2.0])})
    yes, no = c.model.graph("2_yes"), c.model.graph("3_no")
    yes.result = yes.op("Neg", [c.main["x"]], V)
    no.result = no.op("Exp", [c.main["x"]], V)
    c.write(d, c.main.call(c.main.op("Switch", [True, yes.name, no.name], None), [], V), [("f32", [-1.0, -2.0])])
    # one of three, by a number from the end
    for name, k in (("layer_first", 0), ("layer_last", -1), ("layer_middle", 1)):
        c = Case(name, {"x": ("f32", [1.0, 2.0]), "i": ("i32", k)})
        fs = [c.model.graph("%d_f" % n, {"a": V}) for n in (2, 3, 4)]
        for f, type in zip(fs, ("Neg", "Square", "ReLU")):
            f.result = f.op(type, [f["a"]], V)
        f = c.main.op("SwitchLayer", [c.main["i"], c.main.op("MakeTuple", [f.name for f in fs], None, {})], None)
        c.write(d, c.main.call(f, [c.main["x"]], V), [("f32", [[-1.0, -2.0], [1.0, 4.0], [1.0, 2.0]][k])])
    # tensors chosen, not closures
    c = Case("switch_of_tensors", {"x": ("f32", [1.0, 2.0]), "c": ("bool", False)})
    c.write(d, c.main.op("Switch", [c.main["c"], c.main["x"], c.main.op("Neg", [c.main["x"]], V)], V), [("f32", [-1.0, -2.0])])


def loops(d):
    def loop(name, n, branchy=False, inverted=False):
        """while i < n: x = x * 2 + w (when branchy: only where i is not 1, else x = -x); i += 1"""
        c = Case(name, {"n": ("i32", n), "x": ("f32", [1.0, -1.0])}, params={"w": Tensor("f32", [0.5, 0.25])})
        g, I = c.main, ("i32", [])
        head = c.model.graph("2_head", {"n": I, "i": I, "x": V})
        body, after = c.model.graph("3_body", {"x": V}), c.model.graph("4_after", {"x": V})
        less = head.op("GreaterEqual" if inverted else "Less", [head["i"], head["n"]], ("bool", []))
        go, end = head.op("Partial", [body.name, head["x"]], None), head.op("Partial", [after.name, head["x"]], None)
        head.result = head.call(head.op("Switch", [less, end, go] if inverted else [less, go, end], None), [], V)
        step = body.op("Add", [head["i"], Tensor("i32", 1)], I)
        more = body.op("Add", [body.op("Muls", [body["x"], 2.0], V), body.op("Load", [g["w"], "umonad"], V)], V)
        if branchy:
            first, second = c.model.graph("5_first", {"y": V}), c.model.graph("6_second", {"y": V})
            rest = c.model.graph("7_rest", {"z": V})
            rest.result = rest.call(head.name, [head["n"], step, rest["z"]], V)
            first.result = first.call(rest.name, [first.op("Neg", [body["x"]], V)], V)
            second.result = second.call(rest.name, [second["y"]], V)
            is1 = body.op("Equal", [head["i"], Tensor("i32", 1)], ("bool", []))
            body.result = body.call(body.op("Switch", [is1, first.name, second.name], None), [more], V)
        else:
            body.result = body.call(head.name, [head["n"], step, more], V)
        after.result = after.op("Add", [after["x"], Tensor("f32", 100.0)], V)
        x = [1.0, -1.0]
        for i in range(n):
            x = [-v for v in x] if branchy and i == 1 else [2 * v + w for v, w in zip(x, [0.5, 0.25])]
        c.write(d, g.call(head.name, [g["n"], 0 if not branchy else Tensor("i32", 0), g["x"]], V), [("f32", [v + 100 for v in x])])
    loop("loop_three", 3)
    loop("loop_never", 0)
    loop("loop_inverted", 2, inverted=True)
    loop("loop_branchy", 3, branchy=True)
    for i, x in enumerate(([1.0, 1.5], [4.0, 3.0], [9.0, 1.0], [2.5, 5.5], [1.0, -3.0])):
        left_loop(d, "loop_left_%d" % i, x)
    nested_loop(d, 3)
    nested_loop(d, 0)


def left_loop(d, name, x):
    """while sum(x) < 9: x = x + w; if sum(x) > 8: return (-x, 1.0); if x[0] > 3: break; x = x * x
    return (x + w, 2.0)"""
    c = Case(name, {"x": ("f32", x)}, params={"w": Tensor("f32", [0.5, 0.25])})
    g, pair = c.main, [V, S]
    head, body, after = c.model.graph("2_head", {"x": V}), c.model.graph("3_body"), c.model.graph("4_after", {"x": V})
    stop, on, square = c.model.graph("5_stop"), c.model.graph("6_on"), c.model.graph("7_square")
    total = lambda at, v: at.op("ReduceSum", [v, (), False, False], S)
    than = lambda at, type, v, n: at.op(type, [v, Tensor("f32", n)], ("bool", []))
    head.result = head.call(head.op("Switch", [than(head, "Less", total(head, head["x"]), 9.0), body.name, head.op("Partial", [after.name, head["x"]], None)], None), [], pair)
    more = body.op("Add", [head["x"], body.op("Load", [g["w"], "umonad"], V)], V)
    body.result = body.call(body.op("Switch", [than(body, "Greater", total(body, more), 8.0), stop.name, on.name], None), [], pair)
    stop.result = stop.op("MakeTuple", [stop.op("Neg", [more], V), Tensor("f32", 1.0)], pair, {})
    first = on.op("StridedSlice", [more, (0,), (1,), (1,), 0, 0, 0, 0, 1], S)
    on.result = on.call(on.op("Switch", [than(on, "Greater", first, 3.0), on.op("Partial", [after.name, more], None), square.name], None), [], pair)
    square.result = square.call(head.name, [square.op("Mul", [more, more], V)], pair)
    after.result = after.op("MakeTuple", [after.op("Add", [after["x"], after.op("Load", [g["w"], "umonad"], V)], V), Tensor("f32", 2.0)], pair, {})

    def run(x):
        w = [0.5, 0.25]
        while sum(x) < 9:
            x = [a + b for a, b in zip(x, w)]
            if sum(x) > 8:
                return [-a for a in x], 1.0
            if x[0] > 3:
                break
            x = [a * a for a in x]
        return [a + b for a, b in zip(x, w)], 2.0
    y, k = run(x)
    result = g.call(head.name, [g["x"]], pair)
    parts = [g.op("TupleGetItem", [result, i], t, {}) for i, t in enumerate(pair)]
    c.write(d, g.op("MakeTuple", parts, pair, {}), [("f32", y), ("f32", k)])


def nested_loop(d, n):
    """i = 0; while i < n: { j = 0; while j < i: { x = x * 2 + w; j += 1 }; x = x + i; i += 1 }"""
    c = Case("loop_in_loop_%d" % n, {"n": ("i32", n), "x": ("f32", [1.0, -1.0])}, params={"w": Tensor("f32", [0.5, 0.25])})
    g, I = c.main, ("i32", [])
    head, body, end = c.model.graph("2_head", {"i": I, "x": V}), c.model.graph("3_body"), c.model.graph("4_end", {"x": V})
    inner, turn, after = c.model.graph("5_inner", {"j": I, "x": V}), c.model.graph("6_turn"), c.model.graph("7_after", {"x": V})
    less = lambda at, a, b: at.op("Less", [a, b], ("bool", []))
    head.result = head.call(head.op("Switch", [less(head, head["i"], g["n"]), body.name, head.op("Partial", [end.name, head["x"]], None)], None), [], V)
    body.result = body.call(inner.name, [Tensor("i32", 0), head["x"]], V)
    inner.result = inner.call(inner.op("Switch", [less(inner, inner["j"], head["i"]), turn.name, inner.op("Partial", [after.name, inner["x"]], None)], None), [], V)
    more = turn.op("Add", [turn.op("Muls", [inner["x"], 2.0], V), turn.op("Load", [g["w"], "umonad"], V)], V)
    turn.result = turn.call(inner.name, [turn.op("Add", [inner["j"], Tensor("i32", 1)], I), more], V)
    sum_ = after.op("Add", [after["x"], after.op("Cast", [head["i"], SETTING["f32"]], S)], V)
    after.result = after.call(head.name, [after.op("Add", [head["i"], Tensor("i32", 1)], I), sum_], V)
    end.result = end.op("Add", [end["x"], Tensor("f32", 100.0)], V)
    x = [1.0, -1.0]
    for i in range(n):
        for _ in range(i):
            x = [2 * v + w for v, w in zip(x, [0.5, 0.25])]
        x = [v + i for v in x]
    c.write(d, g.call(head.name, [Tensor("i32", 0), g["x"]], V), [("f32", [v + 100 for v in x])])


def others(d):
    # a function that is called twice, with a tuple
    c = Case("called_twice", {"x": ("f32", [1.0, 2.0])})
    g, f = c.main, c.model.graph("2_f", {"a": V, "b": V})
    f.result = f.op("MakeTuple", [f.op("Add", [f["a"], f["b"]], V), f["b"]], [V, V], {})
    first = g.call(f.name, [g["x"], Tensor("f32", [1.0, 1.0])], [V, V])
    second = g.call(f.name, [g.op("TupleGetItem", [first, 0], V, {}), g["x"]], [V, V])
    c.write(d, g.op("TupleGetItem", [second, 0], V, {}), [("f32", [3.0, 5.0])])
    # parameters that change: read before and after
    c = Case("parameters_change", {"x": ("f32", [1.0, 2.0])}, params={"w": Tensor("f32", [10.0, 20.0]), "n": Tensor("i32", 5)})
    g = c.main
    before = g.op("Load", [g["w"], "umonad"], V)
    u = g.op("UpdateState", ["umonad", before], "umonad")
    write = g.op("Assign", [g["w"], g.op("Add", [before, g["x"]], V), u], V)
    count = g.op("AssignAdd", [g["n"], Tensor("i32", 2), u], ("i32", []))
    u = g.op("UpdateState", [u, write, count], "umonad")
    after = g.op("Load", [g["w"], u], V)
    n = g.op("Load", [g["n"], u], ("i32", []))
    c.write(d, g.op("MakeTuple", [before, after, n], [V, V, ("i32", [])], {}), [("f32", [10.0, 20.0]), ("f32", [11.0, 22.0]), ("i32", 7)])
    # sizes that are not known: a shape as a tuple of numbers and tensors
    c = Case("shape_of_unknown", {"x": ("f32", [X, Y])}, {"x": [-1, 2, 3]})
    g, n = c.main, ("i64", [])
    shape = g.op("Shape", [g["x"]], None)
    first, last = (g.op("TupleGetItem", [shape, i], None, {}) for i in (0, -1))
    to = g.op("MakeTuple", [first, g.op("ScalarMul", [last, 2], n)], None, {})
    c.write(d, g.op("Reshape", [g["x"], to], ("f32", [-1, 6])), [("f32", [X[0] + X[1], Y[0] + Y[1]])])
    # data beside the model
    c = Case("external_data", {"x": ("f32", [1.0, 2.0])}, params={"w": Tensor("f32", [3.0, 4.0], ("variables/data_0", 8))})
    c.write(d, c.main.op("Mul", [c.main["x"], c.main["w"]], V), [("f32", [3.0, 8.0])])
    os.makedirs(os.path.join(d, "external_data", "variables"), exist_ok=True)
    with open(os.path.join(d, "external_data", "variables", "data_0"), "wb") as f:
        f.write(b"\0" * 8 + bytes.fromhex("0000404000008040"))


def python(d):
    """What the front end leaves where a size is not known: decided when the model is read, or by an If."""
    truth, word = ("bool", []), ("i64", [])

    def chosen(name, build, want, x=X, declared=(-1, 3)):
        """-x where what `build` gives holds, 2 x where not"""
        c = Case(name, {"x": ("f32", x)}, {"x": list(declared)})
        g, yes, no = c.main, c.model.graph("2_yes"), c.model.graph("3_no")
        t = ("f32", list(declared))
        yes.result, no.result = yes.op("Neg", [g["x"]], t), no.op("Muls", [g["x"], 2.0], t)
        condition = build(g, g.op("Shape", [g["x"]], None))
        c.write(d, g.call(g.op("Switch", [condition, yes.name, no.name], None), [], t), [("f32", each(lambda v: -v if want else 2 * v, x))])
    chosen("in_shape_known", lambda g, s: g.op("InSequence", [3, s], truth), True)
    chosen("in_shape_negative", lambda g, s: g.op("InSequence", [-2, s], truth), False)
    chosen("in_shape_asked", lambda g, s: g.op("InSequence", [2, s], truth), True)
    chosen("in_shape_asked_not", lambda g, s: g.op("InSequence", [4, s], truth), False)
    chosen("tuple_same", lambda g, s: g.op("tuple_equal", [s, g.op("Shape", [g.op("Neg", [g["x"]], ("f32", [-1, 3]))], None)], truth), True)
    chosen("tuple_asked", lambda g, s: g.op("tuple_equal", [s, (2, 3)], truth), True)
    chosen("tuple_longer", lambda g, s: g.op("tuple_equal", [s, (2, 3, 1)], truth), False)
    chosen("bool_not_asked", lambda g, s: g.op("BoolNot", [g.op("tuple_equal", [s, (4, 3)], truth)], truth), True)
    chosen("bool_joined", lambda g, s: g.op("bool_and", [g.op("InSequence", [2, s], truth), g.op("bool_or", [False, True], truth)], truth), True)
    chosen("is_none", lambda g, s: g.op("is_", [g.op("TupleGetItem", [s, 0], word), None], truth), False)
    chosen("is_not_none", lambda g, s: g.op("is_not", [g["x"], None], truth), True)
    chosen("is_false", lambda g, s: g.op("is_", [g.op("InSequence", [-2, s], truth), False], truth), True)
    chosen("list_same", lambda g, s: g.op("list_equal", [s, (2, 3)], truth), True)
    chosen("sequence_other", lambda g, s: g.op("SequenceEqual", [s, (2, 4)], truth), False)
    chosen("not_of_none", lambda g, s: g.op("BoolNot", [None], truth), True)
    chosen("text_same", lambda g, s: g.op("string_eq", [Text("mean"), Text("sum")], truth), False)
    # sizes that are known decide, whatever operators compute from them
    chosen("number_known", lambda g, s: g.op("ScalarLt", [g.op("TupleGetItem", [s, 1], word), 4], truth), True)
    # an exception: its branch is left out
    c = Case("raise_left_out", {"x": ("f32", X)}, {"x": [-1, 3]})
    g, bad, good = c.main, c.model.graph("2_bad", {"n": word}), c.model.graph("3_good")
    n = g.op("TupleGetItem", [g.op("Shape", [g["x"]], None), 0], word)
    text = bad.op("JoinedStr", [Text("size "), bad["n"], Text(" is too large")], None)
    raised = bad.op("raise", [Text("ValueError"), text, Text("None"), "umonad"], ("f32", [-1, 3]))
    bad.result = bad.op("Depend", [raised, bad.op("UpdateState", ["umonad", raised], "umonad")], ("f32", [-1, 3]))
    good.result = good.op("Neg", [g["x"]], ("f32", [-1, 3]))
    choice = g.op("Switch", [g.op("ScalarGt", [n, 9], truth), g.op("Partial", [bad.name, n], None), good.name], None)
    c.write(d, g.call(choice, [], ("f32", [-1, 3])), [("f32", each(lambda v: -v, X))])


def main():
    folder = sys.argv[1]
    for part in (elementwise, products, special, linear, reductions, data, places, written, layers, recurrent, control, loops, others, python):
        part(folder)


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
