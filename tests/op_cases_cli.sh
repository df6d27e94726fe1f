#!/bin/sh
# op_cases_cli.sh SOURCE WORK WEFT - `weft op cases` over small folders of our own: numbers of every kind, what fails and
# how, the list of exceptions; and over ../shared/data/air_cases, where they are at hand.
set -eu
source=$1 work=$2 weft=$3
rm -rf "$work"
mkdir -p "$work/npz/Relu"
cd "$work"
unset ASCEND_CUSTOM_OPP_PATH WEFT_OPP_PATH || true
good=$source/tests/data/op_cases bad=$source/tests/data/op_cases_bad

fail() {
  echo "op_cases_cli.sh: $1" >&2
  exit 1
}
# gives STATUS TEXT COMMAND...: the exit status, and a text that stdout and stderr together contain.
gives() {
  want=$1 text=$2 got=0
  shift 2
  "$@" > out.log 2>&1 < /dev/null || got=$?
  [ "$got" = "$want" ] || { cat out.log >&2; fail "status $got, expected $want: $*"; }
  grep -qF -e "$text" out.log || { cat out.log >&2; fail "no '$text' in the output of: $*"; }
}
has() {
  grep -qF -e "$1" out.log || { cat out.log >&2; fail "no '$1' in that output"; }
}

gives 0 '8 passed, 0 failed, 2 skipped' "$weft" op cases "$good"
for way in --compiled --interp --unknown --constants '--compiled --option passes=0' '--jobs 1' '--jobs 5'; do
  gives 0 '8 passed, 0 failed, 2 skipped' "$weft" op cases $way "$good"
done
gives 0 '5 passed, 0 failed, 1 skipped' "$weft" op cases "$good/Add/"
gives 0 'skip NoSuchOperator 0: there is no operator of this name' "$weft" op cases -v "$good"
has "skip Add 5: input 'x1': got DT_FLOAT8_E4M3FN"
has 'Add                                        5       0       1'
gives 1 'FAIL NoSuchOperator 0: there is no operator of this name' "$weft" op cases --strict "$good"
has '8 passed, 1 failed, 1 skipped'

# Attention, recurrent layers, experts and Fourier transforms, by their formulas (make.py beside them).
for way in '' --compiled '--compiled --unknown' '--compiled --constants'; do
  gives 0 '46 passed, 0 failed, 0 skipped' "$weft" op cases $way "$source/tests/data/formula_cases"
done

gives 1 'FAIL Relu 0: compare: element [1] is 2, expected 2.5' "$weft" op cases "$bad/Relu"
has "FAIL Relu 1: input 'x': got DT_STRING (str)"
has "FAIL Relu 2: the operator has no attribute 'slope'"
has "FAIL Relu 3: 'data' has 1 elements, 'shape' 2; while reading input 'x'"
has "FAIL Relu 4: the operator has no input 'z'"
has "FAIL Relu 5: compare: element [0] is 1, expected 3"
has "in what the call left in input 'x'"
has "FAIL Relu 6: cannot open file"
has '1 passed, 7 failed, 0 skipped'

# The list of exceptions: what fails is skipped with its reason, what passes must leave the list.
printf '# why\nRelu 0 the framework rounds up\n\nRelu 7 never\nAdd * all of it\n' > expect.txt
gives 1 'skip Relu 0: expected: the framework rounds up' "$weft" op cases -v --expect expect.txt "$bad" "$good"
has 'FAIL Relu 7: it passes, and the list of --expect says that it does not'
has '8 passed, 7 failed, 3 skipped'
printf 'Relu one reason\n' > wrong.txt
gives 1 'line 1: expected OPERATOR CASE REASON' "$weft" op cases --expect wrong.txt "$good"
gives 1 "cannot read 'none.txt'" "$weft" op cases --expect none.txt "$good"

# Large tensors lie in an archive.
printf 'graph "g" { input a: f32[3] node n: Neg(a) -> a0 output a0 node m: Relu(a) -> b0 output b0 }' > g.txt
"$weft" run g.txt --input 'a=f32[3]{1,-2,3}' --save npz/Relu --as npz > /dev/null
cat > npz/Relu/cases.json <<'END'
{"op": "Relu", "cases": [{"attrs": {}, "rtol": 0, "atol": 0,
  "inputs": [{"port": "x", "dtype": "f32", "shape": [3], "data": [1, -2, 3]}],
  "outputs": [{"port": "y", "dtype": "f32", "shape": [3], "file": "outputs.npz:b0"}]},
 {"attrs": {}, "rtol": 0, "atol": 0,
  "inputs": [{"port": "x", "dtype": "f32", "shape": [3], "file": "outputs.npz:a0"}],
  "outputs": [{"port": "y", "dtype": "f32", "shape": [3], "file": "outputs.npz:b0"}]}]}
END
gives 1 '1 passed, 1 failed, 0 skipped' "$weft" op cases npz
mkdir -p escapes/StringLength
cat > escapes/StringLength/cases.json << 'END'
{"op": "StringLength", "cases": [{"attrs": {}, "rtol": 0, "atol": 0,
  "inputs": [{"port": "x", "dtype": "str", "shape": [4], "data": ["\u00e9", "\ud83d\ude00", "\t\"\n\/", "\ud83dx"]}],
  "outputs": [{"port": "y", "dtype": "i32", "shape": [4], "data": [2, 4, 4, 4]}]}]}
END
gives 0 '1 passed, 0 failed, 0 skipped' "$weft" op cases escapes
mkdir -p broken/Relu
echo '{"op": "Relu"' > broken/Relu/cases.json
gives 1 'cases.json is not a description of cases' "$weft" op cases broken

gives 2 'no cases given or found' "$weft" op cases
gives 2 "cannot read the cases in 'nowhere'" "$weft" op cases nowhere
gives 2 "--jobs '0': expected 1 to 64" "$weft" op cases --jobs 0 "$good"
gives 2 "did you mean '--compiled'" "$weft" op cases --compile "$good"

shared=$source/../shared/data/air_cases
# With unknown dims a quarter of the operators; CHECK_LONG=1 (make check-long): all.
quarter() {
  i=0
  for folder in "$shared"/*/; do
    i=$((i + 1))
    [ $((i % 4)) -ne 1 ] || echo "$folder"
  done
}
if [ -d "$shared" ]; then
  some=$shared
  [ -n "${CHECK_LONG:-}" ] || some=$(quarter)
  gives 0 ' 0 failed, ' "$weft" op cases --expect "$source/tests/data/air_expect.txt" "$shared"
  # shellcheck disable=SC2086  # names of operators hold no spaces
  gives 0 ' 0 failed, ' "$weft" op cases --unknown --expect "$source/tests/data/air_expect.txt" $some
fi
echo "op_cases_cli.sh: ok"
# SPDX-License-Identifier: Apache-2.0
