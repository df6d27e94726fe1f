"""Cases of tools/ms_cases.py: src/frontend/onnx/ms_norm.c."""
import numpy as np

from ms_cases import Case


def floats(rng, *shape):
    return rng.uniform(-2, 2, shape).round(2).astype(np.float32)


def group_norm(x, gamma, beta, groups, last, silu, epsilon):
    v = np.moveaxis(x, -1, 1) if last else x
    rows = v.astype(np.float64).reshape(v.shape[0], groups, -1)
    rows = (rows - rows.mean(2, keepdims=True)) / np.sqrt(rows.var(2, keepdims=True) + epsilon)
    y = rows.reshape(v.shape) * gamma[:, None, None] + beta[:, None, None]
    y = y / (1 + np.exp(-y)) if silu else y
    return (np.moveaxis(y, 1, -1) if last else y).astype(np.float32)


def groups(rng):
    n, c, h, w = 2, 4, 2, 3
    for last in (1, 0):
        for silu in (0, 1):
            x = floats(rng, n, h, w, c) if last else floats(rng, n, c, h, w)
            gamma, beta, bias = floats(rng, c), floats(rng, c), floats(rng, c)
            attrs = {"groups": 2, "activation": silu, "channels_last": last, "epsilon": 1e-4}
            rest = (2, last, silu, 1e-4)
            yield Case("GroupNorm", [x, gamma, beta], attrs, tolerance=3e-6, keep=True,
                       expected=[group_norm(x, gamma, beta, *rest)])
            per_channel = (lambda v: v) if last else (lambda v: v[..., None, None])
            skips = [floats(rng, *x.shape), floats(rng, n, c)] + ([floats(rng, n, 1, 1, c)] if last else [])
            for skip in skips:
                wide = skip if skip.ndim == 4 else skip[:, None, None, :] if last else skip[:, :, None, None]
                for b in (None, bias):
                    total = x + wide + (per_channel(b) if b is not None else 0)
                    yield Case("SkipGroupNorm", [x, gamma, beta, skip] + ([b] if b is not None else []), attrs, 2,
                               tolerance=3e-6, keep=silu == 1,
                               expected=[group_norm(total, gamma, beta, *rest), total.astype(np.float32)])


def cases(rng):
    b, s, h = (int(v) for v in rng.integers(1, 4, 3))
    h *= 4
    x, gamma, beta, bias = floats(rng, b, s, h), floats(rng, h), floats(rng, h), floats(rng, h)
    e = {"epsilon": 1e-5}
    for skip in (floats(rng, b, s, h), floats(rng, 1, s, h), floats(rng, s, h)):
        for more in ([], [beta], [beta, bias], [None, bias]):
            yield Case("SkipLayerNormalization", [x, skip, gamma] + more, e, tolerance=4e-6, keep=True)
            yield Case("SkipLayerNormalization", [x, skip, gamma] + more, e, 4, tolerance=4e-6, keep=skip.ndim == 2)
    yield Case("SkipLayerNormalization", [x[0], floats(rng, s, h), gamma, beta], e, [True, False, False, True],
               tolerance=4e-6, keep=True)
    for more in ([], [bias]):
        for outs in (1, [True, False, True, True], [True, False, False, True]):
            yield Case("SkipSimplifiedLayerNormalization", [x, floats(rng, b, s, h), gamma] + more, e, outs,
                       tolerance=4e-6, keep=True)
    for outs in (1, 2):
        yield Case("SimplifiedLayerNormalization", [x, gamma], e, outs, domain="", tolerance=4e-6, keep=outs == 1)
        yield Case("SimplifiedLayerNormalization", [x, floats(rng, s, h)], {"axis": 1, **e}, outs, domain="",
                   tolerance=4e-6, keep=True)
    half = x.astype(np.float16)
    yield Case("SkipSimplifiedLayerNormalization", [half, half[::-1].copy(), gamma.astype(np.float16)], e, 1,
               tolerance=2e-3, keep=True)
    yield Case("SkipLayerNormalization", [half, half[::-1].copy(), gamma.astype(np.float16)], e, 1, tolerance=2e-3,
               keep=True)
    ids, segments = rng.integers(0, 6, (b, s)).astype(np.int32), rng.integers(0, 2, (b, s)).astype(np.int32)
    words, places, kinds = floats(rng, 6, h), floats(rng, 5, h), floats(rng, 2, h)
    mask = (np.arange(s) < rng.integers(1, s + 1, (b, 1))).astype(np.int32)
    where = rng.integers(0, 5, (1, s)).astype(np.int32)
    for with_segments in (True, False):
        for with_mask in (True, False):
            for with_places in (True, False):
                yield Case("EmbedLayerNormalization",
                           [ids, segments if with_segments else None, words, places, kinds if with_segments else None,
                            gamma, beta, mask if with_mask else None] + ([where] if with_places else []), e,
                           [True, True, not with_places], tolerance=4e-6, keep=True)
    yield from groups(rng)
# SPDX-License-Identifier: Apache-2.0
