#!/usr/bin/env python3
"""Checks what each layer calls, by the symbols of the objects that a build made: an upward call is found that includes
do not show (a declaration repeated, a pointer by a table). The layers are those of tools/check_layers.py.

  check_symbols.py BUILD"""
import os
import subprocess
import sys

from check_layers import BELOW, FAMILIES, ROOT

# who names what is above him, and why
ALLOWED = {
    ("src/op/env.c", "generated"): "the built-in operators, from ops/",
    ("src/op/env.c", "catalogue"): "AscendIR's prototypes, which are made when they are asked for",
    ("src/op/proto.c", "catalogue"): "the same",
    ("src/op/air_rows.c", "catalogue"): "rows take their ports from AscendIR's prototype",
    ("src/op/nearest.c", "generated"): "names of both, to find one near to an unknown name",
    ("src/op/nearest.c", "catalogue"): "the same",
    ("src/op/laws_traits.c", "catalogue"): "the laws compare an operator with AscendIR's prototype",
    ("src/device/devices.c", "kernels"): "the devices that are built in",
    ("src/device/kernels.c", "kernels"): "the layouts of the CPU's own kernels",
    ("src/device/kernels.c", "generated"): "the tables of kernels",
    ("src/pass/table.c", "passes"): "the order of the passes",
}


def objects(build):
    top = os.path.join(build, "CMakeFiles", "weft_objects.dir")
    for folder, _, names in os.walk(top):
        for name in names:
            if name.endswith(".c.o"):
                path = os.path.join(folder, name)
                source = os.path.relpath(path, top)[:-2]
                if "generated" in source or os.path.exists(os.path.join(ROOT, source)):  # else it is of another day
                    yield source, path


def symbols(path):
    text = subprocess.run(["nm", "-g", path], check=True, capture_output=True, text=True).stdout
    defined, used = set(), set()
    for line in text.splitlines():
        kind, name = line.split()[-2:]
        if "weft" in name and not name.startswith("__odr_asan"):
            (used if kind in "Uw" else defined).add(name)
    return defined, used


def layer_of(path):
    parts = path.split("/")
    if "generated" in parts:
        return "generated"
    return parts[1] if parts[0] == "src" else parts[0]


def family_of(path):
    parts = path.split("/")
    return parts[2] if parts[:2] == ["kernels", "cpu"] and len(parts) > 3 else None


def may_call(caller, callee):
    layer, target = layer_of(caller), layer_of(callee)
    if layer == "generated" or (caller, target) in ALLOWED:
        return True
    if layer == target == "kernels":
        mine, other = family_of(caller), family_of(callee)
        return not mine or mine == other or other in FAMILIES[mine]
    if layer == target:
        return True
    below = {"ops": ["base", "tensor", "op"], "compositions": ["compose"] + BELOW["compose"], "catalogue": ["base", "tensor", "op"],
             "passes": ["pass"] + BELOW["pass"], "kernels": ["device"] + BELOW["device"]}
    return target in below.get(layer, BELOW.get(layer, []))


def main():
    owner, uses = {}, {}
    for source, path in objects(sys.argv[1]):
        defined, used = symbols(path)
        uses[source] = used
        owner.update((name, source) for name in defined)
    problems = []
    for source in sorted(uses):
        for name in sorted(uses[source]):
            target = owner.get(name)
            if target and not may_call(source, target):
                problems.append(f"{source} uses {name}, which is above it: {target}")
    print("\n".join(problems + [f"symbols of {len(uses)} objects: {len(problems)} upward"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: Apache-2.0
