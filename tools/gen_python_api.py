#!/usr/bin/env python3
"""Writes docs/python-api.md from the docstrings of the Python package, which PYTHONPATH must find; --check: only compares."""
import inspect
import os
import re
import sys

PAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs", "python-api.md")
ORDER = ["load", "compile", "Model", "ModelNode", "Value", "Outputs", "State", "Binding", "Table", "Difference", "Error", "Graph", "Tensor", "Node", "operators",
         "prototype", "Prototype", "op", "Operator", "Type", "Dim", "check_operator", "InferenceSession", "SessionOptions", "OrtValue", "IOBinding",
         "RunOptions", "GraphOptimizationLevel", "ExecutionMode", "get_available_providers", "get_device"]


def signature(thing):
    try:
        text = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return "(...)"
    return re.sub(r"^\((self|cls)(, )?", "(", text.split(" -> ")[0]).replace("source: Any", "source")


def words(thing):
    return inspect.cleandoc(thing.__doc__) if getattr(thing, "__doc__", None) else ""


def paragraphs(text):
    """Indented parts as code."""
    out, code = [], False
    for line in text.split("\n"):
        inside = line.startswith("    ") or code and not line
        if inside != code:
            out.append("```")
        code = inside
        out.append(line[4:] if code else line)
    return "\n".join(out + ["```"] * code).replace("\n\n```\n", "\n```\n").replace("```\n\n", "```\n")


def members(of):
    for name, value in vars(of).items():
        name = "__call__" if name == "_call" else name
        if name.startswith("_") and name != "__call__" or isinstance(value, type):
            continue
        made = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
        text = words(value.fget if isinstance(value, property) else made)
        if text and (callable(made) or isinstance(value, property)):
            yield f"`{name if name != '__call__' else ''}{'' if isinstance(value, property) else signature(made)}`", " ".join(text.split())


def page():
    import weft

    missing = set(weft.__all__) ^ set(ORDER)
    if missing:
        sys.exit(f"gen_python_api: {', '.join(sorted(missing))} stand in weft.__all__ or in ORDER only")
    lines = ["# weft in Python: the reference", "", "Made from the docstrings by `tools/gen_python_api.py`. [Python](python.md) says how it is used."]
    for name in ORDER:
        thing = getattr(weft, name)
        lines += ["", f"## weft.{name}", ""]
        plain = not isinstance(thing, type) or not issubclass(thing, (tuple, Exception))
        lines += [f"`{name}{signature(thing)}`", ""] if plain else []
        lines += [paragraphs(words(thing))]
        rows = list(members(thing)) if isinstance(thing, type) else []
        lines += ["", "| | |", "|---|---|", *(f"| {a.replace('|', chr(92) + '|')} | {b.replace('|', chr(92) + '|')} |" for a, b in rows)] if rows else []
    return "\n".join(lines) + "\n"


def main():
    text = page()
    if "--check" not in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as f:
            f.write(text)
        return
    with open(PAGE, encoding="utf-8") as f:
        if f.read() != text:
            sys.exit("docs/python-api.md is not what the docstrings say: PYTHONPATH=... tools/gen_python_api.py writes it")


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
