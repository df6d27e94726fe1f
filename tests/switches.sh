#!/bin/sh
# switches.sh SOURCE - every switch of the build stands on the page for those who embed weft, and every one there exists.
set -eu
cd "$1"
page=docs/embedding.md
status=0
exist=$(sed -nE 's/^ *option\((WEFT_[A-Z0-9_]+) .*/\1/p; s/^ *set\((WEFT_[A-Z0-9_]+) .* CACHE .*/\1/p' CMakeLists.txt cmake/kernels.cmake)
for switch in WEFT_PICTURES WEFT_SANITIZE WEFT_CHECKED; do
  echo "$exist" | grep -qx $switch || { echo "switches.sh does not find $switch in CMakeLists.txt"; status=1; }
done
for switch in $exist; do
  grep -q "\`$switch\`" "$page" || { echo "$page does not name $switch"; status=1; }
done
for switch in $(grep -oE '(`|-D)WEFT_[A-Z0-9_]+' "$page" | sed 's/^`//; s/^-D//' | sort -u); do
  grep -rqE "(^|[^A-Z0-9_])$switch([^A-Z0-9_]|\$)" CMakeLists.txt cmake src include cli python/CMakeLists.txt || { echo "$page names $switch, which does not exist"; status=1; }
done
exit $status
# SPDX-License-Identifier: Apache-2.0
