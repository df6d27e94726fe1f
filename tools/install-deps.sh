#!/bin/sh
# tools/install-deps.sh [fuzz] [aarch64]: installs the Debian packages that building and testing need, when something is
# missing, and those of the fuzzers and of the check for 64-bit ARM where they are named. Quiet otherwise.
set -eu
missing=""
for pair in cmake:cmake ninja:ninja-build cc:gcc c++:g++ clang:clang python3:python3 make:make clang-format:clang-format pkg-config:pkg-config git:git; do
  command -v "${pair%%:*}" > /dev/null 2>&1 || missing="$missing ${pair##*:}"
done
# Libraries that weft can do without: RegexFullMatch, deflated .npz, ImageDecoder (cmake/plugins.cmake), tuned tilings as text (cann/).
for pair in libpcre2-8:libpcre2-dev zlib:zlib1g-dev libjpeg:libjpeg-dev libpng:libpng-dev libtiff-4:libtiff-dev \
    libopenjp2:libopenjp2-7-dev libwebp:libwebp-dev nlohmann_json:nlohmann-json3-dev; do
  pkg-config --exists "${pair%%:*}" 2> /dev/null || missing="$missing ${pair##*:}"
done
clang_runtime() {  # clang's sanitizers and fuzzer, a package of its own beside each version of the compiler
  echo '#include <sanitizer/asan_interface.h>
    int LLVMFuzzerTestOneInput(const unsigned char *p, unsigned long n) { return p && n && 0; }' |
    clang -fsanitize=fuzzer,address -x c -o /dev/null - 2> /dev/null
}
install_packages() {
  echo "installing:$*"
  if [ "$(id -u)" = 0 ]; then sudo=""; else sudo="sudo"; fi
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "$@" > /dev/null
}
for word; do
  case $word in
    fuzz) ;;
    aarch64)
      for pair in aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu aarch64-linux-gnu-g++:g++-aarch64-linux-gnu qemu-aarch64:qemu-user; do
        command -v "${pair%%:*}" > /dev/null 2>&1 || missing="$missing ${pair##*:}"
      done ;;
    *) echo "install-deps: no set of packages '$word'; there are fuzz and aarch64" >&2; exit 1 ;;
  esac
done
# shellcheck disable=SC2086
[ -z "$missing" ] || install_packages $missing libc6-dev
case " $* " in
  *" fuzz "*) clang_runtime || install_packages "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev" ;;
esac
# SPDX-License-Identifier: Apache-2.0
