#!/usr/bin/env python3
"""P12: N + M, not N x M: what a front end and a back end are made of, and what they include of each other."""
import glob
import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PARTS = (("documents' JSON models", "src/frontend/simple/*.c"), ("ONNX", "src/frontend/onnx/*.c"), ("CPU kernels", "kernels/cpu/**/*.[ch]"),
         ("simulated device", "kernels/npusim/*.[ch]"))


def lines(pattern):
    files = [f for f in glob.glob(f"{ROOT}/{pattern}", recursive=True) if not f.endswith("_test.c")]
    return len(files), sum(sum(1 for _ in open(f, encoding="utf-8")) for f in files)


edges = 0
for f in glob.glob(f"{ROOT}/src/frontend/**/*.c", recursive=True) + glob.glob(f"{ROOT}/kernels/**/*.c", recursive=True):
    other = ("device/", "run/", "program/", "kernels/") if "/frontend/" in f else ("frontend/",)
    with open(f, encoding="utf-8") as text:
        edges += sum(line.startswith('#include "') and line[10:].startswith(other) for line in text)
print("P12: files and lines of a front end and of a back end; none includes the other")
for what, pattern in PARTS:
    print("%-24s %3d files %6d lines" % ((what,) + lines(pattern)))
print(f"includes between front ends and back ends: {edges}")
# SPDX-License-Identifier: Apache-2.0
