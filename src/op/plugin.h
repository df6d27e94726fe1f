// plugin.h - a plug-in for a built-in operator that needs one. Layer: op.
#pragma once
#include "base/plugins.h"
#include "weft/op.h"

// Loaded when it is asked for first. Errors: those of weft__plugin_load.
WEFT_MUST weft_status weft__call_plugin(const weft_call *c, weft__plugin_id id, const weft_plugin **out);
// SPDX-License-Identifier: Apache-2.0
