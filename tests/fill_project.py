#!/usr/bin/env python3
"""fill_project.py PAGE PROJECT - writes AddCustom into a project of `weft op new`, as docs/add-an-operator.md does it.

The functions of the page's block that begins with "// op_host/add_custom.c" replace the stubs of the same names; the
rest is what the page says in words: the range function goes, a trait comes, examples and the test expect results.
"""
import re
import sys
from pathlib import Path

FUNCTION = re.compile(r"^(?:static )?[\w ]+?\**(\w+)\([^)]*\) \{[^\n]*\n.*?^\}\n", re.M | re.S)


def swap(path, old, new):
    text = path.read_text()
    if old not in text:
        sys.exit(f"{path}: no {old!r}")
    path.write_text(text.replace(old, new))


def main():
    page, project = Path(sys.argv[1]), Path(sys.argv[2])
    block = re.search(r"```c\n(// op_host/add_custom\.c.*?)```", page.read_text(), re.S)
    if not block:
        sys.exit(f"{page}: the block of AddCustom is not there")
    host = project / "op_host/add_custom.c"
    paths = (host, project / "op_host/add_custom_tiling.c", project / "op_kernel/add_custom_kernel.c")
    stubs = {m.group(1) for path in paths for m in FUNCTION.finditer(path.read_text())}
    written, helpers = {}, ""
    for m in FUNCTION.finditer(block.group(1)):
        if m.group(1) in stubs:
            written[m.group(1)], helpers = helpers + m.group(0), ""
        else:
            helpers += m.group(0) + "\n"
    for path in paths:
        text = FUNCTION.sub(lambda m: written.pop(m.group(1), m.group(0)), path.read_text())
        path.write_text(text)
    text = host.read_text()
    text = re.sub(r"(?:^//[^\n]*\n)+static weft_status infer_range.*?^\}\n", "", text, flags=re.M | re.S)
    host.write_text(text.replace("    .infer_range = infer_range,\n", ""))
    swap(host, "WEFT_TILED |", "WEFT_TILED | WEFT_MONOTONE |")
    swap(host, '"f16[2], f16[2] !! E_INCOMPLETE InferShape not implemented"',
         '"f32[2]{1,2}, f32[2]{3,4} -> f32[2]{4,6}", "f16[N,3], f16[3] -> f16[N,3]", "i32[1]{1}, i32[1]{2} -> i32[1]{3}"')
    test = project / "tests/test_add_custom.c"
    swap(test, 's == WEFT_E_INCOMPLETE && strstr(d.text, "InferShape not implemented")', "!s")


main()
# SPDX-License-Identifier: Apache-2.0
