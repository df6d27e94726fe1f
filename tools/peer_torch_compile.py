#!/usr/bin/env python3
"""torch.compile for `weft bench MODEL.pt2 --peer torch_compile`: peer_torch.py says the rest."""
import peer_torch  # noqa: F401  it looks at the name of this program
# SPDX-License-Identifier: Apache-2.0
