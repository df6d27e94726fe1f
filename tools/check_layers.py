#!/usr/bin/env python3
"""Checks what each layer may include (DESIGN.md, docs/architecture.md) and which libc calls library code may not use."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# layer -> layers below it that it may include, directly or not
BELOW = {
    "base": [],
    "tensor": ["base"],
    "op": ["base", "tensor"],
    "ir": ["base", "tensor", "op"],
    "infer": ["base", "tensor", "op", "ir"],
    "interp": ["base", "tensor", "op", "ir", "infer"],
    "plan": ["base"],
    "device": ["base", "tensor", "op"],
    "program": ["base", "tensor", "op", "ir", "device"],
    "run": ["base", "tensor", "op", "ir", "device", "program", "plan"],
    "pass": ["base", "tensor", "op", "ir", "infer", "device"],
    "compile": ["base", "tensor", "op", "ir", "infer", "device", "pass", "plan", "program"],
    "debug": ["base", "tensor", "op", "ir", "infer", "interp", "device", "pass", "plan", "program", "compile", "run"],
    "frontend": ["base", "tensor", "op", "ir", "infer"],
}
# room of kernels/cpu -> rooms that it may use
FAMILIES = {
    "simd": [],
    "rows": ["simd"],
    "move": ["simd", "rows"],
    "elementwise": ["simd", "rows"],
    "gemm": ["simd", "rows", "move"],
    "resample": ["simd", "rows", "move", "gemm"],
    "bf16": ["simd", "rows", "move", "gemm"],
    "amx": ["simd", "rows", "move", "gemm"],
    "conv": ["simd", "rows", "move", "gemm", "bf16", "amx"],
    "pool": ["simd", "rows", "gemm", "conv"],
    "blocked": ["simd", "rows", "move", "elementwise", "gemm", "bf16", "amx", "conv", "pool"],
    "quant": ["simd", "rows", "move", "gemm", "amx", "conv", "pool", "blocked"],
    "attention": ["simd", "rows", "move", "gemm", "bf16"],
    "recurrent": ["simd", "rows", "move", "gemm"],
    # half.c stands before the kernels of float of all rooms
    "typed": ["simd", "rows", "move", "gemm", "resample", "conv", "pool", "blocked", "quant", "attention", "recurrent"],
}
# public header -> the layer it belongs to
PUBLIC = {
    "element": "tensor",
    "base": "base", "file": "base", "limits": "base", "archive": "tensor", "dtype": "tensor", "shape": "base", "format": "tensor", "tensor": "tensor", "maps": "tensor", "attr": "op", "op": "op",
    "env": "op", "laws": "op", "project": "op", "graph": "ir", "infer": "infer", "interp": "interp", "pass": "pass", "device": "device", "kernels": "device", "program": "program", "compile": "compile", "run": "run", "session": "run",
    "debug": "debug", "onnx": "frontend",
    "plugin": "op", "convert": "frontend", "model": "frontend", "simple": "frontend", "weft": "all",
}
BANNED = re.compile(r"(?<![\w.>])(printf|puts|putchar|exit|abort|_exit|gets|strcpy|strcat|sprintf|vsprintf|strtok|rand|srand|"
                    r"setlocale|alloca|system|perror|signal|malloc|calloc|realloc|free)\s*\(")
ALLOWED = {  # file -> calls it may use, with the reason
    "src/base/alloc.c": {"malloc", "calloc", "realloc", "free"},  # the default allocator
    "src/op/package.c": {"free"},  # memory of realpath and scandir
    "src/frontend/onnx/external.c": {"free"},  # memory of realpath
}


def strip_comments(text):
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', re.sub(r"//[^\n]*", "", text))
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def layer_of(path):
    parts = path.split("/")
    return parts[1] if parts[0] == "src" else parts[0]


def main():
    problems = []
    for base, _, names in os.walk(ROOT):
        rel = os.path.relpath(base, ROOT)
        if rel.split("/")[0] not in ("src", "ops", "plugins", "passes", "kernels", "catalogue", "cli", "include"):
            continue
        for name in sorted(names):
            if not name.endswith((".c", ".h")):
                continue
            path = os.path.normpath(os.path.join(rel, name))
            text = open(os.path.join(ROOT, path), encoding="utf-8").read()
            is_test = name.endswith("_test.c")
            layer = layer_of(path)
            for inc in re.findall(r'^#include "([^"]+)"', text, re.M):
                top = inc.split("/")[0]
                if top == "weft":
                    target = PUBLIC.get(inc.split("/")[1][:-2])
                    if target is None:
                        problems.append(f"{path}: public header {inc} has no layer in tools/check_layers.py")
                        continue
                elif top in BELOW and "/" in inc:
                    target = top
                else:
                    continue
                if layer == "include" or is_test:
                    continue
                if layer == "cli":
                    if top != "weft":
                        problems.append(f"{path}: the tool uses public headers only, not {inc}")
                elif layer == "plugins":
                    if inc not in ("base/plugin.h", "base/base.h"):
                        problems.append(f"{path}: plug-ins use base/plugin.h, and macros of base/base.h, not {inc}")
                elif layer in ("ops", "catalogue"):
                    if target not in ("base", "tensor", "op"):
                        problems.append(f"{path}: {layer} may use up to layer op, not {inc} ({target})")
                elif layer == "passes":
                    if target != "pass" and target not in BELOW["pass"]:
                        problems.append(f"{path}: passes may use up to layer pass, not {inc} ({target})")
                elif layer == "kernels":
                    if target != "device" and target not in BELOW["device"]:
                        problems.append(f"{path}: kernels may use up to layer device, not {inc} ({target})")
                elif layer in BELOW and target != layer and target not in BELOW[layer]:
                    problems.append(f"{path}: layer {layer} may not use {inc} ({target})")
            if layer in ("cli", "include") or is_test:
                continue
            for call in BANNED.findall(strip_comments(text)):
                if call not in ALLOWED.get(path, set()):
                    problems.append(f"{path}: library code does not call {call}()")
    for p in problems:
        print(p)
    print(f"layers and calls: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: Apache-2.0
