#!/bin/sh
# run_cli.sh WORK WEFT MAKE_MODEL - `weft run` with .npy, .npz, .pb and data sets, there and back; wrong use and its exit status.
set -eu
work=$1 weft=$2 make_model=$3
rm -rf "$work"
mkdir -p "$work"
cd "$work"

fail() {
  echo "run_cli.sh: $1" >&2
  exit 1
}
# gives STATUS TEXT COMMAND...: the exit status, and a text that stdout and stderr together contain.
gives() {
  want=$1 text=$2 got=0
  shift 2
  "$@" > out.log 2>&1 < /dev/null || got=$?
  [ "$got" = "$want" ] || { cat out.log >&2; fail "status $got, expected $want: $*"; }
  grep -qF -e "$text" out.log || { cat out.log >&2; fail "no '$text' in the output of: $*"; }
}

cat > m.weft << 'END'
graph "m" {
  meta "author" "run_cli.sh"
  input a: f32[3]
  input b: f32[3]
  const w: f32[3]{10,20,30}
  node add: Add(a, b) -> s
  node mul: Mul(s, w) -> out/y
  node neg: Neg(a) -> n
  output out/y
  output n
}
END
a='a=f32[3]{1,2,3}' b='b=f32[3]{1,1,1}'

# As many outputs as the model has.
{
  echo 'graph "many" { input x: f32[2]'
  i=0
  while [ $i -lt 300 ]; do
    echo "  node n$i: Muls(x) {value=$i.0} -> y$i"
    i=$((i + 1))
  done
  i=0
  while [ $i -lt 300 ]; do
    echo "  output y$i"
    i=$((i + 1))
  done
  echo '}'
} > many.weft
gives 0 'y299 = f32[2]{299,598}' "$weft" run many.weft --input 'x=f32[2]{1,2}'

# The terminal, and each kind of file, there and back.
gives 0 'out/y = f32[3]{20,60,120}' "$weft" run m.weft --input "$a" --input "$b"
gives 0 'n = f32[3]{-1,-2,-3}' "$weft" run m.weft --input "$a" --input "$b" --save npy
[ -f npy/out_y.npy ] && [ -f npy/n.npy ] || fail "no .npy files"
gives 0 'n = ' "$weft" run m.weft --input "$a" --input "$b" --save pb --as pb
[ -f pb/output_0.pb ] && [ -f pb/output_1.pb ] || fail "no .pb files"
gives 0 'n = ' "$weft" run m.weft --input "$a" --input "$b" --save npz --as npz
for form in npy pb npz/outputs.npz; do
  gives 0 'out/y: as expected' "$weft" run m.weft --input "$a" --input "$b" --compare $form
  gives 3 'out/y: ' "$weft" run m.weft --input "$a" --input 'b=f32[3]{1,1,2}' --compare $form --quiet
  gives 0 'out/y: as expected' "$weft" run m.weft --input "$a" --input 'b=f32[3]{1,1,2}' --compare $form --rtol 0.5
done
cp npz/outputs.npz once.npz
gives 0 'n = ' "$weft" run m.weft --input "$a" --input "$b" --save npz --as npz
cmp -s once.npz npz/outputs.npz || fail "equal runs write different .npz files"
gives 0 'as expected' "$weft" run m.weft --input "$a" --input "$b" --expect n=npy/n.npy
gives 1 "no output 'z'" "$weft" run m.weft --input "$a" --input "$b" --expect z=npy/n.npy

# Inputs from an archive: this model's inputs are the outputs of another one.
cat > in.weft << 'END'
graph "in" {
  input x: f32[3]
  node one: Neg(x) -> a
  node two: Abs(x) -> b
  output a
  output b
}
END
gives 0 'a = ' "$weft" run in.weft --input 'x=f32[3]{-1,-2,-3}' --save in --as npz
gives 0 'out/y = f32[3]{20,80,180}' "$weft" run m.weft --inputs in/outputs.npz
gives 0 'out/y = f32[3]{30,80,180}' "$weft" run m.weft --inputs in/outputs.npz --input 'b=f32[3]{2,2,3}'
gives 1 "--inputs: the model has no input 'out/y'; its inputs: a, b" "$weft" run m.weft --inputs npz/outputs.npz
head -c 100 in/outputs.npz > cut.npz
gives 1 'it is cut' "$weft" run m.weft --inputs cut.npz
if command -v python3 > /dev/null; then  # as numpy.savez_compressed writes them
  python3 - << 'END'
import struct, zipfile
def npy(values):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"
    head += " " * ((64 - (len(head) + 11) % 64) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<3f", *values)
with zipfile.ZipFile("packed.npz", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("arr_0.npy", npy([1, 2, 3]))
    z.writestr("arr_1.npy", npy([1, 1, 1]))
END
  gives 0 'out/y: as expected' "$weft" run m.weft --inputs packed.npz --compare npy
  python3 -c 'import sys, zipfile; z = zipfile.ZipFile("npz/outputs.npz"); sys.exit(z.testzip() is not None or len(z.namelist()) != 2)' ||
    fail "Python does not read our .npz"
fi

# Data sets, as ONNX's tests have them; each is compared.
for k in 0 1; do
  gives 0 'a = ' "$weft" run in.weft --random $k --save ds$k --as pb
  mv ds$k/output_0.pb ds$k/input_0.pb
  mv ds$k/output_1.pb ds$k/input_1.pb
done
gives 0 '2 data sets: 2 as expected, 0 different; 0 outputs compared' "$weft" run m.weft --data-set ds0 --data-set ds1 --save made --as pb
mv made/set_0/*.pb ds0
mv made/set_1/*.pb ds1
gives 0 '2 data sets: 2 as expected, 0 different; 4 outputs compared' "$weft" run m.weft --data-set ds0 --data-set ds1 --quiet
gives 0 'n: as expected' "$weft" run m.weft --data-set ds0
cp ds0/output_0.pb ds1/output_0.pb
gives 3 '2 data sets: 1 as expected, 1 different; 4 outputs compared' "$weft" run m.weft --data-set ds0 --data-set ds1 --quiet
gives 1 "'nowhere' is not a folder" "$weft" run m.weft --data-set nowhere
mkdir -p only
cp ds0/input_0.pb ds0/input_1.pb only
gives 0 "'only' holds no outputs (output_0.pb, ...): nothing was compared" "$weft" run m.weft --data-set only
cp ds0/input_0.pb ds0/input_2.pb
gives 1 'the model has 2 inputs, but there is' "$weft" run m.weft --data-set ds0
rm ds1/input_1.pb
gives 1 "input 'b' is not given" "$weft" run m.weft --data-set ds1

# Wrong use.
gives 2 'expected npy, pb or npz' "$weft" run m.weft --save x --as txt
gives 2 'unexpected argument' "$weft" run m.weft --no-such-option
gives 2 "unexpected argument '--profil'; did you mean '--profile'?" "$weft" run m.weft --profil
gives 2 "weft: no command 'shwo'; did you mean 'show'?" "$weft" shwo
gives 2 "weft: no command 'm.weft', which is a file: weft show m.weft, weft run m.weft" "$weft" m.weft
gives 2 "weft: no command 'lits'; did you mean 'list'? See 'weft op --help'" "$weft" op lits
# Where the memory of a run goes, without a limit that is passed.
gives 0 'no intermediate tensor takes memory of its own' "$weft" compile m.weft --option passes=0 --peak
cat > peak.weft << 'END'
graph "p" {
  input x: f32[N,1000]
  node neg: Neg(x) -> s
  node sum: ReduceSum(s, axes) {keep_dims=true} -> t
  const axes: i64[1]{1}
  node exp: Exp(t) -> y
  output y
}
END
gives 0 "step 1 of 3, node 'neg' (Neg): 4000 bytes are needed at once" \
  "$weft" compile peak.weft --option passes=0 --peak --range 'x=1..1,1000'
gives 0 "        4000  1-2        f32[1,1000]         s, last read by 'sum' (ReduceSum)" \
  "$weft" compile peak.weft --option passes=0 --peak --range 'x=1..1,1000'
gives 0 'no plan before the shapes are known' "$weft" compile peak.weft --peak

# How far results are from what was expected, passed or not.
gives 0 'n: as expected (all elements are equal; allowed 1e-07 + 0.001 |expected|)' \
  "$weft" run m.weft --input "$a" --input "$b" --quiet --expect 'n=f32[3]{-1,-2,-3}'
gives 0 'n: as expected (largest error 0.000977 at [1] (-2, expected -2.00097656), relative 0.000488 at [1]; allowed' \
  "$weft" run m.weft --input "$a" --input "$b" --quiet --expect 'n=f32[3]{-1,-2.0009765625,-3}'
gives 3 'relative 0.333 at [2]; allowed 1e-07 + 0.001 |expected|)' \
  "$weft" run m.weft --input "$a" --input "$b" --quiet --expect 'n=f32[3]{-1,-2.0009765625,-4.5}'
gives 0 'all elements of all values are equal; allowed 1e-06 + 0.001 max(|expected|, rms)' \
  "$weft" bisect m.weft --input "$a" --input "$b" --quiet
# Values made elsewhere, in a file or by a program that is asked as bench asks a peer.
if command -v python3 > /dev/null; then
  python3 - << 'END'
import struct, zipfile
def npy(values, form="f4"):
    head = "{'descr': '<%s', 'fortran_order': False, 'shape': (%d,), }" % (form, len(values))
    head += " " * (-(len(head) + 11) % 64) + "\n"
    data = struct.pack("<%d%s" % (len(values), {"f4": "f", "f8": "d"}[form]), *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data
for name, s, form in (("right", [2, 3, 4], "f4"), ("wrong", [2, 3, 5], "f4"), ("double", [2, 3, 4], "f8")):
    with zipfile.ZipFile(name + ".npz", "w") as z:
        z.writestr("s.npy", npy(s, form))
        z.writestr("unheard of.npy", npy([1]))
with open("a_peer", "w") as f:
    f.write('#!/bin/sh\nwhile read -r what model dir file; do\n  [ "$what" = values ] && cp right.npz "$file"\n  echo ok\ndone\n')
END
  chmod +x a_peer
  against() { # STATUS TEXT WHAT
    gives "$1" "$2" "$weft" bisect m.weft --input "$a" --input "$b" --quiet --against "$3"
  }
  against 0 'nothing differs: 1 value compared' right.npz
  against 0 "right.npz: 1 of its 2 names are no values of the model and are compared with nothing; the first is 'unheard of'" right.npz
  against 0 'nothing differs: 1 value compared' double.npz
  against 3 "value 's' differs: 1 of 3 elements differ" wrong.npz
  grep -q 'the reference interpreter finds what the compiled model does: wrong.npz, or the import' out.log ||
    fail "bisect does not say that the interpreter agrees with the compiled model"
  WEFT_PEER="$work/a_peer" against 0 'nothing differs: 1 value compared' a_peer
  against 1 'there is no peer_nobody.py' nobody
fi
# Wrong usage is one line, which says where the whole usage stands.
usage() {
  gives 2 "$@"
  [ "$(wc -l < out.log)" = 1 ] || { cat out.log >&2; fail "more than a line: $*"; }
}
for command in infer show run compile convert bisect bench; do
  usage "weft: no model given; see 'weft $command --help'" "$weft" $command
  usage "weft: unexpected argument '--xyzzy'; see 'weft $command --help'" "$weft" $command --xyzzy
done
for command in diff onnx-test 'op list' 'op show' 'op doctor' 'op new' 'op test' 'op run'; do
  usage "; see 'weft $command --help'" "$weft" $command --xyzzy
done
if WEFT_PYTHON=/nowhere/python "$weft" serve m.weft > out.log 2>&1; then fail "weft serve without Python"; fi
grep -q "^weft serve: cannot start '/nowhere/python'" out.log || { cat out.log >&2; fail "weft serve: no sentence"; }
usage "weft: expected two models; see 'weft diff --help'" "$weft" diff m.weft
usage "weft: option --watch needs a value; see 'weft run --help'" "$weft" run m.weft --watch
usage "weft: no command given: list, show, doctor, new, test, run, cases, tile or kernels; see 'weft op --help'" "$weft" op
usage "--memory '1Q': expected a number of bytes, as 500000000, 512M or 2G; 0: no limit; see 'weft --help'" \
  "$weft" run m.weft --memory 1Q
# What inputs take counts against --memory: written out, from .npy, from .npz, made up.
echo 'graph "big" { input x: f32[-1] node s: Shape(x) -> y output y }' > big.weft
long='x=f32[1000000]{0..}'
echo 'graph "copy" { input x: f32[-1] node i: Neg(x) -> x1 output x1 }' > long.weft
"$weft" run long.weft --input "$long" --save long > /dev/null
gives 1 'the memory limit of 1048576 bytes is reached: inputs need 4000000' "$weft" run big.weft --input "$long" --memory 1M
gives 1 'the memory limit of 1048576 bytes is reached' "$weft" run big.weft --input x=long/x1.npy --memory 1M
gives 1 'weft: --memory BYTES sets' "$weft" run big.weft --random 1 --shape x=1000000 --memory 1M
gives 0 'y = i32[1]{1000000}' "$weft" run big.weft --input x=long/x1.npy --memory 6M
gives 2 'holds one set' "$weft" run m.weft --data-set ds0 --data-set ds1 --compare once.npz
gives 1 'neither a .npz file nor a folder' "$weft" run m.weft --input "$a" --input "$b" --compare nothing
gives 1 'expect NAME=FILE' "$weft" run m.weft --input "$a" --input "$b" --compare once.npy
gives 1 '--inputs FILE.npz gives inputs' "$weft" run m.weft --input a=once.npz --input "$b"
mkdir -p void
gives 1 "holds none of the model's outputs" "$weft" run m.weft --input "$a" --input "$b" --compare void

# No progress in a pipe.
"$weft" run m.weft --input "$a" --input "$b" --quiet > out.log 2> err.log
[ ! -s err.log ] && [ ! -s out.log ] || fail "something is written with --quiet"

# A value that is nearly as expected; a node with a path for a name.
echo 'graph "c" { input x: f32[2] node a: Neg(x) -> y output y }' > close.weft
echo 'graph "near" { input x: f32[2] const k: f32[2]{-1.0000005,-3} node a: Abs(k) -> z node b: Neg(z) -> w node c: Mul(x, w) -> v node d: Div(v, x) -> y output y }' > near.weft
"$weft" run near.weft --input 'x=f32[2]{1,3}' --save near.npz.d --as npz --quiet && mv near.npz.d/outputs.npz near.npz
echo 'graph "p" { input x: f32[2] node "/a/path/of/modules/block.with.a.long.name/last": Neg(x) -> y output y }' > path.weft

# The summary.
gives 0 'author: run_cli.sh' "$weft" show m.weft
gives 0 'parameters: 3' "$weft" show m.weft
"$weft" show m.weft -o m.html || fail "no page"
gives 2 'expected FILE.html or FILE.svg' "$weft" show m.weft -o m.png
[ ! -e m.png ] || fail "a picture of a form that show does not write"
for word in '<!doctype html>' '"add"' '"out/y"' '</html>'; do
  grep -qiF -e "$word" m.html || fail "the page has no $word"
done
if grep -qE '(src|href)="?https?:' m.html; then fail "the page asks for something from outside"; fi
# Names are the model's: none ends the script that holds them.
printf 'graph "</script><script>alert(1)</script>" { input x: f32[2] node "</script><script>alert(2)" : Neg(x) -> y output y }' > evil.weft
"$weft" show evil.weft -o evil.html || fail "no page of odd names"
if grep -qF '<script>alert' evil.html; then fail "a name became a script"; fi
gives 1 'cannot' "$weft" show m.weft -o no/such/folder/m.html
# The picture: one file, names as texts, the same bytes each time.
"$weft" show m.weft -o m.svg && "$weft" show m.weft -o again.svg && cmp m.svg again.svg || fail "no picture, or another"
grep -qF '>f32[' m.svg || fail "the picture has no shapes"
cat > flow.txt << 'END'
graph "flow" {
  input c: bool[]
  input x: f32[3]
  const two: f32[]{2.5}
  node choose: If(c, [x, two]) {
    then_branch=graph "yes" { input a: f32[3] input t: f32[] node scale: Mul(a, t) -> m output m },
    else_branch=graph "no" { input a: f32[3] input t: f32[] node turn: Neg(a) -> m output m }
  } -> [y]
  output y
}
END
"$weft" show flow.txt -o flow.svg || fail "no picture of control flow"
for word in '>then_branch of choose<' '>else_branch of choose<' '>scale<' '>turn<' '>two = f32[]{2.5}<'; do
  grep -qF -e "$word" flow.svg || fail "the picture of control flow has no $word"
done
python3 -c "import xml.dom.minidom as x; x.parse('flow.svg')" || fail "the picture of control flow is no XML"
if grep -qE 'href|url\(http|<script|<image' m.svg; then fail "the picture asks for something"; fi
"$weft" show evil.weft -o evil.svg || fail "no picture of odd names"
if grep -q '<script' evil.svg; then fail "a name became an element"; fi
python3 -c "import xml.dom.minidom as x; x.parse('m.svg'); x.parse('evil.svg')" || fail "a picture is no XML"
# Launches and memory: of a program by itself, of a model when it is asked for; the same bytes each time.
if grep -qF '\nmemory: arena' m.html; then fail "a text graph has launches"; fi
"$weft" show m.weft -o planned.html --plan || fail "no page with launches"
grep -qF 'launches\nmemory: arena' planned.html || fail "the page has no launches"
grep -qF ' @output0' planned.html || fail "the page does not say where values lie"
"$weft" show m.weft -o again.html --plan && cmp planned.html again.html || fail "the page differs from itself"
gives 2 'go with --plan' "$weft" show m.weft --dim n=4
printf 'graph "g" { input x: f32[n,4] node a: Neg(x) -> y node b: Reshape(y, k) -> z const k: i64[1]{-1} output z }' > open.weft
"$weft" show open.weft -o open.html --plan 2> open.log || fail "no page of a model with open dims"
grep -q 'lacks launches and memory' open.log || fail "what the page lacks is not said"
"$weft" compile open.weft -o open_program.weft > /dev/null || fail "open.weft is not compiled"
gives 0 'x f32[3,4] @input' "$weft" show open_program.weft --plan --dim n=3
gives 1 'theirs: n' "$weft" show open_program.weft --plan --dim m=3
gives 1 'fixed by weft compile' "$weft" show open_program.weft --plan --shape x=3,4
# What a model declares wrongly is said once, though passes copy the value into a region.
printf 'graph "g" { input x: f32[2,3] node r: Relu(x) -> a: f32[2,4] node e: Exp(a) -> y output y }' > lie.txt
"$weft" run lie.txt --random 1 > lie.log 2>&1 || fail "a wrong declaration is no warning"
test "$(grep -c 'the model declares' lie.log)" = 1 || fail "said more than once: $(cat lie.log)"
"$weft" show open.weft -o open.html --plan --dim n=3 2> open.log || fail "no page with a size given"
grep -qF 'launch\nmemory: arena' open.html || fail "the page of a size given has no launches"
"$weft" compile m.weft -o m.program > /dev/null && "$weft" show m.program -o program.html || fail "no page of a program"
grep -qF 'launches\nmemory: arena' program.html || fail "the page of a program has no launches"
"$make_model" lenet lenet.onnx 2> names.log || "$make_model" "$("$make_model" 2>&1 | sed -n 's/^names: \([^ ]*\).*/\1/p')" lenet.onnx
gives 0 'FLOPs: ' "$weft" show lenet.onnx
"$weft" compile m.weft -o m.program > /dev/null
gives 2 'convert changes ONNX models' "$weft" convert m.program -o no.onnx --dtype f16
# A kernel that finds shapes while it runs is named as others are.
printf 'graph "g" { input x: f32[8] node n: NonZero(x) -> y output y }' > found.txt
gives 0 'n: NonZero [nonzero] (x f32[8] @input)' "$weft" compile found.txt --plan
# A tolerance of 0 is none, not the default.
gives 3 'allowed 0 + 0 max' "$weft" bisect close.weft --quiet --input 'x=f32[2]{1,3}' --against near.npz --rtol 0 --atol 0
gives 0 'nothing differs' "$weft" bisect close.weft --quiet --input 'x=f32[2]{1,3}' --against near.npz
# Nodes of a profile are told apart by the ends of their names.
gives 0 'with.a.long.name/last' "$weft" run path.weft --input 'x=f32[2]{1,3}' --profile
gives 0 'onnx.ir_version: ' "$weft" show lenet.onnx
if "$weft" show lenet.onnx | grep -q '^FLOPs: 0 '; then fail "a network without arithmetic"; fi

# A program: saved, shown, run; the same bytes twice; damage is found.
"$weft" compile lenet.onnx -o a.weft > out.log
"$weft" compile lenet.onnx -o b.weft > out.log
cmp -s a.weft b.weft || fail "one model compiles to two programs"
gives 0 'compiled for cpu' "$weft" show a.weft
gives 0 'weights: as when it was saved' "$weft" show a.weft
gives 0 'launches' "$weft" show a.weft --plan
gives 0 'graph "' "$weft" show a.weft --text
gives 0 'digraph' "$weft" show a.weft --dot
gives 0 '"nodes"' "$weft" show a.weft --json
"$weft" show a.weft --verify > out.log || fail "--verify finds something"
[ ! -s out.log ] || fail "--verify prints something"
"$weft" show a.weft --plan > plan.a
"$weft" show b.weft --plan | cmp -s - plan.a || fail "one program has two plans"
"$weft" run lenet.onnx --random 1 --save out --quiet
gives 0 'as expected' "$weft" run a.weft --random 1 --compare out --quiet
gives 1 'weft compile MODEL --plan' "$weft" show lenet.onnx --plan
echo 'graph "open" { symbol N [1,8] input x: f32[N,4] node r: Relu(x) -> y output y }' > open.txt
"$weft" compile open.txt -o open.weft > out.log
gives 0 'with the largest inputs that the ranges allow: memory of a run' "$weft" show open.weft
gives 0 'x f32[8,4]' "$weft" show open.weft --plan
gives 1 'were fixed by weft compile' "$weft" run a.weft --random 1 --shape x=1
size=$(wc -c < a.weft)
head -c $((size - 64)) a.weft > cut.weft
gives 1 'E_TRUNCATED' "$weft" show cut.weft
cp a.weft hurt.weft
printf 'x' | dd of=hurt.weft bs=1 seek=$((size - 200)) conv=notrunc 2> dd.log
gives 1 "section 'WGHT'" "$weft" show hurt.weft --verify
gives 1 "section 'WGHT'" "$weft" show hurt.weft

# Devices and streams: the same outputs, and what cannot be.
gives 0 'as expected' "$weft" run lenet.onnx --random 1 --compare out --quiet --streams 2!
gives 0 'npusim: ' "$weft" compile lenet.onnx --device 'npusim!,cpu' --report
gives 0 '[copy]' "$weft" compile lenet.onnx --device 'npusim!,cpu' --plan
gives 0 'as expected' "$weft" run lenet.onnx --random 1 --compare out --quiet --device 'npusim!,cpu' --rtol 1e-4
gives 1 'no kernel found for op' "$weft" compile lenet.onnx --device npusim
gives 1 "device 'tpu' is not known" "$weft" compile lenet.onnx --device tpu,cpu
gives 2 'expected 1 to 16' "$weft" run lenet.onnx --random 1 --streams 0

# Ranges: memory is known before a run, and a plan is there; what is outside is refused.
cat > range.txt << 'END'
graph "r" {
  symbol N
  input x: f32[N,8]
  input z: f32[N,8]
  const w: f32[8,4]{*1}
  node a: Add(x, z) -> s
  node m: MatMulV2(s, w) -> y
  output y
}
END
gives 0 'has no upper bound' "$weft" compile range.txt
gives 0 'no plan before the shapes are known' "$weft" compile range.txt --plan
gives 0 'with the largest inputs that the ranges allow: memory of a run: 512 bytes' "$weft" compile range.txt --range x=1..16,8 -o r.weft
gives 0 'MatMulV2' "$weft" compile range.txt --range x=1..16,8 --plan
gives 0 'with the largest inputs that the ranges allow: memory of a run: 512 bytes' "$weft" compile range.txt --range N=1..16
gives 1 'a dim'"'"'s name has one range' "$weft" compile range.txt --range N=1..16,8
gives 1 'or a dim, as n=1..8' "$weft" compile range.txt --range M=1..16
gives 1 'never in 20..20' "$weft" infer range.txt --range N=1..16 --range x=20,8
gives 0 '[1..16,8..8]' "$weft" infer range.txt --range x=1..16,8
gives 0 'y = ' "$weft" run r.weft --input 'x=f32[16,8]{*1}' --input 'z=f32[16,8]{*1}'
gives 1 'the range is [1,16]' "$weft" run r.weft --input 'x=f32[17,8]{*1}' --input 'z=f32[17,8]{*1}'
gives 1 'the range is [0,2]' "$weft" run range.txt --range 'x=0..2,8' --input 'x=f32[3,8]{*1}' --input 'z=f32[3,8]{*1}'
gives 1 "expected 8, 1..64 or 1..*" "$weft" compile range.txt --range x=1-16,8
gives 1 "expected 8, 1..64 or 1..*" "$weft" compile range.txt --range x=16..1,8
gives 1 'never in 9..16' "$weft" compile range.txt --range x=1..16,9..16
gives 1 'is 20 in the model, never in 1..16' "$weft" infer range.txt --range x=1..16,8 --shape x=20,8
gives 1 'has rank 2, got 1' "$weft" compile range.txt --range x=1..16
gives 1 "the model has no input 'q'" "$weft" compile range.txt --range q=1..16
gives 1 "--dim gives a dim one size by its name" "$weft" compile range.txt --range q=1..16
gives 1 'the memory limit of 10 bytes is reached' "$weft" infer range.txt --memory 10
cat > dims.txt << 'END'
graph "g" {
  input x: f32[batch,past+1]
  input y: f32[batch,1]
  node a: Add(x, y) -> z
  output z
}
END
gives 0 '[4,past+1]' "$weft" infer dims.txt --dim batch=4
gives 0 '[4,8]' "$weft" infer dims.txt --dim batch=4 --dim past=7
gives 0 'z = f32[2,3]{0,0,0,0,0,0}' "$weft" run dims.txt --dim batch=2 --dim past=2 --input 'x=f32[2,3]{*0}' --input 'y=f32[2,1]{*0}' --threads 1
gives 1 "--dim bacth: the inputs have no dim of this name; did you mean 'batch'? theirs: batch, past+1" "$weft" infer dims.txt --dim bacth=4
sed 's/past+1/bat/' dims.txt > names.txt
gives 1 'theirs: batch, bat ' "$weft" infer names.txt --dim q=4
gives 1 "--dim 'batch': expected NAME=NUMBER" "$weft" infer dims.txt --dim batch
gives 1 "--dim '=4': expected NAME=NUMBER" "$weft" run dims.txt --dim =4
gives 1 "--dim 'batch=-1': expected NAME=NUMBER" "$weft" run dims.txt --dim batch=-1
gives 1 "--dim 'batch=9': the dim is 2..3" "$weft" infer dims.txt --range x=2..3,8 --dim batch=9
gives 2 "--threads '0': expected 1 to 1024" "$weft" run dims.txt --threads 0

# Profile, dumps of passes, the first NaN by its node in the model; a program where a model is expected, and the reverse.
gives 0 'GFLOP/s' "$weft" run lenet.onnx --random 1 --quiet --profile
grep -q 'Fused Conv2D+Relu\|Conv2D' out.log || fail "the profile does not say what was fused"
gives 0 'program ' "$weft" compile lenet.onnx --dump dumped
ls dumped/01-*.txt > /dev/null || fail "no dumps"
gives 1 'failed after change' "$weft" compile lenet.onnx --dump /dev/null/x
cat > nan.txt << 'END'
graph "g" {
  input x: f32[2]
  node a: Log(x) -> y
  node b: Relu(y) -> z
  output z
}
END
watch() { # STATUS TEXT SPEC
  gives "$1" "$2" "$weft" run nan.txt --input 'x=f32[2]{1,-1}' --interp --watch "$3"
}
gives 1 'Fused Log+Relu' "$weft" run nan.txt --input 'x=f32[2]{1,-1}' --watch NaN
gives 1 "the watch function stopped the run at value 'z'" "$weft" run nan.txt --input 'x=f32[2]{1,-1}' --watch nan
watch 1 "element 1 of 'y' is nan; made by node" 'y:nan'
watch 0 'z = f32[2]' 'z:max>0.5'
watch 1 "max>=0: the max of 'y' is 0 at element 0; made by node" 'y:max>1,max>=0'
watch 0 'y: f32[2], min 0, max 0, mean 0, 1 of 2 not finite; made by node' 'y'
watch 0 'y: f32[2], min 0' '?:print'
watch 1 "--watch 'yy:nan': no node of the model makes a value 'yy'" 'yy:nan'
watch 1 "it is read as a name; behind a last ':' may stand nan, print, or min" 'yy'
usage "--watch 'y:max>': expected [NAMES:]WHAT, where WHAT is nan, print, or min, max, abs, mean with <" \
  "$weft" run nan.txt --watch 'y:max>'
usage "--watch 'y:': expected [NAMES:]WHAT" "$weft" run nan.txt --watch 'y:'
gives 1 "--interp or --option passes=0 keeps every value of the model" \
  "$weft" run nan.txt --input 'x=f32[2]{1,-1}' --watch 'y:nan'
gives 2 'keeps no times' "$weft" run nan.txt --random 1 --interp --profile
gives 2 'keeps no times' "$weft" run nan.txt --random 1 --interp --trace t.json
for command in infer compile; do gives 1 "'a.weft' is a program" "$weft" $command a.weft; done
gives 1 "'a.weft' is a program" "$weft" diff a.weft lenet.onnx
for option in '--device cpu' '--option passes=0' --interp; do
  # shellcheck disable=SC2086
  gives 1 "'a.weft' is a program" "$weft" run a.weft --random 1 $option
done

# A model from a pipe, in every form.
mkfifo pipe
for model in m.weft lenet.onnx; do
  cat $model > pipe &
  gives 0 ' = f32[' "$weft" run pipe --random 1
done
cat a.weft > pipe &
gives 1 'is a program that weft compile made' "$weft" run pipe --random 1

# Where a compiled model differs from the interpreter: nowhere.
gives 0 'nothing differs: ' "$weft" bisect lenet.onnx --random 1 --quiet
gives 0 'running the model with the reference kernels' "$weft" bisect m.weft --input "$a" --input "$b"
gives 1 "input 'b' is not given" "$weft" bisect m.weft --input "$a"
gives 2 'bisect needs the model' "$weft" bisect a.weft --random 1
cd /
rm -rf "$work"
echo "run_cli.sh: ok"

# Dims that are open: sizes are made up with a warning, or given by --dim, of a program too.
cat > open.weft << 'END'
graph "open" {
  symbol n
  input x: f32[n,3]
  node neg: Neg(x) -> y
  output y
}
END
gives 0 "input 'x' is [n,3] in the model; [1,3] was made up: give sizes by --dim or --shape" "$weft" run open.weft --random 1
gives 0 'y = f32[4,3]' "$weft" run open.weft --random 1 --dim n=4
grep -q 'made up' out.log && fail "a size that was given was made up"
gives 0 'program open' "$weft" compile open.weft -o open.program
gives 0 'y = f32[4,3]' "$weft" run open.program --random 1 --dim n=4
gives 1 'the inputs have no dim of this name' "$weft" run open.program --random 1 --dim k=4
gives 1 'dim 0 is 2, the range is [4,4]' "$weft" run open.program --dim n=4 --input 'x=f32[2,3]{*1}'
gives 1 '--dim gives a dim that is still open its size' "$weft" run open.program --random 1 --shape x=4,3

# One name of a dim, two sizes: a warning, or with --strict an error.
if command -v python3 > /dev/null; then
  python3 - << 'END'
def field(number, data):
    data = data.encode() if isinstance(data, str) else data
    return bytes([number << 3 | 2, len(data)]) + data
def value(name, *dims):
    shape = b"".join(field(1, field(2, d)) for d in dims)
    return field(1, name) + field(2, field(1, bytes([8, 1]) + field(2, shape)))
def node(op, inputs, output):
    return field(1, b"".join(field(1, i) for i in inputs) + field(2, output) + field(4, op))
graph = node("Neg", ["x"], "a") + node("Abs", ["y"], "b") + field(2, "g")
graph += field(11, value("x", "n")) + field(11, value("y", "n")) + field(12, value("a", "n")) + field(12, value("b", "n"))
with open("names.onnx", "wb") as f:
    f.write(bytes([8, 8]) + field(7, graph) + field(8, bytes([16, 17])))
def named(op, i, o, name): return field(1, field(1, i) + field(2, o) + field(3, name) + field(4, op) + field(7, "com.acme"))
graph = named("MyThing", "x", "thing", "mine") + named("MyThing", "thing", "b", "more") + field(2, "g")
graph += field(11, value("x", "n")) + field(12, value("b", "n"))
with open("unknown.onnx", "wb") as f:
    f.write(bytes([8, 8]) + field(7, graph) + field(8, bytes([16, 17])) + field(8, field(1, "com.acme") + bytes([16, 1])))
END
  gives 0 'b = f32[3]{1,1,1}' "$weft" run names.onnx --input 'x=f32[2]{1,2}' --input 'y=f32[3]{*-1}'
  gives 0 "dim 'n' is 2 in input 'x' and 3 in input 'y'" "$weft" run names.onnx --input 'x=f32[2]{1,2}' --input 'y=f32[3]{*-1}'
  [ "$(grep -c "dim 'n'" out.log)" = 1 ] || fail "a broken name is told of more than once"
  gives 0 'b = f32[2]{1,1}' "$weft" run names.onnx --input 'x=f32[2]{1,2}' --input 'y=f32[2]{*-1}'
  grep -q warning out.log && fail "a name that holds gave a warning"
  gives 0 "dim 'n' is 2 in input 'x' and 3 in input 'y'" \
    "$weft" bisect names.onnx --quiet --input 'x=f32[2]{1,2}' --input 'y=f32[3]{*-1}'
  [ "$(grep -c "dim 'n'" out.log)" = 1 ] || fail "a broken name is told of more than once"
  gives 1 "input 'x' has 2 there" \
    "$weft" bisect names.onnx --quiet --strict --input 'x=f32[2]{1,2}' --input 'y=f32[3]{*-1}'
  # Operators that weft does not have are shown by their own names.
  gives 0 '       2  MyThing' "$weft" show unknown.onnx
  gives 0 '"type": "MyThing", "unknown": true' "$weft" show unknown.onnx --json
  gives 0 'name=mine, type=MyThing' "$weft" show unknown.onnx --dump
  gives 0 'OpDesc(name=mine, type=MyThing' "$weft" show unknown.onnx --metair
  gives 0 '' "$weft" show unknown.onnx -o unknown.svg
  grep -q '>MyThing<' unknown.svg || fail "the picture has no name of an operator that weft does not have"
  bench="bench names.onnx --shape x=2 --shape y=3 --seconds 0.01 --repeat 1 --starts 1 --threads 1"
  gives 0 "dim 'n' is 2 in input 'x' and 3 in input 'y'" "$weft" $bench
  [ "$(grep -c "dim 'n'" out.log)" = 1 ] || fail "a broken name is told of more than once"
  grep -q 'the reference interpreter' out.log || fail "bench has no reference where a name of a dim is broken"
  gives 1 "input 'x' has 2 there" "$weft" $bench --strict
  gives 1 "input 'x' has 2 there" "$weft" run names.onnx --strict --input 'x=f32[2]{1,2}' --input 'y=f32[3]{*-1}'
fi
# --why: names that the model does not have, and those of nodes and bodies.
cat > why.weft << 'END'
graph "m" {
  input a: f32[3]
  node add: Add(a, a) -> s
  node mul: Mul(s, a) -> out/y
  output out/y
}
END
gives 0 "'s' is fully known" "$weft" infer why.weft --why s
gives 1 "--why: the model has no value 'out/x'" "$weft" infer why.weft --why out/x
gives 1 "did you mean 'out/y'?" "$weft" infer why.weft --why out/x
gives 1 "--why: 'mul' is a node; its outputs are the values: 'out/y'" "$weft" infer why.weft --why mul
gives 1 "1 value has 'ut/' in the name: 'out/y'" "$weft" infer why.weft --why ut/
cat > body.weft << 'END'
graph "body" {
  input c0: bool[]
  input x: f32[N]
  node i: If(c0, [x]) {then_branch=graph "t" {
      input inner
      output inner
    }, else_branch=graph "e" {
      input into
      node neg: Neg(into) -> negative
      output negative
    }} -> [z]
  output z
}
END
gives 0 "value 'negative' has shape [N]" "$weft" infer body.weft --why negative
gives 1 "did you mean 'negative'?" "$weft" infer body.weft --why negativ
gives 1 "2 values have 'in' in the name: 'inner', 'into'" "$weft" infer body.weft --why in

# Memory of a run whose sizes have no bound: which options give one.
cat > bound.weft << 'END'
graph "bound" {
  input x: f32[N,4]
  node r: Relu(x) -> y
  output y
}
END
gives 0 "shape [N,4] has no upper bound: dim 0 (N) may have any size" "$weft" compile bound.weft -o bound.prog
gives 0 "--range 'x=1..MAX,4' bounds it; --dim 'N=SIZE' or --shape sets sizes" "$weft" compile bound.weft --plan
gives 0 "with the largest inputs that the ranges allow" "$weft" compile bound.weft --range 'x=1..8,4'
gives 0 "--range 'x=1..MAX,4' bounds it" "$weft" show bound.prog --plan -o bound.html

# What was in use when a limit of memory was met.
cat > full.weft << 'END'
graph "full" {
  input n: i64[1]
  input v: f32[]
  node f: Fill(n, v) -> first
  node g: Fill(n, v) -> second
  node a: Add(first, second) -> y
  output y
}
END
gives 1 "in use in graph 'full': 'first' (400000 bytes), 'second' (400000 bytes)" \
  "$weft" run full.weft --input 'n=i64[1]{100000}' --input 'v=f32[]{1}' --interp --memory 1000000

# SPDX-License-Identifier: Apache-2.0
