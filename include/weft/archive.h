// weft/archive.h - a bound on what is read of a stranger's .npz archive (weft/tensor.h reads them), and where
// the plug-in is that unpacks it.
#pragma once
#include "weft/tensor.h"
#ifdef __cplusplus
extern "C" {
#endif
// What weft_npz_get may read of this archive in all, in bytes as they are unpacked: a deflated entry can have
// a thousand times as many as the file. E_LIMIT beyond that. 0: no limit, as at the beginning. An archive
// with a limit is read by one thread. z NULL: nothing happens.
WEFT_API void weft_npz_set_limit(weft_npz *z, uint64_t memory_limit_bytes);
// The folder of plug-ins for this archive, as weft_env_options.plugin_folder is for an environment. Only
// deflated entries need the plug-in weft_zlib. NULL: as at the beginning. E_NOMEM.
WEFT_API WEFT_MUST weft_status weft_npz_set_plugin_folder(weft_npz *z, const char *folder, weft_diag *d);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
