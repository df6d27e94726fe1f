// launch.c - where a launch starts and ends, among tokens. C++ has no grammar without types; what is used
// here:
// "<<<" never stands in C++ but behind `operator`; before it stands an expression with a kernel's name, a
// call or brackets at its end; and the ">>>" that closes it has a "(" behind it.
#include "launch.h"

#include <string.h>

#include "translate.h"

static bool launch_sign(const ascc_tokens *t, size_t i, char c) {
  return i < t->count && t->at[i].kind == ASCC_SIGN && t->at[i].bytes == 1 && t->text[t->at[i].at] == c;
}
// One of these signs.
static bool launch_sign_of(const ascc_tokens *t, size_t i, const char *signs) {
  bool found = false;
  for (; *signs; signs++)
    found |= launch_sign(t, i, *signs);
  return found;
}
// Three of a sign with nothing between.
static bool launch_three(const ascc_tokens *t, size_t i, char c) {
  for (size_t k = 0; k < 3; k++) {
    if (!launch_sign(t, i + k, c) || t->at[i + k].at != t->at[i].at + k)
      return false;
  }
  return true;
}
static bool launch_name(const ascc_tokens *t, size_t i) {
  static const char *const words[] = {
      "return", "co_return", "co_yield", "co_await", "else",          "do",      "case",
      "throw",  "new",       "delete",   "sizeof",   "typename",      "alignof", "if",
      "while",  "for",       "switch",   "template", ASCC_KERNEL_WORD};
  if (i >= t->count || t->at[i].kind != ASCC_NAME)
    return false;
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
    if (ascc_is(t, i, words[k]))
      return false;
  }
  return true;
}

bool ascc_launch_at(const ascc_tokens *t, size_t i) {
  if (!launch_three(t, i, '<') || (i > 0 && ascc_is(t, i - 1, "operator")))
    return false;
  const bool longer = launch_sign(t, i + 3, '<') && t->at[i + 3].at == t->at[i].at + 3;
  const bool tail = i > 0 && launch_sign(t, i - 1, '<') && t->at[i - 1].at + 1 == t->at[i].at;
  return !longer && !tail;
}

// ---- the kernel, from its end ----

// The index of the bracket that the one at i closes; SIZE_MAX: none.
static size_t launch_open(const ascc_tokens *t, size_t i, size_t floor) {
  size_t depth = 0;
  for (size_t k = i + 1; k-- > floor;) {
    if (launch_sign_of(t, k, ")]}"))
      depth++;
    if (!launch_sign_of(t, k, "([{"))
      continue;
    if (--depth == 0)
      return k;
  }
  return SIZE_MAX;
}
// The "<" of the template arguments that the ">" at i closes; SIZE_MAX: it closes none.
static size_t launch_template(const ascc_tokens *t, size_t i, size_t floor) {
  size_t depth = 0;
  for (size_t k = i + 1; k-- > floor;) {
    if (launch_sign_of(t, k, ")]")) {
      k = launch_open(t, k, floor);
      if (k == SIZE_MAX)
        return SIZE_MAX;
    } else if (launch_sign(t, k, '>')) {
      depth++;
    } else if (launch_sign(t, k, '<')) {
      if (--depth == 0)
        return k;
    } else if (launch_sign_of(t, k, ";{}([")) {
      return SIZE_MAX;
    }
  }
  return SIZE_MAX;
}
// One step of a postfix expression, backwards: `end` is one behind it. Gives its first token; SIZE_MAX: there
// is none. A name with its template arguments; or a bracket and what is called or indexed.
static size_t launch_step(const ascc_tokens *t, size_t end, size_t floor) {
  for (;;) {
    const size_t last = end - 1;
    if (end <= floor)
      return SIZE_MAX;
    if (launch_name(t, last))
      return last;
    size_t open = SIZE_MAX;
    const bool bracket = launch_sign_of(t, last, ")]");
    if (bracket)
      open = launch_open(t, last, floor);
    else if (launch_sign(t, last, '>'))
      open = launch_template(t, last, floor);
    if (open == SIZE_MAX)
      return SIZE_MAX;
    const bool goes_on = open > floor && (launch_name(t, open - 1) || launch_sign_of(t, open - 1, ">)]"));
    if (!goes_on)
      return launch_sign(t, open, '(') ? open : SIZE_MAX;
    end = open;
  }
}
size_t ascc_launch_kernel(const ascc_tokens *t, size_t i, size_t floor) {
  size_t start = launch_step(t, i, floor);
  while (start != SIZE_MAX && start > floor) {
    size_t before = start;
    if (ascc_is(t, before - 1, "template") && before - 1 > floor)
      before--;
    const bool scope = ascc_is(t, before - 1, "::");
    if (!scope && !ascc_is(t, before - 1, ".") && !ascc_is(t, before - 1, "->"))
      break;
    const size_t step = before - 1 > floor ? launch_step(t, before - 1, floor) : SIZE_MAX;
    if (step == SIZE_MAX)
      return scope ? before - 1 : SIZE_MAX;  // ::kernel
    start = step;
  }
  return start;
}

// ---- the end of what stands between ----

// How many template arguments are open, as far as signs say it: "a < b" counts too much, and then the first
// ">>>(" is taken.
typedef struct launch_walk {
  size_t depth;  // of brackets
  long angles;
  size_t first;  // the first ">>>("
} launch_walk;

// true: the launch ends here, or nowhere behind.
static bool launch_closes(const ascc_tokens *t, size_t i, launch_walk *w) {
  const bool end = w->depth == 0 && launch_three(t, i, '>') && launch_sign(t, i + 3, '(');
  if (!end)
    return false;
  if (w->first == SIZE_MAX)
    w->first = i;
  return w->angles <= 0;
}
static bool launch_over(const ascc_tokens *t, size_t i, const launch_walk *w) {
  const bool closes = launch_sign_of(t, i, ")]}");
  return w->depth == 0 && (closes || launch_sign(t, i, ';') || ascc_launch_at(t, i));
}
static void launch_count(const ascc_tokens *t, size_t i, launch_walk *w) {
  const bool shift = launch_sign(t, i, '<') && (launch_sign(t, i + 1, '<') || launch_sign(t, i - 1, '<'));
  const bool compare = launch_sign(t, i + 1, '=');
  if (launch_sign_of(t, i, "([{"))
    w->depth++;
  else if (launch_sign_of(t, i, ")]}"))
    w->depth--;
  else if (w->depth == 0 && launch_sign(t, i, '<') && !shift && !compare)
    w->angles += launch_name(t, i - 1);
  else if (w->depth == 0 && launch_sign(t, i, '>') && w->angles > 0)
    w->angles--;
}
size_t ascc_launch_end(const ascc_tokens *t, size_t i) {
  launch_walk w = {.first = SIZE_MAX};
  for (size_t k = i + 3; k < t->count; k++) {
    if (launch_closes(t, k, &w))
      return k;
    if (launch_over(t, k, &w))
      break;
    launch_count(t, k, &w);
  }
  return w.first;
}
// SPDX-License-Identifier: Apache-2.0
