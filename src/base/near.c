// near.c - how far names are from each other.
#include "base/base.h"

enum { NAME_BYTES = 63 };

static char small(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

size_t weft_name_distance(const char *given, size_t n, const char *name, size_t most) {
  if (!given || !name)
    return most + 1;
  // row i: of the first i letters; the last three of them
  size_t rows[3][NAME_BYTES + 1];
  size_t m = strlen(name);
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
      const char c = small(given[i - 1]);
      const char d = small(name[k - 1]);
      row[k] = WEFT_MIN(last[k - 1] + (c != d), WEFT_MIN(last[k], row[k - 1]) + 1);
      if (i > 1 && k > 1 && c == small(name[k - 2]) && d == small(given[i - 2]))
        row[k] = WEFT_MIN(row[k], before[k - 2] + 1);
      best = WEFT_MIN(best, row[k]);
    }
    if (best > most)
      return most + 1;
  }
  return WEFT_MIN(rows[n % 3][m], most + 1);
}
// SPDX-License-Identifier: Apache-2.0
