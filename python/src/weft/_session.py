"""ONNX Runtime's InferenceSession over weft: a program written for it runs with one changed import."""
import ctypes
import os

import numpy as np

from ._model import Model
from ._numpy import ONNX
from ._operators import type_name


class SessionOptions:
    """The options that programs set; intra_op_num_threads counts, the others are kept and change nothing."""

    def __init__(self):
        self.intra_op_num_threads = 0
        self.inter_op_num_threads = 0
        self.graph_optimization_level = 99
        self.execution_mode = 0
        self.enable_profiling = False
        self.log_severity_level = 2

    def add_session_config_entry(self, key, value):
        """Kept for programs that call it; nothing comes of it."""

    def add_free_dimension_override_by_name(self, name, size):
        self.__dict__.setdefault("_dims", {})[name] = size


class RunOptions:
    """Accepted, and changes nothing."""

    def add_run_config_entry(self, key, value):
        """Kept for programs that call it; nothing comes of it."""


class GraphOptimizationLevel:
    """ONNX Runtime's names; weft's passes are options of weft.load."""

    ORT_DISABLE_ALL, ORT_ENABLE_BASIC, ORT_ENABLE_EXTENDED, ORT_ENABLE_LAYOUT, ORT_ENABLE_ALL = 0, 1, 2, 3, 99


class ExecutionMode:
    """ONNX Runtime's names."""

    ORT_SEQUENTIAL, ORT_PARALLEL = 0, 1


def get_available_providers():
    """["CPUExecutionProvider"]"""
    return ["CPUExecutionProvider"]


def get_device():
    """"CPU"."""
    return "CPU"


class NodeArg:
    """An input or output: name, type ("tensor(float)"), shape with names of open dims."""

    def __init__(self, value):
        self.name = value.name
        self.type = value.onnx_type
        self.shape = [] if value.shape is None else list(value.shape)

    def __repr__(self):
        return f"NodeArg(name='{self.name}', type='{self.type}', shape={self.shape})"


class ModelMetadata:
    def __init__(self, notes, name):
        self.producer_name = notes.get("onnx.producer_name", "")
        self.graph_name = name
        self.domain = notes.get("onnx.domain", "")
        self.description = notes.get("onnx.doc_string", "")
        self.version = int(notes.get("onnx.model_version", "0") or 0)
        self.custom_metadata_map = {k[len("onnx.meta."):]: v for k, v in notes.items() if k.startswith("onnx.meta.")}


class OrtValue:
    """A tensor with the calls that programs make: ortvalue_from_numpy, ortvalue_from_shape_and_type, numpy, shape, data_ptr and so on."""

    def __init__(self, array):
        self._array = array

    @staticmethod
    def ortvalue_from_numpy(array, device="cpu", device_id=0):
        return OrtValue(np.asarray(array))

    def numpy(self):
        return self._array

    def shape(self):
        return list(self._array.shape)

    def device_name(self):
        return "cpu"

    @staticmethod
    def ortvalue_from_shape_and_type(shape, element_type, device="cpu", device_id=0):
        return OrtValue(np.zeros(shape, element_type))

    def data_ptr(self):
        return self._array.__array_interface__["data"][0]

    def data_type(self):
        return ONNX.get(type_name(self._array.dtype), "")

    def element_type(self):
        return self._array.dtype

    def is_tensor(self):
        return isinstance(self._array, np.ndarray)

    def has_value(self):
        return self._array is not None

    def update_inplace(self, array):
        self._array[...] = array

    def __dlpack__(self, **more):
        return self._array.__dlpack__(**more)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def _at(device, dtype, shape, address):
    """An array over memory of the caller's, who keeps it as long as the binding."""
    if device not in ("cpu", "CPU"):
        raise ValueError(f"a binding on '{device}': weft runs on the CPU")
    dtype = np.dtype(dtype)
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    return np.frombuffer((ctypes.c_char * size).from_address(address), dtype).reshape(shape) if size else np.empty(shape, dtype)


class IOBinding:
    def __init__(self, session):
        self._session = session
        self._inputs, self._outputs, self._results = {}, {}, []

    def bind_cpu_input(self, name, array):
        self._inputs[name] = array

    def bind_ortvalue_input(self, name, value):
        self._inputs[name] = value.numpy()

    def bind_input(self, name, device_type, device_id, element_type, shape, buffer_ptr):
        self._inputs[name] = _at(device_type, element_type, shape, buffer_ptr)

    def bind_output(self, name, device_type="cpu", device_id=0, element_type=None, shape=None, buffer_ptr=None):
        self._outputs[name] = None if buffer_ptr is None else _at(device_type, element_type, shape, buffer_ptr)

    def bind_ortvalue_output(self, name, value):
        self._outputs[name] = value.numpy()

    def get_outputs(self):
        return [OrtValue(a) for a in self._results]

    def copy_outputs_to_cpu(self):
        return list(self._results)

    def clear_binding_inputs(self):
        self._inputs.clear()

    def clear_binding_outputs(self):
        self._outputs.clear()


class InferenceSession:
    """run(names or None, feeds) -> list of arrays. `providers` are accepted: weft runs on the CPU."""

    def __init__(self, path_or_bytes, sess_options=None, providers=None, provider_options=None, **more):
        threads = getattr(sess_options, "intra_op_num_threads", 0) if sess_options else 0
        dims = getattr(sess_options, "_dims", {}) if sess_options else {}
        self._model = Model(path_or_bytes if isinstance(path_or_bytes, (str, os.PathLike)) else bytes(path_or_bytes),
                            threads=threads, dims=dims).compile()
        self._inputs = [NodeArg(v) for v in self._model.inputs]
        self._outputs = [NodeArg(v) for v in self._model.outputs]

    def get_inputs(self):
        return self._inputs

    def get_outputs(self):
        return self._outputs

    def get_providers(self):
        return ["CPUExecutionProvider"]

    def get_modelmeta(self):
        return ModelMetadata(self._model.metadata, "")

    def run(self, output_names, input_feed, run_options=None):
        values = self._model.run({k: v.numpy() if isinstance(v, OrtValue) else v for k, v in input_feed.items()})
        return list(values) if output_names is None else [values[name] for name in output_names]

    def run_with_ort_values(self, output_names, input_feed, run_options=None):
        return [OrtValue(v) for v in self.run(output_names, input_feed)]

    def io_binding(self):
        return IOBinding(self)

    def run_with_iobinding(self, binding, run_options=None):
        out = {n: a for n, a in binding._outputs.items() if a is not None}
        values = self._model.run(binding._inputs, out=out or None)
        binding._results = [values[name] for name in binding._outputs or values.names]
# SPDX-License-Identifier: Apache-2.0
