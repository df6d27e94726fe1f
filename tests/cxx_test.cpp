// cxx_test.cpp - weft.hpp: a model from file and from hand, compiled, run, saved, put into a session; what
// fails throws.
//   weft_cxx_test [FOLDER FOR A FILE]
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "weft/weft.hpp"

static int failures;
#define CHECK(e) \
  ((e) ? (void)0 : (void)(failures++, std::printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #e)))

template <class F>
static std::string thrown(weft_status want, F &&f) {
  try {
    f();
  } catch (const weft::Error &e) {
    if (e.status() != want)
      std::printf("%s instead of %s: %s\n", e.status_name(), weft_status_name(want), e.what());
    failures += e.status() != want;
    return e.what();
  }
  failures++;
  std::printf("nothing was thrown, expected %s\n", weft_status_name(want));
  return "";
}
static bool has(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

static_assert(!std::is_copy_constructible_v<weft::Graph> &&
              std::is_nothrow_move_constructible_v<weft::Graph>);
static_assert(!std::is_copy_constructible_v<weft::Tensor> && std::is_nothrow_move_assignable_v<weft::Tensor>);
static_assert(weft::dtype_of<uint16_t>() == WEFT_UINT16 && weft::dtype_of<long long>() == WEFT_INT64);

// y = Relu(x + 1), x f32[N,2]
static weft::Graph small(const weft::Env &env) {
  weft::Graph g(env, "small");
  weft_value *x = g.input("x", WEFT_FLOAT, {-1, 2});
  weft_value *one = g.constant("one", weft::Tensor::copy<float>({}, {1.0f}));
  g.output(g.op("Relu", "relu", {g.op("Add", "add", {x, one})}));
  return g;
}

static void tensors() {
  weft::Tensor a = weft::Tensor::copy<int32_t>({2, 2}, {1, 2, 3, 4}), b = a.clone();
  CHECK(a.shape() == (weft::Shape{2, 2}) && a.elems() == 4 && a.bytes() == 16 && a.dtype() == WEFT_INT32);
  CHECK(a.str() == "i32[2,2]{1,2,3,4}" && a.str(1) != a.str());
  b.data<int32_t>()[0] = 9;
  CHECK(a.data<int32_t>()[0] == 1);
  weft::Tensor c = std::move(b);
  CHECK(c.data<int32_t>()[0] == 9 && b.data<int32_t>() == nullptr);
  b = std::move(c);
  CHECK(b.data<int32_t>()[0] == 9);
  weft::Tensor &same = b;
  b = std::move(same);
  CHECK(b.data<int32_t>()[0] == 9);
  thrown(WEFT_E_DTYPE, [&] { (void)a.data<float>(); });
  thrown(WEFT_E_SHAPE, [] { (void)weft::Tensor::copy<float>({3}, {1.0f}); });
  thrown(WEFT_E_SYNTAX, [] { (void)weft::Tensor::parse("f32["); });
  CHECK(weft::Tensor::parse("str[1]{\"a\"}").str() == "str[1]{\"a\"}");
}

static void programs(const weft::Env &env, const std::string &folder) {
  weft::Graph g = small(env);
  CHECK(has(g.str(), "Relu"));
  weft::Program p = weft::Program::compile(std::move(g));
  CHECK(!g && p.n_inputs() == 1 && p.n_outputs() == 1 && p.input(0).layout.origin.dim[1] == 2);
  thrown(WEFT_E_RANGE, [&] { (void)p.output(1); });
  weft::Exec exec(p);
  std::vector<weft::Tensor> out = exec.run(weft::Tensor::copy<float>({2, 2}, {-3, 0, 1, 2}));
  CHECK(out.size() == 1 && out[0].str() == "f32[2,2]{0,1,2,3}");
  std::vector<weft::Tensor> in;
  in.push_back(weft::Tensor::copy<float>({1, 2}, {5, 6}));
  float room[2] = {0, 0};
  out[0] = weft::Tensor::view(WEFT_FLOAT, {1, 2}, room, sizeof room);
  exec.run_into(out, in);
  CHECK(room[0] == 6 && room[1] == 7 && exec.stats().runs == 2);
  CHECK(has(thrown(WEFT_E_SHAPE,
                   [&] {
                     (void)exec.run(weft::Tensor::copy<float>({2}, {1, 2}));
                   }),
            "graph input 'x'"));
  thrown(WEFT_E_INVALID, [&] { (void)exec.run(); });
  const std::string path = folder + "/cxx_test.weft";
  p.save(path);
  weft::Exec again(weft::Program::load(env, path));  // the exec retains its program
  CHECK(again.run(in[0])[0].str() == "f32[1,2]{6,7}");
  std::string bytes;
  weft::check([&](weft_diag *d) { return weft_program_save(p.get(), weft::detail::append, &bytes, d); });
  weft::Exec third(weft::Program::load(env, bytes.data(), bytes.size()));
  CHECK(third.run(in[0])[0].str() == "f32[1,2]{6,7}");
  thrown(WEFT_E_TRUNCATED, [&] { (void)weft::Program::load(env, bytes.data(), bytes.size() / 2); });
  std::remove(path.c_str());
  thrown(WEFT_E_NOT_FOUND, [&] { (void)weft::Program::load(env, path); });
}

static void sessions(const weft::Env &env) {
  std::vector<weft::Tensor> out;
  {
    weft::Session s(env);
    s.add(0, small(env));
    s.add(1,
          weft::Graph::parse(env, "graph \"n\" { input x: i32[N] node n: Neg(x) -> y output y output x }"));
    CHECK(has(thrown(WEFT_E_EXISTS, [&] { s.add(0, small(env)); }), "'small'"));
    out = s.run(1, weft::Tensor::copy<int32_t>({2}, {1, 2}));
    thrown(WEFT_E_NOT_FOUND, [&] { (void)s.run(2, out[0]); });
    s.remove(0);
    thrown(WEFT_E_NOT_FOUND, [&] { s.remove(0); });
    CHECK(!s.program(0) && s.program(1).n_outputs() == 2);
  }
  CHECK(out.size() == 2 && out[0].str() == "i32[2]{-1,-2}" && out[1].str() == "i32[2]{1,2}");
}

static void asynchronous(const weft::Env &env) {
  const weft::Tensor kept = weft::Tensor::copy<float>({1, 2}, {5, 6});
  float room[2] = {0, 0};
  weft::Pending late;
  {
    weft::Session s(env);
    s.add(0, small(env));
    weft::Pending a = s.run_async(0, weft::Tensor::copy<float>({2, 2}, {-3, 0, 1, 2}));
    weft::Pending b = s.run_async(0, kept);
    CHECK(a && b.wait()[0].str() == "f32[1,2]{6,7}" && a.wait()[0].str() == "f32[2,2]{0,1,2,3}");
    CHECK(!a && a.finished());
    thrown(WEFT_E_STATE, [&] { (void)a.wait(); });
    thrown(WEFT_E_STATE, [&] { a.then([](const weft::Error *, std::vector<weft::Tensor>) {}); });
    thrown(WEFT_E_NOT_FOUND, [&] { (void)s.run_async(7, kept); });
    weft::Pending wrong = s.run_async(0, weft::Tensor::copy<float>({2}, {1, 2}));
    CHECK(has(thrown(WEFT_E_SHAPE, [&] { (void)wrong.wait(); }), "graph input 'x'"));
    std::vector<weft::Tensor> out, in;
    out.push_back(weft::Tensor::view(WEFT_FLOAT, {1, 2}, room, sizeof room));
    in.push_back(kept.clone());
    late = s.run_into_async(0, std::move(out), std::move(in));
    (void)s.run_async(0, kept);  // what nobody waits for is waited for
    std::atomic<int> good{0}, bad{0};
    const auto count = [&](const weft::Error *e, std::vector<weft::Tensor> y) {
      good += !e && y[0].str() == "f32[1,2]{6,7}";
      bad += e && e->status() == WEFT_E_SHAPE && has(e->what(), "graph input 'x'");
    };
    for (int i = 0; i < 20; i++) {
      s.run_async(0, kept.clone()).then(count);
      s.run_async(0, weft::Tensor::copy<float>({2}, {1, 2})).then(count);
    }
    while (good + bad < 40)
      std::this_thread::yield();
    CHECK(good == 20 && bad == 20);
  }
  CHECK(late.wait()[0].data<float>() == room && room[0] == 6 && room[1] == 7);
}

// y = Relu(x), as the bytes of an ONNX file.
static void onnx(const weft::Env &env) {
  static const unsigned char model[] = {
      0x08, 0x08,                          // ir_version 8
      0x42, 0x04, 0x0a, 0x00, 0x10, 0x0d,  // opset 13
      0x3a, 0x35,                          // graph
      0x0a, 0x0e, 0x0a, 0x01, 'x',  0x12, 0x01, 'y',  0x1a, 0x00, 0x22, 0x04, 'R',  'e',  'l',  'u',  // node
      0x12, 0x01, 'g',                                                                                // name
      0x5a, 0x0f, 0x0a, 0x01, 'x',  0x12, 0x0a, 0x0a, 0x08, 0x08, 0x01, 0x12, 0x04, 0x0a, 0x02, 0x08, 0x03,
      0x62, 0x0f, 0x0a, 0x01, 'y',  0x12, 0x0a, 0x0a, 0x08, 0x08, 0x01, 0x12, 0x04, 0x0a, 0x02, 0x08, 0x03};
  weft::Program p = weft::Program::compile(weft::Graph::onnx(env, model, sizeof model, "relu.onnx"));
  weft::Exec exec(p);
  CHECK(exec.run(weft::Tensor::copy<float>({3}, {-1, 0, 2}))[0].str() == "f32[3]{0,0,2}");
  thrown(WEFT_E_NOT_FOUND, [&] { (void)weft::Graph::onnx(env, "/no/such/file.onnx"); });
}

int main(int argc, char **argv) {
  try {
    weft_env_options o = {};
    o.package_path = "";
    weft::Env env(o);
    tensors();
    programs(env, argc > 1 ? argv[1] : ".");
    sessions(env);
    asynchronous(env);
    onnx(env);
    thrown(WEFT_E_SYNTAX, [&] { (void)weft::Graph::parse(env, "graph {"); });
    weft::Graph bad(env, "bad");
    CHECK(has(thrown(WEFT_E_NOT_FOUND, [&] { (void)bad.op("Rellu", "r", {}); }), "Relu"));
    weft::Env moved = std::move(env);
    CHECK(moved && !env);
  } catch (const std::exception &e) {
    failures++;
    std::printf("%s\n", e.what());
  }
  std::printf("cxx: %s\n", failures ? "FAILED" : "good");
  return failures != 0;
}
// SPDX-License-Identifier: Apache-2.0
