"""Texts as vectors, near where their words are: words become numbers by a hash, the model sums up their rows of a table.

Texts of different lengths run as one batch; a mask says which words are there."""
import zlib

import numpy as np

import weft

ROWS, WIDE = 4096, 128


def build(rng):
    g = weft.Graph("embedding")
    words = g.input("words", "i64", ("batch", "words"))
    mask = g.input("mask", "f32", ("batch", "words"))
    table = rng.standard_normal((ROWS, WIDE)).astype(np.float32)
    rows = g.gather_v2(table, words, np.int64(0))
    kept = rows * g.op("Unsqueeze", mask, axes=[2])
    total = g.reduce_sum(kept, np.int64([1]), keep_dims=False)
    g.output(g.l2_normalize(total, axis=[1], eps=1e-12, name="vectors"))
    return g, table


def tokens(texts):
    lists = [[zlib.crc32(w.strip(".,").lower().encode()) % ROWS for w in text.split()] for text in texts]
    words = np.zeros((len(texts), max(map(len, lists))), np.int64)
    mask = np.zeros(words.shape, np.float32)
    for i, row in enumerate(lists):
        words[i, :len(row)], mask[i, :len(row)] = row, 1
    return words, mask


def main():
    g, table = build(np.random.default_rng(0))
    model = g.model(threads=1)
    texts = ["The cat sleeps on the warm roof", "On the roof the cat sleeps", "Interest rates rise again", "Rates of interest may rise soon, banks say"]
    words, mask = tokens(texts)
    vectors = model(words=words, mask=mask)
    alike = vectors @ vectors.T
    print(model)
    print(alike.round(2))
    want = (table[words] * mask[..., None]).sum(1)
    np.testing.assert_allclose(vectors, want / np.linalg.norm(want, axis=1, keepdims=True), rtol=1e-4, atol=1e-5)
    np.fill_diagonal(alike, -1)
    assert alike.argmax(1).tolist() == [1, 0, 3, 2]
    for i, text in enumerate(texts):  # alone, without words that are not there
        np.testing.assert_allclose(model(*tokens([text]))[0], vectors[i], rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
