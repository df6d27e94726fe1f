#!/usr/bin/env python3
"""Runs the whole networks of a folder with the tolerances of its index.json: nets.py WEFT DIR [OPTIONS of weft onnx-test]"""
import json
import subprocess
import sys

weft, root, more = sys.argv[1], sys.argv[2], sys.argv[3:]
index = json.load(open(f"{root}/index.json"))
nets = index if isinstance(index, list) else index.get("nets", index)
items = nets.items() if isinstance(nets, dict) else [(n["name"], n) for n in nets]
bad = 0
for name, info in items:
    rtol, atol = info.get("rtol", 1e-3), info.get("atol", 1e-7)
    run = subprocess.run([weft, "onnx-test", "--rtol", str(rtol), "--atol", str(atol), *more, f"{root}/{name}"],
                         capture_output=True, text=True)
    bad += run.returncode != 0
    print(f"{name}: {'passed' if not run.returncode else run.stdout.strip()[:300]}")
print(f"{len(items) - bad} passed, {bad} failed")
sys.exit(bad != 0)
# SPDX-License-Identifier: Apache-2.0
