#!/bin/sh
# runtime_only.sh WEFT RUNTIME_ONLY WORK - a program compiled by the tool, run by what has only the runtime.
set -eu
weft=$1 runtime=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
cd "$work"
cat > m.txt << 'END'
graph "m" {
  input x: f32[N,4]
  const w: f32[4,3]{1,0,0,0,1,0,0,0,1,1,1,1}
  const shape: i64[1]{-1}
  node m: MatMulV2(x, w) -> y
  node r: Relu(y) -> z
  node s: Reshape(z, shape) -> v
  output v
}
END
"$weft" compile m.txt -o m.weft > /dev/null
got=$("$runtime" m.weft)
want='f32[6]{0.75,1,1.25,2.75,3,3.25}'
[ "$got" = "$want" ] || { echo "runtime_only: got $got, expected $want" >&2; exit 1; }
echo damaged > m.weft
if "$runtime" m.weft 2> err; then echo "runtime_only: a damaged program ran" >&2; exit 1; fi
grep -q 'not a program' err || { cat err >&2; exit 1; }
# SPDX-License-Identifier: Apache-2.0
