"""Wrong arguments to every public function and method, a fixed share of them from a fixed seed: whatever comes, the answer is a result or an
exception with words that help. WEFT_FUZZ_CALLS and WEFT_FUZZ_SEED change both; a crash of the process fails, too."""
import contextlib
import enum
import faulthandler
import inspect
import io
import os
import random
import tempfile
import threading
import traceback
import unittest
import warnings

import numpy as np

import weft
from weft import serve

CALLS = int(os.environ.get("WEFT_FUZZ_CALLS", "4000"))
SEED = int(os.environ.get("WEFT_FUZZ_SEED", "22"))
DOUBLE = b'graph "g" { input x: f32[n,3] const two: f32[]{2} node y: Mul(x, two) -> y output y }'
SUMS = b'graph "g" { input a: f32[n] input b: f32[n] node s: Add(a, b) -> s node d: Sub(a, b) -> d output s output d }'
TEXT = b'graph "g" { input s: str[n] node u: StringConcat(s, s) -> u output u }'
ITEMS = b'graph "g" { input s: seq(f32) input i: i64[] node t: SeqAt(s, i) -> t output t }'
STATE = b'graph "g" { const zero: f32[2]{0,0} input x: f32[2] node n: Variable(zero) -> n.y node c: AssignAdd(n.y, x) -> now output now }'

MADE = ("Binding", "Difference", "IOBinding", "ModelMetadata", "NodeArg", "Outputs", "State", "Table", "Tensor", "Value")  # by weft itself, never by a program
# Words of Python's that say where it fell over, not what was wrong with the argument.
UNHELPFUL = ("object has no attribute", "object is not subscriptable", "not iterable", "unhashable type", "bad argument type for built-in",
             "not supported between instances", "unsupported operand", "an integer is required", "cannot unpack", "not enough values to unpack",
             "too many values to unpack", "object of type", "list index out of range",
             "bad internal call", "returned NULL", "with an exception set")
REFUSALS = (weft.Error, TypeError, ValueError, KeyError, IndexError, AttributeError, BufferError, OverflowError, MemoryError, OSError,
            NotImplementedError, serve.Refused)


class Evil(Exception):
    """What an argument of the caller's own raises: it comes out as it is."""


class Raises:
    def _raise(self, *given, **named):
        raise Evil("of the argument's own")

    __array__ = __len__ = __iter__ = __getitem__ = __index__ = __float__ = __bool__ = __fspath__ = __eq__ = __dlpack__ = __buffer__ = _raise
    __dlpack_device__ = __str__ = __hash__ = __call__ = _raise

    def __repr__(self):
        return "Raises()"


class Lies:
    """Says that it has more items than it gives."""

    def __len__(self):
        return 5

    def __getitem__(self, i):
        if i > 1:
            raise IndexError(i)
        return i


class Array(np.ndarray):
    pass


def nothing(*given, **named):
    return None


def closed_file():
    f = io.BytesIO(DOUBLE)
    f.close()
    return f


def released():
    view = memoryview(b"abc")
    view.release()
    return view


def circle():
    items = []
    items.append(items)
    return items


def arrays():
    x = np.ones((2, 3), np.float32)
    frozen = x.copy()
    frozen.flags.writeable = False
    yield from (x, np.ones(4, np.float32), np.ones((2, 6), np.float32)[:, ::2], np.ones((3, 2), np.float32).T, frozen, x.view(Array))
    yield from (np.zeros((0, 3), np.float32), np.float32(3), np.ones((), np.int64), np.ones((2, 3)), np.ones((2, 3), ">f4"))
    yield from (np.ones((1,) * 20, np.float32), np.array(["a", "\udc80"]), np.array([None, "b", 3], object), np.array([b"a\xff"]))
    yield from (np.zeros(2, [("a", "f4"), ("b", "i2")]), np.zeros(3, "datetime64[s]"), np.ma.masked_array([1.0, 2.0], [0, 1]))
    yield from (np.broadcast_to(np.float32(1), (2, 3)), np.lib.stride_tricks.as_strided(np.ones(9, np.float32), (2, 3), (12, 4)))
    yield from (np.frombuffer(bytes(25), np.uint8)[1:].view(np.float32).reshape(2, 3), np.zeros((0, 2**40), np.float32), np.float16(1))
    yield from (np.recarray(2, dtype=[("x", "f4")]), np.longdouble(1), np.ones(2, np.complex64), np.array(["é"], object))


def values():
    """Things that people, and nobody, would give."""
    g = weft.Graph()
    made = g.input("x", "f32", ("n", 3))
    model = weft.load(DOUBLE)
    numbers = [None, True, False, 0, 1, -1, 2, 3, 64, 4097, 2**31, 2**32, 2**63 - 1, 2**63, 2**64, -2**63 - 1, 10**30, 0.5, -0.0,
               float("nan"), float("inf"), 1e300, 1j, np.int8(-3), np.uint64(2**64 - 1), np.bool_(True), np.float64(0.1)]
    texts = ["", "x", "y", "n", "a", "\udc80", "a\0b", "é", "x" * 5000, "f32", "bf16", "i4", "Mul", "Relu", "acme::X", "%s%n", "../..", "2*n", "-1",
             "float32", "tensor(float)", "json", "text", "g.txt", b"", b"\0", b"\xff" * 40, DOUBLE, DOUBLE[:50], b"PK\x03\x04", bytearray(DOUBLE)]
    groups = [[], (), {}, set(), [1], [1, 2], [[1], [2, 3]], [None], ["x"], ("x", "f32"), {"x": 1}, {"n": 4}, {"n": (1, 8)}, {"n": None},
              {"x": [2, 3]}, {"x": np.ones((2, 3), np.float32)}, {1: 2}, {None: None}, {"\udc80": 1}, {"x": "y"}, {"n": [8, 1]}, {"y": 2**70},
              {"a": np.ones(2, np.float32), "b": np.ones(2, np.float32)}, [np.ones((2, 3), np.float32)], circle(), range(3), frozenset((1, 2))]
    things = [object(), nothing, lambda: None, int, np.float32, np.dtype("int64"), Evil, io.BytesIO(DOUBLE), io.StringIO("graph"), closed_file(),
              memoryview(DOUBLE), released(), Raises(), Lies(), iter([1, 2]), (i for i in range(2)), model, g, made, model.inputs[0], weft, slice(1, 2),
              weft.Dim(-1, "?"), weft.Type("f32", (2, None)), weft.OrtValue.ortvalue_from_numpy(np.ones(2, np.float32)), Ellipsis, NotImplemented]
    return numbers, texts, groups, things, list(arrays())


def subjects():
    """name, function: every public function, and every public method of an object of each class."""
    for name in weft.__all__ + list(weft._ONNXRUNTIME):
        thing = getattr(weft, name)
        if not (isinstance(thing, type) and issubclass(thing, (Exception, enum.Enum)) or name in MADE):
            yield name, thing
    state, sums = weft.load(STATE), weft.load(SUMS)
    a, b = np.ones(2, np.float32), np.ones(2, np.float32)
    session = weft.InferenceSession(SUMS)
    x = weft.Graph().input("x", "f32", ("n", 3))
    tensors = [weft.load(s) for s in (DOUBLE, SUMS, TEXT, ITEMS)]
    objects = [*tensors, weft.load(tensors[0].to_bytes()), state, state.state, sums.bind(a, b), sums.run([a, b]), sums.infer(n=2), sums.inputs[0],
               sums.nodes[0], sums.graph, x.graph, x, sums.graph.nodes[0], weft.prototype("Mul"), weft.Type("f32", (2, None)), weft.Dim(-1, "?"),
               session, session.io_binding(), weft.OrtValue.ortvalue_from_numpy(a), weft.SessionOptions(), weft.RunOptions(), session.get_modelmeta()]
    for thing in objects:
        for name in dir(thing):
            own = any(name in vars(of) for of in type(thing).__mro__ if of.__module__.startswith("weft")) or isinstance(thing, weft.Graph)
            if own and name in ("__call__", "__getitem__", "__setitem__", "__contains__", "__eq__", "_repr_html_", "__add__", "__rsub__", "__matmul__",
                        "__floordiv__", "__mul__", "__pow__") or own and not name.startswith("_"):
                if callable(getattr(type(thing), name, None)) or name.startswith("__") or isinstance(thing, weft.Graph):
                    yield f"{type(thing).__name__}.{name}", getattr(thing, name)
                elif isinstance(getattr(type(thing), name, None), property):
                    yield f"{type(thing).__name__}.{name}", lambda thing=thing, name=name: getattr(thing, name)
    yield "serve.decode", lambda body=b"{}", header=None: serve.decode(str(body).encode(errors="replace"), None, sums.inputs)


class Caller:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.kinds = values()

    def value(self):
        return self.random.choice(self.random.choice(self.kinds))

    def arguments(self, function):
        """Some by position, some by the names that the function has."""
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            parameters = []
        given = [self.value() for _ in range(self.random.choice((0, 1, 1, 1, 2, 2, 3)))]
        names = [p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD) and p.name[0] != "_"] + ["x", "n", "axes"]
        if self.random.random() < 0.05:
            names.append("\udc80")
        named = {n: self.value() for n in self.random.sample(names, min(len(names), self.random.choice((0, 0, 0, 1, 1, 2))))}
        if list(parameters[:1]) and parameters[0].name == "source" and self.random.random() < 0.7:
            given[:1] = [DOUBLE]  # past the first check
            given = given[:1]
        return given, named


def of_weft(error):
    """Was it raised inside of the package, by Python itself?"""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return os.path.dirname(last.filename).endswith("weft")


def complaint(error):
    """What is wrong with this refusal; None: nothing."""
    if isinstance(error, Evil):
        return None
    text = str(error)
    if isinstance(error, weft.Error) and "in Python: Evil" in text:
        return None
    if not isinstance(error, REFUSALS) and type(error) is not RuntimeError:  # as ONNX Runtime's options raise
        return "is no refusal"
    if not text.strip() and not isinstance(error, MemoryError):
        return "has no words"
    if isinstance(error, weft.Error) and not error.code.startswith("E_"):
        return "has no code"
    if of_weft(error) and any(u in text for u in UNHELPFUL):
        return "does not help"
    return None


class Fuzz(unittest.TestCase):
    def test_wrong_arguments(self):
        faulthandler.enable()
        call, bad, calls = Caller(SEED), {}, {}
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            before_threads, threading.excepthook = threading.excepthook, lambda given: None  # callbacks of run_async that make no sense
            os.chdir(folder)
            try:
                listed = list(subjects())
                operators = [(n, f) for n, f in listed if n.startswith("Graph.") and n[6:] not in vars(weft.Graph)]
                others = [subject for subject in listed if subject not in operators]
                for n in range(CALLS):
                    name, function = call.random.choice(operators) if n % 3 == 0 else others[n % len(others)]
                    given, named = call.arguments(function)
                    if os.environ.get("WEFT_FUZZ_SHOW"):
                        os.write(2, f"{name} {given!r:.300} {named!r:.300}\n".encode(errors="replace"))
                    self.one(name, function, given, named, bad, calls)
            finally:
                os.chdir(before)
                threading.excepthook = before_threads
        self.assertGreater(len(calls), 200)
        self.assertEqual(weft.load(DOUBLE)(np.ones((1, 3), np.float32)).tolist(), [[2, 2, 2]])
        self.assertFalse(bad, "\n".join(f"{k}: {v}" for k, v in sorted(bad.items())))

    @staticmethod
    def one(name, function, given, named, bad, calls):
        calls[name] = calls.get(name, 0) + 1
        try:
            result = function(*given, **named)
            if hasattr(result, "__repr__") and not isinstance(result, Raises):
                repr(result)
        except Exception as error:
            wrong = complaint(error)
            if wrong:
                last = traceback.extract_tb(error.__traceback__)[-1]
                at = f"{os.path.basename(last.filename)}:{last.lineno}"
                bad.setdefault(f"{at} {type(error).__name__} {wrong}", f"{name}(*{given!r:.200}, **{named!r:.200}): {str(error)[:200]}")


if __name__ == "__main__":
    unittest.main()
# SPDX-License-Identifier: Apache-2.0
