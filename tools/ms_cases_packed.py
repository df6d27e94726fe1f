"""Cases of tools/ms_cases.py: src/frontend/onnx/ms_packed.c. The peer has no kernel for the processor: the same by the
operators with padding, whose results are gathered."""
import numpy as np

from ms_cases import Case


def floats(rng, *shape):
    return rng.uniform(-1, 1, shape).round(2).astype(np.float32)


def attend(q, k, v, shift, scale):
    scores = np.einsum("bsnh,btnh->bnst", q, k).astype(np.float64) * (scale or q.shape[3] ** -0.5) + shift
    e = np.exp(scores - scores.max(-1, keepdims=True))
    y = np.einsum("bnst,btnh->bsnh", e / e.sum(-1, keepdims=True), v)
    return y.reshape(*y.shape[:2], -1).astype(np.float32)


class Pack:
    def __init__(self, rng, batch, steps):
        self.lengths = rng.integers(1, steps + 1, batch)
        here = np.arange(steps) < self.lengths[:, None]
        places = np.arange(batch * steps).reshape(batch, steps)
        self.places = places[here]
        self.offsets = np.concatenate([self.places, places[~here]]).reshape(batch, steps).astype(np.int32)
        self.sums = np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int32)
        self.hidden = np.where(here, 0, -np.inf)[:, None, None, :]

    def padded(self, x):
        out = np.zeros((self.offsets.size, x.shape[1]), x.dtype)
        out[self.places] = x
        return out.reshape(*self.offsets.shape, -1)

    def result(self, q, k, v, heads, shift, scale):
        sides = [self.padded(x) for x in (q, k, v)]
        sides = [x.reshape(*x.shape[:2], heads, -1) for x in sides]
        y = attend(*sides, self.hidden + (0 if shift is None else shift), scale)
        return y.reshape(-1, y.shape[2])[self.places]


def cases(rng):
    b, s, n, h, w, d = 2, int(rng.integers(1, 5)), 2, 4, 3, 5
    p = Pack(rng, b, s)
    tokens = len(p.places)
    for shift in (None, floats(rng, 1, n, s, s), floats(rng, b, 1, s, s)):
        for scale in ({}, {"scale": 0.7}):
            attrs = {"num_heads": n, **scale}
            near = {"tolerance": 3e-6, "keep": shift is None or shift.shape[0] == 1}
            for sizes in ((n * h,) * 3, (n * h, n * h, n * w)):
                x, weights, bias = floats(rng, tokens, d), floats(rng, d, sum(sizes)), floats(rng, sum(sizes))
                qkv = np.split(x @ weights + bias, np.cumsum(sizes)[:2], 1)
                more = {"qkv_hidden_sizes": list(sizes)} if sizes[2] != sizes[0] else {}
                yield Case("PackedAttention", [x, weights, bias, p.offsets, p.sums, shift], {**attrs, **more},
                           expected=[p.result(*qkv, n, shift, scale.get("scale"))], **near)
                parts = [floats(rng, tokens, size) for size in sizes]
                for bias in (None, floats(rng, sum(sizes))):
                    at = np.cumsum(sizes)
                    biased = parts if bias is None else [v + u for v, u in zip(parts, np.split(bias, at[:2]))]
                    yield Case("PackedMultiHeadAttention", parts + [bias, p.offsets, p.sums, shift], attrs,
                               expected=[p.result(*biased, n, shift, scale.get("scale"))], **near)
            together = floats(rng, tokens, n, 3, h)
            parts = [together[:, :, i].reshape(tokens, -1) for i in range(3)]
            yield Case("PackedMultiHeadAttention", [together, None, None, None, p.offsets, p.sums, shift], attrs,
                       expected=[p.result(*parts, n, shift, scale.get("scale"))], **near)
# SPDX-License-Identifier: Apache-2.0
