#!/usr/bin/env python3
"""Writes every C snippet of the given pages that has an #include into DIR/<page>_<k>.c, so that the build compiles it.

A file is only touched when its text changes; files of snippets that are gone are removed. Prints the paths, one a line."""
import os
import re
import sys


def main():
    out, pages = sys.argv[1], sys.argv[2:]
    os.makedirs(out, exist_ok=True)
    paths = []
    for page in sorted(pages):
        stem = os.path.basename(page)[:-3].replace("-", "_")
        text = open(page, encoding="utf-8").read()
        for k, code in enumerate(c for c in re.findall(r"^```c\n(.*?)^```$", text, re.S | re.M) if "#include" in c):
            path = os.path.join(out, f"{stem}_{k}.c")
            if not os.path.exists(path) or open(path, encoding="utf-8").read() != code:
                with open(path, "w", encoding="utf-8") as f:
                    f.write(code)
            paths.append(path)
    for name in os.listdir(out):
        if os.path.join(out, name) not in paths:
            os.remove(os.path.join(out, name))
    print("\n".join(paths))


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
