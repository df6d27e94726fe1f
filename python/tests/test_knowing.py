"""What a model says of itself before and beside its runs."""
import io
import json
import os
import pickle
import sys
import tempfile
import time
import unittest

import numpy as np

import weft

DOUBLE = b'graph "g" { input x: f32[n,3] const two: f32[]{2} node y: Mul(x, two) -> y output y }'
SUMS = b"""graph "g" { input a: f32[n] input b: f32[n]
  node s: Add(a, b) -> s node d: Sub(a, b) -> d output s output d }"""


class Knowing(unittest.TestCase):
    def test_infer(self):
        table = weft.load(DOUBLE).infer(n=4)
        self.assertEqual(table.values["y"].shape, (4, 3))
        self.assertIn("Mul y", str(table))
        self.assertIn("<td>y</td>", table._repr_html_())
        with self.assertRaises(KeyError) as e:
            weft.load(DOUBLE).infer(batch=4)
        self.assertEqual(str(e.exception), "no input of the model has a dim named 'batch', nor is one called so; its open dims: n")

    def test_sizes_that_are_none_have_words(self):
        model = weft.load(SUMS)
        for error, words, sizes in ((TypeError, "n='a': the size of a dim is a number", {"n": "a"}), (ValueError, "n=-4: .* not negative", {"n": -4}),
                                    (TypeError, "n=True", {"n": True}), (KeyError, "its open dims: n", {"batch": 2})):
            with self.assertRaisesRegex(error, words):
                model.infer(**sizes)
        with self.assertRaisesRegex(weft.Error, "save the graph as text"):
            weft.load(model.text("json").encode())

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
        for name, wrong in (("threads", (-1, 4097, 0.5, None)), ("memory_limit", (-1, 1 << 64, 0.5, "1 MB")),
                            ("time_limit", (-1, float("nan"), float("inf"), None))):
            for value in wrong:
                with self.assertRaisesRegex(ValueError, f"{name}={value!r}: "):
                    weft.load(DOUBLE, **{name: value})
        with self.assertRaisesRegex(TypeError, "a dim is named by its text, not 3"):
            model.compile(dims={3: 4})
        for name in ("dims", "shapes", "ranges", "options"):
            with self.assertRaisesRegex(TypeError, f"{name}=3: a dict by name, as {{'"):
                weft.load(DOUBLE, **{name: 3})
        with self.assertRaises(UnicodeEncodeError):
            weft.load(DOUBLE, signature="\udc80")
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
        with self.assertRaisesRegex(TypeError, "os.PathLike"):  # not the open file of this number
            weft.load(DOUBLE).profile(np.ones((2, 3), np.float32), trace=True)
        with self.assertRaisesRegex(TypeError, "os.PathLike"):
            weft.load(DOUBLE).simplify(True)

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

    def test_a_picture_shows_what_skips_rows(self):
        g = weft.Graph()
        x = g.input("x", "f32", (4,))
        g.output(g.relu(g.sigmoid(x)) + x)
        html = g.model()._repr_html_()
        self.assertEqual((html.count("<path"), html.count("<rect"), html.count(" V")), (5, 5, 2))  # x goes past Sigmoid and Relu


if __name__ == "__main__":
    unittest.main()
# SPDX-License-Identifier: Apache-2.0
