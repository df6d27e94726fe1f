// kernel_run.c - one kernel runs once on tensors that lie between guards. Everything that it is given
// (inputs, outputs, workspaces, scratch, packed constants, its record, the shape buffer) is a part: its
// bytes, with a zone of one value before and behind, another one for each part, begun anew for each run. What
// is changed in a zone afterwards was written astray. On a device the same parts lie in its memory and are
// copied there and back.
#include "debug/kernel_laws.h"

#include "device/node_tiling.h"
#include "op/infer_node.h"
#include "tensor/tensor.h"

enum { ZONE = 1024, MOST_SCRATCH = 1 << 24, MOST_WORKSPACE = 1 << 28 };
enum { PART_IN, PART_OUT, PART_WORKSPACE, PART_SCRATCH, PART_RECORD, PART_PACKED, PART_SHAPES };
static const char *const part_names[] = {"input",         "output",       "workspace",   "scratch memory",
                                         "tiling record", "packed input", "shape buffer"};

typedef struct kernel_part {
  char *room;  // with its zones
  size_t room_bytes, bytes;
  char *at;
  void *there;  // of the room, on a device
  uint8_t role;
  unsigned char zone;  // what its zones hold: what lies behind an input, copied behind an output, is seen
  uint32_t index;
} kernel_part;

typedef struct kernel_run {
  const weft__kernel_use *u;
  const weft_kernel *k;
  const weft__kernel_way *way;
  weft__kernel_result *r;
  weft_arena *arena;
  kernel_part *part;
  uint32_t n, cap;
  weft_tiling t;
  weft_diag d;
  void **arg;
  void *workspace[WEFT_COUNT(((weft_tiling *)0)->workspace_bytes)];
  kernel_part *scratch, *shapes;
  size_t scratch_each;
  weft_pool *pool;
  const weft_device *device;  // NULL: the host itself
  void *dev, *stream;
} kernel_run;

// ---- parts ----

static kernel_part *part_new(kernel_run *x, uint8_t role, uint32_t index, size_t bytes, size_t align) {
  size_t shift = x->way->aligned || align >= 64 ? 0 : align;
  if (x->n == x->cap || bytes > SIZE_MAX / 2)
    return NULL;
  kernel_part *p = &x->part[x->n];
  *p = (kernel_part){.role = role, .index = index, .bytes = bytes, .room_bytes = 2 * ZONE + 64 + bytes};
  p->room = weft__arena_alloc(x->arena, p->room_bytes, 64);
  if (!p->room)
    return NULL;
  p->zone = (unsigned char)(x->way->fill + 1 + 3 * x->n);
  memset(p->room, p->zone, p->room_bytes);
  p->at = p->room + ZONE + shift;
  if (bytes)
    memset(p->at, x->way->fill, bytes);
  x->n++;
  return p;
}

static void *part_address(const kernel_run *x, const kernel_part *p) {
  return x->device ? (char *)p->there + (p->at - p->room) : p->at;
}

static size_t part_align(weft_dtype t) {
  size_t bits = weft_dtype_bits(t);
  return bits == 128 ? 8 : bits > 8 ? bits / 8 : 1;
}

// Where a part was left, in words: "wrote 16 bytes past the end of output 0 'z': element 5 of 5 is 3.5 now".
static void part_tell(kernel_run *x, const kernel_part *p, bool behind, size_t near, size_t far) {
  const weft__kernel_use *u = x->u;
  size_t at = 0;
  char number[32];
  char *text = x->r->text;
  size_t cap = sizeof x->r->text;
  weft__append(text, cap, &at, "writes %s %s", behind ? "past the end of" : "before the begin of",
               part_names[p->role]);
  if (p->role < PART_SCRATCH || p->role == PART_PACKED)
    weft__append(text, cap, &at, " %u", p->index);
  if (p->role == PART_OUT)
    weft__append(text, cap, &at, " (%s)", weft_dtype_name(u->out_dtype[p->index]));
  weft__append(text, cap, &at, ", which has %zu bytes: bytes %s%zu to %s%zu", p->bytes, behind ? "" : "-",
               behind ? p->bytes + near : near + 1, behind ? "" : "-", behind ? p->bytes + far : far + 1);
  weft_dtype t = p->role == PART_OUT ? u->out_dtype[p->index] : WEFT_UNDEFINED;
  size_t wide = weft_dtype_bits(t) / 8;
  if (!wide || wide > 8 || !behind || p->bytes % wide)
    return;
  size_t elem = p->bytes / wide + near / wide;
  weft__append(text, cap, &at, "; element %zu of %zu was nobody's and is %s now", elem, p->bytes / wide,
               weft__double_text(weft_load_f64(t, p->at, elem), number));
}

// False: something lies in a zone that was not there.
static bool part_whole(kernel_run *x, const kernel_part *p) {
  const unsigned char *room = (const unsigned char *)p->room;
  size_t before = (size_t)(p->at - p->room);
  size_t end = before + p->bytes;
  size_t near = 0;
  size_t far = 0;
  bool found = false;
  for (size_t i = end; i < p->room_bytes; i++) {
    if (room[i] == p->zone)
      continue;
    if (!found)
      near = i - end;
    found = true;
    far = i - end;
  }
  if (found)
    return part_tell(x, p, true, near, far), false;
  for (size_t i = before; i-- > 0;) {
    if (room[i] == p->zone)
      continue;
    if (!found)
      near = before - 1 - i;
    found = true;
    far = before - 1 - i;
  }
  if (found)
    part_tell(x, p, false, near, far);
  return !found;
}

static bool parts_whole(kernel_run *x) {
  for (uint32_t i = 0; i < x->n; i++) {
    if (!part_whole(x, &x->part[i]))
      return false;
  }
  for (uint32_t i = 0; i < x->n; i++) {
    const kernel_part *p = &x->part[i];
    const weft_tensor *t = p->role == PART_IN ? x->u->in[p->index] : NULL;
    if (!t || !p->bytes || x->way->over == (int32_t)p->index || !memcmp(p->at, t->data, p->bytes))
      continue;
    for (size_t k = 0; k < p->bytes; k++) {
      if (p->at[k] != ((const char *)t->data)[k]) {
        snprintf(x->r->text, sizeof x->r->text, "changes input %u, which it may only read: byte %zu of %zu",
                 p->index, k, p->bytes);
        return false;
      }
    }
  }
  return true;
}

// ---- what the kernel is told ----

static weft_status run_describe(kernel_run *x) {
  const weft__kernel_use *u = x->u;
  weft__node_args args;
  weft_format *format = WEFT_NEW_N(x->arena, weft_format, (size_t)u->n_in + u->n_out + 1);
  x->arg = WEFT_NEW_N(x->arena, void *, (size_t)u->n_in + u->n_out + 1);
  if (!format || !x->arg || !weft__node_args_make(x->arena, u->n_in, u->n_out, &args))
    return WEFT_E_NOMEM;
  args.format = format;
  for (uint32_t i = 0; i < u->n_in; i++) {
    args.layout[i] = &u->in[i]->layout;
    args.dtype[i] = u->in[i]->dtype;
    format[i] = u->in[i]->format;
    if (x->way->constants && i)
      args.value[i] = u->in[i];
  }
  for (uint32_t i = 0; i < u->n_out; i++) {
    args.layout[u->n_in + i] = &u->out[i];
    args.dtype[u->n_in + i] = u->out_dtype[i];
    format[u->n_in + i] = u->out_format[i];
  }
  x->t = weft__tiling_of_node(u->desc, &u->env->host, &args);
  x->t.d = &x->d;
  return WEFT_OK;
}

static const char *run_refusal(const kernel_run *x) {
  const char *wanted = x->u->desc->op->kernel;
  if (wanted && (!x->k->name || strcmp(x->k->name, wanted)))
    return "is not the kernel that the operator names";
  if (!x->k->run)
    return "has no function for a block";
  if (!weft__kernel_tile(x->k, x->u->desc))
    return "has no tiling function";
  if (x->u->finds && !(x->k->flags & WEFT_KERNEL_FINDS))
    return "does not find shapes";
  return x->k->refuse ? x->k->refuse(&x->t) : NULL;
}

static weft_status tile_checked(kernel_run *x) {
  weft_tiling *t = &x->t;
  WEFT_TRY(weft__kernel_tile(x->k, x->u->desc)(t));
  if (t->data_bytes > t->data_cap || t->n_workspaces > WEFT_COUNT(t->workspace_bytes)) {
    return weft_fail(&x->d, WEFT_E_LIMIT, "tiling of %zu bytes and %u workspaces, allowed are %zu and %zu",
                     t->data_bytes, t->n_workspaces, t->data_cap, WEFT_COUNT(t->workspace_bytes));
  }
  t->phases = WEFT_MAX(t->phases, 1);
  t->blocks = WEFT_MAX(t->blocks, 1);
  return WEFT_OK;
}

static weft_status run_tile(kernel_run *x) {
  weft_tiling *t = &x->t;
  t->data_cap = x->k->tiling_bytes_max ? x->k->tiling_bytes_max : 2048;
  kernel_part *p = part_new(x, PART_RECORD, 0, t->data_cap, 64);
  if (!p)
    return WEFT_E_NOMEM;
  memset(p->at, 0, p->bytes);
  t->data = p->at;
  weft_status s = tile_checked(x);
  x->r->blocks = t->blocks;
  x->r->overwrite = t->overwrite;
  x->r->skips = t->skips;
  return s;
}

// ---- memory ----

static weft_status run_pack(kernel_run *x, uint32_t i) {
  const weft_tensor *t = x->u->in[i];
  size_t bytes = x->t.pack_bytes[i];
  if (!x->t.value[i])
    return weft_fail(&x->d, WEFT_E_KERNEL, "input %u is not a constant and cannot be packed", i);
  if (!x->k->pack)
    return weft_fail(&x->d, WEFT_E_KERNEL, "input %u is to be packed without a function", i);
  kernel_part *p = part_new(x, PART_PACKED, i, bytes, 64);
  if (!p)
    return WEFT_E_NOMEM;
  weft_tensor wide = *t;
  bool halves = t->dtype == WEFT_FLOAT16 || t->dtype == WEFT_BF16;
  if ((x->k->flags & WEFT_KERNEL_FLOATS) && halves) {
    size_t n = t->bytes / 2;
    float *f = WEFT_NEW_N(x->arena, float, n + 1);
    if (!f)
      return WEFT_E_NOMEM;
    for (size_t k = 0; k < n; k++)
      f[k] = (float)weft_load_f64(t->dtype, t->data, k);
    wide.dtype = WEFT_FLOAT;
    wide.data = f;
    wide.bytes = n * sizeof *f;
  }
  weft_packing pack = {.size = sizeof pack,
                       .index = i,
                       .desc = x->u->desc,
                       .host = &x->u->env->host,
                       .d = &x->d,
                       .in = &wide,
                       .to = p->at,
                       .bytes = bytes,
                       .key = x->t.pack_key[i]};
  x->arg[i] = p;
  return x->k->pack(&pack);
}

static weft_status run_inputs(kernel_run *x) {
  for (uint32_t i = 0; i < x->u->n_in; i++) {
    const weft_tensor *t = x->u->in[i];
    if (i < WEFT_COUNT(x->t.pack_bytes) && x->t.pack_bytes[i]) {
      WEFT_TRY(run_pack(x, i));
      continue;
    }
    kernel_part *p = part_new(x, PART_IN, i, t->bytes, part_align(t->dtype));
    if (!p)
      return WEFT_E_NOMEM;
    if (t->bytes)
      memcpy(p->at, t->data, t->bytes);
    x->arg[i] = p;
  }
  return WEFT_OK;
}

static size_t run_output_bytes(const weft__kernel_use *u, uint32_t i) {
  int64_t elems = weft__kernel_elems(&u->out[i].storage);
  int64_t bytes = weft_dtype_bytes(elems, u->out_dtype[i]);
  return bytes < 0 ? 0 : (size_t)bytes;
}

static weft_status run_outputs(kernel_run *x) {
  const weft__kernel_use *u = x->u;
  for (uint32_t i = 0; i < u->n_out; i++) {
    kernel_part *p;
    if (i < 32 && (x->way->skipped >> i & 1))
      continue;
    if (!i && x->way->over >= 0)
      p = x->arg[x->way->over];
    else
      p = part_new(x, PART_OUT, i, run_output_bytes(u, i), part_align(u->out_dtype[i]));
    if (!p)
      return WEFT_E_NOMEM;
    x->arg[u->n_in + i] = p;
  }
  for (uint32_t i = 0; i < x->t.n_workspaces; i++) {
    if (x->t.workspace_bytes[i] > MOST_WORKSPACE)
      return weft_fail(&x->d, WEFT_E_LIMIT, "workspace %u of %zu bytes", i, x->t.workspace_bytes[i]);
    x->workspace[i] = part_new(x, PART_WORKSPACE, i, x->t.workspace_bytes[i], 64);
    if (!x->workspace[i])
      return WEFT_E_NOMEM;
  }
  if (!u->finds)
    return WEFT_OK;
  x->shapes = part_new(x, PART_SHAPES, 0, u->n_out * WEFT_SHAPE_OUT * sizeof(uint64_t), 64);
  return x->shapes ? WEFT_OK : WEFT_E_NOMEM;
}

// Threads need one for each block.
static weft_status run_scratch(kernel_run *x) {
  size_t all;
  x->scratch_each = (x->t.scratch_bytes + 63) / 64 * 64;
  if (!x->scratch_each)
    return WEFT_OK;
  bool threads = x->way->order == WEFT__KERNEL_THREADS && !x->device;
  if (!threads || !weft_mul_size(x->scratch_each, x->t.blocks, &all) || all > MOST_SCRATCH) {
    x->pool = NULL;
    all = x->t.scratch_bytes;
  }
  x->scratch = part_new(x, PART_SCRATCH, 0, all, 64);
  return x->scratch ? WEFT_OK : WEFT_E_NOMEM;
}

// ---- running on the host ----

typedef struct kernel_blocks {
  kernel_run *x;
  weft_block b;
  weft_status failed;
} kernel_blocks;

static void run_one_block(void *ctx, uint32_t i) {
  kernel_blocks *r = ctx;
  const kernel_run *x = r->x;
  weft_block b = r->b;
  b.block = i;
  if (x->scratch)
    b.scratch = x->scratch->at + (x->pool ? i * x->scratch_each : 0);
  if (x->scratch && !x->pool)
    memset(b.scratch, x->way->fill, x->t.scratch_bytes);
  weft_status s = x->k->run(&b);
  if (s)
    __atomic_store_n(&r->failed, s, __ATOMIC_RELAXED);
}

static weft_status run_on_host(kernel_run *x, const weft_block *b) {
  kernel_blocks r = {.x = x, .b = *b};
  for (r.b.phase = 0; r.b.phase < x->t.phases && !r.failed; r.b.phase++) {
    if (x->way->order == WEFT__KERNEL_THREADS && x->pool) {
      weft__pool_run(x->pool, run_one_block, &r, b->blocks);
      continue;
    }
    for (uint32_t i = 0; i < b->blocks && !r.failed; i++)
      run_one_block(&r, x->way->order == WEFT__KERNEL_FORWARD ? i : b->blocks - 1 - i);
  }
  return r.failed;
}

// ---- running on a device ----

static weft_status run_upload(kernel_run *x) {
  for (uint32_t i = 0; i < x->n; i++) {
    kernel_part *p = &x->part[i];
    if (p->role == PART_RECORD)
      continue;  // the host's
    WEFT_TRY(x->device->alloc(x->dev, p->room_bytes, &p->there, &x->d));
    WEFT_TRY(x->device->copy_in(x->dev, x->stream, p->there, p->room, p->room_bytes, NULL, &x->d));
  }
  return x->device->stream_sync(x->dev, x->stream, &x->d);
}

static weft_status run_download(kernel_run *x) {
  for (uint32_t i = 0; i < x->n; i++) {
    const kernel_part *p = &x->part[i];
    if (!p->there)
      continue;
    WEFT_TRY(x->device->copy_out(x->dev, x->stream, p->room, p->there, p->room_bytes, NULL, &x->d));
  }
  return x->device->stream_sync(x->dev, x->stream, &x->d);
}

static weft_status run_launch(kernel_run *x, const weft_block *b) {
  uint64_t *bytes = WEFT_NEW_N(x->arena, uint64_t, (size_t)x->u->n_in + x->u->n_out + 18);
  if (!bytes)
    return WEFT_E_NOMEM;
  uint32_t args = x->u->n_in + x->u->n_out;
  for (uint32_t i = 0; i < x->u->n_in; i++)
    bytes[i] = x->u->in[i]->bytes;
  for (uint32_t i = 0; i < x->u->n_out; i++)
    bytes[x->u->n_in + i] = run_output_bytes(x->u, i);
  for (uint32_t i = 0; i < x->t.n_workspaces; i++)
    bytes[args + i] = x->t.workspace_bytes[i];
  weft_device_launch l = {.size = sizeof l,
                          .n_args = args,
                          .n_workspaces = x->t.n_workspaces,
                          .phases = x->t.phases,
                          .block = *b,
                          .run = x->k->run,
                          .name = x->k->name,
                          .node = x->u->desc->name,
                          .n_in = x->u->n_in,
                          .bytes = bytes};
  if (x->scratch)
    l.block.scratch = part_address(x, x->scratch);
  WEFT_TRY(x->device->launch(x->dev, x->stream, &l, &x->d));
  WEFT_TRY(x->device->stream_sync(x->dev, x->stream, &x->d));
  return WEFT_OK;
}

static weft_status run_open(kernel_run *x) {
  const weft_device *v = weft_device_find(x->u->env, x->k->device);
  if (!strcmp(x->k->device, "cpu"))
    return WEFT_OK;
  if (!v)
    return weft_fail(&x->d, WEFT_E_NOT_FOUND, "device '%s' is not there", x->k->device);
  weft_device_setup setup = {
      .size = sizeof setup, .host = &x->u->env->host, .alloc = *weft_env_allocator(x->u->env)};
  WEFT_TRY(v->open(&setup, &x->dev, &x->d));
  x->device = v;
  return v->stream_create(x->dev, &x->stream, &x->d);
}

static void run_close(kernel_run *x) {
  if (!x->device)
    return;
  if (x->stream)
    x->device->stream_destroy(x->dev, x->stream);
  x->device->close(x->dev);
  x->device = NULL;
}

// ---- the whole ----

static weft_status run_prepare(kernel_run *x) {
  x->cap = 2 * x->u->n_in + x->u->n_out + WEFT_COUNT(x->t.workspace_bytes) + 4;
  x->part = WEFT_NEW_N(x->arena, kernel_part, x->cap);
  x->r->out = WEFT_NEW_N(x->arena, void *, (size_t)x->u->n_out + 1);
  if (!x->part || !x->r->out)
    return WEFT_E_NOMEM;
  WEFT_TRY(run_open(x));
  WEFT_TRY(run_tile(x));
  WEFT_TRY(run_inputs(x));
  WEFT_TRY(run_outputs(x));
  WEFT_TRY(run_scratch(x));
  return x->device ? run_upload(x) : WEFT_OK;
}

static weft_status run_blocks(kernel_run *x) {
  uint32_t all = x->u->n_in + x->u->n_out;
  void **arg = WEFT_NEW_N(x->arena, void *, (size_t)all + 1);
  void *workspace[WEFT_COUNT(x->workspace)];
  if (!arg)
    return WEFT_E_NOMEM;
  for (uint32_t i = 0; i < all; i++)
    arg[i] = x->arg[i] ? part_address(x, x->arg[i]) : NULL;
  for (uint32_t i = 0; i < x->t.n_workspaces; i++)
    workspace[i] = part_address(x, x->workspace[i]);
  weft_block b = {.size = sizeof b,
                  .blocks = x->t.blocks,
                  .key = x->t.key,
                  .data = x->t.data,
                  .arg = arg,
                  .workspace = workspace,
                  .shape_out = x->shapes ? part_address(x, x->shapes) : NULL};
  if (!x->device)
    return run_on_host(x, &b);
  weft_status s = run_launch(x, &b);
  return s ? s : run_download(x);
}

static void run_keep(kernel_run *x) {
  const weft__kernel_use *u = x->u;
  for (uint32_t i = 0; i < u->n_out; i++) {
    const kernel_part *p = x->arg[u->n_in + i];
    if (p)
      x->r->out[i] = p->at;
  }
  if (x->shapes)
    x->r->shape_out = (uint64_t *)(void *)x->shapes->at;
}

weft_status weft__kernel_blocks(const weft__kernel_use *u, const weft_kernel *k, weft_arena *arena,
                                uint32_t *blocks) {
  static const weft__kernel_way way = {.over = -1, .aligned = true};
  weft__kernel_result r = {0};
  kernel_run x = {.u = u, .k = k, .way = &way, .r = &r, .arena = arena, .cap = 1};
  *blocks = 0;
  x.part = WEFT_NEW(arena, kernel_part);
  if (!x.part)
    return WEFT_E_NOMEM;
  WEFT_TRY(run_describe(&x));
  if (run_refusal(&x))
    return WEFT_OK;
  weft_status s = run_tile(&x);
  if (!s)
    *blocks = r.blocks;
  return s == WEFT_E_NOMEM && !x.d.length ? s : WEFT_OK;
}

weft_status weft__kernel_run(const weft__kernel_use *u, const weft_kernel *k, const weft__kernel_way *way,
                             weft_pool *pool, weft_arena *arena, weft__kernel_result *out) {
  kernel_run x = {.u = u, .k = k, .way = way, .r = out, .arena = arena, .pool = pool};
  *out = (weft__kernel_result){.what = WEFT__KERNEL_RAN};
  WEFT_TRY(run_describe(&x));
  const char *no = run_refusal(&x);
  if (no) {
    out->what = WEFT__KERNEL_REFUSED;
    snprintf(out->text, sizeof out->text, "%s", no);
    return WEFT_OK;
  }
  out->status = run_prepare(&x);
  if (!out->status)
    out->status = run_blocks(&x);
  run_close(&x);
  if (out->status == WEFT_E_NOMEM && !x.d.length)
    return WEFT_E_NOMEM;
  if (!parts_whole(&x)) {
    out->what = WEFT__KERNEL_STRAYED;
  } else if (out->status) {
    out->what = WEFT__KERNEL_FAILED;
    snprintf(out->text, sizeof out->text, "%d (%s) %s", (int)out->status, weft_status_name(out->status),
             x.d.text);
  }
  run_keep(&x);
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
