"""Serves models over HTTP: the Open Inference Protocol (KServe v2), JSON and binary tensors.

    python -m weft serve model.onnx            # or weft-serve; needs aiohttp (Debian: python3-aiohttp)

Everything that a request says is checked before it decides anything: sizes of bodies, shapes, types, counts. What is too much is refused
with a status and a sentence: 400 the request is wrong, 404 no such model, 408 the body came too slowly, 413 it is too large, 429 too many
requests wait, 503 stopping, 504 it took too long.
"""
import argparse
import asyncio
import json
import logging
import os
import signal
import struct
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from . import Error, Model, __version__

DATATYPES = {"bool": "BOOL", "u8": "UINT8", "u16": "UINT16", "u32": "UINT32", "u64": "UINT64", "i8": "INT8", "i16": "INT16", "i32": "INT32",
             "i64": "INT64", "f16": "FP16", "f32": "FP32", "f64": "FP64", "bf16": "BF16", "str": "BYTES"}
_NUMPY = {"BOOL": "bool", "UINT8": "u1", "UINT16": "<u2", "UINT32": "<u4", "UINT64": "<u8", "INT8": "i1", "INT16": "<i2", "INT32": "<i4",
          "INT64": "<i8", "FP16": "<f2", "FP32": "<f4", "FP64": "<f8", "BF16": "<u2"}
_BOUNDS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, float("inf"))
_STATUS = {"E_LIMIT": 504, "E_CANCELLED": 503, "E_NOMEM": 503, "E_KERNEL": 500}


class Refused(Exception):
    """A request that is answered with an error: status and sentence."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


# ---- tensors ----
def _strings_in(data, count, name):
    """A list of them; as many as the shape says, which by itself decides no size."""
    found, at = [], 0
    while at < len(data) and len(found) <= count:
        if at + 4 > len(data):
            raise Refused(400, f"input '{name}': the length of element {len(found)} is cut off")
        n = struct.unpack_from("<I", data, at)[0]
        if n > len(data) - at - 4:
            raise Refused(400, f"input '{name}': element {len(found)} has {n} bytes, {len(data) - at - 4} are left")
        try:
            found.append(bytes(data[at + 4:at + 4 + n]).decode())
        except UnicodeDecodeError as e:
            raise Refused(400, f"input '{name}': element {len(found)} is not UTF-8: {e.reason}") from None
        at += 4 + n
    if len(found) != count:
        given = f"more than {count}" if len(found) > count else len(found)
        raise Refused(400, f"input '{name}': {given} elements are given, its shape says {count}")
    return found


def _binary_in(data, datatype, shape, count, name):
    if datatype == "BYTES":
        texts = _strings_in(data, count, name)
        array = np.empty(count, dtype=object)
        array[:] = texts
        return array.reshape(shape)
    dtype = np.dtype(_NUMPY[datatype])
    if len(data) != count * dtype.itemsize:
        raise Refused(400, f"input '{name}': {len(data)} bytes are given, {datatype}{list(shape)} has {count * dtype.itemsize}")
    if datatype == "BOOL":
        return (np.frombuffer(data, "u1") != 0).reshape(shape)
    return np.frombuffer(data, dtype).reshape(shape)


def _flat(data, count, name):
    """The list's elements, however deep its lists are."""
    while data and isinstance(data, list) and isinstance(data[0], list):
        if not all(isinstance(part, list) for part in data):
            raise Refused(400, f"input '{name}': 'data' mixes lists and elements")
        data = [item for part in data for item in part]
    if not isinstance(data, list) or len(data) != count:
        given = len(data) if isinstance(data, list) else "no list of"
        raise Refused(400, f"input '{name}': {given} elements are given, its shape says {count}")
    return data


def _json_in(data, datatype, shape, count, name):
    flat = _flat(data, count, name)
    if datatype in ("FP16", "BF16"):
        raise Refused(400, f"input '{name}': {datatype} has no form in JSON; send it as binary data")
    kinds = {"BYTES": (str,), "BOOL": (bool,), "FP32": (int, float), "FP64": (int, float)}.get(datatype, (int,))
    for item in flat:
        if not isinstance(item, kinds) or isinstance(item, bool) and datatype != "BOOL":
            raise Refused(400, f"input '{name}': {json.dumps(item)[:60]} is no element of {datatype}")
    if datatype == "BYTES":
        array = np.empty(count, dtype=object)
        array[:] = flat
        return array.reshape(shape)
    dtype = np.dtype(_NUMPY[datatype])
    least, most = (np.iinfo(dtype).min, np.iinfo(dtype).max) if dtype.kind in "iu" else (-float(np.finfo(dtype).max), float(np.finfo(dtype).max)) \
        if dtype.kind == "f" else (False, True)
    for item in flat:
        if not least <= item <= most:
            raise Refused(400, f"input '{name}': {str(item)[:40] if isinstance(item, float) else 'a number'} is outside of {datatype}")
    return np.array(flat, dtype=dtype).reshape(shape)


def _shape_in(shape, name):
    good = isinstance(shape, list) and len(shape) <= 8 and all(isinstance(d, int) and not isinstance(d, bool) and d >= 0 for d in shape)
    if not good:
        raise Refused(400, f"input '{name}': a shape is a list of at most 8 numbers that are not negative")
    count = 1
    for d in shape:
        count *= d
    if count > 1 << 40:
        raise Refused(400, f"input '{name}': a shape of {count} elements")
    return tuple(shape), count


def _parameter(item, key, of, what):
    parameters = item.get("parameters", {})
    if not isinstance(parameters, dict):
        raise Refused(400, f"{what}: 'parameters' is no object")
    value = parameters.get(key)
    if value is not None and (not isinstance(value, of) or of is int and isinstance(value, bool)):
        raise Refused(400, f"{what}: parameter '{key}' is {json.dumps(value)[:60]}")
    return value


def _no_constant(text):
    raise ValueError(f"{text} is no number of JSON: send it as binary data")


def decode(body, header_bytes, ports):
    """(feeds by name, request): what an infer request holds, checked against the model's inputs."""
    try:
        request = json.loads(bytes(body if header_bytes is None else body[:header_bytes]), parse_constant=_no_constant)
    except (ValueError, RecursionError) as e:
        raise Refused(400, f"the body is no JSON: {e}") from None
    if not isinstance(request, dict) or not isinstance(request.get("inputs"), list):
        raise Refused(400, "the body is an object with a list 'inputs'")
    wanted, feeds, at = {p.name: p for p in ports}, {}, header_bytes
    for item in request["inputs"]:
        if not isinstance(item, dict) or not isinstance(item.get("name"), str):
            raise Refused(400, "an input is an object with a 'name'")
        name = item["name"]
        if name not in wanted or name in feeds:
            why = "is given twice" if name in feeds else f"is none of the model's: {', '.join(wanted)}"
            raise Refused(400, f"input '{name[:80]}' {why}")
        datatype = item.get("datatype")
        if datatype != DATATYPES.get(wanted[name].type):
            raise Refused(400, f"input '{name}' is {json.dumps(datatype)[:40]}, the model takes {DATATYPES.get(wanted[name].type)}")
        shape, count = _shape_in(item.get("shape"), name)
        size = _parameter(item, "binary_data_size", int, f"input '{name}'")
        if size is None:
            feeds[name] = _json_in(item.get("data"), datatype, shape, count, name)
            continue
        if at is None or size < 0 or size > len(body) - at:
            left = "no header Inference-Header-Content-Length came" if at is None else f"{len(body) - at} bytes are left"
            raise Refused(400, f"input '{name}': {size} bytes of binary data, {left}")
        feeds[name] = _binary_in(body[at:at + size], datatype, shape, count, name)
        at += size
    missing = [n for n in wanted if n not in feeds]
    if missing:
        raise Refused(400, f"input '{missing[0]}' is missing; the model takes {', '.join(str(p) for p in ports)}")
    if at is not None and at != len(body):
        raise Refused(400, f"{len(body) - at} bytes of binary data belong to no input")
    return feeds, request


def _asked(request, ports):
    """[(port, as binary data?)] of the outputs that a request asks for."""
    binary = bool(_parameter(request, "binary_data_output", bool, "the request"))
    outputs = request.get("outputs")
    if outputs is None:
        return [(p, binary) for p in ports]
    if not isinstance(outputs, list):
        raise Refused(400, "'outputs' is a list")
    known, asked = {p.name: p for p in ports}, []
    for item in outputs:
        if not isinstance(item, dict) or item.get("name") not in known:
            raise Refused(400, f"the model has no output {json.dumps(item)[:80]}; its outputs: {', '.join(known)}")
        own = _parameter(item, "binary_data", bool, f"output '{item['name']}'")
        asked.append((known[item["name"]], binary if own is None else own))
    return asked


def encode(name, request, values, asked):
    """(header in JSON, binary data, length of the header or None)."""
    outputs, parts = [], []
    for port, binary in asked:
        value = np.asarray(values[port.name])
        datatype = DATATYPES[port.type]
        item = {"name": port.name, "datatype": datatype, "shape": list(value.shape)}
        if binary:
            if datatype == "BYTES":
                data = b"".join(struct.pack("<I", len(s)) + s for s in (str(v).encode() for v in value.reshape(-1)))
            else:
                data = np.ascontiguousarray(value).tobytes()
            item["parameters"] = {"binary_data_size": len(data)}
            parts.append(data)
        elif datatype in ("FP16", "BF16"):
            raise Refused(400, f"output '{port.name}' is {datatype}, which has no form in JSON: ask for it as binary data")
        elif value.dtype.kind == "f" and not np.isfinite(value).all():
            raise Refused(400, f"output '{port.name}' has NaN or infinite elements, which JSON does not have: ask for it as binary data")
        else:
            item["data"] = [str(v) for v in value.reshape(-1)] if datatype == "BYTES" else value.reshape(-1).tolist()
        outputs.append(item)
    answer = {"model_name": name, "model_version": "1", "outputs": outputs}
    if isinstance(request.get("id"), str):
        answer["id"] = request["id"]
    header = json.dumps(answer, separators=(",", ":")).encode()
    return header, b"".join(parts), len(header) if parts else None


# ---- metrics, in Prometheus' text form ----
class Metrics:
    def __init__(self):
        self._lock = threading.Lock()
        self._answers, self._seconds, self._sum, self._batches, self._rows = {}, {}, {}, {}, {}
        self.waiting = 0

    def answered(self, model, status):
        with self._lock:
            self._answers[model, status] = self._answers.get((model, status), 0) + 1

    def ran(self, model, seconds, rows):
        with self._lock:
            buckets = self._seconds.setdefault(model, [0] * len(_BOUNDS))
            for i, bound in enumerate(_BOUNDS):
                buckets[i] += seconds <= bound
            self._sum[model] = self._sum.get(model, 0.0) + seconds
            self._batches[model] = self._batches.get(model, 0) + 1
            self._rows[model] = self._rows.get(model, 0) + rows

    def text(self):
        def label(text):
            return str(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

        with self._lock:
            lines = ["# HELP weft_requests_total Requests for inference that were answered, by HTTP status.", "# TYPE weft_requests_total counter"]
            lines += [f'weft_requests_total{{model="{label(m)}",status="{s}"}} {n}' for (m, s), n in sorted(self._answers.items())]
            lines += ["# HELP weft_run_seconds Time of runs of a model.", "# TYPE weft_run_seconds histogram"]
            for m, buckets in self._seconds.items():
                lines += [f'weft_run_seconds_bucket{{model="{label(m)}",le="{"+Inf" if b == float("inf") else b}"}} {n}'
                          for b, n in zip(_BOUNDS, buckets)]
                lines += [f'weft_run_seconds_sum{{model="{label(m)}"}} {self._sum[m]:.6f}', f'weft_run_seconds_count{{model="{label(m)}"}} {self._batches[m]}']
            lines += ["# HELP weft_run_requests_total Requests in all runs: over weft_run_seconds_count, how many shared one.",
                      "# TYPE weft_run_requests_total counter"]
            lines += [f'weft_run_requests_total{{model="{label(m)}"}} {n}' for m, n in self._rows.items()]
            lines += ["# HELP weft_waiting Requests that wait or run.", "# TYPE weft_waiting gauge", f"weft_waiting {self.waiting}"]
        return "\n".join(lines) + "\n"


# ---- running, together where shapes allow ----
class _Waiting:
    """A request that may run together with others of its key."""

    def __init__(self, key, feeds, rows):
        self.key, self.feeds, self.rows = key, feeds, rows
        self.result, self.done = None, threading.Event()
        self._lock = threading.Lock()

    def take(self):
        return self._lock.acquire(blocking=False)


class Runner:
    """One model. With batch > 1, requests of one shape that wait at the same time run as one, joined along the first dim: right only for
    models whose rows do not look at each other, which is why it has to be asked for."""

    def __init__(self, name, model, metrics, pool, batch=1):
        self.name, self.model = name, model.compile()
        for port in [*self.model.inputs, *self.model.outputs]:
            if port.kind != "tensor" or port.type not in DATATYPES:
                raise ValueError(f"'{port.name}' is {port.kind} of {port.type}, which the protocol does not have")
        self._metrics, self._pool, self._batch = metrics, pool, batch
        self._lock, self._waiting = threading.Lock(), {}
        ports = [*self.model.inputs, *self.model.outputs]
        if batch > 1 and not all(p.shape and not isinstance(p.shape[0], int) for p in ports):
            raise ValueError(f"{name}: runs can be joined only where the first dim of every input and output is open")

    def submit(self, feeds):
        """A future of the outputs by name."""
        sizes = {a.shape[0] if a.ndim else 0 for a in feeds.values()}
        if self._batch < 2 or len(sizes) != 1 or sizes == {0}:
            return self._pool.submit(self._run, feeds)
        key = tuple((n, a.shape[1:]) for n, a in sorted(feeds.items()))
        request = _Waiting(key, feeds, sizes.pop())
        with self._lock:
            self._waiting.setdefault(key, []).append(request)
        future = self._pool.submit(self._run_joined, request)
        future.add_done_callback(lambda f: self._forget(request) if f.cancelled() else None)
        return future

    def _run(self, feeds, requests=1):
        begin = time.perf_counter()
        out = dict(self.model.run(feeds).items())
        self._metrics.ran(self.name, time.perf_counter() - begin, requests)
        return out

    def _forget(self, *requests):
        with self._lock:
            for r in requests:
                rest = [w for w in self._waiting.get(r.key, []) if w is not r]
                self._waiting[r.key] = rest
                if not rest:
                    del self._waiting[r.key]

    def _run_joined(self, request):
        with self._lock:
            waiting = self._waiting.get(request.key, [])
            mine = any(w is request for w in waiting)
            mates = [request, *(w for w in waiting if w is not request)][:self._batch] if mine else []
        # between the two another call may take one of them, too: who marks it first runs it
        mates = [m for m in mates if m.take()]
        self._forget(*mates)
        if request not in mates:
            request.done.wait()
        elif len(mates) == 1:
            return self._run(request.feeds)
        else:
            self._share(mates)
        if isinstance(request.result, Exception):
            raise request.result
        return request.result

    def _share(self, mates):
        """One run for all; where that fails, or its rows are not the requests', each alone."""
        try:
            out = self._run({n: np.concatenate([m.feeds[n] for m in mates]) for n in mates[0].feeds}, len(mates))
            total = sum(m.rows for m in mates)
            joined = all(v.ndim and v.shape[0] == total for v in out.values())
        except Exception:
            joined = False
        at = 0
        for m in mates:
            m.result = {n: v[at:at + m.rows] for n, v in out.items()} if joined else self._alone(m.feeds)
            at += m.rows
            m.done.set()

    def _alone(self, feeds):
        try:
            return self._run(feeds)
        except Exception as error:
            return error


# ---- HTTP ----
class Server:
    """The application and its limits. models: {name: Model}."""

    def __init__(self, models, *, max_body=64 << 20, timeout=30.0, queue=256, workers=None, batch=1, max_connections=1024, idle=30.0):
        self.metrics = Metrics()
        self._pool = ThreadPoolExecutor(workers or os.cpu_count() or 1, thread_name_prefix="weft")
        self._runners = {name: Runner(name, model, self.metrics, self._pool, batch) for name, model in models.items()}
        self._max_body, self._timeout, self._queue = max_body, timeout, queue
        self._max_connections, self._idle = max_connections, idle
        self._connections, self._stopping = {}, False

    def _runner(self, request):
        name, version = request.match_info["model"], request.match_info.get("version", "1")
        if name not in self._runners:
            raise Refused(404, f"no model '{name[:80]}'; there are {', '.join(self._runners)}")
        if version != "1":
            raise Refused(404, f"model '{name}' has version 1, not '{version[:20]}'")
        return self._runners[name]

    async def _live(self, request):
        return self._web.json_response({"live": True})

    async def _ready(self, request):
        if "model" in request.match_info:
            self._runner(request)
        return self._web.json_response({"ready": not self._stopping}, status=503 if self._stopping else 200)

    async def _server(self, request):
        return self._web.json_response({"name": "weft", "version": __version__, "extensions": ["binary_tensor_data", "model_repository"]})

    async def _index(self, request):
        return self._web.json_response([{"name": n, "version": "1", "state": "READY"} for n in self._runners])

    async def _metadata(self, request):
        runner = self._runner(request)

        def shown(ports):
            return [{"name": p.name, "datatype": DATATYPES[p.type], "shape": [d if isinstance(d, int) else -1 for d in p.shape or (-1,)]}
                    for p in ports]

        return self._web.json_response({"name": runner.name, "versions": ["1"], "platform": "weft", "inputs": shown(runner.model.inputs),
                                        "outputs": shown(runner.model.outputs)})

    async def _metrics(self, request):
        return self._web.Response(text=self.metrics.text(), content_type="text/plain", charset="utf-8")

    def _header_bytes(self, request, body):
        text = request.headers.get("Inference-Header-Content-Length")
        if text is None:
            return None
        if not text.isascii() or not text.isdigit() or len(text) > 12 or int(text) > len(body):
            raise Refused(400, f"Inference-Header-Content-Length is '{text[:40]}', the body has {len(body)} bytes")
        return int(text)

    async def _body(self, request):
        try:
            return memoryview(await asyncio.wait_for(request.read(), self._timeout))
        except asyncio.TimeoutError:
            raise Refused(408, f"the body did not come within {self._timeout:g} s") from None
        except self._web.RequestPayloadError as e:
            raise Refused(400, f"the body cannot be read: {' '.join(str(e).split())}") from None

    async def _infer(self, request):
        runner = self._runner(request)
        if self._stopping:
            raise Refused(503, "the server is stopping")
        if self.metrics.waiting >= self._queue:
            raise Refused(429, f"{self._queue} requests wait already; try again later")
        self.metrics.waiting += 1
        try:
            body = await self._body(request)
            loop = asyncio.get_running_loop()
            small = len(body) < 65536  # decoding takes less than handing it to a thread
            header_bytes = self._header_bytes(request, body)
            if small:
                feeds, said = decode(body, header_bytes, runner.model.inputs)
            else:
                feeds, said = await loop.run_in_executor(self._pool, decode, body, header_bytes, runner.model.inputs)
            wanted = _asked(said, runner.model.outputs)
            try:
                values = await asyncio.wait_for(asyncio.wrap_future(runner.submit(feeds)), self._timeout)
            except asyncio.TimeoutError:
                raise Refused(504, f"no answer within {self._timeout:g} s") from None
            header, data, length = encode(runner.name, said, values, wanted)
        finally:
            self.metrics.waiting -= 1
        if length is None:
            return self._web.Response(body=header, content_type="application/json")
        return self._web.Response(body=header + data, content_type="application/octet-stream",
                                  headers={"Inference-Header-Content-Length": str(length)})

    async def _errors(self, request, handler):
        """Middleware: every failure is an answer with a sentence."""
        web, model = self._web, request.match_info.get("model") if handler is not None and request.path.endswith("/infer") else None
        self._connections[request.protocol] = None  # in a handler
        try:
            answer = await handler(request)
        except web.HTTPException as e:
            answer = web.json_response({"error": f"{e.status}: {e.reason}"}, status=e.status)
        except Refused as e:
            answer = web.json_response({"error": str(e)}, status=e.status, headers={"Retry-After": "1"} if e.status in (429, 503) else None)
        except Error as e:
            answer = web.json_response({"error": str(e), "code": e.code}, status=_STATUS.get(e.code, 400))
        except MemoryError:
            answer = web.json_response({"error": "no memory for this request now"}, status=503, headers={"Retry-After": "1"})
        except (asyncio.CancelledError, ConnectionError):
            raise
        except Exception as e:
            print(f"weft serve: {type(e).__name__}: {e}", file=sys.stderr)
            answer = web.json_response({"error": "the server failed; its log says how"}, status=500)
        finally:
            self._connections[request.protocol] = time.monotonic()
        if model is not None:
            self.metrics.answered(model if model in self._runners else "unknown", answer.status)
        return answer

    def application(self):
        """The aiohttp application, to be mounted elsewhere; `run` serves it."""
        try:
            from aiohttp import web
        except ImportError:
            sys.exit("weft serve needs aiohttp: pip install aiohttp, or Debian's python3-aiohttp")
        self._web = web

        @web.middleware
        async def errors(request, handler):
            return await self._errors(request, handler)

        app = web.Application(client_max_size=self._max_body, middlewares=[errors])
        model = "/v2/models/{model}"
        app.add_routes([web.get("/v2/health/live", self._live), web.get("/v2/health/ready", self._ready), web.get("/v2", self._server),
                        web.get("/v2/", self._server), web.get("/metrics", self._metrics), web.post("/v2/repository/index", self._index)])
        for at in (model, model + "/versions/{version}"):
            app.add_routes([web.get(at, self._metadata), web.get(at + "/ready", self._ready), web.post(at + "/infer", self._infer)])
        return app

    def _guard(self, server):
        """Counts connections: over the limit they are closed; so are those that say nothing, or dribble a request, for too long."""
        made, lost = server.connection_made, server.connection_lost

        def connection_made(handler, transport):
            made(handler, transport)
            self._connections[handler] = time.monotonic()
            if len(self._connections) > self._max_connections:
                transport.abort()

        def connection_lost(handler, *more):
            self._connections.pop(handler, None)
            lost(handler, *more)

        server.connection_made, server.connection_lost = connection_made, connection_lost

    async def _sweep(self):
        while True:
            await asyncio.sleep(min(1.0, self._idle / 4))
            now = time.monotonic()
            for handler, since in list(self._connections.items()):
                if since is not None and now - since > self._idle and handler.transport is not None:
                    handler.transport.abort()

    async def run(self, host="127.0.0.1", port=8000, started=None):
        """Serves until SIGTERM or SIGINT; then no request is taken any more, those that run end (at most `timeout` seconds)."""
        app = self.application()
        quiet = logging.getLogger("weft.serve.http")  # what is no HTTP fills no log
        quiet.setLevel(logging.CRITICAL + 1)
        options = {"access_log": None, "keepalive_timeout": self._idle, "logger": quiet}
        try:
            runner = self._web.AppRunner(app, shutdown_timeout=1.0, **options)
        except TypeError:  # of an older aiohttp
            runner = self._web.AppRunner(app, **options)
        await runner.setup()
        self._guard(runner.server)
        site = self._web.TCPSite(runner, host, port)
        await site.start()
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, stop.set)
        self.stop = lambda: loop.call_soon_threadsafe(stop.set)
        self.port = site._server.sockets[0].getsockname()[1]
        if started:
            started(self.port)
        sweep = asyncio.create_task(self._sweep())
        await stop.wait()
        self._stopping = True
        end = time.monotonic() + self._timeout
        while self.metrics.waiting and time.monotonic() < end:
            await asyncio.sleep(0.02)
        sweep.cancel()
        await runner.cleanup()
        self._pool.shutdown(wait=False, cancel_futures=True)


def main(args=None):
    """The command: python -m weft serve MODEL..."""
    parser = argparse.ArgumentParser(prog="weft serve", description="Serves models by the Open Inference Protocol (KServe v2) over HTTP.")
    parser.add_argument("models", nargs="+", metavar="[NAME=]MODEL", help="what weft.load reads; the name is the file's otherwise")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (127.0.0.1: this machine only)")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--max-body", type=int, default=64 << 20, metavar="BYTES", help="largest request, unpacked (64 MiB)")
    parser.add_argument("--timeout", type=float, default=30.0, metavar="S", help="longest time of a request (30)")
    parser.add_argument("--queue", type=int, default=256, help="requests that may wait or run (256); more are answered 429")
    parser.add_argument("--workers", type=int, default=None, help="requests that run at once (as many as processors)")
    parser.add_argument("--threads", type=int, default=1, help="threads of one run (1)")
    parser.add_argument("--batch", type=int, default=1, metavar="N",
                        help="run up to N waiting requests of one shape as one; only for models whose rows are independent")
    parser.add_argument("--memory", type=int, default=0, metavar="BYTES", help="most memory of one run (no limit)")
    given = parser.parse_args(args)
    models = {}
    for text in given.models:
        name, _, path = text.rpartition("=")
        name = name or os.path.splitext(os.path.basename(path))[0]
        if name in models:
            parser.error(f"two models are named {name}: write NAME=MODEL")
        try:
            models[name] = Model(path, threads=given.threads, time_limit=given.timeout, memory_limit=given.memory)
        except (Error, OSError) as e:
            sys.exit(f"weft serve: {path}: {e}")
    try:
        server = Server(models, max_body=given.max_body, timeout=given.timeout, queue=given.queue, workers=given.workers, batch=given.batch)
    except (Error, ValueError) as e:
        sys.exit(f"weft serve: {e}")

    def started(port):
        print(f"weft serve: {', '.join(models)} at http://{given.host}:{port}/v2", flush=True)

    try:
        asyncio.run(server.run(given.host, given.port, started))
    except OSError as e:
        sys.exit(f"weft serve: cannot listen at {given.host}:{given.port}: {e.strerror}")


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
