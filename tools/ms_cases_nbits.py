"""Cases of tools/ms_cases.py: src/frontend/onnx/ms_nbits.c."""
import numpy as np

from ms_cases import Case, Const


def floats(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32)


# Left out, because the peer's CPU computes something else than it says: with g_idx it takes packed zero points of 4 bits
# for 8, and numbers of 2 bits for 4.
def compared(bits, zero, group):
    return not group or (bits == 8 and zero == "none") or (bits == 4 and zero != "packed")


def mat_mul(rng, bits, zero, group, bias, real, keep=False):
    k, n, block = int(rng.integers(1, 9)) * 8 + int(rng.integers(0, 8)), int(rng.integers(1, 9)), 16
    if not keep:
        k, n, block = int(rng.integers(1, 300)), int(rng.integers(1, 70)), int(rng.choice([16, 32, 64, 128]))
    blocks = (k + block - 1) // block
    lead = [[3], [2, 2], [1], [6]][int(rng.integers(4))]
    w = rng.integers(0, 256, (n, blocks, block * bits // 8)).astype(np.uint8)
    scales = (rng.random((n, blocks)) / 2**bits).astype(real)
    inputs = [floats(rng, *lead, k).astype(real), Const(w), Const(scales)]
    packed = (blocks * bits + 7) // 8
    zeros = {"none": None, "packed": Const(rng.integers(0, 256, (n, packed)).astype(np.uint8)),
             "real": Const((rng.random((n, blocks)) * 2**bits).astype(real))}[zero]
    g = Const((np.arange(k) % blocks).astype(np.int32)) if group else None
    b = Const(floats(rng, n).astype(real)) if bias else None
    inputs += [zeros, g, b]
    while inputs[-1] is None:
        inputs.pop()
    attrs = {"K": k, "N": n, "bits": bits, "block_size": block}
    return Case("MatMulNBits", inputs, attrs, tolerance=2e-5 if real == np.float32 else 1e-2, keep=keep)


def gather(rng, dtype, bits, zero, ids, real=np.float32):
    rows, width, block = int(rng.integers(3, 7)), int(rng.integers(10, 40)), 16
    blocks, low = (width + block - 1) // block, -8 if dtype == np.int8 else 0
    high = 16 + low if bits == 4 else 256
    packed = dtype == np.uint8 and bits != 4.5 and zero != "typed"
    def table(n):
        if dtype == np.int8 or not packed:
            return Const(rng.integers(low, 16 + low, (rows, n)).astype(dtype), 4)
        return Const(rng.integers(0, 256, (rows, (n + 1) // 2 if bits == 4 else n)).astype(np.uint8))
    if packed and bits == 4:
        width += width % 2
        blocks = (width + block - 1) // block
    inputs = [table(width), rng.integers(0, rows, ids).astype(np.int64), Const((rng.random((rows, blocks)) / 8).astype(real))]
    if zero and high:
        inputs.append(table(blocks))
    attrs = {"block_size": block, "gather_axis": 0, "quantize_axis": 1, **({"bits": bits} if packed else {})}
    return Case("GatherBlockQuantized", inputs, attrs, tolerance=1e-6 if real == np.float32 else 1e-3, keep=True)


def cases(rng):
    for bits in (4, 8, 2):
        for zero in ("none", "packed", "real"):
            for group in (g for g in (False, True) if compared(bits, zero, g)):
                for bias in (False, True):
                    for real in (np.float32, np.float16):
                        yield mat_mul(rng, bits, zero, group, bias, real)
        yield mat_mul(rng, bits, "none", False, False, np.float32, True)
        yield mat_mul(rng, bits, "packed", False, True, np.float32, True)
    yield mat_mul(rng, 4, "real", False, False, np.float32, True)
    yield mat_mul(rng, 4, "none", True, False, np.float32, True)
    yield mat_mul(rng, 4, "packed", False, False, np.float16, True)
    for ids in ([3], [2, 2], []):
        for zero in (False, True):
            yield gather(rng, np.int8, 4, zero, ids)
            yield gather(rng, np.uint8, 4, "typed" if zero else False, ids)
            yield gather(rng, np.uint8, 4, zero, ids)
            yield gather(rng, np.uint8, 8, zero, ids)
    for kind in (0, 1):
        for k, n in ((16, 3), (32, 5), (24, 4)):
            w = Const(rng.integers(0, 256, k * n // 2).astype(np.uint8))
            most = Const(rng.random((k * n + 15) // 16).astype(np.float32))
            yield Case("MatMulBnb4", [floats(rng, 2, k), w, most], {"K": k, "N": n, "block_size": 16, "quant_type": kind},
                       tolerance=2e-5, keep=True)
# SPDX-License-Identifier: Apache-2.0
