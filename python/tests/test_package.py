"""What the sdist packs."""
import ast
import os
import re
import unittest

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Sdist(unittest.TestCase):
    def test_it_has_each_folder_that_the_build_reads(self):
        """A folder that is missing is no error of CMake's, which globs: operators would be missing from the wheel."""
        with open(os.path.join(TREE, "python", "backend", "weft_build.py"), encoding="utf-8") as f:
            said = next(n.value for n in ast.parse(f.read()).body if isinstance(n, ast.Assign) and n.targets[0].id == "FOLDERS")
        parts = [os.path.join(TREE, "CMakeLists.txt")]
        parts += [os.path.join(TREE, "cmake", n) for n in os.listdir(os.path.join(TREE, "cmake")) if n.endswith(".cmake")]
        read = set()
        for path in parts:
            with open(path, encoding="utf-8") as f:
                read |= set(re.findall(r"\$\{CMAKE_SOURCE_DIR\}/([a-z_]+)/", f.read()))
        self.assertGreater(len(read), 5)
        self.assertEqual(read - set(ast.literal_eval(said)) - {"bench", "tests", "fuzz"}, set())


if __name__ == "__main__":
    unittest.main()
# SPDX-License-Identifier: Apache-2.0
