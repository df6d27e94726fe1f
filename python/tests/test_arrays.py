"""Arrays read by their fields and by the buffer protocol: the same of both, and nothing kept. WEFT_LEAK_CALLS: how many calls leaks are
looked for over (100,000 in the long checks)."""
import gc
import os
import sys
import tracemalloc
import unittest

import numpy as np

import weft
from weft import _numpy

CALLS = int(os.environ.get("WEFT_LEAK_CALLS", "3000"))
ADD = b'graph "g" { input a: f32[n] input b: f32[n] node y: Add(a, b) -> y output y }'
TWO = b"""graph "g" { input a: f32[n] input b: f32[n]
  node s: Add(a, b) -> s node d: Sub(a, b) -> d output s output d }"""


class Sub(np.ndarray):
    pass


def resident():
    with open("/proc/self/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE")


class Arrays(unittest.TestCase):
    def tearDown(self):
        _numpy.read_fields()

    def both(self):
        for fields in (True, False):
            with self.subTest(fields=fields):
                self.assertEqual(_numpy.read_fields(fields), fields)
                yield

    def test_every_layout(self):
        unaligned = np.frombuffer(bytearray(b"x" + np.arange(4, dtype=np.float32).tobytes()), np.float32, offset=1)
        read_only = np.arange(4, dtype=np.float32)
        read_only.flags.writeable = False
        layouts = [np.arange(4, dtype=np.float32), np.arange(8, dtype=np.float32)[::2] / 2, np.arange(4, dtype=np.float32)[::-1][::-1],
                   unaligned, read_only, np.arange(4, dtype=">f4"), np.arange(4, dtype=np.float32).view(Sub)]
        for _ in self.both():
            model = weft.load(ADD, threads=1)
            for a in layouts:
                for b in layouts:
                    y = model(a, b)
                    self.assertEqual(y.tolist(), [0, 2, 4, 6])
                    self.assertIs(type(y), np.ndarray)
                    self.assertTrue(y.flags.c_contiguous and y.flags.writeable and y.flags.aligned)

    def test_no_elements_and_no_dims(self):
        for _ in self.both():
            model = weft.load(ADD, threads=1)
            self.assertEqual(model(np.zeros(0, np.float32), np.zeros(0, np.float32)).shape, (0,))
            scalar = weft.load(b'graph "g" { input x: f32[] node y: Neg(x) -> y output y }', threads=1)
            self.assertEqual(scalar(np.float32(2)), -2)
            self.assertEqual(scalar(np.array(2, np.float32)).shape, ())

    def test_wrong_arrays_have_words(self):
        right = np.ones(4, np.float32)
        for _ in self.both():
            model = weft.load(ADD, threads=1)
            for wrong, what in ((np.ones(4), "astype"), (np.ones(4, np.int32), "astype"), (np.array(["a"]), "text")):
                with self.assertRaisesRegex(TypeError, what):
                    model(wrong, right)
            with self.assertRaisesRegex(weft.Error, "'b'"):
                model(right, np.ones(3, np.float32))
            with self.assertRaisesRegex(ValueError, "26 dims"):
                model(right, np.ones((1,) * 26, np.float32)[..., :1])
            with self.assertRaisesRegex(TypeError, "missing"):
                model(right)
            with self.assertRaisesRegex(TypeError, "2 inputs"):
                model(right, right, right)

    def test_a_binding_keeps_its_inputs(self):
        for _ in self.both():
            bound = weft.load(ADD, threads=1).bind(np.full(1000, 3, np.float32), np.full(1000, 4, np.float32))
            gc.collect()
            np.full(1000, 9, np.float32)  # where freed memory would be
            self.assertEqual(bound.run()[0].tolist(), [7] * 1000)

    def test_outputs_keep_their_memory(self):
        for _ in self.both():
            model = weft.load(ADD, threads=1)
            kept = [model(np.full(64, i, np.float32), np.zeros(64, np.float32))[1:] for i in range(50)]
            del model
            gc.collect()
            self.assertEqual([y[0] for y in kept], list(range(50)))

    def test_a_model_is_called_as_a_function_is(self):
        class Mine(weft.Model):
            def __call__(self, *args):
                return super().__call__(*args) + 1

        x = np.ones(4, np.float32)
        self.assertEqual(Mine(ADD, threads=1)(x, x).tolist(), [3] * 4)
        model = weft.load(ADD, threads=1)
        self.assertEqual(list(map(lambda a: model(a, b=x)[0], [x, x])), [2, 2])
        self.assertTrue(callable(model))
        with self.assertRaises(AttributeError):
            weft.Model.__new__(weft.Model)(x)

    def test_nothing_is_kept(self):
        x = np.ones(4, np.float32)
        out = np.empty(4, np.float32)
        one, two = weft.load(ADD, threads=1).compile(), weft.load(TWO, threads=1).compile()
        bound = one.bind(x, x)

        def wrong():
            try:
                one(x, np.ones(3, np.float32))
            except weft.Error:
                pass

        calls = [lambda: one(x, x), lambda: one(x, b=x), lambda: one(x, x, out=out), lambda: one.run({"a": x, "b": [1, 2, 3, 4]}),
                 lambda: two(x, x)["d"], bound.run, wrong]
        for call in calls:
            for _ in range(200):
                call()
        for call in calls:
            gc.collect()
            references, before = sys.getrefcount(x), resident()
            tracemalloc.start()
            call()
            held = tracemalloc.get_traced_memory()[0]
            for _ in range(CALLS):
                call()
            gc.collect()  # exceptions and their frames go round in circles
            grown = tracemalloc.get_traced_memory()[0] - held
            tracemalloc.stop()
            self.assertEqual(sys.getrefcount(x), references, call)
            self.assertLess(grown, CALLS // 2 + (1 << 17), calls.index(call))  # what is made once may be kept
            if "asan" not in os.environ.get("LD_PRELOAD", ""):  # which keeps what was freed for a while
                self.assertLess(resident() - before, 40 * CALLS + (4 << 20))


if __name__ == "__main__":
    unittest.main()
# SPDX-License-Identifier: Apache-2.0
