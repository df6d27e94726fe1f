#!/bin/sh
# linked.sh BUILD PLUGINS SOURCE - what the built libraries and the tool link: libc, libm and what belongs to them (threads, dl, the
# loader; in builds for tests the sanitizers), nothing else. A plug-in calls no function of weft.
set -eu
build=$1 plugins=$2 source=$3
fail() { echo "linked.sh: $*" >&2; exit 1; }
allowed='^(lib(c|m|dl|pthread|rt|asan|ubsan|tsan)\.so\.[0-9]+|ld-linux.*)$'

for file in libweft.so weft; do
  [ -e "$build/$file" ] || fail "$build/$file was not built"
  needed=$(readelf -d "$build/$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  [ -n "$needed" ] || fail "$file links nothing, not even libc"
  other=$(echo "$needed" | grep -vE "$allowed" || true)
  [ -z "$other" ] || fail "$file links" $other
done

# Of an archive: no function of theirs is called. Those that weft defines itself are not undefined.
theirs='^(jpeg_|png_|TIFF|opj_|WebP|pcre2_|inflate(Init2_|End)?$|deflate|crc32$)'
for file in libweft.a libweft_runtime.a; do
  [ -e "$build/$file" ] || fail "$build/$file was not built"
  other=$(nm -u "$build/$file" 2> /dev/null | awk 'NF == 2 {print $2}' | sort -u | grep -E "$theirs" || true)
  [ -z "$other" ] || fail "$file calls" $other
done

for file in "$plugins"/*.so; do
  [ -e "$file" ] || continue  # none was built
  ours=$(nm -D --undefined-only "$file" | awk '{print $NF}' | grep '^weft' || true)
  [ -z "$ours" ] || fail "$(basename "$file") calls" $ours "of weft"
  exported=$(nm -D --defined-only "$file" | awk '{print $NF}' | grep -v '^_' || true)
  [ "$exported" = weft_plugin_exported ] || fail "$(basename "$file") exports" $exported
done
# A program that is linked with -static knows it: it can load no plug-in, and says so.
work=$build/linked-test
mkdir -p "$work"
for kind in dynamic static; do
  how=
  [ $kind = dynamic ] || how=-static
  # shellcheck disable=SC2086
  cc $how -I"$source/src" -I"$source/include" -DWEFT_PLUGINS_FROM_BIN='"../lib"' -DWEFT_PLUGINS_INSTALLED='"/lib"' \
    "$source/tests/static_main.c" "$source/src/base/plugin_folder.c" -o "$work/$kind" 2> "$work/log" ||
    { [ $kind = static ] && echo "skipped: no static libc here" && continue; cat "$work/log"; exit 1; }
  got=$("$work/$kind")
  [ "$got" = $kind ] || fail "a $kind program takes itself for a $got one"
done
echo "linked: good"
# SPDX-License-Identifier: Apache-2.0
