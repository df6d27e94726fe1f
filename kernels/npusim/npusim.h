// npusim.h - a simulated NPU: memory of its own, streams on threads of their own, a clock that counts what
// things cost instead of how long this machine took. Layer: kernels.
//
// Addresses of its memory lie in a range that nobody may touch: the host finds a fault there, not data. What
// is stored lies elsewhere; a launch translates its arguments, so a pointer that is not the device's is
// refused.
//
// Clock: each stream has its own, from 0. A copy or a launch moves it by its cost; a wait moves it to the
// time at which the event was recorded, if that is later. The host takes no time itself, but what it hands
// over after it waited for a stream or an event begins no earlier than that one ended. Costs come from
// kernels and from the table in device.c, so the same program gives the same times everywhere.
#pragma once
#include <pthread.h>

#include "device/device.h"

enum { NPUSIM_CORES = 8, NPUSIM_STREAMS = 16, NPUSIM_QUEUE = 256, NPUSIM_ARGS = 256, NPUSIM_WORKSPACES = 16 };

typedef struct npusim_piece {  // of memory, given out
  uint64_t at;
  uint64_t bytes;
} npusim_piece;

typedef struct npusim {
  weft_allocator alloc;
  char *address, *store;  // of the same size: what pointers say, where the bytes are
  uint64_t bytes;
  WEFT_VEC(npusim_piece) pieces;  // by rising place
  pthread_mutex_t lock;           // of all streams and events
  pthread_cond_t changed;
  struct npusim_stream *streams;
  uint64_t host_ns;  // the latest time that the host has waited for
  pid_t process;     // the streams' threads are in this one: a child of it makes its own
} npusim;

typedef struct npusim_event {
  struct npusim_event *next;
  uint64_t asked, passed;  // records
  uint64_t at_ns;          // of the last one passed
} npusim_event;

// Streams and events: queue.c.
weft_status weft__npusim_stream_create(void *dev, void **out, weft_diag *d);
void weft__npusim_stream_destroy(void *dev, void *stream);
weft_status weft__npusim_stream_sync(void *dev, void *stream, weft_diag *d);
weft_status weft__npusim_copy_in(void *dev, void *stream, void *to, const void *from, size_t bytes,
                                 weft_device_times *times, weft_diag *d);
weft_status weft__npusim_copy_out(void *dev, void *stream, void *to, const void *from, size_t bytes,
                                  weft_device_times *times, weft_diag *d);
weft_status weft__npusim_launch(void *dev, void *stream, const weft_device_launch *l, weft_diag *d);
weft_status weft__npusim_event_create(void *dev, void **out, weft_diag *d);
void weft__npusim_event_destroy(void *dev, void *event);
weft_status weft__npusim_event_record(void *dev, void *stream, void *event, weft_diag *d);
weft_status weft__npusim_event_wait(void *dev, void *stream, void *event, weft_diag *d);
weft_status weft__npusim_event_sync(void *dev, void *event, weft_diag *d);

void weft__npusim_properties(weft_device_properties *out);
// Where the bytes of a device address are; NULL: not in its memory, or not wholly.
void *weft__npusim_translate(const npusim *n, const void *p, size_t bytes);

// ---- of its kernels ----
// What every kernel of the device needs: whole dtypes, plain formats, shapes that are known. NULL: it is so.
const char *weft__npusim_plain(const weft_tiling *t, weft_dtype dtype);
int64_t weft__npusim_elems(const weft_shape *s);
// Cuts n items over the cores: blocks, and how many items each does.
uint32_t weft__npusim_cut(int64_t n, int64_t least, int64_t *out_each);
// SPDX-License-Identifier: Apache-2.0
