"""Cases of tools/ms_cases.py: src/frontend/onnx/ms_attention.c."""
import numpy as np

from ms_cases import Case

NEAR = {"tolerance": 3e-6, "keep": True}


def floats(rng, *shape):
    return rng.uniform(-1, 1, shape).round(2).astype(np.float32)


def ends(rng, batch, most):
    return rng.integers(1, most + 1, batch).astype(np.int32)


def seen(rng, *shape):
    mask = rng.integers(0, 2, shape).astype(np.int32)
    mask[..., 0] = 1  # nobody sees nothing
    return mask


def attention(rng):
    b, s, n, h, d, p = 2, int(rng.integers(1, 5)), 2, 2, 3, int(rng.integers(1, 4))
    x, w, bias = floats(rng, b, s, d), floats(rng, d, 3 * n * h), floats(rng, 3 * n * h)
    lengths = ends(rng, b, s)
    masks = [None, lengths, np.concatenate([lengths, lengths - 1]), seen(rng, b, s), seen(rng, b, s, s)]
    for mask in masks:
        for causal in (0, 1):
            if causal and mask is not None and mask.ndim == 1 and len(mask) == 2 * b:
                continue
            if causal and mask is not None and mask.ndim == 3:
                mask = np.maximum(mask, np.eye(s, dtype=np.int32))
            yield Case("Attention", [x, w, bias, mask], {"num_heads": n, "unidirectional": causal}, **NEAR)
    yield Case("Attention", [x, w, None, masks[3]], {"num_heads": n, "mask_filter_value": -1.5, "scale": 0.3}, **NEAR)
    for shape in ((1, 1, s, s), (b, n, s, s), (1, n, s, s)):
        yield Case("Attention", [x, w, bias, masks[3], None, floats(rng, *shape)], {"num_heads": n}, **NEAR)
    past = floats(rng, 2, b, n, p, h)
    for causal in (0, 1):
        attrs = {"num_heads": n, "unidirectional": causal}
        yield Case("Attention", [x, w, bias, seen(rng, b, s + p), past], attrs, 2, **NEAR)
    yield Case("Attention", [x, w, bias], {"num_heads": n}, 2, **NEAR)
    wide = {"num_heads": n, "qkv_hidden_sizes": [n * h, n * h, n * 3]}
    yield Case("Attention", [x, floats(rng, d, n * (2 * h + 3)), floats(rng, n * (2 * h + 3))], wide, **NEAR)


def multi_head(rng):
    b, n, h, w = 2, 2, 4, 3
    s, t, p = (int(v) for v in rng.integers(1, 4, 3))
    q, k, v, bias = floats(rng, b, s, n * h), floats(rng, b, t, n * h), floats(rng, b, t, n * w), floats(rng, n * (2 * h + w))
    by_head = [floats(rng, b, n, t, h), floats(rng, b, n, t, h)]
    attrs = {"num_heads": n}
    op = "MultiHeadAttention"
    for more in ([], [bias], [None, seen(rng, b, t)], [None, ends(rng, b, t)], [None, seen(rng, b, s, t)]):
        yield Case(op, [q, k, v] + more, attrs, **NEAR)
    yield Case(op, [q, k, v, bias, seen(rng, b, t)], {"num_heads": n, "mask_filter_value": -2.5, "scale": 0.7}, **NEAR)
    for shape in ((1, 1, s, t), (b, n, s, t), (1, n, s, t), (b, 1, s, t)):
        yield Case(op, [q, k, v, None, seen(rng, b, t), floats(rng, *shape)], attrs, **NEAR)
    yield Case(op, [q] + by_head, attrs, 3, **NEAR)
    yield Case(op, [q] + by_head + [floats(rng, 3 * n * h)], attrs, **NEAR)
    yield Case(op, [q, k, v], {"num_heads": n, "unidirectional": 1}, **NEAR)
    step = [floats(rng, b, s, n * h) for _ in range(3)]
    past = [floats(rng, b, n, p, h) for _ in range(2)]
    for causal in (0, 1):
        attrs = {"num_heads": n, "unidirectional": causal}
        yield Case(op, step + [None, None, None] + past, attrs, 3, **NEAR)
        yield Case(op, step + [floats(rng, 3 * n * h), seen(rng, b, s + p), floats(rng, 1, n, s, s + p)] + past, attrs, 3,
                   **NEAR)
    room = [floats(rng, b, n, 8, h) for _ in range(2)]
    length = np.array([p], np.int32)
    yield Case(op, step + [None, None, None] + past, {"num_heads": n, "scale": 0.3}, 4, **NEAR)
    yield Case(op, [q, k, v, bias, seen(rng, b, t), floats(rng, 1, 1, s, t)], {"num_heads": n}, [True, False, False, True],
               **NEAR)
    yield Case(op, step + [None, None, None] + room + [length], {"num_heads": n}, 3, **NEAR)
    yield Case(op, step + [None, None, None] + room + [length], {"num_heads": n, "unidirectional": 1}, 3, **NEAR)


def packed_forms(rng):
    """The peer packs for other devices only: the same values, given apart."""
    b, s, n, h, t = 2, 3, 2, 4, 2
    all3, both, q = floats(rng, b, s, n, 3, h), floats(rng, b, t, n, 2, h), floats(rng, b, s, n * h)
    attrs = {"num_heads": n}
    yield Case("MultiHeadAttention", [all3], attrs,
               like=[all3[:, :, :, i].reshape(b, s, n * h) for i in range(3)], **NEAR)
    bias = floats(rng, 3 * n * h)
    yield Case("MultiHeadAttention", [all3, None, None, bias], attrs,
               like=[all3[:, :, :, i].reshape(b, s, n * h) for i in range(3)] + [bias], **NEAR)
    yield Case("MultiHeadAttention", [q, both], attrs,
               like=[q] + [both[:, :, :, i].reshape(b, t, n * h) for i in range(2)], **NEAR)


def decoder(rng):
    b, n, h, t, p = 2, 2, 4, 3, int(rng.integers(1, 5))
    op, attrs = "DecoderMaskedMultiHeadAttention", {"num_heads": n}
    q, bias = floats(rng, b, 1, n * h), floats(rng, 3 * n * h)
    by_head = [floats(rng, b, n, t, h) for _ in range(2)]
    yield Case(op, [q] + by_head, attrs, **NEAR)
    yield Case(op, [q] + by_head + [seen(rng, b, t)], attrs, **NEAR)
    yield Case(op, [q] + by_head + [None] * 7 + [bias], attrs, **NEAR)
    step, room = [floats(rng, b, 1, n * h) for _ in range(3)], [floats(rng, b, n, 8, h) for _ in range(2)]
    shared = {"num_heads": n, "past_present_share_buffer": 1}
    length, mask = np.array([p], np.int32), seen(rng, b, p + 1)
    for m in (None, mask):
        for shift in (None, floats(rng, 1, n, 1, p + 1)):
            yield Case(op, step + [m, shift] + room + [length], shared, 3, **NEAR)
    yield Case(op, step + [mask, None] + room + [length, None, None, bias], shared, 3, **NEAR)
    past = [floats(rng, b, n, p, h) for _ in range(2)]  # without sharing: as MultiHeadAttention
    yield Case(op, step + [mask, None] + past, attrs, 3, like_op="MultiHeadAttention",
               like=step + [None, mask, None] + past, **NEAR)


def cases(rng):
    yield from attention(rng)
    yield from multi_head(rng)
    yield from packed_forms(rng)
    yield from decoder(rng)
# SPDX-License-Identifier: Apache-2.0
