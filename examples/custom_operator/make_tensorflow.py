"""Writes model.pb and model.tflite: Relu(ScaleShift(x)). Needs TensorFlow. A graph of an operator that is registered
(tf.load_op_library) looks the same; here its node is written by hand, so that nothing has to be compiled."""
import flatbuffers
from flatbuffers import flexbuffers
import tensorflow as tf
from tensorflow.lite.python import schema_py_generated as schema

# ---- a frozen graph ----
graph = tf.compat.v1.GraphDef()
FLOAT = tf.float32.as_datatype_enum
x = graph.node.add(name="x", op="Placeholder")
x.attr["dtype"].type = FLOAT
x.attr["shape"].shape.CopyFrom(tf.TensorShape([None, 2]).as_proto())
custom = graph.node.add(name="scale_shift", op="ScaleShift", input=["x"])
custom.attr["T"].type = FLOAT
custom.attr["scale"].f = 2.0
custom.attr["shift"].f = -1.0
relu = graph.node.add(name="y", op="Relu", input=["scale_shift"])
relu.attr["T"].type = FLOAT
with open("model.pb", "wb") as f:
    f.write(graph.SerializeToString(deterministic=True))

# ---- TFLite, as its converter writes operators that it does not know (allow_custom_ops) ----
model, part = schema.ModelT(), schema.SubGraphT()
model.version, model.buffers, model.subgraphs = 3, [schema.BufferT()], [part]
part.name, part.inputs, part.outputs, part.tensors, part.operators = "main", [0], [2], [], []
for name in ("x", "scaled", "y"):
    t = schema.TensorT()
    t.name, t.shape, t.shapeSignature, t.type, t.buffer = name, [1, 2], [-1, 2], schema.TensorType.FLOAT32, 0
    part.tensors.append(t)
model.operatorCodes = [schema.OperatorCodeT(), schema.OperatorCodeT()]
for code, op in zip(model.operatorCodes, (schema.BuiltinOperator.CUSTOM, schema.BuiltinOperator.RELU)):
    code.builtinCode = code.deprecatedBuiltinCode = op
    code.version = 1
model.operatorCodes[0].customCode = "ScaleShift"
for i in range(2):
    node = schema.OperatorT()
    node.opcodeIndex, node.inputs, node.outputs = i, [i], [i + 1]
    part.operators.append(node)
part.operators[0].customOptions = list(flexbuffers.Dumps({"scale": 2.0, "shift": -1.0}))
builder = flatbuffers.Builder(1024)
builder.Finish(model.Pack(builder), b"TFL3")
with open("model.tflite", "wb") as f:
    f.write(bytes(builder.Output()))
# SPDX-License-Identifier: Apache-2.0
