"""Cases of tools/ms_cases.py: src/frontend/onnx/ms_fused.c."""
import numpy as np

from ms_cases import Case, Const


def floats(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32)


ACTIVATIONS = [("Relu", []), ("Tanh", []), ("Sigmoid", []), ("LeakyRelu", [0.1]), ("Clip", [-0.5, 0.75]),
               ("HardSigmoid", [0.3, 0.4]), ("", [])]


def fused_conv(rng, activation, params, total, spatial=2):
    group = int(rng.integers(1, 3))
    channels, out = group * int(rng.integers(1, 4)), group * int(rng.integers(1, 4))
    x = floats(rng, 1, channels, *rng.integers(4, 7, spatial))
    w = floats(rng, out, channels // group, *[3] * spatial)
    attrs = {"group": group, "kernel_shape": [3] * spatial, "strides": [1] * spatial, "pads": [1] * (2 * spatial),
             "dilations": [1] * spatial}
    if activation:
        attrs["activation"] = activation
    if params:
        attrs["activation_params"] = params
    inputs = [x, Const(w), Const(floats(rng, out))]
    if total:
        inputs.append(floats(rng, 1, out, *x.shape[2:]))
    return Case("FusedConv", inputs, attrs, tolerance=1e-5, keep=spatial == 2)


def fused_matmul(rng, op):
    dims = [int(v) for v in rng.integers(1, 5, 3)]
    for alpha in (1.0, 0.5):
        for ta in (0, 1):
            for tb in (0, 1):
                m, k, n = dims
                lead = [[], [2], [2, 3]][int(rng.integers(3))]
                a, b = floats(rng, *lead, *([k, m] if ta else [m, k])), floats(rng, *lead, *([n, k] if tb else [k, n]))
                yield Case(op, [a, b], {"alpha": alpha, "transA": ta, "transB": tb}, tolerance=1e-5, keep=True)


def fused_batches(rng):
    for ba in (0, 1):
        for bb in (0, 1):
            for ta, tb in ((0, 0), (1, 1)):
                a = [3, 2, 5, 4] if ba and not ta else [2, 5, 3, 4] if not ta else [4, 2, 5, 3] if ba else [2, 5, 4, 3]
                b = [4, 2, 5, 6] if bb and not tb else [2, 5, 4, 6] if not tb else [6, 2, 5, 4] if bb else [2, 5, 6, 4]
                attrs = {"transA": ta, "transB": tb, "transBatchA": ba, "transBatchB": bb, "alpha": 2.0}
                yield Case("FusedMatMul", [floats(rng, *a), floats(rng, *b)], attrs, tolerance=1e-5, keep=True)


def fused_gemm(rng):
    for activation, alpha, beta in (("Relu", None, None), ("LeakyRelu", 0.2, None), ("Tanh", None, None),
                                    ("HardSigmoid", 0.3, 0.4), ("Sigmoid", None, None), ("Elu", 0.5, None),
                                    ("Softplus", None, None), ("Selu", None, None)):
        m, k, n = (int(v) for v in rng.integers(1, 6, 3))
        ta, tb = (int(v) for v in rng.integers(0, 2, 2))
        attrs = {"activation": activation, "alpha": 0.5, "beta": 2.0, "transA": ta, "transB": tb}
        attrs.update({"activation_alpha": alpha} if alpha else {}, **({"activation_beta": beta} if beta else {}))
        inputs = [floats(rng, *([k, m] if ta else [m, k])), floats(rng, *([n, k] if tb else [k, n])), floats(rng, n)]
        yield Case("FusedGemm", inputs, attrs, tolerance=1e-5, keep=True)


def cases(rng):
    for activation, params in ACTIVATIONS:
        for total in (False, True):
            yield fused_conv(rng, activation, params, total)
    yield fused_conv(rng, "Relu", [], False, 1)
    yield fused_conv(rng, "Relu", [], False, 3)
    yield from fused_matmul(rng, "FusedMatMul")
    yield from fused_matmul(rng, "TransposeMatMul")
    yield from fused_batches(rng)
    yield from fused_gemm(rng)
    x, w = floats(rng, 1, 2, 4, 4), floats(rng, 2, 3, 3, 3)
    pads = Const(np.array([1, 0, 1, 1], np.int64))
    yield Case("ConvTransposeWithDynamicPads", [x, w, pads, floats(rng, 3)],
               {"strides": [2, 2], "kernel_shape": [3, 3], "output_padding": [1, 0]}, tolerance=1e-5, keep=True)
    yield Case("NhwcMaxPool", [rng.integers(0, 256, (1, 5, 5, 3)).astype(np.uint8)],
               {"kernel_shape": [2, 2], "strides": [2, 1], "pads": [1, 0, 0, 1]}, keep=True)
    yield Case("NhwcMaxPool", [rng.integers(-128, 128, (2, 6, 5)).astype(np.int8)],
               {"kernel_shape": [3], "dilations": [2]}, keep=True)
# SPDX-License-Identifier: Apache-2.0
