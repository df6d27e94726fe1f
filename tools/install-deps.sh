#!/bin/sh
# Installs the Debian packages that building and testing need, when something is missing. Quiet otherwise.
set -eu
missing=""
for pair in cmake:cmake ninja:ninja-build cc:gcc c++:g++ clang:clang python3:python3 make:make clang-format:clang-format pkg-config:pkg-config git:git; do
  command -v "${pair%%:*}" > /dev/null 2>&1 || missing="$missing ${pair##*:}"
done
# Libraries that weft can do without: RegexFullMatch, deflated .npz, ImageDecoder (cmake/libraries.cmake).
for pair in libpcre2-8:libpcre2-dev zlib:zlib1g-dev libjpeg:libjpeg-dev libpng:libpng-dev libtiff-4:libtiff-dev \
    libopenjp2:libopenjp2-7-dev libwebp:libwebp-dev; do
  pkg-config --exists "${pair%%:*}" 2> /dev/null || missing="$missing ${pair##*:}"
done
[ -z "$missing" ] && exit 0
echo "installing:$missing"
if [ "$(id -u)" = 0 ]; then sudo=""; else sudo="sudo"; fi
$sudo apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing libc6-dev > /dev/null
