"""Cases of tools/ms_cases.py: src/frontend/onnx/ms_data.c."""
import numpy as np

from ms_cases import Case


def floats(rng, *shape):
    return rng.uniform(-1, 1, shape).round(2).astype(np.float32)


def transforms(rng):
    x = floats(rng, 2, 4, 6)
    for n in (1, 2, 3):
        axes = tuple(range(3 - n, 3))
        y = np.fft.rfftn(x, axes=axes)
        parts = np.stack([y.real, y.imag], -1).astype(np.float32)
        yield Case("Rfft", [x], {"signal_ndim": n}, tolerance=3e-6, keep=True, expected=[parts])
        yield Case("Irfft", [parts], {"signal_ndim": n}, tolerance=3e-6, keep=True, expected=[x])


def cases(rng):
    m, k, n = (int(v) for v in rng.integers(1, 5, 3))
    for t in (np.float32, np.float64):
        for metric in ("euclidean", "sqeuclidean"):
            yield Case("CDist", [floats(rng, m, n).astype(t), floats(rng, k, n).astype(t)], {"metric": metric},
                       tolerance=2e-5 if t == np.float32 else 1e-12, keep=True)
    x = floats(rng, m, k, n)
    for axis in (0, 1, -1):
        yield Case("ExpandDims", [x, np.array(axis, np.int32)], keep=True)
    yield Case("ExpandDims", [x, np.array([1], np.int32)], keep=True)
    for t, depth in ((np.int64, 2), (np.int32, 1), (np.int64, 3)):
        at = np.stack([rng.integers(-d, d, 4) for d in x.shape[:depth]], 1).astype(t)
        yield Case("GatherND", [x, at], keep=True)
    far = np.eye(3) + floats(rng, 2, 3, 3) / 4
    yield Case("Inverse", [far.astype(np.float32)], tolerance=1e-5, keep=True)
    yield Case("Inverse", [far.astype(np.float64)], tolerance=1e-12, keep=True)
    flat = floats(rng, 3, 4)
    for mode in ("constant", "reflect", "edge"):
        yield Case("Pad", [flat, np.array([0, 1, 1, 2]), np.array([0.5], np.float32)], {"mode": mode}, keep=True)
    yield Case("Pad", [flat, np.array([[0, -1, 0, 1]])], keep=True)
    for t in (np.float32, np.float64, np.int16, np.int32, np.int64):
        yield Case("Range", [np.array(1, t), np.array([7], t)], keep=True)
        yield Case("Range", [np.array([1], t), np.array(7, t), np.array(2, t)], keep=True)
    for upper in (0, 1):
        yield Case("Trilu", [x], {"upper": upper}, keep=True)
        yield Case("Trilu", [x.astype(np.float64), np.array(-1)], {"upper": upper}, keep=True)
        yield Case("Trilu", [x, np.array([1])], {"upper": upper}, keep=True)
    some = rng.integers(0, 4, 7).astype(np.float32)
    yield Case("Unique", [some], {}, 3, keep=True)
    yield from transforms(rng)
# SPDX-License-Identifier: Apache-2.0
