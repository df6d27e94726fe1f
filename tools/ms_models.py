#!/usr/bin/env python3
"""Whole models as ONNX Runtime's tools write them, beside ONNX Runtime: those of its transformer optimiser, and those
that a session saves once it has optimised them.

  tools/ms_models.py WEFT [--write]

A BERT as torch exports it (three forms of it) goes through the optimiser; it, its result, and a decoder as the peer's
model builder writes it are saved by sessions of all levels. Weights are random. --write puts small ones to
tests/data/ms/, with models.txt for tests/ms_cases_test.c. Needs the registry packages onnxruntime, onnx, numpy, sympy.
"""
import logging
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.transformers import optimizer
from onnxruntime.transformers.fusion_options import FusionOptions

from ms_cases import ROOT, text_of

MS = "com.microsoft"
LEVELS = {"basic": ort.GraphOptimizationLevel.ORT_ENABLE_BASIC, "extended": ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
          "all": ort.GraphOptimizationLevel.ORT_ENABLE_ALL}


class Writer:
    """Nodes one after another, with random weights."""

    def __init__(self, seed):
        self.nodes, self.weights, self.rng = [], [], np.random.default_rng(seed)

    def const(self, v):
        self.weights.append(numpy_helper.from_array(np.asarray(v), f"w{len(self.weights)}"))
        return self.weights[-1].name

    def weight(self, *shape):
        return self.const(self.rng.normal(0, 0.3, shape).round(3).astype(np.float32))

    def number(self, v):
        return self.const(np.float32(v))

    def op(self, kind, *inputs, outputs=None, domain="", **attrs):
        n = len(self.nodes)
        outputs = outputs or [f"t{n}"]
        self.nodes.append(helper.make_node(kind, inputs, outputs, f"{kind}_{n}", domain=domain, **attrs))
        return outputs[0]

    def linear(self, x, rows, columns):
        return self.op("Add", self.op("MatMul", x, self.weight(rows, columns)), self.weight(columns))

    def save(self, path, inputs, outputs, opset):
        info = helper.make_tensor_value_info
        graph = helper.make_graph(self.nodes, "g", [info(*i) for i in inputs], [info(*o) for o in outputs], self.weights)
        opsets = [helper.make_opsetid("", opset), helper.make_opsetid(MS, 1)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="pytorch",
                                    producer_version="1.13"), path)


# ---- BERT ----
def layer_norm(w, x, size, one_node):
    if one_node:
        return w.op("LayerNormalization", x, w.weight(size), w.weight(size), epsilon=1e-12)
    centred = w.op("Sub", x, w.op("ReduceMean", x, axes=[-1]))
    variance = w.op("ReduceMean", w.op("Pow", centred, w.number(2)), axes=[-1])
    y = w.op("Div", centred, w.op("Sqrt", w.op("Add", variance, w.number(1e-12))))
    return w.op("Add", w.op("Mul", y, w.weight(size)), w.weight(size))


def gelu(w, x, fast):
    if not fast:
        y = w.op("Add", w.op("Erf", w.op("Div", x, w.number(2 ** 0.5))), w.number(1))
        return w.op("Mul", w.op("Mul", x, y), w.number(0.5))
    cube = w.op("Mul", w.op("Pow", x, w.number(3)), w.number(0.044715))
    y = w.op("Tanh", w.op("Mul", w.op("Add", x, cube), w.number(0.7978845608)))
    return w.op("Mul", w.op("Mul", x, w.number(0.5)), w.op("Add", y, w.number(1)))


def bert_layer(w, x, mask, size, heads, fast, one_node):
    def head(perm):
        y = w.op("Reshape", w.linear(x, size, size), w.const(np.array([0, 0, heads, size // heads])))
        return w.op("Transpose", y, perm=perm)
    q, k, v = head([0, 2, 1, 3]), head([0, 2, 3, 1]), head([0, 2, 1, 3])
    scores = w.op("Div", w.op("MatMul", q, k), w.number((size // heads) ** 0.5))
    y = w.op("MatMul", w.op("Softmax", w.op("Add", scores, mask), axis=-1), v)
    y = w.op("Reshape", w.op("Transpose", y, perm=[0, 2, 1, 3]), w.const(np.array([0, 0, size])))
    x = layer_norm(w, w.op("Add", w.linear(y, size, size), x), size, one_node)
    y = w.linear(gelu(w, w.linear(x, size, 2 * size), fast), 2 * size, size)
    return layer_norm(w, w.op("Add", y, x), size, one_node)


def bert(path, size, heads, layers, fast=False, one_node=False):
    w, zero, one = Writer(1), np.array([0]), np.array([1])
    steps = w.op("Gather", w.op("Shape", "ids"), w.const(np.int64(1)), axis=0)
    steps = w.op("Unsqueeze", steps, w.const(zero))
    places = w.op("Slice", w.const(np.arange(8)[None]), w.const(zero), steps, w.const(one), w.const(one))
    mask = w.op("Unsqueeze", w.op("Unsqueeze", "mask", w.const(one)), w.const(np.array([2])))
    mask = w.op("Sub", w.number(1), w.op("Cast", mask, to=TensorProto.FLOAT))
    mask = w.op("Mul", mask, w.number(-10000))
    x = w.op("Add", w.op("Gather", w.weight(9, size), "ids"), w.op("Gather", w.weight(2, size), "kinds"))
    x = layer_norm(w, w.op("Add", x, w.op("Gather", w.weight(8, size), places)), size, one_node)
    for _ in range(layers):
        x = bert_layer(w, x, mask, size, heads, fast, one_node)
    w.nodes[-1].output[0] = "hidden"
    dims = ["batch", "sequence"]
    w.save(path, [(n, TensorProto.INT64, dims) for n in ("ids", "mask", "kinds")],
           [("hidden", TensorProto.FLOAT, dims + [size])], 17 if one_node else 14)


def bert_inputs(rng):
    for b, s in ((2, 4), (1, 7), (3, 1)):
        mask = (np.arange(s) < rng.integers(1, s + 1, (b, 1))).astype(np.int64)
        yield [rng.integers(0, 9, (b, s)), mask, rng.integers(0, 2, (b, s))]


# ---- a decoder ----
def decoder(path, size, heads, kv, head, layers, turns_inside=True, window=-1):
    w, words, f, i64 = Writer(2), 7, TensorProto.FLOAT, TensorProto.INT64
    angles = np.arange(16)[:, None] / 100 ** (np.arange(0, head, 2) / head)
    turns = [w.const(np.cos(angles).astype(np.float32)), w.const(np.sin(angles).astype(np.float32))]
    count = w.op("Sub", w.op("ReduceSum", "mask", w.const(np.array([1])), keepdims=0), w.const(np.array([1])))
    total = w.op("Gather", w.op("Shape", "mask"), w.const(np.int64(1)), axis=0)
    lengths = [w.op("Cast", v, to=TensorProto.INT32) for v in (count, total)]
    inputs = [("ids", i64, ["batch", "sequence"]), ("mask", i64, ["batch", "total"])]
    inputs += [] if turns_inside else [("places", i64, ["batch", "sequence"])]
    outputs = [("logits", f, ["batch", "sequence", words])]
    sum_ = w.op("Gather", w.weight(words, size), "ids")
    x = w.op("SimplifiedLayerNormalization", sum_, w.weight(size), epsilon=1e-5)

    def skip(x, sum_, n):
        names = [f"norm{n}", "", "", f"sum{n}"]
        w.op("SkipSimplifiedLayerNormalization", sum_, x, w.weight(size), outputs=names, domain=MS, epsilon=1e-5)
        return names[0], names[3]
    for n in range(layers):
        q, k, v = (w.op("MatMul", x, w.weight(size, c * head)) for c in (heads, kv, kv))
        if not turns_inside:
            q, k = (w.op("RotaryEmbedding", t, "places", *turns, domain=MS) for t in (q, k))
        past, names = [f"past_k{n}", f"past_v{n}"], [f"y{n}", f"k{n}", f"v{n}"]
        y = w.op("GroupQueryAttention", q, k, v, *past, *lengths, *(turns if turns_inside else []), outputs=names,
                 domain=MS, num_heads=heads, kv_num_heads=kv, do_rotary=int(turns_inside), local_window_size=window)
        inputs += [(p, f, ["batch", kv, "past", head]) for p in past]
        outputs += [(p, f, ["batch", kv, "total", head]) for p in names[1:]]
        x, sum_ = skip(w.op("MatMul", y, w.weight(heads * head, size)), sum_, 2 * n)
        gate, up = (w.op("MatMul", x, w.weight(size, 2 * size)) for _ in range(2))
        y = w.op("Mul", w.op("Mul", gate, w.op("Sigmoid", gate)), up)
        x, sum_ = skip(w.op("MatMul", y, w.weight(2 * size, size)), sum_, 2 * n + 1)
    w.op("MatMul", x, w.weight(size, words), outputs=["logits"])
    w.save(path, inputs, outputs, 14)


def decoder_inputs(rng, kv, head, layers, places):
    for b, s, p in ((1, 3, 2), (2, 1, 3), (1, 4, 0), (2, 3, 0)):
        past = [rng.normal(0, 0.3, (b, kv, p, head)).round(2).astype(np.float32) for _ in range(2 * layers)]
        given = [np.tile(np.arange(p, p + s), (b, 1))] if places else []
        yield [rng.integers(0, 7, (b, s)), np.ones((b, s + p), np.int64)] + given + past


# ---- comparing ----
def session(path, level="all", save=""):
    options = ort.SessionOptions()
    options.graph_optimization_level = LEVELS[level]
    options.log_severity_level = 4
    if save:
        options.optimized_model_filepath = save
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def optimised(source, heads, size, multi_head, half, path):
    options = FusionOptions("bert")
    options.use_multi_head_attention = multi_head
    model = optimizer.optimize_model(source, "bert", heads, size, options, opt_level=0)
    if half:
        model.convert_float_to_float16(keep_io_types=True)
    model.save_model_to_file(path)


def worst(weft, path, feed, names, want):
    """The largest difference, relative to the larger of 1 and the number."""
    with tempfile.TemporaryDirectory() as tmp:
        args = [weft, "run", path, "--save", tmp]
        for name, v in feed.items():
            np.save(f"{tmp}/in_{name}.npy", v)
            args += ["--input", f"{name}={tmp}/in_{name}.npy"]
        run = subprocess.run(args, capture_output=True, text=True)
        if run.returncode:
            return run.stderr.strip()
        most = 0.0
        for name, w in zip(names, want):
            got = np.load(f"{tmp}/{name}.npy")
            if got.shape != w.shape:
                return f"output '{name}' has the shape {got.shape}, expected {w.shape}"
            most = max(most, float(np.max(np.abs(got - w) / np.maximum(1, np.abs(w)), initial=0)))
        return most


def compare(weft, label, path, source, feeds, tolerance=1e-5):
    peer, bad = session(source), []
    names = [i.name for i in peer.get_inputs()]
    for values in feeds:
        feed = dict(zip(names, values))
        got = worst(weft, path, feed, [o.name for o in peer.get_outputs()], peer.run(None, feed))
        if isinstance(got, str) or not got <= tolerance:
            bad.append(got)
    kinds = sorted({n.op_type for n in onnx.load(path).graph.node if n.domain})
    print(f"{'FAILED' if bad else 'equal'}: {label} ({', '.join(kinds)})" + "".join(f"\n  {b}" for b in dict.fromkeys(bad)))
    return not bad


def forms(folder, small):
    """Label, file, the model that says what must come out, inputs, tolerance."""
    size, heads, layers = (8, 2, 1) if small else (32, 4, 2)
    rng = np.random.default_rng(3)
    for name, options in (("bert", {}), ("bert_fast", {"fast": True}), ("bert_17", {"one_node": True})):
        source = f"{folder}/{name}.onnx"
        bert(source, size, heads, layers, **options)
        feeds = list(bert_inputs(rng))
        yield name, source, source, feeds, 1e-5
        for multi_head, half in ((False, False), (True, False), (False, True)):
            label = f"{name}_optimiser" + ("_mha" if multi_head else "") + ("_f16" if half else "")
            optimised(source, heads, size, multi_head, half, f"{folder}/{label}.onnx")
            yield label, f"{folder}/{label}.onnx", source, feeds, 2e-2 if half else 1e-5
    shape = (size, heads, 1, 16, layers)
    for name, inside, window in (("decoder", True, -1), ("decoder_places", False, -1), ("decoder_window", True, 3)):
        source = f"{folder}/{name}.onnx"
        decoder(source, *shape, inside, window)
        yield name, source, source, list(decoder_inputs(rng, 1, 16, layers, not inside)), 1e-5


def write(folder):
    """tests/data/ms: some of the files, and models.txt with inputs and results."""
    lines = [f"# Written by tools/ms_models.py from ONNX Runtime {ort.__version__}; tests/ms_cases_test.c says how to read it."]
    kept = {"bert_optimiser", "bert_fast_optimiser_mha", "decoder", "bert:extended"}
    for label, path, source, feeds, _ in forms(folder, True):
        for name, file in ((label, path), (f"{label}:extended", f"{folder}/saved.onnx")):
            if name not in kept:
                continue
            if file != path:
                session(path, "extended", file)
            stored = name.replace(":", "_")
            onnx.save(onnx.load(file), f"{ROOT}/tests/data/ms/{stored}.onnx")
            peer = session(source)
            for values in feeds[:2]:
                results = peer.run(None, dict(zip([i.name for i in peer.get_inputs()], values)))
                lines += [f"model {stored}.onnx"] + [f"in {text_of(v)}" for v in values]
                lines += [f"out {text_of(v)} ~1e-05" for v in results]
    with open(f"{ROOT}/tests/data/ms/models.txt", "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


def main():
    logging.disable(logging.CRITICAL)
    ort.set_default_logger_severity(4)
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for label, path, source, feeds, tolerance in forms(folder, False):
            good &= compare(sys.argv[1], label, path, source, feeds, tolerance)
            for level in LEVELS:
                saved = f"{folder}/saved.onnx"
                session(path, level, saved)
                good &= compare(sys.argv[1], f"{label}, saved at level {level}", saved, source, feeds, tolerance)
        if "--write" in sys.argv:
            write(folder)
    return not good


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: Apache-2.0
