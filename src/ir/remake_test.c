// remake_test.c - constants that go when they were packed and come again when somebody asks.
#include "check.h"
#include "ir/ir.h"
#include "program/program.h"
#include "run_util.h"

// A convolution whose filters a normalisation is folded into: the folded ones are made when they are wanted.
static const char folded[] =
    "graph \"g\" { input x: f32[N,32,8,8] const w: f32[64,32,3,3]{*1} const s: f32[64]{*1.5} const o: "
    "f32[64]{*2} "
    "const m: f32[64]{*0.5} const v: f32[64]{*2} "
    "node c: Conv2D(x, w) {strides=[1,1,1,1], pads=[1,1,1,1], data_format=\"NCHW\"} -> y "
    "node n: BatchNorm(y, s, o, m, v) {data_format=\"NCHW\", is_training=false} -> z, p, q, r, s1, s2 output "
    "z }";

static bool open_folded(run_fixture *f) {
  memset(f, 0, sizeof *f);
  f->passes = true;
  return rows_open(&f->r, "") && run_load(f, folded, NULL);
}

enum { FILTERS = 64 * 32 * 9 };

static weft_value *filters(const run_fixture *f) {
  const weft_graph *g = weft_program_graph(f->p);
  for (size_t i = 0; i < g->consts.n; i++) {
    if (g->consts.v[i]->n_uses && g->consts.v[i]->fact.value->bytes == FILTERS * sizeof(float))
      return g->consts.v[i];
  }
  return NULL;
}

TEST(a_folded_constant_sleeps_and_wakes_when_asked_for) {
  run_fixture f;
  if (!open_folded(&f))
    return;
  weft_value *v = filters(&f);
  CHECK(v != NULL);
  if (!v)
    return;
  CHECK(weft__is_remade(f.p->graph, v->fact.value) && weft__is_asleep(v->fact.value));
  static float had[FILTERS];
  static float piece[1000];
  CHECK_OK(weft__remake_wake(f.p->graph, v->fact.value, false, &f.r.d), &f.r.d);
  memcpy(had, v->fact.value->data, sizeof had);
  weft__remake_sleep(f.p->graph, (weft_tensor *)(uintptr_t)v->fact.value);
  CHECK(weft__is_asleep(v->fact.value));
  for (size_t i = 0; i + 1000 <= FILTERS; i += 777)  // in pieces, the same
    CHECK(!memcmp(weft__data_read(f.p->graph, v->fact.value, i * 4, sizeof piece, piece), had + i,
                  sizeof piece));
  run_text(&f, "f32[1,32,8,8]{0..}");
  CHECK(weft__is_asleep(v->fact.value));
  CHECK(weft__value_has_data(v));
  run_text(&f, "f32[3,32,8,8]{0..}");  // another shape, the same packed filters
  CHECK(weft__is_asleep(v->fact.value));
  const weft_tensor *t = weft_value_data(v);
  CHECK(t && t->data && !memcmp(t->data, had, sizeof had));
  run_text(&f, "f32[2,32,8,8]{0..}");
  CHECK(t && t->data && !memcmp(t->data, had, sizeof had));  // it stays
  run_close(&f);
}

static weft_status into(void *ctx, const char *text, size_t bytes) {
  weft__text_add(ctx, text, bytes);
  return WEFT_OK;
}

TEST(printing_and_saving_wake) {
  weft_allocator a = weft_allocator_default();
  weft_text text[4];
  for (int k = 0; k < 4; k++) {
    run_fixture f;
    weft__text_init(&text[k], &a);
    if (!open_folded(&f))
      return;
    if (k & 1)
      run_text(&f, "f32[1,32,8,8]{0..}");
    if (k & 1)
      CHECK(weft__is_asleep(filters(&f)->fact.value));
    if (k < 2)
      CHECK_OK(weft_graph_print(f.p->graph, 0, into, &text[k]), &f.r.d);
    else
      CHECK_OK(weft_program_save(f.p, into, &text[k], &f.r.d), &f.r.d);
    run_close(&f);
  }
  for (int k = 0; k < 4; k += 2) {
    CHECK_INT(text[k].n, text[k + 1].n);
    CHECK(!memcmp(text[k].v, text[k + 1].v, text[k].n));
  }
  for (int k = 0; k < 4; k++)
    weft__text_deinit(&text[k]);
}

static void sevens(const void *ctx, const void *source, size_t at, size_t bytes, void *to) {
  (void)source;
  (void)at;
  memset(to, *(const int *)ctx, bytes);
}

static void add_one(const void *ctx, const void *source, size_t at, size_t bytes, void *to) {
  (void)ctx;
  (void)at;
  for (size_t i = 0; i < bytes; i++)
    ((char *)to)[i] = (char)(((const char *)source)[i] + 1);
}

typedef struct remade {
  weft_env *e;
  weft_graph *g;
  weft_diag d;
  weft_tensor *t[4];
} remade;

enum { BYTES = 400 };

// [0] is sevens, [1] too, [2] is made of [0], [3] is one number.
static bool open_remade(remade *f, const int *seven, const weft_tensor *one) {
  weft_dim dims[1] = {BYTES / 4};
  memset(f, 0, sizeof *f);
  CHECK(!weft_env_create(NULL, &f->e, &f->d));
  CHECK(!weft_graph_create(f->e, "g", &f->g, &f->d));
  for (int i = 0; i < 4; i++) {
    f->t[i] = weft__graph_tensor(f->g);
    CHECK(!weft__tensor_describe(f->t[i], WEFT_FLOAT, dims, 1, &f->d));
    if (i == 3)
      CHECK(!weft__remake_filled(f->g, f->t[i], BYTES, one, &f->d));
    else if (i == 2)
      CHECK(!weft__remake_const(f->g, f->t[i],
                                &(weft__recipe){.fn = add_one, .from = f->t[0], .bytes = BYTES}, &f->d));
    else
      CHECK(!weft__remake_const(f->g, f->t[i], &(weft__recipe){.fn = sevens, .ctx = seven, .bytes = BYTES},
                                &f->d));
    CHECK(weft__is_asleep(f->t[i]));
  }
  return !f->d.status;
}

static void close_remade(remade *f) {
  weft_graph_destroy(f->g);
  weft_env_destroy(f->e);
}

TEST(a_view_of_what_sleeps_sleeps) {
  static const int seven = 7;
  float number = 2.5f;
  weft_tensor one;
  remade f;
  weft_dim dims[2] = {BYTES / 8, 2};
  weft_tensor_init(&one, NULL);
  CHECK(!weft_tensor_borrow(&one, WEFT_FLOAT, dims + 1, 0, &number, sizeof number, NULL));
  if (!open_remade(&f, &seven, &one))
    return;
  char piece[2][40];
  for (int i = 0; i < 4; i++) {
    weft_tensor *t = weft__graph_tensor(f.g);
    CHECK(!weft__tensor_describe(t, WEFT_FLOAT, dims, 2, &f.d));
    CHECK_OK(weft__remake_view(f.g, t, f.t[i], &f.d), &f.d);
    CHECK(weft__is_asleep(t) && weft__is_asleep(f.t[i]) && t->bytes == BYTES);
    CHECK(!memcmp(weft__data_read(f.g, t, 80, 40, piece[0]), weft__data_read(f.g, f.t[i], 80, 40, piece[1]),
                  40));
    CHECK(weft__data_number(f.g, t) == weft__data_number(f.g, f.t[i]));
    CHECK_OK(weft__remake_wake(f.g, f.t[i], true, &f.d), &f.d);  // a view does not need it awake, nor asleep
    CHECK(!memcmp(weft__data_read(f.g, t, 0, 40, piece[0]), f.t[i]->data, 40));
  }
  close_remade(&f);
}

TEST(what_two_values_share_never_sleeps) {
  static const int seven = 7;
  float number = 2.5f;
  weft_tensor part;
  weft_tensor one;
  remade f;
  weft_dim dims[1] = {1};
  weft_tensor_init(&one, NULL);
  weft_tensor_init(&part, NULL);
  CHECK(!weft_tensor_borrow(&one, WEFT_FLOAT, dims, 1, &number, sizeof number, NULL));
  if (!open_remade(&f, &seven, &one))
    return;
  weft_value *a = weft_graph_const(f.g, "a", f.t[1], WEFT_CONST_BORROW, &f.d);
  weft_value *b;
  weft_value *c;
  CHECK(a && weft_value_data(a) && ((const char *)f.t[1]->data)[399] == 7);
  dims[0] = 50;
  CHECK_OK(weft_tensor_borrow(&part, WEFT_FLOAT, dims, 1, (char *)f.t[1]->data + 200, 200, &f.d), &f.d);
  b = weft_graph_const(f.g, "b", &part, WEFT_CONST_BORROW, &f.d);
  c = weft_graph_const(f.g, "c", f.t[2], WEFT_CONST_BORROW, &f.d);
  CHECK(b && c);
  weft_node *n;
  CHECK_OK(weft_graph_add(f.g, "Neg", NULL, &c, 1, &n, &f.d), &f.d);
  CHECK_OK(weft__remake_wake(f.g, f.t[2], false, &f.d), &f.d);
  CHECK(weft__is_asleep(f.t[0]) && ((char *)f.t[2]->data)[399] == 8);
  weft__remake_sleep(f.g, f.t[2]);
  CHECK(!weft__is_asleep(f.t[2]));  // nobody has said that it may
  CHECK_OK(weft__remakes_allow(f.g, &f.d), &f.d);
  CHECK(weft__is_asleep(f.t[2]));
  weft__remake_sleep(f.g, f.t[1]);
  CHECK(!weft__is_asleep(f.t[1]) && weft__is_asleep(f.t[0]) && weft__is_asleep(f.t[3]));
  CHECK_OK(weft__remake_wake_all(f.g, &f.d), &f.d);
  for (int i = 0; i < 4; i++)
    weft__remake_sleep(f.g, f.t[i]);
  CHECK(!weft__is_asleep(f.t[2]) && !weft__is_asleep(f.t[0]) && ((float *)f.t[3]->data)[99] == number);
  close_remade(&f);
}

TEST(what_is_asleep_is_compared_by_how_it_is_made) {
  static const int seven = 7;
  float number = 2.5f;
  weft_tensor one;
  remade f;
  weft_dim dims[1] = {1};
  weft_tensor_init(&one, NULL);
  CHECK(!weft_tensor_borrow(&one, WEFT_FLOAT, dims, 1, &number, sizeof number, NULL));
  if (!open_remade(&f, &seven, &one))
    return;
  weft_tensor *same = weft__graph_tensor(f.g);
  weft_tensor *shorter = weft__graph_tensor(f.g);
  dims[0] = BYTES / 4;
  CHECK_OK(weft__tensor_describe(same, WEFT_FLOAT, dims, 1, &f.d), &f.d);
  CHECK_OK(weft__remake_filled(f.g, same, BYTES, &one, &f.d), &f.d);
  dims[0] = BYTES / 8;
  CHECK_OK(weft__tensor_describe(shorter, WEFT_FLOAT, dims, 1, &f.d), &f.d);
  CHECK_OK(weft__remake_filled(f.g, shorter, BYTES / 2, &one, &f.d), &f.d);
  CHECK(weft__data_same(f.g, f.t[3], same) && weft__data_same(f.g, f.t[0], f.t[0]));
  CHECK(!weft__data_same(f.g, f.t[3], shorter) && !weft__data_same(f.g, f.t[0], f.t[3]));
  CHECK(weft__data_number(f.g, f.t[3]) == &one && !weft__data_number(f.g, f.t[0]));
  CHECK(weft__remake_ctx(f.g, f.t[0], sevens) == &seven && !weft__remake_ctx(f.g, f.t[0], add_one));
  close_remade(&f);
}

TEST(what_is_made_of_what_is_made_goes_only_so_deep) {
  static const int seven = 7;
  float number = 0;
  weft_tensor one;
  remade f;
  weft_dim dims[1] = {1};
  weft_tensor_init(&one, NULL);
  CHECK(!weft_tensor_borrow(&one, WEFT_FLOAT, dims, 1, &number, sizeof number, NULL));
  if (!open_remade(&f, &seven, &one))
    return;
  weft_tensor *last = f.t[2];
  dims[0] = BYTES / 4;
  for (int i = 0; i < 20; i++) {
    weft_tensor *next = weft__graph_tensor(f.g);
    CHECK_OK(weft__tensor_describe(next, WEFT_FLOAT, dims, 1, &f.d), &f.d);
    CHECK_OK(
        weft__remake_const(f.g, next, &(weft__recipe){.fn = add_one, .from = last, .bytes = BYTES}, &f.d),
        &f.d);
    last = next;
  }
  char piece[8];
  CHECK(((const char *)weft__data_read(f.g, last, 396, 4, piece))[3] == 28);
  close_remade(&f);
}

// A kernel may be reading what another constant is made of.
TEST(what_is_awake_stays_awake_when_another_is_made_of_it) {
  static const int seven = 7;
  float number = 0;
  weft_tensor one;
  remade f;
  weft_dim dims[1] = {1};
  weft_tensor_init(&one, NULL);
  CHECK(!weft_tensor_borrow(&one, WEFT_FLOAT, dims, 1, &number, sizeof number, NULL));
  if (!open_remade(&f, &seven, &one))
    return;
  for (int i = 0; i < 3; i += 2) {
    weft_value *in = weft_graph_const(f.g, i ? "b" : "a", f.t[i], WEFT_CONST_BORROW, &f.d);
    weft_node *n;
    CHECK_OK(weft_graph_add(f.g, "Neg", NULL, &in, 1, &n, &f.d), &f.d);
  }
  CHECK_OK(weft__remakes_allow(f.g, &f.d), &f.d);
  CHECK_OK(weft__remake_wake(f.g, f.t[0], false, &f.d), &f.d);
  const void *data = f.t[0]->data;
  char piece[8];
  CHECK(data && ((const char *)weft__data_read(f.g, f.t[2], 396, 4, piece))[3] == 8);
  CHECK_OK(weft__remake_wake(f.g, f.t[2], false, &f.d), &f.d);
  weft__remake_sleep(f.g, f.t[2]);
  CHECK(f.t[0]->data == data && weft__is_asleep(f.t[2]));
  close_remade(&f);
}
// SPDX-License-Identifier: Apache-2.0
