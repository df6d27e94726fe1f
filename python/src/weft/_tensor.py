"""A value of a graph that is being built, with numpy's signs and the methods that arrays have."""
import numpy as np

from ._values import Value
from ._numpy import Error, take
from ._operators import type_name

# numpy's functions of tensors: np.exp(x) is g.exp(x).
_UFUNCS = {"absolute": "Abs", "add": "Add", "arccos": "Acos", "arcsin": "Asin", "arctan": "Atan", "arctan2": "Atan2", "ceil": "Ceil",
           "cos": "Cos", "cosh": "Cosh", "divide": "RealDiv", "equal": "Equal", "exp": "Exp", "expm1": "Expm1", "fabs": "Abs", "floor": "Floor",
           "floor_divide": "FloorDiv", "greater": "Greater", "greater_equal": "GreaterEqual", "isfinite": "IsFinite", "isinf": "IsInf",
           "isnan": "IsNan", "less": "Less", "less_equal": "LessEqual", "log": "Log", "log1p": "Log1p", "logical_and": "LogicalAnd",
           "logical_not": "LogicalNot", "logical_or": "LogicalOr", "matmul": "BatchMatMulV2", "maximum": "Maximum", "minimum": "Minimum",
           "multiply": "Mul", "negative": "Neg", "not_equal": "NotEqual", "power": "Pow", "reciprocal": "Reciprocal", "remainder": "FloorMod",
           "rint": "Rint", "sign": "Sign", "sin": "Sin", "sinh": "Sinh", "sqrt": "Sqrt", "square": "Square", "subtract": "Sub", "tan": "Tan",
           "tanh": "Tanh"}


def _axes(tensor, axis):
    if axis is not None:
        axes = list(axis) if isinstance(axis, (list, tuple, np.ndarray)) else [axis]
        if not all(isinstance(a, (int, np.integer)) for a in axes):
            raise TypeError(f"axis={axis!r}: a number, or a list of numbers, of axes of '{tensor.name}'")
        return np.asarray(axes, np.int64)
    if tensor.shape is None:
        raise TypeError(f"the rank of '{tensor.name}' is not known: say which axes")
    return np.arange(len(tensor.shape), dtype=np.int64)


class Tensor:
    """A value of a graph that is being built. name, dtype, shape; +, -, *, /, //, %, @, **, comparisons, x[1:, ..., None], numpy's
    functions (np.exp(x)) and the methods below add nodes."""

    __slots__ = ("graph", "name")

    def __init__(self, graph, name):
        self.graph, self.name = graph, name

    @property
    def value(self):
        """The weft.Value: what inference knows of it."""
        self.graph._infer()
        return Value(*self.graph._c.value(self.name))

    @property
    def dtype(self):
        return self.value.type

    @property
    def shape(self):
        return self.value.shape

    @property
    def ndim(self):
        shape = self.shape
        if shape is None:
            raise TypeError(f"the rank of '{self.name}' is not known")
        return len(shape)

    def numpy(self):
        """A constant's data, or what inference found to be constant; None where nothing is known."""
        self.graph._infer()
        found = self.graph._c.data(self.name)
        return None if found is None else take(found)

    def __repr__(self):
        try:
            return f"Tensor({self.value})"
        except Error:  # somewhere the graph does not fit: who prints a value is told elsewhere
            return f"Tensor({self.name})"

    # ---- one tensor from another ----
    def reshape(self, *shape):
        """The same elements in another shape; -1 once: what is left."""
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        return self.graph.op("Reshape", self, shape if isinstance(shape, Tensor) else np.asarray(shape, np.int64))

    def transpose(self, *axes):
        """Axes in another order; without it the reverse."""
        axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        return self.graph.op("Transpose", self, np.asarray(axes or range(self.ndim)[::-1], np.int64))

    @property
    def T(self):
        return self.transpose()

    def astype(self, dtype):
        """Another type, as the operator Cast converts."""
        return self.graph.op("Cast", self, dst_type=type_name(dtype))

    def sum(self, axis=None, keepdims=False):
        return self.graph.op("ReduceSum", self, _axes(self, axis), keep_dims=keepdims)

    def mean(self, axis=None, keepdims=False):
        return self.graph.op("ReduceMean", self, _axes(self, axis), keep_dims=keepdims)

    def max(self, axis=None, keepdims=False):
        return self.graph.op("ReduceMax", self, _axes(self, axis), keep_dims=keepdims)

    def min(self, axis=None, keepdims=False):
        return self.graph.op("ReduceMin", self, _axes(self, axis), keep_dims=keepdims)

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        begin, end, step = (np.zeros(len(key), np.int64), np.zeros(len(key), np.int64), np.ones(len(key), np.int64))
        masks = {"begin_mask": 0, "end_mask": 0, "ellipsis_mask": 0, "new_axis_mask": 0, "shrink_axis_mask": 0}
        for i, k in enumerate(key):
            if isinstance(k, slice):
                masks["begin_mask"] |= (k.start is None) << i
                masks["end_mask"] |= (k.stop is None) << i
                begin[i], end[i], step[i] = k.start or 0, k.stop or 0, 1 if k.step is None else k.step
            elif isinstance(k, (int, np.integer)) and not isinstance(k, bool):
                masks["shrink_axis_mask"] |= 1 << i
                begin[i], end[i] = k, k + 1
            elif k is None or k is Ellipsis:
                masks["new_axis_mask" if k is None else "ellipsis_mask"] |= 1 << i
            else:
                raise TypeError(f"'{self.name}' is indexed by numbers, slices, None and ... only, not {k!r}; g.gather_v2(x, indices, axis) takes "
                                f"elements by indices")
        return self.graph.op("StridedSlice", self, begin, end, step, **masks)

    def __iter__(self):
        raise TypeError(f"'{self.name}' cannot be walked through while the graph is built: x[0], x[1] are its parts")

    def __len__(self):
        shape = self.shape
        if not shape or not isinstance(shape[0], int):
            raise TypeError(f"{self.value} has no length while the graph is built")
        return shape[0]

    # ---- signs ----
    def _binary(self, type, other, swap=False):
        if not isinstance(other, (Tensor, np.ndarray, np.generic, bool, int, float, list, tuple)):
            return NotImplemented
        other = self.graph._tensor(other, self)
        return self.graph.op(type, *((other, self) if swap else (self, other)))

    def __array__(self, dtype=None, copy=None):
        raise TypeError(f"'{self.name}' has no elements while the graph is built: it cannot become an array")

    def __array_ufunc__(self, function, method, *inputs, **more):
        type = _UFUNCS.get(function.__name__)
        if type is None or method != "__call__" or more:
            raise TypeError(f"'{self.name}' has no elements while the graph is built: np.{function.__name__} cannot be called with it; g.op(...) "
                            f"adds an operator")
        return self.graph.op(type, *(v if isinstance(v, Tensor) else self.graph._tensor(v, self) for v in inputs))

    def __add__(self, other):
        return self._binary("Add", other)

    def __radd__(self, other):
        return self._binary("Add", other, True)

    def __sub__(self, other):
        return self._binary("Sub", other)

    def __rsub__(self, other):
        return self._binary("Sub", other, True)

    def __mul__(self, other):
        return self._binary("Mul", other)

    def __rmul__(self, other):
        return self._binary("Mul", other, True)

    def __truediv__(self, other):
        return self._binary("RealDiv", other)

    def __rtruediv__(self, other):
        return self._binary("RealDiv", other, True)

    def __floordiv__(self, other):
        return self._binary("FloorDiv", other)

    def __rfloordiv__(self, other):
        return self._binary("FloorDiv", other, True)

    def __mod__(self, other):
        return self._binary("FloorMod", other)

    def __rmod__(self, other):
        return self._binary("FloorMod", other, True)

    def __pow__(self, other):
        return self._binary("Pow", other)

    def __rpow__(self, other):
        return self._binary("Pow", other, True)

    def __matmul__(self, other):
        return self._binary("BatchMatMulV2", other)

    def __rmatmul__(self, other):
        return self._binary("BatchMatMulV2", other, True)

    def __lt__(self, other):
        return self._binary("Less", other)

    def __le__(self, other):
        return self._binary("LessEqual", other)

    def __gt__(self, other):
        return self._binary("Greater", other)

    def __ge__(self, other):
        return self._binary("GreaterEqual", other)

    def __eq__(self, other):
        """Is it the same value of the same graph? g.equal(x, y) compares elements."""
        if isinstance(other, (int, float, np.ndarray, np.generic)):
            raise TypeError(f"'{self.name}' has no elements while the graph is built: g.equal(x, {other!r}) adds the comparison")
        return isinstance(other, Tensor) and self.graph is other.graph and self.name == other.name

    def __hash__(self):
        return hash((id(self.graph), self.name))

    def __neg__(self):
        return self.graph.op("Neg", self)

    def __abs__(self):
        return self.graph.op("Abs", self)

    def __bool__(self):
        raise TypeError(f"'{self.name}' has no value while the graph is built")

# SPDX-License-Identifier: Apache-2.0
