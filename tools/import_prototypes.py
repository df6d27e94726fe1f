#!/usr/bin/env python3
"""Writes catalogue/air_ops.txt from a list of AscendIR's prototypes as they are published (air_ops.json, one operator a line).

    tools/import_prototypes.py air_ops.json [-o air_ops.txt] [--check]

The list is not in the repository. What it takes from the published words: names of dtype sets become their members, defaults
in C++ become weft's text. A token that cannot be resolved stops the script with the operator and the token.
--check writes nothing and fails when the text on disk says something else.
"""
import argparse
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from gen_catalogue import ATTR_TYPES, ROOT, TEXT, Bad, read_text, unique, write_text  # noqa: E402

HEAD = """# Prototypes of AscendIR: facts of an interface. docs/provenance.md says from where and under what terms.
# tools/gen_catalogue.py describes the lines and makes air_table.c of them.
"""
KINDS = ["required", "optional", "dynamic"]
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


def read_list(path):
    with open(path, encoding="ascii") as f:
        source = json.load(f)
    ops = []
    for op in source:
        try:
            ops.append((read_op(op), op["from"].replace(" ", "-")))
        except Bad as e:
            sys.exit(f"{op.get('name', '(operator without a name)')}: {e}")
    try:
        unique("operator", [op[0][0] for op in ops])
    except Bad as e:
        sys.exit(str(e))
    return sorted(ops)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("json")
    parser.add_argument("-o", "--out", default=TEXT)
    parser.add_argument("--check", action="store_true", help="compare with the file, write nothing")
    args = parser.parse_args()
    ops = read_list(args.json)
    if args.check:
        if read_text(args.out) != ops:
            sys.exit(f"{args.out} does not say what {args.json} says: run tools/import_prototypes.py")
        return
    with open(args.out, "w", encoding="ascii", newline="\n") as f:
        f.write(write_text(ops, HEAD))


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
