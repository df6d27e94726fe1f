// Every built-in operator keeps every law over its examples (weft/laws.h), and shows at least two: one that
// works and one that is refused. What `weft op test` runs for all of them.
#include "check.h"
#include "op/proto.h"
#include "weft/laws.h"

enum { ROUNDS = 5 };  // `make check-long` has many more (`weft op test --rounds`)

static void print_violation(void *ctx, const char *text) {
  (void)ctx;
  check_failed(__FILE__, __LINE__, "%s", text);
}

static void count_examples(const weft_op *op, size_t *out_good, size_t *out_refused) {
  *out_good = *out_refused = 0;
  for (const char *const *line = op->examples; line && *line; line++) {
    if (strstr(*line, "!!"))
      ++*out_refused;
    else
      ++*out_good;
  }
}

// What a row refuses its primitives refuse, or its family; an operator with a file of its own shows it.
static bool has_file(const weft_op *op) {
  for (size_t i = 0; i < weft__builtin_op_count; i++) {
    if (weft__builtin_ops[i] == op)
      return true;
  }
  return false;
}

TEST(every_builtin_operator_keeps_the_laws) {
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.package_path = ""};
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  weft_laws_options laws = {.report = print_violation, .rounds = check_long() ? 0 : ROUNDS};
  size_t seen = 0;
  for (size_t i = 0; i < weft_proto_count(e, false); i++) {
    const weft_proto *p = weft_proto_at(e, i, false);
    if (weft_proto_source(p) != WEFT_FROM_BUILTIN)
      continue;
    const weft_op *op = weft_proto_op(p);
    size_t good;
    size_t refused;
    weft_laws_result r;
    weft_diag_clear(&d);
    seen++;
    count_examples(op, &good, &refused);
    if (!good && !op->graphs) {  // a line of text holds no sub-graph
      check_failed(__FILE__, __LINE__, "operator '%s' has no example that works", op->name);
    } else if (!refused && has_file(op))
      check_failed(__FILE__, __LINE__,
                   "operator '%s' has %zu examples that work and %zu that are refused: at least one each",
                   op->name, good, refused);
    weft_status s = weft_op_laws(e, p, &laws, &r, &d);
    if (s && s != WEFT_E_DIFFERENT)
      check_failed(__FILE__, __LINE__, "operator '%s': %s", op->name, d.text);
  }
  CHECK(seen > 0);
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
