#!/bin/sh
# make conformance: ONNX's backend tests, its shape-inference cases, and the whole networks, as far as they are at hand.
#   conformance.sh WEFT
# QUICK=PART: the backend tests alone, and of them one part, so that `make test` runs the parts beside each other: as_compiled,
# passes, streams, isas. What a part leaves to CHECK_LONG=1 (make check-long): other random halves of the passes, and the widest
# instruction set below the machine's own; the kernels' tests run each set everywhere.
# The tests come from ../shared/data, otherwise from the corpus of the registry package of ONNX. Without either nothing
# was checked: 77, which ctest shows as skipped.
set -eu
weft=$1
here=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
data=$here/../shared/data
status=0
if [ -d "$data/onnx/node" ]; then
  set -- "$data/onnx/node" "$data/onnx/simple" "$data/onnx/pytorch-operator" "$data/onnx/pytorch-converted"
else
  corpus=$(python3 -c 'import onnx, os; print(os.path.dirname(onnx.__file__) + "/backend/test/data")' 2> /dev/null || true)
  if [ -z "$corpus" ] && [ -z "${QUICK:-}" ]; then
    target=$here/build/onnx-corpus
    [ -d "$target/onnx" ] || python3 -m pip install --quiet --no-deps --target "$target" onnx > /dev/null 2>&1 || true
    corpus=$target/onnx/backend/test/data
  fi
  if [ ! -d "$corpus/node" ]; then
    echo "conformance: skipped: neither ../shared/data nor the registry package of ONNX is at hand"
    exit 77
  fi
  set -- "$corpus/node" "$corpus/simple" "$corpus/pytorch-operator" "$corpus/pytorch-converted"
fi
wanted() { [ -z "${QUICK:-}" ] || [ "$QUICK" = "$1" ]; }
if wanted as_compiled; then
  echo "backend tests, and the same with all passes off"
  "$weft" onnx-test --skip "$here/tests/onnx/known.txt" "$@" || status=1
  "$weft" onnx-test --option passes=0 --skip "$here/tests/onnx/known.txt" "$@" || status=1
fi
if wanted passes; then
  echo "with random halves of the passes"
  for option in passes-seed=1 $([ -n "${QUICK:-}" ] && [ -z "${CHECK_LONG:-}" ] || echo passes-seed=2); do
    "$weft" onnx-test --option $option --skip "$here/tests/onnx/known.txt" "$@" || status=1
  done
fi
if wanted streams; then
  echo "on two streams of the CPU, and on the simulated NPU wherever it can"
  "$weft" onnx-test --streams '2!' --skip "$here/tests/onnx/known.txt" "$@" || status=1
  "$weft" onnx-test --device 'npusim!,cpu' --streams '2!' --skip "$here/tests/onnx/known.txt" "$@" || status=1
fi

# Each instruction set that this machine has, lowered by WEFT_ISA: with so many threads, formats by cost and packed
# wherever a kernel takes that.
sets=native
if grep -qw avx2 /proc/cpuinfo 2> /dev/null; then sets="plain $sets"; fi
if grep -qw avx512vl /proc/cpuinfo 2> /dev/null; then sets="plain avx2 native"; fi
each() {  # isa, threads, formats, paths
  isa=$1 threads=$2 formats=$3
  shift 3
  WEFT_ISA=$isa "$weft" onnx-test --jobs "$(nproc)" --threads "$threads" --option "assign-formats.choose=$formats" \
    --skip "$here/tests/onnx/known.txt" "$@" > "$out" 2>&1 && return
  echo "$isa, $threads threads, formats $formats:"
  cat "$out"
  status=1
}
out=$(mktemp)
trap 'rm -f "$out"' EXIT
if [ "${QUICK:-}" ]; then
  [ "$QUICK" = isas ] || exit $status
  echo "the narrower instruction sets, formats packed"
  for isa in $sets; do
    case $isa,${CHECK_LONG:-} in native,* | avx2,) continue ;; esac
    each $isa 3 packed "$@"
  done
  each amx-emulated 3 packed "$@"
  exit $status
fi
echo "instruction sets ($sets), with 1, 2 and 7 threads, formats by cost and packed"
for isa in $sets; do
  for threads in 1 2 7; do
    for formats in cheapest packed; do
      each $isa $threads $formats "$@"
      [ ! -f "$data/nets/index.json" ] || WEFT_ISA=$isa python3 "$here/tools/nets.py" "$weft" "$data/nets" \
        --threads $threads --option assign-formats.choose=$formats > "$out" 2>&1 || { cat "$out"; status=1; }
    done
  done
done
echo "AMX's tiles, emulated"
each amx-emulated 7 packed "$@"
echo "the reference interpreter"
"$weft" onnx-test --interp --skip "$here/tests/onnx/known.txt" "$@" || status=1
echo "simplified by weft convert"
python3 "$here/tools/convert_check.py" "$weft" --skip "$here/tests/onnx/known.txt" "$@" || status=1
if [ -f "$data/nets/index.json" ]; then
  echo "whole networks"
  python3 "$here/tools/nets.py" "$weft" "$data/nets" || status=1
fi
if [ -f "$data/onnx/shape_inference/index.json" ]; then
  echo "shape inference"
  mkdir -p "$here/build"
  python3 "$here/tools/shapes_results.py" "$weft" "$data/onnx/shape_inference" "$here/build/shapes.json"
  python3 "$here/../shared/tools/score_shapes.py" "$data/onnx/shape_inference" "$here/build/shapes.json" --show 0 || true
fi
exit $status
# SPDX-License-Identifier: Apache-2.0
