#!/usr/bin/env python3
"""Runs ONNX models with weft and with ONNX Runtime on the same random inputs and compares the outputs.

  tools/compare_ort.py WEFT MODEL.onnx...      needs the registry packages onnxruntime and numpy
"""
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnxruntime as ort


def main():
    weft, status = sys.argv[1], 0
    for path in sys.argv[2:]:
        session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
        rng = np.random.default_rng(1)
        with tempfile.TemporaryDirectory() as tmp:
            feed, args = {}, []
            for k, i in enumerate(session.get_inputs()):
                shape = [d if isinstance(d, int) else 2 for d in i.shape]
                feed[i.name] = rng.standard_normal(shape).astype(np.float32) if "float" in i.type else \
                    rng.integers(0, 4, shape).astype(np.int64 if "64" in i.type else np.int32)
                np.save(f"{tmp}/in{k}.npy", feed[i.name])
                args += ["--input", f"{i.name}={tmp}/in{k}.npy"]
            want = session.run(None, feed)
            run = subprocess.run([weft, "run", path, "--print", "1", "--save", tmp] + args, capture_output=True, text=True)
            if run.returncode:
                print(f"{path}: {run.stderr.strip()}")
                status = 1
                continue
            for o, w in zip(session.get_outputs(), want):
                got = np.load(f"{tmp}/{re.sub('/', '_', o.name)}.npy")
                error = np.max(np.abs(got.astype(np.float64) - w)) / (1e-30 + np.max(np.abs(w))) if w.size else 0.0
                ok = got.shape == w.shape and error <= 1e-4
                status |= not ok
                print(f"{os.path.basename(os.path.dirname(path))}: {o.name} {list(w.shape)} "
                      f"largest error {error:.2e} of the largest value{'' if ok else '  DIFFERENT'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: Apache-2.0
