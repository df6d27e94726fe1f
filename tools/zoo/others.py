"""Networks of Keras by tf2onnx and of PaddlePaddle by paddle2onnx, best each in a virtual environment of its own."""
import numpy as np


def keras(build, *shapes):
    import tensorflow as tf
    import tf2onnx
    tf.keras.utils.set_random_seed(0)
    net = build(tf)
    kinds = tuple(tf.TensorSpec([None] + list(s), tf.float32, name=f"x{i}") for i, s in enumerate(shapes))
    model, _ = tf2onnx.convert.from_function(tf.function(lambda *a: net(a[0] if len(a) == 1 else list(a))),
                                             input_signature=kinds, opset=17)
    rng = np.random.default_rng(0)
    return model, {f"x{i}": rng.standard_normal([2] + list(s)).astype(np.float32) for i, s in enumerate(shapes)}


def stack(*layers):
    return lambda tf: tf.keras.Sequential([make(tf.keras.layers) for make in layers])


def keras_models():
    image, words = (16, 16, 3), (6, 8)
    nets = {
        "dense": (stack(lambda k: k.Dense(8, "relu"), lambda k: k.Dense(3, "softmax")), (4,)),
        "conv": (stack(lambda k: k.Conv2D(8, 3, padding="same", activation="relu"), lambda k: k.MaxPool2D(),
                       lambda k: k.BatchNormalization(), lambda k: k.GlobalAveragePooling2D()), image),
        "separable": (stack(lambda k: k.SeparableConv2D(8, 3, strides=2), lambda k: k.ReLU(6.0)), image),
        "depthwise": (stack(lambda k: k.DepthwiseConv2D(3, padding="same"), lambda k: k.AveragePooling2D(2)), image),
        "transpose": (stack(lambda k: k.Conv2DTranspose(4, 3, strides=2, padding="same")), image),
        "upsampling": (stack(lambda k: k.UpSampling2D(2, interpolation="bilinear"), lambda k: k.ZeroPadding2D(1)), image),
        "lstm": (stack(lambda k: k.LSTM(5)), words),
        "gru": (stack(lambda k: k.GRU(5, return_sequences=True)), words),
        "bidirectional": (stack(lambda k: k.Bidirectional(k.LSTM(5))), words),
        "conv1d": (stack(lambda k: k.Conv1D(5, 3, padding="causal"), lambda k: k.GlobalMaxPooling1D()), words),
        "layer_norm": (stack(lambda k: k.LayerNormalization(), lambda k: k.Dense(3, "swish")), words),
        "reshape": (stack(lambda k: k.Flatten(), lambda k: k.Reshape((8, 6)), lambda k: k.Permute((2, 1))), words),
        "resizing": (stack(lambda k: k.Resizing(9, 7), lambda k: k.Cropping2D(1)), image),
        "prelu": (stack(lambda k: k.PReLU(), lambda k: k.ELU(), lambda k: k.LeakyReLU()), words)}
    for name, (build, shape) in nets.items():
        yield "keras_" + name, lambda b=build, s=shape: keras(b, s)
    yield "keras_attention", lambda: keras(
        lambda tf: (lambda m: lambda a: m(a[0], a[1]))(tf.keras.layers.MultiHeadAttention(2, 4)), (6, 8), (6, 8))


def paddled(net, *shapes):
    import os
    import tempfile

    import paddle
    paddle.seed(0)
    net.eval()
    spec = [paddle.static.InputSpec([None] + list(s), "float32", f"x{i}") for i, s in enumerate(shapes)]
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "m")
        paddle.onnx.export(net, path, input_spec=spec, opset_version=14)
        with open(path + ".onnx", "rb") as f:
            data = f.read()
    rng = np.random.default_rng(0)
    return data, {f"x{i}": rng.standard_normal([2] + list(s)).astype(np.float32) for i, s in enumerate(shapes)}


def paddle_models():
    from paddle import nn
    from paddle.vision import models
    image = (3, 32, 32)
    yield "paddle_conv", lambda: paddled(nn.Sequential(nn.Conv2D(3, 8, 3), nn.BatchNorm2D(8), nn.ReLU(),
                                                       nn.AdaptiveAvgPool2D(1), nn.Flatten()), image)
    yield "paddle_dense", lambda: paddled(nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Softmax()), (4,))
    yield "paddle_transpose", lambda: paddled(nn.Sequential(nn.Conv2DTranspose(3, 4, 3, stride=2), nn.Hardswish()), image)
    yield "paddle_upsample", lambda: paddled(nn.Upsample(scale_factor=2, mode="bilinear"), image)
    yield "paddle_lstm", lambda: paddled(nn.LSTM(8, 5), (6, 8))
    yield "paddle_encoder", lambda: paddled(nn.TransformerEncoderLayer(8, 2, 16), (6, 8))
    yield "paddle_resnet18", lambda: paddled(models.resnet18(), image)
    yield "paddle_mobilenet", lambda: paddled(models.mobilenet_v3_small(), image)


FAMILIES = {"keras": keras_models, "paddle": paddle_models}
# SPDX-License-Identifier: Apache-2.0
