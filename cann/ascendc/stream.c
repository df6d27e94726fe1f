// stream.c - launches that go to a stream: whoever has streams runs them in order.
#include <stdatomic.h>

#include "weft_cann/asc_core.h"

static _Atomic(weft_asc_stream_fn) stream_run;

void weft_asc_set_streams(weft_asc_stream_fn run) {
  atomic_store(&stream_run, run);
}

int weft_asc_run_on(void *stream, const weft_asc_launch *launch) {
  const weft_asc_stream_fn run = atomic_load(&stream_run);
  return run ? run(stream, launch) : weft_asc_run(launch);
}
// SPDX-License-Identifier: Apache-2.0
