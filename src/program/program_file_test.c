// program_file_test.c - program files: the same bytes again, weights that are not touched, every damage
// found.
#define _DEFAULT_SOURCE  // MAP_ANONYMOUS
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "check.h"
#include "program/program.h"
#include "run_util.h"

typedef struct bytes {
  weft_text t;
  char *v;  // aligned
} bytes;

static bool save(const weft_program *p, bytes *b) {
  weft_diag d = {0};
  weft_allocator a = weft_allocator_default();
  weft__text_init(&b->t, &a);
  b->v = NULL;
  if (weft_program_save(p, weft__text_write, &b->t, &d)) {
    check_failed(__FILE__, __LINE__, "save: %s", d.text);
    return false;
  }
  b->v = aligned_alloc(64, (b->t.n + 63) / 64 * 64);
  memcpy(b->v, b->t.v, b->t.n);
  return true;
}
static void drop(bytes *b) {
  weft__text_deinit(&b->t);
  free(b->v);
}
static uint64_t get(const char *p, int n) {
  uint64_t v = 0;
  for (int i = 0; i < n; i++)
    v |= (uint64_t)(uint8_t)p[i] << 8 * i;
  return v;
}
static void set(char *p, int n, uint64_t v) {
  for (int i = 0; i < n; i++)
    p[i] = (char)(uint8_t)(v >> 8 * i);
}
// Entry i of the table; its section.
static char *entry(char *v, int i) {
  return v + 64 + 24 * i;
}
static void seal(char *v) {
  set(v + 24, 4, weft__crc32(v + 64, 24 * (size_t)get(v + 12, 4), 0));
}

static const char with_weights[] =
    "graph \"w\" { input x: f32[N,16] const w: f32[16,32]{0..} const s: i64[2]{-1,64} const b: f32[64]{*2}"
    " node m: MatMulV2(x, w) -> y node r: Reshape(y, s) -> v node a: Add(v, b) -> z output z }";

static weft_program *load(run_fixture *f, const void *v, size_t n, weft_status want, const char *has) {
  weft_program *p = NULL;
  weft_diag d = {0};
  weft_status s = weft_program_load_memory(f->r.env, v, n, &p, &d);
  if (s != want) {
    check_failed(__FILE__, __LINE__, "%s, expected %s: %s", weft_status_name(s), weft_status_name(want),
                 d.text);
  }
  if (s && !strstr(d.text, has))
    check_failed(__FILE__, __LINE__, "'%s' without '%s'", d.text, has);
  CHECK(!s == !!p);
  return p;
}

// Runs the file beside the interpreter.
static void runs(run_fixture *f, const void *v, size_t n, const char *literals) {
  weft_program *p = load(f, v, n, WEFT_OK, "");
  weft_exec *x = NULL;
  if (!p)
    return;
  weft_diag d = {0};
  weft_exec *own = f->x;
  CHECK_OK(weft_exec_create(p, NULL, &x, &d), &d);
  f->x = x;
  RUN_SAME(f, literals);
  f->x = own;
  weft_exec_destroy(x);
  weft_program_release(p);
}

TEST(r296_the_same_program_gives_the_same_bytes) {
  static const char *const graphs[] = {
      with_weights,
      "graph \"g\" { input x: f32[3] node a: Neg(x) -> y output y }",
      "graph \"s\" { input x: str[-1] node a: Identity(x) -> y output y }",
  };
  for (size_t i = 0; i < 2 * WEFT_COUNT(graphs); i++) {
    const char *graph = graphs[i / 2];
    run_fixture f;
    run_fixture g;
    bytes a;
    bytes b;
    bytes c;
    if (!(i % 2 ? run_open(&f, graph, NULL, NULL) : run_open_optimised(&f, graph)))
      return;
    if (!(i % 2 ? run_open(&g, graph, NULL, NULL) : run_open_optimised(&g, graph)))
      return;
    if (!save(f.p, &a) || !save(g.p, &b))
      return;
    CHECK_INT(a.t.n, b.t.n);
    CHECK(!memcmp(a.v, b.v, a.t.n));
    weft_program *p = load(&f, a.v, a.t.n, WEFT_OK, "");
    if (!p || !save(p, &c))
      return;
    CHECK_INT(a.t.n, c.t.n);
    CHECK(!memcmp(a.v, c.v, a.t.n));
    CHECK_OK(weft_program_verify(p, &f.r.d), &f.r.d);
    CHECK_OK(weft_program_verify(f.p, &f.r.d), &f.r.d);
    weft_program_release(p);
    drop(&a);
    drop(&b);
    drop(&c);
    run_close(&f);
    run_close(&g);
  }
}

TEST(a_loaded_program_runs) {
  run_fixture f;
  bytes a;
  if (!run_open_optimised(&f, with_weights) || !save(f.p, &a))
    return;
  runs(&f, a.v, a.t.n, "f32[2,16]{0..}");
  runs(&f, a.v, a.t.n, "f32[4,16]{*1}");
  char *odd = malloc(a.t.n + 1);  // not aligned: copied, and may go
  memcpy(odd + 1, a.v, a.t.n);
  weft_program *p = load(&f, odd + 1, a.t.n, WEFT_OK, "");
  memset(odd, 7, a.t.n + 1);
  free(odd);
  if (p)
    CHECK_OK(weft_program_verify(p, &f.r.d), &f.r.d);
  weft_program_release(p);
  drop(&a);
  run_close(&f);
}

// The pages of the weights cannot be read while loading, and the constants lie there.
TEST(weights_are_not_touched) {
  run_fixture f;
  bytes a;
  if (!run_open(&f,
                "graph \"w\" { input x: f32[2,64] const w: f32[64,1024]{0..} node m: MatMulV2(x, w) -> y "
                "output y }",
                NULL, NULL) ||
      !save(f.p, &a))
    return;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t room = (a.t.n + page - 1) / page * page;
  char *m = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(m, a.v, a.t.n);
  CHECK(!memcmp(entry(m, 2), "WGHT", 4));
  size_t at = (size_t)get(entry(m, 2) + 8, 8);
  size_t n = (size_t)get(entry(m, 2) + 16, 8);
  CHECK_INT(n, 64 * 1024 * 4);
  size_t first = (at + page - 1) / page * page;
  size_t end = (at + n) / page * page;
  CHECK(end > first);
  mprotect(m + first, end - first, PROT_NONE);
  weft_program *p = load(&f, m, a.t.n, WEFT_OK, "");
  weft_exec *x = NULL;
  if (p) {
    const weft_value *w = weft_graph_const_at(weft_program_graph(p), 0);
    const char *data = weft_value_data(w)->data;
    CHECK(data >= m + at && data < m + at + n && (uintptr_t)data % 64 == 0);
    CHECK_OK(weft_exec_create(p, NULL, &x, &f.r.d), &f.r.d);
  }
  mprotect(m + first, end - first, PROT_READ);
  if (p)
    CHECK_OK(weft_program_verify(p, &f.r.d), &f.r.d);
  weft_exec_destroy(x);
  weft_program_release(p);
  munmap(m, room);
  drop(&a);
  run_close(&f);
}

TEST(every_truncation_and_every_flipped_bit_is_found) {
  run_fixture f;
  bytes a;
  if (!run_open_optimised(&f, with_weights) || !save(f.p, &a))
    return;
  weft_diag d = {0};
  weft_program *p;
  for (size_t n = 0; n < a.t.n; n++) {
    weft_diag_clear(&d);
    weft_status s = weft_program_load_memory(f.r.env, a.v, n, &p, &d);
    if ((s != WEFT_E_TRUNCATED && s != WEFT_E_SYNTAX) || !d.length || p)
      check_failed(__FILE__, __LINE__, "%zu bytes of %zu: %s", n, a.t.n, weft_status_name(s));
  }
  for (size_t i = 0; i < a.t.n * 8; i += i % 64 ? 1 : 7) {
    a.v[i / 8] ^= (char)(1 << i % 8);
    weft_diag_clear(&d);
    weft_status s = weft_program_load_memory(f.r.env, a.v, a.t.n, &p, &d);
    if (!s)
      s = weft_program_verify(p, &d);
    if (!s || !d.length)
      check_failed(__FILE__, __LINE__, "bit %zu: %s '%s'", i, weft_status_name(s), d.text);
    weft_program_release(p);
    a.v[i / 8] ^= (char)(1 << i % 8);
  }
  size_t at = (size_t)get(entry(a.v, 2) + 8, 8);
  a.v[at + 5] ^= 1;
  p = load(&f, a.v, a.t.n, WEFT_OK, "");
  CHECK_FAILS(weft_program_verify(p, &d), WEFT_E_CORRUPT);
  CHECK_HAS(d.text, "section 'WGHT', byte 0: the data of constant 'w'");
  weft_program_release(p);
  drop(&a);
  run_close(&f);
}

TEST(other_files_are_refused) {
  run_fixture f;
  bytes a;
  if (!run_open_optimised(&f, with_weights) || !save(f.p, &a))
    return;
  size_t n = a.t.n;
#define FRESH() memcpy(a.v, a.t.v, n)
  load(&f, "graph \"x\" {}", 12, WEFT_E_SYNTAX, "does not begin with WEFTPROG");
  set(a.v + 8, 4, 9);
  load(&f, a.v, n, WEFT_E_VERSION, "version 9, this weft reads version 1");
  FRESH();
  char *targ = a.v + get(entry(a.v, 0) + 8, 8);
  targ[5] = 'Z';
  load(&f, a.v, n, WEFT_E_CORRUPT, "section 'TARG' at byte 192: its checksum is wrong");
  set(entry(a.v, 0) + 4, 4, weft__crc32(targ, (size_t)get(entry(a.v, 0) + 16, 8), 0));
  seal(a.v);
  load(&f, a.v, n, WEFT_E_UNSUPPORTED, "the program was compiled for 'cpu ");
  FRESH();
  memcpy(entry(a.v, 0), "TARX", 4);
  seal(a.v);
  load(&f, a.v, n, WEFT_E_VERSION, "section 'TARX' at byte 192 is not known and not optional");
  memcpy(entry(a.v, 0), "tarx", 4);
  seal(a.v);
  load(&f, a.v, n, WEFT_E_CORRUPT, "section 'TARG' is missing");
  memcpy(entry(a.v, 0), "GRPH", 4);
  set(entry(a.v, 0) + 4, 4, 0);
  seal(a.v);
  load(&f, a.v, n, WEFT_E_CORRUPT, "section 'GRPH' at byte");
  FRESH();
  set(entry(a.v, 1) + 8, 8, get(entry(a.v, 1) + 8, 8) + 64);
  seal(a.v);
  load(&f, a.v, n, WEFT_E_CORRUPT, "section 'GRPH' lies at byte");
  FRESH();
  set(entry(a.v, 2) + 16, 8, UINT64_MAX - 100);
  seal(a.v);
  load(&f, a.v, n, WEFT_E_CORRUPT, "section 'WGHT' lies at byte");
  FRESH();
  set(a.v + 12, 4, 65);
  load(&f, a.v, n, WEFT_E_CORRUPT, "65 sections");
  drop(&a);
  run_close(&f);
}

// A section that nobody knows, in front: everything moves by 64. The file has three sections, so that an
// entry more in the table still ends where the first section began.
_Static_assert(64 + 4 * 24 <= 192, "a fourth entry of the table fits before the first section");
TEST(an_optional_section_is_skipped) {
  run_fixture f;
  bytes a;
  if (!run_open_optimised(&f, with_weights) || !save(f.p, &a))
    return;
  CHECK_INT(get(a.v + 12, 4), 3);
  CHECK_INT(get(entry(a.v, 0) + 8, 8), 192);
  char *v = aligned_alloc(64, a.t.n + 64);
  memset(v, 0, a.t.n + 64);
  memcpy(v, a.v, 64 + 3 * 24);
  memcpy(v + 192 + 64, a.v + 192, a.t.n - 192);
  memcpy(v + 192, "extra", 5);
  memmove(entry(v, 1), entry(v, 0), 3 * 24);
  for (int i = 1; i < 4; i++)
    set(entry(v, i) + 8, 8, get(entry(v, i) + 8, 8) + 64);
  memcpy(entry(v, 0), "note", 4);
  set(entry(v, 0) + 4, 4, weft__crc32(v + 192, 5, 0));
  set(entry(v, 0) + 8, 8, 192);
  set(entry(v, 0) + 16, 8, 5);
  set(v + 12, 4, 4);
  set(v + 16, 8, a.t.n + 64);
  seal(v);
  runs(&f, v, a.t.n + 64, "f32[2,16]{0..}");
  v[193] ^= 1;
  load(&f, v, a.t.n + 64, WEFT_E_CORRUPT, "section 'note' at byte 192: its checksum is wrong");
  free(v);
  drop(&a);
  run_close(&f);
}

// What a file says of shapes is not believed: planning infers them again.
TEST(wrong_facts_do_no_harm) {
  static const char graph[] =
      "graph \"g\" { input x: f32[2,3] node a: Neg(x) -> y node b: Exp(y) -> z output z }";
  for (int k = 0; k < 3; k++) {
    run_fixture f = {0};
    bytes a;
    if (!run_open(&f, graph, NULL, NULL))
      return;
    weft_value *y = weft_node_out(weft_graph_find_node(weft_program_graph(f.p), "a"), 0);
    if (k == 0)
      ((weft_dim *)(uintptr_t)y->fact.dims)[1] = 1;
    if (k == 1)
      y->fact.dtype = WEFT_INT8;
    if (k == 2)
      y->fact.kind = WEFT_KIND_SEQUENCE;
    if (!save(f.p, &a))
      return;
    weft_program *p = load(&f, a.v, a.t.n, WEFT_OK, "");
    weft_exec *x = NULL;
    weft_exec *own = f.x;
    weft_diag d = {0};
    CHECK_OK(weft_exec_create(p, NULL, &x, &d), &d);
    f.x = x;
    if (k == 0)
      RUN_SAME(&f, "f32[2,3]{0..}");
    if (k == 1) {
      CHECK_HAS(run_text(&f, "f32[2,3]{0..}"),
                "E_CORRUPT: value 'y': tensor of i8 in the program, tensor of f32 inferred");
    }
    if (k == 2)
      CHECK_HAS(run_text(&f, "f32[2,3]{0..}"), "E_CORRUPT: value 'y': sequence");
    f.x = own;
    weft_exec_destroy(x);
    weft_program_release(p);
    drop(&a);
    run_close(&f);
  }
}

TEST(files) {
  run_fixture f;
  weft_program *p = NULL;
  weft_diag d = {0};
  char path[64] = "/tmp/weft_program_XXXXXX";
  int fd = mkstemp(path);
  if (fd >= 0)
    close(fd);
  if (!run_open_optimised(&f, with_weights))
    return;
  CHECK_FAILS(weft_program_load(f.r.env, "/no/such/file.weft", &p, &d), WEFT_E_NOT_FOUND);
  CHECK(!p);
  weft_diag_clear(&d);
  CHECK_FAILS(weft_program_save_file(f.p, "/no/such/file.weft", &d), WEFT_E_IO);
  weft_diag_clear(&d);
  CHECK_FAILS(weft_program_load(f.r.env, path, &p, &d), WEFT_E_SYNTAX);
  CHECK_HAS(d.text, path);
  weft_diag_clear(&d);
  CHECK_OK(weft_program_save_file(f.p, path, &d), &d);
  CHECK_OK(weft_program_load(f.r.env, path, &p, &d), &d);
  CHECK_OK(weft_program_verify(p, &d), &d);
  CHECK_STR(weft_program_name(p), "w");
  weft_program_release(p);
  if (truncate(path, 300))
    return;
  CHECK_FAILS(weft_program_load(f.r.env, path, &p, &d), WEFT_E_TRUNCATED);
  CHECK_HAS(d.text, path);
  unlink(path);
  run_close(&f);
}

// ---- packed constants ----
// Planned for x, so that its weights are packed, and saved with them.
static bool save_packed(run_fixture *f, bytes *b) {
  if (!run_open_optimised(f, with_weights))
    return false;
  RUN_SAME(f, "f32[2,16]{0..}");
  CHECK(weft__program_packed_bytes(f->p) > 0);
  weft_program_keep_packed(f->p, true);
  return save(f->p, b);
}

TEST(packed_constants_are_used_where_they_lie) {
  run_fixture f;
  bytes a;
  bytes again;
  if (!save_packed(&f, &a))
    return;
  CHECK(!memcmp(entry(a.v, 3), "PIDX", 4) && !memcmp(entry(a.v, 4), "PDAT", 4));
  weft_program *p = load(&f, a.v, a.t.n, WEFT_OK, "");
  if (!p)
    return;
  CHECK_OK(weft_program_verify(p, &f.r.d), &f.r.d);
  uint64_t packed = weft__program_packed_bytes(p);
  CHECK_INT(packed, weft__program_packed_bytes(f.p));
  weft_exec *x = NULL;
  weft_exec *own = f.x;
  CHECK_OK(weft_exec_create(p, NULL, &x, &f.r.d), &f.r.d);
  f.x = x;
  RUN_SAME(&f, "f32[2,16]{0..}");
  f.x = own;
  CHECK_INT(weft__program_packed_bytes(p), packed);  // nothing was packed anew
  CHECK(save(p, &again) && again.t.n == a.t.n && !memcmp(again.v, a.v, a.t.n));
  weft_exec_destroy(x);
  weft_program_release(p);
  drop(&a);
  drop(&again);
  run_close(&f);
}

TEST(packed_constants_for_others_are_packed_anew) {
  run_fixture f;
  bytes a;
  if (!save_packed(&f, &a))
    return;
  char *index = a.v + get(entry(a.v, 3) + 8, 8);
  size_t n = (size_t)get(entry(a.v, 3) + 16, 8);
#define SEAL() (set(entry(a.v, 3) + 4, 4, weft__crc32(index, n, 0)), seal(a.v))
  index[8] ^= 1, SEAL();  // another instruction set
  runs(&f, a.v, a.t.n, "f32[2,16]{0..}");
  index[8] ^= 1;
  char *name = index + 8 + (get(index + 4, 4) + 7) / 8 * 8 + 32;
  CHECK_HAS(name, "/");
  // another kernel
  name[0] ^= 1;
  SEAL();
  runs(&f, a.v, a.t.n, "f32[2,16]{0..}");
  name[0] ^= 1;
  // another key
  set(name - 24, 8, get(name - 24, 8) + 1);
  SEAL();
  runs(&f, a.v, a.t.n, "f32[2,16]{0..}");
  set(name - 24, 8, get(name - 24, 8) - 1);
  // a byte less
  set(name - 16, 8, get(name - 16, 8) - 1);
  SEAL();
  runs(&f, a.v, a.t.n, "f32[2,16]{0..}");
  drop(&a);
  run_close(&f);
}

TEST(lies_about_packed_constants_are_found) {
  run_fixture f;
  bytes a;
  if (!save_packed(&f, &a))
    return;
  char *index = a.v + get(entry(a.v, 3) + 8, 8);
  size_t n = (size_t)get(entry(a.v, 3) + 16, 8);
  char *first = index + 8 + (get(index + 4, 4) + 7) / 8 * 8;
  struct {
    char *at;
    int bytes;
    uint64_t to;
    const char *has;
  } lies[] = {
      {index, 4, 1000, "an entry ends behind it"},
      {index, 4, 0, "more than its entries"},
      {index + 4, 4, UINT32_MAX, "a name ends behind it"},
      {first, 4, 1000, "a constant that is not there"},
      {first + 16, 8, 0, "data that end behind section 'PDAT'"},
      {first + 16, 8, UINT64_MAX, "data that end behind section 'PDAT'"},
      {first + 16, 8, UINT64_MAX - 40, "data that end behind section 'PDAT'"},
      {first + 16, 8, 1, "section 'PDAT': "},
      {first + 24, 4, UINT32_MAX, "a name ends behind it"},
      {first + 28, 4, 1, "expected a zero"},
  };
  for (size_t i = 0; i < WEFT_COUNT(lies); i++) {
    uint64_t had = get(lies[i].at, lies[i].bytes);
    set(lies[i].at, lies[i].bytes, lies[i].to);
    SEAL();
    load(&f, a.v, a.t.n, WEFT_E_CORRUPT, lies[i].has);
    set(lies[i].at, lies[i].bytes, had);
  }
  SEAL();
  memcpy(entry(a.v, 4), "pdat", 4);  // without its data
  set(entry(a.v, 4) + 4, 4, weft__crc32(a.v + get(entry(a.v, 4) + 8, 8), get(entry(a.v, 4) + 16, 8), 0));
  seal(a.v);
  load(&f, a.v, a.t.n, WEFT_E_CORRUPT, "section 'PDAT' is missing");
  memcpy(entry(a.v, 4), "PDAT", 4);
  set(entry(a.v, 4) + 4, 4, 0);
  seal(a.v);
  a.v[get(entry(a.v, 4) + 8, 8) + 3] ^= 1;  // damaged data: found when asked
  weft_program *p = load(&f, a.v, a.t.n, WEFT_OK, "");
  weft_diag d = {0};
  if (p)
    CHECK_FAILS(weft_program_verify(p, &d), WEFT_E_CORRUPT);
  CHECK_HAS(d.text, "section 'PDAT', byte 0: packed data have checksum");
  weft_program_release(p);
  drop(&a);
  run_close(&f);
}

TEST(every_allocation_failed_once) {
  check_alloc c = {0};
  run_fixture f;
  bytes a;
  if (!save_packed(&f, &a))
    return;
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.package_path = "", .allocator = check_allocator(&c)};
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  weft_program *p = NULL;
  for (int odd = 0; odd < 2; odd++) {
    char *v = malloc(a.t.n + 64);
    char *at = v + (64 - (uintptr_t)v % 64) % 64 + (odd ? 1 : 0);
    v = realloc(v, a.t.n + 65);
    at = v + (64 - (uintptr_t)v % 64) % 64 + (odd ? 1 : 0);
    memcpy(at, a.t.v, a.t.n);
    long blocks = c.live_blocks;
    bool done = false;
    for (long i = 1; !done && i < 10000; i++) {
      c.fail_at = c.calls + i;
      weft_diag_clear(&d);
      weft_status s = weft_program_load_memory(e, at, a.t.n, &p, &d);
      done = c.calls < c.fail_at;
      c.fail_at = 0;
      if (s != (done ? WEFT_OK : WEFT_E_NOMEM))
        check_failed(__FILE__, __LINE__, "allocation %ld: %s %s", i, weft_status_name(s), d.text);
      weft_program_release(p);
      p = NULL;
      if (c.live_blocks > blocks && !done)
        check_failed(__FILE__, __LINE__, "allocation %ld: blocks leak", i);
    }
    CHECK(done);
    free(v);
  }
  weft_env_destroy(e);
  CHECK_INT(c.live_blocks, 0);
  drop(&a);
  run_close(&f);
}
// SPDX-License-Identifier: Apache-2.0
