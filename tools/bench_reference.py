#!/usr/bin/env python3
"""Times operators that run by their reference beside TensorFlow's raw operators (numpy's functions, where it has none), of three sizes.

    tools/bench_reference.py [--only NAME,...] [--sizes 0,1,2] [--seconds S] [--write]

Rows are in tools/bench_reference.txt. Both sides run on one thread in one process, by turns, on the same arrays; S seconds or eight
turns a size, whichever comes later, but after two more seconds three will do. Times are the processor's, so that a busy machine costs
little. Outputs are compared before. --write puts the table into docs/kernels.md, between its marks. Needs tensorflow and the package
weft (docs/python.md); `make test` does not run it.
"""
import argparse
import os
import re
import statistics
import sys
import time

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", TF_ENABLE_ONEDNN_OPTS="1")
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import op_def_registry

import weft

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "kernels.md")
BEGIN, END = "<!-- made by tools/bench_reference.py -->", "<!-- end of what tools/bench_reference.py made -->"
SIZES, SIDES = (1000, 100000, 1000000), (16, 64, 256)
DTYPES = {"f32": "f4", "f64": "f8", "i32": "i4", "i64": "i8", "c64": "c8", "qu8": "u1"}


# ---- inputs ----
def arr(*dims):
    return np.random.standard_normal(dims).astype("f4")


def pos(*dims):
    return np.random.uniform(0.1, 5, dims).astype("f4")


def spd(m):
    a = np.random.standard_normal((m, m))
    return (a @ a.T / m + np.eye(m)).astype("f4")


def coo(k, rows, columns):
    """k places of a matrix, each once, in order."""
    at = np.sort(np.random.choice(rows * columns, k, replace=False))
    return np.stack([at // columns, at % columns], 1).astype("i8")


def pairs(rows, columns):
    return np.stack(np.divmod(np.arange(rows * columns), columns), 1).astype("i8")


def boxes(*dims):
    low, size = np.random.uniform(0, 0.5, (*dims, 2)), np.random.uniform(0.2, 0.5, (*dims, 2))
    return np.concatenate([low, low + size], -1).astype("f4")


def pooled(x):
    return np.maximum(np.maximum(x[:, ::2, ::2], x[:, 1::2, ::2]), np.maximum(x[:, ::2, 1::2], x[:, 1::2, 1::2]))


def texts(n, form):
    return np.array([form.format(i, i * 7 % 1000).encode() for i in range(n)], object)


def b64(n):
    return tf.io.encode_base64(tf.constant(texts(n, "text {}"))).numpy()


def letters(size, side):
    root = int(size ** 0.5)
    return {"n": size, "s": root, "c": int(round((size / 8) ** (1 / 3))), "r": size // 64, "t": size // 16, "h": int((size / 16) ** 0.5),
            "p": int((size / 3) ** 0.5), "m": side}


def filled(dtype, dims, how, names):
    if how.startswith("{"):
        values = [eval(v, names) for v in how[1:-1].split(",")]
        return np.array(values, DTYPES[dtype]).reshape(dims)
    if how.startswith(("<", "sorted<")):
        a = np.random.randint(0, eval(how.split("<")[1], names), dims).astype(DTYPES[dtype])
        return np.sort(a) if how.startswith("sorted") else a
    if how == "unit":
        return np.random.uniform(0.05, 0.95, dims).astype(DTYPES[dtype])
    if how == "pos":
        return pos(*dims).astype(DTYPES[dtype])
    if dtype == "c64":
        return (arr(*dims) + 1j * arr(*dims)).astype("c8")
    return np.asarray(arr(*dims), DTYPES[dtype])


def split(text, by):
    """At `by` outside of brackets."""
    parts, depth = [""], 0
    for ch in text:
        depth += (ch in "([{") - (ch in ")]}")
        if ch == by and depth == 0:
            parts.append("")
        else:
            parts[-1] += ch
    return [p.strip() for p in parts if p.strip()]


def made(spec, names):
    """An input of a row: (constant?, array or list of arrays)."""
    if spec.startswith("("):
        return False, [made(s, names)[1] for s in split(spec[1:-1], ",")]
    if spec.startswith("="):
        return False, eval(spec[1:], names)
    constant = spec.startswith("!")
    dtype, dims, how = re.fullmatch(r"!?(\w+)\[(.*?)\]\s*(.*)", spec).groups()
    dims = tuple(int(eval(d, names)) for d in dims.split(",") if d)
    return constant, filled(dtype, dims, how, names)


# ---- the two sides ----
def has_texts(inputs):
    return any(a.dtype == object for _, given in inputs for a in (given if isinstance(given, list) else [given]))


def weft_side(row, inputs, timed):
    """A function that runs the operator. Timed texts are constants and stay inside, as those of the peer do."""
    g = weft.Graph()
    feeds, args = [], []
    texts = has_texts(inputs)

    def value(constant, a):
        if constant or (texts and timed):
            return g.const(a)
        kind = "str" if a.dtype == object else {v: k for k, v in DTYPES.items()}[a.dtype.str[1:]]
        feeds.append(a)
        return g.input(f"i{len(feeds)}", kind, a.shape)

    for spec, (constant, a) in zip(row["inputs"], inputs):
        if isinstance(a, list):
            args.append([value(False, x) for x in a])
        elif spec.startswith("qu8"):
            feeds.append(a)
            args.append(g.bitcast(g.input(f"i{len(feeds)}", "u8", a.shape), type="qu8", keep_dim=True))
        else:
            args.append(value(constant, a))
    got = g.op(row["op"], *args, **row["attrs"])
    got = list(got) if isinstance(got, (tuple, list)) else [got]
    got = [x for y in got for x in (y if isinstance(y, (tuple, list)) else [y])]
    if timed:
        got = [g.string_length(g.gather_v2(y, np.int32([0]), np.int32(0))) if y.dtype == "str" else y for y in got]
    g.output(*got)
    model = g.model(threads=1, options={"passes": False} if texts and timed else None)
    try:
        return model.bind(*feeds)
    except TypeError:  # texts cannot be bound
        return lambda: model(*feeds)


def tensor(spec, a):
    if isinstance(a, list):
        return [tf.constant(x) for x in a]
    return tf.bitcast(tf.constant(a), tf.quint8) if spec.startswith("qu8") else tf.constant(a)


def peer_side(row, inputs, names):
    tensors = [tensor(spec, a) for spec, (_, a) in zip(row["inputs"], inputs)]
    if row["peer"]:
        known = dict(names, tf=tf, np=np, raw=tf.raw_ops, c_=tensors[2] if len(tensors) > 2 else None)
        known.update(zip("abdefgh", tensors[:2] + tensors[3:]))
        known.update({k: v[1] for k, v in zip("ABCDEFGH", inputs)})
        return eval("lambda: " + row["peer"], known)
    op = op_def_registry.get(row["op"])
    taken = {a.name for a in op.attr}
    call = getattr(tf.raw_ops, row["op"])
    words = {a.name: t for a, t in zip(op.input_arg, tensors)}
    words.update({k: getattr(tf, {"i32": "int32"}.get(v, v)) if k in ("T", "type") else v for k, v in row["attrs"].items() if k in taken})
    return lambda: call(**words)


def arrays(outputs):
    if isinstance(outputs, np.ndarray):
        return [outputs]
    if not isinstance(outputs, (list, tuple)):
        return [outputs.numpy() if hasattr(outputs, "numpy") else outputs]
    return [a for o in outputs for a in arrays(o)]


def differs(row, got, want):
    for i, (a, b) in enumerate(zip(arrays(got), arrays(want))):
        a, b = np.asarray(a), np.asarray(b)
        if a.dtype == object or b.dtype.kind in "OS":
            flat = [v.encode() if isinstance(v, str) else v for v in a.reshape(-1)]
            if flat != list(b.reshape(-1)):
                return f"output {i}"
        elif a.size != b.size:
            return f"output {i}: shapes {a.shape} and {b.shape}"
        elif not np.allclose(a.reshape(-1), b.reshape(-1), 2e-3, 2e-3, equal_nan=True):
            d = np.abs(a.reshape(-1).astype("c16") - b.reshape(-1).astype("c16"))
            return f"output {i}: by {np.nanmax(d):.3g}"
    return ""


# ---- a measurement ----
def measure(ours, theirs, seconds):
    times = [], []
    end = time.perf_counter() + seconds
    stop = end + 2
    while len(times[0]) < 3 or time.perf_counter() < (end if len(times[0]) >= 8 else stop):
        for call, kept in ((ours, times[0]), (theirs, times[1])):
            t = time.process_time()
            call()
            kept.append(time.process_time() - t)
    return [(min(t), statistics.median(t)) for t in times]


def run(row, size, side, seconds):
    np.random.seed(23)
    tf.random.set_seed(23)
    names = dict(globals(), **letters(size, side))
    inputs = []
    for spec in row["inputs"]:
        inputs.append(made(spec, names))
        names["ABCDEFGH"[len(inputs) - 1]] = inputs[-1][1]
    if has_texts(inputs) and size < 10000:  # such constants are folded
        return None
    row = dict(row, attrs=eval(f"dict({row['attributes']})", names))
    ours, theirs = weft_side(row, inputs, True), peer_side(row, inputs, names)
    wrong = "" if row["free"] else differs(row, weft_side(row, inputs, False)(), theirs())
    if wrong:
        print(f"{row['op']}, size {side if 'm' in row['sizes'] else size}: results differ: {wrong}", flush=True)
    return measure(ours, theirs, seconds)


def rows():
    group, found = "", []
    with open(os.path.join(ROOT, "tools", "bench_reference.txt"), encoding="utf-8") as f:
        for line in f:
            if line.startswith("## "):
                group = line[3:].strip()
            elif line.strip() and not line.startswith("#"):
                name, inputs, attributes, peer = ([p.strip() for p in line.split("|")] + ["", ""])[:4]
                sizes = "m" if group == "matrices" else "n"
                found.append({"group": group, "op": name.split()[0], "free": name.endswith("~"), "inputs": split(inputs, ";"),
                              "attributes": attributes, "peer": peer, "sizes": sizes})
    return found


def short(v):
    return f"{v:.0f}" if v >= 10 else f"{v:.2g}"


def cell(pair):
    if not pair:
        return ""
    (least, median), (peer_least, peer_median) = pair
    return f"{short(1000 * least)} ({short(least / peer_least)}, {short(median / peer_median)})"


def table(measured):
    out, group = [], None
    for row, cells in measured:
        if row["group"] != group:
            group = row["group"]
            heads = SIDES if row["sizes"] == "m" else SIZES
            words = [f"{h} x {h}" if row["sizes"] == "m" else f"{h:,}" for h in heads]
            out += ["", f"| {group} | " + " | ".join(words) + " |", "|---|---|---|---|"]
        out.append(f"| {row['op']} | " + " | ".join(cells) + " |")
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", default="", help="operators, with commas between")
    parser.add_argument("--sizes", default="0,1,2", help="which of the three")
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--write", action="store_true")
    o = parser.parse_args()
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    only, measured = set(filter(None, o.only.split(","))), []
    for row in rows():
        if only and row["op"] not in only:
            continue
        cells = []
        for i in map(int, o.sizes.split(",")):
            try:
                cells.append(cell(run(row, SIZES[i], SIDES[i], o.seconds)))
            except Exception as e:  # whatever a library throws ends this cell only
                print(f"{row['op']}: {type(e).__name__}: {' '.join(str(e).split())[:300]}", file=sys.stderr, flush=True)
                cells.append("")
        print(f"{row['op']:32}" + "  ".join(f"{c:24}" for c in cells), flush=True)
        measured.append((row, cells))
    if o.write:
        with open(PAGE, encoding="utf-8") as f:
            text = f.read()
        head, rest = text.split(BEGIN)
        with open(PAGE, "w", encoding="utf-8") as f:
            f.write(head + BEGIN + "\n" + table(measured) + "\n" + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
