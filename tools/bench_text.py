"""What the writers of docs/performance.md share: numbers as text, tables, goals that are met or missed, the engines of a row."""
NATIVE, NARROW, BF16 = "weft", "weft avx2", "weft bf16"


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


def measured_table(head, rows):
    """Without the columns, and their goals, in which nothing was measured."""
    keep = [i for i in range(len(head)) if any(r[i] for r in rows)]
    return table([head[i] for i in keep], [[r[i] for i in keep] for r in rows])


def split(row):
    """The results of weft, weft narrow, weft bf16, the peer, the peer limited to AVX2; {} where one is missing or failed."""
    by = {r["engine"]: r for r in row["results"]}
    ours = [by.pop(NATIVE, {}), by.pop(NARROW, {}), by.pop(BF16, {})]
    limited = next((by.pop(name) for name in list(by) if name.endswith(" avx2")), {})
    return ours + [next(iter(by.values()), {}), limited]
# SPDX-License-Identifier: Apache-2.0
