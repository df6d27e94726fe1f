#!/usr/bin/env python3
"""Whole models as ONNX Runtime's quantisers write them, and as a session saves them, beside ONNX Runtime.

  tools/ms_quantised_models.py WEFT FOLDER [MODEL.onnx...]

Makes in FOLDER: small products and look-ups in 4 and 8 bits by the weight-only quantiser (block sizes, zero points, operators
or DequantizeLinear); MODELs quantised statically and dynamically in 8, 16 and 4 bits; and what sessions save of all of these
and of MODELs at each level. Then runs all of them with both programs. A number may be off by 1e-4 of the largest one, by 6e-2
in a quantised network, where a byte that falls halfway goes its own way, and by 2e-2 where the peer's optimiser allows itself
products of bytes (accuracy_level 4). Needs the registry packages onnxruntime, onnx,
onnx_ir, sympy, numpy.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization as quant
from onnxruntime.quantization.matmul_nbits_quantizer import DefaultWeightOnlyQuantConfig, MatMulNBitsQuantizer
from onnxruntime.quantization.shape_inference import quant_pre_process

LEVELS = {"basic": ort.GraphOptimizationLevel.ORT_ENABLE_BASIC, "extended": ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
          "all": ort.GraphOptimizationLevel.ORT_ENABLE_ALL}
U8, S8, U16, S4 = quant.QuantType.QUInt8, quant.QuantType.QInt8, quant.QuantType.QUInt16, quant.QuantType.QInt4
OPERATORS, PAIRS = quant.QuantFormat.QOperator, quant.QuantFormat.QDQ
STATIC = {"operators_u8": dict(quant_format=OPERATORS, activation_type=U8, weight_type=U8),
          "operators_s8": dict(quant_format=OPERATORS, activation_type=S8, weight_type=S8, per_channel=True),
          "pairs_u8": dict(quant_format=PAIRS, activation_type=U8, weight_type=S8, per_channel=True),
          "pairs_u16": dict(quant_format=PAIRS, activation_type=U16, weight_type=S8, extra_options={"UseQDQContribOps": True}),
          "pairs_w4": dict(quant_format=PAIRS, activation_type=U8, weight_type=S4, extra_options={"UseQDQContribOps": True})}
DYNAMIC = {"dynamic_u8": dict(weight_type=U8), "dynamic_s8": dict(weight_type=S8, per_channel=True)}


def session(path, level=ort.GraphOptimizationLevel.ORT_DISABLE_ALL, save=None):
    options = ort.SessionOptions()
    options.graph_optimization_level, options.log_severity_level = level, 4
    if save:
        options.optimized_model_filepath = save
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def feed_of(s, seed):
    """Random floats, ones for everything else."""
    rng, feed = np.random.default_rng(seed), {}
    types = {"tensor(float)": np.float32, "tensor(float16)": np.float16, "tensor(int64)": np.int64, "tensor(bool)": bool,
             "tensor(uint8)": np.uint8, "tensor(int8)": np.int8}
    for i in s.get_inputs():
        shape = [d if isinstance(d, int) and d > 0 else 2 for d in i.shape]
        t = types.get(i.type, np.int32)
        feed[i.name] = rng.standard_normal(shape).astype(t) if "float" in i.type else np.ones(shape, t)
    return feed


class Reader(quant.CalibrationDataReader):
    def __init__(self, path):
        s = session(path)
        self.left = [feed_of(s, seed) for seed in range(2)]

    def get_next(self):
        return self.left.pop() if self.left else None


def products(look_up):
    rng, width, inner, out = np.random.default_rng(0), 64, 96, 40
    def weight(name, *shape):
        return numpy_helper.from_array((rng.standard_normal(shape) / 8).astype(np.float32), name)
    weights = [weight("w1", width, inner), weight("w2", inner, out), weight("b", out), weight("e", 50, width)]
    nodes = [helper.make_node("Gather", ["e", "ids"], ["x"], "g")] if look_up else []
    nodes += [helper.make_node("MatMul", ["x", "w1"], ["h"], "m1"), helper.make_node("Relu", ["h"], ["r"], "r"),
              helper.make_node("MatMul", ["r", "w2"], ["o"], "m2"), helper.make_node("Add", ["o", "b"], ["y"], "a")]
    info, dims = helper.make_tensor_value_info, ["batch", "steps"]
    given = info("ids", TensorProto.INT64, dims) if look_up else info("x", TensorProto.FLOAT, dims + [width])
    graph = helper.make_graph(nodes, "g", [given], [info("y", TensorProto.FLOAT, dims + [out])], weights[:3 + look_up])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def weight_only(folder):
    for bits in (4, 8):
        for block in (16, 32, 64, 128):
            for symmetric in (True, False):
                for form in (OPERATORS, PAIRS):
                    for look_up in (False, True) if form == OPERATORS else (False,):
                        config = DefaultWeightOnlyQuantConfig(block_size=block, is_symmetric=symmetric, quant_format=form,
                                                              bits=bits, op_types_to_quantize=("MatMul", "Gather"))
                        q = MatMulNBitsQuantizer(products(look_up), algo_config=config)
                        q.process()
                        sign = "symmetric" if symmetric else "zeros"
                        onnx.save(q.model.model, f"{folder}/weights{bits}_{block}_{sign}_{form.name}_{int(look_up)}.onnx")


def quantise(path, folder):
    name = os.path.basename(os.path.dirname(path)) if os.path.basename(path) == "model.onnx" else os.path.basename(path)[:-5]
    ready = f"{folder}/{name}.onnx"
    try:
        quant_pre_process(path, ready, skip_symbolic_shape=True)
    except Exception as e:
        print(f"{name}: not prepared: {str(e)[:100]}")
        onnx.save(onnx.load(path), ready)
    for form, options in {**STATIC, **DYNAMIC}.items():
        try:
            if form in STATIC:
                quant.quantize_static(ready, f"{folder}/{name}_{form}.onnx", Reader(ready), **options)
            else:
                quant.quantize_dynamic(ready, f"{folder}/{name}_{form}.onnx", **options)
        except Exception as e:
            print(f"{name}: the peer does not make {form}: {str(e)[:100]!r}")


def saved(folder):
    for name in sorted(os.listdir(folder)):
        for level, value in LEVELS.items():
            try:
                session(f"{folder}/{name}", value, f"{folder}/{name[:-5]}_saved_{level}.onnx")
            except Exception as e:
                print(f"{name}: the peer does not save level {level}: {str(e)[:100]!r}")


def compare(weft, path):
    """A line that says what is wrong, and whether it counts."""
    s = session(path)
    feed = feed_of(s, 1)
    try:
        want = s.run(None, feed)
    except Exception as e:
        return f"the peer cannot run it: {str(e)[:100]!r}", False
    with tempfile.TemporaryDirectory() as tmp:
        args = [weft, "run", path, "--save", tmp]
        for k, (name, v) in enumerate(feed.items()):
            np.save(f"{tmp}/{k}.npy", v)
            args += ["--input", f"{name}={tmp}/{k}.npy"]
        run = subprocess.run(args, capture_output=True, text=True)
        if run.returncode:
            return run.stderr.strip()[:300], True
        coarse = any(a.name == "accuracy_level" and a.i == 4 for n in onnx.load(path).graph.node for a in n.attribute)
        bound = 6e-2 if any(form in path for form in (*STATIC, *DYNAMIC)) else 2e-2 if coarse else 1e-4
        for o, w in zip(s.get_outputs(), want):
            got = np.load(f"{tmp}/{o.name.replace('/', '_')}.npy").astype(np.float64)
            most = np.max(np.abs(w.astype(np.float64))) if w.size else 0
            off = np.max(np.abs(got - w)) if got.shape == w.shape and w.size else 0
            if got.shape != w.shape or not off <= bound * (most + 1e-30):
                return f"{o.name}: {off:.3g} of {most:.3g}, {list(got.shape)} and {list(w.shape)}", True
    return "", False


def main():
    weft, folder = sys.argv[1], sys.argv[2]
    os.makedirs(folder, exist_ok=True)
    ort.set_default_logger_severity(4)
    weight_only(folder)
    for path in sys.argv[3:]:
        quantise(path, folder)
    saved(folder)
    names, wrong = sorted(os.listdir(folder)), 0
    for name in names:
        said, counts = compare(weft, f"{folder}/{name}")
        wrong += counts
        if said:
            print(f"{name}: {said}")
    print(f"{len(names) - wrong} of {len(names)} models agree")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: Apache-2.0
