// fuzz_convert.c - `weft convert` on any bytes. The first two bytes choose the options, the rest is the
// model. What comes out must convert again without options, byte for byte the same, and nothing is written
// before all went well.
#include "frontend/onnx/model.h"
#include "fuzz.h"
#include "weft/convert.h"

static weft_status keep(void *ctx, const char *text, size_t bytes) {
  weft_text *t = ctx;
  weft__text_add(t, text, bytes);
  return t->failed ? WEFT_E_NOMEM : WEFT_OK;
}

static void hear(void *ctx, const char *line) {
  *(size_t *)ctx += strlen(line);
}

// A name of the model, so that cuts and shapes find something.
static const char *some_name(const onnx_model *m, unsigned pick, char *buf, size_t cap) {
  const onnx_graph *g = m->graph;
  onnx_str s = {"x", 1};
  if (pick & 1 && g->inputs.n)
    s = g->inputs.v[pick / 2 % g->inputs.n].name;
  else if (g->nodes.n) {
    const onnx_node *n = &g->nodes.v[pick / 2 % g->nodes.n];
    s = n->outputs.n ? n->outputs.v[0] : n->op_type;
  }
  snprintf(buf, cap, "%.*s", (int)WEFT_MIN(s.bytes, cap - 8), s.text ? s.text : "");
  return buf;
}

static void choose(weft_convert_options *o, unsigned a, unsigned b) {
  o->simplify = a & 1;
  o->annotate = a & 2;
  o->floats = (uint8_t)((a >> 2 & 3) % 3);
  if (a & 16)
    o->batch = 1 + b % 5;
  if ((a & 48) == 32)
    o->batch_name = b & 1 ? "batch" : "?";
  o->keep_metadata = a & 64;
  o->max_value_bytes = b & 64 ? 64 : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static weft_env *env;
  static fuzz_memory memory;
  weft_env *e = fuzz_env(&env, &memory);
  weft_diag d = {0};
  char from[200];
  char to[200];
  char shape[220];
  const char *froms[] = {from};
  const char *tos[] = {to};
  const char *shapes[] = {shape};
  size_t heard = 0;
  if (bytes < 2 || bytes > FUZZ_INPUT_BYTES)
    return 0;
  unsigned a = data[0];
  unsigned b = data[1];
  weft_convert_options o = {.size = sizeof o, .report = hear, .report_ctx = &heard};
  choose(&o, a, b);
  data += 2;
  bytes -= 2;
  weft_arena arena;
  const onnx_model *m;
  weft_allocator plain = weft_allocator_default();
  weft__arena_init(&arena, &plain);
  if (!weft__onnx_read_model(data, bytes, &arena, &m, NULL)) {
    some_name(m, b >> 2, from, sizeof from);
    some_name(m, b >> 1, to, sizeof to);
    snprintf(shape, sizeof shape, "%.190s=%u,%s", some_name(m, b | 1, from, sizeof from), b % 4,
             b & 8 ? "3" : "k");
    if (a & 128 && b & 16) {
      o.from = froms;
      o.n_from = 1;
    }
    if (a & 128 && b & 32) {
      o.to = tos;
      o.n_to = 1;
    }
    if (a & 128 && b & 128) {
      o.shapes = shapes;
      o.n_shapes = 1;
    }
  }
  weft__arena_deinit(&arena);
  weft_text out = fuzz_text();
  weft_text again = fuzz_text();
  weft_status s = weft_onnx_convert(e, data, bytes, "fuzz.onnx", &o, keep, &out, &d);
  FUZZ_CHECK_DIAG(s, &d);
  FUZZ_CHECK(!s || !out.n, "%zu bytes written, then %s", out.n, d.text);
  if (!s) {
    weft_convert_options same = {.size = sizeof same, .keep_metadata = true};
    weft_diag_clear(&d);
    s = weft_onnx_convert(e, out.v, out.n, "again.onnx", &same, keep, &again, &d);
    FUZZ_CHECK(!s, "%s", d.text);
    fuzz_same(&out, &again, "copied");
  }
  weft__text_deinit(&out);
  weft__text_deinit(&again);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
