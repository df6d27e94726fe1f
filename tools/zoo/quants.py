"""ONNX Runtime's own tools: quantisers, saved optimised models, the transformer optimiser."""
import os
import tempfile
import warnings

import numpy as np

from torches import exported, language, LANGUAGE, layers, nets

LAYERS = ("conv1d", "conv2d_groups", "conv_transpose", "lstm", "gru", "batch_norm", "layer_norm", "adaptive_pool", "gelu",
          "upsample_nearest", "multihead", "embedding", "glu", "einsum")
NETS = ("vision_resnet18", "vision_mobilenet_v2", "vision_mobilenet_v3_small", "vision_squeezenet1_1")


def through(made, tool):
    """tool(path, to, feed) writes a model; its bytes and the feed."""
    data, feed = made
    with tempfile.TemporaryDirectory() as tmp, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path, to = os.path.join(tmp, "m.onnx"), os.path.join(tmp, "q.onnx")
        with open(path, "wb") as f:
            f.write(data)
        tool(path, to, feed)
        with open(to, "rb") as f:
            return f.read(), feed


def dynamic(path, to, feed):
    from onnxruntime.quantization import quantize_dynamic
    quantize_dynamic(path, to)


class Reader:
    def __init__(self, feed):
        rng = np.random.default_rng(0)
        self.feeds = iter([{n: (rng.standard_normal(x.shape) * 0.8).astype(x.dtype) if x.dtype == np.float32 else x
                            for n, x in feed.items()} for _ in range(3)] + [feed])

    def get_next(self):
        return next(self.feeds, None)


def static(form, **more):
    def tool(path, to, feed):
        from onnxruntime.quantization import QuantFormat, QuantType, quantize_static
        words = {k: getattr(QuantType, v) if isinstance(v, str) else v for k, v in more.items()}
        quantize_static(path, to, Reader(feed), quant_format=getattr(QuantFormat, form), **words)
    return tool


def four_bits(symmetric):
    def tool(path, to, feed):
        import onnx
        try:
            from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer as Quantizer
        except ImportError:
            from onnxruntime.quantization.matmul_4bits_quantizer import MatMul4BitsQuantizer as Quantizer
        made = Quantizer(onnx.load(path), block_size=16, is_symmetric=symmetric)
        made.process()
        made.model.save_model_to_file(to, False)
    return tool


def optimised(level):
    def tool(path, to, feed):
        import onnxruntime as ort
        o = ort.SessionOptions()
        o.graph_optimization_level = getattr(ort.GraphOptimizationLevel, level)
        o.optimized_model_filepath = to
        o.log_severity_level = 4
        ort.InferenceSession(path, o, providers=["CPUExecutionProvider"])
    return tool


def fused(path, to, feed):
    from onnxruntime.transformers import optimizer
    made = optimizer.optimize_model(path, "bert", num_heads=4, hidden_size=32, opt_level=0)
    made.save_model_to_file(to)


def sources():
    for name, net, inputs in layers():
        if name in LAYERS:
            yield name, lambda n=net, i=inputs: exported(n, i)
    for name, make in nets():
        if name in NETS:
            yield name, make
    for net, config, more in LANGUAGE[:3]:
        yield net.lower(), lambda a=(net, config, more): language(*a)


TOOLS = {"dynamic": dynamic, "qdq": static("QDQ"), "qoperator": static("QOperator"),
         "qdq_channels": static("QDQ", per_channel=True, weight_type="QInt8", activation_type="QInt8"),
         "qdq16": static("QDQ", activation_type="QUInt16", weight_type="QInt8"),
         "int4": four_bits(True), "int4_zero": four_bits(False)}
SAVED = {"basic": optimised("ORT_ENABLE_BASIC"), "extended": optimised("ORT_ENABLE_EXTENDED"),
         "all": optimised("ORT_ENABLE_ALL")}
FEW = {"int4": ("lstm", "multihead", "gelu", "bertmodel", "distilbertmodel", "robertamodel"),
       "int4_zero": ("multihead", "bertmodel"), "qdq16": ("conv2d_groups", "vision_resnet18", "bertmodel")}


def quant_models():
    for name, make in sources():
        for tool, run in TOOLS.items():
            if name in FEW.get(tool, (name,)):
                yield f"quant_{tool}_{name}", lambda m=make, r=run: through(m(), r)


def saved_models():
    for name, make in sources():
        for tool, run in SAVED.items():
            yield f"saved_{tool}_{name}", lambda m=make, r=run: through(m(), r)
    for net, config, more in LANGUAGE[:4]:
        yield "saved_fused_" + net.lower(), lambda a=(net, config, more): through(language(*a), fused)


FAMILIES = {"quant": quant_models, "saved": saved_models}
# SPDX-License-Identifier: Apache-2.0
