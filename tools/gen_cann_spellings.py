#!/usr/bin/env python3
"""gen_cann_spellings.py FOLDER: writes under FOLDER a header of one line for each spelling of cann/spellings.txt. A file that is
right already is left as it is, so that nothing is built again for it. --list prints the spellings. --table FILE writes them and
the macros of the headers as C, for `weft op doctor`."""
import glob
import os
import re
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


def macros():
    names = set()
    for path in glob.glob(os.path.join(ROOT, "cann", "include", "weft_cann", "*.h")):
        with open(path, encoding="utf-8") as f:
            names.update(re.findall(r"^#\s*define\s+(\w+)", f.read(), re.M))
    return names


def write(path, text):
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            if f.read() == text:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def table():
    text = '#include "cann_names.h"\n'
    for array, names in (("cann_spellings", spellings()), ("cann_macros", macros())):
        text += f"const char *const {array}[] = {{\n" + "".join(f'    "{n}",\n' for n in sorted(names)) + "    NULL};\n"
    return text


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(sorted(spellings())))
        return
    if sys.argv[1] == "--table":
        write(sys.argv[2], table())
        return
    for name, header in spellings().items():
        write(os.path.join(sys.argv[1], name), f'#pragma once\n#include "weft_cann/{header}"\n')


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
