// translate_test.c - what becomes a launch and what does not, and that lines stay.
#include "translate.h"

#include "check.h"

static void translate_is(const char *in, const char *expected) {
  ascc_text out = {0};
  ascc_text error = {0};
  CHECK(ascc_translate(in, strlen(in), "a.asc", &out, &error));
  CHECK_STR(ascc_text_string(&out), expected);
  CHECK_STR(ascc_text_string(&error), "");
  ascc_text_free(&out);
  ascc_text_free(&error);
}
static void translate_fails(const char *in, const char *expected) {
  ascc_text out = {0};
  ascc_text error = {0};
  CHECK(!ascc_translate(in, strlen(in), "a.asc", &out, &error));
  CHECK_STR(ascc_text_string(&error), expected);
  ascc_text_free(&out);
  ascc_text_free(&error);
}
static void translate_keeps(const char *in) {
  translate_is(in, in);
}
// The launch of `kernel` in line `line`, alone.
#define CALL(kernel, line, config) \
  "::weft_asc::call(\"" kernel "\", \"a.asc\", " line ", (" kernel "), " config ")"

TEST(ascc_launches) {
  translate_is("k<<<8, nullptr, s>>>(x, y);", CALL("k", "1", "8, nullptr, s") "(x, y);");
  translate_is("k<<<1, 0>>>();", CALL("k", "1", "1, 0") "();");
  translate_is("if (a) k<<<n, 0, s>>>(x); else k<<<m, 0, s>>>(y);",
               "if (a) " CALL("k", "1", "n, 0, s") "(x); else " CALL("k", "1", "m, 0, s") "(y);");
  translate_is("return k<<<1, 0, s>>>(x);", "return " CALL("k", "1", "1, 0, s") "(x);");
  translate_is("a = b, k<<<1, 0, s>>>(x);", "a = b, " CALL("k", "1", "1, 0, s") "(x);");
  translate_is("k<<<1, 0, s>>> (x);", CALL("k", "1", "1, 0, s") " (x);");
  translate_is("k <<<1, 0, s>>>(x);", "::weft_asc::call(\"k\", \"a.asc\", 1, (k ), 1, 0, s)(x);");
}

TEST(ascc_names) {
  translate_is("k<T, 3><<<1, 0, s>>>(x);", CALL("k<T, 3>", "1", "1, 0, s") "(x);");
  translate_is("k<V<int>><<<1, 0, s>>>(x);", CALL("k<V<int>>", "1", "1, 0, s") "(x);");
  translate_is("k<V<W<int>>><<<1, 0, s>>>(x);", CALL("k<V<W<int>>>", "1", "1, 0, s") "(x);");
  translate_is("k<(a > b), f(c)><<<1, 0, s>>>(x);", CALL("k<(a > b), f(c)>", "1", "1, 0, s") "(x);");
  translate_is("n::C<T>::k<3><<<1, 0, s>>>(x);", CALL("n::C<T>::k<3>", "1", "1, 0, s") "(x);");
  translate_is("::k<<<1, 0, s>>>(x);", CALL("::k", "1", "1, 0, s") "(x);");
  translate_is("C<T>::template k<3><<<1, 0, s>>>(x);", CALL("C<T>::template k<3>", "1", "1, 0, s") "(x);");
  translate_is("table[i]<<<1, 0, s>>>(x);", CALL("table[i]", "1", "1, 0, s") "(x);");
  translate_is("of<T>(3)<<<1, 0, s>>>(x);", CALL("of<T>(3)", "1", "1, 0, s") "(x);");
  translate_is("o.p->q(1)[2]<<<1, 0, s>>>(x);", CALL("o.p->q(1)[2]", "1", "1, 0, s") "(x);");
  translate_is("(c ? k : l)<<<1, 0, s>>>(x);", CALL("(c ? k : l)", "1", "1, 0, s") "(x);");
  translate_is(
      "k<'\"', \"a\\n\"><<<1, 0>>>(x);",
      "::weft_asc::call(\"k<'\\\"', \\\"a\\\\n\\\">\", \"a.asc\", 1, (k<'\"', \"a\\n\">), 1, 0)(x);");
}

TEST(ascc_shifts_and_templates_within) {
  translate_is("k<<<a >> 3, 0, s>>>(x >> 2);", CALL("k", "1", "a >> 3, 0, s") "(x >> 2);");
  translate_is("k<<<a << 3, 0, s>>>(x);", CALL("k", "1", "a << 3, 0, s") "(x);");
  translate_is("k<<<n < 8 ? 1 : 2, 0, s>>>(x);", CALL("k", "1", "n < 8 ? 1 : 2, 0, s") "(x);");
  translate_is("k<<<n > 8 ? 1 : 2, 0, s>>>(x);", CALL("k", "1", "n > 8 ? 1 : 2, 0, s") "(x);");
  translate_is("k<<<N<A<B<1>>>(2), 0, s>>>(x);", CALL("k", "1", "N<A<B<1>>>(2), 0, s") "(x);");
  translate_is("k<<<N<A<B<1>>>::v, 0, s>>>(x);", CALL("k", "1", "N<A<B<1>>>::v, 0, s") "(x);");
  translate_is("k<<<1, f<A, B>(1, 2), (s)>>>(N<A<B<1>>>(2));",
               CALL("k", "1", "1, f<A, B>(1, 2), (s)") "(N<A<B<1>>>(2));");
  translate_is("k<<<1, 0, *q>>>(x), l<<<2, 0, s>>>(y);",
               CALL("k", "1", "1, 0, *q") "(x), " CALL("l", "1", "2, 0, s") "(y);");
  translate_is("k<<<1, 0, s>>>([&] { l<<<2, 0, s>>>(y); });",
               CALL("k", "1", "1, 0, s") "([&] { " CALL("l", "1", "2, 0, s") "(y); });");
}

TEST(ascc_what_is_no_launch) {
  translate_keeps("// k<<<1, 0, s>>>(x);\n/* k<<<1, 0, s>>>(x); */");
  translate_keeps("// goes on \\\nk<<<1, 0, s>>>(x);\n");
  translate_keeps("const char *a = \"k<<<1, 0, s>>>(x); \\\" \";");
  translate_keeps("const char *a = R\"x(k<<<1, 0, s>>>(x); )\" )x\";");
  translate_keeps("auto a = u8R\"(k<<<1)\" L\"<<<\" u'<' '\\'' 1'000 0x1'ff;");
  translate_keeps("#define K k<<<1, 0, s>>>(x)\n  # pragma k<<<1, \\\n 0, s>>>(x)\n");
  translate_keeps("std::ostream &operator<<<char>(std::ostream &, int);");
  translate_keeps("a << b; c << (d < e); x <<= 3;");
  translate_keeps("a<<<<b");
  translate_keeps("A<B<C<int>>>(x);");
  translate_keeps("");
}

TEST(ascc_lines_stay) {
  translate_is("\n\nk<T,\n  3><<<  // why\n 1, /* > */ nullptr,\n s\n>>>(x,\n y);\n",
               "\n\n::weft_asc::call(\"k<T, 3>\", \"a.asc\", 3, (k<T,\n  3>),   // why\n 1, /* > */ "
               "nullptr,\n s\n)(x,\n "
               "y);\n");
  translate_is(
      "# 7 \"/u/b \\\"c\\\".asc\" 2\nk<<<1, 0, s>>>(x);\n",
      "# 7 \"/u/b \\\"c\\\".asc\" 2\n::weft_asc::call(\"k\", \"/u/b \\\"c\\\".asc\", 7, (k), 1, 0, s)(x);\n");
  translate_is("# 7 \"b\\\nc\"\nk<<<1, 0, s>>>(x);\n",
               "# 7 \"b\\\nc\"\n::weft_asc::call(\"k\", \"a.asc\", 7, (k), 1, 0, s)(x);\n");
  translate_is("#line 3\n\n#line 20 \"z.h\"\nk<<<1, 0, s>>>(x);",
               "#line 3\n\n#line 20 \"z.h\"\n::weft_asc::call(\"k\", \"z.h\", 20, (k), 1, 0, s)(x);");
}

TEST(ascc_says_what_is_wrong) {
  translate_fails("\n x = 3 + <<<1, 0, s>>>(x);",
                  "a.asc:2: error: a launch, '<<<', needs the name of a kernel before it\n");
  translate_fails("k<<<1, 0, s>>(x);",
                  "a.asc:1: error: this launch is not closed: '>>>(' does not follow in its statement\n");
  translate_fails("# 9 \"b.asc\"\nk<<<1, 0, s; m(1)>>>(x);",
                  "b.asc:9: error: this launch is not closed: '>>>(' does not follow in its statement\n");
  translate_fails("f(k<<<1, 0, s)>>>(x);",
                  "a.asc:1: error: this launch is not closed: '>>>(' does not follow in its statement\n");
  translate_fails(
      "k<<<>>>(x);",
      "a.asc:1: error: this launch does not say how many blocks: write <<<blocks, nullptr, stream>>>\n");
  translate_fails("__weft_kernel__<<<1, 0, s>>>(x);",
                  "a.asc:1: error: a launch, '<<<', needs the name of a kernel before it\n");
  translate_fails("<<<", "a.asc:1: error: a launch, '<<<', needs the name of a kernel before it\n");
}

// Kernels that can be found by name: a row of entries behind the text.
static void translate_has(const char *in, const char *entry, bool there) {
  ascc_text out = {0};
  ascc_text error = {0};
  CHECK(ascc_translate(in, strlen(in), "a.asc", &out, &error));
  if (!strstr(ascc_text_string(&out), entry) == there)
    check_failed(__FILE__, __LINE__, "'%s': '%s' is %s:\n%s", in, entry, there ? "missing" : "there", out.at);
  CHECK(!strstr(ascc_text_string(&out), ASCC_KERNEL_WORD));
  ascc_text_free(&out);
  ascc_text_free(&error);
}
TEST(ascc_entries) {
  const char *const k = "weft_asc_entry_k(";
  translate_has("extern \"C\" __weft_kernel__ void k(int x) {}", k, true);
  translate_has("extern \"C\" { __weft_kernel__ void k(int x) {} }", k, true);
  translate_has("__weft_kernel__ __attribute__((aligned(8))) [[maybe_unused]] void k() noexcept {}", k, true);
  translate_has("namespace a::b { inline namespace c { __weft_kernel__ void k() {} } }", "(a::b::c::k)",
                true);
  translate_has("namespace a { } namespace { __weft_kernel__ void k() {} }", "(k)", true);
  translate_has("\n\n__weft_kernel__ void k(GM_ADDR x) {}", "\"a.asc\", 3, (k), p)", true);
  translate_has("__weft_kernel__ void k(int x);", k, false);
  translate_has("template <typename T> __weft_kernel__ void k(T x) {}", k, false);
  translate_has("template <> __weft_kernel__ void k<int>(int x) {}", k, false);
  translate_has("class C { __weft_kernel__ static void k() {} };", k, false);
  translate_has("void f() { auto k = __weft_kernel__ 3; }", k, false);
  translate_has("__weft_kernel__ void k(int) {} __weft_kernel__ void k(float) {}", k, false);
  translate_has("__weft_kernel__ void C::k(int) {}", k, false);
  translate_has("void f() { } } } __weft_kernel__", k, false);
}
// SPDX-License-Identifier: Apache-2.0
