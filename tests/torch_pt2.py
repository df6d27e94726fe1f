"""Writes small .pt2 archives as torch.export.save does, with inputs and what they must give, in the form that
`weft cases` runs. Neither PyTorch nor numpy is needed."""
import json
import math
import os
import struct
import zipfile

TYPES = {"f32": (7, "<f4", "f"), "f64": (8, "<f8", "d"), "i64": (5, "<i8", "q"), "i32": (4, "<i4", "i"),
         "i16": (3, "<i2", "h"), "i8": (2, "|i1", "b"), "u8": (1, "|u1", "B"), "bool": (12, "|b1", "?"),
         "f16": (6, "<f2", "e"), "c64": (10, "<c8", None)}
NAN, INF = math.nan, math.inf
X = [[1.0, -2.0, 3.5], [0.5, 0.0, -1.25]]


def shape_of(v):
    return [len(v)] + (shape_of(v[0]) if v else []) if isinstance(v, list) else []


def flat(v):
    return [x for item in v for x in flat(item)] if isinstance(v, list) else [v]


def data_of(dtype, v):
    return b"".join(struct.pack("<" + TYPES[dtype][2], x) for x in flat(v))


def npy(dtype, v, shape):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }" % (TYPES[dtype][1],
                                                                        "".join("%d, " % d for d in shape))
    head += " " * ((64 - (len(head) + 11) % 64) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data_of(dtype, v)


def size(d):
    if isinstance(d, int):
        return {"as_int": d}
    return {"as_expr": {"expr_str": "Symbol('%s', positive=True, integer=True)" % d, "hint": None}}


def meta(dtype, shape, strides=None, offset=0):
    known = all(isinstance(d, int) for d in shape)
    if strides is None:
        strides = [math.prod(shape[i + 1:]) if known else 1 for i in range(len(shape))]
    return {"dtype": TYPES[dtype][0], "sizes": [size(d) for d in shape], "strides": [size(d) for d in strides],
            "storage_offset": {"as_int": offset}, "requires_grad": False, "layout": 7,
            "device": {"type": "cpu", "index": None}}


class Name(str):
    """The name of a tensor among arguments; plain strings are text."""


class Sym(str):
    """The name of a number that is known when the model runs."""


class Dtype(str):
    pass


class Operator(str):
    """The target of another operator, among arguments."""


class Graph(dict):
    """A sub-graph: {"inputs", "nodes", "outputs", "values"}."""


def argument(v):
    if v is None:
        return {"as_none": True}
    if isinstance(v, Graph):
        return {"as_graph": {"name": "g", "graph": graph(v["inputs"], v["nodes"], v["outputs"], v["values"])}}
    if isinstance(v, Name):
        return {"as_tensor": {"name": str(v)}}
    if isinstance(v, Sym):
        return {"as_sym_int": {"as_name": str(v)}}
    if isinstance(v, Operator):
        return {"as_operator": "torch.ops.aten." + v}
    if isinstance(v, Dtype):
        return {"as_scalar_type": TYPES[v][0]}
    if isinstance(v, bool):
        return {"as_bool": v}
    if isinstance(v, int):
        return {"as_int": v}
    if isinstance(v, float):
        words = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}
        return {"as_float": words.get(str(v), v)}
    if isinstance(v, str):
        return {"as_string": v}
    if any(isinstance(x, Name) for x in v):
        if any(x is None for x in v):
            return {"as_optional_tensors": [argument(x) for x in v]}
        return {"as_tensors": [{"name": str(x)} for x in v]}
    if any(isinstance(x, Sym) for x in v):
        return {"as_sym_ints": [{"as_name": str(x)} if isinstance(x, Sym) else {"as_int": x} for x in v]}
    if any(isinstance(x, float) for x in v):
        return {"as_floats": v}
    return {"as_ints": v}


def graph(inputs, nodes, outputs, values):
    """nodes: (target, {argument: value}, outputs), an output (name, dtype, shape), a list of them, or ("sym", name)"""
    out = []
    for target, args, results in nodes:
        results = results if isinstance(results, list) else [results]
        named = []
        for r in results:
            if isinstance(r, tuple) and r[0] == "sym":
                named.append({"as_sym_int": {"as_name": r[1]}})
                continue
            many = isinstance(r, tuple) and isinstance(r[0], tuple)
            for name, dtype, shape in (r if many else [r]):
                values[name] = meta(dtype, shape)
            named.append({"as_tensors": [{"name": x[0]} for x in r]} if many else {"as_tensor": {"name": r[0]}})
        full = target if "." in target and target.split(".")[0] in ("torch", "_operator", "math") else "torch.ops.aten." + target
        first = named[0][next(iter(named[0]))] if named else {}
        first = first[0] if isinstance(first, list) else first
        out.append({"target": full, "name": first.get("name", first.get("as_name", "none")), "metadata": {
            "stack_trace": "  File \"model.py\", line 12, in forward\n    y = \"x{\\\"\"\n"},
            "inputs": [{"name": "" if k.startswith("#") else k, "arg": argument(v), "kind": 1} for k, v in args.items()],
            "outputs": named, "is_hop_single_tensor_return": None})
    return {"inputs": [argument(Name(n)) for n in inputs], "outputs": [argument(n) for n in outputs], "nodes": out,
            "tensor_values": values, "sym_int_values": {}, "sym_float_values": {}, "sym_bool_values": {},
            "custom_obj_values": {}, "is_single_tensor_return": False}


def archive(path, inputs, nodes, outputs, weights=None, ranges=None, major=8, mutated=None):
    """inputs: {name: (dtype, shape)}; weights: {name: (dtype, values, sizes, strides, offset)}; mutated: {buffer: its new value}"""
    values = {n: meta(t, s) for n, (t, s) in inputs.items()}
    specs, config, files = [], {}, {}
    for i, (n, (dtype, v, sizes, strides, offset)) in enumerate((weights or {}).items()):
        place = v if isinstance(v, str) else "weight_%d" % i
        if not isinstance(v, str):
            files[place] = data_of(dtype, v)
        values[n] = meta(dtype, sizes, strides, offset)
        config["w." + n] = {"path_name": place, "is_param": True, "use_pickle": False, "tensor_meta": values[n]}
        kind = "buffer" if n.startswith("b_") else "parameter"
        specs.append({kind: {"arg": {"name": n}, kind + "_name": "w." + n}})
    tokens = [n for n in inputs if n.startswith("token")]  # stand for an order of effects
    specs += [{"token": {"arg": {"name": n}}} if n in tokens else {"user_input": {"arg": argument(Name(n))}} for n in inputs]
    outs = [{"buffer_mutation": {"arg": {"name": v}, "buffer_name": "w." + n}} for n, v in (mutated or {}).items()]
    outs += [{"user_output": {"arg": argument(Name(n))}} for n in outputs]
    g = graph(list(weights or {}) + list(inputs), nodes, [Name(n) for n in outputs], values)
    program = {"graph_module": {"graph": g, "signature": {
        "input_specs": specs, "output_specs": outs},
        "module_call_graph": [], "metadata": {"x": [{"y": "}"}]}}, "opset_version": {"aten": 10},
        "range_constraints": ranges or {}, "schema_version": {"major": major, "minor": 99}, "verifiers": [],
        "torch_version": "2.15.0", "guards_code": [], "something_new": {"a": [1]}}
    with zipfile.ZipFile(path, "w") as z:
        for n, text in (("archive_format", b"pt2"), ("archive_version", b"0"), ("byteorder", b"little")):
            z.writestr("m/" + n, text)
        z.writestr("m/models/model.json", json.dumps(program))
        z.writestr("m/data/weights/model_weights_config.json", json.dumps({"config": config}))
        z.writestr("m/data/constants/model_constants_config.json", json.dumps({"config": {}}))
        for n, data in files.items():
            z.writestr("m/data/weights/" + n, data)


def write_case(folder, name, inputs, nodes, outputs, weights=None, ranges=None, shapes=None, tolerance=1e-5):
    """inputs: {name: (dtype, values)}; outputs: {name: (dtype, values)}, those with a dot made by the reader"""
    where = os.path.join(folder, name)
    os.makedirs(where, exist_ok=True)
    declared = {n: (t, (shapes or {}).get(n, shape_of(v))) for n, (t, v) in inputs.items()}
    archive(os.path.join(where, "model.pt2"), declared, nodes, [n for n in outputs if "." not in n], weights, ranges)
    lists = {"inputs": [], "outputs": []}
    for kind, values in (("input", inputs), ("output", outputs)):
        for i, (t, v) in enumerate(v for n, v in values.items() if not n.startswith("token")):
            file = "%s_%d.npy" % (kind, i)
            with open(os.path.join(where, file), "wb") as f:
                f.write(npy(t, v, shape_of(v)))
            lists[kind + "s"].append({"file": file, "dtype": t, "shape": shape_of(v)})
    with open(os.path.join(where, "case.json"), "w") as f:
        json.dump({"name": name, "usable": {"model.pt2": True}, "rtol": tolerance, "atol": tolerance, "sets": [lists]}, f)


def each(f, *v):
    if isinstance(v[0], list):
        return [each(f, *x) for x in zip(*v)]
    return f(*v)


def one(name, target, f, args=None, inputs=(X,), dtype="f32", out=None, tolerance=1e-5):
    """One operator on tensors named a, b, ..; f works element by element."""
    names = ["self", "other"]
    given = {"abc"[i]: (dtype, v) for i, v in enumerate(inputs)}
    call = {n: Name("abc"[i]) for i, n in enumerate(names[:len(inputs)])}
    call.update(args or {})
    want = each(f, *inputs)
    out = out or dtype
    return {"name": name, "inputs": given, "nodes": [(target, call, ("y", out, shape_of(want)))],
            "outputs": {"y": (out, want)}, "tolerance": tolerance}


def whole(name, inputs, nodes, outputs, **more):
    return dict({"name": name, "inputs": inputs, "nodes": nodes, "outputs": outputs}, **more)


def single(name, target, inputs, args, out, **more):
    dtype, v = out
    return whole(name, inputs, [(target, args, ("y", dtype, shape_of(v)))], {"y": out}, **more)
# SPDX-License-Identifier: Apache-2.0
