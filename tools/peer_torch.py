#!/usr/bin/env python3
"""PyTorch as it runs eagerly for `weft bench MODEL.pt2 --peer torch`; `--peer torch_compile` runs torch.compile's code."""
import os
import sys

import peer_frameworks
import torch


def load(path, threads):
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    module = torch.export.load(path).module()
    compiles = os.path.basename(sys.argv[0]) == "peer_torch_compile.py"
    run = torch.compile(module) if compiles else module

    def call(inputs):
        y = run(*[torch.from_numpy(x) for x in inputs])
        return [t.numpy() for t in torch.utils._pytree.tree_leaves(y) if isinstance(t, torch.Tensor)]
    return call


peer_frameworks.serve("PyTorch", torch.__version__, load)
# SPDX-License-Identifier: Apache-2.0
