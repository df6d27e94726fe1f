from typing import Any, Callable, Mapping, Sequence

def backend(gm: Any, example_inputs: Sequence[Any], *, options: Mapping[str, Any] | None = None, mode: str | None = None) -> Callable[..., Any]: ...
# SPDX-License-Identifier: Apache-2.0
