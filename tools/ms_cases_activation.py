"""Cases of tools/ms_cases.py: src/frontend/onnx/ms_activation.c."""
import math

import numpy as np

from ms_cases import Case


def floats(rng, *shape):
    return (rng.standard_normal(shape) * 2).astype(np.float32)


def gelu(x):
    return (x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))).astype(np.float32)


def softmax(x, axis):
    rows = x.reshape(*x.shape[:axis], -1).astype(np.float64)
    e = np.exp(rows - rows.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True)).reshape(x.shape).astype(np.float32)


def cases(rng):
    shape = [int(v) for v in rng.integers(1, 5, int(rng.integers(1, 4)))]
    yield Case("Gelu", [floats(rng, *shape)], tolerance=2e-6, keep=True)
    yield Case("QuickGelu", [floats(rng, *shape)], tolerance=2e-6, keep=True)
    yield Case("QuickGelu", [floats(rng, *shape)], {"alpha": 0.75}, tolerance=2e-6, keep=True)
    yield Case("BiasGelu", [floats(rng, *shape), floats(rng, shape[-1])], tolerance=2e-6, keep=True)
    yield Case("FastGelu", [floats(rng, *shape)], tolerance=2e-6, keep=True)
    yield Case("FastGelu", [floats(rng, *shape), floats(rng, shape[-1])], tolerance=2e-6, keep=True)
    x, bias, skip = floats(rng, 2, 3, 6), floats(rng, 6), floats(rng, 2, 3, 6)
    yield Case("BiasAdd", [x, bias, skip], tolerance=1e-6, keep=True, expected=[x + bias + skip])
    left, right = np.split(x + bias, 2, 2)
    yield Case("BiasSplitGelu", [x, bias], tolerance=2e-6, keep=True, expected=[left * gelu(right)])
    n, h, s = (int(v) for v in rng.integers(1, 4, 3))
    for axis in (3, 2, 1):
        for inner, shape in ((1, (n, 1, 1, s)), (0, (1, 1, 2, s)), (0, (2, s))):
            x, bias = floats(rng, n, h, 2, s), floats(rng, *shape)
            yield Case("BiasSoftmax", [x, bias], {"axis": axis, "is_inner_broadcast": inner}, tolerance=2e-6,
                       keep=axis > 1, expected=[softmax(x + bias, axis)])
# SPDX-License-Identifier: Apache-2.0
