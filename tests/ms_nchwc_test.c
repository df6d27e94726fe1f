// ms_nchwc_test.c - the peer's convolutions on blocks of channels beside the same network in ONNX's own
// operators: a first convolution that reads plain channels, a second one on blocks, a depthwise one with an
// activation, a pool; channels that are not whole blocks. The filters are put in the peer's order here,
// number by number.
#include "check.h"
#include "frontend/onnx/writer.h"
#include "weft/interp.h"
#include "weft/onnx.h"

enum { B = 8, MOST = 16 * 16 * 9 };
typedef struct filter {
  int64_t out, in, real_out, real_in;  // padded to blocks, and as the network has them
} filter;

static float weight(const filter *f, int64_t o, int64_t i, int64_t k) {
  return o < f->real_out && i < f->real_in ? (float)((o * 5 + i * 3 + k * 7) % 11 - 5) / 4 : 0;
}

static void put_filter(onnxw *w, const char *name, const filter *f, bool blocks) {
  static float data[MOST];
  const int64_t in_block = f->in % B == 0 ? B : 1;
  const int64_t dims[4] = {blocks ? f->out : f->real_out, blocks ? f->in : f->real_in, 3, 3};
  for (int64_t o = 0; o < dims[0]; o++) {
    for (int64_t i = 0; i < dims[1]; i++) {
      for (int64_t k = 0; k < 9; k++) {
        int64_t plain = (o * dims[1] + i) * 9 + k;
        int64_t tile = (o / B * (dims[1] / in_block) + i / in_block) * 9 + k;
        int64_t at = blocks ? (tile * in_block + i % in_block) * B + o % B : plain;
        data[at] = weight(f, o, i, k);
      }
    }
  }
  onnxw_init_f32(w, name, 4, dims, data);
}

static void conv(onnxw *w, bool blocks, const char *name, const char *inputs, const char *out, int64_t group,
                 const char *activation) {
  onnxw_op(w, blocks ? "Conv" : activation ? "FusedConv" : "Conv", name, inputs, out);
  if (blocks || activation)
    onnxw_domain(w, blocks ? "com.microsoft.nchwc" : "com.microsoft");
  onnxw_attr_ints(w, "kernel_shape", (const int64_t[]){3, 3}, 2);
  onnxw_attr_ints(w, "pads", (const int64_t[]){1, 1, 1, 1}, 4);
  onnxw_attr_int(w, "group", group);
  if (activation)
    onnxw_attr_str(w, "activation", activation);
}

static void write_network(onnxw *w, weft_text *text, bool blocks) {
  static const filter one = {8, 3, 5, 3};
  static const filter two = {16, 8, 12, 5};
  static const filter three = {16, 1, 12, 1};
  onnxw_begin(w, text, 10, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 4, (const int64_t[]){1, 3, 5, 4}, NULL);
  put_filter(w, "w1", &one, blocks);
  put_filter(w, "w2", &two, blocks);
  put_filter(w, "w3", &three, blocks);
  conv(w, blocks, "c1", "x,w1", "a", 1, NULL);
  conv(w, blocks, "c2", "a,w2", "b", 1, "Relu");
  conv(w, blocks, "c3", "b,w3", "c", blocks ? 16 : 12, "Tanh");
  onnxw_op(w, "MaxPool", "p", "c", blocks ? "d" : "y");
  if (blocks)
    onnxw_domain(w, "com.microsoft.nchwc");
  onnxw_attr_ints(w, "kernel_shape", (const int64_t[]){2, 2}, 2);
  if (blocks) {
    onnxw_op(w, "ReorderOutput", "r", "d", "y");
    onnxw_domain(w, "com.microsoft.nchwc");
    onnxw_attr_int(w, "channels", 12);
  }
  onnxw_output(w, "y", 0, -1, NULL, NULL);
}

static void run_network(weft_env *e, bool blocks, weft_tensor *out) {
  weft_text text;
  onnxw w;
  weft_graph *g = NULL;
  weft_diag d = {0};
  weft_tensor x;
  const weft_tensor *in[] = {&x};
  weft__text_init(&text, NULL);
  weft_tensor_init(&x, NULL);
  weft_tensor_init(out, NULL);
  CHECK_OK(weft_tensor_alloc(&x, WEFT_FLOAT, (const weft_dim[]){1, 3, 5, 4}, 4, &d), &d);
  for (int i = 0; i < 60; i++)
    ((float *)x.data)[i] = (float)(i * 13 % 17 - 8) / 8;
  write_network(&w, &text, blocks);
  CHECK_OK(onnxw_finish(&w, &d), &d);
  CHECK_OK(weft_onnx_read(e, text.v, text.n, "test", &g, &d), &d);
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &d), &d);
  CHECK_OK(weft_interp_run(g, NULL, in, 1, out, 1, &d), &d);
  weft_graph_destroy(g);
  weft_tensor_deinit(&x);
  weft__text_deinit(&text);
}

TEST(blocks_of_channels_are_what_they_stand_for) {
  weft_env *e;
  weft_diag d = {0};
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  weft_tensor got;
  weft_tensor want;
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  run_network(e, true, &got);
  run_network(e, false, &want);
  CHECK_INT(weft_tensor_elems(&want), 12 * 4 * 3);
  CHECK_OK(weft_tensor_compare(&got, &want, 1e-6, 1e-6, &d), &d);
  weft_tensor_deinit(&got);
  weft_tensor_deinit(&want);
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
