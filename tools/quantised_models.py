#!/usr/bin/env python3
"""Quantised forms of ONNX models, for benchmarks: 8-bit, per channel, calibrated with random inputs.

  tools/quantised_models.py MODEL.onnx... -o FOLDER [--signed] [--rounds 2]

Writes FOLDER/NAME_qdq/model.onnx (DequantizeLinear and QuantizeLinear around float operators) and
FOLDER/NAME_qlinear/model.onnx (QLinearConv and its like, the rest in float), each with test_data_set_0 made by ONNX
Runtime. Needs onnx and onnxruntime, which has the quantiser; NAME is the model's folder. Inputs with unknown dims get 1.
The same model gives the same files.
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


class Random(quant.CalibrationDataReader):
    def __init__(self, inputs, rounds):
        self.inputs, self.rounds, self.state = inputs, rounds, numpy.random.default_rng(7)

    def get_next(self):
        if not self.rounds:
            return None
        self.rounds -= 1
        return {name: self.state.standard_normal(shape).astype(numpy.float32) for name, shape in self.inputs}


def inputs_of(path):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return [(i.name, [d if isinstance(d, int) else 1 for d in i.shape]) for i in session.get_inputs()]


def save_data(folder, inputs):
    data = folder / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    feed = Random(inputs, 1).get_next()
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
    outputs = session.run(None, feed)
    for kind, values in (("input", list(feed.items())), ("output", zip((y.name for y in session.get_outputs()), outputs))):
        for i, (name, value) in enumerate(values):
            (data / f"{kind}_{i}.pb").write_bytes(onnx.numpy_helper.from_array(value, name).SerializeToString())


def quantise(path, folder, form, o):
    name = pathlib.Path(path).parent.name
    inputs = inputs_of(path)
    to = pathlib.Path(folder) / f"{name}_{form}"
    to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        ready = os.path.join(scratch, "ready.onnx")
        quant_pre_process(path, ready, skip_symbolic_shape=True)
        quant.quantize_static(
            ready, str(to / "model.onnx"), Random(inputs, o.rounds), per_channel=True,
            quant_format=quant.QuantFormat.QDQ if form == "qdq" else quant.QuantFormat.QOperator,
            op_types_to_quantize=None if form == "qdq" else ["Conv", "MatMul"],  # the others would be no ONNX operators
            activation_type=quant.QuantType.QInt8 if o.signed else quant.QuantType.QUInt8, weight_type=quant.QuantType.QInt8)
    save_data(to, inputs)
    print(to / "model.onnx")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--signed", action="store_true", help="activations of int8 instead of uint8")
    parser.add_argument("--rounds", type=int, default=2)
    o = parser.parse_args()
    for path in o.models:
        for form in ("qdq", "qlinear"):
            quantise(path, o.output, form, o)


if __name__ == "__main__":
    main()
