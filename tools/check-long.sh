#!/bin/sh
# make check-long: the fuzzers for a minute each (FUZZ_SECONDS), and the operators' laws with more rounds (LAW_ROUNDS) and a
# seed taken from the time. The seed is printed: LAW_SEED=... runs the same again. The tests of what threads share under
# ThreadSanitizer. The kernels with every check of ASan and UBSan in them. Those of AVX-512 under emulation, and weft for 64-bit ARM, where the cross compiler is installed.
set -eu
cd "$(dirname "$0")/.."
status=0
tools/fuzz.sh "${FUZZ_SECONDS:-60}" || status=1
seed=${LAW_SEED:-$(date +%s)}
rounds=${LAW_ROUNDS:-64}
echo "laws: seed $seed, $rounds rounds (again with LAW_SEED=$seed LAW_ROUNDS=$rounds make check-long)"
cmake --preset asan > /dev/null
cmake --build --preset asan --target weft -- --quiet
build/asan/weft op test --seed "$seed" --rounds "$rounds" || status=1
echo "threads: ThreadSanitizer over what shares anything (R342, R285)"
cmake --preset tsan > /dev/null
cmake --build --preset tsan --target weft_tests -- --quiet
for part in pool session streams_rows run_memory review_memory device_rows device_execute guard env lookups; do
  build/tsan/tests/weft_tests "$part/" || status=1
done
echo "kernels: every check of ASan and UBSan in the innermost loops, which make test's build leaves out (cmake/kernels.cmake)"
cmake --preset asan-kernels > /dev/null
cmake --build --preset asan-kernels --target weft_tests weft_guard_tests -- --quiet
for part in kernels_ vector_math recurrent_cell amx_block packed; do
  build/asan-kernels/tests/weft_tests "$part" || status=1
done
build/asan-kernels/tests/weft_guard_tests kernels_ || status=1
tools/check_avx512.sh || status=1
tools/check_aarch64.sh || status=1
[ $status = 0 ] && echo "check-long: all good"
exit $status
