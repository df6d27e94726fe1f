#!/usr/bin/env python3
"""Lays sources out with clang-format (.clang-format) and holds lines of C to 110 columns. Whole files, but of operators only their
functions: prototype tables (ops/) and public headers (include/) are laid out by hand. --check changes nothing and names what differs."""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COLUMNS = 110
BY_HAND = re.compile(r"^(include/|catalogue/air_table)")
GENERATED = re.compile(r"^catalogue/air_table")
PARTS = 8  # processes of clang-format for files that are laid out whole
TABLES_BY_HAND = re.compile(r"^ops/")


def sources(given):
    if given:
        return [os.path.relpath(os.path.abspath(path), ROOT) for path in given if path.endswith((".c", ".h", ".cpp", ".hpp", ".inc"))]
    listed = subprocess.run(["git", "ls-files", "*.c", "*.h", "*.cpp", "*.hpp"], cwd=ROOT, capture_output=True, text=True)
    return [path for path in listed.stdout.split() if os.path.exists(os.path.join(ROOT, path))]


def functions(lines):
    """[(first, last)], counted from 1: the functions of a file of operators, from the line of their name to their brace."""
    found, first = [], None
    for number, line in enumerate(lines, 1):
        starts = line[:1].isalpha() and "(" in line and "=" not in line.split("(")[0] and not line.rstrip().endswith(";")
        if starts and first is None:
            first = number
        if first is not None and line.rstrip() == "}":
            found.append((first, number))
            first = None
        elif first is not None and line.startswith("}"):  # a table or a type: not a function
            first = None
        elif first == number and line.rstrip().endswith("}"):  # in one line
            found.append((first, number))
            first = None
    return found


def at_once(paths):
    """{path: its text laid out} of files that are laid out whole, by one process for many."""
    texts = {}
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(os.path.join(ROOT, ".clang-format"), folder)
        for path in paths:
            os.makedirs(os.path.join(folder, os.path.dirname(path)), exist_ok=True)
            shutil.copy(os.path.join(ROOT, path), os.path.join(folder, path))
        done = subprocess.run(["clang-format", "-i", *paths], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"format.py: {done.stderr.strip().splitlines()[0]}")
        for path in paths:
            with open(os.path.join(folder, path), encoding="utf-8") as f:
                texts[path] = f.read()
    return texts


def functions_of(path):
    """The text of a file of operators with its functions laid out."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        text = f.read()
    ranges = functions(text.split("\n"))
    if not ranges:
        return text
    command = ["clang-format", "--assume-filename=" + path, *(f"--lines={first}:{last}" for first, last in ranges)]
    done = subprocess.run(command, cwd=ROOT, input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"format.py: {path}: {done.stderr.strip().splitlines()[0]}")
    return done.stdout


def laid_out(paths):
    """{path: text as it should be}"""
    whole = [path for path in paths if not BY_HAND.match(path) and not TABLES_BY_HAND.match(path)]
    operators = [path for path in paths if TABLES_BY_HAND.match(path)]
    parts = [whole[first::PARTS] for first in range(PARTS) if whole[first::PARTS]]
    texts = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for some in pool.map(at_once, parts):
            texts.update(some)
        texts.update(zip(operators, pool.map(functions_of, operators)))
    return texts


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--check", action="store_true", help="change nothing; fail where something differs")
    options.add_argument("file", nargs="*", help="default: every source that git knows")
    given = options.parse_args()
    paths = sources(given.file)
    texts = laid_out(paths)
    said = []
    for path in paths:
        with open(os.path.join(ROOT, path), encoding="utf-8") as f:
            text = f.read()
        new = texts.get(path, text)
        if new != text and given.check:
            said.append(f"{path}: `tools/format.py {path}` lays it out otherwise")
        elif new != text:
            with open(os.path.join(ROOT, path), "w", encoding="utf-8") as f:
                f.write(new)
        if not GENERATED.match(path):
            said += [f"{path}:{number}: {len(line)} columns, at most {COLUMNS}"
                     for number, line in enumerate(new.split("\n"), 1) if len(line) > COLUMNS]
    for line in said:
        print(line)
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: Apache-2.0
