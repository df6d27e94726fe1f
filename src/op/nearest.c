// nearest.c - what helps who asks for an operator that is not there: a known name close to it, and where
// packages were looked for.
#include "base/file.h"
#include "op/proto.h"

typedef struct nearest {
  const char *name, *best;
  size_t length, least;  // of the name; the distance of the best
} nearest;

// The first of equally near names stays.
static void nearest_offer(nearest *n, const char *known) {
  const size_t distance = weft_name_distance(n->name, n->length, known, n->least);
  const bool is_nearer = distance < n->least;
  const bool is_first = distance == n->least && !n->best;
  if (!is_nearer && !is_first)
    return;
  n->best = known;
  n->least = distance;
}

const char *weft__op_nearest(const weft_env *e, const char *name) {
  nearest n = {.name = name, .length = strlen(name)};
  n.least = WEFT_MIN(3, n.length / 3 + 1);
  for (size_t i = 0; i < e->builtin_name.n; i++)
    nearest_offer(&n, weft__builtin_name(e, i));

  for (size_t i = 0; i < e->ops.n; i++) {
    const weft_proto *p = e->ops.entries[i].value;
    if (p)
      nearest_offer(&n, p->name);
  }

  const size_t described = e->catalogue ? weft__catalogue_count() : 0;
  for (size_t i = 0; i < described; i++)
    nearest_offer(&n, weft__catalogue_name(i));
  return n.best;
}

// Where packages were looked for. The variables may have changed since; a path that the program gave is its
// own to know.
void weft__note_roots(const weft_env *e, weft_diag *d) {
  const char *ours = weft__getenv_trusted("WEFT_OPP_PATH");
  const char *theirs = weft__getenv_trusted("ASCEND_CUSTOM_OPP_PATH");
  bool first = ours && *ours;
  bool second = theirs && *theirs;
  if (e->options.package_path)
    weft_note(d, "packages were looked for only where the program says (weft_env_options.package_path)");
  else if (first || second) {
    weft_note(d, "packages were looked for below %s%s%s: `weft op doctor` says what was found there",
              first ? ours : "", first && second ? ":" : "", second ? theirs : "");
  } else {
    weft_note(d,
              "no packages were looked for: WEFT_OPP_PATH or ASCEND_CUSTOM_OPP_PATH names their roots, and "
              "`weft op doctor` checks them");
  }
}
// SPDX-License-Identifier: Apache-2.0
