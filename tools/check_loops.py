#!/usr/bin/env python3
"""Looks at what the compiler made of the products' inner loops for aarch64: check_loops.py BUILD

In the innermost loops of the tiles of gemm_block_plain.c, blocked_block_plain.c and quant_block_*neon.c every multiply is
a fused one (fmla; smlal, sdot, usdot or sudot by element), all sums are in registers (no load or store by the stack
pointer), and the largest tile has 20 of them."""
import glob
import re
import subprocess
import sys

FUSED = r"(fmla|fmadd|smlal2?|sdot|usdot|sudot)\b"
BYTES = (r"(one|two|packed|packed_unit)_\d+", ("two_10", "packed_10", "packed_unit_10"))
WANTED = {
    "gemm_block_plain": (r"(near|far)[12]_\d+|wide_\d", ("near2_10", "far2_10")),
    "blocked_block_plain": (r"(step|unit)[12]_\d+", ("step2_10", "unit2_10")),
    "quant_block_neon": BYTES,
    "quant_block_dot_neon": BYTES,
    "quant_block_i8mm_neon": BYTES,
}


def functions(text):
    name, code = None, []
    for line in text.splitlines():
        if m := re.match(r"^[0-9a-f]+ <(.*)>:", line):
            if name:
                yield name, code
            name, code = m.group(1), []
        elif m := re.match(r"^\s+([0-9a-f]+):\s+(.*)", line):
            code.append((int(m.group(1), 16), m.group(2).strip()))
    if name:
        yield name, code


def inner_loops(code):
    at = {a: i for i, (a, _) in enumerate(code)}
    loops = []
    for i, (_, text) in enumerate(code):
        m = re.match(r"(?:b\.\w+|cbn?z|tbn?z|b)\s.*?([0-9a-f]+) <", text)
        if m and int(m.group(1), 16) in at and at[int(m.group(1), 16)] <= i:
            loops.append((at[int(m.group(1), 16)], i))
    for lo, hi in loops:
        if not any((a, b) != (lo, hi) and a >= lo and b <= hi for a, b in loops):
            yield [text for _, text in code[lo : hi + 1]]


def main():
    bad = 0
    for stem, (pattern, largest) in WANTED.items():
        found = glob.glob(f"{sys.argv[1]}/CMakeFiles/weft_objects.dir/kernels/cpu/*/isa/{stem}.c.o")
        if not found:
            sys.exit(f"check_loops: there is no {stem}.c.o below {sys.argv[1]}")
        path = found[0]
        text = subprocess.run(["aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", path],
                              capture_output=True, text=True, check=True).stdout
        seen = {}
        for name, code in functions(text):
            if not re.fullmatch(pattern, name):
                continue
            for loop in inner_loops(code):
                fused = sum(bool(re.match(FUSED, t)) for t in loop)
                seen[name] = max(seen.get(name, 0), fused)
                apart = [t for t in loop if re.match(r"(fmul|fadd|s?mul|s?mull2?|mla)\b", t)]
                spilled = [t for t in loop if re.search(r"\b[qdsv]\d+\b.*\[sp", t)]
                if fused and (apart or spilled):
                    print(f"{stem}, {name}: {(apart + spilled)[0]}")
                    bad += 1
        for name in largest:
            if seen.get(name, 0) < 20:
                print(f"{stem}, {name}: {seen.get(name, 0)} fused multiplies in a step, expected 20")
                bad += 1
        print(f"{stem}: {len(seen)} functions, {sum(seen.values())} fused multiplies in their inner loops")
    return bad != 0


sys.exit(main())
# SPDX-License-Identifier: Apache-2.0
