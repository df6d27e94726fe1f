#!/usr/bin/env python3
"""Writes the table of ATen operators into docs/frontends.md from src/frontend/torch/aten_*.c: gen_torch_doc.py [--check]"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "frontends.md")
BEGIN, END = "<!-- operators: tools/gen_torch_doc.py -->\n", "<!-- end of operators -->"


def table():
    lines, total = [], 0
    for path in sorted(glob.glob(os.path.join(ROOT, "src/frontend/torch/aten_*.c"))):
        text = open(path, encoding="utf-8").read()
        about = re.match(r"// aten_\w+\.c - (.*?)\.(?:\s|$)", text, re.S)
        names = [n for n in re.findall(r'^    \{"([^"]+)",', text, re.M)]
        total += len(names)
        what = re.sub(r"\s*\n// ", " ", about.group(1)) if about else ""
        lines.append("| [%s](../%s) | %s | %s |" % (os.path.basename(path)[5:-2], os.path.relpath(path, ROOT), what,
                                                     ", ".join("`%s`" % n for n in names)))
    return "%d rows. An in-place operator (`add_`) is its row written into its argument.\n\n| family | what | rows |\n|---|---|---|\n%s\n" % (total, "\n".join(lines))


def main():
    page = open(PAGE, encoding="utf-8").read()
    before, rest = page.split(BEGIN)
    new = before + BEGIN + table() + END + rest.split(END)[1]
    if "--check" in sys.argv:
        if new != page:
            sys.exit("docs/frontends.md is old: tools/gen_torch_doc.py")
        return
    open(PAGE, "w", encoding="utf-8").write(new)


main()
# SPDX-License-Identifier: Apache-2.0
