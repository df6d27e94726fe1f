// session_test.c - graphs by number, pools of execs, runs on other threads.
#include "weft/session.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "check.h"
#include "weft/compile.h"

// y = Gate(x): a copy of x that waits while `closed`, counts who is inside, and fails when x[0] is 13.
static atomic_int closed, inside, most_inside, entered;
static weft_status gate_infer(weft_infer *it) {
  WEFT_TRY(weft_set_out_dtype(it, 0, it->in_dtype[0]));
  return weft_set_out_shape(it, 0, it->in[0]->dim, it->in[0]->rank);
}
static weft_status gate_ref(const weft_call *c) {
  int now = atomic_fetch_add(&inside, 1) + 1;
  int most = atomic_load(&most_inside);
  while (now > most && !atomic_compare_exchange_weak(&most_inside, &most, now)) {
  }
  atomic_fetch_add(&entered, 1);
  while (atomic_load(&closed))
    sched_yield();
  const float *x = c->in[0]->data;
  bool bad = c->in[0]->bytes && x[0] == 13;
  if (c->in[0]->bytes)
    memcpy(c->out[0]->data, x, c->in[0]->bytes);
  atomic_fetch_sub(&inside, 1);
  return bad ? c->host->fail(c->d, WEFT_E_KERNEL, "x[0] is 13") : WEFT_OK;
}
static const weft_column f32[] = {{WEFT_FLOAT, WEFT_ND}};
static const weft_op gate = {WEFT_OP_HEAD,
                             .name = "TestGate",
                             .in = WEFT_PORTS({"x", .columns = f32}),
                             .n_columns = 1,
                             .out = WEFT_PORTS({"y", .columns = f32}),
                             .infer = gate_infer,
                             .ref = gate_ref,
                             .traits = WEFT_SIDE_EFFECT};

typedef struct fixture {
  weft_env *env;
  weft_session *s;
  weft_diag d;
} fixture;

static bool open_session(fixture *f, const weft_session_options *o) {
  memset(f, 0, sizeof *f);
  atomic_store(&closed, 0);
  atomic_store(&entered, 0);
  atomic_store(&most_inside, 0);
  weft_env_options e = {.package_path = ""};
  bool ok = !weft_env_create(&e, &f->env, &f->d) && !weft_register(f->env, &gate, 0, &f->d) &&
            !weft_session_create(f->env, o, &f->s, &f->d);
  if (!ok)
    check_failed(__FILE__, __LINE__, "%s", f->d.text);
  return ok;
}
static void close_session(fixture *f) {
  weft_session_destroy(f->s);
  weft_env_destroy(f->env);
}

static weft_status add(fixture *f, uint32_t id, const char *text) {
  weft_graph *g;
  WEFT_TRY(weft_graph_parse(f->env, text, strlen(text), "test", &g, &f->d));
  return weft_session_add_graph(f->s, id, g, NULL, &f->d);
}
static const char negate[] = "graph \"neg\" { input x: f32[N] node n: Neg(x) -> y output y }";
static const char gated[] = "graph \"gated\" { input x: f32[N] node n: TestGate(x) -> y output y }";

// One value through graph `id`; the output's only element, or -1000 with the status in f->d.
static float once(weft_session *s, uint32_t id, float x, weft_diag *d) {
  weft_tensor in;
  weft_tensor out;
  weft_tensor_init(&in, NULL);
  weft_tensor_init(&out, NULL);
  weft_diag_clear(d);
  weft_status status = weft_tensor_borrow(&in, WEFT_FLOAT, (weft_dim[]){1}, 1, &x, sizeof x, d);
  if (!status)
    status = weft_session_run(s, id, (const weft_tensor *[]){&in}, 1, (weft_tensor *[]){&out}, 1, d);
  float y = status ? -1000 : *weft_tensor_f32(&out);
  weft_tensor_deinit(&out);
  return y;
}

TEST(r168_numbers_are_unique_and_must_exist) {
  fixture f;
  if (!open_session(&f, NULL))
    return;
  CHECK_OK(add(&f, 0, negate), &f.d);
  CHECK_INT(weft_session_count(f.s), 1);
  CHECK_FAILS(add(&f, 0, gated), WEFT_E_EXISTS);
  CHECK_HAS(f.d.text, "the session has a graph 0 already: 'neg'");
  CHECK_F64(once(f.s, 0, 2, &f.d), -2, 0);
  CHECK_F64(once(f.s, 7, 2, &f.d), -1000, 0);
  CHECK_INT(f.d.status, WEFT_E_NOT_FOUND);
  CHECK_HAS(f.d.text, "the session has no graph 7");
  weft_diag_clear(&f.d);
  for (uint32_t id = 40; id > 1; id -= 3)
    CHECK_OK(add(&f, id, id % 2 ? negate : gated), &f.d);
  for (uint32_t id = 40; id > 1; id -= 3)
    CHECK_F64(once(f.s, id, 2, &f.d), id % 2 ? -2 : 2, 0);
  weft_diag_clear(&f.d);
  CHECK_OK(weft_session_remove(f.s, 0, &f.d), &f.d);
  CHECK_FAILS(weft_session_remove(f.s, 0, &f.d), WEFT_E_NOT_FOUND);
  CHECK_F64(once(f.s, 0, 2, &f.d), -1000, 0);
  CHECK_INT(f.d.status, WEFT_E_NOT_FOUND);
  weft_diag_clear(&f.d);
  CHECK_OK(add(&f, 0, gated), &f.d);  // the number is free again
  CHECK_F64(once(f.s, 0, 2, &f.d), 2, 0);
  weft_program *p = weft_session_program(f.s, 0);
  CHECK(!weft_session_program(f.s, 1));
  CHECK_OK(weft_session_remove(f.s, 0, &f.d), &f.d);
  CHECK_STR(weft_program_name(p), "gated");  // the caller retains it
  weft_program_release(p);
  close_session(&f);
}

TEST(r167_without_a_session_and_with_bad_options) {
  weft_diag d = {0};
  CHECK_F64(once(NULL, 0, 1, &d), -1000, 0);
  CHECK_INT(d.status, WEFT_E_STATE);
  CHECK_FAILS(weft_session_add(NULL, 0, NULL, NULL), WEFT_E_STATE);
  CHECK_FAILS(weft_session_remove(NULL, 0, NULL), WEFT_E_STATE);
  CHECK(!weft_session_program(NULL, 0) && !weft_session_count(NULL));
  weft_session_destroy(NULL);
  CHECK_FAILS(weft_pending_wait(NULL, NULL), WEFT_E_STATE);
  fixture f;
  if (!open_session(&f, NULL))
    return;
  weft_session *s;
  weft_session_options o = {.max_execs = 1u << 30};
  CHECK_FAILS(weft_session_create(f.env, &o, &s, NULL), WEFT_E_LIMIT);
  CHECK(!s);
  close_session(&f);
}

TEST(r169_r177_a_failed_run_leaves_the_session_usable) {
  fixture f;
  if (!open_session(&f, NULL))
    return;
  CHECK_OK(add(&f, 3, gated), &f.d);
  CHECK_F64(once(f.s, 3, 1, &f.d), 1, 0);
  CHECK_F64(once(f.s, 3, 13, &f.d), -1000, 0);
  CHECK_INT(f.d.status, WEFT_E_KERNEL);
  CHECK_HAS(f.d.text, "node 'n' (TestGate)");
  CHECK(!strstr(f.d.text, "of the session"));  // it has one graph
  CHECK_F64(once(f.s, 3, 4, &f.d), 4, 0);
  CHECK_OK(add(&f, 4, gated), &f.d);
  CHECK_F64(once(f.s, 3, 13, &f.d), -1000, 0);
  CHECK_HAS(f.d.text, "in graph 3 of the session");
  weft_diag_clear(&f.d);
  CHECK_FAILS(weft_session_run(f.s, 3, NULL, 0, NULL, 0, &f.d), WEFT_E_INVALID);
  CHECK_F64(once(f.s, 3, 5, &f.d), 5, 0);
  close_session(&f);
}

// ---- several threads ----
typedef struct caller {
  pthread_t thread;
  weft_session *s;
  uint32_t id;
  int runs, wrong;
  float seed;
} caller;
static void *call(void *arg) {
  caller *c = arg;
  weft_diag d;
  for (int i = 0; i < c->runs; i++) {
    float x = c->seed + (float)i;
    c->wrong += once(c->s, c->id, x, &d) != (c->id ? x : -x);
  }
  return NULL;
}

TEST(r178_runs_of_one_graph_from_several_threads) {
  fixture f;
  weft_session_options o = {.size = sizeof o, .max_execs = 2};
  caller c[4];
  if (!open_session(&f, &o))
    return;
  CHECK_OK(add(&f, 0, negate), &f.d);
  CHECK_OK(add(&f, 1, gated), &f.d);
  for (int i = 0; i < 4; i++) {
    c[i] = (caller){.s = f.s, .id = i == 3 ? 0 : 1, .runs = 50, .seed = 100.0f * (float)(i + 1)};
    CHECK_INT(pthread_create(&c[i].thread, NULL, call, &c[i]), 0);
  }
  for (int i = 0; i < 4; i++)
    pthread_join(c[i].thread, NULL);
  for (int i = 0; i < 4; i++)
    CHECK_INT(c[i].wrong, 0);
  CHECK(atomic_load(&most_inside) <= 2);  // bounded by max_execs
  close_session(&f);
}

// Graphs come and go under three numbers while others run them: a run gives the right thing, or finds
// nothing.
static atomic_int changing;
static void *run_whatever(void *arg) {
  caller *c = arg;
  weft_diag d;
  while (atomic_load(&changing) || c->runs < 20) {
    uint32_t id = (uint32_t)(c->runs++ % 3);
    float x = c->seed + (float)c->runs + 0.5f;
    float y = once(c->s, id, x, &d);
    c->wrong += y == -1000 ? d.status != WEFT_E_NOT_FOUND : y != (id ? x : -x);
  }
  return NULL;
}

TEST(graphs_come_and_go_while_others_run) {
  fixture f;
  caller c[3];
  weft_program *p[2];
  if (!open_session(&f, &(weft_session_options){.max_execs = 2}))
    return;
  for (int i = 0; i < 2; i++) {
    const char *text = i ? gated : negate;
    weft_graph *g;
    CHECK_OK(weft_graph_parse(f.env, text, strlen(text), "test", &g, &f.d), &f.d);
    CHECK_OK(weft_compile(g, NULL, &p[i], &f.d), &f.d);
  }
  atomic_store(&changing, 1);
  for (int i = 0; i < 3; i++) {
    c[i] = (caller){.s = f.s, .seed = 100.0f * (float)(i + 1)};
    CHECK_INT(pthread_create(&c[i].thread, NULL, run_whatever, &c[i]), 0);
  }
  for (int i = 0; i < 100; i++) {
    for (uint32_t id = 0; id < 3; id++)
      CHECK_OK(weft_session_add(f.s, id, p[id > 0], &f.d), &f.d);
    sched_yield();
    for (uint32_t id = 3; id-- > 0;)
      CHECK_OK(weft_session_remove(f.s, id, &f.d), &f.d);
  }
  atomic_store(&changing, 0);
  for (int i = 0; i < 3; i++)
    pthread_join(c[i].thread, NULL);
  for (int i = 0; i < 3; i++)
    CHECK_INT(c[i].wrong, 0);
  for (int i = 0; i < 2; i++)
    weft_program_release(p[i]);
  close_session(&f);
}

// ---- asynchronous runs ----
typedef struct job {
  float x[2];
  weft_tensor in, out;
  weft_pending *p;
} job;
static weft_status start(fixture *f, uint32_t id, job *j, float x) {
  j->x[0] = x;
  j->x[1] = 1;
  weft_tensor_init(&j->in, NULL);
  weft_tensor_init(&j->out, NULL);
  WEFT_TRY(weft_tensor_borrow(&j->in, WEFT_FLOAT, (weft_dim[]){2}, 1, j->x, sizeof j->x, &f->d));
  const weft_tensor *in[] = {&j->in};
  weft_tensor *out[] = {&j->out};  // both lists end with this function: they are copied
  return weft_session_run_async(f->s, id, in, 1, out, 1, &j->p, &f->d);
}
static void wait_inside(int n) {
  while (atomic_load(&entered) < n)
    sched_yield();
}

TEST(runs_that_are_waited_for) {
  fixture f;
  job j[3];
  if (!open_session(&f, NULL))
    return;
  CHECK_OK(add(&f, 1, gated), &f.d);
  atomic_store(&closed, 1);
  for (int i = 0; i < 3; i++)
    CHECK_OK(start(&f, 1, &j[i], i == 1 ? 13.0f : (float)i), &f.d);
  wait_inside(3);  // all three at once
  for (int i = 0; i < 3; i++)
    CHECK(!weft_pending_finished(j[i].p));
  atomic_store(&closed, 0);
  CHECK_OK(weft_pending_wait(j[0].p, &f.d), &f.d);
  CHECK_F64(weft_tensor_f32(&j[0].out)[0], 0, 0);
  CHECK_FAILS(weft_pending_wait(j[1].p, &f.d), WEFT_E_KERNEL);
  CHECK_HAS(f.d.text, "x[0] is 13");
  weft_diag_clear(&f.d);
  while (!weft_pending_finished(j[2].p))
    sched_yield();
  close_session(&f);  // a run may be waited for when the session is gone
  CHECK_OK(weft_pending_wait(j[2].p, NULL), &f.d);
  CHECK_F64(weft_tensor_f32(&j[2].out)[0], 2, 0);
  for (int i = 0; i < 3; i++)
    weft_tensor_deinit(&j[i].out);
}

typedef struct told {
  atomic_int n;
  weft_status status;
  char text[256];
} told;
static void tell(void *ctx, weft_status s, const weft_diag *d) {
  told *t = ctx;
  t->status = s;
  snprintf(t->text, sizeof t->text, "%.200s", d->text);
  atomic_fetch_add(&t->n, 1);
}

TEST(runs_that_tell_when_they_are_over) {
  fixture f;
  job j[3];
  told t[2] = {{.n = 0}, {.n = 0}};
  if (!open_session(&f, NULL))
    return;
  CHECK_OK(add(&f, 1, gated), &f.d);
  atomic_store(&closed, 1);
  CHECK_OK(start(&f, 1, &j[0], 13), &f.d);
  wait_inside(1);
  weft_pending_then(j[0].p, tell, &t[0]);
  CHECK_INT(atomic_load(&t[0].n), 0);
  atomic_store(&closed, 0);
  while (!atomic_load(&t[0].n))
    sched_yield();
  CHECK_INT(t[0].status, WEFT_E_KERNEL);
  CHECK_HAS(t[0].text, "x[0] is 13");
  CHECK_OK(start(&f, 1, &j[1], 5), &f.d);
  while (!weft_pending_finished(j[1].p))
    sched_yield();
  weft_pending_then(j[1].p, tell, &t[1]);  // over already: told here and now
  CHECK_INT(atomic_load(&t[1].n), 1);
  CHECK_INT(t[1].status, WEFT_OK);
  weft_pending_then(NULL, tell, &t[1]);
  CHECK_FAILS(start(&f, 2, &j[2], 1), WEFT_E_NOT_FOUND);
  CHECK(!j[2].p);
  for (int i = 0; i < 2; i++)
    weft_tensor_deinit(&j[i].out);
  close_session(&f);
}

TEST(destroy_waits_for_runs_and_their_functions) {
  fixture f;
  job j[4];
  told t[4];
  if (!open_session(&f, &(weft_session_options){.max_execs = 1}))
    return;
  CHECK_OK(add(&f, 1, gated), &f.d);
  for (int i = 0; i < 4; i++) {
    t[i] = (told){.n = 0};
    CHECK_OK(start(&f, 1, &j[i], (float)i), &f.d);
    weft_pending_then(j[i].p, tell, &t[i]);
  }
  close_session(&f);
  for (int i = 0; i < 4; i++) {
    CHECK_INT(atomic_load(&t[i].n), 1);
    CHECK_F64(weft_tensor_f32(&j[i].out)[0], i, 0);
    weft_tensor_deinit(&j[i].out);
  }
  CHECK_INT(atomic_load(&most_inside), 1);
}

TEST(removing_a_graph_while_it_runs) {
  fixture f;
  job j[3];
  if (!open_session(&f, &(weft_session_options){.max_execs = 2}))
    return;
  CHECK_OK(add(&f, 1, gated), &f.d);
  atomic_store(&closed, 1);
  for (int i = 0; i < 3; i++)
    CHECK_OK(start(&f, 1, &j[i], (float)i), &f.d);
  wait_inside(2);  // two run, the third waits for an exec
  CHECK_OK(weft_session_remove(f.s, 1, &f.d), &f.d);
  CHECK_INT(weft_session_count(f.s), 0);
  CHECK_F64(once(f.s, 1, 1, &f.d), -1000, 0);
  CHECK_INT(f.d.status, WEFT_E_NOT_FOUND);
  weft_diag_clear(&f.d);
  CHECK_OK(add(&f, 1, negate), &f.d);  // another graph takes the number meanwhile
  CHECK_F64(once(f.s, 1, 1, &f.d), -1, 0);
  atomic_store(&closed, 0);
  for (int i = 0; i < 3; i++) {
    CHECK_OK(weft_pending_wait(j[i].p, &f.d), &f.d);
    CHECK_F64(weft_tensor_f32(&j[i].out)[0], i, 0);
    weft_tensor_deinit(&j[i].out);
  }
  close_session(&f);
}

// ---- memory ----
TEST(every_allocation_fails_once) {
  for (long n = 1, more = 1; more; n++) {
    check_alloc c = {0};
    weft_env_options o = {.package_path = "", .allocator = check_allocator(&c)};
    weft_env *env;
    weft_session *s = NULL;
    weft_graph *g;
    weft_program *p;
    weft_diag d = {0};
    CHECK_OK(weft_env_create(&o, &env, &d), &d);
    CHECK_OK(weft_graph_parse(env, negate, strlen(negate), "test", &g, &d), &d);
    CHECK_OK(weft_compile(g, NULL, &p, &d), &d);
    weft_exec *x;
    CHECK_OK(weft_exec_create(p, NULL, &x, &d), &d);  // the environment makes its pool
    weft_exec_destroy(x);
    long blocks = c.live_blocks;
    c.calls = 0;
    c.fail_at = n;
    weft_status status = weft_session_create(env, NULL, &s, &d);
    if (!status)
      status = weft_session_add(s, 5, p, &d);
    float y = status ? -1000 : once(s, 5, 2, &d);
    if (y == -1000)
      CHECK_INT(d.status, WEFT_E_NOMEM);
    more = c.calls >= n;
    c.fail_at = 0;
    if (s) {
      if (!weft_session_count(s))
        CHECK_OK(weft_session_add(s, 5, p, &d), &d);
      CHECK_F64(once(s, 5, 3, &d), -3, 0);
    }
    weft_session_destroy(s);
    CHECK_INT(c.live_blocks, blocks);
    weft_program_release(p);
    weft_env_destroy(env);
    CHECK_INT(c.live_blocks, 0);
  }
}
// SPDX-License-Identifier: Apache-2.0
