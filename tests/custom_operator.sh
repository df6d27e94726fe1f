#!/bin/sh
# custom_operator.sh WORK WEFT SOURCE CC - the example of an operator of one's own in models of five frameworks, without and with its package.
set -eu
work=$1 weft=$2 source=$3 cc=$4
example=$source/examples/custom_operator
rm -rf "$work"
mkdir -p "$work"
cd "$work"
unset WEFT_OPP_PATH ASCEND_CUSTOM_OPP_PATH || true

fail() {
  echo "custom_operator.sh: $1" >&2
  exit 1
}
has() {
  grep -qF -e "$2" "$1" || { cat "$1" >&2; fail "no '$2' in $1"; }
}

"$weft" infer "$example/model.onnx" > infer.log 2>&1 || { cat infer.log >&2; fail "infer refuses an unknown operator"; }
has infer.log 'weft has no operator ScaleShift (com.acme 1): 1 node'
has infer.log 'ScaleShift scale_shift'
[ "$(grep -c 'weft has no operator' infer.log)" = 1 ] || fail "the unknown operator is told of more than once"
"$weft" infer "$example/model.onnx" --why y > why.log 2>&1 || fail "infer --why"
has why.log "has the operator 'ScaleShift', which weft does not have"
"$weft" show "$example/model.onnx" > show.log 2>&1 || { cat show.log >&2; fail "show refuses an unknown operator"; }
if "$weft" run "$example/model.onnx" --random 1 > run.log 2>&1; then fail "an unknown operator ran"; fi
has run.log 'ScaleShift (com.acme 1): 1 node'
has run.log "weft op new"
for kind in pt2 pb tflite mindir; do
  if "$weft" run "$example/model.$kind" --random 1 > "$kind.log" 2>&1; then fail "an unknown operator ran: $kind"; fi
  has "$kind.log" "a package can bring an operator under its name"
done

CC=$cc WEFT=$weft INCLUDE=$source/include OUTPUT=$work/output "$example/run.sh" > example.log 2>&1 ||
  { cat example.log >&2; fail "the example failed"; }
[ "$(grep -c "= f32\[1,2\]{0,5}" example.log)" = 5 ] || { cat example.log >&2; fail "not all five models ran"; }
has example.log 'ScaleShift scale_shift'
has example.log '[n,2]'
# SPDX-License-Identifier: Apache-2.0
