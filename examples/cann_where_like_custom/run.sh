#!/bin/sh
# Configures, builds, installs, and runs the sample; the same as the steps in README.md. Works from any directory.
# Arguments go to CMake.
#   CMAKE_PREFIX_PATH or ASCEND_HOME_PATH tells where weft is installed, when CMake does not find it by itself.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
export CMAKE_PREFIX_PATH="${CMAKE_PREFIX_PATH:-${ASCEND_HOME_PATH:-}}"
build=${BUILD:-$here/build}
output=${OUTPUT:-$here/output}
if ! cmake -S "$here" -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$output" "$@" > "$build.log" 2>&1; then
  cat "$build.log" >&2
  echo "run.sh: weft was not found or the compiler is missing; set CMAKE_PREFIX_PATH to weft's prefix" >&2
  exit 1
fi
cmake --build "$build" > /dev/null
cmake --install "$build" > /dev/null
rm -f "$build.log"
export ASCEND_CUSTOM_OPP_PATH="$output${ASCEND_CUSTOM_OPP_PATH:+:$ASCEND_CUSTOM_OPP_PATH}"
exec "$build/data_dependent_shape_custom_session_run"
# SPDX-License-Identifier: Apache-2.0
