// file.h - how a file comes into memory: mapped or copied. A mapped file costs nothing until it is read and
// is shared by all processes, but a process that shortens it kills those that map it (SIGBUS). A copy is the
// process's own. Layer: base.
#pragma once
#include "base/base.h"

enum { WEFT__FILE_SMALL = 4 << 20 };  // copying so many bytes costs little: docs/embedding.md has the figures
// Copies files up to `copy_most` bytes and maps larger ones; 0 maps all, SIZE_MAX copies all. A copy has no
// descriptor (fd -1). weft__file_unmap gives back either. Errors are those of weft__file_map, and E_TRUNCATED
// where the file shrinks meanwhile.
weft_status weft__file_take(const char *path, size_t copy_most, weft_file *out, weft_diag *d);
// The first `bytes` of an open file in pages of their own, for munmap. NULL: errno says why, 0: it has fewer.
void *weft__file_copied(int fd, size_t bytes);
// How long an open file is now, and when it was written to last. false: the descriptor is none (-1).
bool weft__file_state(int fd, uint64_t *out_bytes, int64_t *out_written_ns);
// The path of an open file, for a message; "?" where the system does not say. Returns `out`.
const char *weft__file_name(int fd, char *out, size_t capacity);

// The value of a variable of the process's environment; NULL where it is not set, and where the process runs
// with more rights than the user who started it (a setuid program): that user must not say what it loads.
const char *weft__getenv_trusted(const char *name);
bool weft__getenv_ignored(const char *name);  // it is set, and not believed
// The first folder on the way to the libraries in the absolute `path`, from "/" down, that everybody may
// change; NULL: there is none. `path` is changed and holds that folder.
const char *weft__open_folder(char *path);
// SPDX-License-Identifier: Apache-2.0
