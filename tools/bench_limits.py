"""How close runs come to what the machine can do (a roofline): shares of its peak and bandwidth, and whether goals that are missed could be met at all.

A part of tools/bench_performance.py. A row of a profile is one operator with one kernel: {operator, launches, ns, flops, bytes}. The least time of a row is
that of its arithmetic at the measured peak of its instruction set and number type, or that of its bytes at the measured bandwidth, whichever is longer.
"""
from bench_text import Score, ratio_text, split, table, time_text

# Goals: products and convolutions of the peak; elementwise loops and what is bound by reading of the bandwidth.
OF_PEAK, OF_BANDWIDTH, LEAST_BYTES, LEAST_NS = 0.85, 0.80, 65536, 1000
WINOGRAD = {"f32": 4, "bf16": 4, "int8": 2.25}  # times less often multiplied: F(4x4) of a 3x3 filter, F(2x2) of bytes


class Machine:
    """What `weft bench --machine` measured, of one thread or of all."""

    def __init__(self, report, threads=1):
        self.report, self.key = report, "one" if threads == 1 else "all"

    def peak(self, isa, kind):
        """1e9 operations a second."""
        return max((g[self.key] or 0 for g in self.report["gflops"]
                    if g["what"].startswith(kind) and (g["isa"] == isa or (not isa and g["isa"] != "amx"))), default=0)

    def bandwidth(self, bytes_, what):
        """Name and GB/s of the nearest level that holds so many bytes."""
        levels = [b for b in self.report["bandwidth"] if b["what"].startswith(what) and b[self.key]]
        level = next((b for b in levels if b["bytes"] >= bytes_), levels[-1] if levels else None)
        return (level["level"], level[self.key]) if level else ("", 0)


def total(key, rows):
    return sum(o[key] for o in rows)


def products_of(profile):
    return [o for o in profile if o["flops"] > 0 and o["ns"] > 0]


def number_type(o, kind):
    """Of a product's factors; `kind` is that of the floats. Recurrent layers round nothing."""
    if "Integer" in o["operator"] or "-bytes" in o["operator"]:
        return "int8"
    return "f32" if o["operator"].endswith(" recurrent") else kind


class Roof:
    """The limits of one engine's run."""

    def __init__(self, profile, kind, isa, machine):
        self.kind, self.isa, self.machine = kind, isa, machine
        self.level, self.read = machine.bandwidth(total("bytes", profile), "read")

    def arithmetic_ns(self, o):
        peak = self.machine.peak(self.isa, number_type(o, self.kind))
        return o["flops"] / peak if peak else 0

    def reading_ns(self, o):
        bytes_ = o["bytes"] / 2 if self.kind == "bf16" else o["bytes"]  # packed weights have half of a tensor's
        return bytes_ / self.read if self.read else 0

    def reads(self, o):
        """Is it bound by what it reads? Matrices that meet few rows."""
        return self.reading_ns(o) > self.arithmetic_ns(o)

    def least_ns(self, o):
        return max(self.arithmetic_ns(o) / (WINOGRAD[number_type(o, self.kind)] if "winograd" in o["operator"] else 1), self.reading_ns(o) if self.reads(o) else 0)


class Limits(Score):
    def line(self, name, what, engine, ns, amount, limit, of, goal):
        """A row of the table; amount in operations or bytes, limit in 1e9 a second."""
        share = amount / ns / limit
        if share >= goal:
            self.met += 1
        else:
            self.missed += 1
        return [name, what, engine, time_text(ns), f"{amount / ns:.0f}", f"{limit:.0f} ({of})", f"{100 * share:.0f} %",
                f">= {100 * goal:.0f} % " + ("met" if share >= goal else "**missed**")]


def limit_lines(name, engine, result, isa, kind, machine, limits):
    """How close one engine's run comes, by its profile."""
    ops = [o for o in result.get("profile") or [] if o["ns"] > 0]
    if not ops:
        return
    roof = Roof(ops, kind, isa, machine)
    if "past_" in name:
        if kind != "bf16" and roof.read:
            yield limits.line(name, "decoding, GB/s", engine, total("ns", ops), total("bytes", ops), roof.read, f"{roof.level}, read", OF_BANDWIDTH)
        return
    products = products_of(ops)
    reading = [o for o in products if roof.reads(o)]
    computing = [o for o in products if not roof.reads(o)]
    tiles = [o for o in ops if o["operator"].endswith(" tile") and o["bytes"] / o["launches"] >= LEAST_BYTES]
    least = max(0.1 * total("ns", ops), LEAST_NS)
    if total("ns", computing) > least:
        kinds = sorted({number_type(o, kind) for o in computing})
        at_peak = sum(roof.arithmetic_ns(o) for o in computing)
        if at_peak:
            yield limits.line(name, "products, GOP/s", engine, total("ns", computing), total("flops", computing), total("flops", computing) / at_peak,
                              ", ".join(kinds), OF_PEAK)
    if total("ns", reading) > least and kind != "bf16":
        yield limits.line(name, "reading, GB/s", engine, total("ns", reading), total("bytes", reading), roof.read, f"{roof.level}, read",
                          OF_BANDWIDTH)
    if total("ns", tiles) > 0.01 * total("ns", ops):
        moved = total("bytes", tiles)
        level, most = machine.bandwidth(moved / max(total("launches", tiles), 1), "triad")
        if most:
            yield limits.line(name, "elementwise, GB/s", engine, total("ns", tiles), moved, most, f"{level}, a = b + 3 c", OF_BANDWIDTH)


def limits_table(rows, machine, limits):
    engines = (("weft", "", "f32"), ("`--isa avx2`", "avx2", "f32"), ("bf16 allowed", "", "bf16"))
    lines = [line for row in rows for (engine, isa, kind), result in zip(engines, split(row))
             for line in limit_lines(row["name"], engine, result, isa, kind, machine, limits)]
    return table(["model", "what", "weft", "time of it", "reached", "the machine's", "share", "goal"], lines)


def least_ratio(result, isa, kind, machine, peer_ns):
    """With every product at its limit and all else free, beside the peer's time; None: not known."""
    profile = result.get("profile") or []
    products = products_of(profile)
    if not products or not peer_ns:
        return None
    roof = Roof(profile, kind, isa, machine)
    return sum(min(o["ns"], roof.least_ns(o)) for o in products) / peer_ns


class Missed:
    """Goals of time that are missed, beside what the machine's limit allows."""

    def __init__(self, report):
        self.report, self.lines, self.beyond = report, [], 0

    def row(self, row, goals):
        """goals: of weft, with AVX2, bf16 allowed; None: no goal."""
        ours, narrow, rounded, peer, limited = split(row)
        machine = Machine(self.report, row["threads"])
        for what, result, isa, kind, other, goal in (("", ours, "", "f32", peer, goals[0]), ("AVX2", narrow, "avx2", "f32", limited or peer, goals[1]),
                                                     ("bf16 allowed", rounded, "", "bf16", peer, goals[2])):
            ratio = result.get("least_to_peer")
            if ratio is None or goal is None or ratio <= goal:
                continue
            least = least_ratio(result, isa, kind, machine, other.get("least_ns"))
            beyond = least is not None and least > goal
            self.beyond += beyond
            self.lines.append([row["name"], str(row["threads"]), what, ratio_text(ratio), f"{goal:.2f}", ratio_text(least),
                               "not to be met on this machine" if beyond else ""])

    def text(self):
        if not self.lines:
            return "None.\n"
        return table(["model", "threads", "", "ratio", "goal", "at the limit", ""], self.lines)
# SPDX-License-Identifier: Apache-2.0
