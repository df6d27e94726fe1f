#!/bin/sh
# make bench: import beside the peers, inference, registry, packages, sizes. Prints; writes below build/ only.
# The models and the peers of the import are fetched or made once (tools/bench_import.py); what is not at hand is left out
# with a line that says so.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build/release}
echo "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) cores; $(cc --version | head -1); $(date -u +%Y-%m-%d)"
echo; python3 tools/bench_import.py "$build"
echo; python3 tools/static_count.py "$build/weft"
echo; "$build/bench/bench_infer"
echo; "$build/bench/bench_registry"
echo; "$build/bench/bench_cann"
echo; "$build/bench/bench_plan"
echo; "$build/bench/bench_run"
echo; "$build/bench/bench_scale"
echo; "$build/bench/bench_two_pass"
echo; "$build/bench/bench_streams"
echo; "$build/bench/bench_kernels"
echo; python3 tools/count_parts.py
echo; python3 tools/bench_performance.py "$build"
export WEFT_PYTHON=python3 PYTHONPATH="$PWD/build/peer"
models=build/bench-models
if [ -d build/peer/onnxruntime ] && [ -f $models/chain2000/model.onnx ]; then
  echo; echo "dispatch without optimisation"; "$build/weft" bench $models/chain2000/model.onnx --plain --peer onnxruntime
  for m in bert6_ln_op bert6_prim_ln; do  # a shape that is new, then one that was seen; allocations of a run: in --json
    sets=; for i in 0 1 2; do sets="$sets --data-set $models/$m/test_data_set_$i"; done
    # shellcheck disable=SC2086
    echo; "$build/weft" bench $models/$m/model.onnx $sets --peer onnxruntime
  done
fi
if [ -f build/bench-models/synth20000/model.onnx ]; then echo; "$build/bench/bench_models" build/bench-models/*/model.onnx; fi
echo
work=$build/bench-packages
rm -rf "$work"
mkdir -p "$work"
cc -O2 -shared -fPIC -Iinclude -Iexamples/where_like_custom/ge/kernel examples/where_like_custom/ge/custom_op/where_like_custom.c \
  examples/where_like_custom/ge/kernel/where_like_custom_kernel.c -Wno-missing-field-initializers -o "$work/libwhere.so"
"$build/bench/bench_packages" "$work/libwhere.so" "$work"
echo
strip -o "$work/libweft.so" "$build/libweft.so"
echo "library, stripped: $(stat -c %s "$work/libweft.so") bytes"
size "$work/libweft.so"
if [ -x "$build/tests/runtime_only" ]; then  # whole archive: the runtime without importers, inference of graphs, passes, compiler
  strip -o "$work/runtime_only" "$build/tests/runtime_only"
  echo "a program with the whole runtime and every operator, static, stripped: $(stat -c %s "$work/runtime_only") bytes"
fi
# SPDX-License-Identifier: Apache-2.0
