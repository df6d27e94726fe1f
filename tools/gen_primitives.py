#!/usr/bin/env python3
"""Writes docs/primitives.md: the operators that weft implements, from the tool's own answers and the sources.

    tools/gen_primitives.py [--weft PATH] [--check]

Families and files come from ops/*/*.c and compositions/*.c, summaries and dtypes from `weft op list` and `weft op show`, ONNX operators from
src/frontend/onnx/map.c, AscendIR's names from catalogue/air_table.c. The default tool is the newest of
build/*/weft. --check writes nothing and fails when the page on disk differs.
"""
import argparse
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "primitives.md")
# Names for sets of dtypes, largest first; a set is named when at most a quarter of it is lacking.
STORABLE = "floats, ints, complex, quantised, float8, sub-byte, bool, str, resource"
SETS = [("floats", "f16 bf16 f32 f64"), ("ints", "i8 i16 i32 i64 u8 u16 u32 u64"), ("complex", "c32 c64 c128"),
        ("quantised", "qi8 qi16 qi32 qu8 qu16"), ("float8", "hif8 f8e5m2 f8e4m3fn f8e8m0 f8e5m2fnuz f8e4m3fnuz"),
        ("sub-byte", "i4 u4 i2 u2 u1 f4e2m1 f4e1m2 hif4 f6e3m2 f6e2m3")]


def read(*parts):
    return open(os.path.join(ROOT, *parts), encoding="utf-8").read()


def numbers(text, name):
    body = re.search(name + r"\[[^\]]*\] = \{(.*?)\};", text, re.S).group(1)
    return [int(x, 0) for x in re.findall(r"\b(?:0x[0-9a-f]+|\d+)\b", body)]


def catalogue():
    text = read("catalogue", "air_table.c")
    start, words = numbers(text, "weft__air_start"), numbers(text, "weft__air_words")
    body = text[text.index("weft__air_text"):]
    pool = "".join(s.encode().decode("unicode_escape") for s in re.findall(r'"((?:[^"\\]|\\.)*)"', body))
    names = [pool[words[s]:pool.index("\0", words[s])] for s in start]
    if names != sorted(names) or not all(re.fullmatch(r"\w+", n) for n in names):
        sys.exit("catalogue/air_table.c: its layout is not the one described in air_table.h")
    return names


def stem(name):  # of sibling versions: GatherV2, GatherV2D and Gather have one; Conv2D and Conv3D do not
    while True:
        short = re.sub(r"(Ext\d+|V\d+|(?<=[a-z])D|(?<=V\d)D)$", "", name)
        if short == name or not short:
            return name
        name = short


def family(path):  # a folder of ops, or a file of compositions
    room, name = path.split(os.sep)[-2:]
    if room != "compositions":
        return room
    name = re.sub(r"(_more)?\.c$", "", name)
    return {"quantise": "quant", "reductions": "reduce", "resizes": "image"}.get(name, name)


def in_rows(built):
    """Operators in tables of rows, which a row's macro names first: a file for each, the likeliest."""
    found = {}
    for path in sorted(glob.glob(os.path.join(ROOT, "ops", "*", "*.c")) + glob.glob(os.path.join(ROOT, "compositions", "*.c"))):
        text = open(path, encoding="utf-8").read()
        table = text.find("WEFT_ROWS(")
        if table < 0:
            continue
        glued = re.search(r'AS?\w*\("(\w+)" name', text)  # a macro that puts a word before each row's name
        for name in built if glued else ():
            if name.startswith(glued.group(1)):
                found.setdefault(name, []).append((2, path))
        first = re.findall(r'^\s*(?:\{\s*(?:\.name = )?|\w+\()"(\w+)"', text, re.M)
        for rank, names in enumerate((first, re.findall(r'"(\w+)"', text[table:]))):
            for name in names:
                if name in built:
                    found.setdefault(name, []).append((rank, path))
    return {name: min(places)[1] for name, places in found.items()}


def families(built):
    found = {}
    for path in glob.glob(os.path.join(ROOT, "ops", "*", "*.c")):
        text = open(path, encoding="utf-8").read()
        for part in re.split(r"^WEFT_OP\(", text, flags=re.M)[1:]:
            name = re.search(r'"([A-Z]\w*)"', part)
            if not name or name.group(1) in found:
                sys.exit(f"{path}: no operator name found, or one found twice")
            found[name.group(1)] = path
    for name, path in in_rows(built).items():
        found.setdefault(name, path)
    return {name: (family(path), os.path.relpath(path, ROOT)) for name, path in found.items()}


def onnx():
    text = read("src", "frontend", "onnx", "map.c")
    pairs = re.findall(r'SAME\("(\w+)", "(\w+)"\)', text)
    pairs += re.findall(r'\{"(\w+)", \d+, \d+, "([^"]+)",', text)
    uses = {}
    for op, primitives in pairs:
        for p in re.findall(r"\w+", primitives):
            uses.setdefault(p, set()).add(op)
    return uses


def short_dtypes(text):
    left = text.split("|")
    if text == "any" or len(left) < 2:
        return text
    out = []
    for name, members in SETS:
        members = members.split()
        lacking = [m for m in members if m not in left]
        if len(lacking) <= len(members) // 4 and len(members) > 2:
            out.append(name + (" without " + ", ".join(lacking) if lacking else ""))
            left = [t for t in left if t not in members]
    return ", ".join(out + left).replace(STORABLE, "storable")


def tool(weft, *args):
    env = {k: v for k, v in os.environ.items() if k not in ("WEFT_OPP_PATH", "ASCEND_CUSTOM_OPP_PATH")}
    return subprocess.run([weft, "op", *args], check=True, capture_output=True, text=True, env=env).stdout


def dtypes(weft, name):
    seen = {}
    for line in tool(weft, "show", name).splitlines():
        m = re.match(r"  (input|output) +\d+  (\S+) +(?:(?:optional|dynamic) +)?(?:\w+: )?(\S+)", line)
        if m:
            seen.setdefault(m.group(3), m.group(2))
    if len(seen) == 1:
        return short_dtypes(next(iter(seen)))
    return "; ".join(f"{port}: {short_dtypes(t)}" for t, port in seen.items())


def page(weft):
    air, uses = catalogue(), onnx()
    rows = [re.match(r"(\w+) +built-in +(\S+) ?(.*)", x) for x in tool(weft, "list").splitlines()]
    built = {m.group(1): m for m in rows if m}
    where = families(built)
    if set(built) != set(where):
        sys.exit(f"the tool is not built from this tree: {sorted(set(built) ^ set(where))}")
    others = {}
    for n in air:
        if n not in built:
            others.setdefault(stem(n), []).append(n)
    out = ["# Primitives", "",
           "Generated by `tools/gen_primitives.py`; do not edit. Operators with inference and a kernel, by family.", "",
           "One concept gets one kernel; AscendIR's sibling versions are rows of a table or compositions of primitives, which a "
           "pass expands (docs/add-an-operator.md). Siblings in the last column are described, and nothing computes them "
           "(`weft op show NAME`). *own*: AscendIR has no operator of that name. *ONNX*: operators "
           "that the importer turns into it, alone or with others.", "",
           f"Dtypes are named by the first port that has them. *storable* is {STORABLE}; floats are f16, bf16, f32, f64.", "",
           f"{len(built)} operators, {sum(n not in air for n in built)} of them own; the catalogue has {len(air)} prototypes. The importer knows "
           f"{len(set().union(*uses.values()))} ONNX operators."]
    for family in sorted({f for f, _ in where.values()}):
        out += ["", f"## {family}", "| operator | computes | ONNX | dtypes | siblings in the catalogue |", "|---|---|---|---|---|"]
        for name in sorted(n for n in built if where[n][0] == family):
            cells = [f"[{name}](../{where[name][1]})" + ("" if name in air else " (own)"), built[name].group(3),
                     ", ".join(sorted(uses.get(name, ()))), dtypes(weft, name), ", ".join(others.get(stem(name), ()))]
            out.append("| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |")
    groups = {}
    for n in built:
        groups.setdefault(stem(n), []).append(n)
    out += ["", "## Concepts with more than one primitive", ""]
    out += ["- " + ", ".join(sorted(g)) for _, g in sorted(groups.items()) if len(g) > 1]
    return "\n".join(out) + "\n"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--weft")
    p.add_argument("--check", action="store_true")
    a = p.parse_args()
    tools = sorted(glob.glob(os.path.join(ROOT, "build", "*", "weft")), key=os.path.getmtime)
    weft = a.weft or (tools[-1] if tools else None)
    if not weft:
        sys.exit("no tool found: build it, or name it with --weft")
    text = page(weft)
    if a.check:
        old = open(PAGE, encoding="utf-8").read() if os.path.exists(PAGE) else ""
        if old != text:
            sys.exit("docs/primitives.md is not what tools/gen_primitives.py makes: run it")
        return
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(text)


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
