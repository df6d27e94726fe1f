"""Cases of operators that need a size which only the input has. What they give is computed from the definitions."""
import cmath
import math

from torch_pt2 import Name, Sym, shape_of, single, whole

N = Name


def filled(shape, numbers):
    """Numbers as nested lists of this shape."""
    if not shape:
        return numbers.pop(0)
    return [filled(shape[1:], numbers) for _ in range(shape[0])]


def counted(*shape):
    return filled(shape, [float(i) for i in range(math.prod(shape))])


def blocks(planes, r):
    """[C r r, H, W] to [C, H r, W r]."""
    h, w = len(planes[0]), len(planes[0][0])
    return [[[planes[c * r * r + i % r * r + k % r][i // r][k // r] for k in range(w * r)] for i in range(h * r)]
            for c in range(len(planes) // (r * r))]


def shuffles():
    """Blocks of pixels, of one picture, of several and of several rows of them; channels in groups."""
    one, all_unknown = counted(8, 1, 3), ["c", "h", "w"]
    for name, lead, wrap in (("", [], lambda v: v), ("_four", [1], lambda v: [v]), ("_five", ["k", 1], lambda v: [[v], [v]])):
        shape, big = lead + all_unknown, lead + ["cc", "hh", "ww"]
        yield single("pixel_shuffle_unknown" + name, "pixel_shuffle.default", {"a": ("f32", wrap(one))}, {"self": N("a"), "upscale_factor": 2},
                     ("f32", wrap(blocks(one, 2))), shapes={"a": shape})
        yield single("pixel_unshuffle_unknown" + name, "pixel_unshuffle.default", {"a": ("f32", wrap(blocks(one, 2)))},
                     {"self": N("a"), "downscale_factor": 2}, ("f32", wrap(one)), shapes={"a": big})
    x = counted(2, 6, 2)
    args, mixed = {"self": N("a"), "groups": 3}, [[row[c] for c in (0, 2, 4, 1, 3, 5)] for row in x]
    yield single("channel_shuffle_unknown", "channel_shuffle.default", {"a": ("f32", x)}, args, ("f32", mixed), shapes={"a": ["n", "c", "l"]})


def spectrum(x, n, sign):
    """The first n of x, or with zeros behind it, transformed."""
    x = (x + [0.0] * n)[:n]
    return [sum(v * cmath.exp(sign * 2j * math.pi * k * i / n) for i, v in enumerate(x)) for k in range(n)]


def mirrored(x, n):
    """A half spectrum as a whole one of n elements."""
    return [x[k] if k < len(x) else x[n - k] for k in range(n)]


def transforms():
    """Along axes whose length only the input has: what is divided by is counted; and to a length that the input has."""
    x, z = [1.0, 2.0, -0.5], ("z", "c64", ["m"])
    real, seen = {"a": ("f32", x)}, [("view_as_real.default", {"self": N("z")}, ("y", "f32", ["m", 2]))]
    pairs = lambda v: ("f32", [[c.real, c.imag] for c in v])
    for norm, by in (("backward", 1), ("ortho", 3 ** 0.5), ("forward", 3)):
        yield whole("fft_unknown_" + norm, real, [("fft_fft.default", {"self": N("a"), "norm": norm}, z)] + seen,
                    {"y": pairs([v / by for v in spectrum(x, 3, -1)])}, shapes={"a": ["n"]})
        yield whole("ifft_unknown_" + norm, real, [("fft_ifft.default", {"self": N("a"), "norm": norm}, z)] + seen,
                    {"y": pairs([v * by / 3 for v in spectrum(x, 3, 1)])}, shapes={"a": ["n"]})
    back = [v.real for v in spectrum(mirrored(x, 4), 4, 1)]
    for norm, by in (("backward", 4), ("ortho", 2), ("forward", 1)):
        yield single("irfft_unknown_" + norm, "fft_irfft.default", real, {"self": N("a"), "norm": norm},
                     ("f32", [v / by for v in back]), shapes={"a": ["n"]})
    five = [v.real / 5 for v in spectrum(mirrored(x, 5), 5, 1)]
    size = [("sym_size.int", {"self": N("b"), "dim": 0}, ("sym", "s"))]
    of, known = dict(real, b=("f32", [0.0] * 5)), dict(shapes={"b": ["k"], "a": ["n"]})
    yield whole("irfft_to_size", of, size + [("fft_irfft.default", {"self": N("a"), "n": Sym("s")}, ("y", "f32", ["k"]))],
                {"y": ("f32", five)}, **known)
    yield whole("fft_c2r_to_size", dict(of, a=("f32", [[v, 0.0] for v in x])),
                size + [("view_as_complex.default", {"self": N("a")}, ("z", "c64", ["n"])),
                        ("_fft_c2r.default", {"self": N("z"), "dim": [0], "normalization": 2, "last_dim_size": Sym("s")}, ("y", "f32", ["k"]))],
                {"y": ("f32", five)}, shapes={"b": ["k"], "a": ["n", 2]})
    yield whole("irfftn_to_sizes", dict(of, a=("f32", [x, x])),
                size + [("fft_irfftn.default", {"self": N("a"), "s": [-1, Sym("s")]}, ("y", "f32", [2, "k"]))],
                {"y": ("f32", [five, [0.0] * 5])}, shapes={"b": ["k"]})


def turns():
    """Halves change places, and elements go around the end, more often than there are, too."""
    line, of = ("f32", [1.0, 2.0, 3.0, 4.0, 5.0]), {"self": N("a")}
    unknown = dict(shapes={"a": ["n"]})
    yield single("fftshift_unknown", "fft_fftshift.default", {"a": line}, of, ("f32", [4.0, 5.0, 1.0, 2.0, 3.0]), **unknown)
    yield single("ifftshift_unknown", "fft_ifftshift.default", {"a": line}, of, ("f32", [3.0, 4.0, 5.0, 1.0, 2.0]), **unknown)
    for name, by, want in (("", 2, [4.0, 5.0, 1.0, 2.0, 3.0]), ("_back", -1, [2.0, 3.0, 4.0, 5.0, 1.0]),
                           ("_round", 12, [4.0, 5.0, 1.0, 2.0, 3.0]), ("_round_back", -11, [2.0, 3.0, 4.0, 5.0, 1.0]),
                           ("_whole", 5, line[1])):
        yield single("roll_unknown" + name, "roll.default", {"a": line}, dict(of, shifts=[by], dims=[0]), ("f32", want), **unknown)


def softmax(row):
    e = [math.exp(v - max(row)) for v in row]
    return [v / sum(e) for v in e]


def attention():
    """More heads of the query than of keys and values, how many of either only the input says."""
    q, k, v = counted(1, 4, 2, 1), counted(1, 2, 3, 1), [[[[1.0], [2.0], [4.0]], [[8.0], [16.0], [32.0]]]]
    want = [[[[sum(w * x[0] for w, x in zip(softmax([query[0] * key[0] for key in k[0][h // 2]]), v[0][h // 2]))]
              for query in q[0][h]] for h in range(4)]]
    of, args = {"q": ("f32", q), "k": ("f32", k), "v": ("f32", v)}, {"query": N("q"), "key": N("k"), "value": N("v"), "enable_gqa": True}
    for name, heads, keys in (("all", "h", "g"), ("query", "h", 2), ("keys", 4, "g")):
        shapes = {"q": [1, heads, 2, 1], "k": [1, keys, 3, 1], "v": [1, keys, 3, 1]}
        yield single("attention_heads_of_" + name, "scaled_dot_product_attention.default", of, args, ("f32", want), shapes=shapes)


def columns():
    """Windows of planes of which nothing is known; what stands at each of their places is a row."""
    x, (kh, kw), (dh, dw), (ph, pw), (sh, sw) = counted(2, 4, 5), (2, 3), (2, 1), (1, 0), (1, 2)
    at = lambda c, i, j: x[c][i - ph][j - pw] if 0 <= i - ph < 4 and 0 <= j - pw < 5 else 0.0
    want = [[at(c, i * sh + a * dh, j * sw + e * dw) for i in range(4) for j in range(2)] for c in range(2) for a in range(kh) for e in range(kw)]
    args = {"self": N("a"), "kernel_size": [kh, kw], "dilation": [dh, dw], "padding": [ph, pw], "stride": [sh, sw]}
    yield single("im2col_unknown", "im2col.default", {"a": ("f32", [x])}, args, ("f32", [want]), shapes={"a": ["n", "c", "h", "w"]})
    yield single("im2col_unknown_width", "im2col.default", {"a": ("f32", x)}, args, ("f32", want), shapes={"a": [2, 4, "w"]})


def pieces():
    """Tensors joined along a diagonal, and in chunks that are filled up."""
    of = {"a": ("f32", [[1.0, 2.0]]), "b": ("f32", [[3.0], [4.0]]), "c": ("f32", [5.0, 6.0])}
    want = [[1.0, 2.0, 0.0, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0, 0.0], [0.0, 0.0, 4.0, 0.0, 0.0], [0.0, 0.0, 0.0, 5.0, 6.0]]
    yield single("block_diag_unknown", "block_diag.default", of, {"tensors": [N("a"), N("b"), N("c")]}, ("f32", want),
                 shapes={"a": ["i", "j"], "b": [2, "k"], "c": ["l"]})
    of = {"a": ("f32", [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), "b": ("f32", [7.0])}
    yield single("chunk_cat_unknown", "_chunk_cat.default", of, {"tensors": [N("a"), N("b")], "dim": 0, "num_chunks": 2},
                 ("f32", [[1.0, 2.0, 3.0, 4.0, 7.0], [5.0, 6.0, 0.0, 0.0, 0.0]]), shapes={"a": ["i", "j"], "b": ["k"]})


def squares():
    """Matrices whose rows and columns are axes of sizes that only the input has; powers; pairs of rows."""
    a = ("f32", [[[2.0, 0.0], [1.0, 4.0]]])
    yield single("tensorinv_unknown", "linalg_tensorinv.default", {"a": a}, {"self": N("a"), "ind": 2},
                 ("f32", [[[0.5, 0.0]], [[-0.125, 0.25]]]), shapes={"a": ["i", "j", "k"]})
    yield single("tensorsolve_unknown", "linalg_tensorsolve.default", {"a": a, "b": ("f32", [[2.0, 9.0]])}, {"self": N("a"), "other": N("b")},
                 ("f32", [1.0, 2.0]), shapes={"a": ["i", "j", "k"], "b": ["i", "j"]})
    line = {"a": ("f32", [3.0, 4.0])}
    yield single("vander_unknown", "linalg_vander.default", line, {"x": N("a")}, ("f32", [[1.0, 3.0], [1.0, 4.0]]), shapes={"a": ["n"]})
    yield whole("vander_to_size", dict(line, b=("f32", [0.0] * 3)), [("sym_size.int", {"self": N("b"), "dim": 0}, ("sym", "s")),
                ("vander.default", {"x": N("a"), "N": Sym("s")}, ("y", "f32", [2, "k"]))], {"y": ("f32", [[9.0, 3.0, 1.0], [16.0, 4.0, 1.0]])}, shapes={"b": ["k"]})
    rows = {"a": ("f32", [[0.0, 0.0], [3.0, 4.0], [0.0, 1.0], [6.0, 8.0]])}
    yield single("pdist_unknown", "pdist.default", rows, {"self": N("a")},
                 ("f32", [5.0, 1.0, 10.0, 18 ** 0.5, 5.0, 85 ** 0.5]), shapes={"a": ["n", 2]})
    yield whole("resize_unknown", {"a": ("f32", counted(2, 3)), "b": ("f32", [0.0] * 2)},
                [("sym_size.int", {"self": N("b"), "dim": 0}, ("sym", "s")), ("clone.default", {"self": N("a")}, ("c", "f32", [2, 3])),
                 ("resize_.default", {"self": N("c"), "size": [Sym("s"), 2]}, ("y", "f32", ["k", 2]))], {"y": ("f32", [[0.0, 1.0], [2.0, 3.0]])}, shapes={"b": ["k"]})


def numbers():
    """Arguments that are sizes of another tensor, or made of them."""
    k, known = ("f32", [0.0, 0.0]), dict(shapes={"b": ["k"]})
    size = [("sym_size.int", {"self": N("b"), "dim": 0}, ("sym", "s")), ("_operator.neg", {"a": Sym("s")}, ("sym", "m"))]
    run = lambda name, target, x, args, want, shape: whole(
        name, {"a": ("f32", x), "b": k}, size + [(target, dict(args, self=N("a")), ("y", "f32", shape))], {"y": ("f32", want)}, **known)
    line, rows = [1.0, 2.0, 3.0, 4.0, 5.0], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    yield run("roll_by_size", "roll.default", line, {"shifts": [Sym("s")], "dims": [0]}, [4.0, 5.0, 1.0, 2.0, 3.0], [5])
    yield run("roll_back_by_size", "roll.default", line, {"shifts": [Sym("m")], "dims": [0]}, [3.0, 4.0, 5.0, 1.0, 2.0], [5])
    yield run("repeat_by_size", "repeat_interleave.self_int", rows, {"repeats": Sym("s"), "dim": 1}, [[r[0], r[0], r[1], r[1]] for r in rows], [3, "c"])
    yield run("strides_by_size", "as_strided.default", line, {"size": [Sym("s"), 3], "stride": [Sym("s"), 1]}, [[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]], ["k", 3])
    yield run("strides_from_size", "as_strided.default", line, {"size": [2], "stride": [1], "storage_offset": Sym("s")}, [3.0, 4.0], [2])
    yield whole("split_by_size", {"a": ("f32", line), "b": k},
                size + [("split.Tensor", {"self": N("a"), "split_size": Sym("s")}, [tuple((n, "f32", ["p" + n]) for n in "xyz")])],
                {"x": ("f32", [1.0, 2.0]), "y": ("f32", [3.0, 4.0]), "z": ("f32", [5.0])}, **known)
    one, wide = ("f32", [[[[5.0, 6.0]]]]), [("sym_size.int", {"self": N("b"), "dim": 0}, ("sym", "s"))]
    yield whole("unpool_to_size", {"a": one, "i": ("i64", [[[[3, 0]]]]), "b": k},
                wide + [("max_unpool2d.default", {"self": N("a"), "indices": N("i"), "output_size": [2, Sym("s")]}, ("y", "f32", [1, 1, 2, "k"]))],
                {"y": ("f32", [[[[6.0, 0.0], [0.0, 5.0]]]])}, **known)
    for name, more, want in (("", False, [[1.0, 2.0], [1.0, 3.0], [2.0, 3.0]]), ("_repeated", True, [[1.0, 1.0], [1.0, 2.0], [1.0, 3.0], [2.0, 2.0], [2.0, 3.0], [3.0, 3.0]])):
        yield single("combinations_unknown" + name, "combinations.default", {"a": ("f32", line[:3])}, {"self": N("a"), "with_replacement": more},
                     ("f32", want), shapes={"a": ["n"]})


def nothing():
    """Of no items at all, as only the run knows: beside a size of 0 a -1 stands for no size."""
    x, none = ("f32", counted(2, 4, 4)), lambda *shape: ("f32", filled(list(shape), [0.0] * math.prod(shape)))
    begin = [("item.default", {"self": N("n")}, ("sym", "u")), ("slice.Tensor", {"self": N("a"), "dim": 0, "start": 0, "end": Sym("u")}, ("b", "f32", ["u", 4, 4]))]
    end = ("sum.dim_IntList", {"self": N("c"), "dim": [0]})
    group = {"input": N("b"), "weight": None, "bias": None, "N": Sym("u"), "C": 4, "HxW": 4, "group": 2, "eps": 1e-5}
    for name, target, args, made, want in (
            ("flatten", "flatten.using_ints", {"self": N("b"), "start_dim": 1}, ("c", "f32", ["u", 16]), none(16)),
            ("diagonal", "diagonal.default", {"self": N("b"), "dim1": 1, "dim2": 2}, ("c", "f32", ["u", 4]), none(4)),
            ("repeated", "repeat_interleave.self_int", {"self": N("b"), "repeats": 2, "dim": 1}, ("c", "f32", ["u", 8, 4]), none(8, 4)),
            ("shuffled", "channel_shuffle.default", {"self": N("b"), "groups": 2}, ("c", "f32", ["u", 4, 4]), none(4, 4)),
            ("group_norm", "native_group_norm.default", group, [("d", "f32", ["u", 4, 4]), ("c", "f32", ["u", 2]), ("e", "f32", ["u", 2])], none(2))):
        yield whole("none_" + name, {"a": x, "n": ("i64", 0)}, begin + [(target, args, made), end + (("y", "f32", shape_of(want[1])),)], {"y": want})
    # known from the start: rows without elements
    yield single("inner_of_nothing", "inner.default", {"a": ("f32", [[], []]), "b": ("f32", [[], [], []])}, {"self": N("a"), "other": N("b")}, none(2, 3))
    yield single("batch_norm_nothing", "batch_norm.default", {"a": ("f32", [])},
                 {"input": N("a"), "weight": None, "bias": None, "running_mean": None, "running_var": None, "training": True, "momentum": 0.1, "eps": 1e-5,
                  "cudnn_enabled": False}, ("f32", []))


def dynamic():
    for family in (numbers, nothing, shuffles, transforms, turns, attention, columns, pieces, squares):
        yield from family()
# SPDX-License-Identifier: Apache-2.0
