#!/usr/bin/env python3
"""tf_ops.py DIR: makes cases for `weft cases` of tests/data/tf_ops.json, where tools/record_tf_ops.py keeps what
TensorFlow gives: a frozen graph of one operator each."""
import base64
import json
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = {"f4": "float32", "f8": "float64", "i4": "int32", "i8": "int64", "b1": "bool", "u1": "uint8", "c8": "complex64", "f2": "float16",
         "i2": "int16", "i1": "int8", "u2": "uint16", "u4": "uint32", "u8": "uint64"}


def head(npy):
    """dtype and shape of a .npy."""
    text = npy[10:10 + struct.unpack("<H", npy[8:10])[0]].decode()
    d = eval(text)  # noqa: S307: a header of our own file
    return "string" if "S" in d["descr"] else NAMES[d["descr"][1:]], list(d["shape"])


def main(folder):
    with open(os.path.join(HERE, "data", "tf_ops.json")) as f:
        cases = json.load(f)
    for c in cases:
        to = os.path.join(folder, c["name"])
        os.makedirs(to, exist_ok=True)
        with open(os.path.join(to, "frozen.pb"), "wb") as f:
            f.write(base64.b64decode(c["graph"]))
        files = {}
        for kind in ("input", "output"):
            files[kind] = []
            for i, text in enumerate(c[kind + "s"]):
                npy = base64.b64decode(text)
                dtype, shape = head(npy)
                name = "%s_%d.npy" % (kind, i)
                with open(os.path.join(to, name), "wb") as f:
                    f.write(npy)
                files[kind].append({"dtype": dtype, "file": name, "shape": shape})
        case = {"name": c["name"], "atol": c.get("atol", 1e-5), "rtol": c.get("rtol", 1e-4), "usable": {"frozen.pb": True},
                "frozen_inputs": ["x%d:0" % i for i in range(len(c["inputs"]))], "frozen_outputs": c["names"],
                "sets": [{"inputs": files["input"], "outputs": files["output"]}]}
        with open(os.path.join(to, "case.json"), "w") as f:
            json.dump(case, f)


main(sys.argv[1])
# SPDX-License-Identifier: Apache-2.0
