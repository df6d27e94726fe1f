"""What models take, give and say of themselves: descriptions of tensors, outputs, tables, differences, states."""
from collections.abc import MutableMapping
from typing import NamedTuple

from . import _weft
from ._numpy import NAMES, ONNX, give_as, take


class Value(NamedTuple):
    """A tensor of a model: name, type ("f32"), what it is, shape and bounds.

    A dim is a number, the text of a symbol ("batch", "2*n"), or None where it is not known; the shape is None where not even the
    rank is. least and most are bounds of the dims, None where there are none."""

    name: str
    type: str
    kind: str
    shape: tuple | None
    least: tuple | None
    most: tuple | None

    @property
    def dtype(self):
        """numpy's type; None where it has none."""
        return NAMES.get(self.type)

    @property
    def onnx_type(self):
        """In ONNX Runtime's words: "tensor(float)", "seq(tensor(float))"."""
        tensor = ONNX.get(self.type, f"tensor({self.type})")
        return {"sequence": f"seq({tensor})", "optional": f"optional({tensor})"}.get(self.kind, tensor)

    def __str__(self):
        dims = "?" if self.shape is None else ",".join("?" if d is None else str(d) for d in self.shape)
        return f"{self.name}: {self.type}[{dims}]"


class ModelNode(NamedTuple):
    """A node as Model.nodes has it: inputs are names, outputs Value; multiply_adds of a run, -1 where sizes are open."""

    name: str
    type: str
    inputs: list
    outputs: list
    multiply_adds: int


class Table(list):
    """Rows that print as a table, in a notebook too."""

    def __init__(self, columns, rows):
        super().__init__(rows)
        self.columns = columns

    def __str__(self):
        cells = [self.columns] + [[str(c) for c in row] for row in self]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.columns))]
        return "\n".join("  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip() for row in cells)

    __repr__ = __str__

    def _repr_html_(self):
        def escape(text):
            return str(text).replace("&", "&amp;").replace("<", "&lt;")

        head = "".join(f"<th>{escape(c)}</th>" for c in self.columns)
        body = "".join("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>" for row in self)
        return f"<table><tr>{head}</tr>{body}</table>"


class Outputs(tuple):
    """The outputs of a run: by position, or by name."""

    names: tuple

    def __new__(cls, names, values):
        self = super().__new__(cls, values)
        self.names = names
        return self

    def __getitem__(self, key):
        if isinstance(key, str):
            if key not in self.names:
                raise _weft.Missing(f"no output '{key}'; there are {', '.join(self.names)}")
            key = self.names.index(key)
        return super().__getitem__(key)

    def __getnewargs__(self):  # for pickle and copy
        return self.names, tuple(self)

    def keys(self):
        return self.names

    def items(self):
        return zip(self.names, self)

    def __repr__(self):
        return "Outputs(" + ", ".join(f"{n}={v!r}" for n, v in self.items()) + ")"


class Difference:
    """What Model.bisect found. False where nothing differs; its text says which value, node, kernel and pass it is.

    differs; value, node, operator, kernel, source (the node's name in the model's file); max_error, got, want; by_passes, change, changes,
    pass_name, report: which change of the compiler's passes makes it; compared: values that were."""

    def __init__(self, found):
        self.pass_name = found.pop("pass")
        self.__dict__.update(found)

    def __bool__(self):
        return self.differs

    def __repr__(self):
        if not self.differs:
            return f"no difference in {self.compared} values"
        by = f"; by change {self.change} of {self.changes}, pass {self.pass_name}: {self.report}" if self.by_passes else ""
        return (f"value '{self.value}' of node '{self.node}' ({self.operator}, kernel {self.kernel}) differs: {self.text}; its inputs: "
                f"{self.inputs}{by}")


class State(MutableMapping):
    """What a model keeps from run to run, by name. Reading gives a copy; a name that is assigned holds the array from then on."""

    __slots__ = ("_program",)

    def __init__(self, program):
        self._program = program

    def _value(self, name):
        for v in self._program.states():
            if v[0] == name:
                return Value(*v)
        raise _weft.Missing(f"no state '{name}'; there are {', '.join(self)}" if len(self) else f"no state '{name}'; the model keeps none")

    def __getitem__(self, name):
        self._value(name)
        return take(self._program.state_read(name))

    def __setitem__(self, name, value):
        self._program.state_write(name, give_as(value, self._value(name)))

    def __delitem__(self, name):
        raise TypeError("a model's states are given by the model: reset() lets them begin again")

    def __iter__(self):
        return iter([v[0] for v in self._program.states()])

    def __len__(self):
        return len(self._program.states())

    def reset(self, name=None):
        """Lets one state, or all, hold again what it began with."""
        if name is not None:
            self._value(name)
        self._program.state_reset(name)

    def save(self, path):
        """Writes all states to a .safetensors file."""
        self._program.state_file(path, True)

    def load(self, path):
        """Takes all states from a .safetensors file; other tensors in it do not matter."""
        self._program.state_file(path, False)

    def __repr__(self):
        return "<weft.State " + ", ".join(str(Value(*v)) for v in self._program.states()) + ">"
# SPDX-License-Identifier: Apache-2.0
