// status_test.c - version, status names, diags.
#include <pthread.h>

#include "base/base.h"
#include "base/chars.h"
#include "check.h"

TEST(version_is_text) {
  CHECK_STR(weft_version(), "0.1.0");
}

TEST(names_and_texts) {
  CHECK_STR(weft_status_name(WEFT_OK), "OK");
  CHECK_STR(weft_status_name(WEFT_E_SHAPE), "E_SHAPE");
  CHECK_STR(weft_status_name(WEFT_E_STATE), "E_STATE");
  CHECK_STR(weft_status_text(WEFT_E_SHAPE), "shapes do not fit");
  CHECK_STR(weft_status_name(1000), "E_PACKAGE");
  CHECK_STR(weft_status_name(-1), "E_PACKAGE");
  CHECK_STR(weft_status_text(INT32_MIN), "a package's own error");
}

TEST(first_cause_is_kept_and_notes_follow) {
  weft_diag d;
  weft_diag_clear(&d);
  weft_note(&d, "nothing failed yet");
  CHECK_STR(d.text, "");
  CHECK_INT(weft_fail(&d, WEFT_E_SHAPE, "input '%s': expected rank %d, got %d", "w", 4, 3), WEFT_E_SHAPE);
  CHECK_INT(weft_fail(&d, WEFT_E_DTYPE, "later"), WEFT_E_DTYPE);
  weft_note(&d, "while inferring node '%s' (%s)", "conv1", "Conv2D");
  weft_note(&d, "in graph 'g'");
  CHECK_INT(d.status, WEFT_E_SHAPE);
  CHECK_STR(d.text,
            "input 'w': expected rank 4, got 3\n  while inferring node 'conv1' (Conv2D)\n  in graph 'g'");
  CHECK_INT(d.length, strlen(d.text));
  weft_diag_clear(&d);
  CHECK_INT(d.status, WEFT_OK);
  CHECK_STR(d.text, "");
  CHECK_INT(weft_fail(&d, 4711, "own code"), 4711);
  CHECK_INT(d.status, 4711);
}

TEST(null_diag_is_allowed) {
  weft_diag_clear(NULL);
  weft_note(NULL, "x");
  CHECK_INT(weft_fail(NULL, WEFT_E_IO, "x %d", 1), WEFT_E_IO);
}

TEST(r334_names_beyond_ascii_pass) {
  weft_diag d = {0};
  weft_fail(&d, WEFT_E_NOT_FOUND, "operator '%s' is not known", "算子");
  CHECK_STR(d.text, "operator '算子' is not known");
}

TEST(r333_other_bytes_become_question_marks) {
  weft_diag d = {0};
  weft_fail(&d, WEFT_E_NOT_FOUND, "node '%s' %c", "a\xff\xe7\xae\x1b[2Jb\xed\xa0\x80", 127);
  CHECK_STR(d.text,
            "node 'a??"
            "??[2Jb??"
            "?' ?");
}

TEST(r334_cut_between_characters) {
  char name[WEFT_DIAG_BYTES * 2];
  for (size_t lead = 0; lead < 4; lead++) {
    weft_diag d = {0};
    memset(name, 'x', lead);
    for (size_t i = lead; i + 3 < sizeof name; i += 3)
      memcpy(name + i, "算", 4);
    weft_fail(&d, WEFT_E_IO, "%s", name);
    CHECK_INT(d.length, strlen(d.text));
    CHECK(d.length < WEFT_DIAG_BYTES && d.length >= WEFT_DIAG_BYTES - 4);
    CHECK_INT((d.length - lead) % 3, 0);
    CHECK(!strchr(d.text, '?'));
    for (int i = 0; i < 10; i++)
      weft_note(&d, "one more %d", i);
    CHECK(d.length < WEFT_DIAG_BYTES);
  }
}

TEST(notes_fill_and_never_overflow) {
  struct {
    weft_diag d;
    char guard[16];
  } s;
  memset(&s, 0, sizeof s);
  memset(s.guard, 'g', sizeof s.guard);
  weft_fail(&s.d, WEFT_E_IO, "start");
  for (int i = 0; i < 1000; i++)
    weft_note(&s.d, "%.*s", i % 37, "0123456789012345678901234567890123456789");
  CHECK_INT(s.d.length, strlen(s.d.text));
  CHECK(s.d.length >= WEFT_DIAG_BYTES - 8);
  CHECK(!memcmp(s.guard, "gggggggggggggggg", 16));
}

static void *fail_often(void *ctx) {
  weft_diag *d = ctx;
  for (int i = 0; i < 1000; i++) {
    weft_diag_clear(d);
    weft_fail(d, WEFT_E_IO, "diag %p", ctx);
    weft_note(d, "again %p", ctx);
  }
  return NULL;
}

TEST(r332_two_threads_see_their_own_messages) {
  weft_diag d[2] = {{0}, {0}};
  pthread_t t[2];
  char text[128];
  for (int i = 0; i < 2; i++)
    CHECK_INT(pthread_create(&t[i], NULL, fail_often, &d[i]), 0);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
  for (int i = 0; i < 2; i++) {
    snprintf(text, sizeof text, "diag %p\n  again %p", (void *)&d[i], (void *)&d[i]);
    CHECK_STR(d[i].text, text);
  }
}

TEST(utf8_sequences) {
  static const struct {
    const char *text;
    size_t bytes;
    size_t length;
  } cases[] = {
      {"a", 1, 1},
      {"", 0, 0},
      {"\0", 1, 1},
      {"\xC2\x80", 2, 2},
      {"\xC3", 1, 0},
      {"\xC1\xBF", 2, 0},
      {"\x80", 1, 0},
      {"\xE0\x9F\xBF", 3, 0},
      {"\xE0\xA0\x80", 3, 3},
      {"\xED\x9F\xBF", 3, 3},
      {"\xED\xA0\x80", 3, 0},
      {"\xEF\xBF\xBF", 3, 3},
      {"\xE7\xAE", 2, 0},
      {"\xE7\xAEz", 3, 0},
      {"\xF0\x8F\xBF\xBF", 4, 0},
      {"\xF0\x90\x80\x80", 4, 4},
      {"\xF4\x8F\xBF\xBF", 4, 4},
      {"\xF4\x90\x80\x80", 4, 0},
      {"\xF5\x80\x80\x80", 4, 0},
      {"\xFF", 1, 0},
      {"\xF0\x90\x80", 3, 0},
      {"\xF0\x90\x80z", 4, 0},
  };
  for (size_t i = 0; i < WEFT_COUNT(cases); i++) {
    if (weft__utf8_length(cases[i].text, cases[i].bytes) == cases[i].length)
      continue;
    CHECK_INT(i, -1);
  }
  CHECK_INT(weft__utf8_cut("ab\xE7\xAE", 4), 2);
  CHECK_INT(weft__utf8_cut("ab\xE7\xAE\x97", 5), 5);
  CHECK_INT(weft__utf8_cut("ab\xF0\x9F\x98", 5), 2);
  CHECK_INT(weft__utf8_cut("ab\xF0\x9F\x98\x80", 6), 6);
  CHECK_INT(weft__utf8_cut("\xC3", 1), 0);
  CHECK_INT(weft__utf8_cut("", 0), 0);
  CHECK_INT(weft__utf8_cut("\x80\x80\x80\x80", 4), 4);
}

TEST(a_failure_without_a_text_gets_its_statuss) {
  weft_diag d = {0};
  CHECK_INT(weft_fail(&d, WEFT_E_NOMEM, "%s", ""), WEFT_E_NOMEM);
  CHECK_STR(d.text, "out of memory");
  CHECK_INT(d.length, strlen("out of memory"));
  weft_note(&d, "while testing");
  CHECK_STR(d.text, "out of memory\n  while testing");
}
// SPDX-License-Identifier: Apache-2.0
