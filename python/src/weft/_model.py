"""Models: loaded, described, run."""
import inspect
import io
import os
from typing import Any

import numpy as np

from . import _operators, _weft
from ._numpy import Error, PACKED, give, give_as, take
from ._operators import type_name
from ._progress import Bar, Told
from ._values import Difference, ModelNode, Outputs, State, Table, Value

_environments = {}


def _environment(threads=0, isa=None, memory_limit=0, time_limit=0.0, strict=False, copy=False, signature=None):
    """One environment for models with the same settings: they share threads. A process that was forked makes its own."""
    key = (os.getpid(), _operators.generation(), threads, isa, memory_limit, time_limit, strict, copy, signature)
    if key not in _environments:
        for old in [k for k in _environments if k[:2] != key[:2]]:
            del _environments[old]  # models that use it keep it; a parent's is not destroyed in the child
        _environments[key] = _weft.Env(threads, isa, memory_limit, time_limit, strict, _operators.made(), copy, signature)
    return _environments[key]


class Binding:
    """Inputs and outputs that stay: each run reads and writes the same arrays, and looks nothing up.

    Made by Model.bind. Change the arrays' contents between runs; `outputs` are the arrays that a run fills. One thread's at a time."""

    def __init__(self, program, inputs, places, names):
        self._run = program.bind(inputs, places).run
        self.outputs = Outputs(names, places)

    def run(self):
        self._run()
        return self.outputs

    __call__ = run


def _as_bytes(source):
    """Models that other packages hold in memory, as their files are; others as they are."""
    if hasattr(source, "SerializeToString"):  # onnx.ModelProto
        return source.SerializeToString()
    if hasattr(source, "to_bytes"):
        return source.to_bytes()  # a weft.Graph, a weft.Model
    if type(source).__name__ == "ExportedProgram" and hasattr(source, "graph_module"):
        import torch

        file = io.BytesIO()
        torch.export.save(source, file)
        return file.getvalue()
    if hasattr(source, "state_dict") and hasattr(source, "forward"):
        raise TypeError(f"{type(source).__name__} is a module of PyTorch, whose program is not known yet: "
                        f"weft.load(torch.export.export(module.eval(), (x,))), or torch.compile(module, backend='weft')")
    return source


_EXAMPLES = {"options": "{'passes': False}", "dims": "{'batch': 4}", "shapes": "{'x': [1, 3]}", "ranges": "{'batch': (1, 64)}"}


def _by_name(what, given):
    if given is not None and not hasattr(given, "keys"):
        raise TypeError(f"{what}={given!r}: a dict by name, as {_EXAMPLES[what]}")


def _checked(threads, memory_limit, time_limit):
    """Settings whose numbers have a range."""
    if not isinstance(threads, int) or not 0 <= threads <= 4096:
        raise ValueError(f"threads={threads!r}: a number from 1 to 4096, or 0 for all that the process may use")
    if not isinstance(memory_limit, (int, np.integer)) or not 0 <= memory_limit < 1 << 64:
        raise ValueError(f"memory_limit={memory_limit!r}: bytes of a call, a whole number below 2**64, or 0 for no limit")
    if not isinstance(time_limit, (int, float, np.number)) or not 0 <= time_limit <= 1e9:
        raise ValueError(f"time_limit={time_limit!r}: seconds of a call, up to 1e9, or 0 for no limit")


class Model(_weft.Callable):
    """A model, ready to run. Any thread may run it at any time; runs go on beside each other.

    inputs and outputs are lists of Value. Nothing is compiled before the first run, or `compile`."""

    def __init__(self, source, *, threads=0, isa=None, precision=None, device=None, options=None, dims=None, shapes=None, ranges=None,
                 memory_limit=0, time_limit=0.0, strict=False, copy=False, signature=None, progress=None):
        for name, given in (("options", options), ("dims", dims), ("shapes", shapes), ("ranges", ranges)):
            _by_name(name, given)
        for name, given in (("isa", isa), ("precision", precision), ("device", device), ("signature", signature)):
            if given is not None and not isinstance(given, str):
                raise TypeError(f"{name}={given!r}: a text, or None")
        strict, copy = bool(strict), bool(copy)
        self._settings = dict(threads=threads, isa=isa, precision=precision, device=device, options=dict(options or {}),
                              dims=dict(dims or {}), shapes=dict(shapes or {}), ranges=dict(ranges or {}), memory_limit=memory_limit,
                              time_limit=time_limit, strict=strict, copy=copy, signature=signature, progress=progress)
        self._path, self._data = None, None
        if isinstance(source, int):
            raise TypeError(f"{source!r} is no model: a path, bytes, an open file or a weft.Graph is")
        _checked(threads, memory_limit, time_limit)
        if isinstance(source, np.ndarray):
            raise TypeError(f"an array of {source.dtype} is no model: a path, bytes, an open file or a weft.Graph is")
        source = _as_bytes(source)
        if isinstance(source, (str, os.PathLike)):
            self._path = os.path.abspath(os.fspath(source))
            if not os.path.exists(self._path):
                raise FileNotFoundError(f"no file {self._path}")
        else:
            data = source.read() if hasattr(source, "read") else source
            if isinstance(data, str):
                raise TypeError("the file was opened for reading text: open(path, 'rb') reads bytes")
            if not isinstance(data, (bytes, bytearray, memoryview)):
                raise TypeError(f"a {type(data).__name__} is no model: a path, bytes, an open file or a weft.Graph is")
            self._data = bytes(data)
        self._env = _environment(0 if threads == 1 else threads, isa, memory_limit, time_limit, strict, copy, signature)
        self._graph_kept, self._program, self._compiled = None, None, False
        with self._telling("reads") as tell:
            if tell is not None:
                tell("read")
            program = None if os.path.isdir(self._path or "") else _weft.Program.load(self._env, self._path, self._data, int(threads == 1))
            graph = self._graph() if program is None else None
        if program is not None:
            self._take_program(program)
            self._compiled = True
        else:
            self.inputs = [Value(*v) for v in graph.inputs()]
            self.outputs = [Value(*v) for v in graph.outputs()]
            self._names()

    # ---- making ----
    def _graph(self, dims=None, shapes=None):
        """The model as a graph, inferred; the one without sizes of its own is kept."""
        _by_name("shapes", shapes)
        if self._compiled:
            raise ValueError("a compiled program has no graph: load the model that it was made of")
        if not dims and not shapes and self._graph_kept is not None:
            return self._graph_kept
        graph = _weft.Graph(self._env, self._path, self._data)
        graph.infer(self._sizes(dims), {**self._settings["shapes"], **(shapes or {})})
        if not dims and not shapes:
            self._graph_kept = graph
        return graph

    def _sizes(self, dims=None):
        """Sizes of dims, and ranges of those that have none."""
        dims = {**self._settings["dims"], **(dims or {})}
        for name, size in dims.items():
            if not isinstance(size, (int, np.integer)) or isinstance(size, bool):
                raise TypeError(f"{name}={size!r}: the size of a dim is a number")
            if size < 0:
                raise ValueError(f"{name}={size}: the size of a dim is not negative")
        given = {k: v if isinstance(v, int) else tuple(tuple(e) if isinstance(e, list) else e for e in v)
                 for k, v in self._settings["ranges"].items()}
        return {**dims, **{k: v for k, v in given.items() if k not in dims}}

    def _names(self):
        self._in_names = tuple(v.name for v in self.inputs)
        self._out_names = tuple(v.name for v in self.outputs)
        self._plain = all(v.kind == "tensor" and v.type != "str" and v.type not in PACKED for v in self.outputs)
        self._fast = self._plain and self._program is not None
        self._calls(self._program if self._fast and len(self.outputs) == 1 else None)

    def _take_program(self, program):
        self._program = program
        self.inputs = [Value(*v) for v in program.inputs()]
        self.outputs = [Value(*v) for v in program.outputs()]
        self._names()

    def _options(self):
        options = dict(self._settings["options"])
        if self._settings["precision"]:
            options["precision_mode"] = self._settings["precision"]
        return tuple(f"{k}={int(v) if isinstance(v, bool) else v}" for k, v in options.items())

    def compile(self, **settings):
        """Compiles now and gives the model; with settings (those of weft.load) another model, compiled with them."""
        if settings:
            unknown = set(settings) - set(self._settings)
            if unknown:
                raise TypeError(f"no setting {', '.join(sorted(unknown))}; there are {', '.join(self._settings)}")
            return Model(self._path if self._path is not None else self._data, **{**self._settings, **settings}).compile()
        if self._program is None:
            s = self._settings
            with self._telling("compiles") as tell:
                self._take_program(_weft.Program.compile(self._env, self._path, self._data, self._sizes(), s["shapes"], self._options(),
                                                         s["device"], int(s["threads"] == 1), tell))
        return self

    def _telling(self, what):
        given = self._settings["progress"]
        return Bar(f"weft {what} {os.path.basename(self._path or 'a model')}") if given in (None, True) else Told(given or None)

    def _first(self, feeds, out):
        """Weights are packed, which may take as long as compiling."""
        self.compile()
        with self._telling("runs") as tell:
            if tell is not None:
                tell("pack")
            return self._program.run(feeds, out)

    # ---- running ----
    def _feeds(self, args, named):
        if len(args) == 1 and isinstance(args[0], dict) and not named:
            raise TypeError("inputs by name are model(**feeds), or model.run(feeds) for names that Python cannot spell")
        if len(args) > len(self._in_names):
            takes = f"{len(self._in_names)} input{'s' * (len(self._in_names) != 1)} ({', '.join(self._in_names) or 'none'})"
            raise TypeError(f"the model takes {takes}, {len(args)} are given")
        for name in named:
            if name not in self._in_names:
                raise TypeError(f"the model has no input '{name}'; its inputs: {', '.join(self._in_names)}")
        values = []
        for i, name in enumerate(self._in_names):
            if i < len(args):
                if name in named:
                    raise TypeError(f"input '{name}' is given twice")
                values.append(give_as(args[i], self.inputs[i]))
            elif name in named:
                values.append(give_as(named[name], self.inputs[i]))
            else:
                raise TypeError(f"input '{name}' is missing; the model takes {', '.join(str(v) for v in self.inputs)}")
        return tuple(values)

    def _places(self, out):
        if not isinstance(out, (tuple, list, dict)):
            out = (out,)
        if isinstance(out, dict):
            out = tuple(out.get(name) for name in self._out_names)
        if len(out) != len(self._out_names):
            raise TypeError(f"out has {len(out)} arrays, the model gives {len(self._out_names)} outputs")
        out = [np.asarray(a) if type(a) is not np.ndarray and hasattr(a, "__array__") else a for a in out]  # a tensor's memory
        for value, array in zip(self.outputs, out):
            if type(array) is np.ndarray and not (array.flags.c_contiguous and array.flags.writeable and array.dtype == value.dtype):
                self._unfit(value, array)
        return tuple(out)

    @staticmethod
    def _unfit(value, array):
        given = f"the array given for output '{value.name}' is"
        if value.dtype is not None and array.dtype != value.dtype:
            raise TypeError(f"{given} {array.dtype}, the model gives {value.type}: np.empty(shape, '{value.dtype}') is one of that type")
        if not array.flags.c_contiguous:
            raise ValueError(f"{given} not in C order: weft writes into np.empty(shape, dtype) and its like only")
        if not array.flags.writeable:
            raise ValueError(f"{given} read-only")

    def _run(self, feeds, out=None):
        out = None if out is None else self._places(out)
        values = self._program.run(feeds, out) if self._program is not None else self._first(feeds, out)
        return values if self._plain else tuple(take(v) for v in values)

    def _call(self, *args, out=None, **named):  # __call__ of the class above, where that does not do it alone
        """Runs with inputs by position or by name. One output comes alone, several as Outputs. out: arrays to write into."""
        if out is None and not named and self._fast and len(self.outputs) > 1:
            try:  # arrays of the right types in C order, as a rule
                return Outputs(self._out_names, self._program.run(args, None))
            except (BufferError, TypeError, ValueError):
                pass  # converted below, or refused with words
        values = self._run(self._feeds(args, named), out)
        return values[0] if len(values) == 1 else Outputs(self._out_names, values)

    @property
    def state(self):
        """What the model keeps from run to run: a State, as a dict by name; empty for most models."""
        self.compile()
        return State(self._program)

    def reset_state(self):
        """Lets every state hold again what it began with."""
        self.state.reset()

    def run(self, feeds, out=None):
        """Runs with a dict or a sequence of inputs; gives Outputs, by name and by position."""
        if out is None and self._fast and isinstance(feeds, dict) and len(feeds) == len(self._in_names):
            try:  # as in _call
                values = self._program.run(tuple([feeds[name] for name in self._in_names]), None)
                return Outputs(self._out_names, values)
            except (BufferError, KeyError, TypeError, ValueError):
                pass
        if isinstance(feeds, (list, tuple)):
            given = self._feeds(tuple(feeds), {})
        elif hasattr(feeds, "keys"):
            given = self._feeds((), dict(feeds))
        else:
            raise TypeError(f"run takes a dict of inputs by name or a list of them, not a {type(feeds).__name__}; model(x) takes one as it is")
        return Outputs(self._out_names, self._run(given, out))

    def bind(self, *args, out=None, **named):
        """A Binding of these input arrays and of output arrays (made by one run where not given)."""
        self.compile()
        for value in self.outputs:
            if value.kind != "tensor" or value.type == "str" or value.type in PACKED:
                what = value.kind if value.kind != "tensor" else "text" if value.type == "str" else f"{value.type}, several elements a byte"
                raise TypeError(f"output '{value.name}' is {what}: only plain arrays can be bound; call the model instead")
        feeds = self._feeds(args, named)
        for name, value in zip(self._in_names, feeds):
            given = named[name] if name in named else args[self._in_names.index(name)]
            if value is not given:
                raise TypeError(f"input '{name}' can be bound as a contiguous array of the model's type only")
        if out is None:
            out = self._run(feeds)
        else:
            self._run(feeds, out)
        return Binding(self._program, feeds, self._places(out), self._out_names)

    # ---- knowing ----
    def infer(self, *, shapes=None, **dims):
        """Type, shape and bounds of every tensor, with these sizes of named dims: model.infer(batch=4)."""
        graph = self._graph(dims, shapes)
        rows = [[v.name, v.type, v, "input"] for v in map(lambda t: Value(*t), graph.inputs())]
        for name, kind, _, outputs, _ in graph.nodes():
            rows += [[v.name, v.type, v, f"{kind} {name}"] for v in map(lambda t: Value(*t), outputs)]
        shown = [[r[0], r[1], str(r[2]).split(": ", 1)[1][len(r[1]):], r[3]] for r in rows]
        table = Table(["name", "type", "shape", "from"], shown)
        table.values = {r[0]: r[2] for r in rows}
        return table

    def why(self, value):
        """Why the shape of a value is not fully known, step by step; "" where it is."""
        return self._graph().why(value)

    @property
    def nodes(self):
        """(name, type, names of inputs, outputs as Value, multiply_adds or -1) of each node, in order."""
        return [ModelNode(n, t, i, [Value(*v) for v in o], f) for n, t, i, o, f in self._graph().nodes()]

    @property
    def graph(self):
        """The model as a weft.Graph of its own: to walk, to change, to save."""
        from ._graph import Graph

        if self._compiled:
            raise ValueError("a compiled program has no graph: load the model that it was made of")
        return Graph.read(self)

    def text(self, form="text"):
        """The graph as weft's text, "json", "dot" (graphviz) or "table"."""
        return self._graph().print(form)

    def _planned(self, form, dims, shapes, packed=False):
        self.compile()
        _by_name("shapes", shapes)
        if not dims and not shapes:
            if packed and any(not isinstance(d, int) for v in self.inputs for d in v.shape or (None,)):
                return None  # what runs before have packed
            self._bounded()
            return self._program.plan(None, form)
        if self._compiled:
            given = self._sized(dims, shapes or {})
        else:
            given = [Value(*v) for v in self._graph(dims, shapes).inputs()]
        for v in given:
            rest = [str(d) for k, d in enumerate(v.shape or ()) if not isinstance(d, int) and (v.most is None or v.most[k] is None)]
            if rest:
                raise Error(f"input {v} has open dims left: give {', '.join(rest)}, too", "E_UNKNOWN")
        return self._program.plan(tuple(tuple(d if isinstance(d, int) else -1 for d in v.shape or ()) for v in given), form)

    def _sized(self, dims, shapes):
        """The inputs of a compiled program with these sizes."""
        names = {d for v in self.inputs for d in v.shape or () if isinstance(d, str)}
        for what, given, known in (("dim", dims, names), ("input", shapes, self._in_names)):
            for name in given:
                if name not in known:
                    raise _weft.Missing(f"the program has no {what} '{name}'; there are {', '.join(sorted(known)) or 'none'}")
        return [v._replace(shape=tuple(shapes[v.name] if v.name in shapes else [dims.get(d, d) for d in v.shape or ()])) for v in self.inputs]

    def _bounded(self):
        """Without sizes the largest run is planned, which an input of any size has none of."""
        for v in self.inputs:
            if v.shape is None:
                raise Error(f"input '{v.name}' may have any rank, so that there is no largest run: say shapes={{'{v.name}': [...]}}", "E_UNKNOWN")
            for k, d in enumerate(v.shape):
                if not isinstance(d, int) and (v.most is None or v.most[k] is None):
                    size, name = (f"{d}=4", f"'{d}'") if isinstance(d, str) and d.isidentifier() else (f"**{{'{d}': 4}}", f"'{d}'")
                    raise Error(f"input {v} has no upper bound in dim {k}, so that there is no largest run: give sizes ({size}), or ranges when "
                                f"it is loaded (weft.load(..., ranges={{{name}: (1, 64)}}))", "E_UNKNOWN")

    def memory(self, *, shapes=None, **dims):
        """Bytes of a run: intermediate tensors, constants, inputs, outputs. Sizes as in infer; without them the largest."""
        return self._planned(0, dims, shapes)

    def plan(self, *, peak=False, shapes=None, **dims):
        """The launches of a run, their kernels and where their values lie; peak: what lies in memory when most does."""
        return self._planned(2 if peak else 1, dims, shapes)

    def profile(self, *args, trace=None, **named):
        """Times of one run, a row for each launch: node, operator, kernel, microseconds, bytes, flops (two for a multiply-add). trace: a path
        for the same as Chrome and Perfetto show it (JSON)."""
        self.compile()
        trace = None if trace is None else os.fspath(trace)  # no number, which would be an open file's
        records, text = self._program.profile(self._feeds(args, named))
        if trace is not None:
            with open(trace, "w", encoding="utf-8") as f:
                f.write(text)
        return Table(["node", "operator", "kernel", "us", "bytes", "flops"],
                     [[n, t, k, round((e - b) / 1000, 2), y, f] for n, t, k, b, e, y, f in records])

    def simplify(self, path=None):
        """The model with constants folded and what does nothing left out: another Model. Of an ONNX model it is one again, with shapes
        of all values, which `path`, when given, receives; of the others weft's graph."""
        from ._graph import Graph

        if self._compiled:
            raise ValueError("a compiled program has no graph: load the model that it was made of")
        path = None if path is None else os.fspath(path)
        data, folder = self._data, os.path.isdir(self._path or "")  # a SavedModel's
        if data is None and not folder:
            with open(self._path, "rb") as f:
                data = f.read()
        if not folder and _weft.kind(data, self._path) == "onnx":
            data, _, _ = _weft.convert(self._env, data, self._path)
        else:
            graph = Graph.read(self)
            graph._c.simplify()
            data = graph.to_bytes()
        if path is not None:
            with open(path, "wb") as f:
                f.write(data)
        return Model(data, **{**self._settings, "signature": None})

    def bisect(self, *args, against=None, rtol=0.0, atol=0.0, progress=None, **named):
        """Looks for the first value that the compiled model computes differently: from weft's interpreter, or from `against`: values by
        name (a dict of arrays), another Model, or an object with run(None, feeds) and get_outputs() such as ONNX Runtime's session, of
        whose outputs the names are compared. Gives a Difference, which is False where all agree. Tolerances: 0 means 1e-3 of the
        tensor's size and 1e-6. Inputs are those of a call."""
        if self._compiled:
            raise ValueError("a compiled program has no graph to be compared with: load the model that it was made of")
        feeds = self._feeds(args, named)
        for v in self.inputs:
            if v.kind != "tensor":
                raise TypeError(f"input '{v.name}' is a {v.kind}: only tensors can be bisected")
        inputs = tuple((v.name, v.type, f) for v, f in zip(self.inputs, feeds))
        given = {} if against is None else against
        if not hasattr(given, "items") and not hasattr(given, "get_outputs") and not isinstance(given, Model):
            raise TypeError(f"against is a {type(given).__name__}: a dict of arrays by name, a Model or a session is compared with")
        if not hasattr(given, "items"):
            feeds = {v.name: f for v, f in zip(self.inputs, feeds)}
            given = dict(against.run(feeds).items()) if isinstance(against, Model) else \
                dict(zip([o.name for o in against.get_outputs()], against.run(None, feeds)))
        arrays = {name: np.asarray(v) for name, v in given.items()}
        wanted = tuple((name, type_name(a.dtype), give(a, type_name(a.dtype), name)) for name, a in arrays.items())
        return Difference(_weft.bisect(self._env, self._path, self._data, self._sizes(), self._settings["shapes"], inputs, wanted,
                                       rtol, atol, self._settings["threads"], progress))

    def save(self, path, *, packed=False, shapes=None, **dims):
        """Writes the compiled program; weft.load of it starts without compiling. packed: with weights as the kernels of this machine want
        them, for the shapes of a run with these sizes (as in infer) and of those before: processes that load it share them, and start
        without packing. Elsewhere they are packed as ever. The file is larger."""
        self.compile()
        if packed:
            self._planned(0, dims, shapes, packed)
        self._program.save(path, packed)

    def to_bytes(self):
        """The compiled program as bytes."""
        self.compile()
        return self._program.to_bytes()

    @property
    def name(self):
        """The graph's name; "" of a compiled program."""
        return "" if self._compiled else self._graph().name()

    @property
    def metadata(self):
        """Notes of the model's file: who made it, what its author wrote."""
        return {} if self._compiled else self._graph().meta()

    # ---- the rest ----
    def __reduce__(self):
        source = self._path if self._path is not None else self._data
        return _again, (source, {**self._settings, "progress": None})

    def __repr__(self):
        def listed(values):
            return ", ".join(str(v) for v in values)

        return f"<weft.Model ({listed(self.inputs)}) -> ({listed(self.outputs)})>"

    def _repr_html_(self):
        rows = [["input", *str(v).split(": ", 1)] for v in self.inputs] + [["output", *str(v).split(": ", 1)] for v in self.outputs]
        from ._picture import picture

        return Table(["", "name", "type and shape"], rows)._repr_html_() + ("" if self._compiled else picture(self._graph()))


def _again(source, settings) -> Model:
    return Model(source, **settings)


def load(source: Any, **settings) -> Model:
    """Reads a model: a path (of a file, or of a SavedModel's folder), bytes, a file that was opened for reading bytes, a weft.Graph, an
    onnx.ModelProto, or a program of torch.export.

    threads: of kernels; 1 runs on the calling thread, 0 takes all that the process may use. isa: the most of the machine that kernels
    use ("avx2"). precision: "allow_fp32_to_bf16" (docs/precision.md). dims, shapes: sizes of named dims and of inputs, fixed.
    ranges: what dims may be, {"batch": (1, 8)} by a dim's name, {"x": ((1, 8), 3, (1, None))} for all of an input's; the memory of the
    largest run is known then.
    options: of the compiler, {"passes": False}. progress: a function that is told what reading, compiling and the first run (which packs
    weights) do; an exception in it ends the call; False: nothing is shown in a terminal either, where it takes long. memory_limit (bytes), time_limit (seconds): of each call. strict: shapes that the
    model declares wrongly are errors. copy: files are read, not mapped: one that another program writes to does no harm.
    signature: of a SavedModel ("serving_default")."""
    unknown = set(settings) - set(inspect.signature(Model).parameters)
    if unknown:
        raise TypeError(f"no setting {', '.join(sorted(unknown))}; there are {', '.join(list(inspect.signature(Model).parameters)[1:])}")
    return Model(source, **settings)


def compile(source: Any, **settings) -> Model:
    """weft.load, compiled at once."""
    return load(source, **settings).compile()
# SPDX-License-Identifier: Apache-2.0
