"""docs/python.md as a new user reads it: each block of Python, one after the other, in an empty folder with a model."""
import contextlib
import importlib.util
import io
import os
import re
import tempfile
import unittest

import numpy as np

import weft

PAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "docs", "python.md")
ELSEWHERE = {"torch.compile": "test_torch runs it", "ray.data": "examples/ray runs it", "dask.": "test_engines runs it", 'sys.modules["onnxruntime"]': "test_session"}


def write_model():
    g = weft.Graph()
    y = g.relu(g.input("x", "f32", ("batch", 4)) @ np.ones((4, 3), np.float32) + 1)
    g.output(g.softmax_v2(y, axes=[-1], name="scores"))
    g.save("model.onnx")


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        write_model()

    def test_each_block(self):
        with open(PAGE, encoding="utf-8") as f:
            blocks = re.findall(r"```python\n(.*?)```", f.read(), re.S)
        names, ran, said = {"x": np.ones((4, 4), np.float32), "session": None}, 0, io.StringIO()
        for block in blocks:
            if any(word in block for word in ELSEWHERE):
                continue
            with self.subTest(block.split("\n")[0]), contextlib.redirect_stdout(said):
                exec(block, names)
                names["x"] = np.ones((4, 4), np.float32)  # a block's graph has an x of its own
                ran += 1
        self.assertEqual(ran, 5)
        self.assertEqual(names["y"].shape, ("batch", 3))
        self.assertIn("no difference", said.getvalue())
        for printed in re.findall(r"print\(.*\)    # (.*)", "".join(blocks)):
            self.assertIn(printed, said.getvalue())
        self.assertTrue(os.path.exists("model.weft") and os.path.exists("t.json") and os.path.exists("small.onnx"))

    @unittest.skipUnless(importlib.util.find_spec("onnx"), "onnx is not installed; small.onnx of the page was not checked")
    def test_what_is_saved_is_onnx(self):
        import onnx

        weft.load("model.onnx").simplify("small.onnx")
        onnx.checker.check_model("small.onnx", full_check=True)


if __name__ == "__main__":
    unittest.main()
# SPDX-License-Identifier: Apache-2.0
