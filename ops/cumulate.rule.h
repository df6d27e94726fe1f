// cumulate.rule.h - attribute slots of the running sums and products (WEFT_CUMULATE_PROTO).
#pragma once

enum { WEFT_CUMULATE_EXCLUSIVE, WEFT_CUMULATE_REVERSE };
// SPDX-License-Identifier: Apache-2.0
