#!/bin/sh
# Builds the program, makes its model and its picture, runs it, and compares with `weft run`.
#   CMAKE_PREFIX_PATH tells where weft is installed, when CMake does not find it by itself; WEFT which tool to use.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
build=${BUILD:-$here/build}
weft=${WEFT:-weft}
command -v "$weft" > /dev/null || weft=${CMAKE_PREFIX_PATH%%[;:]*}/bin/weft
if ! cmake -S "$here" -B "$build" -DCMAKE_BUILD_TYPE=Release > "$build.log" 2>&1; then
  cat "$build.log" >&2
  echo "run.sh: weft was not found or the compiler is missing; set CMAKE_PREFIX_PATH to weft's prefix" >&2
  exit 1
fi
cmake --build "$build" > /dev/null
rm -f "$build.log"
cd "$build"
"$weft" atc --framework=1 --model="$here/model.txt" --output=model --input_shape="image:1,3,32,32" --soc_version=Ascend310P3
"$weft" run "$here/picture.txt" --save picture --quiet
tail -c 12288 picture/image.npy > picture.bin # the floats behind the header
./classify model.om picture.bin result.bin
"$weft" run model.om --input image=picture/image.npy --save expected --quiet
tail -c 40 expected/probability.npy | cmp - result.bin
echo "acl: same as weft"
# SPDX-License-Identifier: Apache-2.0
