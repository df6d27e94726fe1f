"""Operators of torch.library: the namespace weft stands for weft's own, so that no package is needed."""
from torch_pt2 import Dtype, Name, Sym, single, whole

N = Name


def custom():
    x = {"a": ("f32", [[1.0, -2.0], [3.0, 4.0]]), "b": ("f32", [[1.0, 1.0], [2.0, 2.0]])}
    own = "torch.ops.weft."
    yield single("custom_camel", own + "real_div.default", x, {"self": N("a"), "other": N("b")}, ("f32", [[1.0, -2.0], [1.5, 2.0]]))
    yield single("custom_as_it_is", own + "RealDiv.default", x, {"self": N("a"), "other": N("b")}, ("f32", [[1.0, -2.0], [1.5, 2.0]]))
    yield single("custom_by_name", own + "real_div.default", x, {"x2": N("b"), "x1": N("a")}, ("f32", [[1.0, -2.0], [1.5, 2.0]]))
    yield single("custom_list", own + "pack.default", x, {"tensors": [N("a"), N("b")], "axis": 1, "N": 2},
                 ("f32", [[[1.0, -2.0], [1.0, 1.0]], [[3.0, 4.0], [2.0, 2.0]]]))
    yield single("custom_dtype", own + "cast.default", x, {"x": N("a"), "dst_type": Dtype("i32")}, ("i32", [[1, -2], [3, 4]]))
    yield single("custom_ints", own + "reduce_sum_d.default", x, {"x": N("a"), "axes": [1], "keep_dims": True}, ("f32", [[-1.0], [7.0]]))
    yield single("custom_none", own + "Conv2D.default", {"a": ("f32", [[[[1.0, 2.0]]]]), "b": ("f32", [[[[10.0]]]])},
                 {"x": N("a"), "filter": N("b"), "bias": None, "strides": [1, 1, 1, 1], "pads": [0, 0, 0, 0], "data_format": "NCHW"},
                 ("f32", [[[[10.0, 20.0]]]]))
    # the size of a is the attribute, where it is known
    yield whole("custom_size", {"a": ("f32", [[1.0, 2.0]])},
                [("sym_size.int", {"self": N("a"), "dim": 0}, ("sym", "s")), (own + "reduce_sum_d.default", {"x": N("a"), "axes": [Sym("s")]}, ("y", "f32", [1]))],
                {"y": ("f32", [3.0])})
    yield whole("custom_two", {"a": ("f32", [3.0, 9.0, 5.0])},
                [(own + "arg_max_with_value.default", {"x": N("a"), "dimension": 0}, [("i", "i32", []), ("v", "f32", [])])],
                {"i": ("i32", 1), "v": ("f32", 9.0)})
    # a dynamic port takes what the one behind it leaves
    yield single("custom_rest", own + "concat_v2.default", dict(x, d=("i64", 1)), {"#0": N("a"), "#1": N("b"), "#2": N("d"), "N": 2},
                 ("f32", [[1.0, -2.0, 1.0, 1.0], [3.0, 4.0, 2.0, 2.0]]))
# SPDX-License-Identifier: Apache-2.0
