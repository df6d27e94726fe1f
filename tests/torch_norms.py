"""Cases of norms, distances, orders and runs: each from its definition."""
import math

from torch_pt2 import INF, Name, shape_of, single, whole

N = Name


def norms():
    m = ("f32", [[3.0, 0.0], [0.0, -4.0], [0.0, 0.0]])  # singular values 4 and 3
    for name, target, order, want in (("norm_nuclear", "linalg_matrix_norm.str_ord", "nuc", 7.0), ("norm_spectral", "linalg_matrix_norm.default", 2, 4.0),
                                      ("norm_smallest", "linalg_matrix_norm.default", -2, 3.0)):
        yield single(name, target, {"a": m}, {"self": N("a"), "ord": order, "dim": [-2, -1]}, ("f32", want))
    stack = [[row] for row in m[1]]
    yield single("norm_nuclear_kept", "linalg_matrix_norm.str_ord", {"a": ("f32", stack)}, {"self": N("a"), "ord": "nuc", "dim": [2, 0], "keepdim": True}, ("f32", [[[7.0]]]))
    large = {"a": ("f32", [3e38, 0.0, INF, -3e30]), "b": ("f32", [1.0, 0.0, -INF, 4e30])}
    yield single("hypot_large", "hypot.default", large, {"self": N("a"), "other": N("b")}, ("f32", [3e38, 0.0, INF, 5e30]), tolerance=1e-6)
    yield single("logit_wide", "logit.default", {"a": ("f32", [0.2, 0.5, 0.9])}, {"self": N("a"), "eps": 0.6}, ("f32", [math.log(1.5), math.log(1.5), -math.log(1.5)]))
    # 41^3 is beyond the numbers of half precision, the norm is not
    yield single("norm_half", "linalg_vector_norm.default", {"a": ("f16", [41.0, 41.0])}, {"self": N("a"), "ord": 3.0}, ("f16", 41 * 2 ** (1 / 3)), tolerance=1e-3)


def distances():
    of = {"a": ("f32", [[1.0, -2.0]]), "b": ("f32", [[4.0, 2.0]])}
    for name, p, want in (("pairwise_largest", INF, 4.0), ("pairwise_smallest", -INF, 3.0), ("pairwise_cubed", 3.0, 91 ** (1 / 3))):
        yield single(name, "pairwise_distance.default", of, {"x1": N("a"), "x2": N("b"), "p": p, "eps": 0.0}, ("f32", [want]))
    bytes_ = {"a": ("u8", [[1, 5]]), "b": ("u8", [[2, 5]])}
    yield single("pairwise_bytes", "pairwise_distance.default", bytes_, {"x1": N("a"), "x2": N("b"), "eps": 0.0}, ("f32", [255.0]))
    lists = {"a": ("f32", [[1.0, -2.0]]), "b": ("f32", [[4.0, 2.0], [1.0, 1.0]])}
    yield single("cdist_largest", "cdist.default", lists, {"x1": N("a"), "x2": N("b"), "p": INF}, ("f32", [[4.0, 3.0]]))
    # both are three long along the axis, although one of them is written once
    wide = {"a": ("f32", [[1.0], [2.0], [2.0]]), "b": ("f32", [[1.0]])}
    yield single("cosine_broadcast", "cosine_similarity.default", wide, {"x1": N("a"), "x2": N("b"), "dim": 0}, ("f32", [5 / (3 * math.sqrt(3))]), tolerance=1e-4)
    yield single("cosine_number", "cosine_similarity.default", {"a": ("f32", 2.0), "b": ("f32", -3.0)}, {"x1": N("a"), "x2": N("b"), "dim": -1}, ("f32", -1.0))


def products():
    of = {"a": ("f32", [[1.0, 2.0], [3.0, 4.0]]), "b": ("f32", [[5.0, 6.0], [7.0, 8.0]])}
    yield single("inner_rows", "inner.default", of, {"self": N("a"), "other": N("b")}, ("f32", [[17.0, 23.0], [39.0, 53.0]]))
    deep = {"a": ("f32", [[[1.0, 2.0]], [[3.0, 4.0]]]), "b": ("f32", [5.0, 6.0])}
    yield single("inner_deep", "inner.default", deep, {"self": N("a"), "other": N("b")}, ("f32", [[17.0], [39.0]]))
    yield single("inner_number", "inner.default", {"a": ("i64", [1, 2]), "b": ("i64", 3)}, {"self": N("a"), "other": N("b")}, ("i64", [3, 6]))


def running():
    """The sum so far does not vanish beside what comes later."""
    x = [-200.0, -1.0, 0.0, 100.0]
    want = [math.log(sum(math.exp(v) for v in x[:i + 1])) for i in range(4)]
    for t in ("f32", "f64"):
        yield single("logcumsumexp_far_" + t, "logcumsumexp.default", {"a": (t, [x, x])}, {"self": N("a"), "dim": 1}, (t, [want, want]), tolerance=1e-5)
    ends = [-INF, 1.0]
    yield single("logcumsumexp_none", "logcumsumexp.default", {"a": ("f64", ends)}, {"self": N("a"), "dim": 0}, ("f64", ends))
    yield single("logcumsumexp_number", "logcumsumexp.default", {"a": ("f32", 3.0)}, {"self": N("a"), "dim": 0}, ("f32", 3.0))


def orders():
    of = {"s": ("f32", [3.0, 1.0, 5.0]), "o": ("i64", [1, 0, 2]), "v": ("f32", [0.0, 3.0, 9.0])}
    yield single("searchsorted_sorter", "searchsorted.Tensor", of, {"sorted_sequence": N("s"), "self": N("v"), "right": True, "sorter": N("o")}, ("i64", [0, 2, 3]))
    nan = math.nan
    yield single("searchsorted_nan", "searchsorted.Tensor", {"s": ("f32", [0.0, 1.0, 2.5]), "v": ("f32", [nan, 1.0])}, {"sorted_sequence": N("s"), "self": N("v")}, ("i64", [3, 1]))
    lanes = {"a": ("f32", [[nan, 1.0, 2.0], [4.0, nan, nan], [1.0, 5.0, 3.0]]), "q": ("f32", [0.5, 1.0])}
    for how, low in (("linear", 1.5), ("higher", 2.0), ("midpoint", 1.5)):
        yield single("nanquantile_" + how, "nanquantile.default", lanes, {"self": N("a"), "q": N("q"), "dim": 1, "interpolation": how},
                     ("f32", [[low, 4.0, 3.0], [2.0, 4.0, 5.0]]))
    yield single("nanmedian_dynamic", "nanmedian.default", {"a": ("f32", [4.0, 1.0, 3.0])}, {"self": N("a")}, ("f32", 3.0), shapes={"a": ["s0"]})
    want = {"y": ("f32", [nan, 2.0]), "i": ("i64", [1, 2])}
    made = [(n, t, shape_of(v)) for n, (t, v) in want.items()]
    yield whole("median_none", {"a": ("f32", [[1.0, nan, 3.0, nan], [4.0, 9.0, 2.0, 1.0]])}, [("median.dim", {"self": N("a"), "dim": 1}, made)], want, shapes={"a": [2, "s0"]})
    yield single("var_of_two", "var.correction", {"a": ("f32", [1.0, 2.0])}, {"self": N("a"), "dim": [0], "correction": 3}, ("f32", INF), shapes={"a": ["s0"]})
    yield single("histc_single", "histc.default", {"a": ("f32", [2.0, 2.0])}, {"self": N("a"), "bins": 4}, ("f32", [0.0, 0.0, 2.0, 0.0]))
    yield single("msort_truth", "msort.default", {"a": ("bool", [True, False])}, {"self": N("a")}, ("bool", [False, True]))
    rows = {"a": ("i64", [[1, 2], [1, 2], [3, 2], [1, 2]])}
    want = {"y": ("i64", [[1, 2], [3, 2], [1, 2]]), "i": ("i64", [0, 0, 1, 2]), "n": ("i64", [2, 1, 1])}
    made = [(n, t, ["s0", 2] if n == "y" else ["s0"] if n == "n" else shape_of(v)) for n, (t, v) in want.items()]
    yield whole("runs_of_rows", rows, [("unique_consecutive.default", {"self": N("a"), "return_inverse": True, "return_counts": True, "dim": 0}, made)], want)


def settings():
    """What only training would change."""
    of = {"a": ("f32", [-2.0, 4.0]), "z": ("f32", [1.0, 1.0])}
    args = {"self": N("a"), "noise": N("z"), "lower": 0.1, "upper": 0.3, "training": False}
    yield whole("rrelu_noise", of, [("rrelu_with_noise_functional.default", args, [("y", "f32", [2]), ("n", "f32", [2])])],
                {"y": ("f32", [-0.4, 4.0]), "n": of["z"]})
    yield single("feature_dropout", "feature_alpha_dropout.default", {"a": of["a"]}, {"input": N("a"), "p": 0.5, "train": False}, of["a"])
    table = {"a": ("f32", [[3.0, 4.0], [6.0, 8.0], [0.3, 0.4]]), "i": ("i64", [[0, 2]])}
    yield single("embedding_renorm", "embedding_renorm.default", table, {"self": N("a"), "indices": N("i"), "max_norm": 1.0, "norm_type": 2.0},
                 ("f32", [[0.6, 0.8], [6.0, 8.0], [0.3, 0.4]]), tolerance=1e-6)


def measures():
    for family in (norms, distances, products, running, orders, settings):
        yield from family()
# SPDX-License-Identifier: Apache-2.0
