#!/bin/sh
# op_new_cann.sh SOURCE_DIR BINARY_DIR WEFT - installs weft to a prefix of its own, generates projects with
# `weft op new --cann`, builds them as they are with all warnings as errors, by gcc and clang, with both string layouts of
# libstdc++ and without exceptions, and runs their tests. Then an edit makes AddCustom work. Needs a complete build.
set -eu
source=$1 binary=$2 weft=$3
work=$binary/op_new_cann_work
rm -rf "$work"
mkdir -p "$work"
unset ASCEND_CUSTOM_OPP_PATH WEFT_OPP_PATH || true

fail() {
  echo "op_new_cann.sh: $1" >&2
  exit 1
}
# quietly LOG COMMAND...: the log is shown when the command fails.
quietly() {
  log=$1
  shift
  "$@" > "$log" 2>&1 || { cat "$log" >&2; fail "failed: $*"; }
}
strict="-Wall -Wextra -Werror"

quietly "$work/install.log" cmake --install "$binary" --prefix "$work/prefix"
CMAKE_PREFIX_PATH=$work/prefix
export CMAKE_PREFIX_PATH
cd "$work"

"$weft" op new --cann "$source/tests/data/add_custom.json" > new.log || fail "weft op new --cann failed"
steps=$(grep -o '^[1-5]\. [A-Z][a-z ]*' new.log | cut -d' ' -f2- | tr '\n' ',')
[ "$steps" = "Project,Prototype,Graph integration,Kernel,Tiling," ] || fail "steps are '$steps'"
for f in README.md CMakeLists.txt CMakePresets.json build.sh op_host/add_custom.cpp op_host/add_custom_tiling.h \
         op_kernel/README.md op_kernel/add_custom_cpu.cpp tests/main.cpp tests/test_add_custom.cpp; do
  [ -f "add_custom/$f" ] || fail "add_custom/$f is missing"
  grep -qx "add_custom/$f" new.log || fail "add_custom/$f was not listed"
done

# An attribute that OpDef cannot declare leaves nothing behind.
if "$weft" op new --cann "$source/tests/data/op_new_many.json" -o wrong > wrong.log 2>&1; then fail "ListString was accepted"; fi
grep -q "attribute 'names' of Float is a ListString, which ops::OpDef cannot declare" wrong.log || fail "$(cat wrong.log)"
[ ! -e wrong ] || fail "a wrong description left a project behind"

# The rest compiles some thirty C++ files, which takes minutes: make check-long.
[ -n "${CHECK_LONG:-}" ] || { rm -rf "$work"; echo "op_new_cann.sh: ok, without the builds of make check-long"; exit 0; }

# Builds and passes without edits. The second one has several operators, with names and values that try to escape.
"$weft" op new --cann "$source/tests/data/op_new_cann.json" --name many > /dev/null || fail "op new --cann many"
for project in add_custom many; do
  quietly run.log env CXXFLAGS="$strict" "$project/build.sh"
  grep -q '100% tests passed' run.log || fail "$project: $(cat run.log)"
  grep -q ' laws ' run.log || fail "$project: the test 'laws' did not run"
done
quietly preset.log sh -c "cd add_custom && cmake --preset default"

# The operator is found where it was installed, and says what is not written.
ASCEND_CUSTOM_OPP_PATH=$work/add_custom/output:$work/many/output
export ASCEND_CUSTOM_OPP_PATH
"$weft" op show AddCustom > show.log || fail "the installed package is not found"
grep -q 'f16/ND f32/ND i32/ND' show.log || fail "columns: $(cat show.log)"
"$weft" op show Float > show.log || fail "the second package is not found"
if "$weft" op run AddCustom 'f32[2]{1,2}' 'f32[2]{3,4}' > call.log 2>&1; then fail "a stub succeeded"; fi
grep -q 'not implemented (add_custom' call.log || fail "$(cat call.log)"

# With both functions written it adds, and the expected failure of the stub is noticed.
uncomment='s#^\( *\)// \(\*context\|const gert\|gert::\|OP_CHECK\|for \|  y->\)#\1\2#
/not implemented/d; s/return GRAPH_FAILED/return GRAPH_SUCCESS/; s/return ge::GRAPH_FAILED/return ge::GRAPH_SUCCESS/'
sum='s|= x->GetData<float>()\[i\]|= x->GetData<float>()[i] + context->GetInputTensor(1)->GetData<float>()[i]|'
for f in op_host/add_custom.cpp op_kernel/add_custom_cpu.cpp; do
  sed "$uncomment; $sum" "add_custom/$f" > edited.cpp
  cmp -s edited.cpp "add_custom/$f" && fail "nothing to edit in $f"
  cp edited.cpp "add_custom/$f"
done
quietly build.log cmake --build add_custom/build_out
if (cd add_custom/build_out && ctest -R cases) > edited.log 2>&1; then fail "the cases do not notice a written InferShape"; fi
if add_custom/build.sh > edited.log 2>&1; then fail "build.sh installs although a test failed"; fi
grep -q 'a test failed, so nothing was installed' edited.log || fail "$(cat edited.log)"
# The test is the one of docs/cann.md.
awk '/^```/ { if (found) printf "%s", block; block = ""; found = 0; on = /^```cpp/; next }
  on { block = block $0 "\n"; if (/^TEST\(adds_equal_shapes\)/) found = 1 }' "$source/docs/cann.md" > add_custom/tests/test_add_custom.cpp
grep -q '^TEST(adds_equal_shapes)' add_custom/tests/test_add_custom.cpp || fail "the page has no test"
quietly run.log env CXXFLAGS="$strict" add_custom/build.sh
grep -q '100% tests passed' run.log || fail "$(cat run.log)"
[ "$("$weft" op run AddCustom 'f32[2]{1,2}' 'y=f32[2]{3,4}')" = "z = f32[2]{4,6}" ] || fail "AddCustom does not add"

# Other compilers and settings than the ones above: the library is built, found and run.
for settings in "g++ -D_GLIBCXX_USE_CXX11_ABI=0 -fno-exceptions" "clang++ -D_GLIBCXX_USE_CXX11_ABI=1 -std=c++20" \
                "clang++ -D_GLIBCXX_USE_CXX11_ABI=0 -fno-exceptions"; do
  compiler=${settings%% *}
  command -v "$compiler" > /dev/null || { echo "skipped: no $compiler"; continue; }
  rm -rf other out
  quietly run.log env CXX="$compiler" CXXFLAGS="$strict ${settings#* }" BUILD="$work/other" OUTPUT="$work/out" add_custom/build.sh
  sum=$(ASCEND_CUSTOM_OPP_PATH=$work/out "$weft" op run AddCustom 'f32[2]{1,2}' 'y=f32[2]{3,4}')
  [ "$sum" = "z = f32[2]{4,6}" ] || fail "$settings: $sum"
done
rm -rf "$work"
echo "op_new_cann.sh: ok"
# SPDX-License-Identifier: Apache-2.0
