// op_new_test.c - the project generator: files of R310-R312, stubs of R314, and the refusals of R313, R20 and
// R40. That a project builds and passes its own tests is held by op_new.sh.
#include "check.h"
#include "weft/weft.h"

typedef struct got {
  char path[64][128];
  char *text[64];
  bool executable[64];
  size_t n, stop_at;
} got;

static weft_status keep(void *ctx, const char *path, const char *text, size_t bytes, bool executable) {
  got *g = ctx;
  if (g->stop_at && g->n + 1 == g->stop_at)
    return WEFT_E_IO;
  CHECK(g->n < 64);
  CHECK(strlen(text) == bytes);
  CHECK(path[0] != '/' && !strstr(path, ".."));
  for (size_t i = 0; i < g->n; i++)
    CHECK(strcmp(g->path[i], path));
  if (g->n == 64)
    return WEFT_E_LIMIT;
  snprintf(g->path[g->n], sizeof g->path[0], "%s", path);
  g->text[g->n] = malloc(bytes + 1);
  memcpy(g->text[g->n], text, bytes + 1);
  g->executable[g->n++] = executable;
  return WEFT_OK;
}

static void drop(got *g) {
  for (size_t i = 0; i < g->n; i++)
    free(g->text[i]);
  g->n = 0;
}

static const char *file(const got *g, const char *path) {
  for (size_t i = 0; i < g->n; i++) {
    if (!strcmp(g->path[i], path))
      return g->text[i];
  }
  return NULL;
}

static weft_status make_with(const weft_allocator *a, const char *json, const weft_project_options *o, got *g,
                             weft_diag *d) {
  weft_env_options eo = {.size = sizeof eo, .package_path = "", .no_builtin = true, .no_catalogue = true};
  weft_env *e = NULL;
  if (a)
    eo.allocator = *a;
  weft_status s = weft_env_create(&eo, &e, d);
  if (!s)
    s = weft_op_project(e, json, strlen(json), "spec.json", o, keep, g, d);
  weft_env_destroy(e);
  return s;
}

static weft_status make(const char *json, got *g, weft_diag *d) {
  return make_with(NULL, json, NULL, g, d);
}

static char *read_data(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/tests/data/%s", WEFT_SOURCE_DIR, name);
  FILE *f = fopen(path, "rb");
  char *text = calloc(1, 1 << 16);
  CHECK(f != NULL);
  if (f)
    CHECK(fread(text, 1, (1 << 16) - 1, f) > 0);
  if (f)
    fclose(f);
  return text;
}

TEST(r310_r311_add_custom) {
  char *json = read_data("add_custom.json");
  got g = {0};
  weft_diag d = {0};
  CHECK_FAILS(make(json, &g, &d), WEFT_OK);
  CHECK_STR(d.text, "");
  static const char *const files[] = {"README.md",
                                      "CMakeLists.txt",
                                      "Makefile",
                                      "run.sh",
                                      "package.h",
                                      "package.c",
                                      "op_host/add_custom.c",
                                      "op_host/add_custom_tiling.h",
                                      "op_host/add_custom_tiling.c",
                                      "op_kernel/add_custom_kernel.h",
                                      "op_kernel/add_custom_kernel.c",
                                      "op_graph/add_custom_index.h",
                                      "op_graph/add_custom_proto.h",
                                      "tests/test_add_custom.c"};
  CHECK_INT(g.n, sizeof files / sizeof *files);
  for (size_t i = 0; i < g.n && i < sizeof files / sizeof *files; i++) {
    CHECK_STR(g.path[i], files[i]);
    CHECK_INT(g.executable[i], !strcmp(files[i], "run.sh"));
    CHECK(!strchr(g.text[i], '@') || !strcmp(files[i], "Makefile"));  // every mark was replaced
  }
  const char *host = file(&g, "op_host/add_custom.c");
  CHECK_HAS(host, "in_x[] = {{WEFT_FLOAT16, WEFT_ND}, {WEFT_FLOAT, WEFT_ND}, {WEFT_INT32, WEFT_ND}};");
  CHECK_HAS(host, ".name = \"AddCustom\"");
  CHECK_HAS(host, ".n_columns = 3,");
  CHECK_HAS(host, "\"f16[2], f16[2] !! E_INCOMPLETE InferShape not implemented\"");
  CHECK_HAS(file(&g, "op_graph/add_custom_index.h"), "ADD_CUSTOM_IN_Y = 1");  // R114
  CHECK_HAS(file(&g, "package.c"), "\"add_custom\", \"1.0.0\"");
  drop(&g);
  free(json);
}

TEST(r312_next_steps_in_order) {
  char *json = read_data("add_custom.json");
  got g = {0};
  weft_diag d = {0};
  CHECK_FAILS(make(json, &g, &d), WEFT_OK);
  const char *at = g.n ? strstr(g.text[0], "## Next steps") : NULL;
  static const char *const steps[] = {"1. Project", "2. Prototype", "3. Kernel", "4. Tiling",
                                      "5. Graph integration"};
  for (size_t i = 0; i < 5; i++) {
    CHECK_HAS(at, steps[i]);
    if (at)
      at = strstr(at, steps[i]);
  }
  drop(&g);
  free(json);
}

TEST(r314_stubs_fail_with_their_name) {
  char *json = read_data("op_new_many.json");
  got g = {0};
  weft_diag d = {0};
  CHECK_FAILS(make(json, &g, &d), WEFT_OK);
  CHECK_HAS(file(&g, "op_host/sink.c"), "\"InferShape not implemented\"");
  CHECK_HAS(file(&g, "op_host/sink.c"), "\"InferShapeRange not implemented\"");
  CHECK(!strstr(file(&g, "op_host/sink.c"), "\"InferDataType not implemented\""));  // columns decide
  CHECK_HAS(file(&g, "op_host/source_tiling.c"), "\"Tiling not implemented\"");
  CHECK_HAS(file(&g, "op_kernel/source_kernel.c"), "\"Kernel not implemented\"");
  // The same inputs stand in two columns with other outputs: nothing is guessed.
  CHECK_HAS(file(&g, "op_host/float.c"), "\"InferDataType not implemented\"");
  CHECK_HAS(file(&g, "op_host/packed_only.c"), "No .examples yet");
  drop(&g);
  free(json);
}

TEST(names_of_c_are_harmless) {
  char *json = read_data("op_new_many.json");
  got g = {0};
  weft_diag d = {0};
  CHECK_FAILS(make(json, &g, &d), WEFT_OK);
  const char *host = file(&g, "op_host/float.c");
  CHECK_HAS(host, ".dflt = \"\\\"a\\\\\\\"\\\\\\\\\\?\\?=\\\\n\\\\u0001\\\"\"");
  CHECK_HAS(host, "{WEFT_COMPLEX64, WEFT_ND}, {WEFT_STRING, WEFT_ND}");
  CHECK_HAS(host, ".name = \"switch\", .kind = WEFT_OPTIONAL, .columns = in_switch");
  CHECK_HAS(file(&g, "op_host/packed_only.c"), "{WEFT_FLOAT16, 0xF004u}");  // FRACTAL_Z:240
  CHECK_HAS(file(&g, "CMakeLists.txt"), "set(OPERATORS add_custom float packed_only source sink)");
  drop(&g);
  free(json);
}

#define PORT(name)        "{\"name\": \"" name "\", \"format\": [\"ND\"], \"type\": [\"float\"]}"
#define OP(name, in, out) "{\"op\": \"" name "\", \"input_desc\": [" in "], \"output_desc\": [" out "]}"
#define WITH_ATTR(attr) \
  "{\"op\": \"A\", \"input_desc\": [], \"output_desc\": [" PORT("y") "], \"attr\": [" attr "]}"

static void file_name_is(const char *op, const char *snake) {
  char json[512];
  char path[128];
  got g = {0};
  weft_diag d = {0};
  snprintf(json, sizeof json, OP("%s", "", PORT("y")), op);
  CHECK_FAILS(make(json, &g, &d), WEFT_OK);
  snprintf(path, sizeof path, "op_host/%s.c", snake);
  if (!file(&g, path))
    check_failed(__FILE__, __LINE__, "'%s' has no file '%s'", op, path);
  drop(&g);
}

TEST(file_names) {
  file_name_is("AddCustom", "add_custom");
  file_name_is("Conv2D", "conv2d");
  file_name_is("ABCDef", "abc_def");
  file_name_is("Abc2DEf", "abc2d_ef");
  file_name_is("DynamicRNNV3", "dynamic_rnnv3");
  file_name_is("Add_Custom", "add_custom");
  file_name_is("relu", "relu");
}

// The description fails with this status and text, and no file was handed out.
static void refused(const char *json, weft_status status, const char *text) {
  got g = {0};
  weft_diag d = {0};
  CHECK_FAILS(make(json, &g, &d), status);
  CHECK_HAS(d.text, text);
  CHECK_INT(g.n, 0);
  drop(&g);
}

TEST(r313_r20_lengths) {
  refused(
      "[{\"op\": \"AddCustom\",\n\"input_desc\": [\n"
      "{\"name\": \"x\", \"format\": [\"ND\", \"ND\"], \"type\": [\"fp16\", \"float\"]},\n"
      "{\"name\": \"y\", \"format\": [\"ND\", \"ND\"],\n\"type\": [\"fp16\", \"float\", \"int32\"]}],\n"
      "\"output_desc\": []}]",
      WEFT_E_INVALID, "spec.json:5: input_desc[1].type has 3 entries, input_desc[0].type has 2");
  refused(
      "{\"op\": \"CustomConv2D\", \"input_desc\": [{\"name\": \"x\", \"format\": [\"ND\"], \"type\": "
      "[\"fp16\", \"float\"]}],"
      "\"output_desc\": []}",
      WEFT_E_INVALID, "input_desc[0].format has 1 entries, input_desc[0].type has 2");
  refused(OP("A", "", "{\"name\": \"y\", \"format\": [], \"type\": []}"), WEFT_E_MISSING,
          "output_desc[0].type is empty");
}

TEST(r313_r40_duplicates) {
  refused(OP("A", PORT("mask") "," PORT("b") "," PORT("mask"), PORT("y")), WEFT_E_DUPLICATE,
          "input_desc[2].name 'mask' is that of input_desc[0] already");
  refused(OP("A", PORT("x") "," PORT("X"), PORT("y")), WEFT_E_DUPLICATE, "differ in letter case only");
  refused(OP("A", PORT("x"), PORT("y") "," PORT("y")), WEFT_E_DUPLICATE, "output_desc[1].name 'y'");
  refused(WITH_ATTR("{\"name\": \"a\", \"type\": \"int\"}, {\"name\": \"a\", \"type\": \"int\"}"),
          WEFT_E_DUPLICATE, "attr[1].name 'a' is that of attr[0] already");
  refused("[" OP("A", "", PORT("y")) "," OP("A", "", PORT("y")) "]", WEFT_E_DUPLICATE,
          "[1].op 'A' is that of [0] already");
  refused("[" OP("AddCustom", "", PORT("y")) "," OP("add_custom", "", PORT("y")) "]", WEFT_E_DUPLICATE,
          "[1].op 'add_custom' and [0].op 'AddCustom' would have the same files");
  refused("[" OP("Add", "", PORT("y")) "," OP("AddTiling", "", PORT("y")) "]", WEFT_E_DUPLICATE,
          "two operators would have the file 'op_host/add_tiling.c'");
  refused("{\"op\": \"A\", \"op\": \"B\"}", WEFT_E_DUPLICATE, "op");
  got g = {0};  // an input and an output may share a name: a reference operator
  weft_diag d = {0};
  CHECK_FAILS(make(OP("A", PORT("x"), PORT("x")), &g, &d), WEFT_OK);
  drop(&g);
}

TEST(r313_unknown_words) {
  refused(OP("A", "", "{\"name\": \"y\", \"format\": [\"ND\"], \"type\": [\"flaot16\"]}"), WEFT_E_DTYPE,
          "output_desc[0].type[0]: 'flaot16' is not a dtype; did you mean 'float16'?");
  refused(OP("A", "", "{\"name\": \"y\", \"format\": [\"ND\"], \"type\": [\"undefined\"]}"), WEFT_E_DTYPE,
          "is not a dtype");
  refused(OP("A", "", "{\"name\": \"y\", \"format\": [\"NHWCC\"], \"type\": [\"float\"]}"), WEFT_E_FORMAT,
          "output_desc[0].format[0]: 'NHWCC' is not a format; did you mean 'NHWC'?");
  refused(OP("A", "", "{\"name\": \"y\", \"format\": [\"nd\"], \"type\": [\"float\"]}"), WEFT_E_FORMAT,
          "did you mean 'ND'?");
  refused(WITH_ATTR("{\"name\": \"a\", \"type\": \"flot\"}"), WEFT_E_TYPE,
          "attr[0].type: 'flot' is not an attribute type; did you mean 'float'?");
  refused("{\"op\": \"A\", \"inputs_desc\": [], \"output_desc\": []}", WEFT_E_NOT_FOUND,
          "'inputs_desc' is not a key here, expected one of op, language, input_desc, output_desc, attr; did "
          "you mean 'input_desc'?");
  refused(OP("A", "", "{\"name\": \"y\", \"fromat\": [\"ND\"], \"type\": [\"float\"]}"), WEFT_E_NOT_FOUND,
          "output_desc[0]: 'fromat' is not a key here");
  refused(OP("A", "",
             "{\"name\": \"y\", \"param_type\": \"requird\", \"format\": [\"ND\"], \"type\": [\"float\"]}"),
          WEFT_E_INVALID, "output_desc[0].param_type 'requird': expected required, optional or dynamic");
  refused(WITH_ATTR("{\"name\": \"a\", \"param_type\": \"dynamic\", \"type\": \"int\"}"), WEFT_E_INVALID,
          "expected required or optional");
}

TEST(missing_and_wrong_types) {
  refused("{\"input_desc\": [], \"output_desc\": []}", WEFT_E_MISSING, "spec.json:1: op is missing");
  refused("{\"op\": \"A\", \"output_desc\": []}", WEFT_E_MISSING, "input_desc is missing");
  refused("[" OP("A", "", PORT("y")) ", {\"op\": \"B\", \"input_desc\": []}]", WEFT_E_MISSING,
          "[1].output_desc is missing");
  refused(OP("A", "", ""), WEFT_E_MISSING, "both empty");
  refused(OP("A", "", "{\"format\": [\"ND\"], \"type\": [\"float\"]}"), WEFT_E_MISSING,
          "output_desc[0].name is missing");
  refused(OP("A", "", "{\"name\": \"y\", \"format\": [\"ND\"]}"), WEFT_E_MISSING,
          "output_desc[0].type is missing");
  refused(OP("A", "", "{\"name\": \"y\", \"type\": [\"float\"]}"), WEFT_E_MISSING,
          "output_desc[0].format is missing");
  refused(OP("A", "", "{\"name\": \"y\", \"format\": \"ND\", \"type\": [\"float\"]}"), WEFT_E_TYPE,
          "output_desc[0].format: expected a list, got a string");
  refused(OP("A", "", "{\"name\": \"y\", \"format\": [\"ND\"], \"type\": [1]}"), WEFT_E_TYPE,
          "output_desc[0].type[0]: expected a string, got a number");
  refused(OP("A", "", "3"), WEFT_E_TYPE, "output_desc[0]: expected an object, got a number");
  refused("[]", WEFT_E_MISSING, "the list of operators is empty");
  refused("[[]]", WEFT_E_TYPE, "expected an object, got a list");
  refused("3", WEFT_E_TYPE, "expected an operator or a list of operators, got a number");
  refused("", WEFT_E_SYNTAX, "while reading 'spec.json'");
  refused("[{\"op\": \"A\"", WEFT_E_SYNTAX, "line 1");
}

TEST(names) {
  refused(OP("", "", PORT("y")), WEFT_E_INVALID, "op is empty");
  refused(OP("../../etc/cron", "", PORT("y")), WEFT_E_INVALID,
          "op '../../etc/cron' (14 characters) is no name");
  refused(OP("a/b", "", PORT("y")), WEFT_E_INVALID, "is no name");
  refused(OP("3D", "", PORT("y")), WEFT_E_INVALID, "is no name");
  refused(OP("_A", "", PORT("y")), WEFT_E_INVALID, "is no name");
  refused(OP("A\\u0000B", "", PORT("y")), WEFT_E_INVALID, "is no name");
  refused(OP("Gr\xc3\xb6\xc3\x9f"
             "e",
             "", PORT("y")),
          WEFT_E_INVALID, "is no name");
  refused(OP("A", "", PORT("y\\n#include")), WEFT_E_INVALID, "output_desc[0].name 'y?#include'");
  refused(WITH_ATTR("{\"name\": \"_private\", \"type\": \"int\"}"), WEFT_E_INVALID, "attr[0].name");
  char json[512];
  char longest[65];
  memset(longest, 'A', 64);
  longest[64] = 0;
  snprintf(json, sizeof json, OP("%s", "", PORT("y")), longest);
  refused(json, WEFT_E_INVALID, "(64 characters)");
  got g = {0};
  weft_diag d = {0};
  weft_project_options o = {.size = sizeof o, .name = "../x"};
  CHECK_FAILS(make_with(NULL, OP("A", "", PORT("y")), &o, &g, &d), WEFT_E_INVALID);
  CHECK_HAS(d.text, "package name '../x'");
  weft_diag_clear(&d);
  o.name = "mine";
  o.version = "1\"";
  CHECK_FAILS(make_with(NULL, OP("A", "", PORT("y")), &o, &g, &d), WEFT_E_INVALID);
  CHECK_HAS(d.text, "package version");
  weft_diag_clear(&d);
  o.version = "2.1";
  CHECK_FAILS(make_with(NULL, OP("A", "", PORT("y")), &o, &g, &d), WEFT_OK);
  CHECK_HAS(file(&g, "package.c"), "\"mine\", \"2.1\"");
  drop(&g);
}

static void default_is(const char *type, const char *value, const char *text) {
  char json[512];
  char line[256];
  got g = {0};
  weft_diag d = {0};
  snprintf(json, sizeof json, WITH_ATTR("{\"name\": \"a\", \"type\": \"%s\", \"default_value\": %s}"), type,
           value);
  CHECK_FAILS(make(json, &g, &d), WEFT_OK);
  CHECK_STR(d.text, "");
  snprintf(line, sizeof line, ".dflt = %s}", text);
  CHECK_HAS(file(&g, "op_host/a.c"), line);
  drop(&g);
}

TEST(defaults) {
  default_is("int", "3", "\"3\"");
  default_is("int", "\"-3\"", "\"-3\"");
  default_is("float", "\"0.1\"", "\"0.1\"");
  default_is("float", "1", "\"1\"");
  default_is("bool", "\"false\"", "\"false\"");
  default_is("bool", "true", "\"true\"");
  default_is("string", "\"NCHW\"", "\"\\\"NCHW\\\"\"");
  default_is("string", "\"\"", "\"\\\"\\\"\"");
  default_is("list_int", "[1, 2]", "\"[1,2]\"");
  default_is("listInt", "\"{1, 2}\"", "\"[1,2]\"");
  default_is("list_list_int", "[[1], []]", "\"[[1],[]]\"");
  default_is("data_type", "\"float16\"", "\"f16\"");
  refused(WITH_ATTR("{\"name\": \"a\", \"type\": \"int\", \"default_value\": \"1.5\"}"), WEFT_E_INVALID,
          "attr[0].default_value 1.5 is no Int");
  refused(WITH_ATTR("{\"name\": \"a\", \"type\": \"bool\", \"default_value\": 1}"), WEFT_E_INVALID,
          "is no Bool");
  refused(WITH_ATTR("{\"name\": \"a\", \"type\": \"int\", \"default_value\": {}}"), WEFT_E_INVALID,
          "is no Int");
  refused(WITH_ATTR("{\"name\": \"a\", \"type\": \"int\", \"default_value\": \"3 4\"}"), WEFT_E_INVALID,
          "is no Int");
  refused(WITH_ATTR("{\"name\": \"a\", \"param_type\": \"optional\", \"type\": \"int\"}"), WEFT_E_MISSING,
          "attr[0].default_value is missing: param_type is optional");
  refused(
      WITH_ATTR("{\"name\": \"a\", \"param_type\": \"required\", \"type\": \"int\", \"default_value\": 1}"),
      WEFT_E_INVALID, "a required attribute has none");
}

TEST(limits) {
  char *json = calloc(1, 1 << 17);
  size_t at = 0;
  at += (size_t)sprintf(json, "{\"op\": \"A\", \"input_desc\": [");
  for (int i = 0; i < 65; i++) {
    at += (size_t)sprintf(json + at, "%s{\"name\": \"x%d\", \"format\": [\"ND\"], \"type\": [\"float\"]}",
                          i ? "," : "", i);
  }
  sprintf(json + at, "], \"output_desc\": []}");
  refused(json, WEFT_E_LIMIT, "input_desc has 65 entries, at most 64 are allowed");
  at = (size_t)sprintf(
      json,
      "{\"op\": \"A\", \"input_desc\": [], \"output_desc\": [{\"name\": \"y\", \"format\": [], \"type\": [");
  for (int i = 0; i < 65; i++)
    at += (size_t)sprintf(json + at, "%s\"float\"", i ? "," : "");
  sprintf(json + at, "]}]}");
  refused(json, WEFT_E_LIMIT, "output_desc[0].type has 65 entries, at most 64 are allowed");
  at = (size_t)sprintf(json, "[");
  for (int i = 0; i < 65; i++)
    at += (size_t)sprintf(json + at, "%s{}", i ? "," : "");
  sprintf(json + at, "]");
  refused(json, WEFT_E_LIMIT, "65 operators, at most 64 are allowed");
  free(json);
}

TEST(a_refused_file_stops) {
  got g = {.stop_at = 3};
  weft_diag d = {0};
  CHECK_FAILS(make(OP("A", "", PORT("y")), &g, &d), WEFT_E_IO);
  CHECK_INT(g.n, 2);
  CHECK_HAS(d.text, "Makefile");
  drop(&g);
}

TEST(every_allocation_failed_once) {
  char *json = read_data("op_new_many.json");
  for (long n = 1; n < 100000; n++) {
    check_alloc c = {.fail_at = n};
    weft_allocator a = check_allocator(&c);
    got g = {0};
    weft_diag d = {0};
    weft_status s = make_with(&a, json, NULL, &g, &d);
    drop(&g);
    CHECK_INT(c.live_blocks, 0);
    if (!s)
      break;
    CHECK_INT(s, WEFT_E_NOMEM);
    CHECK(d.text[0] != 0);
  }
  free(json);
}
// SPDX-License-Identifier: Apache-2.0
