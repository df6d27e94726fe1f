"""ONNX Runtime's InferenceSession over weft: a program written for it runs with one changed import."""
import os

import numpy as np

from ._model import Model


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
    """A tensor with the calls that programs make."""

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


class IOBinding:
    def __init__(self, session):
        self._session = session
        self._inputs, self._outputs, self._results = {}, {}, []

    def bind_cpu_input(self, name, array):
        self._inputs[name] = array

    def bind_ortvalue_input(self, name, value):
        self._inputs[name] = value.numpy()

    def bind_output(self, name, device="cpu", *more, **named):
        self._outputs[name] = None

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
