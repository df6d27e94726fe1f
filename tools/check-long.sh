#!/bin/sh
# make check-long: the fuzzers for a minute each (FUZZ_SECONDS), and the operators' laws with more rounds (LAW_ROUNDS) and a
# seed taken from the time. The seed is printed: LAW_SEED=... runs the same again. The tests of what threads share under
# ThreadSanitizer. The kernels' tests with all of their random shapes and every check of ASan and UBSan in the kernels, then with
# other shapes for two minutes (KERNEL_SECONDS). Python's wheel. Those of AVX-512 under emulation, and weft for 64-bit ARM, where the cross
# compiler is installed. What of this make test has a part of: docs/testing.md.
set -eu
cd "$(dirname "$0")/.."
status=0
tools/fuzz.sh "${FUZZ_SECONDS:-60}" || status=1
seed=${LAW_SEED:-$(date +%s)}
rounds=${LAW_ROUNDS:-64}
echo "laws: seed $seed, $rounds rounds (again with LAW_SEED=$seed LAW_ROUNDS=$rounds make check-long)"
cmake --preset asan > /dev/null
cmake --build --preset asan --target weft -- --quiet
# Forty to a process: one that crashes hides no others.
build/asan/weft op list | sed '$d; s/ .*//' > build/asan/operators.txt  # the last line counts them
xargs -n 40 -P "${JOBS:-$(nproc)}" build/asan/weft op test --seed "$seed" --rounds "$rounds" < build/asan/operators.txt || status=1
echo "liars: models whose declared shapes are wrong, all cases"
cmake --build --preset asan --target weft_tests -- --quiet
CHECK_LONG=1 build/asan/tests/weft_tests liars/ || status=1
echo "deadlines: every operator's examples blown up, all of them"
CHECK_LONG=1 build/asan/tests/weft_tests deadline/ || status=1
echo "mutations: 51,200 of the models in fuzz/corpus, seed $seed"
cmake --build --preset asan --target mutate_run -- --quiet
build/asan/tests/mutate_run --count 51200 --seed "$seed" --out build/asan/mutated fuzz/corpus/onnx tests/data || status=1
echo "texts, headers, compilers: the parts of tests that make test leaves out"
cmake --build --preset asan -- --quiet
CHECK_LONG=1 ctest --preset asan -j "${JOBS:-$(nproc)}" -R '^(stop|install|op_new_cann|cann_.*|plan_huge|run_huge|run_wrong|op_cases_cli|conformance_.*)$' || status=1
step() { echo "check-long/$1"; }  # a test's name, with the rows that it holds (tools/held_rows.py)
step r342_r285_thread_sanitizer_over_what_shares_anything
cmake --preset tsan > /dev/null
cmake --build --preset tsan --target weft_tests -- --quiet
for part in pool session streams_rows run_memory review_memory device_rows device_package device_execute guard env lookups; do
  build/tsan/tests/weft_tests "$part/" || status=1
done
echo "wheel: sdist, abi3 wheel, its tests as installed, stubs, auditwheel; leaks over 100,000 calls"
WEFT_LEAK_CALLS=100000 WEFT_FUZZ_CALLS=40000 tools/check_wheel.sh build/wheel || status=1
WEFT_FUZZ_CALLS=20000 tools/check_python_asan.sh "$PWD/build/wheel/venv/bin/python" || status=1
tools/check_kernels.sh || status=1
tools/check_avx512.sh || status=1
tools/check_aarch64.sh || status=1
[ $status = 0 ] && echo "check-long: all good"
exit $status
# SPDX-License-Identifier: Apache-2.0
