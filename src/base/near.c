// near.c - how far names are from each other.
#include "base/base.h"

enum { NAME_BYTES = 63 };

static char small(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

size_t weft_name_distance(const char *given, size_t n, const char *name, size_t most) {
  size_t row[NAME_BYTES + 1], m = strlen(name);
  if (n > NAME_BYTES || m > NAME_BYTES || (n > m ? n - m : m - n) > most) return most + 1;
  for (size_t k = 0; k <= m; k++) row[k] = k;
  for (size_t i = 1; i <= n; i++) {
    size_t diagonal = row[0], best = row[0] = i;
    for (size_t k = 1; k <= m; k++) {
      size_t change = diagonal + (small(given[i - 1]) != small(name[k - 1]));
      diagonal = row[k];
      row[k] = WEFT_MIN(change, WEFT_MIN(row[k], row[k - 1]) + 1);
      best = WEFT_MIN(best, row[k]);
    }
    if (best > most) return most + 1;
  }
  return WEFT_MIN(row[m], most + 1);
}
