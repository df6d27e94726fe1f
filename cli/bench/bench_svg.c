// bench_svg.c - `weft bench --svg`: a bar for each engine and model. Beside a peer a bar is the time over the
// peer's, so that models of all sizes share an axis; alone it is the time over the longest. The picture
// brings its own background, light or dark as the reader's, so that no text can vanish.
#include "bench.h"

enum { WIDTH = 880, LEFT = 240, BAR = 490, GAP = 10, TOP = 86, BOTTOM = 46, NAME_CHARS = 30 };
static const double widest = 1.5;  // of the peer's time; longer bars are cut, and say so

// Height of a bar with its gap: tighter where there are many.
static int line_height(const bench_report *r) {
  return r->n_rows * r->o->n_engines > 40 ? 12 : 15;
}

static void bench_svg_text(FILE *f, const char *v, size_t most) {
  size_t n = strlen(v);
  for (size_t i = 0; i < n && i < most; i++) {
    if (n > most && i + 1 == most)
      fputs("\xe2\x80\xa6", f);  // ...
    else if (v[i] == '&')
      fputs("&amp;", f);
    else if (v[i] == '<')
      fputs("&lt;", f);
    else if (v[i] == '>')
      fputs("&gt;", f);
    else
      fputc((unsigned char)v[i] < 32 ? ' ' : v[i], f);
  }
}

static double longest(const bench_report *r) {
  double most = 0;
  for (size_t i = 0; i < r->n_rows; i++) {
    for (size_t k = 0; k < r->o->n_engines; k++) {
      if (r->rows[i].r[k].run.least > most)
        most = r->rows[i].r[k].run.least;
    }
  }
  return most;
}

static void head(const bench_report *r, int height, FILE *f) {
  fprintf(
      f,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
      "font-family=\"'Helvetica Neue',Helvetica,Arial,'DejaVu Sans',sans-serif\">\n"
      "<style>\n"
      ".back{fill:#ffffff;stroke:#d0d7de}.ink{fill:#1f2328}.soft{fill:#59636e}.grid{stroke:#d0d7de}\n"
      ".e0{fill:#0a7d5a}.e1{fill:#5cb592}.e2{fill:#a5d8c3}.e3{fill:#cfe9de}.peer{fill:#8c959f}\n"
      "@media "
      "(prefers-color-scheme:dark){.back{fill:#0d1117;stroke:#3d444d}.ink{fill:#f0f6fc}.soft{fill:#9198a1}"
      ".grid{stroke:#3d444d}\n"
      ".e0{fill:#2fc190}.e1{fill:#1d8a66}.e2{fill:#135c44}.e3{fill:#0d3b2c}.peer{fill:#656c76}}\n"
      "</style>\n"
      "<rect class=\"back\" x=\".5\" y=\".5\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n"
      "<text class=\"ink\" x=\"20\" y=\"30\" font-size=\"17\" font-weight=\"600\">",
      WIDTH, height, WIDTH, height, WIDTH - 1, height - 1);
  int peer = bench_peer(r->o);
  char title[200];
  if (peer >= 0) {
    snprintf(title, sizeof title, "Time of a run, beside %.60s %.30s = 1 (shorter is better)",
             r->o->engines[peer].name, r->o->engines[peer].version);
  } else
    snprintf(title, sizeof title, "Time of a run (shorter is better)");
  bench_svg_text(f, title, 90);
  fputs("</text>\n", f);
}

static const char *class_of(const bench_report *r, size_t k) {
  static const char *const classes[] = {"e0", "e1", "e2", "e3"};
  return r->o->engines[k].peer ? "peer" : classes[k < 4 ? k : 3];
}

static void legend(const bench_report *r, FILE *f) {
  double x = 20;
  for (size_t k = 0; k < r->o->n_engines; k++) {
    char name[160];
    int base = bench_base(r->o, k);
    bool other = base != (int)k && base != bench_peer(r->o);  // not beside the peer that the title names
    snprintf(name, sizeof name, "%s%s%s", r->o->engines[k].label, other ? " beside " : "",
             other ? r->o->engines[base].label : "");
    fprintf(f, "<rect class=\"%s\" x=\"%.0f\" y=\"44\" width=\"12\" height=\"12\" rx=\"2\"/>", class_of(r, k),
            x);
    fprintf(f, "<text class=\"ink\" x=\"%.0f\" y=\"54\" font-size=\"12\">", x + 18);
    bench_svg_text(f, name, 60);
    fputs("</text>\n", f);
    x += 18 + 6.6 * (double)strlen(name) + 24;
  }
}

// Lines at 0.5 and 1 (and 1.5), with their figures above.
static void grid(const bench_report *r, int height, FILE *f) {
  if (bench_peer(r->o) < 0)
    return;
  for (double at = 0; at <= widest; at += 0.5) {
    double x = LEFT + BAR * at / widest;
    fprintf(f, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>", x, TOP - 6, x,
            height - BOTTOM + 2);
    fprintf(f, "<text class=\"soft\" x=\"%.1f\" y=\"%d\" font-size=\"11\" text-anchor=\"middle\">%g</text>\n",
            x, TOP - 11, at);
  }
}

static void bar(const bench_report *r, const bench_row *row, size_t k, double longest_ns, double y, FILE *f) {
  int line = line_height(r);
  const bench_result *x = &row->r[k];
  int base = bench_base(r->o, k);
  char time[32];
  char label[80];
  double to_peer = base < 0 ? -1 : bench_ratio(x->run.least, row->r[base].run.least);
  double part = base < 0 ? bench_ratio(x->run.least, longest_ns) : to_peer / widest;
  if (*x->error || x->run.least < 0) {
    fprintf(f, "<text class=\"soft\" x=\"%d\" y=\"%.1f\" font-size=\"11\">failed</text>\n", LEFT + 6,
            y + line - 4);
    return;
  }
  bool cut = part > 1;
  if (cut)
    part = 1;
  if (part < 0)
    part = 0;
  double w = BAR * part < 1 ? 1 : BAR * part;
  fprintf(f, "<rect class=\"%s\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>", class_of(r, k),
          LEFT, y, w, line - 3);
  if (cut)  // two strokes across the end: the bar goes on
    fprintf(f, "<path class=\"back\" d=\"M%.1f %.1fl4 %dl3 0l-4 -%dz\"/>", LEFT + w - 16, y, line - 3,
            line - 3);
  bench_time(x->run.least, time, sizeof time);
  snprintf(label, sizeof label, to_peer >= 0 && (int)k != base ? "%s  (%.2f)" : "%s", time, to_peer);
  fprintf(f, "<text class=\"ink\" x=\"%.1f\" y=\"%.1f\" font-size=\"%d\">%s</text>\n", LEFT + w + 6,
          y + (line - 3) / 2.0 + 3.6, line < 15 ? 10 : 11, label);
}

void bench_svg(const bench_report *r, FILE *f) {
  int line = line_height(r);
  int row_height = (int)r->o->n_engines * line + GAP;
  int height = TOP + (int)r->n_rows * row_height + BOTTOM;
  double most = longest(r), y = TOP;
  head(r, height, f);
  legend(r, f);
  grid(r, height, f);
  for (size_t i = 0; i < r->n_rows; i++, y += row_height) {
    double middle = y + (double)(row_height - GAP) / 2 + 3;
    fprintf(f, "<text class=\"ink\" x=\"%d\" y=\"%.1f\" font-size=\"12\" text-anchor=\"end\">", LEFT - 34,
            middle);
    bench_svg_text(f, r->rows[i].name, NAME_CHARS);
    fprintf(
        f,
        "</text><text class=\"soft\" x=\"%d\" y=\"%.1f\" font-size=\"11\" text-anchor=\"end\">%u T</text>\n",
        LEFT - 8, middle, r->rows[i].threads);
    for (size_t k = 0; k < r->o->n_engines; k++)
      bar(r, &r->rows[i], k, most, y + line * (double)k, f);
  }
  char foot[300];
  snprintf(foot, sizeof foot, "%.120s, %u cores, %.30s. Least of %zu rounds in turn; T: threads.", r->machine,
           r->cores, r->date, r->o->repeat);
  fprintf(f, "<text class=\"soft\" x=\"20\" y=\"%d\" font-size=\"11\">", height - 16);
  bench_svg_text(f, foot, 130);
  fputs("</text>\n</svg>\n", f);
}
// SPDX-License-Identifier: Apache-2.0
