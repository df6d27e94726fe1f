#!/usr/bin/env python3
"""Quantised forms of ONNX models, for benchmarks: 8-bit, calibrated with the model's data sets or random inputs.

  tools/quantised_models.py MODEL.onnx... -o FOLDER [--form qdq qlinear dynamic] [--signed] [--rounds 2]

Writes FOLDER/NAME_FORM/model.onnx, NAME being the model's folder (or the file's name), with test_data_set_0 made by
ONNX Runtime:
  qdq      DequantizeLinear and QuantizeLinear around float operators, weights per channel
  qlinear  QLinearConv and QLinearMatMul, the rest in float
  dynamic  MatMulInteger and ConvInteger of inputs whose scale is found while running (DynamicQuantizeLinear)
Networks without convolutions are transformers here: only their products with constant weights are quantised. Needs onnx
and onnxruntime, which has the quantiser. Inputs with unknown dims get 1. The same model gives the same files.
"""
import argparse
import os
import pathlib
import tempfile

import numpy
import onnx
import onnxruntime
from onnxruntime import quantization as quant
from onnxruntime.quantization.shape_inference import quant_pre_process

DTYPE = {"tensor(float)": numpy.float32, "tensor(int64)": numpy.int64, "tensor(int32)": numpy.int32, "tensor(bool)": bool}


def data_set(folder, inputs):
    """{name: array} of a test_data_set folder, None where it lacks one."""
    feed = {}
    for i, (name, _, _) in enumerate(inputs):
        path = folder / f"input_{i}.pb"
        if not path.exists():
            return None
        tensor = onnx.TensorProto()
        tensor.ParseFromString(path.read_bytes())
        feed[name] = onnx.numpy_helper.to_array(tensor)
    return feed


class Inputs(quant.CalibrationDataReader):
    """The data sets beside the model, then random numbers (zeros where inputs are integers)."""

    def __init__(self, model, inputs, rounds):
        state = numpy.random.default_rng(7)
        folders = sorted(pathlib.Path(model).parent.glob("test_data_set_*"))[:rounds]
        self.feeds = [f for f in (data_set(folder, inputs) for folder in folders) if f]
        while len(self.feeds) < rounds:
            self.feeds.append({name: state.standard_normal(shape).astype(numpy.float32) if dtype is numpy.float32 else
                               numpy.zeros(shape, dtype) for name, shape, dtype in inputs})
        self.left = list(self.feeds)

    def get_next(self):
        return self.left.pop(0) if self.left else None


def inputs_of(path):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return [(i.name, [d if isinstance(d, int) else 1 for d in i.shape], DTYPE[i.type]) for i in session.get_inputs()]


def save_data(folder, feed):
    data = folder / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
    outputs = session.run(None, feed)
    for kind, values in (("input", list(feed.items())), ("output", zip((y.name for y in session.get_outputs()), outputs))):
        for i, (name, value) in enumerate(values):
            (data / f"{kind}_{i}.pb").write_bytes(onnx.numpy_helper.from_array(value, name).SerializeToString())


def fold(path, to):
    """Constants computed and batch norms folded into convolutions, as any quantiser would have them; one file."""
    model = onnx.load(path)
    if max(o.version for o in model.opset_import if o.domain in ("", "ai.onnx")) < 11:
        model = onnx.version_converter.convert_version(model, 11)
    onnx.save(model, to)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = to
    onnxruntime.InferenceSession(to, options, providers=["CPUExecutionProvider"])


def operators(ready, form):
    """Which operators are quantised; None: the quantiser's own choice."""
    if not any(n.op_type == "Conv" for n in onnx.load(ready, load_external_data=False).graph.node):
        return ["MatMul", "Gemm"] if form == "qdq" else ["MatMul"]
    return None if form == "qdq" else ["Conv", "MatMul"]  # the others would be no ONNX operators


def quantise(path, folder, form, signed, rounds):
    path = pathlib.Path(path)
    inputs = inputs_of(path)
    to = pathlib.Path(folder) / f"{path.parent.name if path.stem == 'model' else path.stem}_{form}"
    to.mkdir(parents=True, exist_ok=True)
    data, model = Inputs(path, inputs, rounds), str(to / "model.onnx")
    with tempfile.TemporaryDirectory() as scratch:
        folded, ready = os.path.join(scratch, "folded.onnx"), os.path.join(scratch, "ready.onnx")
        fold(path, folded)  # quant_pre_process would, and then forget it without symbolic shapes
        quant_pre_process(folded, ready, skip_symbolic_shape=True, skip_optimization=True)
        chosen = operators(ready, form)
        if form == "dynamic":
            quant.quantize_dynamic(ready, model, op_types_to_quantize=chosen, weight_type=quant.QuantType.QInt8)
        else:
            kind = quant.QuantType.QInt8 if signed else quant.QuantType.QUInt8
            quant.quantize_static(
                ready, model, data, per_channel=True, op_types_to_quantize=chosen,
                quant_format=quant.QuantFormat.QDQ if form == "qdq" else quant.QuantFormat.QOperator,
                activation_type=kind, weight_type=quant.QuantType.QInt8, extra_options={"MatMulConstBOnly": True})
    save_data(to, data.feeds[0])
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--form", nargs="+", choices=("qdq", "qlinear", "dynamic"), default=["qdq", "qlinear"])
    parser.add_argument("--signed", action="store_true", help="activations of int8 instead of uint8")
    parser.add_argument("--rounds", type=int, default=2)
    o = parser.parse_args()
    for path in o.models:
        for form in o.form:
            print(quantise(path, o.output, form, o.signed, o.rounds))


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
