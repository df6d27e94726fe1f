#!/usr/bin/env python3
"""Seconds of the processor that each test takes, children included: what a clock says of a test depends on who else is at work.

Runs the tests of build/asan one after the other and prints the dearest and the sum. docs/testing.md names the sum to keep.

  tools/test_costs.py [--top 20] [--most SECONDS] [--out FILE] [REGEX]    --most: fails where the sum is more
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "asan"


def tests():
    """Name, command, environment, folder and the status that means "skipped", of each test that ctest knows."""
    listed = subprocess.run(["ctest", "--test-dir", str(BUILD), "--show-only=json-v1"], capture_output=True, text=True, check=True)
    for test in json.loads(listed.stdout)["tests"]:
        given = {p["name"]: p["value"] for p in test.get("properties", [])}
        yield test["name"], test["command"], given


def run(command, given):
    """How it ended and the seconds that it took of the processor."""
    names = dict(row.split("=", 1) for row in given.get("ENVIRONMENT", []))
    child = subprocess.Popen(command, cwd=given.get("WORKING_DIRECTORY"), env={**os.environ, **names},
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--top", type=int, default=20)
    parser.add_argument("--most", type=float)
    parser.add_argument("--out", help="writes all of them, a line each")
    parser.add_argument("regex", nargs="?", default="")
    arguments = parser.parse_args()
    rows, failed = [], []
    for name, command, given in tests():
        if not re.search(arguments.regex, name):
            continue
        status, seconds = run(command, given)
        if status not in (0, given.get("SKIP_RETURN_CODE")):
            failed.append(f"{name} ({status})")
        rows.append((seconds, name))
        if arguments.out:  # after each: on a busy machine few wait for the end
            Path(arguments.out).write_text("".join(f"{seconds:.2f} {name}\n" for seconds, name in sorted(rows, reverse=True)))
    rows.sort(reverse=True)
    total = sum(seconds for seconds, _ in rows)
    for seconds, name in rows[: arguments.top]:
        print(f"{seconds:9.2f}  {name}")
    print(f"{total:9.2f}  all {len(rows)}")
    if failed:
        print("failed: " + ", ".join(failed))
    return 1 if failed or (arguments.most and total > arguments.most) else 0


sys.exit(main())
# SPDX-License-Identifier: Apache-2.0
