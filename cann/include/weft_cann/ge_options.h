// weft_cann/ge_options.h - names of the options that GEInitialize, sessions, graphs and offline builds take.
// docs/cann.md says which of them weft reads; the others have nothing to decide on the machine at hand.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "weft_cann/base.h"

namespace ge {
enum class MemoryType : std::int64_t { MEMORY_TYPE_DEFAULT = 0, MEMORY_TYPE_P2P = 1 };

struct InputTensorInfo {
  uint32_t data_type = 0;
  std::vector<int64_t> dims;
  void *data = nullptr;
  int64_t length = 0;
};

// X(name, key)
#define WEFT_CANN_OPTION_LIST(X)                           \
  X(AICORE_NUM, "ge.aicoreNum")                            \
  X(CORE_TYPE, "ge.engineType")                            \
  X(DETERMINISTIC, "ge.deterministic")                     \
  X(INPUT_SHAPE, "ge.inputShape")                          \
  X(SOC_VERSION, "ge.socVersion")                          \
  X(OPTION_EXEC_DEVICE_ID, "ge.exec.deviceId")             \
  X(OPTION_GRAPH_RUN_MODE, "ge.graphRunMode")              \
  X(PRECISION_MODE, "ge.exec.precision_mode")              \
  X(PRECISION_MODE_V2, "ge.exec.precision_mode_v2")        \
  X(ALLOW_HF32, "ge.exec.allow_hf32")                      \
  X(DYNAMIC_DIMS, "ge.dynamicDims")                        \
  X(DYNAMIC_NODE_TYPE, "ge.dynamicNodeType")               \
  X(OO_LEVEL, "ge.oo.level")                               \
  X(OO_CONSTANT_FOLDING, "ge.oo.constantFolding")          \
  X(OO_DEAD_CODE_ELIMINATION, "ge.oo.deadCodeElimination") \
  X(OP_COMPILER_CACHE_MODE, "ge.op_compiler_cache_mode")   \
  X(OP_COMPILER_CACHE_DIR, "ge.op_compiler_cache_dir")     \
  X(JIT_COMPILE, "ge.jit_compile")                         \
  X(OPTION_EXEC_ENABLE_DUMP, "ge.exec.enableDump")         \
  X(OPTION_EXEC_PROFILING_MODE, "ge.exec.profilingMode")   \
  X(OPTION_EXEC_PROFILING_OPTIONS, "ge.exec.profilingOptions")

#define WEFT_X(name, key) const std::string name = key;
WEFT_CANN_OPTION_LIST(WEFT_X)
#undef WEFT_X

namespace configure_option {
#define WEFT_X(name, key) const char_t *const name = key;
WEFT_CANN_OPTION_LIST(WEFT_X)
#undef WEFT_X
}  // namespace configure_option

// Of offline builds and parsers.
namespace ir_option {
const char_t *const INPUT_FORMAT = "input_format";
const char_t *const INPUT_SHAPE = "input_shape";
const char_t *const INPUT_DATA_NAMES = "input_data_names";
const char_t *const OUTPUT = "output";
const char_t *const OUT_NODES = "out_nodes";
const char_t *const OUTPUT_TYPE = "output_type";
const char_t *const LOG_LEVEL = "log";
const char_t *const AICORE_NUM = "ge.aicoreNum";
const char_t *const CORE_TYPE = "ge.engineType";
const char_t *const DETERMINISTIC = "ge.deterministic";
const char_t *const SOC_VERSION = "ge.socVersion";
const char_t *const PRECISION_MODE = "ge.exec.precision_mode";
const char_t *const EXEC_DISABLE_REUSED_MEMORY = "ge.exec.disableReuseMemory";
}  // namespace ir_option

namespace public_attr {
const char_t *const AI_CORE_CNT = "ai_core_cnt";
}  // namespace public_attr
}  // namespace ge
// SPDX-License-Identifier: Apache-2.0
