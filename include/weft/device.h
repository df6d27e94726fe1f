// weft/device.h - a device: memory of its own, copies, streams that run kernels one after the other, and
// events between streams. A package brings devices in its section WEFT_SECTION_DEVICE; `cpu` and `npusim` are
// built in. Kernels name the device that they are for (weft_kernel.device).
//
// One weft_exec opens a device once (`open`) and calls it from one thread. Streams may run what they are
// given at any time later, each in order; what two streams do is ordered by events only. Copies and launches
// return before they are done: memory that they read or write stays as it is until the stream has passed
// them.
#pragma once
#include "weft/op.h"
#ifdef __cplusplus
extern "C" {
#endif

struct weft_env;
typedef struct weft_device_setup {
  uint32_t size;
  const struct weft_host *host;  // fail, note
  weft_allocator alloc;          // for what the device keeps on the host
} weft_device_setup;

typedef struct weft_device_properties {
  uint32_t size;
  uint32_t cores;         // blocks that run at the same time
  uint32_t streams;       // at most
  uint32_t align;         // of allocations, bytes
  uint64_t memory_bytes;  // 0: not known
  double copy_ns;         // of a copy between host and device: fixed part,
  double copy_ns_per_byte;
  double launch_ns;  // of a launch, beside the kernel's own cost
  bool host_memory;  // kernels of the host may read and write its memory
} weft_device_properties;

// When a stream passed something, on the device's clock since it was opened. Filled by then.
typedef struct weft_device_times {
  uint64_t begin_ns, end_ns;
} weft_device_times;

// One launch: `blocks` blocks in each of `phases` phases, one phase after the other. arg, workspace and
// shape_out (NULL: the kernel finds no shapes) are device memory; the lists and `block.data` (host) stay as
// they are until the stream has passed it.
typedef struct weft_device_launch {
  uint32_t size;
  uint32_t n_args, n_workspaces, phases;
  weft_block block;  // block and phase are the device's to fill
  weft_block_fn run;
  const char *name;          // of the kernel
  double cost_ns;            // what the kernel says of itself; 0: not known
  weft_device_times *times;  // NULL: nobody asks
  const char *node;          // for messages
  uint32_t n_in;             // the first arguments: inputs, only read unless an output lies there, too
  // of each argument, then of each workspace; NULL: not known (an execute function's launch)
  const uint64_t *bytes;
} weft_device_launch;

typedef struct weft_device {
  uint32_t size;
  const char *name, *summary;
  void (*properties)(weft_device_properties *out);  // without opening it; out->size is set
  weft_status (*open)(const weft_device_setup *setup, void **out, weft_diag *d);
  void (*close)(void *dev);  // waits for its streams; frees all that is left
  weft_status (*alloc)(void *dev, size_t bytes, void **out, weft_diag *d);  // E_NOMEM; not zeroed
  // NULL allowed; no stream uses it any more
  void (*free)(void *dev, void *p);
  weft_status (*stream_create)(void *dev, void **out, weft_diag *d);
  void (*stream_destroy)(void *dev, void *stream);  // waits
  // Waits until the stream is empty. The first failure of what it ran since the last sync comes out here, and
  // what was queued behind it was not run.
  weft_status (*stream_sync)(void *dev, void *stream, weft_diag *d);
  weft_status (*copy_in)(void *dev, void *stream, void *to, const void *from, size_t bytes,
                         weft_device_times *times,
                         weft_diag *d);  // host -> device
  weft_status (*copy_out)(void *dev, void *stream, void *to, const void *from, size_t bytes,
                          weft_device_times *times,
                          weft_diag *d);  // device -> host
  weft_status (*launch)(void *dev, void *stream, const weft_device_launch *l, weft_diag *d);
  weft_status (*event_create)(void *dev, void **out, weft_diag *d);
  void (*event_destroy)(void *dev, void *event);  // recorded and passed
  weft_status (*event_record)(void *dev, void *stream, void *event, weft_diag *d);  // anew each time
  // the stream waits for the last record
  weft_status (*event_wait)(void *dev, void *stream, void *event, weft_diag *d);
  weft_status (*event_sync)(void *dev, void *event, weft_diag *d);                  // the caller waits
} weft_device;

// Built-in devices first, then those of packages, by index; NULL at the end.
WEFT_API const weft_device *weft_device_at(const struct weft_env *e, size_t i);  // NULL at the end
// NULL: there is none
WEFT_API const weft_device *weft_device_find(const struct weft_env *e, const char *name);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
