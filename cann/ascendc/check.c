// check.c - the checked mode.
#include "check.h"

#include <stdlib.h>

#include "run.h"

bool asc_check_wanted(void) {
  return false;
}
void *asc_check_run_make(const weft_asc_launch *l) {
  (void)l;
  return NULL;
}
const char *asc_check_run_end(void *check) {
  (void)check;
  return NULL;
}
void asc_check_run_free(void *check) {
  (void)check;
}
void *asc_check_core_make(weft_asc_core *core, void *run_check) {
  (void)core;
  (void)run_check;
  return NULL;
}
void asc_check_core_free(void *check) {
  (void)check;
}
void asc_check_read(weft_asc_core *c, int p, const void *a, uint64_t n, weft_asc_at w) {
  (void)c;
  (void)p;
  (void)a;
  (void)n;
  (void)w;
}
void asc_check_write(weft_asc_core *c, int p, const void *a, uint64_t n, weft_asc_at w) {
  (void)c;
  (void)p;
  (void)a;
  (void)n;
  (void)w;
}
void asc_check_atomic(weft_asc_core *c, int p, const void *a, uint64_t n, weft_asc_at w) {
  (void)c;
  (void)p;
  (void)a;
  (void)n;
  (void)w;
}
void asc_check_flag_set(weft_asc_core *c, int s, int t, int32_t id, weft_asc_at w) {
  (void)c;
  (void)s;
  (void)t;
  (void)id;
  (void)w;
}
void asc_check_flag_wait(weft_asc_core *c, int s, int t, int32_t id, weft_asc_at w) {
  (void)c;
  (void)s;
  (void)t;
  (void)id;
  (void)w;
}
void asc_check_barrier(weft_asc_core *c, int p) {
  (void)c;
  (void)p;
}
void asc_check_sync_all(weft_asc_core *c) {
  (void)c;
}
void asc_check_give(weft_asc_core *c, weft_asc_buffer *b, int s) {
  (void)c;
  (void)b;
  (void)s;
}
void asc_check_take(weft_asc_core *c, weft_asc_buffer *b, int t) {
  (void)c;
  (void)b;
  (void)t;
}
void asc_check_forget(weft_asc_core *c, const void *a, uint64_t n) {
  (void)c;
  (void)a;
  (void)n;
}
