// show_layout.c - layers by the longest way from an input; then each layer is sorted by where its neighbours
// lie, down and up in turn, and set as close to them as its boxes allow.
#include "show_layout.h"

#include <stdlib.h>
#include <string.h>

enum { GAP_X = 24, GAP_Y = 48, LONGEST = 60, MOST_BENDS = 40000, ROUNDS = 6 };

typedef struct layout_link {
  uint32_t upper, lower;  // in layers that follow each other
} layout_link;

typedef struct layout_sorted {
  double wish;  // the middle that it wants
  uint32_t order, box;
} layout_sorted;

typedef struct layout_block {  // boxes that touch
  double at, sum, w;           // at = sum / n: the left end
  size_t first;
  size_t n;
} layout_block;

typedef struct layout_work {
  layout *l;
  layout_link *link;
  size_t n_links, n_layers;
  uint32_t *neighbour[2];  // of a box: above, below
  uint32_t *first[2];      // where they begin, by box
  uint32_t *layer_first, *member;
  layout_sorted *sorted;
  layout_block *block;
} layout_work;

static void layout_layers(layout *l) {
  for (size_t i = 0; i < l->n_edges; i++) {
    const layout_edge *e = &l->edge[i];
    uint32_t below = l->box[e->from].layer + 1;
    if (e->from < e->to && l->box[e->to].layer < below)
      l->box[e->to].layer = below;
  }
  for (size_t i = 0; i < l->n_given; i++) {
    if (l->box[i].floats)
      l->box[i].layer = UINT32_MAX;
  }
  for (size_t i = 0; i < l->n_edges; i++) {
    layout_box *from = &l->box[l->edge[i].from];
    uint32_t below = l->box[l->edge[i].to].layer;
    if (from->floats && below && below - 1 < from->layer)
      from->layer = below - 1;
  }
  for (size_t i = 0; i < l->n_given; i++) {
    if (l->box[i].layer == UINT32_MAX)
      l->box[i].layer = 0;
  }
}

static uint32_t layout_span(const layout *l, const layout_edge *e) {
  uint32_t from = l->box[e->from].layer;
  uint32_t to = l->box[e->to].layer;
  return to > from ? to - from : 0;
}

static bool layout_bends(layout *l) {
  size_t n = 0;
  for (size_t i = 0; i < l->n_edges; i++) {
    layout_edge *e = &l->edge[i];
    uint32_t span = layout_span(l, e);
    bool bent = span > 1 && span <= LONGEST && n + span <= MOST_BENDS;
    e->first_bend = (uint32_t)(l->n_given + n);
    e->n_bends = bent ? span - 1 : 0;
    n += e->n_bends;
  }
  layout_box *grown = realloc(l->box, (l->n_given + n + 1) * sizeof *grown);
  if (!grown)
    return false;
  l->box = grown;
  l->n_boxes = l->n_given + n;
  for (size_t i = 0; i < l->n_edges; i++) {
    const layout_edge *e = &l->edge[i];
    for (uint32_t k = 0; k < e->n_bends; k++)
      l->box[e->first_bend + k] = (layout_box){.w = 6, .layer = l->box[e->from].layer + 1 + k};
  }
  return true;
}

static void layout_add_link(layout_work *w, uint32_t upper, uint32_t lower) {
  if (w->l->box[upper].layer < w->l->box[lower].layer)
    w->link[w->n_links++] = (layout_link){upper, lower};
}

static void layout_links(layout_work *w) {
  const layout *l = w->l;
  for (size_t i = 0; i < l->n_edges; i++) {
    const layout_edge *e = &l->edge[i];
    uint32_t at = e->from;
    for (uint32_t k = 0; k < e->n_bends; k++) {
      layout_add_link(w, at, e->first_bend + k);
      at = e->first_bend + k;
    }
    layout_add_link(w, at, e->to);
  }
}

// Neighbours of each box on one side, box after box.
static void layout_neighbours(layout_work *w, int side) {
  uint32_t *first = w->first[side];
  for (size_t i = 0; i < w->n_links; i++)
    first[(side ? w->link[i].upper : w->link[i].lower) + 1]++;
  for (size_t i = 0; i < w->l->n_boxes; i++)
    first[i + 1] += first[i];
  for (size_t i = w->n_links; i-- > 0;) {
    uint32_t box = side ? w->link[i].upper : w->link[i].lower;
    w->neighbour[side][--first[box + 1]] = side ? w->link[i].lower : w->link[i].upper;
  }
  for (size_t i = 0; i < w->l->n_boxes; i++)
    first[i] = first[i + 1];
  first[w->l->n_boxes] = (uint32_t)w->n_links;
}

static void layout_members(layout_work *w) {
  layout *l = w->l;
  for (size_t i = 0; i < l->n_boxes; i++)
    w->layer_first[l->box[i].layer + 1]++;
  for (size_t i = 0; i < w->n_layers; i++)
    w->layer_first[i + 1] += w->layer_first[i];
  for (size_t i = 0; i < l->n_boxes; i++)
    l->box[i].order = UINT32_MAX;
  for (size_t i = 0; i < l->n_boxes; i++) {
    uint32_t layer = l->box[i].layer;
    uint32_t n = w->sorted[layer].order++;
    l->box[i].order = n;
    w->member[w->layer_first[layer] + n] = (uint32_t)i;
  }
}

static void layout_heights(layout_work *w) {
  double y = 0;
  for (size_t i = 0; i < w->n_layers; i++) {
    double high = 0;
    for (uint32_t k = w->layer_first[i]; k < w->layer_first[i + 1]; k++) {
      double h = w->l->box[w->member[k]].h;
      if (h > high)
        high = h;
    }
    for (uint32_t k = w->layer_first[i]; k < w->layer_first[i + 1]; k++) {
      layout_box *b = &w->l->box[w->member[k]];
      b->y = b->h > 0 ? y : y + high / 2;
    }
    y += high + GAP_Y;
  }
  w->l->height = y > GAP_Y ? y - GAP_Y : 0;
}

static double layout_middle(const layout_box *b) {
  return b->x + b->w / 2;
}

static double layout_wish(const layout_work *w, uint32_t box, int side) {
  const uint32_t *first = w->first[side];
  double sum = 0;
  if (first[box] == first[box + 1])
    return layout_middle(&w->l->box[box]);
  for (uint32_t i = first[box]; i < first[box + 1]; i++)
    sum += layout_middle(&w->l->box[w->neighbour[side][i]]);
  return sum / (first[box + 1] - first[box]);
}

static int layout_by_wish(const void *a, const void *b) {
  const layout_sorted *x = a;
  const layout_sorted *y = b;
  if (x->wish != y->wish)
    return x->wish < y->wish ? -1 : 1;
  return x->order < y->order ? -1 : 1;
}

// Neighbours that want the same place share it: blocks that touch are merged at the mean of their wishes.
static void layout_place(layout_work *w, size_t n) {
  layout_box *box = w->l->box;
  size_t blocks = 0;
  for (size_t i = 0; i < n; i++) {
    const layout_box *b = &box[w->sorted[i].box];
    double at = w->sorted[i].wish - b->w / 2;
    layout_block now = {at, at, b->w, i, 1};
    while (blocks && w->block[blocks - 1].at + w->block[blocks - 1].w + GAP_X > now.at) {
      layout_block *before = &w->block[--blocks];
      double shift = before->w + GAP_X;
      now.sum = before->sum + now.sum - (double)now.n * shift;
      now.w += shift;
      now.first = before->first;
      now.n += before->n;
      now.at = now.sum / (double)now.n;
    }
    w->block[blocks++] = now;
  }
  for (size_t i = 0; i < blocks; i++) {
    double x = w->block[i].at;
    for (size_t k = 0; k < w->block[i].n; k++) {
      layout_box *b = &box[w->sorted[w->block[i].first + k].box];
      b->x = x;
      b->order = (uint32_t)(w->block[i].first + k);
      x += b->w + GAP_X;
    }
  }
}

static void layout_sort(layout_work *w, size_t layer, int side) {
  uint32_t first = w->layer_first[layer];
  size_t n = w->layer_first[layer + 1] - first;
  for (size_t i = 0; i < n; i++) {
    uint32_t box = w->member[first + i];
    w->sorted[i] = (layout_sorted){layout_wish(w, box, side), w->l->box[box].order, box};
  }
  qsort(w->sorted, n, sizeof *w->sorted, layout_by_wish);
  for (size_t i = 0; i < n; i++)
    w->member[first + i] = w->sorted[i].box;
  layout_place(w, n);
}

static void layout_sweep(layout_work *w) {
  for (int round = 0; round < ROUNDS; round++) {
    for (size_t i = 0; i < w->n_layers; i++)
      layout_sort(w, round % 2 ? w->n_layers - 1 - i : i, round % 2);
  }
}

static void layout_shift(layout *l) {
  double left = 0, right = 0;
  for (size_t i = 0; i < l->n_boxes; i++) {
    const layout_box *b = &l->box[i];
    if (!i || b->x < left)
      left = b->x;
    if (!i || b->x + b->w > right)
      right = b->x + b->w;
  }
  for (size_t i = 0; i < l->n_boxes; i++)
    l->box[i].x -= left;
  l->width = right - left;
}

static bool layout_alloc(layout_work *w) {
  size_t n = w->l->n_boxes + 2;
  size_t links = w->l->n_edges + n;
  w->link = calloc(links, sizeof *w->link);
  for (int side = 0; side < 2; side++) {
    w->neighbour[side] = calloc(links, sizeof *w->neighbour[side]);
    w->first[side] = calloc(n, sizeof *w->first[side]);
  }
  w->layer_first = calloc(w->n_layers + 2, sizeof *w->layer_first);
  w->member = calloc(n, sizeof *w->member);
  w->sorted = calloc(n + w->n_layers, sizeof *w->sorted);
  w->block = calloc(n, sizeof *w->block);
  return w->link && w->neighbour[0] && w->neighbour[1] && w->first[0] && w->first[1] && w->layer_first &&
         w->member && w->sorted && w->block;
}

bool layout_run(layout *l) {
  layout_work w = {.l = l};
  l->n_boxes = l->n_given;
  layout_layers(l);
  if (!layout_bends(l))
    return false;
  for (size_t i = 0; i < l->n_boxes; i++) {
    if (l->box[i].layer >= w.n_layers)
      w.n_layers = l->box[i].layer + 1u;
  }
  bool fits = layout_alloc(&w);
  if (fits) {
    layout_links(&w);
    layout_neighbours(&w, 0);
    layout_neighbours(&w, 1);
    layout_members(&w);
    layout_heights(&w);
    layout_sweep(&w);
    layout_shift(l);
  }
  free(w.link);
  for (int side = 0; side < 2; side++) {
    free(w.neighbour[side]);
    free(w.first[side]);
  }
  free(w.layer_first);
  free(w.member);
  free(w.sorted);
  free(w.block);
  return fits;
}
// SPDX-License-Identifier: Apache-2.0
