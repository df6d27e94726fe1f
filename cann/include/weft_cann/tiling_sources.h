// weft_cann/tiling_sources.h - what a tiling function's call needs beyond its context, where a file of the
// shared object has it: platforms (platform.h), the fields of records (tiling_data.h).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "weft/tiling.h"
#include "weft_cann/base.h"

namespace weft_cann {
class Tilings;  // package_tiling.h: what was made for each processor that an operator was tiled for
struct PlatformMaker {
  // NULL: no processor is called so; `known` names those that there are.
  void *(*make)(const char *soc, std::string &known);
  void (*drop)(void *platform);
};
WEFT_CANN_OWN inline PlatformMaker &PlatformSource() {
  static PlatformMaker source = {nullptr, nullptr};
  return source;
}
// The fields of the record that is registered for an operator type. Their names live as long as the shared
// object. Gives the record's bytes; 0: there is none.
using RecordSource = size_t (*)(const char *type, std::vector<weft_tiling_field> &fields);
WEFT_CANN_OWN inline RecordSource &TilingRecords() {
  static RecordSource source = nullptr;
  return source;
}
// package_tiling.h, where a file of the shared object has it.
struct TilingSource {
  weft_tile_fn tile;
  std::shared_ptr<Tilings> (*make)(const char *type);
};
WEFT_CANN_OWN inline TilingSource &PackageTiling() {
  static TilingSource source = {nullptr, nullptr};
  return source;
}
}  // namespace weft_cann
// SPDX-License-Identifier: Apache-2.0
