#!/usr/bin/env python3
"""selfmade_kernels.py WEFT PACKAGE SOURCES ARCH ASCC OPERATORS: kernels of the operators in users' style, compiled by `weft op kernels`,
alone and in a graph, in several threads and in checked mode, beside plain references written here."""
import ast
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

WEFT, PACKAGE, SOURCES, ARCH, ASCC, OPERATORS = sys.argv[1:7]
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


def read_npy(path):
    """Shape and numbers; shapes and types as weft writes them."""
    with open(path, "rb") as f:
        data = f.read()
    head = ast.literal_eval(data[10:10 + struct.unpack("<H", data[8:10])[0]].decode())
    kind = {"<f4": "f", "<f2": "e", "<i4": "i", "<i8": "q"}[head["descr"]]
    count = math.prod(head["shape"])
    return list(head["shape"]), list(struct.unpack(f"<{count}{kind}", data[len(data) - count * struct.calcsize(kind):]))


def outputs_of(command, folder):
    """{output: (shape, values)} of one run that saves them."""
    op = command[0] == "op"
    said = run(*command, "--save", os.path.join(folder, "out") if op else folder)
    names = re.findall(r"^([\w\[\]]+) = ", said, re.M)
    return {name: read_npy(os.path.join(folder, f"out{i}.npy" if op else f"{name}.npy")) for i, name in enumerate(names)}


# `make test`: many threads, and checked mode; CHECK_LONG=1 (make check-long): one and two threads, too.
SETTINGS = [{"WEFT_THREADS": t} for t in (("1", "2", "7") if os.environ.get("CHECK_LONG") else ("7",))] + [{"WEFT_ASC_CHECK": "1"}]


def compare(case, command, wanted, tolerance=1e-5):
    """wanted: {output: (shape, values)}; the same in each number of threads, and nothing found in checked mode."""
    said = []
    for setting in SETTINGS:
        ENV.update(setting)
        with tempfile.TemporaryDirectory() as folder:
            said.append(outputs_of(command, folder))
        for name in setting:
            del ENV[name]
    if any(one != said[0] for one in said):
        sys.exit(f"{case}: not one result: {said}")
    for name, (shape, values) in wanted.items():
        got_shape, got = said[0][name]
        close = len(got) == len(values) and all(abs(a - b) <= tolerance * max(1, abs(b)) for a, b in zip(got, values))
        if got_shape != list(shape) or not close:
            sys.exit(f"{case}: {name}: expected {shape} {values}, got {got_shape} {got}")


def check(case, op, words, wanted, tolerance=1e-5):
    compare(case, ["op", "run", op, *words], wanted, tolerance)


def check_graph(case, graph, inputs, wanted, tolerance=1e-5):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "g.txt")
        with open(path, "w", encoding="utf-8") as f:
            f.write(graph)
        compare(case, ["run", path, *[w for i in inputs for w in ("--input", i)]], wanted, tolerance)


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
    x_3 = x_text
    gamma, beta = ramp(6, 11), ramp(6, 17)
    x = ramp(24)
    mean = [sum(x[i * 6:i * 6 + 6]) / 6 for i in range(4)]
    rstd = [1 / math.sqrt(sum((v - mean[i])**2 for v in x[i * 6:i * 6 + 6]) / 6 + 1e-5) for i in range(4)]
    plain = [(x[i] - mean[i // 6]) * rstd[i // 6] for i in range(24)]
    words = ["x=" + text("f32", [4, 6], x), "gamma=" + text("f32", [6], gamma), "beta=" + text("f32", [6], beta)]
    y = [plain[i] * gamma[i % 6] + beta[i % 6] for i in range(24)]
    check("reduce axes of an input", "SmReduceConst", [x_3, "axes=i32[2]{-1,1}"],
          {"y": ([2], [sum(last[o * 5:o * 5 + 5]) for o in range(2)])})
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


def lists():
    a, b = ramp(6), ramp(8, 11)
    joined = a[0:3] + b[0:4] + a[3:6] + b[4:8]
    words = ["x=[" + text("f32", [2, 3], a) + "," + text("f32", [2, 4], b) + "]", "--attr", "concat_dim=-1", "--attr", "N=2"]
    check("join", "SmConcat", words, {"y": ([2, 7], joined)})
    x = ramp(24)
    words = ["x=" + text("f32", [4, 6], x), "--attr", "size_splits=[1,3]", "--outputs", "2"]
    check("cut rows", "SmSplit", words, {"y[0]": ([1, 6], x[:6]), "y[1]": ([3, 6], x[6:])})
    words = ["x=" + text("f32", [4, 6], x), "--attr", "split_dim=1", "--outputs", "3"]
    check("cut columns", "SmSplit", words,
          {f"y[{k}]": ([4, 2], [x[r * 6 + 2 * k + c] for r in range(4) for c in range(2)]) for k in range(3)})
    words = ["x=[" + ",".join([text("f32", [2, 3], a), "f32[0]", text("f32", [8], b)]) + "]", "scalar=f32[1]{3.0}",
             "axes=i32[1]{0}", "--attr", "axis=0", "--outputs", "4"]
    check("each of a list", "SmForeachHeavy", words,
          {"y[0]": ([2, 3], [v / 2 + 3 for v in a]), "y[2]": ([8], [v / 2 + 3 for v in b]), "count": ([2], [6, 8])})


def found():
    x = [0.0 if i % 3 else float(i) for i in range(30)]
    places = [[i // 6, i % 6] for i in range(30) if x[i]]
    check("not zero", "SmNonZero", ["x=" + text("f32", [5, 6], x)], {"y": ([len(places), 2], sum(places, []))})
    check("nothing but zeros", "SmNonZero", ["x=" + text("f32", [2, 2], [0.0] * 4)], {"y": ([0, 2], [])})


def conv(x, w, shape, filters, strides, before, out):
    """NCHW; `before`: rows above and columns before."""
    channels, height, width = shape[1:]
    kh, kw = filters[2:]
    y = []
    for o in range(filters[0]):
        for i in range(out[0]):
            for j in range(out[1]):
                total = 0.0
                for c in range(channels):
                    for p in range(kh):
                        for q in range(kw):
                            r, s = i * strides[0] - before[0] + p, j * strides[1] - before[1] + q
                            if 0 <= r < height and 0 <= s < width:
                                total += x[(c * height + r) * width + s] * w[((o * channels + c) * kh + p) * kw + q]
                y.append(total)
    return y


def windows():
    x, w = ramp(2 * 5 * 7), ramp(3 * 2 * 3 * 3, 11)
    graph = ('graph "g" { input x: f32[1,2,5,7] NCHW input w: f32[3,2,3,3] NCHW '
             "node conv: SmConv(x, w) {strides=[2,1], HOW} -> y output y }\n")
    inputs = ["x=" + text("f32", [1, 2, 5, 7], x), "w=" + text("f32", [3, 2, 3, 3], w)]
    wanted = {"y": ([1, 3, 3, 7], conv(x, w, [1, 2, 5, 7], [3, 2, 3, 3], [2, 1], [1, 1], [3, 7]))}
    check_graph("conv", graph.replace("HOW", "pads=[1,1,1,1]"), inputs, wanted, 1e-4)
    check_graph("conv, same size", graph.replace("HOW", 'padding="SAME"'), inputs, wanted, 1e-4)
    row = ramp(7)
    words = ["x=" + text("f32", [7], row), "paddings=i32[1,2]{2,3}"]
    check("pad", "SmPad", words, {"y": ([12], [0.5] * 2 + row + [0.5] * 3)})
    check("pad, reflected", "SmPad", [*words, "--attr", "mode=reflect"], {"y": ([12], row[2:0:-1] + row + row[5:2:-1])})
    check("pad, the edge", "SmPad", [*words, "--attr", "mode=edge"], {"y": ([12], row[:1] * 2 + row + row[-1:] * 3)})


def again(x, dims):
    n = math.prod(dims)
    return dims, [x[i % len(x)] for i in range(n)]


def shapes():
    x = ramp(24)
    x_text = "x=" + text("f32", [2, 3, 4], x)
    turned = [x[(a * 3 + b) * 4 + c] for c in range(4) for a in range(2) for b in range(3)]
    check("turn", "SmTranspose", [x_text, "--attr", "perm=[2,0,1]", "--attr", "extra=1"], {"y": ([4, 2, 3, 1], turned)})
    check("list attributes", "SmListAttrs", [x_text], {"y": again(x, [7, 1, 4, 1, 12, 2, 3, 3, 3, 3, 1])})
    check("list attributes, others", "SmListAttrs", [x_text, "--attr", "lf=[1,0.5]", "--attr", "s=ab"],
          {"y": again(x, [7, 2, 2, 1, 12, 2, 3, 3, 2, 3, 1])})
    check("probe old dims", "SmShapeProbe", [x_text, "--attr", "what=0"], {"y": again(x, [7, 8, 9])})
    check("probe products", "SmShapeProbe", [x_text, "--attr", "what=2"], {"y": again(x, [24, 1, 1])})
    x = ramp(3000)
    check("a struct for a record", "SmCompile", ["x=" + text("f32", [3, 1000], x)], {"y": ([3, 1000], [-v for v in x])})


def templates():
    """The arguments of the template are the tiling key."""
    for tile, mode in ((0, 0), (3, 1), (8, 1)):
        x = ramp((tile + 1) * 16)
        done = [max(v, 0.0) for v in x] if mode else x
        words = ["--attr", f"tile={tile}", "--attr", f"mode={mode}"]
        check("a template", "SmTplKey", ["x=" + text("f32", [len(x)], x), *words], {"y": ([len(x)], done)})
        check("a template with bias", "SmTplKey", ["x=" + text("f16", [len(x)], x), "bias=f32[1]{0.25}", *words],
              {"y": ([len(x)], [v + 0.25 for v in done])}, 1e-2)
    words = ["op", "run", "SmTplKey", "x=" + text("f32", [16], ramp(16)), "--attr", "tile=0", "--attr", "mode=2"]
    failed = subprocess.run([WEFT, *words], capture_output=True, text=True, env=ENV)
    if failed.returncode == 0 or "ASCENDC_TPL_SEL" not in failed.stderr:
        sys.exit(f"a key that is not selected: {failed.stdout}{failed.stderr}")


def matrices():
    a, b = ramp(15), ramp(20, 11)
    product = [2 * sum(a[m * 5 + k] * b[k * 4 + n] for k in range(5)) for m in range(3) for n in range(4)]
    words = ["x2=" + text("f32", [5, 4], b), "--attr", "scale=2.0"]
    check("matmul", "SmMatmul", ["x1=" + text("f32", [3, 5], a), *words], {"y": ([3, 4], product)})
    turned = [a[m * 5 + k] for k in range(5) for m in range(3)]
    check("matmul of a transposed one", "SmMatmul", ["x1=" + text("f32", [5, 3], turned), *words, "--attr", "transpose_x1=true"],
          {"y": ([3, 4], product)})


def graphs():
    """Several of them behind each other, whose shapes are known only when it runs."""
    x, b = ramp(12), ramp(4, 11)
    s = [x[i] + b[i % 4] for i in range(12)]
    sums = [sum(gelu(v) for v in s[r * 4:r * 4 + 4]) for r in range(3)]
    inputs = ["x=" + text("f32", [3, 4], x), "b=" + text("f32", [4], b)]
    check_graph("a graph", 'graph "g" { input x: f32[-1,4] input b: f32[4] node add: SmAddLike(x, b) -> s\n'
                "node act: SmGeluLike(s) -> t node sum: SmReduceAttr(t) {axes=[1]} -> z output z }\n", inputs,
                {"z": ([3], sums)}, 5e-3)
    # A shape that a kernel finds, behind a list and before a transposition.
    x = [float(i % 4) for i in range(12)]
    both = [v for r in range(3) for v in x[r * 4:r * 4 + 4] + x[r * 4:r * 4 + 4]]
    places = [[i // 8, i % 8] for i in range(24) if both[i]]
    check_graph("a graph with found shapes", 'graph "g" { input x: f32[-1,4] node join: SmConcat([x, x]) '
                "{concat_dim=1, N=2} -> j node found: SmNonZero(j) -> y\n node turn: SmTranspose(j) "
                "{perm=[1,0], extra=1} -> t output y output t }\n", ["x=" + text("f32", [3, 4], x)],
                {"y": ([18, 2], sum(places, [])), "t": ([8, 3, 1], [both[r * 8 + c] for c in range(8) for r in range(3)])})


def main():
    out = os.path.join(PACKAGE, "op_graph", "lib", "linux", ARCH, "kernels")
    print(run("op", "kernels", os.path.join(SOURCES, "op_kernel"), "--out", out, "--compiler", ASCC, "--records",
              os.path.join(SOURCES, "op_host", "sm_records.h"), "--flag", "-I" + OPERATORS))
    elementwise()
    rows()
    places()
    lists()
    found()
    windows()
    shapes()
    templates()
    matrices()
    graphs()


main()
# SPDX-License-Identifier: Apache-2.0
