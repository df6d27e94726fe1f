// layout.c - gives the values of a planned segment their places: outputs are written straight into the
// caller's memory, an operator may overwrite an input that nobody needs afterwards, and the rest shares one
// arena. What segments before left in the arena keeps its place.
#include "run/layout.h"
#include "base/allocated.h"

#include "run/guard.h"

static weft__place *layout_place_of(const layout *y, uint32_t v) {
  return y->place[v];
}

static void layout_find_places(layout *y) {
  for (weft__seg *s = y->s; s; s = s->parent) {
    for (uint32_t v = s->v0; v < s->v1; v++)
      y->place[v] = &s->place[v - s->v0];
  }
}

static bool is_made(const layout *y, uint32_t v) {
  return weft__layout_made(y, v);
}
static uint32_t root_of(const layout *y, uint32_t v) {
  return weft__layout_root(y, v);
}
static uint64_t at_of(const layout *y, uint32_t v) {
  return weft__layout_at(y, v);
}

// Until which node the memory of each value made so far is needed: by itself, by its views, by what
// overwrites it.
static void lifetimes(layout *y) {
  for (uint32_t pos = 0; pos < y->s->end; pos++) {
    for (uint32_t v = y->f->first_out[pos]; v < y->f->first_out[pos + 1]; v++)
      y->until[v] = y->f->last[v] == WEFT__UNREAD ? pos : y->f->last[v];
  }
  for (uint32_t v = y->f->n_in + y->f->n_const; v < y->s->v1; v++) {
    uint32_t r = root_of(y, v);
    if (r != v && is_made(y, r))
      y->until[r] = WEFT_MAX(y->until[r], y->until[v]);
  }
}

// States come first: what is also an output of the caller's is copied there, once.
static void use_outputs(layout *y) {
  const uint32_t n = y->f->n_out;
  const uint32_t own = y->x->fn_index ? n : WEFT_MIN(y->x->program->n_out, n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t k = i < n - own ? own + i : i - (n - own);
    uint32_t v = y->f->out[k];
    if (v < y->s->v0 || v >= y->s->v1)
      continue;
    weft__place *p = layout_place_of(y, v);
    if (p->kind == WEFT__AT_BOX && !p->space && p->output == WEFT__UNREAD && p->root == v)
      p->output = k;
    if (p->kind != WEFT__AT_ARENA || p->space)
      continue;
    uint32_t r = root_of(y, v);
    if (r < y->s->v0)
      continue;
    weft__place *q = layout_place_of(y, r);
    if (q->kind == WEFT__AT_ARENA && y->s->tensor[r - y->s->v0]->bytes == y->s->tensor[v - y->s->v0]->bytes) {
      q->kind = WEFT__AT_OUTPUT;
      q->output = k;
    }
  }
}

static bool layout_same_shape(const weft_tensor *a, const weft_tensor *b) {
  return a->bytes == b->bytes && weft_dtype_bits(a->dtype) == weft_dtype_bits(b->dtype) &&
         weft_shape_equal(&a->layout.origin, &b->layout.origin);
}

// Does what runs it allow that output 0 lies over input i?
static bool allows_over(const weft__launch *l, const weft_node *n, uint32_t i) {
  if (l->kind == WEFT__RUN_KERNEL)
    return i < 32 && (l->overwrite >> i & 1);
  return n->desc.proto->op->traits & (WEFT_ELEMENTWISE | (i ? 0 : WEFT_INPLACE));
}

// May this launch write its output 0 over input i? Where the same value comes in again, over that, too?
static bool may_overwrite(const layout *y, const weft__launch *l, uint32_t i) {
  const weft_node *n = y->f->node[l->node];
  if (!allows_over(l, n, i))
    return false;
  uint32_t v = weft__local(y->x->program, n->in[i].value);
  if (!is_made(y, v) || layout_place_of(y, v)->kind != WEFT__AT_ARENA)
    return false;
  if (layout_place_of(y, v)->space != layout_place_of(y, y->f->first_out[l->node])->space)
    return false;
  if (!layout_same_shape(l->call.in[i], l->call.out[0]))
    return false;
  uint32_t r = root_of(y, v);
  if (layout_place_of(y, r)->kind != WEFT__AT_ARENA || y->until[r] != l->node)
    return false;
  for (uint32_t k = 0; k < n->desc.pub.n_in; k++) {
    uint32_t w = weft__local(y->x->program, n->in[k].value);
    if (w == v ? !allows_over(l, n, k) : is_made(y, w) && root_of(y, w) == r)
      return false;
  }
  return true;
}

// The other way round: an output that lies in a larger whole, or in the caller's memory, lets the input be
// made there.
static bool make_in_output(layout *y, const weft__launch *l, uint32_t i, uint32_t out) {
  uint32_t v = weft__local(y->x->program, y->f->node[l->node]->in[i].value);
  uint32_t r = root_of(y, v);
  if (r < y->s->v0 || layout_place_of(y, r)->kind != WEFT__AT_ARENA || at_of(y, v))
    return false;
  if (y->s->tensor[r - y->s->v0]->bytes != y->s->tensor[out - y->s->v0]->bytes)
    return false;
  layout_place_of(y, r)->root = out;
  layout_place_of(y, r)->at = 0;
  return true;
}

// Of a node with thousands of inputs the first ones are tried: each look goes through all of them.
static void overwrite(layout *y) {
  enum { TRIED = 64 };
  for (uint32_t k = 0; k < y->s->n_launches; k++) {
    const weft__launch *l = &y->s->launch[k];
    if (l->kind != WEFT__RUN_REF && l->kind != WEFT__RUN_KERNEL)
      continue;
    if (l->call.n_out != 1)
      continue;
    uint32_t out = y->f->first_out[l->node];
    weft__place *p = layout_place_of(y, out);
    if ((p->kind != WEFT__AT_ARENA && p->kind != WEFT__AT_OUTPUT) || !y->s->tensor[out - y->s->v0]->bytes)
      continue;
    bool free_to_move = p->kind == WEFT__AT_ARENA && p->root == out;
    for (uint32_t i = 0; i < WEFT_MIN(l->call.n_in, TRIED); i++) {
      if (!may_overwrite(y, l, i))
        continue;
      if (!free_to_move) {
        if (make_in_output(y, l, i, out))
          break;
        continue;
      }
      uint32_t v = weft__local(y->x->program, y->f->node[l->node]->in[i].value);
      uint32_t r = root_of(y, v);
      p->root = v;
      p->at = 0;
      y->until[r] = WEFT_MAX(y->until[r], y->until[out]);
      break;
    }
  }
}

// Outputs that nobody reads are not made where the kernel can do without them; a watcher reads all.
static void skip_unread(layout *y) {
  for (uint32_t k = 0; k < y->s->n_launches && !y->x->o.watch; k++) {
    const weft__launch *l = &y->s->launch[k];
    if (l->kind != WEFT__RUN_KERNEL || l->device || !l->skips)
      continue;
    for (uint32_t i = 0; i < WEFT_MIN(l->call.n_out, 32u); i++) {
      uint32_t v = y->f->first_out[l->node] + i;
      weft__place *p = layout_place_of(y, v);
      if (l->skips >> i & 1 && y->f->last[v] == WEFT__UNREAD && p->kind == WEFT__AT_ARENA && p->root == v)
        p->kind = WEFT__AT_NONE;
    }
  }
}

static uint32_t layout_step(const layout *y, uint32_t pos) {
  return pos >= y->s->end ? y->s->end - y->s->first : pos - y->s->first;
}

static void add_span(layout *y, uint32_t v, uint64_t bytes, uint32_t first, uint32_t last, int64_t fixed,
                     uint8_t space) {
  const char *name = v == WEFT__UNREAD ? "workspace" : y->f->value[v]->name;
  y->span[y->n_spans] = (weft_span){
      .bytes = bytes, .first = first, .last = last, .into = WEFT_NO_SPAN, .fixed = fixed, .name = name};
  y->value_of[y->n_spans] = v;
  y->space_of[y->n_spans] = v == WEFT__UNREAD ? space : layout_place_of(y, v)->space;
  y->span_of[y->n_spans++] = fixed >= 0 ? WEFT__UNREAD : v;
}

static void find_starts(layout *y) {
  for (uint32_t v = y->s->v0; v < y->s->v1; v++)
    y->since[v] = WEFT__UNREAD;
  for (uint32_t pos = y->s->first; pos < y->s->end; pos++) {
    for (uint32_t v = y->f->first_out[pos]; v < y->f->first_out[pos + 1]; v++) {
      uint32_t r = root_of(y, v);
      if (r >= y->s->v0 && r < y->s->v1) {
        y->since[r] = WEFT_MIN(y->since[r], pos);
        y->until[r] = WEFT_MAX(y->until[r], y->until[v]);
      }
    }
  }
}

static void add_spans(layout *y) {
  uint32_t begin = y->f->n_in + y->f->n_const;
  for (uint32_t v = begin; v < y->s->v0; v++) {  // from before
    const weft__place *p = layout_place_of(y, v);
    if (p->kind != WEFT__AT_ARENA || p->root != v || y->until[v] < y->s->first)
      continue;
    const weft__seg *s = y->s;
    while (v < s->v0)
      s = s->parent;
    add_span(y, v, s->tensor[v - s->v0]->bytes, 0, layout_step(y, y->until[v]), (int64_t)p->offset, p->space);
  }
  for (uint32_t pos = y->s->first; pos < y->s->end; pos++) {
    for (uint32_t v = y->f->first_out[pos]; v < y->f->first_out[pos + 1]; v++) {
      const weft__place *p = layout_place_of(y, v);
      uint32_t since = y->since[v] == WEFT__UNREAD ? pos : WEFT_MIN(y->since[v], pos);  // of its first part
      if (p->kind != WEFT__AT_ARENA || p->root != v)
        continue;
      add_span(y, v, y->s->tensor[v - y->s->v0]->bytes, layout_step(y, since), layout_step(y, y->until[v]),
               -1, p->space);
    }
  }
  for (uint32_t k = 0; k < y->s->n_launches; k++) {
    const weft__launch *l = &y->s->launch[k];
    for (uint32_t i = 0; i < l->n_workspaces; i++)
      add_span(y, WEFT__UNREAD, l->workspace_at[i], layout_step(y, l->node), layout_step(y, l->node), -1,
               l->device);
  }
}

static weft_status over_limit(const layout *y, uint64_t need, size_t have) {
  weft_exec *x = y->x;
  char text[800];
  weft__peak_text(x, y->s, text, sizeof text);
  weft__budget_refuse(&x->root->budget, need);
  return weft_fail(x->d, WEFT_E_LIMIT,
                   "the run needs %llu bytes of memory for intermediate tensors, %sthe limit is %zu; "
                   "the largest at the peak: %s",
                   (unsigned long long)need, weft__in_use_of(have).text, x->o.memory_limit_bytes, text);
}

// What a run needs, arenas of devices included, must fit beside what is in use.
static weft_status check_limit(const layout *y) {
  weft_exec *x = y->x;
  uint64_t need = y->s->plan.peak_bytes;
  uint64_t arenas = x->arena_bytes;
  if (!x->o.memory_limit_bytes)
    return WEFT_OK;
  for (uint32_t k = 1; x->open && k < x->program->n_devices; k++) {
    need += y->s->device_bytes[k];
    arenas += x->open[k].arena_bytes;
  }
  size_t have = x->root->live_bytes - (size_t)WEFT_MIN(arenas, x->root->live_bytes);
  if (need <= x->o.memory_limit_bytes && have <= x->o.memory_limit_bytes - need)
    return WEFT_OK;
  return over_limit(y, need, have);
}

static weft_status layout_plan(layout *y) {
  if (y->s->streams)
    WEFT_TRY(weft__layout_stream_spans(y));
  WEFT_TRY(weft__layout_plan(y));
  WEFT_TRY(weft__layout_peak(y));
  WEFT_TRY(check_limit(y));
  uint32_t n = 0;
  for (uint32_t i = 0; i < y->n_spans; i++) {
    if (y->span_of[i] != WEFT__UNREAD)
      layout_place_of(y, y->span_of[i])->offset = y->span[i].offset;
  }
  for (uint32_t i = 0; i < y->n_spans; i++)
    n += y->span[i].fixed < 0 && y->span_of[i] == WEFT__UNREAD;
  uint32_t at = y->n_spans - n;  // workspaces come last
  for (uint32_t k = 0; k < y->s->n_launches; k++) {
    for (uint32_t i = 0; i < y->s->launch[k].n_workspaces; i++)
      y->s->launch[k].workspace_at[i] = y->span[at++].offset;
  }
  return WEFT_OK;
}

// Values that share their root's memory get its place.
static void follow_roots(layout *y) {
  for (uint32_t v = y->s->v0; v < y->s->v1; v++) {
    weft__place *p = layout_place_of(y, v);
    if (p->kind != WEFT__AT_ARENA || p->root == v)
      continue;
    const weft__place *q = layout_place_of(y, root_of(y, v));
    p->kind = q->kind;
    p->output = q->output;
    p->offset = q->offset + at_of(y, v);
  }
}

static void tell_kernels(layout *y) {
  for (uint32_t k = 0; k < y->s->n_launches; k++) {
    weft__launch *l = &y->s->launch[k];
    if (l->kind != WEFT__RUN_KERNEL)
      continue;
    for (uint32_t i = 0; i < WEFT_MIN(l->call.n_out, 32u); i++) {
      if (layout_place_of(y, y->f->first_out[l->node] + i)->kind == WEFT__AT_OUTPUT)
        l->block.given |= 1u << i;
    }
  }
}

static weft_status layout_give_outputs(layout *y) {
  weft__seg *s = y->s;
  for (uint32_t v = s->v0; v < s->v1; v++)
    s->n_given += layout_place_of(y, v)->kind == WEFT__AT_OUTPUT;
  s->given = WEFT_NEW_N(&s->mem, uint32_t, (size_t)s->n_given + 1);
  WEFT_TRY(weft__allocated(s->given, y->x->d));
  uint32_t n = 0;
  for (uint32_t v = s->v0; v < s->v1; v++) {
    if (layout_place_of(y, v)->kind == WEFT__AT_OUTPUT)
      s->given[n++] = v;
  }
  return WEFT_OK;
}

// The launch after which a box is not needed; UINT32_MAX: at the end of the run.
static uint32_t dropper(const layout *y, uint32_t v) {
  const weft__place *p = layout_place_of(y, v);
  uint32_t u = y->until[v];
  uint32_t lo = 0;
  uint32_t hi = y->s->n_launches;
  if (p->kind != WEFT__AT_BOX || u < y->s->first || u >= y->s->end)
    return UINT32_MAX;
  while (lo < hi) {  // the last launch of a node <= u
    uint32_t mid = lo + (hi - lo) / 2;
    if (y->s->launch[mid].node <= u)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo && y->s->launch[lo - 1].node == u ? lo - 1 : UINT32_MAX;
}

static weft_status drop_boxes(layout *y) {
  weft__seg *s = y->s;
  uint32_t begin = y->f->n_in + y->f->n_const;
  uint32_t n = 0;
  for (uint32_t v = begin; v < s->v1; v++) {
    uint32_t k = dropper(y, v);
    if (k != UINT32_MAX) {
      s->launch[k].n_drops++;
      n++;
    }
  }
  s->drops = WEFT_NEW_N(&s->mem, uint32_t, (size_t)n + 1);
  WEFT_TRY(weft__allocated(s->drops, y->x->d));
  n = 0;
  for (uint32_t k = 0; k < s->n_launches; k++) {
    s->launch[k].drop = n;
    n += s->launch[k].n_drops;
    s->launch[k].n_drops = 0;
  }
  for (uint32_t v = begin; n && v < s->v1; v++) {
    uint32_t k = dropper(y, v);
    if (k != UINT32_MAX)
      s->drops[s->launch[k].drop + s->launch[k].n_drops++] = v;
  }
  return WEFT_OK;
}

weft_status weft__seg_layout(weft_exec *x, weft__seg *s) {
  weft_arena scratch;
  layout y = {.x = x, .f = x->fn, .s = s, .until = x->s.until, .mem = &scratch};
  size_t n = (size_t)s->v1 - x->fn->n_in - x->fn->n_const + 1;
  for (uint32_t k = 0; k < s->n_launches; k++)
    n += s->launch[k].n_workspaces;
  n += weft__layout_more_spans(&y);
  weft__arena_init(&scratch, &x->cache->self);
  y.span = WEFT_NEW_N(&scratch, weft_span, n);
  y.span_of = WEFT_NEW_N(&scratch, uint32_t, n);
  y.since = WEFT_NEW_N(&scratch, uint32_t, (size_t)s->v1 + 1);
  y.place = WEFT_NEW_N(&scratch, weft__place *, (size_t)s->v1 + 1);
  y.space_of = WEFT_NEW_N(&scratch, uint8_t, n);
  y.value_of = WEFT_NEW_N(&scratch, uint32_t, n);
  weft_status status = y.space_of && y.value_of && y.span && y.span_of && y.place && y.since
                           ? WEFT_OK
                           : weft_fail(x->d, WEFT_E_NOMEM, "out of memory");
  if (!status) {
    layout_find_places(&y);
    lifetimes(&y);
    skip_unread(&y);
    use_outputs(&y);
    overwrite(&y);
    find_starts(&y);
    add_spans(&y);
    status = weft__layout_streams(&y);
  }
  if (!status)
    status = weft__layout_in_place(&y);
  if (!status)
    status = layout_plan(&y);
  if (!status) {
    follow_roots(&y);
    tell_kernels(&y);
    status = layout_give_outputs(&y);
  }
  if (!status)
    status = drop_boxes(&y);
  if (!status)
    status = weft__guard_plan(x, s);
  if (!status && s->streams)
    status = weft__layout_races(&y);
  weft__arena_deinit(&scratch);
  return status;
}
// SPDX-License-Identifier: Apache-2.0
