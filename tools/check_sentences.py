#!/usr/bin/env python3
"""Every function of a public header has a comment of its own: above its declaration or behind it. A comment that is shared
by a group counts for the function that it stands above.

  check_sentences.py      names the functions without one; exit status 1 when there are some"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BEGINS = re.compile(r"(WEFT_API|static inline)\b")
ENDS = re.compile(r"[;{]\s*(//.*)?$")


def without_sentence(lines):
    """(line number, text of the declaration) of each function without a comment"""
    at = 0
    while at < len(lines):
        end = at
        if BEGINS.match(lines[at]):
            while end + 1 < len(lines) and not ENDS.search(lines[end]):
                end += 1
            declared = " ".join(lines[at:end + 1])
            if "//" not in declared and not lines[at - 1].startswith("//"):
                yield at + 1, declared
        at = end + 1


def main():
    wrong = 0
    for path in sorted(glob.glob(os.path.join(ROOT, "include", "weft", "*.h"))):
        with open(path, encoding="utf-8") as f:
            lines = f.read().split("\n")
        for number, declared in without_sentence(lines):
            print(f"{os.path.relpath(path, ROOT)}:{number}: no sentence: {declared[:90]}")
            wrong += 1
    if wrong:
        sys.exit(f"{wrong} public functions without a sentence")
    print("sentences: every public function has one")


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
