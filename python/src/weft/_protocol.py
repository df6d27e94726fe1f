"""The Open Inference Protocol's requests and answers: bytes to arrays and back. All that a request says is checked before it decides a size."""
import json
import struct
import zlib

import numpy as np

DATATYPES = {"bool": "BOOL", "u8": "UINT8", "u16": "UINT16", "u32": "UINT32", "u64": "UINT64", "i8": "INT8", "i16": "INT16", "i32": "INT32",
             "i64": "INT64", "f16": "FP16", "f32": "FP32", "f64": "FP64", "bf16": "BF16", "str": "BYTES"}
_NUMPY = {"BOOL": "bool", "UINT8": "u1", "UINT16": "<u2", "UINT32": "<u4", "UINT64": "<u8", "INT8": "i1", "INT16": "<i2", "INT32": "<i4",
          "INT64": "<i8", "FP16": "<f2", "FP32": "<f4", "FP64": "<f8", "BF16": "<u2"}
LONG = 16384  # bytes of text from which on another process reads it (weft._scribe)
MOST_TEXTS = 1 << 20  # elements of a tensor of text, each of them an object of Python's


class Refused(Exception):
    """A request that is answered with an error: status and sentence."""

    def __init__(self, status, text):
        super().__init__(status, text)
        self.status = status

    def __str__(self):
        return self.args[1]


def unpack(body, how, most):
    """A body that was packed on the way."""
    if how not in ("gzip", "deflate"):
        raise Refused(415, f"Content-Encoding is '{how[:40]}'; gzip and deflate can be read")
    bare = how == "deflate" and (not body or body[0] & 15 != 8)  # as some send it
    opener = zlib.decompressobj(16 + zlib.MAX_WBITS if how == "gzip" else -zlib.MAX_WBITS if bare else zlib.MAX_WBITS)
    try:
        data = opener.decompress(body, most + 1)
    except zlib.error as e:
        raise Refused(400, f"the body is no {how}: {e}") from None
    if len(data) > most:
        raise Refused(413, f"the body has more than {most} bytes when it is unpacked")
    if not opener.eof or opener.unused_data:
        raise Refused(400, f"the body's {how} {'is cut off' if not opener.eof else 'has other bytes behind it'}")
    return data


# ---- tensors ----
def _few_texts(count, name):
    if count > MOST_TEXTS:
        raise Refused(413, f"input '{name}': {count} elements of text, {MOST_TEXTS} are the most of a request")


def _strings_in(data, count, name):
    """A list of them; as many as the shape says, which by itself decides no size."""
    found, at = [], 0
    while at < len(data) and len(found) <= count:
        if at + 4 > len(data):
            raise Refused(400, f"input '{name}': the length of element {len(found)} is cut off")
        n = struct.unpack_from("<I", data, at)[0]
        if n > len(data) - at - 4:
            raise Refused(400, f"input '{name}': element {len(found)} has {n} bytes, {len(data) - at - 4} are left")
        try:
            found.append(bytes(data[at + 4:at + 4 + n]).decode())
        except UnicodeDecodeError as e:
            raise Refused(400, f"input '{name}': element {len(found)} is not UTF-8: {e.reason}") from None
        at += 4 + n
    if len(found) != count:
        given = f"more than {count}" if len(found) > count else len(found)
        raise Refused(400, f"input '{name}': {given} elements are given, its shape says {count}")
    return found


def _binary_in(data, datatype, shape, count, name):
    if datatype == "BYTES":
        _few_texts(min(count, len(data) // 4), name)
        texts = _strings_in(data, count, name)
        array = np.empty(count, dtype=object)
        array[:] = texts
        return array.reshape(shape)
    dtype = np.dtype(_NUMPY[datatype])
    if len(data) != count * dtype.itemsize:
        raise Refused(400, f"input '{name}': {len(data)} bytes are given, {datatype}{list(shape)} has {count * dtype.itemsize}")
    if datatype == "BOOL":
        return (np.frombuffer(data, "u1") != 0).reshape(shape)
    return np.frombuffer(data, dtype).reshape(shape)


def _flat(data, count, name):
    """The list's elements, however deep its lists are."""
    while data and isinstance(data, list) and isinstance(data[0], list):
        if not all(isinstance(part, list) for part in data):
            raise Refused(400, f"input '{name}': 'data' mixes lists and elements")
        data = [item for part in data for item in part]
    if not isinstance(data, list) or len(data) != count:
        given = len(data) if isinstance(data, list) else "no list of"
        raise Refused(400, f"input '{name}': {given} elements are given, its shape says {count}")
    return data


def _json_in(data, datatype, shape, count, name):
    flat = _flat(data, count, name)
    if datatype in ("FP16", "BF16"):
        raise Refused(400, f"input '{name}': {datatype} has no form in JSON; send it as binary data")
    kinds = {"BYTES": (str,), "BOOL": (bool,), "FP32": (int, float), "FP64": (int, float)}.get(datatype, (int,))
    if not set(map(type, flat)) <= set(kinds):
        item = next(i for i in flat if type(i) not in kinds)
        raise Refused(400, f"input '{name}': {json.dumps(item)[:60]} is no element of {datatype}")
    if datatype == "BYTES":
        _few_texts(count, name)
        array = np.empty(count, dtype=object)
        array[:] = flat
        return array.reshape(shape)
    dtype = np.dtype(_NUMPY[datatype])
    least, most = (np.iinfo(dtype).min, np.iinfo(dtype).max) if dtype.kind in "iu" else (-float(np.finfo(dtype).max), float(np.finfo(dtype).max)) \
        if dtype.kind == "f" else (False, True)
    if flat and not (least <= min(flat) and max(flat) <= most):
        item = next(i for i in flat if not least <= i <= most)
        raise Refused(400, f"input '{name}': {str(item)[:40] if isinstance(item, float) else 'a number'} is outside of {datatype}")
    return np.array(flat, dtype=dtype).reshape(shape)


def _shape_in(shape, name):
    good = isinstance(shape, list) and len(shape) <= 8 and all(isinstance(d, int) and not isinstance(d, bool) and d >= 0 for d in shape)
    if not good:
        raise Refused(400, f"input '{name}': a shape is a list of at most 8 numbers that are not negative")
    count = 1
    for d in shape:
        count *= d
    if count > 1 << 40:
        raise Refused(400, f"input '{name}': a shape of {count} elements")
    return tuple(shape), count


def _parameter(item, key, of, what):
    parameters = item.get("parameters", {})
    if not isinstance(parameters, dict):
        raise Refused(400, f"{what}: 'parameters' is no object")
    value = parameters.get(key)
    if value is not None and (not isinstance(value, of) or of is int and isinstance(value, bool)):
        raise Refused(400, f"{what}: parameter '{key}' is {json.dumps(value)[:60]}")
    return value


def _no_constant(text):
    raise ValueError(f"{text} is no number of JSON: send it as binary data")


def decode(body, header_bytes, ports):
    """(feeds by name, request): what an infer request holds, checked against the model's inputs."""
    body = memoryview(body)
    try:
        request = json.loads(bytes(body if header_bytes is None else body[:header_bytes]), parse_constant=_no_constant)
    except (ValueError, RecursionError) as e:
        raise Refused(400, f"the body is no JSON: {e}") from None
    if not isinstance(request, dict) or not isinstance(request.get("inputs"), list):
        raise Refused(400, "the body is an object with a list 'inputs'")
    wanted, feeds, at = {p.name: p for p in ports}, {}, header_bytes
    for item in request["inputs"]:
        if not isinstance(item, dict) or not isinstance(item.get("name"), str):
            raise Refused(400, "an input is an object with a 'name'")
        name = item["name"]
        if name not in wanted or name in feeds:
            why = "is given twice" if name in feeds else f"is none of the model's: {', '.join(wanted)}"
            raise Refused(400, f"input '{name[:80]}' {why}")
        datatype = item.get("datatype")
        if datatype != DATATYPES.get(wanted[name].type):
            raise Refused(400, f"input '{name}' is {json.dumps(datatype)[:40]}, the model takes {DATATYPES.get(wanted[name].type)}")
        shape, count = _shape_in(item.get("shape"), name)
        size = _parameter(item, "binary_data_size", int, f"input '{name}'")
        if size is None:
            feeds[name] = _json_in(item.get("data"), datatype, shape, count, name)
            continue
        if at is None or size < 0 or size > len(body) - at:
            left = "no header Inference-Header-Content-Length came" if at is None else f"{len(body) - at} bytes are left"
            raise Refused(400, f"input '{name}': {size} bytes of binary data, {left}")
        feeds[name] = _binary_in(body[at:at + size], datatype, shape, count, name)
        at += size
    missing = [n for n in wanted if n not in feeds]
    if missing:
        raise Refused(400, f"input '{missing[0]}' is missing; the model takes {', '.join(str(p) for p in ports)}")
    if at is not None and at != len(body):
        raise Refused(400, f"{len(body) - at} bytes of binary data belong to no input")
    return feeds, request


def read(body, header_bytes, inputs, outputs):
    """(feeds by name, what is asked for, the request's id or None)"""
    feeds, request = decode(body, header_bytes, inputs)
    identity = request.get("id")
    return feeds, asked_for(request, outputs), identity if isinstance(identity, str) else None


def asked_for(request, ports):
    """[(name, type, as binary data?)] of the outputs that a request asks for."""
    binary = bool(_parameter(request, "binary_data_output", bool, "the request"))
    outputs = request.get("outputs")
    if outputs is None:
        return [(p.name, p.type, binary) for p in ports]
    if not isinstance(outputs, list):
        raise Refused(400, "'outputs' is a list")
    known, asked = {p.name: p for p in ports}, []
    for item in outputs:
        if not isinstance(item, dict) or item.get("name") not in known:
            raise Refused(400, f"the model has no output {json.dumps(item)[:80]}; its outputs: {', '.join(known)}")
        own = _parameter(item, "binary_data", bool, f"output '{item['name']}'")
        port = known[item["name"]]
        asked.append((port.name, port.type, binary if own is None else own))
    return asked


def encode(name, identity, values, asked):
    """(header in JSON, the binary tensors' data): an answer, of arrays by name."""
    outputs, parts = [], []
    for output, of, binary in asked:
        value, datatype = np.asarray(values[output]), DATATYPES[of]
        item = {"name": output, "datatype": datatype, "shape": list(value.shape)}
        if binary:
            parts.append(_binary_out(value, datatype))
            item["parameters"] = {"binary_data_size": len(parts[-1])}
        elif datatype in ("FP16", "BF16"):
            raise Refused(400, f"output '{output}' is {datatype}, which has no form in JSON: ask for it as binary data")
        elif value.dtype.kind == "f" and not np.isfinite(value).all():
            raise Refused(400, f"output '{output}' has NaN or infinite elements, which JSON does not have: ask for it as binary data")
        else:
            item["data"] = [str(v) for v in value.reshape(-1)] if datatype == "BYTES" else value.reshape(-1).tolist()
        outputs.append(item)
    answer = {"model_name": name, "model_version": "1", "outputs": outputs}
    if identity is not None:
        answer["id"] = identity
    return json.dumps(answer, separators=(",", ":")).encode(), parts


def _binary_out(value, datatype):
    if datatype == "BYTES":
        return b"".join(struct.pack("<I", len(s)) + s for s in (str(v).encode() for v in value.reshape(-1)))
    return memoryview(np.ascontiguousarray(value).reshape(-1).view("u1"))


def long_text(values, asked):
    """Would `encode` take long? Text of elements does; bytes lie there already."""
    return sum(np.size(values[output]) for output, of, binary in asked if of == "str" or not binary) > LONG // 8
# SPDX-License-Identifier: Apache-2.0
