#!/usr/bin/env python3
"""Makes tests/data/tflite: models of one operator, most of them quantised, with what the TFLite interpreter's
reference kernels give for random inputs: tflite_cases.py OUT [custom]. It needs ai-edge-litert, flatbuffers and
numpy; the tests read what it made."""
import json
import os
import sys

import flatbuffers
from flatbuffers import flexbuffers
import numpy as np
from ai_edge_litert import interpreter, schema_py_generated as schema

TYPES = {"int8": 9, "int16": 7, "int32": 2, "int64": 4, "uint8": 3, "float32": 0, "complex64": 8}
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
    """inputs: (array, (scale, zero point[, axis]) or None, constant); out: (dtype, scale, zero point), or a list"""
    model, graph = schema.ModelT(), schema.SubGraphT()
    code, node = schema.OperatorCodeT(), schema.OperatorT()
    model.version, model.buffers = 3, [schema.BufferT()]
    model.operatorCodes, model.subgraphs = [code], [graph]
    own = not hasattr(schema.BuiltinOperator, op)  # a custom operator that the interpreter brings
    code.builtinCode = schema.BuiltinOperator.CUSTOM if own else getattr(schema.BuiltinOperator, op)
    if own:
        code.customCode, node.customOptions = op, list(flexbuffers.Dumps(values))
    code.deprecatedBuiltinCode = min(code.builtinCode, 127)
    first = ("BITCAST", "BUCKETIZE", "DYNAMIC_UPDATE_SLICE", "RFFT2D", "COMPLEX_ABS", "REAL", "IMAG", "CONV_3D_TRANSPOSE", "SEGMENT_SUM", "MATRIX_DIAG", "MATRIX_SET_DIAG",
             "SPARSE_TO_DENSE", "NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5")
    code.version = 4 if op == "FULLY_CONNECTED" else 3 if op in ("CONV_2D", "DEPTHWISE_CONV_2D") else 1 if own or op in first + ("DENSIFY",) else 2
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
    outs = out if isinstance(out, list) else [out]
    graph.outputs = node.outputs = [tensor(graph, model, "y%d" % i if i else "y", np.zeros((1,), t[0]), t[1:], False) for i, t in enumerate(outs)]
    b = flatbuffers.Builder(1024)
    b.Finish(model.Pack(b), b"TFL3")
    return bytes(b.Output())


def case(root, name, op, options, values, inputs, out, change=None):
    data = model_of(op, options, values, inputs, out)
    if change:
        model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(data, 0))
        change(model)
        b = flatbuffers.Builder(1024)
        b.Finish(model.Pack(b), b"TFL3")
        data = bytes(b.Output())
    kernels = interpreter.OpResolverType
    kernels = kernels.BUILTIN_WITHOUT_DEFAULT_DELEGATES if op == "SEGMENT_SUM" or not hasattr(schema.BuiltinOperator, op) else kernels.BUILTIN_REF
    run = interpreter.Interpreter(model_content=data, experimental_op_resolver_type=kernels)
    run.allocate_tensors()
    given = [a for a, _, constant in inputs if not constant]
    for detail, a in zip(run.get_input_details(), given):
        run.set_tensor(detail["index"], a)
    run.invoke()
    outputs = [run.get_tensor(detail["index"]) for detail in run.get_output_details()]
    folder = os.path.join(root, name)
    os.makedirs(folder, exist_ok=True)
    open(os.path.join(folder, "model.tflite"), "wb").write(data)
    described = []
    for i, a in enumerate(given):
        np.save(os.path.join(folder, "input_%d.npy" % i), a)
        described.append({"file": "input_%d.npy" % i, "dtype": str(a.dtype), "shape": a.shape})
    result = []
    for i, y in enumerate(outputs):
        np.save(os.path.join(folder, "output_%d.npy" % i), y)
        result.append({"file": "output_%d.npy" % i, "dtype": str(y.dtype), "shape": y.shape})
    sets = [{"inputs": described, "outputs": result}]
    near = 1e-5 if outputs[0].dtype.kind in "fc" else 0
    text = {"usable": {"model.tflite": True}, "rtol": near, "atol": near, "sets": sets}
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
    real(root)


def real(root):
    """Operators without quantised forms."""
    floats = lambda *shape: (RANDOM.standard_normal(shape).astype("float32"), None, False)
    fixed = lambda v, dtype="int32": (np.array(v, dtype), None, True)
    halves = np.array([-2.5, -1.5, -.5, .49999997, .5, 1.5, 2.5, 9e4, -9e4], "float32")
    for name, out in (("quantize_halves", ("int16", 1., 0)), ("quantize_bytes", ("int8", .5, 3))):
        case(root, name, "QUANTIZE", "Quantize", {}, [(halves, None, False)], out)
    case(root, "bucketize", "BUCKETIZE", "Bucketize", {"boundaries": [-.5, 0., .5]}, [floats(3, 4)], ("int32",))
    case(root, "rfft2d", "RFFT2D", "Rfft2d", {}, [floats(2, 4, 6), fixed([4, 8])], ("complex64",))
    case(root, "bitcast", "BITCAST", "Bitcast", {}, [floats(2, 3)], ("int32",))
    case(root, "update_slice", "DYNAMIC_UPDATE_SLICE", "DynamicUpdateSlice", {}, [floats(3, 4), floats(2, 2), fixed([2, 1])], ("float32",))
    z = (RANDOM.standard_normal((3, 4)) + 1j * RANDOM.standard_normal((3, 4))).astype("complex64")
    for op in ("COMPLEX_ABS", "REAL", "IMAG"):
        case(root, op.lower(), op, None, {}, [(z, None, False)], ("float32",))
    conv = {"padding": 0, "strideD": 2, "strideH": 1, "strideW": 2, "fusedActivationFunction": 0, "dilationDFactor": 1,
            "dilationHFactor": 1, "dilationWFactor": 1}
    weights = (RANDOM.standard_normal((3, 2, 3, 2, 3)).astype("float32"), None, True)
    case(root, "conv3d_transposed", "CONV_3D_TRANSPOSE", "Conv3D", conv, [fixed([1, 4, 3, 5, 2]), weights, floats(1, 2, 3, 3, 3)], ("float32",))
    case(root, "conv3d_transposed_valid", "CONV_3D_TRANSPOSE", "Conv3D", dict(conv, padding=1),
         [fixed([1, 5, 4, 7, 2]), weights, floats(1, 2, 3, 3, 3)], ("float32",))
    case(root, "segment_sum", "SEGMENT_SUM", "SegmentSum", {}, [floats(4, 3), fixed([0, 0, 1, 2])], ("float32",))
    case(root, "matrix_diag", "MATRIX_DIAG", "MatrixDiag", {}, [floats(2, 3)], ("float32",))
    case(root, "matrix_set_diag", "MATRIX_SET_DIAG", "MatrixSetDiag", {}, [floats(3, 4), floats(3)], ("float32",))
    case(root, "sparse_to_dense", "SPARSE_TO_DENSE", "SparseToDense", {"validateIndices": False},
         [fixed([[0, 1], [2, 3]]), fixed([3, 4]), floats(2), fixed(9., "float32")], ("float32",))
    boxes = np.array([[0, 0, 1, 1], [0, .1, 1, 1.1], [0, -.1, 1, .9], [0, 10, 1, 11]], "float32")
    scores = (np.array([.9, .75, .6, .95], "float32"), None, False)
    limits = [fixed(3), fixed(.5, "float32"), fixed(.1, "float32")]
    case(root, "boxes", "NON_MAX_SUPPRESSION_V4", "NonMaxSuppressionV4", {}, [(boxes, None, False), scores] + limits, [("int32",), ("int32",)])
    case(root, "boxes_scored", "NON_MAX_SUPPRESSION_V5", "NonMaxSuppressionV5", {}, [(boxes, None, False), scores] + limits + [fixed(0., "float32")],
         [("int32",), ("float32",), ("int32",)])


def custom(root):
    """Those that the interpreter brings. A seed of their own, so that they can be made by themselves."""
    r = np.random.default_rng(2)
    floats = lambda *shape: (r.standard_normal(shape).astype("float32"), None, False)
    anchors = np.concatenate([r.uniform(0, 1, (12, 2)), r.uniform(.2, .5, (12, 2))], 1).astype("float32")
    four = [("float32",)] * 4
    options = {"max_detections": 5, "max_classes_per_detection": 1, "num_classes": 3, "nms_score_threshold": 0.25, "nms_iou_threshold": 0.3,
               "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0, "use_regular_nms": False}
    boxes, scores = floats(1, 12, 4), lambda n: (r.uniform(0, 1, (1, 12, n)).astype("float32"), None, False)
    post = lambda name, n, **more: case(root, "post_" + name, "TFLite_Detection_PostProcess", None, dict(options, **more),
                                        [boxes, scores(n), (anchors, None, True)], four)
    post("any_class", 4)
    post("any_class_without_none", 3, nms_score_threshold=0.0)
    # what stands behind the found ones is not set where classes do not count
    post("few", 4, use_regular_nms=True, nms_score_threshold=0.96)
    post("none", 4, use_regular_nms=True, nms_score_threshold=2.0)
    post("each_class", 4, use_regular_nms=True, detections_per_class=2)
    post("each_class_many", 4, use_regular_nms=True, max_detections=30)
    post("two_classes", 4, max_classes_per_detection=2, nms_score_threshold=0.0, max_detections=4)
    sound = {"window_size": 16, "stride": 8, "magnitude_squared": True}
    case(root, "spectrogram", "AudioSpectrogram", None, sound, [floats(50, 1)], ("float32",))
    case(root, "spectrogram_root", "AudioSpectrogram", None, dict(sound, magnitude_squared=False), [floats(50, 2)], ("float32",))
    case(root, "mfcc", "Mfcc", None, {"upper_frequency_limit": 4000.0, "lower_frequency_limit": 20.0, "filterbank_channel_count": 40,
                                      "dct_coefficient_count": 13}, [(np.abs(floats(1, 2, 257)[0]), None, False), (np.array([8000], "int32"), None, True)],
         ("float32",))


def sparse(root):
    """Constants stored sparsely: lists of columns, blocks of 1 x 4, lists of rows of one byte."""
    def level(size, segments=None, indices=None, type=1):
        d = schema.DimensionMetadataT()
        d.format, d.denseSize = int(segments is not None), size
        vector = [None, schema.Int32VectorT, schema.Uint16VectorT, schema.Uint8VectorT][type]
        if segments is not None:
            d.arraySegmentsType = d.arrayIndicesType = type
            d.arraySegments, d.arrayIndices = vector(), vector()
            d.arraySegments.values, d.arrayIndices.values = segments, indices
        return d

    def stored(values, order, blocks, levels):
        def change(model):
            p = schema.SparsityParametersT()
            p.traversalOrder, p.blockMap, p.dimMetadata = order, blocks, levels
            t = model.subgraphs[0].tensors[0]
            t.sparsity = p
            model.buffers[t.buffer].data = np.frombuffer(values.tobytes(), np.uint8)
        return change
    ramp = lambda n, t="float32": np.arange(1, n + 1).astype(t)
    dense = lambda shape, t="float32": [(np.zeros(shape, t), None, True)]
    case(root, "sparse_columns", "DENSIFY", None, {}, dense((3, 4)), ("float32",),
         stored(ramp(4), [0, 1], [], [level(3), level(4, [0, 2, 2, 4], [0, 3, 1, 2])]))
    case(root, "sparse_blocks", "DENSIFY", None, {}, dense((4, 8)), ("float32",),
         stored(ramp(12), [0, 1, 2], [1], [level(4), level(2, [0, 1, 1, 3, 3], [1, 0, 1], 2), level(4)]))
    case(root, "sparse_turned", "DENSIFY", None, {}, dense((4, 6), "int8"), ("int8",),
         stored(ramp(16, "int8"), [1, 0, 3, 2], [0, 1], [level(3), level(2, [0, 1, 2, 4], [0, 1, 0, 1], 3), level(2), level(2)]))


if len(sys.argv) > 2:
    custom(sys.argv[1])
    sparse(sys.argv[1])
else:
    main(sys.argv[1])
    custom(sys.argv[1])
    sparse(sys.argv[1])
# SPDX-License-Identifier: Apache-2.0
