#!/bin/sh
# PyTorch's archives from outside: torch_cli.sh WORK WEFT PYTHON TESTS. Cases that torch_cases.py makes, read and
# written back as ONNX; archives that must be refused, with what the message must say; weights to safetensors and
# back; the shared cases, where they are at hand.
set -eu
work=$1 weft=$2 python=$3 tests=$4
rm -rf "$work"
mkdir -p "$work/cases" "$work/refused"
export PYTHONDONTWRITEBYTECODE=1

fail() {
  echo "torch_cli: $*" >&2
  exit 1
}

"$python" "$tests/torch_cases.py" "$work/cases"
"$weft" cases "$work/cases" || fail "cases"
"$weft" cases --as onnx "$work/cases" || fail "cases as ONNX"

"$python" "$tests/torch_refused.py" "$work/refused" > "$work/refused.txt"
while IFS="$(printf '\t')" read -r file says; do
  if "$weft" infer "$file" > /dev/null 2> "$work/message.txt"; then
    fail "$file was read"
  fi
  grep -q "$says" "$work/message.txt" || fail "$file: '$says' is not in: $(cat "$work/message.txt")"
done < "$work/refused.txt"

# a file is what it holds, whatever its name
cp "$work/cases/rms_norm/model.pt2" "$work/model.bin"
"$weft" infer "$work/model.bin" | grep -q LayerNorm && fail "RMSNorm is no LayerNorm"
"$weft" infer "$work/model.bin" | grep -q w.w || fail "the weight has no name"

# a SavedModel is a folder, for convert, too
"$python" "$tests/tf_saved.py" "$work/saved"
"$weft" convert "$work/saved" -o "$work/saved.onnx" --quiet || fail "convert of a SavedModel"
"$weft" infer "$work/saved.onnx" | grep -q Neg || fail "the SavedModel as ONNX has no Neg"

# a signature that changes many buffers is read in one pass
"$python" "$tests/torch_buffers.py" "$work/buffers.pt2" 10000
(ulimit -t 4 && "$weft" infer "$work/buffers.pt2" > "$work/message.txt") || fail "10000 buffers that change take too long"
grep -q "^10001 nodes" "$work/message.txt" || fail "not each of 10000 buffers changes"

# weights out and in: other numbers, and the same model as before
model=$work/cases/weight_window/model.pt2
"$weft" convert "$model" -o "$work/w.safetensors" --quiet
"$weft" convert "$model" -o "$work/plain.onnx" --quiet
"$weft" convert "$model" --weights "$work/w.safetensors" -o "$work/again.onnx" --quiet
cmp "$work/plain.onnx" "$work/again.onnx" || fail "the weights changed on their way"
"$weft" convert "$work/plain.onnx" --weights "$work/w.safetensors" -o "$work/third.onnx" > "$work/message.txt"
grep -q "initializers with other data" "$work/message.txt" || fail "$(cat "$work/message.txt")"
"$weft" diff "$work/plain.onnx" "$work/third.onnx" || fail "the weights of an ONNX model changed more than its weights"
if "$weft" convert "$work/cases/prelu_channels/model.pt2" --weights "$work/w.safetensors" -o "$work/x.onnx" --quiet 2> "$work/message.txt"; then
  fail "weights of another shape were taken"
fi
grep -q "tensor '.*': the file's shape is .*, the model's"  "$work/message.txt" || fail "$(cat "$work/message.txt")"

shared=$tests/../../shared/data/frontends/torch
if [ -d "$shared" ]; then
  "$weft" cases "$shared" || fail "shared cases"
fi
# SPDX-License-Identifier: Apache-2.0
