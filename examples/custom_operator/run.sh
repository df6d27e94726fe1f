#!/bin/sh
# Builds the package and runs the models with it; the same as the steps in README.md. Works from any directory.
#   WEFT     the tool (default: weft)
#   INCLUDE  the folder of weft's headers (default: where pkg-config finds them)
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
weft=${WEFT:-weft}
include=${INCLUDE:-$(pkg-config --variable=includedir weft)}
output=${OUTPUT:-$here/output}
library=$output/op_graph/lib/linux/$(uname -m)
mkdir -p "$library"
${CC:-cc} -std=c11 -O2 -fPIC -shared -fvisibility=hidden -I"$include" "$here/scale_shift.c" -o "$library/libscale_shift.so"
WEFT_OPP_PATH="$output${WEFT_OPP_PATH:+:$WEFT_OPP_PATH}"
export WEFT_OPP_PATH
"$weft" infer "$here/model.onnx"
for kind in onnx pt2 pb tflite mindir; do
  "$weft" run "$here/model.$kind" --input 'x=f32[1,2]{0.25,3}'
done
# SPDX-License-Identifier: Apache-2.0
