"""Reads a line of text: the networks of PP-OCR that the package rapidocr-onnxruntime ships (pip install --no-deps rapidocr-onnxruntime).

One network says whether a line lies on its head, one finds where lines are, one reads them: of any width, so that its shapes hold a
symbol. The picture is drawn here. Without the package there is nothing to run, and it says so."""
import importlib.util
import os

import numpy as np

import weft

LETTERS = {  # 5 x 7 dots, a number a row
    "E": (31, 16, 16, 30, 16, 16, 31), "F": (31, 16, 16, 30, 16, 16, 16), "R": (30, 17, 17, 30, 20, 18, 17), "T": (31, 4, 4, 4, 4, 4, 4),
    "W": (17, 17, 17, 21, 21, 27, 17), "2": (14, 17, 1, 6, 8, 16, 31), "7": (31, 1, 2, 4, 8, 8, 8), " ": (0,) * 7,
}


def models_folder():
    spec = importlib.util.find_spec("rapidocr_onnxruntime")
    return None if spec is None else os.path.join(spec.submodule_search_locations[0], "models")


def draw(text, dot=4):
    """Dark letters on light ground, [48, width]."""
    rows = np.zeros((7, 6 * len(text) + 1))
    for i, letter in enumerate(text):
        for y, bits in enumerate(LETTERS[letter]):
            rows[y, 6 * i + 1:6 * i + 6] = [bits >> (4 - x) & 1 for x in range(5)]
    ink = np.kron(rows, np.ones((dot, dot)))
    high = 48 - ink.shape[0]
    ink = np.pad(ink, ((high // 2, high - high // 2), (8, 8)))
    for axis in (0, 1):  # a pen's edge is not sharp
        ink = (np.roll(ink, 1, axis) + 2 * ink + np.roll(ink, -1, axis)) / 4
    return (1 - 0.85 * ink).astype(np.float32)


def as_input(picture, width=None):
    """[1, 3, height, width] in -1 to 1."""
    wide = np.zeros((picture.shape[0], width or picture.shape[1]), np.float32)
    part = picture[:, :wide.shape[1]]
    wide[:, :part.shape[1]] = part * 2 - 1
    return np.repeat(wide[None, None], 3, axis=1)


def read(scores, letters):
    """The letters of the best class of each step: those that follow themselves count once, class 0 is none."""
    best = scores.argmax(-1)
    return "".join(letters[c - 1] for i, c in enumerate(best) if c and (i == 0 or c != best[i - 1]))


def main():
    folder = models_folder()
    if folder is None:
        return "rapidocr-onnxruntime is not installed; its networks were not run"
    turned = weft.load(os.path.join(folder, "ch_ppocr_mobile_v2.0_cls_infer.onnx"))
    finder = weft.load(os.path.join(folder, "ch_PP-OCRv4_det_infer.onnx"))
    reader = weft.load(os.path.join(folder, "ch_PP-OCRv4_rec_infer.onnx"))
    letters = [*reader.metadata["character"].splitlines(), " "]
    print(reader)
    for text in ("WEFT 22", "TREE 7"):
        line = draw(text)
        for picture in (line, line[::-1, ::-1]):
            if turned(as_input(picture, 192))[0].argmax() == 1:
                picture = picture[::-1, ::-1]
            found = read(reader(as_input(picture))[0], letters)
            print(f"{text!r} on {picture.shape[1]} pixels is read as {found!r}")
            assert found.replace(" ", "") == text.replace(" ", "")
    page = np.ones((160, 320), np.float32)
    page[64:112, 32:32 + line.shape[1]] = line
    where = finder(as_input(page))[0, 0] > 0.3
    rows, columns = np.nonzero(where.any(1))[0], np.nonzero(where.any(0))[0]
    print(f"a line lies in rows {rows[0]} to {rows[-1]}, columns {columns[0]} to {columns[-1]}")
    assert 64 <= rows[0] < rows[-1] < 112 and 32 <= columns[0] < columns[-1] < 32 + line.shape[1]
    return None


if __name__ == "__main__":
    print(main() or "")
# SPDX-License-Identifier: Apache-2.0
