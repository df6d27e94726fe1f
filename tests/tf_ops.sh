#!/bin/sh
# tf_ops.sh WORK WEFT PYTHON TESTS: the cases of tests/data/tf_ops.json, as frozen graphs and written back as ONNX.
set -eu
work=$1 weft=$2 python=$3 tests=$4
rm -rf "$work"
mkdir -p "$work"
export PYTHONDONTWRITEBYTECODE=1
"$python" "$tests/tf_ops.py" "$work"
"$weft" cases "$work"
rm -r "$work"/*stitch
"$weft" cases --as onnx "$work"
# SPDX-License-Identifier: Apache-2.0
