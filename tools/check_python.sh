#!/bin/sh
# check_python.sh BUILD: makes the wheel out of a release build's library, asks auditwheel which machines it is for, installs it and runs
# its tests, with allocations checked. Where PyPI's tools are not there, the package is put together by CMake and tested as it lies. Without
# Python's headers or numpy nothing was checked, and it says so (docs/testing.md lists what is skipped where).
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1/python"
build=$(cd "$1" && pwd)
log=$build/python.log
if ! python3 -c 'import os, sysconfig; os.stat(os.path.join(sysconfig.get_path("include"), "Python.h"))' 2> /dev/null; then
  echo "python: skipped: the headers of $(command -v python3) are not there (python3-dev)"
  exit 0
fi
python=$PWD/build/python-venv/bin/python
has() { "$python" -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('$1') is None)" 2> /dev/null; }
[ -x "$python" ] || python3 -m venv --system-site-packages build/python-venv > "$log" 2>&1 || python=python3
for package in numpy scikit_build_core auditwheel aiohttp; do  # one by one: what can be had is used
  has $package || "$python" -m pip install --quiet $package > "$log" 2>&1 || true
done
has tritonclient || "$python" -m pip install --quiet "tritonclient[http]" > "$log" 2>&1 || true
for package in magika rapidocr_onnxruntime; do  # for the networks that they ship; their code is not run
  has $package || "$python" -m pip install --quiet --no-deps $package > "$log" 2>&1 || true
done
if ! has numpy; then
  echo "python: skipped: numpy is not there and cannot be installed"
  exit 0
fi

# The wheel, of the library that was just built.
make_wheel() {
  rm -rf "$build"/python/*.whl
  cmake --build "$build" --target weft_static -- --quiet > "$log" 2>&1 || { cat "$log"; return 1; }
  (cd python && "$python" -m pip wheel --quiet --no-build-isolation --no-deps -w "$build/python" -C build-dir="$build/python/wheel" \
    -C cmake.source-dir=. -C cmake.define.WEFT_LIBRARY="$build/libweft.a" .)
  "$python" -m pip install --quiet --no-deps --force-reinstall "$build"/python/weft-*.whl
  if has auditwheel; then
    "$python" -m auditwheel show "$build"/python/weft-*.whl > "$build/python/auditwheel.log" 2>&1
    sed -n 's/.*following platform tag: */python: wheel for /p' "$build/python/auditwheel.log"
    grep -q manylinux "$build/python/auditwheel.log" || { cat "$build/python/auditwheel.log"; return 1; }
  else
    echo "python: skipped: auditwheel is not there; nobody looked at what the wheel needs of a machine"
  fi
}

# Without the tools: the same files in a folder.
make_folder() {
  echo "python: skipped: scikit-build-core is not there and cannot be installed; no wheel was made"
  cmake -S . -B "$build" -DWEFT_BUILD_PYTHON=ON -DPython3_EXECUTABLE="$(command -v python3)" > "$log" 2>&1 || { cat "$log"; return 1; }
  cmake --build "$build" --target weft_python -- --quiet
  PYTHONPATH=$build/python/package
  export PYTHONPATH
  rm -rf "$PYTHONPATH"
  mkdir -p "$PYTHONPATH"
  cp -r python/src/weft "$PYTHONPATH/"
  cp "$build/python/_weft.abi3.so" "$PYTHONPATH/weft/"
}

if has scikit_build_core; then
  make_wheel
else
  make_folder
fi
PYTHONMALLOC=debug "$python" -m unittest discover -v -s python/tests 2> "$log" || { cat "$log"; exit 1; }
"$python" tools/gen_python_api.py --check
sed -n 's/.* \.\.\. skipped .\(.*\).$/python: skipped: \1/p' "$log" | sort | uniq -c |
  sed 's/^ *\([0-9]*\) \(.*\)/\2 (tests: \1)/'
tail -3 "$log" | head -1 | sed 's/^/python: /'
# SPDX-License-Identifier: Apache-2.0
