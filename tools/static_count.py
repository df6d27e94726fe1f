#!/usr/bin/env python3
"""How many models are fully static before anything runs: weft against ONNX's own inference, in one run.

  tools/static_count.py WEFT [--data ../shared/data/onnx] [--list] [--why]

Each model of the backend tests and of the light networks is stripped: declared types of intermediate values and of outputs
are removed, in sub-graphs too, and inputs of at most 64 elements become initialisers from test_data_set_0. A model counts
when every output of every node of its main graph has a known dtype and shape. What was inferred of the graph's outputs is
compared with the expected data; a difference is a contradiction, is printed, and fails the run.
  --list   the models that are not static     --why   and what keeps them from it, from `weft infer --why`
Needs the registry package onnx (python3 -m pip install --target build/peer onnx, as tools/bench_import.py does).
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, f"{ROOT}/build/peer")
KNOWN_ELEMS = 64


def read(path, kind):
    with open(path, "rb") as f:
        return kind.FromString(f.read())


def parse_data(path, type_proto):
    """The value in a .pb file, by the kind of the declared type; None: cannot be read."""
    import onnx
    kinds = {"sequence_type": onnx.SequenceProto, "optional_type": onnx.OptionalProto}
    try:
        return read(path, kinds.get(type_proto.WhichOneof("value"), onnx.TensorProto))
    except Exception:
        return None


def elems(dims):
    n = 1
    for d in dims:
        n *= d
    return n


def strip_graph(graph, keep_inputs):
    import onnx
    del graph.value_info[:]
    for v in graph.output:
        v.ClearField("type")
    for v in graph.input if not keep_inputs else []:
        v.ClearField("type")
    for n in graph.node:
        for a in n.attribute:
            for g in ([a.g] if a.type == onnx.AttributeProto.GRAPH else a.graphs):
                strip_graph(g, keep_inputs=True)


def strip(model, folder):
    """Strips in place; returns how many inputs became known."""
    import onnx
    types = [onnx.TypeProto.FromString(v.type.SerializeToString()) for v in model.graph.output]
    strip_graph(model.graph, keep_inputs=True)
    there, n = {t.name for t in model.graph.initializer}, 0
    for i, v in enumerate(model.graph.input):
        path = f"{folder}/input_{i}.pb" if folder else ""
        if v.name in there or not v.type.HasField("tensor_type") or not os.path.exists(path):
            continue
        t = parse_data(path, v.type)
        if t is None or elems(t.dims) > KNOWN_ELEMS:
            continue
        t.name = v.name
        model.graph.initializer.append(t)
        n += 1
    return types, n


def onnx_types(model):
    """ONNX's own inference as {name: TypeProto}."""
    import onnx
    done = onnx.shape_inference.infer_shapes(model, strict_mode=False, data_prop=True)
    return {v.name: v.type for v in list(done.graph.value_info) + list(done.graph.output) + list(done.graph.input)}


def onnx_static(t):
    which = t.WhichOneof("value") if t is not None else None
    if which in ("sequence_type", "optional_type"):
        return onnx_static(getattr(t, which).elem_type)
    if which not in ("tensor_type", "sparse_tensor_type"):
        return False
    t = getattr(t, which)
    return bool(t.elem_type) and t.HasField("shape") and all(d.HasField("dim_value") for d in t.shape.dim)


def weft_static(t):
    while t and t["kind"] != "tensor":
        t = t.get("elem")
    return bool(t) and "shape" in t and all(isinstance(d, int) for d in t["shape"])


def same_tensor(t, data):
    import onnx
    while t and t["kind"] != "tensor":
        t = t["elem"]
    want = onnx.TensorProto.DataType.Name(data.data_type)
    if t["elem_type"] not in (want, "UNDEFINED"):
        return f"dtype {t['elem_type']}, the data are {want}"
    dims = t.get("shape")
    if dims is not None and (len(dims) != len(data.dims) or
                             any(isinstance(d, int) and d != w for d, w in zip(dims, data.dims))):
        return f"shape {dims}, the data have {list(data.dims)}"
    return None


def contradiction(t, data):
    """What differs between an inferred type and the expected data; None: nothing."""
    import onnx
    if isinstance(data, onnx.OptionalProto):
        if data.elem_type == onnx.OptionalProto.TENSOR:
            data = data.tensor_value
        elif data.elem_type == onnx.OptionalProto.SEQUENCE:
            data = data.sequence_value
        else:
            return None
    if isinstance(data, onnx.SequenceProto):
        return next(filter(None, (same_tensor(t, x) for x in data.tensor_values)), None)
    return same_tensor(t, data)


def last_line(text):
    lines = [x for x in text.strip().splitlines() if x]
    return lines[-1] if lines else "no message"


def count_one(job):
    weft, model_path, want_why = job
    import onnx
    light = os.path.basename(os.path.dirname(model_path)) == "light"
    folder = None if light else os.path.dirname(model_path) + "/test_data_set_0"
    name = os.path.basename(model_path)[:-5] if light else os.path.basename(os.path.dirname(model_path))
    out = {"name": name, "onnx": False, "weft": False, "contradictions": [], "unread": 0}
    model = read(model_path, onnx.ModelProto)
    types, out["inputs"] = strip(model, folder)
    outputs = [(n.op_type, o) for n in model.graph.node for o in n.output if o]
    read_names = {i for n in model.graph.node for i in n.input} | {v.name for v in model.graph.output}
    try:
        theirs = onnx_types(model)
        out["onnx"] = all(onnx_static(theirs.get(o)) for _, o in outputs)
    except Exception as e:
        out["onnx_error"] = str(e)[:200]
    with tempfile.TemporaryDirectory() as tmp:
        path = f"{tmp}/model.onnx"
        with open(path, "wb") as f:
            f.write(model.SerializeToString())
        run = subprocess.run([weft, "infer", path, "--onnx-types-json"], capture_output=True, text=True, timeout=120)
        if run.returncode:
            out["cause"], out["op"] = "refused: " + run.stderr.strip().replace(path, "model")[:600], ""
            return out
        ours = json.loads(run.stdout)["types"]
        missing = [(k, o) for k, o in outputs if not weft_static(ours.get(o)) and (o in ours or o in read_names)]
        out["unread"] = sum(o not in ours and o not in read_names for _, o in outputs)
        out["weft"] = not missing
        if missing:
            out["op"], value = missing[0]
            out["value"] = f"{value}: {ours.get(value)}"
            if want_why:
                run = subprocess.run([weft, "infer", path, "--why", value], capture_output=True, text=True, timeout=120)
                out["cause"] = (run.stdout + run.stderr).strip().replace(path, "model")[:800]
    for i, v in enumerate(model.graph.output):
        path = model_path[:-5] + f"_output_{i}.pb" if light else f"{folder}/output_{i}.pb"
        data = parse_data(path, types[i]) if os.path.exists(path) else None
        if data is None or v.name not in ours:
            continue
        out["compared"] = out.get("compared", 0) + 1
        what = contradiction(ours[v.name], data)
        if what:
            out["contradictions"].append(f"{name}: output '{v.name}': {what}")
    return out


def main():
    p = argparse.ArgumentParser()
    p.add_argument("weft")
    p.add_argument("--data", default=f"{ROOT}/../shared/data/onnx")
    p.add_argument("--only", default="")
    p.add_argument("--list", action="store_true")
    p.add_argument("--why", action="store_true")
    a = p.parse_args()
    models = []
    for s in ("node", "simple", "pytorch-operator", "pytorch-converted"):
        models += sorted(glob.glob(f"{a.data}/{s}/*/model.onnx"))
    models += sorted(glob.glob(f"{a.data}/light/*.onnx"))
    models = [m for m in models if a.only in m]
    if not models:
        print(f"static_count: left out: no models under {a.data}")
        return 0
    try:
        import onnx
    except ImportError:
        print("static_count: left out: the registry package onnx is not at hand")
        return 0
    jobs = [(a.weft, m, a.why) for m in models]
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        results = list(pool.map(count_one, jobs, chunksize=8))
    ours, theirs = sum(r["weft"] for r in results), sum(r["onnx"] for r in results)
    wrong = [c for r in results for c in r["contradictions"]]
    print(f"fully static without declared types, of {len(results)} models: weft {ours}, ONNX {onnx.__version__} {theirs}; "
          f"weft alone {sum(r['weft'] and not r['onnx'] for r in results)}, "
          f"ONNX alone {sum(r['onnx'] and not r['weft'] for r in results)}")
    print(f"against the expected data: {sum(r.get('compared', 0) for r in results)} outputs compared, "
          f"{len(wrong)} contradictions; {sum(r['unread'] for r in results)} outputs that nobody reads were not made by weft")
    for c in wrong:
        print("  " + c)
    groups = collections.defaultdict(list)
    for r in results:
        if not r["weft"]:
            groups[r.get("op") or re.sub(r"'[^']*'|\d+", "_", r.get("cause", ""))[:80]].append(r)
    for op, rs in sorted(groups.items(), key=lambda x: -len(x[1])) if a.list or a.why else []:
        print(f"{len(rs):4} {op}")
        for r in rs:
            print(f"       {r['name']}{'  (ONNX: static)' if r['onnx'] else ''}  {r.get('value', '')}")
            if a.why:
                print("         " + r.get("cause", "").replace("\n", "\n         "))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: Apache-2.0
