"""A small classifier, built and compiled into one .weft file that every process maps."""
import numpy as np

import weft

FEATURES, CLASSES = 64, 10


def write(path):
    rng = np.random.default_rng(0)
    g = weft.Graph("classifier")
    x = g.input("x", "f32", ("rows", FEATURES))
    for wide in (256, CLASSES):
        w = rng.standard_normal((x.shape[1], wide)).astype(np.float32) / 8
        x = x @ w if wide == CLASSES else g.relu(x @ w)
    g.output(g.softmax_v2(x, axes=[-1], name="y"))
    g.model(threads=1).save(path)
# SPDX-License-Identifier: Apache-2.0
