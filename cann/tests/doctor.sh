#!/bin/sh
# `weft op doctor FOLDER` names the headers and macros that a project lacks, once each, and passes what is there.
#   doctor.sh WEFT SOURCE
set -eu
weft=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "doctor.sh: $1" >&2; exit 1; }
tests=$source/cann/tests
"$weft" op doctor "$tests/package" "$tests/asc" "$tests/ascendc_package" | grep -q ' files read: 0 names are missing' || fail "the tests lack names"
mkdir -p "$work/op_host/own" "$work/op_kernel"
echo '#define OP_OWN_CHECK(x) (x)' > "$work/op_host/own/own.h"
cat > "$work/op_host/a.cpp" << 'END'
#include <vector>
#include <sys/stat.h>
#include "own/own.h"
#include "../own.h"
#include "register/op_def_registry.h"
#  include <graph/none.h>
#include "torch/extension.h"
// #include "not/read.h"
OP_OWN_CHECK(1);
OP_ADD(A);
  REG_NOTHING_KNOWN(A);
REG_NOTHING_KNOWN(B);
END
printf '#include "kernel_operator.h"\n#include "%s/op_host/own/own.h"\n' "$work" > "$work/op_kernel/a.cpp"
said=$("$weft" op doctor "$work") && fail "nothing was found"
[ "$(echo "$said" | grep -c '^FAIL')" = 3 ] || fail "$said"
for part in 'header   graph/none.h (.*a.cpp:6)' 'header   torch/extension.h (.*a.cpp:7)' 'macro    REG_NOTHING_KNOWN (.*a.cpp:11)' \
  '3 files read: 3 names are missing, in 4 places'; do
  echo "$said" | grep -q "$part" || fail "no '$part' in: $said"
done
"$weft" op doctor "$work/nowhere" 2> "$work/said" && fail "a folder that is not there was read"
grep -q 'is no folder' "$work/said" || fail "$(cat "$work/said")"
# SPDX-License-Identifier: Apache-2.0
