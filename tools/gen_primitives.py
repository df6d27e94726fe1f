#!/usr/bin/env python3
"""Writes docs/primitives.md: AscendIR's operators and weft's own, by family, and what becomes of each.

    tools/gen_primitives.py [--weft PATH] [--check]

What runs and what only infers is what `weft op list` says; files come from the sources, families from the files' folders
and, for operators that nothing computes, from tools/air_families.txt; dtypes from `weft op show` and the catalogue, ONNX
operators from src/frontend/onnx/map.c. The default tool is the newest of
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


FILES = {"attention": "large models", "attention_infer": "large models", "caches": "large models", "convolutions": "conv", "grouped": "large models",
         "large_models": "large models", "moe": "large models", "rotary": "large models", "quantise": "quant",
         "quantised": "quant", "recurrent": "rnn", "reductions": "reduce", "resizes": "image"}


def family(path):  # a folder of ops, or a file of compositions or of operators that only infer
    room, name = path.split(os.sep)[-2:]
    if room not in ("compositions", "described"):
        return room
    name = re.sub(r"(_more)?\.c$", "", name)
    return FILES.get(name, name)


def not_computed():
    """Rows of tools/air_families.txt: a pattern of names, their family, and why they are outside, where they are."""
    rows = []
    for line in read("tools", "air_families.txt").splitlines():
        if line.strip() and not line.startswith("#"):
            pattern, name, *why = (part.strip() for part in line.split("|"))
            rows.append((re.compile(pattern.replace("/", "|")), name, why[0] if why else ""))
    return rows


def described():
    """Rows of tools/air_described.txt: a pattern of names, and why weft does not compute them."""
    lines = (line for line in read("tools", "air_described.txt").splitlines() if line.strip() and not line.startswith("#"))
    pairs = (line.rsplit("|", 1) for line in lines)
    return [(re.compile(pattern.strip().replace("/", "|")), why.strip()) for pattern, why in pairs]


def place(rows, name, siblings):
    """The family of an operator that nothing computes, and why it is outside (\"\": it is not)."""
    for pattern, found, why in rows:
        if pattern.search(name):
            return found, why
    return siblings.get(stem(name), "other"), ""


def prototypes():
    """Of the catalogue's text: the line of each operator, and its ports with their dtypes."""
    found, ports = {}, None
    for at, line in enumerate(read("catalogue", "air_ops.txt").splitlines(), 1):
        words = line.split()
        if words[:1] == ["op"]:
            ports, types = [], {}
            found[words[1]] = (at, ports, types)
        elif words and words[0].rstrip("?*") in ("in", "out"):
            ports.append((words[1], words[2]))
        elif words[:1] == ["type"]:
            types[words[1]] = words[2]
    return found


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


def dtypes(ports):
    seen = {}
    for name, types in ports:
        seen.setdefault(types, name)
    if len(seen) == 1:
        return short_dtypes(next(iter(seen)))
    return "; ".join(f"{port}: {short_dtypes(t)}" for t, port in seen.items())


def shown_ports(text):
    lines = text.splitlines()
    found = (re.match(r"  (?:input|output) +\d+  (\S+) +(?:(?:optional|dynamic) +)?(?:\w+: )?(\S+)", x) for x in lines)
    return [m.groups() for m in found if m]


class Operators:
    """All of them: state, family, link, what they compute."""

    def __init__(self, weft):
        self.air, self.uses, self.weft = catalogue(), onnx(), weft
        rows = [re.match(r"(\w+) +built-in +(\S+) ?(.*)", x) for x in tool(weft, "list").splitlines()]
        self.built = {m.group(1): m for m in rows if m}
        self.where = families(self.built)
        if set(self.built) != set(self.where):
            sys.exit(f"the tool is not built from this tree: {sorted(set(self.built) ^ set(self.where))}")
        self.protos, rest = prototypes(), not_computed()
        siblings = {stem(n): f for n, (f, _) in sorted(self.where.items(), reverse=True)}
        self.others = {n: place(rest, n, siblings) for n in self.air if n not in self.built}
        self.open = described()
        self.names = sorted(set(self.air) | set(self.built))
        self.shows = {}  # what `weft op show` says, once for each

    def shown(self, name):
        if name not in self.shows:
            self.shows[name] = tool(self.weft, "show", name)
        return self.shows[name]

    def state(self, name):
        if name in self.built and self.built[name].group(2) != "kernel":
            return "infers"
        if name in self.built and self.where[name][1].startswith("compositions"):
            return "composed"
        if name in self.built:
            return "reference" if re.search(r"^  kernel +none", self.shown(name), re.M) else "kernel"
        return f"outside: {self.others[name][1]}" if self.others[name][1] else f"described: {self.why(name)}"

    def why(self, name):
        for pattern, why in self.open:
            if pattern.search(name):
                return why
        sys.exit(f"tools/air_described.txt says nothing of '{name}', which weft describes only")

    def family(self, name):
        return self.where[name][0] if name in self.built else self.others[name][0]

    def row(self, name):
        if name not in self.built:
            return [f"[{name}](../catalogue/air_ops.txt#L{self.protos[name][0]})", self.state(name), "", "", ""]
        path = self.where[name][1]
        whole = "WEFT_OP(" in read(*path.split(os.sep))
        _, ports, types = self.protos.get(name, (0, [], {}))
        ports = shown_ports(self.shown(name)) if whole else [(p, types.get(t, t)) for p, t in ports]
        return [f"[{name}](../{path})" + ("" if name in self.air else " (own)"), self.state(name),
                self.built[name].group(3), ", ".join(sorted(self.uses.get(name, ()))), dtypes(ports)]


def counts(ops):
    """A table: families, and how many of AscendIR's operators of each are in which state."""
    states = ("kernel", "composed", "reference", "infers", "described", "outside")
    out = ["| family | " + " | ".join(states) + " | own |", "|---|" + "---|" * 7]
    total = [0] * 7
    for family in sorted({ops.family(n) for n in ops.names}):
        names = [n for n in ops.names if ops.family(n) == family]
        kinds = [ops.state(n).split(":")[0] if n in ops.air else "own" for n in names]
        numbers = [kinds.count(k) for k in states + ("own",)]
        total = [a + b for a, b in zip(total, numbers)]
        out.append(f"| [{family}](#{family.replace(' ', '-')}) | " + " | ".join(str(n or "") for n in numbers) + " |")
    return out + ["| all | " + " | ".join(str(n) for n in total) + " |"], total


def page(weft):
    ops = Operators(weft)
    table, (fast, composed, slow, only, described, outside, own) = counts(ops)
    out = ["# Primitives", "",
           f"Generated by `tools/gen_primitives.py`; do not edit. AscendIR has {len(ops.air)} operators, weft {own} of its own. "
           f"Of AscendIR's, {fast + composed + slow} run: {fast} have a kernel of their own, {composed} are composed of others (and as "
           f"fast as these), {slow} run by their reference ([kernels.md](kernels.md) says how slow that is). {only} more infer "
           f"dtypes and shapes, {described} are described (`weft op show NAME`: ports, dtypes, attributes), and {outside} are "
           "outside of what a CPU without a cluster can mean; the rows of both say why.", "",
           "One concept gets one kernel; AscendIR's sibling versions are rows of a table or compositions of primitives, which a "
           "pass expands ([add-an-operator.md](add-an-operator.md)). What a model lacks: `weft op list --missing MODEL`. *own*: "
           f"AscendIR has no operator of that name. *ONNX*: operators that the importer turns into it, alone or with others; it "
           f"knows {len(set().union(*ops.uses.values()))}.", "",
           f"Dtypes are named by the first port that has them. *storable* is {STORABLE}; floats are f16, bf16, f32, f64.", ""]
    out += table
    for family in sorted({ops.family(n) for n in ops.names}):
        out += ["", f"## {family}", "| operator | state | computes | ONNX | dtypes |", "|---|---|---|---|---|"]
        for name in ops.names:
            if ops.family(name) == family:
                out.append("| " + " | ".join(c.replace("|", "\\|") for c in ops.row(name)) + " |")
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
