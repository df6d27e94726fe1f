#!/usr/bin/env python3
"""make quick: builds what a change needs and runs the tests nearest to it, for at most a minute.

The change: what differs from where the branch left main (with what is not committed), or, on main itself, the last commit.
Files lead to tests by the rules below; those of the change's own unit tests come first, and what does not fit into the time
is named, never silently left out. `make test` is still the one that counts.

  tools/quick.py [--seconds 60] [--list] [FILE...]      FILE: instead of what git says
"""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "asan"
SMOKE = ["status", "parse", "graph", "run"]  # for files that no rule knows: the build, the headers

# The families of kernels/cpu by how their files begin, and the tests of tests/ that run them.
FAMILIES = [
    (r"quant|lines", ["kernels_quantised", "kernels_fixed"]),
    (r"attention", ["kernels_attention"]),
    (r"recurrent", ["kernels_recurrent"]),
    (r"bf16|amx", ["kernels_bf16", "kernels_bf16_conv", "kernels_bf16_attention"]),
    (r"typed|scan|one_hot|reduce_typed", ["kernels_typed"]),
    (r"gemm|conv|blocked|depthwise|product|few_columns|half|block|planes|windows", ["kernels_product"]),
    (r"top_k|arg|nonzero|pick", ["kernels_pick"]),
    (r"move|gather|scatter|pad|place|find_rows|reverse|triangle|regions", ["kernels_moves"]),
    (r"vector|tile|cast|table", ["kernels_elementwise"]),
    (r"", ["kernels_around"]),
]


# The same for what stands in cann/, by parts of paths. A unit of C++ takes seconds to compile, so the first rule alone counts.
CANN = [
    (r"cann/acl/|acl[^/]*$", "cann_acl"),
    (r"cann/src/|session|graph|gnode|lower|lift|ir_build|parser|builder|topology|all_ops|known_op", "cann_graphs"),
    (r"", "cann_units"),
]

# What else is built for a test.
TARGETS = {
    "cann_acl": ["cann_acl_tests"],
    "cann_graphs": ["cann_graph_tests", "cann_package"],
    "cann_units": ["cann_tests"],
    "cann_docs_program": ["weft_cann_static"],
    "docs_names": ["weft"],
    "runtime_only": ["weft"],
}


def git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.split("\n") if done.returncode == 0 else []


def changed_files():
    base = ""
    for main in ("main", "origin/main"):
        base = (git("merge-base", "HEAD", main) + [""])[0]
        if base:
            break
    if not base or base == (git("rev-parse", "HEAD") + [""])[0]:
        uncommitted = git("diff", "--name-only", "HEAD") + git("ls-files", "--others", "--exclude-standard")
        return [f for f in uncommitted if f] or [f for f in git("diff", "--name-only", "HEAD~1") if f]
    return sorted({f for f in git("diff", "--name-only", base) + git("ls-files", "--others", "--exclude-standard") if f})


class Plan:
    """Commands to run, in order, each once."""

    def __init__(self):
        self.tests, self.operators, self.targets, self.unknown = [], [], {"weft_tests"}, []

    def test(self, *names):
        self.tests += [n for n in names if n not in self.tests]

    def operator(self, *names):
        self.targets.add("weft")
        self.operators += [n for n in names if n not in self.operators]


def text_of(path):
    try:
        return (ROOT / path).read_text(errors="replace")
    except OSError:
        return ""


def operators_of(path):
    """The operators of a file of ops/, or, of a file that several share, of the first ones that include its header."""
    names = re.findall(r'\.name = "(\w+)"|WEFT_\w+_PROTO\("(\w+)"', text_of(path))
    if names:
        return [a or b for a, b in names]
    header = Path(path).with_suffix(".h").name
    users = [f for f in sorted((ROOT / "ops").glob("*/*.c")) if f'"{header}"' in text_of(f)]
    return [name for f in users[:12] for name in operators_of(f)]


def tests_in(folder):
    return [f.name[: -len("_test.c")] for f in sorted((ROOT / folder).glob("*_test.c"))]


def plan_file(plan, path, has_test):
    part, stem = path.split("/")[0], Path(path).stem
    if stem.endswith("_test"):
        plan.test(stem[: -len("_test")])
    elif part not in ("docs", "cann") and has_test(stem):
        plan.test(stem)
    if part == "ops":
        plan.operator(*operators_of(path))
    elif part == "kernels":
        names = next(tests for start, tests in FAMILIES if re.match(start, stem))
        plan.test(*[n for n in tests_in(Path(path).parent) if stem.startswith(n)], *names)
    elif part == "passes":
        plan.test(*[n for n in (f"pass_{stem}",) if has_test(n)], "passes_fuse" if "fuse" in stem else "passes")
        if "quant" in stem:
            plan.test("passes_quantised")
    elif part in ("src", "include", "catalogue"):
        near = tests_in(Path(path).parent)
        plan.test(*near[:8])
        if not near:
            plan.test(*[n for n in (Path(path).parent.name,) if has_test(n)], *SMOKE)
    elif part == "cli":
        plan.targets |= {"weft", "make_model"}
        plan.test("bench_cli" if stem.startswith("bench") else "run_cli")
    elif part == "docs" or path.endswith(".md"):
        plan.test("docs", "docs_names", *["cann_docs_program"] * (stem == "cann"))
    elif part == "cann":
        own = f"cann_{stem}"
        plan.test(own if has_test(own) else next(test for part_of_name, test in CANN if re.search(part_of_name, path)))
    elif part == "fuzz" and stem.startswith("fuzz_"):
        plan.targets.add(stem.replace("fuzz_", "replay_"))
        plan.test(stem.replace("fuzz_", "replay_"))
    elif part == "tests" and path.endswith(".h"):
        users = [f for f in sorted((ROOT / "tests").glob("*_test.c")) if f'"{Path(path).name}"' in text_of(f)]
        plan.test(*[f.name[: -len("_test.c")] for f in users[:8]])
    elif part in ("CMakeLists.txt", "cmake", "tests") and not stem.endswith("_test"):
        plan.test(*SMOKE)
    elif part not in ("tests", "catalogue"):
        plan.unknown.append(path)


def known_tests():
    done = subprocess.run(["ctest", "--test-dir", str(BUILD), "-N"], capture_output=True, text=True)
    return set(re.findall(r"Test +#\d+: (\S+)", done.stdout))


def costs():
    """Seconds of each test when it last ran."""
    path = BUILD / "Testing" / "Temporary" / "CTestCostData.txt"
    rows = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
    return {row[0]: float(row[2]) for row in rows if len(row) == 3}


def run_tests(names, left):
    jobs = os.environ.get("JOBS") or str(os.cpu_count())
    pattern = "^(" + "|".join(map(re.escape, names)) + ")$"
    command = ["ctest", "--test-dir", str(BUILD), "-j", jobs, "-R", pattern, "--output-on-failure"]
    try:
        return subprocess.run(command, timeout=max(left, 5)).returncode == 0
    except subprocess.TimeoutExpired:
        print("quick: the time is over; some of these tests were not finished")
        return True


def fit(names, seconds):
    """The cheapest half first would starve a change's own test: in order, as long as the known costs fit."""
    known, chosen, sum_of = costs(), [], 0.0
    for name in names:
        cost = known.get(name, 5.0) / (os.cpu_count() or 1)
        if chosen and sum_of + cost > seconds:
            continue
        chosen.append(name)
        sum_of += cost
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--list", action="store_true", help="print what would run")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    began = time.monotonic()
    files = arguments.files or changed_files()
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", "asan"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    known = known_tests()
    plan = Plan()
    for path in files:
        plan_file(plan, path, lambda stem: stem in known)
    tests = [n for n in plan.tests if n in known]
    if any(n.endswith("_cli") for n in tests):
        plan.targets.add("weft")
    plan.targets.update(*(TARGETS.get(n, []) for n in tests))
    if all(n.startswith(("cann_", "replay_")) for n in tests):
        plan.targets.discard("weft_tests")
    if plan.unknown:
        print(f"quick: no rule knows which tests are near to {' '.join(plan.unknown)}")
    print(f"quick: {len(files)} files changed; operators: {' '.join(plan.operators) or '-'}; tests: {' '.join(tests) or '-'}")
    if arguments.list or not (tests or plan.operators):
        return 0
    build = [str(ROOT / "tools" / "build.sh"), str(BUILD), *[a for t in sorted(plan.targets) for a in ("--target", t)]]
    if subprocess.run(build, cwd=ROOT).returncode:
        return 1
    print(f"quick: built in {time.monotonic() - began:.0f} s", flush=True)
    end = max(began + arguments.seconds, time.monotonic() + arguments.seconds / 2)
    good = True
    if plan.operators:
        good = subprocess.run([str(BUILD / "weft"), "op", "test", *plan.operators], cwd=ROOT).returncode == 0
    chosen = fit(tests, end - time.monotonic())
    if chosen:
        good = run_tests(chosen, end - time.monotonic()) and good
    left = [n for n in tests if n not in chosen]
    if left:
        print(f"quick: not run, for want of time (make test has them): {' '.join(left)}")
    print(f"quick: {'good' if good else 'FAILED'}, {time.monotonic() - began:.0f} s")
    return 0 if good else 1


sys.exit(main())
# SPDX-License-Identifier: Apache-2.0
