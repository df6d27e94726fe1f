"""Cases of tools/ms_cases.py: src/frontend/onnx/ms_qlinear.c, ms_qproduct.c. Where the peer multiplies by quotients of scales,
or looks results up, a number halfway between two bytes may go the other way: one step."""
import numpy as np

from ms_cases import Case, Const


def floats(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32)


def scale(rng, *shape):
    return (rng.random(shape) * 0.05 + 0.01).astype(np.float32)


def byte(rng, dtype, *shape):
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max + 1, shape).astype(dtype)


def dims(rng, rank):
    return [int(v) for v in rng.integers(1, 6, rank)]


def quantised(rng, dtype, shape, zero=True):
    """x, its scale and its zero point."""
    return [byte(rng, dtype, *shape), Const(scale(rng)), Const(byte(rng, dtype)) if zero else None]


def params(rng, dtype, zero=True):
    return [Const(scale(rng)), Const(byte(rng, dtype)) if zero else None]


def trimmed(inputs):
    while inputs[-1] is None:
        inputs.pop()
    return inputs


def elementwise(rng, dtype):
    for zero in (True, False):
        for op in ("QLinearAdd", "QLinearMul"):
            shape = dims(rng, 3)
            other = shape[1:] if rng.integers(2) else shape
            yield Case(op, quantised(rng, dtype, shape, zero) + quantised(rng, dtype, other, zero)
                       + params(rng, dtype, zero), steps=1, keep=True)
        x = quantised(rng, dtype, dims(rng, 2), zero)
        yield Case("QLinearSigmoid", x + params(rng, dtype, zero), steps=1, keep=True)
        yield Case("QLinearLeakyRelu", x + params(rng, dtype, zero), {"alpha": 0.25}, steps=1, keep=True)
    shape = dims(rng, 2)
    yield Case("QLinearWhere", [rng.integers(0, 2, shape).astype(bool)] + quantised(rng, dtype, shape)
               + quantised(rng, dtype, shape) + params(rng, dtype), steps=1, keep=True)
    for opset, axis in ((13, -1), (13, 1), (11, 1), (12, 2)):
        yield Case("QLinearSoftmax", quantised(rng, dtype, dims(rng, 3)) + [Const(np.float32(1 / 256)),
                   Const(np.array(0 if dtype == np.uint8 else -128, dtype))], {"axis": axis, "opset": opset}, steps=1,
                   keep=True)
    shape = dims(rng, 3)
    parts = sum((quantised(rng, dtype, [shape[0], int(rng.integers(1, 4)), shape[2]]) for _ in range(3)), [])
    yield Case("QLinearConcat", params(rng, dtype) + parts, {"axis": 1}, steps=1, keep=True)


def pools(rng, dtype):
    for last in (0, 1):
        shape = [1, 5, 6, 3] if last else [2, 3, 5, 6]
        for attrs in ({}, {"count_include_pad": 1, "pads": [1, 0, 1, 1]}, {"strides": [2, 2], "ceil_mode": 1},
                      {"pads": [1, 1, 0, 0], "strides": [1, 2]}):
            yield Case("QLinearAveragePool", quantised(rng, dtype, shape) + params(rng, dtype),
                       {"kernel_shape": [2, 3], "channels_last": last, **attrs}, steps=1, keep=True)
        yield Case("QLinearGlobalAveragePool", quantised(rng, dtype, shape) + params(rng, dtype),
                   {"channels_last": last}, steps=1, keep=True)
        w = [Const(byte(rng, np.int8, 4, 3, 3, 3)), Const(scale(rng, 4) / 20), Const(np.zeros(4, np.int8))]
        bias = Const(rng.integers(-1000, 1000, 4).astype(np.int32))
        yield Case("QLinearConv", quantised(rng, dtype, shape) + w + params(rng, dtype) + [bias],
                   {"channels_last": last, "kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}, steps=1, keep=True)


def conversions(rng):
    for dtype in (np.uint8, np.int8, np.uint16, np.int16):
        shape = dims(rng, 2)
        x = (floats(rng, *shape) * (3 if np.iinfo(dtype).bits == 8 else 300)).astype(np.float32)
        yield Case("QuantizeLinear", [x, Const(scale(rng)), Const(byte(rng, dtype))], steps=0, keep=True)
        yield Case("QuantizeLinear", [x, Const(scale(rng, shape[1])), Const(byte(rng, dtype, shape[1]))], {"axis": 1},
                   keep=True)
        q = byte(rng, dtype, *shape)
        yield Case("DequantizeLinear", [q, Const(scale(rng)), Const(byte(rng, dtype))], tolerance=1e-6, keep=True)
        yield Case("DequantizeLinear", [q, Const(scale(rng, shape[0])), Const(byte(rng, dtype, shape[0]))],
                   {"axis": 0}, tolerance=1e-6, keep=True)
    for dtype in (np.int8, np.uint8):
        q = Const(rng.integers(-8 if dtype == np.int8 else 0, 8, (3, 5)).astype(dtype), 4)
        zero = Const(np.array(3, dtype), 4)
        yield Case("DequantizeLinear", [q, Const(scale(rng)), zero], tolerance=1e-6, keep=True)
    q = rng.integers(-10**6, 10**6, (2, 3)).astype(np.int32)
    yield Case("DequantizeLinear", [q, Const(scale(rng))], tolerance=1e-6, keep=True)


def products(rng, x, w):
    m, k, n = dims(rng, 3)
    for many in (False, True):
        ws = scale(rng, n) if many else scale(rng)
        wz = byte(rng, w, n) if many else byte(rng, w)
        b = byte(rng, w, k, n)
        bias = Const(floats(rng, n))
        for parts in ([], [Const(byte(rng, x)), Const(wz), None], [Const(byte(rng, x)), Const(wz), bias], [None, None, bias]):
            yield Case("MatMulIntegerToFloat", trimmed([byte(rng, x, 2, m, k), Const(b), np.array(scale(rng)), Const(ws)] + parts),
                       tolerance=2e-5, keep=True)
        if x == np.uint8:
            for parts in ([], [Const(wz)], [Const(wz), bias], [None, bias]):
                yield Case("DynamicQuantizeMatMul", [floats(rng, 2, m, k), Const(b), Const(ws)] + parts,
                           tolerance=2e-5, keep=True)
        for ta, tb in ((0, 0), (1, 1)):
            a = byte(rng, x, *([k, m] if ta else [m, k]))
            bb = Const(byte(rng, w, *([n, k] if tb else [k, n])))
            head = [a, Const(scale(rng)), Const(byte(rng, x)), bb, Const(ws / 10), Const(wz)]
            c = Const(rng.integers(-5000, 5000, n).astype(np.int32))
            attrs = {"transA": ta, "transB": tb, "alpha": 0.75}
            yield Case("QGemm", head + [c], attrs, tolerance=2e-5, keep=True)
            yield Case("QGemm", head + [c, Const(scale(rng)), Const(byte(rng, x))], attrs, steps=1, keep=True)
            yield Case("QGemm", head + [None, Const(scale(rng)), Const(byte(rng, x))], attrs, steps=1, keep=True)


def lstm(rng, both, many, w):
    steps, batch, size, hidden, ways = 4, 2, 6, 5, 2 if both else 1
    def weights(rows):
        q = byte(rng, w, ways, rows, 4 * hidden)
        s = [ways, 4 * hidden] if many else [ways]
        return q, (rng.random(s) * 0.002 + 0.004).astype(np.float32), byte(rng, w, *s[:1]) if w == np.uint8 and not many else np.full(s, 128 if w == np.uint8 else 0, w)
    (wq, ws, wz), (rq, rs, rz) = weights(size), weights(hidden)
    inputs = [floats(rng, steps, batch, size), Const(wq), Const(rq), Const(floats(rng, ways, 8 * hidden) / 4), None, None,
              None, None, Const(ws), Const(wz), Const(rs), Const(rz)]
    return Case("DynamicQuantizeLSTM", inputs, {"hidden_size": hidden, "direction": "bidirectional" if both else "forward"},
                outputs=3, tolerance=3e-2, keep=True)


def attention(rng, w, mask, past, many):
    batch, steps, heads, size, inner = 2, 3, 2, 4, 6
    hidden = heads * size
    inputs = [byte(rng, np.uint8, batch, steps, inner), Const(byte(rng, w, inner, 3 * hidden)), Const(floats(rng, 3 * hidden)),
              Const(np.float32(0.01)), Const((rng.random(3 * hidden if many else ()) * 0.01 + 0.002).astype(np.float32))]
    before = 2 if past else 0
    inputs.append({None: None, "ends": np.array([2, 3], np.int32) + before,
                   "raw": rng.integers(0, 2, (batch, steps + before)).astype(np.int32)}[mask])
    if mask == "raw":
        inputs[-1][:, 0] = 1
    inputs += [Const(np.array(120, np.uint8)), Const(np.full(3 * hidden if many else (), 128 if w == np.uint8 else 0, w))]
    inputs.append(floats(rng, 2, batch, heads, before, size) if past else None)
    return Case("QAttention", trimmed(inputs), {"num_heads": heads, "unidirectional": int(past)}, outputs=2 if past else 1,
                tolerance=2e-5, keep=True)


def embedding(rng, segments, mask):
    batch, steps, words, hidden = 2, 3, 7, 6
    ids = rng.integers(0, words, (batch, steps)).astype(np.int32)
    kinds = rng.integers(0, 2, (batch, steps)).astype(np.int32) if segments else None
    tables = [Const(byte(rng, np.uint8, *s)) for s in ((words, hidden), (5, hidden), (2, hidden), (hidden,), (hidden,))]
    if not segments:
        tables[2] = None
    marks = rng.integers(0, 2, (batch, steps)).astype(np.int32) if mask else None
    scales = [Const(np.float32(0.02)) for _ in range(5)]
    zeros = [Const(byte(rng, np.uint8)) for _ in range(5)]
    if not segments:
        scales[2] = zeros[2] = None
    return Case("QEmbedLayerNormalization", [ids, kinds] + tables + [marks] + scales + zeros, {"epsilon": 1e-6}, outputs=2,
                tolerance=2e-5, keep=True)


def cases(rng):
    for dtype in (np.uint8, np.int8):
        yield from elementwise(rng, dtype)
        yield from pools(rng, dtype)
        for other in (np.uint8, np.int8):
            yield from products(rng, dtype, other)
    yield from conversions(rng)
    for both in (False, True):
        for many in (False, True):
            for w in (np.uint8, np.int8):
                yield lstm(rng, both, many, w)
    for w in (np.int8, np.uint8):
        for mask in (None, "ends", "raw"):
            for past in (False, True):
                yield attention(rng, w, mask, past, bool(rng.integers(2)))
    for segments in (False, True):
        for mask in (False, True):
            yield embedding(rng, segments, mask)
# SPDX-License-Identifier: Apache-2.0
