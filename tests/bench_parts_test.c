// bench_parts_test.c - `weft bench`: the statistics, and what is written of a report made by hand. No time is
// measured.
#include "../cli/bench/bench.h"
#include "check.h"

TEST(least_and_median) {
  double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2}, one[] = {7};
  CHECK_F64(bench_least(odd, 3), 1, 0);
  CHECK_F64(bench_median(odd, 3), 3, 0);
  CHECK_F64(bench_median(even, 4), 2.5, 0);
  CHECK_F64(bench_median(one, 1), 7, 0);
  CHECK_F64(bench_least(NULL, 0), -1, 0);
  CHECK_F64(bench_median(NULL, 0), -1, 0);
}

TEST(rounds_keep_the_least_and_the_median_of_medians) {
  bench_times t = {-1, -1, 0};
  double medians[3];
  bench_times_add(&t, 10, 12, 5, medians, 0);
  bench_times_add(&t, 9, 30, 3, medians, 1);
  CHECK_F64(t.median, 21, 0);
  bench_times_add(&t, 11, 13, 4, medians, 2);
  CHECK_F64(t.least, 9, 0);
  CHECK_F64(t.median, 13, 0);
  CHECK_INT(t.runs, 12);
}

static bench_difference between(const double *got, const double *want, size_t n) {
  bench_difference x = {0};
  for (size_t i = 0; i < n; i++)
    bench_difference_add(&x, got[i], want[i]);
  return x;
}

TEST(differences_are_beside_the_largest_element) {
  double want[] = {3, -4, 0}, got[] = {3, -3.6, 0.1};
  bench_difference x = between(got, want, 3);
  CHECK_F64(bench_difference_max(&x), 0.1, 1e-12);
  CHECK_F64(bench_difference_rms(&x), sqrt(0.17 / 25), 1e-12);
  double zero[] = {0, 0, 0};
  x = between(got, zero, 3);
  CHECK_F64(bench_difference_max(&x), 3.6, 1e-12);
  x = between(want, want, 3);
  CHECK_F64(bench_difference_max(&x), 0, 0);
}

TEST(infinities_and_nan_differ_only_from_others) {
  double want[] = {INFINITY, NAN, 1}, same[] = {INFINITY, NAN, 1}, other[] = {-INFINITY, NAN, 1},
         lost[] = {INFINITY, 0, 1};
  bench_difference x = between(same, want, 3);
  CHECK_F64(bench_difference_max(&x), 0, 0);
  x = between(other, want, 3);
  CHECK(isinf(bench_difference_max(&x)) && isinf(bench_difference_rms(&x)));
  x = between(lost, want, 3);
  CHECK(isinf(bench_difference_max(&x)));
}

TEST(ratios_need_both) {
  CHECK_F64(bench_ratio(2, 4), 0.5, 0);
  CHECK_F64(bench_ratio(-1, 4), -1, 0);
  CHECK_F64(bench_ratio(2, -1), -1, 0);
  CHECK_F64(bench_ratio(2, 0), -1, 0);
}

TEST(units) {
  char b[32];
  CHECK_STR(bench_time(-1, b, sizeof b), "");
  CHECK_STR(bench_time(0, b, sizeof b), "0");
  CHECK_STR(bench_time(7.5, b, sizeof b), "7.50 ns");
  CHECK_STR(bench_time(999.99, b, sizeof b), "1.00 us");
  CHECK_STR(bench_time(21340000, b, sizeof b), "21.3 ms");
  CHECK_STR(bench_time(2.5e9, b, sizeof b), "2.50 s");
  CHECK_STR(bench_bytes(1.5e6, b, sizeof b), "1.50 MB");
  CHECK_STR(bench_bytes(-1, b, sizeof b), "");
}

TEST(lists_of_threads) {
  uint32_t v[BENCH_MOST_THREADS];
  size_t n = 0;
  CHECK(bench_threads("1,2,16", v, &n));
  CHECK_INT(n, 3);
  CHECK_INT(v[2], 16);
  static const char *const wrong[] = {"", "0", "1,", ",1", "a", "1;2", "-1", "1,2,3,4,5,6,7,8,9", "99999"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    if (bench_threads(wrong[i], v, &n))
      check_failed(__FILE__, __LINE__, "'%s' was taken", wrong[i]);
  }
}

// ---- a report by hand: one good row beside the peer, one row in which the peer failed ----
static bench_options options = {.repeat = 3, .seconds = 0.1, .tolerance = 1e-3, .starts = 2, .n_engines = 2};
static bench_case good = {.model = "/a\"b\\c.onnx", .name = "a<b&c"};

static void fill(bench_report *r, bench_row rows[2], bench_op *op) {
  static const bench_result none = {.load_ns = -1,
                                    .load_median_ns = -1,
                                    .own_load_ns = -1,
                                    .first_ns = -1,
                                    .first_over_ns = -1,
                                    .run = {-1, -1, 0},
                                    .allocations = -1,
                                    .peak_bytes = -1,
                                    .base_bytes = -1,
                                    .error_max = -1,
                                    .error_rms = -1};
  options.engines[0] = (bench_engine){.label = "weft", .name = "weft", .version = "0"};
  options.engines[1] = (bench_engine){.label = "Peer", .name = "Peer", .version = "9.9", .peer = "peer"};
  for (int i = 0; i < 2; i++) {
    rows[i] = (bench_row){.c = &good, .threads = 1 + (uint32_t)i, .nodes = i ? 2000 : -1};
    snprintf(rows[i].name, sizeof rows[i].name, "%s",
             i ? "a name that is much longer than any column will ever be" : "a<b&c");
    snprintf(rows[i].shapes, sizeof rows[i].shapes, "1x3");
    for (int k = 0; k < BENCH_MOST_SIDES; k++)
      rows[i].r[k] = none;
  }
  rows[0].reference = "the reference interpreter";
  rows[0].r[0].run = (bench_times){2e6, 3e6, 10};
  rows[0].r[1].run = (bench_times){4e6, 4e6, 10};
  rows[0].r[0].load_ns = 5e6;
  rows[0].r[0].first_ns = 2.5e6;
  rows[0].r[0].load_median_ns = 6e6;
  rows[0].r[0].first_over_ns = 4e5;
  rows[0].r[0].error_max = INFINITY;
  rows[0].r[0].ops = op;
  rows[0].r[0].n_ops = 1;
  rows[1].r[0].run = (bench_times){8e6, 9e6, 10};
  snprintf(rows[1].r[1].error, sizeof rows[1].r[1].error, "it said\n\"no\"");
  *r = (bench_report){
      .o = &options, .machine = "A & B", .date = "2026-01-02", .cores = 2, .rows = rows, .n_rows = 2};
}

static char *written(void (*write)(const bench_report *, FILE *)) {
  bench_op op = {.type = "Conv2D conv", .launches = 3, .ns = 1e6, .bytes = 5e6, .flops = 2e8};
  bench_row rows[2];
  bench_report r;
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);
  fill(&r, rows, &op);
  write(&r, f);
  fclose(f);
  return text;
}

TEST(json_says_null_for_what_was_not_measured) {
  char *t = written(bench_json);
  CHECK_HAS(t, "\"model\": \"/a\\\"b\\\\c.onnx\"");
  CHECK_HAS(t, "\"least_ns\": 2000000");
  CHECK_HAS(t, "\"least_to_peer\": 0.5");
  CHECK_HAS(t, "\"median_to_peer\": 0.75");
  CHECK_HAS(t, "\"ready_median_ns\": 6000000");
  CHECK_HAS(t, "\"first_over_ns\": 400000");
  CHECK_HAS(t, "\"own_file_ns\": null");
  CHECK_HAS(t, "\"difference\": \"inf\"");
  CHECK_HAS(t, "\"error\": \"it said\\u000a\\\"no\\\"\"");
  CHECK_HAS(t, "\"operator\": \"Conv2D conv\", \"launches\": 3");
  CHECK(!strstr(t, "nan") && !strstr(t, "-1"));
  long open = 0;
  for (const char *c = t; *c; c++)
    open += (*c == '{' || *c == '[') - (*c == '}' || *c == ']');
  CHECK_INT(open, 0);
  free(t);
}

TEST(ratios_are_beside_the_peer_with_the_same_instruction_set) {
  const bench_options o = {
      .n_engines = 5,
      .engines = {
          {.isa = NULL}, {.isa = "avx2"}, {.isa = "plain"}, {.peer = "p", .isa = "avx2"}, {.peer = "p"}}};
  const int base[] = {4, 3, 3, 3, 4};  // plain: no such peer, so the first one
  for (size_t k = 0; k < o.n_engines; k++)
    CHECK_INT(bench_base(&o, k), base[k]);
  const bench_options alone = {.n_engines = 1};
  CHECK_INT(bench_base(&alone, 0), -1);
}

TEST(svg_escapes_cuts_and_stays_inside) {
  char *t = written(bench_svg);
  CHECK_HAS(t, "<svg xmlns=");
  CHECK_HAS(t, "a&lt;b&amp;c");
  CHECK_HAS(t, "A &amp; B");
  CHECK_HAS(t, "2.00 ms  (0.50)");
  CHECK_HAS(t, "failed");
  CHECK_HAS(t, "\xe2\x80\xa6</text>");  // the long name is cut
  CHECK(!strstr(t, "ever be"));
  CHECK_HAS(t, "prefers-color-scheme:dark");
  double width = 0;
  CHECK_INT(sscanf(strstr(t, "width=") + 7, "%lf", &width), 1);
  for (const char *at = t; (at = strstr(at, " x=\"")); at++) {
    double x = strtod(at + 4, NULL);
    CHECK(x >= 0 && x <= width - 20);
  }
  free(t);
}

TEST(table_fits_100_columns) {
  char *t = written(bench_table);
  CHECK_HAS(t, "weft 0, Peer 9.9");
  CHECK_HAS(t, "0.50");
  CHECK_HAS(t, "failed: it said");
  CHECK_HAS(t, "MORE THAN ALLOWED");
  CHECK_HAS(t, "ns a node: weft 4000.0");
  CHECK_HAS(t, "200.0");  // GFLOP/s
  for (const char *line = t; *line; line += strcspn(line, "\n") + 1) {
    if (strcspn(line, "\n") > 120)
      check_failed(__FILE__, __LINE__, "%zu columns: %.130s", strcspn(line, "\n"), line);
  }
  free(t);
}
// SPDX-License-Identifier: Apache-2.0
