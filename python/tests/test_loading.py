"""Models from where they come, what they keep, how they are saved."""
import io
import os
import pickle
import tempfile
import unittest

import numpy as np

import weft

DOUBLE = b'graph "g" { input x: f32[n,3] const two: f32[]{2} node y: Mul(x, two) -> y output y }'
COUNTER = b"""graph "counter" { const zero: f32[2]{0,0} input x: f32[2] node n: Variable(zero) -> n.y
  node c: AssignAdd(n.y, x) -> now output now }"""
FRONTENDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "shared", "data", "frontends")


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
        with self.assertRaisesRegex(KeyError, "no state 'm'; there are n"):
            m.state["m"]
        with self.assertRaises(TypeError):
            del m.state["n"]
        self.assertEqual(repr(m.state), "<weft.State n: f32[2]>")
        self.assertEqual(len(weft.load(DOUBLE).state), 0)
        self.assertEqual(weft.load(COUNTER).state["n"].tolist(), [0, 0])  # another model, another state


if __name__ == "__main__":
    unittest.main()
# SPDX-License-Identifier: Apache-2.0
