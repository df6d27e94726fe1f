#!/usr/bin/env python3
"""mindspore_rows.py DIR: more cases of MindSpore's operators for `weft cases`, beside those of mindspore_cases.py:
complex numbers, tensors made of a rule, medians, pools undone, pictures, and operators that AscendIR has under the
same name. What they give is computed here from the operators' definitions."""
import cmath
import math
import sys

from mindspore_cases import INF, NAN, X, Case, given, one, unary
from mindspore_mindir import Tensor, Text
from torch_pt2 import shape_of

R = [1.0, 2.0, 0.0, -1.0]


def special(d):
    given(d, "polygamma_1", "Polygamma", [(1.0, math.pi ** 2 / 6)], front=(Tensor("i64", 1),))
    given(d, "polygamma_2", "Polygamma", [(1.0, -2.404113806)], front=(Tensor("i64", 2),))
    unary(d, "mvlgamma", "Mvlgamma", lambda x: math.lgamma(x) + math.lgamma(x - 0.5) + math.log(math.pi) / 2, x=[3.0, 1.5], attrs={"p": 2})
    for name, pairs in {"J0": [(0.0, 1.0), (1.0, 0.765197687)], "J1": [(0.0, 0.0), (1.0, 0.440050586)], "Y0": [(1.0, 0.088256964)],
                        "Y1": [(1.0, -0.781212821)], "K0": [(1.0, 0.421024438)], "K1": [(1.0, 0.601907230)],
                        "K0e": [(1.0, 1.144463080)], "K1e": [(1.0, 1.636153486)]}.items():
        given(d, "bessel_" + name.lower(), "Bessel" + name, pairs)
    for type in ("HShrink", "SoftShrink"):
        unary(d, type.lower() + "_nan", type, lambda x: 0.0, x=[NAN, 0.25], attrs={"lambd": 0.5})
    unary(d, "eps", "Eps", lambda x: 2.0 ** -23)


def made(d):
    any_ = {"a": ("f32", [0.0])}
    n = 5
    cos = lambda k, last: math.cos(2 * math.pi * k / last)
    one(d, "hamming", "HammingWindow", any_, [Tensor("i32", [n])], ("f32", [0.5 - 0.25 * cos(k, n) for k in range(n)]),
        {"periodic": True, "alpha": 0.5, "beta": 0.25})
    one(d, "blackman", "BlackmanWindow", any_, [Tensor("i32", n)],
        ("f32", [0.42 - 0.5 * cos(k, n - 1) + 0.08 * cos(2 * k, n - 1) for k in range(n)]), {"periodic": False})
    one(d, "bartlett", "BartlettWindow", any_, [Tensor("i32", n)], ("f32", [0.0, 0.4, 0.8, 0.8, 0.4]), {"periodic": True})
    one(d, "logspace", "LogSpace", any_, [Tensor("f32", 0.0), Tensor("f32", 2.0)], ("f32", [1.0, 2.0, 4.0]), {"steps": 3, "base": 2})
    one(d, "tril_indices", "TrilIndices", any_, [], ("i64", [[0, 1, 1], [0, 0, 1]]), {"row": 2, "col": 3, "offset": 0})
    one(d, "triu_indices", "TriuIndices", any_, [], ("i32", [[0, 0, 1], [1, 2, 2]]), {"row": 2, "col": 3, "offset": 1})
    one(d, "fftfreq", "FFTFreq", any_, [5, 0.5, None], ("f32", [0.0, 0.4, 0.8, -0.8, -0.4]))
    one(d, "rfftfreq", "RFFTFreq", any_, [4, 1.0, None], ("f32", [0.0, 0.25, 0.5]))


def parts(d, name, type, values, args, want, given_type="f32", attrs=None, declared=None):
    """The real and the imaginary part of what a complex operator gives."""
    c = Case(name, {"a": (given_type, values)}, declared)
    g, t = c.main, ("f32", shape_of(want))
    y = g.op(type, [g["a"], *args], ("c64", shape_of(want)), attrs)
    both = [g.op("Real", [y], t), g.op("Imag", [y], t)]
    flat = lambda v, f: [flat(x, f) for x in v] if isinstance(v, list) else f(v)
    c.write(d, g.op("MakeTuple", both, [t, t], {}), [("f32", flat(want, lambda z: z.real)), ("f32", flat(want, lambda z: z.imag))])


def dft(v, sign=-1):
    return [sum(x * cmath.exp(sign * 2j * math.pi * i * k / len(v)) for i, x in enumerate(v)) for k in range(len(v))]


def complex_numbers(d):
    wide = lambda v: [complex(x) for x in v]
    parts(d, "fft", "FFT", R, [None, -1, None], dft(R))
    parts(d, "fft_longer", "FFT", R, [6, -1, 2], [z / math.sqrt(6) for z in dft(R + [0.0, 0.0])])
    parts(d, "ifft", "IFFT", R, [None, -1, None], [z / 4 for z in dft(R, 1)])
    parts(d, "ifft_forward", "IFFT", R, [None, -1, 1], dft(R, 1))
    parts(d, "rfft", "RFFT", R, [None, -1, None], dft(R)[:3])
    parts(d, "ihfft", "IHFFT", R, [None, -1, None], [z.conjugate() / 4 for z in dft(R)[:3]])
    rows = [dft(r) for r in X]
    parts(d, "fft2", "FFT2", X, [None, (-2, -1), None], [[a + b for a, b in zip(*rows)], [a - b for a, b in zip(*rows)]])
    parts(d, "polar", "Polar", [1.0, 2.0], [Tensor("f32", [0.5, -1.0])], [cmath.rect(1, 0.5), cmath.rect(2, -1)])
    for name, type, f in (("irfft", "IRFFT", lambda v: [z.real / 4 for z in dft(v, 1)]), ("hfft", "HFFT", lambda v: [z.real for z in dft(v)])):
        c = Case(name, {"a": ("f32", [3.0, 1.0, -2.0]), "b": ("f32", [0.0, 0.5, 0.0])})
        g = c.main
        z = g.op("Complex", [g["a"], g["b"]], ("c64", [3]))
        c.write(d, g.op(type, [z, None, -1, None], ("f32", [4])), [("f32", f([3, 1 + 0.5j, -2, 1 - 0.5j]))])
    c = Case("complex_parts", {"a": ("f32", [3.0, 0.0]), "b": ("f32", [-4.0, 2.0])})
    g, t = c.main, ("f32", [2])
    z = g.op("Conj", [g.op("Complex", [g["a"], g["b"]], ("c64", [2]))], ("c64", [2]))
    y = [g.op(type, [z], t) for type in ("ComplexAbs", "Angle", "Imag")]
    c.write(d, g.op("MakeTuple", y, [t] * 3, {}), [("f32", [5.0, 2.0]), ("f32", [math.atan2(4, 3), -math.pi / 2]), ("f32", [4.0, -2.0])])
    one(d, "angle_real", "Angle", {"a": ("f32", [1.0, -2.0])}, ["$a"], ("f32", [0.0, math.pi]))
    one(d, "conj_real", "Conj", {"a": ("f32", R)}, ["$a"], ("f32", R))
    one(d, "fftshift", "FFTShift", {"a": ("f32", [0.0, 1.0, 2.0, 3.0, 4.0])}, ["$a", None], ("f32", [3.0, 4.0, 0.0, 1.0, 2.0]))
    one(d, "ifftshift", "IFFTShift", {"a": ("f32", [0.0, 1.0, 2.0, 3.0, 4.0])}, ["$a", (0,)], ("f32", [2.0, 3.0, 4.0, 0.0, 1.0]))


def unknown(d):
    """Along axes whose size only the input has."""
    n, line = {"a": [-1]}, [0.0, 1.0, 2.0, 3.0, 4.0]
    parts(d, "fft_unknown", "FFT", R, [None, -1, 2], [z / 2 for z in dft(R)], declared=n)
    parts(d, "ifft_unknown", "IFFT", R, [None, -1, 1], dft(R, 1), declared=n)
    shift = lambda name, type, args, want: one(d, name, type, {"a": ("f32", line)}, ["$a", *args], ("f32", want), declared=n)
    shift("fftshift_unknown", "FFTShift", [None], [3.0, 4.0, 0.0, 1.0, 2.0])
    shift("ifftshift_unknown", "IFFTShift", [None], [2.0, 3.0, 4.0, 0.0, 1.0])
    planes = [[[[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0]]]]
    one(d, "im2col_unknown", "Im2Col", {"a": ("f32", planes)}, ["$a"], ("f32", [[[[1.0, 2.0], [2.0, 3.0]], [[4.0, 5.0], [5.0, 6.0]]]]),
        {"ksizes": (1, 2), "strides": (1, 1), "dilations": (1, 1), "pads": (0, 0)}, declared={"a": [-1, -1, -1, -1]})
    one(d, "channel_shuffle_unknown", "ChannelShuffle", {"a": ("f32", [[[1.0], [2.0], [3.0], [4.0]]])}, ["$a"],
        ("f32", [[[1.0], [3.0], [2.0], [4.0]]]), {"group": 2}, declared={"a": [-1, -1, -1]})
    one(d, "max_unpool_unknown", "MaxUnpool2D", {"a": ("f32", [[[[5.0, 6.0]]]])}, ["$a", Tensor("i64", [[[[3, 0]]]])],
        ("f32", [[[[6.0, 0.0, 0.0, 5.0]]]]), {"ksize": (1, 1, 1, 2), "strides": (1, 1, 1, 2), "pads": (0, 0, 0, 0), "output_shape": (), "format": "NCHW"},
        declared={"a": [1, 1, 1, -1]})
    halves = [("f32", [1.0, 2.0]), ("f32", [0.0, -1.0])]
    one(d, "split_unknown", "Split", {"a": ("f32", [1.0, 2.0, 0.0, -1.0])}, ["$a"], halves, {"axis": 0, "output_num": 2}, declared=n)
    one(d, "glu_unknown", "GLU", {"a": ("f32", [[1.0, 2.0, 0.0, -1.0]])}, ["$a", -1], ("f32", [[0.5, 2 / (1 + math.e)]]), declared={"a": [1, -1]})
    one(d, "adaptive_places_unknown", "AdaptiveMaxPool2D", {"a": ("f32", [[[[1.0, 5.0, 2.0], [3.0, 4.0, 6.0]]]])}, ["$a", (1, 2)],
        [("f32", [[[[5.0, 6.0]]]]), ("i64", [[[[1, 5]]]])], declared={"a": [1, 1, -1, -1]})
    shift("roll_unknown", "Roll", [(12,), (0,)], [3.0, 4.0, 0.0, 1.0, 2.0])


def matrices(d):
    a = [[2.0, 1.0], [0.0, 3.0]]
    one(d, "matrix_power", "MatrixPower", {"a": ("f32", a)}, ["$a"], ("f32", [[8.0, 19.0], [0.0, 27.0]]), {"n": 3})
    one(d, "matrix_power_0", "MatrixPower", {"a": ("f32", a)}, ["$a"], ("f32", [[1.0, 0.0], [0.0, 1.0]]), {"n": 0})
    # L L^T = [[4, 2], [2, 5]], whose inverse is [[5, -2], [-2, 4]] / 16
    inverse = [[5 / 16, -2 / 16], [-2 / 16, 4 / 16]]
    one(d, "cholesky_inverse", "CholeskyInverse", {"a": ("f32", [[2.0, 0.0], [1.0, 2.0]])}, ["$a", False], ("f32", inverse))
    one(d, "cholesky_inverse_upper", "CholeskyInverse", {"a": ("f32", [[2.0, 1.0], [0.0, 2.0]])}, ["$a", True], ("f32", inverse))
    one(d, "cholesky_solve", "CholeskySolve", {"a": ("f32", [[16.0], [0.0]]), "b": ("f32", [[2.0, 0.0], [1.0, 2.0]])}, ["$a", "$b"],
        ("f32", [[5.0], [-2.0]]), {"upper": False})
    one(d, "triangular_solve", "MatrixTriangularSolve", {"a": ("f32", [[2.0, 0.0], [1.0, 2.0]]), "b": ("f32", [[2.0], [5.0]])}, ["$a", "$b"],
        ("f32", [[1.0], [2.0]]), {"lower": True, "adjoint": False})
    one(d, "lstsq", "Lstsq", {"a": ("f32", [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), "b": ("f32", [[1.0], [2.0], [3.0]])}, ["$a", "$b"],
        ("f32", [[1.0], [2.0]]), {"fast": True, "l2_regularizer": 0.0})
    ones = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    one(d, "tridiagonal", "TridiagonalMatMul", {"a": ("f32", ones)},
        [Tensor("f32", [[1.0, 2.0, 9.0]]), Tensor("f32", [[1.0, 1.0, 0.0]]), Tensor("f32", [[9.0, 3.0, 1.0]]), "$a"],
        ("f32", [[4.0, 6.0], [3 + 10 + 3.0, 4 + 12 + 6.0], [3.0, 4.0]]))
    one(d, "tridiagonal_nan", "TridiagonalMatMul", {"a": ("f32", ones)},
        [Tensor("f32", [[1.0, 2.0, NAN]]), Tensor("f32", [[1.0, 1.0, 0.0]]), Tensor("f32", [[INF, 3.0, 1.0]]), "$a"],
        ("f32", [[4.0, 6.0], [3 + 10 + 3.0, 4 + 12 + 6.0], [3.0, 4.0]]))
    one(d, "ger", "Ger", {"a": ("f32", [1.0, 2.0]), "b": ("f32", [3.0, 4.0])}, ["$a", "$b"], ("f32", [[3.0, 4.0], [6.0, 8.0]]))


def middle(d):
    rows = [[3.0, 1.0, 2.0, 9.0], [5.0, NAN, 4.0, 7.0]]
    base = {"global_median": False, "axis": 1, "keep_dims": False}
    one(d, "median", "Median", {"a": ("f32", rows)}, ["$a"], [("f32", [2.0, NAN]), ("i64", [2, 1])], dict(base, ignore_nan=False))
    one(d, "median_first_nan", "Median", {"a": ("f32", [[1.0, NAN, NAN, 2.0]])}, ["$a"], [("f32", [NAN]), ("i64", [1])], dict(base, ignore_nan=False))
    one(d, "nanmedian", "Median", {"a": ("f32", rows)}, ["$a"], [("f32", [2.0, 5.0]), ("i64", [2, 0])], dict(base, ignore_nan=True))
    one(d, "median_keep", "Median", {"a": ("f32", X)}, ["$a"], [("f32", [[0.5, -2.0, -1.25]]), ("i64", [[1, 0, 1]])],
        dict(base, ignore_nan=False, axis=0, keep_dims=True))
    one(d, "nansum", "Nansum", {"a": ("f32", rows)}, ["$a", (1,), False, None], ("f32", [15.0, 16.0]))


def pictures(d):
    x = [[[[1.0, 2.0], [3.0, 4.0]]]]
    at = Tensor("i64", [[[[0, 3], [8, 15]]]])
    pool = {"ksize": (1, 1, 2, 2), "strides": (1, 1, 2, 2), "pads": (1, 1, 0, 0), "output_shape": (), "format": "NCHW"}
    one(d, "max_unpool", "MaxUnpool2D", {"x": ("f32", x)}, ["$x", at],
        ("f32", [[[[1.0, 0.0, 0.0, 2.0], [0.0] * 4, [3.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 4.0]]]]), pool)
    one(d, "max_unpool_sized", "MaxUnpool2D", {"x": ("f32", x)}, ["$x", Tensor("i64", [[[[0, 1], [3, 5]]]])],
        ("f32", [[[[1.0, 2.0, 0.0], [3.0, 0.0, 4.0]]]]), dict(pool, output_shape=(1, 1, 2, 3)))
    one(d, "adaptive_places", "AdaptiveMaxPool2D", {"x": ("f32", [[[[1.0, 5.0, 2.0], [7.0, 0.0, 3.0]]]])}, ["$x", (1, 2)],
        [("f32", [[[[7.0, 5.0]]]]), ("i64", [[[[3, 1]]]])])
    c = Case("adaptive_max_unknown", {"x": ("f32", [[[[1.0, 5.0, 2.0], [7.0, 0.0, 3.0]]]])}, {"x": [1, 1, -1, -1]})
    both = c.main.op("AdaptiveMaxPool2D", [c.main["x"], (1, 1)], [("f32", [1, 1, 1, 1]), ("i64", [1, 1, 1, 1])])
    c.write(d, c.main.op("TupleGetItem", [both, 0], ("f32", [1, 1, 1, 1]), {}), [("f32", [[[[7.0]]]])])
    transposed = {"kernel_size": (1, 2), "stride": (1, 2), "pad_mode": Text("valid"), "pad": (0,) * 4, "dilation": (1, 1), "group": 1, "format": Text("NCHW")}
    word = ("i64", [])
    for name, declared in (("batch", [-1, 1, 1, 2]), ("width", [-1, 1, 1, -1])):
        c = Case("conv_transposed_unknown_" + name, {"x": ("f32", [[[[1.0, 2.0]]]] * 2)}, {"x": declared})
        g = c.main
        shape = g.op("Shape", [g["x"]], None)
        first, last = (g.op("TupleGetItem", [shape, i], word, {}) for i in (0, 3))
        sizes = g.op("MakeTuple", [first, 1, 1, g.op("ScalarMul", [last, 2], word)], None, {})
        y = g.op("Conv2DTranspose", [g["x"], Tensor("f32", [[[[1.0, 10.0]]]]), sizes], ("f32", [-1, 1, 1, -1]), transposed)
        c.write(d, y, [("f32", [[[[1.0, 10.0, 2.0, 20.0]]]] * 2)])
    one(d, "grids_of_data", "Meshgrid", {"a": ("f32", [0.0])}, [(Tensor("f32", [1.0, 2.0]), Tensor("f32", [3.0])), 0],
        [("f32", [[1.0], [2.0]]), ("f32", [[3.0], [3.0]])])
    one(d, "upsample_scales", "UpsampleNearest2D", {"x": ("f32", x)}, ["$x", None, (1.0, 2.0)],
        ("f32", [[[[1.0, 1.0, 2.0, 2.0], [3.0, 3.0, 4.0, 4.0]]]]))
    of5 = [[[[0.0, 1.0, 2.0, 3.0, 4.0]]]]
    one(d, "upsample_fraction", "UpsampleNearest2D", {"x": ("f32", of5)}, ["$x", None, (1.0, 1.3)],
        ("f32", [[[[0.0, 0.0, 1.0, 2.0, 3.0, 3.0]]]]))
    one(d, "upsample_corners", "UpsampleTrilinear3D", {"x": ("f32", [of5])}, ["$x", None, (1.0, 1.0, 1.4), True],
        ("f32", [[[[[i * 2 / 3 for i in range(7)]]]]]))
    columns = [[[[1.0, 2.0], [2.0, 3.0]]]]
    one(d, "im2col", "Im2Col", {"x": ("f32", [[[[1.0, 2.0, 3.0]]]])}, ["$x"], ("f32", columns),
        {"ksizes": (1, 2), "strides": (1, 1), "dilations": (1, 1), "pads": (0, 0), "padding_mode": "CALCULATED"})
    one(d, "col2im", "Col2Im", {"x": ("f32", columns)}, ["$x", Tensor("i32", [1, 3])], ("f32", [[[[1.0, 4.0, 3.0]]]]),
        {"kernel_size": (1, 2), "stride": (1, 1), "dilation": (1, 1), "padding": (0, 0)})
    one(d, "histogram", "Histogram", {"a": ("f32", [0.0, 0.4, 1.0, 2.0])}, ["$a"], ("i32", [2, 1]), {"bins": 2, "min": 0.0, "max": 1.0})
    one(d, "histogram_halves", "Histogram", {"a": ("f16", [0.0, 400.0, 700.0, 1000.0])}, ["$a"],
        ("i32", [k in (0, 40, 70, 99) for k in range(100)]), {"bins": 100, "min": 0.0, "max": 1000.0})
    one(d, "histogram_whole", "Histogram", {"a": ("i32", [0, 1, 2, 3, 4, 5])}, ["$a"], ("i32", [1, 1, 1, 1]), {"bins": 4, "min": 0.5, "max": 4.5})
    one(d, "histogram_wide", "Histogram", {"a": ("i32", [0, 1, 10 ** 9])}, ["$a"], ("i32", [2, 0, 0, 0, 1]), {"bins": 5, "min": 0.0, "max": 1e9})
    one(d, "histogram_own", "Histogram", {"a": ("f32", [3.0, 3.0])}, ["$a"], ("i32", [0, 0, 2, 0]), {"bins": 4, "min": 0.0, "max": 0.0})
    one(d, "channel_shuffle", "ChannelShuffle", {"x": ("f32", [[[[float(i)]] for i in range(4)]])}, ["$x"],
        ("f32", [[[[0.0]], [[2.0]], [[1.0]], [[3.0]]]]), {"group": 2})
    at = Tensor("i64", [[0, 1], [1, 2]])
    one(d, "sparse_to_dense", "SparseToDense", {"a": ("f32", [1.0, 2.0])}, [at, "$a", (2, 3)], ("f32", [[0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]))
    one(d, "sparse_to_dense_v2", "SparseToDenseV2", {"a": ("f32", [1.0, 2.0])}, [at, Tensor("i64", [2, 3]), "$a", Tensor("f32", 9.0)],
        ("f32", [[9.0, 1.0, 9.0], [9.0, 9.0, 2.0]]), {"validate_indices": True})
    one(d, "check_valid", "CheckValid", {"a": ("f32", [[0.0, 0.0, 3.0, 1.0], [0.0, 0.0, 4.0, 1.0], [-1.0, 0.0, 1.0, 1.0]])},
        ["$a", Tensor("f32", [2.0, 2.0, 2.0])], ("bool", [True, False, False]))
    one(d, "padding_last", "Padding", {"a": ("f32", [[1.0], [2.0]])}, ["$a"], ("f32", [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]), {"pad_dim_size": 3})
    one(d, "resize_bicubic_same", "ResizeBicubic", {"x": ("f32", x)}, ["$x", (2, 2), False, True], ("f32", x))
    one(d, "iou", "IOU", {"a": ("f32", [[0.0, 0.0, 1.0, 1.0]]), "b": ("f32", [[0.0, 0.0, 1.0, 1.0], [5.0, 5.0, 6.0, 6.0]])}, ["$a", "$b"],
        ("f32", [[1.0], [0.0]]), {"mode": "iou"})


def losses(d):
    x = {"a": ("f32", [[0.5, 0.25, 1.0], [0.0, 2.0, 0.5]])}
    target = Tensor("i64", [0, 1])
    margin = {"p": 1, "margin": 1.0, "reduction": "none"}
    each = [(0.75 + 1.5) / 3, 0.0]
    one(d, "multi_margin", "MultiMarginLoss", x, ["$a", target, None], ("f32", each), margin)
    one(d, "multi_margin_square", "MultiMarginLoss", x, ["$a", target, Tensor("f32", [2.0, 1.0, 1.0])],
        ("f32", (0.5625 + 2.25) * 2 / 3), dict(margin, p=2, reduction="sum"))
    one(d, "soft_margin", "SoftMarginLoss", {"a": ("f32", [1.0, -2.0])}, ["$a", Tensor("f32", [1.0, 1.0])],
        ("f32", (math.log1p(math.exp(-1)) + math.log1p(math.exp(2))) / 2), {"reduction": "mean"})
    unary(d, "sigmoid_entropy", "SigmoidCrossEntropyWithLogits", lambda v: math.log1p(math.exp(v)) - 0.5 * v, Tensor("f32", [[0.5] * 3] * 2))


def named(d):
    one(d, "renorm", "Renorm", {"a": ("f32", [[3.0, 4.0], [0.3, 0.4]])}, ["$a"], ("f32", [[0.6, 0.8], [0.3, 0.4]]), {"p": 2.0, "dim": 0, "maxnorm": 1.0})
    one(d, "fill_diagonal", "FillDiagonal", {"a": ("f32", X)}, ["$a"], ("f32", [[9.0, -2.0, 3.5], [0.5, 9.0, -1.25]]), {"fill_value": 9.0, "wrap": False})
    one(d, "index_fill", "IndexFill", {"a": ("f32", X)}, ["$a", 1, Tensor("i32", [2]), Tensor("f32", 7.0)], ("f32", [[1.0, -2.0, 7.0], [0.5, 0.0, 7.0]]))
    one(d, "bucketize", "Bucketize", {"a": ("f32", [-1.0, 0.5, 3.0])}, ["$a"], ("i32", [0, 1, 2]), {"boundaries": (0.0, 1.0)})
    one(d, "bincount", "Bincount", {"a": ("i32", [1, 1, 3])}, ["$a", Tensor("i32", 4), Tensor("f32", [1.0, 2.0, 3.0])], ("f32", [0.0, 3.0, 0.0, 3.0]))
    one(d, "lower_bound", "LowerBound", {"a": ("f32", [[1.0, 2.0, 2.0]])}, ["$a", Tensor("f32", [[2.0, 5.0]])], ("i32", [[1, 3]]))
    one(d, "upper_bound", "UpperBound", {"a": ("f32", [[1.0, 2.0, 2.0]])}, ["$a", Tensor("f32", [[2.0, 5.0]])], ("i64", [[3, 3]]))
    one(d, "invert_permutation", "InvertPermutation", {"a": ("i32", [2, 0, 1])}, ["$a"], ("i32", [1, 2, 0]))
    one(d, "dim_map", "DataFormatDimMap", {"a": ("i32", [0, 1, 2, -1])}, ["$a"], ("i32", [0, 3, 1, 2]), {"src_format": "NHWC", "dst_format": "NCHW"})
    one(d, "unravel", "UnravelIndex", {"a": ("i32", [5, 3])}, ["$a", Tensor("i32", [2, 3])], ("i32", [[1, 1], [2, 0]]))
    one(d, "diag_part", "DiagPart", {"a": ("f32", [[1.0, 2.0], [3.0, 4.0]])}, ["$a"], ("f32", [1.0, 4.0]))
    one(d, "conj_transposed", "ConjugateTranspose", {"a": ("f32", X)}, ["$a", (1, 0)], ("f32", [list(c) for c in zip(*X)]))
    one(d, "approximate", "ApproximateEqual", {"a": ("f32", [1.0, 2.0])}, ["$a", Tensor("f32", [1.25, 2.75])], ("bool", [True, False]), {"tolerance": 0.5})
    one(d, "pdist", "Pdist", {"a": ("f32", [[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])}, ["$a"], ("f32", [5.0, 1.0, math.sqrt(18)]), {"p": 2.0})
    one(d, "nth", "NthElement", {"a": ("f32", [[3.0, 1.0, 2.0]])}, ["$a", Tensor("i32", 1)], ("f32", [2.0]), {"reverse": False})
    one(d, "list_diff", "ListDiff", {"a": ("i32", [1, 2, 3])}, ["$a", Tensor("i32", [2])], [("i32", [1, 3]), ("i64", [0, 2])])
    one(d, "unique_pad", "UniqueWithPad", {"a": ("i32", [4, 4, 7])}, ["$a", Tensor("i32", 0)], [("i32", [4, 7, 0]), ("i32", [0, 0, 1])])
    one(d, "masked_scatter", "MaskedScatter", {"a": ("f32", [1.0, 2.0, 3.0])}, ["$a", Tensor("bool", [True, False, True]), Tensor("f32", [8.0, 9.0])], ("f32", [8.0, 2.0, 9.0]))
    one(d, "inplace_add", "InplaceAdd", {"a": ("f32", X)}, ["$a", Tensor("f32", [[1.0, 1.0, 1.0]])], ("f32", [X[0], [1.5, 1.0, -0.25]]), {"indices": (1,)})
    one(d, "inplace_index_add", "InplaceIndexAdd", {"a": ("f32", X)}, ["$a", Tensor("i32", [2, 2]), Tensor("f32", [[1.0, 2.0], [3.0, 4.0]])],
        ("f32", [[1.0, -2.0, 6.5], [0.5, 0.0, 5.75]]), {"axis": 1})
    one(d, "inplace_update", "InplaceUpdateV2", {"a": ("f32", X)}, ["$a", (1,), Tensor("f32", [[1.0, 1.0, 1.0]])], ("f32", [X[0], [1.0] * 3]))
    segments = Tensor("i32", [0, 0, 2])
    v = {"a": ("f32", [2.0, 4.0, 5.0])}
    for type, want in {"Sum": [6.0, 0.0, 5.0], "Mean": [3.0, 0.0, 5.0], "Max": [4.0, 0.0, 5.0], "Min": [2.0, 0.0, 5.0], "Prod": [8.0, 1.0, 5.0]}.items():
        one(d, "sorted_" + type.lower(), "Segment" + type, v, ["$a", segments], ("f32", want))
    one(d, "turned", "TExt", {"a": ("f32", X)}, ["$a"], ("f32", [list(c) for c in zip(*X)]))
    one(d, "split_view", "SplitWithSizeView", {"a": ("f32", R)}, ["$a", (1, 3), 0], [("f32", R[:1]), ("f32", R[1:])])
    base = {"kernel_size": (1, 1, 1, 2, 2), "strides": (1, 1, 1, 2, 2), "pad_list": (0,) * 6, "format": "NCDHW", "ceil_mode": 0}
    one(d, "max_pool_calculated", "MaxPool3D", {"x": ("f32", [[[[[1.0, 2.0], [3.0, 4.0]]]]])}, ["$x"], ("f32", [[[[[4.0]]]]]),
        dict(base, pad_mode="CALCULATED"))


def main():
    for part in (special, made, complex_numbers, unknown, matrices, middle, pictures, losses, named):
        part(sys.argv[1])


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
