"""Calls, bindings, kinds of values, threads, interrupts, limits."""
import asyncio
import collections
import copy
import gc
import io
import os
import pickle
import signal
import sys
import threading
import time
import unittest
import warnings

import numpy as np

import weft

DOUBLE = b'graph "g" { input x: f32[n,3] const two: f32[]{2} node y: Mul(x, two) -> y output y }'
SLOW = b'graph "g" { input x: f32[1,1,1500,1500] const w: f32[1,1,700,700]{0..} node y: Conv(x, w) {} -> y output y }'
MIDDLE = b'graph "g" { input x: f32[1,1,200,200] const w: f32[1,1,100,100]{0..} node y: Conv(x, w) {} -> y output y }'
SUMS = b"""graph "g" { input a: f32[n] input b: f32[n]
  node s: Add(a, b) -> s node d: Sub(a, b) -> d output s output d }"""


class Running(unittest.TestCase):
    def test_by_position_and_by_name(self):
        model = weft.load(SUMS)
        a, b = np.float32([1, 2]), np.float32([3, 5])
        for got in (model(a, b), model(a, b=b), model(b=b, a=a), model.run({"a": a, "b": b}), model.run([a, b])):
            self.assertEqual(got["s"].tolist(), [4, 7])
            self.assertEqual(got[1].tolist(), [-2, -3])
            self.assertEqual(list(got.keys()), ["s", "d"])
        with self.assertRaisesRegex(KeyError, "no output 'z'"):
            got["z"]

    def test_missing_and_unknown_inputs(self):
        model = weft.load(SUMS)
        a = np.float32([1])
        for wrong, words in (((), "missing"), ((a, a, a), "3 are given")):
            with self.assertRaisesRegex(TypeError, words):
                model(*wrong)
        with self.assertRaisesRegex(TypeError, "no input 'c'"):
            model(a, c=a)
        with self.assertRaisesRegex(TypeError, "given twice"):
            model(a, a=a)

    def test_arrays_of_every_kind(self):
        model = weft.load(DOUBLE)
        x = np.arange(12, dtype=np.float32).reshape(4, 3)
        want = (2 * x).tolist()
        for given in (x, x.tolist(), np.asfortranarray(x), x[::1], x.astype(">f4"), memoryview(x)):
            self.assertEqual(model(given).tolist(), want)
        self.assertEqual(model(x[::2]).tolist(), want[::2])
        self.assertEqual(model(x[:, ::-1]).tolist(), (2 * x[:, ::-1]).tolist())
        frozen = x.copy()
        frozen.flags.writeable = False
        self.assertEqual(model(frozen).tolist(), want)
        self.assertEqual(model(x[:0]).shape, (0, 3))

    def test_arrays_of_other_devices_are_refused(self):
        class Elsewhere:
            def __dlpack_device__(self):
                return (2, 0)

            def __dlpack__(self, **more):
                raise BufferError("not here")

        with self.assertRaisesRegex(TypeError, "'x' lies on a CUDA device.*copy it to the CPU"):
            weft.load(DOUBLE)(Elsewhere())

    def test_a_wrong_type_names_the_mending(self):
        with self.assertRaisesRegex(TypeError, r"f64.*takes f32.*astype\('float32'\)"):
            weft.load(DOUBLE)(np.ones((1, 3)))
        with self.assertRaisesRegex(TypeError, "text or objects"):
            weft.load(DOUBLE)(np.array([["a", "b", "c"]]))

    def test_a_wrong_shape_names_both(self):
        with self.assertRaises(weft.Error) as e:
            weft.load(DOUBLE)(np.ones((1, 4), np.float32))
        self.assertEqual(e.exception.code, "E_SHAPE")
        self.assertIn("dim 1 is 4, the graph has 3", str(e.exception))

    def test_out(self):
        model = weft.load(DOUBLE)
        x = np.ones((2, 3), np.float32)
        out = np.zeros((2, 3), np.float32)
        self.assertIs(model(x, out=out), out)
        self.assertEqual(out.tolist(), [[2, 2, 2], [2, 2, 2]])
        with self.assertRaises(weft.Error):
            model(x, out=np.zeros((1, 3), np.float32))
        with self.assertRaises(TypeError):
            model(x, out=np.zeros((2, 3), np.float64))
        with self.assertRaises((BufferError, ValueError)):
            model(x, out=np.zeros((2, 6), np.float32)[:, ::2])
        for larger in ((3, 3), (2, 3, 1), (6,), (2, 4)):
            with self.assertRaisesRegex(ValueError, rf"output 'y' has the shape \(2, 3\), the array given for it \({str(larger)[1:-1]}\)"):
                model(x, out=np.zeros(larger, np.float32))

    def test_what_is_given_wrongly_has_words(self):
        model, x = weft.load(DOUBLE), np.ones((2, 3), np.float32)
        for error, words, call in (
                (ValueError, "'y' is not in C order", lambda: model(x, out=np.zeros((2, 6), np.float32)[:, ::2])),
                (ValueError, "'y' is read-only", lambda: model(x, out=np.frombuffer(bytes(24), np.float32).reshape(2, 3))),
                (TypeError, "'y' is float64, the model gives f32", lambda: model(x, out=np.zeros((2, 3)))),
                (TypeError, "'x' is None", lambda: model(None)), (TypeError, r"model\.run\(feeds\)", lambda: model({"x": x})),
                (TypeError, "open.path, 'rb'", lambda: weft.load(io.StringIO("graph"))), (TypeError, "no model", lambda: weft.load(x)), (TypeError, "NoneType is no model", lambda: weft.load(None)),
                (TypeError, "list is no model", lambda: weft.load([1, 2])),
                (ValueError, "threads=-1", lambda: weft.load(DOUBLE, threads=-1)), (TypeError, "no setting thread; there are threads",
                                                                                    lambda: weft.load(DOUBLE, thread=1))):
            with self.assertRaisesRegex(error, words):
                call()

    def test_outputs_are_pickled_and_copied(self):
        out = weft.load(SUMS)(np.float32([1]), np.float32([2]))
        for again in (pickle.loads(pickle.dumps(out)), copy.copy(out), copy.deepcopy(out)):
            self.assertEqual((type(again), again.names, again["d"].tolist()), (weft.Outputs, ("s", "d"), [-1]))

    def test_feeds_are_a_mapping_or_a_list(self):
        model, x = weft.load(DOUBLE), np.ones((1, 3), np.float32)
        self.assertEqual(model.run(collections.UserDict(x=x))[0].tolist(), [[2, 2, 2]])
        for wrong in (x, 3, None, "x", iter([x])):
            with self.assertRaisesRegex(TypeError, "a dict of inputs by name or a list"):
                model.run(wrong)

    def test_bound(self):
        model = weft.load(DOUBLE)
        x = np.ones((1, 3), np.float32)
        binding = model.bind(x)
        self.assertEqual(binding.run()[0].tolist(), [[2, 2, 2]])
        x[:] = 3
        self.assertEqual(binding()["y"].tolist(), [[6, 6, 6]])
        with self.assertRaisesRegex(TypeError, "contiguous"):
            model.bind(np.ones((3, 1), np.float32).T[:, ::-1])

    def test_bound_where_data_decide(self):
        model = weft.load(b'graph "g" { input x: f32[4] node w: Where(x) -> w output w }')
        x = np.float32([1, 0, 1, 0])
        binding = model.bind(x)
        self.assertEqual(binding.run()[0].tolist(), [[0], [2]])
        for wrong in ([1, 1, 1, 0], [0, 0, 0, 0], [0, 1, 0, 0]):
            x[:] = wrong
            with self.assertRaises((ValueError, weft.Error)):
                binding.run()
        x[:] = [0, 1, 0, 1]
        self.assertEqual(binding.run()[0].tolist(), [[1], [3]])

    def test_a_binding_is_one_threads(self):
        binding = weft.load(SLOW.replace(b"700,700", b"40,40").replace(b"1500,1500", b"300,300"), threads=1).bind(np.ones((1, 1, 300, 300), np.float32))
        said = []

        def work():
            for _ in range(5):
                try:
                    binding.run()
                except weft.Error as e:
                    said.append(e.code)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(set(said) - {"E_STATE"}, set())
        binding.run()

    def test_only_arrays_are_bound(self):
        text = b'graph "g" { input s: str[n] node c: StringConcat(s, s) -> u output u }'
        packed = b'graph "g" { input x: i8[n] node y: Cast(x) {dst_type=29} -> y output y }'
        items = b'graph "g" { input x: f32[n] node y: SeqConstruct([x]) -> y output y }'
        for source, x in ((text, np.array(["a"], object)), (packed, np.int8([1])), (items, np.float32([1]))):
            model = weft.load(source)
            with self.assertRaisesRegex(TypeError, "output '[uy]' is .* only plain arrays can be bound"):
                model.bind(x)

    def test_outputs_outlive_their_model(self):
        y = weft.load(DOUBLE)(np.ones((1000, 3), np.float32))
        gc.collect()
        self.assertEqual(float(y.sum()), 6000)

    def test_text(self):
        model = weft.load(b'graph "g" { input s: str[n] node c: StringConcat(s, s) -> u output u }')
        got = model(np.array(["ab", "", "\u00e4"]))
        self.assertEqual(got.tolist(), ["abab", "", "\u00e4\u00e4"])
        self.assertEqual(model(["x"]).tolist(), ["xx"])

    def test_text_has_as_many_strings_as_its_shape_says(self):
        program = weft.load(b'graph "g" { input s: str[n] node c: StringConcat(s, s) -> u output u }').compile()._program
        for shape, strings in (((1000,), ["a"]), ((0,), ["a"]), ((-1,), ["a"]), ((-1, -1), ["a"]), ((1 << 40, 1 << 40), ["a"]), ((2, 0), ["a"])):
            with self.assertRaises(ValueError):
                program.run((("strings", shape, strings),), None)
        self.assertEqual(program.run((("strings", (0,), []),), None)[0][2], [])

    def test_sequences(self):
        model = weft.load(b'graph "g" { input s: seq(f32) input i: i64[] node t: SeqAt(s, i) -> t output t }')
        self.assertEqual(model([np.float32([1]), np.float32([2, 3])], np.int64(1)).tolist(), [2, 3])
        with self.assertRaisesRegex(TypeError, "a list of arrays|iter"):
            model(3, np.int64(0))

    def test_types_below_a_byte(self):
        model = weft.load(b'graph "g" { input x: i8[n] node y: Cast(x) {dst_type=29} -> y node z: Cast(y) {dst_type=2} -> z output y output z }')
        y, z = model(np.int8([-8, -1, 7]))
        self.assertEqual((y.tolist(), y.dtype, z.tolist()), ([-8, -1, 7], np.dtype("int8"), [-8, -1, 7]))

    def test_scalars_and_halves(self):
        model = weft.load(b'graph "g" { input a: f16[] input b: f16[] node y: Add(a, b) -> y output y }')
        got = model(np.float16(1.5), 2.0)
        self.assertEqual((got.shape, got.dtype, float(got)), ((), np.dtype("float16"), 3.5))

    def test_many_threads_run_one_model(self):
        model = weft.load(DOUBLE).compile()
        wrong = []

        def work(k):
            x = np.full((50, 3), k, np.float32)
            for _ in range(200):
                if model(x).sum() != 300 * k:
                    wrong.append(k)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_nothing_is_lost(self):
        model = weft.load(DOUBLE)
        x = np.ones((1, 3), np.float32)
        counts = sys.getrefcount(x), sys.getrefcount(model)
        for _ in range(2000):
            model(x)
            try:
                model(x[:, :2])
            except weft.Error:
                pass
        self.assertEqual((sys.getrefcount(x), sys.getrefcount(model)), counts)

    def test_an_interrupt_ends_a_run(self):
        if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            self.skipTest("SIGINT is ignored here, as in a shell's background jobs")
        model = weft.load(SLOW, threads=1).compile()
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        begin = time.process_time()  # a busy machine takes none of it
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            model(np.ones((1, 1, 1500, 1500), np.float32))
        self.assertLess(time.process_time() - begin, 5)
        self.assertEqual(weft.load(DOUBLE)(np.ones((1, 3), np.float32)).tolist(), [[2, 2, 2]])

    def test_an_interrupt_ends_a_run_after_asyncio(self):
        """asyncio.run puts handlers of SIGINT in place, and Python's back."""
        weft.load(DOUBLE)(np.ones((1, 3), np.float32))

        async def nothing():
            pass

        asyncio.run(nothing())
        self.test_an_interrupt_ends_a_run()

    def test_a_handler_of_the_programs_own_decides(self):
        before = signal.getsignal(signal.SIGINT)
        if before is not signal.default_int_handler:
            self.skipTest("SIGINT is ignored here, as in a shell's background jobs")
        model, told = weft.load(MIDDLE, threads=1).compile(), []
        x = np.ones((1, 1, 200, 200), np.float32)
        want = model(x)
        signal.signal(signal.SIGINT, lambda number, frame: told.append(number))
        try:
            time.sleep(0.01)  # its next look at the handlers
            for n in range(1, 4):
                timer = threading.Timer(0.005, os.kill, (os.getpid(), signal.SIGINT))
                timer.start()
                while len(told) < n:
                    self.assertTrue(np.array_equal(model(x), want))
                timer.join()
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertEqual(told, [signal.SIGINT] * 3)

    def interrupted_beside_others(self, main, other):
        """Runs `other` in a thread until `main` was interrupted after 0.3 s; what `other` gave or raised."""
        if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            self.skipTest("SIGINT is ignored here, as in a shell's background jobs")
        results, ended = [], threading.Event()

        def work():
            try:
                while not results or not ended.is_set():
                    results.append(other())
            except BaseException as e:
                results.append(e)

        thread = threading.Thread(target=work)
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        begin = time.process_time()  # a busy machine takes none of it
        thread.start()
        timer.start()
        try:
            with self.assertRaises(KeyboardInterrupt):
                main()
        finally:
            took = time.process_time() - begin
            ended.set()
            thread.join()
        return took, results

    def test_an_interrupt_is_not_lost_to_a_busy_thread(self):
        slow = weft.load(SLOW, threads=1).compile()
        quick, x = weft.load(DOUBLE).compile(), np.ones((1, 3), np.float32)
        took, results = self.interrupted_beside_others(lambda: slow(np.ones((1, 1, 1500, 1500), np.float32)), lambda: quick(x).tolist())
        self.assertLess(took, 6)  # of two threads
        self.assertEqual([r for r in results if r != [[2, 2, 2]]], [])

    def test_an_interrupt_of_main_ends_no_other_run(self):
        slow = weft.load(SLOW, threads=1).compile()
        some = weft.load(SLOW.replace(b"700,700", b"40,40").replace(b"1500,1500", b"400,400"), threads=1).compile()
        x = np.ones((1, 1, 400, 400), np.float32)
        want = float(some(x).sum())
        for main in (lambda: slow(np.ones((1, 1, 1500, 1500), np.float32)), lambda: time.sleep(5)):
            _, results = self.interrupted_beside_others(main, lambda: float(some(x).sum()))
            self.assertEqual([r for r in results if r != want], [])

    def test_a_child_runs(self):
        model = weft.load(DOUBLE).compile()
        x = np.ones((1, 3), np.float32)
        model(x)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            child = os.fork()
        if not child:
            ok = model(x).tolist() == [[2, 2, 2]] and weft.load(DOUBLE)(x).tolist() == [[2, 2, 2]]
            os._exit(0 if ok else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)

    def test_limits(self):
        model = weft.load(DOUBLE, memory_limit=1_000_000)
        with self.assertRaises(weft.Error) as e:
            model(np.ones((1_000_000, 3), np.float32))
        self.assertEqual(e.exception.code, "E_LIMIT")


if __name__ == "__main__":
    unittest.main()
# SPDX-License-Identifier: Apache-2.0
