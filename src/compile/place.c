// place.c - placement: asks every device of the list for every node, chooses the cheapest whole with the
// copies between devices, and puts the copies in. The choice is a walk in topological order that keeps the
// best cost of each node on each device (exact on chains), then single nodes and connected parts of one
// device are moved while that helps. Where dims have names, costs are those of an example. Cost: a few rounds
// over nodes and uses.
#include "compile/place.h"

#include "compile/examples.h"
#include "device/device.h"

enum {
  DEVICES = 4,
  ROUNDS = 8,
  PARTS = 256,
  HOME = 0
};  // HOME: the CPU, which is always known, whether or not allowed
#define NEVER 1e30

typedef struct place {
  weft_graph *g;
  weft_env *env;
  weft_diag *d;
  const weft_optimize_options *report;
  weft_arena mem;
  const weft_device *device[DEVICES];
  uint8_t order[DEVICES];  // as the caller lists them
  uint32_t eager;          // bits of devices that get what they can run, whatever it costs
  bool allowed[DEVICES];
  weft_device_properties props[DEVICES];
  uint32_t n_devices, n;  // n: nodes
  weft_node **node;
  uint32_t *number;  // by node id
  double *cost;      // n * DEVICES; NEVER: cannot
  double *best;      // the same: with all before it, as far as it is known
  uint8_t *at;       // by node
  uint32_t *part, *stack;
  weft__examples examples;
  uint64_t *bytes;  // by value id, of those that were there before copies
  size_t n_bytes;
} place;

static weft_status no_memory(const place *p) {
  return weft_fail(p->d, WEFT_E_NOMEM, "out of memory");
}

// ---- candidates ----
static bool fill_tiling(place *p, const weft_node *n, weft_tiling *t) {
  const weft_op_desc *desc = &n->desc.pub;
  uint32_t all = desc->n_in + desc->n_out;
  weft_layout *store = WEFT_NEW_N(&p->mem, weft_layout, (size_t)all + 1);
  const weft_layout **layout = WEFT_NEW_N(&p->mem, const weft_layout *, (size_t)all + 1);
  weft_dtype *dtype = WEFT_NEW_N(&p->mem, weft_dtype, (size_t)all + 1);
  const weft_tensor **value = WEFT_NEW_N(&p->mem, const weft_tensor *, (size_t)desc->n_in + 1);
  if (!store || !layout || !dtype || !value) return false;
  for (uint32_t i = 0; i < all; i++) {
    const weft_fact *f = i < desc->n_in ? &n->in[i].value->fact : &n->out[i - desc->n_in].fact;
    weft__example_layout(&p->examples, f, &store[i]);
    layout[i] = &store[i], dtype[i] = f->dtype;
    if (i < desc->n_in) value[i] = f->value;
  }
  *t = (weft_tiling){.size = sizeof *t,
                     .n_in = desc->n_in,
                     .n_out = desc->n_out,
                     .desc = desc,
                     .host = &p->env->host,
                     .in = layout,
                     .out = layout + desc->n_in,
                     .in_dtype = dtype,
                     .out_dtype = dtype + desc->n_in,
                     .value = value,
                     .phases = 1,
                     .atomic_clean = 1};
  return true;
}

static uint64_t bytes_of(const place *p, const weft_value *v) {
  return v->id < p->n_bytes ? p->bytes[v->id] : 0;
}

static double moved_bytes(const place *p, const weft_node *n) {
  double sum = 0;
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) sum += (double)bytes_of(p, n->in[i].value);
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) sum += (double)bytes_of(p, &n->out[i]);
  return sum;
}

static bool is_view(place *p, const weft_node *n) {
  weft_layout l;
  return n->desc.proto->op->traits & WEFT_VIEW && n->desc.pub.n_out == 1 && n->desc.pub.n_in &&
         n->in[0].value->fact.kind == WEFT_KIND_TENSOR && n->out[0].fact.kind == WEFT_KIND_TENSOR &&
         n->out[0].fact.dtype != WEFT_STRING && weft__example_layout(&p->examples, &n->out[0].fact, &l) &&
         bytes_of(p, n->in[0].value) == bytes_of(p, &n->out[0]);
}

static bool is_known(const weft_node *n) {
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++)
    if (!n->out[i].fact.value) return false;
  return n->desc.pub.n_out > 0;
}

static bool plain_tensors(const weft_node *n) {
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    const weft_fact *f = &n->in[i].value->fact;
    if (f->kind != WEFT_KIND_TENSOR || f->dtype == WEFT_STRING) return false;
  }
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++)
    if (n->out[i].fact.kind != WEFT_KIND_TENSOR || n->out[i].fact.dtype == WEFT_STRING) return false;
  return !n->n_graphs;
}

static bool has_shapes(place *p, const weft_node *n) {
  weft_layout l;
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++)
    if (!weft__example_layout(&p->examples, &n->in[i].value->fact, &l)) return false;
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++)
    if (!weft__example_layout(&p->examples, &n->out[i].fact, &l)) return false;
  return true;
}

// Does its shape depend on contents that are not known yet? The host could not read them on the device.
static bool reads_contents(const weft_node *n) {
  const weft_op_desc *desc = &n->desc.pub;
  for (uint32_t q = 0; q < desc->n_in_ports; q++)
    for (uint32_t i = 0; i < desc->in_port[q].count; i++)
      if (n->desc.proto->in[q].value & WEFT_VALUE_INFER &&
          !n->in[desc->in_port[q].start + i].value->fact.value)
        return true;
  return false;
}

// The cost on the CPU without a kernel: the reference is slow, and slower where it does more than touch each
// byte.
static double reference_cost(const place *p, const weft_node *n) {
  int64_t flops = weft_node_flops(n);
  return 500 + 2 * moved_bytes(p, n) + (flops > 0 ? 2 * (double)flops : 0);
}

// An execute function on a device: it waits for its kernel and brings the shape to the host.
static double execute_cost(const place *p, const weft_node *n, uint32_t dev) {
  return p->props[dev].launch_ns + p->props[dev].copy_ns + moved_bytes(p, n) / 8;
}

// What a device says to a node: its cost, or NEVER and the reason in `why`.
static weft_status ask(place *p, const weft_node *n, uint32_t dev, double *cost, char *why, size_t cap) {
  const weft_op *op = n->desc.proto->op;
  const char *name = p->device[dev]->name;
  size_t at = 0;
  why[0] = 0, *cost = NEVER;
  const weft_attr *asked = weft_node_attr(n, "_device");
  if (asked && (asked->type != WEFT_VT_STRING || strcmp(asked->u.s, name)))
    return weft__append(why, cap, &at, "the node asks for another device"), WEFT_OK;
  if (op->targets && !weft__op_names_device(op, name))
    return weft__append(why, cap, &at, "op %s not supported on %s", op->name, name), WEFT_OK;
  if (dev != HOME && op->execute && !op->targets && !n->n_graphs)
    return weft__append(why, cap, &at, "its execute function runs on cpu: its targets do not name %s", name),
           WEFT_OK;
  if (dev != HOME && !plain_tensors(n))
    return weft__append(why, cap, &at, "takes plain tensors and no sub-graphs only"), WEFT_OK;
  if (dev != HOME && !op->execute && !has_shapes(p, n))
    return weft__append(why, cap, &at, "needs shapes that follow from those of inputs whose dims have names"),
           WEFT_OK;
  if (dev != HOME && reads_contents(n))
    return weft__append(why, cap, &at, "its shape depends on contents that are not known when compiling"),
           WEFT_OK;
  if (is_view(p, n) || is_known(n)) return *cost = 0, WEFT_OK;
  if (n->controls && dev != HOME) return weft__append(why, cap, &at, "keeps no control edges"), WEFT_OK;
  weft__choice choice = {.n_tried = 0};
  if (op->execute && !n->n_graphs)  // it launches kernels itself
    return *cost = dev == HOME ? reference_cost(p, n) : execute_cost(p, n, dev), WEFT_OK;
  if (plain_tensors(n) && !op->execute && has_shapes(p, n)) {
    weft_tiling t;
    if (!fill_tiling(p, n, &t)) return no_memory(p);
    weft__kernel_choose(p->env, &t, name, &choice);
    if (choice.kernel)
      return *cost = choice.cost_ns > 0 ? choice.cost_ns : 200 + moved_bytes(p, n) / 8, WEFT_OK;
  }
  const char *missing = choice.n_tried ? choice.why : op->kernel ? op->kernel : NULL;
  if (dev == HOME && !op->kernel && !(op->traits & WEFT_TILED && !op->tile) &&
      (op->ref || op->execute || n->n_graphs))
    return *cost = reference_cost(p, n), WEFT_OK;
  if (!choice.n_tried && op->kernel)
    weft__append(why, cap, &at, "no kernel named '%s'", missing);
  else if (choice.n_tried)
    weft__append(why, cap, &at, "%s", missing);
  else
    weft__append(why, cap, &at, "no kernel%s%s",
                 op->traits & WEFT_TILED && !op->tile ? ", no tiling function" : "",
                 dev == HOME && !op->ref ? ", no reference kernel" : "");
  return WEFT_OK;
}

static void tell(const place *p, const weft_node *n, const char *text) {
  weft_pass_report line = {"place", n ? weft__node_name(n) : "", false, text};
  if (p->report && p->report->report) p->report->report(p->report->report_ctx, &line);
}

static void be_eager(const place *p, double *cost) {
  for (uint32_t k = 0; p->eager && k < p->n_devices; k++) {
    uint32_t dev = p->order[k];
    if (!(p->eager >> dev & 1) || cost[dev] >= NEVER || cost[dev] == 0) continue;
    for (uint32_t other = 0; other < DEVICES; other++)
      if (other != dev) cost[other] = NEVER;
    return;
  }
}

static weft_status candidates(place *p) {
  uint32_t missing = 0;
  for (uint32_t i = 0; i < p->n; i++) {
    char all[1024], why[640];
    size_t at = 0;
    bool taken = false;
    all[0] = 0;
    for (uint32_t k = 0; k < p->n_devices; k++) {
      uint32_t dev = p->order[k];
      double *cost = &p->cost[i * DEVICES + dev];
      WEFT_TRY(ask(p, p->node[i], dev, cost, why, sizeof why));
      taken |= *cost < NEVER;
      const char *name = p->device[dev]->name, *sep = at ? "; " : "";
      if (*cost < NEVER)
        weft__append(all, sizeof all, &at, "%s%s: %.0f ns", sep, name, *cost);
      else
        weft__append(all, sizeof all, &at, "%s%s: %s", sep, name, why);
    }
    tell(p, p->node[i], all);
    be_eager(p, &p->cost[i * DEVICES]);
    if (taken) continue;
    const char *op = weft__node_type(p->node[i]), *node = weft__node_name(p->node[i]);
    if (!missing++)
      weft_fail(p->d, WEFT_E_UNSUPPORTED, "no kernel found for op %s (node '%s'): %s", op, node, all);
    else
      weft_note(p->d, "no kernel found for op %s (node '%s'): %s", op, node, all);
  }
  return missing ? WEFT_E_UNSUPPORTED : WEFT_OK;
}

// ---- costs of copies ----
static double one_way(const place *p, uint32_t dev, double bytes) {
  return dev == HOME ? 0 : p->props[dev].copy_ns + p->props[dev].copy_ns_per_byte * bytes;
}
static double copy_cost(const place *p, const weft_value *v, uint32_t from, uint32_t to) {
  double bytes = (double)bytes_of(p, v);
  return from == to ? 0 : one_way(p, from, bytes) + one_way(p, to, bytes);
}

static uint32_t home_of(const place *p, const weft_value *v) {
  return v->node ? p->at[p->number[v->node->id]] : HOME;
}

// Bits of devices that need a value.
static uint32_t needed_on(const place *p, const weft_value *v) {
  uint32_t set = v->n_outputs ? 1u << HOME : 0;
  for (const weft_use_link *u = v->uses; u; u = u->next) set |= 1u << p->at[p->number[u->node->id]];
  return set;
}

static double value_cost(const place *p, const weft_value *v) {
  double sum = 0;
  if (v->origin == WEFT_VALUE_CONST || v->fact.value) return 0;
  uint32_t home = home_of(p, v), set = needed_on(p, v);
  for (uint32_t k = 0; k < DEVICES; k++)
    if (k != home && set >> k & 1) sum += copy_cost(p, v, home, k);
  return sum;
}

static double around(const place *p, uint32_t i) {  // all that changes with the place of node i
  const weft_node *n = p->node[i];
  double sum = p->cost[i * DEVICES + p->at[i]];
  for (uint32_t k = 0; k < n->desc.pub.n_in; k++) {
    const weft_value *v = n->in[k].value;
    bool again = false;
    for (uint32_t j = 0; j < k; j++) again |= n->in[j].value == v;
    if (!again) sum += value_cost(p, v);
  }
  for (uint32_t k = 0; k < n->desc.pub.n_out; k++) sum += value_cost(p, &n->out[k]);
  return sum;
}

static double whole(const place *p) {
  double sum = 0;
  for (size_t k = 0; k < p->g->inputs.n; k++) sum += value_cost(p, p->g->inputs.v[k]);
  for (uint32_t i = 0; i < p->n; i++) {
    sum += p->cost[i * DEVICES + p->at[i]];
    for (uint32_t k = 0; k < p->node[i]->desc.pub.n_out; k++) sum += value_cost(p, &p->node[i]->out[k]);
  }
  return sum;
}

// ---- the choice ----
static uint32_t cheapest(const place *p, const double *cost) {
  uint32_t best = p->order[0];
  for (uint32_t k = 1; k < p->n_devices; k++)
    if (cost[p->order[k]] < cost[best]) best = p->order[k];
  return best;
}

static void forward(place *p) {
  for (uint32_t i = 0; i < p->n; i++) {
    const weft_node *n = p->node[i];
    for (uint32_t k = 0; k < p->n_devices; k++) {
      uint32_t dev = p->order[k];
      double sum = p->cost[i * DEVICES + dev];
      for (uint32_t j = 0; j < n->desc.pub.n_in && sum < NEVER; j++) {
        const weft_value *v = n->in[j].value;
        if (v->origin == WEFT_VALUE_CONST || v->fact.value) continue;
        double least = v->node ? NEVER : copy_cost(p, v, HOME, dev);
        for (uint32_t e = 0; v->node && e < p->n_devices; e++) {
          uint32_t from = p->order[e];
          double before = p->best[p->number[v->node->id] * DEVICES + from];
          if (before >= NEVER) continue;
          before = before / (v->n_uses ? v->n_uses : 1) + copy_cost(p, v, from, dev);
          least = WEFT_MIN(least, before);
        }
        sum += least;
      }
      for (uint32_t j = 0; j < n->desc.pub.n_out; j++)
        if (n->out[j].n_outputs) sum += copy_cost(p, &n->out[j], dev, HOME);
      p->best[i * DEVICES + dev] = WEFT_MIN(sum, NEVER);
    }
  }
}

static void backward(place *p) {
  for (uint32_t i = p->n; i-- > 0;) {
    const weft_node *n = p->node[i];
    double cost[DEVICES];
    for (uint32_t k = 0; k < DEVICES; k++) cost[k] = NEVER;
    for (uint32_t k = 0; k < p->n_devices; k++) {
      uint32_t dev = p->order[k];
      cost[dev] = p->best[i * DEVICES + dev];
      if (cost[dev] >= NEVER) continue;
      for (uint32_t j = 0; j < n->desc.pub.n_out; j++)
        for (const weft_use_link *u = n->out[j].uses; u; u = u->next)  // placed already: they come later
          cost[dev] += copy_cost(p, &n->out[j], dev, p->at[p->number[u->node->id]]);
    }
    p->at[i] = (uint8_t)cheapest(p, cost);
  }
}

static bool move_nodes(place *p) {
  bool moved = false;
  for (uint32_t i = 0; i < p->n; i++) {
    uint32_t was = p->at[i], best = was;
    double least = around(p, i);
    for (uint32_t k = 0; k < p->n_devices; k++) {
      uint32_t dev = p->order[k];
      if (dev == was || p->cost[i * DEVICES + dev] >= NEVER) continue;
      p->at[i] = (uint8_t)dev;
      double cost = around(p, i);
      if (cost < least - 1e-6) least = cost, best = dev;
    }
    p->at[i] = (uint8_t)best;
    moved |= best != was;
  }
  return moved;
}

static void push(place *p, const weft_node *n, uint32_t dev, uint32_t part, uint32_t *top) {
  uint32_t i = p->number[n->id];
  if (p->part[i] || p->at[i] != dev) return;
  p->part[i] = part, p->stack[(*top)++] = i;
}

static uint32_t find_parts(place *p) {
  uint32_t n_parts = 0;
  memset(p->part, 0, p->n * sizeof *p->part);
  for (uint32_t i = 0; i < p->n; i++) {
    uint32_t top = 0;
    if (p->part[i]) continue;
    push(p, p->node[i], p->at[i], ++n_parts, &top);
    while (top) {
      const weft_node *n = p->node[p->stack[--top]];
      for (uint32_t k = 0; k < n->desc.pub.n_in; k++)
        if (n->in[k].value->node) push(p, n->in[k].value->node, p->at[i], n_parts, &top);
      for (uint32_t k = 0; k < n->desc.pub.n_out; k++)
        for (const weft_use_link *u = n->out[k].uses; u; u = u->next)
          push(p, u->node, p->at[i], n_parts, &top);
    }
  }
  return n_parts;
}

static bool can_move(const place *p, uint32_t part, uint32_t dev) {
  bool any = false;
  for (uint32_t i = 0; i < p->n; i++) {
    if (p->part[i] != part) continue;
    if (p->cost[i * DEVICES + dev] >= NEVER) return false;
    any |= p->at[i] != dev;
  }
  return any;
}

static bool move_parts(place *p) {
  uint32_t n_parts = find_parts(p);
  bool moved = false;
  double least = whole(p);
  for (uint32_t part = 1; part <= WEFT_MIN(n_parts, (uint32_t)PARTS); part++)
    for (uint32_t k = 0; k < p->n_devices; k++) {
      uint32_t dev = p->order[k], was = dev;
      if (!can_move(p, part, dev)) continue;
      for (uint32_t i = 0; i < p->n; i++)
        if (p->part[i] == part) was = p->at[i], p->at[i] = (uint8_t)dev;
      double cost = whole(p);
      if (cost < least - 1e-6) {
        least = cost, moved = true;
        continue;
      }
      for (uint32_t i = 0; i < p->n; i++)
        if (p->part[i] == part) p->at[i] = (uint8_t)was;
    }
  return moved;
}

// A view has no kernel to say no: it goes where its input is, unless a cost says otherwise.
static void choose(place *p) {
  forward(p);
  backward(p);
  for (int round = 0; round < ROUNDS; round++) {
    bool moved = move_nodes(p);
    moved |= move_parts(p);
    if (!moved) break;
  }
}

// ---- copies ----
static weft_status add_copy(place *p, weft_value *v, uint32_t from, uint32_t to, weft_node *before,
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
  if (before) weft__node_place(n, before);
  weft_attr device = weft_attr_str(names[0], strlen(names[0])),
            copy = weft_attr_str(names[1], strlen(names[1]));
  if (to != HOME) WEFT_TRY(weft_node_set_attr(n, "_device", &device, p->d));
  WEFT_TRY(weft_node_set_attr(n, "_copy", &copy, p->d));
  WEFT_TRY(weft__value_set_fact(&n->out[0], &v->fact, p->d));
  return *out = &n->out[0], WEFT_OK;
}

static weft_node *first_user(const place *p, const weft_value *v, uint32_t dev) {
  weft_node *first = NULL;
  for (const weft_use_link *u = v->uses; u; u = u->next) {
    uint32_t i = p->number[u->node->id];
    if (i == UINT32_MAX || p->at[i] != dev) continue;
    if (!first || i < p->number[first->id]) first = u->node;
  }
  return first;
}

static weft_status use_copy(place *p, weft_value *v, uint32_t dev, weft_value *copy) {
  for (weft_use_link *u = v->uses, *next; u; u = next) {
    next = u->next;
    uint32_t i = p->number[u->node->id];
    if (i == UINT32_MAX || p->at[i] != dev) continue;  // UINT32_MAX: a copy
    WEFT_TRY(weft_node_set_in(u->node, weft__use_index(u), copy, p->d));
  }
  return WEFT_OK;
}

// The graph's output keeps its name; what was computed on the device gets another.
static weft_status give_output(place *p, weft_value *v, weft_value *copy) {
  char name[256];
  size_t at = 0;
  weft_graph *g = p->g;
  weft__append(name, sizeof name, &at, "%.200s/%s", v->name, p->device[home_of(p, v)]->name);
  const char *old = v->name;
  weft_diag quiet = {0};
  for (size_t k = 0; k < g->outputs.n; k++)
    if (g->outputs.v[k] == v) g->outputs.v[k] = copy, v->n_outputs--, copy->n_outputs++;
  copy->declared = v->declared, v->declared = NULL;
  if (weft__value_rename(v, name, &quiet)) {
    const char *made = weft__name_make(g, &g->value_names, name);
    if (!made) return no_memory(p);
    WEFT_TRY(weft__value_rename(v, made, p->d));
  }
  return weft__value_rename(copy, old, p->d);
}

static weft_status copy_value(place *p, weft_value *v) {
  if (v->origin == WEFT_VALUE_CONST || v->fact.value) return WEFT_OK;
  uint32_t home = home_of(p, v), set = needed_on(p, v) & ~(1u << home);
  bool other = set & ~(1u << HOME);
  weft_value *host = v;
  if (home != HOME && set) {  // by way of the host
    weft_node *before = first_user(p, v, HOME);
    if (other) before = NULL;
    WEFT_TRY(add_copy(p, v, home, HOME, before, &host));
    WEFT_TRY(use_copy(p, v, HOME, host));
  }
  for (uint32_t k = 1; k < DEVICES; k++) {
    weft_value *copy;
    if (!(set >> k & 1)) continue;
    WEFT_TRY(add_copy(p, host, HOME, k, home == HOME ? first_user(p, v, k) : NULL, &copy));
    WEFT_TRY(use_copy(p, v, k, copy));
  }
  return v->n_outputs && home != HOME ? give_output(p, v, host) : WEFT_OK;
}

static weft_status copies(place *p) {
  size_t n_in = p->g->inputs.n;
  for (size_t k = 0; k < n_in; k++) WEFT_TRY(copy_value(p, p->g->inputs.v[k]));
  for (uint32_t i = 0; i < p->n; i++) {
    const char *name = p->device[p->at[i]]->name;
    weft_attr device = weft_attr_str(name, strlen(name));
    if (p->at[i] != HOME) WEFT_TRY(weft_node_set_attr(p->node[i], "_device", &device, p->d));
    for (uint32_t k = 0; k < p->node[i]->desc.pub.n_out; k++) WEFT_TRY(copy_value(p, &p->node[i]->out[k]));
  }
  return WEFT_OK;
}

// ---- the list of devices ----
static weft_status find_device(place *p, const char *name, size_t n) {
  char text[64];
  bool eager = n && name[n - 1] == '!';
  n -= eager;
  if (n && n < sizeof text) {
    memcpy(text, name, n), text[n] = 0;
    const weft_device *v = weft_device_find(p->env, text);
    uint32_t k = 0, known = p->allowed[HOME] ? p->n_devices : p->n_devices + 1;
    if (v == &weft__device_cpu) {
      if (!p->allowed[HOME]) p->allowed[HOME] = true, p->order[p->n_devices++] = HOME;
      p->eager |= (uint32_t)eager << HOME;
      return WEFT_OK;
    }
    if (v) {
      for (k = 1; k < known; k++)
        if (p->device[k] == v) return WEFT_OK;
      if (known == DEVICES)
        return weft_fail(p->d, WEFT_E_LIMIT, "device '%s': at most %d devices beside the CPU", text,
                         DEVICES - 1);
      p->eager |= (uint32_t)eager << k;
      p->device[k] = v, p->allowed[k] = true, p->order[p->n_devices++] = (uint8_t)k;
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

static weft_status read_devices(place *p, const char *list) {
  p->device[HOME] = &weft__device_cpu;
  for (const char *at = list;;) {
    size_t n = strcspn(at, ",");  // "npusim!": eager
    WEFT_TRY(find_device(p, at, n));
    if (!at[n]) return WEFT_OK;
    at += n + 1;
  }
}

static weft_status number_nodes(place *p) {
  size_t n = (size_t)p->g->n_nodes + 1;
  p->node = WEFT_NEW_N(&p->mem, weft_node *, n);
  p->cost = WEFT_NEW_N(&p->mem, double, n *DEVICES), p->best = WEFT_NEW_N(&p->mem, double, n *DEVICES);
  p->at = WEFT_NEW_N(&p->mem, uint8_t, n);
  p->part = WEFT_NEW_N(&p->mem, uint32_t, n), p->stack = WEFT_NEW_N(&p->mem, uint32_t, n);
  size_t ids = (size_t)p->g->root->n_node_ids, room = ids + 8 * (n + p->g->inputs.n) * DEVICES;
  for (const weft_node *k = p->g->first; k; k = k->next) room += (size_t)k->desc.pub.n_out * DEVICES;
  p->number = WEFT_NEW_N(&p->mem, uint32_t, room + 1);  // ids of copies, too
  if (!p->node || !p->cost || !p->best || !p->at || !p->part || !p->stack || !p->number) return no_memory(p);
  memset(p->number, 0xff, (room + 1) * sizeof *p->number);
  for (weft_node *k = p->g->first; k; k = k->next) p->number[k->id] = p->n, p->node[p->n++] = k;
  for (size_t i = 0; i < n * DEVICES; i++) p->cost[i] = p->best[i] = NEVER;
  return WEFT_OK;
}

static weft_status size_values(place *p) {
  const weft_graph *g = p->g;
  WEFT_TRY(weft__examples_init(&p->examples, g, &p->mem, p->d));
  p->n_bytes = g->root->n_value_ids;
  p->bytes = WEFT_NEW_N(&p->mem, uint64_t, p->n_bytes + 1);
  if (!p->bytes) return no_memory(p);
  for (size_t i = 0; i < g->inputs.n; i++)
    p->bytes[g->inputs.v[i]->id] = weft__example_bytes(&p->examples, &g->inputs.v[i]->fact);
  for (size_t i = 0; i < g->consts.n; i++)
    p->bytes[g->consts.v[i]->id] = weft__example_bytes(&p->examples, &g->consts.v[i]->fact);
  for (uint32_t i = 0; i < p->n; i++)
    for (uint32_t k = 0; k < p->node[i]->desc.pub.n_out; k++)
      p->bytes[p->node[i]->out[k].id] = weft__example_bytes(&p->examples, &p->node[i]->out[k].fact);
  return WEFT_OK;
}

static weft_status work(place *p, const char *devices) {
  WEFT_TRY(read_devices(p, devices));
  WEFT_TRY(number_nodes(p));
  WEFT_TRY(size_values(p));
  WEFT_TRY(candidates(p));
  choose(p);
  bool all_home = true;
  for (uint32_t i = 0; i < p->n; i++) all_home &= p->at[i] == HOME;
  if (all_home) return WEFT_OK;
  WEFT_TRY(copies(p));
  WEFT_TRY(weft_graph_sort(p->g, p->d));
  return weft_graph_infer(p->g, NULL, NULL, p->d);
}

weft_status weft__place(weft_graph *g, const char *devices, const weft_optimize_options *report,
                        weft_diag *d) {
  if (!devices) return WEFT_OK;
  place p = {.g = g, .env = g->root->env, .d = d, .report = report};
  weft__arena_init(&p.mem, &g->root->alloc);
  weft_status s = work(&p, devices);
  weft__arena_deinit(&p.mem);
  return s;
}
