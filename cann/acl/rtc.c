// rtc.c - sources in Ascend C compiled while a program runs, by the same steps as weft-ascc, in a folder of
// its own.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ascc/compile.h"
#include "state.h"
#include "weft_cann/acl_rtc.h"

enum {
  RTC_SECONDS = 120,
  RTC_FILE_BYTES = 1 << 28,
  RTC_LOG_BYTES = 1 << 24,
  RTC_TOLD = 1000,
  RTC_HEADERS = 1024
};

typedef struct rtc_text {
  char *name;
  char *text;
} rtc_text;
typedef struct rtc_prog {
  struct rtc_prog *next;
  rtc_text source;
  rtc_text *headers;
  size_t n_headers;
  ascc_text log;
  ascc_text bin;
  bool compiled;
} rtc_prog;
static rtc_prog *progs;  // under the lock

static rtc_prog *rtc_find(const void *handle) {
  pthread_mutex_lock(&acl_lock);
  rtc_prog *p = progs;
  while (p && p != handle)
    p = p->next;
  pthread_mutex_unlock(&acl_lock);
  return p;
}
static aclError rtc_unknown(const char *call) {
  return acl_fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: this is no program, or it was destroyed", call);
}
static void rtc_text_free(rtc_text *t) {
  free(t->name);
  free(t->text);
}
static void rtc_free(rtc_prog *p) {
  rtc_text_free(&p->source);
  for (size_t i = 0; i < p->n_headers; i++)
    rtc_text_free(&p->headers[i]);
  free(p->headers);
  ascc_text_free(&p->log);
  ascc_text_free(&p->bin);
  free(p);
}

// ---- a program ----

static bool rtc_copy(rtc_text *to, const char *name, const char *text) {
  to->name = strdup(name);
  to->text = strdup(text);
  return to->name && to->text;
}
// Headers lie below the folder, never outside.
static bool rtc_name_is_good(const char *name) {
  return name && *name && *name != '/' && !strstr(name, "..") && strlen(name) < 256;
}
static bool rtc_keep(rtc_prog *p, const char *src, const char *name, const char *const *headers,
                     const char *const *names, size_t n) {
  p->headers = calloc(n + 1, sizeof *p->headers);
  bool ok = p->headers && rtc_copy(&p->source, name && *name ? name : "kernel", src);
  for (size_t i = 0; i < n && ok; i++, p->n_headers++)
    ok = rtc_copy(&p->headers[i], names[i], headers[i]);
  return ok;
}
aclError aclrtcCreateProg(aclrtcProg *prog, const char *src, const char *name, int numHeaders,
                          const char *const *headers, const char *const *includeNames) {
  if (!prog || !src || (numHeaders > 0 && (!headers || !includeNames)))
    return acl_missing("aclrtcCreateProg: prog, src, headers or includeNames");
  if (numHeaders < 0 || numHeaders > RTC_HEADERS)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "aclrtcCreateProg: %d headers; 0 to %d are possible", numHeaders,
                    RTC_HEADERS);
  for (int i = 0; i < numHeaders; i++) {
    if (!headers[i] || !rtc_name_is_good(includeNames[i]))
      return acl_fail(ACL_ERROR_INVALID_PARAM,
                      "aclrtcCreateProg: header %d: NULL, or a name that leads elsewhere", i);
  }
  rtc_prog *p = calloc(1, sizeof *p);
  if (!p || !rtc_keep(p, src, name, headers, includeNames, (size_t)numHeaders)) {
    if (p)
      rtc_free(p);
    return acl_fail(ACL_ERROR_BAD_ALLOC, "aclrtcCreateProg: no memory");
  }
  pthread_mutex_lock(&acl_lock);
  p->next = progs;
  progs = p;
  pthread_mutex_unlock(&acl_lock);
  *prog = p;
  return ACL_SUCCESS;
}
aclError aclrtcDestroyProg(aclrtcProg *prog) {
  if (!prog)
    return acl_missing("aclrtcDestroyProg: prog");
  pthread_mutex_lock(&acl_lock);
  rtc_prog **at = &progs;
  while (*at && *at != *prog)
    at = &(*at)->next;
  rtc_prog *p = *at;
  if (p)
    *at = p->next;
  pthread_mutex_unlock(&acl_lock);
  if (!p)
    return rtc_unknown("aclrtcDestroyProg");
  rtc_free(p);
  *prog = NULL;
  return ACL_SUCCESS;
}

// ---- the folder ----

typedef struct rtc_folder {
  char path[512];
  ascc_list made;  // files and folders in it, in order
} rtc_folder;

static bool rtc_folder_make(rtc_folder *f) {
  const char *temporary = getenv("TMPDIR");
  const int n = snprintf(f->path, sizeof f->path, "%s/weft-aclrtc-XXXXXX",
                         temporary && *temporary ? temporary : "/tmp");
  const bool made = n > 0 && (size_t)n < sizeof f->path && mkdtemp(f->path);
  if (!made)
    f->path[0] = 0;
  return made;
}
static void rtc_folder_remove(rtc_folder *f) {
  for (size_t i = f->made.count; i-- > 0;)
    remove(f->made.at[i]);
  if (f->path[0])
    rmdir(f->path);
  ascc_list_free(&f->made);
}
static const char *rtc_folder_file(rtc_folder *f, const char *name) {
  for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
    ascc_list_say(&f->made, "%s/%.*s", f->path, (int)(slash - name), name);
    if (!f->made.failed)
      mkdir(f->made.at[f->made.count - 1], 0700);
  }
  ascc_list_say(&f->made, "%s/%s", f->path, name);
  return f->made.failed ? NULL : f->made.at[f->made.count - 1];
}
static bool rtc_folder_write(rtc_folder *f, const char *name, const char *before, const char *text) {
  const char *path = rtc_folder_file(f, name);
  FILE *to = path ? fopen(path, "wbx") : NULL;
  if (!to)
    return false;
  const bool ok = fputs(before, to) >= 0 && fputs(text, to) >= 0;
  return !fclose(to) && ok;
}
// The same source gives the same bytes: its name is what the program says, wherever the file lies.
static bool rtc_folder_fill(rtc_folder *f, const rtc_prog *p) {
  ascc_text line = {0};
  ascc_text_say(&line, "#line 1 \"");
  for (const char *c = p->source.name; *c; c++) {
    if ((unsigned char)*c >= ' ' && *c != '"' && *c != '\\')
      ascc_text_add(&line, c, 1);
  }
  ascc_text_say(&line, "\"\n");
  bool ok =
      rtc_folder_make(f) && rtc_folder_write(f, "weft-source.asc", ascc_text_string(&line), p->source.text);
  for (size_t i = 0; i < p->n_headers && ok; i++)
    ok = rtc_folder_write(f, p->headers[i].name, "", p->headers[i].text);
  ascc_text_free(&line);
  return ok;
}

// ---- compiling ----

static void rtc_home(ascc_home *home) {
  Dl_info own;
  char path[4096];
  const bool known = dladdr((void *)(uintptr_t)&aclrtcCompileProg, &own) && own.dli_fname;
  ascc_home_find(home, known && realpath(own.dli_fname, path) ? path : "");
}
static bool rtc_read(const char *path, ascc_text *to) {
  char bytes[65536];
  FILE *from = fopen(path, "rb");
  size_t n = 1;
  to->most = RTC_FILE_BYTES;
  while (from && n) {
    n = fread(bytes, 1, sizeof bytes, from);
    ascc_text_add(to, bytes, n);
  }
  const bool ok = from && !ferror(from) && !to->failed && to->bytes;
  if (from)
    fclose(from);
  return ok;
}
// The options of the steps: the caller's behind ours, so that theirs decide.
static bool rtc_options(ascc_options *o, const char *const *options, int n, const rtc_folder *f,
                        ascc_text *log) {
  ascc_list all = {0};
  ascc_list_add(&all, "-O2");
  ascc_list_add(&all, "-fPIC");
  for (int i = 0; i < n; i++)
    ascc_list_add(&all, options[i]);
  ascc_list_add(&all, "-iquote");
  ascc_list_add(&all, f->path);
  const bool ok = ascc_options_read(o, all.at, all.count, log) && !all.failed;
  o->mode = ASCC_LINK;
  o->writes_depends = false;
  ascc_list_free(&all);
  return ok;
}
static int rtc_steps(rtc_prog *p, const ascc_options *o, rtc_folder *f) {
  ascc_home home;
  ascc_list last = {0};
  ascc_list_add(&last, "-shared");
  ascc_list_add(&last, "-x");
  ascc_list_add(&last, "none");
  rtc_home(&home);
  ascc_list_add_all(&last, &home.libraries);
  const char *output = rtc_folder_file(f, "weft-binary.so");
  const ascc_job job = {.options = o,
                        .home = &home,
                        .source = f->made.at[0],
                        .output = output,
                        .messages = &p->log,
                        .error = &p->log,
                        .seconds = RTC_SECONDS,
                        .file_bytes = RTC_FILE_BYTES,
                        .last = &last};
  const int status = output && !last.failed ? ascc_compile(&job) : 1;
  const bool read = !status && rtc_read(output, &p->bin);
  ascc_list_free(&last);
  ascc_home_free(&home);
  return read ? 0 : 1;
}
aclError aclrtcCompileProg(aclrtcProg prog, int numOptions, const char *const *options) {
  rtc_prog *p = rtc_find(prog);
  if (!p)
    return rtc_unknown("aclrtcCompileProg");
  if (numOptions < 0 || (numOptions && !options))
    return acl_missing("aclrtcCompileProg: options");
  for (int i = 0; i < numOptions; i++) {
    if (!options[i])
      return acl_missing("aclrtcCompileProg: an option");
  }
  rtc_folder folder = {0};
  ascc_options o = {0};
  ascc_text_free(&p->log);
  ascc_text_free(&p->bin);
  p->log.most = RTC_LOG_BYTES;
  bool ok = rtc_folder_fill(&folder, p);
  if (!ok)
    ascc_text_say(&p->log, "weft-ascc: error: no folder for the source: TMPDIR or /tmp cannot be written\n");
  ok = ok && rtc_options(&o, options, numOptions, &folder, &p->log);
  ok = ok && !rtc_steps(p, &o, &folder);
  ascc_options_free(&o);
  rtc_folder_remove(&folder);
  p->compiled = ok;
  if (ok)
    return ACL_SUCCESS;
  return acl_fail(ACL_ERROR_FAILURE, "aclrtcCompileProg: '%s' was not compiled: %.*s", p->source.name,
                  RTC_TOLD, ascc_text_string(&p->log));
}

// ---- what came out ----

static aclError rtc_result(const char *call, aclrtcProg prog, const void *out, rtc_prog **p) {
  *p = rtc_find(prog);
  if (!*p)
    return rtc_unknown(call);
  if (!out)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: the place for the result is NULL", call);
  return ACL_SUCCESS;
}
static aclError rtc_binary(const char *call, aclrtcProg prog, const void *out, rtc_prog **p) {
  const aclError code = rtc_result(call, prog, out, p);
  if (!code && !(*p)->compiled)
    return acl_fail(ACL_ERROR_FAILURE, "%s: '%s' was not compiled", call, (*p)->source.name);
  return code;
}
aclError aclrtcGetBinDataSize(aclrtcProg prog, size_t *bytes) {
  rtc_prog *p;
  const aclError code = rtc_binary("aclrtcGetBinDataSize", prog, bytes, &p);
  if (!code)
    *bytes = p->bin.bytes;
  return code;
}
aclError aclrtcGetBinData(aclrtcProg prog, char *bin) {
  rtc_prog *p;
  const aclError code = rtc_binary("aclrtcGetBinData", prog, bin, &p);
  if (!code)
    memcpy(bin, p->bin.at, p->bin.bytes);
  return code;
}
aclError aclrtcGetCompileLogSize(aclrtcProg prog, size_t *bytes) {
  rtc_prog *p;
  const aclError code = rtc_result("aclrtcGetCompileLogSize", prog, bytes, &p);
  if (!code)
    *bytes = p->log.bytes + 1;
  return code;
}
aclError aclrtcGetCompileLog(aclrtcProg prog, char *log) {
  rtc_prog *p;
  const aclError code = rtc_result("aclrtcGetCompileLog", prog, log, &p);
  if (!code) {
    memcpy(log, ascc_text_string(&p->log), p->log.bytes);
    log[p->log.bytes] = 0;
  }
  return code;
}
// SPDX-License-Identifier: Apache-2.0
