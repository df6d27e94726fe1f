"""weft runs models on the CPU and says what they need before they run.

    import weft
    model = weft.load("model.onnx")
    y = model(x)                      # numpy in, numpy out
    print(model.infer(batch=8))       # type and shape of every tensor
    print(model.memory(batch=8))      # bytes of a run

A model is an ONNX file, a compiled program (.weft, .om) or one of weft's text forms; a path, bytes or an open file.
"""
from ._model import Binding, Model, compile, load
from ._numpy import Error, version
from ._operators import Dim, Operator, Type, op
from ._session import (ExecutionMode, GraphOptimizationLevel, InferenceSession, IOBinding, OrtValue, RunOptions, SessionOptions, get_available_providers,
                       get_device)
from ._values import Difference, ModelNode, Outputs, State, Table, Value

__version__ = version
_LATER = ("Graph", "Node", "Prototype", "Tensor", "check_operator", "operators", "prototype")

# What programs for ONNX Runtime call besides, and nobody else.
_ONNXRUNTIME = ("ModelMetadata", "NodeArg", "disable_telemetry_events", "get_all_providers", "set_default_logger_severity",
                "set_default_logger_verbosity", "set_seed")


def __getattr__(name):
    """Who only runs models does not load what builds them."""
    if name in _ONNXRUNTIME:
        from . import _session

        return getattr(_session, name)
    if name not in _LATER:
        raise AttributeError(f"module 'weft' has no attribute '{name}'")
    from . import _graph

    globals().update((n, getattr(_graph, n)) for n in _LATER)
    return globals()[name]


def __dir__():
    return [*globals(), *_LATER]


__all__ = ["Binding", "Difference", "Dim", "Error", "ExecutionMode", "Graph", "GraphOptimizationLevel", "IOBinding", "InferenceSession", "Model", "ModelNode", "Node",
           "Operator", "OrtValue", "Outputs", "Prototype", "RunOptions", "SessionOptions", "State", "Table", "Tensor", "Type", "Value", "check_operator",
           "compile", "get_available_providers", "get_device", "load", "op", "operators", "prototype"]
# SPDX-License-Identifier: Apache-2.0
