// picture.h - pictures out of files in memory. BMP and PNM are read here; JPEG, PNG, TIFF, JPEG 2000 and WebP
// by plug-ins (plugins/weft_*.c), each with the usual library. Files are hostile: a picture much larger than
// its file could hold is refused before memory is asked for, and damaged data are an error, never a grey
// area. Alpha is dropped, 16 bits are cut to 8.
// Layer: ops.
#pragma once
#include "op/plugin.h"
#include "op.h"

// Errors: E_UNSUPPORTED: another format, a form that is not read, a plug-in that is not there; E_CORRUPT,
// E_TRUNCATED; E_LIMIT: over 2^28 pixels, or more than the file can hold.
weft_status weft__picture_read(const weft_call *c, weft_bytes file, weft_picture *out);

// ---- for the readers ----
// Memory for height x width pixels of a file of `bytes`. More than 2^20 pixels and more than `per_byte` for
// each byte of the file are E_LIMIT.
weft_status weft__picture_alloc(const weft_call *c, const char *format, size_t bytes, size_t per_byte,
                                weft_picture *out);
weft_status weft__picture_cut(const weft_call *c, const char *format);  // E_TRUNCATED
weft_status weft__picture_bmp(const weft_call *c, weft_bytes file, weft_picture *out);
weft_status weft__picture_pnm(const weft_call *c, weft_bytes file, weft_picture *out);
// SPDX-License-Identifier: Apache-2.0
