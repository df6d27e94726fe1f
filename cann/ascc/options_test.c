// options_test.c - which of a compiler's options go to which step.
#include "options.h"

#include "check.h"

static const char *options_joined(const ascc_list *l) {
  static char text[1024];
  size_t n = 0;
  text[0] = 0;
  for (size_t i = 0; i < l->count && n < sizeof text; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? " " : "",
                          l->at[i] == ASCC_HERE ? "HERE" : l->at[i]);
  return text;
}
// `line` has its words apart by one space.
static bool options_of(ascc_options *o, const char *line, char *copy, ascc_text *error) {
  const char *argv[64];
  size_t n = 0;
  strcpy(copy, line);
  for (char *word = strtok(copy, " "); word && n < 64; word = strtok(NULL, " "))
    argv[n++] = word;
  return ascc_options_read(o, argv, n, error);
}

TEST(ascc_options_are_taken_apart) {
  char copy[512];
  ascc_options o;
  ascc_text error = {0};
  CHECK(options_of(
      &o,
      "-O2 -I a -Ib -DX=1 --npu-arch=dav-3510 -MD -MT t -MF d -isystem s -Wall -Wl,-z,now -lm -fPIC -c k.asc "
      "-o k.o --cce-aicore-jump --host-compiler=g++ -std=c++17",
      copy, &error));
  CHECK_INT(o.mode, ASCC_COMPILE);
  CHECK_INT(o.arch, 3510);
  CHECK_STR(o.output, "k.o");
  CHECK_STR(o.host, "g++");
  CHECK(o.writes_depends && o.names_depends && o.names_target);
  CHECK_STR(options_joined(&o.sources), "k.asc");
  CHECK_STR(options_joined(&o.preprocess), "-I a -Ib -DX=1 -MD -MT t -MF d -isystem s");
  CHECK_STR(options_joined(&o.both), "-O2 -Wall -fPIC -std=c++17");
  ascc_options_free(&o);
}
TEST(ascc_options_of_languages) {
  char copy[512];
  ascc_options o;
  ascc_text error = {0};
  CHECK(options_of(&o, "a.cpp b.asc -x asc c.cpp -x none d.cpp -x c++ e.asc -shared", copy, &error));
  CHECK_INT(o.mode, ASCC_LINK);
  CHECK_STR(options_joined(&o.sources), "b.asc c.cpp");
  CHECK_STR(options_joined(&o.rest), "a.cpp HERE HERE -x none d.cpp -x c++ e.asc -shared");
  ascc_options_free(&o);
  CHECK(options_of(&o, "-E k.asc -c", copy, &error));
  CHECK_INT(o.mode, ASCC_PREPROCESS);
  ascc_options_free(&o);
  CHECK(options_of(&o, "-MM k.asc -o", copy, &error));
  CHECK_INT(o.mode, ASCC_DEPENDS);
  ascc_options_free(&o);
}
TEST(ascc_options_that_are_wrong) {
  char copy[512];
  ascc_options o;
  ascc_text error = {0};
  CHECK(!options_of(&o, "--npu-arch=Ascend910B k.asc", copy, &error));
  CHECK(strstr(ascc_text_string(&error),
               "--npu-arch=Ascend910B: a chip's number is expected, such as dav-2201"));
  ascc_options_free(&o);
  ascc_text_free(&error);
}
// SPDX-License-Identifier: Apache-2.0
