// graph_api_test.cpp - nodes and edges of graphs, sub-graphs, files, models of ONNX, offline builds, and
// operators of this very program.
#include <algorithm>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <sstream>

#include <unistd.h>

#include "array_ops.h"
#include "check.h"
#include "ge_api.h"
#include "ge_api_types.h"
#include "ge_api_v2.h"
#include "ge_ir_build.h"
#include "gnode.h"
#include "graph.h"
#include "graph/custom_op.h"
#include "graph/operator_reg.h"
#include "parser/onnx_parser.h"
#include "register/op_impl_registry.h"

using namespace ge;

// ---- operators of the program ----
namespace ge {
REG_OP(TwiceCustom)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(TwiceCustom) REG_OP(AboveCustom)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .ATTR(limit, Float, 0.0f)
    .OP_END_FACTORY_REG(AboveCustom)
    // A prototype alone: the operator is weft's.
    REG_OP(Neg)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(Neg)
}  // namespace ge

static gert::StorageShape ShapeOf(const gert::Tensor &tensor) {
  gert::StorageShape shape;
  shape.MutableOriginShape() = tensor.GetOriginShape();
  shape.MutableStorageShape() = tensor.GetStorageShape();
  return shape;
}
class TwiceCustom : public EagerExecuteOp {
 public:
  graphStatus Execute(gert::EagerOpExecutionContext *context) override {
    const gert::Tensor *x = context->GetInputTensor(0);
    const gert::StorageShape shape = ShapeOf(*x);
    gert::Tensor *y = context->MallocOutputTensor(0, shape, x->GetFormat(), DT_FLOAT);
    // A whole tile, as kernels of samples write one however few numbers there are.
    constexpr int64_t kTile = 1024;
    for (int64_t i = 0; i < std::max(x->GetShapeSize(), kTile); i++)
      y->GetData<float>()[i] = i < x->GetShapeSize() ? 2 * x->GetData<float>()[i] : -1.0f;
    return GRAPH_SUCCESS;
  }
};
REG_AUTO_MAPPING_OP(TwiceCustom);
static graphStatus SameShape(gert::InferShapeContext *context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return GRAPH_SUCCESS;
}
IMPL_OP_INFERSHAPE(TwiceCustom).InferShape(SameShape).InferOutDataTypeSameWithFirstInput();

// Keeps what is above a limit: the shape depends on the data.
class AboveCustom : public EagerExecuteOp, public ShapeInferOp {
 public:
  graphStatus Execute(gert::EagerOpExecutionContext *context) override {
    const gert::Tensor *x = context->GetInputTensor(0);
    const gert::StorageShape shape = ShapeOf(*x);
    const float limit = *context->GetAttrs()->GetFloat(0);
    gert::Tensor *y = context->MallocOutputTensor(0, shape, x->GetFormat(), DT_FLOAT);
    int64_t n = 0;
    for (int64_t i = 0; i < x->GetShapeSize(); i++) {
      if (x->GetData<float>()[i] > limit)
        y->GetData<float>()[n++] = x->GetData<float>()[i];
    }
    y->MutableOriginShape().SetDim(0, n);
    y->MutableStorageShape().SetDim(0, n);
    y->MutableTensorData().SetSize(static_cast<size_t>(n) * sizeof(float));
    return GRAPH_SUCCESS;
  }
  graphStatus InferShape(gert::InferShapeContext *context) override {
    context->GetOutputShape(0)->SetDimNum(0);
    context->GetOutputShape(0)->AppendDim(-1);
    return GRAPH_SUCCESS;
  }
  graphStatus InferDataType(gert::InferDataTypeContext *context) override {
    return context->SetOutputDataType(0, DT_FLOAT);
  }
};
REG_AUTO_MAPPING_OP(AboveCustom);

namespace {
using Names = std::map<AscendString, AscendString>;
struct Engine {
  Engine() {
    CHECK_EQ(GEInitialize(Names()), SUCCESS);
    session = std::make_unique<Session>(Names());
  }
  ~Engine() {
    session.reset();
    CHECK_EQ(GEFinalize(), SUCCESS);
  }
  // Runs a graph once.
  std::vector<float> Run(const Graph &graph, const std::vector<Tensor> &inputs) {
    std::vector<Tensor> out;
    const uint32_t id = ++last;
    Status status = session->AddGraph(id, graph);
    if (status == SUCCESS)
      status = session->RunGraph(id, inputs, out);
    CHECK_EQ(status, SUCCESS);
    if (status) {
      printf("%s\n", GEGetErrorMsg().c_str());
      return {-1};
    }
    std::vector<float> values(out[0].GetSize() / sizeof(float));
    memcpy(values.data(), out[0].GetData(), out[0].GetSize());
    return values;
  }
  std::unique_ptr<Session> session;
  uint32_t last = 0;
};
TensorDesc Desc(const std::vector<int64_t> &dims, DataType type = DT_FLOAT) {
  return TensorDesc(Shape(dims), FORMAT_ND, type);
}
Tensor Values(const std::vector<float> &values) {
  return Tensor(Desc({static_cast<int64_t>(values.size())}), reinterpret_cast<const uint8_t *>(values.data()),
                values.size() * sizeof(float));
}
Tensor Number(float value) {
  return Tensor(Desc({}), reinterpret_cast<const uint8_t *>(&value), sizeof value);
}
op::Data Input(const char *name, int64_t index, const TensorDesc &desc) {
  auto data = op::Data(name).set_attr_index(index);
  data.update_input_desc_x(desc);
  data.update_output_desc_y(desc);
  return data;
}
bool ErrorSays(const char *text) {
  const std::string said = GEGetErrorMsg();
  if (said.find(text) != std::string::npos)
    return true;
  printf("the error was: %s\n", said.c_str());
  return false;
}
std::string NameOf(const GNode &node) {
  AscendString name;
  (void)node.GetName(name);
  return name.GetString();
}
// relu(x + c)
Graph SumGraph() {
  auto x = Input("x", 0, Desc({-1}));
  auto c = op::Const("c").set_attr_value(Number(1));
  auto add = op::Add("add").set_input_x1(x).set_input_x2(c);
  auto relu = op::Relu("relu").set_input_x(add);
  Graph graph("sum");
  graph.SetInputs({x}).SetOutputs(std::vector<Operator>{relu});
  return graph;
}
}  // namespace

TEST(graph_of_the_programs_operators) {
  Engine engine;
  auto x = Input("x", 0, Desc({-1}));
  auto twice = op::TwiceCustom("twice").set_input_x(x);
  auto above = op::AboveCustom("above").set_input_x(twice).set_attr_limit(3.0f);
  auto neg = op::Neg("neg").set_input_x(above);
  Graph graph("custom");
  graph.SetInputs({x}).SetOutputs(std::vector<Operator>{neg});
  CHECK(engine.Run(graph, {Values({1, 2, 3})}) == std::vector<float>({-4, -6}));
}

// An operator library that ASCEND_CUSTOM_OPP_PATH names; what it logs reaches the caller.
TEST(graph_of_a_package) {
  CHECK_EQ(setenv("ASCEND_CUSTOM_OPP_PATH", WEFT_PACKAGE, 1), 0);
  {
    Engine engine;
    Graph graph("package");
    CHECK_EQ(aclgrphGenerateForOp("ScaledAdd", {Desc({-1}), Desc({-1})}, {}, graph), GRAPH_SUCCESS);
    CHECK(engine.Run(graph, {Values({1, 2}), Values({3, 4})}) == std::vector<float>({8, 12}));
    Graph wrong("wrong");
    const TensorDesc deep = Desc({1, 1, 1, 2});
    CHECK_EQ(aclgrphGenerateForOp("ScaledAdd", {deep, Desc({2})}, {}, wrong), GRAPH_SUCCESS);
    CHECK_EQ(engine.session->AddGraph(50, wrong), SUCCESS);
    CHECK_EQ(engine.session->CompileGraph(50), FAILED);
    CHECK(ErrorSays("rank 4 is above 3 (scaled_add.cpp:"));
  }
  CHECK_EQ(unsetenv("ASCEND_CUSTOM_OPP_PATH"), 0);
}

TEST(graph_nodes_and_edges) {
  Graph graph = SumGraph();
  CHECK_EQ(graph.GetDirectNode().size(), 4u);
  GNodePtr add = graph.FindNodeByName("add");
  GNodePtr relu = graph.FindNodeByName("relu");
  CHECK(add && relu && !graph.FindNodeByName("none"));
  CHECK_EQ(NameOf(*add->GetInDataNodesAndPortIndexs(1).first), "c");
  CHECK_EQ(NameOf(*add->GetOutDataNodesAndPortIndexs(0)[0].first), "relu");
  CHECK_EQ(add->GetOutDataNodesAndPortIndexs(0)[0].second, 0);
  Tensor value;
  CHECK_EQ(add->GetInputConstData(1, value), GRAPH_SUCCESS);
  CHECK_EQ(value.GetSize(), 4u);
  CHECK_EQ(add->GetInputConstData(0, value), GRAPH_FAILED);
  int32_t index = -1;
  CHECK_EQ(add->GetInputIndexByName("x2", index), GRAPH_SUCCESS);
  CHECK_EQ(index, 1);
  CHECK_EQ(relu->GetInputsSize() + relu->GetOutputsSize(), 2u);
  int64_t number = 5;
  CHECK_EQ(add->SetAttr("_own", number), GRAPH_SUCCESS);
  number = 0;
  CHECK_EQ(add->GetAttr("_own", number), GRAPH_SUCCESS);
  CHECK_EQ(number, 5);
  CHECK(add->HasAttr("_own") && !relu->HasAttr("_own"));
  Operator found;
  CHECK_EQ(graph.FindOpByName("relu", found), GRAPH_SUCCESS);
  std::vector<Operator> constants;
  CHECK_EQ(graph.FindOpByType("Const", constants), GRAPH_SUCCESS);
  CHECK_EQ(constants.size(), 1u);

  // relu(x + c) becomes abs(relu(x + c))
  GNode abs = graph.AddNodeByOp(op::Abs("abs"));
  CHECK_EQ(graph.AddDataEdge(*relu, 0, abs, 0), GRAPH_SUCCESS);
  CHECK_EQ(graph.AddDataEdge(*relu, 0, abs, 0), GRAPH_FAILED);
  CHECK_EQ(graph.AddControlEdge(*add, abs), GRAPH_SUCCESS);
  CHECK_EQ(NameOf(*abs.GetInControlNodes()[0]), "add");
  CHECK_EQ(NameOf(*add->GetOutControlNodes()[0]), "abs");
  CHECK_EQ(graph.SetOutputs(std::vector<std::pair<GNode, int32_t>>{{abs, 0}}), GRAPH_SUCCESS);
  {
    Engine engine;
    CHECK(engine.Run(graph, {Values({-3, 1})}) == std::vector<float>({0, 2}));
  }
  // ... and then abs(x + c)
  CHECK_EQ(graph.RemoveEdge(*relu, 0, abs, 0), GRAPH_SUCCESS);
  CHECK_EQ(graph.RemoveNode(*relu), GRAPH_SUCCESS);
  CHECK_EQ(graph.AddDataEdge(*add, 0, abs, 0), GRAPH_SUCCESS);
  CHECK_EQ(graph.GetDirectNode().size(), 4u);
  Engine engine;
  CHECK(engine.Run(graph, {Values({-3, 1})}) == std::vector<float>({2, 2}));
}

TEST(graph_copies) {
  Graph graph = SumGraph();
  Graph copy;
  CHECK_EQ(copy.CopyFrom(graph), GRAPH_SUCCESS);
  GNodePtr constant = graph.FindNodeByName("c");
  CHECK_EQ(constant->SetAttr("value", Number(10)), GRAPH_SUCCESS);
  Engine engine;
  CHECK(engine.Run(copy, {Values({1})}) == std::vector<float>({2}));
  CHECK(engine.Run(graph, {Values({1})}) == std::vector<float>({11}));
  CHECK_EQ(engine.session->AddGraphWithCopy(100, graph), SUCCESS);
  CHECK_EQ(constant->SetAttr("value", Number(20)), GRAPH_SUCCESS);
  std::vector<Tensor> out;
  CHECK_EQ(engine.session->RunGraph(100, {Values({1})}, out), SUCCESS);
  CHECK_EQ(*reinterpret_cast<const float *>(out[0].GetData()), 11.0f);
}

TEST(graph_files) {
  const Graph graph = SumGraph();
  const char *path = "graph_api_test.air";
  CHECK_EQ(graph.SaveToFile(path), GRAPH_SUCCESS);
  Graph loaded("loaded");
  CHECK_EQ(loaded.LoadFromFile(path), GRAPH_SUCCESS);
  CHECK_EQ(loaded.GetDirectNode().size(), 4u);
  GraphBuffer buffer;
  CHECK_EQ(loaded.SaveToMem(buffer), GRAPH_SUCCESS);
  Graph again;
  CHECK_EQ(again.LoadFromMem(buffer), GRAPH_SUCCESS);
  {
    Engine engine;
    CHECK(engine.Run(loaded, {Values({-4, 1})}) == std::vector<float>({0, 2}));
    CHECK(engine.Run(again, {Values({-4, 1})}) == std::vector<float>({0, 2}));
  }
  remove(path);
  CHECK_EQ(again.LoadFromFile("no/such/file"), GRAPH_FAILED);
  CHECK(ErrorSays("no/such/file"));
  const uint8_t junk[16] = {1, 2, 3};
  CHECK_EQ(again.LoadFromMem(junk, sizeof junk), GRAPH_FAILED);
  std::ostringstream text;
  CHECK_EQ(graph.Dump(Graph::DumpFormat::kReadable, text), GRAPH_SUCCESS);
  CHECK(text.str().find("Relu") != std::string::npos);
  CHECK_EQ(aclgrphDumpGraph(graph, "graph_api_test", 14), GRAPH_SUCCESS);
  std::ifstream dumped("graph_api_test.txt");
  CHECK(dumped.good());
  remove("graph_api_test.txt");
}

namespace {
// x + n
Graph Plus(const char *name, float n) {
  auto x = op::Data(std::string(name) + "_x").set_attr_index(0);
  auto c = op::Const(std::string(name) + "_c").set_attr_value(Number(n));
  auto add = op::Add(std::string(name) + "_add").set_input_x1(x).set_input_x2(c);
  Graph graph(name);
  graph.SetInputs({x}).SetOutputs(std::vector<Operator>{add});
  return graph;
}
// x < n
Graph Below(const char *name, float n) {
  auto x = op::Data("x").set_attr_index(0);
  auto c = op::Const("c").set_attr_value(Number(n));
  auto less = op::Less("less").set_input_x1(x).set_input_x2(c);
  Graph graph(name);
  graph.SetInputs({x}).SetOutputs(std::vector<Operator>{less});
  return graph;
}
}  // namespace

TEST(graph_if_while_case) {
  Engine engine;
  auto x = Input("x", 0, Desc({}));
  auto cond = Input("cond", 1, Desc({}, DT_BOOL));
  auto choose = op::If("if").set_input_cond(cond);
  choose.create_dynamic_input_input(1).set_dynamic_input_input(0, x).create_dynamic_output_output(1);
  choose.set_subgraph_builder_then_branch([] { return Plus("then", 1); });
  choose.set_subgraph_builder_else_branch([] { return Plus("else", 2); });
  Graph branches("branches");
  branches.SetInputs({x, cond}).SetOutputs(std::vector<Operator>{choose});
  CHECK_EQ(branches.GetAllSubgraphs().size(), 2u);
  CHECK_EQ(branches.GetSubGraph("then")->GetParentGraph()->GetName(), "branches");
  CHECK_EQ(branches.GetAllNodes().size(), 9u);
  for (const bool yes : {true, false}) {
    const Tensor flag(Desc({}, DT_BOOL), reinterpret_cast<const uint8_t *>(&yes), 1);
    CHECK_EQ(engine.Run(branches, {Number(5), flag})[0], yes ? 6.0f : 7.0f);
  }

  auto start = Input("start", 0, Desc({}));
  auto loop = op::While("while");
  loop.create_dynamic_input_input(1).set_dynamic_input_input(0, start).create_dynamic_output_output(1);
  loop.set_subgraph_builder_cond([] { return Below("below", 10); });
  loop.set_subgraph_builder_body([] { return Plus("plus", 3); });
  Graph turns("turns");
  turns.SetInputs({start}).SetOutputs(std::vector<Operator>{loop});
  CHECK_EQ(engine.Run(turns, {Number(1)})[0], 10.0f);
  CHECK_EQ(engine.Run(turns, {Number(2)})[0], 11.0f);
  CHECK_EQ(engine.Run(turns, {Number(20)})[0], 20.0f);

  auto index = Input("index", 1, Desc({}, DT_INT32));
  auto cases = op::Case("case").set_input_branch_index(index);
  cases.create_dynamic_input_input(1).set_dynamic_input_input(0, x).create_dynamic_output_output(1);
  for (uint32_t i = 0; i < 3; i++)
    cases.set_dynamic_subgraph_builder_branches(i, [i] { return Plus("case", 10.0f * (i + 1)); });
  Graph switched("switched");
  switched.SetInputs({x, index}).SetOutputs(std::vector<Operator>{cases});
  for (int32_t i : {0, 1, 2, 7}) {
    const Tensor number(Desc({}, DT_INT32), reinterpret_cast<const uint8_t *>(&i), 4);
    CHECK_EQ(engine.Run(switched, {Number(1), number})[0], i > 1 ? 31.0f : 10.0f * (i + 1) + 1);
  }
}

TEST(session_async) {
  Engine engine;
  CHECK_EQ(engine.session->AddGraph(0, SumGraph()), SUCCESS);
  std::mutex lock;
  std::condition_variable changed;
  int done = 0;
  float sum = 0;
  for (int i = 0; i < 8; i++) {
    const auto callback = [&](Status status, std::vector<Tensor> &out) {
      std::lock_guard<std::mutex> held(lock);
      CHECK_EQ(status, SUCCESS);
      sum += *reinterpret_cast<const float *>(out[0].GetData());
      done++;
      changed.notify_all();
    };
    CHECK_EQ(engine.session->RunGraphAsync(0, {Values({static_cast<float>(i)})}, callback), SUCCESS);
  }
  {
    std::unique_lock<std::mutex> held(lock);
    changed.wait(held, [&done] { return done == 8; });
  }
  CHECK_EQ(sum, 36.0f);
  CHECK_EQ(engine.session->RunGraphAsync(9, {}, nullptr), FAILED);
  Status failed = SUCCESS;
  // two inputs for one: the run says so
  const auto late = [&](Status status, std::vector<Tensor> &) { failed = status; };
  const Status begun = engine.session->RunGraphAsync(0, {Number(1), Number(2)}, late);
  engine.session.reset();  // waits
  CHECK(begun == FAILED || failed == FAILED);
}

// Two graphs of a session count one Variable up; a second session begins anew.
TEST(session_variables_live_between_runs) {
  for (int turn = 0; turn < 2; turn++) {
    Engine engine;
    Session &session = *engine.session;
    for (uint32_t id = 0; id < 2; id++) {
      auto step = op::Const("step").set_attr_value(Values({static_cast<float>(id + 1)}));
      auto count = op::Variable("count").set_attr_value(Values({10}));
      auto add = op::AssignAdd("add").set_input_ref(count).set_input_value(step);
      Graph graph(id ? "twos" : "ones");
      graph.SetInputs({}).SetOutputs(std::vector<Operator>{add});
      CHECK_EQ(session.AddGraph(id, graph), SUCCESS);
    }
    std::vector<Tensor> out;
    std::vector<Tensor> held;
    const float want[] = {11, 12, 14, 15};
    const uint32_t ids[] = {0, 0, 1, 0};
    CHECK_EQ(session.GetVariables(std::vector<std::string>{"count"}, held), SUCCESS);
    CHECK_EQ(*reinterpret_cast<const float *>(held[0].GetData()), 10.0f);
    for (int i = 0; i < 4; i++) {
      CHECK_EQ(session.RunGraph(ids[i], {}, out), SUCCESS);
      CHECK_EQ(*reinterpret_cast<const float *>(out[0].GetData()), want[i]);
      CHECK_EQ(session.GetVariables(std::vector<std::string>{"count"}, held), SUCCESS);
      CHECK_EQ(*reinterpret_cast<const float *>(held[0].GetData()), want[i]);
    }
    CHECK_EQ(session.RemoveGraph(0), SUCCESS);
    CHECK_EQ(session.RunGraph(1, {}, out), SUCCESS);
    CHECK_EQ(*reinterpret_cast<const float *>(out[0].GetData()), 17.0f);
  }
}

// Without a value it begins with zeros; a file keeps the value that it begins with.
TEST(session_variables_begin_as_they_say) {
  Engine engine;
  Session &session = *engine.session;
  auto step = op::Const("step").set_attr_value(Values({1, 2}));
  auto zero = op::Variable("zero");
  (void)zero.update_output_desc_y(Desc({2}));
  auto five = op::Variable("five").set_attr_value(Values({5, 5}));
  auto a = op::AssignAdd("a").set_input_ref(zero).set_input_value(step);
  auto b = op::AssignSub("b").set_input_var(five).set_input_value(step);
  Graph graph("begin");
  graph.SetInputs({}).SetOutputs(std::vector<Operator>{a, b});
  const std::string path = "/tmp/weft_variables_" + std::to_string(getpid()) + ".air";
  CHECK_EQ(graph.SaveToFile(path.c_str()), GRAPH_SUCCESS);
  Graph again("again");
  CHECK_EQ(again.LoadFromFile(path.c_str()), GRAPH_SUCCESS);
  (void)remove(path.c_str());
  std::vector<Tensor> out;
  for (uint32_t id = 0; id < 2; id++) {
    CHECK_EQ(session.AddGraph(id, id ? again : graph), SUCCESS);
    CHECK_EQ(session.RunGraph(id, {}, out), SUCCESS);
    CHECK_EQ(out.size(), 2u);
    const float turns = static_cast<float>(id + 1);
    CHECK_EQ(reinterpret_cast<const float *>(out[0].GetData())[1], 2 * turns);
    CHECK_EQ(reinterpret_cast<const float *>(out[1].GetData())[1], 5 - 2 * turns);
  }
  // without shape or value
  auto open = op::Variable("open");
  auto c = op::AssignAdd("c").set_input_ref(open).set_input_value(step);
  Graph bad("bad");
  bad.SetInputs({}).SetOutputs(std::vector<Operator>{c});
  CHECK_EQ(session.AddGraph(2, bad), FAILED);
  CHECK(ErrorSays("set_attr_value"));
}

TEST(session_compiles) {
  Engine engine;
  Session &session = *engine.session;
  auto x = Input("x", 0, Desc({4}));
  auto state = op::Variable("state").set_attr_value(Values({1, 2, 3, 4}));
  auto mul = op::Mul("mul").set_input_x1(x).set_input_x2(state);
  Graph graph("static");
  graph.SetInputs({x}).SetOutputs(std::vector<Operator>{mul});
  CHECK_EQ(session.AddGraph(0, graph), SUCCESS);
  CHECK(!session.GetCompiledGraphSummary(0));
  CHECK_EQ(session.CompileGraph(0), SUCCESS);
  CHECK_EQ(session.LoadGraph(0, {}, nullptr), SUCCESS);
  const CompiledGraphSummaryPtr summary = session.GetCompiledGraphSummary(0);
  size_t size = 0;
  CHECK(summary && summary->IsStatic());
  CHECK_EQ(summary->GetFeatureMemorySize(size), SUCCESS);
  CHECK_EQ(summary->GetConstMemorySize(size), SUCCESS);
  std::vector<Shape> shapes;
  CHECK_EQ(summary->GetOutputShapes(shapes), SUCCESS);
  CHECK(shapes[0].GetDims() == std::vector<int64_t>({4}));
  std::vector<Tensor> held;
  CHECK_EQ(session.GetVariables(std::vector<std::string>{"state"}, held), SUCCESS);
  CHECK_EQ(held[0].GetSize(), 16u);
  CHECK_EQ(session.GetVariables(std::vector<std::string>{"none"}, held), FAILED);
  AscendString json;
  CHECK_EQ(session.GraphDebugJSONPrint(0, 0, json), SUCCESS);
  CHECK(!session.IsGraphNeedRebuild(0));
  // outputs of the caller's
  float room[4] = {};
  std::vector<Tensor> out(1);
  CHECK_EQ(out[0].ResetData(reinterpret_cast<uint8_t *>(room), sizeof room, [](uint8_t *) {}), GRAPH_SUCCESS);
  CHECK_EQ(session.RunGraphWithStreamAsync(0, nullptr, {Values({1, 1, 1, 1})}, out), SUCCESS);
  CHECK_EQ(room[3], 4.0f);

  CHECK_EQ(session.AddGraph(1, SumGraph()), SUCCESS);
  CHECK_EQ(session.BuildGraph(1, std::vector<InputTensorInfo>(1)), SUCCESS);
  CHECK(!session.GetCompiledGraphSummary(1)->IsStatic());
  CHECK_EQ(session.GetCompiledGraphSummary(1)->GetFeatureMemorySize(size), FAILED);
  CHECK_EQ(session.AddGraph(2, SumGraph(), Names{{"ge.inputShape", "x:3"}}), SUCCESS);
  CHECK_EQ(session.CompileGraph(2), SUCCESS);
  CHECK(session.GetCompiledGraphSummary(2)->IsStatic());
  CHECK_EQ(session.AddGraph(3, SumGraph(), Names{{"ge.inputShape", "y:3"}}), SUCCESS);
  CHECK_EQ(session.CompileGraph(3), FAILED);
  CHECK(ErrorSays("no such input"));
  CHECK_EQ(session.SetGraphConstMemoryBase(0, nullptr, 0), SUCCESS);
  CHECK(GEGetWarningMsg().find("no effect") != std::string::npos);
}

TEST(session_of_runtime_tensors) {
  CHECK_EQ(GEInitializeV2(Names()), SUCCESS);
  {
    GeSession session{Names()};
    CHECK_EQ(session.AddGraphClone(0, SumGraph()), SUCCESS);
    float values[2] = {-3, 4};
    gert::StorageShape shape;
    shape.MutableOriginShape() = gert::Shape({2});
    shape.MutableStorageShape() = gert::Shape({2});
    std::vector<gert::Tensor> in;
    in.emplace_back(shape, gert::StorageFormat(FORMAT_ND, FORMAT_ND, gert::ExpandDimsType()), gert::kOnHost,
                    DT_FLOAT, values);
    in[0].SetSize(sizeof values);
    std::vector<gert::Tensor> out;
    CHECK_EQ(session.RunGraph(0, in, out), SUCCESS);
    CHECK(out[0].GetOriginShape() == gert::Shape({2}));
    CHECK_EQ(out[0].GetData<float>()[1], 5.0f);
    // Into memory that the caller gave.
    float given[2] = {};
    std::vector<gert::Tensor> into;
    into.emplace_back(shape, in[0].GetFormat(), gert::kOnDeviceHbm, DT_FLOAT, given);
    CHECK_EQ(session.RunGraphWithStreamAsync(0, nullptr, in, into), SUCCESS);
    CHECK_EQ(given[1], 5.0f);
    CHECK(into[0].GetAddr() == given);
    into[0].SetSize(4);
    CHECK_EQ(session.RunGraphWithStreamAsync(0, nullptr, in, into), FAILED);
    CHECK(ErrorSays("output 0 has 8 bytes, and there is room for 4"));
    std::mutex lock;
    std::condition_variable changed;
    float got = 0;
    const auto callback = [&](Status, std::vector<gert::Tensor> &made) {
      std::lock_guard<std::mutex> held(lock);
      got = made.empty() ? -1 : made[0].GetData<float>()[1];
      changed.notify_all();
    };
    CHECK_EQ(session.RunGraphAsync(0, in, callback), SUCCESS);
    std::unique_lock<std::mutex> held(lock);
    changed.wait(held, [&got] { return got != 0; });
    CHECK_EQ(got, 5.0f);
    ModelBufferData model;
    CHECK_EQ(session.GetCompiledModel(0, model), SUCCESS);
    CHECK(model.length > 0);
  }
  CHECK_EQ(GEFinalizeV2(), SUCCESS);
}

TEST(onnx_models) {
  const std::string model = std::string(WEFT_SOURCE) + "/fuzz/corpus/onnx/conv_bn_relu_pool.onnx";
  Graph graph;
  CHECK_EQ(aclgrphParseONNX(model.c_str(), {{"output", "net"}}, graph), GRAPH_SUCCESS);
  CHECK_EQ(graph.GetName(), "net");
  CHECK(graph.GetDirectNode().size() > 4);
  std::ifstream file(model, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  Graph same;
  CHECK_EQ(aclgrphParseONNXFromMem(bytes.data(), bytes.size(), {}, same), GRAPH_SUCCESS);
  TensorDesc desc;
  CHECK_EQ(graph.GetDirectNode()[0].GetOutputDesc(0, desc), GRAPH_SUCCESS);
  const Tensor zeros(
      desc, std::vector<uint8_t>(static_cast<size_t>(desc.GetShape().GetShapeSize()) * sizeof(float)));
  {
    Engine engine;
    const std::vector<float> first = engine.Run(graph, {zeros});
    CHECK(!first.empty() && first == engine.Run(same, {zeros}));
  }
  CHECK_EQ(aclgrphParseONNX("none.onnx", {}, graph), GRAPH_FAILED);
  CHECK(ErrorSays("none.onnx"));
  CHECK_EQ(aclgrphParseTensorFlow("model.pb", graph), GRAPH_FAILED);
  CHECK(ErrorSays("TensorFlow"));
}

TEST(offline_builds) {
  ModelBufferData model;
  CHECK_EQ(aclgrphBuildModel(SumGraph(), Names(), model), GRAPH_FAILED);
  CHECK(ErrorSays("aclgrphBuildInitialize"));
  Names options = {{"ge.socVersion", "ascend910b"}};
  CHECK_EQ(aclgrphBuildInitialize(options), GRAPH_SUCCESS);
  CHECK_EQ(aclgrphBuildModel(SumGraph(), Names{{"no_such", "1"}}, model), GRAPH_FAILED);
  CHECK_EQ(aclgrphBuildModel(SumGraph(), Names{{ir_option::INPUT_SHAPE, "x:2"}}, model), GRAPH_SUCCESS);
  CHECK(model.length > 0);
  CHECK_EQ(aclgrphSaveModel("graph_api_test", model), GRAPH_SUCCESS);
  aclgrphBuildFinalize();
  weft_env *env = nullptr;
  weft_program *program = nullptr;
  CHECK_EQ(weft_env_create(nullptr, &env, nullptr), WEFT_OK);
  CHECK_EQ(weft_program_load(env, "graph_api_test.om", &program, nullptr), WEFT_OK);
  weft_tensor_desc desc;
  CHECK(weft_program_input(program, 0, &desc) && desc.layout.origin.dim[0] == 2);
  weft_program_release(program);
  weft_env_destroy(env);
  remove("graph_api_test.om");
}

TEST(bundles_of_graphs) {
  ModelBufferData model;
  Names none;
  GraphWithOptions two{SumGraph(), {{ir_option::INPUT_SHAPE, "x:2"}}};
  GraphWithOptions three{SumGraph(), {{ir_option::INPUT_SHAPE, "x:3"}}};
  CHECK_EQ(aclgrphBuildInitialize(none), GRAPH_SUCCESS);
  CHECK_EQ(aclgrphBundleBuildModel({}, model), GRAPH_FAILED);
  CHECK(ErrorSays("0 graphs"));
  CHECK_EQ(aclgrphBundleSaveModel("graph_api_test", model), GRAPH_FAILED);
  CHECK(ErrorSays("aclgrphBundleBuildModel"));
  CHECK_EQ(aclgrphBundleBuildModel({two, three}, model), GRAPH_SUCCESS);
  CHECK_EQ(aclgrphBundleSaveModel("graph_api_test", model), GRAPH_SUCCESS);
  aclgrphBuildFinalize();
  const unsigned char *bytes = model.data.get();
  CHECK(weft_bundle_is(bytes, model.length) && weft_bundle_get(bytes + 16) == 2);
  const unsigned char *entry = bytes + WEFT_BUNDLE_HEAD_BYTES + WEFT_BUNDLE_ENTRY_BYTES;
  CHECK_EQ(weft_bundle_get(entry) + weft_bundle_get(entry + 8), model.length);
  weft_env *env = nullptr;
  weft_program *program = nullptr;
  CHECK_EQ(weft_env_create(nullptr, &env, nullptr), WEFT_OK);
  CHECK_EQ(weft_program_load_memory(env, bytes + weft_bundle_get(entry), weft_bundle_get(entry + 8), &program,
                                    nullptr),
           WEFT_OK);
  weft_tensor_desc desc;
  CHECK(weft_program_input(program, 0, &desc) && desc.layout.origin.dim[0] == 3);
  weft_program_release(program);
  weft_env_destroy(env);
  remove("graph_api_test.om");
}

TEST(graph_inference) {
  Graph graph = SumGraph();
  CHECK_EQ(aclgrphInferShapeAndType(graph), GRAPH_SUCCESS);
  TensorDesc desc;
  CHECK_EQ(graph.FindNodeByName("relu")->GetOutputDesc(0, desc), GRAPH_SUCCESS);
  CHECK(desc.GetShape().GetDims() == std::vector<int64_t>({-1}));
  CHECK_EQ(GeUtils::InferShape(graph, {Shape({7})}), SUCCESS);
  CHECK_EQ(graph.FindNodeByName("relu")->GetInputDesc(0, desc), GRAPH_SUCCESS);
  CHECK(desc.GetShape().GetDims() == std::vector<int64_t>({7}));
  Graph single("single");
  CHECK_EQ(aclgrphGenerateForOp("Add", {Desc({2}), Desc({2})}, {Desc({2})}, single), GRAPH_SUCCESS);
  Engine engine;
  CHECK(engine.Run(single, {Values({1, 2}), Values({3, 4})}) == std::vector<float>({4, 6}));
}
// SPDX-License-Identifier: Apache-2.0
