"""The examples run, and check what they compute themselves."""
import contextlib
import importlib.util
import io
import os
import unittest

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples")


class Examples(unittest.TestCase):
    def test_each(self):
        for name in sorted(n for n in os.listdir(FOLDER) if n.endswith(".py")):
            with self.subTest(name), contextlib.redirect_stdout(io.StringIO()) as said:
                spec = importlib.util.spec_from_file_location(name[:-3], os.path.join(FOLDER, name))
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                skipped = module.main()
                if skipped:
                    self.skipTest(skipped)
                self.assertTrue(said.getvalue())


if __name__ == "__main__":
    unittest.main()
# SPDX-License-Identifier: Apache-2.0
