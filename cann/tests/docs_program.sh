#!/bin/sh
# The program of docs/cann.md builds and prints what it says: with the older ABI of std::string, and with CHECK_LONG=1
# (make check-long) with the newer, which all other tests have.
# docs_program.sh SOURCE BUILD COMPILER SANITIZERS
set -eu
source=$1
build=$2
compiler=$3
sanitize=${4:+-fsanitize=$4}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"  # ccache knows a file again by its name
awk '/^```cpp$/ {text = ""; on = 1; next} /^```$/ {if (on && text ~ /int main/) printf "%s", text; on = 0} on {text = text $0 "\n"}' \
  "$source/docs/cann.md" > squares.cpp
# shellcheck disable=SC2086  # the compiler may have a launcher before it
for abi in 0 ${CHECK_LONG:+1}; do
  $compiler -std=c++17 -fno-strict-aliasing -fno-exceptions -D_GLIBCXX_USE_CXX11_ABI=$abi -Wall -Wextra -Werror \
    -I"$build/generated/cann" -I"$source/cann/include" -I"$source/include" -c squares.cpp -o squares.o
  $compiler $sanitize squares.o "$build/libweft_cann.a" "$build/libweft.a" -lm -ldl -lpthread -o squares
  printed=$(./squares)
  [ "$printed" = "1 4 9" ] || { echo "docs_program.sh: ABI $abi: printed '$printed', expected '1 4 9'" >&2; exit 1; }
done
# SPDX-License-Identifier: Apache-2.0
