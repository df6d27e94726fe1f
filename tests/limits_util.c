// limits_util.c - see limits_util.h.
#include "limits_util.h"

#include "check.h"
#include "base/base.h"

weft_env *limits_env(uint64_t bytes, uint64_t ns, const volatile int *cancel) {
  weft_env *e = NULL;
  weft_diag d = {0};
  const weft_limits l = {sizeof l, bytes, ns, cancel};
  weft_env_options o = {.size = sizeof o, .package_path = "", .threads = 2, .limits = &l};
  if (weft_env_create(&o, &e, &d))
    check_failed(__FILE__, __LINE__, "%s", d.text);
  return e;
}

weft_graph *limits_graph(weft_env *e, const char *text, weft_diag *d) {
  weft_graph *g = NULL;
  if (weft_graph_parse(e, text, strlen(text), "test", &g, d))
    check_failed(__FILE__, __LINE__, "%s", d->text);
  return g;
}
// SPDX-License-Identifier: Apache-2.0
