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
    """The model's graph with what convolutions and the mean read, and the convolutions' weights, in 8 bits."""
    g, probe = model.graph, model.graph
    readers = [n for n in g.nodes if n.type in ("Conv", "GlobalAveragePool")]
    for node in readers:
        probe.output(probe[node.inputs[0].name])
    seen = probe.model(threads=1)(pictures)[1:]
    for node, values in zip(readers, seen):
        low, high = float(min(values.min(), 0)), float(max(values.max(), 0))
        scale = np.float32((high - low) / 255)
        zero = np.uint8(np.clip(round(-low / scale), 0, 255))
        x = g.op("DequantizeLinear", g.op("QuantizeLinear", node.inputs[0], scale, zero), scale, zero)
        if node.type == "Conv":
            weights = node.inputs[1].numpy()
            steps = (np.abs(weights).reshape(len(weights), -1).max(1) / 127).astype(np.float32)  # one for each channel
            codes = np.round(weights / steps[:, None, None, None]).clip(-127, 127).astype(np.int8)
            w = g.op("DequantizeLinear", codes, steps, np.zeros(len(steps), np.int8), axis=0)
            g.replace(node.outputs[0], g.op("Conv", x, w, **node.attrs))
        else:
            g.replace(node.outputs[0], g.op(node.type, x))
        g.remove(node.name)
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
    bytes8, bytes32 = (m.memory(batch=1)["constants"] for m in (small, model))
    print(f"{right:.0%} right, {same:.0%} as in floats; constants {bytes8:,} bytes, {bytes32:,} in floats")
    assert right > 0.95 and same > 0.97
    assert bytes8 * 3 < bytes32, "the convolutions run in floats"


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
