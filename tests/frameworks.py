#!/usr/bin/env python3
"""frameworks.py DIR: writes the same small models as four frameworks do - NAME.onnx, NAME.pt2, NAME.pb, NAME.mindir -
for tests/frameworks_rows_test.c. Their files stand in tests/data/frameworks. Nothing is needed but Python."""
import os
import struct
import sys

from mindspore_mindir import Model, Tensor, num, raw, real
from torch_pt2 import Name, archive, data_of, flat, shape_of

X = [1, 3, 224, 224]
W = [[[[((7 * o + 5 * i + 3 * h + w) % 9 - 4) / 8 for w in range(3)] for h in range(3)] for i in range(3)] for o in range(4)]
BIAS = [0.5, -0.25, 0.0, 1.0]
DENSE = [[((3 * o + 5 * i) % 11 - 5) / 16 for i in range(16)] for o in range(3)]
OFFSET = [0.125, 0.0, -0.5]


def hwio(w):
    return [[[[w[o][i][h][k] for o in range(len(w))] for i in range(len(w[0]))] for k in range(3)] for h in range(3)]


# ---- ONNX ----
def onnx_attr(name, v):
    head = raw(1, name)
    if isinstance(v, str):
        return head + raw(4, v) + num(20, 3)
    if isinstance(v, int):
        return head + num(3, v) + num(20, 2)
    return head + b"".join(num(8, x) for x in v) + num(20, 7)


def onnx_node(type, inputs, output, **attrs):
    return raw(1, b"".join(raw(1, i) for i in inputs) + raw(2, output) + raw(3, output) + raw(4, type) +
               b"".join(raw(5, onnx_attr(k, v)) for k, v in attrs.items()))


def onnx_value(field, name, shape):
    dims = b"".join(raw(1, num(1, d)) for d in shape)
    return raw(field, raw(1, name) + raw(2, raw(1, num(1, 1) + raw(2, dims))))


def onnx(nodes, constants, x, y):
    g = b"".join(nodes) + raw(2, "g")
    for name, v in constants.items():
        g += raw(5, b"".join(num(1, d) for d in shape_of(v)) + num(2, 1) + raw(8, name) + raw(9, data_of("f32", v)))
    g += onnx_value(11, "x", x) + onnx_value(12, "y", y)
    return num(1, 8) + raw(8, raw(1, "") + num(2, 17)) + raw(7, g)


# ---- TensorFlow ----
def tf_attr(name, v):
    if isinstance(v, bool):
        data = num(5, v)
    elif isinstance(v, bytes):
        data = v
    elif isinstance(v, str):
        data = raw(2, v)
    else:
        data = raw(1, b"".join(num(3, x) for x in v))
    return raw(5, raw(1, name) + raw(2, data))


def tf_shape(shape):
    return b"".join(raw(2, num(1, d)) for d in shape)


def tf_node(name, op, inputs=(), **attrs):
    return raw(1, raw(1, name) + raw(2, op) + b"".join(raw(3, i) for i in inputs) +
               b"".join(tf_attr(k, v) for k, v in attrs.items()))


FLOAT, INT32 = num(6, 1), num(6, 3)


def tf_const(name, v, type=1):
    data = data_of("f32", v) if type == 1 else b"".join(struct.pack("<i", x) for x in flat(v))
    tensor = num(1, type) + raw(2, tf_shape(shape_of(v))) + raw(4, data)
    return tf_node(name, "Const", dtype=num(6, type), value=raw(8, tensor))


def tf_input(x):
    return tf_node("x", "Placeholder", dtype=FLOAT, shape=raw(7, tf_shape(x)))


# ---- one convolution ----
def torch_conv(path, more):
    n = lambda k: Name(k)
    archive(path, {"x": ("f32", X)}, [("conv2d.default", dict({"input": n("x"), "weight": n("w")}, **more), ("y", "f32", [1, 4, 1, 1]))],
            ["y"], {"w": ("f32", W, [4, 3, 3, 3], [27, 9, 3, 1], 0)})


def mindspore_conv(attrs):
    m = Model()
    g = m.graph("1_main", {"x": ("f32", X)}, {"w": Tensor("f32", W)})
    g.result = g.op("Conv2D", [g["x"], g["w"]], ("f32", [1, 4, 1, 1]), attrs)
    return m.bytes()


def tf_conv(padding, strides, layout="NCHW", **more):
    if layout:
        more["data_format"] = layout
    x = X if layout == "NCHW" else [X[0], X[2], X[3], X[1]]
    return tf_input(x) + tf_const("w", hwio(W)) + tf_node("y", "Conv2D", ["x", "w"], T=FLOAT, strides=strides, padding=padding, **more)


BASE = {"kernel_size": (3, 3), "mode": 1, "out_channel": 4, "dilation": (1, 1, 1, 1), "format": "NCHW"}


def convs(put):
    one, two, names = [1, 1, 1, 1], [1, 1, 2, 2], ["x", "w"]
    conv = lambda **attrs: onnx([onnx_node("Conv", names, "y", **attrs)], {"w": W}, X, [1, 4, 1, 1])
    # stride 1: padding=1 is SAME
    put("same_1.onnx", conv(pads=one, strides=[1, 1]))
    put("same_1.pt2", torch_conv, {"stride": [1, 1], "padding": [1, 1]})
    put("same_1.pb", tf_conv("SAME", one))
    put("same_1.mindir", mindspore_conv(dict(BASE, stride=(1, 1, 1, 1), pad_mode="same", pad=(0, 0, 0, 0), group=1)))
    # stride 2: it is not
    put("same_2.onnx", conv(auto_pad="SAME_UPPER", strides=[2, 2]))
    put("same_2.pt2", torch_conv, {"stride": [2, 2], "padding": [1, 1]})
    put("same_2.pb", tf_conv("SAME", two))
    put("same_2.mindir", mindspore_conv(dict(BASE, stride=(1, 1, 2, 2), pad_mode="same", pad=(0, 0, 0, 0), group=1)))
    # the other words for padding
    put("words.onnx", conv(auto_pad="NOTSET", pads=one))
    put("words.pt2", torch_conv, {"stride": [1, 1], "padding": "same"})
    put("words.pb", tf_conv("EXPLICIT", one, explicit_paddings=[0, 0, 0, 0, 1, 1, 1, 1]))
    put("words.mindir", mindspore_conv(dict(BASE, stride=(1, 1, 1, 1), pad_mode="pad", pad=(1, 1, 1, 1), group=1)))
    put("valid.onnx", conv(auto_pad="VALID"))
    put("valid.pt2", torch_conv, {"stride": [1, 1], "padding": "valid"})
    put("valid.pb", tf_conv("VALID", one))
    put("valid.mindir", mindspore_conv(dict(BASE, stride=(1, 1, 1, 1), pad_mode="valid", group=1)))
    # nothing is said
    put("plain.onnx", conv())
    put("plain.pt2", torch_conv, {})
    put("plain.pb", tf_conv("VALID", one))
    put("plain.mindir", mindspore_conv({"kernel_size": (3, 3), "out_channel": 4}))
    put("layout.pb", tf_conv("VALID", one, None))
    # words that nobody has
    put("bad_word.pt2", torch_conv, {"stride": [1, 1], "padding": "reflect"})
    put("bad_word.pb", tf_conv("REFLECT", one))
    put("bad_word.mindir", mindspore_conv(dict(BASE, stride=(1, 1, 1, 1), pad_mode="reflect", group=1)))
    put("bad_word.onnx", conv(auto_pad="REFLECT"))


# ---- one network: convolution, ReLU, pool, dense layer, softmax ----
def nets(put):
    x = [1, 3, 4, 4]
    conv = {"w": W, "b": BIAS}
    put("net.onnx", onnx([
        onnx_node("Conv", ["x", "w", "b"], "c", pads=[1, 1, 1, 1]), onnx_node("Relu", ["c"], "r"),
        onnx_node("MaxPool", ["r"], "p", kernel_shape=[2, 2], strides=[2, 2]), onnx_node("Flatten", ["p"], "f"),
        onnx_node("Gemm", ["f", "d", "o"], "g", transB=1), onnx_node("Softmax", ["g"], "y", axis=-1)],
        dict(conv, d=DENSE, o=OFFSET), x, [1, 3]))
    n = lambda k: Name(k)

    def torch(path, _):
        weights = {"w": W, "b": BIAS, "d": DENSE, "o": OFFSET}
        strides = {"w": [27, 9, 3, 1], "b": [1], "d": [16, 1], "o": [1]}
        archive(path, {"x": ("f32", x)}, [
            ("conv2d.default", {"input": n("x"), "weight": n("w"), "bias": n("b"), "stride": [1, 1], "padding": [1, 1]}, ("c", "f32", [1, 4, 4, 4])),
            ("relu.default", {"self": n("c")}, ("r", "f32", [1, 4, 4, 4])),
            ("max_pool2d.default", {"self": n("r"), "kernel_size": [2, 2], "stride": [2, 2]}, ("p", "f32", [1, 4, 2, 2])),
            ("flatten.using_ints", {"self": n("p"), "start_dim": 1}, ("f", "f32", [1, 16])),
            ("linear.default", {"input": n("f"), "weight": n("d"), "bias": n("o")}, ("g", "f32", [1, 3])),
            ("softmax.int", {"self": n("g"), "dim": -1}, ("y", "f32", [1, 3]))], ["y"],
            {k: ("f32", v, shape_of(v), strides[k], 0) for k, v in weights.items()})
    put("net.pt2", torch, None)
    first = {"T": FLOAT, "data_format": "NCHW"}
    put("net.pb", tf_input(x) + tf_const("w", hwio(W)) + tf_const("b", BIAS) + tf_const("d", DENSE) + tf_const("o", OFFSET) +
        tf_const("s", [-1, 16], 3) +
        tf_node("c", "Conv2D", ["x", "w"], strides=[1, 1, 1, 1], padding="SAME", **first) + tf_node("cb", "BiasAdd", ["c", "b"], **first) +
        tf_node("r", "Relu", ["cb"], T=FLOAT) +
        tf_node("p", "MaxPool", ["r"], ksize=[1, 1, 2, 2], strides=[1, 1, 2, 2], padding="VALID", **first) +
        tf_node("f", "Reshape", ["p", "s"], T=FLOAT) + tf_node("g", "MatMul", ["f", "d"], T=FLOAT, transpose_b=True) +
        tf_node("go", "BiasAdd", ["g", "o"], T=FLOAT) + tf_node("y", "Softmax", ["go"], T=FLOAT))
    m = Model()
    g = m.graph("1_main", {"x": ("f32", x)}, {"w": Tensor("f32", W), "b": Tensor("f32", BIAS), "d": Tensor("f32", DENSE), "o": Tensor("f32", OFFSET)})
    load = lambda k, shape: g.op("Load", [g[k], "umonad"], ("f32", shape))
    four = ("f32", [1, 4, 4, 4])
    c = g.op("Conv2D", [g["x"], load("w", [4, 3, 3, 3])], four, dict(BASE, stride=(1, 1, 1, 1), pad_mode="same", pad=(0, 0, 0, 0), group=1))
    r = g.op("ReLU", [g.op("BiasAdd", [c, load("b", [4]), 0], four)], four)
    p = g.op("MaxPool", [r], ("f32", [1, 4, 2, 2]), {"kernel_size": (1, 1, 2, 2), "strides": (1, 1, 2, 2), "pad_mode": "VALID", "format": "NCHW"})
    f = g.op("Flatten", [p], ("f32", [1, 16]))
    y = g.op("BiasAdd", [g.op("MatMul", [f, load("d", [3, 16]), False, True], ("f32", [1, 3])), load("o", [3]), 0], ("f32", [1, 3]))
    g.result = g.op("Softmax", [y, (-1,)], ("f32", [1, 3]))
    put("net.mindir", m.bytes())


def main():
    def put(name, made, args=None):
        path = os.path.join(sys.argv[1], name)
        if callable(made):
            made(path, args)
            return
        with open(path, "wb") as f:
            f.write(made)
    os.makedirs(sys.argv[1], exist_ok=True)
    convs(put)
    nets(put)


main()
# SPDX-License-Identifier: Apache-2.0
