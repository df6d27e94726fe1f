"""An LSTM over a stream: the state goes from part to part, and parts of any length give what the whole gives."""
import numpy as np

import weft

WIDE, HIDDEN = 6, 20


def build(rng):
    g = weft.Graph("stream")
    x = g.input("x", "f32", ("time", "batch", WIDE))
    h, c = (g.input(n, "f32", (1, "batch", HIDDEN)) for n in ("h", "c"))
    w, r, b = ((rng.standard_normal(s) / 3).astype(np.float32) for s in ((1, 4 * HIDDEN, WIDE), (1, 4 * HIDDEN, HIDDEN), (1, 8 * HIDDEN)))
    y, h, c = g.op("CommonLSTM", x, w, r, b, None, h, c, hidden_size=HIDDEN)
    g.output(y, h, c)
    return g, (w[0], r[0], b[0])


def in_numpy(x, w, r, b):
    """ONNX's order of the gates: input, output, forget, cell."""
    h = c = np.zeros((x.shape[1], HIDDEN))
    out = []
    for step in x:
        i, o, f, z = np.split(step @ w.T + h @ r.T + b[:4 * HIDDEN] + b[4 * HIDDEN:], 4, axis=-1)
        i, o, f = (1 / (1 + np.exp(-v)) for v in (i, o, f))
        c = f * c + i * np.tanh(z)
        h = o * np.tanh(c)
        out.append(h)
    return np.stack(out)


def main():
    rng = np.random.default_rng(0)
    g, weights = build(rng)
    model = g.model(threads=1)
    x = rng.standard_normal((37, 3, WIDE)).astype(np.float32)
    h = c = np.zeros((1, 3, HIDDEN), np.float32)
    parts, at = [], 0
    for n in (1, 5, 11, 20):
        y, h, c = model(x[at:at + n], h, c)
        parts.append(y[:, 0])
        at += n
    print(model)
    print("state after", at, "steps:", h[0, 0, :4].round(3))
    np.testing.assert_allclose(np.concatenate(parts), in_numpy(x, *weights), rtol=1e-3, atol=1e-4)


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
