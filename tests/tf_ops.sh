#!/bin/sh
# tf_ops.sh WORK WEFT PYTHON TESTS: the cases of tests/data/tf_ops.json, as frozen graphs and written back as ONNX;
# graphs of TensorFlow 1 whose assignments hang on control inputs.
set -eu
work=$1 weft=$2 python=$3 tests=$4
rm -rf "$work"
mkdir -p "$work"
export PYTHONDONTWRITEBYTECODE=1
"$python" "$tests/tf_ops.py" "$work"
"$weft" cases "$work"
rm -r "$work"/sparseconcat*  # three lists of inputs, and ONNX does not say where each of them ends
"$weft" cases --as onnx "$work"

# variables of resources are states, written in the order that control inputs say; those of references are refused
"$weft" cases "$tests/data/tf1"
"$weft" run "$tests/data/tf1/after/saved_model" --input "x=$tests/data/tf1/after/input_0.npy" --repeat 2 --print 2 > "$work/second.txt"
grep -q 'y = f32\[2\]{12,24}' "$work/second.txt" || { cat "$work/second.txt"; exit 1; }
if "$weft" infer "$tests/data/tf1/ref" > /dev/null 2> "$work/ref.txt"; then
  echo "variables of references were read"
  exit 1
fi
grep -q "VariableV2: 1 node" "$work/ref.txt" || { cat "$work/ref.txt"; exit 1; }
# SPDX-License-Identifier: Apache-2.0
