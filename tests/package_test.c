// package_test.c - packages: layout, order of roots, broken ones, two environments, examples of every
// operator.
#include "rows.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static void print_violation(void *ctx, const char *text) {
  (void)ctx;
  check_failed(__FILE__, __LINE__, "%s", text);
}

static void lib_path(const char *root, const char *file, char *buf, size_t cap) {
  struct utsname u;
  uname(&u);
  snprintf(buf, cap, "%s/%s/op_graph/lib/linux/%s/%s", ROWS_PACKAGES, root, u.machine, file);
}

// R315, R316, R14, R25: a root on the path is enough; without it the operators are not there.
TEST(r315_r316_r25_a_root_makes_its_operators_known) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK(!weft_find(r.env, "AddCustom"));
  CHECK_INT(weft_package_count(r.env), 0);
  rows_close(&r);
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  const weft_proto *p = rows_find(&r, "AddCustom");
  CHECK_INT(weft_package_count(r.env), 1);
  weft_package_info info = weft_package_at(r.env, 0);
  CHECK_STR(info.name, "documents");
  CHECK_STR(info.version, "1.0.0");
  CHECK_INT(info.n_ops, 8);
  CHECK(!info.problem);
  char path[1024];
  lib_path("documents", "libdocuments.so", path, sizeof path);
  CHECK_STR(info.path, path);
  if (p)
    CHECK_STR(weft_proto_origin(p), path);
  if (p)
    CHECK_INT(weft_proto_source(p), WEFT_FROM_PACKAGE);
  rows_close(&r);
  if (!rows_open(&r, ""))
    return;
  CHECK(!weft_find(r.env, "AddCustom"));  // unloaded with its environment
  rows_close(&r);
}

// R351: every operator of the documents is there, and holds its examples and the laws.
TEST(r351_r34_r346_r347_documents_operators_keep_the_laws) {
  static const char *const names[] = {"AddCustom", "Foo",        "MyOp",         "CustomConv2d", "CustomPool",
                                      "TransData", "UniqueLike", "DynamicRNNV3", "Reshape"};
  rows r;
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  weft_laws_options laws = {.report = print_violation, .rounds = 2};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const weft_proto *p = rows_find(&r, names[i]);
    weft_laws_result result;
    if (!p || !strcmp(names[i], "Reshape"))
      continue;  // built in: builtin_laws_test.c
    CHECK_INT(weft_proto_source(p), WEFT_FROM_PACKAGE);
    weft_diag_clear(&r.d);
    weft_status s = weft_op_laws(r.env, p, &laws, &result, &r.d);
    if (s)
      check_failed(__FILE__, __LINE__, "%s: %s", names[i], r.d.text);
    s = weft_op_kernel_laws(r.env, p, &laws, NULL, &r.d);
    if (s)
      check_failed(__FILE__, __LINE__, "%s: %s", names[i], r.d.text);
  }
  rows_close(&r);
}

// R12: kernel and host side in two files, as one library and as two.
TEST(r12_one_operator_in_two_files) {
  const char *const roots[] = {ROWS_PACKAGES "/joined", ROWS_PACKAGES "/split"};
  for (size_t i = 0; i < 2; i++) {
    rows r;
    if (!rows_open(&r, roots[i]))
      return;
    CHECK_STR(rows_run(&r, "Twice", NULL, "f32[3]{1,2,-4}", 1), "f32[3]{2,4,-8}");
    CHECK_INT(weft_package_count(r.env), 1);  // the kernel's library lies in a folder of its own
    rows_close(&r);
  }
}

// R26, R39: the catalogue's TransData loses to the package's, with a note to the log.
TEST(r26_r98_package_overrides_the_catalogue) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  const weft_proto *p = rows_find(&r, "TransData");
  if (p && weft_proto_source(p) == WEFT_FROM_CATALOGUE)
    CHECK_INT(weft_proto_n_attr(p), 5);
  rows_close(&r);
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  p = rows_find(&r, "TransData");
  if (!p)
    return;
  CHECK_INT(weft_proto_n_attr(p), 3);
  CHECK_STR(weft_proto_attr(p, 0)->name, "src_format");
  CHECK_STR(weft_proto_attr(p, 1)->name, "dst_format");
  CHECK_STR(weft_proto_attr(p, 2)->name, "group");
  CHECK(!weft_proto_default(p, 0) && !weft_proto_default(p, 1));
  CHECK_INT(weft_proto_default(p, 2)->u.i, 1);
  CHECK_STR(weft_proto_attr(p, 0)->type, "String");
  CHECK_STR(weft_proto_attr(p, 2)->type, "Int");
  rows_close(&r);
}

// R317: the leftmost root wins a whole operator, with a warning; the others of that root stay.
TEST(r317_leftmost_root_wins) {
  rows r;
  if (!rows_open(&r, ROWS_PACKAGES "/second:" ROWS_DOCUMENTS))
    return;
  const weft_proto *p = rows_find(&r, "AddCustom");
  if (p)
    CHECK_STR(weft_proto_op(p)->summary, "the second AddCustom");
  if (p)
    CHECK_INT(weft_proto_n_in(p), 1);
  CHECK_HAS(r.log, "operator 'AddCustom'");
  CHECK_HAS(r.log, "is hidden by the one of");
  CHECK(weft_find(r.env, "Foo") && weft_find(r.env, "OnlyInSecond"));
  rows_close(&r);
  if (!rows_open(&r, ROWS_DOCUMENTS ":" ROWS_PACKAGES "/second"))
    return;
  p = rows_find(&r, "AddCustom");
  if (p)
    CHECK_STR(weft_proto_op(p)->summary, "z = x + y for equal shapes");
  CHECK(weft_find(r.env, "OnlyInSecond") != NULL);
  CHECK_INT(weft_package_count(r.env), 2);
  rows_close(&r);
}

// R316: the variable of the documents, and weft's own before it.
TEST(r316_environment_variables) {
  weft_env *e = NULL;
  weft_diag d = {0};
  setenv("ASCEND_CUSTOM_OPP_PATH", ROWS_DOCUMENTS ":", 1);
  setenv("WEFT_OPP_PATH", ROWS_PACKAGES "/second", 1);
  CHECK_OK(weft_env_create(NULL, &e, &d), &d);
  unsetenv("ASCEND_CUSTOM_OPP_PATH");
  unsetenv("WEFT_OPP_PATH");
  const weft_proto *p = weft_find(e, "AddCustom");
  CHECK(p && !strcmp(weft_proto_op(p)->summary, "the second AddCustom"));
  CHECK(weft_find(e, "Foo") != NULL);
  weft_env_destroy(e);
  CHECK_OK(weft_env_create(NULL, &e, &d), &d);
  CHECK(!weft_find(e, "Foo"));
  weft_env_destroy(e);
}

// R318: empty elements, missing folders, a trailing colon and other files do no harm.
TEST(r318_odd_paths_are_tolerated) {
  rows r;
  if (!rows_open(&r, "::/no/such/root:" ROWS_PACKAGES "/empty:" ROWS_DOCUMENTS ":"))
    return;
  CHECK(weft_find(r.env, "AddCustom") != NULL);
  CHECK_INT(weft_package_count(r.env), 1);
  rows_close(&r);
  if (!rows_open(&r, ":"))
    return;
  CHECK_INT(weft_package_count(r.env), 0);
  rows_close(&r);
}

static const weft_package_info *broken(rows *r, const char *root, weft_package_info *info) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", ROWS_PACKAGES, root);
  if (!rows_open(r, path))
    return NULL;
  CHECK(!weft_find(r->env, "BrokenFriend") && !weft_find(r->env, "BrokenTwice"));  // all of it or nothing
  CHECK(weft_find(r->env, "Relu") != NULL);
  *info = weft_package_at(r->env, 0);
  CHECK_INT(weft_package_count(r->env), !strcmp(root, "broken_text") ? 2 : 1);
  CHECK(info->problem != NULL);
  CHECK_INT(info->n_ops, 0);
  if (info->problem)
    CHECK_HAS(info->problem, info->path);
  if (info->problem)
    CHECK_HAS(r->log, info->problem);
  return info;
}

// R318, R335: each broken package is reported with path and reason, and everything else goes on.
TEST(r318_r335_broken_packages_are_reported) {
  static const struct {
    const char *root;
    const char *reason;
    weft_status status;
  } cases[] = {
      {"broken_abi", "was built for interface version 44, this weft has 3", WEFT_E_ABI},
      {"broken_size", "its descriptor has 8 bytes, expected", WEFT_E_ABI},
      {"broken_count", "section 0 lists 4000000000 items", WEFT_E_CORRUPT},
      {"broken_name", "has no name", WEFT_E_CORRUPT},
      {"broken_entry", "does not export weft_package_entry", WEFT_E_ABI},
      {"broken_null", "refuses this weft (", WEFT_E_ABI},
      {"broken_links",
       "calls 'weft_load_f64', a function of weft's library, but packages link against nothing; call "
       "weft_elem_f64",
       WEFT_E_ABI},
      {"broken_duplicate", "input 9: the name 'mask' is that of input 8 already", WEFT_E_DUPLICATE},
      {"broken_text", "libbad.so' does not load: ", WEFT_E_IO},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rows r;
    weft_package_info info;
    if (broken(&r, cases[i].root, &info) && info.problem)
      CHECK_HAS(info.problem, cases[i].reason);
    char copy[1024];
    snprintf(copy, sizeof copy, "%s", info.path);
    rows_close(&r);
    if (!rows_open(&r, ""))
      return;
    weft_diag_clear(&r.d);
    CHECK_FAILS(weft_load_package(r.env, copy, &r.d), cases[i].status);
    CHECK_HAS(r.d.text, cases[i].reason);
    CHECK_HAS(r.d.text, copy);
    rows_close(&r);
    char root[512];  // strict: the environment is refused
    snprintf(root, sizeof root, "%s/%s", ROWS_PACKAGES, cases[i].root);
    weft_env_options o = {.package_path = root, .strict = true};
    weft_env *e = NULL;
    weft_diag d = {0};
    CHECK_FAILS(weft_env_create(&o, &e, &d), cases[i].status);
    CHECK(!e);
    CHECK_HAS(d.text, cases[i].reason);
  }
}

// A package further right is not hurt by a broken one further left.
TEST(r318_a_broken_root_does_not_hide_the_next) {
  rows r;
  if (!rows_open(&r, ROWS_PACKAGES "/broken_text:" ROWS_PACKAGES "/broken_abi:" ROWS_DOCUMENTS))
    return;
  CHECK_STR(rows_run(&r, "AddCustom", NULL, "i32[2]{1,2}; i32[2]{3,4}", 1), "i32[2]{4,6}");
  rows_close(&r);
}

TEST(packages_that_do_not_exist) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK_FAILS(weft_load_package(r.env, "/no/such/libx.so", &r.d), WEFT_E_NOT_FOUND);
  CHECK_HAS(r.d.text, "/no/such/libx.so");
  weft_diag_clear(&r.d);
  CHECK_FAILS(weft_load_package(r.env, ROWS_DOCUMENTS, &r.d), WEFT_E_IO);
  CHECK_HAS(r.d.text, "is not a regular file");
  CHECK_STR(weft_package_at(r.env, 99).problem, "no such package");
  rows_close(&r);
}

TEST(a_package_is_loaded_once) {
  rows r;
  char path[1024];
  lib_path("documents", "libdocuments.so", path, sizeof path);
  if (!rows_open(&r, ROWS_DOCUMENTS ":" ROWS_DOCUMENTS))
    return;
  CHECK_INT(weft_package_count(r.env), 1);
  CHECK_FAILS(weft_load_package(r.env, path, &r.d), WEFT_E_EXISTS);
  rows_close(&r);
}

// Two environments side by side: each has its own registry; closing one leaves the other whole.
TEST(r25_r335_two_environments_side_by_side) {
  rows a;
  rows b;
  if (!rows_open(&a, ROWS_DOCUMENTS))
    return;
  if (!rows_open(&b, ROWS_PACKAGES "/second"))
    return;
  CHECK(weft_find(a.env, "Foo") && !weft_find(b.env, "Foo"));
  CHECK(weft_find(a.env, "AddCustom") != weft_find(b.env, "AddCustom"));
  rows c;
  if (!rows_open(&c, ROWS_DOCUMENTS))
    return;  // the same file a second time in the process
  rows_close(&a);
  CHECK_STR(rows_run(&c, "AddCustom", NULL, "i32[1]{1}; i32[1]{2}", 1), "i32[1]{3}");
  rows_close(&c);
  CHECK_STR(rows_infer(&b, "AddCustom", NULL, "f32[7]", 1), "DT_FLOAT [7] ND");
  rows_close(&b);
}

static bool copy_file(const char *from, const char *to) {
  char buf[65536];
  size_t n;
  FILE *in = fopen(from, "rb");
  FILE *out = in ? fopen(to, "wb") : NULL;
  while (out && (n = fread(buf, 1, sizeof buf, in)) > 0)
    fwrite(buf, 1, n, out);
  bool ok = out != NULL;
  if (out)
    fclose(out);
  if (in)
    fclose(in);
  return ok;
}

// A hundred packages that all define the same operators: the first one's stay, the others hold nothing.
TEST(r317_a_hundred_packages) {
  char from[1024];
  char to[1024];
  char folder[] = "/tmp/weft_packages_XXXXXX";
  char cleanup[1100];
  lib_path("second", "libsecond.so", from, sizeof from);
  if (!mkdtemp(folder))
    return;
  rows r;
  if (!rows_open(&r, ""))
    return;
  for (int i = 0; i < 100; i++) {
    snprintf(to, sizeof to, "%s/libcopy%d.so", folder, i);
    CHECK(copy_file(from, to));
    weft_diag_clear(&r.d);
    CHECK_OK(weft_load_package(r.env, to, &r.d), &r.d);
    CHECK_INT(weft_package_at(r.env, (size_t)i).n_ops, i ? 0 : 2);
    unlink(to);
  }
  CHECK_INT(weft_package_count(r.env), 100);
  snprintf(cleanup, sizeof cleanup, "%s/libcopy0.so", folder);
  const weft_proto *p = rows_find(&r, "OnlyInSecond");
  if (p)
    CHECK_STR(weft_proto_origin(p), cleanup);
  rows_close(&r);
  rmdir(folder);
}

// R335: the package was compiled against the public headers alone, and links against nothing of weft.
TEST(r335_host_table_is_versioned) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  const weft_host *h = weft_env_host(r.env);
  CHECK_INT(h->size, sizeof(weft_host));
  CHECK_INT(h->abi, WEFT_ABI);
  CHECK_STR(h->version, weft_version());
  rows_close(&r);
}

// Every allocation failed once while an environment loads a package: E_NOMEM or success, and nothing is left.
TEST(packages_without_memory) {
  long n = 1;
  for (;; n++) {
    check_alloc c = {.fail_at = n};
    weft_env_options o = {.allocator = check_allocator(&c),
                          .package_path = ROWS_DOCUMENTS,
                          .no_builtin = true,
                          .no_catalogue = true};
    weft_env *e = NULL;
    weft_diag d = {0};
    weft_status s = weft_env_create(&o, &e, &d);
    bool failed_once = c.calls >= n;
    if (s)
      CHECK_INT(s, WEFT_E_NOMEM);
    if (s)
      CHECK(!e && d.length > 0);
    if (!s && !failed_once)
      CHECK(weft_find(e, "AddCustom") != NULL);
    weft_env_destroy(e);
    CHECK_INT(c.live_blocks, 0);
    CHECK_INT(c.live_bytes, 0);
    if (!failed_once || n > 10000)
      break;
  }
  CHECK(n > 5 && n < 10000);
}
// SPDX-License-Identifier: Apache-2.0
