"""Cases of factors of matrices and what follows from them, of segments, and of numbers taken apart."""
import math

from torch_pt2 import INF, Name, Operator, shape_of, single, whole

N = Name


def outputs(of):
    return [(n, t, shape_of(v)) for n, (t, v) in of.items()]


def spectra():
    a = {"a": ("f32", [[3.0, 0.0], [0.0, -4.0], [0.0, 0.0]])}
    inverse = [[1 / 3, 0.0, 0.0], [0.0, -0.25, 0.0]]
    yield single("pinv", "linalg_pinv.atol_rtol_tensor", a, {"self": N("a")}, ("f32", inverse))
    yield single("pinv_least", "linalg_pinv.atol_rtol_float", a, {"self": N("a"), "rtol": 0.8}, ("f32", [[0.0, 0.0, 0.0], inverse[1]]))
    yield single("pinv_absolute", "linalg_pinv.atol_rtol_float", a, {"self": N("a"), "atol": 3.5}, ("f32", [[0.0, 0.0, 0.0], inverse[1]]))
    yield single("pinverse", "pinverse.default", a, {"self": N("a")}, ("f32", inverse))
    yield single("pinv_half", "linalg_pinv.atol_rtol_tensor", {"a": ("f32", [[2.0, 9.0], [0.0, 4.0]])}, {"self": N("a"), "hermitian": True},
                 ("f32", [[0.5, 0.0], [0.0, 0.25]]))
    yield single("rank", "linalg_matrix_rank.atol_rtol_tensor", {"a": ("f32", [[1.0, 2.0], [2.0, 4.0]])}, {"input": N("a")}, ("i64", 1))
    yield single("rank_bound", "linalg_matrix_rank.default", {"a": a["a"]}, {"self": N("a"), "tol": 3.5}, ("i64", 1))
    yield single("condition", "linalg_cond.default", a, {"self": N("a")}, ("f32", 4 / 3))
    want = {"u": ("f32", [[1.0, 0.0], [0.0, -1.0], [0.0, 0.0]]), "h": ("f32", [[3.0, 0.0], [0.0, 4.0]])}
    yield whole("polar", a, [("linalg_polar.default", {"A": N("a")}, outputs(want))], want)
    yield single("root", "linalg_matrix_sqrth.default", {"a": ("f32", [[5.0, 7.0], [4.0, 5.0]])}, {"self": N("a")}, ("f32", [[2.0, 1.0], [1.0, 2.0]]))
    yield whole("svd_values", a, [("svd.default", {"self": N("a")}, [("u", "f32", [3, 2]), ("s", "f32", [2]), ("v", "f32", [2, 2])])], {"s": ("f32", [4.0, 3.0])})
    yield whole("inverse_of_nothing", {"a": ("f32", [[]])}, [("reshape.default", {"self": N("a"), "shape": [2, 0, 0]}, ("b", "f32", [2, 0, 0])),
                                      ("linalg_inv_ex.default", {"A": N("b")}, [("y", "f32", [2, 0, 0]), ("i", "i32", [2])])], {"i": ("i32", [0, 0])})


def effects():
    """A check that has its place in an order of effects."""
    yield whole("checked_inverse", {"token": ("f32", [0.0]), "a": ("f32", [[2.0, 0.0], [0.0, 4.0]])},
                [("linalg_inv_ex.default", {"A": N("a")}, [("y", "f32", [2, 2]), ("i", "i32", [])]),
                 ("torch.ops.higher_order.with_effects", {"#0": N("token"), "#1": Operator("_linalg_check_errors.default"), "#2": N("i"), "#3": "linalg.inv"},
                  ("t", "f32", [1]))], {"y": ("f32", [[0.5, 0.0], [0.0, 0.25]])})


def triangles():
    """[[1, 2], [4, 4]] with its rows exchanged is [[1, 0], [1/4, 1]] [[4, 4], [0, 1]]."""
    a, lu, p = ("f32", [[1.0, 2.0], [4.0, 4.0]]), ("f32", [[4.0, 4.0], [0.25, 1.0]]), ("i32", [2, 2])
    want = {"f": lu, "p": p, "i": ("i32", 0)}
    yield whole("lu_factor", {"a": a}, [("linalg_lu_factor_ex.default", {"A": N("a")}, outputs(want))], want)
    parts = {"p": ("f32", [[0.0, 1.0], [1.0, 0.0]]), "l": ("f32", [[1.0, 0.0], [0.25, 1.0]]), "u": ("f32", [[4.0, 4.0], [0.0, 1.0]])}
    yield whole("lu", {"a": a}, [("linalg_lu.default", {"A": N("a")}, outputs(parts))], parts)
    yield whole("lu_unpack", {"f": lu, "q": p}, [("lu_unpack.default", {"LU_data": N("f"), "LU_pivots": N("q")}, outputs(parts))], parts)
    tall = {"p": ("f32", [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]), "l": ("f32", [[1.0, 0.0], [0.5, 1.0], [0.25, 0.5]]), "u": ("f32", [[4.0, 0.0], [0.0, 4.0]])}
    yield whole("lu_tall", {"a": ("f32", [[1.0, 2.0], [2.0, 4.0], [4.0, 0.0]])}, [("linalg_lu.default", {"A": N("a")}, outputs(tall))], tall)
    of = {"f": lu, "q": p, "b": ("f32", [[5.0], [12.0]])}
    args = {"LU": N("f"), "pivots": N("q"), "B": N("b")}
    yield single("lu_solve", "linalg_lu_solve.default", of, args, ("f32", [[1.0], [2.0]]))
    yield single("lu_solve_far", "linalg_lu_solve.default", dict(of, b=("f32", [[math.inf, 5.0], [12.0, 12.0]])), args, ("f32", [[-math.inf, 1.0], [math.inf, 2.0]]))
    yield single("lu_solve_old", "lu_solve.default", of, {"self": N("b"), "LU_data": N("f"), "LU_pivots": N("q")}, ("f32", [[1.0], [2.0]]))
    yield single("lu_solve_adjoint", "linalg_lu_solve.default", dict(of, b=("f32", [[9.0], [10.0]])), dict(args, adjoint=True), ("f32", [[1.0], [2.0]]))
    yield single("lu_solve_right", "linalg_lu_solve.default", dict(of, b=("f32", [[9.0, 10.0]])), dict(args, left=False), ("f32", [[1.0, 2.0]]))


def integers():
    """Products of small integers wrap around: 100 * 100 + 3 * 4 is 10012, 28 in a byte."""
    for t, cube, square in (("u8", [[220, 123], [164, 165]], [[28, 59], [164, 37]]), ("i8", [[-36, 123], [-92, -91]], [[28, 59], [-92, 37]]), ("i16", [[19420, 31611], [-23388, 1445]], [[10012, 315], [420, 37]])):
        a = {"a": (t, [[100, 3], [4, 5]])}
        yield single("power_" + t, "linalg_matrix_power.default", a, {"self": N("a"), "n": 3}, (t, cube))
        yield single("products_" + t, "linalg_multi_dot.default", a, {"tensors": [N("a"), N("a")]}, (t, square))


def exponentials():
    """A turn, a nilpotent matrix, and one whose exponential is large."""
    turn = [[math.cos(3.0), math.sin(3.0)], [-math.sin(3.0), math.cos(3.0)]]
    of = {"a": ("f32", [[[0.0, 3.0], [-3.0, 0.0]], [[0.0, 100.0], [0.0, 0.0]], [[20.0, 0.0], [0.0, -20.0]]])}
    want = [turn, [[1.0, 100.0], [0.0, 1.0]], [[math.exp(20), 0.0], [0.0, math.exp(-20)]]]
    yield single("matrix_exp", "linalg_matrix_exp.default", of, {"self": N("a")}, ("f32", want), tolerance=1e-4)
    yield single("matrix_exp_double", "matrix_exp.default", {"a": ("f64", of["a"][1])}, {"self": N("a")}, ("f64", want), tolerance=1e-10)


def stacks():
    a = {"a": ("f32", [[[2.0, 0.0]], [[0.0, 4.0]]])}
    yield single("tensor_inverse", "linalg_tensorinv.default", a, {"self": N("a"), "ind": 1}, ("f32", [[[0.5, 0.0], [0.0, 0.25]]]))
    yield single("tensor_solve", "linalg_tensorsolve.default", dict(a, b=("f32", [6.0, 8.0])), {"self": N("a"), "other": N("b")}, ("f32", [[3.0, 2.0]]))
    yield single("tensor_solve_turned", "linalg_tensorsolve.default", {"a": ("f32", [[[2.0], [0.0]], [[1.0], [4.0]]]), "b": ("f32", [[6.0], [8.0]])},
                 {"self": N("a"), "other": N("b"), "dims": [0]}, ("f32", [2.0, 2.0]))


def segments():
    rows = ("f32", [[1.0, 2.0], [3.0, 4.0], [5.0, 0.0]])
    of = {"d": rows, "n": ("i64", [2, 0, 1])}
    for how, want in (("sum", [[4.0, 6.0], [0.0, 0.0], [5.0, 0.0]]), ("max", [[3.0, 4.0], [-INF, -INF], [5.0, 0.0]]), ("prod", [[3.0, 8.0], [1.0, 1.0], [5.0, 0.0]]),
                      ("mean", [[2.0, 3.0], [math.nan, math.nan], [5.0, 0.0]])):
        yield single("segments_" + how, "segment_reduce.default", of, {"data": N("d"), "reduce": how, "lengths": N("n")}, ("f32", want))
    at = {"d": rows, "s": ("i64", [0, 2, 2, 3])}
    yield single("segments_first", "segment_reduce.default", at, {"data": N("d"), "reduce": "mean", "offsets": N("s"), "initial": 2.0}, ("f32", [[3.0, 4.0], [2.0, 2.0], [7.0, 2.0]]))
    yield single("segments_least", "segment_reduce.default", at, {"data": N("d"), "reduce": "min", "offsets": N("s"), "initial": 2.5}, ("f32", [[1.0, 2.0], [2.5, 2.5], [2.5, 0.0]]))


def apart():
    x = [1.0, -0.75, 8.0, 0.0, INF, 2.0 ** -140]
    for t, v in (("f32", x), ("f64", x + [5e-324])):
        want = {"m": (t, [math.frexp(a)[0] for a in v]), "e": ("i32", [math.frexp(a)[1] for a in v])}
        yield whole("frexp_" + t, {"a": (t, v)}, [("frexp.Tensor", {"self": N("a")}, outputs(want))], want)
    yield whole("resized", {"a": ("f32", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])},
                [("mul.Tensor", {"self": N("a"), "other": 2.0}, ("b", "f32", [2, 3])), ("resize_.default", {"self": N("b"), "size": [2, 2]}, ("y", "f32", [2, 2]))],
                {"y": ("f32", [[2.0, 4.0], [6.0, 8.0]])})
    yield single("margin_labels", "multilabel_margin_loss.default", {"a": ("f32", [[0.5, 1.0, 0.25]]), "t": ("i64", [[1, -1, 0]])},
                 {"self": N("a"), "target": N("t"), "reduction": 1}, ("f32", (0.5 + 0.25) / 3))


def slopes():
    """Of x^2 at places that are not even, and at even ones."""
    x = [0.0, 1.0, 3.0, 4.0]
    y = ("f32", [v * v for v in x])
    line = {"a": y, "x": ("f32", x)}
    one = lambda v, shape: [(("y", "f32", shape),)]
    yield whole("gradient_uneven", line, [("gradient.tensorarrayint", {"self": N("a"), "spacing": [N("x")], "dim": 0}, one("y", [4]))], {"y": ("f32", [1.0, 2.0, 6.0, 7.0])})
    yield whole("gradient_edges", line, [("gradient.tensorarrayint", {"self": N("a"), "spacing": [N("x")], "dim": 0, "edge_order": 2}, one("y", [4]))],
                {"y": ("f32", [0.0, 2.0, 6.0, 8.0])})
    plane = {"a": ("i64", [[0, 1, 4], [10, 11, 14]])}
    yield whole("gradient_plane", plane, [("gradient.scalarrayint", {"self": N("a"), "spacing": [2.0, 0.5]}, [(("y", "f32", [2, 3]), ("z", "f32", [2, 3]))])],
                {"y": ("f32", [[5.0] * 3] * 2), "z": ("f32", [[2.0, 4.0, 6.0]] * 2)})
    yield whole("gradient_even", {"a": y}, [("gradient.scalarint", {"self": N("a"), "spacing": 2}, one("y", [4]))], {"y": ("f32", [0.5, 2.25, 3.75, 3.5])})


def backward():
    y, dy = [0.25, 0.75], [1.0, -2.0]
    dot = sum(a * b for a, b in zip(y, dy))
    args = {"grad_output": N("g"), "output": N("a"), "dim": 0}
    yield single("softmax_backward", "_softmax_backward_data.default", {"g": ("f32", dy), "a": ("f32", y)}, args, ("f32", [a * (b - dot) for a, b in zip(y, dy)]))
    logs = [math.log(v) for v in y]
    yield single("log_softmax_backward", "_log_softmax_backward_data.default", {"g": ("f32", dy), "a": ("f32", logs)}, args,
                 ("f32", [b - a * sum(dy) for a, b in zip(y, dy)]))


def factors():
    for family in (spectra, effects, triangles, integers, exponentials, stacks, segments, apart, slopes, backward):
        yield from family()
# SPDX-License-Identifier: Apache-2.0
