#!/bin/sh
# 2 seconds of random calls of a package's operators; CHECK_LONG=1 (make check-long): a minute, from another
# seed each time, which is printed.   fuzz.sh FUZZ PACKAGE OWN, where OWN is part of the paths of the operators' own
# sources
set -eu
export ASCEND_CUSTOM_OPP_PATH="$2"
seconds=2
seed=${CHECK_SEED:-1}
if [ -n "${CHECK_LONG:-}" ]; then
  seconds=60
  seed=$(date +%s)
fi
"$1" "$seconds" "$seed" "$3"
# SPDX-License-Identifier: Apache-2.0
