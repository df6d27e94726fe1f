// weft_cann/tiling_data_source.h - the fields of registered tiling data, for who shows a record
// (package_tiling.h). A shared object has it when one of its files includes tiling_data.h.
#pragma once
#include <deque>

#include "weft_cann/tiling_data.h"
#include "weft_cann/tiling_sources.h"

namespace weft_cann {
class WEFT_CANN_OWN TilingRecordReader {
 public:
  static size_t Fields(const char *type, std::vector<weft_tiling_field> &fields) {
    static std::deque<std::vector<optiling::FieldPlace>> kept;  // the names live here
    const auto record = optiling::CTilingDataClassFactory::GetInstance().CreateTilingDataInstance(type);
    if (!record)
      return 0;
    kept.push_back(record->Places());
    for (const optiling::FieldPlace &place : kept.back())
      fields.push_back({place.name.c_str(), TypeOf(place), place.at, place.elements});
    return record->GetDataSize();
  }

 private:
  static weft_dtype TypeOf(const optiling::FieldPlace &place) {
    static const struct {
      char kind;
      size_t bytes;
      weft_dtype type;
    } types[] = {{'b', 1, WEFT_BOOL},   {'f', 4, WEFT_FLOAT},  {'f', 8, WEFT_DOUBLE}, {'i', 1, WEFT_INT8},
                 {'i', 2, WEFT_INT16},  {'i', 4, WEFT_INT32},  {'i', 8, WEFT_INT64},  {'u', 1, WEFT_UINT8},
                 {'u', 2, WEFT_UINT16}, {'u', 4, WEFT_UINT32}, {'u', 8, WEFT_UINT64}};
    for (const auto &type : types) {
      if (type.kind == place.kind && type.bytes == place.bytes)
        return type.type;
    }
    return WEFT_UNDEFINED;
  }
};
WEFT_CANN_OWN inline const bool kTilingDataAreTold = (TilingRecords() = TilingRecordReader::Fields, true);
}  // namespace weft_cann
// SPDX-License-Identifier: Apache-2.0
