"""What kind of file these bytes are: the network that the package magika ships, run by weft (pip install magika).

Without the package there is nothing to run, and it says so."""
import importlib.util
import json
import os

import numpy as np

import weft


def model_folder():
    spec = importlib.util.find_spec("magika")
    if spec is None:
        return None
    root = os.path.join(spec.submodule_search_locations[0], "models")
    return next((os.path.join(root, n) for n in sorted(os.listdir(root)) if os.path.exists(os.path.join(root, n, "model.onnx"))), None)


def features(data, config):
    """Codes of the first and of the last bytes, without white space around them, filled up with the padding's code."""
    n, m, block = config["beg_size"], config["end_size"], config["block_size"]
    row = np.full(n + m, config["padding_token"], np.int32)
    first, last = data[:block].lstrip()[:n], data[-block:].rstrip()[-m:]
    row[:len(first)] = np.frombuffer(first, np.uint8)
    row[n + m - len(last):] = np.frombuffer(last, np.uint8)
    return row


def main():
    folder = model_folder()
    if folder is None:
        return "magika is not installed; its network was not run"
    with open(os.path.join(folder, "config.min.json"), encoding="utf-8") as f:
        config = json.load(f)
    model = weft.load(os.path.join(folder, "model.onnx"))
    with open(__file__, "rb") as f:
        python = f.read()
    with open(os.path.join(folder, "config.min.json"), "rb") as f:
        settings = f.read()
    c = b"#include <stdio.h>\n\nint main(int argc, char **argv) {\n  printf(\"%d arguments\\n\", argc);\n  return argv[0] == NULL;\n}\n" * 8
    files = {"python": python, "json": settings, "c": c}
    scores = model(np.stack([features(data, config) for data in files.values()]))
    labels = config["target_labels_space"]
    print(model)
    for row, (name, data) in zip(scores, files.items()):
        print(f"{len(data):6} bytes of {name:7} are taken for {labels[row.argmax()]} ({row.max():.2f})")
    assert [labels[row.argmax()] for row in scores] == list(files)
    return None


if __name__ == "__main__":
    print(main() or "")
# SPDX-License-Identifier: Apache-2.0
