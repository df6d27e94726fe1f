// inflate.h - deflated data (RFC 1951), as zip archives hold them. Layer: tensor.
#pragma once
#include "base/base.h"
#include "base/plugins.h"

// Unpacks `data` into exactly `out_bytes` at `out`. Reads and writes nothing outside. O(data.n + out_bytes),
// and about 100 microseconds to find the plug-in. Errors: E_CORRUPT (not deflated data, or another size than
// expected), E_TRUNCATED (the data end too early), E_UNSUPPORTED (the plug-in weft_zlib is not there),
// E_NOMEM; `out` may be partly written.
WEFT_MUST weft_status weft__inflate(const weft__plugin_place *place, weft_bytes data, uint8_t *out,
                                    size_t out_bytes, weft_diag *d);
// The most that deflate packs into one byte is 1032 bytes: a larger claim is a lie, refused before memory is
// asked for.
enum { WEFT__INFLATE_RATIO = 1032 };
// SPDX-License-Identifier: Apache-2.0
