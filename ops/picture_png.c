// picture_png.c - PNG without interlacing, any bit depth; the alpha channel is dropped, 16 bits are cut to 8.
// Checksums are not looked at.
#include "arrays.h"
#include "picture.h"
#include "tensor/inflate.h"

typedef struct png {
  uint32_t width, height, depth, type, channels;
  uint8_t palette[256][3];
  size_t colors, bytes;  // of the palette; of all IDAT chunks
} png;

static uint32_t be32(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static weft_status header(const weft_call *c, const uint8_t *p, png *h) {
  static const uint8_t channels[7] = {1, 0, 3, 1, 2, 0, 4};
  *h = (png){.width = be32(p), .height = be32(p + 4), .depth = p[8], .type = p[9]};
  h->channels = h->type < 7 ? channels[h->type] : 0;
  bool low = h->depth == 1 || h->depth == 2 || h->depth == 4, deep = h->depth == 16;
  if (!h->channels || (h->depth != 8 && !low && !deep) || (low && h->type != 0 && h->type != 3) ||
      (deep && h->type == 3))
    return weft_fail(c->d, WEFT_E_CORRUPT, "PNG: color type %u with %u bits does not exist", h->type,
                     h->depth);
  if (p[12]) return weft_fail(c->d, WEFT_E_UNSUPPORTED, "PNG: interlaced pictures are not read");
  return WEFT_OK;
}

// Walks the chunks: once to read the header and the palette and to add up the data, once to join those in
// `data`.
static weft_status chunks(const weft_call *c, weft_bytes file, png *h, uint8_t *data) {
  size_t joined = 0;
  bool headed = false;
  for (size_t at = 8; file.n - at >= 12;) {
    const uint8_t *p = file.v + at;
    size_t n = be32(p);
    if (n > file.n - at - 12) break;
    if (!memcmp(p + 4, "IEND", 4)) return headed ? WEFT_OK : weft__picture_cut(c, "PNG");
    if (!headed && (memcmp(p + 4, "IHDR", 4) || n != 13))
      return weft_fail(c->d, WEFT_E_CORRUPT, "PNG: the header is not first");
    if (!headed && !data) WEFT_TRY(header(c, p + 8, h));
    headed = true;
    if (!memcmp(p + 4, "PLTE", 4)) h->colors = WEFT_MIN(n / 3, 256), memcpy(h->palette, p + 8, 3 * h->colors);
    if (!memcmp(p + 4, "IDAT", 4)) {
      if (data) memcpy(data + joined, p + 8, n);
      joined += n;
      if (!data) h->bytes = joined;
    }
    at += n + 12;
  }
  return weft__picture_cut(c, "PNG");
}

static uint8_t paeth(int left, int up, int corner) {
  int p = left + up - corner, a = p < left ? left - p : p - left, b = p < up ? up - p : p - up,
      e = p < corner ? corner - p : p - corner;
  return (uint8_t)(a <= b && a <= e ? left : b <= e ? up : corner);
}

// Undoes the filter of one row in place; `before` is the row above, NULL for the first.
static bool unfilter(uint8_t kind, uint8_t *row, const uint8_t *before, size_t n, size_t step) {
  for (size_t k = 0; k < n; k++) {
    uint8_t left = k >= step ? row[k - step] : 0, up = before ? before[k] : 0;
    uint8_t corner = before && k >= step ? before[k - step] : 0;
    if (kind == 1)
      row[k] = (uint8_t)(row[k] + left);
    else if (kind == 2)
      row[k] = (uint8_t)(row[k] + up);
    else if (kind == 3)
      row[k] = (uint8_t)(row[k] + (left + up) / 2);
    else if (kind == 4)
      row[k] = (uint8_t)(row[k] + paeth(left, up, corner));
  }
  return kind < 5;
}

static void pixels(const png *h, const uint8_t *row, uint8_t *out) {
  for (size_t x = 0; x < h->width; x++) {
    for (size_t e = 0; e < 3; e++) {
      size_t sample = x * h->channels + (h->channels >= 3 ? e : 0);
      if (h->depth >= 8) {
        out[3 * x + e] = row[sample * (h->depth / 8)];
      } else {
        uint32_t bit = (uint32_t)(sample * h->depth), most = (1u << h->depth) - 1;
        uint32_t v = row[bit / 8] >> (8 - h->depth - bit % 8) & most;
        out[3 * x + e] = (uint8_t)(h->type == 3 ? v : v * 255 / most);
      }
      if (h->type == 3) out[3 * x + e] = out[3 * x + e] < h->colors ? h->palette[out[3 * x + e]][e] : 0;
    }
  }
}

weft_status weft__picture_png(const weft_call *c, weft_bytes file, weft_picture *out) {
  png h;
  void *data, *rows;
  WEFT_TRY(chunks(c, file, &h, NULL));
  out->height = h.height, out->width = h.width;
  WEFT_TRY(weft__picture_alloc(c, "PNG", (uint64_t)h.bytes * 8 * 1032, out));
  size_t row = ((size_t)h.width * h.channels * h.depth + 7) / 8, step = WEFT_MAX(h.channels * h.depth / 8, 1);
  if (h.bytes < 6) return weft__picture_cut(c, "PNG");
  // A byte of DEFLATE gives at most 1032: a small file cannot ask for much memory.
  if ((row + 1) * h.height / 1032 > h.bytes) return weft__picture_cut(c, "PNG");
  WEFT_TRY(weft__scratch(c, h.bytes / 8 + 1, &data));
  WEFT_TRY(weft__scratch(c, (row + 1) * h.height / 8 + 1, &rows));
  WEFT_TRY(chunks(c, file, &h, data));
  WEFT_TRY(weft__inflate((uint8_t *)data + 2, h.bytes - 6, rows, (row + 1) * h.height, c->d));
  for (size_t y = 0; y < h.height; y++) {
    uint8_t *at = (uint8_t *)rows + y * (row + 1);
    if (!unfilter(at[0], at + 1, y ? at - row : NULL, row, step))
      return weft_fail(c->d, WEFT_E_CORRUPT, "PNG: row %zu has the filter %u, 0 to 4 exist", y, at[0]);
    pixels(&h, at + 1, out->v + 3 * y * h.width);
  }
  return WEFT_OK;
}
