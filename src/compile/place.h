// place.h - which device runs each node. Layer: compile.
#pragma once
#include "ir/ir.h"
#include "weft/compile.h"

// Chooses a device of the list for every node of the root graph, notes it on the node as the private
// attribute "_device" (none: the CPU), and puts Identity nodes with the attribute "_copy" (the device copied
// from) where values go from one device to another. The graph must be inferred; it is inferred and sorted
// afterwards. Sub-graphs stay on the CPU.
//   devices   "npusim,cpu": the first wins where costs are equal; NULL: nothing is done
// E_NOT_FOUND: an unknown device. E_UNSUPPORTED: nodes that no device takes, each with its candidates and
// their reasons.
weft_status weft__place(weft_graph *g, const char *devices, const weft_optimize_options *report,
                        weft_diag *d);
// SPDX-License-Identifier: Apache-2.0
