#!/usr/bin/env python3
"""Pages and headers name only what there is: weft_* and WEFT_*, files, sub-commands of the tool and their options; and the
functions of a table with the columns "function" and "in" are defined in the files or folders of their row.

  check_names.py [WEFT]    *.md, docs/*.md and the comments of include/weft/*; WEFT: the tool, whose --help says
                           which command takes which option (without it an option counts when any command takes it)

A name counts as there when code holds it, comments aside; with a trailing '_' or '*' when one begins like that."""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = "bench catalogue cli cmake docs examples fuzz include kernels ops passes plugins src tests tools".split()
CODE = (".c", ".h", ".hpp", ".cpp", ".inc", ".py", ".sh", ".cmake", ".txt", ".html", ".map", ".in", "Makefile", ".json")
# What stands for the reader's own, or is another project's: variables, files of examples, options.
THEIR_NAMES = {"weft_DIR", "weft_noun_verb"}
THEIR_FILES = {"smoothstep.c", "test_add_custom.c", "my_engine.py", "demo.c", "NAME_test.c", "foo.c", "foo_test.c"}
THEIR_OPTIONS = {"--npu-arch", "--model", "--output"}


def tracked():
    # A clone without git's data (an archive) is walked instead.
    try:
        out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True,
                             text=True, check=True).stdout
        return [p for p in out.splitlines() if os.path.exists(os.path.join(ROOT, p))]
    except (OSError, subprocess.CalledProcessError):
        found = []
        for top in FOLDERS + ["."]:
            for folder, _, names in os.walk(os.path.join(ROOT, top)):
                found += [os.path.relpath(os.path.join(folder, n), ROOT) for n in names]
                if top == ".":
                    break
        return found


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as f:
        return f.read()


def without_comments(path, text):
    if path.endswith((".c", ".h", ".hpp", ".cpp", ".inc")):
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        return re.sub(r'("(?:\\.|[^"\\\n])*")|//[^\n]*', lambda m: m.group(1) or " ", text)
    if path.endswith((".sh", ".cmake", ".txt", "Makefile")):
        return re.sub(r"(?m)^\s*#.*$", " ", text)
    return text


class Tree:
    def __init__(self):
        self.files = tracked()
        self.names, self.options = set(), set()
        for path in self.files:
            if not path.endswith(CODE) or path.startswith("docs/"):
                continue
            code = without_comments(path, read(path))
            self.names |= set(re.findall(r"\b(?:weft|WEFT)_\w+", code))
            self.names |= {"WEFT_" + n for n in re.findall(r"\b(?:X|WEFT_X)\((\w+)", code)}  # pasted by a list
            self.options |= set(re.findall(r"(?<![\w-])--?[a-z][a-z0-9-]*", code))
        self.by_base = {os.path.basename(p) for p in self.files}
        if "cann/spellings.txt" in self.files:  # headers that a build makes
            self.by_base |= {os.path.basename(w) for w in read("cann/spellings.txt").split() if w.endswith(".h")}
        self.folders = {os.path.dirname(p) for p in self.files}

    def has_name(self, name):
        if name in THEIR_NAMES or name in self.names:
            return True
        return name.endswith("_") and any(n.startswith(name) for n in self.names)

    def has_path(self, path):
        if os.path.basename(path) in THEIR_FILES:
            return True
        pattern = re.sub(r"<[^>]*>|\*|\bNAME\b", "*", path.rstrip("./"))
        tries = [pattern, "include/" + pattern] if pattern.startswith("weft/") else [pattern]
        return any(glob.glob(os.path.join(ROOT, p)) for p in tries)


class Commands:
    """What `weft COMMAND --help` names; {} without the tool."""

    def __init__(self, tool):
        self.options = {}
        if not tool:
            return
        top = self.help(tool)
        common = set(re.findall(r"--[a-z-]+", top)) | {"--help"}
        for name in re.findall(r"(?m)^  ([a-z][a-z-]*) {2,}\S", top):
            text = self.help(tool, name)
            subs = re.findall(r"(?m)^  ([a-z][a-z-]*) {2,}\S", text) if f"weft {name} COMMAND" in text else []
            for sub in subs:
                self.options[f"{name} {sub}"] = common | self.options_in(self.help(tool, name, sub))
            self.options[name] = common | self.options_in(text)

    @staticmethod
    def options_in(text):
        return set(re.findall(r"(?<![\w-])--?[a-z][a-z0-9-]*", text))

    @staticmethod
    def help(tool, *command):
        return subprocess.run([tool, *command, "--help"], capture_output=True, text=True, check=False).stdout


def lines_of_page(text):
    """(number, line, code): code is what a reader would type, or what stands in backticks."""
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            fenced = not fenced
        yield number, line, line if fenced else "\n".join(re.findall(r"`([^`]*)`", line))


def lines_of_header(text):
    for number, line in enumerate(text.split("\n"), 1):
        at = line.find("//")
        if at >= 0 and line[:at].count('"') % 2 == 0:
            yield number, line[at + 2:], ""


def wrong_names(tree, line):
    for name in re.findall(r"(?<![\w/.-])(?:weft|WEFT)_\w*\w", line):
        if not name.startswith("weft__") and not tree.has_name(name):
            yield f"'{name}' is nowhere in the code"


def wrong_paths(tree, line):
    for path in re.findall(rf"(?<![\w/.~$-])((?:{'|'.join(FOLDERS)}|weft)/[\w./*<>-]*\w[*>]?)", line):
        if "." in os.path.basename(path) or path.split("/")[0] != "weft":
            if not tree.has_path(path):
                yield f"there is no '{path}'"
    for name in re.findall(r"(?<![\w/.*<>$-])(\w[\w-]*\.(?:c|h|py|sh|cmake|inc))\b(?![\w/])", line):
        if name not in tree.by_base and name not in THEIR_FILES:
            yield f"no file is named '{name}'"


def wrong_commands(tree, commands, code):
    """Of every `weft ...`, up to where another program or a comment begins."""
    for sub, rest in re.findall(r"(?m)(?:^|[|&] |\$ )weft ([a-z][a-z-]*(?<!-))(?![:\w-])([^|;#\n]*)", code):
        if commands.options and sub not in commands.options:
            yield f"there is no command 'weft {sub}'"
            continue
        word = re.match(r" ([a-z][a-z-]*)", rest)
        full = f"{sub} {word.group(1)}" if word else sub
        full = full if full in commands.options else sub
        for option in re.findall(r"(?<![\w=-])(--[a-z][a-z0-9-]*|-[a-z](?![\w-]))", rest):
            if option not in commands.options.get(full, tree.options):
                yield f"'weft {full} --help' does not name {option}"
    for option in re.findall(r"(?m)^(--[a-z][a-z0-9-]*)(?!\w)", code):
        if option not in tree.options | THEIR_OPTIONS:
            yield f"nothing takes {option}"


def files_of_cell(cell):
    """Files of "src/run/exec.c, segments.c" or "src/plan, passes/": a bare name lies in the folder of the one before, or
    anywhere; folders stand for what is in them."""
    for word in re.findall(r"[\w/*.]+", cell):
        if "*" in word or not (word.endswith(".c") or "/" in word):
            continue
        found = glob.glob(os.path.join(ROOT, word)) if "/" in word else \
            glob.glob(os.path.join(ROOT, "**", word), recursive=True)
        for path in [p for p in found if os.sep + "build" + os.sep not in p]:
            yield from glob.glob(os.path.join(path, "**", "*.c"), recursive=True) if os.path.isdir(path) else [path]


def wrong_functions(text):
    """(line number, what) for rows of tables headed `| ... | function | in |`"""
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        cells = [c.strip() for c in line.strip("|").split("|")]
        if not line.startswith("|"):
            inside = False
        elif cells[1:] == ["function", "in"]:
            inside = True
        elif inside and len(cells) == 3 and not cells[0].startswith("---"):
            code = "\n".join(without_comments(p, read(os.path.relpath(p, ROOT))) for p in sorted(set(files_of_cell(cells[2]))))
            for name in re.findall(r"`(\w+)`", cells[1]):
                if not re.search(rf"^[a-z][\w \*]*\b{name}\(", code, re.M):
                    yield number, f"no function '{name}' is defined in {cells[2]}"


def main():
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    tree, commands, wrong = Tree(), Commands(sys.argv[1] if len(sys.argv) == 2 else None), 0
    pages = sorted(p for p in tree.files if re.fullmatch(r"(docs/)?[\w-]+\.md", p))
    headers = sorted(p for p in tree.files if p.startswith("include/weft/"))
    for path in pages + headers:
        page = path.endswith(".md")
        for number, what in wrong_functions(read(path)) if page else ():
            print(f"{path}:{number}: {what}")
            wrong += 1
        for number, line, code in lines_of_page(read(path)) if page else lines_of_header(read(path)):
            found = list(wrong_names(tree, line)) + list(wrong_paths(tree, line))
            found += list(wrong_commands(tree, commands, code))
            for what in found:
                print(f"{path}:{number}: {what}")
            wrong += len(found)
    if wrong:
        sys.exit(f"{wrong} names of things that are not there")
    print(f"names in {len(pages)} pages and {len(headers)} headers: all there")


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
