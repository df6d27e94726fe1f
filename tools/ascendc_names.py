#!/usr/bin/env python3
"""ascendc_names.py ascendc.json [--check]: writes docs/ascendc-names.md, a row for each name of the kernel interface that the
file lists: how many public kernels use it, and whether a kernel of weft's finds it. A name is there when it stands in the headers
under cann/include/weft_cann that kernel_operator.h brings, as a whole word outside of comments; what stands for no name of its
own (a family, an operator) is said by hand below. --check fails where the page is not what would be written."""
import glob
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADERS = os.path.join(ROOT, "cann", "include", "weft_cann")
TOP = 250
PAGE = os.path.join(ROOT, "docs", "ascendc-names.md")

# Why a name is not there, by what it belongs to. The first that matches counts.
REASONS = [
    (r"[Hh]ccl|^u(8|16|32)$|^SetMask$|^CoreType$|^WaitEvent$|^InitV2$", "communication between devices, or beside it"),
    (r"Aipp|LoadImage", "pictures in the cube's load"),
    (r"Conv2[dD]|GetGemmTiling|^Gemm|^LoopMode$", "products that cut themselves into tiles: not yet"),
    (r"Conv", "convolution objects: not yet"),
    (r"^(Quantize|Dequantize|Pad)$", "what its configuration holds, no public text says"),
    (r"Sparse|Unzip|Mx|DMx|BitMode|SetConfig[01]|Set[A-Z]\w*(Stride|Position|Step|Transpose)$", "the cube of later chips"),
    (r"Make(Shape|Coord|Layout|Stride)", "layouts of the new tensor interface: not yet"),
    (r"Metrics|DumpAcc|ICache|ProgramCounter|Nop|Spm", "measures the chip"),
    (r"Padding|PadValue|Bilinear|VecToMM|Vdeq|FixPipeAddr|MulAddRelu|ShapeInfo|ParamsV[12]$|Ssbuf|SysWork", "no public kernel uses it"),
    (r"[Qq]uant|Norm|Welford|CumSum|Softmax|Philox|Logical", "the library's higher functions: not yet"),
]
# Forms of names that are there, which do not compile, and why: name, form, reason.
FORMS = [
    ("DataCopyPad", "from UB into L1 with `Nd2NzParams`", "not yet; `DataCopy` with `Nd2NzParams` is there"),
    ("DataCopy", "out of L0C by `DataCopyEnhancedParams` into another type", "chips before dav-2201; `Fixpipe` is there"),
    ("SetDeqScale", "with an offset and a sign, of one factor or of 16 (`VdeqInfo`)", "not yet"),
    ("CastDeq, CastDequant", "with a mask", "not yet; by a count they are there"),
    ("LoadData", "`LoadData3DParamsV1`", "chips before dav-2201"),
    ("LoadData", "with scales in `fp8_e8m0_t`", "the cube of later chips"),
    ("LoadDataWithTranspose", "`LoadData2dTransposeParamsV2`", "the cube of later chips"),
    ("PhiloxRandom", "`PhiloxRandomParams`", "what its members mean, no public text says"),
    ("Broadcast", "`BroadcastTiling`", "what its members mean, no public text says"),
    ("GetMatmulApiTiling", "with shapes as types", "not yet"),
    ("Iterate", "of a handle of Hccl", "communication between devices"),
    ("GetPosition", "of two positions", "an aid of the interface's own code"),
]
# Names that headers have in another way: templates of macros, words of the translator.
HELD = {
    "DTYPE_<NAME>": "macros of a package's kernel",
    "ORIG_DTYPE_<NAME>": "macros of a package's kernel",
    "FORMAT_<NAME>": "macros of a package's kernel",
    "__global__ __aicore__": "translated by weft-ascc",
    "kernel<<<blocks, l2ctrl, stream>>>(args)": "translated by weft-ascc",
    "NZ>": "TransformParams of it",
    "ROW_MAJOR>": "TransformParams of it",
    "COLUMN_MAJOR>": "TransformParams of it",
    "assert": "the host's, which ends the program; ASSERT and ascendc_assert end the launch",
}
# The host's mathematics, which threads of SIMT functions call by C's names.
HOST = {"clock", "isnan", "isinf", "fabsf", "fmaf", "fmaxf", "fminf", "y1f", "sincosf"}


def words():
    """Every word of the kernel's headers and of those they include."""
    found, todo, seen = set(), ["kernel_operator.h", "asc_matmul.h", "asc_platform.h", "tiling_key.h", "asc_package.h", "tikicpulib.h"], set()
    while todo:
        name = todo.pop()
        path = os.path.join(HEADERS, name)
        if name in seen or not os.path.exists(path):
            continue
        seen.add(name)
        with open(path, encoding="utf-8") as f:
            text = re.sub(r"//[^\n]*", "", f.read())
        todo += re.findall(r'#include "weft_cann/([^"]+)"', text)
        found.update(re.findall(r"\w+", text))
        # functions that a macro builds: Set and Get of a part
        found.update("Set" + part for part in re.findall(r"\bWEFT_ASC_PART\([^,]+, (\w+)", text))
    return found


def state(name, known):
    if name in HELD:
        return "yes", HELD[name]
    if re.match("DT_|FORMAT_", name):
        return "yes", "written by weft op kernels"
    if name in HOST:
        return "yes", "the host's"
    if name in known:
        return "yes", ""
    for pattern, why in REASONS:
        if re.search(pattern, name):
            return "no", why
    return "no", ""


def tested_words():
    """Every word of the tests in which kernels run."""
    found = set()
    tests = os.path.join(ROOT, "cann", "tests")
    kinds = ["ascendc*_test.cpp", "ascendc_conformance.h", "acl_kernel_test.cpp", "tikicpulib_test.cpp"]
    kinds += ["selfmade_kernels/**/*.cpp", "selfmade_kernels/**/*.h", "ascendc_package/**/*.cpp", "asc/*.asc"]
    for kind in kinds:
        for path in glob.glob(os.path.join(tests, kind), recursive=True):
            with open(path, encoding="utf-8") as f:
                text = re.sub(r"//[^\n]*", "", f.read())
            found.update(re.findall(r"\w+", text))
            # names that a macro builds: CONFORM_BINARY(Add)
            found.update(re.findall(r"\bCONFORM_\w+\((\w+)", text))
    return found


def page(names):
    tested = tested_words()
    known = words()
    rows = [(x["name"], x.get("kernels") or 0, x.get("family", ""), *state(x["name"], known), "yes" if x["name"] in tested else "no") for x in names]
    used = [row for row in rows if row[1]]
    there = sum(row[3] == "yes" for row in rows)
    there_used = sum(row[3] == "yes" for row in used)
    ordered = sorted(rows, key=lambda r: (-r[1], r[0]))

    def of_top(what):
        return sum(row[3] == "yes" and (what == "there" or row[5] == "yes") for row in ordered[:TOP])

    out = [
        "# Names of Ascend C, and which of them are here",
        "",
        "Written by `tools/ascendc_names.py`; do not edit. A name counts as there when a kernel finds it: it does not say that each of",
        "its overloads is. *kernels*: how many kernel sources of two public operator repositories reach it. *tested*: a kernel in a test of",
        "`cann/tests` calls it; that each type, mask and stride is tried, is so for those of `ascendc_vector_test.cpp` and its kin.",
        "",
        f"{there} of {len(rows)} names are there; of the {len(used)} that kernels use, {there_used}. Of the {TOP} used most, {of_top('there')}",
        f"are there and {of_top('tested')} tested.",
        "",
        "| name | family | kernels | there | tested | |",
        "|---|---|---|---|---|---|",
    ]
    for name, kernels, family, there_is, why, test in ordered:
        shown = name.replace("|", "\\|")
        out.append(f"| `{shown}` | {family} | {kernels} | {there_is} | {test if there_is == 'yes' else ''} | {why} |")
    out += ["", "## Forms that are not there", "", "Of names that are:", "", "| name | form | |", "|---|---|---|"]
    out += [f"| {', '.join('`' + part + '`' for part in name.split(', '))} | {form} | {why} |" for name, form, why in FORMS]
    return "\n".join(out) + "\n"


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    with open(arguments[0], encoding="utf-8") as f:
        text = page(json.load(f)["names"])
    if "--check" in sys.argv[1:]:
        with open(PAGE, encoding="utf-8") as f:
            if f.read() != text:
                sys.exit("docs/ascendc-names.md is not what tools/ascendc_names.py writes: run it")
        return
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(text)


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
