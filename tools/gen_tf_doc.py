#!/usr/bin/env python3
"""gen_tf_doc.py [--check]: writes the table of TensorFlow's operators into docs/frontends.md from
src/frontend/tf/map_*.c, and the list of those that are not read, tools/tf_operators.txt less these, into
docs/frontends-refused.md."""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "frontends.md")
REFUSED = os.path.join(ROOT, "docs", "frontends-refused.md")
NAMES = os.path.join(ROOT, "tools", "tf_operators.txt")
BEGIN, END = "<!-- operators: tools/gen_tf_doc.py -->\n", "<!-- end of TensorFlow's operators -->"

# Name of the family, what to do about it, and which names belong to it: the first that matches.
FAMILIES = [
    ("Input pipelines", "export what is behind them: the model's function of tensors",
     r"Dataset|Iterator|^Options|MultiDevice|Optional|^CompressElement|UncompressElement|GetElementAtIndex|StatsAggregator|ThreadPool"),
    ("Gradients", "export the function that predicts", r"Grad(?![a-z])|Backprop(?!Input$)|Gradient|BackpropInput$"),
    ("Steps of optimisers", "export the function that predicts, or assign the new value yourself",
     r"^(Resource)?(Sparse)?Apply|^ResourceSparse|Sdca|AccumulatorV?|ConditionalAccumulator"),
    ("Random numbers", "hand them in as an input",
     r"Random|Multinomial|CandidateSampler|Shuffle|RNG|Rng|Bernoulli|TruncatedNormal|StatefulStandardNormal|StatefulUniform|NonDeterministicInts|SeedGenerator|ParameterizedT|Skipgram"),
    ("Sparse and ragged tensors", "convert them to dense ones before the model", r"Sparse|Ragged|Coo|Csr"),
    ("Files, records, pictures, sound", "decode before the model",
     r"^Decode|^Encode|File|Reader|^Save|Restore|^Merge[VD]|Summary|Audio|Record|Wav|Jpeg|^Parse|SerializeTensor|ImportEvent|LoadAnd|Mfcc|^Print|Py?Func|WholeFile|ShardedF|Checkpoint"),
    ("Several devices and machines", "export for one device",
     r"Collective|Nccl|TPU|Tpu|Xla|XLA|^Send|^Recv|Device|Remote|Rpc|DTensor|Infeed|Outfeed|Prelinearize|Mesh|Relayout|AllToAll|CrossReplica|Dedup|Minibatch|Embedding|Worker|Replica|Fdo|Cudnn|Session|ConfigureDist|ShutdownDist|ConfigureAnd"),
    ("Queues, stages, locks, references", "TensorFlow 1's; export as a SavedModel of TensorFlow 2",
     r"Queue|^Stack(V2)?(Push|Pop|Close)?|StackP|StackC|Barrier|^Stage|^Unstage|^Map|OrderedMap|Mutex|TensorArray|^Ref|^(Enter|Exit|NextIteration|LoopCond|Assign|AssignAdd|AssignSub|Variable|VariableV2|TemporaryVariable|Scatter(Add|Sub|Mul|Div|Min|Max|Update))$|IsVariableInit|DestroyT|^Batch(Function)?$|^Unbatch|CountUpTo|ControlTrigger|Abort|MemoryCache"),
    ("Tables that change", "only tables that an initialiser fills are read", r"Lookup|HashTable|Table|TensorMap|InitializeTable"),
    ("Decision trees", "convert to ONNX: TreeEnsemble is read", r"Boosted|Tree|Fertile"),
    ("Quantised numbers of TensorFlow 1", "convert to TFLite, whose quantised models are read", r"Quantize|Requant|Dequant|^Quant|FakeQuant|QuantizedR|Uniform(Dequ|Quant|Requ)"),
    ("Text", "tokenise before the model", r"String|Unicode|Regex|Text|Substr|ReduceJoin|SegmentJoin|NGrams"),
]


def read_names():
    names = set()
    for path in glob.glob(os.path.join(ROOT, "src/frontend/tf/map_*.c")):
        text = open(path, encoding="utf-8").read()
        names |= set(re.findall(r'\{"([A-Za-z_0-9]+)", (?:NULL|")', text[text.index("_rows[] = {"):]))
    return names


def table():
    lines, total = [], 0
    for path in sorted(glob.glob(os.path.join(ROOT, "src/frontend/tf/map_*.c"))):
        text = open(path, encoding="utf-8").read()
        about = re.match(r"// map_\w+\.c - (.*?)[.:](?:\s|$)", text, re.S)
        rows = text[text.index("_rows[] = {"):]
        names = sorted(re.findall(r'\{"([A-Za-z_0-9]+)", (?:NULL|")', rows))
        total += len(names)
        what = re.sub(r"\s*\n// ", " ", about.group(1)) if about else ""
        lines.append("| [%s](../%s) | %s | %s |" % (os.path.basename(path)[4:-2], os.path.relpath(path, ROOT), what,
                                                     ", ".join("`%s`" % n for n in names)))
    return "%d operators.\n\n| family | what | operators |\n|---|---|---|\n%s\n" % (total, "\n".join(lines))


def refused():
    every = [n.strip() for n in open(NAMES, encoding="utf-8") if n.strip() and not n.startswith("#")]
    have = read_names()
    left = [n for n in every if n not in have]
    kinds = {f[0]: [] for f in FAMILIES}
    rest = []
    for n in left:
        family = next((f[0] for f in FAMILIES if re.search(f[2], n)), None)
        (kinds[family] if family else rest).append(n)
    lines = ["| %s | %d | %s | %s |" % (f[0], len(kinds[f[0]]), f[1], ", ".join("`%s`" % n for n in kinds[f[0]]))
             for f in FAMILIES]
    lines.append("| Others | %d | nobody has asked for them yet | %s |" % (len(rest), ", ".join("`%s`" % n for n in rest)))
    return """# Operators of TensorFlow that are not read

Written by `tools/gen_tf_doc.py`. TensorFlow 2.21 has %d operators (`tf.raw_ops`), of which weft reads %d
([frontends.md](frontends.md#tensorflow)). A model with one of the others is refused, all of them at once: how often each stands there and
where first. Nodes that no output needs do not count.

| family | operators | instead | names |
|---|---|---|---|
%s
""" % (len(every), len(every) - len(left), "\n".join(lines))


def main():
    page = open(PAGE, encoding="utf-8").read()
    before, rest = page.split(BEGIN)
    pages = {PAGE: before + BEGIN + table() + END + rest.split(END)[1], REFUSED: refused()}
    for path, new in pages.items():
        if "--check" not in sys.argv:
            open(path, "w", encoding="utf-8").write(new)
        elif not os.path.exists(path) or open(path, encoding="utf-8").read() != new:
            sys.exit(os.path.relpath(path, ROOT) + " is old: tools/gen_tf_doc.py")


main()
# SPDX-License-Identifier: Apache-2.0
