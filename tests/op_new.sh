#!/bin/sh
# op_new.sh SOURCE_DIR BINARY_DIR WEFT - installs weft to a prefix of its own, generates projects with `weft op new`, builds
# them as they are with all warnings as errors, and runs their tests. Then an edit: once InferShape is written, the stub's
# expected failure must fail. Needs a complete build in BINARY_DIR.
set -eu
source=$1 binary=$2 weft=$3
work=$binary/op_new_work
rm -rf "$work"
mkdir -p "$work"
unset ASCEND_CUSTOM_OPP_PATH WEFT_OPP_PATH || true

fail() {
  echo "op_new.sh: $1" >&2
  exit 1
}
# quietly LOG COMMAND...: the log is shown when the command fails.
quietly() {
  log=$1
  shift
  "$@" > "$log" 2>&1 || { cat "$log" >&2; fail "failed: $*"; }
}

quietly "$work/install.log" cmake --install "$binary" --prefix "$work/prefix"
cd "$work"

# R312: the next steps are printed in the order of development.
"$weft" op new "$source/tests/data/add_custom.json" > new.log || fail "weft op new failed"
if "$weft" op new AddCustom 2> none.log; then
  fail "a name was taken for a description"
fi
grep -q "describes the operator in JSON, not its name" none.log || fail "a name: $(cat none.log)"
steps=$(grep -o '^[1-5]\. [A-Z][a-z ]*' new.log | cut -d' ' -f2- | tr '\n' ',')
[ "$steps" = "Project,Prototype,Kernel,Tiling,Graph integration," ] || fail "steps are '$steps'"
for f in README.md CMakeLists.txt Makefile run.sh op_host/add_custom.c op_host/add_custom_tiling.c op_host/add_custom_tiling.h \
         op_kernel/add_custom_kernel.c op_graph/add_custom_proto.h tests/test_add_custom.c; do
  [ -f "add_custom/$f" ] || fail "add_custom/$f is missing"
  grep -qx "add_custom/$f" new.log || fail "add_custom/$f was not listed"
done
[ -x add_custom/run.sh ] || fail "run.sh is not executable"

# Nothing is overwritten; wrong descriptions leave nothing behind.
if "$weft" op new "$source/tests/data/add_custom.json" > again.log 2>&1; then fail "an existing project was overwritten"; fi
grep -q "'add_custom' is not empty" again.log || fail "no message about the existing project: $(cat again.log)"
sed 's/"fp16", "float", "int32"/"fp16", "float"/; s/AddCustom/Wrong/' "$source/tests/data/add_custom.json" > wrong.json
if "$weft" op new wrong.json > wrong.log 2>&1; then fail "a wrong description was accepted"; fi
[ ! -e wrong ] || fail "a wrong description left a project behind"
grep -q 'wrong.json:9: input_desc\[0\].format has 3 entries, input_desc\[0\].type has 2' wrong.log || fail "$(cat wrong.log)"

# R310: builds and passes without edits. The second one has several operators, with names and values that try to escape.
"$weft" op new "$source/tests/data/op_new_many.json" --name many --output deep/er/many > /dev/null || fail "op new many"
for project in add_custom deep/er/many; do
  quietly run.log env CFLAGS="-Wall -Wextra -Wshadow -Werror" CMAKE_PREFIX_PATH="$work/prefix" "$project/run.sh"
  grep -q '100% tests passed' run.log || fail "$project: $(cat run.log)"
  grep -q ' laws ' run.log || fail "$project: the test 'laws' did not run"
done
# The header is for C++, too.
for h in deep/er/many/op_graph/*_proto.h; do echo "#include \"$h\""; done > all.cc
quietly cxx.log ${CXX:-c++} -std=c++17 -Wall -Wextra -Werror -Wno-unused-function -fsyntax-only -I. -I"$work/prefix/include" all.cc

# R314: the operator is found where it was installed, and says what is not written.
ASCEND_CUSTOM_OPP_PATH=$work/add_custom/output
export ASCEND_CUSTOM_OPP_PATH
"$weft" op show AddCustom > show.log || fail "the installed package is not found"
grep -q 'f16/ND f32/ND i32/ND' show.log || fail "columns: $(cat show.log)"
if "$weft" op run AddCustom 'f32[2]{1,2}' 'f32[2]{3,4}' > call.log 2>&1; then fail "a stub succeeded"; fi
grep -q 'InferShape not implemented' call.log || fail "$(cat call.log)"

# A test that cannot fail is none: with InferShape written, the expected failures must be noticed.
sed 's|it->host->fail(it->d, WEFT_E_INCOMPLETE, "InferShape not implemented")|weft_set_out_shape(it, 0, it->in[0]->dim, it->in[0]->rank)|' \
  add_custom/op_host/add_custom.c > edited.c
cmp -s edited.c add_custom/op_host/add_custom.c && fail "the stub was not found"
cp edited.c add_custom/op_host/add_custom.c
quietly build.log cmake --build add_custom/build
if (cd add_custom/build && ctest) > edited.log 2>&1; then fail "tests do not notice a written InferShape"; fi
if "$weft" op run AddCustom 'f32[2]{1,2}' 'f32[2]{3,4}' > call.log 2>&1; then fail "the kernel's stub succeeded"; fi

# As docs/add-an-operator.md writes it, it builds without a warning, passes, and works; its names of dims pass through.
rm -rf add_custom
"$weft" op new "$source/tests/data/add_custom.json" > /dev/null
python3 "$source/tests/fill_project.py" "$source/docs/add-an-operator.md" add_custom || fail "the page and the project do not fit"
quietly run.log env CFLAGS="-Wall -Wextra -Wshadow -Werror" CMAKE_PREFIX_PATH="$work/prefix" add_custom/run.sh
grep -q '100% tests passed' run.log || fail "$(cat run.log)"
grep -q NOTE run.log && fail "the kernel was not tested: $(cat run.log)"
"$weft" op run AddCustom 'f32[2]{1,2}' 'y=f32[1]{3}' | grep -qx 'z = f32\[2\]{4,5}' || fail "AddCustom does not add"
"$weft" op test "$work"/add_custom/output/op_graph/lib/linux/*/libadd_custom_op.so > test.log || fail "$(cat test.log)"
grep -q ' 0 failed; 1 kernel in ' test.log || fail "$(cat test.log)"

# A tiled kernel that subtracts, and one that writes four floats too many: `weft op test` and the project's tests fail.
cp add_custom/op_kernel/add_custom_kernel.c good.c
for wrong in 's|z\[i\] = x\[i\] + y\[i\]|z[i] = x[i] - y[i]|' 's|i < p->elems \&\& i <|i < p->elems + 4 \&\& i <|'; do
  sed "$wrong" good.c > add_custom/op_kernel/add_custom_kernel.c
  cmp -s good.c add_custom/op_kernel/add_custom_kernel.c && fail "nothing to make wrong"
  quietly build.log cmake --build add_custom/build
  if (cd add_custom/build && ctest -R test_add_custom) > wrong.log 2>&1; then fail "its test does not notice: $wrong"; fi
  if "$weft" op test add_custom/build/libadd_custom_op.so > wrong.log 2>&1; then fail "op test does not notice: $wrong"; fi
  grep -q "kernel 'add_custom' on cpu with f32\[.*element .* is .*" wrong.log || fail "$(cat wrong.log)"
done
rm -rf "$work"
echo "op_new.sh: ok"
# SPDX-License-Identifier: Apache-2.0
