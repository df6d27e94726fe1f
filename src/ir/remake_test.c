// remake_test.c - constants that go when they were packed and come again when somebody asks.
#include "check.h"
#include "ir/ir.h"
#include "program/program.h"
#include "run_util.h"

// A convolution whose filters a normalisation is folded into: the folded ones sleep once they are packed.
static const char folded[] =
    "graph \"g\" { input x: f32[N,16,8,8] const w: f32[16,16,3,3]{*1} const s: f32[16]{*1.5} const o: "
    "f32[16]{*2} "
    "const m: f32[16]{*0.5} const v: f32[16]{*2} "
    "node c: Conv2D(x, w) {strides=[1,1,1,1], pads=[1,1,1,1], data_format=\"NCHW\"} -> y "
    "node n: BatchNorm(y, s, o, m, v) {data_format=\"NCHW\", is_training=false} -> z, p, q, r, s1, s2 output "
    "z }";

static bool open_folded(run_fixture *f) {
  memset(f, 0, sizeof *f);
  f->passes = true;
  return rows_open(&f->r, "") && run_load(f, folded, NULL);
}

static weft_value *filters(const run_fixture *f) {
  const weft_graph *g = weft_program_graph(f->p);
  for (size_t i = 0; i < g->consts.n; i++)
    if (g->consts.v[i]->n_uses && g->consts.v[i]->fact.value->bytes == 16 * 16 * 9 * 4) return g->consts.v[i];
  return NULL;
}

TEST(a_folded_constant_sleeps_when_packed_and_wakes_when_asked_for) {
  run_fixture f;
  if (!open_folded(&f)) return;
  weft_value *v = filters(&f);
  CHECK(v != NULL);
  if (!v) return;
  CHECK(weft__is_remade(f.p->graph, v->fact.value) && !weft__is_asleep(v->fact.value));
  static float had[16 * 16 * 9];
  memcpy(had, v->fact.value->data, sizeof had);
  run_text(&f, "f32[1,16,8,8]{0..}");
  CHECK(weft__is_asleep(v->fact.value));
  CHECK(weft__value_has_data(v));
  run_text(&f, "f32[3,16,8,8]{0..}");  // another shape, the same packed filters
  CHECK(weft__is_asleep(v->fact.value));
  const weft_tensor *t = weft_value_data(v);
  CHECK(t && t->data && !memcmp(t->data, had, sizeof had));
  run_text(&f, "f32[2,16,8,8]{0..}");
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
    if (!open_folded(&f)) return;
    if (k & 1) run_text(&f, "f32[1,16,8,8]{0..}");
    if (k & 1) CHECK(weft__is_asleep(filters(&f)->fact.value));
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
  for (int k = 0; k < 4; k++) weft__text_deinit(&text[k]);
}

static void sevens(const void *ctx, void *to) {
  memset(to, 7, *(const size_t *)ctx);
}

TEST(what_two_values_share_never_sleeps) {
  weft_env *e = NULL;
  weft_graph *g = NULL;
  weft_diag d = {0};
  static const size_t bytes = 400;
  weft_dim dims[1] = {100};
  CHECK_OK(weft_env_create(NULL, &e, &d), &d);
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  weft_tensor *t[3];
  for (int i = 0; i < 3; i++) {
    t[i] = weft__graph_tensor(g);
    CHECK_OK(weft__tensor_describe(t[i], WEFT_FLOAT, dims, 1, &d), &d);
    CHECK_OK(weft__remake_alloc(g, t[i], bytes, sevens, &bytes, i == 2 ? t[0] : NULL, &d), &d);
    sevens(&bytes, t[i]->data);
  }
  weft_value *a = weft_graph_const(g, "a", t[1], WEFT_CONST_BORROW, &d), *b, *in[2];
  weft_tensor part;
  weft_tensor_init(&part, NULL);
  dims[0] = 50;
  CHECK_OK(weft_tensor_borrow(&part, WEFT_FLOAT, dims, 1, (char *)t[1]->data + 200, 200, &d), &d);
  b = weft_graph_const(g, "b", &part, WEFT_CONST_BORROW, &d);
  CHECK(a && b);
  in[0] = weft_graph_const(g, "c", t[2], WEFT_CONST_BORROW, &d);
  weft_node *n;
  CHECK_OK(weft_graph_add(g, "Neg", NULL, in, 1, &n, &d), &d);
  weft__remake_sleep(g, t[2]);
  CHECK(!weft__is_asleep(t[2]));  // nobody has said that it may
  weft__remakes_allow(g);
  CHECK(weft__is_asleep(t[0]));  // no value has it, another is made of it
  weft__remake_sleep(g, t[1]), weft__remake_sleep(g, t[2]);
  CHECK(!weft__is_asleep(t[1]) && weft__is_asleep(t[2]));
  CHECK_OK(weft__remake_wake(g, t[2], false, &d), &d);
  CHECK(weft__is_asleep(t[0]) && !weft__is_asleep(t[2]) && ((char *)t[2]->data)[399] == 7);
  weft__remake_sleep(g, t[2]);
  CHECK(weft__is_asleep(t[2]));
  CHECK_OK(weft__remake_wake_all(g, &d), &d);
  weft__remake_sleep(g, t[2]);
  CHECK(!weft__is_asleep(t[2]) && !weft__is_asleep(t[0]));
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

// A kernel may be reading what another constant is made of.
TEST(what_is_awake_stays_awake_when_another_is_made_of_it) {
  weft_env *e = NULL;
  weft_graph *g = NULL;
  weft_diag d = {0};
  static const size_t bytes = 400;
  weft_dim dims[1] = {100};
  CHECK_OK(weft_env_create(NULL, &e, &d), &d);
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  weft_tensor *t[2];
  for (int i = 0; i < 2; i++) {
    t[i] = weft__graph_tensor(g);
    CHECK_OK(weft__tensor_describe(t[i], WEFT_FLOAT, dims, 1, &d), &d);
    CHECK_OK(weft__remake_alloc(g, t[i], bytes, sevens, &bytes, i ? t[0] : NULL, &d), &d);
    sevens(&bytes, t[i]->data);
    weft_value *in = weft_graph_const(g, i ? "b" : "a", t[i], WEFT_CONST_BORROW, &d);
    weft_node *n;
    CHECK_OK(weft_graph_add(g, "Neg", NULL, &in, 1, &n, &d), &d);
  }
  weft__remakes_allow(g);
  const void *data = t[0]->data;
  weft__remake_sleep(g, t[1]);
  CHECK_OK(weft__remake_wake(g, t[1], false, &d), &d);
  CHECK(t[0]->data == data);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}
