#!/usr/bin/env python3
"""weft beside ONNX Runtime on the benchmark models: runs `weft bench` and writes docs/performance.md and docs/pictures/.

  tools/bench_performance.py BUILD [--only NAME...] [--seconds S] [--out DIR] [--page NAME]     BUILD has weft (build/release)

Takes about ten minutes; the machine should have nothing else to do. Peer and models are those of tools/bench_import.py.
What is written is what was measured: nothing of the page is kept from before. --only measures some models, for a look.
"""
import argparse
import datetime
import glob
import json
import os
import subprocess
import sys
import time

import bench_import
import peer_isa
from bench_limits import Limits, Machine, Missed, limits_table
from bench_text import Score, measured_table, over, ratio_text, split, table, time_text

ROOT = bench_import.ROOT
LIGHT = f"{ROOT}/../shared/data/onnx/light"
# Goals of the time beside the peer: (with AMX, with AVX-512 or AVX2 only); one for all threads, or by threads.
CONV, SMALL, BERT = (0.65, 0.95), (0.75, 0.90), (0.70, 0.95)
FEW, CHAIN, DECODE, PREFILL = (0.60, 0.60), (0.20, 0.20), {1: (0.80, 0.80), 2: (0.95, 0.95)}, (0.70, 0.95)
CASES = [  # name, model, options, goal, kind (for memory)
    ("resnet18", "resnet18", "", CONV, "conv"),
    ("resnet50", "resnet50", "", CONV, "conv"),
    ("vgg19", "light_vgg19", "", CONV, "conv"),
    ("densenet121", "light_densenet121", "", CONV, "conv"),
    ("inception_v2", "light_inception_v2", "", CONV, "conv"),
    ("inception_v1", "light_inception_v1", "", (0.50, 0.60), "conv"),
    ("zfnet512", "light_zfnet512", "", (0.50, 0.65), "conv"),
    ("alexnet", "light_bvlc_alexnet", "", (0.50, 0.75), "conv"),
    ("mobilenet_v2", "mobilenet_v2", "", SMALL, "conv"),
    ("shufflenet", "light_shufflenet", "", SMALL, "conv"),
    ("squeezenet", "light_squeezenet", "", SMALL, "conv"),
    ("bert_1x128", "bert6_ln_op", "--dim batch=1 --dim sequence=128", BERT, "transformer"),
    ("bert_4x37", "bert6_ln_op", "--dim batch=4 --dim sequence=37", BERT, "transformer"),
    ("bert_1x1", "bert6_ln_op", "--dim batch=1 --dim sequence=1", BERT, "transformer"),
    ("bert_1x512", "bert6_ln_op", "--dim batch=1 --dim sequence=512", BERT, "transformer"),
    ("bert_plain_ln_1x128", "bert6_prim_ln", "--dim batch=1 --dim sequence=128", BERT, "transformer"),
    ("gpt_prefill_16", "gpt6_kv", "--dim sequence=16 --dim past=0", PREFILL, "transformer"),
    ("gpt_prefill_128", "gpt6_kv", "--dim sequence=128 --dim past=0", PREFILL, "transformer"),
    ("gpt_decode_past_63", "gpt6_kv", "--dim sequence=1 --dim past=63", DECODE, "transformer"),
    ("gpt_decode_past_511", "gpt6_kv", "--dim sequence=1 --dim past=511", DECODE, "transformer"),
    ("chain2000", "chain2000", "", CHAIN, ""),
    ("lstm_1x50", "lstm_classifier", "--dim batch=1 --dim sequence=50", FEW, ""),
    ("lstm_8x20", "lstm_classifier", "--dim batch=8 --dim sequence=20", FEW, ""),
    ("nonzero_gather", "nonzero_gather", "--data-set {dir}/test_data_set_2 --data-set {dir}/test_data_set_0 --data-set {dir}/test_data_set_1",
     FEW, ""),
    ("branches64", "branches64", "", FEW, ""),
    ("synth1000", "synth1000", "", FEW, ""),
    ("synth20000", "synth20000", "--starts 3", FEW, ""),  # the peer's starts take five seconds
]
# Goals where weft may round operands to bf16; by model.
MAY_ROUND = {"mobilenet_v2": 0.50, "light_shufflenet": 0.50, "light_squeezenet": 0.50, "bert6_ln_op": 0.35, "bert6_prim_ln": 0.35}
MAY_ROUND_KIND, MAY_ROUND_DECODE = {"conv": 0.30, "transformer": 0.35}, 0.60
# Networks of 8-bit integers, which tools/quantised_models.py makes: name, network, form, options.
INT8 = 0.90
INT8_CASES = [
    ("resnet18_qdq", "resnet18", "qdq", ""),
    ("resnet18_qlinear", "resnet18", "qlinear", ""),
    ("resnet50_qdq", "resnet50", "qdq", ""),
    ("mobilenet_v2_qdq", "mobilenet_v2", "qdq", ""),
    ("mobilenet_v2_qlinear", "mobilenet_v2", "qlinear", ""),
    ("bert_qdq_1x128", "bert6_ln_op", "qdq", "--dim batch=1 --dim sequence=128"),
    ("bert_dynamic_1x128", "bert6_ln_op", "dynamic", "--dim batch=1 --dim sequence=128"),
    ("gpt_dynamic_past_63", "gpt6_kv", "dynamic", "--dim sequence=1 --dim past=63"),
]
ROUNDS = {"avx512_bf16", "amx_bf16"}  # of the processor: without them weft computes in f32 whatever may be rounded
MAY_ROUND_TEXT = """ bf16 allowed: with
`--option precision_mode=allow_fp32_to_bf16`, where operands of products and convolutions may be rounded to bf16 ([precision](precision.md)); the peer computes
in f32 all the same."""
# Pages of machines: title, and where the other one is.
PAGES = {"performance": ("Performance", "Of a machine that has nothing wider than AVX2: [performance-avx2](performance-avx2.md)."),
         "performance-avx2": ("Performance with AVX2 alone", "Of a machine with AVX-512: [performance](performance.md).")}
VNNI = {"avx_vnni", "avx512_vnni", "amx_int8"}
SATURATED = """ This processor has no product of bytes that sums without loss: the
peer's saturates where two products pass 16 bits, which is seen in its accuracy below; weft's goes by pairs of 16 bits and is exact."""
MEMORY = {"conv": 0.60, "transformer": 0.80}
READY, OWN, FIRST = 0.25, 0.50, 0.25


def model_path(name):
    for p in (f"{ROOT}/build/bench-models/{name}/model.onnx", f"{LIGHT}/{name}.onnx"):
        if os.path.exists(p):
            return os.path.realpath(p)
    return None


def cases(build, only):
    """Those whose models are at hand; without ../shared the project's own networks, which have no goals."""
    paths = bench_import.make_models(build)
    found = []
    for name, model, options, goal, kind in CASES:
        path = model_path(model)
        if path and (not only or name in only):
            found.append((name, path, options.format(dir=os.path.dirname(path)), goal, kind))
    if not found and not only:
        found = [(os.path.basename(os.path.dirname(p)), p, "", None, "") for p in paths]
    return found


def int8_cases(only):
    """Those whose networks are at hand; quantised here when they are not yet."""
    found = []
    for name, network, form, options in INT8_CASES:
        path = model_path(network)
        if not path or (only and name not in only):
            continue
        folder = f"{ROOT}/build/bench-quantised"
        made = f"{folder}/{network}_{form}/model.onnx"
        if not os.path.exists(made):
            env = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
            command = [sys.executable, f"{ROOT}/tools/quantised_models.py", path, "-o", folder, "--form", form]
            if subprocess.run(command, env=env, capture_output=True).returncode:
                print(f"bench_performance: {name} is left out: it could not be quantised")
                continue
        found.append((name, made, options, INT8, "int8"))
    return found


def bench(build, found, threads, seconds, more):
    """One `weft bench`; its JSON."""
    if not found:
        return None
    work = f"{ROOT}/build/bench-performance"
    os.makedirs(work, exist_ok=True)
    with open(f"{work}/cases", "w", encoding="utf-8") as f:
        f.writelines(f"{name} {path} {options} --threads {threads}\n" for name, path, options, _, _ in found)
    env = dict(os.environ, WEFT_PYTHON=sys.executable, PYTHONPATH=os.pathsep.join(sys.path), WEFT_PEER=f"{ROOT}/tools/peer_onnxruntime.py")
    command = [f"{build}/weft", "bench", "--cases", f"{work}/cases", "--peer", "onnxruntime", "--seconds", str(seconds), "--profile", "--quiet",
               "--json", f"{work}/{threads}.json"]
    status = subprocess.run(command + more, env=env).returncode
    if status not in (0, 1, 3):  # 1 and 3 are told in the page
        sys.exit(f"bench_performance: weft bench ended with status {status}")
    with open(f"{work}/{threads}.json", encoding="utf-8") as f:
        return json.load(f)


def processor():
    """What the processor can do, the words of /proc/cpuinfo, and its family and model: names of virtual machines say little."""
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        of = dict(line.split(":", 1) for line in f.read().split("\n\n")[0].splitlines() if ":" in line)
    of = {key.strip(): value.strip() for key, value in of.items()}
    name = ", ".join(f"{key.split(' ')[-1]} {of[key]}" for key in ("cpu family", "model") if key in of)
    return set(of.get("flags", of.get("Features", "")).split()), name


def sets_text(flags):
    """The sets of instructions that kernels are chosen by."""
    known = (("avx2", "AVX2"), ("avx_vnni", "AVX-VNNI"), ("avx512f", "AVX-512"), ("avx512_vnni", "VNNI"), ("avx512_bf16", "BF16"),
             ("amx_bf16", "AMX"), ("asimddp", "DotProd"), ("i8mm", "I8MM"))
    have = [name for flag, name in known if flag in flags] or ["neither AVX2 nor more"]
    return " and ".join(filter(None, [", ".join(have[:-1]), have[-1]]))


def peer_isas():
    """Of the peer, and why it cannot be limited to AVX2."""
    try:
        peer_isa.make()
        return "native,avx2", ""
    except peer_isa.Impossible as e:
        return "native", str(e)


def goals_table(rows, goals_of, score):
    lines = []
    for row in rows:
        ours, narrow, rounded, peer, limited = split(row)
        wide_goal, narrow_goal, round_goal = goals_of(row)
        lines.append([row["name"], str(row["threads"]), time_text(ours.get("least_ns")) or "failed", time_text(peer.get("least_ns")) or "failed",
                      ratio_text(ours.get("least_to_peer")), ratio_text(ours.get("median_to_peer")),
                      score.judge(ours.get("least_to_peer"), wide_goal),
                      time_text(narrow.get("least_ns")), time_text(limited.get("least_ns")),
                      ratio_text(narrow.get("least_to_peer")), score.judge(narrow.get("least_to_peer"), narrow_goal),
                      ratio_text(rounded.get("least_to_peer")), score.judge(rounded.get("least_to_peer"), round_goal)])
    return measured_table(["model", "threads", "weft", "ONNX Runtime", "ratio", "of medians", "goal", "weft, AVX2", "ONNX Runtime, AVX2", "ratio",
                           "goal", "ratio, bf16 allowed", "goal"], lines)


def int8_table(rows, score):
    lines = []
    for row in rows:
        ours, _, _, peer, _ = split(row)
        lines.append([row["name"], str(row["threads"]), time_text(ours.get("least_ns")) or "failed", time_text(peer.get("least_ns")) or "failed",
                      ratio_text(ours.get("least_to_peer")), ratio_text(ours.get("median_to_peer")), score.judge(ours.get("least_to_peer"), INT8)])
    return table(["model", "threads", "weft", "ONNX Runtime", "ratio", "of medians", "goal"], lines)


def start_table(rows, kind_of, score):
    lines = []
    for row in rows:
        ours, _, _, peer, _ = split(row)
        if ours.get("ready_ns") is None or peer.get("ready_ns") is None:
            continue
        first = [x["first_over_ns"] for x in (ours, peer)]
        grown = [x["peak_bytes"] - x["base_bytes"] for x in (ours, peer)]
        pairs = ((ours["ready_ns"], peer["ready_ns"], READY, time_text), (ours["own_file_ns"], peer["own_file_ns"], OWN, time_text),
                 (first[0], first[1], FIRST, time_text), (grown[0], grown[1], MEMORY.get(kind_of(row)), lambda b: f"{b / 1e6:.1f} MB"))
        line = [row["name"]]
        for a, b, goal, text in pairs:
            ratio = over(a, b)
            line.append("" if a is None or b is None else f"{text(a)} / {text(b)} = {ratio_text(ratio)}")
            line.append(score.judge(ratio, goal).replace(f"<= {goal:.2f} " if goal else "", ""))
        line.insert(2, ratio_text(over(ours["ready_median_ns"], peer["ready_median_ns"])))
        lines.append(line)
    return table(["model", "make ready: weft / ONNX Runtime", "of medians", f"<= {READY:.2f}", "from its own file", f"<= {OWN:.2f}",
                  "first run minus a steady one", f"<= {FIRST:.2f}", "resident memory it adds", "<= 0.60, 0.80"], lines)


def accuracy_table(rows):
    def text(x):
        return "" if x is None else str(x) if isinstance(x, str) else f"{x:.1e}"
    lines = []
    for row in rows:
        ours, narrow, rounded, peer, _ = split(row)
        a, b = ours.get("difference_rms"), peer.get("difference_rms")
        known = isinstance(a, float | int) and isinstance(b, float | int)
        lines.append([row["name"], text(ours.get("difference")), text(a), text(narrow.get("difference_rms")),
                      text(rounded.get("difference_rms")), text(peer.get("difference")), text(b),
                      "" if not known else "no worse" if a <= max(b * 1.05, 1e-9) else f"{a / b:.1f} times" if b else "worse", row["reference"] or "nothing"])
    return measured_table(["model", "weft, largest", "rms", "rms, `--isa avx2`", "rms, bf16 allowed", "ONNX Runtime, largest", "rms",
                           "rms beside it", "difference from"], lines)


def profile_tables(rows, goals_of, machine):
    peak = Machine(machine).peak("", "f32")
    memory = next((b["one"] for b in machine["bandwidth"] if b["level"] == "memory" and b["what"] == "read"), 0)
    text = []
    for row in rows:
        ours = split(row)[0]
        goal = goals_of(row)[0]
        ratio = ours.get("least_to_peer")
        if ratio is None or goal is None or ratio <= goal or not ours.get("profile"):
            continue
        total = sum(o["ns"] for o in ours["profile"]) or 1
        lines = []
        for o in sorted(ours["profile"], key=lambda o: -o["ns"])[:6]:
            gflops, gbytes = o["flops"] / max(o["ns"], 1), o["bytes"] / max(o["ns"], 1)
            lines.append([o["operator"], f"{o['launches']:.0f}", time_text(o["ns"]), f"{100 * o['ns'] / total:.1f} %",
                          f"{gflops:.0f} ({100 * gflops / peak:.0f} %)" if gflops and peak else "",
                          f"{gbytes:.1f} ({100 * gbytes / memory:.0f} %)" if memory else f"{gbytes:.1f}"])
        text.append(f"**{row['name']}**, ratio {ratio_text(ratio)}: a run of {time_text(total)}\n\n" +
                    table(["operator, kernel", "launches", "time", "share", "GFLOP/s (of the peak)", "GB/s (of memory's)"], lines))
    return "\n".join(text) or "Every model that has a goal met it.\n"


def shares_table(rows, peak):
    """Of every model: what its run is spent on, the heaviest first, and how fast that is. peak: GFLOP/s; 0: not compared."""
    def rate(o):
        if not o["flops"]:
            return f"{o['bytes'] / max(o['ns'], 1):.0f} GB/s"
        gflops = o["flops"] / max(o["ns"], 1)
        return f"{gflops:.0f} GOP/s" + (f", {100 * gflops / peak:.0f} % of the peak" if peak else "")

    def line(row):
        profile = sorted(split(row)[0].get("profile") or [], key=lambda o: -o["ns"])
        total = sum(o["ns"] for o in profile) or 1
        heavy = [o for o in profile[:4] if o["ns"] >= total / 50]
        rest = total - sum(o["ns"] for o in heavy)
        return [row["name"], time_text(total),
                "; ".join(f"{o['operator']} {100 * o['ns'] / total:.0f} % ({rate(o)})" for o in heavy) +
                (f"; the rest {100 * rest / total:.0f} %" if rest >= total / 200 else "")]
    return table(["model", "a run", "operator, kernel: share"], [line(r) for r in rows if split(r)[0].get("profile")])


def library_sizes(build):
    """How large what is loaded is; the peer's is one file, too."""
    ours = f"{build}/libweft.so"
    theirs = [f for f in glob.glob(f"{ROOT}/build/peer/onnxruntime/capi/*.so") if "pybind11" in f]
    def size(f):
        return f"{os.path.getsize(f) / 1e6:.1f} MB"
    if not os.path.exists(ours):
        return ""
    return f"\nThe library, `libweft.so` with the compiler and all importers: {size(ours)}" + (f"; the peer's: {size(theirs[0])}" if theirs else "") + ".\n"


def machine_table(m):
    lines = [[g["isa"], g["what"] + ", GFLOP/s", "", f"{g['one']:.0f}", f"{g['all']:.0f}"] for g in m["gflops"]]
    lines += [[b["level"], b["what"].replace("triad", "a = b + 3 c") + ", GB/s", f"{b['bytes'] >> 10} KiB", f"{b['one']:.0f}",
               "" if b["all"] is None else f"{b['all']:.0f}"] for b in m["bandwidth"]]
    return table(["", "", "working set", "one thread", "all threads"], lines)


def compiler():
    return subprocess.run(["cc", "--version"], capture_output=True, text=True).stdout.split("\n")[0]


def case(row):
    return row["name"].split(" ")[0]


def rows_of(reports, found):
    """Of all reports, in the order of the cases."""
    order = {name: i for i, (name, *_) in enumerate(found)}
    rows = [(order.get(case(row), 99), i, row["threads"], row) for r in reports for i, row in enumerate(r["rows"])]
    return [row for *_, row in sorted(rows, key=lambda x: x[:3])]


def busy_cores(seconds):
    """How many cores others use now; the load average tells what was minutes ago."""
    def spent():
        with open("/proc/stat") as f:
            user, nice, system, _, _, irq, soft, steal = map(int, f.readline().split()[1:9])
        return (user + nice + system + irq + soft + steal) / os.sysconf("SC_CLK_TCK")
    before = spent()
    time.sleep(seconds)
    return (spent() - before) / seconds


def limit_text(narrow, problem):
    """What stands in the columns of AVX2."""
    if narrow == "native":
        return "This machine has nothing wider than AVX2, and no products of bf16, so that allowing them changes nothing."
    if problem:
        return f"AVX2: weft with `--isa avx2` beside the peer with all that the machine has: it could not be limited ({problem})."
    return """AVX2: both engines as on a machine that has nothing wider, in turn like the others. weft with `--isa avx2`; the peer as a copy of its
package that sees no AVX-512 when it asks the processor (`tools/peer_isa.py`; `weft bench MODEL --isa avx2 --peer onnxruntime --peer-isa avx2`). While it
runs each model, a timer looks at what it executes: an instruction of 512 bits would be an error here. glibc's memcpy is limited in both."""


def page(build, reports, int8_reports, machine, found, int8_found, load, minutes, limits_of_avx2, name):
    first = (reports + int8_reports)[0]
    goals = {name: (goal, kind) for name, _, _, goal, kind in found}
    networks = {name: model for name, model, *_ in CASES}
    rows, int8_rows = rows_of(reports, found), rows_of(int8_reports, int8_found)
    ones, int8_ones = [r for r in rows if r["threads"] == 1], [r for r in int8_rows if r["threads"] == 1]
    flags, model = processor()
    amx, bf16 = "amx_bf16" in flags, flags & ROUNDS
    title, other = PAGES.get(name, ("Performance", ""))
    saturated = SATURATED if "avx2" in flags and not flags & VNNI else ""

    def goals_of(row):
        """Of bare weft, with AVX2, bf16 allowed; None: no goal."""
        goal, kind = goals.get(case(row), (None, ""))
        own = goal.get(row["threads"]) if isinstance(goal, dict) else goal
        if not own:
            return None, None, None
        rounded = MAY_ROUND_DECODE if goal is DECODE else MAY_ROUND.get(networks.get(case(row)), MAY_ROUND_KIND.get(kind))
        return own[0 if amx else 1], own[1], rounded

    times, starts, limits = Score(), Score(), Limits()
    times_text, missed = goals_table(rows, goals_of, times), Missed(machine)
    for row in rows:
        missed.row(row, goals_of(row))
    for row in int8_rows:
        missed.row(row, (INT8, None, None))
    int8_text = int8_table(int8_rows, times)
    limits_text = limits_table(ones + int8_ones, Machine(machine), limits)
    start_text = start_table([r for r in ones if case(r) == r["name"] or r["results"][0].get("ready_ns")], lambda r: goals[case(r)][1], starts)
    peer = next(e for e in first["engines"] if e["peer"])
    busy = f"\n> The machine was busy (others used {load:.2f} cores when it began): these figures are no result. `make bench` on a quiet machine writes the page anew.\n" \
        if load > 0.2 else ""
    pictures = "\n".join(f"![time of a run beside ONNX Runtime, {t} thread{'s' if t > 1 else ''}](pictures/{name}-{t}.svg)"
                         for t in sorted({r["threads"] for r in rows}))
    return f"""# {title}

Written by `python3 tools/bench_performance.py build/release`, a part of `make bench`; not by hand. {other}
{busy}
{datetime.date.today():%-d %B %Y}: {first['machine']} ({'; '.join(filter(None, [model, sets_text(flags)]))}), {first['cores']} cores; {compiler()}; weft {first['weft']},
{peer['name']} {peer['version']}; {minutes:.1f} minutes. Engines in turn, {first['rounds']} rounds of {first['seconds']} s each; times are the least run.
Goals are ratios, weft / {peer['name']}. {times.met} of {times.met + times.missed} goals of time are met,
{starts.met} of {starts.met + starts.missed} of start and memory, {limits.met} of {limits.met + limits.missed} of closeness to the machine's limit.
Of the {times.missed} of time that are missed, {missed.beyond} ask for more than this machine's peak gives ([below](#missed-and-what-the-machine-allows)).

To measure your own model:
```
pip install onnxruntime
weft bench model.onnx --peer onnxruntime --threads 1,2 --dim batch=4
```

{pictures}

## Runs
Bare `weft` uses all that the machine has; results are f32-accurate.{'' if amx else ' Not measured here: AMX, which this machine lacks; its kernels were written and tested under emulation and have not run on a machine that has it.'}{MAY_ROUND_TEXT if bf16 else ''}
{limits_of_avx2}

{times_text}
### 8-bit integers
The networks above quantised by `tools/quantised_models.py`, with random inputs; both engines run the same model. qdq: QuantizeLinear and DequantizeLinear
around float operators; qlinear: QLinearConv, the rest in float; dynamic: MatMulInteger of inputs whose scale is found while running.{saturated}

{int8_text}
### Missed, and what the machine allows
At the limit: the ratio if every product and convolution took the least time that this machine allows, and all else none. That time is its arithmetic at the
peak of the instruction set and number type (a quarter of it where Winograd is used, of bytes 1 / 2.25), or its bytes at the bandwidth of the level that holds what a run moves,
both as `weft bench --machine` measured them. Where even that is above the goal, no kernel meets it here; where not, the difference is weft's to gain.

{missed.text()}
## Start and memory
One thread, {first['starts']} starts of each engine in turn, every one a process (of synth20000 three). Make ready: load, compile and pack, beside the creation of a
session; the least of the starts. From its own file: a program that `weft compile` wrote, beside a model that the peer optimised and saved. First run minus a
steady one: in each process what the first run took beyond the median of the runs right after it; of the starts the median. Right before each start as much
memory as it needs is taken and given back by the measuring process: in a virtual machine whose host has it, the first touch of 2 MiB takes milliseconds.
Memory: what the process holds at most beyond what it held before it opened the model; the peer's library and Python are not counted.

{start_text}{library_sizes(build)}
## Accuracy
One thread. Differences from the reference interpreter (double precision within a node), the largest beside the largest element of the output, the root mean
square beside the output's; the worst output counts. The light models of ONNX have constant weights: their outputs hardly vary.

8-bit networks round activations after every operator: where sums differ in the last bit, or a bias is rounded at another place, a step of the scale differs.

{accuracy_table(ones + int8_ones)}
## What the machine can do
`weft bench --machine`, right before.

{machine_table(machine)}
## Close to the machine's limit
One thread, by the rows of `--profile` that count arithmetic: convolutions, products, attention, recurrent layers. Products: their arithmetic over the peak of
their instruction set and number type; Winograd counts the arithmetic of the convolution itself, so that it can pass the peak; epilogues, packing and
conversions inside these kernels are part of the time. Reading: those of them whose factors take longer to read than to multiply (few rows, depthwise), over the
bandwidth of the level that holds what a run moves. Elementwise: the rows of fused loops whose launches move 64 KiB or more, over the bandwidth of the level that holds what one
launch moves; smaller ones (chain2000) are bound by their start or their arithmetic, and some compute more than they move. Decoding: all that a run moves over
all its time. Beyond 100 % where a nearer cache keeps a part. Left out are products of less than 10 % of a run or less than a microsecond, elementwise loops
of less than 1 %, arithmetic whose shapes are not known before running, and reading of weights packed as bf16.

{limits_text}
## Where the time goes
One thread, by `weft bench MODEL --profile`. Arithmetic is counted where shapes are known before running, and compared with the f32 peak: Winograd,
which counts the convolution's own, can pass it.

{shares_table(ones, Machine(machine).peak("", "f32"))}
{shares_table(int8_ones, 0)}
Models that miss their goal, in full: GFLOP/s beside the peak of one thread, GB/s beside what one thread reads from memory, beyond 100 % where caches hold it.

{profile_tables(ones, goals_of, machine)}"""


def main():
    a = argparse.ArgumentParser()
    a.add_argument("build")
    a.add_argument("--only", nargs="*", default=[])
    a.add_argument("--seconds", type=float, default=0.15)
    a.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    a.add_argument("--out", default=f"{ROOT}/docs")
    a.add_argument("--page", help="its name; by the machine: performance, or performance-avx2 of one that has nothing wider")
    o = a.parse_args()
    flags, _ = processor()
    ours = "native,avx2" if "avx512f" in flags else "native"
    o.page = o.page or ("performance-avx2" if "avx2" in flags and ours == "native" else "performance")
    begun, load = datetime.datetime.now(), busy_cores(3)
    _, ort = bench_import.install_peers()
    if not ort:
        return print("bench_performance: left out: no peer (pip install onnxruntime)")
    os.makedirs(f"{o.out}/pictures", exist_ok=True)
    found, int8_found = cases(o.build, o.only), int8_cases(o.only)
    if not found and not int8_found:
        return print("bench_performance: left out: no models")
    roof = f"{ROOT}/build/bench-machine.json"
    subprocess.run([f"{o.build}/weft", "bench", "--machine", "--json", roof], check=True, stdout=subprocess.DEVNULL)
    threads = [t for t in o.threads if t <= (os.cpu_count() or 1)]
    for old in glob.glob(f"{o.out}/pictures/{o.page}-[0-9]*.svg"):
        os.remove(old)
    reports, int8_reports = [], []
    theirs, problem = peer_isas() if ours != "native" else ("native", "")
    rounded = ["--variant", "bf16:precision_mode=allow_fp32_to_bf16"] if flags & ROUNDS else []
    if problem:
        print(f"bench_performance: the peer is not limited to AVX2: {problem}")
    for t in threads:
        starts = "9" if t == threads[0] else "1"  # those of one number of threads are in the page
        more = ["--isa", ours, "--peer-isa", theirs, "--starts", starts, "--svg", f"{o.out}/pictures/{o.page}-{t}.svg"] + rounded
        more += ["--own-files"] if t == threads[0] else []
        reports += filter(None, [bench(o.build, found, t, o.seconds, more)])
        int8_reports += filter(None, [bench(o.build, int8_found, t, o.seconds, ["--starts", "1"])])
    with open(roof, encoding="utf-8") as f:
        machine = json.load(f)
    minutes = (datetime.datetime.now() - begun).total_seconds() / 60
    with open(f"{o.out}/{o.page}.md", "w", encoding="utf-8") as f:
        f.write(page(o.build, reports, int8_reports, machine, found, int8_found, load, minutes, limit_text(ours, problem), o.page))
    print(f"wrote {os.path.relpath(o.out, ROOT)}/{o.page}.md")


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
