#!/usr/bin/env python3
"""Writes catalogue/air_table.c from catalogue/air_ops.txt, the prototypes of AscendIR.

    tools/gen_catalogue.py [air_ops.txt] [-o air_table.c] [--check]

The text has one fact a line; what a line says:
    op NAME SOURCE                 an operator, and where its prototype was published (docs/provenance.md)
    in[?|*] NAME DTYPES            an input; ? optional, * dynamic. DTYPES: f16|f32, or a symbol of the operator
    out[?|*] NAME DTYPES           an output
    attr NAME TYPE [= DEFAULT]     an attribute; without a default it is required
    type NAME DTYPES               a dtype symbol; `promote T1,T2`: what these promote to
    graph [*]NAME                  a sub-graph; * dynamic
The layout of the table is described in catalogue/air_table.h; output depends on the input only. A line that is not understood
stops the script with its number. The finished table is decoded again and compared with the input before it is written.
--check writes nothing and fails when the file on disk differs.
"""
import argparse
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TEXT = os.path.join(ROOT, "catalogue", "air_ops.txt")
KINDS = ["", "?", "*"]
ATTR_TYPES = ["String", "Float", "Bool", "Int", "Tensor", "Type", "ListString", "ListFloat", "ListBool",
              "ListInt", "ListListInt", "ListType"]


class Bad(Exception):
    pass


def read_dtypes():
    """short name -> number, from the X-list that the library itself is built with"""
    text = open(os.path.join(ROOT, "include/weft/dtype.h"), encoding="utf-8").read()
    rows = re.findall(r'^\s*X\(\w+, (\d+), \d+, "\w+", "(\w+)"\)', text, re.M)
    out = {short: int(number) for number, short in rows}
    if len(rows) < 42:
        sys.exit("include/weft/dtype.h: WEFT_DTYPE_LIST not found")
    return out


DTYPES = read_dtypes()


# ---- the text ----
def unique(what, names):
    for name in names:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise Bad(f"{what} '{name}' is no identifier")
        if names.count(name) > 1:
            raise Bad(f"{what} '{name}' appears twice")


def set_bits(text):
    bits = 0
    for name in text.split("|"):
        if name not in DTYPES:
            raise Bad(f"dtype '{name}' is not known")
        bits |= 1 << DTYPES[name]
    return bits


NUMBER = r"-?\d+(\.\d+)?(e-?\d+)?"
ATOMS = {"Int": r"-?\d+", "Float": NUMBER, "Bool": "true|false", "String": r'"[^"\\]*"', "Type": "|".join(DTYPES),
         "Tensor": r"f32\[0\]\{\}"}


def check_default(kind, text):
    """weft_attr_parse reads it: src/op/catalogue_test.c tries them all. Here: is it of that type?"""
    depth = 0
    while kind.startswith("List"):
        kind, depth = kind[4:], depth + 1
    pattern = f"(?:{ATOMS[kind]})"
    for _ in range(depth):
        pattern = rf"\[(?:{pattern}(?:,{pattern})*)?\]"
    if not re.fullmatch(pattern, text):
        raise Bad(f"'{text}' is no default")


class Operator:
    def __init__(self, at, name, source):
        self.at, self.name, self.source = at, name, source
        self.ins, self.outs, self.attrs, self.types, self.graphs = [], [], [], [], []

    def add(self, what, rest):
        if what in ("attr", "graph", "type"):
            getattr(self, what)(*rest)
            return
        m = re.fullmatch(r"(in|out)([?*]?)", what)
        if not m or len(rest) != 2:
            raise Bad(f"'{what}' is not understood")
        (self.ins if m[1] == "in" else self.outs).append((rest[0], KINDS.index(m[2]), rest[1]))

    def attr(self, name, kind, equals="=", *dflt):
        if kind not in ATTR_TYPES or equals != "=":
            raise Bad(f"attribute '{name}' is not understood")
        if dflt:
            check_default(kind, dflt[0])
        self.attrs.append((name, kind, dflt[0] if dflt else ""))

    def graph(self, name):
        self.graphs.append(name)

    def type(self, name, how, *others):
        if others:
            self.types.append((name, 0, others[0]))
        else:
            self.types.append((name, set_bits(how), ""))

    def whole(self):
        symbols = [t[0] for t in self.types]
        for what, names in (("symbol", symbols), ("input", [p[0] for p in self.ins]), ("output", [p[0] for p in self.outs]),
                            ("attribute", [a[0] for a in self.attrs]), ("graph", [g.lstrip("*") for g in self.graphs])):
            unique(what, names)
        sets = {t[0]: t[1] for t in self.types}
        for name, _, promote in self.types:
            for other in promote.split(",") if promote else ():
                if not sets.get(other):
                    raise Bad(f"symbol '{name}' promotes '{other}', which is no other symbol")

        def bound(ports):
            return [(n, kind, what if what in symbols else set_bits(what)) for n, kind, what in ports]

        return self.name, bound(self.ins), bound(self.outs), self.attrs, self.types, self.graphs


def read_text(path):
    """Gives [(tuple of whole(), source)]."""
    ops, at = [], 0
    with open(path, encoding="ascii") as f:
        lines = f.read().splitlines()
    try:
        for at, line in enumerate(lines, 1):
            words = line.split(" ", 4)
            if line.startswith("#") or not line:
                continue
            if words[0] == "op":
                ops.append(Operator(at, *words[1:]))
            else:
                ops[-1].add(words[0], words[1:])
        unique("operator", [op.name for op in ops])
        made = []
        for op in ops:
            at = op.at
            made.append((op.whole(), op.source))
        return made
    except (Bad, TypeError, IndexError) as e:
        sys.exit(f"{path}:{at}: {e}")


def write_text(ops, head):
    """The text of [(tuple of whole(), source)]."""
    short = {number: name for name, number in DTYPES.items()}

    def dtypes(what):
        return what if isinstance(what, str) else "|".join(short[i] for i in range(64) if what >> i & 1)

    lines = [head.rstrip("\n")]
    for (name, ins, outs, attrs, types, graphs), source in ops:
        lines += ["", f"op {name} {source}"]
        lines += [f"in{KINDS[kind]} {n} {dtypes(what)}" for n, kind, what in ins]
        lines += [f"out{KINDS[kind]} {n} {dtypes(what)}" for n, kind, what in outs]
        lines += [f"attr {n} {kind}" + (f" = {dflt}" if dflt else "") for n, kind, dflt in attrs]
        lines += [f"type {n} " + (f"promote {promote}" if promote else dtypes(bits)) for n, bits, promote in types]
        lines += [f"graph {g}" for g in graphs]
    return "\n".join(lines) + "\n"


# ---- the table ----
def strings_of(op):
    name, ins, outs, attrs, types, graphs = op
    yield name
    yield from (p[0] for p in ins + outs)
    for a in attrs:
        yield from a
    for t in types:
        yield t[0]
        yield t[2]
    yield from graphs


def make_pool(strings):
    """Zero-terminated strings; one that ends another lies inside it. Offset 0 is the empty string."""
    literals, offset, at, previous = [""], {"": 0}, 1, ""
    for s in sorted(set(strings) - {""}, key=lambda s: s[::-1], reverse=True):
        if previous.endswith(s):
            offset[s] = at - 1 - len(s)
            continue
        literals.append(s)
        offset[s] = at
        at += len(s) + 1
        previous = s
    return literals, offset, at


def encode(op, offset, set_index, attr_index):
    name, ins, outs, attrs, types, graphs = op
    symbols = [t[0] for t in types]
    if max(len(ins), len(outs), len(attrs)) > 255 or max(len(types), len(graphs)) > 15:
        raise Bad("too many ports, attributes, symbols or graphs for a table entry")
    words = [offset[name], len(ins) << 8 | len(outs), len(attrs) << 8 | len(types) << 4 | len(graphs)]
    for p, kind, what in ins + outs:
        bound = isinstance(what, str)
        words += [offset[p], kind << 14 | bound << 13 | (symbols.index(what) if bound else set_index[what])]
    words += [attr_index[a] for a in attrs]
    for t, bits, promote in types:
        words += [offset[t], set_index[bits], offset[promote]]
    return words + [offset[g] for g in graphs]


def decode(table, i):
    literals, sets, attrs, starts, words = table
    pool = "".join(s + "\0" for s in literals)

    def text(at):
        return pool[at:pool.index("\0", at)]

    it = iter(words[starts[i]:])
    name, ports, rest = text(next(it)), next(it), next(it)
    raw = [(text(next(it)), next(it)) for _ in range((ports >> 8) + (ports & 255))]
    out_attrs = [tuple(text(x) for x in attrs[next(it)]) for _ in range(rest >> 8)]
    types = [(text(next(it)), sets[next(it)], text(next(it))) for _ in range(rest >> 4 & 15)]
    graphs = [text(next(it)) for _ in range(rest & 15)]
    full = [(n, w >> 14, types[w & 0x1FFF][0] if w >> 13 & 1 else sets[w & 0x1FFF]) for n, w in raw]
    return name, full[:ports >> 8], full[ports >> 8:], out_attrs, types, graphs


def build(ops):
    literals, offset, pool_bytes = make_pool(s for op in ops for s in strings_of(op))
    bits = {0} | {p[2] for op in ops for p in op[1] + op[2] if not isinstance(p[2], str)}
    sets = sorted(bits | {t[1] for op in ops for t in op[4]})
    attrs = sorted({a for op in ops for a in op[3]})
    set_index = {s: i for i, s in enumerate(sets)}
    attr_index = {a: i for i, a in enumerate(attrs)}
    starts, words = [], []
    for op in ops:
        starts.append(len(words))
        try:
            words += encode(op, offset, set_index, attr_index)
        except Bad as e:
            sys.exit(f"{op[0]}: {e}")
    if pool_bytes > 65536 or len(words) > 65536 or len(sets) > 8192:
        sys.exit(f"the table is over its 16-bit offsets: {pool_bytes} bytes of text, {len(words)} words, "
                 f"{len(sets)} sets: widen air_table.h")
    table = literals, sets, [tuple(offset[x] for x in a) for a in attrs], starts, words
    for i, op in enumerate(ops):
        if decode(table, i) != op:
            sys.exit(f"{op[0]}: the encoded entry does not read back")
    return table


def wrap(items, indent="    ", limit=110, between=" "):
    lines, line = [], indent
    for item in items:
        if len(line) + len(item) + 1 > limit:
            lines.append(line.rstrip())
            line = indent
        line += item + between
    return "\n".join(lines + [line.rstrip()])


def c_text(table):
    literals, sets, attrs, starts, words = table
    quoted = ['"' + s.replace("\\", "\\\\").replace('"', '\\"') + '\\0"' for s in literals]
    return "\n".join([
        "// Generated by tools/gen_catalogue.py from catalogue/air_ops.txt: AscendIR's prototypes. See air_table.h.",
        '#include "air_table.h"', "", "// clang-format off",
        f"const uint32_t weft__air_count = {len(starts)};", "",
        f"const uint16_t weft__air_start[{len(starts)}] = {{", wrap(f"{x}," for x in starts), "};", "",
        f"const uint16_t weft__air_words[{len(words)}] = {{", wrap(f"{x}," for x in words), "};", "",
        f"const uint16_t weft__air_attrs[{len(attrs)}][3] = {{",
        wrap("{%d, %d, %d}," % a for a in attrs), "};", "",
        f"const uint64_t weft__air_sets[{len(sets)}] = {{", wrap(f"0x{x:x}," for x in sets), "};", "",
        "const char weft__air_text[] =", wrap(quoted) + ";", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", nargs="?", default=TEXT)
    parser.add_argument("-o", "--out", default=os.path.join(ROOT, "catalogue/air_table.c"))
    parser.add_argument("--check", action="store_true", help="compare with the file, write nothing")
    args = parser.parse_args()
    text = c_text(build(sorted(op for op, _ in read_text(args.text))))
    if args.check:
        with open(args.out, encoding="ascii") as f:
            if f.read() != text:
                sys.exit(f"{args.out} is not what {args.text} gives: run tools/gen_catalogue.py")
        return
    with open(args.out, "w", encoding="ascii", newline="\n") as f:
        f.write(text)


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
