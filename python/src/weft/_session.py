"""ONNX Runtime's InferenceSession over weft: a program written for it runs with one changed import."""
import ctypes
import os
import threading
import time
from enum import IntEnum

import numpy as np

from ._model import Model
from ._numpy import NAMES, ONNX
from ._operators import type_name

_PROVIDERS = ["CPUExecutionProvider"]
_ONNX_NUMBERS = {1: "f32", 2: "u8", 3: "i8", 4: "u16", 5: "i16", 6: "i32", 7: "i64", 8: "str", 9: "bool", 10: "f16", 11: "f64", 12: "u32",
                 13: "u64", 14: "c64", 15: "c128", 16: "bf16"}


class GraphOptimizationLevel(IntEnum):
    """ONNX Runtime's names: ORT_DISABLE_ALL leaves weft's passes out, all others are the same."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode(IntEnum):
    """ONNX Runtime's names; nothing depends on them."""

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class _Entries:
    """Settings that are kept for programs that ask for them again."""

    def __init__(self, **attributes):
        self._entries = {}
        self.__dict__.update(attributes)

    def _keep(self, key, value):
        if not isinstance(key, str):
            raise TypeError(f"an entry has a text as its key, not {key!r}")
        self._entries[key] = value

    def _get(self, key):
        if not isinstance(key, str) or key not in self._entries:
            raise RuntimeError(f"no entry '{key}' was added")
        return self._entries[key]


class SessionOptions(_Entries):
    """The options that programs set. intra_op_num_threads, free dimensions, graph_optimization_level, enable_profiling and
    optimized_model_filepath count; the others are kept and change nothing."""

    def __init__(self):
        super().__init__(intra_op_num_threads=0, inter_op_num_threads=0, graph_optimization_level=GraphOptimizationLevel.ORT_ENABLE_ALL,
                         execution_mode=ExecutionMode.ORT_SEQUENTIAL, enable_profiling=False, profile_file_prefix="onnxruntime_profile_",
                         optimized_model_filepath="", log_severity_level=-1, log_verbosity_level=0, logid="", enable_cpu_mem_arena=True,
                         enable_mem_pattern=True, enable_mem_reuse=True, use_deterministic_compute=False, use_per_session_threads=True)
        self._dims = {}

    def add_session_config_entry(self, key, value):
        """Kept for programs that call it; nothing comes of it."""
        self._keep(key, value)

    def get_session_config_entry(self, key):
        return self._get(key)

    def add_free_dimension_override_by_name(self, name, size):
        """Fixes the size of the dims of this name."""
        if not isinstance(name, str) or not isinstance(size, (int, np.integer)):
            raise TypeError(f"a dim's name and its size, not {name!r} and {size!r}")
        self._dims[name] = size

    def register_custom_ops_library(self, path):
        """Refused: such a library's operators are written for ONNX Runtime."""
        raise NotImplementedError(f"'{path}' holds operators for ONNX Runtime's interface: write them with weft.op, or as a package in C")


class RunOptions(_Entries):
    """Accepted, and changes nothing."""

    def __init__(self):
        super().__init__(log_severity_level=-1, log_verbosity_level=0, logid="", only_execute_path_to_fetches=False, terminate=False)

    def add_run_config_entry(self, key, value):
        """Kept for programs that call it; nothing comes of it."""
        self._keep(key, value)

    def get_run_config_entry(self, key):
        return self._get(key)


def get_available_providers():
    """["CPUExecutionProvider"]"""
    return list(_PROVIDERS)


get_all_providers = get_available_providers


def get_device():
    """"CPU"."""
    return "CPU"


def set_default_logger_severity(severity):
    """Accepted: weft logs nothing."""


def set_default_logger_verbosity(verbosity):
    """Accepted: weft logs nothing."""


def set_seed(seed):
    """Accepted: random operators of weft take their seeds from the model."""


def disable_telemetry_events():
    """Accepted: weft sends nothing."""


class NodeArg:
    """An input or output: name, type ("tensor(float)"), shape with names of open dims."""

    def __init__(self, value):
        self.name = value.name
        self.type = value.onnx_type
        self.shape = [] if value.shape is None else list(value.shape)

    def __repr__(self):
        return f"NodeArg(name='{self.name}', type='{self.type}', shape={self.shape})"


class ModelMetadata:
    """producer_name, graph_name, domain, description, graph_description, version, custom_metadata_map of an ONNX model."""

    def __init__(self, notes, name):
        self.producer_name = notes.get("onnx.producer", "")
        self.graph_name = name
        self.domain = notes.get("onnx.domain", "")
        self.description = notes.get("onnx.doc", "")
        self.graph_description = notes.get("onnx.graph_doc", "")
        self.version = int(notes.get("onnx.model_version", "0") or 0)
        self.custom_metadata_map = {k: v for k, v in notes.items() if not k.startswith("onnx.")}


def _dtype(given):
    """numpy's type of one, of its name, or of ONNX's number."""
    return NAMES[_ONNX_NUMBERS[given]] if isinstance(given, int) and given in _ONNX_NUMBERS else np.dtype(given)


class OrtValue:
    """A tensor with the calls that programs make: ortvalue_from_numpy, ortvalue_from_shape_and_type, numpy, shape, data_ptr and so on."""

    def __init__(self, array):
        self._array = array

    @staticmethod
    def ortvalue_from_numpy(array, device="cpu", device_id=0):
        return OrtValue(np.asarray(array))

    @staticmethod
    def ortvalue_from_shape_and_type(shape, element_type, device="cpu", device_id=0):
        return OrtValue(np.zeros(shape, _dtype(element_type)))

    @staticmethod
    def from_dlpack(value, is_bool_tensor=False):
        if not hasattr(value, "__dlpack__"):
            raise TypeError(f"a {type(value).__name__} has no __dlpack__: OrtValue.ortvalue_from_numpy takes arrays")
        array = np.from_dlpack(value)
        return OrtValue(array.view(bool) if is_bool_tensor else array)

    def numpy(self):
        return self._array

    def shape(self):
        return list(self._array.shape)

    def device_name(self):
        return "cpu"

    def data_ptr(self):
        return self._array.__array_interface__["data"][0]

    def data_type(self):
        return ONNX.get(type_name(self._array.dtype), "")

    def element_type(self):
        """ONNX's number of the type: 1 for float."""
        name = type_name(self._array.dtype)
        return next((n for n, of in _ONNX_NUMBERS.items() if of == name), 0)

    def tensor_size_in_bytes(self):
        return self._array.nbytes

    def is_tensor(self):
        return isinstance(self._array, np.ndarray)

    def is_tensor_sequence(self):
        return isinstance(self._array, list)

    def is_sparse_tensor(self):
        return False

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
    dtype = _dtype(dtype)
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    return np.frombuffer((ctypes.c_char * size).from_address(address), dtype).reshape(shape) if size else np.empty(shape, dtype)


class IOBinding:
    """Inputs and outputs of InferenceSession.run_with_iobinding: arrays, OrtValues or addresses. Outputs that have no memory get it in
    each run."""

    def __init__(self, session):
        self._session = session
        self._inputs, self._outputs, self._results = {}, {}, []
        self._bound, self._bound_to = None, None  # the weft.Binding of what is bound, where all of it is, and the session it runs

    def _bind(self, of, name, array):
        known = self._session._in_names if of is self._inputs else self._session._out_names
        if name not in known:
            raise ValueError(f"the model has no {'input' if of is self._inputs else 'output'} '{name}'; there are {', '.join(known)}")
        of[name] = array
        self._bound = None

    def bind_cpu_input(self, name, array):
        self._bind(self._inputs, name, array)

    @staticmethod
    def _held(value):
        if not isinstance(value, OrtValue):
            raise TypeError(f"a {type(value).__name__} is no OrtValue: OrtValue.ortvalue_from_numpy(array) makes one")
        return value.numpy()

    def bind_ortvalue_input(self, name, value):
        self._bind(self._inputs, name, self._held(value))

    def bind_input(self, name, device_type, device_id, element_type, shape, buffer_ptr):
        self._bind(self._inputs, name, _at(device_type, element_type, shape, buffer_ptr))

    def bind_output(self, name, device_type="cpu", device_id=0, element_type=None, shape=None, buffer_ptr=None):
        self._bind(self._outputs, name, None if buffer_ptr is None else _at(device_type, element_type, shape, buffer_ptr))

    def bind_ortvalue_output(self, name, value):
        self._bind(self._outputs, name, self._held(value))

    def get_outputs(self):
        return [OrtValue(a) for a in self._results]

    def copy_outputs_to_cpu(self):
        return [np.array(a) if isinstance(a, np.ndarray) else a for a in self._results]

    def clear_binding_inputs(self):
        self._inputs.clear()
        self._bound = None

    def clear_binding_outputs(self):
        self._outputs.clear()
        self._bound = None

    def synchronize_inputs(self):
        """Nothing is under way when a call has come back."""

    synchronize_outputs = synchronize_inputs

    def _run(self, session):
        """A run of this session, which need not be the one that made the binding."""
        if self._bound is not None and self._bound_to is session:
            self._bound()
            return
        self._bound = None
        out = {n: a for n, a in self._outputs.items() if a is not None}
        if len(out) == len(session._out_names):
            try:
                bound = session._model.bind(**self._inputs, out=out)
                self._results = [out[n] for n in self._outputs]
                self._bound, self._bound_to = bound.run, session
                return
            except TypeError:
                pass  # an input of another layout: copied in each run, or refused with words
        values = session._model.run(self._inputs, out=out or None)
        self._results = [values[name] for name in self._outputs or values.names]


class InferenceSession:
    """run(names or None, feeds) -> list of arrays. `providers` are accepted: weft runs on the CPU."""

    def __init__(self, path_or_bytes, sess_options=None, providers=None, provider_options=None, **more):
        if sess_options is not None and not isinstance(sess_options, SessionOptions):
            raise TypeError(f"sess_options is a {type(sess_options).__name__}, not a SessionOptions")
        self._options = options = sess_options if sess_options is not None else SessionOptions()
        bare = options.graph_optimization_level == GraphOptimizationLevel.ORT_DISABLE_ALL
        self._model = Model(path_or_bytes, threads=options.intra_op_num_threads, dims=options._dims, options={"passes": 0} if bare else None)
        if options.optimized_model_filepath:
            self._model.simplify(options.optimized_model_filepath)
        self._model.compile()
        self._inputs = [NodeArg(v) for v in self._model.inputs]
        self._outputs = [NodeArg(v) for v in self._model.outputs]
        self._in_names = tuple(v.name for v in self._model.inputs)
        self._out_names = tuple(v.name for v in self._model.outputs)
        self._last, self._begin_ns = None, time.monotonic_ns()  # feeds of the last run, where a profile is wanted

    def get_inputs(self):
        return self._inputs

    def get_outputs(self):
        return self._outputs

    def get_overridable_initializers(self):
        return []

    def get_providers(self):
        return list(_PROVIDERS)

    def get_provider_options(self):
        return {name: {} for name in _PROVIDERS}

    def set_providers(self, providers=None, provider_options=None):
        """Accepted: weft runs on the CPU."""

    def enable_fallback(self):
        """Accepted, and changes nothing."""

    disable_fallback = enable_fallback

    def get_session_options(self):
        return self._options

    def get_modelmeta(self):
        return ModelMetadata(self._model.metadata, self._model.name)

    def run(self, output_names, input_feed, run_options=None):
        """Outputs of these names, of all where they are None or none."""
        if output_names is not None and not isinstance(output_names, (list, tuple)):
            raise TypeError(f"output names are a list, or None for all, not {output_names!r}")
        if not hasattr(input_feed, "items"):
            raise TypeError(f"inputs are a dict by name, {{'{', '.join(self._in_names[:1])}': array}}, not a {type(input_feed).__name__}")
        for name in output_names or ():
            if name not in self._out_names:
                raise ValueError(f"the model has no output '{name}'; there are {', '.join(self._out_names)}")
        feeds = {k: v.numpy() if isinstance(v, OrtValue) else v for k, v in input_feed.items()}
        if self._options.enable_profiling:
            self._last = feeds
        values = self._model.run(feeds)
        return [values[name] for name in output_names] if output_names else list(values)

    def run_async(self, output_names, input_feed, callback, user_data, run_options=None):
        """Runs on a thread of its own, which calls callback(outputs, user_data, text of the error or "")."""
        if not callable(callback):
            raise TypeError(f"a {type(callback).__name__} cannot be called when the run has ended")

        def work():
            try:
                values, fault = self.run(output_names, input_feed), ""
            except Exception as e:
                values, fault = [], str(e)
            callback(values, user_data, fault)

        threading.Thread(target=work, daemon=True).start()

    def run_with_ort_values(self, output_names, input_feed, run_options=None):
        return [OrtValue(v) for v in self.run(output_names, input_feed)]

    def io_binding(self):
        return IOBinding(self)

    def run_with_iobinding(self, binding, run_options=None):
        if not isinstance(binding, IOBinding):
            raise TypeError(f"a {type(binding).__name__} is no binding: session.io_binding() makes one")
        if self._options.enable_profiling:
            self._last = dict(binding._inputs)
        binding._run(self)

    def get_profiling_start_time_ns(self):
        return self._begin_ns

    def end_profiling(self):
        """Where enable_profiling was set: the path of a trace of the last run, made again, for Perfetto and Chrome; "" otherwise."""
        if self._last is None:
            return ""
        path = f"{self._options.profile_file_prefix}_{time.strftime('%Y-%m-%d_%H-%M-%S')}_{os.getpid()}.json"
        self._model.profile(**self._last, trace=path)
        self._last = None
        return path
# SPDX-License-Identifier: Apache-2.0
