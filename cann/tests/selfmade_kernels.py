#!/usr/bin/env python3
"""selfmade_kernels.py WEFT PACKAGE SOURCES ARCH ASCC: kernels of the operators in users' style, compiled by `weft op kernels`,
alone and in a graph, in several threads and in checked mode, beside plain references written here."""
import math
import os
import re
import subprocess
import sys
import tempfile

WEFT, PACKAGE, SOURCES, ARCH, ASCC = sys.argv[1:6]
# Leaks are not looked for: the sanitizer's tracer may die of the stacks of blocks, which are fibres.
ENV = dict(os.environ, ASCEND_CUSTOM_OPP_PATH=PACKAGE, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")


def run(*words, **env):
    done = subprocess.run([WEFT, *words], capture_output=True, text=True, env=dict(ENV, **env))
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stdout}{done.stderr}")
    return done.stdout


def text(dtype, shape, values):
    return f"{dtype}[{','.join(map(str, shape))}]{{{','.join(repr(v) for v in values)}}}"


def ramp(n, step=37):
    return [float(i * step % 101 - 50) / 4 for i in range(n)]


def numbers(output, name):
    """The shape and the numbers that a line `name = f32[..]{..}` shows."""
    found = re.search(rf"^{name} = \w+\[([\d,]*)\](?:\{{([^}}]*)\}})?$", output, re.M)
    if not found:
        sys.exit(f"no '{name}' in {output}")
    shape = [int(d) for d in found.group(1).split(",") if d]
    return shape, [float(v) for v in (found.group(2) or "").split(",") if v]


# `make test`: many threads, and checked mode; CHECK_LONG=1 (make check-long): one and two threads, too.
SETTINGS = [{"WEFT_THREADS": t} for t in (("1", "2", "7") if os.environ.get("CHECK_LONG") else ("7",))] + [{"WEFT_ASC_CHECK": "1"}]


def check(case, op, words, wanted, tolerance=1e-5):
    """wanted: {output: (shape, values)}; the same in each number of threads, and nothing found in checked mode."""
    said = {run("op", "run", op, *words, **s) for s in SETTINGS}
    if len(said) != 1:
        sys.exit(f"{case}: not one result: {said}")
    output = said.pop()
    for name, (shape, values) in wanted.items():
        got_shape, got = numbers(output, name)
        close = len(got) == len(values) and all(abs(a - b) <= tolerance * max(1, abs(b)) for a, b in zip(got, values))
        if got_shape != list(shape) or not close:
            sys.exit(f"{case}: {name}: expected {shape} {values}, got {got_shape} {got}")


def gelu(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def elementwise():
    x = ramp(37)
    check("gelu", "SmGeluLike", ["x=" + text("f32", [37], x)], {"y": ([37], [gelu(v) for v in x])}, 2e-3)
    a, b = ramp(12), ramp(4, 11)
    check("add a row", "SmAddLike", ["x1=" + text("f32", [3, 4], a), "x2=" + text("f32", [4], b)],
          {"y": ([3, 4], [a[i] + b[i % 4] for i in range(12)])})
    check("add a column", "SmAddLike", ["x1=" + text("f32", [3, 1], a[:3]), "x2=" + text("f32", [1, 4], b)],
          {"y": ([3, 4], [a[i // 4] + b[i % 4] for i in range(12)])})
    check("add halves", "SmAddLike", ["x1=" + text("f16", [12], a), "x2=" + text("f16", [12], a)],
          {"y": ([12], [2 * v for v in a])})
    check("cast to half", "SmCast", ["x=" + text("f32", [12], a), "--attr", "dst_type=1"], {"y": ([12], a)})
    check("cast to whole numbers", "SmCast", ["x=" + text("f32", [12], a), "--attr", "dst_type=3"],
          {"y": ([12], [math.trunc(v) for v in a])})


def rows():
    x = ramp(2 * 5 * 3)
    last = [sum(x[i * 3:i * 3 + 3]) for i in range(10)]
    middle = [sum(x[o * 15 + k * 3 + i] for k in range(5)) for o in range(2) for i in range(3)]
    x_text = "x=" + text("f32", [2, 5, 3], x)
    check("reduce the last axis", "SmReduceAttr", [x_text, "--attr", "axes=[-1]"], {"y": ([2, 5], last)})
    check("reduce a middle axis", "SmReduceAttr", [x_text, "--attr", "axes=[1]", "--attr", "keep_dims=true"],
          {"y": ([2, 1, 3], middle)})
    gamma, beta = ramp(6, 11), ramp(6, 17)
    x = ramp(24)
    mean = [sum(x[i * 6:i * 6 + 6]) / 6 for i in range(4)]
    rstd = [1 / math.sqrt(sum((v - mean[i])**2 for v in x[i * 6:i * 6 + 6]) / 6 + 1e-5) for i in range(4)]
    plain = [(x[i] - mean[i // 6]) * rstd[i // 6] for i in range(24)]
    words = ["x=" + text("f32", [4, 6], x), "gamma=" + text("f32", [6], gamma), "beta=" + text("f32", [6], beta)]
    y = [plain[i] * gamma[i % 6] + beta[i % 6] for i in range(24)]
    check("norm", "SmNorm", words, {"y": ([4, 6], y), "mean": ([4, 1], mean), "rstd": ([4, 1], rstd)}, 1e-4)
    check("norm without gamma", "SmNorm", words[:1], {"y": ([4, 6], plain), "mean": ([4, 1], mean), "rstd": ([4, 1], rstd)}, 1e-4)
    x = ramp(3 * 40)
    order = [sorted(range(40), key=lambda i: -x[r * 40 + i])[:5] for r in range(3)]
    check("first of rows", "SmTopK", ["x=" + text("f32", [3, 40], x), "k=i32[]{5}"],
          {"values": ([3, 5], [x[r * 40 + i] for r in range(3) for i in order[r]]), "indices": ([3, 5], sum(order, []))})


def places():
    x = ramp(24)
    check("gather", "SmGather", ["x=" + text("f32", [4, 6], x), "indices=i32[3]{2,0,3}", "axis=i32[]{0}"],
          {"y": ([3, 6], x[12:18] + x[0:6] + x[18:24])})
    check("gather the last axis", "SmGather", ["x=" + text("f32", [4, 6], x), "indices=i32[2]{5,1}", "axis=i32[]{-1}"],
          {"y": ([4, 2], [x[r * 6 + c] for r in range(4) for c in (5, 1)])})
    check("tile", "SmTile", ["x=" + text("f32", [2, 3], x[:6]), "multiples=i64[2]{2,3}"],
          {"y": ([4, 9], [x[r % 2 * 3 + c % 3] for r in range(4) for c in range(9)])})
    check("reshape", "SmReshape", ["x=" + text("f32", [4, 6], x), "shape=i64[2]{3,8}"], {"y": ([3, 8], x)})
    check("range", "SmRange", ["start=f32[]{1.0}", "limit=f32[]{4.0}", "delta=f32[]{0.5}"],
          {"y": ([6], [1 + 0.5 * i for i in range(6)])})


def matrices():
    a, b = ramp(15), ramp(20, 11)
    product = [2 * sum(a[m * 5 + k] * b[k * 4 + n] for k in range(5)) for m in range(3) for n in range(4)]
    words = ["x2=" + text("f32", [5, 4], b), "--attr", "scale=2.0"]
    check("matmul", "SmMatmul", ["x1=" + text("f32", [3, 5], a), *words], {"y": ([3, 4], product)})
    turned = [a[m * 5 + k] for k in range(5) for m in range(3)]
    check("matmul of a transposed one", "SmMatmul", ["x1=" + text("f32", [5, 3], turned), *words, "--attr", "transpose_x1=true"],
          {"y": ([3, 4], product)})


def graph():
    """Several of them behind each other, whose shapes are known only when it runs."""
    x, b = ramp(12), ramp(4, 11)
    s = [x[i] + b[i % 4] for i in range(12)]
    wanted = [sum(gelu(v) for v in s[r * 4:r * 4 + 4]) for r in range(3)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "g.txt")
        with open(path, "w", encoding="utf-8") as f:
            f.write('graph "g" { input x: f32[-1,4] input b: f32[4] node add: SmAddLike(x, b) -> s\n'
                    "node act: SmGeluLike(s) -> t node sum: SmReduceAttr(t) {axes=[1]} -> z output z }\n")
        words = ["run", path, "--input", "x=" + text("f32", [3, 4], x), "--input", "b=" + text("f32", [4], b)]
        said = {run(*words, **s).strip().splitlines()[-1] for s in SETTINGS}
    if len(said) != 1:
        sys.exit(f"a graph: not one result: {said}")
    shape, got = numbers(said.pop(), "z")
    if shape != [3] or any(abs(a - b) > 5e-3 for a, b in zip(got, wanted)):
        sys.exit(f"a graph: expected {wanted}, got {shape} {got}")


def main():
    out = os.path.join(PACKAGE, "op_graph", "lib", "linux", ARCH, "kernels")
    print(run("op", "kernels", os.path.join(SOURCES, "op_kernel"), "--out", out, "--compiler", ASCC, "--records",
              os.path.join(SOURCES, "op_host", "sm_records.h")))
    elementwise()
    rows()
    places()
    matrices()
    graph()


main()
# SPDX-License-Identifier: Apache-2.0
