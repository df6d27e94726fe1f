#!/bin/sh
# Part of make check-long: the kernels of AVX-512, VNNI and BF16 on a machine with AVX2, by plain C in the place of the
# instructions (kernels/cpu/simd/avx512_emulated.h): their unit tests in guarded memory, with and without VNNI and BF16 (the tests
# choose, and the first line says that what they choose is there), ONNX's backend tests and whole networks.
#   check_avx512.sh [PRESET]     wide; wide-asan: the same under AddressSanitizer and UBSan, several times as long
set -eu
export CHECK_LONG="${CHECK_LONG-1}"  # all random shapes (tests/check.h); empty: those of make test
cd "$(dirname "$0")/.."
preset=${1:-wide}
build=build/$preset
if ! grep -qw avx2 /proc/cpuinfo 2> /dev/null; then
  echo "avx512: left out, this machine has no AVX2"
  exit 0
fi
if [ "${2:-}" = one ]; then  # called by itself: one file of tests, PRESET one PROGRAM FILE
  nice "$build/tests/$3" "$4/" > "$build/$3.$4.log" 2>&1 && exit 0
  echo "$3 $4:"
  tail -40 "$build/$3.$4.log"
  exit 1
fi
jobs=${JOBS:-$(nproc)}
status=0
mkdir -p "$build"
cmake --preset "$preset" > "$build/configure.log" 2>&1 || { cat "$build/configure.log"; exit 1; }
nice cmake --build "$build" -j "$jobs" --target weft weft_tests weft_guard_tests -- --quiet
each() { program=$1; shift; printf '%s\n' "$@" | xargs -P "$jobs" -n 1 tools/check_avx512.sh "$preset" one "$program" || status=1; }
echo "avx512: unit tests"
each weft_tests isa tile_math recurrent_cell amx_block flops packed packed_layouts avx512_emulated
echo "avx512: kernels in guarded memory"
each weft_guard_tests kernels_guard $(find tests -name 'kernels_*_test.c' -exec basename {} _test.c \; | grep -v kernels_guard | sort)

data=../shared/data
if [ -d "$data/onnx/node" ]; then
  echo "avx512: backend tests, formats by cost and packed, and packed without VNNI and BF16"
  for formats in cheapest packed none; do
    [ $formats != none ] || { formats=packed WEFT_VNNI=0 WEFT_BF16=0; export WEFT_VNNI WEFT_BF16; }
    WEFT_ISA=avx512 nice "$build/weft" onnx-test --jobs "$jobs" --threads 2 --option assign-formats.choose=$formats \
      --skip tests/onnx/known.txt \
      "$data/onnx/node" "$data/onnx/simple" "$data/onnx/pytorch-operator" "$data/onnx/pytorch-converted" || status=1
  done
  unset WEFT_VNNI WEFT_BF16
  if [ -f "$data/nets/index.json" ]; then
    echo "avx512: whole networks"
    WEFT_ISA=avx512 nice python3 tools/nets.py "$build/weft" "$data/nets" || status=1
  fi
fi
[ $status = 0 ] && echo "avx512: all good"
exit $status
# SPDX-License-Identifier: Apache-2.0
