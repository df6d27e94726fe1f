"""Graphs built, walked and changed in Python."""
import inspect
import os
import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from . import _weft
from ._weft import Missing
from ._model import Model, _environment
from ._numpy import NAMES, PACKED, TYPES, give
from ._operators import Operator, attr_text, type_name
from ._tensor import Tensor
from ._values import Table

_NUMBERS = {np.dtype(t): n for n, t in reversed(TYPES.items())}
_BY_NAME = {**{name: _NUMBERS[t] for name, t in NAMES.items() if t in _NUMBERS}, **{name: number for name, (number, _, _) in PACKED.items()},
            "str": 13, "bf16": 27, "f8e5m2": 35, "f8e4m3fn": 36, "f8e8m0": 37, "f8e5m2fnuz": 61, "f8e4m3fnuz": 62}
_EAGER = 256  # nodes up to which a graph is inferred after each one, so that a mistake is an error where it is made


class Prototype(NamedTuple):
    """What an operator takes and gives: (name, kind, types) of each port, kind 0 required, 1 optional, 2 any number; (name, type,
    default or None, check or None) of each attribute. missing: what it still lacks to be in a graph."""

    name: str
    summary: str
    inputs: list
    outputs: list
    attrs: list
    missing: str

    @property
    def signature(self):
        """As weft.Graph's function of it takes them: inputs by position or name, attributes by name."""
        parameters, optional = [], False
        for name, kind, _ in self.inputs:
            optional = optional or kind == 1
            default = None if optional else inspect.Parameter.empty
            parameters.append(inspect.Parameter(_safe(name), inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default))
        taken = {p.name for p in parameters}
        named = sorted(self.attrs, key=lambda a: a[2] is not None)
        for name, _, default, _ in named:
            if _safe(name) not in taken:
                value = inspect.Parameter.empty if default is None else _Shown(_python(default))
                parameters.append(inspect.Parameter(_safe(name), inspect.Parameter.KEYWORD_ONLY, default=value))
        return inspect.Signature(parameters)

    def describe(self):
        """The operator in words: what it computes, types of inputs and outputs, attributes with defaults and rules."""
        kinds = ("", " (optional)", " (a list)")
        lines = [self.summary or self.name, ""]
        lines += [f"{_safe(n)}{kinds[k]}: {t}" for n, k, t in self.inputs]
        lines += [f"{_safe(n)} = {_python(d) if d is not None else t}" + (f"  # {_rules(c)}" if c else "") for n, t, d, c in self.attrs]
        lines += ["Gives " + ", ".join(n + kinds[k] for n, k, _ in self.outputs) + "."]
        return "\n".join(lines)


class _Shown(str):
    __repr__ = str.__str__


def _python(default):
    """A default as Python writes it: [1, 1], False."""
    text = {"true": "True", "false": "False"}.get(default, default)
    return "[" + text[1:-1] + "]" if text.startswith("{") and text.endswith("}") else text


def _rules(check):
    """An attribute's check in words: "count 4;each min 1" is "4 numbers, each at least 1"."""
    words = ((r"^count (\d+)$", r"\1 numbers"), (r"^min (\S+)$", r"at least \1"), (r"^max (\S+)$", r"at most \1"),
             (r"^each min (\S+)$", r"each at least \1"), (r"^each max (\S+)$", r"each at most \1"))
    parts = [part.strip() for part in check.split(";")]
    for old, new in words:
        parts = [re.sub(old, new, part) for part in parts]
    return ", ".join(parts)


def _safe(name):
    import keyword

    return name + "_" if keyword.iskeyword(name) else name


def operators():
    """Names of all operators: weft's own and those made by weft.op."""
    return _environment().operators()


def prototype(name):
    """The Prototype of an operator, AscendIR's own included; weft.Error names the nearest names."""
    return Prototype(name, *_environment().prototype(name))


def check_operator(operator):
    """Runs the laws over an operator's examples, as `weft op test` does: examples hold, inference and compute agree, dims that are not
    known never contradict known ones. Gives the list of what is violated, in words."""
    if isinstance(operator, Operator) and not operator._examples:
        raise ValueError(f"operator '{operator.name}' has no examples: say them where it is made, "
                         '@weft.op(..., examples=["f32[2]{1,2} factor=3.0 -> f32[2]{3,6}"])')
    return _environment().laws(operator.name if isinstance(operator, Operator) else operator)[1]


class Node(NamedTuple):
    """A node of a graph. attrs are weft's, defaults included; Graph.set changes them."""

    name: str
    type: str
    inputs: list
    outputs: list
    attrs: dict


class Graph:
    """A graph under construction, or a model's (Model.graph, or weft.Graph.read).

        g = weft.Graph()
        x = g.input("x", "f32", ("n", 4))
        g.output(g.relu(x @ w + 1, name="y"))
        model = g.model()

    Every operator is a function: g.relu is Relu, g.conv2d is Conv2D, g.op("acme::Scale", x, factor=3.0) any by its name; help(g.relu)
    shows inputs, attributes, defaults. Inputs are Tensor, or arrays and numbers, which become constants. One output comes alone,
    several as a tuple. name= names the node and its output. A graph is one thread's while it is built."""

    def __init__(self, name="graph", *, _c=None):
        self._env = _environment()
        self._c = _c if _c is not None else _weft.Graph.create(self._env, name)
        self._n, self._inferred, self._n_nodes = 0, False, 0
        self._prototypes, self._functions = {}, None

    @classmethod
    def read(cls, source):
        """The graph of a model: a path, bytes, or a weft.Model."""
        env = _environment()
        if isinstance(source, Model):
            env, path, data = source._env, source._path, source._data
        else:
            path, data = (os.fspath(source), None) if isinstance(source, (str, os.PathLike)) else (None, bytes(source))
        g = cls(_c=_weft.Graph(env, path, data))
        g._n_nodes = len(g._c.nodes())
        for tensor in g.consts + g.inputs:
            g._named(tensor.name)
        for node in g._c.nodes():
            for value in node[3]:
                g._named(value[0])
        return g

    def _named(self, name):
        """Constants that get their names here have greater numbers than those that have such a name already."""
        found = re.fullmatch(r"const_(\d{1,9})", name)
        if found:
            self._n = max(self._n, int(found.group(1)))

    # ---- building ----
    def input(self, name, dtype="f32", shape=None):
        """An input. A dim is a number, a name ("batch", "2*n"), or None; shape None: not even the rank is known."""
        if shape is not None and (isinstance(shape, str) or not isinstance(shape, Iterable)):
            raise TypeError(f"the shape of input '{name}' is {shape!r}: a tuple of dims is wanted, (\"batch\", 4), or None")
        self._inferred = False
        self._named(name)
        return Tensor(self, self._c.add_input(name, type_name(dtype), None if shape is None else tuple(shape)))

    def const(self, value, dtype=None, name=None):
        """A constant of an array, a number or a list; without dtype the array's, of Python's numbers f32 and i64."""
        if dtype is None and not isinstance(value, (np.ndarray, np.generic)):
            value = np.asarray(value)
            value = value.astype({"f": np.float32}.get(value.dtype.kind, value.dtype))
        if name is None:
            self._n += 1
            name = f"const_{self._n}"
        self._named(name)
        if dtype is None:
            dtype = "str" if np.asarray(value).dtype.kind in "OUS" else np.asarray(value).dtype
        dtype = "str" if dtype == "str" else type_name(dtype)
        if dtype in NAMES and dtype != "str":
            value = np.asarray(value, dtype=NAMES[dtype])
        return Tensor(self, self._c.add_const(name, dtype, give(value, dtype, name)))

    def output(self, *values):
        """Marks values as outputs, in this order."""
        for value in values:
            self._c.add_output(self._own(value).name)

    def op(self, type, /, *inputs, name="", outputs=None, **attrs):
        """Adds a node: inputs in the order of the operator's ports (a list for one that takes any number, None for an optional one that
        is absent) or by the ports' names, attributes by theirs. outputs: how many an output port of any number has. Gives a Tensor, a tuple
        of several, or () where the operator has no output."""
        type = type.name if isinstance(type, Operator) else type
        if not isinstance(type, str):
            raise TypeError(f"an operator is given by its name or as weft.op made it, not as {type!r}")
        if outputs is not None and not (isinstance(outputs, int) and 0 < outputs <= 65536):
            raise ValueError(f"outputs={outputs!r}: how many, from 1 to 65536")
        p = self._prototype(type)
        values, attrs = self._bind(p, inputs, attrs)
        texts = {n: self._attr(p, n, v) for n, v in attrs.items() if v is not None}
        like = next((v for given in values for v in (given if isinstance(given, list) else [given]) if isinstance(v, Tensor)), None)
        names = tuple([self._tensor(v, like).name for v in given] if isinstance(given, list) else
                      None if given is None else self._tensor(given, like).name for given in values)
        counts = tuple((outputs or 1) if kind == 2 else 1 for _, kind, _ in p.outputs)
        node, values = self._c.add_node(type, name, names, texts, counts)
        self._named(name)
        self._inferred = False
        self._n_nodes += 1
        if self._n_nodes <= _EAGER:
            self._inferred_or_removed(node)
        made = [Tensor(self, n) for n in values]
        return made[0] if len(made) == 1 else tuple(made)

    def _prototype(self, type):
        if type not in self._prototypes:
            self._prototypes[type] = Prototype(type, *self._env.prototype(type))
        return self._prototypes[type]

    def _bind(self, p, inputs, named):
        ports = [(_safe(n), kind) for n, kind, _ in p.inputs]
        if len(inputs) > len(ports):
            raise TypeError(f"{p.name} takes {len(ports)} inputs ({', '.join(n for n, _ in ports)}), {len(inputs)} are given")
        values, named = [], dict(named)
        for i, (port, kind) in enumerate(ports):
            given = inputs[i] if i < len(inputs) else named.pop(port, None)
            if given is None and kind == 0:
                raise TypeError(f"{p.name}: input '{port}' is missing; it takes {p.signature}")
            if kind == 2:
                given = [] if given is None else list(given) if isinstance(given, (list, tuple)) else [given]
            values.append(given)
        known = {_safe(n): n for n, _, _, _ in p.attrs}
        for n in named:
            if n not in known:
                raise TypeError(f"{p.name} has neither an input nor an attribute '{n}'; it takes {p.signature}")
        for n, _, default, _ in p.attrs:
            if default is None and named.get(_safe(n)) is None:
                raise TypeError(f"{p.name}: attribute '{n}' is missing; it takes {p.signature}")
        return values, {known[n]: v for n, v in named.items()}

    def _attr(self, p, name, value):
        type = next(t for n, t, _, _ in p.attrs if n == name)
        if type == "Int" and (isinstance(value, (np.dtype, builtins_type)) or isinstance(value, str) and value in _BY_NAME):
            return str(_BY_NAME[type_name(value)])  # attributes like dst_type hold a type's number
        if type == "Type":
            return type_name(value)
        if type == "Float" and isinstance(value, (int, np.integer)) and not isinstance(value, bool):
            value = float(value)
        if type.startswith("List") and not isinstance(value, (list, tuple, np.ndarray)):
            value = [value]
        if type.startswith("List") and isinstance(value, np.ndarray):
            value = value.tolist()
        return attr_text(value)

    def _own(self, value):
        if not isinstance(value, Tensor):
            raise TypeError(f"{value!r} is no Tensor of a graph")
        if value.graph is not self:
            raise ValueError(f"'{value.name}' belongs to another graph")
        return value

    def _tensor(self, value, like=None):
        if isinstance(value, Tensor):
            return self._own(value)
        dtype = None
        if isinstance(value, (bool, int, float)) and like is not None:
            of = like.dtype
            if of in NAMES and not (isinstance(value, float) and NAMES[of].kind in "iub"):
                dtype = of
        return self.const(value, dtype)

    def _infer(self):
        if not self._inferred:
            self._c.infer({}, {})
            self._inferred = True

    def _inferred_or_removed(self, node):
        """A mistake is an error in the line that makes it, and the graph is as it was before."""
        try:
            self._infer()
        except BaseException:
            self._c.remove(node)
            self._n_nodes -= 1
            raise

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if self._functions is None:
            self._functions = {n.replace("::", "_").lower(): n for n in reversed(self._env.operators())}
        type = self._functions.get(name.replace("_", "").lower()) or self._functions.get(name.lower())
        if type is None:
            import difflib

            near = difflib.get_close_matches(name, [_snake(t) for t in self._functions.values() if "::" not in t], 3)
            meant = f"did you mean {' or '.join(near)}? " if near else ""
            raise AttributeError(f"no operator '{name}'; {meant}weft.operators() lists them, g.op(\"Name\", ...) adds any")
        p = self._prototype(type)

        def function(*inputs, **named):
            return self.op(type, *inputs, **named)

        function.__name__ = function.__qualname__ = name
        function.__doc__ = p.describe()
        function.__signature__ = p.signature
        return function

    def __dir__(self):
        return [*super().__dir__(), *(n for n in (_snake(n) for n in self._env.operators()) if n.isidentifier())]

    # ---- walking and changing ----
    @property
    def nodes(self):
        """All nodes, producers first."""
        self._infer()
        return [Node(n, t, [Tensor(self, i) if i else None for i in ins], [Tensor(self, o[0]) for o in outs], self._c.attrs(n))
                for n, t, ins, outs, _ in self._c.nodes()]

    @property
    def inputs(self):
        return [Tensor(self, v[0]) for v in self._c.inputs()]

    @property
    def outputs(self):
        return [Tensor(self, v[0]) for v in self._c.outputs()]

    @property
    def consts(self):
        return [Tensor(self, v[0]) for v in self._c.consts()]

    def __getitem__(self, name):
        """The value of this name."""
        self._c.value(name)
        return Tensor(self, name)

    def set(self, node, **attrs):
        """Changes attributes of a node, which is given by its name or as Node."""
        name = node.name if isinstance(node, Node) else node
        found = next((n for n in self.nodes if n.name == name), None)
        if found is None:
            raise Missing(f"the graph has no node '{name}'")
        p = self._prototype(found.type)
        for n in attrs:
            if n not in [a[0] for a in p.attrs]:
                raise TypeError(f"{p.name} has no attribute '{n}'; it takes {p.signature}")
        self._inferred = False
        self._c.set_attr(name, {n: self._attr(p, n, v) for n, v in attrs.items()})

    def replace(self, value, by):
        """Lets all nodes and outputs that read `value` read `by` instead."""
        self._inferred = False
        self._c.replace(self._own(value).name, self._own(by).name)

    def remove(self, node):
        """Removes a node whose outputs nobody reads."""
        self._inferred = False
        self._c.remove(node.name if isinstance(node, Node) else node)

    # ---- using ----
    def infer(self, **dims):
        """Infers all shapes; weft.Error says what does not fit."""
        self._c.infer(dims, {})
        self._inferred = not dims

    def to_bytes(self):
        """weft's binary form, which weft.load reads."""
        return self._c.to_bytes()

    def model(self, **settings):
        """A weft.Model of the graph as it is now; settings are those of weft.load."""
        self._infer()
        return Model(self.to_bytes(), **settings)

    def text(self, form="whole"):
        """The graph as weft's text (which weft.load reads), "json", "dot" or "table"."""
        return self._c.print(form)

    def save(self, path):
        """Writes the graph: .onnx; .txt, weft's text; .json, .dot; .weft, a compiled program; any other name weft's binary form.

        ONNX is that of operator set 21. What ONNX has no operator for is written in the domain "weft" (or, of "acme::Scale", "acme"), which
        weft reads back and other programs do not know."""
        path = os.fspath(path)
        end = os.path.splitext(path)[1].lower()
        if end == ".weft":
            self.model().save(path)
            return
        self._infer()
        forms = {".txt": "whole", ".json": "json", ".dot": "dot"}
        data = self._c.onnx() if end == ".onnx" else self.text(forms[end]).encode() if end in forms else self.to_bytes()
        with open(path, "wb") as f:
            f.write(data)

    def __repr__(self):
        return self._c.print("text").rstrip()

    def _repr_html_(self):
        rows = [[n.name, n.type, ", ".join(t.name if t is not None else "-" for t in n.inputs), "; ".join(str(o.value) for o in n.outputs)] for n in self.nodes]
        return Table(["node", "operator", "inputs", "outputs"], rows)._repr_html_()


def _snake(name):
    out = ""
    for i, c in enumerate(name):
        if c.isupper() and i and (name[i - 1].islower() or name[i - 1].isdigit() and i + 1 < len(name) and name[i + 1].islower() or
                                  name[i - 1].isupper() and i + 1 < len(name) and name[i + 1].islower()):
            out += "_"
        out += c.lower()
    return out


builtins_type = type
# SPDX-License-Identifier: Apache-2.0
