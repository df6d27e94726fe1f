// weft_cann/session.h - ge::Session, GEInitialize and their kin: graphs by number, run from any thread. A
// session is a number; what stands behind it is weft's session (weft/session.h) in libweft_cann.
#pragma once
#include "weft_cann/summary.h"
#include "weft_cann/tensor.h"

namespace ge {
// Fits both kinds of option maps.
namespace weft_own {
class Options {
 public:
  template <typename Text>
  explicit Options(const std::map<Text, Text> &options) {
    for (const auto &option : options)
      texts_.emplace_back(NameOf(option.first), NameOf(option.second));
    for (const auto &option : texts_)
      list_.push_back({option.first.c_str(), option.second.c_str()});
  }
  Options() = default;
  weft_ge_options Get() const { return {list_.data(), list_.size()}; }

 private:
  std::vector<std::pair<std::string, std::string>> texts_;
  std::vector<weft_ge_option> list_;
};

// Tensors for a run: weft's point at the data of ge's, which stay as long.
class RunInputs {
 public:
  weft_status Set(const std::vector<Tensor> &given, weft_diag *d) {
    held_ = given;
    list_.resize(given.size());
    for (size_t i = 0; i < given.size(); i++) {
      weft_tensor_init(&list_[i], nullptr);
      const weft_status status = Borrow(given[i], &list_[i], d);
      if (status) {
        weft_note(d, "of input %zu", i);
        return status;
      }
      pointers_.push_back(&list_[i]);
    }
    return WEFT_OK;
  }
  // CANN's runtime tensors, whose memory stays theirs.
  weft_status Set(const std::vector<gert::Tensor> &given, weft_diag *d) {
    list_.resize(given.size());
    for (size_t i = 0; i < given.size(); i++) {
      const gert::Tensor &from = given[i];
      weft_tensor_init(&list_[i], nullptr);
      std::vector<int64_t> dims;
      for (size_t k = 0; k < from.GetOriginShape().GetDimNum(); k++)
        dims.push_back(from.GetOriginShape().GetDim(k));
      const weft_status status =
          weft_tensor_borrow(&list_[i], static_cast<weft_dtype>(from.GetDataType()), dims.data(), dims.size(),
                             const_cast<void *>(from.GetAddr()), from.GetSize(), d);
      if (status) {
        weft_note(d, "of input %zu", i);
        return status;
      }
      pointers_.push_back(&list_[i]);
    }
    return WEFT_OK;
  }
  const weft_tensor *const *Get() const { return pointers_.data(); }
  size_t Count() const { return pointers_.size(); }

 private:
  std::vector<Tensor> held_;
  std::vector<weft_tensor> list_;
  std::vector<const weft_tensor *> pointers_;
};

inline TensorDesc DescOf(const weft_tensor &tensor) {
  const weft_shape &shape = tensor.layout.origin;
  TensorDesc desc(Shape(std::vector<int64_t>(shape.dim, shape.dim + shape.rank)),
                  static_cast<Format>(tensor.format), static_cast<DataType>(tensor.dtype));
  desc.SetOriginShape(desc.GetShape());
  desc.SetOriginFormat(static_cast<Format>(tensor.origin_format));
  desc.SetRealDimCnt(static_cast<int64_t>(shape.rank));
  desc.SetSize(static_cast<int64_t>(tensor.bytes));
  return desc;
}
// Takes the memory of weft's tensors over.
inline void TakeOutputs(weft_ge_outputs *from, std::vector<Tensor> &to) {
  to.clear();
  for (size_t i = 0; i < from->n; i++) {
    auto *held = new weft_tensor(from->list[i]);
    weft_tensor_init(&from->list[i], nullptr);
    Tensor tensor(DescOf(*held));
    (void)tensor.ResetData(static_cast<uint8_t *>(held->data), held->bytes, [held](uint8_t *) {
      weft_tensor_deinit(held);
      delete held;
    });
    to.push_back(tensor);
  }
  weft_ge_outputs_free(from);
}

// Into memory that the caller gave, where he gave some that is large enough.
inline graphStatus FillOutputs(weft_ge_outputs *from, std::vector<Tensor> &to) {
  bool given = to.size() == from->n && !to.empty();
  for (const Tensor &tensor : to)
    given = given && tensor.GetData();
  if (!given) {
    TakeOutputs(from, to);
    return GRAPH_SUCCESS;
  }
  for (size_t i = 0; i < from->n; i++) {
    const weft_tensor &made = from->list[i];
    if (to[i].GetSize() < made.bytes) {
      const size_t room = to[i].GetSize();
      const size_t bytes = made.bytes;
      weft_ge_outputs_free(from);
      return Failed(WEFT_E_SHAPE, "output %zu has %zu bytes, and there is room for %zu", i, bytes, room);
    }
    memcpy(to[i].GetData(), made.data, made.bytes);
    (void)to[i].SetTensorDesc(DescOf(made));
  }
  weft_ge_outputs_free(from);
  return GRAPH_SUCCESS;
}
// The same of runtime tensors.
inline gert::StorageShape ShapeOf(const weft_tensor &made) {
  gert::StorageShape shape;
  for (size_t k = 0; k < made.layout.origin.rank; k++)
    shape.MutableOriginShape().AppendDim(made.layout.origin.dim[k]);
  shape.MutableStorageShape() = shape.GetOriginShape();
  return shape;
}
inline void TakeOutputs(weft_ge_outputs *from, std::vector<gert::Tensor> &to) {
  to.clear();
  for (size_t i = 0; i < from->n; i++) {
    const weft_tensor &made = from->list[i];
    const gert::StorageShape shape = ShapeOf(made);
    const gert::StorageFormat format(static_cast<Format>(made.origin_format),
                                     static_cast<Format>(made.format), gert::ExpandDimsType());
    auto *memory = malloc(made.bytes + 1);
    if (memory && made.bytes)
      memcpy(memory, made.data, made.bytes);
    to.emplace_back(shape, format, static_cast<DataType>(made.dtype));
    const auto manage = [](gert::TensorAddress address, gert::TensorOperateType what,
                           void **out) -> uint32_t {
      if (what == gert::kFreeTensor)
        free(address);
      else if (what == gert::kGetTensorAddress)
        *out = address;
      return GRAPH_SUCCESS;
    };
    (void)to.back().MutableTensorData().SetAddr(memory, manage);
    to.back().SetSize(made.bytes);
    to.back().SetPlacement(gert::kOnHost);
  }
  weft_ge_outputs_free(from);
}

inline graphStatus FillOutputs(weft_ge_outputs *from, std::vector<gert::Tensor> &to) {
  bool given = to.size() == from->n && !to.empty();
  for (const gert::Tensor &tensor : to)
    given = given && tensor.GetAddr();
  if (!given) {
    TakeOutputs(from, to);
    return GRAPH_SUCCESS;
  }
  for (size_t i = 0; i < from->n; i++) {
    const weft_tensor &made = from->list[i];
    if (to[i].GetSize() < made.bytes) {
      const size_t room = to[i].GetSize();
      const size_t bytes = made.bytes;
      weft_ge_outputs_free(from);
      return Failed(WEFT_E_SHAPE, "output %zu has %zu bytes, and there is room for %zu", i, bytes, room);
    }
    memcpy(to[i].GetAddr(), made.data, made.bytes);
    to[i].MutableStorageShape() = ShapeOf(made).GetStorageShape();
    to[i].MutableOriginShape() = ShapeOf(made).GetOriginShape();
    to[i].SetDataType(static_cast<DataType>(made.dtype));
  }
  weft_ge_outputs_free(from);
  return GRAPH_SUCCESS;
}

// A run that goes on: what it reads, and whom it tells.
struct AsyncRun {
  RunInputs in;
  std::function<void(Status, std::vector<Tensor> &)> callback;
  static void Done(void *ctx, weft_status status, weft_ge_outputs *out) {
    std::unique_ptr<AsyncRun> run(static_cast<AsyncRun *>(ctx));
    std::vector<Tensor> outputs;
    if (!status)
      TakeOutputs(out, outputs);
    if (run->callback)
      run->callback(Result(status), outputs);
  }
};

// Holds a graph for a session.
inline weft_ge_source SourceOf(const Graph &graph) {
  weft_ge_source source = {};
  source.ctx = new Graph(graph);
  source.lower = [](void *ctx, weft_env *env, const weft_tensor_desc *in, size_t n_in, weft_graph **out,
                    weft_diag *d) { return Lower(*static_cast<Graph *>(ctx), env, in, n_in, out, d); };
  source.release = [](void *ctx) { delete static_cast<Graph *>(ctx); };
  return source;
}
}  // namespace weft_own

using RunAsyncCallback = std::function<void(Status, std::vector<ge::Tensor> &)>;

inline Status GEInitialize(const std::map<std::string, std::string> &options) {
  return weft_own::Result(weft_ge_initialize(WEFT_GE_SESSIONS, weft_own::Options(options).Get()));
}
inline Status GEInitialize(const std::map<AscendString, AscendString> &options) {
  return weft_own::Result(weft_ge_initialize(WEFT_GE_SESSIONS, weft_own::Options(options).Get()));
}
inline Status GEFinalize() {
  return weft_own::Result(weft_ge_finalize(WEFT_GE_SESSIONS));
}
// What failed last in this thread since it was asked for; "" for nothing.
inline std::string GEGetErrorMsg() {
  std::string text = weft_ge_error();
  weft_ge_forget_error();
  return text;
}
inline AscendString GEGetErrorMsgV2() {
  return AscendString(GEGetErrorMsg().c_str());
}
inline AscendString GEGetErrorMsgV3() {
  return GEGetErrorMsgV2();
}
// What was warned of since it was asked for, a line each.
inline std::string GEGetWarningMsg() {
  std::string text(weft_ge_take_warnings(nullptr, 0) + 1, '\0');
  text.resize(weft_ge_take_warnings(&text[0], text.size()));
  return text;
}
inline AscendString GEGetWarningMsgV2() {
  return AscendString(GEGetWarningMsg().c_str());
}
inline AscendString GEGetWarningMsgV3() {
  return GEGetWarningMsgV2();
}

class Session {
 public:
  explicit Session(const std::map<std::string, std::string> &options) : Session(weft_own::Options(options)) {}
  explicit Session(const std::map<AscendString, AscendString> &options)
      : Session(weft_own::Options(options)) {}
  ~Session() { weft_ge_session_destroy(sessionId_); }
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  // The session keeps a handle of the graph, which stays the caller's to read. What is wrong with it comes
  // out here; it is compiled by CompileGraph, BuildGraph or the first run.
  Status AddGraph(uint32_t id, const Graph &graph) { return Add(id, graph, weft_own::Options()); }
  Status AddGraph(uint32_t id, const Graph &graph, const std::map<std::string, std::string> &options) {
    return Add(id, graph, weft_own::Options(options));
  }
  Status AddGraph(uint32_t id, const Graph &graph, const std::map<AscendString, AscendString> &options) {
    return Add(id, graph, weft_own::Options(options));
  }
  // The session gets a copy: what the caller changes afterwards does not matter.
  Status AddGraphWithCopy(uint32_t id, const Graph &graph) {
    return AddGraphWithCopy(id, graph, std::map<AscendString, AscendString>());
  }
  Status AddGraphWithCopy(uint32_t id, const Graph &graph,
                          const std::map<AscendString, AscendString> &options) {
    Graph copy;
    const graphStatus status = copy.CopyFrom(graph);
    return status ? status : AddGraph(id, copy, options);
  }
  Status RemoveGraph(uint32_t id) { return weft_own::Result(weft_ge_session_remove(sessionId_, id)); }
  // Returns when it is done; the outputs are the caller's, with or without the session.
  Status RunGraph(uint32_t id, const std::vector<Tensor> &inputs, std::vector<Tensor> &outputs) {
    weft_diag d = {};
    weft_own::RunInputs in;
    if (in.Set(inputs, &d))
      return weft_own::Failed(d);
    weft_ge_outputs out;
    const weft_status status = weft_ge_session_run(sessionId_, id, in.Get(), in.Count(), &out);
    if (!status)
      weft_own::TakeOutputs(&out, outputs);
    return weft_own::Result(status);
  }
  // Returns at once; `callback` is called when the run is over, on a thread of its own, which must not
  // destroy the session. FAILED: it is not called.
  Status RunGraphAsync(uint32_t id, const std::vector<ge::Tensor> &inputs, RunAsyncCallback callback) {
    weft_diag d = {};
    auto run = std::make_unique<weft_own::AsyncRun>();
    run->callback = callback;
    if (run->in.Set(inputs, &d))
      return weft_own::Failed(d);
    const weft_status status = weft_ge_session_run_async(sessionId_, id, run->in.Get(), run->in.Count(),
                                                         &weft_own::AsyncRun::Done, run.get());
    if (!status)
      (void)run.release();
    return weft_own::Result(status);
  }
  // On the CPU all streams are in order: it returns when the run is done. Outputs that have memory are
  // written into it.
  Status RunGraphWithStreamAsync(uint32_t id, void *, const std::vector<Tensor> &inputs,
                                 std::vector<Tensor> &outputs) {
    weft_diag d = {};
    weft_own::RunInputs in;
    if (in.Set(inputs, &d))
      return weft_own::Failed(d);
    weft_ge_outputs out;
    const weft_status status = weft_ge_session_run(sessionId_, id, in.Get(), in.Count(), &out);
    return status ? weft_own::Result(status) : weft_own::FillOutputs(&out, outputs);
  }
  Status ExecuteGraphWithStreamAsync(uint32_t id, void *, const std::vector<gert::Tensor> &inputs,
                                     std::vector<gert::Tensor> &outputs) {
    weft_diag d = {};
    weft_own::RunInputs in;
    if (in.Set(inputs, &d))
      return weft_own::Failed(d);
    weft_ge_outputs out;
    const weft_status status = weft_ge_session_run(sessionId_, id, in.Get(), in.Count(), &out);
    return status ? weft_own::Result(status) : weft_own::FillOutputs(&out, outputs);
  }
  // Compiles now. What the inputs say counts for Data that say nothing of themselves.
  Status BuildGraph(uint32_t id, const std::vector<InputTensorInfo> &inputs) {
    std::vector<weft_tensor_desc> descs(inputs.size());
    for (size_t i = 0; i < inputs.size(); i++) {
      weft_diag d = {};
      const TensorDesc desc(Shape(inputs[i].dims), FORMAT_ND, static_cast<DataType>(inputs[i].data_type));
      if (weft_own::DescOf(desc, &descs[i], &d))
        return weft_own::Failed(d);
    }
    return weft_own::Result(weft_ge_session_build(sessionId_, id, descs.data(), descs.size()));
  }
  Status BuildGraph(uint32_t id, const std::vector<ge::Tensor> &inputs) {
    std::vector<InputTensorInfo> infos(inputs.size());
    for (size_t i = 0; i < inputs.size(); i++) {
      infos[i].data_type = static_cast<uint32_t>(inputs[i].GetTensorDesc().GetDataType());
      infos[i].dims = inputs[i].GetTensorDesc().GetShape().GetDims();
    }
    return BuildGraph(id, infos);
  }
  Status CompileGraph(uint32_t id) {
    return weft_own::Result(weft_ge_session_build(sessionId_, id, nullptr, 0));
  }
  Status LoadGraph(const uint32_t id, const std::map<AscendString, AscendString> &, void *) const {
    return weft_own::Result(weft_ge_session_build(sessionId_, id, nullptr, 0));
  }
  // nullptr: not compiled yet.
  CompiledGraphSummaryPtr GetCompiledGraphSummary(uint32_t id) {
    weft_program *program = weft_ge_session_program(sessionId_, id);
    if (program)
      return std::make_shared<CompiledGraphSummary>(program);
    (void)weft_own::Result(WEFT_E_STATE);
    return nullptr;
  }
  // The compiled graph as JSON.
  Status GraphDebugJSONPrint(const uint32_t id, uint32_t, AscendString &json) const {
    weft_program *program = weft_ge_session_program(sessionId_, id);
    if (!program)
      return weft_own::Result(WEFT_E_STATE);
    std::string text;
    const weft_status status =
        weft_graph_print_json(weft_program_graph(program), &weft_own::AppendText, &text);
    weft_program_release(program);
    json = AscendString(text.c_str(), text.size());
    return status ? FAILED : SUCCESS;
  }
  // A graph plans anew for shapes that it has not seen: it is never to be built again for them.
  bool IsGraphNeedRebuild(uint32_t) { return false; }
  // What variables hold now; of those whose graphs were not compiled yet, what they begin with.
  template <typename Name>
  Status GetVariables(const std::vector<Name> &names, std::vector<Tensor> &values) {
    values.clear();
    for (const Name &name : names) {
      Wanted wanted = {weft_own::NameOf(name), Tensor(), false};
      weft_ge_outputs now;
      if (!weft_ge_session_variable(sessionId_, wanted.name.c_str(), &now)) {
        std::vector<Tensor> one;
        weft_own::TakeOutputs(&now, one);
        values.push_back(one[0]);
        continue;
      }
      if (weft_ge_session_each(sessionId_, &Wanted::See, &wanted))
        return weft_own::Result(WEFT_E_STATE);
      if (!wanted.found)
        return weft_own::Failed(WEFT_E_NOT_FOUND, "no graph of the session has a Variable '%s'",
                                wanted.name.c_str());
      values.push_back(wanted.value);
    }
    return SUCCESS;
  }
  template <typename Key, typename Callback>
  Status RegisterCallBackFunc(const Key &, const Callback &) {
    return Ignored("RegisterCallBackFunc: nothing of weft's calls it");
  }
  // Memory and allocators are weft's own.
  Status SetGraphConstMemoryBase(uint32_t, const void *const, size_t) {
    return Ignored("SetGraphConstMemoryBase: constants stay in weft's memory");
  }
  Status UpdateGraphFeatureMemoryBase(uint32_t, const void *const, size_t) {
    return Ignored("UpdateGraphFeatureMemoryBase: runs take weft's memory");
  }
  Status SetGraphFixedFeatureMemoryBase(uint32_t, const void *const, size_t) {
    return Ignored("SetGraphFixedFeatureMemoryBase: runs take weft's memory");
  }
  Status SetGraphFixedFeatureMemoryBaseWithType(uint32_t, MemoryType, const void *const, size_t) {
    return Ignored("SetGraphFixedFeatureMemoryBaseWithType: runs take weft's memory");
  }
  Status UpdateGraphRefreshableFeatureMemoryBase(uint32_t, const void *const, size_t) {
    return Ignored("UpdateGraphRefreshableFeatureMemoryBase: runs take weft's memory");
  }
  template <typename AllocatorPtr>
  Status RegisterExternalAllocator(const void *const, const AllocatorPtr &) const {
    return Ignored("RegisterExternalAllocator: runs take weft's memory");
  }
  Status UnregisterExternalAllocator(const void *const) const { return SUCCESS; }
  // Data-flow graphs are not there.
  template <typename... Args>
  Status FeedDataFlowGraph(uint32_t, Args &&...) {
    return Refused("FeedDataFlowGraph");
  }
  template <typename... Args>
  Status FetchDataFlowGraph(uint32_t, Args &&...) {
    return Refused("FetchDataFlowGraph");
  }
  template <typename... Args>
  Status FeedRawData(uint32_t, Args &&...) {
    return Refused("FeedRawData");
  }
  Status ShardGraphsToFile(const char_t * = "./") const { return Refused("ShardGraphsToFile"); }
  Status ShardGraphs() const { return Refused("ShardGraphs"); }
  Status SaveGraphsToPb(const char_t *) const { return Refused("SaveGraphsToPb"); }
  Status PaRemapped(const uint64_t, const uint64_t, const uint64_t) const { return Refused("PaRemapped"); }
  uint64_t GetSessionId() const { return sessionId_; }

 private:
  explicit Session(const weft_own::Options &options)
      : sessionId_(weft_ge_session_create(options.Get(), weft_package_entry)) {
    if (!sessionId_)
      (void)weft_own::Result(WEFT_E_STATE);
  }
  Status Add(uint32_t id, const Graph &graph, const weft_own::Options &options) {
    return weft_own::Result(weft_ge_session_add(sessionId_, id, weft_own::SourceOf(graph), options.Get()));
  }
  // Looks for a variable among the graphs.
  struct Wanted {
    std::string name;
    Tensor value;
    bool found;
    static bool See(void *ctx, const weft_ge_source *source) {
      auto *self = static_cast<Wanted *>(ctx);
      const weft_own::NodePtr node = static_cast<Graph *>(source->ctx)->WeftImpl()->Find(self->name);
      self->found =
          node && node->type == "Variable" && weft_own::AttrOf(*node, "value", self->value) == GRAPH_SUCCESS;
      return !self->found;
    }
  };
  static Status Ignored(const char *what) {
    weft_ge_warn("%s: the call has no effect", what);
    return SUCCESS;
  }
  static Status Refused(const char *what) {
    return weft_own::Failed(WEFT_E_UNSUPPORTED, "%s: weft does not have it", what);
  }
  uint64_t sessionId_;
};
}  // namespace ge
// SPDX-License-Identifier: Apache-2.0
