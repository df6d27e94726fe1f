#!/usr/bin/env python3
"""torch_refused.py DIR: makes archives that weft must refuse, and prints a line for each: file, then what the message
must hold."""
import os
import struct
import sys
import zipfile

from torch_pt2 import Name, Operator, archive

N = Name
A = {"a": ("f32", [2, 3])}
RELU = [("relu.default", {"self": N("a")}, ("y", "f32", [2, 3]))]


def other(path, *entries, method=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", method) as z:
        for e in entries:
            z.writestr(e, b"x")


def main(folder):
    made = []

    def make(name, says, write, *args, **more):
        path = os.path.join(folder, name)
        write(path, *args, **more)
        made.append((path, says))
    make("script.pt", "TorchScript", other, "m/constants.pkl", "m/data.pkl", "m/version")
    make("state.pt", "weights alone", other, "m/data.pkl", "m/data/0")
    make("old.pt2", "before PyTorch 2.8", other, "serialized_exported_program.json", "version")
    make("any.zip", "archive_format", other, "hello.txt")
    make("future.pt2", "schema version 9", archive, A, RELU, ["y"], major=9)
    make("unknown.pt2", "2 nodes with operators of PyTorch that weft does not read", archive, A,
         [("mystery.default", {"self": N("a")}, ("b", "f32", [2, 3])), ("acme.thing.default", {"self": N("b")}, ("y", "f32", [2, 3]))], ["y"])
    make("unknown_line.pt2", "'y' of model.py:12", archive, A, [("mystery.default", {"self": N("a")}, ("y", "f32", [2, 3]))], ["y"])
    make("limit.pt2", "in node 'y' (cartesian_prod.default) of", archive, A, [("cartesian_prod.default", {"tensors": [N("a")] * 30}, ("y", "f32", [6]))], ["y"])
    own = lambda target, args: (archive, A, [("torch.ops.weft." + target, args, ("y", "f32", [2, 3]))], ["y"])
    make("custom_attribute.pt2", "operator 'ReduceSumD' has no attribute 'how'; its attributes: axes, keep_dims", *own("reduce_sum_d.default", {"x": N("a"), "how": 1}))
    make("custom_type.pt2", "argument 'axes': got a string, expected ListInt, as operator 'ReduceSumD' declares it", *own("reduce_sum_d.default", {"x": N("a"), "axes": "all"}))
    make("custom_left_out.pt2", "axes", *own("reduce_sum_d.default", {"x": N("a")}))
    make("custom_inputs.pt2", "it has 2 inputs; operator 'Relu' takes 1", *own("relu.default", {"self": N("a"), "other": N("a")}))
    make("custom_given_late.pt2", "declare an input instead", *own("reduce_sum_d.default", {"x": N("a"), "axes": N("a")}))
    make("custom_unknown.pt2", "a package can bring an operator under its name", *own("nobody_knows.default", {"x": N("a")}))
    make("argument.pt2", "does not read argument 'slope' of this operator", archive, A,
         [("relu.default", {"self": N("a"), "slope": 0.5}, ("y", "f32", [2, 3]))], ["y"])
    make("float_int.pt2", "argument 'dim0': 1e+12 is no integer", archive, A,
         [("transpose.int", {"self": N("a"), "dim0": 1e12, "dim1": 1}, ("y", "f32", [3, 2]))], ["y"])
    make("text_size.pt2", "argument 'k' is no size", archive, A,
         [("topk.default", {"self": N("a"), "k": "two"}, [("y", "f32", [2, 2]), ("at", "i64", [2, 2])])], ["y"])
    make("shapes.pt2", "model.py:12", archive, A, [("view.default", {"self": N("a"), "size": [4]}, ("y", "f32", [4]))], ["y"])
    make("twice.pt2", "2 problems in the model", archive, A,
         [("view.default", {"self": N("a"), "size": [4]}, ("b", "f32", [4])),
          ("permute.default", {"self": N("a"), "dims": [0, 5]}, ("y", "f32", [3, 2]))], ["y"])
    make("training.pt2", "model.eval()", archive, A, [("dropout.default", {"input": N("a"), "p": 0.5, "train": True}, ("y", "f32", [2, 3]))], ["y"])
    make("expanded.pt2", "run_decompositions", archive, {"a": ("f32", [1, 3])},
         [("expand.default", {"self": N("a"), "size": [2, 3]}, ("e", "f32", [2, 3])), ("zero_.default", {"self": N("e")}, ("y", "f32", [2, 3]))], ["y"])
    make("short.pt2", "pass the end", archive, A, [("mul.Tensor", {"self": N("a"), "other": N("w")}, ("y", "f32", [2, 3]))], ["y"],
         weights={"w": ("f32", [1.0, 2.0], [3], [1], 0)})
    # what a file says counts no place of a list before it was checked
    wide = {"w": ("f32", [1] * 25)}
    make("same_axes.pt2", "axis 0 stands twice", archive, wide,
         [("diagonal_scatter.default", {"self": N("w"), "src": N("w"), "dim1": 0, "dim2": 0}, ("y", "f32", [1] * 25))], ["y"])
    make("one_axis_often.pt2", "axis 1 stands twice", archive, wide,
         [("squeeze.dims", {"self": N("w"), "dim": [1] * 60}, ("y", "f32", [1] * 24))], ["y"])
    make("trace_vector.pt2", "rank 1", archive, {"a": ("f32", [3])}, [("trace.default", {"self": N("a")}, ("y", "f32", []))], ["y"])
    make("trace_number.pt2", "rank 0", archive, {"a": ("f32", [])}, [("trace.default", {"self": N("a")}, ("y", "f32", []))], ["y"])
    make("embed_wide.pt2", "rank", archive, wide, [("diag_embed.default", {"self": N("w")}, ("y", "f32", [1] * 25))], ["y"])
    make("unfold_wide.pt2", "rank", archive, wide,
         [("unfold.default", {"self": N("w"), "dimension": 0, "size": 1, "step": 1}, ("y", "f32", [1] * 25))], ["y"])
    make("windows.pt2", "win_length", archive, {"a": ("f32", [8])},
         [("stft.default", {"self": N("a"), "n_fft": 4, "hop_length": 2, "win_length": -(2**63), "return_complex": False, "center": False},
           ("y", "f32", [3, 3, 2]))], ["y"])
    make("differences.pt2", "4194304 differences of differences", archive, A,
         [("diff.default", {"self": N("a"), "n": 1 << 22, "dim": 1}, ("y", "f32", [2, 0]))], ["y"])
    make("powers.pt2", "how many powers", archive, A,
         [("linalg_vander.default", {"x": N("a"), "N": 5000}, ("y", "f32", [2, 3, 5000]))], ["y"])
    pooled = lambda sizes: [("adaptive_avg_pool1d.default", {"self": N("a"), "output_size": sizes}, ("y", "f32", [2, 1]))]
    make("pool_below_none.pt2", "output_size.: -3 is no size", archive, A, pooled([-3]), ["y"])
    make("pool_sizes.pt2", "has 3 sizes for 1 axes", archive, A, pooled([2, 2, 2]), ["y"])
    make("pool_many.pt2", "an adaptive pool of 3 elements to 99999", archive, A, pooled([99999]), ["y"])
    make("bag_row.pt2", "padding_idx.: -4, where the table has 3 rows", archive, {"i": ("i64", [2]), "s": ("i64", [1])},
         [("embedding_bag.padding_idx", {"weight": N("w"), "indices": N("i"), "offsets": N("s"), "padding_idx": -4}, ("y", "f32", [1, 2]))], ["y"],
         weights={"w": ("f32", [0.0] * 6, [3, 2], [2, 1], 0)})
    state = ("f32", [1, 1, 1])
    make("projection.pt2", "a projection of 2 elements behind 4 rows", archive, {"x": ("f32", [3, 1, 1]), "h": state, "c": state, "w": ("f32", [4, 1]), "p": ("f32", [1, 2])},
         [("lstm.input", {"input": N("x"), "hx": [N("h"), N("c")], "params": [N("w"), N("w"), N("p")], "has_biases": False, "num_layers": 1},
           [("y", "f32", [3, 1, 1]), ("z", *state), ("q", *state)])], ["y"])
    heads = {k: ("f32", [1, 1, 2]) for k in "qkv"}
    make("attention_drops.pt2", "a dropout of 0.25: call model.eval()", archive, heads,
         [("scaled_dot_product_attention.default", {"query": N("q"), "key": N("k"), "value": N("v"), "dropout_p": 0.25}, ("y", "f32", [1, 1, 2]))], ["y"])
    make("effects.pt2", "effects of torch.ops.aten._print.default", archive, dict(A, token=("f32", [1])),
         [("torch.ops.higher_order.with_effects", {"#0": N("token"), "#1": Operator("_print.default")}, ("t", "f32", [1])), *RELU], ["y"])
    make("resized_more.pt2", "a resize to more elements", archive, A,
         [("mul.Tensor", {"self": N("a"), "other": 2.0}, ("b", "f32", [2, 3])), ("resize_.default", {"self": N("b"), "size": [7]}, ("y", "f32", [7]))], ["y"])
    make("condition.pt2", "a condition number of another order", archive, {"a": ("f32", [2, 2])},
         [("linalg_cond.p_str", {"self": N("a"), "p": "fro"}, ("y", "f32", []))], ["y"])
    make("segments.pt2", "segments along another axis", archive, {"a": ("f32", [2, 2]), "n": ("i64", [2, 1])},
         [("segment_reduce.default", {"data": N("a"), "reduce": "sum", "lengths": N("n"), "axis": 1}, ("y", "f32", [2, 1]))], ["y"])
    make("smooth_corners.pt2", "antialias together with align_corners", archive, {"a": ("f32", [1, 1, 4, 4])},
         [("_upsample_bilinear2d_aa.default", {"self": N("a"), "output_size": [3, 3], "align_corners": True}, ("y", "f32", [1, 1, 3, 3]))], ["y"])
    make("top_of_number.pt2", "the 2 largest of a number", archive, {"a": ("f32", [])},
         [("topk.default", {"self": N("a"), "k": 2}, [("y", "f32", []), ("at", "i64", [])])], ["y"])
    make("reduced_by.pt2", "argument 'reduce'", archive, {"a": ("f32", [3]), "i": ("i64", [3])},
         [("scatter_reduce.two", {"self": N("a"), "dim": 0, "index": N("i"), "src": N("a"), "reduce": "median"}, ("y", "f32", [3]))], ["y"])
    make("windows_wide.pt2", "windows of 9 at steps of 1 along an axis of 3", archive, A,
         [("unfold.default", {"self": N("a"), "dimension": 1, "size": 9, "step": 1}, ("y", "f32", [2, 1, 9]))], ["y"])
    make("chunk_cat_none.pt2", "0 chunks of 1 tensors", archive, A, [("_chunk_cat.default", {"tensors": [N("a")], "dim": 0, "num_chunks": 0}, ("y", "f32", [1, 6]))], ["y"])
    make("chunk_cat_axis.pt2", "axis 7", archive, A, [("_chunk_cat.default", {"tensors": [N("a")], "dim": 7, "num_chunks": 2}, ("y", "f32", [2, 3]))], ["y"])
    make("edges_far.pt2", "paddings of -9223372036854775808 and -9223372036854775808", archive, A,
         [("replication_pad1d.default", {"self": N("a"), "padding": [-(2**63), -(2**63)]}, ("y", "f32", [2, 1]))], ["y"])
    for name, args in (("fft_vector", {"self": N("w")}), ("fft_sizes", {"self": N("w"), "s": [2, 2, 2], "dim": [0]})):
        make(name + ".pt2", "axes of a transform", archive, {"w": ("f32", [4])}, [("fft_fft2.default", args, ("y", "c64", [4]))], ["y"])
    make("sections_named.pt2", "it is cut into 3 parts, the node names 2", archive, {"w": ("f32", ["s0"])},
         [("tensor_split.sections", {"self": N("w"), "sections": 3}, [(("y", "f32", ["s1"]), ("z", "f32", ["s2"]))])], ["y"])
    make("cut.pt2", "it is cut", lambda path: open(path, "wb").write(b"PK\3\4" + struct.pack("<100x")))
    for path, says in made:
        print(path + "\t" + says)


if __name__ == "__main__":
    main(sys.argv[1])
# SPDX-License-Identifier: Apache-2.0
