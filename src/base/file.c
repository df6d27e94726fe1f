// file.c - a whole file as bytes, mapped read-only and private, and open as long as it is mapped, or copied.
// Only regular files: a directory, a pipe or a device is refused, never waited for. A file that another
// process shortens while it is mapped raises SIGBUS on access, as with every mapping.
#define _DEFAULT_SOURCE  // madvise, MAP_ANONYMOUS
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static weft_status fail_errno(weft_diag *d, const char *what, const char *path, int error) {
  char why[128] = "";
  if (strerror_r(error, why, sizeof why))
    snprintf(why, sizeof why, "error %d", error);
  weft_status s = error == ENOENT || error == ENOTDIR ? WEFT_E_NOT_FOUND : WEFT_E_IO;
  return weft_fail(d, s, "cannot %s file '%s': %s", what, path, why);
}

// A wish: with them a copy takes an eighth of the time.
#ifdef MADV_HUGEPAGE
static void want_large_pages(void *p, size_t bytes) {
  enum { LARGE_PAGE = 2 << 20 };
  if (bytes >= LARGE_PAGE)
    (void)madvise(p, bytes, MADV_HUGEPAGE);
}
#else
static void want_large_pages(void *p, size_t bytes) {
  (void)p;
  (void)bytes;
}
#endif

void *weft__file_copied(int fd, size_t bytes) {
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    return NULL;
  want_large_pages(p, bytes);
  errno = 0;
  if (weft__file_read_at(fd, 0, p, bytes))
    return p;
  int error = errno;
  munmap(p, bytes);
  errno = error;
  return NULL;
}

static weft_status copy_open_file(int fd, const char *path, size_t bytes, weft_file *out, weft_diag *d) {
  void *p = weft__file_copied(fd, bytes);
  if (!p && !errno) {
    return weft_fail(d, WEFT_E_TRUNCATED, "file '%s' became shorter than its %zu bytes while it was read",
                     path, bytes);
  }
  if (!p && errno == ENOMEM)
    return weft_fail(d, WEFT_E_NOMEM, "no memory for the %zu bytes of file '%s'", bytes, path);
  if (!p)
    return fail_errno(d, "read", path, errno);
  out->map = p;
  out->data = p;
  out->bytes = bytes;
  return WEFT_OK;
}

static weft_status take_open_file(int fd, const char *path, size_t copy_most, weft_file *out, weft_diag *d) {
  struct stat st;
  if (fstat(fd, &st))
    return fail_errno(d, "examine", path, errno);
  if (S_ISDIR(st.st_mode))
    return weft_fail(d, WEFT_E_IO, "cannot read file '%s': it is a directory", path);
  if (!S_ISREG(st.st_mode)) {
    return weft_fail(d, WEFT_E_IO, "cannot read file '%s': it is not a regular file", path);
  }
  if (st.st_size < 0 || (uintmax_t)st.st_size > PTRDIFF_MAX) {
    return weft_fail(d, WEFT_E_IO, "cannot map file '%s': %lld bytes do not fit the address space", path,
                     (long long)st.st_size);
  }
  if (!st.st_size) {
    out->data = (const uint8_t *)"";
    return WEFT_OK;
  }
  if ((size_t)st.st_size <= copy_most)
    return copy_open_file(fd, path, (size_t)st.st_size, out, d);
  void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (p == MAP_FAILED)
    return fail_errno(d, "map", path, errno);
  out->map = p;
  out->data = p;
  out->bytes = (size_t)st.st_size;
  out->fd = fd;
  return WEFT_OK;
}

// On failure *out is empty and may be unmapped.
weft_status weft__file_take(const char *path, size_t copy_most, weft_file *out, weft_diag *d) {
  *out = (weft_file){.fd = -1};
  if (!path)
    return weft_fail(d, WEFT_E_INVALID, "cannot open a file: the path is NULL");
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0)
    return fail_errno(d, "open", path, errno);
  weft_status s = take_open_file(fd, path, copy_most, out, d);
  if (out->fd < 0)
    close(fd);
  return s;
}

weft_status weft__file_map(const char *path, weft_file *out, weft_diag *d) {
  return weft__file_take(path, 0, out, d);
}

void weft__file_unmap(weft_file *f) {
  if (f->map)
    munmap(f->map, f->bytes);
  if (f->map && f->fd >= 0)
    close(f->fd);
  *f = (weft_file){.fd = -1};
}

bool weft__file_read_at(int fd, uint64_t from, void *to, size_t bytes) {
  if (fd < 0)
    return false;
  for (size_t done = 0; done < bytes;) {
    ssize_t n = pread(fd, (char *)to + done, bytes - done, (off_t)(from + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    done += (size_t)n;
  }
  return true;
}

bool weft__file_state(int fd, uint64_t *out_bytes, int64_t *out_written_ns) {
  struct stat st;
  if (fd < 0 || fstat(fd, &st))
    return false;
  *out_bytes = (uint64_t)st.st_size;
  *out_written_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
  return true;
}

const char *weft__file_name(int fd, char *out, size_t capacity) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, out, capacity - 1);
  if (n <= 0)
    return "?";
  out[n] = 0;
  return out;
}

void weft__file_peek(const weft_file *f, size_t at, void *to, size_t bytes) {
  if (f->fd < 0 || !weft__file_read_at(f->fd, at, to, bytes))
    memcpy(to, f->data + at, bytes);
}

void weft__file_rest(const weft_file *f) {
  if (f->map && f->fd >= 0)
    (void)madvise(f->map, f->bytes, MADV_DONTNEED);
}

void weft__mapped_rest(const void *from, size_t bytes) {
  long page = sysconf(_SC_PAGESIZE);
  if (page <= 0 || !bytes)
    return;
  uintptr_t mask = (uintptr_t)page - 1;
  uintptr_t begin = (uintptr_t)from & ~mask;
  uintptr_t end = ((uintptr_t)from + bytes + mask) & ~mask;
  (void)madvise((void *)begin, (size_t)(end - begin), MADV_DONTNEED);
}
// SPDX-License-Identifier: Apache-2.0
