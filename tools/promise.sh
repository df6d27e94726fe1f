#!/bin/sh
# promise.sh BUILD FILE|DIR... - over every model (.onnx) of the folders: is the memory that is promised for the largest
# inputs kept? BUILD holds tests/promise_models, whose file says what is done; docs/memory.md says what is promised.
set -eu
driver=$1/tests/promise_models
shift
list=$(mktemp)
trap 'rm -f "$list"' EXIT
find -L "$@" -name '*.onnx' | sort | xargs -n 10 -P "$(nproc)" "$driver" > "$list" || true  # its lines say what broke
grep -v '^[0-9]' "$list" | grep -v '^holds' || true
for verdict in holds static broken loose open left; do
  awk -v want=$verdict '/^[0-9]+ holds/ { gsub(",", ""); for (i = 1; i < NF; i += 2) if ($(i + 1) == want) n += $i }
    END { printf "%d %s ", n, want }' "$list"
done
echo
! grep -qE '^(broken|loose) ' "$list"
# SPDX-License-Identifier: Apache-2.0
