"""The server: the protocol, its limits, and requests that mean no good."""
import asyncio
import gzip
import http.client
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zlib

import numpy as np

import weft

try:
    import aiohttp  # noqa: F401

    from weft.serve import Server
except ImportError:
    raise unittest.SkipTest("aiohttp is not there")

DOUBLE = b'graph "g" { input x: f32[n,3] const two: f32[]{2} node y: Mul(x, two) -> y output y }'
TEXT = b'graph "g" { input s: str[n] node u: StringConcat(s, s) -> u output u }'
MANY = b'graph "g" { input a: i64[n] input b: bool[n] input h: f16[n] node c: Neg(a) -> c node d: LogicalNot(b) -> d node k: Neg(h) -> k output c output d output k }'


@weft.op("Slow", inputs="x", outputs="y", pure=False)
def slow(x):
    time.sleep(float(x.reshape(-1)[0]))
    return x


GATE = threading.Event()


@weft.op("Gated", inputs="x", outputs="y", pure=False)
def gated(x):
    GATE.wait(300)
    return x


class Served(unittest.TestCase):
    options = {}

    def setUp(self):
        models = {"double": weft.load(DOUBLE), "text": weft.load(TEXT), "many": weft.load(MANY),
                  "slow": weft.load(b'graph "g" { input x: f32[1] node y: Slow(x) -> y output y }'),
                  "gated": weft.load(b'graph "g" { input x: f32[1] node y: Gated(x) -> y output y }')}
        models = {k: v for k, v in models.items() if not self.options.get("batch") or k == "double"}
        self.server = Server(models, **{"max_body": 1 << 20, "timeout": 4.0, "idle": 2.0, **self.options})
        ready = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self.server.run(port=0, started=lambda port: ready.set())))
        self.thread.start()
        ready.wait(60)

    def tearDown(self):
        self.server.stop()
        self.thread.join(60)
        self.assertFalse(self.thread.is_alive())

    def ask(self, path, body=None, method=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        try:
            data = json.dumps(body).encode() if isinstance(body, (dict, list)) else body
            connection.request(method or ("GET" if body is None else "POST"), path, data, headers)
            answer = connection.getresponse()
            raw = answer.read()
            return answer.status, json.loads(raw) if answer.headers.get_content_type() == "application/json" else raw
        finally:
            connection.close()

    def infer(self, body, model="double", **headers):
        return self.ask(f"/v2/models/{model}/infer", body, **headers)


def one(data=(1, 2, 3), shape=(1, 3), datatype="FP32", name="x", **more):
    return {"inputs": [{"name": name, "datatype": datatype, "shape": list(shape), "data": data if isinstance(data, str) else list(data), **more}]}


class Protocol(Served):
    def test_what_is_there(self):
        self.assertEqual(self.ask("/v2/health/live"), (200, {"live": True}))
        self.assertEqual(self.ask("/v2/health/ready"), (200, {"ready": True}))
        self.assertEqual(self.ask("/v2/models/double/ready")[0], 200)
        self.assertEqual(self.ask("/v2")[1]["name"], "weft")
        self.assertEqual(self.ask("/v2/models/double/versions/1")[1]["inputs"], [{"name": "x", "datatype": "FP32", "shape": [-1, 3]}])
        self.assertEqual(len(self.ask("/v2/repository/index", {})[1]), 5)

    def test_json(self):
        status, answer = self.infer({"id": "7", **one()})
        self.assertEqual((status, answer["id"], answer["outputs"]), (200, "7", [{"name": "y", "datatype": "FP32", "shape": [1, 3], "data": [2, 4, 6]}]))
        self.assertEqual(self.infer(one([[1, 2, 3], [4, 5, 6]], (2, 3)))[1]["outputs"][0]["data"], [2, 4, 6, 8, 10, 12])
        self.assertEqual(self.infer(one([], (0, 3)))[1]["outputs"][0]["shape"], [0, 3])
        self.assertEqual(self.infer(one(["a", "\u00e4"], (2,), "BYTES", "s"), "text")[1]["outputs"][0]["data"], ["aa", "\u00e4\u00e4"])

    def test_binary(self):
        head = json.dumps({"inputs": [{"name": "a", "datatype": "INT64", "shape": [2], "parameters": {"binary_data_size": 16}},
                                      {"name": "b", "datatype": "BOOL", "shape": [2], "data": [True, False]},
                                      {"name": "h", "datatype": "FP16", "shape": [2], "parameters": {"binary_data_size": 4}}],
                           "outputs": [{"name": "k", "parameters": {"binary_data": True}}, {"name": "c"}]}).encode()
        body = head + np.int64([5, -6]).tobytes() + np.float16([1, 2]).tobytes()
        status, raw = self.infer(body, "many", **{"Inference-Header-Content-Length": str(len(head))})
        self.assertEqual(status, 200)
        self.assertEqual(np.frombuffer(raw[-4:], np.float16).tolist(), [-1, -2])
        outputs = json.loads(raw[:-4])["outputs"]
        self.assertEqual(outputs[1], {"name": "c", "datatype": "INT64", "shape": [2], "data": [-5, 6]})

    def test_wrong_requests_have_words(self):
        deep = b'{"inputs": ' + b"[" * 100000 + b"]" * 100000 + b"}"
        for status, words, body in (
                (400, "no JSON", b"{"), (400, "no JSON", b"\xff\xfe"), (400, "no JSON", deep), (400, "list 'inputs'", b"[]"), (400, "list 'inputs'", b"{}"),
                (400, "'name'", {"inputs": [3]}), (400, "none of the model's", one(name="z")), (400, "missing", {"inputs": []}),
                (400, "given twice", {"inputs": one()["inputs"] * 2}), (400, "takes FP32", one(datatype="FP64")), (400, "takes FP32", one(datatype=[1])),
                (400, "shape", one(shape=(-1, 3))), (400, "shape", one(shape=(1,) * 9)), (400, "shape", one(shape=(True, 3))),
                (400, "elements", one(shape=(1 << 30, 1 << 30))), (400, "3 elements are given", one(shape=(2, 3))), (400, "no element", one([1, 2, "3"])),
                (400, "no element", one([1, 2, None])), (400, "no element", one([1, True, 3])), (400, "mixes", one([[1], 2, 3])),
                (400, "outside", one([1, 2, 1e39])), (400, "outside", one([1, 2, 10**400])), (400, "NaN", b'{"inputs":[{"name":"x","datatype":"FP32","shape":[1,3],"data":[1,2,NaN]}]}'),
                (400, "no list", one(data="abc")), (400, "dim 1 is 4", one([1] * 4, (1, 4))), (400, "no output", {**one(), "outputs": [{"name": "q"}]}),
                (400, "a list", {**one(), "outputs": 3}), (400, "parameter", {**one(), "parameters": {"binary_data_output": 3}}),
                (400, "no object", {**one(), "parameters": []}), (400, "no header", one(parameters={"binary_data_size": 12})),
                (400, "parameter", one(parameters={"binary_data_size": "12"}))):
            got, answer = self.infer(body)
            self.assertEqual((got, type(answer)), (status, dict), body if len(str(body)) < 300 else words)
            self.assertIn(words, answer["error"])
        self.assertEqual(self.infer(one(), "nothing")[0], 404)
        self.assertEqual(self.ask("/v2/models/double/versions/2")[0], 404)
        self.assertEqual(self.ask("/nothing")[0], 404)
        self.assertEqual(self.ask("/v2/models/double/infer")[0], 405)
        self.assertEqual(self.infer(one())[0], 200)

    def test_wrong_binary_requests(self):
        def head(size, shape=(1, 3), datatype="FP32", name="x"):
            return json.dumps({"inputs": [{"name": name, "datatype": datatype, "shape": list(shape), "parameters": {"binary_data_size": size}}]}).encode()

        for h, data, length in ((head(12), b"\0" * 11, None), (head(11), b"\0" * 11, None), (head(-1), b"", None), (head(12), b"\0" * 13, None),
                                (head(12), b"\0" * 12, "99999"), (head(12), b"\0" * 12, "-1"), (head(12), b"\0" * 12, "1e3"), (head(12), b"\0" * 12, "\u00b2"),
                                (head(1 << 62), b"\0" * 12, None)):
            status, answer = self.infer(h + data, **{"Inference-Header-Content-Length": (length or str(len(h))).encode("latin-1")})
            self.assertEqual(status, 400, (h, length))
        for data in (b"\5\0\0\0ab", b"\1\0", b"\xff\xff\xff\xff", b"\1\0\0\0\xff", b""):
            h = head(len(data), (1,), "BYTES", "s")
            status, answer = self.infer(h + data, "text", **{"Inference-Header-Content-Length": str(len(h))})
            self.assertEqual(status, 400, data)
        for n, words in ((1 << 39, "1 elements are given"), (1 << 28, "1 elements are given"), (0, "more than 0 elements are given")):
            h = head(5, (n,), "BYTES", "s")  # the shape alone decides no size
            status, answer = self.infer(h + b"\1\0\0\0a", "text", **{"Inference-Header-Content-Length": str(len(h))})
            self.assertEqual(status, 400)
            self.assertIn(words, answer["error"])

    def test_bodies_that_cannot_be_unpacked(self):
        body = json.dumps(one()).encode()
        self.assertEqual(self.infer(gzip.compress(body), **{"Content-Encoding": "gzip"})[0], 200)
        for how in ("gzip", "deflate"):
            status, answer = self.infer(body, **{"Content-Encoding": how})
            self.assertEqual((status, "error" in answer), (400, True))
        self.assertEqual(self.infer(one())[0], 200)

    def test_packed_bodies(self):
        body = json.dumps(one()).encode()
        packer = zlib.compressobj(wbits=-15)
        for how, data in (("gzip", gzip.compress(body)), ("deflate", zlib.compress(body)), ("deflate", packer.compress(body) + packer.flush()),
                          ("identity", body)):
            self.assertEqual(self.infer(data, **{"Content-Encoding": how})[0], 200)
        for status, how, data in ((415, "br", body), (400, "gzip", gzip.compress(body)[:-9]), (400, "gzip", gzip.compress(body) + b"more"), (400, "gzip", b""),
                                  (400, "deflate", b"")):
            self.assertEqual(self.infer(data, **{"Content-Encoding": how})[0], status, (how, data))

    def test_long_texts(self):
        x = np.arange(30000, dtype=np.float32).reshape(-1, 3)
        status, answer = self.infer(one(x.tolist(), x.shape))
        self.assertEqual((status, answer["outputs"][0]["data"]), (200, (2 * x).ravel().tolist()))
        head = json.dumps({"id": "9", "inputs": [{"name": "x", "datatype": "FP32", "shape": x.shape, "parameters": {"binary_data_size": x.nbytes}}]}).encode()
        status, answer = self.infer(head + x.tobytes(), **{"Inference-Header-Content-Length": str(len(head))})
        self.assertEqual((status, answer["id"], answer["outputs"][0]["data"]), (200, "9", (2 * x).ravel().tolist()))
        texts = [f"\u00e4{i}" for i in range(5000)]
        status, answer = self.infer(one(texts, (5000,), "BYTES", "s"), "text")
        self.assertEqual((status, answer["outputs"][0]["data"]), (200, [2 * t for t in texts]))
        for status, words, body in ((400, "30000 elements are given", one(x.tolist(), (1, 3))), (400, "no JSON", b"[" * 200000), (400, "no JSON", b"{" + b" " * 90000),
                                    (400, "no element", one([*x.ravel().tolist()[1:], "1"], x.shape)), (400, "no output", {**one(x.tolist(), x.shape), "outputs": ["z"]})):
            got, answer = self.infer(body)
            self.assertEqual(got, status)
            self.assertIn(words, answer["error"])

    def test_the_process_that_reads_long_texts_may_end(self):
        x = np.ones((9000, 3), np.float32)
        self.assertEqual(self.infer(one(x.tolist(), x.shape))[0], 200)
        for scribe in self.server._scribes:
            scribe._process.kill()
            scribe._process.wait()
        found = {self.infer(one(x.tolist(), x.shape))[0] for _ in range(4)}
        self.assertLessEqual(found, {200, 503})
        self.assertEqual(self.infer(one(x.tolist(), x.shape))[0], 200)

    def test_texts_of_too_many_elements(self):
        from weft.serve import Refused, decode

        n = (1 << 20) + 1
        head = json.dumps({"inputs": [{"name": "s", "datatype": "BYTES", "shape": [n], "parameters": {"binary_data_size": 4 * n}}]}).encode()
        with self.assertRaisesRegex(Refused, "1048577 elements of text, 1048576 are the most"):
            decode(head + bytes(4 * n), len(head), weft.load(TEXT).inputs)

    def test_requests_one_behind_the_other(self):
        body = json.dumps(one()).encode()
        request = b"POST /v2/models/double/infer HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=20) as s:
            s.sendall(300 * request)
            answers = b""
            while answers.count(b'"data":[2.0,4.0,6.0]') < 300:
                part = s.recv(65536)
                self.assertTrue(part)
                answers += part

    def test_limits(self):
        self.assertEqual(self.infer(b"x" * (2 << 20))[0], 413)
        status, _ = self.infer(gzip.compress(b" " * (64 << 20)), **{"Content-Encoding": "gzip"})
        self.assertIn(status, (400, 413))
        self.assertEqual(self.infer(one([8], (1,)), "slow")[0], 504)
        self.assertEqual(self.infer(one())[0], 200)

    def test_those_who_dribble_are_closed(self):
        sockets = [socket.create_connection(("127.0.0.1", self.server.port)) for _ in range(3)]
        sockets[0].sendall(b"POST /v2/models/double/infer HTTP/1.1\r\nHost: a\r\n")
        sockets[2].sendall(b"POST /v2/models/double/infer HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{")
        begin = time.monotonic()
        for s in sockets:
            s.settimeout(30)  # they are closed after 2 s, later on a busy machine
            try:
                answer = s.recv(1000)
            except ConnectionResetError:
                answer = b""
            self.assertTrue(answer == b"" or b" 408 " in answer.split(b"\r\n")[0], answer)
            s.close()
        self.assertLess(time.monotonic() - begin, 30)

    def test_what_is_no_http(self):
        for data in (b"\0" * 1000, b"GET / HTTP/9.9\r\n\r\n", b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n", b"POST /v2/models/double/infer HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
                     b"POST /v2/models/double/infer HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                     b"POST /v2/models/double/infer HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", b"GET /v2/models/%00%ff/../../etc HTTP/1.1\r\nHost: a\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", self.server.port)) as s:
                s.settimeout(5)
                s.sendall(data)
                answer = s.recv(4000)
                self.assertTrue(answer == b"" or answer.split(b" ")[1][:1] in (b"4", b"5"), answer[:100])
        self.assertEqual(self.infer(one())[0], 200)

    def test_metrics(self):
        self.infer(one())
        self.infer(b"{")
        text = self.ask("/metrics")[1].decode()
        self.assertIn('weft_requests_total{model="double",status="200"} 1', text)
        self.assertIn('weft_requests_total{model="double",status="400"} 1', text)
        self.assertIn('weft_run_seconds_bucket{model="double",le="+Inf"} 1', text)
        self.assertIn("weft_waiting 0", text)

    def test_tritonclient(self):
        try:
            import tritonclient.http as triton
        except ImportError:
            self.skipTest("tritonclient is not there")
        client = triton.InferenceServerClient(f"127.0.0.1:{self.server.port}")
        self.assertTrue(client.is_server_live() and client.is_server_ready() and client.is_model_ready("double"))
        self.assertEqual(client.get_model_metadata("double")["platform"], "weft")
        x = np.random.default_rng(1).random((5, 3), np.float32)
        for binary in (True, False):
            given = triton.InferInput("x", [5, 3], "FP32")
            given.set_data_from_numpy(x, binary_data=binary)
            result = client.infer("double", [given], outputs=[triton.InferRequestedOutput("y", binary_data=binary)], request_id="q")
            np.testing.assert_allclose(result.as_numpy("y"), 2 * x, rtol=1e-6)
            np.testing.assert_allclose(client.infer("double", [given]).as_numpy("y"), 2 * x, rtol=1e-6)
        given = triton.InferInput("s", [2], "BYTES")
        given.set_data_from_numpy(np.array([b"ab", "\u00e4".encode()], dtype=object))
        self.assertEqual([v.decode() for v in client.infer("text", [given]).as_numpy("u")], ["abab", "\u00e4\u00e4"])
        with self.assertRaisesRegex(Exception, "no model"):
            client.infer("nothing", [given])

    def test_kserve(self):
        try:
            import kserve
        except ImportError:
            self.skipTest("the KServe SDK is not there")
        x = np.random.default_rng(2).random((5, 3), np.float32)

        async def talk():
            at = f"http://127.0.0.1:{self.server.port}"
            client = kserve.InferenceRESTClient(kserve.RESTConfig(protocol="v2", retries=1))
            try:
                self.assertTrue(await client.is_server_live(at) and await client.is_server_ready(at))
                self.assertTrue(await client.is_model_ready(at, "double"))
                for binary in (True, False):
                    given = kserve.InferInput("x", list(x.shape), "FP32")
                    given.set_data_from_numpy(x, binary_data=binary)
                    wanted = [kserve.protocol.infer_type.RequestedOutput("y", {"binary_data": binary})]
                    answer = await client.infer(at, kserve.InferRequest("double", [given], request_outputs=wanted), model_name="double")
                    np.testing.assert_allclose(answer.outputs[0].as_numpy(), 2 * x, rtol=1e-6)
                    answer = await client.infer(at, kserve.InferRequest("double", [given]), model_name="double")
                    np.testing.assert_allclose(answer.outputs[0].as_numpy(), 2 * x, rtol=1e-6)
                words = kserve.InferInput("s", [2], "BYTES")
                words.set_data_from_numpy(np.array(["ab", "\u00e4"], dtype=object), binary_data=False)
                answer = await client.infer(at, kserve.InferRequest("text", [words]), model_name="text")
                self.assertEqual(list(answer.outputs[0].as_numpy()), ["abab", "\u00e4\u00e4"])
                with self.assertRaisesRegex(Exception, "404|no model"):
                    await client.infer(at, kserve.InferRequest("nothing", [words]), model_name="nothing")
            finally:
                await client.close()

        asyncio.run(talk())


class Load(Served):
    options = {"queue": 6, "workers": 2}

    def test_too_many_are_refused_and_none_is_lost(self):
        answers = []

        def work():
            answers.append(self.infer(one([0.5], (1,)), "slow")[0])

        threads = [threading.Thread(target=work) for _ in range(12)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(len(answers), 12)
        self.assertEqual(set(answers), {200, 429})
        self.assertGreaterEqual(answers.count(200), 6)


class Crowded(Served):
    """Others that mean no good take nothing from those who ask."""

    options = {"queue": 2, "workers": 1, "max_connections": 24, "timeout": 120.0, "idle": 120.0}

    def others(self, n, data=b""):
        made = [socket.create_connection(("127.0.0.1", self.server.port)) for _ in range(n)]
        for s in made:
            self.addCleanup(s.close)
            s.sendall(data)
        return made

    def infer_request(self, body, model="slow"):
        return f"POST /v2/models/{model}/infer HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body

    def test_silent_ones(self):
        kept = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        for _ in range(8):
            self.others(10)
            kept.request("POST", "/v2/models/double/infer", json.dumps(one()))  # keeps its connection
            self.assertEqual(json.loads(kept.getresponse().read())["outputs"][0]["data"], [2, 4, 6])
            self.assertEqual(self.infer(one())[0], 200)  # and a new one is taken
        kept.close()

    def test_slow_bodies(self):
        self.others(10, b"POST /v2/models/double/infer HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{")
        for _ in range(5):
            self.assertEqual(self.infer(one())[0], 200)

    def test_long_bodies_that_do_not_end(self):
        long = 1000000
        self.others(18, b"POST /v2/models/double/infer HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % long + b" " * (long - 1))
        x = np.ones((60000, 3), np.float32)
        head = json.dumps({"inputs": [{"name": "x", "datatype": "FP32", "shape": x.shape, "parameters": {"binary_data_size": x.nbytes}}],
                           "parameters": {"binary_data_output": True}}).encode()
        for _ in range(3):
            self.assertEqual(self.infer(head + x.tobytes(), **{"Inference-Header-Content-Length": str(len(head))})[0], 200)

    def test_those_who_leave(self):
        for s in self.others(40, self.infer_request(json.dumps(one([0.05], (1,))).encode())):
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            s.close()
        self.assertEqual(self.infer(one())[0], 200)
        end = time.monotonic() + 30
        while self.server._connections._open and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual((len(self.server._connections._open), len(self.server._connections._quiet), self.server._held), (0, 0, 0))

    def test_who_waits_for_a_slow_model_keeps_nobody_waiting(self):
        GATE.clear()
        self.addCleanup(GATE.set)
        first = self.others(1, self.infer_request(json.dumps(one([3], (1,))).encode(), "gated"))[0]  # its thread is taken
        self.waits(1)
        second = self.others(1, self.infer_request(json.dumps(one([3], (1,))).encode(), "gated"))[0]  # and its queue is full
        self.waits(2)
        self.assertEqual(self.infer(one([1], (1,)), "gated")[0], 429)
        for _ in range(5):
            self.assertEqual(self.infer(one())[0], 200)
        second.close()  # it has not run yet, and nobody wants it any more
        self.waits(1)
        GATE.set()
        self.assertIn(b"200", first.recv(1000).split(b"\r\n")[0])
        self.waits(0)
        self.assertIn('weft_run_requests_total{model="gated"} 1', self.server.metrics.text())

    def waits(self, n):
        while self.server._runners["gated"].waiting != n:
            time.sleep(0.01)


class Joined(Served):
    options = {"batch": 8, "workers": 3}

    def test_answers_belong_to_their_requests(self):
        wrong = []

        def work(k):
            connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
            for i in range(60):
                rows = 1 + (k + i) % 3
                data = [float(100 * k + i)] * 3 * rows
                connection.request("POST", "/v2/models/double/infer", json.dumps(one(data, (rows, 3))))
                answer = connection.getresponse()
                body = json.loads(answer.read())
                if answer.status != 200 or body["outputs"][0]["data"] != [2 * v for v in data]:
                    wrong.append((k, i, body))
            connection.close()

        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])
        self.assertIn('weft_run_requests_total{model="double"} 480', self.server.metrics.text())

    def test_a_wrong_one_among_others(self):
        from concurrent.futures import ThreadPoolExecutor

        runner = self.server._runners["double"]
        good = {"x": np.ones((1, 3), np.float32)}
        with ThreadPoolExecutor(4) as pool:
            futures = [runner.submit(good if i % 2 else {"x": np.ones((1, 4), np.float32)}) for i in pool.map(int, range(20))]
        for i, f in enumerate(futures):
            if i % 2:
                self.assertEqual(f.result(5)["y"].tolist(), [[2, 2, 2]])
            else:
                with self.assertRaises(weft.Error):
                    f.result(5)


class Command(unittest.TestCase):
    def test_it_stops_when_what_runs_is_done(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "double.txt")
            with open(path, "wb") as f:
                f.write(DOUBLE)
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
            process = subprocess.Popen([sys.executable, "-m", "weft", "serve", f"d={path}", "--port", "0"], stdout=subprocess.PIPE, env=environment)
            self.addCleanup(process.kill)  # where the test fails before it asks it to stop
            line = process.stdout.readline().decode()
            port = int(line.rsplit(":", 1)[1].split("/")[0])
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("POST", "/v2/models/d/infer", json.dumps(one()))
            self.assertEqual(json.loads(connection.getresponse().read())["outputs"][0]["data"], [2, 4, 6])
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(60), 0)
            process.stdout.close()
            connection.close()

    def test_what_it_refuses_has_words(self):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        for args, words in ((["/no/such.onnx"], b"no file"), ([], b"usage"), (["a=x", "a=y"], b"")):
            done = subprocess.run([sys.executable, "-m", "weft", "serve", *args], capture_output=True, env=environment)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)
            self.assertNotIn(b"Traceback", done.stderr)


del Served  # not a test of its own


if __name__ == "__main__":
    unittest.main()
# SPDX-License-Identifier: Apache-2.0
