// weft_cann/hccl_tiling.h - the configuration of communication in fused operators (Mc2). It is checked and
// kept; its bytes for the device stay zero, since weft runs no communication.
#pragma once
#include <string>

#include "weft_cann/tiling_data.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(Mc2InitTiling)
TILING_DATA_FIELD_DEF_ARR(uint8_t, 64, reserved);
END_TILING_DATA_DEF;
BEGIN_TILING_DATA_DEF(Mc2CcTiling)
TILING_DATA_FIELD_DEF_ARR(uint8_t, 280, reserved);
END_TILING_DATA_DEF;
BEGIN_TILING_DATA_DEF(Mc2ServerCfg)
TILING_DATA_FIELD_DEF(uint32_t, version);
TILING_DATA_FIELD_DEF(uint8_t, debugMode);
TILING_DATA_FIELD_DEF(uint8_t, sendArgIndex);
TILING_DATA_FIELD_DEF(uint8_t, recvArgIndex);
TILING_DATA_FIELD_DEF(uint8_t, commOutArgIndex);
TILING_DATA_FIELD_DEF_ARR(uint8_t, 8, reserved);
END_TILING_DATA_DEF;
BEGIN_TILING_DATA_DEF(Mc2HcommCfg)
TILING_DATA_FIELD_DEF(uint8_t, skipLocalRankCopy);
TILING_DATA_FIELD_DEF(uint8_t, skipBufferWindowCopy);
TILING_DATA_FIELD_DEF(uint8_t, stepSize);
TILING_DATA_FIELD_DEF_ARR(char, 13, reserved);
TILING_DATA_FIELD_DEF_ARR(char, 128, groupName);
TILING_DATA_FIELD_DEF_ARR(char, 128, algConfig);
TILING_DATA_FIELD_DEF(uint32_t, opType);
TILING_DATA_FIELD_DEF(uint32_t, reduceType);
END_TILING_DATA_DEF;
}  // namespace optiling

namespace AscendC {
// Setters return 0, or 1 for what the documents do not allow.
class Mc2CcTilingConfig {
 public:
  explicit Mc2CcTilingConfig(const std::string &groupName, uint32_t opType, const std::string &algConfig,
                             uint32_t reduceType = 0, uint8_t dstDataType = 0, uint8_t srcDataType = 0,
                             uint8_t commEngine = 0)
      : group_(groupName), algorithm_(algConfig), op_type_(opType) {
    (void)SetReduceType(reduceType, dstDataType, srcDataType);
    (void)SetCommEngine(commEngine);
  }
  virtual ~Mc2CcTilingConfig() = default;
  uint32_t GetTiling(optiling::Mc2InitTiling &) { return Whole(); }
  uint32_t GetTiling(optiling::Mc2CcTiling &) { return Whole(); }
  // Plain records of the same name, as kernels share them with their host.
  template <typename T>
  uint32_t GetTiling(T &tiling) {
    tiling = T();
    return Whole();
  }
  uint32_t SetOpType(uint32_t opType) { return Keep(op_type_, opType); }
  uint32_t SetGroupName(const std::string &groupName) {
    group_ = groupName;
    return Whole();
  }
  uint32_t SetAlgConfig(const std::string &algConfig) {
    algorithm_ = algConfig;
    return Whole();
  }
  uint32_t SetReduceType(uint32_t reduceType, uint8_t dstDataType = 0, uint8_t srcDataType = 0) {
    to_ = dstDataType;
    from_ = srcDataType;
    return Keep(reduce_, reduceType);
  }
  uint32_t SetStepSize(uint8_t stepSize) { return Keep(step_, stepSize); }
  uint32_t SetSkipLocalRankCopy(uint8_t skip) { return skip > 1 || Keep(skip_copy_, skip); }
  uint32_t SetSkipBufferWindowCopy(uint8_t skip) { return skip > 2 || Keep(skip_window_, skip); }
  uint32_t SetDebugMode(uint8_t debugMode) { return Keep(debug_, debugMode); }
  uint32_t SetQueueNum(uint16_t num) { return Keep(queues_, num); }
  uint32_t SetCommBlockNum(uint16_t num) { return Keep(blocks_, num); }
  uint32_t SetCommEngine(uint8_t commEngine) { return Keep(engine_, commEngine); }

 private:
  static constexpr size_t kMostText = 128;
  template <typename T>
  static uint32_t Keep(T &place, T value) {
    place = value;
    return 0;
  }
  // 1: a name is empty, or too long for its place.
  uint32_t Whole() const {
    return group_.empty() || group_.size() >= kMostText || algorithm_.size() >= kMostText ? 1 : 0;
  }
  std::string group_, algorithm_;
  uint32_t op_type_, reduce_ = 0;
  uint8_t to_ = 0, from_ = 0, step_ = 0, skip_copy_ = 0, skip_window_ = 0, debug_ = 0, engine_ = 0;
  uint16_t queues_ = 0, blocks_ = 0;
};
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
