// session_test.cpp - graphs built of operator classes, run by sessions.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "all_ops.h"
#include "check.h"
#include "ge_api.h"
#include "graph.h"

namespace {
using Names = std::map<ge::AscendString, ge::AscendString>;

// GEInitialize for as long as it lives, and a session.
struct Engine {
  explicit Engine(const Names &options = {}) {
    CHECK_EQ(ge::GEInitialize(options), ge::SUCCESS);
    session = std::make_unique<ge::Session>(Names());
  }
  ~Engine() {
    session.reset();
    CHECK_EQ(ge::GEFinalize(), ge::SUCCESS);
  }
  std::unique_ptr<ge::Session> session;
};

ge::TensorDesc Desc(const std::vector<int64_t> &dims, ge::DataType type = ge::DT_FLOAT) {
  return ge::TensorDesc(ge::Shape(dims), ge::FORMAT_ND, type);
}
template <typename T>
ge::Tensor Values(const std::vector<int64_t> &dims, const std::vector<T> &values,
                  ge::DataType type = ge::DT_FLOAT) {
  return ge::Tensor(Desc(dims, type), reinterpret_cast<const uint8_t *>(values.data()),
                    values.size() * sizeof(T));
}
template <typename T>
std::vector<T> Read(const ge::Tensor &tensor) {
  std::vector<T> values(tensor.GetSize() / sizeof(T));
  memcpy(values.data(), tensor.GetData(), tensor.GetSize());
  return values;
}
ge::op::Data Input(const char *name, int64_t index, const ge::TensorDesc &desc) {
  auto data = ge::op::Data(name).set_attr_index(index);
  data.update_input_desc_x(desc);
  return data;
}
// y = a + b
ge::Graph AddGraph(const std::vector<int64_t> &dims) {
  auto a = Input("a", 0, Desc(dims));
  auto b = Input("b", 1, Desc(dims));
  auto add = ge::op::Add("add").set_input_x1(a).set_input_x2(b);
  ge::Graph graph("g");
  graph.SetInputs({a, b}).SetOutputs(std::vector<ge::Operator>{add});
  return graph;
}
bool ErrorSays(const char *text) {
  const std::string said = ge::GEGetErrorMsg();
  if (said.find(text) != std::string::npos)
    return true;
  printf("the error was: %s\n", said.c_str());
  return false;
}
// Errors of these tests are wanted, and not to be seen.
const bool quiet = setenv("ASCEND_GLOBAL_LOG_LEVEL", "4", 1) == 0;
}  // namespace

TEST(session_adds) {
  Engine engine;
  CHECK(quiet);
  CHECK_EQ(engine.session->AddGraph(1, AddGraph({2})), ge::SUCCESS);
  std::vector<ge::Tensor> out;
  const ge::Tensor x = Values<float>({2}, {1, 2});
  CHECK_EQ(engine.session->RunGraph(1, {x, x}, out), ge::SUCCESS);
  CHECK_EQ(out.size(), 1u);
  CHECK(Read<float>(out[0]) == std::vector<float>({2, 4}));
  CHECK_EQ(engine.session->RunGraph(1, {x, x}, out), ge::SUCCESS);
  engine.session.reset();  // outputs are the caller's
  CHECK_EQ(Read<float>(out[0])[1], 4.0f);
}

TEST(session_constants_and_dynamic_shapes) {
  Engine engine;
  auto x = Input("x", 0, Desc({-1, 2}));
  auto two = ge::op::Const("two").set_attr_value(Values<float>({}, {2}));
  auto mul = ge::op::Mul("mul").set_input_x1(x).set_input_x2(two);
  auto relu = ge::op::Relu("relu").set_input_x(mul, "y");
  ge::Graph graph("scale");
  graph.SetInputs({x, two}).SetOutputs({{relu, std::vector<size_t>{0}}, {mul, std::vector<size_t>{0}}});
  CHECK_EQ(engine.session->AddGraph(0, graph), ge::SUCCESS);
  for (int64_t n : {3, 1, 0}) {
    std::vector<float> values(static_cast<size_t>(n) * 2, -1.5f);
    std::vector<ge::Tensor> out;
    CHECK_EQ(engine.session->RunGraph(0, {Values<float>({n, 2}, values)}, out), ge::SUCCESS);
    CHECK_EQ(out.size(), 2u);
    CHECK_EQ(out[1].GetTensorDesc().GetShape().GetDim(0), n);
    CHECK_EQ(out[1].GetSize(), values.size() * 4);
    if (n)
      CHECK_EQ(Read<float>(out[1])[0], -3.0f);
  }
  std::vector<ge::Tensor> out;
  CHECK_EQ(engine.session->RunGraph(0, {Values<float>({1, 3}, {1, 2, 3})}, out), ge::FAILED);
  CHECK(ErrorSays("'x'"));
}

TEST(session_data_dependent_shapes) {
  Engine engine;
  auto x = Input("x", 0, Desc({-1}, ge::DT_FLOAT));
  auto where = ge::op::Where("where").set_input_x(x);
  ge::Graph graph("where");
  graph.SetInputs({x}).SetOutputs(std::vector<ge::Operator>{where});
  CHECK_EQ(engine.session->AddGraph(0, graph), ge::SUCCESS);
  std::vector<ge::Tensor> out;
  CHECK_EQ(engine.session->RunGraph(0, {Values<float>({5}, {0, 1, 0, 2, 3})}, out), ge::SUCCESS);
  CHECK(out[0].GetTensorDesc().GetShape().GetDims() == std::vector<int64_t>({3, 1}));
  CHECK_EQ(out[0].GetTensorDesc().GetDataType(), ge::DT_INT64);
  CHECK(Read<int64_t>(out[0]) == std::vector<int64_t>({1, 3, 4}));
}

// A Data that says nothing of itself takes what comes.
TEST(session_open_inputs) {
  Engine engine;
  auto x = ge::op::Data("x");
  auto neg = ge::op::Neg("neg").set_input_x(x);
  ge::Graph graph("open");
  graph.SetInputs({x}).SetOutputs(std::vector<ge::Operator>{neg});
  CHECK_EQ(engine.session->AddGraph(0, graph), ge::SUCCESS);
  std::vector<ge::Tensor> out;
  CHECK_EQ(engine.session->RunGraph(0, {Values<int32_t>({2}, {1, 2}, ge::DT_INT32)}, out), ge::SUCCESS);
  CHECK(Read<int32_t>(out[0]) == std::vector<int32_t>({-1, -2}));
  CHECK_EQ(engine.session->RunGraph(0, {Values<int32_t>({1, 1}, {7}, ge::DT_INT32)}, out), ge::SUCCESS);
  CHECK_EQ(out[0].GetTensorDesc().GetShape().GetDimNum(), 2u);
}

TEST(session_graph_numbers) {
  Engine engine;
  ge::Session &session = *engine.session;
  CHECK_EQ(session.AddGraph(7, AddGraph({2})), ge::SUCCESS);
  CHECK_EQ(session.AddGraph(7, AddGraph({2})), ge::FAILED);
  CHECK(ErrorSays("has a graph 7 already"));
  std::vector<ge::Tensor> out;
  CHECK_EQ(session.RunGraph(8, {}, out), ge::FAILED);
  CHECK(ErrorSays("has no graph 8"));
  CHECK_EQ(session.RemoveGraph(7), ge::SUCCESS);
  CHECK_EQ(session.RemoveGraph(7), ge::FAILED);
  CHECK_EQ(session.RunGraph(7, {}, out), ge::FAILED);
  CHECK_EQ(session.AddGraph(7, AddGraph({1})), ge::SUCCESS);
  const ge::Tensor x = Values<float>({1}, {1});
  CHECK_EQ(session.RunGraph(7, {x, x}, out), ge::SUCCESS);
  CHECK_EQ(session.RemoveGraph(7), ge::SUCCESS);
  CHECK_EQ(session.AddGraph(7, AddGraph({2})), ge::SUCCESS);
  const ge::Tensor y = Values<float>({2}, {1, 1});
  CHECK_EQ(session.RunGraph(7, {y, y}, out), ge::SUCCESS);
}

TEST(session_checks_inputs) {
  Engine engine;
  ge::Session &session = *engine.session;
  CHECK_EQ(session.AddGraph(0, AddGraph({2})), ge::SUCCESS);
  std::vector<ge::Tensor> out;
  CHECK_EQ(session.RunGraph(0, {}, out), ge::FAILED);
  CHECK_EQ(session.RunGraph(0, {Values<float>({2}, {1, 2}), Values<float>({3}, {1, 2, 3})}, out), ge::FAILED);
  CHECK(ErrorSays("'b'"));
  const ge::Tensor ints = Values<int32_t>({2}, {1, 2}, ge::DT_INT32);
  CHECK_EQ(session.RunGraph(0, {ints, ints}, out), ge::FAILED);
  const ge::Tensor few(Desc({2}), reinterpret_cast<const uint8_t *>("1234"), 4);
  CHECK_EQ(session.RunGraph(0, {few, few}, out), ge::FAILED);
  CHECK(ErrorSays("of input 0"));
  CHECK_EQ(ge::GEGetErrorMsg(), "");
}

TEST(session_says_what_is_wrong_with_a_graph) {
  Engine engine;
  ge::Session &session = *engine.session;
  auto x = Input("x", 0, Desc({2}));
  auto add = ge::op::Add("lonely").set_input_x1(x);
  ge::Graph graph("g");
  graph.SetInputs({x}).SetOutputs(std::vector<ge::Operator>{add});
  CHECK_EQ(session.AddGraph(0, graph), ge::FAILED);
  CHECK(ErrorSays("input 'x2' is not connected"));
  add.set_input_x2(add);
  CHECK_EQ(session.AddGraph(0, graph), ge::FAILED);
  CHECK(ErrorSays("its own output"));
  ge::GNodePtr lonely = graph.FindNodeByName("lonely");
  CHECK_EQ(graph.RemoveEdge(*lonely, 0, *lonely, 1), ge::GRAPH_SUCCESS);  // a cycle holds itself
  CHECK_EQ(session.AddGraph(0, ge::Graph("empty")), ge::FAILED);
  CHECK(ErrorSays("SetOutputs"));
  CHECK_EQ(session.AddGraph(0, ge::Graph()), ge::FAILED);
  ge::Operator strange("n", "NoSuchOperator");
  ge::Graph other("other");
  other.SetTargets({strange});
  CHECK_EQ(session.AddGraph(0, other), ge::FAILED);
  CHECK(ErrorSays("NoSuchOperator"));
}

TEST(session_needs_initialising) {
  CHECK_EQ(ge::GEFinalize(), ge::FAILED);
  ge::Session early{Names()};
  CHECK_EQ(early.GetSessionId(), 0u);
  CHECK_EQ(early.AddGraph(0, AddGraph({2})), ge::FAILED);
  CHECK(ErrorSays("GEInitialize"));
  CHECK_EQ(ge::GEInitialize(Names()), ge::SUCCESS);
  CHECK_EQ(ge::GEInitialize(Names()), ge::SUCCESS);  // once more: nothing but a warning
  CHECK(ge::GEGetWarningMsg().find("before") != std::string::npos);
  CHECK_EQ(ge::GEFinalize(), ge::SUCCESS);
  CHECK_EQ(ge::GEGetWarningMsg(), "");
}

TEST(session_options) {
  Engine engine({{"ge.exec.deviceId", "0"}, {"ge.graphRunMode", "1"}});
  CHECK_EQ(ge::GEGetWarningMsg(), "");
  const Names unknown = {{"ge.exec.precison_mode", "force_fp32"}, {"made.up", "1"}};
  CHECK_EQ(engine.session->AddGraph(0, AddGraph({2}), unknown), ge::SUCCESS);
  const std::string warned = ge::GEGetWarningMsg();
  CHECK(warned.find("did you mean ge.exec.precision_mode") != std::string::npos);
  CHECK(warned.find("'made.up'") != std::string::npos);
  const Names wrong = {{"ge.exec.precision_mode", "no_such_mode"}};
  CHECK_EQ(engine.session->AddGraph(1, AddGraph({2}), wrong), ge::SUCCESS);
  const ge::Tensor x = Values<float>({2}, {1, 2});
  std::vector<ge::Tensor> out;
  CHECK_EQ(engine.session->RunGraph(1, {x, x}, out), ge::FAILED);
  CHECK(ErrorSays("no_such_mode"));
  CHECK_EQ(engine.session->AddGraph(2, AddGraph({2}), Names{{"ge.oo.level", "O0"}}), ge::SUCCESS);
  CHECK_EQ(engine.session->RunGraph(2, {x, x}, out), ge::SUCCESS);
}

TEST(session_threads) {
  Engine engine;
  CHECK_EQ(engine.session->AddGraph(0, AddGraph({-1})), ge::SUCCESS);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++) {
    threads.emplace_back([&engine, &wrong, t] {
      for (int64_t n = 1; n < 20; n++) {
        const std::vector<float> values(static_cast<size_t>(n), static_cast<float>(t));
        const ge::Tensor x = Values<float>({n}, values);
        std::vector<ge::Tensor> out;
        const bool ran = engine.session->RunGraph(0, {x, x}, out) == ge::SUCCESS;
        wrong += !ran || Read<float>(out[0]).back() != static_cast<float>(2 * t);
      }
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  CHECK_EQ(wrong.load(), 0);
}
// SPDX-License-Identifier: Apache-2.0
