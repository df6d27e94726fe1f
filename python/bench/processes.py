"""Four processes that map one .weft file: what each of them has for itself, and what they share.

    PYTHONPATH=build/release/python/package python3 python/bench/processes.py [MB of weights]
"""
import multiprocessing
import os
import sys
import tempfile
import time

import numpy as np

import weft


def memory():
    """(resident, proportional, own) MB of this process."""
    found = {}
    with open("/proc/self/smaps_rollup", encoding="ascii") as f:
        for line in f:
            name, _, rest = line.partition(":")
            if rest.strip().endswith("kB"):
                found[name] = int(rest.split()[0]) / 1024
    return found["Rss"], found["Pss"], found["Private_Clean"] + found["Private_Dirty"]


def work(path, n, ready, results):
    begin = time.perf_counter()
    model = weft.load(path, threads=1)
    x = np.ones((1, n), np.float32)
    model(x)
    first = time.perf_counter() - begin
    ready.wait()  # all have run
    results.put((first, *memory()))
    ready.wait()


def main():
    n = int((float(sys.argv[1]) if len(sys.argv) > 1 else 100) * 262144 / 4) // 1024 * 1024 // 1024
    g = weft.Graph()
    x = g.input("x", "f32", (1, 1024))
    rng = np.random.default_rng(0)
    for _ in range(4):
        x = g.relu(x @ rng.random((1024, n), np.float32)) @ rng.random((n, 1024), np.float32) if n != 1024 else \
            g.relu(x @ rng.random((1024, 1024), np.float32))
    g.output(x)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.weft")
        g.model(threads=1).save(path, packed="plain" not in sys.argv)
        del g, x
        print(f"file: {os.path.getsize(path) / 2**20:.0f} MB; first answer, resident, proportional and own memory of each process:")
        context = multiprocessing.get_context("spawn")
        ready, results = context.Barrier(4), context.Queue()
        processes = [context.Process(target=work, args=(path, 1024, ready, results)) for _ in range(4)]
        for p in processes:
            p.start()
        for _ in processes:
            first, rss, pss, own = results.get()
            print(f"  {first * 1e3:6.1f} ms  {rss:6.0f} MB  {pss:6.0f} MB  {own:6.0f} MB")
        for p in processes:
            p.join()


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
