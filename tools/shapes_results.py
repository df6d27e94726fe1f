#!/usr/bin/env python3
"""Infers every model of a shape-inference set with weft and writes the results that score_shapes.py reads.

  tools/shapes_results.py WEFT SET results.json      memory of each run is limited to 1 GiB
"""
import concurrent.futures
import json
import resource
import subprocess
import sys


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


def infer(weft, root, model):
    try:
        run = subprocess.run([weft, "infer", f"{root}/{model}", "--onnx-types-json", "--strict"], capture_output=True, timeout=60,
                             preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return {"error": "timeout", "bad": True}
    if run.returncode == 0:
        return json.loads(run.stdout)
    return {"error": run.stderr.decode(errors="replace")[:400], "bad": run.returncode < 0}


def main():
    weft, root, out = sys.argv[1:4]
    models = [case["model"] for case in json.load(open(f"{root}/index.json"))]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = dict(zip(models, pool.map(lambda m: infer(weft, root, m), models)))
    json.dump(results, open(out, "w"))
    crashed = [m for m, r in results.items() if r.get("bad")]
    print(f"{len(models)} models, {len(crashed)} crashed or hung {crashed[:5]}")


main()
# SPDX-License-Identifier: Apache-2.0
