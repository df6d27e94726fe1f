"""Writes model.mindir: ReLU(ScaleShift(x)), with ops.Custom. Needs MindSpore, and a library that has the function for its
own runs: any will do for an export, as `cc -shared -fPIC -x c - -o scale_shift.so < /dev/null` makes it."""
import mindspore
import numpy
from mindspore import Tensor, nn, ops


class Model(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale_shift = ops.Custom("./scale_shift.so:ScaleShift", (1, 2), mindspore.float32, "aot")
        self.scale_shift.add_prim_attr("scale", 2.0)
        self.scale_shift.add_prim_attr("shift", -1.0)

    def construct(self, x):
        return ops.relu(self.scale_shift(x))


mindspore.export(Model(), Tensor(numpy.ones((1, 2), numpy.float32)), file_name="model.mindir", file_format="MINDIR")
# SPDX-License-Identifier: Apache-2.0
