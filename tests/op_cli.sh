#!/bin/sh
# op_cli.sh WORK WEFT PACKAGES - `weft op run`, `list`, `test` and `doctor` as an author of operators uses them.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
work=$1 weft=$2 packages=$3
rm -rf "$work"
mkdir -p "$work"
cd "$work"
unset ASCEND_CUSTOM_OPP_PATH WEFT_OPP_PATH || true

fail() {
  echo "op_cli.sh: $1" >&2
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

# Dynamic and optional ports, by place and by name.
gives 0 'y = f32[3]{1,2,3}' "$weft" op run ConcatV2 '[f32[2]{1,2}, f32[1]{3}]' 'i32[]{0}'
gives 0 'y = f32[3]{3,1,2}' "$weft" op run ConcatV2 'concat_dim=i32[]{0}' 'x=[f32[1]{3},f32[2]{1,2}]'
gives 0 'y = str[2]{"a,]","b"}' "$weft" op run ConcatV2 '[str[1]{"a,]"},str[1]{"b"}]' 'i32[]{0}'
gives 0 'y = f32[4]{0,1,2,0}' "$weft" op run PadV3 'x=f32[2]{1,2}' 'paddings=i32[2]{1,1}'
gives 0 'y = f32[4]{9,1,2,9}' "$weft" op run PadV3 'f32[2]{1,2}' 'i32[2]{1,1}' constant_values='f32[]{9}'
gives 0 'y = f32[4]{0,1,2,0}' "$weft" op run PadV3 'f32[2]{1,2}' 'i32[2]{1,1}' '_'
gives 1 "operator 'ConcatV2' has no input 'z'; its inputs: x, concat_dim" "$weft" op run ConcatV2 'z=f32[1]{1}'
gives 1 "input 'x' is given twice" "$weft" op run ConcatV2 '[f32[1]{1}]' 'x=[f32[1]{1}]'
gives 1 "input 'concat_dim' takes one tensor, not a list" "$weft" op run ConcatV2 '[f32[1]{1}]' '[i32[]{0}]'
gives 1 "a list of inputs ends in ']'" "$weft" op run ConcatV2 '[f32[1]{1}' 'i32[]{0}'
gives 1 "input 1 of the list is empty" "$weft" op run ConcatV2 '[f32[1]{1},,f32[1]{1}]' 'i32[]{0}'
gives 1 'after an input with a name all have one' "$weft" op run ConcatV2 'x=[f32[1]{1}]' 'i32[]{0}'
gives 1 "is input 2, operator 'ConcatV2' has 2" "$weft" op run ConcatV2 '[f32[1]{1}]' 'i32[]{0}' 'i32[]{0}'

# What a model lacks: catalogue's operators, bodies included, the most frequent first.
cat > lacks.txt <<'END'
graph "g" { input c: bool[] input a: i32[3] node n: Neg(a) -> b node m: UnicodeScript(b) -> c0 node o: UnicodeScript(c0) -> d
  node i: If(c, [d]) {then_branch=graph "t" { input x node p: CaseCondition(x) -> y output y },
    else_branch=graph "e" { input x output x }} -> [z] output z }
END
gives 0 '2 operators missing, in 3 of 5 nodes' "$weft" op list --missing lacks.txt
head -n 1 out.log | grep -q '^UnicodeScript  *2 nodes  lacks inference and a kernel.*first .m.$' || fail "UnicodeScript comes first"
printf 'graph "g" { input a: f32[3] node n: Neg(a) -> b output b }' > whole.txt
gives 0 '0 operators missing, in 0 of 1 nodes' "$weft" op list --missing=whole.txt
# What reads from an operator that nobody has is not missing itself.
model=$(CDPATH= cd -- "$here/../examples/custom_operator" && pwd)/model.onnx
gives 0 '1 operator missing, in 1 of 2 nodes' "$weft" op list --missing "$model"
gives 1 "cannot open file 'none.onnx'" "$weft" op list --missing none.onnx
gives 2 '--missing goes with a model alone' "$weft" op list --missing whole.txt --all

# Attributes: the shell has taken the quotes.
scatter="f32[3]{1,2,3} i64[1]{1} f32[1]{10}"
gives 0 'y = f32[3]{1,12,3}' "$weft" op run ScatterElements $scatter --attr reduction=add
gives 0 'y = f32[3]{1,12,3}' "$weft" op run ScatterElements $scatter --attr 'reduction="add"'
gives 1 'Invalid reduction: dad' "$weft" op run ScatterElements $scatter --attr reduction=dad

# An operator that nobody has: where packages were looked for.
gives 1 'WEFT_OPP_PATH or ASCEND_CUSTOM_OPP_PATH names their roots, and `weft op doctor` checks them' "$weft" op show AddCustom
gives 1 "packages were looked for below $packages/hides:/nowhere: \`weft op doctor\`" \
  env WEFT_OPP_PATH="$packages/hides:/nowhere" "$weft" op show AddCustom

# The kernels of an operator, with device and origin.
gives 0 'kernel      softmax            cpu       built-in' "$weft" op show SoftmaxV2
gives 0 'kernel      none, so that the reference runs every use' "$weft" op show StringConcat

# The list names the package; what hides a built-in operator is said without asking.
gives 0 'package documents' env WEFT_OPP_PATH="$packages/documents" "$weft" op list --packages
gives 0 "hides the built-in one, its kernels too" env WEFT_OPP_PATH="$packages/hides" "$weft" op list --packages
gives 1 "call weft_elem_f64" env WEFT_OPP_PATH="$packages/broken_links" "$weft" op doctor

# Kernels that break laws fail the test, each with operator, kernel, shape, place and values.
lib=$(ls "$packages"/hides/op_graph/lib/*/*/libhides.so)
gives 1 "law 9 (kernels give what the reference gives): kernel 'minus' on cpu with f32[" "$weft" op test "$lib"
grep -q "element \[.*\] is .*, expected " out.log || fail "no element and values: $(cat out.log)"
grep -q "operator 'Relu', example .*law 10 (kernels write what is theirs): kernel 'wide' on cpu with f32\[2\] -> f32\[2\]: writes past the end of output 0 (f32), which has 8 bytes: bytes 8 to 23; element 2 of 2 was nobody's and is 1.5 now" out.log ||
  fail "no guard: $(cat out.log)"
gives 0 '0 failed' "$weft" op test Relu SoftmaxV2 NonZero

# What hangs is named, with the case.
hangs="env WEFT_OPP_PATH=$packages/hangs $weft op test"
gives 1 "FAIL operator 'Spins', example \"f32[1]{101} -> f32[1]{101}\", law 1 (the example holds): it runs for more than 2 s" \
  $hangs Spins --case-time 2
gives 1 "example \"f32[3]{1,2,3} -> f32[3]{1,2,3}\", kernel 'turning' on cpu with f32[3] -> f32[3]: it runs for more than 2 s" \
  $hangs Turns --case-time 2
# What crashes is named before the process ends as it would have; what writes past its output is a broken law.
$hangs Leaps > out.log 2>&1 && fail "a crash is no success"
grep -q "FAIL operator 'Leaps', example \"f32.*, law [15] (.*): it touches memory that is not there" out.log ||
  fail "the crash is not named: $(cat out.log)"
gives 1 "law 1 (the example holds): the reference kernel wrote 4 bytes past the end of output 0, which has 12" $hangs Strays
gives 2 "--case-time 'x': expected seconds" "$weft" op test Relu --case-time x
rm -rf "$work"
echo "op_cli.sh: ok"
# SPDX-License-Identifier: Apache-2.0
