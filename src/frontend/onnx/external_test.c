// external_test.c - data of tensors outside the model: files beside it (good ones, and every way out of the
// folder refused), and what the model says of itself.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "frontend/onnx/import.h"
#include "frontend/onnx/writer.h"
#include "weft/interp.h"
#include "weft/onnx.h"

typedef struct fixture {
  char top[64], dir[80];  // dir: the model's folder, inside top
  check_alloc alloc;
  weft_env *env;
  weft_text text;
  onnxw w;
  weft_diag d;
  weft_graph *g;
} fixture;

static void write_at(const char *dir, const char *name, const void *data, size_t bytes) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(data, 1, bytes, f) != bytes || fclose(f))
    check_failed(__FILE__, __LINE__, "cannot write %s", path);
}

static void setup(fixture *f) {
  memset(f, 0, sizeof *f);
  strcpy(f->top, "/tmp/weft_external_XXXXXX");
  if (!mkdtemp(f->top))
    check_failed(__FILE__, __LINE__, "no folder");
  snprintf(f->dir, sizeof f->dir, "%s/m", f->top);
  (void)!mkdir(f->dir, 0777);
  weft_allocator a = weft_allocator_default();
  weft__text_init(&f->text, &a);
  weft_env_options o = {.package_path = "", .allocator = check_allocator(&f->alloc)};
  if (weft_env_create(&o, &f->env, &f->d))
    check_failed(__FILE__, __LINE__, "environment: %s", f->d.text);
}

static void teardown(fixture *f) {
  char command[128];
  weft_graph_destroy(f->g);
  weft_env_destroy(f->env);
  CHECK_INT(f->alloc.live_blocks, 0);
  weft__text_deinit(&f->text);
  snprintf(command, sizeof command, "rm -rf '%s'", f->top);
  (void)!system(command);
}

// A float tensor of `n` elements with these entries (NULL: left out); y = Add(x, w).
static void begin(fixture *f, const char *location, const char *offset, const char *length, int64_t n) {
  weft_graph_destroy(f->g);
  f->g = NULL;
  f->d = (weft_diag){0};
  f->text.n = 0;
  onnxw *w = &f->w;
  onnxw_begin(w, &f->text, 8, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, &n, NULL);
  onnxw_open(w, 5);  // initializer
  onnxw_ints(w, 1, &n, 1);
  onnxw_int(w, 2, ONNX_FLOAT);
  onnxw_str(w, 8, "w");
  const char *keys[] = {"location", "offset", "length", "checksum", "prepacked_0"};
  const char *values[] = {location, offset, length, "00", "x"};
  for (size_t i = 0; i < WEFT_COUNT(keys); i++) {
    if (!values[i])
      continue;
    onnxw_open(w, 13);
    onnxw_str(w, 1, keys[i]);
    onnxw_str(w, 2, values[i]);
    onnxw_close(w);
  }
  onnxw_int(w, 14, ONNX_LOCATION_EXTERNAL);
  onnxw_close(w);
  onnxw_op(w, "Add", "add", "x,w", "y");
  onnxw_output(w, "y", ONNX_FLOAT, 1, &n, NULL);
}

static weft_status load(fixture *f) {
  char path[128];
  WEFT_TRY(onnxw_finish(&f->w, &f->d));
  write_at(f->dir, "model.onnx", f->text.v, f->text.n);
  snprintf(path, sizeof path, "%s/model.onnx", f->dir);
  return weft_onnx_load(f->env, path, &f->g, &f->d);
}

static void refused(fixture *f, const char *location, const char *offset, const char *length, weft_status s,
                    const char *message) {
  begin(f, location, offset, length, 4);
  weft_status got = load(f);
  if (got != s) {
    check_failed(__FILE__, __LINE__, "%s: %s: %s", location ? location : "-", weft_status_name(got),
                 f->d.text);
  }
  CHECK_HAS(f->d.text, message);
  CHECK_HAS(f->d.text, "in tensor 'w' at byte ");
  CHECK(!f->g);
}

TEST(external_data_are_mapped_not_copied) {
  fixture f;
  setup(&f);
  float v[8] = {9, 9, 1, 2, 3, 4, 9, 9};
  write_at(f.dir, "w.bin", v, sizeof v);
  begin(&f, "w.bin", "8", "16", 4);
  CHECK_OK(load(&f), &f.d);
  const weft_value *w = weft_graph_find_value(f.g, "w");
  const weft_tensor *t = weft_value_data(w);
  CHECK(!t->owned);
  for (size_t i = 0; i < 4; i++)
    CHECK_F64(weft_load_f64(WEFT_FLOAT, t->data, i), (double)(i + 1), 0);
  begin(&f, "./w.bin", NULL, NULL, 8);  // from the beginning, as much as the shape needs
  CHECK_OK(load(&f), &f.d);
  CHECK_F64(weft_load_f64(WEFT_FLOAT, weft_value_data(weft_graph_find_value(f.g, "w"))->data, 7), 9, 0);
  teardown(&f);
}

// One file a tensor, as some exporters write them: more than a process may have open.
TEST(more_files_than_may_be_open) {
  enum { FILES = 100, MAY = 64 };
  struct rlimit before;
  struct rlimit few;
  fixture f;
  int64_t n = 4;
  setup(&f);
  onnxw *w = &f.w;
  onnxw_begin(w, &f.text, 8, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, &n, NULL);
  for (int i = 0; i < FILES; i++) {
    char name[16];
    char file[16];
    const float v[4] = {(float)i, 1, 2, 3};
    snprintf(name, sizeof name, "w%d", i);
    snprintf(file, sizeof file, "w%d.bin", i);
    write_at(f.dir, file, v, sizeof v);
    onnxw_open(w, 5);
    onnxw_ints(w, 1, &n, 1);
    onnxw_int(w, 2, ONNX_FLOAT);
    onnxw_str(w, 8, name);
    onnxw_open(w, 13);
    onnxw_str(w, 1, "location");
    onnxw_str(w, 2, file);
    onnxw_close(w);
    onnxw_int(w, 14, ONNX_LOCATION_EXTERNAL);
    onnxw_close(w);
  }
  for (int i = 0; i < FILES; i++) {
    char in[40];
    char sum[16];
    snprintf(sum, sizeof sum, "y%d", i);
    if (i)
      snprintf(in, sizeof in, "y%d,w%d", i - 1, i);
    else
      snprintf(in, sizeof in, "x,w0");
    onnxw_op(w, "Add", sum, in, sum);
  }
  onnxw_output(w, "y99", ONNX_FLOAT, 1, &n, NULL);
  CHECK(!getrlimit(RLIMIT_NOFILE, &before));
  few = before;
  few.rlim_cur = MAY;
  CHECK(!setrlimit(RLIMIT_NOFILE, &few));
  weft_status s = load(&f);
  CHECK(!setrlimit(RLIMIT_NOFILE, &before));
  if (s)
    check_failed(__FILE__, __LINE__, "%s", f.d.text);
  const weft_value *v = f.g ? weft_graph_find_value(f.g, "w99") : NULL;
  if (v)
    CHECK_F64(weft_load_f64(WEFT_FLOAT, weft_value_data(v)->data, 0), 99, 0);
  teardown(&f);
}

// One mapping for two tensors, at odd bytes, run through a kernel: alignment must not matter (UBSan watches).
TEST(unaligned_external_data_run) {
  fixture f;
  setup(&f);
  char bytes[1 + 16];
  float v[4] = {1, 2, 3, 4};
  memcpy(bytes + 1, v, 16);
  char sub[100];
  snprintf(sub, sizeof sub, "%s/sub", f.dir);
  (void)!mkdir(sub, 0777);
  write_at(sub, "w.bin", bytes, sizeof bytes);
  begin(&f, "sub/w.bin", "1", "16", 4);
  onnxw_init_external(&f.w, "w2", ONNX_FLOAT, 1, (int64_t[]){2},
                      &(onnxw_external){.location = "sub//w.bin", .offset = 9, .bytes = 8});
  CHECK_OK(load(&f), &f.d);
  const weft_tensor *a = weft_value_data(weft_graph_find_value(f.g, "w"));
  const weft_tensor *b = weft_value_data(weft_graph_find_value(f.g, "w2"));
  CHECK_INT((const char *)b->data - (const char *)a->data, 8);
  CHECK_INT((uintptr_t)a->data % 4, 1);
  CHECK_OK(weft_graph_infer(f.g, NULL, NULL, &f.d), &f.d);
  weft_tensor in;
  weft_tensor out;
  weft_tensor_init(&in, NULL);
  CHECK_OK(weft_tensor_parse("f32[4]{10,20,30,40}", 19, NULL, &in, NULL, &f.d), &f.d);
  CHECK_OK(weft_interp_run(f.g, NULL, (const weft_tensor *const[]){&in}, 1, &out, 1, &f.d), &f.d);
  for (size_t i = 0; i < 4; i++)
    CHECK_F64(weft_load_f64(WEFT_FLOAT, out.data, i), 11.0 * (double)(i + 1), 0);
  weft_tensor_deinit(&in);
  weft_tensor_deinit(&out);
  teardown(&f);
}

// Sizes are 64-bit: a file of 5 GB (with a hole), data behind 4 GB, where a cut offset would find zeros.
TEST(files_over_four_gigabytes) {
  fixture f;
  char path[200];
  setup(&f);
  float v[4] = {1, 2, 3, 4};
  snprintf(path, sizeof path, "%s/big", f.dir);
  FILE *file = fopen(path, "wb");
  bool made = file && !fseeko(file, (off_t)5000000000, SEEK_SET) && fwrite(v, 1, 16, file) == 16;
  if (file)
    made &= !fclose(file);
  if (!made) {
    printf("external: no room for a file of 5 GB with a hole: left out\n");
  } else {
    begin(&f, "big", "5000000000", "16", 4);
    CHECK_OK(load(&f), &f.d);
    const weft_tensor *t = weft_value_data(weft_graph_find_value(f.g, "w"));
    for (size_t i = 0; i < 4; i++)
      CHECK_F64(weft_load_f64(WEFT_FLOAT, t->data, i), (double)(i + 1), 0);
    refused(&f, "big", "5000000001", NULL, WEFT_E_TRUNCATED, "which has 5000000016");
  }
  teardown(&f);
}

TEST(locations_cannot_leave_the_folder) {
  fixture f;
  char path[200];
  char target[200];
  setup(&f);
  float v[4] = {1, 2, 3, 4};
  write_at(f.top, "secret", v, sizeof v);
  write_at(f.dir, "good", v, sizeof v);
  snprintf(path, sizeof path, "%s/../m2", f.dir);  // a folder whose name begins like the model's
  (void)!mkdir(path, 0777);
  write_at(path, "secret", v, sizeof v);
  refused(&f, "/etc/passwd", NULL, NULL, WEFT_E_INVALID, "it is absolute");
  refused(&f, "../secret", NULL, NULL, WEFT_E_INVALID,
          "'../secret': expected a path inside the model's folder");
  refused(&f, "x/../../secret", NULL, NULL, WEFT_E_INVALID, "it contains '..'");
  refused(&f, "..", NULL, NULL, WEFT_E_INVALID, "it contains '..'");
  refused(&f, "good/..", NULL, NULL, WEFT_E_INVALID, "it contains '..'");
  snprintf(path, sizeof path, "%s/link", f.dir);
  CHECK(!symlink("../secret", path));
  refused(&f, "link", NULL, NULL, WEFT_E_INVALID, "'link': a link leads out of the model's folder");
  snprintf(path, sizeof path, "%s/near", f.dir);
  CHECK(!symlink("../m2", path));
  refused(&f, "near/secret", NULL, NULL, WEFT_E_INVALID, "a link leads out");
  snprintf(path, sizeof path, "%s/up", f.dir);
  CHECK(!symlink("..", path));
  refused(&f, "up/secret", NULL, NULL, WEFT_E_INVALID, "a link leads out");
  snprintf(path, sizeof path, "%s/loop", f.dir);
  CHECK(!symlink("loop", path));
  refused(&f, "loop", NULL, NULL, WEFT_E_IO, "cannot find it");
  snprintf(path, sizeof path, "%s/inner", f.dir);  // a link that stays inside is fine
  snprintf(target, sizeof target, "%s/good", f.dir);
  CHECK(!symlink(target, path));
  begin(&f, "inner", NULL, NULL, 4);
  CHECK_OK(load(&f), &f.d);
  teardown(&f);
}

TEST(only_regular_files) {
  fixture f;
  char path[200];
  setup(&f);
  snprintf(path, sizeof path, "%s/pipe", f.dir);
  CHECK(!mkfifo(path, 0666));
  refused(&f, "pipe", NULL, NULL, WEFT_E_IO, "it is not a regular file");  // and nobody waits for it
  refused(&f, ".", NULL, NULL, WEFT_E_INVALID, "out of the model's folder");
  snprintf(path, sizeof path, "%s/d", f.dir);
  (void)!mkdir(path, 0777);
  refused(&f, "d", NULL, NULL, WEFT_E_IO, "it is not a regular file");
  refused(&f, "no", NULL, NULL, WEFT_E_NOT_FOUND, "'no': cannot find it in the model's folder: No such file");
  refused(&f, "model.onnx/x", NULL, NULL, WEFT_E_NOT_FOUND, "cannot find it");
  teardown(&f);
}

TEST(offsets_and_lengths_are_checked) {
  fixture f;
  setup(&f);
  float v[5] = {1, 2, 3, 4, 5};
  write_at(f.dir, "w", v, sizeof v);
  write_at(f.dir, "empty", v, 0);
  refused(&f, "w", "5", "16", WEFT_E_TRUNCATED,
          "16 bytes from offset 5 on pass the end of 'w', which has 20");
  refused(&f, "w", "21", NULL, WEFT_E_TRUNCATED, "from offset 21");
  refused(&f, "w", "9223372036854775807", NULL, WEFT_E_TRUNCATED, "pass the end");
  refused(&f, "w", "9223372036854775808", NULL, WEFT_E_SYNTAX, "external_data 'offset' at byte ");
  refused(&f, "w", "99999999999999999999999", NULL, WEFT_E_SYNTAX, "expected a number from 0 to 2^63-1");
  refused(&f, "w", "-1", NULL, WEFT_E_SYNTAX, "got '-1'");
  refused(&f, "w", "", NULL, WEFT_E_SYNTAX, "got ''");
  refused(&f, "w", " 4", NULL, WEFT_E_SYNTAX, "got ' 4'");
  refused(&f, "w", "0x4", NULL, WEFT_E_SYNTAX, "got '0x4'");
  refused(&f, "w", "0", "15", WEFT_E_SHAPE, "'length' at byte ");
  refused(&f, "w", "0", "20", WEFT_E_SHAPE, "is 20, its dims need 16 bytes");
  refused(&f, "empty", NULL, NULL, WEFT_E_TRUNCATED, "which has 0");
  refused(&f, NULL, "0", NULL, WEFT_E_MISSING, "no 'location'");
  refused(&f, "", "0", NULL, WEFT_E_MISSING, "no 'location'");
  char longer[4200];
  memset(longer, 'a', sizeof longer);
  longer[sizeof longer - 1] = 0;
  refused(&f, longer, NULL, NULL, WEFT_E_LIMIT, "longer than 4096");
  begin(&f, "empty", NULL, "0", 0);
  CHECK_OK(load(&f), &f.d);
  CHECK_INT(weft_tensor_elems(weft_value_data(weft_graph_find_value(f.g, "w"))), 0);
  begin(&f, "w", "0", "16", INT64_C(1) << 62);
  CHECK_INT(load(&f), WEFT_E_OVERFLOW);
  CHECK_HAS(f.d.text, "in tensor 'w'");
  teardown(&f);
}

TEST(entries_given_twice_and_zero_bytes) {
  fixture f;
  setup(&f);
  for (int kind = 0; kind < 2; kind++) {
    begin(&f, NULL, NULL, NULL, 4);
    onnxw_open(&f.w, 5);
    onnxw_ints(&f.w, 1, (int64_t[]){1}, 1);
    onnxw_int(&f.w, 2, ONNX_FLOAT);
    onnxw_str(&f.w, 8, "twice");
    for (int i = 0; i < 2; i++) {
      onnxw_open(&f.w, 13);
      onnxw_str(&f.w, 1, kind ? "location" : i ? "location" : "offset");
      onnxw_bytes(&f.w, 2, kind ? "w" : "w\0x", kind ? 1 : 3);
      onnxw_close(&f.w);
    }
    onnxw_int(&f.w, 14, ONNX_LOCATION_EXTERNAL);
    onnxw_close(&f.w);
    weft_arena arena;
    weft_allocator a = weft_allocator_default();
    weft__arena_init(&arena, &a);
    const onnx_model *m;
    onnx_files *files;
    const uint8_t *at;
    CHECK_OK(onnxw_finish(&f.w, &f.d), &f.d);
    CHECK_OK(weft__onnx_read_model(f.text.v, f.text.n, &arena, &m, &f.d), &f.d);
    CHECK_OK(onnx_files_create(&a, "model.onnx", 0, &files, &f.d), &f.d);
    onnx_tensor t = m->graph->initializers.v[1];
    if (!kind) {
      t.external_data.v++;
      t.external_data.n--;
    }
    CHECK_FAILS(onnx_files_find(files, &t, 4, &at, &f.d), kind ? WEFT_E_DUPLICATE : WEFT_E_INVALID);
    CHECK_HAS(f.d.text, kind ? "'location' appears twice, at bytes" : "zero byte");
    onnx_files_destroy(files);
    weft__arena_deinit(&arena);
  }
  teardown(&f);
}

TEST(no_external_data_from_memory) {
  fixture f;
  setup(&f);
  begin(&f, "w", NULL, NULL, 4);
  CHECK_OK(onnxw_finish(&f.w, &f.d), &f.d);
  CHECK_FAILS(weft_onnx_read(f.env, f.text.v, f.text.n, "m", &f.g, &f.d), WEFT_E_UNSUPPORTED);
  CHECK_HAS(f.d.text, "read from memory");
  teardown(&f);
}

TEST(every_allocation_of_a_load_fails_once) {
  fixture f;
  setup(&f);
  float v[4] = {1, 2, 3, 4};
  write_at(f.dir, "w", v, sizeof v);
  begin(&f, "w", NULL, NULL, 4);
  onnxw_init_external(&f.w, "w2", ONNX_FLOAT, 1, (int64_t[]){2},
                      &(onnxw_external){.location = "./w", .offset = 8, .bytes = 8});
  CHECK_OK(load(&f), &f.d);
  long blocks = f.alloc.live_blocks;
  weft_graph_destroy(f.g);
  f.g = NULL;
  CHECK(blocks > f.alloc.live_blocks);
  blocks = f.alloc.live_blocks;
  char path[128];
  snprintf(path, sizeof path, "%s/model.onnx", f.dir);
  for (long i = 1; i < 100000; i++) {
    weft_diag d = {0};
    f.alloc.calls = 0;
    f.alloc.fail_at = i;
    weft_status s = weft_onnx_load(f.env, path, &f.g, &d);
    bool reached = f.alloc.calls >= i;
    f.alloc.fail_at = 0;
    CHECK(s == WEFT_E_NOMEM || !reached);
    weft_graph_destroy(f.g);
    f.g = NULL;
    CHECK_INT(f.alloc.live_blocks, blocks);
    if (!reached)
      break;
  }
  teardown(&f);
}

// ---- notes and TensorProto files ----
TEST(models_say_where_they_come_from) {
  fixture f;
  setup(&f);
  onnxw *w = &f.w;
  onnxw_begin(w, &f.text, 8, 17);
  onnxw_opset(w, "com.example", 2);
  onnxw_metadata(w, "author", "some\nbody");
  onnxw_metadata(w, "onnx.producer", "a lie");
  onnxw_str(w, 2, "weft tests");
  onnxw_str(w, 3, "1.5");
  onnxw_str(w, 4, "org.example");
  onnxw_int(w, 5, 7);
  onnxw_str(w, 6, "What it is.");
  onnxw_graph(w, "g");
  onnxw_metadata(w, "author", "another");
  onnxw_str(w, 10, "Inside.");
  onnxw_input(w, "x", ONNX_FLOAT, 0, NULL, NULL);
  onnxw_op(w, "Neg", "n", "x", "y");
  onnxw_output(w, "y", ONNX_FLOAT, 0, NULL, NULL);
  CHECK_OK(onnxw_finish(w, &f.d), &f.d);
  CHECK_OK(weft_onnx_read(f.env, f.text.v, f.text.n, "m", &f.g, &f.d), &f.d);
  static const char *const notes[][2] = {{"author", "some\nbody"},        {"onnx.producer", "weft tests 1.5"},
                                         {"onnx.ir_version", "8"},        {"onnx.opset", "17, com.example 2"},
                                         {"onnx.domain", "org.example"},  {"onnx.model_version", "7"},
                                         {"onnx.doc", "What it is."},     {"onnx.graph_doc", "Inside."},
                                         {"onnx.graph.author", "another"}};
  for (size_t i = 0; i < WEFT_COUNT(notes); i++)
    CHECK_STR(weft_graph_find_meta(f.g, notes[i][0]), notes[i][1]);
  CHECK_INT(weft_graph_n_meta(f.g), WEFT_COUNT(notes));
  teardown(&f);
}

static const char *origin_note(const weft_node *n, const char *key) {
  const weft_origin *o = weft_node_origin(n);
  for (size_t i = 0; i < o->n_attrs; i++) {
    if (!strcmp(o->attrs[i].name, key))
      return o->attrs[i].value.u.s;
  }
  return NULL;
}

// doc_string and metadata_props of nodes, values and bodies.
TEST(parts_of_models_keep_what_is_said_of_them) {
  fixture f;
  setup(&f);
  onnxw *w = &f.w;
  onnxw_begin(w, &f.text, 10, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "c", ONNX_BOOL, 0, NULL, NULL);
  onnxw_open(w, 11);  // an input with doc_string and metadata_props
  onnxw_str(w, 1, "x");
  onnxw_open(w, 2);
  onnxw_open(w, 1);
  onnxw_int(w, 1, ONNX_FLOAT);
  onnxw_close(w);
  onnxw_close(w);
  onnxw_str(w, 3, "What goes in.");
  onnxw_open(w, 4);
  onnxw_str(w, 1, "unit");
  onnxw_str(w, 2, "m/s");
  onnxw_close(w);
  onnxw_close(w);
  onnxw_op(w, "Celu", "twice", "x", "y");  // two primitives: the first has the notes
  onnxw_str(w, 6, "Why it is there.");
  onnxw_metadata(w, "trace", "line 12");
  onnxw_op(w, "If", "if", "c", "z");
  for (int b = 0; b < 2; b++) {
    onnxw_attr_graph(w, b ? "else_branch" : "then_branch", b ? "else" : "then");
    onnxw_str(w, 10, b ? "No." : "Yes.");
    onnxw_op(w, "Neg", "n", "y", b ? "v" : "u");
    onnxw_output(w, b ? "v" : "u", ONNX_FLOAT, -1, NULL, NULL);
    onnxw_attr_graph_end(w);
  }
  onnxw_output(w, "z", ONNX_FLOAT, -1, NULL, NULL);
  CHECK_OK(onnxw_finish(w, &f.d), &f.d);
  CHECK_OK(weft_onnx_read(f.env, f.text.v, f.text.n, "m", &f.g, &f.d), &f.d);
  CHECK_STR(weft_graph_find_meta(f.g, "onnx.doc.x"), "What goes in.");
  CHECK_STR(weft_graph_find_meta(f.g, "onnx.value.x.unit"), "m/s");
  const weft_node *n = weft_graph_first(f.g);
  CHECK_STR(origin_note(n, "onnx.doc"), "Why it is there.");
  CHECK_STR(origin_note(n, "onnx.metadata.trace"), "line 12");
  for (; weft_node_next(n); n = weft_node_next(n))
    continue;
  CHECK_STR(weft_node_type(n), "If");
  CHECK_INT(weft_node_origin(n)->n_attrs, 0);
  CHECK_STR(weft_graph_find_meta(weft_node_graph_at(n, 0), "onnx.graph_doc"), "Yes.");
  CHECK_STR(weft_graph_find_meta(weft_node_graph_at(n, 1), "onnx.graph_doc"), "No.");
  teardown(&f);
}

TEST(tensor_files_read_back) {
  static const char *const texts[] = {
      "f32[2,3]{1,2,3,4,5,6.5}", "i64[]{7}",     "bool[0]",      "str[2]{\"a\",\"bcd\"}",
      "bf16[3]{1,2,3}",          "u4[3]{1,2,3}", "c64[1]{(1,2)}"};
  weft_allocator a = weft_allocator_default();
  for (size_t i = 0; i < WEFT_COUNT(texts); i++) {
    weft_tensor t;
    weft_tensor again;
    weft_text file;
    weft_diag d = {0};
    weft__text_init(&file, &a);
    weft_tensor_init(&t, NULL);
    weft_tensor_init(&again, NULL);
    CHECK_OK(weft_tensor_parse(texts[i], strlen(texts[i]), NULL, &t, NULL, &d), &d);
    CHECK_OK(weft_onnx_write_tensor(&t, i ? NULL : "x", weft__text_write, &file, &d), &d);
    CHECK_OK(weft_onnx_read_tensor(file.v, file.n, &again, &d), &d);
    CHECK_OK(weft_tensor_compare(&t, &again, 0, 0, &d), &d);
    weft_tensor_deinit(&t);
    weft_tensor_deinit(&again);
    weft__text_deinit(&file);
  }
  weft_tensor t;
  weft_diag d = {0};
  weft_tensor_init(&t, NULL);
  weft_text file;
  weft__text_init(&file, &a);
  CHECK_FAILS(weft_onnx_write_tensor(&t, NULL, weft__text_write, &file, &d), WEFT_E_STATE);
  CHECK_OK(weft_tensor_alloc(&t, WEFT_QINT8, NULL, 0, &d), &d);
  d = (weft_diag){0};
  CHECK_FAILS(weft_onnx_write_tensor(&t, NULL, weft__text_write, &file, &d), WEFT_E_DTYPE);
  CHECK_HAS(d.text, "ONNX has no type for DT_QINT8");
  weft_tensor_deinit(&t);
  weft__text_deinit(&file);
}
// SPDX-License-Identifier: Apache-2.0
