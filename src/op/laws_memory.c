// laws_memory.c - law 6 and the memory half of law 2. The use runs in an environment of its own whose
// allocator counts, fills new memory with a pattern, and fails one call when asked. Law 6: every allocation
// failed once gives E_NOMEM or the usual end, and nothing stays allocated. Law 2: under two patterns a kernel
// gives the same bits, so it writes every output byte and reads none that was not written.
#include "op/laws.h"
#include "tensor/tensor.h"

static const char LAW_MEMORY[] = "6 (every allocation failed once)";
static const char LAW_WRITTEN[] = "2 (every output element is written)";
enum { MOST_FAILURES = 256 };

static void *memory_fn(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes, size_t align) {
  weft__memory *m = ctx;
  if (new_bytes) {
    m->calls++;
    if (m->fail_at && m->calls == m->fail_at)
      return NULL;
  }
  void *p = m->under.fn(m->under.ctx, ptr, old_bytes, new_bytes, align);
  if (new_bytes && !p)
    return NULL;
  if (new_bytes && !ptr)
    m->blocks++;
  if (!new_bytes && ptr)
    m->blocks--;
  if (new_bytes > (ptr ? old_bytes : 0)) {
    size_t from = ptr ? old_bytes : 0;
    memset((char *)p + from, m->fill, new_bytes - from);
  }
  return p;
}

weft_allocator weft__memory_allocator(weft__memory *m) {
  return (weft_allocator){memory_fn, m};
}

// Runs, or only infers, the example in the poor environment.
static weft_status use_once(weft__laws *l, uint32_t n_out, weft_tensor *out, weft_tensor_desc *desc,
                            weft_diag *d) {
  weft_use use = weft__example_use(l->ex);
  weft_diag_clear(d);
  if (l->ex->runs)
    return weft_run_op(l->poor, l->proto, &use, l->ex->in_ptr, l->ex->n_in, out, n_out, NULL, d);
  return weft_infer_op(l->poor, l->proto, &use, l->ex->in_ptr, l->ex->n_in, desc, n_out, d);
}

static void laws_memory_drop(const weft__laws *l, weft_tensor *out, uint32_t n_out) {
  for (uint32_t i = 0; l->ex->runs && i < n_out; i++)
    weft_tensor_deinit(&out[i]);
}

static bool laws_memory_small(const weft__example *ex) {
  for (size_t i = 0; i < ex->n_in; i++) {
    int64_t n = ex->in_ptr[i] ? weft_tensor_elems(ex->in_ptr[i]) : 0;
    if (n >= WEFT__LAW_ELEMS && ex->in_ptr[i]->data)
      return false;
  }
  for (size_t i = 0; i < ex->n_out; i++) {
    if (weft_tensor_elems(&ex->out[i]) >= WEFT__LAW_ELEMS)
      return false;
  }
  return true;
}

void weft__law_memory(weft__laws *l) {
  if (!laws_memory_small(l->ex) || l->out_of_memory)
    return;
  uint32_t n_out = 0;
  for (uint32_t i = 0; i < l->proto->n_out; i++)
    n_out += l->ex->out_counts[i];
  weft_tensor *out = WEFT_NEW_N(&l->arena, weft_tensor, (size_t)n_out + 1);
  weft_tensor_desc *desc = WEFT_NEW_N(&l->arena, weft_tensor_desc, (size_t)n_out + 1);
  weft_diag d;
  if (!out || !desc) {
    l->out_of_memory = true;
    return;
  }
  long before = l->memory.blocks;
  l->memory.calls = 0;
  weft_status usual = use_once(l, n_out, out, desc, &d);
  long calls = WEFT_MIN(l->memory.calls, MOST_FAILURES);
  laws_memory_drop(l, out, n_out);
  weft__law(l, l->memory.blocks == before, "6 (nothing leaks)", "%ld blocks stay allocated after the call",
            l->memory.blocks - before);
  for (long k = 1; k <= calls; k++) {
    before = l->memory.blocks;
    l->memory.calls = 0;
    l->memory.fail_at = k;
    weft_status s = use_once(l, n_out, out, desc, &d);
    l->memory.fail_at = 0;
    laws_memory_drop(l, out, n_out);
    weft__law(l, s == WEFT_E_NOMEM || s == usual, LAW_MEMORY,
              "with allocation %ld of %ld failed: %s %s, expected E_NOMEM", k, calls, weft_status_name(s),
              d.text);
    weft__law(l, l->memory.blocks == before, "6 (nothing leaks)",
              "%ld blocks leak when allocation %ld of %ld fails", l->memory.blocks - before, k, calls);
  }
}

void weft__law_unwritten(weft__laws *l) {
  if (!l->ex->runs || (l->proto->op->traits & WEFT_RANDOM))
    return;
  weft_tensor *a = weft__law_outputs(l);
  weft_tensor *b = weft__law_outputs(l);
  weft_diag d;
  if (!a || !b)
    return;
  l->memory.fill = 0x5A;
  weft_status s = use_once(l, l->n_out, a, NULL, &d);
  weft_status again = WEFT_OK;
  l->memory.fill = 0xA5;
  if (!s)
    again = use_once(l, l->n_out, b, NULL, &d);
  weft__law(l, !again, LAW_WRITTEN, "the second run fails: %s", d.text);
  for (uint32_t i = 0; !s && !again && i < l->n_out; i++) {
    weft_diag_clear(&d);
    bool same = weft__tensor_same(&a[i], &b[i]);
    if (!same && !weft_tensor_compare(&a[i], &b[i], 0, 0, &d))
      weft_fail(&d, WEFT_E_DIFFERENT, "bits differ");
    weft__law(l, same, LAW_WRITTEN, "output %u depends on what was in memory before, or two runs differ: %s",
              i, d.text);
  }
  weft__law_drop(l, a);
  weft__law_drop(l, b);
}
// SPDX-License-Identifier: Apache-2.0
