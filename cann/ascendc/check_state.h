// check_state.h - what check.c and check_global.c share: clocks of pipes, and cells of 32 bytes.
#pragma once
#include "check.h"
#include "run.h"

enum { CHECK_PIPES = 7, CHECK_CELL = 32, CHECK_EVENTS = 8, CHECK_BUFFERS = 64 };

// How much of every pipe's work is known to be done.
typedef struct check_clock {
  uint32_t of[CHECK_PIPES];
} check_clock;

// The last accesses of 32 bytes. Bit i of a mask: byte i.
typedef struct check_cell {
  uint64_t key;      // of global memory: address / 32, and the epoch
  uint32_t written;  // by write_pipe at write_time
  uint32_t added;    // of those, by atomic additions
  uint32_t write_time;
  int write_line;
  const char *write_file;
  uint32_t read[CHECK_PIPES];  // which bytes
  uint32_t read_time[CHECK_PIPES];
  int read_line;  // of the last read
  uint8_t write_pipe;
  const char *read_file;
} check_cell;

// Cells of global memory by key: a table of open addressing.
typedef struct check_table {
  check_cell *cells;
  uint32_t used, room;
  bool full;  // there were more than it holds: the rest was not checked
} check_table;

typedef struct check_run {
  const weft_asc_launch *launch;
  check_table *logs;  // of each key, when its block ended
  bool cross;         // cores waited for one another by flags
  char found[1024];
} check_run;

typedef struct check_core {
  weft_asc_core *core;
  check_run *run;
  uint32_t key;
  check_clock pipes[CHECK_PIPES];
  check_clock flags[CHECK_PIPES][CHECK_PIPES][CHECK_EVENTS];
  weft_asc_at flags_at[CHECK_PIPES][CHECK_PIPES][CHECK_EVENTS];  // where each was set
  check_clock orders[CHECK_BUFFERS];
  check_cell *cells[WEFT_ASC_REGIONS];
  uint32_t *written[WEFT_ASC_REGIONS];  // a bit for each byte
  check_table global;
  uint32_t epoch;
} check_core;

// The cell of a global address in the core's epoch; NULL: no room.
check_cell *check_global_cell(check_core *c, uint64_t address);
void check_table_free(check_table *t);
// SPDX-License-Identifier: Apache-2.0
