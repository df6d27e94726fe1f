// inflate.h - deflated data (RFC 1951), as zip archives hold them. Layer: tensor.
#pragma once
#include "base/base.h"

// Unpacks `bytes` of deflated data into exactly `out_bytes` at `out`. Reads and writes nothing outside.
// O(bytes + out_bytes). Errors: E_CORRUPT (not deflated data, or another size than expected), E_TRUNCATED
// (the data end too early), E_UNSUPPORTED (the build has no zlib), E_NOMEM; `out` may be partly written.
WEFT_MUST weft_status weft__inflate(const uint8_t *data, size_t bytes, uint8_t *out, size_t out_bytes,
                                    weft_diag *d);
// The most that deflate packs into one byte is 1032 bytes: a larger claim is a lie, refused before memory is
// asked for.
enum { WEFT__INFLATE_RATIO = 1032 };
