// candidates.c - what each device says to each node: its cost, or why it does not take it.
#include "compile/placing.h"
#include "device/node_tiling.h"

static weft_status candidates_no_memory(const weft__placing *p) {
  return weft_fail(p->d, WEFT_E_NOMEM, "out of memory");
}

// The node with shapes that stand for unknown dims, in plain formats. false: out of memory.
static bool fill_tiling(weft__placing *p, const weft_node *n, weft_tiling *out) {
  const weft_op_desc *desc = &n->desc.pub;
  const uint32_t all = desc->n_in + desc->n_out;
  weft_layout *store = WEFT_NEW_N(&p->mem, weft_layout, (size_t)all + 1);
  weft__node_args args;
  if (!store || !weft__node_args_make(&p->mem, desc->n_in, desc->n_out, &args))
    return false;
  for (uint32_t i = 0; i < all; i++) {
    const weft_fact *f = i < desc->n_in ? &n->in[i].value->fact : &n->out[i - desc->n_in].fact;
    weft__example_layout(&p->examples, f, &store[i]);
    args.layout[i] = &store[i];
    args.dtype[i] = f->dtype;
    if (i < desc->n_in)
      args.value[i] = f->value;
  }
  *out = weft__tiling_of_node(desc, &p->env->host, &args);
  return true;
}

static double moved_bytes(const weft__placing *p, const weft_node *n) {
  double sum = 0;
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++)
    sum += (double)weft__placing_bytes(p, n->in[i].value);
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++)
    sum += (double)weft__placing_bytes(p, &n->out[i]);
  return sum;
}

static bool is_view(weft__placing *p, const weft_node *n) {
  weft_layout l;
  return n->desc.proto->op->traits & WEFT_VIEW && n->desc.pub.n_out == 1 && n->desc.pub.n_in &&
         n->in[0].value->fact.kind == WEFT_KIND_TENSOR && n->out[0].fact.kind == WEFT_KIND_TENSOR &&
         n->out[0].fact.dtype != WEFT_STRING && weft__example_layout(&p->examples, &n->out[0].fact, &l) &&
         weft__placing_bytes(p, n->in[0].value) == weft__placing_bytes(p, &n->out[0]);
}

static bool is_known(const weft_node *n) {
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    if (!n->out[i].fact.value)
      return false;
  }
  return n->desc.pub.n_out > 0;
}

static bool plain_tensors(const weft_node *n) {
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    const weft_fact *f = &n->in[i].value->fact;
    if (f->kind != WEFT_KIND_TENSOR || f->dtype == WEFT_STRING)
      return false;
  }
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    if (n->out[i].fact.kind != WEFT_KIND_TENSOR || n->out[i].fact.dtype == WEFT_STRING)
      return false;
  }
  return !n->n_graphs;
}

static bool has_shapes(weft__placing *p, const weft_node *n) {
  weft_layout l;
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    if (!weft__example_layout(&p->examples, &n->in[i].value->fact, &l))
      return false;
  }
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    if (!weft__example_layout(&p->examples, &n->out[i].fact, &l))
      return false;
  }
  return true;
}

// Does its shape depend on contents that are not known yet? The host could not read them on the device.
static bool reads_contents(const weft_node *n) {
  const weft_op_desc *desc = &n->desc.pub;
  for (uint32_t q = 0; q < desc->n_in_ports; q++) {
    for (uint32_t i = 0; i < desc->in_port[q].count; i++) {
      if (n->desc.proto->in[q].value & WEFT_VALUE_INFER &&
          !n->in[desc->in_port[q].start + i].value->fact.value)
        return true;
    }
  }
  return false;
}

// The cost on the CPU without a kernel: the reference is slow, and slower where it does more than touch each
// byte.
static double reference_cost(const weft__placing *p, const weft_node *n) {
  int64_t flops = weft_node_flops(n);
  return 500 + 2 * moved_bytes(p, n) + (flops > 0 ? 2 * (double)flops : 0);
}

// An execute function on a device: it waits for its kernel and brings the shape to the host.
static double execute_cost(const weft__placing *p, const weft_node *n, uint32_t dev) {
  return p->props[dev].launch_ns + p->props[dev].copy_ns + moved_bytes(p, n) / 8;
}

// An operator that decides its outputs' shapes while it runs: a kernel that finds them, or its execute
// function, which launches kernels itself.
static weft_status ask_execute(weft__placing *p, const weft_node *n, uint32_t dev, double *cost, char *why,
                               size_t cap) {
  const char *name = p->device[dev]->name;
  weft__choice choice = {.n_tried = 0};
  size_t at = 0;
  if (n->desc.proto->op->traits & WEFT_DATA_DEPENDENT && plain_tensors(n)) {
    weft_tiling t;
    if (!fill_tiling(p, n, &t))
      return candidates_no_memory(p);
    weft__kernel_choose(p->env, &t, name, &choice);
    if (choice.kernel && choice.kernel->flags & WEFT_KERNEL_FINDS)
      return *cost = choice.cost_ns + (dev == WEFT__HOME ? 0 : execute_cost(p, n, dev)), WEFT_OK;
  }
  if (dev == WEFT__HOME)
    *cost = reference_cost(p, n);
  else if (weft__op_names_device(n->desc.proto->op, name))
    *cost = execute_cost(p, n, dev);
  else if (choice.n_tried)
    weft__append(why, cap, &at, "%s", choice.why);
  else
    weft__append(why, cap, &at, "its execute function runs on cpu: its targets do not name %s", name);
  return WEFT_OK;
}

static bool asks_for_another(const weft_node *n, const char *device) {
  const weft_attr *asked = weft_node_attr(n, "_device");
  if (!asked)
    return false;
  return asked->type != WEFT_VT_STRING || strcmp(asked->u.s, device) != 0;
}

// May a device other than the host run the node at all? The reason why not, or NULL.
static const char *refused_away(weft__placing *p, const weft_node *n) {
  if (!plain_tensors(n))
    return "takes plain tensors and no sub-graphs only";
  if (!n->desc.proto->op->execute && !has_shapes(p, n))
    return "needs shapes that follow from those of inputs whose dims have names";
  if (reads_contents(n))
    return "its shape depends on contents that are not known when compiling";
  if (!n->controls)
    return NULL;
  const bool costs_nothing = is_view(p, n) || is_known(n);
  return costs_nothing ? NULL : "keeps no control edges";
}

// May the device run the node, whatever kernels there are? The reason why not stands in `why`.
static bool may_run(weft__placing *p, const weft_node *n, uint32_t dev, char *why, size_t cap) {
  const weft_op *op = n->desc.proto->op;
  const char *name = p->device[dev]->name;
  size_t at = 0;
  if (asks_for_another(n, name)) {
    weft__append(why, cap, &at, "the node asks for another device");
    return false;
  }
  if (op->targets && !weft__op_names_device(op, name)) {
    weft__append(why, cap, &at, "op %s not supported on %s", op->name, name);
    return false;
  }
  const char *refused = dev == WEFT__HOME ? NULL : refused_away(p, n);
  if (refused)
    weft__append(why, cap, &at, "%s", refused);
  return !refused;
}

// The best kernel, when shapes are known as far as kernels need; choice->kernel NULL: none.
static weft_status find_kernel(weft__placing *p, const weft_node *n, const char *device,
                               weft__choice *choice) {
  weft_tiling t;
  *choice = (weft__choice){.n_tried = 0};
  if (!plain_tensors(n) || !has_shapes(p, n))
    return WEFT_OK;
  if (!fill_tiling(p, n, &t))
    return candidates_no_memory(p);
  weft__kernel_choose(p->env, &t, device, choice);
  return WEFT_OK;
}

static double kernel_cost(const weft__placing *p, const weft_node *n, const weft__choice *choice) {
  if (choice->cost_ns > 0)
    return choice->cost_ns;
  return 200 + moved_bytes(p, n) / 8;  // it does not say
}

static bool lacks_tiling(const weft_op *op) {
  return op->traits & WEFT_TILED && !op->tile;
}

// Without a kernel the host runs the reference, an execute function or sub-graphs, unless the operator names
// a kernel.
static bool runs_by_reference(const weft_node *n) {
  const weft_op *op = n->desc.proto->op;
  if (op->kernel || lacks_tiling(op))
    return false;
  return op->ref || op->execute || n->n_graphs;
}

static void say_no_kernel(const weft_op *op, uint32_t dev, const weft__choice *choice, char *why,
                          size_t cap) {
  size_t at = 0;
  if (choice->n_tried) {
    weft__append(why, cap, &at, "%s", choice->why);
    return;
  }
  if (op->kernel) {
    weft__append(why, cap, &at, "no kernel named '%s'", op->kernel);
    return;
  }
  weft__append(why, cap, &at, "no kernel");
  if (lacks_tiling(op))
    weft__append(why, cap, &at, ", no tiling function");
  if (dev == WEFT__HOME && !op->ref)
    weft__append(why, cap, &at, ", no reference kernel");
}

// What a device says to a node: its cost, or WEFT__NEVER and the reason in `why`.
static weft_status candidates_ask(weft__placing *p, const weft_node *n, uint32_t dev, double *cost, char *why,
                                  size_t cap) {
  const weft_op *op = n->desc.proto->op;
  why[0] = 0;
  *cost = WEFT__NEVER;
  if (!may_run(p, n, dev, why, cap))
    return WEFT_OK;
  if (is_view(p, n) || is_known(n)) {
    *cost = 0;
    return WEFT_OK;
  }
  if (op->execute && !n->n_graphs)
    return ask_execute(p, n, dev, cost, why, cap);
  weft__choice choice = {.n_tried = 0};
  if (!op->execute)
    WEFT_TRY(find_kernel(p, n, p->device[dev]->name, &choice));
  if (choice.kernel)
    *cost = kernel_cost(p, n, &choice);
  else if (dev == WEFT__HOME && runs_by_reference(n))
    *cost = reference_cost(p, n);
  else
    say_no_kernel(op, dev, &choice, why, cap);
  return WEFT_OK;
}

static void candidates_tell(const weft__placing *p, const weft_node *n, const char *text) {
  weft_pass_report line = {"place", n ? weft__node_name(n) : "", false, text};
  if (p->report && p->report->report)
    p->report->report(p->report->report_ctx, &line);
}

static void be_eager(const weft__placing *p, double *cost) {
  for (uint32_t k = 0; p->eager && k < p->n_devices; k++) {
    uint32_t dev = p->order[k];
    if (!(p->eager >> dev & 1) || cost[dev] >= WEFT__NEVER || cost[dev] == 0)
      continue;
    for (uint32_t other = 0; other < WEFT__PLACES; other++) {
      if (other != dev)
        cost[other] = WEFT__NEVER;
    }
    return;
  }
}

weft_status weft__placing_ask(weft__placing *p) {
  uint32_t missing = 0;
  for (uint32_t i = 0; i < p->n; i++) {
    char all[1024];
    char why[640];
    size_t at = 0;
    bool taken = false;
    all[0] = 0;
    for (uint32_t k = 0; k < p->n_devices; k++) {
      uint32_t dev = p->order[k];
      double *cost = &p->cost[i * WEFT__PLACES + dev];
      WEFT_TRY(candidates_ask(p, p->node[i], dev, cost, why, sizeof why));
      taken |= *cost < WEFT__NEVER;
      const char *name = p->device[dev]->name;
      const char *sep = at ? "; " : "";
      if (*cost < WEFT__NEVER)
        weft__append(all, sizeof all, &at, "%s%s: %.0f ns", sep, name, *cost);
      else
        weft__append(all, sizeof all, &at, "%s%s: %s", sep, name, why);
    }
    candidates_tell(p, p->node[i], all);
    be_eager(p, &p->cost[i * WEFT__PLACES]);
    if (taken)
      continue;
    const char *op = weft__node_type(p->node[i]);
    const char *node = weft__node_name(p->node[i]);
    if (!missing++)
      weft_fail(p->d, WEFT_E_UNSUPPORTED, "no kernel found for op %s (node '%s'): %s", op, node, all);
    else
      weft_note(p->d, "no kernel found for op %s (node '%s'): %s", op, node, all);
  }
  return missing ? WEFT_E_UNSUPPORTED : WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
