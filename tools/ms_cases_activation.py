"""Cases of tools/ms_cases.py: src/frontend/onnx/ms_activation.c."""
import numpy as np

from ms_cases import Case


def floats(rng, *shape):
    return (rng.standard_normal(shape) * 2).astype(np.float32)


def cases(rng):
    shape = [int(v) for v in rng.integers(1, 5, int(rng.integers(1, 4)))]
    yield Case("Gelu", [floats(rng, *shape)], tolerance=2e-6, keep=True)
    yield Case("QuickGelu", [floats(rng, *shape)], tolerance=2e-6, keep=True)
    yield Case("QuickGelu", [floats(rng, *shape)], {"alpha": 0.75}, tolerance=2e-6, keep=True)
