#!/usr/bin/env python3
"""An operator is one new file, an operator with a fast kernel two new files and no edited
one, as docs/add-an-operator.md and docs/add-a-device.md say.

  two_files.py SOURCE BINARY COMPILER LIBRARY CMAKE-OPTION... -- LINK-OPTION... -- OBJECT...

The two files are taken from the pages and put into a copy of the tree, in which everything else is a link: adding works,
editing does not. The copy is configured, and what its build compiles otherwise than the build in BINARY is compiled: the two
files and the generated tables. Linked with the objects of the tool and LIBRARY that makes a `weft` which knows both."""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

PAGES = ("docs/add-an-operator.md", "docs/add-a-device.md")
OPERATOR, KERNEL = "ops/elementwise/smoothstep.c", "kernels/cpu/elementwise/smoothstep.c"
TABLES = ("generated/op_table.c", "generated/kernels_cpu.c")
NOT_COPIED = {"build", ".git"}
GRAPH = """graph "smoothstep" {
  input x: f32[64,1000]
  node n: Smoothstep(x) -> y
  output y
}
"""


def fail(text):
    sys.exit("two_files.py: " + text)


def run(*command, status=0, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != status:
        shown = shlex.join(command)
        fail(f"status {done.returncode}, expected {status}: {shown[:200]} ... {shown[-200:]}\n{done.stdout}")
    return done.stdout


def files_of_pages(source):
    """path -> text of every C snippet whose first line names the file that it is"""
    found = {}
    for page in PAGES:
        with open(os.path.join(source, page), encoding="utf-8") as f:
            for code in re.findall(r"^```c\n(.*?)^```$", f.read(), re.S | re.M):
                head = re.match(r"// ((?:ops|kernels)/[\w/]+\.c) - ", code)
                if head and "#include" in code:
                    found[head[1]] = code
    return found


def copy_of_tree(source, tree):
    os.mkdir(tree)
    for name in os.listdir(source):
        if name not in NOT_COPIED:
            run("cp", "-rs", os.path.join(source, name), tree)


def compile_new(out):
    """Compiles what the build of the copy has otherwise than the one it is a copy of; gives the objects."""
    with open(os.path.join(out, "compile_commands.json"), encoding="utf-8") as f:
        commands = {os.path.realpath(c["file"]): c for c in json.load(f)}
    objects = []
    for path in [os.path.join(out, t) for t in TABLES] + [os.path.join(os.path.dirname(out), "tree", p)
                                                         for p in (OPERATOR, KERNEL)]:
        command = commands.get(os.path.realpath(path))
        if not command:
            fail(f"the build does not compile {path}")
        words = shlex.split(command["command"])
        made = os.path.join(command["directory"], words[words.index("-o") + 1])
        os.makedirs(os.path.dirname(made), exist_ok=True)
        run(*words, cwd=command["directory"])
        objects.append(made)
    return objects


def expect(text, pattern):
    if not re.search(pattern, text):
        fail(f"no '{pattern}' in\n{text}")


def lists_of(arguments):
    lists = [[]]
    for a in arguments:
        if a == "--":
            lists.append([])
        else:
            lists[-1].append(a)
    return lists


def main():
    source, binary, compiler, library = sys.argv[1:5]
    options, link, tool = lists_of(sys.argv[5:])
    work = os.path.join(binary, "two_files_work")
    tree, out, weft = (os.path.join(work, n) for n in ("tree", "out", "weft"))
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    copy_of_tree(source, tree)
    files = files_of_pages(source)
    if sorted(files) != sorted((OPERATOR, KERNEL)):
        fail(f"the pages hold {sorted(files)}")
    for path, code in files.items():
        with open(os.path.join(tree, path), "x", encoding="utf-8") as f:
            f.write(code)

    run("cmake", "-S", tree, "-B", out, "-DWEFT_BUILD_TESTS=OFF", "-DWEFT_BUILD_BENCH=OFF", "-DWEFT_WERROR=ON", *options)
    run("cmake", "--build", out, "--target", "weft_generated")

    def build():
        run(compiler, *tool, *compile_new(out), library, *link, "-o", weft)

    build()
    tested = run(weft, "op", "test", "Smoothstep")
    expect(tested, r"^1 operator, 4 examples, \d+ checks, 0 failed; 1 kernel in \d+ runs")
    if "NOTE" in tested:
        fail(tested)
    expect(run(weft, "op", "run", "Smoothstep", "f32[3]{0.1,0.5,2}"), r"(?m)^y = f32\[3\]\{0\.028,0\.5,1\}$")
    graph = os.path.join(work, "smoothstep.txt")
    with open(graph, "w", encoding="utf-8") as f:
        f.write(GRAPH)
    expect(run(weft, "compile", graph, "--plan"), r"n: Smoothstep \[smoothstep\] .* blocks 4 x 1")

    # A test that cannot fail is none: a kernel with a wrong sign is named with the element.
    wrong = files[KERNEL].replace("(3 - 2 * x[i])", "(3 + 2 * x[i])")
    if wrong == files[KERNEL]:
        fail("nothing to make wrong")
    with open(os.path.join(tree, KERNEL), "w", encoding="utf-8") as f:
        f.write(wrong)
    build()
    expect(run(weft, "op", "test", "Smoothstep", status=1), r"kernel 'smoothstep' on cpu with f32\[.*element .* is .*")
    shutil.rmtree(work)
    print("two_files.py: ok")


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
