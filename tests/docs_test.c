// docs_test.c - the pages under docs/ are true: names exist, lists are complete, links lead somewhere, and
// what a page says that a program prints is what it prints. Reads the source tree (WEFT_SOURCE_DIR).
#include <ctype.h>
#include <dirent.h>
#include <sys/stat.h>

#include "check.h"
#include "weft/weft.h"

static char *slurp(const char *path) {  // malloc'ed; NULL and a failed check when it cannot be read
  FILE *f = fopen(path, "rb");
  size_t n = 0;
  size_t cap = 1 << 16;
  char *text = f ? malloc(cap) : NULL;
  while (text) {
    n += fread(text + n, 1, cap - n - 1, f);
    if (n < cap - 1)
      break;
    text = realloc(text, cap *= 2);
  }
  if (f)
    fclose(f);
  if (text)
    text[n] = 0;
  else
    check_failed(__FILE__, __LINE__, "cannot read %s", path);
  return text;
}

static char *page(const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/docs/%s", WEFT_SOURCE_DIR, name);
  return slurp(path);
}

static void must_hold(const char *name, const char *text, const char *part) {
  if (!strstr(text, part))
    check_failed(__FILE__, __LINE__, "docs/%s does not hold\n%s", name, part);
}

// All files of a folder whose names end in `ending`, one behind the other.
static char *folder(const char *dir, const char *ending) {
  char path[4096];
  size_t n = 0;
  char *all = calloc(1, 1);
  snprintf(path, sizeof path, "%s/%s", WEFT_SOURCE_DIR, dir);
  DIR *d = opendir(path);
  if (!d)
    check_failed(__FILE__, __LINE__, "cannot list %s", path);
  for (struct dirent *e; d && (e = readdir(d));) {
    size_t len = strlen(e->d_name);
    if (len < strlen(ending) || strcmp(e->d_name + len - strlen(ending), ending))
      continue;
    char file[8192];
    snprintf(file, sizeof file, "%s/%s", path, e->d_name);
    char *text = slurp(file);
    char *more = text ? realloc(all, n + strlen(text) + 2) : NULL;
    if (more) {
      all = more;
      n += (size_t)sprintf(all + n, "%s\n", text);
    }
    free(text);
  }
  if (d)
    closedir(d);
  return all;
}

static bool word_char(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// Words of a text that begin with weft_, sorted: pages name thousands of them, and headers are long.
typedef struct word {
  const char *at;
  size_t n;
} word;
typedef struct words {
  word *v;
  size_t n, cap;
} words;

static int word_order(const void *a, const void *b) {
  const word *x = a;
  const word *y = b;
  int by_text = strncmp(x->at, y->at, x->n < y->n ? x->n : y->n);
  return by_text ? by_text : (x->n > y->n) - (x->n < y->n);
}

// The next word that begins with weft_, not in the middle of another one. false: there is none.
static bool next_word(const char *text, const char **at, word *out) {
  for (const char *p = *at; *p; p++) {
    bool begins = *p == 'w' && !strncmp(p, "weft_", 5) && (p == text || !word_char(p[-1]));
    if (!begins)
      continue;
    *out = (word){p, 0};
    while (word_char(p[out->n]))
      out->n++;
    *at = p + out->n;
    return true;
  }
  return false;
}

static words words_of(const char *text) {
  words w = {0};
  word one;
  for (const char *at = text; next_word(text, &at, &one);) {
    if (w.n == w.cap) {
      w.cap = w.cap ? 2 * w.cap : 1024;
      w.v = realloc(w.v, w.cap * sizeof *w.v);
    }
    w.v[w.n++] = one;
  }
  qsort(w.v, w.n, sizeof *w.v, word_order);
  return w;
}

// Is it one of them? With a trailing '_' it is the beginning of one, as in weft_load_*.
static bool has_word(const words *w, word one) {
  size_t low = 0;
  size_t high = w->n;
  while (low < high) {
    size_t mid = (low + high) / 2;
    if (word_order(&w->v[mid], &one) < 0)
      low = mid + 1;
    else
      high = mid;
  }
  if (low == w->n || strncmp(w->v[low].at, one.at, one.n) != 0)
    return false;
  return one.at[one.n - 1] == '_' || w->v[low].n == one.n;
}

static void check_names(const char *where, const char *text, const words *headers) {
  static const char *const other[] = {"weft_tests",     "weft_static", "weft_shared",      "weft_DIR",
                                      "weft_installed", "weft_cann",   "weft_cann_package"};  // of the build
  word one;
  for (const char *at = text; next_word(text, &at, &one);) {
    bool of_path = one.at > text && (one.at[-1] == '/' || one.at[-1] == '-');
    bool known = strncmp(one.at, "weft__", 6) == 0;  // inside the library: snippets are compiled instead
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
      known |= strlen(other[i]) == one.n && !strncmp(one.at, other[i], one.n);
    if (!of_path && !known && !has_word(headers, one))
      check_failed(__FILE__, __LINE__, "%s names '%.*s', which is in no public header", where, (int)one.n,
                   one.at);
  }
}

// Pages for users name what is public; these three may also name what operator files and the layers below
// them share.
static bool for_contributors(const char *name) {
  return !strcmp(name, "architecture.md") || !strcmp(name, "add-an-operator.md") ||
         !strcmp(name, "../README.md");
}

TEST(r344_every_weft_name_on_a_page_exists) {
  char *pub = folder("include/weft", ".h");
  char *ops = folder("ops", ".h");
  char *op = folder("src/op", ".h");
  char *all = malloc(strlen(pub) + strlen(ops) + strlen(op) + 1);
  char path[4096];
  sprintf(all, "%s%s%s", pub, ops, op);
  words of_users = words_of(pub);
  words of_contributors = words_of(all);
  snprintf(path, sizeof path, "%s/docs", WEFT_SOURCE_DIR);
  DIR *d = opendir(path);
  size_t n = 0;
  for (struct dirent *e; d && (e = readdir(d));) {
    const char *name = !strcmp(e->d_name, "..") ? "../README.md" : e->d_name;
    if (!strstr(name, ".md"))
      continue;
    char *text = page(name);
    if (text)
      check_names(name, text, for_contributors(name) ? &of_contributors : &of_users);
    free(text);
    n++;
  }
  CHECK(n >= 9 && strstr(pub, "weft_graph_infer"));
  if (d)
    closedir(d);
  free(of_users.v);
  free(of_contributors.v);
  free(pub);
  free(ops);
  free(op);
  free(all);
}

TEST(every_status_is_explained) {
  char *text = page("errors.md");
  if (!text)
    return;
#define WEFT_X(name, number, meaning) \
  must_hold("errors.md", text, "| " #number " | `WEFT_" #name "` | " meaning " |");
  WEFT_STATUS_LIST(WEFT_X)
#undef WEFT_X
  free(text);
}

// The page's program prints what the page says.
TEST(the_message_on_the_page_about_errors) {
  static const char graph[] =
      "graph \"g\" { input x: f32[2] input y: f32[3] node n: Add(x, y) -> z output z }";
  char *text = page("errors.md");
  weft_diag d = {0};
  weft_env *e;
  weft_graph *g;
  if (!text)
    return;
  CHECK_OK(weft_env_create(&(weft_env_options){.package_path = ""}, &e, &d), &d);
  CHECK_OK(weft_graph_parse(e, graph, sizeof graph - 1, "g.txt", &g, &d), &d);
  CHECK_FAILS(weft_graph_infer(g, NULL, NULL, &d), WEFT_E_SHAPE);
  char printed[WEFT_DIAG_BYTES + 100];
  snprintf(printed, sizeof printed, "```\n%s (%s)\n%s\n```", weft_status_name(d.status),
           weft_status_text(d.status), d.text);
  must_hold("errors.md", text, printed);
  must_hold("errors.md", text, "at most 2047 bytes");
  CHECK_INT(WEFT_DIAG_BYTES, 2048);
  weft_graph_destroy(g);
  weft_env_destroy(e);
  free(text);
}

// Identifiers of the founding documents' code blocks and of requirements.md section 2: each has a line in
// docs/names.md.
static const char *const founding_names =
    "graphStatus ge::graphStatus GRAPH_SUCCESS GRAPH_FAILED ge::DataType DT_FLOAT DT_FLOAT16 DT_INT8 "
    "DT_INT32 DT_INT4 DT_BF16 "
    "ge::Format FORMAT_ND FORMAT_NCHW FORMAT_NHWC FORMAT_NC1HWC0 FRACTAL_NZ GetPrimaryFormat GetSubFormat "
    "SubFormat "
    "TypeUtils::DataTypeToSerialString TypeUtils::SerialStringToDataType TypeUtils::FormatToSerialString "
    "GetSizeInBytes "
    "GetSizeByDataType ge::Shape gert::Shape GetDimNum SetDimNum GetDim SetDim GetDims GetShapeSize Append "
    "AppendDim UNKNOWN_DIM "
    "StorageShape gert::StorageShape gert::Range Range GetMin GetMax ge::TensorDesc TensorDesc GeTensorDesc "
    "CompileTimeTensorDesc SetShape SetFormat SetDataType GetShape GetFormat GetDataType SetName GetName "
    "gert::Tensor Tensor "
    "SerializeTensorDesc DeserializeTensorDesc AreTensorDescsEquivalent AreTensorDescsStrictlyEqual OpDef "
    "ops::OpDef "
    "OpRegistrationData domi::OpRegistrationData OP_ADD REG_OP OP_END_FACTORY_REG MAKE_CUSTOM_OP "
    "IMPLEMT_COMMON_OP Input Output "
    "INPUT OUTPUT ParamType REQUIRED OPTIONAL DYNAMIC Follow FollowType::SHAPE ValueDepend Attr ATTR "
    "AttrType Int String ListInt "
    "SetInferShape SetInferDataType SetInferShapeRange InferFormat AICore AddConfig SetTiling GetInstance "
    "GetOpRegistrationData OperatorFactory::IsExistOp GetRegisteredIrDef GetInputs GetOutputs GetAttrs "
    "GetDefaultValue AddCustom "
    "Reshape TransData DynamicRNNV3 CustomConv2d MyOp Unique InferShapeContext gert::InferShapeContext "
    "InferDataTypeContext "
    "InferShapeRangeContext ExtendedKernelContext IMPLEMT_COMMON_INFERFUNC InferShape InferDataType "
    "InferShapeRange GetInputShape "
    "GetInputDesc GetInputDescByName GetOutputShape SetOutputShape GetOutputDescByName UpdateOutputDesc "
    "GetOptionalInputShape "
    "GetDynamicInputShape GetInputDataType SetOutputDataType GetInputTensor GetInputShapeRange "
    "GetOutputShapeRange RuntimeAttrs "
    "GetAttrPointer GetAttr ASSERT_NOT_NULL AttrValue AnyValue GeAttrValue AttrValue::Create CreateFrom "
    "AttrValue::INTEGER "
    "AttrValue::STRING ListInt::CreateList GetInt GetFloat GetString GetListInt GetAttrValue SetAttrValue "
    "GetValueType "
    "AttrValue::VT_FLOAT VT_FLOAT ValidateConvAttrs TilingContext TilingFunc IMPLEMT_COMMON_TILINGFUNC "
    "SetTilingKey SetTilingData "
    "EagerExecuteOp Execute EagerOpExecutionContext ShapeInferOp MallocOutputTensor MallocWorkSpace "
    "aclrtSynchronizeStream "
    "aclrtMemcpy ASCEND_CUSTOM_OPP_PATH ASCEND_HOME_PATH ge::Graph Graph ComputeGraph MetaIRGraph OpDesc "
    "ge::OpDesc OpDescPtr "
    "MetaOpDesc ComputeGraph::AddNode AddNode Graph::AddNodeByOp AddInputDesc AddOutputDesc AddEdge "
    "GraphUtils::AddEdge "
    "AddDataEdge Data NetOutput GetAllNodes GetOpDesc GetType GetAllInputDescs GetAllOutputDescs "
    "GetInputsDesc GetOutputsDesc "
    "GetAllInputsDesc GetAllAttrs DumpGraphIR Graph::Dump kReadable Parser from_framework MetaTensorDesc "
    "Session ge::Session "
    "AddGraph Session::RunGraph RunGraph GNode GNode::GetInputDesc add_node add_edge add_attr add_input "
    "add_output";

TEST(r344_every_founding_name_is_mapped) {
  char *text = page("names.md");
  if (!text)
    return;
  size_t total = 0;
  for (const char *at = founding_names; *at; total++) {
    size_t n = strcspn(at, " ");
    bool found = false;
    for (const char *p = text; !found && (p = strchr(p, '`')); p++)  // `Name`, `Name({...})`, `Name<T>`
      found = !strncmp(p + 1, at, n) && strchr("`(<", p[1 + n]);
    if (!found)
      check_failed(__FILE__, __LINE__, "docs/names.md says nothing of %.*s", (int)n, at);
    at += n + (at[n] == ' ');
  }
  CHECK(total > 150);
  free(text);
}

TEST(links_lead_to_files) {
  static const char *const names[] = {
      "add-an-operator.md", "architecture.md",    "errors.md",      "graph-file.md",   "memory.md",
      "names.md",           "primitives.md",      "text-ir.md",     "provenance.md",   "versioning.md",
      "../README.md",       "../CONTRIBUTING.md", "../SECURITY.md", "../CHANGELOG.md", "cann.md"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *text = page(names[i]);
    for (const char *at = text; at && (at = strstr(at, "]("));) {
      char path[8192];
      struct stat st;
      at += 2;
      size_t n = strcspn(at, ")#");
      if (!n || !strncmp(at, "http", 4))
        continue;
      const char *from = strncmp(names[i], "../", 3) ? "docs" : ".";
      snprintf(path, sizeof path, "%s/%s/%.*s", WEFT_SOURCE_DIR, from, (int)n, at);
      if (stat(path, &st))
        check_failed(__FILE__, __LINE__, "docs/%s links to %.*s, which does not exist", names[i], (int)n, at);
    }
    free(text);
  }
}

#ifdef WEFT_DOC_OPERATOR  // the operator of docs/add-an-operator.md, compiled from the page
                          // (tests/docs.cmake)
extern const weft_op WEFT_DOC_OPERATOR;

static void violation(void *ctx, const char *text) {
  (void)ctx;
  check_failed(__FILE__, __LINE__, "%s", text);
}

TEST(the_example_operator_keeps_the_laws) {
  weft_diag d = {0};
  weft_env *e;
  CHECK_OK(weft_env_create(&(weft_env_options){.package_path = ""}, &e, &d), &d);
  CHECK_OK(weft_register(e, &WEFT_DOC_OPERATOR, WEFT_REGISTER_STRICT, &d), &d);
  weft_laws_options o = {.size = sizeof o, .report = violation};
  weft_laws_result r = {0};
  CHECK_OK(weft_op_laws(e, weft_find(e, "Smoothstep"), &o, &r, &d), &d);
  char *text = page("add-an-operator.md");
  char line[100];
  snprintf(line, sizeof line, "\n1 operator, %u examples, ... checks, %u failed\n", r.examples, r.failed);
  if (text)
    must_hold("add-an-operator.md", text, line);
  free(text);
  weft_env_destroy(e);
}
#endif
// SPDX-License-Identifier: Apache-2.0
