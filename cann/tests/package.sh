#!/bin/sh
# An operator library in CANN's C++ is found, shown, inferred and run by weft.   package.sh WEFT PACKAGE
set -eu
weft=$1
export ASCEND_CUSTOM_OPP_PATH="$2"
same() { [ "$1" = "$2" ] || { printf 'expected\n%s\ngot\n%s\n' "$2" "$1" >&2; exit 1; }; }
same "$("$weft" op run ScaledAdd 'x=f32[2]{1,2}' 'y=f32[2]{3,4}')" "z = f32[2]{8,12}"
same "$("$weft" op run ScaledAdd 'x=f32[2]{1,2}' 'y=f32[2]{3,4}' --attr scale=0.5)" "z = f32[2]{2,3}"
same "$("$weft" op run CountAbove 'x=f32[4]{1,-2,3,0}')" "places = i64[2]{0,2}"
same "$("$weft" op run CountAbove 'x=f32[0]')" "places = i64[0]"
said=$("$weft" op run ScaledAdd 'x=f32[1,1,1,2]{1,2}' 'y=f32[2]{3,4}' 2>&1) && exit 1
case $said in
  *"ScaledAdd:ScaledAdd: rank 4 is above 3 (scaled_add.cpp:"*E_SHAPE*) ;;
  *) echo "no reason, no place: $said" >&2; exit 1 ;;
esac
said=$("$weft" op run ScaledAdd 'x=i32[2]{1,2}' 'y=i32[2]{3,4}' 2>&1) && exit 1
case $said in
  *"only float is there (scaled_add.cpp:"*) ;;
  *) echo "no reason, no place: $said" >&2; exit 1 ;;
esac
# The record of a tiling function, with its fields; compile info is of the processor that is asked for.
same "$("$weft" op tile TiledAdd 'x=f32[32,128]' --soc Ascend910B3)" "key 7
blocks 48
phases 1
schedule 1
workspaces 2: 16777216, 196352
data 32 bytes
  0000  01 00 00 00 00 00 00 00 20 00 00 00 00 00 00 3f
  0010  20 00 00 00 00 00 00 00 80 00 00 00 00 00 00 00
  flag = u8[1]{1}
  part.rows = u32[1]{32}
  part.scale = f32[1]{0.5}
  dims = i64[2]{32,128}"
# A kernel gets them, alone and in a graph whose shapes are known at run time.
same "$("$weft" op run TiledAdd 'x=f32[1,2]{1,2}')" "y = f32[1,2]{48.5,49}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'graph "g" { input x: f32[-1,2] node a: TiledAdd(x) -> y node b: TiledAdd(y) -> z output z }' > "$work/g.txt"
same "$("$weft" run "$work/g.txt" --input 'x=f32[2,2]{1,2,3,4}' | tail -1)" "z = f32[2,2]{72.25,72.5,72.75,73}"
said=$("$weft" op run TiledAdd 'x=f32[2]{1,2}' 2>&1) && exit 1
case $said in
  *"rank 1 is not 2 (tiled_add.cpp:"*) ;;
  *) echo "no reason, no place: $said" >&2; exit 1 ;;
esac
"$weft" op tile TiledAdd 'x=f32[32,128]' --soc npusim | grep -q "blocks 8"
said=$("$weft" op tile TiledAdd 'x=f32[2]' 2>&1) && exit 1
case $said in
  *"rank 1 is not 2 (tiled_add.cpp:"*) ;;
  *) echo "no reason, no place: $said" >&2; exit 1 ;;
esac
said=$("$weft" op tile TiledAdd 'x=f32[2,2]' --soc ascend9 2>&1) && exit 1
case $said in
  *"no processor is called 'ascend9'"*E_NOT_FOUND*) ;;
  *) echo "a processor that nobody makes: $said" >&2; exit 1 ;;
esac
said=$("$weft" op tile ScaledAdd 'x=f32[2]' 'y=f32[2]' 2>&1) && exit 1
case $said in
  *"has no tiling function"*) ;;
  *) echo "no tiling function: $said" >&2; exit 1 ;;
esac
said=$("$weft" op test ScaledAdd CountAbove) || { echo "$said" >&2; exit 1; }
case $said in
  "2 operators, 5 examples, "*" checks, 0 failed; 0 kernels in 0 runs") ;;
  *) echo "examples in C++ do not run: $said" >&2; exit 1 ;;
esac
# Follow takes the place of InferShape, and names of dims pass.
said=$("$weft" op test Follows) || { echo "$said" >&2; exit 1; }
echo 'graph "g" { input x: f32[N,3] node a: Follows(x) -> y output y }' > "$work/g.txt"
"$weft" infer "$work/g.txt" | grep -q '^y  *f32  *\[N,3\]' || { echo "Follow loses the name of a dim" >&2; exit 1; }
"$weft" op show ScaledAdd | grep -q "Float = 2"
# Two descriptions of one operator: what differs is named, with the place that is known.
said=$("$weft" op doctor 2>&1) || true
for part in "warn  operator   Contradicts: OP_ADD (contradicts.cpp:" "and REG_OP (contradicts.cpp:" "contradict each other, and the first one counts" \
  "input 'x' takes DT_FLOAT in OP_ADD, DT_FLOAT, DT_INT32 in REG_OP" "input 'y' is required in OP_ADD, optional in REG_OP" \
  "input 'more' stands in REG_OP alone" "attribute 'scale' is Float in OP_ADD, Int in REG_OP"; do
  case $said in
    *"$part"*) ;;
    *) echo "no '$part' in: $said" >&2; exit 1 ;;
  esac
done
# Its range and format functions are asked, and private attributes lie behind the declared one.
echo 'graph "g" { input x: f32[-1,4] range [3..9,4..4] input y: f32[2] node c: Contradicts(x, y) -> z output z }' > "$work/g.txt"
"$weft" infer "$work/g.txt" 2> /dev/null | grep -q '^z  *f32  *\[-1,4,11,12\]  *NHWC  *\[2..5,4..4,11..11,12..12\]'
echo 'graph "g" { input x: f32[5] input y: f32[2] node c: Contradicts(x, y) {more_dims=5, _under: Int = 6} -> z output z }' > "$work/g.txt"
"$weft" infer "$work/g.txt" 2> /dev/null | grep -q '^z  *f32  *\[3,5,6\]'
# SPDX-License-Identifier: Apache-2.0
