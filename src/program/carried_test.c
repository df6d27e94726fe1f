// carried_test.c - R251: bytes that operators carry in a program's file come back as they went in, and damage
// is found.
#include <stdlib.h>

#include "base/file.h"
#include "check.h"
#include "program/carried.h"
#include "weft/weft.h"

static const char secret[] = {'a', 0, '\xff', '\n', 0};
static uint8_t back[64];
static size_t back_bytes, saved_nodes;
static weft_dim saved_dim;

static weft_status carrier_infer(weft_infer *it) {
  *it->out[0] = *it->in[0];
  it->out_dtype[0] = it->in_dtype[0];
  return WEFT_OK;
}
static weft_status carrier_ref(const weft_call *c) {
  memcpy(c->out[0]->data, c->in[0]->data, c->in[0]->bytes);
  return WEFT_OK;
}
static weft_status carrier_save(const weft_saving *s) {
  saved_nodes = s->n_nodes;
  saved_dim = s->node[0].in[0].shape.dim[0];
  WEFT_TRY(s->write(s->ctx, secret, 2));
  return s->write(s->ctx, secret + 2, sizeof secret - 2);
}
static weft_status carrier_load(const weft_carried *c) {
  if (c->bytes > sizeof back)
    return c->host->fail(c->d, WEFT_E_LIMIT, "more than I take");
  memcpy(back, c->data, c->bytes);
  back_bytes = c->bytes;
  return strcmp(c->op->name, "Carrier") ? WEFT_E_STATE : WEFT_OK;
}
static const weft_op carrier = {WEFT_OP_HEAD,
                                .name = "Carrier",
                                .in = WEFT_PORTS({"x", NULL, WEFT_DT(FLOAT)}),
                                .out = WEFT_PORTS({"y", NULL, WEFT_DT(FLOAT)}),
                                .infer = carrier_infer,
                                .ref = carrier_ref,
                                .save = carrier_save,
                                .load = carrier_load};

static weft_env *carried_env(const weft_op *op) {
  const weft_env_options o = {.size = sizeof o, .package_path = ""};
  weft_diag d = {0};
  weft_env *e = NULL;
  if (weft_env_create(&o, &e, &d) || weft_register(e, op, 0, &d))
    check_failed(__FILE__, __LINE__, "%s", d.text);
  return e;
}
// A program with two nodes of the operator, as bytes at a multiple of 64.
static uint8_t *carried_file(size_t *bytes) {
  static const char text[] =
      "graph \"g\" { input x: f32[3] node r: Relu(x) -> r node a: Carrier(r) -> a node b: Carrier(a) -> y "
      "output y }";
  weft_env *e = carried_env(&carrier);
  weft_graph *g = NULL;
  weft_program *p = NULL;
  weft_diag d = {0};
  weft_text t;
  weft__text_init(&t, weft_env_allocator(e));
  if (weft_graph_parse(e, text, strlen(text), "test", &g, &d) || weft_compile(g, NULL, &p, &d) ||
      weft_program_save(p, weft__text_write, &t, &d))
    check_failed(__FILE__, __LINE__, "%s", d.text);
  uint8_t *v = aligned_alloc(64, (t.n + 63) / 64 * 64);
  memcpy(v, t.v, t.n);
  *bytes = t.n;
  weft__text_deinit(&t);
  weft_program_release(p);
  weft_env_destroy(e);
  return v;
}

TEST(r251_what_an_operator_carries_comes_back) {
  size_t bytes;
  uint8_t *v = carried_file(&bytes);
  weft_env *e = carried_env(&carrier);
  weft_program *p = NULL;
  weft_diag d = {0};
  CHECK_INT(saved_nodes, 2);
  CHECK_INT(saved_dim, 3);
  back_bytes = 0;
  CHECK_OK(weft_program_load_memory(e, v, bytes, &p, &d), &d);
  CHECK_INT(back_bytes, sizeof secret);
  CHECK(!memcmp(back, secret, sizeof secret));
  weft_program_release(p);
  weft_env_destroy(e);
  free(v);
}

TEST(an_operator_that_takes_nothing_says_so) {
  size_t bytes;
  uint8_t *v = carried_file(&bytes);
  weft_op deaf = carrier;
  weft_program *p = NULL;
  weft_diag d = {0};
  deaf.load = NULL;
  weft_env *e = carried_env(&deaf);
  CHECK_FAILS(weft_program_load_memory(e, v, bytes, &p, &d), WEFT_E_UNSUPPORTED);
  CHECK_HAS(d.text, "operator 'Carrier' takes nothing from a program file");
  CHECK(!p);
  weft_env_destroy(e);
  free(v);
}

// Every byte and every length of the section, without the checksum's help.
TEST(damage_to_the_section_is_found) {
  uint8_t good[64] = {1};
  const char *name = "Carrier";
  weft_env *e = carried_env(&carrier);
  size_t bytes;
  uint8_t *v = carried_file(&bytes);
  weft_program *p = NULL;
  weft_diag d = {0};
  CHECK_OK(weft_program_load_memory(e, v, bytes, &p, &d), &d);
  good[8] = 7;
  good[16] = 5;
  memcpy(good + 24, name, 7);
  CHECK_OK(weft__carried_load(p, good, 40, &d), &d);
  for (size_t n = 0; n < 40; n++) {
    weft_diag_clear(&d);
    CHECK_FAILS(weft__carried_load(p, good, n, &d), WEFT_E_CORRUPT);
  }
  for (size_t i = 0; i < 40; i++) {
    uint8_t bad[64];
    memcpy(bad, good, sizeof bad);
    weft_diag_clear(&d);
    bad[i] ^= 0x80;
    weft_status s = weft__carried_load(p, bad, 40, &d);
    CHECK(i >= 31 && i < 36 ? !s : s == WEFT_E_CORRUPT);  // the operator's own bytes
  }
  weft_diag_clear(&d);
  CHECK_FAILS(weft__carried_load(p, (const uint8_t[]){2, 0, 0, 0, 0, 0, 0, 0}, 8, &d), WEFT_E_CORRUPT);
  weft_program_release(p);
  weft_env_destroy(e);
  free(v);
}
// SPDX-License-Identifier: Apache-2.0
