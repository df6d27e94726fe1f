// file_out.c - weft/file.h. Three steps: find out what the path means (a new file, an old one behind links, a
// descriptor), write beside it, rename. No step touches the old file.
#include "base/base.h"
#include "weft/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  PATH_BYTES = 4096,
  PATH_LONGEST = 4000,  // what is left is for the temporary file's name
  LINKS_MOST = 40,      // as many as Linux follows
  TRIES = 100,
};

struct weft_file_out {
  FILE *f;
  int error;                // errno of the first write that failed
  bool beside;              // there is a temporary file
  char path[PATH_BYTES];    // as given
  char target[PATH_BYTES];  // behind its links
  char beside_path[PATH_BYTES];
};

static weft_status file_failed(weft_diag *d, const char *path, int error, const char *more) {
  char why[128] = "";
  if (strerror_r(error, why, sizeof why))
    snprintf(why, sizeof why, "error %d", error);
  return weft_fail(d, WEFT_E_IO, "cannot write '%s': %s%s", path, why, more);
}

// ---- what the path means ----

// "/dev/fd/7" is 7; -1: no descriptor.
static int path_descriptor(const char *path) {
  static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
  if (!strcmp(path, "/dev/stdout"))
    return STDOUT_FILENO;
  if (!strcmp(path, "/dev/stderr"))
    return STDERR_FILENO;
  for (size_t i = 0; i < WEFT_COUNT(folders); i++) {
    size_t n = strlen(folders[i]);
    if (strncmp(path, folders[i], n))
      continue;
    char *end;
    long fd = strtol(path + n, &end, 10);
    return path[n] && !*end && fd >= 0 && fd <= INT32_MAX ? (int)fd : -1;
  }
  return -1;
}

// Bytes of the folder in front of the name, its '/' included.
static size_t path_folder(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

// Follows one link; false: `path` is none. A relative one begins at the folder that the link is in.
static bool path_follow(char path[PATH_BYTES], int *out_error) {
  char to[PATH_BYTES];
  size_t folder = path_folder(path);
  ssize_t n = readlink(path, to, sizeof to - 1);
  if (n < 0)
    return false;
  to[n] = 0;
  if (*to == '/')
    folder = 0;
  if (folder + (size_t)n > PATH_LONGEST) {
    *out_error = ENAMETOOLONG;
    return false;
  }
  memcpy(path + folder, to, (size_t)n + 1);
  return true;
}

static int path_resolve(weft_file_out *o) {
  int error = 0;
  memcpy(o->target, o->path, sizeof o->path);
  for (int i = 0; i < LINKS_MOST; i++) {
    if (path_descriptor(o->target) >= 0)
      return 0;
    if (!path_follow(o->target, &error))
      return error;
  }
  return ELOOP;
}

// ---- opening ----

static int open_descriptor(int fd, FILE **out) {
  int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (own < 0)
    return errno;
  *out = fdopen(own, "wb");
  if (*out)
    return 0;
  int error = errno;
  close(own);
  return error;
}

static int open_directly(const char *path, FILE **out) {
  int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0)
    return errno;
  int error = open_descriptor(fd, out);
  close(fd);
  return error;
}

// A name that nobody has. The process, a clock and a counter make a second try rare.
static void name_beside(weft_file_out *o, unsigned attempt) {
  size_t folder = path_folder(o->target);
  unsigned long long salt = weft__now_ns() * 1000003u + attempt;
  snprintf(o->beside_path, sizeof o->beside_path, "%.*s.%.180s.weft-%lx-%llx", (int)folder, o->target,
           o->target + folder, (unsigned long)getpid(), salt & 0xFFFFFFFFu);
}

static int open_beside(weft_file_out *o) {
  for (unsigned i = 0; i < TRIES; i++) {
    name_beside(o, i);
    int fd = open(o->beside_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST)
      continue;
    if (fd < 0)
      return errno;
    o->beside = true;
    o->f = fdopen(fd, "wb");
    if (o->f)
      return 0;
    int error = errno;
    close(fd);
    return error;
  }
  return EEXIST;
}

// Owner first, because changing it takes permissions away. Where the owner cannot be kept, neither are rights
// that go with one.
static void take_rights(int fd, const struct stat *old) {
  mode_t rights = old->st_mode & 07777;
  if (fchown(fd, old->st_uid, old->st_gid))
    rights &= 0777;
  (void)!fchmod(fd, rights);
}

static weft_status open_over(weft_file_out *o, const struct stat *old, weft_diag *d) {
  if (faccessat(AT_FDCWD, o->target, W_OK, AT_EACCESS))
    return file_failed(d, o->path, errno, "");
  int error = open_beside(o);
  if (error) {
    return file_failed(d, o->path, error,
                       ", for a new file beside it; a file is never written over in place");
  }
  take_rights(fileno(o->f), old);
  return WEFT_OK;
}

static weft_status open_target(weft_file_out *o, weft_diag *d) {
  struct stat st;
  int error = path_resolve(o);
  int fd = path_descriptor(o->target);
  if (error)
    return file_failed(d, o->path, error, "");
  if (fd >= 0) {
    error = open_descriptor(fd, &o->f);
  } else if (stat(o->target, &st)) {
    error = errno == ENOENT ? open_beside(o) : errno;
  } else if (S_ISREG(st.st_mode)) {
    return open_over(o, &st, d);
  } else {
    error = S_ISDIR(st.st_mode) ? EISDIR : open_directly(o->target, &o->f);
  }
  return error ? file_failed(d, o->path, error, "") : WEFT_OK;
}

// ---- the public functions ----

static void file_free(weft_file_out *o) {
  weft_allocator a = weft_allocator_default();
  if (o->f)
    fclose(o->f);
  if (o->beside)
    unlink(o->beside_path);
  weft__free(&a, o, sizeof *o, _Alignof(weft_file_out));
}

weft_status weft_file_create(const char *path, weft_file_out **out, weft_diag *d) {
  WEFT_NEED(d, out);
  *out = NULL;
  WEFT_NEED(d, path);
  if (!*path)
    return weft_fail(d, WEFT_E_IO, "cannot write '': a file needs a name");
  if (strlen(path) > PATH_LONGEST) {
    return weft_fail(d, WEFT_E_LIMIT,
                     "cannot write '%.100s...': the path has %zu bytes, at most %d are possible", path,
                     strlen(path), PATH_LONGEST);
  }
  weft_allocator a = weft_allocator_default();
  weft_file_out *o = weft__alloc(&a, sizeof *o, _Alignof(weft_file_out));
  if (!o)
    return weft_fail(d, WEFT_E_NOMEM, "out of memory while opening '%s'", path);
  memset(o, 0, sizeof *o);
  snprintf(o->path, sizeof o->path, "%s", path);
  weft_status s = open_target(o, d);
  if (s)
    file_free(o);
  else
    *out = o;
  return s;
}

weft_status weft_file_write(void *file, const char *text, size_t bytes) {
  weft_file_out *o = file;
  WEFT_NEED(NULL, o);
  if (o->error)
    return WEFT_E_IO;
  errno = 0;
  if (fwrite(text, 1, bytes, o->f) == bytes)
    return WEFT_OK;
  o->error = errno ? errno : EIO;
  return WEFT_E_IO;
}

// All bytes out of this process, and of a temporary file onto the disk.
static int file_flush(weft_file_out *o) {
  errno = 0;
  int error = fflush(o->f) ? errno : 0;
  if (!error && o->beside && fsync(fileno(o->f)) && errno != EINVAL && errno != EROFS)
    error = errno;
  if (fclose(o->f) && !error)
    error = errno ? errno : EIO;
  o->f = NULL;
  return error;
}

// So that the new name is still there after the machine stops. Some file systems have no such thing.
static void folder_sync(weft_file_out *o) {
  size_t folder = path_folder(o->target);
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%.*s", (int)folder, folder ? o->target : "");
  int fd = open(folder ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return;
  (void)!fsync(fd);
  close(fd);
}

static int file_place(weft_file_out *o) {
  if (!o->beside)
    return 0;
  if (rename(o->beside_path, o->target))
    return errno;
  o->beside = false;
  folder_sync(o);
  return 0;
}

weft_status weft_file_finish(weft_file_out *o, weft_status so_far, weft_diag *d) {
  if (!o)
    return so_far;
  int error = o->error;
  if (!error && !so_far)
    error = file_flush(o);
  if (!error && !so_far)
    error = file_place(o);
  if (error && !so_far)
    so_far = WEFT_E_IO;
  const char *kept = o->beside && !access(o->target, F_OK) ? "; the file of that name is as it was" : "";
  if (error) {
    char why[128] = "";
    if (strerror_r(error, why, sizeof why))
      snprintf(why, sizeof why, "error %d", error);
    if (d && d->status)
      weft_note(d, "cannot write '%s': %s%s", o->path, why, kept);
    else
      (void)file_failed(d, o->path, error, kept);
  } else if (so_far) {
    weft_note(d, "while writing '%s'", o->path);
  }
  file_free(o);
  return so_far;
}
// SPDX-License-Identifier: Apache-2.0
