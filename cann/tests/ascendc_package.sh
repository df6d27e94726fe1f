#!/bin/sh
# An operator whose kernel is in Ascend C: compiled for each combination of its types, run alone and in a
# graph, behind its tiling function, in any number of threads.   ascendc_package.sh WEFT PACKAGE SOURCES ARCH ASCC
set -eu
weft=$1
export ASCEND_CUSTOM_OPP_PATH="$2"
out=$2/op_graph/lib/linux/$4/kernels
same() { [ "$1" = "$2" ] || { printf 'expected\n%s\ngot\n%s\n' "$2" "$1" >&2; exit 1; }; }
rm -rf "$out"
case $("$weft" op run ScaledSum 'x=f32[1]{1}' 'y=f32[1]{1}' 2>&1) in
  *"z ="*) echo "it runs without a kernel" >&2; exit 1 ;;
esac
same "$("$weft" op kernels "$3/op_kernel" --out "$out" --compiler "$5")" "PickedRows                   3 combinations of types
ScaledSum                    2 combinations of types"
same "$("$weft" op run ScaledSum 'x=f32[3]{1,2,3}' 'y=f32[3]{10,20,30}' --attr scale=0.5)" "z = f32[3]{6,12,18}"
same "$("$weft" op run ScaledSum 'x=f16[2]{1,2}' 'y=f16[2]{10,20}' --attr scale=0.5)" "z = f16[2]{6,12}"
same "$("$weft" op run ScaledSum 'x=f32[0]' 'y=f32[0]')" "z = f32[0]"
same "$(WEFT_ASC_CHECK=1 "$weft" op run ScaledSum 'x=f32[3]{1,2,3}' 'y=f32[3]{10,20,30}')" "z = f32[3]{11,22,33}"
# A template whose arguments are the key: types of ports, their numbers, the cores of a set.
same "$("$weft" op run PickedRows 'x=f32[3]{1,2,3}')" "y = f32[3]{1,2,3}"
same "$("$weft" op run PickedRows 'x=f16[3]{1,2,3}')" "y = f16[3]{2,3,4}"
same "$("$weft" op run PickedRows 'x=i32[3]{1,2,3}' --attr pairs=true)" "y = i32[3]{104,205,106}"
case $("$weft" op run PickedRows 'x=f16[3]{1,2,3}' --attr pairs=true 2>&1) in
  *"which no combination of ASCENDC_TPL_SEL has"*) ;;
  *) echo "a key that is not selected runs" >&2; exit 1 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'graph "g" { input x: f32[-1,2] node a: ScaledSum(x, x) {scale=2.0} -> y node b: ScaledSum(y, x) -> z output z }' > "$work/g.txt"
for threads in 1 2 7; do
  same "$(WEFT_THREADS=$threads "$weft" run "$work/g.txt" --input 'x=f32[2,2]{1,2,3,4}' | tail -1)" "z = f32[2,2]{4,8,12,16}"
done
# The record is found by the operator that it is registered for, wherever it lies below op_host.
mkdir -p "$work/tree/op_kernel" "$work/tree/op_host/arch22"
cp "$3/op_kernel/scaled_sum.cpp" "$work/tree/op_kernel"
cp "$3/op_host/scaled_sum_tiling.h" "$work/tree/op_host/arch22/sums.h"
echo '#error REGISTER_TILING_DATA_CLASS(ScaledSumToo, none)' > "$work/tree/op_host/another.h"
same "$("$weft" op kernels "$work/tree/op_kernel" --out "$work/tree/kernels" --compiler "$5")" "ScaledSum                    2 combinations of types"
# What the compiler complains about is in the user's file.
mkdir "$work/op_kernel"
sed 's/Add(z, x, z, n);/Add(z, x, z, n/' "$3/op_kernel/scaled_sum.cpp" > "$work/op_kernel/scaled_sum.cpp"
said=$("$weft" op kernels "$work/op_kernel" --out "$work/kernels" --records "$3/op_host/scaled_sum_tiling.h" --compiler "$5" 2>&1) && exit 1
case $said in
  *"scaled_sum.cpp:"*"does not compile for combination 0"*) ;;
  *) echo "no place: $said" >&2; exit 1 ;;
esac
# SPDX-License-Identifier: Apache-2.0
