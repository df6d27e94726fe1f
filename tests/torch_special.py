"""Cases of torch.special: Bessel's and Airy's functions from their integrals and series, orthogonal polynomials written
out, and functions whose results are narrower than what they are computed in."""
import math

from torch_pt2 import INF, NAN, Name, single

N = Name
X = [0.25, 1.0, 3.0]


def average(f, n=64):
    """Over half a turn, exact for what turns on evenly."""
    return sum(f(math.pi * (i + 0.5) / n) for i in range(n)) / n


def decaying(f, step=1 / 512):
    """The integral of f, which falls off, from 0 on: Simpson's rule to 12."""
    n = round(12 / step)
    return step / 3 * sum(f(i * step) * (1 if i in (0, n) else 4 if i % 2 else 2) for i in range(n + 1))


def airy(x):
    f, g, a, b = 1.0, x, 1.0, x
    for k in range(1, 40):
        a *= x ** 3 / ((3 * k - 1) * (3 * k))
        b *= x ** 3 / ((3 * k) * (3 * k + 1))
        f, g = f + a, g + b
    return f / (3 ** (2 / 3) * math.gamma(2 / 3)) - g / (3 ** (1 / 3) * math.gamma(1 / 3))


def j(n, x):
    return average(lambda t: math.cos(n * t - x * math.sin(t)))


def y(n, x):
    fall = lambda t: (math.exp(n * t) + (-1) ** n * math.exp(-n * t)) * math.exp(-x * math.sinh(t)) if t < 8 else 0.0
    return average(lambda t: math.sin(x * math.sin(t) - n * t), 4096) - decaying(fall) / math.pi


def k(n, x):
    return decaying(lambda t: math.exp(-x * math.cosh(t)) * math.cosh(n * t) if t < 8 else 0.0)


def i(n, x):
    return average(lambda t: math.exp(x * math.cos(t)) * math.cos(n * t))


def bessels():
    for n in (0, 1):
        yield f"special_bessel_j{n}", "self", lambda x, n=n: j(n, x)
        yield f"special_bessel_y{n}", "self", lambda x, n=n: y(n, x)
        yield f"special_modified_bessel_i{n}", "self", lambda x, n=n: i(n, x)
        yield f"special_modified_bessel_k{n}", "self", lambda x, n=n: k(n, x)
        yield f"special_scaled_modified_bessel_k{n}", "x", lambda x, n=n: math.exp(x) * k(n, x)
    yield "special_spherical_bessel_j0", "x", lambda x: math.sin(x) / x
    yield "special_airy_ai", "x", airy
    yield "special_erfcx", "self", lambda x: math.exp(x * x) * math.erfc(x)


def functions():
    for name, argument, f in bessels():
        yield single(name, name + ".default", {"a": ("f32", X)}, {argument: N("a")}, ("f32", [f(x) for x in X]))
    ends = ("f32", [0.0, -1.0, INF, NAN])
    for name, argument, want in (("special_bessel_y0", "self", [-INF, NAN, NAN, NAN]), ("special_modified_bessel_k1", "self", [INF, NAN, 0.0, NAN]),
                                 ("special_scaled_modified_bessel_k0", "x", [INF, NAN, 0.0, NAN]),
                                 ("special_spherical_bessel_j0", "x", [1.0, math.sin(1), 0.0, NAN])):
        yield single(name + "_ends", name + ".default", {"a": ends}, {argument: N("a")}, ("f32", want))
    yield single("airy_left", "special_airy_ai.default", {"a": ("i64", [-4, 0])}, {"x": N("a")}, ("f32", [airy(-4.0), airy(0.0)]))
    log_ndtr = lambda x: math.log(math.erfc(-x / math.sqrt(2)) / 2)
    far = [-8.0, -1.0, 0.0, 5.0]
    yield single("log_ndtr_far", "special_log_ndtr.default", {"a": ("f32", far)}, {"self": N("a")}, ("f32", [log_ndtr(x) for x in far]))
    # a number's logarithm far to the left: x^2 / 2 and what an asymptotic series leaves of the rest
    yield single("log_ndtr_farthest", "special_log_ndtr.default", {"a": ("f32", [-100.0])}, {"self": N("a")},
                 ("f32", [-5000 - math.log(100 * math.sqrt(2 * math.pi)) + math.log1p(-1e-4)]))


def polynomials():
    kinds = {"chebyshev_polynomial_t": lambda x: 4 * x ** 3 - 3 * x, "chebyshev_polynomial_u": lambda x: 8 * x ** 3 - 4 * x,
             "chebyshev_polynomial_v": lambda x: 8 * x ** 3 - 4 * x ** 2 - 4 * x + 1, "chebyshev_polynomial_w": lambda x: 8 * x ** 3 + 4 * x ** 2 - 4 * x - 1,
             "hermite_polynomial_h": lambda x: 8 * x ** 3 - 12 * x, "hermite_polynomial_he": lambda x: x ** 3 - 3 * x,
             "laguerre_polynomial_l": lambda x: (-x ** 3 + 9 * x ** 2 - 18 * x + 6) / 6, "legendre_polynomial_p": lambda x: (5 * x ** 3 - 3 * x) / 2}
    x = [0.5, -2.0]
    for name, f in kinds.items():
        yield single(name, f"special_{name}.default", {"a": ("f32", x), "n": ("f32", [[3.0], [0.0], [-1.0]])}, {"x": N("a"), "n": N("n")},
                     ("f32", [[f(v) for v in x], [1.0, 1.0], [0.0, 0.0]]))
        if name.startswith("chebyshev"):
            yield single("shifted_" + name, f"special_shifted_{name}.n_scalar", {"a": ("f32", x)}, {"x": N("a"), "n": 3}, ("f32", [f(2 * v - 1) for v in x]))
    yield single("hermite_beyond", "special_hermite_polynomial_h.n_scalar", {"a": ("f32", [0.0])}, {"x": N("a"), "n": 129}, ("f32", [NAN]))


def narrow():
    """In float32, then rounded once: bfloat16 and float16 have no digits for what lies between."""
    of = {"a": ("f16", [0.5, 3.0, 10.0])}
    yield single("lgamma_half", "lgamma.default", of, {"self": N("a")}, ("f16", [math.lgamma(v) for v in of["a"][1]]), tolerance=1e-3)
    yield single("i0_half", "special_i0.default", of, {"self": N("a")}, ("f16", [i(0, v) for v in of["a"][1]]), tolerance=6e-4)
    trigamma = lambda x: sum(1 / (x + q) ** 2 for q in range(200000)) + 1 / 200000
    yield single("polygamma_half", "polygamma.default", of, {"self": N("a"), "n": 1}, ("f16", [trigamma(v) for v in of["a"][1]]), tolerance=1e-3)


def special():
    for family in (functions, polynomials, narrow):
        yield from family()
# SPDX-License-Identifier: Apache-2.0
