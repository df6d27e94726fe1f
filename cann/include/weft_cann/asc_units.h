// weft_cann/asc_units.h - the C interface of the register, SIMT and cube units: what libweft_ascendc does for
// asc_reg.h, asc_simt.h and asc_cube.h. asc_core.h has the rest.
#pragma once
#include "weft_cann/asc_core.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- registers ----

// How many of `bytes` at an on-chip address a register may read: those that its memory has from there on, as
// lanes beyond it are zero. The launch fails where `at` is in no on-chip memory or not a multiple of `align`.
WEFT_ASC uint64_t weft_asc_register_read(const void *from, uint64_t bytes, uint32_t align, weft_asc_at at);
WEFT_ASC void weft_asc_register_write(void *to, uint64_t bytes, uint32_t align, weft_asc_at at);
// n elements of `from` into those of `to`, by AscendC::RoundMode; integers saturate, NaN becomes 0.
WEFT_ASC void weft_asc_register_convert(void *dst, weft_asc_dtype to, const void *src, weft_asc_dtype from,
                                        int round, uint32_t n);

// ---- threads ----

typedef struct weft_asc_thread {
  uint32_t at[3], count[3];  // x, y, z
} weft_asc_thread;
// body(arg) in each of count[0] * count[1] * count[2] threads, at most 2048.
WEFT_ASC void weft_asc_threads_run(void (*body)(void *arg), void *arg, const uint32_t count[3],
                                   weft_asc_at at);
// The thread that calls: outside of weft_asc_threads_run the only one.
WEFT_ASC const weft_asc_thread *weft_asc_thread_current(void);
// Until all threads that have not ended are here; `warp`: those of the caller's 32.
WEFT_ASC void weft_asc_threads_wait(bool warp, weft_asc_at at);
// What thread `lane` of the caller's 32 gave, as all of them call this; the caller's own where there is no
// such thread.
WEFT_ASC uint64_t weft_asc_threads_exchange(uint64_t value, uint32_t lane, weft_asc_at at);

#ifdef __cplusplus
}
#endif
