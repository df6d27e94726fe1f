// bench_packages.c - starting an environment with 1, 10 and 100 packages (P20).   bench_packages LIBRARY.so
// WORKDIR The packages are copies of one library under names of their own; after the first they hide its
// operator, which costs the same as adding it.
#include <sys/stat.h>
#include <sys/utsname.h>

#include "bench.h"

static void copy(const char *from, const char *to) {
  static char buf[1 << 16];
  FILE *in = fopen(from, "rb");
  FILE *out = fopen(to, "wb");
  size_t n;
  if (!in || !out) {
    fprintf(stderr, "bench: cannot copy '%s' to '%s'\n", from, to);
    exit(1);
  }
  while ((n = fread(buf, 1, sizeof buf, in)) > 0)
    fwrite(buf, 1, n, out);
  fclose(in);
  fclose(out);
}

static void make_dirs(char *path) {
  for (char *p = path + 1; *p; p++) {
    if (*p != '/')
      continue;
    *p = 0;
    mkdir(path, 0777);
    *p = '/';
  }
  mkdir(path, 0777);
}

int main(int argc, char **argv) {
  struct utsname u;
  if (argc != 3 || uname(&u)) {
    fprintf(stderr, "usage: bench_packages LIBRARY.so WORKDIR\n");
    return 2;
  }
  printf("%8s %14s %14s %14s\n", "packages", "min us", "median us", "us a package");
  static const int counts[] = {0, 1, 10, 100};
  double empty = 0;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    char root[2048];
    char dir[3000];
    char file[3200];
    snprintf(root, sizeof root, "%s/packages%d", argv[2], counts[i]);
    snprintf(dir, sizeof dir, "%s/op_graph/lib/linux/%s", root, u.machine);
    make_dirs(dir);
    for (int k = 0; k < counts[i]; k++) {
      snprintf(file, sizeof file, "%s/libcopy%03d.so", dir, k);
      copy(argv[1], file);
    }
    double ns[15];
    for (int r = 0; r < 15; r++) {
      weft_diag d = {0};
      weft_env *e;
      weft_env_options o = {.size = sizeof o, .package_path = root};
      double t = bench_now_ns();
      if (weft_env_create(&o, &e, &d))
        bench_die(&d);
      ns[r] = bench_now_ns() - t;
      if (weft_package_count(e) != (size_t)counts[i])
        fprintf(stderr, "bench: %zu packages found\n", weft_package_count(e));
      weft_env_destroy(e);
    }
    bench_result b = bench_summary(ns, 15);
    if (!counts[i])
      empty = b.median;
    printf("%8d %14.1f %14.1f %14.1f\n", counts[i], b.min / 1e3, b.median / 1e3,
           counts[i] ? (b.median - empty) / 1e3 / counts[i] : 0.0);
  }
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
