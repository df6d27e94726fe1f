#!/usr/bin/env python3
"""Simplifies every model of folders of ONNX's backend tests and runs the tests on the results.

convert_check.py WEFT DIR...                      prints "N of M simplified models still give their outputs"
convert_check.py WEFT --options "--annotate" DIR  the same for other options of `weft convert`
  --skip FILE   tests that are known not to run (tests/onnx/known.txt)
  --nodes FILE  writes "NAME before after" for each model
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor


def tests_of(top):
    if os.path.isfile(os.path.join(top, "model.onnx")):
        return [top]
    found = [os.path.join(top, name) for name in sorted(os.listdir(top))]
    return [path for path in found if os.path.isfile(os.path.join(path, "model.onnx"))]


def known(path):
    with open(path) as f:
        return {line.split()[0] for line in f if line.strip() and not line.startswith("#")}


def convert(weft, options, test, folder):
    """Copies a test with the converted model; returns what `weft convert` said, None when it refused."""
    os.makedirs(folder)
    for name in os.listdir(test):
        if name != "model.onnx":
            os.symlink(os.path.abspath(os.path.join(test, name)), os.path.join(folder, name))
    model = os.path.join(test, "model.onnx")
    run = subprocess.run([weft, "convert", model, "-o", os.path.join(folder, "model.onnx"), *options],
                         capture_output=True, text=True, errors="replace")
    if run.returncode:
        print(f"not converted: {os.path.basename(test)}: {run.stderr.strip()}")
        return None
    return run.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("dirs", nargs="+")
    parser.add_argument("--options", default="--simplify")
    parser.add_argument("--skip")
    parser.add_argument("--nodes")
    a = parser.parse_args()
    left_out = known(a.skip) if a.skip else set()
    tests = [t for top in a.dirs for t in tests_of(top) if os.path.basename(t) not in left_out]
    with tempfile.TemporaryDirectory(prefix="weft-convert-") as top:
        folders = [os.path.join(top, str(i), os.path.basename(t)) for i, t in enumerate(tests)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            said = list(pool.map(lambda x: convert(a.weft, a.options.split(), *x), zip(tests, folders)))
        done = [f for f, text in zip(folders, said) if text is not None]
        passed = 0
        for i in range(0, len(done), 400):  # as many as a command line holds
            run = subprocess.run([a.weft, "onnx-test", *done[i:i + 400]], capture_output=True, text=True,
                                 errors="replace")
            *lines, last = run.stdout.strip().splitlines() or [""]
            for line in lines:
                print(line)
            passed += int((re.search(r"(\d+) passed", last) or [0, 0])[1])
    if a.nodes:
        with open(a.nodes, "w") as f:
            for test, text in zip(tests, said):
                counts = re.search(r"nodes: (\d+) -> (\d+)", text or "")
                f.write(f"{test} {counts[1]} {counts[2]}\n" if counts else f"{test} - -\n")
    what = "simplified" if a.options == "--simplify" else f"converted ({a.options})"
    print(f"{passed} of {len(tests)} {what} models still give their outputs")
    return passed != len(tests)


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: Apache-2.0
