#!/usr/bin/env python3
"""recorded.py SELFMADE FACTS FOLDER WORK: runs operators in users' style and compares with what CANN's library answered."""
import json
import os
import subprocess
import sys

selfmade, facts, folder, work = sys.argv[1:]
out = os.path.join(work, "cases.json")
subprocess.run([selfmade, out], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
with open(out, encoding="utf-8") as f:
    got = json.load(f)
with open(os.path.join(folder, "cases.json"), encoding="utf-8") as f:
    expected = json.load(f)
wrong = 0
for part in ("cases", "registry"):
    if len(got[part]) != len(expected[part]):
        sys.exit(f"recorded.py: {len(got[part])} {part}, expected {len(expected[part])}")
    for ours, theirs in zip(got[part], expected[part]):
        if ours != theirs:
            wrong += 1
            print(f"{theirs['op']} {theirs.get('kind', '')} {theirs.get('note', '')}\n  got      {ours}\n  expected {theirs}")
lines = subprocess.run([facts], check=True, capture_output=True, text=True).stdout.splitlines()
with open(os.path.join(folder, "facts.txt"), encoding="utf-8") as f:
    for ours, theirs in zip(lines + [""] * 1000, f.read().splitlines()):
        if ours != theirs:
            wrong += 1
            print(f"got {ours!r}, expected {theirs!r}")
print(f"{len(expected['cases'])} cases, {len(expected['registry'])} registrations, {len(lines)} facts: {wrong} differ")
sys.exit(wrong != 0)
# SPDX-License-Identifier: Apache-2.0
