#!/usr/bin/env python3
"""weft beside ONNX Runtime on the benchmark models: runs `weft bench` and writes docs/performance.md and docs/pictures/.

  tools/bench_performance.py BUILD [--only NAME...] [--seconds S] [--out DIR]     BUILD has weft (build/release)

Takes under ten minutes; the machine should have nothing else to do. Peer and models are those of tools/bench_import.py.
What is written is what was measured: nothing of the page is kept from before. --only measures some models, for a look.
"""
import argparse
import datetime
import glob
import json
import os
import subprocess
import sys

import bench_import

ROOT = bench_import.ROOT
LIGHT = f"{ROOT}/../shared/data/onnx/light"
NATIVE, NARROW = "weft", "weft avx2"
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
    ("synth20000", "synth20000", "--starts 1", FEW, ""),
]
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


def bench(build, out, found, threads, seconds, own):
    """One `weft bench`; its JSON."""
    work = f"{ROOT}/build/bench-performance"
    os.makedirs(work, exist_ok=True)
    with open(f"{work}/cases", "w", encoding="utf-8") as f:
        f.writelines(f"{name} {path} {options} --threads {threads}\n" for name, path, options, _, _ in found)
    env = dict(os.environ, WEFT_PYTHON=sys.executable, PYTHONPATH=os.pathsep.join(sys.path), WEFT_PEER=f"{ROOT}/tools/peer_onnxruntime.py")
    command = [f"{build}/weft", "bench", "--cases", f"{work}/cases", "--peer", "onnxruntime", "--isa", isas(build), "--seconds", str(seconds),
               "--starts", "2", "--profile", "--quiet", "--json", f"{work}/{threads}.json", "--svg", f"{out}/pictures/performance-{threads}.svg"]
    status = subprocess.run(command + (["--own-files"] if own else []), env=env).returncode
    if status not in (0, 1, 3):  # 1 and 3 are told in the page
        sys.exit(f"bench_performance: weft bench ended with status {status}")
    with open(f"{work}/{threads}.json", encoding="utf-8") as f:
        return json.load(f)


def isas(build):
    avx2 = subprocess.run([f"{build}/weft", "bench", "--isa", "avx2", "--cases", os.devnull], capture_output=True, text=True)
    return "native" if "does not have it" in avx2.stderr else "native,avx2"


# ---- text ----
def time_text(ns):
    if ns is None:
        return ""
    for scale, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if ns >= scale:
            return f"{ns / scale:.3g} {unit}"
    return f"{ns:.3g} ns"


def over(a, b):
    return a / b if a is not None and b else None


def ratio_text(x):
    return "" if x is None else f"{x:.3f}" if x < 0.0995 else f"{x:.2f}"


class Score:
    met = missed = 0

    def judge(self, ratio, goal):
        """"met", or by how much it is missed; "" where there is nothing to judge."""
        if ratio is None or goal is None:
            return ""
        if ratio <= goal:
            self.met += 1
            return f"<= {goal:.2f} met"
        self.missed += 1
        return f"<= {goal:.2f} **missed** by {100 * (ratio / goal - 1):.0f} %"


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + ["| " + " | ".join(r) + " |" for r in rows]) + "\n"


def split(row):
    """(weft's result, weft narrow's, the peer's), {} where one is missing or failed."""
    by = {r["engine"]: r for r in row["results"]}
    ours = [by.pop(NATIVE, {}), by.pop(NARROW, {})]
    return ours + [next(iter(by.values()), {})]


def goals_table(rows, goal_of, amx, score):
    lines = []
    for row in rows:
        ours, narrow, peer = split(row)
        goal = goal_of(row)
        wide_goal, narrow_goal = (None, None) if goal is None else ((goal[0] if amx else goal[1]), goal[1])
        lines.append([row["name"], str(row["threads"]), time_text(ours.get("least_ns")) or "failed", time_text(peer.get("least_ns")) or "failed",
                      ratio_text(ours.get("least_to_peer")), ratio_text(ours.get("median_to_peer")),
                      score.judge(ours.get("least_to_peer"), wide_goal),
                      ratio_text(narrow.get("least_to_peer")), score.judge(narrow.get("least_to_peer"), narrow_goal)])
    return table(["model", "threads", "weft", "ONNX Runtime", "ratio", "of medians", "goal", "ratio, `--isa avx2`", "goal"], lines)


def start_table(rows, kind_of, score):
    lines = []
    for row in rows:
        ours, _, peer = split(row)
        if ours.get("ready_ns") is None or peer.get("ready_ns") is None:
            continue
        first = [max(x["first_ns"] - x["least_ns"], 0) for x in (ours, peer)]
        grown = [x["peak_bytes"] - x["base_bytes"] for x in (ours, peer)]
        pairs = ((ours["ready_ns"], peer["ready_ns"], READY, time_text), (ours["own_file_ns"], peer["own_file_ns"], OWN, time_text),
                 (first[0], first[1], FIRST, time_text), (grown[0], grown[1], MEMORY.get(kind_of(row)), lambda b: f"{b / 1e6:.1f} MB"))
        line = [row["name"]]
        for a, b, goal, text in pairs:
            ratio = over(a, b)
            line.append("" if a is None or b is None else f"{text(a)} / {text(b)} = {ratio_text(ratio)}")
            line.append(score.judge(ratio, goal).replace(f"<= {goal:.2f} " if goal else "", ""))
        lines.append(line)
    return table(["model", "make ready: weft / ONNX Runtime", f"<= {READY:.2f}", "from its own file", f"<= {OWN:.2f}", "first run minus a steady one",
                  f"<= {FIRST:.2f}", "resident memory it adds", "<= 0.60, 0.80"], lines)


def accuracy_table(rows):
    def text(x):
        return "" if x is None else str(x) if isinstance(x, str) else f"{x:.1e}"
    lines = []
    for row in rows:
        ours, narrow, peer = split(row)
        a, b = ours.get("difference_rms"), peer.get("difference_rms")
        known = isinstance(a, float | int) and isinstance(b, float | int)
        lines.append([row["name"], text(ours.get("difference")), text(a), text(narrow.get("difference_rms")), text(peer.get("difference")), text(b),
                      "" if not known else "no worse" if a <= max(b * 1.05, 1e-9) else f"{a / b:.1f} times" if b else "worse", row["reference"] or "nothing"])
    return table(["model", "weft, largest", "rms", "rms, `--isa avx2`", "ONNX Runtime, largest", "rms", "rms beside it", "difference from"], lines)


def profile_tables(rows, goal_of, amx, machine):
    peak = max((g["one"] for g in machine["gflops"] if g["isa"] != "amx"), default=0)
    memory = next((b["one"] for b in machine["bandwidth"] if b["level"] == "memory" and b["what"] == "read"), 0)
    text = []
    for row in rows:
        ours, _, peer = split(row)
        goal = goal_of(row)
        ratio = ours.get("least_to_peer")
        if ratio is None or goal is None or ratio <= goal[0 if amx else 1] or not ours.get("profile"):
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


def machine_table(m):
    lines = [[g["isa"], g["what"] + ", GFLOP/s", "", f"{g['one']:.0f}", f"{g['all']:.0f}"] for g in m["gflops"]]
    lines += [[b["level"], b["what"].replace("triad", "a = b + 3 c") + ", GB/s", f"{b['bytes'] >> 10} KiB", f"{b['one']:.0f}",
               "" if b["all"] is None else f"{b['all']:.0f}"] for b in m["bandwidth"]]
    return table(["", "", "working set", "one thread", "all threads"], lines)


def compiler():
    return subprocess.run(["cc", "--version"], capture_output=True, text=True).stdout.split("\n")[0]


def page(reports, machine, found, load, minutes):
    first = reports[0]
    goals = {name: (goal, kind) for name, _, _, goal, kind in found}
    for r in reports:
        for i, row in enumerate(r["rows"]):
            row["at"] = i
    rows = [row for r in reports for row in r["rows"]]
    order = {name: i for i, (name, *_) in enumerate(found)}
    case = lambda row: row["name"].split(" ")[0]
    rows.sort(key=lambda row: (order.get(case(row), 99), row["at"], row["threads"]))
    ones = [r for r in rows if r["threads"] == 1]
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        amx = "amx_bf16" in f.read()

    def goal_of(row):
        g = goals.get(case(row), (None, ""))[0]
        return g.get(row["threads"]) if isinstance(g, dict) else g

    times, starts = Score(), Score()
    times_text = goals_table(rows, goal_of, amx, times)
    start_text = start_table([r for r in ones if case(r) == r["name"] or r["results"][0].get("ready_ns")], lambda r: goals[case(r)][1], starts)
    peer = next(e for e in first["engines"] if e["peer"])
    busy = f"\n> The machine was busy (load {load:.2f} when it began): these figures are no result. `make bench` on a quiet machine writes the page anew.\n" \
        if load > 0.5 else ""
    pictures = "\n".join(f"![time of a run beside ONNX Runtime, {t} thread{'s' if t > 1 else ''}](pictures/performance-{t}.svg)"
                         for t in sorted({r["threads"] for r in rows}))
    return f"""# Performance

Written by `python3 tools/bench_performance.py build/release`, a part of `make bench`; not by hand.
{busy}
{datetime.date.today():%-d %B %Y}: {first['machine']}, {first['cores']} cores, {'with' if amx else 'without'} AMX; {compiler()}; weft {first['weft']},
{peer['name']} {peer['version']}; {minutes:.1f} minutes. Engines in turn, {first['rounds']} rounds of {first['seconds']} s each; times are the least run, starts the
least of {first['starts']}. Goals are ratios, weft / {peer['name']}. {times.met} of {times.met + times.missed} goals of time are met, {starts.met} of {starts.met + starts.missed} of start and memory.

To measure your own model:
```
pip install onnxruntime
weft bench model.onnx --peer onnxruntime --threads 1,2 --dim batch=4
```

{pictures}

## Runs
Bare `weft` uses all that the machine has; results are f32-accurate. Not measured here: {'' if amx else 'AMX, which this machine lacks; '}bf16.

{times_text}
## Start and memory
One thread. Make ready: load, compile and pack, beside the creation of a session. From its own file: a program that `weft compile` wrote, beside a model
that the peer optimised and saved. Memory: what the process holds at most beyond what it held before it opened the model; the peer's library and Python
are not counted.

{start_text}
## Accuracy
One thread. Differences from the reference interpreter (double precision within a node), the largest beside the largest element of the output, the root mean
square beside the output's; the worst output counts. The light models of ONNX have constant weights: their outputs hardly vary.

{accuracy_table(ones)}
## What the machine can do
`weft bench --machine`, right before.

{machine_table(machine)}
## Where the time goes
Models that miss their goal with one thread; `weft bench MODEL --profile` shows any other. GFLOP/s beside the peak of one thread, GB/s beside what one thread
reads from memory: beyond 100 % where caches hold it. Arithmetic is counted where shapes are known before running.

{profile_tables(ones, goal_of, amx, machine)}"""


def main():
    a = argparse.ArgumentParser()
    a.add_argument("build")
    a.add_argument("--only", nargs="*", default=[])
    a.add_argument("--seconds", type=float, default=0.15)
    a.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    a.add_argument("--out", default=f"{ROOT}/docs")
    o = a.parse_args()
    begun, load = datetime.datetime.now(), os.getloadavg()[0]
    _, ort = bench_import.install_peers()
    if not ort:
        return print("bench_performance: left out: no peer (pip install onnxruntime)")
    os.makedirs(f"{o.out}/pictures", exist_ok=True)
    found = cases(o.build, o.only)
    if not found:
        return print("bench_performance: left out: no models")
    roof = f"{ROOT}/build/bench-machine.json"
    subprocess.run([f"{o.build}/weft", "bench", "--machine", "--json", roof], check=True, stdout=subprocess.DEVNULL)
    threads = [t for t in o.threads if t <= (os.cpu_count() or 1)]
    for old in glob.glob(f"{o.out}/pictures/performance-*.svg"):
        os.remove(old)
    reports = [bench(o.build, o.out, found, t, o.seconds, t == threads[0]) for t in threads]
    with open(roof, encoding="utf-8") as f:
        machine = json.load(f)
    minutes = (datetime.datetime.now() - begun).total_seconds() / 60
    with open(f"{o.out}/performance.md", "w", encoding="utf-8") as f:
        f.write(page(reports, machine, found, load, minutes))
    print(f"wrote {os.path.relpath(o.out, ROOT)}/performance.md")


if __name__ == "__main__":
    main()
