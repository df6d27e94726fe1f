// op_templates.h - kernels in Ascend C that are templates whose arguments are the tiling key (ASCENDC_TPL_*).
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// A declared template argument. Types and formats are their numbers; of a UINT the key has the place in the
// list of declared values.
enum { TEMPLATE_TYPE, TEMPLATE_UINT, TEMPLATE_PLAIN };
enum { TEMPLATE_VALUES = 1024, TEMPLATE_FIELDS = 32, TEMPLATE_MOST = 4096, TEMPLATE_PORTS = 128 };
typedef struct template_values {
  uint64_t at[TEMPLATE_VALUES];
  size_t n;
} template_values;
typedef struct template_field {
  char name[64];
  int kind, bits;
  int port;   // 0: none; i + 1: it is the type of input i; -i - 1: of output i
  bool type;  // of TEMPLATE_TYPE: the kernel's parameter is a type, and not its number
  template_values declared;
  template_values picked;  // of the set at hand; n 0: all of them
} template_field;
typedef struct templates {
  const char *text, *end;  // the preprocessed source, behind what was read
  const char *whole_end;
  template_field field[TEMPLATE_FIELDS];
  size_t n_fields;
  int cores;          // ASCENDC_TPL_KERNEL_TYPE_SEL of the set at hand; -1: nothing is said
  char problem[256];  // "": none
} templates;

// The kernel that is instantiated for one combination of types.
typedef struct template_kernel {
  const char *name;
  const char *(*type_name)(uint8_t dtype);
  int in[TEMPLATE_PORTS], out[TEMPLATE_PORTS];  // dtypes of ports; -1: there is no such port
} template_kernel;

// Reads the declared arguments of a source that was preprocessed with WEFT_ASC_TPL_TEXT. Without any the
// kernel is a plain function.
void templates_read(templates *t, const char *text, size_t bytes);
// Writes a case of a switch over tiling keys for each combination that ASCENDC_TPL_SEL lists. How many; 0:
// `problem` says why.
size_t templates_write(templates *t, FILE *to, const template_kernel *k);
// SPDX-License-Identifier: Apache-2.0
