// weft_cann/adaptor.h - weft_op's functions of an operator in CANN's C++: inference of types, shapes, ranges
// and formats. What a call needs is kept with the node (kept_node.h); the operator writes shapes straight
// into weft's memory.
#pragma once
#include <cinttypes>
#include <deque>
#include <string>
#include <vector>

#include "weft_cann/custom_op_table.h"
#include "weft_cann/kept_node.h"
#include "weft_cann/kernel_table.h"
#include "weft_cann/log_sink.h"
#include "weft_cann/tiling_sources.h"

namespace weft_cann {
using Functions = gert::OpImplKernelRegistry::OpImplFunctions;

// An operator of the package; weft hands its address back with every call (weft_op.user).
class KernelFiles;  // kernel_files.h
struct Operator {
  weft_op op = {};
  Functions functions;
  gert::OpImplRegisterV2::InferFormatFunc infer_format = nullptr;
  ge::weft_own::CustomOp custom;
  Kernel kernel;
  bool shapes_are_found = false;  // an output's definition says that its kernel finds its shape
  std::shared_ptr<KernelFiles> kernel_files;
  std::shared_ptr<Tilings> tilings;  // behind the functions: its objects are theirs to delete
  std::deque<std::string> texts;
  std::vector<weft_port> in;
  std::vector<weft_port> out;
  std::vector<weft_attr_decl> attrs;
  uint32_t n_declared = 0;  // of them; behind those stand private ones (PrivateAttr)
  std::vector<weft_symbol> symbols;
  std::deque<std::vector<weft_column>> columns;

  const char *Keep(const std::string &text) {
    texts.push_back(text);
    return texts.back().c_str();
  }
};
inline const Operator *OperatorOf(const weft_op_desc *desc) {
  return static_cast<const Operator *>(desc->op->user);
}

inline NodeUse::NodeUse(const weft_op_desc *desc)
    : desc_(desc), node_(static_cast<KeptNode *>(weft_kept_take(desc))) {
  const bool knows = desc->size >= sizeof *desc && desc->op->size >= sizeof(weft_op);
  if (!node_ && knows)
    node_ = new KeptNode(desc, OperatorOf(desc)->functions, OperatorOf(desc)->n_declared);
}
inline void DropNode(void *kept) {
  delete static_cast<KeptNode *>(kept);
}
inline weft_status TooOld(const weft_host *host, weft_diag *d, const weft_op_desc *desc) {
  return host->fail(d, WEFT_E_ABI, "operator '%s' was built for a newer weft than this one (%s)", desc->type,
                    host->version);
}

// The first error that an operator logs becomes what weft reports; more of them follow behind it.
class ErrorLog {
 public:
  ErrorLog(const weft_host *host, weft_diag *diag)
      : host_(host), diag_(diag), sink_(CurrentLogSink()), before_(sink_) {
    sink_ = {&ErrorLog::Line, this};
  }
  ~ErrorLog() { sink_ = before_; }
  ErrorLog(const ErrorLog &) = delete;
  ErrorLog &operator=(const ErrorLog &) = delete;
  // What to return for a status of the operator's function; OK for GRAPH_SUCCESS.
  weft_status Status(UINT32 status, weft_status failed, const weft_op_desc *desc, const char *what) {
    return __builtin_expect(status == ge::GRAPH_SUCCESS, 1) ? WEFT_OK : Failed(status, failed, desc, what);
  }

 private:
  __attribute__((noinline, cold)) weft_status Failed(UINT32 status, weft_status failed,
                                                     const weft_op_desc *desc, const char *what) {
    if (!said_.empty())
      return host_->fail(diag_, failed, "%s", said_.c_str());
    return host_->fail(diag_, failed, "%s of %s returned %" PRIu32 " and logged no error: OP_LOGE says why",
                       what, desc->type, status);
  }
  static void Line(void *self, int level, const char *text) {
    auto *log = static_cast<ErrorLog *>(self);
    if (level < kLogError)
      return;
    if (!log->said_.empty())
      log->said_ += "; ";
    log->said_ += text;
  }
  const weft_host *host_;
  weft_diag *diag_;
  LogSink &sink_;
  LogSink before_;
  std::string said_;
};

// An exception ends here: weft, which called, is C.
#ifdef __cpp_exceptions
template <typename F>
weft_status Guarded(const weft_host *host, weft_diag *d, const weft_op_desc *desc, const char *what, F f) {
  try {
    return f();
  } catch (const std::bad_alloc &) {
    return host->fail(d, WEFT_E_NOMEM, "%s of %s: out of memory", what, desc->type);
  } catch (const std::exception &e) {
    return host->fail(d, WEFT_E_INVALID, "%s of %s threw an exception: %s", what, desc->type, e.what());
  } catch (...) {
    return host->fail(d, WEFT_E_INVALID, "%s of %s threw something that is no std::exception", what,
                      desc->type);
  }
}
#else
template <typename F>
weft_status Guarded(const weft_host *, weft_diag *, const weft_op_desc *, const char *, F f) {
  return f();
}
#endif

inline weft_status InferFormat(weft_infer *it, const Operator *op, KeptNode &node) {
  Row &row = node.FormatRow();
  for (uint32_t i = 0; i < it->n_out; i++)
    node.OutputFormat(i) =
        gert::StorageFormat(ge::FORMAT_RESERVED, ge::FORMAT_RESERVED, gert::ExpandDimsType());
  ErrorLog log(it->host, it->d);
  const UINT32 status = op->infer_format(row.As<gert::InferFormatContext>());
  WEFT_TRY(log.Status(status, WEFT_E_FORMAT, it->desc, "InferFormat"));
  for (uint32_t i = 0; i < it->n_out; i++) {
    const ge::Format origin = node.OutputFormat(i).GetOriginFormat();
    const ge::Format storage = node.OutputFormat(i).GetStorageFormat();
    it->out_origin_format[i] = static_cast<weft_format>(origin);
    it->out_format[i] = static_cast<weft_format>(storage == ge::FORMAT_RESERVED ? origin : storage);
  }
  return WEFT_OK;
}

inline weft_status InferShape(weft_infer *it) {
  return Guarded(it->host, it->d, it->desc, "InferShape", [it]() -> weft_status {
    NodeUse node(it->desc);
    if (!node.Get())
      return TooOld(it->host, it->d, it->desc);
    const Operator *op = OperatorOf(it->desc);
    for (uint32_t i = 0; i < it->n_in; i++)
      node->SetInput(i, *it->in[i], *it->in[i], *it->value[i], it->in_dtype[i], it->in_format[i]);
    for (uint32_t i = 0; i < it->n_out; i++) {
      it->out[i]->rank = 0;  // a context's outputs begin as scalars
      node->ShapeRow().Output(i).data.pointer = it->out[i];
      node->DescribeOutput(i, it->out_dtype[i]);
    }
    auto *context = node->ShapeRow().As<gert::InferShapeContext>();
    ErrorLog log(it->host, it->d);
    const UINT32 status = op->functions.infer_shape ? op->functions.infer_shape(context)
                                                    : op->custom.infers->InferShape(context);
    WEFT_TRY(log.Status(status, WEFT_E_SHAPE, it->desc, "InferShape"));
    return op->infer_format ? InferFormat(it, op, *node.Get()) : WEFT_OK;
  });
}

inline weft_status InferDataType(weft_infer *it) {
  return Guarded(it->host, it->d, it->desc, "InferDataType", [it]() -> weft_status {
    NodeUse node(it->desc);
    if (!node.Get())
      return TooOld(it->host, it->d, it->desc);
    const Operator *op = OperatorOf(it->desc);
    Row &row = node->TypeRow();
    const ge::DataType undefined = ge::DT_UNDEFINED;
    for (uint32_t i = 0; i < it->n_in; i++) {
      const auto type = static_cast<ge::DataType>(it->in_dtype[i]);
      memcpy(row.Input(i).data.inplace, &type, sizeof type);
      node->DescribeInput(i, it->in_dtype[i], it->value[i]->origin_format, it->in_format[i]);
    }
    for (uint32_t i = 0; i < it->n_out; i++)
      memcpy(row.Output(i).data.inplace, &undefined, sizeof undefined);
    auto *context = row.As<gert::InferDataTypeContext>();
    ErrorLog log(it->host, it->d);
    const UINT32 status = op->functions.infer_datatype ? op->functions.infer_datatype(context)
                                                       : op->custom.infers->InferDataType(context);
    WEFT_TRY(log.Status(status, WEFT_E_DTYPE, it->desc, "InferDataType"));
    for (uint32_t i = 0; i < it->n_out; i++) {
      ge::DataType type;
      memcpy(&type, row.Output(i).data.inplace, sizeof type);
      it->out_dtype[i] = DtypeOf(type);
    }
    return WEFT_OK;
  });
}

inline void TakeBound(weft_shape *to, const gert::Shape *from) {
  auto *ours = reinterpret_cast<gert::Shape *>(to);
  if (from && from != ours)
    *ours = *from;
}
// A greatest dim of -1 has no bound, as in weft.
inline weft_status InferShapeRange(weft_infer *it) {
  return Guarded(it->host, it->d, it->desc, "InferShapeRange", [it]() -> weft_status {
    NodeUse node(it->desc);
    if (!node.Get())
      return TooOld(it->host, it->d, it->desc);
    Row &row = node->RangeRow();
    for (uint32_t i = 0; i < it->n_in; i++) {
      node->SetRange(i, *it->in_min[i], *it->in_max[i], *it->value[i], it->in_dtype[i], it->in_format[i]);
    }
    for (uint32_t i = 0; i < it->n_out; i++) {
      it->out_min[i]->rank = it->out_max[i]->rank = 0;
      node->OutputRange(i) = gert::Range<gert::Shape>(reinterpret_cast<gert::Shape *>(it->out_min[i]),
                                                      reinterpret_cast<gert::Shape *>(it->out_max[i]));
      node->DescribeOutput(i, it->out_dtype[i]);
    }
    ErrorLog log(it->host, it->d);
    const Operator *op = OperatorOf(it->desc);
    const UINT32 status = op->functions.infer_shape_range(row.As<gert::InferShapeRangeContext>());
    WEFT_TRY(log.Status(status, WEFT_E_RANGE, it->desc, "InferShapeRange"));
    for (uint32_t i = 0; i < it->n_out; i++) {  // a function may have put shapes of its own there
      TakeBound(it->out_min[i], node->OutputRange(i).GetMin());
      TakeBound(it->out_max[i], node->OutputRange(i).GetMax());
    }
    return WEFT_OK;
  });
}
}  // namespace weft_cann
// SPDX-License-Identifier: Apache-2.0
