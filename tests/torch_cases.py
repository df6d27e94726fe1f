#!/usr/bin/env python3
"""torch_cases.py DIR: makes cases of PyTorch's operators, and programs that change tensors in place, for `weft
cases`. What they give is computed here from the operators' definitions, in plain Python."""
import math
import sys

from torch_custom import custom, torchvision
from torch_dynamic import dynamic
from torch_edges import edges
from torch_factors import factors
from torch_norms import measures
from torch_places import places as written
from torch_pt2 import INF, NAN, X, Dtype, Graph, Name, Sym, each, one, shape_of, single, whole, write_case
from torch_special import special

Y = [[2.0, 3.0, -1.0], [4.0, 0.25, 2.0]]
N = Name


def other_names():
    """An operator whose arguments are called otherwise than those of its twin, and results that nobody reads."""
    rows = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    a = ("f32", [rows, rows])
    turned = [[list(c) for c in zip(*rows)] for _ in range(2)]
    yield single("swapaxes", "swapaxes.default", {"a": a}, {"self": N("a"), "axis0": -1, "axis1": -2}, ("f32", turned))
    logit = lambda x: math.log(min(max(x, 0.1), 0.9) / (1 - min(max(x, 0.1), 0.9)))
    yield one("logit_eps", "logit.default", logit, {"eps": 0.1}, inputs=([[0.0, 0.25, 0.5], [0.75, 1.0, 0.05]],))
    yield single("type_as", "type_as.default", {"a": ("i64", [1, 2]), "b": ("f32", [0.5])},
                 {"self": N("a"), "other": N("b")}, ("f32", [1.0, 2.0]))
    yield whole("random_unread", {"a": ("f32", X)},
                [("rand.default", {"size": [3]}, ("r", "f32", [3])),
                 ("neg.default", {"self": N("a")}, ("y", "f32", [2, 3]))],
                {"y": ("f32", [[-x for x in row] for row in X])})


def gradients():
    """What a backward pass has besides: each from its definition."""
    g, f3 = N("a"), [[0.5, -1.0, 2.0], [1.5, 0.0, -0.5]]
    mean, rstd, w = [0.5, 1.0], [2.0, 0.5], [1.0, 0.5, -2.0]
    x = [[1.0, 0.0, 0.5], [2.0, 3.0, -2.0]]
    hat = [[(v - m) * r for v in row] for row, m, r in zip(x, mean, rstd)]
    dx = []
    for gr, h, r in zip(f3, hat, rstd):
        gw = [a * b for a, b in zip(gr, w)]
        m1, m2 = sum(gw) / 3, sum(a * b for a, b in zip(gw, h)) / 3
        dx.append([r * (a - m1 - b * m2) for a, b in zip(gw, h)])
    column = lambda rows: [sum(c) for c in zip(*rows)]
    of = {"a": ("f32", f3), "b": ("f32", x), "c": ("f32", [[m] for m in mean]), "d": ("f32", [[r] for r in rstd]), "e": ("f32", w)}
    args = {"grad_out": g, "input": N("b"), "normalized_shape": [3], "mean": N("c"), "rstd": N("d"), "weight": N("e"), "bias": N("e"),
            "output_mask": [True, True, True]}
    want = {"dx": ("f32", dx), "dw": ("f32", column([[a * b for a, b in zip(p, q)] for p, q in zip(f3, hat)])), "db": ("f32", column(f3))}
    made = lambda of: [(n, t, shape_of(v)) for n, (t, v) in of.items()]
    yield whole("layer_norm_backward", of, [("native_layer_norm_backward.default", args, made(want))], want)
    at = ("i64", [0, 2, 0])
    rows = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    yield single("embedding_backward", "embedding_dense_backward.default", {"a": ("f32", rows), "b": at},
                 {"grad_output": g, "indices": N("b"), "num_weights": 3, "padding_idx": -1, "scale_grad_by_freq": False},
                 ("f32", [[6.0, 8.0], [0.0, 0.0], [3.0, 4.0]]))
    pooled, plane = ("f32", [[[[4.0, 8.0]]]]), ("f32", [[[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]]])
    window = {"grad_output": g, "self": N("b"), "kernel_size": [2, 2], "stride": [2, 2], "padding": [0, 0]}
    yield single("avg_pool_backward", "avg_pool2d_backward.default", {"a": pooled, "b": plane},
                 dict(window, ceil_mode=False, count_include_pad=True, divisor_override=None),
                 ("f32", [[[[1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 2.0, 2.0]]]]))
    yield single("adaptive_pool_backward", "_adaptive_avg_pool2d_backward.default", {"a": pooled, "b": plane},
                 {"grad_output": g, "self": N("b")}, ("f32", [[[[1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 2.0, 2.0]]]]))
    yield single("max_pool_backward", "max_pool2d_with_indices_backward.default", {"a": pooled, "b": plane, "c": ("i64", [[[[5, 7]]]])},
                 dict(window, dilation=[1, 1], ceil_mode=False, indices=N("c")),
                 ("f32", [[[[0.0, 0.0, 0.0, 0.0], [0.0, 4.0, 0.0, 8.0]]]]))
    x, w = [[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]], [[[[1.0, -1.0], [2.0, 0.5]]]]
    out = {"dx": ("f32", [[[[2.0, 1.0, -3.0], [4.0, 7.0, 1.5]]]]), "dw": ("f32", [[[[8.0, 13.0], [23.0, 28.0]]]]), "db": ("f32", [5.0])}
    args = {"grad_output": g, "input": N("b"), "weight": N("c"), "bias_sizes": [1], "stride": [1, 1], "padding": [0, 0], "dilation": [1, 1],
            "transposed": False, "output_padding": [0, 0], "groups": 1, "output_mask": [True, True, True]}
    yield whole("conv_backward", {"a": ("f32", [[[[2.0, 3.0]]]]), "b": ("f32", x), "c": ("f32", w)},
                [("convolution_backward.default", args, made(out))], out)
    yield whole("stride", {"a": ("f32", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])},
                [("sym_stride.int", {"self": N("a"), "dim": 0}, ("sym", "s")),
                 ("full.default", {"size": [Sym("s")], "fill_value": 2.0}, ("y", "f32", [3]))], {"y": ("f32", [2.0, 2.0, 2.0])})


def solves():
    """L of a matrix that is L times its transpose, and x of A x = b, of vectors and of matrices."""
    a = ("f32", [[4.0, 2.0], [2.0, 5.0]])
    b = ("f32", [[8.0], [12.0]])
    yield single("cholesky", "linalg_cholesky.default", {"a": a}, {"self": N("a")}, ("f32", [[2.0, 0.0], [1.0, 2.0]]))
    yield single("solve", "linalg_solve.default", {"a": a, "b": b}, {"A": N("a"), "B": N("b")}, ("f32", [[1.0], [2.0]]))
    yield single("solve_vector", "linalg_solve.default", {"a": a, "b": ("f32", [8.0, 12.0])},
                 {"A": N("a"), "B": N("b")}, ("f32", [1.0, 2.0]))
    yield single("solve_lower", "linalg_solve_triangular.default", {"a": a, "b": b},
                 {"self": N("a"), "B": N("b"), "upper": False}, ("f32", [[2.0], [1.6]]))
    yield single("solve_upper", "linalg_solve_triangular.default", {"a": a, "b": b},
                 {"self": N("a"), "B": N("b"), "upper": True}, ("f32", [[0.8], [2.4]]))


def trained_norm():
    """Norms in training mode move their running statistics: y, the mean and the variance that stand there then."""
    rows = [[1.0, 10.0], [3.0, 14.0], [5.0, 15.0]]
    means = [3.0, 13.0]
    variances = [8 / 3, 14 / 3]
    y = [[(v - m) / math.sqrt(s + 0.5) for v, m, s in zip(r, means, variances)] for r in rows]
    mean = [0.75 * old + 0.25 * m for old, m in zip([1.0, 2.0], means)]
    variance = [0.75 * old + 0.25 * s * 3 / 2 for old, s in zip([4.0, 8.0], variances)]
    args = {"input": N("x"), "weight": None, "bias": None, "running_mean": N("b_m"), "running_var": N("b_v"),
            "training": True, "momentum": 0.25, "eps": 0.5}
    kept = {"b_m": ("f32", [1.0, 2.0], [2], [1], 0), "b_v": ("f32", [4.0, 8.0], [2], [1], 0)}
    ends = {"w.b_m.new": ("f32", mean), "w.b_v.new": ("f32", variance)}
    x = {"x": ("f32", rows)}
    yield whole("batch_norm_trained", x,
                [("batch_norm.default", dict(args, cudnn_enabled=True), ("y", "f32", [3, 2])),
                 ("neg.default", {"self": N("b_m")}, ("z", "f32", [2]))],
                {"y": ("f32", y), "z": ("f32", [-v for v in mean]), **ends}, weights=kept)
    yield whole("batch_norm_functional", x,
                [("_native_batch_norm_legit_functional.default", args,
                  [(n, "f32", s) for n, s in (("y", [3, 2]), ("m", [2]), ("r", [2]), ("a", [2]), ("b", [2]))])],
                {"y": ("f32", y), "a": ("f32", mean), "b": ("f32", variance)}, weights=kept)
    item = [[[1.0, 3.0, 5.0]], [[2.0, 2.0, 5.0]]]
    flat = [[[(v - m) / math.sqrt(s + 0.5) for v in c] for c in i] for i, m, s in zip(item, [3.0, 3.0], [8 / 3, 2.0])]
    yield whole("instance_norm_trained", {"x": ("f32", item)},
                [("instance_norm.default", dict(
                    {k: v for k, v in args.items() if k != "training"}, use_input_stats=True, cudnn_enabled=True),
                  ("y", "f32", [2, 1, 3]))],
                {"y": ("f32", flat), "w.b_m.new": ("f32", [0.75 + 0.25 * 3]),
                 "w.b_v.new": ("f32", [0.75 * 4 + 0.25 * (4.0 + 3.0) / 2])},
                weights={n: (t, v[:1], [1], [1], 0) for n, (t, v, _, _, _) in kept.items()})


def elementwise():
    soft = lambda x: math.log1p(math.exp(x))
    yield one("softplus_beta", "softplus.default", lambda x: soft(2 * x) / 2 if 2 * x <= 3 else x,
              {"beta": 2, "threshold": 3})
    yield one("rsub_alpha", "rsub.Scalar", lambda x: 5 - 2 * x, {"other": 5, "alpha": 2})
    yield one("softshrink", "softshrink.default", lambda x: x - 0.75 if x > 0.75 else x + 0.75 if x < -0.75 else 0.0,
              {"lambd": 0.75})
    yield one("hardshrink", "hardshrink.default", lambda x: 0.0 if abs(x) <= 0.5 else x)
    yield one("threshold", "threshold.default", lambda x: x if x > 0.25 else 9.0, {"threshold": 0.25, "value": 9})
    yield one("celu_alpha", "celu.default", lambda x: x if x > 0 else 2 * math.expm1(x / 2), {"alpha": 2.0})
    yield one("erfc", "erfc.default", math.erfc)
    yield one("exp2", "exp2.default", lambda x: 2 ** x)
    yield one("sinc", "sinc.default", lambda x: 1.0 if x == 0 else math.sin(math.pi * x) / (math.pi * x))
    yield one("logaddexp", "logaddexp.default", lambda x, y: math.log(math.exp(x) + math.exp(y)), inputs=(X, Y))
    yield one("xlogy", "xlogy.Tensor", lambda x, y: 0.0 if x == 0 else x * math.log(y),
              inputs=(X, [[2.0, 3.0, 1.5], [4.0, 0.25, 2.0]]))
    yield one("fmod_scalar", "fmod.Scalar", lambda x: math.fmod(x, 1.5), {"other": 1.5})
    yield one("remainder", "remainder.Tensor", lambda x, y: x - math.floor(x / y) * y, inputs=(X, Y))
    yield one("floor_divide", "floor_divide.default", lambda x, y: math.floor(x / y) + 0.0, inputs=(X, Y))
    yield one("div_trunc_int", "div.Tensor_mode", lambda x, y: int(x / y), {"rounding_mode": "trunc"},
              inputs=([7, -7, 8, -9], [2, 2, -3, -4]), dtype="i64")
    yield one("div_floor_int", "div.Tensor_mode", lambda x, y: x // y, {"rounding_mode": "floor"},
              inputs=([7, -7, 8, -9], [2, 2, -3, -4]), dtype="i32")
    yield one("div_ints", "div.Tensor", lambda x, y: x / y, inputs=([7, -7, 8, -9], [2, 2, -3, -4]), dtype="i64", out="f32")
    yield one("shift_left", "__lshift__.Scalar", lambda x: x << 2, {"other": 2}, inputs=([1, 2, 3],), dtype="i32")
    yield one("shift_right", "bitwise_right_shift.Tensor_Scalar", lambda x: x >> 1, {"other": 1}, inputs=([5, -6, 7],), dtype="i64")
    yield one("xor_ints", "bitwise_xor.Tensor", lambda x, y: x ^ y, inputs=([5, 6, 7], [3, 3, -1]), dtype="i16")
    yield one("or_bools", "__or__.Tensor", lambda x, y: x or y, inputs=([True, False, True], [False, False, True]), dtype="bool")
    yield one("xor_bools", "logical_xor.default", lambda x, y: bool(x) != bool(y), inputs=([5, 0, 7], [0, 0, 1]), dtype="i32", out="bool")
    yield one("pow_int", "pow.Tensor_Scalar", lambda x: x ** 3, {"exponent": 3}, inputs=([2, -3, 0],), dtype="i64")
    yield one("signbit", "signbit.default", lambda x: math.copysign(1, x) < 0, inputs=([1.0, -0.0, 0.0, -2.5, INF],), out="bool")
    yield one("isfinite", "isfinite.default", math.isfinite, inputs=([1.0, NAN, INF, -INF],), out="bool")
    yield one("sgn", "sgn.default", lambda x: 0.0 if x == 0 or x != x else math.copysign(1.0, x), inputs=([1.5, NAN, 0.0, -3.0],))
    yield one("abs_u8", "abs.default", lambda x: x, inputs=([1, 200, 0],), dtype="u8")
    yield one("add_i8", "add.Tensor", lambda x: x + 3, {"other": 3}, inputs=([1, -100, 0],), dtype="i8")
    yield one("add_int_float", "add.Tensor", lambda x: x + 1.5, {"other": 1.5}, inputs=([1, -100, 0],), dtype="i64", out="f32")
    yield one("f16_mul", "mul.Tensor", lambda x: x * 2.5, {"other": 2.5}, inputs=([1.0, -100.0, 0.5],), dtype="f16")
    yield one("gt_int_float", "gt.Scalar", lambda x: x > 1.5, {"other": 1.5}, inputs=([1, 2, 0],), dtype="i64", out="bool")
    yield one("clamp_ints", "clamp.default", lambda x: min(max(x, -1), 2), {"min": -1, "max": 2}, inputs=([5, -5, 1],), dtype="i64")
    yield one("clamp_max", "clamp_max.default", lambda x: min(x, 0.75), {"max": 0.75})
    yield one("heaviside", "heaviside.default", lambda x: 0.0 if x < 0 else 1.0 if x > 0 else 0.5, {"values": 0.5})
    yield one("rad2deg", "rad2deg.default", math.degrees)
    yield one("logit", "logit.default", lambda x: math.log(x / (1 - x)), inputs=([0.25, 0.5, 0.9],))
    yield single("lerp_tensor", "lerp.Tensor", {"a": ("f32", X), "b": ("f32", Y), "c": ("f32", [0.5, 0.25, 1.0])},
                 {"self": N("a"), "end": N("b"), "weight": N("c")},
                 ("f32", [[x + w * (y - x) for x, y, w in zip(r, s, [0.5, 0.25, 1.0])] for r, s in zip(X, Y)]))
    yield single("prelu_channels", "prelu.default", {"a": ("f32", X)},
                 {"self": N("a"), "weight": N("w")}, ("f32", [[1.0, -1.0, 3.5], [0.5, 0.0, -0.125]]),
                 weights={"w": ("f32", [0.25, 0.5, 0.1], [3], [1], 0)})
    yield single("where_scalars", "where.Scalar", {"a": ("bool", [True, False])},
                 {"condition": N("a"), "self": 1.5, "other": -1}, ("f32", [1.5, -1.0]))


def changes():
    """Programs that change tensors in place, and read other views of them."""
    a = {"a": ("f32", [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])}
    start = ("mul.Tensor", {"self": N("a"), "other": 1}, ("x", "f32", [2, 4]))
    read = ("add.Tensor", {"self": N("x"), "other": 0}, ("y", "f32", [2, 4]))

    def change(name, nodes, want):
        return whole("change_" + name, a, [start] + nodes + [read], {"y": ("f32", want)})
    yield change("step", [("slice.Tensor", {"self": N("x"), "dim": 1, "start": 0, "end": 9223372036854775807, "step": 2}, ("v", "f32", [2, 2])),
                          ("fill_.Scalar", {"self": N("v"), "value": 9}, ("f", "f32", [2, 2]))],
                 [[9.0, 2.0, 9.0, 4.0], [9.0, 6.0, 9.0, 8.0]])
    yield change("transposed", [("t.default", {"self": N("x")}, ("v", "f32", [4, 2])),
                                ("select.int", {"self": N("v"), "dim": 0, "index": -1}, ("w", "f32", [2])),
                                ("mul_.Tensor", {"self": N("w"), "other": 10}, ("f", "f32", [2]))],
                 [[1.0, 2.0, 3.0, 40.0], [5.0, 6.0, 7.0, 80.0]])
    yield change("diagonal", [("diagonal.default", {"self": N("x"), "offset": 1}, ("v", "f32", [2])),
                              ("zero_.default", {"self": N("v")}, ("f", "f32", [2]))],
                 [[1.0, 0.0, 3.0, 4.0], [5.0, 6.0, 0.0, 8.0]])
    yield change("unbound", [("unbind.int", {"self": N("x")}, [(("u", "f32", [4]), ("v", "f32", [4]))]),
                             ("add_.Tensor", {"self": N("v"), "other": N("u")}, ("f", "f32", [4]))],
                 [[1.0, 2.0, 3.0, 4.0], [6.0, 8.0, 10.0, 12.0]])
    yield change("chunks", [("chunk.default", {"self": N("x"), "chunks": 2, "dim": 1}, [(("u", "f32", [2, 2]), ("v", "f32", [2, 2]))]),
                            ("copy_.default", {"self": N("u"), "src": N("v")}, ("f", "f32", [2, 2])),
                            ("neg_.default", {"self": N("v")}, ("g", "f32", [2, 2]))],
                 [[3.0, 4.0, -3.0, -4.0], [7.0, 8.0, -7.0, -8.0]])
    yield change("deep", [("view.default", {"self": N("x"), "size": [8]}, ("v", "f32", [8])),
                          ("view.default", {"self": N("v"), "size": [4, 2]}, ("w", "f32", [4, 2])),
                          ("select.int", {"self": N("w"), "dim": 1, "index": 1}, ("u", "f32", [4])),
                          ("fill_.Scalar", {"self": N("u"), "value": 0}, ("f", "f32", [4])),
                          ("add_.Tensor", {"self": N("x"), "other": N("x")}, ("g", "f32", [2, 4]))],
                 [[2.0, 0.0, 6.0, 0.0], [10.0, 0.0, 14.0, 0.0]])
    yield change("masked", [("gt.Scalar", {"self": N("x"), "other": 6}, ("m", "bool", [2, 4])),
                            ("masked_fill_.Scalar", {"self": N("x"), "mask": N("m"), "value": -1}, ("f", "f32", [2, 4]))],
                 [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, -1.0, -1.0]])
    yield change("flattened_copy", [("t.default", {"self": N("x")}, ("v", "f32", [4, 2])),
                                    ("clone.default", {"self": N("v")}, ("c", "f32", [4, 2])),
                                    ("zero_.default", {"self": N("c")}, ("f", "f32", [4, 2]))],
                 [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
    yield whole("change_index_put", {"a": ("f32", [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]), "i": ("i64", [0, -1, 0])},
                [start, ("index_put_.default", {"self": N("x"), "indices": [None, N("i")], "values": N("w"), "accumulate": True}, ("f", "f32", [2, 4])), read],
                {"y": ("f32", [[5.0, 2.0, 3.0, 6.0], [9.0, 6.0, 7.0, 10.0]])},
                weights={"w": ("f32", [1.0, 2.0, 3.0], [3], [1], 0)})


def places():
    a = [[float(10 * i + j) for j in range(4)] for i in range(3)]
    A = {"a": ("f32", a)}
    cube = [[[float(100 * i + 10 * j + k) for k in range(4)] for j in range(3)] for i in range(2)]
    yield single("index_apart", "index.Tensor", {"a": ("f32", cube), "i": ("i64", [1, 0]), "j": ("i64", [3, -1])},
                 {"self": N("a"), "indices": [N("i"), None, N("j")]},
                 ("f32", [[cube[i][r][3] for r in range(3)] for i in (1, 0)]))
    yield single("index_together", "index.Tensor", {"a": ("f32", cube), "i": ("i64", [[1], [0]]), "j": ("i64", [3, 2])},
                 {"self": N("a"), "indices": [None, N("i"), N("j")]},
                 ("f32", [[[cube[b][r][c] for c in (3, 2)] for r in (1, 0)] for b in range(2)]))
    yield single("index_mask_and_rows", "index.Tensor", {"a": ("f32", a), "m": ("bool", [True, False, True])},
                 {"self": N("a"), "indices": [N("m")]}, ("f32", [a[0], a[2]]))
    yield single("scatter_amax", "scatter_reduce.two", {**A, "i": ("i64", [[0, 0, 1, 2]]), "s": ("f32", [[50.0, -1.0, -5.0, 3.0]])},
                 {"self": N("a"), "dim": 0, "index": N("i"), "src": N("s"), "reduce": "amax"},
                 ("f32", [[50.0, 1.0, 2.0, 3.0], a[1], a[2]]))
    yield single("scatter_sum_alone", "scatter_reduce.two", {"a": ("f32", [1.0, 2.0, 3.0]), "i": ("i64", [0, 0, 2]), "s": ("f32", [5.0, 6.0, 7.0])},
                 {"self": N("a"), "dim": 0, "index": N("i"), "src": N("s"), "reduce": "sum", "include_self": False},
                 ("f32", [11.0, 2.0, 7.0]))
    yield single("scatter_value", "scatter.value", {**A, "i": ("i64", [[1], [0], [3]])},
                 {"self": N("a"), "dim": 1, "index": N("i"), "value": -1}, ("f32", [[0.0, -1.0, 2.0, 3.0], [-1.0, 11.0, 12.0, 13.0], [20.0, 21.0, 22.0, -1.0]]))
    yield single("select_scatter", "select_scatter.default", {**A, "s": ("f32", [7.0, 8.0, 9.0])},
                 {"self": N("a"), "src": N("s"), "dim": 1, "index": -1}, ("f32", [r[:3] + [s] for r, s in zip(a, [7.0, 8.0, 9.0])]))
    yield single("slice_scatter_step", "slice_scatter.default", {**A, "s": ("f32", [[7.0, 8.0]] * 3)},
                 {"self": N("a"), "src": N("s"), "dim": 1, "start": 1, "end": 4, "step": 2}, ("f32", [[r[0], 7.0, r[2], 8.0] for r in a]))
    yield single("take_along", "take_along_dim.default", {**A, "i": ("i64", [[1, 0], [3, 3], [2, 0]])},
                 {"self": N("a"), "indices": N("i"), "dim": 1}, ("f32", [[a[0][1], a[0][0]], [a[1][3]] * 2, [a[2][2], a[2][0]]]))
    yield single("repeat_each", "repeat_interleave.self_int", A, {"self": N("a"), "repeats": 2, "dim": 0},
                 ("f32", [a[0], a[0], a[1], a[1], a[2], a[2]]))
    yield single("unfold", "unfold.default", {"a": ("f32", [1.0, 2.0, 3.0, 4.0, 5.0])}, {"self": N("a"), "dimension": 0, "size": 3, "step": 2},
                 ("f32", [[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]]))
    yield single("diff", "diff.default", A, {"self": N("a")}, ("f32", [[1.0] * 3] * 3))
    yield single("tile", "tile.default", {"a": ("f32", [1.0, 2.0])}, {"self": N("a"), "dims": [2, 2]}, ("f32", [[1.0, 2.0] * 2] * 2))
    yield single("rot90_3", "rot90.default", {"a": ("f32", [[1.0, 2.0], [3.0, 4.0]])}, {"self": N("a"), "k": 3, "dims": [0, 1]}, ("f32", [[3.0, 1.0], [4.0, 2.0]]))
    yield single("roll_flat", "roll.default", {"a": ("f32", [[1.0, 2.0], [3.0, 4.0]])}, {"self": N("a"), "shifts": [1]}, ("f32", [[4.0, 1.0], [2.0, 3.0]]))
    yield single("movedim", "movedim.intlist", {"a": ("f32", cube)}, {"self": N("a"), "source": [0, 1], "destination": [2, 0]},
                 ("f32", [[[cube[i][j][k] for i in range(2)] for k in range(4)] for j in range(3)]))
    yield single("pixel_shuffle", "pixel_shuffle.default", {"a": ("f32", [[[[float(c)]] for c in range(4)]])}, {"self": N("a"), "upscale_factor": 2},
                 ("f32", [[[[0.0, 1.0], [2.0, 3.0]]]]))
    yield single("pixel_unshuffle", "pixel_unshuffle.default", {"a": ("f32", [[[[0.0, 1.0], [2.0, 3.0]]]])}, {"self": N("a"), "downscale_factor": 2},
                 ("f32", [[[[float(c)]] for c in range(4)]]))
    yield single("channel_shuffle", "channel_shuffle.default", {"a": ("f32", [[[float(c)] for c in range(6)]])}, {"self": N("a"), "groups": 2},
                 ("f32", [[[0.0], [3.0], [1.0], [4.0], [2.0], [5.0]]]))
    yield single("im2col", "im2col.default", {"a": ("f32", [[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]])},
                 {"self": N("a"), "kernel_size": [2, 2], "dilation": [1, 1], "padding": [0, 0], "stride": [1, 1]},
                 ("f32", [[[1.0, 2.0], [2.0, 3.0], [4.0, 5.0], [5.0, 6.0]]]))
    yield single("col2im", "col2im.default", {"a": ("f32", [[[1.0, 2.0], [2.0, 3.0], [4.0, 5.0], [5.0, 6.0]]])},
                 {"self": N("a"), "output_size": [2, 3], "kernel_size": [2, 2], "dilation": [1, 1], "padding": [0, 0], "stride": [1, 1]},
                 ("f32", [[[[1.0, 4.0, 3.0], [4.0, 10.0, 6.0]]]]))
    yield single("block_diag", "block_diag.default", {"a": ("f32", [[1.0, 2.0]]), "b": ("f32", [[3.0], [4.0]])}, {"tensors": [N("a"), N("b")]},
                 ("f32", [[1.0, 2.0, 0.0], [0.0, 0.0, 3.0], [0.0, 0.0, 4.0]]))
    yield single("diag_offset", "diag_embed.default", {"a": ("f32", [1.0, 2.0])}, {"self": N("a"), "offset": -1},
                 ("f32", [[0.0] * 3, [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]))
    yield single("diagonal_low", "diagonal.default", A, {"self": N("a"), "offset": -1, "dim1": 0, "dim2": 1}, ("f32", [10.0, 21.0]))
    yield single("dstack", "dstack.default", {"a": ("f32", [1.0, 2.0]), "b": ("f32", [3.0, 4.0])}, {"tensors": [N("a"), N("b")]},
                 ("f32", [[[1.0, 3.0], [2.0, 4.0]]]))
    yield single("tril_bool", "tril.default", {"a": ("bool", [[True] * 3] * 2)}, {"self": N("a")}, ("bool", [[True, False, False], [True, True, False]]))
    yield single("view_dtype", "view.dtype", {"a": ("f32", [1.0, -2.0])}, {"self": N("a"), "dtype": Dtype("i32")}, ("i32", [0x3F800000, -0x40000000]))
    yield single("put_apart", "index_put.default", {"a": ("f32", cube), "i": ("i64", [1, 0]), "j": ("i64", [3, -4]), "v": ("f32", [7.0])},
                 {"self": N("a"), "indices": [N("i"), None, N("j")], "values": N("v")},
                 ("f32", [[[7.0 if (i, k) in ((1, 3), (0, 0)) else cube[i][j][k] for k in range(4)] for j in range(3)] for i in range(2)]))


def sums():
    a = [[3.0, 1.0, 2.0], [1.0, 5.0, 4.0]]
    A = {"a": ("f32", a)}
    yield single("sum_bool", "sum.default", {"a": ("bool", [True, False, True])}, {"self": N("a")}, ("i64", 2))
    yield single("sum_u8", "sum.dim_IntList", {"a": ("u8", [[200, 100], [1, 2]])}, {"self": N("a"), "dim": [1]}, ("i64", [300, 3]))
    yield single("prod_i32", "prod.default", {"a": ("i32", [2, 3, 4])}, {"self": N("a")}, ("i64", 24))
    yield whole("cummax", A, [("cummax.default", {"self": N("a"), "dim": 1}, [("y", "f32", [2, 3]), ("z", "i64", [2, 3])])],
                {"y": ("f32", [[3.0, 3.0, 3.0], [1.0, 5.0, 5.0]]), "z": ("i64", [[0, 0, 0], [0, 1, 1]])})
    yield whole("cummin", A, [("cummin.default", {"self": N("a"), "dim": 0}, [("y", "f32", [2, 3]), ("z", "i64", [2, 3])])],
                {"y": ("f32", [[3.0, 1.0, 2.0], [1.0, 1.0, 2.0]]), "z": ("i64", [[0, 0, 0], [1, 0, 0]])})
    yield single("logcumsumexp", "logcumsumexp.default", {"a": ("f32", [1.0, 2.0, -1.0])}, {"self": N("a"), "dim": 0},
                 ("f32", [1.0, math.log(math.exp(1) + math.exp(2)), math.log(math.exp(1) + math.exp(2) + math.exp(-1))]))
    yield single("cumprod_int", "cumprod.default", {"a": ("i32", [1, 2, 3])}, {"self": N("a"), "dim": 0}, ("i64", [1, 2, 6]))
    yield single("count_nonzero", "count_nonzero.default", {"a": ("f32", [1.0, 0.0, -2.0])}, {"self": N("a")}, ("i64", 2))
    yield single("median_all", "median.default", {"a": ("f32", [3.0, 1.0, 4.0, 2.0])}, {"self": N("a")}, ("f32", 2.0))
    yield whole("median_dim", A, [("median.dim", {"self": N("a"), "dim": 1}, [("y", "f32", [2]), ("z", "i64", [2])])],
                {"y": ("f32", [2.0, 4.0]), "z": ("i64", [2, 2])})
    yield whole("aminmax", A, [("aminmax.default", {"self": N("a"), "dim": 1}, [("y", "f32", [2]), ("z", "f32", [2])])],
                {"y": ("f32", [1.0, 1.0]), "z": ("f32", [3.0, 5.0])})
    yield single("norm_3", "linalg_vector_norm.default", {"a": ("f32", [1.0, -2.0])}, {"self": N("a"), "ord": 3}, ("f32", 9 ** (1 / 3)))
    yield single("norm_p", "norm.ScalarOpt_dim", A, {"self": N("a"), "p": 1, "dim": [0], "keepdim": True}, ("f32", [[4.0, 6.0, 6.0]]))
    yield single("matrix_norm_inf", "linalg_matrix_norm.default", A, {"self": N("a"), "ord": INF}, ("f32", 10.0))
    yield single("softmin", "softmin.int", {"a": ("f32", [0.0, 0.0])}, {"self": N("a"), "dim": 0}, ("f32", [0.5, 0.5]))
    yield single("std_scalar", "std.correction", {"a": ("f32", [1.0, 2.0, 4.0])}, {"self": N("a"), "correction": 0}, ("f32", math.sqrt(14 / 9)))
    yield whole("std_mean", A, [("std_mean.correction", {"self": N("a"), "dim": [1]}, [("y", "f32", [2]), ("z", "f32", [2])])],
                {"y": ("f32", [1.0, math.sqrt(13 / 3)]), "z": ("f32", [2.0, 10 / 3])})
    yield single("argmax_all_keep", "argmax.default", A, {"self": N("a"), "keepdim": True}, ("i64", [[4]]))
    yield single("argsort_down", "argsort.default", {"a": ("f32", [3.0, 1.0, 2.0])}, {"self": N("a"), "descending": True}, ("i64", [0, 2, 1]))
    yield single("all_all", "all.default", {"a": ("f32", [1.0, 0.5])}, {"self": N("a")}, ("bool", True))
    yield single("bincount", "bincount.default", {"a": ("i64", [1, 3, 1])}, {"self": N("a"), "minlength": 6}, ("i64", [0, 2, 0, 1, 0, 0]))
    yield single("histc", "histc.default", {"a": ("f32", [1.0, 2.0, 1.0, 4.0])}, {"self": N("a"), "bins": 4, "min": 0, "max": 4}, ("f32", [0.0, 2.0, 1.0, 1.0]))
    yield whole("unique", {"a": ("i64", [3, 1, 3, 2])},
                [("_unique2.default", {"self": N("a"), "sorted": True, "return_inverse": True, "return_counts": True},
                  [("y", "i64", [3]), ("z", "i64", [4]), ("c", "i64", [3])])],
                {"y": ("i64", [1, 2, 3]), "z": ("i64", [2, 0, 2, 1]), "c": ("i64", [1, 1, 2])})
    yield single("searchsorted_rows", "searchsorted.Tensor", {"s": ("f32", [[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]), "v": ("f32", [[3.0, 9.0], [1.0, 5.0]])},
                 {"sorted_sequence": N("s"), "self": N("v")}, ("i64", [[1, 3], [0, 2]]))
    yield single("mean_f16", "mean.dim", {"a": ("f16", [[1.0, 2.0], [3.0, 5.0]])}, {"self": N("a"), "dim": [1]}, ("f16", [1.5, 4.0]))


def layers():
    img = [[[[float(4 * i + j) for j in range(4)] for i in range(4)]]]
    yield single("conv2d_single", "conv2d.default", {"a": ("f32", img[0])}, {"input": N("a"), "weight": N("w"), "stride": [2, 2]},
                 ("f32", [[[sum(img[0][0][2 * i + p][2 * j + q] for p in range(2) for q in range(2)) for j in range(2)] for i in range(2)]]),
                 weights={"w": ("f32", [1.0] * 4, [1, 1, 2, 2], [4, 4, 2, 1], 0)})
    yield single("max_pool_same", "max_pool2d.default", {"a": ("f32", img)}, {"self": N("a"), "kernel_size": [3], "stride": [2], "padding": [1], "ceil_mode": True},
                 ("f32", [[[[5.0, 7.0, 7.0], [13.0, 15.0, 15.0], [13.0, 15.0, 15.0]]]])) if False else None
    yield single("avg_pool_divisor", "avg_pool2d.default", {"a": ("f32", img)}, {"self": N("a"), "kernel_size": [2, 2], "divisor_override": 2},
                 ("f32", [[[[5.0, 9.0], [21.0, 25.0]]]]))
    yield single("adaptive_avg_uneven", "adaptive_avg_pool1d.default", {"a": ("f32", [[1.0, 2.0, 3.0, 4.0, 5.0]])}, {"self": N("a"), "output_size": [3]},
                 ("f32", [[1.5, 3.0, 4.5]]))
    yield single("adaptive_max_uneven", "adaptive_max_pool1d.default", {"a": ("f32", [[5.0, 2.0, 3.0, 4.0, 1.0]])}, {"self": N("a"), "output_size": [3]},
                 ("f32", [[5.0, 4.0, 4.0]]))
    yield single("nearest_exact", "_upsample_nearest_exact1d.vec", {"a": ("f32", [[[1.0, 2.0, 3.0]]])}, {"input": N("a"), "output_size": [5], "scale_factors": None},
                 ("f32", [[[1.0, 1.0, 2.0, 3.0, 3.0]]]))
    yield single("nearest_scale", "upsample_nearest2d.vec", {"a": ("f32", [[[[1.0, 2.0]]]])}, {"input": N("a"), "output_size": None, "scale_factors": [1.0, 1.5]},
                 ("f32", [[[[1.0, 1.0, 2.0]]]]))
    rms = lambda r, e: [x / math.sqrt(sum(y * y for y in r) / len(r) + e) for x in r]
    yield single("rms_norm", "rms_norm.default", {"a": ("f32", X)}, {"input": N("a"), "normalized_shape": [3], "weight": N("w"), "eps": 0.5},
                 ("f32", [[v * w for v, w in zip(rms(r, 0.5), [1.0, 2.0, 3.0])] for r in X]), weights={"w": ("f32", [1.0, 2.0, 3.0], [3], [1], 0)})
    yield single("glu", "glu.default", {"a": ("f32", [1.0, 2.0, 0.0, 1.0])}, {"self": N("a")}, ("f32", [0.5, 2 / (1 + math.exp(-1))]))
    yield single("addmm_beta_0", "addmm.default", {"a": ("f32", [NAN, NAN]), "b": ("f32", [[1.0, 2.0]]), "c": ("f32", [[1.0, 0.0], [0.5, 1.0]])},
                 {"self": N("a"), "mat1": N("b"), "mat2": N("c"), "beta": 0, "alpha": 2}, ("f32", [[4.0, 4.0]]))
    yield single("outer", "outer.default", {"a": ("f32", [1.0, 2.0]), "b": ("f32", [3.0, 4.0])}, {"self": N("a"), "vec2": N("b")}, ("f32", [[3.0, 4.0], [6.0, 8.0]]))
    rows = {"x": ("f32", [[1.0], [2.0], [3.0]]), "w": ("f32", [[[10.0]], [[100.0]], [[1000.0]]]), "n": ("i32", [1, 1, 3])}
    of = {"self": N("x"), "mat2": N("w"), "offs": N("n")}
    yield single("grouped_rows", "_grouped_mm.default", rows, of, ("f32", [[10.0], [2000.0], [3000.0]]))
    yield single("grouped_fallback", "torch.ops.transformers.grouped_mm_fallback.default", dict(rows, n=("i64", [0, 2, 2])),
                 {"input": N("x"), "weight": N("w"), "offs": N("n")}, ("f32", [[100.0], [200.0], [0.0]]))
    yield single("grouped_sums", "_grouped_mm.default", {"x": ("f32", [[1.0, 2.0, 3.0]]), "w": ("f32", [[1.0], [10.0], [100.0]]), "n": ("i32", [1, 3])},
                 of, ("f32", [[[1.0]], [[320.0]]]))
    yield single("grouped_none", "_grouped_mm.default", {"x": ("f32", [[[1.0, 2.0]]]), "w": ("f32", [[[1.0], [10.0]]])},
                 {"self": N("x"), "mat2": N("w")}, ("f32", [[[21.0]]]))
    yield single("mm_int", "mm.default", {"a": ("i64", [[1, 2]]), "b": ("i64", [[3], [4]])}, {"self": N("a"), "mat2": N("b")}, ("i64", [[11]]))
    yield single("dot", "dot.default", {"a": ("f32", [1.0, 2.0]), "b": ("f32", [3.0, 4.0])}, {"self": N("a"), "tensor": N("b")}, ("f32", 11.0))
    yield single("weight_turned", "linear.default", {"a": ("f32", [[1.0, 2.0]])}, {"input": N("a"), "weight": N("w")}, ("f32", [[1 * 1.0 + 2 * 4.0, 1 * 2.0 + 2 * 5.0, 1 * 3.0 + 2 * 6.0]]),
                 weights={"w": ("f32", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [3, 2], [1, 3], 0)})
    yield single("weight_window", "mul.Tensor", {"a": ("f32", [1.0])}, {"self": N("w"), "other": N("a")}, ("f32", [[2.0, 3.0], [3.0, 4.0]]),
                 weights={"w": ("f32", [1.0, 2.0, 3.0, 4.0, 5.0], [2, 2], [1, 1], 1)})
    yield single("one_hot", "one_hot.default", {"a": ("i64", [2, 0])}, {"self": N("a"), "num_classes": 3}, ("i64", [[0, 0, 1], [1, 0, 0]]))
    yield single("bag_max", "embedding_bag.padding_idx", {"i": ("i64", [0, 1, 2, 1]), "s": ("i64", [0, 3, 3])},
                 {"weight": N("w"), "indices": N("i"), "offsets": N("s"), "mode": 2}, ("f32", [[5.0, 6.0], [0.0, 0.0], [3.0, 4.0]]),
                 weights={"w": ("f32", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [3, 2], [2, 1], 0)})
    yield single("bce", "binary_cross_entropy.default", {"a": ("f32", [0.25, 0.5]), "b": ("f32", [1.0, 0.0])}, {"self": N("a"), "target": N("b"), "reduction": 0},
                 ("f32", [-math.log(0.25), -math.log(0.5)]))


def cells():
    sig = lambda x: 1 / (1 + math.exp(-x))
    w = {"w": ("f32", [0.5, -1.0, 0.25, 2.0], [4, 1], [1, 1], 0), "u": ("f32", [1.0, 0.5, -0.5, 0.25], [4, 1], [1, 1], 0)}
    i, f, g, q = (sig(2 * a + 3 * b) for a, b in ((0.5, 1.0), (-1.0, 0.5), (0.25, -0.5), (2.0, 0.25)))
    g = math.tanh(2 * 0.25 - 3 * 0.5)
    c = f * 4 + i * g
    yield whole("lstm_cell", {"a": ("f32", [[2.0]]), "h": ("f32", [[3.0]]), "c": ("f32", [[4.0]])},
                [("lstm_cell.default", {"input": N("a"), "hx": [N("h"), N("c")], "w_ih": N("w"), "w_hh": N("u")}, [("y", "f32", [1, 1]), ("z", "f32", [1, 1])])],
                {"y": ("f32", [[q * math.tanh(c)]]), "z": ("f32", [[c]])}, weights=w)
    w = {k: (t, v[:3], [3, 1], s, 0) for k, (t, v, _, s, _) in w.items()}
    r, z = sig(2 * 0.5 + 3 * 1.0), sig(2 * -1.0 + 3 * 0.5)
    n = math.tanh(2 * 0.25 + r * 3 * -0.5)
    yield whole("gru_cell", {"a": ("f32", [[2.0]]), "h": ("f32", [[3.0]])},
                [("gru_cell.default", {"input": N("a"), "hx": N("h"), "w_ih": N("w"), "w_hh": N("u")}, ("y", "f32", [1, 1]))],
                {"y": ("f32", [[n + z * (3 - n)]])}, weights=w)
    yield whole("unique_runs", {"a": ("i64", [1, 1, 2, 2, 2, 1])},
                [("unique_consecutive.default", {"self": N("a"), "return_inverse": True, "return_counts": True},
                  [("y", "i64", [3]), ("z", "i64", [6]), ("c", "i64", [3])])],
                {"y": ("i64", [1, 2, 1]), "z": ("i64", [0, 0, 1, 1, 1, 2]), "c": ("i64", [2, 3, 1])})
    yield single("repeat_by", "repeat_interleave.self_Tensor", {"a": ("f32", [5.0, 6.0, 7.0]), "n": ("i64", [2, 0, 3])},
                 {"self": N("a"), "repeats": N("n")}, ("f32", [5.0, 5.0, 7.0, 7.0, 7.0]))
    yield whole("tensor_split", {"a": ("f32", [1.0, 2.0, 3.0, 4.0, 5.0])},
                [("tensor_split.sections", {"self": N("a"), "sections": 3}, [(("x", "f32", [2]), ("y", "f32", [2]), ("z", "f32", [1]))])],
                {"x": ("f32", [1.0, 2.0]), "y": ("f32", [3.0, 4.0]), "z": ("f32", [5.0])})
    yield whole("tensor_split_at", {"a": ("f32", [1.0, 2.0, 3.0, 4.0, 5.0])},
                [("tensor_split.indices", {"self": N("a"), "indices": [1, -1]}, [(("x", "f32", [1]), ("y", "f32", [3]), ("z", "f32", [1]))])],
                {"x": ("f32", [1.0]), "y": ("f32", [2.0, 3.0, 4.0]), "z": ("f32", [5.0])})
    yield single("triplet", "triplet_margin_loss.default", {"a": ("f32", [[1.0, 2.0]]), "b": ("f32", [[1.0, 0.0]]), "c": ("f32", [[0.0, 2.0]])},
                 {"anchor": N("a"), "positive": N("b"), "negative": N("c")}, ("f32", 2.0), tolerance=1e-4)
    yield single("cosine_embedding", "cosine_embedding_loss.default", {"a": ("f32", [[1.0, 0.0], [1.0, 1.0]]), "b": ("f32", [[1.0, 1.0], [1.0, 0.0]]), "t": ("f32", [1.0, -1.0])},
                 {"input1": N("a"), "input2": N("b"), "target": N("t"), "margin": 0.5, "reduction": 0}, ("f32", [1 - math.sqrt(0.5), math.sqrt(0.5) - 0.5]))


def made():
    yield single("arange_f", "arange.start_step", {"a": ("f32", [0.0])}, {"start": 0.5, "end": 2.0, "step": 0.5}, ("f32", [0.5, 1.0, 1.5]))
    yield single("arange_i32", "arange.default", {"a": ("f32", [0.0])}, {"end": 3, "dtype": Dtype("i32")}, ("i32", [0, 1, 2]))
    yield single("full_bool", "full.default", {"a": ("f32", [0.0])}, {"size": [2], "fill_value": True}, ("bool", [True, True]))
    yield single("triu_indices", "triu_indices.default", {"a": ("f32", [0.0])}, {"row": 2, "col": 2}, ("i64", [[0, 0, 1], [0, 1, 1]]))
    yield single("eye", "eye.default", {"a": ("f32", [0.0])}, {"n": 2}, ("f32", [[1.0, 0.0], [0.0, 1.0]]))
    yield whole("symbols", {"a": ("f32", [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])},
                [("sym_size.int", {"self": N("a"), "dim": 0}, ("sym", "s")),
                 ("_operator.mul", {"a": Sym("s"), "b": 2}, ("sym", "t")),
                 ("view.default", {"self": N("a"), "size": [Sym("t")]}, ("v", "f32", ["q"])),
                 ("_operator.floordiv", {"a": Sym("t"), "b": 4}, ("sym", "u")),
                 ("select.int", {"self": N("v"), "dim": 0, "index": Sym("u")}, ("y", "f32", []))],
                {"y": ("f32", 2.0)}, shapes={"a": ["s0", 2]}, ranges={"s0": {"min_val": 2, "max_val": 9}})
    body = Graph(inputs=["p", "q"], nodes=[("add.Tensor", {"self": N("p"), "other": N("q")}, ("r", "f32", [2])),
                                           ("mul.Tensor", {"self": N("r"), "other": 1}, ("t", "f32", [2]))],
                 outputs=[N("r"), N("t")], values={})
    yield whole("scan_sum", {"a": ("f32", [0.0, 10.0]), "b": ("f32", [[1.0, 2.0], [3.0, 4.0]])},
                [("torch.ops.higher_order.scan", {"#0": body, "#1": [N("a")], "#2": [N("b")], "#3": []}, [("y", "f32", [2]), ("z", "f32", [2, 2])])],
                {"y": ("f32", [4.0, 16.0]), "z": ("f32", [[1.0, 12.0], [4.0, 16.0]])})
    yield whole("irfft_roundtrip", {"a": ("f32", [1.0, 2.0, -1.0, 0.5, 3.0])},
                [("fft_rfft.default", {"self": N("a"), "norm": "ortho"}, ("c", "c64", [3])),
                 ("fft_irfft.default", {"self": N("c"), "n": 5, "norm": "ortho"}, ("y", "f32", [5]))],
                {"y": ("f32", [1.0, 2.0, -1.0, 0.5, 3.0])})
    yield whole("complex_product", {"a": ("f32", [[1.0, 2.0], [0.0, 1.0]])},
                [("view_as_complex.default", {"self": N("a")}, ("c", "c64", [2])),
                 ("mul.Tensor", {"self": N("c"), "other": N("c")}, ("d", "c64", [2])),
                 ("view_as_real.default", {"self": N("d")}, ("y", "f32", [2, 2]))], {"y": ("f32", [[-3.0, 4.0], [-1.0, 0.0]])})


def special_functions():
    """Functions beside those of elementary mathematics, by closed forms."""
    half = ("f32", [1.0, 2.0, 4.0])
    yield one("erfc_far", "erfc.default", math.erfc, inputs=([[0.5, 3.0, 5.0]],), tolerance=1e-12)
    yield one("lgamma", "lgamma.default", math.lgamma, inputs=([[0.5, 3.0, 7.5]],))
    yield one("ndtr", "special_ndtr.default", lambda x: 0.5 * math.erfc(-x / math.sqrt(2)), inputs=(X,))
    tail = lambda x: -x * x / 2 - math.log(-x) - math.log(2 * math.pi) / 2 + math.log1p(-1 / x**2 + 3 / x**4)
    yield one("log_ndtr", "special_log_ndtr.default", lambda x: tail(x) if x < -10 else math.log(0.5 * math.erfc(-x / 2**0.5)),
              inputs=([-40.0, -20.0, -10.5, -9.5, -3.0, 0.0, 3.0],))
    yield one("entr", "special_entr.default", lambda x: -x * math.log(x) if x > 0 else 0.0 if x == 0 else -INF, inputs=(X,))
    yield one("trigamma", "polygamma.default", lambda x: {1.0: math.pi ** 2 / 6, 0.5: math.pi ** 2 / 2}[x], {"n": 1}, inputs=([1.0, 0.5],))
    yield one("ldexp", "ldexp.Tensor", lambda x, y: x * 2 ** y, inputs=([1.5, -1.0], [3.0, -1.0]))
    yield one("lcm", "lcm.default", lambda x, y: abs(x * y) // math.gcd(x, y) if x and y else 0, inputs=([4, 0, -6], [6, 5, 4]), dtype="i64")
    yield single("isclose", "isclose.default", {"a": ("f32", [1.0, NAN, INF, 1.0]), "b": ("f32", [1.001, NAN, INF, INF])},
                 {"self": N("a"), "other": N("b"), "rtol": 0.01, "equal_nan": True}, ("bool", [True, True, True, False]))
    yield single("isin", "isin.Tensor_Tensor", {"a": ("i64", [[1, 2], [3, 4]]), "b": ("i64", [4, 1])},
                 {"elements": N("a"), "test_elements": N("b"), "invert": True}, ("bool", [[False, True], [True, False]]))
    yield single("logspace", "logspace.default", {"a": half}, {"start": 0.0, "end": 2.0, "steps": 3, "base": 2.0}, ("f32", [1.0, 2.0, 4.0]))
    yield single("clamp_bool", "clamp_min.Tensor", {"a": ("bool", [True, False]), "b": ("bool", [False, True])}, {"self": N("a"), "min": N("b")}, ("bool", [True, True]))
    yield single("maximum_bool", "maximum.default", {"a": ("bool", [True, False]), "b": ("bool", [False, False])}, {"self": N("a"), "other": N("b")}, ("bool", [True, False]))
    yield single("hann", "hann_window.default", {"a": half}, {"window_length": 4}, ("f32", [0.0, 0.5, 1.0, 0.5]))
    yield single("stft", "stft.default", {"a": ("f32", [1.0, 2.0, 3.0, 4.0])}, {"self": N("a"), "n_fft": 2, "hop_length": 1, "onesided": True, "return_complex": False},
                 ("f32", [[[3.0, 0.0], [5.0, 0.0], [7.0, 0.0]], [[-1.0, 0.0], [-1.0, 0.0], [-1.0, 0.0]]]))


def statistics():
    rows = ("f32", [[4.0, 1.0, 3.0, 2.0], [1.0, NAN, 5.0, 3.0]])
    yield single("quantile", "quantile.default", {"a": ("f32", [4.0, 1.0, 3.0, 2.0]), "q": ("f32", [0.5, 1.0])}, {"self": N("a"), "q": N("q")}, ("f32", [2.5, 4.0]))
    yield single("nanmean", "nanmean.default", {"a": rows}, {"self": N("a"), "dim": [1]}, ("f32", [2.5, 3.0]))
    yield single("nanquantile", "nanquantile.scalar", {"a": rows}, {"self": N("a"), "q": 0.5, "dim": 1}, ("f32", [2.5, 3.0]))
    yield whole("nanmedian", {"a": rows}, [("nanmedian.dim", {"self": N("a"), "dim": 1}, [("y", "f32", [2]), ("i", "i64", [2])])], {"y": ("f32", [2.0, 3.0]), "i": ("i64", [3, 3])})
    yield whole("mode", {"a": ("f32", [[2.0, 1.0, 2.0, 1.0]])}, [("mode.default", {"self": N("a")}, [("y", "f32", [1]), ("i", "i64", [1])])],
                {"y": ("f32", [1.0]), "i": ("i64", [3])})
    yield whole("cummax_number", {"a": ("f32", 2.0)}, [("cummax.default", {"self": N("a"), "dim": 0}, [("y", "f32", []), ("i", "i64", [])])], {"y": ("f32", 2.0), "i": ("i64", 0)})
    yield single("cov", "cov.default", {"a": ("f32", [[1.0, 3.0], [2.0, 0.0]])}, {"self": N("a")}, ("f32", [[2.0, -2.0], [-2.0, 2.0]]))
    yield single("trapezoid", "trapezoid.dx", {"a": ("f32", [1.0, 2.0, 4.0])}, {"y": N("a"), "dx": 2.0}, ("f32", 9.0))
    yield single("diff_none", "diff.default", {"a": ("f32", [1.0, 2.0]), "b": ("f32", [5.0])}, {"self": N("a"), "n": 0, "prepend": N("b")}, ("f32", [1.0, 2.0]))
    yield single("renorm", "renorm.default", {"a": ("f32", [[3.0, 4.0], [0.5, 0.0]])}, {"self": N("a"), "p": 2.0, "dim": 0, "maxnorm": 1.0}, ("f32", [[0.6, 0.8], [0.5, 0.0]]))


def arrangements():
    a = {"a": ("f32", [1.0, 2.0]), "b": ("f32", [3.0, 4.0])}
    yield single("column_stack", "column_stack.default", a, {"tensors": [N("a"), N("b")]}, ("f32", [[1.0, 3.0], [2.0, 4.0]]))
    yield single("cartesian", "cartesian_prod.default", a, {"tensors": [N("a"), N("b")]}, ("f32", [[1.0, 3.0], [1.0, 4.0], [2.0, 3.0], [2.0, 4.0]]))
    yield single("combinations", "combinations.default", {"a": ("i64", [7, 8, 9])}, {"self": N("a")}, ("i64", [[7, 8], [7, 9], [8, 9]]))
    yield single("vander_square", "linalg_vander.default", a, {"x": N("b")}, ("f32", [[1.0, 3.0], [1.0, 4.0]]))
    yield single("vander", "linalg_vander.default", a, {"x": N("b"), "N": 3}, ("f32", [[1.0, 3.0, 9.0], [1.0, 4.0, 16.0]]))
    yield single("diagonal_scatter", "diagonal_scatter.default", {"a": ("f32", X), "b": ("f32", [7.0, 8.0])}, {"self": N("a"), "src": N("b"), "offset": 1},
                 ("f32", [[1.0, 7.0, 3.5], [0.5, 0.0, 8.0]]))
    yield single("sum_to_size", "sum_to_size.default", {"a": ("f32", X)}, {"self": N("a"), "size": [1, 3]}, ("f32", [[1.5, -2.0, 2.25]]))
    yield whole("hsplit", {"a": ("f32", [[1.0, 2.0, 3.0, 4.0]])}, [("hsplit.int", {"self": N("a"), "sections": 2}, [("y", "f32", [1, 2]), ("z", "f32", [1, 2])])],
                {"y": ("f32", [[1.0, 2.0]]), "z": ("f32", [[3.0, 4.0]])})
    yield single("squeeze_none", "squeeze.dims", {"a": ("f32", [[1.0]])}, {"self": N("a"), "dim": []}, ("f32", [[1.0]]))
    yield single("gather_i32", "gather.default", {"a": ("f32", X), "i": ("i32", [[2, 0], [1, 1]])}, {"self": N("a"), "dim": 1, "index": N("i")}, ("f32", [[3.5, 1.0], [0.0, 0.0]]))
    yield single("masked_scatter_wide", "masked_scatter.default", {"a": ("f32", [1.0, 2.0]), "m": ("bool", [[True, False], [False, True]]), "s": ("f32", [8.0, 9.0])},
                 {"self": N("a"), "mask": N("m"), "source": N("s")}, ("f32", [[8.0, 2.0], [1.0, 9.0]]))
    yield single("corners_factor", "upsample_linear1d.vec", {"a": ("f32", [[[0.0, 1.0, 2.0]]])}, {"input": N("a"), "output_size": None, "align_corners": True, "scale_factors": [1.7]},
                 ("f32", [[[0.0, 0.5, 1.0, 1.5, 2.0]]]))
    line = [[[[1.0, 2.0, 4.0, 8.0]]]]
    weights = [[0.375, 0.375, 0.25 - 0.125, 0.0], [0.0, 0.125, 0.375, 0.375]]
    smooth = [sum(w * v for w, v in zip(row, line[0][0][0])) / sum(row) for row in weights]
    yield single("smooth_edges", "_upsample_bilinear2d_aa.vec", {"a": ("f32", line)}, {"input": N("a"), "output_size": [1, 2], "align_corners": False, "scale_factors": None}, ("f32", [[[smooth]]]))
    yield whole("adaptive_places", {"a": ("f32", [[5.0, 2.0, 3.0, 4.0, 1.0]])}, [("adaptive_max_pool1d.default", {"self": N("a"), "output_size": [3]}, [("y", "f32", [1, 3]), ("i", "i64", [1, 3])])],
                {"y": ("f32", [[5.0, 4.0, 4.0]]), "i": ("i64", [[0, 3, 3]])})
    yield single("unpool", "max_unpool2d.default", {"a": ("f32", [[[[5.0, 6.0]]]]), "i": ("i64", [[[[3, 0]]]])}, {"self": N("a"), "indices": N("i"), "output_size": [2, 2]}, ("f32", [[[[6.0, 0.0], [0.0, 5.0]]]]))
    yield single("conv_int", "conv1d.default", {"a": ("i64", [[[1, 2, 3]]]), "b": ("i64", [[[1, 10]]])}, {"input": N("a"), "weight": N("b")}, ("i64", [[[21, 32]]]))


def systems():
    a, b = ("f32", [[4.0, 2.0], [2.0, 5.0]]), ("f32", [[8.0, 12.0]])
    low = ("f32", [[2.0, 0.0], [1.0, 2.0]])
    yield single("solve_right", "linalg_solve.default", {"a": a, "b": b}, {"A": N("a"), "B": N("b"), "left": False}, ("f32", [[1.0, 2.0]]))
    yield single("solve_unit", "linalg_solve_triangular.default", {"a": a, "b": ("f32", [[8.0], [12.0]])}, {"self": N("a"), "B": N("b"), "upper": True, "unitriangular": True}, ("f32", [[-16.0], [12.0]]))
    yield single("cholesky_upper", "linalg_cholesky.default", {"a": a}, {"self": N("a"), "upper": True}, ("f32", [[2.0, 1.0], [0.0, 2.0]]))
    yield single("cholesky_solve", "cholesky_solve.default", {"a": low, "b": ("f32", [[8.0], [12.0]])}, {"self": N("b"), "input2": N("a")}, ("f32", [[1.0], [2.0]]))
    yield whole("slogdet", {"a": ("f32", [[0.0, 2.0], [3.0, 0.0]])}, [("linalg_slogdet.default", {"A": N("a")}, [("s", "f32", []), ("l", "f32", [])])], {"s": ("f32", -1.0), "l": ("f32", math.log(6))})
    yield single("matrix_power", "matrix_power.default", {"a": ("f32", [[1.0, 1.0], [0.0, 1.0]])}, {"self": N("a"), "n": 5}, ("f32", [[1.0, 5.0], [0.0, 1.0]]))
    yield single("eigvalsh", "linalg_eigvalsh.default", {"a": ("f32", [[2.0, 1.0], [1.0, 2.0]])}, {"A": N("a")}, ("f32", [1.0, 3.0]))
    yield whole("inverse_info", {"a": ("f32", [[2.0, 0.0], [0.0, 4.0]])}, [("linalg_inv_ex.default", {"A": N("a")}, [("y", "f32", [2, 2]), ("i", "i32", [])])],
                {"y": ("f32", [[0.5, 0.0], [0.0, 0.25]]), "i": ("i32", 0)})
    yield single("take_all", "take_along_dim.default", {"a": ("f32", X), "i": ("i64", [[5], [0]])}, {"self": N("a"), "indices": N("i")}, ("f32", [-1.25, 1.0]))
    yield single("multi_dot", "linalg_multi_dot.default", {"a": low, "b": a, "c": ("f32", [1.0, 2.0])}, {"tensors": [N("a"), N("b"), N("c")]}, ("f32", [16.0, 32.0]))


def cases():
    for family in (custom, torchvision, dynamic, edges, factors, measures, special, written, special_functions, statistics, arrangements, systems, other_names, gradients, solves, trained_norm, elementwise, changes, places, sums, layers, cells, made):
        for case in family():
            if case:
                yield case


if __name__ == "__main__":
    for made_case in cases():
        write_case(sys.argv[1], **made_case)
# SPDX-License-Identifier: Apache-2.0
