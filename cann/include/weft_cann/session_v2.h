// weft_cann/session_v2.h - ge::GeSession: a session whose tensors are CANN's runtime tensors (gert::Tensor).
#pragma once
#include "weft_cann/ir_build.h"

namespace ge {
using RunAsyncCallbackV2 = std::function<void(Status, std::vector<gert::Tensor> &)>;

inline Status GEInitializeV2(const std::map<AscendString, AscendString> &options) {
  return GEInitialize(options);
}
inline Status GEFinalizeV2() {
  return GEFinalize();
}

class GeSession {
 public:
  using Options = std::map<AscendString, AscendString>;
  explicit GeSession(const Options &options) : session_(std::make_shared<Session>(options)) {}

  Status AddGraph(uint32_t id, const Graph &graph) { return session_->AddGraph(id, graph); }
  Status AddGraph(uint32_t id, const Graph &graph, const Options &options) {
    return session_->AddGraph(id, graph, options);
  }
  Status AddGraphClone(uint32_t id, const Graph &graph) { return session_->AddGraphWithCopy(id, graph); }
  Status AddGraphClone(uint32_t id, const Graph &graph, const Options &options) {
    return session_->AddGraphWithCopy(id, graph, options);
  }
  Status RemoveGraph(uint32_t id) { return session_->RemoveGraph(id); }
  bool IsGraphNeedRebuild(uint32_t id) { return session_->IsGraphNeedRebuild(id); }
  uint64_t GetSessionId() const { return session_->GetSessionId(); }
  Status CompileGraph(uint32_t id) { return session_->CompileGraph(id); }
  Status CompileGraph(uint32_t id, const std::vector<ge::Tensor> &inputs) {
    return session_->BuildGraph(id, inputs);
  }
  Status LoadGraph(const uint32_t id, const Options &options, void *stream) const {
    return session_->LoadGraph(id, options, stream);
  }
  Status GraphDebugJSONPrint(const uint32_t id, uint32_t flags, AscendString &json) const {
    return session_->GraphDebugJSONPrint(id, flags, json);
  }
  Status RunGraph(uint32_t id, const std::vector<gert::Tensor> &inputs, std::vector<gert::Tensor> &outputs) {
    outputs.clear();  // they are made, whatever stands there
    return session_->ExecuteGraphWithStreamAsync(id, nullptr, inputs, outputs);
  }
  Status RunGraphWithStreamAsync(uint32_t id, void *stream, const std::vector<gert::Tensor> &inputs,
                                 std::vector<gert::Tensor> &outputs) {
    return session_->ExecuteGraphWithStreamAsync(id, stream, inputs, outputs);
  }
  // The inputs' memory must stay until `callback` was called.
  Status RunGraphAsync(uint32_t id, const std::vector<gert::Tensor> &inputs, RunAsyncCallbackV2 callback) {
    weft_diag d = {};
    auto run = std::make_unique<Pending>();
    run->callback = callback;
    if (run->in.Set(inputs, &d))
      return weft_own::Failed(d);
    const weft_status status = weft_ge_session_run_async(GetSessionId(), id, run->in.Get(), run->in.Count(),
                                                         &Pending::Done, run.get());
    if (!status)
      (void)run.release();
    return weft_own::Result(status);
  }
  template <typename Callback>
  Status RegisterCallBackFunc(const char *key, const Callback &callback) {
    return session_->RegisterCallBackFunc(key, callback);
  }
  CompiledGraphSummaryPtr GetCompiledGraphSummary(uint32_t id) {
    return session_->GetCompiledGraphSummary(id);
  }
  Status SetGraphConstMemoryBase(uint32_t id, const void *const memory, size_t size) {
    return session_->SetGraphConstMemoryBase(id, memory, size);
  }
  Status UpdateGraphFeatureMemoryBase(uint32_t id, const void *const memory, size_t size) {
    return session_->UpdateGraphFeatureMemoryBase(id, memory, size);
  }
  Status SetGraphFixedFeatureMemoryBaseWithType(uint32_t id, MemoryType type, const void *const memory,
                                                size_t size) {
    return session_->SetGraphFixedFeatureMemoryBaseWithType(id, type, memory, size);
  }
  Status UpdateGraphRefreshableFeatureMemoryBase(uint32_t id, const void *const memory, size_t size) {
    return session_->UpdateGraphRefreshableFeatureMemoryBase(id, memory, size);
  }
  template <typename AllocatorPtr>
  Status RegisterExternalAllocator(const void *const stream, const AllocatorPtr &allocator) const {
    return session_->RegisterExternalAllocator(stream, allocator);
  }
  Status UnregisterExternalAllocator(const void *const stream) const {
    return session_->UnregisterExternalAllocator(stream);
  }
  // The program of a compiled graph, as aclgrphBuildModel gives it.
  Status GetCompiledModel(uint32_t id, ModelBufferData &model) {
    weft_program *program = weft_ge_session_program(GetSessionId(), id);
    if (!program)
      return weft_own::Result(WEFT_E_STATE);
    weft_diag d = {};
    std::string bytes;
    const weft_status status = weft_program_save(program, &weft_own::AppendText, &bytes, &d);
    weft_program_release(program);
    if (status)
      return weft_own::Failed(d);
    weft_own::ModelOf(bytes, model);
    return SUCCESS;
  }

 private:
  struct Pending {
    weft_own::RunInputs in;
    RunAsyncCallbackV2 callback;
    static void Done(void *ctx, weft_status status, weft_ge_outputs *out) {
      const std::unique_ptr<Pending> run(static_cast<Pending *>(ctx));
      std::vector<gert::Tensor> outputs;
      if (!status)
        weft_own::TakeOutputs(out, outputs);
      if (run->callback)
        run->callback(weft_own::Result(status), outputs);
    }
  };
  std::shared_ptr<Session> session_;
};
}  // namespace ge
// SPDX-License-Identifier: Apache-2.0
