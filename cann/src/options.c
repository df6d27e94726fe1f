// options.c - the options of GEInitialize, sessions, graphs and offline builds: which keys are known, and
// which of them say something to weft's compiler. A graph's options count before its session's, those before
// the process's.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

typedef enum option_kind {
  OPTION_READ,   // weft does as it says
  OPTION_IDLE,   // of the device or its tools: nothing on the machine at hand depends on it
  OPTION_ENDED,  // weft cannot do what it asks for: said as a warning
} option_kind;

typedef struct known_option {
  const char *key;
  option_kind kind;
} known_option;

static const known_option known[] = {
    {"ge.exec.precision_mode", OPTION_READ},
    {"ge.exec.precision_mode_v2", OPTION_READ},
    {"precision_mode", OPTION_READ},
    {"ge.exec.allow_hf32", OPTION_READ},
    {"ge.oo.level", OPTION_READ},
    {"ge.oo.constantFolding", OPTION_READ},
    {"ge.disableOptimizations", OPTION_READ},
    {"ge.inputShape", OPTION_READ},
    {"input_shape", OPTION_READ},
    {"weft.device", OPTION_READ},
    {"weft.options", OPTION_READ},
    {"ge.graphRunMode", OPTION_IDLE},
    {"ge.exec.deviceId", OPTION_IDLE},
    {"ge.session_device_id", OPTION_IDLE},
    {"ge.socVersion", OPTION_IDLE},
    {"ge.engineType", OPTION_IDLE},
    {"ge.aicoreNum", OPTION_IDLE},
    {"ge.deterministic", OPTION_IDLE},
    {"ge.deterministicLevel", OPTION_IDLE},
    {"ge.enableSingleStream", OPTION_IDLE},
    {"ge.autoMultistreamParallelMode", OPTION_IDLE},
    {"ge.streamMaxParallelNum", OPTION_IDLE},
    {"ge.topoSortingMode", OPTION_IDLE},
    {"ge.oo.deadCodeElimination", OPTION_IDLE},
    {"ge.optimizationSwitch", OPTION_IDLE},
    {"ge.fusionSwitchFile", OPTION_IDLE},
    {"ge.exportCompileStat", OPTION_IDLE},
    {"ge.jit_compile", OPTION_IDLE},
    {"ge.op_compiler_cache_mode", OPTION_IDLE},
    {"ge.op_compiler_cache_dir", OPTION_IDLE},
    {"ge.graph_compiler_cache_dir", OPTION_IDLE},
    {"ge.graph_key", OPTION_IDLE},
    {"ge.constLifecycle", OPTION_IDLE},
    {"ge.exec.disableReuseMemory", OPTION_IDLE},
    {"ge.exec.reuseZeroCopyMemory", OPTION_IDLE},
    {"ge.exec.inputReuseMemIndexes", OPTION_IDLE},
    {"ge.exec.outputReuseMemIndexes", OPTION_IDLE},
    {"ge.featureBaseRefreshable", OPTION_IDLE},
    {"ge.exec.staticMemoryPolicy", OPTION_IDLE},
    {"ge.exec.atomicCleanPolicy", OPTION_IDLE},
    {"ge.inputBatchCpy", OPTION_IDLE},
    {"ge.exec.input_fusion_size", OPTION_IDLE},
    {"ge.exec.static_model_ops_lower_limit", OPTION_IDLE},
    {"ge.exec.hostSchedulingMaxThreshold", OPTION_IDLE},
    {"ge.exec.hostInputIndexes", OPTION_IDLE},
    {"ge.exec.frozenInputIndexes", OPTION_IDLE},
    {"ge.tiling_schedule_optimize", OPTION_IDLE},
    {"ge.graphMaxParallelModelNum", OPTION_IDLE},
    {"ge.exec.variable_acc", OPTION_IDLE},
    {"ge.AllowMultiGraphParallelCompile", OPTION_IDLE},
    {"ge.exec.dynamicGraphExecuteMode", OPTION_IDLE},
    {"ge.exec.dynamicInput", OPTION_IDLE},
    {"ge.dynamicDims", OPTION_IDLE},
    {"ge.dynamicNodeType", OPTION_IDLE},
    {"ge.dynamicBatchSize", OPTION_IDLE},
    {"ge.dynamicImageSize", OPTION_IDLE},
    {"ge.compileHybridMode", OPTION_IDLE},
    {"ge.inputHintShape", OPTION_IDLE},
    {"ac_parallel_enable", OPTION_IDLE},
    {"stream_sync_timeout", OPTION_IDLE},
    {"event_sync_timeout", OPTION_IDLE},
    {"ge.opDebugLevel", OPTION_IDLE},
    {"ge.debugDir", OPTION_IDLE},
    {"op_debug_config", OPTION_IDLE},
    {"input_format", OPTION_IDLE},
    {"log", OPTION_IDLE},
    {"ge.exec.enableDump", OPTION_ENDED},
    {"ge.exec.dumpPath", OPTION_ENDED},
    {"ge.exec.dumpMode", OPTION_ENDED},
    {"ge.exec.dumpStep", OPTION_ENDED},
    {"ge.exec.enable_exception_dump", OPTION_ENDED},
    {"ge.exec.profilingMode", OPTION_ENDED},
    {"ge.exec.profilingOptions", OPTION_ENDED},
    {"ge.exec.modify_mixlist", OPTION_ENDED},
    {"ge.customizeDtypes", OPTION_ENDED},
    {"ge.exec.op_precision_mode", OPTION_ENDED},
    {"ge.outputDatatype", OPTION_ENDED},
    {"ge.externalWeight", OPTION_ENDED},
    {"ge.externalWeightDir", OPTION_ENDED},
    {"ge.exec.dataInputsShapeRange", OPTION_ENDED},
};

static const known_option *option_find(const char *key) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (!strcmp(known[i].key, key))
      return &known[i];
  }
  return NULL;
}

// The known key that is nearest, for "did you mean".
static const char *option_nearest(const char *key) {
  const char *best = NULL;
  size_t distance = 4;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    size_t n = weft_name_distance(key, strlen(key), known[i].key, distance - 1);
    if (n < distance) {
      distance = n;
      best = known[i].key;
    }
  }
  return best;
}

static weft_status option_unknown(const char *key, const char *where, bool strict, weft_diag *d) {
  const char *near = option_nearest(key);
  const char *hint = near ? ": did you mean " : "";
  if (strict)
    return weft_fail(d, WEFT_E_NOT_FOUND, "%s: option '%s' is not known%s%s", where, key, hint,
                     near ? near : "");
  weft_ge_warn("%s: option '%s' is not known and has no effect%s%s", where, key, hint, near ? near : "");
  return WEFT_OK;
}

weft_status weft__ge_options_check(weft_ge_options o, const char *where, bool strict, weft_diag *d) {
  for (size_t i = 0; i < o.n; i++) {
    const char *key = o.list[i].key;
    const known_option *k = option_find(key);
    if (!k)
      WEFT_TRY(option_unknown(key, where, strict, d));
    else if (k->kind == OPTION_ENDED)
      weft_ge_warn("%s: option '%s' has no effect: weft does not do this", where, key);
  }
  return WEFT_OK;
}

// ---- lists ----
// guarded by the engine's lock; sessions and builds read theirs while it is initialised
static weft_ge_options process[WEFT_GE_USES];

weft_ge_options weft__ge_options_copy(weft_ge_options o, bool *out_ok) {
  weft_ge_options copy = {0};
  size_t bytes = o.n * sizeof *o.list;
  for (size_t i = 0; i < o.n; i++)
    bytes += strlen(o.list[i].key) + strlen(o.list[i].value) + 2;
  weft_ge_option *list = malloc(bytes + 1);
  *out_ok = list != NULL;
  if (!list)
    return copy;
  char *text = (char *)(list + o.n);
  for (size_t i = 0; i < o.n; i++) {
    list[i].key = strcpy(text, o.list[i].key);
    text += strlen(text) + 1;
    list[i].value = strcpy(text, o.list[i].value);
    text += strlen(text) + 1;
  }
  copy.list = list;
  copy.n = o.n;
  return copy;
}

void weft__ge_options_free(weft_ge_options o) {
  free((void *)o.list);
}

weft_status weft__ge_options_keep(int use, weft_ge_options o, weft_diag *d) {
  bool ok;
  process[use] = weft__ge_options_copy(o, &ok);
  return ok ? WEFT_OK : weft_fail(d, WEFT_E_NOMEM, "out of memory for options");
}

void weft__ge_options_forget(int use) {
  weft__ge_options_free(process[use]);
  process[use] = (weft_ge_options){0};
}

static const char *option_in(weft_ge_options o, const char *key) {
  for (size_t i = 0; i < o.n; i++) {
    if (!strcmp(o.list[i].key, key))
      return o.list[i].value;
  }
  return NULL;
}

const char *weft__ge_option(const weft__ge_lists *lists, const char *key) {
  for (size_t i = 0; i < 2; i++) {
    const char *value = option_in(lists->list[i], key);
    if (value)
      return value;
  }
  return option_in(process[lists->use], key);
}

// ---- compiling ----
enum { COMPILE_OPTIONS_MAX = 32, COMPILE_OPTION_BYTES = 256 };

typedef struct compile_list {
  char text[COMPILE_OPTIONS_MAX][COMPILE_OPTION_BYTES];
  const char *list[COMPILE_OPTIONS_MAX];
  size_t n;
} compile_list;

static weft_status compile_add(compile_list *c, weft_diag *d, const char *name, const char *value,
                               size_t bytes) {
  if (c->n == COMPILE_OPTIONS_MAX || strlen(name) + bytes + 1 > COMPILE_OPTION_BYTES)
    return weft_fail(d, WEFT_E_LIMIT, "option '%s%.*s' is too long, or one too many", name, (int)bytes,
                     value);
  snprintf(c->text[c->n], sizeof c->text[c->n], "%s%.*s", name, (int)bytes, value);
  c->list[c->n] = c->text[c->n];
  c->n++;
  return WEFT_OK;
}

// Names of precision modes that weft computes otherwise: in float, which is never less exact.
static const char *precision_of(const char *given) {
  static const char *const plain[] = {"force_fp16",
                                      "allow_fp32_to_fp16",
                                      "allow_mix_precision_fp16",
                                      "cube_fp16in_fp32out",
                                      "fp16",
                                      "origin",
                                      "mixed_float16",
                                      "mixed_hif8",
                                      "cube_hif8"};
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
    if (!strcmp(given, plain[i]))
      return "must_keep_origin_dtype";
  }
  return strcmp(given, "mixed_bfloat16") ? given : "allow_mix_precision_bf16";
}

static weft_status compile_precision(compile_list *c, const weft__ge_lists *lists, weft_diag *d) {
  static const char *const keys[] = {"ge.exec.precision_mode_v2", "ge.exec.precision_mode", "precision_mode"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const char *given = weft__ge_option(lists, keys[i]);
    if (!given || !*given)
      continue;
    const char *name = precision_of(given);
    return compile_add(c, d, "precision_mode=", name, strlen(name));
  }
  const char *hf32 = weft__ge_option(lists, "ge.exec.allow_hf32");
  if (hf32 && (!strcmp(hf32, "1") || !strcmp(hf32, "true")))
    return compile_add(c, d, "precision_mode=", "allow_hf32", strlen("allow_hf32"));
  return WEFT_OK;
}

static weft_status compile_passes(compile_list *c, const weft__ge_lists *lists, weft_diag *d) {
  const char *level = weft__ge_option(lists, "ge.oo.level");
  if (level && !strcmp(level, "O0"))
    WEFT_TRY(compile_add(c, d, "passes=", "0", 1));
  const char *folding = weft__ge_option(lists, "ge.oo.constantFolding");
  const char *off = weft__ge_option(lists, "ge.disableOptimizations");
  bool no_folding = folding && (!strcmp(folding, "false") || !strcmp(folding, "0"));
  if (no_folding || (off && strstr(off, "ConstantFolding")))
    WEFT_TRY(compile_add(c, d, "fold-constants=", "0", 1));
  return WEFT_OK;
}

// "weft.options": what `weft compile --option` takes, joined by ';'.
static weft_status compile_own(compile_list *c, const char *text, weft_diag *d) {
  while (text && *text) {
    size_t n = strcspn(text, ";");
    if (n)
      WEFT_TRY(compile_add(c, d, "", text, n));
    text += n + (text[n] == ';');
  }
  return WEFT_OK;
}

static weft_status compile_read(compile_list *c, const weft__ge_lists *lists, weft_diag *d) {
  WEFT_TRY(compile_precision(c, lists, d));
  WEFT_TRY(compile_passes(c, lists, d));
  return compile_own(c, weft__ge_option(lists, "weft.options"), d);
}

static weft_status compile_shapes(weft_graph *g, const weft__ge_lists *lists, weft_diag *d) {
  WEFT_TRY(weft_ge_set_shapes(g, weft__ge_option(lists, "ge.inputShape"), d));
  return weft_ge_set_shapes(g, weft__ge_option(lists, "input_shape"), d);
}

weft_status weft__ge_compile(weft_graph *g, const weft__ge_lists *lists, weft_program **out, weft_diag *d) {
  compile_list *c = calloc(1, sizeof *c);
  weft_status s = c ? compile_read(c, lists, d) : weft_fail(d, WEFT_E_NOMEM, "out of memory for options");
  if (!s)
    s = compile_shapes(g, lists, d);
  if (s) {
    free(c);
    weft_graph_destroy(g);
    return s;
  }
  weft_compile_options o = {.size = sizeof o, .options = c->list, .n_options = c->n};
  o.device = weft__ge_option(lists, "weft.device");
  s = weft_compile(g, &o, out, d);
  free(c);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
