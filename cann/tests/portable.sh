#!/bin/sh
# portable.sh WEFT PACKAGE: what a PortableOp compiled travels in a program's file, whose shapes may be open.
set -eu
weft=$1
export ASCEND_CUSTOM_OPP_PATH=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "portable.sh: $1" >&2; exit 1; }
echo 'graph "g" { input x: f32[-1] node a: Twofold(x) -> a node b: Twofold(a) -> y output y }' > "$work/g.txt"
"$weft" compile "$work/g.txt" -o "$work/g.weft" > "$work/log" 2>&1 || fail "$(cat "$work/log")"
if WEFT_TEST_NO_COMPILER=1 "$weft" run "$work/g.txt" --input 'x=f32[2]{1,2}' > "$work/log" 2>&1; then
  fail "ran without a compiler"
fi
WEFT_TEST_NO_COMPILER=1 "$weft" run "$work/g.weft" --input 'x=f32[2]{1,2}' > "$work/log" 2>&1 || fail "$(cat "$work/log")"
grep -q 'y = f32\[2\]{4,8}' "$work/log" || fail "$(cat "$work/log")"
if WEFT_TEST_NO_COMPILER=1 "$weft" compile "$work/g.txt" -o "$work/h.weft" > "$work/log" 2>&1; then
  fail "saved without a compiler"
fi
grep -q "while operator 'Twofold' saves" "$work/log" || fail "$(cat "$work/log")"
# SPDX-License-Identifier: Apache-2.0
