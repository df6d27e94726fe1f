// desc.c - one use of an operator: attributes checked against the prototype and completed with defaults,
// ports bound to instances. Done once when a node is made; contexts then read arrays.
#include "op/attr_rule.h"
#include "base/allocated.h"
#include "op/proto.h"

#define MOST_INSTANCES (1u << 20)  // of one node, and of one port

weft_status weft__bind_inputs(const weft_proto *p, const bool *present, size_t n, uint32_t *counts,
                              weft_diag *d) {
  size_t at = 0;
  size_t required_after = 0;
  for (uint32_t i = 0; i < p->n_in; i++)
    required_after += p->in[i].kind == WEFT_REQUIRED;
  if (p->n_dynamic_in > 1) {
    return weft_fail(d, WEFT_E_INVALID, "operator '%s' has %u dynamic inputs: give the count of each",
                     p->name, p->n_dynamic_in);
  }
  for (uint32_t i = 0; i < p->n_in; i++) {
    const weft_port *port = &p->in[i];
    if (port->kind == WEFT_REQUIRED) {
      required_after--;
      if (at >= n || (present && !present[at])) {
        return weft_fail(d, WEFT_E_MISSING,
                         "required input '%s' (%u) is not given: the operator got %zu inputs", port->name, i,
                         n);
      }
      counts[i] = 1;
      at++;
    } else if (port->kind == WEFT_OPTIONAL) {
      counts[i] = at < n && n - at > required_after ? (!present || present[at]) : 0;
      if (at < n && n - at > required_after)
        at++;
    } else {
      size_t after = 0;
      for (uint32_t k = i + 1; k < p->n_in; k++)
        after += p->in[k].kind == WEFT_REQUIRED;
      counts[i] = n - at > after ? (uint32_t)(n - at - after) : 0;
      for (uint32_t k = 0; k < counts[i]; k++) {
        if (present && !present[at + k]) {
          return weft_fail(d, WEFT_E_MISSING, "instance %u of dynamic input '%s' is not given", k,
                           port->name);
        }
      }
      at += counts[i];
    }
  }
  if (at != n)
    return weft_fail(d, WEFT_E_INVALID, "too many inputs: got %zu, the operator takes %zu", n, at);
  return WEFT_OK;
}

weft_status weft__attr_check(const weft_proto *p, uint32_t slot, const weft_attr *a, weft_diag *d) {
  if (a->type != p->attr_types[slot]) {
    return weft_fail(d, WEFT_E_TYPE, "attribute '%s': expected %s, got %s", p->attrs[slot].name,
                     weft_attr_type_name(p->attr_types[slot]), weft_attr_type_name(a->type));
  }
  if (a->type == WEFT_VT_TYPE && !weft_dtype_known(a->u.i)) {
    return weft_fail(d, WEFT_E_DTYPE, "attribute '%s': %lld is not a dtype", p->attrs[slot].name,
                     (long long)a->u.i);
  }
  return weft__rule_check(&p->attrs[slot], &p->rules[slot], a, d);
}

static weft_status fill_attrs(weft_arena *arena, const weft_proto *p, const weft_use *use,
                              weft_desc_full *out, weft_diag *d) {
  const weft_attr **slots = WEFT_NEW_N(arena, const weft_attr *, p->n_attr + 1);
  WEFT_TRY(weft__allocated(slots, d));
  size_t n_private = 0;
  for (size_t i = 0; use && i < use->n_attrs; i++) {
    if (!use->attrs[i].name)
      return weft_fail(d, WEFT_E_INVALID, "attribute %zu of %zu has no name", i, use->n_attrs);
    n_private += use->attrs[i].name[0] == '_';
  }
  if (n_private && !(out->private_attrs = WEFT_NEW_N(arena, weft_named_attr, n_private)))
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  weft_status first = WEFT_OK;
  for (size_t i = 0; use && i < use->n_attrs; i++) {
    const weft_named_attr *given = &use->attrs[i];
    int slot = weft_proto_find_attr(p, given->name);
    weft_attr *copy = WEFT_NEW(arena, weft_attr);
    weft_status copied = copy ? weft_attr_copy(&given->value, arena, copy) : WEFT_E_NOMEM;
    if (copied == WEFT_E_NOMEM)
      return weft_fail(d, WEFT_E_NOMEM, "out of memory");
    if (copied) {
      return weft_fail(d, copied, "attribute '%s': values of type %d (%s) cannot be copied", given->name,
                       given->value.type, weft_attr_type_name(given->value.type));
    }
    if (slot < 0 && given->name[0] != '_') {
      return weft_fail(d, WEFT_E_NOT_FOUND, "attribute '%s' is not one of the operator '%s'", given->name,
                       p->name);
    }
    for (uint32_t k = 0; slot < 0 && k < out->n_private; k++) {
      if (!strcmp(out->private_attrs[k].name, given->name))
        return weft_fail(d, WEFT_E_DUPLICATE, "attribute '%s' is given twice", given->name);
    }
    if (slot < 0) {
      weft_named_attr *a = &out->private_attrs[out->n_private++];
      a->name = weft__arena_strdup(arena, given->name, strlen(given->name));
      a->value = *copy;
      WEFT_TRY(weft__allocated(a->name, d));
      continue;
    }
    if (slots[slot])
      return weft_fail(d, WEFT_E_DUPLICATE, "attribute '%s' is given twice", given->name);
    copy->is_default = 0;
    slots[slot] = copy;
    weft_diag own;
    weft_diag_clear(&own);
    weft_status s = weft__attr_check(p, (uint32_t)slot, copy, &own);
    if (s && !first)
      first = weft_fail(d, s, "%s", own.text);
    else if (s)
      weft_note(d, "%s", own.text);
  }
  if (first)
    return first;
  for (uint32_t i = 0; i < p->n_attr; i++) {
    if (slots[i])
      continue;
    if (!p->defaults[i]) {
      weft_status s = weft_fail(d, WEFT_E_MISSING, "required attribute '%s' (%s) is not given",
                                p->attrs[i].name, p->attrs[i].type);
      return s;
    }
    slots[i] = p->defaults[i];
  }
  out->pub.n_attr = p->n_attr;
  out->pub.attr = p->n_attr ? slots : NULL;
  out->pub.n_private = out->n_private;
  out->pub.private_attr = out->private_attrs;
  return WEFT_OK;
}

static weft_status fill_ports(weft_arena *arena, const weft_proto *p, const weft_use *use, size_t n_in,
                              weft_desc_full *out, weft_diag *d) {
  weft_port_span *span = WEFT_NEW_N(arena, weft_port_span, (size_t)p->n_in + p->n_out + 1);
  uint32_t small[64];
  uint32_t *counts = p->n_in <= 64 ? small : WEFT_NEW_N(arena, uint32_t, p->n_in);
  WEFT_TRY(weft__allocated(span && counts, d));
  if (use && use->in_counts)
    memcpy(counts, use->in_counts, p->n_in * sizeof *counts);
  else if (n_in != SIZE_MAX)
    WEFT_TRY(weft__bind_inputs(p, NULL, n_in, counts, d));
  else {
    for (uint32_t i = 0; i < p->n_in; i++)
      counts[i] = p->in[i].kind == WEFT_REQUIRED ? 1 : p->in[i].kind == WEFT_DYNAMIC ? p->in[i].min_count : 0;
  }
  uint64_t total = 0;
  for (uint32_t i = 0; i < p->n_in; i++) {
    uint32_t most = p->in[i].kind == WEFT_DYNAMIC ? MOST_INSTANCES : 1;
    uint32_t least = p->in[i].kind == WEFT_REQUIRED;
    if (p->in[i].kind == WEFT_DYNAMIC)
      least = p->in[i].min_count;
    if (counts[i] < least || counts[i] > most) {
      return weft_fail(d, counts[i] < least ? WEFT_E_MISSING : WEFT_E_INVALID,
                       "input '%s' (%u): expected %u to %u instances, got %u", p->in[i].name, i, least, most,
                       counts[i]);
    }
    span[i] = (weft_port_span){(uint32_t)total, counts[i]};
    total += counts[i];
  }
  if (total > MOST_INSTANCES) {
    return weft_fail(d, WEFT_E_LIMIT, "%llu inputs, at most %u are allowed", (unsigned long long)total,
                     MOST_INSTANCES);
  }
  if (n_in != SIZE_MAX && total != n_in) {
    return weft_fail(d, WEFT_E_INVALID, "the ports take %llu inputs, got %zu", (unsigned long long)total,
                     n_in);
  }
  weft_op_desc *pub = &out->pub;
  pub->in_port = span;
  pub->out_port = span + p->n_in;
  pub->n_in = (uint32_t)total;
  pub->n_in_ports = p->n_in;
  pub->n_out_ports = p->n_out;
  total = 0;
  for (uint32_t i = 0; i < p->n_out; i++) {
    uint32_t n = use && use->out_counts ? use->out_counts[i] : 1;
    if (n > (p->out[i].kind == WEFT_DYNAMIC ? MOST_INSTANCES : 1) || (!n && p->out[i].kind == WEFT_REQUIRED))
      return weft_fail(d, WEFT_E_INVALID, "output '%s' (%u) cannot have %u instances", p->out[i].name, i, n);
    span[p->n_in + i] = (weft_port_span){(uint32_t)total, n};
    total += n;
  }
  if (total > MOST_INSTANCES) {
    return weft_fail(d, WEFT_E_LIMIT, "%llu outputs, at most %u are allowed", (unsigned long long)total,
                     MOST_INSTANCES);
  }
  pub->n_out = (uint32_t)total;
  return WEFT_OK;
}

weft_status weft__desc_make(weft_arena *arena, const weft_proto *p, const weft_use *use, size_t n_in,
                            weft_desc_full *out, weft_diag *d) {
  memset(out, 0, sizeof *out);
  out->proto = p;
  out->pub.size = sizeof out->pub;
  out->pub.type = p->name;
  out->pub.op = p->op;
  const char *name = use && use->name ? use->name : p->name;
  out->pub.name = weft__arena_strdup(arena, name, strlen(name));
  weft_status s =
      out->pub.name ? fill_attrs(arena, p, use, out, d) : weft_fail(d, WEFT_E_NOMEM, "out of memory");
  if (!s)
    s = fill_ports(arena, p, use, n_in, out, d);
  if (!s && p->op->drop) {
    out->pub.kept = WEFT_NEW(arena, void *);
    s = weft__allocated(out->pub.kept, d);
  }
  if (s)
    weft_note(d, "in node '%s' (%s)", name, p->name);
  return s;
}

void weft__desc_drop(const weft_desc_full *desc) {
  void *kept = desc->pub.kept ? weft_kept_take(&desc->pub) : NULL;
  if (kept)
    desc->pub.op->drop(kept);
}
// SPDX-License-Identifier: Apache-2.0
