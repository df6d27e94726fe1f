"""Writes small MINDIR files as mindspore.export does, with inputs and what they must give, in the form that
`weft cases` runs. Neither MindSpore nor numpy is needed."""
import json
import os
import struct

from torch_pt2 import TYPES, data_of, npy, shape_of

NUMBERS = {"f32": 1, "u8": 2, "i8": 3, "i16": 5, "i32": 6, "i64": 7, "bool": 9, "f16": 10, "f64": 11, "c64": 14}
SETTING = {"bool": 30, "i8": 32, "i16": 33, "i32": 34, "i64": 35, "u8": 37, "f16": 42, "f32": 43, "f64": 44}


def varint(v):
    v &= (1 << 64) - 1
    out = b""
    while v >= 128:
        out += bytes([v & 127 | 128])
        v >>= 7
    return out + bytes([v])


def num(field, v):
    return varint(field << 3) + varint(v)


def raw(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def real(field, v):
    return varint(field << 3 | 5) + struct.pack("<f", v)


class Tensor:
    def __init__(self, dtype, v, external=None):
        self.dtype, self.v, self.external = dtype, v, external


class Text(str):
    """A string among settings; plain strings are names."""


def tensor_type(dtype, shape):
    return b"".join(num(1, d) for d in shape) + num(2, NUMBERS[dtype])


def tensor(t, name="", key=""):
    out = tensor_type(t.dtype, shape_of(t.v))
    if name:
        out += raw(7, name)
    if t.external:
        location, offset = t.external
        out += raw(12, raw(1, location) + num(2, offset) + num(3, len(data_of(t.dtype, t.v))))
    else:
        out += raw(9, data_of(t.dtype, t.v))
    return out + (raw(13, key) + num(16, 0) if key else b"")


def value(v, inner=False):
    """The fields of an AttributeProto behind its name."""
    if v is None:
        return num(16, 25)
    if v == "umonad":
        return num(16, 23)
    if isinstance(v, bool):
        return num(10 if inner else 3, v) + num(16, 9)
    if isinstance(v, int):
        return num(10 if inner else 3, v) + num(16, 7)
    if isinstance(v, float):
        return real(8 if inner else 2, v) + num(16, 1)
    if isinstance(v, str):
        return raw(11 if inner else 5, v) + num(16, 8)
    if isinstance(v, Tensor):
        return raw(12, tensor(v, "value0")) + num(16, 19)
    return b"".join(raw(17, value(x, True)) for x in v) + num(16, 20)


def attribute(name, v):
    return raw(1, name) + value(v)


def typed(t, inner=False):
    """A node's type: (dtype, shape), a list of types, or "umonad"."""
    if t == "umonad":
        return num(16, 23)
    if isinstance(t, tuple):
        return raw(12, tensor_type(*t)) + num(16, 19)
    return b"".join(raw(17, typed(x, True)) for x in t) + num(16, 20)


class Graph:
    def __init__(self, model, name, inputs=None, params=None):
        self.model, self.name, self.body, self.n = model, name, b"", 0
        self.inputs, self.params, self.result = inputs or {}, params or {}, None

    def __getitem__(self, name):
        return self.name + ":" + name

    def const(self, v):
        self.n += 1
        name = "ValueNode_%d" % self.model.number()
        self.body += raw(1, raw(2, name) + raw(3, name) + raw(4, "Constant") + raw(5, attribute("value", v)))
        return name

    def node(self, key, inputs, out, where=""):
        name = self["CNode_%d:%d" % (self.model.number(), self.model.number())]
        fields = b"".join(raw(1, x if isinstance(x, str) and not isinstance(x, Text) and x != "umonad" else self.const(x))
                          for x in inputs)
        fields += raw(2, name) + raw(3, name) + raw(4, "REF::" + key)
        if out is not None:
            fields += raw(5, raw(1, "shape") + typed(out))
        self.body += raw(1, fields + (raw(7, where) if where else b""))
        return name

    def op(self, type, inputs, out, attrs=None, where=""):
        """Names are inputs, all else constants."""
        return self.node(self.model.primitive(type, attrs), inputs, out, where or "Default/%s-op%d" % (type, self.n))

    def call(self, key, inputs, out):
        return self.node(key, inputs, out, "Default/call")

    def message(self):
        out = self.body + raw(2, self.name)
        for k, t in self.params.items():
            out += raw(3, tensor(t, self[k], k))
        for k, (dtype, shape) in self.inputs.items():
            out += raw(5, raw(1, self[k]) + raw(2, tensor_type(dtype, shape)))
        return out + raw(6, raw(1, self.result) + raw(4, "Tuple"))


class Model:
    def __init__(self):
        self.count, self.prims, self.graphs, self.more = 0, {}, [], b""

    def number(self):
        self.count += 1
        return self.count

    def primitive(self, type, attrs):
        key = (type, repr(attrs))
        if key not in self.prims:
            self.prims[key] = ("%s:%d" % (type, self.number()), attrs)
        return self.prims[key][0]

    def graph(self, name, inputs=None, params=None):
        self.graphs.append(Graph(self, name, inputs, params))
        return self.graphs[-1]

    def bytes(self):
        out = raw(1, "1.1") + raw(2, "MindSpore") + raw(5, "2.10.0")
        out += raw(7, self.graphs[0].message())
        out += b"".join(raw(8, g.message()) for g in self.graphs[1:]) + num(10, 1)
        for (type, _), (name, attrs) in self.prims.items():
            fields = raw(1, name) + raw(2, type) + b"".join(raw(3, attribute(k, v)) for k, v in (attrs or {}).items())
            out += raw(12, fields + raw(4, type) + num(5, 2 if attrs is None else 1))
        return out + num(13, 3) + self.more


def write_case(folder, name, model, inputs, outputs, tolerance=1e-5):
    """inputs, outputs: lists of (dtype, values)"""
    path = os.path.join(folder, name)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "model.mindir"), "wb") as f:
        f.write(model.bytes())
    files = {"inputs": [], "outputs": []}
    for kind, tensors in (("inputs", inputs), ("outputs", outputs)):
        for i, (dtype, v) in enumerate(tensors):
            file = "%s_%d.npy" % (kind[:-1], i)
            with open(os.path.join(path, file), "wb") as f:
                f.write(npy(dtype, v, shape_of(v)))
            files[kind].append({"file": file, "dtype": dtype, "shape": shape_of(v)})
    case = {"name": name, "usable": {"model.mindir": True}, "rtol": tolerance, "atol": tolerance, "sets": [files]}
    with open(os.path.join(path, "case.json"), "w") as f:
        json.dump(case, f)
# SPDX-License-Identifier: Apache-2.0
