#!/bin/sh
# onnx_test_cli.sh WEFT - `weft onnx-test`: of bf16 outputs two steps are allowed, as the suite's own runner allows them;
# and names of dims that are no words.
set -eu
weft=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
  echo "onnx_test_cli.sh: $1" >&2
  cat "$dir/log" >&2
  exit 1
}
# y = Identity(x) of bf16[2], operator set 16.
printf '\010\010\0727\012\020\012\001x\022\001y\042\010Identity\022\001gZ\017\012\001x\022\012\012\010\010\020\022\004\012\002\010\002' > "$dir/model"
printf 'b\017\012\001y\022\012\012\010\010\020\022\004\012\002\010\002B\004\012\000\020\020' >> "$dir/model"
set=$dir/case/test_data_set_0
mkdir -p "$set"
cp "$dir/model" "$dir/case/model.onnx"

tensor() {  # second element, file
  "$weft" run "$dir/case/model.onnx" --input "x=bf16[2]{1,$1}" --save "$dir/out" --as pb > "$dir/log" 2>&1 || fail "run"
  cp "$dir/out/output_0.pb" "$set/$2"
}
expect() {  # second element of the expected output, where the model gives 1
  tensor 1 input_0.pb
  tensor "$1" output_0.pb
  "$weft" onnx-test "$dir/case" > "$dir/log" 2>&1
}
# ---- and a range of one input bounds its named dims in the others, whatever the name
printf 'graph "g" { input x: f32["a.b",4] input y: f32["a.b",4] node n: Add(x, y) -> z node m: Neg(z) -> w output w }' > "$dir/dotted.txt"
"$weft" compile "$dir/dotted.txt" --range x=1..8,4 > "$dir/log" 2>&1 || fail "compile"
grep -q 'inputs 256, outputs 128' "$dir/log" || fail "the range of 'a.b' in x does not hold in y"

expect 1 || fail "equal outputs differ"
expect 1.0078125 || fail "one step of bf16 is taken for a failure"
if expect 1.03125; then fail "four steps of bf16 pass"; fi

# Several tests share a process. Where it dies - here of a file larger than it may write, which its second report makes -
# one test fails and the others are run. (The shell says what killed its child; the pipe is no file.)
tensor 1 output_0.pb
mkdir "$dir/five"
mv "$dir/case" "$dir/five/a"
for name in b c d e; do cp -r "$dir/five/a" "$dir/five/$name"; done
(ulimit -f 4 && "$weft" onnx-test --jobs 1 --passed "$dir/five" 2> /dev/null) | cat > "$dir/log"
for line in "ok   a" "FAIL b: killed by signal" "ok   c" "FAIL d: killed by signal" "ok   e" "^3 passed, 2 failed, 0 skipped"; do
  grep -q "$line" "$dir/log" || fail "a process that dies takes others with it: '$line' is missing"
done
# SPDX-License-Identifier: Apache-2.0
