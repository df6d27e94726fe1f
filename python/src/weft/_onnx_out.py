"""Graphs as ONNX files: the few messages of ONNX's format that a graph needs, written by hand."""
import struct

import numpy as np

from ._numpy import pack, take, PACKED

_TYPES = {"f32": 1, "u8": 2, "i8": 3, "u16": 4, "i16": 5, "i32": 6, "i64": 7, "str": 8, "bool": 9, "f16": 10, "f64": 11, "u32": 12,
          "u64": 13, "c64": 14, "c128": 15, "bf16": 16, "f8e4m3fn": 17, "f8e4m3fnuz": 18, "f8e5m2": 19, "f8e5m2fnuz": 20, "u4": 21, "i4": 22}
# Operators that ONNX (17) has under another or the same name, with the same meaning whatever their attributes are.
_SAME = {n: n for n in ("Abs Acos Acosh Add Asin Asinh Atan Atanh Ceil Cos Cosh Equal Erf Exp Floor Greater GreaterEqual Less "
                        "LessEqual Log Mul Neg Pow Reciprocal Relu Reshape Sigmoid Sign Sin Sinh Softsign Sqrt Sub Tan Tanh "
                        "Identity").split()}
_SAME.update(RealDiv="Div", Maximum="Max", Minimum="Min", SelectV2="Where", LogicalAnd="And", LogicalOr="Or", LogicalNot="Not",
             IsNan="IsNaN", BitwiseNot="BitwiseNot")
del _SAME["BitwiseNot"]  # of ONNX 18


def _varint(n):
    out = bytearray()
    n &= (1 << 64) - 1
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def _int(field, n):
    return _varint(field << 3) + _varint(int(n))


def _bytes(field, data):
    data = data.encode() if isinstance(data, str) else bytes(data)
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _tensor(name, dtype, array):
    if dtype not in _TYPES:
        raise TypeError(f"constant '{name}' is {dtype}, which ONNX does not have")
    out = b"".join(_int(1, d) for d in array.shape) + _int(2, _TYPES[dtype])
    if dtype == "str":
        out += b"".join(_bytes(6, str(s)) for s in array.reshape(-1))
    else:
        out += _bytes(9, pack(array, dtype).tobytes() if dtype in PACKED else np.ascontiguousarray(array).tobytes())
    return out + _bytes(8, name)


def _value_info(value):
    shape = b""
    for d in value.shape or ():
        shape += _bytes(1, _int(1, d) if isinstance(d, int) else _bytes(2, d) if d else b"")
    tensor = _int(1, _TYPES[value.type]) + (b"" if value.shape is None else _bytes(2, shape))
    return _bytes(1, value.name) + _bytes(2, _bytes(1, tensor))


def _attribute(name, value, declared):
    """An attribute as the importer reads what an operator declares (src/frontend/onnx/custom.c)."""
    out = _bytes(1, name)
    if declared == "Float":
        return out + _varint(2 << 3 | 5) + struct.pack("<f", value) + _int(20, 1)
    if declared in ("Int", "Bool"):
        return out + _int(3, value) + _int(20, 2)
    if declared == "Type":
        return out + _int(3, _TYPES[value]) + _int(20, 2)
    if declared == "String":
        return out + _bytes(4, value) + _int(20, 3)
    if declared == "ListFloat":
        return out + b"".join(_varint(7 << 3 | 5) + struct.pack("<f", v) for v in value) + _int(20, 6)
    if declared in ("ListInt", "ListBool"):
        return out + b"".join(_int(8, v) for v in value) + _int(20, 7)
    if declared == "ListString":
        return out + b"".join(_bytes(9, v) for v in value) + _int(20, 8)
    raise TypeError(f"attribute '{name}': ONNX has nothing for the type {declared}")


def _softmax(node):
    axes = node.attrs.get("axes") or [-1]
    return ("Softmax", [_attribute("axis", axes[0], "Int")], node.inputs) if len(axes) == 1 else None


def _matmul(node):
    plain = not (node.attrs.get("adj_x1") or node.attrs.get("adj_x2")) and len([i for i in node.inputs if i is not None]) == 2
    return ("MatMul", [], node.inputs[:2]) if plain else None


def _transpose(node):
    perm = node.inputs[1].numpy()
    return None if perm is None else ("Transpose", [_attribute("perm", [int(p) for p in perm], "ListInt")], node.inputs[:1])


def _reduce(node):
    axes, keep = node.inputs[1].numpy(), _attribute("keepdims", node.attrs["keep_dims"], "Bool")
    if axes is None or not axes.size:
        return None
    if node.type == "ReduceSum":
        return (node.type, [keep], node.inputs)
    return (node.type, [keep, _attribute("axes", [int(a) for a in axes.reshape(-1)], "ListInt")], node.inputs[:1])


def _cast(node):
    to = _TYPES.get(node.outputs[0].dtype)
    return None if to is None else ("Cast", [_attribute("to", to, "Int")], node.inputs)


def _concat(node):
    return ("Concat", [_attribute("axis", node.attrs["concat_dim"], "Int")], node.inputs)


_SPECIAL = {"SoftmaxV2": _softmax, "BatchMatMulV2": _matmul, "Transpose": _transpose, "Cast": _cast, "ConcatD": _concat,
            **dict.fromkeys(("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin"), _reduce)}


def _node(graph, node):
    special = _SPECIAL[node.type](node) if node.type in _SPECIAL else None
    inputs = node.inputs
    if node.type in _SAME:
        domain, type, attrs = "", _SAME[node.type], []
    elif special:
        domain, (type, attrs, inputs) = "", special
    else:
        domain, _, type = node.type.rpartition("::")
        declared = {n: t for n, t, _, _ in graph._prototype(node.type).attrs}
        domain = domain or "weft"
        attrs = [_attribute(n, v, declared[n]) for n, v in node.attrs.items() if n in declared]
    out = b"".join(_bytes(1, i.name if i is not None else "") for i in inputs) + b"".join(_bytes(2, o.name) for o in node.outputs)
    read = {i.name for i in inputs if i is not None}
    return domain, read, out + _bytes(3, node.name) + _bytes(4, type) + b"".join(_bytes(5, a) for a in attrs) + (_bytes(7, domain) if domain else b"")


def onnx_bytes(graph):
    """The graph as an ONNX model of operator set 17."""
    nodes = [_node(graph, n) for n in graph.nodes]
    body = b"".join(_bytes(1, n) for _, _, n in nodes) + _bytes(2, graph._c.name())
    read = set().union({t.name for t in graph.outputs}, *(r for _, r, _ in nodes))
    for c in (c for c in graph._c.consts() if c[0] in read):  # those that became attributes are left out
        body += _bytes(5, _tensor(c[0], c[1], np.asarray(take(graph._c.data(c[0])))))
    body += b"".join(_bytes(11, _value_info(t.value)) for t in graph.inputs)
    body += b"".join(_bytes(12, _value_info(t.value)) for t in graph.outputs)
    model = _int(1, 8) + _bytes(2, "weft") + _bytes(7, body) + _bytes(8, _bytes(1, "") + _int(2, 17))
    return model + b"".join(_bytes(8, _bytes(1, d) + _int(2, 1)) for d in sorted({d for d, _, _ in nodes} - {""}))
# SPDX-License-Identifier: Apache-2.0
