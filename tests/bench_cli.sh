#!/bin/sh
# bench_cli.sh WORK WEFT SOURCE - `weft bench` from outside: the form of what it writes, peers that die, talk nonsense, hang
# or are not there, wrong use. No time is looked at.
set -eu
work=$1 weft=$2 source=$3
rm -rf "$work"
mkdir -p "$work/tmp"
cd "$work"
export TMPDIR=$work/tmp

fail() {
  echo "bench_cli.sh: $1" >&2
  exit 1
}
# gives STATUS TEXT COMMAND...: the exit status, and a text that stdout and stderr together contain.
gives() {
  want=$1 text=$2 got=0
  shift 2
  "$@" > out.log 2>&1 < /dev/null || got=$?
  [ "$got" = "$want" ] || { cat out.log >&2; fail "status $got, expected $want: $*"; }
  grep -qF -e "$text" out.log || { cat out.log >&2; fail "no '$text' in the output of: $*"; }
  [ -z "$(ls "$work/tmp")" ] || fail "files are left in TMPDIR after: $*"
}

cat > tiny.txt << 'END'
graph "tiny" {
  input x: f32[N,4]
  const w: f32[4]{1,2,3,4}
  node mul: Mul(x, w) -> m
  node tanh: Tanh(m) -> y
  output y
}
END
quick="--repeat 2 --seconds 0.001 --starts 1"

# Alone: the tables, the JSON, the SVG.
gives 0 'tiny' "$weft" bench tiny.txt $quick --threads 1,2 --json a.json --svg a.svg --profile --own-files
gives 0 'allocated nothing' "$weft" bench tiny.txt $quick --isa plain --plain --dim N=3
gives 0 'weft bf16' "$weft" bench tiny.txt $quick --variant bf16:precision_mode=allow_fp32_to_bf16 --tolerance 0.1
if command -v python3 > /dev/null; then
  python3 - << 'END' || fail "the files are not as they should be"
import json, xml.dom.minidom
r = json.load(open("a.json"))
assert {"weft", "date", "machine", "cores", "engines", "rows", "rounds", "seconds"} <= set(r), sorted(r)
assert [x["threads"] for x in r["rows"]] == [1, 2]
for row in r["rows"]:
    assert row["name"] == "tiny" and row["inputs"] == "1x4" and row["reference"] == "the reference interpreter", row
    (x,) = row["results"]
    assert x["engine"] == "weft" and x["least_to_peer"] is None and x["profile"]
    assert (x["own_file_ns"] is not None) == (row["threads"] == 1), x
    for key in ("least_ns", "median_ns", "ready_ns", "first_ns", "peak_bytes", "base_bytes"):
        assert x[key] >= 0, (key, x)
    assert x["least_ns"] <= x["median_ns"] and x["runs"] >= 4 and x["allocations"] == 0 and x["difference"] < 1e-5, x
xml.dom.minidom.parse("a.svg")
END
fi
cat > set.cases << 'END'
# a comment
one tiny.txt --shape x=2,4
two tiny.txt --dim N=7 --threads 2
END
gives 0 'two' "$weft" bench --cases set.cases $quick --json b.json
grep -q '"inputs": "2x4"' b.json && grep -q '"inputs": "7x4"' b.json || fail "the shapes of the cases were not taken"
gives 0 'program tiny' "$weft" compile tiny.txt -o two.weft
gives 0 'two' "$weft" bench two.weft $quick --dim N=2

# A peer that answers well, with weft's own process in its place: the protocol is one.
cat > twin << END
#!/bin/sh
exec "$weft" bench --serve
END
# The others misbehave.
printf '#!/bin/sh\nread line; echo "died of it" >&2; exit 3\n' > dies
printf '#!/bin/sh\nread line; kill -9 $$\n' > killed
printf '#!/bin/sh\nread line; echo "good morning"; read line\n' > babbles
printf '#!/bin/sh\nread line; printf "ok\\tname=x\\n"; while read line; do printf "ok\\tns=soon\\n"; done\n' > vague
printf '#!/bin/sh\nwhile read line; do printf "error\\tno such thing here\\n"; done\n' > refuses
printf '#!/bin/sh\nread line; printf "ok\\nok\\n"; read line\n' > twice
printf '#!/bin/sh\nread line; exec sleep 20\n' > hangs
printf '#!/bin/sh\nread line; while :; do printf "ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok "; done\n' > endless
printf '#!/bin/sh\nwhile read line; do printf "ok\\tname=x\\tns=1\\tleast=1\\tmedian=1\\truns=1\\n"; done\n' > forgets
chmod +x forgets twin dies killed babbles vague refuses twice hangs endless
peer() {
  want=$1 text=$2 program=$3
  shift 3
  gives "$want" "$text" env WEFT_PEER="$work/$program" "$weft" bench tiny.txt $quick --peer test "$@"
}
peer 0 'beside the peer' twin --json c.json
grep -q '"least_to_peer": [0-9]' c.json || fail "no ratio beside the twin"
peer 0 'difference' twin --no-reference
if grep -qw avx2 /proc/cpuinfo 2> /dev/null; then
  peer 1 'does not say that it is limited to avx2' twin --peer-isa avx2
  printf '#!/bin/sh\n[ "$1 $2" = "--isa avx2" ] || exec "%s" bench --serve\n' "$weft" > limited
  printf 'read line; printf "ok\\tname=slow\\tisa=avx2\\n"; WEFT_ISA=plain exec "%s" bench --serve\n' "$weft" >> limited
  chmod +x limited
  peer 0 'slow avx2' limited --isa native,plain --peer-isa native,avx2 --json d.json
fi
peer 1 'ended with status 3' dies
peer 1 'was ended by signal 9' killed
peer 1 "answered 'good morning' to 'hello'" babbles
peer 1 "without a number 'ns='" vague
peer 1 'no such thing here' refuses
peer 1 'results of x cannot be compared: ' forgets  # it says that it saved them
peer 1 'more than one line' twice
peer 1 'within 0.3 seconds' hangs --timeout 0.3
peer 1 'without ending the line' endless
peer 1 "WEFT_PEER: cannot read" nowhere
gives 1 'there is no peer_nobody.py' "$weft" bench tiny.txt $quick --peer nobody
if command -v python3 > /dev/null; then  # the package is not there
  mkdir -p empty/onnxruntime
  echo 'raise ImportError("not here")' > empty/onnxruntime/__init__.py
  gives 1 'pip install onnxruntime' env PYTHONPATH="$work/empty" WEFT_PEER="$source/tools/peer_onnxruntime.py" "$weft" bench tiny.txt $quick --peer onnxruntime
fi

# Results that differ: the twin compiles the same, so the tolerance is what fails.
cat > differ.txt << 'END'
graph "differ" {
  input x: f32[64,64]
  node a: MatMulV2(x, x) -> y
  output y
}
END
gives 3 'MORE THAN ALLOWED' "$weft" bench differ.txt $quick --tolerance 0

# Wrong use, bad input.
gives 2 'no model given' "$weft" bench
gives 2 "expected 1 to 10000 rounds" "$weft" bench tiny.txt --repeat 0
gives 2 "expected 0 to 3600" "$weft" bench tiny.txt --seconds -1
gives 2 "expected 1 to 100" "$weft" bench tiny.txt --starts 0
gives 2 "expected counts" "$weft" bench tiny.txt --threads 1,0
gives 2 "expected one of native" "$weft" bench tiny.txt --isa mmx
if ! grep -qw amx_tile /proc/cpuinfo 2> /dev/null; then
  gives 2 "--isa amx: " "$weft" bench tiny.txt --isa amx
fi
gives 2 "expected one of native avx2" "$weft" bench tiny.txt --peer x --peer-isa plain
gives 2 "without --peer there is no peer" "$weft" bench tiny.txt --peer-isa native
gives 2 "more than 6 in all" "$weft" bench tiny.txt --isa plain,plain,plain,plain --peer x --peer-isa native,native,native
gives 2 "expected NAME:OPTION=VALUE" "$weft" bench tiny.txt --variant bf16
gives 2 "expected NAME=VALUE" "$weft" bench tiny.txt --dim 3
gives 2 "unexpected argument '--frob'" "$weft" bench tiny.txt --frob
gives 1 "cannot read 'nowhere.onnx'" "$weft" bench nowhere.onnx $quick
gives 1 "no dim of this name; theirs: N" "$weft" bench tiny.txt $quick --dim M=3
gives 1 "the model has no input 'z'; its inputs: x" "$weft" bench tiny.txt $quick --shape z=3
sed 's/\[N,/[past+1,/' tiny.txt > past.txt
grep -q 'past+1' past.txt
gives 0 'past' "$weft" bench past.txt $quick --dim past=3
gives 1 "--dim 'N=-3': expected NAME=NUMBER" "$weft" bench tiny.txt $quick --dim N=-3
gives 1 "'-3' is not a size" "$weft" bench tiny.txt $quick --shape x=-3
gives 1 "input 'x'" "$weft" bench tiny.txt $quick --shape x=2,5
gives 1 "nowhere/input_0" "$weft" bench tiny.txt $quick --data-set nowhere
gives 1 "cannot write '/nowhere/a.json'" "$weft" bench tiny.txt $quick --json /nowhere/a.json
echo 'one' > bad.cases
gives 1 "in line 1 of 'bad.cases'" "$weft" bench --cases bad.cases $quick
echo 'one tiny.txt --peer' > bad.cases
gives 1 "'--peer' is not an option of a case" "$weft" bench --cases bad.cases $quick
printf 'one tiny.txt\ntwo tiny.txt --frob 3' > bad.cases
gives 1 "'--frob' is not an option of a case" "$weft" bench --cases bad.cases $quick
echo '# nothing' > bad.cases
gives 1 "names no model" "$weft" bench --cases bad.cases
echo "bench_cli: good"
# SPDX-License-Identifier: Apache-2.0
