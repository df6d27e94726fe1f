// simple_test.c - simplified framework models: the documents' own, spellings of the frameworks, padding.
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

static const char *ints(const weft_node *n, const char *name, char buf[96]) {
  const weft_attr *a = weft_node_attr(n, name);
  size_t at = 0;
  buf[0] = 0;
  if (!a || a->type != WEFT_VT_LIST_INT)
    return "no list";
  for (size_t i = 0; i < a->n; i++)
    weft__append(buf, 96, &at, "%s%lld", i ? "," : "", (long long)a->u.ints[i]);
  return buf;
}

static const char *text_of(const weft_node *n, const char *name) {
  const weft_attr *a = weft_node_attr(n, name);
  return a && a->type == WEFT_VT_STRING ? a->u.s : "no string";
}

static const char *shape(const weft_value *v, char buf[96]) {
  weft_tensor_desc desc;
  weft_value_desc(v, &desc);
  return weft_shape_text(&desc.layout.origin, NULL, buf, 96);
}

// One convolution; returns its graph (NULL after a failed check) and its pads.
static weft_graph *conv(weft_env *e, const char *model, const char *pads) {
  weft_graph *g = NULL;
  weft_diag d = {0};
  char buf[96];
  if (read(e, model, &g, &d)) {
    check_failed(__FILE__, __LINE__, "%s\ngave %s", model, d.text);
    return NULL;
  }
  const weft_node *n = weft_graph_first(g);
  CHECK_STR(weft_node_type(n), "Conv2D");
  CHECK_STR(ints(n, "pads", buf), pads);
  return g;
}

TEST(r272_r224_r276_document_model) {
  static const char expected[] =
      "=== MetaIR Graph: converted_model ===\n"
      "Nodes: 3, Edges: 2\n"
      "  Node[0]: OpDesc(name=conv_1, type=Conv2D, inputs=2, outputs=1, "
      "attrs={'stride': [2, 2], 'pad': [1, 1, 1, 1], 'group': 1})\n"
      "  Node[1]: OpDesc(name=relu_1, type=Relu, inputs=1, outputs=1, attrs={})\n"
      "  Node[2]: OpDesc(name=pool_1, type=MaxPool, inputs=1, outputs=1, "
      "attrs={'kernel_size': [2, 2], 'strides': [2, 2]})\n"
      "  Edge: Node[0].out[0] -> Node[1].in[0]\n"
      "  Edge: Node[1].out[0] -> Node[2].in[0]\n";
  weft_env *e = env_of(NULL);
  weft_graph *g;
  weft_diag d = {0};
  char buf[96];
  CHECK_OK(weft_simple_load(e, WEFT_SOURCE_DIR "/examples/conv_relu_pool/model.json", &g, &d), &d);
  weft_text text;
  weft_allocator a = weft_allocator_default();
  weft__text_init(&text, &a);
  CHECK_INT(weft_graph_dump(g, WEFT_DUMP_METAIR, weft__text_write, &text), WEFT_OK);
  weft__text_add(&text, "", 1);
  CHECK_STR(text.v, expected);
  weft__text_deinit(&text);
  CHECK_OK(weft_graph_verify(g, NULL, NULL, &d), &d);
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &d), &d);
  CHECK_INT(weft_graph_n_inputs(g), 2);
  CHECK_STR(weft_value_name(weft_graph_input_at(g, 0)), "x");
  CHECK_STR(weft_value_name(weft_graph_input_at(g, 1)), "w");
  CHECK_INT(weft_graph_n_outputs(g), 1);
  CHECK_STR(weft_value_name(weft_graph_output_at(g, 0)), "pool_1.y");
  CHECK_STR(shape(weft_graph_output_at(g, 0), buf), "[1,64,56,56]");
  const weft_node *n = weft_graph_first(g);
  CHECK_STR(ints(n, "strides", buf), "1,1,2,2");
  CHECK_STR(ints(n, "dilations", buf), "1,1,1,1");
  CHECK_STR(text_of(n, "data_format"), "NCHW");
  CHECK_STR(shape(weft_node_out(n, 0), buf), "[1,64,112,112]");
  CHECK_INT(weft_node_origin(n)->offset, 17);
  n = weft_node_next(weft_node_next(n));
  CHECK_STR(ints(n, "ksize", buf), "1,1,2,2");
  CHECK_STR(text_of(n, "padding"), "VALID");
  CHECK_STR(text_of(n, "data_format"), "NCHW");
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

// Edges follow names, also backwards; an output that nobody reads is one of the graph.
TEST(r274_by_name) {
  weft_env *e = env_of(NULL);
  weft_graph *g;
  weft_diag d = {0};
  char buf[96];
  CHECK_OK(read(e,
                "{'name':'net','ops':["
                "{'name':'sum','type':'Add','inputs':['b','c'],'outputs':['y']},"
                "{'name':'b1','type':'relu','inputs':['a'],'outputs':['b']},"
                "{'name':'c1','type':'Sigmoid','inputs':['a'],'outputs':['c']},"
                "{'name':'first','type':'Abs','inputs':[{'name':'x','shape':[2,'N'],'dtype':'float32'}],"
                "'outputs':['a']}]}",
                &g, &d),
           &d);
  CHECK_STR(weft_graph_name(g), "net");
  weft_node *sum = weft_graph_find_node(g, "sum");
  weft_node *b = weft_graph_find_node(g, "b1");
  weft_node *c = weft_graph_find_node(g, "c1");
  weft_node *first = weft_graph_find_node(g, "first");
  CHECK(weft_graph_first(g) == sum);
  CHECK(weft_node_in(sum, 0) == weft_node_out(b, 0) && weft_node_in(sum, 1) == weft_node_out(c, 0));
  CHECK(weft_node_in(b, 0) == weft_node_out(first, 0) && weft_node_in(c, 0) == weft_node_out(first, 0));
  CHECK_INT(weft_graph_n_outputs(g), 1);
  CHECK_STR(weft_value_name(weft_graph_output_at(g, 0)), "y");
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &d), &d);
  weft_tensor_desc desc;
  weft_value_desc(weft_graph_output_at(g, 0), &desc);
  CHECK_STR(weft_shape_text(&desc.layout.origin, weft_graph_symbols(g), buf, sizeof buf), "[2,N]");
  weft_graph_destroy(g);
  fails(
      "{'ops':[{'name':'a','type':'Relu','inputs':['y'],'outputs':['x']},"
      "{'name':'b','type':'Relu','inputs':['x'],'outputs':['y']}]}",
      WEFT_E_CYCLE, "b");
  weft_env_destroy(e);
}

// Two outputs before an operator of one input: only the edge that exists (R273, R274).
TEST(r273_by_order) {
  weft_env *e = env_of(NULL);
  weft_graph *g;
  weft_diag d = {0};
  CHECK_OK(read(e,
                "{'connect':'order','ops':["
                "{'name':'norm','type':'LayerNorm','inputs':[{'name':'x','shape':[2,4],'dtype':'DT_FLOAT'},"
                "{'name':'w','shape':[4],'dtype':'DT_FLOAT'},{'name':'b','shape':[4],'dtype':'DT_FLOAT'}],"
                "'outputs':['y','mean','variance']},"
                "{'name':'r','type':'Relu','inputs':['x'],'outputs':['y']},"
                "{'name':'s','type':'Add','inputs':['x',{'name':'w','shape':[4],'dtype':'DT_FLOAT'}],"
                "'outputs':['y']}]}",
                &g, &d),
           &d);
  weft_node *norm = weft_graph_first(g);
  weft_node *r = weft_node_next(norm);
  weft_node *s = weft_node_next(r);
  CHECK(weft_node_in(r, 0) == weft_node_out(norm, 0));
  CHECK(weft_node_in(s, 0) == weft_node_out(r, 0));
  CHECK_STR(weft_value_name(weft_node_in(s, 1)), "s.w");
  CHECK_INT(weft_graph_n_outputs(g), 3);
  CHECK_STR(weft_value_name(weft_graph_output_at(g, 0)), "norm.mean");
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(outputs_of_several_dynamic_ports_are_not_guessed) {
#define SPARSE_SPLIT(outputs)                                                                          \
  "{'ops':[{'name':'s','type':'SparseSplit','attrs':{'num_split':2},'inputs':["                        \
  "{'name':'d','shape':[],'dtype':'DT_INT64'},{'name':'i','shape':[4,2],'dtype':'DT_INT64'},"          \
  "{'name':'v','shape':[4],'dtype':'DT_FLOAT'},{'name':'h','shape':[2],'dtype':'DT_INT64'}],'outputs'" \
  ":" outputs "}]}"
  fails(SPARSE_SPLIT("['a','b','c','e','f','g']"), WEFT_E_UNSUPPORTED,
        "outputs: 6 are listed, and the operator 'SparseSplit' has 3 dynamic outputs");
  weft_env_options o = {.package_path = ""};
  weft_env *e = NULL;
  weft_graph *g = NULL;
  weft_diag d = {0};
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  CHECK_OK(read(e, SPARSE_SPLIT("['a','b','c']"), &g, &d), &d);  // one of each
  CHECK_INT(weft_graph_n_outputs(g), 3);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(r275_declared_shapes) {
  weft_env_options o = {.package_path = "", .strict_shapes = true};
  weft_env *e = NULL;
  weft_graph *g;
  weft_diag d = {0};
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
#define MODEL(h)                                                                            \
  "{'ops':[{'name':'c','type':'Conv2D','attrs':{'stride':2,'pad':1},'inputs':[" X224 "," W3 \
  "],"                                                                                      \
  "'outputs':[{'name':'y','shape':[1,64," h                                                 \
  ",112],'dtype':'DT_FLOAT'}]},"                                                            \
  "{'name':'r','type':'Relu','inputs':['y'],'outputs':['z']}]}"
  CHECK_OK(read(e, MODEL("112"), &g, &d), &d);
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &d), &d);
  weft_graph_destroy(g);
  CHECK_OK(read(e, MODEL("111"), &g, &d), &d);
  CHECK_FAILS(weft_graph_infer(g, NULL, NULL, &d), WEFT_E_SHAPE);
  CHECK_HAS(d.text, "[1,64,111,112]");
  CHECK_HAS(d.text, "[1,64,112,112]");
  CHECK_HAS(d.text, "'c'");
  weft_graph_destroy(g);
  weft_env_destroy(e);
  // Two mentions of one tensor contradict each other at once.
  fails(
      "{'ops':[{'name':'a','type':'Relu','inputs':[{'name':'x','shape':[2,3],'dtype':'DT_FLOAT'}],'outputs':["
      "'y']},"
      "{'name':'b','type':'Add','inputs':['y',{'name':'x','shape':[2,4],'dtype':'DT_FLOAT'}],'outputs':['z']}"
      "]}",
      WEFT_E_SHAPE, "ops[1].inputs[1].shape: 'x' is [2,4] here, and [2,3] in ops[0].inputs[0]");
}

TEST(r265_r268_spellings) {
  static const char *const models[] = {
      "{'ops':[{'name':'c','type':'torch.nn.Conv2d','args':[3,64,3],'attrs':{'padding':[1,1]}," CONV_IO "}]}",
      "{'ops':[{'name':'c','type':'nn.Conv2d','args':[3,64,3],'attrs':{'padding':'same'}," CONV_IO "}]}",
      "{'framework':'pytorch','ops':[{'name':'c','type':'conv2d','args':[1,1,1,1]," CONV_IO "}]}",
      "{'ops':[{'name':'c','type':'mindspore.nn.Conv2d','args':[3,64,3]," CONV_IO "}]}",
      "{'framework':'mindspore','ops':[{'name':'c','type':'nn.Conv2d','attrs':{'pad_mode':'pad','padding':[1,"
      "1,1,1],"
      "'group':1,'stride':1}," CONV_IO "}]}",
      "{'ops':[{'name':'c','type':'Conv2D','attrs':{'pads':[1,1,1,1],'strides':[1,1,1,1],'groups':1,'"
      "dilations':1}," CONV_IO "}]}",
      "{'ops':[{'name':'c','type':'Conv2d','attrs':{'padding':'SAME'}," CONV_IO "}]}",
      "{'framework':'tensorflow','ops':[{'name':'c','type':'tf.nn.conv2d','args':[1,'SAME','NCHW'],'inputs':"
      "[" X224 ",{'name':'w','shape':[64,3,3,3],'dtype':'DT_FLOAT','fmt':'NCHW'}],'outputs':['y']}]}",
      "{'framework':'tensorflow','ops':[{'name':'c','type':'Conv2D','attrs':{'strides':[1,1,1,1],'padding':'"
      "EXPLICIT',"
      "'explicit_paddings':[0,0,0,0,1,1,1,1],'data_format':'NCHW'},'inputs':[" X224
      ",{'name':'w','shape':[64,3,3,3],'dtype':'DT_FLOAT','fmt':'NCHW'}],'outputs':['y']}]}",
      "{'ops':[{'name':'c','type':'keras.layers.Conv2D','args':[64,3],'attrs':{'padding':'same',"
      "'data_format':'channels_first'},'inputs':[" X224
      ",{'name':'w','shape':[64,3,3,3],'dtype':'DT_FLOAT','fmt':'NCHW'}],'outputs':['y']}]}",
  };
  weft_env *e = env_of(NULL);
  weft_diag d = {0};
  char buf[96];
  weft_graph *first = conv(e, models[0], "1,1,1,1");
  if (!first)
    return;
  CHECK_OK(weft_graph_infer(first, NULL, NULL, &d), &d);
  CHECK_STR(shape(weft_graph_output_at(first, 0), buf), "[1,64,224,224]");
  for (size_t i = 1; i < WEFT_COUNT(models); i++) {
    weft_graph *g = conv(e, models[i], "1,1,1,1");
    if (!g)
      continue;
    if (weft_graph_infer(g, NULL, NULL, &d) || weft_graph_compare(first, g, WEFT_EQUAL_SEMANTIC, &d))
      check_failed(__FILE__, __LINE__, "%s: %s", models[i], d.text);
    weft_diag_clear(&d);
    weft_graph_destroy(g);
  }
  weft_graph_destroy(first);
  weft_env_destroy(e);
}

// With stride 2 "SAME" pads the end only: the same shapes, another graph (R267).
TEST(r266_r267_same_padding) {
  weft_env *e = env_of(NULL);
  weft_diag d = {0};
  char buf[96];
#define TF(stride, x)                                                                  \
  "{'framework':'tensorflow','ops':[{'name':'c','type':'tf.nn.conv2d','args':[" stride \
  ",'SAME','NCHW'],'inputs':[{'name':'x','shape':" x                                   \
  ",'dtype':'DT_FLOAT'},"                                                              \
  "{'name':'w','shape':[64,3,3,3],'dtype':'DT_FLOAT','fmt':'NCHW'}],'outputs':['y']}]}"
  weft_graph *tf = conv(e, TF("2", "[1,3,224,224]"), "0,1,0,1");
  weft_graph *torch =
      conv(e, "{'ops':[{'name':'c','type':'torch.nn.Conv2d','args':[3,64,3,2,1]," CONV_IO "}]}", "1,1,1,1");
  if (!tf || !torch)
    return;
  CHECK_OK(weft_graph_infer(tf, NULL, NULL, &d), &d);
  CHECK_OK(weft_graph_infer(torch, NULL, NULL, &d), &d);
  CHECK_STR(shape(weft_graph_output_at(tf, 0), buf), "[1,64,112,112]");
  CHECK_STR(shape(weft_graph_output_at(torch, 0), buf), "[1,64,112,112]");
  CHECK_FAILS(weft_graph_compare(tf, torch, WEFT_EQUAL_SEMANTIC, &d), WEFT_E_DIFFERENT);
  weft_graph_destroy(tf);
  weft_graph_destroy(torch);
  // Unknown height and width: numbers for stride 1, the mode for stride 2.
  tf = conv(e, TF("1", "[-1,3,-1,-1]"), "1,1,1,1");
  if (tf)
    CHECK_STR(text_of(weft_graph_first(tf), "pad_mode"), "SPECIFIC");
  weft_graph_destroy(tf);
  tf = conv(e, TF("2", "[-1,3,-1,-1]"), "0,0,0,0");
  if (tf)
    CHECK_STR(text_of(weft_graph_first(tf), "pad_mode"), "SAME_UPPER");
  weft_graph_destroy(tf);
  // 7 in: out 4, total (4 - 1) * 2 + 3 - 7 = 2. The filter is larger than the stride's rest, or smaller:
  // never negative.
  weft_graph_destroy(conv(e, TF("2", "[1,3,7,8]"), "1,1,0,1"));
  weft_graph_destroy(conv(e, TF("5", "[1,3,10,9]"), "0,0,0,0"));
  weft_env_destroy(e);
}

// MindSpore's nn.Conv2d pads 'same' by default, PyTorch's and MindSpore's operator do not (R269).
TEST(r269_defaults) {
  weft_env *e = env_of(NULL);
  char buf[96];
  weft_graph *g =
      conv(e, "{'ops':[{'name':'c','type':'torch.nn.Conv2d','args':[3,64,3]," CONV_IO "}]}", "0,0,0,0");
  if (!g)
    return;
  const weft_node *n = weft_graph_first(g);
  CHECK_STR(ints(n, "strides", buf), "1,1,1,1");
  CHECK_STR(ints(n, "dilations", buf), "1,1,1,1");
  CHECK_INT(weft_node_attr(n, "groups")->u.i, 1);
  CHECK_INT(weft_node_origin(n)->n_attrs, 3);
  CHECK_STR(weft_node_origin(n)->attrs[2].name, "kernel_size");
  CHECK_STR(weft_node_origin(n)->type, "torch.nn.Conv2d");
  weft_graph_destroy(g);
  weft_graph_destroy(conv(
      e, "{'ops':[{'name':'c','type':'mindspore.nn.Conv2d','args':[3,64,3,2]," CONV_IO "}]}", "0,1,0,1"));
  weft_graph_destroy(
      conv(e, "{'ops':[{'name':'c','type':'mindspore.ops.Conv2D','args':[64,3]," CONV_IO "}]}", "0,0,0,0"));
  weft_graph_destroy(
      conv(e, "{'ops':[{'name':'c','type':'Conv2D','attrs':{'pad':[1,2]}," CONV_IO "}]}", "1,1,2,2"));
  weft_graph_destroy(
      conv(e, "{'ops':[{'name':'c','type':'Conv2D','attrs':{'pad':[1,2,3,4]}," CONV_IO "}]}", "1,2,3,4"));
  weft_env_destroy(e);
}

#define THROUGH_IDENTITY                                                                          \
  "{'framework':'tensorflow','ops':[{'name':'i','type':'identity','inputs':[{'name':'w','shape':" \
  "[3,3,3,64],'dtype':'float32'}],'outputs':['v']},{'name':'c','type':'tf.nn.conv2d','args':"     \
  "[1,'SAME','NCHW'],'inputs':[" X224 ",'v'],'outputs':['y']}]}"
// TensorFlow: NHWC and HWIO unless the model says otherwise; a filter of another layout goes through a
// Transpose.
TEST(r262_layouts) {
  weft_env *e = env_of(NULL);
  weft_graph *g;
  weft_diag d = {0};
  weft_tensor_desc desc;
  char buf[96];
#define TF_CONV(args, x)                                                            \
  "{'framework':'tensorflow','ops':[{'name':'c','type':'tf.nn.conv2d','args':" args \
  ",'inputs':[{'name':'x','shape':" x                                               \
  ",'dtype':'float32'},{'name':'w','shape':[3,3,3,64],"                             \
  "'dtype':'float32'}],'outputs':['y']}]}"
  CHECK_OK(read(e, TF_CONV("[[1,2,2,1],'SAME']", "[1,224,224,3]"), &g, &d), &d);
  const weft_node *n = weft_graph_first(g);
  CHECK_STR(text_of(n, "data_format"), "NHWC");
  CHECK_STR(ints(n, "strides", buf), "1,2,2,1");
  CHECK_STR(ints(n, "pads", buf), "0,1,0,1");
  weft_value_desc(weft_graph_input_at(g, 0), &desc);
  CHECK_INT(desc.origin_format, WEFT_NHWC);
  weft_value_desc(weft_graph_input_at(g, 1), &desc);
  CHECK_INT(desc.origin_format, WEFT_HWCN);
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &d), &d);
  CHECK_STR(shape(weft_graph_output_at(g, 0), buf), "[1,112,112,64]");
  weft_graph_destroy(g);
  CHECK_OK(read(e, THROUGH_IDENTITY, &g, &d), &d);
  n = weft_graph_find_node(g, "c/filter");
  CHECK(n && weft_node_in(weft_graph_find_node(g, "c"), 1) == weft_node_out(n, 0));
  const weft_tensor *perm = weft_value_data(weft_node_in(n, 1));
  CHECK(perm && !memcmp(perm->data, (int64_t[]){3, 2, 0, 1}, 32));
  weft_graph_destroy(g);
  CHECK_OK(
      read(
          e,
          "{'framework':'mindspore','ops':[{'name':'r','type':'ReLU','inputs':[{'name':'x','shape':[1,2,3,4],"
          "'dtype':'DT_FLOAT'}],'outputs':['y']}]}",
          &g, &d),
      &d);
  weft_value_desc(weft_graph_input_at(g, 0), &desc);
  CHECK_INT(desc.origin_format, WEFT_NCHW);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(pools) {
  static const struct {
    const char *op;
    const char *type;
    const char *shape;
  } cases[] = {
      {"'type':'MaxPool','attrs':{'ksize':2}", "MaxPool", "[1,64,56,56]"},
      {"'type':'torch.nn.MaxPool2d','args':[3,2,1]", "MaxPoolV3", "[1,64,56,56]"},
      {"'type':'torch.nn.MaxPool2d','args':[2]", "MaxPool", "[1,64,56,56]"},
      {"'type':'torch.nn.MaxPool2d','args':[3,2],'attrs':{'ceil_mode':true}", "MaxPoolV3", "[1,64,56,56]"},
      {"'type':'torch.nn.MaxPool2d','args':[3,2]", "MaxPool", "[1,64,55,55]"},
      {"'type':'tf.nn.max_pool2d','args':[[1,1,3,3],[1,1,2,2],'SAME','NCHW']", "MaxPool", "[1,64,56,56]"},
      {"'type':'mindspore.nn.MaxPool2d','args':[2,2]", "MaxPool", "[1,64,56,56]"},
      {"'type':'mindspore.nn.MaxPool2d','args':[2]", "MaxPool", "[1,64,111,111]"},
      {"'type':'torch.nn.AvgPool2d','args':[3,2,1]", "AvgPoolV2", "[1,64,56,56]"},
      {"'type':'AvgPool','attrs':{'kernel_size':[2,2],'padding':'VALID'}", "AvgPoolV2", "[1,64,56,56]"},
      {"'type':'MaxPoolV3','attrs':{'kernel_size':[2,2],'stride':2}", "MaxPoolV3", "[1,64,56,56]"},
  };
  weft_env *e = env_of(NULL);
  char model[512];
  char buf[96];
  for (size_t i = 0; i < WEFT_COUNT(cases); i++) {
    weft_graph *g = NULL;
    weft_diag d = {0};
    snprintf(model, sizeof model,
             "{'ops':[{'name':'p',%s,'inputs':[{'name':'x','shape':[1,64,112,112],'dtype':'DT_FLOAT'}],"
             "'outputs':['y']}]}",
             cases[i].op);
    if (read(e, model, &g, &d) || weft_graph_infer(g, NULL, NULL, &d)) {
      check_failed(__FILE__, __LINE__, "%s: %s", cases[i].op, d.text);
    } else {
      CHECK_STR(weft_node_type(weft_graph_first(g)), cases[i].type);
      CHECK_STR(shape(weft_graph_output_at(g, 0), buf), cases[i].shape);
      CHECK_STR(text_of(weft_graph_first(g), "data_format"), "NCHW");
      if (i == 8)
        CHECK(!weft_node_attr(weft_graph_first(g), "exclusive")->u.b);
    }
    weft_graph_destroy(g);
  }
  weft_env_destroy(e);
}

static const weft_op op_own = {
    WEFT_OP_HEAD, .name = "OwnOp", .in = WEFT_PORTS({"x"}, {"b", .kind = WEFT_OPTIONAL}, {"w"}),
    .out = WEFT_PORTS({"y"}),
    .attrs =
        WEFT_ATTRS({"axis", "Int", "1"}, {"scale", "Float", "1"}, {"to", "Type", "f32"},
                   {"names", "ListString", "[]"}, {"flags", "ListBool", "[]"}, {"values", "ListFloat", "[]"},
                   {"nested", "ListListInt", "[]"}, {"on", "Bool", "false"}, {"groups", "Int", "1"})};

// An operator that is registered is reachable from every framework, with attributes of every type.
TEST(r279_registered_operators) {
  weft_env *e = env_of(NULL);
  weft_graph *g;
  weft_diag d = {0};
  CHECK_OK(weft_register(e, &op_own, 0, &d), &d);
  CHECK_OK(
      read(e,
           "{'framework':'pytorch','ops':[{'name':'o','type':'OwnOp','attrs':{'dim':2,'scale':3,'to':'DT_"
           "FLOAT16',"
           "'names':['a'],'flags':[true,false],'values':[1,2.5],'nested':[[1],[2,3]],'on':true,'group':4,"
           "'name':'x'},"
           "'inputs':[{'name':'x','shape':[1],'dtype':'DT_FLOAT'},null,{'name':'w','shape':[1],"
           "'dtype':'DT_FLOAT'}],'outputs':['y']}]}",
           &g, &d),
      &d);
  const weft_node *n = weft_graph_first(g);
  CHECK_INT(weft_node_desc(n)->n_in, 2);
  CHECK_INT(weft_port_in(weft_node_desc(n), 2, 0), 1);
  CHECK_INT(weft_node_attr(n, "axis")->u.i, 2);
  CHECK_F64(weft_node_attr(n, "scale")->u.f, 3, 0);
  CHECK_INT(weft_node_attr(n, "to")->u.i, WEFT_FLOAT16);
  CHECK_STR(weft_node_attr(n, "names")->u.strs[0].text, "a");
  CHECK(weft_node_attr(n, "flags")->u.bools[0] && !weft_node_attr(n, "flags")->u.bools[1]);
  CHECK_F64(weft_node_attr(n, "values")->u.floats[1], 2.5, 0);
  CHECK_INT(weft_node_attr(n, "nested")->u.int_lists[1].v[1], 3);
  CHECK(weft_node_attr(n, "on")->u.b);
  CHECK_INT(weft_node_attr(n, "groups")->u.i, 4);
  CHECK_INT(weft_node_origin(n)->n_attrs, 10);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
