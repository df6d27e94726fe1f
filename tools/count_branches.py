#!/usr/bin/env python3
"""Branches per line: `if`, `for`, `while`, `case`, `&&`, `||`, `?` over the lines of .c and .h that are not empty, comments or
preprocessor. Tests and generated tables are left out. Prints the whole and the densest files; fails above LIMIT."""
import argparse
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIMIT = 0.250  # of the C sources, the aim (STYLE): may only be lowered
HEADERS = re.compile(r"^cann/")  # C++ headers for users' code, thin ones: counted apart, so that they dilute nothing
TESTS = re.compile(r"(^|/)(tests|fuzz)/|_test\.[ch]$")
GENERATED = re.compile(r"^catalogue/air_table")
LITERAL_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//(?:\\\n|[^\n])*|/\*.*?\*/', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
BRANCH = re.compile(r"\b(?:if|for|while|case)\b|&&|\|\||\?")
SHOWN = 10
LEAST_LINES = 20  # of a file that is named: a macro of three lines says nothing


def blank(match):
    """A comment becomes spaces, a literal an empty one; line ends stay, so that lines stay lines."""
    text = match.group()
    if text[0] in "\"'":
        return text[0] * 2
    return " " + "\n" * text.count("\n")


def count(text):
    """(branches, lines) of a source text."""
    text = DIRECTIVE.sub("", LITERAL_OR_COMMENT.sub(blank, text))
    lines = sum(1 for line in text.split("\n") if line.strip())
    return len(BRANCH.findall(text)), lines


def sources():
    listed = subprocess.run(["git", "ls-files", "*.c", "*.h"], cwd=ROOT, capture_output=True, text=True)
    paths = listed.stdout.split()
    if listed.returncode or not paths:  # an archive without .git
        paths = [os.path.relpath(os.path.join(base, name), ROOT) for base, _, names in os.walk(ROOT)
                 for name in names if name.endswith((".c", ".h")) and "/build/" not in base + "/"]
    return sorted(p for p in paths if not TESTS.search(p) and not GENERATED.search(p) and os.path.exists(os.path.join(ROOT, p)))


def check_itself():
    cases = (("if (a && b) x = c ? d : e;", (3, 1)), ("// if (a)\n\n#if X \\\n  && Y\nx;", (0, 1)), ("s = \"if ? //\"; c = '?';", (0, 1)),
             ("/* for\n while */ for (;;) y(a || b);", (2, 1)), ("switch (a) {\n  case 1: break;\n}", (1, 3)))
    for text, expected in cases:
        if count(text) != expected:
            sys.exit(f"count_branches.py: counts {count(text)} in {text!r}, expected {expected}")


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--limit", type=float, default=LIMIT, help=f"branches per line that may not be passed (default {LIMIT})")
    options.add_argument("--all", action="store_true", help="every file, not only the densest")
    given = options.parse_args()
    check_itself()
    rows, branches, lines, thin = [], 0, 0, [0, 0]
    for path in sources():
        with open(os.path.join(ROOT, path), encoding="utf-8") as f:
            b, n = count(f.read())
        if HEADERS.match(path):
            thin = [thin[0] + b, thin[1] + n]
            continue
        branches += b
        lines += n
        if n >= LEAST_LINES:
            rows.append((b / n, b, n, path))
    rows.sort(key=lambda row: (-row[0], row[3]))
    whole = branches / lines if lines else 0
    print(f"branches per line: {whole:.4f} ({branches} in {lines} lines), at most {given.limit:.3f};"
          f" of cann/ {thin[0] / max(thin[1], 1):.4f}; densest:")
    for share, b, n, path in rows if given.all else rows[:SHOWN]:
        print(f"  {share:.3f}  {b:4} in {n:4}  {path}")
    if round(whole, 3) <= given.limit:
        return 0
    print(f"count_branches.py: {whole:.4f} branches per line, allowed {given.limit}: name conditions and split functions"
          " in what you changed; the limit only goes down")
    return 1


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: Apache-2.0
