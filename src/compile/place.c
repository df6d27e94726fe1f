// place.c - placement: asks every device of the list for every node, chooses the cheapest whole with the
// copies between devices, and puts the copies in. The choice is a walk in topological order that keeps the
// best cost of each node on each device (exact on chains), then single nodes and connected parts of one
// device are moved while that helps. Where dims have names, costs are those of an example. Cost: a few rounds
// over nodes and uses.
#include "compile/placing.h"

enum { ROUNDS = 8, PARTS = 256 };

static weft_status place_no_memory(const weft__placing *p) {
  return weft_fail(p->d, WEFT_E_NOMEM, "out of memory");
}

// ---- costs of copies ----
static double one_way(const weft__placing *p, uint32_t dev, double bytes) {
  return dev == WEFT__HOME ? 0 : p->props[dev].copy_ns + p->props[dev].copy_ns_per_byte * bytes;
}
static double copy_cost(const weft__placing *p, const weft_value *v, uint32_t from, uint32_t to) {
  double bytes = (double)weft__placing_bytes(p, v);
  return from == to ? 0 : one_way(p, from, bytes) + one_way(p, to, bytes);
}

static uint32_t home_of(const weft__placing *p, const weft_value *v) {
  return v->node ? p->at[p->number[v->node->id]] : WEFT__HOME;
}

// Bits of devices that need a value.
static uint32_t needed_on(const weft__placing *p, const weft_value *v) {
  uint32_t set = v->n_outputs ? 1u << WEFT__HOME : 0;
  for (const weft_use_link *u = v->uses; u; u = u->next)
    set |= 1u << p->at[p->number[u->node->id]];
  return set;
}

static double value_cost(const weft__placing *p, const weft_value *v) {
  double sum = 0;
  if (v->origin == WEFT_VALUE_CONST || v->fact.value)
    return 0;
  uint32_t home = home_of(p, v);
  uint32_t set = needed_on(p, v);
  for (uint32_t k = 0; k < WEFT__PLACES; k++) {
    if (k != home && set >> k & 1)
      sum += copy_cost(p, v, home, k);
  }
  return sum;
}

static double place_around(const weft__placing *p, uint32_t i) {  // all that changes with the place of node i
  const weft_node *n = p->node[i];
  double sum = p->cost[i * WEFT__PLACES + p->at[i]];
  for (uint32_t k = 0; k < n->desc.pub.n_in; k++) {
    const weft_value *v = n->in[k].value;
    bool again = false;
    for (uint32_t j = 0; j < k; j++)
      again |= n->in[j].value == v;
    if (!again)
      sum += value_cost(p, v);
  }
  for (uint32_t k = 0; k < n->desc.pub.n_out; k++)
    sum += value_cost(p, &n->out[k]);
  return sum;
}

static double whole(const weft__placing *p) {
  double sum = 0;
  for (size_t k = 0; k < p->g->inputs.n; k++)
    sum += value_cost(p, p->g->inputs.v[k]);
  for (uint32_t i = 0; i < p->n; i++) {
    sum += p->cost[i * WEFT__PLACES + p->at[i]];
    for (uint32_t k = 0; k < p->node[i]->desc.pub.n_out; k++)
      sum += value_cost(p, &p->node[i]->out[k]);
  }
  return sum;
}

// ---- the choice ----
static uint32_t cheapest(const weft__placing *p, const double *cost) {
  uint32_t best = p->order[0];
  for (uint32_t k = 1; k < p->n_devices; k++) {
    if (cost[p->order[k]] < cost[best])
      best = p->order[k];
  }
  return best;
}

static void forward(weft__placing *p) {
  for (uint32_t i = 0; i < p->n; i++) {
    const weft_node *n = p->node[i];
    for (uint32_t k = 0; k < p->n_devices; k++) {
      uint32_t dev = p->order[k];
      double sum = p->cost[i * WEFT__PLACES + dev];
      for (uint32_t j = 0; j < n->desc.pub.n_in && sum < WEFT__NEVER; j++) {
        const weft_value *v = n->in[j].value;
        if (v->origin == WEFT_VALUE_CONST || v->fact.value)
          continue;
        double least = v->node ? WEFT__NEVER : copy_cost(p, v, WEFT__HOME, dev);
        for (uint32_t e = 0; v->node && e < p->n_devices; e++) {
          uint32_t from = p->order[e];
          double before = p->best[p->number[v->node->id] * WEFT__PLACES + from];
          if (before >= WEFT__NEVER)
            continue;
          before = before / (v->n_uses ? v->n_uses : 1) + copy_cost(p, v, from, dev);
          least = WEFT_MIN(least, before);
        }
        sum += least;
      }
      for (uint32_t j = 0; j < n->desc.pub.n_out; j++) {
        if (n->out[j].n_outputs)
          sum += copy_cost(p, &n->out[j], dev, WEFT__HOME);
      }
      p->best[i * WEFT__PLACES + dev] = WEFT_MIN(sum, WEFT__NEVER);
    }
  }
}

static void backward(weft__placing *p) {
  for (uint32_t i = p->n; i-- > 0;) {
    const weft_node *n = p->node[i];
    double cost[WEFT__PLACES];
    for (uint32_t k = 0; k < WEFT__PLACES; k++)
      cost[k] = WEFT__NEVER;
    for (uint32_t k = 0; k < p->n_devices; k++) {
      uint32_t dev = p->order[k];
      cost[dev] = p->best[i * WEFT__PLACES + dev];
      if (cost[dev] >= WEFT__NEVER)
        continue;
      for (uint32_t j = 0; j < n->desc.pub.n_out; j++) {
        for (const weft_use_link *u = n->out[j].uses; u; u = u->next)  // placed already: they come later
          cost[dev] += copy_cost(p, &n->out[j], dev, p->at[p->number[u->node->id]]);
      }
    }
    p->at[i] = (uint8_t)cheapest(p, cost);
  }
}

static bool move_nodes(weft__placing *p) {
  bool moved = false;
  for (uint32_t i = 0; i < p->n; i++) {
    uint32_t was = p->at[i];
    uint32_t best = was;
    double least = place_around(p, i);
    for (uint32_t k = 0; k < p->n_devices; k++) {
      uint32_t dev = p->order[k];
      if (dev == was || p->cost[i * WEFT__PLACES + dev] >= WEFT__NEVER)
        continue;
      p->at[i] = (uint8_t)dev;
      double cost = place_around(p, i);
      if (cost < least - 1e-6) {
        least = cost;
        best = dev;
      }
    }
    p->at[i] = (uint8_t)best;
    moved |= best != was;
  }
  return moved;
}

static void push(weft__placing *p, const weft_node *n, uint32_t dev, uint32_t part, uint32_t *top) {
  uint32_t i = p->number[n->id];
  if (p->part[i] || p->at[i] != dev)
    return;
  p->part[i] = part;
  p->stack[(*top)++] = i;
}

static uint32_t find_parts(weft__placing *p) {
  uint32_t n_parts = 0;
  memset(p->part, 0, p->n * sizeof *p->part);
  for (uint32_t i = 0; i < p->n; i++) {
    uint32_t top = 0;
    if (p->part[i])
      continue;
    push(p, p->node[i], p->at[i], ++n_parts, &top);
    while (top) {
      const weft_node *n = p->node[p->stack[--top]];
      for (uint32_t k = 0; k < n->desc.pub.n_in; k++) {
        if (n->in[k].value->node)
          push(p, n->in[k].value->node, p->at[i], n_parts, &top);
      }
      for (uint32_t k = 0; k < n->desc.pub.n_out; k++) {
        for (const weft_use_link *u = n->out[k].uses; u; u = u->next)
          push(p, u->node, p->at[i], n_parts, &top);
      }
    }
  }
  return n_parts;
}

static bool can_move(const weft__placing *p, uint32_t part, uint32_t dev) {
  bool any = false;
  for (uint32_t i = 0; i < p->n; i++) {
    if (p->part[i] != part)
      continue;
    if (p->cost[i * WEFT__PLACES + dev] >= WEFT__NEVER)
      return false;
    any |= p->at[i] != dev;
  }
  return any;
}

static bool move_parts(weft__placing *p) {
  uint32_t n_parts = find_parts(p);
  bool moved = false;
  double least = whole(p);
  for (uint32_t part = 1; part <= WEFT_MIN(n_parts, (uint32_t)PARTS); part++) {
    for (uint32_t k = 0; k < p->n_devices; k++) {
      uint32_t dev = p->order[k];
      uint32_t was = dev;
      if (!can_move(p, part, dev))
        continue;
      for (uint32_t i = 0; i < p->n; i++) {
        if (p->part[i] == part) {
          was = p->at[i];
          p->at[i] = (uint8_t)dev;
        }
      }
      double cost = whole(p);
      if (cost < least - 1e-6) {
        least = cost;
        moved = true;
        continue;
      }
      for (uint32_t i = 0; i < p->n; i++) {
        if (p->part[i] == part)
          p->at[i] = (uint8_t)was;
      }
    }
  }
  return moved;
}

// A view has no kernel to say no: it goes where its input is, unless a cost says otherwise.
static void place_choose(weft__placing *p) {
  forward(p);
  backward(p);
  for (int round = 0; round < ROUNDS; round++) {
    bool moved = move_nodes(p);
    moved |= move_parts(p);
    if (!moved)
      break;
  }
}

// ---- copies ----
static weft_status add_copy(weft__placing *p, weft_value *v, uint32_t from, uint32_t to, weft_node *before,
                            weft_value **out) {
  weft_node *n;
  char name[256];
  size_t at = 0;
  weft__append(name, sizeof name, &at, "%.200s/%s", v->name, p->device[to]->name);
  weft_value *in[1] = {v};
  const char *const names[2] = {p->device[to]->name, p->device[from]->name};
  bool taken = weft_graph_find_node(p->g, name) != NULL;
  weft_use use = {.name = taken ? NULL : name};
  WEFT_TRY(weft_graph_add(p->g, "Identity", &use, in, 1, &n, p->d));
  if (before)
    weft__node_place(n, before);
  weft_attr device = weft_attr_str(names[0], strlen(names[0]));
  weft_attr copy = weft_attr_str(names[1], strlen(names[1]));
  if (to != WEFT__HOME)
    WEFT_TRY(weft_node_set_attr(n, "_device", &device, p->d));
  WEFT_TRY(weft_node_set_attr(n, "_copy", &copy, p->d));
  WEFT_TRY(weft__value_set_fact(&n->out[0], &v->fact, p->d));
  return *out = &n->out[0], WEFT_OK;
}

static weft_node *first_user(const weft__placing *p, const weft_value *v, uint32_t dev) {
  weft_node *first = NULL;
  for (const weft_use_link *u = v->uses; u; u = u->next) {
    uint32_t i = p->number[u->node->id];
    if (i == UINT32_MAX || p->at[i] != dev)
      continue;
    if (!first || i < p->number[first->id])
      first = u->node;
  }
  return first;
}

static weft_status use_copy(weft__placing *p, weft_value *v, uint32_t dev, weft_value *copy) {
  for (weft_use_link *u = v->uses, *next; u; u = next) {
    next = u->next;
    uint32_t i = p->number[u->node->id];
    if (i == UINT32_MAX || p->at[i] != dev)
      continue;  // UINT32_MAX: a copy
    WEFT_TRY(weft_node_set_in(u->node, weft__use_index(u), copy, p->d));
  }
  return WEFT_OK;
}

// The graph's output keeps its name; what was computed on the device gets another.
static weft_status give_output(weft__placing *p, weft_value *v, weft_value *copy) {
  char name[256];
  size_t at = 0;
  weft_graph *g = p->g;
  weft__append(name, sizeof name, &at, "%.200s/%s", v->name, p->device[home_of(p, v)]->name);
  const char *old = v->name;
  weft_diag quiet = {0};
  for (size_t k = 0; k < g->outputs.n; k++) {
    if (g->outputs.v[k] == v) {
      g->outputs.v[k] = copy;
      v->n_outputs--;
      copy->n_outputs++;
    }
  }
  copy->declared = v->declared;
  v->declared = NULL;
  if (weft__value_rename(v, name, &quiet)) {
    const char *made = weft__name_make(g, &g->value_names, name);
    if (!made)
      return place_no_memory(p);
    WEFT_TRY(weft__value_rename(v, made, p->d));
  }
  return weft__value_rename(copy, old, p->d);
}

static weft_status copy_value(weft__placing *p, weft_value *v) {
  if (v->origin == WEFT_VALUE_CONST || v->fact.value)
    return WEFT_OK;
  uint32_t home = home_of(p, v);
  uint32_t set = needed_on(p, v) & ~(1u << home);
  bool other = set & ~(1u << WEFT__HOME);
  weft_value *host = v;
  if (home != WEFT__HOME && set) {  // by way of the host
    weft_node *before = first_user(p, v, WEFT__HOME);
    if (other)
      before = NULL;
    WEFT_TRY(add_copy(p, v, home, WEFT__HOME, before, &host));
    WEFT_TRY(use_copy(p, v, WEFT__HOME, host));
  }
  for (uint32_t k = 1; k < WEFT__PLACES; k++) {
    weft_value *copy;
    if (!(set >> k & 1))
      continue;
    WEFT_TRY(add_copy(p, host, WEFT__HOME, k, home == WEFT__HOME ? first_user(p, v, k) : NULL, &copy));
    WEFT_TRY(use_copy(p, v, k, copy));
  }
  return v->n_outputs && home != WEFT__HOME ? give_output(p, v, host) : WEFT_OK;
}

static weft_status copies(weft__placing *p) {
  size_t n_in = p->g->inputs.n;
  for (size_t k = 0; k < n_in; k++)
    WEFT_TRY(copy_value(p, p->g->inputs.v[k]));
  for (uint32_t i = 0; i < p->n; i++) {
    const char *name = p->device[p->at[i]]->name;
    weft_attr device = weft_attr_str(name, strlen(name));
    if (p->at[i] != WEFT__HOME)
      WEFT_TRY(weft_node_set_attr(p->node[i], "_device", &device, p->d));
    for (uint32_t k = 0; k < p->node[i]->desc.pub.n_out; k++)
      WEFT_TRY(copy_value(p, &p->node[i]->out[k]));
  }
  return WEFT_OK;
}

// ---- the list of devices ----
static weft_status find_device(weft__placing *p, const char *name, size_t n) {
  char text[64];
  bool eager = n && name[n - 1] == '!';
  n -= eager;
  if (n && n < sizeof text) {
    memcpy(text, name, n);
    text[n] = 0;
    const weft_device *v = weft_device_find(p->env, text);
    uint32_t k = 0;
    uint32_t known = p->allowed[WEFT__HOME] ? p->n_devices : p->n_devices + 1;
    if (v == &weft__device_cpu) {
      if (!p->allowed[WEFT__HOME]) {
        p->allowed[WEFT__HOME] = true;
        p->order[p->n_devices++] = WEFT__HOME;
      }
      p->eager |= (uint32_t)eager << WEFT__HOME;
      return WEFT_OK;
    }
    if (v) {
      for (k = 1; k < known; k++) {
        if (p->device[k] == v)
          return WEFT_OK;
      }
      if (known == WEFT__PLACES) {
        return weft_fail(p->d, WEFT_E_LIMIT, "device '%s': at most %d devices beside the CPU", text,
                         WEFT__PLACES - 1);
      }
      p->eager |= (uint32_t)eager << k;
      p->device[k] = v;
      p->allowed[k] = true;
      p->order[p->n_devices++] = (uint8_t)k;
      p->props[k].size = sizeof p->props[k];
      v->properties(&p->props[k]);
      return WEFT_OK;
    }
  }
  char all[256];
  size_t at = 0;
  const weft_device *v;
  all[0] = 0;
  for (size_t i = 0; (v = weft_device_at(p->env, i)) != NULL; i++)
    weft__append(all, sizeof all, &at, "%s%s", i ? ", " : "", v->name);
  return weft_fail(p->d, WEFT_E_NOT_FOUND, "device '%.*s' is not known; there are: %s", (int)WEFT_MIN(n, 64),
                   name, all);
}

static weft_status read_devices(weft__placing *p, const char *list) {
  p->device[WEFT__HOME] = &weft__device_cpu;
  for (const char *at = list;;) {
    size_t n = strcspn(at, ",");  // "npusim!": eager
    WEFT_TRY(find_device(p, at, n));
    if (!at[n])
      return WEFT_OK;
    at += n + 1;
  }
}

static weft_status number_nodes(weft__placing *p) {
  size_t n = (size_t)p->g->n_nodes + 1;
  p->node = WEFT_NEW_N(&p->mem, weft_node *, n);
  p->cost = WEFT_NEW_N(&p->mem, double, n *WEFT__PLACES);
  p->best = WEFT_NEW_N(&p->mem, double, n *WEFT__PLACES);
  p->at = WEFT_NEW_N(&p->mem, uint8_t, n);
  p->part = WEFT_NEW_N(&p->mem, uint32_t, n);
  p->stack = WEFT_NEW_N(&p->mem, uint32_t, n);
  size_t ids = (size_t)p->g->root->n_node_ids;
  size_t room = ids + 8 * (n + p->g->inputs.n) * WEFT__PLACES;
  for (const weft_node *k = p->g->first; k; k = k->next)
    room += (size_t)k->desc.pub.n_out * WEFT__PLACES;
  p->number = WEFT_NEW_N(&p->mem, uint32_t, room + 1);  // ids of copies, too
  if (!p->node || !p->cost || !p->best || !p->at || !p->part || !p->stack || !p->number)
    return place_no_memory(p);
  memset(p->number, 0xff, (room + 1) * sizeof *p->number);
  for (weft_node *k = p->g->first; k; k = k->next) {
    p->number[k->id] = p->n;
    p->node[p->n++] = k;
  }
  for (size_t i = 0; i < n * WEFT__PLACES; i++)
    p->cost[i] = p->best[i] = WEFT__NEVER;
  return WEFT_OK;
}

static weft_status size_values(weft__placing *p) {
  const weft_graph *g = p->g;
  WEFT_TRY(weft__examples_init(&p->examples, g, &p->mem, p->d));
  p->n_bytes = g->root->n_value_ids;
  p->bytes = WEFT_NEW_N(&p->mem, uint64_t, p->n_bytes + 1);
  if (!p->bytes)
    return place_no_memory(p);
  for (size_t i = 0; i < g->inputs.n; i++)
    p->bytes[g->inputs.v[i]->id] = weft__example_bytes(&p->examples, &g->inputs.v[i]->fact);
  for (size_t i = 0; i < g->consts.n; i++)
    p->bytes[g->consts.v[i]->id] = weft__example_bytes(&p->examples, &g->consts.v[i]->fact);
  for (uint32_t i = 0; i < p->n; i++) {
    for (uint32_t k = 0; k < p->node[i]->desc.pub.n_out; k++)
      p->bytes[p->node[i]->out[k].id] = weft__example_bytes(&p->examples, &p->node[i]->out[k].fact);
  }
  return WEFT_OK;
}

static weft_status place_work(weft__placing *p, const char *devices) {
  WEFT_TRY(read_devices(p, devices));
  WEFT_TRY(number_nodes(p));
  WEFT_TRY(size_values(p));
  WEFT_TRY(weft__placing_ask(p));
  place_choose(p);
  bool all_home = true;
  for (uint32_t i = 0; i < p->n; i++)
    all_home &= p->at[i] == WEFT__HOME;
  if (all_home)
    return WEFT_OK;
  WEFT_TRY(copies(p));
  WEFT_TRY(weft_graph_sort(p->g, p->d));
  return weft_graph_infer(p->g, NULL, NULL, p->d);
}

weft_status weft__place(weft_graph *g, const char *devices, const weft_optimize_options *report,
                        weft_diag *d) {
  if (!devices)
    return WEFT_OK;
  weft__placing p = {.g = g, .env = g->root->env, .d = d, .report = report};
  weft__arena_init(&p.mem, &g->root->alloc);
  weft_status s = place_work(&p, devices);
  weft__arena_deinit(&p.mem);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
