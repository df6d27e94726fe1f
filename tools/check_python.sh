#!/bin/sh
# check_python.sh BUILD: builds the Python package into a release build and runs its tests. Without Python's headers or numpy nothing
# was checked, and it says so (docs/testing.md lists what is skipped where).
set -eu
build=$1
cd "$(dirname "$0")/.."
if ! python3 -c 'import os, sysconfig; os.stat(os.path.join(sysconfig.get_path("include"), "Python.h"))' 2> /dev/null; then
  echo "python: skipped: the headers of $(command -v python3) are not there (python3-dev)"
  exit 0
fi
python=python3
if ! python3 -c 'import numpy' 2> /dev/null; then
  python=build/python-venv/bin/python
  [ -x $python ] || python3 -m venv build/python-venv > /dev/null 2>&1 || true
  $python -m pip install --quiet numpy > /dev/null 2>&1 || true
fi
if ! { [ -x "$(command -v $python)" ] && $python -c 'import numpy' 2> /dev/null; }; then
  echo "python: skipped: numpy is not there and cannot be installed"
  exit 0
fi
cmake -S . -B "$build" -DWEFT_BUILD_PYTHON=ON -DPython3_EXECUTABLE="$(command -v python3)" > "$build/python.log" 2>&1 ||
  { cat "$build/python.log"; exit 1; }
cmake --build "$build" --target weft_python -- --quiet
package=$build/python/package
rm -rf "$package"
mkdir -p "$package"
cp -r python/src/weft "$package/"
cp "$build/python/_weft.abi3.so" "$package/weft/"
PYTHONPATH=$package PYTHONMALLOC=debug $python -m unittest discover -v -s python/tests 2> "$build/python.log" ||
  { cat "$build/python.log"; exit 1; }
PYTHONPATH=$package $python tools/gen_python_api.py --check
sed -n 's/.* \.\.\. skipped .\(.*\).$/python: skipped: \1/p' "$build/python.log" | sort | uniq -c |
  sed 's/^ *\([0-9]*\) \(.*\)/\2 (tests: \1)/'
tail -3 "$build/python.log" | head -1 | sed 's/^/python: /'
# SPDX-License-Identifier: Apache-2.0
