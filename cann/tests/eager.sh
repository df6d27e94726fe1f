#!/bin/sh
# eager.sh WEFT PACKAGE: an EagerExecuteOp in users' style, which copies its input by AscendCL and finds its shape while it runs.
set -eu
weft=$1
export ASCEND_CUSTOM_OPP_PATH=$2
"$weft" op run SmCompact 'bool[4]{1,0,1,1}' > "$2/run.log" 2>&1 || { cat "$2/run.log"; exit 1; }
grep -q 'y = i64\[3,1\]' "$2/run.log" || { cat "$2/run.log"; exit 1; }
"$weft" op show SmCompact | grep -q limit || { echo "eager.sh: the attribute is not shown"; exit 1; }
# SPDX-License-Identifier: Apache-2.0
