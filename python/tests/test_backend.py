"""ONNX's own tests of a backend, where onnx 1.20 or newer is installed; none of them downloads anything. What does not pass is named here."""
import importlib.util
import io
import os
import tempfile
import unittest
import warnings

import weft

KNOWN = {"bernoulli": "random numbers of another generator", "dft_inverse": "the expected values hold noise",
         "loop16_seq_none": "ONNX's comparison takes the length of each array of a list, and the first has no dims"}
PLUGINS = {"image_decoder": "pictures are read by plug-ins (docs/embedding.md)", "regex_full_match": "PCRE2 is a plug-in (docs/embedding.md)"}


def version():
    if not importlib.util.find_spec("onnx"):
        return (0, 0)
    import onnx

    return tuple(int(n) for n in onnx.__version__.split(".")[:2])


def backend_suite():
    import onnx.backend.test

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tests = onnx.backend.test.BackendTest(__import__("weft.backend").backend, __name__).exclude("_cuda")
        suite = unittest.TestSuite()
        for case in tests.test_cases.values():
            suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(case))
        return suite, unittest.TextTestRunner(stream=io.StringIO(), verbosity=0).run(suite)


@unittest.skipUnless(version() >= (1, 20), "onnx 1.20 or newer is not installed; its backend tests were not run")
class Backend(unittest.TestCase):
    def test_all(self):
        with tempfile.TemporaryDirectory() as folder:  # where the whole networks are put together
            os.environ["ONNX_HOME"] = folder
            _, result = backend_suite()
        without = {} if os.environ.get("WEFT_PLUGIN_FOLDER") else PLUGINS
        bad = [str(test).split()[0] for test, _ in result.failures + result.errors]
        new = [b for b in bad if not any(k in b for k in {**KNOWN, **without})]
        self.assertEqual(new, [])
        self.assertGreater(result.testsRun - len(result.skipped), 1000)
        print(f"onnx: {result.testsRun - len(result.skipped)} tests of a backend, {len(bad)} did not pass, all of them known; weft {weft.__version__}")


if __name__ == "__main__":
    unittest.main()
# SPDX-License-Identifier: Apache-2.0
