#!/bin/sh
# Installs the build tree, then uses it as outsiders do: CMake package, pkg-config, the sample operator package (R41, R140,
# R141, R164, R315, R316, R318, R320-R322, R325-R327, R354).   install.sh SOURCE BUILD
# CHECK_LONG=1 (make check-long): each compiler of C++ with each setting; otherwise each of both once.
set -eu
source=$1
build=$2
work=$build/install-test
rm -rf "$work"
mkdir -p "$work"
prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" > /dev/null
fail() { echo "install.sh: $*" >&2; exit 1; }
step() { echo "install/$1"; }  # a test's name, with the rows that it holds (tools/held_rows.py)
same() { [ "$1" = "$2" ] || { printf 'expected\n%s\ngot\n%s\n' "$2" "$1" >&2; exit 1; }; }

# A target that is installed is built by `make install`, which builds no other: both by the one function.
by_hand=$(grep -h "^ *install(TARGETS" "$source"/CMakeLists.txt "$source"/cmake/*.cmake | grep -vc "TARGETS \${ARGV})") || true
same "$by_hand" 0

step cmake_package
expected="weft 0.1.0: relu(-1, 0, 2) = 0, 0, 2"
for kind in shared static; do
  components=$kind
  [ $kind = static ] || components=
  at=$work/consumer_$kind
  cmake -S "$source/tests/consumer" -B "$at" -DCMAKE_PREFIX_PATH="$prefix" -DCONSUMER_COMPONENTS="$components" > "$work/log" 2>&1 ||
    { cat "$work/log"; exit 1; }
  grep -q "plug-ins: $prefix/lib/weft/plugins" "$work/log" || { cat "$work/log"; fail "weft_PLUGIN_FOLDER is not in the prefix"; }
  cmake --build "$at" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  for program in consumer consumer_cxx consumer_static consumer_shared; do
    same "$(LD_LIBRARY_PATH="$prefix/lib" "$at/$program")" "$expected"
  done
done
for program in shared/consumer shared/consumer_cxx shared/consumer_shared static/consumer_shared; do
  ldd "$work/consumer_$program" | grep -q libweft.so || fail "consumer_$program does not link libweft.so"
done
for program in static/consumer static/consumer_cxx static/consumer_static shared/consumer_static; do
  if ldd "$work/consumer_$program" | grep libweft; then fail "consumer_$program links libweft.so"; fi
done

step pkg_config
grep -q sanitize "$build/CMakeCache.txt" && sanitize=$(sed -n 's/^WEFT_SANITIZE:[A-Z]*=\(..*\)/-fsanitize=\1/p' "$build/CMakeCache.txt") || sanitize=
flags=$(PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --cflags --libs weft)
# shellcheck disable=SC2086
cc $sanitize "$source/tests/consumer/main.c" -o "$work/by_pkg_config" $flags
same "$(LD_LIBRARY_PATH="$prefix/lib" "$work/by_pkg_config")" "$expected"
flags=$(PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --static --libs weft | sed "s|-L[^ ]* ||; s/ *$//")
same "$flags" "-lweft -lm -ldl -lpthread"
flags=$(PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --static --cflags --libs weft |
  sed 's/-lweft\( \|$\)/-l:libweft.a\1/')
# shellcheck disable=SC2086
cc $sanitize "$source/tests/consumer/main.c" -o "$work/by_pkg_config_static" $flags
same "$("$work/by_pkg_config_static")" "$expected"
if ldd "$work/by_pkg_config_static" | grep libweft; then fail "the static program links libweft.so"; fi

step the_runtime_alone
flags=$(PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --cflags --libs weft-runtime)
# shellcheck disable=SC2086
cc $sanitize "$source/tests/runtime_only.c" -o "$work/runtime_by_pkg_config" $flags
for program in "$work/runtime_by_pkg_config" "$work/consumer_shared/consumer_runtime"; do
  sh "$source/tests/runtime_only.sh" "$prefix/bin/weft" "$program" "$work/runtime_work"
  if nm "$program" | grep -qw weft_compile; then fail "$program has the compiler"; fi
done

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

step r41_r140_r141_r164_r315_r316_r318_r320_r321_r325_r326_r327_the_sample_package
lines="output shape: [4, 1]
output values: 0 2 4 7"
out=$(cd / && CMAKE_PREFIX_PATH="$prefix" BUILD="$work/sample" OUTPUT="$work/output" "$source/examples/where_like_custom/run.sh" 2> /dev/null)
same "$out" "$lines"
lib=$work/output/op_graph/lib/linux/$(uname -m)/libwhere_like_custom_op.so
[ -f "$lib" ] && [ -f "$work/output/op_graph/include/where_like_custom.h" ] || fail "an artefact is missing"
out=$(cd "$work/sample" && ASCEND_CUSTOM_OPP_PATH="$work/output:" ./data_dependent_shape_custom_session_run 2> /dev/null)
same "$out" "$lines"
(cd "$work/sample" && env -u ASCEND_CUSTOM_OPP_PATH ./data_dependent_shape_custom_session_run > /dev/null 2>&1) && fail "ran without the package"
weft=$prefix/bin/weft
"$weft" op test "$lib" > "$work/log" || { cat "$work/log"; exit 1; }
WEFT_OPP_PATH="$work/nowhere:$work/output" "$weft" op list --packages | grep -q '^WhereLikeCustom ' || fail "not found through WEFT_OPP_PATH"
out=$(WEFT_OPP_PATH="$work/output" "$weft" run "$source/examples/where_like_custom/graph.txt" --input 'x=bool[2,3]{1,0,1,0,1,1}' 2>&1) && fail "a [2,3] input was taken for [8]"
echo "$out" | grep -q "graph input 'x'" || fail "the refusal does not name the input: $out"

step r319_a_weft_that_is_missing_is_named
if [ -d /usr/local/lib/cmake/weft ] || [ -d /usr/lib/cmake/weft ]; then
  echo "skipped: CMake finds a weft in this system's own folders"
else
  out=$(env -u CMAKE_PREFIX_PATH -u weft_DIR BUILD="$work/none" OUTPUT="$work/none" "$source/examples/where_like_custom/run.sh" 2>&1) &&
    fail "the sample was built without a weft"
  echo "$out" | grep -q "^run.sh: weft was not found .* set CMAKE_PREFIX_PATH" || fail "the missing weft is not named: $out"
fi

step r166_r322_r338_what_is_linked
if ldd "$lib" | grep -Ei 'torch|tensorflow|protobuf|libweft'; then fail "the package links against more than libc"; fi
# What the library itself links: tests/linked.sh.

step plug_ins
cat > "$work/decode.txt" << 'END'
graph "decode" {
  input x: u8[N]
  node look: ImageDecoder(x) -> y
  output y
}
END
decode() { "$weft" run "$work/decode.txt" --input 'x=u8[4]{255,216,255,0}' 2>&1; }
plugins=$prefix/lib/weft/plugins
[ -d "$plugins" ] || fail "no folder of plug-ins is installed"
for plugin in "$plugins"/*.so; do
  [ -e "$plugin" ] || continue
  "$weft" op doctor | grep -q "^ok .*plug-in  *$(basename "$plugin" .so): .*, by " || fail "the tool does not find $plugin"
done
[ ! -e "$plugins/weft_jpeg.so" ] || decode | grep -q "JPEG: the data end before the picture does" || fail "JPEG is not read: $(decode)"
rm -f "$plugins"/*.so
out=$(decode) && fail "JPEG was read without the plug-in"
for part in "reading JPEG pictures needs the plug-in weft_jpeg, and there is no '$plugins/weft_jpeg.so'" \
  "install libjpeg-dev, then build and install weft again" "'look' (ImageDecoder)"; do
  echo "$out" | grep -qF "$part" || fail "the error without the plug-in lacks '$part': $out"
done
mv "$plugins" "$plugins.away"
decode | grep -qF "and no folder of plug-ins exists ('$prefix/bin/weft/plugins', '$prefix/lib/weft/plugins'" ||
  [ -d "$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$build/CMakeCache.txt")/lib/weft/plugins" ] || fail "the places are not named: $(decode)"
mv "$plugins.away" "$plugins"

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

step r324_doctor
out=$(WEFT_OPP_PATH="$work/output" "$weft" op doctor) || fail "doctor found: $out"
for part in "home path" "opp path" "package" "device" "compiler"; do
  echo "$out" | grep -q "^ok .*$part" || fail "doctor does not say '$part': $out"
done
out=$(WEFT_OPP_PATH="$work/nowhere" "$weft" op doctor) && fail "doctor takes a root that is not there"
echo "$out" | grep -q "FAIL.*nowhere" || fail "doctor does not name the missing root: $out"

step r354_set_env
out=$(sh -c ". '$prefix/share/weft/set_env.sh' 2> /dev/null; echo ok" 2> /dev/null) || true
out=$(bash -c ". '$prefix/share/weft/set_env.sh' && weft --version")
same "$out" "weft 0.1.0"
echo "install: good"
# SPDX-License-Identifier: Apache-2.0
