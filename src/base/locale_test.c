// locale_test.c - numbers are read and written with a point, whatever locale the process has set. A file of
// its own, so that ctest shows the test as skipped where there is no locale with a comma and none can be
// made.
#define _GNU_SOURCE
#include <locale.h>
#include <unistd.h>

#include "base/base.h"
#include "base/chars.h"
#include "check.h"

// One that is installed. Nothing else makes strtod want a comma.
static bool locale_installed(void) {
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "pl_PL.UTF-8"};
  for (size_t i = 0; i < WEFT_COUNT(names); i++) {
    if (setlocale(LC_ALL, names[i]))
      return true;
  }
  return false;
}

// One that localedef makes in a folder, of the sources of the C library where they are installed.
static bool locale_made(const char *folder) {
  char command[256];
  snprintf(command, sizeof command, "localedef -c -i de_DE -f UTF-8 %s/de_DE.UTF-8 > %s/log 2>&1", folder,
           folder);
  if (system(command))
    return false;
  setenv("LOCPATH", folder, 1);
  return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static void locale_remove(const char *folder) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  CHECK_INT(system(command), 0);
}

static void locale_check_numbers(void) {
  char buf[32];
  char *end;
  double v = 0;
  CHECK_STR(localeconv()->decimal_point, ",");
  CHECK_F64(strtod("1,5", &end), 1.5, 0);  // the locale is at work
  CHECK_STR(weft__float_text(0.1f, buf), "0.1");
  CHECK_STR(weft__float_text(1.0f / 3, buf), "0.33333334");
  CHECK_STR(weft__double_text(-1.25e-100, buf), "-1.25e-100");
  CHECK(weft__double_parse("1.25", &v) && v == 1.25);
  CHECK(!weft__double_parse("1,25", &v));
  CHECK(!weft__double_parse("1.25 ", &v));
}

TEST(numbers_are_the_same_in_every_locale) {
  char folder[] = "/tmp/weft_locale_XXXXXX";
  if (!mkdtemp(folder)) {
    check_failed(__FILE__, __LINE__, "no folder in /tmp");
    return;
  }
  if (locale_installed() || locale_made(folder))
    locale_check_numbers();
  else
    check_skip("no locale with a decimal comma is installed, and localedef made none");
  setlocale(LC_ALL, "C");
  unsetenv("LOCPATH");
  locale_remove(folder);
}
// SPDX-License-Identifier: Apache-2.0
