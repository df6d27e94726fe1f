#!/usr/bin/env python3
"""The library's interface as a text, docs/abi.txt: exported symbols with their prototypes, and every public struct with
sizes and offsets (64-bit Linux). A change of either is seen here before a user's program sees it.

  check_abi.py LIBWEFT.SO            compares; says for each difference whether programs that exist go on working
  check_abi.py LIBWEFT.SO --update   writes the text anew: what a deliberate change is committed with

Also checked: every exported function with a pointer is called by tests/null_handles_test.c, and every struct that grows
stands in tests/sized_test.c."""
import difflib
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TEXT = os.path.join(ROOT, "docs", "abi.txt")
HEAD = """# What programs that exist rely on: symbols of libweft.so, and sizes and offsets of public structs on 64-bit Linux.
# Made by `tools/check_abi.py build/.../libweft.so --update`; `make check` compares. A struct that "grows" begins with its
# size and may get members at its end (weft/base.h); everything else stays while the soname does.
"""


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exported(library):
    """name -> version of what the dynamic symbol table defines"""
    found = {}
    for line in run("nm", "-D", "--defined-only", library).splitlines():
        name, _, version = line.split()[-1].partition("@")
        if line.split()[-2] != "A":  # the version itself
            found[name] = version.lstrip("@")
    return found


def prototypes():
    found = {}
    folder = os.path.join(ROOT, "include", "weft")
    for header in sorted(os.listdir(folder)):
        with open(os.path.join(folder, header), encoding="utf-8") as f:
            text = re.sub(r"//[^\n]*", "", f.read())
        text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
        for m in re.finditer(r"WEFT_API\s+([^;{}]*?\b(weft_\w+)\s*\([^;{}]*\))\s*;", text, re.S):
            plain = re.sub(r"WEFT_(MUST|PRINTF\([^)]*\))", "", m.group(1))
            found[m.group(2)] = re.sub(r"\s+", " ", plain).strip()
    return found


# ---- structs, from the compiler's debug information ----

ENTRY = re.compile(r"^ <(\d+)><([0-9a-f]+)>: Abbrev Number: \d+(?: \(DW_TAG_(\w+)\))?")
FIELD = re.compile(r"^\s+<[0-9a-f]+>\s+DW_AT_(\w+)\s*: (?:\(indirect string, offset: (?:0x)?[0-9a-f]+\): )?(.*?)\s*$")


def debug_entries():
    with tempfile.TemporaryDirectory() as folder:
        source, made = os.path.join(folder, "a.c"), os.path.join(folder, "a.o")
        with open(source, "w", encoding="utf-8") as f:
            f.write('#include "weft/weft.h"\n')
        run("gcc", "-std=c17", "-g", "-gdwarf-4", "-fno-eliminate-unused-debug-types", "-I",
            os.path.join(ROOT, "include"), "-c", source, "-o", made)
        dump = run("objdump", "--dwarf=info", made)
    entries, stack = {}, []
    entry = None
    for line in dump.splitlines():
        m = ENTRY.match(line)
        if m:
            if not m.group(3):
                entry = None
                continue
            depth = int(m.group(1))
            entry = {"tag": m.group(3), "children": []}
            del stack[depth:]
            if stack:
                stack[-1]["children"].append(entry)
            stack.append(entry)
            entries[m.group(2)] = entry
            continue
        m = FIELD.match(line)
        if m and entry is not None:
            entry[m.group(1)] = m.group(2)
    return entries


def size_of(entries, entry):
    if "byte_size" in entry:
        return int(entry["byte_size"])
    of = entries.get(entry.get("type", "").strip("<>").replace("0x", ""))
    size = size_of(entries, of) if of else 0
    if entry["tag"] == "array_type":
        for child in entry["children"]:
            size *= int(child.get("upper_bound", -1)) + 1
    return size


def struct_lines(entries):
    lines, held, grows = {}, set(), {}
    for entry in entries.values():
        name = entry.get("name", "")
        if entry["tag"] != "structure_type" or not name.startswith("weft_") or "byte_size" not in entry:
            continue
        members = [c for c in entry["children"] if c["tag"] == "member"]
        rows = []
        for m in members:
            of = entries.get(m["type"].strip("<>").replace("0x", ""))
            while of and of["tag"] in ("typedef", "const_type", "array_type"):
                of = entries.get(of.get("type", "").strip("<>").replace("0x", ""))
            if of and of["tag"] == "structure_type":
                held.add(of.get("name"))
            rows.append("  %5s %5d  %s" % (m["data_member_location"], size_of(entries, m), m.get("name", "(union)")))
        grows[name] = bool(members) and members[0].get("name") == "size" and name != "weft_tensor"
        lines[name] = (int(entry["byte_size"]), rows)
    out = []
    for name in sorted(lines):
        kind = "grows" if grows[name] and name not in held else "fixed"
        out.append("struct %s %d %s" % (name, lines[name][0], kind))
        out += lines[name][1]
    return out


def describe(library):
    symbols, known = exported(library), prototypes()
    out = [HEAD.rstrip("\n"), ""]
    problems = []
    for name in sorted(symbols):
        out.append("symbol %s %s  %s" % (name, symbols[name] or "(no version)", known.get(name, "(in no public header)")))
        if name not in known:
            problems.append("%s is exported and stands in no public header" % name)
        if not symbols[name]:
            problems.append("%s has no version: cmake/weft.map does not name it" % name)
    for name in sorted(set(known) - set(symbols)):
        problems.append("%s stands in a public header and is not exported" % name)
    out.append("")
    out += struct_lines(debug_entries())
    return "\n".join(out) + "\n", problems, known


# ---- what a difference means ----

def blocks(text):
    found, name = {}, None
    for line in text.splitlines():
        if line.startswith("symbol "):
            found[("symbol", line.split()[1])] = [line]
        elif line.startswith("struct "):
            name = ("struct", line.split()[1])
            found[name] = [line]
        elif line.startswith(" ") and name:
            found[name].append(line)
    return found


def verdict(old, new):
    if old is None:
        return "new: nothing that exists uses it"
    if new is None:
        return "GONE: programs that use it no longer start"
    grown = old[0].endswith("grows") and new[0].endswith("grows") and new[1:len(old)] == old[1:]
    if grown:
        return "grown at its end: programs that exist go on working"
    return "CHANGED: programs that exist must be compiled again, which needs a new soname"


def compare(old, new):
    before, now = blocks(old), blocks(new)
    for key in sorted(set(before) | set(now)):
        if before.get(key) != now.get(key):
            print("check_abi: %s %s: %s" % (key + (verdict(before.get(key), now.get(key)),)))
            for line in difflib.unified_diff(before.get(key, []), now.get(key, []), lineterm="", n=0):
                if line[:2] not in ("--", "++", "@@"):
                    print("    " + line)


def absent(names, test):
    with open(os.path.join(ROOT, "tests", test), encoding="utf-8") as f:
        text = f.read()
    return ["%s does not stand in tests/%s" % (n, test) for n in sorted(names) if not re.search(r"\b%s\b" % n, text)]


def untested(text, known):
    grow = re.findall(r"^struct (\w+) \d+ grows$", text, re.M)
    takes = [n for n in known if "*" in known[n].partition("(")[2]]
    return absent(takes, "null_handles_test.c") + absent(grow, "sized_test.c")


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--update"]):
        sys.exit(__doc__)
    new, problems, known = describe(sys.argv[1])
    problems += untested(new, known)
    for p in problems:
        print("check_abi: " + p)
    if sys.argv[2:]:
        with open(TEXT, "w", encoding="utf-8") as f:
            f.write(new)
        sys.exit(1 if problems else 0)
    with open(TEXT, encoding="utf-8") as f:
        old = f.read()
    if old != new:
        compare(old, new)
        print("check_abi: if that is meant, `tools/check_abi.py %s --update`, and commit docs/abi.txt with the reason" %
              sys.argv[1])
    sys.exit(1 if problems or old != new else 0)


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
