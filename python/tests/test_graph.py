"""Graphs built, changed and saved in Python."""
import ast
import importlib.util
import inspect
import os
import tempfile
import unittest

import numpy as np

import weft


@weft.op("acme::Shift", inputs="x", outputs="y", attrs={"by": 1.0})
def shift(x, by):
    """y = x + by"""
    return x + np.float32(by)


@weft.op("acme.more::Shift", inputs="x", outputs="y")
def shift_more(x):
    return x + np.float32(100)


def g_const(g, name):
    return g.const(np.float32(1), name=name)


class Building(unittest.TestCase):
    def test_constants_have_names_of_their_own(self):
        g = weft.Graph()
        x = g.input("const_3", "f32", (2,))
        g.output(g.relu(g.add(x, np.float32([1, 2]), name="const_5") * 2.0))
        read = g.model().graph  # whose constants have such names already
        y = read.outputs[0]
        y = y + g_const(read, "const_20") + 3.0
        read.output(y)
        self.assertEqual(read.model()(np.float32([1, -9]))[1].tolist(), [8, 4])

    def test_a_first_graph(self):
        g = weft.Graph("mlp")
        x = g.input("x", "f32", ("n", 4))
        w = np.arange(8, dtype=np.float32).reshape(4, 2)
        y = g.relu(x @ w - 10, name="y")
        self.assertEqual((y.name, y.dtype, y.shape), ("y", "f32", ("n", 2)))
        g.output(y)
        x = np.ones((3, 4), np.float32)
        self.assertEqual(g.model()(x).tolist(), np.maximum(x @ w - 10, 0).tolist())
        self.assertEqual(weft.load(g)(x).tolist(), np.maximum(x @ w - 10, 0).tolist())
        self.assertIn("Relu(", repr(g))
        self.assertIn("<td>Relu</td>", g._repr_html_())

    def test_several_outputs_and_ports_of_any_number(self):
        g = weft.Graph()
        x = g.input("x", "f32", (6,))
        values, indices = g.top_k_v2(x, np.int32(2))
        a, b, c = g.split(np.int32(0), x, num_split=3, outputs=3)
        joined = g.concat_v2([c, a], np.int32(0), N=2)
        g.output(values, indices, joined, b)
        got = g.model()(np.float32([5, 1, 4, 9, 2, 8]))
        self.assertEqual([v.tolist() for v in got], [[9, 8], [3, 5], [2, 8, 5, 1], [4, 9]])

    def test_an_attribute_may_be_called_type(self):
        g = weft.Graph()
        x = g.input("x", "f32", (1,))
        g.output(g.bitcast(x, type="i32"), g.op("Bitcast", x, type="u32"))
        self.assertEqual([y.tolist() for y in g.model()(np.float32([1]))], [[0x3F800000], [0x3F800000]])

    def test_signatures_come_from_prototypes(self):
        g = weft.Graph()
        self.assertEqual(str(inspect.signature(g.relu)), "(x)")
        signature = inspect.signature(g.conv2d)
        self.assertEqual(list(signature.parameters)[:3], ["x", "filter", "bias"])
        self.assertIs(signature.parameters["strides"].default, inspect.Parameter.empty)
        self.assertIn("2-D convolution", g.conv2d.__doc__)
        self.assertIn("one of NHWC|NCHW", g.conv2d.__doc__)
        for name in ("relu", "conv2d", "batch_mat_mul_v2", "soft_max_v2", "softmax_v2", "layer_norm"):
            self.assertTrue(callable(getattr(g, name)))
        self.assertIn("softmax_v2", dir(g))
        self.assertIn("Relu", weft.operators())
        self.assertEqual(weft.prototype("Relu").summary, "y = max(x, 0)")

    def test_mistakes_are_errors_where_they_are_made(self):
        g = weft.Graph()
        x = g.input("x", "f32", ("n", 4))
        for wrong, error, words in (
                (lambda: g.relu(), TypeError, "input 'x' is missing"), (lambda: g.relu(x, x), TypeError, "takes 1 inputs"),
                (lambda: g.relu(x, alpha=1), TypeError, "neither an input nor an attribute 'alpha'"),
                (lambda: g.nothing(x), AttributeError, "no operator 'nothing'"),
                (lambda: g.input("w", "f32", "n"), TypeError, "the shape of input 'w' is 'n': a tuple"), (lambda: g.input("w", "f32", 4), TypeError, "is 4: a tuple"),
                (lambda: g.reluu(x), AttributeError, "no operator 'reluu'; did you mean relu"), (lambda: g.op("Rellu", x), weft.Error, "Relu"),
                (lambda: g.conv2d(x, x), TypeError, "attribute 'strides' is missing"),
                (lambda: g.input("x", "f32", (1,)), weft.Error, "x"), (lambda: g.input("z", "f99"), TypeError, "no type"),
                (lambda: g.input("z", "f32", (-3,)), weft.Error, ""), (lambda: g.input("z", "f32", [1] * 99), ValueError, "99 dims"),
                (lambda: x + np.ones((3,), np.float32), weft.Error, "3"), (lambda: weft.Graph().relu(x), ValueError, "another graph"),
                (lambda: g.relu("x"), Exception, ""), (lambda: bool(x), TypeError, "no value"), (lambda: g.output(3), TypeError, "no Tensor"),
                (lambda: g.softmax_v2(x, axes=[7]), weft.Error, "7"), (lambda: g.softmax_v2(x, axes="text"), Exception, ""),
                (lambda: g["nothing"], KeyError, "nothing")):
            g = weft.Graph()
            x = g.input("x", "f32", ("n", 4))
            with self.assertRaisesRegex(error, words):
                wrong()

    def test_a_mistake_leaves_the_graph_as_it_was(self):
        g = weft.Graph()
        x = g.input("x", "f32", (2, 3))
        for wrong in (lambda: g.softmax_v2(x, axes=[7]), lambda: g.softmax_v2(x, axes="a"), lambda: x @ np.ones((2, 2), np.float32),
                      lambda: x + np.ones(5, np.float32), lambda: g.relu(g.const(["a"]))):
            with self.assertRaises(weft.Error):
                wrong()
        self.assertEqual(g.nodes, [])
        g.output(g.relu(x))
        self.assertEqual(g.model()(np.ones((2, 3), np.float32)).tolist(), np.ones((2, 3)).tolist())

    def test_tensors_are_used_as_arrays(self):
        data = np.arange(-12, 12, dtype=np.float32).reshape(2, 3, 4)
        cases = [lambda x: x[0], lambda x: x[-1, 1:], lambda x: x[..., None, ::2], lambda x: x[:, ::-1, 1], lambda x: x[1, 2, 3], lambda x: x[:, :0],
                 lambda x: x.reshape(4, -1), lambda x: x.reshape((24,)), lambda x: x.transpose(2, 0, 1), lambda x: x.T, lambda x: x.sum(),
                 lambda x: x.sum(axis=1), lambda x: x.mean(axis=(0, 2), keepdims=True), lambda x: x.max(axis=-1), lambda x: x.min(),
                 lambda x: x.astype("int32"), lambda x: x.astype(np.float64), lambda x: abs(x), lambda x: x % 3, lambda x: x // 5, lambda x: 7 % (x + 13),
                 lambda x: 7 // (x + 13), lambda x: 2 ** x, lambda x: np.exp(x), lambda x: np.maximum(x, 2), lambda x: np.float32(2) * x, lambda x: -x,
                 lambda x: np.ones((4, 3), np.float32) - np.swapaxes(x, 0, 0)[0].T if isinstance(x, np.ndarray) else np.ones((4, 3), np.float32) - x[0].T]
        for n, case in enumerate(cases):
            g = weft.Graph()
            x = g.input("x", "f32", data.shape)
            y = case(x)
            g.output(y)
            want = np.asarray(case(data))
            self.assertEqual(y.shape, want.shape, n)
            got = g.model()(data)
            self.assertEqual((got.dtype, got.shape), (want.dtype, want.shape), n)
            np.testing.assert_allclose(got, want, rtol=1e-5, err_msg=str(n))
        g = weft.Graph()
        x = g.input("x", "f32", (2, "n"))
        self.assertEqual((x.ndim, len(x), x == g["x"], x != g.relu(x), hash(x) == hash(g["x"]), x is None), (2, 2, True, True, True, False))
        for wrong in (lambda: x[[0, 1]], lambda: list(x), lambda: np.unique(x), lambda: np.add.reduce(x), lambda: x == 1, lambda: x[x > 1],
                      lambda: len(x.T), lambda: bool(x)):
            with self.assertRaisesRegex(TypeError, "while the graph is built|indexed by"):
                wrong()

    def test_operators_of_python(self):
        g = weft.Graph()
        x = g.input("x", "f32", ("n",))
        g.output(g.op(shift, x, by=2.5), g.acme_shift(x))
        got = g.model()(np.float32([1]))
        self.assertEqual([v.tolist() for v in got], [[3.5], [2]])

    def test_walked_and_changed(self):
        model = weft.load(b'graph "g" { input x: f32[n,3] node r: Relu(x) -> r node y: SoftmaxV2(r) {axes=[1]} -> y output y }')
        g = model.graph
        self.assertEqual([(n.name, n.type) for n in g.nodes], [("r", "Relu"), ("y", "SoftmaxV2")])
        self.assertEqual(g.nodes[1].attrs["axes"], [1])
        g.set("y", axes=[0])
        g.replace(g["r"], g.neg(g["x"]))
        g.remove("r")
        x = np.float32([[1, -2, 3]])
        self.assertEqual(g.model()(x).tolist(), [[1, 1, 1]])
        self.assertEqual([n.type for n in g.nodes if n.type != "SoftmaxV2"], ["Neg"])
        with self.assertRaisesRegex(weft.Error, "used|uses"):
            g.remove(g.nodes[0])
        with self.assertRaises(KeyError):
            g.set("nothing", axes=[0])
        self.assertEqual(model(x).shape, (1, 3))  # the model's own graph did not change

    def test_saved(self):
        g = weft.Graph()
        x = g.input("x", "f32", ("n", 3))
        h = g.softmax_v2(g.relu(x) * 2, axes=[-1]) @ g.const(np.eye(3, dtype=np.float32))
        g.output(g.op("acme::Shift", g.leaky_relu(h, negative_slope=0.5), by=4.0, name="y"))
        x = np.float32([[1, -2, 3]])
        want = g.model()(x)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("g.onnx", "g.txt", "g.bin", "g.weft"):
                path = os.path.join(folder, name)
                g.save(path)
                with self.subTest(name):
                    np.testing.assert_allclose(weft.load(path)(x), want, rtol=1e-6)
                    self.assertEqual(weft.load(path).outputs[0].name, "y")
            g.save(os.path.join(folder, "g.dot"))

    def test_onnx_has_its_own_names(self):
        g = weft.Graph()
        x = g.input("x", "f32", ("n", 2, 3))
        parts = [x.transpose(0, 2, 1).reshape(-1, 6), x.sum(axis=(1, 2), keepdims=True).reshape(-1, 1), x.mean(axis=-1), x.max(axis=1), x.min(axis=(1,))]
        y = g.concat_d(parts, concat_dim=1, N=len(parts))
        g.output(y.astype("f64"), np.maximum(np.exp(-y), 2))
        x = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "g.onnx")
            g.save(path)
            model = weft.load(path)
            self.assertEqual(model.metadata["onnx.opset"], "21")  # no domain of weft's
            for got, want in zip(model(x), g.model()(x)):
                self.assertEqual((got.dtype, got.tolist()), (want.dtype, want.tolist()))

    def test_networks_have_onnx_own_names(self):
        g = weft.Graph()
        x = g.input("x", "f32", ("n", 3, 8, 8))
        rng = np.random.default_rng(0)
        y = g.conv2d(x, rng.random((4, 3, 3, 3), np.float32), strides=[1, 1, 1, 1], pads=[1, 1, 1, 1], data_format="NCHW")
        y = g.max_pool(g.relu(y), ksize=[1, 1, 2, 2], strides=[1, 1, 2, 2], padding="VALID", data_format="NCHW")
        y = g.exp(y[:, 1:, ::2] - 40, base=2.0)  # ONNX has no base
        g.output(y.reshape(-1, 24) @ rng.random((24, 5), np.float32))
        x = rng.random((2, 3, 8, 8), np.float32)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "g.onnx")
            g.save(path)
            want = g.model()(x)
            self.assertEqual(weft.load(path).metadata["onnx.opset"], "21")
            np.testing.assert_allclose(weft.load(path)(x), want, rtol=1e-5)
            if importlib.util.find_spec("onnx"):
                import onnx

                onnx.checker.check_model(path, full_check=True)
            if importlib.util.find_spec("onnxruntime"):
                import onnxruntime

                np.testing.assert_allclose(onnxruntime.InferenceSession(path).run(None, {"x": x})[0], want, rtol=1e-4)

    def test_slices_have_onnx_own_names(self):
        x = np.arange(120, dtype=np.float32).reshape(2, 3, 4, 5)
        cuts = [np.s_[1:], np.s_[:, ::-1], np.s_[..., 1:4:2], np.s_[1], np.s_[-1], np.s_[:, -1, None, :2], np.s_[None, ..., None], np.s_[...], np.s_[:],
                np.s_[0, ..., -2], np.s_[:, 2:0:-1, 1:-1], np.s_[-5:9, :, 3:1], np.s_[..., ::-2], np.s_[None, 1, None, ..., 3]]
        for cut in cuts:
            g = weft.Graph()
            g.output(g.input("x", "f32", ("n", 3, 4, 5))[cut] * 1)
            data = g._c
            g._infer()
            model = weft.load(data.onnx())
            with self.subTest(cut):
                self.assertEqual(model.metadata["onnx.opset"], "21")
                np.testing.assert_array_equal(model(x), x[cut])
                if importlib.util.find_spec("onnxruntime"):
                    import onnxruntime

                    np.testing.assert_array_equal(onnxruntime.InferenceSession(data.onnx()).run(None, {"x": x})[0], x[cut])

    def test_saved_as_onnx_with_text_small_types_and_domains(self):
        g = weft.Graph()
        x, s = g.input("x", "f32", (4,)), g.input("s", "str", (2,))
        codes = g.cast(g.const(np.int8([-8, 1, 2, 7]), "i4"), dst_type="f32")
        g.output(g.op("acme::Shift", x + codes, by=1.0), g.string_concat(s, g.const(np.array(["a", "b"]))), g.op(shift_more, x))
        feeds = np.float32([1, 2, 3, 4]), np.array(["x", "y"])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "g.onnx")
            g.save(path)
            for got, want in zip(weft.load(path)(*feeds), g.model()(*feeds)):
                self.assertEqual(got.tolist(), want.tolist())
            if importlib.util.find_spec("onnx"):
                import onnx

                self.assertEqual([(o.domain, o.version) for o in onnx.load(path).opset_import], [("", 21), ("acme", 1), ("acme.more", 1)])

    def test_constants(self):
        g = weft.Graph()
        c = g.const(np.float16([1, 2]))
        self.assertEqual((c.dtype, c.shape, c.numpy().tolist()), ("f16", (2,), [1, 2]))
        self.assertEqual(g.const(3).dtype, "i64")
        self.assertEqual(g.const([1.5, 2]).dtype, "f32")
        self.assertEqual(g.const(["a", "b"]).numpy().tolist(), ["a", "b"])
        self.assertEqual(g.const([1, 2], "i32").dtype, "i32")
        self.assertIsNone(g.input("x").numpy())

    def test_operators_without_outputs(self):
        g = weft.Graph()
        x = g.input("x", "bool", (1,))
        self.assertEqual(g.op("Assert", x, [x], name="a"), ())
        self.assertEqual([n.name for n in g.nodes], ["a"])
        with self.assertRaisesRegex(weft.Error, "expected bool"):
            g.op("Assert", "text", [x])
        self.assertEqual([n.name for n in g.nodes], ["a"])  # as it was before
        for outputs in (0, -1, 65537, "2"):
            with self.assertRaisesRegex(ValueError, "outputs="):
                g.split(x, x, num_split=1, outputs=outputs)
        with self.assertRaisesRegex(TypeError, "goes deeper"):
            g.transpose_d(x, perm=[[[[0]]]])

    def test_a_graph_is_not_changed_while_it_is_inferred(self):
        told, built = [], weft.Graph()

        @weft.op("LooksBack", inputs="x", outputs="y")
        def looks_back(x):
            return x

        @looks_back.infer
        def _(x):
            for call in (built._c.nodes, lambda: built._c.remove("r"), lambda: built._c.infer({}, {}), built._c.to_bytes, lambda: repr(built)):
                try:
                    call()
                except weft.Error as e:
                    told.append(e.code)
            return x

        built.__init__()  # an environment that knows the operator
        x = built.input("x", "f32", (2,))
        r = built.relu(x, name="r")
        built.output(built.op("LooksBack", r, name="y"))
        self.assertEqual(set(told), {"E_STATE"})
        self.assertEqual([n.name for n in built.nodes], ["r", "y"])

    def test_laws_hold_the_examples(self):
        @weft.op("LawfulShift", inputs="x: f32", outputs="y", examples=["f32[2]{1,2} -> f32[2]{2,3}"])
        def lawful(x):
            return x + np.float32(1)

        self.assertEqual(weft.check_operator(lawful), [])

        with self.assertRaisesRegex(ValueError, "'acme::Shift' has no examples.*examples="):
            weft.check_operator(shift)

        @weft.op("LawlessShift", inputs="x: f32", outputs="y", examples=["f32[2]{1,2} -> f32[2]{2,4}"])
        def lawless(x):
            return x + np.float32(1)

        self.assertNotEqual(weft.check_operator("LawlessShift"), [])


class Stubs(unittest.TestCase):
    def test_they_name_what_is_public(self):
        """Whole functions are compared by mypy's stubtest (docs/python.md); here, that nothing is missing."""
        path = os.path.join(os.path.dirname(weft.__file__), "__init__.pyi")
        with open(path, encoding="utf-8") as f:
            tree = ast.parse(f.read())
        stubs = {n.name: n for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
        self.assertEqual(sorted(n for n in stubs if not n.startswith("_")), sorted([*weft.__all__, *weft._ONNXRUNTIME]))
        for name, stub in stubs.items():
            if not isinstance(stub, ast.ClassDef):
                continue
            said = {n.name for n in stub.body if isinstance(n, ast.FunctionDef)} | {n.target.id for n in stub.body if isinstance(n, ast.AnnAssign)}
            there = {n for n, v in vars(getattr(weft, name)).items() if not n.startswith("_") and (callable(v) or isinstance(v, (property, classmethod, staticmethod)))}
            self.assertEqual(there - said, set(), name)


if __name__ == "__main__":
    unittest.main()
# SPDX-License-Identifier: Apache-2.0
