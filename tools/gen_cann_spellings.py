#!/usr/bin/env python3
"""gen_cann_spellings.py FOLDER: writes under FOLDER a header of one line for each spelling of cann/spellings.txt. A file that is
right already is left as it is, so that nothing is built again for it. --list prints the spellings."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = os.path.join(ROOT, "cann", "spellings.txt")


def spellings():
    """{spelling: header under weft_cann/}"""
    found = {}
    with open(TABLE, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if line.startswith("#") or not line.strip():
                continue
            header, _, names = line.partition(":")
            for name in names.split():
                if name in found:
                    sys.exit(f"{TABLE}:{number}: {name} is listed twice")
                found[name] = header.strip()
    return found


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(sorted(spellings())))
        return
    folder = sys.argv[1]
    for name, header in spellings().items():
        path = os.path.join(folder, name)
        text = f'#pragma once\n#include "weft_cann/{header}"\n'
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                if f.read() == text:
                    continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
