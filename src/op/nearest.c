// nearest.c - what helps who asks for an operator that is not there: a known name close to it, and where
// packages were looked for.
#include "base/file.h"
#include "op/proto.h"

const char *weft__op_nearest(const weft_env *e, const char *name) {
  const char *best = NULL;
  size_t n = strlen(name);
  size_t least = WEFT_MIN(3, n / 3 + 1);
  for (size_t i = 0; i < e->builtin_name.n; i++) {
    size_t k = weft_name_distance(name, n, weft__builtin_name(e, i), least);
    if (k < least || (k == least && !best)) {
      best = weft__builtin_name(e, i);
      least = k;
    }
  }
  for (size_t i = 0; i < e->ops.n; i++) {
    const weft_proto *p = e->ops.entries[i].value;
    size_t k = p ? weft_name_distance(name, n, p->name, least) : least + 1;
    if (k < least || (k == least && !best)) {
      best = p->name;
      least = k;
    }
  }
  for (size_t i = 0; e->catalogue && i < weft__catalogue_count(); i++) {
    size_t k = weft_name_distance(name, n, weft__catalogue_name(i), least);
    if (k < least || (k == least && !best)) {
      best = weft__catalogue_name(i);
      least = k;
    }
  }
  return best;
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
