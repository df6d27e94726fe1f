"""Operators written in Python: @weft.op."""
import functools
import inspect
import types
import typing

import numpy as np

from . import _weft
from ._numpy import CODES, NAMES, PACKED, RAW, give, take

_registered = {}
_generation = 0
_KINDS = {"": 0, "?": 1, "*": 2}
_ADD, _SUB, _MUL, _FLOORDIV, _CEILDIV, _, _MAX, _MIN = range(8)
_OF_NUMPY = {np.dtype(t): name for name, t in NAMES.items() if name != "str"}
_OF_NUMPY.update({t: name for t, name in ((NAMES.get(name), name) for name in RAW.values()) if t is not None})


class Dim:
    """A dim that is no number while a graph is built: a symbol ("batch"), a term of symbols ("2*n+1"), or unknown ("?").

    +, -, * and // with numbers and other dims, weft.Dim.max and weft.Dim.min give dims; `isinstance(dim, int)` tells whether a dim is
    known. When a model runs all dims are numbers. Valid during the call of `infer` that got it."""

    __slots__ = ("_handle", "_text")

    def __init__(self, handle, text):
        self._handle, self._text = handle, text

    def __str__(self):
        return self._text

    def __repr__(self):
        return f"Dim({self._text})"

    def __eq__(self, other):
        return self is other or isinstance(other, Dim) and self._handle == other._handle != -1

    def __hash__(self):
        return hash(self._handle)

    def __index__(self):
        raise TypeError(f"the dim '{self._text}' is not known while the graph is built; compute with it as it is, or return None for it")

    __int__ = __bool__ = __index__

    @staticmethod
    def _of(how, sign, a, b):
        for v in (a, b):
            if not isinstance(v, (int, np.integer, Dim)):
                return NotImplemented
        handles = [v._handle if isinstance(v, Dim) else int(v) for v in (a, b)]
        if all(h >= 0 for h in handles):
            return max(handles) if how == _MAX else min(handles)
        handle = _weft.dims(how, *handles)
        return handle if handle >= 0 else Dim(handle, "?" if handle == -1 else f"({a}{sign}{b})")

    def __add__(self, other):
        return Dim._of(_ADD, "+", self, other)

    def __radd__(self, other):
        return Dim._of(_ADD, "+", other, self)

    def __sub__(self, other):
        return Dim._of(_SUB, "-", self, other)

    def __rsub__(self, other):
        return Dim._of(_SUB, "-", other, self)

    def __mul__(self, other):
        return Dim._of(_MUL, "*", self, other)

    def __rmul__(self, other):
        return Dim._of(_MUL, "*", other, self)

    def __floordiv__(self, other):
        return NotImplemented if isinstance(other, Dim) else Dim._of(_FLOORDIV, "//", self, other)

    @staticmethod
    def max(a, b):
        """The larger of two dims."""
        return Dim._of(_MAX, " max ", a, b)

    @staticmethod
    def min(a, b):
        """The smaller of two dims."""
        return Dim._of(_MIN, " min ", a, b)


class Type:
    """Type and shape of a tensor, as `infer` gets and gives them.

    dtype: weft's name ("f32"); numpy's types are taken, too. shape: a tuple of numbers and weft.Dim; None where not even the rank is
    known. Type("f32", (2, None)): None is a dim that is not known."""

    __slots__ = ("dtype", "shape")

    def __init__(self, dtype, shape):
        self.dtype = type_name(dtype)
        if shape is not None and not isinstance(shape, (list, tuple)):
            raise TypeError(f"a shape is a tuple of dims, or None where not even the rank is known, not {shape!r}")
        self.shape = None if shape is None else tuple(shape)

    def like(self, *, dtype=None, shape=False):
        """The same with another dtype or shape."""
        return Type(self.dtype if dtype is None else dtype, self.shape if shape is False else shape)

    def __iter__(self):
        return iter((self.dtype, self.shape))

    def __repr__(self):
        return f"Type({self.dtype!r}, {self.shape!r})"

    def _given(self):
        if self.shape is None:
            return (self.dtype, None)
        dims = []
        for d in self.shape:
            if not (d is None or isinstance(d, (int, np.integer, Dim))):
                raise TypeError(f"a dim is a number, a weft.Dim or None, not {d!r}")
            if isinstance(d, (int, np.integer)) and d < 0:
                raise ValueError(f"a dim cannot be {d}; None is one that is not known")
            dims.append(-1 if d is None else d._handle if isinstance(d, Dim) else int(d))
        return (self.dtype, tuple(dims))


def type_name(dtype):
    """weft's name of a type that is given by that name, by numpy's, or as numpy's type."""
    if isinstance(dtype, str) and (dtype in NAMES or dtype in CODES or dtype in PACKED):
        return dtype
    try:
        found = _OF_NUMPY.get(np.dtype(dtype))
    except TypeError:
        found = None
    if found is None:
        raise TypeError(f"no type {dtype!r}; weft's are {', '.join([*NAMES, *(n for n in CODES if n not in NAMES), *PACKED])}")
    return found


def _described(value):
    if value is None:
        return None
    if isinstance(value, list):
        return [_described(v) for v in value]
    dtype, dims, names = value
    result = Type.__new__(Type)
    result.dtype = dtype
    result.shape = None if dims is None else tuple(d if d >= 0 else Dim(d, n) for d, n in zip(dims, names))
    return result


def _ports(spec, what):
    """("x", "bias?: f32", "rest*: f32|f16") as the C part takes them."""
    if isinstance(spec, str):
        spec = [part.strip() for part in spec.split(",")] if spec.strip() else []
    ports = []
    for text in spec:
        name, _, of = (part.strip() for part in text.partition(":"))
        kind = name[-1] if name and name[-1] in "?*" else ""
        name = name[:len(name) - len(kind)]
        if not name.isidentifier():
            several = f"; several have commas between them: '{', '.join(name.split())}'" if " " in name else ""
            raise ValueError(f"{what} '{text}' has no name: write 'x', 'x: f32|f16', 'x?' (optional) or 'x*' (any number){several}")
        ports.append((name, _KINDS[kind], "|".join(type_name(t.strip()) for t in of.split("|")) if of else ""))
    return tuple(ports)


_SCALARS = {bool: "Bool", int: "Int", float: "Float", str: "String", np.dtype: "Type", np.ndarray: "Tensor"}


def attr_text(value, deep=0):
    """An attribute's value in weft's text (docs/text-ir.md)."""
    if deep > 2:
        raise TypeError("an attribute is a value, a list or a list of lists: this one goes deeper")
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, str):
        import json

        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, np.ndarray):
        if value.size > 65536:
            raise ValueError(f"an attribute of {value.size} elements: make it a constant")
        flat = ",".join(attr_text(v) for v in value.reshape(-1).tolist())
        return f"{type_name(value.dtype)}[{','.join(map(str, value.shape))}]{{{flat}}}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(attr_text(v, deep + 1) for v in value) + "]"
    if isinstance(value, (np.dtype, type)):
        return type_name(value)
    raise TypeError(f"no attribute can be {value!r}")


def _attr(name, given):
    """(name, type, default or None, check or None): given is a default, or a type where there is none."""
    if given in _SCALARS if isinstance(given, type) else False:
        return (name, _SCALARS[given], None, None)
    if isinstance(given, types.GenericAlias) and typing.get_origin(given) is list:
        return (name, "List" + _SCALARS[typing.get_args(given)[0]], None, None)
    if isinstance(given, (list, tuple)):
        if not given:
            raise TypeError(f"attribute '{name}': an empty list does not say of what; write list[int]")
        return (name, "List" + _SCALARS[type(given[0])], attr_text(list(given)), None)
    for of in (bool, int, float, str):
        if isinstance(given, of):
            return (name, _SCALARS[of], attr_text(given), None)
    raise TypeError(f"attribute '{name}': {given!r} is neither a default (1.0, \"mean\", [1, 2]) nor a type (float, list[int])")


class Operator:
    """An operator of this process, made by weft.op. Calling it runs `compute` on arrays."""

    def __init__(self, name, inputs, outputs, attrs, examples, pure, compute, infer=None, bound=None):
        if not all(part.isidentifier() for part in name.replace(".", "::").split("::")):
            raise ValueError(f"'{name}' is no name of an operator: 'Scale' or 'acme::Scale' is")
        if name in _own_names():
            raise ValueError(f"'{name}' is an operator already, which all models would lose: call yours 'mine::{name}'")
        self.name = name
        self._inputs, self._outputs = _ports(inputs, "input"), _ports(outputs, "output")
        self._attrs = tuple(_attr(n, g) for n, g in (attrs or {}).items())
        self._examples, self._pure = tuple(examples), pure
        self._compute, self._infer, self._bound = compute, infer, bound
        self.__doc__ = compute.__doc__
        self._made = None
        self._check_signature()

    def _check_signature(self):
        """compute is called with the inputs by position and the attributes by name."""
        named = [n for n, _, _, _ in self._attrs] + ["n_outputs"] * any(kind == 2 for _, kind, _ in self._outputs)
        for what, function in (("compute", self._compute), ("infer", self._infer), ("bound", self._bound)):
            try:
                signature = inspect.signature(function) if function is not None else None
            except ValueError:  # of a function in C
                continue
            try:
                if signature is not None:
                    signature.bind(*self._inputs, **dict.fromkeys(named))
            except TypeError as e:
                raise TypeError(f"operator '{self.name}': {what}{signature} cannot be called with {len(self._inputs)} inputs "
                                f"({', '.join(n for n, _, _ in self._inputs)}) by position and the attributes ({', '.join(named) or 'none'}) by "
                                f"name: {e}") from None

    def infer(self, function):
        """Decorates the function that gives a weft.Type for each output, of those of the inputs and the attributes."""
        self._infer = function
        self._check_signature()
        return self._changed()

    def bound(self, function):
        """Decorates the function that gives the largest outputs there can be, where only the data decide their shapes: infer gives
        None for such dims."""
        self._bound = function
        self._check_signature()
        return self._changed()

    def _changed(self):
        self._made = None
        _register(self)
        return self

    def __call__(self, *arrays, **attrs):
        return self._compute(*arrays, **attrs)

    def __repr__(self):
        return f"<weft operator {self.name}>"

    # ---- what the C part calls ----
    def _counted(self, attrs, n_out):
        return {**attrs, "n_outputs": n_out} if any(kind == 2 for _, kind, _ in self._outputs) else attrs

    def _flat(self, values, n_out, what):
        values = list(values) if isinstance(values, (list, tuple)) else [values]
        if any(kind == 2 for _, kind, _ in self._outputs) and any(isinstance(v, (list, tuple)) for v in values):
            values = [item for v in values for item in (v if isinstance(v, (list, tuple)) else [v])]
        if len(values) != n_out:
            raise TypeError(f"{what} gave {len(values)} values for {n_out} outputs")
        return values

    def _call_infer(self, inputs, attrs, n_out, function=None):
        found = [_described(v) for v in inputs]
        function = function or self._infer
        if function is None:
            first = next((v for v in found if isinstance(v, Type)), None)
            if first is None:
                raise TypeError(f"operator '{self.name}' has no infer, and no first input to describe its outputs by")
            values = [first] * n_out
        else:
            values = function(*found, **self._counted(attrs, n_out))
            values = self._flat([values] if isinstance(values, Type) else values, n_out, "infer")
        return tuple((v if isinstance(v, Type) else Type(*v))._given() for v in values)

    def _call_bound(self, inputs, attrs, n_out):
        return self._call_infer(inputs, attrs, n_out, self._bound)

    def _call_compute(self, inputs, attrs, wanted):
        arrays = [[take(v) for v in given] if isinstance(given, list) else take(given) for given in inputs]
        values = self._compute(*arrays, **self._counted(attrs, len(wanted)))
        values = self._flat([values] if isinstance(values, np.ndarray) else values, len(wanted), "compute")
        return tuple(None if dtype == "" else self._output(v, dtype) for v, dtype in zip(values, wanted))

    def _output(self, value, dtype):
        if value is None:
            raise TypeError("compute gave None for an output: it returns an array for each")
        array = np.asarray(value)
        if dtype == "undefined":
            dtype = type_name(array.dtype)
        elif dtype in NAMES and array.dtype != NAMES[dtype]:
            raise TypeError(f"compute gave {array.dtype}, infer said {dtype}: array.astype('{NAMES[dtype]}') makes it so")
        return give(array, dtype, f"of {self.name}")

    def _c(self):
        if self._made is None:
            outer = self

            # The C part keeps these functions: they must not keep the operator's own object in a cycle that nobody sees.
            self._made = _weft.Operator(self.name, (self.__doc__ or "").strip().split("\n")[0], self._inputs, self._outputs, self._attrs,
                                        self._examples, self._pure, outer._call_infer, outer._call_compute,
                                        outer._call_bound if self._bound else None)
        return self._made


@functools.cache
def _own_names():
    return frozenset(_weft.Env(0, None, 0, 0.0, False, (), False).operators())


def _register(operator):
    global _generation
    _registered[operator.name] = operator
    _generation += 1


def generation():
    """Changes whenever an operator is registered: environments made before do not know it."""
    return _generation


def made():
    """The operators of this process for a new environment."""
    return tuple(o._c() for o in _registered.values())


def _parts(target):
    """The functions of a class; where one has `self`, they are an object's, made without arguments."""
    parts = {k: getattr(target, k, None) for k in ("compute", "infer", "bound")}
    written = [inspect.signature(f).parameters for f in parts.values() if inspect.isfunction(f)]
    if any(next(iter(p), None) == "self" for p in written):
        owner = target()
        parts = {k: f and (getattr(owner, k) if next(iter(inspect.signature(f).parameters), None) == "self" else f) for k, f in parts.items()}
    return parts


def op(name, *, inputs, outputs, attrs=None, examples=(), pure=True):
    """Makes an operator of a function of arrays, or of a class with functions `compute`, `infer` and `bound`.

        @weft.op("acme::Scale", inputs="x", outputs="y", attrs={"factor": 2.0})
        def scale(x, factor):
            return x * np.float32(factor)

        @scale.infer
        def _(x, factor):
            return x                      # a weft.Type

    Models loaded afterwards find it: ONNX nodes of the domain "acme" (or, without "acme::", of any domain but ONNX's), weft's text, and
    weft.Graph. inputs and outputs: "x, bias?, rest*" or a list, with types where only some are taken: "x: f32|f16"; an optional input
    that is absent is None, "rest*" is a list. attrs: a default each, or a type (float, list[int]) where it must be given.
    compute gets arrays, which are its own, and the attributes by name; it gives an array for each output. infer gets and gives weft.Type;
    without it the outputs are described as the first input. It is called while graphs are built, where dims may be weft.Dim, and again
    with the shapes of a run. What compute gives is compared with it. bound: see Operator.bound. pure=False: two runs may differ, or do
    something else. examples: lines that weft.check_operator runs, "f32[2]{1,2} factor=3.0 -> f32[2]{3,6}".
    A class may have methods with self: they are of an object that is made once, without arguments.
    Any thread may call both. An exception comes out of the call that ran the model as the cause of a weft.Error."""

    def decorate(target):
        if isinstance(target, type):
            parts = _parts(target)
            if parts["compute"] is None:
                raise TypeError(f"class {target.__name__} has no function compute")
            operator = Operator(name, inputs, outputs, attrs, examples, pure, parts["compute"], parts["infer"], parts["bound"])
            operator.__doc__ = target.__doc__
        else:
            operator = Operator(name, inputs, outputs, attrs, examples, pure, target)
        operator._c()  # what is wrong with it is said here
        _register(operator)
        return operator

    return decorate
# SPDX-License-Identifier: Apache-2.0
