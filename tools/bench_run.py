#!/usr/bin/env python3
"""Running models beside ONNX Runtime: dispatch, shapes that are new and seen, data-dependent shapes, whole models.

  tools/bench_run.py BUILD [MODEL...]     BUILD has bench/bench_models (build/release); MODEL: folder of build/bench-models

weft answers from a process that stays (bench_models --serve). The engines take turns: in each of ROUNDS rounds every engine
runs one model for SLICE seconds, so that what disturbs the machine disturbs all; a row is the minimum and the median of
the rounds' medians. Peers and models are those of tools/bench_import.py; what is not at hand is left out with a line.
"""
import glob
import json
import os
import statistics
import subprocess
import sys
import time

import bench_import

ROOT = bench_import.ROOT
ROUNDS, SLICE = 5, 0.12
SETS = {"nonzero_gather": ("test_data_set_2", "test_data_set_0", "test_data_set_1")}  # N = 5, 64, 1000


class Weft:
    def __init__(self, build):
        self.p = subprocess.Popen([f"{build}/bench/bench_models", "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.p.stdin.write(line + "\n")
        self.p.stdin.flush()
        answer = self.p.stdout.readline()
        if not answer:
            raise RuntimeError(f"weft failed on: {line}")
        return json.loads(answer)


class Peer:
    def __init__(self, onnx, ort):
        self.onnx, self.ort = onnx, ort

    def open(self, path, threads, optimise=True):
        o = self.ort.SessionOptions()
        o.intra_op_num_threads = threads
        o.inter_op_num_threads = 1
        if not optimise:
            o.graph_optimization_level = self.ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        t = time.perf_counter()
        self.s = self.ort.InferenceSession(path, o, providers=["CPUExecutionProvider"])
        self.path = path
        return time.perf_counter() - t

    def set(self, name):
        """Binds the inputs, so that Python costs little; the first run of these shapes."""
        self.io = self.s.io_binding()
        for i, x in enumerate(self.s.get_inputs()):
            t = self.onnx.TensorProto()
            with open(f"{os.path.dirname(self.path)}/{name}/input_{i}.pb", "rb") as f:
                t.ParseFromString(f.read())
            self.io.bind_cpu_input(x.name, self.onnx.numpy_helper.to_array(t))
        for y in self.s.get_outputs():
            self.io.bind_output(y.name)
        t = time.perf_counter()
        self.s.run_with_iobinding(self.io)
        return time.perf_counter() - t

    def run(self, seconds):
        times, begun = [], time.perf_counter()
        while len(times) < 5 or time.perf_counter() - begun < seconds:
            t = time.perf_counter()
            self.s.run_with_iobinding(self.io)
            times.append(time.perf_counter() - t)
        return statistics.median(times)


def in_turn(engines):
    """{name: function that runs for SLICE and gives a median} -> {name: medians}."""
    got = {k: [] for k in engines}
    for _ in range(ROUNDS):
        for k, fn in engines.items():
            got[k].append(fn())
    return got


def weft_slice(w):
    return w.ask(f"run {SLICE * 1e9:.0f}")["median"] / 1e9


def two(times, scale):
    return f"{min(times) * scale:10.3f} {statistics.median(times) * scale:10.3f}"


def dispatch(w, w2, peer, path):
    print("\ndispatch: chain2000 (f32[1,64], 2000 operators of several kinds), ns a node: least and median of rounds")
    got = {}
    w.ask(f"open 1 - {path}"), w.ask("set test_data_set_0")
    w2.ask(f"open 1 passes=0 {path}"), w2.ask("set test_data_set_0")
    engines = {"weft": lambda: weft_slice(w), "weft, passes=0": lambda: weft_slice(w2)}
    if peer:
        plain = Peer(peer.onnx, peer.ort)
        for p, optimise in ((peer, True), (plain, False)):
            p.open(path, 1, optimise), p.set("test_data_set_0")
        engines["ONNX Runtime"] = lambda: peer.run(SLICE)
        engines["ONNX Runtime, not optimised"] = lambda: plain.run(SLICE)
    got = in_turn(engines)
    for k, v in got.items():
        print(f"{k:28} {two(v, 1e9 / 2000)}")


def shapes(w, peer, path, sets, what):
    name = os.path.basename(os.path.dirname(path))
    print(f"\nshapes: {name}, us; {what}")
    print(f"{'data set':18} {'weft new':>10} {'again':>10} {'least':>10} {'median':>10} {'allocs':>7} {'plans':>6} {'ORT new':>10} {'least':>10} {'median':>10}")
    w.ask(f"open 1 - {path}")
    if peer:
        peer.open(path, 1)
    first = {s: w.ask(f"set {s}") for s in sets}
    peer_first = {s: peer.set(s) for s in sets} if peer else {}
    for s in sets:
        again = w.ask(f"set {s}")
        w.ask("run 1e7")  # what is allocated once is there
        engines = {"weft": lambda: weft_slice(w)}
        if peer:
            peer.set(s)
            engines["ort"] = lambda: peer.run(SLICE)
        got = in_turn(engines)
        allocs = w.ask("run 1e7")["allocs"]
        line = f"{s:18} {first[s]['first'] / 1e3:10.1f} {again['first'] / 1e3:10.1f} {two(got['weft'], 1e6)} {allocs:7} {first[s]['plans']:6}"
        print(line + (f" {peer_first[s] * 1e6:10.1f} {two(got['ort'], 1e6)}" if peer else ""), flush=True)


def models(w, peer, paths, threads):
    print(f"\nmodels, data set 0, {threads} thread{'s' if threads > 1 else ''}, ms: least and median of rounds; compile is import and compile, "
          "ONNX Runtime's its session")
    print(f"{'model':16} {'compile':>9} {'first':>9} {'weft':>10} {'median':>10} {'session':>9} {'first':>9} {'ORT':>10} {'median':>10} {'ORT/weft':>9}")
    for path in paths:
        name = os.path.basename(os.path.dirname(path))
        try:
            made = w.ask(f"open {threads} - {path}")
            first = w.ask("set test_data_set_0")["first"]
            engines = {"weft": lambda: weft_slice(w)}
            if peer:
                session = peer.open(path, threads)
                peer_first = peer.set("test_data_set_0")
                engines["ort"] = lambda: peer.run(SLICE)
            got = in_turn(engines)
        except (RuntimeError, BrokenPipeError) as e:
            print(f"{name:16} left out: {e}")
            w.__init__(BUILD)
            continue
        line = f"{name:16} {(made['import'] + made['compile']) / 1e6:9.2f} {first / 1e6:9.2f} {two(got['weft'], 1e3)}"
        if peer:
            line += f" {session * 1e3:9.2f} {peer_first * 1e3:9.2f} {two(got['ort'], 1e3)} {min(got['ort']) / min(got['weft']):8.2f}x"
        print(line, flush=True)


def parts():
    """P12: N + M, not N x M: what a front end and a back end are made of, and what they include of each other."""
    def lines(pattern):
        files = [f for f in glob.glob(f"{ROOT}/{pattern}") if not f.endswith("_test.c")]
        return len(files), sum(sum(1 for _ in open(f, encoding="utf-8")) for f in files)
    edges = 0
    for f in glob.glob(f"{ROOT}/src/frontend/**/*.c", recursive=True) + glob.glob(f"{ROOT}/kernels/**/*.c", recursive=True):
        other = ("device/", "run/", "program/", "kernels/") if "/frontend/" in f else ("frontend/",)
        with open(f, encoding="utf-8") as text:
            edges += sum(line.startswith('#include "') and line[10:].startswith(other) for line in text)
    print("\nP12: files and lines of a front end and of a back end; none includes the other")
    for what, pattern in (("documents' JSON models", "src/frontend/simple/*.c"), ("ONNX", "src/frontend/onnx/*.c"),
                          ("CPU kernels", "kernels/cpu/*.[ch]"), ("simulated device", "kernels/npusim/*.[ch]")):
        print("%-24s %3d files %6d lines" % ((what,) + lines(pattern)))
    print(f"includes between front ends and back ends: {edges}")


def main():
    global BUILD
    BUILD = sys.argv[1]
    onnx, ort = bench_import.install_peers()
    if ort:
        import onnx.numpy_helper  # noqa: F401
    paths = bench_import.make_models(BUILD)
    if sys.argv[2:]:
        paths = [p for p in paths if os.path.basename(os.path.dirname(p)) in sys.argv[2:]]
    by_name = {os.path.basename(os.path.dirname(p)): p for p in paths}
    peer = Peer(onnx, ort) if ort else None
    print(f"engines in turn, {ROUNDS} rounds of {SLICE} s each; peer: {'ONNX Runtime ' + ort.__version__ if ort else 'none'}")
    w, w2 = Weft(BUILD), Weft(BUILD)
    if "chain2000" in by_name:
        dispatch(w, w2, peer, by_name["chain2000"])
    for name in ("bert6_ln_op", "bert6_prim_ln"):
        if name in by_name:
            shapes(w, peer, by_name[name], [f"test_data_set_{i}" for i in range(3)], "[1,128], [4,37], [1,1]: the first run of a shape, then of one that was seen")
    if "nonzero_gather" in by_name:
        shapes(w, peer, by_name["nonzero_gather"], SETS["nonzero_gather"], "N = 5 (all zero), 64, 1000")
    models(w, peer, paths, 1)
    if os.cpu_count() > 1:
        models(w, peer, [p for p in paths if not os.path.basename(os.path.dirname(p)).startswith("synth")], 2)
    parts()
    for x in (w, w2):
        x.p.stdin.close()
        x.p.wait()


if __name__ == "__main__":
    main()
