"""A network from 1, 2 and 4 threads of Python, beside onnxruntime in the same process, round by round; a worker process's start with a
.weft file, and what four of them share.

    PYTHONPATH=PACKAGE python3 python/bench/threads.py mobilenet.onnx [seconds of a round]
"""
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

import weft

WORKER = """
import sys, time
begin = time.perf_counter()
import numpy as np
numpy_done = time.perf_counter()
import weft
weft_done = time.perf_counter()
model = weft.load(sys.argv[1], threads=1)
loaded = time.perf_counter()
v = model.inputs[0]
model(np.zeros([d if isinstance(d, int) else 1 for d in v.shape], v.dtype))
run = time.perf_counter()
sys.stdin.readline()  # all have run
found = {}
for line in open("/proc/self/smaps_rollup", encoding="ascii"):
    name, _, rest = line.partition(":")
    found[name] = int(rest.split()[0]) / 1024 if rest.strip().endswith("kB") else 0
print(*[(b - a) * 1e3 for a, b in ((begin, numpy_done), (numpy_done, weft_done), (weft_done, loaded), (loaded, run))], found["Rss"], found["Pss"],
      found["Private_Clean"] + found["Private_Dirty"], flush=True)
sys.stdin.readline()
"""


def rate(run, n, seconds):
    """Runs a second of n threads, and milliseconds of processor time of each."""
    counts, stop = [0] * n, time.perf_counter() + seconds

    def work(i):
        while time.perf_counter() < stop:
            run()
            counts[i] += 1

    threads = [threading.Thread(target=work, args=(i,)) for i in range(n)]
    begin, cpu = time.perf_counter(), time.process_time()
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return sum(counts) / (time.perf_counter() - begin), (time.process_time() - cpu) / sum(counts) * 1e3


def throughput(path, seconds):
    model = weft.load(path, threads=1).compile()
    port = model.inputs[0]
    x = np.random.default_rng(0).standard_normal([d if isinstance(d, int) else 1 for d in port.shape]).astype(port.dtype)
    sides = {"weft": lambda: model(x)}
    try:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        sides["onnxruntime"] = lambda: session.run(None, {port.name: x})
    except ImportError:
        pass
    for run in sides.values():
        run()
    for n in (1, 2, 4):
        rows = {side: [] for side in sides}
        for _ in range(3):
            for side, run in sides.items():
                rows[side].append(rate(run, n, seconds))
        for side, rounds in rows.items():
            per_second, cpu = (statistics.median(r[i] for r in rounds) for i in (0, 1))
            print(f"{n} threads  {side:12} {per_second:7.1f} runs/s  {cpu:7.2f} ms of processor each", flush=True)
        if len(rows) == 2:
            ratio = statistics.median(a[0] / b[0] for a, b in zip(*rows.values()))
            print(f"{n} threads  weft / onnxruntime, median of rounds: {ratio:.2f}", flush=True)


def workers(path):
    with tempfile.TemporaryDirectory() as folder:
        for packed in (False, True):
            saved = os.path.join(folder, f"{packed}.weft")
            model = weft.load(path, threads=1)
            v = model.inputs[0]
            model(np.zeros([d if isinstance(d, int) else 1 for d in v.shape], v.dtype))  # weights are packed for the shapes that ran
            model.save(saved, packed=packed)
            started = [subprocess.Popen([sys.executable, "-c", WORKER, saved], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                       for _ in range(4)]
            time.sleep(5)
            for p in started:
                p.stdin.write("\n")
                p.stdin.flush()
            print(f"{'packed' if packed else 'plain'} file of {os.path.getsize(saved) / 2**20:.1f} MB, four processes: ms of numpy's import, weft's, "
                  "loading, the first run; MB resident, proportional, own")
            for p in started:
                print("  " + "  ".join(f"{float(v):7.1f}" for v in p.stdout.readline().split()), flush=True)
            for p in started:
                p.stdin.write("\n")
                p.stdin.close()
                p.wait()


def main():
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 2
    throughput(sys.argv[1], seconds)
    workers(sys.argv[1])


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
