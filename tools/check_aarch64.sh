#!/bin/sh
# Part of make check-long: weft for 64-bit ARM, cross-compiled, and under emulation its unit tests, the kernels in guarded
# memory, ONNX's backend tests and whole networks; and a look at the code of the products' inner loops. Needs Debian's
# gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu and qemu-user. About ten minutes from nothing on two cores.
#   check_aarch64.sh [BUILD FOLDER]
# Left out, because what takes a second on a machine takes about twenty here:
#   x86's instruction sets, which would run NEON's kernels once more, and AMX in plain C (lower_isa in tests/run_util.h;
#   one kernel of a kind still runs on its tiles, in kernels_guard)
#   the tests of kernels (kernels_*) outside guarded memory: those in it hold the same laws
#   avx512_emulated, which compares x86's instructions
#   fork: of a process with threads, QEMU's child waits for ever for a lock of its translator that another thread had
#   deadline, run_huge: bounds of time; vectors under QEMU are slower beside the loop that measures a machine
#   the long sets of tests that are no kernels' (liars, laws), and builtin_kernels, device_rows, plan_huge and sized, which start
#   threads by the ten thousand: the host runs them, and QEMU keeps 280 KB of each thread that ever was
#   zlib, pictures and regular expressions: there are no libraries for the emulated machine
set -eu
long=${CHECK_LONG-1}  # of kernels all random shapes (tests/check.h); empty: those of make test
export CHECK_LONG=
cd "$(dirname "$0")/.."
build=${1:-build/aarch64}
for program in aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ qemu-aarch64; do
  command -v $program > /dev/null 2>&1 || {
    echo "aarch64: left out, there is no $program (apt-get install gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user)"
    exit 0
  }
done
export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
if [ "${2:-}" = one ]; then  # called by itself: one file of tests, BUILD one PROGRAM PROCESSOR FILE
  nice qemu-aarch64 -cpu "$4" "$build/tests/$3" "$5/" > "$build/$3.$4.$5.log" 2>&1 && exit 0
  [ $? != 77 ] || { grep '^skipped' "$build/$3.$4.$5.log"; exit 0; }  # check_skip in tests/check.h
  echo "$3 $5 on $4:"
  tail -40 "$build/$3.$4.$5.log"
  exit 1
fi
each() { program=$1 processor=$2; xargs -P "$jobs" -n 1 tools/check_aarch64.sh "$here" one "$program" "$processor" || status=1; }
jobs=${JOBS:-$(nproc)}
status=0
mkdir -p "$build"
cmake -S . -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/aarch64.cmake" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_C_FLAGS_RELEASE=-O2 -DWEFT_PCRE2=OFF -DWEFT_PICTURES=OFF -DWEFT_ZLIB=OFF -DWEFT_BUILD_BENCH=OFF \
  > "$build/configure.log" 2>&1 || { cat "$build/configure.log"; exit 1; }
nice cmake --build "$build" -j "$jobs" --target weft weft_tests weft_guard_tests -- --quiet
here=$(CDPATH= cd -- "$build" && pwd)
printf '#!/bin/sh\nexec nice qemu-aarch64 "%s/weft" "$@"\n' "$here" > "$here/weft-emulated"
chmod +x "$here/weft-emulated"

echo "aarch64: unit tests"
# One process a file, as ctest does.
list() { find "$@" -name '*_test.c' ! -path '*/consumer/*' -exec basename {} _test.c \; | sort; }
list src kernels tests | grep -v -e '^kernels_' -e '^avx512_emulated$' -e '^fork$' -e '^deadline$' -e '^device_rows$' -e '^builtin_kernels$' \
  -e '^plan_huge$' -e '^run_huge$' -e '^sized$' > "$here/files.txt"
each weft_tests max < "$here/files.txt"
echo "aarch64: kernels in guarded memory"
CHECK_LONG=$long
list tests | grep '^kernels_' > "$here/files.txt"
each weft_guard_tests max < "$here/files.txt"
echo kernels_quantised > "$here/files.txt"
for processor in neoverse-n1 cortex-a53; do  # without I8MM; without DotProd too
  each weft_guard_tests $processor < "$here/files.txt"
done

data=../shared/data
if [ -d "$data/onnx/node" ]; then
  echo "aarch64: backend tests, formats by cost and packed"
  # What this build leaves out: regular expressions and pictures.
  cat tests/onnx/known.txt > "$here/known.txt"
  for test in "$data"/onnx/node/test_regex_full_match_* "$data"/onnx/node/test_image_decoder_*; do
    echo "$(basename "$test")  not in this build"
  done >> "$here/known.txt"
  for formats in cheapest packed; do
    "$here/weft-emulated" onnx-test --jobs "$jobs" --threads 2 --option assign-formats.choose=$formats --skip "$here/known.txt" \
      "$data/onnx/node" "$data/onnx/simple" "$data/onnx/pytorch-operator" "$data/onnx/pytorch-converted" || status=1
  done
  [ ! -f "$data/nets/index.json" ] || { echo "aarch64: whole networks"; python3 tools/nets.py "$here/weft-emulated" "$data/nets" || status=1; }
fi

echo "aarch64: code of the inner loops"
python3 tools/check_loops.py "$here" || status=1
[ $status = 0 ] && echo "aarch64: all good"
exit $status
# SPDX-License-Identifier: Apache-2.0
