#!/usr/bin/env python3
"""Small models as exporters write them, run by weft and by ONNX Runtime: tools/zoo/README.md.

  tools/zoo/zoo.py make DIR [FAMILY|NAME...]        writes DIR/NAME.onnx and its inputs, DIR/NAME.npz
  tools/zoo/zoo.py run WEFT DIR [NAME...]           a table: agreed, differ, or refused and why
"""
import glob
import os
import re
import subprocess
import sys
import tempfile
import warnings

import numpy as np

FAMILIES = ["learn", "torches", "floats", "quants", "others"]


def makers():
    import importlib
    for module in FAMILIES:
        try:
            for family, listed in importlib.import_module(module).FAMILIES.items():
                for name, make in listed():
                    yield family, name, make
        except ImportError as e:
            print(f"{module}: not made: {e}", file=sys.stderr)


def make_models(folder, wanted):
    os.makedirs(folder, exist_ok=True)
    made = missed = 0
    for family, name, make in makers():
        if wanted and family not in wanted and name not in wanted:
            continue
        path = os.path.join(folder, name + ".onnx")
        if os.path.exists(path) and name not in wanted:
            continue
        try:
            model, feed = make()
            data = model if isinstance(model, bytes) else model.SerializeToString()
            with open(path, "wb") as f:
                f.write(data)
            np.savez(path[:-5] + ".npz", **feed)
            made += 1
        except Exception as e:  # an exporter that cannot: no fault of anybody here
            print(f"{name}: not made: {type(e).__name__}: {str(e).splitlines()[0][:150] if str(e) else ''}")
            missed += 1
    print(f"{made} made, {missed} not")


def peer_outputs(path, feed):
    import onnxruntime as ort
    options = ort.SessionOptions()
    options.log_severity_level = 4
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    names = [i.name for i in session.get_inputs()]
    return [o.name for o in session.get_outputs()], session.run(None, {n: feed[n] for n in names})


def difference(got, want):
    """The largest error relative to the largest value; None: not comparable."""
    if got.shape != want.shape:
        return f"shape {list(got.shape)}, not {list(want.shape)}"
    if got.dtype.kind in "SUO" or want.dtype.kind in "SUO":
        same = (got.astype(str) == want.astype(str)).all()
        return 0.0 if same else "other texts"
    if not want.size:
        return 0.0
    a, b = got.astype(np.float64), want.astype(np.float64)
    if (np.isnan(a) != np.isnan(b)).any():
        return "NaN in other places"
    a, b = np.nan_to_num(a), np.nan_to_num(b)
    return float(np.max(np.abs(a - b)) / max(1e-30, np.max(np.abs(b)))) if (a != b).any() else 0.0


def run_one(weft, path):
    """(state, detail)"""
    feed = dict(np.load(path[:-5] + ".npz", allow_pickle=True))
    try:
        names, want = peer_outputs(path, feed)
    except Exception as e:
        return "peer refused", str(e).splitlines()[0][:200]
    with tempfile.TemporaryDirectory() as tmp:
        command = [weft, "run", path, "--quiet", "--save", tmp, "--as", "pb"]
        for name, value in feed.items():
            if value.dtype.kind == "O":
                from onnx import numpy_helper
                with open(f"{tmp}/{name}.in.pb", "wb") as f:
                    f.write(numpy_helper.from_array(value.astype(object)).SerializeToString())
                command += ["--input", f"{name}={tmp}/{name}.in.pb"]
        if all(v.dtype.kind != "O" for v in feed.values()):
            command += ["--inputs", path[:-5] + ".npz"]
        else:
            for name, value in feed.items():
                if value.dtype.kind != "O":
                    np.save(f"{tmp}/{name}.in.npy", value)
                    command += ["--input", f"{name}={tmp}/{name}.in.npy"]
        if any(isinstance(w, list) and w and isinstance(w[0], dict) for w in want):  # maps have no file: as text
            command = command[:3] + ["--print", "0"] + command[8:]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=120)
        except subprocess.TimeoutExpired:
            return "refused", "no end after 120 s"
        if run.returncode:
            lines = [s for s in run.stderr.splitlines() if "warning" not in s]
            return "refused", " | ".join(lines)[:300] or f"exit status {run.returncode}"
        printed = dict(line.split(" = ", 1) for line in run.stdout.splitlines() if " = " in line)
        return compare(path, tmp, names, want, run.stderr, printed)


def read_text(text):
    """The arrays of i64[2]{1,2}, or the values of maps(keys, values)."""
    found = re.findall(r"[a-z0-9]+\[([0-9,]*)\]\{([^}]*)\}", text)
    dims, data = found[-1]
    data = [v.strip('"') for v in data.split(",")] if data else []
    shape = [int(d) for d in dims.split(",") if d]
    return np.array(data, dtype=object if text.startswith("str") else np.float64).reshape(shape)


def read_output(path, sequence):
    """The tensors of an output file."""
    import onnx
    from onnx import numpy_helper
    made = onnx.SequenceProto() if sequence else onnx.TensorProto()
    with open(path, "rb") as f:
        made.ParseFromString(f.read())
    return [numpy_helper.to_array(t) for t in (made.tensor_values if sequence else [made])]


# What is computed in other steps than the peer's differs by more than the 1e-4 of float networks.
LIMITS = {"half": 5e-3, "quant": 3e-2}


def compare(path, tmp, names, want, told, printed):
    worst, listed = 0.0, []
    family = os.path.basename(path).split("_")[0]
    for i, (name, w) in enumerate(zip(names, want)):
        if name in printed:
            maps = isinstance(w, list)
            listed.append((name, read_text(printed[name]), np.array([list(m.values()) for m in w]) if maps else w))
            continue
        sequence = isinstance(w, list)
        got = read_output(f"{tmp}/output_{i}.pb", sequence)
        if len(got) != (len(w) if sequence else 1):
            return "differ", f"{name}: {len(got)} items, not {len(w)}"
        listed += [(name, g, x) for g, x in zip(got, w if sequence else [w]) if isinstance(x, np.ndarray)]
    for name, got, w in listed:
        d = difference(got, w)
        if isinstance(d, str):
            return "differ", f"{name}: {d}"
        limit = 0.0 if w.dtype.kind in "bSUO" else LIMITS.get(family, 1e-4)
        if w.dtype.kind in "iu" and d > 0:
            off = np.abs(got.astype(np.int64) - w.astype(np.int64))
            if w.dtype.itemsize > 1 or off.max() > 1 or (off > 0).mean() > 0.05:
                return "differ", f"{name}: {int((off > 0).sum())} of {off.size} integers, by up to {off.max()}"
            continue
        if d > limit:
            return "differ", f"{name}: largest error {d:.2e} of the largest value"
        worst = max(worst, d)
    first = next((s for s in told.splitlines() if "warning" in s), "")
    return "agreed", f"{worst:.1e}{'; ' + first[:160] if first else ''}"


def run_models(weft, folder, wanted):
    counts, rows = {}, []
    paths = sorted(glob.glob(folder + "/*.onnx"))
    for path in paths:
        name = os.path.basename(path)[:-5]
        if wanted and name not in wanted:
            continue
        state, detail = run_one(weft, path)
        family = name.split("_")[0]
        counts.setdefault(family, {}).setdefault(state, 0)
        counts[family][state] += 1
        rows.append((state, name, detail))
        if state != "agreed" or wanted:
            print(f"{state:12} {name}: {detail}", flush=True)
    states = ["agreed", "differ", "refused", "peer refused"]
    print("\n| family | " + " | ".join(states) + " |\n|---|" + "---|" * len(states))
    for family, c in sorted(counts.items()):
        print(f"| {family} | " + " | ".join(str(c.get(s, 0)) for s in states) + " |")
    total = [sum(c.get(s, 0) for c in counts.values()) for s in states]
    print("| all | " + " | ".join(map(str, total)) + " |")
    return any(r[0] in ("differ", "refused") for r in rows)


def main():
    warnings.filterwarnings("ignore")
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    if len(sys.argv) > 2 and sys.argv[1] == "make":
        return make_models(sys.argv[2], sys.argv[3:])
    if len(sys.argv) > 3 and sys.argv[1] == "run":
        return run_models(sys.argv[2], sys.argv[3], sys.argv[4:])
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: Apache-2.0
