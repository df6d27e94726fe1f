// bench_peer.c - `weft bench`: where the engines' programs are.
#include <libgen.h>
#include <unistd.h>

#include "bench.h"

static void own_folder(char *out, size_t cap) {
  ssize_t n = readlink("/proc/self/exe", out, cap - 1);
  out[n > 0 ? n : 0] = 0;
  char *slash = strrchr(out, '/');
  if (slash)
    *slash = 0;
}

static bool find_script(const char *name, char *out, size_t cap) {
  static const char *const places[] = {"", "/../share/weft", "/../tools", "/../../tools"};
  char folder[3000];
  own_folder(folder, sizeof folder);
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    snprintf(out, cap, "%s%s/peer_%.100s.py", folder, places[i], name);
    if (bench_is_file(out))
      return true;
  }
  return false;
}

weft_status bench_find(const bench_engine *e, bench_command *out, weft_diag *d) {
  memset(out, 0, sizeof *out);
  if (!e->peer) {
    out->argv[0] = access("/proc/self/exe", X_OK) ? "weft" : "/proc/self/exe";
    out->argv[1] = "bench";
    out->argv[2] = "--serve";
    snprintf(out->label, sizeof out->label, "weft's own process");
    return WEFT_OK;
  }
  const char *given = getenv("WEFT_PEER");
  const char *python = getenv("WEFT_PYTHON");
  if (given && *given)
    snprintf(out->path, sizeof out->path, "%s", given);
  else if (strchr(e->peer, '/') || !find_script(e->peer, out->path, sizeof out->path)) {
    return weft_fail(
        d, WEFT_E_NOT_FOUND,
        "peer %s: there is no peer_%s.py beside weft, in its share/weft or in tools/; WEFT_PEER may name "
        "the program",
        e->peer, e->peer);
  }
  if (given && *given && access(given, R_OK))
    return weft_fail(d, WEFT_E_NOT_FOUND, "WEFT_PEER: cannot read '%s'", given);
  snprintf(out->label, sizeof out->label, "the peer %s (%.240s)", e->peer, out->path);
  size_t n = 0;
  if (path_ends(out->path, ".py"))
    out->argv[n++] = (char *)(uintptr_t)(python && *python ? python : "python3");
  out->argv[n++] = out->path;
  if (e->isa) {
    out->argv[n++] = (char *)(uintptr_t) "--isa";
    out->argv[n] = (char *)(uintptr_t)e->isa;
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
