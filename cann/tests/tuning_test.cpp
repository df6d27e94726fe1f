// tuning_test.cpp - records of a tuner and keys of its bank: registered, written as text and read again.
#include "check.h"
#include "register/tuning_bank_key_registry.h"
#include "register/tuning_tiling_registry.h"

namespace tuningtiling {
BEGIN_TUNING_TILING_DEF(CheckTuned)
TUNING_TILING_DATA_FIELD_DEF(uint32_t, rows);
TUNING_TILING_DATA_FIELD_DEF(float, share);
END_TUNING_TILING_DEF
REGISTER_TUNING_TILING_CLASS(CheckTunedOp, CheckTuned)
struct CheckKey {
  uint32_t m = 0;
  int64_t n = 0;
};
bool MakeKey(const gert::TilingContext *, std::shared_ptr<void> &key, size_t &size) {
  key = std::make_shared<CheckKey>();
  size = sizeof(CheckKey);
  return true;
}
REGISTER_OP_BANK_KEY_CONVERT_FUN(CheckTunedOp, MakeKey)
#if WEFT_CANN_JSON
DECLARE_STRUCT_RELATE_WITH_OP(CheckTunedOp, CheckKey, m, n)
#endif
}  // namespace tuningtiling

TEST(tuning_classes_are_found_by_type) {
  auto made = tuningtiling::TuningTilingClassFactory::CreateTilingDataInstance("CheckTunedOp");
  CHECK(made != nullptr);
  CHECK(made->GetClassName() == ge::AscendString("CheckTuned"));
  CHECK_EQ(made->GetItemInfo().size(), 2u);
  CHECK(tuningtiling::TuningTilingClassFactory::CreateTilingDataInstance("NoSuchOp") == nullptr);
}

#if WEFT_CANN_JSON
TEST(tuning_records_as_text) {
  tuningtiling::CheckTuned record;
  record.rows = 7;
  record.FromJson({{"share", 0.5}, {"unknown", 1}});
  CHECK_EQ(record.rows, 7u);
  nlohmann::json j;
  record.ToJson(j);
  CHECK_EQ(j.dump(), "{\"rows\":7,\"share\":0.5}");
}

TEST(tuning_keys_as_text) {
  auto &info = tuningtiling::OpBankKeyFuncRegistry::RegisteredOpFuncInfo()["CheckTunedOp"];
  std::shared_ptr<void> key;
  size_t size = 0;
  CHECK(info.GetBankKeyLoadFunc()(key, size, "{\"m\": 3, \"n\": -4}"));
  CHECK_EQ(size, sizeof(tuningtiling::CheckKey));
  ge::AscendString text;
  CHECK(info.GetBankKeyParseFunc()(key, size, text));
  CHECK_EQ(std::string(text.GetString()), "{\"m\":3,\"n\":-4}");
  CHECK(!info.GetBankKeyParseFunc()(key, size - 1, text));
  for (const char *bad : {"", "{", "[]", "{\"m\": 3}", "{\"m\": \"x\", \"n\": 1}"})
    CHECK(!info.GetBankKeyLoadFunc()(key, size, bad));
  CHECK(info.GetBankKeyConvertFunc()(nullptr, key, size));
}
#endif
// SPDX-License-Identifier: Apache-2.0
