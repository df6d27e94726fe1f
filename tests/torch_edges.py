"""Cases where operators meet their edges: targets that are no class, poles, infinities, integers where most are floats,
sizes that the data decide. What they give is computed here from the operators' definitions."""
import math

from torch_pt2 import INF, Name, Sym, shape_of, single, whole

N = Name


def losses():
    both = {"a": ("f32", [0.5, 0.5, 2.0]), "t": ("f32", [1.0, -1.0, 0.0])}
    yield single("hinge_neither", "hinge_embedding_loss.default", both, {"self": N("a"), "target": N("t"), "margin": 3.0, "reduction": 0},
                 ("f32", [0.5, 2.5, 3.0]))
    of = {"a": ("i64", [[1, 2]]), "p": ("i64", [[1, 0]]), "n": ("i64", [[4, 2]])}
    yield single("triplet_int", "triplet_margin_loss.default", of, {"anchor": N("a"), "positive": N("p"), "negative": N("n"), "margin": 1.5},
                 ("f32", 0.5), tolerance=1e-4)
    yield single("pairwise_int", "pairwise_distance.default", of, {"x1": N("a"), "x2": N("n"), "p": 1.0}, ("f32", [3.0]), tolerance=1e-4)
    pair = {"a": ("i64", [[1, 0]]), "b": ("i64", [[1, 1]]), "t": ("i64", [1])}
    yield single("cosine_int", "cosine_embedding_loss.default", pair, {"input1": N("a"), "input2": N("b"), "target": N("t"), "reduction": 0},
                 ("f32", [1 - math.sqrt(0.5)]))
    yield single("cosine_no_target", "cosine_embedding_loss.default", {"a": ("f32", [[1.0], [1.0], [INF], [1.0]]), "b": ("f32", [[-1.0], [1.0], [1.0], [1.0]]), "t": ("f32", [1.0, -1.0, 0.0, math.nan])},
                 {"input1": N("a"), "input2": N("b"), "target": N("t"), "reduction": 0}, ("f32", [2.0, 1.0, 0.0, 0.0]))
    bytes_of = {"a": ("u8", [[5, 1]]), "p": ("u8", [[9, 1]]), "n": ("u8", [[4, 1]])}  # 5 - 9 is 252
    yield single("triplet_bytes", "triplet_margin_loss.default", bytes_of, {"anchor": N("a"), "positive": N("p"), "negative": N("n")}, ("f32", 252.0), tolerance=1e-4)
    bytes_of = {"a": ("u8", [[20, 3]]), "b": ("u8", [[2, 3]]), "t": ("i64", [1])}  # 400 is 144
    yield single("cosine_bytes", "cosine_embedding_loss.default", bytes_of, {"input1": N("a"), "input2": N("b"), "target": N("t"), "reduction": 0}, ("f32", [1 - 49 / math.sqrt(153 * 13)]))
    bytes_of = {"a": ("u8", [5, 6, 4]), "b": ("u8", [9, 3, 1])}
    yield single("trapezoid_bytes", "trapezoid.x", bytes_of, {"y": N("a"), "x": N("b")}, ("f32", 213.0))
    yield single("cumulative_bytes", "cumulative_trapezoid.dx", {"a": ("u8", [200, 100, 200])}, {"y": N("a"), "dx": 2.5}, ("f32", [55.0, 110.0]))
    stirling = lambda t: t * math.log(t) - t + math.log(2 * math.pi * t) / 2 if t > 1 else 0.0
    logs = [math.log(p) for p in (0.5, 0.25, 0.125, 0.125)]
    smooth = 0.6 * -logs[1] + 0.1 * -sum(logs)
    for name, target in (("hard", ("i64", [1])), ("soft", ("f32", [[0.0, 1.0, 0.0, 0.0]]))):  # of any number of classes
        yield single("smooth_" + name, "cross_entropy_loss.default", {"a": ("f32", [logs]), "t": target},
                     {"self": N("a"), "target": N("t"), "label_smoothing": 0.4}, ("f32", smooth), shapes={"a": [1, "s0"]})
    # rows that are ignored count nothing, whatever is in them
    far = {"a": ("f32", [[-INF, 1.0, 2.0], [math.nan] * 3, [0.0, 0.0, 0.0]]), "t": ("i64", [-100, -100, 1])}
    for name, target, args in (("ignored", "cross_entropy_loss", {}), ("ignored_smooth", "cross_entropy_loss", {"label_smoothing": 0.1})):
        yield single(name, target + ".default", far, dict({"self": N("a"), "target": N("t")}, **args), ("f32", math.log(3)))
    yield single("ignored_each", "nll_loss.default", far, {"self": N("a"), "target": N("t"), "reduction": 0}, ("f32", [0.0, 0.0, 0.0]))
    yield single("bincount_far", "bincount.default", {"a": ("i64", [0, 2, 1, 0]), "w": ("f32", [1.0, INF, 3.0, 4.0])}, {"self": N("a"), "weights": N("w")}, ("f32", [5.0, 3.0, INF]))
    x, t = [0.5, 1.0, 2.0], [0.0, 3.0, 1.0]
    yield single("poisson_full", "poisson_nll_loss.default", {"a": ("f32", x), "t": ("f32", t)},
                 {"input": N("a"), "target": N("t"), "log_input": True, "full": True, "eps": 1e-8, "reduction": 0},
                 ("f32", [math.exp(p) - q * p + stirling(q) for p, q in zip(x, t)]))


def bags():
    table = {"w": ("f32", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [3, 2], [2, 1], 0)}
    of = {"i": ("i64", [2, 0, 2, 1]), "s": ("i64", [0, 2])}
    args = {"weight": N("w"), "indices": N("i"), "offsets": N("s"), "padding_idx": -1}
    weights = {"w": ("f32", [1.0, 2.0, math.nan, INF, 5.0, 6.0], [3, 2], [2, 1], 0)}
    yield single("bag_padding_far", "embedding_bag.padding_idx", {"i": ("i64", [2, 0, 1, 2]), "s": ("i64", [0, 2])}, dict(args, padding_idx=1), ("f32", [[6.0, 8.0], [5.0, 6.0]]), weights=weights)
    yield single("bag_padding_from_end", "embedding_bag.padding_idx", of, args, ("f32", [[1.0, 2.0], [3.0, 4.0]]), weights=table)
    yield single("bag_no_padding", "_embedding_bag.default", of, args, ("f32", [[6.0, 8.0], [8.0, 10.0]]), weights=table)


def poles():
    at = ("f32", [0.0, -0.0, 1.0])
    yield single("digamma_zero", "digamma.default", {"a": at}, {"self": N("a")}, ("f32", [-INF, INF, -0.5772156649015329]))
    yield single("polygamma_zero", "polygamma.default", {"a": at}, {"self": N("a"), "n": 0}, ("f32", [-INF, INF, -0.5772156649015329]))
    pair = {"a": ("f32", [0.0, 0.0, 0.0, 1.0]), "b": ("f32", [1.0, 0.0, INF, 1.0])}
    yield single("igamma_zero", "igamma.default", pair, {"self": N("a"), "other": N("b")}, ("f32", [1.0, math.nan, 1.0, 1 - math.exp(-1)]))
    yield single("igammac_zero", "special_gammaincc.default", pair, {"self": N("a"), "other": N("b")}, ("f32", [0.0, math.nan, 0.0, math.exp(-1)]))
    yield single("zeta_poles", "special_zeta.default", {"a": ("f32", [2.0, 3.0, 3.0, 3.0]), "b": ("f32", [-1.0, 0.0, -2.0, 1.0])}, {"self": N("a"), "other": N("b")},
                 ("f32", [INF, INF, INF, 1.2020569]))
    yield single("polygamma_pole", "polygamma.default", {"a": ("i64", [0, 1])}, {"self": N("a"), "n": 2}, ("f32", [-INF, -2.4041138]))
    # to the nearest byte along each axis, from the last one on
    rows = [[0, 3], [0, 0]]
    yield single("bytes_wider", "upsample_bilinear2d.vec", {"a": ("u8", [[rows]])}, {"input": N("a"), "output_size": [2, 3], "align_corners": True, "scale_factors": None},
                 ("u8", [[[[0, 2, 3], [0, 0, 0]]]]))
    yield single("bytes_overshoot", "upsample_bicubic2d.vec", {"a": ("u8", [[[[0, 255, 255, 0]]]])}, {"input": N("a"), "output_size": [1, 3], "align_corners": True, "scale_factors": None},
                 ("u8", [[[[0, 255, 0]]]]))
    ends = {"a": ("f32", [-INF, INF, 1.0, -INF]), "b": ("f32", [-INF, INF, 1.0, 2.0])}
    yield single("logaddexp_ends", "logaddexp.default", ends, {"self": N("a"), "other": N("b")}, ("f32", [-INF, INF, 1 + math.log(2), 2.0]))
    yield single("logaddexp2_ends", "logaddexp2.default", ends, {"self": N("a"), "other": N("b")}, ("f32", [-INF, INF, 2.0, 2.0]))
    yield single("vander_number", "linalg_vander.default", {"a": ("f32", 3.0)}, {"x": N("a"), "N": 3}, ("f32", [[1.0, 3.0, 9.0]]))
    yield single("factor_and_size", "upsample_nearest1d.default", {"a": ("f32", [[[1.0, 2.0, 3.0]]])}, {"self": N("a"), "output_size": [4], "scales": 2.0},
                 ("f32", [[[1.0, 1.0, 2.0, 2.0]]]))


def nothing():
    """Attention of rows that see nothing gives 0, and what is no number stays what it is."""
    nan = math.nan
    q = ("f32", [[[[1.0, 0.0], [0.0, 1.0]]]])
    e = math.exp(1 / math.sqrt(2))
    seen = [[e / (e + 1), 1 / (e + 1)], [0.0, 0.0]]
    args = {"query": N("q"), "key": N("q"), "value": N("q"), "attn_mask": N("m")}
    for name, mask in (("attention_nobody", ("bool", [[True, True], [False, False]])), ("attention_nobody_shift", ("f32", [[0.0, 0.0], [-INF, -INF]]))):
        yield single(name, "scaled_dot_product_attention.default", {"q": q, "m": mask}, args, ("f32", [[seen]]))
    yield single("safe_softmax", "_safe_softmax.default", {"a": ("f32", [[0.0, -INF], [-INF, -INF]])}, {"self": N("a"), "dim": 1}, ("f32", [[1.0, 0.0], [0.0, 0.0]]))
    for t in ("f32", "f64", "f16"):  # 1 / 0.1 is 9 and a rest, as in Python; an infinite number has no remainder
        pairs = {"a": (t, [7.0, -7.0, 3.0, INF, -3.0, 3.0, 1.0, 0.0]), "b": (t, [2.0, 2.0, -INF, 2.0, -INF, INF, 0.0, 0.0])}
        yield single("floor_divide_" + t, "floor_divide.default", pairs, {"self": N("a"), "other": N("b")}, (t, [3.0, -4.0, -1.0, nan, 0.0, 0.0, INF, nan]))
    yield single("floor_tenth", "div.Tensor_mode", {"a": ("f64", [1.0, 0.7, -1.0, 1e6])}, {"self": N("a"), "other": 0.1, "rounding_mode": "floor"}, ("f64", [9.0, 6.0, -10.0, 9999999.0]))
    ends = {"a": ("f32", [-INF, 3.0, -INF]), "b": ("f32", [2.0, 2.0, 2.0]), "c": ("f32", [0.75, 0.25, 0.25])}
    yield single("lerp_far", "lerp.Tensor", ends, {"self": N("a"), "end": N("b"), "weight": N("c")}, ("f32", [-INF, 2.75, nan]))
    yield single("lerp_number_far", "lerp.Scalar", ends, {"self": N("a"), "end": N("b"), "weight": 0.75}, ("f32", [-INF, 2.25, -INF]))
    x = ("f32", [nan, 1.0, -1.0])
    for name, target, more, want in (("heaviside", "heaviside.default", {"values": N("v")}, [0.0, 1.0, 0.0]), ("threshold", "threshold.default", {"threshold": 0.5, "value": 2.0}, [nan, 1.0, 2.0]),
                                     ("softshrink", "softshrink.default", {"lambd": 0.5}, [nan, 0.5, -0.5]), ("angle", "angle.default", {}, [nan, 0.0, math.pi])):
        given = {"a": x, "v": ("f32", 0.5)} if "values" in more else {"a": x}
        yield single(name + "_nan", target, given, dict({"self": N("a")}, **more), ("f32", want))
    want = {"y": ("f32", [1.0, nan, nan, nan]), "i": ("i64", [0, 1, 1, 3])}
    made = [(n, t, shape_of(v)) for n, (t, v) in want.items()]
    yield whole("cummax_nan", {"a": ("f32", [1.0, nan, 3.0, nan])}, [("cummax.default", {"self": N("a"), "dim": 0}, made)], want)
    yield single("multi_margin_nan", "multi_margin_loss.default", {"a": ("f32", [[0.5, nan, 1.0]]), "t": ("i64", [0])}, {"self": N("a"), "target": N("t"), "reduction": 2}, ("f32", 0.5))
    yield single("multi_margin_number", "multi_margin_loss.default", {"a": ("f32", 0.5), "t": ("i64", 0)}, {"self": N("a"), "target": N("t"), "reduction": 2}, ("f32", 0.0))


def names():
    """A buffer with the name of an input, one that is changed, and one with the name of a result made before it is read."""
    weights = {k: ("f32", [v], [1], [1], 0) for k, v in (("b_x", 1.0), ("b_s", 2.0), ("u", 4.0))}
    yield whole("one_name_for_many", {"w.b_x": ("f32", [8.0]), "w.b_s": ("f32", [16.0])},
                [("add.Tensor", {"self": N("w.b_x"), "other": N("b_x")}, ("w.u", "f32", [1])),
                 ("add_.Tensor", {"self": N("b_s"), "other": N("w.b_s")}, ("t", "f32", [1])),
                 ("mul.Tensor", {"self": N("w.u"), "other": N("u")}, ("y", "f32", [1]))],
                {"y": ("f32", [36.0]), "t": ("f32", [18.0]), "w.b_s.new": ("f32", [18.0])}, weights=weights)


def batches():
    """A range that begins with 2 stands for any size: torch.export's programs run with one item, too."""
    for name, rows in (("one_item", [[1.0, 2.0]]), ("three_items", [[1.0, 2.0]] * 3)):
        yield single(name, "sum.dim_IntList", {"a": ("f32", rows)}, {"self": N("a"), "dim": [1]}, ("f32", [3.0] * len(rows)),
                     shapes={"a": ["s0", 2]}, ranges={"s0": {"min_val": 2, "max_val": None}})


def pools():
    """Windows over an axis whose length the input decides: [0,2) [1,4) [3,5) of five elements."""
    line = [[1.0, 7.0, 3.0, 4.0, 4.0]]
    of = dict(shapes={"a": [1, "s0"]}, ranges={"s0": {"min_val": 2, "max_val": None}})
    args = {"self": N("a"), "output_size": [3]}
    yield single("adaptive_avg_dynamic", "adaptive_avg_pool1d.default", {"a": ("f32", line)}, args, ("f32", [[4.0, 14 / 3, 4.0]]), **of)
    # what stands outside of a window, infinite or NaN, is no part of its mean
    far, line3 = ("f32", [[1.0, 7.0, 3.0, 4.0, INF], [math.nan, 7.0, 3.0, 4.0, 4.0]]), [[4.0, 14 / 3, INF], [math.nan, 14 / 3, 4.0]]
    yield single("adaptive_avg_far", "adaptive_avg_pool1d.default", {"a": far}, args, ("f32", line3))
    yield single("adaptive_avg_far_dynamic", "adaptive_avg_pool1d.default", {"a": far}, args, ("f32", line3), shapes={"a": [2, "s0"]}, ranges=of["ranges"])
    pair = [("y", "f32", [1, 3]), ("i", "i64", [1, 3])]
    yield whole("adaptive_max_dynamic", {"a": ("f32", line)}, [("adaptive_max_pool1d.default", args, pair)],
                {"y": ("f32", [[7.0, 7.0, 4.0]]), "i": ("i64", [[1, 1, 3]])}, **of)
    yield whole("adaptive_half", {"a": ("f32", line)},
                [("sym_size.int", {"self": N("a"), "dim": 1}, ("sym", "s")), ("_operator.floordiv", {"a": Sym("s"), "b": 2}, ("sym", "h")),
                 ("adaptive_avg_pool1d.default", {"self": N("a"), "output_size": [Sym("h")]}, ("y", "f32", [1, "q"]))],
                {"y": ("f32", [[11 / 3, 11 / 3]])}, **of)
    # neither the axis nor the number of windows is known, nor has a name
    yield whole("adaptive_unknown", {"a": ("f32", line), "n": ("i64", [4, 1]), "m": ("i64", 2)},
                [("unbind.int", {"self": N("n")}, [(("p", "i64", []), ("q", "i64", []))]),
                 ("item.default", {"self": N("p")}, ("sym", "u")), ("item.default", {"self": N("q")}, ("sym", "v")), ("item.default", {"self": N("m")}, ("sym", "k")),
                 ("split_with_sizes.default", {"self": N("a"), "split_sizes": [Sym("u"), Sym("v")], "dim": 1}, [(("b", "f32", [1, "s1"]), ("c", "f32", [1, "s2"]))]),
                 ("adaptive_avg_pool1d.default", {"self": N("b"), "output_size": [Sym("k")]}, ("y", "f32", [1, "s3"]))],
                {"y": ("f32", [[4.0, 3.5]])})
    group = {"input": N("b"), "N": 0, "C": 2, "HxW": 1, "group": 2, "eps": 1e-5}
    yield whole("group_norm_of_nothing", {"a": ("f32", [[]])}, [("reshape.default", {"self": N("a"), "shape": [0, 2, 1]}, ("b", "f32", [0, 2, 1])),
                ("native_group_norm.default", group, [("y", "f32", [0, 2, 1]), ("m", "f32", [0, 2]), ("r", "f32", [0, 2])]), ("sum.default", {"self": N("r")}, ("s", "f32", []))], {"s": ("f32", 0.0)})
    # the divisor may be negative
    yield single("avg_pool_negative", "avg_pool2d.default", {"a": ("f32", [[[[1.0, 2.0], [3.0, 6.0]]]])}, {"self": N("a"), "kernel_size": [2, 2], "divisor_override": -2}, ("f32", [[[[-6.0]]]]))
    plane = [[[[1.0, 5.0, 5.0], [5.0, 2.0, 0.0], [3.0, 8.0, 8.0]]]]
    pair = [("y", "f32", [1, 1, 2, 2]), ("i", "i64", [1, 1, 2, 2])]
    yield whole("adaptive_plane_places", {"a": ("f32", plane)}, [("adaptive_max_pool2d.default", {"self": N("a"), "output_size": [2, 2]}, pair)],
                {"y": ("f32", [[[[5.0, 5.0], [8.0, 8.0]]]]), "i": ("i64", [[[[1, 1], [7, 7]]]])})


def recurrent():
    """An LSTM of one element with a projection, both directions, two steps of a length that the input decides."""
    sig = lambda x: 1 / (1 + math.exp(-x))
    w, u, p = [0.5, -1.0, 0.25, 2.0], [1.0, 0.5, -0.5, 0.25], 2.0

    def way(xs, h, c):
        ys = []
        for x in xs:
            i, f, g, q = (x * a + h * b for a, b in zip(w, u))
            c = sig(f) * c + sig(i) * math.tanh(g)
            h = p * sig(q) * math.tanh(c)
            ys.append(h)
        return ys, c

    xs = [1.0, -2.0]
    (there, c0), (back, c1) = way(xs, 3.0, 4.0), way(xs[::-1], 5.0, 6.0)
    weights = {"w": ("f32", w, [4, 1], [1, 1], 0), "u": ("f32", u, [4, 1], [1, 1], 0), "p": ("f32", [p], [1, 1], [1, 1], 0)}
    one = [N("w"), N("u"), N("p")]
    of = {"x": ("f32", [[[x]] for x in xs]), "h": ("f32", [[[3.0]], [[5.0]]]), "c": ("f32", [[[4.0]], [[6.0]]])}
    args = {"input": N("x"), "hx": [N("h"), N("c")], "params": one * 2, "has_biases": False, "num_layers": 1, "bidirectional": True}
    want = {"y": ("f32", [[[a, b]] for a, b in zip(there, back[::-1])]), "z": ("f32", [[[there[-1]]], [[back[-1]]]]), "q": ("f32", [[[c0]], [[c1]]])}
    made = [(n, t, shape_of(v)) for n, (t, v) in want.items()]
    yield whole("lstm_projected", of, [("lstm.input", args, made)], want, weights=weights, shapes={"x": ["s0", 1, 1]})


def cuts():
    """Pieces and repeats whose sizes the data decide, chunks that are filled up, and copies where others are views."""
    of = {"a": ("f32", [1.0, 2.0, 3.0]), "n": ("i64", [2, 1])}
    yield whole("split_by_data", of,
                [("unbind.int", {"self": N("n")}, [(("p", "i64", []), ("q", "i64", []))]),
                 ("item.default", {"self": N("p")}, ("sym", "u")), ("item.default", {"self": N("q")}, ("sym", "v")),
                 ("split_with_sizes.default", {"self": N("a"), "split_sizes": [Sym("u"), Sym("v")]}, [(("y", "f32", ["s1"]), ("z", "f32", ["s2"]))])],
                {"y": ("f32", [1.0, 2.0]), "z": ("f32", [3.0])})
    yield whole("chunk_dynamic", {"a": ("f32", [1.0, 2.0, 3.0])},
                [("chunk.default", {"self": N("a"), "chunks": 2}, [(("y", "f32", ["s1"]), ("z", "f32", ["s2"]))])],
                {"y": ("f32", [1.0, 2.0]), "z": ("f32", [3.0])}, shapes={"a": ["s0"]}, ranges={"s0": {"min_val": 2, "max_val": 9}})
    five = {"a": ("f32", [1.0, 2.0, 3.0, 4.0, 5.0])}
    unknown = dict(shapes={"a": ["s0"]}, ranges={"s0": {"min_val": 2, "max_val": 9}})
    yield whole("sections_dynamic", five, [("tensor_split.sections", {"self": N("a"), "sections": 2}, [(("y", "f32", ["s1"]), ("z", "f32", ["s2"]))])],
                {"y": ("f32", [1.0, 2.0, 3.0]), "z": ("f32", [4.0, 5.0])}, **unknown)
    yield whole("cuts_going_back", five, [("tensor_split.indices", {"self": N("a"), "indices": [3, 1]}, [(("y", "f32", ["s1"]), ("z", "f32", ["s2"]), ("x", "f32", ["s3"]))])],
                {"y": ("f32", [1.0, 2.0, 3.0]), "x": ("f32", [2.0, 3.0, 4.0, 5.0])})
    yield single("repeat_places", "repeat_interleave.Tensor", {"n": ("i64", [2, 0, 1])}, {"repeats": N("n")}, ("i64", [0, 0, 2]))
    rows = {"a": ("f32", [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), "b": ("f32", [7.0])}
    yield single("chunk_cat", "_chunk_cat.default", rows, {"tensors": [N("a"), N("b")], "dim": 0, "num_chunks": 2},
                 ("f32", [[1.0, 2.0, 3.0, 4.0, 7.0], [5.0, 6.0, 0.0, 0.0, 0.0]]))
    yield single("t_copy", "t_copy.default", {"a": ("f32", [[1.0, 2.0]])}, {"self": N("a")}, ("f32", [[1.0], [2.0]]))
    yield single("transpose_copy", "transpose_copy.int", {"a": ("f32", [[1.0, 2.0]])}, {"self": N("a"), "dim0": 0, "dim1": 1}, ("f32", [[1.0], [2.0]]))
    yield whole("unbind_copy", {"a": ("f32", [1.0, 2.0])}, [("unbind_copy.int", {"self": N("a")}, [(("y", "f32", []), ("z", "f32", []))])],
                {"y": ("f32", 1.0), "z": ("f32", 2.0)})


def updates():
    """Batch norms that move their statistics: half of the old and half of the new, of which the variance is unbiased."""
    of = {"a": ("f32", [[1.0], [3.0]]), "m": ("f32", [4.0]), "v": ("f32", [8.0])}
    args = {"input": N("a"), "weight": None, "bias": None, "running_mean": N("m"), "running_var": N("v"), "momentum": 0.5, "eps": 3.0}
    want = {"y": ("f32", [[-0.5], [0.5]]), "s": ("f32", [2.0]), "r": ("f32", [0.5]), "e": ("u8", []), "p": ("f32", [3.0]), "q": ("f32", [5.0])}
    made = [(n, t, shape_of(x) if n != "e" else [0]) for n, (t, x) in want.items()]
    yield whole("batch_norm_update", of, [("_batch_norm_with_update_functional.default", args, made)], want)
    yield whole("batch_norm_no_update", of, [("_batch_norm_no_update.default", args, made[:1])],
                {"y": ("f32", [[-3 / math.sqrt(11)], [-1 / math.sqrt(11)]])})


def edges():
    for family in (losses, bags, poles, nothing, names, batches, pools, recurrent, cuts, updates):
        yield from family()
# SPDX-License-Identifier: Apache-2.0
