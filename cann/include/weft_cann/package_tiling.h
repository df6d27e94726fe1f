// weft_cann/package_tiling.h - an operator's Tiling function as weft_op.tile. The compile info is made once
// for an operator and a processor, through TilingParse.
#pragma once
#include <pthread.h>

#include "weft_cann/adaptor.h"
#include "weft_cann/tiling_sources.h"

namespace weft_cann {
// An operator and a processor.
struct TiledFor {
  std::string soc;
  void *platform = nullptr;
  void *info = nullptr;
  gert::OpImplKernelRegistry::CompileInfoDeleterFunc destroy = nullptr;
  TiledFor() = default;
  TiledFor(const TiledFor &) = delete;
  TiledFor &operator=(const TiledFor &) = delete;
  ~TiledFor() {
    if (info && destroy)
      destroy(info);
    if (platform)
      PlatformSource().drop(platform);
  }
};

class Tilings {
 public:
  explicit Tilings(const char *type) : bytes_(TilingRecords() ? TilingRecords()(type, fields_) : 0) {
    (void)pthread_mutex_init(&lock_, nullptr);
  }
  Tilings(const Tilings &) = delete;
  Tilings &operator=(const Tilings &) = delete;
  ~Tilings() { (void)pthread_mutex_destroy(&lock_); }
  // *out stays where it is while the operator lives.
  weft_status Get(const weft_tiling *t, const KeptNode &node, const char *soc, TiledFor **out) {
    const Held held(&lock_);
    for (const auto &made : made_) {
      if (made->soc == soc) {
        *out = made.get();
        return WEFT_OK;
      }
    }
    auto fresh = std::make_unique<TiledFor>();
    fresh->soc = soc;
    WEFT_TRY(Make(t, node, *fresh));
    *out = fresh.get();
    made_.push_back(std::move(fresh));
    return WEFT_OK;
  }
  // The fields of a record of so many bytes: none where the operator wrote another one than it registered.
  void Tell(weft_tiling_said *said, size_t bytes) const {
    if (!bytes_ || bytes != bytes_)
      return;
    said->fields = fields_.data();
    said->n_fields = static_cast<uint32_t>(fields_.size());
  }

 private:
  struct Held {
    explicit Held(pthread_mutex_t *lock) : lock_(lock) { (void)pthread_mutex_lock(lock_); }
    ~Held() { (void)pthread_mutex_unlock(lock_); }
    Held(const Held &) = delete;
    Held &operator=(const Held &) = delete;
    pthread_mutex_t *lock_;
  };
  static weft_status Make(const weft_tiling *t, const KeptNode &node, TiledFor &made) {
    const Operator *op = OperatorOf(t->desc);
    std::string known;
    if (PlatformSource().make && !(made.platform = PlatformSource().make(made.soc.c_str(), known))) {
      return t->host->fail(t->d, WEFT_E_NOT_FOUND, "no processor is called '%s'; known are %s",
                           made.soc.c_str(), known.c_str());
    }
    if (!op->functions.compile_info_creator)
      return WEFT_OK;
    made.info = op->functions.compile_info_creator();
    made.destroy = op->functions.compile_info_deleter;
    if (!op->functions.tiling_parse)
      return WEFT_OK;
    Row row;
    row.Make(node.Info(), 2, 1);
    static char no_json[] = "{}";
    row.Input(0).data.pointer = no_json;
    row.Input(1).data.pointer = made.platform;
    row.Output(0).data.pointer = made.info;
    ErrorLog log(t->host, t->d);
    const UINT32 status = op->functions.tiling_parse(row.As<gert::KernelContext>());
    return log.Status(status, WEFT_E_INVALID, t->desc, "TilingParse");
  }
  pthread_mutex_t lock_;
  std::vector<std::unique_ptr<TiledFor>> made_;
  std::vector<weft_tiling_field> fields_;
  size_t bytes_;
};

// A context for weft's call; its outputs lie here.
class TilingCall {
 public:
  TilingCall(weft_tiling *t, KeptNode &node, TiledFor *on) : t_(t), row_(node.TilingRow()) {
    const size_t declared = OperatorOf(t->desc)->functions.max_tiling_data_size;
    const size_t wanted = declared ? declared : 2048;
    Record()->Init(wanted < t->data_cap ? wanted : t->data_cap, t->data);
    sizes_ = gert::ContinuousVector::Create<size_t>(kWorkspaces);
    const size_t behind = size_t{t->n_in} + t->n_out;
    row_.Input(behind + gert::TilingContext::kCompileInfo).data.pointer = on->info;
    row_.Input(behind + gert::TilingContext::kPlatformInfo).data.pointer = on->platform;
    for (size_t i = 0; i < gert::TilingContext::kOutputNum; i++)
      row_.Output(i).data.pointer = nullptr;
    row_.Output(gert::TilingContext::kOutputTilingData).data.pointer = Record();
    row_.Output(gert::TilingContext::kOutputWorkspace).data.pointer = sizes_.get();
  }
  gert::TilingContext *Context() { return row_.As<gert::TilingContext>(); }
  // Hands what the function chose to weft.
  weft_status Finish(const weft_tiling_target *target) {
    const gert::TilingContext *context = Context();
    const size_t bytes = Record()->GetDataSize();
    if (bytes > Record()->GetCapacity()) {
      return t_->host->fail(t_->d, WEFT_E_RANGE, "the tiling data of %s have %zu bytes, room is for %zu",
                            t_->desc->type, bytes, Record()->GetCapacity());
    }
    t_->key = context->GetTilingKey();
    t_->blocks = context->GetBlockDim();
    t_->atomic_clean = context->NeedAtomic();
    t_->data_bytes = bytes;
    t_->n_workspaces = static_cast<uint32_t>(context->GetWorkspaceNum());
    const auto *sizes = reinterpret_cast<gert::TypedContinuousVector<size_t> *>(sizes_.get());
    for (uint32_t i = 0; i < t_->n_workspaces; i++)
      t_->workspace_bytes[i] = sizes->GetData()[i];
    if (!target || !target->said)
      return WEFT_OK;
    target->said->schedule = context->GetScheduleMode();
    OperatorOf(t_->desc)->tilings->Tell(target->said, bytes);
    return WEFT_OK;
  }

 private:
  static constexpr size_t kWorkspaces = 16;
  gert::TilingData *Record() { return reinterpret_cast<gert::TilingData *>(record_); }
  weft_tiling *t_;
  Row &row_;
  std::unique_ptr<uint8_t[]> sizes_;
  alignas(8) uint8_t record_[sizeof(gert::TilingData)] = {};
};

inline weft_format FormatAt(const weft_format *formats, uint32_t i) {
  return formats ? formats[i] : static_cast<weft_format>(ge::FORMAT_ND);
}
inline void DescribeTiling(const weft_tiling *t, KeptNode &node) {
  static const weft_tensor unknown = {};
  (void)node.TilingRow();
  for (uint32_t i = 0; i < t->n_in; i++) {
    const weft_tensor *value = t->value ? t->value[i] : nullptr;
    const weft_format format = FormatAt(t->in_format, i);
    node.SetInput(i, t->in[i]->origin, t->in[i]->storage, value ? *value : unknown, t->in_dtype[i], format);
    if (!value)
      node.SetInputFormat(i, format);
  }
  for (uint32_t i = 0; i < t->n_out; i++)
    node.SetOutput(i, *t->out[i], t->out_dtype[i], FormatAt(t->out_format, i));
}
inline weft_status Tile(weft_tiling *t) {
  return Guarded(t->host, t->d, t->desc, "Tiling", [t]() -> weft_status {
    NodeUse node(t->desc);
    if (!node.Get())
      return TooOld(t->host, t->d, t->desc);
    const Operator *op = OperatorOf(t->desc);
    const weft_tiling_target *target = weft_tiling_for(t);
    DescribeTiling(t, *node.Get());
    TiledFor *on = nullptr;
    WEFT_TRY(op->tilings->Get(t, *node.Get(), target && target->soc ? target->soc : "cpu", &on));
    TilingCall call(t, *node.Get(), on);
    ErrorLog log(t->host, t->d);
    WEFT_TRY(log.Status(op->functions.tiling(call.Context()), WEFT_E_INVALID, t->desc, "Tiling"));
    return call.Finish(target);
  });
}
WEFT_CANN_OWN inline const bool kTilingsAreMade =
    (PackageTiling() = {Tile, [](const char *type) { return std::make_shared<Tilings>(type); }}, true);
}  // namespace weft_cann
// SPDX-License-Identifier: Apache-2.0
