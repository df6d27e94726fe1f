"""Serves models over HTTP: the Open Inference Protocol (KServe v2), JSON and binary tensors.

    python -m weft serve model.onnx            # or weft-serve; needs aiohttp (Debian: python3-aiohttp)

Everything that a request says is checked before it decides anything: sizes of bodies, shapes, types, counts. What is too much is refused
with a status and a sentence: 400 the request is wrong, 404 no such model, 408 the body came too slowly, 413 it is too large, 429 too many
requests wait, 503 stopping, 504 it took too long.
"""
import argparse
import asyncio
import inspect
import json
import logging
import os
import resource
import signal
import socket
import sys
import threading
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from pickle import PickleBuffer

import numpy as np

from . import Error, Model, __version__
from ._protocol import DATATYPES, LONG, Refused, decode, encode, long_text, read, unpack  # noqa: F401 - decode: for those who build their own
from ._scribe import Scribe

_BOUNDS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, float("inf"))
_STATUS = {"E_LIMIT": 504, "E_CANCELLED": 503, "E_NOMEM": 503, "E_KERNEL": 500}


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
        self._lock, self._waiting, self.waiting = threading.Lock(), {}, 0
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


# ---- connections ----
class Connections:
    """Those that are open. Where there are too many, the one goes that has been quiet longest: a client that asks now and then keeps its
    own, whoever else opens thousands. What a connection's requests wait for is given up when it is gone."""

    def __init__(self, most, idle):
        self._most, self._idle = most, idle
        self._open, self._reading, self._running = set(), {}, {}  # reading: the body so far
        self._quiet = OrderedDict()  # those that wait for their client: since when, the longest first

    def guard(self, server):
        """Hangs itself into aiohttp's protocol."""
        made, lost = server.connection_made, server.connection_lost

        def connection_made(handler, transport):
            made(handler, transport)
            self._open.add(handler)
            self.waits(handler)
            if len(self._open) > self._most:
                self.drop(next(iter(self._quiet)))

        def connection_lost(handler, *more):
            self._forget(handler)
            run = self._running.pop(handler, None)
            if run is not None:
                run.cancel()
            lost(handler, *more)

        server.connection_made, server.connection_lost = connection_made, connection_lost

    def _forget(self, handler):
        self._open.discard(handler)
        self.works(handler)

    def drop(self, handler):
        self._forget(handler)
        if handler.transport is not None:
            asyncio.get_running_loop().call_soon(handler.transport.abort)  # aiohttp has not begun with a new one yet

    def waits(self, handler, body=None):
        """For the client: to ask, or for the rest of a body, which has a time of its own."""
        if handler not in self._open:
            return
        if body is not None:
            self._reading[handler] = body
        self._quiet[handler] = time.monotonic()
        self._quiet.move_to_end(handler)

    def works(self, handler):
        self._reading.pop(handler, None)
        self._quiet.pop(handler, None)

    def drop_longest_reading(self, but):
        """Its body; None where nobody else sends a long one."""
        victim = next((h for h in self._quiet if h is not but and h in self._reading and self._reading[h].held), None)
        body = self._reading.get(victim)
        if victim is not None:
            self.drop(victim)
        return body

    async def result(self, handler, future, seconds):
        """What a future of another thread gives; cancelled where the client goes away."""
        self._running[handler] = future
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), seconds)
        except asyncio.TimeoutError:
            raise Refused(504, f"no answer within {seconds:g} s") from None
        finally:
            self._running.pop(handler, None)

    async def sweep(self):
        """Closes those that say nothing, or dribble a request, for too long."""
        while True:
            await asyncio.sleep(min(1.0, self._idle / 4))
            now = time.monotonic()
            for handler in [h for h, since in self._quiet.items() if now - since > self._idle and h not in self._reading]:
                self.drop(handler)


# ---- HTTP ----
class _Body(bytearray):
    held, dropped = 0, False  # bytes that count to those of all long bodies; its connection had to go for others


class Server:
    """The application and its limits. models: {name: Model}."""

    def __init__(self, models, *, max_body=64 << 20, timeout=30.0, queue=256, workers=None, batch=1, max_connections=1024, idle=30.0):
        self.metrics = Metrics()
        workers = workers or os.cpu_count() or 1
        # Each model has threads of its own: who waits for a slow one keeps nobody else waiting.
        self._pools = {name: ThreadPoolExecutor(workers, thread_name_prefix=f"weft {name}") for name in models}
        self._runners = {name: Runner(name, model, self.metrics, self._pools[name], batch) for name, model in models.items()}
        self._max_body, self._timeout, self._queue = max_body, timeout, queue
        self._connections = Connections(max_connections, idle)
        self._idle, self._stopping = idle, False
        self._held, self._most_held = 0, 16 * max_body  # bytes of long bodies
        self._scribes, self._scribe_of, self._scribe_memory = [], threading.local(), (256 << 20) + 24 * max_body
        self._scribe_pool = ThreadPoolExecutor(max(1, workers // 2), thread_name_prefix="weft text")

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

    async def _parts(self, request, body):
        """Reads the body to its end. Long ones share a limit: who has been sending longest has to go where it is reached."""
        async for part in request.content.iter_any():
            if body.dropped:
                raise ConnectionResetError
            body += part
            if len(body) > self._max_body:
                raise Refused(413, f"the body has more than {self._max_body} bytes")
            if len(body) < 65536:
                continue
            self._held += len(body) - body.held
            body.held = len(body)
            while self._held > self._most_held:
                other = self._connections.drop_longest_reading(request.protocol)
                if other is None:
                    raise Refused(503, "the bodies of other requests fill the memory; ask again")
                self._held -= other.held
                other.held, other.dropped = 0, True

    async def _body(self, request, body):
        if request.content_length is not None and request.content_length > self._max_body:
            raise Refused(413, f"the body has {request.content_length} bytes, {self._max_body} are the most")
        self._connections.waits(request.protocol, body)
        try:
            await asyncio.wait_for(self._parts(request, body), self._timeout)
        except asyncio.TimeoutError:
            raise Refused(408, f"the body did not come within {self._timeout:g} s") from None
        except self._web.RequestPayloadError as e:
            raise Refused(400, f"the body cannot be read: {' '.join(str(e).split())}") from None
        finally:
            self._connections.works(request.protocol)

    async def _unpacked(self, request, body):
        how = request.headers.get("Content-Encoding", "identity").lower()
        if how == "identity":
            return body
        future = self._scribe_pool.submit(unpack, body, how, self._max_body)
        data = await self._connections.result(request.protocol, future, self._timeout)
        body.held += len(data)
        self._held += len(data)
        return data

    async def _text(self, request, function, *args):
        """Has another process read or write a long text."""
        def call():
            scribe = getattr(self._scribe_of, "scribe", None)
            if scribe is None:
                scribe = self._scribe_of.scribe = Scribe(self._scribe_memory)
                self._scribes.append(scribe)
            return scribe.call(function, self._timeout, *args)

        return await self._connections.result(request.protocol, self._scribe_pool.submit(call), self._timeout)

    async def _infer(self, request):
        runner, body = self._runner(request), _Body()
        if self._stopping:
            raise Refused(503, "the server is stopping")
        if runner.waiting >= self._queue:
            raise Refused(429, f"{self._queue} requests wait already; try again later")
        try:
            await self._body(request, body)
            if runner.waiting >= self._queue:  # who sends slowly takes no place of those who have sent
                raise Refused(429, f"{self._queue} requests wait already; try again later")
            runner.waiting += 1
            self.metrics.waiting += 1
            try:
                header, parts = await self._answer(request, runner, await self._unpacked(request, body))
            finally:
                runner.waiting -= 1
                self.metrics.waiting -= 1
        finally:
            self._held -= body.held
        if not parts:
            return self._web.Response(body=header, content_type="application/json")
        return self._web.Response(body=b"".join([header, *parts]), content_type="application/octet-stream",
                                  headers={"Inference-Header-Content-Length": str(len(header))})

    async def _answer(self, request, runner, body):
        header_bytes = self._header_bytes(request, body)
        ports = runner.model.inputs, runner.model.outputs
        texts = any(p.type == "str" for p in ports[0])
        if (len(body) if header_bytes is None or texts else header_bytes) > LONG:
            feeds, asked, identity = await self._text(request, "read", PickleBuffer(body), header_bytes, *ports)
        else:
            feeds, asked, identity = read(body, header_bytes, *ports)
        values = await self._connections.result(request.protocol, runner.submit(feeds), self._timeout)
        if long_text(values, asked):
            return await self._text(request, "encode", runner.name, identity, {name: np.asarray(values[name]) for name, _, _ in asked}, asked)
        return encode(runner.name, identity, values, asked)

    async def _errors(self, request, handler):
        """Middleware: every failure is an answer with a sentence."""
        web, model = self._web, request.match_info.get("model") if handler is not None and request.path.endswith("/infer") else None
        self._connections.works(request.protocol)
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
            self._connections.waits(request.protocol)
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

    async def run(self, host="127.0.0.1", port=8000, started=None):
        """Serves until SIGTERM or SIGINT; then no request is taken any more, those that run end (at most `timeout` seconds)."""
        app = self.application()
        quiet = logging.getLogger("weft.serve.http")  # what is no HTTP fills no log
        quiet.setLevel(logging.CRITICAL + 1)
        options = {"access_log": None, "keepalive_timeout": self._idle, "logger": quiet, "auto_decompress": False}
        stopping, of_site = {"shutdown_timeout": 1.0}, {}
        if "shutdown_timeout" not in inspect.signature(self._web.BaseRunner).parameters:  # of an aiohttp before 3.9
            stopping, of_site = of_site, stopping
        runner = self._web.AppRunner(app, **options, **stopping)
        await runner.setup()
        self._connections.guard(runner.server)
        listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        # asyncio takes as many connections as the backlog says before it looks at those that it has
        await self._web.SockSite(runner, listening, backlog=16, **of_site).start()
        listening.listen(1024)
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, stop.set)
        self.stop = lambda: loop.call_soon_threadsafe(stop.set)
        self.port = listening.getsockname()[1]
        if started:
            started(self.port)
        sweep = asyncio.create_task(self._connections.sweep())
        await stop.wait()
        self._stopping = True
        end = time.monotonic() + self._timeout
        while self.metrics.waiting and time.monotonic() < end:
            await asyncio.sleep(0.02)
        sweep.cancel()
        await runner.cleanup()
        for pool in (*self._pools.values(), self._scribe_pool):
            pool.shutdown(wait=False, cancel_futures=True)
        for scribe in self._scribes:
            scribe.close()


def _connections_at_once(most=1024, others=128):
    """As many as this process may have; it may have all that the system lets it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = most + others
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return max(16, soft - others)
    return most


def main(args=None):
    """The command: python -m weft serve MODEL..."""
    parser = argparse.ArgumentParser(prog="weft serve", description="Serves models by the Open Inference Protocol (KServe v2) over HTTP.")
    parser.add_argument("models", nargs="+", metavar="[NAME=]MODEL", help="what weft.load reads; the name is the file's otherwise")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (127.0.0.1: this machine only)")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--max-body", type=int, default=64 << 20, metavar="BYTES", help="largest request, unpacked (64 MiB)")
    parser.add_argument("--timeout", type=float, default=30.0, metavar="S", help="longest time of a request (30)")
    parser.add_argument("--queue", type=int, default=256, help="requests of one model that may wait or run (256); more are answered 429")
    parser.add_argument("--workers", type=int, default=None, help="requests of one model that run at once (as many as processors)")
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
        server = Server(models, max_body=given.max_body, timeout=given.timeout, queue=given.queue, workers=given.workers, batch=given.batch,
                        max_connections=_connections_at_once())
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
