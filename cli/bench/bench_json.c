// bench_json.c - `weft bench --json`: everything that was measured. Times are nanoseconds, sizes bytes; what
// was not measured is null, an infinite difference the text "inf".
#include <math.h>

#include "bench.h"

static void bench_json_text(FILE *f, const char *key, const char *v) {
  if (key)
    fprintf(f, "\"%s\": ", key);
  if (!v) {
    fputs("null", f);
    return;
  }
  fputc('"', f);
  for (const unsigned char *c = (const unsigned char *)v; *c; c++) {
    if (*c == '"' || *c == '\\')
      fprintf(f, "\\%c", *c);
    else if (*c < 32)
      fprintf(f, "\\u%04x", *c);
    else
      fputc(*c, f);
  }
  fputc('"', f);
}

static void bench_json_number(FILE *f, const char *key, double v) {
  fprintf(f, "\"%s\": ", key);
  if (isinf(v))
    fputs("\"inf\"", f);
  else if (!(v >= 0))
    fputs("null", f);
  else
    fprintf(f, "%.10g", v);
}

static void bench_json_profile(FILE *f, const bench_result *x) {
  fprintf(f, ",\n       \"profile\": [");
  for (size_t i = 0; i < x->n_ops; i++) {
    const bench_op *op = &x->ops[i];
    fprintf(f, "%s\n        {", i ? "," : "");
    bench_json_text(f, "operator", op->type);
    fprintf(f, ", \"launches\": %.0f, ", op->launches);
    bench_json_number(f, "ns", op->ns);
    fputs(", ", f);
    bench_json_number(f, "bytes", op->bytes);
    fputs(", ", f);
    bench_json_number(f, "flops", op->flops);
    fputc('}', f);
  }
  fputc(']', f);
}

static void result(FILE *f, const bench_report *r, const bench_row *row, size_t k) {
  const bench_result *x = &row->r[k];
  int base = bench_base(r->o, k);
  fprintf(f, "%s\n      {", k ? "," : "");
  bench_json_text(f, "engine", r->o->engines[k].label);
  if (*x->error) {
    fputs(", ", f);
    bench_json_text(f, "error", x->error);
    fputc('}', f);
    return;
  }
  const struct {
    const char *key;
    double v;
  } fields[] = {{"least_ns", x->run.least},
                {"median_ns", x->run.median},
                {"runs", (double)x->run.runs},
                {"least_to_peer", base < 0 ? -1 : bench_ratio(x->run.least, row->r[base].run.least)},
                {"median_to_peer", base < 0 ? -1 : bench_ratio(x->run.median, row->r[base].run.median)},
                {"ready_ns", x->load_ns},
                {"ready_median_ns", x->load_median_ns},
                {"own_file_ns", x->own_load_ns},
                {"first_ns", x->first_ns},
                {"first_over_ns", x->first_over_ns},
                {"allocations", x->allocations},
                {"peak_bytes", x->peak_bytes},
                {"base_bytes", x->base_bytes},
                {"difference", x->error_max},
                {"difference_rms", x->error_rms}};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    fputs(i % 5 ? ", " : ",\n       ", f);
    bench_json_number(f, fields[i].key, fields[i].v);
  }
  if (x->n_ops)
    bench_json_profile(f, x);
  fputc('}', f);
}

static void row_json(FILE *f, const bench_report *r, const bench_row *row) {
  fputs("\n    {", f);
  bench_json_text(f, "name", row->name);
  fputs(", ", f);
  bench_json_text(f, "model", row->c->model);
  fputs(", ", f);
  bench_json_text(f, "inputs", row->shapes);
  fprintf(f, ", \"threads\": %u, ", row->threads);
  bench_json_number(f, "nodes", row->nodes);
  fputs(", ", f);
  bench_json_text(f, "reference", row->reference);
  fputs(",\n     \"results\": [", f);
  for (size_t k = 0; k < r->o->n_engines; k++)
    result(f, r, row, k);
  fputs("]}", f);
}

void bench_json(const bench_report *r, FILE *f) {
  fputs("{\n  ", f);
  bench_json_text(f, "weft", weft_version());
  fputs(", ", f);
  bench_json_text(f, "date", r->date);
  fputs(",\n  ", f);
  bench_json_text(f, "machine", r->machine);
  fprintf(f,
          ", \"cores\": %u,\n  \"rounds\": %zu, \"seconds\": %g, \"starts\": %zu, \"tolerance\": %g, "
          "\"plain\": %s,",
          r->cores, r->o->repeat, r->o->seconds, r->o->starts, r->o->tolerance,
          r->o->plain ? "true" : "false");
  fputs("\n  \"engines\": [", f);
  for (size_t k = 0; k < r->o->n_engines; k++) {
    fputs(k ? ", {" : "{", f);
    bench_json_text(f, "label", r->o->engines[k].label);
    fputs(", ", f);
    bench_json_text(f, "name", r->o->engines[k].name);
    fputs(", ", f);
    bench_json_text(f, "version", r->o->engines[k].version);
    fputs(", ", f);
    bench_json_text(f, "isa", r->o->engines[k].isa);
    fprintf(f, ", \"peer\": %s}", r->o->engines[k].peer ? "true" : "false");
  }
  fputs("],\n  \"rows\": [", f);
  for (size_t i = 0; i < r->n_rows; i++) {
    if (i)
      fputc(',', f);
    row_json(f, r, &r->rows[i]);
  }
  fputs("]\n}\n", f);
}
// SPDX-License-Identifier: Apache-2.0
