#!/usr/bin/env python3
"""Which requirement rows do the tests hold?

Scans tests, `make check` and operator examples for row ids: `r74` in the name of a TEST, of a step of a shell script or of a
test of ctest, `R74` in a comment of a test file or beside an operator's example. A range counts whole: R81-R96, r81_to_r96. Prints per group what is held, and the rows that are not.

  tools/held_rows.py [--requirements ../shared/requirements.md] [--where] [--group A ...] [--fail-below N]
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
GROUP = re.compile(r"^### ([A-Z]{1,2})\. (.*)")
ROW = re.compile(r"^\| (R\d+) \| (\w) \| (.*)")
TEST = re.compile(r"\bTEST\(\s*(\w+)\s*\)|^step (\w+)$|\badd_test\(NAME (\w+)", re.M)
NAME_ID = re.compile(r"(?:^|_)r(\d+)(?:_to_r(\d+))?(?=_|$)")
TEXT_ID = re.compile(r"\bR(\d+)(?:\s*-\s*R(\d+))?\b")
COMMENT = re.compile(r"//(.*)")
PLACES = ["src/**/*_test.c", "tests/**/*_test.c", "tests/**/*.c", "tests/**/*.h", "ops/*/*.c", "tests/**/*.sh",
          "tests/**/*.py", "tests/**/*.cmake", "examples/**/*.c", "tools/check*.sh"]


def read_rows(path):
    """Returns [(group, title, [(row, level, text)])] in the document's order."""
    groups = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("## 2"):
            break
        head, row = GROUP.match(line), ROW.match(line)
        if head:
            groups.append((head[1], head[2], []))
        elif row and groups:
            groups[-1][2].append((row[1], row[2], row[3].split(" | ")[0]))
    return [g for g in groups if g[2]]


def spans(pattern, text):
    for first, last in pattern.findall(text):
        low, high = int(first), int(last or first)
        if low <= high <= low + 60:
            yield from (f"R{i}" for i in range(low, high + 1))


def comments(path, text):
    if path.suffix in (".c", ".h"):
        return "\n".join(COMMENT.findall(text))
    return text


def scan():
    """Returns {row: {places}}; a place is a file, and the test's name where a name holds the row."""
    held = {}
    files = sorted({f for pattern in PLACES for f in ROOT.glob(pattern)})
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")
        where = str(file.relative_to(ROOT))
        for name in ("".join(m) for m in TEST.findall(text)):
            for row in spans(NAME_ID, name):
                held.setdefault(row, set()).add(f"{where}: {name}")
        for row in spans(TEXT_ID, comments(file, text)):
            held.setdefault(row, set()).add(where)
    return held


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--requirements", type=pathlib.Path, default=ROOT.parent / "shared" / "requirements.md")
    parser.add_argument("--where", action="store_true", help="say which tests hold each row")
    parser.add_argument("--unnamed", action="store_true", help="name the rows that comments alone hold")
    parser.add_argument("--group", nargs="*", help="only these groups")
    parser.add_argument("--fail-below", type=int, default=0, help="exit 1 when fewer rows are held")
    options = parser.parse_args()
    groups, held, total, kept = read_rows(options.requirements), scan(), 0, 0
    known = {row for _, _, rows in groups for row, _, _ in rows}
    for group, title, rows in groups:
        if options.group and group not in options.group:
            continue
        have = [r for r in rows if r[0] in held]
        missing = [r for r in rows if r[0] not in held]
        total, kept = total + len(rows), kept + len(have)
        print(f"{group:>2}  {len(have):3} of {len(rows):3}  {title}")
        for row, _, _ in have if options.where else []:
            print(f"      {row}: " + ", ".join(sorted(held[row])))
        for row, _, _ in have if options.unnamed else []:
            if not any(": " in place for place in held[row]):
                print(f"      by comments only: {row}: " + ", ".join(sorted(held[row])))
        for row, level, text in missing:
            print(f"      not held: {row} ({level}) {text[:90]}")
    print(f"{kept} of {total} rows are held")
    for row in sorted(set(held) - known, key=lambda r: int(r[1:])):
        print(f"no such row: {row} in {', '.join(sorted(held[row]))}")
    return 1 if kept < options.fail_below else 0


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: Apache-2.0
