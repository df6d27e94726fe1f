// simple_refused_test.c - simplified framework models that are refused: errors with their paths, hostile
// texts, every allocation failed once.
#include "weft/simple.h"

#include "base/base.h"
#include "check.h"
#include "weft/infer.h"

#define X224    "{'name':'x','shape':[1,3,224,224],'dtype':'DT_FLOAT'}"
#define W3      "{'name':'w','shape':[64,3,3,3],'dtype':'DT_FLOAT'}"
#define CONV_IO "'inputs':[" X224 "," W3 "],'outputs':['y']"

static weft_env *env_of(check_alloc *c) {
  weft_env_options o = {.package_path = ""};
  weft_env *e = NULL;
  weft_diag d = {0};
  if (c)
    o.allocator = check_allocator(c);
  if (weft_env_create(&o, &e, &d))
    check_failed(__FILE__, __LINE__, "no environment: %s", d.text);
  return e;
}

// Models are written with single quotes.
static weft_status read(weft_env *e, const char *model, weft_graph **out, weft_diag *d) {
  size_t n = strlen(model);
  char *json = malloc(n + 1);
  for (size_t i = 0; i <= n; i++)
    json[i] = model[i] == '\'' ? '"' : model[i];
  weft_status s = weft_simple_read(e, json, n, "model.json", out, d);
  free(json);
  return s;
}

static void fails(const char *model, weft_status expected, const char *part) {
  weft_env *e = env_of(NULL);
  weft_graph *g = (weft_graph *)(uintptr_t)1;
  weft_diag d = {0};
  weft_status s = read(e, model, &g, &d);
  if (s != expected) {
    check_failed(__FILE__, __LINE__, "%s\ngave %s, expected %s: %s", model, weft_status_name(s),
                 weft_status_name(expected), d.text);
  }
  CHECK(!g);
  CHECK_HAS(d.text, part);
  if (!s)
    weft_graph_destroy(g);
  weft_env_destroy(e);
}

#define RELU(more) \
  "{'ops':[{'name':'r','inputs':[{'name':'x','shape':[2],'dtype':'DT_FLOAT'}],'outputs':['y']" more "}]}"
TEST(r277_paths) {
  fails(
      "{'ops':[{'name':'a','type':'Relu','inputs':[{'name':'x','shape':[2],'dtype':'DT_FLOAT'}],'outputs':['"
      "y']},"
      "{'name':'b','inputs':['y'],'outputs':['z']}]}",
      WEFT_E_MISSING, "ops[1].type missing");
  fails(RELU(",'type':3"), WEFT_E_TYPE, "ops[0].type: expected a string, got a number");
  fails(RELU(",'type':''"), WEFT_E_INVALID, "ops[0].type is empty");
  fails(RELU(",'type':'Re\\u0000lu'"), WEFT_E_INVALID, "ops[0].type contains a zero byte");
  fails(RELU(",'type':'Relu','atrs':{}"), WEFT_E_INVALID, "ops[0].atrs: unknown key");
  fails(RELU(",'type':'Relu','attrs':[]"), WEFT_E_TYPE, "ops[0].attrs: expected an object, got a list");
  fails(RELU(",'type':'Relu','attrs':{'foo':1}"), WEFT_E_NOT_FOUND, "ops[0].attrs.foo: 'Relu'");
  fails(RELU(",'type':'Relu','args':[1]"), WEFT_E_INVALID, "ops[0].args:");
  fails("{}", WEFT_E_MISSING, "ops missing");
  fails("{'ops':{}}", WEFT_E_TYPE, "ops: expected a list, got an object");
  fails("{'ops':[1]}", WEFT_E_TYPE, "ops[0]: expected an object, got a number");
  fails("{'ops':[", WEFT_E_SYNTAX, "line 1");
  fails("{'framework':'caffe','ops':[]}", WEFT_E_INVALID,
        "expected one of simple, pytorch, tensorflow, mindspore");
  fails("{'ops':[{'name':'r','type':'Relu','outputs':[]}]}", WEFT_E_MISSING, "ops[0].inputs missing");
  fails("{'ops':[{'name':'r','type':'Relu','inputs':['x'],'outputs':['y']}]}", WEFT_E_MISSING,
        "ops[0].inputs[0].shape missing");
  fails("{'ops':[{'name':'r','type':'Relu','inputs':[{'name':'x','shape':[1.5]}],'outputs':['y']}]}",
        WEFT_E_TYPE, "ops[0].inputs[0].shape[0]: expected a whole number or a string, got 1.5");
  fails("{'ops':[{'name':'r','type':'Relu','inputs':[{'name':'x','shape':[2,-2]}],'outputs':['y']}]}",
        WEFT_E_SHAPE, "ops[0].inputs[0].shape[1]: expected -1 or more, got -2");
  fails("{'ops':[{'name':'r','type':'Relu','inputs':[{'name':'x','dtype':'DT_FOO'}],'outputs':['y']}]}",
        WEFT_E_DTYPE, "ops[0].inputs[0].dtype: 'DT_FOO' is not a dtype");
  fails("{'ops':[{'name':'r','type':'Relu','inputs':[{'name':'x','fmt':'XYZ'}],'outputs':['y']}]}",
        WEFT_E_FORMAT, "ops[0].inputs[0].fmt: 'XYZ' is not a format");
  fails("{'ops':[{'name':'r','type':'Relu','inputs':[],'outputs':['y']}]}", WEFT_E_MISSING,
        "required input 'x'");
  fails("{'ops':[{'name':'r','type':'Relu','inputs':['x'],'outputs':['y','z']}]}", WEFT_E_INVALID,
        "ops[0].outputs: 2 are listed, the operator 'Relu' has 1");
  fails(
      "{'ops':[{'name':'r','type':'Relu','inputs':['x'],'outputs':['y']},"
      "{'name':'r','type':'Relu','inputs':['y'],'outputs':['z']}]}",
      WEFT_E_DUPLICATE, "ops[1].name: 'r'");
  fails(
      "{'ops':[{'name':'r','type':'Relu','inputs':['x'],'outputs':['y']},"
      "{'name':'s','type':'Relu','inputs':['y'],'outputs':['y']}]}",
      WEFT_E_DUPLICATE, "ops[1].outputs[0].name: 'y' is the name of ops[0].outputs[0] already");
}

TEST(r277_unknown_types_together) {
  static const char model[] =
      "{'ops':[{'name':'a','type':'Rellu','inputs':['x'],'outputs':['y']},"
      "{'name':'b','type':'Relu','inputs':['y'],'outputs':['z']},"
      "{'name':'c','type':'tf.nn.warp','inputs':['z'],'outputs':['u']}]}";
  fails(model, WEFT_E_UNSUPPORTED, "2 ops of an unknown type");
  fails(model, WEFT_E_UNSUPPORTED, "ops[0].type: 'Rellu' of simple (op 'a')");
  fails(model, WEFT_E_UNSUPPORTED, "ops[2].type: 'tf.nn.warp' of tensorflow (op 'c')");
  fails("{'framework':'pytorch','ops':[{'name':'a','type':'tf.nn.relu','inputs':['x'],'outputs':['y']}]}",
        WEFT_E_INVALID,
        "ops[0].type: 'tf.nn.relu' is an operator of tensorflow, the model is one of pytorch");
}

#define CONV(type, attrs) "{'ops':[{'name':'c','type':'" type "','attrs':{" attrs "}," CONV_IO "}]}"
TEST(r268_bad_padding) {
  fails(CONV("Conv2D", "'padding':'FULL'"), WEFT_E_RANGE,
        "ops[0].attrs.padding: 'FULL' is no padding of simple");
  fails(CONV("nn.Conv2d", "'padding':'SAME'"), WEFT_E_RANGE, "expected one of same, valid");
  fails(CONV("nn.Conv2d", "'padding':'same','stride':2"), WEFT_E_UNSUPPORTED, "needs stride 1");
  fails(CONV("nn.Conv2d", "'padding':[1,1,1,1]"), WEFT_E_INVALID, "expected 1 to 2 numbers, got 4");
  fails(CONV("nn.Conv2d", "'padding_mode':'reflect'"), WEFT_E_UNSUPPORTED,
        "only 'zeros' is supported, got reflect");
  fails(CONV("tf.nn.conv2d", "'padding':'same','data_format':'NCHW'"), WEFT_E_RANGE,
        "expected one of SAME, VALID, EXPLICIT");
  fails(CONV("tf.nn.conv2d", "'data_format':'NCHW'"), WEFT_E_MISSING, "ops[0].attrs.padding missing");
  fails(CONV("tf.nn.conv2d", "'padding':[[0,0],[1,1],[1,1],[0,0]],'data_format':'NCHW'"), WEFT_E_UNSUPPORTED,
        "channel");
  fails(CONV("mindspore.nn.Conv2d", "'padding':1"), WEFT_E_INVALID, "padding needs pad_mode 'pad'");
  fails(CONV("mindspore.nn.Conv2d", "'pad_mode':'PAD'"), WEFT_E_RANGE, "expected one of same, valid, pad");
  fails(CONV("mindspore.nn.Conv2d", "'pad_mode':'same','padding':1"), WEFT_E_INVALID, "pad_mode is 'same'");
  fails(CONV("Conv2D", "'pad':-1"), WEFT_E_RANGE, "must not be negative, got -1");
  fails(CONV("Conv2D", "'pad':[1,1,1]"), WEFT_E_INVALID, "expected 1, 2 or 4 numbers, got 3");
  fails(CONV("Conv2D", "'pad':1,'padding':'SAME'"), WEFT_E_DUPLICATE,
        "ops[0].attrs.padding: 'pad' gives it already");
  fails(CONV("Conv2D", "'stride':[2,2],'strides':2"), WEFT_E_DUPLICATE,
        "ops[0].attrs.strides: 'stride' gives it already");
  fails(CONV("Conv2D", "'stride':[2,1,2,2]"), WEFT_E_UNSUPPORTED, "batch and channel are 2 and 1");
  fails(CONV("Conv2D", "'stride':'2'"), WEFT_E_TYPE,
        "ops[0].attrs.stride: expected whole numbers, got a string");
  fails(CONV("Conv2D", "'stride':0"), WEFT_E_RANGE, "strides values must be >= 1, got 0");
  fails(CONV("Conv2D", "'group':1.5"), WEFT_E_TYPE, "ops[0].attrs.group: expected a whole number, got 1.5");
  fails(CONV("Conv2D", "'kernel_size':5"), WEFT_E_SHAPE,
        "kernel size 5, and the filter 'w' (OIHW) has 3 in dim 2");
  fails(CONV("Conv2D", "'data_format':'NCHWC'"), WEFT_E_FORMAT, "expected NCHW or NHWC, got 'NCHWC'");
  fails(CONV("Conv2D", "'padding':'SAME','dilation':9223372036854775807"), WEFT_E_OVERFLOW,
        "ops[0]: kernel 3 times");
  fails(CONV("Conv2D", "'stride':[]"), WEFT_E_INVALID, "expected 1 to 4 numbers, got 0");
  fails(CONV("Conv2D", "'nest':{'a':1}"), WEFT_E_NOT_FOUND, "ops[0].attrs.nest:");
  fails(CONV("torch.nn.Conv2d", "'bias':{'a':1}"), WEFT_E_TYPE,
        "ops[0].attrs.bias: expected a number, a string");
}

// Every allocation of a load fails once: an error each time, nothing left behind.
TEST(memory) {
  static const char model[] =
      "{'framework':'tensorflow','ops':[{'name':'c','type':'tf.nn.conv2d','args':[2,'SAME','NCHW'],'inputs':"
      "[" X224
      ",{'name':'w','shape':[3,3,3,64],'dtype':'DT_FLOAT'}],'outputs':['y']},"
      "{'name':'r','type':'relu','inputs':['y'],'outputs':['z']}]}";
  check_alloc c = {0};
  weft_env *e = env_of(&c);
  weft_graph *g;
  weft_diag d = {0};
  CHECK_OK(read(e, model, &g, &d), &d);  // what the environment keeps (catalogue entries) is there now
  weft_graph_destroy(g);
  long before = c.live_blocks;
  long start = c.calls;
  CHECK_OK(read(e, model, &g, &d), &d);
  weft_graph_destroy(g);
  long n = c.calls - start;
  CHECK(n > 5);
  for (long i = 1; i <= n; i++) {
    weft_diag_clear(&d);
    c.fail_at = c.calls + i;
    weft_status s = read(e, model, &g, &d);
    c.fail_at = 0;
    if (s != WEFT_E_NOMEM || g)
      check_failed(__FILE__, __LINE__, "allocation %ld of %ld: %s %s", i, n, weft_status_name(s), d.text);
    if (!s)
      weft_graph_destroy(g);
    CHECK_INT(c.live_blocks, before);
  }
  weft_env_destroy(e);
  CHECK_INT(c.live_blocks, 0);
}

// Every prefix of a model and every byte of it changed: an error or a graph, no crash.
TEST(hostile_text) {
  static const char model[] =
      "{\"ops\":[{\"name\":\"c\",\"type\":\"nn.Conv2d\",\"args\":[3,8,3,2],\"attrs\":{\"padding\":1},"
      "\"inputs\":[{\"name\":\"x\",\"shape\":[1,3,9,9],\"dtype\":\"f32\"},"
      "{\"name\":\"w\",\"shape\":[8,3,3,3],\"dtype\":\"f32\"}],\"outputs\":[\"y\"]}]}";
  static const char bytes[] = {'"', '0', '-', '9', '[', ']', '{', ',', 'x', 'e', '\\', '\n', (char)0xC3};
  weft_env *e = env_of(NULL);
  char text[sizeof model];
  for (size_t n = 0; n < sizeof model - 1; n++) {
    weft_graph *g;
    weft_diag d = {0};
    char *exact = malloc(n + 1);
    memcpy(exact, model, n);
    CHECK(weft_simple_read(e, exact, n, NULL, &g, &d) && !g);
    free(exact);
    for (size_t k = 0; k < sizeof bytes; k++) {
      memcpy(text, model, sizeof model);
      text[n] = bytes[k];
      weft_diag_clear(&d);
      if (!weft_simple_read(e, text, sizeof model - 1, NULL, &g, &d))
        weft_graph_destroy(g);
    }
  }
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
