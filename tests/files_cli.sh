#!/bin/sh
# files_cli.sh WEFT FOLDER: what the tool leaves when it cannot write, and what it does to files that are in use.
set -u
weft=$1
model=$2/examples/conv_relu_pool/model.json
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
fail() {
  echo "FAILED: $*"
  failed=1
}

# Every command says that its output is lost, and fails.
if [ -c /dev/full ]; then
  while read -r line; do
    # shellcheck disable=SC2086
    "$weft" $line > /dev/full 2> "$dir/err" && fail "weft $line > /dev/full succeeded"
    grep -q 'cannot write to the standard output' "$dir/err" || fail "weft $line > /dev/full says nothing"
  done << EOF
--help
--version
infer $model
infer --help
show $model
show $model --text
show $model --dot
show $model --json
compile $model
run $model --random 1
op list
op show Relu
op doctor
diff $model $model --help
bench --help
bisect --help
onnx-test --help
convert --help
EOF
fi

# A program takes its name when it is whole: whoever has the old one open keeps it.
"$weft" compile "$model" -o "$dir/live.weft" > "$dir/out" || fail "compile -o"
cp "$dir/live.weft" "$dir/before"
exec 3< "$dir/live.weft"
"$weft" compile "$model" --option passes=0 -o "$dir/live.weft" > "$dir/out" || fail "compile -o over a program"
cmp -s "$dir/before" /dev/fd/3 || fail "the old program changed under who reads it"
exec 3<&-

# No room: the old program stays, nothing else does, and the error says so.
cp "$dir/live.weft" "$dir/before"
(
  ulimit -f 1
  trap '' XFSZ
  "$weft" compile "$model" -o "$dir/live.weft" > /dev/null 2> "$dir/err"
) && fail "compile without room succeeded"
grep -q 'live.weft.*the file of that name is as it was' "$dir/err" || fail "compile without room: $(cat "$dir/err")"
cmp -s "$dir/before" "$dir/live.weft" || fail "compile without room changed the program"
[ -z "$(find "$dir" -name '.*.weft-*')" ] || fail "a temporary file is left"

# With more rights than its user a process does not believe the variables of roots. Only root can make such a tool.
if [ "$(id -u)" = 0 ]; then
  chmod 755 "$dir"
  cp "$weft" "$dir/weft"
  if chown 65534 "$dir/weft" 2> /dev/null && chmod 4755 "$dir/weft"; then
    WEFT_OPP_PATH=$dir "$dir/weft" op list > /dev/null 2> "$dir/err"
    grep -q 'WEFT_OPP_PATH is not believed' "$dir/err" || fail "setuid: $(cat "$dir/err")"
  fi
fi

"$weft" run "$dir/live.weft" --random 1 --copy > /dev/null || fail "run --copy"
exit $failed
# SPDX-License-Identifier: Apache-2.0
