#!/usr/bin/env python3
"""Runs the compiler of a configured build folder over its files for warnings and errors alone (-fsyntax-only): no code.

  tools/compiler_warnings.py DIR [--having REGEX]      REGEX: only files whose text has it
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def without_output(command):
    """The command's words without the launcher, the object file and what writes beside it."""
    words = shlex.split(command)
    if Path(words[0]).name == "ccache":
        words = words[1:]
    at = words.index("-o")
    del words[at : at + 2]
    return [*words, "-fsyntax-only"]


def look(entry):
    done = subprocess.run(without_output(entry["command"]), cwd=entry["directory"], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=Path)
    parser.add_argument("--having")
    arguments = parser.parse_args()
    entries = json.loads((arguments.dir / "compile_commands.json").read_text())
    if arguments.having:
        entries = [e for e in entries if re.search(arguments.having, Path(e["file"]).read_text(errors="replace"))]
    if not entries:
        print("warnings: no file to look at", file=sys.stderr)
        return 1
    jobs = int(os.environ.get("JOBS") or os.cpu_count() or 1)
    bad = 0
    with ThreadPoolExecutor(jobs) as pool:
        for status, text in pool.map(look, entries):
            if text:
                print(text, end="", flush=True)
            bad += status != 0
    print(f"warnings: {len(entries)} files, {bad} with errors")
    return bad != 0


sys.exit(main())
# SPDX-License-Identifier: Apache-2.0
