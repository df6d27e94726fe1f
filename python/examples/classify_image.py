"""Images classified: bytes in rows of pixels go in, a class and its probability come out.

The network is made here: filters that nobody trained, and on top of their means a linear layer that numpy fits to a few hundred
drawings. Scaling and turning the pixels' order are part of the model, so that callers hand in what a picture is read as."""
import numpy as np

import weft

CLASSES = ("rows", "columns", "checks", "dots")
SIZE, FILTERS = 32, 48


def draw(rng, kind):
    """A picture [height, width, 3] of bytes."""
    y, x = np.mgrid[:SIZE, :SIZE] + rng.integers(0, 8, (2, 1, 1))
    wide = int(rng.integers(3, 6))
    on = {"rows": y // wide % 2, "columns": x // wide % 2, "checks": (x // wide + y // wide) % 2,
          "dots": (x % (2 * wide) < 2) & (y % (2 * wide) < 2)}[kind].astype(bool)
    colours = rng.integers(0, 100, 3), rng.integers(150, 256, 3)
    picture = np.where(on[..., None], colours[1], colours[0]) + rng.integers(-20, 21, (SIZE, SIZE, 3))
    return picture.clip(0, 255).astype(np.uint8)


def drawings(rng, n):
    kinds = rng.integers(0, len(CLASSES), n)
    return np.stack([draw(rng, CLASSES[k]) for k in kinds]), kinds


def features(g, filters):
    pixels = g.input("pixels", "u8", ("batch", SIZE, SIZE, 3))
    x = g.transpose(g.cast(pixels, dst_type=0), np.int64([0, 3, 1, 2])) * float(1 / 255)
    x = g.relu(g.op("Conv", x - 0.5, filters[0], pads=[2, 2, 2, 2]))
    x = g.relu(g.op("Conv", x, filters[1], strides=[2, 2]))
    return g.op("Reshape", g.global_average_pool(x), np.int64([-1, FILTERS]))


def build(rng):
    """The model, fitted to 400 drawings."""
    filters = [rng.standard_normal((16, 3, 5, 5)).astype(np.float32) / 8, rng.standard_normal((FILTERS, 16, 3, 3)).astype(np.float32) / 12]
    below = weft.Graph("features")
    below.output(features(below, filters))
    pictures, kinds = drawings(rng, 400)
    seen = np.c_[below.model(threads=1)(pictures), np.ones(400)]
    scale = seen.std(0).clip(1e-6)
    wanted = np.eye(len(CLASSES))[kinds] * 8
    fitted = np.linalg.solve((seen / scale).T @ (seen / scale) + np.eye(FILTERS + 1) * 0.01, (seen / scale).T @ wanted) / scale[:, None]
    g = weft.Graph("classifier")
    logits = features(g, filters) @ fitted[:-1].astype(np.float32) + fitted[-1].astype(np.float32)
    g.output(g.softmax_v2(logits, axes=[-1], name="probabilities"))
    return g


def main():
    rng = np.random.default_rng(0)
    model = build(rng).model(threads=1)
    pictures, kinds = drawings(rng, 100)
    probabilities = model(pictures)
    right = (probabilities.argmax(-1) == kinds).mean()
    print(model)
    for p, kind in zip(probabilities[:4], kinds):
        print(f"{CLASSES[kind]:8} is taken for {CLASSES[p.argmax()]} ({p.max():.2f})")
    print(f"{right:.0%} of 100 new drawings are right; a run needs {model.memory(batch=100)['intermediate']:,} bytes")
    assert right > 0.95
    assert np.array_equal(model(pictures[:1]).argmax(-1), probabilities[:1].argmax(-1))


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
