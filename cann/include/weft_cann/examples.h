// weft_cann/examples.h - examples of an operator, which `weft op test` holds it to: each runs and gives what
// it says, and the laws of operators hold for it (weft/laws.h has their form: inputs in order, attributes,
// ->, outputs; or !! and the status and the words of a refusal).
//
//   WEFT_CANN_EXAMPLES(AddCustom, "f32[2]{1,2}, f32[2]{3,4} -> f32[2]{4,6}",
//                      "f32[2], f32[3] !! E_SHAPE rank");
//
// Beside OP_ADD or REG_OP, in any source file of the package. The texts live as long as the shared object.
#pragma once
#include <map>
#include <string>

#include "weft_cann/base.h"

namespace weft_cann {
using ExampleTable = std::map<std::string, const char *const *>;  // a list ends with nullptr
WEFT_CANN_OWN inline ExampleTable &Examples() {
  static ExampleTable table;
  return table;
}
WEFT_CANN_OWN inline bool AddExamples(const char *type, const char *const *examples) {
  Examples()[type] = examples;
  return true;
}
}  // namespace weft_cann

#define WEFT_CANN_EXAMPLES(type, ...)                                       \
  static const char *const type##ExamplesOfWeft[] = {__VA_ARGS__, nullptr}; \
  static const bool VAR_UNUSED type##ExamplesAddedToWeft =                  \
      ::weft_cann::AddExamples(#type, type##ExamplesOfWeft)
// SPDX-License-Identifier: Apache-2.0
