"""What weft's types are in numpy, and how arrays go in and come out."""
import sys

import numpy as np

from . import _weft

version = _weft.version
Error = _weft.Error
Error.__module__ = "weft"
Error.text = property(lambda e: e.args[0] if e.args else "", doc="What is wrong and what to do, in words.")
Error.code = property(lambda e: e.args[1] if len(e.args) > 1 else "", doc='The kind of error, as "E_SHAPE".')
Error.__str__ = lambda e: e.text

# Numbers are those of AscendIR's types (weft/dtype.h).
TYPES = {0: np.dtype("float32"), 1: np.dtype("float16"), 2: np.dtype("int8"), 3: np.dtype("int32"), 4: np.dtype("uint8"),
         6: np.dtype("int16"), 7: np.dtype("uint16"), 8: np.dtype("uint32"), 9: np.dtype("int64"), 10: np.dtype("uint64"),
         11: np.dtype("float64"), 12: np.dtype("bool"), 16: np.dtype("complex64"), 17: np.dtype("complex128"),
         27: np.dtype("uint16"), 34: np.dtype("uint8"), 35: np.dtype("uint8"), 36: np.dtype("uint8"), 37: np.dtype("uint8"), 61: np.dtype("uint8"), 62: np.dtype("uint8")}
# Below a byte: name -> (number, bits, signed). Arrays of them are bytes with an element each.
PACKED = {"i4": (29, 4, True), "u4": (63, 4, False), "i2": (31, 2, True), "u2": (32, 2, False), "u1": (30, 1, False),
          "f4e2m1": (40, 4, False), "f4e1m2": (41, 4, False)}
for _number, _, _ in PACKED.values():
    TYPES[_number] = np.dtype("uint8")
# The same by weft's short names, and those of ml_dtypes, whose arrays have no buffer of their own.
NAMES = {"f32": np.dtype("float32"), "f64": np.dtype("float64"), "f16": np.dtype("float16"), "i8": np.dtype("int8"),
         "i16": np.dtype("int16"), "i32": np.dtype("int32"), "i64": np.dtype("int64"), "u8": np.dtype("uint8"),
         "u16": np.dtype("uint16"), "u32": np.dtype("uint32"), "u64": np.dtype("uint64"), "bool": np.dtype("bool"),
         "c64": np.dtype("complex64"), "c128": np.dtype("complex128"), "str": np.dtype("object")}
RAW = {"bfloat16": "bf16", "float8_e5m2": "f8e5m2", "float8_e4m3fn": "f8e4m3fn", "float8_e4m3fnuz": "f8e4m3fnuz",
       "float8_e5m2fnuz": "f8e5m2fnuz", "float8_e8m0fnu": "f8e8m0"}
# Types that numpy may lack: an array of unsigned numbers is taken for their codes.
CODES = {"bf16": np.dtype("uint16"), "f8e5m2": np.dtype("uint8"), "f8e4m3fn": np.dtype("uint8"), "f8e8m0": np.dtype("uint8"),
         "f8e4m3fnuz": np.dtype("uint8"), "f8e5m2fnuz": np.dtype("uint8")}
ONNX = {"f32": "tensor(float)", "f64": "tensor(double)", "f16": "tensor(float16)", "bf16": "tensor(bfloat16)",
        "i8": "tensor(int8)", "i16": "tensor(int16)", "i32": "tensor(int32)", "i64": "tensor(int64)", "u8": "tensor(uint8)",
        "u16": "tensor(uint16)", "u32": "tensor(uint32)", "u64": "tensor(uint64)", "bool": "tensor(bool)",
        "str": "tensor(string)", "c64": "tensor(complex64)", "c128": "tensor(complex128)"}

try:  # bfloat16 and float8 as numpy knows them, where the package is there
    import ml_dtypes

    TYPES[27] = np.dtype(ml_dtypes.bfloat16)
    TYPES[35] = np.dtype(ml_dtypes.float8_e5m2)
    TYPES[36] = np.dtype(ml_dtypes.float8_e4m3fn)
    NAMES["bf16"] = TYPES[27]
    NAMES["f8e5m2"], NAMES["f8e4m3fn"] = TYPES[35], TYPES[36]
    for _number, _name, _of in ((61, "f8e5m2fnuz", "float8_e5m2fnuz"), (62, "f8e4m3fnuz", "float8_e4m3fnuz"), (37, "f8e8m0", "float8_e8m0fnu")):
        if hasattr(ml_dtypes, _of):
            NAMES[_name] = TYPES[_number] = np.dtype(getattr(ml_dtypes, _of))
except ImportError:
    pass


def _interface():
    """numpy's C interface; None where it has another place."""
    for place in ("numpy._core._multiarray_umath", "numpy.core._multiarray_umath"):
        if place in sys.modules:
            return getattr(sys.modules[place], "_ARRAY_API", None)
    return None


def read_fields(yes=True):
    """Reads arrays by their fields, where a sample shows that these lie where they are looked for; else by the buffer protocol. Gives
    which it is."""
    sample = np.zeros((2, 3), np.float32)
    address = sample.__array_interface__["data"][0] if yes else 0
    return _weft.set_numpy(np.ndarray, TYPES, sample, address, _interface() if yes else None)


read_fields()


# Types of PyTorch that its tensors do not give to numpy, by weft's names.
_TORCH = {"torch.bfloat16": "bf16", "torch.float8_e5m2": "f8e5m2", "torch.float8_e4m3fn": "f8e4m3fn", "torch.float8_e4m3fnuz": "f8e4m3fnuz",
          "torch.float8_e5m2fnuz": "f8e5m2fnuz", "torch.float8_e8m0fnu": "f8e8m0"}


def _of_torch(value):
    """A tensor of PyTorch's, on the CPU, as the array whose memory it is."""
    import torch

    value = value.detach()
    name = _TORCH.get(str(value.dtype))
    if name is None:
        return value.numpy()
    codes = value.contiguous().view(torch.int16 if value.element_size() == 2 else torch.uint8).numpy()
    return ("raw", name, codes.view(np.uint16 if value.element_size() == 2 else np.uint8))


def _of_text(array):
    flat = [item if isinstance(item, (str, bytes)) else str(item) for item in array.reshape(-1).tolist()]
    return ("strings", array.shape, flat)


def _of_codes(value, dtype, name):
    array = np.asarray(value)
    shape = array.shape
    array = np.ascontiguousarray(array).reshape(shape)
    if dtype in PACKED:
        if array.itemsize != 1:
            raise TypeError(f"input '{name}' is {array.dtype}, the model takes {dtype}: an array of int8 or uint8 with an element each")
        return ("raw", dtype, pack(array, dtype), shape)
    if array.itemsize != CODES[dtype].itemsize or array.dtype.name not in RAW and array.dtype.kind not in "uV":
        raise TypeError(f"input '{name}' is {array.dtype}, the model takes {dtype}: an array of ml_dtypes, or its codes as "
                        f"{CODES[dtype]}")
    return ("raw", dtype, array.view(CODES[dtype]))


def pack(array, dtype):
    """Bytes with several elements each, the first in the lowest bits."""
    _, bits, _ = PACKED[dtype]
    each = 8 // bits
    codes = array.reshape(-1).view(np.uint8) & ((1 << bits) - 1)
    codes = np.concatenate([codes, np.zeros(-len(codes) % each, np.uint8)]).reshape(-1, each)
    return np.bitwise_or.reduce(codes << (bits * np.arange(each, dtype=np.uint8)), axis=1).astype(np.uint8)


def unpack(data, dtype, shape):
    """The other way round: an array of this shape, of int8 or uint8."""
    _, bits, signed = PACKED[dtype]
    each = 8 // bits
    codes = (data[:, None] >> (bits * np.arange(each, dtype=np.uint8))) & ((1 << bits) - 1)
    codes = codes.reshape(-1)[:int(np.prod(shape, dtype=np.int64))].reshape(shape)
    if not signed:
        return codes
    return ((codes.astype(np.int8) ^ (1 << (bits - 1))) - (1 << (bits - 1))).astype(np.int8)


def give_as(value, port):
    """The same for sequences (lists) and optionals (a value or None), whose items are given each."""
    if port.kind == "tensor":
        return give(value, port.type, port.name)
    if port.kind == "sequence" or port.kind == "optional sequence" and value is not None:
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"input '{port.name}' is a {type(value).__name__}, the model takes a sequence: a list of arrays")
        return [give(item, port.type, port.name) for item in value]
    return None if value is None else give(value, port.type, port.name)


def give(value, dtype, name):
    """A value of the caller's as the C part takes it: an array in C order that it reads where it lies."""
    if dtype in CODES or dtype in PACKED:
        if type(value).__module__ == "torch" and str(value.dtype) in _TORCH:
            return _of_torch(value)
        return _of_codes(value, dtype, name)
    if type(value) is np.ndarray and value.flags.c_contiguous and value.dtype.kind in "fiub" and value.dtype.isnative \
            and value.dtype.type is not RAW_TYPE:
        return value
    if dtype == "str":
        return _of_text(np.asarray(value, dtype=object))
    if not isinstance(value, np.ndarray):
        device = value.__dlpack_device__() if hasattr(value, "__dlpack_device__") else (1, 0)
        if device[0] not in (1, 3):  # 3: of the host, pinned for a device
            where = {2: "a CUDA device", 8: "a Metal device", 10: "a ROCm device"}.get(int(device[0]), f"a device (DLPack's number {int(device[0])})")
            raise TypeError(f"input '{name}' lies on {where}, weft runs on the CPU: copy it to the CPU first, as x.cpu() and jax.device_get(x) do")
        if type(value).__module__ == "torch" and str(value.layout) == "torch.strided" and not value.is_conj():
            value = _of_torch(value)
            if type(value) is tuple:
                return value
        elif hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
            value = np.from_dlpack(value)
        elif isinstance(value, (bool, int, float, list, tuple)):
            value = np.asarray(value, dtype=NAMES.get(dtype))  # no type of its own: the model's
        else:
            value = np.asarray(value)
    if value.dtype.kind in "OUST" and dtype != "str":
        what = "None" if value.shape == () and value[()] is None else "an array of text or objects"
        raise TypeError(f"input '{name}' is {what}, the model takes {dtype}")
    if not value.dtype.isnative:
        value = value.astype(value.dtype.newbyteorder("="))
    shape = value.shape
    value = np.ascontiguousarray(value).reshape(shape)  # which makes a vector of a scalar
    raw = RAW.get(value.dtype.name)
    if raw:
        return ("raw", raw, value.view(np.uint16 if value.itemsize == 2 else np.uint8))
    return value


RAW_TYPE = TYPES[27].type if TYPES[27].name == "bfloat16" else None


def take(value):
    """What the C part gave, as the caller gets it."""
    if type(value) is tuple:
        kind, first, second = value
        if kind == "strings":
            array = np.empty(len(second), dtype=object)
            array[:] = second
            return array.reshape(first)
        if kind in PACKED:
            return unpack(second, kind, first)
        keys = [k for k in (take(first) if type(first) is tuple else first).tolist()]
        values = second
        if values.ndim == 1:
            return dict(zip(keys, values.tolist()))
        return [dict(zip(keys, row)) for row in values.tolist()]
    if type(value) is list:
        return [take(item) for item in value]
    return value
# SPDX-License-Identifier: Apache-2.0
