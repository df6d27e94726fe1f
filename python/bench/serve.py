"""`weft serve` beside FastAPI with uvicorn and onnxruntime, under wrk: requests a second, p99, processor time of a request, interleaved.

    PYTHONPATH=PACKAGE python3 python/bench/serve.py [--model NET.onnx] [--seconds 3] [--rounds 3] [--connections 4]

A model of one Mul with JSON both ways and, where --model names a network with one input of floats, that with its bytes. Needs wrk, aiohttp;
fastapi, uvicorn and onnxruntime for the other side. Every answer is compared with the right one, byte by byte, by wrk itself."""
import argparse
import importlib.util
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import numpy as np

import weft

PORTS = {"weft serve": 8771, "FastAPI": 8772}
PEER = '''
import sys
import numpy as np, onnxruntime, uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel

app, sessions = FastAPI(), {}
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
for arg in sys.argv[2:]:
    name, path = arg.split("=", 1)
    sessions[name] = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

class Given(BaseModel):
    x: list[list[float]]

@app.post("/tiny")
def tiny(given: Given):
    return {"y": sessions["tiny"].run(None, {"x": np.array(given.x, np.float32)})[0].tolist()}

@app.post("/net")
async def net(request: Request):
    session = sessions["net"]
    port = session.get_inputs()[0]
    x = np.frombuffer(await request.body(), np.float32).reshape([d if isinstance(d, int) else 1 for d in port.shape])
    y = await run_in_threadpool(session.run, None, {port.name: x})
    return Response(y[0].tobytes(), media_type="application/octet-stream")

@app.get("/ready")
def ready():
    return {}

uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning", access_log=False)
'''
LUA = '''
local function file(name) local f = io.open(name, "rb") local t = f:read("*a") f:close() return t end
local want = file("%(want)s")
wrk.method = "POST"
wrk.body = file("%(body)s")
%(headers)s
wrong, threads = 0, {}
function setup(thread) table.insert(threads, thread) end
function response(status, headers, body) if status ~= 200 or body ~= want then wrong = wrong + 1 end end
function done(summary, latency, requests)
  local bad = 0
  for _, t in ipairs(threads) do bad = bad + t:get("wrong") end
  local e = summary.errors
  io.write(string.format("RESULT %%d %%.6f %%.3f %%.3f %%d %%d\\n", summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, bad, e.connect + e.read + e.write + e.status + e.timeout))
end
'''


def post(url, body, headers):
    with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=60) as answer:
        return answer.read(), dict(answer.headers)


def seconds_of(pid):
    """Processor time of a process and its threads."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        fields = f.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def load(folder, side, url, body, headers, want, args):
    """One round of wrk: (requests a second, p50, p99 in ms, wrong, lost, requests)."""
    files = {k: os.path.join(folder, f"{side.split()[0]}.{k}") for k in ("body", "want", "lua")}
    for k, data in (("body", body), ("want", want)):
        with open(files[k], "wb") as f:
            f.write(data)
    with open(files["lua"], "w", encoding="utf-8") as f:
        f.write(LUA % {**files, "headers": "\n".join(f'wrk.headers["{k}"] = "{v}"' for k, v in headers.items())})
    done = subprocess.run(["wrk", "-t1", f"-c{args.connections}", f"-d{args.seconds}s", "--timeout", "30s", "-s", files["lua"], url],
                          capture_output=True, text=True, check=True)
    n, duration, p50, p99, wrong, lost = re.search(r"RESULT (\S+) (\S+) (\S+) (\S+) (\S+) (\S+)", done.stdout).groups()
    return int(n) / float(duration), float(p50), float(p99), int(wrong), int(lost), int(n)


def asked(args):
    """{case: {side: (path, body, headers)}}"""
    x = [[1.5, -2.0, 3.25]]
    kserve = {"inputs": [{"name": "x", "shape": [1, 3], "datatype": "FP32", "data": x[0]}]}
    text = {"Content-Type": "application/json"}
    cases = {"tiny": {"weft serve": ("/v2/models/tiny/infer", json.dumps(kserve).encode(), text), "FastAPI": ("/tiny", json.dumps({"x": x}).encode(), text)}}
    if args.model:
        port = weft.load(args.model).inputs[0]
        shape = [d if isinstance(d, int) else 1 for d in port.shape]
        data = np.random.default_rng(0).standard_normal(shape).astype(np.float32).tobytes()
        head = json.dumps({"inputs": [{"name": port.name, "shape": shape, "datatype": "FP32", "parameters": {"binary_data_size": len(data)}}],
                           "parameters": {"binary_data_output": True}}).encode()
        binary = {"Content-Type": "application/octet-stream"}
        cases["net"] = {"weft serve": ("/v2/models/net/infer", head + data, {**binary, "Inference-Header-Content-Length": str(len(head))}),
                        "FastAPI": ("/net", data, binary)}
    return cases


def value(side, case, answer, headers):
    """The floats of an answer."""
    if case == "tiny":
        found = json.loads(answer)
        return np.float32(found["outputs"][0]["data"] if side == "weft serve" else found["y"]).ravel()
    at = {k.lower(): v for k, v in headers.items()}.get("inference-header-content-length", "0")
    return np.frombuffer(answer[int(at):], np.float32)


def start(folder, args):
    tiny = os.path.join(folder, "tiny.onnx")
    g = weft.Graph()
    g.output(g.mul(g.input("x", "f32", ("n", 3)), np.float32(2), name="y"))
    g.save(tiny)
    models = [f"tiny={tiny}", *([f"net={args.model}"] if args.model else [])]
    peer = os.path.join(folder, "peer.py")
    with open(peer, "w", encoding="utf-8") as f:
        f.write(PEER)
    commands = {"weft serve": [sys.executable, "-m", "weft", "serve", *models, "--port", str(PORTS["weft serve"])]}
    if all(importlib.util.find_spec(n) for n in ("fastapi", "uvicorn", "onnxruntime")):
        commands["FastAPI"] = [sys.executable, peer, str(PORTS["FastAPI"]), *models]
    return {side: subprocess.Popen(command, stdout=subprocess.DEVNULL) for side, command in commands.items()}


def ready(side):
    path = "/v2/health/ready" if side == "weft serve" else "/ready"
    for _ in range(300):
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{PORTS[side]}{path}", timeout=1)
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"{side} did not start")


def measure(folder, case, sides, servers, args):
    urls = {s: f"http://127.0.0.1:{PORTS[s]}{sides[s][0]}" for s in servers}
    want, values = {}, {}
    for s in servers:
        for _ in range(20):
            want[s], headers = post(urls[s], *sides[s][1:])
        values[s] = value(s, case, want[s], headers)
    for s in values:
        np.testing.assert_allclose(values[s], values["weft serve"], rtol=1e-3, atol=1e-4)
    rows = {s: [] for s in servers}
    for _ in range(args.rounds):  # side by side, so that what else the machine does meets both
        for s, process in servers.items():
            before = seconds_of(process.pid)
            row = load(folder, s, urls[s], *sides[s][1:], want[s], args)
            rows[s].append((*row, (seconds_of(process.pid) - before) / max(row[5], 1) * 1e6))
    for s, v in rows.items():
        rate, p50, p99, cpu = (statistics.median(r[i] for r in v) for i in (0, 1, 2, 6))
        print(f"{case:5} {s:11} {rate:8.1f} requests/s  p50 {p50:8.2f} ms  p99 {p99:8.2f} ms  {cpu:9.0f} us of processor each;  "
              f"{sum(r[5] for r in v)} asked, {sum(r[3] for r in v)} wrong, {sum(r[4] for r in v)} lost", flush=True)
    if len(rows) == 2:
        ratios = [a[i] / b[i] for i in (0, 2, 6) for a, b in zip(*rows.values())]
        n = args.rounds
        print(f"{case:5} weft / FastAPI, median of rounds: requests {statistics.median(ratios[:n]):.2f}, p99 {statistics.median(ratios[n:2 * n]):.2f}, "
              f"processor time {statistics.median(ratios[2 * n:]):.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model")
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=4)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        servers = start(folder, args)
        try:
            for s in servers:
                ready(s)
            for case, sides in asked(args).items():
                measure(folder, case, sides, servers, args)
            metrics = urllib.request.urlopen(f"http://127.0.0.1:{PORTS['weft serve']}/metrics").read().decode()
            print("\n".join(line for line in metrics.splitlines() if "requests_total" in line and not line.startswith("#")))
        finally:
            for process in servers.values():
                process.send_signal(signal.SIGTERM)
                process.wait(30)


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
