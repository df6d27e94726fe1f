#!/usr/bin/env python3
"""mindspore_refused.py DIR: makes files that the MindSpore reader must refuse, and prints FILE<tab>WHAT THE MESSAGE
SAYS for each."""
import os
import sys

from mindspore_mindir import SETTING, Model, Tensor, Text, num, raw, tensor

V = ("f32", [2])


def model(build, params=None):
    m = Model()
    g = m.graph("1_main", {"x": V}, params)
    g.result = build(m, g)
    return m


def unknown(m, g):
    y = g.op("NobodyKnows", [g["x"]], V, where="Default/0-Dense/NobodyKnows-op0")
    return g.op("Add", [g.op("NorThis", [y], V), g.op("NobodyKnows", [y], V)], V)


def random_numbers(m, g):
    return g.op("Add", [g.op("UniformReal", [(2,)], V), g["x"]], V)


def recursive(m, g):
    f = m.graph("2_f", {"a": V})
    f.result = f.op("Add", [f.call(f.name, [f["a"]], V), f["a"]], V)
    return g.call(f.name, [g["x"]], V)


def breaks(m, g):
    """An inner loop that is left in its middle."""
    head, body, after = m.graph("2_head", {"x": V}), m.graph("3_body"), m.graph("4_after")
    inner, turn, rest = m.graph("5_inner", {"y": V}), m.graph("6_turn"), m.graph("7_rest", {"z": V})
    small = lambda at, x: at.op("Less", [at.op("ReduceSum", [x, (), False, False], ("f32", [])), Tensor("f32", 9.0)], ("bool", []))
    head.result = head.call(head.op("Switch", [small(head, head["x"]), body.name, after.name], None), [], V)
    body.result = body.call(inner.name, [head["x"]], V)
    leave = inner.op("Partial", [rest.name, inner["y"]], None)
    inner.result = inner.call(inner.op("Switch", [small(inner, inner["y"]), turn.name, leave], None), [], V)
    more = turn.op("Add", [inner["y"], inner["y"]], V)
    on, out = m.graph("8_on"), m.graph("9_out")
    turn.result = turn.call(turn.op("Switch", [small(turn, more), on.name, out.name], None), [], V)
    on.result = on.call(inner.name, [more], V)
    out.result = out.call(rest.name, [more], V)
    rest.result = rest.call(head.name, [rest["z"]], V)
    after.result = after.op("Exp", [head["x"]], V)
    return g.call(head.name, [g["x"]], V)


def nested(n, times):
    """Tuples of tuples; 2^n items where each holds the one before twice."""
    def build(m, g):
        items = g["x"]
        for _ in range(n):
            items = g.op("MakeTuple", [items] * times, None)
        return g.op("Add", [g["x"], g.op("Cast", [g.op("tuple_equal", [items, items], None), 43], ("f32", []))], V)
    return model(build)


def writes_inside(m, g):
    yes, no = m.graph("2_yes"), m.graph("3_no")
    yes.result = yes.op("Assign", [g["w"], g["x"], "umonad"], V)
    no.result = no.op("Neg", [g["x"]], V)
    big = g.op("Greater", [g.op("ReduceSum", [g["x"], (), False, False], ("f32", [])), Tensor("f32", 0.0)], ("bool", []))
    return g.call(g.op("Switch", [big, yes.name, no.name], None), [], V)


def big(g):
    return g.op("Greater", [g.op("ReduceSum", [g["x"], (), False, False], ("f32", [])), Tensor("f32", 0.0)], ("bool", []))


def write_beside(at, g):
    """A value that waits for a write, which nobody reads."""
    write = at.op("Assign", [g["w"], g["x"], "umonad"], V)
    return at.op("Depend", [at.op("Neg", [g["x"]], V), at.op("UpdateState", ["umonad", write], "umonad")], V)


def writes_beside(m, g):
    yes, no = m.graph("2_yes"), m.graph("3_no")
    yes.result = write_beside(yes, g)
    no.result = no.op("Neg", [g["x"]], V)
    return g.call(g.op("Switch", [big(g), yes.name, no.name], None), [], V)


def writes_in_call(m, g):
    """The branch calls the graph that writes."""
    yes, no, f = m.graph("2_yes"), m.graph("3_no"), m.graph("4_f")
    f.result = write_beside(f, g)
    yes.result = yes.call(f.name, [], V)
    no.result = no.op("Neg", [g["x"]], V)
    return g.call(g.op("Switch", [big(g), yes.name, no.name], None), [], V)


def writes_in_layer(m, g):
    fs = [m.graph("%d_f" % n) for n in (2, 3, 4)]
    for f in fs[:2]:
        f.result = f.op("Neg", [g["x"]], V)
    fs[2].result = write_beside(fs[2], g)
    i = g.op("Cast", [g.op("ReduceSum", [g["x"], (), False, False], ("f32", [])), SETTING["i32"]], ("i32", []))
    layer = g.op("SwitchLayer", [i, g.op("MakeTuple", [f.name for f in fs], None, {})], None)
    return g.call(layer, [], V)


def writes_unread(m, g):
    """The choice itself is waited for, and its result is not read."""
    yes, no = m.graph("2_yes"), m.graph("3_no")
    yes.result = write_beside(yes, g)
    no.result = no.op("Neg", [g["x"]], V)
    chosen = g.call(g.op("Switch", [big(g), yes.name, no.name], None), [], V)
    state = g.op("UpdateState", ["umonad", chosen], "umonad")
    return g.op("Add", [g["x"], g.op("Load", [g["w"], state], V)], V)


def raises(m, g):
    """An exception that every run meets."""
    bad, good = m.graph("2_bad"), m.graph("3_good")
    text = bad.op("JoinedStr", [Text("size "), 2, Text(" is not "), True], None)
    bad.result = bad.op("raise", [Text("ValueError"), text, Text("None"), "umonad"], V)
    good.result = good.op("Neg", [g["x"]], V)
    small = g.op("ScalarLt", [g.op("TupleGetItem", [g.op("Shape", [g["x"]], None), 0], ("i64", [])), 3], ("bool", []))
    return g.call(g.op("Switch", [small, bad.name, good.name], None), [], V)


def raises_bare(m, g):
    return g.op("raise", [], V)


def compares_tensors(m, g):
    return g.op("is_", [g["x"], g["x"]], V)


def diagonal_of_one_axis(m, g):
    return g.op("Diagonal", [g.op("Reshape", [g["x"], (2, 1)], ("f32", [2, 1])), 0, 1, 1], V)


def pads_by_text(m, g):
    x = g.op("Reshape", [g["x"], (1, 2)], ("f32", [1, 2]))
    return g.op("SpaceToBatchND", [x], V, {"block_shape": (2,), "paddings": ((Text("one"), 1),)})


def training(m, g):
    four = [Tensor("f32", [1.0])] * 4
    y = g.op("BatchNorm", [g.op("Reshape", [g["x"], (2, 1)], ("f32", [2, 1]))] + four + [True, 1e-5, 0.1, 0], [("f32", [2, 1])] * 5,
             where="Default/3-BatchNorm2d/BatchNorm-op7")
    return g.op("TupleGetItem", [y, 0], ("f32", [2, 1]), {})


def plain(m, g):
    return g.op("Neg", [g["x"]], V)


def main():
    folder = sys.argv[1]
    params = {"w": Tensor("f32", [1.0, 2.0])}

    def refused(name, data, *says):
        path = os.path.join(folder, name)
        with open(path, "wb") as f:
            f.write(data)
        for s in says:
            print("%s\t%s" % (path, s))
    good = model(plain).bytes()
    refused("unknown.mindir", model(unknown).bytes(), "NobodyKnows: 2 nodes, first 'Default/0-Dense/NobodyKnows-op0'", "NorThis: 1 node")
    refused("random_numbers.mindir", model(random_numbers).bytes(), "UniformReal: 1 node")
    high = model(lambda m, g: g.op("Polygamma", [Tensor("i64", 30), g["x"]], V))
    refused("polygamma.mindir", high.bytes(), "the order 30 is outside 0 to 20")
    long = model(lambda m, g: g.op("TrilIndices", [], ("i64", [2, 1]), {"row": 1 << 40, "col": 1, "offset": 0}))
    refused("triangle.mindir", long.bytes(), "argument 'row' is 1099511627776")
    window = model(lambda m, g: g.op("HammingWindow", [Tensor("i64", 1 << 30)], V, {"periodic": True}))
    refused("window.mindir", window.bytes(), "a window of 1073741824 places")
    windows = {"ksizes": (1, 1), "strides": (1, 1), "dilations": (1, 1), "pads": (0, 0), "padding_mode": Text("SAME")}
    same = model(lambda m, g: g.op("Im2Col", [g.op("Reshape", [g["x"], (1, 1, 1, 2)], ("f32", [1, 1, 1, 2]))], V, windows))
    refused("windows.mindir", same.bytes(), "padding_mode 'SAME': expected 4 and CALCULATED")
    wide = dict(windows, padding_mode=Text("CALCULATED"), ksizes=(1 << 30, 1), dilations=(1 << 30, 1))
    far = model(lambda m, g: g.op("Im2Col", [g.op("Reshape", [g["x"], (1, 1, 1, 2)], ("f32", [1, 1, 1, 2]))], V, wide))
    refused("windows_far.mindir", far.bytes(), "a window of 1073741824 places, 1073741824 apart")
    power = model(lambda m, g: g.op("MatrixPower", [g.op("Reshape", [g["x"], (1, 2, 1)], ("f32", [1, 2, 1]))], V, {"n": -1 << 63}))
    refused("power.mindir", power.bytes(), "the power -9223372036854775808")
    pool = {"ksize": (1, 1, 2, 2), "strides": (1, 1, 1 << 62, 2), "pads": (1, 1, -1 << 62, 0), "output_shape": (), "format": "NCHW"}
    picture = lambda g: g.op("Reshape", [g["x"], (1, 1, 2, 1)], ("f32", [1, 1, 2, 1]))
    unpool = model(lambda m, g: g.op("MaxUnpool2D", [picture(g), Tensor("i64", [[[[0], [1]]]])], V, pool))
    refused("unpool.mindir", unpool.bytes(), "a size of 4611686018427387904, at most 2^31 - 1 are read")
    turned = {"kernel_size": (2, 1), "pad_mode": 1, "pad": (0, 0, 0, 0), "stride": (1, 1), "dilation": (1, 1, 1, 1), "group": 1, "format": "NCHW"}
    for name, changed in (("steps", {"stride": (1 << 62, 1 << 62)}), ("far", {"dilation": (1, 1, 1 << 62, 1)}), ("pads", {"pad_mode": 0, "pad": (1 << 62, 1 << 62, 0, 0)})):
        back = model(lambda m, g: g.op("Conv2DBackpropInput", [picture(g), picture(g), (1, 1, 4, 4)], ("f32", [1, 1, 4, 4]), dict(turned, **changed)))
        refused("turned_%s.mindir" % name, back.bytes(), "a size of 4611686018427387904, at most 2^31 - 1 are read")
    bins = model(lambda m, g: g.op("Histogram", [g["x"]], ("i32", [1]), {"bins": 1 << 40, "min": 0.0, "max": 1.0}))
    refused("bins.mindir", bins.bytes(), "1099511627776 bins")
    refused("doubled.mindir", nested(40, 2).bytes(), "its value holds 131071 others, at most 65536 are read")
    refused("nested.mindir", nested(300, 1).bytes(), "its value is nested deeper than 256")
    refused("recursive.mindir", model(recursive).bytes(), "calls itself, but not as a loop does")
    refused("breaks.mindir", model(breaks).bytes(), "inside another that is left in its middle (break or return)")
    refused("writes_inside.mindir", model(writes_inside, params).bytes(), "inside a branch or a loop")
    for build in (writes_beside, writes_in_call, writes_in_layer, writes_unread):
        refused(build.__name__ + ".mindir", model(build, params).bytes(), "inside a branch or a loop")
    refused("raises.mindir", model(raises).bytes(), "the model raises ValueError: size 2 is not True")
    refused("raises_bare.mindir", model(raises_bare).bytes(), "the model raises an exception")
    refused("compares_tensors.mindir", model(compares_tensors).bytes(), "it compares tensors of rank 1 and 1")
    refused("diagonal_of_one_axis.mindir", model(diagonal_of_one_axis).bytes(), "a diagonal needs two different axes")
    refused("pads_by_text.mindir", model(pads_by_text).bytes(), "item 0 of 'paddings' is no pair of whole numbers")
    refused("training.mindir", model(training).bytes(), "set_train(False)", "Default/3-BatchNorm2d/BatchNorm-op7")
    refused("encrypted.mindir", bytes((b * 7 + 3) & 255 for b in good), "encrypted: load it in MindSpore with its key")
    refused("lite.bin", b"\x20\0\0\0MSL2" + bytes(64), "a model of MindSpore Lite")
    m = model(plain)
    m.more = raw(14, raw(1, "obf_version") + raw(2, "1"))
    refused("obfuscated.mindir", m.bytes(), "obfuscated")
    compressed = model(lambda m, g: g.op("Mul", [g["x"], g["w"]], V), params).bytes()
    refused("compressed.mindir", compressed.replace(num(16, 0), num(16, 1)), "compressed or quantised")
    outside = {"w": Tensor("f32", [1.0, 2.0], ("../secret", 0))}
    refused("outside.mindir", model(lambda m, g: g.op("Mul", [g["x"], g["w"]], V), outside).bytes(), "not inside the folder of the model")
    missing = {"w": Tensor("f32", [1.0, 2.0], ("gone/data_0", 0))}
    refused("missing.mindir", model(lambda m, g: g.op("Mul", [g["x"], g["w"]], V), missing).bytes(), "data_0")
    wrong = model(lambda m, g: g.op("Reshape", [g["x"], (3,)], ("f32", [3]), where="Default/Reshape-op4"))
    refused("shape.mindir", wrong.bytes(), "Default/Reshape-op4")


main()
# SPDX-License-Identifier: Apache-2.0
