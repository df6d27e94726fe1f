// translate.h - from Ascend C to C++: kernel<<<blocks, l2, stream>>>(args) becomes a call of
// weft_asc::call (weft_cann/asc_launch.h). Lines stay where they are, so that messages, __LINE__ and
// debuggers show the user's.
#pragma once
#include "text.h"

// The word that stands for __global__ while a file is compiled: it is taken out, and each kernel outside of
// classes, templates and blocks gets an entry that can be found by name, weft_asc_entry_NAME.
#define ASCC_KERNEL_WORD "__weft_kernel__"

// `text`: what the preprocessor gives, or a source as it is (launches within macros stay as they are then).
// `file`: its name, for messages; directives in the text go before it. Appends to `out`; false: `error` says
// "file:line: error: ..." as compilers do.
bool ascc_translate(const char *text, size_t bytes, const char *file, ascc_text *out, ascc_text *error);
// SPDX-License-Identifier: Apache-2.0
