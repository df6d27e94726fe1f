"""Long texts are read and written by another process: Python's JSON holds the interpreter's lock from the first byte to the last, and with it
every other request. What that process needs of memory is limited, and it is ended when it takes too long; the next text starts a new one."""
import os
import pickle
import resource
import signal
import struct
import subprocess
import sys
import threading

from . import _protocol
from ._protocol import Refused

_START = "import sys; sys.path[:] = {path!r}; from weft._scribe import main; main({memory})"


def _send(pipe, value):
    """Arrays and bodies as they lie, the rest pickled: both ends are weft's."""
    buffers = []
    head = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    parts = [head, *(b.raw() for b in buffers)]
    pipe.write(struct.pack(f"<I{len(parts)}Q", len(parts), *(len(p) for p in parts)))
    for part in parts:
        pipe.write(part)
    pipe.flush()


def _read(pipe, size):
    data = bytearray(size)
    if pipe.readinto(data) != size:
        raise EOFError
    return data


def _receive(pipe):
    count = struct.unpack("<I", _read(pipe, 4))[0]
    sizes = struct.unpack(f"<{count}Q", _read(pipe, 8 * count))
    head, *buffers = [_read(pipe, n) for n in sizes]
    return pickle.loads(head, buffers=buffers)


class Scribe:
    """Reads and writes texts, one at a time, in a process of its own."""

    def __init__(self, memory):
        self._memory, self._process = memory, None

    def call(self, name, seconds, *args):
        """What the function of weft._protocol gives or raises; Refused where it took too long or too much."""
        if self._process is None:
            self._process = self._start()
        process, late = self._process, []
        timer = threading.Timer(seconds, lambda: (late.append(True), process.kill()))
        timer.start()
        try:
            _send(process.stdin, (name, args))
            good, value = _receive(process.stdout)
        except (OSError, EOFError, struct.error):
            self.close()
            raise Refused(504, f"the text took longer than {seconds:g} s") if late else \
                Refused(503, "the process that reads long texts has ended; ask again") from None
        finally:
            timer.cancel()
        if late:
            self.close()
        if not good:
            raise value
        return value

    def _start(self):
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        code = _START.format(path=sys.path, memory=self._memory)
        return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)

    def close(self):
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            process.stdout.close()
            try:
                process.stdin.close()
            except OSError:  # what it did not take any more
                pass


def _limit(memory):
    """The process may take so much more than it has."""
    with open("/proc/self/statm", encoding="ascii") as f:
        has = int(f.read().split()[0]) * resource.getpagesize()
    try:
        resource.setrlimit(resource.RLIMIT_AS, (has + memory, resource.RLIM_INFINITY))
    except (OSError, ValueError):  # a smaller limit is there already
        pass


def main(memory):
    """The other process: until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal, for all: the server ends it
    pipe, out = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    os.nice(5)
    _limit(memory)
    while True:
        try:
            name, args = _receive(pipe)
        except EOFError:
            return
        try:
            answer = True, getattr(_protocol, name)(*args)
        except Refused as e:
            answer = False, e
        except MemoryError:
            answer = False, Refused(503, "the text needs more memory than there is for it")
        del args
        try:
            _send(out, answer)
        except OSError:
            return
        del answer
# SPDX-License-Identifier: Apache-2.0
