#!/bin/sh
# tools/fuzz.sh [SECONDS] [TARGET...]: runs the fuzz targets one after another, SECONDS each (60), on what fuzz/corpus/ holds
# and what earlier runs found (build/fuzz/work). A failure stops nothing else; its input lies in build/fuzz/crash/TARGET/:
# replay it with build/fuzz/fuzz/fuzz_TARGET FILE, mend the library, put the input into fuzz/corpus/TARGET/.
# BUILD=DIR builds and works there instead of build/fuzz; JOBS=N compiles N files at a time.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
[ $# -gt 0 ] && shift
tools/install-deps.sh fuzz
build=${BUILD:-build/fuzz}
cmake --preset fuzz -B "$build" > /dev/null
targets=${*:-$(ls fuzz/fuzz_*.c | sed 's|fuzz/fuzz_||; s|\.c$||')}
# shellcheck disable=SC2046
cmake --build "$build" --target $(for t in $targets; do echo "fuzz_$t"; done) -- --quiet ${JOBS:+-j$JOBS}
# Words of the texts: operators and element types.
mkdir -p "$build/work"
{ sed -n 's/.*\.name = \("[A-Za-z0-9_]*"\).*/\1/p' ops/*/*.c
  sed -n 's/^  X([A-Z0-9_]*, [0-9]*, [0-9]*, \("[A-Z0-9_]*"\), \("[a-z0-9]*"\)).*/\1\n\2/p' include/weft/dtype.h; } \
  | sort -u > "$build/work/words.dict"
status=0
for t in $targets; do
  mkdir -p "$build/work/$t" "$build/crash/$t"
  dict=$build/work/words.dict
  [ -f "fuzz/dict/$t.dict" ] && cat "$build/work/words.dict" "fuzz/dict/$t.dict" > "$build/work/$t.dict" && dict=$build/work/$t.dict
  if "$build/fuzz/fuzz_$t" -max_total_time="$seconds" -rss_limit_mb=2048 -malloc_limit_mb=256 -timeout=10 -max_len=4096 \
      -dict="$dict" -print_final_stats=1 -artifact_prefix="$build/crash/$t/" "$build/work/$t" "fuzz/corpus/$t" \
      > "$build/work/$t.log" 2>&1; then
    echo "fuzz: $t: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/work/$t.log") runs, no failure"
  else
    status=1
    echo "fuzz: $t FAILED, the log is $build/work/$t.log"
    grep -a -E "not true|ERROR|runtime error|Test unit written" "$build/work/$t.log" | head -5
  fi
done
exit $status
# SPDX-License-Identifier: Apache-2.0
