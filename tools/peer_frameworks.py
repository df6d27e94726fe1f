"""What peer_torch.py, peer_torch_compile.py, peer_tflite.py and peer_tensorflow.py share: they answer the questions of
cli/bench/bench_side.h for `weft bench MODEL --peer NAME`, each on the file of its own framework. A peer gives a name, a
version and `load(path, threads)`, which returns a function of a list of arrays that returns a list of arrays."""
import os
import sys
import time

OUT = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what the library prints is no answer


def resident(key):
    with open("/proc/self/status", encoding="ascii") as f:
        return next((1024 * int(line.split()[1]) for line in f if line.startswith(key)), -1)


class Server:
    def __init__(self, name, version, load):
        self.name, self.version, self.load = name, version, load
        self.call = self.inputs = self.outputs = None
        self.base = -1

    def hello(self, _, __):
        return {"name": self.name, "version": self.version}

    def open(self, words, o):
        self.base = resident("VmRSS")
        t = time.perf_counter_ns()
        self.call = self.load(words[0], int(o.get("threads", 1)))
        return {"ns": time.perf_counter_ns() - t}

    def set(self, words, _):
        import numpy
        names = [n for n in os.listdir(words[0]) if n.startswith("input_") and n.endswith(".npy")]
        self.inputs = [numpy.load(f"{words[0]}/input_{i}.npy") for i in range(len(names))]
        t = time.perf_counter_ns()
        self.outputs = self.call(self.inputs)
        t = time.perf_counter_ns() - t
        for _ in range(3):
            self.call(self.inputs)
        return {"ns": t}

    def run(self, words, _):
        end = int(float(words[0]) * 1e9)
        self.call(self.inputs)
        times, t = [], time.perf_counter_ns()
        end += t
        while len(times) < 65536 and (len(times) < 2 or t < end):
            self.outputs = self.call(self.inputs)
            now = time.perf_counter_ns()
            times.append(now - t)
            t = now
        times.sort()
        n = len(times)
        return {"runs": n, "least": times[0], "median": (times[(n - 1) // 2] + times[n // 2]) // 2}

    def save(self, words, _):
        import numpy
        for i, y in enumerate(self.outputs):
            numpy.save(f"{words[0]}/output_{i}.npy", numpy.asarray(y))
        return {"outputs": len(self.outputs)}

    def memory(self, _, __):
        return {"base": self.base, "peak": resident("VmHWM")}


def serve(name, version, load):
    server = Server(name, version, load)
    for line in sys.stdin:
        what, *fields = line.rstrip("\n").split("\t")
        words = [f for f in fields if "=" not in f or f.startswith("/")]
        options = dict(f.split("=", 1) for f in fields if f not in words)
        if what == "quit":
            break
        try:
            if what not in ("hello", "open", "set", "run", "save", "memory"):
                raise RuntimeError(f"this peer does not answer '{what}'")
            got = getattr(server, what)(words, options)
            text = "\t".join(["ok"] + [f"{k}={v}" for k, v in got.items()])
        except Exception as e:  # whatever the library throws is the answer
            text = "error\t" + " ".join(str(e).split())[:1200]
        print(text, file=OUT, flush=True)
# SPDX-License-Identifier: Apache-2.0
