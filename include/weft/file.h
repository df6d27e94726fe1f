// weft/file.h - writes a file that is there whole or not at all: what the writers of this library and of its
// tool use.
//
//   weft_file_out *f;
//   weft_status s = weft_file_create("model.weft", &f, d);
//   if (!s) s = weft_file_finish(f, weft_program_save(p, weft_file_write, f, d), d);
//
// Bytes go to a temporary file in the same folder (".NAME.weft-*"), which takes the name only when all of
// them are on the disk. Until then, and after every failure, a file that had the name stays as it was: a
// process that maps it goes on with the old bytes. A crash may leave the temporary file behind. Reentrant; a
// weft_file_out belongs to one thread.
//   Symbolic links are followed and stay. The new file has the old one's permissions, its owner where the
//   system allows
// that, and none of its hard links. An old file that may not be written, or whose folder takes no new file,
// is refused.
//   What is no regular file (a pipe, a terminal, /dev/null) is written directly, and so are /dev/stdout,
//   /dev/stderr and
// /dev/fd/N: they stand for the descriptor, wherever that leads.
#pragma once
#include "weft/base.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_file_out weft_file_out;
// E_IO with path and reason, E_LIMIT (a path over 4,000 bytes), E_NOMEM.
WEFT_API WEFT_MUST weft_status weft_file_create(const char *path, weft_file_out **out, weft_diag *d);
// A weft_write_fn over a weft_file_out. E_IO; the reason comes with weft_file_finish.
WEFT_API WEFT_MUST weft_status weft_file_write(void *file, const char *text, size_t bytes);
// Ends the file and frees `file`. so_far 0: puts it in its place; otherwise drops what was written and gives
// so_far back. E_IO with path and reason: the disk is full, for example. `file` NULL: gives so_far back.
WEFT_API WEFT_MUST weft_status weft_file_finish(weft_file_out *file, weft_status so_far, weft_diag *d);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
