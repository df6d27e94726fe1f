#!/bin/sh
# A package compiles without run-time type information, without exceptions, with either string of libstdc++, as
# C++20, and runs.   dialects.sh WEFT SOURCE BUILD COMPILER
set -eu
weft=$1
source=$2
build=$3
compiler=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
include="-I$build/generated/cann -I$source/cann/include -I$source/include"
lib="$work/op_graph/lib/linux/$(uname -m)"
mkdir -p "$lib"
export ASCEND_CUSTOM_OPP_PATH="$work"
try() { # NAME FLAGS...
  name=$1
  shift
  # shellcheck disable=SC2086
  $compiler "$@" -Wall -Wextra -Werror -O1 -fPIC -fno-strict-aliasing $include \
    -c "$source/cann/tests/package/scaled_add.cpp" -o "$work/$name.o"
  $compiler -shared "$work/$name.o" -o "$lib/lib$name.so"
  said=$("$weft" op run ScaledAdd 'x=f32[2]{1,2}' 'y=f32[2]{3,4}')
  [ "$said" = "z = f32[2]{8,12}" ] || { echo "dialects.sh: $name gave $said" >&2; exit 1; }
  rm "$lib/lib$name.so"
}
try bare -std=c++17 -fno-rtti -fno-exceptions
[ -z "${CHECK_LONG:-}" ] && exit 0
try no_rtti -std=c++17 -fno-rtti
try no_exceptions -std=c++20 -fno-exceptions
try old_strings -std=c++17 -D_GLIBCXX_USE_CXX11_ABI=0
try cxx20 -std=c++20
# SPDX-License-Identifier: Apache-2.0
