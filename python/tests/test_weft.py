"""What the package promises: python3 -m unittest discover -s python/tests, with the package on PYTHONPATH."""
import asyncio
import gc
import io
import json
import os
import pickle
import signal
import sys
import tempfile
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
FRONTENDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "shared", "data", "frontends")


COUNTER = b"""graph "counter" { const zero: f32[2]{0,0} input x: f32[2] node n: Variable(zero) -> n.y
  node c: AssignAdd(n.y, x) -> now output now }"""


class States(unittest.TestCase):
    def test_a_model_keeps_its_state_from_run_to_run(self):
        m = weft.load(COUNTER)
        x = np.array([1, 2], np.float32)
        self.assertEqual([m(x).tolist() for _ in range(3)], [[1, 2], [2, 4], [3, 6]])
        self.assertEqual(list(m.state), ["n"])
        self.assertEqual(m.state["n"].tolist(), [3, 6])
        m.state["n"] = [10, 20]
        self.assertEqual(m(x).tolist(), [11, 22])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "n.safetensors")
            m.state.save(path)
            m.reset_state()
            self.assertEqual(m(x).tolist(), [1, 2])
            m.state.load(path)
        self.assertEqual(dict(m.state)["n"].tolist(), [11, 22])
        with self.assertRaises(KeyError):
            m.state["m"]
        with self.assertRaises(TypeError):
            del m.state["n"]
        self.assertEqual(repr(m.state), "<weft.State n: f32[2]>")
        self.assertEqual(len(weft.load(DOUBLE).state), 0)
        self.assertEqual(weft.load(COUNTER).state["n"].tolist(), [0, 0])  # another model, another state


class Loading(unittest.TestCase):
    def test_from_bytes_file_and_path(self):
        x = np.ones((1, 3), np.float32)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "g.txt")
            with open(path, "wb") as f:
                f.write(DOUBLE)
            for source in (DOUBLE, bytearray(DOUBLE), io.BytesIO(DOUBLE), path):
                self.assertEqual(weft.load(source)(x).tolist(), [[2, 2, 2]])

    def test_a_program_is_saved_and_loaded(self):
        x = np.ones((1, 3), np.float32)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "g.weft")
            weft.load(DOUBLE).save(path)
            self.assertEqual(weft.load(path)(x).tolist(), [[2, 2, 2]])
            packed = os.path.join(folder, "p.weft")
            product = weft.load(b'graph "g" { input x: f32[n,64] const w: f32[64,256]{0..} node y: MatMulV2(x, w) -> y output y }')
            product.save(path)
            product.save(packed, packed=True, n=32)
            self.assertGreater(os.path.getsize(packed), 1.5 * os.path.getsize(path))
            x = np.ones((32, 64), np.float32)
            self.assertEqual(weft.load(packed)(x).tolist(), product(x).tolist())
        x = np.ones((1, 3), np.float32)
        program = weft.load(DOUBLE).to_bytes()
        self.assertEqual(weft.load(program)(x).tolist(), [[2, 2, 2]])

    def test_a_copied_file_may_be_shortened(self):
        g = weft.Graph()
        g.output(g.input("x", "f32", (1, 1100)) @ np.ones((1100, 1100), np.float32))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "g.weft")
            g.model().save(path)
            self.assertGreater(os.path.getsize(path), 4 << 20)  # mapped otherwise
            model = weft.load(path, copy=True)
            os.truncate(path, 4096)
            self.assertEqual(model(np.ones((1, 1100), np.float32))[0, 0], 1100)
            with self.assertRaises(weft.Error):
                weft.load(path)

    def test_a_mapped_file_that_is_written_to_is_seen(self):
        g = weft.Graph()
        g.output(g.input("x", "f32", (1, 1100)) @ np.ones((1100, 1100), np.float32))
        x = np.ones((1, 1100), np.float32)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("g.weft", "g.onnx"):
                path = os.path.join(folder, name)
                g.save(path)
                model = weft.load(path).compile()  # until then a model's file is read by its name
                self.assertEqual(model(x)[0, 0], 1100)
                bound = model.bind(x)
                os.replace(path, path + ".old")  # another file in its place, by renaming: nothing happens
                g.save(path)
                self.assertEqual(bound.run()[0][0, 0], 1100)
                os.truncate(path + ".old", 4096)
                for call in (lambda: model(x), model.memory, bound.run):
                    with self.assertRaisesRegex(weft.Error, r"written to while the model was in use: \d+ bytes were mapped, it has 4096 now"):
                        call()

    @unittest.skipUnless(os.path.isdir(FRONTENDS), "shared/data/frontends is not there; no models of the frameworks were read")
    def test_models_of_the_frameworks(self):
        for kind, name in (("torch", "model.pt2"), ("tf", "model.tflite"), ("tf", "saved_model"), ("mindspore", "model.mindir")):
            folders = sorted(f for f in os.listdir(os.path.join(FRONTENDS, kind)) if os.path.exists(os.path.join(FRONTENDS, kind, f, name)))
            path = os.path.join(FRONTENDS, kind, folders[0], name)
            with self.subTest(path):
                model = weft.load(path)
                feeds = [np.ones(v.shape, v.dtype) for v in model.inputs]
                want = model.run(feeds)
                for again in (pickle.loads(pickle.dumps(model)), model.simplify(), model.graph.model(), weft.load(model.to_bytes())):
                    for got, value in zip(again.run(feeds), want):
                        np.testing.assert_allclose(got, value, rtol=1e-5)
                self.assertFalse(model.bisect(*feeds))
        folder = os.path.join(FRONTENDS, "tf", folders and sorted(os.listdir(os.path.join(FRONTENDS, "tf")))[0], "saved_model")
        self.assertTrue(weft.load(folder, signature="serving_default").inputs)
        with self.assertRaisesRegex(weft.Error, "serving_default"):
            weft.load(folder, signature="nobody")

    def test_what_a_model_takes(self):
        model = weft.load(DOUBLE)
        self.assertEqual(str(model.inputs[0]), "x: f32[n,3]")
        self.assertEqual(model.inputs[0].shape, ("n", 3))
        self.assertEqual(model.inputs[0].dtype, np.dtype("float32"))
        self.assertIn("x: f32[n,3]", repr(model))

    def test_faults_have_words_and_codes(self):
        with self.assertRaises(FileNotFoundError):
            weft.load("/no/such/model.onnx")
        with self.assertRaisesRegex(TypeError, "3 is no model"):
            weft.load(3)
        with self.assertRaises(weft.Error) as e:
            weft.load(b"nothing that is a model")
        self.assertTrue(e.exception.code.startswith("E_"))
        self.assertIn("ONNX", str(e.exception))

    def test_sizes_are_fixed(self):
        model = weft.load(DOUBLE, dims={"n": 2})
        self.assertEqual(model.compile().inputs[0].shape, (2, 3))
        self.assertEqual(weft.load(DOUBLE, shapes={"x": [5, 3]}).compile().inputs[0].shape, (5, 3))
        with self.assertRaises(KeyError):
            weft.load(DOUBLE, dims={"batch": 2}).compile()
        with self.assertRaises(KeyError):
            weft.load(DOUBLE, shapes={"z": [5, 3]}).compile()

    def test_a_model_is_pickled(self):
        model = pickle.loads(pickle.dumps(weft.load(DOUBLE, threads=1)))
        self.assertEqual(model(np.ones((1, 3), np.float32)).tolist(), [[2, 2, 2]])


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


class Knowing(unittest.TestCase):
    def test_infer(self):
        table = weft.load(DOUBLE).infer(n=4)
        self.assertEqual(table.values["y"].shape, (4, 3))
        self.assertIn("Mul y", str(table))
        self.assertIn("<td>y</td>", table._repr_html_())
        with self.assertRaises(KeyError) as e:
            weft.load(DOUBLE).infer(batch=4)
        self.assertEqual(str(e.exception), "no input of the model has a dim named 'batch', nor is one called so; its open dims: ['n']")

    def test_memory_and_plan(self):
        model = weft.load(DOUBLE)
        self.assertEqual(model.memory(n=4)["outputs"], 48)
        self.assertIn("Mul", model.plan(n=4))
        with self.assertRaisesRegex(weft.Error, r"input x: f32\[n,3\] has no upper bound in dim 0, .*\(n=4\), .*ranges=\{'n': \(1, 64\)\}"):
            model.memory()

    def test_memory_of_a_compiled_program(self):
        source = b'graph "g" { input x: f32[n,m] input z: f32[n,3] node y: Mul(x, x) -> y node w: Neg(z) -> w output y output w }'
        model = weft.load(source)
        program = weft.load(model.to_bytes())
        self.assertEqual(program.memory(n=4, m=5), model.memory(n=4, m=5))
        self.assertEqual(program.memory(shapes={"x": [4, 5], "z": [4, 3]}), model.memory(n=4, m=5))
        self.assertEqual(program.plan(n=4, m=5), model.plan(n=4, m=5))
        for one in (program, model):
            with self.assertRaisesRegex(weft.Error, r"f32\[4,m\] has open dims left: give m, too"):
                one.memory(n=4)
            with self.assertRaisesRegex(KeyError, "'batch'.*[mn]"):
                one.memory(batch=4)
        with self.assertRaisesRegex(KeyError, "no input 'q'; there are x, z"):
            program.memory(shapes={"q": [1]})
        for call in (program.infer, lambda: program.why("y"), lambda: program.nodes, program.text, lambda: program.graph, program.simplify):
            with self.assertRaisesRegex(ValueError, "load the model"):
                call()
        self.assertEqual(weft.load(source, ranges={"n": (1, 8), "m": 3}).memory()["inputs"], 8 * 3 * 4 * 2)

    def test_nodes_why_text_profile(self):
        model = weft.load(DOUBLE)
        self.assertEqual([(n[1], n.type, n.outputs[0].name) for n in model.nodes], [("Mul", "Mul", "y")])
        self.assertIn("x", model.why("y"))
        with self.assertRaises(KeyError):
            model.why("nothing")
        self.assertIn("Mul", model.text("json"))
        self.assertEqual(model.profile(np.ones((1, 3), np.float32))[0][1], "Mul")

    def test_settings(self):
        model = weft.load(DOUBLE)
        self.assertEqual(model.compile(threads=1)(np.ones((1, 3), np.float32)).tolist(), [[2, 2, 2]])
        with self.assertRaises(TypeError):
            model.compile(speed=11)
        with self.assertRaises(weft.Error):
            weft.load(DOUBLE, options={"no-such-pass": 0}).compile()


    def test_ranges(self):
        model = weft.load(DOUBLE, ranges={"n": (1, 8)})
        self.assertEqual((model.inputs[0].least, model.inputs[0].most), ((1, 3), (8, 3)))
        self.assertEqual(model.memory()["inputs"], 8 * 3 * 4)
        self.assertEqual(model(np.ones((2, 3), np.float32)).shape, (2, 3))
        with self.assertRaisesRegex(weft.Error, r"dim 0 is 9, the range is \[1,8\]"):
            model(np.ones((9, 3), np.float32))
        self.assertEqual(weft.load(DOUBLE).compile(ranges={"x": [(2, 4), 3]}).inputs[0].most, (4, 3))
        self.assertEqual(weft.load(DOUBLE, ranges={"n": (2, None)}).inputs[0].least, (2, 3))
        wrong = [({"n": (9, 8)}, ValueError, "empty"), ({"q": (1, 2)}, KeyError, "'q'"), ({"n": ("a", 2)}, TypeError, r"\(1, 64\)"),
                 ({"x": ((1, 4),)}, ValueError, "2 dims"), ({"x": ((1, 4), (5, 6))}, weft.Error, "never in 5..6")]
        for ranges, error, words in wrong:
            with self.assertRaisesRegex(error, words):
                weft.load(DOUBLE, ranges=ranges)

    def test_a_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            table = weft.load(DOUBLE).profile(np.ones((2, 3), np.float32), trace=path)
            with open(path, encoding="utf-8") as f:
                events = json.load(f)["traceEvents"]
        self.assertIn(table[0][0], [e["name"] for e in events])

    def test_simplified(self):
        model = weft.load(b'''graph "g" { input x: f32[n] const a: f32[]{2} const b: f32[]{3}
          node c: Add(a, b) -> c node i: Identity(x) -> i node y: Mul(i, c) -> y output y }''')
        small = model.simplify()
        self.assertEqual([n[1] for n in small.nodes], ["Mul"])
        self.assertEqual(small(np.float32([1])).tolist(), [5])
        g = weft.Graph()
        g.output(g.op("Mul", g.identity(g.input("x", "f32", (2,))), g.const(2.0) + g.const(3.0), name="y"))
        with tempfile.TemporaryDirectory() as folder:
            path, to = os.path.join(folder, "m.onnx"), os.path.join(folder, "s.onnx")
            g.save(path)
            small = weft.load(path).simplify(to)
            self.assertEqual([n[1] for n in small.nodes], ["Mul"])
            self.assertEqual(weft.load(to)(np.float32([1, 2])).tolist(), [5, 10])
        with self.assertRaises(ValueError):
            weft.load(model.to_bytes()).simplify()

    def test_bisected(self):
        model = weft.load(b'graph "g" { input x: f32[n] node r: Relu(x) -> r node y: Exp(r) -> y output y }')
        x = np.float32([1, -2, 3])
        told = []
        same = model.bisect(x, progress=told.append)
        self.assertFalse(same)
        self.assertIn("no difference", repr(same))
        self.assertTrue(told)
        self.assertFalse(model.bisect(x, against=model))
        other = weft.InferenceSession(b'graph "g" { input x: f32[n] node y: Exp(x) -> y output y }')
        self.assertEqual(model.bisect(x, against=other).value, "y")
        found = model.bisect(x, against={"r": np.float32([1, 0, 4]), "y": np.float32([1, 2, 3])})
        self.assertTrue(found)
        self.assertEqual((found.value, found.got, found.want), ("r", 3.0, 4.0))
        self.assertIn("value 'r'", repr(found))
        with self.assertRaises(weft.Error):
            model.bisect(x, against={"nobody": x})
        with self.assertRaises(ZeroDivisionError):
            model.bisect(x, progress=lambda text: 1 / 0)
        with self.assertRaises(TypeError):
            model.bisect(x.astype(np.int32))

    def test_progress(self):
        told = []
        weft.load(DOUBLE, progress=told.append).compile()
        self.assertEqual(told[0], "read")
        self.assertIn("infer", told)
        weft.load(DOUBLE, progress=told.append)(np.ones((1, 3), np.float32))
        self.assertEqual(told[-1], "pack")
        with self.assertRaises(ZeroDivisionError):
            weft.load(DOUBLE, progress=lambda stage: 1 / 0).compile()
        again = pickle.loads(pickle.dumps(weft.load(DOUBLE, progress=lambda stage: None)))
        self.assertEqual(again(np.ones((1, 3), np.float32)).tolist(), [[2, 2, 2]])

    def test_a_terminal_shows_what_takes_long(self):
        @weft.op("Slowly", inputs="x", outputs="y", pure=False)
        def slowly(x):
            time.sleep(0.8)
            return x

        class Terminal(io.StringIO):
            def isatty(self):
                return True

        source, x = b'graph "g" { input x: f32[2] node y: Slowly(x) -> y output y }', np.ones(2, np.float32)
        for progress, words in ((None, r"\r\x1b\[Kweft runs a model: pack \(1 s\)"), (False, "^$"), (lambda stage: None, "^$")):
            before, sys.stderr = sys.stderr, Terminal()
            try:
                model = weft.load(source, progress=progress)
                model(x)
                shown = sys.stderr.getvalue()
            finally:
                sys.stderr = before
            self.assertRegex(shown, words)
            self.assertNotIn("reads", shown)
            self.assertTrue(not shown or shown.endswith("\r\033[K"))

    def test_shown_in_a_notebook(self):
        html = weft.load(SUMS.replace(b"node s: Add", b"node s: Add"))._repr_html_()
        self.assertIn("<td>f32[n]</td>", html)
        self.assertIn("<svg", html)
        self.assertIn("Sub d", html)
        self.assertNotIn("<svg", weft.load(weft.load(SUMS).to_bytes())._repr_html_())


class DropIn(unittest.TestCase):
    def test_inference_session(self):
        options = weft.SessionOptions()
        options.intra_op_num_threads = 1
        session = weft.InferenceSession(SUMS, options, providers=["CPUExecutionProvider"])
        self.assertEqual([(i.name, i.type, i.shape) for i in session.get_inputs()],
                         [("a", "tensor(float)", ["n"]), ("b", "tensor(float)", ["n"])])
        feeds = {"a": np.float32([1]), "b": np.float32([2])}
        self.assertEqual([v.tolist() for v in session.run(None, feeds)], [[3], [-1]])
        self.assertEqual([v.tolist() for v in session.run(["d"], feeds)], [[-1]])

    def test_io_binding(self):
        session = weft.InferenceSession(SUMS)
        binding = session.io_binding()
        binding.bind_cpu_input("a", np.float32([1]))
        binding.bind_cpu_input("b", np.float32([2]))
        binding.bind_output("s")
        session.run_with_iobinding(binding)
        self.assertEqual([v.tolist() for v in binding.copy_outputs_to_cpu()], [[3]])

    def test_the_other_names_of_onnxruntime(self):
        import weft as ort  # the one changed import

        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
        self.assertEqual((ort.get_available_providers(), ort.get_device()), (["CPUExecutionProvider"], "CPU"))
        session = ort.InferenceSession(SUMS, options, providers=ort.get_available_providers())
        a = ort.OrtValue.ortvalue_from_numpy(np.float32([1, 2]))
        b = ort.OrtValue.ortvalue_from_shape_and_type([2], np.float32)
        b.update_inplace([5, 6])
        self.assertEqual((b.shape(), b.data_type(), b.device_name(), b.is_tensor()), ([2], "tensor(float)", "cpu", True))
        self.assertEqual(session.run_with_ort_values(["s"], {"a": a, "b": b}, ort.RunOptions())[0].numpy().tolist(), [6, 8])
        out = np.zeros(2, np.float32)
        binding = session.io_binding()
        binding.bind_ortvalue_input("a", a)
        binding.bind_input("b", "cpu", 0, np.float32, [2], b.data_ptr())
        binding.bind_output("s", "cpu", 0, np.float32, [2], out.ctypes.data)
        session.run_with_iobinding(binding)
        self.assertEqual(out.tolist(), [6, 8])
        with self.assertRaisesRegex(ValueError, "cuda"):
            binding.bind_input("b", "cuda", 0, np.float32, [2], 1)
        for wrong in (lambda: binding.bind_output("z"), lambda: binding.bind_cpu_input("z", out), lambda: session.run(["z"], {"a": a, "b": b})):
            with self.assertRaisesRegex(ValueError, "'z'; there are"):
                wrong()
        self.assertEqual([v.tolist() for v in session.run([], {"a": a, "b": b})], [[6, 8], [-4, -4]])
        self.assertEqual(session.get_provider_options(), {"CPUExecutionProvider": {}})
        told = []
        session.run_async(["s"], {"a": a, "b": b}, lambda *given: told.append(given), "mine")
        session.run_async(["s"], {"a": a}, lambda *given: told.append(given), "lacks")
        for _ in range(500):
            if len(told) == 2:
                break
            time.sleep(0.01)
        told.sort(key=lambda given: given[1])
        self.assertEqual(([], "lacks", True), (*told[0][:2], "'b' is missing" in told[0][2]))
        self.assertEqual(([6, 8], "mine", ""), (told[1][0][0].tolist(), *told[1][1:]))

    def test_all_is_bound(self):
        session = weft.InferenceSession(SUMS)
        binding = session.io_binding()
        a, b, s, d = (weft.OrtValue.ortvalue_from_shape_and_type([2], 1) for _ in range(4))
        self.assertEqual((a.element_type(), a.data_type(), a.tensor_size_in_bytes()), (1, "tensor(float)", 8))
        for name, value in (("a", a), ("b", b)):
            binding.bind_ortvalue_input(name, value)
        for name, value in (("d", d), ("s", s)):
            binding.bind_ortvalue_output(name, value)
        for n in range(3):
            a.update_inplace([n, 1])
            b.update_inplace([10, n])
            session.run_with_iobinding(binding)
            self.assertEqual((s.numpy().tolist(), d.numpy().tolist()), ([n + 10, 1 + n], [n - 10, 1 - n]))
            self.assertEqual([v.tolist() for v in binding.copy_outputs_to_cpu()], [[n - 10, 1 - n], [n + 10, 1 + n]])
        binding.bind_cpu_input("a", np.float32([7, 0, 7, 0])[::2])  # not in C order
        session.run_with_iobinding(binding)
        self.assertEqual(s.numpy().tolist(), [17, 9])
        kept = binding.copy_outputs_to_cpu()
        binding.bind_cpu_input("a", np.float32([0, 0]))
        session.run_with_iobinding(binding)
        self.assertEqual((kept[1].tolist(), s.numpy().tolist()), ([17, 9], [10, 2]))
        binding.clear_binding_outputs()
        binding.bind_output("s")
        session.run_with_iobinding(binding)
        self.assertEqual([v.numpy().tolist() for v in binding.get_outputs()], [[10, 2]])

    def test_notes_profiles_and_files(self):
        g = weft.Graph("noted")
        g.output(g.relu(g.input("x", "f32", ("n",)) + (1 + g.const(1.0)), name="y"))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.onnx")
            g.save(path)
            with open(path, "ab") as f:  # of ModelProto: doc_string, a metadata_props entry
                f.write(b"\x32\x03hey" + b"\x72\x0b\x0a\x05words\x12\x02ab")
            options = weft.SessionOptions()
            options.enable_profiling = True
            options.profile_file_prefix = os.path.join(folder, "p")
            options.optimized_model_filepath = os.path.join(folder, "o.onnx")
            options.graph_optimization_level = weft.GraphOptimizationLevel.ORT_DISABLE_ALL
            session = weft.InferenceSession(path, options)
            meta = session.get_modelmeta()
            self.assertEqual((meta.graph_name, meta.description, meta.custom_metadata_map), ("noted", "hey", {"words": "ab"}))
            self.assertTrue(meta.producer_name)
            x = np.float32([1, -9])
            want = session.run(None, {"x": x})[0].tolist()
            self.assertEqual(weft.InferenceSession(options.optimized_model_filepath).run(None, {"x": x})[0].tolist(), want)
            with open(session.end_profiling(), encoding="utf-8") as f:
                self.assertIn("traceEvents", json.load(f))
            self.assertEqual(session.end_profiling(), "")

    def test_names_that_only_programs_for_onnxruntime_call(self):
        for name in weft._ONNXRUNTIME:
            self.assertTrue(hasattr(weft, name), name)
        self.assertEqual(weft.get_all_providers(), ["CPUExecutionProvider"])
        with self.assertRaisesRegex(NotImplementedError, "weft.op"):
            weft.SessionOptions().register_custom_ops_library("x.so")


if __name__ == "__main__":
    unittest.main()
# SPDX-License-Identifier: Apache-2.0
