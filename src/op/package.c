// package.c - shared libraries with operators. A package links against nothing: its one exported function
// receives the host table and returns size-checked descriptors. Operators are read here; other sections stay
// for the layer that owns them. A package that does not load is kept in the list with its reason (R318).
#include "op/package.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>

static weft_env_package *new_package(weft_env *e, const char *path) {
  if (!WEFT_VEC_ROOM(&e->alloc, e->packages)) return NULL;
  weft_env_package *p = WEFT_NEW(&e->arena, weft_env_package);
  char *copy = weft__arena_strdup(&e->arena, path, strlen(path));
  if (!p || !copy) return NULL;
  p->info.path = copy;
  p->info.name = p->info.version = "";
  e->packages.v[e->packages.n++] = p;
  return p;
}

static weft_status check_package(const weft_package *p, const char *path, weft_diag *d) {
  if (p->size < offsetof(weft_package, sections) + sizeof p->sections || p->size > 4096)
    return weft_fail(d, WEFT_E_ABI, "package '%s': its descriptor has %u bytes, expected %zu or more", path,
                     p->size, sizeof *p);
  if (p->abi != WEFT_ABI)
    return weft_fail(d, WEFT_E_ABI, "package '%s' was built for interface version %u, this weft has %d", path,
                     p->abi, WEFT_ABI);
  if (!p->name || !*p->name) return weft_fail(d, WEFT_E_CORRUPT, "package '%s' has no name", path);
  if (p->n_sections > 64 || (p->n_sections && !p->sections))
    return weft_fail(d, WEFT_E_CORRUPT, "package '%s' lists %u sections", path, p->n_sections);
  for (uint32_t i = 0; i < p->n_sections; i++)
    if (p->sections[i].count > 65536 || (p->sections[i].count && !p->sections[i].items))
      return weft_fail(d, WEFT_E_CORRUPT, "package '%s': section %u lists %u items", path, i,
                       p->sections[i].count);
  return WEFT_OK;
}

// An operator of the same name from a root further left stays whole (R317); between files of one root too.
static weft_status register_ops(weft_env *e, weft_env_package *k, weft_diag *d) {
  for (uint32_t s = 0; s < k->package->n_sections; s++) {
    const weft_section *section = &k->package->sections[s];
    if (section->kind != WEFT_SECTION_OP) continue;
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

static weft_status load(weft_env *e, weft_env_package *k, weft_diag *d) {
  const char *path = k->info.path;
  struct stat st;
  if (stat(path, &st)) return weft_fail(d, WEFT_E_NOT_FOUND, "package '%s' does not exist", path);
  if (!S_ISREG(st.st_mode)) return weft_fail(d, WEFT_E_IO, "package '%s' is no regular file", path);
  k->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!k->handle) {
    const char *why = dlerror();
    return weft_fail(d, WEFT_E_IO, "package '%s' does not load: %s", path, why ? why : "unknown reason");
  }
  weft_package_entry_fn entry;
  *(void **)&entry = dlsym(k->handle, "weft_package_entry");
  if (!entry) return weft_fail(d, WEFT_E_ABI, "package '%s' does not export weft_package_entry", path);
  k->package = entry(&e->host);
  if (!k->package)
    return weft_fail(d, WEFT_E_ABI, "package '%s' refuses this weft (%s, interface %d)", path, weft_version(),
                     WEFT_ABI);
  WEFT_TRY(check_package(k->package, path, d));
  k->info.name = k->package->name;
  k->info.version = k->package->version ? k->package->version : "";
  weft_status s = register_ops(e, k, d);
  if (s) weft_note(d, "in package '%s'", path);
  return s;
}

weft_status weft_load_package(weft_env *e, const char *path, weft_diag *d) {
  char *real = realpath(path, NULL);  // libc's own memory, freed below
  const char *name = real ? real : path;
  for (size_t i = 0; i < e->packages.n; i++)
    if (!strcmp(e->packages.v[i]->info.path, name) && e->packages.v[i]->handle) {
      free(real);
      return weft_fail(d, WEFT_E_EXISTS, "package '%s' is loaded already", path);
    }
  weft_env_package *k = new_package(e, name);
  free(real);
  if (!k) return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  weft_diag own = {0};
  weft_diag *report = d && !d->status ? d : &own;
  weft_status s = load(e, k, report);
  if (!s) return WEFT_OK;
  unregister_ops(e, k);
  k->info.n_ops = 0;
  k->package = NULL;
  if (k->handle) dlclose(k->handle);
  k->handle = NULL;
  k->info.name = k->info.version = "";
  k->info.problem = weft__arena_strdup(&e->arena, report->text, report->length);
  if (!k->info.problem) k->info.problem = "out of memory";
  return s;
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
  struct utsname u;
  if (uname(&u)) return weft_fail(d, WEFT_E_IO, "the system does not tell its machine type");
  int n = snprintf(path, sizeof path, "%.*s/op_graph/lib/linux/%s", (int)bytes, root, u.machine);
  if (n < 0 || (size_t)n >= sizeof path - 300)
    return weft_fail(d, WEFT_E_LIMIT, "package root '%.100s...' is too long", root);
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
    if (s) continue;
    weft_diag own = {0};
    weft_status one = weft_load_package(e, path, &own);
    if (one == WEFT_E_EXISTS && strstr(own.text, "is loaded already")) continue;
    if (one) weft_env_log(e, WEFT_LOG_WARNING, "%s", own.text);
    if (one && (e->options.strict || one == WEFT_E_NOMEM)) s = weft_fail(d, one, "%s", own.text);
  }
  free(files);
  return s;
}

weft_status weft_load_packages(weft_env *e, const char *roots, weft_diag *d) {
  for (const char *at = roots; *at;) {  // empty elements are ignored: never the current directory
    size_t n = strcspn(at, ":");
    if (n) WEFT_TRY(load_root(e, at, n, d));
    at += n + (at[n] == ':');
  }
  return WEFT_OK;
}

size_t weft_package_count(const weft_env *e) {
  return e->packages.n;
}

weft_package_info weft_package_at(const weft_env *e, size_t i) {
  return i < e->packages.n ? e->packages.v[i]->info : (weft_package_info){"", "", "", "no such package", 0};
}

const weft_section *weft__package_section(const weft_env *e, size_t package, uint32_t kind, size_t *out_n) {
  const weft_package *p = package < e->packages.n ? e->packages.v[package]->package : NULL;
  for (uint32_t i = 0; p && i < p->n_sections; i++)
    if (p->sections[i].kind == kind) return *out_n = p->sections[i].count, &p->sections[i];
  *out_n = 0;
  return NULL;
}

void weft__packages_close(weft_env *e) {
  for (size_t i = e->packages.n; i-- > 0;)
    if (e->packages.v[i]->handle) dlclose(e->packages.v[i]->handle);
}
