"""Models after the fp16 converter: casts that stand behind their readers, declared types that are no longer right."""
import numpy as np
import onnx

from torches import exported, language, LANGUAGE, layers, nets

LAYERS = ("conv2d_groups", "conv_transpose", "batch_norm", "layer_norm", "instance_norm", "upsample_bilinear", "softplus",
          "gelu", "lstm", "topk", "where", "cumsum", "einsum", "argmax", "norm", "logsumexp")
NETS = ("vision_resnet18", "vision_squeezenet1_1", "vision_swin_t", "vision_vit_b_32")


def halved(made, **options):
    from onnxconverter_common import float16
    data, feed = made
    model = float16.convert_float_to_float16(onnx.load_from_string(data), **options)
    if not options.get("keep_io_types"):
        feed = {n: x.astype(np.float16) if x.dtype == np.float32 else x for n, x in feed.items()}
    return model, feed


def half_models():
    for name, net, inputs in layers():
        if name in LAYERS:
            yield "half_" + name, lambda n=net, i=inputs: halved(exported(n, i))
            yield "half_io_" + name, lambda n=net, i=inputs: halved(exported(n, i), keep_io_types=True)
    for name, make in nets():
        if name in NETS:
            yield "half_" + name, lambda m=make: halved(m(), keep_io_types=True)
    for net, config, more in LANGUAGE[:4]:
        yield "half_" + net.lower(), lambda a=(net, config, more): halved(
            language(*a), keep_io_types=True, op_block_list=["Softmax", "LayerNormalization"])


FAMILIES = {"half": half_models}
# SPDX-License-Identifier: Apache-2.0
