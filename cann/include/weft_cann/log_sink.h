// weft_cann/log_sink.h - where the lines of OP_LOGE and its kin go (log.h).
#pragma once
#include "weft_cann/base.h"

namespace weft_cann {
constexpr int kLogError = 3;  // DLOG_ERROR
// Where lines go while weft calls this shared object: level, text. NULL: stderr.
struct LogSink {
  void (*line)(void *context, int level, const char *text);
  void *context;
};
WEFT_CANN_OWN inline LogSink &CurrentLogSink() {
  static thread_local LogSink sink = {nullptr, nullptr};
  return sink;
}
}  // namespace weft_cann
// SPDX-License-Identifier: Apache-2.0
