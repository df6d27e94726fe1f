"""One-node models with what only early operator-set versions have, for tools/old_versions.py: attributes that became inputs,
broadcasting by `axis`, batches in Scan-8, operators that ONNX took back. Expected outputs come from numpy, or from ONNX
Runtime (with `like`: from the node in another version); a case that needs it is left out where it is not installed."""
import collections
import json
import os
import shutil

import numpy as np
import onnx
from onnx import checker, defs, helper, numpy_helper

try:
    import onnxruntime as ort
    ort.set_default_logger_severity(4)
except ImportError:
    ort = None

ML = "ai.onnx.ml"
rng = np.random.default_rng(3)


def f(*shape, lo=-2, hi=2):
    return rng.uniform(lo, hi, shape).astype(np.float32)


def text(*v):
    return np.array(v, dtype=object)


def kind_of(a):
    return onnx.TensorProto.STRING if a.dtype.kind in "OUS" else helper.np_dtype_to_tensor_dtype(a.dtype)


def info(name, a):
    return helper.make_tensor_value_info(name, kind_of(a), a.shape)


class Cases:
    def __init__(self, out):
        self.out, self.covered, self.n = out, collections.Counter(), 0
        shutil.rmtree(out, ignore_errors=True)

    def model(self, op, version, ins, const, n_out, want, domain, attrs):
        names = [f"i{k}" if a is not None else "" for k, a in enumerate(ins)]
        node = helper.make_node(op, names, [f"o{k}" for k in range(n_out)], domain=domain, **attrs)
        outs = [info(f"o{k}", a) for k, a in enumerate(want)] if want else \
            [helper.make_value_info(f"o{k}", onnx.TypeProto()) for k in range(n_out)]
        graph = helper.make_graph([node], op, [info(names[k], a) for k, a in enumerate(ins) if a is not None and k not in const],
                                  outs, [numpy_helper.from_array(ins[k], names[k]) for k in const])
        sets = [helper.make_opsetid(domain, version)] + ([helper.make_opsetid("", 17)] if domain else [])
        return helper.make_model(graph, opset_imports=sets, ir_version=8)

    def add(self, op, version, ins, want=None, n_out=1, const=(), like=0, domain="", atol=1e-5, without=(), **attrs):
        """want: arrays, or one; const: inputs that are initializers; without: attributes that version `like` does not have."""
        given = {f"i{k}": a for k, a in enumerate(ins) if a is not None and k not in const}
        if want is None:
            if not ort:
                return
            other = {k: a for k, a in attrs.items() if k not in without}
            run = self.model(op, like or version, ins, const, n_out, None, domain, other)
            want = ort.InferenceSession(run.SerializeToString()).run(None, given)
        want = [np.asarray(a) for a in (want if isinstance(want, (list, tuple)) else [want])]
        m = self.model(op, version, ins, const, len(want), want, domain, attrs)
        known = [s.since_version for s in defs.get_all_schemas_with_history()
                 if (s.domain, s.name) == (domain, op) and s.since_version <= version]
        if known:
            checker.check_model(m)
            self.covered[domain, op, max(known)] += 1
        self.n += 1
        to = f"{self.out}/{op}-{version}.{self.n}"
        os.makedirs(f"{to}/test_data_set_0")
        onnx.save(m, f"{to}/model.onnx")
        with open(f"{to}/data.json", "w", encoding="utf-8") as file:
            json.dump({"rtol": 1e-3, "atol": atol}, file)
        for what, arrays in (("input", given.values()), ("output", want)):
            for k, a in enumerate(arrays):
                a = a.astype(object) if a.dtype.kind in "US" else a
                onnx.save_tensor(numpy_helper.from_array(a), f"{to}/test_data_set_0/{what}_{k}.pb")


def broadcasting(c):
    pairs = (((), None), ((5,), None), ((4, 5), None), ((3, 4), 1), ((2,), 0), ((3, 1), 1), ((2, 3, 4, 5), None))
    table = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow": np.power, "And": np.logical_and,
             "Or": np.logical_or, "Xor": np.logical_xor, "Greater": np.greater, "Less": np.less, "Equal": np.equal}
    for op, fn in table.items():
        for version in (1, 6):
            for shape, axis in pairs:
                x, y = f(2, 3, 4, 5, lo=.5), f(*shape, lo=.5)
                if op in ("And", "Or", "Xor"):
                    x, y = x > 1, y > 1
                if op == "Equal":
                    x, y = np.rint(x).astype(np.int32), np.rint(y).astype(np.int32)
                after = 4 - (axis if axis is not None else 4 - len(shape)) - len(shape)
                attrs = {} if shape == x.shape else {"broadcast": 1}
                c.add(op, version, [x, y], fn(x, y.reshape(shape + (1,) * after)), **attrs, **({} if axis is None else {"axis": axis}))


def batch_norm(c):
    x, s, b, m, v = f(2, 3, 4, 5), f(3), f(3), f(3), f(3, lo=.2)

    def y(mean, var):
        mean, var, scale, bias = (a.reshape(1, 3, 1, 1) for a in (mean, var, s, b))
        return ((x - mean) / np.sqrt(var + 1e-5) * scale + bias).astype(np.float32)
    mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3))
    training = [y(mean, var), m * .7 + mean * .3, v * .7 + var * .3, mean, var]
    training = [a.astype(np.float32) for a in training]
    each = [f(3, 4, 5) for _ in range(3)] + [f(3, 4, 5, lo=.2)]
    by_element = ((x - each[2]) / np.sqrt(each[3] + 1e-5) * each[0] + each[1]).astype(np.float32)
    for version in (1, 6, 7, 9, 14, 15):
        always = {"consumed_inputs": [0, 0, 0, 1, 1]} if version == 1 else {}
        test = {"is_test": 1} if version < 7 else {}
        c.add("BatchNormalization", version, [x, s, b, m, v], y(m, v), momentum=.8, **always, **test)
        if version < 9:
            c.add("BatchNormalization", version, [x] + each, by_element, spatial=0, **always, **test)
        if version < 14:
            c.add("BatchNormalization", version, [x, s, b, m, v], training, momentum=.7, **always)
        else:
            c.add("BatchNormalization", version, [x, s, b, m, v], training[:3], momentum=.7, training_mode=1)


def shapes(c):
    x = f(6, 4)
    for const in ((1,), ()):
        c.add("Split", 1, [x, np.float32([1, 5])], [x[:1], x[1:]], const=const, axis=0)
    x = f(2, 3, 4)
    for const in ((1, 2), ()):
        for axis in range(3):
            many = [2 if k == axis else 1 for k in range(3)]
            c.add("Tile", 1, [x, np.float32([2]), np.float32([axis])], np.tile(x, many), const=const)
    c.add("Concat", 1, [x, x], np.concatenate([x, x], 1))
    c.add("Slice", 1, [x], x[:, :-1, -3:], starts=[0, -3], ends=[-1, 100], axes=[1, 2])
    c.add("Pad", 2, [x], np.pad(x, [(0, 1), (0, 0), (0, 0)])[:, :, 1:], pads=[0, 0, -1, 1, 0, 0])
    data, up = f(4, 5), f(2, 5)
    put = data.copy()
    put[[0, 2]] = up
    for version in (11, 13):
        c.add("ScatterND", version, [data, np.array([[0], [2]]), up], put)


def numbers(c):
    x = f(1, 2, 7, 7)
    power = abs(x.astype(np.float64))
    for version, p in ((1, 2.), (1, 3.), (2, 2), (2, 1), (22, 3)):
        c.add("GlobalLpPool", version, [x], ((power**p).sum((2, 3), keepdims=True)**(1 / p)).astype(np.float32), p=p)
    for p in (2., 3.):
        windows = sum((power**p)[:, :, i:6 + i, k:6 + k] for i in (0, 1) for k in (0, 1))
        c.add("LpPool", 1, [x], (windows**(1 / p)).astype(np.float32), kernel_shape=[2, 2], p=p)
    whole = rng.integers(1, 9, (2, 3, 4))
    for version in (1, 11, 13, 18):
        for t in (np.int32, np.int64, np.uint32, np.uint64):
            c.add("ReduceLogSum", version, [whole.astype(t)], np.log(whole.sum(keepdims=True)).astype(t))
            c.add("ReduceLogSumExp", version, [whole.astype(t)], np.log(np.exp(whole).sum(keepdims=True)).astype(t))
    c.add("Erf", 9, [np.int32([-9, 0, 9])], np.int32([-1, 0, 1]))
    c.add("Pow", 13, [np.array([2, 3]), np.uint64([3, 2])], np.array([8, 9]))
    q = rng.integers(-100, 100, (2, 3, 4)).astype(np.int8)
    scale = np.array(.5, np.float32)
    for version in (10, 13):
        c.add("DequantizeLinear", version, [q, scale, np.array(3, np.int8)], ((q.astype(np.float32) - 3) * .5))
        c.add("DequantizeLinear", version, [q.astype(np.int32), scale], q.astype(np.float32) * .5)
    c.add("QuantizeLinear", 19, [np.int32([10, 14, -3]), np.array(4, np.int32), np.array(1, np.uint8)], np.uint8([3, 5, 0]))


def images(c):
    x = f(1, 2, 4, 3)
    for mode, newer in (("nearest", "nearest"), ("bilinear", "linear")):
        if ort:
            run = c.model("Upsample", 7, [x], (), 1, None, "", {"scales": [1., 1., 3., 2.], "mode": newer})
            want = ort.InferenceSession(run.SerializeToString()).run(None, {"i0": x})
            c.add("Upsample", 1, [x], want, width_scale=2., height_scale=3., mode=mode)
    for mode in ("nearest", "linear"):
        for scales in ([1., 1., 2., 3.], [1., 1., 1.5, 2.5]):
            c.add("Upsample", 7, [x], scales=scales, mode=mode)
            c.add("Upsample", 9, [x, np.float32(scales)], mode=mode)
            c.add("Resize", 10, [x, np.float32(scales)], mode=mode)
        for place in ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"):
            c.add("Resize", 11, [x, f(0), f(0), np.array([1, 2, 7, 5])], const=(1, 2, 3), mode=mode,
                  coordinate_transformation_mode=place)
    rois = np.float32([[0, 0, 0, 6, 6], [0, 2, 1, 5, 6], [0, 3, 3, 3, 3]])
    for version in (1, 22):
        c.add("MaxRoiPool", version, [f(1, 2, 7, 7), rois], like=1, pooled_shape=[2, 2])
    boxes = np.float32([[0, 0, 5, 6], [1, 2, 7, 7], [3, 3, 3.5, 3.2]])
    for ratio in (0, 2):
        c.add("RoiAlign", 10, [f(2, 2, 8, 8), boxes, np.array([0, 1, 0])], output_height=2, output_width=3,
              sampling_ratio=ratio, spatial_scale=.8)


def recurrent(c):
    for op, gates, versions in (("RNN", 1, (1,)), ("GRU", 3, (1, 3)), ("LSTM", 4, (1,))):
        for version in versions:
            for n, direction in ((1, "forward"), (1, "reverse"), (2, "bidirectional")):
                ins = [f(4, 2, 3), f(n, gates * 5, 3), f(n, gates * 5, 5), f(n, 2 * gates * 5), np.int32([4, 2]), f(n, 2, 5)]
                same = {"hidden_size": 5, "direction": direction, "output_sequence": 1, "like": 7, "without": ("output_sequence",)}
                n_out = 3 if op == "LSTM" else 2
                for k in (3, 4, 5, 6):
                    c.add(op, version, ins[:k], n_out=n_out, **same)
                if op == "LSTM":
                    c.add(op, version, ins + [f(n, 2, 5), f(n, 15)], n_out=n_out, **same)
                if op == "GRU" and version == 3:
                    c.add(op, version, ins[:4], n_out=n_out, linear_before_reset=1, **same)


def bodies(c):
    def graph(nodes, ins, outs):
        return helper.make_graph([helper.make_node(*n) for n in nodes], "b", [helper.make_tensor_value_info(*i) for i in ins],
                                 [helper.make_tensor_value_info(*o) for o in outs])
    cell = graph([("Add", ["s", "x"], ["t"]), ("Mul", ["t", "x"], ["y"])], [("s", 1, [3]), ("x", 1, [3])],
                 [("t", 1, [3]), ("y", 1, [3])])
    state, x = f(2, 3), f(2, 4, 3)
    for lengths in (None, [4, 2], [0, 3]):
        for back in (0, 1):
            s, y = state.copy(), np.zeros_like(x)
            for b in range(2):
                n = lengths[b] if lengths else 4
                for t in range(n):
                    e = x[b, n - 1 - t if back else t]
                    s[b] += e
                    y[b, t] = s[b] * e
            c.add("Scan", 8, [lengths and np.array(lengths), state, x], [s, y], body=cell, num_scan_inputs=1, directions=[back])
    body = graph([("Add", ["a", "a"], ["d"]), ("Identity", ["a"], ["y"]), ("Identity", ["go"], ["on"])],
                 [("i", 7, []), ("go", 9, []), ("a", 1, [2])], [("on", 9, []), ("d", 1, [2]), ("y", 1, [2])])
    a = f(2)
    for version in (1, 11, 13, 16, 19, 21, 23, 24, 25):
        c.add("Loop", version, [np.array(3), np.array(True), a], [a * 8, np.stack([a, a * 2, a * 4])], body=body)


def random_and_experimental(c):
    for version in (1, 22):  # values between -50 and 50
        for op in ("RandomNormal", "RandomUniform"):
            c.add(op, version, [], np.zeros((20, 30), np.float32), shape=[20, 30], seed=1., atol=50)
            c.add(op + "Like", version, [np.zeros((3, 4), np.int32)], np.zeros((3, 4), np.float32), dtype=1, atol=50)
    certain = np.float32([[0, -1e9], [-1e9, 0]])
    for version in (7, 22):
        c.add("Multinomial", version, [certain], np.int32([[0, 0, 0], [1, 1, 1]]), sample_size=3)
    x = f(1, 3, 4, 5)
    for version in (1, 6):
        for op in ("Affine", "ParametricSoftplus", "ScaledTanh"):
            c.add(op, version, [x], alpha=2., beta=.5)
        c.add("Scale", version, [x], x * 3, scale=3.)
        c.add("ThresholdedRelu", version, [x], alpha=.5)
        c.add("ImageScaler", version, [x], scale=2., bias=[.1, .2, .3])
        c.add("Crop", version, [x], x[:, :, 1:2, 1:4], border=[1, 1, 1, 2])
        for across in (0, 1):
            c.add("MeanVarianceNormalization", version, [f(2, 3, 4, 5)], across_channels=across)


def classical(c):
    x = f(4, 3)
    c.add("Scaler", 1, [x], domain=ML, offset=[1., 2., 3.], scale=[.5, 2., 4.])
    for norm in ("MAX", "L1", "L2"):
        c.add("Normalizer", 1, [x], domain=ML, norm=norm)
    c.add("CategoryMapper", 1, [text("a", "b", "z")], np.array([10, 20, -7]), domain=ML, cats_strings=["a", "b"],
          cats_int64s=[10, 20], default_int64=-7)
    c.add("LabelEncoder", 1, [text("a", "b", "z")], np.array([0, 1, -7]), domain=ML, classes_strings=["a", "b"], default_int64=-7)
    c.add("Imputer", 1, [np.float32([[1, np.nan, 3]])], domain=ML, imputed_value_floats=[7., 8., 9.],
          replaced_value_float=float("nan"))
    c.add("OneHotEncoder", 1, [np.array([1, 2, 9])], domain=ML, cats_int64s=[1, 2, 3])
    c.add("FeatureVectorizer", 1, [f(2, 3), f(2, 2)], domain=ML, inputdimensions=[3, 2])
    c.add("LinearRegressor", 1, [x], domain=ML, coefficients=f(6).tolist(), intercepts=[.5, -.5], targets=2)
    nodes = {"nodes_treeids": [0] * 5, "nodes_nodeids": [0, 1, 2, 3, 4], "nodes_featureids": [0, 1, 0, 0, 0],
             "nodes_values": [.2, -.3, 0., 0., 0.], "nodes_modes": ["BRANCH_LEQ", "BRANCH_LT", "LEAF", "LEAF", "LEAF"],
             "nodes_truenodeids": [1, 3, 0, 0, 0], "nodes_falsenodeids": [2, 4, 0, 0, 0]}
    for post in ("NONE", "SOFTMAX", "LOGISTIC"):
        c.add("LinearClassifier", 1, [x], n_out=2, domain=ML, coefficients=f(9).tolist(), intercepts=[.1, .2, .3],
              classlabels_ints=[4, 5, 6], post_transform=post, multi_class=1)
        for version in (1, 3):
            c.add("TreeEnsembleClassifier", version, [x], n_out=2, domain=ML, class_treeids=[0] * 3, class_nodeids=[2, 3, 4],
                  class_ids=[0, 1, 2], class_weights=[1., 2., 3.], classlabels_int64s=[7, 8, 9], post_transform=post, **nodes)
    for version in (1, 3):
        c.add("TreeEnsembleRegressor", version, [x], domain=ML, n_targets=1, target_treeids=[0] * 3, target_nodeids=[2, 3, 4],
              target_ids=[0] * 3, target_weights=[1., 2., 3.], **nodes)
    for kernel in ("LINEAR", "RBF", "POLY", "SIGMOID"):
        c.add("SVMRegressor", 1, [x], domain=ML, kernel_type=kernel, kernel_params=[.5, 1., 2.], n_supports=4,
              support_vectors=f(12).tolist(), coefficients=[.5, -.3, .2, .9], rho=[.1])


def write_all(out):
    c = Cases(out)
    for part in (broadcasting, batch_norm, shapes, numbers, images, recurrent, bodies, random_and_experimental, classical):
        part(c)
    return c.covered
# SPDX-License-Identifier: Apache-2.0
