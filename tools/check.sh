#!/bin/sh
# make check: layers, banned calls, branches per line, parameters, headers alone, format, both compilers with -Werror,
# the catalogue table.
# The build with gcc is the release build (BUILD), which make demo uses then.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build/release}
status=0
python3 tools/check_layers.py || status=1
python3 tools/count_branches.py || status=1
python3 tools/count_parameters.py || status=1

step() { echo "check/$1"; }  # a test's name, with the rows that it holds (tools/held_rows.py)
step r341_each_header_alone_as_c11_c17_and_cpp17
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for h in include/weft/*.h; do
  echo "#include \"weft/$(basename "$h")\"" > "$tmp/h.c"
  cp "$tmp/h.c" "$tmp/h.cpp"
  for std in c11 c17; do gcc -std=$std -pedantic -Wall -Wextra -Werror -Iinclude -fsyntax-only "$tmp/h.c" || status=1; done
  g++ -std=c++17 -pedantic -Wall -Wextra -Werror -Iinclude -fsyntax-only "$tmp/h.cpp" || status=1
done
echo '#include "weft/weft.hpp"' > "$tmp/h.cpp"
for cc in g++ clang++; do $cc -std=c++17 -pedantic -Wall -Wextra -Wshadow -Werror -Iinclude -fsyntax-only "$tmp/h.cpp" || status=1; done

echo "format: tools/format.py, 110 columns"
python3 tools/format.py --check || status=1

echo "compile: gcc -Werror, as released"
tools/release.sh "$build" -G Ninja -DWEFT_WERROR=ON || status=1
echo "installed: CANN's C++, Ascend C, AscendCL as outsiders build them"
ccache=$(command -v ccache || true)
CMAKE_C_COMPILER_LAUNCHER=$ccache CMAKE_CXX_COMPILER_LAUNCHER=$ccache tests/install_cann.sh . "$build" || status=1
# Of the rest only warnings are wanted, no code: what checked builds have besides, and everything by clang. Its optimiser has
# nothing to warn of; its code is built and run by the fuzzers (make check-long).
for cc in gcc clang; do
  cmake -S . -B build/werror-$cc -G Ninja -DCMAKE_C_COMPILER=$cc -DCMAKE_BUILD_TYPE=Release -DWEFT_WERROR=ON > /dev/null
  cmake --build build/werror-$cc --target weft_generated -- --quiet || status=1
done
echo "warnings: gcc, code of checked builds"
tools/compiler_warnings.py build/werror-gcc --having 'WEFT_CHECKED|run/guard\.h' || status=1
echo "warnings: clang, every file"
tools/compiler_warnings.py build/werror-clang || status=1
if [ "$(uname -m)" = x86_64 ]; then
  echo "warnings: AVX-512 in plain C, which make check-long runs"
  for file in $(find kernels -name '*avx512*.c'); do
    gcc -std=c17 -D_XOPEN_SOURCE=700 -Iinclude -Isrc -Iops -Ikernels -I"$build/generated" -mavx2 -mfma -mf16c -Wno-psabi -DWEFT_AVX512_EMULATED=1 \
      -include kernels/cpu/simd/avx512_emulated.h -Werror=implicit-function-declaration -fsyntax-only "$file" || status=1
  done
fi
echo "python: its package"
tools/check_python.sh "$build" || status=1
echo "interface: docs/abi.txt"
python3 tools/check_abi.py "$build/libweft.so" || status=1
echo "catalogue: its table is what its text gives"
python3 tools/gen_catalogue.py --check || status=1
if [ -f ../shared/data/air_ops.json ]; then  # the list that the text was made of
  python3 tools/import_prototypes.py ../shared/data/air_ops.json --check || status=1
fi
echo "layers: what objects call"
python3 tools/check_symbols.py "$build" || status=1
echo "licence: SPDX lines"
python3 tools/check_spdx.py || status=1
python3 tools/check_sentences.py || status=1
echo "names: what pages and headers name is there"
python3 tools/check_names.py "$build/weft" || status=1
python3 tools/gen_onnx_doc.py --check || status=1
python3 tools/gen_torch_doc.py --check || status=1
python3 tools/gen_tf_doc.py --check || status=1
python3 tools/gen_primitives.py --weft "$build/weft" --check || status=1
[ $status = 0 ] && echo "check: all good"
exit $status
# SPDX-License-Identifier: Apache-2.0
