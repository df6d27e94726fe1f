"""Cases of operators that need a size which only the input has. What they give is computed from the definitions."""
import cmath
import math

from torch_pt2 import Name, Sym, shape_of, single, whole

N = Name


def flat(v):
    return [y for x in v for y in flat(x)] if isinstance(v, list) else [v]


def filled(shape, numbers):
    """Numbers as nested lists of this shape."""
    if not shape:
        return numbers.pop(0)
    return [filled(shape[1:], numbers) for _ in range(shape[0])]


def counted(*shape):
    return filled(shape, [float(i) for i in range(math.prod(shape))])


def blocks(planes, r):
    """[C r r, H, W] to [C, H r, W r]."""
    h, w = len(planes[0]), len(planes[0][0])
    return [[[planes[c * r * r + i % r * r + k % r][i // r][k // r] for k in range(w * r)] for i in range(h * r)]
            for c in range(len(planes) // (r * r))]


def shuffles():
    """Blocks of pixels, of one picture, of several and of several rows of them; channels in groups, of no pictures, too."""
    one, all_unknown = counted(8, 1, 3), ["c", "h", "w"]
    for name, lead, wrap in (("", [], lambda v: v), ("_four", [1], lambda v: [v]), ("_five", ["k", 1], lambda v: [[v], [v]])):
        shape, big = lead + all_unknown, lead + ["cc", "hh", "ww"]
        yield single("pixel_shuffle_unknown" + name, "pixel_shuffle.default", {"a": ("f32", wrap(one))}, {"self": N("a"), "upscale_factor": 2},
                     ("f32", wrap(blocks(one, 2))), shapes={"a": shape})
        yield single("pixel_unshuffle_unknown" + name, "pixel_unshuffle.default", {"a": ("f32", wrap(blocks(one, 2)))},
                     {"self": N("a"), "downscale_factor": 2}, ("f32", wrap(one)), shapes={"a": big})
    x = counted(2, 6, 2)
    args, mixed = {"self": N("a"), "groups": 3}, [[row[c] for c in (0, 2, 4, 1, 3, 5)] for row in x]
    yield single("channel_shuffle_unknown", "channel_shuffle.default", {"a": ("f32", x)}, args, ("f32", mixed), shapes={"a": ["n", "c", "l"]})
    yield whole("channel_shuffle_no_items", {"a": ("f32", x), "n": ("i64", 0)},
                [("item.default", {"self": N("n")}, ("sym", "u")), ("slice.Tensor", {"self": N("a"), "dim": 0, "start": 0, "end": Sym("u")}, ("b", "f32", ["u", 6, 2])),
                 ("channel_shuffle.default", dict(args, self=N("b")), ("c", "f32", ["u", 6, 2])), ("sum.dim_IntList", {"self": N("c"), "dim": [0]}, ("y", "f32", [6, 2]))],
                {
  "y" : ("f32", [[ 0.0, 0.0 ]] * 6)})


def dynamic():
    yield from shuffles()
#SPDX - License - Identifier : Apache - 2.0
