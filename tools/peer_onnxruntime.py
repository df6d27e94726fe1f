#!/usr/bin/env python3
"""ONNX Runtime for `weft bench --peer onnxruntime`: answers the questions of cli/bench/bench_side.h on stdin and stdout.

Fields of a line are separated by tabs. Inputs are bound once and outputs get memory from the first run on, as weft's do, so
that Python costs about a microsecond a run. Any program that answers these questions can be a peer: WEFT_PEER=PROGRAM.
With `--isa avx2` it runs as on a machine that has nothing wider (peer_isa.py says how), or says why it cannot.
"""
import os
import sys
import time
import zipfile

OUT = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what the library prints is no answer
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path += [f"{ROOT}/build/peer", f"{ROOT}/peer"]  # where `make bench` puts it, seen from tools/ or build/release/; last
ISA, LIMIT, PROBLEM = sys.argv[2] if sys.argv[1:2] == ["--isa"] else "", None, None
try:
    import numpy
    if ISA:
        import peer_isa
        LIMIT = peer_isa.Limit(ISA)
    import onnxruntime as ort
    ort.set_default_logger_severity(4)
    if LIMIT:
        LIMIT.imported()
except RuntimeError as e:
    PROBLEM = f"the peer cannot be limited to {ISA}: {e}"
except ImportError as e:
    PROBLEM = f"ONNX Runtime's Python package cannot be used by {sys.executable} ({e}): pip install onnxruntime"


def resident(key):
    with open("/proc/self/status", encoding="ascii") as f:
        return next((1024 * int(line.split()[1]) for line in f if line.startswith(key)), -1)


def fields(data):
    """(number, payload) of a protobuf message's fields; payload: bytes of a length-delimited one, else None"""
    at, end = 0, len(data)

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < end:
        key = varint()
        payload = None
        if key & 7 == 0:
            varint()
        elif key & 7 == 2:
            size = varint()
            payload = data[at:at + size]
            at += size
        else:
            at += 8 if key & 7 == 1 else 4
        yield key >> 3, payload


def outputs_of_nodes(model):
    """names of all values that nodes of the main graph make, as bytes"""
    for number, graph in fields(memoryview(model)):
        if number != 7:  # ModelProto.graph
            continue
        for kind, node in fields(graph):
            if kind == 1:  # GraphProto.node
                yield from (bytes(name) for k, name in fields(node) if k == 2 and len(name))


def tag(number, payload):
    size, n = b"", len(payload)
    while n > 127:
        size, n = size + bytes([n & 127 | 128]), n >> 7
    return bytes([number << 3 | 2]) + size + bytes([n]) + payload


class Server:
    def __init__(self):
        self.session = self.io = None
        self.base = -1

    def hello(self, _, __):
        return {"name": "ONNX Runtime", "version": ort.__version__} | ({"isa": ISA} if ISA else {})

    def options(self, o):
        s = ort.SessionOptions()
        s.intra_op_num_threads = int(o.get("threads", 1))
        s.inter_op_num_threads = 1
        if o.get("plain") == "1":
            s.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        return s

    def make(self, model, options):
        return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def plain(self, path):
        s = self.options({"plain": "1"})
        s.add_session_config_entry("session.model_external_initializers_file_folder_path", os.path.dirname(path))
        return s

    def open(self, words, o):
        self.session = self.io = None
        try:
            with open("/proc/self/clear_refs", "w", encoding="ascii") as f:
                f.write("5")  # the most that was resident counts from here
        except OSError:
            pass
        self.base = resident("VmRSS")
        options = self.options(o)
        t = time.perf_counter_ns()
        self.session = self.make(words[0], options)
        return {"ns": time.perf_counter_ns() - t}

    def prepare(self, words, o):
        """Its own optimised form, which is loaded without optimising again."""
        options = self.options(o)
        options.optimized_model_filepath = words[1]
        data = "session.optimized_model_external_initializers_"  # weights beside it: a model may keep them so, or pass 2 GB
        options.add_session_config_entry(data + "file_name", os.path.basename(words[1]) + ".data")
        options.add_session_config_entry(data + "min_size_in_bytes", "1024")
        self.make(words[0], options)
        return {"plain": 1}

    def set(self, words, _):
        self.io = self.session.io_binding()
        files = [os.path.join(words[0], f"input_{i}.npy") for i in range(len(self.session.get_inputs()))]
        self.inputs = [numpy.load(f) for f in files if os.path.exists(f)]  # what is left out has a value in the model
        for x, v in zip(self.session.get_inputs(), self.inputs):
            self.io.bind_cpu_input(x.name, v)
        for y in self.session.get_outputs():
            self.io.bind_output(y.name)
        t = time.perf_counter_ns()
        self.session.run_with_iobinding(self.io)
        t = time.perf_counter_ns() - t
        for y, v in zip(self.session.get_outputs(), self.io.get_outputs()):
            if v.is_tensor():
                self.io.bind_ortvalue_output(y.name, v)
        if LIMIT:
            LIMIT.check(lambda: self.session.run_with_iobinding(self.io))
        return {"ns": t}

    def run(self, words, _):
        run, io, clock = self.session.run_with_iobinding, self.io, time.perf_counter_ns
        end = int(float(words[0]) * 1e9)
        run(io)
        times, t = [], clock()
        end += t
        while len(times) < 65536 and (len(times) < 2 or t < end):
            run(io)
            now = clock()
            times.append(now - t)
            t = now
        times.sort()
        n = len(times)
        return {"runs": n, "least": times[0], "median": (times[(n - 1) // 2] + times[n // 2]) // 2}

    def save(self, words, _):
        got = self.io.copy_outputs_to_cpu()
        for i, y in enumerate(got):
            numpy.save(os.path.join(words[0], f"output_{i}.npy"), y)
        return {"outputs": len(got)}

    def values(self, words, o):
        """Every value of the model's main graph, run as it is written: MODEL, the folder of its inputs, the .npz file to write.
        Parts of a protobuf message that come twice are joined, so that outputs are added at the end of the file's bytes."""
        with open(words[0], "rb") as f:
            model = f.read()
        have = {y.name for y in self.make(model, self.plain(words[0])).get_outputs()}
        more = [n for n in dict.fromkeys(outputs_of_nodes(model)) if n.decode() not in have]
        session = self.make(model + tag(7, b"".join(tag(12, tag(1, n)) for n in more)), self.plain(words[0]))
        given = {}
        for i, x in enumerate(session.get_inputs()):
            given[x.name] = numpy.load(os.path.join(words[1], f"input_{i}.npy"))
        names = [y.name for y in session.get_outputs()]
        found = dict(zip(names, session.run(names, given)))
        keep = {k: v for k, v in found.items() if isinstance(v, numpy.ndarray) and v.dtype != object}
        with zipfile.ZipFile(words[2], "w") as z:  # numpy.savez takes its names as arguments, and "file" is one of its own
            for k, v in keep.items():
                with z.open(k + ".npy", "w", force_zip64=True) as f:
                    numpy.lib.format.write_array(f, v)
        return {"values": len(keep)}

    def memory(self, _, __):
        return {"base": self.base, "peak": resident("VmHWM")}

    def profile(self, _, __):
        raise RuntimeError("profiles are weft's")


def main():
    server = Server()
    for line in sys.stdin:
        what, *fields = line.rstrip("\n").split("\t")
        words = [f for f in fields if "=" not in f or f.startswith("/")]
        options = dict(f.split("=", 1) for f in fields if f not in words)
        if what == "quit":
            break
        try:
            if PROBLEM:
                raise RuntimeError(PROBLEM)
            if what.startswith("_") or not hasattr(Server, what):
                raise RuntimeError(f"'{what}' is not a question")
            got = getattr(server, what)(words, options)
            text = "\t".join(["ok"] + [f"{k}={v}" for k, v in got.items()])
        except Exception as e:  # whatever the library throws is the answer
            text = "error\t" + " ".join(str(e).split())[:1200]
        print(text, file=OUT, flush=True)


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
