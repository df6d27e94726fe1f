// make_model.c - writes one of the project's own ONNX networks: make_model NAME FILE.
#include "models.h"

int main(int argc, char **argv) {
  weft_diag d = {0};
  static model m;
  if (argc != 3) {
    fprintf(stderr, "usage: make_model NAME FILE\nnames:");
    for (size_t i = 0; model_names[i]; i++)
      fprintf(stderr, " %s", model_names[i]);
    fprintf(stderr, "\n");
    return 2;
  }
  if (!model_make(&m, argv[1], &d)) {
    fprintf(stderr, "make_model: %s\n", d.text);
    return 1;
  }
  FILE *f = fopen(argv[2], "wb");
  bool ok = f && fwrite(m.text.v, 1, m.text.n, f) == m.text.n;
  if (f && fclose(f))
    ok = false;
  if (!ok)
    fprintf(stderr, "make_model: cannot write '%s'\n", argv[2]);
  model_free(&m);
  return !ok;
}
// SPDX-License-Identifier: Apache-2.0
