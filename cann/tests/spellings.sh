#!/bin/sh
# Every header that users include compiles alone, without a warning.   spellings.sh SOURCE BUILD COMPILER
# `make test`: all of them in one file as C++20, from the last to the first (other tests include them from the first on, as
# C++17). CHECK_LONG=1 (make check-long): in a random order as C++17, and the headers that hold something one by one.
set -eu
source=$1
build=$2
compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"  # ccache knows a file again by its name
include="-I$build/generated/cann -I$source/cann/include -I$source/include"
case $compiler in
*ccache*) mode="-c -o object" ;;  # what ccache can keep
*) mode=-fsyntax-only ;;
esac
# shellcheck disable=SC2086
compile() { $compiler -std="$1" -Wall -Wextra -Werror $include $mode "$2"; }
n=0
for header in $([ -n "${CHECK_LONG:-}" ] && ls "$source"/cann/include/weft_cann/*.h); do
  echo "#include \"weft_cann/$(basename "$header")\"" > one.cpp
  compile c++17 one.cpp || { echo "spellings.sh: $header does not compile alone" >&2; exit 1; }
done
python3 "$source/tools/gen_cann_spellings.py" --list > all
while read -r name; do
  echo "#include \"$name\"" >> all.cpp
  echo "#include \"$name\"" > one.cpp
  n=$((n + 1))
done < all
sort -r all.cpp > last_first.cpp
compile c++20 last_first.cpp
if [ -n "${CHECK_LONG:-}" ]; then
  sort -R all.cpp > mixed.cpp
  compile c++17 mixed.cpp
fi
echo "$n names"
# SPDX-License-Identifier: Apache-2.0
