#!/usr/bin/env python3
"""recorded_defs.py PROGRAM FOLDER: definitions against what CANN's own OpDef made of them (opdef.json)."""
import json
import os
import subprocess
import sys


def differences(ours, theirs, where):
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in sorted(set(ours) | set(theirs)):
            yield from differences(ours.get(key), theirs.get(key), f"{where}.{key}")
    elif isinstance(theirs, list) and isinstance(ours, list) and len(ours) == len(theirs):
        for i, (a, b) in enumerate(zip(ours, theirs)):
            name = b.get("name", b.get("op", i)) if isinstance(b, dict) else i
            yield from differences(a, b, f"{where}.{name}")
    elif ours != theirs:
        yield f"{where}: got {ours}, expected {theirs}"


program, folder = sys.argv[1:]
got = json.loads(subprocess.run([program], check=True, capture_output=True, text=True).stdout)
with open(os.path.join(folder, "opdef.json"), encoding="utf-8") as f:
    expected = json.load(f)
found = list(differences(got["opdefs"], expected["opdefs"], "opdefs"))
print("\n".join(found))
print(f"{len(expected['opdefs'])} definitions: {len(found)} differences")
sys.exit(bool(found))
# SPDX-License-Identifier: Apache-2.0
