#!/bin/sh
# Builds the package with its kernels and runs the operator, alone and in a graph.
#   CMAKE_PREFIX_PATH tells where weft is installed, when CMake does not find it by itself; WEFT which tool to use.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
build=${BUILD:-$here/build}
weft=${WEFT:-weft}
command -v "$weft" > /dev/null || weft=${CMAKE_PREFIX_PATH%%[;:]*}/bin/weft
cmake -S "$here" -B "$build" -DCMAKE_BUILD_TYPE=Release > /dev/null
cmake --build "$build" > "$build/log" 2>&1 || { cat "$build/log" >&2; exit 1; }
export ASCEND_CUSTOM_OPP_PATH="$build/bias_relu"
"$weft" op run BiasRelu 'x=f32[5]{-3,-1,0,1,2}' --attr bias=0.5
"$weft" op run BiasRelu 'x=f16[5]{-3,-1,0,1,2}' --attr bias=0.5
"$weft" op test BiasRelu
echo 'graph "g" { input x: f32[-1] node a: BiasRelu(x) {bias=-1.0} -> y node b: Mul(y, y) -> z output z }' > "$build/graph.txt"
"$weft" run "$build/graph.txt" --input 'x=f32[4]{0,2,3,4}' | tail -1
# SPDX-License-Identifier: Apache-2.0
