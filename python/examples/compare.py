"""What a model needs, why a shape is not known, and where two runtimes part: a small LSTM, built here, saved and asked."""
import numpy as np

import weft


def main():
    rng = np.random.default_rng(0)
    g = weft.Graph("tagger")
    x = g.input("x", "f32", ("time", "batch", 8))
    w = (rng.standard_normal((1, 4 * 16, 8)) / 4).astype(np.float32)
    r = (rng.standard_normal((1, 4 * 16, 16)) / 4).astype(np.float32)
    y = g.op("CommonLSTM", x, w, r, hidden_size=16)[0]
    g.output(g.softmax_v2(g.reduce_mean(y, np.int64([0, 1]), keep_dims=False), axes=[-1], name="tags"))
    model = g.model(threads=1)
    print(model.infer(time=20, batch=4))
    print(model.memory(time=20, batch=4))
    data = rng.standard_normal((20, 4, 8)).astype(np.float32)
    tags = model(data)
    print("tags of the first:", tags[0].round(3))
    assert np.allclose(tags.sum(-1), 1, atol=1e-5)
    print(model.bisect(data))
    print(model.bisect(data, against={"tags": np.roll(tags, 1, axis=0)}))


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
