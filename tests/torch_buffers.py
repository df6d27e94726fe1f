"""torch_buffers.py FILE N - an archive of a program whose signature says of N buffers that they change."""
import sys

from torch_pt2 import Name, archive

if __name__ == "__main__":
    buffers = {"b_%d" % i: ("f32", [0.0], [1], [1], 0) for i in range(int(sys.argv[2]))}
    nodes = [("relu.default", {"self": Name("x")}, ("y", "f32", [1]))]
    archive(sys.argv[1], {"x": ("f32", [1])}, nodes, ["y"], buffers, mutated={n: "y" for n in buffers})
# SPDX-License-Identifier: Apache-2.0
