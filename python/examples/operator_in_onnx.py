"""An ONNX model with an operator that nobody has but this program: non-maximum suppression by distance, written in numpy.

The model is saved as ONNX, the operator in a domain of its own; a process that registers the operator loads and runs it."""
import os
import tempfile

import numpy as np

import weft


@weft.op("example::KeepApart", inputs="points: f32, scores: f32", outputs="kept: i64", attrs={"distance": 1.0})
def keep_apart(points, scores, distance):
    """Indices of points that have no better one nearer than `distance`, best first."""
    kept = []
    for i in np.argsort(-scores, kind="stable"):
        if all(np.linalg.norm(points[i] - points[j]) >= distance for j in kept):
            kept.append(i)
    return np.array(kept, dtype=np.int64)


@keep_apart.infer
def _(points, scores, distance):
    if len(points.shape) != 2:
        raise ValueError(f"points are [n, dims], not {points.shape}")
    return weft.Type("i64", (None,))  # how many only the data decide


@keep_apart.bound
def _(points, scores, distance):
    return weft.Type("i64", points.shape[:1])


def main():
    g = weft.Graph("detector")
    points = g.input("points", "f32", ("n", 2))
    scores = g.sigmoid(g.input("logits", "f32", ("n",)))
    kept = g.op(keep_apart, points, scores, distance=0.5)
    g.output(g.gather_v2(points, kept, np.int64(0), name="best"))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "detector.onnx")
        g.save(path)
        model = weft.load(path)
        best = model(np.float32([[0, 0], [0.1, 0], [2, 2], [2, 2.1], [5, 5]]), np.float32([0, 3, 1, 0.5, -4]))
    print(model)
    print(best.tolist())
    assert best.tolist() == np.float32([[0.1, 0], [2, 2], [5, 5]]).tolist()


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
