#!/bin/sh
# peer_isa.sh WORK WEFT SOURCE - tools/peer_isa.py: of a library made here, only what is an instruction is replaced, the
# package stays as it was, what is asked of the processor is answered without AVX-512, and other faults stay faults.
set -eu
work=$1 source=$3
rm -rf "$work"
mkdir -p "$work/package/onnxruntime" "$work/tool"
cd "$work"
for need in python3 objdump cc; do
  command -v $need > /dev/null || { echo "peer_isa.sh: skipped: it takes $need"; exit 77; }
done
cp "$source/tools/peer_isa.py" "$source/tools/peer_isa.c" tool
export PYTHONPATH="$work/tool:$work/package" XDG_CACHE_HOME="$work/cache" PYTHONDONTWRITEBYTECODE=1
if [ "$(uname -m)" != x86_64 ]; then
  if python3 tool/peer_isa.py 2> out.log; then echo "peer_isa.sh: a copy was made here" >&2; exit 1; fi
  grep -q 'only x86-64 has AVX2' out.log
  exit
fi

cat > lib.c << 'END'
#include <cpuid.h>
const unsigned char data[4] = {0x90, 0x0f, 0xa2, 0x90};  // no instruction
int looks_like_one(void) {
  return 0xa20f;
}
unsigned ask(unsigned leaf, unsigned sub, unsigned *rest) {
  unsigned a, b, c, d;
  __cpuid_count(leaf, sub, a, b, c, d);
  rest[0] = a, rest[1] = c, rest[2] = d;
  return b;
}
void stop(void) {
  __builtin_trap();
}
END
cc -O2 -fPIC -shared lib.c -o package/onnxruntime/lib.so
echo 'import ctypes; lib = ctypes.CDLL(__path__[0] + "/lib.so")' > package/onnxruntime/__init__.py
cp package/onnxruntime/lib.so before.so

cat > limited.py << 'END'
import ctypes
import os
import sys
import peer_isa

try:
    peer_isa.Limit("avx1024")
    sys.exit("avx1024 was had")
except peer_isa.Impossible:
    pass
limit = peer_isa.Limit("avx2")
import onnxruntime
lib = onnxruntime.lib
assert "peer-avx2" in lib._name, lib._name
if sys.argv[1:] == ["stop"]:
    lib.stop()
try:
    limit.imported()
    sys.exit("nothing was asked, and nobody minds")
except peer_isa.Impossible:
    pass
rest = (ctypes.c_uint * 3)()
lib.ask.restype = ctypes.c_uint
assert lib.ask(0, 0, rest) and rest[0] >= 1, "the vendor is told"
b = lib.ask(7, 0, rest)
with open("/proc/cpuinfo", encoding="utf-8") as f:
    flags = next(line for line in f if line.startswith("flags")).split()
for bit, name in ((3, "bmi1"), (5, "avx2"), (8, "bmi2")):
    assert (b >> bit & 1) == (name in flags), name
for bit in (16, 17, 21, 28, 30, 31):
    assert not b >> bit & 1, bit
assert not rest[2] >> 24 & 1, "AMX"
lib.ask(13, 0, rest)
assert rest[0] & 6 and not rest[0] & 0xe0
assert lib.ask(0x24, 0, rest) == 0
assert lib.looks_like_one() == 0xa20f
assert bytes((ctypes.c_ubyte * 4).in_dll(lib, "data")) == b"\x90\x0f\xa2\x90"
limit.imported()
limit.check(lambda: sum(range(1000)))
END
python3 limited.py
cmp before.so package/onnxruntime/lib.so
python3 -c 'import subprocess, sys; sys.exit(subprocess.run([sys.executable, "limited.py", "stop"]).returncode != -4)'
[ "$(ls cache/weft)" = peer-avx2 ]  # nothing is left beside it

# The copy follows the package: without a cpuid there is nothing to limit.
echo 'int nothing;' > lib.c
cc -O2 -fPIC -shared lib.c -o package/onnxruntime/lib.so
if python3 tool/peer_isa.py 2> out.log; then echo "peer_isa.sh: a package that asks nothing was limited" >&2; exit 1; fi
grep -q 'asks the processor by cpuid' out.log
echo "peer_isa.sh: passed"
# SPDX-License-Identifier: Apache-2.0
