#!/bin/sh
# Installs the build tree, then uses it as outsiders do: CMake package, pkg-config, the sample operator package (R41, R140,
# R141, R164, R315, R316, R318, R320-R322, R325-R327, R354).   install.sh SOURCE BUILD
# What compiles CANN's C++ and Ascend C against what is installed: install_cann.sh, in make check.
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
