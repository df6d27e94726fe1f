"""The classifier of classify_image.py in 8 bits: scales are taken from a few pictures, weights lie as bytes, sums are of integers.

Written as ONNX writes it, QuantizeLinear and DequantizeLinear around each operator, which compiling turns into 8-bit kernels."""
import importlib.util
import os

import numpy as np

import weft

_spec = importlib.util.spec_from_file_location("classify_image", os.path.join(os.path.dirname(os.path.abspath(__file__)), "classify_image.py"))
classify_image = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(classify_image)


def quantise(model, pictures):
    """The model's graph with each convolution's input and weights in 8 bits."""
    g = model.graph
    probe = model.graph
    convolutions = [n for n in g.nodes if n.type == "Conv"]
    for node in convolutions:
        probe.output(probe[node.inputs[0].name])
    seen = probe.model(threads=1)(pictures)
    for k, node in enumerate(convolutions):
        x, w = node.inputs[:2]
        low, high = float(min(seen[k + 1].min(), 0)), float(max(seen[k + 1].max(), 0))
        scale = np.float32((high - low) / 255)
        zero = np.uint8(np.clip(round(-low / scale), 0, 255))
        weights = w.numpy()
        steps = (np.abs(weights).reshape(len(weights), -1).max(1) / 127).astype(np.float32)
        codes = np.round(weights / steps[:, None, None, None]).clip(-127, 127).astype(np.int8)
        x8 = g.op("DequantizeLinear", g.op("QuantizeLinear", x, scale, zero), scale, zero)
        w8 = g.op("DequantizeLinear", codes, steps, np.zeros(len(steps), np.int8), axis=0)
        y = g.op("Conv", x8, w8, **node.attrs)
        g.replace(node.outputs[0], y)
    return g


def main():
    rng = np.random.default_rng(0)
    model = classify_image.build(rng).model(threads=1)
    pictures, kinds = classify_image.drawings(rng, 200)
    small = quantise(model, pictures[:50]).model(threads=1)
    want, got = model(pictures), small(pictures)
    print(small.profile(pictures))
    right = (got.argmax(-1) == kinds).mean()
    same = (got.argmax(-1) == want.argmax(-1)).mean()
    print(f"{right:.0%} right, {same:.0%} as in floats; constants {small.memory(batch=1)['constants']:,} bytes, "
          f"{model.memory(batch=1)['constants']:,} in floats")
    assert right > 0.95 and same > 0.97


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
