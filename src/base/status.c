// status.c - the version, the names of status codes, and the diag that carries a failure's text.
//
// A diag holds the first cause and then one line a note. Its text is valid UTF-8 and free of terminal
// controls whatever names a hostile model brings: other bytes become '?'. When it is full it is cut between
// characters.
#include "base/base.h"
#include "base/chars.h"

#define TEXT_OF(x)                        #x
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *weft_version(void) {
  return VERSION_TEXT(WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, WEFT_VERSION_PATCH);
}

const char *weft_status_name(weft_status s) {
  switch (s) {
#define WEFT_X(name, number, text) \
  case number:                     \
    return #name;
    WEFT_STATUS_LIST(WEFT_X)
#undef WEFT_X
    default:
      return "E_PACKAGE";
  }
}

const char *weft_status_text(weft_status s) {
  switch (s) {
#define WEFT_X(name, number, text) \
  case number:                     \
    return text;
    WEFT_STATUS_LIST(WEFT_X)
#undef WEFT_X
    default:
      return "a package's own error";
  }
}

void weft_diag_clear(weft_diag *d) {
  if (!d)
    return;
  d->status = WEFT_OK;
  d->length = 0;
  d->text[0] = '\0';
}

static void make_printable(char *text, size_t bytes) {
  for (size_t i = 0; i < bytes;) {
    size_t n = weft__utf8_length(text + i, bytes - i);
    unsigned char c = (unsigned char)text[i];
    if (!n || (c < 0x20 && c != '\n') || c == 0x7F)
      text[i] = '?';
    i += n ? n : 1;
  }
}

static void status_add(weft_diag *d, const char *fmt, va_list ap) {
  size_t room = WEFT_DIAG_BYTES - d->length;
  char *at = d->text + d->length;
  int wanted = vsnprintf(at, room, fmt, ap);
  if (wanted < 0) {
    *at = '\0';
    return;
  }
  size_t n = (size_t)wanted < room ? (size_t)wanted : weft__utf8_cut(at, room - 1);
  at[n] = '\0';
  make_printable(at, n);
  d->length += (uint32_t)n;
}

weft_status weft_fail(weft_diag *d, weft_status s, const char *fmt, ...) {
  if (!d || d->status)
    return s;
  va_list ap;
  d->status = s;
  d->length = 0;
  va_start(ap, fmt);
  status_add(d, fmt, ap);
  va_end(ap);
  if (!d->length) {  // "%s" of a text that nobody wrote
    d->length = (uint32_t)strlen(weft_status_text(s));
    memcpy(d->text, weft_status_text(s), d->length + 1);
  }
  return s;
}

// Without a recorded failure there is nothing to add to.
void weft_note(weft_diag *d, const char *fmt, ...) {
  static const char lead[] = "\n  ";
  if (!d || !d->status || d->length + sizeof lead >= WEFT_DIAG_BYTES)
    return;
  va_list ap;
  memcpy(d->text + d->length, lead, sizeof lead);
  d->length += (uint32_t)sizeof lead - 1;
  va_start(ap, fmt);
  status_add(d, fmt, ap);
  va_end(ap);
}

weft_status weft__null_argument(weft_diag *d, const char *function, const char *argument) {
  return weft_fail(d, WEFT_E_INVALID, "%s: the argument '%s' is NULL", function, argument);
}
// SPDX-License-Identifier: Apache-2.0
