// bench.h - the parts of `weft bench`. The command itself runs no model: every engine, weft too, is a process
// of its own that answers on pipes (bench_side.h has the protocol), so that its times, its start and its
// memory are its own.
//
// bench.c: arguments, the command.
// bench_case.c: models, shapes, inputs.
// bench_measure.c: what is asked in which order.
// bench_accuracy.c: results beside the reference interpreter's.
// bench_side.c: a process and its answers.
// bench_peer.c: how an engine is started.
// bench_serve.c: weft's own process.
// bench_machine.c: --machine, the roof of this machine; bench_roof_x86.c and bench_roof_plain.c are its
// loops. bench_table.c, bench_json.c, bench_svg.c: what is printed and written.
#pragma once
#include "bench_stats.h"
#include "../cli.h"
#include "../dims.h"

enum {
  BENCH_MOST_SIDES = 6,
  BENCH_MOST_THREADS = 8,
  BENCH_MOST_WORDS = 64,
  BENCH_MOST_SETS = 16,
  BENCH_MOST_STARTS = 100
};

// One thing to measure: a model with inputs. The words belong to the command line or to the file of cases.
typedef struct bench_case {
  const char *model;
  char name[64];                                                  // for tables: "resnet18"
  const char *shapes[BENCH_MOST_WORDS], *dims[BENCH_MOST_WORDS];  // "x=1,3,224,224", "batch=1"
  const char *sets[BENCH_MOST_SETS];                              // folders with input_0.pb, ...
  uint32_t threads[BENCH_MOST_THREADS];
  size_t n_shapes, n_dims, n_sets, n_threads, starts;
  bool no_reference;
} bench_case;

typedef struct bench_op {  // one kind of operator in a profile
  char type[48];
  double launches, ns, bytes, flops;
} bench_op;

// What one engine did with one case, data set and number of threads. Negative: not measured.
typedef struct bench_result {
  char error[512];                 // "": it worked
  double load_ns, load_median_ns;  // model to ready: least and median of the starts
  double own_load_ns;              // least, from the engine's own prepared file
  double first_ns;                 // the first run, least of the starts
  double first_over_ns;  // what it took beyond the median of the runs right after it: median of the starts
  bench_times run;
  double allocations;             // of a slice of runs, weft only
  double peak_bytes, base_bytes;  // most that was resident; what was before the model was opened
  double error_max, error_rms;    // beside the reference
  bool saved;                     // it says that its results are in files
  char unread[512];               // "", or why these results cannot be compared
  bench_op *ops;
  size_t n_ops;
} bench_result;

typedef struct bench_row {
  const bench_case *c;
  char name[96], shapes[256];  // of the case with its set; "1x3x224x224 1x128"
  uint32_t threads;
  bool first_set;         // loading and memory are told of the first data set of a session
  double nodes;           // of the model; negative: not known
  bool apart;             // the inputs give dims of one name different sizes
  const char *reference;  // what error_max is beside: "reference interpreter", a side's label, NULL
  bench_result r[BENCH_MOST_SIDES];
} bench_row;

typedef struct bench_engine {  // a column: weft with an instruction set or with an option, or the peer
  char label[64];
  char name[64];
  char version[64];
  // instruction set, NULL: all that the machine has; peer, NULL: weft
  const char *isa;
  const char *peer;
  // "bf16", "precision_mode=allow_fp32_to_bf16"; both NULL: none
  const char *variant;
  const char *option;
} bench_engine;

typedef struct bench_options {
  bench_case *cases;
  size_t n_cases;
  char *cases_text;  // the file of cases, which the cases point into
  bench_engine engines[BENCH_MOST_SIDES];
  size_t n_engines;
  const char *options[BENCH_MOST_WORDS], *json, *svg;
  size_t n_options;
  size_t repeat, starts;
  double seconds, tolerance, timeout;
  const char *streams;
  bool plain, own_files, profile, no_reference, quiet, strict;
  uint64_t seed;
  uint32_t threads[BENCH_MOST_THREADS];
  size_t n_threads;
} bench_options;

typedef struct bench_report {
  const bench_options *o;
  char machine[160], date[32];
  uint32_t cores;
  bench_row *rows;
  size_t n_rows, cap_rows;
} bench_report;

// The first peer's column; -1: none.
int bench_peer(const bench_options *o);
// The column that column k's ratios are beside: the peer with the same instruction set, or else the first
// peer; a peer's own is itself. -1: none.
int bench_base(const bench_options *o, size_t k);
// time / the peer's time; negative: one of them is missing.
double bench_ratio(double a, double b);

// bench_case.c
// Takes one option of a case; false: it is none. *problem: what is wrong with it.
bool bench_case_word(args *a, bench_case *c, const char **problem);
// Reads lines "NAME MODEL [options]", separated by blanks; '#' begins a comment.
weft_status bench_cases_read(const char *path, bench_options *o, weft_diag *d);
void bench_case_init(bench_case *c, const bench_options *o, const char *model);
// Threads "1,2,4".
bool bench_threads(const char *text, uint32_t *out, size_t *out_n);
// What the inputs of a case are like: "1x3x224x224 1x128" of each set; and whether they give dims of one name
// different sizes.
typedef struct bench_told {
  char shapes[BENCH_MOST_SETS][256];
  dims_look look;
} bench_told;
// Writes the inputs of set `set` into dir/input_I.npy and tells of them. A set after one with a broken name
// adds nothing to out->look.
weft_status bench_inputs(weft_env *e, const bench_case *c, size_t set, uint64_t seed, const char *dir,
                         bench_told *out, weft_diag *d);
bool bench_is_file(const char *path);
// Removes a folder that holds files only.
void bench_remove(const char *dir);

// bench_measure.c
weft_status bench_measure(weft_env *e, bench_options *o, bench_report *r, weft_diag *d);
void bench_report_free(bench_report *r);

// bench_peer.c: the command that starts an engine. A peer NAME is the program that WEFT_PEER names, or
// peer_NAME.py beside weft's binary, below its share/weft or in the source tree's tools/; scripts are run by
// WEFT_PYTHON or python3. A peer that is to be limited to an instruction set gets `--isa NAME`.
typedef struct bench_command {
  char *argv[6], path[4200], label[300];
} bench_command;
weft_status bench_find(const bench_engine *e, bench_command *out, weft_diag *d);

// bench_accuracy.c: compares what engine E saved in out[E]/output_I.npy with what the reference interpreter
// makes of inputs/input_I.npy (kept in inputs/reference_I.npy), or with the peer's where that cannot run.
void bench_accuracy(weft_env *e, const bench_options *o, bench_row *row, const char *inputs,
                    char (*out)[4100]);

// The report
void bench_table(const bench_report *r, FILE *f);
void bench_json(const bench_report *r, FILE *f);
void bench_svg(const bench_report *r, FILE *f);
const char *bench_time(double ns, char *buf, size_t cap);      // "21.31 ms", "" when negative
const char *bench_bytes(double bytes, char *buf, size_t cap);  // "64.2 MB"

int bench_serve(void);                // `weft bench --serve`
int bench_machine(const char *json);  // `weft bench --machine`; json NULL: the table only
void bench_machine_name(char *out, size_t cap);
uint32_t bench_cores(void);
const char *bench_isa_missing(const char *isa);  // why this machine cannot; NULL: it can, "plain" always
// SPDX-License-Identifier: Apache-2.0
