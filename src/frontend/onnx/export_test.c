// export_test.c - graphs written as ONNX and read back: slices with masks under ONNX's names, constants of
// text and of elements below a byte, operators that only weft knows.
#include "check.h"
#include "ir/ir.h"
#include "weft/infer.h"
#include "weft/onnx.h"

static const char graph_text[] =
    "graph \"g\" { input x: f32[n,3,4] input s: str[2]\n"
    "  const b: i64[3]{0,-1,0} const e: i64[3]{0,0,2} const st: i64[3]{1,1,1} const two: "
    "str[2]{\"a\",\"b\"}\n"
    "  const p: i4[4]{-8,1,2,7}\n"
    "  node cut: StridedSlice(x, b, e, st) {begin_mask=5,end_mask=1,shrink_axis_mask=2} -> cut\n"
    "  node join: StringConcat(s, two) -> join node wide: Cast(p) {dst_type=0} -> wide\n"
    "  output cut output join output wide }";

static void test_begin(weft_env_options o, const char *text, weft_env **e, weft_graph **g) {
  weft_diag d = {0};
  o.size = sizeof o;
  o.package_path = "";
  CHECK_OK(weft_env_create(&o, e, &d), &d);
  CHECK_OK(weft_graph_parse(*e, text, strlen(text), "g", g, &d), &d);
  CHECK_OK(weft_graph_infer(*g, NULL, NULL, &d), &d);
}

// The graph, written and read back, as weft's text.
static void test_there_and_back(const char *text, weft_text *out) {
  weft_env *e = NULL;
  weft_graph *g = NULL;
  test_begin((weft_env_options){0}, text, &e, &g);
  weft_graph *back = NULL;
  weft_diag d = {0};
  weft_text bytes;
  weft__text_init(&bytes, weft_env_allocator(e));
  CHECK_OK(weft_onnx_write(g, weft__text_write, &bytes, &d), &d);
  CHECK_OK(weft_onnx_read(e, bytes.v, bytes.n, "g", &back, &d), &d);
  CHECK_OK(weft_graph_print(back, 0, weft__text_write, out), &d);
  weft_graph_destroy(back);
  weft_graph_destroy(g);
  weft__text_deinit(&bytes);
  weft_env_destroy(e);
}

TEST(slices_text_and_small_types_come_back) {
  weft_allocator a = weft_allocator_default();
  weft_text out;
  weft__text_init(&out, &a);
  test_there_and_back(graph_text, &out);
  CHECK_HAS(out.v, "StridedSliceV2");
  CHECK_HAS(out.v, "output cut");
  CHECK_HAS(out.v, "{\"a\",\"b\"}");
  CHECK_HAS(out.v, "i4[4]{-8,1,2,7}");
  CHECK(!strstr(out.v, "weft 1"));  // no domain of weft's was needed
  weft__text_deinit(&out);
}

// As TensorFlow has them: channels last, places of 32 bits.
TEST(primitives_of_other_frameworks_need_no_domain) {
  weft_allocator a = weft_allocator_default();
  weft_text out;
  weft__text_init(&out, &a);
  test_there_and_back(
      "graph \"g\" { input x: f32[1,4,4,2] NHWC input w: f32[3,3,2,5] HWCN input b: f32[5] const axes: "
      "i32[2]{1,2} const pads: i32[3,2]{0,0,1,2,0,0} const at: i32[]{0} const k: i32[]{0} const k2: "
      "f32[]{2}\n"
      "  node c: Conv2D(x, w) {strides=[1,1,1,1], pads=[1,1,1,1]} -> c\n"
      "  node p: MaxPoolV3(c) {ksize=[1,2,2,1], strides=[1,2,2,1], padding_mode=\"CALCULATED\", "
      "pads=[0,0,0,0], ceil_mode=false, data_format=\"NHWC\"} -> p\n"
      "  node q: BiasAdd(p, b) -> q node r: Relu6(q) -> r node m: ReduceMax(r, axes) -> m\n"
      "  node n: ExpandDims(m, at) -> n node o: Pad(n, pads) -> o node u: Unpack(o) {num=1} -> [u]\n"
      "  node s: Pack([u, u]) {N=2} -> s node d: SquaredDifference(s, k2) -> d node t: Triu(d) -> t\n"
      "  node i: ArgMaxV2(t, k) {dtype=i32} -> i output i }",
      &out);
  CHECK_HAS(out.v, "Conv");
  CHECK(!strstr(out.v, "weft 1"));
  weft__text_deinit(&out);
}

TEST(pools_of_whole_pictures_need_no_domain) {
  static const char *const of[] = {"AvgPoolV2", "MaxPoolV3"};
  weft_allocator a = weft_allocator_default();
  for (size_t i = 0; i < 2; i++) {
    char text[256];
    weft_text out;
    weft__text_init(&out, &a);
    snprintf(text, sizeof text,
             "graph \"g\" { input x: f32[1,3,n,5] node y: %s(x) {ksize=[1,1,1,1], strides=[1,1,1,1], "
             "global_pooling=true, data_format=\"NCHW\"} -> y output y }",
             of[i]);
    test_there_and_back(text, &out);
    CHECK_HAS(out.v, of[i]);
    CHECK_HAS(out.v, "global_pooling=true");
    CHECK(!strstr(out.v, "weft 1"));
    weft__text_deinit(&out);
  }
}

TEST(what_onnx_lacks_is_in_wefts_domain) {
  weft_allocator a = weft_allocator_default();
  weft_text out;
  weft__text_init(&out, &a);
  test_there_and_back("graph \"g\" { input x: f32[3] node y: Erfinv(x) -> y output y }", &out);
  CHECK_HAS(out.v, "weft 1");
  CHECK_HAS(out.v, "Erfinv");
  weft__text_deinit(&out);
}

TEST(writing_survives_every_failing_allocation) {
  check_alloc count = {0};
  weft_env *e = NULL;
  weft_graph *g = NULL;
  test_begin((weft_env_options){.allocator = check_allocator(&count)}, graph_text, &e, &g);
  weft_allocator a = weft_allocator_default();
  weft_text out;
  weft__text_init(&out, &a);
  for (long k = 1; k < 10000; k++) {
    weft_diag d = {0};
    out.n = 0;
    count.fail_at = count.calls + k;
    weft_status s = weft_onnx_write(g, weft__text_write, &out, &d);
    bool failed = count.calls >= count.fail_at;
    count.fail_at = 0;
    if (!failed) {
      CHECK_OK(s, &d);
      break;
    }
    CHECK_INT(s, WEFT_E_NOMEM);
  }
  weft__text_deinit(&out);
  weft_graph_destroy(g);
  weft_env_destroy(e);
  CHECK_INT(count.live_blocks, 0);
}
// SPDX-License-Identifier: Apache-2.0
