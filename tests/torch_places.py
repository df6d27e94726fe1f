"""Cases of what is read and written at places: scatter and its like with numbers for tensors, means, parts of flat
tensors, windows, masks, and transforms of numbers whose other half is understood. Computed from the definitions."""
import cmath
import math

from torch_pt2 import Name, Sym, shape_of, single, whole

N = Name


def numbers():
    """A number is written to as a vector of one element."""
    zero, of = ("i64", 0), {"self": N("a"), "dim": 0, "index": N("i")}
    args = {"a": ("f32", 3.0), "i": zero, "s": ("f32", 4.0)}
    for name, target, more, want in (("index_add_number", "index_add.default", {"source": N("s"), "alpha": 2}, 11.0),
                                     ("index_copy_number", "index_copy.default", {"source": N("s")}, 4.0),
                                     ("index_reduce_number", "index_reduce.default", {"source": N("s"), "reduce": "prod"}, 12.0),
                                     ("scatter_add_number", "scatter_add.default", {"src": N("s")}, 7.0),
                                     ("scatter_reduce_number", "scatter_reduce.two", {"src": N("s"), "reduce": "amin"}, 3.0),
                                     ("scatter_value_number", "scatter.value", {"value": 9.0}, 9.0)):
        given = args if "value" not in more else {k: v for k, v in args.items() if k != "s"}
        yield single(name, target, given, dict(of, **more), ("f32", want))
    yield single("index_fill_number", "index_fill.int_Scalar", {"a": ("f32", 3.0), "i": ("i64", [0])}, dict(of, value=5.0), ("f32", 5.0))
    byte = {"a": ("u8", [3, 4]), "i": ("i64", [1]), "s": ("u8", [1])}
    yield single("index_add_byte", "index_add.default", byte, dict(of, source=N("s"), alpha=-1), ("u8", [3, 3]))
    line = {"a": ("f32", [1.0, 2.0]), "i": ("i64", 1), "s": ("f32", 4.0)}
    yield single("scatter_one", "scatter.src", line, dict(of, src=N("s")), ("f32", [1.0, 4.0]))
    yield single("index_add_one", "index_add.default", line, dict(of, source=N("s")), ("f32", [1.0, 6.0]))
    pick = {"a": ("f32", [1.0, 2.0]), "i": ("i64", 1)}
    yield single("gather_one", "gather.default", pick, of, ("f32", 2.0))
    yield single("take_along_wide", "take_along_dim.default", {"a": ("f32", [[1.0, 2.0], [3.0, 4.0]]), "i": ("i64", [[1, 0, 1]])},
                 {"self": N("a"), "indices": N("i"), "dim": 1}, ("f32", [[2.0, 1.0, 2.0], [4.0, 3.0, 4.0]]))
    yield single("gather_nothing", "gather.default", {"a": ("f32", [1.0, 2.0]), "i": ("i64", [[]])}, of, ("f32", [[]]))


def means():
    at, of = ("i64", [0, 0, 2]), {"self": N("a"), "dim": 0, "index": N("i")}
    a, s = ("f32", [1.0, 2.0, 3.0]), ("f32", [4.0, 7.0, 5.0])
    yield single("scatter_mean", "scatter_reduce.two", {"a": a, "i": at, "s": s}, dict(of, src=N("s"), reduce="mean"), ("f32", [4.0, 2.0, 4.0]))
    yield single("index_mean_others", "index_reduce.default", {"a": a, "i": at, "s": s}, dict(of, source=N("s"), reduce="mean", include_self=False),
                 ("f32", [5.5, 2.0, 5.0]))
    whole_numbers = {"a": ("i64", [1, 2, 3]), "i": at, "s": ("i64", [-4, -7, 5])}
    yield single("index_mean_int", "index_reduce.default", whole_numbers, dict(of, source=N("s"), reduce="mean"), ("i64", [-4, 2, 4]))
    yield single("index_prod_others", "index_reduce.default", {"a": a, "i": at, "s": s}, dict(of, source=N("s"), reduce="prod", include_self=False),
                 ("f32", [28.0, 2.0, 5.0]))
    yield single("index_amax_others", "index_reduce.default", {"a": a, "i": at, "s": ("f32", [-4.0, -7.0, -5.0])},
                 dict(of, source=N("s"), reduce="amax", include_self=False), ("f32", [-4.0, 2.0, -5.0]))


def unnamed():
    """Sizes that the data decide and that have no name may differ: of a source, the part as long as the index is written."""
    of = {"a": ("f32", [0.0, 0.0, 0.0]), "n": ("i64", [1, 2]), "i": ("i64", [2, 1, 0]), "s": ("f32", [5.0, 6.0, 7.0])}
    cut = lambda v, t: ("split_with_sizes.default", {"self": N(v), "split_sizes": [Sym("u"), Sym("v")]},
                        [((v + "1", t, ["d" + v]), (v + "2", t, ["e" + v]))])
    nodes = [("unbind.int", {"self": N("n")}, [(("p", "i64", []), ("q", "i64", []))]), ("item.default", {"self": N("p")}, ("sym", "u")),
             ("item.default", {"self": N("q")}, ("sym", "v")), cut("i", "i64"), cut("s", "f32")]
    yield whole("scatter_unnamed", of, nodes + [("scatter.src", {"self": N("a"), "dim": 0, "index": N("i1"), "src": N("s2")}, ("y", "f32", [3]))],
                {"y": ("f32", [0.0, 0.0, 6.0])})
    yield whole("index_add_by_size", {k: of[k] for k in "as"},
                [("sym_size.int", {"self": N("s"), "dim": 0}, ("sym", "u")), ("arange.default", {"end": Sym("u")}, ("i", "i64", ["s0"])),
                 ("index_add.default", {"self": N("a"), "dim": 0, "index": N("i"), "source": N("s"), "alpha": Sym("u")}, ("y", "f32", [3]))],
                {"y": ("f32", [15.0, 18.0, 21.0])}, shapes={"s": ["s0"]})
    # B [v, v] beside A [u, v, v] is one matrix for all, or would be vectors if v were u
    of = {"a": ("f32", [[[2.0, 0.0], [0.0, 4.0]]]), "b": ("f32", [[2.0, 4.0], [4.0, 8.0]]), "n": ("i64", [1, 2])}
    nodes = nodes[:3] + [("split_with_sizes.default", {"self": N("a"), "split_sizes": [Sym("u")]}, [(("a1", "f32", ["da", 2, 2]),)]),
              ("split_with_sizes.default", {"self": N("b"), "split_sizes": [Sym("v")]}, [(("b1", "f32", ["db", 2]),)])]
    yield whole("solve_unnamed", of, nodes + [("linalg_solve.default", {"A": N("a1"), "B": N("b1")}, ("y", "f32", ["da", 2, 2]))],
                {"y": ("f32", [[[1.0, 2.0], [1.0, 2.0]]])})


def flat():
    a = ("f32", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    of = {"a": a, "i": ("i64", [[-1], [1]]), "s": ("f32", [7.0, 8.0])}
    put = {"self": N("a"), "index": N("i"), "source": N("s")}
    yield single("put", "put.default", of, put, ("f32", [[1.0, 8.0, 3.0], [4.0, 5.0, 7.0]]))
    yield single("put_added", "put.default", dict(of, i=("i64", [2, 2])), dict(put, accumulate=True), ("f32", [[1.0, 2.0, 18.0], [4.0, 5.0, 6.0]]))
    yield single("strided_scatter", "as_strided_scatter.default", {"a": a, "s": ("f32", [7.0, 8.0])},
                 {"self": N("a"), "src": N("s"), "size": [2], "stride": [2], "storage_offset": 1}, ("f32", [[1.0, 7.0, 3.0], [8.0, 5.0, 6.0]]))
    yield single("diagflat", "diagflat.default", {"a": ("f32", [[1.0], [2.0]])}, {"self": N("a"), "offset": -1},
                 ("f32", [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]))


def masks():
    a = ("f32", [1.0, 0.0, 3.0])
    yield single("nonzero_more", "nonzero_static.default", {"a": a}, {"self": N("a"), "size": 3, "fill_value": -2}, ("i64", [[0], [2], [-2]]))
    yield single("nonzero_less", "nonzero_static.default", {"a": a}, {"self": N("a"), "size": 1}, ("i64", [[0]]))
    yield whole("nonzero_number", {"a": ("f32", 2.0)}, [("nonzero_numpy.default", {"self": N("a")}, [(("y", "i64", ["s0"]),)])], {"y": ("i64", [0])})
    of = {"a": a, "m": ("bool", [True, False, True]), "i": ("i64", [-1, 9, 0]), "s": ("f32", [5.0, 6.0, 7.0])}
    yield single("masked_index", "_unsafe_masked_index.default", {k: of[k] for k in "ami"},
                 {"self": N("a"), "mask": N("m"), "indices": [N("i")], "fill": 8.0}, ("f32", [3.0, 8.0, 1.0]))
    yield single("masked_put", "_unsafe_masked_index_put_accumulate.default", of,
                 {"self": N("a"), "mask": N("m"), "indices": [N("i")], "values": N("s")}, ("f32", [8.0, 0.0, 8.0]))


def windows():
    yield single("unfold_number", "unfold.default", {"a": ("f32", 2.0)}, {"self": N("a"), "dimension": 0, "size": 1, "step": 1}, ("f32", [2.0]))
    line = [[1.0, 2.0, 3.0, 4.0, 5.0]]
    yield single("unfold_dynamic", "unfold.default", {"a": ("f32", line)}, {"self": N("a"), "dimension": 1, "size": 3, "step": 2},
                 ("f32", [[[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]]]), shapes={"a": [1, "s0"]}, ranges={"s0": {"min_val": 3, "max_val": None}})


def edges():
    """What lies outside: edges that go on from an end that was cut off, taps of a bicubic grid each by themselves."""
    line = ("f32", [[[1.0, 2.0, 3.0]]])
    yield single("replicate_cut", "pad.default", {"a": line}, {"self": N("a"), "pad": [-4, 5], "mode": "replicate"}, ("f32", [[[3.0] * 4]]))
    x = 1.75  # the tap beside the edge, so far from the place; the others read zeros
    weight = -0.75 * (x ** 3 - 5 * x ** 2 + 8 * x - 4)
    yield single("bicubic_border", "grid_sampler.default", {"a": ("f32", [[[[0.0, 8.0, 0.0, 0.0]]]]), "g": ("f32", [[[[-1.125, 0.0]]]])},
                 {"input": N("a"), "grid": N("g"), "interpolation_mode": 2, "padding_mode": 1, "align_corners": False}, ("f32", [[[[8 * weight]]]]))


def halves():
    """The other half of the numbers are conjugates: what comes of them is real."""
    x = [1.0, 2.0, -0.5]  # of four, the last is the second's conjugate
    back = lambda x, n: [sum((x[k] if k < len(x) else x[n - k]) * cmath.exp(-2j * math.pi * k * i / n) for k in range(n)).real for i in range(n)]
    yield single("hfft", "fft_hfft.default", {"a": ("f32", x)}, {"self": N("a")}, ("f32", back(x, 4)))
    yield single("hfft_forward", "fft_hfft.default", {"a": ("f32", x)}, {"self": N("a"), "norm": "forward"}, ("f32", [v / 4 for v in back(x, 4)]))
    yield single("irfft_real", "fft_irfft.default", {"a": ("f32", x)}, {"self": N("a")}, ("f32", [v / 4 for v in back(x, 4)]))
    yield single("hfft2", "fft_hfft2.default", {"a": ("f32", [x, x])}, {"self": N("a")}, ("f32", [[2 * v for v in back(x, 4)], [0.0] * 4]))
    y = [1.0, 3.0, 0.5, -2.0]
    part = lambda k: sum(v * cmath.exp(2j * math.pi * k * i / 4) for i, v in enumerate(y)) / 4
    for name, target, rows in (("ihfft", "fft_ihfft.default", y), ("ihfft2", "fft_ihfft2.default", [y, y])):
        want = [[part(k).real, part(k).imag] for k in range(3)]
        want = want if name == "ihfft" else [want, [[0.0, 0.0]] * 3]
        shape = shape_of(want)
        yield whole(name, {"a": ("f32", rows)}, [(target, {"self": N("a")}, ("z", "c64", shape[:-1])), ("view_as_real.default", {"self": N("z")}, ("y", "f32", shape))],
                    {"y": ("f32", want)})


def signals():
    """Parts (2, 1) and (2, 3), one place apart, laid over each other: sums over how many there are."""
    of = {"a": ("f32", [[[3.0, 0.0], [5.0, 0.0]], [[1.0, 0.0], [-1.0, 0.0]]])}
    begin = ("view_as_complex.default", {"self": N("a")}, ("z", "c64", [2, 2]))
    call = {"self": N("z"), "n_fft": 2, "hop_length": 1, "win_length": None, "window": None, "center": False}
    for name, more, want in (("", {}, [2.0, 1.5, 3.0]), ("_long", {"length": 5}, [2.0, 1.5, 3.0, 0.0, 0.0]), ("_short", {"length": 2}, [2.0, 1.5]),
                             ("_centre", {"center": True}, [1.5]), ("_scaled", {"normalized": True}, [2 * 2 ** 0.5, 1.5 * 2 ** 0.5, 3 * 2 ** 0.5])):
        yield whole("istft" + name, of, [begin, ("istft.default", dict(call, **more), ("y", "f32", [len(want)]))], {"y": ("f32", want)})


def places():
    for family in (numbers, means, unnamed, flat, masks, windows, edges, halves, signals):
        yield from family()
# SPDX-License-Identifier: Apache-2.0
