#!/bin/sh
# MindSpore's files from outside: mindspore_cli.sh WORK WEFT PYTHON TESTS. Cases that mindspore_cases.py and
# mindspore_rows.py make, read and written back as ONNX; files that must be refused, with what the message must say;
# the shared cases, where they are at hand.
set -eu
work=$1 weft=$2 python=$3 tests=$4
rm -rf "$work"
mkdir -p "$work/cases" "$work/refused"
export PYTHONDONTWRITEBYTECODE=1

fail() {
  echo "mindspore_cli: $*" >&2
  exit 1
}

"$python" "$tests/mindspore_cases.py" "$work/cases"
"$python" "$tests/mindspore_rows.py" "$work/cases"
"$weft" cases "$work/cases" || fail "cases"
"$weft" cases --as onnx "$work/cases" || fail "cases as ONNX"

"$python" "$tests/mindspore_refused.py" "$work/refused" > "$work/refused.txt"
while IFS="$(printf '\t')" read -r file says; do
  if "$weft" infer "$file" > /dev/null 2> "$work/message.txt"; then
    fail "$file was read"
  fi
  grep -qF "$says" "$work/message.txt" || fail "$file: '$says' is not in: $(cat "$work/message.txt")"
  ! grep -q "sub-graph" "$work/message.txt" || fail "$file: what follows from it is told, too: $(cat "$work/message.txt")"
done < "$work/refused.txt"

# a file is what it holds, whatever its name
cp "$work/cases/branch_then/model.mindir" "$work/model.bin"
"$weft" infer "$work/model.bin" | grep -q "If" || fail "a choice is no If"

shared=$tests/../../shared/data/frontends/mindspore
if [ -d "$shared" ]; then
  "$weft" cases "$shared" || fail "shared cases"
fi
# SPDX-License-Identifier: Apache-2.0
