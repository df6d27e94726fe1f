// checker_test.cpp - assertions that end a function, reports under a code, levels, and small helpers.
#include "adv_api/hccl/hccl_tiling.h"
#include "base/dlog_pub.h"
#include "base/err_msg.h"
#include "check.h"
#include "common/checker.h"
#include "register/tuning_tiling_reflection_utils.h"
#include "util/math_util.h"

namespace {
struct Hearing {  // what is logged while it lives
  std::string text;
  Hearing() {
    weft_cann::CurrentLogSink() = {
        [](void *to, int, const char *line) { *static_cast<std::string *>(to) += std::string(line) + "\n"; },
        &text};
  }
  ~Hearing() { weft_cann::CurrentLogSink() = {nullptr, nullptr}; }
};
ge::graphStatus Status(int n) {
  GE_ASSERT_TRUE(n > 0, "n is %d", n);
  GE_ASSERT_EQ(n % 2, 0);
  return ge::GRAPH_SUCCESS;
}
int *Pointer(int *given) {
  GE_ASSERT_NOTNULL(given);
  return given;
}
bool Bool(ge::graphStatus status) {
  GE_ASSERT_GRAPH_SUCCESS(status, "step two");
  return true;
}
std::string Text(bool holds) {
  GE_ASSERT(holds);
  return "text";
}
std::unique_ptr<int> Owned(uint32_t status) {
  GE_ASSERT_SUCCESS(status);
  return std::make_unique<int>(1);
}
int evaluated = 0;
int Evaluated() {
  return ++evaluated;
}
}  // namespace

TEST(checker_ends_functions_of_any_type) {
  Hearing heard;
  int n = 1;
  CHECK_EQ(Status(2), ge::GRAPH_SUCCESS);
  CHECK_EQ(Status(-3), ge::GRAPH_FAILED);
  CHECK(heard.text.find("n > 0 is false: n is -3 (checker_test.cpp:") != std::string::npos);
  CHECK_EQ(Status(3), ge::GRAPH_FAILED);
  CHECK(heard.text.find("n % 2 and 0 differ") != std::string::npos);
  CHECK(Pointer(&n) == &n && !Pointer(nullptr));
  CHECK(Bool(ge::GRAPH_SUCCESS) && !Bool(ge::GRAPH_FAILED));
  CHECK(heard.text.find("status failed: step two") != std::string::npos);
  CHECK(Text(true) == "text" && Text(false).empty());
  CHECK(Owned(0) && !Owned(7));
}

TEST(checker_reports_under_a_code) {
  Hearing heard;
  REPORT_INNER_ERR_MSG("EZ9999", "axis %d of %s", 5, "x");
  CHECK(heard.text.find("EZ9999: axis 5 of x (checker_test.cpp:") == 0);
  REPORT_INNER_ERR_MSG(std::string("EZ1001"), "no arguments");
  CHECK(heard.text.find("EZ1001: no arguments") != std::string::npos);
}

TEST(checker_levels_are_set) {
  CHECK_EQ(dlog_setlevel(OP, 4, 0), 0);
  CHECK_EQ(CheckLogLevel(OP, DLOG_ERROR), 0);
  REPORT_INNER_ERR_MSG("EZ9999", "nobody reads this: %d", Evaluated());
  CHECK_EQ(evaluated, 1);
  CHECK_EQ(dlog_setlevel(OP, DLOG_DEBUG, 1), 0);
  CHECK_EQ(CheckLogLevel(OP, DLOG_DEBUG), 1);
  CHECK_EQ(dlog_setlevel(-1, 9, 0), -1);
  CHECK_EQ(dlog_setlevel(-1, DLOG_ERROR, 0), 0);
}

TEST(checker_hashes_bytes) {
  CHECK_EQ(Ops::Base::MurmurHash("", 0, 0), 0u);
  CHECK_EQ(Ops::Base::MurmurHash("hello", 5, 0), 0x248bfa47u);
  CHECK_EQ(Ops::Base::MurmurHash("hello, world", 12, 0), 0x149bbb7fu);
  CHECK(Ops::Base::MurmurHash("a", 1) != Ops::Base::MurmurHash("b", 1));
}

TEST(checker_keeps_configurations_of_communication) {
  AscendC::Mc2CcTilingConfig config("group", 8, "AllReduce=level0:doublering");
  optiling::Mc2InitTiling init;
  optiling::Mc2CcTiling call;
  CHECK_EQ(config.GetTiling(init), 0u);
  CHECK_EQ(config.GetTiling(call), 0u);
  CHECK_EQ(config.SetSkipLocalRankCopy(1), 0u);
  CHECK_EQ(config.SetSkipLocalRankCopy(2), 1u);
  CHECK_EQ(config.SetGroupName(""), 1u);
}

namespace tuningtiling {
struct CheckInner {
  int m = 0;
};
struct CheckOuter {
  double share = 0;
  CheckInner inner;
};
DECLARE_SCHEMA(CheckInner, FIELD(CheckInner, m))
DECLARE_SCHEMA(CheckOuter, FIELD(CheckOuter, share), FIELD(CheckOuter, inner))
}  // namespace tuningtiling

TEST(checker_walks_declared_fields) {
  tuningtiling::CheckOuter outer;
  std::string names;
  tuningtiling::ForEachField(outer, [&](const char *name, auto &) { names += std::string(name) + " "; });
  CHECK_EQ(names, std::string("share inner "));
  CHECK(tuningtiling::IsSerializeType<tuningtiling::CheckOuter>() && !tuningtiling::IsSerializeType<int>());
}
// SPDX-License-Identifier: Apache-2.0
