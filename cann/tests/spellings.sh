#!/bin/sh
# Every header that users include compiles alone, without a warning.   spellings.sh SOURCE BUILD COMPILER
# `make test`: all of them in one file as C++20, and in another order as C++17. CHECK_LONG=1 (make check-long): the headers
# that hold something also one by one.
set -eu
source=$1
build=$2
compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
include="-I$build/generated/cann -I$source/cann/include -I$source/include"
# shellcheck disable=SC2086
compile() { "$compiler" -std="$1" -Wall -Wextra -Werror -fsyntax-only $include "$2"; }
n=0
for header in $([ -n "${CHECK_LONG:-}" ] && ls "$source"/cann/include/weft_cann/*.h); do
  echo "#include \"weft_cann/$(basename "$header")\"" > "$work/one.cpp"
  compile c++17 "$work/one.cpp" || { echo "spellings.sh: $header does not compile alone" >&2; exit 1; }
done
python3 "$source/tools/gen_cann_spellings.py" --list > "$work/all"
while read -r name; do
  echo "#include \"$name\"" >> "$work/all.cpp"
  echo "#include \"$name\"" > "$work/one.cpp"
  n=$((n + 1))
done < "$work/all"
compile c++20 "$work/all.cpp"
sort -R "$work/all.cpp" > "$work/mixed.cpp"
compile c++17 "$work/mixed.cpp"
echo "$n names"
# SPDX-License-Identifier: Apache-2.0
