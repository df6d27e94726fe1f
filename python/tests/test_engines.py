"""Engines that people have, each where it is installed: Ray (examples/ray, with an actor and a replica killed), Dask, Spark."""
import importlib.util
import os
import shutil
import subprocess
import sys
import unittest

import numpy as np

import weft

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(weft.__file__)))
DOUBLE = b'graph "g" { input x: f32[n,3] const two: f32[]{2} node y: Mul(x, two) -> y output y }'
_loaded = {}


def there(*names):
    return all(importlib.util.find_spec(n) for n in names)


def run(name, *args):
    paths = [PACKAGE, *filter(None, [os.environ.get("PYTHONPATH")])]
    command = [sys.executable, os.path.join(TREE, "examples", "ray", name), *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600,  # for what hangs; a busy machine may take its time
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONMALLOC": "pymalloc"})
    return done.returncode, done.stdout, done.stderr[-2000:]


@unittest.skipUnless(there("ray", "pyarrow"), "Ray is not installed; examples/ray was not tried")
class Ray(unittest.TestCase):
    def test_rows_in_two_actors(self):
        code, out, err = run("batch.py", "1000")
        self.assertEqual(code, 0, err)
        self.assertIn("none lost, none twice, all right", out)

    @unittest.skipUnless(there("ray", "starlette", "uvicorn"), "Ray Serve is not installed; examples/ray/serve.py was not tried")
    def test_requests_to_two_replicas(self):
        code, out, err = run("serve.py", "100")
        self.assertEqual(code, 0, err)
        self.assertIn("none lost, all right", out)


def predict(rows, data):
    if data not in _loaded:
        _loaded[data] = weft.load(data, threads=1)  # once a process
    return _loaded[data](np.asarray(rows, np.float32))


@unittest.skipUnless(there("dask"), "Dask is not installed; its part of docs/python.md was not tried")
class Dask(unittest.TestCase):
    def test_partitions_in_processes(self):
        from dask import compute, delayed

        x = np.arange(60, dtype=np.float32).reshape(20, 3)
        parts = [delayed(predict)(part, DOUBLE) for part in np.split(x, 5)]
        for scheduler in ("threads", "processes"):
            given = compute(*parts, scheduler=scheduler, num_workers=2)
            self.assertEqual(np.concatenate(given).tolist(), (x * 2).tolist())


def predict_frames(frames):
    import pandas

    for frame in frames:
        y = predict(np.stack(frame["x"].to_numpy()), DOUBLE)
        yield pandas.DataFrame({"row": frame["row"], "y": list(y.astype(np.float64))})


@unittest.skipUnless(there("pyspark", "pandas", "pyarrow") and shutil.which("java"), "Spark is not installed; its part of docs/python.md was not tried")
class Spark(unittest.TestCase):
    def test_frames(self):
        import pandas
        from pyspark import cloudpickle
        from pyspark.sql import SparkSession

        cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers have no such module
        os.environ["PYSPARK_PYTHON"] = sys.executable
        builder = SparkSession.builder.master("local[2]")
        for key, value in {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}.items():
            builder = builder.config(key, value)
        session = builder.getOrCreate()
        try:
            x = np.arange(300, dtype=np.float64).reshape(100, 3)
            frame = session.createDataFrame(pandas.DataFrame({"row": range(100), "x": x.tolist()})).repartition(4)
            given = frame.mapInPandas(predict_frames, "row long, y array<double>").toPandas().sort_values("row")
        finally:
            session.stop()
        self.assertEqual(list(given["row"]), list(range(100)))
        np.testing.assert_array_equal(np.stack(given["y"]), x * 2)


if __name__ == "__main__":
    unittest.main()
# SPDX-License-Identifier: Apache-2.0
