#!/usr/bin/env python3
"""Writes docs/onnx.md from the importer's tables (src/frontend/onnx/map.c, ms_*.c): gen_onnx_doc.py [--check]"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# The operators of ai.onnx up to operator-set version 28.
NAMES = """
Abs Acos Acosh Add AffineGrid And ArgMax ArgMin Asin Asinh Atan Atanh Attention AveragePool BatchNormalization
Bernoulli BitCast BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor BlackmanWindow Cast CastLike
CausalConvWithState Ceil Celu CenterCropPad Clip Col2Im Compress Concat ConcatFromSequence Constant
ConstantOfShape Conv ConvInteger ConvTranspose Cos Cosh CumProd CumSum DFT DeformConv DepthToSpace
DequantizeLinear Det Div Dropout DynamicQuantizeLinear Einsum Elu Equal Erf Exp Expand EyeLike Flatten Floor GRU
Gather GatherElements GatherND Gelu Gemm GlobalAveragePool GlobalLpPool GlobalMaxPool Greater GreaterOrEqual
GridSample GroupNormalization HammingWindow HannWindow HardSigmoid HardSwish Hardmax Identity If ImageDecoder
InstanceNormalization IsInf IsNaN LRN LSTM LayerNormalization LeakyRelu Less LessOrEqual LinearAttention Log
LogSoftmax Loop LpNormalization LpPool MatMul MatMulInteger Max MaxPool MaxRoiPool MaxUnpool Mean
MeanVarianceNormalization MelWeightMatrix Min Mish Mod Mul Multinomial Neg NegativeLogLikelihoodLoss
NonMaxSuppression NonZero Not OneHot Optional OptionalGetElement OptionalHasElement Or PRelu Pad Pow QLinearConv
QLinearMatMul QuantizeLinear RMSNormalization RNN RandomNormal RandomNormalLike RandomUniform RandomUniformLike
Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd
ReduceSum ReduceSumSquare RegexFullMatch Relu Reshape Resize ReverseSequence RoiAlign RotaryEmbedding Round STFT
Scan Scatter ScatterElements ScatterND Selu SequenceAt SequenceConstruct SequenceEmpty SequenceErase
SequenceInsert SequenceLength SequenceMap Shape Shrink Sigmoid Sign Sin Sinh Size Slice Softmax
SoftmaxCrossEntropyLoss Softplus Softsign SpaceToDepth Split SplitToSequence Sqrt Squeeze
StringConcat StringNormalizer StringSplit Sub Sum SwiGLU Swish Tan Tanh TensorScatter TfIdfVectorizer
ThresholdedRelu Tile TopK Transpose Trilu Unique Unsqueeze Upsample Where Xor
""".split()


MICROSOFT = """
These operators are ONNX Runtime's own: they stand in models that its quantisers and optimisers wrote, and in models that it
saved at any level of optimisation. They become primitives, and weft's passes do the rest. `tools/ms_cases.py` holds them to the
peer's results on random shapes and attributes; `tests/data/ms` keeps some of these for a machine without it. Where they differ:
- `MatMulNBits` adds in float whatever `accuracy_level` allows. With `g_idx` it follows the operator's description where the peer's
  CPU takes packed zero points for 8, and numbers of 2 bits for 4.
- `DynamicQuantizeLSTM` leaves inputs and states as they are; the peer rounds them to bytes in each step.
- A cache of `GroupQueryAttention` may hold integers of 8 or 4 bits, keys and values each by a scale of its own kind; the peer's
  CPU wants the same kind for both. Weights for norms of queries and keys, windowed caches and scores as an output are refused.
- Where the peer multiplies by quotients of scales, or looks results up, a byte may be one step off.
- `com.microsoft.nchwc` does not say how many channels a block has. Where the sizes of its filters do not tell, it is what the peer
  would use on this machine: such files are for the kind of machine that wrote them.
"""

ROW = r'^\s*\{"(\w+)",\s*(\d+),\s*(\d+),\s*"([^"]+)",[^}]*?(?:,\s*("[\w.]+"|ONNX_MS\w*))?\}'
MACROS = {"ONNX_MS": "com.microsoft", "ONNX_MS_NCHWC": "com.microsoft.nchwc"}


def read_rows():
    """Domain -> operator -> [(first, last, primitives)], of all tables."""
    rows = {}
    for path in [f"{ROOT}/src/frontend/onnx/map.c"] + sorted(glob.glob(f"{ROOT}/src/frontend/onnx/ms_*.c")):
        text = open(path, encoding="utf-8").read()
        for name, primitive in re.findall(r'^\s*SAME\("(\w+)",\s*"([^"]+)"\)', text, re.M):
            rows.setdefault("", {}).setdefault(name, []).append((1, 0, primitive))
        for name, first, last, primitive, domain in re.findall(ROW, text, re.M):
            domain = MACROS.get(domain, domain.strip('"'))
            rows.setdefault(domain, {}).setdefault(name, []).append((int(first), int(last), primitive))
    return rows


def table(rows, names):
    out = ["| operator | versions | primitives |", "|---|---|---|"]
    for name in sorted(names):
        for first, last, primitive in sorted(rows.get(name, [(0, 0, "not there yet")])):
            versions = "" if not first else f"{first} to {last}" if last else f"{first} on"
            out.append(f"| {name} | {versions} | {primitive} |")
    return out


SETTLED = """## What is settled, and how

| a model has | what happens |
|---|---|
| nodes in front of what they read | they are moved behind it, with a warning; a cycle is E_CYCLE and is named |
| dims of inputs without a name, or called `?`, `None`, `unknown`, `-1`, `unk__7` ... | each has a symbol of its own, `x_0` for the first of `x` |
| one name for dims that are given different sizes | `weft run` warns and relies on no shared name (`weft_onnx_options.separate_dims`); `--strict`, and a program that was compiled before, refuse |
| an operator of any domain that a package or the program registered | found as `domain::Type`, then as `Type` ([an example](../examples/custom_operator/README.md)) |
| an operator of weft or AscendIR by its own name | found in the domain `weft` |
| an operator that nobody has | `weft show` and `weft infer` put an `Unknown` there, whose outputs are what the model declares; `weft run` refuses |
| a call of a function that names fewer outputs than it has | E_INVALID, as in ONNX Runtime: an output that is not needed has an empty name |
| a sum, difference or product of dims that overflows | it wraps, as it does when it runs; `--strict` refuses, E_OVERFLOW |
| declared shapes of intermediate values or outputs that are not what inference finds | a warning with both; what was found counts |

`tools/zoo` runs what exporters write beside ONNX Runtime.
"""


def main():
    all_rows = read_rows()
    rows = all_rows[""]
    other = sorted(set(rows) - set(NAMES))
    done = sum(n in rows for n in NAMES)
    out = ["# ONNX operators", "",
           "Generated by `tools/gen_onnx_doc.py` from the tables of the importer. Versions are operator-set versions of",
           "the domain for which a row holds; primitives are weft's operators, in AscendIR's names where AscendIR has them.",
           "", f"{done} of {len(NAMES)} operators of ai.onnx are imported.", "", SETTLED, "## ai.onnx", ""]
    out += table(rows, set(NAMES) | set(rows))
    if other:
        out += ["", "Not final, or experimental ones of the first operator sets: " + ", ".join(other) + "."]
    for domain in sorted(set(all_rows) - {""}):
        more = MICROSOFT.strip().split("\n") + [""] if domain == "com.microsoft" else []
        out += ["", f"## {domain}", ""] + more + table(all_rows[domain], all_rows[domain])
    page = "\n".join(out) + "\n"
    path = f"{ROOT}/docs/onnx.md"
    if "--check" in sys.argv:
        if not os.path.exists(path) or open(path, encoding="utf-8").read() != page:
            sys.exit("docs/onnx.md is stale: run tools/gen_onnx_doc.py")
        return
    open(path, "w", encoding="utf-8").write(page)
    print(f"docs/onnx.md: {done} of {len(NAMES)} operators")


main()
# SPDX-License-Identifier: Apache-2.0
