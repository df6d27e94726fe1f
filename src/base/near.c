// near.c - how far names are from each other.
#include "base/base.h"

enum { NAME_BYTES = 63 };  // of the parts that differ

static char near_small(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// How many letters both begin with.
static size_t same_start(const char *a, const char *b, size_t n) {
  size_t k = 0;
  while (k < n && near_small(a[k]) == near_small(b[k]))
    k++;
  return k;
}

// And end with.
static size_t same_end(const char *a, size_t n, const char *b, size_t m) {
  size_t k = 0;
  while (k < WEFT_MIN(n, m) && near_small(a[n - 1 - k]) == near_small(b[m - 1 - k]))
    k++;
  return k;
}

size_t weft_name_distance(const char *given, size_t n, const char *name, size_t most) {
  if (!given || !name)
    return most + 1;
  // row i: of the first i letters; the last three of them
  size_t rows[3][NAME_BYTES + 1];
  size_t m = strlen(name);

  // Names of models are long and share most of their letters: only what lies between is compared.
  const size_t start = same_start(given, name, WEFT_MIN(n, m));
  given += start;
  name += start;
  n -= start;
  m -= start;
  const size_t end = same_end(given, n, name, m);
  n -= end;
  m -= end;
  if (n > NAME_BYTES || m > NAME_BYTES || (n > m ? n - m : m - n) > most)
    return most + 1;
  for (size_t k = 0; k <= m; k++)
    rows[0][k] = k;
  for (size_t i = 1; i <= n; i++) {
    size_t *row = rows[i % 3];
    size_t *last = rows[(i + 2) % 3];
    size_t *before = rows[(i + 1) % 3];
    size_t best = row[0] = i;
    for (size_t k = 1; k <= m; k++) {
      const char c = near_small(given[i - 1]);
      const char d = near_small(name[k - 1]);
      row[k] = WEFT_MIN(last[k - 1] + (c != d), WEFT_MIN(last[k], row[k - 1]) + 1);
      if (i > 1 && k > 1 && c == near_small(name[k - 2]) && d == near_small(given[i - 2]))
        row[k] = WEFT_MIN(row[k], before[k - 2] + 1);
      best = WEFT_MIN(best, row[k]);
    }
    if (best > most)
      return most + 1;
  }
  return WEFT_MIN(rows[n % 3][m], most + 1);
}
// SPDX-License-Identifier: Apache-2.0
