"""What Python adds: times of a call of one tiny Add, of an operator in Python, of importing; processor time, the least of several rounds.

    PYTHONPATH=build/release/python/package python3 python/bench/calls.py     # beside onnxruntime where that is there
"""
import os
import subprocess
import sys
import time

import numpy as np

import weft

ADD = b'graph "g" { input a: f32[4] input b: f32[4] node y: Add(a, b) -> y output y }'


@weft.op("BenchSame", inputs="x", outputs="y")
def same(x):
    return x


def least(function, n=20000, rounds=7):
    """Microseconds of processor time of one call."""
    best = float("inf")
    for _ in range(rounds):
        begin = time.process_time()
        for _ in range(n):
            function()
        best = min(best, (time.process_time() - begin) / n * 1e6)
    return best


def importing(module):
    """Milliseconds of processor time of importing a module beyond numpy."""
    code = f"import numpy, time; b = time.process_time(); import {module}; print(time.process_time() - b)"
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}  # compiled once, as pip does
    return min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=environment).stdout) for _ in range(7)) * 1e3


def onnx_add():
    g = weft.Graph()
    g.output(g.add(g.input("a", "f32", (4,)), g.input("b", "f32", (4,)), name="y"))
    path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"weft_bench_{os.getpid()}.onnx")
    g.save(path)
    return path


def main():
    a, b = np.ones(4, np.float32), np.ones(4, np.float32)
    model = weft.load(ADD, threads=1).compile()
    bound = model.bind(a, b)
    operator = weft.load(b'graph "g" { input a: f32[4] node y: BenchSame(a) -> y output y }', threads=1).compile()
    feeds = {"a": a, "b": b}
    options = weft.SessionOptions()
    options.intra_op_num_threads = 1
    own = weft.InferenceSession(ADD, options)
    own_binding = own.io_binding()
    own_binding.bind_cpu_input("a", a)
    own_binding.bind_cpu_input("b", b)
    own_binding.bind_ortvalue_output("y", weft.OrtValue.ortvalue_from_shape_and_type([4], np.float32))
    rows = [("model(a, b)", lambda: model(a, b)), ("bound.run()", bound.run), ("model.run({...})", lambda: model.run(feeds)),
            ("an operator in Python", lambda: operator(a)), ("weft.InferenceSession: run", lambda: own.run(None, feeds)),
            ("weft.InferenceSession: run_with_iobinding", lambda: own.run_with_iobinding(own_binding))]
    try:
        import onnxruntime

        path = onnx_add()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        os.remove(path)
        rows.append(("onnxruntime: run", lambda: session.run(None, feeds)))
        binding = session.io_binding()
        binding.bind_cpu_input("a", a)
        binding.bind_cpu_input("b", b)
        binding.bind_output("y")
        rows.append(("onnxruntime: run_with_iobinding", lambda: session.run_with_iobinding(binding)))
    except ImportError:
        pass
    for name, function in rows:
        print(f"{name:42} {least(function):7.2f} us")
    for module in ("weft", "onnxruntime"):
        try:
            print(f"{'import ' + module:42} {importing(module):7.1f} ms beyond numpy")
        except subprocess.CalledProcessError:
            pass


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
