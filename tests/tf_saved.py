#!/usr/bin/env python3
"""tf_saved.py DIR: writes DIR/saved_model.pb, a SavedModel whose signature serving_default gives y = -x of two floats."""
import os
import sys

FLOAT = b"\x30\x01"  # AttrValue.type


def field(number, data):
    data = data.encode() if isinstance(data, str) else data
    return bytes([number << 3 | 2, len(data)]) + data


def node(name, op, inputs, attrs):
    entries = b"".join(field(5, field(1, k) + field(2, v)) for k, v in attrs.items())
    return field(1, field(1, name) + field(2, op) + b"".join(field(3, i) for i in inputs) + entries)


def end(number, key, tensor):
    return field(number, field(1, key) + field(2, field(1, tensor)))


def main(folder):
    shape = field(7, field(2, b"\x08\x02"))
    graph = node("x", "Placeholder", [], {"dtype": FLOAT, "shape": shape}) + node("less", "Neg", ["x"], {"T": FLOAT})
    signature = field(1, "serving_default") + field(2, end(1, "x", "x:0") + end(2, "y", "less:0"))
    meta = field(2, graph) + field(5, signature)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "saved_model.pb"), "wb") as f:
        f.write(b"\x08\x01" + bytes([2 << 3 | 2, len(meta) & 127 | 128, len(meta) >> 7]) + meta)


main(sys.argv[1])
# SPDX-License-Identifier: Apache-2.0
