#!/usr/bin/env python3
"""Every operator in every operator-set version: makes models, runs them with weft, and tells which pairs have none.

  tools/old_versions.py WEFT OUT TESTS...      TESTS: folders of ONNX's backend tests (../shared/data/onnx/node, simple, ...)

Two sources. (1) Each backend test whose nodes exist in another version is written in the form of that version: inputs
become attributes again, types and attributes are checked against that version's schema, and the expected outputs stay,
or are computed where the meaning changed. (2) tools/old_versions_cases.py: one-node models with what only early versions
have; the expected outputs come from numpy or, where it is installed, from ONNX Runtime. Needs the registry packages onnx
(1.23 for version 28) and numpy; onnxruntime is optional. The models stay in OUT.
"""
import collections
import copy
import glob
import os
import shutil
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, checker, defs, helper, numpy_helper

SCHEMAS = collections.defaultdict(dict)
for one in defs.get_all_schemas_with_history():
    SCHEMAS[one.domain, one.name][one.since_version] = one
BROADCAST = {"Add", "Sub", "Mul", "Div", "Pow", "And", "Or", "Xor", "Equal", "Greater", "Less"}
IN_PLACE = {"Relu", "Exp", "Log", "Sqrt", "Abs", "Neg", "Floor", "Ceil", "Tanh", "Sigmoid", "Elu", "Selu", "LeakyRelu",
            "HardSigmoid", "Reciprocal", "Clip", "Sum", "Max", "Min", "Mean", "InstanceNormalization", "Dropout", "PRelu",
            "Add", "Sub", "Mul", "Div"}


class Skip(Exception):
    """The test has no form in that version."""


def schema(domain, op, version):
    known = [v for v in SCHEMAS[domain, op] if v <= version]
    return SCHEMAS[domain, op][max(known)] if known else None


def softmax(op, x, axis):
    """Before version 13: over what Flatten makes a row."""
    axis %= x.ndim
    rows = x.reshape(int(np.prod(x.shape[:axis])), -1).astype(np.float64)
    shifted = rows - rows.max(1, keepdims=True)
    y = np.exp(shifted) / np.exp(shifted).sum(1, keepdims=True)
    if op == "LogSoftmax":
        y = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    if op == "Hardmax":
        y = np.arange(rows.shape[1]) == rows.argmax(1)[:, None]
    return y.reshape(x.shape).astype(x.dtype)


class Node:
    """A node on its way to version v; values: arrays by name; expected: of the outputs, changed where the meaning did."""

    def __init__(self, node, version, values, expected):
        self.n, self.v, self.values, self.expected = node, version, values, expected

    def attr(self, name, default=None):
        found = [helper.get_attribute_value(a) for a in self.n.attribute if a.name == name]
        return found[0] if found else default

    def drop(self, *names):
        keep = [a for a in self.n.attribute if a.name not in names]
        del self.n.attribute[:]
        self.n.attribute.extend(keep)

    def put(self, name, value):
        self.drop(name)
        self.n.attribute.append(helper.make_attribute(name, value))

    def cut(self, count):
        del self.n.input[count:]

    def const(self, i):
        if i >= len(self.n.input) or not self.n.input[i]:
            return None
        if self.n.input[i] not in self.values:
            raise Skip("an input is not known")
        return self.values[self.n.input[i]]

    def shape(self, i):
        return np.shape(self.const(i))

    def refuse(self, bad, why):
        if bad:
            raise Skip(why)

    def listed(self, name, i, since):
        """A list of axes that was an attribute before version `since`, without negative axes before 11."""
        axes = self.const(i) if self.v < since else None
        if axes is None:
            return
        if self.v < 11:
            axes = axes % (len(self.shape(0)) + (axes.size if self.n.op_type == "Unsqueeze" else 0))
        if axes.size:
            self.put(name, axes.tolist())
        self.cut(i)


def old_operands(n):
    op, v = n.n.op_type, n.v
    if op in BROADCAST and v < 7 and n.shape(0) != n.shape(1):
        a, b = n.shape(0), n.shape(1)
        fits = [k for k in range(len(a) - len(b) + 1) if a[k:k + len(b)] == b]
        n.refuse(not fits, "broadcast")
        n.put("broadcast", 1)
        if fits[-1] != len(a) - len(b):
            n.put("axis", fits[-1])
    if op in ("Sum", "Mean", "Max", "Min") and v < 8:
        n.refuse(len({n.shape(i) for i in range(len(n.n.input))}) > 1, "broadcast")
    if op == "Gemm" and v < 7:
        n.refuse(n.const(2) is None, "no C")
        if n.shape(2) != n.expected[n.n.output[0]].shape:
            n.put("broadcast", 1)
    if op == "PRelu":
        x, slope = n.shape(0), n.shape(1)
        n.refuse(v < 7 and len(x) > 1 and slope not in ((1,), (x[1],)), "slope")
        n.refuse(v >= 7 and np.broadcast_shapes(x, slope) != x, "slope")  # ValueError: not at all


def old_lists(n):
    op, v = n.n.op_type, n.v
    if op.startswith("Reduce"):
        since = 13 if op == "ReduceSum" else 18
        n.refuse(v < since and n.attr("noop_with_empty_axes"), "noop")
        if v < since:
            n.drop("noop_with_empty_axes")
        n.listed("axes", 1, since)
    if op in ("Squeeze", "Unsqueeze"):
        n.listed("axes", 1, 13)
    if op == "Split":
        if v < 18 and n.attr("num_outputs"):
            n.refuse(n.shape(0)[n.attr("axis", 0)] % n.attr("num_outputs"), "uneven")
            n.drop("num_outputs")
        n.refuse(v >= 18 and len(n.n.input) < 2 and not n.attr("num_outputs"), "num_outputs")
        if v < 13 and n.const(1) is not None:
            n.put("split", n.const(1).tolist())
            n.cut(1)
    if op == "Slice" and v < 10:
        n.refuse(n.const(4) is not None and (n.const(4) != 1).any(), "steps")
        begin, end, axes = n.const(1), n.const(2), n.const(3)
        n.put("starts", begin.tolist())
        n.put("ends", np.clip(end, -2**31, 2**31 - 1).tolist())
        if axes is not None:
            n.put("axes", [int(a) % len(n.shape(0)) for a in axes])
        n.cut(1)
    if op == "Pad":
        pads, axes, rank = n.const(1), n.const(3), len(n.shape(0))
        n.refuse(v < 19 and n.attr("mode") == b"wrap", "wrap")
        n.refuse(11 <= v < 18 and axes is not None, "axes")
        if axes is not None and v < 11:
            full = np.zeros(2 * rank, np.int64)
            for i, a in enumerate(axes):
                full[a % rank], full[a % rank + rank] = pads[i], pads[i + len(axes)]
            pads = full
        if v < 11:
            n.put("paddings" if v == 1 else "pads", pads.tolist())
            if n.const(2) is not None:
                n.put("value", float(n.const(2).reshape(-1)[0]))
            n.cut(1)
    if op == "Reshape" and v < 5:
        n.refuse(n.attr("allowzero"), "allowzero")
        n.put("shape", n.const(1).tolist())
        n.cut(1)


def old_numbers(n):
    op, v = n.n.op_type, n.v
    if op == "Clip" and v < 11:
        for i, name in ((1, "min"), (2, "max")):
            if n.const(i) is not None:
                n.put(name, float(n.const(i)))
        n.cut(1)
    if op == "TopK" and v < 11:
        n.refuse(n.attr("largest", 1) == 0, "smallest")
        n.drop("largest", "sorted")
        if v < 10:
            n.put("k", int(n.const(1).reshape(-1)[0]))
            n.cut(1)
    if op == "Dropout" and v < 12:
        n.refuse(n.const(2) is not None and bool(n.const(2)), "training")
        n.refuse(len(n.n.output) > 1, "what the mask holds was not said")
        if n.const(1) is not None:
            n.put("ratio", float(n.const(1)))
        n.cut(1)
        n.drop("seed")
    if op == "BatchNormalization" and v < 14:
        n.refuse(n.attr("training_mode") or len(n.n.output) > 1, "training")
        n.drop("training_mode")
    if op in ("Dropout", "BatchNormalization"):
        n.drop("is_test")
        if v < 7:
            n.put("is_test", 1)
    if op == "Cast" and v < 6:
        n.put("to", TensorProto.DataType.Name(n.attr("to")))
    if op == "GridSample":
        names = (("linear", "bilinear"), ("cubic", "bicubic"))
        mode = n.attr("mode", b"linear").decode()
        n.put("mode", {pair[v >= 20]: pair[v < 20] for pair in names}.get(mode, mode))
    if op == "RoiAlign" and v < 16:
        n.refuse(n.attr("coordinate_transformation_mode") != b"output_half_pixel", "half_pixel")
        n.drop("coordinate_transformation_mode")
    if op == "DepthToSpace" and v < 11:
        n.refuse(n.attr("mode", b"DCR") != b"DCR", "mode")
        n.drop("mode")
    if op == "DFT":
        n.refuse(v >= 20 and (n.attr("axis") is not None or (len(n.n.input) < 3 and len(n.shape(0)) != 3)), "axis")
        if v < 20 and len(n.n.input) > 2:
            n.put("axis", int(n.const(2)))
            n.cut(2)
        elif v < 20 and n.attr("axis") is None:
            n.put("axis", len(n.shape(0)) - 2)
    n.refuse(op == "GroupNormalization" and v < 21, "a scale for each group")
    if op in ("Softmax", "LogSoftmax", "Hardmax") and v < 13:
        n.expected[n.n.output[0]] = softmax(op, n.const(0), n.attr("axis", 1))


def adapt(node, version, values, expected):
    n = Node(node, version, values, expected)
    old_operands(n)
    old_lists(n)
    old_numbers(n)
    axis = n.attr("axis")
    if version < 11 and isinstance(axis, int) and axis < 0 and node.op_type not in BROADCAST:
        n.put("axis", axis % (len(n.shape(0)) + (node.op_type == "OneHot")))
    n.drop("consumed_inputs")
    if version < 6 and node.op_type in IN_PLACE:
        n.put("consumed_inputs", [0] * len(node.input))
    if version < 11 and n.attr("auto_pad") == b"NOTSET":
        n.drop("auto_pad")


def type_of(info):
    t = info.type
    kind = t.WhichOneof("value")
    if kind == "tensor_type":
        return "tensor(%s)" % TensorProto.DataType.Name(t.tensor_type.elem_type).lower()
    return None


def check_types(node, s, types):
    for names, ports in ((node.input, list(s.inputs)), (node.output, list(s.outputs))):
        for i, name in enumerate(names):
            port = ports[min(i, len(ports) - 1)]
            if types.get(name) and types[name] not in port.types:
                raise Skip("type")


def rewrite(test, model, domain, version):
    """The model in another version and the expected outputs that changed."""
    m = copy.deepcopy(model)
    values = {t.name: numpy_helper.to_array(t) for t in m.graph.initializer}
    types = {t.name: "tensor(%s)" % TensorProto.DataType.Name(t.data_type).lower() for t in m.graph.initializer}
    types.update({i.name: type_of(i) for i in list(m.graph.input) + list(m.graph.output)})
    expected = {}
    for infos, kind, into in ((m.graph.input, "input", values), (m.graph.output, "output", expected)):
        for k, info in enumerate(infos):
            path = f"{test}/test_data_set_0/{kind}_{k}.pb"
            if types[info.name] and os.path.exists(path):
                into[info.name] = numpy_helper.to_array(onnx.load_tensor(path))
    before = dict(expected)
    made_for = max([i.version for i in m.opset_import if i.domain in ("", "ai.onnx")], default=0)
    for node in m.graph.node:
        s = schema(domain, node.op_type, version)
        if s.deprecated:
            raise Skip("deprecated")
        if node.op_type == "Scan" and (version < 9) != (made_for < 9):
            raise Skip("lengths of sequences are an input of version 8 alone")
        if not domain:
            adapt(node, version, values, expected)
        check_types(node, s, types)
    used = {name for node in m.graph.node for name in node.input} | {name for node in m.graph.node for a in node.attribute
                                                                    for inner in a.g.node for name in inner.input}
    gone = [i for i in m.graph.input if i.name not in used]
    for info in gone:
        m.graph.input.remove(info)
    for o in m.opset_import:
        if o.domain == domain or (o.domain == "ai.onnx" and not domain):
            o.version = version
    checker.check_model(m)
    return m, {k: a for k, a in expected.items() if a is not before[k]}


def write(out, test, old, m, changed):
    os.makedirs(f"{out}/test_data_set_0")
    onnx.save(m, f"{out}/model.onnx")
    if os.path.exists(f"{test}/data.json"):
        shutil.copy(f"{test}/data.json", out)
    kept = {i.name for i in m.graph.input}
    at = 0
    for k, info in enumerate(old.graph.input):
        path = f"{test}/test_data_set_0/input_{k}.pb"
        if info.name in kept and os.path.exists(path):
            shutil.copy(path, f"{out}/test_data_set_0/input_{at}.pb")
            at += 1
    for k, info in enumerate(old.graph.output):
        path = f"{out}/test_data_set_0/output_{k}.pb"
        if info.name in changed:
            onnx.save_tensor(numpy_helper.from_array(changed[info.name], info.name), path)
        else:
            shutil.copy(f"{test}/test_data_set_0/output_{k}.pb", path)


def other_versions(test, out, covered):
    model = onnx.load(f"{test}/model.onnx")
    domain = model.graph.node[0].domain
    domain = "" if domain == "ai.onnx" else domain
    ops = [n.op_type for n in model.graph.node]
    if any(n.domain != model.graph.node[0].domain or not SCHEMAS[domain, n.op_type] for n in model.graph.node):
        return
    now = max([o.version for o in model.opset_import if o.domain == domain or (o.domain == "ai.onnx" and not domain)] + [0])
    first = max(min(SCHEMAS[domain, op]) for op in ops)

    def pairs(version):
        return [(domain, op, schema(domain, op, version).since_version) for op in ops]
    for version in sorted({v for op in ops for v in SCHEMAS[domain, op] if v >= first}):
        if now < first or pairs(version) == pairs(now):
            covered.update(pairs(version) if now >= first else [])
            continue
        try:
            m, changed = rewrite(test, model, domain, version)
        except (Skip, KeyError, TypeError, AttributeError, IndexError, ValueError, checker.ValidationError):
            continue  # no form of this test in that version
        write(f"{out}/{os.path.basename(test)}__{version}", test, model, m, changed)
        covered.update(pairs(version))


def main():
    weft, out, roots = sys.argv[1], sys.argv[2], sys.argv[3:]
    shutil.rmtree(out, ignore_errors=True)
    covered = collections.Counter()
    with open(f"{os.path.dirname(os.path.abspath(__file__))}/../tests/onnx/known.txt", encoding="utf-8") as file:
        known = {line.split()[0] for line in file if line.strip() and line[0] != "#"}
    for test in sorted(t for root in roots for t in glob.glob(f"{root}/*") if "expanded" not in t):
        if os.path.isdir(f"{test}/test_data_set_0") and os.path.basename(test).split("_opset")[0] not in known:
            other_versions(test, f"{out}/tests", covered)
    import old_versions_cases
    covered.update(old_versions_cases.write_all(f"{out}/cases"))
    pairs = [(d, op, v) for (d, op), by in SCHEMAS.items() for v, s in by.items() if not s.deprecated]
    missing = sorted(".".join(p[:2]).lstrip(".") + f"-{p[2]}" for p in pairs if not covered[p])
    print(f"{len(pairs) - len(missing)} of {len(pairs)} pairs of operator and version have a model; without: {' '.join(missing)}")
    return subprocess.run([weft, "onnx-test", f"{out}/tests", f"{out}/cases"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: Apache-2.0
