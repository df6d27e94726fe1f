from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import Model

class Server:
    port: int
    stop: Callable[[], object]
    def __init__(self, models: Mapping[str, Model], *, max_body: int = ..., timeout: float = 30.0, queue: int = 256,
                 workers: int | None = None, batch: int = 1, max_connections: int = 1024, idle: float = 30.0) -> None: ...
    def application(self) -> Any: ...
    async def run(self, host: str = "127.0.0.1", port: int = 8000, started: Callable[[int], object] | None = None) -> None: ...

def main(args: Sequence[str] | None = None) -> None: ...
# SPDX-License-Identifier: Apache-2.0
