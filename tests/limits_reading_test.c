// limits_reading_test.c - limits of memory and time, and the flag that stops, while a model is read in each
// of its forms.
#include "check.h"
#include "base/base.h"
#include "limits_util.h"

// Whatever the form: text, JSON, weft's own bytes, ONNX.
static weft_status read_form(weft_env *e, int form, const void *data, size_t bytes, weft_diag *d) {
  weft_graph *g = NULL;
  weft_status s = form == 0   ? weft_graph_parse(e, data, bytes, "t", &g, d)
                  : form == 1 ? weft_simple_read(e, data, bytes, "j", &g, d)
                  : form == 2 ? weft_graph_load(e, data, bytes, &g, d)
                              : weft_onnx_read(e, data, bytes, "o", &g, d);
  weft_graph_destroy(g);
  return s;
}

static void put_json(weft_text *t, int n) {
  weft__text_addf(t, "{\"name\": \"m\", \"ops\": [");
  for (int i = 0; i < n; i++) {
    weft__text_addf(
        t,
        "%s{\"name\": \"n%d\", \"type\": \"Relu\", \"inputs\": [{\"name\": \"x\", \"shape\": [4], "
        "\"data_type\": \"float32\"}], \"outputs\": [{\"name\": \"y\", \"shape\": [4], "
        "\"data_type\": \"float32\"}]}",
        i ? ", " : "", i);
  }
  weft__text_addf(t, "]}");
}

// An ONNX model with one node of `n` integers in an attribute, packed.
static void put_onnx(weft_text *t, size_t n) {
  static const char head[] = {0x08, 0x08, 0x3a};  // ir_version 8, graph
  weft__text_add(t, head, sizeof head);
  for (size_t left = n; left; left >>= 7) {
    char byte = (char)((left & 127) | (left > 127 ? 128 : 0));
    weft__text_add(t, &byte, 1);
  }
  for (size_t i = 0; i < n; i += 2)
    weft__text_add(t, "\xa0\x01", 2);  // field 20 of GraphProto: nobody knows it
}

static void make_form(weft_env *e, int form, weft_text *t) {
  weft_diag d = {0};
  weft__text_init(t, NULL);
  if (form == 0 || form == 2) {
    weft__text_addf(t, "graph \"g\" { input v0: f32[4] ");
    for (int i = 0; i < 2000; i++)
      weft__text_addf(t, "node n%d: Relu(v%d) -> v%d ", i, i, i + 1);
    weft__text_addf(t, "output v2000 }");
  }
  if (form == 1)
    put_json(t, 500);
  if (form == 3)
    put_onnx(t, 1 << 16);
  if (form != 2)
    return;
  weft_graph *g = limits_graph(e, t->v, &d);
  weft_text bytes;
  weft__text_init(&bytes, NULL);
  CHECK(!weft_graph_save(g, weft__text_write, &bytes, &d));
  weft_graph_destroy(g);
  weft__text_deinit(t);
  *t = bytes;
}

TEST(time_memory_and_the_flag_end_reading_in_every_form) {
  static volatile int flag = 1;
  weft_env *free_one = limits_env(0, 0, NULL);
  weft_env *late = limits_env(0, 1, NULL);
  weft_env *off = limits_env(0, 0, &flag);
  weft_env *small = limits_env(100000, 0, NULL);
  for (int form = 0; form < 4; form++) {
    weft_diag d = {0};
    weft_text t;
    make_form(free_one, form, &t);
    CHECK_INT(read_form(late, form, t.v, t.n, &d), WEFT_E_LIMIT);
    CHECK_HAS(d.text, "the time limit of 1 ns was reached");
    weft_diag_clear(&d);
    CHECK_INT(read_form(off, form, t.v, t.n, &d), WEFT_E_CANCELLED);
    CHECK_HAS(d.text, "cancelled by the caller");
    weft_diag_clear(&d);
    if (form < 3)
      CHECK_INT(read_form(small, form, t.v, t.n, &d), WEFT_E_LIMIT);
    if (form < 3)
      CHECK_HAS(d.text, "the memory limit of 100000 bytes");
    weft__text_deinit(&t);
  }
  weft_env_destroy(free_one);
  weft_env_destroy(late);
  weft_env_destroy(off);
  weft_env_destroy(small);
}

// Nothing of it asks for memory: 64 MB of fields that nobody knows, and a constant of many elements in a
// text.
TEST(time_ends_reading_in_the_middle_of_a_message_and_of_a_constant) {
  weft_env *e = limits_env(0, 20000000, NULL);
  weft_diag d = {0};
  weft_text t;
  weft__text_init(&t, NULL);
  put_onnx(&t, 64 << 20);
  double begin = check_seconds();
  CHECK_INT(read_form(e, 3, t.v, t.n, &d), WEFT_E_LIMIT);
  CHECK_HAS(d.text, "time limit");
  CHECK(!check_too_long(check_seconds() - begin, 0.5));
  weft__text_deinit(&t);

  weft_diag_clear(&d);
  weft__text_init(&t, NULL);
  weft__text_addf(&t, "graph \"g\" { const c: f32[4000000]{");
  for (int i = 0; i < 4000000; i++)
    weft__text_add(&t, "0.5,", i + 1 < 4000000 ? 4 : 3);
  weft__text_addf(&t, "} output c }");
  begin = check_seconds();
  CHECK_INT(read_form(e, 0, t.v, t.n, &d), WEFT_E_LIMIT);
  CHECK_HAS(d.text, "time limit");
  CHECK(!check_too_long(check_seconds() - begin, 0.5));
  weft__text_deinit(&t);
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
