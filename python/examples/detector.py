"""A detector: bright squares are found, and of boxes that overlap the best stay (non-maximum suppression), all in one model.

How many boxes come out only the picture decides; their number is a dim that nobody knows before the run, with a bound."""
import numpy as np

import weft

SIZE, BOX, MOST = 64, 9, 10


def build():
    g = weft.Graph("detector")
    picture = g.input("picture", "f32", (1, 1, SIZE, SIZE))
    # how much brighter a square is than the ring around it
    wide = BOX + 4
    ring = np.full((wide, wide), -1.0)
    ring[2:-2, 2:-2] = 0
    ring /= -ring.sum()
    ring[2:-2, 2:-2] = 1 / BOX ** 2
    scores = g.op("Conv", picture, ring.astype(np.float32)[None, None])
    n = SIZE - wide + 1
    scores = g.op("Reshape", scores, np.int64([1, 1, n * n]))
    y, x = np.mgrid[:n, :n] + 2
    boxes = np.stack([y, x, y + BOX, x + BOX], -1).reshape(1, n * n, 4).astype(np.float32)
    chosen = g.op("NonMaxSuppressionV6", boxes, scores, np.int64(MOST), np.float32(0.1), np.float32(0.4), dtype="i64")
    which = g.op("Reshape", g.gather_v2(chosen, np.int64([2]), np.int64(1)), np.int64([-1]))
    g.output(g.gather_v2(boxes[0], which, np.int64(0), name="boxes"))
    g.output(g.gather_v2(g.op("Reshape", scores, np.int64([-1])), which, np.int64(0), name="scores"))
    return g


def main():
    rng = np.random.default_rng(3)
    picture = rng.random((SIZE, SIZE)).astype(np.float32) * 0.2
    corners = [(5, 8), (30, 40), (44, 10)]
    for y, x in corners:
        picture[y:y + BOX, x:x + BOX] += 0.8
    model = build().model(threads=1)
    print(model)
    boxes, scores = model(picture[None, None])
    for box, score in zip(boxes.astype(int).tolist(), scores):
        print("box", box, f"{score:.2f}")
    assert sorted((int(b[0]), int(b[1])) for b in boxes) == corners
    assert model(np.zeros((1, 1, SIZE, SIZE), np.float32))["boxes"].shape == (0, 4)


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
