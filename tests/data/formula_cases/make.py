#!/usr/bin/env python3
"""Writes the cases beside it: operators of large models and recurrent layers that no framework has, computed by their
formulas in NumPy, in double. tests/op_cases_cli.sh runs them.

    tests/data/formula_cases/make.py
"""
import json
import os

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(23)
DTYPES = {"float64": "f32", "float16": "f16", "int64": "i64", "int32": "i32", "bool": "bool"}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def tensor(port, x, rel=None):
    data = [float(f"{v:.9g}") if x.dtype.kind == "f" else int(v) for v in x.ravel()]
    entry = {"port": port, "dtype": DTYPES[x.dtype.name], "shape": list(x.shape), "data": data}
    return entry if rel is None else {**entry, "rel": rel}


def case(attrs, inputs, outputs, tolerance=2e-5):
    ins = [tensor(p, x[0], 0) if isinstance(x, list) else tensor(p, x) for p, x in inputs.items()]
    outs = [tensor(p, x[0], 0) if isinstance(x, list) else tensor(p, x) for p, x in outputs.items()]
    return {"attrs": attrs, "rtol": tolerance, "atol": tolerance, "dtypes_in_prototype": True, "inputs": ins, "outputs": outs}


def write(op, cases):
    os.makedirs(os.path.join(HERE, op), exist_ok=True)
    with open(os.path.join(HERE, op, "cases.json"), "w", encoding="utf-8") as f:
        lines = ",\n ".join(json.dumps(c, separators=(",", ":")) for c in cases)
        f.write(f'{{"op": "{op}", "cases": [\n {lines}]}}\n')


def normal(*shape):
    return np.round(rng.standard_normal(shape), 3)


# ---- attention: q [B, N, S, D], k and v [B, G, T, D] ----
def scores(q, k, scale, pse=0.0, hidden=None):
    s = q @ np.repeat(k, q.shape[1] // k.shape[1], 1).transpose(0, 1, 3, 2) * scale + pse
    s = s if hidden is None else np.where(hidden, -np.inf, s)
    most = s.max(-1, keepdims=True)
    return np.exp(s - most), most


def attention(q, k, v, scale, pse=0.0, hidden=None):
    e, most = scores(q, k, scale, pse, hidden)
    z = e.sum(-1, keepdims=True)
    return (e / z) @ np.repeat(v, q.shape[1] // v.shape[1], 1), most, z


def attention_grads(q, k, v, dy, scale, pse, hidden):
    n, g = q.shape[1], k.shape[1]
    e, _ = scores(q, k, scale, pse, hidden)
    p = e / e.sum(-1, keepdims=True)
    kk, vv = np.repeat(k, n // g, 1), np.repeat(v, n // g, 1)
    dp = dy @ vv.transpose(0, 1, 3, 2)
    ds = p * (dp - (p * dp).sum(-1, keepdims=True))

    def joined(x):
        return x.reshape(x.shape[0], g, n // g, *x.shape[2:]).sum(2)

    return scale * ds @ kk, joined(scale * ds.transpose(0, 1, 3, 2) @ q), joined(p.transpose(0, 1, 3, 2) @ dy), ds


def rows(x):  # BNSD as BSH
    return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


def training():
    forward, backward = [], []
    q, k, v, dy = normal(2, 4, 3, 2), normal(2, 2, 5, 2), normal(2, 2, 5, 2), normal(2, 4, 3, 2)
    pse, hidden = normal(2, 4, 3, 5), rng.random((3, 5)) < 0.3
    hidden[:, 0] = False
    for kind in (0, 1):  # pse behind the scale, and before it
        own = pse * (0.7 if kind else 1)
        y, most, z = attention(q, k, v, 0.7, own, hidden)
        wide = {"softmax_max": np.repeat(most, 8, -1), "softmax_sum": np.repeat(z, 8, -1)}
        attrs = {"head_num": 4, "input_layout": "BNSD", "scale_value": 0.7, "pse_type": kind}
        ins = {"query": q, "key": k, "value": v}
        forward.append(case(attrs, {**ins, "real_shift": pse, "atten_mask": hidden}, {**wide, "attention_out": y}))
        dq, dk, dv, ds = attention_grads(q, k, v, dy, 0.7, own, hidden)
        outs = {"dq": dq, "dk": dk, "dv": dv, "dpse": ds * (0.7 if kind else 1)}
        backward.append(case(attrs, {**ins, "dy": dy, "pse_shift": pse, "atten_mask": hidden}, outs))
    for layout in ("BSH", "SBH"):
        lay = (lambda x: rows(x).transpose(1, 0, 2)) if layout == "SBH" else rows
        for mode in (2, 3, 4):  # causal from the first key, up to the last, a band
            at = np.arange(5)[None] - np.arange(3)[:, None] - (0 if mode == 2 else 2)
            far = (at > 0) | (at < -1) if mode == 4 else at > 0
            attrs = {"head_num": 4, "input_layout": layout, "sparse_mode": mode, "pre_tockens": 1, "next_tockens": 0}
            ins = {"query": lay(q), "key": lay(k), "value": lay(v)}
            forward.append(case(attrs, ins, {"attention_out": lay(attention(q, k, v, 1.0, 0.0, far)[0])}))
            grads = attention_grads(q, k, v, dy, 1.0, 0.0, far)
            backward.append(case(attrs, {**ins, "dy": lay(dy)}, dict(zip(("dq", "dk", "dv"), map(lay, grads)))))
    ends_q, ends_k = np.array([2, 3, 6]), np.array([1, 4, 8])
    q, k, v = normal(6, 2, 2), normal(8, 2, 2), normal(8, 2, 2)
    for mode in (1, 2):
        y, a, b = [], 0, 0
        for e, f in zip(ends_q, ends_k):
            far = np.arange(f - b)[None] > np.arange(e - a)[:, None] if mode == 2 else None
            parts = [x.transpose(1, 0, 2)[None] for x in (q[a:e], k[b:f], v[b:f])]
            y.append(attention(*parts, 1.0, 0.0, far)[0][0].transpose(1, 0, 2))
            a, b = e, f
        attrs = {"head_num": 2, "input_layout": "TND", "sparse_mode": mode}
        ins = {"query": q, "key": k, "value": v, "actual_seq_qlen": ends_q, "actual_seq_kvlen": ends_k}
        forward.append(case(attrs, ins, {"attention_out": np.concatenate(y)}))
    write("FlashAttentionScore", forward)
    write("FlashAttentionScoreGrad", backward)


def halves(x):
    return x.astype(np.float16)


def caches():
    q, k, v = (halves(normal(2, n, t, 4)) for n, t in ((4, 1), (2, 6), (2, 6)))
    lens = np.array([3, 6])
    far = np.arange(6)[None, None, None] >= lens[:, None, None, None]
    wide = [x.astype(float) for x in (q, k, v)]
    y = halves(attention(*wide, 0.5, 0.0, far)[0])
    attrs = {"num_heads": 4, "num_key_value_heads": 2, "scale_value": 0.5}
    cases = [case(attrs, {"query": rows(q), "key": [rows(k)], "value": [rows(v)], "actual_seq_lengths": lens},
                  {"attention_out": rows(y)}, 4e-3)]
    table = np.array([[4, 0, 2], [1, 5, 3]], np.int32)
    paged = []
    for x in (rows(k), rows(v)):
        cache = np.zeros((6, 2, 8), np.float16)
        cache[table] = x.reshape(2, 3, 2, 8)
        paged.append(cache)
    ins = {"query": rows(q), "key": [paged[0]], "value": [paged[1]], "actual_seq_lengths": lens, "block_table": table}
    cases.append(case({**attrs, "block_size": 2}, ins, {"attention_out": rows(y)}, 4e-3))
    write("IncreFlashAttention", cases)
    q = halves(normal(2, 4, 3, 4))
    at = np.arange(6)[None, None, None] - np.arange(3)[None, None, :, None] - (lens - 3)[:, None, None, None]
    e, most = scores(q.astype(float), wide[1], 0.5, 0.0, far | (at > 0))
    y = halves(attention(q.astype(float), wide[1], wide[2], 0.5, 0.0, far | (at > 0))[0])
    attrs = {"num_heads": 4, "num_key_value_heads": 2, "scale": 0.5, "sparse_mode": 3, "softmax_lse_flag": True,
             "input_layout": "BNSD"}
    outs = {"attention_out": y, "softmax_lse": most + np.log(e.sum(-1, keepdims=True))}
    write("FusedInferAttentionScore", [case(attrs, {"query": q, "key": [k], "value": [v], "actual_seq_lengths_kv": lens},
                                            outs, 4e-3)])


# ---- recurrent layers ----
def lstm():
    x, w, b, h, c = normal(4, 2, 3), normal(5, 8), normal(8), normal(2, 2), normal(2, 2)
    cases, split = [], []
    for order in ("ijfo", "ifjo"):
        hh, cc, all_of = h, c, []
        for t in range(4):
            g = dict(zip(order, np.split(np.concatenate([x[t], hh], 1) @ w + b, 4, 1)))
            i, j, f, o = sigmoid(g["i"]), np.tanh(g["j"]), sigmoid(g["f"] + 0.5), sigmoid(g["o"])
            cc = f * cc + i * j
            hh = np.tanh(cc) * o
            all_of.append((hh, hh, cc, i, j, f, o, np.tanh(cc)))
        outs = dict(zip(("y", "output_h", "output_c", "i", "j", "f", "o", "tanhc"), map(np.array, zip(*all_of))))
        attrs = {"forget_bias": 0.5, "gate_order": order}
        cases.append(case(attrs, {"x": x, "w": w, "b": b, "init_h": h[None], "init_c": c[None]}, outs))
        ins = {"x": x, "weight_input": w[:3], "weight_hidden": w[3:], "b": b, "init_h": h, "init_c": c}
        split.append(case(attrs, ins, outs))
    write("DynamicRNN", cases)
    write("DynamicRNNV2", split)


def gru():
    x, wi, wh = (halves(normal(*s)) for s in ((4, 2, 3), (3, 6), (2, 6)))
    bi, bh, h = normal(6), normal(6), normal(2, 2)
    cases = []
    for order in ("zrh", "rzh"):
        for after in (True, False):
            hh, all_of = h, []
            part = dict(zip(order, zip(np.split(wh.astype(float), 3, 1), np.split(bh, 3))))["h"]
            for t in range(4):
                gx = dict(zip(order, np.split(x[t].astype(float) @ wi.astype(float) + bi, 3, 1)))
                gh = dict(zip(order, np.split(hh @ wh.astype(float) + bh, 3, 1)))
                z, r = sigmoid(gx["z"] + gh["z"]), sigmoid(gx["r"] + gh["r"])
                hn = gh["h"] if after else (r * hh) @ part[0] + part[1]
                n = np.tanh(gx["h"] + (r * hn if after else hn))
                hh = (1 - z) * n + z * hh
                all_of.append((hh, hh, z, r, n, hn))
            outs = dict(zip(("y", "output_h", "update", "reset", "new", "hidden_new"), map(np.array, zip(*all_of))))
            ins = {"x": x, "weight_input": wi, "weight_hidden": wh, "bias_input": bi, "bias_hidden": bh, "init_h": h}
            cases.append(case({"gate_order": order, "reset_after": after}, ins, outs))
    write("DynamicGRUV2", cases)


# ---- gradients of recurrent layers, by differences ----
def slope(x, loss):
    out = np.zeros_like(x)
    for i in np.ndindex(*x.shape):
        ends = []
        for by in (1e-5, -1e-5):
            own = x.copy()
            own[i] += by
            ends.append(loss(own))
        out[i] = (ends[0] - ends[1]) / 2e-5
    return out


def lstm_steps(x, w, b, h, c, order):
    steps = []
    for t in range(len(x)):
        g = dict(zip(order, np.split(np.concatenate([x[t], h], 1) @ w + b, 4, 1)))
        i, j, f, o = sigmoid(g["i"]), np.tanh(g["j"]), sigmoid(g["f"]), sigmoid(g["o"])
        c = f * c + i * j
        h = np.tanh(c) * o
        steps.append((h, c, i, j, f, o, np.tanh(c)))
    return dict(zip(("h", "c", "i", "j", "f", "o", "tanhct"), map(np.array, zip(*steps))))


def gru_steps(x, wi, wh, bi, bh, h, order):
    steps = []
    for t in range(len(x)):
        gx = dict(zip(order, np.split(x[t] @ wi + bi, 3, 1)))
        gh = dict(zip(order, np.split(h @ wh + bh, 3, 1)))
        z, r = sigmoid(gx["z"] + gh["z"]), sigmoid(gx["r"] + gh["r"])
        n = np.tanh(gx["h"] + r * gh["h"])
        h = (1 - z) * n + z * h
        steps.append((h, z, r, n, gh["h"]))
    return dict(zip(("h", "update", "reset", "new", "hidden_new"), map(np.array, zip(*steps))))


def recurrent_grads():
    x, w, b, h, c = normal(3, 2, 3), normal(5, 8), normal(8), normal(2, 2), normal(2, 2)
    dy, dh, dc = normal(3, 2, 2), normal(2, 2), normal(2, 2)
    one, two = [], []
    for order in ("ijfo", "ifjo"):

        def loss(x=x, w=w, b=b, h=h, c=c, order=order):
            s = lstm_steps(x, w, b, h, c, order)
            return (s["h"] * dy).sum() + (s["h"][-1] * dh).sum() + (s["c"][-1] * dc).sum()

        s = lstm_steps(x, w, b, h, c, order)
        ins = {"y": s["h"], "init_h": h, "init_c": c, "h": s["h"], "c": s["c"], "dy": dy, "dh": dh, "dc": dc}
        ins.update({k: s[k] for k in ("i", "j", "f", "o", "tanhct")})
        dw = slope(w, lambda v: loss(w=v))
        outs = {"db": slope(b, lambda v: loss(b=v)), "dx": slope(x, lambda v: loss(x=v)),
                "dh_prev": slope(h, lambda v: loss(h=v)), "dc_prev": slope(c, lambda v: loss(c=v))}
        one.append(case({"gate_order": order}, {"x": x, "w": w, "b": b, **ins}, {"dw": dw, **outs}, 1e-4))
        parts = {"w_x": w[:3], "w_h": w[3:]}
        two.append(case({"gate_order": order}, {"x": x, **parts, **ins}, {"dw_x": dw[:3], "dw_h": dw[3:], **outs}, 1e-4))
    write("DynamicRNNGrad", one)
    write("DynamicRNNV2Grad", two)
    wi, wh, bi, bh, cases = normal(3, 6), normal(2, 6), normal(6), normal(6), []
    for order in ("zrh", "rzh"):

        def loss(x=x, wi=wi, wh=wh, bi=bi, bh=bh, h=h, order=order):
            s = gru_steps(x, wi, wh, bi, bh, h, order)
            return (s["h"] * dy).sum() + (s["h"][-1] * dh).sum()

        s = gru_steps(x, wi, wh, bi, bh, h, order)
        ins = {"x": x, "weight_input": wi, "weight_hidden": wh, "y": s["h"], "init_h": h, "h": s["h"], "dy": dy, "dh": dh}
        ins.update({k: s[k] for k in ("update", "reset", "new", "hidden_new")})
        outs = {"dw_input": slope(wi, lambda v: loss(wi=v)), "dw_hidden": slope(wh, lambda v: loss(wh=v)),
                "db_input": slope(bi, lambda v: loss(bi=v)), "db_hidden": slope(bh, lambda v: loss(bh=v)),
                "dx": slope(x, lambda v: loss(x=v)), "dh_prev": slope(h, lambda v: loss(h=v))}
        cases.append(case({"gate_order": order}, ins, outs, 1e-4))
    write("DynamicGRUV2Grad", cases)


# ---- experts ----
def gating():
    x, bias, cases = normal(5, 8), normal(8), []
    for pairs in (0, 1):
        s = sigmoid(x)
        chosen = (s + bias).reshape(5, 4, 2)
        good = chosen.sum(-1) if pairs else chosen.max(-1)
        best = np.argsort(-good, 1)[:, :2]
        keep = np.zeros((5, 4), bool)
        np.put_along_axis(keep, best, True, 1)
        c = np.where(keep[..., None], chosen, -np.inf).reshape(5, 8)
        idx = np.argsort(-c, 1)[:, :3]
        y = np.take_along_axis(s, idx, 1)
        y = y / y.sum(1, keepdims=True) * 2.5
        attrs = {"k": 3, "k_group": 2, "group_count": 4, "group_select_mode": pairs, "norm_type": 1,
                 "routed_scaling_factor": 2.5}
        cases.append(case(attrs, {"x": x, "bias": bias}, {"y": y, "expert_idx": idx.astype(np.int32), "out": s}))
    write("MoeGatingTopK", cases)


def groups():
    x, w = normal(7, 3), normal(3, 3, 4)
    y, at = [], 0
    for e, g in enumerate((2, 0, 4)):
        y.append(x[at:at + g] @ w[e])
        at += g
    y = np.concatenate(y + [np.zeros((1, 4))])
    attrs = {"split_item": 3, "group_type": 0, "dtype": 0}
    totals = case({**attrs, "group_list_type": 0}, {"x": [x], "weight": [w], "group_list": np.array([2, 2, 6])}, {"y": [y]})
    counts = case({**attrs, "group_list_type": 1}, {"x": [x], "weight": [w], "group_list": np.array([2, 0, 4])}, {"y": [y]})
    turned = case({**attrs, "group_list_type": 0, "transpose_weight": True},
                  {"x": [x], "weight": [np.ascontiguousarray(w.transpose(0, 2, 1))], "group_list": np.array([2, 2, 6])},
                  {"y": [y]})
    write("GroupedMatmul", [totals, counts, turned])


# ---- transforms of lengths with small, repeated and large prime factors ----
def fourier():
    cases = []
    for n in (1, 30, 49, 97, 128, 210):
        x = normal(2, n)
        turns = np.exp(-2j * np.pi * np.outer(np.arange(n), np.arange(n)) / n)
        y = x @ turns
        cases.append(case({}, {"x": x[..., None]}, {"y": np.stack([y.real, y.imag], -1)}, 1e-4))
    write("DFT", cases)


if __name__ == "__main__":
    training()
    caches()
    lstm()
    gru()
    gating()
    groups()
    fourier()
    recurrent_grads()
# SPDX-License-Identifier: Apache-2.0
