"""Cases of tools/ms_cases.py: src/frontend/onnx/ms_moe.c."""
import numpy as np

from ms_cases import Case


def floats(rng, *shape):
    return rng.uniform(-1, 1, shape).round(2).astype(np.float32)


def cases(rng):
    experts, hidden, inner, b, s = 3, 4, 3, 2, int(rng.integers(1, 4))
    first, first_bias = floats(rng, experts, inner, hidden), floats(rng, experts, inner)
    second, second_bias = floats(rng, experts, hidden, inner), floats(rng, experts, hidden)
    router = 2 * floats(rng, b * s, experts)
    for x in (floats(rng, b, s, hidden), floats(rng, b * s, hidden)):
        for kind in ("relu", "gelu", "silu", "identity"):
            for k in (1, 2):
                yield Case("MoE", [x, router, first, first_bias, second, second_bias],
                           {"activation_type": kind, "k": k, "normalize_routing_weights": k - 1}, tolerance=3e-6, keep=True)
                yield Case("MoE", [x, router, first, None, second], {"activation_type": kind, "k": k}, tolerance=3e-6,
                           keep=kind == "silu")
        both, both_bias = floats(rng, experts, 2 * inner, hidden), floats(rng, experts, 2 * inner)
        for limits in ({}, {"activation_alpha": 1.702, "activation_beta": 1.0, "swiglu_limit": 0.5}):
            yield Case("MoE", [x, router, both, both_bias, second, second_bias],
                       {"activation_type": "swiglu", "swiglu_fusion": 1, "k": 2, **limits}, tolerance=3e-6, keep=True)
# SPDX-License-Identifier: Apache-2.0
