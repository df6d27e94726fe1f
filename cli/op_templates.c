// op_templates.c - ASCENDC_TPL_ARGS_DECL and ASCENDC_TPL_SEL as tiling_key.h writes them down for weft:
// words, each with what belongs to it up to a semicolon.
// A list of types may end in a port (ASCENDC_TPL_INPUT): then the argument is the port's type, and
// combinations with another one are not compiled for this one.
#include "op_templates.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "weft/dtype.h"
#include "weft/format.h"

enum { WORD_BYTES = 128 };

// The next name, number or mark. False: there is none.
static bool template_word(templates *t, char *out) {
  size_t n = 0;
  while (t->text < t->end && isspace((unsigned char)*t->text))
    t->text++;
  while (t->text < t->end && n + 1 < WORD_BYTES) {
    const bool letter = isalnum((unsigned char)*t->text) || *t->text == '_';
    if (!letter && n)
      break;
    out[n++] = *t->text++;
    if (!letter)
      break;
  }
  out[n] = 0;
  return n;
}

static bool template_named(const char *word, uint64_t *out) {
  static const struct {
    const char *name;
    uint64_t value;
  } names[] = {
#define WEFT_X(name, number, bits, serial, text) {"DT_" #name, number}, {"C_DT_" #name, number},
      WEFT_DTYPE_LIST(WEFT_X)
#undef WEFT_X
#define WEFT_X(name, number, serial) {"FORMAT_" #name, number}, {"C_FORMAT_" #name, number},
          WEFT_FORMAT_LIST(WEFT_X)
#undef WEFT_X
              {"true", 1},
      {"false", 0},
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(word, names[i].name) != 0)
      continue;
    *out = names[i].value;
    return true;
  }
  return false;
}
static bool template_number(const char *word, uint64_t *out) {
  char *end = NULL;
  if (!isdigit((unsigned char)*word))
    return template_named(word, out);
  *out = strtoull(word, &end, 0);
  while (*end == 'u' || *end == 'U' || *end == 'l' || *end == 'L')
    end++;
  return !*end;
}

static bool template_has(const template_values *v, uint64_t value) {
  for (size_t i = 0; i < v->n; i++) {
    if (v->at[i] == value)
      return true;
  }
  return false;
}
static void template_add(templates *t, template_values *v, uint64_t value) {
  if (v->n < TEMPLATE_VALUES)
    v->at[v->n++] = value;
  else
    snprintf(t->problem, sizeof t->problem, "a template argument has more than %d values", TEMPLATE_VALUES);
}
// `weft_tpl_in 1` or `weft_tpl_out 0`: the first port of a list counts. False: the word is something else.
static bool template_port(templates *t, const char *word, int *out_port) {
  const bool in = !strcmp(word, "weft_tpl_in");
  char number[WORD_BYTES];
  uint64_t at = 0;
  if (!in && strcmp(word, "weft_tpl_out") != 0)
    return false;
  if (!template_word(t, number) || !template_number(number, &at) || at >= TEMPLATE_PORTS) {
    snprintf(t->problem, sizeof t->problem, "'%s' in ASCENDC_TPL_%s is no number of a port", number,
             in ? "INPUT" : "OUTPUT");
  } else if (!*out_port)
    *out_port = in ? (int)at + 1 : -(int)at - 1;
  return true;
}
// Numbers up to the semicolon.
static void template_numbers(templates *t, template_values *out, const char *name, int *out_port) {
  char word[WORD_BYTES];
  uint64_t value = 0;
  out->n = 0;
  while (!*t->problem && template_word(t, word) && *word != ';') {
    if (*word == ',' || template_port(t, word, out_port))
      continue;
    if (!template_number(word, &value)) {
      snprintf(t->problem, sizeof t->problem, "'%s' among the values of '%s' is no number", word, name);
      return;
    }
    template_add(t, out, value);
  }
}
// Ranges first (how many, then both ends of each), then single values.
static void template_expand(templates *t, template_values *v, uint64_t kind) {
  static const uint64_t list = 1;
  template_values *given = malloc(sizeof *given);
  if (!given || kind == list || !v->n) {
    free(given);
    return;
  }
  *given = *v;
  v->n = 0;
  size_t at = 1;
  for (uint64_t range = 0; range < given->at[0] && at + 1 < given->n; range++, at += 2) {
    for (uint64_t x = given->at[at]; x <= given->at[at + 1] && !*t->problem; x++)
      template_add(t, v, x);
  }
  for (; at < given->n; at++)
    template_add(t, v, given->at[at]);
  free(given);
}

// `name bits kind : values ;`
static void template_declare(templates *t, int kind) {
  char name[WORD_BYTES], bits[WORD_BYTES], list[WORD_BYTES], colon[WORD_BYTES];
  uint64_t n_bits = 0, how = 0;
  const bool whole =
      template_word(t, name) && template_word(t, bits) && template_word(t, list) && template_word(t, colon);
  if (!whole || !template_number(bits, &n_bits) || !template_number(list, &how) ||
      t->n_fields == TEMPLATE_FIELDS) {
    snprintf(t->problem, sizeof t->problem, "ASCENDC_TPL_ARGS_DECL cannot be read");
    return;
  }
  template_field *f = &t->field[t->n_fields++];
  snprintf(f->name, sizeof f->name, "%s", name);
  f->kind = kind;
  f->bits = (int)n_bits;
  f->picked.n = 0;
  f->port = 0;
  template_numbers(t, &f->declared, name, &f->port);
  template_expand(t, &f->declared, how);
}
// Is the word behind `weft_tpl_...` the name of a field that is there? Then the header is included once more,
// and says what it said.
static bool template_again(templates *t) {
  const char *back = t->text;
  char name[WORD_BYTES];
  bool again = false;
  if (template_word(t, name)) {
    for (size_t i = 0; i < t->n_fields && !again; i++)
      again = !strcmp(t->field[i].name, name);
  }
  t->text = back;
  return again;
}
void templates_read(templates *t, const char *text, size_t bytes) {
  static const struct {
    const char *word;
    int kind;
  } kinds[] = {
      {"weft_tpl_type", TEMPLATE_TYPE}, {"weft_tpl_uint", TEMPLATE_UINT}, {"weft_tpl_plain", TEMPLATE_PLAIN}};
  char word[WORD_BYTES];
  t->text = text;
  t->end = text + bytes;
  t->whole_end = t->end;
  t->n_fields = 0;
  t->problem[0] = 0;
  while (!*t->problem && template_word(t, word)) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
      if (strcmp(word, kinds[i].word) != 0)
        continue;
      if (template_again(t)) {
        t->end = t->text;
        break;
      }
      template_declare(t, kinds[i].kind);
    }
  }
  t->text = text;
}

// `name kind : values ;` of a set.
static void template_pick(templates *t) {
  char name[WORD_BYTES], list[WORD_BYTES], colon[WORD_BYTES];
  uint64_t how = 0;
  if (!template_word(t, name) || !template_word(t, list) || !template_word(t, colon) ||
      !template_number(list, &how))
    return;
  for (size_t i = 0; i < t->n_fields; i++) {
    template_field *f = &t->field[i];
    int port = 0;
    if (strcmp(f->name, name) != 0)
      continue;
    template_numbers(t, &f->picked, name, &port);
    template_expand(t, &f->picked, how);
    if (port)
      f->picked.n = 0;
    return;
  }
  snprintf(t->problem, sizeof t->problem, "ASCENDC_TPL_SEL names '%s', which is not declared", name);
}

// `4 ;`: the cores that a set's kernels run on.
static void template_cores(templates *t) {
  char word[WORD_BYTES];
  uint64_t cores = 0;
  if (!template_word(t, word) || !template_number(word, &cores) || cores > 15)
    snprintf(t->problem, sizeof t->problem, "'%s' in ASCENDC_TPL_KERNEL_TYPE_SEL is no kind of cores", word);
  else
    t->cores = (int)cores;
}

// ---- the kernel's own parameters ----

// Behind `template`: does a parameter begin with `typename` or `class`? How many parameters there are.
static size_t template_list(templates *t, bool *out_type) {
  char word[WORD_BYTES];
  size_t n = 0;
  int depth = 0;
  bool first = true;
  while (template_word(t, word)) {
    const bool opens = !strcmp(word, "<") || !strcmp(word, "(");
    const bool closes = !strcmp(word, ">") || !strcmp(word, ")");
    if (depth == 1 && first && !closes && n < TEMPLATE_FIELDS)
      out_type[n++] = !strcmp(word, "typename") || !strcmp(word, "class");
    depth += (int)opens - (int)closes;
    first = depth == 1 && (!strcmp(word, ",") || (opens && !n));
    if (depth <= 0)
      break;
  }
  return n;
}
// Whether an argument of DTYPE_DECL is a type or a number says the kernel's declaration alone: users write
// both `template <typename T>` and `template <int T>`.
static void template_parameters(templates *t, const char *kernel) {
  bool type[TEMPLATE_FIELDS] = {false};
  size_t n = 0;
  char word[WORD_BYTES], before[WORD_BYTES] = "";
  const char *const back = t->text, *const end = t->end;
  t->end = t->whole_end;
  while (template_word(t, word)) {
    if (!strcmp(word, "template"))
      n = template_list(t, type);
    if (!strcmp(word, kernel) && !strcmp(before, "void"))
      break;
    memcpy(before, word, sizeof before);
  }
  for (size_t i = 0; i < t->n_fields; i++)
    t->field[i].type = t->field[i].kind == TEMPLATE_TYPE && (i >= n || type[i]);
  t->text = back;
  t->end = end;
}

// The type of the port that a field follows. False: `problem` says why there is none.
static bool template_type_of(templates *t, const template_field *f, const template_kernel *k, uint64_t *out) {
  const int at = f->port > 0 ? f->port - 1 : -f->port - 1;
  const int dtype = f->port > 0 ? k->in[at] : k->out[at];
  *out = (uint64_t)dtype;
  if (dtype < 0) {
    snprintf(t->problem, sizeof t->problem, "%s is the type of %s %d, which the operator does not have",
             f->name, f->port > 0 ? "input" : "output", at);
  }
  return dtype >= 0;
}
// Of an argument that is a port's type, that type alone is declared.
static void template_ports(templates *t, const template_kernel *k) {
  for (size_t i = 0; i < t->n_fields && !*t->problem; i++) {
    template_field *f = &t->field[i];
    uint64_t type;
    if (!f->port || !template_type_of(t, f, k, &type))
      continue;
    if (f->declared.n && !template_has(&f->declared, type)) {
      snprintf(t->problem, sizeof t->problem,
               "%s has the type of a port, number %" PRIu64 " here, which is not among its declared values",
               f->name, type);
    }
    f->declared = (template_values){.at = {type}, .n = 1};
  }
}
// The set at hand in these types. False: it is for others.
static bool template_narrow(templates *t) {
  for (size_t i = 0; i < t->n_fields; i++) {
    template_field *f = &t->field[i];
    if (!f->port || !f->picked.n)
      continue;
    if (!template_has(&f->picked, f->declared.at[0]))
      return false;
    f->picked.n = 0;
  }
  return true;
}

// ---- combinations ----

typedef struct template_case {
  uint64_t value[TEMPLATE_FIELDS];
} template_case;

static bool template_key(templates *t, const template_case *c, uint64_t *out) {
  int used = 0;
  *out = 0;
  for (size_t i = 0; i < t->n_fields; i++) {
    const template_field *f = &t->field[i];
    uint64_t part = c->value[i];
    if (f->kind == TEMPLATE_UINT) {
      part = 0;
      while (part < f->declared.n && f->declared.at[part] != c->value[i])
        part++;
      if (part == f->declared.n) {
        snprintf(t->problem, sizeof t->problem,
                 "%s = %" PRIu64 " is selected, and not among its declared values", f->name, c->value[i]);
        return false;
      }
    }
    if (used + f->bits > 64) {
      snprintf(t->problem, sizeof t->problem, "the template arguments need more than 64 bits");
      return false;
    }
    *out |= part << used;
    used += f->bits;
  }
  return true;
}
// The kernel's name with its arguments.
static bool template_instance(templates *t, FILE *to, const template_kernel *k, const template_case *c) {
  fprintf(to, "&%s<", k->name);
  for (size_t i = 0; i < t->n_fields; i++) {
    const char *comma = i ? ", " : "";
    if (!t->field[i].type) {
      fprintf(to, "%s%" PRIu64, comma, c->value[i]);
      continue;
    }
    const char *type = k->type_name((uint8_t)c->value[i]);
    if (!type) {
      snprintf(t->problem, sizeof t->problem, "%s: kernels here have no type of number %" PRIu64,
               t->field[i].name, c->value[i]);
      return false;
    }
    fprintf(to, "%s%s", comma, type);
  }
  fputc('>', to);
  return true;
}
static bool template_write(templates *t, FILE *to, const template_kernel *k, const template_case *c) {
  uint64_t key;
  if (!template_key(t, c, &key))
    return false;
  fprintf(to, "    case %" PRIu64 "ull: return decltype(weft_asc::KernelOf(", key);
  if (!template_instance(t, to, k, c))
    return false;
  fputs("))::template LaunchOn<", to);
  if (!template_instance(t, to, k, c))
    return false;
  fprintf(to, ">(l, %d);\n", t->cores);
  return true;
}
static const template_values *template_of(const template_field *f) {
  return f->picked.n ? &f->picked : &f->declared;
}
// The next combination of the set, the first argument fastest. False: it was the last.
static bool template_next(const templates *t, size_t *at) {
  for (size_t i = 0; i < t->n_fields; i++) {
    if (++at[i] < template_of(&t->field[i])->n)
      return true;
    at[i] = 0;
  }
  return false;
}

typedef struct template_sets {
  uint64_t key[TEMPLATE_MOST];  // written already: sets may overlap
  size_t n;
} template_sets;

static bool template_new(templates *t, template_sets *s, const template_case *c) {
  uint64_t key;
  if (!template_key(t, c, &key))
    return false;
  for (size_t i = 0; i < s->n; i++) {
    if (s->key[i] == key)
      return false;
  }
  if (s->n == TEMPLATE_MOST) {
    snprintf(t->problem, sizeof t->problem, "more than %d combinations of template arguments", TEMPLATE_MOST);
    return false;
  }
  s->key[s->n++] = key;
  return true;
}
static void template_set(templates *t, FILE *to, const template_kernel *k, template_sets *s) {
  size_t at[TEMPLATE_FIELDS] = {0};
  char word[WORD_BYTES];
  for (size_t i = 0; i < t->n_fields; i++)
    t->field[i].picked.n = 0;
  t->cores = -1;
  while (!*t->problem && template_word(t, word) && strcmp(word, "weft_tpl_end") != 0) {
    if (!strcmp(word, "weft_tpl_pick"))
      template_pick(t);
    if (!strcmp(word, "weft_tpl_cores"))
      template_cores(t);
  }
  if (*t->problem || !template_narrow(t))
    return;
  do {
    template_case c;
    for (size_t i = 0; i < t->n_fields; i++)
      c.value[i] = template_of(&t->field[i])->at[at[i]];
    if (!*t->problem && template_new(t, s, &c))
      (void)template_write(t, to, k, &c);
  } while (!*t->problem && template_next(t, at));
}
size_t templates_write(templates *t, FILE *to, const template_kernel *k) {
  char word[WORD_BYTES];
  template_sets *s = calloc(1, sizeof *s);
  if (!s) {
    snprintf(t->problem, sizeof t->problem, "out of memory");
    return 0;
  }
  template_parameters(t, k->name);
  template_ports(t, k);
  while (!*t->problem && template_word(t, word)) {
    if (!strcmp(word, "weft_tpl_set"))
      template_set(t, to, k, s);
  }
  const size_t n = *t->problem ? 0 : s->n;
  if (!n && !*t->problem)
    snprintf(t->problem, sizeof t->problem, "ASCENDC_TPL_SEL selects nothing for these types");
  free(s);
  return n;
}
// SPDX-License-Identifier: Apache-2.0
