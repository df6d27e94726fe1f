#!/usr/bin/env python3
"""ONNX Runtime as on a machine with AVX2 and nothing wider, on one that has more: for `weft bench --peer-isa avx2`.

  tools/peer_isa.py [--check MODEL.onnx]     makes the copy; the check runs a model in both and prints what it finds

Users of AVX2 machines see their peer's AVX2 kernels, so the ratio of `weft --isa avx2` should stand beside those. The peer
has no switch for it: it asks the processor, by the instruction cpuid, which nobody can make answer otherwise here (some
kernels can: arch_prctl(ARCH_CPUID)). So a copy of the installed package, never the package itself, gets two bytes that are no
instruction in place of each cpuid that objdump finds, and tools/peer_isa.c answers the fault they raise without what is wider.
The copy is made once for each version of the package (about 15 s); it needs x86-64, objdump and a C compiler. glibc's
memcpy and its like choose before any of this runs: GLIBC_TUNABLES tells them, in both engines' processes.
"""
import argparse
import ctypes
import glob
import hashlib
import importlib.util
import os
import platform
import shutil
import struct
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = f"{HERE}/peer_isa.c"
PACKAGE = "onnxruntime"
CPUID, MARK = b"\x0f\xa2", b"\x37\x37"
WATCH_S = 0.05
NARROW_LIBC = "glibc.cpu.hwcaps=-AVX512F,-AVX512BW,-AVX512CD,-AVX512DQ,-AVX512VL"  # cli/bench/bench_side.c has it too


class Impossible(RuntimeError):
    """Why there can be no such copy."""


def place():
    """Where copies live: the build folder of the source tree, the script's own where that is one, or the user's cache."""
    if os.path.isfile(f"{HERE}/CMakeCache.txt"):
        return f"{HERE}/peer-avx2"
    if os.path.isdir(f"{HERE}/../build"):
        return os.path.realpath(f"{HERE}/../build") + "/peer-avx2"
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "weft", "peer-avx2")


def file_offset(data, address):
    """Where the byte that an ELF file loads at `address` stands in it."""
    at, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for i in range(count):
        kind, _, offset, start, _, in_file = struct.unpack_from("<IIQQQQ", data, at + i * size)
        if kind == 1 and start <= address < start + in_file:
            return offset + address - start
    raise Impossible(f"no segment holds the address {address:#x}")


def patch(path):
    """Replaces each cpuid of a library; how many there were. Bytes that only look like one are left alone: objdump tells."""
    with open(path, "rb") as f:
        data = bytearray(f.read())
    if data[:5] != b"\x7fELF\x02" or CPUID not in data:
        return 0
    objdump = subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", path], stdout=subprocess.PIPE)
    found = [int(line.split(b":")[0], 16) for line in objdump.stdout if line.rstrip().endswith(b"\tcpuid")]
    if objdump.wait():
        raise Impossible(f"objdump cannot read {path}")
    for address in found:
        at = file_offset(data, address)
        if data[at:at + 2] != CPUID:
            raise Impossible(f"{path}: objdump names a cpuid at {address:#x}, where there is none")
        data[at:at + 2] = MARK
    os.chmod(path, 0o755)
    with open(path, "wb") as f:
        f.write(data)
    return len(found)


def stamp_of(package):
    """Tells this version of the package and of these tools."""
    h = hashlib.sha256()
    for path in (SOURCE, os.path.abspath(__file__)):
        with open(path, "rb") as f:
            h.update(f.read())
    for path in sorted(glob.glob(f"{package}/**/*.so*", recursive=True)):
        s = os.stat(path)
        h.update(f"{os.path.relpath(path, package)} {s.st_size} {s.st_mtime_ns}\n".encode())
    return h.hexdigest()


def make():
    """The folder with the copy, made now if it is not there or no longer fits. Raises Impossible."""
    if platform.machine() not in ("x86_64", "AMD64"):
        raise Impossible(f"this machine is {platform.machine()}: only x86-64 has AVX2")
    spec = importlib.util.find_spec(PACKAGE)
    if not spec or not spec.submodule_search_locations:
        raise Impossible(f"{sys.executable} finds no package {PACKAGE}: pip install {PACKAGE}")
    package, target = spec.submodule_search_locations[0], place()
    stamp = stamp_of(package)
    try:
        with open(f"{target}/stamp", encoding="ascii") as f:
            if f.read() == stamp:
                return target
    except OSError:
        pass
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not shutil.which("objdump") or not compiler:
        raise Impossible("it takes objdump (of binutils) and a C compiler to make the copy")
    part = f"{target}.{os.getpid()}"
    try:
        shutil.copytree(package, f"{part}/{PACKAGE}", ignore=shutil.ignore_patterns("__pycache__"))
        if not sum(patch(path) for path in glob.glob(f"{part}/**/*.so*", recursive=True)):
            raise Impossible(f"no library in {package} asks the processor by cpuid")
        subprocess.run([*compiler.split(), "-O2", "-fPIC", "-shared", SOURCE, "-o", f"{part}/peer_isa.so"], check=True)
        with open(f"{part}/stamp", "w", encoding="ascii") as f:
            f.write(stamp)
        shutil.rmtree(target, ignore_errors=True)
        os.rename(part, target)
    except (OSError, subprocess.CalledProcessError) as e:
        raise Impossible(f"the copy in {target} cannot be made: {e}") from e
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return target


class Limit:
    """This process's view of the processor, from before the package is imported."""

    def __init__(self, isa):
        if isa != "avx2":
            raise Impossible("only AVX2 can be had")
        folder = make()
        self.lib = ctypes.CDLL(f"{folder}/peer_isa.so")
        self.lib.peer_isa_asked.restype = self.lib.peer_isa_seen.restype = self.lib.peer_isa_wide.restype = ctypes.c_long
        if self.lib.peer_isa_begin():
            raise Impossible("the answers to cpuid cannot be put in place")
        sys.path.insert(0, folder)

    def imported(self):
        """To be called after the import: the package has asked, and was answered here."""
        if not self.lib.peer_isa_asked():
            raise Impossible(f"{PACKAGE} has asked the processor where it could not be limited")

    def watch(self, run):
        """Runs it for a moment and looks at what it executes; (instructions looked at, those of 512 bits)."""
        self.lib.peer_isa_watch(1)
        end = time.process_time() + WATCH_S
        while time.process_time() < end:
            run()
        self.lib.peer_isa_watch(0)
        return self.lib.peer_isa_seen(), self.lib.peer_isa_wide()

    def check(self, run):
        seen, wide = self.watch(run)
        if wide:
            raise Impossible(f"{wide} of {seen} instructions that a timer met work on 512 bits: it is not limited to AVX2")


def check(model, limited):
    """Time of a run, and what share of its instructions are wide."""
    limit = Limit("avx2")
    if not limited:
        sys.path.remove(os.path.dirname(limit.lib._name))
    import numpy
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    types = {"tensor(float)": numpy.float32, "tensor(int64)": numpy.int64, "tensor(int32)": numpy.int32, "tensor(double)": numpy.float64}
    feeds = {x.name: numpy.ones([d if isinstance(d, int) else 1 for d in x.shape], types[x.type]) for x in session.get_inputs()}
    run = lambda: session.run(None, feeds)
    run()
    seen, wide = limit.watch(run)
    times = []
    for _ in range(20):
        t = time.perf_counter_ns()
        run()
        times.append(time.perf_counter_ns() - t)
    print(f"{'as on AVX2' if limited else 'unlimited '}: asked and answered {limit.lib.peer_isa_asked()} times, least run "
          f"{min(times) / 1e6:.2f} ms, {wide} of {seen} instructions met are of 512 bits")


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--check", metavar="MODEL.onnx")
    a.add_argument("--limited", action="store_true", help=argparse.SUPPRESS)
    a.add_argument("--unlimited", action="store_true", help=argparse.SUPPRESS)
    o = a.parse_args()
    try:
        if o.limited or o.unlimited:
            return check(o.check, o.limited)
        print(make())
    except Impossible as e:
        sys.exit(f"peer_isa: {e}")
    if o.check:
        for how, more in (("--unlimited", {}), ("--limited", {"GLIBC_TUNABLES": NARROW_LIBC})):
            subprocess.run([sys.executable, __file__, "--check", o.check, how], env=os.environ | more, check=True)


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
