// atc.c - `weft atc`: a model into a program, by the options of CANN's ATC, for scripts that have them.
#include <ctype.h>

#include "cli.h"

static const char help[] =
    "weft atc OPTION...     as in: --framework=5 --model=m.onnx --output=m "
    "--input_shape=\"x:1,3,224,224\"\n\n"
    "Compiles a model for this machine's CPU and writes NAME.om, which `weft run`, weft_program_load and\n"
    "aclmdlLoadFromFile take. The options are those of CANN's ATC, as --name=value or --name value:\n\n"
    "  --model FILE             the model; what it holds decides how it is read\n"
    "  --output NAME            writes NAME.om\n"
    "  --framework N            5 ONNX, 1 weft's own forms; others are refused\n"
    "  --input_shape SHAPES     \"x:1,3,224,224;y:1~8,-1\": a size, a range, or -1 for any size\n"
    "  --input_shape_range R    \"x:[1~8,3,-1]\": the same\n"
    "  --dynamic_batch_size N,N sizes of the dims that --input_shape gives as -1\n"
    "  --dynamic_image_size H,W;H,W   of height and width\n"
    "  --dynamic_dims D,D;D,D   of each -1, in order\n"
    "  --precision_mode MODE    as docs/precision.md says; modes that ask for float16 keep float\n"
    "  --soc_version NAME       is kept as a note: the program is for this CPU\n"
    "  --mode 0                 the only one; `weft convert` and `weft show` do what 1 and 6 do\n\n"
    "What ATC has beside these (fusion switches, buffers, caches, logs) means nothing here: it is taken, "
    "and\n"
    "named in one line.\n";

// Options of ATC that decide nothing on a CPU.
static const char *const ignored[] = {"ac_parallel_enable",
                                      "aicore_num",
                                      "allow_hf32",
                                      "atomic_clean_policy",
                                      "auto_tune_mode",
                                      "buffer_optimize",
                                      "check_report",
                                      "compress_weight_conf",
                                      "compression_optimize_conf",
                                      "core_type",
                                      "customize_dtypes",
                                      "debug_dir",
                                      "deterministic",
                                      "deterministic_level",
                                      "device_id",
                                      "disable_reuse_memory",
                                      "display_model_info",
                                      "enable_attr_compression",
                                      "enable_compress_weight",
                                      "enable_scope_fusion_passes",
                                      "enable_single_stream",
                                      "enable_small_channel",
                                      "external_weight",
                                      "fusion_switch_file",
                                      "host_env_cpu",
                                      "host_env_os",
                                      "input_format",
                                      "is_weight_clip",
                                      "jit_compile",
                                      "keep_dtype",
                                      "log",
                                      "mdl_bank_path",
                                      "modify_mixlist",
                                      "multi_stream_parallel_mode",
                                      "oo_level",
                                      "op_bank_path",
                                      "op_compiler_cache_dir",
                                      "op_compiler_cache_mode",
                                      "op_debug_config",
                                      "op_debug_level",
                                      "op_precision_mode",
                                      "op_select_implmode",
                                      "optimization_switch",
                                      "optypelist_for_implmode",
                                      "precision_mode_v2",
                                      "save_original_model",
                                      "sparsity",
                                      "status_check",
                                      "tiling_schedule_optimize",
                                      "topo_sorting_mode",
                                      "virtual_type"};
// Those that would change what comes out.
static const char *const refused[] = {"cal_conf",
                                      "dump_mode",
                                      "input_fp16_nodes",
                                      "insert_op_conf",
                                      "is_input_adjust_hw_layout",
                                      "is_output_adjust_hw_layout",
                                      "json",
                                      "om",
                                      "out_nodes",
                                      "output_type",
                                      "singleop",
                                      "weight"};

enum { MOST_GEARS = 100, MOST_INPUTS = 64 };
typedef struct atc_job {
  const char *model, *output, *framework, *shapes, *ranges, *batch, *image, *dims, *precision, *mode, *soc;
  char ignored[1200];
  // --input_shape as `weft compile` takes it
  char text[2 * MOST_INPUTS][600];
  size_t n_text;
  shape_options options;
  int64_t gears[MOST_GEARS][WEFT_MAX_RANK];  // of each -1, in order
  size_t n_gears, gear_dims, gear_at;
} atc_job;

static bool atc_in(const char *const *list, size_t n, const char *name, size_t bytes) {
  for (size_t i = 0; i < n; i++) {
    if (strlen(list[i]) == bytes && !strncmp(list[i], name, bytes))
      return true;
  }
  return false;
}

// ---- arguments ----
static int atc_take(atc_job *j, const char *name, size_t bytes, const char *value) {
  const struct {
    const char *name;
    const char **to;
  } known[] = {{"model", &j->model},
               {"output", &j->output},
               {"framework", &j->framework},
               {"input_shape", &j->shapes},
               {"input_shape_range", &j->ranges},
               {"dynamic_batch_size", &j->batch},
               {"dynamic_image_size", &j->image},
               {"dynamic_dims", &j->dims},
               {"precision_mode", &j->precision},
               {"soc_version", &j->soc},
               {"mode", &j->mode}};
  nearest near = nearest_to(name, bytes);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strlen(known[i].name) == bytes && !strncmp(known[i].name, name, bytes)) {
      *known[i].to = value;
      return EXIT_OK;
    }
    nearest_try(&near, known[i].name, strlen(known[i].name));
  }
  if (atc_in(ignored, sizeof ignored / sizeof *ignored, name, bytes)) {
    const size_t at = strlen(j->ignored);
    snprintf(j->ignored + at, sizeof j->ignored - at, " --%.*s=%.100s", (int)bytes, name, value);
    return EXIT_OK;
  }
  if (atc_in(refused, sizeof refused / sizeof *refused, name, bytes)) {
    return usage_error(help, "--%.*s would change the model, and weft does not do it; leave it out",
                       (int)bytes, name);
  }
  if (*near.word)
    return usage_error(help, "no option '--%.*s'; did you mean '--%s'?", (int)bytes, name, near.word);
  return usage_error(help, "no option '--%.*s'", (int)bytes, name);
}
static int atc_arguments(atc_job *j, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *name = argv[i] + strspn(argv[i], "-");
    const size_t bytes = strcspn(name, "=");
    if (name == argv[i])
      return usage_error(help, "'%s' is no option; the model is given by --model", argv[i]);
    const char *value = name[bytes] ? name + bytes + 1 : i + 1 < argc ? argv[++i] : NULL;
    if (!value)
      return usage_error(help, "--%s needs a value", name);
    const int status = atc_take(j, name, bytes, value);
    if (status)
      return status;
  }
  if (!j->model || !j->output)
    return usage_error(help, "--%s is missing", j->model ? "output" : "model");
  if (j->mode && strcmp(j->mode, "0"))
    return usage_error(help, "--mode=%s: only 0 is there; `weft convert` writes JSON, `weft show` shows",
                       j->mode);
  if (j->framework && strcmp(j->framework, "5") && strcmp(j->framework, "1")) {
    return usage_error(
        help, "--framework=%s: only 5 (ONNX) and 1 (weft's own forms) are read; export the model to ONNX",
        j->framework);
  }
  if (!!j->batch + !!j->image + !!j->dims > 1)
    return usage_error(help,
                       "--dynamic_batch_size, --dynamic_image_size and --dynamic_dims exclude each other");
  return EXIT_OK;
}

// ---- sizes that are open ----
// "1,2,4" is three gears of one dim, "224,224;448,448" two gears of two.
static weft_status atc_gears(atc_job *j, const char *option, const char *text, bool one, weft_diag *d) {
  size_t dim = 0;
  for (const char *at = text; *at;) {
    char *end;
    const long long size = strtoll(at, &end, 10);
    const bool last = !*end || *end == ';' || (one && *end == ',');
    if (end == at || size < 1 || (!last && *end != ',') || j->n_gears == MOST_GEARS || dim == WEFT_MAX_RANK)
      return weft_fail(d, WEFT_E_SYNTAX, "%s '%s': sizes are expected at '%.20s'", option, text, at);
    j->gears[j->n_gears][dim++] = size;
    at = end + (*end != 0);
    if (!last)
      continue;
    if (j->n_gears++ && dim != j->gear_dims)
      return weft_fail(d, WEFT_E_SYNTAX, "%s '%s': gears of %zu and of %zu sizes", option, text, j->gear_dims,
                       dim);
    j->gear_dims = dim;
    dim = 0;
  }
  return dim || !j->n_gears ? weft_fail(d, WEFT_E_SYNTAX, "%s '%s' ends too early", option, text) : WEFT_OK;
}
// The least and the greatest size that the gears give the next -1.
static void atc_gear_range(atc_job *j, char *to, size_t cap) {
  const size_t dim = j->gear_dims == 1 ? 0 : j->gear_at++;
  int64_t least = INT64_MAX;
  int64_t most = 0;
  for (size_t i = 0; i < j->n_gears && dim < j->gear_dims; i++) {
    least = j->gears[i][dim] < least ? j->gears[i][dim] : least;
    most = j->gears[i][dim] > most ? j->gears[i][dim] : most;
  }
  if (most)
    snprintf(to, cap, "%lld..%lld", (long long)least, (long long)most);
  else
    snprintf(to, cap, "0..*");
}

// One input, "x:1~8,3,-1", as --shape and --range of `weft compile`.
static weft_status atc_input(atc_job *j, const char *text, size_t bytes, weft_diag *d) {
  size_t colon = bytes;
  for (size_t i = 0; i < bytes; i++)
    colon = text[i] == ':' ? i : colon;
  if (!colon || colon == bytes || colon > 200 || j->n_text + 2 > 2 * MOST_INPUTS)
    return weft_fail(d, WEFT_E_SYNTAX, "--input_shape '%.*s': expected NAME:SIZE,SIZE", (int)bytes, text);
  char *shape = j->text[j->n_text];
  char *range = j->text[j->n_text + 1];
  const size_t cap = sizeof j->text[0];
  bool open = false;
  size_t at = (size_t)snprintf(shape, cap, "%.*s=", (int)colon, text);
  size_t at_range = (size_t)snprintf(range, cap, "%.*s=", (int)colon, text);
  const char *p = text + colon + 1;
  const char *end = text + bytes;
  while (p < end) {
    char size[64];
    p += *p == '[';
    const size_t n = strcspn(p, ",];");
    const size_t tilde = strcspn(p, "~");
    const bool any = n == 2 && !strncmp(p, "-1", 2);
    if (!n || n > 40 || at_range + 100 > cap)
      return weft_fail(d, WEFT_E_SYNTAX, "--input_shape '%.*s': a size is expected at '%.20s'", (int)bytes,
                       text, p);
    if (any)
      atc_gear_range(j, size, sizeof size);
    else if (tilde < n)
      snprintf(size, sizeof size, "%.*s..%.*s", (int)tilde, p, p[tilde + 1] == '-' ? 1 : (int)(n - tilde - 1),
               p[tilde + 1] == '-' ? "*" : p + tilde + 1);
    else
      snprintf(size, sizeof size, "%.*s", (int)n, p);
    const bool fixed = !any && tilde >= n;
    open |= !fixed;
    const char *comma = p == text + colon + 1 || p[-1] == '[' ? "" : ",";
    at += (size_t)snprintf(shape + at, cap - at, "%s%s", comma, fixed ? size : "?");
    at_range += (size_t)snprintf(range + at_range, cap - at_range, "%s%s", comma, size);
    p += n;
    while (p < end && (*p == ',' || *p == ']'))
      p++;
  }
  j->options.text[j->options.n] = shape;
  j->options.kind[j->options.n++] = SHAPE_IS;
  if (open) {
    j->options.text[j->options.n] = range;
    j->options.kind[j->options.n++] = SHAPE_RANGE;
  }
  j->n_text += 2;
  return WEFT_OK;
}
static weft_status atc_inputs(atc_job *j, const char *text, weft_diag *d) {
  while (text && *text) {
    const size_t n = strcspn(text, ";");
    if (j->options.n + 2 > sizeof j->options.text / sizeof *j->options.text)
      return weft_fail(d, WEFT_E_LIMIT, "--input_shape names too many inputs");
    WEFT_TRY(atc_input(j, text, n, d));
    text += n + (text[n] == ';');
  }
  return WEFT_OK;
}
static weft_status atc_shapes(atc_job *j, weft_diag *d) {
  if (j->batch)
    WEFT_TRY(atc_gears(j, "--dynamic_batch_size", j->batch, true, d));
  if (j->image)
    WEFT_TRY(atc_gears(j, "--dynamic_image_size", j->image, false, d));
  if (j->dims)
    WEFT_TRY(atc_gears(j, "--dynamic_dims", j->dims, false, d));
  if (j->n_gears && !j->shapes)
    return weft_fail(d, WEFT_E_SYNTAX, "sizes of open dims need --input_shape with -1 where they belong");
  WEFT_TRY(atc_inputs(j, j->shapes, d));
  return atc_inputs(j, j->ranges, d);
}

// ---- the work ----
static bool asks_for_half(const char *mode) {
  return strstr(mode, "fp16") || strstr(mode, "float16");
}
// What aclmdlGetDynamicBatch and its kin give, kept with the program.
static weft_status atc_notes(const atc_job *j, weft_graph *g, weft_diag *d) {
  const char *const notes[][2] = {{"acl.dynamic_batch_size", j->batch},
                                  {"acl.dynamic_image_size", j->image},
                                  {"acl.dynamic_dims", j->dims},
                                  {"acl.soc_version", j->soc}};
  for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
    if (notes[i][1])
      WEFT_TRY(weft_graph_set_meta(g, notes[i][0], notes[i][1], d));
  }
  return WEFT_OK;
}
static weft_status atc_work(atc_job *j, weft_env *e, weft_diag *d) {
  char path[4096];
  char precision[200];
  const char *options[1] = {precision};
  weft_graph *g;
  weft_program *p;
  const size_t length = strlen(j->output);
  const bool named = length > 3 && !strcmp(j->output + length - 3, ".om");
  if ((size_t)snprintf(path, sizeof path, "%s%s", j->output, named ? "" : ".om") >= sizeof path)
    return weft_fail(d, WEFT_E_LIMIT, "--output: the name is too long");
  WEFT_TRY(atc_shapes(j, d));
  WEFT_TRY(load_graph(e, j->model, &g, d));
  weft_status s = set_shapes(g, &j->options, d);
  if (!s)
    s = atc_notes(j, g, d);
  if (s) {
    weft_graph_destroy(g);
    return s;
  }
  weft_compile_options c = {.size = sizeof c};
  if (j->precision && asks_for_half(j->precision)) {
    printf("--precision_mode=%s: weft keeps float as it is\n", j->precision);
  } else if (j->precision) {
    snprintf(precision, sizeof precision, "precision_mode=%.150s", j->precision);
    c.options = options;
    c.n_options = 1;
  }
  WEFT_TRY(weft_compile(g, &c, &p, d));
  const weft_status saved = weft_program_save_file(p, path, d);
  if (!saved) {
    printf("%s: for %s; nodes: %zu, inputs: %zu, outputs: %zu\n", path, weft_program_target(p),
           weft_graph_n_nodes(weft_program_graph(p)), weft_program_n_inputs(p), weft_program_n_outputs(p));
  }
  weft_program_release(p);
  return saved;
}

static int atc_run(int argc, char **argv) {
  static atc_job j;
  weft_diag d = {0};
  j = (atc_job){0};
  const int status = atc_arguments(&j, argc, argv);
  if (status)
    return status;
  if (*j.ignored)
    printf("not used on a CPU:%s\n", j.ignored);
  weft_env *e = open_env();
  if (!e)
    return EXIT_FAILED;
  const weft_status s = atc_work(&j, e, &d);
  weft_env_destroy(e);
  return s ? fail_with(&d) : EXIT_OK;
}

const command cmd_atc = {"atc", "compiles a model by the options of CANN's ATC", help, atc_run};
// SPDX-License-Identifier: Apache-2.0
