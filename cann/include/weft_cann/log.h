// weft_cann/log.h - OP_LOGE and its kin. While weft calls an operator, errors become the cause of what the
// call returns, with the operator, the node, and file and line of the macro. Outside of weft they go to
// stderr. ASCEND_GLOBAL_LOG_LEVEL says from which level on: 0 debug, 1 info, 2 warning, 3 error (as without
// it), 4 nothing.
#pragma once
#include <atomic>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "weft_cann/context.h"
#include "weft_cann/log_sink.h"
#include "weft_cann/securec.h"

#ifndef DLOG_DEBUG
#define DLOG_DEBUG 0
#define DLOG_INFO  1
#define DLOG_WARN  2
#define DLOG_ERROR 3
#endif
#ifndef likely
#define likely(x) __builtin_expect(static_cast<bool>(x), 1)
#endif
#ifndef unlikely
#define unlikely(x) __builtin_expect(static_cast<bool>(x), 0)
#endif
#ifndef OP
#define OP 63  // the module of operators
#endif

namespace weft_cann {
inline std::atomic<int> &LogLevel() {
  static std::atomic<int> level{[] {
    const char *given = getenv("ASCEND_GLOBAL_LOG_LEVEL");
    return given && *given >= '0' && *given <= '4' ? *given - '0' : DLOG_ERROR;
  }()};
  return level;
}
inline void Log(int level, const char *file, int line, const char *who, const char *format, ...) {
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  const int begun = snprintf(text, sizeof text, "%s: ", who ? who : "");
  const size_t from = begun < 0                                  ? 0
                      : static_cast<size_t>(begun) < sizeof text ? static_cast<size_t>(begun)
                                                                 : 0;
  (void)vsnprintf(text + from, sizeof text - from, format, arguments);
  va_end(arguments);
  const char *slash = strrchr(file, '/');
  const std::string whole =
      std::string(text) + " (" + (slash ? slash + 1 : file) + ":" + std::to_string(line) + ")";
  const LogSink sink = CurrentLogSink();
  if (sink.line)
    sink.line(sink.context, level, whole.c_str());
  else
    fprintf(stderr, "%s\n", whole.c_str());
}
// OP_LOGI("text"): the text is all there is.
inline void Log(int level, const char *file, int line, const char *text) {
  Log(level, file, line, "operator", "%s", text ? text : "");
}
template <typename... T>
void Report(const char *file, int line, const char *code, const char *format, T... values) {
  if (DLOG_ERROR >= LogLevel() || CurrentLogSink().line)
    Log(DLOG_ERROR, file, line, code, format, values...);
}
}  // namespace weft_cann

namespace error_message {
using char_t = char;
}

// What is written from now on: 0 debug to 4 nothing, as ASCEND_GLOBAL_LOG_LEVEL. Modules and events are not
// told apart.
inline int32_t dlog_setlevel(int32_t, int32_t level, int32_t) {
  if (level < DLOG_DEBUG || level > DLOG_ERROR + 1)
    return -1;
  weft_cann::LogLevel() = level;
  return 0;
}

// 1: lines of this level are written. An error that weft waits for always is.
inline int32_t CheckLogLevel(int32_t, int32_t level) {
  const bool awaited = level >= DLOG_ERROR && weft_cann::CurrentLogSink().line;
  return awaited || level >= weft_cann::LogLevel() ? 1 : 0;
}

namespace Ops {
namespace Base {
template <typename T>
constexpr bool IsContextType() {
  using Pointed =
      typename std::remove_cv<typename std::remove_pointer<typename std::decay<T>::type>::type>::type;
  return std::is_base_of<gert::ExtendedKernelContext, Pointed>::value;
}
inline const std::string &GetOpInfo(const std::string &text) {
  return text;
}
inline const char *GetOpInfo(const char *text) {
  return text ? text : "nil";
}
template <typename T>
typename std::enable_if<IsContextType<T>(), std::string>::type GetOpInfo(T context) {
  if (!context)
    return "nil";
  const char *type = context->GetNodeType();
  const char *name = context->GetNodeName();
  return std::string(type ? type : "nil") + ":" + (name ? name : "nil");
}
inline const char *GetSafeStr(const char *text) {
  return text ? text : "nil";
}
inline const char *GetSafeStr(const std::string &text) {
  return text.c_str();
}

// "DT_FLOAT", "NCHW", "[1, -1]".
inline std::string ToString(ge::DataType type) {
  return ge::TypeUtils::DataTypeToSerialString(type);
}
inline std::string ToString(ge::Format format) {
  return ge::TypeUtils::FormatToSerialString(format);
}
inline std::string ToString(const gert::Shape &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.GetDimNum(); i++) {
    text += i ? ", " : "";
    text += std::to_string(shape.GetDim(i));
  }
  return text + "]";
}
inline std::string ToString(const std::vector<const gert::Shape *> &shapes) {
  std::string text = "[";
  for (size_t i = 0; i < shapes.size(); i++) {
    text += i ? ", " : "";
    text += shapes[i] ? ToString(*shapes[i]) : "nil";
  }
  return text + "]";
}
}  // namespace Base
}  // namespace Ops

#define WEFT_CANN_LOG(level, who, ...)                                                                  \
  do {                                                                                                  \
    if (CheckLogLevel(OP, level) == 1)                                                                  \
      ::weft_cann::Log(level, __FILE__, __LINE__, ::Ops::Base::GetSafeStr(::Ops::Base::GetOpInfo(who)), \
                       ##__VA_ARGS__);                                                                  \
  } while (0)
#define OpLogSub(moduleId, level, opInfo, ...) WEFT_CANN_LOG(level, opInfo, ##__VA_ARGS__)
#define D_OP_LOGD(opName, ...)                 WEFT_CANN_LOG(DLOG_DEBUG, opName, ##__VA_ARGS__)
#define D_OP_LOGI(opName, ...)                 WEFT_CANN_LOG(DLOG_INFO, opName, ##__VA_ARGS__)
#define D_OP_LOGW(opName, ...)                 WEFT_CANN_LOG(DLOG_WARN, opName, ##__VA_ARGS__)
#define D_OP_LOGE(opName, ...)                 WEFT_CANN_LOG(DLOG_ERROR, opName, ##__VA_ARGS__)
#define OP_LOGD(opName, ...)                   D_OP_LOGD(opName, ##__VA_ARGS__)
#define OP_LOGI(opName, ...)                   D_OP_LOGI(opName, ##__VA_ARGS__)
#define OP_LOGW(opName, ...)                   D_OP_LOGW(opName, ##__VA_ARGS__)
#define OP_LOGE(opName, ...)                   D_OP_LOGE(opName, ##__VA_ARGS__)
#define OP_LOGE_WITHOUT_REPORT(opName, ...)    D_OP_LOGE(opName, ##__VA_ARGS__)
// An error for the user under a code such as "EZ9999". Its arguments are evaluated at every level.
#define REPORT_INNER_ERR_MSG(error_code, format, ...) \
  ::weft_cann::Report(__FILE__, __LINE__, ::Ops::Base::GetSafeStr(error_code), format, ##__VA_ARGS__)

// Runs the log expression and then the statement (return X, break, continue) when the condition holds.
#define OP_CHECK_IF(condition, log, return_expr) \
  do {                                           \
    if (unlikely(condition)) {                   \
      log;                                       \
      return_expr;                               \
    }                                            \
  } while (0)
#define OP_CHECK_NULL_WITH_CONTEXT(context, ptr)      \
  do {                                                \
    if (unlikely((ptr) == nullptr)) {                 \
      OP_LOGE(context, "%s is a null pointer", #ptr); \
      return ::ge::GRAPH_FAILED;                      \
    }                                                 \
  } while (0)

namespace weft_cann {
// A text or a number as a string; "nil" of no text.
inline std::string LogText(const char *text) {
  return text ? text : "nil";
}
template <typename T>
std::string LogText(const T &value) {
  if constexpr (std::is_enum<T>::value)
    return std::to_string(static_cast<int64_t>(value));
  else if constexpr (std::is_arithmetic<T>::value)
    return std::to_string(value);
  else
    return std::string(value);
}
}  // namespace weft_cann

// Reports in fixed words. Texts may be whatever std::string is made of, and numbers.
#define WEFT_CANN_SAY(who, what, name, got, rest)                                                    \
  OP_LOGE(::weft_cann::LogText(who), "%s of %s is %s, %s", what, ::weft_cann::LogText(name).c_str(), \
          ::weft_cann::LogText(got).c_str(), (rest).c_str())
#define WEFT_CANN_EXPECTED(who, what, name, got, want) \
  WEFT_CANN_SAY(who, what, name, got, "expected " + ::weft_cann::LogText(want))
#define WEFT_CANN_REASON(who, what, name, got, why) \
  WEFT_CANN_SAY(who, what, name, got, ::weft_cann::LogText(why))

// clang-format off
#define OP_LOGE_WITH_INVALID_ATTR(e, n, got, want) WEFT_CANN_EXPECTED(e, "the value", n, got, want)
#define OP_LOGE_WITH_INVALID_ATTR_SIZE(e, n, got, want) WEFT_CANN_EXPECTED(e, "the size", n, got, want)
#define OP_LOGE_WITH_INVALID_INPUT(e, n) \
  OP_LOGE(::weft_cann::LogText(e), "%s is not valid", ::weft_cann::LogText(n).c_str())
#define OP_LOGE_WITH_INVALID_INPUT_DTYPE(e, n, got, want) WEFT_CANN_EXPECTED(e, "the data type", n, got, want)
#define OP_LOGE_FOR_INVALID_SHAPE(e, n, got, want) WEFT_CANN_EXPECTED(e, "the shape", n, got, want)
#define OP_LOGE_FOR_INVALID_SHAPE_WITH_REASON(e, n, got, why) WEFT_CANN_REASON(e, "the shape", n, got, why)
#define OP_LOGE_FOR_INVALID_SHAPES_WITH_REASON(e, n, got, why) WEFT_CANN_REASON(e, "the shapes", n, got, why)
#define OP_LOGE_FOR_INVALID_SHAPEDIM(e, n, got, want) WEFT_CANN_EXPECTED(e, "the rank", n, got, want)
#define OP_LOGE_FOR_INVALID_SHAPEDIM_WITH_REASON(e, n, got, why) WEFT_CANN_REASON(e, "the rank", n, got, why)
#define OP_LOGE_FOR_INVALID_SHAPEDIMS_WITH_REASON(e, n, got, why) \
  WEFT_CANN_REASON(e, "the ranks", n, got, why)
#define OP_LOGE_FOR_INVALID_SHAPESIZE(e, n, got, want) \
  WEFT_CANN_EXPECTED(e, "the number of elements", n, got, want)
#define OP_LOGE_FOR_INVALID_SHAPESIZE_WITH_REASON(e, n, got, why) \
  WEFT_CANN_REASON(e, "the number of elements", n, got, why)
#define OP_LOGE_FOR_INVALID_SHAPESIZES_WITH_REASON(e, n, got, why) \
  WEFT_CANN_REASON(e, "the numbers of elements", n, got, why)
#define OP_LOGE_FOR_INVALID_FORMAT(e, n, got, want) WEFT_CANN_EXPECTED(e, "the format", n, got, want)
#define OP_LOGE_FOR_INVALID_FORMAT_WITH_REASON(e, n, got, why) WEFT_CANN_REASON(e, "the format", n, got, why)
#define OP_LOGE_FOR_INVALID_FORMATS_WITH_REASON(e, n, got, why) \
  WEFT_CANN_REASON(e, "the formats", n, got, why)
#define OP_LOGE_FOR_INVALID_DTYPE(e, n, got, want) WEFT_CANN_EXPECTED(e, "the data type", n, got, want)
#define OP_LOGE_FOR_INVALID_DTYPE_WITH_REASON(e, n, got, why) \
  WEFT_CANN_REASON(e, "the data type", n, got, why)
#define OP_LOGE_FOR_INVALID_DTYPES_WITH_REASON(e, n, got, why) \
  WEFT_CANN_REASON(e, "the data types", n, got, why)
#define OP_LOGE_FOR_INVALID_TENSORNUM(e, n, got, want) \
  WEFT_CANN_EXPECTED(e, "the number of tensors", n, got, want)
#define OP_LOGE_FOR_INVALID_TENSORNUMS_WITH_REASON(e, n, got, why) \
  WEFT_CANN_REASON(e, "the numbers of tensors", n, got, why)
#define OP_LOGE_FOR_INVALID_VALUE(e, n, got, want) WEFT_CANN_EXPECTED(e, "the value", n, got, want)
#define OP_LOGE_FOR_INVALID_LISTSIZE(e, n, got, want) WEFT_CANN_EXPECTED(e, "the length", n, got, want)
#define OP_LOGE_FOR_INVALID_VALUE_WITH_REASON(e, n, got, why) WEFT_CANN_REASON(e, "the value", n, got, why)
#define OP_LOGE_FOR_INVALID_VALUES_WITH_REASON(e, n, got, why) WEFT_CANN_REASON(e, "the values", n, got, why)
#define OP_LOGE_FOR_INVALID_STRIDE(e, n, got, want) WEFT_CANN_EXPECTED(e, "the stride", n, got, want)
// clang-format on
#define WEFT_CANN_FILE(who, verb, path, why)                                                               \
  OP_LOGE(::weft_cann::LogText(who), "file %s cannot be %s: %s", ::weft_cann::LogText(path).c_str(), verb, \
          ::weft_cann::LogText(why).c_str())
#define OP_LOGE_FOR_FILE_PATH(who, path, why)  WEFT_CANN_FILE(who, "found", path, why)
#define OP_LOGE_FOR_FILE_OPEN(who, path, why)  WEFT_CANN_FILE(who, "opened", path, why)
#define OP_LOGE_FOR_FILE_PARSE(who, path, why) WEFT_CANN_FILE(who, "read", path, why)
#define WEFT_CANN_CONFIG(who, file, item, value, rest)                                       \
  OP_LOGE(::weft_cann::LogText(who), "%s: %s is %s, %s", ::weft_cann::LogText(file).c_str(), \
          ::weft_cann::LogText(item).c_str(), ::weft_cann::LogText(value).c_str(), (rest).c_str())
#define OP_LOGE_FOR_INVALID_CONFIG(who, file, item, value, want) \
  WEFT_CANN_CONFIG(who, file, item, value, "expected " + ::weft_cann::LogText(want))
#define OP_LOGE_FOR_INVALID_CONFIG_WITH_REASON(who, file, item, value, why) \
  WEFT_CANN_CONFIG(who, file, item, value, ::weft_cann::LogText(why))
#define OP_LOGE_FOR_INVALID_CONFIGS_WITH_REASON(who, file, items, values, why) \
  WEFT_CANN_CONFIG(who, file, items, values, ::weft_cann::LogText(why))
#define OP_LOGE_FOR_INVALID_GRAPH_NODE(node, why) \
  OP_LOGE(::weft_cann::LogText(node), "%s", ::weft_cann::LogText(why).c_str())
#define OP_LOGE_FOR_INVALID_ARGUMENT_WITH_REASON(e, n, why)                   \
  OP_LOGE(::weft_cann::LogText(e), "%s: %s", ::weft_cann::LogText(n).c_str(), \
          ::weft_cann::LogText(why).c_str())
// SPDX-License-Identifier: Apache-2.0
