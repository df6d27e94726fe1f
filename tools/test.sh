#!/bin/sh
# make test: builds with ASan and UBSan (the preset asan), runs every test on all processors, the longest first, and prints the
# ten slowest. What is left for make check-long: docs/testing.md.
#   tools/test.sh [CTEST-ARGUMENT...]
set -eu
cd "$(dirname "$0")/.."
build=build/asan
jobs=${JOBS:-$(nproc)}
mkdir -p build
began=$(date +%s)
cmake --preset asan > $build.log 2>&1 || { cat $build.log; exit 1; }
tools/build.sh $build
built=$(date +%s)
status=0
ctest --preset asan -j "$jobs" "$@" || status=$?
echo "build $((built - began)) s, tests $(($(date +%s) - built)) s on $jobs processors. The slowest, in seconds:"
awk '/^[0-9]+\/[0-9]+ Testing: / { name = $3 }
     /^Test time = / { printf "%9.1f  %s\n", $4, name }' $build/Testing/Temporary/LastTest.log | sort -rn | head -10
exit $status
# SPDX-License-Identifier: Apache-2.0
