#!/usr/bin/env python3
"""Functions with more than 7 parameters: a call of so many is read by counting commas; a struct names what is given.
Functions of the public headers that are released so stay (KEPT); those of kernels/ may only become fewer (KERNELS).
Prints what is too much; --all prints every function over the limit."""
import argparse
import re
import sys

import count_branches  # which files there are, and text without comments

LIMIT = 7
KERNELS = 0  # functions of kernels/ over the limit today: may only be lowered
# The released interface (docs/abi.txt): their parameters cannot change within a major version.
KEPT = {"weft_onnx_convert", "weft_infer_op_sized", "weft_infer_op", "weft_run_op", "weft_format_convert",
        "weft_op_project", "weft_session_run_async"}
LEFT_OUT = re.compile(r"^cann/")  # the interface of others
FUNCTION = re.compile(r"^[A-Za-z_][\w \*]*?\b(\w+)\(([^;{}()]*(?:\([^()]*\)[^;{}()]*)*)\)\s*[{;]", re.M)


def parameters(text):
    """Of a list between the parentheses of a declaration: how many there are."""
    depth, n = 0, 1
    for char in text:
        depth += (char in "([") - (char in ")]")
        n += char == "," and depth == 0
    return n


def functions(text):
    """[(name, parameters)] of a source text."""
    bare = count_branches.DIRECTIVE.sub("", count_branches.LITERAL_OR_COMMENT.sub(count_branches.blank, text))
    return [(m.group(1), parameters(m.group(2))) for m in FUNCTION.finditer(bare)]


def check_itself():
    cases = (("int f(int a, int b) {", [("f", 2)]), ("int f(int a,  // b, c\n      int (*g)(int, int)) {", [("f", 2)]),
             ("static void f(void);", [("f", 1)]), ("  f(a, b);", []))
    for text, expected in cases:
        if functions(text) != expected:
            sys.exit(f"count_parameters.py: finds {functions(text)} in {text!r}, expected {expected}")


def over_limit():
    """{name: (parameters, file)} of functions over the limit."""
    found = {}
    for path in count_branches.sources():
        if LEFT_OUT.match(path):
            continue
        with open(f"{count_branches.ROOT}/{path}", encoding="utf-8") as f:
            for name, n in functions(f.read()):
                if n > LIMIT:
                    found.setdefault(name, (n, path))
    return found


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--all", action="store_true", help="every function over the limit")
    given = options.parse_args()
    check_itself()
    found = over_limit()
    kernels = {k: v for k, v in found.items() if v[1].startswith("kernels/")}
    wrong = {k: v for k, v in found.items() if k not in kernels and k not in KEPT}
    gone = KEPT - set(found)
    print(f"more than {LIMIT} parameters: {len(wrong)} functions, allowed 0; of kernels {len(kernels)}, at most {KERNELS};"
          f" {len(KEPT)} of the released interface")
    if given.all:
        wrong_or_all = found
    else:
        wrong_or_all = dict(wrong, **(kernels if len(kernels) > KERNELS else {}))
    for name, (n, path) in sorted(wrong_or_all.items(), key=lambda row: (row[1][1], row[0])):
        print(f"  {n:3}  {name}  {path}")
    for name in sorted(gone):
        print(f"count_parameters.py: {name} is not over the limit, or gone: take it out of KEPT")
    return 1 if wrong or gone or len(kernels) > KERNELS else 0


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: Apache-2.0
