// ops/string/static_regex_full_match.c - does the pattern match the whole string?   AscendIR
// StaticRegexFullMatch, ONNX RegexFullMatch-20. Strings are UTF-8. Without the plug-in weft_pcre2 every
// use is E_UNSUPPORTED.
#include "regex.h"

enum { PATTERN };

static weft_status static_regex_full_match_ref(const weft_call *c) {
  const weft_attr *p = weft_attr_at(c->desc, PATTERN, WEFT_VT_STRING);
  if (!c->out[0])
    return WEFT_OK;
  const weft_pattern pattern = {p ? p->u.s : "", p ? p->n : 0, false};
  return weft__regex_full_match_all(c, &pattern, "attribute 'pattern'");
}

#ifdef WEFT_WITH_PCRE2
#define EXAMPLES                                                                                             \
  WEFT_EXAMPLES(                                                                                             \
      "str[3]{\"www.google.com\",\"www.x.org\",\"x\"} pattern=\"www\\\\.[a-z]+\\\\.com\" -> bool[3]{1,0,0}", \
      "str[2,1]{\"a\",\"ab\"} pattern=\"(a|ab)\" -> bool[2,1]{1,1}", "str[]{\"\"} -> bool[]{1}",             \
      "str[1]{\"\xc3\xa4\"} pattern=\".\" -> bool[1]{1}", "str[0] pattern=\"a\" -> bool[0]",                 \
      "str[1]{\"a\\n\"} pattern=\"a$\" -> bool[1]{0}", "str[-1,3] -> bool[-1,3]",                            \
      "str[1]{\"a\"} pattern=\"(a\" !! E_SYNTAX pattern '(a', byte 2", "i32[1]{1} !! E_DTYPE input 'input'")
#else
#define EXAMPLES                                                                             \
  WEFT_EXAMPLES("str[-1,3] -> bool[-1,3]",                                                   \
                "str[1]{\"a\"} pattern=\"a\" !! E_UNSUPPORTED needs the plug-in weft_pcre2", \
                "i32[1]{1} !! E_DTYPE input 'input'")
#endif
WEFT_OP(static_regex_full_match) = {
    WEFT_OP_HEAD,
    .name = "StaticRegexFullMatch",
    .summary = "whether a pattern matches whole strings",
    .in = PORTS({"input", NULL, WEFT_DT(STRING)}),
    .out = PORTS({"output", NULL, WEFT_DT(BOOL)}),
    .attrs = ATTRS({"pattern", "String", "\"\""}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE,
    .infer = weft__infer_same,
    .ref = static_regex_full_match_ref,
    .examples = EXAMPLES,
};
// SPDX-License-Identifier: Apache-2.0
