"""Writes model.onnx: y = Relu(ScaleShift(x)), with ScaleShift of the domain com.acme. Needs the package onnx."""
from onnx import TensorProto, helper

x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 2])
y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 2])
nodes = [helper.make_node("ScaleShift", ["x"], ["scaled"], "scale_shift", domain="com.acme", scale=2.0, shift=-1.0),
         helper.make_node("Relu", ["scaled"], ["y"], "relu")]
imports = [helper.make_opsetid("", 17), helper.make_opsetid("com.acme", 1)]
model = helper.make_model(helper.make_graph(nodes, "custom", [x], [y]), opset_imports=imports, ir_version=8)
with open("model.onnx", "wb") as f:
    f.write(model.SerializeToString())
# SPDX-License-Identifier: Apache-2.0
