#!/usr/bin/env python3
"""Import and inference beside the peers: ONNX (parse, shape inference) and ONNX Runtime (session creation).

  tools/bench_import.py BUILD [MODEL.onnx...]     BUILD has bench/bench_import and tests/make_model (build/release)

The peers come from their registry packages into build/peer, the models from ../shared/tools/make_models.py into
build/bench-models; without ../shared the project's own networks (tests/make_model.c) take their place. The engines take
turns: in each round every engine does one model once, so that what disturbs the machine disturbs all. A round ends an engine's
part of a model when it has ROUNDS rounds or has used SECONDS; at least 3 rounds. weft answers from a process that stays
(bench_import --serve); its memory is that of a fresh process for each model.
"""
import glob
import json
import os
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PEERS = f"{ROOT}/build/peer"
MODELS = f"{ROOT}/build/bench-models"
ROUNDS, SECONDS = 20, 4.0
ENGINES = ("weft", "parse", "infer", "session", "plain")


def install_peers():
    if not os.path.isdir(f"{PEERS}/onnxruntime"):
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", PEERS, "numpy", "onnx"]
        for version in ("onnxruntime==1.30.*", "onnxruntime"):
            if not subprocess.run(pip + [version], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
                break
    sys.path.insert(0, PEERS)
    try:
        import onnx
        import onnxruntime
        onnxruntime.set_default_logger_severity(4)
        return onnx, onnxruntime
    except ImportError as e:
        print(f"bench_import: the peers are left out: {e}")
        return None, None


def own_models(build):
    """Networks that tests/make_model.c writes."""
    maker = f"{build}/tests/make_model"
    if not os.path.exists(maker):
        return []
    names = subprocess.run([maker], capture_output=True, text=True).stderr.split("names:")[-1].split()
    for n in names:
        os.makedirs(f"{MODELS}/{n}", exist_ok=True)
        subprocess.run([maker, n, f"{MODELS}/{n}/model.onnx"], check=True)
    return [f"{MODELS}/{n}/model.onnx" for n in names]


def make_models(build):
    script = f"{ROOT}/../shared/tools/make_models.py"
    if not os.path.exists(script):
        print("bench_import: ../shared/tools/make_models.py is not at hand: the project's own networks instead")
        return own_models(build)
    if not os.path.exists(f"{MODELS}/synth20000/model.onnx"):
        for python, path in (("/usr/bin/python3", ""), (sys.executable, PEERS)):
            env = dict(os.environ, PYTHONPATH=path)
            made = subprocess.run([python, script, MODELS], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if not made.returncode:
                break
        else:
            print(f"bench_import: {script} failed: {made.stderr[-300:]}")
            return own_models(build)
    return sorted(glob.glob(f"{MODELS}/*/model.onnx"))


class Weft:
    def __init__(self, build):
        self.p = subprocess.Popen([f"{build}/bench/bench_import", "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, rounds, path):
        self.p.stdin.write(f"{rounds} {path}\n")
        self.p.stdin.flush()
        line = self.p.stdout.readline()
        if not line:
            sys.exit(f"bench_import: weft failed on {path}")
        return json.loads(line)


def timed(fn):
    t = time.perf_counter()
    r = fn()
    return time.perf_counter() - t, r


def session(ort, path, optimise):
    o = ort.SessionOptions()
    o.intra_op_num_threads = 1
    if not optimise:
        o.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(path, o, providers=["CPUExecutionProvider"])


def measure(path, weft, onnx, ort):
    """Seconds of every round of every engine, and why one refuses the model."""
    times = {e: [] for e in ENGINES}
    refused = {}
    memory = weft.ask(0, path)
    weft.ask(1, path)  # the file is in the page cache

    def peer(engine, fn):
        if ort is None or engine in refused or len(times[engine]) >= 3 and sum(times[engine]) > SECONDS:
            return None
        try:
            t, r = timed(fn)
        except Exception as e:  # the peers' own kinds
            refused[engine] = " ".join(str(e).split())
            return None
        times[engine].append(t)
        return r

    for _ in range(ROUNDS):
        times["weft"].append(weft.ask(1, path)["both"][0] / 1e9)
        m = peer("parse", lambda: onnx.load(path, load_external_data=False))
        if m is not None:
            peer("infer", lambda: onnx.shape_inference.infer_shapes(m, data_prop=True))
        del m
        peer("session", lambda: session(ort, path, True))
        peer("plain", lambda: session(ort, path, False))
    return times, memory, refused


def row(path, weft, onnx, ort):
    times, memory, refused = measure(path, weft, onnx, ort)
    low = {e: 1e3 * min(t) if t else float("nan") for e, t in times.items()}
    size = sum(os.path.getsize(f) for f in glob.glob(path + "*"))
    name = os.path.basename(os.path.dirname(path))
    def cell(form, x, unit=""):
        return ("-" if x != x else format(x, form) + unit).rjust(len(format(0.0, form) + unit))

    print(f"{name:16} {size:10} {low['weft']:8.3f} {1e3 * statistics.median(times['weft']):8.3f} "
          f"{cell('8.2f', low['parse'])} {cell('8.2f', low['infer'])} {cell('9.1f', low['session'])} {cell('9.1f', low['plain'])} "
          f"{cell('7.1f', (low['parse'] + low['infer']) / low['weft'], 'x')} {cell('7.1f', low['plain'] / low['weft'], 'x')} "
          f"{memory['rss_kib']:8} {102400 * memory['rss_kib'] / size:6.1f}% {memory['anon_kib']:7} {memory['file_kib']:7}", flush=True)
    for why in sorted(set(refused.values())):
        print(f"{'':16} refused by {', '.join(e for e in refused if refused[e] == why)}: {why[-120:]}", flush=True)


def main():
    build = sys.argv[1]
    onnx, ort = install_peers()
    paths = sys.argv[2:] or make_models(build)
    if not paths:
        print("bench_import: left out: no models")
        return
    peers = f"ONNX {onnx.__version__}, ONNX Runtime {ort.__version__} (1 thread)" if ort else "no peers"
    print(f"import and inference, engines in turn, up to {ROUNDS} rounds; milliseconds are minima unless 'med'; {peers}")
    print(f"{'':16} {'':10} {'weft':>8} {'weft':>8} {'ONNX':>8} {'ONNX':>8} {'ORT':>9} {'ORT, no':>9} {'ONNX/':>8} {'ORT/':>8} "
          f"{'weft':>8} {'of':>7} {'of it':>7} {'mapped':>7}")
    print(f"{'model':16} {'bytes':>10} {'ms':>8} {'med':>8} {'parse':>8} {'infer':>8} {'session':>9} {'optimis.':>9} {'weft':>8} {'weft':>8} "
          f"{'RSS KiB':>8} {'file':>7} {'heap':>7} {'file':>7}")
    weft = Weft(build)
    for p in paths:
        row(p, weft, onnx, ort)
    weft.p.stdin.close()
    weft.p.wait()


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
