// translate.c - a text with its launches as calls. What is not a launch is copied byte by byte, so that lines
// and, outside of launches, columns stay.
#include "translate.h"

#include <stdint.h>
#include <string.h>

#include "kernels.h"
#include "launch.h"

typedef struct translation {
  ascc_tokens tokens;
  ascc_text *out;
  ascc_text *error;
  size_t copied;  // bytes of the text that are in `out`, in one form or the other
  size_t floor;   // tokens before it were dealt with
} translation;

static void translation_copy(translation *t, size_t end) {
  if (end <= t->copied)
    return;
  ascc_text_add(t->out, t->tokens.text + t->copied, end - t->copied);
  t->copied = end;
}
static bool translation_error(translation *t, size_t token, const char *what) {
  const ascc_token *at = &t->tokens.at[token];
  ascc_text_say(t->error, "%s:%u: error: %s\n", ascc_file_of(&t->tokens, at), at->line, what);
  return false;
}
// Tokens in one line, as a string in C: a space wherever something stood between.
static void translation_quote(translation *t, size_t first, size_t end) {
  const ascc_token *at = t->tokens.at;
  for (size_t i = first; i < end; i++) {
    if (i > first && at[i - 1].at + at[i - 1].bytes != at[i].at)
      ascc_text_add(t->out, " ", 1);
    for (size_t k = 0; k < at[i].bytes; k++) {
      const char c = t->tokens.text[at[i].at + k];
      const bool escape = c == '"' || c == '\\';
      if (escape)
        ascc_text_add(t->out, "\\", 1);
      ascc_text_add(t->out, (unsigned char)c < ' ' ? " " : &c, 1);
    }
  }
}
static bool translation_launch(translation *t, size_t open) {
  const ascc_tokens *s = &t->tokens;
  const size_t kernel = ascc_launch_kernel(s, open, t->floor);
  const size_t close = ascc_launch_end(s, open);
  if (kernel == SIZE_MAX)
    return translation_error(t, open, "a launch, '<<<', needs the name of a kernel before it");
  if (close == SIZE_MAX)
    return translation_error(t, open, "this launch is not closed: '>>>(' does not follow in its statement");
  if (close == open + 3)
    return translation_error(t, open,
                             "this launch does not say how many blocks: write <<<blocks, nullptr, stream>>>");
  translation_copy(t, s->at[kernel].at);
  ascc_text_say(t->out, "::weft_asc::call(\"");
  translation_quote(t, kernel, open);
  ascc_text_say(t->out, "\", \"%s\", %u, (", ascc_file_of(s, &s->at[kernel]), s->at[kernel].line);
  translation_copy(t, s->at[open].at);
  ascc_text_say(t->out, "), ");
  t->copied = s->at[open + 2].at + 1;
  translation_copy(t, s->at[close].at);
  ascc_text_say(t->out, ")");
  t->copied = s->at[close + 2].at + 1;
  t->floor = close + 3;
  return true;
}
static void translation_word(translation *t, size_t i) {
  translation_copy(t, t->tokens.at[i].at);
  t->copied += t->tokens.at[i].bytes;
  ascc_text_say(t->out, "%*s", (int)t->tokens.at[i].bytes, "");
}

// Behind the text: nothing of it is the user's, and no warning is given for it.
static bool translation_entries(translation *t) {
  ascc_kernels kernels;
  const ascc_tokens *s = &t->tokens;
  const bool found = ascc_kernels_find(&kernels, s);
  if (kernels.count)
    ascc_text_say(t->out, "\n# 1 \"weft-ascc\" 3\n");
  for (size_t i = 0; i < kernels.count; i++) {
    const ascc_token *name = &s->at[kernels.at[i].name];
    const char *word = s->text + name->at;
    const int n = (int)name->bytes;
    ascc_text_say(t->out,
                  "extern \"C\" __attribute__((__weak__, __visibility__(\"default\"))) "
                  "int weft_asc_entry_%.*s(::weft_asc::packed *p) { "
                  "return ::weft_asc::unpack(\"%.*s\", \"%s\", %u, (%s%.*s), p); }\n",
                  n, word, n, word, ascc_file_of(s, name), name->line,
                  kernels.scopes.at + kernels.at[i].scope, n, word);
  }
  ascc_kernels_free(&kernels);
  return found;
}
static bool translation_run(translation *t) {
  const ascc_tokens *s = &t->tokens;
  bool ok = true;
  for (size_t i = 0; i < s->count && ok; i++) {
    if (i < t->floor)
      continue;
    if (ascc_launch_at(s, i))
      ok = translation_launch(t, i);
    else if (ascc_is(s, i, ASCC_KERNEL_WORD))
      translation_word(t, i);
  }
  translation_copy(t, s->bytes);
  return ok;
}

bool ascc_translate(const char *text, size_t bytes, const char *file, ascc_text *out, ascc_text *error) {
  translation t = {.out = out, .error = error};
  bool ok = ascc_tokens_read(&t.tokens, text, bytes, file);
  if (ok) {
    ok = translation_run(&t);
    ok = ok && translation_entries(&t);
  }
  ascc_tokens_free(&t.tokens);
  if (ok && !out->failed)
    return true;
  if (!error->bytes)
    ascc_text_say(error, "%s: error: no memory to translate it\n", file);
  return false;
}
// SPDX-License-Identifier: Apache-2.0
