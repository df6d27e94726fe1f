"""Writes model.pt2: relu(scale_shift(x)), with an operator of the namespace acme. Needs PyTorch."""
import torch


@torch.library.custom_op("acme::scale_shift", mutates_args=())
def scale_shift(x: torch.Tensor, scale: float = 1.0, shift: float = 0.0) -> torch.Tensor:
    return scale * x + shift


@scale_shift.register_fake
def _(x, scale=1.0, shift=0.0):
    return torch.empty_like(x)


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(scale_shift(x, 2.0, -1.0))


rows = {0: torch.export.Dim("n")}
torch.export.save(torch.export.export(Model(), (torch.ones(3, 2),), dynamic_shapes=(rows,)), "model.pt2")
# SPDX-License-Identifier: Apache-2.0
