// weft_cann/session.h - ge::Session, GEInitialize and their kin: graphs by number, run from any thread. A
// session is a number; what stands behind it is weft's session (weft/session.h) in libweft_cann.
#pragma once
#include "weft_cann/graph.h"

// The registrations of this program (weft_cann/package.h); nullptr where it has none.
extern "C" __attribute__((weak, visibility("default"))) const weft_package *weft_package_entry(
    const weft_host *host);

namespace ge {
// Fits both kinds of option maps.
namespace weft_cann {
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

// Holds a graph for a session.
inline weft_ge_source SourceOf(const Graph &graph) {
  weft_ge_source source = {};
  source.ctx = new Graph(graph);
  source.lower = [](void *ctx, weft_env *env, const weft_tensor_desc *in, size_t n_in, weft_graph **out,
                    weft_diag *d) { return Lower(*static_cast<Graph *>(ctx), env, in, n_in, out, d); };
  source.release = [](void *ctx) { delete static_cast<Graph *>(ctx); };
  return source;
}
}  // namespace weft_cann

using RunAsyncCallback = std::function<void(Status, std::vector<ge::Tensor> &)>;

inline Status GEInitialize(const std::map<std::string, std::string> &options) {
  return weft_cann::Result(weft_ge_initialize(weft_cann::Options(options).Get()));
}
inline Status GEInitialize(const std::map<AscendString, AscendString> &options) {
  return weft_cann::Result(weft_ge_initialize(weft_cann::Options(options).Get()));
}
inline Status GEFinalize() {
  return weft_cann::Result(weft_ge_finalize());
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
  explicit Session(const std::map<std::string, std::string> &options)
      : Session(weft_cann::Options(options)) {}
  explicit Session(const std::map<AscendString, AscendString> &options)
      : Session(weft_cann::Options(options)) {}
  ~Session() { weft_ge_session_destroy(sessionId_); }
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  // The graph stays the caller's; what is changed before it is compiled counts only for AddGraph's own copy
  // of handles: see AddGraphWithCopy.
  Status AddGraph(uint32_t id, const Graph &graph) { return Add(id, graph, weft_cann::Options()); }
  Status AddGraph(uint32_t id, const Graph &graph, const std::map<std::string, std::string> &options) {
    return Add(id, graph, weft_cann::Options(options));
  }
  Status AddGraph(uint32_t id, const Graph &graph, const std::map<AscendString, AscendString> &options) {
    return Add(id, graph, weft_cann::Options(options));
  }
  Status RemoveGraph(uint32_t id) { return weft_cann::Result(weft_ge_session_remove(sessionId_, id)); }
  // Returns when it is done; the outputs are the caller's, with or without the session.
  Status RunGraph(uint32_t id, const std::vector<Tensor> &inputs, std::vector<Tensor> &outputs) {
    weft_diag d = {};
    weft_cann::RunInputs in;
    if (in.Set(inputs, &d))
      return weft_cann::Failed(d);
    weft_ge_outputs out;
    const weft_status status = weft_ge_session_run(sessionId_, id, in.Get(), in.Count(), &out);
    if (!status)
      weft_cann::TakeOutputs(&out, outputs);
    return weft_cann::Result(status);
  }
  uint64_t GetSessionId() const { return sessionId_; }

 private:
  explicit Session(const weft_cann::Options &options)
      : sessionId_(weft_ge_session_create(options.Get(), &weft_package_entry)) {
    if (!sessionId_)
      (void)weft_cann::Result(WEFT_E_STATE);
  }
  Status Add(uint32_t id, const Graph &graph, const weft_cann::Options &options) {
    return weft_cann::Result(weft_ge_session_add(sessionId_, id, weft_cann::SourceOf(graph), options.Get()));
  }
  uint64_t sessionId_;
};
}  // namespace ge
// SPDX-License-Identifier: Apache-2.0
