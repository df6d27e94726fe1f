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
    "emit": ["base", "tensor", "op", "ir", "infer"],
    "compose": ["base", "tensor", "op", "ir", "infer", "interp", "emit"],
    "plan": ["base"],
    "device": ["base", "tensor", "op"],
    "program": ["base", "tensor", "op", "ir", "device"],
    "run": ["base", "tensor", "op", "ir", "device", "program", "plan"],
    "pass": ["base", "tensor", "op", "ir", "infer", "interp", "emit", "compose", "device"],
    "compile": ["base", "tensor", "op", "ir", "infer", "interp", "emit", "compose", "device", "pass", "plan", "program"],
    "debug": ["base", "tensor", "op", "ir", "infer", "interp", "device", "pass", "plan", "program", "compile", "run"],
    "frontend": ["base", "tensor", "op", "ir", "infer", "emit"],
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
# rooms whose headers of loops another room compiles again with operands of its own: no calls (tools/check_symbols.py)
SHARED_LOOPS = {"bf16": {"blocked"}}  # sums of packed tensors, of pairs
# public header -> the layer it belongs to
PUBLIC = {
    "element": "tensor",
    "base": "base", "file": "base", "limits": "base", "archive": "tensor", "dtype": "tensor", "shape": "base", "format": "tensor", "tensor": "tensor", "maps": "tensor", "attr": "op", "op": "op",
    "env": "op", "laws": "op", "project": "op", "graph": "ir", "infer": "infer", "interp": "interp", "pass": "pass", "device": "device", "kernels": "device", "program": "program", "compile": "compile", "run": "run", "session": "run", "state": "ir",
    "debug": "debug", "onnx": "frontend",
    "plugin": "op", "tiling": "op", "op_inline": "op", "convert": "frontend", "model": "frontend", "simple": "frontend", "weights": "frontend", "weft": "all",
}
# calls that library code does not make: what prints, ends the program, changes what belongs to the whole process,
# writes without a limit, or takes memory from elsewhere than the allocator
PRINTS = "printf vprintf fprintf vfprintf dprintf puts putchar putc fputc fputs perror"
ENDS = "exit _exit abort raise signal system"
SHARED = "setlocale rand srand strtok"
UNLIMITED = "gets strcpy strcat sprintf vsprintf alloca"
MEMORY = ("malloc calloc realloc reallocarray free aligned_alloc posix_memalign memalign valloc pvalloc mmap "
          "strdup strndup asprintf vasprintf getline getdelim open_memstream realpath scandir")
BANNED = re.compile(r"(?<![\w.>])(" + "|".join(f"{PRINTS} {ENDS} {SHARED} {UNLIMITED} {MEMORY}".split()) + r")\s*\(")
ALLOWED = {  # file -> calls that it makes all the same, each of them, with the reason
    "src/base/alloc.c": {"posix_memalign", "realloc", "free"},  # the default allocator
    "src/base/file.c": {"mmap"},  # a file's bytes, as they lie or copied into pages of their own
    "src/base/plugin_folder.c": {"realpath"},  # into an array of its own
    "src/base/plugins.c": {"realpath"},  # the same
    "src/run/rehearse.c": {"mmap"},  # pages of zeros, which take no memory
    "kernels/npusim/device.c": {"mmap"},  # the device's memory, and addresses that nobody may touch
    "kernels/npusim/queue.c": {"mmap"},  # the device's own, too
    "src/op/package.c": {"realpath", "scandir", "free"},  # free: what these two give
    "src/frontend/onnx/external.c": {"mmap", "realpath", "free"},  # weights beside a model; free: of realpath
}


def strip_comments(text):
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', re.sub(r"//[^\n]*", "", text))
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def layer_of(path):
    parts = path.split("/")
    return parts[1] if parts[0] == "src" else parts[0]


def check_room(room):
    """One header of a room begins with '// Room NAME: ...' and in the next line with the rooms that its files include."""
    base = os.path.join(ROOT, "kernels/cpu", room)
    used, heads, problems = set(), [], []
    for folder, _, names in os.walk(base):
        for name in sorted(names):
            if not name.endswith((".c", ".h")) or name.endswith("_test.c"):
                continue
            path = os.path.relpath(os.path.join(folder, name), ROOT)
            text = open(os.path.join(folder, name), encoding="utf-8").read()
            others = set(re.findall(r'^#include "cpu/(\w+)/', text, re.M)) - {room}
            used |= others
            problems += [f"{path}: room {room} may not use {other}" for other in sorted(others)
                         if other not in FAMILIES[room] and other not in SHARED_LOOPS.get(room, ())]
            if text.startswith(f"// Room {room}: "):
                heads.append((path, text.split("\n")[1]))
    if len(heads) != 1:
        return problems + [f"kernels/cpu/{room}: {len(heads)} headers begin with '// Room {room}: ', 1 is needed"]
    path, says = heads[0]
    want = f"// Uses: {', '.join(sorted(used)) or 'no other room'}."
    return problems + ([f"{path}: says '{says}', its files say '{want}'"] if says != want else [])


def main():
    problems = []
    for room in sorted(os.listdir(os.path.join(ROOT, "kernels/cpu"))):
        problems += check_room(room) if room in FAMILIES else [f"kernels/cpu/{room}: no room of tools/check_layers.py"]
    for base, _, names in os.walk(ROOT):
        rel = os.path.relpath(base, ROOT)
        if rel.split("/")[0] not in ("src", "ops", "compositions", "plugins", "passes", "kernels", "catalogue", "cli", "include"):
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
                elif layer == "compositions":
                    if target != "compose" and target not in BELOW["compose"]:
                        problems.append(f"{path}: compositions may use up to layer compose, not {inc} ({target})")
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
            made = set(BANNED.findall(strip_comments(text)))
            allowed = ALLOWED.get(path, set())
            problems += [f"{path}: library code does not call {call}()" for call in sorted(made - allowed)]
            problems += [f"{path}: tools/check_layers.py allows {call}(), which it does not call"
                         for call in sorted(allowed - made)]
    for p in problems:
        print(p)
    print(f"layers and calls: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: Apache-2.0
