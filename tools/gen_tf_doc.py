#!/usr/bin/env python3
"""Writes the table of TensorFlow's operators into docs/frontends.md from src/frontend/tf/map_*.c: gen_tf_doc.py [--check]"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "frontends.md")
BEGIN, END = "<!-- operators: tools/gen_tf_doc.py -->\n", "<!-- end of TensorFlow's operators -->"


def table():
    lines, total = [], 0
    for path in sorted(glob.glob(os.path.join(ROOT, "src/frontend/tf/map_*.c"))):
        text = open(path, encoding="utf-8").read()
        about = re.match(r"// map_\w+\.c - (.*?)[.:](?:\s|$)", text, re.S)
        rows = text[text.index("_rows[] = {"):]
        names = sorted(re.findall(r'\{"([A-Za-z_0-9]+)", (?:NULL|")', rows))
        total += len(names)
        what = re.sub(r"\s*\n// ", " ", about.group(1)) if about else ""
        lines.append("| [%s](../%s) | %s | %s |" % (os.path.basename(path)[4:-2], os.path.relpath(path, ROOT), what,
                                                     ", ".join("`%s`" % n for n in names)))
    return "%d operators.\n\n| family | what | operators |\n|---|---|---|\n%s\n" % (total, "\n".join(lines))


def main():
    page = open(PAGE, encoding="utf-8").read()
    before, rest = page.split(BEGIN)
    new = before + BEGIN + table() + END + rest.split(END)[1]
    if "--check" in sys.argv:
        if new != page:
            sys.exit("docs/frontends.md is old: tools/gen_tf_doc.py")
        return
    open(PAGE, "w", encoding="utf-8").write(new)


main()
# SPDX-License-Identifier: Apache-2.0
