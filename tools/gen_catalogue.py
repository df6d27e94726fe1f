#!/usr/bin/env python3
"""Writes catalogue/air_table.c from AscendIR's prototypes (air_ops.json, one operator a line).

    tools/gen_catalogue.py [air_ops.json] [-o air_table.c] [--check]

The default input is ../shared/data/air_ops.json beside the repository. The layout of the table is described
in catalogue/air_table.h; output depends on the input only. A token that cannot be resolved stops the script
with the operator and the token. The finished table is decoded again and compared with the input before it is
written.
--check writes nothing and fails when the file on disk differs.
"""
import argparse
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KINDS = ["required", "optional", "dynamic"]
ATTR_TYPES = ["String", "Float", "Bool", "Int", "Tensor", "Type", "ListString", "ListFloat", "ListBool",
              "ListInt", "ListListInt", "ListType"]
SIGNED, UNSIGNED = "INT8 INT16 INT32 INT64", "UINT8 UINT16 UINT32 UINT64"
COMPLEX, QUANT = "COMPLEX128 COMPLEX64 COMPLEX32", "QINT16 QINT32 QINT8 QUINT16 QUINT8"
REAL = f"DOUBLE FLOAT FLOAT16 BF16 {SIGNED} {UNSIGNED}"
ORDINARY = f"BOOL {COMPLEX} {REAL}"
# The members of TensorType's factory functions.
NAMED_SETS = {
    "ALL": f"{ORDINARY} {QUANT} RESOURCE STRING",
    "QuantifiedType": QUANT,
    "OrdinaryType": ORDINARY,
    "BasicType": f"{COMPLEX} {REAL} {QUANT}",
    "NumberType": f"{COMPLEX} {REAL} QINT32 QINT8 QUINT8",
    "RealNumberType": REAL,
    "ComplexDataType": COMPLEX,
    "IntegerDataType": f"{SIGNED} {UNSIGNED}",
    "FloatingDataType": "DOUBLE FLOAT FLOAT16",
    "IndexNumberType": "INT32 INT64",
    "UnaryDataType": f"{COMPLEX} DOUBLE FLOAT FLOAT16 BF16",
    "FLOAT": "FLOAT FLOAT16 BF16",
}


class Bad(Exception):
    pass


def read_dtypes():
    """DT_ name -> (number, short text), from the X-list that the library itself is built with."""
    text = open(os.path.join(ROOT, "include/weft/dtype.h"), encoding="utf-8").read()
    rows = re.findall(r'^\s*X\((\w+), (\d+), \d+, "(\w+)", "(\w+)"\)', text, re.M)
    out = {}
    for name, number, serial, short in rows:
        out["DT_" + name] = out[serial] = (int(number), short)
    if len(rows) < 42:
        sys.exit("include/weft/dtype.h: WEFT_DTYPE_LIST not found")
    return out


DTYPES = read_dtypes()


def dtype(token):
    if token not in DTYPES:
        raise Bad(f"dtype '{token}' is not known")
    return DTYPES[token]


def set_bits(value):
    """A set name, or a list of DT_ names and set names."""
    bits = 0
    for token in [value] if isinstance(value, str) else value:
        if token in NAMED_SETS:
            for name in NAMED_SETS[token].split():
                bits |= 1 << DTYPES["DT_" + name][0]
        elif isinstance(token, str) and token.startswith("DT_"):
            bits |= 1 << dtype(token)[0]
        else:
            raise Bad(f"'{token}' is neither a dtype nor a dtype set")
    if not bits:
        raise Bad("an empty dtype list")
    return bits


# ---- defaults: C++ literals to the text of weft_attr_parse ----
def atom_int(t):
    if t in DTYPES:
        return str(DTYPES[t][0])
    if not re.fullmatch(r"-?(0[xX][0-9a-fA-F]+|0|[1-9]\d*)", t) or not -2**63 <= int(t, 0) < 2**63:
        raise Bad(f"'{t}' is no integer")
    return str(int(t, 0))


def atom_float(t):
    if "/" in t:
        a, b = (float(atom_float(x.strip())) for x in t.split("/"))
        return atom_float(repr(a / b))
    m = re.fullmatch(r"(-?\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?[fF]?", t)
    if not m or abs(float(t.rstrip("fF"))) > 3.4e38:
        raise Bad(f"'{t}' is no float")
    whole, part, exponent = m.groups()
    part = "" if part is None else "." + (part or "0")
    return whole + part + (f"e{int(exponent)}" if exponent else "")


def atom_bool(t):
    if t not in ("true", "false"):
        raise Bad(f"'{t}' is neither true nor false")
    return t


def atom_string(t):
    if not re.fullmatch(r'"[^"\\\x00-\x1f]*"', t):
        raise Bad(f"'{t}' is no string without escapes")
    return t


ATOMS = {"Int": atom_int, "Float": atom_float, "Bool": atom_bool, "String": atom_string,
         "Type": lambda t: dtype(t)[1]}


def braces(text, atom, depth):
    """'{ {1}, {2} }' with depth 2 -> '[[1],[2]]'."""
    if not (text.startswith("{") and text.endswith("}")):
        raise Bad(f"'{text}' is no list of depth {depth}")
    items, level, start, quoted = [], 0, 0, False
    body = text[1:-1]
    for i, c in enumerate(body):
        quoted ^= c == '"'
        level += 0 if quoted else (c == "{") - (c == "}")
        if c == "," and not level and not quoted:
            items.append(body[start:i].strip())
            start = i + 1
    if body.strip():
        items.append(body[start:].strip())
    return "[" + ",".join(braces(x, atom, depth - 1) if depth > 1 else atom(x) for x in items) + "]"


def default_text(kind, literal):
    literal = literal.strip()
    if kind == "Tensor":
        if literal != "Tensor()":
            raise Bad(f"'{literal}' is no Tensor default")
        return "f32[0]{}"
    depth = 0
    while kind.startswith("List"):
        kind, depth = kind[4:], depth + 1
    return braces(literal, ATOMS[kind], depth) if depth else ATOMS[kind](literal)


# ---- one operator, checked and resolved ----
def only_keys(what, obj, needed, optional=()):
    for key in obj:
        if key not in needed and key not in optional:
            raise Bad(f"{what}: '{key}' is not understood")
    for key in needed:
        if key not in obj:
            raise Bad(f"{what}: '{key}' is missing")


def unique(what, names):
    for name in names:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise Bad(f"{what} '{name}' is no identifier")
        if names.count(name) > 1:
            raise Bad(f"{what} '{name}' appears twice")


def read_types(op):
    out = []  # (name, bits, "T1,T2" or "")
    for name, value in op.get("types", {}).items():
        if isinstance(value, dict):
            only_keys(f"symbol '{name}'", value, ["promote"])
            for other in value["promote"]:
                if other == name or other not in op["types"] or isinstance(op["types"][other], dict):
                    raise Bad(f"symbol '{name}' promotes '{other}', which is no other symbol")
            out.append((name, 0, ",".join(value["promote"])))
        else:
            out.append((name, set_bits(value), ""))
    return out


def read_op(op):
    only_keys("operator", op, ["name", "inputs", "outputs", "attrs", "from"], ["types", "graphs"])
    types = read_types(op)
    symbols = [t[0] for t in types]
    unique("symbol", symbols)
    ports = {}
    for side in ("inputs", "outputs"):
        unique(side, [p["name"] for p in op[side]])
        ports[side] = []
        for p in op[side]:
            try:
                only_keys("port", p, ["name", "kind", "dtypes"])
                if p["kind"] not in KINDS:
                    raise Bad(f"kind '{p['kind']}' is not known")
                symbol = isinstance(p["dtypes"], str) and p["dtypes"] in symbols
                what = p["dtypes"] if symbol else set_bits(p["dtypes"])
                ports[side].append((p["name"], KINDS.index(p["kind"]), what))
            except Bad as e:
                raise Bad(f"{side} '{p['name']}': {e}") from None
    unique("attribute", [a["name"] for a in op["attrs"]])
    attrs = []
    for a in op["attrs"]:
        try:
            only_keys("attribute", a, ["name", "type"], ["required", "default"])
            if a["type"] not in ATTR_TYPES:
                raise Bad(f"type '{a['type']}' is not known")
            if a.get("required", False) == ("default" in a):
                raise Bad("needs either required or a default")
            dflt = default_text(a["type"], a["default"]) if "default" in a else ""
            attrs.append((a["name"], a["type"], dflt))
        except Bad as e:
            raise Bad(f"attribute '{a['name']}': {e}") from None
    for g in op.get("graphs", []):
        only_keys("graph", g, ["name", "dynamic"])
    graphs = [("*" if g["dynamic"] else "") + g["name"] for g in op.get("graphs", [])]
    unique("graph", [g.lstrip("*") for g in graphs])
    return op["name"], ports["inputs"], ports["outputs"], attrs, types, graphs


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
        "// Generated by tools/gen_catalogue.py from air_ops.json: AscendIR's prototypes. See air_table.h.",
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
    parser.add_argument("json", nargs="?", default=os.path.join(ROOT, "../shared/data/air_ops.json"))
    parser.add_argument("-o", "--out", default=os.path.join(ROOT, "catalogue/air_table.c"))
    parser.add_argument("--check", action="store_true", help="compare with the file, write nothing")
    args = parser.parse_args()
    with open(args.json, encoding="ascii") as f:
        source = json.load(f)
    unique_names = {}
    ops = []
    for op in source:
        name = op.get("name", "(operator without a name)")
        try:
            unique("operator", [name])
            if name in unique_names:
                raise Bad("the operator appears twice")
            unique_names[name] = True
            ops.append(read_op(op))
        except Bad as e:
            sys.exit(f"{name}: {e}")
    text = c_text(build(sorted(ops)))
    if args.check:
        with open(args.out, encoding="ascii") as f:
            if f.read() != text:
                sys.exit(f"{args.out} is not what {args.json} gives: run tools/gen_catalogue.py")
        return
    with open(args.out, "w", encoding="ascii", newline="\n") as f:
        f.write(text)
    print(f"{args.out}: {len(ops)} operators")


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
