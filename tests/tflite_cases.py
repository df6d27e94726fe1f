#!/usr/bin/env python3
"""Makes tests/data/tflite: quantised models of one operator, with what the TFLite interpreter's
reference kernels give for random inputs: tflite_cases.py OUT. It needs ai-edge-litert, flatbuffers and
numpy; the tests read what it made."""
import json
import os
import sys

import flatbuffers
import numpy as np
from ai_edge_litert import interpreter, schema_py_generated as schema

TYPES = {"int8": 9, "int16": 7, "int32": 2, "int64": 4, "uint8": 3}
RANDOM = np.random.default_rng(1)


def tensor(graph, model, name, a, quant, constant):
    t = schema.TensorT()
    t.name, t.shape, t.type, t.buffer, t.hasRank = name, list(a.shape), TYPES[str(a.dtype)], 0, True
    if quant:
        q = schema.QuantizationParametersT()
        scales, q.quantizedDimension = quant[0], quant[2] if len(quant) > 2 else 0
        q.scale = list(scales) if isinstance(scales, (list, tuple)) else [scales]
        q.zeroPoint = [quant[1]] * len(q.scale)
        t.quantization = q
    if constant:
        b = schema.BufferT()
        b.data = np.frombuffer(a.tobytes(), np.uint8)
        model.buffers.append(b)
        t.buffer = len(model.buffers) - 1
    graph.tensors.append(t)
    return len(graph.tensors) - 1


def model_of(op, options, values, inputs, out):
    """inputs: (array, (scale, zero point[, axis]) or None, constant); out: (dtype, scale, zero point)"""
    model, graph = schema.ModelT(), schema.SubGraphT()
    code, node = schema.OperatorCodeT(), schema.OperatorT()
    model.version, model.buffers = 3, [schema.BufferT()]
    model.operatorCodes, model.subgraphs = [code], [graph]
    code.builtinCode = code.deprecatedBuiltinCode = getattr(schema.BuiltinOperator, op)
    code.version = 4 if op == "FULLY_CONNECTED" else 3 if op in ("CONV_2D", "DEPTHWISE_CONV_2D") else 2
    graph.name, graph.tensors, graph.operators, graph.inputs = "main", [], [node], []
    node.opcodeIndex, node.inputs = 0, []
    if options:
        node.builtinOptionsType = getattr(schema.BuiltinOptions, options + "Options")
        node.builtinOptions = getattr(schema, options + "OptionsT")()
        for k, v in values.items():
            setattr(node.builtinOptions, k, v)
    for i, (a, quant, constant) in enumerate(inputs):
        k = tensor(graph, model, "x%d" % i, a, quant, constant)
        node.inputs.append(k)
        if not constant:
            graph.inputs.append(k)
    graph.outputs = node.outputs = [tensor(graph, model, "y", np.zeros((1,), out[0]), out[1:], False)]
    b = flatbuffers.Builder(1024)
    b.Finish(model.Pack(b), b"TFL3")
    return bytes(b.Output())


def case(root, name, op, options, values, inputs, out):
    data = model_of(op, options, values, inputs, out)
    run = interpreter.Interpreter(model_content=data,
                                  experimental_op_resolver_type=interpreter.OpResolverType.BUILTIN_REF)
    run.allocate_tensors()
    given = [a for a, _, constant in inputs if not constant]
    for detail, a in zip(run.get_input_details(), given):
        run.set_tensor(detail["index"], a)
    run.invoke()
    y = run.get_tensor(run.get_output_details()[0]["index"])
    folder = os.path.join(root, name)
    os.makedirs(folder, exist_ok=True)
    open(os.path.join(folder, "model.tflite"), "wb").write(data)
    described = []
    for i, a in enumerate(given):
        np.save(os.path.join(folder, "input_%d.npy" % i), a)
        described.append({"file": "input_%d.npy" % i, "dtype": str(a.dtype), "shape": a.shape})
    np.save(os.path.join(folder, "output_0.npy"), y)
    result = [{"file": "output_0.npy", "dtype": str(y.dtype), "shape": y.shape}]
    sets = [{"inputs": described, "outputs": result}]
    text = {"usable": {"model.tflite": True}, "rtol": 0, "atol": 0, "sets": sets}
    json.dump(text, open(os.path.join(folder, "case.json"), "w"), indent=1)


def ints(shape, dtype="int8", low=-128, high=128):
    return RANDOM.integers(low, high, shape).astype(dtype)


def main(root):
    per = [.01, .02, .005, .03]
    image, x8 = (1, 4, 5, 3), (.1, 3)
    conv = {"padding": 0, "strideW": 2, "strideH": 1, "fusedActivationFunction": 1, "dilationWFactor": 1,
            "dilationHFactor": 1}
    bias = (ints((4,), "int32", -900, 900), None, True)
    case(root, "conv_per_channel", "CONV_2D", "Conv2D", conv,
         [(ints(image), x8, False), (ints((4, 2, 3, 3)), (per, 0, 0), True), bias], ("int8", .5, -9))
    case(root, "depthwise_per_channel", "DEPTHWISE_CONV_2D", "DepthwiseConv2D",
         dict(conv, strideH=2, depthMultiplier=2),
         [(ints((1, 4, 5, 2)), x8, False), (ints((1, 3, 2, 4)), (per, 0, 3), True), bias], ("int8", .3, 4))
    case(root, "conv_16", "CONV_2D", "Conv2D", dict(conv, fusedActivationFunction=0),
         [(ints(image, "int16", -9000, 9000), (.001, 0), False), (ints((4, 2, 3, 3)), (per, 0, 0), True),
          (ints((4,), "int64", -9000, 9000), None, True)], ("int16", .004, 0))
    case(root, "rows", "FULLY_CONNECTED", "FullyConnected", {"fusedActivationFunction": 0},
         [(ints((6, 8)), x8, False), (ints((4, 8)), (.02, 0), True), bias], ("int8", .4, 5))
    for name, op in (("Add", "ADD"), ("Sub", "SUB")):
        case(root, op.lower(), op, name, {"potScaleInt16": False},
             [(ints((3, 40)), x8, False), (ints((3, 40)), (.07, -5), False)], ("int8", .2, 7))
    case(root, "mul", "MUL", "Mul", {}, [(ints((3, 40)), x8, False), (ints((40,)), (.07, -5), False)],
         ("int8", 1.3, 7))
    case(root, "mean", "MEAN", "Reducer", {"keepDims": True},
         [(ints((2, 3, 5, 7)), x8, False), (np.array([1, 2], "int32"), None, True)], ("int8", .03, -2))
    case(root, "average", "AVERAGE_POOL_2D", "Pool2D",
         {"padding": 0, "strideW": 1, "strideH": 1, "filterWidth": 2, "filterHeight": 2},
         [(ints(image), x8, False)], ("int8", .1, 3))
    case(root, "leaky", "LEAKY_RELU", "LeakyRelu", {"alpha": .3}, [(ints((3, 40)), (.05, 3), False)],
         ("int8", .04, -20))
    sides = (np.array([[0, 0], [1, 2], [0, 1], [0, 0]], "int32"), None, True)
    case(root, "pad", "PAD", "Pad", {}, [(ints(image), x8, False), sides], ("int8", .1, 3))
    case(root, "pad_with", "PADV2", "PadV2", {},
         [(ints(image), x8, False), sides, (np.array(-70, "int8"), x8, True)], ("int8", .1, 3))


main(sys.argv[1])
# SPDX-License-Identifier: Apache-2.0
