#!/usr/bin/env python3
"""Writes the tables of operators of PyTorch, TFLite and MindSpore into docs/frontends.md: gen_torch_doc.py [--check]"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "frontends.md")
END = "<!-- end of operators -->\n"
# Several short rows may stand in a line.
ROW = r'(?:^    |\}, +)(?:\{|[A-Z_]+\()"([^"]+)",'
# marker, files, a row's name, what stands above the table
TABLES = [("<!-- operators: tools/gen_torch_doc.py -->\n", "torch/aten_*.c", ROW,
           "%d rows. An in-place operator (`add_`) is its row written into its argument."),
          ("<!-- operators of TFLite: tools/gen_torch_doc.py -->\n", "tflite/*.c", r"^    \{TL_(\w+),",
           "%d of 162 operators."),
          ("<!-- operators of MindSpore: tools/gen_torch_doc.py -->\n", "mindspore/map_*.c", ROW,
           "%d rows.")]


def table(files, row, above):
    lines, total = [], 0
    for path in sorted(glob.glob(os.path.join(ROOT, "src/frontend", files))):
        text = open(path, encoding="utf-8").read()
        about = re.match(r"// \w+\.c - (.*?)\.(?:\s|$)", text, re.S)
        rows = "".join(re.findall(r"_row \w+\[\] = (\{.*?\n\};)", text, re.S)) if row is ROW else text
        names = re.findall(row, rows, re.M)
        if not names:
            continue
        total += len(names)
        what = re.sub(r"\s*\n// ", " ", about.group(1)) if about else ""
        family = re.sub(r"^(aten|map)_", "", os.path.basename(path)[:-2])
        lines.append("| [%s](../%s) | %s | %s |" % (family, os.path.relpath(path, ROOT), what,
                                                     ", ".join("`%s`" % n for n in names)))
    return above % total + "\n\n| family | what | rows |\n|---|---|---|\n%s\n" % "\n".join(lines)


def main():
    page = open(PAGE, encoding="utf-8").read()
    new = page
    for begin, files, row, above in TABLES:
        before, rest = new.split(begin)
        new = before + begin + table(files, row, above) + END + rest.split(END, 1)[1]
    if "--check" in sys.argv:
        if new != page:
            sys.exit("docs/frontends.md is old: tools/gen_torch_doc.py")
        return
    open(PAGE, "w", encoding="utf-8").write(new)


main()
# SPDX-License-Identifier: Apache-2.0
