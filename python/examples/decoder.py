"""A decoder with a cache: each step's new cache goes back in as it is, without a copy.

One layer of attention over what came before, of random weights; what it computes is compared with the same in numpy."""
import numpy as np

import weft

WIDE, HEADS, WORDS = 32, 4, 50


def build(rng):
    g = weft.Graph("decoder")
    word = g.input("word", "i64", (1,))
    keys = g.input("keys", "f32", ("past", WIDE))
    values = g.input("values", "f32", ("past", WIDE))
    weights = {n: (rng.standard_normal(s) / 6).astype(np.float32) for n, s in
               {"table": (WORDS, WIDE), "q": (WIDE, WIDE), "k": (WIDE, WIDE), "v": (WIDE, WIDE), "out": (WIDE, WORDS)}.items()}
    x = g.gather_v2(weights["table"], word, np.int64(0))
    all_keys = g.concat_v2([keys, x @ weights["k"]], np.int64(0), N=2, name="new_keys")
    all_values = g.concat_v2([values, x @ weights["v"]], np.int64(0), N=2, name="new_values")
    scores = g.batch_mat_mul_v2(x @ weights["q"], all_keys, adj_x2=True) * float(WIDE ** -0.5)
    y = g.softmax_v2(scores, axes=[-1]) @ all_values
    g.output(g.op("BatchMatMulV2", y + x, weights["out"], name="logits"), all_keys, all_values)
    return g.model(threads=1), weights


def in_numpy(words, w):
    x = w["table"][words]
    scores = x[-1:] @ w["q"] @ (x @ w["k"]).T * WIDE ** -0.5
    p = np.exp(scores - scores.max())
    return (p / p.sum() @ (x @ w["v"]) + x[-1:]) @ w["out"]


def main():
    model, weights = build(np.random.default_rng(0))
    keys = values = np.zeros((0, WIDE), np.float32)
    words = [7]
    for _ in range(12):
        logits, keys, values = model(np.array(words[-1:]), keys, values)
        np.testing.assert_allclose(logits, in_numpy(words, weights), rtol=1e-3, atol=1e-5)
        words.append(int(logits.argmax()))
    print("words:", *words)
    print("memory of a step after 1,000 words:", model.memory(past=1000)["intermediate"], "bytes between inputs and outputs")


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
