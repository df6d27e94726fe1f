// attr_rule.h - the rules of attribute values: "min 1", "max 7", "each min 0", "count 4", "count 2,4", "one
// of A|B".
#pragma once
#include "weft/op.h"

// Is the rule text well-formed for the type (checked at registration)?
weft_status weft__check_rule_valid(const weft_attr_decl *decl, weft_attr_type type, weft_diag *d);
// Does a value keep the rule? Each violation is given to `report` (R209); returns the first one's status.
weft_status weft__check_rule(const weft_attr_decl *decl, const weft_attr *v, weft_diag *d);
// SPDX-License-Identifier: Apache-2.0
