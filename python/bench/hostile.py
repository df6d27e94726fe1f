"""`weft serve` under attack: honest clients (wrk) beside others that mean no good, one kind after the other: requests a second, p50, p99 and the
longest answer of the honest ones, and how many of their answers were wrong or lost.

    PYTHONPATH=PACKAGE python3 python/bench/hostile.py [--seconds 5] [--connections 4] [--only KIND,KIND] [-- more options of weft serve]

Needs wrk and aiohttp. Every answer is compared with the right one, byte by byte, by wrk itself."""
import argparse
import asyncio
import gzip
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

import numpy as np

import weft

PORT = 8773
LUA = '''
local function file(name) local f = io.open(name, "rb") local t = f:read("*a") f:close() return t end
local want = file("%(want)s")
wrk.method = "POST"
wrk.body = file("%(body)s")
wrong, threads = 0, {}
function setup(thread) table.insert(threads, thread) end
function response(status, headers, body) if status ~= 200 or body ~= want then wrong = wrong + 1 end end
function done(summary, latency, requests)
  local bad = 0
  for _, t in ipairs(threads) do bad = bad + t:get("wrong") end
  local e = summary.errors
  io.write(string.format("RESULT %%d %%.6f %%.3f %%.3f %%.3f %%d %%d\\n", summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, latency.max / 1e3, bad, e.connect + e.read + e.write + e.timeout))
end
'''


# ---- what the others send ----
def head(body_bytes, *lines, model="tiny"):
    return "\r\n".join([f"POST /v2/models/{model}/infer HTTP/1.1", "Host: a", f"Content-Length: {body_bytes}", *lines, "", ""]).encode()


def whole(body, *lines, **more):
    return head(len(body), *lines, **more) + body


def numbers(count):
    """A request with so many numbers, where its shape says three."""
    return b'{"inputs":[{"name":"x","datatype":"FP32","shape":[1,3],"data":[' + b",".join([b"1.25"] * count) + b"]}]}"


def rows(count):
    """A right request of so many rows."""
    return json.dumps({"inputs": [{"name": "x", "datatype": "FP32", "shape": [count, 3], "data": [0.1] * (3 * count)}]}).encode()


def rows_of_bytes(count):
    """A right request of so many rows that wants its answer as text."""
    text = json.dumps({"inputs": [{"name": "x", "datatype": "FP32", "shape": [count, 3], "parameters": {"binary_data_size": 12 * count}}]}).encode()
    data = np.random.default_rng(0).random(3 * count).astype(np.float32).tobytes()
    return whole(text + data, f"Inference-Header-Content-Length: {len(text)}")


def slow_run():
    size = 1200
    text = json.dumps({"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 1, size, size],
                                   "parameters": {"binary_data_size": 4 * size * size}}]}).encode()
    return whole(text + bytes(4 * size * size), f"Inference-Header-Content-Length: {len(text)}", model="slow")


# kind: (connections, what each sends, what it does then: "drip" a byte a second, "again" after the answer, "deaf" reads no answer, "leave" at once)
KINDS = {
    "nobody": (0, bytes, "again"),
    "silent": (1500, bytes, "drip"),
    "slow heads": (400, lambda: b"POST /v2/models/tiny/infer HTTP/1.1\r\nHost: a\r\nX: ", "drip"),
    "slow bodies": (400, lambda: head(1 << 20) + b"{", "drip"),
    "wrong text": (8, lambda: whole(b'{"inputs": ' + b"[" * 60000), "again"),
    "short lists": (8, lambda: whole(numbers(12000)), "again"),
    "long lists": (4, lambda: whole(numbers(6 << 20)), "again"),
    "deep lists": (4, lambda: whole(b"[" * (32 << 20)), "again"),
    "long answers": (4, lambda: whole(rows(200000)), "again"),
    "long answers to bytes": (4, lambda: rows_of_bytes(1 << 20), "again"),
    "deaf": (64, lambda: 4 * whole(rows(20000)), "deaf"),
    "bombs": (8, lambda: whole(gzip.compress(bytes(256 << 20), 9), "Content-Encoding: gzip"), "again"),
    "gone": (32, lambda: whole(rows(1000)), "leave"),
    "garbage": (32, lambda: bytes(range(256)) * 8, "again"),
    "one behind the other": (4, lambda: 20000 * whole(numbers(3)), "deaf"),
    "long runs": (64, slow_run, "again"),
}


async def misbehave(data, then, told):
    """One connection, over and over."""
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", PORT, limit=1 << 20)
        except OSError:
            await asyncio.sleep(0.1)
            continue
        try:
            if then == "deaf":
                writer.transport.pause_reading()
            writer.write(data)
            await asyncio.wait_for(writer.drain(), 60)
            while then == "drip":
                await asyncio.sleep(1)
                writer.write(b"a")
                if reader.at_eof():
                    break
            if then == "deaf":
                await asyncio.sleep(60)
            while then == "again":
                answer = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)).lower()
                told[answer.split()[1].decode("latin-1")] = told.get(answer.split()[1].decode("latin-1"), 0) + 1
                length = re.search(rb"content-length: (\d+)", answer)
                await asyncio.wait_for(reader.readexactly(int(length.group(1)) if length else 0), 60)
                writer.write(data)
                await asyncio.wait_for(writer.drain(), 60)
        except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError, asyncio.LimitOverrunError, IndexError):
            await asyncio.sleep(0.01)
        finally:
            writer.transport.abort()


def attack(kind, ready):
    count, made, then = KINDS[kind]
    data, told = made(), {}

    async def all_of_them():
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, lambda: (print("     they were told:", told or "nothing", flush=True), os._exit(0)))
        tasks = [asyncio.create_task(misbehave(data, then, told)) for _ in range(count)]
        ready.set()
        await asyncio.gather(*tasks)
        await asyncio.sleep(3600)

    asyncio.run(all_of_them())


def honest(folder, args):
    """One round of wrk: (requests a second, p50, p99, longest in ms, wrong, lost, requests)."""
    names = {k: os.path.join(folder, k) for k in ("body", "want", "lua")}
    done = subprocess.run(["wrk", "-t1", f"-c{args.connections}", f"-d{args.seconds}s", "--timeout", "60s", "-s", names["lua"],
                           f"http://127.0.0.1:{PORT}/v2/models/tiny/infer"], capture_output=True, text=True, check=True)
    n, duration, p50, p99, longest, wrong, lost = re.search(r"RESULT (\S+) (\S+) (\S+) (\S+) (\S+) (\S+) (\S+)", done.stdout).groups()
    return int(n) / float(duration), float(p50), float(p99), float(longest), int(wrong), int(lost), int(n)


def start(folder, more):
    tiny, slow = os.path.join(folder, "tiny.txt"), os.path.join(folder, "slow.txt")
    with open(tiny, "w", encoding="utf-8") as f:
        f.write('graph "g" { input x: f32[n,3] const two: f32[]{2} node y: Mul(x, two) -> y output y }')
    with open(slow, "w", encoding="utf-8") as f:
        f.write('graph "g" { input x: f32[1,1,1200,1200] const w: f32[1,1,200,200]{0..} node y: Conv(x, w) {} -> y output y }')
    command = [sys.executable, "-m", "weft", "serve", f"tiny={tiny}", f"slow={slow}", "--port", str(PORT), *more]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{PORT}/v2/models/tiny/infer"
    body = rows(1)
    for _ in range(300):
        try:
            want = urllib.request.urlopen(urllib.request.Request(url, body), timeout=5).read()
            break
        except OSError:
            time.sleep(0.1)
    names = {k: os.path.join(folder, k) for k in ("body", "want", "lua")}
    for k, data in (("body", body), ("want", want), ("lua", (LUA % names).encode())):
        with open(names[k], "wb") as f:
            f.write(data)
    return server


def resident(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return max(int(line.split()[1]) for line in f if line.startswith("VmRSS")) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=4)
    parser.add_argument("--only", default=",".join(KINDS))
    parser.add_argument("more", nargs="*", help="options of weft serve, behind --")
    args = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        for kind in args.only.split(","):
            server, ready = start(folder, args.more), context.Event()
            other = context.Process(target=attack, args=(kind, ready))
            other.start()
            ready.wait()
            time.sleep(1)
            rate, p50, p99, longest, wrong, lost, n = honest(folder, args)
            print(f"{kind:22} {rate:7.1f} requests/s  p50 {p50:8.2f}  p99 {p99:8.2f}  longest {longest:8.2f} ms;  {n} asked, {wrong} wrong, {lost} lost;  "
                  f"{resident(server.pid):.0f} MB, load {os.getloadavg()[0]:.1f}", flush=True)
            other.terminate()
            other.join()
            server.send_signal(signal.SIGTERM)
            if server.wait(60):
                print(f"{kind}: the server ended with {server.returncode}")


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
