"""ONNX's Python backend interface (onnx.backend.base) over weft. Needs the package onnx.

    import weft.backend
    weft.backend.run_model(model, [x])
"""
import numpy as np
from onnx import ModelProto, helper
from onnx.backend.base import Backend, BackendRep, namedtupledict

from . import Error
from ._model import Model


def _onnx_types():
    """ONNX's own array types for what numpy lacks, where this ONNX has them."""
    try:
        from onnx import _custom_element_types as types
    except ImportError:
        return _later_types()
    return {"f8e4m3fn": types.float8e4m3fn, "f8e4m3fnuz": types.float8e4m3fnuz, "f8e5m2": types.float8e5m2,
            "f8e5m2fnuz": types.float8e5m2fnuz, "bf16": types.bfloat16, "i4": getattr(types, "int4", None),
            "u4": getattr(types, "uint4", None)}


def _later_types():
    """From ONNX 1.19 on they are those of ml_dtypes; weft has elements below a byte as int8 and uint8."""
    try:
        import ml_dtypes
    except ImportError:
        return {}
    names = {"i4": "int4", "u4": "uint4", "i2": "int2", "u2": "uint2", "f4e2m1": "float4_e2m1fn"}
    return {ours: np.dtype(getattr(ml_dtypes, theirs)) for ours, theirs in names.items() if hasattr(ml_dtypes, theirs)}


class WeftRep(BackendRep):
    """A prepared model."""

    def __init__(self, model):
        self.model = model

    def run(self, inputs, **kwargs):
        feeds = inputs if isinstance(inputs, dict) else list(inputs if isinstance(inputs, (list, tuple)) else [inputs])
        values = self.model.run(feeds)
        types = _onnx_types()
        shown = []
        for value, port in zip(values, self.model.outputs):
            of_onnx = types.get(port.type)
            if isinstance(of_onnx, np.dtype) and of_onnx.name.endswith(("int4", "int2")):
                value = value.astype(of_onnx)
            elif of_onnx is not None and port.type == "bf16":
                value = value.view(of_onnx.base)  # whose tests compare the codes
            elif of_onnx is not None:
                value = value.view(of_onnx)
            shown.append(value)
        return namedtupledict("Outputs", list(values.names))(*shown)


class WeftBackend(Backend):
    @classmethod
    def is_compatible(cls, model, device="CPU", **kwargs):
        try:
            cls.prepare(model, device)
        except Error:
            return False
        return True

    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        if not cls.supports_device(device):
            raise ValueError(f"weft runs on the CPU, not on {device}")
        data = model.SerializeToString() if isinstance(model, ModelProto) else model
        return WeftRep(Model(data, **kwargs).compile())

    @classmethod
    def run_model(cls, model, inputs, device="CPU", **kwargs):
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(cls, node, inputs, device="CPU", outputs_info=None, **kwargs):
        feeds = [np.asarray(x) for x in inputs]
        given = [name for name in node.input if name]
        types = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape) for n, x in zip(given, feeds)]
        outputs = [helper.make_empty_tensor_value_info(n) for n in node.output if n]
        graph = helper.make_graph([node], "node", types, outputs)
        return cls.run_model(helper.make_model(graph, **kwargs), feeds, device)

    @classmethod
    def supports_device(cls, device):
        return device.split(":")[0] == "CPU"


is_compatible = WeftBackend.is_compatible
prepare = WeftBackend.prepare
run_model = WeftBackend.run_model
run_node = WeftBackend.run_node
supports_device = WeftBackend.supports_device
# SPDX-License-Identifier: Apache-2.0
