#!/bin/sh
# Installs the build tree, then uses its doors for CANN's C++, Ascend C and AscendCL as outsiders do: the examples, a project by
# the documents' means, operators by each compiler of C++ (R353).   install_cann.sh SOURCE BUILD
# CHECK_LONG=1 (make check-long): each compiler of C++ with each setting; otherwise each of both once.
set -eu
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
work=$build/install-cann
rm -rf "$work"
mkdir -p "$work"
prefix=$work/prefix
weft=$prefix/bin/weft
cmake --install "$build" --prefix "$prefix" > /dev/null
fail() { echo "install_cann.sh: $*" >&2; exit 1; }
step() { echo "install/$1"; }  # a test's name, with the rows that it holds (tools/held_rows.py)
same() { [ "$1" = "$2" ] || { printf 'expected\n%s\ngot\n%s\n' "$2" "$1" >&2; exit 1; }; }
sanitize=$(sed -n 's/^WEFT_SANITIZE:[A-Z]*=\(..*\)/-fsanitize=\1/p' "$build/CMakeCache.txt")

step acl_model
out=$(cd / && CMAKE_PREFIX_PATH="$prefix" BUILD="$work/acl" "$source/examples/acl_model/run.sh" 2>&1) || { echo "$out"; fail "examples/acl_model"; }
same "$(echo "$out" | tail -1)" "acl: same as weft"

step cann_where_like_custom
out=$(cd / && CMAKE_PREFIX_PATH="$prefix" BUILD="$work/cann_where" OUTPUT="$work/cann_output" \
  "$source/examples/cann_where_like_custom/run.sh" -DCMAKE_BUILD_TYPE= 2> "$work/log") || { cat "$work/log"; fail "examples/cann_where_like_custom"; }
same "$out" "output shape: [4, 1]
output values: 0 2 4 7"

step cann_operator_package
out=$(cd / && CMAKE_PREFIX_PATH="$prefix" BUILD="$work/cann_package" WEFT="$prefix/bin/weft" \
  "$source/examples/cann_operator_package/run.sh" 2> "$work/log") || { cat "$work/log"; fail "examples/cann_operator_package"; }
same "$out" "y = f32[5]{0,0,0.5,1.5,2.5}
y = f16[5]{0,0,0.5,1.5,2.5}
1 operator, 3 examples, 400 checks, 0 failed; 0 kernels in 0 runs
z = f32[4]{0,1,4,9}"
# A kernel that was changed is compiled again, and nothing else.
same "$(cmake --build "$work/cann_package" | grep -c 'Kernels in Ascend C' || true)" "0"

step r353_ascend_c
# By the documents' means: ASCEND_HOME_PATH, set_env.sh, find_package(ASC).
asc=$work/asc
cp -r "$source/cann/tests/asc" "$asc"
asc_build() {
  (export ASCEND_HOME_PATH="$prefix" CXXFLAGS="$sanitize" ASCFLAGS="$sanitize"
    bash -c '. "$ASCEND_HOME_PATH/set_env.sh" && cmake -S "$1" -B "$1/build" && cmake --build "$1/build"' - "$asc") > "$work/log" 2>&1
}
asc_build || { cat "$work/log"; fail "a project with sources in Ascend C"; }
asc_run() { (export LD_LIBRARY_PATH="$prefix/lib"; echo "$("$asc/build/mixed") $("$asc/build/alone")"); }
same "$(asc_run)" "3 -6 9 -12 15 22"
# Kernels of operators, compiled when they first run.
asc_op() { ASCEND_CUSTOM_OPP_PATH="$asc/build/package" LD_LIBRARY_PATH="$prefix/lib" "$prefix/bin/weft" op run "$@" 2>&1; }
asc_op Declared 'f32[5]{1,2,3,4,5}' | grep -qxF "y = f32[5]{2,4,6,8,10}" || fail "Declared: $(asc_op Declared 'f32[5]{1,2,3,4,5}')"
out=$(asc_op Failing 'f32[1]{1}') && fail "an operator whose kernel failed has run: $out"
echo "$out" | grep -q "a kernel of the operator failed: .*twice.asc:" || fail "the kernel's fault is not told: $out"
sed -i 's/kScale = 3/kScale = 4/' "$asc/scale.h"
asc_build || { cat "$work/log"; fail "a project with sources in Ascend C, again"; }
same "$(asc_run)" "4 -8 12 -16 20 29"
sed -i 's/&y));$/\&y), nowhere);/' "$asc/alone.asc"
asc_build && fail "a launch with an argument that does not exist was compiled"
grep -q "alone.asc:12:.*'nowhere' was not declared\|alone.asc:12:.*‘nowhere’ was not declared" "$work/log" ||
  { cat "$work/log"; fail "the user's line is not named"; }

step cann_package
# Operators in CANN's C++, outside the tree, against the installed headers.
mkdir -p "$work/cann"
cp "$source"/cann/tests/package/*.cpp "$work/cann"
cat > "$work/cann/CMakeLists.txt" << 'END'
cmake_minimum_required(VERSION 3.20)
project(cann_sample CXX)
find_package(weft REQUIRED COMPONENTS cann)
add_library(sample_op MODULE scaled_add.cpp count_above.cpp)
target_link_libraries(sample_op PRIVATE weft::cann)
target_compile_options(sample_op PRIVATE -Wall -Wextra -Werror)
install(TARGETS sample_op LIBRARY DESTINATION op_graph/lib/linux/${CMAKE_SYSTEM_PROCESSOR})
END
cann_package() {  # COMPILER SETTING
  command -v "$1" > /dev/null || { echo "skipped: no $1"; return 0; }
  rm -rf "$work/cann_build" "$work/cann_output"
  { CXXFLAGS=$2 CXX=$1 cmake -S "$work/cann" -B "$work/cann_build" -DCMAKE_PREFIX_PATH="$prefix" \
      -DCMAKE_INSTALL_PREFIX="$work/cann_output" && cmake --build "$work/cann_build" &&
      cmake --install "$work/cann_build"; } > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  same "$(ASCEND_CUSTOM_OPP_PATH="$work/cann_output" "$weft" op run ScaledAdd 'x=f32[2]{1,2}' 'y=f32[2]{3,4}')" "z = f32[2]{8,12}"
  same "$(ASCEND_CUSTOM_OPP_PATH="$work/cann_output" "$weft" op run CountAbove 'x=f32[4]{1,-2,3,0}')" "places = i64[2]{0,2}"
}
cann_package g++ -D_GLIBCXX_USE_CXX11_ABI=0
cann_package clang++ -fno-exceptions
if [ -n "${CHECK_LONG:-}" ]; then
  cann_package g++ -fno-exceptions
  cann_package clang++ -D_GLIBCXX_USE_CXX11_ABI=0
fi
rm -rf "$work"
echo "install_cann: good"
# SPDX-License-Identifier: Apache-2.0
