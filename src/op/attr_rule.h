// attr_rule.h - the rules of attribute values: "min 1", "max 7", "each min 0", "count 4", "count 2,4", "one
// of A|B".
#pragma once
#include "base/base.h"
#include "weft/op.h"

// A rule, read.
typedef struct weft__rule_clause {
  enum { WEFT__RULE_MIN, WEFT__RULE_MAX, WEFT__RULE_EACH_MIN, WEFT__RULE_COUNT, WEFT__RULE_ONE_OF } kind;
  long long number;
  const char *text;  // of COUNT and ONE_OF, in the declaration
  size_t bytes;
} weft__rule_clause;
typedef struct weft__rule {
  const weft__rule_clause *v;
  size_t n;
} weft__rule;
// Reads the rule of a declaration; E_SYNTAX: it is not well-formed for the type. Done at registration.
weft_status weft__rule_read(const weft_attr_decl *decl, weft_attr_type type, weft_arena *arena,
                            weft__rule *out, weft_diag *d);
// Does a value keep the rule? Each violation is a line (R209); returns the first one's status.
weft_status weft__rule_check(const weft_attr_decl *decl, const weft__rule *r, const weft_attr *v,
                             weft_diag *d);
// SPDX-License-Identifier: Apache-2.0
