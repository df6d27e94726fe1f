// package.c - shared libraries with operators. A package links against nothing: its one exported function
// receives the host table and returns size-checked descriptors. Operators are read here; other sections stay
// for the layer that owns them. A package that does not load is kept in the list with its reason (R318).
#include "op/package.h"
#include "base/allocated.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/file.h"

static weft_env_package *new_package(weft_env *e, const char *path) {
  if (!WEFT_VEC_ROOM(&e->alloc, e->packages))
    return NULL;
  weft_env_package *p = WEFT_NEW(&e->arena, weft_env_package);
  char *copy = weft__arena_strdup(&e->arena, path, strlen(path));
  if (!p || !copy)
    return NULL;
  p->info.path = copy;
  p->info.name = p->info.version = "";
  e->packages.v[e->packages.n++] = p;
  return p;
}

static weft_status check_package(const weft_package *p, const char *path, weft_diag *d) {
  if (p->size < offsetof(weft_package, sections) + sizeof p->sections || p->size > 4096) {
    return weft_fail(d, WEFT_E_ABI, "package '%s': its descriptor has %u bytes, expected %zu or more", path,
                     p->size, sizeof *p);
  }
  if (p->abi != WEFT_ABI) {
    return weft_fail(d, WEFT_E_ABI, "package '%s' was built for interface version %u, this weft has %d", path,
                     p->abi, WEFT_ABI);
  }
  if (!p->name || !*p->name)
    return weft_fail(d, WEFT_E_CORRUPT, "package '%s' has no name", path);
  if (p->n_sections > 64 || (p->n_sections && !p->sections))
    return weft_fail(d, WEFT_E_CORRUPT, "package '%s' lists %u sections", path, p->n_sections);
  for (uint32_t i = 0; i < p->n_sections; i++) {
    if (p->sections[i].count > 65536 || (p->sections[i].count && !p->sections[i].items)) {
      return weft_fail(d, WEFT_E_CORRUPT, "package '%s': section %u lists %u items", path, i,
                       p->sections[i].count);
    }
  }
  return WEFT_OK;
}

// An operator of the same name from a root further left stays whole (R317); between files of one root too.
static weft_status register_ops(weft_env *e, weft_env_package *k, weft_diag *d) {
  for (uint32_t s = 0; s < k->package->n_sections; s++) {
    const weft_section *section = &k->package->sections[s];
    if (section->kind != WEFT_SECTION_OP)
      continue;
    for (uint32_t i = 0; i < section->count; i++) {
      const weft_op *op = section->stride
                              ? (const weft_op *)((const char *)section->items + (size_t)i * section->stride)
                              : ((const weft_op *const *)section->items)[i];
      const weft_proto *old = op && op->name ? weft__map_find(&e->ops, op->name, strlen(op->name)) : NULL;
      if (old && old->source == WEFT_FROM_PACKAGE) {
        weft_env_log(e, WEFT_LOG_WARNING, "operator '%s' of %s is hidden by the one of %s, which comes first",
                     op->name, k->info.path, old->origin);
        continue;
      }
      WEFT_TRY(weft__register_as(e, op, WEFT_FROM_PACKAGE, k->info.path, 0, d));
      k->info.n_ops++;
    }
  }
  return WEFT_OK;
}

// Takes back what a package registered before it failed: all of it or nothing. What it had replaced shows
// again.
static void unregister_ops(weft_env *e, const weft_env_package *k) {
  for (size_t i = 0; i < e->ops.n; i++) {
    const weft_proto *p = e->ops.entries[i].value;
    if (p && p->source == WEFT_FROM_PACKAGE && p->origin == k->info.path)
      e->ops.entries[i].value = (void *)(uintptr_t)p->replaced;
  }
  e->sorted.n = 0;
}

// ---- who may put packages there ----

static weft_status root_refused(weft_env *e, const char *root, const char *why, const char *folder,
                                weft_diag *d) {
  weft_diag own = {0};
  (void)weft_fail(&own, WEFT_E_INVALID, "package root '%.1000s' is refused: %s%.500s%s", root,
                  folder ? "folder '" : "", folder ? folder : why, folder ? why : "");
  weft_env_package *k = new_package(e, root);
  WEFT_TRY(weft__allocated(k, d));
  k->info.problem = weft__arena_strdup(&e->arena, own.text, own.length);
  if (!k->info.problem)
    k->info.problem = "out of memory";
  weft_env_log(e, WEFT_LOG_WARNING, "%s", own.text);
  return e->options.strict ? weft_fail(d, WEFT_E_INVALID, "%s", own.text) : WEFT_OK;
}

// `folder`: where its libraries are. *out_refused: nothing of it may be loaded.
static weft_status check_root(weft_env *e, const char *root, const char *folder, bool *out_refused,
                              weft_diag *d) {
  *out_refused = false;
  if (e->options.any_root)
    return WEFT_OK;
  if (*root != '/') {
    *out_refused = true;
    return root_refused(e, root, "it is relative, and what it means depends on the working directory", NULL,
                        d);
  }
  char *real = realpath(folder, NULL);  // libc's own memory, freed below
  const char *open = real ? weft__open_folder(real) : NULL;
  weft_status s = WEFT_OK;
  if (open) {
    *out_refused = true;
    s = root_refused(e, root, "' may be changed by everybody (chmod o-w)", open, d);
  }
  free(real);
  return s;
}

// A library that everybody may write to is one more way in, and so is a link to one that lies elsewhere.
static weft_status check_library(const weft_env *e, const char *path, const struct stat *st, weft_diag *d) {
  char folder[4096];
  if (e->options.any_root)
    return WEFT_OK;
  if (st->st_mode & S_IWOTH) {
    return weft_fail(d, WEFT_E_INVALID, "package '%s' is refused: everybody may write to it (chmod o-w)",
                     path);
  }
  snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  if (slash)
    *slash = 0;
  const char *open = slash ? weft__open_folder(folder) : NULL;
  if (!open)
    return WEFT_OK;
  return weft_fail(d, WEFT_E_INVALID,
                   "package '%s' is refused: folder '%.500s' may be changed by everybody (chmod o-w)", path,
                   open);
}

// ---- loading ----

// What a package calls of weft's library, and what stands inline or in the host table for it.
typedef struct package_advice {
  const char *symbol, *instead;  // a symbol, or the begin of several when it ends in '_'
} package_advice;
static const package_advice advices[] = {
    {"weft_load_", "weft_elem_f64 or weft_elem_i64 of \"weft/element.h\", which \"weft/op.h\" includes"},
    {"weft_store_",
     "weft_elem_put_f64 or weft_elem_put_i64 of \"weft/element.h\", which \"weft/op.h\" includes"},
    {"weft_f16_", "weft_f16_value and weft_f16_code of \"weft/element.h\", which \"weft/op.h\" includes"},
    {"weft_bf16_", "weft_bf16_value and weft_bf16_code of \"weft/element.h\", which \"weft/op.h\" includes"},
    {"weft_float_",
     "weft_elem_f64 and weft_elem_put_f64 of \"weft/element.h\", which \"weft/op.h\" includes"},
    {"weft_dtype_bits", "weft_elem_bits of \"weft/element.h\", which \"weft/op.h\" includes"},
    {"weft_dim_", "weft_dims_add and its like of \"weft/op.h\""},
    {"weft_shape_elems", "weft_elems of \"weft/op.h\""},
    {"weft_tensor_elems", "weft_elems(&t->layout.origin) of \"weft/op.h\""},
    {"weft_tensor_", "the fields of weft_tensor: data, dtype, layout.origin"},
    {"weft_shape_", "weft_set_out_shape of \"weft/op.h\", or the fields rank and dim"},
    {"weft_attr_", "weft_node_int and its like of \"weft/op.h\""},
    {"weft_fail", "host->fail (it->host, c->host, t->host)"},
    {"weft_note", "host->note (it->host, c->host, t->host)"}};

// dlerror's text names a symbol of weft that the package expects to find: says what it should call.
static weft_status undefined_symbol(const char *path, const char *symbol, size_t bytes, weft_diag *d) {
  const char *instead = "what is inline in \"weft/op.h\" or in the host table";
  bool inside = bytes > 6 && !strncmp(symbol, "weft__", 6);  // nobody's but the library's
  for (size_t i = 0; !inside && i < WEFT_COUNT(advices); i++) {
    size_t n = strlen(advices[i].symbol);
    bool begins = advices[i].symbol[n - 1] == '_';
    if (bytes < n || memcmp(symbol, advices[i].symbol, n) || (!begins && bytes != n))
      continue;
    instead = advices[i].instead;
    break;
  }
  return weft_fail(
      d, WEFT_E_ABI,
      "package '%s' does not load: it calls '%.*s', a function of weft's library%s, but packages link "
      "against nothing; call %s",
      path, (int)WEFT_MIN(bytes, 80), symbol, inside ? "'s inside" : "", instead);
}

static weft_status not_loaded(const char *path, const char *why, weft_diag *d) {
  static const char mark[] = "undefined symbol: ";
  const char *symbol = why ? strstr(why, mark) : NULL;
  if (symbol && !strncmp(symbol + sizeof mark - 1, "weft_", 5)) {
    symbol += sizeof mark - 1;
    return undefined_symbol(path, symbol, strspn(symbol, "abcdefghijklmnopqrstuvwxyz0123456789_"), d);
  }
  return weft_fail(d, WEFT_E_IO, "package '%s' does not load: %s", path, why ? why : "unknown reason");
}

static weft_status package_load(weft_env *e, weft_env_package *k, bool of_root, weft_diag *d) {
  const char *path = k->info.path;
  struct stat st;
  if (stat(path, &st))
    return weft_fail(d, WEFT_E_NOT_FOUND, "package '%s' does not exist", path);
  if (!S_ISREG(st.st_mode))
    return weft_fail(d, WEFT_E_IO, "package '%s' is not a regular file", path);
  if (of_root)
    WEFT_TRY(check_library(e, path, &st, d));
  k->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!k->handle)
    return not_loaded(path, dlerror(), d);
  weft_package_entry_fn entry;
  *(void **)&entry = dlsym(k->handle, "weft_package_entry");
  if (!entry)
    return weft_fail(d, WEFT_E_ABI, "package '%s' does not export weft_package_entry", path);
  k->package = entry(&e->host);
  if (!k->package) {
    return weft_fail(d, WEFT_E_ABI, "package '%s' refuses this weft (%s, interface %d)", path, weft_version(),
                     WEFT_ABI);
  }
  WEFT_TRY(check_package(k->package, path, d));
  k->info.name = k->package->name;
  k->info.version = k->package->version ? k->package->version : "";
  weft_status s = register_ops(e, k, d);
  if (s)
    weft_note(d, "in package '%s'", path);
  return s;
}

static weft_status load_library(weft_env *e, const char *path, bool of_root, weft_diag *d) {
  char *real = realpath(path, NULL);  // libc's own memory, freed below
  const char *name = real ? real : path;
  for (size_t i = 0; i < e->packages.n; i++) {
    if (!strcmp(e->packages.v[i]->info.path, name) && e->packages.v[i]->handle) {
      free(real);
      return weft_fail(d, WEFT_E_EXISTS, "package '%s' is loaded already", path);
    }
  }
  weft_env_package *k = new_package(e, name);
  free(real);
  WEFT_TRY(weft__allocated(k, d));
  weft_diag own = {0};
  weft_diag *report = d && !d->status ? d : &own;
  weft_status s = package_load(e, k, of_root, report);
  if (!s)
    return WEFT_OK;
  unregister_ops(e, k);
  k->info.n_ops = 0;
  k->package = NULL;
  if (k->handle)
    dlclose(k->handle);
  k->handle = NULL;
  k->info.name = k->info.version = "";
  k->info.problem = weft__arena_strdup(&e->arena, report->text, report->length);
  if (!k->info.problem)
    k->info.problem = "out of memory";
  return s;
}

weft_status weft_load_package(weft_env *e, const char *path, weft_diag *d) {
  WEFT_NEED(d, e);
  WEFT_NEED(d, path);
  return load_library(e, path, false, d);
}

static int names(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static int wanted(const struct dirent *f) {
  size_t n = strlen(f->d_name);
  return n > 6 && !strncmp(f->d_name, "lib", 3) && !strcmp(f->d_name + n - 3, ".so");
}

static weft_status load_root(weft_env *e, const char *root, size_t bytes, weft_diag *d) {
  char path[4096];
  char name[4096];
  struct utsname u;
  if (uname(&u))
    return weft_fail(d, WEFT_E_IO, "the system does not tell its machine type");
  int n = snprintf(path, sizeof path, "%.*s/op_graph/lib/linux/%s", (int)bytes, root, u.machine);
  if (n < 0 || (size_t)n >= sizeof path - 300)
    return weft_fail(d, WEFT_E_LIMIT, "package root '%.100s...' is too long", root);
  snprintf(name, sizeof name, "%.*s", (int)bytes, root);
  bool refused;
  WEFT_TRY(check_root(e, name, path, &refused, d));
  if (refused)
    return WEFT_OK;
  struct dirent **files;
  int count = scandir(path, &files, wanted, names);
  if (count < 0) {
    weft_env_log(e, WEFT_LOG_DEBUG, "package root '%.*s' has no %s", (int)bytes, root, path + bytes + 1);
    return WEFT_OK;
  }
  weft_status s = WEFT_OK;
  for (int i = 0; i < count; i++) {
    snprintf(path + n, sizeof path - (size_t)n, "/%s", files[i]->d_name);
    free(files[i]);
    if (s)
      continue;
    weft_diag own = {0};
    weft_status one = load_library(e, path, true, &own);
    if (one == WEFT_E_EXISTS && strstr(own.text, "is loaded already"))
      continue;
    if (one)
      weft_env_log(e, WEFT_LOG_WARNING, "%s", own.text);
    if (one && (e->options.strict || one == WEFT_E_NOMEM))
      s = weft_fail(d, one, "%s", own.text);
  }
  free(files);
  return s;
}

weft_status weft_load_packages(weft_env *e, const char *roots, weft_diag *d) {
  WEFT_NEED(d, e);
  WEFT_NEED(d, roots);
  for (const char *at = roots; *at;) {  // empty elements are ignored: never the current directory
    size_t n = strcspn(at, ":");
    if (n)
      WEFT_TRY(load_root(e, at, n, d));
    at += n + (at[n] == ':');
  }
  return WEFT_OK;
}

size_t weft_package_count(const weft_env *e) {
  if (!e)
    return 0;
  return e->packages.n;
}

void weft_package_at_sized(const weft_env *e, size_t i, weft_package_info *out, size_t out_bytes) {
  static const weft_package_info none = {.path = "", .name = "", .version = "", .problem = "no such package"};
  const weft_package_info *info = e && i < e->packages.n ? &e->packages.v[i]->info : &none;
  weft__sized_fill(out, out_bytes, info, sizeof *info);
}

const weft_section *weft__package_section(const weft_env *e, size_t package, uint32_t kind, size_t *out_n) {
  const weft_package *p = package < e->packages.n ? e->packages.v[package]->package : NULL;
  for (uint32_t i = 0; p && i < p->n_sections; i++) {
    if (p->sections[i].kind == kind)
      return *out_n = p->sections[i].count, &p->sections[i];
  }
  *out_n = 0;
  return NULL;
}

void weft__packages_close(weft_env *e) {
  for (size_t i = e->packages.n; i-- > 0;) {
    if (e->packages.v[i]->handle)
      dlclose(e->packages.v[i]->handle);
  }
}
// SPDX-License-Identifier: Apache-2.0
