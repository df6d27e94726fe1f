"""Cases of tools/ms_cases.py: src/frontend/onnx/ms_group.c."""
import numpy as np

from ms_cases import Case

NEAR = {"tolerance": 3e-6, "keep": True}


def floats(rng, *shape):
    return rng.uniform(-1, 1, shape).round(2).astype(np.float32)


def rotary(rng):
    b, s, n, h, rows = 2, int(rng.integers(1, 4)), 2, 8, 9
    positions, first = rng.integers(0, rows, (b, s)), np.array([int(rng.integers(0, 5))])
    for dim in (0, 4):
        tables = [floats(rng, rows, (dim or h) // 2) for _ in range(2)]
        heads = {"num_heads": n, "rotary_embedding_dim": dim} if dim else {}
        for x in (floats(rng, b, s, n * h), floats(rng, b, n, s, h)):
            for p in (positions, first):
                for neighbours in (0, 1):
                    yield Case("RotaryEmbedding", [x, p] + tables, {"interleaved": neighbours, **heads}, **NEAR)
    half = [v.astype(np.float16) for v in (floats(rng, b, n, s, h), *tables)]
    yield Case("RotaryEmbedding", [half[0], positions, half[1], half[2]], heads, tolerance=2e-3, keep=True)


class Step:
    """Inputs of one step."""

    def __init__(self, rng, batch, tokens, lengths, total, rows, n=4, kv=2, h=16):
        self.rng, self.n, self.kv, self.h, self.tokens = rng, n, kv, h, tokens
        self.q = floats(rng, batch, tokens, n * h)
        self.k, self.v = floats(rng, batch, tokens, kv * h), floats(rng, batch, tokens, kv * h)
        self.past = [floats(rng, batch, kv, rows, h) if rows is not None else None for _ in range(2)]
        self.lengths, self.total = np.array(lengths, np.int32), np.array(total, np.int32)

    def case(self, tail=(), outs=3, tolerance=3e-6, half=False, packed=False, keep=True, **attrs):
        qkv = [np.concatenate([self.q, self.k, self.v], 2), None, None] if packed else [self.q, self.k, self.v]
        values = qkv + self.past + [self.lengths, self.total] + list(tail)
        if half:
            values = [v.astype(np.float16) if v is not None and v.dtype == np.float32 and i < 12 else v
                      for i, v in enumerate(values)]  # scales of a cache stay as they are
        return Case("GroupQueryAttention", values, {"num_heads": self.n, "kv_num_heads": self.kv, **attrs}, outs,
                    tolerance=2e-3 if half else tolerance, keep=keep)


def group(rng):
    some = {"n": 2, "kv": 1, "h": 8}
    steps = [Step(rng, 1, 3, [2], 3, None, **some), Step(rng, 2, 3, [1, 2], 3, None, **some),
             Step(rng, 1, 3, [2], 3, 0, **some), Step(rng, 2, 1, [4, 4], 5, 4, **some),
             Step(rng, 1, 3, [2], 3, 5, **some), Step(rng, 1, 2, [4], 5, 3, n=3, kv=1, h=8),
             Step(rng, 2, 1, [2, 3], 4, 3, **some), Step(rng, 2, 1, [2, 3], 4, 5, n=4, kv=2, h=8),
             Step(rng, 1, 3, [4], 5, 6, **some)]
    for k, step in enumerate(steps):
        yield step.case()
        yield step.case(local_window_size=2)
        yield step.case(packed=True, scale=0.4, keep=k > 5)
    for k, step in enumerate(steps[6:]):
        yield step.case(causal=0)
        yield step.case(softcap=0.5)
        yield step.case(smooth_softmax=1)
        yield step.case(half=True)
        yield step.case([None] * 4 + [floats(rng, step.n)])
        shift = floats(rng, 1, step.n, step.tokens, int(step.total))
        yield step.case([None] * 3 + [shift])
        yield step.case([None] * 3 + [shift, floats(rng, step.n)], softcap=0.7, local_window_size=3)
    turns, one = [floats(rng, 6, 8), floats(rng, 6, 8)], {"n": 1, "kv": 1}
    for step in (Step(rng, 1, 3, [2], 3, None, **one), Step(rng, 2, 1, [2, 3], 4, 5, **one),
                 Step(rng, 1, 2, [4], 5, 3, **one)):
        for neighbours in (0, 1):
            yield step.case(turns, do_rotary=1, rotary_interleaved=neighbours)
        places = rng.integers(0, 6, step.q.shape[:2])
        if step.past[0] is not None:  # of a prompt the peer reads the first place only
            yield step.case(turns + [places], do_rotary=1)
    yield Step(rng, 2, 1, [1, 2], 3, 3, n=1, kv=1, h=32).case(turns, do_rotary=1)
    yield Step(rng, 2, 3, [4, 2], 8, 8, **some).case([None] * 9 + [np.array([3, 3], np.int32)])


def stored(rng):
    """Caches of integers: codes of 8 bits, or two of 4 in a byte."""
    some = {"n": 2, "kv": 1, "h": 8}
    steps = [Step(rng, 1, 3, [2], 3, 0, **some), Step(rng, 1, 1, [4], 5, 4, **some),
             Step(rng, 2, 1, [2, 3], 4, 5, n=4, kv=2, h=8), Step(rng, 1, 2, [4], 5, 8, **some)]
    for k, step in enumerate(steps):
        rows = step.past[0].shape[2]
        for bits in (8, 4):
            shape = (step.q.shape[0], step.kv, rows, step.h * bits // 8)
            kept = [rng.integers(0, 256, shape).astype(np.uint8) for _ in range(2)]
            step.past = [v.view(np.int8) for v in kept] if bits == 8 else kept
            for kind, shape in (("PER_TENSOR", [1]), ("PER_CHANNEL", [1, step.kv, 1, step.h])):
                scales = [rng.uniform(0.5, 2, shape).astype(np.float32) / (64 if bits == 8 else 5) for _ in range(2)]
                how = {"k_quant_type": kind, "v_quant_type": kind, "kv_cache_bit_width": bits}
                yield step.case([None] * 5 + scales, keep=k > 0, **how)
                yield step.case([None] * 5 + scales, keep=False, local_window_size=2, packed=True, **how)
                yield step.case([None] * 5 + scales, keep=False, half=True, **how)
    step, turns = Step(rng, 1, 2, [4], 5, 8, n=1, kv=1, h=16), [floats(rng, 16, 8) for _ in range(2)]
    step.past = [rng.integers(0, 256, (1, 1, 8, 8)).astype(np.uint8) for _ in range(2)]
    scales = [np.array([0.2], np.float32), np.array([0.3], np.float32)]
    how = {"k_quant_type": "PER_TENSOR", "v_quant_type": "PER_TENSOR", "kv_cache_bit_width": 4}
    yield step.case(turns + [None] * 3 + scales, do_rotary=1, **how)


def held(tokens, rows, window):
    """How many of the last tokens a cache of a window holds."""
    over, at_once = max(tokens - rows, 0), rows - window + 1
    return tokens - at_once * -(-over // at_once)


def windowed(rng):
    """A cache that holds a window: rows that hold nothing are not specified."""
    some = {"n": 2, "kv": 1, "h": 8}
    for rows, window, before, tokens in ((3, 3, 0, 2), (3, 3, 2, 1), (3, 3, 5, 1), (4, 3, 6, 1), (5, 2, 4, 3), (5, 3, 9, 1),
                                         (3, 2, 0, 6), (4, 3, 5, 7), (8, 2, 3, 2)):
        total = before + tokens
        step = Step(rng, 1, tokens, [total - 1], total, rows, **some)
        attrs = {"sliding_window_cache": 1, "local_window_size": window}
        kept = held(total, rows, window)
        for case in (step.case(**attrs), step.case([None] * 3 + [floats(rng, 1, 1, tokens, total)], packed=True, softcap=0.7, **attrs),
                     step.case([None] * 4 + [floats(rng, 2)], half=True, **attrs)):
            case.rows, case.keep = kept, kept == rows
            yield case
    turns = [floats(rng, 12, 8) for _ in range(2)]
    step = Step(rng, 2, 1, [2, 7], 8, 3, n=2, kv=1, h=16)
    for shift in (None, floats(rng, 1, 2, 1, 8), floats(rng, 2, 1, 1, 8)):
        yield step.case(turns + [None, shift], do_rotary=1, sliding_window_cache=1, local_window_size=3)
    kept = [rng.integers(-128, 128, (1, 1, 3, 16)).astype(np.int8) for _ in range(2)]
    step = Step(rng, 1, 1, [6], 7, 3, n=2, kv=1, h=16)
    step.past = kept
    scales = [np.array([0.02], np.float32), np.array([0.03], np.float32)]
    yield step.case([None] * 5 + scales, sliding_window_cache=1, local_window_size=2 + 1, k_quant_type="PER_TENSOR",
                    v_quant_type="PER_TENSOR", kv_cache_bit_width=8, tolerance=0.01)


def normed(x, weight, size, epsilon):
    """Each head over its root mean square."""
    heads = x.astype(np.float64).reshape(*x.shape[:2], -1, size)
    heads = heads / np.sqrt((heads**2).mean(-1, keepdims=True) + epsilon) * weight.astype(np.float64)
    return heads.reshape(x.shape).astype(x.dtype)


def head_norms(rng):
    """The peer has no kernel for the processor: it is given heads that are normed already."""
    for tokens, past, epsilon in ((3, None, None), (1, 5, 0.01)):
        step = Step(rng, 1, tokens, [tokens + 1 if past else tokens - 1], tokens + 2 if past else tokens, past, n=2, kv=1, h=16)
        turns = [floats(rng, 6, 8) for _ in range(2)]
        weights = [1 + floats(rng, 16), 1 + floats(rng, 16)]
        attrs = {"do_rotary": 1} if epsilon is None else {"do_rotary": 1, "k_norm_epsilon": epsilon}
        plain = step.case(turns, **attrs)
        case = step.case(turns + [None] * 5 + weights, **attrs)
        case.like = list(plain.inputs)
        case.like[0] = normed(step.q, weights[0], 16, 1e-6)
        case.like[1] = normed(step.k, weights[1], 16, epsilon or 1e-6)
        yield case


def mixed(rng, keep):
    """Whatever may stand together, thrown together."""
    batch, kv, rows = int(rng.integers(1, 3)), int(rng.choice([1, 2])), int(rng.choice([0, 3, 8]))
    turns = rng.random() < 0.5
    n, h = kv * int(rng.choice([1, 2, 3])), 16 if turns else int(rng.choice([8, 16]))
    prompt = rng.random() < 0.4
    tokens = int(rng.integers(1, 4))
    if batch > 1 and not prompt:
        tokens = 1  # several sequences take one token each, but for a prompt
    before = 0 if prompt else int(rng.integers(1, 5))
    lengths = np.maximum(before + tokens - 1 - rng.integers(0, 2 if prompt or tokens == 1 else 1, batch), 0)
    lengths[0] = before + tokens - 1
    total = before + tokens
    if batch == 1 and not prompt and rng.random() < 0.5:
        rows = -tokens  # a cache that grows
    past = None if prompt and rng.random() < 0.5 else (rows or total) if prompt else rows + total
    step = Step(rng, batch, tokens, lengths, total, past, n=n, kv=kv, h=h)
    maybe = lambda chance, v: v if rng.random() < chance else None
    table = [floats(rng, 16, h // 2) for _ in range(2)] if turns else [None, None]
    places = maybe(0.4, before + np.tile(np.arange(tokens), (batch, 1))) if turns and not prompt else None
    shift = maybe(0.4, floats(rng, int(rng.choice([1, batch])), int(rng.choice([1, n])), tokens, total))
    tail = [*table, places, shift, maybe(0.3, floats(rng, n))]
    attrs = {"do_rotary": 1, "rotary_interleaved": int(rng.integers(0, 2))} if turns else {}
    for name, value in (("softcap", 0.6), ("local_window_size", int(rng.integers(1, 5))), ("scale", 0.3),
                        ("smooth_softmax", int(rng.integers(0, 2)))):
        if rng.random() < 0.35:
            attrs[name] = value
    if prompt and lengths.min() < tokens - 1:
        attrs.pop("local_window_size", None)  # padded queries behind the end see what each of the peer's ways gives
    if "local_window_size" not in attrs and rng.random() < 0.2:
        attrs["causal"] = 0
    return step.case(tail, packed=rng.random() < 0.4, half=rng.random() < 0.15, keep=keep, tolerance=5e-6,
                     outs=int(rng.choice([1, 3])) if past is None else 3, **attrs)


def cases(rng):
    yield from rotary(rng)
    yield from group(rng)
    for k in range(40):
        yield mixed(rng, k < 8)
    yield from stored(rng)
    yield from windowed(rng)
    yield from head_norms(rng)
# SPDX-License-Identifier: Apache-2.0
