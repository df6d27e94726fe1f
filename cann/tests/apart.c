// apart.c - packages in one process: two that have the same operators, environments side by side, unloading,
// and threads that infer one node at once.   apart PACKAGE SAME_ELSEWHERE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weft/weft.h"

enum { APART_THREADS = 4, APART_CALLS = 300, APART_ROUNDS = 3 };

static void apart_need(bool ok, const char *what, const weft_diag *d) {
  if (ok)
    return;
  fprintf(stderr, "apart: %s: %s\n", what, d ? d->text : "");
  exit(1);
}

static weft_env *apart_env(const char *path) {
  const weft_env_options o = {.size = sizeof o, .package_path = path, .any_root = true};
  weft_diag d = {0};
  weft_env *e = NULL;
  apart_need(!weft_env_create(&o, &e, &d), "environment", &d);
  apart_need(weft_package_count(e) > 0 && !weft_package_at(e, 0).problem, "package",
             &(weft_diag){.text = "not loaded"});
  return e;
}

// "[N,3]" of two inputs of that shape.
static void apart_infer(weft_env *e, weft_dim n) {
  const weft_proto *p = weft_find(e, "ScaledAdd");
  apart_need(p != NULL, "ScaledAdd is not there", NULL);
  weft_tensor x;
  weft_tensor_init(&x, NULL);
  x.dtype = WEFT_FLOAT;
  x.layout.origin.rank = 2;
  x.layout.origin.dim[0] = n;
  x.layout.origin.dim[1] = 3;
  x.layout.storage = x.layout.origin;
  const weft_tensor *in[] = {&x, &x};
  weft_tensor_desc out;
  weft_diag d = {0};
  apart_need(!weft_infer_op(e, p, NULL, in, 2, &out, 1, &d), "inference", &d);
  apart_need(out.dtype == WEFT_FLOAT && out.layout.origin.rank == 2 && out.layout.origin.dim[0] == n,
             "another shape than expected", &d);
}

// A node of one graph, which the threads share: what is kept with it is one thread's at a time.
typedef struct apart_shared {
  weft_env *env;
  const weft_op_desc *desc;
} apart_shared;

static void *apart_calls(void *of) {
  const apart_shared *s = of;
  for (int i = 0; i < APART_CALLS; i++) {
    const weft_dim n = 1 + (weft_dim)((uintptr_t)&s % 97 + (unsigned)i) % 61;
    weft_tensor x;
    weft_tensor_init(&x, NULL);
    x.dtype = WEFT_FLOAT;
    x.layout.origin = (weft_shape){.rank = 1, .dim = {n}};
    weft_shape out = {0};
    const weft_shape *in[] = {&x.layout.origin, &x.layout.origin};
    const weft_tensor *value[] = {&x, &x};
    weft_shape *outs[] = {&out};
    const weft_dtype types[] = {WEFT_FLOAT, WEFT_FLOAT};
    const weft_format formats[] = {WEFT_ND, WEFT_ND};
    weft_dtype out_type = WEFT_UNDEFINED;
    weft_diag d = {0};
    weft_infer it = {.size = sizeof it,
                     .n_in = 2,
                     .n_out = 1,
                     .desc = s->desc,
                     .host = weft_env_host(s->env),
                     .d = &d,
                     .in = in,
                     .out = outs,
                     .in_dtype = types,
                     .out_dtype = &out_type,
                     .in_format = formats,
                     .value = value};
    apart_need(!s->desc->op->infer_dtype(&it) && out_type == WEFT_FLOAT, "dtype in a thread", &d);
    apart_need(!s->desc->op->infer(&it) && out.rank == 1 && out.dim[0] == n, "shape in a thread", &d);
    apart_infer(s->env, n);
  }
  return NULL;
}

static void apart_threads(weft_env *e) {
  weft_diag d = {0};
  weft_graph *g = NULL;
  weft_node *n = NULL;
  apart_need(!weft_graph_create(e, "g", &g, &d), "graph", &d);
  apart_need(!weft_graph_add_node(g, "ScaledAdd", NULL, &n, &d), "node", &d);
  apart_shared s = {e, weft_node_desc(n)};
  pthread_t thread[APART_THREADS];
  for (int i = 0; i < APART_THREADS; i++)
    pthread_create(&thread[i], NULL, apart_calls, &s);
  for (int i = 0; i < APART_THREADS; i++)
    pthread_join(thread[i], NULL);
  weft_graph_destroy(g);
}

int main(int argc, char **argv) {
  char both[4096];
  if (argc != 3)
    return 1;
  snprintf(both, sizeof both, "%s:%s", argv[1], argv[2]);
  for (int i = 0; i < APART_ROUNDS; i++) {
    weft_env *first = apart_env(argv[1]);
    weft_env *second = apart_env(both);
    apart_need(weft_package_count(second) == 2, "two packages", NULL);
    apart_infer(first, 4);
    apart_infer(second, 5);
    const char *origin = weft_proto_origin(weft_find(second, "ScaledAdd"));
    apart_need(!strncmp(origin, argv[1], strlen(argv[1])), "the leftmost package counts", NULL);
    apart_threads(i % 2 ? first : second);
    weft_env_destroy(first);  // the library goes with its last environment, and comes again
    apart_infer(second, 6);
    weft_env_destroy(second);
  }
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
