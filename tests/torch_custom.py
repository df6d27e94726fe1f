"""Operators of other namespaces than aten. Of torch.library's the namespace weft stands for weft's own, so that no package is needed."""
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


def torchvision():
    own = "torch.ops.torchvision."
    yield whole("vision_nms", {"b": ("f32", [[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 2.0], [5.0, 5.0, 6.0, 6.0]]), "s": ("f32", [0.5, 0.9, 0.1])},
                [(own + "nms.default", {"dets": N("b"), "scores": N("s"), "iou_threshold": 0.5}, ("y", "i64", ["u0"]))], {"y": ("i64", [1, 2])})
    x = {"a": ("f32", [[[[1.0, 2.0], [3.0, 4.0]]]]), "r": ("f32", [[0.0, 0.0, 0.0, 2.0, 2.0]])}
    of = {"input": N("a"), "rois": N("r"), "spatial_scale": 1.0, "pooled_height": 1, "pooled_width": 1}
    for name, aligned, want in (("aligned", True, 2.5), ("plain", False, 4.0)):
        yield single("vision_align_" + name, own + "roi_align.default", x, dict(of, sampling_ratio=1, aligned=aligned), ("f32", [[[[want]]]]))
    yield whole("vision_pool", dict(x, r=("f32", [[0.0, 1.0, 0.0, 1.0, 1.0]])),
                [(own + "roi_pool.default", of, [("y", "f32", [1, 1, 1, 1]), ("at", "i32", [1, 1, 1, 1])])], {"y": ("f32", [[[[4.0]]]])})
    zeros = [[[[0.0, 0.0]] * 2] * 2]
    taps = {"input": N("a"), "weight": N("w"), "offset": N("o"), "mask": N("m"), "bias": N("b"), "stride_h": 1, "stride_w": 1, "pad_h": 0,
            "pad_w": 0, "dilation_h": 1, "dilation_w": 1, "groups": 1, "offset_groups": 1}
    given = {"a": x["a"], "w": ("f32", [[[[10.0]]]]), "m": ("f32", [[[[0.5, 0.5], [0.5, 0.5]]]]), "b": ("f32", [1.0])}
    yield single("vision_deform", own + "deform_conv2d.default", dict(given, o=("f32", zeros)), dict(taps, use_mask=False),
                 ("f32", [[[[11.0, 21.0], [31.0, 41.0]]]]))
    # one to the right, beside the picture zeros; half of each
    yield single("vision_deform_mask", own + "deform_conv2d.default", dict(given, o=("f32", [[[[0.0, 0.0]] * 2, [[1.0, 1.0]] * 2]])),
                 dict(taps, use_mask=True), ("f32", [[[[11.0, 1.0], [21.0, 1.0]]]]))
# SPDX-License-Identifier: Apache-2.0
