#!/bin/sh
# check_python_asan.sh PYTHON: the Python package's tests with AddressSanitizer and UBSan in library and extension, and every block of Python's
# own as malloc's, so that it is looked at, too. PYTHON has numpy (and aiohttp, onnx: what their tests need). Builds build/asan; minutes.
set -eu
cd "$(dirname "$0")/.."
python=$1
flags="-O1 -g1 -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined"
folder=$PWD/build/asan/python
cmake --preset asan > /dev/null
cmake --build build/asan --target weft_static -- --quiet
cmake -S python -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS="$flags" -DCMAKE_MODULE_LINKER_FLAGS="-fsanitize=address,undefined" \
  -DWEFT_LIBRARY="$PWD/build/asan/libweft.a" -DPython3_EXECUTABLE="$python" > /dev/null
cmake --build "$folder" -- --quiet
rm -rf "$folder/package"
mkdir -p "$folder/package"
cp -r python/src/weft "$folder/package/"
cp "$folder/_weft.abi3.so" "$folder/package/weft/"
LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1  # what an interpreter keeps to its end is no leak; test_arrays looks for those
export LD_PRELOAD ASAN_OPTIONS
PYTHONMALLOC=malloc PYTHONPATH=$folder/package "$python" -m unittest discover -v -s python/tests 2> "$folder/tests.log" || { cat "$folder/tests.log"; exit 1; }
tail -3 "$folder/tests.log" | head -1 | sed 's/^/python under ASan: /'
# SPDX-License-Identifier: Apache-2.0
