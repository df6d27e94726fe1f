#!/usr/bin/env python3
"""Operators of Microsoft's domains beside ONNX Runtime: one-node models, run by both and compared.

  tools/ms_cases.py WEFT [GROUP...] [--op NAME] [--rounds N] [--seed N] [--write]

GROUP is a module tools/ms_cases_GROUP.py (default: all of them) whose cases(rng) yields Case objects, with random
shapes and attributes. Those with keep=True and few numbers are written by --write to tests/data/ms/GROUP.txt, with the
peer's results, for tests/ms_cases_test.c, which runs without the peer. Needs the registry packages onnxruntime, onnx, numpy.
"""
import argparse
import dataclasses
import glob
import importlib
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SERIAL = {"float32": "f32", "float64": "f64", "float16": "f16", "int8": "i8", "uint8": "u8", "int16": "i16",
          "uint16": "u16", "int32": "i32", "uint32": "u32", "int64": "i64", "uint64": "u64", "bool": "bool"}
MOST = 400  # numbers of a tensor in a written case


@dataclasses.dataclass
class Const:
    """An input that is an initializer. bits: 4 for int4 and uint4, which numpy holds as bytes."""
    value: np.ndarray
    bits: int = 0


@dataclasses.dataclass
class Case:
    op: str
    inputs: list  # arrays, Const, or None for one that is absent
    attrs: dict = dataclasses.field(default_factory=dict)
    outputs: int = 1  # or a list of booleans: which ones are asked for
    domain: str = "com.microsoft"
    tolerance: float = 0.0  # relative to the larger of 1 and the number
    steps: int = 0  # of integers: how far they may be off
    keep: bool = False
    opset: int = 21
    # Where the peer has no kernel for the processor: what numpy computes, or other inputs (and operator) that mean the same.
    expected: list = None
    like: list = None
    like_op: str = ""
    rows: int = None  # of axis 2 of the outputs behind the first: only these are specified


def elem_type(value, bits=0):
    if bits == 4:
        return TensorProto.INT4 if value.dtype == np.int8 else TensorProto.UINT4
    return helper.np_dtype_to_tensor_dtype(value.dtype)


def output_info(case, name):
    """The peer does not infer the type of attention's scores."""
    if case.op.endswith("MultiHeadAttention") and name == "y3":
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
    return helper.make_empty_tensor_value_info(name)


def model_of(case):
    names, inputs, inits, feed = [], [], [], {}
    for i, v in enumerate(case.inputs):
        name = f"x{i}"
        names.append("" if v is None else name)
        if isinstance(v, Const):
            if v.bits == 4:
                inits.append(helper.make_tensor(name, elem_type(v.value, 4), v.value.shape, v.value.ravel()))
            else:
                inits.append(numpy_helper.from_array(v.value, name))
        elif v is not None:
            inputs.append(helper.make_tensor_value_info(name, elem_type(v), v.shape))
            feed[name] = v
    asked = [True] * case.outputs if isinstance(case.outputs, int) else case.outputs
    outs = [f"y{i}" if a else "" for i, a in enumerate(asked)]
    node = helper.make_node(case.op, names, outs, name="node", domain=case.domain, **case.attrs)
    graph = helper.make_graph([node], "g", inputs, [output_info(case, o) for o in outs if o], inits)
    opsets = [helper.make_opsetid("", case.opset), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10), feed, outs


def peer(model, feed):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, feed)


def weft(program, model, feed, outs, interp):
    with tempfile.TemporaryDirectory() as tmp:
        onnx.save(model, f"{tmp}/m.onnx")
        args = [program, "run", f"{tmp}/m.onnx", "--save", tmp] + (["--interp"] if interp else [])
        for name, v in feed.items():
            np.save(f"{tmp}/{name}.npy", v)
            args += ["--input", f"{name}={tmp}/{name}.npy"]
        run = subprocess.run(args, capture_output=True, text=True)
        if run.returncode:
            raise RuntimeError(run.stderr.strip())
        return [np.load(f"{tmp}/{o}.npy") for o in outs if o]


def difference(got, want, case):
    """What is wrong; an empty text: nothing."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{got.dtype}{list(got.shape)}, expected {want.dtype}{list(want.shape)}"
    if not want.size or want.dtype == object:
        return "" if np.array_equal(got, want) else "strings differ"
    a, b = got.astype(np.float64), want.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        off = np.where(same, 0, np.abs(a - b))
        bound = case.tolerance * np.maximum(1, np.abs(b)) if want.dtype.kind in "fc" else case.steps
        over = ~(off <= bound) & ~same
    if over.any():
        at = np.unravel_index(np.argmax(np.where(np.isnan(off), np.inf, off)), off.shape)
        return (f"{int(over.sum())} of {want.size} differ, the most at {[int(i) for i in at]}: "
                f"{got[at]!r} and {want[at]!r}")
    return ""


# ---- tests/data/ms/GROUP.txt ----
def number(v, dtype):
    if dtype == np.bool_:
        return "true" if v else "false"
    if np.issubdtype(dtype, np.floating):
        if np.isnan(v) or np.isinf(v):
            return "nan" if np.isnan(v) else "inf" if v > 0 else "-inf"
        text = np.format_float_positional(v, trim="-") if 1e-4 < abs(float(v)) < 1e6 or v == 0 else repr(float(v))
        return text
    return str(int(v))


def text_of(value, bits=0):
    serial = {"int8": "i4", "uint8": "u4"}[str(value.dtype)] if bits == 4 else SERIAL[str(value.dtype)]
    dims = ",".join(str(d) for d in value.shape)
    return f"{serial}[{dims}]{{{','.join(number(v, value.dtype) for v in value.ravel())}}}"


def attr_text(v):
    if isinstance(v, (list, tuple, np.ndarray)):
        return "[" + ",".join(attr_text(i) for i in v) + "]"
    if isinstance(v, (float, np.floating)):
        text = repr(float(v))
        return text if any(c in text for c in ".en") else text + ".0"
    return v.decode() if isinstance(v, bytes) else str(v)


def case_text(case, outs, results):
    lines = [" ".join(["case", case.op, case.domain or "ai.onnx"] + [f"{k}={attr_text(v)}" for k, v in case.attrs.items()])]
    for v in case.inputs:
        if v is None:
            lines.append("none")
        elif isinstance(v, Const):
            lines.append("const " + text_of(v.value, v.bits))
        else:
            lines.append("in " + text_of(v))
    results = iter(results)
    for o in outs:
        if not o:
            lines.append("out none")
            continue
        v = next(results)
        off = f" ~{case.tolerance:g}" if v.dtype.kind == "f" else f" +-{case.steps}" if case.steps else ""
        lines.append("out " + text_of(v) + off)
    return "\n".join(lines) + "\n"


def small(case, results):
    arrays = [i.value if isinstance(i, Const) else i for i in case.inputs if i is not None] + list(results)
    return all(a.size <= MOST for a in arrays)


def same_meaning(case, model, feed):
    if case.like is None:
        return model, feed
    other = dataclasses.replace(case, op=case.like_op or case.op, inputs=case.like, like=None)
    return model_of(other)[:2]


def run_case(case, args, kept):
    model, feed, outs = model_of(case)
    try:
        want = case.expected or peer(*same_meaning(case, model, feed))
    except Exception as e:  # the peer refuses it: nothing to compare with
        return "peer", str(e).split("\n")[0]
    if case.keep and args.write and small(case, want):
        kept.append(case_text(case, outs, want))
    for interp in (False, True):
        try:
            got = weft(args.weft, model, feed, outs, interp)
        except RuntimeError as e:
            return "refused", str(e)
        for i, (g, w) in enumerate(zip(got, want)):
            if i and case.rows is not None and g.shape == w.shape:
                g, w = g[:, :, : case.rows], w[:, :, : case.rows]
            wrong = difference(g, w, case)
            if wrong:
                return "different", f"output {i}{' (interpreter)' if interp else ''}: {wrong}"
    return "equal", ""


def describe(case):
    def one(v):
        if v is None:
            return "-"
        const, v = isinstance(v, Const), v.value if isinstance(v, Const) else v
        return ("=" if const else "") + SERIAL[str(v.dtype)] + str(list(v.shape)).replace(" ", "")
    return f"{case.op}({', '.join(one(v) for v in case.inputs)}) {case.attrs or ''}"


def run_group(group, args):
    module = importlib.import_module(f"ms_cases_{group}")
    counts, kept = {}, []
    for k in range(args.rounds):
        for case in module.cases(np.random.default_rng(args.seed + k)):
            if args.op and case.op != args.op:
                continue
            case.keep &= k == 0
            status, why = run_case(case, args, kept)
            row = counts.setdefault(case.op, {})
            row[status] = row.get(status, 0) + 1
            if status != "equal" and (status != "peer" or args.verbose):
                print(f"{status}: {describe(case)}: {why}")
    for op, row in sorted(counts.items()):
        print(f"{op}: " + ", ".join(f"{n} {status}" for status, n in sorted(row.items())))
    if args.write:
        path = f"{ROOT}/tests/data/ms/{group}.txt"
        with open(path, "w", encoding="utf-8") as f:
            f.write(f"# Written by tools/ms_cases.py from ONNX Runtime {ort.__version__}; tests/ms_cases_test.c says how "
                    "to read it.\n" + "".join(kept))
        print(f"{path}: {len(kept)} cases, {os.path.getsize(path)} bytes")
    return any(s in ("different", "refused") for row in counts.values() for s in row)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("weft")
    p.add_argument("groups", nargs="*")
    p.add_argument("--op")
    p.add_argument("--rounds", type=int, default=1)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--write", action="store_true")
    p.add_argument("--verbose", action="store_true", help="tells what the peer refused, too")
    args = p.parse_args()
    ort.set_default_logger_severity(4)
    here = os.path.dirname(os.path.abspath(__file__))
    groups = args.groups or sorted(os.path.basename(f)[9:-3] for f in glob.glob(f"{here}/ms_cases_*.py"))
    sys.path.insert(0, here)
    sys.modules["ms_cases"] = sys.modules["__main__"]
    return max(run_group(g, args) for g in groups)


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: Apache-2.0
