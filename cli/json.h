// json.h - the little JSON that the tool reads for itself: descriptions of test cases. A tree in malloc'ed
// memory; numbers are doubles.
#pragma once
#include "cli.h"

typedef enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT } json_kind;
typedef struct json {
  json_kind kind;
  double number;  // of a bool: 0 or 1
  int64_t whole;  // of a number without point and exponent: all of its 64 bits
  char *text;
  char **keys;  // of an object
  struct json *items;
  size_t n;
} json;
// false: it is not JSON, or there is no memory. json_free after both.
bool json_read(const char *text, size_t bytes, json *out);
void json_free(json *j);
const json *json_get(const json *object, const char *key);  // NULL: absent
double json_number(const json *object, const char *key, double dflt);
const char *json_text(const json *object, const char *key);  // NULL: absent or no text
// SPDX-License-Identifier: Apache-2.0
