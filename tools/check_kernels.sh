#!/bin/sh
# Part of make check-long: the tests of the kernels with all of their random shapes (CHECK_LONG, tests/check.h) and with every
# check of ASan and UBSan in the innermost loops, of which make test's build leaves some out (cmake/kernels.cmake); then with other
# shapes for KERNEL_SECONDS (120), from KERNEL_SEED on (by default from the time).
set -eu
cd "$(dirname "$0")/.."
build=build/asan-kernels
if [ "${1:-}" = one ]; then  # called by itself: one PROGRAM NAME, one file of tests
  "$build/tests/$2" "$3/" > "$build/$2.$3.log" 2>&1 && exit 0
  echo "$2 $3, CHECK_LONG=${CHECK_LONG:-} CHECK_SEED=${CHECK_SEED:-}:"
  tail -40 "$build/$2.$3.log"
  exit 1
fi
jobs=${JOBS:-$(nproc)}
status=0
cmake --preset asan-kernels > /dev/null
tools/build.sh $build --target weft_tests --target weft_guard_tests --target cann_ascendc_tests --target cann_ascendc_units_tests
echo "Ascend C: kernels in C++ with every check of the sanitizers"
for program in cann_ascendc_tests cann_ascendc_units_tests; do
  "$build/cann/tests/$program" > "$build/$program.log" 2>&1 || { tail -40 "$build/$program.log"; status=1; }
  WEFT_ASC_CHECK=1 "$build/cann/tests/$program" > "$build/$program.log" 2>&1 || { tail -40 "$build/$program.log"; status=1; }
done
each() { program=$1; shift; printf '%s\n' "$@" | xargs -P "$jobs" -n 1 tools/check_kernels.sh one "$program" || status=1; }
guarded=$(find tests -name 'kernels_*_test.c' -exec basename {} _test.c \; | sort)
kernels=$(echo "$guarded" | grep -v kernels_guard)
echo "kernels: all random shapes, every check of the sanitizers"
export CHECK_LONG=1
# shellcheck disable=SC2086
each weft_tests $kernels tile_math recurrent_cell amx_block packed packed_layouts
# shellcheck disable=SC2086
each weft_guard_tests $guarded
unset CHECK_LONG
seconds=${KERNEL_SECONDS:-120}
seed=${KERNEL_SEED:-$(date +%s)}
end=$(($(date +%s) + seconds))
echo "kernels: other shapes for $seconds s"
while [ "$(date +%s)" -lt "$end" ]; do
  echo "  CHECK_SEED=$seed"
  export CHECK_SEED="$seed"
  # shellcheck disable=SC2086
  each weft_tests $kernels
  seed=$((seed + 100000))
done
[ $status = 0 ] && echo "kernels: all good"
exit $status
# SPDX-License-Identifier: Apache-2.0
