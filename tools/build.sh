#!/bin/sh
# tools/build.sh DIR [ARGUMENT...]: builds the configured folder DIR (arguments: those of cmake --build) and shows how far it
# is: on a terminal ninja's own line, elsewhere, as in a log, a line at the first step and one for each tenth. Warnings and
# errors are shown whole.
set -u
dir=$1
shift
jobs=${JOBS:-$(nproc)}
if [ -t 1 ]; then
  NINJA_STATUS="[%f/%t, %e s] " exec cmake --build "$dir" -j "$jobs" "$@"
fi
result=$(mktemp)
trap 'rm -f "$result"' EXIT
{
  cmake --build "$dir" -j "$jobs" "$@" 2>&1
  echo $? > "$result"
} | awk -v dir="$dir" '
  /^\[[0-9]+\/[0-9]+\] Re-(checking|running)/ { next }
  /^\[[0-9]+\/[0-9]+\] / {
    split(substr($1, 2), step, "/")
    if (!began) { print dir ": " step[2] + 0 " steps"; fflush() }
    began = 1
    tenth = int(10 * step[1] / step[2])
    if (tenth > shown) { print dir ": " substr($1, 2, length($1) - 2) " steps"; fflush() }
    if (tenth > shown) shown = tenth
    next
  }
  /^ninja: no work to do/ { next }
  { print; fflush() }'
exit "$(cat "$result")"
# SPDX-License-Identifier: Apache-2.0
