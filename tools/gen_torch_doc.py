#!/usr/bin/env python3
"""Writes the tables of operators into docs/frontends.md, from src/frontend/torch/aten_*.c and
src/frontend/mindspore/map_*.c: gen_torch_doc.py [--check]"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "frontends.md")
END = "<!-- end of operators -->"
READERS = [  # marker in the page, files, what follows the number of rows
    ("<!-- operators: tools/gen_torch_doc.py -->\n", "src/frontend/torch/aten_*.c",
     "An in-place operator (`add_`) is its row written into its argument."),
    ("<!-- operators of MindSpore: tools/gen_torch_doc.py -->\n", "src/frontend/mindspore/map_*.c", ""),
]


def table(files, note):
    lines, total = [], 0
    for path in sorted(glob.glob(os.path.join(ROOT, files))):
        text = open(path, encoding="utf-8").read()
        about = re.match(r"// \w+\.c - (.*?)\.(?:\s|$)", text, re.S)
        names = [n for n in re.findall(r'^    (?:\{|[A-Z]+\()"([^"]+)",', text, re.M)]
        total += len(names)
        what = re.sub(r"\s*\n// ", " ", about.group(1)) if about else ""
        family = os.path.basename(path)[:-2].split("_", 1)[1]
        lines.append("| [%s](../%s) | %s | %s |" % (family, os.path.relpath(path, ROOT), what,
                                                     ", ".join("`%s`" % n for n in names)))
    head = "%d rows." % total + (" " + note if note else "")
    return "%s\n\n| family | what | rows |\n|---|---|---|\n%s\n" % (head, "\n".join(lines))


def main():
    page = open(PAGE, encoding="utf-8").read()
    new = page
    for begin, files, note in READERS:
        before, rest = new.split(begin)
        new = before + begin + table(files, note) + END + rest.split(END, 1)[1]
    if "--check" in sys.argv:
        if new != page:
            sys.exit("docs/frontends.md is old: tools/gen_torch_doc.py")
        return
    open(PAGE, "w", encoding="utf-8").write(new)


main()
# SPDX-License-Identifier: Apache-2.0
