#!/bin/sh
# tools/release.sh DIR [CMAKE-ARGUMENT...]: configures and builds what users get. A folder that was configured with -Werror
# (make check) stays so: the same build serves both. TARGET=weft_installed: without tests and benchmarks.
set -eu
cd "$(dirname "$0")/.."
dir=$1
shift
mkdir -p "$dir"
echo "$dir: configuring"
cmake -S . -B "$dir" "$@" -DCMAKE_BUILD_TYPE=Release -DWEFT_CHECKED=OFF -DWEFT_EXAMPLES_IN_OPS=ON > "$dir/configure.log" 2>&1 ||
  { cat "$dir/configure.log"; exit 1; }
exec tools/build.sh "$dir" ${TARGET:+--target "$TARGET"}
# SPDX-License-Identifier: Apache-2.0
