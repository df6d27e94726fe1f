// weft_cann/graph.h - ge::Graph and ge::GNode, with all that they can do.
#pragma once
#include "weft_cann/graph_class.h"
#include "weft_cann/lift.h"
// SPDX-License-Identifier: Apache-2.0
