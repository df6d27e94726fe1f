"""What is shown or told while something takes long."""
import sys
import threading
import time


class Bar:
    """Progress in a terminal: one line on stderr, from half a second on, until it is closed."""

    def __init__(self, what):
        self._what, self._stage, self._begin = what, "", time.monotonic()
        self._ended, self._thread = threading.Event(), None
        if sys.stderr is not None and sys.stderr.isatty():
            self._thread = threading.Thread(target=self._show, daemon=True)
            self._thread.start()

    def __call__(self, stage):
        self._stage = stage

    def _show(self):
        if self._ended.wait(0.5):
            return
        while True:
            print(f"\r\033[K{self._what}: {self._stage} ({time.monotonic() - self._begin:.0f} s)", end="", file=sys.stderr, flush=True)
            if self._ended.wait(0.2):
                break
        print("\r\033[K", end="", file=sys.stderr, flush=True)

    def __enter__(self):
        return self

    def __exit__(self, *fault):
        self._ended.set()
        if self._thread is not None:
            self._thread.join()


class Told:
    """The caller's function instead of the bar; None: nobody is told."""

    def __init__(self, function):
        self._function = function

    def __enter__(self):
        return self._function

    def __exit__(self, *fault):
        pass
# SPDX-License-Identifier: Apache-2.0
