// weft/archive.h - a bound on what is read of a stranger's .npz archive (weft/tensor.h reads them).
#pragma once
#include "weft/tensor.h"
#ifdef __cplusplus
extern "C" {
#endif
// What weft_npz_get may read of this archive in all, in bytes as they are unpacked: a deflated entry can have a thousand
// times as many as the file. E_LIMIT beyond that. 0: no limit, as at the beginning. An archive with a limit is read by one
// thread. z NULL: nothing happens.
WEFT_API void weft_npz_set_limit(weft_npz *z, uint64_t memory_limit_bytes);
#ifdef __cplusplus
}
#endif
