"""Operators written in Python."""
import os
import signal
import threading
import time
import traceback
import unittest

import numpy as np

import weft


@weft.op("acme::Scale", inputs="x: f32|f64", outputs="y", attrs={"factor": 2.0, "mode": "plain"})
def scale(x, factor, mode):
    """y = factor * x"""
    if mode == "fail":
        raise ValueError(f"mode {mode} of {x.shape}")
    if mode == "wide":
        return np.zeros((7, 7), x.dtype)
    if mode == "type":
        return x.astype(np.int32)
    if mode == "stop":
        raise KeyboardInterrupt
    return x * x.dtype.type(factor)


@weft.op("ScaleShift", inputs="x: f32", outputs="y", attrs={"scale": 1.0, "shift": 0.0})
def scale_shift(x, scale, shift):
    return x * np.float32(scale) + np.float32(shift)


@weft.op("Twice", inputs=["x", "rest*"], outputs=["y", "count"], attrs={"axes": [0], "scale": float})
class Twice:
    """Joins all inputs, twice as long."""

    @staticmethod
    def infer(x, rest, axes, scale):
        n = x.shape[0] * 2
        for other in rest:
            n = n + 2 * other.shape[0]
        return x.like(shape=(n, *x.shape[1:])), weft.Type("i64", ())

    @staticmethod
    def compute(x, rest, axes, scale):
        joined = np.concatenate([x, *rest] * 2) * np.float32(scale)
        return joined, np.int64(len(rest))


@weft.op("Positive", inputs="x", outputs="y")
def positive(x):
    return x[x > 0]


@positive.infer
def _(x):
    return x.like(shape=(None,))


@positive.bound
def _(x):
    n = 1
    for d in x.shape:
        n = d * n
    return x.like(shape=(n,))


def scaled(attrs=""):
    return f'graph "g" {{ input x: f32[n,3] node y: "acme::Scale"(x) {{{attrs}}} -> y output y }}'.encode()


class Using(unittest.TestCase):
    def test_models_of_five_frameworks_find_one(self):
        folder = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "custom_operator")
        for kind in ("onnx", "pt2", "pb", "tflite", "mindir"):
            with self.subTest(kind):
                model = weft.load(os.path.join(folder, "model." + kind))
                np.testing.assert_array_equal(model(np.array([[0.25, 3]], np.float32)), [[0, 5]])

    def test_a_class_may_have_methods(self):
        @weft.op("Cubes", inputs="x: f32", outputs="y")
        class Cubes:
            def __init__(self):
                self.power = 3

            def infer(self, x):
                return x

            def compute(self, x):
                return x ** self.power

        model = weft.load(b'graph "g" { input x: f32[n] node y: Cubes(x) -> y output y }')
        np.testing.assert_array_equal(model(np.float32([1, 2])), [1, 8])

    def test_in_a_graph(self):
        x = np.float32([[1, 2, 3]])
        model = weft.load(scaled())
        self.assertEqual(model(x).tolist(), [[2, 4, 6]])
        self.assertEqual(model.outputs[0].shape, ("n", 3))
        self.assertEqual(weft.load(scaled("factor=0.5"))(x).tolist(), [[0.5, 1, 1.5]])
        self.assertEqual(scale(np.float32([1]), 3, "").tolist(), [3])

    def test_shapes_are_computed_with_names(self):
        model = weft.load(b'graph "g" { input a: f32[n,2] input b: f32[m,2] node y: Twice(a, [b]) {scale=1.0} -> y, k output y output k }')
        self.assertIn(model.outputs[0].shape, [("2*n+2*m", 2), ("2*m+2*n", 2), (None, 2)])
        y, count = model(np.ones((1, 2), np.float32), np.ones((3, 2), np.float32))
        self.assertEqual((y.shape, int(count)), ((8, 2), 1))

    def test_data_decide(self):
        model = weft.load(b'graph "g" { input x: f32[n,3] node p: Positive(x) -> p node y: Neg(p) -> y output y }')
        self.assertEqual(model(np.float32([[1, -2, 3]])).tolist(), [-1, -3])
        self.assertEqual(model(np.float32([[-1, -2, -3]])).tolist(), [])
        self.assertEqual(model(np.ones((5, 3), np.float32)).shape, (15,))

    def test_data_decide_of_another_type(self):
        @weft.op("Places", inputs="x", outputs="i: i64")
        def places(x):
            return np.flatnonzero(x > 0)

        places.infer(lambda x: weft.Type("i64", (None,)))
        places.bound(lambda x: weft.Type("i64", x.shape))
        model = weft.load(b'graph "g" { input x: f32[n] node i: Places(x) -> i output i }')
        self.assertEqual(model(np.float32([0, 1, 2])).tolist(), [1, 2])

    def test_exceptions_come_back(self):
        model = weft.load(scaled('mode="fail"'))
        with self.assertRaises(weft.Error) as e:
            model(np.ones((4, 3), np.float32))
        self.assertIn("ValueError: mode fail of (4, 3)", str(e.exception))
        self.assertIn("acme::Scale", str(e.exception))
        self.assertNotIn("#", str(e.exception))
        self.assertIsInstance(e.exception.__cause__, ValueError)
        self.assertIn("raise ValueError(", "".join(traceback.format_tb(e.exception.__cause__.__traceback__)))
        with self.assertRaises(KeyboardInterrupt):
            weft.load(scaled('mode="stop"'))(np.ones((4, 3), np.float32))

    def test_what_compute_gives_is_compared(self):
        x = np.ones((4, 3), np.float32)
        with self.assertRaisesRegex(weft.Error, r"shape \(7, 7\), infer said \(4, 3\)"):
            weft.load(scaled('mode="wide"'))(x)
        with self.assertRaisesRegex(weft.Error, r"int32, infer said f32"):
            weft.load(scaled('mode="type"'))(x)

    def test_what_compute_gives_where_data_decide(self):
        graph = b'graph "g" { input x: f32[4] node y: Loose(x) -> y output y }'
        x = np.float32([1, 2, 3, 4])
        for give in (lambda x: np.zeros(9, np.float32), lambda x: np.zeros(2, np.int64), lambda x: np.zeros((2, 2), np.float32), lambda x: None,
                     lambda x: "text", lambda x: (x, x)):
            loose = weft.op("Loose", inputs="x", outputs="y")(give)
            loose.infer(lambda x: x.like(shape=(None,)))
            loose.bound(lambda x: x)
            with self.assertRaises(weft.Error):
                weft.load(graph)(x)

    def test_infer_that_fails(self):
        @weft.op("BadInfer", inputs="x", outputs="y")
        def bad(x):
            return x

        graph = b'graph "g" { input x: f32[n,3] node y: BadInfer(x) -> y output y }'
        for wrong in (lambda x: 3, lambda x: None, lambda x: (x, x), lambda x: x.like(shape=(-5,)), lambda x: x.like(shape=("n",)),
                      lambda x: weft.Type("f32", [1] * 99), lambda x: 1 / 0, lambda x: weft.Type("f32", range(x.shape[0]))):
            bad.infer(wrong)
            with self.assertRaises(weft.Error) as e:
                weft.load(graph)
            self.assertIsInstance(e.exception.__cause__, Exception)

    def test_wrong_declarations(self):
        for wrong in (dict(inputs="x y", outputs="y"), dict(inputs="x: f99", outputs="y"), dict(inputs="x", outputs="y", attrs={"a": []}),
                      dict(inputs="x", outputs="y", attrs={"a": object()}), dict(inputs="?", outputs="y")):
            with self.assertRaises((TypeError, ValueError)):
                weft.op("Wrong", **wrong)(lambda x: x)
        with self.assertRaises(TypeError):
            weft.op("Wrong", inputs="x", outputs="y")(type("Nothing", (), {}))

    def test_names_and_signatures(self):
        def never(*given):
            raise AssertionError

        for name, more, function, words in (
                ("Relu", {}, lambda x: x, "mine::Relu"), ("9 x", {}, lambda x: x, "no name of an operator"), ("a::", {}, lambda x: x, "no name"),
                ("Fine", {"inputs": "x y"}, never, "'x, y'"), ("Fine", {}, lambda: 0, "compute.* 1 inputs .x. by position"),
                ("Fine", {"attrs": {"k": 1}}, lambda x: x, r"attributes \(k\)"), ("Fine", {"outputs": "y*"}, lambda x: x, "n_outputs")):
            with self.assertRaisesRegex((TypeError, ValueError), words):
                weft.op(name, **{"inputs": "x", "outputs": "y", **more})(function)
        fine = weft.op("Fine", inputs="x", outputs="y")(lambda x: None)
        with self.assertRaisesRegex(TypeError, "infer"):
            fine.infer(lambda: 0)
        fine = weft.op("Fine", inputs="x", outputs="y")(lambda x: None)
        with self.assertRaisesRegex(weft.Error, "gave None"):
            weft.load(b'graph "g" { input x: f32[2] node y: Fine(x) -> y output y }')(np.ones(2, np.float32))

    def test_arrays_that_compute_keeps(self):
        kept = []

        @weft.op("Keep", inputs="x", outputs="y")
        def keep(x):
            kept.append(x)
            return x

        model = weft.load(b'graph "g" { input x: f32[n] node r: Neg(x) -> r node y: Keep(r) -> y output y }')
        for i in range(3):
            model(np.full(1000, i, np.float32))
        del model
        self.assertEqual([float(k[0]) for k in kept], [0, -1, -2])

    def test_from_many_threads(self):
        model = weft.load(b'graph "g" { input x: f32[n,3] node a: "acme::Scale"(x) -> a node b: Neg(x) -> b '
                          b'node c: "acme::Scale"(b) {factor=3.0} -> c node y: Add(a, c) -> y output y }').compile()
        wrong = []

        def work(k):
            x = np.full((40, 3), k, np.float32)
            for _ in range(100):
                if not (model(x) == -k).all():
                    wrong.append(k)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_an_interrupt_in_compute(self):
        if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            self.skipTest("SIGINT is ignored here, as in a shell's background jobs")

        @weft.op("Sleep", inputs="x", outputs="y", pure=False)
        def sleep(x):
            time.sleep(20)
            return x

        model = weft.load(b'graph "g" { input x: f32[1] node r: Sleep(x) -> r node y: Neg(r) -> y output y }').compile()
        for threads in (1, 2):
            timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            begin = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                model.compile(threads=threads)(np.float32([1]))
            self.assertLess(time.monotonic() - begin, 10)
        self.assertEqual(weft.load(scaled())(np.float32([[1, 2, 3]])).tolist(), [[2, 4, 6]])

    def test_a_model_inside_an_operator(self):
        inner = weft.load(scaled("factor=10.0"))

        @weft.op("Nested", inputs="x", outputs="y")
        def nested(x):
            return inner(x)

        self.assertEqual(weft.load(b'graph "g" { input x: f32[1,3] node y: Nested(x) -> y output y }')(np.float32([[1, 2, 3]])).tolist(),
                         [[10, 20, 30]])

    def test_said_again_it_counts(self):
        for factor in (2, 5):
            @weft.op("Again", inputs="x", outputs="y")
            def again(x, factor=factor):
                return x * np.float32(factor)

            self.assertEqual(weft.load(b'graph "g" { input x: f32[1] node y: Again(x) -> y output y }')(np.float32([1])).tolist(), [factor])


if __name__ == "__main__":
    unittest.main()
# SPDX-License-Identifier: Apache-2.0
